// Geometric stiffness: keeps light links under tension stable.
//
// If a body turns by dtheta, the torque of a force f with lever r changes by -(r . f) dtheta: tension acts like a
// spring of stiffness k = r . f that aligns the link. Explicit integration of this spring is stable only for h^2 k / I
// < 4. If h^2 k / I > 1, the spring is integrated implicitly:
//   (I + h^2 k) w' = I w + h tau + J^T lambda
// This adds inertia to the body in the rows of the substep, and reduces w to I w / (I + h^2 k); the energy ledger gets
// the loss. k of a joint is -lambda / h d2C/dtheta2, summed over its locks. Compression (k < 0) is ignored, except by
// impi_stiffness_toward.
// source: Tournier, Nesme, Gilles, Faure, "Stable constrained dynamics" (2015); Andrews, Teichmann, Kry, "Geometric
//         stiffness for real-time constrained multibody dynamics" (2017)
#ifndef IMPI_STIFFNESS_H
#define IMPI_STIFFNESS_H

#include "solvers/reference.h"

typedef struct ImpiStiffness {
  IMPI_ARRAY(double) stiffness; // rotational stiffness k of each awake body, by lane [N m / rad]
  IMPI_ARRAY(double) inertia;   // original inertia of each body with added inertia, by lane; 0: nothing added [kg m^2]
  IMPI_ARRAY(ImpiMotion) poses; // poses of awake bodies, by lane; velocity 0, except of the body that is varied
  int heavier;                  // number of bodies with added inertia
  bool iterating;               // a Newton iteration runs: the energy ledger does not change
} ImpiStiffness;

void impi_stiffness_free(ImpiHeap *heap, ImpiStiffness *stiffness);
ImpStatus impi_stiffness_reserve(ImpiSolve *solve, ImpiStiffness *stiffness);
// Add inertia to bodies with h^2 k / I > 1, with k from the stored impulses, and update the masses of the rows.
void impi_stiffness_begin(ImpiSolve *solve, ImpiStiffness *stiffness);
// Like impi_stiffness_begin, for Newton's method at the midpoint of the midpoint rule. Each angular velocity becomes a
// weighted mean of its present value (weight: the original inertia) and the value in `middle` (weight: the added
// inertia). Both values are equal in a solution, so a solution does not change.
void impi_stiffness_toward(ImpiSolve *solve, ImpiStiffness *stiffness, const ImpiMotion *middle);
// Restore the inertias and the rows' masses.
void impi_stiffness_end(ImpiSolve *solve, ImpiStiffness *stiffness);

#endif
