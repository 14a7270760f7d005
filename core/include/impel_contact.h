// impel: contacts, their state after a step, and the pre_solve callback. Included by impel.h.
#ifndef IMPEL_CONTACT_H
#define IMPEL_CONTACT_H

/// A point of a contact's manifold, which has at most two.
typedef struct ImpContactPoint {
  ImpVec2 point;          ///< world point midway between the surfaces [m]
  double separation;      ///< distance of the surfaces along the normal [m]; negative: overlap
  double normal_impulse;  ///< impulse along the normal, sum over the last step [N s], >= 0
  double tangent_impulse; ///< impulse along the normal turned by -90 degrees, sum over the last step [N s]
  uint32_t feature;       ///< identifier of the pair of features in contact; constant while they touch
  bool matched;           ///< the impulses were copied from the point of the previous step with the same `feature`
} ImpContactPoint;

/// State of a contact. The normal is a unit vector from a to b; a is the shape that was created first.
typedef struct ImpContactInfo {
  ImpBody body_a, body_b;
  ImpShape shape_a, shape_b;
  ImpVec2 normal;
  int count; ///< number of points, 0..2
  ImpContactPoint points[2];
  double friction, restitution; ///< mixed, see ImpShapeDef
  double restitution_threshold; ///< threshold in effect [m/s], see ImpShapeDef
  double rolling_resistance;    ///< mixed rolling resistance times radius [m]
  double surface_speed;         ///< sum of the surface speeds of both shapes [m/s]
  double speed;                 ///< largest approach speed of a contact point before the last step [m/s]
  /// angular impulse of rolling resistance on b, sum over the last step [N m s]; a gets the opposite impulse
  double rolling_impulse;
  bool enabled; ///< false: a one-way shape lets the other shape pass, or the pre_solve callback disabled the contact
} ImpContactInfo;

/// Return whether the handle refers to a touching contact, or to a contact for which pre_solve was called in this step.
IMP_API bool imp_contact_is_valid(const ImpWorld *world, ImpContact contact);
IMP_API ImpStatus imp_contact_info(const ImpWorld *world, ImpContact contact, ImpContactInfo *out_info);

/// Function called in a step before the solver, once for each acting contact with a shape that has `pre_solve`. The
/// calls are ordered by the creation of shape a, of shape b, and by their pieces; contacts of bodies that wake in the
/// step follow those of awake bodies. imp_contact_info gives the manifold of this step with impulses 0, and
/// imp_contact_set changes the contact for this step. The rules of ImpSubstepFn apply to all other calls.
typedef void (*ImpPreSolveFn)(ImpWorld *world, ImpContact contact, void *user);
/// Set the pre_solve callback; null removes it.
IMP_CALL void imp_world_set_pre_solve_callback(ImpWorld *world, ImpPreSolveFn callback, void *user);

/// Properties of a contact that the pre_solve callback may change. Ranges are in the table: imp_contact_property.
typedef enum ImpContactProperty {
  IMP_CONTACT_ENABLED, ///< 0: in this step the contact has no rows and does not wake bodies or keep them awake
  IMP_CONTACT_FRICTION,
  IMP_CONTACT_RESTITUTION,
  IMP_CONTACT_ROLLING_RESISTANCE, ///< coefficient times radius [m]
  IMP_CONTACT_SURFACE_SPEED,      ///< [m/s]
  IMP_CONTACT_PROPERTY_COUNT
} ImpContactProperty;
/// Return the description of a property, or null if the index is out of range.
IMP_API const ImpPropertyInfo *imp_contact_property(int property);
/// Set a property of the contact whose pre_solve callback is running, for this step only. Error: IMP_ERR_STATE at any
/// other time.
IMP_CALL ImpStatus imp_contact_set(ImpWorld *world, ImpContact contact, ImpContactProperty property, double value);

#endif
