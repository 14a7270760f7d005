// Closest points and penetration depth of two convex pieces.
#ifndef IMPI_DISTANCE_H
#define IMPI_DISTANCE_H

#include "geometry/difference.h"

typedef struct ImpiClosest {
  ImpVec2 a, b;    // closest points of the two surfaces, including radii, in the frame of a [m]
  ImpVec2 normal;  // unit vector from a to b
  double distance; // distance between the surfaces [m]; negative where they overlap: depth along the normal
} ImpiClosest;

// Compute the closest points, exact to rounding. If the pieces overlap, moving b by -distance along the normal is the
// shortest translation that separates them, and the result is the pair of points that would touch after it, at their
// positions before it. A chain link is a line with two sides. Coincident points have the normal (0, 1).
void impi_closest(const ImpiHull *a, const ImpiHull *b, ImpTransform b_in_a, ImpiClosest *out_closest);

// Like impi_closest, for a Minkowski difference that is already computed.
void impi_difference_closest(const ImpiDifference *difference, const ImpiHull *a, const ImpiHull *b,
                             ImpiClosest *out_closest);

#endif
