// Rows solved exactly, together: impulses such that every row holds or is at a bound that keeps it from holding.
//
//   w = J v + b + e lambda,   v = v_0 + M^-1 J^T lambda       (e: compliance of soft rows)
//   lower < lambda < upper: w = 0        lambda = lower: w >= 0        lambda = upper: w <= 0
//
// With given bounds that is the least value of the convex function  phi = v^T M v / 2 + b^T lambda + e lambda^2 / 2
// over the box of the bounds, whose gradient is w. It is found by an active set: rows that are at a bound and pressed
// against it are fixed, A = J M^-1 J^T + e of the others is factored as L D L^T, and A d = -w gives the step to the
// least value with those fixed. A step that leaves the box is bent at its sides, and shortened until phi falls. Between
// steps a few projected Gauss-Seidel sweeps say which rows want to be free. Friction's bounds follow its normal's
// impulse, from step to step until nothing changes. Where that does not end (boxes that tumble over each other, rows
// that contradict each other), sweeps have the last word, and the report says "stalled" and how far from solved it is.
// In islands without bounds, rows that follow from others are dropped by the factor: their impulse stays as it was, and they
// hold by the others.
// source: Bertsekas, "Projected Newton Methods for Optimization Problems with Simple Constraints" (1982);
//         Silcowitz, Niebe, Erleben, "A nonsmooth nonlinear conjugate gradient method for interactive contact force
//         problems" (2010) for the subspace steps
#ifndef IMPI_EXACT_H
#define IMPI_EXACT_H

#include "linalg/factor.h"
#include "model/island.h"
#include "solvers/reference.h"

// What a row is to the solve.
typedef struct ImpiExactRow {
  double compliance, offset; // w = J v + offset + compliance * lambda
  double w;                  // before the present step
  double old;                // lambda before it
  double start;              // lambda before the solve
  bool given;                // lambda is what it is: forces, springs that are integrated explicitly
  bool bounded;              // a row of its island has bounds
} ImpiExactRow;

typedef struct ImpiExact {
  ImpiFactor factor;
  IMPI_ARRAY(int32_t) block_rows;   // most rows of each block
  IMPI_ARRAY(int32_t) first_row;    // of each block, among the rows that are solved   (blocks + 1)
  IMPI_ARRAY(int32_t) clique_first; // of each body's list   (bodies + 1)
  IMPI_ARRAY(int32_t) cliques;      // blocks at each moving body
  IMPI_ARRAY(int32_t) place;        // of each row in the factor's natural order
  IMPI_ARRAY(bool) fixed;           // in natural order
  IMPI_ARRAY(double) loose;         // in natural order: pivot up to which a row is redundant
  IMPI_ARRAY(double) x;             // in natural order
  IMPI_ARRAY(ImpiExactRow) rows;    // beside each row that is solved
  IMPI_ARRAY(ImpiMotion) start;     // of each awake body before the solve
  ImpiIslands islands;              // of bodies that rows hold together, by lane
  IMPI_ARRAY(bool) has_bounds;      // of an island, by lane
  double left;                      // worst distance of a row that is bounded
  double nearly;  // > 0: rows of which less than this part is left beside those before them are passed over too
  double damping; // part of itself by which A's diagonal is larger at present
  int redundant;  // rows that the last factor dropped
  bool factored;  // what is fixed has not changed since
} ImpiExact;

void impi_exact_free(ImpiHeap *heap, ImpiExact *exact);
// Plan for all rows that the step can make; part of a solver's reserve.
ImpStatus impi_exact_reserve(ImpiSolve *solve, ImpiExact *exact);

// Solve rows (of ImpiReference.rows or fixes), from the impulses that they have and that the velocities contain.
// Enters factorizations, distance from the solution, operations and redundant rows in the report. Returns the worst |w|
// of a row that is not at a bound or pulls off it [m/s or rad/s].
double impi_exact_solve(ImpiSolve *solve, ImpiExact *exact, ImpiRowArray *rows);

// Islands of rows, by lane, 0 is what no impulse moves. Join the bodies of a row; returns one of them. The island of a row.
int32_t impi_exact_join(const ImpiSolve *solve, ImpiIslands *islands, const ImpiRow *row);
int32_t impi_exact_island(const ImpiSolve *solve, ImpiIslands *islands, const ImpiRow *row);

// Its parts, for a solver with steps of its own: A of the rows; L D L^T of those that are not in `fixed`; x := A^-1 x.
void impi_exact_begin(ImpiSolve *solve, ImpiExact *exact, const ImpiRowArray *rows);
void impi_exact_factor(ImpiExact *exact);

#endif
