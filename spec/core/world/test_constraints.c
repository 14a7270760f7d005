// Custom constraints from C: rows, tapes, bounds, velocity constraints. A constraint by rows is compared with the same
// constraint by a tape, or with a solution in closed form.
#include "random_joints.h"
#include "tape_case.h"

static const double g = 9.81;

// Parameters of a callback, and numbers of calls.
typedef struct Author {
  void (*write)(ImpWorld *world, ImpJoint joint, double t, struct Author *author);
  ImpBody body;
  ImpVec2 anchor; // anchor, in the body's frame
  double length, radius, push;
  int rows, calls;
  double last;
  const Case *tape;
} Author;


static void write_rows(ImpWorld *world, ImpJoint joint, double t, void *user) {
  Author *author = user;
  author->calls++;
  author->last = t;
  author->write(world, joint, t, author);
}


static ImpJoint add_rows(ImpWorld *world, Author *author, int most) {
  ImpConstraintDef def = imp_constraint_def();
  def.bodies = &author->body;
  def.body_count = 1;
  def.max_rows = most;
  ImpJoint joint = {0};
  MUST(imp_constraint_create(world, &def, &joint));
  imp_world_set_constraint_callback(world, write_rows, author);
  return joint;
}


static ImpJoint add_tape(ImpWorld *world, const Case *c, ImpBody body, bool dynamic) {
  ImpConstraintDef def = imp_constraint_def();
  def.tape = definition(c);
  def.bodies = &body;
  def.body_count = 1;
  def.dynamic = dynamic;
  ImpJoint joint = {0};
  MUST(imp_constraint_create(world, &def, &joint));
  return joint;
}


// A moving bar, 1 m from the world's origin, with its centre of mass off the origin of its frame.
static ImpWorld *make_bar(ImpSolverKind solver, ImpBody *out_bar) {
  ImpWorld *world = make_world(solver, 1.0 / 60, g);
  set_world(world, IMP_WORLD_SLEEP, 0);
  *out_bar = add_mass(world, IMP_BODY_DYNAMIC, vec(0.8, -0.6), 0.4, vec(0.1, 0.2), 1.5, 0.2);
  set_velocity(world, *out_bar, 0.9, 1.2, 0);
  return world;
}


// Return the largest difference in pose and velocity of two bodies [m, rad, m/s, rad/s].
static double apart(ImpWorld *one, ImpBody a, ImpWorld *two, ImpBody b) {
  const ImpiMotion *m = motion_of(one, a), *n = motion_of(two, b);
  double place = fmax(fabs(m->x - n->x), fmax(fabs(m->y - n->y), fabs(m->angle - n->angle)));
  return fmax(place, fmax(fabs(m->vx - n->vx), fmax(fabs(m->vy - n->vy), fabs(m->w - n->w))));
}


// ---------------------------------------------------------------------------------------------------------------------
// The same constraint as rows and as a tape
// ---------------------------------------------------------------------------------------------------------------------


// Return the anchor's position in the world. `out_lever`: its lever arm from the centre of mass.
static ImpVec2 anchor_now(const ImpWorld *world, const Author *author, ImpVec2 *out_lever) {
  ImpTransform xf;
  ImpVec2 center;
  MUST(imp_body_transform(world, author->body, &xf));
  MUST(imp_body_center(world, author->body, &center));
  ImpVec2 p = impi_apply(xf, author->anchor);
  *out_lever = impi_sub(p, center);
  return p;
}


// Write the row of a rod: C = |p| - L, L = length + push sin t. The bias contains the change of L in the substep that
// ends at t.
static void write_rod(ImpWorld *world, ImpJoint joint, double t, Author *author) {
  ImpVec2 r, p = anchor_now(world, author, &r);
  double length = hypot(p.x, p.y), h = 1.0 / 60;
  ImpVec2 u = vec(p.x / length, p.y / length);
  double j[] = {u.x, u.y, r.x * u.y - r.y * u.x};
  double now = author->length + author->push * imp_sin(t - h), then = author->length + author->push * imp_sin(t);
  ImpUserRow row = {j, (now - then) / h, length - now, true, -HUGE_VAL, HUGE_VAL};
  MUST(imp_constraint_set_rows(world, joint, &row, 1));
}


static void put_pendulum(Case *c, const Author *author) {
  int32_t cosine = leaf(c, IMP_OP_COS, 0), sine = leaf(c, IMP_OP_SIN, 0);
  int32_t ax = constant(c, author->anchor.x), ay = constant(c, author->anchor.y);
  int32_t x = binary(c, IMP_OP_SUB, binary(c, IMP_OP_MUL, cosine, ax), binary(c, IMP_OP_MUL, sine, ay));
  int32_t y = binary(c, IMP_OP_ADD, binary(c, IMP_OP_MUL, sine, ax), binary(c, IMP_OP_MUL, cosine, ay));
  x = binary(c, IMP_OP_ADD, leaf(c, IMP_OP_X, 0), x);
  y = binary(c, IMP_OP_ADD, leaf(c, IMP_OP_Y, 0), y);
  int32_t sum = binary(c, IMP_OP_ADD, binary(c, IMP_OP_MUL, x, x), binary(c, IMP_OP_MUL, y, y));
  int32_t length = constant(c, author->length);
  if (author->push != 0) {
    int32_t wave = unary(c, IMP_OP_SINE, leaf(c, IMP_OP_TIME, -1));
    length = binary(c, IMP_OP_ADD, length, binary(c, IMP_OP_MUL, constant(c, author->push), wave));
  }
  finish(c, binary(c, IMP_OP_SUB, unary(c, IMP_OP_SQRT, sum), length));
}


// A pendulum on a rod of fixed or varying length.
static void rows_agree_with_the_tape(void) {
  for (int timed = 0; timed < 2; ++timed) {
    Author author = {.write = write_rod, .anchor = vec(-0.1, 0.3), .length = 1, .push = 0.1 * timed};
    ImpBody bar;
    ImpWorld *by_rows = make_bar(IMP_SOLVER_SI, &author.body), *by_tape = make_bar(IMP_SOLVER_SI, &bar);
    Case c = {.bodies = 1};
    put_pendulum(&c, &author);
    ImpJoint rod = add_rows(by_rows, &author, 1), tape = add_tape(by_tape, &c, bar, false);
    double worst = 0, worst_force = 0;
    for (int step = 0; step < 100; ++step) {
      run(by_rows, 1);
      run(by_tape, 1);
      worst = fmax(worst, apart(by_rows, author.body, by_tape, bar));
      double force = info_of(by_tape, (ImpCoordinate){tape, 0}).force;
      worst_force =
          fmax(worst_force, fabs(info_of(by_rows, (ImpCoordinate){rod, 0}).force - force) / (1 + fabs(force)));
    }
    CHECK(author.calls == 100); // once a substep
    check_worst(worst, 1e-12,
                timed ? "a rod of changing length: rows against tape, 100 steps, expected 1e-12"
                      : "a pendulum: rows against tape, 100 steps, expected 1e-12");
    check_worst(worst_force, 1e-12, "force, relative, expected 1e-12");
    imp_world_destroy(by_rows);
    imp_world_destroy(by_tape);
  }
}


static void write_tape(ImpWorld *world, ImpJoint joint, double t, Author *author) {
  (void)t;
  ImpTapeDef def = definition(author->tape);
  MUST(imp_constraint_set_tape(world, joint, &def));
}


// The callback is called at the start of the step and, in the soft solver, after each substep.
static void a_tape_that_is_set_again_changes_no_bit(void) {
  for (int i = 0; i < 2 * MAIN_SOLVERS; ++i) {
    Author author = {.write = write_tape, .anchor = vec(-0.1, 0.3), .length = 1, .push = i / 2 * 0.1};
    ImpBody bar;
    ImpWorld *given = make_bar((ImpSolverKind)(i % 2), &author.body), *fixed = make_bar((ImpSolverKind)(i % 2), &bar);
    Case c = {.bodies = 1};
    put_pendulum(&c, &author);
    author.tape = &c;
    add_tape(given, &c, author.body, true);
    add_tape(fixed, &c, bar, false);
    imp_world_set_constraint_callback(given, write_rows, &author);
    bool same = true;
    for (int step = 0; step < 100; ++step) {
      run(given, 1);
      run(fixed, 1);
      same = same && imp_world_hash(given) == imp_world_hash(fixed);
    }
    CHECK(same);
    // The soft solver calls the callback at the start of the step and after each of 4 substeps.
    CHECK(author.calls == (i % 2 == IMP_SOLVER_SI ? 100 : 500));
    imp_world_destroy(given);
    imp_world_destroy(fixed);
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Bounds, one-sided rows, varying number of rows
// ---------------------------------------------------------------------------------------------------------------------


static ImpWorld *make_weight(int solver, Author *author) {
  ImpWorld *world = make_world((ImpSolverKind)solver, 1.0 / 60, g);
  set_world(world, IMP_WORLD_SLEEP, 0);
  author->body = add_mass(world, IMP_BODY_DYNAMIC, vec(0, 1), 0, vec(0, 0), 2, 1);
  return world;
}


// Write the row vy = 0 with an upward force of at most `push` [N].
static void write_brake(ImpWorld *world, ImpJoint joint, double t, Author *author) {
  (void)t;
  const double j[] = {0, 1, 0};
  ImpUserRow row = {j, 0, 0, false, 0, author->push};
  MUST(imp_constraint_set_rows(world, joint, &row, 1));
}


static void bounds_are_in_newtons(void) {
  for (int i = 0; i < 2 * MAIN_SOLVERS; ++i) {
    bool strong = i / 2;
    Author author = {.write = write_brake, .push = strong ? 30 : 15};
    ImpWorld *world = make_weight(i % 2, &author);
    ImpJoint joint = add_rows(world, &author, 1);
    run(world, 60);
    double expected = strong ? 0 : -(g - 15.0 / 2); // m a = F - m g with F = 15 N; 30 N is more than the weight
    check_worst(velocity(world, author.body).y - expected, 1e-5, "speed after 1 s under a bounded row [m/s]"); // float
    ImpCoordinateInfo info = info_of(world, (ImpCoordinate){joint, 0});
    check_worst(info.force - (strong ? 2 * g : 15), 1e-4, "its force [N]"); // rounding of 20 N in floats
    int first = 0, count = 0;
    const ImpRowInfo *rows;
    MUST(imp_joint_rows(world, joint, &first, &count));
    MUST(imp_world_rows(world, &rows, &count));
    CHECK(count == 1 && rows[first].kind == IMP_ROW_USER && rows[first].clamped == !strong);
    CHECK_NEAR(rows[first].upper, author.push, 1e-9);
    CHECK(author.calls == (i % 2 == IMP_SOLVER_SI ? 60 : 300));
    CHECK_NEAR(author.last, 1,
               i % 2 == IMP_SOLVER_SI ? 1e-12 : 1.01 / 240); // soft: the last call's t is the end of the next substep
    imp_world_destroy(world);
  }
}


// Write a row for a floor at y = 0: C = y >= 0.
static void write_floor(ImpWorld *world, ImpJoint joint, double t, Author *author) {
  (void)t;
  const double j[] = {0, 1, 0};
  ImpUserRow row = {j, 0, position(world, author->body).y, true, 0, HUGE_VAL};
  MUST(imp_constraint_set_rows(world, joint, &row, 1));
}


static void one_sided_rows_push_and_do_not_pull(void) {
  for (int solver = 0; solver < MAIN_SOLVERS; ++solver) {
    Author author = {.write = write_floor};
    ImpWorld *world = make_weight(solver, &author);
    ImpJoint joint = add_rows(world, &author, 1);
    double lowest = 1, least = 0, t = 0;
    for (int step = 0; step < 120; ++step) {
      double before = position(world, author.body).y;
      run(world, 1);
      lowest = fmin(lowest, position(world, author.body).y);
      double force = info_of(world, (ImpCoordinate){joint, 0}).force;
      least = fmin(least, force);
      t = (step + 1) / 60.0;
      if (before > 0.2) CHECK(force == 0);
    }
    if (show_measured) printf(" %s\n", imp_solver_name(solver));
    CHECK(least >= 0 && t == 2);
    // The soft solver predicts the motion of one substep. The si solver may stop a body of 4.4 m/s one step too late.
    check_worst(-lowest, solver == IMP_SOLVER_SOFT ? 1e-3 : 4.5 / 60, "largest depth below a floor of user rows [m]");
    check_worst(position(world, author.body).y, 1e-3, "height after 2 s [m]");
    check_worst(info_of(world, (ImpCoordinate){joint, 0}).force / (2 * g) - 1, 1e-4, "force / weight - 1");
    set_velocity(world, author.body, 0, 3, 0);
    run(world, 12);
    double v = velocity(world, author.body).y;
    // The row does not pull a body that leaves the floor.
    check_worst(v - (3 - g * 0.2), 1e-4, "speed 0.2 s after a throw at 3 m/s [m/s]");
    imp_world_destroy(world);
  }
}


// Write 0 to 3 rows: none; x; x and y; x, y and angle.
static void write_some(ImpWorld *world, ImpJoint joint, double t, Author *author) {
  (void)t;
  const double j[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  ImpUserRow rows[3];
  for (int i = 0; i < author->rows; ++i) {
    rows[i] = (ImpUserRow){j[i], 0, 0, false, -HUGE_VAL, HUGE_VAL};
  }
  MUST(imp_constraint_set_rows(world, joint, rows, author->rows));
}


static void the_number_of_rows_can_vary(void) {
  for (int solver = 0; solver < MAIN_SOLVERS; ++solver) {
    Author author = {.write = write_some};
    ImpWorld *world = make_weight(solver, &author);
    ImpJoint joint = add_rows(world, &author, 3);
    for (int step = 0; step < 200; ++step) {
      author.rows = step < 4 ? step : roll(4);
      set_velocity(world, author.body, 1, 2, 3);
      run(world, 1);
      ImpVec2 v = velocity(world, author.body);
      CHECK_NEAR(v.x, author.rows > 0 ? 0 : 1, 1e-6); // float
      CHECK_NEAR(v.y, author.rows > 1 ? 0 : 2 - g / 60, 1e-6);
      CHECK_NEAR(spin(world, author.body), author.rows > 2 ? 0 : 3, 1e-6);
      int first = 0, count = 0, coordinates = 0;
      MUST(imp_joint_rows(world, joint, &first, &count));
      MUST(imp_joint_coordinate_count(world, joint, &coordinates));
      CHECK(count == author.rows && coordinates == author.rows);
      // The listed force of a row is the force that stops the motion along the row's coordinate.
      for (int i = 0; i < count; ++i) {
        double taken = (i == 0 ? -2.0 : i == 1 ? -2 * (2 - g / 60) : -3) * 60;
        CHECK_NEAR(info_of(world, (ImpCoordinate){joint, i}).force / taken, 1, 1e-5);
      }
    }
    imp_world_destroy(world);
  }
}


// Rows stay until they are set again.
static void rows_stay_until_they_are_set_again(void) {
  for (int solver = 0; solver < MAIN_SOLVERS; ++solver) {
    Author author = {.write = write_some, .rows = 2};
    ImpWorld *world = make_weight(solver, &author);
    ImpJoint joint = add_rows(world, &author, 3);
    imp_world_set_constraint_callback(world, NULL, NULL);
    run(world, 1);
    CHECK_NEAR(velocity(world, author.body).y, -g / 60, 1e-6);
    write_some(world, joint, 0, &author);
    run(world, 10);
    CHECK_NEAR(velocity(world, author.body).y, 0, 1e-6);
    CHECK(author.calls == 0);
    imp_world_destroy(world);
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Velocity constraints
// ---------------------------------------------------------------------------------------------------------------------


// A skate with its blade along its x axis has no velocity across the blade.
static void write_skate(ImpWorld *world, ImpJoint joint, double t, Author *author) {
  (void)t;
  ImpTransform xf;
  MUST(imp_body_transform(world, author->body, &xf));
  const double j[] = {-xf.q.s, xf.q.c, 0};
  ImpUserRow row = {j, 0, 0, false, -HUGE_VAL, HUGE_VAL};
  MUST(imp_constraint_set_rows(world, joint, &row, 1));
}


static void put_skate(Case *c) {
  int32_t across = binary(c, IMP_OP_MUL, leaf(c, IMP_OP_COS, 0), leaf(c, IMP_OP_VY, 0));
  c->velocity = true;
  finish(c, binary(c, IMP_OP_SUB, across, binary(c, IMP_OP_MUL, leaf(c, IMP_OP_SIN, 0), leaf(c, IMP_OP_VX, 0))));
}


// The skate moves on a circle of radius v / w.
static void a_skate_does_not_slip(void) {
  for (int i = 0; i < 2 * MAIN_SOLVERS; ++i) {
    bool tape = i / 2;
    Author author = {.write = write_skate};
    ImpWorld *world = make_weight(i % 2, &author);
    Case c = {.bodies = 1};
    put_skate(&c);
    MUST(imp_world_set_gravity(world, vec(0, 0)));
    set_velocity(world, author.body, 2, 0, 1);
    ImpJoint joint = tape ? add_tape(world, &c, author.body, false) : add_rows(world, &author, 1);
    double worst = 0, width = 0;
    for (int step = 0; step < 60; ++step) {
      run(world, 1);
      int first = 0, count = 0;
      const ImpRowInfo *rows;
      MUST(imp_joint_rows(world, joint, &first, &count));
      MUST(imp_world_rows(world, &rows, &count));
      worst = fmax(worst, fabs(rows[first].speed));
      width = fmax(width, fabs(position(world, author.body).x));
    }
    ImpVec2 v = velocity(world, author.body);
    if (show_measured) printf(" %s, by %s\n", imp_solver_name(i % 2), tape ? "tape" : "rows");
    check_worst(worst, i % 2 == IMP_SOLVER_SI ? 1e-9 : 1e-6, "skate: worst slip [m/s], expected 1e-9 with solver si");
    measured("skate at 2 m/s and 1 rad/s: speed after 1 s [m/s]", hypot(v.x, v.y));
    // The velocity has the direction of the blade, up to the rotation in two steps.
    CHECK_NEAR(atan2(v.y, v.x), 1, 2.0 / 60);
    imp_world_destroy(world);
  }
}


// A wheel on a slope with rows vx + r w = 0 and vy = 0: a = g / (1 + I / (m r^2)).
static void a_wheel_rolls_without_slip(void) {
  for (int solver = 0; solver < MAIN_SOLVERS; ++solver) {
    Author author = {0};
    double r = 0.5;
    ImpWorld *world = make_weight(solver, &author);
    MUST(imp_world_set_gravity(world, vec(4, -3)));
    Case c = {.bodies = 1, .velocity = true};
    int32_t turn = binary(&c, IMP_OP_MUL, constant(&c, r), leaf(&c, IMP_OP_ANGULAR_VELOCITY, 0));
    c.results[0] = binary(&c, IMP_OP_ADD, leaf(&c, IMP_OP_VX, 0), turn);
    c.results[1] = leaf(&c, IMP_OP_VY, 0);
    c.result_count = 2;
    ImpJoint joint = add_tape(world, &c, author.body, false);
    run(world, 120);
    double expected = 2 * 4 / (1 + 1 / (2 * r * r)),
           slip = velocity(world, author.body).x + r * spin(world, author.body);
    bool si = solver == IMP_SOLVER_SI;
    if (show_measured) printf(" %s\n", imp_solver_name(solver));
    check_worst(velocity(world, author.body).x / expected - 1, si ? 1e-9 : 1e-5, "rolling: speed after 2 s, relative");
    check_worst(slip, si ? 1e-9 : 1e-5, "rolling: slip [m/s]");
    check_worst(info_of(world, (ImpCoordinate){joint, 0}).force / (2 * (expected / 2 - 4)) - 1, 1e-5,
                "rolling: friction against m (a - g), relative");
    check_worst(info_of(world, (ImpCoordinate){joint, 1}).force / 6 - 1, 1e-5, "rolling: normal force, relative");
    imp_world_destroy(world);
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Largest constraints, and errors
// ---------------------------------------------------------------------------------------------------------------------

enum { MOST = IMP_MAX_CONSTRAINT_BODIES };


// 64 rows over 64 bodies. Each row constrains the sum of all heights and the height of one body.
static void the_largest_constraint_holds(void) {
  for (int solver = 0; solver < MAIN_SOLVERS; ++solver) {
    ImpWorld *world = make_world((ImpSolverKind)solver, 1.0 / 60, g);
    ImpBody bodies[MOST];
    static double j[MOST][3 * MOST];
    ImpUserRow rows[MOST];
    for (int i = 0; i < MOST; ++i) {
      bodies[i] = add_mass(world, IMP_BODY_DYNAMIC, vec(i, 0), 0, vec(0, 0), 1, 1);
      for (int k = 0; k < MOST; ++k) {
        j[i][3 * k + 1] = k == i ? 1 : 0.01;
      }
      rows[i] = (ImpUserRow){j[i], 0, 0, false, -HUGE_VAL, HUGE_VAL};
    }
    ImpConstraintDef def = imp_constraint_def();
    def.bodies = bodies;
    def.body_count = def.max_rows = MOST;
    ImpJoint joint = {0};
    MUST(imp_constraint_create(world, &def, &joint));
    MUST(imp_constraint_set_rows(world, joint, rows, MOST));
    run(world, 30);
    double worst = 0;
    for (int i = 0; i < MOST; ++i) {
      worst = fmax(worst, fabs(velocity(world, bodies[i]).y));
    }
    check_worst(worst, 1e-4,
                // 1e-4 covers float rounding and the error of the sweeps.
                "64 rows over 64 bodies: worst speed of a constrained body [m/s]");
    CHECK(imp_world_counts(world).rows == MOST);
    imp_world_destroy(world);
  }
}


static void wrong_constraints_are_refused_and_change_nothing(void) {
  Author author = {.write = write_some, .rows = 2};
  ImpWorld *world = make_weight(IMP_SOLVER_SI, &author);
  ImpJoint rows = add_rows(world, &author, 2), made = {77};
  Case rod = {.bodies = 1}, corner = {.bodies = 1}, still = {.bodies = 1}, bent = {.bodies = 1, .velocity = true};
  Author shape = {.anchor = vec(0, 0), .length = 1};
  put_pendulum(&rod, &shape);
  ImpJoint tape = add_tape(world, &rod, author.body, false);
  run(world, 2);
  uint64_t hash = imp_world_hash(world);
  const double j[] = {1, 0, 0}, bad_j[] = {1, (double)NAN, 0};
  const double nan = (double)NAN;
  const ImpUserRow good = {j, 0, 0, false, -1, 1};
  const ImpUserRow bad[] = {{bad_j, 0, 0, false, -1, 1}, {j, nan, 0, false, -1, 1}, {j, 0, nan, true, -1, 1},
                            {j, 0, 0, false, 1, -1},     {j, 0, 0, false, nan, 1},  {j, 0, 0, false, -1, nan}};
  for (int i = 0; i < IMPI_COUNT(bad); ++i) {
    CHECK(imp_constraint_set_rows(world, rows, (ImpUserRow[]){good, bad[i]}, 2) == IMP_ERR_ARGUMENT);
  }
  CHECK(imp_constraint_set_rows(world, rows, (ImpUserRow[]){good, good, good}, 3) == IMP_ERR_LIMIT);
  CHECK(imp_constraint_set_rows(world, rows, &good, -1) < 0);
  CHECK(imp_constraint_set_rows(world, tape, &good, 1) == IMP_ERR_ARGUMENT);
  ImpTapeDef def = definition(&rod);
  CHECK(imp_constraint_set_tape(world, rows, &def) == IMP_ERR_ARGUMENT);
  def.result_count = 0;
  CHECK(imp_constraint_set_tape(world, tape, &def) == IMP_ERR_ARGUMENT);
  // Refused tapes: sqrt(x - x0) has no derivative at x0, sin t depends on no body, vx^2 is not linear in velocity.
  finish(&corner, unary(&corner, IMP_OP_SQRT,
                        binary(&corner, IMP_OP_SUB, leaf(&corner, IMP_OP_CENTER_X, 0),
                               constant(&corner, motion_of(world, author.body)->x))));
  finish(&still, unary(&still, IMP_OP_SINE, leaf(&still, IMP_OP_TIME, -1)));
  finish(&bent, binary(&bent, IMP_OP_MUL, leaf(&bent, IMP_OP_VX, 0), leaf(&bent, IMP_OP_VX, 0)));
  const Case *const tapes[] = {&corner, &still, &bent};
  for (int i = 0; i < IMPI_COUNT(tapes); ++i) {
    ImpConstraintDef constraint = imp_constraint_def();
    constraint.bodies = &author.body;
    constraint.body_count = 1;
    constraint.tape = definition(tapes[i]);
    CHECK(imp_constraint_create(world, &constraint, &made) == IMP_ERR_ARGUMENT && imp_last_error()[0] != 0);
  }
  ImpConstraintDef twice = imp_constraint_def();
  twice.bodies = (ImpBody[]){author.body, author.body};
  twice.body_count = 2;
  twice.max_rows = 1;
  CHECK(imp_constraint_create(world, &twice, &made) == IMP_ERR_ARGUMENT);
  twice.body_count = 0;
  CHECK(imp_constraint_create(world, &twice, &made) == IMP_ERR_ARGUMENT);
  twice.body_count = 1;
  twice.max_rows = IMP_MAX_CONSTRAINT_ROWS + 1;
  CHECK(imp_constraint_create(world, &twice, &made) == IMP_ERR_ARGUMENT);
  CHECK(made.id == 77 && imp_world_counts(world).joints == 2);
  CHECK(imp_world_hash(world) == hash);
  imp_world_destroy(world);
}


// The row |x| - 1 has no derivative at x = 0. Both results are legal for a body at x = 0: the row has no effect, or a
// fault disables the body.
static void a_non_finite_row_disables_its_own_body_alone(void) {
  for (int solver = 0; solver < MAIN_SOLVERS; ++solver) {
    ImpWorld *world = make_world((ImpSolverKind)solver, 1.0 / 60, g);
    ImpBody ground, bodies[3];
    MUST(imp_world_ground(world, &ground));
    Author author = {.length = 1};
    Case c = {.bodies = 1};
    put_pendulum(&c, &author);
    for (int i = 0; i < 3; ++i) {
      bodies[i] = add_mass(world, IMP_BODY_DYNAMIC, vec(1, 0), 0, vec(0, 0), 1, 1);
      ImpJointDef def = imp_joint_def(IMP_JOINT_DISTANCE, ground, bodies[i]);
      i == 1 ? add_tape(world, &c, bodies[i], false) : add_joint(world, &def);
    }
    run(world, 10);
    MUST(imp_body_set_position(world, bodies[1], vec(0, 0)));
    run(world, 1);
    int faults = 0;
    const ImpEvent *events = imp_world_events(world, IMP_EVENT_FAULT, &faults);
    CHECK(faults == 0 || (faults == 1 && events[0].body_a.id == bodies[1].id));
    measured("faults of a body at x = 0, where its row |x| - 1 has no derivative", faults);
    run(world, 50);
    CHECK(event_count(world, IMP_EVENT_FAULT) == 0);
    for (int i = 0; i < 3; i += 2) {
      // 1 cm: length error of si.
      CHECK_NEAR(hypot(position(world, bodies[i]).x, position(world, bodies[i]).y), 1, 0.01);
    }
    ImpEnergy e = imp_world_energy(world);
    CHECK(impi_is_finite(e.kinetic) && impi_is_finite(e.joint_work) && impi_is_finite(velocity(world, ground).x));
    imp_world_destroy(world);
  }
}


int main(int argc, char **argv) {
  read_arguments(argc, argv);
  RUN(rows_agree_with_the_tape);
  RUN(a_tape_that_is_set_again_changes_no_bit);
  RUN(bounds_are_in_newtons);
  RUN(one_sided_rows_push_and_do_not_pull);
  RUN(the_number_of_rows_can_vary);
  RUN(rows_stay_until_they_are_set_again);
  RUN(a_skate_does_not_slip);
  RUN(a_wheel_rolls_without_slip);
  RUN(the_largest_constraint_holds);
  RUN(a_non_finite_row_disables_its_own_body_alone);
  RUN(wrong_constraints_are_refused_and_change_nothing);
  return check_report("constraints");
}
