// What the collide_*.c files share: the manifold of one edge of each of two cores.
#ifndef IMPI_COLLIDE_EDGES_H
#define IMPI_COLLIDE_EDGES_H

#include "geometry/collide.h"

// How much a face contact of cores that are apart may overestimate their distance [m]: rounding decides which of two
// parallel edges is the nearer one, and the other one's deepest vertex may then lie beyond the end of the face.
#define IMPI_FACE_SLACK 1e-9

// A pair function of the dispatch table; the arguments are impi_collide's.
typedef void ImpiCollide(const ImpiHull *a, const ImpiHull *b, const ImpTransform *b_in_a, double margin,
                         ImpiLocalManifold *out_manifold);
ImpiCollide impi_collide_point;    // b has a core of 1 point, a is no chain link
ImpiCollide impi_collide_polygons; // cores of 2 or more points
ImpiCollide impi_collide_link_point;
ImpiCollide impi_collide_link_polygon; // b has a core of 2 or more points and is no chain link

// The reference edge `edge` of `ref`, whose normal points towards `inc`, and the incident edge of `inc`: the one of its
// deepest vertex that faces the reference edge most. Both pieces are in a's frame.
typedef struct ImpiEdges {
  const ImpiHull *ref, *inc;
  int edge, inc_edge;
  bool ref_is_b;
  double separation; // of inc's deepest core vertex over the reference edge [m]
} ImpiEdges;

static inline int impi_next(const ImpiHull *hull, int i) { return i + 1 < hull->count ? i + 1 : 0; }

// Smallest n . p over the core's points.
static inline double impi_lowest(const ImpiHull *hull, ImpVec2 n) {
  double lowest = impi_dot(n, hull->v[0]);
  for (int i = 1; i < hull->count; ++i) {
    lowest = impi_min(lowest, impi_dot(n, hull->v[i]));
  }
  return lowest;
}

// Put b's core into a's frame; `v` and `n` have room for IMP_MAX_VERTICES. Only count, radius, v and n are set.
ImpiHull impi_place(const ImpiHull *b, const ImpTransform *b_in_a, ImpVec2 *v, ImpVec2 *n);

// Choose the incident edge.
ImpiEdges impi_edges(const ImpiHull *ref, int edge, const ImpiHull *inc, bool ref_is_b, double separation);

// The contact of two edges as faces: the part of the incident edge above the reference edge. False, and nothing
// written, when there is no such part or its deepest point is more than `slack` above the deepest vertex.
bool impi_edges_face(const ImpiEdges *edges, double slack, double margin, ImpiLocalManifold *out_manifold);

// The contact of cores whose closest features are not the reference face: one point, along the true distance.
void impi_edges_vertex(const ImpiEdges *edges, double margin, ImpiLocalManifold *out_manifold);

#endif
