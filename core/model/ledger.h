// The ledger of energy: why the energy of the bodies changed in a step, in joules by cause.
//
// Every impulse P of a substep is entered with the work  P . (v0 + v1) / 2,  v0 and v1 the velocities with which the substep
// began and ended: over all of them that is the change of kinetic energy, none depends on the order in which they acted,
// and what holds a load at rest works nothing.
//   forces      gravity m h g, applied h F, damping m (v* / (1 + h d) - v*), v* = v0 + h (g + F / m)
//   a row       lambda (J v0 + J v1) / 2, less what a kinematic body does of it. Of this -lambda b' / 2 belongs to the part
//               b' of the bias that corrects an error, the rest to the row's own cause.
//   positions   -m g . (x1 - x0) is gravity's work taken back: together they are what the integration made of it. Where
//               positions are corrected it is the correction's.
// (The work of a row in reports is another: there its speed is taken before and after the row's own impulse.)
#ifndef IMPI_LEDGER_H
#define IMPI_LEDGER_H

#include "model/row.h"

typedef enum ImpiOwnerKind { IMPI_OWNER_NONE, IMPI_OWNER_JOINT, IMPI_OWNER_CONTACT, IMPI_OWNER_BODY } ImpiOwnerKind;

typedef struct ImpiLedger {
  double cause[IMP_ENERGY_COUNT]; // of the step [J]
  double worst;                   // most that one row or body added in the step [J]
  ImpEnergyCause worst_cause;
  int owner_kind; // ImpiOwnerKind
  int32_t owner;  // slot
} ImpiLedger;

// Velocities of a body were `before` when a substep h began and are `after` at its end: what forces did.
void impi_ledger_forces(ImpiLedger *ledger, int32_t slot, const ImpiBody *body, const ImpiMotion *before,
                        const ImpiMotion *after, ImpVec2 gravity, double h);
// The substep's impulse of a row did `work`; the bodies' velocities are those of its end.
void impi_ledger_row(ImpiLedger *ledger, const ImpiRow *row, double work, const ImpiBody *bodies,
                     const ImpiMotion *motions);
// What an owner did, in short: for solvers that enter rows in another form.
void impi_ledger_enter(ImpiLedger *ledger, ImpEnergyCause cause, double joules, int owner_kind, int32_t owner);
// A body moved from `before` to `after`: its potential energy is the cause's.
void impi_ledger_fall(ImpiLedger *ledger, ImpEnergyCause cause, int32_t slot, const ImpiBody *body,
                      const ImpiMotion *before, const ImpiMotion *after, ImpVec2 gravity);
// Velocities of a body changed from `before` to `after` for any other cause.
void impi_ledger_jump(ImpiLedger *ledger, ImpEnergyCause cause, int32_t slot, const ImpiBody *body,
                      const ImpiMotion *before, const ImpiMotion *after);

// The cause that a row's work belongs to.
ImpEnergyCause impi_ledger_cause(ImpRowKind kind, bool bounces);

#endif
