// The ledger of energy: changes of the energy of the bodies in a step, by cause [J].
//
// Every impulse P of a substep is entered with the work P . (v0 + v1) / 2, where v0 and v1 are the velocities at the
// start and the end of the substep. The sum over all impulses is the change of kinetic energy.
//   forces      gravity: P = m g h. Applied force F: P = h F. Damping d: P = m (v* / (1 + h d) - v*),
//               where v* = v0 + h (g + F / m)
//   a row       lambda (J v0 + J v1) / 2. The part -lambda b' / 2 is entered as IMP_ENERGY_BIAS, where b' is the part
//               of the bias that corrects an error. The rest is entered as the cause of the row's kind. The work of
//               kinematic bodies is entered in addition, as IMP_ENERGY_KINEMATIC.
//   positions   -m g . (x1 - x0) is the work against gravity. In a correction of positions it is entered as the work of
//               the correction; else it cancels the work of gravity except for the error of the integration.
#ifndef IMPI_LEDGER_H
#define IMPI_LEDGER_H

#include "model/row.h"

typedef enum ImpiOwnerKind { IMPI_OWNER_NONE, IMPI_OWNER_JOINT, IMPI_OWNER_CONTACT, IMPI_OWNER_BODY } ImpiOwnerKind;

typedef struct ImpiLedger {
  double cause[IMP_ENERGY_COUNT]; // change of energy in the step, by ImpEnergyCause [J]
  double worst;                   // largest energy that one row or body added in the step [J]
  ImpEnergyCause worst_cause;
  int owner_kind; // ImpiOwnerKind
  int32_t owner;  // slot
} ImpiLedger;

// Enter the work of forces on a body with velocities `before` at the start of a substep h and `after` at the end.
void impi_ledger_forces(ImpiLedger *ledger, int32_t slot, const ImpiBody *body, const ImpiMotion *before,
                        const ImpiMotion *after, ImpVec2 gravity, double h);
// Enter the work of a row's impulse in the substep. `motions`: velocities at the end of the substep.
void impi_ledger_row(ImpiLedger *ledger, const ImpiRow *row, double work, const ImpiBody *bodies,
                     const ImpiMotion *motions);
// Enter the energy that one owner (a body, joint or contact) added.
void impi_ledger_enter(ImpiLedger *ledger, ImpEnergyCause cause, double joules, int owner_kind, int32_t owner);
// Add to `cause` the change of potential energy of a body from `before` to `after`.
void impi_ledger_fall(ImpiLedger *ledger, ImpEnergyCause cause, int32_t slot, const ImpiBody *body,
                      const ImpiMotion *before, const ImpiMotion *after, ImpVec2 gravity);
// Add to `cause` the change of kinetic energy of a body from `before` to `after`.
void impi_ledger_jump(ImpiLedger *ledger, ImpEnergyCause cause, int32_t slot, const ImpiBody *body,
                      const ImpiMotion *before, const ImpiMotion *after);

// Return the cause of a row's work.
ImpEnergyCause impi_ledger_cause(ImpRowKind kind, bool bounces);

#endif
