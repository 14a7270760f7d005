// Time of impact of two convex pieces that translate and rotate.
#ifndef IMPI_TOI_H
#define IMPI_TOI_H

#include "geometry/distance.h"

// A motion over one unit of time at constant velocity and angular velocity.
typedef struct ImpiSweep {
  ImpVec2 local_center; // centre of mass in the body's frame [m]
  ImpVec2 c0, c1;       // centre of mass in the world at times 0 and 1 [m]
  double a0, a1;        // angle at times 0 and 1, unwrapped [rad]
} ImpiSweep;

typedef enum ImpiToiState {
  IMPI_TOI_APART,  // the surfaces are farther apart than `target` until t_max
  IMPI_TOI_HIT,    // at t the surfaces are at the distance `target`
  IMPI_TOI_OVERLAP // the surfaces are nearer than `target` at time 0
} ImpiToiState;

typedef struct ImpiToi {
  ImpiToiState state;
  double t;        // time of the hit; 0 for an overlap; t_max when apart
  double distance; // distance between the surfaces at t [m]
  ImpVec2 point;   // point midway between the surfaces at t, world [m]
  ImpVec2 normal;  // unit vector from a to b at t, world
} ImpiToi;

// Return the frame of the body's origin at time t.
ImpTransform impi_sweep_at(const ImpiSweep *sweep, double t);

// Find the first time in [0, t_max] at which the surfaces are `target` [m] apart. A negative target is a depth. Both
// sides of a chain link collide.
//
// At a hit the distance of the surfaces is between target and target + IMPI_TOI_TOLERANCE * (size of the pair). No
// earlier crossing is missed. If IMPI_TOI_ADVANCES advances do not suffice, the search returns a hit at its current
// time, which is never later than the true hit.
void impi_time_of_impact(const ImpiHull *a, const ImpiSweep *sweep_a, const ImpiHull *b, const ImpiSweep *sweep_b,
                         double target, double t_max, ImpiToi *out_toi);

// Lower bounds of two distances of pieces a and b at all times in [0, 1]. For a target of at most `surfaces` and
// t_max <= 1, impi_time_of_impact returns IMPI_TOI_APART.
typedef struct ImpiClearance {
  double surfaces; // distance between the surfaces [m]; below 0: the depth is at most -surfaces
  // distance from b's centroid to a's surface [m]
  double middle;
} ImpiClearance;

// Compute the bounds along one axis of a's frame, given both rotations at times 0 and 1.
ImpiClearance impi_clearance(const ImpiHull *a, const ImpiSweep *sweep_a, const ImpRot q_a[2], const ImpiHull *b,
                             const ImpiSweep *sweep_b, const ImpRot q_b[2]);

// Largest value of (distance at a hit - target) / (size of the pair). With a larger tolerance the search would report
// grazing hits too early.
#define IMPI_TOI_TOLERANCE 1e-12

// Largest number of advances of a search. A head-on collision needs 2 to 5 advances. If a body rotates by 1 rad, the
// search needs 5 to 15.
#define IMPI_TOI_ADVANCES 400

#endif
