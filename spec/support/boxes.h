// Random boxes, and an allocator that can fail, for the specs of the tree and the broad phase.
#ifndef IMPI_BOXES_H
#define IMPI_BOXES_H

#include <stdlib.h>

#include "geometry/tree.h"
#include "valid_tree.h"

static uint64_t random_state = 0x2545f4914f6cdd1du;


// Return the next bits of an xorshift64 generator.
static inline uint32_t random_bits(void) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return (uint32_t)(random_state >> 32);
}


static inline int random_below(int limit) { return (int)(random_bits() % (uint32_t)limit); }


static inline double random_in(double lower, double upper) {
  return lower + (upper - lower) * (random_bits() / 4294967296.0);
}


// Return a random box: most are small, some are points or flat, a few are large.
static inline ImpAabb random_box(double world) {
  int kind = random_below(100);
  double w = random_in(0.1, 1.5), h = random_in(0.1, 1.5);
  if (kind < 3) {
    w = random_in(5, 30);
  } else if (kind < 6) {
    w = 0;
    h = kind < 4 ? 0 : h;
  }
  double x = random_in(-world, world), y = random_in(-world, world);
  return (ImpAabb){{x, y}, {x + w, y + h}};
}


static inline ImpAabb shifted(ImpAabb box, double x, double y) {
  return (ImpAabb){{box.lower.x + x, box.lower.y + y}, {box.upper.x + x, box.upper.y + y}};
}


// Number of allocations that succeed before all fail; -1 if none fails.
static int allocations_left = -1;


static inline void *reallocate(void *user, void *old, size_t old_size, size_t new_size) {
  (void)user;
  (void)old_size;
  if (new_size == 0) {
    free(old);
    return NULL;
  }
  if (allocations_left == 0) {
    return NULL;
  }
  allocations_left -= allocations_left > 0;
  return realloc(old, new_size);
}


static inline ImpiHeap test_heap(void) {
  allocations_left = -1;
  return (ImpiHeap){.allocator = {reallocate, NULL}};
}


static inline bool same_box(ImpAabb a, ImpAabb b) {
  return a.lower.x == b.lower.x && a.lower.y == b.lower.y && a.upper.x == b.upper.x && a.upper.y == b.upper.y;
}

#endif
