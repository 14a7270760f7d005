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
  double rolling_resistance; ///< mixed coefficient times radius [m]
  double surface_speed;      ///< [m/s]
  bool enabled;              ///< false while a one-way shape lets it pass
} ImpContactInfo;

IMP_API bool imp_contact_is_valid(const ImpWorld *world, ImpContact contact);
IMP_API ImpStatus imp_contact_info(const ImpWorld *world, ImpContact contact, ImpContactInfo *out_info);

#endif
