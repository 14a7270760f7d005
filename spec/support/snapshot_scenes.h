// Three scenes with many kinds of objects, for the specs of snapshots. Each scene changes its world before each step.
// The changes depend only on the world and the number of the step.
#ifndef IMPI_SNAPSHOT_SCENES_H
#define IMPI_SNAPSHOT_SCENES_H

#include "scene.h"

typedef struct Scene {
  const char *name;
  void (*build)(ImpWorld *world);
  void (*act)(ImpWorld *world, int step); // called before step `step`
  int steps;
} Scene;


#define MARK ((void *)(uintptr_t)0x600d) // user_data that is the same in every build


static inline ImpBody named(const ImpWorld *world, const char *name) { return imp_world_find_body(world, name); }
static inline ImpJoint named_joint(const ImpWorld *world, const char *name) {
  return imp_world_find_joint(world, name);
}


static inline ImpBody add_named(ImpWorld *world, const char *name, ImpBodyType type, double x, double y) {
  ImpBodyDef def = imp_body_def();
  def.type = type;
  def.name = name;
  def.position = vec(x, y);
  def.user_data = MARK;
  ImpBody body = {0};
  MUST(imp_body_create(world, &def, &body));
  return body;
}


// ---------------------------------------------------------------------------------------------------------------------
// A heap that falls, is stirred and falls asleep
// ---------------------------------------------------------------------------------------------------------------------


static inline void add_piece(ImpWorld *world, ImpBody body, int kind) {
  ImpShapeDef def = material(1 + 0.1 * kind, 0.4, kind % 3 == 0 ? 0.3 : 0);
  const ImpVec2 corners[] = {{-0.3, -0.3}, {0.4, -0.2}, {0.1, 0.4}};
  ImpShape shape;
  def.rolling_resistance = kind % 2 * 0.02;
  def.name = "piece";
  switch (kind % 4) {
  case 0:
    MUST(imp_body_add_circle(world, body, &def, vec(0.05, 0), 0.3, &shape));
    break;
  case 1:
    MUST(imp_body_add_box(world, body, &def, 0.6, 0.5, vec(0, 0), 0.2, 0.02, &shape));
    break;
  case 220:
    MUST(imp_body_add_polygon(world, body, &def, corners, 3, 0, &shape));
    break;
  default:
    MUST(imp_body_add_capsule(world, body, &def, vec(-0.2, 0), vec(0.2, 0), 0.2, &shape));
    MUST(imp_body_add_circle(world, body, &def, vec(0.3, 0.2), 0.15, &shape));
  }
}


static inline void build_heap(ImpWorld *world) {
  const ImpVec2 room[] = {{3, 9}, {3, 0}, {0, -0.2}, {-3, 0}, {-3, 9}};
  ImpShapeDef def = imp_shape_def();
  ImpShape shape;
  MUST(imp_body_add_chain(world, add_named(world, "room", IMP_BODY_STATIC, 0, 0), &def, room, 5, false, &shape));
  def.sensor = true;
  MUST(imp_body_add_box(world, add_named(world, "eye", IMP_BODY_STATIC, 0, 1), &def, 2, 1, vec(0, 0), 0, 0, &shape));
  for (int i = 0; i < 16; ++i) {
    char name[] = {(char)('a' + i), 0};
    add_piece(world, add_named(world, name, IMP_BODY_DYNAMIC, i % 4 - 1.5, 1 + 0.8 * (i / 4)), i);
  }
  // A character mover beside the heap pushes a crate.
  ImpMoverDef walker = imp_mover_def();
  ImpMover mover;
  add_box(world, add_named(world, "yard", IMP_BODY_STATIC, 12, -0.5), imp_shape_def(), 12, 1);
  add_box(world, add_named(world, "crate", IMP_BODY_DYNAMIC, 11, 0.5), imp_shape_def(), 1, 1);
  walker.name = "walker";
  walker.position = vec(8, 0.5);
  walker.value[IMP_MOVER_WALK] = 2;
  MUST(imp_mover_create(world, &walker, &mover));
}


static inline void stir_heap(ImpWorld *world, int step) {
  ImpBody body;
  ImpMover walker = imp_body_mover(world, named(world, "walker"));
  if (step == 20 || step == 130) {
    MUST(imp_mover_jump(world, walker, 3));
  }
  if (step == 170) {
    MUST(imp_mover_set(world, walker, IMP_MOVER_WALK, -1));
  }
  switch (step) {
  case 30:
    MUST(imp_body_destroy(world, named(world, "f")));
    MUST(imp_body_destroy(world, named(world, "c")));
    break;
  case 45:
    add_piece(world, add_named(world, "late", IMP_BODY_DYNAMIC, 0.3, 5), 1);
    break;
  case 60:
    MUST(imp_shape_destroy(world, imp_body_next_shape(world, named(world, "d"), (ImpShape){0})));
    MUST(imp_body_set_type(world, named(world, "k"), IMP_BODY_KINEMATIC));
    break;
  case 75:
    MUST(imp_body_set_position(world, named(world, "b"), vec(0, 4)));
    MUST(imp_body_set_name(world, named(world, "b"), "renamed"));
    MUST(imp_body_set_type(world, named(world, "k"), IMP_BODY_PARTICLE));
    break;
  case 90:
    imp_world_random(world);
    MUST(imp_world_set(world, IMP_WORLD_DT, 1.0 / 50));
    break;
  case 270: // all bodies are asleep
    body = named(world, "a");
    MUST(imp_body_set(world, body, IMP_BODY_AWAKE, 1));
    MUST(imp_body_apply_impulse(world, body, vec(0.1, 0.5)));
    break;
  default:
    break;
  }
  if (step > 100 && step < 110) {
    MUST(imp_body_apply_force_at(world, named(world, "late"), vec(3, 12), vec(0.2, 1)));
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Joints of many kinds, and constraints
// ---------------------------------------------------------------------------------------------------------------------


static inline ImpJoint join_named(ImpWorld *world, ImpJointDef def, const char *name) {
  ImpJoint joint = {0};
  def.name = name;
  check_that(imp_joint_create(world, &def, &joint) == IMP_OK, __FILE__, __LINE__, imp_last_error());
  return joint;
}


static inline ImpJointDef joint_at(ImpJointKind kind, ImpBody a, ImpBody b, double x, double y) {
  ImpJointDef def = imp_joint_def(kind, a, b);
  def.place_a = def.place_b = IMP_PLACE_WORLD;
  def.anchor_a = def.anchor_b = vec(x, y);
  return def;
}


static inline ImpBody add_disc(ImpWorld *world, const char *name, double x, double y, double radius) {
  ImpBody body = add_named(world, name, IMP_BODY_DYNAMIC, x, y);
  add_circle(world, body, material(1, 0.5, 0), radius);
  return body;
}


// A bridge of planks between two banks, and a load that breaks one of its pins.
static inline void build_planks(ImpWorld *world, ImpBody ground) {
  ImpBody previous = ground;
  for (int i = 0; i < 6; ++i) {
    char name[] = {'p', (char)('0' + i), 0};
    ImpBody plank = add_named(world, name, IMP_BODY_DYNAMIC, i + 0.5, 0);
    add_box(world, plank, material(1, 0.6, 0), 0.95, 0.15);
    ImpJointDef def = joint_at(IMP_JOINT_REVOLUTE, previous, plank, i, 0);
    def.break_force = i == 3 ? 160 : def.break_force;
    join_named(world, def, name);
    previous = plank;
  }
  join_named(world, joint_at(IMP_JOINT_REVOLUTE, previous, ground, 6, 0), "end");
  ImpBody load = add_named(world, "load", IMP_BODY_DYNAMIC, 3.2, 2);
  add_box(world, load, material(6, 0.6, 0.1), 1, 1);
}


static inline void build_machines(ImpWorld *world, ImpBody ground) {
  ImpBody wheel = add_disc(world, "wheel", 10, 0, 0.5), other = add_disc(world, "other", 12, 0, 0.4);
  ImpJointDef def = joint_at(IMP_JOINT_REVOLUTE, ground, wheel, 10, 0);
  def.drive[2].on = 1u << IMP_DRIVE_MOTOR;
  def.drive[2].speed = 3;
  def.drive[2].motor_max = 5;
  def.drive[2].armature = 0.3;
  def.drive[2].viscous_damping = 0.1;
  def.drive[2].dry_friction = 0.2;
  ImpJoint first = join_named(world, def, "motor");
  ImpJoint second = join_named(world, joint_at(IMP_JOINT_REVOLUTE, ground, other, 12, 0), "driven");
  def = imp_joint_def(IMP_JOINT_GEAR, (ImpBody){0}, (ImpBody){0});
  def.term[0] = (ImpCoordinate){first, 2};
  def.term[1] = (ImpCoordinate){second, 2};
  def.ratio = 0.8;
  join_named(world, def, "gear");
  ImpBody left = add_disc(world, "left", 15, 0, 0.3), right = add_disc(world, "right", 17, 0, 0.4);
  def = imp_joint_def(IMP_JOINT_PULLEY, left, right);
  def.ground_a = vec(15, 3);
  def.ground_b = vec(17, 3);
  join_named(world, def, "pulley");
  def = imp_joint_def(IMP_JOINT_DISTANCE, ground, add_disc(world, "bob", 20, 0, 0.3));
  def.place_a = IMP_PLACE_WORLD;
  def.anchor_a = vec(20, 2);
  def.drive[0].on = 1u << IMP_DRIVE_SPRING | 1u << IMP_DRIVE_LIMIT;
  def.drive[0].hertz = 2;
  def.drive[0].damping_ratio = 0.1;
  def.drive[0].rest = 1.5;
  def.drive[0].lower = 1;
  def.drive[0].upper = 2.5;
  join_named(world, def, "spring");
  def = imp_joint_def(IMP_JOINT_DRAG, (ImpBody){0}, add_disc(world, "dragged", 23, 0, 0.3));
  def.target = vec(23, 1);
  def.has_target = true;
  join_named(world, def, "drag");
  ImpBody pawl = add_disc(world, "pawl", 26, 0, 0.3);
  join_named(world, joint_at(IMP_JOINT_REVOLUTE, ground, pawl, 26.1, 0), "axle");
  def = imp_joint_def(IMP_JOINT_RATCHET, ground, pawl);
  def.pitch = 0.2;
  join_named(world, def, "ratchet");
}


// Write two rows for the skate. The first keeps its velocity across the runner at 0. The second applies a bounded force
// along the runner.
static inline void write_rows(ImpWorld *world, ImpJoint joint, double t, void *user) {
  ImpTransform frame = {{0, 0}, {1, 0}};
  double angle = body_get(world, named(world, "skate"), IMP_BODY_ANGLE);
  (void)t;
  (void)user;
  MUST(imp_body_transform(world, named(world, "skate"), &frame));
  const double across[] = {-frame.q.s, frame.q.c, 0}, along[] = {frame.q.c, frame.q.s, 0};
  const ImpUserRow rows[] = {
      {.j = across, .lower = -(double)INFINITY, .upper = (double)INFINITY},
      {.j = along, .bias = 0.1 * angle, .lower = -0.5, .upper = 0.5},
  };
  check_that(imp_constraint_set_rows(world, joint, rows, 2) == IMP_OK, __FILE__, __LINE__, imp_last_error());
}


// A bead on the wire y = p (x - 30)^2, and a skate.
static inline void build_constraints(ImpWorld *world) {
  const ImpNode wire[] = {
      {.op = IMP_OP_X},
      {.op = IMP_OP_CONSTANT, .value = 30},
      {.op = IMP_OP_SUB, .a = 0, .b = 1},
      {.op = IMP_OP_MUL, .a = 2, .b = 2},
      {.op = IMP_OP_PARAM, .a = 0},
      {.op = IMP_OP_MUL, .a = 3, .b = 4},
      {.op = IMP_OP_Y},
      {.op = IMP_OP_SUB, .a = 6, .b = 5},
  };
  const int32_t result = 7;
  const double steepness = 0.5;
  ImpBody bead = add_disc(world, "bead", 31, 0.5, 0.1), skate = add_disc(world, "skate", 35, 0, 0.2);
  ImpConstraintDef def = imp_constraint_def();
  ImpJoint joint;
  def.name = "wire";
  def.bodies = &bead;
  def.body_count = 1;
  def.tape = (ImpTapeDef){wire, 8, &result, 1, false};
  def.params = &steepness;
  def.param_count = 1;
  check_that(imp_constraint_create(world, &def, &joint) == IMP_OK, __FILE__, __LINE__, imp_last_error());
  def = imp_constraint_def();
  def.name = "runner";
  def.bodies = &skate;
  def.body_count = 1;
  def.max_rows = 2;
  check_that(imp_constraint_create(world, &def, &joint) == IMP_OK, __FILE__, __LINE__, imp_last_error());
  MUST(imp_body_set(world, skate, IMP_BODY_GRAVITY_SCALE, 0));
  set_velocity(world, skate, 1, 0.5, 2);
}


static inline void build_bridge(ImpWorld *world) {
  ImpBody ground = {0};
  MUST(imp_world_ground(world, &ground));
  build_planks(world, ground);
  build_machines(world, ground);
  build_constraints(world);
}


static inline void work_bridge(ImpWorld *world, int step) {
  ImpDrive drive;
  ImpCoordinate coordinate;
  switch (step) {
  case 220:
    MUST(imp_joint_set_target(world, named_joint(world, "drag"), vec(24, 0.5)));
    MUST(imp_constraint_set_param(world, named_joint(world, "wire"), 0, 0.8));
    break;
  case 40:
    coordinate = (ImpCoordinate){named_joint(world, "axle"), 2};
    MUST(imp_coordinate_drive(world, coordinate, &drive));
    drive.on |= 1u << IMP_DRIVE_SERVO | 1u << IMP_DRIVE_FORCE;
    drive.target = 1;
    drive.servo_max = 0.4;
    drive.force = 0.05;
    MUST(imp_coordinate_set_drive(world, coordinate, &drive));
    break;
  case 70:
    MUST(imp_body_destroy(world, named(world, "other"))); // also destroys the gear, which an event reports
    break;
  case 71:
    join_named(world, joint_at(IMP_JOINT_WELD, named(world, "wheel"), add_disc(world, "rider", 10.8, 0, 0.2), 10.5, 0),
               "weld");
    break;
  case 95:
    MUST(imp_joint_break(world, named_joint(world, "pulley"), false));
    break;
  case 130:
    MUST(imp_joint_destroy(world, named_joint(world, "runner")));
    break;
  default:
    break;
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Bullets, a one-way platform, a paddle, impulses within a step
// ---------------------------------------------------------------------------------------------------------------------


static inline void push_within(ImpWorld *world, double h, void *user) {
  (void)user;
  ImpBody body = named(world, "pushed");
  ImpVec2 p = position(world, body);
  MUST(imp_body_apply_impulse_at(world, body, vec(-3 * h * p.x, 5 * h), vec(p.x + 0.1, p.y)));
  if (p.y > 1.2) {
    MUST(imp_body_apply_torque(world, body, 0.3));
  }
}


static inline void build_range(ImpWorld *world) {
  ImpShapeDef def = imp_shape_def();
  add_box(world, add_named(world, "floor", IMP_BODY_STATIC, 0, -1), def, 40, 2);
  add_box(world, add_named(world, "wall", IMP_BODY_STATIC, 6, 5), def, 0.02, 10);
  def.one_way = vec(0, 1);
  add_box(world, add_named(world, "platform", IMP_BODY_STATIC, -3, 2), def, 3, 0.3);
  ImpBody paddle = add_named(world, "paddle", IMP_BODY_KINEMATIC, 0, 0.6);
  add_box(world, paddle, imp_shape_def(), 2, 0.2);
  set_velocity(world, paddle, 0, 0, 2);
  for (int i = 0; i < 4; ++i) {
    char name[] = {'s', (char)('0' + i), 0};
    set_velocity(world, add_disc(world, name, -3.6 + 0.4 * i, 0.5, 0.15), 0, 7, 0);
  }
  add_disc(world, "pushed", 1.5, 0.5, 0.3);
  def = material(1, 0.2, 0.5);
  def.surface_speed = 1;
  add_box(world, add_named(world, "belt", IMP_BODY_STATIC, -8, 0), def, 3, 0.4);
  drop_box(world, imp_shape_def(), -8, 1.5);
}


static inline void shoot(ImpWorld *world, int step) {
  if (step % 15 == 0 && step < 120) {
    char name[] = {'x', (char)('a' + step / 15), 0};
    ImpBody bullet = add_disc(world, name, -6, 1 + step * 0.02, 0.1);
    MUST(imp_body_set(world, bullet, IMP_BODY_BULLET, 1));
    set_velocity(world, bullet, 150, 0, 0);
  }
  if (step == 100) {
    MUST(imp_body_destroy(world, named(world, "xb")));
    set_velocity(world, named(world, "paddle"), 0.5, 0, -1);
  }
  if (step > 60 && step < 70) {
    MUST(imp_body_apply_force(world, named(world, "s1"), vec(2, 3)));
  }
}


static const Scene scenes[] = {
    {"heap", build_heap, stir_heap, 360},
    {"bridge", build_bridge, work_bridge, 180},
    {"range", build_range, shoot, 160},
};


static inline ImpWorld *scene_world(ImpSolverKind solver) {
  ImpWorld *world = make_world(solver, 1.0 / 60, 9.81);
  imp_world_set_constraint_callback(world, write_rows, NULL);
  return world;
}


// Set the substep handler of the scene of build_range. Snapshots do not contain handlers.
static inline void listen(ImpWorld *world, const Scene *scene) {
  imp_world_set_substep_callback(world, scene->build == build_range ? push_within : NULL, NULL);
}

#endif
