#include "contact.h"

#include "constants.h"

// A surface speed s moves the surface of a shape along its outward normal turned by -90 degrees: the top of a belt runs
// to +x. With n from a to b and the tangent t = n turned by -90 degrees, a's surface moves at +s_a t. b's outward normal is -n,
// so its surface moves at -s_b t. Friction drives (v_b - v_a) . t to zero between the surfaces, so between the bodies
// to s_a + s_b: the two speeds sum.


void impi_contact_mix(ImpiContact *contact, const ImpiShape *shape_a, const ImpiShape *shape_b) {
  const ImpiMaterial *a = &shape_a->material, *b = &shape_b->material;
  contact->friction = sqrt(a->friction * b->friction);
  contact->restitution = impi_max(a->restitution, b->restitution);
  contact->restitution_threshold = impi_min(a->restitution_threshold, b->restitution_threshold);
  double radius_a = shape_a->geometry.hulls[contact->child_a].radius;
  double radius_b = shape_b->geometry.hulls[contact->child_b].radius;
  contact->rolling = impi_max(a->rolling_resistance, b->rolling_resistance) * impi_max(radius_a, radius_b);
  contact->surface_speed = a->surface_speed + b->surface_speed;
}


// One-way shapes: once per touch, decide whether what came may pass. It may when it does not stand on the solid side
// (normal within 45 degrees of the shape's direction) or when it moves along the direction already.
static void decide_passing(ImpiContact *contact, const ImpiShape *shape_a, const ImpiShape *shape_b,
                           const ImpiMotion *motion_a, const ImpiMotion *motion_b) {
  ImpVec2 local_a = shape_a->one_way, local_b = shape_b->one_way;
  bool pass = false;
  double approach = impi_contact_approach(contact, &contact->points[0], motion_a, motion_b);
  if (impi_length_sq(local_a) > 0) {
    ImpVec2 up = impi_rotate((ImpRot){motion_a->c, motion_a->s}, local_a);
    pass = impi_dot(up, contact->normal) < 0.70710678118654752 || approach < 0;
  }
  if (impi_length_sq(local_b) > 0) {
    ImpVec2 up = impi_rotate((ImpRot){motion_b->c, motion_b->s}, local_b);
    pass = pass || -impi_dot(up, contact->normal) < 0.70710678118654752 || approach < 0;
  }
  if (pass) {
    contact->flags |= IMPI_CONTACT_PASSING;
  }
}


void impi_contact_update(ImpiContact *contact, const ImpiShape *shape_a, const ImpiShape *shape_b,
                         const ImpiBody *body_a, const ImpiMotion *motion_a, const ImpiBody *body_b,
                         const ImpiMotion *motion_b, double margin) {
  // b's frame in a's: the difference of the centres first, so that two bodies far from the origin lose nothing.
  ImpRot qa = {motion_a->c, motion_a->s}, qb = {motion_b->c, motion_b->s};
  ImpVec2 centers = {motion_b->x - motion_a->x, motion_b->y - motion_a->y};
  ImpTransform b_in_a;
  b_in_a.q = impi_inv_mul_rot(qa, qb);
  b_in_a.p = impi_sub(impi_add(impi_inv_rotate(qa, centers), body_a->local_center),
                      impi_rotate(b_in_a.q, body_b->local_center));

  ImpiLocalManifold local;
  impi_collide(&shape_a->geometry.hulls[contact->child_a], &shape_b->geometry.hulls[contact->child_b], b_in_a, margin,
               &local);

  ImpiContactPoint old[2] = {contact->points[0], contact->points[1]};
  int old_count = contact->count;
  contact->count = local.count;
  contact->total_r = 0;
  contact->normal = impi_rotate(qa, local.normal);
  for (int i = 0; i < local.count; ++i) {
    ImpiContactPoint *point = &contact->points[i];
    ImpVec2 r_a = impi_rotate(qa, impi_sub(local.points[i].point, body_a->local_center));
    *point = (ImpiContactPoint){.r_a = r_a,
                                .r_b = impi_sub(r_a, centers),
                                .separation = local.points[i].separation,
                                .feature = local.points[i].feature};
    for (int k = 0; k < old_count; ++k) {
      if (old[k].feature == point->feature) {
        point->lambda_n = old[k].lambda_n;
        point->lambda_t = old[k].lambda_t;
        point->matched = true;
        break;
      }
    }
  }
  if (contact->count == 0) {
    contact->lambda_r = 0;
    contact->flags &= ~(uint32_t)IMPI_CONTACT_PASSING;
  } else if (old_count == 0 && (impi_length_sq(shape_a->one_way) > 0 || impi_length_sq(shape_b->one_way) > 0)) {
    decide_passing(contact, shape_a, shape_b, motion_a, motion_b);
  }
}


double impi_contact_separation(const ImpiContact *contact) {
  double least = INFINITY;
  for (int i = 0; i < contact->count; ++i) {
    least = impi_min(least, contact->points[i].separation);
  }
  return least;
}


double impi_contact_approach(const ImpiContact *contact, const ImpiContactPoint *point, const ImpiMotion *motion_a,
                             const ImpiMotion *motion_b) {
  ImpVec2 v_a = impi_add(impi_vec(motion_a->vx, motion_a->vy), impi_cross_sv(motion_a->w, point->r_a));
  ImpVec2 v_b = impi_add(impi_vec(motion_b->vx, motion_b->vy), impi_cross_sv(motion_b->w, point->r_b));
  return -impi_dot(contact->normal, impi_sub(v_b, v_a));
}
