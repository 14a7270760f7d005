// A sparse factor L D L^T of a symmetric positive semidefinite matrix A whose rows come in blocks.
//
// A = J M^-1 J^T is such a matrix: the rows of one joint or contact are a block, and two blocks are coupled if they act
// on a common moving body. The factor needs the number of rows of each block and a list of coupled blocks ("clique")
// for each body. "Natural order": the rows block by block, as the caller numbers the blocks.
//
//   impi_factor_plan    computes order and pattern of L, valid while the same blocks are coupled; allocates memory
//   impi_factor_clear   sets A to 0; impi_factor_block or impi_factor_add set the numbers of A
//   impi_factor_run     computes L and D, and keeps A: may be repeated with a different set of fixed rows
//   impi_factor_solve   computes x = A^-1 b
//
// Time and memory are linear in the number of blocks for chains and trees. A body with n blocks takes n^2 numbers and
// n^3 operations.
#ifndef IMPI_FACTOR_H
#define IMPI_FACTOR_H

#include "base/array.h"

// Largest number of doubles in a factor: 64 MiB, and as much again for A.
#define IMPI_FACTOR_MAX (1 << 23)

// The columns of L that belong to one block of rows: `height` by `width` numbers, column after column. The first rows
// are the block's own rows, with D on the diagonal; numbers above the diagonal are never read. The other rows are, in
// the order of elimination, those of all later blocks that are coupled to this block in A or by earlier eliminations.
typedef struct ImpiFactorPanel {
  int32_t block;
  int32_t row;                    // index of the block's first row in natural order
  int32_t width, height;          // number of columns; number of rows
  int32_t number;                 // index of the panel's first number in ImpiFactor.a and .l
  int32_t first_entry, end_entry; // range of entries: one for each block with rows in the panel
  // range in ImpiFactor.touches: the earlier panels whose columns are subtracted from this panel
  int32_t first_touch, end_touch;
  int32_t place; // scratch: index of the block's first row in another panel
} ImpiFactorPanel;

// The rows of one block in a panel. A panel's first entry is its own block; other blocks follow in the order of
// elimination.
typedef struct ImpiFactorEntry {
  int32_t panel;
  int32_t row; // index, in the panel that owns this entry, of the block's first row
} ImpiFactorEntry;

// The columns of `panel` are subtracted from a later panel P. ImpiFactor.entries[entry] holds
// the first row of P's block in `panel`.
typedef struct ImpiFactorTouch {
  int32_t panel, entry;
} ImpiFactorTouch;

// A block in the order of elimination. Mutually coupled blocks form an element, see factor_plan.c.
typedef struct ImpiFactorNode {
  int32_t rows;
  int32_t first, count; // range in `held` that lists the elements with this block
  int32_t stamp;        // last element that listed the block
  int64_t degree;       // upper bound of the number of rows of other blocks that elimination of this block would couple
} ImpiFactorNode;

typedef struct ImpiFactorElement {
  int32_t first, end; // range of the element's blocks, in `lists`
  int32_t rows;       // number of rows of all blocks of the element
  // number of rows of the blocks that are in this element, but not in the element with the index `stamp`
  int32_t outside;
  int32_t stamp;
  bool merged;
} ImpiFactorElement;

typedef struct ImpiFactorOrder {
  IMPI_ARRAY(ImpiFactorNode) nodes;
  IMPI_ARRAY(ImpiFactorElement) elements; // one element for each clique, followed by one for each panel
  IMPI_ARRAY(int32_t) lists;              // blocks of each element, one list after another
  IMPI_ARRAY(int32_t) held;               // elements that contain each block, one list after another
  // binary tree of blocks: [i] is [2 i] or [2 i + 1], whichever block has the lower degree; -1: no block
  IMPI_ARRAY(int32_t) winners;
} ImpiFactorOrder;

// Stored L, D and 1 / D of one A.
typedef struct ImpiFactorNumbers {
  IMPI_ARRAY(double) l;       // L and D
  IMPI_ARRAY(double) inverse; // 1 / D in natural order; 0: the row is dropped   (rows)
} ImpiFactorNumbers;

// A factor. All members are 0 in an empty factor.
typedef struct ImpiFactor {
  int rows;                           // number of rows of all blocks
  IMPI_ARRAY(ImpiFactorPanel) panels; // panels in the order of elimination   (blocks)
  IMPI_ARRAY(int32_t) panel_of;
  IMPI_ARRAY(ImpiFactorEntry) entries;
  IMPI_ARRAY(ImpiFactorTouch) touches;
  IMPI_ARRAY(double) a;           // numbers of A on and below the diagonal, stored in panels like `l`
  IMPI_ARRAY(double) l;           // L and D
  IMPI_ARRAY(double) inverse;     // 1 / D in natural order; 0: the row is dropped   (rows)
  IMPI_ARRAY(double) combination; // scratch of the rank test; all 0 after the test   (rows)
  ImpiFactorOrder order;
  uint64_t flops; // additions, multiplications and divisions of run and solve since the last clear
} ImpiFactor;

// One block of A: number (row_i, row_j) is value[row_i * step_i + row_j * step_j].
typedef struct ImpiFactorBlock {
  double *value;
  int step_i, step_j;
} ImpiFactorBlock;

void impi_factor_free(ImpiHeap *heap, ImpiFactor *factor);

// Plan the factor of `blocks` blocks with rows[i] rows each, 0 or more. Clique k couples the blocks from
// members[first[k]] to members[first[k + 1] - 1]; `first` has cliques + 1 numbers. A block may be in any number of
// cliques. Returns IMP_ERR_NOMEM, or IMP_ERR_LIMIT if L would hold more than IMPI_FACTOR_MAX numbers; the factor is
// empty then. A is 0 afterwards.
ImpStatus impi_factor_plan(ImpiHeap *heap, ImpiFactor *factor, int blocks, const int32_t *rows, int cliques,
                           const int32_t *first, const int32_t *members);

void impi_factor_clear(ImpiFactor *factor);
// Return the numbers of A for two coupled blocks, for the caller to add to. Blocks (i, j) and (j, i) share their
// numbers. Of a diagonal block only the numbers on and below the diagonal are used.
ImpiFactorBlock impi_factor_block(ImpiFactor *factor, int block_i, int block_j);
// Add a value to one number of A and, if off the diagonal, to its mirror image.
void impi_factor_add(ImpiFactor *factor, int block_i, int row_i, int block_j, int row_j, double value);

// Compute L and D. `fixed` (rows, natural order) marks fixed rows, in which the identity matrix replaces A; null: no
// row. A row that depends linearly on the rows before it, within the tolerance IMPI_REDUNDANT, is dropped: its solution
// is 0. Returns the number of dropped rows.
int impi_factor_run(ImpiFactor *factor, const bool *fixed);
// Like impi_factor_run, but loose[i] replaces IMPI_REDUNDANT for row i in natural order.
int impi_factor_run_loose(ImpiFactor *factor, const bool *fixed, const double *loose);
// Like impi_factor_run, for an A that includes compliances: a row is dropped if its pivot is not above `drop` times its
// number on the diagonal of A.
int impi_factor_run_soft(ImpiFactor *factor, const bool *fixed, double drop);
// Solve x := A^-1 x. x is in natural order: row r of a block is x[impi_factor_row(block) + r]. Fixed rows of x are
// unchanged; dropped rows become 0.
void impi_factor_solve(ImpiFactor *factor, double *x);
// Like impi_factor_solve, for the rows of the given panels only. The panels must be in ascending order and must not be
// coupled to other panels.
void impi_factor_solve_panels(const ImpiFactor *factor, double *x, const int32_t *panels, int count);
// Exchange the result of the last run with `numbers`, whose arrays must have enough room.
void impi_factor_swap(ImpiFactor *factor, ImpiFactorNumbers *numbers);

// Return the first row of a block in natural order.
static inline int impi_factor_row(const ImpiFactor *factor, int block) {
  return factor->panels.data[factor->panel_of.data[block]].row;
}
// Return whether the last run dropped a row.
static inline bool impi_factor_dropped(const ImpiFactor *factor, int block, int row) {
  return factor->inverse.data[impi_factor_row(factor, block) + row] == 0;
}

#endif
