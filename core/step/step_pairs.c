// Finds pairs of overlapping boxes, and creates their contacts. One thread decides the order; several threads fill in
// contacts.
#include "step/step.h"
#include "world/checks.h"
#include "world/contacts.h"
#include "world/pairs.h"

// Smallest number of pairs for which another thread saves time.
#define GRAIN 64

// Prefetch distance [pairs].
#define AHEAD 8


// After an error: let the broad phase report the pairs from `first` on again in the next step.
static ImpStatus find_again(ImpiBroadphase *bp, int first, ImpStatus status) {
  for (int i = first; i < bp->pairs.count; ++i) {
    impi_broadphase_find_again(bp, bp->pairs.data[i].proxy_a);
  }
  return status;
}


// Write 0 to `pair_slots` for each pair that gets a contact, otherwise -1.
static void choose_range(void *context, int first, int count, int worker) {
  (void)worker;
  ImpWorld *world = context;
  const ImpiBroadphase *bp = &world->broadphase;
  for (int i = first; i < first + count; ++i) {
    ImpiPair pair = bp->pairs.data[i];
    bool meets = impi_world_may_touch(world, pair.proxy_a, pair.proxy_b) &&
                 !impi_pair_refused(world, bp->proxies.data[pair.proxy_a].shape, bp->proxies.data[pair.proxy_b].shape);
    world->narrow.pair_slots.data[i] = meets ? 0 : -1;
  }
}


static void fill_range(void *context, int first, int count, int worker) {
  (void)worker;
  ImpWorld *world = context;
  for (int i = first; i < first + count; ++i) {
    ImpiPair pair = world->broadphase.pairs.data[i];
    if (world->narrow.pair_slots.data[i] >= 0) {
      impi_contact_fill(world, world->narrow.pair_slots.data[i], pair.proxy_a, pair.proxy_b);
    }
  }
}


// Take slots for the new contacts. `out_count`: number of pairs before an error.
static ImpStatus take_slots(ImpWorld *world, int *out_count) {
  ImpiBroadphase *bp = &world->broadphase;
  int32_t *slots = world->narrow.pair_slots.data;
  for (int i = 0; i < bp->pairs.count; ++i) {
    if (i + AHEAD < bp->pairs.count) {
      impi_pair_map_prefetch(&bp->contacts, bp->pairs.data[i + AHEAD].proxy_a, bp->pairs.data[i + AHEAD].proxy_b);
    }
    *out_count = i;
    if (slots[i] < 0) {
      continue;
    }
    ImpStatus status = impi_check_quota(world->max_contacts, world->contact_pool.live, "contacts", "max_contacts");
    if (status == IMP_OK) {
      status = impi_world_reserve_contact(world);
    }
    if (status != IMP_OK) {
      return status;
    }
    slots[i] = impi_contact_take(world, bp->pairs.data[i].proxy_a, bp->pairs.data[i].proxy_b);
  }
  *out_count = bp->pairs.count;
  return IMP_OK;
}


static void link_all(ImpWorld *world, int count) {
  const int32_t *slots = world->narrow.pair_slots.data;
  for (int i = 0; i < count; ++i) {
    if (i + AHEAD < count && slots[i + AHEAD] >= 0) {
      __builtin_prefetch(&world->contacts.data[slots[i + AHEAD]], 1);
    }
    if (slots[i] >= 0) {
      impi_contact_link(world, slots[i]);
    }
  }
}


ImpStatus impi_update_pairs(ImpWorld *world) {
  ImpiHeap *heap = &world->heap;
  ImpiBroadphase *bp = &world->broadphase;
  if (!impi_broadphase_pairs(heap, bp, &world->team)) {
    return impi_fail(IMP_ERR_NOMEM, "out of memory");
  }
  ImpStatus filtered = impi_filter_pairs(world);
  if (filtered != IMP_OK) {
    return find_again(bp, 0, filtered);
  }
  if (!impi_reserve(heap, &world->narrow.pair_slots, bp->pairs.count)) {
    return find_again(bp, 0, impi_fail(IMP_ERR_NOMEM, "out of memory"));
  }
  // Ignore a failure, because memory may suffice for some of the contacts.
  (void)impi_reserve(heap, &world->contacts, world->contact_pool.live + bp->pairs.count);
  impi_parallel(&world->team, bp->pairs.count, GRAIN, choose_range, world);
  int count = 0;
  ImpStatus status = take_slots(world, &count);
  impi_parallel(&world->team, count, GRAIN, fill_range, world);
  link_all(world, count);
  if (status != IMP_OK) {
    return find_again(bp, count, status);
  }
  impi_mix_pairs(world);
  return IMP_OK;
}
