// Sequential impulses with split impulses: positions are corrected by separate pseudo-velocities, which move bodies
// once and are then discarded.
//
//   1    velocities as si, but b contains only bounce, motors, target speeds and ∂C/∂t; it does not correct C
//   2    pseudo-velocities v_p, starting at 0, by separate sweeps over the errors of the same rows:
//          J v_p + beta / dt * C = 0   (or >= 0),   lambda_p from 0, with the sign that the row allows
//        C is the error of locks, servos and violated limits, and the overlap of contacts beyond the slop. Within the
//        slop C is 0, so that touching bodies are not pushed together
//   3    x += h (v + v_p)
// The correction is never part of v and adds no kinetic energy. The code works with displacements d = h v_p. Rows whose
// force is limited and user rows are not geometry: b corrects them, as in si. A limit acts before it is reached, J v +
// C / h >= 0.
// source: Catto, Box2D 2.4, b2_island.cpp (notes on position correction: pseudo velocities); Bullet's split impulse
#include "solvers/reference.h"


static void correct_positions(ImpiSolve *solve) {
  ImpiReference *ref = solve->scratch;
  double part = solve->settings->baumgarte * ref->h / solve->settings->dt;
  impi_reference_row_errors(solve);
  for (int i = 0; i < ref->fixes.count; ++i) {
    ref->fixes.data[i].bias = part * ref->fixes.data[i].error;
  }
  impi_reference_swap(solve);
  for (int n = 0; n < ref->iterations; ++n) {
    impi_reference_sweep_fixes(solve);
  }
  impi_reference_shift(solve);
}


static void split_substep(ImpiSolve *solve) {
  impi_reference_solve_velocities(solve);
  correct_positions(solve);
  impi_reference_move(solve);
}


const ImpiSolver impi_solver_split = {
    .name = "split",
    .default_substeps = 1,
    .default_iterations = 10,
    .reserve = impi_reference_reserve_fixes,
    .substep = split_substep,
    IMPI_REFERENCE_SOLVER,
    .scratch = sizeof(ImpiReference),
    .destroy = impi_reference_destroy,
};
