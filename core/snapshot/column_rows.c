// Comparison of structs as rows of bytes, vectorized.
#include "snapshot/column_rows.h"

#include <string.h>

typedef uint64_t Lane __attribute__((vector_size(16)));
enum { TILE = 2 * sizeof(Lane) };


static inline Lane load_lane(const void *row, size_t at) {
  Lane lane;
  memcpy(&lane, (const char *)row + at, sizeof lane);
  return lane;
}


static void compare_tile(const void *before, void *const *rows, int count, size_t at, unsigned char *out) {
  const size_t next = at + sizeof(Lane);
  Lane last = {0}, next_last = {0}, changed = {0}, next_changed = {0};
  if (before != NULL) {
    last = load_lane(before, at);
    next_last = load_lane(before, next);
  }
  for (int i = 0; i < count; ++i) {
    Lane now = load_lane(rows[i], at), next_now = load_lane(rows[i], next);
    changed |= now ^ last;
    next_changed |= next_now ^ next_last;
    last = now;
    next_last = next_now;
  }
  memcpy(out + at, &changed, sizeof changed);
  memcpy(out + next, &next_changed, sizeof next_changed);
}


void impi_rows_compare(size_t size, const void *before, void *const *rows, int count, ImpiRowChanges *out_changes) {
  out_changes->known = count > 1 && size >= TILE && size <= IMPI_MAX_ROW;
  if (out_changes->known) {
    for (size_t at = 0; at + TILE < size; at += TILE) {
      compare_tile(before, rows, count, at, out_changes->bits);
    }
    compare_tile(before, rows, count, size - TILE, out_changes->bits);
  }
}


static void repeat_short(size_t size, const char *before, char *row) {
  for (size_t at = 0; at < size; ++at) {
    row[at] = before[at];
  }
}


void impi_rows_repeat(size_t size, const void *before, void *const *rows, int count) {
  for (int i = 0; i < count; ++i) {
    if (size < TILE) {
      repeat_short(size, before, rows[i]);
    } else {
      memcpy(rows[i], before, size);
    }
  }
}
