// Sorting of the events of a step.
#include "world/event_order.h"

#include <limits.h>

#include "base/sort.h"


static bool goes_before(const void *a, const void *b, const void *context) {
  (void)context;
  return impi_event_goes_before(a, b);
}


static bool is_sorted(const ImpiEventList *list) {
  bool sorted = true;
  for (int i = 1; i < list->count && sorted; ++i) {
    sorted = !impi_event_goes_before(&list->data[i], &list->data[i - 1]);
  }
  return sorted;
}


static bool key_goes_after(const ImpiEventKey *a, const ImpiEventKey *b) {
  return a->id_a != b->id_a ? a->id_a > b->id_a : a->id_b > b->id_b;
}


// Merge two sorted runs that follow each other, [first, middle) and [middle, end), into `to`.
static void merge(const ImpiEventKey *from, int first, int middle, int end, ImpiEventKey *to) {
  for (int i = first, k = middle, out = first; out < end; ++out) {
    bool right = i == middle || (k < end && key_goes_after(&from[i], &from[k]));
    to[out] = from[right ? k++ : i++];
  }
}


// Sort keys with a stable merge sort. Returns the sorted array, `keys` or `scratch` (of the same length).
static ImpiEventKey *sort_keys(ImpiEventKey *keys, ImpiEventKey *scratch, int count) {
  for (int length = 1; length < count; length *= 2) {
    for (int first = 0; first < count; first += 2 * length) {
      int middle = first + length < count ? first + length : count;
      merge(keys, first, middle, middle + length < count ? middle + length : count, scratch);
    }
    ImpiEventKey *swap = keys;
    keys = scratch;
    scratch = swap;
  }
  return keys;
}


// Move every event to the position of its key. Afterwards the index of each key is its own position.
static void follow_keys(ImpEvent *events, ImpiEventKey *keys, int count) {
  for (int i = 0; i < count; ++i) {
    if (keys[i].index == i) {
      continue;
    }
    ImpEvent first = events[i];
    int to = i;
    for (int from = keys[to].index; from != i; from = keys[to].index) {
      events[to] = events[from];
      keys[to].index = to;
      to = from;
    }
    events[to] = first;
    keys[to].index = to;
  }
}


void impi_event_order(ImpiHeap *heap, ImpiEventList *list, ImpiEventKeys *scratch) {
  int count = list->count;
  if (is_sorted(list)) {
    return;
  }
  if (count > INT_MAX / 4 || !impi_reserve(heap, scratch, 2 * count)) {
    impi_sort(list->data, count, sizeof(ImpEvent), goes_before, NULL);
    return;
  }
  ImpiEventKey *keys = scratch->data;
  for (int i = 0; i < count; ++i) {
    keys[i] = (ImpiEventKey){list->data[i].id_a, list->data[i].id_b, i};
  }
  follow_keys(list->data, sort_keys(keys, keys + count, count), count);
}
