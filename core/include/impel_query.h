// impel: queries, which ask what is where. A chapter of impel.h, which includes it; do not include it alone.
//
// A query sees the world as getters do at that moment: what was made, moved or destroyed before it counts at once; in a
// substep callback bodies are where that substep has them, shapes made inside the step are not in the world yet, and
// destroyed ones are no longer. Sleeping and static bodies are found as any; disabled bodies never. Surfaces count as
// they collide: radii are solid, one-way shapes are solid from all sides, segments are hit from both sides and links of
// a chain from their right side only. Nothing a query finds, and no order that it gives, depends on how the world came
// to be as it is. Coordinates are world coordinates, up to 1e7 m.
#ifndef IMPEL_QUERY_H
#define IMPEL_QUERY_H

/// The last word on a shape that a query is about to give: false leaves it out. It is called after all geometry is done,
/// in the order of the results, and no longer than there is need: for the closest hit until one is accepted. It may ask
/// further queries and change the world (what dies meanwhile is left out), but may not destroy it.
typedef bool (*ImpAcceptFn)(ImpWorld *world, ImpShape shape, void *user);

/// Which shapes a query finds. Start from imp_query_filter(); null stands for that.
typedef struct ImpQueryFilter {
  uint64_t category, mask;       ///< as a shape's: each one's category is in the other's mask; default all bits of both
  int32_t group;                 ///< as a shape's: the same non-zero group decides alone; default 0
  bool sensors;                  ///< whether sensors are found; default false
  const ImpBody *ignored_bodies; ///< left out with all their shapes   (ignored_body_count)
  int ignored_body_count;
  const ImpShape *ignored_shapes; ///< left out   (ignored_shape_count)
  int ignored_shape_count;
  ImpAcceptFn accept; ///< null: all are accepted
  void *user;         ///< for `accept`
} ImpQueryFilter;
IMP_API ImpQueryFilter imp_query_filter(void);

/// Where a ray or a moving form first meets a shape.
typedef struct ImpHit {
  ImpBody body;
  ImpShape shape;  ///< null: nothing was met
  ImpVec2 point;   ///< world [m]
  ImpVec2 normal;  ///< unit, out of the surface that is hit; (0, 0) for a ray that starts inside
  double fraction; ///< of the way there, 0..1
} ImpHit;

/// The first shape on the way from one point to another; of several at the same fraction, the one created first. A ray
/// that starts inside a solid hits it with fraction 0 and normal (0, 0). A ray of length 0 finds what contains its point.
IMP_API ImpStatus imp_world_raycast(ImpWorld *world, ImpVec2 from, ImpVec2 to, const ImpQueryFilter *filter,
                                    ImpHit *out_hit);
/// Whether there is anything on the way. Stops at the first shape found, whichever that is.
IMP_API ImpStatus imp_world_raycast_any(ImpWorld *world, ImpVec2 from, ImpVec2 to, const ImpQueryFilter *filter,
                                        bool *out_any);
/// Every shape on the way, once, where the ray first meets it; sorted by fraction, then by creation. Read them with
/// imp_world_hits.
IMP_API ImpStatus imp_world_raycast_all(ImpWorld *world, ImpVec2 from, ImpVec2 to, const ImpQueryFilter *filter,
                                        int *out_count);
typedef struct ImpRay {
  ImpVec2 from, to;
} ImpRay;
/// imp_world_raycast of many rays: hits (count), with a null shape where a ray meets nothing, and how many met something.
IMP_API ImpStatus imp_world_raycast_many(ImpWorld *world, const ImpRay *rays, int count, const ImpQueryFilter *filter,
                                         ImpHit *hits, int *out_found);

/// Where a ray first meets one shape, as imp_world_raycast would if there were no other; whatever it is and its body:
/// sensors and disabled ones too.
IMP_API ImpStatus imp_shape_raycast(const ImpWorld *world, ImpShape shape, ImpVec2 from, ImpVec2 to, ImpHit *out_hit);

/// What the last imp_world_..._all or imp_world_overlap_... found; valid until the next query of this world.
IMP_API const ImpHit *imp_world_hits(const ImpWorld *world, int *out_count);

/// A convex form that is in no world, or a shape of the world where it is now.
typedef struct ImpProbe {
  ImpShape shape; ///< not null: this shape, and its whole body is left out of what is found; the rest is not read
  const ImpVec2 *points; ///< 1: a circle, 2: a capsule or line, 3..IMP_MAX_VERTICES: a convex polygon   (count)
  int count;
  double radius;    ///< around the points, >= 0; a circle of radius 0 is a point [m]
  ImpVec2 position; ///< where the points' frame is, and how it is turned
  double angle;
} ImpProbe;

/// The first shape that a form meets as it travels without turning. Forms that overlap it from the start are met with
/// fraction 0, and the normal that leads out of the overlap.
IMP_API ImpStatus imp_world_shapecast(ImpWorld *world, const ImpProbe *probe, ImpVec2 travel,
                                      const ImpQueryFilter *filter, ImpHit *out_hit);
/// Every shape that it meets on its way, once, as if the others were not there; sorted by fraction, then by creation.
/// Read them with imp_world_hits.
IMP_API ImpStatus imp_world_shapecast_all(ImpWorld *world, const ImpProbe *probe, ImpVec2 travel,
                                          const ImpQueryFilter *filter, int *out_count);

/// All shapes that overlap a form, touching ones too, in the order of creation; segments and links of chains as the lines
/// that they are. Read body and shape with imp_world_hits.
IMP_API ImpStatus imp_world_overlap(ImpWorld *world, const ImpProbe *probe, const ImpQueryFilter *filter,
                                    int *out_count);
/// All that contain a point, as imp_shape_contains: on the edge is inside, lines contain nothing.
IMP_API ImpStatus imp_world_overlap_point(ImpWorld *world, ImpVec2 point, const ImpQueryFilter *filter, int *out_count);
/// All that overlap a box (lower <= upper; it may be a line or a point), as shapes, not their boxes.
IMP_API ImpStatus imp_world_overlap_box(ImpWorld *world, ImpAabb box, const ImpQueryFilter *filter, int *out_count);
IMP_API ImpStatus imp_world_overlap_circle(ImpWorld *world, ImpVec2 center, double radius, const ImpQueryFilter *filter,
                                           int *out_count);

/// Where the surface of a shape is closest to a point.
typedef struct ImpNear {
  ImpBody body;
  ImpShape shape;  ///< null: nothing is so near
  ImpVec2 point;   ///< of the surface [m]
  ImpVec2 normal;  ///< unit, out of the surface there; of lines towards the point, from either side
  double distance; ///< of the point from the surface [m]; negative inside: how deep
} ImpNear;
/// The shape whose surface is nearest to a point: of several that contain it the one that it is deepest in, of several
/// at the same distance the one created first. `radius`: how far it may be [m], >= 0; INFINITY for no bound.
IMP_API ImpStatus imp_world_nearest(ImpWorld *world, ImpVec2 point, double radius, const ImpQueryFilter *filter,
                                    ImpNear *out_near);
/// The same of one shape, whatever it is.
IMP_API ImpStatus imp_shape_closest(const ImpWorld *world, ImpShape shape, ImpVec2 point, ImpNear *out_near);

/// The closest points of two shapes, by their nearest pieces; links of chains are lines with two sides here.
typedef struct ImpClosest {
  ImpVec2 point_a, point_b; ///< on the surfaces [m]
  ImpVec2 normal;           ///< unit, from a to b
  double distance;          ///< [m]; negative where they overlap: how deep, along the normal
} ImpClosest;
IMP_API ImpStatus imp_world_closest(ImpWorld *world, ImpShape shape_a, ImpShape shape_b, ImpClosest *out_closest);

/// How a body would move from where it is: its centre of mass straight on by `travel` [m], while it turns by `turn` [rad]
/// about it, both evenly.
typedef struct ImpTravel {
  ImpVec2 travel;
  double turn;
} ImpTravel;

typedef struct ImpImpact {
  bool met;       ///< false: they do not meet, and the rest is 0
  double time;    ///< 0..1 of the motion; 0 where they overlap from the start
  ImpVec2 point;  ///< midway between the surfaces then [m]
  ImpVec2 normal; ///< unit, from a to b then
} ImpImpact;
/// When two shapes would first be as near as `target` [m] (0: touch; negative: overlap by that much) if both bodies
/// moved so. Nothing moves. No meeting is missed, however short. Links of a chain meet only what begins on their right
/// side.
IMP_API ImpStatus imp_world_time_of_impact(ImpWorld *world, ImpShape shape_a, ImpTravel motion_a, ImpShape shape_b,
                                           ImpTravel motion_b, double target, ImpImpact *out_impact);

#endif
