// Settings and getters of shapes: properties, filter, one-way direction, points.
#include "world/bodies.h"
#include "world/calls.h"
#include "world/checks.h"
#include "world/contacts.h"
#include "world/events.h"
#include "world/pairs.h"
#include "world/shapes.h"
#include "world/sleep.h"


// Detach a shape and attach it again, so that its pairs are found again.
static void end_contacts(ImpWorld *world, int32_t slot) {
  impi_shape_detach(world, slot);
  if (impi_shape_finish_attach(world, slot) != IMP_OK) {
    impi_event_add(
        world, IMP_EVENT_WARNING,
        (ImpEvent){.text = "out of memory: a shape could not be stored for collisions and no longer collides"});
  }
}


void impi_shape_update_internal_edges(ImpWorld *world, int32_t slot) {
  const ImpiBody *body = &world->bodies.data[world->shapes.data[slot].body];
  // a changed static shape may change the internal edges of other shapes: recompute all manifolds
  world->broadphase.still_changes += body->type == IMP_BODY_STATIC;
  impi_contacts_expire(world, world->shapes.data[slot].body);
}


// Apply a changed filter: end the contacts that it forbids, and search the pairs that it allows.
static void sieve(ImpWorld *world, int32_t slot) {
  ImpiShape *shape = &world->shapes.data[slot];
  impi_shape_wake(world, slot);
  for (int32_t i = 0; i < shape->geometry.child_count && shape->attached; ++i) {
    world->broadphase.proxies.data[impi_shape_proxy(shape, i)].filter = shape->filter;
    impi_broadphase_touch(&world->broadphase, impi_shape_proxy(shape, i));
  }
  shape->version = ++world->filter.shape_version;
  impi_shape_update_internal_edges(world, slot);
  for (int32_t edge = shape->first_edge; edge >= 0;) {
    int32_t at = edge >> 1;
    const ImpiContact *contact = &world->contacts.data[at];
    const ImpiProxy *proxies = world->broadphase.proxies.data;
    edge = impi_next_of_shape(world, edge);
    bool has_callbacks =
        world->shapes.data[contact->shape_a].selective || world->shapes.data[contact->shape_b].selective;
    if (!impi_proxies_meet(&proxies[contact->proxy_a], &proxies[contact->proxy_b])) {
      impi_world_remove_contact(world, at);
    } else if (has_callbacks) { // the filter callback must be called again for the pair
      shape->needs_refilter = world->filter.needs_refilter = true;
    }
  }
}


void impi_shape_finish_set_filter(ImpWorld *world, int32_t slot, uint64_t category, uint64_t mask) {
  ImpiShape *shape = &world->shapes.data[slot];
  if (shape->filter.category == category && shape->filter.mask == mask) {
    return;
  }
  shape->filter.category = category;
  shape->filter.mask = mask;
  sieve(world, slot);
}


// Setting the same value again changes nothing and wakes no body.
void impi_shape_finish_set(ImpWorld *world, int32_t slot, ImpShapeProperty property, double value) {
  ImpiShape *shape = &world->shapes.data[slot];
  bool attached = shape->attached;
  const ImpiProperty *stored = &impi_shape_properties[property];
  double before = 0;
  if (stored->number == IMPI_NUMBER_REAL && impi_property_read(stored, shape, &before)) {
    if (before == value || (isnan(before) && isnan(value))) {
      return;
    }
    world->bouncing += property == IMP_SHAPE_RESTITUTION ? (value > 0) - (before > 0) : 0;
    impi_property_write(stored, shape, value);
  }
  switch (property) {
  case IMP_SHAPE_DENSITY:
    impi_shape_update_mass(world, slot);
    break;
  case IMP_SHAPE_FRICTION:
  case IMP_SHAPE_RESTITUTION:
  case IMP_SHAPE_RESTITUTION_THRESHOLD:
  case IMP_SHAPE_ROLLING_RESISTANCE:
  case IMP_SHAPE_SURFACE_SPEED:
  case IMP_SHAPE_HIT_SPEED:
    break;
  case IMP_SHAPE_SENSOR:
    if (shape->sensor == (value != 0)) return;
    if (attached) { // detach before `sensor` changes: the sensor_end events read `sensor` to order their shapes
      impi_shape_detach(world, slot);
    }
    shape->sensor = value != 0;
    world->sensor.sensors += shape->sensor ? 1 : -1;
    break;
  case IMP_SHAPE_PRE_SOLVE:
    if (shape->pre_solve == (value != 0)) return;
    shape->pre_solve = value != 0;
    world->has_callbacks = world->has_callbacks || shape->pre_solve;
    impi_shape_update_internal_edges(world, slot);
    break;
  case IMP_SHAPE_GROUP:
    if (shape->filter.group == (int32_t)value) return;
    shape->filter.group = (int32_t)value;
    sieve(world, slot);
    return;
  case IMP_SHAPE_RADIUS:
  case IMP_SHAPE_AREA:
  case IMP_SHAPE_ID:
  case IMP_SHAPE_PROPERTY_COUNT:
    return;
  }
  impi_shape_wake(world, slot);
  if (!attached) {
    return;
  }
  if (property == IMP_SHAPE_SENSOR) {
    end_contacts(world, slot);
    // Compute the body's inner radius again: it is the smallest of all shapes except sensors.
    impi_body_update_mass(world, shape->body);
    return;
  }
  impi_shape_mix(world, slot);
}


ImpStatus impi_shape_set(ImpWorld *world, ImpShape handle, ImpShapeProperty property, double value) {
  IMPI_FIND_SHAPE(world, handle, slot);
  ImpStatus status = impi_check_property(imp_shape_property((int)property), value, "shape");
  if (status != IMP_OK) {
    return status;
  }
  const ImpiShape *shape = &world->shapes.data[slot];
  if (property == IMP_SHAPE_DENSITY) {
    status =
        impi_check_density(&world->bodies.data[shape->body], value, shape->geometry.figure->mass.area, shape->sensor);
    if (status == IMP_OK) {
      status = impi_check_mass(world, shape->body, world->bodies.data[shape->body].type, slot, NULL, value);
    }
    if (status != IMP_OK) {
      return status;
    }
  }
  if (world->stepping) {
    return impi_queue(world, (ImpiCommand){.kind = IMPI_COMMAND_SET_SHAPE_PROPERTY,
                                           .slot = slot,
                                           .property = (int32_t)property,
                                           .value = {value, 0}});
  }
  impi_shape_finish_set(world, slot, property, value);
  return IMP_OK;
}


ImpStatus imp_shape_get(const ImpWorld *world, ImpShape handle, ImpShapeProperty property, double *out_value) {
  IMPI_FIND_SHAPE(world, handle, slot);
  const ImpiShape *shape = &world->shapes.data[slot];
  switch (property) {
  case IMP_SHAPE_RADIUS:
    *out_value = shape->geometry.hulls[0].radius;
    return IMP_OK;
  case IMP_SHAPE_AREA:
    *out_value = shape->geometry.figure->mass.area;
    return IMP_OK;
  default:
    break;
  }
  if ((unsigned)property < IMP_SHAPE_PROPERTY_COUNT &&
      impi_property_read(&impi_shape_properties[property], shape, out_value)) {
    return IMP_OK;
  }
  return impi_fail(IMP_ERR_ARGUMENT, "a shape has no such property");
}


ImpStatus imp_shape_filter(const ImpWorld *world, ImpShape handle, uint64_t *out_category, uint64_t *out_mask) {
  IMPI_FIND_SHAPE(world, handle, slot);
  *out_category = world->shapes.data[slot].filter.category;
  *out_mask = world->shapes.data[slot].filter.mask;
  // category and mask are set together, so a caller that sets one of them must read the queued value of the other
  const ImpiCommand *command = impi_last_command(world, IMPI_COMMAND_SET_FILTER, slot);
  if (command != NULL) {
    *out_category = command->category;
    *out_mask = command->mask;
  }
  return IMP_OK;
}


ImpStatus impi_shape_set_filter(ImpWorld *world, ImpShape handle, uint64_t category, uint64_t mask) {
  IMPI_FIND_SHAPE(world, handle, slot);
  if (world->stepping) {
    return impi_queue(world,
                      (ImpiCommand){.kind = IMPI_COMMAND_SET_FILTER, .slot = slot, .category = category, .mask = mask});
  }
  impi_shape_finish_set_filter(world, slot, category, mask);
  return IMP_OK;
}


ImpStatus imp_shape_one_way(const ImpWorld *world, ImpShape handle, ImpVec2 *out_direction) {
  IMPI_FIND_SHAPE(world, handle, slot);
  *out_direction = world->shapes.data[slot].one_way;
  return IMP_OK;
}


void impi_shape_finish_set_one_way(ImpWorld *world, int32_t slot, ImpVec2 direction) {
  world->broadphase.still_changes++; // the internal edges of neighbouring shapes may change
  ImpiShape *shape = &world->shapes.data[slot];
  if (shape->one_way.x == direction.x && shape->one_way.y == direction.y) {
    return;
  }
  shape->one_way = direction;
  impi_shape_wake(world, slot);
  for (int32_t edge = shape->first_edge; edge >= 0; edge = impi_next_of_shape(world, edge)) {
    ImpiContact *contact = impi_contact_change(world, edge >> 1);
    const ImpiShape *a = &world->shapes.data[contact->shape_a], *b = &world->shapes.data[contact->shape_b];
    bool one_way = impi_length_sq(a->one_way) > 0 || impi_length_sq(b->one_way) > 0;
    contact->flags &= ~(uint32_t)(IMPI_CONTACT_ONE_WAY | IMPI_CONTACT_TURNED);
    contact->flags |= one_way ? IMPI_CONTACT_ONE_WAY | IMPI_CONTACT_TURNED : 0;
  }
}


ImpStatus impi_shape_set_one_way(ImpWorld *world, ImpShape handle, ImpVec2 direction) {
  IMPI_FIND_SHAPE(world, handle, slot);
  ImpStatus status = impi_check_one_way(direction);
  if (status != IMP_OK) {
    return status;
  }
  direction = impi_direction(direction);
  if (world->stepping) {
    return impi_queue(world, (ImpiCommand){.kind = IMPI_COMMAND_SET_ONE_WAY, .slot = slot, .value = direction});
  }
  impi_shape_finish_set_one_way(world, slot, direction);
  return IMP_OK;
}


ImpStatus imp_shape_type(const ImpWorld *world, ImpShape handle, ImpShapeType *out_type) {
  IMPI_FIND_SHAPE(world, handle, slot);
  *out_type = world->shapes.data[slot].geometry.type;
  return IMP_OK;
}


ImpStatus imp_shape_body(const ImpWorld *world, ImpShape handle, ImpBody *out_body) {
  IMPI_FIND_SHAPE(world, handle, slot);
  *out_body = impi_body_handle(world, world->shapes.data[slot].body);
  return IMP_OK;
}


ImpStatus imp_shape_name(const ImpWorld *world, ImpShape handle, const char **out_name) {
  IMPI_FIND_SHAPE(world, handle, slot);
  *out_name = world->shapes.data[slot].name;
  return IMP_OK;
}


ImpStatus impi_shape_set_name(ImpWorld *world, ImpShape handle, const char *name) {
  IMPI_FIND_SHAPE(world, handle, slot);
  return impi_rename(&world->heap, NULL, slot, 0, &world->shapes.data[slot].name, name);
}


ImpStatus imp_shape_user_data(const ImpWorld *world, ImpShape handle, void **out_user_data) {
  IMPI_FIND_SHAPE(world, handle, slot);
  *out_user_data = world->shapes.data[slot].user_data;
  return IMP_OK;
}


static ImpTransform frame_of(const ImpWorld *world, int32_t shape) {
  int32_t body = world->shapes.data[shape].body;
  ImpiMotion motion = impi_body_motion(world, body);
  return impi_body_frame(&world->bodies.data[body], &motion);
}


ImpStatus imp_shape_aabb(const ImpWorld *world, ImpShape handle, ImpAabb *out_aabb) {
  IMPI_FIND_SHAPE(world, handle, slot);
  const ImpiGeometry *geometry = &world->shapes.data[slot].geometry;
  ImpTransform frame = frame_of(world, slot);
  ImpAabb box = impi_hull_aabb(&geometry->hulls[0], frame);
  for (int32_t i = 1; i < geometry->child_count; ++i) {
    box = impi_aabb_union(box, impi_hull_aabb(&geometry->hulls[i], frame));
  }
  *out_aabb = box;
  return IMP_OK;
}


// Return point i of the list that imp_shape_points writes.
static ImpVec2 listed_point(const ImpiGeometry *geometry, int i) {
  if (geometry->figure->ring_count > 0) {
    return impi_geometry_given(geometry)[i];
  }
  if (geometry->type != IMP_SHAPE_CHAIN) {
    return geometry->hulls[0].v[i];
  }
  int32_t links = geometry->child_count;
  return i < links ? geometry->hulls[i].v[0] : geometry->hulls[links - 1].v[1];
}


// List the points of a height field. Gaps, whose height is NaN, are left out.
static int list_heights(const ImpiGeometry *geometry, ImpVec2 *points, int capacity) {
  const ImpVec2 *given = impi_geometry_given(geometry);
  int count = 0;
  for (int i = 0; i < geometry->figure->given_count; ++i) {
    if (given[i].y != given[i].y) {
      continue;
    }
    if (count < capacity) {
      points[count] = impi_add(geometry->figure->origin, impi_vec(i * geometry->figure->width, given[i].y));
    }
    ++count;
  }
  return count;
}


ImpStatus imp_shape_points(const ImpWorld *world, ImpShape handle, ImpVec2 *points, int capacity, int *out_count) {
  IMPI_FIND_SHAPE(world, handle, slot);
  const ImpiGeometry *geometry = &world->shapes.data[slot].geometry;
  if (geometry->type == IMP_SHAPE_HEIGHTS) {
    *out_count = list_heights(geometry, points, capacity);
    return IMP_OK;
  }
  int count = geometry->type == IMP_SHAPE_CHAIN  ? geometry->child_count + (geometry->figure->loop ? 0 : 1)
              : geometry->figure->ring_count > 0 ? impi_geometry_ends(geometry)[0]
                                                 : geometry->hulls[0].count;
  for (int i = 0; i < count && i < capacity; ++i) {
    points[i] = listed_point(geometry, i);
  }
  *out_count = count;
  return IMP_OK;
}


ImpStatus imp_shape_hole(const ImpWorld *world, ImpShape handle, int hole, ImpVec2 *points, int capacity,
                         int *out_count) {
  IMPI_FIND_SHAPE(world, handle, slot);
  ImpiOutline outline = impi_geometry_outline(&world->shapes.data[slot].geometry);
  *out_count = 0;
  if (hole >= 0 && hole < outline.ring_count - 1) {
    int32_t begin = outline.ends[hole];
    *out_count = outline.ends[hole + 1] - begin;
    for (int i = 0; i < *out_count && i < capacity; ++i) {
      points[i] = outline.points[begin + i];
    }
  }
  return IMP_OK;
}


ImpStatus imp_shape_heights(const ImpWorld *world, ImpShape handle, double *values, int capacity, int *out_count) {
  IMPI_FIND_SHAPE(world, handle, slot);
  const ImpiGeometry *geometry = &world->shapes.data[slot].geometry;
  *out_count = geometry->type == IMP_SHAPE_HEIGHTS ? geometry->figure->given_count : 0;
  for (int i = 0; i < *out_count && i < capacity; ++i) {
    values[i] = impi_geometry_given(geometry)[i].y;
  }
  return IMP_OK;
}


ImpStatus imp_shape_contains(const ImpWorld *world, ImpShape handle, ImpVec2 point, bool *out_inside) {
  IMPI_FIND_SHAPE(world, handle, slot);
  if (!impi_vec_is_finite(point)) {
    return impi_fail(IMP_ERR_ARGUMENT, "a point must be two finite numbers, got (%g, %g)", point.x, point.y);
  }
  const ImpiGeometry *geometry = &world->shapes.data[slot].geometry;
  ImpVec2 local = impi_inv_apply(frame_of(world, slot), point);
  *out_inside = false;
  for (int32_t i = 0; i < geometry->child_count && !geometry->hulls[0].chain; ++i) {
    *out_inside = *out_inside || impi_hull_contains(&geometry->hulls[i], local);
  }
  return IMP_OK;
}
