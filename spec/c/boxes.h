// Random boxes, an allocator that fails on demand and a check of a whole tree, for the specs of tree and broad phase.
#ifndef IMPI_BOXES_H
#define IMPI_BOXES_H

#include <stdlib.h>

#include "tree.h"

static uint64_t random_state = 0x2545f4914f6cdd1du;


// xorshift64: uniform bits for the scenes.
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


// Many small boxes, some points and flat ones, a few large ones.
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


// How many allocations succeed before all fail; -1: none ever fails.
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


static inline bool tree_is_valid(const ImpiTree *tree) {
  const ImpiTreeNode *nodes = tree->nodes.data;
  int leaves = 0, inner = 0, roots = 0, unused = 0;
  for (int32_t i = 0; i < tree->nodes.count; ++i) {
    const ImpiTreeNode *node = &nodes[i];
    if (node->height < 0) {
      continue;
    }
    roots += node->parent < 0;
    const int32_t *siblings = node->parent < 0 ? NULL : nodes[node->parent].child;
    if (siblings == NULL ? tree->root != i : (siblings[0] == i) == (siblings[1] == i)) {
      return false;
    }
    if (node->height == 0) {
      leaves++;
      continue;
    }
    inner++;
    const ImpiTreeNode *a = &nodes[node->child[0]], *b = &nodes[node->child[1]];
    if (a->parent != i || b->parent != i || node->height != 1 + (a->height > b->height ? a->height : b->height) ||
        abs(a->height - b->height) > IMPI_TREE_IMBALANCE || node->category != (a->category | b->category) ||
        !same_box(node->box, impi_aabb_union(a->box, b->box))) {
      return false;
    }
  }
  for (int32_t i = tree->free_list; i >= 0; i = nodes[i].parent) {
    unused++;
  }
  // One root and every other node the child of a node one level up: heights fall along edges, so this is one tree.
  return leaves == tree->leaf_count && inner == (leaves > 0 ? leaves - 1 : 0) && roots == (leaves > 0) &&
         (leaves > 0 || tree->root == -1) && leaves + inner + unused == tree->nodes.count;
}

#endif
