// The structs of a block of columns taken as rows of bytes: most of their fields are the same in all of them, which
// is seen, and done, for many fields at once.
#ifndef IMPI_COLUMN_ROWS_H
#define IMPI_COLUMN_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IMPI_MAX_ROW 1024 // [bytes]

// What differs from one row to the next, the first from the one before the block.
typedef struct ImpiRowChanges {
  bool known;                           // not of rows that are too short or too long, nor of a single one
  unsigned char bits[IMPI_MAX_ROW + 8]; // set where any two neighbours differ
} ImpiRowChanges;

// `before` null: zeros.
void impi_rows_compare(size_t size, const void *before, void *const *rows, int count, ImpiRowChanges *out_changes);

// All rows become what `before` is.
void impi_rows_repeat(size_t size, const void *before, void *const *rows, int count);

#endif
