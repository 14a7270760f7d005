// Level 2. Convex pieces ("hulls"), the geometry and mass of shapes made of them.
#ifndef IMPI_SHAPE_H
#define IMPI_SHAPE_H

#include "array.h"
#include "maths.h"

// One convex piece in the body's frame: a core of 1 point (circle), 2 points (capsule, segment, chain link) or n >= 3
// points (polygon, counter-clockwise), grown outward by a radius. A chain link has its neighbours' far ends as ghosts.
typedef struct ImpiHull {
  int32_t count;
  bool chain;           // one-sided, smooth: ghost_before and ghost_after are valid
  double radius;        // [m] >= 0
  ImpVec2 centroid;     // of the grown piece
  double extent;        // farthest point of the grown piece from `centroid` [m]
  ImpVec2 ghost_before; // chain link only: the point before v[0] and the one after v[1]
  ImpVec2 ghost_after;
  const ImpVec2 *v; // core points   (count)
  const ImpVec2 *n; // outward unit normal of the edge v[i] -> v[i+1] (count; both sides of 2 points; none for 1)
} ImpiHull;

// Mass, centre and inertia of a shape of density 1.
typedef struct ImpiMass {
  double area;    // [m^2]
  ImpVec2 center; // centroid in the body's frame [m]
  double inertia; // second moment about `center` [m^4]
} ImpiMass;

// The geometry of a shape: its pieces (one, or one a link for a chain) and their points in one block of memory.
typedef struct ImpiGeometry {
  ImpShapeType type;
  int32_t child_count;
  ImpiHull *hulls;             // (child_count), at the start of the block
  size_t block_size;           // [bytes]
  bool loop;                   // chain only
  double width, height, angle; // box only: as it was made [m, rad]
  ImpiMass mass;
} ImpiGeometry;

// Build geometry into one block of `heap`. Arguments are the caller's and are checked here: finite, inside
// IMPI_MAX_COORDINATE, not degenerate; the error names the vertex. On an error nothing is allocated.
ImpStatus impi_geometry_circle(ImpiHeap *heap, ImpVec2 center, double radius, ImpiGeometry *out_geometry);
ImpStatus impi_geometry_box(ImpiHeap *heap, double width, double height, ImpVec2 center, double angle, double radius,
                            ImpiGeometry *out_geometry);
ImpStatus impi_geometry_polygon(ImpiHeap *heap, const ImpVec2 *points, int count, double radius,
                                ImpiGeometry *out_geometry);
ImpStatus impi_geometry_capsule(ImpiHeap *heap, ImpVec2 from, ImpVec2 to, double radius, ImpiGeometry *out_geometry);
ImpStatus impi_geometry_segment(ImpiHeap *heap, ImpVec2 from, ImpVec2 to, ImpiGeometry *out_geometry);
ImpStatus impi_geometry_chain(ImpiHeap *heap, const ImpVec2 *points, int count, bool loop, ImpiGeometry *out_geometry);
void impi_geometry_free(ImpiHeap *heap, ImpiGeometry *geometry);

// The tight box around a piece that is placed by xf.
ImpAabb impi_hull_aabb(const ImpiHull *hull, ImpTransform xf);
// How far its centroid is from the surface: 0 of a line [m].
double impi_hull_inner(const ImpiHull *hull);
// Whether a point in the body's frame is inside the grown piece or on its edge; false for 2 points without radius.
bool impi_hull_contains(const ImpiHull *hull, ImpVec2 point);
// The unit normal of the core at its point closest to `point` (in the body's frame), towards `point` when that is
// outside, and the distance from the core (the radius is not counted; negative inside a polygon) [m].
ImpVec2 impi_hull_normal(const ImpiHull *hull, ImpVec2 point, double *out_distance);

// Between shape.c, shape_check.c and shape_mass.c: mass of one grown piece, and what may be built. `kind` ("polygon")
// and `name` ("vertex", "radius") go into the error. `index` counts from 1; 0: there is only one of that name.
ImpiMass impi_hull_mass(const ImpiHull *hull);
ImpStatus impi_check_size(const char *kind, const char *name, double value, double lower);
ImpStatus impi_check_point(const char *kind, const char *name, int index, ImpVec2 point);
ImpStatus impi_check_polygon(const ImpVec2 *points, int count, bool *out_clockwise);
ImpStatus impi_check_chain(const ImpVec2 *points, int count, bool loop);

#endif
