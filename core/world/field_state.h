// State of force fields.
#ifndef IMPI_FIELD_STATE_H
#define IMPI_FIELD_STATE_H

#include "base/pool.h"
#include "base/sparse.h"
#include "model/field.h"

// Force fields by slot, and the bodies on which the fields act.
typedef struct ImpiFieldState {
  ImpiPool pool;
  IMPI_ARRAY(ImpiForceField) list;
  uint64_t serial;
  int32_t first, last;                       // first and last field in creation order
  int32_t called;                            // number of fields whose force the callback computes
  IMPI_ARRAY(ImpiSparse) listed;             // for each body slot the fields whose lists contain the body
  IMPI_ARRAY(ImpiAffectedBody) affected;     // awake bodies that some field acts on, listed by the step
  IMPI_ARRAY(ImpiActingField) acting_fields; // fields that act on a block of IMPI_FIELD_WIDTH bodies in `affected`
  IMPI_ARRAY(int32_t) acting_ends; // first and last index in `acting_fields` for each block of bodies, -1: none
  IMPI_ARRAY(int32_t) affected_at; // index in `affected` by slot; arbitrary if the body is not in that list
  bool dirty;                      // the set of field-affected bodies has changed since `affected` was made
  bool complete;                   // false: memory for `acting_fields` ran out
  bool turn;                       // some enabled field depends on rotations
  bool affected_locks;             // some body in `affected` has locked axes
} ImpiFieldState;

#endif
