// Force fields of a world: on which bodies a field acts.
#ifndef IMPI_FIELDS_H
#define IMPI_FIELDS_H

#include "world/world.h"

void impi_fields_free(ImpWorld *world);
void impi_fields_forget(ImpWorld *world, int32_t body); // remove a body that is about to be destroyed from all fields
// Build ImpiFieldState.listed from the lists of the fields; false when out of memory.
bool impi_fields_list(ImpiHeap *heap, ImpWorld *world);
void impi_fields_unlist(ImpiHeap *heap, ImpWorld *world); // free ImpiFieldState.listed
// Return the next body after `body` (-1: the first) that a field acts on, inside its region or not; -1: none.
int32_t impi_field_next_body(const ImpWorld *world, const ImpiForceField *field, int32_t body);

#endif
