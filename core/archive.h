// Level 1. Structs as tables of their fields, and one walk over them that measures, writes, reads and frees.
//
// A table names every field of its struct once, in order, and says what becomes of it. What a table cannot say (memory
// that another field gives the size of) does the struct's hook. The padding of structs is never written, so the same
// state makes the same bytes.
#ifndef IMPI_ARCHIVE_H
#define IMPI_ARCHIVE_H

#include "array.h"

typedef enum ImpiArchiveMode {
  IMPI_ARCHIVE_MEASURE, // only count the bytes
  IMPI_ARCHIVE_WRITE,
  IMPI_ARCHIVE_READ, // into a struct of zeros; what fails half-way is freed by a walk that frees
  IMPI_ARCHIVE_FREE, // free what the struct owns and leave it without
} ImpiArchiveMode;

typedef struct ImpiArchive {
  ImpiArchiveMode mode;
  unsigned char *out;      // when writing
  const unsigned char *in; // when reading
  size_t at, size;         // place; end when reading [bytes]
  ImpiHeap *heap;          // when reading or freeing
  void *owner;             // what hooks may want to know
  ImpStatus status;        // why a walk came back with false
} ImpiArchive;

typedef enum ImpiFieldKind {
  IMPI_FIELD_PLAIN,  // its bytes
  IMPI_FIELD_PARTS,  // one or more structs with a table of their own
  IMPI_FIELD_LIST,   // one or more IMPI_ARRAYs of them
  IMPI_FIELD_STRING, // char *, owned
  IMPI_FIELD_HOOK,   // the hook deals with it
  IMPI_FIELD_KEPT,   // no state: scratch, cache, or what belongs to the place and not to what is in it
} ImpiFieldKind;

typedef struct ImpiLayout ImpiLayout;

typedef struct ImpiField {
  size_t offset, size, alignment; // [bytes]
  ImpiFieldKind kind;
  const ImpiLayout *parts; // PARTS, LIST; of HOOK: what the hook deals with, if it has a table
} ImpiField;

struct ImpiLayout {
  size_t size; // of the struct [bytes]
  const ImpiField *fields;
  int count;
  bool (*hook)(ImpiArchive *archive, void *object); // after the fields; null for none
};

#define IMPI_FIELD(kind, parts, type, member) \
  { offsetof(type, member), sizeof(((type *)0)->member), _Alignof(__typeof__(((type *)0)->member)), kind, parts }
#define IMPI_LAYOUT(type, fields, hook) \
  { sizeof(type), fields, IMPI_COUNT(fields), hook }

// Walk over one struct. False: archive->status says why, imp_last_error() in a sentence.
bool impi_archive(ImpiArchive *archive, const ImpiLayout *layout, void *object);

// For hooks. Bytes as they are:
bool impi_archive_bytes(ImpiArchive *archive, void *data, size_t size);
// `count` structs in memory that is there:
bool impi_archive_many(ImpiArchive *archive, const ImpiLayout *layout, void *first, int count);
// `count` structs in a block that the pointer at `block` owns; null stays null, also for a count of 0:
bool impi_archive_owned(ImpiArchive *archive, const ImpiLayout *layout, void *block, int count);
// An owned string; null stays null:
bool impi_archive_string(ImpiArchive *archive, char **text);
// Why the walk cannot go on:
bool impi_archive_refuse(ImpiArchive *archive); // the bytes make no sense
bool impi_archive_no_memory(ImpiArchive *archive);

// Whether a table and those below it name every byte of their structs but padding, in order.
bool impi_layout_is_complete(const ImpiLayout *layout);
// A number that differs where sizes, places or kinds of fields differ.
uint64_t impi_layout_identity(const ImpiLayout *layout);

// Values without a table of their own.
extern const ImpiLayout impi_layout_int32, impi_layout_double;

#endif
