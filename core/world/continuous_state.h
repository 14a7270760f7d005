// State of continuous collision.
#ifndef IMPI_CONTINUOUS_STATE_H
#define IMPI_CONTINUOUS_STATE_H

#include "base/bits.h"
#include "geometry/clearing.h"
#include "model/row.h"
#include "model/strike.h"

// Continuous collision: bodies that move far in a step, and their time-of-impact events.
typedef struct ImpiContinuousStage {
  IMPI_ARRAY(ImpiRunner) runners;     // dynamic bodies in `swept` with the longest paths, in steps with bullets
  IMPI_ARRAY(int32_t) runner_at;      // index in `runners` by slot; undefined for other bodies
  double longest_way;                 // longest path of the other dynamic bodies in `swept` [m]
  IMPI_ARRAY(int32_t) swept;          // bodies that the continuous stage sweeps, kinematic ones first, in slot order
  ImpiBits swept_set;                 // scratch to order `swept`
  IMPI_ARRAY(int32_t) awake_places;   // index in ImpWorld.awake of awake bodies, by slot; valid during the stage
  IMPI_ARRAY(int32_t) outgrown;       // bodies that may have left their fat boxes in the step, in slot order
  IMPI_ARRAY(int32_t) candidates;     // proxies along the path that is being swept
  IMPI_ARRAY(ImpiStruck) struck;      // bodies hit in this step, in the order of the impacts
  IMPI_ARRAY(int32_t) struck_at;      // index in `struck` by slot; undefined for other bodies
  IMPI_ARRAY(ImpiStrike) strikes;     // touching pairs of the current time-of-impact event
  IMPI_ARRAY(ImpiRow) meeting_rows;   // rows of that event
  IMPI_ARRAY(ImpiClearing) clearings; // clearance cache of bodies, by slot
  uint32_t clearings_seen;            // `still_changes` of the broad phase for which `clearings` is valid
  int32_t first_waiting;              // index in `struck`: no entry before it waits to be swept again
  int32_t broom_count;                // number of sweeping kinematic bodies, at the front of `swept`
  bool expects_meeting;               // some body became fast in the last step, or by a call since
} ImpiContinuousStage;

#endif
