// Recording and repeating of the calls that change a world.
#ifndef IMPI_RECORD_H
#define IMPI_RECORD_H

#include "record/code.h"
#include "record/record_table.h"
#include "world/calls.h"

typedef struct ImpiRecorder ImpiRecorder;

// Return the recorder of a world, or null.
static inline ImpiRecorder *impi_recorder(const ImpWorld *world) { return world->recorder; }

typedef struct ImpiNote {
  ImpiCoder coder;
  int before, call; // size of all notes at the start of the call; at its end, before its arguments are written [bytes]
} ImpiNote;

// Add a call to the notes. `begin` is called before the call. After success, `succeeded` is called, the arguments are
// written to note.coder, and `end` is called. After an error, `failed` is called, because callbacks of the call may
// have changed the world. `begun` is the result of `begin`.
int impi_note_begin(ImpWorld *world);
ImpiNote impi_note_succeeded(ImpWorld *world, int begun, ImpiCall call);
void impi_note_end(ImpiNote *note);
void impi_note_failed(ImpWorld *world, int begun);

// Body of a function that makes a call and adds it to the notes. `call`: expression that calls the core function;
// `code`: statements that write the arguments to the coder `c`.
#define IMPI_NOTE_CALL(name, call, code) \
  int begun = impi_note_begin(world); \
  ImpStatus status = call; \
  if (status != IMP_OK) { \
    impi_note_failed(world, begun); \
    return status; \
  } \
  ImpiNote note = impi_note_succeeded(world, begun, IMPI_CALL_##name); \
  ImpiCoder *c = &note.coder; \
  code; \
  impi_note_end(&note); \
  return status

// record_calls.c: call the core function and note it, for api.c. The functions are declared by the table, with the
// arguments of the API.
// clang-format off
#define IMPI_DECLARE1(n, A) ImpStatus impi_note_##n(ImpWorld *world, A a);
#define IMPI_DECLARE2(n, A, B) ImpStatus impi_note_##n(ImpWorld *world, A a, B b);
#define IMPI_DECLARE3(n, A, B, C) ImpStatus impi_note_##n(ImpWorld *world, A a, B b, C c);
#define IMPI_DECLARE4(n, A, B, C, D) ImpStatus impi_note_##n(ImpWorld *world, A a, B b, C c, D d);
#define IMPI_DECLARE1_OUT(n, A, O) IMPI_DECLARE2(n, A, O *)
#define IMPI_DECLARE2_OUT(n, A, B, O) IMPI_DECLARE3(n, A, B, O *)
#define IMPI_DECLARE4_OUT(n, A, B, C, D, O) ImpStatus impi_note_##n(ImpWorld *world, A a, B b, C c, D d, O *out);
#define IMPI_DECLARE5_OUT(n, A, B, C, D, E, O) ImpStatus impi_note_##n(ImpWorld *world, A a, B b, C c, D d, E e, O *out);
#define IMPI_DECLARE7_OUT(n, A, B, C, D, E, F, G, O) \
  ImpStatus impi_note_##n(ImpWorld *world, A a, B b, C c, D d, E e, F f, G g, O *out);
#define IMPI_DECLARE_NONE(n)
// clang-format on
IMPI_CALLS(IMPI_DECLARE1, IMPI_DECLARE2, IMPI_DECLARE3, IMPI_DECLARE4, IMPI_DECLARE1_OUT, IMPI_DECLARE2_OUT,
           IMPI_DECLARE4_OUT, IMPI_DECLARE5_OUT, IMPI_DECLARE7_OUT, IMPI_DECLARE_NONE)

// record_lists.c, record_calls.c: read the arguments of a call from the notes, and make the call. Returns false if the
// arguments cannot be read. `out_status`: result of the call.
bool impi_play_call(ImpWorld *world, ImpiCoder *c, ImpiCall call, ImpStatus *out_status);
bool impi_play_list_call(ImpWorld *world, ImpiCoder *c, ImpiCall call, ImpStatus *out_status);
// Return the public name of a call, such as "imp_body_set"; null if no call has this number.
const char *impi_call_name(int call);
// Return a hash of the names and arguments of all calls.
uint64_t impi_calls_identity(void);

// record.c: set a callback. In a recorded world, the recorder's own callback notes the call and calls `function`.
void impi_record_set_callback(ImpWorld *world, ImpiCallback kind, void (*function)(void), void *user);

// Write the arguments of a callback.
void impi_code_callback(ImpiCoder *c, ImpiCallback kind, uint64_t a, uint64_t b, double t);

// record_trace.c: write the trace of a step after its notes: two bytes for each moving body, and one byte for all
// bodies at rest together. `out_hash`: hash of the world.
void impi_trace_write(const ImpWorld *world, ImpiCoder *c, uint64_t *out_hash);
// Find the first difference between a world and the trace in `bytes`, which may be any bytes. Returns false if the
// trace is unreadable. `out_now`: see ImpReplayStep.now.
bool impi_trace_compare(const ImpWorld *world, const unsigned char *bytes, size_t size, ImpDifference *out_difference,
                        double out_now[3]);

void impi_set_callback(ImpWorld *world, ImpiCallback kind, void (*function)(void), void *user);
// For each ImpiCallback, the call that sets it.
extern const ImpiCall impi_setter_of[];

// A frame of a recording: three numbers of 8 bytes, little-endian, the payload, and the XXH3-64 of all these bytes.
//   size of the payload | kind (lower 32 bits), checksum (upper 32 bits) | tick | payload | XXH3-64
// The checksum is the lower half of the XXH3-64 of the three numbers with checksum 0.
// Kinds of frames, in the order of a recording: a keyframe, steps, further keyframes between them, an end.
typedef enum ImpiFrameKind {
  IMPI_FRAME_KEY = 1, // state of the world: which callbacks are set (bits), hash, snapshot
  // a keyframe whose state does not follow from earlier frames: the first state, or the state after a restore
  IMPI_FRAME_JUMP = 2,
  // calls since the last step, the step, its trace, the length of the trace, the hash of the world after the step
  IMPI_FRAME_STEP = 3,
  IMPI_FRAME_REST = 4, // calls after the last step
  IMPI_FRAME_END = 5,  // the recording was ended, not cut off
} ImpiFrameKind;

#define IMPI_FRAME_HEAD 24
#define IMPI_FRAME_TAIL 8
#define IMPI_RECORD_HEAD 48 // magic, format, hash of all calls, version of the library, size of the text, checksum
#define IMPI_RECORD_FORMAT 2
extern const char impi_record_magic[8];
// Write the head of a frame with `size` bytes of payload.
void impi_frame_head(unsigned char head[IMPI_FRAME_HEAD], uint64_t size, ImpiFrameKind kind, uint64_t tick);
uint64_t impi_checksum(const void *bytes, size_t size);
uint64_t impi_checksum_of_two(const void *first, size_t first_size, const void *second, size_t second_size);
uint64_t impi_read_number(const unsigned char *bytes);
void impi_write_number(unsigned char *bytes, uint64_t value);
uint64_t impi_library_version(void);

#endif
