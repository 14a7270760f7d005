// Level 4. The ledger of energy: why the energy of the bodies changed in a step, in joules by cause.
//
// Each stage of a solver enters what it did, as it did it; the sum is then the change of kinetic and potential energy:
//   forces      v0 -> v* = v0 + h (g + F / m) -> v1 = v* / (1 + h d)
//               gravity m h g . (v0 + v*) / 2, applied h F . (v0 + v*) / 2, damping m (v1^2 - v*^2) / 2
//   a row       lambda u, u = (J v before any row + J v after all) / 2: over all rows that is the change of kinetic energy
//               (a kinematic body's part of J v is what that body does). Of it, -lambda b' / 2 belongs to the part b' of
//               the bias that corrects an error, the rest to the row's own cause.
//   positions   -m g . (x1 - x0): beside gravity's own work that is what the integration made of it; where positions are
//               corrected it is the correction's.
#ifndef IMPI_LEDGER_H
#define IMPI_LEDGER_H

#include "row.h"

typedef struct ImpiLedger {
  double cause[IMP_ENERGY_COUNT]; // of the step [J]
  double worst;                   // most that one row or body added in the step [J]
  ImpEnergyCause worst_cause;
  enum { IMPI_OWNER_NONE, IMPI_OWNER_JOINT, IMPI_OWNER_CONTACT, IMPI_OWNER_BODY } owner_kind;
  int32_t owner; // slot
} ImpiLedger;

// Velocities of a body went from `before` to `after` by applied forces, gravity and damping over h.
void impi_ledger_forces(ImpiLedger *ledger, int32_t slot, const ImpiBody *body, const ImpiMotion *before,
                        const ImpiMotion *after, ImpVec2 gravity, double h);
// A row did `work` in all; the bodies' velocities are those after it.
void impi_ledger_row(ImpiLedger *ledger, const ImpiRow *row, double work, const ImpiBody *bodies,
                     const ImpiMotion *motions);
// A body moved from `before` to `after`: its potential energy is the cause's.
void impi_ledger_fall(ImpiLedger *ledger, ImpEnergyCause cause, int32_t slot, const ImpiBody *body,
                      const ImpiMotion *before, const ImpiMotion *after, ImpVec2 gravity);
// Velocities of a body changed from `before` to `after` for any other cause.
void impi_ledger_jump(ImpiLedger *ledger, ImpEnergyCause cause, int32_t slot, const ImpiBody *body,
                      const ImpiMotion *before, const ImpiMotion *after);

// Joules that a body's forces did, by a solver that counted them itself.
void impi_ledger_body(ImpiLedger *ledger, ImpEnergyCause cause, int32_t slot, double joules);

#endif
