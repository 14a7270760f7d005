// Changed snapshots are refused, or restore a valid world that can be stepped.
#include "seeds.h"
#include "snapshot_mutation.h"
#include "snapshot_worlds.h"

#include <float.h>

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


static void changed_snapshots_are_refused_or_give_a_valid_world(void) {
  static const long found[] = {54693}; // in one step, a mover falls by many times the size of the world
  try_found(found, IMPI_COUNT(found), PATIENCE, try_seed);
  try_seeds(SHORT, LONG, PATIENCE, try_seed);
  measured("changed snapshots", (double)(seeds.last - seeds.first + 1));
  measured("  accepted and stepped", (double)bench.accepted);
  CHECK(seeds.first > 1 || seeds.last < SHORT || (bench.accepted > SHORT / 20 && bench.refused > SHORT / 3));
}


// ---------------------------------------------------------------------------------------------------------------------
// Each number at its extremes
// ---------------------------------------------------------------------------------------------------------------------

static long tried, borne;


// Check that a snapshot with this value is refused, or restores a world that can be stepped, saved and restored.
static void try_number(int index, Spot *spot, double value) {
  float small = (float)value;
  memcpy(&spot->was, spot->at, spot->size);
  memcpy(spot->at, spot->size == 8 ? (void *)&value : (void *)&small, spot->size);
  Bytes shot = shot_of(bench.worlds[index], &bench.shots[index]);
  memcpy(spot->at, &spot->was, spot->size);
  ImpWorld *world = make_world(IMP_SOLVER_SOFT, 1.0 / 60, 9.81);
  snprintf(bench.path, sizeof bench.path, " world %d %s = %g", index, spot->path, value);
  ++tried;
  if (imp_world_restore(world, shot.bytes, shot.size) == IMP_OK) {
    ++borne;
    limit_work(world);
    step_it(world, 12); // longer than the time window of the sleep test
    save_it(world);
  }
  MUST(imp_world_destroy(world));
  free(shot.bytes);
}


static void try_numbers(int index, const ImpiLayout *layout, unsigned char *object, const Spot *spot);


static void try_list(int index, const ImpiField *field, unsigned char *data, int count, Spot spot) {
  if (count > 0) {
    int element = (int)pick((uint64_t)count);
    add_name(&spot, field->name, element);
    try_numbers(index, field->parts, data + (size_t)element * field->parts->size, &spot);
  }
}


static void try_numbers(int index, const ImpiLayout *layout, unsigned char *object, const Spot *spot) {
  for (int i = 0; i < layout->count; ++i) {
    const ImpiField *field = &layout->fields[i];
    unsigned char *place = object + field->offset;
    if (field->kind == IMPI_FIELD_PARTS) {
      try_list(index, field, place, (int)(field->size / field->parts->size), *spot);
    } else if (field->kind == IMPI_FIELD_LIST) {
      struct {
        void *data;
        int count, capacity;
      } list;
      memcpy(&list, place, sizeof list);
      try_list(index, field, list.data, list.count, *spot);
    } else if (field->kind == IMPI_FIELD_PLAIN &&
               (field->number == IMPI_NUMBER_REAL || field->number == IMPI_NUMBER_FLOAT ||
                field->number == IMPI_NUMBER_ANY)) {
      static const double values[] = {1e300, FLT_MAX};
      Spot number = *spot;
      number.size = word_of(field->number);
      size_t part = pick_size(field->size / number.size);
      number.at = place + part * number.size;
      add_name(&number, field->name, field->size > number.size ? (int)part : -1);
      for (int k = 0; k < IMPI_COUNT(values); ++k) {
        if (number.size == 8 || fabs(values[k]) <= (double)FLT_MAX) try_number(index, &number, values[k]);
      }
    }
  }
}


static void numbers_at_their_extremes_are_refused_or_borne(void) {
  pick_state = 1;
  bool thorough = seeds.last >= LONG;
  int rounds = thorough ? 10 : 1, stride = thorough ? 1 : 4;
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < FUZZED_WORLDS; i += stride) {
      Spot top = {.path = ""};
      try_numbers(i, &impi_world_layout, (unsigned char *)bench.worlds[i], &top);
    }
  }
  measured("numbers at their extremes", (double)tried);
  measured("  accepted and stepped", (double)borne);
  CHECK(borne > tried / 20 && borne < tried);
}


int main(int argc, char **argv) {
  read_seeds(argc, argv);
  seeds.what = bench.path;
  make_bench();
  RUN(changed_snapshots_are_refused_or_give_a_valid_world);
  if (seeds.first == 1) RUN(numbers_at_their_extremes_are_refused_or_borne);
  for (int i = 0; i < FUZZED_WORLDS; ++i) {
    imp_snapshot_free(bench.shots[i].bytes);
    MUST(imp_world_destroy(bench.worlds[i]));
  }
  return check_report("snapshot fuzz");
}
