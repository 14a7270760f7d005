// Reading snapshots and recordings takes linear work, counted as basic blocks of the code that reads.
#include "blocks.h"
#include "recorded.h"
#include "snapshot_mutation.h"
#include "snapshot_worlds.h"

enum { SMALL = 100, TIMES = 4, CHANGED = 1500 };

// Largest growth of the work per byte from a short to a long input. Above 1, because arrays and hash tables grow to
// twice their size.
static const double growth = 1.1;


// Make n named boxes in stacks, each on a rope of its own. The world also has the events of its last step.
static ImpWorld *make_stacks(int n) {
  ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 9.81);
  ImpBody ground = add_body(world, IMP_BODY_STATIC, 0, 0, 0);
  add_box(world, ground, material(1, 0.6, 0), 1e5, 1);
  for (int i = 0; i < n; ++i) {
    ImpBody body = add_body(world, IMP_BODY_DYNAMIC, 1.5 * (i / 4), 0.5 + 0.5 + 1.0 * (i % 4), 0);
    char name[32];
    snprintf(name, sizeof name, "box %d", i);
    MUST(imp_body_set_name(world, body, name));
    add_box(world, body, material(1, 0.6, 0), 1, 1);
    ImpJointDef def = imp_joint_def(IMP_JOINT_ROPE, ground, body);
    ImpJoint joint;
    def.length = 1e6;
    MUST(imp_joint_create(world, &def, &joint));
  }
  run(world, 3);
  return world;
}


static double work_of_restore(ImpWorld *world, const void *bytes, size_t size, bool *out_taken) {
  uint64_t before = blocks;
  *out_taken = imp_world_restore(world, bytes, size) == IMP_OK;
  return (double)(blocks - before);
}


static double work_of_snapshot(int n, size_t *out_size) {
  ImpWorld *world = make_stacks(n), *other = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 9.81);
  void *bytes = NULL;
  bool taken = false;
  MUST(imp_world_snapshot(world, &bytes, out_size));
  double work = work_of_restore(other, bytes, *out_size, &taken);
  CHECK(taken);
  imp_snapshot_free(bytes);
  MUST(imp_world_destroy(world));
  MUST(imp_world_destroy(other));
  return work;
}


static void check_growth(const char *what, double short_work, size_t short_size, double long_work, size_t long_size) {
  measured(what, short_work / (double)short_size);
  measured("  the same for data of a larger size", long_work / (double)long_size);
  CHECK(long_size > short_size);
  CHECK(short_work > blocks_at_start); // fails if the build does not count its basic blocks
  CHECK(long_work <= growth * short_work * (double)long_size / (double)short_size + blocks_at_start);
}


static void snapshots_are_read_in_linear_work(void) {
  size_t size, longer;
  double work = work_of_snapshot(SMALL, &size), more = work_of_snapshot(TIMES * SMALL, &longer);
  check_growth("blocks per byte of a snapshot", work, size, more, longer);
}


// Reading a changed snapshot takes a few basic blocks per byte.
static void changed_snapshots_are_read_in_linear_work(void) {
  static char path[700];
  ImpWorld *world = make_stacks(SMALL), *other = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 9.81);
  Bytes good;
  void *bytes = NULL;
  double worst = 0;
  int taken = 0;
  MUST(imp_world_snapshot(world, &bytes, &good.size));
  good.bytes = bytes;
  pick_state = 7;
  for (int i = 0; i < CHANGED; ++i) {
    Bytes shot = {malloc(good.size), good.size};
    if (i % 2 == 0) {
      free(shot.bytes);
      shot = shot_with_other_numbers(world, &good, path, sizeof path);
    } else {
      memcpy(shot.bytes, good.bytes, good.size);
      change_bytes(&shot, &good);
      fix_header(shot.bytes, shot.size);
    }
    bool is_taken = false;
    double work = work_of_restore(other, shot.bytes, shot.size, &is_taken) - blocks_at_start;
    taken += is_taken;
    worst = work / (double)shot.size > worst ? work / (double)shot.size : worst;
    free(shot.bytes);
  }
  measured("blocks per byte of a changed snapshot, at most", worst);
  measured("of these, accepted", taken);
  CHECK(worst <= most_blocks);
  CHECK(taken > 0 && taken < CHANGED);
  free(good.bytes);
  MUST(imp_world_destroy(world));
  MUST(imp_world_destroy(other));
}


// Record `calls` calls in each of `steps` steps. Return the number of counted basic blocks while the recording is
// opened and played. Blocks of the solvers are not counted.
static double work_of_recording(int calls, int steps, size_t *out_size) {
  Recorded recorded = {0};
  ImpWorld *world = make_stacks(4);
  record(world, &recorded, 1 << 30);
  ImpBody body = add_body(world, IMP_BODY_DYNAMIC, -100, 1e3, 0);
  for (int step = 0; step < steps; ++step) {
    for (int call = 0; call < calls; ++call) MUST(imp_body_set_velocity(world, body, vec(call, step)));
    MUST(imp_world_step(world));
  }
  MUST(imp_world_record_end(world));
  MUST(imp_world_destroy(world));
  uint64_t before = blocks;
  ImpReplay *replay = replay_of(&recorded);
  ImpReplayStep step = {.done = false};
  while (!step.done) MUST(imp_replay_step(replay, &step));
  double work = (double)(blocks - before);
  imp_replay_close(replay);
  *out_size = recorded.size;
  free(recorded.bytes);
  return work;
}


static void recordings_are_read_in_linear_work(void) {
  size_t size, longer;
  double work = work_of_recording(4, 300, &size), more = work_of_recording(4, 1200, &longer);
  check_growth("blocks per byte of a recording of many steps", work, size, more, longer);
  work = work_of_recording(4000, 1, &size);
  more = work_of_recording(16000, 1, &longer);
  check_growth("blocks per byte of a recording of many calls", work, size, more, longer);
}


int main(int argc, char **argv) {
  read_arguments(argc, argv);
  RUN(snapshots_are_read_in_linear_work);
  RUN(changed_snapshots_are_read_in_linear_work);
  RUN(recordings_are_read_in_linear_work);
  return check_report("reading");
}
