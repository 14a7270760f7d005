// The energy audit of a step.
#ifndef IMPI_AUDIT_H
#define IMPI_AUDIT_H

#include "world/world.h"

void impi_audit_free(ImpWorld *world);
void impi_audit_start(ImpWorld *world);       // start a new ledger
ImpStatus impi_audit_before(ImpWorld *world); // called before the solver of a step
void impi_audit_after(ImpWorld *world);
// Add a change of energy [J] in the continuous stage to the audit. `contact`: contact that caused the change, or -1.
void impi_audit_enter(ImpWorld *world, ImpEnergyCause cause, double joules, int32_t contact);

#endif
