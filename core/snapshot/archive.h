// Serialization of structs by tables of their fields: one walk over the tables writes, reads or frees.
//
// A table has one entry for every field of its struct. Plain fields are written in columns (column.h). The data that
// each struct owns follows. The hook of a struct handles memory whose size is in another field. Padding is never
// written, so equal states have equal bytes.
//
// Numbers are little-endian. The bytes do not depend on the size of pointers, on alignment or on the order of fields.
#ifndef IMPI_ARCHIVE_H
#define IMPI_ARCHIVE_H

#include "base/layout.h"

#if defined __BYTE_ORDER__ && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "snapshots are written on little-endian processors only"
#endif

typedef enum ImpiArchiveMode {
  IMPI_ARCHIVE_WRITE,
  // Fill a struct, which must be zeros. After a failure, IMPI_ARCHIVE_FREE must follow.
  IMPI_ARCHIVE_READ,
  IMPI_ARCHIVE_FREE, // free what the struct owns, and leave it empty
} ImpiArchiveMode;

typedef struct ImpiArchive {
  ImpiArchiveMode mode;
  unsigned char *out;      // when writing: the bytes, from malloc
  const unsigned char *in; // when reading: the bytes
  size_t at, size;         // position; end when reading, capacity when writing [bytes]
  size_t whole;            // when reading: length of all bytes
  ImpiHeap *heap;          // when reading or freeing
  void *owner;             // for the hooks: the world
  const char *section;     // name of the current section, or null
  ImpStatus status;        // reason why a walk returned false
} ImpiArchive;

// Walk over one struct. If it returns false, archive->status has the reason and imp_last_error() the message.
bool impi_archive(ImpiArchive *archive, const ImpiLayout *layout, void *object);

// Write or read bytes as they are.
bool impi_archive_bytes(ImpiArchive *archive, void *data, size_t size);
// Write or read a number that is usually small, in 7 bits per byte, the lowest first.
bool impi_archive_number(ImpiArchive *archive, uint64_t *number);
// Write, read or free `count` structs in existing memory.
bool impi_archive_many(ImpiArchive *archive, const ImpiLayout *layout, void *first, int count);
// Write, read or free the `count` structs that the pointer at `block` owns. If the pointer is null, it stays null;
// otherwise `count` must be at least 1.
bool impi_archive_owned(ImpiArchive *archive, const ImpiLayout *layout, void *block, int count);
// Write, read or free an owned string. Null stays null.
bool impi_archive_string(ImpiArchive *archive, char **text);
// Return true if the unread bytes and the memory have room for `count` structs.
bool impi_archive_holds(const ImpiArchive *archive, const ImpiLayout *layout, int64_t count);
// Reserve room to write `more` bytes.
bool impi_archive_room(ImpiArchive *archive, size_t more);
// Set archive->status and return false.
bool impi_archive_refuse(ImpiArchive *archive); // the bytes are invalid
bool impi_archive_no_memory(ImpiArchive *archive);

// Return true if a table, with its sub-tables, covers every byte of its struct except padding.
bool impi_layout_is_complete(const ImpiLayout *layout);
// Return a hash of the names, sizes and kinds of the fields, and of their columns.
uint64_t impi_layout_identity(const ImpiLayout *layout);

// Return the size of a number in a struct [bytes].
int impi_number_size(ImpiNumber number);

// Layouts of single values.
extern const ImpiLayout impi_layout_int32, impi_layout_double;

#endif
