// Recording a world: each call and each callback adds bytes ("notes") to a buffer. The end of each step writes the
// buffer as a frame.
#include "record/record.h"
#include "snapshot/snapshot.h"
#include "world/calls.h"
#include "world/touching.h"

#include <string.h>

// A keyframe is written when the work since the last keyframe reaches KEY_WORK, and after KEY_STEPS steps at the
// latest. The work of a step is (awake bodies) + (active contacts) + (bytes of notes) / KEY_BYTES.
#define KEY_WORK 50000
#define KEY_STEPS 600
#define KEY_BYTES 64

struct ImpiRecorder {
  ImpRecordDef def;
  ImpiBytes notes;             // space for the head of a frame, then the notes since the last frame
  ImpiCallbackState callbacks; // the user's callbacks
  int inside;                  // number of callbacks that are running
  bool lost;                   // there was no memory to add a call to the notes
  bool starved;                // there was no memory to write a frame
  bool jump;                   // repeating the notes would not give the state of the world: write a keyframe instead
  int steps_since, work_since; // number of steps, and their total work, since the last keyframe
};


// ---------------------------------------------------------------------------------------------------------------------
// Notes
// ---------------------------------------------------------------------------------------------------------------------


static ImpiCoder coder_of(ImpWorld *world) {
  return (ImpiCoder){.world = world, .heap = &world->heap, .out = &world->recorder->notes};
}


static void note_mark(ImpWorld *world, int mark) {
  ImpiCoder c = coder_of(world);
  unsigned char byte = (unsigned char)mark;
  impi_code_byte(&c, &byte);
  world->recorder->lost = world->recorder->lost || c.failed;
}


int impi_note_begin(ImpWorld *world) { return world->recorder->notes.count; }


ImpiNote impi_note_succeeded(ImpWorld *world, int begun, ImpiCall call) {
  ImpiNote note = {.coder = coder_of(world), .before = begun, .call = world->recorder->notes.count};
  unsigned char byte = (unsigned char)call;
  impi_code_byte(&note.coder, &byte);
  return note;
}


static void reverse(unsigned char *first, unsigned char *end) {
  while (first < --end) {
    unsigned char swap = *first;
    *first++ = *end;
    *end = swap;
  }
}


// Move the notes of a call before the notes of the callbacks that ran inside the call.
void impi_note_end(ImpiNote *note) {
  ImpiRecorder *recorder = impi_recorder(note->coder.world);
  unsigned char *data = recorder->notes.data;
  recorder->lost = recorder->lost || note->coder.failed;
  if (note->call > note->before && !recorder->lost) {
    reverse(data + note->before, data + note->call);
    reverse(data + note->call, data + recorder->notes.count);
    reverse(data + note->before, data + recorder->notes.count);
  }
}


void impi_note_failed(ImpWorld *world, int begun) {
  ImpiRecorder *recorder = world->recorder;
  // Callbacks of the failed call may have changed the world: write a keyframe instead of their notes.
  if (recorder->notes.count > begun) {
    recorder->notes.count = begun;
    recorder->jump = true;
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Frames
// ---------------------------------------------------------------------------------------------------------------------


static void forget_notes(ImpiRecorder *recorder) { recorder->notes.count = IMPI_FRAME_HEAD; }


// End the recording, and restore the user's callbacks.
static void stop(ImpWorld *world) {
  ImpiRecorder *recorder = world->recorder;
  for (int kind = 0; kind < IMPI_CALLBACK_COUNT; ++kind) {
    impi_set_callback(world, (ImpiCallback)kind, recorder->callbacks.function[kind], recorder->callbacks.user[kind]);
  }
  impi_array_free(&world->heap, &recorder->notes);
  impi_resize(&world->heap, recorder, sizeof *recorder, 0);
  world->recorder = NULL;
  world->recording.on = false;
}


static bool put(ImpWorld *world, const void *bytes, size_t size) {
  const ImpRecordDef *def = &world->recorder->def;
  if (!def->write(def->user, bytes, size)) {
    return false;
  }
  world->recording.bytes += size;
  return true;
}


static bool put_notes(ImpWorld *world, ImpiFrameKind kind) {
  ImpiRecorder *recorder = world->recorder;
  ImpiCoder c = coder_of(world);
  unsigned char *data = recorder->notes.data;
  uint64_t size = (uint64_t)recorder->notes.count - IMPI_FRAME_HEAD;
  impi_frame_head(data, size, kind, world->tick);
  uint64_t checksum = impi_checksum(data, (size_t)recorder->notes.count);
  impi_code_fixed(&c, &checksum);
  bool fine = !c.failed && put(world, recorder->notes.data, (size_t)recorder->notes.count);
  forget_notes(recorder);
  return fine;
}


static uint64_t callback_bits(const ImpiCallbackState *callbacks) {
  uint64_t bits = 0;
  for (int kind = 0; kind < IMPI_CALLBACK_COUNT; ++kind) {
    bits |= (uint64_t)(callbacks->function[kind] != NULL) << kind;
  }
  return bits;
}


static bool put_key(ImpWorld *world, ImpiFrameKind kind) {
  ImpiRecorder *recorder = world->recorder;
  unsigned char head[IMPI_FRAME_HEAD + 16], tail[IMPI_FRAME_TAIL];
  void *bytes = NULL;
  size_t size = 0;
  if (!impi_world_sort_touching(world) || imp_world_snapshot(world, &bytes, &size) != IMP_OK) {
    recorder->starved = true;
    return false;
  }
  impi_frame_head(head, 16 + (uint64_t)size, kind, world->tick);
  impi_write_number(head + IMPI_FRAME_HEAD, callback_bits(&recorder->callbacks));
  impi_write_number(head + IMPI_FRAME_HEAD + 8, imp_world_hash(world));
  impi_write_number(tail, impi_checksum_of_two(head, sizeof head, bytes, size));
  bool fine = put(world, head, sizeof head) && put(world, bytes, size) && put(world, tail, sizeof tail);
  imp_snapshot_free(bytes);
  recorder->steps_since = recorder->work_since = 0;
  world->recording.keyframes += fine;
  return fine;
}


// End the recording after an error.
static void check_write(ImpWorld *world, bool fine) {
  if (!fine) {
    world->recording.failed = true;
    stop(world);
  }
}


// Write a keyframe instead of the notes.
static void jump(ImpWorld *world) {
  forget_notes(world->recorder);
  world->recorder->jump = world->recorder->lost = false;
  check_write(world, put_key(world, IMPI_FRAME_JUMP));
}


// ---------------------------------------------------------------------------------------------------------------------
// Callbacks: the recorder's callback of each kind notes its call, the calls that the user's callback makes, and the
// answer
// ---------------------------------------------------------------------------------------------------------------------


void impi_set_callback(ImpWorld *world, ImpiCallback kind, void (*function)(void), void *user) {
  world->callback.function[kind] = function;
  world->callback.user[kind] = user;
}


void impi_code_callback(ImpiCoder *c, ImpiCallback kind, uint64_t a, uint64_t b, double t) {
  unsigned char number = (unsigned char)kind;
  ImpShape shape_a = {a}, shape_b = {b};
  ImpContact contact = {a};
  ImpField field = {a};
  ImpBody body = {b};
  ImpJoint joint = {a};
  int first = (int)a, second = (int)b;
  impi_code_byte(c, &number);
  switch (kind) {
  case IMPI_CALLBACK_SUBSTEP:
    impi_code_double(c, &t);
    return;
  case IMPI_CALLBACK_PRE_SOLVE:
    impi_code_ImpContact(c, &contact);
    return;
  case IMPI_CALLBACK_FILTER:
    impi_code_ImpShape(c, &shape_a);
    impi_code_ImpShape(c, &shape_b);
    return;
  case IMPI_CALLBACK_MIX:
    impi_code_int(c, &first);
    impi_code_int(c, &second);
    return;
  case IMPI_CALLBACK_FIELD:
    impi_code_ImpField(c, &field);
    impi_code_ImpBody(c, &body);
    return;
  default:
    impi_code_ImpJoint(c, &joint);
    impi_code_double(c, &t);
    return;
  }
}


static const ImpiCallbackState *enter(ImpWorld *world, ImpiCallback kind, uint64_t a, uint64_t b, double t) {
  ImpiRecorder *recorder = world->recorder;
  note_mark(world, IMPI_MARK_CALLBACK);
  ImpiCoder c = coder_of(world);
  impi_code_callback(&c, kind, a, b, t);
  recorder->lost = recorder->lost || c.failed;
  recorder->inside++;
  return &recorder->callbacks;
}


static ImpiCoder leave(ImpWorld *world) {
  world->recorder->inside--;
  note_mark(world, IMPI_MARK_ANSWER);
  return coder_of(world);
}


static void on_substep(ImpWorld *world, double h, void *user) {
  const ImpiCallbackState *own = enter(world, IMPI_CALLBACK_SUBSTEP, 0, 0, h);
  (void)user;
  own->substep(world, h, own->substep_user);
  leave(world);
}


static void on_pre_solve(ImpWorld *world, ImpContact contact, void *user) {
  const ImpiCallbackState *own = enter(world, IMPI_CALLBACK_PRE_SOLVE, contact.id, 0, 0);
  (void)user;
  own->pre_solve(world, contact, own->pre_solve_user);
  leave(world);
}


static bool on_filter(ImpWorld *world, ImpShape shape, ImpShape other, void *user) {
  const ImpiCallbackState *own = enter(world, IMPI_CALLBACK_FILTER, shape.id, other.id, 0);
  (void)user;
  bool meets = own->filter(world, shape, other, own->filter_user);
  ImpiCoder c = leave(world);
  bool answer = meets;
  impi_code_ImpiTruth(&c, &answer);
  world->recorder->lost = world->recorder->lost || c.failed;
  return meets;
}


static void on_mix(ImpWorld *world, int a, int b, ImpMix *mix, void *user) {
  const ImpiCallbackState *own = enter(world, IMPI_CALLBACK_MIX, (uint64_t)a, (uint64_t)b, 0);
  (void)user;
  own->mix(world, a, b, mix, own->mix_user);
  ImpiCoder c = leave(world);
  double friction = mix->friction, restitution = mix->restitution;
  impi_code_double(&c, &friction);
  impi_code_double(&c, &restitution);
  world->recorder->lost = world->recorder->lost || c.failed;
}


static void on_field(ImpWorld *world, ImpField field, ImpBody body, void *user) {
  const ImpiCallbackState *own = enter(world, IMPI_CALLBACK_FIELD, field.id, body.id, 0);
  (void)user;
  own->field(world, field, body, own->field_user);
  leave(world);
}


static void on_constraint(ImpWorld *world, ImpJoint joint, double t, void *user) {
  const ImpiCallbackState *own = enter(world, IMPI_CALLBACK_CONSTRAINT, joint.id, 0, t);
  (void)user;
  own->constraint(world, joint, t, own->constraint_user);
  leave(world);
}


static void (*const noting[])(void) = {
    (void (*)(void))on_substep, (void (*)(void))on_pre_solve, (void (*)(void))on_filter,
    (void (*)(void))on_mix,     (void (*)(void))on_field,     (void (*)(void))on_constraint,
};
IMPI_COVERS(noting, IMPI_CALLBACK_COUNT);


const ImpiCall impi_setter_of[] = {
    IMPI_CALL_world_set_substep_callback, IMPI_CALL_world_set_pre_solve_callback,
    IMPI_CALL_world_set_filter_callback,  IMPI_CALL_world_set_mix_callback,
    IMPI_CALL_world_set_field_callback,   IMPI_CALL_world_set_constraint_callback,
};
IMPI_COVERS(impi_setter_of, IMPI_CALLBACK_COUNT);


// Set a callback, and note whether it is set or removed.
void impi_record_set_callback(ImpWorld *world, ImpiCallback kind, void (*function)(void), void *user) {
  ImpiRecorder *recorder = world->recorder;
  if (recorder == NULL) {
    impi_set_callback(world, kind, function, user);
    return;
  }
  ImpiNote note = impi_note_succeeded(world, impi_note_begin(world), impi_setter_of[kind]);
  bool there = function != NULL;
  impi_code_ImpiTruth(&note.coder, &there);
  impi_note_end(&note);
  recorder->callbacks.function[kind] = function;
  recorder->callbacks.user[kind] = user;
  impi_set_callback(world, kind, there ? noting[kind] : NULL, recorder);
}


// ---------------------------------------------------------------------------------------------------------------------
// Beginning and end of a recording
// ---------------------------------------------------------------------------------------------------------------------


ImpRecordDef imp_record_def(void) { return (ImpRecordDef){.keyframe_steps = 0}; }


static bool put_head(ImpWorld *world) {
  unsigned char head[IMPI_RECORD_HEAD];
  const char *text = world->recorder->def.text != NULL ? world->recorder->def.text : "";
  size_t size = strlen(text) + 1;
  memcpy(head, impi_record_magic, 8);
  impi_write_number(head + 8, IMPI_RECORD_FORMAT);
  impi_write_number(head + 16, impi_calls_identity());
  impi_write_number(head + 24, impi_library_version());
  impi_write_number(head + 32, size);
  impi_write_number(head + 40, impi_checksum_of_two(head, IMPI_RECORD_HEAD - 8, text, size));
  return put(world, head, sizeof head) && put(world, text, size);
}


static bool attach(ImpWorld *world, const ImpRecordDef *def) {
  ImpiRecorder *recorder = impi_resize(&world->heap, NULL, 0, sizeof *recorder);
  if (recorder == NULL) {
    return false;
  }
  memset(recorder, 0, sizeof *recorder);
  recorder->def = *def;
  if (!impi_reserve(&world->heap, &recorder->notes, 4096)) {
    impi_resize(&world->heap, recorder, sizeof *recorder, 0);
    return false;
  }
  memset(recorder->notes.data, 0, IMPI_FRAME_HEAD);
  forget_notes(recorder);
  recorder->callbacks = world->callback;
  world->recorder = recorder;
  world->recording = (ImpRecording){.on = true};
  for (int kind = 0; kind < IMPI_CALLBACK_COUNT; ++kind) {
    if (recorder->callbacks.function[kind] != NULL) {
      impi_set_callback(world, (ImpiCallback)kind, noting[kind], recorder);
    }
  }
  return true;
}


ImpStatus imp_world_record(ImpWorld *world, const ImpRecordDef *def) {
  if (world->stepping) {
    return impi_fail(IMP_ERR_STATE, "a recording cannot begin inside a step");
  }
  if (world->recorder != NULL) {
    return impi_fail(IMP_ERR_STATE, "the world is being recorded already: end that recording first");
  }
  if (def == NULL || def->write == NULL || def->keyframe_steps < 0) {
    return impi_fail(IMP_ERR_ARGUMENT, "a recording needs a write function that is not null, and keyframe_steps >= 0");
  }
  if (!attach(world, def)) {
    return impi_fail(IMP_ERR_NOMEM, "out of memory for a recording");
  }
  bool fine = put_head(world) && put_key(world, IMPI_FRAME_JUMP), starved = world->recorder->starved;
  check_write(world, fine);
  if (!fine) {
    return starved ? impi_fail(IMP_ERR_NOMEM, "out of memory for a recording")
                   : impi_fail(IMP_ERR_STATE, "the recording cannot be written: its write function failed");
  }
  world->recorder->def.text = NULL; // the caller's text is valid only during this call
  return IMP_OK;
}


ImpStatus imp_world_record_end(ImpWorld *world) {
  ImpiRecorder *recorder = world->recorder;
  if (world->stepping || (recorder != NULL && recorder->inside > 0)) {
    return impi_fail(IMP_ERR_STATE, "a recording cannot be ended inside a step");
  }
  if (recorder != NULL) {
    if (recorder->jump || recorder->lost) {
      jump(world);
    }
    bool fine = world->recorder != NULL;
    if (fine && recorder->notes.count > IMPI_FRAME_HEAD) {
      fine = put_notes(world, IMPI_FRAME_REST);
    }
    if (fine) {
      check_write(world, put_notes(world, IMPI_FRAME_END));
    } else if (world->recorder != NULL) {
      check_write(world, false);
    }
    if (world->recorder != NULL) {
      stop(world);
    }
  }
  return world->recording.failed ? impi_fail(IMP_ERR_STATE, "the recording is incomplete: its write function failed")
                                 : IMP_OK;
}


ImpRecording imp_world_recording(const ImpWorld *world) { return world->recording; }


// ---------------------------------------------------------------------------------------------------------------------
// Steps and restores
// ---------------------------------------------------------------------------------------------------------------------


static void note_step(ImpWorld *world) {
  ImpiRecorder *recorder = world->recorder;
  note_mark(world, IMPI_MARK_STEP_END);
  int work = world->awake.count + world->narrow.active.count + recorder->notes.count / KEY_BYTES;
  ImpiCoder c = coder_of(world);
  // false: no memory for sorting, so the hash would not contain all contacts
  bool sorted = impi_world_sort_touching(world);
  uint64_t hash = 0, trace = (uint64_t)recorder->notes.count;
  impi_trace_write(world, &c, &hash);
  trace = (uint64_t)recorder->notes.count - trace;
  impi_code_fixed(&c, &trace);
  impi_code_fixed(&c, &hash);
  recorder->lost = recorder->lost || c.failed || !sorted;
  recorder->work_since += work < KEY_WORK ? work : KEY_WORK;
  recorder->steps_since++;
  int most = recorder->def.keyframe_steps;
  bool due =
      most > 0 ? recorder->steps_since >= most : recorder->work_since >= KEY_WORK || recorder->steps_since >= KEY_STEPS;
  bool fine = !recorder->lost && put_notes(world, IMPI_FRAME_STEP);
  world->recording.steps += fine;
  check_write(world, fine && (!due || put_key(world, IMPI_FRAME_KEY)));
}


ImpStatus imp_world_step(ImpWorld *world) {
  if (world->recorder == NULL || world->stepping || world->recorder->inside > 0) {
    return impi_world_step(world);
  }
  if (world->recorder->jump || world->recorder->lost) {
    jump(world);
    if (world->recorder == NULL) {
      return impi_world_step(world);
    }
  }
  note_mark(world, IMPI_MARK_STEP);
  ImpStatus status = impi_world_step(world);
  if (status != IMP_OK || world->recorder->jump) {
    jump(world);
  } else {
    note_step(world);
  }
  return status;
}


ImpStatus imp_world_restore(ImpWorld *world, const void *bytes, size_t size) {
  ImpStatus status = impi_world_restore(world, bytes, size);
  if (status == IMP_OK && world->recorder != NULL) {
    jump(world);
  }
  return status;
}


void imp_restore_end(ImpRestore *restore, bool take) {
  ImpWorld *world = restore != NULL && take ? impi_restore_world(restore) : NULL;
  impi_restore_end(restore, take);
  if (world != NULL && world->recorder != NULL) {
    jump(world);
  }
}


ImpStatus imp_world_destroy(ImpWorld *world) {
  if (world != NULL && !world->stepping && world->recorder != NULL) {
    imp_world_record_end(world);
  }
  return impi_world_destroy(world);
}
