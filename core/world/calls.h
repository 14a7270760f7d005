// The calls that change a world, without recording: impi_body_set does what imp_body_set does. The API function
// (record/api.c) also records the call. The core must call the functions here, so that each call is recorded once.
#ifndef IMPI_CALLS_H
#define IMPI_CALLS_H

#include "impel.h"

ImpStatus impi_world_destroy(ImpWorld *world);
ImpStatus impi_world_set(ImpWorld *world, ImpWorldProperty property, double value);
ImpStatus impi_world_set_gravity(ImpWorld *world, ImpVec2 gravity);
ImpStatus impi_world_set_solver(ImpWorld *world, ImpSolverKind kind);
ImpStatus impi_world_set_order(ImpWorld *world, ImpOrder order);
ImpStatus impi_world_step(ImpWorld *world);
uint64_t impi_world_random(ImpWorld *world);
ImpStatus impi_body_create(ImpWorld *world, const ImpBodyDef *def, ImpBody *out_body);
ImpStatus impi_body_destroy(ImpWorld *world, ImpBody body);
ImpStatus impi_body_set(ImpWorld *world, ImpBody body, ImpBodyProperty property, double value);
ImpStatus impi_body_set_type(ImpWorld *world, ImpBody body, ImpBodyType type);
ImpStatus impi_body_set_name(ImpWorld *world, ImpBody body, const char *name);
ImpStatus impi_body_set_position(ImpWorld *world, ImpBody body, ImpVec2 position);
ImpStatus impi_body_set_pose(ImpWorld *world, ImpBody body, ImpVec2 position, double angle);
ImpStatus impi_body_move_to(ImpWorld *world, ImpBody body, ImpVec2 position);
ImpStatus impi_body_move_to_pose(ImpWorld *world, ImpBody body, ImpVec2 position, double angle);
ImpStatus impi_body_set_center(ImpWorld *world, ImpBody body, ImpVec2 center);
ImpStatus impi_body_set_velocity(ImpWorld *world, ImpBody body, ImpVec2 velocity);
ImpStatus impi_body_apply_force(ImpWorld *world, ImpBody body, ImpVec2 force);
ImpStatus impi_body_apply_force_at(ImpWorld *world, ImpBody body, ImpVec2 force, ImpVec2 point);
ImpStatus impi_body_apply_torque(ImpWorld *world, ImpBody body, double torque);
ImpStatus impi_body_apply_impulse(ImpWorld *world, ImpBody body, ImpVec2 impulse);
ImpStatus impi_body_apply_impulse_at(ImpWorld *world, ImpBody body, ImpVec2 impulse, ImpVec2 point);
ImpStatus impi_body_apply_angular_impulse(ImpWorld *world, ImpBody body, double impulse);
ImpStatus impi_bodies_write(ImpWorld *world, const ImpBody *bodies, int count, const ImpQuantity *what, int what_count,
                            const double *values, int *out_body);
ImpStatus impi_contact_set(ImpWorld *world, ImpContact contact, ImpContactProperty property, double value);
ImpStatus impi_world_set_generator(ImpWorld *world, const uint64_t state[4]);
ImpStatus impi_field_create(ImpWorld *world, const ImpFieldDef *def, ImpField *out_field);
ImpStatus impi_field_destroy(ImpWorld *world, ImpField field);
ImpStatus impi_field_set_name(ImpWorld *world, ImpField field, const char *name);
ImpStatus impi_field_set(ImpWorld *world, ImpField field, ImpFieldProperty property, double value);
ImpStatus impi_field_set_vector(ImpWorld *world, ImpField field, ImpFieldVector vector, ImpVec2 value);
ImpStatus impi_field_set_region(ImpWorld *world, ImpField field, const ImpAabb *region);
ImpStatus impi_field_set_acts_on(ImpWorld *world, ImpField field, ImpBody body, bool acts);
ImpStatus impi_field_set_tape(ImpWorld *world, ImpField field, const ImpTapeDef *tape);
ImpStatus impi_field_set_param(ImpWorld *world, ImpField field, int index, double value);
ImpStatus impi_joint_create(ImpWorld *world, const ImpJointDef *def, ImpJoint *out_joint);
ImpStatus impi_joint_destroy(ImpWorld *world, ImpJoint joint);
ImpStatus impi_world_ground(ImpWorld *world, ImpBody *out_body);
ImpStatus impi_joint_set(ImpWorld *world, ImpJoint joint, ImpJointProperty property, double value);
ImpStatus impi_joint_set_name(ImpWorld *world, ImpJoint joint, const char *name);
ImpStatus impi_joint_set_target(ImpWorld *world, ImpJoint joint, ImpVec2 target);
ImpStatus impi_joint_break(ImpWorld *world, ImpJoint joint, bool of_last_step);
ImpStatus impi_coordinate_set_drive(ImpWorld *world, ImpCoordinate coordinate, const ImpDrive *drive);
ImpStatus impi_coordinate_set_force(ImpWorld *world, ImpCoordinate coordinate, double force);
ImpStatus impi_coordinate_set_target(ImpWorld *world, ImpCoordinate coordinate, double target);
ImpStatus impi_constraint_create(ImpWorld *world, const ImpConstraintDef *def, ImpJoint *out_joint);
ImpStatus impi_constraint_set_tape(ImpWorld *world, ImpJoint joint, const ImpTapeDef *tape);
ImpStatus impi_constraint_set_rows(ImpWorld *world, ImpJoint joint, const ImpUserRow *rows, int count);
ImpStatus impi_constraint_set_param(ImpWorld *world, ImpJoint joint, int index, double value);
ImpStatus impi_world_restore(ImpWorld *world, const void *bytes, size_t size);
void impi_restore_end(ImpRestore *restore, bool take);
ImpStatus impi_world_set_material(ImpWorld *world, const char *name, const ImpMaterialDef *def, int *out_material);
ImpStatus impi_shape_set_material(ImpWorld *world, ImpShape shape, int material);
ImpStatus impi_world_set_mix(ImpWorld *world, int material_a, int material_b, const ImpMix *mix);
ImpStatus impi_world_forget_mixes(ImpWorld *world);
ImpStatus impi_mover_create(ImpWorld *world, const ImpMoverDef *def, ImpMover *out_mover);
ImpStatus impi_mover_destroy(ImpWorld *world, ImpMover mover);
ImpStatus impi_mover_set(ImpWorld *world, ImpMover mover, ImpMoverProperty property, double value);
ImpStatus impi_mover_set_velocity(ImpWorld *world, ImpMover mover, ImpVec2 velocity);
ImpStatus impi_mover_jump(ImpWorld *world, ImpMover mover, double speed);
ImpStatus impi_mover_drop_through(ImpWorld *world, ImpMover mover, bool *out_drops);
ImpStatus impi_mover_set_height(ImpWorld *world, ImpMover mover, double height, bool *out_done);
ImpStatus impi_mover_move(ImpWorld *world, ImpMover mover, ImpVec2 way, ImpVec2 *out_moved);
ImpStatus impi_body_add_circle(ImpWorld *world, ImpBody body, const ImpShapeDef *def, ImpVec2 center, double radius,
                               ImpShape *out_shape);
ImpStatus impi_body_add_box(ImpWorld *world, ImpBody body, const ImpShapeDef *def, double width, double height,
                            ImpVec2 center, double angle, double radius, ImpShape *out_shape);
ImpStatus impi_body_add_polygon(ImpWorld *world, ImpBody body, const ImpShapeDef *def, const ImpVec2 *points, int count,
                                double radius, ImpShape *out_shape);
ImpStatus impi_body_add_polygon_with_holes(ImpWorld *world, ImpBody body, const ImpShapeDef *def, const ImpVec2 *points,
                                           const int *counts, int rings, double radius, ImpShape *out_shape);
ImpStatus impi_body_add_capsule(ImpWorld *world, ImpBody body, const ImpShapeDef *def, ImpVec2 from, ImpVec2 to,
                                double radius, ImpShape *out_shape);
ImpStatus impi_body_add_segment(ImpWorld *world, ImpBody body, const ImpShapeDef *def, ImpVec2 from, ImpVec2 to,
                                ImpShape *out_shape);
ImpStatus impi_body_add_chain(ImpWorld *world, ImpBody body, const ImpShapeDef *def, const ImpVec2 *points, int count,
                              bool loop, ImpShape *out_shape);
ImpStatus impi_body_add_heights(ImpWorld *world, ImpBody body, const ImpShapeDef *def, ImpVec2 origin, double spacing,
                                const double *values, int count, ImpShape *out_shape);
ImpStatus impi_shape_destroy(ImpWorld *world, ImpShape shape);
ImpStatus impi_shape_set(ImpWorld *world, ImpShape shape, ImpShapeProperty property, double value);
ImpStatus impi_shape_set_name(ImpWorld *world, ImpShape shape, const char *name);
ImpStatus impi_shape_set_filter(ImpWorld *world, ImpShape shape, uint64_t category, uint64_t mask);
ImpStatus impi_shape_set_selective(ImpWorld *world, ImpShape shape, bool selective);
ImpStatus impi_shape_refilter(ImpWorld *world, ImpShape shape);
ImpStatus impi_shape_set_one_way(ImpWorld *world, ImpShape shape, ImpVec2 direction);

#endif
