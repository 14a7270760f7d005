// The calls that change a world. Recordings contain the numbers of the entries of this table, so a library with another
// table rejects the recording (impi_calls_identity).
//
//   CALLn(name, types)          imp_<name>(world, n arguments)
//   MAKEn(name, types, out)     like CALLn, with one more argument: a pointer to the result
//   OTHER(name)                 written by hand: record_lists.c, record.c
#ifndef IMPI_RECORD_TABLE_H
#define IMPI_RECORD_TABLE_H

// clang-format off
#define IMPI_CALLS(CALL1, CALL2, CALL3, CALL4, MAKE1, MAKE2, MAKE4, MAKE5, MAKE7, OTHER) \
  CALL2(world_set, ImpWorldProperty, double) \
  CALL1(world_set_gravity, ImpVec2) \
  CALL1(world_set_solver, ImpSolverKind) \
  CALL1(world_set_order, ImpOrder) \
  OTHER(world_set_generator) \
  OTHER(world_random) \
  OTHER(world_ground) \
  OTHER(world_set_substep_callback) \
  OTHER(world_set_pre_solve_callback) \
  OTHER(world_set_filter_callback) \
  OTHER(world_set_mix_callback) \
  OTHER(world_set_field_callback) \
  OTHER(world_set_constraint_callback) \
  MAKE2(world_set_material, ImpiText, ImpiMaterialDefAt, int) \
  CALL3(world_set_mix, int, int, ImpiMixAt) \
  OTHER(world_forget_mixes) \
  MAKE1(body_create, ImpiBodyDefAt, ImpBody) \
  CALL1(body_destroy, ImpBody) \
  CALL3(body_set, ImpBody, ImpBodyProperty, double) \
  CALL2(body_set_type, ImpBody, ImpBodyType) \
  CALL2(body_set_name, ImpBody, ImpiText) \
  CALL2(body_set_position, ImpBody, ImpVec2) \
  CALL3(body_set_pose, ImpBody, ImpVec2, double) \
  CALL2(body_move_to, ImpBody, ImpVec2) \
  CALL3(body_move_to_pose, ImpBody, ImpVec2, double) \
  CALL2(body_set_center, ImpBody, ImpVec2) \
  CALL2(body_set_velocity, ImpBody, ImpVec2) \
  CALL2(body_apply_force, ImpBody, ImpVec2) \
  CALL3(body_apply_force_at, ImpBody, ImpVec2, ImpVec2) \
  CALL2(body_apply_torque, ImpBody, double) \
  CALL2(body_apply_impulse, ImpBody, ImpVec2) \
  CALL3(body_apply_impulse_at, ImpBody, ImpVec2, ImpVec2) \
  CALL2(body_apply_angular_impulse, ImpBody, double) \
  OTHER(bodies_write) \
  MAKE4(body_add_circle, ImpBody, ImpiShapeDefAt, ImpVec2, double, ImpShape) \
  MAKE7(body_add_box, ImpBody, ImpiShapeDefAt, double, double, ImpVec2, double, double, ImpShape) \
  OTHER(body_add_polygon) \
  OTHER(body_add_polygon_with_holes) \
  MAKE5(body_add_capsule, ImpBody, ImpiShapeDefAt, ImpVec2, ImpVec2, double, ImpShape) \
  MAKE4(body_add_segment, ImpBody, ImpiShapeDefAt, ImpVec2, ImpVec2, ImpShape) \
  OTHER(body_add_chain) \
  OTHER(body_add_heights) \
  CALL1(shape_destroy, ImpShape) \
  CALL3(shape_set, ImpShape, ImpShapeProperty, double) \
  CALL2(shape_set_name, ImpShape, ImpiText) \
  CALL3(shape_set_filter, ImpShape, uint64_t, uint64_t) \
  CALL2(shape_set_selective, ImpShape, ImpiTruth) \
  CALL1(shape_refilter, ImpShape) \
  CALL2(shape_set_one_way, ImpShape, ImpVec2) \
  CALL2(shape_set_material, ImpShape, int) \
  CALL3(contact_set, ImpContact, ImpContactProperty, double) \
  MAKE1(joint_create, ImpiJointDefAt, ImpJoint) \
  CALL1(joint_destroy, ImpJoint) \
  CALL3(joint_set, ImpJoint, ImpJointProperty, double) \
  CALL2(joint_set_name, ImpJoint, ImpiText) \
  CALL2(joint_set_target, ImpJoint, ImpVec2) \
  CALL2(joint_break, ImpJoint, ImpiTruth) \
  CALL2(coordinate_set_drive, ImpCoordinate, ImpiDriveAt) \
  CALL2(coordinate_set_force, ImpCoordinate, double) \
  CALL2(coordinate_set_target, ImpCoordinate, double) \
  MAKE1(constraint_create, ImpiConstraintDefAt, ImpJoint) \
  CALL2(constraint_set_tape, ImpJoint, ImpiTapeDefAt) \
  OTHER(constraint_set_rows) \
  CALL3(constraint_set_param, ImpJoint, int, double) \
  MAKE1(field_create, ImpiFieldDefAt, ImpField) \
  CALL1(field_destroy, ImpField) \
  CALL2(field_set_name, ImpField, ImpiText) \
  CALL3(field_set, ImpField, ImpFieldProperty, double) \
  CALL3(field_set_vector, ImpField, ImpFieldVector, ImpVec2) \
  CALL2(field_set_region, ImpField, ImpiAabbAt) \
  CALL3(field_set_acts_on, ImpField, ImpBody, ImpiTruth) \
  CALL2(field_set_tape, ImpField, ImpiTapeDefAt) \
  CALL3(field_set_param, ImpField, int, double) \
  MAKE1(mover_create, ImpiMoverDefAt, ImpMover) \
  CALL1(mover_destroy, ImpMover) \
  CALL3(mover_set, ImpMover, ImpMoverProperty, double) \
  CALL2(mover_set_velocity, ImpMover, ImpVec2) \
  CALL2(mover_jump, ImpMover, double) \
  MAKE1(mover_drop_through, ImpMover, bool) \
  MAKE2(mover_set_height, ImpMover, double, bool) \
  MAKE2(mover_move, ImpMover, ImpVec2, ImpVec2)
// clang-format on

// First byte of a note: the number of a call, from 1, or a mark (IMPI_MARK_FIRST and above).
#define IMPI_CALL_NUMBER(name, ...) IMPI_CALL_##name,
#define IMPI_OTHER_CALL_NUMBER(name) IMPI_CALL_##name,
typedef enum ImpiCall {
  IMPI_CALL_NONE,
  IMPI_CALLS(IMPI_CALL_NUMBER, IMPI_CALL_NUMBER, IMPI_CALL_NUMBER, IMPI_CALL_NUMBER, IMPI_CALL_NUMBER, IMPI_CALL_NUMBER,
             IMPI_CALL_NUMBER, IMPI_CALL_NUMBER, IMPI_CALL_NUMBER, IMPI_OTHER_CALL_NUMBER) IMPI_CALL_COUNT,
  IMPI_MARK_FIRST = 250,
  IMPI_MARK_STEP = 250,     // a step begins; it ends at IMPI_MARK_STEP_END
  IMPI_MARK_STEP_END = 251, // followed by the trace of the step, the length of the trace, and the hash of the world
  IMPI_MARK_CALLBACK = 252, // followed by an ImpiCallback, its arguments, and the calls that the callback made
  IMPI_MARK_ANSWER = 253,   // the callback has returned; followed by its return value
} ImpiCall;

#endif
