// Drawing of a joint: anchors, axes and limits, by kind; its reaction, and the impulses of its rows.
#include "draw/draw.h"
#include "world/world.h"

enum { ROW_BODIES = 2 * IMP_MAX_CONSTRAINT_BODIES };

static const double END = 0.2;    // radius of the disk at an anchor, as a part of the size of symbols
static const double LEAST = 0.15; // symbols smaller than this part of the usual size are omitted

typedef struct Sketch {
  ImpDrawList *list;
  ImpWorld *world;
  ImpJoint joint;
  const ImpJointKindInfo *info;
  ImpJointDef def;
  ImpDrawItem item;
  const ImpPoses *poses; // poses to interpolate from; may be null
  ImpVec2 a, b;          // interpolated anchors
  double size;           // radius of symbols [m]
  bool tiny;             // symbols are omitted, only lines between bodies are drawn
} Sketch;


static bool moves(const ImpWorld *world, ImpBody body) {
  ImpBodyType type = IMP_BODY_STATIC;
  imp_body_type(world, body, &type);
  return type != IMP_BODY_STATIC;
}


static ImpStatus center_of(const ImpPoses *poses, const ImpWorld *world, ImpBody body, ImpVec2 *out_center) {
  ImpStatus status = imp_body_center(world, body, out_center);
  if (status != IMP_OK || poses == NULL) return status;
  *out_center = impi_poses_point(poses, world, impi_pool_find(&world->body_pool, body.id, world->tag), *out_center);
  return IMP_OK;
}


static ImpStatus rotation_of(const Sketch *s, ImpBody body, ImpRot *out_q) {
  ImpTransform frame = {{0, 0}, {1, 0}};
  ImpStatus status = s->poses != NULL ? imp_poses_body(s->poses, s->world, body, &frame, NULL)
                                      : imp_body_transform(s->world, body, &frame);
  *out_q = frame.q;
  return status;
}


static ImpStatus anchors_of(const ImpPoses *poses, const ImpWorld *world, ImpJoint joint, ImpVec2 *out_a,
                            ImpVec2 *out_b) {
  ImpStatus status = imp_joint_anchors(world, joint, out_a, out_b);
  if (status != IMP_OK || poses == NULL) return status;
  const ImpiJoint *record = &world->joints.data[impi_pool_find(&world->joint_pool, joint.id, world->tag)];
  *out_a = impi_poses_point(poses, world, record->body_a, *out_a);
  *out_b = impi_poses_point(poses, world, record->body_b, *out_b);
  return IMP_OK;
}


// Draw a ring; `part`: radius of the ring divided by the size of symbols.
static bool draw_ring(const Sketch *s, ImpVec2 at, double part) {
  return s->tiny || impi_draw_ring(s->list, s->item, at, part * s->size);
}


static bool draw_end(const Sketch *s, ImpVec2 at) {
  return s->tiny || impi_draw_disk(s->list, s->item, at, END * s->size);
}


// Draw a line from the centre of mass of a moving body to its anchor.
static bool draw_arm(const Sketch *s, ImpBody body, ImpVec2 anchor) {
  ImpVec2 center;
  if (s->tiny || !moves(s->world, body) || center_of(s->poses, s->world, body, &center) != IMP_OK) return true;
  return impi_length(impi_sub(anchor, center)) < s->size || impi_draw_line(s->list, s->item, center, anchor);
}


// Return the index of the joint's coordinate of a kind, or -1.
static int index_of(const Sketch *s, ImpCoordinateKind kind) {
  for (int i = 0; i < IMPI_INLINE_COORDINATES && s->info->coordinates[i] != NULL; ++i) {
    if (s->info->kinds[i] == kind) return i;
  }
  return -1;
}


// Return the drive of the joint's coordinate of a kind.
static ImpDrive drive_of(const Sketch *s, ImpCoordinateKind kind, int *out_index) {
  ImpDrive drive = imp_drive();
  *out_index = index_of(s, kind);
  if (*out_index >= 0) imp_coordinate_drive(s->world, (ImpCoordinate){s->joint, *out_index}, &drive);
  return drive;
}


// Return true if this kind of joint locks its coordinate of the given kind.
static bool locks(const Sketch *s, ImpCoordinateKind kind) {
  int index = index_of(s, kind);
  return index >= 0 && s->info->locked >> index & 1u;
}


static bool is_rope(const Sketch *s) {
  return index_of(s, IMP_COORDINATE_DISTANCE) >= 0 && !locks(s, IMP_COORDINATE_DISTANCE);
}


static bool has(const ImpDrive *drive, ImpDriveKind kind) { return drive->on >> kind & 1u; }


// ---------------------------------------------------------------------------------------------------------------------
// Kinds
// ---------------------------------------------------------------------------------------------------------------------

// Return the interpolated angle of a body minus its present angle [rad].
static double turn_of(const Sketch *s, ImpBody body) {
  double drawn, now;
  if (s->poses == NULL || imp_poses_body(s->poses, s->world, body, NULL, &drawn) != IMP_OK) return 0;
  return imp_body_get(s->world, body, IMP_BODY_ANGLE, &now) == IMP_OK ? drawn - now : 0;
}


// Draw the limits of an angle as a sector.
static bool draw_angle_limits(const Sketch *s) {
  int index;
  ImpDrive drive = drive_of(s, IMP_COORDINATE_ANGLE, &index);
  ImpCoordinateInfo info;
  if (s->tiny || !has(&drive, IMP_DRIVE_LIMIT) || !(drive.upper - drive.lower < HUGE_VAL)) return true;
  if (imp_coordinate_info(s->world, (ImpCoordinate){s->joint, index}, &info) != IMP_OK) return true;
  // The sector rotates with A. B's centre gives the present angle.
  ImpVec2 center, unused, anchor;
  imp_body_center(s->world, s->def.body_b, &center);
  imp_joint_anchors(s->world, s->joint, &unused, &anchor);
  ImpVec2 towards = impi_sub(center, anchor);
  double radius = 2.5 * s->size, now = impi_length(towards) > 0 ? imp_atan2(towards.y, towards.x) : 0;
  now += turn_of(s, s->def.body_a);
  double lower = now + drive.lower - info.value, upper = now + drive.upper - info.value;
  ImpRot ends[2] = {impi_rot(lower), impi_rot(upper)};
  bool ok = impi_draw_arc(s->list, s->item, s->b, radius, lower, upper);
  for (int i = 0; ok && i < 2; ++i) {
    ok = impi_draw_line(s->list, s->item, s->b, impi_mul_add(s->b, radius, impi_vec(ends[i].c, ends[i].s)));
  }
  return ok;
}


static bool draw_pin(const Sketch *s) {
  return draw_arm(s, s->def.body_a, s->a) && draw_arm(s, s->def.body_b, s->b) && draw_ring(s, s->b, 1) &&
         draw_angle_limits(s);
}


static bool draw_weld(const Sketch *s) {
  return draw_arm(s, s->def.body_a, s->a) && draw_arm(s, s->def.body_b, s->b) &&
         (s->tiny || impi_draw_cross(s->list, s->item, s->b, s->size));
}


// Draw the axis through A's anchor, a stop at each limit, and B's anchor on the axis.
static bool draw_slide(const Sketch *s) {
  int index;
  ImpDrive drive = drive_of(s, IMP_COORDINATE_X, &index);
  ImpRot q;
  if (rotation_of(s, s->def.body_a, &q) != IMP_OK) return true;
  ImpVec2 axis = impi_rotate(q, s->def.axis), side = impi_scale(s->size, impi_left(axis));
  double along = impi_dot(impi_sub(s->b, s->a), axis), reach = 3 * s->size;
  double lower = impi_min(0, along) - reach, upper = impi_max(0, along) + reach;
  bool limited = has(&drive, IMP_DRIVE_LIMIT), stops[2] = {false, false};
  if (limited && drive.lower > -HUGE_VAL) lower = drive.lower, stops[0] = true;
  if (limited && drive.upper < HUGE_VAL) upper = drive.upper, stops[1] = true;
  ImpVec2 ends[2] = {impi_mul_add(s->a, lower, axis), impi_mul_add(s->a, upper, axis)};
  bool ok = impi_draw_line(s->list, s->item, ends[0], ends[1]);
  for (int i = 0; ok && i < 2; ++i) {
    if (stops[i]) ok = impi_draw_line(s->list, s->item, impi_sub(ends[i], side), impi_add(ends[i], side));
  }
  // The coil starts at a distance from A's anchor, because the anchors of a suspension may coincide.
  if (ok && has(&drive, IMP_DRIVE_SPRING)) {
    ImpVec2 from = fabs(along) > 2 * s->size ? s->a : impi_mul_add(s->a, 4 * s->size, axis);
    ok = impi_draw_coil(s->list, s->item, from, s->b, s->size);
  }
  return ok && (locks(s, IMP_COORDINATE_ANGLE) ? draw_end(s, s->b) : draw_ring(s, s->b, 1));
}


// Draw a line between the anchors, or a coil for a rod with a spring.
static bool draw_link(const Sketch *s) {
  int index;
  ImpDrive drive = drive_of(s, IMP_COORDINATE_DISTANCE, &index);
  bool ok = has(&drive, IMP_DRIVE_SPRING) && !is_rope(s) ? impi_draw_coil(s->list, s->item, s->a, s->b, s->size)
                                                         : impi_draw_line(s->list, s->item, s->a, s->b);
  return ok && draw_end(s, s->a) && draw_end(s, s->b);
}


static bool draw_pulley(const Sketch *s) {
  const ImpVec2 way[4] = {s->a, s->def.ground_a, s->def.ground_b, s->b};
  ImpDrawItem rope = s->item;
  rope.kind = IMP_DRAW_POLYLINE;
  return impi_draw_push(s->list, rope, way, 4) && draw_ring(s, way[1], 1) && draw_ring(s, way[2], 1) &&
         draw_end(s, s->a) && draw_end(s, s->b);
}


// Draw two parallel thin lines, which distinguish a gear from a rod.
static bool draw_gear(const Sketch *s) {
  ImpVec2 at[2], unused;
  for (int i = 0; i < 2; ++i) {
    if (anchors_of(s->poses, s->world, s->def.term[i].joint, &unused, &at[i]) != IMP_OK) return true;
  }
  ImpVec2 side = impi_scale(0.25 * s->size, impi_left(impi_direction(impi_sub(at[1], at[0]))));
  return impi_draw_line(s->list, s->item, impi_add(at[0], side), impi_add(at[1], side)) &&
         impi_draw_line(s->list, s->item, impi_sub(at[0], side), impi_sub(at[1], side));
}


static bool draw_pull(const Sketch *s) {
  return impi_draw_line(s->list, s->item, s->a, s->b) && draw_end(s, s->b) && draw_ring(s, s->a, 0.5);
}


static bool draw_ratchet(const Sketch *s) {
  double way = s->def.direction < 0 ? -4.0 : 4.0;
  return draw_pin(s) && (s->tiny || impi_draw_turn(s->list, s->item, s->b, way * 1.6 * s->size, 1.6 * s->size));
}


// Draw lines between the centres of consecutive bodies.
static bool draw_constraint(const Sketch *s) {
  ImpBody bodies[ROW_BODIES];
  int count = 0;
  ImpVec2 last = {0, 0};
  imp_joint_bodies(s->world, s->joint, bodies, ROW_BODIES, &count);
  for (int i = 0; i < count && i < ROW_BODIES; ++i) {
    ImpVec2 center;
    if (center_of(s->poses, s->world, bodies[i], &center) != IMP_OK) return true;
    if (!draw_end(s, center)) return false;
    if (i > 0 && !impi_draw_line(s->list, s->item, last, center)) return false;
    last = center;
  }
  return true;
}


// Draw the symbol of a joint, by default a line between the anchors.
static bool draw_symbol(const Sketch *s) {
  unsigned options = s->info->options;
  bool x = locks(s, IMP_COORDINATE_X), y = locks(s, IMP_COORDINATE_Y), angle = locks(s, IMP_COORDINATE_ANGLE);
  if (s->info->coordinates[0] == NULL) return draw_constraint(s);
  if (options & IMP_TAKES_TERMS) return draw_gear(s);
  if (options & IMP_TAKES_GROUNDS) return draw_pulley(s);
  if (options & IMP_TAKES_PITCH) return draw_ratchet(s);
  if (options & IMP_TAKES_TARGET) return draw_pull(s);
  if (x && y) return angle ? draw_weld(s) : draw_pin(s);
  return y ? draw_slide(s) : angle ? draw_pin(s) : draw_link(s);
}


// Return the target of servo, spring or lock, else `now`.
static double driven_to(const Sketch *s, ImpCoordinateKind kind, double now) {
  int index;
  ImpDrive drive = drive_of(s, kind, &index);
  if (has(&drive, IMP_DRIVE_SERVO)) return drive.target;
  return has(&drive, IMP_DRIVE_SPRING) ? drive.rest : has(&drive, IMP_DRIVE_LOCK) ? drive.lock : now;
}


// Set `a` to the point to which a drag or pose joint pulls B's anchor.
// The target is relative to A's anchor, or for a drag in world coordinates.
static void find_target(Sketch *s) {
  unsigned options = s->info->options;
  ImpRot q;
  if (!(options & IMP_TAKES_TARGET)) return;
  ImpVec2 axis = {1, 0}, apart = impi_sub(s->b, s->a);
  if (options & IMP_TAKES_AXIS && rotation_of(s, s->def.body_a, &q) == IMP_OK) axis = impi_rotate(q, s->def.axis);
  double x = driven_to(s, IMP_COORDINATE_X, impi_dot(apart, axis));
  double y = driven_to(s, IMP_COORDINATE_Y, impi_dot(apart, impi_left(axis)));
  s->a = impi_add(s->a, impi_add(impi_scale(x, axis), impi_scale(y, impi_left(axis))));
}


static bool gives_way(const Sketch *s) {
  if (is_rope(s) || s->info->options & IMP_TAKES_TARGET) return true;
  for (int i = 0; i < IMPI_INLINE_COORDINATES; ++i) {
    if (has(&s->def.drive[i], IMP_DRIVE_SPRING)) return true;
  }
  return false;
}


// Return the size of symbols, a quarter of the smallest body at most.
static double fitting_size(const ImpWorld *world, ImpJoint joint, double size) {
  int32_t slot = impi_pool_find(&world->joint_pool, joint.id, world->tag);
  const ImpiJoint *record = &world->joints.data[slot];
  double least = size;
  for (int i = 0; i < impi_joint_body_count(record); ++i) {
    const ImpiBody *body = &world->bodies.data[impi_joint_body(record, i)];
    if (body->first_shape >= 0 && body->type != IMP_BODY_STATIC) least = impi_min(least, 0.25 * body->extent);
  }
  return least;
}


// Draw a rotor for armature: ring and dot at B's anchor.
static bool draw_rotor(const Sketch *s) {
  bool has_rotor = false;
  for (int i = 0; i < IMPI_INLINE_COORDINATES; ++i) {
    has_rotor = has_rotor || s->def.drive[i].armature > 0;
  }
  return !has_rotor || s->info->coordinates[0] == NULL || (draw_ring(s, s->b, 0.6) && draw_end(s, s->b));
}


bool impi_draw_joint(ImpDrawList *list, ImpWorld *world, ImpJoint joint, const ImpDrawOptions *options) {
  double size = fitting_size(world, joint, options->size);
  Sketch s = {.list = list,
              .world = world,
              .joint = joint,
              .poses = options->poses,
              .size = size,
              .tiny = size < LEAST * options->size};
  double broken = 0, serial = 0;
  ImpJointKind kind = IMP_JOINT_CONSTRAINT;
  imp_joint_kind_of(world, joint, &kind);
  imp_joint_get(world, joint, IMP_JOINT_BROKEN, &broken);
  imp_joint_get(world, joint, IMP_JOINT_ID, &serial);
  anchors_of(s.poses, world, joint, &s.a, &s.b);
  s.info = imp_joint_kind((int)kind);
  s.item = (ImpDrawItem){.style = IMP_STYLE_JOINT, .owner = (uint64_t)serial};
  if (broken != 0) {
    s.item.style = IMP_STYLE_BROKEN;
    return impi_draw_cross(list, s.item, s.a, size) && impi_draw_cross(list, s.item, s.b, size);
  }
  if (kind != IMP_JOINT_CONSTRAINT && imp_joint_definition(world, joint, &s.def) != IMP_OK) return true;
  find_target(&s);
  if (gives_way(&s)) s.item.style = IMP_STYLE_SPRING;
  return draw_symbol(&s) && draw_rotor(&s);
}


// ---------------------------------------------------------------------------------------------------------------------
// Reactions and rows
// ---------------------------------------------------------------------------------------------------------------------

static uint64_t serial_of(const ImpWorld *world, ImpJoint joint) {
  double serial = 0;
  imp_joint_get(world, joint, IMP_JOINT_ID, &serial);
  return (uint64_t)serial;
}


// Draw the reaction on B at B's anchor, or on A if B is static.
bool impi_draw_reaction(ImpDrawList *list, ImpWorld *world, ImpJoint joint, const ImpDrawOptions *options) {
  ImpReaction r;
  ImpVec2 a, at;
  ImpBody bodies[ROW_BODIES];
  int count = 0;
  if (imp_joint_reaction(world, joint, &r) != IMP_OK) return true;
  if (anchors_of(options->poses, world, joint, &a, &at) != IMP_OK) return true;
  imp_joint_bodies(world, joint, bodies, ROW_BODIES, &count);
  double sign = 1;
  if (count >= 2 && count <= ROW_BODIES && !moves(world, bodies[count - 1])) {
    sign = -1;
    at = a;
  }
  ImpDrawItem item = {.style = IMP_STYLE_FORCE, .value = sqrt(r.x * r.x + r.y * r.y), .owner = serial_of(world, joint)};
  ImpVec2 arrow = {sign * r.x * options->force_scale, sign * r.y * options->force_scale};
  if (!impi_draw_vector(list, item, at, arrow, 0.1 * options->size, options->longest)) return false;
  item.style = IMP_STYLE_TORQUE;
  item.value = sign * r.torque;
  return impi_draw_turn(list, item, at, sign * r.torque * options->torque_scale, 1.5 * options->size);
}


// Draw the impulse of each row at its last non-static body: an arrow along the Jacobian's linear part, or an arc.
bool impi_draw_rows(ImpDrawList *list, ImpWorld *world, ImpJoint joint, const ImpDrawOptions *options) {
  const ImpRowInfo *rows;
  int total, first, count;
  if (imp_world_rows(world, &rows, &total) != IMP_OK || imp_joint_rows(world, joint, &first, &count) != IMP_OK) {
    return true;
  }
  ImpJointKind kind;
  ImpVec2 a, b;
  imp_joint_kind_of(world, joint, &kind);
  anchors_of(options->poses, world, joint, &a, &b);
  bool held = imp_joint_kind((int)kind)->options & (IMP_TAKES_ANCHOR | IMP_TAKES_ANCHORS);
  for (int i = first; i < first + count; ++i) {
    ImpBody bodies[ROW_BODIES];
    double j[3 * ROW_BODIES];
    int n = 0;
    if (imp_row_jacobian(world, i, bodies, j, ROW_BODIES, &n) != IMP_OK || n > ROW_BODIES) continue;
    int last = n - 1;
    while (last > 0 && !moves(world, bodies[last])) --last;
    ImpVec2 center;
    if (last < 0 || center_of(options->poses, world, bodies[last], &center) != IMP_OK) continue;
    ImpVec2 at = !held ? center : last == n - 1 ? b : a;
    double scale = rows[i].impulse * options->impulse_scale;
    ImpDrawItem item = {.style = IMP_STYLE_ROW, .value = rows[i].impulse, .owner = serial_of(world, joint)};
    ImpVec2 push = {scale * j[3 * last], scale * j[3 * last + 1]};
    bool turns = j[3 * last] == 0 && j[3 * last + 1] == 0;
    bool ok = turns ? impi_draw_turn(list, item, at, scale * j[3 * last + 2], 2 * options->size)
                    : impi_draw_vector(list, item, at, push, 0.1 * options->size, options->longest);
    if (!ok) return false;
  }
  return true;
}
