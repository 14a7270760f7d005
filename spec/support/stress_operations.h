// Random operations on a world, between two steps and inside a step. Each random draw is a statement of its own,
// because C does not specify the order in which arguments are evaluated.
#ifndef IMPI_STRESS_OPERATIONS_H
#define IMPI_STRESS_OPERATIONS_H

#include "random_solving.h"
#include "stress_player.h"

// Return a position in an area 20 m wide and 11 m high, mostly above the ground.
static inline ImpVec2 random_place(void) {
  ImpVec2 unit = random_vec(0, 1);
  return vec(20 * unit.x - 10, 11 * unit.y - 1);
}


static inline ImpBody any_body(const Player *p) {
  return p->has.body_count > 0 ? p->has.bodies[roll(p->has.body_count)] : (ImpBody){0};
}


static inline ImpBodyType type_of(const Player *p, ImpBody body) {
  ImpBodyType type = IMP_BODY_STATIC;
  MUST(imp_body_type(p->world, body, &type));
  return type;
}


// ---------------------------------------------------------------------------------------------------------------------
// Bodies and shapes
// ---------------------------------------------------------------------------------------------------------------------


static inline ImpShapeDef random_material(void) {
  ImpShapeDef def = imp_shape_def();
  def.density = random_in(0.1, 3);
  def.friction = random_in(0, 1);
  if (one_in(4)) def.restitution = random_in(0, 1);
  if (one_in(5)) def.restitution_threshold = 0;
  if (one_in(8)) def.rolling_resistance = random_in(0, 0.3);
  if (one_in(10)) def.surface_speed = random_in(-2, 2);
  if (one_in(12)) def.one_way = random_vec(-1, 1);
  if (one_in(6)) def.category = 1u << roll(3);
  if (one_in(10)) def.mask = (uint64_t)roll(8);
  if (one_in(12)) def.group = roll(5) - 2;
  def.sensor = one_in(10);
  def.pre_solve = one_in(10);
  def.selective = one_in(10);
  if (one_in(8)) def.hit_speed = random_in(0, 4);
  return def;
}


// Add a large shape: a star with or without a hole, an island, rough ground, or a terrain with gaps.
static inline ImpStatus add_large(Player *p, ImpBody body, const ImpShapeDef *def, int kind, ImpShape *out_shape) {
  ImpVec2 points[23];
  double values[12];
  int corners = 4 + 2 * roll(8), counts[2] = {corners, 3}, rings = 1 + roll(2), count = 3 + roll(9);
  bool loop = one_in(2);
  ImpVec2 origin = random_vec(-4, 0);
  double spacing = random_in(0.2, 0.6);
  if (kind == 0) {
    for (int i = 0; i < corners + 3; ++i) {
      double turn = i < corners ? 2 * IMPI_PI * i / corners : 2 * IMPI_PI * (i - corners) / 3;
      double r = i >= corners ? 0.1 : i % 2 == 0 ? 0.8 : 0.4;
      points[i] = vec(r * imp_cos(turn), r * imp_sin(turn));
    }
    return CALL(p, imp_body_add_polygon_with_holes(p->world, body, def, points, counts, rings, 0, out_shape));
  }
  if (kind == 1) {
    for (int i = 0; i < count; ++i) {
      double turn = 2 * IMPI_PI * i / count;
      ImpVec2 rough = vec(3 - 6.0 * i / (count - 1), random_in(-0.3, 0.3));
      points[i] = loop ? vec(2 * imp_cos(turn), imp_sin(turn)) : rough;
    }
    return CALL(p, imp_body_add_chain(p->world, body, def, points, count, loop, out_shape));
  }
  for (int i = 0; i < 12; ++i) values[i] = i > 1 && one_in(5) ? (double)NAN : random_in(-0.5, 0.5);
  return CALL(p, imp_body_add_heights(p->world, body, def, origin, spacing, values, 12, out_shape));
}


static inline void add_shape(Player *p, ImpBody body, const ImpShapeDef *def) {
  if (p->has.shape_count == MAX_SHAPES) return;
  ImpShape shape = {0};
  ImpVec2 center = one_in(2) ? vec(0, 0) : random_vec(-0.5, 0.5), size = random_vec(0.2, 1.2), points[6];
  ImpVec2 end = vec(center.x + random_in(0.1, 0.8), center.y), grown = random_vec(0.05, 0.2);
  double angle = one_in(2) ? 0 : random_in(-3, 3), radius = one_in(2) ? 0 : grown.x;
  int corners = 3 + roll(4), kind = roll(type_of(p, body) == IMP_BODY_STATIC ? 10 : 8);
  ImpStatus status = IMP_OK;
  switch (kind) {
  case 0:
  case 1:
    status = CALL(p, imp_body_add_circle(p->world, body, def, center, 0.5 * size.x, &shape));
    break;
  case 2:
  case 3:
    status = CALL(p, imp_body_add_box(p->world, body, def, size.x, size.y, center, angle, radius, &shape));
    break;
  case 4:
    for (int i = 0; i < corners; ++i) {
      double turn = angle + 2 * IMPI_PI * i / corners;
      points[i] = vec(center.x + 0.6 * size.x * imp_cos(turn), center.y + 0.6 * size.x * imp_sin(turn));
    }
    status = CALL(p, imp_body_add_polygon(p->world, body, def, points, corners, radius, &shape));
    break;
  case 5:
    status = CALL(p, imp_body_add_capsule(p->world, body, def, center, end, grown.y, &shape));
    break;
  case 6:
    status = CALL(p, imp_body_add_segment(p->world, body, def, center, end, &shape));
    break;
  default:
    status = add_large(p, body, def, kind - 7, &shape);
  }
  if (status == IMP_OK) keep_shape(p, shape);
}


static inline void make_shape(Player *p) {
  ImpBody body = any_body(p);
  ImpShapeDef def = random_material();
  if (body.id != 0) add_shape(p, body, &def);
}


static inline void make_body(Player *p) {
  static const ImpBodyType types[] = {IMP_BODY_STATIC, IMP_BODY_STATIC, IMP_BODY_KINEMATIC, IMP_BODY_PARTICLE};
  if (p->has.body_count == MAX_BODIES) return;
  ImpBodyDef def = imp_body_def();
  int kind = roll(16), shapes = one_in(8) ? 0 : 1 + roll(3);
  def.type = kind < IMPI_COUNT(types) ? types[kind] : IMP_BODY_DYNAMIC;
  def.position = random_place();
  def.awake = !one_in(6);
  def.enabled = !one_in(20);
  if (def.type != IMP_BODY_PARTICLE && one_in(2)) def.angle = random_in(-4, 4);
  if (def.type != IMP_BODY_STATIC && def.awake && one_in(2)) def.velocity = random_vec(-6, 6);
  if (def.type >= IMP_BODY_DYNAMIC && def.awake && one_in(6)) def.velocity = random_vec(-200, 200);
  if (one_in(10)) def.mass = random_in(0.1, 20);
  if (one_in(9)) def.gravity_scale = 0;
  def.bullet = one_in(6);
  def.fixed_rotation = one_in(8);
  def.lock_x = one_in(12);
  def.lock_y = one_in(20);
  def.allow_sleep = !one_in(8);
  def.name = one_in(2) ? "a name" : NULL;
  ImpBody body = {0};
  if (CALL(p, imp_body_create(p->world, &def, &body)) != IMP_OK) return;
  keep_body(p, body);
  for (int i = 0; i < shapes; ++i) {
    ImpShapeDef material = random_material();
    add_shape(p, body, &material);
  }
}


static inline void destroy_body(Player *p) {
  ImpBody body = any_body(p);
  if (body.id != 0 && (p->has.body_count > 60 || one_in(3))) CALL(p, imp_body_destroy(p->world, body));
}


static inline void destroy_shape(Player *p) {
  if (p->has.shape_count > 0) CALL(p, imp_shape_destroy(p->world, p->has.shapes[roll(p->has.shape_count)]));
}


static inline void change_type(Player *p) {
  ImpBody body = any_body(p);
  ImpBodyType type = (ImpBodyType)roll(IMP_BODY_TYPE_COUNT);
  if (body.id != 0) CALL(p, imp_body_set_type(p->world, body, type));
}


static inline void move_body(Player *p) {
  ImpBody body = any_body(p);
  ImpVec2 place = random_place(), by = random_vec(-0.1, 0.1), slight = random_vec(-0.004, 0.004);
  double angle = random_in(-0.2, 0.2);
  int how = roll(8);
  if (body.id == 0) return;
  ImpVec2 at = position(p->world, body);
  bool kinematic = type_of(p, body) == IMP_BODY_KINEMATIC;
  if (kinematic && how == 0) CALL(p, imp_body_move_to(p->world, body, impi_add(at, by)));
  if (kinematic && how > 0) CALL(p, imp_body_move_to_pose(p->world, body, impi_add(at, by), angle));
  if (kinematic) return;
  if (how == 0) CALL(p, imp_body_set_pose(p->world, body, place, 10 * angle));
  if (how == 1) CALL(p, imp_body_set_position(p->world, body, place));
  if (how == 2) CALL(p, imp_body_set_center(p->world, body, impi_add(at, by)));
  if (how > 2) CALL(p, imp_body_set_position(p->world, body, impi_add(at, how > 5 ? slight : by)));
}


static inline void change_velocity(Player *p) {
  ImpBody body = any_body(p);
  ImpVec2 v = random_vec(-6, 6), fast = random_vec(-150, 150);
  int how = roll(4);
  if (body.id != 0) CALL(p, imp_body_set_velocity(p->world, body, how == 0 ? vec(0, 0) : how == 1 ? fast : v));
}


typedef struct Choice {
  int property;
  bool whole;
  double lower, upper;
} Choice;

static inline double choose(const Choice *choice) {
  double value = random_in(choice->lower, choice->upper);
  return choice->whole ? floor(value) : value;
}


static inline void change_body(Player *p) {
  static const Choice choices[] = {{IMP_BODY_ANGLE, false, -5, 5},
                                   {IMP_BODY_ANGULAR_VELOCITY, false, -9, 9},
                                   {IMP_BODY_ANGULAR_VELOCITY, true, 0, 1},
                                   {IMP_BODY_MASS, false, 0.1, 50},
                                   {IMP_BODY_INERTIA, false, 0.1, 5},
                                   {IMP_BODY_FIXED_ROTATION, true, 0, 2},
                                   {IMP_BODY_AWAKE, true, 0, 2},
                                   {IMP_BODY_AWAKE, true, 0, 2},
                                   {IMP_BODY_ALLOW_SLEEP, true, 0, 2},
                                   {IMP_BODY_BULLET, true, 0, 2},
                                   {IMP_BODY_LINEAR_DAMPING, false, 0, 2},
                                   {IMP_BODY_ANGULAR_DAMPING, false, 0, 2},
                                   {IMP_BODY_GRAVITY_SCALE, true, 0, 3},
                                   {IMP_BODY_LOCK_X, true, 0, 2},
                                   {IMP_BODY_LOCK_Y, true, 0, 2},
                                   {IMP_BODY_MAX_SPEED, true, 0, 9},
                                   {IMP_BODY_MAX_ANGULAR_SPEED, true, 0, 4}};
  const Choice *choice = &choices[roll(IMPI_COUNT(choices))];
  double value = choose(choice);
  ImpBody body = any_body(p);
  if (body.id != 0) CALL(p, imp_body_set(p->world, body, (ImpBodyProperty)choice->property, value));
}


// Write the states of three bodies in one call. If one of the states is invalid, the call writes none of them.
static inline void write_bodies(Player *p) {
  static const ImpQuantity what[][2] = {{IMP_QUANTITY_POSITION, IMP_QUANTITY_VELOCITY},
                                        {IMP_QUANTITY_CENTER, IMP_QUANTITY_IMPULSE},
                                        {IMP_QUANTITY_VELOCITY, IMP_QUANTITY_FORCE}};
  ImpBody bodies[] = {any_body(p), any_body(p), any_body(p)};
  const ImpQuantity *chosen = what[roll(3)];
  double values[12];
  if (p->has.body_count == 0) return;
  for (int i = 0; i < 12; ++i) values[i] = random_in(-0.05, 0.05);
  for (int i = 0; i < 3 && chosen[0] != IMP_QUANTITY_VELOCITY; ++i) {
    ImpVec2 at = position(p->world, bodies[i]);
    values[4 * i] += at.x;
    values[4 * i + 1] += at.y;
  }
  CALL(p, imp_bodies_write(p->world, bodies, 3, chosen, 2, values, NULL));
}


static inline void push(Player *p) {
  ImpBody body = any_body(p);
  ImpVec2 force = random_vec(-30, 30), point = random_place();
  double turn = random_in(-1, 1);
  int how = roll(4);
  if (body.id == 0) return;
  if (how == 0) CALL(p, imp_body_apply_force_at(p->world, body, force, point));
  if (how == 1) CALL(p, imp_body_apply_impulse_at(p->world, body, impi_scale(0.1, force), point));
  if (how == 2) CALL(p, imp_body_apply_angular_impulse(p->world, body, turn));
  if (how == 3) CALL(p, imp_body_apply_torque(p->world, body, 20 * turn));
}


static inline void change_shape(Player *p) {
  static const Choice choices[] = {{IMP_SHAPE_SENSOR, true, 0, 2},        {IMP_SHAPE_GROUP, true, -2, 3},
                                   {IMP_SHAPE_DENSITY, false, 0.1, 5},    {IMP_SHAPE_FRICTION, false, 0, 1},
                                   {IMP_SHAPE_RESTITUTION, false, 0, 1},  {IMP_SHAPE_ROLLING_RESISTANCE, false, 0, 0.3},
                                   {IMP_SHAPE_SURFACE_SPEED, true, 0, 2}, {IMP_SHAPE_PRE_SOLVE, true, 0, 2},
                                   {IMP_SHAPE_HIT_SPEED, false, 0, 4}};
  const Choice *choice = &choices[roll(IMPI_COUNT(choices))];
  double value = choose(choice);
  if (p->has.shape_count == 0) return;
  ImpShape shape = p->has.shapes[roll(p->has.shape_count)];
  CALL(p, imp_shape_set(p->world, shape, (ImpShapeProperty)choice->property, value));
}


static inline void change_collide(Player *p) {
  uint64_t category = 1u << roll(3), mask = one_in(4) ? (uint64_t)roll(8) : UINT64_MAX;
  ImpVec2 direction = random_vec(-1, 1);
  int how = roll(5);
  bool on = one_in(2);
  if (p->has.shape_count == 0) return;
  ImpShape shape = p->has.shapes[roll(p->has.shape_count)];
  if (how < 2) CALL(p, imp_shape_set_filter(p->world, shape, category, mask));
  if (how == 2) CALL(p, imp_shape_set_one_way(p->world, shape, on ? vec(0, 0) : direction));
  if (how == 3) CALL(p, imp_shape_refilter(p->world, shape));
  if (how == 4) CALL(p, imp_shape_set_selective(p->world, shape, on));
}


// Create or change a material, set the material of a shape, or set friction and restitution between two materials.
static inline void change_material(Player *p) {
  ImpMaterialDef def = imp_material_def();
  def.friction = random_in(0, 1);
  def.restitution = one_in(3) ? random_in(0, 1) : 0;
  ImpMix both = {random_in(0, 1), 0};
  const char *name = one_in(2) ? "ice" : "wood";
  int how = roll(3), made = 0;
  ImpShape shape = p->has.shape_count > 0 ? p->has.shapes[roll(p->has.shape_count)] : (ImpShape){0};
  if (how == 0 && imp_world_material_count(p->world) < 2) {
    CALL(p, imp_world_set_material(p->world, name, &def, &made));
  } else if (how < 2 && imp_world_material_count(p->world) > 0) {
    CALL(p, imp_world_set_mix(p->world, 1, imp_world_material_count(p->world), &both));
  } else if (shape.id != 0 && imp_world_material_count(p->world) > 0) {
    CALL(p, imp_shape_set_material(p->world, shape, imp_world_material_count(p->world)));
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Joints
// ---------------------------------------------------------------------------------------------------------------------


// Return random drives that a joint can satisfy near `at`, the current value of its coordinate.
static inline ImpDrive random_drive(double at) {
  ImpDrive drive = imp_drive();
  drive.on = one_in(2) ? 1u << (1 + roll(IMP_DRIVE_COUNT - 1)) : (unsigned)roll(1 << IMP_DRIVE_COUNT) & ~1u;
  if (one_in(8)) drive.on = 1u << IMP_DRIVE_LOCK;
  drive.lock = at;
  drive.lower = one_in(4) ? -HUGE_VAL : at - random_in(0, 1);
  drive.upper = one_in(4) ? HUGE_VAL : at + random_in(0, 1);
  drive.limit_max = one_in(3) ? random_scale(1, 1e3) : HUGE_VAL;
  drive.speed = random_in(-3, 3);
  drive.motor_max = random_scale(1e-2, 1e3);
  drive.target = at + random_in(-0.3, 0.3);
  drive.target_speed = random_in(-1, 1);
  drive.servo_max = random_scale(1e-2, 1e3);
  bool by_hertz = one_in(2);
  *(by_hertz ? &drive.hertz : &drive.stiffness) = by_hertz ? random_scale(0.1, 60) : random_scale(1e-2, 1e4);
  *(by_hertz ? &drive.damping_ratio : &drive.damping) = one_in(3) ? 0 : random_scale(1e-2, 10);
  drive.rest = at + random_in(-0.3, 0.3);
  drive.spring_max = one_in(2) ? HUGE_VAL : random_scale(1, 1e3);
  drive.force = random_in(-5, 5);
  if (one_in(3)) drive.armature = random_scale(1e-2, 1e2);
  if (one_in(3)) drive.viscous_damping = random_scale(1e-2, 1e2);
  if (one_in(3)) drive.dry_friction = random_scale(1e-2, 1e2);
  return drive;
}


static inline void join(Player *p, const ImpJointDef *def) {
  ImpJoint joint = {0};
  if (p->has.joint_count < MAX_JOINTS && CALL(p, imp_joint_create(p->world, def, &joint)) == IMP_OK) {
    keep_joint(p, joint);
  }
}


// Create a joint of any kind, with its anchor between two bodies that are near each other.
static inline void make_joint(Player *p) {
  int kind = one_in(2) ? IMP_JOINT_REVOLUTE : roll(IMP_JOINT_CONSTRAINT), driven = roll(3);
  ImpBody a = any_body(p), b = any_body(p);
  bool drives = one_in(3), collide = one_in(3), weak = one_in(4);
  if (a.id == 0 || a.id == b.id || options_of(kind) & IMP_TAKES_TERMS) return;
  ImpVec2 at = position(p->world, a), to = position(p->world, b);
  ImpJointDef def = random_def(kind, a, b);
  def.reference_angle = def.length = (double)NAN;
  def.place_b = IMP_PLACE_WORLD;
  def.anchor_b = impi_scale(0.5, impi_add(at, to));
  if (options_of(kind) & IMP_TAKES_ANCHORS) def.place_a = IMP_PLACE_DEFAULT;
  if (options_of(kind) & IMP_TAKES_PITCH) def.pitch = 0.3;
  if (options_of(kind) & IMP_TAKES_BOUNDS) def.max_force = def.max_torque = random_scale(1, 1e3);
  def.drive[driven] = drives ? random_drive(0) : def.drive[driven];
  def.collide = collide;
  if (weak) def.break_force = random_scale(1, 1e4);
  if (impi_length(impi_sub(at, to)) < 3) join(p, &def);
}


static inline void make_gear(Player *p) {
  if (p->has.joint_count < 2 || p->has.joint_count == MAX_JOINTS) return;
  ImpJoint parts[2];
  int counts[2] = {0};
  for (int i = 0; i < 2; ++i) {
    parts[i] = p->has.joints[roll(p->has.joint_count)];
    MUST(imp_joint_coordinate_count(p->world, parts[i], &counts[i]));
  }
  ImpCoordinate one = {parts[0], roll(counts[0] + 1)};
  ImpCoordinate two = {parts[1], roll(counts[1] + 1)};
  ImpJointDef def = random_gear(one_in(2) ? IMP_JOINT_GEAR : IMP_JOINT_RACK, one, two);
  join(p, &def);
}


static inline void destroy_joint(Player *p) {
  if (p->has.joint_count == 0) return;
  ImpJoint joint = p->has.joints[roll(p->has.joint_count)];
  bool last = one_in(2);
  one_in(3) ? CALL(p, imp_joint_break(p->world, joint, last)) : CALL(p, imp_joint_destroy(p->world, joint));
}


static inline void change_drive(Player *p) {
  if (p->has.joint_count == 0) return;
  ImpJoint joint = p->has.joints[roll(p->has.joint_count)];
  int count = 0;
  MUST(imp_joint_coordinate_count(p->world, joint, &count));
  if (count == 0) return;
  ImpCoordinate coordinate = {joint, roll(count)};
  double value = 0, speed = 0;
  MUST(imp_coordinate_state(p->world, coordinate, &value, &speed));
  ImpDrive drive = random_drive(value);
  int how = roll(4);
  if (how == 0) CALL(p, imp_coordinate_set_force(p->world, coordinate, drive.force));
  if (how == 1) CALL(p, imp_coordinate_set_target(p->world, coordinate, drive.target));
  if (how > 1) CALL(p, imp_coordinate_set_drive(p->world, coordinate, &drive));
}


static inline void change_joint(Player *p) {
  static const Choice choices[] = {{IMP_JOINT_MOTOR_SPEED, false, -3, 3},
                                   {IMP_JOINT_MAX_FORCE, false, 0, 100},
                                   {IMP_JOINT_BREAK_FORCE, false, 1, 1e4},
                                   {IMP_JOINT_COLLIDE, true, 0, 2},
                                   {IMP_JOINT_TARGET, false, -1, 1}};
  const Choice *choice = &choices[roll(IMPI_COUNT(choices))];
  double value = choose(choice);
  if (p->has.joint_count == 0) return;
  ImpJoint joint = p->has.joints[roll(p->has.joint_count)];
  CALL(p, imp_joint_set(p->world, joint, (ImpJointProperty)choice->property, value));
}


// ---------------------------------------------------------------------------------------------------------------------
// The world and other objects
// ---------------------------------------------------------------------------------------------------------------------


static inline void change_world(Player *p) {
  static const Choice choices[] = {{IMP_WORLD_SUBSTEPS, true, 1, 7},
                                   {IMP_WORLD_DT, false, 0.002, 0.03},
                                   {IMP_WORLD_SLEEP, true, 0, 2},
                                   {IMP_WORLD_SLEEP, true, 1, 2},
                                   {IMP_WORLD_CONTINUOUS, true, 0, 2},
                                   {IMP_WORLD_CONTINUOUS, true, 1, 2},
                                   {IMP_WORLD_SMOOTH_INTERNAL_EDGES, true, 0, 2},
                                   {IMP_WORLD_HIT_SPEED, false, 0, 3},
                                   {IMP_WORLD_CONTACT_HERTZ, false, 5, 60},
                                   {IMP_WORLD_PUSH_SPEED, false, 0, 5}};
  const Choice *choice = &choices[roll(IMPI_COUNT(choices))];
  double value = choose(choice);
  ImpVec2 unit = random_vec(0, 1);
  int how = roll(6);
  if (how == 0) CALL(p, imp_world_set_gravity(p->world, vec(6 * unit.x - 3, 14 * unit.y - 12)));
  if (how == 1 || how == 2) CALL(p, imp_world_set(p->world, (ImpWorldProperty)choice->property, value));
}


// Change the solver or a setting (probability 1/4), select the solver soft (1/2), or do nothing (1/4).
static inline void change_solver(Player *p) {
  int how = roll(4);
  if (setting.one_solver) return;
  if (how == 0) {
    note(p, change_solving(p->world, false));
  } else if (how < 3) {
    CALL(p, imp_world_set_solver(p->world, IMP_SOLVER_SOFT));
  }
}


static inline void change_mover(Player *p) {
  ImpMoverDef def = imp_mover_def();
  def.position = random_place();
  double walk = random_in(-4, 4);
  int how = roll(5);
  ImpMover mover = {0};
  if (p->has.mover_count < 2 && how == 0) {
    if (CALL(p, imp_mover_create(p->world, &def, &mover)) != IMP_OK) return;
    p->has.mover_id[p->has.mover_count] = mover_id(p->world, mover);
    p->has.movers[p->has.mover_count++] = mover;
  } else if (p->has.mover_count > 0) {
    mover = p->has.movers[roll(p->has.mover_count)];
    if (how == 1) CALL(p, imp_mover_jump(p->world, mover, 5));
    if (how > 1) CALL(p, imp_mover_set(p->world, mover, IMP_MOVER_WALK, walk));
    if (how == 0 && one_in(3)) CALL(p, imp_mover_destroy(p->world, mover));
  }
}


static inline void change_field(Player *p) {
  ImpFieldDef def = imp_field_def(one_in(2) ? IMP_FIELD_UNIFORM : IMP_FIELD_WIND);
  ImpVec2 push_of = random_vec(-5, 5);
  def.vector[def.kind == IMP_FIELD_WIND ? IMP_FIELD_VELOCITY : IMP_FIELD_ACCELERATION] = push_of;
  bool make = one_in(2);
  ImpField field = {0};
  if (make && p->has.field_count < 2) {
    if (CALL(p, imp_field_create(p->world, &def, &field)) != IMP_OK) return;
    p->has.field_id[p->has.field_count] = field_id(p->world, field);
    p->has.fields[p->has.field_count++] = field;
  } else if (!make && p->has.field_count > 0) {
    CALL(p, imp_field_destroy(p->world, p->has.fields[0]));
  }
}


// Destroy bodies that left the scene, to make room.
static inline void destroy_the_lost(Player *p) {
  for (int i = 0; i < p->has.body_count; ++i) {
    ImpVec2 at = position(p->world, p->has.bodies[i]);
    if (fabs(at.x) > 40 || at.y < -30 || at.y > 60) MUST(imp_body_destroy(p->world, p->has.bodies[i]));
  }
  forget_the_dead(p);
}


static const struct {
  const char *name;
  void (*run)(Player *p);
  int weight;
} operations[] = {
    {"make_body", make_body, 5},
    {"destroy_body", destroy_body, 3},
    {"make_shape", make_shape, 2},
    {"destroy_shape", destroy_shape, 2},
    {"change_type", change_type, 2},
    {"move_body", move_body, 4},
    {"change_velocity", change_velocity, 3},
    {"change_body", change_body, 6},
    {"push", push, 3},
    {"write_bodies", write_bodies, 1},
    {"change_shape", change_shape, 4},
    {"change_collide", change_collide, 4},
    {"change_material", change_material, 1},
    {"make_joint", make_joint, 6},
    {"make_gear", make_gear, 1},
    {"destroy_joint", destroy_joint, 2},
    {"change_drive", change_drive, 4},
    {"change_joint", change_joint, 2},
    {"change_world", change_world, 2},
    {"change_solver", change_solver, 2},
    {"change_mover", change_mover, 1},
    {"change_field", change_field, 1},
    {"destroy_the_lost", destroy_the_lost, 1},
};


static inline void operate(Player *p) {
  int total = 0, k = -1;
  for (int i = 0; i < IMPI_COUNT(operations); ++i) total += operations[i].weight;
  for (int left = roll(total); left >= 0; left -= operations[k].weight) ++k;
  bool leave = setting.without != NULL && strstr(setting.without, operations[k].name) != NULL;
  if (setting.trace) printf("  %s: %s%s\n", p->name, leave ? "not " : "", operations[k].name);
  p->operation = operations[k].name;
  if (!leave) operations[k].run(p);
  forget_the_dead(p);
}

#endif
