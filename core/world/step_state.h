// State of a step: sleep, substeps, forces and impulses, commands.
#ifndef IMPI_STEP_STATE_H
#define IMPI_STEP_STATE_H

#include "model/island.h"
#include "solvers/undo.h"
#include "world/commands.h"

// A kinematic target, see world_kinematic.c.
typedef struct ImpiKinematicTarget {
  int32_t body;      // slot of the body
  bool has_target;   // a target for the next step is set
  bool moving;       // the step that moves the body to the target is under way
  bool reached;      // the target was reached; the velocity becomes 0 when the next step begins
  ImpVec2 to;        // target [m]
  double angle;      // target [rad]
  ImpiMotion before; // motion when the step began, restored if the step fails
} ImpiKinematicTarget;

// Islands and sleep.
typedef struct ImpiSleepState {
  ImpiIslands islands;
  int island_count;    // number of islands in the last step that computed islands
  int32_t any_resting; // number of bodies that the last step found at rest
  bool woken;          // a body woke since the step last cleared this flag
} ImpiSleepState;

// The substep whose handlers are running.
typedef struct ImpiSubstepState {
  double length; // h of the substep [s]
  double time;   // time of the state that handlers read [s]
  int index;     // number of handler calls in this step
  bool running;  // substep handlers are running, and their changes act in this substep
} ImpiSubstepState;

// Forces, impulses, kinematic targets and speed limits of bodies.
typedef struct ImpiPushState {
  IMPI_ARRAY(ImpiPush) pushed;                       // bodies that got an impulse inside a substep handler
  IMPI_ARRAY(int32_t) forced;                        // bodies with a force that is cleared after the step
  IMPI_ARRAY(ImpiKinematicTarget) kinematic_targets; // kinematic bodies with a target, by ImpiBody.kinematic_target - 1
  IMPI_ARRAY(int32_t) limited;                       // awake bodies with a speed limit, listed by the step
  int limited_bodies;                                // number of bodies with a speed limit
} ImpiPushState;

// Commands to be carried out at the end of the step.
typedef struct ImpiCommandQueue {
  IMPI_ARRAY(ImpiCommand) commands;
  ImpiLastCommands last_drives;  // last IMPI_COMMAND_SET_DRIVE of each joint
  ImpiLastCommands last_filters; // last IMPI_COMMAND_SET_FILTER of each shape
  // Largest number of pieces that the commands can add, for which memory stays reserved.
  int queued_pieces;
} ImpiCommandQueue;

#endif
