// impel: character movers. Included by impel.h.
//
// A mover is a walking character: an upright capsule on its own kinematic body, which the world moves at the beginning
// of each step. It stands on slopes up to max_slope without sliding, climbs steps, is carried by its ground, slides
// along walls, pushes dynamic bodies with a bounded force, and puts its weight on them. Its motion is swept (continuous
// collision detection). Up is +y, whatever the direction of gravity. Gravity accelerates a mover in the air only.
//
// The obstacles of a mover are selected by filters: category, mask, group, the filter callback. The pre_solve callback
// affects only contacts of a mover's body with dynamic bodies. A chain link is an obstacle if the centre of the mover
// is on its right side. Overlap is resolved at 3 m/s.
//
// Movers move in the order of their creation, after the "step" handlers and before the broad phase. A mover predicts
// the poses of other bodies at the end of the step from their velocities. The prediction is exact for kinematic bodies;
// its error for a dynamic body is corrected in the next step. The position of a mover's body is that of the mover's
// feet; its velocity is the displacement in the last step / dt.
#ifndef IMPEL_MOVER_H
#define IMPEL_MOVER_H

/// Handle of a mover. Its `id` is the id of the mover's body.
typedef struct ImpMover {
  uint64_t id;
} ImpMover;

/// Properties of a mover. Ranges, defaults and full descriptions are in the table: imp_mover_property.
typedef enum ImpMoverProperty {
  IMP_MOVER_ID,               ///< creation number of the mover's body; read only
  IMP_MOVER_HEIGHT,           ///< height from feet to head [m]; set with imp_mover_set_height
  IMP_MOVER_RADIUS,           ///< half the width of the mover [m]; read only
  IMP_MOVER_WALK,             ///< walking speed along the ground, to the right if positive [m/s]
  IMP_MOVER_MAX_SLOPE,        ///< steepest slope on which the mover stands and walks [rad]
  IMP_MOVER_STEP_HEIGHT,      ///< highest step that the mover climbs [m]
  IMP_MOVER_SNAP_DISTANCE,    ///< largest descent of the ground that the mover follows without falling [m]
  IMP_MOVER_PUSH_FORCE,       ///< largest force on dynamic bodies [N]
  IMP_MOVER_MASS,             ///< mass whose weight acts on dynamic bodies [kg]; 0: no weight
  IMP_MOVER_GRAVITY_SCALE,    ///< factor on the gravity of the world
  IMP_MOVER_TERMINAL_SPEED,   ///< largest speed of a fall [m/s]
  IMP_MOVER_ACCELERATION,     ///< acceleration towards the speed `walk` on the ground [m/s^2]
  IMP_MOVER_AIR_ACCELERATION, ///< acceleration towards the speed `walk` in the air [m/s^2]; 0 if `walk` is 0
  IMP_MOVER_CONSTANT_SPEED,   ///< true: `walk` is the speed along a slope; false: the horizontal speed
  IMP_MOVER_INHERIT_VELOCITY, ///< true: the mover keeps the velocity of the ground when it leaves the ground
  IMP_MOVER_AUTOMATIC,        ///< false: move only by imp_mover_move
  IMP_MOVER_GROUNDED,         ///< the mover stands; read only, as all properties below
  IMP_MOVER_SLIDING,          ///< the mover is on a slope too steep to stand on
  IMP_MOVER_ON_WALL,          ///< the mover touches a wall that is at most 30 degrees from vertical
  IMP_MOVER_ON_CEILING,       ///< the head of the mover touches a shape
  IMP_MOVER_SQUEEZED,         ///< a moving obstacle overlaps the mover
  IMP_MOVER_AIR_TIME,         ///< time since the mover last stood [s]; infinite after a jump
  IMP_MOVER_TURNED,           ///< sum of the rotations of the ground under the mover [rad]
  IMP_MOVER_PROPERTY_COUNT
} ImpMoverProperty;
/// Return the description of a property, or null if the index is out of range.
IMP_API const ImpPropertyInfo *imp_mover_property(int property);

/// Definition of a mover. Start from imp_mover_def().
typedef struct ImpMoverDef {
  const char *name; ///< name of the mover's body, copied; null for none
  ImpVec2 position; ///< position of the mover's feet [m]
  ImpVec2 velocity; ///< [m/s]
  /// properties, indexed by ImpMoverProperty: height, radius, and all properties that can be set. NaN in step_height or
  /// snap_distance (default): height / 6
  double value[IMP_MOVER_PROPERTY_COUNT];
  double friction;         ///< friction of the mover's shape
  uint64_t category, mask; ///< filter of the mover's shape, see ImpShapeDef
  int32_t group;
  void *user_data; ///< `user_data` of the mover's body
} ImpMoverDef;
IMP_API ImpMoverDef imp_mover_def(void);

/// Make a mover with its body and shape. Errors: a number out of range, a height below two radii; IMP_ERR_LIMIT above
/// `max_bodies` or `max_shapes`; IMP_ERR_STATE inside a step; IMP_ERR_NOMEM.
IMP_CALL ImpStatus imp_mover_create(ImpWorld *world, const ImpMoverDef *def, ImpMover *out_mover);
/// Destroy a mover with its body, as imp_body_destroy does.
IMP_CALL ImpStatus imp_mover_destroy(ImpWorld *world, ImpMover mover);
/// Return whether the handle refers to an existing mover of this world.
IMP_API bool imp_mover_is_valid(const ImpWorld *world, ImpMover mover);
/// Return the mover after `previous` in creation order: the first for the null handle, null after the last.
IMP_API ImpMover imp_world_next_mover(const ImpWorld *world, ImpMover previous);
IMP_API ImpStatus imp_mover_body(const ImpWorld *world, ImpMover mover, ImpBody *out_body);
/// Return the mover of a body, or null.
IMP_API ImpMover imp_body_mover(const ImpWorld *world, ImpBody body);

/// Read a property in the unit of its description (imp_mover_property); booleans as 0 and 1.
IMP_API ImpStatus imp_mover_get(const ImpWorld *world, ImpMover mover, ImpMoverProperty property, double *out_value);
/// Set a property. Errors: read only, out of range.
IMP_CALL ImpStatus imp_mover_set(ImpWorld *world, ImpMover mover, ImpMoverProperty property, double value);

/// Read the velocity of a mover in the world [m/s]. While the mover stands, this includes the velocity of the ground.
IMP_API ImpStatus imp_mover_velocity(const ImpWorld *world, ImpMover mover, ImpVec2 *out_velocity);
/// Set the velocity of a mover [m/s], components up to 1e7. A mover that stands takes off if the velocity relative to
/// the ground is more than 0.1 m/s along the normal of the ground.
IMP_CALL ImpStatus imp_mover_set_velocity(ImpWorld *world, ImpMover mover, ImpVec2 velocity);

/// Contact of a mover with a shape at the end of the last step.
typedef struct ImpMoverTouch {
  ImpBody body;
  ImpShape shape;
  ImpVec2 point;    ///< world point [m]
  ImpVec2 normal;   ///< unit vector from the shape to the mover
  ImpVec2 velocity; ///< velocity of the shape at the point in the last step [m/s]
} ImpMoverTouch;
/// Read the contact with the ground. Without contact, `out_found` is false and `out_touch` is untouched.
IMP_API ImpStatus imp_mover_ground(const ImpWorld *world, ImpMover mover, bool *out_found, ImpMoverTouch *out_touch);
/// Read the contact with a wall. Without contact, `out_found` is false and `out_touch` is untouched.
IMP_API ImpStatus imp_mover_wall(const ImpWorld *world, ImpMover mover, bool *out_found, ImpMoverTouch *out_touch);
/// Read the contact of the head with a ceiling. Without contact, `out_found` is false and `out_touch` is untouched.
IMP_API ImpStatus imp_mover_ceiling(const ImpWorld *world, ImpMover mover, bool *out_found, ImpMoverTouch *out_touch);

/// Jump: take off upwards at a speed relative to the ground, 0..1e7 [m/s]. In the air the speed replaces the vertical
/// velocity.
IMP_CALL ImpStatus imp_mover_jump(ImpWorld *world, ImpMover mover, double speed);
/// Fall through a one-way ground: for 0.1 s the mover ignores all one-way shapes. `out_drops` is false if the mover
/// does not stand on a one-way shape.
IMP_CALL ImpStatus imp_mover_drop_through(ImpWorld *world, ImpMover mover, bool *out_drops);
/// Set the height [m], to crouch or stand up; the feet stay. If an obstacle is in the way, `out_done` is false and the
/// height unchanged. Errors: below two radii; IMP_ERR_STATE inside a step; IMP_ERR_NOMEM.
IMP_CALL ImpStatus imp_mover_set_height(ImpWorld *world, ImpMover mover, double height, bool *out_done);
/// Move by `way` [m] at once and slide along obstacles. The mover does not climb steps. `out_moved`: displacement [m].
/// Errors: IMP_ERR_STATE inside a step; IMP_ERR_NOMEM.
IMP_CALL ImpStatus imp_mover_move(ImpWorld *world, ImpMover mover, ImpVec2 way, ImpVec2 *out_moved);
/// Read the definition of a mover as it is now.
IMP_API ImpStatus imp_mover_definition(const ImpWorld *world, ImpMover mover, ImpMoverDef *out_def);

#endif
