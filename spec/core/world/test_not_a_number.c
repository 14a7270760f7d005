// Every call that takes a number refuses non-finite values and changes nothing.
#include "scene.h"
#include "validate.h"

// Initial value of outputs. A failed call does not change the outputs.
static const double poison = 777;

#define REFUSED(call) CHECK((call) == IMP_ERR_ARGUMENT)


static void refuse_in_worlds(ImpWorld *world, double bad) {
  ImpWorldDef def = imp_world_def();
  double *const numbers[] = {&def.dt, &def.gravity.x, &def.gravity.y};
  for (int i = 0; i < IMPI_COUNT(numbers); ++i) {
    def = imp_world_def();
    *numbers[i] = bad;
    ImpWorld *made = world;
    REFUSED(imp_world_create(&def, &made));
    CHECK(made == world);
  }
  REFUSED(imp_world_set_gravity(world, vec(bad, 0)));
  REFUSED(imp_world_set_gravity(world, vec(0, bad)));
  for (int p = 0; p < IMP_WORLD_PROPERTY_COUNT; ++p) {
    double before = poison, after = poison;
    MUST(imp_world_get(world, (ImpWorldProperty)p, &before));
    REFUSED(imp_world_set(world, (ImpWorldProperty)p, bad));
    MUST(imp_world_get(world, (ImpWorldProperty)p, &after));
    CHECK(before == after);
  }
}


static void refuse_in_body_defs(ImpWorld *world, double bad) {
  ImpBodyDef def = imp_body_def();
  double *const numbers[] = {
      &def.position.x,        &def.position.y,     &def.angle,           &def.velocity.x,    &def.velocity.y,
      &def.angular_velocity,  &def.linear_damping, &def.angular_damping, &def.gravity_scale, &def.max_speed,
      &def.max_angular_speed, &def.mass,           &def.inertia};
  for (int i = 0; i < IMPI_COUNT(numbers); ++i) {
    def = imp_body_def();
    *numbers[i] = bad;
    ImpBody body = {77};
    REFUSED(imp_body_create(world, &def, &body));
    CHECK(body.id == 77);
  }
}


static void refuse_in_bodies(ImpWorld *world, ImpBody body, double bad) {
  for (int p = 0; p < IMP_BODY_PROPERTY_COUNT; ++p) {
    double before = body_get(world, body, (ImpBodyProperty)p);
    REFUSED(imp_body_set(world, body, (ImpBodyProperty)p, bad));
    CHECK(body_get(world, body, (ImpBodyProperty)p) == before);
  }
  REFUSED(imp_body_apply_torque(world, body, bad));
  REFUSED(imp_body_apply_angular_impulse(world, body, bad));
  const ImpVec2 pairs[] = {{bad, 0}, {0, bad}, {bad, bad}}, one = {1, 1};
  ImpBody lift = add_body(world, IMP_BODY_KINEMATIC, 0, 0, 0);
  REFUSED(imp_body_set_pose(world, body, one, bad));
  REFUSED(imp_body_move_to_pose(world, lift, one, bad));
  for (int i = 0; i < IMPI_COUNT(pairs); ++i) {
    REFUSED(imp_body_set_position(world, body, pairs[i]));
    REFUSED(imp_body_set_center(world, body, pairs[i]));
    REFUSED(imp_body_set_pose(world, body, pairs[i], 0));
    REFUSED(imp_body_move_to(world, lift, pairs[i]));
    REFUSED(imp_body_move_to_pose(world, lift, pairs[i], 0));
    REFUSED(imp_body_set_velocity(world, body, pairs[i]));
    REFUSED(imp_body_apply_force(world, body, pairs[i]));
    REFUSED(imp_body_apply_force_at(world, body, pairs[i], one));
    REFUSED(imp_body_apply_force_at(world, body, one, pairs[i]));
    REFUSED(imp_body_apply_impulse(world, body, pairs[i]));
    REFUSED(imp_body_apply_impulse_at(world, body, pairs[i], one));
    REFUSED(imp_body_apply_impulse_at(world, body, one, pairs[i]));
    ImpVec2 v = {poison, poison};
    REFUSED(imp_body_velocity_at(world, body, pairs[i], &v));
    CHECK(v.x == poison && v.y == poison);
  }
  MUST(imp_body_destroy(world, lift));
}


static void refuse_in_shapes(ImpWorld *world, ImpBody body, double bad) {
  ImpShape shape = imp_body_next_shape(world, body, (ImpShape){0}), out = {77};
  for (int p = 0; p < IMP_SHAPE_PROPERTY_COUNT; ++p) {
    double before = poison, after = poison;
    if (imp_property_is_optional(imp_shape_property(p))) { // NaN means that the property is not set
      continue;
    }
    MUST(imp_shape_get(world, shape, (ImpShapeProperty)p, &before));
    REFUSED(imp_shape_set(world, shape, (ImpShapeProperty)p, bad));
    MUST(imp_shape_get(world, shape, (ImpShapeProperty)p, &after));
    CHECK(before == after);
  }
  ImpShapeDef def = imp_shape_def();
  const ImpVec2 o = {0, 0}, one = {1, 1};
  double *const numbers[] = {&def.density,   &def.friction,  &def.restitution,       &def.surface_speed,
                             &def.one_way.x, &def.one_way.y, &def.rolling_resistance};
  for (int i = 0; i < IMPI_COUNT(numbers); ++i) {
    def = imp_shape_def();
    *numbers[i] = bad;
    REFUSED(imp_body_add_circle(world, body, &def, o, 1, &out));
  }
  def = imp_shape_def();
  REFUSED(imp_body_add_circle(world, body, &def, o, bad, &out));
  REFUSED(imp_body_add_box(world, body, &def, bad, 1, o, 0, 0, &out));
  REFUSED(imp_body_add_box(world, body, &def, 1, bad, o, 0, 0, &out));
  REFUSED(imp_body_add_box(world, body, &def, 1, 1, o, bad, 0, &out));
  REFUSED(imp_body_add_box(world, body, &def, 1, 1, o, 0, bad, &out));
  REFUSED(imp_body_add_capsule(world, body, &def, o, one, bad, &out));
  const ImpVec2 pairs[] = {{bad, 0}, {0, bad}};
  for (int i = 0; i < IMPI_COUNT(pairs); ++i) {
    const ImpVec2 p = pairs[i], points[] = {{0, 0}, {1, 0}, {1, 1}, p};
    bool contains = i;
    REFUSED(imp_shape_contains(world, shape, p, &contains));
    CHECK(contains == (bool)i);
    REFUSED(imp_shape_set_one_way(world, shape, p));
    REFUSED(imp_body_add_circle(world, body, &def, p, 1, &out));
    REFUSED(imp_body_add_box(world, body, &def, 1, 1, p, 0, 0, &out));
    REFUSED(imp_body_add_capsule(world, body, &def, p, one, 1, &out));
    REFUSED(imp_body_add_capsule(world, body, &def, o, p, 1, &out));
    REFUSED(imp_body_add_segment(world, body, &def, p, one, &out));
    REFUSED(imp_body_add_segment(world, body, &def, o, p, &out));
    REFUSED(imp_body_add_polygon(world, body, &def, points, 4, 0, &out));
    REFUSED(imp_body_add_polygon(world, body, &def, points, 3, bad, &out));
    REFUSED(imp_body_add_chain(world, body, &def, points, 4, i, &out));
  }
  CHECK(out.id == 77);
}


static void non_finite_numbers_are_refused_and_change_nothing(void) {
  const double bads[] = {(double)NAN, -(double)NAN, (double)INFINITY, -(double)INFINITY};
  ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 9.81);
  add_ground(world, imp_shape_def(), 0);
  ImpBody box = drop_box(world, imp_shape_def(), 0, 0.5), lift = add_body(world, IMP_BODY_KINEMATIC, 9, 9, 0);
  run(world, 3);
  uint64_t hash = imp_world_hash(world);
  for (int i = 0; i < IMPI_COUNT(bads); ++i) {
    refuse_in_worlds(world, bads[i]);
    refuse_in_body_defs(world, bads[i]);
    refuse_in_bodies(world, box, bads[i]);
    refuse_in_bodies(world, lift, bads[i]);
    refuse_in_shapes(world, box, bads[i]);
    CHECK(imp_world_hash(world) == hash);
    CHECK(imp_world_counts(world).bodies == 3 && imp_world_counts(world).shapes == 2);
  }
  validate_world(world);
  imp_world_destroy(world);
}


int main(int argc, char **argv) {
  read_arguments(argc, argv);
  RUN(non_finite_numbers_are_refused_and_change_nothing);
  return check_report("not a number");
}
