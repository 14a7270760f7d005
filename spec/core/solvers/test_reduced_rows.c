// The solver `reduced`: loops, rods, drives and contacts as rows on trees of joints, the energy ledger, the cost.
#include "bars.h"

enum { REDUCED = IMP_SOLVER_REDUCED, SI = IMP_SOLVER_SI, LINKS = 30 };


static void a_chain_comes_to_rest_on_the_floor(void) {
  ImpWorld *world = make_world(IMP_SOLVER_REDUCED, 1.0 / 60, g);
  add_ground(world, material(1, 0.6, 0), 0);
  ImpBody links[6];
  ImpJoint pins[5];
  for (int i = 0; i < 6; ++i) {
    links[i] = drop_box(world, material(1, 0.6, 0), 0.5 * i, 1);
    if (i > 0) pins[i - 1] = add_joint(world, joint_at(IMP_JOINT_REVOLUTE, links[i - 1], links[i], 0.5 * i - 0.25, 1));
  }
  double open = 0;
  for (int i = 0; i < 600; ++i) {
    run(world, 1);
    for (int k = 0; k < 5; ++k) open = fmax(open, open_of(world, pins[k]));
  }
  CHECK(imp_world_counts(world).awake == 0);
  double lift = 0;
  for (int i = 0; i < 6; ++i) lift += contact_force(world, links[i]).y;
  EXPECT(open, 0, 1e-12, "chain on the floor: worst gap of a pin [m]");
  EXPECT(lift / (6 * g), 1, 1e-3, "force of the floor / weight");
  imp_world_destroy(world);
}


// Servos at the pins of six bars hold the arm level. Every torque has a closed form.
static void servos_hold_an_arm_level(void) {
  ImpWorld *world = make_rig(REDUCED, 60, 0, g);
  ImpBody last = ground_of(world);
  ImpJoint pins[6];
  for (int i = 0; i < 6; ++i) {
    last = add_bar(world, last, i, 0, 1, &pins[i]);
    set_drive(world, pins[i], 2, servo_to(0, HUGE_VAL));
  }
  run(world, 30);
  for (int i = 0; i < 6; ++i) {
    double beyond = 6 - i;
    EXPECT(row_of(world, pins[i], IMP_ROW_SERVO).force, g * beyond * beyond / 2, 1e-9, "torque of a servo [N m]");
    EXPECT(value_of(world, pins[i]), 0, 1e-12, "angle [rad]");
  }
  imp_world_destroy(world);
}


// A pendulum on a rod. Under `reduced` the rod is a row, so the bob moves along chords of the circle.
static void a_rod_keeps_the_energy_of_its_pendulum(void) {
  ImpWorld *world = make_rig(REDUCED, 60, 0, g);
  ImpBody bob = add_mass(world, 1, 0, 1, 0.01);
  ImpJoint rod = hang(world, IMP_JOINT_DISTANCE, bob, 0, 0);
  double start = energy_of(world), open = 0;
  for (int i = 0; i < 600; ++i) {
    run(world, 1);
    open = fmax(open, open_of(world, rod));
  }
  // The pendulum loses at most 2.5 % of m g l.
  EXPECT((energy_of(world) - start) / g, -0.0125, 0.0125, "pendulum on a rod, 60 Hz, 10 s: energy / m g l");
  EXPECT(open, 2 * g / 3600 / 2, 1e-4,
         "pendulum on a rod: length error [m], expected v^2 h^2 / 2 with the speed v at the lowest point");
  imp_world_destroy(world);
}


// A crank of 0.3 m, a coupler of 1 m, a rocker of 0.8 m, feet 0.9 m apart. The crank starts at 10 rad/s. The method for
// loops is of first order.
static double rocker_energy(double rate) {
  ImpWorld *world = make_rig(REDUCED, rate, 0, 0);
  double px = 0, py = 0.3, length = hypot(0.9, 0.3);
  double turn = acos((1 + length * length - 0.64) / (2 * length)) + atan2(-0.3, 0.9);
  double qx = px + cos(turn), qy = py + sin(turn);
  ImpBody crank = add_mass(world, 0, 0.15, 1, 0.09 / 12),
          rocker = add_mass(world, (qx + 0.9) / 2, qy / 2, 1, 0.64 / 12);
  ImpBody coupler = add_mass(world, (px + qx) / 2, (py + qy) / 2, 1, 1.0 / 12), ground = ground_of(world);
  add_joint(world, joint_at(IMP_JOINT_REVOLUTE, ground, crank, 0, 0));
  add_joint(world, joint_at(IMP_JOINT_REVOLUTE, crank, coupler, px, py));
  add_joint(world, joint_at(IMP_JOINT_REVOLUTE, coupler, rocker, qx, qy));
  ImpJoint foot = add_joint(world, joint_at(IMP_JOINT_REVOLUTE, ground, rocker, 0.9, 0));
  set_velocity(world, crank, 0, 0, 10);
  run(world, 1);
  double start = energy_of(world), worst = 0, open = 0;
  for (int i = 0; i < 10 * (int)rate; ++i) {
    run(world, 1);
    worst = fmax(worst, fabs(energy_of(world) / start - 1));
    open = fmax(open, open_of(world, foot));
  }
  EXPECT(open, 0, 5e-3, "four-bar: worst gap of the loop's last pin [m]");
  imp_world_destroy(world);
  return worst;
}


static void a_four_bar_keeps_its_energy_to_first_order(void) {
  double coarse = rocker_energy(60), fine = rocker_energy(240);
  EXPECT(coarse, 0, 0.1, "four-bar, 60 Hz, 10 s: worst change of energy, relative");
  EXPECT(fine, 0, coarse / 3,
         "four-bar, 240 Hz, 10 s: worst change of energy, relative, expected < 1/3 of that at 60 Hz");
}


// Redundant rows are omitted. A pendulum on two pins swings as on one pin.
static void redundant_rows_are_dropped(void) {
  double angle[2];
  for (int pins = 1; pins <= 2; ++pins) {
    ImpWorld *world = make_rig(REDUCED, 60, 0, g);
    ImpBody bar = add_bar(world, ground_of(world), 0, 0, 1, NULL);
    if (pins == 2) add_joint(world, joint_at(IMP_JOINT_REVOLUTE, ground_of(world), bar, 0, 0));
    run(world, 60);
    angle[pins - 1] = angle_of(world, bar);
    CHECK(imp_world_residual(world).redundant == 2 * (pins - 1));
    imp_world_destroy(world);
  }
  CHECK(angle[0] == angle[1]);
}


// Solvers alternate on a chain. Pins stay closed, and poses and velocities do not jump.
static void solvers_can_alternate(void) {
  ImpWorld *world = make_rig(REDUCED, 60, 0, g);
  ImpBody last = ground_of(world);
  ImpJoint pins[5];
  for (int i = 0; i < 5; ++i) last = add_bar(world, last, i, 0, 1, &pins[i]);
  double open = 0, start = energy_of(world), most = start;
  for (int i = 0; i < 600; ++i) {
    MUST(imp_world_set_solver(world, i % 10 < 5 ? IMP_SOLVER_REDUCED : IMP_SOLVER_SOFT));
    run(world, 1);
    for (int k = 0; k < 5; ++k) open = fmax(open, open_of(world, pins[k]));
    most = fmax(most, energy_of(world));
  }
  EXPECT(open, 0, 0.01, "worst joint error while soft and reduced alternate [m], expected 10 mm");
  EXPECT(most - start, 0, 0.01 * 5 * g, "most energy gained [J], expected 1 % of m g l");
  imp_world_destroy(world);
}


static void the_ledger_sums_to_the_change_of_energy(void) {
  ImpWorld *world = make_rig(REDUCED, 60, 0, g);
  set_world(world, IMP_WORLD_AUDITING, 1);
  add_ground(world, material(1, 0.5, 0.3), 0);
  ImpBody arm = add_body(world, IMP_BODY_KINEMATIC, 0, 4, 0), last = arm;
  set_velocity(world, arm, 0.5, 0, 1);
  for (int i = 0; i < 3; ++i) last = add_bar(world, last, i, 4, 1, NULL); // a tree without rows on a rotating base
  ImpBody lone = add_bar(world, ground_of(world), 8, 3, 1, NULL), box = drop_box(world, material(1, 0.5, 0.3), 9, 2);
  ImpJoint knee = add_joint(world, joint_at(IMP_JOINT_REVOLUTE, lone, box, 9, 3));
  set_drive(world, knee, 2, limit_to(-0.5, 0.5));
  ImpBody sprung = add_mass(world, 12, 3, 1, 0.1);
  ImpJointDef def = joint_at(IMP_JOINT_PRISMATIC, ground_of(world), sprung, 12, 3);
  def.place_axis = IMP_PLACE_WORLD;
  def.axis = vec(0, 1);
  set_drive(world, add_joint(world, def), 0, spring_of(40, 1));
  MUST(imp_body_set(world, sprung, IMP_BODY_LINEAR_DAMPING, 0.5));
  double worst = 0;
  for (int i = 0; i < 300; ++i) {
    MUST(imp_body_apply_force(world, last, vec(1, 0)));
    run(world, 1);
    ImpAudit audit;
    MUST(imp_world_audit(world, false, &audit));
    double sum = audit.before;
    for (int k = 0; k < IMP_ENERGY_COUNT; ++k) sum += audit.cause[k];
    worst = fmax(worst, fabs(sum - audit.after));
  }
  EXPECT(worst, 0, 1e-9, "ledger: worst |sum - dE| of a step [J], expected 1e-9");
  ImpAudit whole;
  MUST(imp_world_audit(world, true, &whole));
  CHECK(whole.cause[IMP_ENERGY_DAMPING] < 0 && whole.cause[IMP_ENERGY_SPRING] < 0);
  CHECK(whole.cause[IMP_ENERGY_KINEMATIC] != 0);
  imp_world_destroy(world);
}


static void every_entry_of_the_ledger_has_a_name(void) {
  for (int k = 0; k < IMP_ENERGY_COUNT; ++k) {
    CHECK(imp_energy_cause_name(k) != NULL);
    for (int other = 0; other < k; ++other) CHECK(strcmp(imp_energy_cause_name(k), imp_energy_cause_name(other)) != 0);
  }
  CHECK(imp_energy_cause_name(-1) == NULL && imp_energy_cause_name(IMP_ENERGY_COUNT) == NULL);
}


// ---------------------------------------------------------------------------------------------------------------------
// Cost
// ---------------------------------------------------------------------------------------------------------------------


// Return the tip of a chain of 30 links 1 s after its release from level, and the number of operations.
static ImpVec2 tip_of_chain(int solver, double rate, int iterations, double *out_flops) {
  ImpWorld *world = make_rig(solver, rate, 0, g);
  ImpBody last = ground_of(world);
  for (int i = 0; i < LINKS; ++i) last = add_bar(world, last, i, 0, 1, NULL);
  set_world(world, IMP_WORLD_ITERATIONS, iterations);
  *out_flops = 0;
  for (int i = 0; i < (int)rate; ++i) {
    run(world, 1);
    *out_flops += (double)imp_world_residual(world).flops;
  }
  ImpVec2 tip = position(world, last);
  imp_world_destroy(world);
  return tip;
}


// Number of operations for an error of the tip below 1 cm. For si, the smallest number over several rates and sweeps.
static void a_tree_of_thirty_links_costs_a_tenth_of_si(void) {
  double flops, reduced, least = HUGE_VAL, most = 0.01;
  ImpVec2 truth = tip_of_chain(REDUCED, 960, 1, &flops), tip = tip_of_chain(REDUCED, 30, 1, &reduced);
  EXPECT(hypot(tip.x - truth.x, tip.y - truth.y), 0, most, "reduced at 30 Hz: error of the tip after 1 s [m]");
  for (int rate = 60; rate <= 960; rate *= 2) {
    for (int sweeps = 10; sweeps <= 160; sweeps *= 2) {
      tip = tip_of_chain(SI, rate, sweeps, &flops);
      least = hypot(tip.x - truth.x, tip.y - truth.y) < most ? fmin(least, flops) : least;
    }
  }
  measured("reduced: operations for 1 s", reduced);
  measured("si: operations for 1 s, error below 0.01 m", least);
  measured("si / reduced, expected >= 10", least / reduced);
  CHECK(reduced > 0 && least < HUGE_VAL && least >= 10 * reduced);
}


// The solver stores how each row changes the velocities of its whole tree, in a bounded memory.
static void too_many_rows_on_too_long_a_tree_are_refused(void) {
  ImpWorld *world = make_rig(REDUCED, 60, 0, g);
  ImpBody last = ground_of(world);
  ImpJoint pin;
  for (int i = 0; i < 2500; ++i) {
    last = add_bar(world, last, i, 0, 1, &pin);
    set_drive(world, pin, 2, limit_to(-1, 1));
  }
  CHECK(imp_world_step(world) == IMP_ERR_LIMIT);
  CHECK(strstr(imp_last_error(), "'reduced'") != NULL);
  MUST(imp_world_set_solver(world, IMP_SOLVER_SI));
  run(world, 1);
  imp_world_destroy(world);
}


int main(int argc, char **argv) {
  read_arguments(argc, argv);
  RUN(a_chain_comes_to_rest_on_the_floor);
  RUN(servos_hold_an_arm_level);
  RUN(a_rod_keeps_the_energy_of_its_pendulum);
  RUN(a_four_bar_keeps_its_energy_to_first_order);
  RUN(redundant_rows_are_dropped);
  RUN(solvers_can_alternate);
  RUN(the_ledger_sums_to_the_change_of_energy);
  RUN(every_entry_of_the_ledger_has_a_name);
  RUN(a_tree_of_thirty_links_costs_a_tenth_of_si);
  RUN(too_many_rows_on_too_long_a_tree_are_refused);
  return check_report("reduced rows");
}
