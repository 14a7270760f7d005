// A check of a complete tree of boxes.
#ifndef IMPI_VALID_TREE_H
#define IMPI_VALID_TREE_H

#include "geometry/tree.h"

// Return the number of leaves in the subtree of node `index`, or -1 if the subtree is invalid. Add the number of its
// nodes to `node_count`. `place`: expected place of the node.
static inline int valid_leaves(const ImpiTree *tree, int32_t index, int32_t place, int *node_count) {
  const ImpiTreeNode *node = &tree->nodes.data[index];
  int leaves = 0, fewest = place >= 0 ? IMPI_TREE_LEAST : node->height > 0 ? 2 : 1;
  if (node->place != place || node->height < 0 || node->count < fewest || node->count > IMPI_TREE_WIDTH) {
    return -1;
  }
  ++*node_count;
  for (int slot = 0; slot < IMPI_TREE_WIDTH; ++slot) {
    int32_t child = node->child[slot], here = IMPI_TREE_WIDTH * index + slot;
    ImpiSmallBox box = impi_small_nothing();
    uint64_t category = 0;
    if (slot >= node->count) {
    } else if (node->height == 0) {
      const ImpiTreeLeaf *leaf = &tree->leaves.data[child];
      if (leaf->place != here || leaf->user < 0) {
        return -1;
      }
      box = impi_small_box(leaf->box);
      category = leaf->category;
      leaves++;
    } else {
      const ImpiTreeNode *below = &tree->nodes.data[child];
      int count = below->height == node->height - 1 ? valid_leaves(tree, child, here, node_count) : -1;
      if (count < 0) {
        return -1;
      }
      leaves += count;
      for (int i = 0; i < IMPI_TREE_WIDTH; ++i) {
        for (int k = 0; k < 4; ++k) {
          box.edge[k] = below->edge[k][i] < box.edge[k] ? below->edge[k][i] : box.edge[k];
        }
        category |= below->category[i];
      }
    }
    for (int k = 0; k < 4; ++k) {
      if (node->edge[k][slot] != box.edge[k]) {
        return -1;
      }
    }
    if (node->category[slot] != category) {
      return -1;
    }
  }
  return leaves;
}


static inline bool tree_is_valid(const ImpiTree *tree) {
  int used = 0, leaves = tree->root >= 0 ? valid_leaves(tree, tree->root, -1, &used) : 0;
  int free_nodes = 0, free_leaves = 0;
  for (int32_t i = tree->free_node; i >= 0; i = tree->nodes.data[i].place) {
    free_nodes += tree->nodes.data[i].height == -1;
  }
  for (int32_t i = tree->free_leaf; i >= 0; i = tree->leaves.data[i].place) {
    free_leaves += tree->leaves.data[i].user == -1;
  }
  return leaves == tree->leaf_count && leaves + free_leaves == tree->leaves.count &&
         used + free_nodes == tree->nodes.count && impi_tree_has_room(tree, tree->leaf_count);
}

#endif
