// Queries against brute force over all pieces of random worlds, with filters, between changes and inside steps.
//
// The oracle tests every piece in the order of creation, without trees. Fractions and orders must be equal to the bit.
#include <stdlib.h>
#include <string.h>

#include "base/constants.h"
#include "geometry/toi.h"
#include "query/query.h"
#include "random_query_world.h"

enum { MAX_FOUND = 600, QUERIES = 100000 };

typedef struct Found {
  ImpShape shape;
  uint64_t serial;
  double fraction;
  ImpVec2 normal;
} Found;

typedef struct List {
  Found at[MAX_FOUND];
  int count;
} List;

static int queries_asked, hits_seen;


static bool is_odd(ImpWorld *world, ImpShape shape, void *user) {
  double id = 0;
  CHECK(imp_shape_get(world, shape, IMP_SHAPE_ID, &id) == IMP_OK);
  ++*(int *)user;
  return (int)id % 2 == 1;
}


static ImpBody ignored_body;
static int calls;

static ImpQueryFilter random_query_filter(void) {
  ImpQueryFilter filter = imp_query_filter();
  if (random_below(2) == 0) return filter;
  filter.category = random_below(2) == 0 ? UINT64_MAX : (uint64_t)random_below(16);
  filter.mask = random_below(2) == 0 ? UINT64_MAX : (uint64_t)random_below(16);
  filter.group = random_below(5) - 2;
  filter.sensors = random_below(2) == 0;
  ignored_body = bodies[random_below(MAX_BODIES)];
  filter.ignored_bodies = &ignored_body;
  filter.ignored_body_count = random_below(2);
  filter.accept = random_below(3) == 0 ? is_odd : NULL;
  filter.user = &calls;
  return filter;
}


// ---------------------------------------------------------------------------------------------------------------------
// The oracle
// ---------------------------------------------------------------------------------------------------------------------

// Return whether a filter accepts a shape, according to the manual.
static bool agrees(ImpWorld *world, const ImpiShape *shape, ImpShape handle, const ImpQueryFilter *filter) {
  const ImpiFilter *f = &shape->filter;
  ImpBody body = {0};
  double enabled = 0;
  imp_shape_body(world, handle, &body);
  imp_body_get(world, body, IMP_BODY_ENABLED, &enabled);
  bool meets = f->group != 0 && f->group == filter->group
                   ? f->group > 0
                   : (f->category & filter->mask) != 0 && (f->mask & filter->category) != 0;
  bool ignored = filter->ignored_body_count > 0 && filter->ignored_bodies[0].id == body.id;
  bool accepted = filter->accept == NULL || shape->serial % 2 == 1;
  return meets && !ignored && accepted && enabled == 1 && (!shape->sensor || filter->sensors) && shape->attached;
}


// Test the query `how` against one piece. Return the fraction of the ray or cast at the hit, 0 for an overlap,
// or -1 for no hit.
typedef double (*Ask)(const ImpiHull *hull, ImpTransform frame, const void *how, ImpVec2 *out_normal);

static int compare(const void *a, const void *b) {
  const Found *f = a, *g = b;
  if (f->fraction != g->fraction) return f->fraction < g->fraction ? -1 : 1;
  return f->serial < g->serial ? -1 : 1;
}


static void all_pieces(ImpWorld *world, const ImpQueryFilter *filter, ImpBody left_out, Ask ask, const void *how,
                       List *out) {
  out->count = 0;
  for (ImpBody body = imp_world_next_body(world, (ImpBody){0}); body.id != 0; body = imp_world_next_body(world, body)) {
    ImpTransform frame;
    imp_body_transform(world, body, &frame);
    for (ImpShape s = imp_body_next_shape(world, body, (ImpShape){0}); s.id != 0;
         s = imp_body_next_shape(world, body, s)) {
      const ImpiShape *shape = &world->shapes.data[impi_pool_find(&world->shape_pool, s.id, world->tag)];
      if (body.id == left_out.id || !agrees(world, shape, s, filter)) continue;
      Found found = {.shape = s, .serial = shape->serial, .fraction = 2};
      for (int i = 0; i < shape->geometry.child_count; ++i) {
        ImpVec2 normal = {0, 0};
        double fraction = ask(&shape->geometry.hulls[i], frame, how, &normal);
        if (fraction >= 0 && fraction < found.fraction) {
          found.fraction = fraction;
          found.normal = normal;
        }
      }
      if (found.fraction <= 1) out->at[out->count++] = found;
    }
  }
  qsort(out->at, (size_t)out->count, sizeof out->at[0], compare);
}


static double ask_ray(const ImpiHull *hull, ImpTransform frame, const void *how, ImpVec2 *out_normal) {
  const ImpRay *ray = how;
  ImpiCast cast;
  ImpVec2 travel = impi_sub(ray->to, ray->from);
  if (!impi_ray_cast(hull, impi_inv_apply(frame, ray->from), impi_inv_rotate(frame.q, travel), 1, &cast)) return -1;
  *out_normal = impi_rotate(frame.q, cast.normal);
  return cast.fraction;
}


// A convex piece with a pose and a motion.
typedef struct Form {
  ImpiHull hull;
  ImpTransform frame;
  ImpVec2 travel;
} Form;

static double ask_cast(const ImpiHull *hull, ImpTransform frame, const void *how, ImpVec2 *out_normal) {
  const Form *form = how;
  ImpiCast cast;
  if (!impi_hull_cast(hull, &form->hull, impi_inv_mul(frame, form->frame), impi_inv_rotate(frame.q, form->travel), 1,
                      &cast)) {
    return -1;
  }
  *out_normal = impi_rotate(frame.q, cast.normal);
  return cast.fraction;
}


// Return the distance of two pieces. Beyond 1 m, return the distance of their bounding circles.
static double distance(const ImpiHull *a, ImpTransform frame_a, const ImpiHull *b, ImpTransform frame_b) {
  ImpVec2 between = impi_sub(impi_apply(frame_a, a->centroid), impi_apply(frame_b, b->centroid));
  double gap = impi_length(between) - a->extent - b->extent;
  if (gap > 1) return gap;
  Core core_a = core_of(a, frame_a), core_b = core_of(b, frame_b);
  double tie;
  return brute_separation(&core_a, &core_b, &tie) - a->radius - b->radius;
}


// True if rounding decides whether some piece overlaps the query's point or shape.
static bool needs_recheck;

static double ask_overlap(const ImpiHull *hull, ImpTransform frame, const void *how, ImpVec2 *out_normal) {
  const Form *form = how;
  double d = distance(hull, frame, &form->hull, form->frame);
  (void)out_normal;
  needs_recheck = needs_recheck || fabs(d) < 1e-9; // 1e-9 m is far above the rounding of coordinates of 10 m
  return d <= 0 ? 0 : -1;
}


static double ask_point(const ImpiHull *hull, ImpTransform frame, const void *how, ImpVec2 *out_normal) {
  const ImpVec2 *point = how;
  Core core = core_of(hull, frame);
  double d = distance_to_core(&core, *point) - hull->radius;
  (void)out_normal;
  needs_recheck = needs_recheck || fabs(d) < 1e-9; // as above
  return d <= 0 && (hull->count != 2 || hull->radius > 0) ? 0 : -1;
}


// ---------------------------------------------------------------------------------------------------------------------
// Comparing
// ---------------------------------------------------------------------------------------------------------------------

static void check_hit(const Found *expected, const ImpHit *hit) {
  CHECK(hit->shape.id == expected->shape.id);
  CHECK(hit->fraction == expected->fraction);
  CHECK_NEAR(hit->normal.x, expected->normal.x, 0); // oracle and query compute the normal by the same code
  CHECK_NEAR(hit->normal.y, expected->normal.y, 0); // as above
}


static void check_list(ImpWorld *world, const List *expected, int count, bool with_fractions) {
  int given;
  const ImpHit *hits = imp_world_hits(world, &given);
  hits_seen += count;
  CHECK(count == given && count == expected->count);
  for (int i = 0; i < count && i < expected->count; ++i) {
    ImpBody body = {0};
    CHECK(hits[i].shape.id == expected->at[i].shape.id);
    CHECK(imp_shape_body(world, hits[i].shape, &body) == IMP_OK && body.id == hits[i].body.id);
    if (with_fractions) check_hit(&expected->at[i], &hits[i]);
  }
}


static void check_closest_hit(const List *expected, const ImpHit *hit) {
  CHECK((hit->shape.id != 0) == (expected->count > 0));
  if (hit->shape.id != 0 && expected->count > 0) check_hit(&expected->at[0], hit);
}


static List expected;

// Check that the path to the hit crosses no shape, and that the hit is on the surface of its shape.
static void check_geometry(ImpWorld *world, const ImpQueryFilter *filter, const ImpRay *ray, const ImpHit *hit) {
  static List inside;
  double end = hit->shape.id != 0 ? hit->fraction : 1;
  for (int i = 0; i < 5 && end > 0; ++i) {
    ImpVec2 point = impi_lerp(ray->from, ray->to, end * random_between(0, 1 - 1e-9));
    needs_recheck = false;
    all_pieces(world, filter, (ImpBody){0}, ask_point, &point, &inside);
    CHECK(inside.count == 0 || needs_recheck);
  }
  if (hit->shape.id == 0) return;
  const ImpiShape *shape = &world->shapes.data[impi_pool_find(&world->shape_pool, hit->shape.id, world->tag)];
  ImpTransform frame;
  imp_body_transform(world, hit->body, &frame);
  double least = HUGE_VAL;
  for (int i = 0; i < shape->geometry.child_count; ++i) {
    const ImpiHull *hull = &shape->geometry.hulls[i];
    Core core = core_of(hull, frame);
    least = fmin(least, distance_to_core(&core, hit->point) - hull->radius);
  }
  CHECK_NEAR(end > 0 ? least : fmax(least, 0), 0, 1e-6); // inside a shape, the point may be at any depth
}


static void compare_ray(ImpWorld *world, const ImpQueryFilter *filter) {
  ImpRay ray = {anywhere(), anywhere()};
  ImpHit hit, many[1];
  bool any = false;
  int count = 0, found = 0;
  if (random_below(4) == 0) ray.to.x = ray.from.x; // some rays are parallel to the y axis
  if (random_below(50) == 0) ray.to = ray.from;
  all_pieces(world, filter, (ImpBody){0}, ask_ray, &ray, &expected);
  calls = 0;
  CHECK(imp_world_raycast_all(world, ray.from, ray.to, filter, &count) == IMP_OK);
  check_list(world, &expected, count, true);
  calls = 0;
  CHECK(imp_world_raycast(world, ray.from, ray.to, filter, &hit) == IMP_OK);
  check_closest_hit(&expected, &hit);
  if (random_below(10) == 0) check_geometry(world, filter, &ray, &hit);
  CHECK(imp_world_raycast_any(world, ray.from, ray.to, filter, &any) == IMP_OK && any == (expected.count > 0));
  CHECK(imp_world_raycast_many(world, &ray, 1, filter, many, &found) == IMP_OK);
  CHECK(memcmp(&many[0], &hit, sizeof hit) == 0 && found == (hit.shape.id != 0));
}


static ImpProbe random_probe(ImpVec2 points[8]) {
  int count = 1 + random_below(8);
  for (int i = 0; i < count; ++i) {
    // The points are clockwise; the core reverses their order.
    ImpRot turn = impi_rot(-(i + random_between(0, 0.6)) * 2 * IMPI_PI / count);
    points[i] = impi_vec(turn.c, 0.5 * turn.s);
  }
  return (ImpProbe){.points = points,
                    .count = count,
                    .radius = random_below(2) * random_between(0, 0.5),
                    .position = anywhere(),
                    .angle = random_between(-4, 4)};
}


// Convert a probe to a piece for the oracle. `v` and `n` receive the piece's points and normals.
static Form form_of(const ImpProbe *probe, ImpVec2 travel, ImpVec2 v[8], ImpVec2 n[8]) {
  int count = probe->count;
  for (int i = 0; i < count; ++i) v[i] = probe->points[count > 2 ? count - 1 - i : i];
  for (int i = 0; i < count; ++i) {
    double length;
    n[i] = impi_right(impi_normalize(impi_sub(v[(i + 1) % count], v[i]), &length));
  }
  Form form = {.frame = {probe->position, impi_rot(probe->angle)}, .travel = travel};
  ImpVec2 low = v[0], high = v[0];
  for (int i = 0; i < count; ++i) {
    low = impi_vec(fmin(low.x, v[i].x), fmin(low.y, v[i].y));
    high = impi_vec(fmax(high.x, v[i].x), fmax(high.y, v[i].y));
  }
  form.hull =
      (ImpiHull){.count = count, .radius = probe->radius, .centroid = impi_lerp(low, high, 0.5), .v = v, .n = n};
  form.hull.extent = impi_length(impi_sub(high, form.hull.centroid)) + probe->radius;
  return form;
}


static void compare_form(ImpWorld *world, const ImpQueryFilter *filter) {
  ImpVec2 points[8], v[8], n[8];
  ImpProbe probe = random_probe(points);
  ImpVec2 travel = impi_vec(random_between(-8, 8), random_between(-8, 8));
  Form form = form_of(&probe, travel, v, n);
  ImpHit hit;
  int count = 0;
  all_pieces(world, filter, (ImpBody){0}, ask_cast, &form, &expected);
  CHECK(imp_world_shapecast(world, &probe, travel, filter, &hit) == IMP_OK);
  check_closest_hit(&expected, &hit);
  needs_recheck = false;
  all_pieces(world, filter, (ImpBody){0}, ask_overlap, &form, &expected);
  CHECK(imp_world_overlap(world, &probe, filter, &count) == IMP_OK);
  if (!needs_recheck) check_list(world, &expected, count, false);
}


static void compare_areas(ImpWorld *world, const ImpQueryFilter *filter) {
  ImpVec2 a = anywhere(), b = random_below(2) == 0 ? anywhere() : a, v[8], n[8];
  ImpAabb box = {{fmin(a.x, b.x), fmin(a.y, b.y)}, {fmax(a.x, b.x), fmax(a.y, b.y)}};
  ImpVec2 corners[4] = {{box.lower.x, box.upper.y}, box.upper, {box.upper.x, box.lower.y}, box.lower};
  ImpProbe square = {.points = corners, .count = a.x == b.x ? 1 : 4};
  int count = 0;
  Form form = form_of(&square, impi_vec(0, 0), v, n);
  needs_recheck = false;
  all_pieces(world, filter, (ImpBody){0}, ask_overlap, &form, &expected);
  CHECK(imp_world_overlap_box(world, box, filter, &count) == IMP_OK);
  if (!needs_recheck) check_list(world, &expected, count, false);

  ImpVec2 middle = {0, 0};
  ImpProbe disc = {.points = &middle, .count = 1, .radius = random_between(0, 2), .position = b};
  form = form_of(&disc, impi_vec(0, 0), v, n);
  needs_recheck = false;
  all_pieces(world, filter, (ImpBody){0}, ask_overlap, &form, &expected);
  CHECK(imp_world_overlap_circle(world, b, disc.radius, filter, &count) == IMP_OK);
  if (!needs_recheck) check_list(world, &expected, count, false);

  needs_recheck = false;
  all_pieces(world, filter, (ImpBody){0}, ask_point, &b, &expected);
  CHECK(imp_world_overlap_point(world, b, filter, &count) == IMP_OK);
  if (!needs_recheck) check_list(world, &expected, count, false);
}


static ImpiSweep sweep_of(ImpWorld *world, ImpBody body, ImpTravel motion) {
  ImpVec2 center, local;
  ImpTransform frame;
  double angle = 0;
  imp_body_center(world, body, &center);
  imp_body_transform(world, body, &frame);
  imp_body_get(world, body, IMP_BODY_ANGLE, &angle);
  local = impi_inv_apply(frame, center);
  return (ImpiSweep){local, center, impi_add(center, motion.travel), angle, angle + motion.turn};
}


// Compare the time of impact of two shapes with the earliest time over all pairs of their pieces. A pair is left out if
// one piece is a link of a chain and the other piece starts behind the link.
static void compare_impact(ImpWorld *world, ImpShape a, ImpShape b) {
  const ImpiShape *of_a = &world->shapes.data[impi_pool_find(&world->shape_pool, a.id, world->tag)];
  const ImpiShape *of_b = &world->shapes.data[impi_pool_find(&world->shape_pool, b.id, world->tag)];
  ImpBody body_a, body_b;
  imp_shape_body(world, a, &body_a);
  imp_shape_body(world, b, &body_b);
  ImpTravel motion_a = {anywhere(), random_between(-3, 3)}, motion_b = {anywhere(), random_between(-3, 3)};
  double target = random_below(2) * random_between(-0.02, 0.1);
  ImpImpact impact;
  ImpStatus status = imp_world_time_of_impact(world, a, motion_a, b, motion_b, target, &impact);
  CHECK((status == IMP_OK) == (body_a.id != body_b.id));
  if (status != IMP_OK) return;
  ImpiSweep sweep_a = sweep_of(world, body_a, motion_a), sweep_b = sweep_of(world, body_b, motion_b);
  ImpTransform frame_a = impi_sweep_at(&sweep_a, 0), frame_b = impi_sweep_at(&sweep_b, 0);
  double first = 2;
  for (int i = 0; i < of_a->geometry.child_count; ++i) {
    for (int k = 0; k < of_b->geometry.child_count; ++k) {
      const ImpiHull *p = &of_a->geometry.hulls[i], *q = &of_b->geometry.hulls[k];
      ImpVec2 q_in_p = impi_inv_apply(frame_a, impi_apply(frame_b, q->centroid));
      ImpVec2 p_in_q = impi_inv_apply(frame_b, impi_apply(frame_a, p->centroid));
      if (p->chain && impi_dot(p->n[0], impi_sub(q_in_p, p->v[0])) < 0) continue;
      if (q->chain && impi_dot(q->n[0], impi_sub(p_in_q, q->v[0])) < 0) continue;
      ImpiToi toi;
      impi_time_of_impact(p, &sweep_a, q, &sweep_b, target, 1, &toi);
      if (toi.state != IMPI_TOI_APART) first = fmin(first, toi.t);
    }
  }
  CHECK(impact.met == (first <= 1));
  // At a grazing hit the error of the time is sqrt(1e-12) = 1e-6, because 1e-12 is the tolerance of distances.
  if (impact.met) CHECK_NEAR(impact.time, first, 1e-6);
}


// Compare the distance and the time of impact of two shapes, and a cast of a shape, with brute force over their pieces.
static void compare_shapes(ImpWorld *world, const ImpQueryFilter *filter) {
  ImpShape a = imp_body_next_shape(world, bodies[random_below(MAX_BODIES)], (ImpShape){0});
  ImpShape b = imp_body_next_shape(world, bodies[random_below(MAX_BODIES)], (ImpShape){0});
  if (a.id == 0 || b.id == 0 || a.id == b.id) return;
  const ImpiShape *of_a = &world->shapes.data[impi_pool_find(&world->shape_pool, a.id, world->tag)];
  const ImpiShape *of_b = &world->shapes.data[impi_pool_find(&world->shape_pool, b.id, world->tag)];
  ImpBody body_a, body_b;
  ImpTransform frame_a, frame_b;
  imp_shape_body(world, a, &body_a);
  imp_shape_body(world, b, &body_b);
  imp_body_transform(world, body_a, &frame_a);
  imp_body_transform(world, body_b, &frame_b);
  double least = HUGE_VAL;
  for (int i = 0; i < of_a->geometry.child_count; ++i) {
    for (int k = 0; k < of_b->geometry.child_count; ++k) {
      Core core_a = core_of(&of_a->geometry.hulls[i], frame_a), core_b = core_of(&of_b->geometry.hulls[k], frame_b);
      double tie, radii = core_a.radius + core_b.radius;
      least = fmin(least, brute_separation(&core_a, &core_b, &tie) - radii);
    }
  }
  ImpClosest closest;
  CHECK(imp_world_closest(world, a, b, &closest) == IMP_OK);
  CHECK_NEAR(closest.distance, least, 1e-6); // measured: below 1e-12
  ImpVec2 apart = impi_sub(closest.point_b, closest.point_a);
  CHECK_NEAR(impi_dot(apart, closest.normal), closest.distance, 1e-9); // rounding [m] of coordinates of 10 m

  compare_impact(world, a, b);

  if (of_a->geometry.child_count > 1) return;
  Form form = {.hull = of_a->geometry.hulls[0], .frame = frame_a, .travel = {random_between(-5, 5), -3}};
  ImpProbe probe = {.shape = a};
  ImpHit hit;
  all_pieces(world, filter, body_a, ask_cast, &form, &expected);
  CHECK(imp_world_shapecast(world, &probe, form.travel, filter, &hit) == IMP_OK);
  check_closest_hit(&expected, &hit);
}


static void ask_something(ImpWorld *world) {
  static void (*const kinds[])(ImpWorld *, const ImpQueryFilter *) = {compare_ray, compare_ray, compare_form,
                                                                      compare_areas, compare_shapes};
  ImpQueryFilter filter = random_query_filter();
  kinds[random_below(5)](world, &filter);
  queries_asked++;
}


// ---------------------------------------------------------------------------------------------------------------------
// The cases
// ---------------------------------------------------------------------------------------------------------------------

static void queries_agree_with_brute_force(void) {
  for (int worlds = 0; queries_asked < QUERIES; ++worlds) {
    ImpWorld *world = random_world();
    for (int i = 0; i < 1000; ++i) {
      if (i % 10 == 0) change(world);
      if (i % 100 == 99) run(world, 3);
      ask_something(world);
    }
    imp_world_destroy(world);
  }
  CHECK(hits_seen > QUERIES);
}


static void ask_in_substep(ImpWorld *world, double h, void *user) {
  (void)h;
  (void)user;
  for (int i = 0; i < 3; ++i) ask_something(world);
  if (random_below(3) == 0) change(world); // queries see a destruction at once, other changes after the step
  imp_body_apply_impulse(world, bodies[random_below(MAX_BODIES)], impi_vec(random_between(-500, 500), 0));
  ask_something(world);
}


static void queries_in_a_substep_use_current_poses(void) {
  static const ImpSolverKind kinds[] = {IMP_SOLVER_SOFT, IMP_SOLVER_SI, IMP_SOLVER_REDUCED};
  for (int k = 0; k < 3; ++k) {
    ImpWorld *world = random_world();
    int outside_boxes = 0;
    CHECK(imp_world_set_solver(world, kinds[k]) == IMP_OK);
    CHECK(imp_world_set(world, IMP_WORLD_SUBSTEPS, 4) == IMP_OK);
    imp_world_set_substep_callback(world, ask_in_substep, NULL);
    for (int i = 0; i < 60; ++i) {
      run(world, 1);
      outside_boxes += world->query.outside_boxes.count;
      change(world);
      ask_something(world);
    }
    CHECK(outside_boxes > 0); // some fast bodies have left their enlarged bounding boxes
    imp_world_destroy(world);
  }
}


// Two worlds with the same bodies but different histories list hits in the same order.
static void order_is_independent_of_history(void) {
  ImpWorld *worlds[2];
  ImpHit first[2][64];
  int counts[2];
  for (int k = 0; k < 2; ++k) {
    ImpWorldDef def = imp_world_def();
    CHECK(imp_world_create(&def, &worlds[k]) == IMP_OK);
    ImpShapeDef shape_def = imp_shape_def();
    ImpShape shape;
    ImpBody passing[40];
    for (int i = 0; i < 40; ++i) {
      ImpBodyDef body_def = imp_body_def();
      body_def.type = IMP_BODY_STATIC;
      // Bodies that are destroyed later change the worlds' free lists and trees.
      for (int extra = 0; extra < k * 3; ++extra) {
        body_def.position = impi_vec(extra, -i);
        CHECK(imp_body_create(worlds[k], &body_def, &passing[extra]) == IMP_OK);
        CHECK(imp_body_add_circle(worlds[k], passing[extra], &shape_def, impi_vec(0, 0), 1, &shape) == IMP_OK);
      }
      body_def.position = impi_vec(0, 0); // a ray hits all bodies at the same fraction
      ImpBody body;
      CHECK(imp_body_create(worlds[k], &body_def, &body) == IMP_OK);
      CHECK(imp_body_add_circle(worlds[k], body, &shape_def, impi_vec(0, 0), 1, &shape) == IMP_OK);
      for (int extra = 0; extra < k * 3; ++extra) CHECK(imp_body_destroy(worlds[k], passing[extra]) == IMP_OK);
    }
    CHECK(imp_world_raycast_all(worlds[k], impi_vec(-5, 0), impi_vec(5, 0), NULL, &counts[k]) == IMP_OK);
    CHECK(counts[k] == 40);
    const ImpHit *hits = imp_world_hits(worlds[k], &counts[k]);
    double last = 0;
    for (int i = 0; i < counts[k]; ++i) {
      double id = 0;
      first[k][i] = hits[i];
      CHECK(imp_shape_get(worlds[k], hits[i].shape, IMP_SHAPE_ID, &id) == IMP_OK && id > last);
      last = id;
    }
    ImpHit closest;
    CHECK(imp_world_raycast(worlds[k], impi_vec(-5, 0), impi_vec(5, 0), NULL, &closest) == IMP_OK);
    CHECK(closest.shape.id == first[k][0].shape.id);
  }
  imp_world_destroy(worlds[0]);
  imp_world_destroy(worlds[1]);
}


// Rays run along a floor's top edge, above the edge by less than the tolerance. Rays at two equal circles in the same
// place hit the circle that was created first.
static void rounding_does_not_hide_overlaps(void) {
  ImpWorldDef def = imp_world_def();
  ImpWorld *world = NULL;
  ImpShapeDef shape_def = imp_shape_def();
  ImpShape floor, first, second;
  ImpBodyDef body_def = imp_body_def();
  ImpBody fixed, loose;
  ImpHit hit;
  CHECK(imp_world_create(&def, &world) == IMP_OK);
  body_def.type = IMP_BODY_STATIC;
  CHECK(imp_body_create(world, &body_def, &fixed) == IMP_OK);
  body_def.type = IMP_BODY_DYNAMIC;
  CHECK(imp_body_create(world, &body_def, &loose) == IMP_OK);
  CHECK(imp_body_add_box(world, fixed, &shape_def, 20, 1, impi_vec(0, -20.5), 0, 0, &floor) == IMP_OK);
  CHECK(imp_body_add_circle(world, fixed, &shape_def, impi_vec(0, 0), 1, &first) == IMP_OK);
  CHECK(imp_body_add_circle(world, loose, &shape_def, impi_vec(0, 0), 1, &second) == IMP_OK);
  for (int i = 0; i < 2000; ++i) {
    double above = random_between(0, 0.9 * IMPI_GRAZE);
    ImpVec2 from = {-10 - random_between(0, 9), -20 + above}, to = {11, -20 + above};
    CHECK(imp_world_raycast(world, from, to, NULL, &hit) == IMP_OK && hit.shape.id == floor.id);
    from = impi_scale(random_between(2, 15), impi_rotate(impi_rot(random_between(-3, 3)), impi_vec(1, 0)));
    to = impi_scale(-random_between(0.1, 3), from);
    CHECK(imp_world_raycast(world, from, to, NULL, &hit) == IMP_OK && hit.shape.id == first.id);
  }
  imp_world_destroy(world);
}


int main(void) {
  RUN(queries_agree_with_brute_force);
  RUN(queries_in_a_substep_use_current_poses);
  RUN(order_is_independent_of_history);
  RUN(rounding_does_not_hide_overlaps);
  return check_report("query");
}
