// impel: shapes of bodies, filters, sensors. Included by impel.h.
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
/// Return a type's name: "circle", "box", "polygon", "capsule", "segment", "chain", "heights".
IMP_API const char *imp_shape_type_name(int type);

/// Definition of a shape: material, filter, callbacks. Start from imp_shape_def().
///
/// A contact mixes the material values a and b of its two shapes. Friction: sqrt(a b); restitution and rolling
/// resistance: the larger value; restitution threshold and hit speed: the smaller value that is not NaN; surface speed:
/// a + b. If both restitution thresholds are NaN, the threshold is 2 h max(|g_a.n|, |g_b.n|, (g_a - g_b).n, |g_a| / 2,
/// |g_b| / 2), with the substep h, the normal n from a to b, and the accelerations g_a and g_b of the two bodies due to
/// gravity and applied forces.
typedef struct ImpShapeDef {
  /// [kg/m^2], default 1; > 0 if the body's mass is computed from its shapes; a sensor has no mass
  double density;
  double friction;           ///< Coulomb coefficient, default 0.6
  double restitution;        ///< 0..1, default 0
  double rolling_resistance; ///< torque <= rolling_resistance * radius * normal force, default 0
  /// speed of the surface along its outward normal turned by -90 degrees [m/s], default 0. The top of a conveyor belt
  /// with a positive speed moves to +x
  double surface_speed;
  /// a slower approach does not bounce [m/s]; default NaN: computed
  double restitution_threshold;
  double hit_speed; ///< a faster approach makes a hit event [m/s]; default NaN: the world's hit_speed
  int material;     ///< number of the shape's material; default 0: none
  bool sensor;      ///< reports overlaps with non-sensor shapes, unless both are static, and does not collide
  bool pre_solve;   ///< the pre_solve callback is called for contacts of the shape, see impel_contact.h
  bool selective;   ///< the filter callback is called for pairs with the shape, see ImpFilterFn
  /// shapes collide if (a.category & b.mask) != 0 and (b.category & a.mask) != 0; default category 1, mask all bits
  uint64_t category, mask;
  /// group number: shapes of the same group always collide if it is positive, never if it is negative; default 0: none
  int32_t group;
  /// local direction of the only solid side; default (0, 0): all sides are solid
  ImpVec2 one_way;
  const char *name; ///< copied; null for none
  void *user_data;  ///< for the caller only
} ImpShapeDef;
IMP_API ImpShapeDef imp_shape_def(void);

/// Smallest radius of a circle or capsule, width and height of a box, and distance between points [m].
#define IMP_MIN_LENGTH 1e-4

/// Add a circle to a body: centre in the body's frame [m], radius [m].
///
/// All imp_body_add_ functions take geometry in the body's frame, up to 1e7 m, and update the body's mass at once.
/// Inside a step the shape is added at the end of the step. Errors: geometry or a number of the definition out of
/// range; IMP_ERR_LIMIT above `max_shapes`; IMP_ERR_NOMEM.
IMP_CALL ImpStatus imp_body_add_circle(ImpWorld *world, ImpBody body, const ImpShapeDef *def, ImpVec2 center,
                                       double radius, ImpShape *out_shape);
/// Add a box of a width and height [m] about a centre, turned by an angle [rad], with a radius >= 0 [m] around it.
IMP_CALL ImpStatus imp_body_add_box(ImpWorld *world, ImpBody body, const ImpShapeDef *def, double width, double height,
                                    ImpVec2 center, double angle, double radius, ImpShape *out_shape);
/// Largest number of vertices of a convex polygon or piece, and of points of an outline with holes.
#define IMP_MAX_VERTICES 64
#define IMP_MAX_OUTLINE 4096
/// Add a polygon of 3..IMP_MAX_OUTLINE points (count) in either orientation, with a radius >= 0 [m] around it. A
/// polygon that is concave, or has more than IMP_MAX_VERTICES points, is divided into convex pieces and remains one
/// shape. Mass and collision include all points within `radius` of the polygon, so notches and holes narrower than two
/// radii are filled. Errors (the message names the vertex): a vertex too close to another vertex, a vertex of a convex
/// polygon on the line through its neighbours, edges that cross.
IMP_CALL ImpStatus imp_body_add_polygon(ImpWorld *world, ImpBody body, const ImpShapeDef *def, const ImpVec2 *points,
                                        int count, double radius, ImpShape *out_shape);
/// Add a polygon with holes. `points`: points of the outline, followed by the points of each hole; `counts` (rings):
/// number of points of the outline and of each hole. Holes lie inside the outline and outside each other.
IMP_CALL ImpStatus imp_body_add_polygon_with_holes(ImpWorld *world, ImpBody body, const ImpShapeDef *def,
                                                   const ImpVec2 *points, const int *counts, int rings, double radius,
                                                   ImpShape *out_shape);
/// Add a capsule: all points within a radius [m] of a segment.
IMP_CALL ImpStatus imp_body_add_capsule(ImpWorld *world, ImpBody body, const ImpShapeDef *def, ImpVec2 from, ImpVec2 to,
                                        double radius, ImpShape *out_shape);
/// Add a segment: a two-sided line without mass.
IMP_CALL ImpStatus imp_body_add_segment(ImpWorld *world, ImpBody body, const ImpShapeDef *def, ImpVec2 from, ImpVec2 to,
                                        ImpShape *out_shape);
/// Add a chain: a smooth one-sided line without mass. The left side of the line, from point to point, is material;
/// shapes collide with the right side. Ground is listed from right to left; a counter-clockwise loop is a solid island,
/// a clockwise loop a room. `count`: at least 2, for a loop 3.
IMP_CALL ImpStatus imp_body_add_chain(ImpWorld *world, ImpBody body, const ImpShapeDef *def, const ImpVec2 *points,
                                      int count, bool loop, ImpShape *out_shape);
/// Add terrain: points at origin + (i spacing, values[i]), `values` (count), joined to smooth chains; the material is
/// below the chains. A NaN value makes a gap. At least two neighbouring values must be numbers.
IMP_CALL ImpStatus imp_body_add_heights(ImpWorld *world, ImpBody body, const ImpShapeDef *def, ImpVec2 origin,
                                        double spacing, const double *values, int count, ImpShape *out_shape);
/// Destroy a shape and update the body's mass. Bodies that touch the shape wake. Error: the shape of a mover.
IMP_CALL ImpStatus imp_shape_destroy(ImpWorld *world, ImpShape shape);
/// Return whether the handle refers to an existing shape of this world.
IMP_API bool imp_shape_is_valid(const ImpWorld *world, ImpShape shape);

/// Read a property in the unit of its description (imp_shape_property); booleans as 0 and 1.
IMP_API ImpStatus imp_shape_get(const ImpWorld *world, ImpShape shape, ImpShapeProperty property, double *out_value);
/// Set a property. A change wakes the body and the bodies that touch the shape. Errors: read only, out of range.
IMP_CALL ImpStatus imp_shape_set(ImpWorld *world, ImpShape shape, ImpShapeProperty property, double value);
IMP_API ImpStatus imp_shape_type(const ImpWorld *world, ImpShape shape, ImpShapeType *out_type);
/// Read the body that owns the shape.
IMP_API ImpStatus imp_shape_body(const ImpWorld *world, ImpShape shape, ImpBody *out_body);
/// Read the name, null for none. The string is valid until the name changes or the shape is destroyed.
IMP_API ImpStatus imp_shape_name(const ImpWorld *world, ImpShape shape, const char **out_name);
/// Set the name; null removes it.
IMP_CALL ImpStatus imp_shape_set_name(ImpWorld *world, ImpShape shape, const char *name);
IMP_API ImpStatus imp_shape_user_data(const ImpWorld *world, ImpShape shape, void **out_user_data);
/// Read category and mask, see ImpShapeDef.
IMP_API ImpStatus imp_shape_filter(const ImpWorld *world, ImpShape shape, uint64_t *out_category, uint64_t *out_mask);
/// Set category and mask. Contacts that the new values exclude end; new contacts begin in the next step. A change wakes
/// the body and the bodies that touch the shape.
IMP_CALL ImpStatus imp_shape_set_filter(ImpWorld *world, ImpShape shape, uint64_t category, uint64_t mask);
/// Function that decides whether two shapes collide. At the start of a step it is called for each pair of shapes whose
/// boxes come near each other, unless the pair has a result. `shape` is the selective shape of the pair. If both shapes
/// are selective, the older one is `shape` first, and a second call is made only if the first returns true. The result
/// is true if all calls return true. It holds for contacts and sensors until one of the two shapes is destroyed,
/// changes its filter, group or `selective`, or is passed to imp_shape_refilter. The rules of substep callbacks apply.
typedef bool (*ImpFilterFn)(ImpWorld *world, ImpShape shape, ImpShape other, void *user);
/// Set the filter callback; null removes it. Stored results remain in effect; without a callback, all other pairs of
/// selective shapes collide.
IMP_CALL void imp_world_set_filter_callback(ImpWorld *world, ImpFilterFn callback, void *user);
/// Read whether the filter callback is called for the shape.
IMP_API ImpStatus imp_shape_selective(const ImpWorld *world, ImpShape shape, bool *out_selective);
/// Set whether the filter callback is called for the shape, and discard its filter results.
IMP_CALL ImpStatus imp_shape_set_selective(ImpWorld *world, ImpShape shape, bool selective);
/// Discard the filter results of the shape. In the next step the filter callback is called again for the pairs of the
/// shape; a contact ends if the callback returns false.
IMP_CALL ImpStatus imp_shape_refilter(ImpWorld *world, ImpShape shape);
/// Read the direction of the only solid side, a unit vector in the body's frame; (0, 0): all sides are solid.
IMP_API ImpStatus imp_shape_one_way(const ImpWorld *world, ImpShape shape, ImpVec2 *out_direction);
/// Set the direction of the only solid side, a vector of any length; (0, 0): all sides are solid. Contacts are
/// re-evaluated in the next step: a body that is not on the solid side passes through.
IMP_CALL ImpStatus imp_shape_set_one_way(ImpWorld *world, ImpShape shape, ImpVec2 direction);
/// Compute the axis-aligned box around the shape now [m].
IMP_API ImpStatus imp_shape_aabb(const ImpWorld *world, ImpShape shape, ImpAabb *out_aabb);
/// List the shapes inside a sensor at the last step, in creation order. Writes at most `capacity` shapes. `out_count`:
/// number of all shapes inside. Errors: the shape is not a sensor; IMP_ERR_NOMEM.
IMP_API ImpStatus imp_shape_overlaps(ImpWorld *world, ImpShape shape, ImpShape *shapes, int capacity, int *out_count);
/// List the points of a shape in the body's frame [m]: the centre of a circle, the ends of a capsule or segment, the
/// vertices of a box, polygon or chain, the points of heights from left to right without gaps. Writes at most
/// `capacity` points. `out_count`: number of all points.
IMP_API ImpStatus imp_shape_points(const ImpWorld *world, ImpShape shape, ImpVec2 *points, int capacity,
                                   int *out_count);
/// List the points of a hole of a polygon, `hole` from 0. `out_count`: number of all points, 0 if there is no such
/// hole.
IMP_API ImpStatus imp_shape_hole(const ImpWorld *world, ImpShape shape, int hole, ImpVec2 *points, int capacity,
                                 int *out_count);
/// List the values that were given to imp_body_add_heights [m], NaN for gaps. `out_count`: number of all values, 0 for
/// a shape of another type.
IMP_API ImpStatus imp_shape_heights(const ImpWorld *world, ImpShape shape, double *values, int capacity,
                                    int *out_count);
/// Test whether a world point [m] is inside the shape or on its edge. Segments, chains and heights contain no point.
IMP_API ImpStatus imp_shape_contains(const ImpWorld *world, ImpShape shape, ImpVec2 point, bool *out_inside);

#endif
