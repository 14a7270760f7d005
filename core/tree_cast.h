// Level 3. A point or box that travels through a tree in a straight line: leaves from front to back.
#ifndef IMPI_TREE_CAST_H
#define IMPI_TREE_CAST_H

#include "constants.h"
#include "tree.h"

// The way of a box of half extents `half` about `from`. A box of the tree is met where the point meets it grown by
// `half`, so both are one test.
typedef struct ImpiTreeCast {
  ImpVec2 low, high; // from -+ half: what the upper and the lower bounds of a box are compared with
  ImpVec2 inverse;   // 1 / travel, huge where that is 0
} ImpiTreeCast;

// Boxes are met this much early, relative to the coordinates of the way, and by what an exact test counts as touching: no
// box hides a leaf that the test would find, so what is found does not depend on which boxes lie around it.
#define IMPI_CAST_PAD 1e-12

static inline double impi_cast_inverse(double travel) {
  double least = 1e-280; // the inverse times a coordinate is finite
  return 1 / (fabs(travel) > least ? travel : least);
}

static inline ImpiTreeCast impi_tree_cast_begin(ImpVec2 from, ImpVec2 travel, ImpVec2 half) {
  double size = fabs(from.x) + fabs(from.y) + fabs(travel.x) + fabs(travel.y) + half.x + half.y;
  double pad = 2 * IMPI_GRAZE + IMPI_CAST_PAD * size;
  ImpVec2 reach = {half.x + pad, half.y + pad};
  return (ImpiTreeCast){.low = impi_sub(from, reach),
                        .high = impi_add(from, reach),
                        .inverse = {impi_cast_inverse(travel.x), impi_cast_inverse(travel.y)}};
}

// The fraction of the way where it enters a box, or IMPI_HUGE when it does not before `limit`.
static inline double impi_tree_cast_enters(const ImpiTreeCast *cast, const ImpAabb *box, double limit) {
  double x1 = (box->lower.x - cast->high.x) * cast->inverse.x, x2 = (box->upper.x - cast->low.x) * cast->inverse.x;
  double y1 = (box->lower.y - cast->high.y) * cast->inverse.y, y2 = (box->upper.y - cast->low.y) * cast->inverse.y;
  double enter = impi_max(impi_max(impi_min(x1, x2), impi_min(y1, y2)), 0);
  double leave = impi_min(impi_min(impi_max(x1, x2), impi_max(y1, y2)), limit);
  return enter <= leave ? enter : IMPI_HUGE;
}

// Called for the leaves that are entered at or before the limit; returns the new limit, or a negative number to stop.
typedef double (*ImpiTreeCastVisit)(int32_t user, double limit, void *context);

// Returns the limit that is left, negative when a visit stopped. Always inlined, so that the visitor is inlined as well.
__attribute__((always_inline)) static inline double impi_tree_cast(const ImpiTree *tree, const ImpiTreeCast *cast,
                                                                   uint64_t mask, double limit, ImpiTreeCastVisit visit,
                                                                   void *context) {
  const ImpiTreeNode *nodes = tree->nodes.data;
  struct {
    int32_t node;
    double enter;
  } stack[IMPI_TREE_STACK];
  int top = 0;
  if (tree->root >= 0) {
    double enter = impi_tree_cast_enters(cast, &nodes[tree->root].box, limit);
    stack[0].node = tree->root;
    stack[0].enter = enter;
    top = enter < IMPI_HUGE;
  }
  while (top > 0) {
    --top;
    const ImpiTreeNode *node = &nodes[stack[top].node];
    if (stack[top].enter > limit || ((node->category & mask) == 0 && mask != IMPI_TREE_ALL)) {
      continue;
    }
    if (node->height == 0) {
      limit = visit(node->user, limit, context);
      if (limit < 0) {
        return limit;
      }
      continue;
    }
    IMP_ASSERT(top + 2 <= IMPI_TREE_STACK);
    double left = impi_tree_cast_enters(cast, &nodes[node->child[0]].box, limit);
    double right = impi_tree_cast_enters(cast, &nodes[node->child[1]].box, limit);
    int near = right < left; // the nearer child on top of the other one
    double enters[2] = {left, right};
    stack[top].node = node->child[1 - near];
    stack[top].enter = enters[1 - near];
    top += enters[1 - near] < IMPI_HUGE;
    stack[top].node = node->child[near];
    stack[top].enter = enters[near];
    top += enters[near] < IMPI_HUGE;
  }
  return limit;
}

#endif
