// Casts of a point or box along a straight path through a tree: leaves from front to back.
#ifndef IMPI_TREE_CAST_H
#define IMPI_TREE_CAST_H

#include "base/constants.h"
#include "geometry/tree.h"

// The path of a box of half extents `half`, whose centre moves from `from` by `travel`. The moving box touches a box of
// the tree when the moving centre is in that box expanded by `half`. near_start, far_start: coordinates of the moving
// box's leading and trailing edges at the start of the path, moved outwards by a small margin.
typedef struct ImpiTreeCast {
  ImpVec2 near_start, far_start;
  ImpVec2 inverse;     // 1 / travel, huge where travel is 0
  bool back_x, back_y; // travel.x < 0, travel.y < 0
} ImpiTreeCast;

// The moving box is enlarged by the tolerance of the exact tests and by this fraction of the path's coordinates. Any
// leaf that an exact test would hit is visited.
#define IMPI_CAST_PAD 1e-12

static inline double impi_cast_inverse(double travel) {
  double least = 1e-280; // smallest |travel|; 1 / travel times a coordinate is finite
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

// Return the fraction of the path at which the path enters a box; IMPI_HUGE if it is not below `limit`.
static inline double impi_tree_cast_enters(const ImpiTreeCast *cast, const ImpAabb *box, double limit) {
  double x1 = ((cast->back_x ? box->upper.x : box->lower.x) - cast->near_start.x) * cast->inverse.x;
  double y1 = ((cast->back_y ? box->upper.y : box->lower.y) - cast->near_start.y) * cast->inverse.y;
  double x2 = ((cast->back_x ? box->lower.x : box->upper.x) - cast->far_start.x) * cast->inverse.x;
  double y2 = ((cast->back_y ? box->lower.y : box->upper.y) - cast->far_start.y) * cast->inverse.y;
  double enter = impi_max(impi_max(x1, y1), 0), leave = impi_min(impi_min(x2, y2), limit);
  return enter <= leave ? enter : IMPI_HUGE;
}

// The path of an ImpiTreeCast in floats. A coordinate that decreases along the path is negated, so both components of
// the path are >= 0. Because of rounding, boxes are entered a little early and left a little late.
typedef struct ImpiTreeSweep {
  float near_start[2], far_start[2], inverse[2];
  int near_edge[2], far_edge[2]; // indices in ImpiTreeNode.edge of the edges that are entered first and left last
} ImpiTreeSweep;

// Upper bound of the relative rounding error of ImpiTreeSweep.
#define IMPI_SWEEP_PAD 0x1p-20f
// Largest inverse in floats. Its product with a coordinate is finite.
#define IMPI_SWEEP_STEEPEST 1e20

static inline ImpiTreeSweep impi_tree_sweep(const ImpiTreeCast *cast) {
  ImpiTreeSweep sweep;
  for (int axis = 0; axis < 2; ++axis) {
    bool back = axis == 0 ? cast->back_x : cast->back_y;
    double near = axis == 0 ? cast->near_start.x : cast->near_start.y;
    double far = axis == 0 ? cast->far_start.x : cast->far_start.y;
    double inverse = fabs(axis == 0 ? cast->inverse.x : cast->inverse.y);
    sweep.near_start[axis] = -impi_small_floor(back ? near : -near);
    sweep.far_start[axis] = impi_small_floor(back ? -far : far);
    sweep.inverse[axis] = (float)impi_min(inverse, IMPI_SWEEP_STEEPEST);
    sweep.near_edge[axis] = back ? axis + 2 : axis;
    sweep.far_edge[axis] = back ? axis : axis + 2;
  }
  return sweep;
}

// Return the children that are entered before `limit`, as bits. `out_enter`: fraction of the path at which each child
// is entered.
static inline uint32_t impi_tree_sweep_enters(const ImpiTreeNode *node, const ImpiTreeSweep *sweep, double limit,
                                              float *out_enter) {
  ImpiTreeHalf most = impi_tree_splat((float)limit * (1 + IMPI_SWEEP_PAD));
  ImpiTreeHits hits[2];
  for (int half = 0; half < 2; ++half) {
    ImpiTreeHalf enter = {0}, leave = most;
    for (int axis = 0; axis < 2; ++axis) {
      ImpiTreeHalf near = impi_tree_half(&node->edge[sweep->near_edge[axis]][4 * half]) - sweep->near_start[axis];
      ImpiTreeHalf far = -impi_tree_half(&node->edge[sweep->far_edge[axis]][4 * half]) - sweep->far_start[axis];
      near *= sweep->inverse[axis] * (1 - IMPI_SWEEP_PAD);
      far *= sweep->inverse[axis] * (1 + IMPI_SWEEP_PAD);
      enter = impi_tree_select((ImpiTreeHits)(near > enter), near, enter);
      leave = impi_tree_select((ImpiTreeHits)(far < leave), far, leave);
    }
    memcpy(out_enter + 4 * half, &enter, sizeof enter);
    hits[half] = (ImpiTreeHits)(enter <= leave);
  }
  return impi_tree_bits(hits[0], hits[1]) & ((1u << node->count) - 1);
}

// An entry on the stack of a walk: a node or ~leaf, and the fraction of the path at which it is entered.
typedef struct ImpiTreeAhead {
  int32_t child;
  float begin;
} ImpiTreeAhead;

// Push the children of a node that are in `hits` and in the mask, the nearest last. Returns the new height of the
// stack.
static inline int impi_tree_push(const ImpiTree *tree, const ImpiTreeNode *node, uint32_t hits, const float *begin,
                                 uint64_t mask, ImpiTreeAhead *stack, int top) {
  int base = top;
  IMP_ASSERT(top + IMPI_TREE_WIDTH <= IMPI_TREE_STACK);
  for (; hits != 0; hits &= hits - 1) {
    int slot = __builtin_ctz(hits), k = top;
    if (!impi_tree_takes(node, slot, mask)) {
      continue;
    }
    int32_t child = node->child[slot];
    if (node->height > 0) {
      impi_tree_prefetch(&tree->nodes.data[child]);
    }
    for (; k > base && stack[k - 1].begin < begin[slot]; --k) {
      stack[k] = stack[k - 1];
    }
    stack[k] = (ImpiTreeAhead){node->height > 0 ? child : ~child, begin[slot]};
    top++;
  }
  return top;
}

// Called for the leaves that are entered at or before the limit. Returns the new limit, or a negative number to stop.
typedef double (*ImpiTreeCastVisit)(int32_t user, double limit, void *context);

// Visit the leaves along a path. Returns the final limit; negative if `visit` returned a negative number.
__attribute__((always_inline)) static inline double impi_tree_cast(const ImpiTree *tree, const ImpiTreeCast *cast,
                                                                   uint64_t mask, double limit, ImpiTreeCastVisit visit,
                                                                   void *context) {
  ImpiTreeSweep sweep = impi_tree_sweep(cast);
  ImpiTreeAhead stack[IMPI_TREE_STACK];
  int top = 0;
  stack[top] = (ImpiTreeAhead){tree->root, 0};
  top += tree->root >= 0;
  while (top > 0) {
    ImpiTreeAhead at = stack[--top];
    if ((double)at.begin > limit) {
      continue;
    }
    if (at.child < 0) {
      const ImpiTreeLeaf *leaf = &tree->leaves.data[~at.child];
      if (impi_tree_cast_enters(cast, &leaf->box, limit) < IMPI_HUGE) {
        limit = visit(leaf->user, limit, context);
        if (limit < 0) {
          return limit;
        }
      }
      continue;
    }
    float begin[IMPI_TREE_WIDTH];
    const ImpiTreeNode *node = &tree->nodes.data[at.child];
    uint32_t hits = impi_tree_sweep_enters(node, &sweep, limit, begin);
    top = impi_tree_push(tree, node, hits, begin, mask, stack, top);
  }
  return limit;
}

#endif
