// Executes sequences of C API calls, between steps and from callbacks inside steps, as the input's bytes describe.
// Arguments are meaningful (stress_operations.h), arbitrary, or handles of destroyed objects. Memory may run out. Each
// call must succeed or report its error, and the world must stay valid.
//
//   the input: settings, then records of 4 bytes: kind, 3 bytes of random seed; some kinds read numbers that follow
#include "fuzz.h"
#include "snapshot/world_valid.h"
#include "stress_operations.h"

static const double MOST_FLOPS = 3e9; // limit of floating-point operations per input, a few seconds

enum { MOST_CALLS = 400, MOST_STEPS = 60, MOST_CONTACTS = 20000, MOST_DEAD = 16, DEAD_KINDS = 3 };

// Kinds of records. The range of a kind begins at its number. Kinds below STEP are operations.
enum { STEP = 128, STEP_WITH_CALLS = 160, EXTREME = 192, DEAD = 224, SAVE = 240, BACK = 248 };

static struct {
  Player player;
  Input *in;
  int inside;          // number of calls left to the callbacks of the current step
  int steps, contacts; // number of steps; number of contacts, summed over the steps
  double flops;        // floating-point operations of direct solvers, summed over the steps
  uint64_t dead[DEAD_KINDS][MOST_DEAD];
  int dead_count[DEAD_KINDS];
} play;


// ---------------------------------------------------------------------------------------------------------------------
// Arbitrary numbers, and destroyed objects
// ---------------------------------------------------------------------------------------------------------------------

// Limit substeps, iterations and threads, because steps must be fast. Remove quotas, because quotas make calls fail.
static void limit(ImpWorld *world) {
  static const struct {
    ImpWorldProperty property;
    double most;
  } limits[] = {{IMP_WORLD_SUBSTEPS, 4},     {IMP_WORLD_ITERATIONS, 20}, {IMP_WORLD_POSITION_ITERATIONS, 20},
                {IMP_WORLD_THREADS, 2},      {IMP_WORLD_MAX_BODIES, 0},  {IMP_WORLD_MAX_SHAPES, 0},
                {IMP_WORLD_MAX_CONTACTS, 0}, {IMP_WORLD_MAX_JOINTS, 0}};
  for (int i = 0; i < IMPI_COUNT(limits); ++i) {
    double value = 0;
    MUST(imp_world_get(world, limits[i].property, &value));
    if (value > limits[i].most) MUST(imp_world_set(world, limits[i].property, limits[i].most));
  }
}


static void told(ImpStatus status) { CHECK(status == IMP_OK || imp_last_error()[0] != 0); }


static void set_extreme_body(Player *p, int how, double value, ImpVec2 v) {
  ImpBody body = any_body(p);
  if (how == 0) told(imp_body_set(p->world, body, (ImpBodyProperty)roll(IMP_BODY_PROPERTY_COUNT), value));
  if (how == 1) told(imp_body_set_pose(p->world, body, v, value));
  if (how == 2) told(imp_body_set_velocity(p->world, body, v));
  if (how == 3) told(imp_body_apply_force_at(p->world, body, v, vec(value, 1)));
  if (how == 4) told(imp_body_apply_impulse(p->world, body, v));
  if (how == 5) told(imp_body_apply_angular_impulse(p->world, body, value));
  if (how == 6) told(imp_body_move_to_pose(p->world, body, v, value));
  if (how == 7) told(imp_body_set_center(p->world, body, v));
}


static void set_extreme(Player *p, Input *in) {
  int how = take_below(in, 16);
  double value = take_number(in);
  ImpVec2 v = {take_number(in), 0};
  v.y = take_number(in);
  if (how < 8) set_extreme_body(p, how, value, v);
  ImpJoint joint = p->has.joint_count > 0 ? p->has.joints[roll(p->has.joint_count)] : (ImpJoint){0};
  ImpShape shape = p->has.shape_count > 0 ? p->has.shapes[roll(p->has.shape_count)] : (ImpShape){0};
  ImpCoordinate coordinate = {joint, roll(3)};
  if (how == 8) told(imp_shape_set(p->world, shape, (ImpShapeProperty)roll(IMP_SHAPE_PROPERTY_COUNT), value));
  if (how == 9) told(imp_world_set(p->world, (ImpWorldProperty)roll(IMP_WORLD_PROPERTY_COUNT), value));
  if (how == 10) told(imp_world_set_gravity(p->world, v));
  if (how == 11) told(imp_joint_set(p->world, joint, (ImpJointProperty)roll(IMP_JOINT_PROPERTY_COUNT), value));
  if (how == 12) told(imp_coordinate_set_force(p->world, coordinate, value));
  if (how == 13) {
    ImpDrive drive = random_drive(0);
    ((double *)&drive.lock)[roll(4)] = value;
    drive.motor_max = v.x;
    drive.stiffness = v.y;
    told(imp_coordinate_set_drive(p->world, coordinate, &drive));
  }
  if (how == 14) {
    ImpHit hit;
    ImpNear near;
    told(imp_world_raycast(p->world, v, vec(value, v.x), NULL, &hit));
    told(imp_world_nearest(p->world, v, value, NULL, &near));
  }
  if (how == 15) {
    int count;
    const ImpProbe probe = {.points = &v, .count = 1, .radius = value, .position = {0, 0}};
    ImpHit hit;
    told(imp_world_shapecast(p->world, &probe, vec(value, v.x), NULL, &hit));
    told(imp_world_overlap_box(p->world, (ImpAabb){v, vec(value, v.x)}, NULL, &count));
  }
  if (!imp_world_is_stepping(p->world)) limit(p->world);
}


static void keep_dead(int kind, uint64_t id) { play.dead[kind][play.dead_count[kind]++ % MOST_DEAD] = id; }


// Destroy an object, and call functions with destroyed and existing objects. Each call with a destroyed object must be
// rejected.
static void ask_the_dead(Player *p, Input *in) {
  if (p->has.body_count > 3 && one_in(2)) {
    ImpBody body = any_body(p);
    if (imp_body_destroy(p->world, body) == IMP_OK) keep_dead(0, body.id);
  } else if (p->has.joint_count > 0) {
    ImpJoint joint = p->has.joints[roll(p->has.joint_count)];
    if (imp_joint_destroy(p->world, joint) == IMP_OK) keep_dead(1, joint.id);
  } else if (p->has.shape_count > 0) {
    ImpShape shape = p->has.shapes[roll(p->has.shape_count)];
    if (imp_shape_destroy(p->world, shape) == IMP_OK) keep_dead(2, shape.id);
  }
  forget_the_dead(p);
  uint64_t id[DEAD_KINDS];
  bool odd = one_in(3);
  for (int kind = 0; kind < DEAD_KINDS; ++kind) {
    int there = play.dead_count[kind] < MOST_DEAD ? play.dead_count[kind] : MOST_DEAD;
    id[kind] = odd ? take(in, 8) : there > 0 ? play.dead[kind][roll(there)] : 0;
  }
  ImpBody body = {id[0]};
  ImpJoint joint = {id[1]};
  ImpShape shape = {id[2]};
  ImpNear near;
  ImpReaction reaction;
  double value;
  if (!imp_body_is_valid(p->world, body)) {
    CHECK(imp_body_set(p->world, body, IMP_BODY_ANGLE, 1) != IMP_OK && imp_body_destroy(p->world, body) != IMP_OK);
    CHECK(imp_body_next_shape(p->world, body, (ImpShape){0}).id == 0);
    ImpJointDef def = imp_joint_def(IMP_JOINT_WELD, body, any_body(p));
    CHECK(imp_joint_create(p->world, &def, &joint) != IMP_OK);
    joint.id = id[1];
  }
  if (!imp_joint_is_valid(p->world, joint)) {
    CHECK(imp_joint_get(p->world, joint, IMP_JOINT_ID, &value) != IMP_OK);
    CHECK(imp_joint_reaction(p->world, joint, &reaction) != IMP_OK && imp_joint_break(p->world, joint, true) != IMP_OK);
  }
  if (!imp_shape_is_valid(p->world, shape)) {
    CHECK(imp_shape_set(p->world, shape, IMP_SHAPE_DENSITY, 1) != IMP_OK);
    CHECK(imp_shape_closest(p->world, shape, vec(0, 0), &near) != IMP_OK);
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Records
// ---------------------------------------------------------------------------------------------------------------------

static void whole_world(ImpWorld *world) {
  ImpiInvalid invalid = {0};
  bool valid = impi_world_is_valid(world, &invalid);
  char text[200];
  snprintf(text, sizeof text, "%s %d: %s", valid ? "" : invalid.object, (int)invalid.index, valid ? "" : invalid.what);
  check_that(valid, __FILE__, __LINE__, text);
}


static int take_what(Input *in) {
  int what = (int)take(in, 1);
  random_state = take(in, 3) * 7919 + 1;
  return what;
}


static void call(Player *p, int what) {
  if (what < STEP) {
    p->operation = operations[what % IMPI_COUNT(operations)].name;
    operations[what % IMPI_COUNT(operations)].run(p);
    forget_the_dead(p);
  } else if (what >= EXTREME && what < DEAD) {
    p->operation = "a call with an extreme number";
    set_extreme(p, play.in);
  } else if (what >= DEAD && what < SAVE) {
    p->operation = "a call with a destroyed object";
    ask_the_dead(p, play.in);
  }
}


static void call_inside(Player *p) {
  if (play.inside-- <= 0 || play.in->left == 0) return;
  uint64_t kept = random_state;
  call(p, take_what(play.in));
  random_state = kept;
}


static void in_substep(ImpWorld *world, double h, void *user) {
  CHECK(h > 0 && imp_world_is_stepping(world));
  call_inside(user);
}


static bool in_filter(ImpWorld *world, ImpShape shape, ImpShape other, void *user) {
  (void)world;
  if (one_in(4)) call_inside(user);
  return shape.id % 7 != 3 || other.id % 2 == 0;
}


static void in_pre_solve(ImpWorld *world, ImpContact contact, void *user) {
  if (one_in(4)) told(imp_contact_set(world, contact, IMP_CONTACT_ENABLED, 0));
  if (one_in(2)) call_inside(user);
}


static void in_mix(ImpWorld *world, int a, int b, ImpMix *out_mix, void *user) {
  (void)world, (void)a, (void)b;
  out_mix->friction = 0.3;
  if (one_in(8)) call_inside(user);
}


static void listen(Player *p) {
  imp_world_set_substep_callback(p->world, in_substep, p);
  imp_world_set_filter_callback(p->world, in_filter, p);
  imp_world_set_pre_solve_callback(p->world, in_pre_solve, p);
  imp_world_set_mix_callback(p->world, in_mix, p);
}


static void take_step(Player *p, int inside) {
  if (play.steps++ >= MOST_STEPS || play.contacts >= MOST_CONTACTS) return;
  limit(p->world);
  ImpCounts counts = imp_world_counts(p->world);
  if (counts.contacts > 12 || counts.shapes > 12 ||
      play.flops > MOST_FLOPS) { // a direct solver needs about rows^3 floating-point operations
    ImpStatus status = imp_world_set_solver(p->world, IMP_SOLVER_SOFT);
    CHECK(status == IMP_OK);
  }
  play.contacts += counts.contacts;
  play.inside = inside;
  p->memory.fail_at = p->starves ? p->memory.requests + 1 + roll(20) : 0;
  ImpStatus status = imp_world_step(p->world);
  p->memory.fail_at = 0;
  play.inside = 0;
  told(status);
  play.flops += (double)imp_world_residual(p->world).flops;
  CHECK(!imp_world_is_stepping(p->world));
  forget_the_dead(p);
}


static void save(Player *p) {
  imp_snapshot_free(p->shot.bytes);
  p->shot = (Shot){.has = p->has};
  MUST(imp_world_snapshot(p->world, &p->shot.bytes, &p->shot.size));
  check_that(imp_world_restore(p->world, p->shot.bytes, p->shot.size) == IMP_OK, __FILE__, __LINE__, imp_last_error());
}


static void go_back(Player *p) {
  if (p->shot.bytes == NULL) return;
  Handles had = p->shot.has;
  check_that(imp_world_restore(p->world, p->shot.bytes, p->shot.size) == IMP_OK, __FILE__, __LINE__, imp_last_error());
  find_handles(p, &had);
  memset(play.dead_count, 0, sizeof play.dead_count); // a restore may make these handles valid again
}


static void begin(Player *p, int settings) {
  ImpWorldDef def = imp_world_def();
  *p = (Player){.name = "world", .starves = settings % 8 == 0, .chance = 1};
  def.allocator = (ImpAllocator){reallocate, &p->memory};
  def.solver = (ImpSolverKind)(settings / 8 % IMP_SOLVER_COUNT);
  MUST(imp_world_create(&def, &p->world));
  listen(p);
  random_state = (uint64_t)settings;
  keep_body(p, add_ground(p->world, imp_shape_def(), 0));
  for (int i = 0; i < 4; ++i) make_body(p);
}


static void one_input(Input *in) {
  Player *p = &play.player;
  memset(&play, 0, sizeof play);
  play.in = in;
  begin(p, (int)take(in, 1));
  for (int calls = 0; in->left > 0 && calls < MOST_CALLS; ++calls) {
    int what = take_what(in);
    if (what < STEP || (what >= EXTREME && what < SAVE)) call(p, what);
    if (what >= STEP && what < STEP_WITH_CALLS) take_step(p, 0);
    if (what >= STEP_WITH_CALLS && what < EXTREME) take_step(p, 1 + what % 8);
    if (what >= SAVE && what < BACK) save(p);
    if (what >= BACK) go_back(p);
    if (calls % 4 == 3) whole_world(p->world);
    if (!check_case_ok) break;
  }
  if (!check_case_ok) printf("  the last call was %s\n", p->operation != NULL ? p->operation : "none");
  take_step(p, 0);
  whole_world(p->world);
  imp_snapshot_free(p->shot.bytes);
  MUST(imp_world_destroy(p->world));
  CHECK(p->memory.bytes == 0);
}
