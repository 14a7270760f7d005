// imp_bodies_read and imp_bodies_write: the errors name a body, and a refused call reads and writes nothing. Also new
// shapes of a moving body, and the hash of kinematic targets.
#include "failing_memory.h"
#include "scene.h"

enum { MANY = 300 };

static const ImpQuantity pose_and_velocity[] = {IMP_QUANTITY_POSITION, IMP_QUANTITY_ANGLE, IMP_QUANTITY_VELOCITY,
                                                IMP_QUANTITY_ANGULAR_VELOCITY};
static const ImpQuantity pushes[] = {IMP_QUANTITY_VELOCITY, IMP_QUANTITY_FORCE, IMP_QUANTITY_IMPULSE};


static ImpWorld *world_of_many(Memory *memory, ImpBody *bodies) {
  ImpWorldDef def = imp_world_def();
  ImpWorld *world = NULL;
  if (memory != NULL) def.allocator = (ImpAllocator){reallocate, memory};
  MUST(imp_world_create(&def, &world));
  for (int i = 0; i < MANY; ++i) bodies[i] = add_body(world, IMP_BODY_DYNAMIC, i, 2 * i, 0);
  return world;
}


static void an_invalid_body_leaves_the_array_unchanged(void) {
  ImpBody bodies[MANY];
  double out[6 * MANY];
  ImpWorld *world = world_of_many(NULL, bodies), *other = make_world(IMP_SOLVER_SOFT, 0.01, 0);
  for (int i = 0; i < 6 * MANY; ++i) out[i] = -7;
  int place = -1;
  ImpBody stranger = add_body(other, IMP_BODY_DYNAMIC, 0, 0, 0), kept = bodies[200];
  bodies[200] = stranger;
  CHECK(imp_bodies_read(world, bodies, MANY, pose_and_velocity, 4, out, &place) == IMP_ERR_WORLD);
  CHECK(place == 200);
  bodies[200] = (ImpBody){0};
  CHECK(imp_bodies_read(world, bodies, MANY, pose_and_velocity, 4, out, NULL) == IMP_ERR_HANDLE);
  bodies[200] = kept;
  MUST(imp_body_destroy(world, bodies[7]));
  CHECK(imp_bodies_read(world, bodies, MANY, pose_and_velocity, 4, out, &place) == IMP_ERR_HANDLE);
  CHECK(place == 7);
  for (int i = 0; i < 6 * MANY; ++i) CHECK(out[i] == -7);
  bodies[7] = bodies[8];
  MUST(imp_bodies_read(world, bodies, MANY, pose_and_velocity, 4, out, &place));
  CHECK(out[6 * 7] == 8 && out[6 * 7 + 1] == 16 && out[6 * 299] == 299 && out[6 * 299 + 5] == 0);
  imp_world_destroy(world);
  imp_world_destroy(other);
}


static void unknown_quantities_are_refused(void) {
  ImpBody bodies[MANY];
  double numbers[2 * MANY] = {0};
  ImpWorld *world = world_of_many(NULL, bodies);
  for (int i = 0; i < IMP_QUANTITY_COUNT; ++i) {
    const ImpQuantityInfo *info = imp_quantity(i);
    ImpQuantity what = (ImpQuantity)i;
    CHECK(info->numbers == 1 || info->numbers == 2);
    CHECK(info->readable || info->writable);
    CHECK((imp_bodies_read(world, bodies, 1, &what, 1, numbers, NULL) == IMP_OK) == info->readable);
    CHECK((imp_bodies_write(world, bodies, 1, &what, 1, numbers, NULL) == IMP_OK) == info->writable);
  }
  CHECK(imp_quantity(-1) == NULL && imp_quantity(IMP_QUANTITY_COUNT) == NULL);
  ImpQuantity none = (ImpQuantity)IMP_QUANTITY_COUNT;
  CHECK(imp_bodies_read(world, bodies, 1, &none, 1, numbers, NULL) == IMP_ERR_ARGUMENT);
  CHECK(imp_bodies_write(world, bodies, 1, &none, 1, numbers, NULL) == IMP_ERR_ARGUMENT);
  MUST(imp_bodies_write(world, NULL, 0, pushes, 3, NULL, NULL));
  MUST(imp_bodies_read(world, NULL, 0, pose_and_velocity, 4, NULL, NULL));
  imp_world_destroy(world);
}


static void one_wrong_number_of_the_last_body_changes_no_body(void) {
  ImpBody bodies[MANY];
  double values[6 * MANY] = {0};
  ImpWorld *world = world_of_many(NULL, bodies);
  uint64_t before = imp_world_hash(world);
  for (int i = 0; i < 6 * MANY; ++i) values[i] = 3;
  for (int i = 0; i < 6; ++i) {
    int place = -1;
    values[6 * MANY - 1 - i] = (double)NAN;
    CHECK(imp_bodies_write(world, bodies, MANY, pose_and_velocity, 4, values, &place) == IMP_ERR_ARGUMENT);
    CHECK(place == MANY - 1);
    CHECK(imp_world_hash(world) == before);
    values[6 * MANY - 1 - i] = 3;
  }
  MUST(imp_bodies_write(world, bodies, MANY, pose_and_velocity, 4, values, NULL));
  CHECK(imp_world_hash(world) != before);
  imp_world_destroy(world);
}


// A new piece shifts the centre of mass by d. The velocity of the centre changes by w x d, except along a locked axis.
static void a_new_shape_changes_the_velocity_but_not_along_a_lock(void) {
  for (int locked = 0; locked < 2; ++locked) {
    ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 0);
    ImpBody body = drop_box(world, material(1, 0, 0), 0, 0);
    ImpShapeDef def = material(1, 0, 0);
    ImpShape shape;
    MUST(imp_body_set(world, body, IMP_BODY_LOCK_X, locked));
    set_velocity(world, body, 0, 0, 2);
    MUST(imp_body_add_box(world, body, &def, 1, 1, vec(3, 2), 0, 0, &shape)); // the centre goes to (1.5, 1)
    CHECK_NEAR(velocity(world, body).x, locked ? 0 : -2 * 1, 1e-12);
    CHECK_NEAR(velocity(world, body).y, 2 * 1.5, 1e-12);
    imp_world_destroy(world);
  }
}


// The hash contains a kinematic target before the body moves to the target.
static void the_hash_contains_kinematic_targets(void) {
  ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 0);
  ImpBody lift = add_body(world, IMP_BODY_KINEMATIC, 0, 0, 0);
  uint64_t hash[3] = {imp_world_hash(world)};
  MUST(imp_body_move_to(world, lift, vec(1, 0)));
  hash[1] = imp_world_hash(world);
  MUST(imp_body_move_to(world, lift, vec(1, 2)));
  hash[2] = imp_world_hash(world);
  CHECK(hash[0] != hash[1] && hash[1] != hash[2] && hash[0] != hash[2]);
  MUST(imp_body_move_to(world, lift, vec(1, 0)));
  CHECK(imp_world_hash(world) == hash[1]);
  imp_world_destroy(world);
}


// State of a handler that sets values of bodies in the first substep of a step.
typedef struct Writer {
  Memory *memory;
  const ImpBody *bodies;
  const double *values;
  long fail_at;
  ImpStatus status;
  bool done;
} Writer;

static void write_once(ImpWorld *world, double h, void *user) {
  (void)h;
  Writer *writer = user;
  if (writer->done) return;
  writer->done = true;
  writer->memory->requests = 0;
  writer->memory->fail_at = writer->fail_at;
  writer->status = imp_bodies_write(world, writer->bodies, MANY, pushes, 3, writer->values, NULL);
  writer->memory->fail_at = 0;
}


static void out_of_memory_inside_a_step_writes_nothing(void) {
  ImpBody bodies[MANY];
  double values[6 * MANY];
  for (int i = 0; i < 6 * MANY; ++i) values[i] = 1 + i % 5;
  ImpWorld *untouched = world_of_many(NULL, bodies);
  run(untouched, 1);
  uint64_t expected = imp_world_hash(untouched);
  imp_world_destroy(untouched);
  int failed = 0;
  for (long fail_at = 1;; ++fail_at) {
    Memory memory = {0};
    ImpWorld *world = world_of_many(&memory, bodies);
    Writer writer = {.memory = &memory, .bodies = bodies, .values = values, .fail_at = fail_at};
    imp_world_set_substep_callback(world, write_once, &writer);
    run(world, 1);
    CHECK(writer.done);
    uint64_t hash = imp_world_hash(world);
    imp_world_destroy(world);
    CHECK(memory.bytes == 0);
    if (writer.status == IMP_OK) {
      CHECK(hash != expected);
      break;
    }
    failed++;
    CHECK(writer.status == IMP_ERR_NOMEM);
    CHECK(hash == expected);
  }
  CHECK(failed >= 2); // the queue of changes and the lists of pushed bodies request memory
}


int main(void) {
  RUN(an_invalid_body_leaves_the_array_unchanged);
  RUN(unknown_quantities_are_refused);
  RUN(one_wrong_number_of_the_last_body_changes_no_body);
  RUN(a_new_shape_changes_the_velocity_but_not_along_a_lock);
  RUN(the_hash_contains_kinematic_targets);
  RUN(out_of_memory_inside_a_step_writes_nothing);
  return check_report("bodies");
}
