// Rows of joints: identities of every row of every joint kind, the rows that the world lists, the Jacobian of all rows.
#include "random_joints.h"
#include "world/joints.h"

enum { BODIES = 6, WIDTH = 3 * BODIES, MOST_ROWS = 256, TRIALS = 100 };

// Random bodies, connected by joints of every kind, a tape constraint over three bodies, and user rows over two bodies.
// The last body is the ground.
typedef struct Rig {
  ImpWorld *world;
  ImpBody bodies[BODIES];
  ImpJoint joints[IMP_JOINT_KIND_COUNT + 1];
  int joint_count;
} Rig;


// ---------------------------------------------------------------------------------------------------------------------
// Rigs
// ---------------------------------------------------------------------------------------------------------------------


// Return random drives of a free coordinate, with targets near `value`. Motors and servos have bounds, because
// unbounded drives may contradict each other.
static ImpDrive random_drive(double value) {
  ImpDrive drive = imp_drive();
  drive.on = (unsigned)roll(1 << IMP_DRIVE_COUNT) & ~(1u << IMP_DRIVE_LOCK);
  drive.lower = value - random_in(0, 1);
  drive.upper = value + random_in(0, 1);
  drive.speed = random_in(-2, 2);
  drive.motor_max = random_in(0, 5);
  drive.target = value + random_in(-0.2, 0.2);
  drive.target_speed = random_in(-1, 1);
  drive.servo_max = random_in(0, 5);
  bool by_hertz = one_in(2);
  *(by_hertz ? &drive.hertz : &drive.stiffness) = random_in(0.5, 20);
  *(by_hertz ? &drive.damping_ratio : &drive.damping) = random_in(0, 2);
  drive.rest = value + random_in(-0.5, 0.5);
  drive.spring_max = one_in(2) ? HUGE_VAL : random_in(0, 5);
  drive.force = random_in(-5, 5);
  drive.armature = drive.motor_max > 3 ? 0.05 * drive.motor_max : 0;
  drive.viscous_damping = drive.servo_max > 3 ? drive.servo_max : 0;
  drive.dry_friction = drive.force > 1 ? drive.force : 0;
  return drive;
}


static void drive_at_random(ImpWorld *world, ImpJoint joint) {
  int count = 0;
  MUST(imp_joint_coordinate_count(world, joint, &count));
  for (int i = 0; i < count; ++i) {
    ImpCoordinate coordinate = {joint, i};
    ImpDrive old, drive = random_drive(info_of(world, coordinate).value);
    MUST(imp_coordinate_drive(world, coordinate, &old));
    bool locked = old.on >> IMP_DRIVE_LOCK & 1u;
    if (!locked && drive.on != 0) MUST(imp_coordinate_set_drive(world, coordinate, &drive));
  }
}


// Add the constraint x_0 + y_1 - 2 sin(angle_2) = 0 of three bodies.
static ImpJoint add_tape(ImpWorld *world, const ImpBody *bodies) {
  static const ImpNode nodes[] = {{.op = IMP_OP_X, .a = 0},           {.op = IMP_OP_Y, .a = 1},
                                  {.op = IMP_OP_SIN, .a = 2},         {.op = IMP_OP_CONSTANT, .value = -2},
                                  {.op = IMP_OP_MUL, .a = 2, .b = 3}, {.op = IMP_OP_ADD, .a = 0, .b = 1},
                                  {.op = IMP_OP_ADD, .a = 5, .b = 4}};
  static const int32_t result = 6;
  ImpConstraintDef def = imp_constraint_def();
  def.bodies = bodies;
  def.body_count = 3;
  def.tape = (ImpTapeDef){nodes, IMPI_COUNT(nodes), &result, 1, false};
  ImpJoint joint = {0};
  MUST(imp_constraint_create(world, &def, &joint));
  return joint;
}


static ImpJoint add_user_rows(ImpWorld *world, const ImpBody *bodies) {
  ImpConstraintDef def = imp_constraint_def();
  def.bodies = bodies;
  def.body_count = 2;
  def.max_rows = 2;
  ImpJoint joint = {0};
  double j[2][6];
  for (int i = 0; i < 12; ++i) {
    j[i / 6][i % 6] = random_in(-1, 1);
  }
  ImpUserRow rows[] = {{j[0], 0.3, 0.1, true, -HUGE_VAL, HUGE_VAL}, {j[1], -0.2, 0, false, 0, 4}};
  MUST(imp_constraint_create(world, &def, &joint));
  MUST(imp_constraint_set_rows(world, joint, rows, 2));
  return joint;
}


static ImpJoint add_kind(Rig *rig, int kind) {
  int b = roll(BODIES - 1), a = (b + 1 + roll(BODIES - 2)) % (BODIES - 1);
  if (options_of(kind) & IMP_TAKES_TERMS) {
    ImpCoordinate one = at_random(rig->world, rig->joints[0]), two = at_random(rig->world, rig->joints[1]);
    ImpJointDef gear = random_gear(kind, one, two);
    return add_joint(rig->world, &gear);
  }
  ImpJointDef def = random_def(kind, one_in(5) ? rig->bodies[BODIES - 1] : rig->bodies[a], rig->bodies[b]);
  def.reference_angle = def.length = (double)NAN;
  ImpJoint joint = add_joint(rig->world, &def);
  drive_at_random(rig->world, joint);
  return joint;
}


// Create a rig whose locks are satisfied. It has joints of every kind if `all`, otherwise of about half of the kinds.
static Rig make_rig(ImpSolverKind solver, bool all) {
  Rig rig = {.world = make_world(solver, 1.0 / 60, 9.81)};
  for (int i = 0; i < BODIES - 1; ++i) {
    rig.bodies[i] = random_body(rig.world);
  }
  if (one_in(4)) MUST(imp_body_set(rig.world, rig.bodies[0], IMP_BODY_FIXED_ROTATION, 1));
  MUST(imp_world_ground(rig.world, &rig.bodies[BODIES - 1]));
  for (int kind = 0; kind < IMP_JOINT_CONSTRAINT; ++kind) {
    if (all || kind < 2 || one_in(2))
      rig.joints[rig.joint_count++] = add_kind(&rig, kind); // gears couple joints 0 and 1
  }
  rig.joints[rig.joint_count++] = add_tape(rig.world, rig.bodies);
  rig.joints[rig.joint_count++] = add_user_rows(rig.world, rig.bodies + 2);
  return rig;
}


static double inverse_mass(const Rig *rig, int i) {
  const ImpiBody *body = &rig->world->bodies.data[slot_of(rig->world, rig->bodies[i / 3])];
  return i % 3 == 2 ? body->inv_inertia : body->inv_mass;
}


static void scatter_all(Rig *rig) {
  for (int i = 0; i < BODIES - 1; ++i) {
    scatter(rig->world, rig->bodies[i]);
    ImpiMotion *m = motion_of(rig->world, rig->bodies[i]);
    // A body with fixed rotation has infinite inertia. If its w were not 0, its joints would do work, as on a moving
    // wall.
    m->w = inverse_mass(rig, 3 * i + 2) > 0 ? m->w : 0;
  }
}


// Return the index of a body in the rig.
static int place_of(const Rig *rig, int32_t slot) {
  int i = 0;
  while (i < BODIES && slot_of(rig->world, rig->bodies[i]) != slot) {
    i++;
  }
  CHECK(i < BODIES);
  return i < BODIES ? i : 0;
}


static double *velocity_of(ImpiMotion *m, int k) { return k % 3 == 0 ? &m->vx : k % 3 == 1 ? &m->vy : &m->w; }


static double velocity_at(Rig *rig, int i) { return *velocity_of(motion_of(rig->world, rig->bodies[i / 3]), i); }


static double kinetic(Rig *rig) {
  double sum = 0;
  for (int i = 0; i < WIDTH; ++i) {
    double v = velocity_at(rig, i), m = inverse_mass(rig, i);
    sum += m > 0 ? 0.5 * v * v / m : 0;
  }
  return sum;
}


// ---------------------------------------------------------------------------------------------------------------------
// One row of any kind
// ---------------------------------------------------------------------------------------------------------------------

typedef struct Identities {
  double exact, linear, duality, energy, work, force, moment;
  int rows, kinds[IMP_ROW_KIND_COUNT];
} Identities;


static void spread(const Rig *rig, const ImpiRow *row, double *out_j) {
  memset(out_j, 0, WIDTH * sizeof *out_j);
  for (int i = 0; i < 2 + row->more_count; ++i) {
    int32_t body = i == 0 ? row->body_a : i == 1 ? row->body_b : row->more[i - 2].body;
    const double *part = i < 2 ? row->j + 3 * i : row->more[i - 2].j;
    for (int k = 0; k < 3; ++k) {
      out_j[3 * place_of(rig, body) + k] += part[k];
    }
  }
}


// Check that one solve of the row gives J v + b = 0, and that the reported work is the change of energy. Check the work
// also with the row's softness and bounds.
static void check_solve(Rig *rig, const ImpiRow *row, Identities *worst) {
  for (int soft = 0; soft < 2; ++soft) {
    scatter_all(rig);
    ImpiRow trial = *row;
    if (!soft) {
      trial.scale = 1;
      trial.keep = trial.push = trial.lambda = 0;
      trial.lower = -HUGE_VAL;
      trial.upper = HUGE_VAL;
    }
    double before = kinetic(rig), speed = impi_row_speed(&trial, rig->world->motions.data);
    trial.before = speed;
    impi_row_apply(&trial, rig->world->bodies.data, rig->world->motions.data, trial.lambda);
    impi_row_solve(&trial, 0, rig->world->bodies.data, rig->world->motions.data, true);
    double after = impi_row_speed(&trial, rig->world->motions.data), change = kinetic(rig) - before;
    double work = impi_row_work(&trial, rig->world->motions.data);
    worst->work = fmax(worst->work, fabs(change - work) / (1 + before + fabs(change)));
    if (!soft) {
      worst->exact = trial.mass > 0 ? fmax(worst->exact, fabs(after + trial.bias)) : worst->exact;
      double expected = 0.5 * trial.mass * (trial.bias * trial.bias - speed * speed); // from J v to -b
      worst->energy = fmax(worst->energy, fabs(change - expected) / (1 + before + fabs(change)));
    }
  }
}


// Check that J v is linear in v, and that J v and the impulses J^T lambda use the same J.
static void check_matrix(Rig *rig, const ImpiRow *row, Identities *worst) {
  double j[WIDTH], v[2][WIDTH], speeds[2], lambda = random_in(-3, 3), power = 0, skipped = 0;
  spread(rig, row, j);
  for (int i = 0; i < 2; ++i) {
    scatter_all(rig);
    speeds[i] = impi_row_speed(row, rig->world->motions.data);
    for (int k = 0; k < WIDTH; ++k) {
      v[i][k] = velocity_at(rig, k);
    }
  }
  double a = random_in(-2, 2), b = random_in(-2, 2);
  for (int k = 0; k < WIDTH - 3; ++k) {
    *velocity_of(motion_of(rig->world, rig->bodies[k / 3]), k) = a * v[0][k] + b * v[1][k];
  }
  double sum = impi_row_speed(row, rig->world->motions.data);
  worst->linear = fmax(worst->linear, fabs(sum - a * speeds[0] - b * speeds[1]));
  for (int k = 0; k < WIDTH; ++k) {
    *velocity_of(motion_of(rig->world, rig->bodies[k / 3]), k) = 0;
  }
  impi_row_apply(row, rig->world->bodies.data, rig->world->motions.data, lambda);
  // An impulse does not change the velocity of a body with infinite mass, so the power of the impulse is computed from
  // J.
  for (int k = 0; k < WIDTH; ++k) {
    double m = inverse_mass(rig, k);
    power += m > 0 ? velocity_at(rig, k) / m * v[0][k] : 0;
    skipped += m > 0 ? 0 : lambda * j[k] * v[0][k];
  }
  worst->duality = fmax(worst->duality, fabs(lambda * speeds[0] - power - skipped));
}


// Check that the forces and moments of a row cancel. `at`: the poses for which the row was computed.
static void check_wrenches(const Rig *rig, const ImpiRow *row, const ImpiMotion *at, Identities *worst) {
  double j[WIDTH], fx = 0, fy = 0, moment = 0;
  ImpVec2 about = random_vec(-3, 3);
  spread(rig, row, j);
  for (int i = 0; i < BODIES; ++i) {
    fx += j[3 * i];
    fy += j[3 * i + 1];
    moment += j[3 * i + 2] + (at[i].x - about.x) * j[3 * i + 1] - (at[i].y - about.y) * j[3 * i];
  }
  worst->force = fmax(worst->force, hypot(fx, fy));
  worst->moment = fmax(worst->moment, fabs(moment));
}


// Return whether a joint exerts forces only between its bodies. A pulley also pulls on world points. User constraints
// may exert any forces.
static bool is_internal(const Rig *rig, int joint) {
  ImpJointKind kind = IMP_JOINT_CONSTRAINT;
  MUST(imp_joint_kind_of(rig->world, rig->joints[joint], &kind));
  return kind != IMP_JOINT_PULLEY && kind != IMP_JOINT_CONSTRAINT;
}


static void every_row_is_solved_exactly_and_conserves_momentum(void) {
  Identities worst = {0};
  for (int trial = 0; trial < TRIALS; ++trial) {
    Rig rig = make_rig(IMP_SOLVER_SI, true);
    ImpWorld *world = rig.world;
    for (int i = 0; i < rig.joint_count; ++i) {
      int32_t slot = joint_slot(world, rig.joints[i]);
      ImpiRow rows[3 * (1 + IMPI_DRIVE_ROWS)];
      ImpiRowTerm terms[3 * BODIES];
      ImpiMotion at[BODIES];
      ImpiSamples samples;
      scatter_all(&rig);
      for (int k = 0; k < BODIES; ++k) {
        at[k] = *motion_of(world, rig.bodies[k]);
      }
      CHECK(impi_world_sample(world, slot, &samples));
      int count = impi_joint_rows(world->joints.data, world->drives.data, slot, &samples, world->bodies.data, 1.0 / 60,
                                  rows, terms);
      CHECK(count <= impi_joint_row_room(&world->joints.data[slot]) && count <= IMPI_COUNT(rows));
      for (int k = 0; k < count; ++k) {
        check_solve(&rig, &rows[k], &worst);
        check_matrix(&rig, &rows[k], &worst);
        if (is_internal(&rig, i)) check_wrenches(&rig, &rows[k], at, &worst);
        worst.kinds[rows[k].kind]++;
        worst.rows++;
      }
    }
    imp_world_destroy(world);
  }
  for (int kind = IMP_ROW_LOCK; kind < IMP_ROW_KIND_COUNT; ++kind) {
    CHECK(worst.kinds[kind] >= TRIALS);
  }
  measured("rows of joints", worst.rows);
  check_worst(worst.exact, 1e-10, "worst |J v + b| after one exact solve, expected 1e-10");
  check_worst(worst.linear, 1e-12, "worst J (a v1 + b v2) - a J v1 - b J v2, expected 1e-12");
  check_worst(worst.duality, 1e-12, "worst lambda (J v) - (J^T lambda) . v, expected 1e-12");
  check_worst(worst.energy, 1e-12, "worst dKE - m_C (b^2 - (J v)^2) / 2, relative, expected 1e-12");
  check_worst(worst.work, 1e-12, "worst dKE - work of the row, relative, expected 1e-12");
  check_worst(worst.force, 1e-9, "worst sum of forces of a row, expected 1e-9");
  check_worst(worst.moment, 1e-9, "worst sum of moments of a row, expected 1e-9");
}


// ---------------------------------------------------------------------------------------------------------------------
// Rows as the world lists them
// ---------------------------------------------------------------------------------------------------------------------

typedef struct Listed {
  double speed, force, mass, bounds, coordinate, work, newton;
  int rows, contacts;
} Listed;


static const ImpRowInfo *list_rows(ImpWorld *world, int *out_count) {
  const ImpRowInfo *rows = NULL;
  *out_count = 0;
  MUST(imp_world_rows(world, &rows, out_count));
  return rows;
}


static void check_row(ImpWorld *world, int index, const ImpRowInfo *row, Listed *worst) {
  ImpBody bodies[BODIES];
  double j[WIDTH], speed = 0, k = 0, dt = 0;
  int count = 0;
  MUST(imp_row_jacobian(world, index, bodies, j, BODIES, &count));
  MUST(imp_world_get(world, IMP_WORLD_DT, &dt));
  for (int i = 0; i < count; ++i) {
    ImpVec2 v = velocity(world, bodies[i]);
    double m = body_get(world, bodies[i], IMP_BODY_MASS), inertia = body_get(world, bodies[i], IMP_BODY_INERTIA);
    bool turns = inertia > 0 && body_get(world, bodies[i], IMP_BODY_FIXED_ROTATION) == 0;
    const double *part = j + 3 * i;
    speed += part[0] * v.x + part[1] * v.y + part[2] * spin(world, bodies[i]);
    k += m > 0 ? (part[0] * part[0] + part[1] * part[1]) / m : 0;
    k += turns ? part[2] * part[2] / inertia : 0;
  }
  worst->speed = fmax(worst->speed, fabs(row->speed - speed) / (1 + fabs(speed)));
  worst->force = fmax(worst->force, fabs(row->force - row->impulse / dt) / (1 + fabs(row->force)));
  worst->mass = fmax(worst->mass, k > 0 ? fabs(row->mass * k - 1) : row->mass);
  CHECK(row->lower <= row->upper && impi_is_finite(row->value) && impi_is_finite(row->bias));
  CHECK((row->joint.id != 0) != (row->contact.id != 0));
  CHECK(imp_row_kind_name((int)row->kind) != NULL);
  worst->rows++;
  worst->contacts += row->contact.id != 0;
}


// The forces and powers of a coordinate's rows add up to the force and power of the coordinate.
static void check_coordinates(const Rig *rig, const ImpRowInfo *rows, Listed *worst) {
  for (int i = 0; i < rig->joint_count; ++i) {
    int first = 0, count = 0, coordinates = 0;
    MUST(imp_joint_rows(rig->world, rig->joints[i], &first, &count));
    MUST(imp_joint_coordinate_count(rig->world, rig->joints[i], &coordinates));
    for (int c = 0; c < coordinates; ++c) {
      ImpCoordinateInfo info = info_of(rig->world, (ImpCoordinate){rig->joints[i], c});
      double force = 0, power = 0, size = 1;
      for (int k = first; k < first + count; ++k) {
        force += rows[k].index == c ? rows[k].force : 0;
        power += rows[k].index == c ? rows[k].power : 0;
        size += fabs(rows[k].force) + fabs(rows[k].power);
      }
      worst->coordinate = fmax(worst->coordinate, fmax(fabs(info.force - force), fabs(info.power - power)) / size);
    }
  }
}


static void add_pile(ImpWorld *world) {
  ImpShapeDef def = material(1, 0.6, 0.3);
  def.rolling_resistance = 0.1;
  ImpBody base = add_body(world, IMP_BODY_STATIC, 20, -1, 0);
  add_box(world, base, def, 20, 2);
  ImpBody box = drop_box(world, def, 20, 0.5), disc = drop_disc(world, def, 20, 1.3, 0.3);
  drop_box(world, def, 20.4, 2.2);
  ImpJointDef pin = imp_joint_def(IMP_JOINT_REVOLUTE, box, drop_box(world, def, 21.2, 0.5));
  ImpJointDef rod = imp_joint_def(IMP_JOINT_DISTANCE, box, disc);
  add_joint(world, &pin);
  rod.collide = true;
  add_joint(world, &rod);
}


// Return the work of the rows of joints. `out_size`: sum of the absolute values [J].
static double work_of_joints(const ImpRowInfo *rows, int count, double dt, double *out_size) {
  double work = 0;
  *out_size = 0;
  for (int i = 0; i < count; ++i) {
    work += rows[i].joint.id != 0 ? rows[i].power * dt : 0;
    *out_size += fabs(rows[i].power * dt);
  }
  return work;
}


// Check speeds, forces and work of rows after some steps, under every solver.
static void listed_rows_are_consistent(void) {
  for (int solver = 0; solver < IMP_SOLVER_COUNT; ++solver) {
    Listed worst = {0};
    for (int trial = 0; trial < (solver < MAIN_SOLVERS ? 40 : 8); ++trial) {
      Rig rig = make_rig((ImpSolverKind)solver, false);
      add_pile(rig.world);
      int substeps = solver == IMP_SOLVER_SI ? 1 : 4;
      for (int step = 0; step < 20; ++step) {
        double before = imp_world_energy(rig.world).joint_work;
        run(rig.world, 1);
        int count;
        const ImpRowInfo *rows = list_rows(rig.world, &count);
        for (int i = 0; i < count; ++i) {
          check_row(rig.world, i, &rows[i], &worst);
          double past = fmax(rows[i].lower - rows[i].force, rows[i].force - rows[i].upper);
          // A row of mass 0 has no effect.
          bool kept = (substeps == 1 || rows[i].joint.id != 0) && rows[i].mass > 0;
          worst.bounds = kept ? fmax(worst.bounds, past / (1 + fabs(rows[i].force))) : worst.bounds;
        }
        check_coordinates(&rig, rows, &worst);
        double size, counted = work_of_joints(rows, count, 1.0 / 60, &size);
        double done = imp_world_energy(rig.world).joint_work - before;
        worst.work = fmax(worst.work, fabs(done - counted) / (1 + size + fabs(before)));
        CHECK(event_count(rig.world, IMP_EVENT_FAULT) == 0);
      }
      imp_world_destroy(rig.world);
    }
    if (show_measured) printf(" %s\n", imp_solver_name(solver));
    measured("rows listed", worst.rows);
    CHECK(worst.contacts > 1000);
    check_worst(worst.speed, 1e-12, "worst speed - J v, relative, expected 1e-12");
    check_worst(worst.force, 1e-12, "worst force - impulse / dt, relative, expected 1e-12");
    check_worst(worst.mass, 1e-12, "worst m_C J M^-1 J^T - 1, expected 1e-12");
    check_worst(worst.coordinate, 1e-12, "worst coordinate force or power - sum of its rows, relative, expected 1e-12");
    // Rounding of a sum over all steps.
    check_worst(worst.work, 1e-10, "worst joint_work - sum of powers dt, relative, expected 1e-10");
    // Solvers other than "si" store impulses as floats.
    check_worst(worst.bounds, solver == IMP_SOLVER_SI ? 1e-12 : 1e-6, "worst force beyond its bounds, relative");
  }
}


// Under solver "si" with one substep, the forces of all rows plus the applied forces equal m dv / dt of every body.
static void forces_are_the_change_of_momentum_by_time(void) {
  double worst = 0, dt = 1.0 / 60;
  for (int trial = 0; trial < 40; ++trial) {
    Rig rig = make_rig(IMP_SOLVER_SI, false);
    ImpWorld *world = rig.world;
    add_pile(world);
    for (int step = 0; step < 20; ++step) {
      static double force[64][3];
      ImpiMotion before[64];
      CHECK(world->bodies.count <= 64);
      memset(force, 0, sizeof force);
      memcpy(before, world->motions.data, (size_t)world->motions.count * sizeof *before);
      ImpVec2 push = random_vec(-9, 9);
      double torque = random_in(-5, 5);
      MUST(imp_body_apply_force(world, rig.bodies[1], push));
      MUST(imp_body_apply_torque(world, rig.bodies[1], torque));
      double *applied = force[slot_of(world, rig.bodies[1])];
      applied[0] = push.x;
      applied[1] = push.y;
      applied[2] = torque;
      run(world, 1);
      int count;
      const ImpRowInfo *rows = list_rows(world, &count);
      for (int i = 0; i < count; ++i) {
        ImpBody bodies[BODIES];
        double j[WIDTH];
        int held = 0;
        MUST(imp_row_jacobian(world, i, bodies, j, BODIES, &held));
        for (int k = 0; k < 3 * held; ++k) {
          force[slot_of(world, bodies[k / 3])][k % 3] += j[k] * rows[i].force;
        }
      }
      for (int32_t slot = 0; slot < world->bodies.count; ++slot) {
        const ImpiBody *body = &world->bodies.data[slot];
        const ImpiMotion *m = &world->motions.data[slot];
        if (body->inv_mass == 0) continue;
        double size = 1 + hypot(force[slot][0], force[slot][1]) + fabs(force[slot][2]);
        double fx = body->mass * (m->vx - before[slot].vx) / dt;
        double fy = body->mass * (m->vy - before[slot].vy) / dt + body->mass * 9.81;
        double turn = body->inv_inertia > 0 ? (m->w - before[slot].w) / dt / body->inv_inertia : force[slot][2];
        worst = fmax(worst, hypot(fx - force[slot][0], fy - force[slot][1]) / size);
        worst = fmax(worst, fabs(turn - force[slot][2]) / size);
      }
    }
    imp_world_destroy(world);
  }
  check_worst(worst, 1e-9, "worst F_applied + F_constraint - m dv / dt, relative, expected 1e-9");
}


// Under solver "si" without gravity, the work that the rows of joints and contacts report equals the change of energy.
static void rows_sum_to_the_change_of_energy(void) {
  double worst = 0;
  for (int trial = 0; trial < 40; ++trial) {
    Rig rig = make_rig(IMP_SOLVER_SI, false);
    set_world(rig.world, IMP_WORLD_SLEEP, 0);
    add_pile(rig.world);
    for (int step = 0; step < 40; ++step) {
      ImpEnergy before = imp_world_energy(rig.world);
      run(rig.world, 1);
      if (step == 20) MUST(imp_world_set_gravity(rig.world, vec(0, 0)));
      ImpEnergy after = imp_world_energy(rig.world);
      double done = after.joint_work + after.contact_work - before.joint_work - before.contact_work;
      double off = fabs(after.kinetic - before.kinetic - done);
      worst = step > 20 ? fmax(worst, off / (1 + after.kinetic + before.kinetic + fabs(done))) : worst;
    }
    imp_world_destroy(rig.world);
  }
  check_worst(worst, 1e-12, "worst dKE - work of all rows in a step of si, relative, expected 1e-12");
}


// ---------------------------------------------------------------------------------------------------------------------
// All rows as one matrix
// ---------------------------------------------------------------------------------------------------------------------


static bool measures_poses(const ImpRowInfo *row) {
  return row->kind == IMP_ROW_LOCK || row->kind == IMP_ROW_LOWER_LIMIT || row->kind == IMP_ROW_UPPER_LIMIT ||
         row->kind == IMP_ROW_SERVO || row->kind == IMP_ROW_SPRING;
}


// Compute the values of all rows after coordinate i of the bodies has changed by `by`.
static int values_at(Rig *rig, int i, double by, double *out_values) {
  ImpiMotion *m = motion_of(rig->world, rig->bodies[i / 3]), old = *m;
  pose(m, m->x + by * (i % 3 == 0), m->y + by * (i % 3 == 1), m->angle + by * (i % 3 == 2));
  rig->world->row.valid = false;
  int count;
  const ImpRowInfo *rows = list_rows(rig->world, &count);
  CHECK(count <= MOST_ROWS);
  for (int r = 0; r < count; ++r) {
    out_values[r] = rows[r].value;
  }
  *m = old;
  rig->world->row.valid = false;
  return count;
}


// The rows of the dense Jacobian are the gradients of the rows' values.
static void the_dense_jacobian_agrees_with_finite_differences(void) {
  const double step = 1e-5; // errors: step^2 f''' with f''' <= 1e3 1/m^2, and rounding, 1e-15 / step
  double worst = 0;
  int compared = 0;
  for (int trial = 0; trial < TRIALS; ++trial) {
    static double dense[MOST_ROWS][WIDTH], before[MOST_ROWS], after[MOST_ROWS];
    Rig rig = make_rig(IMP_SOLVER_SOFT, true);
    scatter_all(&rig);
    int count;
    const ImpRowInfo *rows = list_rows(rig.world, &count);
    memset(dense, 0, sizeof dense);
    CHECK(count <= MOST_ROWS);
    bool poses[MOST_ROWS];
    for (int r = 0; r < count; ++r) {
      ImpBody bodies[BODIES];
      double j[WIDTH];
      int held = 0;
      poses[r] = measures_poses(&rows[r]);
      MUST(imp_row_jacobian(rig.world, r, bodies, j, BODIES, &held));
      for (int k = 0; k < 3 * held; ++k) {
        dense[r][3 * place_of(&rig, slot_of(rig.world, bodies[k / 3])) + k % 3] += j[k];
      }
    }
    for (int i = 0; i < WIDTH; ++i) {
      CHECK(values_at(&rig, i, -step, before) == count && values_at(&rig, i, step, after) == count);
      for (int r = 0; r < count; ++r) {
        double slope = (after[r] - before[r]) / (2 * step);
        worst = poses[r] ? fmax(worst, fabs(dense[r][i] - slope) / fmax(1, fabs(slope))) : worst;
        compared += poses[r];
      }
    }
    imp_world_destroy(rig.world);
  }
  measured("derivatives compared", compared);
  check_worst(worst, 1e-6, "worst |J - difference|, expected 1e-6");
}


int main(int argc, char **argv) {
  read_arguments(argc, argv);
  RUN(every_row_is_solved_exactly_and_conserves_momentum);
  RUN(listed_rows_are_consistent);
  RUN(forces_are_the_change_of_momentum_by_time);
  RUN(rows_sum_to_the_change_of_energy);
  RUN(the_dense_jacobian_agrees_with_finite_differences);
  return check_report("joint rows");
}
