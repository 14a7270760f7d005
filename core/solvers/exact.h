// Exact solution of all rows together: impulses such that every row holds or is at a bound that prevents it.
//
//   w = J v + b + e lambda,   v = v_0 + M^-1 J^T lambda       (e: compliance of soft rows)
//   lower < lambda < upper: w = 0        lambda = lower: w >= 0        lambda = upper: w <= 0
//
// With given bounds that is the minimum of the convex function  phi = v^T M v / 2 + b^T lambda + e lambda^2 / 2  over
// the box of the bounds; w is its gradient. It is found by an active-set method: rows that are at a bound and pressed
// against it are fixed, A = J M^-1 J^T + e of the others is factored as L D L^T, and A d = -w gives the step to the
// minimum with those fixed. A step that leaves the box is clamped to it, and shortened until phi falls. Between steps a
// few projected Gauss-Seidel sweeps find which rows are free. The bounds of friction are updated from the normal
// impulse after each step, until nothing changes. If that does not converge (boxes that tumble over each other, rows
// that contradict each other), the solve ends with sweeps, and the report says "stalled" and gives the residual.
// In islands without bounds the factorization drops rows that are dependent on others: their impulses stay unchanged,
// and the other rows imply them.
// source: Bertsekas, "Projected Newton Methods for Optimization Problems with Simple Constraints" (1982);
//         Silcowitz, Niebe, Erleben, "A nonsmooth nonlinear conjugate gradient method for interactive contact force
//         problems" (2010) for the subspace steps
#ifndef IMPI_EXACT_H
#define IMPI_EXACT_H

#include "linalg/factor.h"
#include "model/island.h"
#include "solvers/reference.h"

// Data of a row during the solve.
typedef struct ImpiExactRow {
  double compliance, offset; // w = J v + offset + compliance * lambda
  double w;                  // before the current step
  double old;                // lambda before the current step
  double start;              // lambda before the solve
  bool given;                // lambda is not solved for: forces, springs that are integrated explicitly
  bool bounded;              // a row of its island has bounds
} ImpiExactRow;

typedef struct ImpiExact {
  ImpiFactor factor;
  IMPI_ARRAY(int32_t) block_rows;   // largest number of rows of each block
  IMPI_ARRAY(int32_t) first_row;    // of each block, in the solved list of rows   (blocks + 1)
  IMPI_ARRAY(int32_t) clique_first; // of each body's list   (bodies + 1)
  IMPI_ARRAY(int32_t) cliques;      // blocks at each moving body
  IMPI_ARRAY(int32_t) place;        // of each row in the factor's natural order
  IMPI_ARRAY(bool) fixed;           // in natural order
  IMPI_ARRAY(double) loose;         // in natural order: pivot up to which a row is redundant
  IMPI_ARRAY(double) x;             // in natural order
  IMPI_ARRAY(ImpiExactRow) rows;    // by solved row
  IMPI_ARRAY(ImpiMotion) start;     // of each awake body before the solve
  ImpiIslands islands;              // of bodies coupled by rows, by lane
  IMPI_ARRAY(bool) has_bounds;      // of an island: a row of it has bounds; by lane
  double left;                      // largest residual of a row with `bounded`
  double nearly;                    // > 0: rows are dropped if their pivot is less than this part of their diagonal
  double damping;                   // current relative increase of A's diagonal
  int redundant;                    // number of rows that the last factorization dropped
  bool factored;                    // the factor is valid: the set of fixed rows has not changed since
} ImpiExact;

void impi_exact_free(ImpiHeap *heap, ImpiExact *exact);
// Plan the factor for all rows that the step can build; part of a solver's reserve.
ImpStatus impi_exact_reserve(ImpiSolve *solve, ImpiExact *exact);

// Solve rows (ImpiReference.rows or fixes), starting from their present impulses, which the velocities contain. Add
// factorizations and operations to the report, and set its redundant rows. Return the largest |w| of a row that is not
// held at a bound [m/s or rad/s].
double impi_exact_solve(ImpiSolve *solve, ImpiExact *exact, ImpiRowArray *rows);

// Islands of rows, by lane; lane 0 is for bodies that impulses do not move. Join the bodies of a row and return one of
// them; return the island of a row.
int32_t impi_exact_join(const ImpiSolve *solve, ImpiIslands *islands, const ImpiRow *row);
int32_t impi_exact_island(const ImpiSolve *solve, ImpiIslands *islands, const ImpiRow *row);

// Parts of the solve, for solvers with other iterations: build A of the rows; factor L D L^T of those not in `fixed`.
// Then impi_factor_solve gives x := A^-1 x.
void impi_exact_begin(ImpiSolve *solve, ImpiExact *exact, const ImpiRowArray *rows);
void impi_exact_factor(ImpiExact *exact);

#endif
