// Memory that runs out while a world is recorded or played. A recording ends at its last complete frame, and the world
// continues as without a recording. A player reports the error, and a repeated call succeeds. With --long every
// request fails in turn, otherwise only some of the requests of a player.
#include "failing_memory.h"
#include "recording_worlds.h"
#include "snapshot_input.h"


enum { STEPS = 9, SHORT_TRIES = 25 };

static struct {
  uint64_t hashes[STEPS + 1]; // hashes of the world without a recording
  long tries, told;
} bench;


static ImpWorld *world_in(Memory *memory) {
  ImpWorldDef def = imp_world_def();
  ImpWorld *world = NULL;
  def.allocator = (ImpAllocator){reallocate, memory};
  MUST(imp_world_create(&def, &world));
  return world;
}


// Make a call. If the call runs out of memory, repeat the call with enough memory.
#define TRY(memory, call) \
  do { \
    ImpStatus status_ = (call); \
    if (status_ == IMP_ERR_NOMEM) { \
      CHECK((memory)->failed &&imp_last_error()[0] != 0); \
      (memory)->fail_at = 0; \
      bench.told++; \
      status_ = (call); \
    } \
    check_that(status_ == IMP_OK, __FILE__, __LINE__, imp_last_error()); \
  } while (0)


// ---------------------------------------------------------------------------------------------------------------------
// Recording
// ---------------------------------------------------------------------------------------------------------------------


static void act(ImpWorld *world, Memory *memory, const Things *things, int step) {
  ImpBodyDef def = imp_body_def();
  ImpShapeDef shape_def = imp_shape_def();
  ImpBody body;
  ImpShape shape;
  def.name = "a name that is long enough for the notes to grow: 0123456789 0123456789 0123456789 0123456789";
  def.position = vec(step % 3, 4 + step);
  TRY(memory, imp_body_create(world, &def, &body));
  TRY(memory, imp_body_add_polygon_with_holes(world, body, &shape_def, holed, holed_counts, 2, 0, &shape));
  for (int i = 0; i < 40; ++i) TRY(memory, imp_body_apply_force_at(world, things->box, vec(3, i), vec(0.2, 0.3)));
}


static void push(ImpWorld *world, double h, void *user) {
  const Things *things = user;
  (void)imp_world_random(world);
  for (int i = 0; i < 20; ++i) MUST(imp_body_apply_force(world, things->box, vec(1, h)));
}


// Run a world, recorded if `r` is given. Return whether the recording is complete.
static bool live(Memory *memory, Recorded *r, long fail_at, bool from_then_on, long *out_requests) {
  ImpWorld *world = world_in(memory);
  Things things = make_things(world);
  imp_world_set_substep_callback(world, push, &things);
  *memory = (Memory){.bytes = memory->bytes, .fail_at = fail_at, .from_then_on = from_then_on};
  ImpRecordDef def = imp_record_def();
  def.write = keep_bytes;
  def.user = r;
  def.keyframe_steps = 3;
  bool begun = false;
  if (r != NULL) {
    ImpStatus status = imp_world_record(world, &def);
    begun = status == IMP_OK;
    CHECK(begun || (status == IMP_ERR_NOMEM && memory->failed && imp_world_recording(world).steps == 0));
    CHECK(begun == imp_world_recording(world).on);
    bench.told += !begun;
  }
  for (int step = 0; step < STEPS; ++step) {
    imp_world_set_substep_callback(world, step < 6 ? push : NULL, &things);
    act(world, memory, &things, step);
    TRY(memory, imp_world_step(world));
    long fails = memory->fail_at, requests = memory->requests;
    memory->fail_at = 0;
    uint64_t hash = imp_world_hash(world);
    memory->fail_at = fails;
    memory->requests = requests;
    if (r == NULL) bench.hashes[step + 1] = hash;
    CHECK(hash == bench.hashes[step + 1]);
  }
  ImpRecording recording = imp_world_recording(world);
  bool whole = imp_world_record_end(world) == IMP_OK && begun;
  CHECK(!imp_world_recording(world).on && (whole || memory->failed || r == NULL));
  CHECK(whole || imp_last_error()[0] != 0 || r == NULL);
  bench.told += begun && !whole;
  *out_requests = memory->requests;
  memory->fail_at = 0;
  (void)is_whole(world);
  CHECK(imp_world_counts(world).bytes == memory->bytes);
  if (begun) { // all bytes are complete frames, which a replay plays
    ImpReplay *replay = replay_of(r);
    ImpReplayInfo info = imp_replay_info(replay);
    CHECK(info.frames >= (int)recording.steps && info.whole == r->size);
    CHECK(info.end == (imp_world_recording(world).failed ? IMP_REPLAY_CUT : IMP_REPLAY_WHOLE));
    CHECK(plays(replay));
    imp_replay_close(replay);
  }
  TRY(memory, imp_world_step(world));
  MUST(imp_world_destroy(world));
  CHECK(memory->bytes == 0);
  return whole;
}


static void out_of_memory_ends_a_recording_but_not_the_world(void) {
  long requests = 0, ignored = 0, whole = 0, tries = bench.tries;
  live(&(Memory){0}, NULL, 0, false, &ignored);
  Recorded r = {0};
  CHECK(live(&(Memory){0}, &r, 0, false, &requests) && requests > 20 && bench.told == 0);
  free(r.bytes);
  for (long at = 1; at <= requests; ++at) {
    for (int later = 0; later < 2; ++later, ++bench.tries) {
      r = (Recorded){0};
      whole += live(&(Memory){0}, &r, at, later == 1, &ignored);
      free(r.bytes);
      if (!check_case_ok) {
        printf("  request %ld of %ld%s\n", at, requests, later ? " and on" : "");
        return;
      }
    }
  }
  CHECK(bench.told > 5 && whole > 0 && whole < bench.tries - tries);
  measured("memory requests of a recorded world", (double)requests);
  measured("  runs with a failed request", (double)(bench.tries - tries));
  measured("  runs with a complete recording", (double)whole);
}


// A step that runs out of memory keeps the contacts that it found. A snapshot after the failed step contains these
// contacts.
static void a_failed_step_is_part_of_a_snapshot(void) {
  long failures = 0;
  for (int before = 0; before < STEPS && check_case_ok; ++before) {
    for (long at = 1, more = 1; more && check_case_ok; ++at) {
      Memory memory = {0};
      ImpWorld *world = world_in(&memory), *other = NULL;
      Things things = make_things(world);
      for (int step = 0; step <= before; ++step) {
        if (step > 0) run(world, 1);
        act(world, &memory, &things, step);
      }
      memory = (Memory){.bytes = memory.bytes, .fail_at = at};
      more = imp_world_step(world) == IMP_ERR_NOMEM;
      memory.fail_at = 0;
      if (more) {
        void *bytes = NULL;
        size_t size = 0;
        ImpWorldDef def = imp_world_def();
        MUST(imp_world_snapshot(world, &bytes, &size));
        MUST(imp_world_create(&def, &other));
        MUST(imp_world_restore(other, bytes, size));
        run(world, 1);
        run(other, 1);
        CHECK(imp_world_hash(world) == imp_world_hash(other));
        imp_snapshot_free(bytes);
        MUST(imp_world_destroy(other));
        failures++;
      }
      MUST(imp_world_destroy(world));
    }
  }
  CHECK(failures > 20);
  measured("failed steps that were restored and repeated", (double)failures);
}


// ---------------------------------------------------------------------------------------------------------------------
// Playing
// ---------------------------------------------------------------------------------------------------------------------


static void play_in(Memory *memory, const Recorded *r, bool differs) {
  const ImpAllocator allocator = {reallocate, memory};
  ImpReplay *replay = NULL;
  ImpReplayStep step = {.done = false};
  TRY(memory, imp_replay_open(r->bytes, r->size, &allocator, &replay));
  if (replay == NULL) return;
  int frames = imp_replay_info(replay).frames, played = 0;
  while (!step.done && check_case_ok) {
    TRY(memory, imp_replay_step(replay, &step));
    CHECK(!step.differs || differs);
    CHECK(step.frame == (step.done ? played : ++played) && imp_replay_frame(replay) == played);
  }
  CHECK(played == frames);
  for (int i = 0; i < 4 && check_case_ok; ++i) {
    int frame = (5 * i + 7) % (frames + 1);
    TRY(memory, imp_replay_seek(replay, frame, &step));
    CHECK((differs || !step.differs) && imp_replay_frame(replay) == frame);
    TRY(memory, imp_replay_step(replay, &step));
    CHECK(differs || !step.differs);
  }
  memory->fail_at = 0;
  (void)is_whole(imp_replay_world(replay));
  imp_replay_close(replay);
  CHECK(memory->bytes == 0);
}


static void a_player_reports_out_of_memory_and_continues(void) {
  long tries = bench.tries, told = bench.told;
  make_good_recordings();
  for (int i = 0; i < GOOD_RECORDINGS; ++i) {
    Memory memory = {0};
    const Recorded *r = &good_recordings[i].all;
    play_in(&memory, r, false);
    long requests = memory.requests, stride = long_run ? 1 : 1 + requests / SHORT_TRIES;
    CHECK(requests > 20);
    for (long at = 1; at <= requests && check_case_ok; at += stride) {
      for (int later = 0; later < 2; ++later, ++bench.tries) {
        memory = (Memory){.fail_at = at, .from_then_on = later == 1};
        play_in(&memory, r, false);
        CHECK(memory.bytes == 0);
        if (!check_case_ok) printf("  recording %d, request %ld of %ld%s\n", i, at, requests, later ? " and on" : "");
      }
    }
  }
  free_good_recordings();
  CHECK(bench.told > told + 20);
  measured("failed memory requests of players", (double)(bench.tries - tries));
  measured("  that were reported", (double)(bench.told - told));
}


int main(int argc, char **argv) {
  read_arguments(argc, argv);
  RUN(a_failed_step_is_part_of_a_snapshot);
  RUN(out_of_memory_ends_a_recording_but_not_the_world);
  RUN(a_player_reports_out_of_memory_and_continues);
  return check_report("record memory");
}
