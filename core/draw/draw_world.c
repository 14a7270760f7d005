// Drawing of a world: shapes in the style of their body's type and state, joints, contacts.
#include "draw/draw.h"
#include "world/world.h"

// A contact is drawn as sliding if its friction is at least this fraction of the friction bound.
static const double AT_BOUND = 0.999;
static const double STEEPEST_CONE = 1e6; // larger coefficients of friction are drawn as this value


ImpDrawOptions imp_draw_options(void) {
  return (ImpDrawOptions){.shapes = true,
                          .joints = true,
                          .size = 0.1,
                          .force_scale = 0.01,
                          .torque_scale = 0.01,
                          .impulse_scale = 1,
                          .velocity_scale = 0.1,
                          .longest = HUGE_VAL};
}


// ---------------------------------------------------------------------------------------------------------------------
// Bodies
// ---------------------------------------------------------------------------------------------------------------------

static ImpDrawStyle style_of(const ImpiBody *body, const ImpiShape *shape) {
  if (!body->enabled) return IMP_STYLE_DISABLED;
  if (shape->sensor) return IMP_STYLE_SENSOR;
  if (body->type == IMP_BODY_STATIC) return IMP_STYLE_STATIC;
  if (body->type == IMP_BODY_KINEMATIC) return IMP_STYLE_KINEMATIC;
  return body->awake ? IMP_STYLE_DYNAMIC : IMP_STYLE_ASLEEP;
}


// Overwrite the fields of `look` that are set in `over`.
static void lay_over(ImpLook *look, const ImpLook *over) {
  look->has |= over->has;
  if (over->has & IMP_LOOK_COLOR) look->color = over->color;
  if (over->has & IMP_LOOK_OUTLINE) look->outline = over->outline;
  if (over->has & IMP_LOOK_HIDDEN) look->hidden = over->hidden;
  if (over->has & IMP_LOOK_WIDTH) look->width = over->width;
  if (over->has & IMP_LOOK_ORDER) look->order = over->order;
}


// Return `base`, overwritten with a shape's or body's look.
static ImpLook look_of(const ImpDrawOptions *options, ImpBody body, ImpShape shape, ImpLook base) {
  ImpLook own = {0};
  if (options->look != NULL && options->look(options->look_context, body, shape, &own)) lay_over(&base, &own);
  return base;
}


// Apply a look's colour `field`. Returns false if invisible.
static bool colored(ImpDrawItem *item, const ImpLook *look, uint32_t field) {
  item->order = look->order;
  item->width = look->width;
  if ((look->has & field) == 0) return true;
  item->color = field == IMP_LOOK_COLOR ? look->color : look->outline;
  return (item->color & 255) != 0;
}


// Apply a look to a line: the colour of the outline if the look has this colour, otherwise the colour of the fill.
static bool colored_line(ImpDrawItem *item, const ImpLook *look) {
  return colored(item, look, look->has & IMP_LOOK_OUTLINE ? IMP_LOOK_OUTLINE : IMP_LOOK_COLOR);
}


// Draw a chain or segment as lines, with the gaps of a height profile.
static bool draw_links(ImpDrawList *list, ImpDrawItem item, const ImpLook *look, const ImpiGeometry *geometry,
                       ImpTransform xf) {
  item.kind = IMP_DRAW_POLYLINE;
  if (!colored_line(&item, look)) return true;
  for (int32_t first = 0, end = 0; first < geometry->child_count; first = end) {
    for (end = first + 1; end < geometry->child_count && !geometry->hulls[end - 1].open_end;) {
      ++end;
    }
    ImpVec2 *points = impi_draw_room(list, item, end - first + 1);
    if (points == NULL) return false;
    for (int32_t i = first; i < end; ++i) points[i - first] = impi_apply(xf, geometry->hulls[i].v[0]);
    points[end - first] = impi_apply(xf, geometry->hulls[end - 1].v[1]);
  }
  return true;
}


// Draw the pieces of a polygon, and the outer outline.
static bool draw_pieces(ImpDrawList *list, ImpDrawItem item, const ImpLook *look, const ImpiGeometry *geometry,
                        ImpTransform xf) {
  ImpDrawItem fill = item;
  fill.radius = geometry->hulls[0].radius;
  fill.kind = IMP_DRAW_FILL;
  int32_t filled = colored(&fill, look, IMP_LOOK_COLOR) ? geometry->child_count : 0;
  for (int32_t k = 0; k < filled; ++k) {
    const ImpiHull *hull = &geometry->hulls[k];
    ImpVec2 *points = impi_draw_room(list, fill, hull->count);
    if (points == NULL) return false;
    for (int i = 0; i < hull->count; ++i) points[i] = impi_apply(xf, hull->v[i]);
  }
  ImpiOutline outline = impi_geometry_outline(geometry);
  item.kind = IMP_DRAW_POLYLINE;
  if (!colored(&item, look, IMP_LOOK_OUTLINE)) return true;
  for (int ring = 0; ring < outline.ring_count; ++ring) {
    int32_t begin = impi_ring_begin(&outline, ring), count = outline.ends[ring] - begin;
    ImpVec2 *points = impi_draw_room(list, item, count + 1);
    if (points == NULL) return false;
    for (int32_t i = 0; i <= count; ++i) points[i] = impi_apply(xf, outline.points[begin + i % count]);
  }
  return true;
}


static bool draw_area(ImpDrawList *list, ImpDrawItem item, const ImpLook *look, const ImpiHull *hull, ImpTransform xf) {
  ImpDrawItem fill = item;
  fill.kind = IMP_DRAW_FILL;
  item.kind = IMP_DRAW_OUTLINE;
  fill.radius = item.radius = hull->radius;
  bool filled = colored(&fill, look, IMP_LOOK_COLOR), edged = colored(&item, look, IMP_LOOK_OUTLINE);
  if (!filled && !edged) return true;
  ImpVec2 *points = impi_draw_room(list, filled ? fill : item, hull->count);
  if (points == NULL) return false;
  for (int i = 0; i < hull->count; ++i) points[i] = impi_apply(xf, hull->v[i]);
  ImpVec2 center = points[0];
  if (filled && edged && !impi_draw_again(list, item)) return false;
  if (hull->count > 1 || !edged) return true;
  item.radius = 0;
  return impi_draw_line(list, item, center, impi_mul_add(center, hull->radius, impi_vec(xf.q.c, xf.q.s)));
}


static bool draw_shape(ImpDrawList *list, const ImpiBody *body, const ImpiShape *shape, const ImpLook *look,
                       ImpTransform xf) {
  ImpDrawItem item = {.style = style_of(body, shape), .owner = body->serial};
  const ImpiGeometry *geometry = &shape->geometry;
  bool line = geometry->hulls[0].chain || geometry->type == IMP_SHAPE_SEGMENT;
  if (look->hidden) return true;
  if (geometry->figure->ring_count > 0) return draw_pieces(list, item, look, geometry, xf);
  return line ? draw_links(list, item, look, geometry, xf) : draw_area(list, item, look, &geometry->hulls[0], xf);
}


// Draw a body without shapes as a dot, because it would be invisible otherwise.
static bool draw_shapeless(ImpDrawList *list, const ImpiBody *body, const ImpLook *look, const ImpiMotion *motion) {
  static const ImpiShape none = {0};
  ImpDrawItem item = {.style = style_of(body, &none), .owner = body->serial};
  if (look->hidden || !colored_line(&item, look)) return true;
  return impi_draw_dot(list, item, (ImpVec2){motion->x, motion->y});
}


static bool draw_box(ImpDrawList *list, const ImpiShape *shape, ImpTransform xf) {
  ImpAabb box = impi_hull_aabb(&shape->geometry.hulls[0], xf);
  for (int i = 1; i < shape->geometry.child_count; ++i) {
    box = impi_aabb_union(box, impi_hull_aabb(&shape->geometry.hulls[i], xf));
  }
  ImpDrawItem item = {.kind = IMP_DRAW_OUTLINE, .style = IMP_STYLE_BOX, .owner = shape->serial};
  ImpVec2 low = box.lower, high = box.upper;
  const ImpVec2 corners[4] = {low, {high.x, low.y}, high, {low.x, high.y}};
  return impi_draw_push(list, item, corners, 4);
}


// Return the size of symbols on a body: at most half the body's extent [m].
static double fitting_size(const ImpiBody *body, double size) {
  if (body->type == IMP_BODY_STATIC || body->first_shape < 0) return size;
  return impi_min(size, 0.5 * body->extent);
}


// Draw centre of mass, axes and velocity of a body.
static bool draw_motion(ImpDrawList *list, const ImpiBody *body, const ImpiMotion *motion, const ImpDrawOptions *o) {
  ImpVec2 center = {motion->x, motion->y}, x = {motion->c, motion->s}, velocity = {motion->vx, motion->vy};
  ImpDrawItem item = {.style = IMP_STYLE_CENTER, .owner = body->serial};
  bool ok = true;
  if (o->centers && body->type != IMP_BODY_STATIC) {
    double size = impi_max(fitting_size(body, o->size), 0.2 * o->size); // large enough to be visible
    ok = impi_draw_line(list, item, center, impi_mul_add(center, 1.5 * size, x)) &&
         impi_draw_line(list, item, center, impi_mul_add(center, size, impi_left(x))) &&
         impi_draw_center(list, item, center, x, 0.5 * size);
  }
  if (o->velocities && ok) {
    item.style = IMP_STYLE_VELOCITY;
    item.value = impi_length(velocity);
    ok = impi_draw_vector(list, item, center, impi_scale(o->velocity_scale, velocity), 0.1 * o->size, o->longest);
  }
  return ok;
}


static bool draw_name(ImpDrawList *list, const ImpiBody *body, const ImpiMotion *motion) {
  ImpDrawItem item = {.kind = IMP_DRAW_TEXT, .style = IMP_STYLE_NAME, .count = 1, .align = 0.5, .owner = body->serial};
  ImpVec2 center = {motion->x, motion->y};
  return body->name == NULL || imp_draw_add(list, &item, &center, body->name, NULL) == IMP_OK;
}


// Return a body's motion with its interpolated pose.
static ImpiMotion drawn_motion(const ImpPoses *poses, const ImpWorld *world, int32_t slot) {
  ImpiMotion motion = world->motions.data[slot];
  ImpVec2 center;
  ImpRot turn;
  if (!impi_poses_find(poses, world, slot, &center, &turn)) return motion;
  ImpVec2 x = impi_rotate(turn, impi_vec(motion.c, motion.s));
  motion.x = center.x, motion.y = center.y;
  motion.c = x.x, motion.s = x.y;
  return motion;
}


static bool draw_shapes(ImpDrawList *list, const ImpWorld *world, int32_t slot, ImpTransform xf, ImpLook base,
                        const ImpDrawOptions *options) {
  const ImpiBody *body = &world->bodies.data[slot];
  for (int32_t at = body->first_shape; at >= 0; at = world->shapes.data[at].next) {
    const ImpiShape *shape = &world->shapes.data[at];
    ImpLook look = look_of(options, impi_body_handle(world, slot), impi_shape_handle(world, at), base);
    if (options->shapes && !draw_shape(list, body, shape, &look, xf)) return false;
    if (options->boxes && !draw_box(list, shape, xf)) return false;
  }
  return true;
}


static bool draw_bodies(ImpDrawList *list, const ImpWorld *world, const ImpDrawOptions *options) {
  if (world->ground >= 0) { // the ground body is not in the list of bodies
    ImpTransform xf = impi_body_frame(&world->bodies.data[world->ground], &world->motions.data[world->ground]);
    ImpLook base = look_of(options, impi_body_handle(world, world->ground), (ImpShape){0}, (ImpLook){0});
    if (!draw_shapes(list, world, world->ground, xf, base, options)) return false;
  }
  for (int32_t slot = world->first_body; slot >= 0; slot = world->bodies.data[slot].next) {
    const ImpiBody *body = &world->bodies.data[slot];
    const ImpiMotion drawn = drawn_motion(options->poses, world, slot), *motion = &drawn;
    ImpTransform xf = impi_body_frame(body, motion);
    ImpLook base = look_of(options, impi_body_handle(world, slot), (ImpShape){0}, (ImpLook){0});
    if (!draw_shapes(list, world, slot, xf, base, options)) return false;
    if (body->first_shape < 0 && options->shapes && !draw_shapeless(list, body, &base, motion)) return false;
    if (!draw_motion(list, body, motion, options)) return false;
    if (options->names && !draw_name(list, body, motion)) return false;
  }
  return true;
}


// ---------------------------------------------------------------------------------------------------------------------
// Joints and contacts
// ---------------------------------------------------------------------------------------------------------------------

static bool draw_joints(ImpDrawList *list, ImpWorld *world, const ImpDrawOptions *options) {
  for (ImpJoint joint = imp_world_next_joint(world, (ImpJoint){0}); joint.id != 0;
       joint = imp_world_next_joint(world, joint)) {
    if (options->joints && !impi_draw_joint(list, world, joint, options)) return false;
    if (options->forces && !impi_draw_reaction(list, world, joint, options)) return false;
    if (options->rows && !impi_draw_rows(list, world, joint, options)) return false;
  }
  return true;
}


static double body_size(const ImpWorld *world, ImpBody body, double size) {
  return fitting_size(&world->bodies.data[impi_pool_find(&world->body_pool, body.id, world->tag)], size);
}


// Return a contact point's interpolated position on the body that moves; if both move, the mean of both positions.
static ImpVec2 drawn_contact(const ImpPoses *poses, const ImpWorld *world, const ImpContactInfo *info, ImpVec2 point) {
  if (poses == NULL) return point;
  ImpVec2 a = impi_poses_point(poses, world, impi_pool_find(&world->body_pool, info->body_a.id, world->tag), point),
          b = impi_poses_point(poses, world, impi_pool_find(&world->body_pool, info->body_b.id, world->tag), point);
  if (a.x == point.x && a.y == point.y) return b;
  return b.x == point.x && b.y == point.y ? a : impi_lerp(a, b, 0.5);
}


// Draw the friction cone, and a wedge from the normal to the force. `normal` points into the loaded body.
static bool draw_cone(ImpDrawList *list, double friction, const ImpContactPoint *p, ImpVec2 at, ImpVec2 normal,
                      double size) {
  double bound = friction * p->normal_impulse, slope = p->tangent_impulse / p->normal_impulse;
  if (!(p->normal_impulse > 0 && friction > 0 && isfinite(slope))) return true;
  bool slides = fabs(p->tangent_impulse) >= AT_BOUND * bound;
  double slopes[3] = {-impi_min(friction, STEEPEST_CONE), slides ? copysign(friction, slope) : slope,
                      impi_min(friction, STEEPEST_CONE)};
  ImpVec2 ends[3], tangent = impi_right(normal);
  for (int i = 0; i < 3; ++i) {
    double steep = impi_clamp(slopes[i], -STEEPEST_CONE, STEEPEST_CONE);
    ends[i] = impi_mul_add(at, size, impi_direction(impi_mul_add(normal, steep, tangent)));
  }
  ImpDrawItem item = {
      .kind = IMP_DRAW_FILL, .style = slides ? IMP_STYLE_SLIDING : IMP_STYLE_STICKING, .value = fabs(slope) / friction};
  const ImpVec2 cone[3] = {at, ends[0], ends[2]}, wedge[3] = {at, impi_mul_add(at, size, normal), ends[1]};
  const ImpVec2 edges[3] = {ends[0], at, ends[2]};
  if (!impi_draw_push(list, item, cone, 3) || !impi_draw_push(list, item, wedge, 3)) return false;
  item.kind = IMP_DRAW_POLYLINE;
  return impi_draw_push(list, item, edges, 3) && impi_draw_line(list, item, at, ends[1]);
}


// Draw a contact. The arrows show the forces on body_b, or on body_a if body_b is not dynamic.
static bool draw_contact(ImpDrawList *list, const ImpWorld *world, const ImpContactInfo *info,
                         const ImpDrawOptions *options) {
  ImpBodyType type = IMP_BODY_DYNAMIC;
  imp_body_type(world, info->body_b, &type);
  double sign = type < IMP_BODY_DYNAMIC ? -1 : 1;
  double cone =
      3 * impi_min(body_size(world, info->body_a, options->size), body_size(world, info->body_b, options->size));
  for (int i = 0; i < info->count; ++i) {
    const ImpContactPoint *p = &info->points[i];
    ImpVec2 at = drawn_contact(options->poses, world, info, p->point);
    ImpDrawItem item = {.style = IMP_STYLE_CONTACT};
    if (options->contacts && !impi_draw_dot(list, item, at)) return false;
    item.style = IMP_STYLE_NORMAL;
    ImpVec2 normal = impi_scale(1.5 * options->size, info->normal);
    if (options->normals && !impi_draw_vector(list, item, at, normal, 0, HUGE_VAL)) return false;
    if (options->friction && !draw_cone(list, info->friction, p, at, impi_scale(sign, info->normal), cone)) {
      return false;
    }
    if (!options->forces) continue;
    ImpVec2 impulse =
        impi_mul_add(impi_scale(p->normal_impulse, info->normal), p->tangent_impulse, impi_right(info->normal));
    ImpVec2 force = impi_scale(sign / impi_last_dt(world), impulse);
    item.style = IMP_STYLE_FORCE;
    item.value = impi_length(force);
    ImpVec2 arrow = impi_scale(options->force_scale, force);
    if (!impi_draw_vector(list, item, at, arrow, 0.1 * options->size, options->longest)) return false;
  }
  return true;
}


static bool draw_contacts(ImpDrawList *list, ImpWorld *world, const ImpDrawOptions *options) {
  for (ImpContact contact = imp_world_next_contact(world, (ImpContact){0}); contact.id != 0;
       contact = imp_world_next_contact(world, contact)) {
    ImpContactInfo info;
    if (imp_contact_info(world, contact, &info) != IMP_OK) continue;
    if (!draw_contact(list, world, &info, options)) return false;
  }
  return true;
}


ImpStatus imp_draw_world(ImpDrawList *list, ImpWorld *world, const ImpDrawOptions *options) {
  if (world->stepping) return impi_fail(IMP_ERR_STATE, "a world cannot be drawn inside a step");
  bool ok = draw_bodies(list, world, options);
  if (ok && (options->joints || options->forces || options->rows)) ok = draw_joints(list, world, options);
  if (ok && (options->contacts || options->normals || options->forces || options->friction))
    ok = draw_contacts(list, world, options);
  return ok ? IMP_OK : impi_fail(IMP_ERR_NOMEM, "out of memory");
}
