// Internals of the tree: nodes and the entries for their children.
#ifndef IMPI_TREE_NODE_H
#define IMPI_TREE_NODE_H

#include "geometry/tree.h"

// A child (a node, or a leaf) as its parent stores it: box, category and index.
typedef struct ImpiTreeEntry {
  ImpiSmallBox box;
  uint64_t category;
  int32_t child;
} ImpiTreeEntry;

static inline float impi_tree_lesser(float a, float b) { return a < b ? a : b; }

static inline void impi_tree_write(ImpiTreeNode *node, int slot, const ImpiSmallBox *box, uint64_t category) {
  for (int k = 0; k < 4; ++k) {
    node->edge[k][slot] = box->edge[k];
  }
  node->category[slot] = category;
}

// Write a child to a slot, which may be empty.
static inline void impi_tree_put(ImpiTree *tree, int32_t index, int slot, const ImpiTreeEntry *entry) {
  ImpiTreeNode *node = &tree->nodes.data[index];
  impi_tree_write(node, slot, &entry->box, entry->category);
  node->child[slot] = entry->child;
  int32_t place = IMPI_TREE_WIDTH * index + slot;
  if (node->height > 0) {
    tree->nodes.data[entry->child].place = place;
  } else {
    tree->leaves.data[entry->child].place = place;
  }
}

static inline void impi_tree_append(ImpiTree *tree, int32_t index, const ImpiTreeEntry *entry) {
  impi_tree_put(tree, index, tree->nodes.data[index].count++, entry);
}

static inline void impi_tree_clear(ImpiTreeNode *node, int slot) {
  ImpiSmallBox nothing = impi_small_nothing();
  impi_tree_write(node, slot, &nothing, 0);
  node->child[slot] = -1;
}

static inline void impi_tree_empty(ImpiTreeNode *node) {
  for (int slot = 0; slot < IMPI_TREE_WIDTH; ++slot) {
    impi_tree_clear(node, slot);
  }
  node->count = 0;
}

static inline void impi_tree_start(ImpiTreeNode *node, int32_t height) {
  impi_tree_empty(node);
  node->place = -1;
  node->height = height;
}

// impi_tree_leaf_entry: return the entry of a leaf. impi_tree_sum_up: return the entry of a node.
static inline ImpiTreeEntry impi_tree_leaf_entry(const ImpiTree *tree, int32_t index) {
  const ImpiTreeLeaf *leaf = &tree->leaves.data[index];
  return (ImpiTreeEntry){impi_small_box(leaf->box), leaf->category, index};
}
static inline ImpiTreeEntry impi_tree_sum_up(const ImpiTree *tree, int32_t index) {
  const ImpiTreeNode *node = &tree->nodes.data[index];
  ImpiTreeEntry entry = {.box = impi_small_nothing(), .child = index};
  for (int k = 0; k < 4; ++k) {
    for (int slot = 0; slot < IMPI_TREE_WIDTH; ++slot) {
      entry.box.edge[k] = impi_tree_lesser(entry.box.edge[k], node->edge[k][slot]);
    }
  }
  for (int slot = 0; slot < IMPI_TREE_WIDTH; ++slot) {
    entry.category |= node->category[slot];
  }
  return entry;
}

#endif
