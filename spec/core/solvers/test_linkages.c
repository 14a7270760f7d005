// Joints that couple, hold, brake or pull: gear, rack, pulley, ratchet, friction, drag, pose; kinematic bodies;
// user-defined constraints; contacts.
#include "rig.h"

enum { SOFT = IMP_SOLVER_SOFT, SI = IMP_SOLVER_SI };

// ---------------------------------------------------------------------------------------------------------------------
// Couplings
// ---------------------------------------------------------------------------------------------------------------------


// Mount a body on the ground by a revolute joint or by a prismatic joint along x. Return the joint's free coordinate.
static ImpCoordinate mount(ImpWorld *world, ImpJointKind kind, ImpBody body) {
  ImpVec2 p = position(world, body);
  return (ImpCoordinate){add_joint(world, joint_at(kind, ground_of(world), body, p.x, p.y)),
                         kind == IMP_JOINT_REVOLUTE ? 2 : 0};
}


// A gear of ratio r = 2 between inertias of 1 and 8 kg m^2. The torque of 6 N m accelerates I1 + I2 / r^2 = 3 kg m^2.
static void a_gear_turns_two_inertias_as_one(void) {
  FOR_SOLVERS(s) {
    ImpWorld *world = make_rig(s, 60, 0, 0);
    ImpBody a = add_mass(world, 0, 0, 1, 1), b = add_mass(world, 3, 0, 1, 8);
    ImpCoordinate q1 = mount(world, IMP_JOINT_REVOLUTE, a), q2 = mount(world, IMP_JOINT_REVOLUTE, b);
    ImpJoint gear = couple(world, IMP_JOINT_GEAR, q1, q2, 2);
    for (int i = 0; i < 60; ++i) {
      MUST(imp_body_apply_torque(world, a, 6));
      run(world, 1);
    }
    EXPECT(spin(world, a), 2, 0.002, "angular acceleration [rad/s^2], expected 2 +- 0.1 %");
    EXPECT(spin(world, b), -1, 0.001, "angular acceleration of the driven wheel [rad/s^2], expected -1 +- 0.1 %");
    EXPECT(force_of(world, gear), -4, 0.004, "torque of the gear on the driving wheel [N m], expected -4");
    EXPECT(joint_get(world, gear, IMP_JOINT_SEPARATION), 0, 1e-3, "phase error under load [rad]");
    imp_world_destroy(world);
  }
}


// A motor drives a gear against a load for 1000 turns.
static void a_gear_keeps_its_phase_for_a_thousand_turns(void) {
  FOR_SOLVERS(s) {
    ImpWorld *world = make_rig(s, 60, 0, 0);
    ImpBody a = add_mass(world, 0, 0, 1, 1), b = add_mass(world, 3, 0, 1, 8);
    ImpCoordinate q1 = mount(world, IMP_JOINT_REVOLUTE, a), q2 = mount(world, IMP_JOINT_REVOLUTE, b);
    couple(world, IMP_JOINT_GEAR, q1, q2, 2);
    set_drive(world, q1.joint, 2, motor_of(50, 20)); // with solver soft the gear yields by 0.2 mrad at 20 N m
    double worst = 0;
    while (body_get(world, a, IMP_BODY_ANGLE) < 2000 * pi) {
      MUST(imp_body_apply_torque(world, b, 3));
      run(world, 1);
      double sum = body_get(world, a, IMP_BODY_ANGLE) + 2 * body_get(world, b, IMP_BODY_ANGLE);
      worst = fmax(worst, fabs(sum));
    }
    EXPECT(worst, 0, 1e-3, "worst phase error in 1000 turns [rad], expected < 0.001");
    imp_world_destroy(world);
  }
}


// A motor drives a rack x = p theta, p = 0.1 m, against a force of 5 N on the rack.
static void a_rack_keeps_its_pitch_for_a_hundred_turns(void) {
  FOR_SOLVERS(s) {
    ImpWorld *world = make_rig(s, 60, 0, 0);
    ImpBody slider = add_mass(world, 0, 1, 2, 0.1), wheel = add_mass(world, 0, 0, 1, 0.02);
    ImpCoordinate x = mount(world, IMP_JOINT_PRISMATIC, slider), theta = mount(world, IMP_JOINT_REVOLUTE, wheel);
    ImpJoint rack = couple(world, IMP_JOINT_RACK, x, theta, -0.1);
    set_drive(world, theta.joint, 2, motor_of(10, 1));
    double worst = 0;
    while (body_get(world, wheel, IMP_BODY_ANGLE) < 200 * pi) {
      MUST(imp_body_apply_force(world, slider, vec(-5, 0)));
      run(world, 1);
      double error = position(world, slider).x - 0.1 * body_get(world, wheel, IMP_BODY_ANGLE);
      worst = fmax(worst, fabs(error));
    }
    EXPECT(worst, 0, 1e-4, "worst x - p theta in 100 turns [m], expected < 0.0001");
    EXPECT(force_of(world, theta.joint), 0.5, 5e-4, "torque of the motor [N m], expected 0.5 +- 0.1 %");
    EXPECT(coordinate_of(world, rack, 0).force, 5, 5e-3, "force on the rack [N], expected 5 +- 0.1 %");
    imp_world_destroy(world);
  }
}


static void a_pulley_accelerates_as_atwoods_machine(void) {
  FOR_SOLVERS(s) {
    ImpWorld *world = make_rig(s, 60, 0, g);
    ImpBody a = add_mass(world, -1, 0, 3, 0.1), b = add_mass(world, 1, 0, 1, 0.1);
    ImpJointDef def = imp_joint_def(IMP_JOINT_PULLEY, a, b);
    def.ground_a = vec(-1, 5);
    def.ground_b = vec(1, 5);
    ImpJoint pulley = add_joint(world, def);
    run(world, 30);
    EXPECT(-velocity(world, a).y / 0.5, 4.905, 0.005 * 4.905, "acceleration [m/s^2], expected 4.905 +- 0.5 %");
    EXPECT(velocity(world, b).y / 0.5, 4.905, 0.005 * 4.905, "acceleration of the lighter weight [m/s^2]");
    EXPECT(-force_of(world, pulley), 14.715, 0.005 * 14.715, "tension [N], expected 14.715 +- 0.5 %");
    EXPECT(reaction_of(world, pulley).y, 14.715, 0.005 * 14.715, "reaction on b [N]");
    imp_world_destroy(world);
  }
}


static void a_pulley_of_ratio_two_balances_two_to_one(void) {
  FOR_SOLVERS(s) {
    ImpWorld *world = make_rig(s, 60, 0, g);
    ImpBody a = add_mass(world, -1, 0, 2, 0.1), b = add_mass(world, 1, 0, 4, 0.1);
    ImpJointDef def = imp_joint_def(IMP_JOINT_PULLEY, a, b);
    def.ground_a = vec(-1, 5);
    def.ground_b = vec(1, 5);
    def.ratio = 2;
    ImpJoint pulley = add_joint(world, def);
    double drift = 0;
    for (int i = 0; i < 600; ++i) {
      run(world, 1);
      drift = fmax(drift, fmax(fabs(position(world, a).y), fabs(position(world, b).y)));
    }
    EXPECT(drift, 0, 1e-3, "greatest drift in 10 s at m_b = 2 m_a [m], expected < 0.001");
    EXPECT(reaction_of(world, pulley).y, 4 * g, 0.005 * 4 * g, "tension of b's rope [N], expected 39.24 +- 0.5 %");
    imp_world_destroy(world);
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Ratchet, friction
// ---------------------------------------------------------------------------------------------------------------------


// A ratchet is turned forward by 1 rad. A torque turns the ratchet back to the last tooth passed.
static void a_ratchet_holds_at_its_teeth(void) {
  static const double pitches[] = {0.3, 0.15, 0};
  FOR_SOLVERS(s) {
    for (int i = 0; i < 6; ++i) {
      int direction = i % 2 == 0 ? 1 : -1;
      double pitch = pitches[i / 2];
      ImpWorld *world = make_rig(s, 240, 0, 0);
      ImpBody wheel = add_mass(world, 0, 0, 1, 0.5);
      ImpJointDef def = joint_at(IMP_JOINT_RATCHET, ground_of(world), wheel, 0, 0);
      def.pitch = pitch;
      def.direction = direction;
      ImpJoint ratchet = add_joint(world, def);
      MUST(imp_body_set(world, wheel, IMP_BODY_ANGULAR_VELOCITY, direction));
      run(world, 240);
      double reached = body_get(world, wheel, IMP_BODY_ANGLE);
      CHECK_NEAR(reached, direction, 1e-5); // rounding of floats
      CHECK_NEAR(force_of(world, ratchet), 0, 0);
      MUST(imp_body_set(world, wheel, IMP_BODY_ANGULAR_VELOCITY, 0));
      for (int k = 0; k < 480; ++k) {
        MUST(imp_body_apply_torque(world, wheel, -2 * direction));
        run(world, 1);
      }
      double held = body_get(world, wheel, IMP_BODY_ANGLE), tooth = pitch > 0 ? floor(1 / pitch + 1e-9) * pitch : 1;
      // Under soft the ratchet yields by load / (I (2 pi 240 Hz)^2).
      EXPECT(held * direction, tooth, 1e-3, "ratchet of pitch 0.3, 0.15, 0: held at [rad], expected 0.9, 0.9, 1");
      EXPECT(force_of(world, ratchet), 2 * direction, 2e-3, "ratchet: torque that holds [N m], expected +-2 +- 0.1 %");
      imp_world_destroy(world);
    }
  }
}


// The friction joint holds loads below its bound. A larger load accelerates the body by the excess.
static void a_friction_joint_brakes_by_its_bound(void) {
  FOR_SOLVERS(s) {
    ImpWorld *world = make_rig(s, 60, 0, 0);
    ImpBody body = add_mass(world, 0, 0, 2, 0.5);
    ImpJointDef def = imp_joint_def(IMP_JOINT_FRICTION, ground_of(world), body);
    def.max_force = 4;
    def.max_torque = 1;
    ImpJoint brake = add_joint(world, def);
    set_velocity(world, body, 3, 0, 4);
    run(world, 60);
    // 240 substeps round a speed between 2 and 4 to a float, with an error of 1.2e-7 each.
    EXPECT(velocity(world, body).x, 3 - 2, 3e-5, "friction: speed after 1 s at 4 N / 2 kg [m/s], expected 1");
    EXPECT(spin(world, body), 4 - 2, 3e-5, "friction: spin after 1 s at 1 N m / 0.5 kg m^2 [rad/s], expected 2");
    EXPECT(force_of(world, brake), -4, 4e-6, "friction: force while it slides [N], expected -4");
    EXPECT(row_of(world, brake, IMP_ROW_MOTOR).clamped, 1, 0, "friction: row of the joint is clamped");
    run(world, 120);
    ImpVec2 stop = position(world, body);
    // The stopping distance is v^2 / (2 a) = 2.25 m. The error of the last step or substep is at most a h v / 2.
    EXPECT(stop.x, 2.25, s == SOFT ? 0.008 : 0.026, "friction: stopping distance [m], expected 2.25 for h -> 0");
    CHECK_NEAR(velocity(world, body).x, 0, 1e-9); // at rest
    for (int i = 0; i < 120; ++i) {
      MUST(imp_body_apply_force(world, body, vec(3.99, 0)));
      run(world, 1);
    }
    EXPECT(position(world, body).x - stop.x, 0, 1e-9, "friction: creep in 2 s below the bound [m], expected 0");
    EXPECT(force_of(world, brake), -3.99, 4e-6, "friction: force that holds [N], expected -3.99");
    for (int i = 0; i < 60; ++i) {
      MUST(imp_body_apply_force(world, body, vec(5, 0)));
      run(world, 1);
    }
    EXPECT(velocity(world, body).x, 0.5, 1e-5, "friction: speed after 1 s of 5 N [m/s], expected 0.5");
    // The work of a substep is the friction impulse times the mean of the speeds before and after the impulse. The
    // speed before the impulse contains the push of 5 N.
    double n = s == SOFT ? 4 : 1, h = 1 / (60 * n), mean = 0.5 - 0.5 * h * (n + 1) / 2 + 1.5 * h;
    EXPECT(coordinate_of(world, brake, 0).power / mean, -4, 1e-4, "friction: power / mean speed [N], expected -4");
    imp_world_destroy(world);
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Drag and pose
// ---------------------------------------------------------------------------------------------------------------------


// A critically damped drag joint of 5 Hz. The body sags under its weight by g / w^2.
static void a_drag_joint_moves_its_body_to_the_target(void) {
  FOR_SOLVERS(s) {
    ImpWorld *world = make_rig(s, 60, 0, 0);
    ImpBody body = add_mass(world, 0, 0, 2, 0.5);
    ImpJointDef def = imp_joint_def(IMP_JOINT_DRAG, (ImpBody){0}, body);
    def.target = vec(1, 0.5);
    def.has_target = true;
    ImpJoint drag = add_joint(world, def);
    double beyond = 0;
    for (int i = 0; i < 60; ++i) {
      run(world, 1);
      beyond = fmax(beyond, position(world, body).x - 1);
    }
    ImpVec2 p = position(world, body);
    EXPECT(hypot(p.x - 1, p.y - 0.5), 0, 1e-6,
           "drag: distance to the target after 1 s [m]"); // critical damping leaves exp(-31) of the initial distance
    EXPECT(beyond, 0, 1e-6, "drag: overshoot at damping ratio 1 [m], expected 0");
    MUST(imp_world_set_gravity(world, vec(0, -g)));
    MUST(imp_joint_set_target(world, drag, vec(-1, 0)));
    run(world, 120);
    p = position(world, body);
    EXPECT(p.x, -1, 1e-6, "drag: x at its new target [m], expected -1");
    EXPECT(-p.y / (g / pow(10 * pi, 2)), 1, 1e-4, "drag: sag / (g / w^2), expected 1");
    EXPECT(coordinate_of(world, drag, 1).force, 2 * g, 2e-3, "drag: force [N], expected 19.62");
    imp_world_destroy(world);

    world = make_rig(s, 60, 0, 0);
    body = add_mass(world, 0, 0, 2, 0.5);
    def.body_b = body;
    def.target = vec(100, 0);
    def.max_force = 8;
    drag = add_joint(world, def);
    run(world, 60);
    EXPECT(velocity(world, body).x, 4, 4e-5, "drag: speed after 1 s of 8 N on 2 kg [m/s], expected 4");
    EXPECT(coordinate_of(world, drag, 0).force, 8, 8e-5, "drag: force at its bound [N], expected 8");
    imp_world_destroy(world);
  }
}


static void a_pose_joint_reaches_and_holds_its_target_within_its_bounds(void) {
  FOR_SOLVERS(s) {
    ImpWorld *world = make_rig(s, 60, 0, 0);
    ImpBody a = add_mass(world, 1, 1, 1e6, 1e6), b = add_mass(world, 1, 1, 2, 0.5);
    ImpJointDef def = imp_joint_def(IMP_JOINT_POSE, a, b);
    def.target = vec(1, 0.5);
    def.has_target = true;
    def.target_angle = 0.7;
    def.max_force = 50;
    def.max_torque = 10;
    ImpJoint pose = add_joint(world, def);
    run(world, 180);
    ImpVec2 p = position(world, b);
    // Body a, of 1e6 kg, moves by only 1e-6 m.
    EXPECT(hypot(p.x - 2, p.y - 1.5), 0, 1e-4, "pose: distance to its target after 3 s [m]");
    EXPECT(body_get(world, b, IMP_BODY_ANGLE), 0.7, 1e-5, "pose: angle after 3 s [rad], expected 0.7");
    for (int i = 0; i < 60; ++i) {
      MUST(imp_body_apply_force(world, b, vec(30, -20)));
      MUST(imp_body_apply_torque(world, b, 6));
      run(world, 1);
    }
    ImpReaction r = reaction_of(world, pose);
    EXPECT(r.x, -30, 0.03, "pose: force that holds [N], expected -30 +- 0.1 %");
    EXPECT(r.y, 20, 0.02, "pose: force that holds [N], expected 20 +- 0.1 %");
    EXPECT(r.torque, -6, 6e-3, "pose: torque that holds [N m], expected -6 +- 0.1 %");
    CHECK_NEAR(position(world, b).x, 2, 1e-3); // soft solver: the joint yields by 30 N / (m (2 pi 60 Hz)^2) = 0.1 mm
    for (int i = 0; i < 60; ++i) {
      MUST(imp_body_apply_force(world, b, vec(60, 0)));
      run(world, 1);
    }
    EXPECT(coordinate_of(world, pose, 0).force, -50, 1e-3, "pose: force at its bound [N], expected -50");
    EXPECT(velocity(world, b).x - velocity(world, a).x, 5, 0.05,
           "pose: speed after 1 s at a load of max_force + 10 N [m/s], expected 5");
    imp_world_destroy(world);
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Joints to kinematic bodies
// ---------------------------------------------------------------------------------------------------------------------


// A load on a kinematic body. The force on the load is m g if the body translates, and m w^2 r if the body turns
// without gravity.
static void a_kinematic_body_carries_a_jointed_load(void) {
  FOR_SOLVERS(s) {
    ImpWorld *world = make_rig(s, 60, 0, g);
    ImpBody trolley = add_body(world, IMP_BODY_KINEMATIC, 0, 0, 0), load = add_mass(world, 0, -1, 3, 0.1);
    set_velocity(world, trolley, 2, 0.5, 0);
    set_velocity(world, load, 2, 0.5, 0);
    ImpJoint pin = add_joint(world, joint_at(IMP_JOINT_REVOLUTE, trolley, load, 0, 0));
    run(world, 600);
    ImpVec2 p = position(world, load), q = position(world, trolley);
    EXPECT(q.x, 20, 1e-9, "trolley: path in 10 s [m], expected 20");
    // Under soft the joint yields by g / (2 pi 60 Hz)^2 = 0.07 mm.
    EXPECT(hypot(p.x - q.x, p.y - q.y + 1), 0, 1e-3, "trolley: distance of the load from 1 m below the trolley [m]");
    EXPECT(reaction_of(world, pin).y, 3 * g, 3e-3 * g, "trolley: reaction [N], expected 29.43 +- 0.1 %");
    imp_world_destroy(world);

    world = make_rig(s, s == SOFT ? 60 : 240, 0, 0);
    ImpBody disc = add_body(world, IMP_BODY_KINEMATIC, 0, 0, 0), rider = add_mass(world, 1, 0, 3, 0.1);
    set_velocity(world, disc, 0, 0, 5);
    set_velocity(world, rider, 0, 5, 5);
    ImpJoint weld = add_joint(world, joint_at(IMP_JOINT_WELD, disc, rider, 1, 0));
    run(world, s == SOFT ? 600 : 2400);
    ImpReaction r = reaction_of(world, weld);
    p = position(world, rider);
    EXPECT(hypot(r.x, r.y), 75, 0.005 * 75, "disc: m w^2 r [N], expected 75 +- 0.5 %");
    // Under si each step opens the pin by (w h)^2 r / 2, and Baumgarte's bias closes a fifth of the gap.
    EXPECT(hypot(p.x, p.y), 1, s == SOFT ? 1e-3 : 2e-3, "disc: radius of the rider after 10 s [m], expected 1");
    EXPECT(body_get(world, rider, IMP_BODY_ANGLE), 50, 0.01, "disc: angle after 10 s [rad], expected 50");
    imp_world_destroy(world);
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// User-defined functions
// ---------------------------------------------------------------------------------------------------------------------


// A bead on the circle x^2 + y^2 = 4 is released level. The wire exerts T = 3 m g at the bottom. The force of C is
// T / |grad C| = T / 4.
static void a_bead_stays_on_its_circle(void) {
  FOR_SOLVERS(s) {
    ImpWorld *world = make_rig(s, s == SOFT ? 60 : 240, 0, g);
    ImpBody bead = add_body(world, IMP_BODY_PARTICLE, 2, 0, 0);
    Tape tape = {0};
    put(&tape, IMP_OP_SUB, put_square(&tape), number(&tape, 4));
    ImpJoint wire = add_tape(world, bead, &tape, imp_drive());
    double start = energy_of(world), worst = 0, loss = 0, most = 0, m = body_get(world, bead, IMP_BODY_MASS);
    for (int i = 0; i < (s == SOFT ? 600 : 2400); ++i) {
      run(world, 1);
      ImpVec2 p = position(world, bead);
      worst = fmax(worst, fabs(hypot(p.x, p.y) - 2));
      loss = fmax(loss, fabs(start - energy_of(world)));
      most = fmax(most, -4 * force_of(world, wire));
    }
    // 1 mm is also the required accuracy of the length of a pendulum.
    EXPECT(worst, 0, 1e-3, "bead: worst distance from the circle [m]");
    EXPECT(loss / (2 * m * g), 0, 0.01, "bead: worst error of energy in 10 s / m g r, expected 1 %");
    EXPECT(most / (3 * m * g), 1, 0.005, "bead: greatest force of the wire / 3 m g, expected 1 +- 0.5 %");
    imp_world_destroy(world);
  }
}


static void a_rod_follows_its_varying_length(void) {
  FOR_SOLVERS(s) {
    ImpWorld *world = make_rig(s, 240, 0, g);
    ImpBody bob = add_mass(world, sin(0.5), -cos(0.5), 1, 0);
    Tape tape = {0};
    int32_t length = put(&tape, IMP_OP_SQRT, put_square(&tape), -1);
    int32_t swell = put(&tape, IMP_OP_SINE, put(&tape, IMP_OP_TIME, -1, -1), -1);
    swell = put(&tape, IMP_OP_MUL, number(&tape, 0.1), swell);
    put(&tape, IMP_OP_SUB, length, put(&tape, IMP_OP_ADD, number(&tape, 1), swell));
    set_velocity(world, bob, 0.1 * sin(0.5), -0.1 * cos(0.5), 0);
    add_tape(world, bob, &tape, imp_drive());
    double worst = 0;
    for (int i = 0; i < 2400; ++i) {
      run(world, 1);
      double t = 0;
      MUST(imp_world_get(world, IMP_WORLD_TIME, &t));
      ImpVec2 p = position(world, bob);
      worst = fmax(worst, fabs(hypot(p.x, p.y) - (1 + 0.1 * sin(t))));
    }
    // Under si each step adds a length error of h^2 v^2 / (2 r), and Baumgarte's bias removes a fifth of the error.
    EXPECT(worst, 0, s == SOFT ? 1e-4 : 3e-4, "worst |len - L(t)| at 240 Hz [m], expected < 0.0001");
    imp_world_destroy(world);
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Beside contacts
// ---------------------------------------------------------------------------------------------------------------------


// A beam with a hinge at its left end and a post under its right end. Each support carries about half of the weight.
static void hinge_and_post_share_the_weight_of_a_beam(void) {
  FOR_SOLVERS(s) {
    ImpWorld *world = make_rig(s, 60, 0, g);
    ImpBody beam = add_body(world, IMP_BODY_DYNAMIC, 0, 1, 0), post = add_body(world, IMP_BODY_STATIC, 1.8, 0, 0);
    add_box(world, beam, material(10, 0, 0), 4, 0.2); // without friction the beam is statically determinate
    add_box(world, post, material(1, 0, 0), 0.4, 1.8);
    ImpJoint hinge = add_joint(world, joint_at(IMP_JOINT_REVOLUTE, ground_of(world), beam, -2, 1));
    run(world, 300);
    double weight = body_get(world, beam, IMP_BODY_MASS) * g;
    double at_hinge = reaction_of(world, hinge).y, on_post = contact_force(world, beam).y;
    EXPECT(at_hinge + on_post, weight, 1e-3 * weight, "beam: hinge and post [N], expected 78.48 +- 0.1 %");
    // The post touches the beam from 3.6 m to 4 m from the hinge. The force of the post acts somewhere in this range.
    EXPECT(2 * weight / on_post, 3.8, 0.2, "beam: lever of the post's force [m], expected 3.6 to 4");
    imp_world_destroy(world);
  }
}


int main(int argc, char **argv) {
  read_arguments(argc, argv);
  RUN(a_gear_turns_two_inertias_as_one);
  RUN(a_gear_keeps_its_phase_for_a_thousand_turns);
  RUN(a_rack_keeps_its_pitch_for_a_hundred_turns);
  RUN(a_pulley_accelerates_as_atwoods_machine);
  RUN(a_pulley_of_ratio_two_balances_two_to_one);
  RUN(a_ratchet_holds_at_its_teeth);
  RUN(a_friction_joint_brakes_by_its_bound);
  RUN(a_drag_joint_moves_its_body_to_the_target);
  RUN(a_pose_joint_reaches_and_holds_its_target_within_its_bounds);
  RUN(a_kinematic_body_carries_a_jointed_load);
  RUN(a_bead_stays_on_its_circle);
  RUN(a_rod_follows_its_varying_length);
  RUN(hinge_and_post_share_the_weight_of_a_beam);
  return check_report("linkages");
}
