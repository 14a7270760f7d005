// Shapes: creation and destruction, shared geometry, and their proxies in the broad phase.
#include "base/constants.h"
#include "world/bodies.h"
#include "world/calls.h"
#include "world/checks.h"
#include "world/contacts.h"
#include "world/events.h"
#include "world/shapes.h"
#include "world/sleep.h"

#include <string.h>


const char *imp_shape_type_name(int type) {
  static const char *const names[] = {"circle", "box", "polygon", "capsule", "segment", "chain", "heights"};
  IMPI_COVERS(names, IMP_SHAPE_TYPE_COUNT);
  return type >= 0 && type < IMP_SHAPE_TYPE_COUNT ? names[type] : NULL;
}


ImpShapeDef imp_shape_def(void) {
  return (ImpShapeDef){.density = 1,
                       .friction = 0.6,
                       .restitution_threshold = (double)NAN,
                       .hit_speed = (double)NAN,
                       .category = 1,
                       .mask = UINT64_MAX};
}


static ImpStatus check_def(const ImpWorld *world, const ImpShapeDef *def, int32_t slot, const ImpiMass *mass) {
  const ImpiBody *body = &world->bodies.data[slot];
  const ImpShapeDef defaults = imp_shape_def();
  ImpStatus status = impi_check_definition(impi_shape_properties, IMP_SHAPE_PROPERTY_COUNT, def, &defaults, "shape");
  if (status != IMP_OK) {
    return status;
  }
  if (def->material < 0 || def->material > world->materials.list.count) {
    return impi_fail(IMP_ERR_ARGUMENT, "shape.material: no material has the number %d", def->material);
  }
  status = impi_check_one_way(def->one_way);
  if (status == IMP_OK) {
    status = impi_check_density(body, def->density, mass->area, def->sensor);
  }
  return status == IMP_OK ? impi_check_mass(world, slot, body->type, -1, mass, def->density) : status;
}


// Let a shape share the geometry of a recent shape if the two geometries are equal.
static void share_geometry(ImpWorld *world, int32_t slot) {
  ImpiGeometry *geometry = &world->shapes.data[slot].geometry;
  for (int i = 0; i < IMPI_COUNT(world->alike); ++i) {
    int32_t other = world->alike[i];
    if (other != slot && other < world->shapes.count &&
        impi_geometry_share(&world->heap, &world->shapes.data[other].geometry, geometry)) {
      return;
    }
  }
  memmove(world->alike + 1, world->alike, sizeof world->alike - sizeof *world->alike);
  world->alike[0] = slot;
}


void impi_share_geometries(ImpWorld *world) {
  memset(world->alike, 0, sizeof world->alike);
  for (int32_t slot = 0; slot < world->shapes.count; ++slot) {
    if (world->shapes.data[slot].geometry.child_count > 0) {
      share_geometry(world, slot);
    }
  }
}


// Add a shape to a body. Takes over the geometry, or frees it on an error.
static ImpStatus add_shape(ImpWorld *world, int32_t body_slot, const ImpShapeDef *def, ImpiGeometry geometry,
                           ImpShape *out_shape) {
  ImpiHeap *heap = &world->heap;
  char *name = NULL;
  int32_t *proxies = NULL;
  ImpStatus status = check_def(world, def, body_slot, &geometry.figure->mass);
  if (status == IMP_OK) {
    status = impi_check_quota(world->max_shapes, world->shape_pool.live, "shapes", "max_shapes");
  }
  if (status == IMP_OK) {
    status = impi_pool_reserve(heap, &world->shape_pool);
  }
  int32_t slot = impi_pool_peek(&world->shape_pool);
  ImpiProxyKind kind = impi_proxy_kind(world->bodies.data[body_slot].type);
  if (status == IMP_OK &&
      (!impi_reserve(heap, &world->shapes, slot + 1) || !impi_body_reserve_sums(world, body_slot) ||
       !impi_broadphase_reserve(heap, &world->broadphase, geometry.child_count + world->queue.queued_pieces, kind) ||
       !impi_copy_string(heap, def->name, &name) || !impi_shape_make_proxies(heap, geometry.child_count, &proxies))) {
    status = impi_fail(IMP_ERR_NOMEM, "out of memory");
  }
  if (status == IMP_OK && world->stepping) {
    status = impi_queue(world, (ImpiCommand){.kind = IMPI_COMMAND_ADD_SHAPE, .slot = slot});
  }
  if (status != IMP_OK) {
    impi_shape_free_proxies(heap, geometry.child_count, proxies);
    impi_free_string(heap, name);
    impi_geometry_free(heap, &geometry);
    return status;
  }
  impi_pool_take(&world->shape_pool);
  if (slot == world->shapes.count) {
    world->shapes.count = slot + 1;
  }
  world->queue.queued_pieces += world->stepping ? geometry.child_count : 0;
  world->has_callbacks = world->has_callbacks || def->pre_solve || def->selective;
  world->shapes.data[slot] = (ImpiShape){
      .body = body_slot,
      .previous = world->bodies.data[body_slot].last_shape,
      .next = -1,
      .first_edge = -1,
      .proxy = -1,
      .proxies = proxies,
      .selective = def->selective,
      .geometry = geometry,
      .material_id = def->material,
      .filter = {.category = def->category, .mask = def->mask},
      .one_way = impi_direction(def->one_way),
      .serial = ++world->shape_serial,
      .version = ++world->filter.shape_version,
      .name = name,
      .user_data = def->user_data,
  };
  impi_properties_take(impi_shape_properties, IMP_SHAPE_PROPERTY_COUNT, &world->shapes.data[slot], def);
  share_geometry(world, slot);
  world->sensor.sensors += def->sensor;
  world->bouncing += def->restitution > 0;
  ImpiBody *body = &world->bodies.data[body_slot];
  if (body->last_shape >= 0) {
    world->shapes.data[body->last_shape].next = slot;
  } else {
    body->first_shape = slot;
  }
  body->last_shape = slot;
  ImpShape handle = impi_shape_handle(world, slot);
  if (!world->stepping) {
    impi_shape_finish_attach(world, slot); // cannot fail, because memory was reserved
    impi_body_gain_shape(world, body_slot, slot);
    if (body->first_edge >= 0) { // a body that was created asleep and touches nothing stays asleep
      impi_world_wake(world, body_slot);
    }
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
    int32_t proxy = impi_broadphase_add(&world->heap, &world->broadphase, box, shape->filter, shape->body, slot, i,
                                        impi_proxy_kind(body->type));
    impi_shape_set_proxy(shape, i, proxy);
    if (proxy < 0) {
      impi_shape_detach(world, slot);
      return impi_fail(IMP_ERR_NOMEM, "out of memory");
    }
  }
  shape->attached = true;
  impi_shape_attached(world, slot);
  impi_internal_edges_attach(world, slot);
  float *slack = world->bodies.data[shape->body].slack;
  slack[0] = slack[1] = 0; // slack 0: the boxes of the body are checked after the next step
  world->lists_dirty = true;
  impi_body_expect(world, shape->body);
  return IMP_OK;
}


static void drop_contacts(ImpWorld *world, int32_t slot) {
  while (world->shapes.data[slot].first_edge >= 0) {
    impi_world_remove_contact(world, world->shapes.data[slot].first_edge >> 1);
  }
}


void impi_shape_detach(ImpWorld *world, int32_t slot) {
  ImpiShape *shape = &world->shapes.data[slot];
  drop_contacts(world, slot);
  impi_sums_remove(&world->shape_sums, shape->body, slot);
  impi_internal_edges_free(&world->heap, shape);
  for (int32_t i = 0; i < shape->geometry.child_count; ++i) {
    if (impi_shape_proxy(shape, i) >= 0) {
      impi_broadphase_remove(&world->broadphase, impi_shape_proxy(shape, i));
      impi_shape_set_proxy(shape, i, -1);
    }
  }
  shape->attached = false;
}


void impi_shape_finish_destroy(ImpWorld *world, int32_t slot) {
  ImpiShape *shape = &world->shapes.data[slot];
  ImpiBody *body = &world->bodies.data[shape->body];
  impi_shape_detach(world, slot);
  world->sensor.sensors -= shape->sensor;
  world->bouncing -= shape->material.restitution > 0;
  int32_t previous = shape->previous;
  *(previous >= 0 ? &world->shapes.data[previous].next : &body->first_shape) = shape->next;
  *(shape->next >= 0 ? &world->shapes.data[shape->next].previous : &body->last_shape) = previous;
  impi_shape_free_proxies(&world->heap, shape->geometry.child_count, shape->proxies);
  shape->proxies = NULL;
  impi_geometry_free(&world->heap, &shape->geometry);
  impi_note_destroyed(world, IMP_OBJECT_SHAPE, impi_pool_id(&world->shape_pool, slot, world->tag), shape->serial,
                      shape->name);
  shape->name = NULL;
  impi_pool_release(&world->shape_pool, slot);
}


ImpStatus impi_shape_destroy(ImpWorld *world, ImpShape handle) {
  IMPI_FIND_SHAPE(world, handle, slot);
  const ImpiBody *owner = &world->bodies.data[world->shapes.data[slot].body];
  if (owner->mover > 0 && owner->first_shape == slot) {
    return impi_fail(IMP_ERR_ARGUMENT, "the shape of a mover cannot be destroyed: destroy the mover instead");
  }
  if (world->stepping) {
    ImpStatus status = impi_queue(world, (ImpiCommand){.kind = IMPI_COMMAND_DESTROY_SHAPE, .slot = slot});
    if (status == IMP_OK) {
      world->shapes.data[slot].pending_destroy = true;
      impi_pool_mark_destroy(&world->shape_pool, slot);
    }
    return status;
  }
  impi_body_lose_shape(world, world->shapes.data[slot].body, slot);
  return IMP_OK;
}


bool imp_shape_is_valid(const ImpWorld *world, ImpShape shape) {
  return impi_pool_find(&world->shape_pool, shape.id, world->tag) >= 0;
}


// Find the body, build the geometry with `build`, and add the shape.
#define ADD_SHAPE(build) \
  IMPI_FIND_BODY(world, body, slot); \
  ImpiGeometry geometry; \
  ImpStatus status = build; \
  return status == IMP_OK ? add_shape(world, slot, def, geometry, out_shape) : status


ImpStatus impi_body_add_circle(ImpWorld *world, ImpBody body, const ImpShapeDef *def, ImpVec2 center, double radius,
                               ImpShape *out_shape) {
  ADD_SHAPE(impi_geometry_circle(&world->heap, center, radius, &geometry));
}


ImpStatus impi_body_add_box(ImpWorld *world, ImpBody body, const ImpShapeDef *def, double width, double height,
                            ImpVec2 center, double angle, double radius, ImpShape *out_shape) {
  ADD_SHAPE(impi_geometry_box(&world->heap, width, height, center, angle, radius, &geometry));
}


ImpStatus impi_body_add_polygon(ImpWorld *world, ImpBody body, const ImpShapeDef *def, const ImpVec2 *points, int count,
                                double radius, ImpShape *out_shape) {
  ADD_SHAPE(impi_geometry_polygon(&world->heap, points, count, radius, &geometry));
}


ImpStatus impi_body_add_polygon_with_holes(ImpWorld *world, ImpBody body, const ImpShapeDef *def, const ImpVec2 *points,
                                           const int *counts, int rings, double radius, ImpShape *out_shape) {
  ADD_SHAPE(impi_geometry_polygon_with_holes(&world->heap, points, counts, rings, radius, &geometry));
}


ImpStatus impi_body_add_capsule(ImpWorld *world, ImpBody body, const ImpShapeDef *def, ImpVec2 from, ImpVec2 to,
                                double radius, ImpShape *out_shape) {
  ADD_SHAPE(impi_geometry_capsule(&world->heap, from, to, radius, &geometry));
}


ImpStatus impi_body_add_segment(ImpWorld *world, ImpBody body, const ImpShapeDef *def, ImpVec2 from, ImpVec2 to,
                                ImpShape *out_shape) {
  ADD_SHAPE(impi_geometry_segment(&world->heap, from, to, &geometry));
}


ImpStatus impi_body_add_chain(ImpWorld *world, ImpBody body, const ImpShapeDef *def, const ImpVec2 *points, int count,
                              bool loop, ImpShape *out_shape) {
  ADD_SHAPE(impi_geometry_chain(&world->heap, points, count, loop, &geometry));
}


ImpStatus impi_body_add_heights(ImpWorld *world, ImpBody body, const ImpShapeDef *def, ImpVec2 origin, double spacing,
                                const double *values, int count, ImpShape *out_shape) {
  ADD_SHAPE(impi_geometry_heights(&world->heap, origin, spacing, values, count, &geometry));
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
  while (slot >= 0 && world->shapes.data[slot].pending_destroy) {
    slot = world->shapes.data[slot].next;
  }
  return slot < 0 ? (ImpShape){0} : impi_shape_handle(world, slot);
}
