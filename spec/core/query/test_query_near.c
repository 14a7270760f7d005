// Nearest shapes, rays against one shape, and casts that return all hits, compared with a loop over all shapes.
// Distances, compared with brute force.
#include <stdlib.h>

#include "query/query.h"
#include "random_query_world.h"

typedef struct Candidate {
  ImpShape shape;
  uint64_t serial;
  double distance;
} Candidate;

static int found;


static const ImpiShape *shape_data(ImpWorld *world, ImpShape shape) {
  return &world->shapes.data[impi_pool_find(&world->shape_pool, shape.id, world->tag)];
}


static bool is_odd(ImpWorld *world, ImpShape shape, void *user) {
  (void)user;
  return shape_data(world, shape)->serial % 2 == 1;
}


// Return whether a query without ignored bodies may find the shape, according to the manual.
static bool agrees(ImpWorld *world, ImpBody body, ImpShape shape, const ImpQueryFilter *filter) {
  const ImpiShape *data = shape_data(world, shape);
  double enabled = 0;
  imp_body_get(world, body, IMP_BODY_ENABLED, &enabled);
  bool bits = (data->filter.category & filter->mask) != 0 && (data->filter.mask & filter->category) != 0;
  bool same = filter->group != 0 && data->filter.group == filter->group;
  return (same ? filter->group > 0 : bits) && enabled == 1 && (!data->sensor || filter->sensors) && data->attached &&
         (filter->accept == NULL || data->serial % 2 == 1);
}


// Return the distance of a point from the edges of an outline.
static double outline_distance(const ImpiOutline *outline, ImpVec2 p) {
  double least = HUGE_VAL;
  for (int ring = 0, begin = 0; ring < outline->ring_count; begin = outline->ends[ring++]) {
    for (int i = begin; i < outline->ends[ring]; ++i) {
      ImpVec2 a = outline->points[i], b = outline->points[i + 1 < outline->ends[ring] ? i + 1 : begin];
      double best = fmin(impi_length(impi_sub(p, a)), impi_length(impi_sub(p, b)));
      ImpVec2 along = impi_sub(b, a);
      double t = impi_dot(impi_sub(p, a), along) / impi_dot(along, along);
      if (t > 0 && t < 1) best = fabs(impi_cross(along, impi_sub(p, a))) / impi_length(along);
      least = fmin(least, best);
    }
  }
  return least;
}


static double brute_distance(ImpWorld *world, ImpBody body, ImpShape shape, ImpVec2 point) {
  const ImpiGeometry *geometry = &shape_data(world, shape)->geometry;
  ImpTransform frame;
  imp_body_transform(world, body, &frame);
  double least = HUGE_VAL, core = HUGE_VAL;
  for (int i = 0; i < geometry->child_count; ++i) {
    Core piece = core_of(&geometry->hulls[i], frame);
    double d = distance_to_core(&piece, point);
    core = fmin(core, d);
    least = fmin(least, d - geometry->hulls[i].radius);
  }
  if (geometry->type == IMP_SHAPE_POLYGON && geometry->child_count > 1 && core <= 0) {
    ImpiOutline outline = impi_geometry_outline(geometry);
    least = -outline_distance(&outline, impi_inv_apply(frame, point)) - geometry->hulls[0].radius;
  }
  return least;
}


static int compare(const void *a, const void *b) {
  const Candidate *f = a, *g = b;
  if (f->distance != g->distance) return f->distance < g->distance ? -1 : 1;
  return f->serial < g->serial ? -1 : 1;
}


static void ask_nearest(ImpWorld *world) {
  static Candidate all[400];
  int count = 0;
  ImpVec2 point = anywhere();
  ImpQueryFilter filter = imp_query_filter();
  filter.sensors = random_below(2) == 0;
  if (random_below(3) == 0) filter.mask = (uint64_t)random_below(16);
  if (random_below(4) == 0) filter.group = random_below(5) - 2;
  if (random_below(3) == 0) filter.accept = is_odd;
  double radius = random_below(3) == 0 ? HUGE_VAL : random_between(0, 3);
  for (ImpBody body = imp_world_next_body(world, (ImpBody){0}); body.id != 0; body = imp_world_next_body(world, body)) {
    for (ImpShape s = imp_body_next_shape(world, body, (ImpShape){0}); s.id != 0;
         s = imp_body_next_shape(world, body, s)) {
      ImpNear near;
      CHECK(imp_shape_closest(world, s, point, &near) == IMP_OK && near.shape.id == s.id && near.body.id == body.id);
      CHECK_NEAR(near.distance, brute_distance(world, body, s, point), 1e-9); // rounding [m] of coordinates of 10 m
      CHECK_NEAR(impi_length(near.normal), 1, 1e-12);                         // rounding
      ImpVec2 back = impi_mul_add(near.point, near.distance, near.normal);
      CHECK_NEAR(impi_length(impi_sub(back, point)), 0, 1e-9); // as above
      if (agrees(world, body, s, &filter) && near.distance <= radius) {
        all[count++] = (Candidate){s, shape_data(world, s)->serial, near.distance};
      }
    }
  }
  qsort(all, (size_t)count, sizeof all[0], compare);
  ImpNear near;
  CHECK(imp_world_nearest(world, point, radius, &filter, &near) == IMP_OK);
  CHECK((near.shape.id != 0) == (count > 0));
  if (count == 0) return;
  CHECK(near.shape.id == all[0].shape.id && near.distance == all[0].distance);
  ++found;
}


static void the_nearest_shape_agrees_with_brute_force(void) {
  found = 0;
  for (int worlds = 0; worlds < 6; ++worlds) {
    ImpWorld *world = random_world();
    for (int i = 0; i < 400; ++i) {
      if (i % 10 == 0) change(world);
      if (i % 100 == 99) run(world, 3);
      ask_nearest(world);
    }
    imp_world_destroy(world);
  }
  CHECK(found > 1500);
}


static void ask_in_substep(ImpWorld *world, double h, void *user) {
  (void)h;
  (void)user;
  ask_nearest(world);
  imp_body_apply_impulse(world, bodies[random_below(MAX_BODIES)], impi_vec(random_between(-500, 500), 0));
  ask_nearest(world);
}


static void the_nearest_shape_agrees_with_brute_force_in_a_substep(void) {
  ImpWorld *world = random_world();
  int outside_boxes = 0;
  imp_world_set_substep_callback(world, ask_in_substep, NULL);
  for (int i = 0; i < 40; ++i) {
    run(world, 1);
    outside_boxes += world->query.outside_boxes.count;
    change(world);
  }
  CHECK(outside_boxes > 0);
  imp_world_destroy(world);
}


// Of equal shapes at one position, the shape that was created first is found.
static void at_equal_distance_the_first_created_is_the_nearest(void) {
  ImpWorldDef def = imp_world_def();
  ImpWorld *world = NULL;
  ImpShapeDef shape_def = imp_shape_def();
  ImpShape shapes[20];
  CHECK(imp_world_create(&def, &world) == IMP_OK);
  for (int i = 0; i < 20; ++i) {
    ImpBodyDef body_def = imp_body_def();
    body_def.type = i % 3 == 0 ? IMP_BODY_DYNAMIC : IMP_BODY_STATIC;
    ImpBody body;
    CHECK(imp_body_create(world, &body_def, &body) == IMP_OK);
    CHECK(imp_body_add_circle(world, body, &shape_def, impi_vec(0, 0), 1, &shapes[i]) == IMP_OK);
  }
  ImpNear near;
  for (int i = 0; i < 20; ++i) {
    CHECK(imp_world_nearest(world, impi_vec(3, 0.1), HUGE_VAL, NULL, &near) == IMP_OK);
    CHECK(near.shape.id == shapes[i].id);
    CHECK(imp_world_nearest(world, impi_vec(0.3, 0.1), 0, NULL, &near) == IMP_OK); // inside
    CHECK(near.shape.id == shapes[i].id && near.distance < 0);
    CHECK(imp_shape_destroy(world, shapes[i]) == IMP_OK);
  }
  CHECK(imp_world_nearest(world, impi_vec(3, 0.1), HUGE_VAL, NULL, &near) == IMP_OK && near.shape.id == 0);
  imp_world_destroy(world);
}


static bool is_this(ImpWorld *world, ImpShape shape, void *user) {
  (void)world;
  return shape.id == ((const ImpShape *)user)->id;
}


static void check_same(const ImpHit *a, const ImpHit *b) {
  CHECK(a->shape.id == b->shape.id && a->body.id == b->body.id && a->fraction == b->fraction);
  CHECK(a->point.x == b->point.x && a->point.y == b->point.y);
  CHECK(a->normal.x == b->normal.x && a->normal.y == b->normal.y);
}


// A ray against one shape gives the same result as a query whose predicate rejects all other shapes.
static void queries_of_one_shape_ignore_others(void) {
  int hits_met = 0;
  for (int worlds = 0; worlds < 4; ++worlds) {
    ImpWorld *world = random_world();
    for (int i = 0; i < 500; ++i) {
      ImpShape shape = imp_body_next_shape(world, bodies[random_below(MAX_BODIES)], (ImpShape){0});
      if (shape.id == 0) continue;
      ImpBody body;
      double enabled;
      imp_shape_body(world, shape, &body);
      imp_body_get(world, body, IMP_BODY_ENABLED, &enabled);
      ImpVec2 from = anywhere(), center = {0, 0}, travel = {random_between(-9, 9), random_between(-9, 9)};
      imp_body_center(world, body, &center);
      ImpVec2 to = impi_add(center, impi_vec(random_between(-2, 2), random_between(-2, 2)));
      if (i % 20 == 0) to = from;
      ImpQueryFilter only = imp_query_filter();
      only.sensors = true;
      only.accept = is_this;
      only.user = &shape;
      ImpHit alone, hit;
      CHECK(imp_shape_raycast(world, shape, from, to, &alone) == IMP_OK);
      const ImpiFilter *filter = &shape_data(world, shape)->filter;
      if (enabled == 1 && filter->category != 0 && filter->mask != 0) {
        CHECK(imp_world_raycast(world, from, to, &only, &hit) == IMP_OK);
        check_same(&alone, &hit);
        hits_met += hit.shape.id != 0;
      }

      ImpVec2 origin = {0, 0};
      ImpProbe probe = {.points = &origin, .count = 1, .radius = 0.3, .position = from};
      int count = 0;
      CHECK(imp_world_shapecast_all(world, &probe, travel, NULL, &count) == IMP_OK);
      static ImpHit all[400];
      const ImpHit *hits = imp_world_hits(world, &count); // null if there are no hits
      for (int k = 0; k < count; ++k) all[k] = hits[k];
      CHECK(imp_world_shapecast(world, &probe, travel, NULL, &hit) == IMP_OK);
      CHECK((count > 0) == (hit.shape.id != 0));
      if (count > 0) check_same(&all[0], &hit);
      for (int k = 0; k < count; ++k) {
        ImpQueryFilter each = imp_query_filter();
        each.accept = is_this;
        each.user = &all[k].shape;
        CHECK(imp_world_shapecast(world, &probe, travel, &each, &hit) == IMP_OK);
        check_same(&all[k], &hit);
        CHECK(k == 0 || all[k].fraction > all[k - 1].fraction ||
              (all[k].fraction == all[k - 1].fraction &&
               shape_data(world, all[k].shape)->serial > shape_data(world, all[k - 1].shape)->serial));
      }
    }
    imp_world_destroy(world);
  }
  CHECK(hits_met > 100);
}


// Points in a trough, on the cuts between the pieces of its polygon, and beside line segments.
static void surfaces_are_those_of_the_outline(void) {
  static const ImpVec2 trough[8] = {{-2, 0}, {2, 0}, {2, 3}, {1, 3}, {1, 1}, {-1, 1}, {-1, 3}, {-2, 3}};
  ImpWorldDef def = imp_world_def();
  ImpWorld *world = NULL;
  ImpBodyDef body_def = imp_body_def();
  ImpShapeDef shape_def = imp_shape_def();
  ImpBody body = {0};
  ImpShape shape, line;
  ImpNear near;
  CHECK(imp_world_create(&def, &world) == IMP_OK && imp_body_create(world, &body_def, &body) == IMP_OK);
  CHECK(imp_body_add_polygon(world, body, &shape_def, trough, 8, 0, &shape) == IMP_OK);
  CHECK(imp_body_add_segment(world, body, &shape_def, impi_vec(-5, 9), impi_vec(5, 9), &line) == IMP_OK);
  const double cases[][6] = {// point, distance, point of the surface, and the normal's x (2: not checked)
                             {0, 0.4, -0.4, 0, 0, 0},      {0, 2, 1, 2, 1, 2},         {1.5, 0.5, -0.5, 2, 2, 2},
                             {1.5, 2, -0.5, 2, 2, 2},      {1.2, 0.8, -0.08, 1, 1, 2}, {0, 1, 0, 0, 1, 0},
                             {-1.75, 1, -0.25, -2, 1, -1}, {3, 4, 2, 2, 3, 2}};
  for (int i = 0; i < 8; ++i) {
    const double *c = cases[i];
    CHECK(imp_shape_closest(world, shape, impi_vec(c[0], c[1]), &near) == IMP_OK);
    double expected = i == 4 ? -sqrt(0.08) : i == 7 ? sqrt(2) : c[2];
    CHECK_NEAR(near.distance, expected, 1e-12); // rounding
    if (i != 1 && i != 2 && i != 3) {           // points 1 to 3 have two equally near surfaces
      CHECK_NEAR(near.point.x, c[3], 1e-12);    // as above
      CHECK_NEAR(near.point.y, c[4], 1e-12);    // as above
    }
    if (c[5] < 2) CHECK_NEAR(near.normal.x, c[5], 1e-12); // as above
  }
  for (int i = -9; i <= 9; ++i) { // points within rounding of the notch's floor have the floor's normal
    CHECK(imp_shape_closest(world, shape, impi_vec(0.1 * i, 1 - 1e-13), &near) == IMP_OK);
    CHECK_NEAR(near.distance, 0, 1e-12);                              // as above
    CHECK(fabs(near.normal.x) <= 1e-12 && near.normal.y > 1 - 1e-12); // as above
  }
  CHECK(imp_shape_closest(world, line, impi_vec(1, 8), &near) == IMP_OK);
  CHECK(near.distance == 1 && near.normal.y == -1);
  CHECK(imp_shape_closest(world, line, impi_vec(1, 10), &near) == IMP_OK);
  CHECK(near.distance == 1 && near.normal.y == 1);
  imp_world_destroy(world);
}


static void the_edges_of_a_hole_are_surface(void) {
  static const ImpVec2 frame[8] = {{-3, -3}, {3, -3}, {3, 3}, {-3, 3}, {-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
  ImpWorldDef def = imp_world_def();
  ImpWorld *world = NULL;
  ImpBodyDef body_def = imp_body_def();
  ImpShapeDef shape_def = imp_shape_def();
  ImpBody body = {0};
  ImpShape shape;
  CHECK(imp_world_create(&def, &world) == IMP_OK && imp_body_create(world, &body_def, &body) == IMP_OK);
  CHECK(imp_body_add_polygon_with_holes(world, body, &shape_def, frame, (int[]){4, 4}, 2, 0, &shape) == IMP_OK);
  for (int i = 0; i < 4 * 41; ++i) { // points in the hole, in the frame and on its internal edges
    int side = i / 41;
    double out = 0.4 + 2.5 * (i % 41) / 40, sign = side < 2 ? 1 : -1, inner = fabs(out - 1), outer = fabs(3 - out);
    ImpVec2 point = side % 2 == 0 ? impi_vec(sign * out, 0.1) : impi_vec(0.1, sign * out);
    ImpNear near;
    CHECK(imp_shape_closest(world, shape, point, &near) == IMP_OK);
    CHECK_NEAR(near.distance, out < 1 ? inner : -fmin(inner, outer), 1e-12); // rounding
  }
  imp_world_destroy(world);
}


static void wrong_numbers_are_refused(void) {
  ImpWorld *world = random_world();
  ImpShape shape = {0};
  for (int i = 0; shape.id == 0; ++i) shape = imp_body_next_shape(world, bodies[i], (ImpShape){0});
  const double bad[] = {NAN, INFINITY, 1.1e7};
  ImpNear near = {.distance = -7};
  ImpHit hit = {.fraction = -7};
  for (int i = 0; i < 3; ++i) {
    CHECK(imp_world_nearest(world, impi_vec(bad[i], 0), 1, NULL, &near) == IMP_ERR_ARGUMENT);
    CHECK(imp_shape_closest(world, shape, impi_vec(0, bad[i]), &near) == IMP_ERR_ARGUMENT);
    CHECK(imp_shape_raycast(world, shape, impi_vec(0, bad[i]), impi_vec(0, 0), &hit) == IMP_ERR_ARGUMENT);
    CHECK(imp_shape_raycast(world, shape, impi_vec(0, 0), impi_vec(0, bad[i]), &hit) == IMP_ERR_ARGUMENT);
  }
  CHECK(imp_world_nearest(world, impi_vec(0, 0), NAN, NULL, &near) == IMP_ERR_ARGUMENT);
  CHECK(imp_world_nearest(world, impi_vec(0, 0), -1e-9, NULL, &near) == IMP_ERR_ARGUMENT);
  CHECK(imp_shape_destroy(world, shape) == IMP_OK);
  CHECK(imp_shape_closest(world, shape, impi_vec(0, 0), &near) == IMP_ERR_HANDLE);
  CHECK(imp_shape_raycast(world, shape, impi_vec(0, 0), impi_vec(1, 0), &hit) == IMP_ERR_HANDLE);
  CHECK(near.distance == -7 && hit.fraction == -7);
  imp_world_destroy(world);
}


int main(void) {
  RUN(the_nearest_shape_agrees_with_brute_force);
  RUN(the_nearest_shape_agrees_with_brute_force_in_a_substep);
  RUN(at_equal_distance_the_first_created_is_the_nearest);
  RUN(queries_of_one_shape_ignore_others);
  RUN(surfaces_are_those_of_the_outline);
  RUN(the_edges_of_a_hole_are_surface);
  RUN(wrong_numbers_are_refused);
  return check_report("query_near");
}
