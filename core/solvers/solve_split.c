// Sequential impulses with split impulses: what corrects positions is a velocity of its own, which moves bodies
// once and is forgotten.
//
//   1    velocities as si, but b asks for no correction of C: only for bounce, motors, rates of targets and time
//   2    pseudo-velocities v_p from 0, by sweeps of their own over the errors of the same rows:
//          J v_p + beta / dt * C = 0   (or >= 0),   lambda_p from 0, within the sides of the row
//        C of locks, servos and violated limits; of contacts the overlap beyond the slop, and 0 within it: what touches
//        is not pushed together
//   3    x += h (v + v_p)
// So no correction is ever seen in v: it adds no kinetic energy. Without warm start a heap is put right more slowly than
// its velocities are solved. Work here is in displacements d = h v_p, which changes no number.
// What has a largest force, and rows that the user writes, are no geometry: b corrects them, as in si. A limit acts
// before it is reached, J v + C / h >= 0.
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
