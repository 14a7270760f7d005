// Time of impact of two convex pieces that move and turn.
#ifndef IMPI_TOI_H
#define IMPI_TOI_H

#include "geometry/distance.h"

// A motion over one unit of time: the centre of mass goes straight, the angle grows evenly.
typedef struct ImpiSweep {
  ImpVec2 local_center; // centre of mass in the body's frame [m]
  ImpVec2 c0, c1;       // centre of mass in the world at times 0 and 1 [m]
  double a0, a1;        // angle at times 0 and 1, unwrapped [rad]
} ImpiSweep;

typedef enum ImpiToiState {
  IMPI_TOI_APART,  // farther apart than the target until t_max
  IMPI_TOI_HIT,    // at t they are as near as the target
  IMPI_TOI_OVERLAP // they are nearer than the target at time 0 already
} ImpiToiState;

typedef struct ImpiToi {
  ImpiToiState state;
  double t;        // of the hit; 0 of an overlap; t_max when apart
  double distance; // of the surfaces at t [m]
  ImpVec2 point;   // midway between them at t, world [m]
  ImpVec2 normal;  // unit, from a to b at t, world
} ImpiToi;

// The frame of the body's origin at time t.
ImpTransform impi_sweep_at(const ImpiSweep *sweep, double t);

// The first time in [0, t_max] at which the surfaces are `target` [m] apart. A target below 0 is a depth, as in
// ImpiClosest.distance. A chain link is a line that has two sides here: which of them counts is the caller's affair.
//
// At the time of a hit the surfaces are at least `target` apart and no more than IMPI_TOI_TOLERANCE of the pair's size
// farther. No crossing before it is missed, however short and whatever the bodies turn. After IMPI_TOI_ADVANCES
// advances the search ends with a hit where it has come to: that is early, never late. It happens where surfaces graze
// each other for long, or turn by tens of radians close by each other.
void impi_time_of_impact(const ImpiHull *a, const ImpiSweep *sweep_a, const ImpiHull *b, const ImpiSweep *sweep_b,
                         double target, double t_max, ImpiToi *out_toi);

// What is known of a pair without a search, for all of [0, 1]. Both are short of the truth by what a search needs to come
// to the same: for a target that is not above `surfaces` impi_time_of_impact says IMPI_TOI_APART, whatever t_max <= 1.
typedef struct ImpiClearance {
  double surfaces; // how far apart they are at least [m]; below 0: no more than so deep
  double middle;   // how far b's centroid is at least from a's surface [m]: the radius of a circle there that is clear
} ImpiClearance;

// Along one axis of a's frame, given the rotations of both at times 0 and 1: costs about as much as a step of a search.
ImpiClearance impi_clearance(const ImpiHull *a, const ImpiSweep *sweep_a, const ImpRot q_a[2], const ImpiHull *b,
                             const ImpiSweep *sweep_b, const ImpRot q_b[2]);

// Part of the pair's size (extents and distance of the centres) by which a hit may be farther than its target. Smaller:
// it is lost in the rounding of distances. Larger: grazing hits, whose time goes with its root, come earlier.
#define IMPI_TOI_TOLERANCE 1e-12

// A head-on pair takes 2 to 5, one that turns by a radian 5 to 15.
#define IMPI_TOI_ADVANCES 400

#endif
