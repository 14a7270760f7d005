// Level 3. A point or box that travels through a tree in a straight line: leaves from front to back.
#ifndef IMPI_TREE_CAST_H
#define IMPI_TREE_CAST_H

#include "constants.h"
#include "tree.h"

// The way of a box of half extents `half` about `from`. A box of the tree is met where the point meets it grown by
// `half`, so both are one test: of the two bounds along an axis, the one that is met first and the one that is left last,
// each less where the travelling box touches it at the start.
typedef struct ImpiTreeCast {
  ImpVec2 near_start, far_start;
  ImpVec2 inverse;     // 1 / travel, huge where that is 0
  bool back_x, back_y; // it goes towards smaller x, y
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
  ImpVec2 inverse = {impi_cast_inverse(travel.x), impi_cast_inverse(travel.y)};
  double reach_x = inverse.x < 0 ? -half.x - pad : half.x + pad, reach_y = inverse.y < 0 ? -half.y - pad : half.y + pad;
  return (ImpiTreeCast){.near_start = {from.x + reach_x, from.y + reach_y},
                        .far_start = {from.x - reach_x, from.y - reach_y},
                        .inverse = inverse,
                        .back_x = inverse.x < 0,
                        .back_y = inverse.y < 0};
}

// The fraction of the way where it enters a box, or IMPI_HUGE when it does not before `limit`.
static inline double impi_tree_cast_enters(const ImpiTreeCast *cast, const ImpAabb *box, double limit) {
  double x1 = ((cast->back_x ? box->upper.x : box->lower.x) - cast->near_start.x) * cast->inverse.x;
  double y1 = ((cast->back_y ? box->upper.y : box->lower.y) - cast->near_start.y) * cast->inverse.y;
  double x2 = ((cast->back_x ? box->lower.x : box->upper.x) - cast->far_start.x) * cast->inverse.x;
  double y2 = ((cast->back_y ? box->lower.y : box->upper.y) - cast->far_start.y) * cast->inverse.y;
  double enter = impi_max(impi_max(x1, y1), 0), leave = impi_min(impi_min(x2, y2), limit);
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
  int32_t at = tree->root;
  double enter = at >= 0 ? impi_tree_cast_enters(cast, &nodes[at].box, limit) : IMPI_HUGE;
  for (;;) {
    if (enter > limit || ((nodes[at].category & mask) == 0 && mask != IMPI_TREE_ALL)) {
      // beyond the best so far, or nothing of interest below
    } else if (nodes[at].height == 0) {
      limit = visit(nodes[at].user, limit, context);
      if (limit < 0) {
        return limit;
      }
    } else {
      IMP_ASSERT(top < IMPI_TREE_STACK);
      int32_t a = nodes[at].child[0], b = nodes[at].child[1];
      double enter_a = impi_tree_cast_enters(cast, &nodes[a].box, limit);
      double enter_b = impi_tree_cast_enters(cast, &nodes[b].box, limit);
      impi_tree_prefetch(nodes, nodes[a].child);
      impi_tree_prefetch(nodes, nodes[b].child);
      bool swap = enter_b < enter_a; // on to the nearer one, the other one later
      stack[top].node = swap ? a : b;
      stack[top].enter = swap ? enter_a : enter_b;
      top += stack[top].enter < IMPI_HUGE;
      at = swap ? b : a;
      enter = swap ? enter_b : enter_a;
      continue;
    }
    if (top == 0) {
      return limit;
    }
    --top;
    at = stack[top].node;
    enter = stack[top].enter;
  }
}

#endif
