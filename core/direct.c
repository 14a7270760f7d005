#include "direct.h"

#include <string.h>

// Errors below this are left [m or rad]: a thousandth of what rounding makes of a position at 1 km.
#define ENOUGH 1e-12

// A solve that leaves no more than this says that it is solved [m/s].
#define SOLVED 1e-8


void *impi_direct_create(ImpiHeap *heap) {
  ImpiDirect *direct = impi_resize(heap, NULL, 0, sizeof *direct);
  if (direct != NULL) {
    memset(direct, 0, sizeof *direct);
  }
  return direct;
}


void impi_direct_destroy(ImpiHeap *heap, void *scratch) {
  ImpiDirect *direct = scratch;
  if (direct != NULL) {
    impi_reference_free(heap, &direct->reference);
    impi_exact_free(heap, &direct->exact);
    impi_stiffness_free(heap, &direct->stiffness);
    impi_resize(heap, direct, sizeof *direct, 0);
  }
}


ImpStatus impi_direct_reserve(ImpiSolve *solve) {
  ImpiDirect *direct = solve->scratch;
  ImpStatus status = impi_reference_reserve_fixes(solve);
  if (status == IMP_OK) {
    status = impi_stiffness_reserve(solve, &direct->stiffness);
  }
  return status == IMP_OK ? impi_exact_reserve(solve, &direct->exact) : status;
}


void impi_direct_solve_rows(ImpiSolve *solve, double drop) {
  ImpiDirect *direct = solve->scratch;
  direct->exact.drop = drop;
  double left = impi_exact_solve(solve, &direct->exact, &direct->reference.rows);
  solve->report.solved_to = impi_max(solve->report.solved_to, left);
  solve->report.reason = left < SOLVED ? "solved" : "stalled";
}


void impi_direct_project(ImpiSolve *solve, double t) {
  ImpiDirect *direct = solve->scratch;
  int redundant = solve->report.redundant, sweeps = solve->report.sweeps;
  direct->exact.drop = IMPI_EXACT_CONTRADICTS;
  for (int i = 0; i < solve->settings->position_iterations; ++i) {
    if (!(impi_reference_errors(solve, t) > ENOUGH)) {
      break;
    }
    impi_reference_swap(solve);
    impi_exact_solve(solve, &direct->exact, &direct->reference.fixes);
    impi_reference_shift(solve);
  }
  solve->report.redundant = redundant; // of the velocities
  solve->report.sweeps = sweeps;
}
