// Each drive compared with closed forms.
#include "rig.h"

enum { SOFT = IMP_SOLVER_SOFT, SI = IMP_SOLVER_SI };

// ---------------------------------------------------------------------------------------------------------------------
// Motors and servos
// ---------------------------------------------------------------------------------------------------------------------


// A wheel of inertia I, pinned to the ground, with a drive on its angle.
static ImpJoint wheel_on(ImpWorld *world, double inertia, ImpDrive drive, ImpBody *out_body) {
  *out_body = add_mass(world, 0, 0, 1, inertia);
  ImpJointDef def = joint_at(IMP_JOINT_REVOLUTE, ground_of(world), *out_body, 0, 0);
  def.drive[2] = drive;
  return add_joint(world, def);
}


// A level bar of 1 kg and 1 m on a hinge at its end.
static ImpJoint bar_on(ImpWorld *world, ImpDrive drive) {
  ImpBody bar = add_mass(world, 0.5, 0, 1, 1.0 / 12);
  ImpJointDef def = joint_at(IMP_JOINT_REVOLUTE, ground_of(world), bar, 0, 0);
  def.drive[2] = drive;
  return add_joint(world, def);
}


// The work of a motor on a wheel, and on a bar with the inertia m l^2 / 3 about its end.
static void the_work_of_a_motor_is_the_energy_it_gives(void) {
  FOR_SOLVERS(s) {
    for (int bar = 0; bar < 2; ++bar) {
      ImpWorld *world = make_rig(s, s == SOFT ? 60 : 240, 0, 0);
      ImpBody wheel;
      ImpDrive motor = motor_of(6, 2);
      ImpJoint joint = bar ? bar_on(world, motor) : wheel_on(world, 0.5, motor, &wheel);
      double inertia = bar ? 1.0 / 3 : 0.5, power = 0, rate = s == SOFT ? 60 : 240, most = 0;
      for (int i = 0; i < 2 * (int)rate; ++i) {
        run(world, 1);
        ImpCoordinateInfo now = coordinate_of(world, joint, 2);
        power += now.power / rate;
        most = fmax(most, now.power);
      }
      ImpCoordinateInfo now = coordinate_of(world, joint, 2);
      // Under si the hinge of the bar loses some energy. The required tolerance is 0.1 %.
      double tolerance_of = bar && s == SI ? 0.02 : 1e-3;
      EXPECT(now.work / (0.5 * inertia * 36), 1, tolerance_of, "work of the motor / (I w^2 / 2), expected 1 +- 0.1 %");
      EXPECT(row_of(world, joint, IMP_ROW_MOTOR).work, now.work, 0, "work of its row [J]");
      EXPECT(power / now.work, 1, 1e-5, "integral of the power / work");
      CHECK_NEAR(most, 12, 0.2); // largest power: 2 N m at nearly 6 rad/s
      if (s == SOFT || !bar) {
        ImpEnergy energy = imp_world_energy(world);
        EXPECT(energy.joint_work / energy.kinetic, 1, 1e-3, "work of all joints / kinetic energy");
      }
      imp_world_destroy(world);
    }
  }
}


// The motor turns a bar against gravity.
static void a_motor_keeps_its_speed_under_load(void) {
  FOR_SOLVERS(s) {
    ImpWorld *world = make_rig(s, 60, 0, g);
    ImpJoint joint = bar_on(world, motor_of(2, 100));
    double worst = 0;
    for (int i = 0; i < 600; ++i) {
      run(world, 1);
      if (i > 2) worst = fmax(worst, fabs(joint_get(world, joint, IMP_JOINT_SPEED) - 2));
    }
    EXPECT(worst, 0, 1e-5, "motor: worst error of its speed under load [rad/s], expected 1e-5");
    imp_world_destroy(world);
  }
}


// A motor of 5 N m accelerates an inertia of 10 kg m^2 from rest to 2 rad/s in 4 s.
static void a_weak_motor_accelerates_at_its_bound_without_overshoot(void) {
  FOR_SOLVERS(s) {
    ImpWorld *world = make_rig(s, 60, 0, 0);
    ImpBody wheel;
    ImpJoint joint = wheel_on(world, 10, motor_of(2, 5), &wheel);
    double fastest = 0, worst = 0, reached = 0;
    for (int i = 1; i <= 360; ++i) {
      run(world, 1);
      fastest = fmax(fastest, spin(world, wheel));
      if (i < 240) worst = fmax(worst, fabs(force_of(world, joint) - 5));
      if (reached == 0 && spin(world, wheel) > 2 - 1e-5) reached = i / 60.0;
    }
    EXPECT(reached, 4, 1.0 / 60, "time to 2 rad/s [s], expected 4 +- h");
    EXPECT(fastest, 2, 1e-6, "greatest speed [rad/s], expected never above 2");   // rounding of a float near 2
    EXPECT(worst, 0, 5e-6, "worst |torque - 5| until then [N m], expected 5.00"); // rounding of a float near 5
    CHECK_NEAR(force_of(world, joint), 0, 2e-4);                                  // rounding of 2 rad/s, times I / dt
    imp_world_destroy(world);
  }
}


// The reported force of a saturated motor is its bound, at any step size.
static void a_saturated_motor_reports_its_bound(void) {
  static const int rates[] = {30, 60, 100, 144, 240, 500, 1000};
  FOR_SOLVERS(s) {
    double worst = 0;
    for (int i = 0; i < 7; ++i) {
      for (int substeps = 1; substeps <= 8; substeps *= 2) {
        ImpWorld *world = make_rig(s, rates[i], substeps, 0);
        ImpBody wheel;
        ImpJoint joint = wheel_on(world, 100, motor_of(50, 10), &wheel);
        run(world, 10);
        worst = fmax(worst, fabs(force_of(world, joint) - 10));
        worst = fmax(worst, fabs(row_of(world, joint, IMP_ROW_MOTOR).force - 10));
        imp_world_destroy(world);
      }
    }
    EXPECT(worst, 0, 1e-5, "worst |torque - 10.0| at h = 1/30 to 1/1000 [N m]"); // rounding of floats near 10
  }
}


// The constraint C = theta - sin t requires a torque of magnitude I |sin t|.
static void a_constraint_of_time_drives_a_wheel_along_a_sine(void) {
  static const double inertias[] = {5, 20};
  FOR_SOLVERS(s) {
    for (int i = 0; i < 2; ++i) {
      ImpWorld *world = make_rig(s, 60, 0, 0);
      ImpBody wheel = add_mass(world, 0, 0, 1, inertias[i]);
      MUST(imp_body_set(world, wheel, IMP_BODY_ANGULAR_VELOCITY, 1));
      Tape tape = {0};
      int32_t angle = put(&tape, IMP_OP_ANGLE, 0, -1), t = put(&tape, IMP_OP_TIME, -1, -1);
      put(&tape, IMP_OP_SUB, angle, put(&tape, IMP_OP_SINE, t, -1));
      ImpJoint motor = add_tape(world, wheel, &tape, servo_to(0, 10));
      double worst = 0, most = 0;
      for (int k = 1; k <= 600; ++k) {
        run(world, 1);
        worst = fmax(worst, fabs(body_get(world, wheel, IMP_BODY_ANGLE) - sin(k / 60.0)));
        most = fmax(most, fabs(force_of(world, motor)));
      }
      if (i == 0) {
        EXPECT(worst, 0, 1e-4, "I = 5: worst error [rad], expected < 0.0001");
        EXPECT(most, 5, 0.005, "I = 5: peak torque [N m], expected 5.00 +- 0.1 %");
      } else {
        EXPECT(most, 10, 1e-5, "I = 20: peak torque [N m], expected exactly 10.0"); // rounding of a float near 10
      }
      imp_world_destroy(world);
    }
  }
}


typedef struct Follow {
  ImpJoint joint;
  ImpDrive servo;
  double t;
} Follow;


static void follow(ImpWorld *world, double h, void *user) {
  Follow *f = user;
  f->servo.target = f->servo.target_speed * f->t;
  f->t += h;
  set_drive(world, f->joint, 2, f->servo);
}


// A servo follows a target that moves at a constant rate, without lag.
static void a_servo_follows_a_moving_target(void) {
  FOR_SOLVERS(s) {
    for (int how = 0; how < 3; ++how) {
      ImpWorld *world = make_rig(s, 60, 0, 0);
      ImpBody wheel;
      Follow f = {.servo = servo_to(0, 1000)};
      f.servo.target_speed = 1.5;
      f.joint = wheel_on(world, 2, f.servo, &wheel);
      if (how == 0) imp_world_set_substep_callback(world, follow, &f);
      double worst = 0;
      for (int i = 0; i < 300; ++i) {
        if (how == 1) follow(world, 1.0 / 60, &f);
        run(world, 1);
        if (i > 60) worst = fmax(worst, fabs(value_of(world, f.joint) - 1.5 * (i + 1) / 60));
      }
      EXPECT(worst, 0, 1e-5,
             "servo: worst lag behind a target at 1.5 rad/s [rad], expected 0"); // the soft solver computes in floats
      imp_world_destroy(world);
    }
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Limits
// ---------------------------------------------------------------------------------------------------------------------


// A limit at either end stops the wheel, never pulls, and releases.
static void a_limit_stops_a_wheel_and_releases_it(void) {
  FOR_SOLVERS(s) {
    for (int side = -1; side <= 1; side += 2) {
      ImpWorld *world = make_rig(s, s == SOFT ? 60 : 240, 0, 0);
      ImpBody wheel;
      ImpJoint joint = wheel_on(world, 0.5, limit_to(-1, 1), &wheel);
      MUST(imp_body_set(world, wheel, IMP_BODY_ANGULAR_VELOCITY, 3 * side));
      double farthest = 0, pull = 0, rate = s == SOFT ? 60 : 240;
      ImpRowKind kind = side > 0 ? IMP_ROW_UPPER_LIMIT : IMP_ROW_LOWER_LIMIT;
      for (int i = 0; i < (int)rate; ++i) {
        run(world, 1);
        farthest = fmax(farthest, side * value_of(world, joint));
        pull = fmax(pull, side * row_of(world, joint, kind).force);
      }
      // The solver si detects a limit one step late, so the wheel overshoots by up to 3 rad/s / 240 Hz.
      EXPECT(farthest, 1, s == SOFT ? 0.005 : 0.0125, "largest angle [rad], expected 1 + 0.5 % (si: 1 + 0.0125)");
      // Speed at the limit: 0 in the soft solver. In the si solver, Baumgarte stabilization adds beta / dt * C.
      double left = spin(world, wheel);
      for (int i = 0; i < (int)rate; ++i) { // a torque of 1 N m turns the wheel away from the limit
        MUST(imp_body_apply_torque(world, wheel, -side));
        run(world, 1);
        pull = fmax(pull, side * row_of(world, joint, kind).force);
      }
      EXPECT(pull, 0, 0, "greatest pull of the limit [N m], expected 0");
      EXPECT(spin(world, wheel) - left, -2 * side, 1e-3, "speed gained 1 s after leaving [rad/s], expected -+2");
      CHECK(s == SI || left == 0);
      imp_world_destroy(world);
    }
  }
}


static void a_limit_of_three_turns_stops_after_three(void) {
  FOR_SOLVERS(s) {
    for (int side = -1; side <= 1; side += 2) {
      ImpWorld *world = make_rig(s, 60, 0, 0);
      ImpBody wheel;
      ImpJoint joint = wheel_on(world, 0.5, limit_to(-6 * pi, 6 * pi), &wheel);
      for (int i = 0; i < 300; ++i) {
        MUST(imp_body_apply_torque(world, wheel, side));
        run(world, 1);
      }
      EXPECT(side * value_of(world, joint), 18.850, 0.005 * 18.850, "angle at rest [rad], expected 18.850 +- 0.5 %");
      EXPECT(force_of(world, joint), -side, 1e-4, "torque of the limit [N m], expected -+1");
      imp_world_destroy(world);
    }
  }
}


// A motor pushes a coordinate against a limit. The motor and the limit exert opposite torques of size motor_max.
static void a_motor_pushes_against_a_limit(void) {
  FOR_SOLVERS(s) {
    ImpWorld *world = make_rig(s, 60, 0, 0);
    ImpBody wheel;
    ImpDrive drive = limit_to(-1, 1);
    drive.on |= 1u << IMP_DRIVE_MOTOR;
    drive.speed = 2;
    drive.motor_max = 3;
    ImpJoint joint = wheel_on(world, 0.5, drive, &wheel);
    run(world, 120);
    // Under soft the limit yields by 3 N m / (I (2 pi 60 Hz)^2) = 42 urad.
    EXPECT(value_of(world, joint), 1, 1e-3, "limit and motor: angle at rest [rad], expected 1");
    EXPECT(row_of(world, joint, IMP_ROW_MOTOR).force, 3, 3e-6,
           "limit and motor: torque of the motor [N m], expected 3");
    EXPECT(row_of(world, joint, IMP_ROW_UPPER_LIMIT).force, -3, 3e-3,
           "limit and motor: torque of the limit [N m], expected -3");
    EXPECT(force_of(world, joint), 0, 3e-3, "limit and motor: sum of both torques [N m], expected 0");
    CHECK(row_of(world, joint, IMP_ROW_LOWER_LIMIT).force == 0);
    imp_world_destroy(world);
  }
}


// A limit with a largest force holds a smaller load. Under a larger load the limit exerts its largest force, and the
// excess accelerates the wheel.
static void a_limit_yields_at_its_bound(void) {
  FOR_SOLVERS(s) {
    for (int side = -1; side <= 1; side += 2) {
      ImpWorld *world = make_rig(s, 60, 0, 0);
      ImpBody wheel;
      ImpDrive limit = limit_to(0, 0);
      limit.limit_max = 3;
      ImpJoint joint = wheel_on(world, 0.5, limit, &wheel);
      for (int i = 0; i < 60; ++i) {
        MUST(imp_body_apply_torque(world, wheel, 2.9 * side));
        run(world, 1);
      }
      CHECK_NEAR(value_of(world, joint), 0, 1e-3); // with solver soft the limit yields by 2.9 N m / (I (2 pi 60 Hz)^2)
      EXPECT(force_of(world, joint), -2.9 * side, 3e-6,
             "limit: torque under a load below limit_max [N m], expected 2.9");
      for (int i = 0; i < 60; ++i) {
        MUST(imp_body_apply_torque(world, wheel, 4 * side));
        run(world, 1);
      }
      EXPECT(force_of(world, joint), -3 * side, 3e-6, "limit: torque under a load above limit_max [N m], expected 3");
      EXPECT(spin(world, wheel), 2 * side, 0.01,
             "limit: speed after 1 s of a load 1 N m above limit_max [rad/s], expected 2");
      imp_world_destroy(world);
    }
  }
}


// A drive or a one-sided limit on a coordinate that cannot move exerts nothing.
static void a_drive_on_a_fixed_coordinate_does_nothing(void) {
  FOR_SOLVERS(s) {
    for (int k = 0; k < 6; ++k) {
      const ImpDrive drives[] = {limit_to(0, HUGE_VAL), limit_to(-HUGE_VAL, 0), motor_of(1, HUGE_VAL),
                                 servo_to(1, HUGE_VAL), spring_of(5, 1),        push_of(3)};
      ImpWorld *world = make_rig(s, 60, 0, g);
      ImpBody stiff = add_mass(world, 0, -1, 2, 0); // an infinite inertia: torque does not turn the body
      ImpJointDef def = joint_at(IMP_JOINT_REVOLUTE, ground_of(world), stiff, 0, -1);
      def.drive[2] = drives[k];
      ImpJoint joint = add_joint(world, def);
      run(world, 60);
      ImpReaction r = reaction_of(world, joint);
      CHECK_NEAR(r.y, 2 * g, 0.02);
      CHECK_NEAR(position(world, stiff).y, -1, 1e-3);
      CHECK_NEAR(coordinate_of(world, joint, 2).value, 0, 0);
      CHECK(event_count(world, IMP_EVENT_FAULT) == 0);
      imp_world_destroy(world);
    }
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Springs
// ---------------------------------------------------------------------------------------------------------------------


static ImpJoint sprung(ImpWorld *world, double mass, ImpDrive drive, ImpBody *out_body) {
  *out_body = add_mass(world, 0, -1, mass, 0.1);
  ImpJointDef def = joint_at(IMP_JOINT_PRISMATIC, ground_of(world), *out_body, 0, -1);
  def.axis = vec(0, 1);
  def.drive[0] = drive;
  return add_joint(world, def);
}


// A mass m on a spring of stiffness k sags by m g / k = 39.24 mm.
static void a_spring_sags_by_the_load_at_any_step(void) {
  static const int rates[] = {30, 60, 240};
  FOR_SOLVERS(s) {
    double worst = 0, worst_force = 0;
    for (int i = 0; i < 3; ++i) {
      for (int substeps = 1; substeps <= 8; ++substeps) {
        ImpWorld *world = make_rig(s, rates[i], substeps, g);
        ImpBody body;
        ImpJoint joint = sprung(world, 2, spring_of(500, 30), &body);
        run(world, 6 * rates[i]);
        worst = fmax(worst, fabs(value_of(world, joint) / -0.03924 - 1));
        worst_force = fmax(worst_force, fabs(force_of(world, joint) / 19.62 - 1));
        imp_world_destroy(world);
      }
    }
    EXPECT(worst, 0, 1e-4, "worst sag / 39.24 mm - 1, expected 0.01 %");
    EXPECT(worst_force, 0, 1e-4, "worst force / m g - 1");
  }
}


typedef struct Ringing {
  double hertz, ratio; // frequency [Hz]; damping ratio, from the speeds at the coordinate's zero crossings
} Ringing;


// Step for `seconds` and measure the oscillation of a spring about 0, from an initial speed of about 1 m/s or 1 rad/s.
static Ringing ring(ImpWorld *world, ImpJoint joint, int index, double rate, double seconds) {
  double last = 0, last_speed = 0, first = 0, latest = 0, start_speed = 0, end_speed = 0;
  int periods = -1;
  for (int i = 1; i <= (int)(rate * seconds); ++i) {
    run(world, 1);
    ImpCoordinateInfo now = coordinate_of(world, joint, index);
    if (last < 0 && now.value >= 0) { // time and speed of the zero crossing, interpolated linearly
      double part = last / (last - now.value), t = (i - 1 + part) / rate,
             v = last_speed + part * (now.speed - last_speed);
      if (++periods == 0) {
        first = t;
        start_speed = v;
      }
      latest = t;
      end_speed = v;
    }
    last = now.value;
    last_speed = now.speed;
  }
  double decrement = log(start_speed / end_speed) / periods;
  return (Ringing){periods / (latest - first), decrement / sqrt(4 * pi * pi + decrement * decrement)};
}


// A spring of 5 Hz oscillates at 5 Hz, for one body, for two bodies with their reduced mass, and for a bar about its
// end.
static void a_spring_given_in_hertz_oscillates_at_that_frequency(void) {
  FOR_SOLVERS(s) {
    for (int k = 0; k < 3; ++k) {
      double rate = s == SOFT ? 60 : 240;
      ImpWorld *world = make_rig(s, rate, 0, 0);
      ImpBody a = k == 1 ? add_mass(world, -1, 0, 6, 0.1) : ground_of(world), b = add_mass(world, 0, 0, 2, 0.1);
      ImpJointDef def = joint_at(k == 2 ? IMP_JOINT_REVOLUTE : IMP_JOINT_PRISMATIC, a, b, k == 2 ? -0.5 : 0, 0);
      int index = k == 2 ? 2 : 0;
      def.drive[index] = spring_at(5, 0);
      ImpJoint joint = add_joint(world, def);
      set_velocity(world, b, k == 2 ? 0 : 1, k == 2 ? 0.5 : 0, k == 2 ? 1 : 0);
      double start = energy_of(world);
      Ringing ringing = ring(world, joint, index, rate, 10);
      EXPECT(ringing.hertz, 5, 0.01, "frequency of one body, of two, of a bar [Hz], expected 5.00 +- 0.2 %");
      // The energy of symplectic Euler oscillates by w h / 2. The bar's hinge loses energy with solver si.
      EXPECT(energy_of(world) / start, 1, 0.1, "remaining energy after 10 s");
      imp_world_destroy(world);
    }
  }
}


static void a_damped_spring_decays_by_its_damping_ratio(void) {
  static const double ratios[] = {0.02, 0.1, 0.3};
  FOR_SOLVERS(s) {
    for (int k = 0; k < 3; ++k) {
      double rate = 240;
      ImpWorld *world = make_rig(s, rate, 0, 0);
      ImpBody body;
      ImpJoint joint = sprung(world, 2, spring_at(2, ratios[k]), &body);
      set_velocity(world, body, 0, 1, 0);
      Ringing ringing = ring(world, joint, 0, rate, 2.2);
      // The error is of first order in w h, which is 0.05 with solver si and 0.013 with solver soft.
      EXPECT(ringing.ratio / ratios[k], 1, 0.02, "damping ratio 0.02, 0.1, 0.3: measured / given");
      EXPECT(ringing.hertz / (2 * sqrt(1 - ratios[k] * ratios[k])), 1, 0.01, "damped frequency / given");
      imp_world_destroy(world);
    }
  }
}


// A spring far from its rest position exerts its bound. A spring without bound settles at a new rest position.
static void a_spring_pulls_no_harder_than_its_bound(void) {
  FOR_SOLVERS(s) {
    ImpWorld *world = make_rig(s, 60, 0, 0);
    ImpBody body;
    ImpDrive spring = spring_of(500, 10);
    spring.rest = 3;
    spring.spring_max = 4;
    ImpJoint joint = sprung(world, 2, spring, &body);
    run(world, 60);
    EXPECT(velocity(world, body).y, 2, 4e-5, "spring: speed after 1 s of 4 N on 2 kg [m/s], expected 2");
    EXPECT(force_of(world, joint), 4, 4e-6, "spring: force limited by spring_max [N], expected 4");
    MUST(imp_joint_set(world, joint, IMP_JOINT_MAX_FORCE, HUGE_VAL));
    MUST(imp_joint_set(world, joint, IMP_JOINT_TARGET, -0.5));
    run(world, 600);
    EXPECT(value_of(world, joint), -0.5, 1e-5, "spring: position at rest [m], expected -0.5");
    imp_world_destroy(world);
  }
}


int main(int argc, char **argv) {
  read_arguments(argc, argv);
  RUN(the_work_of_a_motor_is_the_energy_it_gives);
  RUN(a_motor_keeps_its_speed_under_load);
  RUN(a_weak_motor_accelerates_at_its_bound_without_overshoot);
  RUN(a_saturated_motor_reports_its_bound);
  RUN(a_constraint_of_time_drives_a_wheel_along_a_sine);
  RUN(a_servo_follows_a_moving_target);
  RUN(a_limit_stops_a_wheel_and_releases_it);
  RUN(a_limit_of_three_turns_stops_after_three);
  RUN(a_motor_pushes_against_a_limit);
  RUN(a_limit_yields_at_its_bound);
  RUN(a_drive_on_a_fixed_coordinate_does_nothing);
  RUN(a_spring_sags_by_the_load_at_any_step);
  RUN(a_spring_given_in_hertz_oscillates_at_that_frequency);
  RUN(a_damped_spring_decays_by_its_damping_ratio);
  RUN(a_spring_pulls_no_harder_than_its_bound);
  return check_report("drives");
}
