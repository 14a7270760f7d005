// Coordinates: scalar functions of two bodies' poses, with rate, Jacobian and second derivative.
#ifndef IMPI_COORDINATE_H
#define IMPI_COORDINATE_H

#include "model/body.h"

// Anchors, axis and constants from which the coordinates of one joint are computed.
typedef struct ImpiJointFrames {
  ImpVec2 local_a, local_b;   // anchors in each body's frame [m]
  ImpRot axis;                // direction of x in A's frame
  double reference;           // relative angle at angle coordinate 0 [rad]
  double ratio;               // ratio of a pulley, or of a sum of coordinates
  ImpVec2 ground_a, ground_b; // fixed points of a pulley in the world [m]
} ImpiJointFrames;

// A coordinate at one moment. J is (vx_a, vy_a, w_a, vx_b, vy_b, w_b) about the centres of mass: rate = J v.
typedef struct ImpiSample {
  double value;
  double curvature; // J' v: second derivative at constant velocities [unit of value / s^2]
  double j[6];
} ImpiSample;

// Evaluate geometric coordinates of one joint (every kind before IMP_COORDINATE_SUM). Angular velocities in the
// curvature are clamped to +-max_turn [rad/s], because corrections by curvature add energy to bodies that turn by more
// than 0.2 rad in a substep. Centres of mass are in the frames of the bodies.
void impi_coordinate_sample(const ImpiJointFrames *frames, const uint8_t *kinds, int count, ImpVec2 center_a,
                            const ImpiMotion *a, ImpVec2 center_b, const ImpiMotion *b, double max_turn,
                            ImpiSample *out_samples);

// Return the position of an anchor in the world [m].
static inline ImpVec2 impi_anchor(ImpVec2 local, const ImpiBody *body, const ImpiMotion *motion) {
  ImpVec2 r = impi_rotate((ImpRot){motion->c, motion->s}, impi_sub(local, body->local_center));
  return impi_vec(motion->x + r.x, motion->y + r.y);
}

#endif
