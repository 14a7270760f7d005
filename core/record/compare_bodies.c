// Comparison of bodies, motion first, and of their shapes.
#include "record/compare.h"

#include <string.h>


// Compare the kinematic targets of two bodies.
static bool compare_target(ImpiComparison *c, const ImpiBody *a, const ImpiBody *b) {
  if ((a->kinematic_target > 0) != (b->kinematic_target > 0)) {
    return impi_compare_number(c, "target", -1, "exists", a->kinematic_target > 0, b->kinematic_target > 0);
  }
  return a->kinematic_target > 0 && impi_compare_structs(c, "target", -1, &impi_kinematic_target_layout, IMPI_SEEN,
                                                         &c->a->push.kinematic_targets.data[a->kinematic_target - 1],
                                                         &c->b->push.kinematic_targets.data[b->kinematic_target - 1]);
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


// Compare the boxes of a piece in the broad phase, because they determine when a contact is created.
static bool compare_box(ImpiComparison *c, int index, const ImpiShape *a, const ImpiShape *b) {
  int32_t in_a = impi_shape_proxy(a, index), in_b = impi_shape_proxy(b, index);
  if (in_a < 0 || in_b < 0) {
    return impi_compare_number(c, "box", index + 1, "exists", in_a >= 0, in_b >= 0);
  }
  return impi_compare_number(c, "box", index + 1, "place", in_a, in_b) ||
         impi_compare_structs(c, "box", index + 1, &impi_proxy_layout, IMPI_SEEN, &c->a->broadphase.proxies.data[in_a],
                              &c->b->broadphase.proxies.data[in_b]);
}


static bool compare_shape(ImpiComparison *c, uint64_t body, int32_t slot_a, int32_t slot_b) {
  const ImpiShape *a = &c->a->shapes.data[slot_a], *b = &c->b->shapes.data[slot_b];
  impi_compare_object(c, IMP_OBJECT_SHAPE, a->serial, a->name);
  c->out->other = body;
  bool differ = impi_compare_structs(c, NULL, -1, &impi_shape_layout, IMPI_SEEN, a, b) ||
                impi_compare_number(c, NULL, -1, "type", a->geometry.type, b->geometry.type) ||
                impi_compare_number(c, NULL, -1, "pieces", a->geometry.child_count, b->geometry.child_count) ||
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
  if (!differ && (in_a >= 0 || in_b >= 0)) {
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
  return impi_compare_structs(c, NULL, -1, &impi_motion_layout, IMPI_SEEN, &c->a->motions.data[slot_a],
                              &c->b->motions.data[slot_b]) ||
         impi_compare_structs(c, NULL, -1, &impi_body_layout, IMPI_SEEN, a, b) || compare_target(c, a, b) ||
         impi_compare_text(c, "name", a->name, b->name) ||
         impi_compare_number(c, "handle", -1, "slot", slot_a, slot_b) || compare_shapes(c, a->serial, a, b);
}


bool impi_compare_rest(ImpiComparison *c, int32_t slot_a, int32_t slot_b) {
  const ImpiBody *a = &c->a->bodies.data[slot_a], *b = &c->b->bodies.data[slot_b];
  impi_compare_object(c, IMP_OBJECT_BODY, a->serial, a->name);
  return impi_compare_structs(c, NULL, -1, &impi_body_layout, IMPI_SEEN_LAST, a, b);
}
