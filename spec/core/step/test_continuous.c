// Continuous collision: fast bodies do not pass through thin shapes. A time-of-impact event changes velocities,
// momentum and energy as an impact does.
#include "scene.h"

#include "base/maths.h"

// Points of a chain whose left side is solid.
static const ImpVec2 wall_points[] = {{0, 40}, {0, 11}, {0, 2.5}, {0, 0.3}, {0, -6}, {0, -40}};

typedef enum Wall { WALL_BOX, WALL_SEGMENT, WALL_CHAIN, WALL_COUNT } Wall;

// Add a wall at x = 0. The box is 1 cm thick, the other kinds have no thickness.
static ImpBody add_wall(ImpWorld *world, Wall kind) {
  ImpBody body = add_body(world, IMP_BODY_STATIC, 0, 0, 0);
  ImpShapeDef def = material(1, 0.5, 0);
  ImpShape shape;
  if (kind == WALL_BOX) {
    add_box(world, body, def, 0.01, 80);
  } else if (kind == WALL_SEGMENT) {
    MUST(imp_body_add_segment(world, body, &def, vec(0, -40), vec(0, 40), &shape));
  } else {
    MUST(imp_body_add_chain(world, body, &def, wall_points, 6, false, &shape));
  }
  return body;
}


// Circles, boxes, capsules and triangles with an inner radius of at least 5 mm.
static void add_piece(ImpWorld *world, ImpBody body, int kind) {
  ImpShapeDef def = material(1, random_in(0, 1), kind % 3 == 0 ? 0 : random_in(0, 1));
  def.category = 2;
  def.mask = 1;
  ImpShape shape;
  double size = random_in(0.005, 0.1);
  const ImpVec2 triangle[] = {{-size, -size}, {size, -size}, {0, size}};
  switch (kind % 4) {
  case 0:
    add_circle(world, body, def, size);
    return;
  case 1:
    add_box(world, body, def, 2 * size, random_in(0.01, 0.2));
    return;
  case 2:
    MUST(imp_body_add_capsule(world, body, &def, vec(-size, 0), vec(size, 0), random_in(0.005, 0.05), &shape));
    return;
  default:
    MUST(imp_body_add_polygon(world, body, &def, triangle, 3, 0, &shape));
  }
}


// Shoot bodies at 100 m/s from the left. Return how many bodies were on the far side after any step.
static int shoot(Wall wall, bool bullet, bool continuous, int count, ImpSolverKind solver) {
  enum { volley = 40, steps = 24 };
  int through = 0;
  for (int shot = 0; shot < count; shot += volley) {
    ImpWorld *world = make_world(solver, 1.0 / 60, 9.81);
    set_world(world, IMP_WORLD_CONTINUOUS, continuous);
    add_wall(world, wall);
    ImpBody bodies[volley];
    bool passed[volley] = {false};
    for (int i = 0; i < volley; ++i) {
      double way = random_in(-1.2, 1.2); // up to 69 degrees off the normal
      bodies[i] = add_body(world, IMP_BODY_DYNAMIC, -random_in(0.2, 4), random_in(-8, 8), random_in(-3, 3));
      add_piece(world, bodies[i], i);
      MUST(imp_body_set(world, bodies[i], IMP_BODY_BULLET, bullet));
      set_velocity(world, bodies[i], 100 * cos(way), 100 * sin(way), random_in(-30, 30));
    }
    for (int k = 0; k < steps; ++k) {
      run(world, 1);
      for (int i = 0; i < volley; ++i) {
        ImpVec2 p = position(world, bodies[i]);
        passed[i] = passed[i] || (p.x > 0 && fabs(p.y) < 40);
      }
    }
    for (int i = 0; i < volley; ++i) {
      through += passed[i];
    }
    imp_world_destroy(world);
  }
  return through;
}


// None of 10^4 bodies at 100 m/s passes through a wall of 1 cm, a segment or a chain.
static void none_of_1e4_bullets_passes_through_a_wall(void) {
  int shots = 0, through = 0;
  for (int wall = 0; wall < WALL_COUNT; ++wall) {
    for (int bullet = 0; bullet < 2; ++bullet) { // `bullet` is not needed against static bodies
      through += shoot((Wall)wall, bullet == 1, true, 1680, IMP_SOLVER_SOFT);
      shots += 1680;
    }
    CHECK(shoot((Wall)wall, true, false, 200, IMP_SOLVER_SOFT) > 150);
  }
  CHECK(shots >= 10000 && through == 0);
  measured("bullets", shots);
  measured("bullets that passed through", through);
  for (int solver = 0; solver < IMP_SOLVER_COUNT; ++solver) {
    CHECK(shoot(WALL_BOX, false, true, 40, (ImpSolverKind)solver) == 0);
  }
}


// A rod of 1 m by 2 cm at up to 50 rad/s.
static void spinning_rods_do_not_pass_through_a_wall(void) {
  int through = 0, without = 0;
  for (int i = 0; i < 1000; ++i) {
    ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 0);
    set_world(world, IMP_WORLD_CONTINUOUS, i % 10 != 0);
    add_wall(world, WALL_BOX);
    ImpBody rod = add_body(world, IMP_BODY_DYNAMIC, -random_in(0.52, 1), 0, random_in(1.2, 1.9));
    add_box(world, rod, material(1, 0.3, i % 3 * 0.5), 1, 0.02);
    set_velocity(world, rod, random_in(0, 30), random_in(-5, 5), random_in(-50, 50));
    bool passed = false;
    for (int k = 0; k < 60; ++k) {
      run(world, 1);
      passed = passed || position(world, rod).x > 0;
    }
    *(i % 10 != 0 ? &through : &without) += passed;
    imp_world_destroy(world);
  }
  CHECK(through == 0);
  CHECK(without > 10);
}


// Return how many balls leave a kinematic room with walls of 1 cm. The room moves at up to 28 m/s and turns at up to 8
// rad/s.
static int escaped(bool continuous, int boxes) {
  int out = 0;
  for (int box = 0; box < boxes; ++box) {
    ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 9.81);
    set_world(world, IMP_WORLD_CONTINUOUS, continuous);
    ImpBody room = add_body(world, IMP_BODY_KINEMATIC, 0, 0, 0), balls[20];
    ImpShapeDef def = material(1, 0.5, 1);
    ImpShape shape;
    for (int i = 0; i < 4; ++i) {
      bool flat = i < 2;
      ImpVec2 at = flat ? vec(0, 4 * i - 2) : vec(4 * i - 10, 0);
      MUST(imp_body_add_box(world, room, &def, flat ? 4.02 : 0.01, flat ? 0.01 : 4.02, at, 0, 0, &shape));
    }
    for (int i = 0; i < 20; ++i) {
      balls[i] = add_body(world, IMP_BODY_DYNAMIC, random_in(-1.5, 1.5), random_in(-1.5, 1.5), 0);
      add_piece(world, balls[i], i);
      set_velocity(world, balls[i], random_in(-100, 100), random_in(-100, 100), random_in(-30, 30));
    }
    for (int k = 0; k < 200; ++k) {
      if (k % 25 == 0) set_velocity(world, room, random_in(-20, 20), random_in(-20, 20), random_in(-8, 8));
      run(world, 1);
    }
    ImpTransform frame;
    MUST(imp_body_transform(world, room, &frame));
    for (int i = 0; i < 20; ++i) {
      ImpVec2 p = impi_inv_apply(frame, position(world, balls[i]));
      out += fabs(p.x) > 2 || fabs(p.y) > 2;
    }
    imp_world_destroy(world);
  }
  return out;
}


static void nothing_escapes_from_a_moving_box(void) {
  CHECK(escaped(true, 20) == 0);
  CHECK(escaped(false, 2) > 30);
}


// A kinematic wall moves towards a body at rest or asleep, and pushes the body.
static void a_fast_kinematic_wall_pushes_a_resting_body(void) {
  int behind = 0;
  for (int i = 0; i < 60; ++i) {
    ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 0);
    set_world(world, IMP_WORLD_CONTINUOUS, i < 50);
    ImpBody wall = add_body(world, IMP_BODY_KINEMATIC, -random_in(3, 5), 0, 0);
    add_box(world, wall, material(1, 0.5, 0), 0.01, 4);
    set_velocity(world, wall, random_in(60, 150), 0, 0);
    ImpBody body = add_body(world, IMP_BODY_DYNAMIC, 0, random_in(-1, 1), 0);
    add_piece(world, body, i);
    if (i % 2 == 0) MUST(imp_body_set(world, body, IMP_BODY_AWAKE, 0));
    MUST(imp_shape_set_filter(world, imp_body_next_shape(world, body, (ImpShape){0}), 1, 1));
    for (int k = 0; k < 12; ++k) {
      run(world, 1);
      CHECK(i >= 50 || position(world, body).x > position(world, wall).x);
    }
    behind += i >= 50 && position(world, body).x < position(world, wall).x;
    imp_world_destroy(world);
  }
  CHECK(behind > 5); // more than half of the 10 bodies
}


// A ball of mass m at 100 m/s hits a plate of mass M at rest. With restitution e the ball keeps (m - e M) / (m + M) of
// its speed.
static void a_bullet_on_a_thin_plate_is_a_collision_of_two_bodies(void) {
  for (int solver = 0; solver < IMP_SOLVER_COUNT; ++solver) {
    for (int i = 0; i < 6; ++i) {
      double e = i / 2 * 0.5, mass = 0.01, plate_mass = i % 2 == 0 ? 1 : 0.002;
      ImpWorld *world = make_world((ImpSolverKind)solver, 1.0 / 60, 0);
      ImpBody plate = add_body(world, IMP_BODY_DYNAMIC, 0, 0, 0), ball = add_body(world, IMP_BODY_DYNAMIC, -1, 0, 0);
      add_box(world, plate, material(1, 0, e), 0.01, 1);
      add_circle(world, ball, material(1, 0, e), 0.01);
      MUST(imp_body_set(world, plate, IMP_BODY_MASS, plate_mass));
      MUST(imp_body_set(world, ball, IMP_BODY_MASS, mass));
      MUST(imp_body_set(world, ball, IMP_BODY_BULLET, 1));
      set_velocity(world, ball, 100, 0, 0);
      if (i % 2 == 0) MUST(imp_body_set(world, plate, IMP_BODY_AWAKE, 0));
      run(world, 1);
      CHECK_NEAR(velocity(world, ball).x, 100 * (mass - e * plate_mass) / (mass + plate_mass), 1e-9); // rounding
      CHECK_NEAR(velocity(world, plate).x, 100 * (1 + e) * mass / (mass + plate_mass), 1e-9);
      // The step has one hit event and one begin event. The hit has the speed, impulse and point at the impact.
      int count = 0;
      const ImpEvent *hit = imp_world_events(world, IMP_EVENT_HIT, &count);
      CHECK(count == 1 && event_count(world, IMP_EVENT_BEGIN_CONTACT) == 1);
      if (count == 1) {
        CHECK_NEAR(hit->speed, 100, 1e-9);
        CHECK_NEAR(hit->impulse, (1 + e) * 100 * mass * plate_mass / (mass + plate_mass), 1e-9);
        CHECK_NEAR(hit->point.x, -0.005, 1e-6);
        CHECK_NEAR(hit->point.y, 0, 1e-9);
      }
      imp_world_destroy(world);
    }
  }
}


// The path of a body passes 1 mm beside the end of a wall, or 1 mm over the corner of a box.
static void a_body_that_passes_a_wall_is_not_affected(void) {
  for (int i = 0; i < 600; ++i) {
    ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 0);
    ImpBody wall = add_body(world, IMP_BODY_STATIC, 0, -5, 0), box = add_body(world, IMP_BODY_STATIC, 30, -5, 0);
    add_box(world, wall, material(1, 0.5, 0), 0.01, 10);
    add_box(world, box, material(1, 0.5, 0), 2, 10);
    double slope = i % 2 == 0 ? 0 : random_in(0.001, 0.3), way = random_in(0, 2.5), turn = atan(slope);
    ImpVec2 along = vec(cos(turn), -sin(turn)), over = vec(sin(turn), cos(turn));
    ImpVec2 corner = i % 2 == 0 ? vec(0, 0) : vec(31, 0);
    ImpVec2 from = impi_mul_add(impi_mul_add(corner, -way, along), 0.006, over); // radius + 1 mm
    ImpBody ball = add_body(world, IMP_BODY_DYNAMIC, from.x, from.y, 0);
    add_circle(world, ball, material(1, 0.5, 0), 0.005);
    MUST(imp_body_set(world, ball, IMP_BODY_BULLET, i % 4 < 2));
    set_velocity(world, ball, 100 * along.x, 100 * along.y, 0);
    run(world, 4);
    CHECK_NEAR(velocity(world, ball).x, 100 * along.x, 1e-9);
    CHECK_NEAR(velocity(world, ball).y, 100 * along.y, 1e-9);
    imp_world_destroy(world);
  }
}


// Between two walls, 1000 hits at 100 m/s keep the speed of a ball. The number of hits follows from the distance.
static void an_elastic_ball_loses_neither_speed_nor_time(void) {
  for (int k = 0; k < 3; ++k) {
    double speed = k == 0 ? 100 : (k == 1 ? 31 : 7), gap = 1 - 0.01 - 0.2, impulses = 0, worst = 0;
    ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 0);
    for (int side = -1; side <= 1; side += 2) {
      add_box(world, add_body(world, IMP_BODY_STATIC, 0.5 * side, 0, 0), material(1, 0, 1), 0.01, 4);
    }
    ImpBody ball = drop_disc(world, material(1, 0, 1), 0, 0, 0.1);
    MUST(imp_body_set(world, ball, IMP_BODY_MASS, 1));
    set_velocity(world, ball, speed, 0, 0);
    int steps = (int)ceil(1000 * gap / speed * 60);
    for (int i = 0; i < steps; ++i) {
      run(world, 1);
      worst = fmax(worst, fabs(fabs(velocity(world, ball).x) / speed - 1));
      for (ImpContact c = imp_world_next_contact(world, (ImpContact){0}); c.id != 0;
           c = imp_world_next_contact(world, c)) {
        ImpContactInfo info;
        MUST(imp_contact_info(world, c, &info));
        impulses += info.points[0].normal_impulse;
      }
    }
    double hits = impulses / (2 * speed), room = steps / 60.0 * speed / gap;
    CHECK(worst < 1e-3);              // at most 0.1 % of the speed
    CHECK_NEAR(hits, room, 1 + 1e-3); // `hits` is an integer, `room` is not
    measured("elastic ball: speed lost after 1000 hits, expected < 1e-3", worst);
    measured("elastic ball: hits", hits);
    measured("elastic ball: v t / L", room);
    imp_world_destroy(world);
  }
}


// A ball bounces for 200 s. The energy stays within the oscillation of symplectic Euler, m g h v / 2.
static void a_bounce_under_gravity_keeps_its_energy(void) {
  for (int solver = 0; solver < MAIN_SOLVERS; ++solver) {
    ImpWorld *world = make_world((ImpSolverKind)solver, 1.0 / 60, 10);
    set_world(world, IMP_WORLD_SUBSTEPS, 4);
    add_box(world, add_body(world, IMP_BODY_STATIC, 0, 0, 0), material(1, 0, 1), 40, 0.01);
    ImpBody ball = drop_disc(world, material(1, 0, 1), 0, 20, 0.1);
    double worst = 0, swing = 10 * (1.0 / 240) * 20 / 2;
    for (int i = 0; i < 12000; ++i) {
      run(world, 1);
      double v = velocity(world, ball).y;
      worst = fmax(worst, fabs(10 * position(world, ball).y + v * v / 2 - 200));
    }
    CHECK(worst < 1.2 * swing);
    measured("bounce under gravity for 200 s: worst error of an energy of 200 J/kg [J/kg]", worst);
    imp_world_destroy(world);
  }
}


// At a shallow angle without friction and with e = 0, the motion along the wall is kept.
static void a_shallow_hit_keeps_the_motion_along_the_wall(void) {
  for (int i = 0; i < 50; ++i) {
    ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 0);
    add_box(world, add_body(world, IMP_BODY_STATIC, 0, 0, 0), material(1, 0, 0), 0.01, 80);
    ImpBody ball = drop_disc(world, material(1, 0, 0), -random_in(0.1, 0.5), -20, 0.05);
    set_velocity(world, ball, 5, 100, 0);
    for (int k = 1; k <= 15; ++k) {
      run(world, 1);
      CHECK_NEAR(position(world, ball).y, -20 + 100 * k / 60.0, 1e-5); // the soft solver computes in floats
      CHECK_NEAR(velocity(world, ball).y, 100, 1e-5);
    }
    CHECK_NEAR(position(world, ball).x, -0.055, 1e-4);
    imp_world_destroy(world);
  }
}


// Rods of 1 m in rooms with spikes. Each room is one chain.
static void rods_stay_in_a_room_with_spikes(void) {
  int out = 0;
  for (int trial = 0; trial < 150; ++trial) {
    enum { corners = 14, rods = 6 };
    ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 0);
    ImpVec2 points[corners];
    ImpBody bodies[rods];
    for (int i = 0; i < corners; ++i) { // clockwise order: the outside is solid
      double angle = -2 * IMPI_PI * i / corners, far = i % 2 == 0 ? random_in(1.2, 2.5) : random_in(3, 6);
      points[i] = vec(far * cos(angle), far * sin(angle));
    }
    ImpShapeDef def = material(1, 0.2, 0.9);
    ImpShape shape;
    MUST(imp_body_add_chain(world, add_body(world, IMP_BODY_STATIC, 0, 0, 0), &def, points, corners, true, &shape));
    for (int i = 0; i < rods; ++i) {
      bodies[i] = add_body(world, IMP_BODY_DYNAMIC, random_in(-0.3, 0.3), random_in(-0.3, 0.3), random_in(0, 6));
      ImpShapeDef own = def;
      own.category = 2;
      own.mask = 1;
      add_box(world, bodies[i], own, 1, 0.05);
      set_velocity(world, bodies[i], random_in(-100, 100), random_in(-100, 100), random_in(-50, 50));
    }
    run(world, 60);
    for (int i = 0; i < rods; ++i) {
      out += impi_length(position(world, bodies[i])) > 6;
    }
    imp_world_destroy(world);
  }
  CHECK(out == 0);
}


// Spinning rounded triangles in a room of tiles of 0.1 m.
static void rounded_triangles_stay_in_a_room_of_tiles(void) {
  int out = 0;
  for (int trial = 0; trial < 20; ++trial) {
    ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 0);
    ImpBody room = add_body(world, IMP_BODY_STATIC, 0, 0, 0), bodies[12];
    ImpShapeDef def = material(1, 0.5, 0.5);
    ImpShape shape;
    for (int i = 0; i < 4 * 60; ++i) {
      double along = 0.1 * (i % 60) - 2.95, side = i / 60 % 2 == 0 ? -3.05 : 3.05;
      ImpVec2 at = i < 120 ? vec(along, side) : vec(side, along);
      MUST(imp_body_add_box(world, room, &def, 0.1, 0.1, at, 0, 0, &shape));
    }
    for (int i = 0; i < 12; ++i) {
      double size = random_in(0.15, 0.25);
      const ImpVec2 triangle[] = {{-size, -0.6 * size}, {size, -0.6 * size}, {0, size}};
      ImpShapeDef own = material(1, random_in(0, 1), random_in(0, 1));
      own.category = 2;
      own.mask = 1;
      bodies[i] = add_body(world, IMP_BODY_DYNAMIC, random_in(-2, 2), random_in(-2, 2), random_in(0, 6));
      MUST(imp_body_add_polygon(world, bodies[i], &own, triangle, 3, 0.05, &shape));
      set_velocity(world, bodies[i], random_in(-100, 100), random_in(-100, 100), random_in(-100, 100));
    }
    run(world, 120);
    for (int i = 0; i < 12; ++i) {
      ImpVec2 p = position(world, bodies[i]);
      out += fabs(p.x) > 3 || fabs(p.y) > 3;
    }
    imp_world_destroy(world);
  }
  CHECK(out == 0);
}


static void without_events_the_stage_changes_no_bit(void) {
  uint64_t hash[2];
  for (int on = 0; on < 2; ++on) {
    ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 9.81);
    set_world(world, IMP_WORLD_CONTINUOUS, on);
    add_wall(world, WALL_BOX);
    for (int i = 0; i < 20; ++i) {
      ImpBody body = drop_box(world, material(1, 0.5, 0), -3 - 2 * i, 10 + i);
      set_velocity(world, body, -50 - i, 10, i);
    }
    run(world, 60);
    hash[on] = imp_world_hash(world);
    imp_world_destroy(world);
  }
  CHECK(hash[0] == hash[1]);
}


static ImpBody put_wall(ImpWorld *world, double x) {
  ImpBody wall = add_body(world, IMP_BODY_STATIC, x, 0, 0);
  add_box(world, wall, material(1, 0.5, 0), 0.01, 10);
  return wall;
}


// A ball moves towards a wall at x; a second wall is far away. Return the world after a number of steps.
static ImpWorld *make_flight(double x, int steps, ImpBody *out_wall, ImpBody *out_ball) {
  ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 0);
  put_wall(world, 500);
  *out_wall = put_wall(world, x);
  *out_ball = add_body(world, IMP_BODY_DYNAMIC, 0, 0, 0);
  add_circle(world, *out_ball, material(1, 0.5, 0), 0.05);
  set_velocity(world, *out_ball, 100, 0, 0);
  run(world, steps);
  return world;
}


// A ball has moved through empty space, so its clearance cache describes this space as free. A wall in this space must
// stop the ball: a new wall, a moved wall, or a wall of a restored world.
static void a_wall_that_appears_in_the_path_stops_the_ball(void) {
  for (int i = 0; i < 60; ++i) {
    ImpBody wall, ball, other_wall, other_ball;
    int kind = i % 3, steps = 1 + i / 3;
    ImpWorld *world = make_flight(400, steps, &wall, &ball);
    double there = position(world, ball).x + random_in(0.5, 8);
    if (kind == 0) {
      put_wall(world, there);
    } else if (kind == 1) {
      MUST(imp_body_set_position(world, wall, vec(there, 0)));
    } else { // restore a world with its wall in the path
      ImpWorld *other = make_flight(there, steps, &other_wall, &other_ball);
      void *bytes;
      size_t size;
      MUST(imp_world_snapshot(other, &bytes, &size));
      MUST(imp_world_restore(world, bytes, size));
      imp_snapshot_free(bytes);
      imp_world_destroy(other);
    }
    run(world, 20);
    CHECK(position(world, ball).x < there);
    imp_world_destroy(world);
  }
}


int main(int argc, char **argv) {
  read_arguments(argc, argv);
  RUN(none_of_1e4_bullets_passes_through_a_wall);
  RUN(spinning_rods_do_not_pass_through_a_wall);
  RUN(nothing_escapes_from_a_moving_box);
  RUN(a_fast_kinematic_wall_pushes_a_resting_body);
  RUN(a_bullet_on_a_thin_plate_is_a_collision_of_two_bodies);
  RUN(a_body_that_passes_a_wall_is_not_affected);
  RUN(an_elastic_ball_loses_neither_speed_nor_time);
  RUN(a_bounce_under_gravity_keeps_its_energy);
  RUN(a_shallow_hit_keeps_the_motion_along_the_wall);
  RUN(rods_stay_in_a_room_with_spikes);
  RUN(rounded_triangles_stay_in_a_room_of_tiles);
  RUN(without_events_the_stage_changes_no_bit);
  RUN(a_wall_that_appears_in_the_path_stops_the_ball);
  return check_report("continuous");
}
