// A fast body hits several pieces at the same time. The solver solves all these contacts together.
#include "scene.h"

#include "base/maths.h"


// Add a body of 1 m width at a height of 3 m, above a row of `tiles` boxes. If `apart`, each box has its own body;
// otherwise the boxes are shapes of one body.
static ImpBody over_tiles(ImpWorld *world, int kind, int tiles, bool apart, ImpShapeDef def, double speed) {
  ImpBody ground = add_body(world, IMP_BODY_STATIC, 0, 0, 0);
  double width = 4.0 / tiles;
  ImpShape shape;
  for (int i = 0; i < tiles; ++i) {
    double x = -2 + (i + 0.5) * width;
    if (apart) {
      add_box(world, add_body(world, IMP_BODY_STATIC, x, -0.1, 0), def, width, 0.2);
    } else {
      MUST(imp_body_add_box(world, ground, &def, width, 0.2, vec(x, -0.1), 0, 0, &shape));
    }
  }
  ImpBody body = add_body(world, IMP_BODY_DYNAMIC, 0.013, 3, 0);
  const ImpVec2 trapezium[] = {{-0.5, -0.15}, {0.5, -0.15}, {0.4, 0.2}, {-0.2, 0.3}};
  if (kind == 0) {
    add_box(world, body, def, 1, 0.3);
  } else if (kind == 1) {
    MUST(imp_body_add_polygon(world, body, &def, trapezium, 4, 0, &shape));
  } else {
    MUST(imp_body_add_capsule(world, body, &def, vec(-0.4, 0), vec(0.4, 0), 0.15, &shape));
  }
  set_velocity(world, body, 0, -speed, 0);
  return body;
}


// The tiles act as one floor.
static void a_body_that_falls_flat_on_tiles_rests_as_on_one_box(void) {
  static const int tiles[] = {1, 2, 3, 5, 10, 37, 100};
  static const double speeds[] = {10, 30, 100, 200};
  for (int i = 0; i < 3 * 7 * 4 * 2 * MAIN_SOLVERS; ++i) {
    int kind = i % 3, count = tiles[i / 3 % 7];
    double speed = speeds[i / 21 % 4];
    ImpWorld *world = make_world((ImpSolverKind)(i / 168), 1.0 / 60, 9.81);
    ImpBody body = over_tiles(world, kind, count, i / 84 % 2 == 1, material(1, 0.5, 0), speed);
    int steps = (int)(3 / speed * 60) + 2; // the body hits the tiles after 2.9 m
    double impulse = 0;
    for (int k = 0; k < steps + 20; ++k) {
      run(world, 1);
      if (k < steps) continue;
      // The hit leaves a small residual velocity.
      CHECK(fabs(velocity(world, body).y) < 0.1 && fabs(spin(world, body)) < 0.02);
      CHECK(fabs(velocity(world, body).x) < 0.01);
      impulse = fabs(contact_force(world, body).y) / 60;
    }
    CHECK_NEAR(impulse, body_get(world, body, IMP_BODY_MASS) * 9.81 / 60, 0.02 * impulse); // at rest
    imp_world_destroy(world);
  }
}


// Restitution is 1, friction is 0. The tiles share the impulse. The body arrives and leaves at 100 m/s, without spin.
static void tiles_rebound_a_body_as_one_box(void) {
  for (int i = 0; i < 7 * 3; ++i) {
    static const int tiles[] = {1, 2, 3, 5, 10, 37, 100};
    ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 0);
    ImpBody body = over_tiles(world, i / 7, tiles[i % 7], i % 2 == 0, material(1, 0, 1), 100);
    double impulse = 0, speed = 0;
    for (int k = 0; k < 4; ++k) {
      run(world, 1);
      int count = 0;
      const ImpEvent *hits = imp_world_events(world, IMP_EVENT_HIT, &count);
      for (int n = 0; n < count; ++n) {
        impulse += hits[n].impulse;
        speed = fmax(speed, fabs(hits[n].speed - 100));
      }
    }
    CHECK_NEAR(velocity(world, body).y, 100, 1e-9); // rounding
    CHECK_NEAR(spin(world, body), 0, 1e-9);
    CHECK_NEAR(impulse / body_get(world, body, IMP_BODY_MASS), 200, 1e-9);
    CHECK_NEAR(speed, 0, 1e-9);
    imp_world_destroy(world);
  }
}


// Ten kinematic tiles move up at 20 m/s. The body hits the tiles at their positions at the time of impact.
static void moving_tiles_rebound_a_body_as_one_box(void) {
  for (int i = 0; i < 20; ++i) {
    ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 0);
    for (int k = 0; k < 10; ++k) {
      ImpBody tile = add_body(world, IMP_BODY_KINEMATIC, 0.4 * k - 1.8, -0.1, 0);
      add_box(world, tile, material(1, 0, 1), 0.4, 0.2);
      set_velocity(world, tile, 0, 20, 0);
    }
    ImpBody body = add_body(world, IMP_BODY_DYNAMIC, random_in(-1, 1), random_in(3, 5), 0);
    add_box(world, body, material(1, 0, 1), 1, 0.3);
    set_velocity(world, body, 0, -100, 0);
    run(world, 4);
    CHECK_NEAR(velocity(world, body).y, 140, 1e-9); // rounding
    CHECK_NEAR(spin(world, body), 0, 1e-9);
    imp_world_destroy(world);
  }
}


static void the_shape_of_the_tree_changes_no_hit(void) {
  ImpVec2 first = {0};
  double turn = 0;
  for (int others = 0; others < 8; ++others) {
    ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 9.81);
    ImpBody gone[64];
    for (int i = 0; i < 8 * others; ++i) {
      gone[i] = add_body(world, IMP_BODY_STATIC, random_in(-3, 3), random_in(-2, 2), 0);
      add_box(world, gone[i], material(1, 0.5, 0), random_in(0.1, 2), random_in(0.1, 2));
    }
    ImpBody body = over_tiles(world, 0, 37, true, material(1, 0.5, 0.3), 100);
    set_velocity(world, body, 7, -100, 0.003);
    for (int i = 0; i < 8 * others; ++i) {
      MUST(imp_body_destroy(world, gone[i]));
    }
    run(world, 3);
    ImpVec2 v = velocity(world, body);
    first = others == 0 ? v : first;
    turn = others == 0 ? spin(world, body) : turn;
    CHECK(v.y > 10 && v.x == first.x && v.y == first.y && spin(world, body) == turn);
    imp_world_destroy(world);
  }
}


// A body hits a wall while it moves up through a one-way platform.
static void a_passed_one_way_platform_has_no_part_in_a_hit(void) {
  for (int passes = 0; passes < 2; ++passes) {
    ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 0);
    ImpBody still = add_body(world, IMP_BODY_STATIC, 0, 0, 0);
    ImpShapeDef def = material(1, 0, 0);
    def.one_way = vec(0, passes);
    ImpShape shape;
    MUST(imp_body_add_box(world, still, &def, 4, 0.1, vec(-1, 0.05), 0, 0, &shape));
    def.one_way = vec(0, 0);
    MUST(imp_body_add_box(world, still, &def, 0.1, 9, vec(0.12, 0), 0, 0, &shape));
    ImpBody ball = drop_disc(world, def, -1, -1, 0.1);
    set_velocity(world, ball, 100, 100, 0);
    run(world, 1);
    CHECK_NEAR(velocity(world, ball).x, 0, 1e-9);
    CHECK_NEAR(velocity(world, ball).y, passes ? 100 : 0, 1e-9);
    imp_world_destroy(world);
  }
}


// A ball goes back and forth between two walls within a step. Each wall has one hit event, with the sum of the
// impulses.
static void several_hits_of_a_pair_in_a_step_give_one_event(void) {
  ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 0);
  for (int side = -1; side <= 1; side += 2) {
    add_box(world, add_body(world, IMP_BODY_STATIC, 0.205 * side, 0, 0), material(1, 0, 1), 0.01, 4);
  }
  ImpBody ball = drop_disc(world, material(1, 0, 1), 0, 0, 0.1);
  MUST(imp_body_set(world, ball, IMP_BODY_MASS, 1));
  set_velocity(world, ball, 60, 0, 0); // in the step the ball moves 1 m, 0.2 m between hits
  run(world, 1);
  int count = 0;
  const ImpEvent *hits = imp_world_events(world, IMP_EVENT_HIT, &count);
  CHECK(count == 2);
  if (count == 2) {
    CHECK_NEAR(hits[0].impulse + hits[1].impulse, 5 * 120, 1e-9); // rounding
  }
  imp_world_destroy(world);
}


static double kinetic(const ImpWorld *world, ImpBody body) {
  ImpVec2 v = velocity(world, body);
  double w = spin(world, body);
  return 0.5 *
         (body_get(world, body, IMP_BODY_MASS) * impi_length_sq(v) + body_get(world, body, IMP_BODY_INERTIA) * w * w);
}


// Rods with friction and e = 1 hit free bodies of two pieces. Momentum is conserved and no energy is gained.
static void hits_of_free_bodies_conserve_momentum(void) {
  int held = 0;
  for (int i = 0; i < 300; ++i) {
    ImpWorld *world = make_world(IMP_SOLVER_SI, 1.0 / 60, 0);
    // The order of evaluation of arguments is unspecified in C.
    double vx = random_in(0, 60), w = random_in(-5, 5);
    ImpShapeDef def = material(1, random_in(0.2, 1), 1);
    ImpShape shape;
    ImpBody free = add_body(world, IMP_BODY_DYNAMIC, 0, 0, 0), rod = add_body(world, IMP_BODY_DYNAMIC, -0.3, 1, 0);
    for (int k = -1; k <= 1; k += 2) {
      MUST(imp_body_add_box(world, free, &def, 0.2, 0.1, vec(0.4 * k, 0), 0, 0, &shape));
    }
    add_box(world, rod, def, random_in(0.5, 2), 0.1);
    MUST(imp_body_set(world, rod, IMP_BODY_BULLET, 1));
    set_velocity(world, rod, vx, -100, i % 2 == 0 ? 0 : w);
    ImpBody both[2] = {free, rod};
    double sums[2][3] = {{0}};
    for (int after = 0; after < 2; ++after) {
      for (int k = 0; k < 2; ++k) {
        ImpVec2 v = velocity(world, both[k]);
        double m = body_get(world, both[k], IMP_BODY_MASS);
        sums[after][0] += m * v.x;
        sums[after][1] += m * v.y;
        sums[after][2] += kinetic(world, both[k]);
      }
      run(world, 1 - after);
    }
    bool hit = impi_length(velocity(world, free)) > 0;
    double whole = sums[0][2];
    CHECK(hit || i % 2 == 1);
    CHECK_NEAR(sums[1][0], sums[0][0], 1e-9); // rounding
    CHECK_NEAR(sums[1][1], sums[0][1], 1e-9);
    CHECK(sums[1][2] <= whole * (1 + 1e-9));
    held += hit && sums[1][2] > whole * (1 - 1e-9);
    imp_world_destroy(world);
  }
  measured("of 300 hits, those after which the kinetic energy is unchanged", held);
  CHECK(held > 0);
}


// A ball of 5 mm does not bounce below the restitution threshold, and bounces above it.
static void a_hit_below_the_threshold_does_not_bounce(void) {
  for (int k = 0; k < 2; ++k) {
    ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 0);
    ImpShapeDef def = material(1, 0, 1);
    def.restitution_threshold = k == 0 ? 6 : 4;
    add_box(world, add_body(world, IMP_BODY_STATIC, 0, 0, 0), def, 0.01, 4);
    ImpBody ball = drop_disc(world, def, -0.05, 0, 0.005);
    set_velocity(world, ball, 5, 0, 0);
    run(world, 1);
    CHECK_NEAR(velocity(world, ball).x, k == 0 ? 0 : -5, 1e-9);
    imp_world_destroy(world);
  }
}


// A body hits a corner of two walls with e = 1 and friction. The energy never grows. A box that moves along the
// diagonal returns along the diagonal.
static void a_hit_in_a_corner_gains_no_energy(void) {
  for (int i = 0; i < 300; ++i) {
    ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 0);
    bool straight = i % 3 == 0;
    ImpShapeDef def = material(1, straight ? 0 : random_in(0, 1), 1);
    add_box(world, add_body(world, IMP_BODY_STATIC, 0, -0.05, 0), def, 10, 0.1);
    add_box(world, add_body(world, IMP_BODY_STATIC, 0.05, 0, 0), def, 0.1, 10);
    ImpBody body = add_body(world, IMP_BODY_DYNAMIC, -2, 2, straight ? 0 : random_in(0, 3));
    add_box(world, body, def, 0.4, straight ? 0.4 : random_in(0.1, 0.6));
    set_velocity(world, body, 70, straight ? -70 : -random_in(50, 90), straight ? 0 : random_in(-20, 20));
    double before = kinetic(world, body);
    for (int k = 0; k < 6; ++k) {
      run(world, 1);
      double now = kinetic(world, body);
      CHECK(now <= before * (1 + 1e-9)); // rounding
      before = now;
    }
    if (straight) {
      CHECK_NEAR(velocity(world, body).x, -70, 1e-9);
      CHECK_NEAR(velocity(world, body).y, 70, 1e-9);
      CHECK_NEAR(spin(world, body), 0, 1e-9);
    }
    imp_world_destroy(world);
  }
}


// A bar hits two bricks, or both ends of one brick, at once.
static void a_bar_hits_two_bricks_at_once(void) {
  for (int i = 0; i < 12; ++i) {
    double e = i / 4 * 0.5, mass = 0.3, brick_mass = i % 2 == 0 ? 1 : 0.05;
    bool one = i / 2 % 2 == 1;
    ImpWorld *world = make_world(IMP_SOLVER_SI, 1.0 / 60, 0);
    ImpShapeDef def = material(1, 0, e);
    ImpShape shape;
    ImpBody bricks[2], bar = add_body(world, IMP_BODY_DYNAMIC, 0, 1, 0);
    for (int k = 0; k < 2; ++k) {
      bricks[k] = k == 1 && one ? bricks[0] : add_body(world, IMP_BODY_DYNAMIC, 0, 0, 0);
      MUST(imp_body_add_box(world, bricks[k], &def, 0.1, 0.1, vec(k - 0.5, 0), 0, 0, &shape));
    }
    MUST(imp_body_set(world, bricks[0], IMP_BODY_MASS, one ? 2 * brick_mass : brick_mass));
    MUST(imp_body_set(world, bricks[1], IMP_BODY_MASS, one ? 2 * brick_mass : brick_mass));
    add_box(world, bar, def, 1.1, 0.02);
    MUST(imp_body_set(world, bar, IMP_BODY_MASS, mass));
    MUST(imp_body_set(world, bar, IMP_BODY_BULLET, 1));
    set_velocity(world, bar, 0, -100, 0);
    run(world, 1);
    CHECK_NEAR(velocity(world, bar).y, -100 * (mass - 2 * e * brick_mass) / (mass + 2 * brick_mass), 1e-9);
    CHECK_NEAR(spin(world, bar), 0, 1e-9);
    for (int k = 0; k < 2; ++k) {
      CHECK_NEAR(velocity(world, bricks[k]).y, -100 * (1 + e) * mass / (mass + 2 * brick_mass), 1e-9);
    }
    CHECK(event_count(world, IMP_EVENT_HIT) == 2);
    imp_world_destroy(world);
  }
}


int main(int argc, char **argv) {
  read_arguments(argc, argv);
  RUN(a_body_that_falls_flat_on_tiles_rests_as_on_one_box);
  RUN(tiles_rebound_a_body_as_one_box);
  RUN(moving_tiles_rebound_a_body_as_one_box);
  RUN(the_shape_of_the_tree_changes_no_hit);
  RUN(a_passed_one_way_platform_has_no_part_in_a_hit);
  RUN(several_hits_of_a_pair_in_a_step_give_one_event);
  RUN(hits_of_free_bodies_conserve_momentum);
  RUN(a_hit_below_the_threshold_does_not_bounce);
  RUN(a_hit_in_a_corner_gains_no_energy);
  RUN(a_bar_hits_two_bricks_at_once);
  return check_report("toi_contacts");
}
