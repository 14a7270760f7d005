// The state of contacts between and within steps: filter, sensors, narrow phase, touching contacts.
#ifndef IMPI_CONTACT_STATE_H
#define IMPI_CONTACT_STATE_H

#include "base/bits.h"
#include "base/pair_map.h"
#include "model/near.h"
#include "solvers/soft/lane_contacts.h"

// What the filter callback said about a pair of shapes. It holds while both have these versions.
typedef struct ImpiVerdict {
  int32_t shape_a, shape_b; // slots
  uint64_t version_a, version_b;
  bool meets;
} ImpiVerdict;

// What the filter callback said about pairs of shapes.
typedef struct ImpiFilterState {
  IMPI_ARRAY(ImpiVerdict) verdicts;
  ImpiPairMap verdict_of;      // places in `verdicts` by the slots of both shapes
  uint64_t shape_version;      // the last one given
  bool rejudge;                // some shape is to be judged anew
  IMPI_ARRAY(ImpiPair) doubts; // pairs of shapes to ask about in this step
} ImpiFilterState;

// Shapes in sensors.
typedef struct ImpiSensorState {
  IMPI_ARRAY(int32_t) visitors; // shapes in a sensor, for who asks
  IMPI_ARRAY(ImpiPair) passed;  // pieces of sensors and what may have gone through them in this step
  int32_t sensors;              // shapes that are sensors
} ImpiSensorState;

// The narrow phase: which contacts are looked at in a step, and which of them act.
typedef struct ImpiNarrowPhase {
  IMPI_ARRAY(int32_t) asked;      // contacts of this round that pre_solve is called for
  ImpiBits awake;                 // contacts with an awake side, or to be looked at once more
  ImpiBits doubtful;              // of those in lanes, the ones to be looked at in this step
  IMPI_ARRAY(int32_t) pair_slots; // of the contacts for new pairs, -1: none
  ImpiBits waits;                 // of those looked at, whom others hear of
  ImpiBits found;                 // those of them whose manifold is there
  ImpiBits known;                 // contacts that are up to date in this step
  ImpiNears nears;                // of those not in lanes, the ones that were apart when looked at last
  ImpiBits seen;                  // contacts that were looked at in this step
  ImpiBits fast;                  // awake bodies that are fast as the step begins
  ImpiLaneContacts lane_contacts; // those that act, while the solver is soft
  IMPI_ARRAY(int32_t) active;     // of those, the ones with rows in this step
  ImpiBits stale;                 // bodies all of whose contacts lost IMPI_CONTACT_FRESH since the last narrow phase
  // How many contacts touch of each two shapes of which one has several pieces: derived data, wrong while not `counted`.
  struct {
    ImpiPairMap of_shapes;
    bool counted;
  } twins;
  int32_t solving;     // the contact whose pre_solve runs; -1: none
  int32_t gathered;    // how many of `active` have rows; behind them those that met within the step
  uint32_t still_seen; // changes of the broad phase's static proxies that those in lanes know
  bool contacts_lost;  // the list of awake contacts must be made again
  bool active_dirty;
} ImpiNarrowPhase;

// Touching contacts in the order of the API, listed on demand.
typedef struct ImpiTouchingLists {
  IMPI_ARRAY(int32_t) list;
  IMPI_ARRAY(int32_t) ranks;   // places in it, by contact
  IMPI_ARRAY(int32_t) of_body; // the touching contacts of one body
  int32_t body;                // that body's slot, -1: none
  bool valid;
} ImpiTouchingLists;

#endif
