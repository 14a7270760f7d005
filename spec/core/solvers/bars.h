// Bars on pins, for specs of solvers on trees of joints.
#ifndef IMPI_BARS_H
#define IMPI_BARS_H

#include "rig.h"

// Add a horizontal bar of 1 m and `mass`, whose left end at (x, y) is pinned to a body.
static inline ImpBody add_bar(ImpWorld *world, ImpBody to, double x, double y, double mass, ImpJoint *out_pin) {
  ImpBody bar = add_mass(world, x + 0.5, y, mass, mass / 12);
  ImpJoint pin = add_joint(world, joint_at(IMP_JOINT_REVOLUTE, to, bar, x, y));
  if (out_pin != NULL) *out_pin = pin;
  return bar;
}


static inline double open_of(const ImpWorld *world, ImpJoint joint) {
  return joint_get(world, joint, IMP_JOINT_SEPARATION);
}


static inline double angle_of(const ImpWorld *world, ImpBody body) { return body_get(world, body, IMP_BODY_ANGLE); }

#endif
