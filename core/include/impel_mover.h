// impel: character movers. A chapter of impel.h, which includes it; do not include it alone.
//
// A mover is a character that walks: an upright capsule on a kinematic body of its own, which it moves itself at the
// beginning of every step. It stands on slopes up to max_slope without sliding, climbs steps, is carried by what it
// stands on, slides along walls, pushes dynamic bodies with a bounded force and weighs on them. It never passes
// through what is solid: it goes from touch to touch, whatever its speed. Up is +y, whatever gravity says: that only
// makes it fall, sideways too, and it stands on what is below it.
//
// What it meets is said by filters: category, mask, group, a filter function. No pre-solve callback is asked about its
// way, and what one does to its contacts with dynamic bodies concerns these alone. A chain is solid for whose middle is
// in front of it; what is to be jumped through from below is better one-way. Out of what it overlaps it is put at
// 3 m/s, and into nothing else.
//
// Where in the step: after the "step" handlers, before pairs are looked for. It knows the poses at the step's start
// and the velocities that bodies have then, so that what carries it and what it stands beside end the step as it
// expects: exactly for kinematic bodies; what a dynamic body does otherwise is made good in the next step. Movers go
// in the order of their creation. The body's position is the mover's feet; its velocity is that of the last step's
// way.
#ifndef IMPEL_MOVER_H
#define IMPEL_MOVER_H

/// Its id is that of its body.
typedef struct ImpMover {
  uint64_t id;
} ImpMover;

typedef enum ImpMoverProperty {
  IMP_MOVER_ID,
  IMP_MOVER_HEIGHT,
  IMP_MOVER_RADIUS,
  IMP_MOVER_WALK,
  IMP_MOVER_MAX_SLOPE,
  IMP_MOVER_STEP_HEIGHT,
  IMP_MOVER_SNAP_DISTANCE,
  IMP_MOVER_PUSH_FORCE,
  IMP_MOVER_MASS,
  IMP_MOVER_GRAVITY_SCALE,
  IMP_MOVER_TERMINAL_SPEED,
  IMP_MOVER_ACCELERATION,
  IMP_MOVER_AIR_ACCELERATION,
  IMP_MOVER_CONSTANT_SPEED,
  IMP_MOVER_INHERIT_VELOCITY,
  IMP_MOVER_AUTOMATIC,
  IMP_MOVER_GROUNDED,
  IMP_MOVER_SLIDING,
  IMP_MOVER_ON_WALL,
  IMP_MOVER_ON_CEILING,
  IMP_MOVER_SQUEEZED,
  IMP_MOVER_AIR_TIME,
  IMP_MOVER_TURNED,
  IMP_MOVER_PROPERTY_COUNT
} ImpMoverProperty;
IMP_API const ImpPropertyInfo *imp_mover_property(int property);

/// How to make a mover. Start from imp_mover_def(). NaN, the default of two: step_height and snap_distance are a sixth
/// of the height.
typedef struct ImpMoverDef {
  const char *name;                       ///< of its body; copied; null for none
  ImpVec2 position;                       ///< of its feet [m]
  ImpVec2 velocity;                       ///< [m/s]
  double value[IMP_MOVER_PROPERTY_COUNT]; ///< by ImpMoverProperty, of those that can be set, and height and radius
  double friction;                        ///< of its shape: what stands on it is carried along
  uint64_t category, mask;                ///< of its shape: what it meets
  int32_t group;
  void *user_data; ///< of its body
} ImpMoverDef;
IMP_API ImpMoverDef imp_mover_def(void);

/// Make a mover with its body and shape. Errors: a number out of range, a height below two radii.
IMP_CALL ImpStatus imp_mover_create(ImpWorld *world, const ImpMoverDef *def, ImpMover *out_mover);
/// Destroy a mover with its body. Destroying the body does the same.
IMP_CALL ImpStatus imp_mover_destroy(ImpWorld *world, ImpMover mover);
IMP_API bool imp_mover_is_valid(const ImpWorld *world, ImpMover mover);
/// Walk the movers in creation order: null for the first, null after the last.
IMP_API ImpMover imp_world_next_mover(const ImpWorld *world, ImpMover previous);
/// Its body, and from the body back: null when the body is no mover's.
IMP_API ImpStatus imp_mover_body(const ImpWorld *world, ImpMover mover, ImpBody *out_body);
IMP_API ImpMover imp_body_mover(const ImpWorld *world, ImpBody body);

IMP_API ImpStatus imp_mover_get(const ImpWorld *world, ImpMover mover, ImpMoverProperty property, double *out_value);
IMP_CALL ImpStatus imp_mover_set(ImpWorld *world, ImpMover mover, ImpMoverProperty property, double value);

/// Its velocity [m/s]: its own and, while it stands, that of what it stands on.
IMP_API ImpStatus imp_mover_velocity(const ImpWorld *world, ImpMover mover, ImpVec2 *out_velocity);
/// Upward from the ground faster than 0.1 m/s, it takes off.
IMP_CALL ImpStatus imp_mover_set_velocity(ImpWorld *world, ImpMover mover, ImpVec2 velocity);

/// What a mover touches.
typedef struct ImpMoverTouch {
  ImpBody body;
  ImpShape shape;
  ImpVec2 point;    ///< where, as the last step left it [m]
  ImpVec2 normal;   ///< unit, from the shape to the mover
  ImpVec2 velocity; ///< of the shape there in the last step [m/s]
} ImpMoverTouch;
/// What it stands on, runs against and bumps its head on; out_found false and the rest untouched: nothing.
IMP_API ImpStatus imp_mover_ground(const ImpWorld *world, ImpMover mover, bool *out_found, ImpMoverTouch *out_touch);
IMP_API ImpStatus imp_mover_wall(const ImpWorld *world, ImpMover mover, bool *out_found, ImpMoverTouch *out_touch);
IMP_API ImpStatus imp_mover_ceiling(const ImpWorld *world, ImpMover mover, bool *out_found, ImpMoverTouch *out_touch);

/// Take off upwards at a speed relative to what it stands on, or stood on [m/s]; in the air it replaces the vertical
/// speed. air_time is infinite from then on until it stands again.
IMP_CALL ImpStatus imp_mover_jump(ImpWorld *world, ImpMover mover, double speed);
/// Fall through the one-way shape that it stands on: for 0.1 s none holds it. False: it stands on none.
IMP_CALL ImpStatus imp_mover_drop_through(ImpWorld *world, ImpMover mover, bool *out_drops);
/// Crouch or stand up: the feet stay. False: something is in the way, and it stays as it is. Error inside a step.
IMP_CALL ImpStatus imp_mover_set_height(ImpWorld *world, ImpMover mover, double height, bool *out_done);
/// Go that way at once as far as it can, sliding along what is in it; climbs no steps. Error inside a step.
IMP_CALL ImpStatus imp_mover_move(ImpWorld *world, ImpMover mover, ImpVec2 way, ImpVec2 *out_moved);
/// The definition that makes the mover again as it is now.
IMP_API ImpStatus imp_mover_definition(const ImpWorld *world, ImpMover mover, ImpMoverDef *out_def);

#endif
