// Test of bytes from any source that claim to be a recording. Either the bytes are refused, or a world plays them up to
// the first invalid note (a recorded call or mark) and is valid after every step.
#ifndef IMPI_RECORDING_INPUT_H
#define IMPI_RECORDING_INPUT_H

#include "recorded.h"
#include "snapshot_input.h"

// Sums over all recordings.
typedef struct Playings {
  long opened, refused; // numbers of opened recordings and of refused ones
  // steps: played steps; differing: steps that differed from the recording; calls: steps with a refused call; stopped:
  // recordings that could not be played to the end
  long steps, differing, calls, stopped;
} Playings;


static inline void play_steps(ImpReplay *replay, Playings *p) {
  ImpReplayStep step = {.done = false};
  ImpStatus status = IMP_OK;
  while (status == IMP_OK && !step.done) {
    limit_work(imp_replay_world(replay));
    status = imp_replay_step(replay, &step);
    if (status != IMP_OK) break;
    p->steps += !step.done;
    p->differing += step.differs;
    p->calls += step.call != NULL;
    CHECK(step.differs || (step.call == NULL && step.why[0] == 0));
    CHECK(step.done || step.frame == imp_replay_frame(replay));
    if (!is_whole(imp_replay_world(replay))) return;
  }
  p->stopped += status != IMP_OK;
  CHECK(status == IMP_OK || imp_last_error()[0] != 0);
}


// Play a recording to the end. Seek to a frame that `choice` selects; depending on `choice`, step, save and change the
// world there. Check that each seek to frame 0 gives the same world.
static inline void play_exactly(const unsigned char *bytes, size_t size, unsigned choice, Playings *p) {
  ImpReplay *replay = NULL;
  ImpStatus status = imp_replay_open(bytes, size, NULL, &replay);
  *(status == IMP_OK ? &p->opened : &p->refused) += 1;
  if (status != IMP_OK) {
    CHECK(imp_last_error()[0] != 0 && replay == NULL);
    return;
  }
  ImpReplayInfo info = imp_replay_info(replay);
  ImpWorld *world = imp_replay_world(replay);
  CHECK(info.whole <= size && memchr(info.text, 0, size) != NULL && info.first_tick <= info.last_tick);
  play_steps(replay, p);
  int frame = (int)(choice % ((unsigned)info.frames + 1));
  status = imp_replay_seek(replay, frame, NULL);
  CHECK(status != IMP_OK || imp_replay_frame(replay) == frame);
  if (is_whole(world) && choice / 64 % 2 == 0) {
    limit_work(world);
    ask(world);
    step_it(world, 1);
    save_it(world);
    change_it(world, choice / 128);
  }
  uint64_t hash = 0;
  for (int again = 0; again < 3 && info.frames > 0; ++again) { // each seek to frame 0 undoes the changes
    MUST(imp_replay_seek(replay, 0, NULL));
    CHECK(again < 2 || imp_world_hash(world) == hash);
    hash = imp_world_hash(world);
    limit_work(world);
    (void)imp_replay_step(replay, &(ImpReplayStep){.done = false});
  }
  (void)is_whole(world);
  imp_replay_close(replay);
}


// Play the bytes if they are a valid recording, and check the result. `choice`: any number, which selects the frame to
// seek and whether to change the world there. Counts are added to `p`.
static inline void recording_input(const unsigned char *bytes, size_t size, unsigned choice, Playings *p) {
  // Copy the bytes into a block of exactly `size` bytes, so that the sanitizer detects reads beyond the end.
  unsigned char *exact = malloc(size > 0 ? size : 1);
  if (size > 0) memcpy(exact, bytes, size);
  play_exactly(exact, size, choice, p);
  free(exact);
}

#endif
