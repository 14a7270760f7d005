// Random changes of solver and settings, and the energy balance that must hold after each change.
#ifndef IMPI_RANDOM_SOLVING_H
#define IMPI_RANDOM_SOLVING_H

#include "scene.h"

// Change the solver, the order of rows, or a setting. If `wrongly` is true, the change may turn off the accumulation of
// impulses, which makes clamping incorrect.
static inline ImpStatus change_solving(ImpWorld *world, bool wrongly) {
  static const struct {
    ImpWorldProperty property;
    bool whole;
    double lower, upper;
  } choices[] = {{IMP_WORLD_SUBSTEPS, true, 1, 7},
                 {IMP_WORLD_ITERATIONS, true, 1, 21},
                 {IMP_WORLD_POSITION_ITERATIONS, true, 0, 21},
                 {IMP_WORLD_TOLERANCE_IMPULSE, false, -1e-3, 1e-3}, // a negative value is set to 0 (off)
                 {IMP_WORLD_TOLERANCE_VELOCITY, false, -1e-3, 1e-3},
                 {IMP_WORLD_TOLERANCE_CHANGE, false, -1e-2, 1e-2},
                 {IMP_WORLD_BAUMGARTE, false, 0, 1},
                 {IMP_WORLD_SLOP, false, 0, 0.01},
                 {IMP_WORLD_PUSH_SPEED, false, 0, 5},
                 {IMP_WORLD_WARM_START, true, 0, 2},
                 {IMP_WORLD_RELAX, true, 0, 2},
                 {IMP_WORLD_GEOMETRIC_STIFFNESS, true, 0, 2},
                 {IMP_WORLD_HISTORY, true, 0, 2},
                 {IMP_WORLD_AUDITING, true, 0, 2},
                 {IMP_WORLD_AUDITING, true, 0, 2},
                 {IMP_WORLD_ACCUMULATE, true, 0, 2}};
  enum { CHOICES = sizeof choices / sizeof choices[0] };
  int what = (int)random_in(0, CHOICES + 8);
  double unit = random_in(0, 1);
  if (what < CHOICES) {
    double value = fmax(choices[what].lower + unit * (choices[what].upper - choices[what].lower), 0);
    bool wrong = choices[what].property == IMP_WORLD_ACCUMULATE && !wrongly;
    return imp_world_set(world, choices[what].property, wrong ? 1 : choices[what].whole ? floor(value) : value);
  }
  return what == CHOICES ? imp_world_set_order(world, (ImpOrder)(unit * IMP_ORDER_COUNT))
                         : imp_world_set_solver(world, (ImpSolverKind)(unit * IMP_SOLVER_COUNT));
}


// Return the relative error of the equation before + sum(cause[i]) = after of ImpAudit, or -1 if auditing is off. If
// `whole`, the audit covers all steps since auditing began; otherwise only the last step.
static inline double ledger_gap(const ImpWorld *world, bool whole) {
  ImpAudit audit;
  double on = 0;
  MUST(imp_world_get(world, IMP_WORLD_AUDITING, &on));
  if (on == 0) return -1;
  MUST(imp_world_audit(world, whole, &audit));
  double sum = audit.before - audit.after, size = fmax(fmax(fabs(audit.before), fabs(audit.after)), audit.worst);
  for (int i = 0; i < IMP_ENERGY_COUNT; ++i) {
    sum += audit.cause[i];
    size = fmax(size, fabs(audit.cause[i]));
  }
  return size > 0 ? fabs(sum) / size : fabs(sum);
}


// Check that the energy ledger of the last step is balanced, and that sweeps and residual are finite.
static inline void check_solving(ImpWorld *world) {
  double gap = ledger_gap(world, false);
  CHECK(gap <= 1e-9); // this fails for NaN too
  ImpResidual residual = imp_world_residual(world);
  CHECK(isfinite(residual.velocity) && isfinite(residual.contraction) && isfinite(residual.solved_to));
  CHECK(residual.sweeps >= 0 && residual.redundant >= 0 && residual.reason != NULL);
  int count = -1;
  const ImpSweep *sweeps = imp_world_sweeps(world, &count);
  CHECK(count >= 0 && count <= IMP_MAX_HISTORY);
  for (int i = 0; i < count; ++i) {
    CHECK(sweeps[i].substep >= 1 && sweeps[i].impulse >= 0 && sweeps[i].velocity >= 0 && sweeps[i].change >= 0);
  }
}

#endif
