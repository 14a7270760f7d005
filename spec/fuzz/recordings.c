// Recordings composed from the input's bytes, with valid checksums. Each recording is rejected, or played by a valid
// world.
//   the input: 2 bytes that select the frame to seek and the changes after the seek. If the first byte is 255, a
//   complete recording follows, whose checksums are corrected. Otherwise records follow. A record has a kind (1 byte,
//   modulo 8) and the fields below; a field has 1 byte unless its size is given. GOOD: two fields, the index of a valid
//   recording and the index of the frame that is copied from the recording.
//   0        append consecutive frames: GOOD, number of frames
//   1, 6, 7  edit the frame's notes: GOOD, number of edits; for each edit: kind, position (3 bytes), number (8 bytes)
//   2        append a frame of given bytes: frame kind, tick, length (2 bytes), the bytes
//   3        make and edit a keyframe: GOOD, callback flags, frame kind, width, position (3 bytes), number (8 bytes)
//   4        insert bytes into the frame: GOOD, position (2 bytes), length, the bytes
//   5        change the frame's kind and tick: GOOD, frame kind, tick
#include "blocks.h"
#include "fuzz.h"
#include "recording_input.h"
#include "recording_mutation.h"

enum { ADDED_MOST = 100, EDITS_MOST = 32 };


static void prepare(void) {
  static bool ready = false;
  if (!ready) make_good_recordings();
  ready = true;
}


static const GoodRecording *take_good(Input *in, int *out_frame) {
  const GoodRecording *good = &good_recordings[take_below(in, GOOD_RECORDINGS)];
  *out_frame = take_below(in, good->count);
  return good;
}


static size_t take_length_of(Input *in, size_t bytes) {
  size_t length = (size_t)take(in, bytes);
  return length < in->left ? length : in->left;
}


static void take_into(Input *in, Pile *part, size_t place, size_t length) {
  put_in(part, place % (part->size + 1), in->at, length);
  in->at += length;
  in->left -= length;
}


static void edit(Input *in, Pile *part, const Frame *other) {
  int edits = take_below(in, EDITS_MOST);
  for (int i = 0; i < edits && in->left > 0; ++i) {
    int kind = take_below(in, NOTE_EDITS);
    size_t place = (size_t)take(in, 3);
    edit_notes(part, kind, place, take(in, 8), other);
  }
}


// Append up to 255 consecutive frames of a good recording.
static void copy_some(Input *in, Pile *recording) {
  int first;
  const GoodRecording *good = take_good(in, &first);
  int end = first + take_below(in, 256);
  for (int i = first; i < end && i < good->count; ++i) copy_frame(recording, &good->frames[i]);
}


static void add_one(Input *in, Pile *recording, Pile *part) {
  int what = take_below(in, 8), index;
  part->size = 0;
  if (what == 0) {
    copy_some(in, recording);
    return;
  }
  if (what == 2) {
    ImpiFrameKind kind = (ImpiFrameKind)take_below(in, 8);
    uint64_t tick = take(in, 1);
    take_into(in, part, 0, take_length_of(in, 2));
    add_frame(recording, kind, tick, part->bytes, part->size);
    return;
  }
  const GoodRecording *good = take_good(in, &index);
  Frame frame = good->frames[index];
  put_in(part, 0, frame.payload, frame.size);
  if (what == 3) {
    edit_key(part, 0, take(in, 1), 0);
    frame.kind = take(in, 1) % 2 == 0 ? IMPI_FRAME_KEY : IMPI_FRAME_JUMP;
    size_t width = (size_t)take_below(in, 9), place = (size_t)take(in, 3);
    uint64_t number = take(in, 8);
    if (width > 0) edit_key(part, place, number, width);
  } else if (what == 4) {
    size_t place = (size_t)take(in, 2);
    take_into(in, part, place, take_length_of(in, 1));
  } else if (what == 5) {
    frame.kind = (ImpiFrameKind)take(in, 1);
    frame.tick = take(in, 1);
  } else {
    edit(in, part, &good->frames[(index + 1) % good->count]);
  }
  add_frame(recording, frame.kind, frame.tick, part->bytes, part->size);
}


// Check that the work of opening a recording is bounded by its length.
static void check_work(const Pile *recording) {
  ImpReplay *replay = NULL;
  uint64_t before = blocks;
  if (imp_replay_open(recording->bytes, recording->size, NULL, &replay) == IMP_OK) imp_replay_close(replay);
  CHECK((double)(blocks - before) <= blocks_at_start + most_blocks * (double)recording->size);
}


static void one_input(Input *in) {
  Pile recording = {0}, part = {0};
  Playings playings = {0};
  prepare();
  unsigned choice = (unsigned)take(in, 2);
  if (choice % 256 == 255) {
    put_in(&recording, 0, in->at, in->left);
    fix_recording(recording.bytes, recording.size);
  } else {
    begin_recording(&recording);
    for (int i = 0; i < ADDED_MOST && in->left > 0; ++i) add_one(in, &recording, &part);
  }
  check_work(&recording);
  recording_input(recording.bytes, recording.size, choice / 256 * 7 + choice % 128, &playings);
  free(recording.bytes);
  free(part.bytes);
}
