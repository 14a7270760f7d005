// Random changes between steps and inside substep handlers, under every solver, leave the world valid and are
// repeatable. --long runs 100 000 steps.
#include "validate.h"

#include "random_solving.h"

enum { MAX_BODIES = 70, MAX_SHAPES = 400 };

typedef struct Fuzz {
  ImpWorld *world;
  ImpBody bodies[MAX_BODIES];
  ImpShape shapes[MAX_SHAPES];
  int body_count, shape_count;
  Ledger ledger;
  int substep;           // number of the substep in the current step
  bool one_width;        // do not change the width of the SIMD lanes
  bool one_solver;       // always use the soft solver
  const char *operation; // name of the last operation
  double stalest;        // largest error of a separation [m]
} Fuzz;


// ---------------------------------------------------------------------------------------------------------------------
// Random values. Each draw is a statement of its own: C does not specify the evaluation order of arguments.
// ---------------------------------------------------------------------------------------------------------------------


static int roll(int sides) { return (int)random_in(0, sides); }
static bool one_in(int n) { return roll(n) == 0; }


static ImpVec2 random_vec(double lower, double upper) {
  double x = random_in(lower, upper);
  return vec(x, random_in(lower, upper));
}


// A position above the ground, in an area 16 m wide and 9 m high.
static ImpVec2 random_place(void) {
  ImpVec2 unit = random_vec(0, 1);
  return vec(16 * unit.x - 8, 9 * unit.y - 1);
}


// Check the status of a call that may be refused with a reason.
static void allow(const Fuzz *f, ImpStatus status) {
  CHECK(status == IMP_OK || status == IMP_ERR_ARGUMENT || (status == IMP_ERR_STATE && imp_world_is_stepping(f->world)));
  CHECK(status == IMP_OK || imp_last_error()[0] != 0);
}


// ---------------------------------------------------------------------------------------------------------------------
// Operations: each gets a live body and a live shape; either may be null
// ---------------------------------------------------------------------------------------------------------------------


static ImpShapeDef random_material(void) {
  ImpShapeDef def = imp_shape_def();
  def.density = random_in(0.1, 3);
  def.friction = random_in(0, 1);
  if (one_in(4)) def.restitution = random_in(0, 1);
  if (one_in(5)) def.restitution_threshold = 0;
  if (one_in(8)) def.rolling_resistance = random_in(0, 0.3);
  if (one_in(10)) def.surface_speed = random_in(-2, 2);
  if (one_in(10)) def.one_way = random_vec(-1, 1);
  if (one_in(6)) def.category = 1u << roll(3);
  if (one_in(8)) def.mask = (uint64_t)roll(8);
  if (one_in(12)) def.group = roll(5) - 2;
  def.sensor = one_in(8);
  def.pre_solve = one_in(8);
  def.selective = one_in(8);
  return def;
}


static ImpStatus add_polygon(Fuzz *f, ImpBody body, const ImpShapeDef *def, ImpVec2 center, ImpShape *out_shape) {
  ImpVec2 points[8];
  int count = 3 + roll(6);
  double radius = random_in(0.2, 0.8), start = random_in(0, 6);
  for (int i = 0; i < count; ++i) {
    double angle = start + 2 * IMPI_PI * i / count;
    points[i] = vec(center.x + radius * imp_cos(angle), center.y + radius * imp_sin(angle));
  }
  return imp_body_add_polygon(f->world, body, def, points, count, one_in(3) ? 0.1 : 0, out_shape);
}


// Add a closed chain 4 m wide, or rough ground 6 m wide.
static ImpStatus add_chain(Fuzz *f, ImpBody body, const ImpShapeDef *def, ImpShape *out_shape) {
  ImpVec2 points[12];
  int count = 3 + roll(9);
  bool loop = one_in(2);
  for (int i = 0; i < count; ++i) {
    double angle = 2 * IMPI_PI * i / count;
    points[i] = loop ? vec(2 * imp_cos(angle), imp_sin(angle)) : vec(3 - 6.0 * i / (count - 1), random_in(-0.3, 0.3));
  }
  return imp_body_add_chain(f->world, body, def, points, count, loop, out_shape);
}


// Add a star, with or without a hole.
static ImpStatus add_star(Fuzz *f, ImpBody body, const ImpShapeDef *def, ImpVec2 center, ImpShape *out_shape) {
  ImpVec2 points[23];
  int corners = 4 + 2 * roll(8), counts[2] = {corners, 3};
  double inner = random_in(0.3, 0.6), outer = random_in(0.65, 1);
  for (int i = 0; i < corners; ++i) {
    double turn = 2 * IMPI_PI * i / corners, r = i % 2 == 0 ? outer : inner;
    points[i] = vec(center.x + r * cos(turn), center.y + r * sin(turn));
  }
  for (int i = 0; i < 3; ++i) {
    double turn = 2 * IMPI_PI * i / 3;
    points[corners + i] = vec(center.x + 0.1 * cos(turn), center.y + 0.1 * sin(turn));
  }
  return imp_body_add_polygon_with_holes(f->world, body, def, points, counts, one_in(2) ? 1 : 2, one_in(3) ? 0.05 : 0,
                                         out_shape);
}


static ImpStatus add_heights(Fuzz *f, ImpBody body, const ImpShapeDef *def, ImpShape *out_shape) {
  double values[12];
  for (int i = 0; i < 12; ++i) {
    values[i] = i > 1 && one_in(5) ? (double)NAN : random_in(-0.5, 0.5);
  }
  return imp_body_add_heights(f->world, body, def, random_vec(-4, 0), random_in(0.2, 0.6), values, 12, out_shape);
}


static void make_shape(Fuzz *f, ImpBody body, ImpShape other) {
  (void)other;
  ImpBodyType type = IMP_BODY_DYNAMIC;
  if (f->shape_count == MAX_SHAPES || imp_body_type(f->world, body, &type) != IMP_OK) return;
  ImpShapeDef def = random_material();
  ImpShape shape = {0};
  ImpVec2 center = one_in(2) ? vec(0, 0) : random_vec(-0.5, 0.5), size = random_vec(0.2, 1.2);
  ImpVec2 end = vec(center.x + random_in(0.1, 0.8), center.y), grown = random_vec(0.05, 0.2);
  double angle = one_in(2) ? 0 : random_in(-3, 3);
  ImpStatus status = IMP_OK;
  switch (roll(type == IMP_BODY_STATIC ? 9 : 7)) {
  case 0:
    status = imp_body_add_circle(f->world, body, &def, center, 0.5 * size.x, &shape);
    break;
  case 1:
  case 2:
    status = imp_body_add_box(f->world, body, &def, size.x, size.y, center, angle, one_in(2) ? 0 : grown.x, &shape);
    break;
  case 3:
    status = add_polygon(f, body, &def, center, &shape);
    break;
  case 4:
    status = imp_body_add_capsule(f->world, body, &def, center, end, grown.y, &shape);
    break;
  case 5:
    status = imp_body_add_segment(f->world, body, &def, center, end, &shape);
    break;
  case 6:
    status = add_star(f, body, &def, center, &shape);
    break;
  case 7:
    status = add_heights(f, body, &def, &shape);
    break;
  default:
    status = add_chain(f, body, &def, &shape);
  }
  allow(f, status);
  if (status == IMP_OK) f->shapes[f->shape_count++] = shape;
}


static void make_body(Fuzz *f, ImpBody other, ImpShape shape) {
  (void)other;
  if (f->body_count == MAX_BODIES) return;
  static const ImpBodyType types[] = {IMP_BODY_STATIC, IMP_BODY_STATIC, IMP_BODY_KINEMATIC, IMP_BODY_PARTICLE};
  ImpBodyDef def = imp_body_def();
  int kind = roll(10);
  def.type = kind < IMPI_COUNT(types) ? types[kind] : IMP_BODY_DYNAMIC;
  def.position = random_place();
  def.awake = !one_in(6);
  if (def.type != IMP_BODY_PARTICLE && one_in(2)) def.angle = random_in(-4, 4);
  if (def.type != IMP_BODY_STATIC && def.awake && one_in(2)) def.velocity = random_vec(-6, 6);
  if (one_in(10)) def.mass = random_in(0.1, 20);
  if (one_in(9)) def.gravity_scale = 0;
  def.bullet = one_in(6);
  def.fixed_rotation = one_in(8);
  def.allow_sleep = !one_in(8);
  def.name = one_in(2) ? "a name" : NULL;
  ImpBody body = {0};
  MUST(imp_body_create(f->world, &def, &body));
  f->bodies[f->body_count++] = body;
  for (int i = roll(4); i > 0; --i) {
    make_shape(f, body, shape);
  }
}


static void destroy_body(Fuzz *f, ImpBody body, ImpShape shape) {
  (void)shape;
  if (f->body_count > 50 || one_in(3)) allow(f, imp_body_destroy(f->world, body));
}


static void destroy_shape(Fuzz *f, ImpBody body, ImpShape shape) {
  (void)body;
  if (shape.id != 0 && (f->shape_count > 150 || one_in(2))) allow(f, imp_shape_destroy(f->world, shape));
}


static void change_type(Fuzz *f, ImpBody body, ImpShape shape) {
  (void)shape;
  allow(f, imp_body_set_type(f->world, body, (ImpBodyType)roll(IMP_BODY_TYPE_COUNT)));
}


static void teleport(Fuzz *f, ImpBody body, ImpShape shape) {
  (void)shape;
  ImpVec2 place = random_place();
  if (one_in(3)) allow(f, imp_body_set_position(f->world, body, place));
}


static void nudge(Fuzz *f, ImpBody body, ImpShape shape) {
  (void)shape;
  ImpVec2 by = random_vec(-0.01, 0.01);
  allow(f, imp_body_set_position(f->world, body, impi_add(position(f->world, body), by)));
}


static void kinematic_target(Fuzz *f, ImpBody body, ImpShape shape) {
  (void)shape;
  ImpVec2 by = random_vec(-0.1, 0.1);
  double angle = random_in(-0.2, 0.2);
  ImpBodyType type = IMP_BODY_STATIC;
  MUST(imp_body_type(f->world, body, &type));
  ImpVec2 to = impi_add(position(f->world, body), by);
  if (type != IMP_BODY_KINEMATIC) return;
  allow(f, one_in(2) ? imp_body_move_to(f->world, body, to) : imp_body_move_to_pose(f->world, body, to, angle));
}


static void change_velocity(Fuzz *f, ImpBody body, ImpShape shape) {
  (void)shape;
  ImpVec2 v = random_vec(-6, 6);
  allow(f, imp_body_set_velocity(f->world, body, one_in(2) ? vec(0, 0) : v));
}


static void change_body(Fuzz *f, ImpBody body, ImpShape shape) {
  (void)shape;
  static const struct {
    ImpBodyProperty property;
    bool whole;
    double lower, upper;
  } choices[] = {
      {IMP_BODY_ANGLE, false, -5, 5},
      {IMP_BODY_ANGULAR_VELOCITY, false, -9, 9},
      {IMP_BODY_ANGULAR_VELOCITY, true, 0, 1},
      {IMP_BODY_MASS, false, 0.1, 50},
      {IMP_BODY_INERTIA, false, 0.1, 5},
      {IMP_BODY_FIXED_ROTATION, true, 0, 2},
      {IMP_BODY_AWAKE, true, 0, 2},
      {IMP_BODY_AWAKE, true, 0, 2},
      {IMP_BODY_ALLOW_SLEEP, true, 0, 2},
      {IMP_BODY_ALLOW_SLEEP, true, 1, 2},
      {IMP_BODY_BULLET, true, 0, 2},
      {IMP_BODY_LINEAR_DAMPING, false, 0, 2},
      {IMP_BODY_GRAVITY_SCALE, true, 0, 3},
      {IMP_BODY_LOCK_X, true, 0, 2},
      {IMP_BODY_LOCK_Y, true, 0, 2},
      {IMP_BODY_MAX_SPEED, true, 0, 4},
      {IMP_BODY_MAX_ANGULAR_SPEED, true, 0, 4},
      {IMP_BODY_ENABLED, true, 0, 2}, // read-only
  };
  int k = roll(IMPI_COUNT(choices));
  double value = random_in(choices[k].lower, choices[k].upper);
  allow(f, imp_body_set(f->world, body, choices[k].property, choices[k].whole ? floor(value) : value));
}


static void change_shape(Fuzz *f, ImpBody body, ImpShape shape) {
  (void)body;
  static const struct {
    ImpShapeProperty property;
    bool whole;
    double lower, upper;
  } choices[] = {{IMP_SHAPE_SENSOR, true, 0, 2},       {IMP_SHAPE_GROUP, true, -2, 3},
                 {IMP_SHAPE_DENSITY, false, 0.1, 5},   {IMP_SHAPE_DENSITY, true, 0, 1},
                 {IMP_SHAPE_FRICTION, false, 0, 1},    {IMP_SHAPE_RESTITUTION, false, 0, 1},
                 {IMP_SHAPE_SURFACE_SPEED, true, 0, 2}};
  int k = roll(IMPI_COUNT(choices));
  double value = random_in(choices[k].lower, choices[k].upper);
  if (shape.id == 0) return;
  allow(f, imp_shape_set(f->world, shape, choices[k].property, choices[k].whole ? floor(value) : value));
}


static void change_filter(Fuzz *f, ImpBody body, ImpShape shape) {
  (void)body;
  uint64_t category = 1u << roll(3), mask = one_in(4) ? (uint64_t)roll(8) : UINT64_MAX;
  if (shape.id != 0) allow(f, imp_shape_set_filter(f->world, shape, category, mask));
}


static void change_one_way(Fuzz *f, ImpBody body, ImpShape shape) {
  (void)body;
  ImpVec2 direction = random_vec(-1, 1);
  if (shape.id != 0) allow(f, imp_shape_set_one_way(f->world, shape, one_in(2) ? vec(0, 0) : direction));
}


static void change_asking(Fuzz *f, ImpBody body, ImpShape shape) {
  (void)body;
  if (shape.id == 0) return;
  allow(f, imp_shape_set(f->world, shape, IMP_SHAPE_PRE_SOLVE, one_in(2)));
  allow(f, one_in(2) ? imp_shape_refilter(f->world, shape) : imp_shape_set_selective(f->world, shape, one_in(2)));
}


static void push(Fuzz *f, ImpBody body, ImpShape shape) {
  (void)shape;
  ImpVec2 force = random_vec(-30, 30), point = random_place();
  allow(f, one_in(2) ? imp_body_apply_force_at(f->world, body, force, point)
                     : imp_body_apply_impulse_at(f->world, body, impi_scale(0.1, force), point));
}


static void twist(Fuzz *f, ImpBody body, ImpShape shape) {
  (void)shape;
  double turn = random_in(-1, 1);
  allow(f, one_in(2) ? imp_body_apply_angular_impulse(f->world, body, turn)
                     : imp_body_apply_torque(f->world, body, 20 * turn));
}


static void change_world(Fuzz *f, ImpBody body, ImpShape shape) {
  (void)body;
  (void)shape;
  ImpWorld *world = f->world;
  ImpVec2 unit = random_vec(0, 1);
  switch (roll(30)) {
  case 0:
    allow(f, imp_world_set_gravity(world, vec(6 * unit.x - 3, 14 * unit.y - 12)));
    break;
  case 1:
  case 2:
    allow(f, imp_world_set(world, IMP_WORLD_SUBSTEPS, 1 + floor(6 * unit.x)));
    break;
  case 3:
    allow(f, imp_world_set(world, IMP_WORLD_DT, 0.002 + 0.038 * unit.x));
    break;
  case 4:
    allow(f, imp_world_set(world, IMP_WORLD_SLEEP, unit.x < 0.7));
    break;
  case 5:
  case 6:
    if (!f->one_width) allow(f, imp_world_set(world, IMP_WORLD_LANES, 4 * floor(3 * unit.x)));
    break;
  default:
    if (!f->one_solver && unit.x < 0.3) allow(f, change_solving(world, true));
  }
}


static void change_name(Fuzz *f, ImpBody body, ImpShape shape) {
  const char *name = one_in(2) ? "a longer name" : NULL;
  allow(f, imp_body_set_name(f->world, body, name));
  if (shape.id != 0) allow(f, imp_shape_set_name(f->world, shape, name));
}


static void read_all(Fuzz *f, ImpBody body, ImpShape shape) {
  ImpWorld *world = f->world;
  ImpContactInfo info;
  for (ImpContact contact = {0}; (contact = imp_world_next_contact(world, contact)).id != 0;) {
    MUST(imp_contact_info(world, contact, &info));
    CHECK(info.count >= 0 && info.count <= 2);
  }
  CHECK(impi_vec_is_finite(position(world, body)) && impi_vec_is_finite(contact_force(world, body)));
  CHECK(impi_is_finite(imp_world_energy(world).kinetic) && impi_is_finite(imp_world_residual(world).penetration));
  ImpAabb box = {{0, 0}, {0, 0}};
  if (shape.id != 0) MUST(imp_shape_aabb(world, shape, &box));
  CHECK(box.lower.x <= box.upper.x && box.lower.y <= box.upper.y);
}


static const struct {
  const char *name;
  void (*run)(Fuzz *f, ImpBody body, ImpShape shape);
  int weight;
} operations[] = {
    {"make_body", make_body, 3},
    {"destroy_body", destroy_body, 1},
    {"make_shape", make_shape, 1},
    {"destroy_shape", destroy_shape, 1},
    {"change_type", change_type, 1},
    {"teleport", teleport, 1},
    {"nudge", nudge, 1},
    {"kinematic_target", kinematic_target, 1},
    {"change_velocity", change_velocity, 1},
    {"change_body", change_body, 6},
    {"change_shape", change_shape, 3},
    {"change_filter", change_filter, 1},
    {"change_one_way", change_one_way, 1},
    {"change_asking", change_asking, 1},
    {"push", push, 2},
    {"twist", twist, 1},
    {"change_world", change_world, 2},
    {"change_name", change_name, 1},
    {"read_all", read_all, 1},
};


static void forget_the_dead(Fuzz *f) {
  int bodies = 0, shapes = 0;
  for (int i = 0; i < f->body_count; ++i) {
    if (imp_body_is_valid(f->world, f->bodies[i])) f->bodies[bodies++] = f->bodies[i];
  }
  for (int i = 0; i < f->shape_count; ++i) {
    if (imp_shape_is_valid(f->world, f->shapes[i])) f->shapes[shapes++] = f->shapes[i];
  }
  f->body_count = bodies;
  f->shape_count = shapes;
}


static void operate(Fuzz *f) {
  int total = 0, k = -1;
  for (int i = 0; i < IMPI_COUNT(operations); ++i) {
    total += operations[i].weight;
  }
  for (int left = roll(total); left >= 0; left -= operations[k].weight) {
    ++k;
  }
  ImpBody body = f->bodies[f->body_count > 0 ? roll(f->body_count) : 0];
  ImpShape shape = f->shape_count > 0 ? f->shapes[roll(f->shape_count)] : (ImpShape){0};
  f->operation = operations[k].name;
  if (f->body_count > 0 || operations[k].run == make_body) operations[k].run(f, body, shape);
  forget_the_dead(f);
}


// ---------------------------------------------------------------------------------------------------------------------
// Steps
// ---------------------------------------------------------------------------------------------------------------------


static void substep(ImpWorld *world, double h, void *user) {
  Fuzz *f = user;
  CHECK(h > 0 && imp_world_is_stepping(world));
  if (f->substep++ == 0) f->stalest = fmax(f->stalest, stalest_contact(world));
  for (int i = one_in(6) ? roll(4) : 0; i > 0; --i) {
    operate(f);
  }
}


// Disable some contacts, and make random changes inside the step.
static void pre_solve(ImpWorld *world, ImpContact contact, void *user) {
  Fuzz *f = user;
  ImpContactInfo info;
  MUST(imp_contact_info(world, contact, &info));
  CHECK(imp_world_is_stepping(world) && info.enabled && info.count > 0);
  CHECK(info.points[0].normal_impulse == 0 && info.points[1].normal_impulse == 0);
  if (one_in(4)) MUST(imp_contact_set(world, contact, IMP_CONTACT_ENABLED, 0));
  if (one_in(20)) operate(f);
}


// The answer for a pair of shapes is the same at each call.
static bool filter(ImpWorld *world, ImpShape shape, ImpShape other, void *user) {
  Fuzz *f = user;
  double a = 0, b = 0;
  MUST(imp_shape_get(world, shape, IMP_SHAPE_ID, &a));
  MUST(imp_shape_get(world, other, IMP_SHAPE_ID, &b));
  CHECK(imp_world_is_stepping(world));
  if (one_in(20)) operate(f);
  return fmod(7 * a + b, 5) > 0;
}


static void destroy_the_lost(Fuzz *f) {
  for (int i = 0; i < f->body_count; ++i) {
    ImpVec2 p = position(f->world, f->bodies[i]);
    if (fabs(p.x) > 25 || p.y < -25 || p.y > 40) MUST(imp_body_destroy(f->world, f->bodies[i]));
  }
  forget_the_dead(f);
}


// Run `steps` steps from a seed. Return the final hash.
static uint64_t fuzz(uint64_t seed, int steps, Fuzz setting) {
  static Fuzz state;
  Fuzz *f = &state;
  *f = setting;
  f->world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 9.81);
  f->operation = "none";
  random_state = seed;
  validate_projection = f->one_solver ? 0 : 1;
  if (f->one_width) set_world(f->world, IMP_WORLD_LANES, 4);
  add_ground(f->world, imp_shape_def(), 0);
  imp_world_set_substep_callback(f->world, substep, f);
  imp_world_set_pre_solve_callback(f->world, pre_solve, f);
  imp_world_set_filter_callback(f->world, filter, f);
  for (int step = 0; step < steps && check_case_ok; ++step) {
    bool calm = step / 200 % 3 == 2;
    for (int i = calm ? one_in(40) : roll(5); i > 0; --i) {
      operate(f);
    }
    destroy_the_lost(f);
    if (step % 7 == 0) validate_world(f->world);
    f->substep = 0;
    MUST(imp_world_step(f->world));
    balance_events(&f->ledger, f->world);
    validate_world(f->world);
    check_solving(f->world);
    if (!check_case_ok) printf("  seed %d, step %d, the last operation was %s\n", (int)seed, step, f->operation);
  }
  uint64_t hash = imp_world_hash(f->world);
  if (check_case_ok) {
    // Since its manifold was computed, the true and the stored separation of a contact may each have changed by
    // IMPI_REFRESH_DISTANCE.
    CHECK(f->stalest <= 2 * IMPI_REFRESH_DISTANCE);
    CHECK(f->ledger.begins > steps / 4);
  }
  measured("fuzz: contacts begun a step", (double)f->ledger.begins / steps);
  measured("fuzz: largest error of a stored separation [m], expected < 2e-3", f->stalest);
  MUST(imp_world_destroy(f->world));
  return hash;
}


static void random_changes_leave_the_world_valid(void) { fuzz(1, long_run ? 100000 : 1500, (Fuzz){0}); }


static void random_changes_leave_the_world_valid_with_one_solver(void) {
  fuzz(4, long_run ? 100000 : 1500, (Fuzz){.one_solver = true});
}


// SIMD lanes of all widths give the same result.
static void the_same_changes_give_the_same_bits(void) {
  uint64_t hash = fuzz(2, 600, (Fuzz){0});
  CHECK(fuzz(2, 600, (Fuzz){0}) == hash);
  CHECK(fuzz(2, 600, (Fuzz){.one_width = true}) == hash);
}


int main(int argc, char **argv) {
  read_arguments(argc, argv);
  RUN(random_changes_leave_the_world_valid);
  RUN(random_changes_leave_the_world_valid_with_one_solver);
  RUN(the_same_changes_give_the_same_bits);
  return check_report("fuzz");
}
