// State of character movers.
#ifndef IMPI_MOVER_STATE_H
#define IMPI_MOVER_STATE_H

#include "model/mover.h"

// State of a mover when the step began, restored if the step fails after the movers' stage.
typedef struct ImpiMoverKept {
  ImpiMover mover;
  ImpiMotion motion; // motion of the mover's body
} ImpiMoverKept;

// Force on a body before the push by a mover.
typedef struct ImpiMoverPush {
  int32_t body, forced; // slot of the body; length of ImpiPushState.forced before the push
  ImpVec2 force;        // applied force before the push [N]
  double torque;
} ImpiMoverPush;

// Character movers.
typedef struct ImpiMoverState {
  // In creation order; ImpiBody.mover is the index of the body's mover + 1.
  IMPI_ARRAY(ImpiMover) list;
  IMPI_ARRAY(ImpiObstacle) room;    // obstacles around the mover that is moving
  IMPI_ARRAY(ImpiMoverKept) kept;   // movers when the step began
  IMPI_ARRAY(ImpiMoverPush) pushes; // pushes of movers in this step, in order
  int gaps;                         // number of entries of `list` with body -1; their movers are destroyed
  int first_free;                   // index in `list` of the first mover that is not destroyed
} ImpiMoverState;

#endif
