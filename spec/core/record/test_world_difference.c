// Comparison of two worlds: a world equals its restored copy after any number of steps. Any change is found and named.
#include "snapshot_scenes.h"

static ImpDifference found;


static bool differ(const ImpWorld *a, const ImpWorld *b) {
  bool they_do = false;
  memset(&found, 0, sizeof found);
  MUST(imp_world_difference(a, b, &they_do, &found));
  return they_do;
}


static ImpWorld *copy_of(const ImpWorld *world, ImpSolverKind solver) {
  void *bytes = NULL;
  size_t size = 0;
  ImpWorld *copy = scene_world(solver);
  MUST(imp_world_snapshot(world, &bytes, &size));
  MUST(imp_world_restore(copy, bytes, size));
  imp_snapshot_free(bytes);
  return copy;
}


static void show(const char *what) {
  printf("%s: %s %d '%s' %s: %g, %g\n", what, imp_object_name((int)found.object), (int)found.id, found.name,
         found.field, found.a, found.b);
}


static void a_restored_world_has_no_difference_after_steps(void) {
  for (int k = 0; k < (int)(sizeof scenes / sizeof *scenes); ++k) {
    for (int solver = 0; solver < MAIN_SOLVERS; ++solver) {
      const Scene *scene = &scenes[k];
      ImpWorld *world = scene_world((ImpSolverKind)solver), *copy = NULL;
      scene->build(world);
      listen(world, scene);
      for (int step = 0; step < scene->steps; ++step) {
        if (step % 40 == 25) {
          imp_world_destroy(copy);
          copy = copy_of(world, (ImpSolverKind)solver);
          listen(copy, scene);
        }
        scene->act(world, step);
        run(world, 1);
        if (copy == NULL) {
          continue;
        }
        scene->act(copy, step);
        run(copy, 1);
        if (differ(world, copy)) {
          show(scene->name);
          CHECK(false);
          break;
        }
      }
      imp_world_destroy(copy);
      imp_world_destroy(world);
    }
  }
}


// A change of a world, and the difference that the comparison must find.
typedef struct Change {
  void (*make)(ImpWorld *world);
  ImpObjectKind object;
  const char *name, *field;
} Change;

#define CHANGE(function, call) \
  static void function(ImpWorld *world) { MUST(call); }

static double ulp_up(double x) { return nextafter(x, (double)INFINITY); }

static ImpShape shape_of(ImpWorld *world, const char *name) {
  return imp_body_next_shape(world, named(world, name), (ImpShape){0});
}

static void turn(ImpWorld *world) {
  double w = spin(world, named(world, "wheel"));
  MUST(imp_body_set(world, named(world, "wheel"), IMP_BODY_ANGULAR_VELOCITY, ulp_up(w)));
}

static void nudge(ImpWorld *world) {
  ImpVec2 v = velocity(world, named(world, "bob"));
  MUST(imp_body_set_velocity(world, named(world, "bob"), vec(v.x, ulp_up(v.y))));
}

static void draw_random(ImpWorld *world) { imp_world_random(world); }
static void add_one(ImpWorld *world) { add_disc(world, "new", 50, 0, 0.2); }

static void drive(ImpWorld *world) {
  ImpCoordinate angle = {named_joint(world, "motor"), 2};
  ImpDrive drives;
  MUST(imp_coordinate_drive(world, angle, &drives));
  drives.speed = 4;
  MUST(imp_coordinate_set_drive(world, angle, &drives));
}

static void blow(ImpWorld *world) {
  ImpFieldDef def = imp_field_def(IMP_FIELD_UNIFORM);
  ImpField field;
  def.name = "breeze";
  MUST(imp_field_create(world, &def, &field));
}

CHANGE(push_bob, imp_body_apply_force(world, named(world, "bob"), vec(1, 0)))
CHANGE(rename_bob, imp_body_set_name(world, named(world, "bob"), "bill"))
CHANGE(remove_bob, imp_body_destroy(world, named(world, "bob")))
CHANGE(make_slippery, imp_shape_set(world, shape_of(world, "left"), IMP_SHAPE_FRICTION, 0.1))
CHANGE(set_mask, imp_shape_set_filter(world, shape_of(world, "left"), 1, UINT64_MAX ^ 1))
CHANGE(set_high_mask, imp_shape_set_filter(world, shape_of(world, "left"), 1, UINT64_MAX >> 1))
CHANGE(set_gravity, imp_world_set_gravity(world, vec(0.1, -9.81)))
CHANGE(set_iterations, imp_world_set(world, IMP_WORLD_ITERATIONS, 7))
CHANGE(set_dt, imp_world_set(world, IMP_WORLD_DT, 0.01))
CHANGE(strengthen, imp_joint_set(world, named_joint(world, "gear"), IMP_JOINT_BREAK_FORCE, 1e4))
CHANGE(bend, imp_constraint_set_param(world, named_joint(world, "wire"), 0, 0.51))
CHANGE(unjoin, imp_joint_destroy(world, named_joint(world, "gear")))

static const Change changes[] = {
    {turn, IMP_OBJECT_BODY, "wheel", "angular_velocity"},
    {nudge, IMP_OBJECT_BODY, "bob", "velocity.y"},
    {push_bob, IMP_OBJECT_BODY, "bob", "force.x"},
    {rename_bob, IMP_OBJECT_BODY, "bob", "name"},
    {remove_bob, IMP_OBJECT_BODY, "bob", "exists"},
    {add_one, IMP_OBJECT_BODY, "new", "exists"},
    {make_slippery, IMP_OBJECT_SHAPE, "", "friction"},
    {set_mask, IMP_OBJECT_SHAPE, "", "mask.low"},
    {set_high_mask, IMP_OBJECT_SHAPE, "", "mask.high"},
    {drive, IMP_OBJECT_JOINT, "motor", "angle.speed"},
    {strengthen, IMP_OBJECT_JOINT, "gear", "break_force"},
    {bend, IMP_OBJECT_JOINT, "wire", "param[1]"},
    {unjoin, IMP_OBJECT_JOINT, "gear", "exists"},
    {blow, IMP_OBJECT_FIELD, "breeze", "exists"},
    {set_dt, IMP_OBJECT_WORLD, "", "dt"},
    {set_gravity, IMP_OBJECT_WORLD, "", "gravity.x"},
    {set_iterations, IMP_OBJECT_WORLD, "", "iterations"},
    {draw_random, IMP_OBJECT_WORLD, "", "generator[1]"},
};


static bool starts_with(const char *text, const char *start) { return strncmp(text, start, strlen(start)) == 0; }


static void a_changed_member_is_named(void) {
  ImpWorld *world = scene_world(IMP_SOLVER_SOFT);
  build_bridge(world);
  run(world, 30);
  for (int i = 0; i < (int)(sizeof changes / sizeof *changes); ++i) {
    ImpWorld *copy = copy_of(world, IMP_SOLVER_SOFT);
    CHECK(!differ(world, copy));
    changes[i].make(copy);
    bool named_right = differ(world, copy) && found.object == changes[i].object &&
                       strcmp(found.name, changes[i].name) == 0 && starts_with(found.field, changes[i].field);
    if (!named_right) {
      show(changes[i].field);
    }
    CHECK(named_right);
    CHECK(found.a != found.b); // if the field is a text, a and b are NaN, and NaN != NaN
    imp_world_destroy(copy);
  }
  imp_world_destroy(world);
}


static void the_first_changed_body_in_the_order_of_creation_is_named(void) {
  ImpWorld *world = scene_world(IMP_SOLVER_SOFT);
  build_bridge(world);
  ImpWorld *copy = copy_of(world, IMP_SOLVER_SOFT);
  set_velocity(copy, named(copy, "skate"), 3, 0, 0);
  set_velocity(copy, named(copy, "load"), 2, 0, 0);
  CHECK(differ(world, copy) && strcmp(found.name, "load") == 0 && strcmp(found.field, "velocity.x") == 0);
  CHECK(found.a == 0 && found.b == 2);
  double id = body_get(world, named(world, "load"), IMP_BODY_ID);
  CHECK((double)found.id == id);
  imp_world_destroy(copy);
  imp_world_destroy(world);
}


static void contacts_are_named_by_their_shapes_and_bodies(void) {
  ImpWorld *world = scene_world(IMP_SOLVER_SOFT);
  add_box(world, add_named(world, "floor", IMP_BODY_STATIC, 0, -1), imp_shape_def(), 40, 2);
  add_box(world, add_named(world, "crate", IMP_BODY_DYNAMIC, 0, 0.5), imp_shape_def(), 1, 1);
  ImpWorld *copy = copy_of(world, IMP_SOLVER_SOFT);
  MUST(imp_world_set(copy, IMP_WORLD_CONTACT_HERTZ, 20));
  run(world, 1);
  run(copy, 1);
  CHECK(differ(world, copy));
  MUST(imp_body_set_velocity(copy, named(copy, "crate"), vec(0, 0)));
  MUST(imp_body_set_velocity(world, named(world, "crate"), vec(0, 0)));
  MUST(imp_body_set_position(copy, named(copy, "crate"), position(world, named(world, "crate"))));
  CHECK(differ(world, copy));
  CHECK(found.object == IMP_OBJECT_CONTACT && found.id == 1 && found.other == 2);
  CHECK(strcmp(found.name, "floor") == 0 && strcmp(found.name_b, "crate") == 0);
  imp_world_destroy(copy);
  imp_world_destroy(world);
}


static void minus_zero_equals_zero(void) {
  ImpWorld *world = scene_world(IMP_SOLVER_SOFT);
  ImpBody body = drop_disc(world, imp_shape_def(), 0, 0, 1);
  ImpWorld *copy = copy_of(world, IMP_SOLVER_SOFT);
  set_velocity(world, body, 0, 0, 0);
  set_velocity(copy, imp_world_next_body(copy, (ImpBody){0}), -0.0, 0, -0.0);
  CHECK(imp_world_hash(world) == imp_world_hash(copy));
  CHECK(!differ(world, copy));
  CHECK(!differ(world, world));
  imp_world_destroy(copy);
  imp_world_destroy(world);
}


static void compare_inside(ImpWorld *world, double h, void *user) {
  bool they_do = false;
  (void)h;
  CHECK(imp_world_difference(world, user, &they_do, &found) == IMP_ERR_STATE);
  CHECK(imp_world_difference(user, world, &they_do, &found) == IMP_ERR_STATE);
}


static void comparisons_are_refused_inside_a_step(void) {
  ImpWorld *world = scene_world(IMP_SOLVER_SOFT), *other = scene_world(IMP_SOLVER_SOFT);
  imp_world_set_substep_callback(world, compare_inside, other);
  run(world, 1);
  imp_world_destroy(other);
  imp_world_destroy(world);
}


int main(void) {
  RUN(a_restored_world_has_no_difference_after_steps);
  RUN(a_changed_member_is_named);
  RUN(the_first_changed_body_in_the_order_of_creation_is_named);
  RUN(contacts_are_named_by_their_shapes_and_bodies);
  RUN(minus_zero_equals_zero);
  RUN(comparisons_are_refused_inside_a_step);
  return check_report("world_difference");
}
