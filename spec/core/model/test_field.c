// Force fields through the C interface: every kind under every solver, out of memory, snapshots, SIMD lanes, faults.
#include "failing_memory.h"
#include "field_case.h"
#include "validate.h"


// ---------------------------------------------------------------------------------------------------------------------
// A world with one field of each kind over stacks, discs, a pendulum and particles
// ---------------------------------------------------------------------------------------------------------------------

enum { BODIES = 14 };

typedef struct Storm {
  Memory memory;
  ImpWorld *world;
  ImpBody bodies[BODIES];
  ImpField fields[IMP_FIELD_KIND_COUNT + 1]; // the last field is a dynamic custom field
} Storm;


static ImpStatus make_storm_world(Storm *s, ImpSolverKind solver) {
  ImpWorldDef def = imp_world_def();
  def.allocator = (ImpAllocator){reallocate, &s->memory};
  def.solver = solver;
  ImpStatus status = imp_world_create(&def, &s->world);
  if (status == IMP_OK) imp_world_set_field_callback(s->world, push_up, NULL);
  return status;
}


static ImpStatus add_fields(Storm *s) {
  ImpStatus status = IMP_OK;
  for (int kind = 0; kind <= IMP_FIELD_KIND_COUNT && status == IMP_OK; ++kind) {
    if (imp_field_is_valid(s->world, s->fields[kind])) continue;
    ImpFieldDef def = kind < IMP_FIELD_CUSTOM ? field_of((ImpFieldKind)kind) : law_of(kind == IMP_FIELD_KIND_COUNT);
    def.name = imp_field_kind_name(kind);
    def.only = kind % 3 == 0; // some fields act on a few bodies, some on all bodies except a few, some in a region
    def.bodies = kind % 3 != 1 ? s->bodies : NULL;
    def.body_count = kind % 3 == 0 ? 7 : kind % 3 == 2 ? 2 : 0;
    def.bounded = kind % 4 == 0;
    def.region = (ImpAabb){{-2, -1}, {2, 5}};
    status = imp_field_create(s->world, &def, &s->fields[kind]);
  }
  return status;
}


static void populate(Storm *s) {
  ImpShapeDef def = material(1, 0.5, 0.1);
  ImpShape shape;
  ImpBody ground = add_body(s->world, IMP_BODY_STATIC, 0, 0, 0);
  MUST(imp_body_add_box(s->world, ground, &def, 40, 1, vec(0, -0.5), 0, 0, &shape));
  for (int i = 0; i < BODIES; ++i) {
    ImpBodyType type = i % 5 == 4 ? IMP_BODY_PARTICLE : IMP_BODY_DYNAMIC;
    s->bodies[i] = add_body(s->world, type, (i % 4) * 0.8 - 1.2, 0.5 + (i / 4) * 0.9, 0);
    if (i % 3 == 0) MUST(imp_body_add_box(s->world, s->bodies[i], &def, 0.6, 0.5, vec(0, 0), 0, i % 2 * 0.1, &shape));
    if (i % 3 == 1) MUST(imp_body_add_circle(s->world, s->bodies[i], &def, vec(0.05, 0), 0.3, &shape));
    if (i % 3 == 2 && i > 2)
      MUST(imp_body_add_segment(s->world, s->bodies[i], &def, vec(-0.3, 0), vec(0.3, 0), &shape));
  }
  hang(s->world, IMP_JOINT_DISTANCE, s->bodies[12], 0, 5);
}


static ImpWorld *make_storm(Storm *s, ImpSolverKind solver) {
  *s = (Storm){.memory = {0}};
  MUST(make_storm_world(s, solver));
  populate(s);
  MUST(add_fields(s));
  return s->world;
}


// ---------------------------------------------------------------------------------------------------------------------
// Steps
// ---------------------------------------------------------------------------------------------------------------------


static void every_kind_acts_under_every_solver(void) {
  FOR_EVERY_SOLVER(solver) {
    Storm s;
    make_storm(&s, (ImpSolverKind)solver);
    for (int i = 0; i < 60; ++i) {
      run(s.world, 1);
      validate_world(s.world);
    }
    CHECK(event_count(s.world, IMP_EVENT_FAULT) == 0);
    CHECK(imp_world_counts(s.world).awake > 0);
    uint64_t with_all = imp_world_hash(s.world);
    imp_world_destroy(s.world);
    for (int kind = 0; kind <= IMP_FIELD_KIND_COUNT; ++kind) {
      make_storm(&s, (ImpSolverKind)solver);
      MUST(imp_field_set(s.world, s.fields[kind], IMP_FIELD_ENABLED, 0));
      run(s.world, 60);
      CHECK(imp_world_hash(s.world) != with_all);
      imp_world_destroy(s.world);
    }
    CHECK(s.memory.bytes == 0);
  }
}


static void disabled_fields_change_no_bit(void) {
  for (int solver = 0; solver < MAIN_SOLVERS; ++solver) {
    Storm with, without = {.memory = {0}};
    make_storm(&with, (ImpSolverKind)solver);
    for (int kind = 0; kind <= IMP_FIELD_KIND_COUNT; ++kind) {
      MUST(imp_field_set(with.world, with.fields[kind], IMP_FIELD_ENABLED, 0));
    }
    MUST(make_storm_world(&without, (ImpSolverKind)solver));
    populate(&without);
    for (int i = 0; i < 60; ++i) {
      run(with.world, 1);
      run(without.world, 1);
      CHECK(imp_world_hash(with.world) == imp_world_hash(without.world));
    }
    imp_world_destroy(with.world);
    imp_world_destroy(without.world);
  }
}


static void no_lane_width_changes_a_bit(void) {
  uint64_t hash[3];
  for (int i = 0; i < 3; ++i) {
    Storm s;
    make_storm(&s, IMP_SOLVER_SOFT);
    set_world(s.world, IMP_WORLD_LANES, 4 << i);
    run(s.world, 90);
    hash[i] = imp_world_hash(s.world);
    imp_world_destroy(s.world);
  }
  CHECK(hash[0] == hash[1] && hash[1] == hash[2]);
}


// Return the final position of a body that has two shapes, in a world with fields of all kinds. `others`: number of
// bodies created before this body.
static ImpVec2 end_beside(int others, double *out_angle) {
  ImpWorld *world = make_rig(IMP_SOLVER_SI, 60, 2, g);
  for (int i = 0; i < others; ++i) add_mass(world, 1000.0 + 10 * (i % 2) * i, 0, 1, 1);
  ImpBody body = add_body(world, IMP_BODY_DYNAMIC, 0.1, 0.5, 0.3);
  ImpShapeDef def = imp_shape_def();
  ImpShape shape;
  MUST(imp_body_add_box(world, body, &def, 1, 0.4, vec(0.2, 0), 0, 0.1, &shape));
  MUST(imp_body_add_circle(world, body, &def, vec(-0.4, 0), 0.2, &shape));
  for (int kind = 0; kind <= IMP_FIELD_CUSTOM; ++kind) {
    ImpFieldDef field = kind < IMP_FIELD_CUSTOM ? field_of((ImpFieldKind)kind) : law_of(false);
    ImpField made;
    field.bounded = kind % 2 == 0;
    field.region = (ImpAabb){{-100, -100}, {1005, 100}};
    MUST(imp_field_create(world, &field, &made));
  }
  run(world, 60);
  *out_angle = body_get(world, body, IMP_BODY_ANGLE);
  ImpVec2 end = position(world, body);
  imp_world_destroy(world);
  return end;
}


static void forces_on_a_body_do_not_depend_on_other_bodies(void) {
  double angle, other;
  ImpVec2 alone = end_beside(0, &angle);
  // Up to 140 other bodies, because fields are computed in blocks of 64 bodies.
  for (int others = 1; others < 140; others += 23) {
    ImpVec2 end = end_beside(others, &other);
    CHECK(end.x == alone.x && end.y == alone.y && other == angle);
  }
}


static void steps_allocate_no_memory_after_the_first(void) {
  FOR_EVERY_SOLVER(solver) {
    Storm s;
    make_storm(&s, (ImpSolverKind)solver);
    set_world(s.world, IMP_WORLD_SLEEP, 0);
    run(s.world, 2000); // until the number of contacts has reached its maximum
    long before = s.memory.requests;
    run(s.world, 200);
    // With other solvers the number of rows may still grow.
    CHECK(solver != IMP_SOLVER_SOFT || s.memory.requests == before);
    measured("requests for memory in 200 steps", (double)(s.memory.requests - before));
    imp_world_destroy(s.world);
  }
}


// The explosion may start at any time within a step. A body of width w at distance r receives the impulse
// value[IMP_FIELD_IMPULSE] w / r.
static void an_explosion_gives_its_whole_impulse_at_any_start(void) {
  FOR_EVERY_SOLVER(solver) {
    for (int i = 0; i < 20; ++i) {
      ImpWorld *world = make_rig(solver, 60, 0, 0);
      ImpBody box = add_mass(world, 2, 0, 1, 1);
      add_box(world, box, material(0, 0, 0), 0.8, 0.5);
      ImpFieldDef blast = imp_field_def(IMP_FIELD_EXPLOSION), drag = imp_field_def(IMP_FIELD_DRAG);
      blast.value[IMP_FIELD_IMPULSE] = 3;
      blast.value[IMP_FIELD_START] = (3 + 0.1 * (i / 2)) / 60;
      drag.value[IMP_FIELD_LINEAR] = 1e-12;
      ImpField field;
      MUST(imp_field_create(world, &blast, &field));
      if (i % 2 == 1) MUST(imp_field_create(world, &drag, &field));
      run(world, 3);
      CHECK(velocity(world, box).x == 0);
      run(world, 2);
      CHECK_NEAR(velocity(world, box).x, 3.0 / 2 * 0.5, 1e-6); // tolerance: solver "soft" stores velocities as floats
      imp_world_destroy(world);
    }
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Snapshots
// ---------------------------------------------------------------------------------------------------------------------


static void a_snapshot_at_any_step_continues_to_the_same_bits(void) {
  FOR_EVERY_SOLVER(solver) {
    Storm s, copy = {.memory = {0}};
    make_storm(&s, (ImpSolverKind)solver);
    MUST(make_storm_world(&copy, IMP_SOLVER_SOFT));
    for (int i = 0; i < 40; ++i) { // the explosion lasts from step 13 to 15
      void *bytes = NULL, *again = NULL;
      size_t size = 0, same = 0;
      MUST(imp_world_snapshot(s.world, &bytes, &size));
      MUST(imp_world_restore(copy.world, bytes, size));
      MUST(imp_world_snapshot(copy.world, &again, &same));
      CHECK(size == same);
      run(s.world, 1);
      run(copy.world, 1);
      CHECK(imp_world_hash(s.world) == imp_world_hash(copy.world));
      imp_snapshot_free(bytes);
      imp_snapshot_free(again);
    }
    imp_world_destroy(s.world);
    imp_world_destroy(copy.world);
    CHECK(s.memory.bytes == 0 && copy.memory.bytes == 0);
  }
}


static void a_restore_revalidates_handles_of_the_snapshot_and_invalidates_newer_ones(void) {
  Storm s;
  make_storm(&s, IMP_SOLVER_SI);
  void *bytes = NULL;
  size_t size = 0;
  double value = 0;
  const char *name = NULL;
  MUST(imp_world_snapshot(s.world, &bytes, &size));
  MUST(imp_field_set(s.world, s.fields[IMP_FIELD_DRAG], IMP_FIELD_LINEAR, 9));
  MUST(imp_field_destroy(s.world, s.fields[IMP_FIELD_WIND]));
  ImpField later;
  ImpFieldDef def = field_of(IMP_FIELD_UNIFORM);
  MUST(imp_field_create(s.world, &def, &later));
  CHECK(!imp_field_is_valid(s.world, s.fields[IMP_FIELD_WIND]));
  MUST(imp_world_restore(s.world, bytes, size));
  for (int kind = 0; kind <= IMP_FIELD_KIND_COUNT; ++kind) CHECK(imp_field_is_valid(s.world, s.fields[kind]));
  CHECK(!imp_field_is_valid(s.world, later));
  MUST(imp_field_get(s.world, s.fields[IMP_FIELD_DRAG], IMP_FIELD_LINEAR, &value));
  CHECK(value == 0.1);
  MUST(imp_field_name(s.world, s.fields[IMP_FIELD_WIND], &name));
  CHECK(strcmp(name, "wind") == 0);
  MUST(imp_field_param(s.world, s.fields[IMP_FIELD_CUSTOM], 0, &value));
  CHECK(value == 0.2);
  imp_snapshot_free(bytes);
  imp_world_destroy(s.world);
  CHECK(s.memory.bytes == 0);
}


// ---------------------------------------------------------------------------------------------------------------------
// Memory
// ---------------------------------------------------------------------------------------------------------------------


// If memory request number `fail_at` fails, the call changes nothing, and succeeds when it is repeated.
static void running_out_of_memory_changes_nothing(void) {
  Storm smooth;
  make_storm(&smooth, IMP_SOLVER_SOFT);
  run(smooth.world, 30);
  uint64_t expected = imp_world_hash(smooth.world);
  imp_world_destroy(smooth.world);
  bool failed = true;
  for (int k = 1; failed; ++k) {
    Storm s = {.memory = {0}};
    MUST(make_storm_world(&s, IMP_SOLVER_SOFT));
    populate(&s);
    s.memory.requests = 0;
    s.memory.fail_at = k;
    size_t bytes = s.memory.bytes;
    ImpField none = {0};
    ImpStatus status = add_fields(&s);
    CHECK(status == IMP_OK || status == IMP_ERR_NOMEM);
    int made = 0;
    for (ImpField f = imp_world_next_field(s.world, none); f.id != 0; f = imp_world_next_field(s.world, f)) ++made;
    CHECK(status == IMP_OK ? made == IMP_FIELD_KIND_COUNT + 1 : made <= IMP_FIELD_KIND_COUNT);
    CHECK(made > 0 || s.memory.bytes >= bytes);
    MUST(add_fields(&s));
    for (int i = 0; i < 30; ++i) {
      status = imp_world_step(s.world);
      if (status != IMP_OK) {
        CHECK(status == IMP_ERR_NOMEM);
        MUST(imp_world_step(s.world));
      }
    }
    failed = s.memory.failed;
    s.memory.fail_at = 0; // computing the hash allocates memory, and must not fail
    CHECK(imp_world_hash(s.world) == expected);
    CHECK(failed ? k < 1000 : k > 60); // k: number of the failing request; there are over 60 requests
    imp_world_destroy(s.world);
    CHECK(s.memory.bytes == 0);
  }
}


static void a_tape_is_replaced_completely_or_not_at_all(void) {
  for (int k = 1; k <= 4; ++k) {
    Storm s;
    make_storm(&s, IMP_SOLVER_SI);
    run(s.world, 1);
    ImpTapeDef tape = {nodes, IMPI_COUNT(nodes), results, 2, false};
    s.memory.requests = 0;
    s.memory.fail_at = k;
    ImpStatus status = imp_field_set_tape(s.world, s.fields[IMP_FIELD_CUSTOM], &tape);
    CHECK(status == (k <= 3 ? IMP_ERR_NOMEM : IMP_OK)); // a new tape makes three requests for memory
    s.memory.fail_at = 0;
    run(s.world, 5);
    tape.result_count = 1;
    CHECK(imp_field_set_tape(s.world, s.fields[IMP_FIELD_CUSTOM], &tape) == IMP_ERR_ARGUMENT);
    CHECK(imp_field_set_tape(s.world, s.fields[IMP_FIELD_DRAG], &tape) == IMP_ERR_ARGUMENT);
    imp_world_destroy(s.world);
    CHECK(s.memory.bytes == 0);
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Bodies that fields act on
// ---------------------------------------------------------------------------------------------------------------------


static bool acts(const ImpWorld *world, ImpField field, ImpBody body) {
  bool answer = false;
  MUST(imp_field_acts_on(world, field, body, &answer));
  return answer;
}


static void destroyed_bodies_are_removed_from_the_lists(void) {
  ImpWorld *world = make_rig(IMP_SOLVER_SOFT, 60, 0, 0);
  ImpBody bodies[40];
  for (int i = 0; i < 40; ++i) bodies[i] = add_mass(world, i, 0, 1, 1);
  ImpFieldDef def = field_of(IMP_FIELD_UNIFORM);
  ImpField some, others;
  def.bodies = bodies + 30;
  def.body_count = 10;
  def.only = true;
  MUST(imp_field_create(world, &def, &some));
  def.only = false;
  MUST(imp_field_create(world, &def, &others));
  for (int i = 0; i < 40; ++i) {
    CHECK(acts(world, some, bodies[i]) == (i >= 30));
    CHECK(acts(world, others, bodies[i]) == (i < 30));
  }
  void *bytes = NULL;
  size_t size = 0;
  MUST(imp_world_snapshot(world, &bytes, &size)); // a restore rebuilds the list of fields of each body
  MUST(imp_world_restore(world, bytes, size));
  imp_snapshot_free(bytes);
  MUST(imp_body_destroy(world, bodies[35]));
  ImpBody fresh = add_mass(world, 0, 0, 1, 1); // the new body reuses the slot of the destroyed body
  CHECK(!acts(world, some, fresh) && acts(world, others, fresh));
  MUST(imp_field_set_acts_on(world, some, fresh, true));
  MUST(imp_field_set_acts_on(world, some, bodies[39], false));
  MUST(imp_field_set_acts_on(world, others, bodies[38], true));
  MUST(imp_field_set_acts_on(world, others, fresh, false));
  CHECK(acts(world, some, fresh) && !acts(world, some, bodies[39]));
  int listed = 0;
  for (ImpBody b = {0}; (b = imp_field_next_listed(world, some, b)).id != 0; ++listed) CHECK(acts(world, some, b));
  CHECK(listed == 9);
  CHECK(!acts(world, others, fresh) && acts(world, others, bodies[38]));
  run(world, 1);
  for (int i = 0; i < 40; ++i) {
    if (i != 35) {
      double affected = (acts(world, some, bodies[i]) + acts(world, others, bodies[i])) * 0.3 / 60;
      CHECK_NEAR(velocity(world, bodies[i]).x, affected, 1e-15);
    }
  }
  bool found;
  CHECK(imp_field_acts_on(world, some, bodies[35], &found) == IMP_ERR_HANDLE);
  imp_world_destroy(world);
}


static void a_field_acts_inside_its_region_only(void) {
  ImpWorld *world = make_rig(IMP_SOLVER_SOFT, 60, 1, 0);
  ImpFieldDef def = field_of(IMP_FIELD_UNIFORM);
  ImpField field;
  ImpBody in = add_mass(world, 0, 0, 1, 1), out = add_mass(world, 3, 0, 1, 1);
  def.bounded = true;
  def.region = (ImpAabb){{-1, -1}, {1, 1}};
  MUST(imp_field_create(world, &def, &field));
  run(world, 1);
  CHECK_NEAR(velocity(world, in).x, 0.3 / 60, 1e-15);
  CHECK(velocity(world, out).x == 0);
  MUST(imp_field_set_region(world, field, NULL));
  run(world, 1);
  CHECK_NEAR(velocity(world, out).x, 0.3 / 60, 1e-15);
  def.region.lower.x = 2;
  CHECK(imp_field_set_region(world, field, &def.region) == IMP_ERR_ARGUMENT);
  CHECK(imp_field_create(world, &def, &field) == IMP_ERR_ARGUMENT);
  imp_world_destroy(world);
}


// Forces computed for a part of a block of bodies equal the forces computed for the whole block.
static void a_region_around_all_bodies_changes_no_bit(void) {
  for (int kind = 0; kind < IMP_FIELD_CUSTOM; ++kind) {
    double end[2][6];
    for (int bounded = 0; bounded < 2; ++bounded) {
      ImpWorld *world = make_rig(IMP_SOLVER_SOFT, 60, 4, 0);
      ImpBody bodies[2];
      for (int i = 0; i < 2; ++i) {
        bodies[i] = add_body(world, IMP_BODY_DYNAMIC, 4 * i - 2, 0.3, 0.4 + i);
        ImpShape shape;
        ImpShapeDef heavy = material(5, 0, 0), light = material(0.1, 0, 0);
        MUST(imp_body_add_box(world, bodies[i], &light, 1.5, 0.6, vec(0.7, 0.2), 0.3, 0, &shape));
        MUST(imp_body_add_circle(world, bodies[i], &heavy, vec(0, 0), 0.2, &shape));
        set_velocity(world, bodies[i], 3 - i, -1, 0.5 * i);
      }
      ImpFieldDef def = field_of((ImpFieldKind)kind);
      ImpField field;
      def.bounded = bounded == 1;
      def.region = (ImpAabb){{-100, -100}, {100, 100}};
      MUST(imp_field_create(world, &def, &field));
      run(world, 40);
      for (int i = 0; i < 2; ++i) {
        ImpVec2 at = position(world, bodies[i]);
        memcpy(&end[bounded][3 * i], (double[]){at.x, at.y, body_get(world, bodies[i], IMP_BODY_ANGLE)},
               3 * sizeof at.x);
      }
      imp_world_destroy(world);
    }
    CHECK(memcmp(end[0], end[1], sizeof end[0]) == 0);
  }
}


static ImpField made_inside;

static void make_and_destroy(ImpWorld *world, double h, void *user) {
  int *substep = user;
  (void)h;
  if (*substep == 0) {
    ImpFieldDef def = field_of(IMP_FIELD_UNIFORM);
    MUST(imp_field_create(world, &def, &made_inside));
  } else if (*substep == 2) {
    MUST(imp_field_destroy(world, made_inside));
    CHECK(!imp_field_is_valid(world, made_inside));
  }
  ++*substep;
}


static void a_field_made_in_a_substep_acts_from_it_until_it_is_destroyed(void) {
  FOR_EVERY_SOLVER(solver) {
    ImpWorld *world = make_rig(solver, 60, 4, 0);
    ImpBody body = add_mass(world, 0, 0, 1, 1);
    int substep = 0;
    imp_world_set_substep_callback(world, make_and_destroy, &substep);
    run(world, 1);
    CHECK_NEAR(velocity(world, body).x, 2 * 0.3 / 240, 1e-15); // the field acts in two of four substeps
    imp_world_destroy(world);
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Non-finite numbers
// ---------------------------------------------------------------------------------------------------------------------


static void a_non_finite_law_disables_its_body_alone(void) {
  FOR_EVERY_SOLVER(solver) {
    ImpWorld *world = make_world((ImpSolverKind)solver, 1.0 / 60, g);
    ImpShapeDef def = imp_shape_def();
    add_box(world, add_body(world, IMP_BODY_STATIC, 0, -0.5, 0), def, 20, 1);
    ImpBody low = drop_box(world, def, 0, 0.5), high = drop_box(world, def, 0, 1.5);
    run(world, 10);
    static const ImpNode root[] = {{.op = IMP_OP_VX, .a = 0},
                                   {.op = IMP_OP_CONSTANT, .value = 1},
                                   {.op = IMP_OP_Y, .a = 0},
                                   {.op = IMP_OP_SUB, .a = 1, .b = 2},
                                   {.op = IMP_OP_SQRT, .a = 3}}; // sqrt(1 - y) is NaN for the upper box, because y > 1
    static const int32_t force[] = {4, 4};
    ImpFieldDef field = imp_field_def(IMP_FIELD_CUSTOM);
    ImpField handle;
    field.tape = (ImpTapeDef){root, IMPI_COUNT(root), force, 2, false};
    MUST(imp_field_create(world, &field, &handle));
    run(world, 1);
    int count = 0;
    const ImpEvent *events = imp_world_events(world, IMP_EVENT_FAULT, &count);
    CHECK(count == 1 && events[0].body_a.id == high.id && strcmp(events[0].text, "field") == 0);
    CHECK(body_get(world, high, IMP_BODY_ENABLED) == 0 && body_get(world, low, IMP_BODY_ENABLED) == 1);
    run(world, 30);
    CHECK(event_count(world, IMP_EVENT_FAULT) == 0);
    validate_world(world);
    imp_world_destroy(world);
  }
}


static void numbers_out_of_range_are_refused(void) {
  ImpWorld *world = make_rig(IMP_SOLVER_SOFT, 60, 0, 0);
  const double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY, 1e300};
  for (int kind = 0; kind < IMP_FIELD_CUSTOM; ++kind) {
    ImpFieldDef def = field_of((ImpFieldKind)kind);
    ImpField field, other;
    MUST(imp_field_create(world, &def, &field));
    for (int p = 0; p < IMP_FIELD_PROPERTY_COUNT; ++p) {
      const ImpPropertyInfo *info = imp_field_property(p);
      double value = 0, now = 0;
      bool takes = impi_field_takes(kind, p);
      ImpStatus status = imp_field_get(world, field, (ImpFieldProperty)p, &value);
      CHECK(status == (takes ? IMP_OK : IMP_ERR_ARGUMENT));
      for (int i = 0; i < IMPI_COUNT(bad) && takes && info->writable; ++i) {
        if (bad[i] >= info->lower && bad[i] <= info->upper) continue; // a property without bounds accepts the value
        CHECK(imp_field_set(world, field, (ImpFieldProperty)p, bad[i]) == IMP_ERR_ARGUMENT);
        MUST(imp_field_get(world, field, (ImpFieldProperty)p, &now));
        CHECK(now == value);
        def.value[p] = bad[i];
        bool follows = bad[i] != bad[i] && (p == IMP_FIELD_START || p == IMP_FIELD_WAVE_SPEED);
        CHECK(follows || imp_field_create(world, &def, &other) == IMP_ERR_ARGUMENT);
        def.value[p] = value;
      }
      CHECK(takes || imp_field_set(world, field, (ImpFieldProperty)p, 1) == IMP_ERR_ARGUMENT);
    }
    for (int v = 0; v < IMP_FIELD_VECTOR_COUNT; ++v) {
      for (int i = 0; i < IMPI_COUNT(bad); ++i) {
        CHECK(imp_field_set_vector(world, field, (ImpFieldVector)v, vec(0, bad[i])) == IMP_ERR_ARGUMENT);
      }
    }
    MUST(imp_field_destroy(world, field));
    CHECK(imp_field_destroy(world, field) == IMP_ERR_HANDLE);
  }
  ImpFieldDef none = imp_field_def(IMP_FIELD_BUOYANCY);
  ImpField field;
  CHECK(imp_field_create(world, &none, &field) == IMP_ERR_ARGUMENT);
  none = imp_field_def(IMP_FIELD_SPRING);
  CHECK(imp_field_create(world, &none, &field) == IMP_ERR_ARGUMENT);
  CHECK(imp_world_next_field(world, (ImpField){0}).id == 0);
  none = imp_field_def(IMP_FIELD_UNIFORM);
  none.value[IMP_FIELD_ID] = (double)NAN; // the world assigns the ID, so the ID in a definition is ignored
  double id = 0;
  MUST(imp_field_create(world, &none, &field));
  MUST(imp_field_get(world, field, IMP_FIELD_ID, &id));
  CHECK(id >= 1 && id == floor(id));
  ImpiInvalid invalid = {0};
  CHECK(impi_world_is_valid(world, &invalid));
  imp_world_destroy(world);
}


static void take_the_callback_away(ImpWorld *world, ImpField field, ImpBody body, void *user) {
  (void)field, (void)body;
  ++*(int *)user;
  imp_world_set_field_callback(world, NULL, NULL);
}


static void a_callback_can_remove_itself(void) {
  int calls = 0;
  ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 0);
  for (int i = 0; i < 3; ++i) add_body(world, IMP_BODY_PARTICLE, i, 0, 0);
  ImpFieldDef def = law_of(true);
  ImpField field;
  MUST(imp_field_create(world, &def, &field));
  imp_world_set_field_callback(world, take_the_callback_away, &calls);
  for (int i = 0; i < 2; ++i) MUST(imp_world_step(world));
  CHECK(calls == 1);
  imp_world_destroy(world);
}


int main(int argc, char **argv) {
  read_arguments(argc, argv);
  RUN(every_kind_acts_under_every_solver);
  RUN(disabled_fields_change_no_bit);
  RUN(no_lane_width_changes_a_bit);
  RUN(forces_on_a_body_do_not_depend_on_other_bodies);
  RUN(steps_allocate_no_memory_after_the_first);
  RUN(an_explosion_gives_its_whole_impulse_at_any_start);
  RUN(a_snapshot_at_any_step_continues_to_the_same_bits);
  RUN(a_restore_revalidates_handles_of_the_snapshot_and_invalidates_newer_ones);
  RUN(running_out_of_memory_changes_nothing);
  RUN(a_tape_is_replaced_completely_or_not_at_all);
  RUN(destroyed_bodies_are_removed_from_the_lists);
  RUN(a_field_acts_inside_its_region_only);
  RUN(a_region_around_all_bodies_changes_no_bit);
  RUN(a_field_made_in_a_substep_acts_from_it_until_it_is_destroyed);
  RUN(a_non_finite_law_disables_its_body_alone);
  RUN(a_callback_can_remove_itself);
  RUN(numbers_out_of_range_are_refused);
  return check_report("field");
}
