// Level 5. As si, for now.
#include "reference.h"


static void acceleration_solve(ImpiSolve *solve) {
  ImpiReference *ref = solve->scratch;
  double clock = impi_clock();
  impi_reference_begin(solve);
  for (int substep = 0; substep < ref->substeps; ++substep) {
    impi_reference_listen(solve, substep);
    impi_reference_rows(solve);
    impi_reference_baumgarte(solve);
    impi_reference_forces(solve);
    impi_reference_warm_start(solve);
    impi_reference_sweep(solve, ref->iterations);
    impi_reference_store(solve);
    impi_reference_move(solve);
  }
  impi_reference_end(solve);
  solve->stage_time[IMP_STAGE_SOLVE] += impi_clock() - clock;
}


const ImpiSolver impi_solver_acceleration = {
    .name = "acceleration",
    .default_substeps = 1,
    .default_iterations = 10,
    .reserve = impi_reference_reserve,
    .solve = acceleration_solve,
    .read = impi_reference_read,
    .push = impi_reference_push,
    .rows = impi_reference_recorded,
    .create = impi_reference_create,
    .destroy = impi_reference_destroy,
};
