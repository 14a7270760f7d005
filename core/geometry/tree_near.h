// Leaves of a tree near a point, in order of the distance of their boxes.
#ifndef IMPI_TREE_NEAR_H
#define IMPI_TREE_NEAR_H

#include "geometry/tree_cast.h"

// Return the distance of a point from a box, 0 inside.
static inline double impi_tree_distance(const ImpAabb *box, ImpVec2 p) {
  double x = impi_max(impi_max(box->lower.x - p.x, p.x - box->upper.x), 0);
  double y = impi_max(impi_max(box->lower.y - p.y, p.y - box->upper.y), 0);
  return sqrt(x * x + y * y);
}

// Return, as bits, the children of a node at most `farthest` from a point. `point`: a box of size 0. `out_squares`: for
// each child a lower bound of its squared distance from the point.
static inline uint32_t impi_tree_distances(const ImpiTreeNode *node, const ImpiSmallBox *point, double farthest,
                                           float *out_squares) {
  ImpiTreeHalf most = impi_tree_splat((float)(farthest * farthest) * (1 + IMPI_SWEEP_PAD));
  ImpiTreeHits hits[2];
  for (int half = 0; half < 2; ++half) {
    ImpiTreeHalf square = {0};
    for (int axis = 0; axis < 2; ++axis) {
      ImpiTreeHalf before = impi_tree_half(&node->edge[axis][4 * half]) + point->edge[axis + 2];
      ImpiTreeHalf beyond = impi_tree_half(&node->edge[axis + 2][4 * half]) + point->edge[axis], away = {0};
      away = impi_tree_select((ImpiTreeHits)(before > away), before, away);
      away = impi_tree_select((ImpiTreeHits)(beyond > away), beyond, away);
      square += away * away;
    }
    square *= 1 - IMPI_SWEEP_PAD;
    memcpy(out_squares + 4 * half, &square, sizeof square);
    hits[half] = (ImpiTreeHits)(square <= most);
  }
  return impi_tree_bits(hits[0], hits[1]) & ((1u << node->count) - 1);
}

// Visit the leaves whose boxes are at most `limit` + `pad` away from a point. Each visit returns the new limit, or a
// negative number to stop. Returns the final limit.
__attribute__((always_inline)) static inline double impi_tree_near(const ImpiTree *tree, ImpVec2 point, double pad,
                                                                   uint64_t mask, double limit, ImpiTreeCastVisit visit,
                                                                   void *context) {
  ImpiSmallBox small = impi_small_box((ImpAabb){point, point});
  ImpiTreeAhead stack[IMPI_TREE_STACK];
  int top = 0;
  stack[top] = (ImpiTreeAhead){tree->root, 0};
  top += tree->root >= 0;
  while (top > 0) {
    ImpiTreeAhead at = stack[--top];
    double farthest = limit + pad;
    if ((double)at.begin > farthest * farthest) {
      continue;
    }
    if (at.child < 0) {
      const ImpiTreeLeaf *leaf = &tree->leaves.data[~at.child];
      if (impi_tree_distance(&leaf->box, point) <= farthest) {
        limit = visit(leaf->user, limit, context);
        if (limit < 0) {
          return limit;
        }
      }
      continue;
    }
    float squares[IMPI_TREE_WIDTH];
    const ImpiTreeNode *node = &tree->nodes.data[at.child];
    uint32_t hits = impi_tree_distances(node, &small, farthest, squares);
    top = impi_tree_push(tree, node, hits, squares, mask, stack, top);
  }
  return limit;
}

#endif
