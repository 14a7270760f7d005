// Ray casts against convex pieces, and linear casts of pieces against pieces.
#ifndef IMPI_CAST_H
#define IMPI_CAST_H

#include "geometry/shape.h"

typedef struct ImpiCast {
  double fraction; // fraction of the travel at the hit
  ImpVec2 point;   // point of the surface at the hit [m]
  ImpVec2 normal;  // outward unit normal of the surface at the hit; (0, 0) for a ray that starts inside
} ImpiCast;        // point and normal are in the frame of the stationary hull

// Find the first hit of from + fraction * travel, for fractions from 0 to max_fraction.
// Returns false and writes nothing without a hit.
// - Touching is a hit. No ray passes between two pieces that share an edge.
// - A ray that starts inside has fraction 0 and normal (0, 0). A ray that starts on the surface (within IMPI_GRAZE) and
//   enters has fraction 0 and the surface's normal. A ray that starts on the surface and does not enter does not hit.
// - A ray that starts on an edge between two pieces of a shape starts inside.
// - A ray hits a segment of radius 0 from both sides and at its ends, unless the ray starts on the segment.
// - A ray hits a chain link from the right side only, and not along the link.
bool impi_ray_cast(const ImpiHull *hull, ImpVec2 from, ImpVec2 travel, double max_fraction, ImpiCast *out_cast);

// Find the first time at which b touches a while b moves by `travel` (in the frame of a) without rotation. The normal
// is the outward normal of a. If two faces touch, the point is one of their common points.
// - Pieces that overlap at the start have fraction 0, with normal and point of the overlap as in impi_closest.
// - Pieces do not hit if they would overlap by less than IMPI_GRAZE perpendicular to `travel`, or if they touch but do
//   not approach each other.
// - A chain link is not hit from behind. The normal of a hit is one that impi_link_owns accepts.
bool impi_hull_cast(const ImpiHull *a, const ImpiHull *b, ImpTransform b_in_a, ImpVec2 travel, double max_fraction,
                    ImpiCast *out_cast);

#endif
