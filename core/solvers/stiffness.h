// Geometric stiffness: what keeps light links under tension from exploding.
//
// A row's impulse acts along its direction of the substep's start. Where a body turns by dtheta under a force f with lever
// r that torque changes by -(r . f) dtheta: tension pulls a link straight like a spring of stiffness k = r . f. An exact
// solver feels that spring explicitly, and it is stable only for h^2 k / I < 4. Where h^2 k / I > 1 it is integrated
// implicitly instead,
//   (I + h^2 k) w' = I w + h tau + J^T lambda
// which is a heavier inertia for the substep's rows, and the energy that w = I w / (I + h^2 k) gives away: the ledger
// names it. k of a joint is -lambda / h d2C/dtheta2, summed over its locks, which is r . f for anchors and rods and holds
// for any C that a user wrote; a joint that presses (k < 0) counts as 0.
// source: Tournier, Nesme, Gilles, Faure, "Stable constrained dynamics" (2015); Andrews, Teichmann, Kry, "Geometric
//         stiffness for real-time constrained multibody dynamics" (2017)
#ifndef IMPI_STIFFNESS_H
#define IMPI_STIFFNESS_H

#include "solvers/reference.h"

typedef struct ImpiStiffness {
  IMPI_ARRAY(double) stiffness; // of each awake body, by lane [N m / rad]
  IMPI_ARRAY(double) inertia;   // its own, while it is heavier, by lane; 0: it is not [kg m^2]
  IMPI_ARRAY(ImpiMotion) poses; // of each awake body at rest but for a turning one, by lane
  int heavier;                  // bodies
  bool iterating;               // it is part of an iteration, and no energy goes into it
} ImpiStiffness;

void impi_stiffness_free(ImpiHeap *heap, ImpiStiffness *stiffness);
ImpStatus impi_stiffness_reserve(ImpiSolve *solve, ImpiStiffness *stiffness);
// Make bodies heavier whose tension asks for it, by the rows and their kept impulses; the rows' masses follow.
void impi_stiffness_begin(ImpiSolve *solve, ImpiStiffness *stiffness);
// The same for Newton's method on a substep of the midpoint rule, at its middle: turning speeds are mixed with those of
// `middle` in the parts of the added inertia, so that they stand where both agree.
void impi_stiffness_toward(ImpiSolve *solve, ImpiStiffness *stiffness, const ImpiMotion *middle);
// They are what they were.
void impi_stiffness_end(ImpiSolve *solve, ImpiStiffness *stiffness);

#endif
