// Short recordings that together contain every call and every callback.
#ifndef IMPI_RECORDING_WORLDS_H
#define IMPI_RECORDING_WORLDS_H

#include "record/record.h"
#include "recorded.h"
#include "recorded_calls.h"

enum { GOOD_RECORDINGS = 5, GOOD_STEPS = 12, MOST_FRAMES = 64 };

// A frame of a recording; the payload points into the bytes of the recording.
typedef struct Frame {
  ImpiFrameKind kind;
  uint64_t tick;
  const unsigned char *payload;
  size_t size;
} Frame;

typedef struct GoodRecording {
  Recorded all;
  Things things; // handles of the recorded world
  Frame frames[MOST_FRAMES];
  int count;
} GoodRecording;

static GoodRecording good_recordings[GOOD_RECORDINGS];


// ---------------------------------------------------------------------------------------------------------------------
// Contents
// ---------------------------------------------------------------------------------------------------------------------

static inline void push_and_drop(ImpWorld *world, double h, void *user) {
  const GoodRecording *good = user;
  uint64_t dice = imp_world_random(world);
  MUST(imp_body_apply_force(world, good->things.box, vec((double)(dice % 100) * 0.1, h)));
  if (dice % 16 == 0) drop_disc(world, imp_shape_def(), 0, 4, 0.2);
}


static inline void make_slippery(ImpWorld *world, ImpContact contact, void *user) {
  (void)user;
  MUST(imp_contact_set(world, contact, IMP_CONTACT_FRICTION, 0.01));
  MUST(imp_contact_set(world, contact, IMP_CONTACT_ENABLED, imp_world_random(world) % 3 != 0));
}


static inline bool meets_by_chance(ImpWorld *world, ImpShape shape, ImpShape other, void *user) {
  (void)shape, (void)other, (void)user;
  return imp_world_random(world) % 2 == 0;
}


static inline void mix_by_number(ImpWorld *world, int a, int b, ImpMix *mix, void *user) {
  (void)world, (void)user;
  mix->friction = 0.1 * (a + b);
}


static inline void push_in_field(ImpWorld *world, ImpField field, ImpBody body, void *user) {
  (void)field, (void)user;
  MUST(imp_body_apply_force(world, body, vec(0.5, 0.2)));
}


static inline void write_row(ImpWorld *world, ImpJoint joint, double t, void *user) {
  const double j[] = {1, 0, 0};
  const ImpUserRow row = {.j = j, .bias = t, .lower = -3, .upper = 3};
  (void)user;
  MUST(imp_constraint_set_rows(world, joint, &row, 1));
}


static inline void set_all_callbacks(ImpWorld *world, GoodRecording *good) {
  ImpFieldDef def = imp_field_def(IMP_FIELD_CUSTOM);
  ImpField field;
  def.dynamic = true;
  MUST(imp_field_create(world, &def, &field));
  imp_world_set_substep_callback(world, push_and_drop, good);
  imp_world_set_pre_solve_callback(world, make_slippery, NULL);
  imp_world_set_filter_callback(world, meets_by_chance, NULL);
  imp_world_set_mix_callback(world, mix_by_number, NULL);
  imp_world_set_field_callback(world, push_in_field, NULL);
  imp_world_set_constraint_callback(world, write_row, NULL);
}


// Make each call of the table in one of the steps. Calls with destroyed objects are refused.
static inline void make_some_calls(ImpWorld *world, const Things *things, int step) {
  for (int call = 1; call < IMPI_CALL_COUNT; ++call) {
    bool sets = call >= IMPI_CALL_world_set_substep_callback && call <= IMPI_CALL_world_set_constraint_callback;
    if (call % GOOD_STEPS == step && !sets && call != IMPI_CALL_contact_set) (void)make_call(world, things, call);
  }
}


static inline void act_in_recording(ImpWorld *world, int index, int step) {
  GoodRecording *good = &good_recordings[index];
  if (index == 0) MUST(imp_body_apply_force(world, good->things.box, vec(1, step)));
  if (index == 1 && step == 3) imp_world_set_substep_callback(world, push_and_drop, good);
  if (index == 2) make_some_calls(world, &good->things, step);
  if (index == 3 && step == 1) set_all_callbacks(world, good);
  if (index == 3 && step == 8) imp_world_set_field_callback(world, NULL, NULL);
  if (index == 3) MUST(imp_shape_refilter(world, good->things.shape));
  if (index == 4 && step % 2 == 0) drop_disc(world, imp_shape_def(), step, 5, 0.3);
}


// Record a world. In the last recording, a snapshot is taken after two steps and restored later.
static inline void record_good(int index) {
  GoodRecording *good = &good_recordings[index];
  ImpWorld *world = make_world((ImpSolverKind)(index % MAIN_SOLVERS), 1.0 / 60, 9.81);
  void *state = NULL;
  size_t size = 0;
  good->things = make_things(world);
  record(world, &good->all, index == 0 ? 0 : 3 + index);
  for (int step = 0; step < GOOD_STEPS; ++step) {
    if (index == 4 && step == 2) MUST(imp_world_snapshot(world, &state, &size));
    if (index == 4 && step == 7) MUST(imp_world_restore(world, state, size));
    act_in_recording(world, index, step);
    (void)imp_world_step(world); // the step may fail, because some objects are destroyed
  }
  MUST(imp_world_set_gravity(world, vec(1, -2))); // a call after the last step
  MUST(imp_world_record_end(world));
  imp_snapshot_free(state);
  MUST(imp_world_destroy(world));
}


// ---------------------------------------------------------------------------------------------------------------------
// Frames
// ---------------------------------------------------------------------------------------------------------------------

static inline void find_frames(GoodRecording *good) {
  const unsigned char *bytes = good->all.bytes;
  size_t at = IMPI_RECORD_HEAD + (size_t)impi_read_number(bytes + 32);
  while (at < good->all.size && good->count < MOST_FRAMES) {
    Frame *frame = &good->frames[good->count++];
    frame->size = (size_t)impi_read_number(bytes + at);
    frame->kind = (ImpiFrameKind)(impi_read_number(bytes + at + 8) & 0xff);
    frame->tick = impi_read_number(bytes + at + 16);
    frame->payload = bytes + at + IMPI_FRAME_HEAD;
    at += IMPI_FRAME_HEAD + frame->size + IMPI_FRAME_TAIL;
  }
  CHECK(at == good->all.size && good->frames[good->count - 1].kind == IMPI_FRAME_END);
}


static inline void make_good_recordings(void) {
  for (int i = 0; i < GOOD_RECORDINGS; ++i) {
    record_good(i);
    find_frames(&good_recordings[i]);
  }
}


static inline void free_good_recordings(void) {
  for (int i = 0; i < GOOD_RECORDINGS; ++i) free(good_recordings[i].all.bytes);
}

#endif
