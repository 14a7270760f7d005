// Convex pieces ("hulls"), and geometry and mass of shapes.
#ifndef IMPI_SHAPE_H
#define IMPI_SHAPE_H

#include "geometry/decompose.h"

// One convex piece in the body's frame: a core of 1 point (circle), 2 points (capsule, segment, chain link) or n >= 3
// points (polygon, counter-clockwise), expanded by a radius. A chain link stores the adjacent points of its chain
// ("ghosts").
typedef struct ImpiHull {
  int32_t count;
  bool chain; // chain link: one-sided; ghost_before and ghost_after are valid
  // chain link only: the chain begins at v[0] (open_start) or ends at v[1] (open_end)
  bool open_start;
  bool open_end;
  double radius;    // [m] >= 0
  ImpVec2 centroid; // centroid of the rounded piece
  double extent;    // distance of the farthest point of the rounded piece from `centroid` [m]
  // chain link only: chain points before v[0] and after v[1]; at an open end, a point on the extension of the link
  ImpVec2 ghost_before;
  ImpVec2 ghost_after;
  uint64_t inner;   // bit i: the edge v[i] -> v[i+1] is shared with another piece of the shape
  const ImpVec2 *v; // core points   (count)
  // outward unit normal of the edge v[i] -> v[i+1]   (count; 2 points: one normal for each side; 1 point: none)
  const ImpVec2 *n;
} ImpiHull;

// Mass, centre and inertia of a shape of density 1.
typedef struct ImpiMass {
  double area;    // [m^2]
  ImpVec2 center; // centroid in the body's frame [m]
  double inertia; // second moment about `center` [m^4]
} ImpiMass;

// Mass of a geometry, and the measures that it was created from. Shapes with equal measures share one figure.
typedef struct ImpiFigure {
  int32_t users;
  bool loop;         // chain: the end is linked to the start
  size_t block_size; // size of the block after this struct: pieces, points, normals and given points [bytes]
  // box: width and height [m], angle [rad]; height profile: `width` is the spacing of the points [m]
  double width, height, angle;
  // number of given points at the end of the block: outline and holes of a decomposed polygon, or values of a height
  // profile as (0, y), y NaN for a missing point
  int32_t given_count;
  int32_t ring_count; // polygon: number of rings; the index of each ring's end is stored after the given points
  ImpVec2 origin;     // height profile: position of the first point if its value is 0
  ImpiMass mass;
} ImpiFigure;

// The geometry of a shape: its pieces and their points. A chain or height profile has one piece per link, a concave
// polygon several convex pieces, every other shape one piece. The block of memory (ImpiFigure, pieces, points) is
// constant.
typedef struct ImpiGeometry {
  ImpShapeType type;
  int32_t child_count;
  ImpiHull *hulls;    // (child_count)
  ImpiFigure *figure; // null if there are no pieces
} ImpiGeometry;

// Size of the array of ring ends, rounded up to a multiple of 8 [bytes].
static inline size_t impi_rings_size(int32_t ring_count) { return ((size_t)ring_count * sizeof(int32_t) + 7) / 8 * 8; }
static inline const int32_t *impi_geometry_ends(const ImpiGeometry *geometry) {
  return (const void *)((const char *)geometry->hulls + geometry->figure->block_size -
                        impi_rings_size(geometry->figure->ring_count));
}
static inline const ImpVec2 *impi_geometry_given(const ImpiGeometry *geometry) {
  return (const ImpVec2 *)(const void *)impi_geometry_ends(geometry) - geometry->figure->given_count;
}
static inline ImpiOutline impi_geometry_outline(const ImpiGeometry *geometry) {
  return (ImpiOutline){impi_geometry_given(geometry), impi_geometry_ends(geometry), geometry->figure->ring_count};
}

// Build a geometry in one block of `heap`, which impi_geometry_free frees. Arguments are checked: finite, within
// IMPI_MAX_COORDINATE, not degenerate. On an error nothing is allocated.
ImpStatus impi_geometry_circle(ImpiHeap *heap, ImpVec2 center, double radius, ImpiGeometry *out_geometry);
ImpStatus impi_geometry_box(ImpiHeap *heap, double width, double height, ImpVec2 center, double angle, double radius,
                            ImpiGeometry *out_geometry);
ImpStatus impi_geometry_polygon(ImpiHeap *heap, const ImpVec2 *points, int count, double radius,
                                ImpiGeometry *out_geometry);
// `points`: points of the outline, followed by the points of each hole. Ring k has counts[k] points.
ImpStatus impi_geometry_polygon_with_holes(ImpiHeap *heap, const ImpVec2 *points, const int *counts, int rings,
                                           double radius, ImpiGeometry *out_geometry);
ImpStatus impi_geometry_capsule(ImpiHeap *heap, ImpVec2 from, ImpVec2 to, double radius, ImpiGeometry *out_geometry);
ImpStatus impi_geometry_segment(ImpiHeap *heap, ImpVec2 from, ImpVec2 to, ImpiGeometry *out_geometry);
ImpStatus impi_geometry_chain(ImpiHeap *heap, const ImpVec2 *points, int count, bool loop, ImpiGeometry *out_geometry);
// Build a chain of points at origin + (i spacing, values[i]). Two neighbouring points are linked unless a value is
// NaN.
ImpStatus impi_geometry_heights(ImpiHeap *heap, ImpVec2 origin, double spacing, const double *values, int count,
                                ImpiGeometry *out_geometry);
void impi_geometry_free(ImpiHeap *heap, ImpiGeometry *geometry);
// If both geometries have one piece and bitwise equal measures, make `geometry` use the memory of `other` and free its
// own block. Returns false if the geometries differ.
bool impi_geometry_share(ImpiHeap *heap, ImpiGeometry *other, ImpiGeometry *geometry);

ImpAabb impi_hull_aabb(const ImpiHull *hull, ImpTransform xf);
// Return the least distance from the piece's centroid to its surface, radius included [m]; 0 for a line without radius.
double impi_hull_inner(const ImpiHull *hull);
// Return whether a point in the body's frame is inside the rounded piece or on its edge. A segment without radius
// contains no point.
bool impi_hull_contains(const ImpiHull *hull, ImpVec2 point);
// Return the outward unit normal of the piece's core at the core point closest to `point` (body's frame). out_distance:
// distance of `point` from the core [m]; negative inside a polygon.
ImpVec2 impi_hull_normal(const ImpiHull *hull, ImpVec2 point, double *out_distance);
// Result of impi_hull_nearest. `normal`, `distance`: as from impi_hull_normal. `corner`: index of the closest corner;
// -1 if an edge is closest. `room`: distance by which the point can move before another corner or edge is closest [m];
// 0 for a point inside.
typedef struct ImpiNearest {
  ImpVec2 normal;
  double distance, room;
  int corner;
} ImpiNearest;
ImpiNearest impi_hull_nearest(const ImpiHull *hull, ImpVec2 point);
// impi_hull_is_inner: return whether edge `edge` is shared with another piece of the shape. impi_hull_on_internal_edge:
// return whether a point is on a shared edge (within IMPI_GRAZE), ends excluded.
static inline bool impi_hull_is_inner(const ImpiHull *hull, int edge) { return (hull->inner >> edge & 1) != 0; }
bool impi_hull_on_internal_edge(const ImpiHull *hull, ImpVec2 point);
// Return the signed distance of `point` from the surface of the whole shape. Piece `child` must be the piece nearest to
// the point. out_surface: closest point of the surface; out_normal: outward unit normal there.
double impi_geometry_surface(const ImpiGeometry *geometry, int32_t child, ImpVec2 point, ImpVec2 *out_surface,
                             ImpVec2 *out_normal);

// Only for shape.c, shape_check.c, shape_mass.c and shape_grown.c. Error messages contain `kind` and `name`, such as
// "polygon" and "vertex", and `index`, counted from 1; 0: no index.
ImpiMass impi_hull_mass(const ImpiHull *hull);
// Mass of a polygon of several pieces; false when out of memory.
bool impi_outline_mass(ImpiHeap *heap, const ImpiOutline *outline, const ImpiHull *hulls, int32_t count,
                       ImpiMass *out_mass);
// Moments of the union of rounded pieces, about an origin near the pieces. impi_grown_moments returns false when out of
// memory.
typedef struct ImpiMoments {
  double area;   // [m^2]
  ImpVec2 first; // first moment about the origin [m^3]
  double second; // second moment about the origin [m^4]
} ImpiMoments;
bool impi_grown_moments(ImpiHeap *heap, const ImpiHull *hulls, int32_t count, ImpVec2 origin, ImpiMoments *out_moments);
ImpStatus impi_check_size(const char *kind, const char *name, double value, double lower);
ImpStatus impi_check_point(const char *kind, const char *name, int index, ImpVec2 point);
// Check whether a polygon with this outline can be built. Order the points of the outline counter-clockwise, those of
// holes clockwise. `out_convex`: the polygon is convex and has no holes.
ImpStatus impi_check_outline(ImpVec2 *points, const ImpiOutline *outline, bool *out_convex);
ImpStatus impi_check_heights(ImpVec2 origin, double spacing, const double *values, int count, int *out_links);
ImpStatus impi_check_chain(const ImpVec2 *points, int count, bool loop);

#endif
