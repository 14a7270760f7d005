// Structs as tables of their fields, and one walk over them that writes, reads and frees.
//
// A table names every field of its struct once, in order, and says what becomes of it. What a table cannot say (memory
// that another field gives the size of) does the struct's hook. Plain fields go column by column, see column.h, then
// follows what each struct owns. The padding of structs is never written, so the same state makes the same bytes.
//
// Bytes are little-endian, as all processors are that this is built for; others are refused here. They do not depend on
// the size of pointers, on alignment or on where a field is in its struct: 32- and 64-bit builds read each other's.
#ifndef IMPI_ARCHIVE_H
#define IMPI_ARCHIVE_H

#include "base/array.h"

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

// What a number is: how it is written, and which may be read.
typedef enum ImpiNumber {
  IMPI_NUMBER_NONE,
  IMPI_NUMBER_REAL,  // double: finite
  IMPI_NUMBER_WILD,  // double: anything
  IMPI_NUMBER_FLOAT, // float: finite
  IMPI_NUMBER_WILD_FLOAT,
  IMPI_NUMBER_INT,    // 4 bytes
  IMPI_NUMBER_LONG,   // 8 bytes
  IMPI_NUMBER_BYTE,   // any 8 bits
  IMPI_NUMBER_BOOL,   // 0 or 1
  IMPI_NUMBER_COSINE, // double: that of an angle in the same struct, most often
  IMPI_NUMBER_SINE,
  IMPI_NUMBER_HANDLE,  // 8 bytes, of which the tag of the world is not written
  IMPI_NUMBER_POINTER, // of the caller's, never followed: 8 bytes; read as null where it is wider than pointers are
} ImpiNumber;

typedef enum ImpiFieldKind {
  IMPI_FIELD_PLAIN,  // numbers
  IMPI_FIELD_PARTS,  // one or more structs with a table of their own
  IMPI_FIELD_LIST,   // one or more IMPI_ARRAYs of them
  IMPI_FIELD_STRING, // char *, owned
  IMPI_FIELD_HOOK,   // the hook deals with it
  IMPI_FIELD_WALK,   // a function of its own deals with it, in its place among the fields
  IMPI_FIELD_KEPT,   // no state: scratch, cache, or what belongs to the place and not to what is in it
} ImpiFieldKind;

typedef struct ImpiLayout ImpiLayout;

typedef struct ImpiField {
  const char *name;
  size_t offset, size, alignment; // [bytes]
  ImpiFieldKind kind;
  ImpiNumber number;       // PLAIN: what it is, or is made of
  size_t angle;            // COSINE, SINE: where their angle is [bytes]
  const ImpiLayout *parts; // PARTS, LIST; of HOOK and WALK: what they deal with, if it has a table
  bool (*walk)(ImpiArchive *archive, void *object); // WALK: of the struct that it is in
} ImpiField;

struct ImpiLayout {
  size_t size; // of the struct [bytes]
  const ImpiField *fields;
  int count;
  bool (*hook)(ImpiArchive *archive, void *object); // after the fields; null for none
  bool framed; // each field but the plain ones is a section: its name in 8 bytes, its length in 8
};

// The number that a plain field is made of, by its type. size_t is left out: its width differs between builds.
#define IMPI_NUMBER_OF(type, member) \
  _Generic(((type *)0)->member, \
      bool: IMPI_NUMBER_BOOL, bool *: IMPI_NUMBER_BOOL, \
      double: IMPI_NUMBER_REAL, double *: IMPI_NUMBER_REAL, \
      ImpVec2: IMPI_NUMBER_REAL, ImpVec2 *: IMPI_NUMBER_REAL, ImpAabb: IMPI_NUMBER_REAL, ImpRot: IMPI_NUMBER_REAL, \
      float: IMPI_NUMBER_FLOAT, float *: IMPI_NUMBER_FLOAT, \
      int: IMPI_NUMBER_INT, int *: IMPI_NUMBER_INT, unsigned: IMPI_NUMBER_INT, unsigned *: IMPI_NUMBER_INT, \
      uint64_t: IMPI_NUMBER_LONG, uint64_t *: IMPI_NUMBER_LONG, \
      ImpBody: IMPI_NUMBER_HANDLE, ImpShape: IMPI_NUMBER_HANDLE, ImpJoint: IMPI_NUMBER_HANDLE, \
      signed char: IMPI_NUMBER_BYTE, unsigned char: IMPI_NUMBER_BYTE, unsigned char *: IMPI_NUMBER_BYTE, \
      short: IMPI_NUMBER_BYTE, void *: IMPI_NUMBER_POINTER)

#define IMPI_FIELD(kind, number, parts, type, member) IMPI_FIELD_AS(#member, kind, number, parts, type, member)
#define IMPI_FIELD_AS(name, kind, number, parts, type, member) \
  { \
    name, offsetof(type, member), sizeof(((type *)0)->member), _Alignof(__typeof__(((type *)0)->member)), kind, \
        number, 0, parts, NULL \
  }
#define IMPI_LAYOUT(type, fields, hook) \
  { sizeof(type), fields, IMPI_COUNT(fields), hook, false }

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

// Whether a table and those below it name every byte of their structs but padding, in order.
bool impi_layout_is_complete(const ImpiLayout *layout);
// A hash of the written form: names, sizes and kinds of the fields, and the columns of their bytes.
uint64_t impi_layout_identity(const ImpiLayout *layout);

// Values without a table of their own.
extern const ImpiLayout impi_layout_int32, impi_layout_double;

#endif
