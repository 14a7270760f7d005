// The state of joints beside the joints themselves.
#ifndef IMPI_JOINT_STATE_H
#define IMPI_JOINT_STATE_H

#include "base/bits.h"
#include "model/joint.h"

// Joints: free records, the list of awake ones, what the solver keeps of them.
typedef struct ImpiJointState {
  IMPI_ARRAY(int32_t) awake;        // joints with an awake dynamic body, in creation order
  ImpiBits held;                    // the bodies of the awake joints
  ImpiSampleRoom samples;           // for getters
  IMPI_ARRAY(ImpiMotion) pose_room; // for getters inside a step, by lane
  ImpiOpenJoints opening;           // which of them are open: see step_open.c
  int32_t free_edge, free_drive;    // free lists, -1 at the end
  int32_t called;                   // joints that the callback has to bring up to date
  bool list_fresh;                  // `awake` was made anew
  bool efforts_kept;                // the solver has what joints did in the last step: see impi_settle_joint
  bool edited;                      // within the present step
  bool drives_edited;               // of joints that the solver keeps, numbers only, since the last step began
  bool drives_emptied;              // records of drives that were released within the step are there until its end
  bool may_break;                   // some joint has, or had, a load that it breaks at
} ImpiJointState;

#endif
