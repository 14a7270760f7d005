// Random worlds for specs of queries: bodies of every type, shapes of every kind, random changes.
#ifndef IMPI_RANDOM_QUERY_WORLD_H
#define IMPI_RANDOM_QUERY_WORLD_H

#include <string.h>

#include "random_hulls.h"

enum { MAX_BODIES = 60 };

static ImpBody bodies[MAX_BODIES];


static void run(ImpWorld *world, int steps) {
  for (int i = 0; i < steps; ++i) CHECK(imp_world_step(world) == IMP_OK);
}


static ImpVec2 anywhere(void) { return impi_vec(random_between(-10, 10), random_between(-10, 10)); }


static ImpShapeDef random_def(void) {
  ImpShapeDef def = imp_shape_def();
  def.sensor = random_below(10) == 0;
  if (random_below(4) == 0) {
    def.category = (uint64_t)random_below(16);
    def.mask = random_below(2) == 0 ? UINT64_MAX : (uint64_t)random_below(16);
    def.group = random_below(5) - 2;
  }
  if (random_below(8) == 0) def.one_way = impi_vec(0, 1);
  return def;
}


static void add_random_shape(ImpWorld *world, ImpBody body) {
  ImpShapeDef def = random_def();
  ImpShape shape;
  ImpVec2 p = {random_between(-1, 1), random_between(-1, 1)};
  ImpVec2 q = impi_mul_add(p, random_between(0.3, 2), impi_rotate(impi_rot(random_between(-3, 3)), impi_vec(1, 0)));
  double radius = random_below(2) * random_between(0.05, 0.3);
  ImpVec2 v[8];
  int count = 3 + random_below(6);
  for (int i = 0; i < count; ++i) {
    ImpRot turn = impi_rot((i + random_between(0, 0.6)) * 2 * IMPI_PI / count);
    v[i] = impi_vec(p.x + turn.c, p.y + 0.6 * turn.s);
  }
  ImpStatus status = IMP_OK;
  switch (random_below(7)) {
  case 0:
    status = imp_body_add_circle(world, body, &def, p, random_between(0.1, 1), &shape);
    break;
  case 1:
    status = imp_body_add_box(world, body, &def, random_between(0.1, 2), random_between(0.1, 2), p,
                              random_between(-3, 3), radius, &shape);
    break;
  case 2:
    status = imp_body_add_polygon(world, body, &def, v, count, radius, &shape);
    break;
  case 3:
    status = imp_body_add_capsule(world, body, &def, p, q, 0.05 + radius, &shape);
    break;
  case 4:
    status = imp_body_add_segment(world, body, &def, p, q, &shape);
    break;
  case 5: { // a star with four points, which is cut into convex pieces
    ImpVec2 star[8];
    for (int i = 0; i < 8; ++i) {
      ImpRot turn = impi_rot(2 * IMPI_PI * i / 8);
      star[i] = impi_mul_add(p, i % 2 == 0 ? 1 : random_between(0.2, 0.5), impi_vec(turn.c, turn.s));
    }
    status = imp_body_add_polygon(world, body, &def, star, 8, radius, &shape);
    break;
  }
  default: // a room, an island, or an open chain
    status = imp_body_add_chain(world, body, &def, v, count, random_below(2) == 0, &shape);
  }
  CHECK(status == IMP_OK);
}


static ImpBody random_body(ImpWorld *world) {
  ImpBodyDef def = imp_body_def();
  def.type = (ImpBodyType)random_below(3);
  def.position = anywhere();
  def.angle = random_between(-10, 10);
  def.enabled = random_below(12) > 0;
  def.awake = random_below(3) > 0;
  def.mass = 1; // lines have no mass, so the mass of the body is set
  def.inertia = 1;
  if (def.enabled && def.awake && def.type != IMP_BODY_STATIC) {
    double fast = random_below(5) == 0 ? 150 : 3;
    def.velocity = impi_vec(random_between(-fast, fast), random_between(-fast, fast));
    def.angular_velocity = random_between(-3, 3);
  }
  ImpBody body = {0};
  CHECK(imp_body_create(world, &def, &body) == IMP_OK);
  for (int shapes = random_below(4); shapes > 0; --shapes) add_random_shape(world, body);
  return body;
}


// Make one change that the next query must take into account.
static void change(ImpWorld *world) {
  int at = random_below(MAX_BODIES);
  switch (random_below(6)) {
  case 0:
  case 1:
    if (bodies[at].id != 0) CHECK(imp_body_destroy(world, bodies[at]) == IMP_OK);
    bodies[at] = random_body(world);
    break;
  case 2:
    CHECK(imp_body_set_position(world, bodies[at], anywhere()) == IMP_OK);
    break;
  case 3:
    CHECK(imp_body_set(world, bodies[at], IMP_BODY_ANGLE, random_between(-10, 10)) == IMP_OK);
    break;
  case 4: {
    ImpShape shape = imp_body_next_shape(world, bodies[at], (ImpShape){0});
    if (shape.id != 0) {
      CHECK(imp_shape_set_filter(world, shape, (uint64_t)random_below(16), (uint64_t)random_below(16)) == IMP_OK);
    }
    break;
  }
  default: {
    ImpShape shape = imp_body_next_shape(world, bodies[at], (ImpShape){0});
    if (shape.id != 0) CHECK(imp_shape_destroy(world, shape) == IMP_OK);
    add_random_shape(world, bodies[at]);
  }
  }
}


static ImpWorld *random_world(void) {
  ImpWorldDef def = imp_world_def();
  ImpWorld *world = NULL;
  CHECK(imp_world_create(&def, &world) == IMP_OK);
  memset(bodies, 0, sizeof bodies);
  for (int i = 0; i < MAX_BODIES; ++i) bodies[i] = random_body(world);
  return world;
}

#endif
