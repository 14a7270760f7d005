// Plain fields of many equal structs, written so that what they have in common takes next to nothing.
//
// Structs go in blocks of 64, a field after the other: a column. Each number of a column is written as how it differs
// from the one before it: whole numbers by their difference, or by how that differs from the last difference, reals by
// their bits. One byte a column says how many bytes the widest of the differences takes; all others take as many, or,
// where most are nothing, a mask says which are something. The cosine and sine of an angle are compared with what
// impi_rot makes of the angle. All of it is arithmetic on whole numbers: no bit is lost.
//
//   block = column... , each: byte (bits 0-3 width w of 0 to 8, bit 4 masked, bit 5 differences of differences),
//           [8 bytes: mask], w bytes for each number (that the mask has)
#ifndef IMPI_COLUMN_H
#define IMPI_COLUMN_H

#include "snapshot/archive.h"

#define IMPI_MAX_COLUMNS 256
#define IMPI_COLUMN_BLOCK 64

typedef struct ImpiColumn {
  uint32_t offset;           // of the word that is loaded and stored, in the struct [bytes]
  uint32_t angle;            // COSINE, SINE: where their angle is
  uint8_t size;              // of the word [bytes]
  uint8_t number;            // an ImpiNumber; BYTE: up to 8 that are neighbours and no numbers of more bytes
  uint8_t shift;             // BYTE: of the first one in the word [bits]
  uint64_t mask;             // BYTE, HANDLE: the bits that are written, without the shift; else 0
  uint64_t legal;            // BYTE: and those of them that may be set
  uint64_t last, difference; // of the last struct
} ImpiColumn;

// How structs of a layout are written, and where the walk is.
typedef struct ImpiColumns {
  size_t size;          // of a struct [bytes]
  const void *previous; // the last struct of the walk so far, which stays where it is; null: none
  int count;
  ImpiColumn column[IMPI_MAX_COLUMNS];
} ImpiColumns;

void impi_columns_of(const ImpiLayout *layout, ImpiColumns *out_columns);

// The next structs of a walk, at most IMPI_COLUMN_BLOCK, and all but the last time as many. What is read goes into structs
// of zeros; those of later blocks may hold anything, which is gone then. False: archive->status.
bool impi_columns_write(ImpiColumns *columns, ImpiArchive *archive, void *const *records, int count);
bool impi_columns_read(ImpiColumns *columns, ImpiArchive *archive, void *const *records, int count);

// The same of any number of structs that lie one after the other. Those that could not be read any more are zeros.
bool impi_columns_walk(ImpiArchive *archive, const ImpiLayout *layout, void *first, int count);

#endif
