// The state of continuous collision.
#ifndef IMPI_CONTINUOUS_STATE_H
#define IMPI_CONTINUOUS_STATE_H

#include "base/bits.h"
#include "geometry/clearing.h"
#include "model/row.h"
#include "model/strike.h"

// Continuous collision: bodies that move far in a step, and their time-of-impact events.
typedef struct ImpiContinuousStage {
  IMPI_ARRAY(ImpiRunner) runners;     // the dynamic bodies in `swept` that go farthest, where there are bullets
  IMPI_ARRAY(int32_t) runner_at;      // by slot, of runners: their index there; undefined for others
  double longest_way;                 // of the other dynamic bodies in `swept` [m]
  IMPI_ARRAY(int32_t) swept;          // bodies that the continuous stage looks at, by slot
  ImpiBits swept_set;                 // room for their order
  IMPI_ARRAY(int32_t) awake_places;   // by slot, of bodies that are in `awake`: their place there, during that stage
  IMPI_ARRAY(int32_t) outgrown;       // bodies whose boxes have to be looked at after the step, by slot
  IMPI_ARRAY(int32_t) candidates;     // proxies along the path that is looked at now
  IMPI_ARRAY(ImpiStruck) struck;      // of this step, in the order of the blows
  IMPI_ARRAY(int32_t) struck_at;      // by slot, of bodies that are in `struck`: their place there
  IMPI_ARRAY(ImpiStrike) strikes;     // of the meeting that it is at
  IMPI_ARRAY(ImpiRow) meeting_rows;   // and its rows
  IMPI_ARRAY(ImpiClearing) clearings; // by slot: what the continuous stage knows of the surroundings of bodies
  uint32_t clearings_seen;            // changes of the broad phase's static proxies that they know
  int32_t first_waiting;              // in `struck`: none before it waits
  int32_t broom_count;                // kinematic ones, at the front of `swept`
  bool expects_meeting;               // some body is fast since the last step, or a call made it so
} ImpiContinuousStage;

#endif
