// Recording and replaying: what was recorded is played to the same bits without any of the caller's functions.
#include "recorded.h"
#include "snapshot_scenes.h"

static uint64_t hashes[400];


static void live(ImpWorld *world, const Scene *scene) {
  scene->build(world);
  listen(world, scene);
  for (int step = 0; step < scene->steps; ++step) {
    scene->act(world, step);
    run(world, 1);
    hashes[step + 1] = imp_world_hash(world);
  }
}


static void scenes_are_played_to_the_same_bits(void) {
  for (int k = 0; k < (int)(sizeof scenes / sizeof *scenes); ++k) {
    for (int solver = 0; solver < IMP_SOLVER_COUNT; ++solver) {
      Recorded r = {0};
      ImpWorld *world = scene_world((ImpSolverKind)solver);
      record(world, &r, k == 0 ? 0 : 17);
      live(world, &scenes[k]);
      MUST(imp_world_record_end(world));
      ImpReplay *replay = replay_of(&r);
      ImpReplayInfo info = imp_replay_info(replay);
      CHECK(info.frames == scenes[k].steps && info.end == IMP_REPLAY_WHOLE && info.whole == r.size);
      CHECK(info.first_tick == 0 && info.last_tick == (uint64_t)scenes[k].steps);
      CHECK(strcmp(info.text, "{\"scene\":\"spec\"}") == 0);
      measured(scenes[k].name, (double)r.size / info.frames);
      CHECK(plays(replay));
      bool they_do = true;
      ImpDifference difference;
      MUST(imp_world_difference(imp_replay_world(replay), world, &they_do, &difference));
      CHECK(!they_do);
      imp_replay_close(replay);
      imp_world_destroy(world);
      free(r.bytes);
    }
  }
}


static void seeking_comes_to_the_same_bits_as_playing(void) {
  Recorded r = {0};
  ImpWorld *world = scene_world(IMP_SOLVER_SOFT);
  record(world, &r, 25);
  live(world, &scenes[0]);
  MUST(imp_world_record_end(world));
  ImpReplay *replay = replay_of(&r);
  for (int i = 0; i < 60; ++i) {
    int frame = 1 + (int)random_in(0, scenes[0].steps);
    ImpReplayStep step;
    MUST(imp_replay_seek(replay, frame, &step));
    CHECK(!step.differs);
    CHECK(imp_replay_frame(replay) == frame && imp_world_hash(imp_replay_world(replay)) == hashes[frame]);
    CHECK(imp_replay_tick(replay, frame) == (uint64_t)frame);
  }
  CHECK(imp_replay_seek(replay, scenes[0].steps + 1, NULL) == IMP_ERR_ARGUMENT);
  CHECK(imp_replay_seek(replay, -1, NULL) == IMP_ERR_ARGUMENT);
  imp_replay_close(replay);
  imp_world_destroy(world);
  free(r.bytes);
}


int main(int argc, char **argv) {
  read_arguments(argc, argv);
  RUN(scenes_are_played_to_the_same_bits);
  RUN(seeking_comes_to_the_same_bits_as_playing);
  return check_report("record");
}
