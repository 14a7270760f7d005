// Bodies compared, what moves first, and their shapes.
#include "record/compare.h"

#include <string.h>

#define STRUCT ImpiMotion
static const ImpiNumber motion_numbers[] = {
    NUMBER("center.x", x),   NUMBER("center.y", y),    NUMBER("angle", angle),   NUMBER("rotation.c", c),
    NUMBER("rotation.s", s), NUMBER("velocity.x", vx), NUMBER("velocity.y", vy), NUMBER("angular_velocity", w),
};
#undef STRUCT

#define STRUCT ImpiBody
// What follows from what was done to it, or near it.
static const ImpiNumber rest_numbers[] = {NUMBER("sleep_time", sleep_time), NUMBER("restless", restless),
                                          NUMBER("fast", fast), NUMBER("far", far)};

static const ImpiNumber body_numbers[] = {
    NUMBER("type", type),
    NUMBER("awake", awake),
    NUMBER("enabled", enabled),
    NUMBER("force.x", force.x),
    NUMBER("force.y", force.y),
    NUMBER("torque", torque),
    NUMBER("mass", mass),
    NUMBER("inertia", inertia),
    NUMBER("inv_mass", inv_mass),
    NUMBER("inv_inertia", inv_inertia),
    NUMBER("given_mass", given_mass),
    NUMBER("given_inertia", given_inertia),
    NUMBER("local_center.x", local_center.x),
    NUMBER("local_center.y", local_center.y),
    NUMBER("gravity_scale", gravity_scale),
    NUMBER("linear_damping", linear_damping),
    NUMBER("angular_damping", angular_damping),
    NUMBER("max_speed", max_speed),
    NUMBER("max_angular_speed", max_angular_speed),
    NUMBER("fixed_rotation", fixed_rotation),
    NUMBER("locks", locks),
    NUMBER("bullet", bullet),
    NUMBER("allow_sleep", allow_sleep),
    NUMBER("extent", extent),
};
#undef STRUCT

#define STRUCT ImpiSteer
static const ImpiNumber target_numbers[] = {
    NUMBER("told", told), NUMBER("spent", spent), NUMBER("x", to.x), NUMBER("y", to.y), NUMBER("angle", angle),
};
#undef STRUCT

#define STRUCT ImpiShape
static const ImpiNumber shape_numbers[] = {
    NUMBER("id", serial),
    NUMBER("type", geometry.type),
    NUMBER("pieces", geometry.child_count),
    NUMBER("density", density),
    NUMBER("friction", material.friction),
    NUMBER("restitution", material.restitution),
    NUMBER("restitution_threshold", material.restitution_threshold),
    NUMBER("rolling_resistance", material.rolling_resistance),
    NUMBER("surface_speed", material.surface_speed),
    NUMBER("hit_speed", material.hit_speed),
    NUMBER("material", material_id),
    NUMBER("category", filter.category),
    NUMBER("mask", filter.mask),
    NUMBER("group", filter.group),
    NUMBER("sensor", sensor),
    NUMBER("pre_solve", pre_solve),
    NUMBER("selective", selective),
    NUMBER("one_way.x", one_way.x),
    NUMBER("one_way.y", one_way.y),
    NUMBER("version", version),
};
#undef STRUCT

#define STRUCT ImpiProxy
static const ImpiNumber proxy_numbers[] = {
    NUMBER("lower.x", fat.lower.x),
    NUMBER("lower.y", fat.lower.y),
    NUMBER("upper.x", fat.upper.x),
    NUMBER("upper.y", fat.upper.y),
};
#undef STRUCT


// Where a body is told to be, which only some kinematic ones are.
static bool compare_target(ImpiComparison *c, const ImpiBody *a, const ImpiBody *b) {
  if ((a->steer > 0) != (b->steer > 0)) {
    return impi_compare_number(c, "target", -1, "exists", a->steer > 0, b->steer > 0);
  }
  return a->steer > 0 &&
         impi_compare_numbers(c, "target", -1, target_numbers, IMPI_COUNT(target_numbers),
                              &c->a->push.steered.data[a->steer - 1], &c->b->push.steered.data[b->steer - 1]);
}


static bool compare_piece(ImpiComparison *c, int index, const ImpiHull *a, const ImpiHull *b) {
  bool differ = impi_compare_number(c, "piece", index, "points", a->count, b->count) ||
                impi_compare_number(c, "piece", index, "radius", a->radius, b->radius);
  for (int i = 0; i < a->count && !differ; ++i) {
    differ = impi_compare_number(c, "point", i + 1, "x", a->v[i].x, b->v[i].x) ||
             impi_compare_number(c, "point", i + 1, "y", a->v[i].y, b->v[i].y);
  }
  return differ;
}


// Where its piece is in the broad phase: what is in there together decides when contacts begin to be looked for.
static bool compare_box(ImpiComparison *c, int index, const ImpiShape *a, const ImpiShape *b) {
  int32_t in_a = impi_shape_proxy(a, index), in_b = impi_shape_proxy(b, index);
  if (in_a < 0 || in_b < 0) {
    return impi_compare_number(c, "box", index + 1, "exists", in_a >= 0, in_b >= 0);
  }
  return impi_compare_number(c, "box", index + 1, "place", in_a, in_b) ||
         impi_compare_numbers(c, "box", index + 1, proxy_numbers, IMPI_COUNT(proxy_numbers),
                              &c->a->broadphase.proxies.data[in_a], &c->b->broadphase.proxies.data[in_b]);
}


static bool compare_shape(ImpiComparison *c, uint64_t body, int32_t slot_a, int32_t slot_b) {
  const ImpiShape *a = &c->a->shapes.data[slot_a], *b = &c->b->shapes.data[slot_b];
  impi_compare_object(c, IMP_OBJECT_SHAPE, a->serial, a->name);
  c->out->other = body;
  bool differ = impi_compare_numbers(c, NULL, -1, shape_numbers, IMPI_COUNT(shape_numbers), a, b) ||
                impi_compare_text(c, "name", a->name, b->name);
  for (int i = 0; i < a->geometry.child_count && !differ; ++i) {
    differ = compare_piece(c, i + 1, &a->geometry.hulls[i], &b->geometry.hulls[i]) || compare_box(c, i, a, b);
  }
  return differ || impi_compare_number(c, "handle", -1, "slot", slot_a, slot_b);
}


static bool compare_shapes(ImpiComparison *c, uint64_t body, const ImpiBody *a, const ImpiBody *b) {
  int32_t in_a = a->first_shape, in_b = b->first_shape;
  bool differ = false;
  while (in_a >= 0 && in_b >= 0 && !differ) {
    differ = compare_shape(c, body, in_a, in_b);
    in_a = c->a->shapes.data[in_a].next;
    in_b = c->b->shapes.data[in_b].next;
  }
  if (!differ && (in_a >= 0 || in_b >= 0)) { // one has more
    const ImpiShape *shape = in_a >= 0 ? &c->a->shapes.data[in_a] : &c->b->shapes.data[in_b];
    impi_compare_object(c, IMP_OBJECT_SHAPE, shape->serial, shape->name);
    c->out->other = body;
    differ = impi_compare_number(c, NULL, -1, "exists", in_a >= 0, in_b >= 0);
  }
  return differ;
}


bool impi_compare_body(ImpiComparison *c, int32_t slot_a, int32_t slot_b) {
  const ImpiBody *a = &c->a->bodies.data[slot_a], *b = &c->b->bodies.data[slot_b];
  impi_compare_object(c, IMP_OBJECT_BODY, a->serial, a->name);
  return impi_compare_numbers(c, NULL, -1, motion_numbers, IMPI_COUNT(motion_numbers), &c->a->motions.data[slot_a],
                              &c->b->motions.data[slot_b]) ||
         impi_compare_numbers(c, NULL, -1, body_numbers, IMPI_COUNT(body_numbers), a, b) || compare_target(c, a, b) ||
         impi_compare_text(c, "name", a->name, b->name) ||
         impi_compare_number(c, "handle", -1, "slot", slot_a, slot_b) || compare_shapes(c, a->serial, a, b);
}


bool impi_compare_rest(ImpiComparison *c, int32_t slot_a, int32_t slot_b) {
  const ImpiBody *a = &c->a->bodies.data[slot_a], *b = &c->b->bodies.data[slot_b];
  impi_compare_object(c, IMP_OBJECT_BODY, a->serial, a->name);
  return impi_compare_numbers(c, NULL, -1, rest_numbers, IMPI_COUNT(rest_numbers), a, b);
}
