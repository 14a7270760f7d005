// Requirements on every solver, compared with closed forms.
#include "rig.h"

enum { SOFT = IMP_SOLVER_SOFT, REDUCED = IMP_SOLVER_REDUCED, RATTLE = IMP_SOLVER_RATTLE };

// Return the tolerance of a solver. The soft solver computes in floats.
static double of(int solver, double exact, double in_float) { return solver == SOFT ? in_float : exact; }

static int substeps_of(const ImpWorld *world) {
  double substeps = 0;
  MUST(imp_world_get(world, IMP_WORLD_SUBSTEPS, &substeps));
  return (int)substeps;
}


// ---------------------------------------------------------------------------------------------------------------------
// Free motion
// ---------------------------------------------------------------------------------------------------------------------


// After n substeps of h, symplectic Euler is at y = -g h^2 n (n + 1) / 2. Rattle and reduced follow y = -g t^2 / 2.
static void free_fall_follows_the_integration_scheme(void) {
  FOR_EVERY_SOLVER(s) {
    ImpWorld *world = make_rig(s, 60, 0, g);
    ImpBody body = add_mass(world, 0, 0, 2, 0.1);
    set_velocity(world, body, 3, 0, 5);
    int each = substeps_of(world);
    double h = 1.0 / (60 * each), worst = 0;
    for (int i = 1; i <= 120; ++i) {
      run(world, 1);
      double n = i * each, t = i / 60.0;
      double y = s == RATTLE || s == REDUCED ? -g * t * t / 2 : -g * h * h * n * (n + 1) / 2;
      worst = fmax(worst, fabs(position(world, body).y - y) + fabs(position(world, body).x - 3 * t));
      worst = fmax(worst, fabs(velocity(world, body).y + g * t) + fabs(body_get(world, body, IMP_BODY_ANGLE) - 5 * t));
    }
    EXPECT(worst, 0, 1e-11,
           "free fall: largest error of position, velocity, angle [m, m/s, rad], expected 1e-11"); // 480 roundings
    imp_world_destroy(world);
  }
}


// A bent chain turns without gravity; all forces are internal. Under xpbd and reduced the angular momentum changes by
// the order of h.
static void internal_joints_keep_the_momenta(void) {
  FOR_EVERY_SOLVER(s) {
    ImpWorld *world = make_rig(s, 240, 0, 0);
    ImpBody link[5];
    for (int i = 0; i < 5; ++i) {
      link[i] = add_mass(world, i, i % 2 * 0.5, 1 + i, 0.2);
      set_velocity(world, link[i], 0.3 * i, 1 - 0.5 * i, 0.4);
    }
    ImpJointDef motor = joint_at(IMP_JOINT_REVOLUTE, link[0], link[1], 0.5, 0.25);
    motor.drive[2] = motor_of(2, 3);
    add_joint(world, motor);
    add_joint(world, joint_at(IMP_JOINT_WELD, link[1], link[2], 1.5, 0.25));
    ImpJointDef spring = imp_joint_def(IMP_JOINT_DISTANCE, link[2], link[3]);
    spring.drive[0] = spring_of(50, 1);
    add_joint(world, spring);
    add_joint(world, imp_joint_def(IMP_JOINT_DISTANCE, link[3], link[4]));
    ImpMomentum start = imp_world_momentum(world);
    double linear = 0, angular = 0, size = hypot(start.x, start.y);
    for (int i = 0; i < 480; ++i) {
      run(world, 1);
      ImpMomentum now = imp_world_momentum(world);
      linear = fmax(linear, hypot(now.x - start.x, now.y - start.y) / size);
      angular = fmax(angular, fabs(now.angular / start.angular - 1));
    }
    EXPECT(linear, 0, of(s, 1e-9, 1e-5), "largest relative change of momentum, expected 1e-9 (soft: 1e-5)");
    bool kept = s == SOFT || s == IMP_SOLVER_SI || s == RATTLE;
    EXPECT(angular, 0, kept ? of(s, 1e-9, 1e-5) : 5e-3,
           "largest relative change of angular momentum, expected 5e-3 (si, rattle: 1e-9; soft: 1e-5)");
    imp_world_destroy(world);
  }
}


static void bodies_with_fixed_rotation_do_not_rotate(void) {
  FOR_EVERY_SOLVER(s) {
    ImpWorld *world = make_rig(s, 60, 0, g);
    add_ground(world, material(1, 0.5, 0), 0);
    ImpBodyDef def = imp_body_def();
    ImpBody body[3];
    for (int i = 0; i < 3; ++i) { // a particle on a rod; a tall box, hit above its middle; a bar pinned at its end
      def.type = i == 0 ? IMP_BODY_PARTICLE : IMP_BODY_DYNAMIC;
      def.fixed_rotation = i > 0;
      def.position = vec(3 * i, i == 1 ? 1 : 4);
      MUST(imp_body_create(world, &def, &body[i]));
      if (i > 0) add_box(world, body[i], material(1, 0.5, 0), 0.4, 2);
    }
    hang(world, IMP_JOINT_DISTANCE, body[0], -1, 4);
    add_joint(world, joint_at(IMP_JOINT_REVOLUTE, ground_of(world), body[2], 6, 5));
    ImpBody ball = drop_disc(world, material(5, 0.5, 0), 1, 1.7, 0.2);
    set_velocity(world, ball, 8, 0, 0);
    for (int i = 0; i < 120; ++i) {
      run(world, 1);
      for (int k = 0; k < 3; ++k) {
        CHECK(spin(world, body[k]) == 0 && body_get(world, body[k], IMP_BODY_ANGLE) == 0);
      }
    }
    CHECK(position(world, body[1]).x > 3.05);
    CHECK_NEAR(position(world, body[2]).y, 4, 2e-3);
    imp_world_destroy(world);
  }
}


// A contact normal that is almost parallel to a locked axis counts as parallel. Otherwise the contact would push the
// body along the free axis at a huge speed.
static void an_overlap_along_a_locked_axis_moves_no_body(void) {
  FOR_EVERY_SOLVER(s) {
    for (int way = 0; way < 4; ++way) {
      // across: the x axis is locked, not the y axis; other: the static disc is created before the locked one
      bool across = way % 2 == 0, other = way / 2 == 0;
      ImpWorld *world = make_rig(s, 60, 0, 0);
      ImpVec2 place = across ? vec(0.9, 1e-5) : vec(1e-5, 0.9);
      ImpBody disc[2];
      for (int i = 0; i < 2; ++i) {
        bool fixed = (i == 0) == other;
        disc[i] = add_body(world, fixed ? IMP_BODY_STATIC : IMP_BODY_DYNAMIC, i * place.x, i * place.y, 0);
        add_circle(world, disc[i], material(1, 0, 0), 0.5);
      }
      ImpBody rider = disc[other ? 1 : 0];
      MUST(imp_body_set(world, rider, across ? IMP_BODY_LOCK_X : IMP_BODY_LOCK_Y, 1));
      ImpVec2 from = position(world, rider);
      run(world, 30);
      ImpVec2 to = position(world, rider);
      CHECK_NEAR(to.x, from.x, 1e-6);
      CHECK_NEAR(to.y, from.y, 1e-6);
      imp_world_destroy(world);
    }
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Contacts
// ---------------------------------------------------------------------------------------------------------------------


// The floor supports a box of 10 kg. A box that is thrown upward leaves the floor at once.
static void the_floor_supports_a_box_and_releases_it(void) {
  FOR_EVERY_SOLVER(s) {
    ImpWorld *world = make_rig(s, 60, 0, g);
    add_ground(world, material(1, 0.5, 0), 0);
    ImpBody box = drop_box(world, material(10, 0.5, 0), 0, 0.5);
    run(world, 120);
    EXPECT(contact_force(world, box).y, 98.1, 0.0981, "weight of 10 kg on the floor [N], expected 98.1 +- 0.1 %");
    EXPECT(contact_force(world, box).x, 0, 1e-3, "horizontal force of the floor on the box [N], expected 0");
    EXPECT(position(world, box).y, 0.5, 0.0055, "height at rest [m], expected 0.5 less the slop of 5 mm");
    CHECK_NEAR(spin(world, box), 0, 1e-6);
    double pull = 0, push = 0;
    set_velocity(world, box, 0, 3, 0);
    for (int i = 0; i < 30; ++i) {
      run(world, 1);
      push = fmax(push, fabs(contact_force(world, box).y));
      for (ImpContact c = {0}; (c = imp_world_next_contact(world, c)).id != 0;) {
        ImpContactInfo info;
        MUST(imp_contact_info(world, c, &info));
        for (int k = 0; k < info.count; ++k) pull = fmax(pull, -info.points[k].normal_impulse);
      }
    }
    EXPECT(pull, 0, 0, "largest impulse of the floor that pulls the box down [N s], expected 0");
    EXPECT(push, 0, 0, "largest force of the floor on a box that leaves it [N], expected 0");
    imp_world_destroy(world);
  }
}


// mu = 0.5. The box rests at 20 degrees, and slides with a = g (sin - mu cos) at 35 degrees.
static void a_slope_holds_or_slides(void) {
  FOR_EVERY_SOLVER(s) {
    for (int steep = 0; steep < 2; ++steep) {
      double angle = (steep ? 35 : 20) * pi / 180, n = 0.25 - 0.002;
      ImpWorld *world = make_rig(s, 120, 0, g);
      add_ground(world, material(1, 0.5, 0), angle);
      ImpBody box = add_body(world, IMP_BODY_DYNAMIC, -n * sin(angle), n * cos(angle), angle);
      add_box(world, box, material(4, 0.5, 0), 1, 0.5);
      run(world, 60);
      ImpVec2 from = position(world, box), v = velocity(world, box);
      run(world, 120);
      double speed = hypot(velocity(world, box).x, velocity(world, box).y) - hypot(v.x, v.y);
      double way = hypot(position(world, box).x - from.x, position(world, box).y - from.y);
      if (steep) {
        double a = g * (sin(angle) - 0.5 * cos(angle));
        EXPECT(speed / a, 1, 2e-3, "slope of 35 degrees: acceleration / (g (sin - mu cos)), expected 1 +- 0.2 %");
      } else {
        EXPECT(way, 0, 1e-4, "slope of 20 degrees: creep in 1 s [m], expected 0");
      }
      imp_world_destroy(world);
    }
  }
}


// The box on a lift weighs m (g + a) while the lift accelerates.
static void a_kinematic_platform_carries_a_box(void) {
  FOR_EVERY_SOLVER(s) {
    ImpWorld *world = make_rig(s, 120, 0, g);
    ImpBody lift = add_body(world, IMP_BODY_KINEMATIC, 0, -0.1, 0);
    add_box(world, lift, material(1, 0.8, 0), 6, 0.2);
    ImpBody box = drop_box(world, material(10, 0.8, 0), 0, 0.5);
    run(world, 60);
    double worst = 0, weight = 0;
    for (int i = 1; i <= 120; ++i) {
      double v = i / 120.0;
      set_velocity(world, lift, v, v, 0);
      run(world, 1);
      weight = i == 100 ? contact_force(world, box).y : weight;
      worst = fmax(worst, fabs(position(world, box).x - position(world, lift).x));
    }
    EXPECT(weight, 108.1, 0.5, "lift that speeds up at 1 m/s^2: weight of 10 kg [N], expected 108.1 +- 0.5");
    EXPECT(velocity(world, box).x, 1, 1e-2, "speed along [m/s], expected 1");
    EXPECT(velocity(world, box).y, 1, 1e-2, "speed upward [m/s], expected 1");
    EXPECT(worst, 0, 5e-3, "slip [m], expected 0");
    imp_world_destroy(world);
  }
}


// A sensor detects a passing body and does not change its motion.
static void sensors_do_not_change_motion(void) {
  FOR_EVERY_SOLVER(s) {
    ImpVec2 end[2];
    for (int sensor = 0; sensor < 2; ++sensor) {
      ImpWorld *world = make_rig(s, 60, 0, g);
      ImpShapeDef def = material(1, 0.5, 0);
      add_ground(world, def, 0);
      def.sensor = true;
      ImpBody gate = add_body(world, IMP_BODY_STATIC, 0.3, 2, 0);
      if (sensor) add_box(world, gate, def, 2, 0.5);
      ImpBody disc = drop_disc(world, material(1, 0.5, 0), 0, 4, 0.3);
      set_velocity(world, disc, 0.5, 0, 0);
      int begun = 0, ended = 0;
      for (int i = 0; i < 90; ++i) {
        run(world, 1);
        begun += event_count(world, IMP_EVENT_SENSOR_BEGIN);
        ended += event_count(world, IMP_EVENT_SENSOR_END);
      }
      CHECK(begun == sensor && ended == sensor);
      end[sensor] = position(world, disc);
      imp_world_destroy(world);
    }
    CHECK(memcmp(&end[0], &end[1], sizeof end[0]) == 0);
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Joints
// ---------------------------------------------------------------------------------------------------------------------


// Each pin of three links of 1 kg carries the weight below the pin.
static void a_hanging_chain_has_its_weight_as_tension(void) {
  FOR_EVERY_SOLVER(s) {
    ImpWorld *world = make_rig(s, 60, 0, g);
    ImpBody last = ground_of(world);
    ImpJoint pin[3];
    for (int i = 0; i < 3; ++i) {
      ImpBody link = add_mass(world, 0, -0.5 - i, 1, 1.0 / 12);
      pin[i] = add_joint(world, joint_at(IMP_JOINT_REVOLUTE, last, link, 0, -i));
      last = link;
    }
    run(world, 180);
    EXPECT(reaction_of(world, pin[0]).y, 29.43, 0.02943, "first pin [N], expected 29.43 +- 0.1 %");
    EXPECT(reaction_of(world, pin[1]).y, 19.62, 0.01962, "second pin [N], expected 19.62 +- 0.1 %");
    EXPECT(reaction_of(world, pin[2]).y, 9.81, 0.00981, "third pin [N], expected 9.81 +- 0.1 %");
    for (int i = 0; i < 3; ++i) {
      CHECK_NEAR(reaction_of(world, pin[i]).x, 0, 1e-4);
      CHECK(joint_get(world, pin[i], IMP_JOINT_SEPARATION) < 1e-3);
    }
    imp_world_destroy(world);
  }
}


// A wheel of inertia I on the ground, with a drive on its angle.
static ImpJoint wheel_on(ImpWorld *world, double inertia, ImpDrive drive, ImpBody *out_body) {
  *out_body = add_mass(world, 0, 0, 1, inertia);
  ImpJointDef def = joint_at(IMP_JOINT_REVOLUTE, ground_of(world), *out_body, 0, 0);
  def.drive[2] = drive;
  return add_joint(world, def);
}


// A limit at either end. Solvers that detect a limit late overshoot by one step, 3 rad/s / 240 Hz.
static void a_limit_stops_and_never_pulls(void) {
  FOR_EVERY_SOLVER(s) {
    bool late = s == IMP_SOLVER_SI || s == REDUCED;
    for (int side = -1; side <= 1; side += 2) {
      ImpWorld *world = make_rig(s, 240, 0, 0);
      ImpBody wheel;
      ImpJoint joint = wheel_on(world, 0.5, limit_to(-1, 1), &wheel);
      MUST(imp_body_set(world, wheel, IMP_BODY_ANGULAR_VELOCITY, 3 * side));
      ImpRowKind kind = side > 0 ? IMP_ROW_UPPER_LIMIT : IMP_ROW_LOWER_LIMIT;
      double farthest = 0, pull = 0;
      for (int i = 0; i < 480; ++i) {
        if (i >= 240) MUST(imp_body_apply_torque(world, wheel, -side));
        run(world, 1);
        farthest = fmax(farthest, side * value_of(world, joint));
        pull = fmax(pull, side * row_of(world, joint, kind).force);
      }
      EXPECT(farthest, 1, late ? 0.0125 : 0.005, "largest angle [rad], expected 1 + 0.5 % (si, reduced: 1 + 0.0125)");
      EXPECT(pull, 0, 0, "greatest pull of the limit [N m], expected 0");
      CHECK(side * spin(world, wheel) < -1.9); // a torque of 1 N m has turned 0.5 kg m^2 for 1 s
      imp_world_destroy(world);
    }
  }
}


static void a_saturated_motor_reports_its_bound(void) {
  static const int rates[] = {30, 60, 240, 1000};
  FOR_EVERY_SOLVER(s) {
    double worst = 0;
    for (int i = 0; i < 4 * 3; ++i) {
      ImpWorld *world = make_rig(s, rates[i % 4], i / 4, 0);
      ImpBody wheel;
      ImpJoint joint = wheel_on(world, 100, motor_of(50, 10), &wheel);
      run(world, 10);
      worst = fmax(worst, fabs(force_of(world, joint) - 10));
      worst = fmax(worst, fabs(spin(world, wheel) / (10.0 / 100 * 10 / rates[i % 4]) - 1));
      CHECK(row_of(world, joint, IMP_ROW_MOTOR).clamped);
      // The residual ignores rows at their bounds, such as the row of the motor.
      CHECK(imp_world_residual(world).velocity < 1e-6);
      imp_world_destroy(world);
    }
    EXPECT(worst, 0, of(s, 1e-9, 1e-5), "worst |torque - 10| [N m] and speed, relative");
  }
}


// The residual of a row is J v + b, and b demands the velocity that closes the gap. At that velocity the residual is 0.
static void a_joint_that_closes_a_gap_has_no_residual(void) {
  FOR_EVERY_SOLVER(s) {
    ImpWorld *world = make_rig(s, 60, 0, 0);
    ImpBody wheel;
    wheel_on(world, 0.5, (ImpDrive){0}, &wheel);
    MUST(imp_body_set_position(world, wheel, vec(0.01, 0)));
    double fastest = 0;
    for (int i = 0; i < 4; ++i) {
      run(world, 1);
      CHECK(imp_world_residual(world).velocity < 1e-6);
      fastest = fmax(fastest, -velocity(world, wheel).x);
    }
    measured("speed towards a pin 1 cm away [m/s]", fastest);
    imp_world_destroy(world);
  }
}


// A servo holds 2 kg at 0.3 m, a spring sags by m g / k, a force accelerates.
static void servo_spring_and_force_follow_closed_forms(void) {
  FOR_EVERY_SOLVER(s) {
    ImpWorld *world = make_rig(s, 120, 0, g);
    const ImpDrive drives[] = {servo_to(0.3, 100), spring_of(400, 40), push_of(19.62 + 2)};
    ImpJoint joint[3];
    for (int i = 0; i < 3; ++i) {
      ImpJointDef def = joint_at(IMP_JOINT_PRISMATIC, ground_of(world), add_mass(world, i, 0, 2, 0.1), i, 0);
      def.place_axis = IMP_PLACE_WORLD;
      def.axis = vec(0, 1);
      def.drive[0] = drives[i];
      joint[i] = add_joint(world, def);
    }
    run(world, 600);
    EXPECT(value_of(world, joint[0]), 0.3, 1e-3, "servo: position at rest [m], expected 0.3");
    EXPECT(force_of(world, joint[0]), 19.62, 0.01962, "servo: its force [N], expected 19.62 +- 0.1 %");
    EXPECT(value_of(world, joint[1]), -0.04905, 5e-5, "spring: sag m g / k [m], expected -0.04905 +- 0.1 %");
    EXPECT(force_of(world, joint[1]), 19.62, 0.01962, "spring: its force [N], expected 19.62 +- 0.1 %");
    EXPECT(joint_get(world, joint[2], IMP_JOINT_SPEED), 5, 1e-3,
           "force: speed after 5 s at 2 N / 2 kg [m/s], expected 5");
    imp_world_destroy(world);
  }
}


// 10 kg hang on rods that break at 90 N and at 110 N.
static void an_overloaded_joint_breaks(void) {
  FOR_EVERY_SOLVER(s) {
    ImpWorld *world = make_rig(s, 60, 0, g);
    ImpJoint rod[2];
    for (int i = 0; i < 2; ++i) {
      rod[i] = hang(world, IMP_JOINT_DISTANCE, add_mass(world, i, -1, 10, 0.1), i, 0);
      MUST(imp_joint_set(world, rod[i], IMP_JOINT_BREAK_FORCE, 90 + 20 * i));
    }
    int told = 0;
    for (int i = 0; i < 60; ++i) {
      run(world, 1);
      told += event_count(world, IMP_EVENT_JOINT_BREAK);
    }
    CHECK(told == 1 && joint_get(world, rod[0], IMP_JOINT_BROKEN) == 1 &&
          joint_get(world, rod[1], IMP_JOINT_BROKEN) == 0);
    EXPECT(reaction_of(world, rod[1]).y, 98.1, 0.0981, "rod that does not break: force [N], expected 98.1 +- 0.1 %");
    imp_world_destroy(world);
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Rows, sleep
// ---------------------------------------------------------------------------------------------------------------------


// Return the worst deviation of a row's speed and mass from values computed from its Jacobian.
static double worst_row(ImpWorld *world) {
  const ImpRowInfo *rows = NULL;
  int count = 0;
  double worst = 0;
  MUST(imp_world_rows(world, &rows, &count));
  for (int i = 0; i < count; ++i) {
    ImpBody bodies[4];
    double j[12], speed = 0, k = 0;
    int held = 0;
    MUST(imp_row_jacobian(world, i, bodies, j, 4, &held));
    for (int b = 0; b < held; ++b) {
      ImpVec2 v = velocity(world, bodies[b]);
      double m = body_get(world, bodies[b], IMP_BODY_MASS), inertia = body_get(world, bodies[b], IMP_BODY_INERTIA);
      const double *part = j + 3 * b;
      speed += part[0] * v.x + part[1] * v.y + part[2] * spin(world, bodies[b]);
      k += (m > 0 ? (part[0] * part[0] + part[1] * part[1]) / m : 0) + (inertia > 0 ? part[2] * part[2] / inertia : 0);
    }
    worst = fmax(worst, fabs(rows[i].speed - speed) / (1 + fabs(speed)) + (k > 0 ? fabs(rows[i].mass * k - 1) : 0));
    CHECK(isfinite(rows[i].value) && isfinite(rows[i].bias) && isfinite(rows[i].impulse) && isfinite(rows[i].power));
    CHECK(isfinite(rows[i].work) && rows[i].lower <= rows[i].upper &&
          (rows[i].joint.id != 0) != (rows[i].contact.id != 0));
    CHECK(rows[i].force >= rows[i].lower - 1e-6 || substeps_of(world) > 1);
  }
  CHECK(count > 0);
  return worst;
}


// The scene has rows with geometric stiffness, bounds and friction: a light chain with a heavy load, boxes, a motor.
static void listed_rows_are_consistent(void) {
  FOR_EVERY_SOLVER(s) {
    ImpWorld *world = make_rig(s, 240, 0, g);
    add_ground(world, material(1, 0.5, 0), 0);
    for (int i = 0; i < 3; ++i) drop_box(world, material(1, 0.5, 0.3), 5, 0.6 + 1.1 * i);
    ImpBody last = ground_of(world), wheel;
    for (int i = 0; i < 4; ++i) {
      ImpBody link = add_mass(world, i + 0.5, 9, i == 3 ? 100 : 1, 0.01);
      ImpJointDef def = joint_at(IMP_JOINT_REVOLUTE, last, link, i, 9);
      if (i == 2) def.drive[2] = limit_to(-0.5, 0.5);
      add_joint(world, def);
      last = link;
    }
    wheel_on(world, 1, motor_of(5, 2), &wheel);
    double worst = 0;
    for (int i = 0; i < 480; ++i) {
      run(world, 1);
      worst = fmax(worst, worst_row(world));
    }
    EXPECT(worst, 0, 1e-11, "rows: largest relative error of speed = J v and of m_C J M^-1 J^T = 1, expected 1e-11");
    imp_world_destroy(world);
  }
}


static void resting_bodies_fall_asleep_and_wake_by_an_impulse(void) {
  FOR_EVERY_SOLVER(s) {
    ImpWorld *world = make_world((ImpSolverKind)s, 1.0 / 60, g);
    add_ground(world, material(1, 0.5, 0), 0);
    ImpBody box = drop_box(world, material(1, 0.5, 0), 0, 0.6), bob = add_mass(world, 5, 4, 1, 0.1);
    hang(world, IMP_JOINT_DISTANCE, bob, 5, 5);
    run(world, 240);
    CHECK(body_get(world, box, IMP_BODY_AWAKE) == 0 && body_get(world, bob, IMP_BODY_AWAKE) == 0);
    ImpVec2 there = position(world, box);
    run(world, 60);
    CHECK(memcmp(&there, &(ImpVec2){position(world, box).x, position(world, box).y}, sizeof there) == 0);
    MUST(imp_body_apply_impulse(world, box, vec(2, 0)));
    MUST(imp_body_apply_impulse(world, bob, vec(0.5, 0)));
    run(world, 10);
    CHECK(body_get(world, box, IMP_BODY_AWAKE) == 1 && body_get(world, bob, IMP_BODY_AWAKE) == 1);
    CHECK(position(world, box).x > there.x + 0.1 && position(world, bob).x > 5.05);
    run(world, 300);
    CHECK(body_get(world, box, IMP_BODY_AWAKE) == 0);
    imp_world_destroy(world);
  }
}


int main(int argc, char **argv) {
  read_arguments(argc, argv);
  RUN(free_fall_follows_the_integration_scheme);
  RUN(internal_joints_keep_the_momenta);
  RUN(bodies_with_fixed_rotation_do_not_rotate);
  RUN(an_overlap_along_a_locked_axis_moves_no_body);
  RUN(the_floor_supports_a_box_and_releases_it);
  RUN(a_slope_holds_or_slides);
  RUN(a_kinematic_platform_carries_a_box);
  RUN(sensors_do_not_change_motion);
  RUN(a_hanging_chain_has_its_weight_as_tension);
  RUN(a_limit_stops_and_never_pulls);
  RUN(a_saturated_motor_reports_its_bound);
  RUN(a_joint_that_closes_a_gap_has_no_residual);
  RUN(servo_spring_and_force_follow_closed_forms);
  RUN(an_overloaded_joint_breaks);
  RUN(listed_rows_are_consistent);
  RUN(resting_bodies_fall_asleep_and_wake_by_an_impulse);
  return check_report("every solver");
}
