// Contact manifolds of two convex pieces.
#ifndef IMPI_COLLIDE_H
#define IMPI_COLLIDE_H

#include "geometry/shape.h"

// A contact point of two pieces, in the frame of a.
typedef struct ImpiLocalPoint {
  ImpVec2 point;     // point midway between the two surfaces [m]
  double separation; // distance of the surfaces along the normal [m]; negative: overlap
  uint32_t feature;  // identifies the two features in contact; different for the two points of a manifold
} ImpiLocalPoint;

// Up to two points with a common unit normal from a to b, in the frame of a. count 0: the distance exceeds the margin.
typedef struct ImpiLocalManifold {
  ImpVec2 normal;
  int32_t count;
  ImpiLocalPoint points[2];
  // For a circle. `room`: while the centre moves by less than this [m], the same edge or corner is closest; 0: unknown.
  // `from_corner`: the normal is the direction from the point `corner`, which is a corner of a or the centre of a
  // circle.
  double room;
  bool from_corner;
  ImpVec2 corner;
  double clearance; // count 0 only: lower bound of the distance between the surfaces, 0 when unknown [m]
} ImpiLocalManifold;

// Compute the manifold of two pieces; `b_in_a` is b's frame in a's frame. Points with a separation above `margin` [m]
// are left out. Chain links have contacts on their right side only, and never with a normal that the neighbouring link
// owns. Two lines without radius (segment, chain) never touch each other. With count 0, `clearance` is the only valid
// result.
void impi_collide(const ImpiHull *a, const ImpiHull *b, const ImpTransform *b_in_a, double margin,
                  ImpiLocalManifold *out_manifold);

// Tests of a chain link, for code that finds contacts without impi_collide. The local solid is the region under the
// link and under its neighbours at convex corners. impi_link_is_behind returns whether the centre of a piece is in the
// local solid. impi_link_owns returns whether contacts may have the unit vector `normal`, which points out of the link:
// the link's own normal, or a normal that this link or its neighbour owns.
bool impi_link_is_behind(const ImpiHull *link, ImpVec2 center);
bool impi_link_owns(const ImpiHull *link, ImpVec2 normal);

#endif
