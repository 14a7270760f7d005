// Memory: no allocation in a step after warm-up, no leaks, and a valid world if memory runs out.
#include <stdlib.h>

#include "scene.h"
#include "world/world.h"

// An allocator that counts bytes and requests, and fails at a given request.
typedef struct Memory {
  size_t bytes;
  long requests;
  long fail_at;  // number of the first failing request, from 1; 0: none
  bool for_ever; // all later requests fail until `fail_at` is reset
  bool failed;
} Memory;


static void *reallocate(void *user, void *old, size_t old_size, size_t new_size) {
  Memory *memory = user;
  if (new_size == 0) {
    memory->bytes -= old_size;
    free(old);
    return NULL;
  }
  memory->requests++;
  if (memory->fail_at > 0 &&
      (memory->requests == memory->fail_at || (memory->for_ever && memory->requests > memory->fail_at))) {
    memory->failed = true;
    return NULL;
  }
  void *block = malloc(new_size); // the sanitizer detects stale pointers to a moved block
  if (old != NULL) {
    memcpy(block, old, old_size < new_size ? old_size : new_size);
    free(old);
  }
  memory->bytes += new_size - old_size;
  return block;
}


static ImpStatus make_world_in(Memory *memory, ImpSolverKind solver, ImpWorld **out_world) {
  ImpWorldDef def = imp_world_def();
  def.allocator = (ImpAllocator){reallocate, memory};
  def.solver = solver;
  return imp_world_create(&def, out_world);
}


// ---------------------------------------------------------------------------------------------------------------------
// After warm-up
// ---------------------------------------------------------------------------------------------------------------------


static void a_step_does_not_allocate_after_warm_up(void) {
  for (int solver = 0; solver < MAIN_SOLVERS; ++solver) {
    Memory memory = {0};
    ImpWorld *world = NULL;
    MUST(make_world_in(&memory, (ImpSolverKind)solver, &world));
    ImpShapeDef def = imp_shape_def();
    const ImpVec2 room[] = {{6, 40}, {6, 0}, {-6, 0}, {-6, 40}};
    ImpShape shape;
    MUST(imp_body_add_chain(world, add_body(world, IMP_BODY_STATIC, 0, 0, 0), &def, room, 4, false, &shape));
    ImpBody paddle = add_body(world, IMP_BODY_KINEMATIC, 0, 2, 0);
    add_box(world, paddle, def, 6, 0.3);
    set_velocity(world, paddle, 0, 0, 1.5);
    ImpBody thrown = drop_disc(world, def, 0, 30, 0.4);
    for (int i = 0; i < 200; ++i) {
      double x = i % 15 * 0.7 - 5, y = 4.5 + i / 15 * 0.7;
      i % 2 == 0 ? drop_disc(world, def, x, y, 0.3) : drop_box(world, def, x, y + 20);
    }
    for (int i = 0; i < 2600; ++i) { // lists and SIMD lanes reach their largest size
      MUST(imp_body_apply_force(world, thrown, vec(i / 300 % 2 == 0 ? 20 : -20, 30)));
      run(world, 1);
    }
    long before = memory.requests;
    size_t bytes = memory.bytes;
    for (int i = 0; i < 300; ++i) {
      MUST(imp_body_apply_force(world, thrown, vec(-20, 30)));
      run(world, 1);
    }
    CHECK(memory.requests == before);
    CHECK(memory.bytes == bytes && imp_world_counts(world).bytes == bytes);
    measured("allocations in 300 steps after warm-up, expected 0", (double)(memory.requests - before));
    imp_world_destroy(world);
    CHECK(memory.bytes == 0);
  }
}


// The memory of a step in which all contacts begin is freed later.
static void memory_of_a_peak_is_released(void) {
  Memory memory = {0};
  ImpWorld *world = NULL;
  MUST(make_world_in(&memory, IMP_SOLVER_SOFT, &world));
  MUST(imp_world_set(world, IMP_WORLD_SLEEP, 0));
  ImpShapeDef def = imp_shape_def();
  add_box(world, add_body(world, IMP_BODY_STATIC, 0, -0.5, 0), def, 2000, 1);
  for (int i = 0; i < 1500; ++i) drop_box(world, def, 1.3 * i - 975, 0.5);
  run(world, 2);
  CHECK(imp_world_counts(world).contacts == 1500);
  size_t then = memory.bytes;
  run(world, 2 * IMPI_PEAK_USES);
  size_t now = memory.bytes;
  long before = memory.requests;
  CHECK(now + 800 * sizeof(ImpEvent) < then && imp_world_counts(world).bytes == now);
  run(world, 5 * IMPI_PEAK_USES);
  CHECK(memory.requests == before && memory.bytes == now);
  measured("bytes released by 1500 boxes", (double)then - (double)now);
  imp_world_destroy(world);
  CHECK(memory.bytes == 0);
}


// Equal shapes share one geometry, also after a restore.
static void equal_shapes_share_one_geometry(void) {
  Memory memory = {0};
  ImpWorld *world = NULL;
  MUST(make_world_in(&memory, IMP_SOLVER_SOFT, &world));
  MUST(imp_world_set(world, IMP_WORLD_SLEEP, 0));
  ImpShapeDef def = imp_shape_def();
  add_box(world, add_body(world, IMP_BODY_STATIC, 0, -0.5, 0), def, 2000, 1);
  ImpBody bodies[400];
  for (int i = 0; i < 400; ++i) {
    double x = 4 * (i / 2) - 400;
    bodies[i] = i % 2 == 0 ? drop_box(world, def, x, 0.5) : drop_disc(world, def, x + 2, 0.5, 0.5);
  }
  const ImpiHull *box = world->shapes.data[1].geometry.hulls, *disc = world->shapes.data[2].geometry.hulls;
  for (int i = 0; i < 400; ++i) {
    CHECK(world->shapes.data[i + 1].geometry.hulls == (i % 2 == 0 ? box : disc));
  }
  size_t size;
  void *state;
  MUST(imp_world_snapshot(world, &state, &size));
  size_t bytes = memory.bytes;
  for (int i = 0; i < 399; ++i) MUST(imp_body_destroy(world, bodies[i < 2 ? 1 - i : i]));
  CHECK(world->shapes.data[400].geometry.hulls == disc);
  run(world, 30);
  CHECK(fabs(position(world, bodies[399]).y - 0.5) < 1e-3);
  MUST(imp_world_restore(world, state, size));
  CHECK(world->shapes.data[1].geometry.hulls == world->shapes.data[399].geometry.hulls);
  CHECK(world->shapes.data[1].geometry.figure->users == 200 && memory.bytes < bytes + bytes / 4);
  imp_snapshot_free(state);
  imp_world_destroy(world);
  CHECK(memory.bytes == 0);
}


// ---------------------------------------------------------------------------------------------------------------------
// Out of memory
// ---------------------------------------------------------------------------------------------------------------------

// The state after a run and the number of events. Both are the same whether or not memory ran out during the run.
typedef struct Outcome {
  uint64_t hash;
  int events[IMP_EVENT_COUNT];
  long requests;
  const char *told;
} Outcome;

typedef struct Scenario {
  Memory memory;
  ImpWorld *world;
  ImpBody ground, bodies[12], late;
  int substeps;
  const char *told; // the call that reported the failure, or null
} Scenario;


// Return the world's hash. Allocations of imp_world_hash do not fail and are not counted.
static uint64_t hash_of(Scenario *s) {
  Memory saved = s->memory;
  s->memory.fail_at = 0;
  uint64_t hash = s->world != NULL ? imp_world_hash(s->world) : 0;
  s->memory.fail_at = saved.fail_at;
  s->memory.requests = saved.requests;
  return hash;
}


// Make a call. If it runs out of memory, check that nothing changed and that the repeated call succeeds.
#define TRY(s, call) \
  do { \
    uint64_t before_ = hash_of(s); \
    ImpStatus status_ = (call); \
    if (status_ == IMP_ERR_NOMEM) { \
      bool same_ = hash_of(s) == before_ || strstr(#call, "imp_world_step") != NULL; \
      check_that(same_, __FILE__, __LINE__, "changed the world when it failed: " #call); \
      check_that((s)->memory.failed, __FILE__, __LINE__, "failed although memory was available: " #call); \
      check_that(strstr(imp_last_error(), "out of memory") != NULL, __FILE__, __LINE__, imp_last_error()); \
      (s)->told = #call; \
      (s)->memory.fail_at = 0; \
      status_ = (call); \
    } \
    check_that(status_ == IMP_OK, __FILE__, __LINE__, #call); \
  } while (0)


// Inside a step: create a body with a shape, push a body, destroy a body, teleport a body.
static void interfere(ImpWorld *world, double h, void *user) {
  Scenario *s = user;
  (void)h;
  if (s->substeps++ != 2) {
    return;
  }
  ImpBodyDef def = imp_body_def();
  ImpShapeDef shape_def = imp_shape_def();
  ImpShape shape;
  def.position = vec(-3, 2);
  def.name = "late";
  TRY(s, imp_body_create(world, &def, &s->late));
  TRY(s, imp_body_add_circle(world, s->late, &shape_def, vec(0, 0), 0.3, &shape));
  TRY(s, imp_body_apply_impulse(world, s->bodies[1], vec(0.5, 0)));
  TRY(s, imp_body_set_position(world, s->bodies[2], vec(3, 4)));
  TRY(s, imp_body_destroy(world, s->bodies[3]));
}


static void let_pass(ImpWorld *world, ImpContact contact, void *user) {
  Scenario *s = user;
  ImpContactInfo info;
  MUST(imp_contact_info(world, contact, &info));
  if (info.body_b.id == s->bodies[8].id) MUST(imp_contact_set(world, contact, IMP_CONTACT_ENABLED, 0));
}


static bool refuse_one(ImpWorld *world, ImpShape shape, ImpShape other, void *user) {
  Scenario *s = user;
  ImpBody body;
  (void)shape;
  MUST(imp_shape_body(world, other, &body));
  return body.id != s->bodies[0].id;
}


static void mix(ImpWorld *world, int a, int b, ImpMix *out_mix, void *user) {
  (void)world, (void)user;
  out_mix->friction = 0.25 * (a + b);
}


static void populate(Scenario *s) {
  ImpShapeDef def = imp_shape_def();
  ImpMaterialDef said = imp_material_def();
  int ice = 0, wood = 0;
  TRY(s, imp_world_set_material(s->world, "ice", &said, &ice));
  said.friction = 0.5;
  TRY(s, imp_world_set_material(s->world, "wood", &said, &wood));
  imp_world_set_pre_solve_callback(s->world, let_pass, s);
  imp_world_set_filter_callback(s->world, refuse_one, s);
  imp_world_set_mix_callback(s->world, mix, s);
  TRY(s, imp_material_apply(s->world, ice, &def));
  ImpShape shape;
  const ImpVec2 room[] = {{6, 9}, {6, 0}, {0, -0.2}, {-6, 0}, {-6, 9}};
  const ImpVec2 corners[] = {{-0.3, -0.3}, {0.4, -0.2}, {0.1, 0.4}};
  ImpBodyDef body = imp_body_def();
  body.type = IMP_BODY_STATIC;
  body.name = "ground";
  TRY(s, imp_body_create(s->world, &body, &s->ground));
  def.name = "room";
  TRY(s, imp_body_add_chain(s->world, s->ground, &def, room, 5, false, &shape));
  body.type = IMP_BODY_DYNAMIC;
  for (int i = 0; i < 12; ++i) {
    body.position = vec(i % 4 * 0.7 - 1, 0.5 + i / 4 * 0.7);
    TRY(s, imp_body_create(s->world, &body, &s->bodies[i]));
    ImpBody made = s->bodies[i];
    TRY(s, imp_material_apply(s->world, i % 3 == 0 ? wood : ice, &def));
    def.pre_solve = i > 6;
    def.selective = i % 4 == 1;
    switch (i % 4) {
    case 0:
      TRY(s, imp_body_add_circle(s->world, made, &def, vec(0, 0), 0.3, &shape));
      break;
    case 1:
      TRY(s, imp_body_add_box(s->world, made, &def, 0.6, 0.5, vec(0, 0), 0, 0.02, &shape));
      break;
    case 2:
      TRY(s, imp_body_add_polygon(s->world, made, &def, corners, 3, 0, &shape));
      break;
    default:
      TRY(s, imp_body_add_capsule(s->world, made, &def, vec(-0.2, 0), vec(0.2, 0), 0.2, &shape));
    }
  }
  TRY(s, imp_body_set_name(s->world, s->bodies[0], "renamed"));
}


static void play(ImpSolverKind solver, long fail_at, bool for_ever, Outcome *out_outcome) {
  Scenario s = {.memory = {.fail_at = fail_at, .for_ever = for_ever}};
  *out_outcome = (Outcome){0};
  TRY(&s, make_world_in(&s.memory, solver, &s.world));
  populate(&s);
  for (int step = 0; step < 150; ++step) {
    if (step == 20) {
      ImpShape shape = imp_body_next_shape(s.world, s.bodies[4], (ImpShape){0});
      TRY(&s, imp_body_destroy(s.world, s.bodies[5]));
      TRY(&s, imp_shape_destroy(s.world, shape));
      TRY(&s, imp_body_apply_force_at(s.world, s.bodies[6], vec(0, 30), vec(0, 1)));
      TRY(&s, imp_body_set_type(s.world, s.bodies[7], IMP_BODY_KINEMATIC));
      imp_world_set_substep_callback(s.world, interfere, &s);
    }
    if (step == 25) imp_world_set_substep_callback(s.world, NULL, NULL);
    TRY(&s, imp_world_step(s.world));
    for (int kind = 0; kind < IMP_EVENT_COUNT; ++kind) {
      out_outcome->events[kind] += event_count(s.world, (ImpEventKind)kind);
    }
  }
  CHECK(imp_world_find_body(s.world, "renamed").id == s.bodies[0].id);
  CHECK(imp_world_find_body(s.world, "late").id == s.late.id && s.late.id != 0);
  out_outcome->hash = hash_of(&s);
  out_outcome->requests = s.memory.requests;
  out_outcome->told = s.told;
  CHECK(imp_world_counts(s.world).bytes == s.memory.bytes);
  CHECK(imp_world_destroy(s.world) == IMP_OK);
  CHECK(s.memory.bytes == 0); // no leak
  CHECK(s.memory.failed == (fail_at > 0));
}


// Without --long only two solvers are tested, because a solver that factorizes takes a minute. A failed request for
// memory may lose an event without an error.
static void running_out_of_memory_at_any_moment_changes_nothing(void) {
  for (int solver = 0; solver < (long_run ? IMP_SOLVER_COUNT : MAIN_SOLVERS); ++solver) {
    Outcome smooth, rough;
    play((ImpSolverKind)solver, 0, false, &smooth);
    CHECK(smooth.events[IMP_EVENT_BEGIN_CONTACT] > 10 && smooth.events[IMP_EVENT_END_CONTACT] > 10);
    int told = 0;
    for (long k = 1; k <= smooth.requests; ++k) {
      play((ImpSolverKind)solver, k, true, &rough);
      play((ImpSolverKind)solver, k, false, &rough);
      told += rough.told != NULL;
      CHECK(rough.hash == smooth.hash);
      bool same_events = memcmp(rough.events, smooth.events, sizeof rough.events) == 0;
      CHECK(same_events || rough.told == NULL);
      if (show_measured && (rough.hash != smooth.hash || !same_events)) {
        printf("  request %ld of %ld, hash %s, events %s, told by %s\n", k, smooth.requests,
               rough.hash == smooth.hash ? "same" : "differs", same_events ? "same" : "differ",
               rough.told != NULL ? rough.told : "nothing");
      }
    }
    measured("out of memory: requests, each failed alone and with all later requests", (double)smooth.requests);
    measured("out of memory: single failed requests that a call reported", told);
  }
}


int main(int argc, char **argv) {
  read_arguments(argc, argv);
  RUN(a_step_does_not_allocate_after_warm_up);
  RUN(equal_shapes_share_one_geometry);
  RUN(memory_of_a_peak_is_released);
  RUN(running_out_of_memory_at_any_moment_changes_nothing);
  return check_report("memory");
}
