// Changed snapshots with a valid checksum. Each snapshot is rejected and changes nothing, or gives a valid world.
//   the input: byte 0 selects a good snapshot, byte 1 another one. Bytes 2 and 3 select the solver and the changes
//   after the restore, and whether the other snapshot is restored first. If byte 0 is 255, a complete snapshot follows.
//   If byte 0 is another odd number, 8 bytes of random seed for changed numbers follow. Otherwise edits of 12 bytes
//   follow: kind (1), position (3), number (8).
#include "blocks.h"
#include "fuzz.h"
#include "snapshot_mutation.h"
#include "snapshot_worlds.h"

static ImpWorld *worlds[FUZZED_WORLDS];
static Bytes shots[FUZZED_WORLDS];


static const Bytes *good_shot(int index) {
  if (worlds[index] == NULL) {
    void *bytes = NULL;
    worlds[index] = fuzzed_world(index);
    MUST(imp_world_snapshot(worlds[index], &bytes, &shots[index].size));
    shots[index].bytes = bytes;
    MUST(imp_world_restore(worlds[index], bytes, shots[index].size));
  }
  return &shots[index];
}


static void edit(Input *in, Bytes *shot, const Bytes *other) {
  int kind = take_below(in, 8);
  size_t at = take(in, 3) % shot->size, rest = shot->size - at;
  uint64_t number = take(in, 8);
  size_t width = kind == 0 ? 1 : kind == 1 ? 4 : 8;
  size_t length = 1 + (size_t)(number % 4096);
  if (kind < 4) memcpy(shot->bytes + at, &number, rest < width ? rest : width);
  if (kind == 4 && at < other->size) {
    length = length < rest ? length : rest;
    memcpy(shot->bytes + at, other->bytes + at, length < other->size - at ? length : other->size - at);
  }
  if (kind == 5)
    memmove(shot->bytes + at, shot->bytes + number % shot->size / 2, length < rest / 2 ? length : rest / 2);
  if (kind == 6) shot->bytes[at] = (unsigned char)(shot->bytes[at] ^ 1u << number % 8);
  if (kind == 7 && number % 16 == 0) shot->size = at > SHOT_HEADER ? at : shot->size;
}


static Bytes make_shot(Input *in, int index, int other, bool numbers) {
  char path[700];
  const Bytes *good = good_shot(index);
  if (numbers) {
    pick_state = take(in, 8);
    return shot_with_other_numbers(worlds[index], good, path, sizeof path);
  }
  Bytes shot = {malloc(good->size), good->size};
  memcpy(shot.bytes, good->bytes, good->size);
  for (int edits = 0; in->left > 0 && edits < 64; ++edits) edit(in, &shot, good_shot(other));
  fix_header(shot.bytes, shot.size);
  return shot;
}


// Check that the work of a restore is bounded by the number of bytes.
static void check_work(const Bytes *shot) {
  ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 9.81);
  uint64_t before = blocks;
  (void)imp_world_restore(world, shot->bytes, shot->size);
  CHECK((double)(blocks - before) <= blocks_at_start + most_blocks * (double)shot->size);
  MUST(imp_world_destroy(world));
}


static void one_input(Input *in) {
  int which = take_below(in, 256), other = take_below(in, FUZZED_WORLDS);
  unsigned choice = (unsigned)take(in, 2);
  Bytes shot;
  if (which == 255) {
    shot = (Bytes){malloc(in->left + 1), in->left};
    memcpy(shot.bytes, in->at, in->left);
    fix_header(shot.bytes, shot.size);
  } else {
    shot = make_shot(in, which / 2 % FUZZED_WORLDS, other, which % 2 == 1);
  }
  check_work(&shot);
  ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 9.81);
  if (choice % 2 == 0) MUST(imp_world_restore(world, good_shot(other)->bytes, good_shot(other)->size));
  (void)snapshot_input(world, shot.bytes, shot.size, choice / 2);
  MUST(imp_world_restore(world, good_shot(other)->bytes, good_shot(other)->size));
  MUST(imp_world_destroy(world));
  free(shot.bytes);
}
