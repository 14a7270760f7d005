// The solvers by name, the stages by name, and the clock of the profile.
#define _POSIX_C_SOURCE 200809L
#include <time.h>

#include "solver.h"


const ImpiSolver *impi_solver(int kind) {
  static const ImpiSolver *const solvers[IMP_SOLVER_COUNT] = {
      [IMP_SOLVER_SOFT] = &impi_solver_soft,
      [IMP_SOLVER_SI] = &impi_solver_si,
  };
  return kind >= 0 && kind < IMP_SOLVER_COUNT ? solvers[kind] : NULL;
}


const char *imp_solver_name(int kind) {
  const ImpiSolver *solver = impi_solver(kind);
  return solver != NULL ? solver->name : NULL;
}


double impi_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}


const char *imp_stage_name(int stage) {
  static const char *const names[IMP_STAGE_COUNT] = {
      [IMP_STAGE_BROADPHASE] = "broadphase", [IMP_STAGE_NARROWPHASE] = "narrowphase",
      [IMP_STAGE_ISLANDS] = "islands",       [IMP_STAGE_PREPARE] = "prepare",
      [IMP_STAGE_SOLVE] = "solve",           [IMP_STAGE_STORE] = "store",
      [IMP_STAGE_FINALIZE] = "finalize",     [IMP_STAGE_SLEEP] = "sleep",
  };
  return stage >= 0 && stage < IMP_STAGE_COUNT ? names[stage] : NULL;
}
