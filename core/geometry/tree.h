// A dynamic bounding-volume tree of boxes, eight children to a node.
#ifndef IMPI_TREE_H
#define IMPI_TREE_H

#include "base/array.h"
#include "base/small_box.h"

#define IMPI_TREE_WIDTH 8
// Least number of children of a node except the root. Two nodes with fewer children fit in one.
#define IMPI_TREE_LEAST 4

// The boxes of the children are stored by edge, for vector operations. A node has 256 bytes: the boxes fill two cache
// lines, the categories one.
typedef struct ImpiTreeNode {
  float edge[4][IMPI_TREE_WIDTH]; // as in ImpiSmallBox; an empty slot has infinite edges
  // union of the categories of the leaves below
  uint64_t category[IMPI_TREE_WIDTH];
  int32_t child[IMPI_TREE_WIDTH]; // leaves at height 0, nodes above
  int32_t place;  // IMPI_TREE_WIDTH * parent + slot, -1 at the root; for a free node: the next free node
  int32_t count;  // number of children, in the first slots
  int32_t height; // 0 above leaves, -1 when free
  int32_t unused[5];
} ImpiTreeNode;

typedef struct ImpiTreeLeaf {
  ImpAabb box;
  uint64_t category;
  int32_t user;  // the caller's number of the leaf; -1: free
  int32_t place; // IMPI_TREE_WIDTH * node + slot; for a free leaf: the next free leaf
} ImpiTreeLeaf;

typedef struct ImpiTree {
  IMPI_ARRAY(ImpiTreeLeaf) leaves;
  IMPI_ARRAY(ImpiTreeNode) nodes;
  int32_t root, free_leaf, free_node, leaf_count;
} ImpiTree;

// Size of the stack of a walk. On each level the walk pops one entry and pushes up to eight. A tree of height h has at
// least 2 * 4^h leaves. An array holds less than 2^30 leaves, so h <= 14.
#define IMPI_TREE_STACK 128

// Mask of a query that visits every leaf, also leaves of category 0.
#define IMPI_TREE_ALL UINT64_MAX

void impi_tree_init(ImpiTree *tree);
void impi_tree_free(ImpiHeap *heap, ImpiTree *tree);
// Make room for `leaves` insertions; false when out of memory.
bool impi_tree_reserve(ImpiHeap *heap, ImpiTree *tree, int leaves);
// Return whether there is room for `leaves` leaves in all.
bool impi_tree_has_room(const ImpiTree *tree, int leaves);
// Insert a leaf and return its index. Room must have been reserved.
int32_t impi_tree_insert(ImpiTree *tree, ImpAabb box, uint64_t category, int32_t user);
void impi_tree_remove(ImpiTree *tree, int32_t leaf);
// Rebuild the tree from leaves 0..count-1 of `leaves`. The leaves keep their indices. The caller must have reserved
// room for `count` leaves and set the box, category and user of each.
void impi_tree_build(ImpiTree *tree, int count);
// Change the box or the category of a leaf, which keeps its index.
void impi_tree_move(ImpiTree *tree, int32_t leaf, ImpAabb box);
void impi_tree_set_category(ImpiTree *tree, int32_t leaf, uint64_t category);

// Called for every leaf whose box overlaps the given box and whose category is in the mask; return false to stop. The
// order of the leaves depends on the history of the tree: sort results where the order matters. The visitor must not
// change the tree.
typedef bool (*ImpiTreeVisit)(int32_t user, void *context);
void impi_tree_query(const ImpiTree *tree, ImpAabb box, uint64_t mask, ImpiTreeVisit visit, void *context);


// ---------------------------------------------------------------------------------------------------------------------
// Eight children at once
// ---------------------------------------------------------------------------------------------------------------------

typedef float ImpiTreeHalf __attribute__((vector_size(16)));
typedef int32_t ImpiTreeHits __attribute__((vector_size(16)));
typedef uint64_t ImpiTreePair __attribute__((vector_size(16)));

// Load four children's edges of one kind from an unaligned address.
static inline ImpiTreeHalf impi_tree_half(const float *edges) {
  ImpiTreeHalf half;
  memcpy(&half, edges, sizeof half);
  return half;
}

static inline ImpiTreeHalf impi_tree_splat(float x) { return (ImpiTreeHalf){x, x, x, x}; }

static inline ImpiTreeHalf impi_tree_select(ImpiTreeHits which, ImpiTreeHalf a, ImpiTreeHalf b) {
  return (ImpiTreeHalf)((which & (ImpiTreeHits)a) | (~which & (ImpiTreeHits)b));
}

// Return the hits as bits: bit k for child k.
static inline uint32_t impi_tree_bits(ImpiTreeHits first, ImpiTreeHits second) {
  ImpiTreePair bits = (ImpiTreePair)((first & (ImpiTreeHits){1, 2, 4, 8}) | (second & (ImpiTreeHits){16, 32, 64, 128}));
  uint64_t both = bits[0] | bits[1];
  return (uint32_t)(both | both >> 32);
}

// Return the children that overlap the box of a probe, as bits.
static inline uint32_t impi_tree_overlaps(const ImpiTreeNode *node, ImpiSmallEdges probe) {
  ImpiTreeHits hits[2];
  for (int half = 0; half < 2; ++half) {
    const float(*edge)[IMPI_TREE_WIDTH] = node->edge;
    hits[half] = (ImpiTreeHits)(impi_tree_half(&edge[0][4 * half]) <= impi_tree_splat(probe[0])) &
                 (ImpiTreeHits)(impi_tree_half(&edge[1][4 * half]) <= impi_tree_splat(probe[1])) &
                 (ImpiTreeHits)(impi_tree_half(&edge[2][4 * half]) <= impi_tree_splat(probe[2])) &
                 (ImpiTreeHits)(impi_tree_half(&edge[3][4 * half]) <= impi_tree_splat(probe[3]));
  }
  return impi_tree_bits(hits[0], hits[1]);
}

static inline bool impi_tree_takes(const ImpiTreeNode *node, int slot, uint64_t mask) {
  return mask == IMPI_TREE_ALL || (node->category[slot] & mask) != 0;
}

static inline void impi_tree_prefetch(const ImpiTreeNode *node) {
  __builtin_prefetch(node->edge[0]);
  __builtin_prefetch(node->edge[2]);
  __builtin_prefetch(node->category);
  __builtin_prefetch(node->child);
}


// Like impi_tree_query, but inlined, so that the compiler can inline `visit` too. `probe`: impi_small_probe of the box.
__attribute__((always_inline)) static inline void impi_tree_walk(const ImpiTree *tree, const ImpAabb *box,
                                                                 ImpiSmallEdges probe, uint64_t mask,
                                                                 ImpiTreeVisit visit, void *context) {
  const ImpiTreeNode *nodes = tree->nodes.data;
  int32_t stack[IMPI_TREE_STACK];
  int top = 0;
  stack[top] = tree->root;
  top += tree->root >= 0;
  while (top > 0) {
    const ImpiTreeNode *node = &nodes[stack[--top]];
    uint32_t hits = impi_tree_overlaps(node, probe);
    IMP_ASSERT(top + IMPI_TREE_WIDTH <= IMPI_TREE_STACK);
    for (; hits != 0; hits &= hits - 1) {
      int slot = __builtin_ctz(hits);
      if (!impi_tree_takes(node, slot, mask)) {
        continue;
      }
      if (node->height > 0) {
        stack[top++] = node->child[slot];
        impi_tree_prefetch(&nodes[node->child[slot]]);
        continue;
      }
      const ImpiTreeLeaf *leaf = &tree->leaves.data[node->child[slot]];
      if (impi_aabb_overlaps(leaf->box, *box) && !visit(leaf->user, context)) {
        return;
      }
    }
  }
}

#endif
