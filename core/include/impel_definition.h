// impel: definitions read back from objects. Included by impel.h.
//
// A definition makes the same object again. Definitions do not contain materials, impulses, contacts, sleep timers,
// kinematic targets, and the properties of the world that are not in ImpWorldDef; a snapshot (imp_world_snapshot)
// contains them. Names in definitions are the strings of the objects, not copies.
#ifndef IMPEL_DEFINITION_H
#define IMPEL_DEFINITION_H

/// Return the definition of a world as it is now: gravity, dt, solver, order, clock and seed. The generator of a world
/// that is made from this definition starts from the seed. The allocator is null.
IMP_API ImpWorldDef imp_world_definition(const ImpWorld *world);
/// Read the state of the generator of imp_world_random.
IMP_API void imp_world_generator(const ImpWorld *world, uint64_t out_state[4]);
/// Set the state of the generator. Error: all four numbers are 0.
IMP_CALL ImpStatus imp_world_set_generator(ImpWorld *world, const uint64_t state[4]);

/// Read the definition of a body as it is now, without its shapes.
IMP_API ImpStatus imp_body_definition(const ImpWorld *world, ImpBody body, ImpBodyDef *out_def);

/// Geometry of a shape in its body's frame, except its points (imp_shape_points, imp_shape_hole).
typedef struct ImpShapeForm {
  ImpShapeType type;
  ImpVec2 center; ///< centre of a circle or box; origin of a height profile [m]
  /// box: width, height and rotation [m, m, rad]. Height profile: `width` is the spacing of the points [m]
  double width, height, angle;
  double radius; ///< radius of a circle, a capsule or rounded corners [m]
  bool loop;     ///< whether a chain is closed
} ImpShapeForm;
/// Read the definition and the geometry of a shape as it is now.
IMP_API ImpStatus imp_shape_definition(const ImpWorld *world, ImpShape shape, ImpShapeDef *out_def,
                                       ImpShapeForm *out_form);

/// Read the definition of a joint as it is now, including all drives. Anchors and axis are in the frames of the joint's
/// bodies. Error: a constraint.
IMP_API ImpStatus imp_joint_definition(const ImpWorld *world, ImpJoint joint, ImpJointDef *out_def);

#endif
