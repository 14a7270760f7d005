// Search for new pairs. A moved proxy is tested against kinematic and dynamic proxies and, if it is not static, against
// static proxies. Of two moved proxies, the one with the smaller index finds the pair. Pairs are sorted at the end, so
// the order of the searches does not matter.
#include "geometry/broadphase.h"

#include <limits.h>
#include <string.h>

// Ratio of the cost of a tree search to the cost of adding a box to the grid
#define TREE_OVER_BUILD 40
// Costs of a tree search, and of a tree rebuild per leaf, in units of the cost of testing a box
#define TREE_OVER_SCAN 250
#define BUILD_OVER_SCAN 45


// How dynamic proxies are searched. GRID and GRID_OR_TREE search the grid. If a moved proxy's box is too large for the
// grid, GRID tests this box against all boxes, and GRID_OR_TREE searches the tree.
typedef enum Way { NOWHERE, GRID, GRID_OR_TREE, TREE } Way;

// Capacity of the buffer of pairs. Their entries in the map of contacts are prefetched.
#define WAITING 16

// State of the search for some moved proxies; `own` is the current proxy.
typedef struct Search {
  ImpiHeap *heap; // null: `pairs` has a fixed capacity
  const ImpiBroadphase *bp;
  ImpiPairList *pairs; // result
  const ImpiProxy *own;
  int32_t index;
  ImpiSmallBox small; // box of the current proxy
  bool out_of_memory;
  int waiting_count;
  ImpiPair waiting[WAITING]; // buffer of pairs that overlap and may collide
} Search;


// Append the pairs of the buffer to the result, except those that have a contact.
static void take_waiting(Search *search) {
  const ImpiBroadphase *bp = search->bp;
  int count = search->waiting_count;
  search->waiting_count = 0;
  int needed = search->pairs->count + count;
  if (needed > search->pairs->capacity &&
      (search->heap == NULL || !impi_reserve(search->heap, search->pairs, needed))) {
    search->out_of_memory = true;
    return;
  }
  for (int i = 0; i < count; ++i) {
    ImpiPair pair = search->waiting[i];
    if (!impi_pair_map_has(&bp->contacts, pair.proxy_a, pair.proxy_b)) {
      search->pairs->data[search->pairs->count++] = pair;
    }
  }
}


// Return whether the search of the proxy `other` finds the pair of `other` and the current proxy.
static bool finds_us(const Search *search, int32_t other) {
  return other <= search->index && impi_bits_has(&search->bp->searched, other);
}


// Add an overlapping pair to the buffer if its proxies may collide.
static bool put_down(Search *search, int32_t other) {
  const ImpiBroadphase *bp = search->bp;
  if (!impi_proxies_meet(search->own, &bp->proxies.data[other])) {
    return true;
  }
  impi_pair_map_prefetch(&bp->contacts, search->index, other);
  search->waiting[search->waiting_count++] =
      search->index < other ? (ImpiPair){search->index, other} : (ImpiPair){other, search->index};
  if (search->waiting_count == WAITING) {
    take_waiting(search);
  }
  return !search->out_of_memory;
}


static bool meet(int32_t other, void *context) {
  Search *search = context;
  return finds_us(search, other) || put_down(search, other);
}


// Visit a pair if its fat boxes overlap in double precision.
__attribute__((always_inline)) static inline bool meet_exactly(int32_t other, void *context) {
  Search *search = context;
  return finds_us(search, other) || !impi_aabb_overlaps(search->own->fat, search->bp->proxies.data[other].fat) ||
         put_down(search, other);
}


static void scan_all(Search *search) {
  const ImpiBroadphase *bp = search->bp;
  ImpiSmallEdges probe = impi_small_probe(&search->small);
  for (int32_t i = 0; i < bp->proxies.count; ++i) {
    if (impi_small_overlaps(&bp->boxes.data[i], probe) && !meet_exactly(i, search)) {
      return;
    }
  }
}


static void look_in_tree(Search *search, ImpiProxyKind kind) {
  const ImpiTree *tree = &search->bp->trees[kind];
  const ImpiFilter *filter = &search->own->filter;
  // Proxies with the same positive group ignore masks.
  if (tree->leaf_count > 0) {
    uint64_t mask = filter->group > 0 ? IMPI_TREE_ALL : filter->mask;
    impi_tree_walk(tree, &search->own->fat, impi_small_probe(&search->small), mask, meet, search);
  }
}


// Return whether any dynamic proxy may collide with a proxy of this filter.
static bool may_meet_dynamic(const ImpiBroadphase *bp, const ImpiFilter *filter) {
  const ImpiFilter *met = &bp->met;
  return ((filter->category & met->mask) != 0 && (filter->mask & met->category) != 0) ||
         (filter->group > 0 && met->group > 0);
}


static void look_for_dynamic(Search *search, Way way) {
  const ImpiBroadphase *bp = search->bp;
  if (way == NOWHERE || !may_meet_dynamic(bp, &search->own->filter)) {
    return;
  }
  if (way == TREE) {
    look_in_tree(search, IMPI_PROXY_DYNAMIC);
    return;
  }
  if (!impi_grid_is_too_large(&bp->grid, &search->small)) {
    impi_grid_walk(&bp->grid, &search->small, meet_exactly, search);
  } else if (way == GRID) {
    scan_all(search);
  } else {
    look_in_tree(search, IMPI_PROXY_DYNAMIC);
  }
}


// Find the pairs of moved proxies [first, end). Returns `end`, or the first incomplete proxy.
static int search_part(ImpiHeap *heap, const ImpiBroadphase *bp, Way way, int first, int end, ImpiPairList *pairs) {
  Search search = {.heap = heap, .bp = bp, .pairs = pairs};
  int done = first; // the result contains all pairs of the proxies before this index
  for (int i = first; i < end && !search.out_of_memory; ++i) {
    search.index = bp->moved.data[i];
    search.own = &bp->proxies.data[search.index];
    search.small = impi_small_box(search.own->fat);
    if (search.own->kind != IMPI_PROXY_STATIC) {
      look_in_tree(&search, IMPI_PROXY_STATIC);
    }
    look_in_tree(&search, IMPI_PROXY_KINEMATIC);
    look_for_dynamic(&search, way);
    done = search.waiting_count == 0 && !search.out_of_memory ? i + 1 : done;
  }
  take_waiting(&search);
  return search.out_of_memory ? done : end;
}


// ---------------------------------------------------------------------------------------------------------------------
// Choice of the search
// ---------------------------------------------------------------------------------------------------------------------


static void sum_up_filters(ImpiBroadphase *bp) {
  bp->met_changes = 0;
  bp->met = (ImpiFilter){0};
  for (int32_t i = 0; i < bp->proxies.count; ++i) {
    const ImpiProxy *proxy = &bp->proxies.data[i];
    if (proxy->kind == IMPI_PROXY_DYNAMIC) {
      bp->met.category |= proxy->filter.category;
      bp->met.mask |= proxy->filter.mask;
      bp->met.group |= proxy->filter.group > 0;
    }
  }
}


static int count_searches(const ImpiBroadphase *bp, bool large) {
  int count = 0;
  for (int i = 0; i < bp->moved.count; ++i) {
    const ImpiProxy *proxy = &bp->proxies.data[bp->moved.data[i]];
    if (may_meet_dynamic(bp, &proxy->filter)) {
      ImpiSmallBox box = impi_small_box(proxy->fat);
      count += !large || impi_grid_is_too_large(&bp->grid, &box);
    }
  }
  return count;
}


static bool choose_way(ImpiHeap *heap, ImpiBroadphase *bp, Way *out_way) {
  if (bp->met_changes > bp->proxies.count) {
    sum_up_filters(bp);
  }
  int64_t dynamic = bp->kind_count[IMPI_PROXY_DYNAMIC], searches = count_searches(bp, false);
  if (searches == 0 || dynamic == 0) {
    *out_way = NOWHERE;
    return true;
  }
  if (searches * TREE_OVER_BUILD < dynamic) {
    impi_broadphase_follow(bp, true);
    *out_way = TREE;
    return true;
  }
  if (!impi_grid_build(heap, &bp->grid, bp->boxes.data, bp->proxies.count)) {
    return false;
  }
  int64_t large = count_searches(bp, true);
  int64_t follow = TREE_OVER_SCAN * (int64_t)bp->late[1].count, build = BUILD_OVER_SCAN * dynamic;
  bool tree = large * bp->proxies.count > TREE_OVER_SCAN * large + (follow < build ? follow : build);
  if (tree) {
    impi_broadphase_follow(bp, true);
  }
  *out_way = tree ? GRID_OR_TREE : GRID;
  return true;
}


// ---------------------------------------------------------------------------------------------------------------------
// Order
// ---------------------------------------------------------------------------------------------------------------------


static bool less(ImpiPair a, ImpiPair b) {
  return a.proxy_a != b.proxy_a ? a.proxy_a < b.proxy_a : a.proxy_b < b.proxy_b;
}


// Return byte `shift / 8` of proxy_b if `field` is 0, otherwise of proxy_a.
static uint32_t digit(ImpiPair pair, int field, int shift) {
  return ((uint32_t)(field == 0 ? pair.proxy_b : pair.proxy_a) >> shift) & 255u;
}


// Radix sort of pairs by (proxy_a, proxy_b). All proxies are below `limit`. The number of passes is even, so the result
// is in `pairs`.
static void sort_pairs(ImpiPair *pairs, ImpiPair *scratch, int count, int32_t limit) {
  if (count <= 32) {
    for (int i = 1; i < count; ++i) {
      ImpiPair pair = pairs[i];
      int k = i;
      for (; k > 0 && less(pair, pairs[k - 1]); --k) {
        pairs[k] = pairs[k - 1];
      }
      pairs[k] = pair;
    }
    return;
  }
  for (int field = 0; field < 2; ++field) {
    for (int shift = 0; shift < 32 && limit >> shift != 0; shift += 8) {
      int start[256] = {0};
      for (int i = 0; i < count; ++i) {
        start[digit(pairs[i], field, shift)]++;
      }
      int total = 0;
      for (int i = 0; i < 256; ++i) {
        int here = start[i];
        start[i] = total;
        total += here;
      }
      for (int i = 0; i < count; ++i) {
        scratch[start[digit(pairs[i], field, shift)]++] = pairs[i];
      }
      ImpiPair *swap = pairs;
      pairs = scratch;
      scratch = swap;
    }
  }
}


// Remove duplicates, because the grid may find a pair twice.
static int drop_duplicates(ImpiPair *pairs, int count) {
  int kept = 0;
  for (int i = 0; i < count; ++i) {
    if (kept == 0 || less(pairs[kept - 1], pairs[i])) {
      pairs[kept++] = pairs[i];
    }
  }
  return kept;
}


// ---------------------------------------------------------------------------------------------------------------------
// Several threads
// ---------------------------------------------------------------------------------------------------------------------


// Least number of moved proxies that are worth a thread.
#define GRAIN 64

// Each worker's part of the pairs, and its first incomplete proxy
typedef struct Parts {
  const ImpiBroadphase *bp;
  Way way;
  ImpiPairList list[IMPI_MAX_THREADS];
  int done[IMPI_MAX_THREADS];
} Parts;


static void search_range(void *context, int first, int count, int worker) {
  Parts *parts = context;
  ImpiPairList list = parts->list[worker]; // a copy, so that workers do not write to the same cache line
  parts->done[worker] = search_part(NULL, parts->bp, parts->way, first, first + count, &list);
  parts->list[worker] = list;
}


// Find the pairs of all moved proxies; a pair may occur twice. False when out of memory. If a worker's list of pairs
// is full, the remaining proxies of this worker are searched after the parallel loop.
static bool search_all(ImpiHeap *heap, ImpiBroadphase *bp, Way way, const ImpiTeam *team) {
  int count = bp->moved.count, threads = team->threads, room = bp->pairs.capacity / threads;
  if (threads < 2 || count < 2 * GRAIN) {
    return search_part(heap, bp, way, 0, count, &bp->pairs) == count;
  }
  Parts parts = {.bp = bp, .way = way};
  for (int i = 0; i < threads; ++i) {
    parts.list[i].data = bp->pairs.data + i * room;
    parts.list[i].capacity = room;
    parts.done[i] = impi_range_first(threads, count, GRAIN, i);
  }
  impi_parallel(team, count, GRAIN, search_range, &parts);
  for (int i = 0; i < threads; ++i) {
    if (parts.list[i].count > 0) {
      memmove(bp->pairs.data + bp->pairs.count, parts.list[i].data,
              (size_t)parts.list[i].count * sizeof *bp->pairs.data);
    }
    bp->pairs.count += parts.list[i].count;
  }
  bool all = true;
  for (int i = 0; i < threads; ++i) {
    int end = impi_range_first(threads, count, GRAIN, i + 1);
    all = all && search_part(heap, bp, way, parts.done[i], end, &bp->pairs) == end;
  }
  return all;
}


bool impi_broadphase_pairs(ImpiHeap *heap, ImpiBroadphase *bp, const ImpiTeam *team) {
  impi_tidy(heap, &bp->pairs, &bp->pairs_peak, 2 * bp->pairs.count);
  bp->pairs.count = 0;
  impi_broadphase_follow(bp, false);
  if (bp->moved.count == 0) {
    return true;
  }
  impi_bits_empty(&bp->searched);
  for (int i = 0; i < bp->moved.count; ++i) {
    impi_bits_set(&bp->searched, bp->moved.data[i]);
  }
  Way way;
  // The second half of the array is scratch memory of the sort.
  if (!choose_way(heap, bp, &way) || !search_all(heap, bp, way, team) || bp->pairs.count > INT_MAX / 2 ||
      !impi_reserve(heap, &bp->pairs, 2 * bp->pairs.count)) {
    bp->pairs.count = 0;
    return false;
  }
  int count = bp->pairs.count;
  if (count > 1) {
    sort_pairs(bp->pairs.data, bp->pairs.data + count, count, bp->proxies.count);
    bp->pairs.count = drop_duplicates(bp->pairs.data, count);
  }
  for (int i = 0; i < bp->moved.count; ++i) {
    bp->proxies.data[bp->moved.data[i]].moved = -1;
  }
  bp->moved.count = 0;
  return true;
}
