// Level 3. Which pieces may touch: proxies with fat boxes, and the new overlapping pairs since the last update.
#ifndef IMPI_BROADPHASE_H
#define IMPI_BROADPHASE_H

#include "pair_map.h"
#include "tree.h"

// What a proxy needs for the pair test, so that no shape is touched: two proxies meet when they are on different
// bodies, not both unmoving, and their filters agree (equal non-zero group decides: positive meets, negative does not;
// else category & mask both ways).
typedef struct ImpiFilter {
  uint64_t category, mask;
  int32_t group;
} ImpiFilter;

typedef struct ImpiProxy {
  ImpAabb fat; // what is in the tree
  ImpiFilter filter;
  int32_t body;  // slot of the body; next free proxy in the free list
  int32_t shape; // slot of the shape
  int32_t child; // which piece
  int32_t node;  // in trees[moving]; -1 when the proxy is free
  int32_t moved; // place in the list of moved proxies, -1: not in it
  bool moving;   // dynamic or kinematic
} ImpiProxy;

typedef struct ImpiPair {
  int32_t proxy_a, proxy_b; // proxy_a < proxy_b
} ImpiPair;

typedef struct ImpiBroadphase {
  IMPI_ARRAY(ImpiProxy) proxies;
  int32_t free_proxy;         // head of the free list, -1 for none
  int32_t proxy_count;        // proxies in use
  ImpiTree trees[2];          // [0] static, [1] kinematic and dynamic
  IMPI_ARRAY(int32_t) moved;  // proxies that were created or left their fat box since the last update
  ImpiPairMap contacts;       // which pairs have a contact now, kept by the owner of the contacts
  uint32_t still_changes;     // counts what changed among the static proxies; wraps around
  IMPI_ARRAY(ImpiPair) pairs; // result of the last impi_broadphase_pairs
} ImpiBroadphase;

void impi_broadphase_init(ImpiBroadphase *bp);
void impi_broadphase_free(ImpiHeap *heap, ImpiBroadphase *bp);

// Make room so that the next `count` additions of that kind cannot fail; false when out of memory.
bool impi_broadphase_reserve(ImpiHeap *heap, ImpiBroadphase *bp, int count, bool moving);
// Add a proxy for a tight box (grown here by IMPI_FAT_MARGIN if moving); it counts as moved. -1 when out of memory.
int32_t impi_broadphase_add(ImpiHeap *heap, ImpiBroadphase *bp, ImpAabb tight, ImpiFilter filter, int32_t body,
                            int32_t shape, int32_t child, bool moving);
// Remove a proxy. Its pairs in `contacts` are the owner's to remove. A later addition may get the same index.
void impi_broadphase_remove(ImpiBroadphase *bp, int32_t proxy);
// Look for this proxy's pairs at the next update although it has not moved; takes over what the owner has written into
// the proxy's `filter`. A body that becomes static or stops being so needs its proxies removed and added again.
void impi_broadphase_touch(ImpiBroadphase *bp, int32_t proxy);

// The piece is now in `tight`: if that has left the fat box, re-insert it and mark it moved. Cannot fail: room in
// `moved` is reserved as proxies are added. Most pieces stay inside, so that test is inline. The new fat box reaches
// `ahead`, the way [m] that the piece is likely to go next: what moves fast leaves its box less often.
void impi_broadphase_leave(ImpiBroadphase *bp, int32_t proxy, ImpAabb tight, ImpVec2 ahead);
static inline void impi_broadphase_move(ImpiBroadphase *bp, int32_t proxy, ImpAabb tight, ImpVec2 ahead) {
  if (!impi_aabb_contains(bp->proxies.data[proxy].fat, tight)) {
    impi_broadphase_leave(bp, proxy, tight, ahead);
  }
}

// Whether two filters agree, and whether two proxies may meet.
static inline bool impi_filter_meets(const ImpiFilter *a, const ImpiFilter *b) {
  if (a->group != 0 && a->group == b->group) {
    return a->group > 0;
  }
  return (a->category & b->mask) != 0 && (b->category & a->mask) != 0;
}
static inline bool impi_proxies_meet(const ImpiProxy *a, const ImpiProxy *b) {
  return a->body != b->body && (a->moving || b->moving) && impi_filter_meets(&a->filter, &b->filter);
}

// Find all pairs of moved proxies whose fat boxes overlap, that may meet and that are not in `contacts`; clears the
// list of moved proxies. Result in bp->pairs, each once, proxy_a < proxy_b, sorted by (proxy_a, proxy_b): it depends on
// the boxes only, not on how the trees came to be. A pair of two kinematic pieces or of a kinematic and a static one is
// in it. False when out of memory (then the moved proxies are still listed, and bp->pairs is empty).
bool impi_broadphase_pairs(ImpiHeap *heap, ImpiBroadphase *bp);

#endif
