// Manifolds of circles with cores, and of cores of 2 or more points with each other.
//
// The Minkowski difference of two cores is the polygon of all differences q - p of their points.
// The distance of the cores is the distance of the origin from this polygon.
// Each edge of the polygon combines an edge of one core with the deepest vertex of the other, at their separation.
//   overlap: the edge of greatest separation is nearest; its normal is the contact normal.
//   apart: the closest point is on the edge of greatest separation (a face) or at its end (two vertices).
// A line is a polygon of two edges with opposite normals.
#include "base/constants.h"
#include "geometry/collide_edges.h"

// Overlapping polygons: b's axis is used if its overlap is less than a's overlap * (1 - 1e-6) minus this length [m].
static const double axis_preference = 5e-7;


void impi_collide_point(const ImpiHull *a, const ImpiHull *b, const ImpTransform *b_in_a, double margin,
                        ImpiLocalManifold *out_manifold) {
  ImpVec2 center = impi_apply(*b_in_a, b->v[0]);
  ImpiNearest nearest = impi_hull_nearest(a, center);
  ImpVec2 normal = nearest.normal;
  double separation = nearest.distance - a->radius - b->radius;
  out_manifold->count = separation <= margin ? 1 : 0;
  out_manifold->clearance = separation;
  out_manifold->normal = normal;
  out_manifold->room = nearest.room;
  out_manifold->from_corner = nearest.corner >= 0;
  out_manifold->corner = a->v[nearest.corner >= 0 ? nearest.corner : 0];
  // A rolling circle's contact point keeps its feature.
  out_manifold->points[0] = (ImpiLocalPoint){
      .point = impi_mul_add(center, -b->radius - 0.5 * separation, normal), .separation = separation, .feature = 0};
}


// Return the greatest separation [m] and its edge. The search ends at the first separation above `enough`.
static double greatest_separation(const ImpiHull *ref, const ImpiHull *other, double enough, int *out_edge) {
  double best = -IMPI_HUGE;
  int best_edge = 0;
  for (int i = 0; i < ref->count; ++i) {
    double s = impi_lowest(other, ref->n[i]) - impi_dot(ref->n[i], ref->v[i]);
    best_edge = s > best ? i : best_edge;
    best = s > best ? s : best;
    if (best > enough) {
      break;
    }
  }
  *out_edge = best_edge;
  return best;
}


void impi_collide_polygons(const ImpiHull *a, const ImpiHull *b, const ImpTransform *b_in_a, double margin,
                           ImpiLocalManifold *out_manifold) {
  out_manifold->count = 0;
  double radii = a->radius + b->radius, enough = margin + radii;
  if (a->count == 2 && b->count == 2 && radii <= 0) {
    return;
  }
  ImpVec2 v[IMP_MAX_VERTICES], n[IMP_MAX_VERTICES];
  ImpiHull placed = impi_place(b, b_in_a, v, n);
  int a_edge, b_edge;
  double a_separation = greatest_separation(a, &placed, enough, &a_edge);
  if (a_separation > enough) {
    out_manifold->clearance = a_separation - radii;
    return;
  }
  double b_separation = greatest_separation(&placed, a, enough, &b_edge);
  if (b_separation > enough) {
    out_manifold->clearance = b_separation - radii;
    return;
  }

  // Polygons without overlap need the axis of greatest separation: no preference.
  double preference = a_separation < 0 ? axis_preference - 1e-6 * a_separation : 0;
  bool ref_is_b = b_separation > a_separation + preference;
  ImpiEdges edges = ref_is_b ? impi_edges(&placed, b_edge, a, true, b_separation)
                             : impi_edges(a, a_edge, &placed, false, a_separation);
  double slack = edges.separation > -IMPI_TOUCHING ? IMPI_FACE_SLACK : IMPI_HUGE;
  if (!impi_edges_face(&edges, slack, margin, out_manifold)) {
    impi_edges_vertex(&edges, margin, out_manifold);
  }
}
