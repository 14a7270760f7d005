// The audit of energy around a step.
#ifndef IMPI_AUDIT_H
#define IMPI_AUDIT_H

#include "world/world.h"

void impi_audit_free(ImpWorld *world);
void impi_audit_start(ImpWorld *world);       // a new ledger from here on
ImpStatus impi_audit_before(ImpWorld *world); // around the solver of a step
void impi_audit_after(ImpWorld *world);
// Afterwards: energy that the continuous stage has changed, by a contact (-1: by none) [J].
void impi_audit_enter(ImpWorld *world, ImpEnergyCause cause, double joules, int32_t contact);

#endif
