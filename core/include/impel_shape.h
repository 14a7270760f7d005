// impel: shapes, which bodies are made of. A chapter of impel.h, which includes it; do not include it alone.
#ifndef IMPEL_SHAPE_H
#define IMPEL_SHAPE_H

typedef enum ImpShapeType {
  IMP_SHAPE_CIRCLE,
  IMP_SHAPE_BOX,
  IMP_SHAPE_POLYGON,
  IMP_SHAPE_CAPSULE,
  IMP_SHAPE_SEGMENT,
  IMP_SHAPE_CHAIN,
  IMP_SHAPE_HEIGHTS,
  IMP_SHAPE_TYPE_COUNT
} ImpShapeType;
IMP_API const char *imp_shape_type_name(int type);

/// What a shape is made of and whom it meets. Start from imp_shape_def().
/// Two shapes mix as: friction sqrt(a b), restitution max, rolling resistance max, restitution threshold and
/// hit speed min of those given, surface speed summed along each outward normal turned by -90 degrees (the top of a
/// belt runs to +x).
typedef struct ImpShapeDef {
  double density;            ///< [kg/m^2], default 1; > 0 on a body that takes its mass from its shapes
  double friction;           ///< Coulomb coefficient, default 0.6
  double restitution;        ///< 0..1, default 0
  double rolling_resistance; ///< torque <= rolling_resistance * radius * N, default 0
  double surface_speed;      ///< [m/s], default 0
  double
      restitution_threshold; ///< a slower approach does not bounce [m/s]; NaN, the default: the speed that the bodies
                             ///< gain along the normal in two substeps, by gravity and the forces applied for the
                             ///< whole step; half of that across it
  double hit_speed;          ///< approach above this makes a hit event [m/s]; NaN, the default: the world's
  int material;              ///< what it is made of, see impel_material.h; 0 for none
  bool sensor;    ///< reports overlaps with what is no sensor, not static ones of static, collides with nothing
  bool pre_solve; ///< the pre_solve callback is asked about its contacts, see impel_contact.h
  bool selective; ///< the filter callback is asked about each shape that it comes near, see below
  uint64_t category, mask; ///< all 64 bits; two shapes meet when each one's category is in the other's mask
  int32_t group;           ///< same non-zero group: positive always meet, negative never
  ImpVec2 one_way;         ///< solid only for what comes against this local direction; zero: solid from all sides
  const char *name;        ///< copied; null for none
  void *user_data;
} ImpShapeDef;
IMP_API ImpShapeDef imp_shape_def(void);

/// The least radius of a circle or capsule, width and height of a box, edge of an outline [m].
#define IMP_MIN_LENGTH 1e-4

/// Add a shape to a body. Geometry is in the body's frame [m]. The body's mass follows at once.
IMP_CALL ImpStatus imp_body_add_circle(ImpWorld *world, ImpBody body, const ImpShapeDef *def, ImpVec2 center,
                                       double radius, ImpShape *out_shape);
/// A box of width and height about a centre, turned by angle, grown outward by radius.
IMP_CALL ImpStatus imp_body_add_box(ImpWorld *world, ImpBody body, const ImpShapeDef *def, double width, double height,
                                    ImpVec2 center, double angle, double radius, ImpShape *out_shape);
/// A polygon of 3..IMP_MAX_OUTLINE points, either orientation, grown outward by radius. One that is concave or has more
/// than IMP_MAX_VERTICES points is cut into convex pieces and stays one shape: mass, points and drawings are those of
/// the outline. With a radius its mass is that of all within the radius of it, as what collides is: notches and holes
/// narrower than two radii are filled. Errors name the vertex: duplicate, on the line of its neighbours (in a convex
/// polygon), self-crossing, too small.
#define IMP_MAX_VERTICES 64
#define IMP_MAX_OUTLINE 4096
IMP_CALL ImpStatus imp_body_add_polygon(ImpWorld *world, ImpBody body, const ImpShapeDef *def, const ImpVec2 *points,
                                        int count, double radius, ImpShape *out_shape);
/// The same with holes: the outline's points, then those of each hole; `counts[k]` of ring k. Holes lie inside the
/// outline and beside each other.
IMP_CALL ImpStatus imp_body_add_polygon_with_holes(ImpWorld *world, ImpBody body, const ImpShapeDef *def,
                                                   const ImpVec2 *points, const int *counts, int rings, double radius,
                                                   ImpShape *out_shape);
IMP_CALL ImpStatus imp_body_add_capsule(ImpWorld *world, ImpBody body, const ImpShapeDef *def, ImpVec2 from, ImpVec2 to,
                                        double radius, ImpShape *out_shape);
/// A two-sided line without mass.
IMP_CALL ImpStatus imp_body_add_segment(ImpWorld *world, ImpBody body, const ImpShapeDef *def, ImpVec2 from, ImpVec2 to,
                                        ImpShape *out_shape);
/// A smooth one-sided line without mass: material on the left of its direction, shapes collide from the right. Ground
/// is listed from right to left, a counter-clockwise loop is a solid island, a clockwise loop a room. 2 points or
/// more, a loop 3 or more. All its segments are solid.
IMP_CALL ImpStatus imp_body_add_chain(ImpWorld *world, ImpBody body, const ImpShapeDef *def, const ImpVec2 *points,
                                      int count, bool loop, ImpShape *out_shape);
/// Terrain: points at origin + (i spacing, values[i]), joined to smooth chains with the material below them. NaN is no
/// point: the terrain has a gap there. 2 values or more, two neighbours at least there.
IMP_CALL ImpStatus imp_body_add_heights(ImpWorld *world, ImpBody body, const ImpShapeDef *def, ImpVec2 origin,
                                        double spacing, const double *values, int count, ImpShape *out_shape);
/// Destroy a shape; the body's mass follows.
IMP_CALL ImpStatus imp_shape_destroy(ImpWorld *world, ImpShape shape);
IMP_API bool imp_shape_is_valid(const ImpWorld *world, ImpShape shape);

IMP_API ImpStatus imp_shape_get(const ImpWorld *world, ImpShape shape, ImpShapeProperty property, double *out_value);
IMP_CALL ImpStatus imp_shape_set(ImpWorld *world, ImpShape shape, ImpShapeProperty property, double value);
IMP_API ImpStatus imp_shape_type(const ImpWorld *world, ImpShape shape, ImpShapeType *out_type);
IMP_API ImpStatus imp_shape_body(const ImpWorld *world, ImpShape shape, ImpBody *out_body);
IMP_API ImpStatus imp_shape_name(const ImpWorld *world, ImpShape shape, const char **out_name);
IMP_CALL ImpStatus imp_shape_set_name(ImpWorld *world, ImpShape shape, const char *name);
IMP_API ImpStatus imp_shape_user_data(const ImpWorld *world, ImpShape shape, void **out_user_data);
/// What the shape is and what it meets: all 64 bits of both. Two shapes meet when each one's category is in the other's
/// mask, unless their `group` property decides.
IMP_API ImpStatus imp_shape_filter(const ImpWorld *world, ImpShape shape, uint64_t *out_category, uint64_t *out_mask);
IMP_CALL ImpStatus imp_shape_set_filter(ImpWorld *world, ImpShape shape, uint64_t category, uint64_t mask);
/// Asked once about a pair of shapes of which `shape` is selective, when their boxes first come near each other, at the
/// start of a step: whether they meet. Where both are selective, both are asked, and either may refuse. The answer holds,
/// also while they are far apart, until either shape's filter, group or `selective` is set, imp_shape_refilter is called
/// for it, or it dies. It holds for contacts and sensors, not for queries. The callback may do what a substep callback
/// may. Without one (null) nobody is asked, and what was not refused before meets.
typedef bool (*ImpFilterFn)(ImpWorld *world, ImpShape shape, ImpShape other, void *user);
IMP_CALL void imp_world_set_filter_callback(ImpWorld *world, ImpFilterFn callback, void *user);
IMP_API ImpStatus imp_shape_selective(const ImpWorld *world, ImpShape shape, bool *out_selective);
/// All that was answered about the shape is asked anew, as by imp_shape_refilter.
IMP_CALL ImpStatus imp_shape_set_selective(ImpWorld *world, ImpShape shape, bool selective);
/// Forget what was answered about the shape. At the start of the next step each pair near it is asked about anew; of
/// those that touch, the ones that are refused end.
IMP_CALL ImpStatus imp_shape_refilter(ImpWorld *world, ImpShape shape);
/// The direction that a one-way shape is solid against, a unit vector in the body's frame; (0, 0): solid from all
/// sides.
IMP_API ImpStatus imp_shape_one_way(const ImpWorld *world, ImpShape shape, ImpVec2 *out_direction);
/// Any length but 0 is made 1; (0, 0) makes it solid from all sides. What touches it now is judged anew: what no
/// longer stands on the solid side goes through. What is let through already still is, until it is out.
IMP_CALL ImpStatus imp_shape_set_one_way(ImpWorld *world, ImpShape shape, ImpVec2 direction);
/// The box around the shape now [m].
IMP_API ImpStatus imp_shape_aabb(const ImpWorld *world, ImpShape shape, ImpAabb *out_aabb);
/// What is in a sensor, as the last step found it, in the order of creation. Writes at most `capacity` shapes and gives
/// their whole number. Error: the shape is no sensor.
IMP_API ImpStatus imp_shape_overlaps(ImpWorld *world, ImpShape shape, ImpShape *shapes, int capacity, int *out_count);
/// The shape's points in the body's frame: the centre of a circle, the ends of a capsule, the vertices of a polygon or
/// chain, the heights that are there from left to right. Writes at most `capacity` points and gives their whole number.
IMP_API ImpStatus imp_shape_points(const ImpWorld *world, ImpShape shape, ImpVec2 *points, int capacity,
                                   int *out_count);
/// The points of hole number `hole` (0 the first) of a polygon; `out_count` is 0 when it has no such hole.
IMP_API ImpStatus imp_shape_hole(const ImpWorld *world, ImpShape shape, int hole, ImpVec2 *points, int capacity,
                                 int *out_count);
/// The values that imp_body_add_heights was given, NaN for none; a count of 0 for any other shape.
IMP_API ImpStatus imp_shape_heights(const ImpWorld *world, ImpShape shape, double *values, int capacity,
                                    int *out_count);
/// Whether the world point is inside the shape or on its edge; lines contain nothing.
IMP_API ImpStatus imp_shape_contains(const ImpWorld *world, ImpShape shape, ImpVec2 point, bool *out_inside);

#endif
