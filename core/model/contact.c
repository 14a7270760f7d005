#include "model/contact.h"

#include <string.h>

#include "base/constants.h"
#include "geometry/distance.h"

// A surface speed s moves the surface of a shape along its outward normal turned by -90 degrees. n is the normal from a
// to b, t is n turned by -90 degrees. The surface of a moves at s_a t. The outward normal of b is -n, so the surface of
// b moves at -s_b t. Friction drives the relative velocity of the surfaces along t to 0, so (v_b - v_a) . t = s_a +
// s_b.


// Return the smaller of two numbers; NaN means that a number is not given.
static double smaller_given(double a, double b) { return a <= b || isnan(b) ? a : b; }


ImpVec2 impi_acceleration(const ImpiBody *body, ImpVec2 gravity) {
  return impi_is_dynamic(body) ? impi_body_free_acceleration(body, gravity) : impi_vec(0, 0);
}


double impi_restitution_threshold(const ImpiContact *contact, const ImpiBody *bodies, ImpVec2 gravity, double h) {
  if (!isnan(contact->restitution_threshold)) {
    return contact->restitution_threshold;
  }
  ImpVec2 a = impi_acceleration(&bodies[contact->body_a], gravity), n = contact->normal;
  ImpVec2 b = impi_acceleration(&bodies[contact->body_b], gravity);
  double along_a = impi_dot(a, n), along_b = impi_dot(b, n);
  double aside = (double)IMPI_GAIN_ASIDE * impi_max(impi_length(a), impi_length(b));
  return 2 * h * impi_max(impi_max(fabs(along_a), fabs(along_b)), impi_max(along_a - along_b, aside));
}


void impi_contact_mix(ImpiContact *contact, const ImpiShape *shape_a, const ImpiShape *shape_b) {
  const ImpiMaterial *a = &shape_a->material, *b = &shape_b->material;
  contact->friction = sqrt(a->friction * b->friction);
  contact->restitution = impi_max(a->restitution, b->restitution);
  contact->restitution_threshold = smaller_given(a->restitution_threshold, b->restitution_threshold);
  contact->hit_speed = smaller_given(a->hit_speed, b->hit_speed);
  contact->radius_a = shape_a->geometry.hulls[contact->child_a].radius;
  contact->radius_b = shape_b->geometry.hulls[contact->child_b].radius;
  contact->rolling =
      impi_max(a->rolling_resistance, b->rolling_resistance) * impi_max(contact->radius_a, contact->radius_b);
  contact->surface_speed = a->surface_speed + b->surface_speed;
  contact->flags &= ~(uint32_t)(IMPI_CONTACT_PRE_SOLVE | IMPI_CONTACT_ALTERED | IMPI_CONTACT_ONE_WAY);
  bool one_way = impi_length_sq(shape_a->one_way) > 0 || impi_length_sq(shape_b->one_way) > 0;
  contact->flags |= one_way ? IMPI_CONTACT_ONE_WAY : 0;
  contact->flags |= shape_a->pre_solve || shape_b->pre_solve ? IMPI_CONTACT_PRE_SOLVE : 0;
}


// Return whether a normal from a to b is within 45 degrees of the solid side of each one-way shape.
static bool one_way_faces(const ImpiShape *shape_a, const ImpiShape *shape_b, ImpRot q_a, ImpRot q_b, ImpVec2 normal) {
  const double least = 0.70710678118654752; // cosine of 45 degrees
  ImpVec2 up_a = impi_rotate(q_a, shape_a->one_way);
  ImpVec2 up_b = impi_rotate(q_b, shape_b->one_way);
  return (impi_length_sq(up_a) <= 0 || impi_dot(up_a, normal) >= least) &&
         (impi_length_sq(up_b) <= 0 || -impi_dot(up_b, normal) >= least);
}


bool impi_contact_passes(const ImpiShape *shape_a, const ImpiShape *shape_b, ImpRot q_a, ImpRot q_b, ImpVec2 normal,
                         double approach) {
  bool one_way = impi_length_sq(shape_a->one_way) > 0 || impi_length_sq(shape_b->one_way) > 0;
  return one_way && (approach < 0 || !one_way_faces(shape_a, shape_b, q_a, q_b, normal));
}


void impi_contact_update_passing(ImpiContact *contact, const ImpiShape *shape_a, const ImpiShape *shape_b,
                                 const ImpiMotion *motion_a, const ImpiMotion *motion_b, double dt, bool is_new) {
  double depth = IMPI_ONE_WAY_DEPTH;
  // The allowed depth of a new contact includes the approach of its pieces in one step.
  for (int i = 0; i < contact->count && is_new; ++i) {
    double approach = impi_contact_approach(contact, &contact->points[i], motion_a, motion_b);
    depth = impi_max(depth, IMPI_ONE_WAY_DEPTH + approach * dt);
  }
  bool solid = one_way_faces(shape_a, shape_b, (ImpRot){motion_a->c, motion_a->s}, (ImpRot){motion_b->c, motion_b->s},
                             contact->normal) &&
               impi_contact_separation(contact) > -depth;
  if (solid) {
    contact->flags &= ~(uint32_t)IMPI_CONTACT_PASSING;
  } else if (is_new) {
    contact->flags |= IMPI_CONTACT_PASSING;
  }
}


// Relative pose of two bodies: centre of mass of b relative to a in a's axes, and rotation of b relative to a. For a
// circle about the centre of mass of its body, the rotation of the other body is used for both bodies.
typedef struct Relative {
  ImpRot qa, qb, q;
  ImpVec2 centers; // vector between the centres of mass, world axes [m]
  ImpVec2 p;
} Relative;


static Relative relative_pose(const ImpiMotion *a, const ImpiMotion *b, uint32_t flags) {
  Relative r = {.qa = {a->c, a->s}, .qb = {b->c, b->s}};
  if (flags & IMPI_CONTACT_ROUND_A) {
    r.qa = flags & IMPI_CONTACT_ROUND_B ? (ImpRot){1, 0} : r.qb;
  }
  if (flags & IMPI_CONTACT_ROUND_B) {
    r.qb = r.qa;
  }
  // subtract the centres first, because of rounding far from the origin
  r.centers = impi_vec(b->x - a->x, b->y - a->y);
  r.q = impi_inv_mul_rot(r.qa, r.qb);
  r.p = impi_inv_rotate(r.qa, r.centers);
  return r;
}


// Return the vector from the point r_a of body a to the point r_b of body b. The points coincided when the manifold was
// computed.
static ImpVec2 gap(const Relative *r, ImpVec2 r_a, ImpVec2 r_b) { return impi_add(r->centers, impi_sub(r_b, r_a)); }


// Return an upper bound of the motion of any point of b relative to a since the manifold was computed [m].
static double moved_since(const ImpiContactReference *reference, const Relative *r) {
  double dx = r->p.x - reference->p.x, dy = r->p.y - reference->p.y;
  double c = (double)reference->c, s = (double)reference->s;
  double chord = fabs(r->q.c - c) + fabs(r->q.s - s);
  return fabs(dx) + fabs(dy) + chord * reference->extent_b;
}


bool impi_contact_reference_holds(const ImpiContactReference *reference, uint32_t flags, const ImpiMotion *motion_a,
                                  const ImpiMotion *motion_b) {
  Relative r = relative_pose(motion_a, motion_b, flags);
  return moved_since(reference, &r) < reference->clearance;
}


// Move the contact point of a circle with the circle's centre. The radius is rounded to float, as in the soft solver.
static void roll(const ImpiContact *contact, const Relative *r, ImpiContactPoint *p) {
  if (contact->flags & IMPI_CONTACT_ROUND_B) {
    p->r_b = impi_scale(-((double)(float)contact->radius_b + 0.5 * p->separation), contact->normal);
    p->r_a = impi_add(r->centers, p->r_b);
  } else if (contact->flags & IMPI_CONTACT_ROUND_A) {
    p->r_a = impi_scale((double)(float)contact->radius_a + 0.5 * p->separation, contact->normal);
    p->r_b = impi_sub(p->r_a, r->centers);
  }
}


// Return the vector between the circle's centre and the corner (or the other circle's centre), from a's point to b's
// point.
static ImpVec2 from_corner(const ImpiContact *contact, const Relative *r) {
  const float *corner = contact->local_normal;
  ImpVec2 from_center = impi_rotate(r->qa, impi_vec((double)corner[0], (double)corner[1]));
  return contact->flags & IMPI_CONTACT_ROUND_B ? impi_sub(r->centers, from_center) : impi_add(r->centers, from_center);
}


// Recompute the normal from the bodies' poses. For a circle at a corner, return the distance from the corner to the
// circle's centre, else 0.
static double refresh_normal(ImpiContact *contact, const Relative *r) {
  if (contact->flags & IMPI_CONTACT_CORNER) {
    ImpVec2 d = from_corner(contact, r);
    double distance = impi_length(d);
    contact->normal = impi_vec(d.x / distance, d.y / distance);
    return distance;
  }
  contact->normal = impi_rotate(r->qa, impi_vec((double)contact->local_normal[0], (double)contact->local_normal[1]));
  return 0;
}


static void refresh_point(const ImpiContact *contact, const Relative *r, ImpiContactPoint *p) {
  p->r_a = impi_rotate(r->qa, impi_vec((double)p->local_a[0], (double)p->local_a[1]));
  p->r_b = impi_rotate(r->qb, impi_vec((double)p->local_b[0], (double)p->local_b[1]));
  p->separation = p->base + impi_dot(contact->normal, gap(r, p->r_a, p->r_b));
}


static void refresh(ImpiContact *contact, const Relative *r) {
  bool corner = contact->flags & IMPI_CONTACT_CORNER;
  double distance = refresh_normal(contact, r);
  for (int i = 0; i < contact->count; ++i) {
    ImpiContactPoint *p = &contact->points[i];
    if (corner) {
      p->separation = p->base + distance;
    } else {
      refresh_point(contact, r, p);
    }
    roll(contact, r, p);
    p->total_n = p->total_t = p->step_n = p->step_t = 0;
    p->matched = true;
  }
}


static bool both_round(const ImpiContact *contact) {
  const uint32_t both = IMPI_CONTACT_ROUND_A | IMPI_CONTACT_ROUND_B;
  return (contact->flags & both) == both;
}


static void keep_reference(ImpiContact *contact, const Relative *r, const ImpiBody *body_b, double clearance) {
  contact->reference = (ImpiContactReference){
      .p = r->p, .c = (float)r->q.c, .s = (float)r->q.s, .extent_b = body_b->extent, .clearance = clearance};
  contact->flags |= IMPI_CONTACT_FRESH;
}


// Store in each point of a new manifold the data for `refresh`.
static void keep_points(ImpiContact *contact, const Relative *r, ImpVec2 local_normal) {
  contact->local_normal[0] = (float)local_normal.x;
  contact->local_normal[1] = (float)local_normal.y;
  for (int i = 0; i < contact->count; ++i) {
    ImpiContactPoint *p = &contact->points[i];
    ImpVec2 local_a = impi_inv_rotate(r->qa, p->r_a), local_b = impi_inv_rotate(r->qb, p->r_b);
    p->local_a[0] = (float)local_a.x;
    p->local_a[1] = (float)local_a.y;
    p->local_b[0] = (float)local_b.x;
    p->local_b[1] = (float)local_b.y;
    // Compute with the anchors in float, as `refresh` does.
    ImpVec2 r_a = impi_rotate(r->qa, impi_vec((double)p->local_a[0], (double)p->local_a[1]));
    ImpVec2 r_b = impi_rotate(r->qb, impi_vec((double)p->local_b[0], (double)p->local_b[1]));
    p->base = p->separation - impi_dot(contact->normal, gap(r, r_a, r_b));
  }
}


// Store the corner at which a circle touches a piece, relative to the centre of mass of the piece's body.
static void keep_corner(ImpiContact *contact, const Relative *r, ImpVec2 corner) {
  contact->flags |= IMPI_CONTACT_CORNER;
  contact->local_normal[0] = (float)corner.x;
  contact->local_normal[1] = (float)corner.y;
  contact->points[0].base = contact->points[0].separation - impi_length(from_corner(contact, r));
}


ImpiRefresh impi_contact_refresh(ImpiContact *contact, const ImpiMotion *motion_a, const ImpiMotion *motion_b) {
  if (!(contact->flags & IMPI_CONTACT_FRESH)) {
    return IMPI_REFRESH_STALE;
  }
  Relative r = relative_pose(motion_a, motion_b, contact->flags);
  bool holds = moved_since(&contact->reference, &r) < contact->reference.clearance;
  if (contact->count == 0) {
    return holds ? IMPI_REFRESH_STILL_OFF : IMPI_REFRESH_STALE;
  }
  // Update the normal, because impi_contact_update keeps it if the new manifold has no points.
  if (!holds) {
    refresh_normal(contact, &r);
    return IMPI_REFRESH_STALE;
  }
  contact->total_r = contact->step_r = 0;
  refresh(contact, &r);
  bool rolls = contact->flags & (IMPI_CONTACT_ROUND_A | IMPI_CONTACT_ROUND_B);
  bool corner = contact->flags & IMPI_CONTACT_CORNER;
  bool parts = rolls && contact->points[0].separation > IMPI_SPECULATIVE_MARGIN;
  bool meets = corner && impi_length(from_corner(contact, &r)) <= IMPI_MIN_LENGTH;
  return parts || meets ? IMPI_REFRESH_STALE : IMPI_REFRESH_DONE;
}


static bool is_open(const ImpiHull *hull) { return hull->open_start || hull->open_end; }


// Correct a manifold at internal edges (edges shared by pieces of one surface). `sides`: pieces that may have
// neighbours, as bits. `unresolved`: pieces whose neighbours decide whether the manifold is corrected.
static void smooth(const ImpiContact *contact, const ImpiHull *hull_a, const ImpiHull *hull_b,
                   const ImpTransform *b_in_a, double margin, int sides, int unresolved,
                   const ImpiNeighbourFinder *finder, ImpiLocalManifold *local) {
  ImpiNeighbours neighbours[2];
  int found = finder->find(finder->context, contact, margin, unresolved, neighbours);
  if (unresolved != sides) { // neighbours of a resolved piece are needed only if the manifold must be replaced
    if (impi_internal_edges_fit(hull_a, found & 1 ? &neighbours[0] : NULL, hull_b, found & 2 ? &neighbours[1] : NULL,
                                b_in_a, local)) {
      return;
    }
    found |= finder->find(finder->context, contact, margin, sides & ~unresolved, neighbours);
    impi_internal_edges_replace(hull_a, found & 1 ? &neighbours[0] : NULL, hull_b, found & 2 ? &neighbours[1] : NULL,
                                b_in_a, margin, local);
    return;
  }
  bool has_a = found & 1, has_b = found & 2;
  ImpiHull link_a, link_b;
  ImpVec2 points_a[2], points_b[2];
  if (has_a && hull_a->chain) {
    link_a = impi_neighbours_link(hull_a, &neighbours[0], points_a);
    hull_a = &link_a;
  }
  if (has_b && hull_b->chain) {
    link_b = impi_neighbours_link(hull_b, &neighbours[1], points_b);
    hull_b = &link_b;
  }
  if (hull_a == &link_a || hull_b == &link_b) {
    impi_collide(hull_a, hull_b, b_in_a, margin, local);
  }
  if (has_a || has_b) {
    // The manifold is valid only near this pose: the range of allowed normals depends on the point of contact.
    local->room = impi_min(local->room, IMPI_REFRESH_DISTANCE);
    impi_internal_edges_smooth(hull_a, has_a ? &neighbours[0] : NULL, hull_b, has_b ? &neighbours[1] : NULL, b_in_a,
                               margin, local);
  }
}


void impi_contact_smooth(const ImpiContact *contact, const ImpiHull *hull_a, const ImpiHull *hull_b,
                         const ImpTransform *b_in_a, double margin, const ImpiNeighbourFinder *finder,
                         ImpiLocalManifold *local) {
  const ImpiInternalEdges *internal_edges_of[2] = {NULL, NULL};
  int sides = finder->expect(finder->context, contact, internal_edges_of);
  int unresolved = sides != 0 ? impi_internal_edges_unresolved(hull_a, internal_edges_of[0], hull_b,
                                                               internal_edges_of[1], sides, b_in_a, local)
                              : 0;
  if (unresolved != 0) {
    smooth(contact, hull_a, hull_b, b_in_a, margin, sides, unresolved, finder, local);
  }
}


static bool is_line(const ImpiHull *hull) { return hull->count == 2 && hull->radius <= 0; }


// Compute the manifold of a sensor contact in which a shape is a line. A chain link has two sides here. Two lines
// overlap where they cross.
static void overlap(const ImpiHull *a, const ImpiHull *b, const ImpTransform *b_in_a, double margin,
                    ImpiLocalManifold *out_manifold) {
  ImpiClosest closest;
  impi_closest(a, b, *b_in_a, &closest);
  bool near = closest.distance <= margin;
  *out_manifold = (ImpiLocalManifold){
      .normal = closest.normal, .count = near ? 1 : 0, .clearance = near ? 0 : impi_max(closest.distance, 0)};
  out_manifold->points[0] =
      (ImpiLocalPoint){.point = impi_scale(0.5, impi_add(closest.a, closest.b)), .separation = closest.distance};
}


void impi_contact_meet(uint32_t flags, const ImpiHull *hull_a, const ImpiHull *hull_b, const ImpTransform *b_in_a,
                       double margin, ImpiLocalManifold *out_manifold) {
  if (flags & IMPI_CONTACT_SENSOR && (is_line(hull_a) || is_line(hull_b))) {
    overlap(hull_a, hull_b, b_in_a, margin, out_manifold);
  } else {
    impi_collide(hull_a, hull_b, b_in_a, margin, out_manifold);
  }
}


// Values that are copied to a new contact point from the old point with the same feature.
typedef struct Impulses {
  double lambda_n, lambda_t, work_n, work_t;
  uint32_t feature;
} Impulses;


static Impulses impulses_of(const ImpiContactPoint *point) {
  return (Impulses){point->lambda_n, point->lambda_t, point->work_n, point->work_t, point->feature};
}


void impi_contact_update(ImpiContact *contact, const ImpiShape *shape_a, const ImpiShape *shape_b,
                         const ImpiBody *body_a, const ImpiMotion *motion_a, const ImpiBody *body_b,
                         const ImpiMotion *motion_b, double margin, const ImpiNeighbourFinder *finder) {
  const ImpiHull *hull_a = &shape_a->geometry.hulls[contact->child_a];
  const ImpiHull *hull_b = &shape_b->geometry.hulls[contact->child_b];
  contact->flags &= ~(uint32_t)(IMPI_CONTACT_FRESH | IMPI_CONTACT_ROUND_A | IMPI_CONTACT_ROUND_B | IMPI_CONTACT_TOI |
                                IMPI_CONTACT_PLACE_B | IMPI_CONTACT_CORNER);
  contact->flags |= impi_is_round(hull_a, body_a) ? IMPI_CONTACT_ROUND_A : 0;
  contact->flags |= impi_is_round(hull_b, body_b) ? IMPI_CONTACT_ROUND_B : 0;
  contact->total_r = contact->step_r = 0;
  Relative r = relative_pose(motion_a, motion_b, contact->flags);
  ImpTransform b_in_a;
  b_in_a.q = r.q;
  b_in_a.p = impi_sub(impi_add(r.p, body_a->local_center), impi_rotate(r.q, body_b->local_center));
  ImpiLocalManifold local;
  impi_contact_meet(contact->flags, hull_a, hull_b, &b_in_a, margin, &local);
  // impi_contact_smooth extends open ends of chain links along neighbours. The extended link may touch.
  if (finder != NULL && (local.count > 0 || is_open(hull_a) || is_open(hull_b))) {
    impi_contact_smooth(contact, hull_a, hull_b, &b_in_a, margin, finder, &local);
  }

  Impulses old[2];
  int old_count = contact->count;
  for (int i = 0; i < old_count; ++i) {
    old[i] = impulses_of(&contact->points[i]);
  }
  contact->count = (int8_t)local.count;
  if (local.count == 0) {
    contact->lambda_r = 0;
    contact->flags &= ~(uint32_t)IMPI_CONTACT_PASSING;
    keep_reference(contact, &r, body_b, local.clearance - IMPI_SPECULATIVE_MARGIN);
    return;
  }
  contact->normal = impi_rotate(r.qa, local.normal);
  for (int i = 0; i < local.count; ++i) {
    ImpiContactPoint *point = &contact->points[i];
    ImpVec2 r_a = impi_rotate(r.qa, impi_sub(local.points[i].point, body_a->local_center));
    memset(point, 0, sizeof *point);
    point->r_a = r_a;
    point->r_b = impi_sub(r_a, r.centers);
    point->separation = local.points[i].separation;
    point->feature = local.points[i].feature;
    for (int k = 0; k < old_count && !point->matched; ++k) {
      if (old[k].feature == point->feature) {
        point->lambda_n = old[k].lambda_n;
        point->lambda_t = old[k].lambda_t;
        point->work_n = old[k].work_n;
        point->work_t = old[k].work_t;
        point->matched = true;
      }
    }
  }
  // Two kinds of manifold can be refreshed: edge against edge; and a circle about its body's centre of mass, while the
  // same edge or corner stays nearest to it. A manifold of a fast body, which has a larger margin, is not refreshed.
  bool edges = hull_a->radius + hull_b->radius <= 0 && hull_a->count > 1 && hull_b->count > 1;
  bool rolls = contact->flags & (IMPI_CONTACT_ROUND_A | IMPI_CONTACT_ROUND_B);
  double size = impi_min(body_a->extent, body_b->extent);
  double room = edges ? impi_min(IMPI_REFRESH_DISTANCE, IMPI_REFRESH_PART * size) : rolls ? local.room : 0;
  if (room > 0 && margin <= IMPI_SPECULATIVE_MARGIN) {
    keep_reference(contact, &r, body_b, rolls && both_round(contact) ? IMPI_HUGE : room);
    keep_points(contact, &r, local.normal);
  }
  if (room > 0 && rolls && local.from_corner) {
    bool of_a = contact->flags & IMPI_CONTACT_ROUND_B;
    ImpVec2 from_a = impi_sub(local.corner, body_a->local_center);
    ImpVec2 from_b = hull_b->count == 1 ? impi_sub(hull_b->v[0], body_b->local_center) : impi_sub(from_a, r.p);
    keep_corner(contact, &r, of_a ? from_a : from_b);
  }
}


double impi_contact_separation(const ImpiContact *contact) {
  double least = IMPI_HUGE;
  for (int i = 0; i < contact->count; ++i) {
    least = impi_min(least, contact->points[i].separation);
  }
  return least;
}


ImpVec2 impi_contact_place(const ImpiContact *contact, const ImpiContactPoint *point, const ImpiMotion *motion_a,
                           const ImpiMotion *motion_b) {
  uint32_t round = contact->flags & (IMPI_CONTACT_ROUND_A | IMPI_CONTACT_ROUND_B);
  bool from_b = contact->flags & IMPI_CONTACT_TOI ? contact->flags & IMPI_CONTACT_PLACE_B
                : round == IMPI_CONTACT_ROUND_A   ? false
                : round == IMPI_CONTACT_ROUND_B   ? true
                                                  : impi_length_sq(point->r_b) < impi_length_sq(point->r_a);
  if (from_b) {
    return impi_vec(motion_b->x + point->r_b.x, motion_b->y + point->r_b.y);
  }
  return impi_vec(motion_a->x + point->r_a.x, motion_a->y + point->r_a.y);
}


double impi_contact_approach(const ImpiContact *contact, const ImpiContactPoint *point, const ImpiMotion *motion_a,
                             const ImpiMotion *motion_b) {
  ImpVec2 v_a = impi_add(impi_vec(motion_a->vx, motion_a->vy), impi_cross_sv(motion_a->w, point->r_a));
  ImpVec2 v_b = impi_add(impi_vec(motion_b->vx, motion_b->vy), impi_cross_sv(motion_b->w, point->r_b));
  return -impi_dot(contact->normal, impi_sub(v_b, v_a));
}
