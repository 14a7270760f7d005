// impel: contacts, and what they say after a step. A chapter of impel.h, which includes it; do not include it alone.
#ifndef IMPEL_CONTACT_H
#define IMPEL_CONTACT_H

/// One of at most two points of a contact.
typedef struct ImpContactPoint {
  ImpVec2 point;          ///< world, midway between the surfaces [m]
  double separation;      ///< [m], negative is overlap
  double normal_impulse;  ///< total over the last step [N s], >= 0
  double tangent_impulse; ///< along the normal turned by -90 degrees, total over the last step [N s]
  uint32_t feature;       ///< names the features that touch; the same from step to step
  bool matched;           ///< its impulses were carried over from the step before
} ImpContactPoint;

/// Everything about a contact. The normal points from a to b; a is the shape created first.
typedef struct ImpContactInfo {
  ImpBody body_a, body_b;
  ImpShape shape_a, shape_b;
  ImpVec2 normal;
  int count;
  ImpContactPoint points[2];
  double friction, restitution;
  double restitution_threshold; ///< in force: the one given, or 2 h times the acceleration along the normal, by
                                ///< gravity and the forces applied for the whole step [m/s]
  double rolling_resistance;    ///< mixed coefficient times radius [m]
  double surface_speed;         ///< [m/s]
  double speed;                 ///< of approach before the last step, the fastest of its points [m/s]
  double rolling_impulse;       ///< on b about its centre, a gets the opposite; total over the last step [N m s]
  bool enabled; ///< false while a one-way shape lets it pass, or where its pre_solve callback disabled it
} ImpContactInfo;

IMP_API bool imp_contact_is_valid(const ImpWorld *world, ImpContact contact);
IMP_API ImpStatus imp_contact_info(const ImpWorld *world, ImpContact contact, ImpContactInfo *out_info);

/// Called in a step, after the manifolds are found and before anything is solved, once for each contact that is going to
/// act in the step and one of whose shapes is set to `pre_solve`, in the order of (shape, shape, piece); contacts of what
/// wakes in the step come after those of what was awake. The contact reads as it is then, impulses as 0, and can be
/// changed for this step by imp_contact_set. What else the callback does acts as in a substep callback.
typedef void (*ImpPreSolveFn)(ImpWorld *world, ImpContact contact, void *user);
IMP_CALL void imp_world_set_pre_solve_callback(ImpWorld *world, ImpPreSolveFn callback, void *user);

/// What a pre_solve callback may change of its contact.
typedef enum ImpContactProperty {
  IMP_CONTACT_ENABLED, ///< 0: it bears nothing, wakes nobody and keeps nobody awake in this step
  IMP_CONTACT_FRICTION,
  IMP_CONTACT_RESTITUTION,
  IMP_CONTACT_ROLLING_RESISTANCE, ///< times radius [m]
  IMP_CONTACT_SURFACE_SPEED,
  IMP_CONTACT_PROPERTY_COUNT
} ImpContactProperty;
IMP_API const ImpPropertyInfo *imp_contact_property(int property);
/// For this step only: the next one starts from what the shapes say. Error: outside the contact's own callback.
IMP_CALL ImpStatus imp_contact_set(ImpWorld *world, ImpContact contact, ImpContactProperty property, double value);

#endif
