// A recording that is open, and the world that plays it.
#ifndef IMPI_REPLAY_H
#define IMPI_REPLAY_H

#include "record/record.h"

// A frame in the bytes.
typedef struct ImpiFrame {
  size_t at, size; // of its payload
  uint64_t tick;
  int32_t step; // steps that were made before it
  ImpiFrameKind kind;
} ImpiFrame;

struct ImpReplay {
  ImpiHeap heap;
  const unsigned char *bytes;
  size_t size;
  ImpReplayInfo info;
  IMPI_ARRAY(ImpiFrame) steps; // by number
  IMPI_ARRAY(ImpiFrame) keys;  // in order, several may come before the same step
  ImpiFrame rest;              // calls after the last step; size 0: none
  ImpWorld *world, *aside;     // the one that plays; one to compare with
  int frame;                   // steps made
  bool torn;                   // a step failed: the world is somewhere between, or has changed without it
  bool at_jump;                // the next thing that was recorded is another state, not a step from this one
  bool rested;                 // the calls after the last step were made
  // While a step is played:
  ImpiCoder coder;
  ImpiBytes expected; // notes that a callback is to find
  bool starved;       // a call or a callback ran out of memory, which is no difference
  bool astray;        // what happens is not what was noted: callbacks do nothing any more
  ImpReplayStep now;
  const unsigned char *trace; // of the step that was played last, in the bytes
  size_t trace_size;
  unsigned char *room; // of the coder
  size_t room_size;
};

// replay_frames.c: find the frames in replay->bytes. The error says why there is nothing to play.
ImpStatus impi_replay_index(ImpReplay *replay);

// replay.c
// Calls from the notes up to a mark or the end of them, which is returned: 0 the end, -1 what makes no sense.
int impi_replay_calls(ImpReplay *replay);
// Note why the step differs; the first reason stays.
void impi_replay_stray(ImpReplay *replay, const char *call, const char *why);

// replay_callbacks.c: the callbacks of the world that plays are these, which do what was noted.
void impi_replay_set_callbacks(ImpReplay *replay, uint64_t bits);
void impi_replay_set_callback(ImpReplay *replay, ImpiCallback kind, bool there);

#endif
