// The state of contacts between and within steps: filter, sensors, narrow phase, touching contacts.
#ifndef IMPI_CONTACT_STATE_H
#define IMPI_CONTACT_STATE_H

#include "base/bits.h"
#include "base/pair_map.h"
#include "model/separated_cache.h"
#include "solvers/soft/lane_contacts.h"

// Result of the filter callback for two shapes, valid for version_a and version_b.
typedef struct ImpiFilterResult {
  int32_t shape_a, shape_b; // slots
  uint64_t version_a, version_b;
  bool meets;
} ImpiFilterResult;

// Results of the filter callback.
typedef struct ImpiFilterState {
  IMPI_ARRAY(ImpiFilterResult) results;
  ImpiPairMap result_at;           // index in `results` for a pair of shape slots
  uint64_t shape_version;          // the last shape version that was assigned
  bool needs_refilter;             // the filter of some shape must be re-evaluated
  IMPI_ARRAY(ImpiPair) unfiltered; // pairs of shapes that the filter callback must decide in this step
} ImpiFilterState;

// Sensors.
typedef struct ImpiSensorState {
  IMPI_ARRAY(int32_t) visitors; // memory for the result of imp_shape_overlaps
  IMPI_ARRAY(ImpiPair) passed;  // proxies of a sensor and a piece that may have passed through the sensor
  int32_t sensors;              // number of shapes that are sensors
} ImpiSensorState;

// The narrow phase: which contacts a step updates, and which have rows.
typedef struct ImpiNarrowPhase {
  IMPI_ARRAY(int32_t) pre_solve_contacts; // contacts for which pre_solve is to be called next
  ImpiBits awake;                         // contacts with an awake body, or marked for a recheck
  ImpiBits needs_recheck;                 // contacts in lanes that must be rechecked in this step
  IMPI_ARRAY(int32_t) pair_slots;         // slots of the contacts of new pairs, -1: none
  ImpiBits waits;                 // contacts whose update affects other contacts; one thread updates them in slot order
  ImpiBits found;                 // contacts in `waits` whose manifold has been computed
  ImpiBits known;                 // contacts that are up to date in this step
  ImpiSeparatedCache separated;   // separated-contact cache, for contacts that are not in lanes
  ImpiBits seen;                  // contacts that start or stop acting in this step, and enter or leave the lanes
  ImpiBits fast;                  // awake bodies that are fast when the step begins
  ImpiLaneContacts lane_contacts; // active contacts, in lanes of the soft solver
  IMPI_ARRAY(int32_t) active;     // contacts with rows in this step, followed by the contacts of time-of-impact events
  ImpiBits stale;                 // bodies all of whose contacts lost IMPI_CONTACT_FRESH since the last narrow phase
  // Number of touching contacts of each pair of shapes with several pieces. Valid if `counted` is true.
  struct {
    ImpiPairMap of_shapes;
    bool counted;
  } touching_counts;
  int32_t solving;     // the contact whose pre_solve runs; -1: none
  int32_t gathered;    // number of contacts in `active` before the contacts of time-of-impact events
  uint32_t still_seen; // number of changes to static pieces (still_changes) when contacts in lanes were last rechecked
  bool contacts_lost;  // `awake` must be rebuilt
  bool active_dirty;
} ImpiNarrowPhase;

// Touching contacts in the order of the API (by shapes and pieces), sorted on demand.
typedef struct ImpiTouchingLists {
  IMPI_ARRAY(int32_t) list;
  IMPI_ARRAY(int32_t) ranks;   // index in `list`, by contact
  IMPI_ARRAY(int32_t) of_body; // the touching contacts of one body
  int32_t body;                // slot of the body whose contacts `of_body` lists, -1: none
  bool valid;
} ImpiTouchingLists;

#endif
