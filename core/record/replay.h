// A recording that is being played, and its world.
#ifndef IMPI_REPLAY_H
#define IMPI_REPLAY_H

#include "record/record.h"

// A frame in the bytes of the recording.
typedef struct ImpiFrame {
  size_t at, size; // position and size of its payload [bytes]
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
  IMPI_ARRAY(ImpiFrame) keys;  // keyframes in order; between two steps there may be several
  ImpiFrame rest;              // calls after the last step; size 0: none
  // world: plays the recording. aside: gets the state of a keyframe, with which `world` is compared
  ImpWorld *world, *aside;
  int frame;    // number of steps made
  bool torn;    // playing failed: the world is in a state between two frames
  bool at_jump; // the next step begins at the state of a keyframe (IMPI_FRAME_JUMP), for example after a restore
  bool rested;  // the calls after the last step have been made
  // While a step is played:
  ImpiCoder coder;
  ImpiBytes expected; // notes that a callback would write now; they must be equal to the recorded ones
  bool starved;       // memory ran out in a call or a callback: the step fails, and no difference is reported
  bool astray;        // the step does not follow the notes: from here on callbacks do nothing
  ImpReplayStep now;
  const unsigned char *trace; // trace of the last step that was played, in `bytes`
  size_t trace_size;
  unsigned char *room; // memory of the coder, see ImpiCoder.room
  size_t room_size;
};

// replay_frames.c: find the frames in replay->bytes. The error says why the recording cannot be played.
ImpStatus impi_replay_index(ImpReplay *replay);

// replay.c
// Repeat calls from the notes up to a mark, which is returned; 0 at the end of the notes, -1 if they are invalid.
int impi_replay_calls(ImpReplay *replay);
// Store why the step differs from the recording; if this is called several times, the first reason remains.
void impi_replay_diverge(ImpReplay *replay, const char *call, const char *why);

// replay_callbacks.c: set the callbacks of the world that plays the recording; they repeat the notes.
void impi_replay_set_callbacks(ImpReplay *replay, uint64_t bits);
void impi_replay_set_callback(ImpReplay *replay, ImpiCallback kind, bool there);

#endif
