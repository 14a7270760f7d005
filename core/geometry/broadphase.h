// Broad phase: a proxy with a fat box for each piece, and the pairs of proxies that are new since the last update.
// If many proxies have moved, a grid is searched, else trees. Boxes are state; grid and trees are derived data.
#ifndef IMPI_BROADPHASE_H
#define IMPI_BROADPHASE_H

#include "base/bits.h"
#include "base/pair_map.h"
#include "base/task.h"
#include "geometry/grid.h"
#include "geometry/tree.h"

// Copy of the shape's filter. Two proxies may collide if their bodies differ, one is not static, and the filters agree.
// If two filters have the same non-zero group, they agree if the group is positive. Otherwise they agree if the
// category of each filter shares a bit with the mask of the other filter.
typedef struct ImpiFilter {
  uint64_t category, mask;
  int32_t group;
} ImpiFilter;

// Kinds of proxies; each kind has its own tree.
typedef enum ImpiProxyKind {
  IMPI_PROXY_STATIC,
  IMPI_PROXY_KINEMATIC,
  IMPI_PROXY_DYNAMIC,
  IMPI_PROXY_KINDS,
  IMPI_PROXY_FREE = IMPI_PROXY_KINDS, // not a proxy: in the free list
} ImpiProxyKind;

static inline ImpiProxyKind impi_proxy_kind(ImpBodyType type) {
  return type >= IMP_BODY_DYNAMIC     ? IMPI_PROXY_DYNAMIC
         : type == IMP_BODY_KINEMATIC ? IMPI_PROXY_KINEMATIC
                                      : IMPI_PROXY_STATIC;
}

typedef struct ImpiProxy {
  ImpAabb fat;
  ImpiFilter filter;
  int32_t body;  // slot of the body; if free, the next proxy in the free list
  int32_t shape; // slot of the shape
  int32_t child; // index of the piece
  int32_t leaf;  // leaf in trees[kind], -1: not in the tree yet
  int32_t moved; // index in the list of moved proxies, -1: not in the list
  uint8_t kind;  // an ImpiProxyKind
  uint8_t late;  // bit 0, 1: in late[0], late[1]; bit 2: has left its fat box, not marked as moved yet
} ImpiProxy;

typedef struct ImpiPair {
  int32_t proxy_a, proxy_b; // proxy_a < proxy_b
} ImpiPair;

typedef IMPI_ARRAY(ImpiPair) ImpiPairList;

typedef struct ImpiBroadphase {
  IMPI_ARRAY(ImpiProxy) proxies;
  int32_t free_proxy;  // head of the free list, -1 for none
  int32_t proxy_count; // number of proxies in use
  int32_t kind_count[IMPI_PROXY_KINDS];
  IMPI_ARRAY(int32_t) moved; // proxies that left their fat box or were created since the last update
  ImpiPairMap contacts;      // pairs that have a contact, maintained by the owner of the contacts
  uint32_t still_changes;    // number of changes to static proxies; wraps around
  ImpiPairList pairs;        // result of the last impi_broadphase_pairs
  ImpiPeak pairs_peak;
  // Derived from the members above.
  ImpiTree trees[IMPI_PROXY_KINDS]; // state at the last impi_broadphase_follow
  // proxies whose leaf in the tree is out of date: [0] static and kinematic, [1] dynamic proxies
  IMPI_ARRAY(int32_t) late[2];
  IMPI_ARRAY(ImpiSmallBox) boxes; // small boxes by proxy; boxes of proxies that are not dynamic overlap nothing
  ImpiBits searched;              // set of the moved proxies, valid during impi_broadphase_pairs
  ImpiGrid grid;                  // grid of `boxes` at the last impi_broadphase_pairs that needed a grid
  ImpiFilter met; // union of the dynamic proxies' categories and masks; group: 1 if some group is positive
  // number of filters removed since `met` was computed; `met` may still have bits of removed filters
  int32_t met_changes;
} ImpiBroadphase;

void impi_broadphase_init(ImpiBroadphase *bp);
void impi_broadphase_free(ImpiHeap *heap, ImpiBroadphase *bp);
// impi_broadphase_free_followers: free all derived members.
// impi_broadphase_restore: compute all derived members; false when out of memory.
// Not derived: the proxies, moved proxies and `contacts`.
void impi_broadphase_free_followers(ImpiHeap *heap, ImpiBroadphase *bp);
bool impi_broadphase_restore(ImpiHeap *heap, ImpiBroadphase *bp);
// Give the trees of `old`, which `bp` replaces, to `bp` if they have enough room.
void impi_broadphase_inherit(ImpiBroadphase *bp, ImpiBroadphase *old);

// Make room so that the next `count` additions of that kind cannot fail; false when out of memory.
bool impi_broadphase_reserve(ImpiHeap *heap, ImpiBroadphase *bp, int count, ImpiProxyKind kind);
// Add a proxy, mark it as moved and return its index, or -1 when out of memory.
// `needed`: box of the piece plus its margins, which the fat box encloses
int32_t impi_broadphase_add(ImpiHeap *heap, ImpiBroadphase *bp, ImpAabb needed, ImpiFilter filter, int32_t body,
                            int32_t shape, int32_t child, ImpiProxyKind kind);
// Remove a proxy. The owner of `contacts` must remove the proxy's pairs. A new proxy may get the same index.
void impi_broadphase_remove(ImpiBroadphase *bp, int32_t proxy);
// Search for a proxy's pairs in the next update. Call after changing its `filter`. To change its kind, remove and add
// it.
void impi_broadphase_touch(ImpiBroadphase *bp, int32_t proxy);
// Like impi_broadphase_touch, for a proxy whose filter has not changed but whose pairs were lost.
void impi_broadphase_find_again(ImpiBroadphase *bp, int32_t proxy);

// impi_broadphase_rebox: replace a proxy's fat box by a fat box around `needed`.
// impi_broadphase_move_alone: call impi_broadphase_rebox if `needed` is not inside the fat box, and return whether it
// was called; thread-safe for different proxies.
// impi_broadphase_mark_left: mark a proxy as moved if its fat box was replaced.
void impi_broadphase_rebox(ImpiBroadphase *bp, int32_t proxy, ImpAabb needed);
static inline bool impi_broadphase_move_alone(ImpiBroadphase *bp, int32_t proxy, ImpAabb needed) {
  bool left = !impi_aabb_contains(bp->proxies.data[proxy].fat, needed);
  if (left) {
    impi_broadphase_rebox(bp, proxy, needed);
  }
  return left;
}
void impi_broadphase_mark_left(ImpiBroadphase *bp, int32_t proxy);

// Update the trees. If `dynamic` is false, the tree of dynamic proxies is not updated. Call before a tree walk.
void impi_broadphase_catch_up(ImpiBroadphase *bp, bool dynamic);
static inline void impi_broadphase_follow(ImpiBroadphase *bp, bool dynamic) {
  if (bp->late[0].count > 0 || (dynamic && bp->late[1].count > 0)) {
    impi_broadphase_catch_up(bp, dynamic);
  }
}

// impi_filter_meets returns whether two filters agree, impi_proxies_meet whether two proxies may collide.
static inline bool impi_filter_meets(const ImpiFilter *a, const ImpiFilter *b) {
  if (a->group != 0 && a->group == b->group) {
    return a->group > 0;
  }
  return (a->category & b->mask) != 0 && (b->category & a->mask) != 0;
}
static inline bool impi_proxies_meet(const ImpiProxy *a, const ImpiProxy *b) {
  return a->body != b->body && (a->kind | b->kind) != IMPI_PROXY_STATIC && impi_filter_meets(&a->filter, &b->filter);
}

// Find all pairs of proxies that may collide, have overlapping fat boxes and are not in `contacts`. At least one proxy
// of each pair has moved. Clears the list of moved proxies, and updates the trees of static and kinematic proxies.
// bp->pairs gets each pair once, proxy_a < proxy_b, sorted by (proxy_a, proxy_b), independent of the team.
// Returns false when out of memory. In this case bp->pairs is empty and the list of moved proxies is unchanged.
bool impi_broadphase_pairs(ImpiHeap *heap, ImpiBroadphase *bp, const ImpiTeam *team);

#endif
