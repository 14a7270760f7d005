// The public functions that change a world. Each calls the core function of the same name (world/calls.h) and, if the
// world is recorded, notes the call (record_calls.c).
#include "record/record.h"
#include "world/calls.h"

#define RECORDED (__builtin_expect(impi_recorder(world) != NULL, 0))


ImpStatus imp_world_set(ImpWorld *world, ImpWorldProperty property, double value) {
  return RECORDED ? impi_note_world_set(world, property, value) : impi_world_set(world, property, value);
}


ImpStatus imp_world_set_gravity(ImpWorld *world, ImpVec2 gravity) {
  return RECORDED ? impi_note_world_set_gravity(world, gravity) : impi_world_set_gravity(world, gravity);
}


ImpStatus imp_world_set_solver(ImpWorld *world, ImpSolverKind kind) {
  return RECORDED ? impi_note_world_set_solver(world, kind) : impi_world_set_solver(world, kind);
}


ImpStatus imp_world_set_order(ImpWorld *world, ImpOrder order) {
  return RECORDED ? impi_note_world_set_order(world, order) : impi_world_set_order(world, order);
}


ImpStatus imp_world_set_material(ImpWorld *world, const char *name, const ImpMaterialDef *def, int *out_material) {
  return RECORDED ? impi_note_world_set_material(world, name, def, out_material)
                  : impi_world_set_material(world, name, def, out_material);
}


ImpStatus imp_world_set_mix(ImpWorld *world, int material_a, int material_b, const ImpMix *mix) {
  return RECORDED ? impi_note_world_set_mix(world, material_a, material_b, mix)
                  : impi_world_set_mix(world, material_a, material_b, mix);
}


ImpStatus imp_body_create(ImpWorld *world, const ImpBodyDef *def, ImpBody *out_body) {
  return RECORDED ? impi_note_body_create(world, def, out_body) : impi_body_create(world, def, out_body);
}


ImpStatus imp_body_destroy(ImpWorld *world, ImpBody body) {
  return RECORDED ? impi_note_body_destroy(world, body) : impi_body_destroy(world, body);
}


ImpStatus imp_body_set(ImpWorld *world, ImpBody body, ImpBodyProperty property, double value) {
  return RECORDED ? impi_note_body_set(world, body, property, value) : impi_body_set(world, body, property, value);
}


ImpStatus imp_body_set_type(ImpWorld *world, ImpBody body, ImpBodyType type) {
  return RECORDED ? impi_note_body_set_type(world, body, type) : impi_body_set_type(world, body, type);
}


ImpStatus imp_body_set_name(ImpWorld *world, ImpBody body, const char *name) {
  return RECORDED ? impi_note_body_set_name(world, body, name) : impi_body_set_name(world, body, name);
}


ImpStatus imp_body_set_position(ImpWorld *world, ImpBody body, ImpVec2 position) {
  return RECORDED ? impi_note_body_set_position(world, body, position) : impi_body_set_position(world, body, position);
}


ImpStatus imp_body_set_pose(ImpWorld *world, ImpBody body, ImpVec2 position, double angle) {
  return RECORDED ? impi_note_body_set_pose(world, body, position, angle)
                  : impi_body_set_pose(world, body, position, angle);
}


ImpStatus imp_body_move_to(ImpWorld *world, ImpBody body, ImpVec2 position) {
  return RECORDED ? impi_note_body_move_to(world, body, position) : impi_body_move_to(world, body, position);
}


ImpStatus imp_body_move_to_pose(ImpWorld *world, ImpBody body, ImpVec2 position, double angle) {
  return RECORDED ? impi_note_body_move_to_pose(world, body, position, angle)
                  : impi_body_move_to_pose(world, body, position, angle);
}


ImpStatus imp_body_set_center(ImpWorld *world, ImpBody body, ImpVec2 center) {
  return RECORDED ? impi_note_body_set_center(world, body, center) : impi_body_set_center(world, body, center);
}


ImpStatus imp_body_set_velocity(ImpWorld *world, ImpBody body, ImpVec2 velocity) {
  return RECORDED ? impi_note_body_set_velocity(world, body, velocity) : impi_body_set_velocity(world, body, velocity);
}


ImpStatus imp_body_apply_force(ImpWorld *world, ImpBody body, ImpVec2 force) {
  return RECORDED ? impi_note_body_apply_force(world, body, force) : impi_body_apply_force(world, body, force);
}


ImpStatus imp_body_apply_force_at(ImpWorld *world, ImpBody body, ImpVec2 force, ImpVec2 point) {
  return RECORDED ? impi_note_body_apply_force_at(world, body, force, point)
                  : impi_body_apply_force_at(world, body, force, point);
}


ImpStatus imp_body_apply_torque(ImpWorld *world, ImpBody body, double torque) {
  return RECORDED ? impi_note_body_apply_torque(world, body, torque) : impi_body_apply_torque(world, body, torque);
}


ImpStatus imp_body_apply_impulse(ImpWorld *world, ImpBody body, ImpVec2 impulse) {
  return RECORDED ? impi_note_body_apply_impulse(world, body, impulse) : impi_body_apply_impulse(world, body, impulse);
}


ImpStatus imp_body_apply_impulse_at(ImpWorld *world, ImpBody body, ImpVec2 impulse, ImpVec2 point) {
  return RECORDED ? impi_note_body_apply_impulse_at(world, body, impulse, point)
                  : impi_body_apply_impulse_at(world, body, impulse, point);
}


ImpStatus imp_body_apply_angular_impulse(ImpWorld *world, ImpBody body, double impulse) {
  return RECORDED ? impi_note_body_apply_angular_impulse(world, body, impulse)
                  : impi_body_apply_angular_impulse(world, body, impulse);
}


ImpStatus imp_body_add_circle(ImpWorld *world, ImpBody body, const ImpShapeDef *def, ImpVec2 center, double radius,
                              ImpShape *out_shape) {
  return RECORDED ? impi_note_body_add_circle(world, body, def, center, radius, out_shape)
                  : impi_body_add_circle(world, body, def, center, radius, out_shape);
}


ImpStatus imp_body_add_box(ImpWorld *world, ImpBody body, const ImpShapeDef *def, double width, double height,
                           ImpVec2 center, double angle, double radius, ImpShape *out_shape) {
  return RECORDED ? impi_note_body_add_box(world, body, def, width, height, center, angle, radius, out_shape)
                  : impi_body_add_box(world, body, def, width, height, center, angle, radius, out_shape);
}


ImpStatus imp_body_add_capsule(ImpWorld *world, ImpBody body, const ImpShapeDef *def, ImpVec2 from, ImpVec2 to,
                               double radius, ImpShape *out_shape) {
  return RECORDED ? impi_note_body_add_capsule(world, body, def, from, to, radius, out_shape)
                  : impi_body_add_capsule(world, body, def, from, to, radius, out_shape);
}


ImpStatus imp_body_add_segment(ImpWorld *world, ImpBody body, const ImpShapeDef *def, ImpVec2 from, ImpVec2 to,
                               ImpShape *out_shape) {
  return RECORDED ? impi_note_body_add_segment(world, body, def, from, to, out_shape)
                  : impi_body_add_segment(world, body, def, from, to, out_shape);
}


ImpStatus imp_shape_destroy(ImpWorld *world, ImpShape shape) {
  return RECORDED ? impi_note_shape_destroy(world, shape) : impi_shape_destroy(world, shape);
}


ImpStatus imp_shape_set(ImpWorld *world, ImpShape shape, ImpShapeProperty property, double value) {
  return RECORDED ? impi_note_shape_set(world, shape, property, value) : impi_shape_set(world, shape, property, value);
}


ImpStatus imp_shape_set_name(ImpWorld *world, ImpShape shape, const char *name) {
  return RECORDED ? impi_note_shape_set_name(world, shape, name) : impi_shape_set_name(world, shape, name);
}


ImpStatus imp_shape_set_filter(ImpWorld *world, ImpShape shape, uint64_t category, uint64_t mask) {
  return RECORDED ? impi_note_shape_set_filter(world, shape, category, mask)
                  : impi_shape_set_filter(world, shape, category, mask);
}


ImpStatus imp_shape_set_selective(ImpWorld *world, ImpShape shape, bool selective) {
  return RECORDED ? impi_note_shape_set_selective(world, shape, selective)
                  : impi_shape_set_selective(world, shape, selective);
}


ImpStatus imp_shape_refilter(ImpWorld *world, ImpShape shape) {
  return RECORDED ? impi_note_shape_refilter(world, shape) : impi_shape_refilter(world, shape);
}


ImpStatus imp_shape_set_one_way(ImpWorld *world, ImpShape shape, ImpVec2 direction) {
  return RECORDED ? impi_note_shape_set_one_way(world, shape, direction)
                  : impi_shape_set_one_way(world, shape, direction);
}


ImpStatus imp_shape_set_material(ImpWorld *world, ImpShape shape, int material) {
  return RECORDED ? impi_note_shape_set_material(world, shape, material)
                  : impi_shape_set_material(world, shape, material);
}


ImpStatus imp_contact_set(ImpWorld *world, ImpContact contact, ImpContactProperty property, double value) {
  return RECORDED ? impi_note_contact_set(world, contact, property, value)
                  : impi_contact_set(world, contact, property, value);
}


ImpStatus imp_joint_create(ImpWorld *world, const ImpJointDef *def, ImpJoint *out_joint) {
  return RECORDED ? impi_note_joint_create(world, def, out_joint) : impi_joint_create(world, def, out_joint);
}


ImpStatus imp_joint_destroy(ImpWorld *world, ImpJoint joint) {
  return RECORDED ? impi_note_joint_destroy(world, joint) : impi_joint_destroy(world, joint);
}


ImpStatus imp_joint_set(ImpWorld *world, ImpJoint joint, ImpJointProperty property, double value) {
  return RECORDED ? impi_note_joint_set(world, joint, property, value) : impi_joint_set(world, joint, property, value);
}


ImpStatus imp_joint_set_name(ImpWorld *world, ImpJoint joint, const char *name) {
  return RECORDED ? impi_note_joint_set_name(world, joint, name) : impi_joint_set_name(world, joint, name);
}


ImpStatus imp_joint_set_target(ImpWorld *world, ImpJoint joint, ImpVec2 target) {
  return RECORDED ? impi_note_joint_set_target(world, joint, target) : impi_joint_set_target(world, joint, target);
}


ImpStatus imp_joint_break(ImpWorld *world, ImpJoint joint, bool of_last_step) {
  return RECORDED ? impi_note_joint_break(world, joint, of_last_step) : impi_joint_break(world, joint, of_last_step);
}


ImpStatus imp_coordinate_set_drive(ImpWorld *world, ImpCoordinate coordinate, const ImpDrive *drive) {
  return RECORDED ? impi_note_coordinate_set_drive(world, coordinate, drive)
                  : impi_coordinate_set_drive(world, coordinate, drive);
}


ImpStatus imp_coordinate_set_force(ImpWorld *world, ImpCoordinate coordinate, double force) {
  return RECORDED ? impi_note_coordinate_set_force(world, coordinate, force)
                  : impi_coordinate_set_force(world, coordinate, force);
}


ImpStatus imp_coordinate_set_target(ImpWorld *world, ImpCoordinate coordinate, double target) {
  return RECORDED ? impi_note_coordinate_set_target(world, coordinate, target)
                  : impi_coordinate_set_target(world, coordinate, target);
}


ImpStatus imp_constraint_create(ImpWorld *world, const ImpConstraintDef *def, ImpJoint *out_joint) {
  return RECORDED ? impi_note_constraint_create(world, def, out_joint) : impi_constraint_create(world, def, out_joint);
}


ImpStatus imp_constraint_set_tape(ImpWorld *world, ImpJoint joint, const ImpTapeDef *tape) {
  return RECORDED ? impi_note_constraint_set_tape(world, joint, tape) : impi_constraint_set_tape(world, joint, tape);
}


ImpStatus imp_constraint_set_param(ImpWorld *world, ImpJoint joint, int index, double value) {
  return RECORDED ? impi_note_constraint_set_param(world, joint, index, value)
                  : impi_constraint_set_param(world, joint, index, value);
}


ImpStatus imp_field_create(ImpWorld *world, const ImpFieldDef *def, ImpField *out_field) {
  return RECORDED ? impi_note_field_create(world, def, out_field) : impi_field_create(world, def, out_field);
}


ImpStatus imp_field_destroy(ImpWorld *world, ImpField field) {
  return RECORDED ? impi_note_field_destroy(world, field) : impi_field_destroy(world, field);
}


ImpStatus imp_field_set_name(ImpWorld *world, ImpField field, const char *name) {
  return RECORDED ? impi_note_field_set_name(world, field, name) : impi_field_set_name(world, field, name);
}


ImpStatus imp_field_set(ImpWorld *world, ImpField field, ImpFieldProperty property, double value) {
  return RECORDED ? impi_note_field_set(world, field, property, value) : impi_field_set(world, field, property, value);
}


ImpStatus imp_field_set_vector(ImpWorld *world, ImpField field, ImpFieldVector vector, ImpVec2 value) {
  return RECORDED ? impi_note_field_set_vector(world, field, vector, value)
                  : impi_field_set_vector(world, field, vector, value);
}


ImpStatus imp_field_set_region(ImpWorld *world, ImpField field, const ImpAabb *region) {
  return RECORDED ? impi_note_field_set_region(world, field, region) : impi_field_set_region(world, field, region);
}


ImpStatus imp_field_set_acts_on(ImpWorld *world, ImpField field, ImpBody body, bool acts) {
  return RECORDED ? impi_note_field_set_acts_on(world, field, body, acts)
                  : impi_field_set_acts_on(world, field, body, acts);
}


ImpStatus imp_field_set_tape(ImpWorld *world, ImpField field, const ImpTapeDef *tape) {
  return RECORDED ? impi_note_field_set_tape(world, field, tape) : impi_field_set_tape(world, field, tape);
}


ImpStatus imp_field_set_param(ImpWorld *world, ImpField field, int index, double value) {
  return RECORDED ? impi_note_field_set_param(world, field, index, value)
                  : impi_field_set_param(world, field, index, value);
}


ImpStatus imp_mover_create(ImpWorld *world, const ImpMoverDef *def, ImpMover *out_mover) {
  return RECORDED ? impi_note_mover_create(world, def, out_mover) : impi_mover_create(world, def, out_mover);
}


ImpStatus imp_mover_destroy(ImpWorld *world, ImpMover mover) {
  return RECORDED ? impi_note_mover_destroy(world, mover) : impi_mover_destroy(world, mover);
}


ImpStatus imp_mover_set(ImpWorld *world, ImpMover mover, ImpMoverProperty property, double value) {
  return RECORDED ? impi_note_mover_set(world, mover, property, value) : impi_mover_set(world, mover, property, value);
}


ImpStatus imp_mover_set_velocity(ImpWorld *world, ImpMover mover, ImpVec2 velocity) {
  return RECORDED ? impi_note_mover_set_velocity(world, mover, velocity)
                  : impi_mover_set_velocity(world, mover, velocity);
}


ImpStatus imp_mover_jump(ImpWorld *world, ImpMover mover, double speed) {
  return RECORDED ? impi_note_mover_jump(world, mover, speed) : impi_mover_jump(world, mover, speed);
}


ImpStatus imp_mover_drop_through(ImpWorld *world, ImpMover mover, bool *out_drops) {
  return RECORDED ? impi_note_mover_drop_through(world, mover, out_drops)
                  : impi_mover_drop_through(world, mover, out_drops);
}


ImpStatus imp_mover_set_height(ImpWorld *world, ImpMover mover, double height, bool *out_done) {
  return RECORDED ? impi_note_mover_set_height(world, mover, height, out_done)
                  : impi_mover_set_height(world, mover, height, out_done);
}


ImpStatus imp_mover_move(ImpWorld *world, ImpMover mover, ImpVec2 way, ImpVec2 *out_moved) {
  return RECORDED ? impi_note_mover_move(world, mover, way, out_moved) : impi_mover_move(world, mover, way, out_moved);
}


void imp_world_set_substep_callback(ImpWorld *world, ImpSubstepFn callback, void *user) {
  impi_record_set_callback(world, IMPI_CALLBACK_SUBSTEP, (void (*)(void))callback, user);
}


void imp_world_set_pre_solve_callback(ImpWorld *world, ImpPreSolveFn callback, void *user) {
  impi_record_set_callback(world, IMPI_CALLBACK_PRE_SOLVE, (void (*)(void))callback, user);
}


void imp_world_set_filter_callback(ImpWorld *world, ImpFilterFn callback, void *user) {
  impi_record_set_callback(world, IMPI_CALLBACK_FILTER, (void (*)(void))callback, user);
}


void imp_world_set_mix_callback(ImpWorld *world, ImpMixFn callback, void *user) {
  impi_record_set_callback(world, IMPI_CALLBACK_MIX, (void (*)(void))callback, user);
}


void imp_world_set_field_callback(ImpWorld *world, ImpFieldFn callback, void *user) {
  impi_record_set_callback(world, IMPI_CALLBACK_FIELD, (void (*)(void))callback, user);
}


void imp_world_set_constraint_callback(ImpWorld *world, ImpConstraintFn callback, void *user) {
  impi_record_set_callback(world, IMPI_CALLBACK_CONSTRAINT, (void (*)(void))callback, user);
}
