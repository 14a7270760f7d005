// Minkowski difference of two cores: the convex polygon of all q - p for points q of core b and p of core a.
#ifndef IMPI_DIFFERENCE_H
#define IMPI_DIFFERENCE_H

#include "geometry/shape.h"

// The polygon of all q - p in a's frame, counter-clockwise. Each edge is an edge of one core combined with one vertex
// of the other core: from corner k to corner k + 1, either a[k] or b[k] changes.
typedef struct ImpiDifference {
  int count;                       // number of corners: sum of the numbers of edges of both cores; 1 for two points
  ImpVec2 v[2 * IMP_MAX_VERTICES]; // b's vertex - a's vertex (count)
  ImpVec2 n[2 * IMP_MAX_VERTICES]; // outward unit normal of the edge v[k] -> v[k + 1] (count; unset if count is 1)
  uint8_t a[2 * IMP_MAX_VERTICES]; // index of a's vertex at each corner (count)
  uint8_t b[2 * IMP_MAX_VERTICES]; // index of b's vertex at each corner (count)
  ImpVec2 b_v[IMP_MAX_VERTICES];   // b's core in a's frame
} ImpiDifference;

void impi_difference(const ImpiHull *a, const ImpiHull *b, ImpTransform b_in_a, ImpiDifference *out_difference);

// Compute the points of the two cores (in a's frame) whose difference is the point at `place` (0..1) of `edge`.
void impi_difference_points(const ImpiDifference *difference, const ImpiHull *a, int edge, double place, ImpVec2 *out_a,
                            ImpVec2 *out_b);

#endif
