// Compression of the plain fields of many structs of one type.
//
// Structs are written in blocks of 64, one field after the other. The values of one field in a block are a column. Each
// number of a column is written as its difference from the number before: integers by their difference, or by the
// difference of differences; reals by the bits that differ. All differences of a column have the width of the largest
// difference in bytes. A column with many zeros has a bit mask of the other differences, and contains only these. For
// the cosine and sine of an angle, the difference from impi_rot of the angle is written. Everything is integer
// arithmetic and loses no bit.
//
//   block = column... , each: byte (bits 0-3 width w of 0 to 8, bit 4 masked, bit 5 differences of differences),
//           [8 bytes: mask], w bytes for each number; if masked, only for numbers whose bit in the mask is set
#ifndef IMPI_COLUMN_H
#define IMPI_COLUMN_H

#include "snapshot/archive.h"

#define IMPI_MAX_COLUMNS 256
#define IMPI_COLUMN_BLOCK 64

typedef struct ImpiColumn {
  uint32_t offset;           // offset of the word that is loaded and stored, from the start of the struct [bytes]
  uint32_t angle;            // COSINE, SINE: offset of the angle [bytes]
  uint8_t size;              // size of the word [bytes]
  uint8_t number;            // ImpiNumber of the field; BYTE: the word is up to 8 neighbouring bytes or bools
  uint8_t shift;             // BYTE: position of the first byte in the word [bits]
  uint64_t mask;             // BYTE, HANDLE: bits of (word >> shift) that are written; other kinds of `number`: 0
  uint64_t legal;            // BYTE: bits that may be set
  uint64_t last, difference; // last value written or read, and its difference from the value before
} ImpiColumn;

// The columns of a layout, and the values that the next block is compared with.
typedef struct ImpiColumns {
  size_t size;          // size of the struct [bytes]
  const void *previous; // last struct of the previous block, which must stay in memory; null: none
  int count;
  ImpiColumn column[IMPI_MAX_COLUMNS];
} ImpiColumns;

void impi_columns_of(const ImpiLayout *layout, ImpiColumns *out_columns);

// Write or read the next block of structs. `count` is IMPI_COLUMN_BLOCK, or 1 to IMPI_COLUMN_BLOCK in the last block.
// Before the first block is read, its structs must be zeros. If the result is false, archive->status has the reason.
bool impi_columns_write(ImpiColumns *columns, ImpiArchive *archive, void *const *records, int count);
bool impi_columns_read(ImpiColumns *columns, ImpiArchive *archive, void *const *records, int count);

// Write or read `count` consecutive structs. After an error the structs that were not read are zeros.
bool impi_columns_walk(ImpiArchive *archive, const ImpiLayout *layout, void *first, int count);

#endif
