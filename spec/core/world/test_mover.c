// Character movers: planes, random levels without penetration, out of memory, handles, determinism.
#include "failing_memory.h"
#include "geometry/distance.h"
#include "scene.h"
#include "world/world.h"


// ---------------------------------------------------------------------------------------------------------------------
// Planes
// ---------------------------------------------------------------------------------------------------------------------


static ImpiPlane random_plane(void) {
  double angle = random_in(-4, 4);
  return (ImpiPlane){{imp_cos(angle), imp_sin(angle)}, random_in(-1, 0.5), IMPI_TIER_STATIC};
}


// Move a point by alternating projections onto the planes. Return the least value of the largest violation of a plane
// [m] over all iterations.
static double least_violation(const ImpiPlane *planes, int count) {
  ImpVec2 x = {0, 0};
  double least = 1e9;
  for (int round = 0; round < 3000; ++round) {
    double worst = 0;
    int which = 0;
    for (int i = 0; i < count; ++i) {
      double lack = planes[i].bound - impi_dot(planes[i].normal, x);
      which = lack > worst ? i : which;
      worst = impi_max(worst, lack);
    }
    least = impi_min(least, worst);
    x = impi_mul_add(x, worst, planes[which].normal);
  }
  return least;
}


// Return whether x is feasible and nearest to the target. The vector from the target to x must be a non-negative
// combination of the normals of at most two active planes.
static bool is_nearest(const ImpiPlane *planes, int count, ImpVec2 target, ImpVec2 x) {
  ImpVec2 back = impi_sub(x, target);
  int touching[8], touches = 0;
  for (int i = 0; i < count; ++i) {
    double slack = impi_dot(planes[i].normal, x) - planes[i].bound;
    if (slack < -1e-8) return false; // the tolerance of the solver is 1e-9
    if (slack < 1e-8) touching[touches++] = i;
  }
  if (impi_length(back) < 1e-9) return true;
  for (int i = 0; i < touches; ++i) {
    ImpVec2 a = planes[touching[i]].normal;
    if (fabs(impi_cross(a, back)) < 1e-8 && impi_dot(a, back) > 0) return true;
    for (int j = 0; j < touches; ++j) {
      ImpVec2 b = planes[touching[j]].normal;
      double det = impi_cross(a, b);
      if (fabs(det) > 1e-9 && impi_cross(back, b) / det >= -1e-9 && impi_cross(a, back) / det >= -1e-9) return true;
    }
  }
  return false;
}


static void planes_give_the_nearest_allowed_point(void) {
  int solved = 0, refused = 0;
  for (int i = 0; i < 20000; ++i) {
    ImpiPlane planes[8];
    int count = i % 8;
    for (int k = 0; k < count; ++k) planes[k] = random_plane();
    ImpVec2 target = vec(random_in(-2, 2), random_in(-2, 2)), x = vec(77, 77);
    if (impi_planes_solve(planes, count, IMPI_TIER_STATIC, target, &x)) {
      ++solved;
      CHECK(is_nearest(planes, count, target, x));
    } else if (refused++ < 300) { // check only 300 infeasible cases, because the check is slow
      CHECK(least_violation(planes, count) > 1e-6);
    }
  }
  CHECK(solved > 10000 && refused > 300);
}


static void static_planes_have_priority_and_contradictory_planes_share_the_violation(void) {
  ImpVec2 x;
  ImpiPlane planes[3] = {
      {{1, 0}, 0.1, IMPI_TIER_STATIC}, {{-1, 0}, 0.3, IMPI_TIER_KINEMATIC}, {{0, 1}, 0.2, IMPI_TIER_DYNAMIC}};
  CHECK(impi_planes_nearest(planes, 3, vec(0, 0), &x) == IMPI_TIER_KINEMATIC);
  CHECK_NEAR(x.x, 0.1, 1e-12);
  CHECK_NEAR(x.y, 0, 1e-12); // a dynamic plane is ignored if a kinematic plane is violated
  planes[1].tier = IMPI_TIER_STATIC;
  CHECK(impi_planes_nearest(planes, 2, vec(0, 0.5), &x) == IMPI_TIER_STATIC);
  CHECK_NEAR(x.x, 0, 1e-9); // a motion toward one plane increases the violation of the other plane by the same length
  CHECK_NEAR(x.y, 0.5, 1e-9);
  planes[0].bound = -0.05; // the mover is 30 cm deep in the second plane, the first plane leaves 5 cm of room
  CHECK(impi_planes_nearest(planes, 2, vec(0.5, 0), &x) == IMPI_TIER_STATIC);
  CHECK_NEAR(x.x, -0.05, 1e-9);
  planes[0].bound = 0.1;
  planes[1].bound = -0.3;
  CHECK(impi_planes_nearest(planes, 3, vec(0, 0), &x) == -1);
  CHECK_NEAR(x.y, 0.2, 1e-12);
}


// ---------------------------------------------------------------------------------------------------------------------
// Levels
// ---------------------------------------------------------------------------------------------------------------------


static ImpMover add_mover(ImpWorld *world, double x, double y) {
  ImpMoverDef def = imp_mover_def();
  ImpMover mover = {0};
  def.position = vec(x, y);
  MUST(imp_mover_create(world, &def, &mover));
  return mover;
}


// A room of 20 m by 12 m with boxes, discs, lines and a hilly chain.
static ImpWorld *make_level(void) {
  ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 9.81);
  ImpBody ground = add_body(world, IMP_BODY_STATIC, 0, 0, 0);
  ImpShapeDef def = imp_shape_def();
  ImpShape shape;
  ImpVec2 points[26];
  for (int i = 0; i < 22; ++i) points[i] = vec(10.0 - i * 20.0 / 21, random_in(0, 0.8));
  points[22] = vec(-10, 12);
  points[23] = vec(10, 12);
  MUST(imp_body_add_chain(world, ground, &def, points, 24, true, &shape));
  for (int i = 0; i < 12; ++i) {
    double x = random_in(-8, 8), y = random_in(2, 10);
    switch (i % 4) {
    case 0:
      MUST(imp_body_add_box(world, ground, &def, random_in(0.2, 3), random_in(0.05, 1), vec(x, y), random_in(-1, 1), 0,
                            &shape));
      break;
    case 1:
      MUST(imp_body_add_circle(world, ground, &def, vec(x, y), random_in(0.1, 1), &shape));
      break;
    case 2:
      MUST(imp_body_add_segment(world, ground, &def, vec(x, y), vec(x + random_in(-2, 2), y + random_in(0.1, 2)),
                                &shape));
      break;
    default:
      MUST(imp_body_add_capsule(world, ground, &def, vec(x, y), vec(x + 1, y + random_in(-1, 1)), 0.1, &shape));
    }
  }
  return world;
}


// Return the deepest penetration of a mover into all pieces, and into the solid side of chains.
static double depth(const ImpWorld *world, ImpMover handle) {
  const ImpiBody *body = &world->bodies.data[impi_pool_find(&world->body_pool, handle.id, world->tag)];
  const ImpiHull *own = &world->shapes.data[body->first_shape].geometry.hulls[0];
  ImpTransform at =
      impi_body_frame(body, &world->motions.data[impi_pool_find(&world->body_pool, handle.id, world->tag)]);
  double deepest = 0;
  for (int i = 0; i < world->shapes.count; ++i) {
    const ImpiShape *shape = &world->shapes.data[i];
    if (world->bodies.data[shape->body].type != IMP_BODY_STATIC) continue;
    for (int k = 0; k < shape->geometry.child_count; ++k) {
      ImpiClosest closest;
      impi_closest(&shape->geometry.hulls[k], own, at, &closest);
      deepest = impi_max(deepest, -closest.distance);
    }
  }
  return deepest;
}


static void movers_do_not_enter_solid_shapes_at_any_speed(void) {
  for (int level = 0; level < 20; ++level) {
    ImpWorld *world = make_level();
    ImpMover movers[6];
    int count = 0;
    for (int tries = 0; tries < 60 && count < 6; ++tries) {
      ImpMover mover = add_mover(world, random_in(-9, 9), random_in(1, 10));
      if (depth(world, mover) > 0) {
        MUST(imp_mover_destroy(world, mover));
      } else {
        movers[count++] = mover;
      }
    }
    double worst = 0;
    for (int step = 0; step < 240; ++step) {
      for (int i = 0; i < count; ++i) {
        MUST(imp_mover_set(world, movers[i], IMP_MOVER_WALK, random_in(-8, 8)));
        if (step % 7 == i) MUST(imp_mover_set_velocity(world, movers[i], vec(random_in(-90, 90), random_in(-90, 90))));
        bool done;
        if (step % 11 == i) MUST(imp_mover_set_height(world, movers[i], step % 2 ? 1.0 : 1.8, &done));
      }
      run(world, 1);
      for (int i = 0; i < count; ++i) worst = impi_max(worst, depth(world, movers[i]));
    }
    // The mover moves by a float velocity, with an error of at most a thousandth of the skin.
    CHECK_NEAR(worst, 0, 1e-6);
    imp_world_destroy(world);
  }
}


// A closed room, bounded by a chain, segments, boxes or tiles. The room contains one-sided chains, one-way boxes, and
// in every second room kinematic platforms and dynamic crates.
typedef struct Room {
  ImpWorld *world;
  double half, top; // x from -half to half, y from 0 to top
  ImpBody platforms[3];
  int platform_count;
} Room;


static void add_walls(ImpWorld *world, ImpBody ground, double half, double top, int kind) {
  ImpShapeDef def = imp_shape_def();
  ImpShape shape;
  const ImpVec2 corners[] = {{half, 0}, {-half, 0}, {-half, top}, {half, top}}; // clockwise order: the outside is solid
  if (kind == 0) MUST(imp_body_add_chain(world, ground, &def, corners, 4, true, &shape));
  for (int i = 0; kind > 0 && i < 4; ++i) {
    ImpVec2 a = corners[i], b = corners[(i + 1) % 4];
    ImpVec2 out = vec(i % 2 ? (i == 1 ? -1 : 1) : 0, i % 2 ? 0 : (i == 0 ? -1 : 1));
    if (kind == 1) {
      MUST(imp_body_add_segment(world, ground, &def, a, b, &shape));
      continue;
    }
    double thick = kind == 2 ? 0.05 : 0.5, length = (fabs(b.x - a.x) + fabs(b.y - a.y)) / 2 + thick;
    ImpVec2 middle = impi_mul_add(impi_scale(0.5, impi_add(a, b)), thick / 2, out);
    for (double at = -length; at < length; at += kind == 2 ? 3 * length : 0.5) {
      ImpVec2 size = vec(kind == 2 ? 2 * length : 0.5, thick), center = middle;
      *(i % 2 ? &center.y : &center.x) += kind == 2 ? 0 : at + 0.25;
      MUST(imp_body_add_box(world, ground, &def, i % 2 ? size.y : size.x, i % 2 ? size.x : size.y, center, 0, 0,
                            &shape));
    }
  }
}


static Room make_room(int number) {
  static const double gravity[] = {9.81, 9.81, 0, -9.81, 30}, dt[] = {1.0 / 60, 1.0 / 30, 1.0 / 240};
  Room room = {.half = random_in(3, 8), .top = random_in(3, 7)};
  room.world = make_world(IMP_SOLVER_SOFT, dt[number / 4 % 3], gravity[number / 12 % 5]);
  ImpBody ground = add_body(room.world, IMP_BODY_STATIC, 0, 0, 0);
  ImpShape shape;
  add_walls(room.world, ground, room.half, room.top, number % 4);
  for (int i = 0; i < 8; ++i) {
    ImpShapeDef def = imp_shape_def();
    ImpVec2 line[5] = {{random_in(-room.half, room.half), random_in(0.3, room.top)}};
    for (int k = 1; k < 5; ++k) line[k] = vec(line[k - 1].x + random_in(-1, 1), line[k - 1].y + random_in(-1, 1));
    if (i % 3 == 0) def.one_way = vec(random_in(-0.5, 0.5), 1);
    if (i % 2) {
      MUST(imp_body_add_chain(room.world, ground, &def, line, 5, false, &shape));
    } else {
      MUST(imp_body_add_box(room.world, ground, &def, random_in(0.1, 2), random_in(0.02, 1), line[0], random_in(-3, 3),
                            0, &shape));
    }
  }
  for (; number % 2 && room.platform_count < 3; ++room.platform_count) {
    ImpBody body =
        add_body(room.world, IMP_BODY_KINEMATIC, random_in(-room.half, room.half), random_in(0, room.top), 0);
    add_box(room.world, body, imp_shape_def(), random_in(0.2, 3), random_in(0.1, 1));
    room.platforms[room.platform_count] = body;
    ImpBody crate = add_body(room.world, IMP_BODY_DYNAMIC, random_in(-2, 2), random_in(0.5, 2), random_in(-3, 3));
    add_box(room.world, crate, imp_shape_def(), random_in(0.2, 1), random_in(0.2, 1));
  }
  return room;
}


static void tell_at_random(const Room *room, ImpMover mover) {
  double speed = random_in(0, 1) < 0.2 ? 60 : 5;
  bool done;
  ImpVec2 moved;
  switch ((int)random_in(0, 40)) {
  case 0:
    MUST(imp_mover_jump(room->world, mover, random_in(0, 12)));
    break;
  case 1:
    MUST(imp_mover_set_velocity(room->world, mover, vec(random_in(-90, 90), random_in(-90, 90))));
    break;
  case 2:
    MUST(imp_mover_set_height(room->world, mover, random_in(0.7, 2), &done));
    break;
  case 3:
    MUST(imp_mover_drop_through(room->world, mover, &done));
    break;
  case 4:
    MUST(imp_mover_move(room->world, mover, vec(random_in(-5, 5), random_in(-5, 5)), &moved));
    break;
  case 5:
    MUST(imp_mover_set(room->world, mover, IMP_MOVER_AUTOMATIC, random_in(0, 1) < 0.8));
    break;
  case 6:
    MUST(imp_mover_set(room->world, mover, IMP_MOVER_WALK, random_in(-speed, speed)));
    break;
  case 7:
    for (int i = 0; i < room->platform_count; ++i) {
      MUST(imp_body_set_velocity(room->world, room->platforms[i],
                                 vec(random_in(-speed, speed), random_in(-speed, speed))));
    }
    break;
  default:
    break;
  }
}


static void movers_do_not_leave_a_closed_room(void) {
  for (int number = 0; number < 240; ++number) {
    Room room = make_room(number);
    ImpMover movers[3];
    int count = 0;
    double worst = -1;
    for (int tries = 0; tries < 20 && count < 3; ++tries) {
      ImpMover mover =
          add_mover(room.world, random_in(-room.half + 0.4, room.half - 0.4), random_in(0, room.top - 1.9));
      movers[count] = mover;
      bool alone = depth(room.world, mover) <= 0;
      for (int i = 0; i < count && alone; ++i) {
        ImpVec2 a = position(room.world, (ImpBody){movers[i].id}), b = position(room.world, (ImpBody){mover.id});
        alone = fabs(a.x - b.x) > 0.7;
      }
      if (alone)
        ++count;
      else
        MUST(imp_mover_destroy(room.world, mover));
    }
    for (int step = 0; step < 120; ++step) {
      for (int i = 0; i < count; ++i) tell_at_random(&room, movers[i]);
      run(room.world, 1);
      for (int i = 0; i < count; ++i) {
        ImpVec2 p = position(room.world, (ImpBody){movers[i].id});
        double height = 0;
        MUST(imp_mover_get(room.world, movers[i], IMP_MOVER_HEIGHT, &height));
        worst = impi_max(worst, impi_max(fabs(p.x) + 0.3 - room.half, impi_max(-p.y, p.y + height - room.top)));
      }
    }
    CHECK(worst < 0);
    imp_world_destroy(room.world);
  }
}


static void a_mover_does_not_stand_up_through_a_ceiling(void) {
  for (int kind = 0; kind < 4; ++kind) {
    ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 9.81);
    add_walls(world, add_body(world, IMP_BODY_STATIC, 0, 0, 0), 5, 0.8, kind);
    ImpMover mover = {0};
    ImpMoverDef def = imp_mover_def();
    bool done = true;
    double height = 0;
    def.value[IMP_MOVER_HEIGHT] = 0.7;
    MUST(imp_mover_create(world, &def, &mover));
    run(world, 2);
    // Not done: the middle of the mover would be above the ceiling.
    MUST(imp_mover_set_height(world, mover, 1.8, &done));
    MUST(imp_mover_get(world, mover, IMP_MOVER_HEIGHT, &height));
    CHECK(!done && height == 0.7);
    MUST(imp_mover_set_height(world, mover, 0.79, &done));
    CHECK(done);
    MUST(imp_mover_set_height(world, mover, 0.61, &done));
    CHECK(done);
    imp_world_destroy(world);
  }
}


static void open_ends_of_chains_are_corners_and_points_between_links_are_not(void) {
  ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 9.81);
  ImpShapeDef def = imp_shape_def();
  ImpShape shape;
  const ImpVec2 line[] = {{4, 0}, {2, 0}, {0, 0}};
  MUST(imp_body_add_chain(world, add_body(world, IMP_BODY_STATIC, 0, 0, 0), &def, line, 3, false, &shape));
  ImpMover mover = add_mover(world, 1, 0.001);
  MUST(imp_mover_set(world, mover, IMP_MOVER_WALK, 3));
  double grounded = 0;
  for (int i = 0; i < 50; ++i) {
    run(world, 1);
    MUST(imp_mover_get(world, mover, IMP_MOVER_GROUNDED, &grounded));
    CHECK(i == 0 || grounded != 0);
    CHECK_NEAR(position(world, (ImpBody){mover.id}).y, 1e-3, 1e-9);
  }
  run(world, 60);
  CHECK(position(world, (ImpBody){mover.id}).y < -1);
  CHECK(depth(world, mover) == 0);
  imp_world_destroy(world);
}


// ---------------------------------------------------------------------------------------------------------------------
// Memory and handles
// ---------------------------------------------------------------------------------------------------------------------


// Add a mover that walks against a crate. Another crate falls on the mover's head.
static ImpStatus populate(ImpWorld *world, ImpMover *out_mover) {
  ImpMoverDef def = imp_mover_def();
  def.name = "hero";
  def.position = vec(0, 0);
  def.value[IMP_MOVER_WALK] = 2;
  return imp_mover_create(world, &def, out_mover);
}


static void add_crates(ImpWorld *world) {
  add_box(world, add_body(world, IMP_BODY_STATIC, 0, -0.5, 0), imp_shape_def(), 20, 1);
  add_box(world, add_body(world, IMP_BODY_DYNAMIC, 0.9, 0.5, 0), imp_shape_def(), 1, 1);
  add_box(world, add_body(world, IMP_BODY_DYNAMIC, 0, 2.1, 0), imp_shape_def(), 0.5, 0.5);
}


static ImpWorld *make_counted(Memory *memory) {
  ImpWorldDef def = imp_world_def();
  def.allocator = (ImpAllocator){reallocate, memory};
  ImpWorld *world = NULL;
  MUST(imp_world_create(&def, &world));
  add_crates(world);
  return world;
}


static void running_out_of_memory_changes_nothing(void) {
  uint64_t expected = 0;
  for (int k = 0; k <= 60; ++k) { // k = 0: no allocation fails
    Memory memory = {0};
    ImpWorld *world = make_counted(&memory);
    ImpMover mover = {0};
    memory.requests = 0;
    memory.fail_at = k;
    ImpStatus status = populate(world, &mover);
    if (status != IMP_OK) {
      CHECK(status == IMP_ERR_NOMEM && imp_world_next_mover(world, (ImpMover){0}).id == 0);
      MUST(populate(world, &mover));
    }
    for (int i = 0; i < 90; ++i) {
      bool done = false;
      if (i % 30 == 20) {
        status = imp_mover_set_height(world, mover, i % 60 == 20 ? 1.2 : 1.8, &done);
        CHECK(status == IMP_OK || status == IMP_ERR_NOMEM);
        if (status != IMP_OK) MUST(imp_mover_set_height(world, mover, i % 60 == 20 ? 1.2 : 1.8, &done));
      }
      status = imp_world_step(world);
      if (status != IMP_OK) {
        CHECK(status == IMP_ERR_NOMEM);
        MUST(imp_world_step(world));
      }
    }
    memory.fail_at = 0; // computing the hash allocates memory, and must not fail
    expected = k == 0 ? imp_world_hash(world) : expected;
    CHECK(imp_world_hash(world) == expected);
    imp_world_destroy(world);
    CHECK(memory.bytes == 0);
  }
}


static void misuse_is_refused_and_changes_nothing(void) {
  ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 9.81), *other = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 9.81);
  ImpMover mover = add_mover(world, 0, 0), none = {0}, made = {77};
  uint64_t before = imp_world_hash(world);
  double nan = (double)NAN, value = 77;
  ImpVec2 moved = {77, 77};
  bool done = true;
  for (int i = 0; i < IMP_MOVER_PROPERTY_COUNT; ++i) {
    const ImpPropertyInfo *info = imp_mover_property(i);
    CHECK(imp_mover_set(world, mover, (ImpMoverProperty)i, nan) == IMP_ERR_ARGUMENT);
    CHECK(imp_mover_set(world, mover, (ImpMoverProperty)i, info->upper * 2 + 1) == IMP_ERR_ARGUMENT);
    ImpMoverDef def = imp_mover_def();
    def.value[i] = info->kind == IMP_BOOLEAN ? 2 : (double)INFINITY;
    bool read = info->writable || i == IMP_MOVER_HEIGHT || i == IMP_MOVER_RADIUS;
    CHECK(!read || imp_mover_create(world, &def, &made) == IMP_ERR_ARGUMENT);
  }
  CHECK(imp_mover_property(-1) == NULL && imp_mover_property(IMP_MOVER_PROPERTY_COUNT) == NULL);
  CHECK(imp_mover_get(world, mover, (ImpMoverProperty)99, &value) == IMP_ERR_ARGUMENT);
  CHECK(imp_mover_get(world, none, IMP_MOVER_WALK, &value) == IMP_ERR_HANDLE);
  CHECK(imp_mover_get(other, mover, IMP_MOVER_WALK, &value) == IMP_ERR_WORLD);
  CHECK(imp_mover_get(world, (ImpMover){add_body(world, IMP_BODY_STATIC, 9, 9, 0).id}, IMP_MOVER_WALK, &value) < 0);
  CHECK(imp_mover_set_velocity(world, mover, vec(nan, 0)) == IMP_ERR_ARGUMENT);
  CHECK(imp_mover_move(world, mover, vec(0, nan), &moved) == IMP_ERR_ARGUMENT);
  CHECK(imp_mover_jump(world, mover, -1) == IMP_ERR_ARGUMENT && imp_mover_jump(world, mover, nan) == IMP_ERR_ARGUMENT);
  CHECK(imp_mover_set_height(world, mover, 0.6, &done) == IMP_ERR_ARGUMENT); // a height of two radii is too small
  CHECK(imp_mover_set_height(world, mover, nan, &done) == IMP_ERR_ARGUMENT);
  ImpBody body = {mover.id};
  CHECK(imp_body_set_type(world, body, IMP_BODY_DYNAMIC) == IMP_ERR_ARGUMENT);
  CHECK(imp_body_set_velocity(world, body, vec(nan, 0)) == IMP_ERR_ARGUMENT);
  CHECK(imp_body_set_pose(world, body, vec(1, 0), 1) == IMP_ERR_ARGUMENT);
  CHECK(imp_body_set(world, body, IMP_BODY_ANGLE, 1) == IMP_ERR_ARGUMENT);
  CHECK(imp_body_set(world, body, IMP_BODY_ANGULAR_VELOCITY, 1) == IMP_ERR_ARGUMENT);
  CHECK(imp_body_move_to(world, body, vec(1, 0)) == IMP_ERR_ARGUMENT);
  CHECK(imp_body_move_to_pose(world, body, vec(1, 0), 0) == IMP_ERR_ARGUMENT);
  CHECK(imp_shape_destroy(world, imp_body_next_shape(world, (ImpBody){mover.id}, (ImpShape){0})) == IMP_ERR_ARGUMENT);
  CHECK(value == 77 && moved.x == 77 && made.id == 77 && done);
  CHECK(imp_body_destroy(world, imp_world_find_body(world, "nobody")) == IMP_ERR_HANDLE);
  ImpBody last = {0};
  for (ImpBody b = imp_world_next_body(world, last); b.id != 0; b = imp_world_next_body(world, b)) last = b;
  MUST(imp_body_destroy(world, last));
  CHECK(imp_world_hash(world) == before);
  MUST(imp_mover_jump(world, mover, 0));
  MUST(imp_mover_jump(world, mover, 1e7));
  CHECK(imp_mover_jump(world, mover, 1.001e7) == IMP_ERR_ARGUMENT);
  MUST(imp_mover_destroy(world, mover));
  CHECK(!imp_mover_is_valid(world, mover) && imp_world_next_mover(world, (ImpMover){0}).id == 0);
  imp_world_destroy(world);
  imp_world_destroy(other);
}


// Create, change and destroy movers in a substep handler.
static void meddle(ImpWorld *world, double h, void *user) {
  (void)h;
  ImpMover *mover = user, another;
  ImpMoverDef def = imp_mover_def();
  bool done;
  ImpVec2 moved;
  CHECK(imp_mover_create(world, &def, &another) == IMP_ERR_STATE);
  if (imp_mover_is_valid(world, *mover)) { // only in the first substep: the mover is destroyed below
    CHECK(imp_mover_set_height(world, *mover, 1, &done) == IMP_ERR_STATE);
    CHECK(imp_mover_move(world, *mover, vec(1, 0), &moved) == IMP_ERR_STATE);
    MUST(imp_mover_destroy(world, *mover));
  }
}


static void calls_inside_a_step_are_refused_or_deferred(void) {
  ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 9.81);
  add_crates(world);
  ImpMover mover;
  MUST(populate(world, &mover));
  ImpMover kept = add_mover(world, 5, 0);
  imp_world_set_substep_callback(world, meddle, &mover);
  MUST(imp_world_step(world));
  imp_world_set_substep_callback(world, NULL, NULL);
  CHECK(!imp_mover_is_valid(world, mover) && imp_mover_is_valid(world, kept));
  CHECK(imp_world_next_mover(world, (ImpMover){0}).id == kept.id);
  run(world, 10);
  imp_world_destroy(world);
}


// A forged snapshot may contain a mover whose ground shape does not exist.
static void an_invalid_ground_shape_is_ignored(void) {
  ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 9.81);
  add_crates(world);
  ImpMover mover = add_mover(world, -3, 0);
  run(world, 10);
  world->mover.list.data[0].ground.shape = 1 << 28;
  MUST(imp_world_step(world));
  CHECK_NEAR(position(world, (ImpBody){mover.id}).y, 1e-3, 1e-9);
  imp_world_destroy(world);
}


// Walk with a mover over tiles for 2 s. The number of bodies created before the tiles, `extra`, changes the slots and
// the broad-phase trees. Return a hash of the mover's final position and air time.
static uint64_t play(int extra) {
  ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 9.81);
  for (int i = 0; i < extra; ++i) {
    add_box(world, add_body(world, IMP_BODY_STATIC, 100 + i, 50, 0), imp_shape_def(), 1, 1);
  }
  double x = 0;
  ImpBody ground = add_body(world, IMP_BODY_STATIC, 0, -0.5, 0);
  for (int i = 0; i < 40; ++i) {
    ImpShape shape;
    ImpShapeDef def = imp_shape_def();
    MUST(imp_body_add_box(world, ground, &def, 0.5, 1, vec(0.5 * i - 5, 0.02 * (i % 3)), 0, 0, &shape));
  }
  ImpMover mover = add_mover(world, 0, 0.5);
  MUST(imp_mover_set(world, mover, IMP_MOVER_WALK, 2));
  run(world, 120);
  ImpVec2 p = position(world, (ImpBody){mover.id});
  MUST(imp_mover_get(world, mover, IMP_MOVER_AIR_TIME, &x));
  imp_world_destroy(world);
  uint64_t bits[2];
  memcpy(bits, &p, sizeof bits);
  return bits[0] * 31 + bits[1] + (uint64_t)x;
}


static void motion_does_not_depend_on_the_history_of_the_trees(void) {
  uint64_t expected = play(0);
  for (int extra = 1; extra < 8; ++extra) CHECK(play(extra) == expected);
}


int main(void) {
  RUN(planes_give_the_nearest_allowed_point);
  RUN(static_planes_have_priority_and_contradictory_planes_share_the_violation);
  RUN(movers_do_not_enter_solid_shapes_at_any_speed);
  RUN(movers_do_not_leave_a_closed_room);
  RUN(a_mover_does_not_stand_up_through_a_ceiling);
  RUN(open_ends_of_chains_are_corners_and_points_between_links_are_not);
  RUN(running_out_of_memory_changes_nothing);
  RUN(misuse_is_refused_and_changes_nothing);
  RUN(calls_inside_a_step_are_refused_or_deferred);
  RUN(an_invalid_ground_shape_is_ignored);
  RUN(motion_does_not_depend_on_the_history_of_the_trees);
  return check_report("mover");
}
