// Touching contacts in the order of the API, listed on demand.
#ifndef IMPI_TOUCHING_H
#define IMPI_TOUCHING_H

#include "world/world.h"

// The lists of touching contacts are no longer right.
static inline void impi_touching_changed(ImpWorld *world) {
  world->touching.valid = false;
  world->touching.body = -1;
}
// Bring `touching` up to date: all touching contacts by (shape, shape, child). False when out of memory.
bool impi_world_sort_touching(ImpWorld *world);
// Sort slots of contacts by (shape, shape, piece, piece).
void impi_world_sort_contacts(const ImpWorld *world, int32_t *slots, int count);

#endif
