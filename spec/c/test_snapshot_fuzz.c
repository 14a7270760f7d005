// Snapshots that somebody changed hurt nobody: each is refused, and nothing has changed, or is a whole world that goes on.
// --long: 100 000 of them; --seed N: one. The seeds are fixed.
#include "snapshot_mutation.h"
#include "snapshot_worlds.h"

#include <signal.h>
#include <unistd.h>

enum { SHORT = 3000, LONG = 100000, PATIENCE = 30 };

static struct {
  ImpWorld *worlds[FUZZED_WORLDS];
  Bytes shots[FUZZED_WORLDS];
  uint64_t hashes[FUZZED_WORLDS];
  long accepted, refused;
  uint64_t seed;
  char path[700];
} bench;


// A world that takes for ever is a fault, too.
static void tell_and_stop(int number) {
  char text[900];
  int length =
      snprintf(text, sizeof text, "signal %d at seed %llu:%s\n", number, (unsigned long long)bench.seed, bench.path);
  (void)!write(1, text, (size_t)length);
  _exit(3);
}


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
  pick_state = bench.seed = seed;
  bench.path[0] = 0;
  int index = (int)pick(FUZZED_WORLDS), other = (int)pick(FUZZED_WORLDS);
  alarm(PATIENCE);
  Bytes shot = changed(index, other);
  ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 9.81);
  if (pick(2) == 0) MUST(imp_world_restore(world, bench.shots[other].bytes, bench.shots[other].size));
  bool taken = snapshot_input(world, shot.bytes, shot.size, (unsigned)pick(1 << 16));
  *(taken ? &bench.accepted : &bench.refused) += 1;
  MUST(imp_world_restore(world, bench.shots[index].bytes, bench.shots[index].size));
  CHECK(imp_world_hash(world) == bench.hashes[index]);
  MUST(imp_world_destroy(world));
  free(shot.bytes);
  alarm(0);
  if (!check_case_ok) {
    printf("  seed %llu:%s\n", (unsigned long long)seed, bench.path);
    check_case_ok = true;
    check_printed = 0;
    check_failed++;
  }
}


static long first_seed = 1, last_seed = 0;

static void changed_snapshots_are_refused_or_whole(void) {
  last_seed = last_seed > 0 ? last_seed : long_run ? LONG : SHORT;
  for (long seed = first_seed; seed <= last_seed; ++seed) try_seed((uint64_t)seed);
  measured("changed snapshots", (double)(last_seed - first_seed + 1));
  measured("  accepted, and stepped", (double)bench.accepted);
  CHECK(first_seed > 1 || last_seed < SHORT || (bench.accepted > SHORT / 20 && bench.refused > SHORT / 3));
}


int main(int argc, char **argv) {
  read_arguments(argc, argv);
  for (int i = 1; i + 1 < argc; ++i) {
    if (strcmp(argv[i], "--seed") == 0) first_seed = last_seed = strtol(argv[i + 1], NULL, 10);
    if (strcmp(argv[i], "--from") == 0) first_seed = strtol(argv[i + 1], NULL, 10);
    if (strcmp(argv[i], "--to") == 0) last_seed = strtol(argv[i + 1], NULL, 10);
  }
  signal(SIGALRM, tell_and_stop);
  signal(SIGSEGV, tell_and_stop);
  signal(SIGILL, tell_and_stop);
  make_bench();
  RUN(changed_snapshots_are_refused_or_whole);
  for (int i = 0; i < FUZZED_WORLDS; ++i) {
    imp_snapshot_free(bench.shots[i].bytes);
    MUST(imp_world_destroy(bench.worlds[i]));
  }
  return check_report("snapshot fuzz");
}
