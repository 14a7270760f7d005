// Shapes: adding them to bodies, their settings, their proxies in the broad phase.
#include "constants.h"
#include "world.h"

// Filters have the 53 bits that a double holds exactly; a mask of all bits reads as all of these.
#define ALL_BITS ((1ull << 53) - 1)


const char *imp_shape_type_name(int type) {
  static const char *const names[IMP_SHAPE_TYPE_COUNT] = {"circle", "box", "polygon", "capsule", "segment", "chain"};
  return type >= 0 && type < IMP_SHAPE_TYPE_COUNT ? names[type] : NULL;
}


ImpShapeDef imp_shape_def(void) {
  return (ImpShapeDef){.density = 1,
                       .friction = 0.6,
                       .restitution_threshold = IMPI_RESTITUTION_THRESHOLD,
                       .category = 1,
                       .mask = UINT64_MAX};
}


static ImpStatus check_def(const ImpShapeDef *def, const ImpiBody *body, double area) {
  const struct {
    ImpShapeProperty property;
    double value;
  } numbers[] = {
      {IMP_SHAPE_DENSITY, def->density},
      {IMP_SHAPE_FRICTION, def->friction},
      {IMP_SHAPE_RESTITUTION, def->restitution},
      {IMP_SHAPE_RESTITUTION_THRESHOLD, def->restitution_threshold},
      {IMP_SHAPE_ROLLING_RESISTANCE, def->rolling_resistance},
      {IMP_SHAPE_SURFACE_SPEED, def->surface_speed},
      {IMP_SHAPE_GROUP, def->group},
  };
  for (int i = 0; i < IMPI_COUNT(numbers); ++i) {
    ImpStatus status = impi_check_property(imp_shape_property((int)numbers[i].property), numbers[i].value, "shape");
    if (status != IMP_OK) {
      return status;
    }
  }
  if (!impi_vec_is_finite(def->one_way)) {
    return impi_fail(IMP_ERR_ARGUMENT, "shape.one_way must be two finite numbers, got (%g, %g)", def->one_way.x,
                     def->one_way.y);
  }
  if (def->density == 0 && area > 0 && !def->sensor && impi_is_dynamic(body) && body->given_mass == 0) {
    return impi_fail(IMP_ERR_ARGUMENT, "shape.density must be above 0 kg/m^2 on a %s body without a mass of its own",
                     imp_body_type_name((int)body->type));
  }
  return IMP_OK;
}


// The common end of every imp_body_add_: takes the geometry over, or frees it on an error.
static ImpStatus add_shape(ImpWorld *world, int32_t body_slot, const ImpShapeDef *def, ImpiGeometry geometry,
                           ImpShape *out_shape) {
  ImpiHeap *heap = &world->heap;
  char *name = NULL;
  int32_t *proxies = NULL;
  size_t proxies_size = (size_t)geometry.child_count * sizeof *proxies;
  ImpStatus status = check_def(def, &world->bodies.data[body_slot], geometry.mass.area);
  if (status == IMP_OK) {
    status = impi_pool_reserve(heap, &world->shape_pool);
  }
  int32_t slot = impi_pool_peek(&world->shape_pool);
  bool moving = world->bodies.data[body_slot].type != IMP_BODY_STATIC;
  if (status == IMP_OK &&
      (!impi_reserve(heap, &world->shapes, slot + 1) ||
       !impi_broadphase_reserve(heap, &world->broadphase, geometry.child_count, moving) ||
       !impi_copy_string(heap, def->name, &name) || (proxies = impi_resize(heap, NULL, 0, proxies_size)) == NULL)) {
    status = impi_fail(IMP_ERR_NOMEM, "out of memory");
  }
  if (status == IMP_OK && world->stepping) {
    status = impi_queue(world, (ImpiCommand){.kind = IMPI_COMMAND_ADD_SHAPE, .slot = slot});
  }
  if (status != IMP_OK) {
    impi_resize(heap, proxies, proxies_size, 0);
    impi_free_string(heap, name);
    impi_geometry_free(heap, &geometry);
    return status;
  }
  impi_pool_take(&world->shape_pool);
  if (slot == world->shapes.count) {
    world->shapes.count = slot + 1;
  }
  for (int32_t i = 0; i < geometry.child_count; ++i) {
    proxies[i] = -1;
  }
  double length;
  world->shapes.data[slot] = (ImpiShape){
      .body = body_slot,
      .next = -1,
      .proxies = proxies,
      .sensor = def->sensor,
      .geometry = geometry,
      .material = {def->friction, def->restitution, def->restitution_threshold, def->rolling_resistance,
                   def->surface_speed},
      .filter = {def->category, def->mask, def->group},
      .density = def->density,
      .one_way = impi_normalize(def->one_way, &length),
      .serial = ++world->shape_serial,
      .name = name,
      .user_data = def->user_data,
  };
  ImpiBody *body = &world->bodies.data[body_slot];
  if (body->last_shape >= 0) {
    world->shapes.data[body->last_shape].next = slot;
  } else {
    body->first_shape = slot;
  }
  body->last_shape = slot;
  ImpShape handle = impi_shape_handle(world, slot);
  if (!world->stepping) {
    impi_shape_finish_attach(world, slot); // there is room
    impi_body_update_mass(world, body_slot);
    impi_world_wake(world, body_slot);
  }
  *out_shape = handle;
  return IMP_OK;
}


ImpStatus impi_shape_finish_attach(ImpWorld *world, int32_t slot) {
  ImpiShape *shape = &world->shapes.data[slot];
  const ImpiBody *body = &world->bodies.data[shape->body];
  ImpTransform frame = impi_body_frame(body, &world->motions.data[shape->body]);
  for (int32_t i = 0; i < shape->geometry.child_count; ++i) {
    ImpAabb box = impi_hull_aabb(&shape->geometry.hulls[i], frame);
    shape->proxies[i] = impi_broadphase_add(&world->heap, &world->broadphase, box, shape->filter, shape->body, slot, i,
                                            body->type != IMP_BODY_STATIC);
    if (shape->proxies[i] < 0) {
      impi_shape_detach(world, slot);
      return impi_fail(IMP_ERR_NOMEM, "out of memory");
    }
  }
  shape->attached = true;
  world->lists_dirty = true;
  if (body->bullet) {
    impi_body_refit(world, shape->body);
  }
  return IMP_OK;
}


static void drop_contacts(ImpWorld *world, int32_t slot) {
  int32_t edge = world->bodies.data[world->shapes.data[slot].body].first_edge;
  while (edge >= 0) {
    int32_t index = edge >> 1;
    const ImpiContact *contact = &world->contacts.data[index];
    edge = contact->edge[edge & 1].next;
    if (contact->shape_a == slot || contact->shape_b == slot) {
      impi_world_remove_contact(world, index);
    }
  }
}


void impi_shape_detach(ImpWorld *world, int32_t slot) {
  ImpiShape *shape = &world->shapes.data[slot];
  drop_contacts(world, slot);
  for (int32_t i = 0; i < shape->geometry.child_count; ++i) {
    if (shape->proxies[i] >= 0) {
      impi_broadphase_remove(&world->broadphase, shape->proxies[i]);
      shape->proxies[i] = -1;
    }
  }
  shape->attached = false;
}


void impi_shape_finish_destroy(ImpWorld *world, int32_t slot) {
  ImpiShape *shape = &world->shapes.data[slot];
  ImpiBody *body = &world->bodies.data[shape->body];
  impi_shape_detach(world, slot);
  int32_t previous = -1;
  for (int32_t s = body->first_shape; s != slot; s = world->shapes.data[s].next) {
    previous = s;
  }
  *(previous >= 0 ? &world->shapes.data[previous].next : &body->first_shape) = shape->next;
  if (body->last_shape == slot) {
    body->last_shape = previous;
  }
  impi_resize(&world->heap, shape->proxies, (size_t)shape->geometry.child_count * sizeof *shape->proxies, 0);
  shape->proxies = NULL;
  impi_geometry_free(&world->heap, &shape->geometry);
  impi_free_string(&world->heap, shape->name);
  shape->name = NULL;
  impi_pool_release(&world->shape_pool, slot);
}


ImpStatus imp_shape_destroy(ImpWorld *world, ImpShape handle) {
  IMPI_FIND_SHAPE(world, handle, slot);
  if (world->stepping) {
    ImpStatus status = impi_queue(world, (ImpiCommand){.kind = IMPI_COMMAND_DESTROY_SHAPE, .slot = slot});
    if (status == IMP_OK) {
      world->shapes.data[slot].doomed = true;
      impi_pool_doom(&world->shape_pool, slot);
    }
    return status;
  }
  int32_t body = world->shapes.data[slot].body;
  impi_shape_finish_destroy(world, slot);
  impi_body_update_mass(world, body);
  impi_world_wake(world, body);
  return IMP_OK;
}


bool imp_shape_is_valid(const ImpWorld *world, ImpShape shape) {
  return impi_pool_find(&world->shape_pool, shape.id, world->tag) >= 0;
}


// Find the body, build the geometry with `build`, add it.
#define ADD_SHAPE(build) \
  IMPI_FIND_BODY(world, body, slot); \
  ImpiGeometry geometry; \
  ImpStatus status = build; \
  return status == IMP_OK ? add_shape(world, slot, def, geometry, out_shape) : status


ImpStatus imp_body_add_circle(ImpWorld *world, ImpBody body, const ImpShapeDef *def, ImpVec2 center, double radius,
                              ImpShape *out_shape) {
  ADD_SHAPE(impi_geometry_circle(&world->heap, center, radius, &geometry));
}


ImpStatus imp_body_add_box(ImpWorld *world, ImpBody body, const ImpShapeDef *def, double width, double height,
                           ImpVec2 center, double angle, double radius, ImpShape *out_shape) {
  ADD_SHAPE(impi_geometry_box(&world->heap, width, height, center, angle, radius, &geometry));
}


ImpStatus imp_body_add_polygon(ImpWorld *world, ImpBody body, const ImpShapeDef *def, const ImpVec2 *points, int count,
                               double radius, ImpShape *out_shape) {
  ADD_SHAPE(impi_geometry_polygon(&world->heap, points, count, radius, &geometry));
}


ImpStatus imp_body_add_capsule(ImpWorld *world, ImpBody body, const ImpShapeDef *def, ImpVec2 from, ImpVec2 to,
                               double radius, ImpShape *out_shape) {
  ADD_SHAPE(impi_geometry_capsule(&world->heap, from, to, radius, &geometry));
}


ImpStatus imp_body_add_segment(ImpWorld *world, ImpBody body, const ImpShapeDef *def, ImpVec2 from, ImpVec2 to,
                               ImpShape *out_shape) {
  ADD_SHAPE(impi_geometry_segment(&world->heap, from, to, &geometry));
}


ImpStatus imp_body_add_chain(ImpWorld *world, ImpBody body, const ImpShapeDef *def, const ImpVec2 *points, int count,
                             bool loop, ImpShape *out_shape) {
  ADD_SHAPE(impi_geometry_chain(&world->heap, points, count, loop, &geometry));
}


ImpShape imp_body_next_shape(const ImpWorld *world, ImpBody body, ImpShape previous) {
  int32_t slot;
  if (previous.id != 0) {
    int32_t at = impi_pool_find(&world->shape_pool, previous.id, world->tag);
    slot = at < 0 ? -1 : world->shapes.data[at].next;
  } else {
    int32_t at = impi_pool_find(&world->body_pool, body.id, world->tag);
    slot = at < 0 ? -1 : world->bodies.data[at].first_shape;
  }
  while (slot >= 0 && world->shapes.data[slot].doomed) {
    slot = world->shapes.data[slot].next;
  }
  return slot < 0 ? (ImpShape){0} : impi_shape_handle(world, slot);
}


void impi_shape_finish_set(ImpWorld *world, int32_t slot, ImpShapeProperty property, double value) {
  ImpiShape *shape = &world->shapes.data[slot];
  switch (property) {
  case IMP_SHAPE_DENSITY:
    shape->density = value;
    impi_body_update_mass(world, shape->body);
    break;
  case IMP_SHAPE_FRICTION:
    shape->material.friction = value;
    break;
  case IMP_SHAPE_RESTITUTION:
    shape->material.restitution = value;
    break;
  case IMP_SHAPE_RESTITUTION_THRESHOLD:
    shape->material.restitution_threshold = value;
    break;
  case IMP_SHAPE_ROLLING_RESISTANCE:
    shape->material.rolling_resistance = value;
    break;
  case IMP_SHAPE_SURFACE_SPEED:
    shape->material.surface_speed = value;
    break;
  case IMP_SHAPE_SENSOR:
    shape->sensor = value != 0;
    break;
  case IMP_SHAPE_CATEGORY:
    shape->filter.category = (uint64_t)value;
    break;
  case IMP_SHAPE_MASK:
    shape->filter.mask = (uint64_t)value;
    break;
  case IMP_SHAPE_GROUP:
    shape->filter.group = (int32_t)value;
    break;
  case IMP_SHAPE_RADIUS:
  case IMP_SHAPE_AREA:
  case IMP_SHAPE_ID:
  case IMP_SHAPE_PROPERTY_COUNT:
    return;
  }
  impi_world_wake(world, shape->body);
  impi_world_wake_neighbours(world, shape->body);
  if (!shape->attached) {
    return;
  }
  bool meets_others = property == IMP_SHAPE_SENSOR || property == IMP_SHAPE_CATEGORY || property == IMP_SHAPE_MASK ||
                      property == IMP_SHAPE_GROUP;
  if (meets_others) { // leave the world and come back with the new filter
    impi_shape_detach(world, slot);
    if (impi_shape_finish_attach(world, slot) != IMP_OK) {
      impi_event_add(world, IMP_EVENT_WARNING, (ImpEvent){.text = "out of memory: a shape is out of the world"});
    }
    return;
  }
  for (int32_t edge = world->bodies.data[shape->body].first_edge; edge >= 0;) {
    ImpiContact *contact = &world->contacts.data[edge >> 1];
    edge = contact->edge[edge & 1].next;
    impi_contact_mix(contact, &world->shapes.data[contact->shape_a], &world->shapes.data[contact->shape_b]);
  }
}


ImpStatus imp_shape_set(ImpWorld *world, ImpShape handle, ImpShapeProperty property, double value) {
  IMPI_FIND_SHAPE(world, handle, slot);
  ImpStatus status = impi_check_property(imp_shape_property((int)property), value, "shape");
  if (status != IMP_OK) {
    return status;
  }
  const ImpiShape *shape = &world->shapes.data[slot];
  const ImpiBody *body = &world->bodies.data[shape->body];
  if (property == IMP_SHAPE_DENSITY && value == 0 && shape->geometry.mass.area > 0 && !shape->sensor &&
      impi_is_dynamic(body) && body->given_mass == 0) {
    return impi_fail(IMP_ERR_ARGUMENT, "shape.density must be above 0 kg/m^2 on a %s body without a mass of its own",
                     imp_body_type_name((int)body->type));
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
  case IMP_SHAPE_DENSITY:
    *out_value = shape->density;
    return IMP_OK;
  case IMP_SHAPE_FRICTION:
    *out_value = shape->material.friction;
    return IMP_OK;
  case IMP_SHAPE_RESTITUTION:
    *out_value = shape->material.restitution;
    return IMP_OK;
  case IMP_SHAPE_RESTITUTION_THRESHOLD:
    *out_value = shape->material.restitution_threshold;
    return IMP_OK;
  case IMP_SHAPE_ROLLING_RESISTANCE:
    *out_value = shape->material.rolling_resistance;
    return IMP_OK;
  case IMP_SHAPE_SURFACE_SPEED:
    *out_value = shape->material.surface_speed;
    return IMP_OK;
  case IMP_SHAPE_SENSOR:
    *out_value = shape->sensor;
    return IMP_OK;
  case IMP_SHAPE_CATEGORY:
    *out_value = (double)(shape->filter.category & ALL_BITS);
    return IMP_OK;
  case IMP_SHAPE_MASK:
    *out_value = (double)(shape->filter.mask & ALL_BITS);
    return IMP_OK;
  case IMP_SHAPE_GROUP:
    *out_value = shape->filter.group;
    return IMP_OK;
  case IMP_SHAPE_RADIUS:
    *out_value = shape->geometry.hulls[0].radius;
    return IMP_OK;
  case IMP_SHAPE_AREA:
    *out_value = shape->geometry.mass.area;
    return IMP_OK;
  case IMP_SHAPE_ID:
    *out_value = (double)shape->serial;
    return IMP_OK;
  case IMP_SHAPE_PROPERTY_COUNT:
    break;
  }
  return impi_fail(IMP_ERR_ARGUMENT, "no such property of a shape");
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


ImpStatus imp_shape_set_name(ImpWorld *world, ImpShape handle, const char *name) {
  IMPI_FIND_SHAPE(world, handle, slot);
  char *copy;
  if (!impi_copy_string(&world->heap, name, &copy)) {
    return impi_fail(IMP_ERR_NOMEM, "out of memory");
  }
  impi_free_string(&world->heap, world->shapes.data[slot].name);
  world->shapes.data[slot].name = copy;
  return IMP_OK;
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


ImpStatus imp_shape_points(const ImpWorld *world, ImpShape handle, ImpVec2 *points, int capacity, int *out_count) {
  IMPI_FIND_SHAPE(world, handle, slot);
  const ImpiGeometry *geometry = &world->shapes.data[slot].geometry;
  bool chain = geometry->type == IMP_SHAPE_CHAIN;
  int32_t links = geometry->child_count;
  int count = chain ? links + (geometry->loop ? 0 : 1) : geometry->hulls[0].count;
  for (int i = 0; i < count && i < capacity; ++i) {
    if (!chain) {
      points[i] = geometry->hulls[0].v[i];
    } else {
      points[i] = i < links ? geometry->hulls[i].v[0] : geometry->hulls[links - 1].v[1];
    }
  }
  *out_count = count;
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
  for (int32_t i = 0; i < geometry->child_count && geometry->type != IMP_SHAPE_CHAIN; ++i) {
    *out_inside = *out_inside || impi_hull_contains(&geometry->hulls[i], local);
  }
  return IMP_OK;
}
