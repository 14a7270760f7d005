// Validation of shapes: lists, geometry, broad-phase proxies.
#include "snapshot/world_valid.h"

#include <string.h>

// Tolerance of a length: ROUNDING times the length, plus ROUNDING metres.
#define ROUNDING 1e-6


// Return true if normals are unit vectors at right angles to their edges, and no point is in front of an edge.
static bool normals_are_valid(const ImpiHull *hull) {
  int count = hull->count;
  for (int i = 0; i < count; ++i) {
    ImpVec2 edge = impi_sub(hull->v[(i + 1) % count], hull->v[i]), n = hull->n[i];
    double length = impi_length(edge);
    bool fits = fabs(impi_length_sq(n) - 1) < ROUNDING && length > 0 && impi_cross(edge, n) < 0 &&
                fabs(impi_dot(edge, n)) <= ROUNDING * length;
    for (int k = 0; k < count && fits; ++k) {
      fits = impi_dot(impi_sub(hull->v[k], hull->v[i]), n) <= ROUNDING * (1 + hull->extent);
    }
    if (!fits) {
      return false;
    }
  }
  return true;
}


static bool hull_is_valid(const ImpiBounds *hulls, const ImpiHull *hull, ImpShapeType type) {
  bool line = type == IMP_SHAPE_SEGMENT || type == IMP_SHAPE_CHAIN || type == IMP_SHAPE_HEIGHTS;
  int least = type == IMP_SHAPE_CIRCLE ? 1 : line || type == IMP_SHAPE_CAPSULE ? 2 : 3;
  bool fits = impi_out_of_bounds(hulls, hull) == NULL && hull->count >= least && (least == 3 || hull->count == least) &&
              hull->count <= IMP_MAX_VERTICES &&
              hull->chain == (type == IMP_SHAPE_CHAIN || type == IMP_SHAPE_HEIGHTS) &&
              (least == 3 || line || hull->radius >= IMPI_MIN_LENGTH * 0.5) &&
              (hull->inner == 0 || (least == 3 && (hull->count == 64 || hull->inner >> hull->count == 0)));
  fits = fits && (!hull->chain || (impi_vec_within(hull->ghost_before, 4 * IMPI_MAX_COORDINATE) &&
                                   impi_vec_within(hull->ghost_after, 4 * IMPI_MAX_COORDINATE)));
  double most = hull->extent * (1 + ROUNDING) + ROUNDING;
  for (int i = 0; i < hull->count && fits; ++i) {
    fits = impi_vec_within(hull->v[i], 2 * IMPI_MAX_COORDINATE) &&
           impi_length(impi_sub(hull->v[i], hull->centroid)) + hull->radius <= most;
  }
  return fits && (hull->count < 2 || normals_are_valid(hull));
}


static bool geometry_is_valid(const ImpiBounds *figures, const ImpiBounds *hulls, const ImpiGeometry *geometry) {
  const ImpiFigure *figure = geometry->figure;
  bool one =
      geometry->type != IMP_SHAPE_POLYGON && geometry->type != IMP_SHAPE_CHAIN && geometry->type != IMP_SHAPE_HEIGHTS;
  // Of all shapes with the same area a disc has the least inertia: area^2 / (2 pi) at density 1. The check requires at
  // least a third of it.
  bool fits = (unsigned)geometry->type < IMP_SHAPE_TYPE_COUNT && (!one || geometry->child_count == 1) &&
              impi_out_of_bounds(figures, figure) == NULL &&
              figure->mass.inertia >= 0.05 * figure->mass.area * figure->mass.area && impi_is_finite(figure->angle);
  const ImpVec2 *given = fits ? impi_geometry_given(geometry) : NULL;
  for (int32_t i = 0; fits && i < figure->given_count; ++i) {
    bool none = geometry->type == IMP_SHAPE_HEIGHTS && given[i].y != given[i].y;
    fits = fabs(given[i].x) <= 2 * IMPI_MAX_COORDINATE && (none || fabs(given[i].y) <= 2 * IMPI_MAX_COORDINATE);
  }
  for (int32_t i = 0; fits && i < geometry->child_count; ++i) {
    fits = hull_is_valid(hulls, &geometry->hulls[i], geometry->type);
  }
  return fits;
}


static bool filter_is(const ImpiFilter *a, const ImpiFilter *b) {
  return a->category == b->category && a->mask == b->mask && a->group == b->group;
}


static bool shape_is_valid(ImpiValidity *validity, int32_t slot) {
  const ImpWorld *world = validity->world;
  const ImpiShape *shape = &world->shapes.data[slot];
  IMPI_VALID(impi_shape_lives(shape) && shape->geometry.child_count > 0 &&
                 (shape->proxies != NULL) == (shape->geometry.child_count > 1),
             "shape", slot, "the shape has no convex pieces, or pieces that are missing in the broad phase");
  const ImpPropertyInfo *unfit = impi_unfit_property(impi_shape_properties, IMP_SHAPE_PROPERTY_COUNT, shape);
  IMPI_VALID(unfit == NULL, "shape", slot, unfit->name);
  IMPI_VALID(shape->material_id >= 0 && shape->material_id <= world->materials.list.count, "shape", slot,
             "the material of the shape does not exist");
  double way = impi_length_sq(shape->one_way);
  IMPI_VALID(way == 0 || fabs(way - 1) < ROUNDING, "shape", slot,
             "one_way is neither the zero vector nor a unit vector");
  IMPI_VALID(shape->serial > 0 && shape->serial <= world->shape_serial && shape->version <= world->filter.shape_version,
             "shape", slot, "the id or the version number of the shape is out of range");
  for (int32_t child = 0; child < shape->geometry.child_count; ++child) {
    int32_t index = impi_shape_proxy(shape, child);
    IMPI_VALID(index >= 0 && index < world->broadphase.proxies.count, "shape", slot,
               "a piece of the shape is missing in the broad phase");
    const ImpiProxy *proxy = &world->broadphase.proxies.data[index];
    IMPI_VALID(proxy->shape == slot && proxy->child == child && proxy->body == shape->body &&
                   proxy->kind == impi_proxy_kind(world->bodies.data[shape->body].type) &&
                   filter_is(&proxy->filter, &shape->filter),
               "shape", slot, "the body, shape, kind or filter of a piece in the broad phase is not that of its shape");
  }
  return true;
}


bool impi_shapes_are_valid(ImpiValidity *validity) {
  const ImpWorld *world = validity->world;
  const ImpiFigure *known[16] = {NULL}; // figures that are checked already; shapes may share a figure
  const ImpiBounds figures = impi_bounds_of(&impi_figure_layout), hulls = impi_bounds_of(&impi_hull_layout);
  int32_t listed = 0, sensors = 0, bouncing = 0;
  for (int32_t body = 0; body < world->bodies.count; ++body) {
    int32_t previous = -1;
    for (int32_t slot = world->bodies.data[body].first_shape; slot != -1 && impi_is_live(&world->body_pool, body);) {
      IMPI_VALID(impi_is_live(&world->shape_pool, slot), "shape", slot,
                 "a destroyed shape is in a body's list of shapes");
      const ImpiShape *shape = &world->shapes.data[slot];
      IMPI_VALID(shape->body == body && shape->previous == previous && shape->attached && !shape->pending_destroy &&
                     (previous < 0 || world->shapes.data[previous].serial < shape->serial),
                 "shape", slot, "the body's list of shapes is not in the order of creation");
      previous = slot;
      slot = shape->next;
      ++listed;
    }
    IMPI_VALID(!impi_is_live(&world->body_pool, body) || world->bodies.data[body].last_shape == previous, "body", body,
               "the body's list of shapes has a wrong end");
  }
  IMPI_VALID(listed == world->shape_pool.live, "shape", -1, "some shapes are missing from the lists of their bodies");
  for (int32_t slot = 0; slot < world->shapes.count; ++slot) {
    const ImpiShape *shape = &world->shapes.data[slot];
    if (!impi_is_live(&world->shape_pool, slot)) {
      IMPI_VALID(shape->geometry.figure == NULL && shape->geometry.child_count == 0 && shape->name == NULL, "shape",
                 slot, "a destroyed shape has convex pieces or a name");
      continue;
    }
    if (!shape_is_valid(validity, slot)) {
      return false;
    }
    sensors += shape->sensor;
    bouncing += shape->material.restitution > 0;
    const ImpiFigure *figure = shape->geometry.figure, **place = &known[((uintptr_t)figure >> 6) % IMPI_COUNT(known)];
    IMPI_VALID(figure == *place || geometry_is_valid(&figures, &hulls, &shape->geometry), "shape", slot,
               "the geometry of the shape is invalid");
    *place = figure;
  }
  IMPI_VALID(world->sensor.sensors == sensors, "shape", -1, "the stored number of sensors is wrong");
  IMPI_VALID(world->bouncing == bouncing, "shape", -1, "the stored number of shapes with restitution is wrong");
  return true;
}


// ---------------------------------------------------------------------------------------------------------------------
// The broad phase
// ---------------------------------------------------------------------------------------------------------------------


bool impi_proxies_are_valid(ImpiValidity *validity) {
  const ImpWorld *world = validity->world;
  const ImpiBroadphase *bp = &world->broadphase;
  int32_t free = 0, listed = 0;
  const ImpiBounds bounds = impi_bounds_of(&impi_proxy_layout);
  for (int32_t i = 0; i < bp->proxies.count; ++i) {
    const ImpiProxy *proxy = &bp->proxies.data[i];
    if (proxy->kind == IMPI_PROXY_FREE) {
      ++free;
      continue;
    }
    IMPI_VALID(proxy->kind < IMPI_PROXY_FREE && impi_is_live(&world->shape_pool, proxy->shape) && proxy->child >= 0 &&
                   proxy->child < world->shapes.data[proxy->shape].geometry.child_count &&
                   impi_shape_proxy(&world->shapes.data[proxy->shape], proxy->child) == i,
               "proxy", i, "the proxy does not belong to a shape");
    IMPI_VALID(proxy->fat.lower.x <= proxy->fat.upper.x && proxy->fat.lower.y <= proxy->fat.upper.y &&
                   impi_out_of_bounds(&bounds, proxy) == NULL,
               "proxy", i, "the bounding box of the proxy is empty or out of range");
    IMPI_VALID(proxy->moved == -1 ||
                   (proxy->moved >= 0 && proxy->moved < bp->moved.count && bp->moved.data[proxy->moved] == i),
               "proxy", i, "the proxy is marked as moved, but missing from the list of moved proxies");
  }
  for (int32_t i = bp->free_proxy; i != -1 && listed <= free; i = bp->proxies.data[i].body) {
    IMPI_VALID(i >= 0 && i < bp->proxies.count && bp->proxies.data[i].kind == IMPI_PROXY_FREE, "proxy", i,
               "the list of unused proxies has a proxy that is in use");
    ++listed;
  }
  IMPI_VALID(listed == free && bp->proxy_count == bp->proxies.count - free, "proxy", -1,
             "some unused proxies are not in the list of unused proxies");
  for (int32_t i = 0; i < bp->moved.count; ++i) {
    int32_t proxy = bp->moved.data[i];
    IMPI_VALID(proxy >= 0 && proxy < bp->proxies.count && bp->proxies.data[proxy].kind != IMPI_PROXY_FREE &&
                   bp->proxies.data[proxy].moved == i,
               "proxy", proxy, "the list of moved proxies has a proxy that is not marked as moved");
  }
  return true;
}
