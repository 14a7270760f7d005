// Small worlds that together allocate memory in every way in which the core does.
#ifndef IMPI_OUT_OF_MEMORY_SCENES_H
#define IMPI_OUT_OF_MEMORY_SCENES_H

#include "failing_memory.h"
#include "scene.h"
#include "snapshot/world_valid.h"

enum { MOST_BODIES = 24 };

typedef struct Stage {
  Memory memory;
  ImpWorld *world;
  ImpBody ground, body[MOST_BODIES];
  ImpJoint joint[MOST_BODIES];
  ImpMover mover;
  ImpField field;
  int bodies, joints, step, substeps;
  bool retries; // failed calls are repeated with enough memory
  bool lost;    // an object may be missing, because its call was not repeated
  int told;
} Stage;


static inline void whole(Stage *s) {
  Memory kept = s->memory;
  ImpiInvalid invalid = {0};
  char text[200];
  s->memory.fail_at = 0;
  bool valid = s->world == NULL || impi_world_is_valid(s->world, &invalid);
  s->memory.fail_at = kept.fail_at;
  s->memory.requests = kept.requests;
  snprintf(text, sizeof text, "%s %d: %s", valid ? "" : invalid.object, (int)invalid.index, valid ? "" : invalid.what);
  check_that(valid, __FILE__, __LINE__, text);
}


// Check the status of a call. Return whether the call must be repeated.
static inline bool again(Stage *s, ImpStatus status, const char *text, int line) {
  if (status == IMP_OK) return false;
  bool missing = s->lost && (status == IMP_ERR_HANDLE || status == IMP_ERR_ARGUMENT); // its creation failed earlier
  check_that(missing || (status == IMP_ERR_NOMEM && s->memory.failed), __FILE__, line, text);
  check_that(imp_last_error()[0] != 0, __FILE__, line, "no reason is given");
  if (status != IMP_ERR_NOMEM) return false;
  s->told++;
  if (s->world != NULL && !imp_world_is_stepping(s->world)) whole(s);
  s->lost = s->lost || !s->retries;
  if (s->retries) s->memory.fail_at = 0;
  return s->retries;
}

#define DO(s, call) \
  do { \
    if (again((s), (call), #call, __LINE__)) MUST(call); \
  } while (0)


static inline ImpBody put(Stage *s, ImpBodyType type, double x, double y) {
  ImpBodyDef def = imp_body_def();
  ImpBody body = {0};
  def.type = type;
  def.position = vec(x, y);
  def.name = s->bodies % 3 == 0 ? "a name" : NULL;
  DO(s, imp_body_create(s->world, &def, &body));
  if (s->bodies < MOST_BODIES) s->body[s->bodies++] = body;
  return body;
}


static inline ImpBody ball(Stage *s, double x, double y) {
  ImpShapeDef def = imp_shape_def();
  ImpShape shape;
  ImpBody body = put(s, IMP_BODY_DYNAMIC, x, y);
  DO(s, imp_body_add_circle(s->world, body, &def, vec(0, 0), 0.4, &shape));
  return body;
}


static inline ImpBody crate(Stage *s, double x, double y) {
  ImpShapeDef def = imp_shape_def();
  ImpShape shape;
  ImpBody body = put(s, IMP_BODY_DYNAMIC, x, y);
  DO(s, imp_body_add_box(s->world, body, &def, 0.8, 0.8, vec(0, 0), 0, 0, &shape));
  return body;
}


static inline void lay_ground(Stage *s) {
  ImpShapeDef def = imp_shape_def();
  ImpShape shape;
  s->ground = put(s, IMP_BODY_STATIC, 0, -1);
  DO(s, imp_body_add_box(s->world, s->ground, &def, 40, 2, vec(0, 0), 0, 0, &shape));
}


static inline void join(Stage *s, ImpJointKind kind, ImpBody a, ImpBody b) {
  ImpJointDef def = imp_joint_def(kind, a, b);
  ImpJoint joint = {0};
  def.name = s->joints % 2 == 0 ? "a joint" : NULL;
  DO(s, imp_joint_create(s->world, &def, &joint));
  if (s->joints < MOST_BODIES) s->joint[s->joints++] = joint;
}


// ---------------------------------------------------------------------------------------------------------------------
// Scenes
// ---------------------------------------------------------------------------------------------------------------------

static inline void build_balls(Stage *s) {
  lay_ground(s);
  for (int i = 0; i < 9; ++i) ball(s, i % 3 * 0.7, 0.5 + i / 3 * 0.75);
}


static inline void build_stack(Stage *s) {
  lay_ground(s);
  for (int i = 0; i < 8; ++i) crate(s, 0.05 * (i % 2), 0.4 + 0.8 * i);
}


static inline void build_shapes(Stage *s) {
  const ImpVec2 ring[] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}, {-0.5, -0.5}, {0.5, -0.5}, {0.5, 0.5}, {-0.5, 0.5}};
  const ImpVec2 star[] = {{1, 0}, {0.3, 0.2}, {0, 1}, {-0.3, 0.2}, {-1, 0}, {0, -0.5}};
  const int counts[] = {4, 4}, one = 6;
  ImpShapeDef def = imp_shape_def();
  ImpShape shape;
  def.name = "form";
  lay_ground(s);
  DO(s, imp_body_add_polygon_with_holes(s->world, put(s, IMP_BODY_DYNAMIC, -2, 1.1), &def, ring, counts, 2, 0, &shape));
  DO(s, imp_body_add_polygon_with_holes(s->world, put(s, IMP_BODY_DYNAMIC, 1, 0.8), &def, star, &one, 1, 0, &shape));
  DO(s, imp_body_add_polygon(s->world, put(s, IMP_BODY_DYNAMIC, 3, 1.1), &def, ring, 4, 0.1, &shape));
  DO(s, imp_body_add_capsule(s->world, put(s, IMP_BODY_DYNAMIC, 5, 0.3), &def, vec(-0.3, 0), vec(0.3, 0), 0.3, &shape));
}


static inline void build_terrain(Stage *s) {
  const ImpVec2 line[] = {{6, 0}, {2, -0.3}, {-2, 0.1}, {-6, 0}};
  const double heights[] = {0, 0.4, 0.1, (double)NAN, 0.2, 0.3};
  ImpShapeDef def = imp_shape_def();
  ImpShape shape;
  s->ground = put(s, IMP_BODY_STATIC, 0, 0);
  DO(s, imp_body_add_chain(s->world, s->ground, &def, line, 4, false, &shape));
  DO(s, imp_body_add_heights(s->world, s->ground, &def, vec(6, 0), 0.5, heights, 6, &shape));
  for (int i = 0; i < 4; ++i) i % 2 == 0 ? ball(s, 2.3 * i - 4, 0.7) : crate(s, 2.3 * i - 4, 0.8);
}


static inline void build_joints(Stage *s) {
  lay_ground(s);
  for (int kind = 0; kind < IMP_JOINT_CONSTRAINT; ++kind) {
    if (imp_joint_kind(kind)->options & IMP_TAKES_TERMS) continue;
    ImpBody a = s->bodies < 4 ? ball(s, 2 * kind, 3) : s->body[2 + kind % 2];
    if (s->bodies < MOST_BODIES - 1) join(s, (ImpJointKind)kind, a, ball(s, 2 * kind, 5));
  }
}


static inline void build_gear(Stage *s) {
  lay_ground(s);
  ImpBody a = ball(s, 0, 3), b = ball(s, 2, 3);
  join(s, IMP_JOINT_REVOLUTE, s->ground, a);
  join(s, IMP_JOINT_REVOLUTE, s->ground, b);
  ImpJointDef def = imp_joint_def(IMP_JOINT_GEAR, (ImpBody){0}, (ImpBody){0});
  def.term[0] = (ImpCoordinate){s->joint[0], 2};
  def.term[1] = (ImpCoordinate){s->joint[1], 2};
  DO(s, imp_joint_create(s->world, &def, &s->joint[2]));
}


static inline void build_tape(Stage *s) {
  const ImpNode nodes[] = {{.op = IMP_OP_X}, {.op = IMP_OP_MUL, .a = 0, .b = 0}};
  const int32_t result = 1;
  ImpBody body = ball(s, 1, 3);
  ImpConstraintDef def = imp_constraint_def();
  def.bodies = &body;
  def.body_count = 1;
  def.name = "a tape";
  def.tape = (ImpTapeDef){.nodes = nodes, .node_count = 2, .results = &result, .result_count = 1};
  lay_ground(s);
  DO(s, imp_constraint_create(s->world, &def, &s->joint[0]));
}


static inline void build_fields(Stage *s) {
  const ImpNode nodes[] = {{.op = IMP_OP_VX}, {.op = IMP_OP_PARAM}, {.op = IMP_OP_MUL, .a = 0, .b = 1}};
  const int32_t results[] = {2, 2};
  const double param = -0.1;
  build_balls(s);
  ImpFieldDef def = imp_field_def(IMP_FIELD_ATTRACTOR);
  def.value[IMP_FIELD_STRENGTH] = def.value[IMP_FIELD_SOFTENING] = 1;
  def.name = "pull";
  DO(s, imp_field_create(s->world, &def, &s->field));
  def = imp_field_def(IMP_FIELD_CUSTOM);
  def.tape = (ImpTapeDef){nodes, 3, results, 2, true};
  def.params = &param;
  def.param_count = 1;
  DO(s, imp_field_create(s->world, &def, &s->field));
  DO(s, imp_field_set_acts_on(s->world, s->field, s->body[2], false));
}


static inline void build_mover(Stage *s) {
  build_terrain(s);
  ImpMoverDef def = imp_mover_def();
  def.position = vec(-1, 1.5);
  DO(s, imp_mover_create(s->world, &def, &s->mover));
}


static inline bool pass(ImpWorld *world, ImpShape shape, ImpShape other, void *user) {
  (void)world, (void)shape, (void)user;
  return other.id % 5 != 4;
}


static inline void let(ImpWorld *world, ImpContact contact, void *user) {
  Stage *s = user;
  if (s->step % 5 == 4) MUST(imp_contact_set(world, contact, IMP_CONTACT_ENABLED, 0));
}


static inline void build_toi_events(Stage *s) {
  build_stack(s);
  ImpMaterialDef def = imp_material_def();
  int ice = 0, wood = 0;
  ImpMix mix = {0.1, 0};
  DO(s, imp_world_set_material(s->world, "ice", &def, &ice));
  DO(s, imp_world_set_material(s->world, "wood", &def, &wood));
  if (ice > 0 && wood > 0) DO(s, imp_world_set_mix(s->world, ice, wood, &mix));
  imp_world_set_filter_callback(s->world, pass, s);
  imp_world_set_pre_solve_callback(s->world, let, s);
  for (int i = 1; i < s->bodies; ++i) {
    ImpShape shape = imp_body_next_shape(s->world, s->body[i], (ImpShape){0});
    if (shape.id == 0) continue;
    DO(s, imp_shape_set(s->world, shape, i % 3 == 0 ? IMP_SHAPE_SENSOR : IMP_SHAPE_PRE_SOLVE, 1));
    if (ice > 0) DO(s, imp_shape_set_material(s->world, shape, ice));
    DO(s, imp_shape_set_selective(s->world, shape, i % 2 == 0));
  }
}


static inline void build_bullets(Stage *s) {
  build_terrain(s);
  for (int i = 0; i < 4; ++i) {
    ImpBody body = ball(s, i, 4);
    if (body.id == 0) continue;
    DO(s, imp_body_set(s->world, body, IMP_BODY_BULLET, 1));
    DO(s, imp_body_set_velocity(s->world, body, vec(20, -300)));
  }
}


static inline void build_threads(Stage *s) {
  DO(s, imp_world_set(s->world, IMP_WORLD_THREADS, 2));
  DO(s, imp_world_set(s->world, IMP_WORLD_LANES, 8));
  build_balls(s);
  build_gear(s);
}


// ---------------------------------------------------------------------------------------------------------------------
// Changes before a step
// ---------------------------------------------------------------------------------------------------------------------

static inline void come_and_go(Stage *s) {
  ImpBody body = s->body[1 + s->step % (s->bodies - 1)];
  if (s->step % 3 == 1 && imp_body_is_valid(s->world, body)) DO(s, imp_body_destroy(s->world, body));
  if (s->step % 3 == 2 && s->bodies < MOST_BODIES) s->step % 2 == 0 ? ball(s, 0, 4) : crate(s, 1, 4);
}


static inline void edit(Stage *s) {
  ImpBody body = s->body[1 + s->step % (s->bodies - 1)];
  if (!imp_body_is_valid(s->world, body)) return;
  if (s->step % 4 == 0) DO(s, imp_body_set_type(s->world, body, (ImpBodyType)(s->step / 4 % IMP_BODY_TYPE_COUNT)));
  if (s->step % 4 == 1) DO(s, imp_body_set_position(s->world, body, vec(s->step % 3, 3)));
  if (s->step % 4 == 2) DO(s, imp_body_set_name(s->world, body, "renamed, and longer than before"));
  if (s->step % 4 == 3) DO(s, imp_body_set(s->world, body, IMP_BODY_ENABLED, s->step % 8 == 3 ? 0 : 1));
}


static inline void edit_inside(ImpWorld *world, double h, void *user) {
  (void)world, (void)h;
  Stage *s = user;
  come_and_go(s);
  edit(s);
}


static inline void handle(Stage *s) { imp_world_set_substep_callback(s->world, s->step > 2 ? edit_inside : NULL, s); }


// In each substep, give each joint a drive of some kind, or none.
static inline void drive_inside(ImpWorld *world, double h, void *user) {
  (void)h;
  Stage *s = user;
  for (int i = 0; i < s->joints; ++i) {
    if (!imp_joint_is_valid(world, s->joint[i])) continue;
    ImpDrive drive;
    int index = i % 3, turn = s->step + i + s->substeps;
    if (imp_coordinate_drive(world, (ImpCoordinate){s->joint[i], index}, &drive) != IMP_OK) continue;
    if (drive.on & 1u << IMP_DRIVE_LOCK) continue; // removing a lock inside a step allocates memory
    drive.on = (unsigned)(turn % 6) << IMP_DRIVE_LIMIT;
    drive.lower = -1;
    drive.upper = 1;
    drive.motor_max = drive.servo_max = drive.spring_max = 10;
    drive.stiffness = 5;
    drive.force = 1;
    long requests = s->memory.requests;
    DO(s, imp_coordinate_set_drive(world, (ImpCoordinate){s->joint[i], index}, &drive));
    check_that(s->memory.requests == requests, __FILE__, __LINE__, "a drive took memory within a step");
  }
  s->substeps++;
}


static inline void drive_and_swap(Stage *s) {
  DO(s, imp_world_set_solver(s->world, (ImpSolverKind)(s->step % IMP_SOLVER_COUNT)));
  imp_world_set_substep_callback(s->world, drive_inside, s);
}


static inline void swap_solver(Stage *s) {
  DO(s, imp_world_set_solver(s->world, (ImpSolverKind)(s->step % IMP_SOLVER_COUNT)));
}


static inline void question(Stage *s) {
  const ImpVec2 point = {0, 0};
  const ImpProbe probe = {.points = &point, .count = 1, .radius = 1};
  const ImpRowInfo *rows;
  ImpHit hit;
  ImpNear near;
  ImpMobility mobility;
  int count;
  DO(s, imp_world_raycast_all(s->world, vec(-9, 0.5), vec(9, 0.6), NULL, &count));
  DO(s, imp_world_raycast(s->world, vec(-9, 0.5), vec(9, 0.6), NULL, &hit));
  DO(s, imp_world_overlap_box(s->world, (ImpAabb){{-5, -5}, {5, 5}}, NULL, &count));
  DO(s, imp_world_shapecast_all(s->world, &probe, vec(3, 1), NULL, &count));
  DO(s, imp_world_nearest(s->world, vec(0, 3), 20, NULL, &near));
  DO(s, imp_world_rows(s->world, &rows, &count));
  DO(s, imp_world_mobility(s->world, &mobility));
  (void)imp_world_residual(s->world);
  (void)imp_world_energy(s->world);
  DO(s, imp_world_set(s->world, IMP_WORLD_HISTORY, s->step % 2));
  DO(s, imp_world_set(s->world, IMP_WORLD_AUDITING, s->step % 2));
}


static inline void draw(Stage *s) {
  ImpDrawList *list = NULL;
  ImpDrawOptions options = imp_draw_options();
  const ImpAllocator allocator = {reallocate, &s->memory};
  DO(s, imp_draw_create(&allocator, &list));
  if (list == NULL) return;
  DO(s, imp_draw_world(list, s->world, &options));
  imp_draw_destroy(list);
}


static inline void unmake(Stage *s) {
  for (int i = 0; i < s->joints; ++i) {
    if (i % 7 != s->step % 7 || !imp_joint_is_valid(s->world, s->joint[i])) continue;
    i % 2 == 0 ? imp_joint_break(s->world, s->joint[i], false) : imp_joint_destroy(s->world, s->joint[i]);
  }
  if (s->step == 5 && imp_field_is_valid(s->world, s->field)) DO(s, imp_field_destroy(s->world, s->field));
}


static inline void walk(Stage *s) {
  if (!imp_mover_is_valid(s->world, s->mover)) return;
  DO(s, imp_mover_set(s->world, s->mover, IMP_MOVER_WALK, 2));
  if (s->step == 6) DO(s, imp_mover_jump(s->world, s->mover, 4));
  if (s->step == 12) DO(s, imp_mover_destroy(s->world, s->mover));
}


static inline void write_many(Stage *s) {
  static const ImpQuantity what[] = {IMP_QUANTITY_VELOCITY, IMP_QUANTITY_FORCE};
  double values[4 * MOST_BODIES];
  ImpBody list[MOST_BODIES];
  int count = 0;
  for (int i = 1; i < s->bodies; ++i) {
    if (imp_body_is_valid(s->world, s->body[i])) list[count++] = s->body[i];
  }
  for (int i = 0; i < 4 * count; ++i) values[i] = 0.1 * i;
  if (count > 0) DO(s, imp_bodies_write(s->world, list, count, what, 2, values, NULL));
}


static inline void blow_up(Stage *s) {
  ImpBody body = s->body[1 + s->step % (s->bodies - 1)];
  if (s->step % 4 != 1 || !imp_body_is_valid(s->world, body)) return;
  (void)imp_body_apply_force(s->world, body, vec(1e300, 0));
}


// Take and restore a snapshot. Only the restore uses the world's allocator.
static inline void go_back(Stage *s) {
  void *bytes = NULL;
  size_t size = 0;
  if (s->step % 4 != 2) return;
  MUST(imp_world_snapshot(s->world, &bytes, &size));
  DO(s, imp_world_step(s->world));
  DO(s, imp_world_restore(s->world, bytes, size));
  imp_snapshot_free(bytes);
}


static const struct {
  const char *name;
  void (*build)(Stage *);
  void (*act)(Stage *);
} scenes[] = {
    {"balls", build_balls, NULL},
    {"stack that sleeps and wakes", build_stack, edit},
    {"shapes", build_shapes, NULL},
    {"terrain", build_terrain, come_and_go},
    {"joints of every kind", build_joints, NULL},
    {"joints that are destroyed", build_joints, unmake},
    {"gear", build_gear, swap_solver},
    {"tape", build_tape, question},
    {"fields", build_fields, unmake},
    {"mover", build_mover, walk},
    {"filters, sensors, materials", build_toi_events, NULL},
    {"contacts that change", build_toi_events, edit},
    {"bullets", build_bullets, NULL},
    {"two threads", build_threads, NULL},
    {"bodies created and destroyed", build_balls, come_and_go},
    {"changes inside the step", build_stack, handle},
    {"every solver", build_stack, swap_solver},
    {"every solver, with joints", build_joints, swap_solver},
    {"drives set inside the step", build_joints, drive_and_swap},
    {"queries", build_shapes, question},
    {"drawing", build_joints, draw},
    {"many bodies at once", build_balls, write_many},
    {"non-finite numbers", build_stack, blow_up},
    {"restore of a snapshot", build_fields, go_back},
    {"restore of a snapshot, with joints", build_joints, go_back},
};

#endif
