// Sleep in force fields: constant fields act like gravity, changes wake bodies, time-dependent fields keep bodies
// awake.
#include "field_case.h"


static ImpWorld *make_sleeper(ImpBody *out_box) {
  ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, g);
  ImpShapeDef def = imp_shape_def();
  add_box(world, add_body(world, IMP_BODY_STATIC, 0, -0.5, 0), def, 20, 1);
  *out_box = drop_box(world, def, 0, 0.5);
  run(world, 120);
  CHECK(body_get(world, *out_box, IMP_BODY_AWAKE) == 0);
  return world;
}


static bool is_awake(const ImpWorld *world, ImpBody body) { return body_get(world, body, IMP_BODY_AWAKE) != 0; }


static void constant_fields_let_bodies_sleep_and_changes_wake_them(void) {
  ImpBody box;
  ImpWorld *world = make_sleeper(&box);
  ImpFieldDef def = field_of(IMP_FIELD_WIND);
  ImpField wind;
  def.value[IMP_FIELD_GUST] = 0;
  def.vector[IMP_FIELD_VELOCITY] = vec(1, 0);
  MUST(imp_field_create(world, &def, &wind));
  CHECK(is_awake(world, box));
  run(world, 120);
  CHECK(!is_awake(world, box)); // the field is too weak to move the box
  MUST(imp_field_set_vector(world, wind, IMP_FIELD_VELOCITY, vec(1, 0)));
  CHECK(!is_awake(world, box)); // no change
  MUST(imp_field_set_vector(world, wind, IMP_FIELD_VELOCITY, vec(2, 0)));
  CHECK(is_awake(world, box));
  run(world, 120);
  CHECK(!is_awake(world, box));
  MUST(imp_field_set(world, wind, IMP_FIELD_ENABLED, 0));
  CHECK(is_awake(world, box));
  run(world, 120);
  MUST(imp_field_set(world, wind, IMP_FIELD_DENSITY, 1));
  CHECK(!is_awake(world, box));
  MUST(imp_field_set(world, wind, IMP_FIELD_ENABLED, 1));
  run(world, 120);
  MUST(imp_field_set_acts_on(world, wind, box, false));
  CHECK(is_awake(world, box));
  run(world, 120);
  MUST(imp_field_destroy(world, wind));
  CHECK(!is_awake(world, box)); // the field no longer acts on the box
  imp_world_destroy(world);
}


static void fields_that_change_with_time_keep_bodies_in_their_range_awake(void) {
  for (int kind = IMP_FIELD_WIND; kind <= IMP_FIELD_KIND_COUNT; ++kind) {
    if (kind == IMP_FIELD_EXPLOSION) continue;
    ImpBody box;
    ImpWorld *world = make_sleeper(&box);
    ImpFieldDef def = kind < IMP_FIELD_CUSTOM ? field_of((ImpFieldKind)kind) : law_of(kind == IMP_FIELD_KIND_COUNT);
    ImpField field;
    def.vector[IMP_FIELD_VELOCITY] = vec(0.1, 0);
    imp_world_set_field_callback(world, push_up, NULL);
    MUST(imp_field_create(world, &def, &field));
    run(world, 120);
    CHECK(is_awake(world, box));
    MUST(imp_field_set(world, field, IMP_FIELD_ENABLED, 0));
    run(world, 120);
    CHECK(!is_awake(world, box));
    imp_world_destroy(world);
  }
}


static void an_explosion_wakes_bodies_in_its_range_as_it_starts(void) {
  ImpBody box;
  ImpWorld *world = make_sleeper(&box);
  double now = 0;
  MUST(imp_world_get(world, IMP_WORLD_TIME, &now));
  ImpFieldDef def = field_of(IMP_FIELD_EXPLOSION);
  ImpField field;
  def.value[IMP_FIELD_START] = now + 0.5;
  def.value[IMP_FIELD_RANGE] = 3;
  MUST(imp_field_create(world, &def, &field));
  run(world, 25);
  CHECK(!is_awake(world, box));
  run(world, 6);
  CHECK(is_awake(world, box));
  run(world, 200);
  CHECK(!is_awake(world, box));
  MUST(imp_field_set_vector(world, field, IMP_FIELD_CENTER, vec(9, 9)));
  MUST(imp_world_get(world, IMP_WORLD_TIME, &now));
  MUST(imp_field_set(world, field, IMP_FIELD_START, now)); // the explosion restarts, out of reach of the box
  run(world, 10);
  CHECK(!is_awake(world, box));
  MUST(imp_field_get(world, field, IMP_FIELD_PROGRESS, &now));
  CHECK(now == 1);
  imp_world_destroy(world);
}


int main(int argc, char **argv) {
  read_arguments(argc, argv);
  RUN(constant_fields_let_bodies_sleep_and_changes_wake_them);
  RUN(fields_that_change_with_time_keep_bodies_in_their_range_awake);
  RUN(an_explosion_wakes_bodies_in_its_range_as_it_starts);
  return check_report("field sleep");
}
