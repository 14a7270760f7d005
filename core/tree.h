// Level 3. A dynamic bounding-volume tree of boxes.
#ifndef IMPI_TREE_H
#define IMPI_TREE_H

#include "array.h"
#include "maths.h"

// 64 bytes: a walk touches one cache line or two neighbouring ones a node.
typedef struct ImpiTreeNode {
  ImpAabb box;
  uint64_t category; // union of the leaves' categories: queries skip what their mask excludes
  int32_t parent;    // -1 at the root; next free node in the free list
  int32_t child[2];  // -1 in a leaf
  int32_t height;    // 0 in a leaf, -1 when free
  int32_t user;      // leaf only
} ImpiTreeNode;

typedef struct ImpiTree {
  IMPI_ARRAY(ImpiTreeNode) nodes;
  int32_t root, free_list, leaf_count;
} ImpiTree;

// By how much the heights of siblings may differ. 1 costs 10 to 20 % more query time (5000 mixed boxes), because a
// large box then cannot stay near the root; more than 3 gains next to nothing.
#define IMPI_TREE_IMBALANCE 3

// Room on the stack of a walk, which holds h + 1 nodes at most in a tree of height h. With the imbalance above a tree
// of height h has at least L(h) = L(h - 1) + L(h - 4) leaves, L(h < 1) = 1; an array holds less than 2^30 nodes, so
// h <= 61.
#define IMPI_TREE_STACK 64

// A query with this mask takes every leaf, also one of category 0.
#define IMPI_TREE_ALL UINT64_MAX

void impi_tree_init(ImpiTree *tree);
void impi_tree_free(ImpiHeap *heap, ImpiTree *tree);
// Make room so that the next `leaves` insertions cannot fail; false when out of memory.
bool impi_tree_reserve(ImpiHeap *heap, ImpiTree *tree, int leaves);
// Insert a leaf and return its node. Room must have been reserved.
int32_t impi_tree_insert(ImpiTree *tree, ImpAabb box, uint64_t category, int32_t user);
void impi_tree_remove(ImpiTree *tree, int32_t node);
// Throw away what is there and build from `count` leaves, which are the first nodes: their boxes, categories and users.
// They end up in another order. Room must have been reserved. Ten times as fast as to insert them one by one.
void impi_tree_build(ImpiTree *tree, int count);
// Give a leaf another box or category (the node keeps its index).
void impi_tree_move(ImpiTree *tree, int32_t node, ImpAabb box);
void impi_tree_set_category(ImpiTree *tree, int32_t node, uint64_t category);

// Called for every leaf whose box overlaps and whose category meets the mask; return false to stop. The order of the
// leaves depends on how the tree came to be: sort what must not. The tree must not change meanwhile.
typedef bool (*ImpiTreeVisit)(int32_t user, void *context);
void impi_tree_query(const ImpiTree *tree, ImpAabb box, uint64_t mask, ImpiTreeVisit visit, void *context);


// 1 if a query for this box and mask should look at the node. One expression without jumps: which of the comparisons
// fails cannot be predicted.
static inline int impi_tree_hits(const ImpiTreeNode *node, const ImpAabb *box, uint64_t mask) {
  return (node->box.lower.x <= box->upper.x) & (box->lower.x <= node->box.upper.x) &
         (node->box.lower.y <= box->upper.y) & (box->lower.y <= node->box.upper.y) &
         (((node->category & mask) != 0) | (mask == IMPI_TREE_ALL));
}


// A walk waits for memory more than it computes: having the grandchildren fetched while the children are tested takes a
// sixth off. In whole numbers, because a leaf's child -1 must not become a pointer.
static inline void impi_tree_prefetch(const ImpiTreeNode *nodes, const int32_t child[2]) {
  __builtin_prefetch((const void *)((uintptr_t)nodes + (uintptr_t)(intptr_t)child[0] * sizeof *nodes));
  __builtin_prefetch((const void *)((uintptr_t)nodes + (uintptr_t)(intptr_t)child[1] * sizeof *nodes));
}


// impi_tree_query for hot loops: always inlined, so that a visitor known at compile time is inlined as well.
__attribute__((always_inline)) static inline void impi_tree_walk(const ImpiTree *tree, ImpAabb box, uint64_t mask,
                                                                 ImpiTreeVisit visit, void *context) {
  const ImpiTreeNode *nodes = tree->nodes.data;
  int32_t stack[IMPI_TREE_STACK];
  int top = 0;
  if (tree->root >= 0) {
    stack[0] = tree->root;
    top = impi_tree_hits(&nodes[tree->root], &box, mask);
  }
  while (top > 0) {
    const ImpiTreeNode *node = &nodes[stack[--top]];
    if (node->height > 0) {
      IMP_ASSERT(top + 2 <= IMPI_TREE_STACK);
      const ImpiTreeNode *left = &nodes[node->child[0]], *right = &nodes[node->child[1]];
      stack[top] = node->child[1];
      top += impi_tree_hits(right, &box, mask);
      stack[top] = node->child[0];
      top += impi_tree_hits(left, &box, mask);
      impi_tree_prefetch(nodes, left->child);
      impi_tree_prefetch(nodes, right->child);
    } else if (!visit(node->user, context)) {
      return;
    }
  }
}

#endif
