// impel: many bodies in one call. A chapter of impel.h, which includes it; do not include it alone.
#ifndef IMPEL_BODIES_H
#define IMPEL_BODIES_H

// ---------------------------------------------------------------------------------------------------------------------
// Quantities of bodies, read and written for a list of them
// ---------------------------------------------------------------------------------------------------------------------

/// What a call reads or writes of each body.
typedef enum ImpQuantity {
  IMP_QUANTITY_POSITION, ///< of the body's origin: x, y [m]; written, the body is teleported as by imp_body_set_position
  IMP_QUANTITY_CENTER,   ///< of the centre of mass: x, y [m]
  IMP_QUANTITY_ANGLE,    ///< [rad]; written in the same call as the position it is one teleport, about the origin
  IMP_QUANTITY_VELOCITY,         ///< of the centre of mass: vx, vy [m/s]
  IMP_QUANTITY_ANGULAR_VELOCITY, ///< [rad/s]
  IMP_QUANTITY_CONTACT_FORCE,    ///< read only: imp_body_contact_force, fx, fy [N]
  IMP_QUANTITY_FORCE,            ///< write only: imp_body_apply_force, fx, fy [N]
  IMP_QUANTITY_TORQUE,           ///< write only: imp_body_apply_torque [N m]
  IMP_QUANTITY_IMPULSE,          ///< write only: imp_body_apply_impulse, ix, iy [N s]
  IMP_QUANTITY_ANGULAR_IMPULSE,  ///< write only: imp_body_apply_angular_impulse [N m s]
  IMP_QUANTITY_COUNT
} ImpQuantity;

typedef struct ImpQuantityInfo {
  const char *name; ///< snake_case, the name in Lua
  const char *unit;
  int numbers; ///< 1, or 2 for a vector
  bool readable, writable;
} ImpQuantityInfo;
/// The line of a quantity, or null for a number that is none.
IMP_API const ImpQuantityInfo *imp_quantity(int quantity);

/// Read quantities of bodies: `out` (count x numbers of `what` together) has all numbers of the first body, in the order
/// of `what`, then those of the second, and so on. Inside a step it is as the getters see it. When a body cannot be read
/// nothing is written, and `out_body`, unless it is null, is its place in the list.
IMP_API ImpStatus imp_bodies_read(const ImpWorld *world, const ImpBody *bodies, int count, const ImpQuantity *what,
                                  int what_count, double *out, int *out_body);
/// Write quantities of bodies, `values` in the layout of imp_bodies_read, as the setters of a single body would, body by
/// body; a body that is there twice is written twice. All or nothing: everything is checked first, and when a number is
/// refused the world is as it was, and `out_body` is the place of its body. Of a particle and of the body of a mover the
/// angle and the angular velocity may be written as 0, so that what was read may be written back.
IMP_CALL ImpStatus imp_bodies_write(ImpWorld *world, const ImpBody *bodies, int count, const ImpQuantity *what,
                                    int what_count, const double *values, int *out_body);

#endif
