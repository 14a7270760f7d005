// Sleep of jointed bodies: what keeps bodies awake, what wakes bodies.
#include "rig.h"

static bool is_awake(const ImpWorld *world, ImpBody body) { return body_get(world, body, IMP_BODY_AWAKE) == 1; }


static ImpWorld *make_sleepy(int solver) {
  ImpWorld *world = make_rig(solver, 60, 0, g);
  set_world(world, IMP_WORLD_SLEEP, 1);
  return world;
}


// A disc of 2 kg hangs at rest on a rod of 1 m. The sleep threshold compares angular speed times size of the shapes, so
// the disc has a shape.
static ImpBody hang_disc(ImpWorld *world, double x, ImpJoint *out_rod) {
  ImpBody disc = add_body(world, IMP_BODY_DYNAMIC, x, -1, 0);
  add_circle(world, disc, material(1, 0.5, 0), 0.2);
  MUST(imp_body_set(world, disc, IMP_BODY_MASS, 2));
  *out_rod = hang(world, IMP_JOINT_DISTANCE, disc, x, 0);
  return disc;
}


// Steps until sleep: 0.5 s of rest (IMPI_SLEEP_TIME), and some steps to come to rest.
enum { TO_REST = 45 };

static void a_hanging_body_at_rest_falls_asleep(void) {
  FOR_EVERY_SOLVER(s) {
    ImpWorld *world = make_sleepy(s);
    ImpJoint rod;
    ImpBody disc = hang_disc(world, 0, &rod);
    run(world, 10);
    CHECK(is_awake(world, disc));
    run(world, TO_REST);
    CHECK(!is_awake(world, disc));
    CHECK_NEAR(force_of(world, rod), -2 * g, 0.02); // the load still hangs on the rod
    ImpVec2 p = position(world, disc);
    run(world, 600);
    CHECK(position(world, disc).y == p.y && !is_awake(world, disc));
    MUST(imp_body_apply_impulse(world, disc, vec(1, 0)));
    run(world, 60);
    CHECK(is_awake(world, disc));
    // In a step the `si` solver moves the disc by v h along the tangent, which lengthens the rod by (v h)^2 / 2.
    CHECK_NEAR(hypot(position(world, disc).x, position(world, disc).y), 1, s == 0 ? 1e-3 : 5e-3);
    imp_world_destroy(world);
  }
}


// Two discs joined by a spring fall asleep together and wake together.
static void jointed_bodies_sleep_and_wake_together(void) {
  FOR_EVERY_SOLVER(s) {
    ImpWorld *world = make_sleepy(s);
    ImpJoint rods[2];
    ImpBody a = hang_disc(world, 0, &rods[0]), b = hang_disc(world, 1, &rods[1]);
    ImpBody alone = hang_disc(world, 5, &rods[0]);
    ImpDrive soft = spring_of(50, 1);
    ImpJointDef def = imp_joint_def(IMP_JOINT_DISTANCE, a, b);
    soft.rest = 1;
    def.drive[0] = soft;
    add_joint(world, def);
    set_velocity(world, a, 0.5, 0, 0);
    MUST(imp_body_set(world, a, IMP_BODY_LINEAR_DAMPING, 0.5)); // without damping the disc swings forever
    MUST(imp_body_set(world, b, IMP_BODY_LINEAR_DAMPING, 0.5));
    bool together = true;
    int i = 0;
    for (; i < 3600 && (is_awake(world, a) || i < TO_REST); ++i) {
      run(world, 1);
      together = together && is_awake(world, a) == is_awake(world, b);
      if (i == 100) CHECK(!is_awake(world, alone));
    }
    CHECK(together && !is_awake(world, a));
    measured("two jointed pendulums are at rest after [s]", i / 60.0);
    MUST(imp_body_apply_impulse(world, b, vec(0.5, 0)));
    CHECK(is_awake(world, a) && is_awake(world, b) && !is_awake(world, alone));
    imp_world_destroy(world);
  }
}


// Return whether a wheel on a hinge with a drive falls asleep.
static bool sleeps_with(int solver, ImpDrive drive) {
  ImpWorld *world = make_sleepy(solver);
  ImpBody wheel = add_body(world, IMP_BODY_DYNAMIC, 0, 0, 0);
  add_circle(world, wheel, material(1, 0.5, 0), 0.5);
  ImpJointDef def = joint_at(IMP_JOINT_REVOLUTE, ground_of(world), wheel, 0, 0);
  def.drive[2] = drive;
  add_joint(world, def);
  run(world, 240);
  bool asleep = !is_awake(world, wheel);
  imp_world_destroy(world);
  return asleep;
}


static void only_drives_that_move_by_themselves_keep_bodies_awake(void) {
  FOR_EVERY_SOLVER(s) {
    CHECK(sleeps_with(s, imp_drive()));
    CHECK(sleeps_with(s, motor_of(0, 10))); // a brake
    CHECK(sleeps_with(s, servo_to(0.5, 10)));
    CHECK(sleeps_with(s, spring_at(2, 1)));
    CHECK(sleeps_with(s, limit_to(0, 1)));
    CHECK(!sleeps_with(s, motor_of(2, 10)));
    // A motor keeps the wheel awake even below the sleep threshold.
    CHECK(!sleeps_with(s, motor_of(0.01, 10)));
    CHECK(sleeps_with(s, motor_of(2, 0))); // a motor without force
    ImpDrive moving = servo_to(0, 10);
    moving.target_speed = 0.01;
    CHECK(!sleeps_with(s, moving));
  }
}


// A constraint function that depends on time may move the joint's bodies at any time.
static void bodies_of_constraints_of_time_never_sleep(void) {
  FOR_EVERY_SOLVER(s) {
    for (int timed = 0; timed < 2; ++timed) {
      ImpWorld *world = make_sleepy(s);
      ImpBody bob = add_body(world, IMP_BODY_PARTICLE, 0, -1, 0);
      Tape tape = {0};
      int32_t length = put(&tape, IMP_OP_SQRT, put_square(&tape), -1);
      int32_t t = timed ? put(&tape, IMP_OP_TIME, -1, -1) : number(&tape, 0);
      int32_t wanted = put(&tape, IMP_OP_MAX, number(&tape, 1), put(&tape, IMP_OP_SUB, t, number(&tape, 4)));
      put(&tape, IMP_OP_SUB, length, wanted); // length 1 m for 5 s, then longer
      add_tape(world, bob, &tape, imp_drive());
      run(world, 240);
      CHECK(is_awake(world, bob) == timed);
      run(world, 240);
      CHECK_NEAR(position(world, bob).y, timed ? -4 : -1, 1e-3); // the soft solver's rod yields under load
      imp_world_destroy(world);
    }
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Waking
// ---------------------------------------------------------------------------------------------------------------------

typedef struct Sleeper {
  ImpWorld *world;
  ImpBody body, anchor; // the body hangs from the anchor, a kinematic body
  ImpJoint joint, tape;
} Sleeper;


static Sleeper make_sleeper(int solver, ImpJointKind kind) {
  Sleeper z = {.world = make_sleepy(solver)};
  z.anchor = add_body(z.world, IMP_BODY_KINEMATIC, 0, 0, 0);
  z.body = add_body(z.world, IMP_BODY_DYNAMIC, 0, -1, 0);
  add_circle(z.world, z.body, material(1, 0.5, 0), 0.2);
  ImpJointDef def = imp_joint_def(kind, kind == IMP_JOINT_DRAG ? (ImpBody){0} : z.anchor, z.body);
  if (kind == IMP_JOINT_PRISMATIC) def.drive[0] = servo_to(0, 1e4);
  z.joint = add_joint(z.world, def);
  run(z.world, 4 * TO_REST);
  CHECK(!is_awake(z.world, z.body));
  return z;
}


static void check_woken(Sleeper *z, const char *what) {
  bool awake = is_awake(z->world, z->body);
  check_that(awake, __FILE__, __LINE__, what);
  run(z->world, 1);
  check_that(is_awake(z->world, z->body), __FILE__, __LINE__, what);
  imp_world_destroy(z->world);
}


static void every_change_of_a_joint_wakes_its_bodies(void) {
  FOR_EVERY_SOLVER(s) {
    Sleeper z = make_sleeper(s, IMP_JOINT_PRISMATIC);
    MUST(imp_joint_set(z.world, z.joint, IMP_JOINT_TARGET, 0.5));
    check_woken(&z, "a new target of a servo wakes the body");

    z = make_sleeper(s, IMP_JOINT_PRISMATIC);
    set_drive(z.world, z.joint, 0, motor_of(1, 10));
    check_woken(&z, "a new drive wakes the body");

    z = make_sleeper(s, IMP_JOINT_POSE);
    MUST(imp_joint_set_target(z.world, z.joint, vec(1, 0)));
    check_woken(&z, "a new target of a pose joint wakes the body");

    z = make_sleeper(s, IMP_JOINT_DRAG);
    MUST(imp_joint_set_target(z.world, z.joint, vec(1, 0)));
    check_woken(&z, "a new target of a drag joint wakes the body");

    z = make_sleeper(s, IMP_JOINT_DISTANCE);
    MUST(imp_joint_break(z.world, z.joint, false));
    check_woken(&z, "the break of a joint wakes the body");

    z = make_sleeper(s, IMP_JOINT_DISTANCE);
    MUST(imp_joint_destroy(z.world, z.joint));
    check_woken(&z, "the destruction of a joint wakes the body");

    z = make_sleeper(s, IMP_JOINT_DISTANCE);
    hang(z.world, IMP_JOINT_ROPE, z.body, 0, 5);
    check_woken(&z, "a new joint wakes the body");

    z = make_sleeper(s, IMP_JOINT_DISTANCE);
    MUST(imp_body_set_velocity(z.world, z.anchor, vec(1, 0)));
    check_woken(&z, "a kinematic body that starts to move wakes its jointed bodies");

    z = make_sleeper(s, IMP_JOINT_DISTANCE);
    MUST(imp_body_set(z.world, z.anchor, IMP_BODY_ANGULAR_VELOCITY, 1));
    check_woken(&z, "a kinematic body that starts to turn wakes its jointed bodies");

    z = make_sleeper(s, IMP_JOINT_DISTANCE);
    MUST(imp_body_set_position(z.world, z.anchor, vec(0.1, 0)));
    check_woken(&z, "a teleport of one jointed body wakes the other");

    z = make_sleeper(s, IMP_JOINT_DISTANCE);
    MUST(imp_body_destroy(z.world, z.anchor));
    check_woken(&z, "the destruction of one jointed body wakes the other");
  }
}


static void a_change_of_a_parameter_wakes_the_bodies(void) {
  FOR_EVERY_SOLVER(s) {
    ImpWorld *world = make_sleepy(s);
    ImpBody bob = add_body(world, IMP_BODY_PARTICLE, 0, -1, 0);
    Tape tape = {0};
    int32_t length = put(&tape, IMP_OP_SQRT, put_square(&tape), -1);
    const int32_t result = put(&tape, IMP_OP_SUB, length, put(&tape, IMP_OP_PARAM, 0, -1));
    const double one = 1;
    ImpConstraintDef def = imp_constraint_def();
    def.bodies = &bob;
    def.body_count = def.param_count = 1;
    def.params = &one;
    def.tape = (ImpTapeDef){.nodes = tape.nodes, .node_count = tape.count, .results = &result, .result_count = 1};
    ImpJoint joint = {0};
    MUST(imp_constraint_create(world, &def, &joint));
    run(world, 120);
    CHECK(!is_awake(world, bob));
    MUST(imp_constraint_set_param(world, joint, 0, 1.1));
    CHECK(is_awake(world, bob));
    run(world, 240);
    CHECK_NEAR(position(world, bob).y, -1.1, 1e-3); // the soft solver's joint yields under load
    CHECK(!is_awake(world, bob));
    imp_world_destroy(world);
  }
}


// A body on a moving kinematic body stays awake, however slow the motion.
static void a_moving_anchor_keeps_its_bodies_awake(void) {
  FOR_EVERY_SOLVER(s) {
    Sleeper z = make_sleeper(s, IMP_JOINT_DISTANCE);
    MUST(imp_body_set_velocity(z.world, z.anchor, vec(0.01, 0)));
    run(z.world, 600);
    CHECK(is_awake(z.world, z.body));
    CHECK_NEAR(position(z.world, z.body).x, 0.1, 0.01); // the body swings by v / sqrt(g / l) = 3 mm
    MUST(imp_body_set_velocity(z.world, z.anchor, vec(0, 0)));
    run(z.world, 240);
    CHECK(is_awake(z.world, z.body)); // the body swings by 3 mm, three times the motion that sleep may stop
    MUST(imp_body_set(z.world, z.body, IMP_BODY_LINEAR_DAMPING, 5));
    run(z.world, 300);
    CHECK(!is_awake(z.world, z.body));
    imp_world_destroy(z.world);
  }
}


int main(int argc, char **argv) {
  read_arguments(argc, argv);
  RUN(a_hanging_body_at_rest_falls_asleep);
  RUN(jointed_bodies_sleep_and_wake_together);
  RUN(only_drives_that_move_by_themselves_keep_bodies_awake);
  RUN(bodies_of_constraints_of_time_never_sleep);
  RUN(every_change_of_a_joint_wakes_its_bodies);
  RUN(a_change_of_a_parameter_wakes_the_bodies);
  RUN(a_moving_anchor_keeps_its_bodies_awake);
  return check_report("joint sleep");
}
