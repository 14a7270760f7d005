// Slots and handles. A handle has 64 bits: world tag (16), generation (24), slot + 1 (24).
// A handle is valid until its object is destroyed and matches no object afterwards. A slot without
// unused generations is retired. A restore keeps the highest generations, so later handles stay invalid.
#ifndef IMPI_POOL_H
#define IMPI_POOL_H

#include "base/array.h"

#define IMPI_MAX_SLOTS 0xfffffe
#define IMPI_MAX_GENERATION 0xffffffu

typedef struct ImpiSlot {
  // generation of the object in the slot; if the slot is free, the next object gets max(generation, highest + 1)
  uint32_t generation;
  uint32_t highest;  // highest generation given out for the slot; 0: none
  int32_t next_free; // IMPI_SLOT_LIVE while the slot holds an object; -1 ends the free list
} ImpiSlot;

#define IMPI_SLOT_LIVE (-2)
#define IMPI_SLOT_PENDING_DESTROY (-3) // the slot's object is pending destroy, or the slot is retired

typedef struct ImpiPool {
  IMPI_ARRAY(ImpiSlot) slots;
  int32_t used;      // slots below this number have held an object; the other slots only store generations
  int32_t free_head; // first slot of the free list, -1: none
  int32_t live;
} ImpiPool;

void impi_pool_init(ImpiPool *pool);
// Make sure that the next impi_pool_take succeeds. Returns IMP_ERR_NOMEM or IMP_ERR_LIMIT if that is impossible.
ImpStatus impi_pool_reserve(ImpiHeap *heap, ImpiPool *pool);
// Return the slot that the next impi_pool_take will return.
int32_t impi_pool_peek(const ImpiPool *pool);
int32_t impi_pool_take(ImpiPool *pool);
// Mark a slot as pending destroy: no handle finds it, and the slot is not reused before impi_pool_release.
void impi_pool_mark_destroy(ImpiPool *pool, int32_t slot);
void impi_pool_release(ImpiPool *pool, int32_t slot);
void impi_pool_free(ImpiHeap *heap, ImpiPool *pool);
// Prepare `pool` to replace `other`: no handle of either pool is given out again.
// Returns IMP_ERR_NOMEM, or IMP_ERR_LIMIT if a free slot has no generation left.
ImpStatus impi_pool_succeed(ImpiHeap *heap, ImpiPool *pool, const ImpiPool *other);

static inline uint64_t impi_pool_id(const ImpiPool *pool, int32_t slot, uint32_t tag) {
  return (uint64_t)tag << 48 | (uint64_t)pool->slots.data[slot].generation << 24 | (uint64_t)(slot + 1);
}

// Return the live slot of a handle, or -1.
static inline int32_t impi_pool_find(const ImpiPool *pool, uint64_t id, uint32_t tag) {
  int32_t slot = (int32_t)(id & 0xffffff) - 1;
  if (slot < 0 || slot >= pool->used || (uint32_t)(id >> 48) != tag) {
    return -1;
  }
  const ImpiSlot *s = &pool->slots.data[slot];
  return s->generation == (uint32_t)(id >> 24 & IMPI_MAX_GENERATION) && s->next_free == IMPI_SLOT_LIVE ? slot : -1;
}

// Return the error of an invalid handle. `kind`: "body", "shape" or "contact"
ImpStatus impi_pool_fail(uint64_t id, uint32_t tag, const char *kind);

#endif
