// Exchange of snapshots and recordings with another build of the same version. The worlds continue to the same hashes,
// and their snapshots have the same bytes.
//
// --write FILE writes the snapshots, recordings and hashes of this build. --read FILE compares them with those of FILE.
// Without arguments this build writes a temporary file and compares itself with this file.
#include "snapshot_worlds.h"

#include "recording_worlds.h"

enum { STEPS = 40 };

static FILE *file;
static bool reads;

// Write `number` in 8 bytes, little-endian, or read a number and compare both. `what`: name of the number.
static void exchange_number(uint64_t number, const char *what) {
  unsigned char bytes[8];
  impi_write_number(bytes, number);
  if (!reads) {
    CHECK(fwrite(bytes, sizeof bytes, 1, file) == 1);
    return;
  }
  bool there = fread(bytes, sizeof bytes, 1, file) == 1;
  check_that(there && impi_read_number(bytes) == number, __FILE__, __LINE__, what);
}


// Write the size and `bytes` of this build, or read size and bytes of the other build. The caller frees the result.
static unsigned char *exchange_bytes(const void *bytes, size_t size, const char *what) {
  unsigned char *other = malloc(size > 0 ? size : 1);
  exchange_number(size, what);
  if (!reads) {
    CHECK(fwrite(bytes, 1, size, file) == size);
    memcpy(other, bytes, size);
    return other;
  }
  CHECK(fread(other, 1, size, file) == size);
  check_that(memcmp(other, bytes, size) == 0, __FILE__, __LINE__, what);
  return other;
}


// Restore a world, step it with a solver, and exchange its hash and its snapshot.
static void go_on(const void *bytes, size_t size, int solver) {
  ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 9.81);
  check_that(imp_world_restore(world, bytes, size) == IMP_OK, __FILE__, __LINE__, imp_last_error());
  void *again = NULL;
  size_t same = 0;
  MUST(imp_world_snapshot(world, &again, &same));
  CHECK(same == size && memcmp(again, bytes, size) == 0);
  imp_snapshot_free(again);
  if (solver >= 0) MUST(imp_world_set_solver(world, (ImpSolverKind)solver));
  for (int i = 0; i < STEPS; ++i) {
    (void)imp_world_step(world); // some solvers refuse worlds that random calls have made
  }
  exchange_number(imp_world_hash(world), "hash of a stepped world");
  MUST(imp_world_snapshot(world, &again, &same));
  free(exchange_bytes(again, same, "snapshot of a stepped world"));
  imp_snapshot_free(again);
  MUST(imp_world_destroy(world));
}


static void exchanged_snapshots_continue_to_the_same_bits(void) {
  for (int i = 0; i < FUZZED_WORLDS; ++i) {
    ImpWorld *world = fuzzed_world(i);
    void *bytes = NULL;
    size_t size = 0;
    MUST(imp_world_snapshot(world, &bytes, &size));
    unsigned char *shot = exchange_bytes(bytes, size, "snapshot");
    go_on(shot, size, -1);
    go_on(shot, size, i % IMP_SOLVER_COUNT);
    free(shot);
    imp_snapshot_free(bytes);
    MUST(imp_world_destroy(world));
  }
}


static void exchanged_recordings_are_played_to_the_same_bits(void) {
  make_good_recordings();
  for (int i = 0; i < GOOD_RECORDINGS; ++i) {
    Recorded *all = &good_recordings[i].all, other = *all;
    other.bytes = exchange_bytes(all->bytes, all->size, "recording");
    ImpReplay *replay = replay_of(&other);
    CHECK(replay != NULL && plays(replay));
    imp_replay_close(replay);
    free(other.bytes);
  }
  free_good_recordings();
  memset(good_recordings, 0, sizeof good_recordings);
}


// A user data pointer takes 8 bytes in a snapshot, on 32 bits too.
static void a_user_data_pointer_is_restored(void) {
  int there = 0;
  ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 9.81);
  ImpBodyDef def = imp_body_def();
  ImpBody body;
  void *bytes = NULL, *found = NULL;
  size_t size = 0;
  def.user_data = &there;
  MUST(imp_body_create(world, &def, &body));
  MUST(imp_world_snapshot(world, &bytes, &size));
  MUST(imp_world_restore(world, bytes, size));
  MUST(imp_body_user_data(world, body, &found));
  CHECK(found == &there);
  imp_snapshot_free(bytes);
  MUST(imp_world_destroy(world));
}


static void exchange(void) {
  RUN(exchanged_snapshots_continue_to_the_same_bits);
  RUN(exchanged_recordings_are_played_to_the_same_bits);
}


int main(int argc, char **argv) {
  bool named = argc == 3 && (strcmp(argv[1], "--write") == 0 || strcmp(argv[1], "--read") == 0);
  reads = named && strcmp(argv[1], "--read") == 0;
  file = named ? fopen(argv[2], reads ? "rb" : "wb") : tmpfile();
  if (file == NULL) {
    perror("file of the exchange");
    return 1;
  }
  exchange();
  if (!named) {
    rewind(file);
    reads = true;
    exchange();
  }
  RUN(a_user_data_pointer_is_restored);
  CHECK(fclose(file) == 0);
  return check_report("exchange");
}
