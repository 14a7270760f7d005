// Contact manifolds of two convex pieces.
#ifndef IMPI_COLLIDE_H
#define IMPI_COLLIDE_H

#include "geometry/shape.h"

// A contact point of pieces a and b, in the frame of piece a.
typedef struct ImpiLocalPoint {
  ImpVec2 point;     // point midway between the two surfaces [m]
  double separation; // distance of the surfaces along the normal [m]; negative: overlap
  uint32_t feature;  // identifies the two features in contact; different for the two points of a manifold
} ImpiLocalPoint;

// Up to two points, unit normal from a to b, in a's frame. count 0: the distance exceeds the margin.
typedef struct ImpiLocalManifold {
  ImpVec2 normal;
  int32_t count;
  ImpiLocalPoint points[2];
  // For a circle. `room`: distance that the centre may move while the same feature stays nearest [m]; 0: unknown
  // `from_corner`: the normal points away from `corner`
  double room;
  bool from_corner;
  ImpVec2 corner;
  double clearance; // count 0 only: lower bound of the distance between the surfaces, 0 when unknown [m]
} ImpiLocalManifold;

// Compute the manifold of two pieces; `b_in_a` is b's frame in a's frame. Points beyond `margin` [m] are left out.
// Chain links have contacts on their right side only, with normals that their neighbours do not own. Lines without
// radius never touch.
// With count 0, only `clearance` is valid.
void impi_collide(const ImpiHull *a, const ImpiHull *b, const ImpTransform *b_in_a, double margin,
                  ImpiLocalManifold *out_manifold);

// impi_link_is_behind: return whether a piece's centre is below the link and below its neighbour at each convex corner.
// impi_link_owns: return whether contacts may have the unit vector `normal`, which points out of the link. It must be
// the link's normal or, at a convex corner, be between the normals of the link and the neighbour.
bool impi_link_is_behind(const ImpiHull *link, ImpVec2 center);
bool impi_link_owns(const ImpiHull *link, ImpVec2 normal);

#endif
