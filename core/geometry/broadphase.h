// Which pieces may touch: proxies with fat boxes, and the new overlapping pairs since the last update.
//
// What moves is looked for in a grid that is built anew when many have moved, and else in a tree, as are static and
// kinematic pieces and all that queries ask for. Boxes are state; the grid and the trees only follow them, as late as
// somebody needs them: nothing that comes out depends on when that was.
#ifndef IMPI_BROADPHASE_H
#define IMPI_BROADPHASE_H

#include "base/bits.h"
#include "base/pair_map.h"
#include "base/task.h"
#include "geometry/grid.h"
#include "geometry/tree.h"

// What a proxy needs for the pair test, so that no shape is touched: two proxies meet when they are on different
// bodies, not both static, and their filters agree (equal non-zero group decides: positive meets, negative does not;
// else category & mask both ways).
typedef struct ImpiFilter {
  uint64_t category, mask;
  int32_t group;
} ImpiFilter;

// Each kind has a tree of its own.
typedef enum ImpiProxyKind {
  IMPI_PROXY_STATIC,
  IMPI_PROXY_KINEMATIC,
  IMPI_PROXY_DYNAMIC,
  IMPI_PROXY_KINDS,
  IMPI_PROXY_FREE = IMPI_PROXY_KINDS, // none: its place is in the free list
} ImpiProxyKind;

static inline ImpiProxyKind impi_proxy_kind(ImpBodyType type) {
  return type >= IMP_BODY_DYNAMIC     ? IMPI_PROXY_DYNAMIC
         : type == IMP_BODY_KINEMATIC ? IMPI_PROXY_KINEMATIC
                                      : IMPI_PROXY_STATIC;
}

typedef struct ImpiProxy {
  ImpAabb fat;
  ImpiFilter filter;
  int32_t body;  // slot of the body; next free proxy in the free list
  int32_t shape; // slot of the shape
  int32_t child; // which piece
  int32_t leaf;  // in trees[kind], -1: not there yet
  int32_t moved; // place in the list of moved proxies, -1: not in it
  uint8_t kind;  // an ImpiProxyKind
  uint8_t late;  // bit 0, 1: it is in late[0], late[1]; bit 2: it has left its box, and nobody was told
} ImpiProxy;

typedef struct ImpiPair {
  int32_t proxy_a, proxy_b; // proxy_a < proxy_b
} ImpiPair;

typedef IMPI_ARRAY(ImpiPair) ImpiPairList;

typedef struct ImpiBroadphase {
  IMPI_ARRAY(ImpiProxy) proxies;
  int32_t free_proxy;  // head of the free list, -1 for none
  int32_t proxy_count; // proxies in use
  int32_t kind_count[IMPI_PROXY_KINDS];
  IMPI_ARRAY(int32_t) moved; // proxies that were created or left their fat box since the last update
  ImpiPairMap contacts;      // which pairs have a contact now, kept by the owner of the contacts
  uint32_t still_changes;    // counts what changed among the static proxies; wraps around
  ImpiPairList pairs;        // result of the last impi_broadphase_pairs
  ImpiPeak pairs_peak;
  // What follows the above.
  ImpiTree trees[IMPI_PROXY_KINDS]; // as of the last impi_broadphase_follow
  IMPI_ARRAY(int32_t) late[2];      // whose tree has yet to follow: [0] static and kinematic, [1] dynamic proxies
  IMPI_ARRAY(ImpiSmallBox) boxes;   // of dynamic proxies, by proxy; nothing for all others
  ImpiBits searched;                // the moved proxies, while impi_broadphase_pairs looks for their pairs
  ImpiGrid grid;                    // of these, as of the last impi_broadphase_pairs that needed it
  ImpiFilter met;                   // all that dynamic proxies have in categories and masks; group 1: one is positive
  int32_t met_changes;              // how many filters have gone since that was exact: it may say too much
} ImpiBroadphase;

void impi_broadphase_init(ImpiBroadphase *bp);
void impi_broadphase_free(ImpiHeap *heap, ImpiBroadphase *bp);
// All but the proxies, the list of moved ones and the contacts: give its memory back; make it of these, false when out of
// memory.
void impi_broadphase_free_followers(ImpiHeap *heap, ImpiBroadphase *bp);
bool impi_broadphase_restore(ImpiHeap *heap, ImpiBroadphase *bp);
// Take over the trees of one that has been restored over, where there is room: most of its boxes are where they were.
void impi_broadphase_inherit(ImpiBroadphase *bp, ImpiBroadphase *old);

// Make room so that the next `count` additions of that kind cannot fail; false when out of memory.
bool impi_broadphase_reserve(ImpiHeap *heap, ImpiBroadphase *bp, int count, ImpiProxyKind kind);
// Add a proxy for a box that others are to be found in (grown here unless static, see IMPI_FAT_PART); it counts as
// moved. -1 when out of memory.
int32_t impi_broadphase_add(ImpiHeap *heap, ImpiBroadphase *bp, ImpAabb needed, ImpiFilter filter, int32_t body,
                            int32_t shape, int32_t child, ImpiProxyKind kind);
// Remove a proxy. Its pairs in `contacts` are the owner's to remove. A later addition may get the same index.
void impi_broadphase_remove(ImpiBroadphase *bp, int32_t proxy);
// Look for this proxy's pairs at the next update although it has not moved; takes over what the owner has written into
// the proxy's `filter`. A body of another type needs its proxies removed and added again.
void impi_broadphase_touch(ImpiBroadphase *bp, int32_t proxy);
// The same of a proxy of which nothing has changed: its pairs were lost.
void impi_broadphase_find_again(ImpiBroadphase *bp, int32_t proxy);

// The piece is now to meet all that is in `needed`: if that has left the fat box, give it a new one and mark it moved.
// Cannot fail: room is reserved as proxies are added. Most pieces stay inside, so that test is inline.
// In two parts: the first touches nothing but the proxy and its box, so that several threads may move different proxies at
// once; true: it has left. The second marks it moved if it has left and nobody was told.
void impi_broadphase_rebox(ImpiBroadphase *bp, int32_t proxy, ImpAabb needed);
static inline bool impi_broadphase_move_alone(ImpiBroadphase *bp, int32_t proxy, ImpAabb needed) {
  bool left = !impi_aabb_contains(bp->proxies.data[proxy].fat, needed);
  if (left) {
    impi_broadphase_rebox(bp, proxy, needed);
  }
  return left;
}
void impi_broadphase_tell_left(ImpiBroadphase *bp, int32_t proxy);

// Bring the trees into line with the boxes: those of static and kinematic pieces, and with `dynamic` that of dynamic ones.
// To be called before trees are walked. Next to nothing where nothing has moved.
void impi_broadphase_catch_up(ImpiBroadphase *bp, bool dynamic);
static inline void impi_broadphase_follow(ImpiBroadphase *bp, bool dynamic) {
  if (bp->late[0].count > 0 || (dynamic && bp->late[1].count > 0)) {
    impi_broadphase_catch_up(bp, dynamic);
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
  return a->body != b->body && (a->kind | b->kind) != IMPI_PROXY_STATIC && impi_filter_meets(&a->filter, &b->filter);
}

// Find all pairs of moved proxies whose fat boxes overlap, that may meet and that are not in `contacts`; clears the
// list of moved proxies. Result in bp->pairs, each once, proxy_a < proxy_b, sorted by (proxy_a, proxy_b): it depends on
// the boxes only. A pair of two kinematic pieces or of a kinematic and a static one is in it. False when out of memory
// (then the moved proxies are still listed, and bp->pairs is empty). The trees of static and kinematic pieces follow. Any
// team comes to the same.
bool impi_broadphase_pairs(ImpiHeap *heap, ImpiBroadphase *bp, const ImpiTeam *team);

#endif
