// Proxies and the trees of their boxes. Late proxies, whose boxes changed, are updated before a tree is used.
#include "geometry/broadphase.h"

#include <limits.h>
#include <string.h>

#include "base/constants.h"


// Bit of `late`: the proxy has left its fat box.
#define LEFT 4


static ImpAabb fatten(ImpAabb needed, ImpiProxyKind kind) {
  double longer = impi_max(needed.upper.x - needed.lower.x, needed.upper.y - needed.lower.y);
  double margin = impi_min(IMPI_FAT_PART * 0.5 * longer, IMPI_FAT_MARGIN);
  return kind != IMPI_PROXY_STATIC ? impi_aabb_grow(needed, margin) : needed;
}


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


// Add a proxy to the list of late proxies unless it is in the list.
static void mark_late(ImpiBroadphase *bp, int32_t index) {
  ImpiProxy *proxy = &bp->proxies.data[index];
  int list = proxy->kind == IMPI_PROXY_DYNAMIC;
  if ((proxy->late >> list & 1) == 0) {
    IMP_ASSERT(bp->late[list].count < bp->late[list].capacity);
    proxy->late = (uint8_t)(proxy->late | 1 << list);
    bp->late[list].data[bp->late[list].count++] = index;
  }
}


static void meet_more(ImpiBroadphase *bp, const ImpiFilter *filter) {
  bp->met.category |= filter->category;
  bp->met.mask |= filter->mask;
  bp->met.group |= filter->group > 0;
}


// Update derived data after a change of the box or the filter of a proxy.
static void changed(ImpiBroadphase *bp, int32_t index) {
  const ImpiProxy *proxy = &bp->proxies.data[index];
  if (proxy->kind == IMPI_PROXY_DYNAMIC) {
    bp->boxes.data[index] = impi_small_box(proxy->fat);
  }
  mark_late(bp, index);
  mark_moved(bp, index);
}


void impi_broadphase_init(ImpiBroadphase *bp) {
  memset(bp, 0, sizeof *bp);
  bp->free_proxy = -1;
  for (int kind = 0; kind < IMPI_PROXY_KINDS; ++kind) {
    impi_tree_init(&bp->trees[kind]);
  }
}


void impi_broadphase_free_followers(ImpiHeap *heap, ImpiBroadphase *bp) {
  impi_array_free(heap, &bp->pairs);
  for (int kind = 0; kind < IMPI_PROXY_KINDS; ++kind) {
    impi_tree_free(heap, &bp->trees[kind]);
  }
  impi_array_free(heap, &bp->late[0]);
  impi_array_free(heap, &bp->late[1]);
  impi_array_free(heap, &bp->boxes);
  impi_array_free(heap, &bp->searched);
  impi_grid_free(heap, &bp->grid);
}


void impi_broadphase_free(ImpiHeap *heap, ImpiBroadphase *bp) {
  impi_array_free(heap, &bp->proxies);
  impi_array_free(heap, &bp->moved);
  impi_pair_map_free(heap, &bp->contacts);
  impi_broadphase_free_followers(heap, bp);
  impi_broadphase_init(bp);
}


// Reserve the lists that have one element for each of the first `count` proxies.
static bool reserve_lists(ImpiHeap *heap, ImpiBroadphase *bp, int count) {
  return impi_reserve(heap, &bp->moved, count) && impi_reserve(heap, &bp->late[0], count) &&
         impi_reserve(heap, &bp->late[1], count) && impi_reserve(heap, &bp->boxes, count) &&
         impi_bits_reserve(heap, &bp->searched, count);
}


static bool reserve_tree(ImpiHeap *heap, ImpiBroadphase *bp, int count, ImpiProxyKind kind) {
  ImpiTree *tree = &bp->trees[kind];
  return impi_tree_reserve(heap, tree, bp->kind_count[kind] - tree->leaf_count + count);
}


bool impi_broadphase_reserve(ImpiHeap *heap, ImpiBroadphase *bp, int count, ImpiProxyKind kind) {
  if (count < 0 || count > INT_MAX / 4 - bp->proxy_count) {
    return false;
  }
  int wanted = bp->proxy_count + count;
  return impi_reserve(heap, &bp->proxies, wanted) && reserve_lists(heap, bp, wanted) &&
         reserve_tree(heap, bp, count, kind);
}


int32_t impi_broadphase_add(ImpiHeap *heap, ImpiBroadphase *bp, ImpAabb needed, ImpiFilter filter, int32_t body,
                            int32_t shape, int32_t child, ImpiProxyKind kind) {
  if (!impi_broadphase_reserve(heap, bp, 1, kind)) {
    return -1;
  }
  int32_t index = bp->free_proxy;
  uint8_t late = 0;
  if (index >= 0) {
    bp->free_proxy = bp->proxies.data[index].body;
    late = bp->proxies.data[index].late;
  } else {
    index = bp->proxies.count++;
  }
  bp->proxies.data[index] = (ImpiProxy){.fat = fatten(needed, kind),
                                        .filter = filter,
                                        .body = body,
                                        .shape = shape,
                                        .child = child,
                                        .leaf = -1,
                                        .moved = -1,
                                        .kind = (uint8_t)kind,
                                        .late = late};
  bp->boxes.data[index] = impi_small_nothing();
  bp->proxy_count++;
  bp->kind_count[kind]++;
  bp->still_changes += kind == IMPI_PROXY_STATIC;
  if (kind == IMPI_PROXY_DYNAMIC) {
    meet_more(bp, &filter);
  }
  changed(bp, index);
  return index;
}


void impi_broadphase_remove(ImpiBroadphase *bp, int32_t index) {
  unmark_moved(bp, index);
  ImpiProxy *proxy = &bp->proxies.data[index];
  IMP_ASSERT(proxy->kind < IMPI_PROXY_KINDS);
  bp->still_changes += proxy->kind == IMPI_PROXY_STATIC;
  bp->met_changes += proxy->kind == IMPI_PROXY_DYNAMIC;
  if (proxy->leaf >= 0) {
    impi_tree_remove(&bp->trees[proxy->kind], proxy->leaf);
  }
  bp->kind_count[proxy->kind]--;
  bp->boxes.data[index] = impi_small_nothing();
  proxy->leaf = -1;
  proxy->kind = IMPI_PROXY_FREE;
  proxy->body = bp->free_proxy;
  bp->free_proxy = index;
  bp->proxy_count--;
}


void impi_broadphase_touch(ImpiBroadphase *bp, int32_t index) {
  const ImpiProxy *proxy = &bp->proxies.data[index];
  bp->still_changes += proxy->kind == IMPI_PROXY_STATIC;
  if (proxy->kind == IMPI_PROXY_DYNAMIC) {
    bp->met_changes++;
    meet_more(bp, &proxy->filter);
  }
  changed(bp, index);
}


void impi_broadphase_find_again(ImpiBroadphase *bp, int32_t index) { mark_moved(bp, index); }


void impi_broadphase_rebox(ImpiBroadphase *bp, int32_t index, ImpAabb needed) {
  ImpiProxy *proxy = &bp->proxies.data[index];
  proxy->fat = fatten(needed, proxy->kind);
  proxy->late |= LEFT;
  if (proxy->kind == IMPI_PROXY_DYNAMIC) {
    bp->boxes.data[index] = impi_small_box(proxy->fat);
  }
}


void impi_broadphase_mark_left(ImpiBroadphase *bp, int32_t index) {
  ImpiProxy *proxy = &bp->proxies.data[index];
  if (proxy->late & LEFT) {
    proxy->late &= (uint8_t)~LEFT;
    mark_late(bp, index);
    mark_moved(bp, index);
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Trees
// ---------------------------------------------------------------------------------------------------------------------


static bool same_box(const ImpAabb *a, const ImpAabb *b) {
  return a->lower.x == b->lower.x && a->lower.y == b->lower.y && a->upper.x == b->upper.x && a->upper.y == b->upper.y;
}


// Return whether the leaf of a proxy is up to date.
static bool has_followed(const ImpiBroadphase *bp, const ImpiProxy *proxy) {
  if (proxy->leaf < 0) {
    return false;
  }
  const ImpiTreeLeaf *leaf = &bp->trees[proxy->kind].leaves.data[proxy->leaf];
  return leaf->category == proxy->filter.category && same_box(&leaf->box, &proxy->fat);
}


static void follow_one(ImpiBroadphase *bp, int32_t index) {
  ImpiProxy *proxy = &bp->proxies.data[index];
  ImpiTree *tree = &bp->trees[proxy->kind];
  if (proxy->leaf < 0) {
    proxy->leaf = impi_tree_insert(tree, proxy->fat, proxy->filter.category, index);
    return;
  }
  const ImpiTreeLeaf *leaf = &tree->leaves.data[proxy->leaf];
  if (leaf->category != proxy->filter.category) {
    impi_tree_set_category(tree, proxy->leaf, proxy->filter.category);
  }
  if (!same_box(&leaf->box, &proxy->fat)) {
    impi_tree_move(tree, proxy->leaf, proxy->fat);
  }
}


static void build_tree(ImpiBroadphase *bp, int kind) {
  ImpiTree *tree = &bp->trees[kind];
  int count = 0;
  for (int32_t i = 0; i < bp->proxies.count; ++i) {
    ImpiProxy *proxy = &bp->proxies.data[i];
    if (proxy->kind == kind) {
      proxy->leaf = count;
      tree->leaves.data[count++] = (ImpiTreeLeaf){.box = proxy->fat, .category = proxy->filter.category, .user = i};
    }
  }
  impi_tree_build(tree, count);
}


// Return whether to rebuild a tree. A rebuild costs an eighth of a move per leaf.
static bool is_better_built(const ImpiBroadphase *bp, int late, int kind) {
  return late > 16 && late > bp->kind_count[kind] / 8;
}


void impi_broadphase_catch_up(ImpiBroadphase *bp, bool dynamic) {
  for (int list = 0; list <= (int)dynamic; ++list) {
    int late[IMPI_PROXY_KINDS + 1] = {0};
    const int32_t *indices = bp->late[list].data;
    int count = bp->late[list].count;
    for (int i = 0; i < count; ++i) {
      ImpiProxy *proxy = &bp->proxies.data[indices[i]];
      proxy->late = (uint8_t)(proxy->late & ~(1 << list));
      late[proxy->kind]++;
    }
    bool built[IMPI_PROXY_KINDS + 1] = {false};
    for (int kind = 0; kind < IMPI_PROXY_KINDS; ++kind) {
      if ((kind == IMPI_PROXY_DYNAMIC) == (list == 1) && is_better_built(bp, late[kind], kind)) {
        build_tree(bp, kind);
        built[kind] = true;
      }
    }
    for (int i = 0; i < count; ++i) {
      int kind = bp->proxies.data[indices[i]].kind;
      if (kind < IMPI_PROXY_KINDS && (kind == IMPI_PROXY_DYNAMIC) == (list == 1) && !built[kind]) {
        follow_one(bp, indices[i]);
      }
    }
    bp->late[list].count = 0;
  }
}


bool impi_broadphase_restore(ImpiHeap *heap, ImpiBroadphase *bp) {
  int count = bp->proxies.count;
  if (!reserve_lists(heap, bp, count)) {
    return false;
  }
  bp->late[0].count = bp->late[1].count = 0;
  memset(bp->kind_count, 0, sizeof bp->kind_count);
  for (int kind = 0; kind < IMPI_PROXY_KINDS; ++kind) {
    impi_tree_init(&bp->trees[kind]);
  }
  bp->met = (ImpiFilter){0};
  for (int32_t i = 0; i < count; ++i) {
    ImpiProxy *proxy = &bp->proxies.data[i];
    proxy->leaf = -1;
    proxy->late = 0;
    bp->boxes.data[i] = impi_small_nothing();
    if (proxy->kind >= IMPI_PROXY_KINDS) {
      continue;
    }
    bp->kind_count[proxy->kind]++;
    mark_late(bp, i);
    if (proxy->kind == IMPI_PROXY_DYNAMIC) {
      bp->boxes.data[i] = impi_small_box(proxy->fat);
      meet_more(bp, &proxy->filter);
    }
  }
  return reserve_tree(heap, bp, 0, IMPI_PROXY_STATIC) && reserve_tree(heap, bp, 0, IMPI_PROXY_KINEMATIC) &&
         reserve_tree(heap, bp, 0, IMPI_PROXY_DYNAMIC);
}


void impi_broadphase_inherit(ImpiBroadphase *bp, ImpiBroadphase *old) {
  for (int kind = 0; kind < IMPI_PROXY_KINDS; ++kind) {
    if (!impi_tree_has_room(&old->trees[kind], bp->kind_count[kind])) {
      continue;
    }
    ImpiTree tree = old->trees[kind];
    old->trees[kind] = bp->trees[kind];
    for (int32_t leaf = 0; leaf < tree.leaves.count; ++leaf) {
      int32_t index = tree.leaves.data[leaf].user;
      if (index < 0) {
        continue;
      }
      if (index < bp->proxies.count && bp->proxies.data[index].kind == kind) {
        bp->proxies.data[index].leaf = leaf;
      } else {
        impi_tree_remove(&tree, leaf);
      }
    }
    bp->trees[kind] = tree;
  }
  bp->late[0].count = bp->late[1].count = 0;
  for (int32_t i = 0; i < bp->proxies.count; ++i) {
    ImpiProxy *proxy = &bp->proxies.data[i];
    proxy->late = 0;
    if (proxy->kind < IMPI_PROXY_KINDS && !has_followed(bp, proxy)) {
      mark_late(bp, i);
    }
  }
}
