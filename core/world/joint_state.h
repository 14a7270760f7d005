// State of the joints of a world that is not stored in the joints.
#ifndef IMPI_JOINT_STATE_H
#define IMPI_JOINT_STATE_H

#include "base/bits.h"
#include "model/joint.h"

typedef struct ImpiJointState {
  IMPI_ARRAY(int32_t) awake;        // joints with an awake dynamic body, in creation order
  ImpiBits held;                    // bodies of the awake joints
  ImpiSampleRoom samples;           // memory in which getters compute values and Jacobians of coordinates
  IMPI_ARRAY(ImpiMotion) pose_room; // poses for getters inside a step, by lane
  ImpiOpenJoints opening;           // which joints are open: see step_open.c
  int32_t free_edge, free_drive;    // heads of the free lists, -1: empty
  int32_t called;                   // number of joints that the constraint callback must update
  bool list_fresh;                  // `awake` was rebuilt; cleared by the step
  bool results_kept;                // the solver keeps the results of joints of the last step: see impi_flush_joint
  bool edited;                      // joints were changed within the present step
  bool drives_edited;               // numbers of drives changed after the solver copied them; cleared before the solve
  bool drives_emptied;              // drive records released within the step are to be freed at the end of the step
  bool may_break;                   // some joint has, or had, a finite load at which it breaks
} ImpiJointState;

#endif
