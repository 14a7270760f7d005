// impel: quantities of many bodies in one call. Included by impel.h.
#ifndef IMPEL_BODIES_H
#define IMPEL_BODIES_H

// ---------------------------------------------------------------------------------------------------------------------
// Quantities of many bodies
// ---------------------------------------------------------------------------------------------------------------------

/// Quantities of a body that can be read or written.
typedef enum ImpQuantity {
  IMP_QUANTITY_POSITION, ///< position of the body's origin: x, y [m]; writing teleports the body
  IMP_QUANTITY_CENTER,   ///< position of the centre of mass: x, y [m]; writing teleports the body
  /// angle [rad]; writing teleports the body
  IMP_QUANTITY_ANGLE,
  IMP_QUANTITY_VELOCITY,         ///< velocity of the centre of mass: vx, vy [m/s]
  IMP_QUANTITY_ANGULAR_VELOCITY, ///< [rad/s]
  IMP_QUANTITY_CONTACT_FORCE,    ///< mean contact force fx, fy [N], read only, see imp_body_contact_force
  IMP_QUANTITY_FORCE,            ///< force fx, fy [N], write only, see imp_body_apply_force
  IMP_QUANTITY_TORQUE,           ///< torque [N m], write only, see imp_body_apply_torque
  IMP_QUANTITY_IMPULSE,          ///< impulse ix, iy [N s], write only, see imp_body_apply_impulse
  IMP_QUANTITY_ANGULAR_IMPULSE,  ///< angular impulse [N m s], write only, see imp_body_apply_angular_impulse
  IMP_QUANTITY_COUNT
} ImpQuantity;

typedef struct ImpQuantityInfo {
  const char *name; ///< snake_case, the name in Lua
  const char *unit;
  int numbers; ///< 1, or 2 for a vector
  bool readable, writable;
} ImpQuantityInfo;
/// Return the description of a quantity, or null if the index is out of range.
IMP_API const ImpQuantityInfo *imp_quantity(int quantity);

/// Read the quantities what[0..what_count - 1] of `count` bodies. `out` (count, n): all numbers of the first body in
/// the order of `what`, followed by the numbers of the next body. n is the sum of ImpQuantityInfo.numbers of the
/// quantities. Errors: a quantity that cannot be read; a body that does not exist, whose index is written to `out_body`
/// unless this is null. On an error `out` is untouched.
IMP_API ImpStatus imp_bodies_read(const ImpWorld *world, const ImpBody *bodies, int count, const ImpQuantity *what,
                                  int what_count, double *out, int *out_body);
/// Write quantities of bodies from `values` (count, n), in the layout of imp_bodies_read. The setters are called for
/// one body after another. The angle and angular velocity of a particle and of the body of a mover may be written as 0.
/// Errors are those of the setters. All values are checked first: on an error the world is unchanged, and the index of
/// the body with the error is written to `out_body` unless this is null.
IMP_CALL ImpStatus imp_bodies_write(ImpWorld *world, const ImpBody *bodies, int count, const ImpQuantity *what,
                                    int what_count, const double *values, int *out_body);

#endif
