// Force fields of a world: which bodies they act on.
#ifndef IMPI_FIELDS_H
#define IMPI_FIELDS_H

#include "world/world.h"

void impi_fields_free(ImpWorld *world);
void impi_fields_forget(ImpWorld *world, int32_t body); // a body goes: no list of a field has it
// Make `listed` of the lists of fields, whose bodies are those of the world; false when out of memory.
bool impi_fields_list(ImpiHeap *heap, ImpWorld *world);
void impi_fields_unlist(ImpiHeap *heap, ImpWorld *world); // free it
// The next body that a field acts on, wherever that is, after one or -1; -1: it was the last.
int32_t impi_field_next_body(const ImpWorld *world, const ImpiForceField *field, int32_t body);

#endif
