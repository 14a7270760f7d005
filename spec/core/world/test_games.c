// Worlds for games: kinematic targets and speed limits when memory runs out, levels of 10^5 tiles, locked axes in SIMD
// lanes of any width.
#include "failing_memory.h"
#include "scene.h"

enum { TILES = 100000, WIDE = 400 };

// A lift that carries a box, beside a stone with a speed limit.
typedef struct Lift {
  Memory memory;
  ImpWorld *world;
  ImpBody lift, box, stone;
} Lift;


static void make_lift(Lift *l) {
  ImpWorldDef def = imp_world_def();
  *l = (Lift){0};
  def.allocator = (ImpAllocator){reallocate, &l->memory};
  MUST(imp_world_create(&def, &l->world));
  l->lift = add_body(l->world, IMP_BODY_KINEMATIC, 0, 0, 0);
  add_box(l->world, l->lift, imp_shape_def(), 4, 1);
  l->box = drop_box(l->world, imp_shape_def(), 0, 1);
  l->stone = drop_disc(l->world, imp_shape_def(), 5, 9, 0.2);
}


// Let request number `fail_at` fail (0: none), and repeat every call that fails. Return the final hash.
static uint64_t ride(long fail_at, long *out_requests) {
  Lift l;
  make_lift(&l);
  l.memory.requests = 0;
  l.memory.fail_at = fail_at;
  bool failed = false;
  for (int i = 0; i < 20; ++i) {
    double height = 0.001 * i * i;
    while (imp_body_move_to_pose(l.world, l.lift, vec(0.002 * i, height), 0.001 * i) != IMP_OK) failed = true;
    MUST(imp_body_set(l.world, l.stone, IMP_BODY_MAX_SPEED, i < 10 ? 1 : 2));
    ImpVec2 before = position(l.world, l.lift);
    while (imp_world_step(l.world) != IMP_OK) {
      ImpVec2 after = position(l.world, l.lift);
      CHECK(after.x == before.x && after.y == before.y);
      failed = true;
    }
    CHECK(position(l.world, l.lift).y == height);
    CHECK(velocity(l.world, l.stone).y >= (i < 10 ? -1 : -2) - 1e-6); // the soft solver computes in floats
  }
  *out_requests = l.memory.requests;
  CHECK(!failed || fail_at > 0);
  l.memory.fail_at = 0;
  uint64_t hash = imp_world_hash(l.world);
  imp_world_destroy(l.world);
  CHECK(l.memory.bytes == 0);
  return hash;
}


static void targets_and_limits_survive_out_of_memory(void) {
  long requests = 0, ignored;
  uint64_t hash = ride(0, &requests);
  CHECK(requests > 5);
  for (long at = 1; at <= requests; ++at) {
    CHECK(ride(at, &ignored) == hash);
  }
  measured("failed memory requests, one per run", (double)requests);
}


static ImpShape add_tile(ImpWorld *world, ImpBody body, int i) {
  ImpShapeDef def = imp_shape_def();
  ImpShape shape = {0};
  MUST(imp_body_add_box(world, body, &def, 1, 1, vec(i % WIDE, -0.5 - i / WIDE), 0, 0, &shape));
  return shape;
}


// Build a level, rest a box on the level, and remove tiles from the end, the front and the middle. The time must grow
// linearly with the number of tiles.
static void a_level_of_1e5_tiles_is_created_and_destroyed_on_one_body(void) {
  static ImpShape tiles[TILES];
  ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 9.81);
  ImpBody level = add_body(world, IMP_BODY_STATIC, 0, 0, 0);
  for (int i = 0; i < TILES; ++i) {
    tiles[i] = add_tile(world, level, i);
  }
  ImpBody box = drop_box(world, imp_shape_def(), 200, 0.5);
  run(world, 60);
  CHECK_NEAR(position(world, box).y, 0.5, 1e-3); // the soft solver lets bodies in contact overlap
  for (int i = TILES - 1; i >= TILES / 2; --i) {
    MUST(imp_shape_destroy(world, tiles[i]));
  }
  for (int i = 0; i < TILES / 4; ++i) {
    MUST(imp_shape_destroy(world, tiles[i]));
  }
  run(world, 30);
  CHECK(imp_world_counts(world).shapes == TILES / 4 + 1);
  CHECK_NEAR(position(world, box).y, 0.5 - 9.81 * 0.25 / 2, 0.1); // 0.5 s of fall, with the error of a step
  int left = 0;
  for (ImpShape s = {0}; (s = imp_body_next_shape(world, level, s)).id != 0; ++left) {
    CHECK(s.id == tiles[TILES / 4 + left].id);
  }
  CHECK(left == TILES / 4);
  MUST(imp_body_destroy(world, level));
  CHECK(imp_world_counts(world).shapes == 1);
  imp_world_destroy(world);
}


static void a_level_of_1e5_bodies_is_created_and_destroyed(void) {
  static ImpBody tiles[TILES];
  ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 9.81);
  for (int i = 0; i < TILES; ++i) {
    tiles[i] = add_body(world, IMP_BODY_STATIC, i % WIDE, -0.5 - i / WIDE, 0);
    add_box(world, tiles[i], imp_shape_def(), 1, 1);
  }
  ImpBody box = drop_box(world, imp_shape_def(), 200, 0.5);
  run(world, 60);
  CHECK_NEAR(position(world, box).y, 0.5, 1e-3); // the soft solver lets bodies in contact overlap
  void *bytes = NULL;
  size_t size = 0;
  uint64_t hash = imp_world_hash(world);
  MUST(imp_world_snapshot(world, &bytes, &size));
  for (int i = 0; i < TILES; ++i) {
    MUST(imp_body_destroy(world, tiles[i]));
  }
  run(world, 1);
  CHECK(imp_world_counts(world).bodies == 1);
  MUST(imp_world_restore(world, bytes, size));
  CHECK(imp_world_hash(world) == hash && imp_body_is_valid(world, tiles[TILES - 1]));
  imp_snapshot_free(bytes);
  imp_world_destroy(world);
}


// Every third box has a locked axis. Each colour of the constraint graph has contacts of boxes with and without a lock.
static uint64_t rails(int lanes) {
  ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 9.81);
  set_world(world, IMP_WORLD_LANES, lanes);
  add_ground(world, imp_shape_def(), 0);
  for (int i = 0; i < 60; ++i) {
    ImpBody box = drop_box(world, imp_shape_def(), i % 10 * 0.9, 0.6 + 1.02 * (i / 10));
    if (i % 3 == 0) MUST(imp_body_set(world, box, i % 2 ? IMP_BODY_LOCK_X : IMP_BODY_LOCK_Y, 1));
  }
  run(world, 120);
  for (ImpBody b = {0}; (b = imp_world_next_body(world, b)).id != 0;) {
    double held = 0;
    MUST(imp_body_get(world, b, IMP_BODY_LOCK_Y, &held));
    CHECK(held == 0 || velocity(world, b).y == 0);
  }
  uint64_t hash = imp_world_hash(world);
  imp_world_destroy(world);
  return hash;
}


static void locked_axes_give_the_same_bits_in_lanes_of_any_width(void) {
  uint64_t narrow = rails(4);
  CHECK(rails(8) == narrow && rails(16) == narrow && rails(0) == narrow);
}


int main(int argc, char **argv) {
  read_arguments(argc, argv);
  RUN(targets_and_limits_survive_out_of_memory);
  RUN(a_level_of_1e5_tiles_is_created_and_destroyed_on_one_body);
  RUN(a_level_of_1e5_bodies_is_created_and_destroyed);
  RUN(locked_axes_give_the_same_bits_in_lanes_of_any_width);
  return check_report("games");
}
