// Sensors: shapes inside a sensor, and shapes that passed through a sensor within a step.
//
// Only the poses at the start of a step begin or end a contact. Therefore fast pieces are swept against pieces on their
// path.
// A piece that passed through a sensor gives a begin and an end event in one step.
#include "base/constants.h"
#include "base/sort.h"
#include "geometry/distance.h"
#include "geometry/toi.h"
#include "world/contacts.h"
#include "world/events.h"
#include "world/pairs.h"

// A piece is swept if it moved farther than this fraction of its extent.
#define FAR_ENOUGH 0.25


// ---------------------------------------------------------------------------------------------------------------------
// Shapes inside a sensor
// ---------------------------------------------------------------------------------------------------------------------


static bool made_before(const void *first, const void *second, const void *context) {
  const ImpWorld *world = context;
  return world->shapes.data[*(const int32_t *)first].serial < world->shapes.data[*(const int32_t *)second].serial;
}


ImpStatus imp_shape_overlaps(ImpWorld *world, ImpShape handle, ImpShape *shapes, int capacity, int *out_count) {
  IMPI_FIND_SHAPE(world, handle, slot);
  if (!world->shapes.data[slot].sensor) {
    return impi_fail(IMP_ERR_ARGUMENT, "only sensors have overlaps: other shapes have contacts");
  }
  int count = 0;
  for (int32_t edge = world->shapes.data[slot].first_edge; edge >= 0; edge = impi_next_of_shape(world, edge)) {
    const ImpiContact *contact = &world->contacts.data[edge >> 1];
    if (!(contact->flags & IMPI_CONTACT_TOUCHING)) {
      continue;
    }
    if (!impi_reserve(&world->heap, &world->sensor.visitors, count + 1)) {
      return impi_fail(IMP_ERR_NOMEM, "out of memory");
    }
    world->sensor.visitors.data[count++] = contact->shape_a == slot ? contact->shape_b : contact->shape_a;
  }
  int32_t *list = world->sensor.visitors.data;
  impi_sort(list, count, sizeof *list, made_before, world);
  int unique = 0;
  for (int i = 0; i < count; ++i) { // several pieces of one shape are one visitor
    if (i > 0 && list[i] == list[i - 1]) {
      continue;
    }
    if (world->shapes.data[list[i]].pending_destroy) {
      continue;
    }
    if (unique < capacity) {
      shapes[unique] = impi_shape_handle(world, list[i]);
    }
    ++unique;
  }
  *out_count = unique;
  return IMP_OK;
}


// ---------------------------------------------------------------------------------------------------------------------
// Shapes that passed through a sensor
// ---------------------------------------------------------------------------------------------------------------------


// Data for the visit of the pieces that a moving piece may have met.
typedef struct Walk {
  ImpWorld *world;
  int32_t proxy;
} Walk;


// Return the motion of a body in the step. `lane` of an awake body must be its index in `awake` + 1.
static ImpiSweep sweep_of(const ImpWorld *world, int32_t slot) {
  const ImpiBody *body = &world->bodies.data[slot];
  const ImpiMotion *now = &world->motions.data[slot];
  const ImpiMotion *then = body->lane > 0 ? &world->backup.data[body->lane - 1] : now;
  return (ImpiSweep){.local_center = body->local_center,
                     .c0 = {then->x, then->y},
                     .c1 = {now->x, now->y},
                     .a0 = then->angle,
                     .a1 = now->angle};
}


bool impi_shapes_touch(const ImpWorld *world, ImpShape a, ImpShape b) {
  int32_t slot_a = impi_pool_find(&world->shape_pool, a.id, world->tag);
  int32_t slot_b = impi_pool_find(&world->shape_pool, b.id, world->tag);
  return slot_a >= 0 && slot_b >= 0 && impi_pieces_touch(world, slot_a, slot_b, NULL);
}


static bool meet(int32_t other, void *context) {
  const Walk *walk = context;
  ImpWorld *world = walk->world;
  const ImpiProxy *p = &world->broadphase.proxies.data[walk->proxy], *q = &world->broadphase.proxies.data[other];
  bool one_sensor = world->shapes.data[p->shape].sensor != world->shapes.data[q->shape].sensor;
  if (one_sensor && impi_proxies_meet(p, q) &&
      impi_reserve(&world->heap, &world->sensor.passed, world->sensor.passed.count + 1)) {
    bool first = world->shapes.data[p->shape].sensor; // the sensor's piece comes first in the pair
    world->sensor.passed.data[world->sensor.passed.count++] =
        first ? (ImpiPair){walk->proxy, other} : (ImpiPair){other, walk->proxy};
  }
  return true;
}


// Pair a piece with each piece whose box overlaps its path, if exactly one of the two pieces belongs to a sensor.
static void walk_piece(ImpWorld *world, int32_t proxy, ImpVec2 travel) {
  const ImpiProxy *p = &world->broadphase.proxies.data[proxy];
  const ImpiBody *body = &world->bodies.data[p->body];
  const ImpiHull *hull = &world->shapes.data[p->shape].geometry.hulls[p->child];
  if (impi_length(travel) <= FAR_ENOUGH * hull->extent) {
    return;
  }
  ImpTransform now = impi_body_frame(body, &world->motions.data[p->body]);
  ImpTransform then = impi_body_frame(body, &world->backup.data[body->lane - 1]);
  // No point of the piece was farther than `reach` from the path of the body's centre.
  double reach = impi_length(impi_sub(hull->centroid, body->local_center)) + hull->extent;
  const ImpiMotion *m = &world->motions.data[p->body];
  ImpAabb way = {{m->x - reach, m->y - reach}, {m->x + reach, m->y + reach}};
  ImpAabb before = {impi_sub(way.lower, travel), impi_sub(way.upper, travel)};
  ImpAabb box = now.q.c == then.q.c && now.q.s == then.q.s
                    ? impi_aabb_union(impi_hull_aabb(hull, now), impi_hull_aabb(hull, then))
                    : impi_aabb_union(way, before);
  Walk walk = {world, proxy};
  impi_broadphase_follow(&world->broadphase, true);
  for (int kind = 0; kind < IMPI_PROXY_KINDS; ++kind) {
    impi_tree_query(&world->broadphase.trees[kind], box, IMPI_TREE_ALL, meet, &walk);
  }
}


static bool goes_before(const void *first, const void *second, const void *context) {
  const ImpWorld *world = context;
  const ImpiProxy *proxies = world->broadphase.proxies.data;
  const ImpiShape *shapes = world->shapes.data;
  const ImpiPair *x = first, *y = second;
  const ImpiProxy *ax = &proxies[x->proxy_a], *bx = &proxies[x->proxy_b];
  const ImpiProxy *ay = &proxies[y->proxy_a], *by = &proxies[y->proxy_b];
  const uint64_t key_x[] = {shapes[ax->shape].serial, shapes[bx->shape].serial, (uint64_t)ax->child,
                            (uint64_t)bx->child};
  const uint64_t key_y[] = {shapes[ay->shape].serial, shapes[by->shape].serial, (uint64_t)ay->child,
                            (uint64_t)by->child};
  for (int i = 0; i < IMPI_COUNT(key_x); ++i) {
    if (key_x[i] != key_y[i]) {
      return key_x[i] < key_y[i];
    }
  }
  return false;
}


// Return whether two pieces met on their paths, and where.
static bool passed(const ImpWorld *world, const ImpiProxy *sensor, const ImpiProxy *visitor, ImpiToi *out_toi) {
  const ImpiHull *a = &world->shapes.data[sensor->shape].geometry.hulls[sensor->child];
  const ImpiHull *b = &world->shapes.data[visitor->shape].geometry.hulls[visitor->child];
  ImpiSweep sweep_a = sweep_of(world, sensor->body), sweep_b = sweep_of(world, visitor->body);
  impi_time_of_impact(a, &sweep_a, b, &sweep_b, 0, 1, out_toi);
  return out_toi->state == IMPI_TOI_HIT && out_toi->t < 1;
}


// Return whether two pieces overlap at their present poses, so that the next step begins their contact.
static bool overlaps(const ImpWorld *world, const ImpiProxy *sensor, const ImpiProxy *visitor) {
  ImpTransform a = impi_body_frame(&world->bodies.data[sensor->body], &world->motions.data[sensor->body]);
  ImpTransform b = impi_body_frame(&world->bodies.data[visitor->body], &world->motions.data[visitor->body]);
  ImpiClosest closest;
  impi_closest(&world->shapes.data[sensor->shape].geometry.hulls[sensor->child],
               &world->shapes.data[visitor->shape].geometry.hulls[visitor->child],
               (ImpTransform){impi_inv_apply(a, b.p), impi_inv_mul_rot(a.q, b.q)}, &closest);
  return closest.distance <= 0;
}


static void report(ImpWorld *world, int32_t sensor, int32_t visitor, const ImpiToi *toi) {
  int32_t body_a = world->shapes.data[sensor].body, body_b = world->shapes.data[visitor].body;
  ImpEvent event = {
      .body_a = impi_body_handle(world, body_a),
      .body_b = impi_body_handle(world, body_b),
      .shape_a = impi_shape_handle(world, sensor),
      .shape_b = impi_shape_handle(world, visitor),
      .id_a = world->shapes.data[sensor].serial,
      .id_b = world->shapes.data[visitor].serial,
      .point = toi->point,
      .normal = toi->normal,
  };
  impi_event_add(world, IMP_EVENT_SENSOR_BEGIN, event);
  impi_event_add(world, IMP_EVENT_SENSOR_END, event);
}


// Report once that a visitor passed through a sensor, unless they touch or overlap now. Their pairs are entries
// [first, last) of the sorted list.
static void report_pair(ImpWorld *world, int first, int last) {
  const ImpiPair *list = world->sensor.passed.data;
  const ImpiProxy *proxies = world->broadphase.proxies.data;
  int32_t sensor = proxies[list[first].proxy_a].shape, visitor = proxies[list[first].proxy_b].shape;
  if (impi_pieces_touch(world, sensor, visitor, NULL) ||
      !impi_world_may_touch(world, list[first].proxy_a, list[first].proxy_b)) {
    return;
  }
  bool met = false;
  ImpiToi earliest = {.t = 2};
  for (int i = first; i < last; ++i) {
    const ImpiProxy *a = &proxies[list[i].proxy_a], *b = &proxies[list[i].proxy_b];
    ImpiToi toi;
    if (overlaps(world, a, b)) {
      return;
    }
    if (passed(world, a, b, &toi) && toi.t < earliest.t) {
      met = true;
      earliest = toi;
    }
  }
  if (met && !impi_pair_refuses(world, sensor, visitor)) {
    report(world, sensor, visitor, &earliest);
  }
}


void impi_sweep_sensors(ImpWorld *world) {
  if (world->sensor.sensors == 0 || !world->continuous) {
    return;
  }
  world->sensor.passed.count = 0;
  for (int i = 0; i < world->awake.count; ++i) {
    world->bodies.data[world->awake.data[i]].lane = i + 1; // `lane` is unused between solves, and stores the index + 1
  }
  for (int i = 0; i < world->awake.count; ++i) {
    int32_t slot = world->awake.data[i];
    const ImpiMotion *now = &world->motions.data[slot], *then = &world->backup.data[i];
    ImpVec2 travel = {now->x - then->x, now->y - then->y};
    for (int32_t s = world->bodies.data[slot].enabled ? world->bodies.data[slot].first_shape : -1; s >= 0;
         s = world->shapes.data[s].next) {
      const ImpiShape *shape = &world->shapes.data[s];
      for (int32_t k = 0; k < shape->geometry.child_count && shape->attached; ++k) {
        walk_piece(world, impi_shape_proxy(shape, k), travel);
      }
    }
  }
  ImpiPair *list = world->sensor.passed.data;
  int count = world->sensor.passed.count;
  impi_sort(list, count, sizeof *list, goes_before, world);
  for (int first = 0, last; first < count; first = last) {
    const ImpiProxy *proxies = world->broadphase.proxies.data;
    const ImpiProxy *a = &proxies[list[first].proxy_a], *b = &proxies[list[first].proxy_b];
    for (last = first + 1; last < count; ++last) {
      if (proxies[list[last].proxy_a].shape != a->shape || proxies[list[last].proxy_b].shape != b->shape) {
        break;
      }
    }
    report_pair(world, first, last);
  }
  for (int i = 0; i < world->awake.count; ++i) {
    world->bodies.data[world->awake.data[i]].lane = 0;
  }
}
