// State of reports of a world: rows, events, energy, query results.
#ifndef IMPI_REPORT_STATE_H
#define IMPI_REPORT_STATE_H

#include "model/ledger.h"
#include "model/row.h"
#include "world/event_order.h"

typedef IMPI_ARRAY(char *) ImpiNameList;

// A destroyed object to which events may still refer.
typedef struct ImpiFormer {
  uint64_t key, serial; // handle without the tag of the world; creation number
  char *name;           // or null
  int32_t kind;         // ImpObjectKind
} ImpiFormer;

typedef IMPI_ARRAY(ImpiFormer) ImpiFormerList;

// Index entry of an ImpiFormerList, sorted by key and kind.
typedef struct ImpiFormerPlace {
  uint64_t key;
  int32_t kind, place;
} ImpiFormerPlace;

// Rows, redundant locks and weak locks, listed on demand.
typedef struct ImpiRowLists {
  IMPI_ARRAY(ImpRowInfo) list; // made on demand
  IMPI_ARRAY(int32_t) starts;  // first index in `list` by place in `touching`, then the end of the last
  IMPI_ARRAY(ImpiRow) room;    // rows of the entries of `list`
  IMPI_ARRAY(ImpiRowTerm) terms;
  IMPI_ARRAY(ImpCoordinate) redundant; // found by the last imp_world_mobility
  IMPI_ARRAY(ImpWeakLock) weak;        // the same
  bool valid;
} ImpiRowLists;

// Events of the last step and pending ones, and the names that they refer to.
typedef struct ImpiEventState {
  ImpiNameList old_names[2];                   // names in joint_destroyed events of the last step, and in pending ones
  ImpiFormerList former_last;                  // objects destroyed in the last step, or between it and the step before
  ImpiFormerList former;                       // objects destroyed since the last step
  IMPI_ARRAY(ImpiFormerPlace) former_order[2]; // sorted index of each, made on demand; shorter than its list: stale
  ImpiEventList events[IMP_EVENT_COUNT];       // of the last step
  ImpiEventList pending[IMP_EVENT_COUNT];      // since the last step
  ImpiPeak event_peaks[IMP_EVENT_COUNT];       // of `events`
  ImpiEventKeys event_keys;                    // scratch
  ImpiPeak event_keys_peak;
} ImpiEventState;

// The energy audit of a step.
typedef struct ImpiAuditState {
  ImpiLedger ledger;     // of the step under way
  double begin, springs; // energy when the step began, and the part of it stored in springs [J]
  uint64_t last_body;    // serial of the last body that existed then
  ImpAudit step, whole;
  IMPI_ARRAY(double) speeds;     // speeds of all rows when the step began, for solvers that keep no ledger
  IMPI_ARRAY(ImpiRow) rows;      // of one owner
  IMPI_ARRAY(ImpiRowTerm) terms; // further bodies of these rows
} ImpiAuditState;

// One result of a query.
typedef struct ImpiFound {
  ImpShape shape;
  uint64_t serial; // of the shape
  int32_t child;
  double fraction;
  ImpVec2 point, normal;
} ImpiFound;

// Results of queries.
typedef struct ImpiQueryState {
  IMPI_ARRAY(ImpiFound) found; // of the queries under way, the innermost last
  IMPI_ARRAY(ImpHit) hits;     // of the last finished query
  IMPI_ARRAY(int32_t) strays;  // proxies whose pieces have left their fat boxes since the step began
  uint64_t strays_of;          // pose_stamp when the list was made
} ImpiQueryState;

#endif
