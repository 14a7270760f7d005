// A recording that is being played, and its world.
#ifndef IMPI_REPLAY_H
#define IMPI_REPLAY_H

#include "record/record.h"

typedef struct ImpiFrame {
  size_t at, size; // position and size of the payload [bytes]
  uint64_t tick;
  int32_t step; // number of steps before the frame
  ImpiFrameKind kind;
} ImpiFrame;

struct ImpReplay {
  ImpiHeap heap;
  const unsigned char *bytes;
  size_t size;
  ImpReplayInfo info;
  IMPI_ARRAY(ImpiFrame) steps; // by number
  IMPI_ARRAY(ImpiFrame) keys;  // keyframes in order; there may be several between two steps
  ImpiFrame rest;              // calls after the last step; size 0: none
  // world: plays the recording. aside: gets the state of a keyframe, for comparison
  ImpWorld *world, *aside;
  int frame;    // number of steps played
  bool torn;    // playing failed: the world is in a state between two frames
  bool at_jump; // the next step begins with a keyframe (IMPI_FRAME_JUMP), for example after a restore
  bool rested;  // the calls after the last step are done
  ImpiCoder coder;
  ImpiBytes expected; // note of the callback that the step calls now; must equal the recorded note
  bool starved;       // there was no memory in a call or a callback: the step fails
  bool astray;        // the step differs from the recording: callbacks do nothing
  ImpReplayStep now;
  const unsigned char *trace; // trace of the last step that was played, in `bytes`
  size_t trace_size;
  unsigned char *room; // see ImpiCoder.room
  size_t room_size;
};

// replay_frames.c: find the frames in replay->bytes.
ImpStatus impi_replay_index(ImpReplay *replay);

// replay.c
// Repeat calls from the notes up to a mark. Returns the mark, 0 at the end of the notes, or -1 after an error.
int impi_replay_calls(ImpReplay *replay);
// Store why the step differs from the recording, unless a reason is already stored.
void impi_replay_diverge(ImpReplay *replay, const char *call, const char *why);

// replay_callbacks.c: set the callbacks of the world that plays the recording. Each makes the calls that the recorded
// callback made. `bits`: bit 1 << ImpiCallback for each callback that is set.
void impi_replay_set_callbacks(ImpReplay *replay, uint64_t bits);
void impi_replay_set_callback(ImpReplay *replay, ImpiCallback kind, bool there);

#endif
