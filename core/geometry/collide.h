// Contact manifolds of two convex pieces.
#ifndef IMPI_COLLIDE_H
#define IMPI_COLLIDE_H

#include "geometry/shape.h"

// One point where two pieces touch or nearly touch, in the frame of a.
typedef struct ImpiLocalPoint {
  ImpVec2 point;     // midway between the two surfaces [m]
  double separation; // along the normal; negative is overlap [m]
  uint32_t feature;  // which features touch: stable while they do, different for the two points
} ImpiLocalPoint;

// Up to two points with a common unit normal from a to b, in the frame of a. count 0: farther apart than the margin.
typedef struct ImpiLocalManifold {
  ImpVec2 normal;
  int32_t count;
  ImpiLocalPoint points[2];
  // Of a circle: how far its centre may go and still meets the same edge or corner, 0 when that is not known [m]; and
  // whether its normal comes from a point, a corner or another's centre, and which.
  double room;
  bool from_corner;
  ImpVec2 corner;
  double clearance; // count 0 only: the surfaces are at least this far apart, 0 when that is not known [m]
} ImpiLocalManifold;

// The manifold of two pieces; `b_in_a` places b's frame in a's frame; points farther apart than `margin` [m] are left
// out. Chain links touch only from their right side and never with a normal that the neighbouring link owns. Two lines
// without radius (segment, chain) never touch each other. With count 0 only
// `clearance` is to be read.
void impi_collide(const ImpiHull *a, const ImpiHull *b, const ImpTransform *b_in_a, double margin,
                  ImpiLocalManifold *out_manifold);

// What a chain link is to whoever finds contacts otherwise. From behind: a piece with its centre there is inside the
// local solid, under the link and not outside beyond a convex corner. Owned: contacts with that unit normal, out of the
// link, are this link's or its neighbour's; with any other normal there are none.
bool impi_link_is_behind(const ImpiHull *link, ImpVec2 center);
bool impi_link_owns(const ImpiHull *link, ImpVec2 normal);

#endif
