// Sort and clean the events at the end of a step.
#include "step/step.h"
#include "world/pairs.h"


static void sort_events(ImpWorld *world) {
  for (int kind = 0; kind < IMP_EVENT_COUNT; ++kind) {
    impi_event_order(&world->heap, &world->event.events[kind], &world->event.event_keys);
  }
}


// Remove the end and begin events of shapes that touch before and after the step. Both event lists are sorted.
static void drop_handovers(ImpWorld *world, ImpEventKind begin, ImpEventKind end) {
  ImpiEventList *begins = &world->event.events[begin], *ends = &world->event.events[end];
  int kept_begins = 0, kept_ends = 0;
  for (int i = 0, k = 0; i < begins->count || k < ends->count;) {
    bool more_begins = i < begins->count, more_ends = k < ends->count;
    const ImpEvent *b = more_begins ? &begins->data[i] : NULL, *e = more_ends ? &ends->data[k] : NULL;
    bool same = b != NULL && e != NULL && b->id_a == e->id_a && b->id_b == e->id_b;
    if (same && impi_shapes_touch(world, b->shape_a, b->shape_b)) {
      ++i, ++k;
    } else if (e == NULL || (b != NULL && impi_event_goes_before(b, e))) {
      begins->data[kept_begins++] = begins->data[i++];
    } else {
      ends->data[kept_ends++] = ends->data[k++];
    }
  }
  begins->count = kept_begins;
  ends->count = kept_ends;
}


void impi_events_finish(ImpWorld *world) {
  sort_events(world);
  const ImpEventKind kinds[][2] = {{IMP_EVENT_BEGIN_CONTACT, IMP_EVENT_END_CONTACT},
                                   {IMP_EVENT_SENSOR_BEGIN, IMP_EVENT_SENSOR_END}};
  for (int i = 0; i < IMPI_COUNT(kinds); ++i) {
    if (world->event.events[kinds[i][0]].count > 0 && world->event.events[kinds[i][1]].count > 0) {
      drop_handovers(world, kinds[i][0], kinds[i][1]);
    }
  }
}
