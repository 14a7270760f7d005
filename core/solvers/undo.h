// State for the undo of a solve (step_undo.c), without poses and velocities. If the state of a body becomes non-finite,
// the body is disabled and the other bodies are solved again.
#ifndef IMPI_UNDO_H
#define IMPI_UNDO_H

#include "model/contact.h"
#include "model/joint.h"

// An impulse of a substep handler, applied after the handler.
typedef struct ImpiPush {
  int32_t body;    // slot
  ImpVec2 impulse; // impulse at the centre of mass [N s]
  double angular;  // [N m s]
} ImpiPush;

// A body whose state became non-finite, or would become non-finite in the present solve.
typedef struct ImpiOffender {
  int32_t body;      // slot
  const char *stage; // name of the stage that found this state
} ImpiOffender;

// Saved impulses of a contact, and the sums of impulses and work over the substeps of a step.
typedef struct ImpiContactUndo {
  ImpiContactPoint points[2];
  double lambda_r, total_r, step_r;
} ImpiContactUndo;

typedef struct ImpiUndo {
  bool held;                          // the saved state is that of the current step
  IMPI_ARRAY(ImpiOffender) offenders; // offending bodies of the current solve
  int32_t
      first_implausible; // slot of the first constraint whose callback returned implausible rows in the solve; -1: none
  IMPI_ARRAY(ImpiContactUndo) contacts;   // impulses of the active contacts, in their order
  IMPI_ARRAY(int32_t) begun;              // slots of contacts that have rows for the first time
  IMPI_ARRAY(ImpiCoordinate) coordinates; // coordinates of the joints with rows, grouped by joint
  IMPI_ARRAY(ImpiDrive) drives;           // drives of these coordinates; coordinates without drives have no entry
  IMPI_ARRAY(double) bursts;              // progress of explosions, by slot of the field
  IMPI_ARRAY(ImpiPush) pushed;            // impulses that callbacks gave before the solve
  uint64_t random[4];                     // see ImpWorld
  uint32_t epoch;                         // see ImpiLaneContacts
  bool solved;                            // see ImpiLaneContacts
} ImpiUndo;

bool impi_undo_is_needed(const ImpWorld *world, bool listens); // whether the state before the solve must be saved
bool impi_undo_reserve(ImpWorld *world);
void impi_undo_keep(ImpWorld *world); // save the state before the solve
// Return whether all bodies of a joint have a valid state now.
bool impi_undo_is_sane(const ImpWorld *world, const ImpiJoint *joint);
// If the solve has an offending body, undo the solve, disable all offending bodies, and return true; the caller must
// solve again.
bool impi_undo(ImpWorld *world);

#endif
