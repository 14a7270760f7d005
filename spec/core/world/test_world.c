// The world as a whole: free bodies, substeps, handles, memory, positions far from the origin, bad input.
#include "scene.h"
#include "world/world.h"

static const double g = 9.81, pi = 3.14159265358979323846;
static const double not_numbers[] = {(double)NAN, HUGE_VAL, -HUGE_VAL, 1e308, -1e308};


// ---------------------------------------------------------------------------------------------------------------------
// Free bodies
// ---------------------------------------------------------------------------------------------------------------------


// y_n = y0 - g h^2 n (n + 1) / 2 after n substeps h.
static void free_fall_is_symplectic(void) {
  double worst = 0;
  for (int solver = 0; solver < MAIN_SOLVERS; ++solver) {
    for (int substeps = 1; substeps <= 8; ++substeps) {
      ImpWorld *world = make_world((ImpSolverKind)solver, 1.0 / 60, g);
      set_world(world, IMP_WORLD_SUBSTEPS, substeps);
      ImpBody body = drop_box(world, imp_shape_def(), 0, 0);
      set_velocity(world, body, 3, 0, 2);
      for (int step = 1; step <= 60; ++step) {
        run(world, 1);
        double n = (double)step * substeps, h = 1.0 / 60 / substeps;
        worst = fmax(worst, fabs(position(world, body).y + g * h * h * n * (n + 1) / 2));
      }
      CHECK_NEAR(position(world, body).x, 3, 1e-12);
      CHECK_NEAR(body_get(world, body, IMP_BODY_ANGLE), 2, 1e-12);
      imp_world_destroy(world);
    }
  }
  CHECK_NEAR(worst, 0, 1e-12);
  measured("worst |y_n - formula| over 1 s [m], expected 1e-12", worst);
}


// Check at the start of each substep that the callback's force acted.
typedef struct Trace {
  ImpBody body;
  int calls;
  double h, worst;
} Trace;

static void trace(ImpWorld *world, double h, void *user) {
  Trace *t = user;
  CHECK(imp_world_is_stepping(world));
  double n = t->calls++; // after n substeps v = n h a, y = h^2 a n (n + 1) / 2, a = 3 m/s^2
  t->h = h;
  t->worst = fmax(t->worst, fabs(velocity(world, t->body).y - 3 * n * h));
  t->worst = fmax(t->worst, fabs(position(world, t->body).y - 3 * h * h * n * (n + 1) / 2));
  MUST(imp_body_apply_force(world, t->body, vec(0, 6)));
  CHECK(imp_world_step(world) == IMP_ERR_STATE);
  CHECK(imp_world_destroy(world) == IMP_ERR_STATE);
}


static void substep_callbacks_run_in_order(void) {
  for (int solver = 0; solver < MAIN_SOLVERS; ++solver) {
    ImpWorld *world = make_world((ImpSolverKind)solver, 1.0 / 60, 0);
    set_world(world, IMP_WORLD_SUBSTEPS, 5);
    Trace t = {.body = drop_box(world, material(2, 0, 0), 0, 0)};
    imp_world_set_substep_callback(world, trace, &t);
    run(world, 20);
    CHECK(t.calls == 100);
    CHECK_NEAR(t.h, 1.0 / 300, 1e-17);
    CHECK_NEAR(t.worst, 0, 1e-12);
    imp_world_set_substep_callback(world, NULL, NULL);
    run(world, 1);
    CHECK(t.calls == 100);
    imp_world_destroy(world);
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Springs and drag
// ---------------------------------------------------------------------------------------------------------------------


static void pull_by_spring(ImpWorld *world, double h, void *user) {
  (void)h;
  ImpBody body = *(ImpBody *)user;
  MUST(imp_body_apply_force(world, body, vec(-100 * position(world, body).x, 0)));
}


// Return the mean period of x'' = -100 x over `periods`, from upward zero crossings. `out_drift`: drift of
// v^2 + w^2 x^2 - w^2 h x v, which symplectic Euler conserves. `out_worst_energy`: largest relative change of the
// energy.
static double oscillate(int substeps, int periods, double *out_drift, double *out_worst_energy) {
  ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 0);
  set_world(world, IMP_WORLD_SUBSTEPS, substeps);
  ImpBody body = add_body(world, IMP_BODY_PARTICLE, 1, 0, 0);
  imp_world_set_substep_callback(world, pull_by_spring, &body);
  double h = 1.0 / 60 / substeps, last = 1, first_at = -1, at = 0, conserved = 0;
  int crossings = 0;
  *out_drift = *out_worst_energy = 0;
  for (long i = 1; crossings <= periods; ++i) {
    MUST(imp_world_step(world));
    double x = position(world, body).x, v = velocity(world, body).x;
    if (last < 0 && x >= 0) {
      at = ((double)i - x / (x - last)) / 60; // linear interpolation with an error of 1e-4 of a step
      first_at = first_at < 0 ? at : first_at;
      crossings++;
    }
    last = x;
    double shadow = v * v + 100 * x * x - 100 * h * x * v;
    conserved = i == 1 ? shadow : conserved;
    *out_drift = fmax(*out_drift, fabs(shadow / conserved - 1));
    *out_worst_energy = fmax(*out_worst_energy, fabs((v * v + 100 * x * x) / 100 - 1));
  }
  imp_world_destroy(world);
  return (at - first_at) / periods;
}


// The frequency w' of symplectic Euler, 2 sin(w' h / 2) = w h, gives a period of 0.627590 s at one substep and 0.628273
// s at four.
static void a_spring_keeps_its_period_and_energy(void) {
  const int substeps[] = {1, 4};
  const double asked[] = {0.627590, 0.628273};
  for (int i = 0; i < 2; ++i) {
    double h = 1.0 / 60 / substeps[i], exact = pi * h / asin(5 * h), drift, energy;
    int periods = long_run ? 100000 : 5000;
    double period = oscillate(substeps[i], periods, &drift, &energy);
    CHECK_NEAR(exact, asked[i], 1e-6);
    CHECK_NEAR(period, exact, 1e-6);
    CHECK_NEAR(drift, 0, 1e-9); // rounding of a million substeps
    CHECK(energy < 10 * h);     // the energy oscillates by w h / 2 about its mean
    measured("substeps", substeps[i]);
    measured("period [s], expected 0.627590 and 0.628273 +- 1e-6", period);
    measured("periods followed, expected 1e5", periods);
    measured("drift of the conserved energy", drift);
    measured("oscillation of the energy, relative, at most w h", energy);
  }
}


// A spring force that is constant over the four substeps of a step adds energy.
static void a_spring_held_over_substeps_gains_energy(void) {
  ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 0);
  ImpBody body = add_body(world, IMP_BODY_PARTICLE, 1, 0, 0);
  double farthest = 0;
  for (int i = 0; i < 60; ++i) {
    MUST(imp_body_apply_force(world, body, vec(-100 * position(world, body).x, 0)));
    run(world, 1);
    farthest = fmax(farthest, fabs(position(world, body).x));
  }
  CHECK(farthest > 1.2);
  measured("force held over 4 substeps, start at 1 m: largest |x| in 1 s [m], expected > 1.2", farthest);
  imp_world_destroy(world);
}


static void drag(ImpWorld *world, double h, void *user) {
  (void)h;
  ImpBody body = *(ImpBody *)user;
  double v = velocity(world, body).y;
  MUST(imp_body_apply_force(world, body, vec(0, -0.1 * v * fabs(v))));
}


// At the terminal speed m g = c v^2, v = 9.9045 m/s.
static void drag_gives_the_terminal_speed_of_its_law(void) {
  ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, g);
  ImpBody body = add_body(world, IMP_BODY_DYNAMIC, 0, 0, 0);
  imp_world_set_substep_callback(world, drag, &body);
  run(world, 60 * 20);
  CHECK_NEAR(-velocity(world, body).y, 9.9045, 1e-4);
  measured("terminal speed [m/s], expected 9.9045 +- 1e-4", -velocity(world, body).y);
  imp_world_destroy(world);
}


// Implicit damping, v' = -d v: v_n = v_0 / (1 + h d)^n. The rate of decay is smaller than d by the fraction h d / 2.
static void damping_decays(void) {
  ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 0);
  ImpBody body = drop_box(world, imp_shape_def(), 0, 0);
  MUST(imp_body_set(world, body, IMP_BODY_LINEAR_DAMPING, 0.5));
  MUST(imp_body_set(world, body, IMP_BODY_ANGULAR_DAMPING, 2));
  set_velocity(world, body, 4, 0, 3);
  run(world, 60);
  CHECK_NEAR(velocity(world, body).x, 4 * pow(1 + 0.5 / 240, -240), 1e-12);
  CHECK_NEAR(spin(world, body), 3 * pow(1 + 2.0 / 240, -240), 1e-12);
  imp_world_destroy(world);
}


// The times of the stages add up to the time of the step within 5 %.
static void the_stages_add_up_to_the_step(void) {
  for (int solver = 0; solver < IMP_SOLVER_COUNT; ++solver) {
    ImpWorld *world = make_world((ImpSolverKind)solver, 1.0 / 60, 9.81);
    for (int i = 0; i < 50; ++i) drop_box(world, material(1, 0.5, 0), 0, 1.5 * i);
    run(world, 3);
    ImpProfile profile = imp_world_profile(world);
    double sum = 0;
    for (int i = 0; i < IMP_STAGE_COUNT; ++i) sum += profile.stage[i];
    CHECK(profile.step > 0);
    CHECK_NEAR(sum, profile.step, 0.05 * profile.step);
    imp_world_destroy(world);
  }
}


// A bullet of 10 g at 100 m/s hits 10 kg. Both move on at 0.0999 m/s. An impulse of 1 N s on 10 kg has the same effect.
static void a_bullet_transfers_its_momentum(void) {
  for (int solver = 0; solver < MAIN_SOLVERS; ++solver) {
    ImpWorld *world = make_world((ImpSolverKind)solver, 1.0 / 60, 0);
    ImpBody block = drop_box(world, material(10, 0.5, 0), 0, 0), bullet = add_body(world, IMP_BODY_DYNAMIC, -3, 0, 0);
    add_circle(world, bullet, material(1, 0.5, 0), 0.02);
    MUST(imp_body_set(world, bullet, IMP_BODY_MASS, 0.01));
    MUST(imp_body_set(world, bullet, IMP_BODY_BULLET, 1));
    set_velocity(world, bullet, 100, 0, 0);
    run(world, 30);
    double speed = velocity(world, block).x;
    CHECK_NEAR(speed, 1 / 10.01, 0.01 / 10.01);
    CHECK_NEAR(velocity(world, bullet).x, 1 / 10.01, 0.01 / 10.01);
    measured("speed of a block after a bullet hit it [m/s], expected 0.0999 +- 1 %", speed);
    CHECK_NEAR(imp_world_momentum(world).x, 1, 1e-5); // rounding of floats
    imp_world_destroy(world);
  }
  ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 0);
  ImpBody block = drop_box(world, material(10, 0.5, 0), 0, 0);
  MUST(imp_body_apply_impulse_at(world, block, vec(1, 0), vec(-0.5, 0.25)));
  CHECK_NEAR(velocity(world, block).x, 0.1, 1e-15);
  CHECK_NEAR(spin(world, block), -0.25 / (10.0 / 6), 1e-15); // r x p / I
  imp_world_destroy(world);
}


static void local_points_are_transformed_to_the_world(void) {
  ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 0);
  double worst = 0;
  for (int i = 0; i < 1000; ++i) {
    double x = random_in(-50, 50), y = random_in(-50, 50), angle = random_in(-20, 20), lx = random_in(-2, 2),
           ly = random_in(-2, 2);
    ImpBody body = add_body(world, IMP_BODY_DYNAMIC, x, y, angle);
    ImpShapeDef def = imp_shape_def();
    ImpShape shape;
    MUST(imp_body_add_circle(world, body, &def, vec(random_in(-1, 1), 0.5), 0.3, &shape));
    ImpTransform t;
    MUST(imp_body_transform(world, body, &t));
    double c = cos(angle), s = sin(angle); // cosine and sine of the C library
    worst = fmax(worst, fabs(x + c * lx - s * ly - (t.p.x + t.q.c * lx - t.q.s * ly)));
    worst = fmax(worst, fabs(y + s * lx + c * ly - (t.p.y + t.q.s * lx + t.q.c * ly)));
    MUST(imp_body_destroy(world, body));
  }
  CHECK_NEAR(worst, 0, 1e-12);
  measured("worst error of a local point in the world [m], expected 1e-12", worst);
  imp_world_destroy(world);
}


// ---------------------------------------------------------------------------------------------------------------------
// Far from the origin
// ---------------------------------------------------------------------------------------------------------------------


// A box lands rotated and sliding on a ground with its origin at x0 or at 0. Return the box's path relative to x0.
static void land_at(double x0, bool ground_there, ImpVec2 path[120]) {
  ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, g);
  ImpBody ground = add_body(world, IMP_BODY_STATIC, ground_there ? x0 : 0, 0, 0);
  ImpShapeDef def = material(1, 0.5, 0);
  ImpShape shape;
  double half = ground_there ? 100 : 2e6;
  MUST(imp_body_add_segment(world, ground, &def, vec(-half, 0), vec(half, 0), &shape));
  ImpBody box = add_body(world, IMP_BODY_DYNAMIC, x0, 1, 0.3);
  add_box(world, box, def, 1, 1);
  set_velocity(world, box, 1, 0, 1);
  for (int i = 0; i < 120; ++i) {
    run(world, 1);
    path[i] = vec(position(world, box).x - x0, position(world, box).y);
  }
  imp_world_destroy(world);
}


static void a_landing_is_the_same_a_million_metres_away(void) {
  ImpVec2 near[120], far[120];
  for (int there = 0; there < 2; ++there) {
    double worst = 0;
    land_at(0, there, near);
    land_at(1e6, there, far);
    for (int i = 0; i < 120; ++i) {
      worst = fmax(worst, fmax(fabs(near[i].x - far[i].x), fabs(near[i].y - far[i].y)));
    }
    CHECK_NEAR(worst, 0, 1e-4); // float coordinates would have an error of 0.06 m
    measured("worst difference between a box's paths at x = 1e6 m and at x = 0 [m], expected 1e-4", worst);
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Handles
// ---------------------------------------------------------------------------------------------------------------------


// A million bodies are created and destroyed, at most 64 at a time. No stale handle is accepted.
static void no_stale_handle_is_accepted(void) {
  enum { CYCLES = 1000000, KEPT = 64, OLD = 256 };
  ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, g);
  ImpBody alive[KEPT] = {{0}}, old[OLD] = {{0}};
  ImpBodyDef def = imp_body_def();
  ImpShapeDef shape_def = imp_shape_def();
  ImpShape shape = {0}, old_shape = {0};
  long accepted = 0, refused = 0;
  for (long i = 0; i < CYCLES; ++i) {
    int k = (int)random_in(0, KEPT), o = (int)random_in(0, OLD);
    if (alive[k].id != 0) {
      CHECK(imp_body_destroy(world, alive[k]) == IMP_OK);
      CHECK(imp_body_destroy(world, alive[k]) == IMP_ERR_HANDLE);
      old[o] = alive[k];
    }
    CHECK(imp_body_create(world, &def, &alive[k]) == IMP_OK);
    if (i % 8 == 0) {
      CHECK(imp_body_add_circle(world, alive[k], &shape_def, vec(0, 0), 1, &shape) == IMP_OK);
      accepted += imp_shape_is_valid(world, old_shape) && old_shape.id == shape.id;
      old_shape = shape;
    }
    const ImpBody *stale = &old[(int)random_in(0, OLD)];
    accepted += imp_body_is_valid(world, *stale);
    refused++;
  }
  CHECK(accepted == 0);
  CHECK(imp_world_counts(world).bodies == KEPT);
  size_t bytes = imp_world_counts(world).bytes;
  CHECK(bytes < 200000); // slots are reused
  measured("create/destroy cycles, expected 1e6", (double)refused);
  measured("stale handles accepted, expected 0", (double)accepted);
  imp_world_destroy(world);
}


// A slot whose generations are used up is retired.
static void generations_do_not_wrap(void) {
  ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, g);
  ImpBody first = add_body(world, IMP_BODY_DYNAMIC, 0, 0, 0), bodies[6];
  MUST(imp_body_destroy(world, first));
  world->body_pool.slots.data[0].generation = IMPI_MAX_GENERATION - 2;
  for (int i = 0; i < 6; ++i) {
    bodies[i] = add_body(world, IMP_BODY_DYNAMIC, 0, 0, 0);
    for (int k = 0; k < i; ++k) {
      CHECK(bodies[k].id != bodies[i].id && !imp_body_is_valid(world, bodies[k]));
    }
    MUST(imp_body_destroy(world, bodies[i]));
  }
  CHECK(!imp_body_is_valid(world, first));
  imp_world_destroy(world);
}


static void handles_of_another_world_are_refused(void) {
  ImpWorld *one = make_world(IMP_SOLVER_SOFT, 1.0 / 60, g), *two = make_world(IMP_SOLVER_SOFT, 1.0 / 60, g);
  ImpBody a = drop_box(one, imp_shape_def(), 0, 0);
  drop_box(two, imp_shape_def(), 0, 0);
  ImpVec2 p = {7, 7};
  CHECK(imp_body_position(two, a, &p) == IMP_ERR_WORLD && p.x == 7);
  CHECK(imp_body_destroy(two, a) == IMP_ERR_WORLD);
  CHECK(imp_shape_destroy(two, imp_body_next_shape(one, a, (ImpShape){0})) == IMP_ERR_WORLD);
  CHECK(imp_body_apply_force(two, a, vec(1, 1)) == IMP_ERR_WORLD);
  CHECK(imp_body_position(one, (ImpBody){0}, &p) == IMP_ERR_HANDLE && p.x == 7);
  imp_world_destroy(one);
  imp_world_destroy(two);
}


// ---------------------------------------------------------------------------------------------------------------------
// Bad input
// ---------------------------------------------------------------------------------------------------------------------


// Every writable property refuses values that are non-finite or out of range, without a change.
static void properties_refuse_non_finite_numbers(void) {
  ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, g);
  ImpBody body = drop_box(world, imp_shape_def(), 0, 0);
  ImpShape shape = imp_body_next_shape(world, body, (ImpShape){0});
  uint64_t hash = imp_world_hash(world);
  int refused = 0;
  for (int i = 0; i < 5; ++i) {
    for (int p = -1; p <= IMP_WORLD_PROPERTY_COUNT; ++p) {
      refused += imp_world_set(world, (ImpWorldProperty)p, not_numbers[i]) == IMP_ERR_ARGUMENT;
      CHECK(strlen(imp_last_error()) > 0);
    }
    for (int p = -1; p <= IMP_BODY_PROPERTY_COUNT; ++p) {
      refused += imp_body_set(world, body, (ImpBodyProperty)p, not_numbers[i]) == IMP_ERR_ARGUMENT;
    }
    for (int p = -1; p <= IMP_SHAPE_PROPERTY_COUNT; ++p) {
      refused += imp_shape_set(world, shape, (ImpShapeProperty)p, not_numbers[i]) == IMP_ERR_ARGUMENT;
    }
    ImpVec2 bad = {0, not_numbers[i]};
    CHECK(imp_body_set_position(world, body, bad) == IMP_ERR_ARGUMENT);
    CHECK(imp_body_set_velocity(world, body, bad) == IMP_ERR_ARGUMENT);
    CHECK(imp_body_apply_force_at(world, body, vec(1, 1), bad) == IMP_ERR_ARGUMENT);
    CHECK(imp_body_apply_torque(world, body, bad.y) == IMP_ERR_ARGUMENT);
    CHECK(imp_body_apply_impulse(world, body, bad) == IMP_ERR_ARGUMENT);
    CHECK(imp_world_set_gravity(world, bad) == IMP_ERR_ARGUMENT);
    ImpBodyDef def = imp_body_def();
    def.position = bad;
    ImpBody none = {42};
    CHECK(imp_body_create(world, &def, &none) == IMP_ERR_ARGUMENT && none.id == 42);
  }
  const int legal = 2; // hit speed and restitution threshold of a shape: NaN means "not set"
  CHECK(refused == 5 * (IMP_WORLD_PROPERTY_COUNT + IMP_BODY_PROPERTY_COUNT + IMP_SHAPE_PROPERTY_COUNT + 6) - legal);
  CHECK(imp_world_hash(world) == hash);
  CHECK(imp_body_set_type(world, body, (ImpBodyType)9) == IMP_ERR_ARGUMENT);
  ImpShapeDef massless = material(0, 0, 0);
  ImpShape none = {42};
  CHECK(imp_body_add_circle(world, body, &massless, vec(0, 0), 1, &none) == IMP_ERR_ARGUMENT && none.id == 42);
  imp_world_destroy(world);
}


static bool refuse_the_dead(ImpWorld *world, ImpShape shape, ImpShape other, void *user) {
  int *calls = user;
  CHECK(imp_shape_is_valid(world, shape) && imp_shape_is_valid(world, other));
  if (++*calls == 1) MUST(imp_shape_destroy(world, shape));
  return true;
}


static void a_filter_is_not_called_with_destroyed_shapes(void) {
  ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, g);
  ImpShapeDef def = imp_shape_def();
  int calls = 0;
  def.selective = true;
  ImpShape floor;
  MUST(imp_body_add_box(world, add_body(world, IMP_BODY_STATIC, 0, -0.5, 0), &def, 20, 1, vec(0, 0), 0, 0, &floor));
  for (int i = 0; i < 4; ++i) drop_box(world, imp_shape_def(), 2 * i, 0.5);
  imp_world_set_filter_callback(world, refuse_the_dead, &calls);
  run(world, 1);
  CHECK(calls == 1 && !imp_shape_is_valid(world, floor));
  imp_world_destroy(world);
}


int main(int argc, char **argv) {
  read_arguments(argc, argv);
  RUN(free_fall_is_symplectic);
  RUN(substep_callbacks_run_in_order);
  RUN(a_spring_keeps_its_period_and_energy);
  RUN(a_spring_held_over_substeps_gains_energy);
  RUN(drag_gives_the_terminal_speed_of_its_law);
  RUN(damping_decays);
  RUN(the_stages_add_up_to_the_step);
  RUN(a_bullet_transfers_its_momentum);
  RUN(local_points_are_transformed_to_the_world);
  RUN(a_landing_is_the_same_a_million_metres_away);
  RUN(no_stale_handle_is_accepted);
  RUN(generations_do_not_wrap);
  RUN(handles_of_another_world_are_refused);
  RUN(properties_refuse_non_finite_numbers);
  RUN(a_filter_is_not_called_with_destroyed_shapes);
  return check_report("world");
}
