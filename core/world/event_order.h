// The order of the events of a step.
#ifndef IMPI_EVENT_ORDER_H
#define IMPI_EVENT_ORDER_H

#include "base/array.h"

typedef IMPI_ARRAY(ImpEvent) ImpiEventList;

// Sort key of an event. Keys are sorted, because events are large.
typedef struct ImpiEventKey {
  uint64_t id_a, id_b;
  int32_t index;
} ImpiEventKey;

typedef IMPI_ARRAY(ImpiEventKey) ImpiEventKeys;

// Order of events: by the ids of their objects.
static inline bool impi_event_goes_before(const ImpEvent *a, const ImpEvent *b) {
  return a->id_a != b->id_a ? a->id_a < b->id_a : a->id_b < b->id_b;
}

// Sort events by the ids of their objects. The sort is stable if memory suffices.
void impi_event_order(ImpiHeap *heap, ImpiEventList *list, ImpiEventKeys *scratch);

#endif
