// Faults inside a step, from C: only the body with non-finite state is disabled. The oracle is a twin world
// (faults_spec.lua).
#include "failing_memory.h"
#include "scene.h"
#include "validate.h"
#include "world/world.h"

#define BOXES 15

static const double g = 9.81;

typedef struct Heap {
  ImpWorld *world;
  ImpBody body[BOXES];
  int extreme; // index of the thrown box, -1: none
  int calls;
} Heap;


static void throw_it(ImpWorld *world, double h, void *user) {
  Heap *heap = user;
  (void)h;
  heap->calls++;
  if (heap->extreme >= 0) {
    ImpStatus status = imp_body_apply_impulse(world, heap->body[heap->extreme], vec(9e14, -9e14));
    CHECK(status == IMP_OK || status == IMP_ERR_NOMEM);
  }
}


static void pile(Heap *heap, ImpWorldDef def, uint64_t seed) {
  *heap = (Heap){.extreme = -1};
  MUST(imp_world_create(&def, &heap->world));
  add_ground(heap->world, material(1, 0.6, 0), 0);
  for (int i = 0; i < BOXES; ++i) {
    double slide = 0.05 * (double)((seed >> i % 32) & 3u);
    heap->body[i] = drop_box(heap->world, material(1, 0.6, 0), 1.02 * (i % 3) + slide, 0.5 + i / 3);
    if (i >= 3 && (seed >> (i + 7) % 48 & 3u) == 0) {
      ImpJointDef joint = imp_joint_def(IMP_JOINT_REVOLUTE, heap->body[i - 3], heap->body[i]);
      ImpJoint made;
      MUST(imp_joint_create(heap->world, &joint, &made));
    }
  }
  imp_world_set_substep_callback(heap->world, throw_it, heap);
}


static int faults_of(const ImpWorld *world, uint64_t *out_body) {
  int count = 0;
  const ImpEvent *faults = imp_world_events(world, IMP_EVENT_FAULT, &count);
  *out_body = count > 0 ? faults[0].body_a.id : 0;
  return count;
}


static void a_heap_continues_as_without_the_disabled_body(void) {
  uint64_t random = 88172645463325252u;
  for (int round = 0; round < 2 * IMP_SOLVER_COUNT; ++round) {
    ImpWorldDef def = imp_world_def();
    def.solver = (ImpSolverKind)(round % IMP_SOLVER_COUNT);
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    Heap heap, twin;
    pile(&heap, def, random);
    pile(&twin, def, random);
    // A substep callback's impulse wakes a sleeping body only in the next step: the fault would be one step late.
    set_world(heap.world, IMP_WORLD_SLEEP, 0);
    set_world(twin.world, IMP_WORLD_SLEEP, 0);
    int when = 15 + (int)(random % 15), who = (int)(random % BOXES);
    uint64_t named = 0;
    for (int step = 0; step < 36; ++step) {
      heap.extreme = twin.extreme = step == when ? who : -1;
      if (step == when) MUST(imp_body_set(twin.world, twin.body[who], IMP_BODY_ENABLED, 0));
      run(heap.world, 1);
      run(twin.world, 1);
      CHECK(faults_of(heap.world, &named) == (step == when) && (step != when || named == heap.body[who].id));
      CHECK(imp_world_hash(heap.world) == imp_world_hash(twin.world));
    }
    CHECK(body_get(heap.world, heap.body[who], IMP_BODY_ENABLED) == 0);
    MUST(imp_body_set_position(heap.world, heap.body[who], vec(-8, 3)));
    MUST(imp_body_set(heap.world, heap.body[who], IMP_BODY_ENABLED, 1));
    run(heap.world, 30);
    validate_world(heap.world);
    imp_world_destroy(heap.world);
    imp_world_destroy(twin.world);
  }
}


// If memory runs out in a step with a fault, the world stays valid, whether the step succeeds or returns
// IMP_ERR_NOMEM. The next steps succeed, and only the body with the fault is disabled.
static void memory_can_fail_while_a_fault_is_handled(void) {
  bool made = false;
  for (long n = 1; !made; ++n) {
    Memory memory = {0};
    ImpWorldDef def = imp_world_def();
    def.allocator = (ImpAllocator){reallocate, &memory};
    Heap heap;
    pile(&heap, def, 987654321);
    heap.extreme = 4;
    memory.fail_at = memory.requests + n;
    ImpStatus status = imp_world_step(heap.world);
    made = memory.requests < memory.fail_at;
    CHECK(status == IMP_OK || status == IMP_ERR_NOMEM);
    memory.fail_at = 0;
    validate_world(heap.world);
    run(heap.world, 2);
    CHECK(body_get(heap.world, heap.body[4], IMP_BODY_ENABLED) == 0);
    for (int i = 0; i < BOXES; ++i) {
      CHECK(i == 4 || body_get(heap.world, heap.body[i], IMP_BODY_ENABLED) == 1);
    }
    imp_world_destroy(heap.world);
    CHECK(memory.bytes == 0);
  }
}


// After the first step with a fault, further steps with a fault allocate no memory.
static void a_repeated_step_allocates_no_memory(void) {
  for (int solver = 0; solver < IMP_SOLVER_COUNT; ++solver) {
    Memory memory = {0};
    ImpWorldDef def = imp_world_def();
    def.allocator = (ImpAllocator){reallocate, &memory};
    def.solver = (ImpSolverKind)solver;
    Heap heap;
    pile(&heap, def, 424242);
    set_world(heap.world, IMP_WORLD_SLEEP, 0);
    run(heap.world, 100);
    heap.extreme = BOXES - 1;
    run(heap.world, 1);
    heap.extreme = BOXES - 2;
    long before = memory.requests;
    run(heap.world, 1);
    CHECK(memory.requests == before);
    CHECK(body_get(heap.world, heap.body[BOXES - 2], IMP_BODY_ENABLED) == 0);
    imp_world_destroy(heap.world);
  }
}


// No step is possible at the largest tick, 2^53, because a double represents integers up to 2^53.
static void the_clock_ends_at_2_to_the_53(void) {
  const uint64_t starts[] = {((uint64_t)1 << 32) - 3, IMP_MAX_TICK - 40};
  for (int i = 0; i < IMPI_COUNT(starts); ++i) {
    Heap late, early;
    pile(&late, imp_world_def(), 12345);
    pile(&early, imp_world_def(), 12345);
    late.world->tick = starts[i];
    for (int step = 1; step <= 40; ++step) {
      run(late.world, 1);
      run(early.world, 1);
      CHECK(imp_world_tick(late.world) == starts[i] + (uint64_t)step && isfinite(late.world->time));
      for (int k = 0; k < BOXES; ++k) {
        uint64_t a = 0, b = 1;
        MUST(imp_body_hash(late.world, late.body[k], &a));
        MUST(imp_body_hash(early.world, early.body[k], &b));
        CHECK(a == b);
      }
    }
    uint64_t before = imp_world_hash(late.world);
    CHECK(imp_world_step(late.world) == (i == 1 ? IMP_ERR_LIMIT : IMP_OK));
    CHECK(i != 1 || strstr(imp_last_error(), "no step follows tick 9.00719925e+15 at ") != NULL);
    CHECK((imp_world_hash(late.world) == before) == (i == 1));
    imp_world_destroy(late.world);
    imp_world_destroy(early.world);
  }
}


static const ImpiMotion *motion_of(const ImpWorld *world, ImpBody body) {
  return &world->motions.data[impi_pool_find(&world->body_pool, body.id, world->tag)];
}


// Two boxes lie side by side, with a third box on the first box. The velocity of the first box leaves the range of
// float. Return the final position of a fourth box, which falls far away.
static void run_with_fault(ImpSolverKind solver, bool faulty, double inertia, ImpVec2 *out_witness) {
  ImpWorld *world = make_world(solver, 1.0 / 60, g);
  add_ground(world, material(1, 0.6, 0), 0);
  ImpBody bad = drop_box(world, material(1, 0.6, 0), 0, 0.5), neighbour = drop_box(world, material(1, 0.6, 0), 1, 0.5);
  ImpBody on_top = drop_box(world, material(1, 0.6, 0), 0, 1.5), witness = drop_box(world, material(1, 0.6, 0), 20, 4);
  run(world, 20);
  if (faulty) MUST(imp_body_set(world, bad, IMP_BODY_INERTIA, inertia));
  const char *stage = NULL;
  int faults = 0, count;
  for (int i = 0; i < 120; ++i) {
    if (faulty && body_get(world, bad, IMP_BODY_ENABLED) == 1) {
      for (int k = 0; k < 20; ++k) {
        MUST(imp_body_apply_force_at(world, bad, vec(9e14, 9e14), vec(-9e14, 9e14)));
      }
    }
    run(world, 1);
    const ImpEvent *fault = imp_world_events(world, IMP_EVENT_FAULT, &count);
    for (int k = 0; k < count; ++k) {
      faults++;
      CHECK(fault[k].body_a.id == bad.id);
      stage = fault[k].text;
    }
    for (ImpBody body = {0}; (body = imp_world_next_body(world, body)).id != 0;) {
      CHECK(impi_motion_is_sane(motion_of(world, body)));
    }
  }
  if (faulty) {
    CHECK(faults == 1 && stage != NULL && strlen(stage) > 0);
    CHECK(body_get(world, bad, IMP_BODY_ENABLED) == 0);
    CHECK_NEAR(position(world, bad).y, 0.5, 0.01); // the box is at its last valid pose
    ImpContact contact = imp_body_next_contact(world, bad, (ImpContact){0});
    CHECK(contact.id == 0);
    CHECK(body_get(world, neighbour, IMP_BODY_ENABLED) == 1 && body_get(world, on_top, IMP_BODY_ENABLED) == 1);
    CHECK_NEAR(position(world, neighbour).x, 1, 0.01);
    CHECK_NEAR(position(world, on_top).y, 0.5, 0.01); // the box fell through the disabled body
    MUST(imp_body_destroy(world, bad));
    run(world, 10);
  }
  *out_witness = position(world, witness);
  imp_world_destroy(world);
}


static void a_non_finite_body_is_disabled_alone(void) {
  // The first inertia makes speeds huge. The second inertia makes speeds exceed the range of float.
  const double inertia[] = {0.2, 2e-12};
  ImpVec2 with, without;
  for (int i = 0; i < 4; ++i) {
    run_with_fault((ImpSolverKind)(i / 2), true, inertia[i % 2], &with);
    run_with_fault((ImpSolverKind)(i / 2), false, 0, &without);
    CHECK(with.x == without.x && with.y == without.y);
  }
}


static void a_free_body_beyond_the_limit_is_disabled(void) {
  for (int solver = 0; solver < MAIN_SOLVERS; ++solver) {
    ImpWorld *world = make_world((ImpSolverKind)solver, 1.0 / 60, g);
    ImpBody forced = drop_box(world, imp_shape_def(), 0, 5), fast = drop_box(world, imp_shape_def(), 9, 5);
    ImpBody calm = drop_box(world, imp_shape_def(), 20, 5);
    set_velocity(world, fast, 9e6, 9e6, 9e6);
    int faults = 0;
    for (int i = 0; i < 200; ++i) {
      if (body_get(world, forced, IMP_BODY_ENABLED) == 1) MUST(imp_body_apply_force(world, forced, vec(9e14, 0)));
      run(world, 1);
      faults += event_count(world, IMP_EVENT_FAULT);
    }
    CHECK(faults == 2);
    CHECK(body_get(world, forced, IMP_BODY_ENABLED) == 0 && body_get(world, fast, IMP_BODY_ENABLED) == 0);
    CHECK(body_get(world, calm, IMP_BODY_ENABLED) == 1);
    double h = 1.0 / 60 / (solver == IMP_SOLVER_SOFT ? 4 : 1), n = 200 / 60.0 / h;
    CHECK_NEAR(position(world, calm).y, 5 - g * h * h * n * (n + 1) / 2, 1e-10);
    imp_world_destroy(world);
  }
}


int main(int argc, char **argv) {
  read_arguments(argc, argv);
  RUN(a_non_finite_body_is_disabled_alone);
  RUN(a_free_body_beyond_the_limit_is_disabled);
  RUN(a_heap_continues_as_without_the_disabled_body);
  RUN(memory_can_fail_while_a_fault_is_handled);
  RUN(a_repeated_step_allocates_no_memory);
  RUN(the_clock_ends_at_2_to_the_53);
  return check_report("faults");
}
