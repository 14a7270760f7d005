// The state of force fields.
#ifndef IMPI_FIELD_STATE_H
#define IMPI_FIELD_STATE_H

#include "base/pool.h"
#include "base/sparse.h"
#include "model/field.h"

// Force fields by slot, and the bodies that they act on.
typedef struct ImpiFieldState {
  ImpiPool pool;
  IMPI_ARRAY(ImpiForceField) list;
  uint64_t serial;
  int32_t first, last;                   // in creation order
  int32_t called;                        // those whose forces the callback applies
  IMPI_ARRAY(ImpiSparse) listed;         // by slot of a body: the fields whose lists name it
  IMPI_ARRAY(ImpiFelt) felt;             // awake bodies that some field acts on, made by the step
  IMPI_ARRAY(ImpiFeltField) felt_fields; // of each IMPI_FIELD_WIDTH of them, in the order of the world's fields
  IMPI_ARRAY(int32_t) felt_ends;         // the first and the last of these, of each IMPI_FIELD_WIDTH
  IMPI_ARRAY(int32_t) felt_at;           // by slot of a body: its index in `felt`; undefined for others
  bool dirty;                            // whom they act on has changed since `felt` was made
  bool complete;                         // `felt_fields` is complete; false after a lack of memory
  bool turn;                             // some of those that are on look at rotations
  bool felt_locks;                       // some of `felt` have locked axes
} ImpiFieldState;

#endif
