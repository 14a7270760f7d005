// Events of the last step and pending events.
#include <limits.h>
#include <stdlib.h>

#include "base/sort.h"
#include "world/events.h"


bool impi_event_add(ImpWorld *world, ImpEventKind kind, ImpEvent event) {
  ImpiEventList *list = world->stepping ? &world->event.events[kind] : &world->event.pending[kind];
  if (!impi_reserve(&world->heap, list, list->count + 1)) {
    return false;
  }
  list->data[list->count++] = event;
  return true;
}


void impi_event_body(ImpWorld *world, ImpEventKind kind, int32_t body, const char *text) {
  impi_event_add(
      world, kind,
      (ImpEvent){.body_a = impi_body_handle(world, body), .id_a = world->bodies.data[body].serial, .text = text});
}


void impi_event_contact(ImpWorld *world, ImpEventKind kind, const ImpiContact *contact, double speed, double impulse) {
  ImpEvent event = {
      .body_a = impi_body_handle(world, contact->body_a),
      .body_b = impi_body_handle(world, contact->body_b),
      .shape_a = impi_shape_handle(world, contact->shape_a),
      .shape_b = impi_shape_handle(world, contact->shape_b),
      .id_a = world->shapes.data[contact->shape_a].serial,
      .id_b = world->shapes.data[contact->shape_b].serial,
      .normal = contact->normal,
      .speed = speed,
      .impulse = impulse,
  };
  if (contact->count > 0) {
    // Report the point with the largest normal impulse; if the impulses are equal, the deepest point.
    const ImpiContactPoint *p = &contact->points[0], *q = &contact->points[1];
    if (contact->count == 2 &&
        (q->total_n > p->total_n || (q->total_n == p->total_n && q->separation < p->separation))) {
      p = q;
    }
    event.point =
        impi_contact_place(contact, p, &world->motions.data[contact->body_a], &world->motions.data[contact->body_b]);
  }
  if ((kind == IMP_EVENT_SENSOR_BEGIN || kind == IMP_EVENT_SENSOR_END) &&
      !world->shapes.data[contact->shape_a].sensor) {
    ImpEvent other = event;
    event.body_a = other.body_b;
    event.shape_a = other.shape_b;
    event.id_a = other.id_b;
    event.body_b = other.body_a;
    event.shape_b = other.shape_a;
    event.id_b = other.id_a;
    event.normal = impi_neg(other.normal);
  }
  impi_event_add(world, kind, event);
}


void impi_free_old_names(ImpWorld *world, int list) {
  for (int i = 0; i < world->event.old_names[list].count; ++i) {
    impi_free_string(&world->heap, world->event.old_names[list].data[i]);
  }
  world->event.old_names[list].count = 0;
}


// Exchange the lists of pending events with the lists of the last step's events: names and destroyed objects.
static void swap_old_names(ImpWorld *world) {
  ImpiNameList names = world->event.old_names[0];
  ImpiDestroyedList destroyed = world->event.destroyed_last;
  world->event.old_names[0] = world->event.old_names[1];
  world->event.old_names[1] = names;
  world->event.destroyed_last = world->event.destroyed;
  world->event.destroyed = destroyed;
  world->event.destroyed_order[0].count = world->event.destroyed_order[1].count = 0;
}


// ---------------------------------------------------------------------------------------------------------------------
// Destroyed objects to which events may still refer
// ---------------------------------------------------------------------------------------------------------------------


static void forget_destroyed(ImpWorld *world, ImpiDestroyedList *list) {
  for (int i = 0; i < list->count; ++i) {
    impi_free_string(&world->heap, list->data[i].name);
  }
  list->count = 0;
}


void impi_free_destroyed(ImpWorld *world) {
  forget_destroyed(world, &world->event.destroyed_last);
  forget_destroyed(world, &world->event.destroyed);
  impi_array_free(&world->heap, &world->event.destroyed_last);
  impi_array_free(&world->heap, &world->event.destroyed);
  impi_array_free(&world->heap, &world->event.destroyed_order[0]);
  impi_array_free(&world->heap, &world->event.destroyed_order[1]);
}


// Objects that were created after the last step began are not stored, because no event refers to them.
void impi_note_destroyed(ImpWorld *world, ImpObjectKind kind, uint64_t id, uint64_t serial, char *name) {
  ImpiDestroyedList *list = world->stepping ? &world->event.destroyed_last : &world->event.destroyed;
  uint64_t begun = kind == IMP_OBJECT_BODY    ? world->step_bodies
                   : kind == IMP_OBJECT_SHAPE ? world->step_shapes
                                              : world->step_joints;
  if (serial > begun || !impi_reserve(&world->heap, list, list->count + 1)) {
    impi_free_string(&world->heap, name);
    return;
  }
  list->data[list->count++] =
      (ImpiDestroyed){.key = IMP_KEY(id), .serial = serial, .name = name, .kind = (int32_t)kind};
}


static int compare_places(const void *a, const void *b) {
  const ImpiDestroyedPlace *p = a, *q = b;
  return p->key != q->key ? (p->key < q->key ? -1 : 1) : (p->kind > q->kind) - (p->kind < q->kind);
}


static bool goes_before(const void *a, const void *b, const void *context) {
  (void)context;
  return compare_places(a, b) < 0;
}


static const ImpiDestroyed *find_destroyed(ImpWorld *world, const ImpiDestroyedList *list, int which,
                                           ImpiDestroyedPlace wanted) {
  if (world->event.destroyed_order[which].count != list->count) {
    if (!impi_reserve(&world->heap, &world->event.destroyed_order[which], list->count)) {
      return NULL;
    }
    for (int32_t i = 0; i < list->count; ++i) {
      world->event.destroyed_order[which].data[i] = (ImpiDestroyedPlace){list->data[i].key, list->data[i].kind, i};
    }
    world->event.destroyed_order[which].count = list->count;
    impi_sort(world->event.destroyed_order[which].data, list->count, sizeof wanted, goes_before, NULL);
  }
  const ImpiDestroyedPlace *found = list->count == 0 ? NULL
                                                     : bsearch(&wanted, world->event.destroyed_order[which].data,
                                                               (size_t)list->count, sizeof wanted, compare_places);
  return found != NULL ? &list->data[found->place] : NULL;
}


bool imp_world_destroyed_object(const ImpWorld *world, ImpObjectKind kind, uint64_t id, const char **out_name,
                                uint64_t *out_number) {
  ImpWorld *cache = (ImpWorld *)(uintptr_t)world; // the sorted index may change in a const world
  ImpiDestroyedPlace wanted = {.key = IMP_KEY(id), .kind = (int32_t)kind};
  const ImpiDestroyed *destroyed = NULL;
  if (id != 0 && id - wanted.key == (uint64_t)world->tag << 48) {
    destroyed = find_destroyed(cache, &world->event.destroyed, 1, wanted);
    destroyed = destroyed != NULL ? destroyed : find_destroyed(cache, &world->event.destroyed_last, 0, wanted);
  }
  *out_name = destroyed != NULL ? destroyed->name : NULL;
  *out_number = destroyed != NULL ? destroyed->serial : 0;
  return destroyed != NULL;
}


void impi_events_begin_step(ImpWorld *world) {
  int most = 0;
  for (int kind = 0; kind < IMP_EVENT_COUNT; ++kind) {
    ImpiEventList *last = &world->event.events[kind];
    most = most > last->count ? most : last->count;
    impi_tidy(&world->heap, last, &world->event.event_peaks[kind], last->count);
    last->count = 0;
    if (world->event.pending[kind].count > 0) {
      ImpiEventList spent = world->event.events[kind];
      world->event.events[kind] = world->event.pending[kind];
      world->event.pending[kind] = spent;
    }
  }
  impi_tidy(&world->heap, &world->event.event_keys, &world->event.event_keys_peak,
            most < INT_MAX / 4 ? 2 * most : INT_MAX / 2);
  impi_free_old_names(world, 0);
  forget_destroyed(world, &world->event.destroyed_last);
  swap_old_names(world);
}


void impi_events_undo(ImpWorld *world) {
  for (int kind = 0; kind < IMP_EVENT_COUNT; ++kind) {
    ImpiEventList empty = world->event.pending[kind];
    world->event.pending[kind] = world->event.events[kind];
    world->event.events[kind] = empty;
  }
  swap_old_names(world);
}


const char *imp_event_name(int kind) {
  static const char *const names[] = {
      [IMP_EVENT_BEGIN_CONTACT] = "begin_contact",
      [IMP_EVENT_END_CONTACT] = "end_contact",
      [IMP_EVENT_HIT] = "hit",
      [IMP_EVENT_SENSOR_BEGIN] = "sensor_begin",
      [IMP_EVENT_SENSOR_END] = "sensor_end",
      [IMP_EVENT_JOINT_BREAK] = "joint_break",
      [IMP_EVENT_JOINT_DESTROYED] = "joint_destroyed",
      [IMP_EVENT_SLEEP] = "sleep",
      [IMP_EVENT_WAKE] = "wake",
      [IMP_EVENT_FAULT] = "fault",
      [IMP_EVENT_WARNING] = "warning",
  };
  IMPI_COVERS(names, IMP_EVENT_COUNT);
  return kind >= 0 && kind < IMP_EVENT_COUNT ? names[kind] : NULL;
}


const ImpEvent *imp_world_events(const ImpWorld *world, ImpEventKind kind, int *out_count) {
  if ((int)kind < 0 || kind >= IMP_EVENT_COUNT) {
    *out_count = 0;
    return NULL;
  }
  *out_count = world->event.events[kind].count;
  return world->event.events[kind].data;
}
