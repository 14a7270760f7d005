// The state of a step: sleep, substeps, pushes, commands.
#ifndef IMPI_STEP_STATE_H
#define IMPI_STEP_STATE_H

#include "model/island.h"
#include "solvers/undo.h"
#include "world/commands.h"

// Where a kinematic body goes, see world_kinematic.c.
typedef struct ImpiSteer {
  int32_t body;      // slot
  bool told;         // to be at the target after the next step
  bool moving;       // inside that step
  bool spent;        // its velocity is that of the last step, and ends when the next one begins
  ImpVec2 to;        // [m]
  double angle;      // [rad]
  ImpiMotion before; // the motion when the step began, for a step that comes to nothing
} ImpiSteer;

// Islands and sleep.
typedef struct ImpiSleepState {
  ImpiIslands islands;
  int island_count;    // of the last step that looked for islands
  int32_t any_resting; // bodies whose sleep timer has run out
  bool woken;          // a body woke since the step last cleared this
} ImpiSleepState;

// The substep whose handlers run.
typedef struct ImpiSubstepState {
  double length; // h of the substep whose handlers run [s]
  double time;   // of the state that handlers see [s]
  int index;     // handlers were called so often in this step
  bool running;  // the handlers of a substep run: what they set acts in it
} ImpiSubstepState;

// Forces, impulses, kinematic targets and largest speeds of bodies.
typedef struct ImpiPushState {
  IMPI_ARRAY(ImpiPush) pushed;   // bodies with an impulse from inside a substep handler
  IMPI_ARRAY(int32_t) forced;    // bodies with a force to be cleared after the step
  IMPI_ARRAY(ImpiSteer) steered; // kinematic bodies with a target, by ImpiBody.steer - 1
  IMPI_ARRAY(int32_t) limited;   // the awake ones, made by the step
  int limited_bodies;            // those with a largest speed
} ImpiPushState;

// Commands that wait for the end of the step.
typedef struct ImpiCommandQueue {
  IMPI_ARRAY(ImpiCommand) commands; // waiting for the end of the step
  ImpiLastCommands last_drives;     // which of them set drives of a joint last
  ImpiLastCommands last_filters;    // which of them set the filter of a shape last
  int queued_pieces;                // that they put into the broad phase at most: more need room beside these
} ImpiCommandQueue;

#endif
