// Replaying a recording: the calls are repeated from the notes, and each step is compared with its recorded result.
#include "record/replay.h"
#include "world/calls.h"
#include "world/touching.h"

#include <string.h>


const char *imp_replay_end_name(int end) {
  static const char *const names[] = {"whole", "cut", "damaged"};
  IMPI_COVERS(names, IMP_REPLAY_END_COUNT);
  return end >= 0 && end < IMP_REPLAY_END_COUNT ? names[end] : NULL;
}


// ---------------------------------------------------------------------------------------------------------------------
// Opening and closing
// ---------------------------------------------------------------------------------------------------------------------


void imp_replay_close(ImpReplay *replay) {
  if (replay == NULL) {
    return;
  }
  ImpiHeap *heap = &replay->heap;
  impi_world_destroy(replay->world);
  impi_world_destroy(replay->aside);
  impi_array_free(heap, &replay->steps);
  impi_array_free(heap, &replay->keys);
  impi_array_free(heap, &replay->expected);
  impi_resize(heap, replay->room, replay->room_size, 0);
  ImpiHeap last = *heap;
  impi_resize(&last, replay, sizeof *replay, 0);
}


// Reserve memory for the arrays in the arguments of calls, enough for the longest frame.
static bool make_room(ImpReplay *replay) {
  size_t longest = replay->rest.size;
  for (int i = 0; i < replay->steps.count; ++i) {
    longest = replay->steps.data[i].size > longest ? replay->steps.data[i].size : longest;
  }
  replay->room_size = IMPI_CODE_ROOM(longest);
  replay->room = impi_resize(&replay->heap, NULL, 0, replay->room_size);
  replay->room_size = replay->room != NULL ? replay->room_size : 0;
  return replay->room != NULL;
}


// Restore the state of a keyframe into `world`.
static ImpStatus take_key(ImpReplay *replay, const ImpiFrame *key, ImpWorld *world) {
  if (key->size < 16) {
    return impi_fail(IMP_ERR_ARGUMENT, "a keyframe of the recording is damaged: it is too short");
  }
  ImpStatus status = impi_world_restore(world, replay->bytes + key->at + 16, key->size - 16);
  if (status == IMP_OK && world == replay->world) {
    impi_replay_set_callbacks(replay, impi_read_number(replay->bytes + key->at));
  }
  return status;
}


static ImpStatus begin(ImpReplay *replay, const ImpAllocator *allocator) {
  ImpWorldDef def = imp_world_def();
  ImpStatus status = impi_replay_index(replay);
  if (status == IMP_OK && !make_room(replay)) {
    status = impi_fail(IMP_ERR_NOMEM, "out of memory");
  }
  if (allocator != NULL) {
    def.allocator = *allocator;
  }
  if (status == IMP_OK) {
    status = imp_world_create(&def, &replay->world);
  }
  if (status == IMP_OK) {
    status = imp_world_create(&def, &replay->aside);
  }
  if (status == IMP_OK) {
    status = imp_replay_seek(replay, 0, NULL);
  }
  return status;
}


ImpStatus imp_replay_open(const void *bytes, size_t size, const ImpAllocator *allocator, ImpReplay **out_replay) {
  ImpiHeap heap = {.allocator =
                       allocator != NULL && allocator->reallocate != NULL ? *allocator : impi_default_allocator()};
  ImpReplay *replay = impi_resize(&heap, NULL, 0, sizeof *replay);
  if (replay == NULL) {
    return impi_fail(IMP_ERR_NOMEM, "out of memory");
  }
  memset(replay, 0, sizeof *replay);
  replay->heap = heap;
  replay->bytes = bytes;
  replay->size = size;
  replay->frame = -1; // no keyframe is loaded
  ImpStatus status = begin(replay, allocator);
  if (status != IMP_OK) {
    imp_replay_close(replay);
    return status;
  }
  *out_replay = replay;
  return IMP_OK;
}


ImpReplayInfo imp_replay_info(const ImpReplay *replay) { return replay->info; }


ImpWorld *imp_replay_world(ImpReplay *replay) { return replay->world; }


int imp_replay_frame(const ImpReplay *replay) { return replay->frame; }


// Return the number of keyframes at or before a frame.
static int keys_to(const ImpReplay *replay, int frame) {
  int low = 0, high = replay->keys.count;
  while (low < high) {
    int middle = low + (high - low) / 2;
    bool before = replay->keys.data[middle].step <= frame;
    low = before ? middle + 1 : low;
    high = before ? high : middle;
  }
  return low;
}


// Return the last keyframe of a kind between steps `step` and `step` + 1, or null. Between two steps, the keyframe of
// the step's end (IMPI_FRAME_KEY) is before the keyframes of restores (IMPI_FRAME_JUMP).
static const ImpiFrame *key_at(const ImpReplay *replay, int step, ImpiFrameKind kind) {
  for (int i = keys_to(replay, step) - 1; i >= 0 && replay->keys.data[i].step == step; --i) {
    if (replay->keys.data[i].kind == kind) {
      return &replay->keys.data[i];
    }
  }
  return NULL;
}


uint64_t imp_replay_tick(const ImpReplay *replay, int frame) {
  if (frame < 0 || frame > replay->steps.count) {
    return 0;
  }
  return frame > 0 ? replay->steps.data[frame - 1].tick : replay->keys.data[keys_to(replay, 0) - 1].tick;
}


// ---------------------------------------------------------------------------------------------------------------------
// Notes
// ---------------------------------------------------------------------------------------------------------------------


void impi_replay_diverge(ImpReplay *replay, const char *call, const char *why) {
  replay->astray = true;
  if (replay->now.why[0] == 0) {
    size_t size = strlen(why);
    size = size < sizeof replay->now.why ? size : sizeof replay->now.why - 1;
    memcpy(replay->now.why, why, size);
    replay->now.why[size] = 0;
    replay->now.call = call;
  }
}


// Return the callback that a call sets, or -1.
static int callback_set_by(int call) {
  for (int kind = 0; kind < IMPI_CALLBACK_COUNT; ++kind) {
    if ((int)impi_setter_of[kind] == call) {
      return kind;
    }
  }
  return -1;
}


static bool play_call(ImpReplay *replay, int call) {
  ImpiCoder *c = &replay->coder;
  int kind = callback_set_by(call);
  if (kind >= 0) {
    bool there = false;
    impi_code_ImpiTruth(c, &there);
    impi_replay_set_callback(replay, (ImpiCallback)kind, there);
    return !c->failed;
  }
  ImpStatus status = IMP_OK;
  if (!impi_play_call(replay->world, c, (ImpiCall)call, &status)) {
    return false;
  }
  replay->starved = replay->starved || status == IMP_ERR_NOMEM;
  // Report that a recorded call fails now.
  if (status != IMP_OK) {
    bool was = replay->astray;
    impi_replay_diverge(replay, impi_call_name(call), imp_last_error());
    replay->astray = was;
    replay->now.differs = true;
  }
  return true;
}


int impi_replay_calls(ImpReplay *replay) {
  ImpiCoder *c = &replay->coder;
  while (c->at < c->size && !c->failed) {
    unsigned char byte = 0;
    impi_code_byte(c, &byte);
    if (byte >= IMPI_MARK_FIRST) {
      return byte;
    }
    if (!play_call(replay, byte)) {
      return -1;
    }
  }
  return c->failed ? -1 : 0;
}


static void read_notes(ImpReplay *replay, const ImpiFrame *frame) {
  replay->coder = (ImpiCoder){.world = replay->world,
                              .reads = true,
                              .in = replay->bytes + frame->at,
                              .size = frame->size,
                              .room = replay->room,
                              .room_size = replay->room_size};
  replay->astray = replay->starved = false;
}


static ImpStatus starve(void) { return impi_fail(IMP_ERR_NOMEM, "out of memory"); }


// ---------------------------------------------------------------------------------------------------------------------
// Steps
// ---------------------------------------------------------------------------------------------------------------------


// Compare the world with the keyframe after the present step, if there is one. A keyframe that cannot be restored is a
// difference.
static ImpStatus compare_state(ImpReplay *replay) {
  const ImpiFrame *key = key_at(replay, replay->frame, IMPI_FRAME_KEY);
  if (key == NULL) {
    return IMP_OK;
  }
  ImpStatus status = take_key(replay, key, replay->aside);
  if (status == IMP_OK) {
    status = imp_world_difference(replay->world, replay->aside, &replay->now.has_difference, &replay->now.difference);
  }
  if (status == IMP_OK || status == IMP_ERR_NOMEM) {
    return status;
  }
  impi_replay_diverge(replay, NULL, imp_last_error());
  return IMP_OK;
}


// Read the length of the trace and the hash, at the end of a step's notes. Return the hash.
static uint64_t read_hash(ImpReplay *replay) {
  ImpiCoder *c = &replay->coder;
  uint64_t length = 0, hash = 0;
  c->failed = c->size < 16;
  c->at = c->failed ? c->size : c->size - 16;
  impi_code_fixed(c, &length);
  impi_code_fixed(c, &hash);
  replay->trace_size = !c->failed && length <= c->size - 16 ? (size_t)length : 0;
  replay->trace = c->in + (c->failed ? 0 : c->size - 16 - replay->trace_size);
  return hash;
}


static ImpStatus make_step(ImpReplay *replay, const ImpiFrame *frame) {
  ImpReplayStep *now = &replay->now;
  ImpiCoder *c = &replay->coder;
  read_notes(replay, frame);
  if (impi_replay_calls(replay) != IMPI_MARK_STEP) {
    impi_replay_diverge(replay, NULL, "the recorded calls before the step cannot be read");
  }
  ImpStatus status = replay->starved ? IMP_ERR_NOMEM : impi_world_step(replay->world);
  if (status == IMP_OK && !replay->starved) {
    replay->starved = !impi_world_sort_touching(replay->world);
  }
  if (status != IMP_OK || replay->starved) {
    return replay->starved ? starve() : status;
  }
  unsigned char mark = 0;
  if (!replay->astray) {
    impi_code_byte(c, &mark);
    if (c->failed || mark != IMPI_MARK_STEP_END) {
      impi_replay_diverge(replay, NULL, "the step called fewer callbacks in the playback than when it was recorded");
    }
  }
  now->expected = read_hash(replay);
  now->got = imp_world_hash(replay->world);
  now->differs = now->differs || replay->astray || now->expected != now->got;
  return IMP_OK;
}


// If the next step begins with a keyframe (IMPI_FRAME_JUMP), restore the keyframe.
static ImpStatus follow_jump(ImpReplay *replay) {
  if (!replay->at_jump) {
    return IMP_OK;
  }
  ImpStatus status = take_key(replay, key_at(replay, replay->frame, IMPI_FRAME_JUMP), replay->world);
  replay->at_jump = status != IMP_OK;
  return status;
}


// Repeat the calls after the last step.
static ImpStatus make_rest(ImpReplay *replay) {
  if (!replay->rested && replay->rest.size > 0) {
    read_notes(replay, &replay->rest);
    if (impi_replay_calls(replay) != 0) {
      impi_replay_diverge(replay, NULL, "the recorded calls after the last step cannot be read");
    }
    if (replay->starved) {
      replay->torn = true;
      return starve();
    }
    replay->now.differs = replay->now.differs || replay->astray;
  }
  replay->rested = true;
  return IMP_OK;
}


// After a failed step, restore the state before the step.
static ImpStatus mend(ImpReplay *replay) {
  int frame = replay->frame;
  ImpStatus status = replay->torn ? imp_replay_seek(replay, frame, NULL) : IMP_OK;
  if (status != IMP_OK) {
    replay->frame = frame;
    replay->torn = true;
  }
  return status;
}


// Play the next step, and find what differs. On an error replay->frame does not advance.
static ImpStatus play_step(ImpReplay *replay) {
  ImpReplayStep *now = &replay->now;
  ImpStatus status = make_step(replay, &replay->steps.data[replay->frame]);
  now->frame = ++replay->frame;
  now->made = 1;
  now->tick = replay->world->tick;
  if (status == IMP_OK && now->differs) {
    status = compare_state(replay);
  }
  if (status == IMP_OK && now->expected != now->got && !now->has_difference) {
    now->has_difference =
        impi_trace_compare(replay->world, replay->trace, replay->trace_size, &now->difference, now->now);
  }
  if (status != IMP_OK) {
    replay->frame--;
    replay->torn = true;
    return status;
  }
  replay->at_jump = key_at(replay, replay->frame, IMPI_FRAME_JUMP) != NULL;
  return IMP_OK;
}


ImpStatus imp_replay_step(ImpReplay *replay, ImpReplayStep *out_step) {
  ImpReplayStep *now = &replay->now;
  ImpStatus status = mend(replay);
  memset(now, 0, sizeof *now);
  now->frame = replay->frame;
  if (status == IMP_OK) {
    status = follow_jump(replay);
  }
  if (status == IMP_OK && replay->frame == replay->steps.count) {
    now->done = true;
    status = make_rest(replay);
    now->tick = replay->world->tick;
  } else if (status == IMP_OK) {
    status = play_step(replay);
  }
  if (status == IMP_OK) {
    *out_step = *now;
  }
  return status;
}


// Return the keyframe (IMPI_FRAME_KEY) at the end of step `frame`; if there is none, the last keyframe before the step.
// For frame 0, return the last keyframe before the first step.
static const ImpiFrame *key_before(const ImpReplay *replay, int frame) {
  const ImpiFrame *key = frame > 0 ? key_at(replay, frame, IMPI_FRAME_KEY) : NULL;
  return key != NULL ? key : &replay->keys.data[keys_to(replay, frame > 0 ? frame - 1 : 0) - 1];
}


ImpStatus imp_replay_seek(ImpReplay *replay, int frame, ImpReplayStep *out_step) {
  if (frame < 0 || frame > replay->steps.count) {
    return impi_fail(IMP_ERR_ARGUMENT, "the recording has no frame %d: its frames are 0 to %d", frame,
                     replay->steps.count);
  }
  const ImpiFrame *key = key_before(replay, frame);
  ImpReplayStep step = {.frame = frame}, first = {.frame = frame};
  bool goes_on = replay->frame >= key->step && replay->frame <= frame && !replay->rested && !replay->torn;
  if (!goes_on) {
    ImpStatus status = take_key(replay, key, replay->world);
    if (status != IMP_OK) {
      return status;
    }
    replay->frame = key->step;
    replay->at_jump = key->kind == IMPI_FRAME_KEY && key_at(replay, key->step, IMPI_FRAME_JUMP) != NULL;
    replay->rested = replay->torn = false;
  }
  step.tick = first.tick = replay->world->tick;
  int made = frame - replay->frame;
  while (replay->frame < frame) {
    ImpStatus status = imp_replay_step(replay, &step);
    if (status != IMP_OK) {
      return status;
    }
    if (!first.differs) {
      first = step;
    }
  }
  if (out_step != NULL) {
    *out_step = first;
    out_step->made = made;
  }
  return IMP_OK;
}
