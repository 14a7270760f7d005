// Sequential impulses in double: the oracle of the row specs.
//
//   1    integrate applied forces      v' = v + h M^-1 F
//   1.5  apply the stored impulses     v' += M^-1 J^T lambda
//   2    sweep over the rows           d = -m_C (J v' + b),  lambda' = clamp(lambda + d)
//                                      v' += M^-1 J^T (lambda' - lambda)
//   2.5  store the impulses
//   3    integrate positions           x += h v'
// Rows are those of the joints, in creation order, then those of the contacts. b contains:
//   contact, while the surfaces touch (C <= 0): the larger of
//     bounce      e * (speed of approach before the step), when that is above the threshold
//     push-out    beta / dt * (overlap beyond the slop)
//   lock, servo   beta / dt * C, and the rate at which the target moves
//   limit         beta / dt * C while it is exceeded; before it is reached J v + C / h >= 0
//   motor         its speed;  springs and forces: no correction
//   coordinates that depend on time: (C(q, t + h) - C(q, t)) / h
// Limits act before they are reached, because the correction of an overshoot would turn the overshoot into speed.
// Sweeps stop after `iterations`, or when the impulses converge.
// source: Catto, "Modeling and Solving Constraints" (GDC 2009)
#include "solvers/reference.h"


static void si_substep(ImpiSolve *solve) {
  const ImpiReference *ref = solve->scratch;
  impi_reference_rows(solve);
  impi_reference_baumgarte(solve);
  impi_reference_look_ahead(solve, ref->h);
  impi_reference_forces(solve);
  impi_reference_warm_start(solve);
  impi_reference_sweep(solve, ref->iterations);
  impi_reference_store(solve);
  impi_reference_move(solve);
}


const ImpiSolver impi_solver_si = {
    .name = "si",
    .default_substeps = 1,
    .default_iterations = 10,
    .reserve = impi_reference_reserve,
    .substep = si_substep,
    IMPI_REFERENCE_SOLVER,
    .scratch = sizeof(ImpiReference),
    .destroy = impi_reference_destroy,
};
