// For each call imp_X of record_table.h: a function impi_note_X, which makes the call and adds it to the notes, and the
// code that repeats the call.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "record/record.h"

#define NOTHING(...)


// ---------------------------------------------------------------------------------------------------------------------
// Noting
// ---------------------------------------------------------------------------------------------------------------------

// `params`: parameters, in parentheses; `names`: arguments of the core function, in parentheses; `code`: statements
// that write all arguments.
#define NOTED(name, params, names, code) \
  ImpStatus impi_note_##name params { IMPI_NOTE_CALL(name, impi_##name names, code); }

#define CODE1(A) impi_code_##A(c, &a)
#define CODE2(A, B) CODE1(A), impi_code_##B(c, &b)
#define CODE3(A, B, C) CODE2(A, B), impi_code_##C(c, &d)
#define CODE4(A, B, C, D) CODE3(A, B, C), impi_code_##D(c, &e)
#define CODE5(A, B, C, D, E) CODE4(A, B, C, D), impi_code_##E(c, &f)
#define CODE7(A, B, C, D, E, F, G) CODE5(A, B, C, D, E), impi_code_##F(c, &g), impi_code_##G(c, &h)

// clang-format off
#define NOTE1(n, A) NOTED(n, (ImpWorld *world, A a), (world, a), (CODE1(A)))
#define NOTE2(n, A, B) NOTED(n, (ImpWorld *world, A a, B b), (world, a, b), (CODE2(A, B)))
#define NOTE3(n, A, B, C) NOTED(n, (ImpWorld *world, A a, B b, C d), (world, a, b, d), (CODE3(A, B, C)))
#define NOTE4(n, A, B, C, D) NOTED(n, (ImpWorld *world, A a, B b, C d, D e), (world, a, b, d, e), (CODE4(A, B, C, D)))
#define NOTE_OUT1(n, A, O) NOTED(n, (ImpWorld *world, A a, O *out), (world, a, out), (CODE1(A)))
#define NOTE_OUT2(n, A, B, O) NOTED(n, (ImpWorld *world, A a, B b, O *out), (world, a, b, out), (CODE2(A, B)))
#define NOTE_OUT4(n, A, B, C, D, O) \
  NOTED(n, (ImpWorld *world, A a, B b, C d, D e, O *out), (world, a, b, d, e, out), (CODE4(A, B, C, D)))
#define NOTE_OUT5(n, A, B, C, D, E, O) \
  NOTED(n, (ImpWorld *world, A a, B b, C d, D e, E f, O *out), (world, a, b, d, e, f, out), (CODE5(A, B, C, D, E)))
#define NOTE_OUT7(n, A, B, C, D, E, F, G, O) \
  NOTED(n, (ImpWorld *world, A a, B b, C d, D e, E f, F g, G h, O *out), (world, a, b, d, e, f, g, h, out), \
        (CODE7(A, B, C, D, E, F, G)))
// clang-format on

IMPI_CALLS(NOTE1, NOTE2, NOTE3, NOTE4, NOTE_OUT1, NOTE_OUT2, NOTE_OUT4, NOTE_OUT5, NOTE_OUT7, NOTHING)


// ---------------------------------------------------------------------------------------------------------------------
// Repeating calls
// ---------------------------------------------------------------------------------------------------------------------

#define PLAYED(name, args, code, call) \
  static bool play_##name(ImpWorld *world, ImpiCoder *c, ImpStatus *out_status) { \
    args; \
    code; \
    if (!c->failed) { \
      *out_status = call; \
    } \
    return !c->failed; \
  }

#define ARG(type, name) \
  type name; \
  memset(&name, 0, sizeof name)
#define ARGS1(A) ARG(A, a)
#define ARGS2(A, B) \
  ARGS1(A); \
  ARG(B, b)
#define ARGS3(A, B, C) \
  ARGS2(A, B); \
  ARG(C, d)
#define ARGS4(A, B, C, D) \
  ARGS3(A, B, C); \
  ARG(D, e)
#define ARGS5(A, B, C, D, E) \
  ARGS4(A, B, C, D); \
  ARG(E, f)
#define ARGS7(A, B, C, D, E, F, G) \
  ARGS5(A, B, C, D, E); \
  ARG(F, g); \
  ARG(G, h)

// clang-format off
#define PLAY1(n, A) PLAYED(n, ARGS1(A), (CODE1(A)), imp_##n(world, a))
#define PLAY2(n, A, B) PLAYED(n, ARGS2(A, B), (CODE2(A, B)), imp_##n(world, a, b))
#define PLAY3(n, A, B, C) PLAYED(n, ARGS3(A, B, C), (CODE3(A, B, C)), imp_##n(world, a, b, d))
#define PLAY4(n, A, B, C, D) PLAYED(n, ARGS4(A, B, C, D), (CODE4(A, B, C, D)), imp_##n(world, a, b, d, e))
#define PLAY_OUT1(n, A, O) PLAYED(n, ARGS1(A); O out, (CODE1(A)), imp_##n(world, a, &out))
#define PLAY_OUT2(n, A, B, O) PLAYED(n, ARGS2(A, B); O out, (CODE2(A, B)), imp_##n(world, a, b, &out))
#define PLAY_OUT4(n, A, B, C, D, O) \
  PLAYED(n, ARGS4(A, B, C, D); O out, (CODE4(A, B, C, D)), imp_##n(world, a, b, d, e, &out))
#define PLAY_OUT5(n, A, B, C, D, E, O) \
  PLAYED(n, ARGS5(A, B, C, D, E); O out, (CODE5(A, B, C, D, E)), imp_##n(world, a, b, d, e, f, &out))
#define PLAY_OUT7(n, A, B, C, D, E, F, G, O) \
  PLAYED(n, ARGS7(A, B, C, D, E, F, G); O out, (CODE7(A, B, C, D, E, F, G)), \
         imp_##n(world, a, b, d, e, f, g, h, &out))
// clang-format on

IMPI_CALLS(PLAY1, PLAY2, PLAY3, PLAY4, PLAY_OUT1, PLAY_OUT2, PLAY_OUT4, PLAY_OUT5, PLAY_OUT7, NOTHING)


typedef struct Line {
  const char *name, *arguments;
  bool (*play)(ImpWorld *world, ImpiCoder *c, ImpStatus *out_status); // null: in record_lists.c
} Line;

#define LINE(name, ...) [IMPI_CALL_##name] = {"imp_" #name, #__VA_ARGS__, play_##name},
#define OTHER_LINE(name) [IMPI_CALL_##name] = {"imp_" #name, "", NULL},
static const Line lines[IMPI_CALL_COUNT] = {
    IMPI_CALLS(LINE, LINE, LINE, LINE, LINE, LINE, LINE, LINE, LINE, OTHER_LINE)};


const char *impi_call_name(int call) { return call > 0 && call < IMPI_CALL_COUNT ? lines[call].name : NULL; }


uint64_t impi_calls_identity(void) {
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  for (int i = 1; i < IMPI_CALL_COUNT; ++i) {
    XXH3_64bits_update(&state, lines[i].name, strlen(lines[i].name) + 1);
    XXH3_64bits_update(&state, lines[i].arguments, strlen(lines[i].arguments) + 1);
  }
  return XXH3_64bits_digest(&state);
}


bool impi_play_call(ImpWorld *world, ImpiCoder *c, ImpiCall call, ImpStatus *out_status) {
  c->room_at = 0;
  if ((int)call <= 0 || call >= IMPI_CALL_COUNT) {
    return false;
  }
  return lines[call].play != NULL ? lines[call].play(world, c, out_status)
                                  : impi_play_list_call(world, c, call, out_status);
}
