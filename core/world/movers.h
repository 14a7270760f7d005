// Character movers of a world, as other objects see them.
#ifndef IMPI_MOVERS_H
#define IMPI_MOVERS_H

#include "world/world.h"

void impi_movers_free(ImpWorld *world);
void impi_movers_close_gaps(const ImpWorld *world);    // before all are walked over: nobody sees where they lie
void impi_mover_forget(ImpWorld *world, int32_t body); // it goes: the mover whose body it is goes with it
void impi_mover_take_off(ImpiMover *mover);            // it stands no longer
// Takes the mover's weight from the body below it.
void impi_mover_relieve(ImpWorld *world, ImpiMover *mover);
// Whether the contact is of a mover with a dynamic body below it: the mover's weight stands for it.
bool impi_mover_stands_on(const ImpWorld *world, const ImpiContact *contact);

#endif
