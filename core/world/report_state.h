// What a world reports: rows, events, its energy, results of queries.
#ifndef IMPI_REPORT_STATE_H
#define IMPI_REPORT_STATE_H

#include "model/ledger.h"
#include "model/row.h"
#include "world/event_order.h"

typedef IMPI_ARRAY(char *) ImpiNameList;

// A destroyed object that events may still hold.
typedef struct ImpiFormer {
  uint64_t key, serial; // its handle without the mark of the world; its creation number
  char *name;           // or null
  int32_t kind;         // ImpObjectKind
} ImpiFormer;

typedef IMPI_ARRAY(ImpiFormer) ImpiFormerList;

// The same in order of key and kind.
typedef struct ImpiFormerPlace {
  uint64_t key;
  int32_t kind, place;
} ImpiFormerPlace;

// Rows, redundant locks and weak locks, listed on demand.
typedef struct ImpiRowLists {
  IMPI_ARRAY(ImpRowInfo) list; // made on demand
  IMPI_ARRAY(int32_t) starts;  // in it, by place in `touching`, and the end of the last
  IMPI_ARRAY(ImpiRow) room;    // rows behind `list`
  IMPI_ARRAY(ImpiRowTerm) terms;
  IMPI_ARRAY(ImpCoordinate) redundant; // of the last imp_world_mobility
  IMPI_ARRAY(ImpWeakLock) weak;        // the same
  bool valid;
} ImpiRowLists;

// Events of the last step and pending ones, and the names that they refer to.
typedef struct ImpiEventState {
  ImpiNameList old_names[2];  // of joints in the joint_destroyed events of the last step, and in pending ones
  ImpiFormerList former_last; // objects destroyed in the last step, or before it since the one before
  ImpiFormerList former;      // and since it
  IMPI_ARRAY(ImpiFormerPlace) former_order[2]; // of both, made on demand: shorter than the list where it is out of date
  ImpiEventList events[IMP_EVENT_COUNT];       // of the last step
  ImpiEventList pending[IMP_EVENT_COUNT];      // since the last step
  ImpiPeak event_peaks[IMP_EVENT_COUNT];       // of `events`
  ImpiEventKeys event_keys;                    // scratch
  ImpiPeak event_keys_peak;
} ImpiEventState;

// The energy audit of a step.
typedef struct ImpiAuditState {
  ImpiLedger ledger;     // of the step under way
  double begin, springs; // energy when it began, and what springs stored of it [J]
  uint64_t last_body;    // serial of the last body that was there then
  ImpAudit step, whole;
  IMPI_ARRAY(double) speeds;     // of all rows when it began, where the solver enters nothing itself
  IMPI_ARRAY(ImpiRow) rows;      // of one owner
  IMPI_ARRAY(ImpiRowTerm) terms; // further bodies of these
} ImpiAuditState;

// What a query found and may give.
typedef struct ImpiFound {
  ImpShape shape;
  uint64_t serial; // of the shape
  int32_t child;
  double fraction;
  ImpVec2 point, normal;
} ImpiFound;

// Results of queries.
typedef struct ImpiQueryState {
  IMPI_ARRAY(ImpiFound) found; // of the queries under way, the innermost on top
  IMPI_ARRAY(ImpHit) hits;     // of the last one that is over
  IMPI_ARRAY(int32_t) strays;  // proxies whose pieces have left their boxes since the step began
  uint64_t strays_of;          // pose_stamp of that list
} ImpiQueryState;

#endif
