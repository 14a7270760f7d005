// Comparison of the structs of a block as rows of bytes.
#ifndef IMPI_COLUMN_ROWS_H
#define IMPI_COLUMN_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IMPI_MAX_ROW 1024 // [bytes]

// Bits that differ between neighbouring rows, including the row before the block.
typedef struct ImpiRowChanges {
  bool known; // `bits` is valid; false for a single row, and for rows that are too short or too long
  unsigned char bits[IMPI_MAX_ROW + 8]; // mask of the bits that differ between consecutive rows
} ImpiRowChanges;

// Compare `count` rows of `size` bytes. A null `before` is a row of zeros.
void impi_rows_compare(size_t size, const void *before, void *const *rows, int count, ImpiRowChanges *out_changes);

// Copy `before` to all rows.
void impi_rows_repeat(size_t size, const void *before, void *const *rows, int count);

#endif
