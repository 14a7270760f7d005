// Manifolds corrected for internal edges.
#include "geometry/internal_edge.h"

#include "base/constants.h"
#include "geometry/collide_edges.h"

// Angle of the turn that tests whether a corner has more than one normal [rad].
static const double least_turn = 1e-5;

// One piece with its neighbours. `frame`: frame of the piece in the manifold's frame.
typedef struct Side {
  const ImpiHull *hull;
  const ImpiNeighbours *neighbours;
  ImpTransform frame;
  bool is_b;
} Side;


static bool side_shows(const Side *side, const ImpiLocalManifold *manifold) {
  ImpVec2 outward = side->is_b ? impi_neg(manifold->normal) : manifold->normal;
  const ImpiLocalPoint *points = manifold->points;
  return impi_neighbours_expose(side->hull, side->neighbours, impi_inv_rotate(side->frame.q, outward),
                                impi_inv_apply(side->frame, points[0].point),
                                impi_inv_apply(side->frame, points[manifold->count - 1].point));
}


// Compute the contact of a circle with one face. False if the centre is beyond an end of the face.
static bool circle_on_face(const Side *side, const ImpiHull *ref, int edge, const ImpiHull *circle, double separation,
                           ImpiLocalManifold *out_manifold) {
  ImpVec2 normal = ref->n[edge], along = impi_left(normal), center = circle->v[0];
  int end = impi_next(ref, edge);
  double before = impi_dot(along, impi_sub(ref->v[edge], center));
  double after = impi_dot(along, impi_sub(center, ref->v[end]));
  ImpVec2 own = impi_left(side->hull->n[edge]);
  if ((before > 0 && before > impi_neighbours_reach(side->hull, side->neighbours, edge, -1, impi_neg(own))) ||
      (after > 0 && after > impi_neighbours_reach(side->hull, side->neighbours, end, 1, own))) {
    return false;
  }
  double gap = separation - ref->radius - circle->radius;
  out_manifold->count = 1;
  out_manifold->normal = side->is_b ? impi_neg(normal) : normal;
  out_manifold->points[0] = (ImpiLocalPoint){
      .point = impi_mul_add(center, -circle->radius - 0.5 * gap, normal), .separation = gap, .feature = 0};
  return true;
}


// For each edge of each piece, compute the separation of the other piece from the edge. Return false if a separation is
// above `enough`.
static bool measure(const ImpiHull placed[2], double enough, double out_separations[2][IMP_MAX_VERTICES]) {
  for (int s = 0; s < 2; ++s) {
    const ImpiHull *ref = &placed[s], *other = &placed[1 - s];
    for (int i = 0; ref->count > 1 && i < ref->count; ++i) {
      double separation = impi_lowest(other, ref->n[i]) - impi_dot(ref->n[i], ref->v[i]);
      out_separations[s][i] = separation;
      if (separation > enough) {
        return false;
      }
    }
  }
  return true;
}


// Find the face of greatest separation whose contact is on the surface of both pieces. The depth may be as large as the
// width of the smaller piece, because a fast body may penetrate a whole tile in a step.
static void best_face(const Side sides[2], const ImpiHull placed[2], double margin, ImpiLocalManifold *manifold) {
  double deepest = -2 * impi_min(sides[0].hull->extent, sides[1].hull->extent);
  double separations[2][IMP_MAX_VERTICES];
  manifold->count = 0;
  if (!measure(placed, margin + placed[0].radius + placed[1].radius, separations)) {
    return;
  }
  for (;;) {
    double best = -IMPI_HUGE;
    int s = 0, edge = -1;
    for (int k = 0; k < 2; ++k) {
      for (int i = 0; placed[k].count > 1 && i < placed[k].count; ++i) {
        if (separations[k][i] > best) {
          best = separations[k][i];
          s = k;
          edge = i;
        }
      }
    }
    manifold->count = 0;
    if (edge < 0) {
      return;
    }
    separations[s][edge] = -IMPI_HUGE; // the face is not tried again
    const ImpiHull *ref = &placed[s], *other = &placed[1 - s];
    ImpVec2 center = impi_apply(sides[1 - s].frame, sides[1 - s].hull->centroid);
    bool behind = impi_dot(ref->n[edge], impi_sub(center, ref->v[edge])) < 0;
    // A segment has two faces: skip the face that points away from the centroid of the other piece.
    if (ref->count == 2 && behind && best < -IMPI_SPECULATIVE_MARGIN) {
      continue;
    }
    bool found;
    if (other->count == 1) {
      found = circle_on_face(&sides[s], ref, edge, other, best, manifold);
    } else {
      ImpiEdges edges = impi_edges(ref, edge, other, s == 1, best);
      found = impi_edges_face(&edges, IMPI_HUGE, margin, manifold) && manifold->count > 0;
    }
    found = found && manifold->points[0].separation >= deepest &&
            manifold->points[manifold->count - 1].separation >= deepest;
    if (found && side_shows(&sides[0], manifold) && side_shows(&sides[1], manifold)) {
      return;
    }
  }
}


int impi_internal_edges_unresolved(const ImpiHull *a, const ImpiInternalEdges *internal_edges_a, const ImpiHull *b,
                                   const ImpiInternalEdges *internal_edges_b, int sides, const ImpTransform *b_in_a,
                                   const ImpiLocalManifold *manifold) {
  if (manifold->count == 0 || a->count == 1 || b->count == 1 || a->chain || b->chain) {
    return sides; // neighbours limit the normals of a circle and change the ends of a chain link
  }
  ImpVec2 from = manifold->points[0].point, to = manifold->points[manifold->count - 1].point;
  int unresolved = sides;
  if (sides & 1 && internal_edges_a != NULL &&
      impi_internal_edges_expose(a, internal_edges_a, manifold->normal, from, to)) {
    unresolved &= ~1;
  }
  if (sides & 2 && internal_edges_b != NULL &&
      impi_internal_edges_expose(b, internal_edges_b, impi_inv_rotate(b_in_a->q, impi_neg(manifold->normal)),
                                 impi_inv_apply(*b_in_a, from), impi_inv_apply(*b_in_a, to))) {
    unresolved &= ~2;
  }
  return unresolved;
}


bool impi_internal_edges_fit(const ImpiHull *a, const ImpiNeighbours *neighbours_a, const ImpiHull *b,
                             const ImpiNeighbours *neighbours_b, const ImpTransform *b_in_a,
                             const ImpiLocalManifold *manifold) {
  const Side sides[2] = {{a, neighbours_a, {{0, 0}, {1, 0}}, false}, {b, neighbours_b, *b_in_a, true}};
  return side_shows(&sides[0], manifold) && side_shows(&sides[1], manifold);
}


void impi_internal_edges_replace(const ImpiHull *a, const ImpiNeighbours *neighbours_a, const ImpiHull *b,
                                 const ImpiNeighbours *neighbours_b, const ImpTransform *b_in_a, double margin,
                                 ImpiLocalManifold *manifold) {
  const Side sides[2] = {{a, neighbours_a, {{0, 0}, {1, 0}}, false}, {b, neighbours_b, *b_in_a, true}};
  manifold->clearance = manifold->room = 0;
  if (a->chain || b->chain) { // a chain link is one-sided: it has no face to replace the manifold's face
    manifold->count = 0;
    return;
  }
  ImpVec2 v[IMP_MAX_VERTICES], n[IMP_MAX_VERTICES];
  ImpiHull placed[2] = {*a, {.count = 1, .radius = b->radius, .v = v, .n = n}};
  if (b->count > 1) {
    placed[1] = impi_place(b, b_in_a, v, n);
  } else {
    v[0] = impi_apply(*b_in_a, b->v[0]);
  }
  best_face(sides, placed, margin, manifold);
}


// Return whether a corner is the farthest corner of a piece along a direction, except for rounding.
static bool is_highest(const ImpiHull *hull, ImpVec2 corner, ImpVec2 direction) {
  for (int i = 0; i < hull->count; ++i) {
    ImpVec2 to = impi_sub(hull->v[i], corner);
    if (impi_dot(direction, to) > 0.5 * least_turn * impi_length(to)) {
      return false;
    }
  }
  return true;
}


// Return whether the normal of a circle's contact with a corner may turn. At a flat corner only one normal is possible.
static bool can_turn(const ImpiHull *a, const ImpiNeighbours *neighbours_a, const ImpiHull *b,
                     const ImpiNeighbours *neighbours_b, const ImpTransform *b_in_a,
                     const ImpiLocalManifold *manifold) {
  bool of_a = a->count > 1;
  ImpVec2 corner = of_a ? manifold->corner : impi_inv_apply(*b_in_a, manifold->corner);
  for (int sign = -1; sign <= 1; sign += 2) {
    ImpiLocalManifold turned = *manifold;
    turned.normal = impi_mul_add(turned.normal, sign * least_turn, impi_left(turned.normal));
    ImpVec2 outward = of_a ? turned.normal : impi_inv_rotate(b_in_a->q, impi_neg(turned.normal));
    if (is_highest(of_a ? a : b, corner, outward) &&
        impi_internal_edges_fit(a, neighbours_a, b, neighbours_b, b_in_a, &turned)) {
      return true;
    }
  }
  return false;
}


void impi_internal_edges_smooth(const ImpiHull *a, const ImpiNeighbours *neighbours_a, const ImpiHull *b,
                                const ImpiNeighbours *neighbours_b, const ImpTransform *b_in_a, double margin,
                                ImpiLocalManifold *manifold) {
  if (manifold->count == 0) {
    return;
  }
  if (!impi_internal_edges_fit(a, neighbours_a, b, neighbours_b, b_in_a, manifold)) {
    impi_internal_edges_replace(a, neighbours_a, b, neighbours_b, b_in_a, margin, manifold);
  } else if (manifold->from_corner && !can_turn(a, neighbours_a, b, neighbours_b, b_in_a, manifold)) {
    manifold->from_corner = false;
    manifold->room = 0;
  }
}
