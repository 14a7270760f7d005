// The table of solvers, and the names of solvers, row orders and stages of a step.

#include "base/constants.h"
#include "model/solver.h"


const ImpiSolver *impi_solver(int kind) {
  static const ImpiSolver *const solvers[] = {
      [IMP_SOLVER_SOFT] = &impi_solver_soft,
      [IMP_SOLVER_SI] = &impi_solver_si,
      [IMP_SOLVER_NGS] = &impi_solver_ngs,
      [IMP_SOLVER_SPLIT] = &impi_solver_split,
      [IMP_SOLVER_XPBD] = &impi_solver_xpbd,
      [IMP_SOLVER_DIRECT] = &impi_solver_direct,
      [IMP_SOLVER_ACCELERATION] = &impi_solver_acceleration,
      [IMP_SOLVER_REDUCED] = &impi_solver_reduced,
      [IMP_SOLVER_RATTLE] = &impi_solver_rattle,
  };
  IMPI_COVERS(solvers, IMP_SOLVER_COUNT);
  return kind >= 0 && kind < IMP_SOLVER_COUNT ? solvers[kind] : NULL;
}


const char *imp_solver_name(int kind) {
  const ImpiSolver *solver = impi_solver(kind);
  return solver != NULL ? solver->name : NULL;
}


const char *imp_order_name(int order) {
  static const char *const names[] = {"forward", "backward", "shuffled"};
  IMPI_COVERS(names, IMP_ORDER_COUNT);
  return order >= 0 && order < IMP_ORDER_COUNT ? names[order] : NULL;
}


const char *imp_stage_name(int stage) {
  static const char *const names[] = {
      [IMP_STAGE_BROADPHASE] = "broadphase", [IMP_STAGE_NARROWPHASE] = "narrowphase",
      [IMP_STAGE_ISLANDS] = "islands",       [IMP_STAGE_PREPARE] = "prepare",
      [IMP_STAGE_SOLVE] = "solve",           [IMP_STAGE_STORE] = "store",
      [IMP_STAGE_FINALIZE] = "finalize",     [IMP_STAGE_SLEEP] = "sleep",
  };
  IMPI_COVERS(names, IMP_STAGE_COUNT);
  return stage >= 0 && stage < IMP_STAGE_COUNT ? names[stage] : NULL;
}
