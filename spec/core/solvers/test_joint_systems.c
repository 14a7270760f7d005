// Rows that act together: the projector onto the motions that joints allow, rows over several bodies, opposing drives,
// friction.
#include "random_joints.h"

static const double pi = 3.14159265358979323846;


// ---------------------------------------------------------------------------------------------------------------------
// The projector
// ---------------------------------------------------------------------------------------------------------------------

enum { BODIES = 4, WIDTH = 3 * BODIES, MOST_LOCKS = 16 };

typedef struct Mechanism {
  ImpWorld *world;
  ImpBody bodies[BODIES];
  double j[MOST_LOCKS][WIDTH], inverse[WIDTH];
  int locks;
} Mechanism;


static void add_random(ImpWorld *world, ImpJointKind kind, ImpBody a, ImpBody b) {
  ImpJointDef def = random_def((int)kind, a, b);
  def.reference_angle = def.length = (double)NAN;
  add_joint(world, &def);
}


// A chain from the ground over 4 bodies, with a pin slot, a revolute, a prismatic and a distance joint: 6 independent
// rows over 12 coordinates.
static Mechanism make_mechanism(void) {
  Mechanism m = {.world = make_world(IMP_SOLVER_SI, 1.0 / 60, 0)};
  for (int i = 0; i < BODIES; ++i) {
    m.bodies[i] = random_body(m.world);
  }
  ImpBody ground;
  MUST(imp_world_ground(m.world, &ground));
  add_random(m.world, IMP_JOINT_PIN_SLOT, ground, m.bodies[0]);
  add_random(m.world, IMP_JOINT_REVOLUTE, m.bodies[0], m.bodies[1]);
  add_random(m.world, IMP_JOINT_PRISMATIC, m.bodies[1], m.bodies[2]);
  add_random(m.world, IMP_JOINT_DISTANCE, m.bodies[2], m.bodies[3]);
  const ImpRowInfo *rows = NULL;
  MUST(imp_world_rows(m.world, &rows, &m.locks));
  CHECK(m.locks == 6);
  for (int r = 0; r < m.locks; ++r) {
    ImpBody held[2];
    double j[6];
    int count = 0;
    MUST(imp_row_jacobian(m.world, r, held, j, 2, &count));
    for (int k = 0; k < 3 * count; ++k) {
      for (int i = 0; i < BODIES; ++i) {
        if (m.bodies[i].id == held[k / 3].id) m.j[r][3 * i + k % 3] = j[k];
      }
    }
  }
  for (int i = 0; i < BODIES; ++i) {
    m.inverse[3 * i] = m.inverse[3 * i + 1] = 1 / body_get(m.world, m.bodies[i], IMP_BODY_MASS);
    m.inverse[3 * i + 2] = 1 / body_get(m.world, m.bodies[i], IMP_BODY_INERTIA);
  }
  return m;
}


// Solve A x = b by elimination with pivoting, which overwrites A and b.
static void eliminate(double (*a)[MOST_LOCKS], double *b, int n, double *out_x) {
  for (int c = 0; c < n; ++c) {
    int best = c;
    for (int r = c + 1; r < n; ++r) {
      best = fabs(a[r][c]) > fabs(a[best][c]) ? r : best;
    }
    for (int k = 0; k < n; ++k) {
      double other = a[c][k];
      a[c][k] = a[best][k];
      a[best][k] = other;
    }
    double other = b[c];
    b[c] = b[best];
    b[best] = other;
    for (int r = c + 1; r < n; ++r) {
      double part = a[r][c] / a[c][c];
      for (int k = c; k < n; ++k) {
        a[r][k] -= part * a[c][k];
      }
      b[r] -= part * b[c];
    }
  }
  for (int r = n - 1; r >= 0; --r) {
    out_x[r] = b[r];
    for (int k = r + 1; k < n; ++k) {
      out_x[r] -= a[r][k] * out_x[k];
    }
    out_x[r] /= a[r][r];
  }
}


// P F = F - J^T (J M^-1 J^T)^-1 J M^-1 F
static void project(const Mechanism *m, const double *force, double *out_force) {
  double a[MOST_LOCKS][MOST_LOCKS] = {{0}}, b[MOST_LOCKS] = {0}, x[MOST_LOCKS];
  for (int r = 0; r < m->locks; ++r) {
    for (int k = 0; k < WIDTH; ++k) {
      b[r] += m->j[r][k] * m->inverse[k] * force[k];
      for (int c = 0; c < m->locks; ++c) {
        a[r][c] += m->j[r][k] * m->inverse[k] * m->j[c][k];
      }
    }
  }
  eliminate(a, b, m->locks, x);
  for (int k = 0; k < WIDTH; ++k) {
    out_force[k] = force[k];
    for (int r = 0; r < m->locks; ++r) {
      out_force[k] -= m->j[r][k] * x[r];
    }
  }
}


// A projected force accelerates no locked coordinate.
static void projected_forces_move_along_the_joints(void) {
  double worst = 0, worst_motion = 0, h = 1.0 / 60;
  for (int trial = 0; trial < 100; ++trial) {
    Mechanism m = make_mechanism();
    double force[WIDTH], along[WIDTH];
    for (int k = 0; k < WIDTH; ++k) {
      force[k] = random_in(-10, 10);
    }
    project(&m, force, along);
    for (int r = 0; r < m.locks; ++r) {
      double acceleration = 0, size = 0;
      for (int k = 0; k < WIDTH; ++k) {
        acceleration += m.j[r][k] * m.inverse[k] * along[k];
        size += fabs(m.j[r][k] * m.inverse[k] * force[k]);
      }
      worst = fmax(worst, fabs(acceleration) / (1 + size));
    }
    for (int i = 0; i < BODIES; ++i) {
      MUST(imp_body_apply_force(m.world, m.bodies[i], vec(force[3 * i], force[3 * i + 1])));
      MUST(imp_body_apply_torque(m.world, m.bodies[i], force[3 * i + 2]));
    }
    set_world(m.world, IMP_WORLD_ITERATIONS, 10000); // each sweep removes a few percent of the error
    run(m.world, 1);
    for (int k = 0; k < WIDTH; ++k) {
      const ImpiMotion *motion = motion_of(m.world, m.bodies[k / 3]);
      double v = k % 3 == 0 ? motion->vx : k % 3 == 1 ? motion->vy : motion->w;
      worst_motion = fmax(worst_motion, fabs(v - h * m.inverse[k] * along[k]));
    }
    imp_world_destroy(m.world);
  }
  check_worst(worst, 1e-12, "worst J M^-1 P F, relative, expected 1e-12");
  // The tolerance is the error of the sweeps at 3 m/s.
  check_worst(worst_motion, 1e-9, "worst v - h M^-1 P F of si, expected 1e-9");
}


// ---------------------------------------------------------------------------------------------------------------------
// Three and more bodies
// ---------------------------------------------------------------------------------------------------------------------


static void add_pin(ImpWorld *world, ImpBody a, ImpBody b, ImpCoordinate *out_angle) {
  ImpJointDef def = imp_joint_def(IMP_JOINT_REVOLUTE, a, b);
  *out_angle = (ImpCoordinate){add_joint(world, &def), 2};
}


// Two geared wheels on a carrier that turns freely. The gear's row acts on three bodies.
static void a_gear_with_carrier_acts_on_three_bodies(void) {
  for (int solver = 0; solver < MAIN_SOLVERS; ++solver) {
    ImpWorld *world = make_world((ImpSolverKind)solver, 1.0 / 60, 0);
    ImpBody carrier = add_mass(world, IMP_BODY_DYNAMIC, vec(0, 0), 0, vec(0, 0), 2, 3);
    ImpBody one = add_mass(world, IMP_BODY_DYNAMIC, vec(-1, 0), 0, vec(0, 0), 1, 0.5);
    ImpBody two = add_mass(world, IMP_BODY_DYNAMIC, vec(1, 0), 0, vec(0, 0), 1, 2);
    ImpCoordinate q[2];
    add_pin(world, carrier, one, &q[0]);
    add_pin(world, carrier, two, &q[1]);
    ImpJointDef def = imp_joint_def(IMP_JOINT_GEAR, (ImpBody){0}, (ImpBody){0});
    def.ratio = 2;
    def.term[0] = q[0];
    def.term[1] = q[1];
    ImpJoint gear = add_joint(world, &def);
    for (int i = 0; i < 60; ++i) {
      MUST(imp_body_apply_torque(world, one, 4));
      MUST(imp_body_apply_torque(world, carrier, -4)); // the reaction on the carrier
      run(world, 1);
    }
    ImpBody held[3];
    double j[9];
    int count = 0, first = 0, rows = 0;
    MUST(imp_joint_rows(world, gear, &first, &rows));
    MUST(imp_row_jacobian(world, first, held, j, 3, &count));
    CHECK(count == 3 && rows == 1);
    CHECK_NEAR(j[2] + j[5] + j[8], 0, 1e-15);
    // The wheels turn by x and -x / 2 relative to the carrier, which turns at w. The angular momentum is 0:
    // I w + 1/2 (w + x') + 2 (w - x'/2) = 0. I = 3 + 1 + 1 includes the wheels, 1 kg each at 1 m. `own`: inertia of the
    // coordinate x, so own * x'' is the couple of 4 N m.
    double inertia = 5, whole = inertia + 0.5 + 2;
    double momentum = 0.5 - 2 * 0.5; // angular momentum at x' = 1, w = 0
    double own = 0.5 + 2 * 0.25 - momentum * momentum / whole;
    double expected = 4 / own, x = info_of(world, q[0]).speed, carrier_spin = -momentum / whole * x;
    bool soft = solver == IMP_SOLVER_SOFT;
    if (show_measured) printf(" %s\n", imp_solver_name(solver));
    check_worst(x / expected - 1, 1e-4,
                // 1e-4 is the error of the gear.
                "gear on a carrier: relative error of the speed after 1 s");
    check_worst(spin(world, carrier) - carrier_spin, 1e-3,
                "gear on a carrier: error of the carrier's angular velocity [rad/s]");
    check_worst(x + 2 * info_of(world, q[1]).speed, soft ? 1e-4 : 1e-3, "gear on a carrier: q1' + 2 q2' [rad/s]");
    ImpMomentum p = imp_world_momentum(world);
    // The soft solver computes in floats.
    check_worst(hypot(p.x, p.y), soft ? 1e-4 : 1e-12, "gear on a carrier: change of momentum [N s]");
    check_worst(p.angular, soft ? 1e-4 : 1e-10, "gear on a carrier: change of angular momentum [N m s]");
    imp_world_destroy(world);
  }
}


// Pin the common centre of mass of five bodies to a point, by a tape with the results x and y.
static ImpJoint pin_center(ImpWorld *world, const ImpBody *bodies, const double *masses, ImpVec2 at) {
  ImpNode nodes[42]; // x and y: a constant, and four nodes for each of the five bodies
  int32_t results[2];
  int count = 0;
  double whole = 0;
  for (int i = 0; i < 5; ++i) {
    whole += masses[i];
  }
  for (int axis = 0; axis < 2; ++axis) {
    nodes[count++] = (ImpNode){.op = IMP_OP_CONSTANT, .value = axis == 0 ? -at.x : -at.y};
    for (int i = 0; i < 5; ++i, count += 4) {
      ImpNode *node = &nodes[count];
      node[0] = (ImpNode){.op = axis == 0 ? IMP_OP_CENTER_X : IMP_OP_CENTER_Y, .a = i};
      node[1] = (ImpNode){.op = IMP_OP_CONSTANT, .value = masses[i] / whole};
      node[2] = (ImpNode){.op = IMP_OP_MUL, .a = count, .b = count + 1};
      node[3] = (ImpNode){.op = IMP_OP_ADD, .a = count - 1, .b = count + 2};
    }
    results[axis] = count - 1;
  }
  ImpConstraintDef def = imp_constraint_def();
  def.bodies = bodies;
  def.body_count = 5;
  def.tape = (ImpTapeDef){nodes, count, results, 2, false};
  ImpJoint joint = {0};
  MUST(imp_constraint_create(world, &def, &joint));
  return joint;
}


// Five bodies swing on springs under gravity. Their pinned common centre stays in place for 10 s.
static void five_bodies_keep_their_common_centre(void) {
  for (int solver = 0; solver < MAIN_SOLVERS; ++solver) {
    ImpWorld *world = make_world((ImpSolverKind)solver, 1.0 / 60, 9.81);
    set_world(world, IMP_WORLD_SLEEP, 0);
    ImpBody bodies[5];
    double masses[5], whole = 0, worst = 0;
    ImpVec2 center = {0, 0};
    for (int i = 0; i < 5; ++i) {
      masses[i] = 1 + 0.5 * i;
      ImpVec2 at = vec(cos(2 * pi * i / 5), sin(2 * pi * i / 5));
      bodies[i] = add_mass(world, IMP_BODY_DYNAMIC, at, 0, vec(0, 0), masses[i], 0.2);
      center = impi_mul_add(center, masses[i], at);
      whole += masses[i];
    }
    center = impi_scale(1 / whole, center);
    for (int i = 0; i < 5; ++i) {
      ImpJointDef def = imp_joint_def(IMP_JOINT_DISTANCE, bodies[i], bodies[(i + 1) % 5]);
      def.drive[0].on = 1u << IMP_DRIVE_SPRING;
      def.drive[0].stiffness = 100;
      def.drive[0].rest = 1;
      add_joint(world, &def);
      double push = 1 + 0.2 * i; // the pushes act along the ring and add up to 0
      MUST(imp_body_apply_impulse(world, bodies[i], vec(push, -push)));
      MUST(imp_body_apply_impulse(world, bodies[(i + 2) % 5], vec(-push, push)));
    }
    ImpJoint pin = pin_center(world, bodies, masses, center);
    for (int step = 0; step < 600; ++step) {
      run(world, 1);
      ImpVec2 now = {0, 0};
      for (int i = 0; i < 5; ++i) {
        ImpVec2 c;
        MUST(imp_body_center(world, bodies[i], &c));
        now = impi_mul_add(now, masses[i] / whole, c);
      }
      worst = fmax(worst, hypot(now.x - center.x, now.y - center.y));
    }
    if (show_measured) printf(" %s\n", imp_solver_name(solver));
    check_worst(worst, 1e-4, "centre of mass of five bodies: drift in 10 s [m], expected 1e-4");
    check_worst(info_of(world, (ImpCoordinate){pin, 1}).force / (whole * 9.81) - 1, 1e-4, "its force / weight - 1");
    imp_world_destroy(world);
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Opposing drives
// ---------------------------------------------------------------------------------------------------------------------


// A motor or servo of unlimited force pushes against a limit. The limit's torque stays below 1 N m.
static void a_limit_holds_against_every_drive(void) {
  for (int i = 0; i < 2 * MAIN_SOLVERS; ++i) {
    bool servo = i / 2;
    ImpWorld *world = make_world((ImpSolverKind)(i % 2), 1.0 / 60, 0);
    ImpBody ground, arm = add_mass(world, IMP_BODY_DYNAMIC, vec(0, 0), 0, vec(0, 0), 2, 1);
    MUST(imp_world_ground(world, &ground));
    ImpJointDef def = imp_joint_def(IMP_JOINT_REVOLUTE, ground, arm);
    ImpDrive *drive = &def.drive[2];
    drive->on = 1u << IMP_DRIVE_LIMIT | 1u << (servo ? IMP_DRIVE_SERVO : IMP_DRIVE_MOTOR);
    drive->lower = -1;
    drive->upper = 1;
    drive->speed = drive->target = 2;
    ImpCoordinate angle = {add_joint(world, &def), 2};
    double most = 0, force = 0;
    for (int step = 0; step < 600; ++step) {
      run(world, 1);
      most = fmax(most, info_of(world, angle).value);
      int count = 0;
      const ImpRowInfo *rows;
      MUST(imp_world_rows(world, &rows, &count));
      for (int k = 0; k < count; ++k) {
        force = fmax(force, rows[k].kind == IMP_ROW_UPPER_LIMIT ? -rows[k].force : 0);
      }
    }
    if (show_measured) printf(" %s, %s\n", imp_solver_name(i % 2), servo ? "servo" : "motor");
    check_worst(fmax(most - 1, 0), 1e-6, "angle beyond the limit [rad]"); // rounding of float
    CHECK(force < 1);
    measured("largest force of the limit [N m]", force);
    imp_world_destroy(world);
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Energy
// ---------------------------------------------------------------------------------------------------------------------


// A rotating body without shapes is not at rest.
static void a_wheel_without_shapes_keeps_turning(void) {
  for (int pinned = 0; pinned < 2; ++pinned) {
    ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 0);
    ImpBody ground, disc = add_mass(world, IMP_BODY_DYNAMIC, vec(0, 0), 0, vec(0, 0), 2, 1);
    ImpCoordinate angle;
    MUST(imp_world_ground(world, &ground));
    if (pinned) add_pin(world, ground, disc, &angle);
    set_velocity(world, disc, 0, 0, 10);
    run(world, 120);
    check_worst(spin(world, disc) - 10, 1e-5,
                "a wheel without shapes, free or pinned: speed gained in 2 s [rad/s]"); // float
    imp_world_destroy(world);
  }
}


// Under soft, a row turns by w h in a substep, so the work of a rod has an error of first order in w h.
static void soft_books_energy_within_the_rotation_of_a_substep(void) {
  for (int substeps = 1; substeps <= 16; substeps *= 4) {
    ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 0);
    set_world(world, IMP_WORLD_SUBSTEPS, substeps);
    ImpBody ground, bob = add_mass(world, IMP_BODY_DYNAMIC, vec(1, 0), 0, vec(0, 0), 1, 1);
    MUST(imp_world_ground(world, &ground));
    ImpJointDef def = imp_joint_def(IMP_JOINT_DISTANCE, ground, bob);
    add_joint(world, &def);
    set_velocity(world, bob, 1, 1, 0);
    run(world, 30);
    ImpEnergy e = imp_world_energy(world);
    double turn = 1.0 / 60 / substeps;
    check_worst(e.kinetic / 0.5 - 1, 1e-3, "oblique throw on a rod: remaining energy / expected - 1");
    check_worst((e.joint_work + 1 - e.kinetic) / 0.5, 3 * turn, "(energy lost + joint_work) / remaining energy");
    imp_world_destroy(world);
  }
}


// The energy that a braked disc loses equals the work of the friction row.
static void a_brake_books_the_energy_that_it_takes(void) {
  for (int solver = 0; solver < MAIN_SOLVERS; ++solver) {
    ImpWorld *world = make_world((ImpSolverKind)solver, 1.0 / 60, 0); // without gravity only friction does work
    set_world(world, IMP_WORLD_SLEEP, 0);
    ImpBody ground, disc = add_mass(world, IMP_BODY_DYNAMIC, vec(0, 0), 0, vec(0, 0), 2, 1);
    MUST(imp_world_ground(world, &ground));
    ImpCoordinate angle;
    add_pin(world, ground, disc, &angle);
    ImpJointDef def = imp_joint_def(IMP_JOINT_FRICTION, ground, disc);
    def.max_force = 0;
    def.max_torque = 4;
    ImpCoordinate brake = {add_joint(world, &def), 2};
    set_velocity(world, disc, 0, 0, 10);
    double start = imp_world_energy(world).kinetic, stopped = 0, worst = 0;
    for (int i = 0; i < 240; ++i) {
      run(world, 1);
      double lost = start - imp_world_energy(world).kinetic;
      worst = fmax(worst, fabs(lost + info_of(world, brake).work) / start);
      if (spin(world, disc) > 1e-3) stopped = (i + 1) / 60.0;
    }
    if (show_measured) printf(" %s\n", imp_solver_name(solver));
    check_worst(worst, 0.01, "worst |energy lost - work of the brake| / energy, expected 0.01");
    check_worst(imp_world_energy(world).joint_work + start, 0.01 * start, "joint_work + energy at the start [J]");
    check_worst(stopped - 2.5, 1.0 / 60, "time to stop - I w / torque [s], expected below a step");
    CHECK_NEAR(spin(world, disc), 0, 1e-6); // at rest, apart from rounding
    imp_world_destroy(world);
  }
}


int main(int argc, char **argv) {
  read_arguments(argc, argv);
  RUN(projected_forces_move_along_the_joints);
  RUN(a_gear_with_carrier_acts_on_three_bodies);
  RUN(five_bodies_keep_their_common_centre);
  RUN(a_limit_holds_against_every_drive);
  RUN(a_wheel_without_shapes_keeps_turning);
  RUN(soft_books_energy_within_the_rotation_of_a_substep);
  RUN(a_brake_books_the_energy_that_it_takes);
  return check_report("joint systems");
}
