#include "base/pool.h"


void impi_pool_init(ImpiPool *pool) { *pool = (ImpiPool){.free_head = -1}; }


ImpStatus impi_pool_reserve(ImpiHeap *heap, ImpiPool *pool) {
  if (pool->free_head >= 0 || pool->used < pool->slots.count) {
    return IMP_OK;
  }
  if (pool->slots.count >= IMPI_MAX_SLOTS) {
    return impi_fail(IMP_ERR_LIMIT, "a world can have at most %d objects of each kind", IMPI_MAX_SLOTS);
  }
  if (!impi_reserve(heap, &pool->slots, pool->slots.count + 1)) {
    return impi_fail(IMP_ERR_NOMEM, "out of memory");
  }
  return IMP_OK;
}


int32_t impi_pool_peek(const ImpiPool *pool) { return pool->free_head >= 0 ? pool->free_head : pool->used; }


int32_t impi_pool_take(ImpiPool *pool) {
  int32_t slot = pool->free_head;
  if (slot >= 0) {
    pool->free_head = pool->slots.data[slot].next_free;
  } else {
    slot = pool->used++;
    if (slot == pool->slots.count) {
      IMP_ASSERT(pool->slots.count < pool->slots.capacity);
      pool->slots.count++;
      pool->slots.data[slot] = (ImpiSlot){.generation = 1};
    }
  }
  ImpiSlot *s = &pool->slots.data[slot];
  s->next_free = IMPI_SLOT_LIVE;
  s->generation = s->generation > s->highest ? s->generation : s->highest + 1;
  s->highest = s->generation;
  pool->live++;
  return slot;
}


void impi_pool_mark_destroy(ImpiPool *pool, int32_t slot) {
  IMP_ASSERT(pool->slots.data[slot].next_free == IMPI_SLOT_LIVE);
  pool->slots.data[slot].next_free = IMPI_SLOT_PENDING_DESTROY;
  pool->live--;
}


void impi_pool_release(ImpiPool *pool, int32_t slot) {
  ImpiSlot *s = &pool->slots.data[slot];
  if (s->next_free == IMPI_SLOT_LIVE) {
    pool->live--;
  }
  if (s->highest >= IMPI_MAX_GENERATION) {
    s->next_free = IMPI_SLOT_PENDING_DESTROY; // retired
    return;
  }
  s->generation++;
  s->next_free = pool->free_head;
  pool->free_head = slot;
}


void impi_pool_free(ImpiHeap *heap, ImpiPool *pool) {
  impi_array_free(heap, &pool->slots);
  impi_pool_init(pool);
}


ImpStatus impi_pool_succeed(ImpiHeap *heap, ImpiPool *pool, const ImpiPool *other) {
  if (!impi_reserve(heap, &pool->slots, other->slots.count)) {
    return impi_fail(IMP_ERR_NOMEM, "out of memory");
  }
  while (pool->slots.count < other->slots.count) {
    pool->slots.data[pool->slots.count++] = (ImpiSlot){.generation = 1, .next_free = -1};
  }
  for (int32_t i = 0; i < other->slots.count; ++i) {
    ImpiSlot *s = &pool->slots.data[i];
    uint32_t highest = other->slots.data[i].highest;
    s->highest = s->highest > highest ? s->highest : highest;
    if (s->next_free == IMPI_SLOT_LIVE || s->next_free == IMPI_SLOT_PENDING_DESTROY) {
      continue;
    }
    if (s->highest >= IMPI_MAX_GENERATION) {
      return impi_fail(IMP_ERR_LIMIT,
                       "the world cannot be restored: since the snapshot was taken, %d objects were created in one "
                       "storage slot, and the slot has no unused handles left. Take a new snapshot",
                       (int)IMPI_MAX_GENERATION);
    }
  }
  return IMP_OK;
}


ImpStatus impi_pool_fail(uint64_t id, uint32_t tag, const char *kind) {
  if (id == 0) {
    return impi_fail(IMP_ERR_HANDLE, "the %s handle is null", kind);
  }
  if ((uint32_t)(id >> 48) != tag) {
    return impi_fail(IMP_ERR_WORLD, "the %s belongs to another world", kind);
  }
  return impi_fail(IMP_ERR_HANDLE, "attempt to use destroyed %s", kind);
}
