// Static proxies are in one tree, moving ones in another: what moved is looked up in the moving tree and, if it moves
// itself, in the static one, so that static pairs are never seen and a large static world is never touched.
#include "broadphase.h"

#include <limits.h>
#include <string.h>

#include "constants.h"


static ImpAabb fatten(ImpAabb tight, bool moving) { return moving ? impi_aabb_grow(tight, IMPI_FAT_MARGIN) : tight; }


static void mark_moved(ImpiBroadphase *bp, int32_t index) {
  ImpiProxy *proxy = &bp->proxies.data[index];
  if (proxy->moved < 0) {
    IMP_ASSERT(bp->moved.count < bp->moved.capacity);
    proxy->moved = bp->moved.count;
    bp->moved.data[bp->moved.count++] = index;
  }
}


static void unmark_moved(ImpiBroadphase *bp, int32_t index) {
  int32_t place = bp->proxies.data[index].moved;
  if (place >= 0) {
    int32_t last = bp->moved.data[--bp->moved.count];
    bp->moved.data[place] = last;
    bp->proxies.data[last].moved = place;
    bp->proxies.data[index].moved = -1;
  }
}


// One moved proxy's search.
typedef struct Search {
  ImpiHeap *heap;
  ImpiBroadphase *bp;
  int32_t index;
  bool out_of_memory;
} Search;


static bool meet(int32_t other, void *context) {
  Search *search = context;
  ImpiBroadphase *bp = search->bp;
  const ImpiProxy *a = &bp->proxies.data[search->index], *b = &bp->proxies.data[other];
  // Where both have moved, the smaller index finds the pair.
  if ((b->moved >= 0 && other <= search->index) || !impi_proxies_meet(a, b) ||
      impi_pair_map_find(&bp->contacts, search->index, other) >= 0) {
    return true;
  }
  if (!impi_reserve(search->heap, &bp->pairs, bp->pairs.count + 1)) {
    search->out_of_memory = true;
    return false;
  }
  bp->pairs.data[bp->pairs.count++] =
      search->index < other ? (ImpiPair){search->index, other} : (ImpiPair){other, search->index};
  return true;
}


static bool less(ImpiPair a, ImpiPair b) {
  return a.proxy_a != b.proxy_a ? a.proxy_a < b.proxy_a : a.proxy_b < b.proxy_b;
}


// Byte `shift / 8` of the second proxy (field 0) or the first (field 1).
static uint32_t digit(ImpiPair pair, int field, int shift) {
  return ((uint32_t)(field == 0 ? pair.proxy_b : pair.proxy_a) >> shift) & 255u;
}


// Sort by (proxy_a, proxy_b), all below `limit`; `scratch` is as long as `pairs`. Radix sort from the least significant
// byte; both fields take the same number of passes, so that the result ends up where it began.
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


void impi_broadphase_init(ImpiBroadphase *bp) {
  memset(bp, 0, sizeof *bp);
  bp->free_proxy = -1;
  impi_tree_init(&bp->trees[0]);
  impi_tree_init(&bp->trees[1]);
}


void impi_broadphase_free(ImpiHeap *heap, ImpiBroadphase *bp) {
  impi_array_free(heap, &bp->proxies);
  impi_array_free(heap, &bp->moved);
  impi_array_free(heap, &bp->pairs);
  impi_tree_free(heap, &bp->trees[0]);
  impi_tree_free(heap, &bp->trees[1]);
  impi_pair_map_free(heap, &bp->contacts);
  impi_broadphase_init(bp);
}


bool impi_broadphase_reserve(ImpiHeap *heap, ImpiBroadphase *bp, int count, bool moving) {
  if (count < 0 || count > INT_MAX / 4 - bp->proxy_count) {
    return false;
  }
  int wanted = bp->proxy_count + count;
  return impi_reserve(heap, &bp->proxies, wanted) && impi_reserve(heap, &bp->moved, wanted) &&
         impi_tree_reserve(heap, &bp->trees[moving], count);
}


int32_t impi_broadphase_add(ImpiHeap *heap, ImpiBroadphase *bp, ImpAabb tight, ImpiFilter filter, int32_t body,
                            int32_t shape, int32_t child, bool moving) {
  if (!impi_broadphase_reserve(heap, bp, 1, moving)) {
    return -1;
  }
  int32_t index = bp->free_proxy;
  if (index >= 0) {
    bp->free_proxy = bp->proxies.data[index].body;
  } else {
    index = bp->proxies.count++;
  }
  ImpAabb fat = fatten(tight, moving);
  bp->proxies.data[index] = (ImpiProxy){
      .fat = fat, .filter = filter, .body = body, .shape = shape, .child = child, .moved = -1, .moving = moving};
  bp->proxies.data[index].node = impi_tree_insert(&bp->trees[moving], fat, filter.category, index);
  bp->proxy_count++;
  bp->still_changes += !moving;
  mark_moved(bp, index);
  return index;
}


void impi_broadphase_remove(ImpiBroadphase *bp, int32_t index) {
  unmark_moved(bp, index);
  ImpiProxy *proxy = &bp->proxies.data[index];
  IMP_ASSERT(proxy->node >= 0);
  bp->still_changes += !proxy->moving;
  impi_tree_remove(&bp->trees[proxy->moving], proxy->node);
  proxy->node = -1;
  proxy->body = bp->free_proxy;
  bp->free_proxy = index;
  bp->proxy_count--;
}


void impi_broadphase_touch(ImpiBroadphase *bp, int32_t index) {
  const ImpiProxy *proxy = &bp->proxies.data[index];
  bp->still_changes += !proxy->moving;
  impi_tree_set_category(&bp->trees[proxy->moving], proxy->node, proxy->filter.category);
  mark_moved(bp, index);
}


void impi_broadphase_leave(ImpiBroadphase *bp, int32_t index, ImpAabb tight, ImpVec2 ahead) {
  ImpiProxy *proxy = &bp->proxies.data[index];
  tight = impi_aabb_union(tight, (ImpAabb){impi_add(tight.lower, ahead), impi_add(tight.upper, ahead)});
  proxy->fat = fatten(tight, proxy->moving);
  impi_tree_move(&bp->trees[proxy->moving], proxy->node, proxy->fat);
  mark_moved(bp, index);
}


bool impi_broadphase_pairs(ImpiHeap *heap, ImpiBroadphase *bp) {
  bp->pairs.count = 0;
  Search search = {.heap = heap, .bp = bp};
  for (int i = 0; i < bp->moved.count && !search.out_of_memory; ++i) {
    search.index = bp->moved.data[i];
    const ImpiProxy *proxy = &bp->proxies.data[search.index];
    // A common positive group overrules the masks.
    uint64_t mask = proxy->filter.group > 0 ? IMPI_TREE_ALL : proxy->filter.mask;
    impi_tree_walk(&bp->trees[1], proxy->fat, mask, meet, &search);
    if (proxy->moving) {
      impi_tree_walk(&bp->trees[0], proxy->fat, mask, meet, &search);
    }
  }
  // The second half of the array is the sort's scratch.
  int count = bp->pairs.count;
  if (search.out_of_memory || !impi_reserve(heap, &bp->pairs, 2 * count)) {
    bp->pairs.count = 0;
    return false;
  }
  if (count > 1) {
    sort_pairs(bp->pairs.data, bp->pairs.data + count, count, bp->proxies.count);
  }
  for (int i = 0; i < bp->moved.count; ++i) {
    bp->proxies.data[bp->moved.data[i]].moved = -1;
  }
  bp->moved.count = 0;
  return true;
}
