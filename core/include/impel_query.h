// impel: spatial queries: rays, casts, overlaps, nearest shapes, distances. Included by impel.h.
//
// A query reads the world as it is at the call, like a getter. In a substep callback bodies have the poses of the
// substep; shapes made or destroyed inside the step are not found. Sleeping and static bodies are found, disabled
// bodies are not. Radii are solid, one-way shapes are solid from all sides, segments are hit from both sides, links of
// a chain from their right side only. Results and their order do not depend on the history of the world. Coordinates
// are world coordinates up to 1e7 m; larger coordinates give IMP_ERR_ARGUMENT. Queries of a world can return
// IMP_ERR_NOMEM.
#ifndef IMPEL_QUERY_H
#define IMPEL_QUERY_H

/// Function that decides whether a query returns a shape; false leaves the shape out. The function is called in the
/// order of the results. It may make queries and change the world, but not destroy it; destroyed shapes are left out.
typedef bool (*ImpAcceptFn)(ImpWorld *world, ImpShape shape, void *user);

/// Filter of a query. Start from imp_query_filter(); a null pointer is the default filter.
typedef struct ImpQueryFilter {
  /// as in ImpShapeDef: (shape.category & mask) != 0 and (category & shape.mask) != 0; default all bits
  uint64_t category, mask;
  /// as in ImpShapeDef: shapes of the same group are found if > 0, not found if < 0; default 0: no group
  int32_t group;
  bool sensors;                  ///< whether sensors are found; default false
  const ImpBody *ignored_bodies; ///< shapes of these bodies are not found   (ignored_body_count)
  int ignored_body_count;
  const ImpShape *ignored_shapes; ///< shapes that are not found   (ignored_shape_count)
  int ignored_shape_count;
  ImpAcceptFn accept; ///< null: all are accepted
  void *user;
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

/// Find the first shape on the segment between two points [m]; of several shapes at the same fraction, the shape
/// created first. A ray that starts inside a solid has fraction 0 and normal (0, 0). A ray of length 0 finds a shape
/// that contains the point. If nothing is hit, `out_hit` is 0.
IMP_API ImpStatus imp_world_raycast(ImpWorld *world, ImpVec2 from, ImpVec2 to, const ImpQueryFilter *filter,
                                    ImpHit *out_hit);
/// Find whether there is any shape on the segment between two points [m].
IMP_API ImpStatus imp_world_raycast_any(ImpWorld *world, ImpVec2 from, ImpVec2 to, const ImpQueryFilter *filter,
                                        bool *out_any);
/// Find every shape on the segment between two points [m], each with its first contact, sorted by fraction and
/// creation. imp_world_hits returns the hits.
IMP_API ImpStatus imp_world_raycast_all(ImpWorld *world, ImpVec2 from, ImpVec2 to, const ImpQueryFilter *filter,
                                        int *out_count);
/// A ray: a segment between two world points [m].
typedef struct ImpRay {
  ImpVec2 from, to;
} ImpRay;
/// Call imp_world_raycast for each ray: `rays` (count), `hits` (count). If rays[i] hits nothing, hits[i].shape is null.
/// `out_found`: number of rays with a hit.
IMP_API ImpStatus imp_world_raycast_many(ImpWorld *world, const ImpRay *rays, int count, const ImpQueryFilter *filter,
                                         ImpHit *hits, int *out_found);

/// Find the first contact of a ray with one shape. Sensors and shapes of disabled bodies are hit, too.
IMP_API ImpStatus imp_shape_raycast(const ImpWorld *world, ImpShape shape, ImpVec2 from, ImpVec2 to, ImpHit *out_hit);

/// Return the results of the last imp_world_..._all or imp_world_overlap_... call; valid until the next query of this
/// world.
IMP_API const ImpHit *imp_world_hits(const ImpWorld *world, int *out_count);

/// Shape that a query tests against the world: a shape of the world, or a convex shape given by its points.
typedef struct ImpProbe {
  /// not null: the probe is this shape at its pose, shapes of its body are not found, the other members are not read
  ImpShape shape;
  /// 1 point: a circle; 2: a capsule or segment; 3..IMP_MAX_VERTICES: a convex polygon   (count)
  const ImpVec2 *points;
  int count;
  double radius;    ///< radius around the points, >= 0 [m]; a circle of radius 0 is a point
  ImpVec2 position; ///< origin of the frame of the points [m]
  double angle;     ///< rotation of the frame of the points [rad]
} ImpProbe;

/// Find the first shape that a probe hits when it moves by `travel` [m] without rotation. Shapes that overlap the probe
/// at the start have fraction 0, and the normal along which the probe leaves the overlap. If nothing is hit, `out_hit`
/// is 0.
IMP_API ImpStatus imp_world_shapecast(ImpWorld *world, const ImpProbe *probe, ImpVec2 travel,
                                      const ImpQueryFilter *filter, ImpHit *out_hit);
/// Find every shape that the moving probe hits, each as if it were alone, sorted by fraction and creation.
/// imp_world_hits returns the hits.
IMP_API ImpStatus imp_world_shapecast_all(ImpWorld *world, const ImpProbe *probe, ImpVec2 travel,
                                          const ImpQueryFilter *filter, int *out_count);

/// Find all shapes that overlap or touch a probe, in creation order. Segments and links of chains are lines.
/// imp_world_hits returns `body` and `shape`.
IMP_API ImpStatus imp_world_overlap(ImpWorld *world, const ImpProbe *probe, const ImpQueryFilter *filter,
                                    int *out_count);
/// Find all shapes that contain a point [m] (imp_shape_contains).
IMP_API ImpStatus imp_world_overlap_point(ImpWorld *world, ImpVec2 point, const ImpQueryFilter *filter, int *out_count);
/// Find all shapes whose geometry overlaps a box (lower <= upper).
IMP_API ImpStatus imp_world_overlap_box(ImpWorld *world, ImpAabb box, const ImpQueryFilter *filter, int *out_count);
/// Find all shapes that overlap a circle of radius >= 0 [m].
IMP_API ImpStatus imp_world_overlap_circle(ImpWorld *world, ImpVec2 center, double radius, const ImpQueryFilter *filter,
                                           int *out_count);

/// Point on the surface of a shape that is closest to a given point.
typedef struct ImpNear {
  ImpBody body;
  ImpShape shape; ///< null: no shape within the radius
  ImpVec2 point;  ///< closest point on the surface [m]
  /// unit vector out of the surface at `point`; for segments, chains and heights, towards the given point
  ImpVec2 normal;
  double distance; ///< distance of the given point from the surface [m]; negative inside
} ImpNear;
/// Find the shape whose surface is nearest to a point [m]; of several shapes that contain the point, the shape with the
/// largest depth; at equal distances, the shape created first. `radius`: largest distance [m], >= 0; may be INFINITY.
IMP_API ImpStatus imp_world_nearest(ImpWorld *world, ImpVec2 point, double radius, const ImpQueryFilter *filter,
                                    ImpNear *out_near);
/// Find the point of one shape's surface that is closest to a point [m].
IMP_API ImpStatus imp_shape_closest(const ImpWorld *world, ImpShape shape, ImpVec2 point, ImpNear *out_near);

typedef struct ImpClosest {
  ImpVec2 point_a, point_b; ///< closest points on the surfaces [m]
  ImpVec2 normal;           ///< unit vector from a to b
  double distance;          ///< distance of the shapes [m]; negative: depth of the overlap along the normal
} ImpClosest;
/// Compute the closest points of two different shapes. Links of chains are lines with two sides.
IMP_API ImpStatus imp_world_closest(ImpWorld *world, ImpShape shape_a, ImpShape shape_b, ImpClosest *out_closest);

/// Hypothetical motion of a body at constant speed: its centre of mass moves by `travel` [m], and the body rotates by
/// `turn` [rad]. |turn| up to 6300.
typedef struct ImpTravel {
  ImpVec2 travel;
  double turn;
} ImpTravel;

/// Result of imp_world_time_of_impact.
typedef struct ImpImpact {
  bool met;       ///< false: the shapes do not meet, and the other members are 0
  double time;    ///< fraction of the motion, 0..1; 0 if the shapes overlap at the start
  ImpVec2 point;  ///< point midway between the surfaces at `time` [m]
  ImpVec2 normal; ///< unit vector from a to b at `time`
} ImpImpact;
/// Compute the first time at which two shapes are at the distance `target` [m] (0: touch; negative: overlap by this
/// depth) during the given motions of their bodies. No impact is missed. Links of a chain are hit only by pieces that
/// begin on their right side. Errors: two shapes of one body; a number out of range.
IMP_API ImpStatus imp_world_time_of_impact(ImpWorld *world, ImpShape shape_a, ImpTravel motion_a, ImpShape shape_b,
                                           ImpTravel motion_b, double target, ImpImpact *out_impact);

#endif
