#include "geometry/collide_edges.h"

#include "base/constants.h"

// Return a point's feature id: one vertex of each piece.
static uint32_t feature_of(const ImpiEdges *e, int ref_vertex, int inc_vertex) {
  int a = e->ref_is_b ? inc_vertex : ref_vertex, b = e->ref_is_b ? ref_vertex : inc_vertex;
  return (uint32_t)a << 8 | (uint32_t)b;
}


ImpiHull impi_place(const ImpiHull *b, const ImpTransform *b_in_a, ImpVec2 *v, ImpVec2 *n) {
  for (int i = 0; i < b->count; ++i) {
    v[i] = impi_apply(*b_in_a, b->v[i]);
    n[i] = impi_rotate(b_in_a->q, b->n[i]);
  }
  return (ImpiHull){.count = b->count, .radius = b->radius, .v = v, .n = n};
}


ImpiEdges impi_edges(const ImpiHull *ref, int edge, const ImpiHull *inc, bool ref_is_b, double separation) {
  ImpVec2 normal = ref->n[edge];
  int deepest = 0;
  double lowest = impi_dot(normal, inc->v[0]);
  for (int i = 1; i < inc->count; ++i) {
    double height = impi_dot(normal, inc->v[i]);
    deepest = height < lowest ? i : deepest;
    lowest = height < lowest ? height : lowest;
  }
  int before = deepest > 0 ? deepest - 1 : inc->count - 1;
  bool before_faces = impi_dot(normal, inc->n[before]) < impi_dot(normal, inc->n[deepest]);
  return (ImpiEdges){.ref = ref,
                     .inc = inc,
                     .edge = edge,
                     .inc_edge = before_faces ? before : deepest,
                     .ref_is_b = ref_is_b,
                     .separation = separation};
}


bool impi_edges_face(const ImpiEdges *e, double slack, double margin, ImpiLocalManifold *out_manifold) {
  int edge_end = impi_next(e->ref, e->edge), inc_end = impi_next(e->inc, e->inc_edge);
  ImpVec2 normal = e->ref->n[e->edge], tangent = impi_left(normal), origin = e->ref->v[e->edge];
  double length = impi_dot(tangent, impi_sub(e->ref->v[edge_end], origin));

  // t: positions of the incident edge's ends along the reference edge, clipped to 0..length. s: their heights above the
  // reference edge. The two edges have opposite directions, so the incident edge's end comes first.
  ImpVec2 lower = impi_sub(e->inc->v[inc_end], origin), upper = impi_sub(e->inc->v[e->inc_edge], origin);
  double t[2] = {impi_dot(tangent, lower), impi_dot(tangent, upper)};
  double s[2] = {impi_dot(normal, lower), impi_dot(normal, upper)};
  if (t[1] < 0 || t[0] > length) {
    return false;
  }
  double lowest = impi_min(s[0], s[1]);
  double slope = t[1] > t[0] ? (s[1] - s[0]) / (t[1] - t[0]) : 0;
  if (t[0] < 0) {
    s[0] -= slope * t[0];
    t[0] = 0;
  }
  if (t[1] > length) {
    s[1] -= slope * (t[1] - length);
    t[1] = length;
  }
  if (impi_min(s[0], s[1]) > lowest + slack) {
    return false;
  }

  const uint32_t feature[2] = {feature_of(e, e->edge, inc_end), feature_of(e, edge_end, e->inc_edge)};
  double ref_radius = e->ref->radius, inc_radius = e->inc->radius;
  out_manifold->normal = e->ref_is_b ? impi_neg(normal) : normal;
  out_manifold->count = 0;
  for (int k = 0; k < 2; ++k) {
    int end = e->ref_is_b ? 1 - k : k; // end of a's edge, whichever edge is the reference
    double separation = s[end] - ref_radius - inc_radius;
    if (separation <= margin) {
      ImpVec2 on_edge = impi_mul_add(origin, t[end], tangent);
      out_manifold->points[out_manifold->count++] =
          (ImpiLocalPoint){.point = impi_mul_add(on_edge, 0.5 * (s[end] + ref_radius - inc_radius), normal),
                           .separation = separation,
                           .feature = feature[end]};
    }
  }
  return true;
}


void impi_edges_vertex(const ImpiEdges *e, double margin, ImpiLocalManifold *out_manifold) {
  int edge_end = impi_next(e->ref, e->edge), inc_end = impi_next(e->inc, e->inc_edge);
  ImpVec2 normal = e->ref->n[e->edge], tangent = impi_left(normal);
  ImpVec2 lower = e->inc->v[inc_end], upper = e->inc->v[e->inc_edge];

  // p: start of the reference edge if the incident edge's deepest vertex is before the start, otherwise the end
  // q: point of the incident edge that is closest to p
  ImpVec2 deepest = impi_dot(normal, lower) <= impi_dot(normal, upper) ? lower : upper;
  bool at_start = impi_dot(tangent, impi_sub(deepest, e->ref->v[e->edge])) < 0;
  ImpVec2 p = e->ref->v[at_start ? e->edge : edge_end];
  ImpVec2 along = impi_sub(upper, lower);
  double place = impi_clamp(impi_dot(along, impi_sub(p, lower)) / impi_length_sq(along), 0, 1);
  ImpVec2 q = impi_lerp(lower, upper, place);

  double distance;
  ImpVec2 direction = impi_normalize(impi_sub(q, p), &distance);
  if (distance <= IMPI_TOUCHING || e->separation <= -IMPI_TOUCHING) {
    direction = normal;
    distance = e->separation;
  }
  double separation = distance - e->ref->radius - e->inc->radius;
  out_manifold->count = separation <= margin ? 1 : 0;
  out_manifold->normal = e->ref_is_b ? impi_neg(direction) : direction;
  ImpVec2 ref_surface = impi_mul_add(p, e->ref->radius, direction);
  ImpVec2 inc_surface = impi_mul_add(q, -e->inc->radius, direction);
  out_manifold->points[0] =
      (ImpiLocalPoint){.point = impi_lerp(ref_surface, inc_surface, 0.5),
                       .separation = separation,
                       .feature = feature_of(e, at_start ? e->edge : edge_end, place < 0.5 ? inc_end : e->inc_edge)};
}
