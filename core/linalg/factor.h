// A sparse factor L D L^T of a symmetric positive semidefinite matrix A whose rows come in blocks.
//
// A = J M^-1 J^T is such a matrix: the rows of one joint or contact are a block, and two blocks are coupled where they
// touch a moving body in common. All that is known here is the number of rows of each block and lists of blocks
// ("cliques", one a body) that are coupled among themselves.
//
//   impi_factor_plan    order and pattern, as long as the same blocks are coupled; the only one to take memory
//   impi_factor_clear   A = 0; then impi_factor_block or impi_factor_add for its numbers
//   impi_factor_run     L and D; A stays, so that this can be run again with other rows fixed
//   impi_factor_solve   x = A^-1 b
//
// Time and memory of chains and trees are linear in the blocks. A body that n blocks touch couples all of them: n^2
// numbers and n^3 operations.
#ifndef IMPI_FACTOR_H
#define IMPI_FACTOR_H

#include "base/array.h"

// The most numbers that a factor may hold: 64 MiB, and as much again for A. That is the factor of a body that 4000 rows
// touch, for which nobody would wait; piles of tens of thousands of contacts need less.
#define IMPI_FACTOR_MAX (1 << 23)

// A block of L's columns: those of one block of rows. Its numbers are `height` by `width`, column after column: its own
// rows on top (D on their diagonal, what is above is never read), below them those of the blocks after it in the order
// of elimination that its elimination couples.
typedef struct ImpiFactorPanel {
  int32_t block;
  int32_t row;                    // first of its rows in natural order
  int32_t width, height;          // [numbers]
  int32_t number;                 // first of its numbers in a and l
  int32_t first_entry, end_entry; // what its rows are
  int32_t first_touch, end_touch; // the panels before it that change it
  int32_t place;                  // while another panel is made: where in that one this block's rows stand
} ImpiFactorPanel;

// A block's rows in a panel. The first of each panel is its own, the others follow in the order of elimination.
typedef struct ImpiFactorEntry {
  int32_t panel; // of the block
  int32_t row;   // first of its rows in the panel
} ImpiFactorEntry;

// One panel has an entry for another.
typedef struct ImpiFactorTouch {
  int32_t panel, entry;
} ImpiFactorTouch;

// What finding the order takes, explained in factor_plan.c.
typedef struct ImpiFactorNode {
  int32_t rows;
  int32_t first, count; // its elements, in `held`
  int32_t stamp;        // the element that listed it last
  int64_t degree;       // rows of other blocks that its elimination would couple, at most
} ImpiFactorNode;

typedef struct ImpiFactorElement {
  int32_t first, end; // its blocks, in `lists`
  int32_t rows;       // of all its blocks
  int32_t outside;    // of those that are not in element `stamp`
  int32_t stamp;
  bool merged;
} ImpiFactorElement;

typedef struct ImpiFactorOrder {
  IMPI_ARRAY(ImpiFactorNode) nodes;       // of each block
  IMPI_ARRAY(ImpiFactorElement) elements; // the cliques, then one for each panel
  IMPI_ARRAY(int32_t) lists;              // blocks
  IMPI_ARRAY(int32_t) held;               // elements
  IMPI_ARRAY(int32_t) winners;            // blocks, a tournament: [1] of all, [i] of [2 i] and [2 i + 1]; -1: none
} ImpiFactorOrder;

// L, D and 1 / D of one A: put aside, while another A of the same plan is factored.
typedef struct ImpiFactorNumbers {
  IMPI_ARRAY(double) l;       // L and D
  IMPI_ARRAY(double) inverse; // of D, in natural order; 0: the row is dropped   (rows)
} ImpiFactorNumbers;

// All zeros is an empty factor.
typedef struct ImpiFactor {
  int rows;                           // of all blocks
  IMPI_ARRAY(ImpiFactorPanel) panels; // in the order of elimination   (blocks)
  IMPI_ARRAY(int32_t) panel_of;       // each block's panel   (blocks)
  IMPI_ARRAY(ImpiFactorEntry) entries;
  IMPI_ARRAY(ImpiFactorTouch) touches;
  IMPI_ARRAY(double) a;           // in panels like L, the half below the diagonal
  IMPI_ARRAY(double) l;           // L and D
  IMPI_ARRAY(double) inverse;     // of D, in natural order; 0: the row is dropped   (rows)
  IMPI_ARRAY(double) combination; // shares of the rows in a small pivot, in natural order; 0 otherwise   (rows)
  ImpiFactorOrder order;
  uint64_t flops; // additions, multiplications and divisions of run and solve since the last clear
} ImpiFactor;

// One block of A: its number (row_i, row_j) is value[row_i * step_i + row_j * step_j].
typedef struct ImpiFactorBlock {
  double *value;
  int step_i, step_j;
} ImpiFactorBlock;

void impi_factor_free(ImpiHeap *heap, ImpiFactor *factor);

// Plan the factor of `blocks` blocks with rows[i] rows each, 0 or more. Clique k couples members[first[k]] up to
// members[first[k + 1] - 1], so `first` has cliques + 1 numbers; a block may be in any number of cliques.
// IMP_ERR_NOMEM, or IMP_ERR_LIMIT when L would hold more than IMPI_FACTOR_MAX numbers; the factor is then empty. A plan
// that needs no more than those before it takes no memory. A is 0 afterwards.
ImpStatus impi_factor_plan(ImpiHeap *heap, ImpiFactor *factor, int blocks, const int32_t *rows, int cliques,
                           const int32_t *first, const int32_t *members);

void impi_factor_clear(ImpiFactor *factor);
// Where A's numbers of two coupled blocks are, to add to. Blocks i, j and blocks j, i are the same numbers: each pair
// is added once. Of a block with itself all numbers may be written, and those with row_i >= row_j count.
ImpiFactorBlock impi_factor_block(ImpiFactor *factor, int block_i, int block_j);
// A += value at one place and, where that is another, at its mirror image.
void impi_factor_add(ImpiFactor *factor, int block_i, int row_i, int block_j, int row_j, double value);

// Find L and D. A row that is fixed (natural order; null: none) is out of the system as if A had the identity's row and
// column there. A row that follows from the rows before it, by IMPI_REDUNDANT, is dropped, as if its pivot were
// infinite. Returns how many were dropped.
int impi_factor_run(ImpiFactor *factor, const bool *fixed);
// The same with a number of each row, in natural order, in place of IMPI_REDUNDANT.
int impi_factor_run_loose(ImpiFactor *factor, const bool *fixed, const double *loose);
// For rows with compliances in A: a row is dropped where its pivot is not above `drop` times its own diagonal number.
int impi_factor_run_soft(ImpiFactor *factor, const bool *fixed, double drop);
// x := A^-1 x, in natural order: row impi_factor_row(block) + row. What stands in a fixed row stays; dropped rows are 0.
void impi_factor_solve(ImpiFactor *factor, double *x);
// The same for some panels, ascending, that are coupled with no others: x of these alone.
void impi_factor_solve_panels(const ImpiFactor *factor, double *x, const int32_t *panels, int count);
// Exchange what the last run found for what `numbers` has, which has room for as much.
void impi_factor_swap(ImpiFactor *factor, ImpiFactorNumbers *numbers);

// The first row of a block in natural order.
static inline int impi_factor_row(const ImpiFactor *factor, int block) {
  return factor->panels.data[factor->panel_of.data[block]].row;
}
// Whether the last run dropped a row.
static inline bool impi_factor_dropped(const ImpiFactor *factor, int block, int row) {
  return factor->inverse.data[impi_factor_row(factor, block) + row] == 0;
}

#endif
