// The order of the events of a step.
#ifndef IMPI_EVENT_ORDER_H
#define IMPI_EVENT_ORDER_H

#include "base/array.h"

typedef IMPI_ARRAY(ImpEvent) ImpiEventList;

// What stands for an event while events are sorted: they are long.
typedef struct ImpiEventKey {
  uint64_t id_a, id_b;
  int32_t index;
} ImpiEventKey;

typedef IMPI_ARRAY(ImpiEventKey) ImpiEventKeys;

// By the ids of the objects that they are about.
static inline bool impi_event_goes_before(const ImpEvent *a, const ImpEvent *b) {
  return a->id_a != b->id_a ? a->id_a < b->id_a : a->id_b < b->id_b;
}

// Sort so, those about the same two in the order in which they came. Without room for `scratch` these come in any order.
void impi_event_order(ImpiHeap *heap, ImpiEventList *list, ImpiEventKeys *scratch);

#endif
