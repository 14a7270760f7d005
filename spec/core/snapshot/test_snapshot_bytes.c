// Snapshots as bytes: a restore of a damaged snapshot or without memory fails, and does not change the world.
#include "snapshot/snapshot.h"

#include "failing_memory.h"
#include "snapshot_scenes.h"

static ImpWorld *world_in(Memory *memory) {
  ImpWorldDef def = imp_world_def();
  def.allocator = (ImpAllocator){reallocate, memory};
  ImpWorld *world = NULL;
  MUST(imp_world_create(&def, &world));
  imp_world_set_constraint_callback(world, write_rows, NULL);
  return world;
}


// ---------------------------------------------------------------------------------------------------------------------
// Memory
// ---------------------------------------------------------------------------------------------------------------------


// Restore a snapshot repeatedly. In try k the k-th allocation fails.
static void fail_at_each(ImpWorld *world, Memory *memory, const void *bytes, size_t size) {
  uint64_t hash = imp_world_hash(world); // the first hash may allocate
  ImpStatus status = IMP_ERR_NOMEM;
  long k = 0;
  while (status == IMP_ERR_NOMEM) {
    memory->requests = 0;
    memory->fail_at = ++k;
    status = imp_world_restore(world, bytes, size);
    memory->fail_at = 0;
    CHECK(status == IMP_OK || (status == IMP_ERR_NOMEM && strstr(imp_last_error(), "out of memory") != NULL));
    CHECK(status == IMP_OK || imp_world_hash(world) == hash);
    CHECK(imp_world_counts(world).bytes == memory->bytes);
  }
  measured("allocations of a restore, each made to fail", (double)(k - 1));
}


// Restore two worlds together. In try k the k-th allocation of the second world fails.
static void the_second_restore_of_two_worlds_can_fail(void) {
  const Scene *scene = &scenes[0];
  Memory memory[2] = {{0}, {0}};
  ImpWorld *worlds[2];
  void *bytes = NULL;
  size_t size = 0;
  uint64_t hash[2], saved = 0;
  for (int i = 0; i < 2; ++i) {
    worlds[i] = world_in(&memory[i]);
    scene->build(worlds[i]);
    listen(worlds[i], scene);
    run(worlds[i], 30 + i);
    if (i == 0) {
      MUST(imp_world_snapshot(worlds[0], &bytes, &size));
      saved = imp_world_hash(worlds[0]);
    }
    run(worlds[i], 20);
    hash[i] = imp_world_hash(worlds[i]);
  }
  ImpStatus status = IMP_ERR_NOMEM;
  long k = 0;
  while (status == IMP_ERR_NOMEM) {
    ImpRestore *first = NULL, *second = NULL;
    MUST(imp_world_begin_restore(worlds[0], bytes, size, &first));
    memory[1].requests = 0;
    memory[1].fail_at = ++k;
    status = imp_world_begin_restore(worlds[1], bytes, size, &second);
    memory[1].fail_at = 0;
    CHECK((status == IMP_OK) == (second != NULL));
    CHECK(imp_world_hash(worlds[0]) == hash[0] && imp_world_hash(worlds[1]) == hash[1]);
    imp_restore_end(first, status == IMP_OK);
    imp_restore_end(second, true);
    CHECK(imp_world_counts(worlds[0]).bytes == memory[0].bytes && imp_world_counts(worlds[1]).bytes == memory[1].bytes);
  }
  CHECK(status == IMP_OK && k > 10);
  CHECK(imp_world_hash(worlds[0]) == saved && imp_world_hash(worlds[1]) == saved);
  imp_snapshot_free(bytes);
  for (int i = 0; i < 2; ++i) {
    imp_world_destroy(worlds[i]);
    CHECK(memory[i].bytes == 0);
  }
}


static void running_out_of_memory_leaves_the_world_as_it_was(void) {
  for (size_t k = 0; k < sizeof scenes / sizeof scenes[0]; ++k) {
    const Scene *scene = &scenes[k];
    Memory memory = {0}, second = {0};
    ImpWorld *world = world_in(&memory), *empty = world_in(&second);
    scene->build(world);
    listen(world, scene);
    for (int i = 0; i < 75; ++i) {
      scene->act(world, i);
      if (i < 74) run(world, 1);
    }
    void *bytes = NULL;
    size_t size = 0;
    MUST(imp_world_snapshot(world, &bytes, &size));
    uint64_t saved = imp_world_hash(world);
    run(world, 20);
    fail_at_each(world, &memory, bytes, size);
    fail_at_each(empty, &second, bytes, size);
    CHECK(imp_world_hash(world) == saved && imp_world_hash(empty) == saved);
    imp_snapshot_free(bytes);
    imp_world_destroy(world);
    imp_world_destroy(empty);
    CHECK(memory.bytes == 0 && second.bytes == 0); // no leak
  }
}


static void repeated_restores_do_not_grow_memory(void) {
  Memory memory = {0};
  ImpWorld *world = world_in(&memory);
  scenes[0].build(world);
  run(world, 40);
  void *bytes = NULL;
  size_t size = 0;
  MUST(imp_world_snapshot(world, &bytes, &size));
  MUST(imp_world_restore(world, bytes, size));
  run(world, 5);
  MUST(imp_world_restore(world, bytes, size));
  size_t held = memory.bytes;
  for (int i = 0; i < 50; ++i) {
    run(world, 5);
    MUST(imp_world_restore(world, bytes, size));
    CHECK(memory.bytes == held);
  }
  imp_snapshot_free(bytes);
  imp_world_destroy(world);
  CHECK(memory.bytes == 0);
}


// ---------------------------------------------------------------------------------------------------------------------
// Damage
// ---------------------------------------------------------------------------------------------------------------------

// A small world with shapes, a contact, joints, a constraint and a pending event.
static ImpWorld *small_world(void) {
  ImpWorld *world = scene_world(IMP_SOLVER_SOFT);
  ImpBody ground = {0};
  MUST(imp_world_ground(world, &ground));
  add_ground(world, imp_shape_def(), 0);
  ImpBody disc = add_disc(world, "disc", 0, 0.5, 0.5), other = add_disc(world, "other", 3, 2, 0.2);
  join_named(world, joint_at(IMP_JOINT_REVOLUTE, ground, other, 3, 2.5), "pin");
  join_named(world, joint_at(IMP_JOINT_WELD, ground, add_disc(world, "gone", 6, 2, 0.2), 6, 2), "weld");
  build_constraints(world);
  run(world, 2);
  MUST(imp_body_destroy(world, named(world, "gone")));
  MUST(imp_body_apply_force(world, disc, vec(1, 0)));
  return world;
}


static bool is_refused(ImpWorld *world, const void *bytes, size_t size) {
  return imp_world_restore(world, bytes, size) == IMP_ERR_ARGUMENT && strstr(imp_last_error(), "snapshot") != NULL;
}


static void every_flipped_bit_is_refused(void) {
  ImpWorld *world = small_world();
  void *bytes = NULL;
  size_t size = 0;
  MUST(imp_world_snapshot(world, &bytes, &size));
  uint64_t hash = imp_world_hash(world);
  unsigned char *damaged = bytes;
  long accepted = 0;
  for (size_t bit = 0; bit < 8 * size; ++bit) {
    damaged[bit / 8] = (unsigned char)(damaged[bit / 8] ^ 1u << bit % 8);
    accepted += !is_refused(world, bytes, size);
    damaged[bit / 8] = (unsigned char)(damaged[bit / 8] ^ 1u << bit % 8);
  }
  CHECK(accepted == 0 && imp_world_hash(world) == hash);
  CHECK(imp_world_restore(world, bytes, size) == IMP_OK);
  measured("bits flipped", 8 * (double)size);
  measured("flipped snapshots accepted, expected 0", (double)accepted);
  imp_snapshot_free(bytes);
  imp_world_destroy(world);
}


static void every_other_length_is_refused(void) {
  ImpWorld *world = small_world();
  void *bytes = NULL;
  size_t size = 0;
  MUST(imp_world_snapshot(world, &bytes, &size));
  uint64_t hash = imp_world_hash(world);
  long accepted = 0;
  for (size_t length = 0; length < size; ++length) {
    // The sanitizer finds reads beyond the end of a block of exactly `length` bytes.
    void *cut = malloc(length > 0 ? length : 1);
    memcpy(cut, bytes, length);
    accepted += !is_refused(world, cut, length);
    free(cut);
  }
  unsigned char *longer = calloc(1, size + 64);
  memcpy(longer, bytes, size);
  accepted += !is_refused(world, longer, size + 1) + !is_refused(world, longer, size + 64);
  accepted += !is_refused(world, NULL, 0);
  CHECK(accepted == 0 && imp_world_hash(world) == hash);
  memmove(longer + 1, bytes, size);
  CHECK(imp_world_restore(world, longer + 1, size) == IMP_OK); // the bytes may be at an odd address
  free(longer);
  imp_snapshot_free(bytes);
  imp_world_destroy(world);
}


// Bytes of another build and damaged bytes give different errors.
static void errors_name_the_fault(void) {
  const struct {
    size_t at;
    const char *says;
  } cases[] = {{0, "not a snapshot"}, {8, "another build"}, {16, "another build"}, {24, "length"}, {200, "checksum"}};
  ImpWorld *world = small_world();
  void *bytes = NULL;
  size_t size = 0;
  MUST(imp_world_snapshot(world, &bytes, &size));
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    unsigned char *byte = (unsigned char *)bytes + cases[i].at;
    *byte = (unsigned char)(*byte ^ 1u);
    CHECK(is_refused(world, bytes, size));
    check_that(strstr(imp_last_error(), cases[i].says) != NULL, __FILE__, __LINE__, imp_last_error());
    *byte = (unsigned char)(*byte ^ 1u);
  }
  imp_snapshot_free(bytes);
  imp_snapshot_free(NULL);
  imp_world_destroy(world);
}


// An angle may be any finite number, and the numbers of a drive that is off are not checked.
static void numbers_that_calls_accept_are_restored(void) {
  ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 9.81);
  ImpShapeDef def = imp_shape_def();
  ImpShape shape;
  ImpBody body = add_body(world, IMP_BODY_DYNAMIC, 0, 0, 0);
  MUST(imp_body_add_box(world, body, &def, 1, 2, vec(0, 0), 1e300, 0, &shape));
  ImpBody ground;
  MUST(imp_world_ground(world, &ground));
  ImpJointDef joint_def = imp_joint_def(IMP_JOINT_REVOLUTE, ground, body);
  ImpJoint joint;
  MUST(imp_joint_create(world, &joint_def, &joint));
  ImpDrive drive = imp_drive();
  drive.on = 1u << IMP_DRIVE_MOTOR;
  drive.lock = drive.target = drive.damping = (double)NAN;
  drive.stiffness = HUGE_VAL;
  MUST(imp_coordinate_set_drive(world, (ImpCoordinate){joint, 2}, &drive));
  void *bytes = NULL;
  size_t size = 0;
  MUST(imp_world_snapshot(world, &bytes, &size));
  check_that(imp_world_restore(world, bytes, size) == IMP_OK, __FILE__, __LINE__, imp_last_error());
  imp_snapshot_free(bytes);
  MUST(imp_coordinate_drive(world, (ImpCoordinate){joint, 2}, &drive));
  CHECK(drive.on == 1u << IMP_DRIVE_MOTOR && drive.target != drive.target && drive.stiffness == HUGE_VAL);
  MUST(imp_world_destroy(world));
}


int main(int argc, char **argv) {
  read_arguments(argc, argv);
  RUN(running_out_of_memory_leaves_the_world_as_it_was);
  RUN(the_second_restore_of_two_worlds_can_fail);
  RUN(repeated_restores_do_not_grow_memory);
  RUN(every_flipped_bit_is_refused);
  RUN(every_other_length_is_refused);
  RUN(errors_name_the_fault);
  RUN(numbers_that_calls_accept_are_restored);
  return check_report("snapshot_bytes");
}
