// Changed recordings are refused, or played up to the first invalid call. The world is always valid.
#include "recording_input.h"
#include "recording_mutation.h"
#include "seeds.h"
#include "snapshot_mutation.h"

enum { SHORT = 1200, LONG = 100000, PATIENCE = 60 };

static struct {
  Playings playings;
  Pile recording, part;
  long unchecked; // changed recordings with invalid checksums
} bench;


static const Frame *any_frame(void) {
  const GoodRecording *good = &good_recordings[pick(GOOD_RECORDINGS)];
  return &good->frames[pick((uint64_t)good->count)];
}


static uint64_t any_number(void) {
  double value = ((double)pick(2001) - 1000) * (pick(2) == 0 ? 0.01 : 1e4);
  uint64_t bits = pick(UINT64_MAX);
  if (pick(4) == 0) memcpy(&bits, &value, sizeof value);
  return pick(3) == 0 ? odd_number() : bits;
}


// Change the contents, the kind or the time of a frame of a valid recording. Append the frame.
static void add_changed(const Frame *frame) {
  Pile *part = &bench.part;
  bool key = frame->kind == IMPI_FRAME_KEY || frame->kind == IMPI_FRAME_JUMP;
  part->size = 0;
  put_in(part, 0, frame->payload, frame->size);
  if (key) {
    if (pick(4) == 0) edit_key(part, pick_size(UINT32_MAX), any_number(), (size_t[]){0, 1, 4, 8}[pick(4)]);
  } else {
    for (uint64_t i = 1 + pick(3); i > 0; --i)
      edit_notes(part, (int)pick(NOTE_EDITS), pick_size(UINT32_MAX), any_number(), any_frame());
  }
  ImpiFrameKind kind = pick(40) == 0 ? (ImpiFrameKind)pick(8) : frame->kind;
  add_frame(&bench.recording, kind, pick(40) == 0 ? any_number() : frame->tick, part->bytes, part->size);
}


// Build a recording in which some frames are changed, missing, duplicated or from another recording.
static void put_together(const GoodRecording *good) {
  uint64_t rarely = 2 + pick(8);
  begin_recording(&bench.recording);
  for (int i = 0; i < good->count; ++i) {
    uint64_t dice = pick(60);
    if (dice == 0) continue;
    if (dice == 1) copy_frame(&bench.recording, any_frame());
    pick(rarely) == 0 ? add_changed(&good->frames[i]) : copy_frame(&bench.recording, &good->frames[i]);
  }
}


// Change bytes anywhere in a recording. Recompute the checksums or leave them invalid.
static void change_anywhere(const GoodRecording *good, const GoodRecording *other) {
  Pile *recording = &bench.recording;
  Bytes piece = {other->all.bytes, other->all.size};
  recording->size = 0;
  put_in(recording, 0, good->all.bytes, good->all.size);
  Bytes shot = {recording->bytes, recording->size};
  for (uint64_t i = 1 + pick(3); i > 0 && shot.size > SHOT_HEADER; --i) change_bytes(&shot, &piece);
  recording->size = shot.size;
  bool fixed = pick(3) > 0;
  if (fixed) fix_recording(shot.bytes, shot.size);
  bench.unchecked += !fixed;
}


static void try_seed(uint64_t seed) {
  pick_state = seed;
  const GoodRecording *good = &good_recordings[pick(GOOD_RECORDINGS)];
  pick(8) > 0 ? put_together(good) : change_anywhere(good, &good_recordings[pick(GOOD_RECORDINGS)]);
  recording_input(bench.recording.bytes, bench.recording.size, (unsigned)pick(1 << 16), &bench.playings);
}


static void changed_recordings_are_refused_or_played(void) {
  const Playings *p = &bench.playings;
  // Seeds that once failed.
  static const long found[] = {62248, 86816, 91968, 12743, 50710};
  try_found(found, IMPI_COUNT(found), PATIENCE, try_seed);
  try_seeds(SHORT, LONG, PATIENCE, try_seed);
  long all = seeds.last - seeds.first + 1;
  measured("changed recordings", (double)all);
  measured("  with checksums that do not fit", (double)bench.unchecked);
  measured("  accepted and played", (double)p->opened);
  measured("  accepted, but could not be played to the end", (double)p->stopped);
  measured("  steps that were played", (double)p->steps);
  measured("  steps that differed from the recording", (double)p->differing);
  measured("  steps with a refused call", (double)p->calls);
  CHECK(all < SHORT || (p->opened > all / 2 && p->refused > all / 50 && p->differing > all && p->calls > all / 4));
}


int main(int argc, char **argv) {
  read_seeds(argc, argv);
  make_good_recordings();
  RUN(changed_recordings_are_refused_or_played);
  free_good_recordings();
  free(bench.recording.bytes);
  free(bench.part.bytes);
  return check_report("record fuzz");
}
