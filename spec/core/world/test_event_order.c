// The order of events in lists of any length, with and without memory for the sort.
#include <string.h>

#include "boxes.h"
#include "check.h"
#include "world/event_order.h"

enum { N = 700 };


// Fill a list. If `ids` is small, many events have equal ids. The `speed` of an event is its index in the list.
static void fill(ImpiEventList *list, ImpEvent *events, int count, int ids) {
  *list = (ImpiEventList){.data = events, .count = count, .capacity = N};
  for (int i = 0; i < count; ++i) {
    events[i] = (ImpEvent){.id_a = 1 + (uint64_t)random_below(ids), .id_b = (uint64_t)random_below(ids), .speed = i};
  }
}


// Check that events are sorted and each occurs once. If `stable`, events with equal ids keep their order.
static void check_order(const ImpiEventList *list, const ImpEvent *before, bool stable) {
  bool seen[N] = {false};
  for (int i = 0; i < list->count; ++i) {
    const ImpEvent *event = &list->data[i];
    int came = (int)event->speed;
    CHECK(came >= 0 && came < list->count && !seen[came]);
    seen[came] = true;
    CHECK(before[came].id_a == event->id_a && before[came].id_b == event->id_b);
    if (i > 0) {
      const ImpEvent *last = &list->data[i - 1];
      CHECK(!impi_event_goes_before(event, last));
      CHECK(!stable || impi_event_goes_before(last, event) || last->speed < event->speed);
    }
  }
}


static void check_lists(ImpiHeap *heap, bool stable) {
  static ImpEvent events[N], before[N];
  ImpiEventKeys keys = {0};
  ImpiEventList list;
  for (int i = 0; i < 300; ++i) {
    fill(&list, events, i < 40 ? i : random_below(N + 1), i % 3 == 0 ? 3 : i % 3 == 1 ? 30 : 100000);
    memcpy(before, events, sizeof before);
    impi_event_order(heap, &list, &keys);
    check_order(&list, before, stable);
    memcpy(before, events, sizeof before);
    impi_event_order(heap, &list, &keys);
    CHECK(memcmp(before, events, sizeof before) == 0);
  }
  impi_array_free(heap, &keys);
}


static void events_are_sorted_and_equal_ones_keep_their_order(void) {
  ImpiHeap heap = {.allocator = impi_default_allocator()};
  check_lists(&heap, true);
  CHECK(heap.bytes == 0);
}


static void events_are_sorted_without_memory_too(void) {
  ImpiHeap heap = {.allocator = {.reallocate = reallocate}};
  ImpiEventKeys keys = {0};
  static ImpEvent events[N], before[N];
  ImpiEventList list;
  allocations_left = 0;
  for (int i = 0; i < 100; ++i) {
    fill(&list, events, 2 + random_below(N - 1), 20);
    memcpy(before, events, sizeof before);
    impi_event_order(&heap, &list, &keys);
    check_order(&list, before, false);
    CHECK(keys.capacity == 0);
  }
  allocations_left = -1;
}


int main(void) {
  RUN(events_are_sorted_and_equal_ones_keep_their_order);
  RUN(events_are_sorted_without_memory_too);
  return check_report("event_order");
}
