// Exact solution of all rows together: impulses such that each row either is satisfied or has its impulse at a bound
// that prevents this.
//
//   w = J v + b + e lambda,   v = v_0 + M^-1 J^T lambda       (e: compliance of soft rows)
//   lower < lambda < upper: w = 0        lambda = lower: w >= 0        lambda = upper: w <= 0
//
// For constant bounds the solution minimizes the convex function phi = v^T M v / 2 + b^T lambda + e lambda^2/2 over the
// box of the bounds; w is its gradient. The minimum is found by an active-set method. Rows whose impulse is pressed
// against a bound are fixed. A = J M^-1 J^T + e of the free rows is factored as L D L^T, and A d = -w gives the step of
// the free rows to the minimum. A step that leaves the box is clamped to the box, and shortened until phi falls.
// Between steps a few projected Gauss-Seidel sweeps find the free rows. The bounds of friction are updated from the
// normal impulse after each step. If the method does not converge, the solve ends with sweeps. In islands without
// bounds the factorization drops dependent rows.
// source: Bertsekas, "Projected Newton Methods for Optimization Problems with Simple Constraints" (1982);
//         Silcowitz, Niebe, Erleben, "A nonsmooth nonlinear conjugate gradient method for interactive contact force
//         problems" (2010) for the subspace steps
#ifndef IMPI_EXACT_H
#define IMPI_EXACT_H

#include "linalg/factor.h"
#include "model/island.h"
#include "solvers/reference.h"

typedef struct ImpiExactRow {
  double compliance, offset; // w = J v + offset + compliance * lambda
  double w;                  // w before the current step
  double old;                // lambda before the current step
  double start;              // lambda before the solve
  bool given;                // lambda does not depend on J v, for example IMP_ROW_FORCE
  bool bounded;              // a row of its island has bounds
} ImpiExactRow;

typedef struct ImpiExact {
  ImpiFactor factor;
  IMPI_ARRAY(int32_t) block_rows;   // largest number of rows of each block
  IMPI_ARRAY(int32_t) first_row;    // index of the first solved row of each block; last element: number of rows
  IMPI_ARRAY(int32_t) clique_first; // start of each body's list in `cliques`; last element: end of the last list
  IMPI_ARRAY(int32_t) cliques;      // blocks at each body with finite mass
  IMPI_ARRAY(int32_t) place;        // index of each row in the factor's natural order: block by block, see factor.h
  IMPI_ARRAY(bool) fixed;           // in natural order: whether a row is not solved for
  IMPI_ARRAY(double) loose;         // in natural order: a row is redundant if its relative pivot is at most this
  IMPI_ARRAY(double) x;             // in natural order: right-hand side, then solution
  IMPI_ARRAY(ImpiExactRow) rows;    // data of each solved row, by its index in the ImpiRowArray
  IMPI_ARRAY(ImpiMotion) start;     // motion of each awake body before the solve
  ImpiIslands islands;              // by ImpiBody.lane: sets of bodies coupled by rows
  IMPI_ARRAY(bool) has_bounds;      // by root lane of an island: whether one of its rows has bounds
  double left;                      // largest residual of rows in islands with bounds
  double nearly;                    // a row is dropped if (pivot / diagonal element of A) is below this; 0: see `loose`
  double damping;                   // current relative increase of A's diagonal
  int redundant;                    // number of rows that the last factorization dropped
  bool factored;                    // the factor is that of the present set of fixed rows
} ImpiExact;

void impi_exact_free(ImpiHeap *heap, ImpiExact *exact);
// Plan the factor for all rows that the step can build.
ImpStatus impi_exact_reserve(ImpiSolve *solve, ImpiExact *exact);

// Solve rows (ImpiReference.rows or fixes), starting from their present impulses, which the velocities already contain.
// Add factorizations and operations to the report, and set its number of redundant rows.
// Return the largest |w| of a row whose impulse is not at a bound [m/s or rad/s].
double impi_exact_solve(ImpiSolve *solve, ImpiExact *exact, ImpiRowArray *rows);

// Join the bodies of a row into one island. Return ImpiBody.lane of one of these bodies; 0: impulses move none of them.
int32_t impi_exact_join(const ImpiSolve *solve, ImpiIslands *islands, const ImpiRow *row);
// Return ImpiBody.lane of the root body of a row's island; 0: impulses move none of the row's bodies.
int32_t impi_exact_island(const ImpiSolve *solve, ImpiIslands *islands, const ImpiRow *row);

// Build A = J M^-1 J^T + e of the rows. impi_exact_solve does this itself; solvers with an iteration of their own call
// this function and impi_exact_factor.
void impi_exact_begin(ImpiSolve *solve, ImpiExact *exact, const ImpiRowArray *rows);
// Factor A = L D L^T of the rows that are not in `fixed`. Afterwards impi_factor_solve replaces x by A^-1 x.
void impi_exact_factor(ImpiExact *exact);

#endif
