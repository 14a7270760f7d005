// Convex pieces ("hulls"), the geometry and mass of shapes made of them.
#ifndef IMPI_SHAPE_H
#define IMPI_SHAPE_H

#include "geometry/decompose.h"

// One convex piece in the body's frame: a core of 1 point (circle), 2 points (capsule, segment, chain link) or n >= 3
// points (polygon, counter-clockwise), grown outward by a radius. A chain link has its neighbours' far ends as ghosts.
typedef struct ImpiHull {
  int32_t count;
  bool chain;      // one-sided, smooth: ghost_before and ghost_after are valid
  bool open_start; // chain link only: its chain begins at v[0], or ends at v[1], and ghosts go straight on
  bool open_end;
  double radius;        // [m] >= 0
  ImpVec2 centroid;     // of the grown piece
  double extent;        // farthest point of the grown piece from `centroid` [m]
  ImpVec2 ghost_before; // chain link only: the point before v[0] and the one after v[1]
  ImpVec2 ghost_after;
  uint64_t inner;   // bit i: the edge v[i] -> v[i+1] is shared with another piece of the shape, and no surface
  const ImpVec2 *v; // core points   (count)
  const ImpVec2 *n; // outward unit normal of the edge v[i] -> v[i+1] (count; both sides of 2 points; none for 1)
} ImpiHull;

// Mass, centre and inertia of a shape of density 1.
typedef struct ImpiMass {
  double area;    // [m^2]
  ImpVec2 center; // centroid in the body's frame [m]
  double inertia; // second moment about `center` [m^4]
} ImpiMass;

// What a geometry is but for its pieces. Shapes of the same measures have one figure between them: see
// impi_geometry_share.
typedef struct ImpiFigure {
  int32_t users;
  bool loop;                   // chain only
  size_t block_size;           // of the pieces and what follows them [bytes]
  double width, height, angle; // box only: as it was made [m, rad]; width is the spacing of heights
  int32_t given_count;         // points at the block's end as they were given: an outline cut into pieces with its
                               // holes; heights as (0, y), NaN for none
  int32_t ring_count;          // of the outline; their ends follow the points
  ImpVec2 origin;              // heights only: where the first one is counted from
  ImpiMass mass;
} ImpiFigure;

// The geometry of a shape: its pieces (one, or one a link for a chain and heights, or those that a concave polygon is cut
// into) and their points behind the figure, in one block of memory that is not changed once it is made.
typedef struct ImpiGeometry {
  ImpShapeType type;
  int32_t child_count;
  ImpiHull *hulls;    // (child_count)
  ImpiFigure *figure; // the start of the block, null without pieces
} ImpiGeometry;

// Bytes that the ends of an outline's rings take.
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

// Build geometry into one block of `heap`. Arguments are the caller's and are checked here: finite, inside
// IMPI_MAX_COORDINATE, not degenerate; the error names the vertex. On an error nothing is allocated.
ImpStatus impi_geometry_circle(ImpiHeap *heap, ImpVec2 center, double radius, ImpiGeometry *out_geometry);
ImpStatus impi_geometry_box(ImpiHeap *heap, double width, double height, ImpVec2 center, double angle, double radius,
                            ImpiGeometry *out_geometry);
ImpStatus impi_geometry_polygon(ImpiHeap *heap, const ImpVec2 *points, int count, double radius,
                                ImpiGeometry *out_geometry);
// The outline's points, then those of holes: `counts[k]` of ring k.
ImpStatus impi_geometry_polygon_with_holes(ImpiHeap *heap, const ImpVec2 *points, const int *counts, int rings,
                                           double radius, ImpiGeometry *out_geometry);
ImpStatus impi_geometry_capsule(ImpiHeap *heap, ImpVec2 from, ImpVec2 to, double radius, ImpiGeometry *out_geometry);
ImpStatus impi_geometry_segment(ImpiHeap *heap, ImpVec2 from, ImpVec2 to, ImpiGeometry *out_geometry);
ImpStatus impi_geometry_chain(ImpiHeap *heap, const ImpVec2 *points, int count, bool loop, ImpiGeometry *out_geometry);
// Points at origin + (i spacing, values[i]), joined where both are there.
ImpStatus impi_geometry_heights(ImpiHeap *heap, ImpVec2 origin, double spacing, const double *values, int count,
                                ImpiGeometry *out_geometry);
void impi_geometry_free(ImpiHeap *heap, ImpiGeometry *geometry);
// If both are one piece of the same measures, to the bit, let `geometry` have the other's memory and free its own: of
// many equal boxes there is one figure, which is near at hand when they meet. False: they differ.
bool impi_geometry_share(ImpiHeap *heap, ImpiGeometry *other, ImpiGeometry *geometry);

// The tight box around a piece that is placed by xf.
ImpAabb impi_hull_aabb(const ImpiHull *hull, ImpTransform xf);
// How far its centroid is from the surface: 0 of a line [m].
double impi_hull_inner(const ImpiHull *hull);
// Whether a point in the body's frame is inside the grown piece or on its edge; false for 2 points without radius.
bool impi_hull_contains(const ImpiHull *hull, ImpVec2 point);
// The unit normal of the core at its point closest to `point` (in the body's frame), towards `point` when that is
// outside, and the distance from the core (the radius is not counted; negative inside a polygon) [m].
ImpVec2 impi_hull_normal(const ImpiHull *hull, ImpVec2 point, double *out_distance);
// The same, and what is nearest: a corner, -1 for an edge; and how far the point may go for sure before it is anything
// else, 0 inside [m].
typedef struct ImpiNearest {
  ImpVec2 normal;
  double distance, room;
  int corner;
} ImpiNearest;
ImpiNearest impi_hull_nearest(const ImpiHull *hull, ImpVec2 point);
// Whether an edge is one between pieces of a shape, and whether a point is on such an edge, off its ends (by
// IMPI_GRAZE): it is inside the shape, then.
static inline bool impi_hull_is_inner(const ImpiHull *hull, int edge) { return (hull->inner >> edge & 1) != 0; }
bool impi_hull_on_seam(const ImpiHull *hull, ImpVec2 point);
// The surface of the whole shape at its point closest to `point`, as piece `child` knows it: of the piece whose
// distance is least it is the shape's. The signed distance, the point of the surface, and the unit normal out of it.
double impi_geometry_surface(const ImpiGeometry *geometry, int32_t child, ImpVec2 point, ImpVec2 *out_surface,
                             ImpVec2 *out_normal);

// Between shape.c, shape_check.c, shape_mass.c and shape_grown.c: mass of one grown piece, and what may be built. `kind` ("polygon")
// and `name` ("vertex", "radius") go into the error. `index` counts from 1; 0: there is only one of that name.
ImpiMass impi_hull_mass(const ImpiHull *hull);
// Of a polygon of pieces; false when out of memory.
bool impi_outline_mass(ImpiHeap *heap, const ImpiOutline *outline, const ImpiHull *hulls, int32_t count,
                       ImpiMass *out_mass);
// What grown pieces cover together, about an origin near by; false when out of memory.
typedef struct ImpiMoments {
  double area;   // [m^2]
  ImpVec2 first; // [m^3]
  double second; // about the origin [m^4]
} ImpiMoments;
bool impi_grown_moments(ImpiHeap *heap, const ImpiHull *hulls, int32_t count, ImpVec2 origin, ImpiMoments *out_moments);
ImpStatus impi_check_size(const char *kind, const char *name, double value, double lower);
ImpStatus impi_check_point(const char *kind, const char *name, int index, ImpVec2 point);
// Whether a polygon of this outline may be built. Puts its points in order: counter-clockwise, holes clockwise.
// `out_convex`: it is one piece.
ImpStatus impi_check_outline(ImpVec2 *points, const ImpiOutline *outline, bool *out_convex);
ImpStatus impi_check_heights(ImpVec2 origin, double spacing, const double *values, int count, int *out_links);
ImpStatus impi_check_chain(const ImpVec2 *points, int count, bool loop);

#endif
