// The solver `reduced`: trees of joints in generalized coordinates, their motion and their joint forces.
#include "bars.h"

enum { REDUCED = IMP_SOLVER_REDUCED, SI = IMP_SOLVER_SI };


// ---------------------------------------------------------------------------------------------------------------------
// Motion of trees
// ---------------------------------------------------------------------------------------------------------------------


// A double pendulum of links of 1 m and 1 kg, released level, for 10 s.
static void a_double_pendulum_keeps_its_energy(void) {
  double final[2];
  for (int turned = 0; turned < 2; ++turned) {
    ImpWorld *world = make_rig(REDUCED, 240, 0, g);
    ImpJoint pins[2];
    ImpBody first = add_bar(world, ground_of(world), 0, 0, 1, &pins[0]), second;
    if (turned) {
      second = add_mass(world, 1.5, 0, 1, 1.0 / 12);
      pins[1] = add_joint(world, joint_at(IMP_JOINT_REVOLUTE, second, first, 1, 0));
    } else {
      second = add_bar(world, first, 1, 0, 1, &pins[1]);
    }
    double start = energy_of(world), worst = 0, open = 0;
    for (int i = 0; i < 2400; ++i) {
      run(world, 1);
      worst = fmax(worst, fabs(energy_of(world) - start));
      open = fmax(open, fmax(open_of(world, pins[0]), open_of(world, pins[1])));
      if (i == 239) final[turned] = angle_of(world, second);
    }
    EXPECT(worst, 0, 1e-4, "double pendulum, 240 Hz, 10 s: worst |dE| [J], expected < 1e-4");
    EXPECT(open, 0, 1e-12, "double pendulum: worst separation of its pins [m], expected <= 1e-12");
    imp_world_destroy(world);
  }
  EXPECT(final[1] - final[0], 0, 1e-9,
         "double pendulum: change of an angle after 1 s if body_a and body_b are swapped [rad]");
}


// Return the position of the second link of a double pendulum after 0.5 s.
static ImpVec2 after_half_a_second(int solver, double rate) {
  ImpWorld *world = make_rig(solver, rate, 0, g);
  ImpBody first = add_bar(world, ground_of(world), 0, 0, 1, NULL), second = add_bar(world, first, 1, 0, 1, NULL);
  set_world(world, IMP_WORLD_ITERATIONS, 300);
  run(world, (int)(rate / 2));
  ImpVec2 p = position(world, second);
  imp_world_destroy(world);
  return p;
}


// As h goes to 0, si converges at first order to the result of reduced. Reduced converges at fourth order.
static void maximal_coordinates_agree_to_first_order(void) {
  ImpVec2 truth = after_half_a_second(REDUCED, 3840);
  double off[3], own[2];
  for (int i = 0; i < 3; ++i) {
    ImpVec2 p = after_half_a_second(SI, 120 << i);
    off[i] = hypot(p.x - truth.x, p.y - truth.y);
  }
  for (int i = 0; i < 2; ++i) {
    ImpVec2 p = after_half_a_second(REDUCED, 30 << i);
    own[i] = hypot(p.x - truth.x, p.y - truth.y);
  }
  EXPECT(off[0] / off[1], 2, 0.25, "si: error at 120 Hz / at 240 Hz, expected 2 for O(h)");
  EXPECT(off[1] / off[2], 2, 0.15, "si: error at 240 Hz / at 480 Hz, expected 2 for O(h)");
  EXPECT(log(own[0] / own[1]) / log(2), 4, 0.5, "reduced: order of the error between 30 and 60 Hz, expected 4");
}


// Return the period of a pendulum of small-angle frequency w: T = 4 K(sin(a / 2)) / w. The arithmetic-geometric mean
// gives the complete elliptic integral K.
static double pendulum_period(double w, double amplitude) {
  double a = 1, b = cos(amplitude / 2);
  for (int i = 0; i < 8; ++i) {
    double mean = (a + b) / 2;
    b = sqrt(a * b);
    a = mean;
  }
  return 2 * pi / (a * w);
}


// A bar is released at 1 rad from straight down. In the second case a point mass is pinned to the bar's end.
static void pendulums_keep_their_period(void) {
  for (int weight = 0; weight < 2; ++weight) {
    ImpWorld *world = make_rig(REDUCED, 60, 0, g);
    ImpBody bar = add_mass(world, 0.5 * sin(1), -0.5 * cos(1), 1, 1.0 / 12);
    add_joint(world, joint_at(IMP_JOINT_REVOLUTE, ground_of(world), bar, 0, 0));
    if (weight) {
      ImpBody point = add_mass(world, sin(1), -cos(1), 2, 0);
      add_joint(world, joint_at(IMP_JOINT_REVOLUTE, point, bar, sin(1), -cos(1)));
    }
    double w0 = sqrt(g * (0.5 + 2 * weight) / (1.0 / 3 + 2 * weight)), last = 1, first = 0, time = 0;
    for (int i = 1, count = 0; i < 6000 && count < 21; ++i) {
      run(world, 1);
      double x = position(world, bar).x;
      if (last * x <= 0) {
        time = (i - x / (x - last)) / 60;
        first = count++ == 0 ? time : first;
      }
      last = x;
    }
    // The linear interpolation of crossings has an error of 1e-5 of a period.
    EXPECT((time - first) / 10 / pendulum_period(w0, 1), 1, 2e-5, "period at 60 Hz / elliptic integral");
    imp_world_destroy(world);
  }
}


// The reaction F = m (g + alpha x r - w^2 r) of a swinging bar, integrated over two steps by Simpson's rule.
static void a_swinging_bar_has_the_reaction_of_its_motion(void) {
  ImpWorld *world = make_rig(REDUCED, 240, 0, g);
  ImpJoint pin;
  ImpBody bar = add_bar(world, ground_of(world), 0, 0, 1, &pin);
  ImpVec2 force[3] = {{0, 0}}, told[2] = {{0, 0}};
  double worst = 0, most = 0;
  for (int i = 0; i < 480; ++i) {
    run(world, 1);
    ImpVec2 r = position(world, bar);
    ImpReaction now = reaction_of(world, pin);
    double w = spin(world, bar), alpha = -g * r.x / (1.0 / 3);
    force[0] = force[1];
    force[1] = force[2];
    force[2] = vec(-alpha * r.y - w * w * r.x, g + alpha * r.x - w * w * r.y);
    told[0] = told[1];
    told[1] = vec(now.x, now.y);
    ImpVec2 mean = {(force[0].x + 4 * force[1].x + force[2].x) / 6, (force[0].y + 4 * force[1].y + force[2].y) / 6};
    if (i > 2) worst = fmax(worst, hypot((told[0].x + told[1].x) / 2 - mean.x, (told[0].y + told[1].y) / 2 - mean.y));
    most = fmax(most, hypot(now.x, now.y));
  }
  EXPECT(most / g, 2.5, 1e-3, "greatest pull of a bar released level / m g, expected 5/2");
  EXPECT(worst / g, 0, 1e-5, "worst (pull - m (g + a)) / m g, expected (w h)^4");
  imp_world_destroy(world);
}


// On axes 30 degrees down a slider falls by g sin(30) t^2 / 2, or oscillates on a spring.
static void sliders_move_in_closed_form(void) {
  ImpWorld *world = make_rig(REDUCED, 60, 0, g);
  ImpBody block = add_mass(world, 0, 0, 2, 0.3), sprung = add_mass(world, 9, 0, 2, 0.3);
  ImpJointDef def = joint_at(IMP_JOINT_PRISMATIC, ground_of(world), block, 0, 0);
  def.place_axis = IMP_PLACE_WORLD;
  def.axis = vec(cos(pi / 6), -sin(pi / 6));
  add_joint(world, def);
  def = joint_at(IMP_JOINT_WHEEL, ground_of(world), sprung, 9, 0);
  def.place_axis = IMP_PLACE_WORLD;
  def.axis = vec(0, 1);
  ImpJoint wheel = add_joint(world, def);
  set_drive(world, wheel, 0, spring_of(50, 4));
  set_velocity(world, sprung, 0, 0, 3);
  run(world, 60);
  EXPECT(hypot(position(world, block).x, position(world, block).y), 0.25 * g, 1e-12, "slope of 30 degrees, 1 s [m]");
  double rest = -2 * g / 50, d = 1, w = sqrt(25 - d * d); // d = c / 2 m
  double expected = rest - rest * exp(-d) * (cos(w) + d / w * sin(w));
  EXPECT(value_of(world, wheel), expected, 1e-6, "wheel on a damped spring after 1 s [m]"); // RK4: (w h)^4 / 120
  EXPECT(angle_of(world, sprung), 3, 1e-12, "rotation [rad], expected 3");
  imp_world_destroy(world);
}


// A bead on a rod that turns at 2 rad/s: r = r0 cosh(w t). A pendulum swings equally
// on a cart at 1 m/s and on a cart at rest.
static void trees_can_have_a_kinematic_base(void) {
  ImpWorld *world = make_rig(REDUCED, 60, 0, 0);
  ImpBody rod = add_body(world, IMP_BODY_KINEMATIC, 0, 0, 0), bead = add_mass(world, 0.1, 0, 1, 0.1);
  set_velocity(world, rod, 0, 0, 2);
  set_velocity(world, bead, 0, 0.2, 2);
  ImpJoint rail = add_joint(world, joint_at(IMP_JOINT_PRISMATIC, rod, bead, 0, 0));
  run(world, 60);
  // Anchors are at the rod's middle, so the value of the coordinate is the displacement of the bead.
  EXPECT(value_of(world, rail) + 0.1, 0.1 * cosh(2), 1e-7, "bead on a turning rod after 1 s [m], expected 0.1 cosh 2");
  EXPECT(open_of(world, rail), 0, 1e-12, "distance from the rod [m]");
  imp_world_destroy(world);
  double angle[2];
  for (int moving = 0; moving < 2; ++moving) {
    world = make_rig(REDUCED, 60, 0, g);
    ImpBody cart = add_body(world, IMP_BODY_KINEMATIC, 0, 0, 0);
    ImpBody bar = add_bar(world, cart, 0, 0, 1, NULL);
    add_bar(world, bar, 1, 0, 1, NULL);
    set_velocity(world, cart, moving, 0, 0);
    set_velocity(world, bar, moving, 0, 0);
    set_velocity(world, imp_world_next_body(world, bar), moving, 0, 0);
    run(world, 120);
    angle[moving] = angle_of(world, bar);
    imp_world_destroy(world);
  }
  EXPECT(angle[1] - angle[0], 0, 1e-9, "angle after 2 s on a cart at 1 m/s - angle on a cart at rest [rad]");
}


// An impulse J at the end of a bar of length l turns the bar about its pin at J l / I.
static void impulses_act_through_the_tree(void) {
  ImpWorld *world = make_rig(REDUCED, 240, 0, 0);
  ImpBody bar = add_bar(world, ground_of(world), 0, 0, 3, NULL);
  MUST(imp_body_apply_impulse_at(world, bar, vec(0, 2), vec(1, 0)));
  run(world, 1);
  EXPECT(spin(world, bar), 2, 1e-12, "bar of 3 kg struck by 2 N s at its end [rad/s], expected 2");
  imp_world_destroy(world);
}


// A free tree of bodies is thrown with rotation. `loop`: a last pin closes the tree to a ring.
static void free_trees_keep_their_momenta(void) {
  for (int loop = 0; loop < 2; ++loop) {
    ImpWorld *world = make_rig(REDUCED, 60, 0, 0);
    ImpBody bars[4];
    double corner[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    for (int i = 0; i < 4; ++i) {
      bars[i] = add_mass(world, (corner[i][0] + corner[(i + 1) % 4][0]) / 2,
                         (corner[i][1] + corner[(i + 1) % 4][1]) / 2, 1 + i, 0.2);
      if (i > 0) add_joint(world, joint_at(IMP_JOINT_REVOLUTE, bars[i - 1], bars[i], corner[i][0], corner[i][1]));
    }
    if (loop) add_joint(world, joint_at(IMP_JOINT_REVOLUTE, bars[3], bars[0], 0, 0));
    for (int i = 0; i < 4; ++i) set_velocity(world, bars[i], i, 2 - i, 3 - i);
    run(world, 1);
    ImpMomentum p = imp_world_momentum(world);
    EXPECT(p.x, 20, 1e-12, "thrown tree: momentum along x [N s]"); // 0 + 2 + 6 + 12
    EXPECT(p.y, 0, 1e-12, "along y");                              // 2 + 2 + 0 - 4
    double worst = 0, spun = 0, angular = p.angular, e = energy_of(world);
    for (int i = 0; i < 600; ++i) {
      run(world, 1);
      ImpMomentum now = imp_world_momentum(world);
      worst = fmax(worst, hypot(now.x - p.x, now.y - p.y));
      spun = fmax(spun, fabs(now.angular - angular));
    }
    EXPECT(worst, 0, 1e-11, "10 s: change of linear momentum [N s], expected rounding");
    // The path of the centre has the error of the integration method.
    EXPECT(spun / angular, 0, loop ? 0.05 : 1e-5,
           "10 s: change of angular momentum about the origin / initial angular momentum");
    EXPECT(energy_of(world) / e, 1, loop ? 0.05 : 1e-4, "remaining energy");
    imp_world_destroy(world);
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Joint forces
// ---------------------------------------------------------------------------------------------------------------------


static void chains_have_the_weight_below_as_tension(void) {
  ImpWorld *world = make_rig(REDUCED, 60, 0, g);
  ImpBody above = ground_of(world);
  ImpJoint pins[3];
  for (int i = 0; i < 3; ++i) {
    ImpBody weight = add_mass(world, 0, -1 - i, 1, 0.1);
    pins[i] = add_joint(world, joint_at(IMP_JOINT_REVOLUTE, above, weight, 0, -i));
    above = weight;
  }
  run(world, 1);
  for (int i = 0; i < 3; ++i) {
    ImpReaction r = reaction_of(world, pins[i]);
    EXPECT(hypot(r.x, r.y), (3 - i) * g, 1e-4 * g, "tension [N], expected 29.43, 19.62, 9.81 +- 0.01 %");
  }
  imp_world_destroy(world);
}


// A weightless cantilever of 1 m with 10 N at the tip, in one piece or of five welded bodies.
static void a_cantilever_reports_its_moment_at_the_root(void) {
  for (int pieces = 1; pieces <= 5; pieces += 4) {
    ImpWorld *world = make_rig(REDUCED, 60, 0, 0);
    ImpBody last = ground_of(world);
    ImpJoint root = {0};
    double length = 1.0 / pieces;
    for (int i = 0; i < pieces; ++i) {
      ImpBody piece = add_mass(world, (i + 0.5) * length, 0, 0.2, 0.2 * length * length / 12);
      ImpJoint weld = add_joint(world, joint_at(IMP_JOINT_WELD, last, piece, i * length, 0));
      root = i == 0 ? weld : root;
      last = piece;
    }
    for (int i = 0; i < 10; ++i) {
      MUST(imp_body_apply_force_at(world, last, vec(0, -10), vec(1, 0)));
      run(world, 1);
    }
    ImpReaction r = reaction_of(world, root);
    EXPECT(fabs(r.torque), 10, 0.01, "moment at the root [N m], expected 10 +- 0.1 %");
    EXPECT(r.y, 10, 0.01, "force at the root [N]");
    EXPECT(open_of(world, root), 0, 1e-12, "gap [m or rad]");
    imp_world_destroy(world);
  }
}


// Two bars of m = 2 kg lean on each other at a = 60 degrees, with W = 30 N on the apex. A foot carries m g + W / 2
// downward and (m g / 2 + W / 2) cot a outward.
static void a_truss_carries_its_load(void) {
  ImpWorld *world = make_rig(REDUCED, 60, 0, g);
  double a = pi / 3, x = cos(a), y = sin(a);
  ImpBody left = add_mass(world, x / 2, y / 2, 2, 2.0 / 12), right = add_mass(world, 1.5 * x, y / 2, 2, 2.0 / 12);
  ImpJoint feet[2] = {add_joint(world, joint_at(IMP_JOINT_REVOLUTE, ground_of(world), left, 0, 0)),
                      add_joint(world, joint_at(IMP_JOINT_REVOLUTE, ground_of(world), right, 2 * x, 0))};
  ImpJoint apex = add_joint(world, joint_at(IMP_JOINT_REVOLUTE, left, right, x, y));
  for (int i = 0; i < 60; ++i) {
    MUST(imp_body_apply_force_at(world, left, vec(0, -30), vec(x, y)));
    run(world, 1);
  }
  double out = (g + 15) / tan(a);
  for (int i = 0; i < 2; ++i) {
    ImpReaction r = reaction_of(world, feet[i]);
    EXPECT(r.y, 2 * g + 15, 1e-3 * out, "truss: force up at a foot [N]");
    EXPECT(r.x, i == 0 ? out : -out, 1e-3 * out, "truss: force inward at a foot [N]");
  }
  EXPECT(open_of(world, apex), 0, 1e-9, "truss: gap at the apex [m]");
  imp_world_destroy(world);
}


// Forces on a tree at rest. Accelerations satisfy all locks, J M^-1 (F + J^T lambda) = 0, and the locks do no work.
static void forces_move_trees_along_their_joints(void) {
  double worst = 0, work = 0;
  for (int trial = 0; trial < 50; ++trial) {
    ImpWorld *world = make_rig(REDUCED, 1e6, 0, 0);
    ImpBody bodies[7] = {ground_of(world)};
    for (int i = 1; i < 7; ++i) {
      static const ImpJointKind kinds[] = {IMP_JOINT_REVOLUTE, IMP_JOINT_PRISMATIC, IMP_JOINT_WELD,
                                           IMP_JOINT_WHEEL,    IMP_JOINT_PIN_SLOT,  IMP_JOINT_LINEAR};
      bodies[i] = add_mass(world, random_in(-2, 2), random_in(-2, 2), random_in(0.3, 3), random_in(0.1, 1));
      ImpBody other = bodies[(int)random_in(trial % 2, i)]; // in odd trials the tree is not joined to the ground
      bool swap = random_in(0, 1) < 0.5;
      if (i > 1 || trial % 2 == 0) {
        ImpBody a = swap ? bodies[i] : other, b = swap ? other : bodies[i];
        add_joint(world, joint_at(kinds[(int)random_in(0, 6)], a, b, random_in(-2, 2), random_in(-2, 2)));
      }
    }
    for (int i = 1; i < 7; ++i) {
      MUST(imp_body_apply_force(world, bodies[i], vec(random_in(-0.01, 0.01), random_in(-0.01, 0.01))));
      MUST(imp_body_apply_torque(world, bodies[i], random_in(-0.01, 0.01)));
    }
    run(world, 1);
    const ImpRowInfo *rows = NULL;
    int count = 0;
    MUST(imp_world_rows(world, &rows, &count));
    for (int i = 0; i < count; ++i) {
      CHECK(rows[i].kind == IMP_ROW_LOCK);
      worst = fmax(worst, fabs(rows[i].speed) * 1e6);
      work = fmax(work, fabs(rows[i].power));
    }
    imp_world_destroy(world);
  }
  EXPECT(worst, 0, 1e-13, "worst J M^-1 P F [m/s^2], at accelerations of 0.1, expected 1e-13");
  EXPECT(work, 0, 1e-12, "worst power of a lock [W]");
}


int main(int argc, char **argv) {
  read_arguments(argc, argv);
  RUN(a_double_pendulum_keeps_its_energy);
  RUN(maximal_coordinates_agree_to_first_order);
  RUN(pendulums_keep_their_period);
  RUN(a_swinging_bar_has_the_reaction_of_its_motion);
  RUN(sliders_move_in_closed_form);
  RUN(trees_can_have_a_kinematic_base);
  RUN(impulses_act_through_the_tree);
  RUN(free_trees_keep_their_momenta);
  RUN(chains_have_the_weight_below_as_tension);
  RUN(a_cantilever_reports_its_moment_at_the_root);
  RUN(a_truss_carries_its_load);
  RUN(forces_move_trees_along_their_joints);
  return check_report("reduced");
}
