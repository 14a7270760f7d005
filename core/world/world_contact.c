// Contacts of a world: creation and removal, begin and end events, and getters.

#include "base/sort.h"
#include "world/contacts.h"
#include "world/events.h"
#include "world/pairs.h"
#include "world/sleep.h"
#include "world/touching.h"


bool impi_world_may_touch(const ImpWorld *world, int32_t proxy_a, int32_t proxy_b) {
  const ImpiProxy *p = &world->broadphase.proxies.data[proxy_a], *q = &world->broadphase.proxies.data[proxy_b];
  const ImpiBody *a = &world->bodies.data[p->body], *b = &world->bodies.data[q->body];
  bool sensor = world->shapes.data[p->shape].sensor, other = world->shapes.data[q->shape].sensor;
  if (sensor && other) {
    return false; // sensors do not detect each other
  }
  sensor = sensor || other;
  if (!((impi_is_dynamic(a) || impi_is_dynamic(b) || sensor) && a->enabled && b->enabled)) {
    return false;
  }
  return sensor || a->first_joint < 0 || b->first_joint < 0 || !impi_world_joined(world, p->body, q->body);
}


// Insert an edge into its body's list: in front of the edges of its shape, or at the front if its shape has no edges.
static void link_edge(ImpWorld *world, int32_t contact, int side) {
  ImpiContact *contacts = world->contacts.data, *own = &contacts[contact];
  ImpiBody *body = &world->bodies.data[side == 0 ? own->body_a : own->body_b];
  ImpiShape *shape = &world->shapes.data[side == 0 ? own->shape_a : own->shape_b];
  int32_t edge = contact * 2 + side, next = shape->first_edge >= 0 ? shape->first_edge : body->first_edge;
  int32_t previous = next >= 0 ? contacts[next >> 1].edge[next & 1].previous : -1;
  own->edge[side].previous = previous;
  own->edge[side].next = next;
  if (next >= 0) {
    contacts[next >> 1].edge[next & 1].previous = edge;
  }
  *(previous >= 0 ? &contacts[previous >> 1].edge[previous & 1].next : &body->first_edge) = edge;
  shape->first_edge = edge;
}


static void unlink_edge(ImpWorld *world, int32_t contact, int side) {
  ImpiContact *contacts = world->contacts.data, *own = &contacts[contact];
  ImpiBody *body = &world->bodies.data[side == 0 ? own->body_a : own->body_b];
  ImpiShape *shape = &world->shapes.data[side == 0 ? own->shape_a : own->shape_b];
  int32_t previous = own->edge[side].previous, next = own->edge[side].next, edge = contact * 2 + side;
  if (shape->first_edge == edge) {
    shape->first_edge = impi_next_of_shape(world, edge);
  }
  if (next >= 0) {
    contacts[next >> 1].edge[next & 1].previous = previous;
  }
  *(previous >= 0 ? &contacts[previous >> 1].edge[previous & 1].next : &body->first_edge) = next;
}


void impi_contacts_relink(ImpWorld *world) {
  for (int32_t slot = 0; slot < world->shapes.count; ++slot) {
    world->shapes.data[slot].first_edge = -1;
  }
  for (int32_t slot = 0; slot < world->bodies.count; ++slot) {
    int32_t last = -1;
    bool lives = world->body_pool.slots.data[slot].next_free == IMPI_SLOT_LIVE;
    for (int32_t edge = lives ? world->bodies.data[slot].first_edge : -1; edge >= 0;) {
      last = edge;
      edge = world->contacts.data[edge >> 1].edge[edge & 1].next;
    }
    if (lives) {
      world->bodies.data[slot].first_edge = -1;
    }
    // Link the last edge first, because each edge is inserted in front of the edges linked before.
    for (int32_t edge = last; edge >= 0; edge = last) {
      last = world->contacts.data[edge >> 1].edge[edge & 1].previous;
      link_edge(world, edge >> 1, edge & 1);
    }
  }
}


ImpStatus impi_world_reserve_contact(ImpWorld *world) {
  ImpiHeap *heap = &world->heap;
  if (impi_pool_reserve(heap, &world->contact_pool) != IMP_OK) {
    return IMP_ERR_NOMEM;
  }
  int32_t count = impi_pool_peek(&world->contact_pool) + 1;
  bool room = impi_reserve(heap, &world->contacts, count) && impi_bits_reserve(heap, &world->narrow.awake, count) &&
              impi_bits_reserve(heap, &world->narrow.needs_recheck, count) &&
              impi_bits_reserve(heap, &world->narrow.found, count) &&
              impi_bits_reserve(heap, &world->narrow.known, count) &&
              impi_bits_reserve(heap, &world->narrow.seen, count) &&
              impi_separated_reserve(heap, &world->narrow.separated, count) &&
              impi_pair_map_reserve(heap, &world->broadphase.contacts, world->broadphase.contacts.count + 1);
  return room ? IMP_OK : impi_fail(IMP_ERR_NOMEM, "out of memory");
}


// Return the friction and restitution that the user gave a pair of materials. Default: the result of the mix callback.
ImpMix impi_mix_known(const ImpiMix *mix) {
  ImpMix result = mix->ruled;
  impi_take_given(&result.friction, mix->fixed.friction);
  impi_take_given(&result.restitution, mix->fixed.restitution);
  return result;
}


void impi_world_mix(ImpWorld *world, int32_t slot) {
  ImpiContact *contact = impi_contact_change(world, slot);
  const ImpiShape *a = &world->shapes.data[contact->shape_a], *b = &world->shapes.data[contact->shape_b];
  impi_contact_mix(contact, a, b);
  if (a->material_id == 0 || b->material_id == 0) {
    return;
  }
  ImpiMix *mix = &world->materials.mixes.data[impi_mix_place(a->material_id, b->material_id)];
  world->unmixed = world->unmixed || !mix->from_callback;
  mix->wanted = true;
  ImpMix result = impi_mix_known(mix);
  impi_take_given(&contact->friction, result.friction);
  impi_take_given(&contact->restitution, result.restitution);
}


void impi_shape_mix(ImpWorld *world, int32_t shape) {
  for (int32_t edge = world->shapes.data[shape].first_edge; edge >= 0; edge = impi_next_of_shape(world, edge)) {
    impi_world_mix(world, edge >> 1);
  }
}


int32_t impi_contact_take(ImpWorld *world, int32_t proxy_a, int32_t proxy_b) {
  int32_t slot = impi_pool_take(&world->contact_pool);
  if (slot == world->contacts.count) {
    world->contacts.count = slot + 1;
  }
  impi_pair_map_insert(&world->broadphase.contacts, proxy_a, proxy_b, slot);
  impi_bits_set(&world->narrow.awake, slot);
  return slot;
}


void impi_contact_fill(ImpWorld *world, int32_t slot, int32_t proxy_a, int32_t proxy_b) {
  const ImpiProxy *proxies = world->broadphase.proxies.data;
  ImpiContact *contact = &world->contacts.data[slot];
  if (world->shapes.data[proxies[proxy_a].shape].serial > world->shapes.data[proxies[proxy_b].shape].serial) {
    int32_t swap = proxy_a;
    proxy_a = proxy_b;
    proxy_b = swap;
  }
  const ImpiProxy *a = &proxies[proxy_a], *b = &proxies[proxy_b];
  const ImpiShape *shape_a = &world->shapes.data[a->shape], *shape_b = &world->shapes.data[b->shape];
  memset(contact, 0, sizeof *contact);
  contact->body_a = a->body;
  contact->body_b = b->body;
  contact->shape_a = a->shape;
  contact->shape_b = b->shape;
  contact->child_a = a->child;
  contact->child_b = b->child;
  contact->proxy_a = proxy_a;
  contact->proxy_b = proxy_b;
  contact->flags = shape_a->sensor || shape_b->sensor ? IMPI_CONTACT_SENSOR : 0;
  contact->colour = IMPI_UNCOLOURED;
  impi_contact_mix(contact, shape_a, shape_b);
}


void impi_contact_link(ImpWorld *world, int32_t slot) {
  const ImpiContact *contact = &world->contacts.data[slot];
  if (world->shapes.data[contact->shape_a].material_id != 0 && world->shapes.data[contact->shape_b].material_id != 0) {
    impi_world_mix(world, slot);
  }
  link_edge(world, slot, 0);
  link_edge(world, slot, 1);
}


int32_t impi_world_add_contact(ImpWorld *world, int32_t proxy_a, int32_t proxy_b) {
  int32_t slot = impi_contact_take(world, proxy_a, proxy_b);
  impi_contact_fill(world, slot, proxy_a, proxy_b);
  impi_contact_link(world, slot);
  return slot;
}


ImpiContact *impi_contact_change(ImpWorld *world, int32_t slot) {
  ImpiContact *contact = &world->contacts.data[slot];
  impi_separated_drop(&world->narrow.separated, slot, contact);
  if (contact->run > 0) {
    impi_contact_now(world, slot);
    impi_lane_contacts_leave(&world->narrow.lane_contacts, world->contacts.data, slot);
    contact->stamp = world->narrow.lane_contacts.stamp;
    impi_bits_set(&world->narrow.seen, slot); // inside a step the contact must enter the lanes again
  }
  return contact;
}


ImpiContact *impi_contact_look_again(ImpWorld *world, int32_t slot) {
  ImpiContact *contact = impi_contact_change(world, slot);
  contact->stamp = 0;
  impi_bits_clear(&world->narrow.known, slot);
  impi_bits_set(&world->narrow.awake, slot);
  return contact;
}


void impi_contacts_expire(ImpWorld *world, int32_t body) {
  int32_t edge = world->bodies.data[body].first_edge;
  if (edge < 0 || impi_bits_has(&world->narrow.stale, body)) {
    return;
  }
  while (edge >= 0) {
    ImpiContact *contact = impi_contact_change(world, edge >> 1);
    contact->flags &= ~(uint32_t)IMPI_CONTACT_FRESH;
    edge = contact->edge[edge & 1].next;
  }
  // If memory runs out, the next call for this body visits all edges again.
  if (impi_bits_reserve(&world->heap, &world->narrow.stale, world->bodies.count)) {
    impi_bits_set(&world->narrow.stale, body);
  }
}


void impi_contact_end(ImpWorld *world, int32_t slot) {
  impi_contact_change(world, slot);
  impi_lane_contacts_end(&world->narrow.lane_contacts, world->contacts.data, slot, world->bodies.data);
  world->narrow.active_dirty = true;
}


void impi_contacts_now(const ImpWorld *world) {
  const ImpiBits *inside = &world->narrow.lane_contacts.inside;
  for (int i = 0; i < inside->count; ++i) {
    for (uint64_t word = inside->data[i]; word != 0;) {
      int32_t slot = 64 * i + impi_bits_pop(&word);
      impi_contact_now(world, slot);
      world->contacts.data[slot].stamp = world->narrow.lane_contacts.stamp;
    }
  }
  const ImpiBits *near = &world->narrow.separated.set;
  for (int i = 0; i < near->count; ++i) {
    for (uint64_t word = near->data[i]; word != 0;) {
      int32_t slot = 64 * i + impi_bits_pop(&word);
      impi_separated_write_back(&world->narrow.separated, slot, &world->contacts.data[slot]);
    }
  }
}


// Return whether several contacts of two shapes may touch.
static bool may_touch_twice(const ImpWorld *world, int32_t shape_a, int32_t shape_b) {
  return world->shapes.data[shape_a].geometry.child_count != 1 || world->shapes.data[shape_b].geometry.child_count != 1;
}


// Add `by` to the number of touching contacts of two shapes. False when out of memory.
static bool count_twin(ImpWorld *world, const ImpiContact *contact, int32_t by) {
  ImpiPairMap *map = &world->narrow.touching_counts.of_shapes;
  int32_t before = impi_pair_map_find(map, contact->shape_a, contact->shape_b);
  int32_t count = (before < 0 ? 0 : before) + by;
  if (count == 0) {
    impi_pair_map_remove(map, contact->shape_a, contact->shape_b);
    return true;
  }
  if (!impi_pair_map_reserve(&world->heap, map, map->count + 1)) {
    return false;
  }
  impi_pair_map_insert(map, contact->shape_a, contact->shape_b, count);
  return true;
}


// Count the touching contacts of each pair of shapes, unless both shapes have one piece. False when out of memory.
static bool count_touching(ImpWorld *world) {
  if (world->narrow.touching_counts.counted) {
    return true;
  }
  impi_pair_map_free(&world->heap, &world->narrow.touching_counts.of_shapes);
  for (int32_t slot = 0; slot < world->contacts.count; ++slot) {
    const ImpiContact *contact = &world->contacts.data[slot];
    bool lives = world->contact_pool.slots.data[slot].next_free == IMPI_SLOT_LIVE;
    if (lives && contact->flags & IMPI_CONTACT_TOUCHING && may_touch_twice(world, contact->shape_a, contact->shape_b) &&
        !count_twin(world, contact, 1)) {
      return false;
    }
  }
  return world->narrow.touching_counts.counted = true;
}


enum { MAX_WALKED_CONTACTS = 64 }; // walking up to this many contacts of a shape is faster than keeping counts


bool impi_pieces_touch(const ImpWorld *world, int32_t shape_a, int32_t shape_b, const ImpiContact *but) {
  int32_t edges[2] = {world->shapes.data[shape_a].first_edge, world->shapes.data[shape_b].first_edge};
  ImpWorld *cache = (ImpWorld *)(uintptr_t)world; // counts are a cache, so they may change in a const world
  int looked_at = 0;
  for (int side = 0; edges[side] >= 0; side = 1 - side) {
    if (++looked_at == MAX_WALKED_CONTACTS && may_touch_twice(world, shape_a, shape_b) && count_touching(cache)) {
      bool own = but != NULL && but->flags & IMPI_CONTACT_TOUCHING;
      return impi_pair_map_find(&world->narrow.touching_counts.of_shapes, shape_a, shape_b) > (own ? 1 : 0);
    }
    const ImpiContact *contact = &world->contacts.data[edges[side] >> 1];
    edges[side] = impi_next_of_shape(world, edges[side]);
    bool both = (contact->shape_a == shape_a && contact->shape_b == shape_b) ||
                (contact->shape_a == shape_b && contact->shape_b == shape_a);
    if (both && contact != but && contact->flags & IMPI_CONTACT_TOUCHING) {
      return true;
    }
  }
  return false;
}


// Return whether another contact of the same two shapes touches.
static bool twin_touches(const ImpWorld *world, int32_t slot) {
  const ImpiContact *contact = &world->contacts.data[slot];
  return may_touch_twice(world, contact->shape_a, contact->shape_b) &&
         impi_pieces_touch(world, contact->shape_a, contact->shape_b, contact);
}


void impi_world_set_touching(ImpWorld *world, int32_t slot, bool touching, double speed) {
  impi_contact_now(world, slot);
  ImpiContact *contact = &world->contacts.data[slot];
  bool sensor = contact->flags & IMPI_CONTACT_SENSOR, was = contact->flags & IMPI_CONTACT_TOUCHING;
  if (touching) {
    contact->flags |= IMPI_CONTACT_TOUCHING;
  } else {
    contact->flags &= ~(uint32_t)IMPI_CONTACT_TOUCHING;
  }
  if (world->narrow.touching_counts.counted && was != touching &&
      may_touch_twice(world, contact->shape_a, contact->shape_b)) {
    world->narrow.touching_counts.counted = count_twin(world, contact, touching ? 1 : -1);
  }
  impi_touching_changed(world);
  if (twin_touches(world, slot)) {
    return;
  }
  ImpEventKind begin = sensor ? IMP_EVENT_SENSOR_BEGIN : IMP_EVENT_BEGIN_CONTACT;
  ImpEventKind end = sensor ? IMP_EVENT_SENSOR_END : IMP_EVENT_END_CONTACT;
  impi_event_contact(world, touching ? begin : end, contact, touching ? speed : 0, 0);
}


void impi_world_remove_contact(ImpWorld *world, int32_t slot) {
  world->row.valid = false;
  const ImpiContact *contact = impi_contact_now(world, slot);
  if (contact->flags & IMPI_CONTACT_TOUCHING) {
    impi_world_set_touching(world, slot, false, 0);
    if (!(contact->flags & IMPI_CONTACT_SENSOR)) {
      impi_world_wake(world, contact->body_a);
      impi_world_wake(world, contact->body_b);
    }
  }
  unlink_edge(world, slot, 0);
  unlink_edge(world, slot, 1);
  impi_pair_map_remove(&world->broadphase.contacts, contact->proxy_a, contact->proxy_b);
  impi_lane_contacts_end(&world->narrow.lane_contacts, world->contacts.data, slot, world->bodies.data);
  impi_bits_clear(&world->narrow.awake, slot);
  impi_bits_clear(&world->narrow.seen, slot);
  impi_bits_clear(&world->narrow.needs_recheck, slot);
  impi_bits_clear(&world->narrow.found, slot);
  impi_bits_clear(&world->narrow.known, slot);
  impi_bits_clear(&world->narrow.separated.set, slot);
  world->narrow.active_dirty = true;
  impi_points_drop(&world->points, &world->contacts.data[slot]);
  impi_pool_release(&world->contact_pool, slot);
  impi_touching_changed(world);
}


// ---------------------------------------------------------------------------------------------------------------------
// Getters of touching contacts, in the order of their shapes
// ---------------------------------------------------------------------------------------------------------------------


static bool goes_before(const void *first, const void *second, const void *context) {
  const ImpWorld *world = context;
  const ImpiContact *x = &world->contacts.data[*(const int32_t *)first];
  const ImpiContact *y = &world->contacts.data[*(const int32_t *)second];
  const uint64_t key_x[] = {world->shapes.data[x->shape_a].serial, world->shapes.data[x->shape_b].serial,
                            (uint64_t)x->child_a, (uint64_t)x->child_b};
  const uint64_t key_y[] = {world->shapes.data[y->shape_a].serial, world->shapes.data[y->shape_b].serial,
                            (uint64_t)y->child_a, (uint64_t)y->child_b};
  for (int i = 0; i < IMPI_COUNT(key_x); ++i) {
    if (key_x[i] != key_y[i]) {
      return key_x[i] < key_y[i];
    }
  }
  return false;
}


void impi_world_sort_contacts(const ImpWorld *world, int32_t *slots, int count) {
  impi_sort(slots, count, sizeof *slots, goes_before, world);
}


bool impi_world_sort_touching(ImpWorld *world) {
  if (world->touching.valid) {
    return true;
  }
  if (!impi_reserve(&world->heap, &world->touching.list, world->contact_pool.live) ||
      !impi_reserve(&world->heap, &world->touching.ranks, world->contacts.count)) {
    return false;
  }
  int32_t *list = world->touching.list.data;
  int count = 0;
  for (int32_t slot = 0; slot < world->contacts.count; ++slot) {
    if (world->contact_pool.slots.data[slot].next_free == IMPI_SLOT_LIVE &&
        world->contacts.data[slot].flags & IMPI_CONTACT_TOUCHING) {
      list[count++] = slot;
    }
  }
  impi_world_sort_contacts(world, list, count);
  for (int i = 0; i < count; ++i) {
    world->touching.ranks.data[list[i]] = i;
  }
  world->touching.list.count = count;
  world->touching.valid = true;
  return true;
}


ImpContact imp_world_next_contact(ImpWorld *world, ImpContact previous) {
  if (!impi_world_sort_touching(world)) {
    return (ImpContact){0};
  }
  int32_t at = impi_pool_find(&world->contact_pool, previous.id, world->tag);
  if (previous.id != 0 && (at < 0 || !(world->contacts.data[at].flags & IMPI_CONTACT_TOUCHING))) {
    return (ImpContact){0};
  }
  int rank = previous.id == 0 ? 0 : world->touching.ranks.data[at] + 1;
  return rank < world->touching.list.count ? impi_contact_handle(world, world->touching.list.data[rank])
                                           : (ImpContact){0};
}


// List the touching contacts of one body, in the order of their shapes; false when out of memory.
static bool list_contacts_of(ImpWorld *world, int32_t body) {
  if (world->touching.body == body) {
    return true;
  }
  int count = 0;
  for (int32_t edge = world->bodies.data[body].first_edge; edge >= 0;) {
    const ImpiContact *contact = &world->contacts.data[edge >> 1];
    if (contact->flags & IMPI_CONTACT_TOUCHING) {
      if (!impi_reserve(&world->heap, &world->touching.of_body, count + 1)) {
        world->touching.body = -1;
        return false;
      }
      world->touching.of_body.data[count++] = edge >> 1;
    }
    edge = contact->edge[edge & 1].next;
  }
  impi_world_sort_contacts(world, world->touching.of_body.data, count);
  world->touching.of_body.count = count;
  world->touching.body = body;
  return true;
}


ImpContact imp_body_next_contact(ImpWorld *world, ImpBody handle, ImpContact previous) {
  int32_t body = impi_pool_find(&world->body_pool, handle.id, world->tag);
  int32_t at = impi_pool_find(&world->contact_pool, previous.id, world->tag);
  if (body < 0 || (previous.id != 0 && at < 0) || !list_contacts_of(world, body)) {
    return (ImpContact){0};
  }
  const int32_t *list = world->touching.of_body.data;
  int low = 0, high = previous.id == 0 ? 0 : world->touching.of_body.count;
  while (low < high) { // binary search for the first contact after `previous`
    int middle = (low + high) / 2;
    if (goes_before(&at, &list[middle], world)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  bool goes_on = previous.id == 0 || (low > 0 && list[low - 1] == at);
  return goes_on && low < world->touching.of_body.count ? impi_contact_handle(world, list[low]) : (ImpContact){0};
}


bool imp_contact_is_valid(const ImpWorld *world, ImpContact contact) {
  int32_t slot = impi_pool_find(&world->contact_pool, contact.id, world->tag);
  return slot >= 0 && world->contacts.data[slot].flags & (IMPI_CONTACT_TOUCHING | IMPI_CONTACT_PRE_SOLVED);
}


ImpStatus imp_contact_info(const ImpWorld *world, ImpContact handle, ImpContactInfo *out_info) {
  int32_t slot = impi_pool_find(&world->contact_pool, handle.id, world->tag);
  if (slot < 0) {
    return impi_pool_fail(handle.id, world->tag, "contact");
  }
  const ImpiContact *contact = impi_contact_now(world, slot);
  const ImpiMotion *motion_a = &world->motions.data[contact->body_a], *motion_b = &world->motions.data[contact->body_b];
  *out_info = (ImpContactInfo){
      .body_a = impi_body_handle(world, contact->body_a),
      .body_b = impi_body_handle(world, contact->body_b),
      .shape_a = impi_shape_handle(world, contact->shape_a),
      .shape_b = impi_shape_handle(world, contact->shape_b),
      .normal = contact->normal,
      .count = contact->count,
      .friction = contact->friction,
      .restitution = contact->restitution,
      .restitution_threshold = impi_world_restitution_threshold(world, contact),
      .rolling_resistance = contact->rolling,
      .surface_speed = contact->surface_speed,
      .rolling_impulse = contact->total_r,
      .enabled = !(contact->flags & (IMPI_CONTACT_PASSING | IMPI_CONTACT_DISABLED)),
  };
  for (int i = 0; i < contact->count; ++i) {
    const ImpiContactPoint *point = &contact->points[i];
    out_info->speed = i == 0 ? point->approach : impi_max(out_info->speed, point->approach);
    out_info->points[i] = (ImpContactPoint){
        .point = impi_contact_place(contact, point, motion_a, motion_b),
        .separation = point->separation,
        .normal_impulse = point->total_n,
        .tangent_impulse = point->total_t,
        .feature = point->feature,
        .matched = point->matched,
    };
  }
  return IMP_OK;
}


static bool keeps_apart(const ImpiJoint *joint, int32_t body) {
  bool acts = !joint->collide && !joint->broken && joint->kinds[0] != IMP_COORDINATE_SUM;
  for (int i = 0; i < impi_joint_body_count(joint) && acts; ++i) {
    if (impi_joint_body(joint, i) == body) {
      return true;
    }
  }
  return false;
}


// Walk both joint lists until the shorter list ends.
bool impi_world_joined(const ImpWorld *world, int32_t body_a, int32_t body_b) {
  const ImpiJointEdge *edges = world->joint_edges.data;
  int32_t a = world->bodies.data[body_a].first_joint, b = world->bodies.data[body_b].first_joint;
  for (; a >= 0 && b >= 0; a = edges[a].next, b = edges[b].next) {
    if (keeps_apart(&world->joints.data[edges[a].joint], body_b) ||
        keeps_apart(&world->joints.data[edges[b].joint], body_a)) {
      return true;
    }
  }
  return false;
}


double impi_world_restitution_threshold(const ImpWorld *world, const ImpiContact *contact) {
  double h = world->settings.dt / impi_substeps(impi_solver((int)world->solver), &world->settings);
  return impi_restitution_threshold(contact, world->bodies.data, world->settings.gravity, h);
}


void impi_body_drop_contacts(ImpWorld *world, int32_t slot) {
  while (world->bodies.data[slot].first_edge >= 0) {
    impi_world_remove_contact(world, world->bodies.data[slot].first_edge >> 1);
  }
}
