// The callbacks of a world that plays a recording: each makes the calls that the recorded callback made, and returns
// the recorded value.
#include "record/replay.h"


// Check that the next note is a callback of this kind with the arguments a, b and t. Then make the calls that this
// callback made when it was recorded.
static bool follow(ImpReplay *replay, ImpiCallback kind, uint64_t a, uint64_t b, double t) {
  if (replay->astray) {
    return false;
  }
  ImpiCoder *c = &replay->coder;
  ImpiBytes *expected = &replay->expected;
  expected->count = 0;
  ImpiCoder writer = {.world = replay->world, .heap = &replay->heap, .out = expected};
  unsigned char mark = IMPI_MARK_CALLBACK;
  impi_code_byte(&writer, &mark);
  impi_code_callback(&writer, kind, a, b, t);
  replay->starved = replay->starved || writer.failed;
  size_t size = (size_t)expected->count;
  bool same = !writer.failed && size <= c->size - c->at && memcmp(expected->data, c->in + c->at, size) == 0;
  if (!same) {
    impi_replay_diverge(replay, NULL,
                        "the step did not call the same callback with the same arguments as when it was recorded");
    return false;
  }
  c->at += size;
  if (impi_replay_calls(replay) != IMPI_MARK_ANSWER) {
    impi_replay_diverge(replay, NULL, "the calls that a callback made when it was recorded cannot be read");
    return false;
  }
  return true;
}


static void on_substep(ImpWorld *world, double h, void *user) {
  (void)world;
  follow(user, IMPI_CALLBACK_SUBSTEP, 0, 0, h);
}


static void on_pre_solve(ImpWorld *world, ImpContact contact, void *user) {
  (void)world;
  follow(user, IMPI_CALLBACK_PRE_SOLVE, contact.id, 0, 0);
}


static bool on_filter(ImpWorld *world, ImpShape shape, ImpShape other, void *user) {
  ImpReplay *replay = user;
  bool answer = true;
  (void)world;
  if (follow(replay, IMPI_CALLBACK_FILTER, shape.id, other.id, 0)) {
    impi_code_ImpiTruth(&replay->coder, &answer);
  }
  return answer;
}


static void on_mix(ImpWorld *world, int a, int b, ImpMix *mix, void *user) {
  ImpReplay *replay = user;
  (void)world;
  if (follow(replay, IMPI_CALLBACK_MIX, (uint64_t)a, (uint64_t)b, 0)) {
    impi_code_double(&replay->coder, &mix->friction);
    impi_code_double(&replay->coder, &mix->restitution);
  }
}


static void on_field(ImpWorld *world, ImpField field, ImpBody body, void *user) {
  (void)world;
  follow(user, IMPI_CALLBACK_FIELD, field.id, body.id, 0);
}


static void on_constraint(ImpWorld *world, ImpJoint joint, double t, void *user) {
  (void)world;
  follow(user, IMPI_CALLBACK_CONSTRAINT, joint.id, 0, t);
}


void impi_replay_set_callback(ImpReplay *replay, ImpiCallback kind, bool there) {
  static void (*const following[IMPI_CALLBACK_COUNT])(void) = {
      (void (*)(void))on_substep, (void (*)(void))on_pre_solve, (void (*)(void))on_filter,
      (void (*)(void))on_mix,     (void (*)(void))on_field,     (void (*)(void))on_constraint,
  };
  impi_set_callback(replay->world, kind, there ? following[kind] : NULL, replay);
}


void impi_replay_set_callbacks(ImpReplay *replay, uint64_t bits) {
  for (int kind = 0; kind < IMPI_CALLBACK_COUNT; ++kind) {
    impi_replay_set_callback(replay, (ImpiCallback)kind, (bits >> kind & 1) != 0);
  }
}
