// Comparison of the structs of a block as rows of bytes. Most of their fields are equal in all of them, which is found,
// and handled, for many fields at once.
#ifndef IMPI_COLUMN_ROWS_H
#define IMPI_COLUMN_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IMPI_MAX_ROW 1024 // [bytes]

// Bits that differ between neighbouring rows, including the row before the block.
typedef struct ImpiRowChanges {
  bool known;                           // false if rows are too short or too long, or if there is only one
  unsigned char bits[IMPI_MAX_ROW + 8]; // set if any two neighbours differ
} ImpiRowChanges;

// Compare rows; if `before` is null, it counts as zeros.
void impi_rows_compare(size_t size, const void *before, void *const *rows, int count, ImpiRowChanges *out_changes);

// Copy `before` to all rows.
void impi_rows_repeat(size_t size, const void *before, void *const *rows, int count);

#endif
