// The state of character movers.
#ifndef IMPI_MOVER_STATE_H
#define IMPI_MOVER_STATE_H

#include "model/mover.h"

// What a step that fails after the movers' stage puts back.
typedef struct ImpiMoverKept {
  ImpiMover mover;
  ImpiMotion motion; // of its body
} ImpiMoverKept;

typedef struct ImpiMoverPush {
  int32_t body, forced; // slot; length of the list of forced bodies before
  ImpVec2 force;        // what the body had
  double torque;
} ImpiMoverPush;

// Character movers.
typedef struct ImpiMoverState {
  // Character movers in creation order; ImpiBody.mover says which one a body is of.
  IMPI_ARRAY(ImpiMover) list;
  IMPI_ARRAY(ImpiObstacle) room;    // around the one that moves
  IMPI_ARRAY(ImpiMoverKept) kept;   // as the movers were when the step began
  IMPI_ARRAY(ImpiMoverPush) pushes; // forces given by movers in this step, in their order
  int gaps;                         // entries of destroyed ones, whose body is -1
  int first_free;                   // of them
} ImpiMoverState;

#endif
