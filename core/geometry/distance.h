// The closest points of two convex pieces, and how deep they overlap.
#ifndef IMPI_DISTANCE_H
#define IMPI_DISTANCE_H

#include "geometry/difference.h"

typedef struct ImpiClosest {
  ImpVec2 a, b;    // closest points of the two surfaces, radii counted, in the frame of a [m]
  ImpVec2 normal;  // unit, from a to b
  double distance; // between the surfaces [m]; negative where they overlap: how deep along the normal
} ImpiClosest;

// Exact to rounding, in n + m steps. Where the pieces overlap, moving b by -distance along the normal is the shortest
// way that parts them, and a and b are the points that touch then, as they lie now. Chain links are plain lines with two
// sides; so two lines that cross overlap. Where many points are equally close (parallel edges) one pair of them is given;
// two points in one place have the normal (0, 1).
void impi_closest(const ImpiHull *a, const ImpiHull *b, ImpTransform b_in_a, ImpiClosest *out_closest);

// The same of a difference that is there already.
void impi_difference_closest(const ImpiDifference *difference, const ImpiHull *a, const ImpiHull *b,
                             ImpiClosest *out_closest);

#endif
