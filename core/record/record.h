// What notes the calls that change a world, and what makes them again.
#ifndef IMPI_RECORD_H
#define IMPI_RECORD_H

#include "record/code.h"
#include "record/record_table.h"
#include "world/calls.h"

typedef struct ImpiRecorder ImpiRecorder;

// The recorder of a world, null for none: one load.
static inline ImpiRecorder *impi_recorder(const ImpWorld *world) { return world->recorder; }

// A call that is under way: where the notes were when it began. Only with a recorder.
typedef struct ImpiNote {
  ImpiCoder coder;
  int before, call; // bytes
} ImpiNote;

// Around a call: `begin` before it; when it has succeeded `succeeded`, then the arguments go into note.coder, then `end`.
// A call that failed has changed nothing; callbacks may have, which it made before: `failed` sees to that.
int impi_note_begin(ImpWorld *world);
ImpiNote impi_note_succeeded(ImpWorld *world, int begun, ImpiCall call);
void impi_note_end(ImpiNote *note);
void impi_note_failed(ImpWorld *world, int begun);

// The rest of a function of (world, ...): `call` is what the core does, `code` writes the arguments into `c`.
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

// record_calls.c: call the function of the core and note it, for api.c. By the table; arguments as in the API.
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

// record_lists.c, record_calls.c: make the call whose arguments come next. False: they cannot be read. `out_status` is
// what the call came to.
bool impi_play_call(ImpWorld *world, ImpiCoder *c, ImpiCall call, ImpStatus *out_status);
bool impi_play_list_call(ImpWorld *world, ImpiCoder *c, ImpiCall call, ImpStatus *out_status);
// The name in the API, "imp_body_set"; null for a number that is none.
const char *impi_call_name(int call);
// A number that differs where names or arguments of calls do.
uint64_t impi_calls_identity(void);

// record.c: the callbacks of a world that is recorded are the recorder's, which call those that were set.
void impi_record_set_callback(ImpWorld *world, ImpiCallback kind, void (*function)(void), void *user);

// Of a callback that is called: what it is called with goes into the coder, the same way when it is played.
void impi_code_callback(ImpiCoder *c, ImpiCallback kind, uint64_t a, uint64_t b, double t);

// record_trace.c: what a step came to in a byte for the bodies that move and for each of them two, so that the first that
// differs can be named where no whole state is. Written behind the notes; `hash` is the world's.
void impi_trace_write(const ImpWorld *world, ImpiCoder *c, uint64_t *out_hash);
// What of a world differs from the trace in `bytes`, which may be any. False: nothing that it shows.
bool impi_trace_compare(const ImpWorld *world, const unsigned char *bytes, size_t size, ImpDifference *out_difference,
                        double out_now[3]);

void impi_set_callback(ImpWorld *world, ImpiCallback kind, void (*function)(void), void *user);
// The call that sets a callback, by ImpiCallback.
extern const ImpiCall impi_setter_of[];

// Frames of a recording: four numbers of 8 bytes, little-endian, the payload, and XXH3-64 of all of it.
//   size of the payload | kind, and in the upper half the lower half of XXH3-64 of the other three | tick | payload
// What a frame is of, in the order of a recording: a keyframe, steps, keyframes between them, an end.
typedef enum ImpiFrameKind {
  IMPI_FRAME_KEY = 1,  // flags, callbacks that are there, hash, snapshot: what the world is like here
  IMPI_FRAME_JUMP = 2, // the same, and what came before does not lead to it: a restore, or the beginning
  IMPI_FRAME_STEP = 3, // calls since the last step, the step, its trace and how long that is, the hash after it
  IMPI_FRAME_REST = 4, // calls after the last step
  IMPI_FRAME_END = 5,  // it was ended, not cut
} ImpiFrameKind;

#define IMPI_FRAME_HEAD 24
#define IMPI_FRAME_TAIL 8
#define IMPI_RECORD_HEAD 48 // magic, format, identity of calls, version of the library, size of the text, checksum
#define IMPI_RECORD_FORMAT 2
extern const char impi_record_magic[8];
// The head of a frame, whose payload is `size` bytes.
void impi_frame_head(unsigned char head[IMPI_FRAME_HEAD], uint64_t size, ImpiFrameKind kind, uint64_t tick);
uint64_t impi_checksum(const void *bytes, size_t size);
uint64_t impi_checksum_of_two(const void *first, size_t first_size, const void *second, size_t second_size);
uint64_t impi_read_number(const unsigned char *bytes);
void impi_write_number(unsigned char *bytes, uint64_t value);
uint64_t impi_library_version(void);

#endif
