// Tables that describe structs. For each field: format in snapshots, whether it is compared, name in messages, bounds
#ifndef IMPI_LAYOUT_H
#define IMPI_LAYOUT_H

#include "base/array.h"

struct ImpiArchive;

// Type of a number: its format in snapshots, and the values that may be read.
typedef enum ImpiNumber {
  IMPI_NUMBER_NONE,
  IMPI_NUMBER_REAL,  // double: finite
  IMPI_NUMBER_ANY,   // double: any value
  IMPI_NUMBER_FLOAT, // float: finite
  // 4 bytes. The values of ImpiNumber never change, because the hash of a snapshot format contains them
  IMPI_NUMBER_INT = 5,
  IMPI_NUMBER_LONG, // 8 bytes
  IMPI_NUMBER_BYTE, // any 8 bits
  IMPI_NUMBER_BOOL, // 0 or 1
  // double: cosine or sine of an angle in the struct; a snapshot holds the difference from the value that a reader
  // computes from the angle
  IMPI_NUMBER_COSINE,
  IMPI_NUMBER_SINE,
  IMPI_NUMBER_HANDLE,  // 8 bytes, of which the tag of the world is not written
  IMPI_NUMBER_POINTER, // pointer of the caller, never dereferenced: 8 bytes; null if the value does not fit a void *
} ImpiNumber;

typedef enum ImpiFieldKind {
  IMPI_FIELD_PLAIN,  // numbers
  IMPI_FIELD_PARTS,  // one or more structs with a table of their own
  IMPI_FIELD_LIST,   // one or more IMPI_ARRAYs of structs that have a table
  IMPI_FIELD_STRING, // char *, owned
  IMPI_FIELD_HOOK,   // written and read by the hook of this struct, or of the struct that contains it
  IMPI_FIELD_WALK,   // written and read by the function `walk`, in the order of the fields
  IMPI_FIELD_KEPT,   // not state: scratch memory, a cache, or what a restore leaves unchanged, such as the allocator
} ImpiFieldKind;

// How the numbers of a field are named where two structs are compared.
typedef enum ImpiForm {
  IMPI_FORM_LIST,   // "force", "random[1]"
  IMPI_FORM_VECTOR, // "force.x", "force.y"
  IMPI_FORM_BOX,    // "fat.lower.x"
} ImpiForm;

// When a field is compared.
typedef enum ImpiSeen {
  IMPI_SEEN,
  IMPI_SEEN_LAST, // after all other fields of the object, or of the world
  // never by impi_compare_structs: the field is derived, an index into memory, or compared by another function
  IMPI_UNSEEN,
} ImpiSeen;

typedef struct ImpiLayout ImpiLayout;

// A field of a struct. A member's comment begins with the kinds of fields that use the member, such as PLAIN.
typedef struct ImpiField {
  const char *name, *path;        // name in the format of snapshots; path in the struct, such as "joint.free_edge"
  size_t offset, size, alignment; // [bytes]
  ImpiFieldKind kind;
  ImpiNumber number; // PLAIN: type of the numbers
  ImpiForm form;     // PLAIN
  ImpiSeen seen;     // PLAIN, PARTS
  // PLAIN: name in messages; null: `name`. PARTS: name before the names of inner fields in messages; null: no such name
  const char *shown;
  size_t angle;        // COSINE, SINE: offset of the member with the angle [bytes]
  double lower, upper; // PLAIN: bounds of the numbers in a valid world; both 0: no bounds
  // PARTS, LIST: layout of the structs; HOOK, WALK: layout of the data that the function writes
  const ImpiLayout *parts;
  // WALK: function that writes or reads this field of the struct `object`
  bool (*walk)(struct ImpiArchive *archive, void *object);
} ImpiField;

struct ImpiLayout {
  size_t size; // size of the struct [bytes]
  const ImpiField *fields;
  int count;
  bool (*hook)(struct ImpiArchive *archive, void *object); // called after the fields; null for none
  // true: a snapshot holds each field that is not PLAIN as a section: name, length, data
  bool framed;
};

// Type of the numbers of a plain field. size_t is not accepted, because its width depends on the platform.
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
#define IMPI_FORM_OF(type, member) \
  _Generic(((type *)0)->member, ImpVec2 \
           : IMPI_FORM_VECTOR, ImpRot \
           : IMPI_FORM_VECTOR, ImpAabb \
           : IMPI_FORM_BOX, default \
           : IMPI_FORM_LIST)

// Return the number at an address.
static inline double impi_number_read(ImpiNumber number, const void *at) {
  switch (number) {
  case IMPI_NUMBER_FLOAT:
    return (double)*(const float *)at;
  case IMPI_NUMBER_INT:
    return *(const int32_t *)at;
  case IMPI_NUMBER_LONG:
    return (double)*(const uint64_t *)at;
  case IMPI_NUMBER_BYTE:
    return *(const int8_t *)at;
  case IMPI_NUMBER_BOOL:
    return *(const bool *)at;
  default:
    return *(const double *)at;
  }
}

#endif
