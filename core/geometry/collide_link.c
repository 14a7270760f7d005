// Chain links: solid on their left side, smooth across joints.
//
// At a corner that bends around the material (convex) the surface normal turns from one link's normal to the next.
// The normals in between are the fan of the corner; each of the two links owns half of the fan.
// At other corners the link has only its own normal. So exactly one link produces each normal of the surface.
//
// A body with corners is tested against the local solid: the half planes under this link and under its neighbours at
// convex corners. The axis of greatest separation is one of their normals, or a face normal of the body in a fan.
// Only the link that owns the axis makes a manifold.
#include "base/constants.h"
#include "geometry/collide_edges.h"

// Sine of the turn above which a corner is convex
static const double convex_sine = 1e-6;

typedef enum Owner { OWNER_NONE, OWNER_LINK, OWNER_NEIGHBOUR } Owner;

typedef struct Link {
  ImpVec2 start, end;        // the link's points
  ImpVec2 along, normal;     // unit vectors; the normal is on the right
  ImpVec2 n_before, n_after; // the neighbours' normals
  bool start_convex, end_convex;
} Link;


// Return whether a corner is convex. A corner at which the chain turns back on itself is convex.
static bool is_convex(ImpVec2 n_first, ImpVec2 n_second) {
  double sine = impi_cross(n_first, n_second);
  return sine > convex_sine || (sine > -convex_sine && impi_dot(n_first, n_second) < 0);
}


static Link link_of(const ImpiHull *hull) {
  double length;
  Link link = {.start = hull->v[0], .end = hull->v[1], .normal = hull->n[0], .along = impi_left(hull->n[0])};
  link.n_before = impi_right(impi_normalize(impi_sub(link.start, hull->ghost_before), &length));
  link.n_after = impi_right(impi_normalize(impi_sub(hull->ghost_after, link.end), &length));
  link.start_convex = is_convex(link.n_before, link.normal);
  link.end_convex = is_convex(link.normal, link.n_after);
  return link;
}


static bool is_convex_towards(const Link *link, ImpVec2 u) {
  return impi_dot(link->along, u) > 0 ? link->end_convex : link->start_convex;
}


// Return the owner of contacts with the unit normal u, which points out of the solid. In the middle of a fan, within
// rounding, each of the two links owns the normal, so that no contact is lost.
static Owner owner_of(const Link *link, ImpVec2 u) {
  bool at_end = impi_dot(link->along, u) > 0;
  ImpVec2 n = at_end ? link->n_after : link->n_before;
  if (!is_convex_towards(link, u)) {
    return OWNER_NONE;
  }
  if (impi_dot(u, link->normal) >= impi_dot(u, n) - 1e-9) {
    return OWNER_LINK;
  }
  double beyond = at_end ? impi_cross(n, u) : impi_cross(u, n);
  return beyond <= 0 ? OWNER_NEIGHBOUR : OWNER_NONE;
}


// Return whether a body's centre is inside the local solid. If so, the body has no contact with the link.
static bool is_behind(const Link *link, ImpVec2 center) {
  ImpVec2 from_start = impi_sub(center, link->start), from_end = impi_sub(center, link->end);
  return impi_dot(link->normal, from_start) < 0 && !(link->start_convex && impi_dot(link->n_before, from_start) >= 0) &&
         !(link->end_convex && impi_dot(link->n_after, from_end) >= 0);
}


bool impi_link_is_behind(const ImpiHull *hull, ImpVec2 center) {
  Link link = link_of(hull);
  return is_behind(&link, center);
}


bool impi_link_owns(const ImpiHull *hull, ImpVec2 normal) {
  Link link = link_of(hull);
  return impi_dot(normal, link.normal) > 1 - 1e-10 || owner_of(&link, normal) != OWNER_NONE;
}


void impi_collide_link_point(const ImpiHull *a, const ImpiHull *b, const ImpTransform *b_in_a, double margin,
                             ImpiLocalManifold *out_manifold) {
  out_manifold->count = 0;
  Link link = link_of(a);
  ImpVec2 center = impi_apply(*b_in_a, b->v[0]), normal = link.normal;
  double distance = impi_dot(link.normal, impi_sub(center, link.start));
  if (distance < 0 || distance - b->radius > margin) {
    return;
  }
  // A centre that is beyond an end of the link by at most IMPI_TOUCHING counts as above the link.
  double before_start = -impi_dot(link.along, impi_sub(center, link.start));
  double after_end = impi_dot(link.along, impi_sub(center, link.end));
  if (impi_max(before_start, after_end) > IMPI_TOUCHING) {
    normal = impi_normalize(impi_sub(center, after_end > 0 ? link.end : link.start), &distance);
    if (owner_of(&link, normal) != OWNER_LINK) {
      return;
    }
  }
  out_manifold->room = impi_max(impi_min(distance, -impi_max(before_start, after_end)), 0);
  double separation = distance - b->radius;
  out_manifold->count = separation <= margin ? 1 : 0;
  out_manifold->normal = normal;
  out_manifold->points[0] = (ImpiLocalPoint){
      .point = impi_mul_add(center, -b->radius - 0.5 * separation, normal), .separation = separation, .feature = 0};
}


void impi_collide_link_polygon(const ImpiHull *a, const ImpiHull *b, const ImpTransform *b_in_a, double margin,
                               ImpiLocalManifold *out_manifold) {
  out_manifold->count = 0;
  double enough = margin + b->radius;
  if (b->count == 2 && b->radius <= 0) {
    return;
  }
  ImpVec2 v[IMP_MAX_VERTICES], n[IMP_MAX_VERTICES];
  ImpiHull placed = impi_place(b, b_in_a, v, n);
  double separation = impi_lowest(&placed, a->n[0]) - impi_dot(a->n[0], a->v[0]);
  if (separation > enough) {
    return;
  }

  Link link = link_of(a);
  if (is_behind(&link, impi_apply(*b_in_a, b->centroid))) {
    return;
  }
  double b_separation = -IMPI_HUGE;
  int b_edge = 0;
  Owner b_owner = OWNER_NONE;
  for (int i = 0; i < placed.count; ++i) {
    double s = impi_lowest(a, n[i]) - impi_dot(n[i], v[i]);
    ImpVec2 u = impi_neg(n[i]);
    Owner owner = owner_of(&link, u);
    // A separating axis ends the test, except a face normal beyond the fan of a convex corner.
    if (s > enough && (owner != OWNER_NONE || !is_convex_towards(&link, u))) {
      return;
    }
    if (owner != OWNER_NONE && s > b_separation) {
      b_separation = s;
      b_edge = i;
      b_owner = owner;
    }
  }
  double neighbours = -IMPI_HUGE;
  if (link.start_convex) {
    neighbours = impi_lowest(&placed, link.n_before) - impi_dot(link.n_before, link.start);
  }
  if (link.end_convex) {
    neighbours = impi_max(neighbours, impi_lowest(&placed, link.n_after) - impi_dot(link.n_after, link.end));
  }
  bool ref_is_b = b_separation > separation;
  double best = ref_is_b ? b_separation : separation;
  if (neighbours > best + 1e-9 || (ref_is_b && b_owner == OWNER_NEIGHBOUR)) {
    return;
  }

  ImpiEdges link_edges = impi_edges(a, 0, &placed, false, separation);
  ImpiEdges edges = ref_is_b ? impi_edges(&placed, b_edge, a, true, b_separation) : link_edges;
  bool apart = best > -IMPI_TOUCHING;
  if (impi_edges_face(&edges, apart ? IMPI_FACE_SLACK : IMPI_HUGE, margin, out_manifold)) {
    return;
  }
  // The closest features are two vertices. If no link owns the direction between them, use the link's normal.
  if (apart) {
    impi_edges_vertex(&edges, margin, out_manifold);
    if (owner_of(&link, out_manifold->normal) != OWNER_NONE) {
      return;
    }
  }
  if (!impi_edges_face(&link_edges, IMPI_HUGE, margin, out_manifold)) {
    out_manifold->count = 0;
  }
}
