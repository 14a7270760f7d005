// What a solve changes beside poses and velocities, kept so that it can be taken back: when the numbers of a
// body blow up within it, the body is taken out and the rest solved anew, see step_undo.c.
#ifndef IMPI_UNDO_H
#define IMPI_UNDO_H

#include "model/contact.h"
#include "model/joint.h"

// An impulse given inside a substep handler, acts right after it.
typedef struct ImpiPush {
  int32_t body;    // slot
  ImpVec2 impulse; // at the centre of mass [N s]
  double angular;  // [N m s]
} ImpiPush;

// A body of which is known before the rows are that its numbers will not hold.
typedef struct ImpiCulprit {
  int32_t body;      // slot
  const char *stage; // that found it
} ImpiCulprit;

// What a contact bears, and what was added up of it so far.
typedef struct ImpiContactUndo {
  ImpiContactPoint points[2];
  double lambda_r, total_r, step_r;
} ImpiContactUndo;

typedef struct ImpiUndo {
  bool held;                              // what is below is that of the step under way
  IMPI_ARRAY(ImpiCulprit) culprits;       // of the solve under way
  int32_t first_wild;                     // the joint whose callback was the first to give absurd rows in it; -1: none
  IMPI_ARRAY(ImpiContactUndo) contacts;   // of those with rows, in their order
  IMPI_ARRAY(int32_t) begun;              // contacts that have rows in the lanes for the first time
  IMPI_ARRAY(ImpiCoordinate) coordinates; // of the joints with rows, one after another
  IMPI_ARRAY(ImpiDrive) drives;           // of those coordinates that have one
  IMPI_ARRAY(double) bursts;              // how far explosions are, of fields by slot
  IMPI_ARRAY(ImpiPush) pushed;            // what callbacks gave before the solve
  uint64_t random[4];                     // see ImpWorld
  uint32_t epoch;                         // see ImpiLaneContacts
  bool solved;
} ImpiUndo;

bool impi_undo_wants(const ImpWorld *world, bool listens); // whether something wild may get into it
bool impi_undo_reserve(ImpWorld *world);
void impi_undo_keep(ImpWorld *world); // what it starts from
// Whether all bodies of a joint have sane numbers now: of others no callback is asked.
bool impi_undo_is_sane(const ImpWorld *world, const ImpiJoint *joint);
// True: it was taken back, and whoever began it is out of the world; it is to be made anew.
bool impi_undo(ImpWorld *world);

#endif
