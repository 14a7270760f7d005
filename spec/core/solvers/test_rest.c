// Bodies at rest: forces and depth, stacks, sleep, SIMD lanes of every width.
#include "scene.h"

static const double g = 9.81;
static const char *const names[] = {"soft", "si"};


// ---------------------------------------------------------------------------------------------------------------------
// One box
// ---------------------------------------------------------------------------------------------------------------------


// The floor carries 10 kg with 98.1 N at any step size and any number of substeps.
static void the_reported_force_does_not_depend_on_the_step(void) {
  double worst = 0;
  for (int solver = 0; solver < MAIN_SOLVERS; ++solver) {
    for (int rate = 30; rate <= 1000; rate = rate * 2 > 1000 && rate < 1000 ? 1000 : rate * 2) {
      for (int substeps = 1; substeps <= 8; ++substeps) {
        ImpWorld *world = make_world((ImpSolverKind)solver, 1.0 / rate, g);
        add_ground(world, material(1, 0.5, 0), 0);
        ImpBody box = drop_box(world, material(10, 0.5, 0), 0, 0.5);
        set_world(world, IMP_WORLD_SUBSTEPS, substeps);
        run(world, rate);
        double force = contact_force(world, box).y;
        CHECK_NEAR(force, 98.1, 0.005 * 98.1);
        worst = fmax(worst, fabs(force / 98.1 - 1));
        imp_world_destroy(world);
      }
    }
  }
  measured("worst force / 98.1 N - 1, expected +- 0.5 %", worst);
}


// A dropped box rests with the expected overlap. Its contact begins once.
static void a_dropped_box_rests_at_its_depth_without_toggling(void) {
  for (int solver = 0; solver < MAIN_SOLVERS; ++solver) {
    ImpWorld *world = make_world((ImpSolverKind)solver, 1.0 / 60, g);
    add_ground(world, material(1, 0.5, 0), 0);
    ImpBody box = drop_box(world, material(1, 0.5, 0), 0, 0.7);
    set_world(world, IMP_WORLD_SLEEP, 0);
    run(world, 60);
    int toggles = 0;
    for (int i = 0; i < 600; ++i) {
      run(world, 1);
      toggles += event_count(world, IMP_EVENT_BEGIN_CONTACT) + event_count(world, IMP_EVENT_END_CONTACT);
    }
    double depth = 0.5 - position(world, box).y;
    CHECK(toggles == 0);
    if (solver == IMP_SOLVER_SI) {
      CHECK_NEAR(depth, 0.005, 0.1 * 0.005); // the slop +- 10 %
    } else {
      CHECK(fabs(depth) < 1e-3);
    }
    measured(names[solver], toggles);
    measured("depth at rest [m], expected 0.005 +- 10 % si, < 0.001 soft", depth);
    imp_world_destroy(world);
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Stacks
// ---------------------------------------------------------------------------------------------------------------------


// Stack boxes of 1 m on the ground. Return the height of the top box's centre.
static double stack_up(ImpWorld *world, ImpBody *boxes, int count) {
  add_ground(world, material(1, 0.6, 0), 0);
  for (int i = 0; i < count; ++i) {
    boxes[i] = drop_box(world, material(1, 0.6, 0), 0, i + 0.5);
  }
  return count - 0.5;
}


// Steps of 1000 sweeps bring ten boxes to rest. Then each step has four sweeps. Without warm start a step needs about
// 90 sweeps until the lowest contact carries ten boxes.
static void warm_starting_supports_a_stack(void) {
  double depth[2], speed[2];
  for (int warm = 0; warm < 2; ++warm) {
    ImpBody boxes[10];
    ImpWorld *world = make_world(IMP_SOLVER_SI, 1.0 / 60, g);
    stack_up(world, boxes, 10);
    set_world(world, IMP_WORLD_SLEEP, 0);
    set_world(world, IMP_WORLD_ITERATIONS, 1000);
    run(world, 120);
    set_world(world, IMP_WORLD_ITERATIONS, 4);
    set_world(world, IMP_WORLD_WARM_START, warm);
    speed[warm] = depth[warm] = 0;
    for (int i = 0; i < 900; ++i) {
      run(world, 1);
      for (int k = 0; k < 10; ++k) {
        ImpVec2 v = velocity(world, boxes[k]);
        double below = k > 0 ? position(world, boxes[k - 1]).y : -0.5;
        depth[warm] = fmax(depth[warm], 1 - (position(world, boxes[k]).y - below));
        speed[warm] = i >= 840 ? fmax(speed[warm], sqrt(v.x * v.x + v.y * v.y)) : 0;
      }
    }
    imp_world_destroy(world);
  }
  CHECK(speed[1] < 1e-3); // the stack has settled
  CHECK(depth[0] > 3 * depth[1]);
  measured("with warm start: greatest speed [m/s], expected 0", speed[1]);
  measured("with warm start: worst overlap [m]", depth[1]);
  measured("without: worst overlap / with, expected > 3", depth[0] / depth[1]);
  measured("without: greatest speed [m/s]", speed[0]);
}


// The stored impulses of a step at rest are the solution of the next step.
static void a_second_identical_step_needs_no_correction(void) {
  ImpBody boxes[3];
  ImpWorld *world = make_world(IMP_SOLVER_SI, 1.0 / 60, g);
  stack_up(world, boxes, 3);
  set_world(world, IMP_WORLD_SLEEP, 0);
  set_world(world, IMP_WORLD_ITERATIONS, 500);
  set_world(world, IMP_WORLD_TOLERANCE_IMPULSE, 1e-14);
  run(world, 60);
  set_world(world, IMP_WORLD_TOLERANCE_IMPULSE, 1e-12);
  run(world, 1);
  ImpResidual residual = imp_world_residual(world);
  CHECK(residual.sweeps == 1);
  CHECK(strcmp(residual.reason, "impulse") == 0);
  measured("stack at rest: sweeps until no correction exceeds 1e-12 N s, expected 1", residual.sweeps);
  imp_world_destroy(world);
}


// Ten boxes of 1 m stand for 10 s under the default solver.
static void a_stack_stands_and_sleeps(void) {
  ImpBody boxes[10];
  ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, g);
  double top = stack_up(world, boxes, 10);
  double asleep_at = 0, x1 = 0, sideways = 0;
  for (int i = 1; i <= 600; ++i) {
    run(world, 1);
    double x = position(world, boxes[9]).x;
    x1 = i == 60 ? x : x1;
    sideways = i > 60 ? fmax(sideways, fabs(x - x1)) : 0;
    if (asleep_at == 0 && imp_world_counts(world).awake == 0) asleep_at = i / 60.0;
  }
  CHECK_NEAR(position(world, boxes[9]).y, top, 0.005);
  CHECK(sideways < 0.001);
  CHECK(asleep_at > 0 && asleep_at <= 5);
  measured("top box sinks [m], expected < 0.005", top - position(world, boxes[9]).y);
  measured("sideways creep after the first second [m], expected < 0.001", sideways);
  measured("asleep at [s], expected <= 5", asleep_at);
  imp_world_destroy(world);
}


// A stack that stays awake for 1e5 steps does not creep, not even if the boxes start up to 2 cm off the axis.
static void a_stack_does_not_creep(void) {
  for (int crooked = 0; crooked < 2; ++crooked) {
    ImpBody boxes[10];
    ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, g);
    double top = stack_up(world, boxes, 10), x600[10], creep = 0;
    set_world(world, IMP_WORLD_SLEEP, 0);
    for (int k = 0; crooked && k < 10; ++k) {
      MUST(imp_body_set_position(world, boxes[k], vec(random_in(-0.02, 0.02), k + 0.5 + 0.001 * (k + 1))));
    }
    run(world, 600);
    for (int k = 0; k < 10; ++k) {
      x600[k] = position(world, boxes[k]).x;
    }
    run(world, 100000 - 600);
    for (int k = 0; k < 10; ++k) {
      creep = fmax(creep, fabs(position(world, boxes[k]).x - x600[k]));
    }
    CHECK(creep < 0.001);
    CHECK_NEAR(position(world, boxes[9]).y, top, 0.010);
    measured(crooked ? "stack set down crookedly" : "stack set down straight", 100000);
    measured("stack awake: sideways creep after step 600 [m], expected < 0.001", creep);
    measured("stack awake: top below ideal [m], expected < 0.010", top - position(world, boxes[9]).y);
    imp_world_destroy(world);
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Lanes
// ---------------------------------------------------------------------------------------------------------------------


static ImpWorld *mixed_pile(int lanes) {
  ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, g);
  set_world(world, IMP_WORLD_LANES, lanes);
  ImpBody walls = add_body(world, IMP_BODY_STATIC, 0, 0, 0);
  const ImpVec2 room[] = {{8, 60}, {8, 0}, {-8, 0}, {-8, 60}};
  ImpShapeDef rough = material(1, 0.6, 0);
  ImpShape shape;
  MUST(imp_body_add_chain(world, walls, &rough, room, 4, false, &shape));
  MUST(imp_body_add_segment(world, walls, &rough, vec(-3, 1), vec(3, 2), &shape));
  random_state = 7;
  for (int i = 0; i < 500; ++i) {
    ImpShapeDef def = material(random_in(0.5, 2), random_in(0, 1), i % 5 == 0 ? random_in(0, 0.8) : 0);
    def.rolling_resistance = i % 7 == 0 ? 0.05 : 0;
    ImpBodyType type = i % 50 == 0 ? IMP_BODY_PARTICLE : IMP_BODY_DYNAMIC;
    ImpBody body = add_body(world, type, i % 20 * 0.7 - 6.6, 2.5 + i / 20 * 0.7, 0);
    double size = random_in(0.2, 0.5);
    const ImpVec2 points[] = {
        {-size / 2, -size / 2}, {size / 2, -size / 2}, {size / 3, size / 3}, {-size / 4, size / 2}};
    switch (i % 5) {
    case 0:
      MUST(imp_body_add_circle(world, body, &def, vec(0, 0), size / 2, &shape));
      break;
    case 1:
      MUST(imp_body_add_box(world, body, &def, size, size * 0.8, vec(0, 0), 0, 0, &shape));
      break;
    case 2:
      MUST(imp_body_add_capsule(world, body, &def, vec(-size / 3, 0), vec(size / 3, 0), size / 4, &shape));
      break;
    case 3:
      MUST(imp_body_add_polygon(world, body, &def, points, 4, 0, &shape));
      break;
    default: // a compound with a rounded box
      MUST(imp_body_add_box(world, body, &def, size, size / 3, vec(0, 0), 0.3, 0.02, &shape));
      MUST(imp_body_add_circle(world, body, &def, vec(size / 2, 0), size / 4, &shape));
    }
  }
  return world;
}


static void every_lane_width_gives_the_same_bits(void) {
  const int widths[] = {4, 8, 16, 0};
  uint64_t hash[4];
  for (int i = 0; i < 4; ++i) {
    ImpWorld *world = mixed_pile(widths[i]);
    run(world, 300);
    hash[i] = imp_world_hash(world);
    CHECK(hash[i] == hash[0]);
    if (i == 0) measured("lanes: contacts in the pile of 500", imp_world_counts(world).contacts);
    imp_world_destroy(world);
  }
}


int main(int argc, char **argv) {
  read_arguments(argc, argv);
  RUN(the_reported_force_does_not_depend_on_the_step);
  RUN(a_dropped_box_rests_at_its_depth_without_toggling);
  RUN(warm_starting_supports_a_stack);
  RUN(a_second_identical_step_needs_no_correction);
  RUN(a_stack_stands_and_sleeps);
  RUN(a_stack_does_not_creep);
  RUN(every_lane_width_gives_the_same_bits);
  return check_report("rest");
}
