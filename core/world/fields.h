// Force fields of a world: on which bodies a field acts.
#ifndef IMPI_FIELDS_H
#define IMPI_FIELDS_H

#include "world/world.h"

void impi_fields_free(ImpWorld *world);
void impi_fields_forget(ImpWorld *world, int32_t body); // remove a body from all fields before it is destroyed
// Build ImpiFieldState.listed from the lists of the fields; false when out of memory.
bool impi_fields_list(ImpiHeap *heap, ImpWorld *world);
void impi_fields_unlist(ImpiHeap *heap, ImpWorld *world); // free ImpiFieldState.listed
// Iterate over the bodies that a field acts on when they are inside its region. `body`: slot of the previous body, or
// -1 to start. Returns the slot of the next body, or -1 at the end.
int32_t impi_field_next_body(const ImpWorld *world, const ImpiForceField *field, int32_t body);

#endif
