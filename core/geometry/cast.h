// Rays against convex pieces, and pieces that move straight against others.
#ifndef IMPI_CAST_H
#define IMPI_CAST_H

#include "geometry/shape.h"

typedef struct ImpiCast {
  double fraction; // of the travel
  ImpVec2 point;   // of the surface that is hit [m]
  ImpVec2 normal;  // of it there: unit and outward, (0, 0) for a ray that starts inside
} ImpiCast;        // in the frame of the hull that stands

// The first hit of from + fraction * travel, for fractions from 0 to max_fraction; false and nothing written for none.
// - What a ray touches it hits: it runs along a face and hits the corner where that begins, and no ray slips through
//   between two pieces that share an edge.
// - A start inside: fraction 0, normal (0, 0). A start on the surface is a hit at 0 (with the normal) for a ray that
//   goes in, and none for one that leaves or runs along: a ray may be reflected from where it hit. What a ray starts on
//   is within IMPI_GRAZE of the start.
// - Edges between the pieces of a shape are inside it: a start on one is a start inside, and no normal is theirs.
// - A segment is hit from both sides, and by a ray along it at its end; a ray that starts on it does not hit it. A
//   chain link is hit from its right side only, and not by a ray along it.
bool impi_ray_cast(const ImpiHull *hull, ImpVec2 from, ImpVec2 travel, double max_fraction, ImpiCast *out_cast);

// The first time b touches a while b moves by `travel` (in the frame of a) without turning. The normal is a's: against
// the travel. Where faces meet, the point is one of many.
// - A start that overlaps: fraction 0, and normal and point of the overlap as in impi_closest.
// - What would run into each other over less than IMPI_GRAZE across the way passes, and what touches at the start and
//   moves along or away is free: a box slides over a floor that it lies on, and fits into a shaft of its own width.
// - A chain link is solid as in contacts: for what does not start behind it, and with normals that the chain owns at its
//   corners, so that nothing catches on a joint of a flat floor.
bool impi_hull_cast(const ImpiHull *a, const ImpiHull *b, ImpTransform b_in_a, ImpVec2 travel, double max_fraction,
                    ImpiCast *out_cast);

#endif
