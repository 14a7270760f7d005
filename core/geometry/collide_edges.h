// Shared by collide_*.c: the manifold of two edges, reference and incident
#ifndef IMPI_COLLIDE_EDGES_H
#define IMPI_COLLIDE_EDGES_H

#include "geometry/collide.h"

// Length by which a face contact may overestimate the distance of separated cores, because of rounding [m]
#define IMPI_FACE_SLACK 1e-9

// Type of the functions in the table of collide_table.c; the arguments are those of impi_collide.
typedef void ImpiCollide(const ImpiHull *a, const ImpiHull *b, const ImpTransform *b_in_a, double margin,
                         ImpiLocalManifold *out_manifold);
ImpiCollide impi_collide_point;    // b has a core of 1 point, a is not a chain link
ImpiCollide impi_collide_polygons; // cores of 2 or more points
ImpiCollide impi_collide_link_point;
ImpiCollide impi_collide_link_polygon; // b has a core of 2 or more points and is not a chain link

// Two edges in contact, in a's frame. Edge `edge` of `ref` has a normal that points towards `inc`.
// `inc_edge`: of the two edges at the deepest vertex of `inc`, the one that faces edge `edge` more
typedef struct ImpiEdges {
  const ImpiHull *ref, *inc;
  int edge, inc_edge;
  bool ref_is_b;
  double separation; // separation of the deepest core vertex of `inc` from the reference edge [m]
} ImpiEdges;

static inline int impi_next(const ImpiHull *hull, int i) { return i + 1 < hull->count ? i + 1 : 0; }

// Return the least n . p over all points p of the core.
static inline double impi_lowest(const ImpiHull *hull, ImpVec2 n) {
  double lowest = impi_dot(n, hull->v[0]);
  for (int i = 1; i < hull->count; ++i) {
    lowest = impi_min(lowest, impi_dot(n, hull->v[i]));
  }
  return lowest;
}

// Return b's core in a's frame. The result uses the arrays `v` and `n` of IMP_MAX_VERTICES elements.
ImpiHull impi_place(const ImpiHull *b, const ImpTransform *b_in_a, ImpVec2 *v, ImpVec2 *n);

// Choose the incident edge.
ImpiEdges impi_edges(const ImpiHull *ref, int edge, const ImpiHull *inc, bool ref_is_b, double separation);

// Compute the contact of two edges as faces, from the part of the incident edge that is above the reference edge.
// Returns false and writes nothing if this part is empty, or if the incident edge's deepest vertex is deeper than this
// part by more than `slack`.
bool impi_edges_face(const ImpiEdges *edges, double slack, double margin, ImpiLocalManifold *out_manifold);

// Compute the one-point contact between an end of the reference edge and the closest point of the incident edge. Call
// it only if impi_edges_face returns false.
void impi_edges_vertex(const ImpiEdges *edges, double margin, ImpiLocalManifold *out_manifold);

#endif
