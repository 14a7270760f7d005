// What would make an object again: a definition that is read back, and what is made from it, are the same to the bit.
#include "rig.h"


static bool same_vec(ImpVec2 a, ImpVec2 b) { return a.x == b.x && a.y == b.y; }


static void a_world_goes_on_with_its_clock_and_its_random_numbers(void) {
  ImpWorldDef def = imp_world_def();
  def.gravity = vec(1, -3);
  def.dt = 0.01;
  def.seed = 9;
  def.solver = IMP_SOLVER_NGS;
  def.order = IMP_ORDER_SHUFFLED;
  ImpWorld *world = NULL, *again = NULL;
  MUST(imp_world_create(&def, &world));
  run(world, 7);
  set_world(world, IMP_WORLD_DT, 0.03);
  run(world, 5);
  imp_world_random(world);
  ImpWorldDef read = imp_world_definition(world);
  CHECK(read.dt == 0.03 && read.seed == 9 && same_vec(read.gravity, def.gravity) && read.tick == 12);
  CHECK(read.solver == def.solver && read.order == def.order);
  MUST(imp_world_create(&read, &again));
  uint64_t state[4];
  imp_world_generator(world, state);
  MUST(imp_world_set_generator(again, state));
  CHECK(imp_world_hash(again) == imp_world_hash(world));
  run(world, 5);
  run(again, 5);
  double time = 0, other = 1;
  MUST(imp_world_get(world, IMP_WORLD_TIME, &time));
  MUST(imp_world_get(again, IMP_WORLD_TIME, &other));
  CHECK(time == other);
  CHECK(imp_world_random(again) == imp_world_random(world));
  const uint64_t zero[4] = {0};
  CHECK(imp_world_set_generator(again, zero) == IMP_ERR_ARGUMENT);
  read.time = -1;
  CHECK(imp_world_create(&read, &again) == IMP_ERR_ARGUMENT);
  imp_world_destroy(again);
  imp_world_destroy(world);
}


static void bodies_and_shapes_are_made_again_as_they_are_now(void) {
  ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 9.81);
  for (int type = 0; type < IMP_BODY_TYPE_COUNT; ++type) {
    bool turns = type != IMP_BODY_PARTICLE, moves = type != IMP_BODY_STATIC;
    ImpBodyDef def = imp_body_def();
    def.type = (ImpBodyType)type;
    def.position = vec(5 * type, 3);
    def.angle = turns ? 0.3 : 0;
    def.velocity = moves ? vec(1, 2) : vec(0, 0);
    def.angular_velocity = turns && moves ? 3 : 0;
    def.linear_damping = 0.1;
    def.mass = 2;
    ImpBody body = {0}, copy = {0};
    ImpShape box = {0}, other = {0};
    ImpShapeDef shape_def = imp_shape_def(), shape_read;
    shape_def.one_way = vec(0.3, 0.7);
    MUST(imp_body_create(world, &def, &body));
    MUST(imp_body_add_box(world, body, &shape_def, 1, 2, vec(0.3, 0.1), 0.7, 0.05, &box));
    run(world, 11);
    MUST(imp_body_definition(world, body, &def));
    CHECK(def.mass == 2 && def.inertia == 0);
    ImpShapeForm form, form_again;
    MUST(imp_shape_definition(world, box, &shape_read, &form));
    CHECK(form.type == IMP_SHAPE_BOX && form.width == 1 && form.height == 2 && form.angle == 0.7);
    CHECK(same_vec(form.center, vec(0.3, 0.1)) && form.radius == 0.05);

    MUST(imp_body_create(world, &def, &copy));
    MUST(imp_body_add_box(world, copy, &shape_read, form.width, form.height, form.center, form.angle, form.radius,
                          &other));
    ImpVec2 center, now;
    MUST(imp_body_center(world, body, &center));
    MUST(imp_body_set_center(world, copy, center));
    MUST(imp_body_center(world, copy, &now));
    CHECK(same_vec(center, now));
    ImpBodyDef def_again;
    ImpShapeDef shape_again;
    MUST(imp_body_definition(world, copy, &def_again));
    MUST(imp_shape_definition(world, other, &shape_again, &form_again));
    CHECK(same_vec(def.position, def_again.position) && def.angle == def_again.angle);
    CHECK(def.type == def_again.type && def.mass == def_again.mass && def.awake == def_again.awake);
    CHECK(same_vec(shape_read.one_way, shape_again.one_way));
    CHECK(body_get(world, body, IMP_BODY_INERTIA) == body_get(world, copy, IMP_BODY_INERTIA));
  }
  imp_world_destroy(world);
}


static void check_same_drive(const ImpDrive *a, const ImpDrive *b) {
  CHECK(a->on == b->on && a->lock == b->lock && a->lower == b->lower && a->upper == b->upper);
  CHECK(a->speed == b->speed && a->motor_max == b->motor_max && a->target == b->target);
  CHECK(a->servo_max == b->servo_max && a->stiffness == b->stiffness && a->hertz == b->hertz && a->rest == b->rest);
  CHECK(a->spring_max == b->spring_max && a->force == b->force && a->armature == b->armature);
  CHECK(a->viscous_damping == b->viscous_damping && a->dry_friction == b->dry_friction);
}


// Each kind after some motion, with its second coordinate free and a motor on the first; broken every other time.
static void joints_are_made_again_as_they_are_now(void) {
  for (int kind = 0; kind < IMP_JOINT_CONSTRAINT; ++kind) {
    ImpWorld *world = make_rig(IMP_SOLVER_SI, 60, 0, 9.81);
    ImpBody a = add_mass(world, 0, 0, 1, 1), b = add_mass(world, 1, 0.2, 2, 1);
    ImpJoint parts[2] = {{0}};
    for (int i = 0; i < 2; ++i) {
      ImpJointDef part = imp_joint_def(IMP_JOINT_REVOLUTE, ground_of(world), i == 0 ? a : b);
      MUST(imp_joint_create(world, &part, &parts[i]));
    }
    ImpJointDef def = imp_joint_def((ImpJointKind)kind, a, b), read, again;
    def.axis = vec(0.3, 0.7);
    def.ground_a = def.ground_b = vec(0, 9);
    def.break_force = 1e9;
    def.broken = kind % 2;
    for (int i = 0; i < 2; ++i) def.term[i] = (ImpCoordinate){parts[i], 2};
    def.drive[0].on = 1u << IMP_DRIVE_MOTOR;
    def.drive[0].speed = 0.5;
    def.free = 2;
    ImpJoint joint = {0}, copy = {0};
    MUST(imp_joint_create(world, &def, &joint));
    run(world, 5);
    MUST(imp_joint_definition(world, joint, &read));
    MUST(imp_joint_create(world, &read, &copy));
    MUST(imp_joint_definition(world, copy, &again));
    CHECK(read.kind == again.kind && read.body_a.id == again.body_a.id && read.body_b.id == again.body_b.id);
    CHECK(same_vec(read.anchor_a, again.anchor_a) && same_vec(read.anchor_b, again.anchor_b));
    CHECK(same_vec(read.axis, again.axis) && read.ratio == again.ratio && read.pitch == again.pitch);
    CHECK(read.reference_angle == again.reference_angle || read.term[0].joint.id != 0);
    CHECK(read.term[1].joint.id == again.term[1].joint.id && read.term[1].index == again.term[1].index);
    CHECK(read.free == again.free && read.break_force == 1e9 && again.broken == (kind % 2 == 1));
    for (int i = 0; i < 3; ++i) check_same_drive(&read.drive[i], &again.drive[i]);
    CHECK(event_count(world, IMP_EVENT_JOINT_BREAK) == 0);
    imp_world_destroy(world);
  }
}


int main(int argc, char **argv) {
  read_arguments(argc, argv);
  RUN(a_world_goes_on_with_its_clock_and_its_random_numbers);
  RUN(bodies_and_shapes_are_made_again_as_they_are_now);
  RUN(joints_are_made_again_as_they_are_now);
  return check_report("definition");
}
