// Touching contacts in the order of the API (by shapes and pieces), sorted on demand.
#ifndef IMPI_TOUCHING_H
#define IMPI_TOUCHING_H

#include "world/world.h"

// Invalidate the lists of touching contacts.
static inline void impi_touching_changed(ImpWorld *world) {
  world->touching.valid = false;
  world->touching.body = -1;
}
// Sort the list of touching contacts by (shape, shape, piece, piece) if it is invalid. False
// when out of memory.
bool impi_world_sort_touching(ImpWorld *world);
// Sort slots of contacts by (shape, shape, piece, piece).
void impi_world_sort_contacts(const ImpWorld *world, int32_t *slots, int count);

#endif
