// Structs as tables of their fields, and one walk over them that writes, reads and frees.
//
// A table names every field of its struct once and says what becomes of it. What a table cannot say (memory
// that another field gives the size of) does the struct's hook. Plain fields go column by column, see column.h, then
// follows what each struct owns. The padding of structs is never written, so the same state makes the same bytes.
//
// Bytes are little-endian, as all processors are that this is built for; others are refused here. They do not depend on
// the size of pointers, on alignment or on where a field is in its struct: 32- and 64-bit builds read each other's.
#ifndef IMPI_ARCHIVE_H
#define IMPI_ARCHIVE_H

#include "base/layout.h"

#if defined __BYTE_ORDER__ && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "snapshots are written on little-endian processors only"
#endif

typedef enum ImpiArchiveMode {
  IMPI_ARCHIVE_WRITE,
  IMPI_ARCHIVE_READ, // into a struct of zeros; what fails half-way is freed by a walk that frees
  IMPI_ARCHIVE_FREE, // free what the struct owns and leave it without
} ImpiArchiveMode;

typedef struct ImpiArchive {
  ImpiArchiveMode mode;
  unsigned char *out;      // when writing: the C library's memory, which grows
  const unsigned char *in; // when reading
  size_t at, size;         // place; end when reading, room when writing [bytes]
  size_t whole;            // when reading: length of all that is read [bytes]
  ImpiHeap *heap;          // when reading or freeing
  void *owner;             // what hooks may want to know
  const char *section;     // the walk is in; null: in none
  ImpStatus status;        // why a walk came back with false
} ImpiArchive;

// Walk over one struct. False: archive->status says why, imp_last_error() in a sentence.
bool impi_archive(ImpiArchive *archive, const ImpiLayout *layout, void *object);

// For hooks. Bytes as they are:
bool impi_archive_bytes(ImpiArchive *archive, void *data, size_t size);
// A number that most often is small: 7 bits a byte, the least first.
bool impi_archive_number(ImpiArchive *archive, uint64_t *number);
// `count` structs in memory that is there:
bool impi_archive_many(ImpiArchive *archive, const ImpiLayout *layout, void *first, int count);
// `count` structs in a block that the pointer at `block` owns; null stays null, also for a count of 0:
bool impi_archive_owned(ImpiArchive *archive, const ImpiLayout *layout, void *block, int count);
// An owned string; null stays null:
bool impi_archive_string(ImpiArchive *archive, char **text);
// Whether the unread bytes can hold as many structs, and a block of memory too.
bool impi_archive_holds(const ImpiArchive *archive, const ImpiLayout *layout, int64_t count);
// Room to write so many bytes more.
bool impi_archive_room(ImpiArchive *archive, size_t more);
// Why the walk cannot go on:
bool impi_archive_refuse(ImpiArchive *archive); // the bytes make no sense
bool impi_archive_no_memory(ImpiArchive *archive);

// Whether a table and those below it name every byte of their structs but padding.
bool impi_layout_is_complete(const ImpiLayout *layout);
// A hash of the written form: names, sizes and kinds of the fields, and the columns of their bytes.
uint64_t impi_layout_identity(const ImpiLayout *layout);

// What one number takes in a struct [bytes].
int impi_number_size(ImpiNumber number);

// Values without a table of their own.
extern const ImpiLayout impi_layout_int32, impi_layout_double;

#endif
