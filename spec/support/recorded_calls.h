// Makes each call of the table of recorded calls once, on a world with all objects that the calls need.
#ifndef IMPI_RECORDED_CALLS_H
#define IMPI_RECORDED_CALLS_H

#include "record/record_table.h"
#include "snapshot_scenes.h"

typedef struct Things {
  ImpBody ground, box, ball, paddle;
  ImpShape shape, sensor;
  ImpJoint joint, motor, tape, rows;
  ImpField field, custom;
  ImpMover mover;
  int ice, rubber;
} Things;

static const ImpNode drag_nodes[] = {
    {.op = IMP_OP_VX}, {.op = IMP_OP_PARAM, .a = 0}, {.op = IMP_OP_MUL, .a = 0, .b = 1}, {.op = IMP_OP_VY}};
static const int32_t drag_results[] = {2, 3};
static const ImpNode wire_nodes[] = {
    {.op = IMP_OP_Y}, {.op = IMP_OP_PARAM, .a = 0}, {.op = IMP_OP_SUB, .a = 0, .b = 1}};
static const int32_t wire_results[] = {2};
static const double one_number = 0.5;
static const ImpVec2 corners[] = {{-0.3, -0.3}, {0.4, -0.2}, {0.1, 0.4}};
static const ImpVec2 holed[] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}, {-0.3, -0.3}, {0.3, -0.3}, {0, 0.3}};
static const int holed_counts[] = {4, 3};
static const double heights[] = {0, 0.2, 0.1};


static inline Things make_things(ImpWorld *world) {
  Things t = {.ground = {0}};
  ImpShapeDef def = imp_shape_def();
  ImpMaterialDef material_def = imp_material_def();
  material_def.friction = 0.1;
  MUST(imp_world_set_material(world, "ice", &material_def, &t.ice));
  MUST(imp_world_set_material(world, "rubber", &material_def, &t.rubber));
  t.ground = add_named(world, "ground", IMP_BODY_STATIC, 0, -0.5);
  add_box(world, t.ground, def, 40, 1);
  t.box = add_named(world, "box", IMP_BODY_DYNAMIC, 0, 0.5);
  def.pre_solve = def.selective = true;
  def.material = t.ice;
  t.shape = add_box(world, t.box, def, 1, 1);
  t.ball = add_disc(world, "ball", 3, 0.5, 0.5);
  def = imp_shape_def();
  def.sensor = true;
  t.sensor = add_box(world, t.ground, def, 2, 2);
  t.paddle = add_named(world, "paddle", IMP_BODY_KINEMATIC, 8, 3);
  add_box(world, t.paddle, imp_shape_def(), 1, 0.2);
  t.joint = join_named(world, joint_at(IMP_JOINT_REVOLUTE, t.paddle, add_disc(world, "bob", 8, 2, 0.2), 8, 3), "joint");
  ImpJointDef motor = joint_at(IMP_JOINT_REVOLUTE, t.paddle, add_disc(world, "wheel", 9, 2, 0.2), 9, 3);
  motor.drive[2].on = 1u << IMP_DRIVE_SERVO;
  motor.drive[2].servo_max = 3;
  t.motor = join_named(world, motor, "motor");
  ImpBody bead = add_disc(world, "bead", 12, 0.5, 0.1), skate = add_disc(world, "skate", 14, 1, 0.2);
  ImpConstraintDef constraint = imp_constraint_def();
  constraint.bodies = &bead;
  constraint.body_count = 1;
  constraint.tape = (ImpTapeDef){wire_nodes, 3, wire_results, 1, false};
  constraint.params = &one_number;
  constraint.param_count = 1;
  MUST(imp_constraint_create(world, &constraint, &t.tape));
  constraint = imp_constraint_def();
  constraint.bodies = &skate;
  constraint.body_count = 1;
  constraint.max_rows = 2;
  MUST(imp_constraint_create(world, &constraint, &t.rows));
  ImpFieldDef field = imp_field_def(IMP_FIELD_DRAG);
  field.value[IMP_FIELD_LINEAR] = 0.1;
  MUST(imp_field_create(world, &field, &t.field));
  field = imp_field_def(IMP_FIELD_CUSTOM);
  field.tape = (ImpTapeDef){drag_nodes, 4, drag_results, 2, true};
  field.params = &one_number;
  field.param_count = 1;
  check_that(imp_field_create(world, &field, &t.custom) == IMP_OK, __FILE__, __LINE__, imp_last_error());
  ImpMoverDef mover = imp_mover_def();
  mover.position = vec(-6, 0);
  MUST(imp_mover_create(world, &mover, &t.mover));
  run(world, 3);
  return t;
}


static inline ImpStatus call_world(ImpWorld *world, const Things *t, int call) {
  const ImpMix mix = {0.3, 0.1};
  const uint64_t state[4] = {1, 2, 3, 4};
  ImpMaterialDef material_def = imp_material_def();
  ImpBody ground;
  int number;
  switch (call) {
  case IMPI_CALL_world_set:
    return imp_world_set(world, IMP_WORLD_ITERATIONS, 7);
  case IMPI_CALL_world_set_gravity:
    return imp_world_set_gravity(world, vec(1, -3));
  case IMPI_CALL_world_set_solver:
    return imp_world_set_solver(world, IMP_SOLVER_SI);
  case IMPI_CALL_world_set_order:
    return imp_world_set_order(world, IMP_ORDER_BACKWARD);
  case IMPI_CALL_world_set_generator:
    return imp_world_set_generator(world, state);
  case IMPI_CALL_world_random:
    imp_world_random(world);
    return IMP_OK;
  case IMPI_CALL_world_ground:
    return imp_world_ground(world, &ground);
  case IMPI_CALL_world_set_material:
    material_def.restitution = 0.5;
    return imp_world_set_material(world, "glue", &material_def, &number);
  case IMPI_CALL_world_set_mix:
    return imp_world_set_mix(world, t->ice, t->rubber, &mix);
  default:
    return imp_world_forget_mixes(world);
  }
}


static inline ImpStatus call_body(ImpWorld *world, const Things *t, int call) {
  static const ImpQuantity what[] = {IMP_QUANTITY_VELOCITY, IMP_QUANTITY_ANGULAR_VELOCITY};
  const double numbers[] = {0.1, 0.2, 0.3, -0.1, 0.2, 0.4};
  const ImpBody both[] = {t->box, t->ball};
  ImpBodyDef def = imp_body_def();
  ImpBody body;
  def.name = "made";
  def.position = vec(-3, 4);
  switch (call) {
  case IMPI_CALL_body_create:
    return imp_body_create(world, &def, &body);
  case IMPI_CALL_body_destroy:
    return imp_body_destroy(world, t->ball);
  case IMPI_CALL_body_set:
    return imp_body_set(world, t->box, IMP_BODY_LINEAR_DAMPING, 0.5);
  case IMPI_CALL_body_set_type:
    return imp_body_set_type(world, t->ball, IMP_BODY_KINEMATIC);
  case IMPI_CALL_body_set_name:
    return imp_body_set_name(world, t->ball, "sphere");
  case IMPI_CALL_body_set_position:
    return imp_body_set_position(world, t->box, vec(0.1, 2));
  case IMPI_CALL_body_set_pose:
    return imp_body_set_pose(world, t->box, vec(0.1, 2), 0.3);
  case IMPI_CALL_body_move_to:
    return imp_body_move_to(world, t->paddle, vec(8.1, 3));
  case IMPI_CALL_body_move_to_pose:
    return imp_body_move_to_pose(world, t->paddle, vec(8.1, 3), 0.1);
  case IMPI_CALL_body_set_center:
    return imp_body_set_center(world, t->box, vec(0.2, 2));
  case IMPI_CALL_body_set_velocity:
    return imp_body_set_velocity(world, t->box, vec(1, 2));
  case IMPI_CALL_body_apply_force:
    return imp_body_apply_force(world, t->box, vec(3, 4));
  case IMPI_CALL_body_apply_force_at:
    return imp_body_apply_force_at(world, t->box, vec(3, 4), vec(0.2, 0.3));
  case IMPI_CALL_body_apply_torque:
    return imp_body_apply_torque(world, t->box, 2);
  case IMPI_CALL_body_apply_impulse:
    return imp_body_apply_impulse(world, t->box, vec(0.3, 0.4));
  case IMPI_CALL_body_apply_impulse_at:
    return imp_body_apply_impulse_at(world, t->box, vec(0.3, 0.4), vec(0.2, 0.3));
  case IMPI_CALL_body_apply_angular_impulse:
    return imp_body_apply_angular_impulse(world, t->box, 0.2);
  default:
    return imp_bodies_write(world, both, 2, what, 2, numbers, NULL);
  }
}


static inline ImpStatus call_shape(ImpWorld *world, const Things *t, int call) {
  ImpShapeDef def = imp_shape_def();
  ImpShape shape;
  ImpContact contact = imp_world_next_contact(world, (ImpContact){0});
  def.name = "made";
  switch (call) {
  case IMPI_CALL_body_add_circle:
    return imp_body_add_circle(world, t->box, &def, vec(0.1, 0), 0.6, &shape);
  case IMPI_CALL_body_add_box:
    return imp_body_add_box(world, t->box, &def, 1, 2, vec(0, 0.5), 0.1, 0.01, &shape);
  case IMPI_CALL_body_add_polygon:
    return imp_body_add_polygon(world, t->box, &def, corners, 3, 0.01, &shape);
  case IMPI_CALL_body_add_polygon_with_holes:
    return imp_body_add_polygon_with_holes(world, t->box, &def, holed, holed_counts, 2, 0, &shape);
  case IMPI_CALL_body_add_capsule:
    return imp_body_add_capsule(world, t->box, &def, vec(0, 0), vec(1, 0), 0.2, &shape);
  case IMPI_CALL_body_add_segment:
    return imp_body_add_segment(world, t->ground, &def, vec(0, 0), vec(1, 3), &shape);
  case IMPI_CALL_body_add_chain:
    return imp_body_add_chain(world, t->ground, &def, corners, 3, true, &shape);
  case IMPI_CALL_body_add_heights:
    return imp_body_add_heights(world, t->ground, &def, vec(20, 0), 0.5, heights, 3, &shape);
  case IMPI_CALL_shape_destroy:
    return imp_shape_destroy(world, t->shape);
  case IMPI_CALL_shape_set:
    return imp_shape_set(world, t->shape, IMP_SHAPE_FRICTION, 0.2);
  case IMPI_CALL_shape_set_name:
    return imp_shape_set_name(world, t->shape, "side");
  case IMPI_CALL_shape_set_filter:
    return imp_shape_set_filter(world, t->shape, 2, 5);
  case IMPI_CALL_shape_set_selective:
    return imp_shape_set_selective(world, t->shape, false);
  case IMPI_CALL_shape_refilter:
    return imp_shape_refilter(world, t->shape);
  case IMPI_CALL_shape_set_one_way:
    return imp_shape_set_one_way(world, t->shape, vec(0, 2));
  case IMPI_CALL_shape_set_material:
    return imp_shape_set_material(world, t->shape, t->rubber);
  default: // contact_set is legal only in a callback
    return imp_contact_set(world, contact, IMP_CONTACT_FRICTION, 0.1) == IMP_OK ? IMP_ERR_STATE : IMP_OK;
  }
}


static inline ImpStatus call_joint(ImpWorld *world, const Things *t, int call) {
  const double j[] = {0, 1, 0.1};
  const ImpUserRow row = {.j = j, .bias = 0.1, .lower = -5, .upper = 5};
  const ImpTapeDef tape = {wire_nodes, 3, wire_results, 1, false};
  ImpCoordinate angle = {t->motor, 2};
  ImpConstraintDef constraint = imp_constraint_def();
  ImpJointDef def = imp_joint_def(IMP_JOINT_DISTANCE, t->ground, t->ball);
  ImpDrive drive = imp_drive();
  ImpJoint joint;
  switch (call) {
  case IMPI_CALL_joint_create:
    return imp_joint_create(world, &def, &joint);
  case IMPI_CALL_joint_destroy:
    return imp_joint_destroy(world, t->joint);
  case IMPI_CALL_joint_set:
    return imp_joint_set(world, t->joint, IMP_JOINT_BREAK_FORCE, 100);
  case IMPI_CALL_joint_set_name:
    return imp_joint_set_name(world, t->joint, "pin");
  case IMPI_CALL_joint_set_target:
    def = imp_joint_def(IMP_JOINT_DRAG, (ImpBody){0}, t->ball);
    return imp_joint_create(world, &def, &joint) != IMP_OK ? IMP_ERR_STATE
                                                           : imp_joint_set_target(world, joint, vec(3, 2));
  case IMPI_CALL_joint_break:
    return imp_joint_break(world, t->joint, false);
  case IMPI_CALL_coordinate_set_drive:
    drive.on = 1u << IMP_DRIVE_MOTOR;
    drive.speed = 2;
    return imp_coordinate_set_drive(world, angle, &drive);
  case IMPI_CALL_coordinate_set_force:
    return imp_coordinate_set_force(world, angle, 0.1);
  case IMPI_CALL_coordinate_set_target:
    return imp_coordinate_set_target(world, angle, 0.5);
  case IMPI_CALL_constraint_create:
    constraint.bodies = &t->ball;
    constraint.body_count = 1;
    constraint.tape = tape;
    constraint.params = &one_number;
    constraint.param_count = 1;
    return imp_constraint_create(world, &constraint, &joint);
  case IMPI_CALL_constraint_set_tape:
    return imp_constraint_set_tape(world, t->tape, &tape);
  case IMPI_CALL_constraint_set_rows:
    return imp_constraint_set_rows(world, t->rows, &row, 1);
  default:
    return imp_constraint_set_param(world, t->tape, 0, 0.6);
  }
}


static inline ImpStatus call_field(ImpWorld *world, const Things *t, int call) {
  const ImpAabb region = {{-5, -5}, {5, 5}};
  const ImpTapeDef tape = {drag_nodes, 4, drag_results, 2, true};
  ImpFieldDef def = imp_field_def(IMP_FIELD_UNIFORM);
  ImpField field;
  def.vector[IMP_FIELD_FORCE] = vec(0.1, 0);
  def.only = true;
  def.bodies = &t->box;
  def.body_count = 1;
  switch (call) {
  case IMPI_CALL_field_create:
    return imp_field_create(world, &def, &field);
  case IMPI_CALL_field_destroy:
    return imp_field_destroy(world, t->field);
  case IMPI_CALL_field_set_name:
    return imp_field_set_name(world, t->field, "air");
  case IMPI_CALL_field_set:
    return imp_field_set(world, t->field, IMP_FIELD_LINEAR, 0.3);
  case IMPI_CALL_field_set_vector:
    return imp_field_set_vector(world, t->field, IMP_FIELD_VELOCITY, vec(1, 0));
  case IMPI_CALL_field_set_region:
    return imp_field_set_region(world, t->field, &region);
  case IMPI_CALL_field_set_acts_on:
    return imp_field_set_acts_on(world, t->field, t->box, false);
  case IMPI_CALL_field_set_tape:
    return imp_field_set_tape(world, t->custom, &tape);
  default:
    return imp_field_set_param(world, t->custom, 0, 0.7);
  }
}


static inline ImpStatus call_mover(ImpWorld *world, const Things *t, int call) {
  ImpMoverDef def = imp_mover_def();
  ImpMover mover;
  ImpVec2 moved;
  bool done;
  def.position = vec(-10, 0);
  switch (call) {
  case IMPI_CALL_mover_create:
    return imp_mover_create(world, &def, &mover);
  case IMPI_CALL_mover_destroy:
    return imp_mover_destroy(world, t->mover);
  case IMPI_CALL_mover_set:
    return imp_mover_set(world, t->mover, IMP_MOVER_WALK, 1);
  case IMPI_CALL_mover_set_velocity:
    return imp_mover_set_velocity(world, t->mover, vec(1, 0));
  case IMPI_CALL_mover_jump:
    return imp_mover_jump(world, t->mover, 3);
  case IMPI_CALL_mover_drop_through:
    return imp_mover_drop_through(world, t->mover, &done);
  case IMPI_CALL_mover_set_height:
    return imp_mover_set_height(world, t->mover, 1.2, &done);
  default:
    return imp_mover_move(world, t->mover, vec(0.5, 0), &moved);
  }
}


static inline ImpStatus make_call(ImpWorld *world, const Things *t, int call) {
  return call >= IMPI_CALL_mover_create      ? call_mover(world, t, call)
         : call >= IMPI_CALL_field_create    ? call_field(world, t, call)
         : call >= IMPI_CALL_joint_create    ? call_joint(world, t, call)
         : call >= IMPI_CALL_body_add_circle ? call_shape(world, t, call)
         : call >= IMPI_CALL_body_create     ? call_body(world, t, call)
                                             : call_world(world, t, call);
}

#endif
