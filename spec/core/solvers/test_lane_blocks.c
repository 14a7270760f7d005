// Bodies in the SIMD lanes of the soft solver.
#include "check.h"
#include "impel.h"


static void look(ImpWorld *world, double h, void *user) { (void)world, (void)h, (void)user; }


static ImpWorld *make_world(void) {
  ImpWorldDef def = imp_world_def();
  ImpWorld *world = NULL;
  CHECK(imp_world_create(&def, &world) == IMP_OK);
  return world;
}


static ImpBody add(ImpWorld *world, ImpBodyType type, double x, double y, double size) {
  ImpBodyDef def = imp_body_def();
  ImpShapeDef surface = imp_shape_def();
  ImpBody body;
  ImpShape shape;
  def.type = type;
  def.position = (ImpVec2){x, y};
  CHECK(imp_body_create(world, &def, &body) == IMP_OK);
  CHECK(imp_body_add_box(world, body, &surface, size, 1, (ImpVec2){0, 0}, 0, 0, &shape) == IMP_OK);
  return body;
}


// Bodies far from each other, with every kind of free motion.
static uint64_t fly(bool watched) {
  ImpWorld *world = make_world();
  for (int i = 0; i < 24; ++i) {
    ImpBodyType type = i % 8 == 7 ? IMP_BODY_KINEMATIC : i % 8 == 6 ? IMP_BODY_PARTICLE : IMP_BODY_DYNAMIC;
    ImpBody body = add(world, type, 10 * i, 3 * i, 1);
    imp_body_set(world, body, IMP_BODY_LOCK_X, i % 8 == 5);
    if (type != IMP_BODY_PARTICLE) {
      CHECK(imp_body_set(world, body, IMP_BODY_ANGULAR_VELOCITY, i % 3 - 1 + 0.1 * i) == IMP_OK);
    }
    CHECK(imp_body_set_velocity(world, body, (ImpVec2){0.3 * i, -i}) == IMP_OK);
    if (i % 8 == 1) {
      CHECK(imp_body_set(world, body, IMP_BODY_LINEAR_DAMPING, 0.3) == IMP_OK);
      CHECK(imp_body_set(world, body, IMP_BODY_ANGULAR_DAMPING, 0.2) == IMP_OK);
    }
  }
  if (watched) {
    imp_world_set_substep_callback(world, look, NULL);
  }
  for (int step = 0; step < 60; ++step) {
    CHECK(imp_world_step(world) == IMP_OK);
  }
  uint64_t hash = imp_world_hash(world);
  imp_world_destroy(world);
  return hash;
}


static void free_bodies_move_the_same_with_and_without_reads(void) { CHECK(fly(true) == fly(false)); }


// Thirty stacks of two boxes on a floor. Some stacks fall asleep and wake again. `back`: some steps are undone by a
// restore.
static uint64_t stack(int lanes, bool back) {
  ImpWorld *world = make_world();
  CHECK(imp_world_set(world, IMP_WORLD_LANES, lanes) == IMP_OK);
  add(world, IMP_BODY_STATIC, 0, -0.5, 400);
  ImpBody upper[30];
  for (int i = 0; i < 30; ++i) {
    add(world, IMP_BODY_DYNAMIC, 4 * i, 0.5, 1);
    upper[i] = add(world, IMP_BODY_DYNAMIC, 4 * i, 1.5 + 0.1 * i, 1);
  }
  for (int step = 0; step < 240; ++step) {
    if (step % 20 == 0) {
      CHECK(imp_body_apply_angular_impulse(world, upper[step / 20 * 7 % 30], 2) == IMP_OK);
    }
    CHECK(imp_world_step(world) == IMP_OK);
    if (back && step % 10 == 0) {
      void *bytes = NULL;
      size_t size = 0;
      CHECK(imp_world_snapshot(world, &bytes, &size) == IMP_OK);
      for (int ahead = 0; ahead < 5; ++ahead) {
        CHECK(imp_world_step(world) == IMP_OK);
      }
      CHECK(imp_world_restore(world, bytes, size) == IMP_OK);
      imp_snapshot_free(bytes);
    }
  }
  uint64_t hash = imp_world_hash(world);
  imp_world_destroy(world);
  return hash;
}


static void lanes_keep_no_data_of_bodies_that_left(void) {
  uint64_t hash = stack(0, false);
  CHECK(stack(4, false) == hash && stack(8, false) == hash);
  CHECK(stack(0, true) == hash);
}


int main(void) {
  RUN(free_bodies_move_the_same_with_and_without_reads);
  RUN(lanes_keep_no_data_of_bodies_that_left);
  return check_report("lane_blocks");
}
