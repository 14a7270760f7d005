// State of reports of a world: rows, events, energy, query results.
#ifndef IMPI_REPORT_STATE_H
#define IMPI_REPORT_STATE_H

#include "model/ledger.h"
#include "model/row.h"
#include "world/event_order.h"

typedef IMPI_ARRAY(char *) ImpiNameList;

// A destroyed object to which events may still refer.
typedef struct ImpiDestroyed {
  uint64_t key, serial; // handle without the tag of the world; creation number
  char *name;           // name, or null
  int32_t kind;         // ImpObjectKind
} ImpiDestroyed;

typedef IMPI_ARRAY(ImpiDestroyed) ImpiDestroyedList;

// Entry of the index of an ImpiDestroyedList. The index is sorted by key and kind.
typedef struct ImpiDestroyedPlace {
  uint64_t key;
  int32_t kind, place;
} ImpiDestroyedPlace;

// Rows, redundant locks and weak (nearly redundant) locks, listed on demand.
typedef struct ImpiRowLists {
  IMPI_ARRAY(ImpRowInfo) list; // all rows, made on demand
  // Index of each contact's first row in `list`, followed by the end of `list`.
  IMPI_ARRAY(int32_t) starts;
  IMPI_ARRAY(ImpiRow) room; // rows of the entries of `list`
  IMPI_ARRAY(ImpiRowTerm) terms;
  IMPI_ARRAY(ImpCoordinate) redundant; // redundant locks found by the last imp_world_mobility
  IMPI_ARRAY(ImpWeakLock) weak;        // weak locks found by the last imp_world_mobility
  bool valid;
} ImpiRowLists;

// Events of the last step, pending events, and the names in these events.
typedef struct ImpiEventState {
  ImpiNameList old_names[2];        // names in joint_destroyed events of the last step, and in pending events
  ImpiDestroyedList destroyed_last; // objects destroyed between the last two steps or in the last step
  ImpiDestroyedList destroyed;      // objects destroyed since the last step
  // Sorted indices of `destroyed_last` and `destroyed`, made on demand; stale if shorter than the indexed list.
  IMPI_ARRAY(ImpiDestroyedPlace) destroyed_order[2];
  ImpiEventList events[IMP_EVENT_COUNT];  // events of the last step
  ImpiEventList pending[IMP_EVENT_COUNT]; // events since the last step
  ImpiPeak event_peaks[IMP_EVENT_COUNT];  // recent peak lengths of `events`
  ImpiEventKeys event_keys;               // memory for sorting events
  ImpiPeak event_keys_peak;
} ImpiEventState;

// The energy audit of a step.
typedef struct ImpiAuditState {
  ImpiLedger ledger;     // ledger of the step under way
  double begin, springs; // total energy and spring energy when the step began [J]
  uint64_t last_body;    // serial of the last body that existed when the step began
  ImpAudit step, whole;
  IMPI_ARRAY(double) speeds;     // speeds of all rows when the step began, for solvers that write no ledger
  IMPI_ARRAY(ImpiRow) rows;      // rows of one joint or contact
  IMPI_ARRAY(ImpiRowTerm) terms; // memory for ImpiRow.more of the rows in `rows`
} ImpiAuditState;

// One result of a query.
typedef struct ImpiFound {
  ImpShape shape;
  uint64_t serial; // creation number of the shape
  int32_t child;
  double fraction;
  ImpVec2 point, normal;
} ImpiFound;

// Results of queries.
typedef struct ImpiQueryState {
  IMPI_ARRAY(ImpiFound) found;       // results of all queries under way; results of the innermost query are last
  IMPI_ARRAY(ImpHit) hits;           // results of the last finished query
  IMPI_ARRAY(int32_t) outside_boxes; // proxies whose pieces have left their fat boxes since the step began
  uint64_t outside_boxes_of;         // ImpWorld.pose_stamp when `outside_boxes` was made
} ImpiQueryState;

#endif
