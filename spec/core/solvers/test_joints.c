// Each kind of joint against a closed form: forces, motion, deflection.
#include "rig.h"

enum { SOFT = IMP_SOLVER_SOFT, SI = IMP_SOLVER_SI };

// ---------------------------------------------------------------------------------------------------------------------
// Rods, ropes and pins
// ---------------------------------------------------------------------------------------------------------------------


// The force of a rod is -m g under tension and +m g under compression.
static void a_rod_reports_the_weight_with_its_sign(void) {
  FOR_SOLVERS(s) {
    for (int side = -1; side <= 1; side += 2) {
      ImpWorld *world = make_rig(s, 60, 0, g);
      ImpBody bob = add_mass(world, 0, side, 2, 0.1);
      ImpJoint rod = hang(world, IMP_JOINT_DISTANCE, bob, 0, 0);
      run(world, 120);
      EXPECT(force_of(world, rod), side * 19.62, 1e-3 * 19.62, "force of the rod [N], expected -+19.62 +- 0.1 %");
      EXPECT(reaction_of(world, rod).y, 19.62, 1e-3 * 19.62, "reaction on the bob [N], expected 19.62 +- 0.1 %");
      EXPECT(value_of(world, rod), 1, 1e-3, "its length [m], expected 1 +- 1 mm");
      imp_world_destroy(world);
    }
  }
}


// 10 kg hang on a joint, at any step size and number of substeps.
static void the_reaction_does_not_depend_on_the_step(void) {
  static const ImpJointKind kinds[] = {IMP_JOINT_REVOLUTE, IMP_JOINT_WELD, IMP_JOINT_DISTANCE, IMP_JOINT_ROPE};
  static const int rates[] = {30, 60, 120, 240, 480, 1000};
  FOR_SOLVERS(s) {
    double worst = 0;
    for (int i = 0; i < 4 * 6 * 8; ++i) {
      int kind = i % 4, rate = rates[i / 4 % 6], substeps = i / 24 + 1;
      ImpWorld *world = make_rig(s, rate, substeps, g);
      ImpBody load = add_mass(world, 0, -1, 10, 0.1);
      ImpJoint joint = kind < 2 ? add_joint(world, joint_at(kinds[kind], ground_of(world), load, 0, 0))
                                : hang(world, kinds[kind], load, 0, 0);
      run(world, rate);
      ImpReaction r = reaction_of(world, joint);
      CHECK_NEAR(r.y, 98.1, 0.005 * 98.1);
      CHECK_NEAR(r.x, 0, 1e-3); // no side load, apart from rounding of floats
      worst = fmax(worst, fabs(r.y / 98.1 - 1));
      run(world, 1);
      // The stored impulses come from `substeps` substeps a step. The number changes to 9 - substeps.
      set_world(world, IMP_WORLD_SUBSTEPS, 9 - substeps);
      run(world, 2);
      CHECK_NEAR(reaction_of(world, joint).y, 98.1, 0.005 * 98.1);
      imp_world_destroy(world);
    }
    EXPECT(worst, 0, 0.005, "worst reaction / 98.1 N - 1, expected +- 0.5 %");
  }
}


// Two coincident pins share a load.
static void coincident_pins_share_one_load(void) {
  FOR_SOLVERS(s) {
    ImpWorld *world = make_rig(s, 60, 0, g);
    ImpBody bar = add_mass(world, 0.5, 0, 10, 1);
    ImpJoint pins[2];
    for (int i = 0; i < 2; ++i) pins[i] = add_joint(world, joint_at(IMP_JOINT_REVOLUTE, ground_of(world), bar, 0, 0));
    ImpWorld *alone = make_rig(s, 60, 0, g);
    ImpBody twin = add_mass(alone, 0.5, 0, 10, 1);
    ImpJoint pin = add_joint(alone, joint_at(IMP_JOINT_REVOLUTE, ground_of(alone), twin, 0, 0));
    double worst = 0, most = 0, force = 0;
    for (int i = 0; i < 60; ++i) { // the load swings down as on one pin
      run(world, 1);
      run(alone, 1);
      ImpVec2 v = velocity(world, bar), w = velocity(alone, twin);
      ImpReaction a = reaction_of(world, pins[0]), b = reaction_of(world, pins[1]), c = reaction_of(alone, pin);
      worst = fmax(worst, hypot(v.x - w.x, v.y - w.y));
      force = fmax(force, hypot(a.x + b.x - c.x, a.y + b.y - c.y));
      most = fmax(most, hypot(c.x, c.y));
    }
    CHECK(worst == worst && most > 98.1);
    // With the soft solver, two pins yield half as far as one pin.
    EXPECT(worst, 0, s == SOFT ? 1e-3 : 1e-6, "largest difference of velocity from a bar on one pin [m/s]");
    EXPECT(force / most, 0, 1e-3,
           "largest error of the sum of both reactions / reaction of a single pin, expected 0.1 %");
    imp_world_destroy(alone);
    imp_world_destroy(world);
  }
}


static void coincident_pins_at_rest_carry_the_weight(void) {
  FOR_SOLVERS(s) {
    ImpWorld *world = make_rig(s, 60, 0, g);
    ImpBody load = add_mass(world, 0, -1, 10, 1);
    ImpJoint pins[2];
    for (int i = 0; i < 2; ++i) pins[i] = add_joint(world, joint_at(IMP_JOINT_REVOLUTE, ground_of(world), load, 0, 0));
    run(world, 120);
    double sum = reaction_of(world, pins[0]).y + reaction_of(world, pins[1]).y;
    EXPECT(sum, 98.1, 1e-3 * 98.1, "sum of the reactions [N], expected 98.1 +- 0.1 %");
    measured("force of the first pin [N]", reaction_of(world, pins[0]).y);
    CHECK_NEAR(velocity(world, load).y, 0, 1e-6); // at rest, apart from rounding
    imp_world_destroy(world);
  }
}


// The rope is slack below its length. The taut rope carries the weight.
static void a_rope_is_slack_below_its_length(void) {
  FOR_SOLVERS(s) {
    ImpWorld *world = make_rig(s, 60, 0, g);
    ImpBody load = add_mass(world, 0, -0.5, 3, 0.1), loose = add_mass(world, 1, -0.5, 3, 0.1);
    ImpJointDef def = imp_joint_def(IMP_JOINT_ROPE, ground_of(world), load);
    def.place_a = IMP_PLACE_WORLD;
    def.length = 2;
    ImpJoint rope = add_joint(world, def);
    double longest = 0, shared = 0, pushed = 0;
    for (int i = 0; i < 300; ++i) {
      run(world, 1);
      if (i < 30) shared = fmax(shared, fabs(position(world, load).y - position(world, loose).y));
      if (i < 30) pushed = fmax(pushed, fabs(force_of(world, rope)));
      longest = fmax(longest, value_of(world, rope));
      CHECK(force_of(world, rope) <= 0);
    }
    EXPECT(pushed, 0, 0, "rope: force while slack [N], expected 0");
    EXPECT(shared, 0, 1e-6, "rope: difference to free fall while slack [m], expected 0"); // rounding of floats
    // The load falls at 5.4 m/s when the rope becomes taut. The soft solver stops the load at the rope's length, the si
    // solver at most one step later.
    EXPECT(longest, 2, s == SOFT ? 1e-3 : 5.5 / 60, "rope: greatest length [m], expected 2");
    EXPECT(force_of(world, rope), -3 * g, 1e-3 * 3 * g, "rope: force taut [N], expected -29.43 +- 0.1 %");
    imp_world_destroy(world);
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Swinging and spinning
// ---------------------------------------------------------------------------------------------------------------------


static void a_pendulum_keeps_energy_and_length(void) {
  static const struct {
    int solver;
    // Rate [Hz], largest relative loss of energy, largest error of the length [m]. The limits of the soft solver are
    // requirements.
    double rate, loss, error;
  } runs[] = {{SOFT, 60, 0.01, 1e-3}, {SI, 240, 0.02, 3e-3}};
  for (int i = 0; i < 2; ++i) {
    for (int kind = 0; kind < 3; ++kind) {
      ImpWorld *world = make_rig(runs[i].solver, runs[i].rate, 0, g);
      ImpBody bob = add_mass(world, 1, 0, 1, kind == 2 ? 0.5 : 1e-3);
      ImpJoint joint = kind == 0 ? hang(world, IMP_JOINT_DISTANCE, bob, 0, 0)
                                 : add_joint(world, joint_at(IMP_JOINT_REVOLUTE, ground_of(world), bob, 0, 0));
      double start = energy_of(world), worst = 0, loss = 0, gain = 0;
      for (int k = 0; k < 10 * (int)runs[i].rate; ++k) {
        run(world, 1);
        ImpVec2 a, b;
        MUST(imp_joint_anchors(world, joint, &a, &b));
        worst = fmax(worst, kind == 0 ? fabs(hypot(b.x - a.x, b.y - a.y) - 1) : hypot(b.x - a.x, b.y - a.y));
        loss = fmax(loss, start - energy_of(world));
        gain = fmax(gain, energy_of(world) - start);
      }
      if (show_measured) printf(" %s, %s\n", imp_solver_name(runs[i].solver), kind == 0 ? "rod" : "pin");
      EXPECT(loss / g, 0, runs[i].loss, "pendulum: largest energy loss in 10 s / m g l, expected 1 % with solver soft");
      EXPECT(gain / g, 0, runs[i].loss, "pendulum: largest gain of energy in 10 s / m g l");
      EXPECT(worst, 0, runs[i].error, "pendulum: worst length error [m], expected 0.001 with solver soft");
      imp_world_destroy(world);
    }
  }
}


// The tension at the bottom, after release from level, is 3 m g for any length.
static void a_pendulum_has_a_tension_of_three_weights(void) {
  for (int k = 0; k < 3; ++k) {
    double length = 0.5 * (1 << k), most = 0;
    ImpWorld *world = make_rig(SOFT, 60, 0, g);
    ImpJoint rod = hang(world, IMP_JOINT_DISTANCE, add_mass(world, length, 0, 2, 0), 0, 0);
    for (int i = 0; i < 600; ++i) {
      run(world, 1);
      most = fmax(most, -force_of(world, rod));
    }
    EXPECT(most / (6 * g), 1, 0.005, "pendulum of 0.5, 1, 2 m: greatest tension / 3 m g, expected 1 +- 0.5 %");
    imp_world_destroy(world);
  }
}


// A bar, as body A or B of a pin, rotates about its end without gravity.
static void a_bar_spins_about_its_end(void) {
  FOR_SOLVERS(s) {
    for (int swap = 0; swap < 2; ++swap) {
      ImpWorld *world = make_rig(s, s == SOFT ? 60 : 240, 0, 0);
      ImpBody bar = add_mass(world, 0.5, 0, 1, 1.0 / 12), ground = ground_of(world);
      set_velocity(world, bar, 0, 5, 10);
      ImpJoint pin = add_joint(world, joint_at(IMP_JOINT_REVOLUTE, swap ? bar : ground, swap ? ground : bar, 0, 0));
      double start = energy_of(world), apart = 0;
      for (int i = 0; i < (s == SOFT ? 600 : 2400); ++i) {
        run(world, 1);
        apart = fmax(apart, joint_get(world, pin, IMP_JOINT_SEPARATION));
      }
      // The soft solver may lose at most 1 %. In the si solver, the bar moves along the tangent.
      EXPECT(1 - energy_of(world) / start, 0, s == SOFT ? 0.01 : 0.15,
             "bar at 10 rad/s: part of its energy lost in 10 s, expected 1 % (soft), 15 % (si)");
      // In the si solver, each step opens the gap by (w h)^2 r / 2, and the bias closes a fifth of the gap.
      EXPECT(apart, 0, s == SOFT ? 1e-3 : 2.5e-3, "bar: worst gap [m]");
      if (s == SOFT) { // the pull of the pin is m w^2 r
        ImpReaction r = reaction_of(world, pin);
        double w = spin(world, bar), pull = hypot(r.x, r.y);
        EXPECT(pull / (w * w * 0.5), 1, 0.005, "bar: pull of the pin / m w^2 r, expected 1 +- 0.5 %");
      }
      imp_world_destroy(world);
    }
  }
}


static void a_chain_carries_a_hundred_times_a_link_s_mass(void) {
  ImpWorld *world = make_rig(SOFT, 60, 8, g);
  ImpBody last = ground_of(world);
  for (int i = 0; i < 10; ++i) {
    ImpBody link = add_mass(world, i + 0.5, 0, 1, 1.0 / 12);
    add_joint(world, joint_at(IMP_JOINT_REVOLUTE, last, link, i, 0));
    last = link;
  }
  ImpBody load = add_mass(world, 10, 0, 100, 10);
  add_joint(world, joint_at(IMP_JOINT_REVOLUTE, last, load, 10, 0));
  double start = energy_of(world), far = 0, most = start;
  for (int i = 0; i < 600; ++i) {
    run(world, 1);
    ImpVec2 p = position(world, load);
    far = fmax(far, hypot(p.x, p.y));
    most = fmax(most, energy_of(world));
  }
  EXPECT(far / 10 - 1, 0, 0.05, "greatest stretch in 10 s, expected < 5 %");
  EXPECT((most - start) / (1050 * g), 0, 1e-3, "greatest gain of energy / greatest drop");
  imp_world_destroy(world);
}


// ---------------------------------------------------------------------------------------------------------------------
// Sliders, slots and welds
// ---------------------------------------------------------------------------------------------------------------------


// 10 kg slide along x under a side load of 100 N. An off-centre load also causes a torque.
static void a_slider_carries_a_side_load(void) {
  FOR_SOLVERS(s) {
    for (int off = 0; off < 2; ++off) {
      ImpWorld *world = make_rig(s, 60, 0, 0);
      ImpBody slider = add_mass(world, 0, 0, 10, 1);
      set_velocity(world, slider, 1, 0, 0);
      ImpJoint joint = add_joint(world, joint_at(IMP_JOINT_PRISMATIC, ground_of(world), slider, 0, 0));
      double drift = 0;
      for (int i = 0; i < 600; ++i) {
        ImpVec2 p = position(world, slider);
        MUST(imp_body_apply_force_at(world, slider, vec(0, -100), vec(p.x + 0.1 * off, p.y)));
        run(world, 1);
        drift = fmax(drift, fabs(position(world, slider).y));
      }
      ImpReaction r = reaction_of(world, joint);
      EXPECT(drift, 0, 1e-4, "worst lateral drift [m], expected < 0.0001");
      EXPECT(r.y, 100, 0.1, "reaction [N], expected 100 +- 0.1 %");
      EXPECT(r.torque, 10 * off, 0.01, "reaction torque [N m], expected 0 and 10 +- 0.1 %");
      EXPECT(velocity(world, slider).x, 1, 1e-5, "speed along the axis after 10 s [m/s], expected 1"); // no friction
      imp_world_destroy(world);
    }
  }
}


// The force of the slot is perpendicular to the slot, also if slot and pin move.
static void a_slot_pushes_only_across_its_axis(void) {
  ImpWorld *world = make_rig(SI, 240, 0, g);
  ImpBody arm = add_body(world, IMP_BODY_KINEMATIC, 0, 0, 0);
  set_velocity(world, arm, 0, 0, 1);
  ImpBody pin = add_mass(world, 0.5, 0, 2, 0.3);
  ImpJoint slot = add_joint(world, joint_at(IMP_JOINT_PIN_SLOT, arm, pin, 0.5, 0.1));
  double along = 0, reported = 0, most = 0, off = 0, torque = 0;
  for (int i = 0; i < 240; ++i) {
    ImpVec2 before = velocity(world, pin), after;
    double angle = body_get(world, arm, IMP_BODY_ANGLE), dt = 1.0 / 240; // angle at which si computes its rows
    run(world, 1);
    after = velocity(world, pin);
    ImpVec2 force = {2 * (after.x - before.x) / dt, 2 * ((after.y - before.y) / dt + g)};
    ImpReaction r = reaction_of(world, slot);
    along = fmax(along, fabs(cos(angle) * force.x + sin(angle) * force.y));
    reported = fmax(reported, fabs(cos(angle) * r.x + sin(angle) * r.y)); // component along the slot
    torque = fmax(torque, fabs(r.torque));
    most = fmax(most, hypot(r.x, r.y));
    off = fmax(off, fabs(coordinate_of(world, slot, 1).value));
  }
  CHECK(most > 10);
  EXPECT(along / most, 0, 1e-9, "largest m (a - g) along the slot / largest reaction, expected 1e-9");
  EXPECT(reported / most, 0, 1e-9, "largest reaction along the slot / largest reaction, expected 1e-9");
  EXPECT(torque / most, 0, 1e-9, "largest reaction torque about the pin / largest reaction [m], expected 1e-9");
  // A step along the tangent moves the pin off the slot by h^2 w v.
  EXPECT(off, 0, 1e-3, "worst distance of the pin from the slot [m]");
  imp_world_destroy(world);
}


static void a_cantilever_reports_its_root_moment(void) {
  FOR_SOLVERS(s) {
    ImpWorld *world = make_rig(s, 60, 0, 0);
    ImpBody beam = add_mass(world, 0.5, 0, 1, 1.0 / 12);
    ImpJoint root = add_joint(world, joint_at(IMP_JOINT_WELD, ground_of(world), beam, 0, 0));
    for (int i = 0; i < 300; ++i) {
      MUST(imp_body_apply_force_at(world, beam, vec(0, -10), vec(1, 0)));
      run(world, 1);
    }
    ImpReaction r = reaction_of(world, root);
    EXPECT(r.torque, 10, 0.01, "root moment [N m], expected 10 +- 0.1 %");
    EXPECT(r.y, 10, 0.01, "root force [N], expected 10 +- 0.1 %");
    EXPECT(body_get(world, beam, IMP_BODY_ANGLE), 0, 2e-3,
           "tilt of the beam [rad]"); // with solver soft: 5 N m about the beam's centre / (I (2 pi 60 Hz)^2) = 0.4 mrad
    imp_world_destroy(world);
  }
}


// The weld is soft in its angle only, and sags by load / stiffness.
static void a_soft_weld_sags_and_oscillates_at_its_frequency(void) {
  const double hertz = 5, inertia = 1.0 / 3, stiffness = inertia * pow(2 * pi * hertz, 2);
  FOR_SOLVERS(s) {
    ImpWorld *world = make_rig(s, 240, 0, 0);
    ImpBody beam = add_mass(world, 0.5, 0, 1, 1.0 / 12);
    ImpJointDef def = joint_at(IMP_JOINT_WELD, ground_of(world), beam, 0, 0);
    def.drive[2] = spring_at(hertz, 0.7);
    ImpJoint root = add_joint(world, def);
    for (int i = 0; i < 1200; ++i) {
      MUST(imp_body_apply_torque(world, beam, -10));
      run(world, 1);
    }
    EXPECT(coordinate_of(world, root, 2).value / (-10 / stiffness), 1, 0.005,
           "weld: sag of its angle / (load / I w^2), expected 1 +- 0.5 %");
    EXPECT(coordinate_of(world, root, 2).force, 10, 0.05, "weld: torque of the spring [N m], expected 10 +- 0.5 %");
    EXPECT(joint_get(world, root, IMP_JOINT_SEPARATION), 0, 1e-4, "weld: gap of its pin [m]"); // at rest
    imp_world_destroy(world);
  }
}


static void a_wheel_joint_sags_and_turns_freely(void) {
  FOR_SOLVERS(s) {
    ImpWorld *world = make_rig(s, 60, 0, g);
    ImpBody wheel = add_mass(world, 0.3, -1, 5, 0.2);
    ImpJointDef def = joint_at(IMP_JOINT_WHEEL, ground_of(world), wheel, 0.3, -1);
    def.axis = vec(0, 3);
    def.drive[0] = spring_of(1000, 60);
    ImpJoint axle = add_joint(world, def);
    MUST(imp_body_set(world, wheel, IMP_BODY_ANGULAR_VELOCITY, 30));
    for (int i = 0; i < 600; ++i) {
      MUST(imp_body_apply_force(world, wheel, vec(20, 0)));
      run(world, 1);
    }
    EXPECT(value_of(world, axle), -5 * g / 1000, 5e-6, "wheel: sag [m], expected 0.04905 +- 0.01 %");
    EXPECT(coordinate_of(world, axle, 1).force, 20, 0.02, "wheel: force across the axis [N], expected 20 +- 0.1 %");
    EXPECT(spin(world, wheel), 30, 1e-5, "wheel: spin after 10 s [rad/s], expected 30"); // float
    imp_world_destroy(world);
  }
}


// A body on a linear joint moves as a point mass. The joint carries the torque.
static void a_linear_joint_locks_only_the_angle(void) {
  FOR_SOLVERS(s) {
    ImpWorld *world = make_rig(s, 60, 0, g);
    ImpBody body = add_mass(world, 1, 2, 3, 0.4), free = add_mass(world, 1, 2, 3, 0.4);
    ImpJoint joint = add_joint(world, joint_at(IMP_JOINT_LINEAR, ground_of(world), body, 1.5, 2));
    set_velocity(world, body, 3, 4, 0);
    set_velocity(world, free, 3, 4, 0);
    for (int i = 0; i < 60; ++i) {
      MUST(imp_body_apply_torque(world, body, 7));
      run(world, 1);
    }
    ImpVec2 p = position(world, body), q = position(world, free);
    EXPECT(hypot(p.x - q.x, p.y - q.y), 0, 1e-5,
           "linear: difference to free flight after 1 s [m]"); // rounding of floats
    EXPECT(coordinate_of(world, joint, 2).force, -7, 7e-3, "linear: torque [N m], expected -7 +- 0.1 %");
    // Under soft the lock yields by 7 N m / (I (2 pi 60 Hz)^2) = 0.12 mrad.
    EXPECT(body_get(world, body, IMP_BODY_ANGLE), 0, 1e-3, "linear: tilt [rad]");
    imp_world_destroy(world);
  }
}


int main(int argc, char **argv) {
  read_arguments(argc, argv);
  RUN(a_rod_reports_the_weight_with_its_sign);
  RUN(the_reaction_does_not_depend_on_the_step);
  RUN(coincident_pins_share_one_load);
  RUN(coincident_pins_at_rest_carry_the_weight);
  RUN(a_rope_is_slack_below_its_length);
  RUN(a_pendulum_keeps_energy_and_length);
  RUN(a_pendulum_has_a_tension_of_three_weights);
  RUN(a_bar_spins_about_its_end);
  RUN(a_chain_carries_a_hundred_times_a_link_s_mass);
  RUN(a_slider_carries_a_side_load);
  RUN(a_slot_pushes_only_across_its_axis);
  RUN(a_cantilever_reports_its_root_moment);
  RUN(a_soft_weld_sags_and_oscillates_at_its_frequency);
  RUN(a_wheel_joint_sags_and_turns_freely);
  RUN(a_linear_joint_locks_only_the_angle);
  return check_report("joints");
}
