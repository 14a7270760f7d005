// impel: what would make an object again as it is now, the definitions read back. A chapter of impel.h, which includes it;
// do not include it alone.
//
// A world that is made again from the definitions of its objects, in the order of their creation, is the same but for
// impulses, contacts and what is on its way: imp_world_snapshot is for those.
#ifndef IMPEL_DEFINITION_H
#define IMPEL_DEFINITION_H

/// The definition that makes a world with the settings that it has now; `seed` starts its generator anew.
IMP_API ImpWorldDef imp_world_definition(const ImpWorld *world);
/// The state of the generator of imp_world_random, and going on from one. Error: all four are 0, which it never is.
IMP_API void imp_world_generator(const ImpWorld *world, uint64_t out_state[4]);
IMP_CALL ImpStatus imp_world_set_generator(ImpWorld *world, const uint64_t state[4]);

/// The definition that makes the body again as it is now, but for its shapes. The name is the body's own.
IMP_API ImpStatus imp_body_definition(const ImpWorld *world, ImpBody body, ImpBodyDef *out_def);

/// The form of a shape in its body's frame. Ends and vertices are imp_shape_points.
typedef struct ImpShapeForm {
  ImpShapeType type;
  ImpVec2 center;              ///< of a circle or box; the origin of heights [m]
  double width, height, angle; ///< of a box, as it was made; width: the spacing of heights [m, rad]
  double radius;               ///< of a circle, a capsule or rounded corners [m]
  bool loop;                   ///< of a chain
} ImpShapeForm;
/// The definition and the form that make the shape again. The name is the shape's own.
IMP_API ImpStatus imp_shape_definition(const ImpWorld *world, ImpShape shape, ImpShapeDef *out_def,
                                       ImpShapeForm *out_form);

/// The definition that makes the joint again as it is now: anchors and axis in the frames of its bodies, every drive
/// explicit. The name is the joint's own. Error: a constraint, whose functions are the caller's.
IMP_API ImpStatus imp_joint_definition(const ImpWorld *world, ImpJoint joint, ImpJointDef *out_def);

#endif
