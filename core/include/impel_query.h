// impel: spatial queries: rays, casts, overlaps, nearest shapes, distances. A chapter of impel.h, which includes it; do
// not include it alone.
//
// A query reads the world as it is at the call, as getters do, with all changes that the caller has made since the last
// step. In a substep callback bodies have the poses of that substep; shapes that were made inside the step are not
// found yet, and shapes that were destroyed inside it are no longer found. Sleeping and static bodies are found;
// disabled bodies are not. Surfaces are those of collision: radii are solid, one-way shapes are solid from all sides,
// segments are hit from both sides, links of a chain from their right side only. Results and their order do not depend
// on the history of the world. Coordinates are world coordinates up to 1e7 m; larger coordinates give IMP_ERR_ARGUMENT.
// Queries of a world can return IMP_ERR_NOMEM.
#ifndef IMPEL_QUERY_H
#define IMPEL_QUERY_H

/// Function that decides whether a query returns a shape that it has found; false leaves the shape out. The function is
/// called after all geometry is computed, in the order of the results; for the closest hit, only until one shape is
/// accepted. The function may make further queries and change the world, but not destroy the world; shapes that it
/// destroys are left out.
typedef bool (*ImpAcceptFn)(ImpWorld *world, ImpShape shape, void *user);

/// Filter that selects the shapes that a query finds. Start from imp_query_filter(); a null pointer means the default
/// filter.
typedef struct ImpQueryFilter {
  /// as in ImpShapeDef: a shape is found if its mask contains a bit of this category, and this mask a bit of the
  /// shape's category; default all bits
  uint64_t category, mask;
  /// as in ImpShapeDef: shapes of the same group are found if it is positive, not found if it is negative; default 0:
  /// none
  int32_t group;
  bool sensors;                  ///< whether sensors are found; default false
  const ImpBody *ignored_bodies; ///< bodies whose shapes are not found   (ignored_body_count)
  int ignored_body_count;
  const ImpShape *ignored_shapes; ///< shapes that are not found   (ignored_shape_count)
  int ignored_shape_count;
  ImpAcceptFn accept; ///< null: all are accepted
  void *user;         ///< passed to `accept`
} ImpQueryFilter;
/// Return the default filter: all shapes that are not sensors.
IMP_API ImpQueryFilter imp_query_filter(void);

/// First contact of a ray, or of the moving shape of a shape cast, with a shape.
typedef struct ImpHit {
  ImpBody body;
  ImpShape shape;  ///< null: nothing was hit
  ImpVec2 point;   ///< world point [m]
  ImpVec2 normal;  ///< unit vector out of the surface that was hit; (0, 0) for a ray that starts inside
  double fraction; ///< fraction of the path, 0..1
} ImpHit;

/// Find the first shape on the segment between two points [m]; of several shapes at the same fraction, the shape that
/// was created first. A ray that starts inside a solid hits it with fraction 0 and normal (0, 0). A ray of length 0
/// finds a shape that contains the point. If nothing is hit, `out_hit` is 0.
IMP_API ImpStatus imp_world_raycast(ImpWorld *world, ImpVec2 from, ImpVec2 to, const ImpQueryFilter *filter,
                                    ImpHit *out_hit);
/// Find whether there is any shape on the segment between two points [m]. Faster than imp_world_raycast.
IMP_API ImpStatus imp_world_raycast_any(ImpWorld *world, ImpVec2 from, ImpVec2 to, const ImpQueryFilter *filter,
                                        bool *out_any);
/// Find every shape on the segment between two points [m], each with its first contact, sorted by fraction, then by
/// creation. Read them with imp_world_hits.
IMP_API ImpStatus imp_world_raycast_all(ImpWorld *world, ImpVec2 from, ImpVec2 to, const ImpQueryFilter *filter,
                                        int *out_count);
/// A ray: a segment between two world points [m].
typedef struct ImpRay {
  ImpVec2 from, to;
} ImpRay;
/// Call imp_world_raycast for many rays: `rays` (count), `hits` (count), with a null shape for a ray that hits nothing.
/// `out_found`: number of rays that hit something.
IMP_API ImpStatus imp_world_raycast_many(ImpWorld *world, const ImpRay *rays, int count, const ImpQueryFilter *filter,
                                         ImpHit *hits, int *out_found);

/// Find the first contact of a ray with one shape, as if no other shape existed. Sensors and shapes of disabled bodies
/// are hit, too.
IMP_API ImpStatus imp_shape_raycast(const ImpWorld *world, ImpShape shape, ImpVec2 from, ImpVec2 to, ImpHit *out_hit);

/// Return the results of the last imp_world_..._all or imp_world_overlap_... call; valid until the next query of this
/// world.
IMP_API const ImpHit *imp_world_hits(const ImpWorld *world, int *out_count);

/// Shape that a query tests against the world: convex, given by points, or a shape of the world at its present pose.
typedef struct ImpProbe {
  /// not null: test with this shape of the world. The query does not find shapes of its body, and does not read the
  /// members below
  ImpShape shape;
  /// 1 point: a circle; 2: a capsule or segment; 3..IMP_MAX_VERTICES: a convex polygon   (count)
  const ImpVec2 *points;
  int count;
  double radius;    ///< radius around the points, >= 0 [m]; a circle of radius 0 is a point
  ImpVec2 position; ///< origin of the frame of the points [m]
  double angle;     ///< rotation of the frame of the points [rad]
} ImpProbe;

/// Find the first shape that a probe hits when it moves by `travel` [m] without rotation. Shapes that overlap the probe
/// at the start have fraction 0; the normal is then the direction in which the probe leaves the overlap. If nothing is
/// hit, `out_hit` is 0.
IMP_API ImpStatus imp_world_shapecast(ImpWorld *world, const ImpProbe *probe, ImpVec2 travel,
                                      const ImpQueryFilter *filter, ImpHit *out_hit);
/// Find every shape that the moving probe hits, each as if no other shape existed, sorted by fraction, then by
/// creation. Read them with imp_world_hits.
IMP_API ImpStatus imp_world_shapecast_all(ImpWorld *world, const ImpProbe *probe, ImpVec2 travel,
                                          const ImpQueryFilter *filter, int *out_count);

/// Find all shapes that overlap or touch a probe, in creation order. Segments and links of chains count as lines. Read
/// `body` and `shape` with imp_world_hits.
IMP_API ImpStatus imp_world_overlap(ImpWorld *world, const ImpProbe *probe, const ImpQueryFilter *filter,
                                    int *out_count);
/// Find all shapes that contain a point [m], as imp_shape_contains defines it.
IMP_API ImpStatus imp_world_overlap_point(ImpWorld *world, ImpVec2 point, const ImpQueryFilter *filter, int *out_count);
/// Find all shapes that overlap a box (lower <= upper; it may have the size 0). The geometry of the shapes is tested,
/// not their boxes.
IMP_API ImpStatus imp_world_overlap_box(ImpWorld *world, ImpAabb box, const ImpQueryFilter *filter, int *out_count);
/// Find all shapes that overlap a circle of radius >= 0 [m].
IMP_API ImpStatus imp_world_overlap_circle(ImpWorld *world, ImpVec2 center, double radius, const ImpQueryFilter *filter,
                                           int *out_count);

/// Point on the surface of a shape that is closest to a given point.
typedef struct ImpNear {
  ImpBody body;
  ImpShape shape; ///< null: no shape within the radius
  ImpVec2 point;  ///< closest point on the surface [m]
  /// unit vector out of the surface at that point; if the shape is a line, from the line towards the given point
  ImpVec2 normal;
  double distance; ///< distance of the given point from the surface [m]; negative inside
} ImpNear;
/// Find the shape whose surface is nearest to a point [m]. If several shapes contain the point, it is the shape with
/// the largest depth; if several are at the same distance, it is the shape that was created first. `radius`: largest
/// distance [m], >= 0; may be INFINITY.
IMP_API ImpStatus imp_world_nearest(ImpWorld *world, ImpVec2 point, double radius, const ImpQueryFilter *filter,
                                    ImpNear *out_near);
/// Find the point of one shape's surface that is closest to a point [m]. Any shape may be given.
IMP_API ImpStatus imp_shape_closest(const ImpWorld *world, ImpShape shape, ImpVec2 point, ImpNear *out_near);

/// Closest points of two shapes.
typedef struct ImpClosest {
  ImpVec2 point_a, point_b; ///< closest points on the surfaces [m]
  ImpVec2 normal;           ///< unit vector from a to b
  double distance;          ///< distance of the shapes [m]; negative: depth of the overlap along the normal
} ImpClosest;
/// Compute the closest points of two different shapes, by their nearest pieces. Links of chains count as two-sided
/// lines.
IMP_API ImpStatus imp_world_closest(ImpWorld *world, ImpShape shape_a, ImpShape shape_b, ImpClosest *out_closest);

/// Hypothetical motion of a body: its centre of mass moves by `travel` [m] on a straight line, while the body rotates
/// by `turn` [rad] about its centre of mass, both at constant speed. |turn| up to 6300.
typedef struct ImpTravel {
  ImpVec2 travel;
  double turn;
} ImpTravel;

/// Result of imp_world_time_of_impact.
typedef struct ImpImpact {
  bool met;       ///< false: the shapes do not meet, and the other members are 0
  double time;    ///< fraction of the motion, 0..1; 0 if the shapes overlap at the start
  ImpVec2 point;  ///< point midway between the surfaces at that time [m]
  ImpVec2 normal; ///< unit vector from a to b at that time
} ImpImpact;
/// Compute the time at which two shapes would first be at the distance `target` [m] (0: touch; negative: overlap by
/// that depth) if their bodies made the given motions. The world does not change. No impact is missed, however short.
/// Links of a chain are hit only by pieces that begin on their right side. Errors: two shapes of one body; a number out
/// of range.
IMP_API ImpStatus imp_world_time_of_impact(ImpWorld *world, ImpShape shape_a, ImpTravel motion_a, ImpShape shape_b,
                                           ImpTravel motion_b, double target, ImpImpact *out_impact);

#endif
