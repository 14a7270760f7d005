// Snapshots that somebody changed hurt nobody: each is refused, and nothing has changed, or is a whole world that goes on.
#include "seeds.h"
#include "snapshot_mutation.h"
#include "snapshot_worlds.h"

enum { SHORT = 3000, LONG = 100000, PATIENCE = 30 };

static struct {
  ImpWorld *worlds[FUZZED_WORLDS];
  Bytes shots[FUZZED_WORLDS];
  uint64_t hashes[FUZZED_WORLDS];
  long accepted, refused;
  char path[700];
} bench;


static void make_bench(void) {
  for (int i = 0; i < FUZZED_WORLDS; ++i) {
    void *bytes = NULL;
    bench.worlds[i] = fuzzed_world(i);
    MUST(imp_world_snapshot(bench.worlds[i], &bytes, &bench.shots[i].size));
    bench.shots[i].bytes = bytes;
    check_that(imp_world_restore(bench.worlds[i], bytes, bench.shots[i].size) == IMP_OK, __FILE__, __LINE__,
               imp_last_error());
    bench.hashes[i] = imp_world_hash(bench.worlds[i]);
  }
}


static Bytes changed(int index, int other) {
  const Bytes *good = &bench.shots[index];
  if (pick(3) > 0) {
    return shot_with_other_numbers(bench.worlds[index], good, bench.path, sizeof bench.path);
  }
  Bytes shot = {malloc(good->size), good->size};
  memcpy(shot.bytes, good->bytes, good->size);
  for (uint64_t i = 1 + pick(3); i > 0 && shot.size > SHOT_HEADER; --i) change_bytes(&shot, &bench.shots[other]);
  if (pick(8) > 0) fix_header(shot.bytes, shot.size);
  snprintf(bench.path, sizeof bench.path, " bytes");
  return shot;
}


// Into a world of its own, so that what was read beside it is not hidden by what was there.
static void try_seed(uint64_t seed) {
  pick_state = seed;
  bench.path[0] = 0;
  int index = (int)pick(FUZZED_WORLDS), other = (int)pick(FUZZED_WORLDS);
  Bytes shot = changed(index, other);
  ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 9.81);
  if (pick(2) == 0) MUST(imp_world_restore(world, bench.shots[other].bytes, bench.shots[other].size));
  bool taken = snapshot_input(world, shot.bytes, shot.size, (unsigned)pick(1 << 16));
  *(taken ? &bench.accepted : &bench.refused) += 1;
  MUST(imp_world_restore(world, bench.shots[index].bytes, bench.shots[index].size));
  CHECK(imp_world_hash(world) == bench.hashes[index]);
  MUST(imp_world_destroy(world));
  free(shot.bytes);
}


static void changed_snapshots_are_refused_or_whole(void) {
  static const long found[] = {54693}; // a mover that fell across the world many times over in a step
  try_found(found, IMPI_COUNT(found), PATIENCE, try_seed);
  try_seeds(SHORT, LONG, PATIENCE, try_seed);
  measured("changed snapshots", (double)(seeds.last - seeds.first + 1));
  measured("  accepted, and stepped", (double)bench.accepted);
  CHECK(seeds.first > 1 || seeds.last < SHORT || (bench.accepted > SHORT / 20 && bench.refused > SHORT / 3));
}


int main(int argc, char **argv) {
  read_seeds(argc, argv);
  seeds.what = bench.path;
  make_bench();
  RUN(changed_snapshots_are_refused_or_whole);
  for (int i = 0; i < FUZZED_WORLDS; ++i) {
    imp_snapshot_free(bench.shots[i].bytes);
    MUST(imp_world_destroy(bench.worlds[i]));
  }
  return check_report("snapshot fuzz");
}
