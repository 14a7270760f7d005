// Character movers of a world: functions for the other subsystems.
#ifndef IMPI_MOVERS_H
#define IMPI_MOVERS_H

#include "world/world.h"

void impi_movers_free(ImpWorld *world);
// Remove the entries of destroyed movers, before a loop over all movers. Changes no result.
void impi_movers_close_gaps(const ImpWorld *world);
void impi_mover_forget(ImpWorld *world, int32_t body); // destroy the mover of a body that is about to be destroyed
void impi_mover_take_off(ImpiMover *mover);            // make the mover leave the ground
// Remove the mover's weight from the body below the mover, and wake the body.
void impi_mover_relieve(ImpWorld *world, ImpiMover *mover);
// Return whether the contact is between a mover and a dynamic body below it.
bool impi_mover_stands_on(const ImpWorld *world, const ImpiContact *contact);

#endif
