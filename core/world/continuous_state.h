// State of continuous collision.
#ifndef IMPI_CONTINUOUS_STATE_H
#define IMPI_CONTINUOUS_STATE_H

#include "base/bits.h"
#include "geometry/clearance.h"
#include "model/row.h"
#include "model/toi_contact.h"

// Continuous collision: bodies that move far in a step, and their time-of-impact events.
typedef struct ImpiContinuousStage {
  IMPI_ARRAY(ImpiLongPath) long_paths; // dynamic bodies in `swept` with the longest paths; only in steps with bullets
  IMPI_ARRAY(int32_t) long_path_at;    // index in `long_paths` by slot; arbitrary if the body is not in that list
  double longest_path;                 // longest path of the dynamic bodies in `swept` that are not in `long_paths` [m]
  IMPI_ARRAY(int32_t) swept;           // bodies that the continuous stage sweeps, kinematic bodies first, in slot order
  ImpiBits swept_set;                  // memory for sorting `swept`
  IMPI_ARRAY(int32_t) awake_places;    // index in ImpWorld.awake by body slot; valid in the continuous stage
  IMPI_ARRAY(int32_t) outgrown;        // bodies that may have left their fat boxes in the step, in slot order
  IMPI_ARRAY(int32_t) candidates;      // proxies along the path that is being swept
  IMPI_ARRAY(ImpiHitBody) hit_bodies;  // bodies hit in this step, in the order of the impacts
  IMPI_ARRAY(int32_t) hit_body_at;     // index in `hit_bodies` by slot; arbitrary if the body is not in that list
  IMPI_ARRAY(ImpiToiContact) toi_contacts;    // touching pairs of the current time-of-impact event
  IMPI_ARRAY(ImpiRow) toi_rows;               // rows of the current time-of-impact event
  IMPI_ARRAY(ImpiStaticClearance) clearances; // clearance cache of bodies, by slot
  uint32_t clearances_version;                // ImpiBroadphase.still_changes when `clearances` was last cleared
  int32_t first_waiting;   // index in `hit_bodies` of the first body not yet swept after its last impact
  int32_t sweeper_count;   // number of sweeping kinematic bodies, at the front of `swept`
  bool expects_toi_events; // some body became fast in or after the last step
} ImpiContinuousStage;

#endif
