// Memory of joints: random operations leak nothing, a step does not allocate after warm-up, and a failed request leaves
// the world unchanged.
#include <stdlib.h>

#include "rig.h"

// An allocator that counts bytes and requests, fails at a given request, and always moves the block and overwrites the
// old block.
typedef struct Memory {
  size_t bytes;
  long requests;
  long fail_at; // number of the failing request, from 1; 0: none
} Memory;


static void *reallocate(void *user, void *old, size_t old_size, size_t new_size) {
  Memory *memory = user;
  unsigned char *block = NULL;
  if (new_size > 0) {
    block = ++memory->requests == memory->fail_at ? NULL : malloc(new_size);
    if (block == NULL) return NULL;
  }
  if (old != NULL) {
    if (block != NULL) memcpy(block, old, old_size < new_size ? old_size : new_size);
    volatile unsigned char *bytes = old;
    for (size_t i = 0; i < old_size; ++i) {
      bytes[i] = 0xff;
    }
    free(old);
  }
  memory->bytes += new_size - old_size;
  return block;
}


static ImpWorld *make_world_in(Memory *memory, int solver) {
  ImpWorldDef def = imp_world_def();
  def.allocator = (ImpAllocator){reallocate, memory};
  def.solver = (ImpSolverKind)solver;
  ImpWorld *world = NULL;
  MUST(imp_world_create(&def, &world));
  return world;
}


// ---------------------------------------------------------------------------------------------------------------------
// Random operations
// ---------------------------------------------------------------------------------------------------------------------

enum { MOST_BODIES = 16, MOST_JOINTS = 32 };

typedef struct Life {
  ImpWorld *world;
  ImpBody bodies[MOST_BODIES];
  ImpJoint joints[MOST_JOINTS];
  int body_count, joint_count;
  int done[12]; // number of calls of each kind
} Life;


static int pick(int limit) { return (int)random_in(0, limit) % limit; }


static ImpDrive any_drive(void) {
  ImpDrive drive = imp_drive();
  drive.on = (unsigned)pick(1 << IMP_DRIVE_COUNT);
  drive.lock = random_in(-0.1, 0.1);
  drive.lower = pick(4) == 0 ? -HUGE_VAL : random_in(-2, 0);
  drive.upper = pick(4) == 0 ? HUGE_VAL : random_in(0, 2);
  drive.speed = random_in(-2, 2);
  drive.motor_max = pick(4) == 0 ? HUGE_VAL : random_in(0, 20);
  drive.target = random_in(-1, 1);
  drive.servo_max = random_in(0, 20);
  drive.hertz = pick(2) * random_in(0.1, 10);
  drive.stiffness = drive.hertz > 0 ? 0 : random_in(0, 100);
  drive.damping_ratio = random_in(0, 2);
  drive.spring_max = random_in(0, 50);
  drive.force = random_in(-5, 5);
  return drive;
}


static void forget_the_dead(Life *life) {
  int kept = 0;
  for (int i = 0; i < life->joint_count; ++i) {
    if (imp_joint_is_valid(life->world, life->joints[i])) life->joints[kept++] = life->joints[i];
  }
  life->joint_count = kept;
}


static ImpBody any_body(const Life *life) { return life->bodies[pick(life->body_count)]; }
static ImpJoint any_joint(const Life *life) { return life->joints[pick(life->joint_count)]; }


static void keep(Life *life, ImpStatus status, ImpJoint joint) {
  // A joint of a body with itself, of two static bodies, or of a gear with a gear is refused.
  CHECK(status == IMP_OK || status == IMP_ERR_ARGUMENT);
  if (status == IMP_OK) life->joints[life->joint_count++] = joint;
}


static void make_any_joint(Life *life) {
  ImpJoint joint = {0};
  ImpJointKind kind = (ImpJointKind)pick(IMP_JOINT_CONSTRAINT);
  ImpJointDef def = imp_joint_def(kind, any_body(life), any_body(life));
  def.name = pick(3) == 0 ? "named" : NULL;
  def.collide = pick(2) == 0;
  def.break_force = pick(4) == 0 ? random_in(0, 200) : HUGE_VAL;
  def.drive[0] = pick(3) == 0 ? any_drive() : imp_drive();
  if (imp_joint_kind((int)kind)->options & IMP_TAKES_TERMS) {
    def.body_a = def.body_b = (ImpBody){0};
    if (life->joint_count == 0) return;
    def.term[0] = (ImpCoordinate){any_joint(life), pick(3)};
    def.term[1] = (ImpCoordinate){any_joint(life), pick(3)};
  }
  keep(life, imp_joint_create(life->world, &def, &joint), joint);
}


static void make_any_constraint(Life *life) {
  ImpBody bodies[2] = {any_body(life), any_body(life)};
  ImpJoint joint = {0};
  Tape tape = {0};
  int32_t x = put(&tape, IMP_OP_X, 0, -1), y = put(&tape, IMP_OP_Y, 0, -1);
  const int32_t results[2] = {put(&tape, IMP_OP_SUB, x, put(&tape, IMP_OP_X, 1, -1)),
                              put(&tape, IMP_OP_ADD, y, put(&tape, IMP_OP_ANGLE, 1, -1))};
  ImpConstraintDef def = imp_constraint_def();
  def.bodies = bodies;
  def.body_count = 2;
  def.name = pick(2) == 0 ? "mine" : NULL;
  def.tape = (ImpTapeDef){.nodes = tape.nodes, .node_count = tape.count, .results = results, .result_count = 2};
  def.drive = any_drive();
  def.max_rows = pick(2) * 3;
  ImpStatus status = imp_constraint_create(life->world, &def, &joint);
  keep(life, status, joint);
  if (status == IMP_OK && def.max_rows > 0) {
    const double j[6] = {1, 0, 0, -1, 0, 0.5};
    const ImpUserRow row = {j, 0.1, 0, false, -10, 10};
    MUST(imp_constraint_set_rows(life->world, joint, &row, 1));
  }
}


// Make one random call, inside a step or between two steps.
static void live(Life *life) {
  ImpWorld *world = life->world;
  forget_the_dead(life);
  int what = pick(12);
  bool joints = life->joint_count > 0, room = life->joint_count < MOST_JOINTS;
  life->done[what]++;
  if (what == 0 && life->body_count < MOST_BODIES) {
    ImpBodyType type = pick(6) == 0 ? IMP_BODY_KINEMATIC : pick(4) == 0 ? IMP_BODY_PARTICLE : IMP_BODY_DYNAMIC;
    ImpBody body = add_body(world, type, random_in(-3, 3), random_in(-3, 3), 0);
    if (pick(2) == 0) add_circle(world, body, material(1, 0.5, 0), 0.3);
    life->bodies[life->body_count++] = body;
  } else if (what == 1 && life->body_count > 4) {
    int at = pick(life->body_count);
    MUST(imp_body_destroy(world, life->bodies[at]));
    life->bodies[at] = life->bodies[--life->body_count];
  } else if (what <= 6 && room) {
    what < 6 ? make_any_joint(life) : make_any_constraint(life);
  } else if (what == 7 && joints) {
    MUST(imp_joint_destroy(world, any_joint(life)));
  } else if (what == 8 && joints) {
    MUST(imp_joint_break(world, any_joint(life), pick(2) == 0));
  } else if (what == 9 && joints) {
    MUST(imp_joint_set_name(world, any_joint(life), pick(2) == 0 ? "another" : NULL));
  } else if (what >= 10 && joints) {
    ImpJoint joint = any_joint(life);
    ImpDrive drive = any_drive();
    int count = 0;
    MUST(imp_joint_coordinate_count(world, joint, &count));
    if (count > 0) {
      ImpStatus status = imp_coordinate_set_drive(world, (ImpCoordinate){joint, pick(count)}, &drive);
      ImpJointKind kind;
      MUST(imp_joint_kind_of(world, joint, &kind));
      // A constraint of rows has no drives.
      CHECK(status == IMP_OK || (status == IMP_ERR_ARGUMENT && kind == IMP_JOINT_CONSTRAINT));
    }
  }
}


static void live_in_substep(ImpWorld *world, double h, void *user) {
  (void)world;
  (void)h;
  if (pick(4) == 0) live(user);
}


// Check that the joint lists of the world and of the bodies agree with the number of joints.
static void check_lists(const Life *life) {
  int walked = 0, of_bodies = 0, ends = 0;
  for (ImpJoint j = {0}; (j = imp_world_next_joint(life->world, j)).id != 0;) {
    ImpBody bodies[8];
    int count = 0;
    MUST(imp_joint_bodies(life->world, j, bodies, 8, &count));
    for (int i = 0; i < count; ++i) {
      CHECK(imp_body_is_valid(life->world, bodies[i]));
    }
    ends += count;
    walked++;
  }
  ImpBody ground;
  MUST(imp_world_ground(life->world, &ground));
  for (ImpBody b = ground; b.id != 0; b = imp_world_next_body(life->world, b.id == ground.id ? (ImpBody){0} : b)) {
    for (ImpJoint j = {0}; (j = imp_body_next_joint(life->world, b, j)).id != 0;) {
      of_bodies++;
    }
  }
  CHECK(walked == imp_world_counts(life->world).joints && walked == life->joint_count && of_bodies == ends);
}


// Solvers that factorize run only with --long, because contradictory joints make each of these solvers run for 7 s.
static void random_changes_of_joints_leak_no_memory(void) {
  FOR_EVERY_SOLVER(s) {
    if (!long_run && s >= IMP_SOLVER_DIRECT) continue;
    Memory memory = {0};
    Life life = {.world = make_world_in(&memory, s), .body_count = 5};
    random_state = 1;
    for (int i = 0; i < 5; ++i) life.bodies[i] = add_mass(life.world, i, 0, 1, 0.2);
    imp_world_set_substep_callback(life.world, live_in_substep, &life);
    int faults = 0, most = 0;
    for (int i = 0; i < 10000; ++i) {
      live(&life);
      most = life.joint_count > most ? life.joint_count : most;
      if (i % 4 == 0) {
        run(life.world, 1);
        faults += event_count(life.world, IMP_EVENT_FAULT);
      }
      if (i % 100 == 0) {
        forget_the_dead(&life);
        check_lists(&life);
        CHECK(imp_world_counts(life.world).bytes == memory.bytes);
      }
    }
    int least = life.done[0];
    for (int i = 1; i < 12; ++i) least = life.done[i] < least ? life.done[i] : least;
    CHECK(least > 500 && most > MOST_JOINTS / 2);
    measured("random changes: greatest number of joints", most);
    measured("random changes: bodies disabled by faults", faults);
    measured("random changes: bytes of the world at its end", (double)memory.bytes);
    imp_world_destroy(life.world);
    EXPECT((double)memory.bytes, 0, 0, "10^4 random calls: bytes not freed, expected 0");
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// After warm-up
// ---------------------------------------------------------------------------------------------------------------------


static void a_step_with_joints_does_not_allocate_after_warm_up(void) {
  FOR_EVERY_SOLVER(s) {
    Memory memory = {0};
    ImpWorld *world = make_world_in(&memory, s);
    ImpBody last = ground_of(world);
    ImpJoint joint = {0}, first = {0};
    for (int i = 0; i < 20; ++i) {
      ImpBody link = add_mass(world, i + 0.5, 0, 1, 0.1);
      ImpJointDef def = joint_at(i % 3 == 2 ? IMP_JOINT_WELD : IMP_JOINT_REVOLUTE, last, link, i, 0);
      if (i % 3 == 1) def.drive[2] = spring_at(3, 0.5);
      joint = add_joint(world, def);
      if (i == 0) first = joint;
      last = link;
    }
    couple(world, IMP_JOINT_GEAR, (ImpCoordinate){first, 2}, (ImpCoordinate){joint, 2}, 2);
    long before = 0;
    for (int i = 0; i < 200; ++i) {
      if (i == 50) before = memory.requests;
      set_drive(world, first, 2, i % 2 == 0 ? motor_of(1, 5) : spring_at(2, 1)); // creates and frees drives
      run(world, 1);
      reaction_of(world, joint);
      coordinate_of(world, joint, 1);
      energy_of(world);
      row_of(world, joint, IMP_ROW_LOCK);
    }
    EXPECT((double)(memory.requests - before), 0, 0, "allocations in 150 steps and readings after warm-up, expected 0");
    imp_world_destroy(world);
    CHECK(memory.bytes == 0);
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Out of memory
// ---------------------------------------------------------------------------------------------------------------------

typedef struct Stage {
  Memory memory;
  ImpWorld *world;
  ImpBody a, b;
  ImpJoint pin_a, pin_b, tape, made;
} Stage;


static ImpStatus try_kind(Stage *stage, int kind) {
  ImpJointDef def = imp_joint_def((ImpJointKind)kind, stage->a, stage->b);
  def.name = "a name";
  if (imp_joint_kind(kind)->options & IMP_TAKES_TERMS) {
    def.body_a = def.body_b = (ImpBody){0};
    def.term[0] = (ImpCoordinate){stage->pin_a, 2};
    def.term[1] = (ImpCoordinate){stage->pin_b, 2};
  }
  def.drive[0] = servo_to(0, 5);
  return imp_joint_create(stage->world, &def, &stage->made);
}


static ImpStatus try_constraint(Stage *stage, bool rows) {
  Tape tape = {0};
  const int32_t result = put_square(&tape);
  const double param = 1;
  ImpConstraintDef def = imp_constraint_def();
  def.bodies = &stage->b;
  def.body_count = def.param_count = 1;
  def.params = &param;
  def.name = "a name";
  def.max_rows = rows ? 3 : 0;
  def.tape = (ImpTapeDef){.nodes = tape.nodes, .node_count = tape.count, .results = &result, .result_count = 1};
  def.drive = spring_of(1, 0);
  return imp_constraint_create(stage->world, &def, &stage->made);
}


static ImpStatus try_set(Stage *stage, int what) {
  Tape tape = {0};
  const int32_t result = put_square(&tape);
  const ImpTapeDef def = {.nodes = tape.nodes, .node_count = tape.count, .results = &result, .result_count = 1};
  ImpDrive drive = motor_of(1, 1);
  const ImpRowInfo *rows;
  int count;
  switch (what) {
  case 0:
    return imp_coordinate_set_drive(stage->world, (ImpCoordinate){stage->pin_a, 0}, &drive);
  case 1:
    return imp_joint_set_name(stage->world, stage->pin_a, "another name");
  case 2:
    return imp_constraint_set_tape(stage->world, stage->tape, &def);
  default:
    return imp_world_rows(stage->world, &rows, &count);
  }
}


enum { KINDS = IMP_JOINT_CONSTRAINT, CALLS = KINDS + 6 };

static ImpStatus try_call(Stage *stage, int call) {
  return call < KINDS       ? try_kind(stage, call)
         : call < KINDS + 2 ? try_constraint(stage, call == KINDS)
                            : try_set(stage, call - KINDS - 2);
}


static void set_stage(Stage *stage, int solver) {
  *stage = (Stage){.world = NULL};
  stage->world = make_world_in(&stage->memory, solver);
  stage->a = add_mass(stage->world, 0, 0, 1, 1);
  stage->b = add_mass(stage->world, 1, 0, 1, 1);
  stage->pin_a = add_joint(stage->world, joint_at(IMP_JOINT_REVOLUTE, stage->a, stage->b, 0, 0));
  stage->pin_b = add_joint(stage->world, joint_at(IMP_JOINT_REVOLUTE, stage->b, stage->a, 1, 0));
  Tape tape = {0};
  put_square(&tape);
  stage->tape = add_tape(stage->world, stage->b, &tape, push_of(1));
}


// Return the world's hash. Allocations of imp_world_hash do not fail and are not counted.
static uint64_t hash_of(Stage *stage) {
  Memory saved = stage->memory;
  stage->memory.fail_at = 0;
  uint64_t hash = imp_world_hash(stage->world);
  stage->memory.fail_at = saved.fail_at;
  stage->memory.requests = saved.requests;
  return hash;
}


static int joints_of(const ImpWorld *world) {
  int count = 0;
  for (ImpJoint j = {0}; (j = imp_world_next_joint(world, j)).id != 0;) {
    count++;
  }
  return count;
}


// Each memory request of each call fails in turn. The call fails, changes nothing, and succeeds when repeated.
static void a_call_that_runs_out_of_memory_changes_nothing(void) {
  FOR_EVERY_SOLVER(s) {
    int failures = 0, calls = 0;
    for (int call = 0; call < CALLS; ++call) {
      uint64_t expected = 0;
      for (int at = 0;; ++at) { // 0: no request fails
        Stage stage;
        set_stage(&stage, s);
        uint64_t before = hash_of(&stage);
        int joints = joints_of(stage.world);
        stage.memory.fail_at = at > 0 ? stage.memory.requests + at : 0;
        ImpStatus status = try_call(&stage, call);
        bool failed = status == IMP_ERR_NOMEM;
        if (failed) {
          failures++;
          CHECK(strstr(imp_last_error(), "out of memory") != NULL);
          CHECK(hash_of(&stage) == before && joints_of(stage.world) == joints && stage.made.id == 0);
          CHECK(imp_world_counts(stage.world).joints == joints);
          status = try_call(&stage, call);
        }
        CHECK(status == IMP_OK);
        stage.memory.fail_at = 0;
        run(stage.world, 5);
        expected = at == 0 ? hash_of(&stage) : expected;
        CHECK(hash_of(&stage) == expected);
        imp_world_destroy(stage.world);
        CHECK(stage.memory.bytes == 0);
        if (at > 0 && !failed) break; // the call makes fewer requests than `at`
      }
      calls++;
    }
    CHECK(failures > CALLS);
    measured("calls that make or change a joint", calls);
    measured("failed memory requests of these calls, one per run", failures);
  }
}


static void a_step_that_runs_out_of_memory_can_be_repeated(void) {
  FOR_EVERY_SOLVER(s) {
    uint64_t expected = 0;
    int failures = 0;
    for (int at = 0;; ++at) {
      Stage stage;
      set_stage(&stage, s);
      for (int kind = 0; kind < KINDS; kind += 3) MUST(try_kind(&stage, kind));
      MUST(try_constraint(&stage, true));
      uint64_t before = hash_of(&stage);
      stage.memory.fail_at = at > 0 ? stage.memory.requests + at : 0;
      ImpStatus status = imp_world_step(stage.world);
      bool failed = status == IMP_ERR_NOMEM;
      if (failed) {
        failures++;
        CHECK(hash_of(&stage) == before);
        status = imp_world_step(stage.world);
      }
      CHECK(status == IMP_OK);
      stage.memory.fail_at = 0;
      run(stage.world, 5);
      expected = at == 0 ? hash_of(&stage) : expected;
      CHECK(hash_of(&stage) == expected);
      imp_world_destroy(stage.world);
      CHECK(stage.memory.bytes == 0);
      // Stop if the step succeeds: it makes fewer than `at` requests, or the failed request only loses an event.
      if (at > 0 && !failed) break;
    }
    CHECK(failures > 5);
    measured("failed memory requests of a step, one per run", failures);
  }
}


int main(int argc, char **argv) {
  read_arguments(argc, argv);
  RUN(random_changes_of_joints_leak_no_memory);
  RUN(a_step_with_joints_does_not_allocate_after_warm_up);
  RUN(a_call_that_runs_out_of_memory_changes_nothing);
  RUN(a_step_that_runs_out_of_memory_can_be_repeated);
  return check_report("joint memory");
}
