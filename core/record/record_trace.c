// The trace of a step: which bodies move, and for each moving body a one-byte hash of its pose and a one-byte hash of
// its velocity.
//
//   IMPI_HASH_PARTS bytes of impi_world_hash_parts | a byte for all bodies at rest | number of bodies | lengths of
//   runs, alternately of bodies at rest and of moving bodies, in the order of creation | two bytes for each moving body
#include "record/compare.h"
#include "record/record.h"

#include <string.h>


// Mix a number into a hash. -0 gives the same hash as 0.
static uint64_t mix(uint64_t hash, double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  bits = bits << 1 == 0 ? 0 : bits;
  hash = (hash ^ bits) * UINT64_C(0x9e3779b97f4a7c15);
  return hash ^ hash >> 29;
}


static unsigned char byte_of(uint64_t hash) { return (unsigned char)(hash * UINT64_C(0x9e3779b97f4a7c15) >> 56); }


static uint64_t mix_pose(const ImpWorld *world, int32_t slot) {
  const ImpiMotion *m = &world->motions.data[slot];
  return mix(mix(mix(world->bodies.data[slot].serial, m->x), m->y), m->angle);
}


static uint64_t mix_velocity(const ImpWorld *world, int32_t slot) {
  const ImpiMotion *m = &world->motions.data[slot];
  return mix(mix(mix(world->bodies.data[slot].serial, m->vx), m->vy), m->w);
}


static bool moves(const ImpWorld *world, int32_t slot) { return world->bodies.data[slot].awake; }


static int next_of(const ImpWorld *world, int32_t slot) { return world->bodies.data[slot].next; }


// Return a one-byte hash of the poses of all bodies at rest. `out_count`: number of all bodies.
static unsigned char byte_of_still(const ImpWorld *world, int *out_count) {
  uint64_t sum = 0;
  *out_count = 0;
  for (int32_t slot = world->first_body; slot >= 0; slot = next_of(world, slot)) {
    if (!moves(world, slot)) {
      sum += mix_pose(world, slot);
    }
    ++*out_count;
  }
  return byte_of(sum);
}


// Return the length of the run of moving bodies, or of bodies at rest, that begins at `slot`. Set `slot` to the next
// body.
static int run_of(const ImpWorld *world, bool moving, int32_t *slot) {
  int run = 0;
  for (; *slot >= 0 && moves(world, *slot) == moving; *slot = next_of(world, *slot)) {
    ++run;
  }
  return run;
}


void impi_trace_write(const ImpWorld *world, ImpiCoder *c, uint64_t *out_hash) {
  unsigned char parts[IMPI_HASH_PARTS];
  int count;
  *out_hash = impi_world_hash_parts(world, parts);
  unsigned char still = byte_of_still(world, &count);
  impi_code_bytes(c, parts, sizeof parts);
  impi_code_byte(c, &still);
  impi_code_int(c, &count);
  bool moving = false;
  for (int32_t slot = world->first_body; slot >= 0; moving = !moving) {
    int run = run_of(world, moving, &slot);
    impi_code_int(c, &run);
  }
  for (int32_t slot = world->first_body; slot >= 0 && !c->failed; slot = next_of(world, slot)) {
    if (moves(world, slot)) {
      unsigned char bytes[2] = {byte_of(mix_pose(world, slot)), byte_of(mix_velocity(world, slot))};
      impi_code_bytes(c, bytes, sizeof bytes);
    }
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Comparing
// ---------------------------------------------------------------------------------------------------------------------

// A trace that is read at two positions: `runs` at the lengths of runs, `bytes` at the hashes of moving bodies.
typedef struct Trace {
  ImpiCoder runs, bytes;
  bool moving; // whether the bodies of the current run move
  int left;    // number of bodies left in the current run
} Trace;


// Return whether the next body in creation order moved in the recording.
static bool next_moved(Trace *trace) {
  while (trace->left == 0 && !trace->runs.failed) {
    impi_code_int(&trace->runs, &trace->left);
    trace->runs.failed = trace->runs.failed || trace->left < 0;
    trace->moving = !trace->moving;
  }
  trace->left--;
  return trace->moving;
}


// Find the hashes of the moving bodies. Returns false if the run lengths do not add up to `count` bodies.
static bool find_bytes(Trace *trace, int count) {
  int64_t sum = 0;
  trace->bytes = trace->runs;
  while (sum < count && !trace->bytes.failed) {
    int run = 0;
    impi_code_int(&trace->bytes, &run);
    trace->bytes.failed = trace->bytes.failed || run < 0;
    sum += run;
  }
  return sum == count && !trace->bytes.failed;
}


static void name_body(const ImpWorld *world, int32_t slot, const char *field, ImpDifference *d, double now[3]) {
  const ImpiBody *body = &world->bodies.data[slot];
  const ImpiMotion *m = &world->motions.data[slot];
  impi_compare_object(&(ImpiComparison){.out = d}, IMP_OBJECT_BODY, body->serial, body->name);
  memcpy(d->field, field, strlen(field) + 1);
  ImpVec2 origin = {m->x, m->y};
  (void)imp_body_position(world, impi_body_handle(world, slot), &origin);
  bool velocity = strcmp(field, "velocity") == 0;
  now[0] = velocity ? m->vx : origin.x;
  now[1] = velocity ? m->vy : origin.y;
  now[2] = velocity ? m->w : m->angle;
}


// Find the first body that moves either only in the world or only in the recording. Returns false if there is none.
static bool find_awake(const ImpWorld *world, Trace trace, ImpDifference *d, double now[3]) {
  for (int32_t slot = world->first_body; slot >= 0; slot = next_of(world, slot)) {
    if (next_moved(&trace) != moves(world, slot)) {
      name_body(world, slot, "awake", d, now);
      return true;
    }
  }
  return false;
}


// Find the first body whose hash of the pose or the velocity differs from the recorded one. The same bodies must move
// in the world and in the recording.
static void find_motion(const ImpWorld *world, ImpiCoder *bytes, ImpDifference *d, double now[3]) {
  for (int32_t slot = world->first_body; slot >= 0; slot = next_of(world, slot)) {
    if (!moves(world, slot)) {
      continue;
    }
    unsigned char then[2] = {0, 0};
    impi_code_bytes(bytes, then, sizeof then);
    bool pose = then[0] != byte_of(mix_pose(world, slot)), velocity = then[1] != byte_of(mix_velocity(world, slot));
    if (bytes->failed) {
      return;
    }
    if (pose || velocity) {
      name_body(world, slot, pose ? "pose" : "velocity", d, now);
      return;
    }
  }
}


bool impi_trace_compare(const ImpWorld *world, const unsigned char *bytes, size_t size, ImpDifference *out_difference,
                        double out_now[3]) {
  static const ImpObjectKind kinds[IMPI_HASH_PARTS + 1] = {IMP_OBJECT_WORLD, IMP_OBJECT_BODY, IMP_OBJECT_MOVER,
                                                           IMP_OBJECT_JOINT, IMP_OBJECT_CONTACT};
  Trace trace = {.runs = {.world = world, .reads = true, .in = bytes, .size = size}, .moving = true};
  unsigned char then[IMPI_HASH_PARTS], now[IMPI_HASH_PARTS], still_then = 0;
  int count_then = 0, count, part = 0;
  (void)impi_world_hash_parts(world, now);
  unsigned char still = byte_of_still(world, &count);
  memset(then, 0, sizeof then);
  impi_code_bytes(&trace.runs, then, sizeof then);
  impi_code_byte(&trace.runs, &still_then);
  impi_code_int(&trace.runs, &count_then);
  if (trace.runs.failed) {
    return false;
  }
  while (part < IMPI_HASH_PARTS && then[part] == now[part]) {
    ++part;
  }
  impi_compare_object(&(ImpiComparison){.out = out_difference}, kinds[part], 0, NULL);
  if (part == 1 && count == count_then && find_bytes(&trace, count) &&
      !find_awake(world, trace, out_difference, out_now) && still == still_then) {
    find_motion(world, &trace.bytes, out_difference, out_now);
  }
  // the numbers are unknown: the trace has only a hash
  out_difference->a = out_difference->b = (double)NAN;
  return true;
}
