// Structs as tables of their fields: one line about each field says how it is written, what of it is compared, what it
// is called, and within which bounds it is.
#ifndef IMPI_LAYOUT_H
#define IMPI_LAYOUT_H

#include "base/array.h"

struct ImpiArchive;

// What a number is: how it is written, and which may be read.
typedef enum ImpiNumber {
  IMPI_NUMBER_NONE,
  IMPI_NUMBER_REAL,    // double: finite
  IMPI_NUMBER_WILD,    // double: anything
  IMPI_NUMBER_FLOAT,   // float: finite
  IMPI_NUMBER_INT = 5, // 4 bytes; the numbers are part of the identity of a format
  IMPI_NUMBER_LONG,    // 8 bytes
  IMPI_NUMBER_BYTE,    // any 8 bits
  IMPI_NUMBER_BOOL,    // 0 or 1
  IMPI_NUMBER_COSINE,  // double: that of an angle in the same struct, most often
  IMPI_NUMBER_SINE,
  IMPI_NUMBER_HANDLE,  // 8 bytes, of which the tag of the world is not written
  IMPI_NUMBER_POINTER, // of the caller's, never followed: 8 bytes; read as null where it is wider than pointers are
} ImpiNumber;

typedef enum ImpiFieldKind {
  IMPI_FIELD_PLAIN,  // numbers
  IMPI_FIELD_PARTS,  // one or more structs with a table of their own
  IMPI_FIELD_LIST,   // one or more IMPI_ARRAYs of them
  IMPI_FIELD_STRING, // char *, owned
  IMPI_FIELD_HOOK,   // the hook deals with it, or that of a struct above
  IMPI_FIELD_WALK,   // a function of its own deals with it, in its place among the fields
  IMPI_FIELD_KEPT,   // no state: scratch, cache, or what belongs to the place and not to what is in it
} ImpiFieldKind;

// What the numbers of a field are called where two structs are compared.
typedef enum ImpiForm {
  IMPI_FORM_LIST,   // "force", "random[1]"
  IMPI_FORM_VECTOR, // "force.x", "force.y"
  IMPI_FORM_BOX,    // "fat.lower.x"
} ImpiForm;

// When a field is compared.
typedef enum ImpiSeen {
  IMPI_SEEN,
  IMPI_SEEN_LAST, // after what else there is of the object, or of the world
  IMPI_UNSEEN,    // it follows from others, says where something is, or is compared by its object's own function
} ImpiSeen;

typedef struct ImpiLayout ImpiLayout;

typedef struct ImpiField {
  const char *name, *path;        // in the bytes; in the struct, "filter.doubts" in a struct inside of it
  size_t offset, size, alignment; // [bytes]
  ImpiFieldKind kind;
  ImpiNumber number;       // PLAIN: what it is, or is made of
  ImpiForm form;           // PLAIN
  ImpiSeen seen;           // PLAIN, PARTS
  const char *shown;       // what it is called where it differs; null: its name; of PARTS: nothing
  size_t angle;            // COSINE, SINE: where their angle is [bytes]
  double lower, upper;     // PLAIN: what its numbers are between in a world that is valid; both 0: anywhere
  const ImpiLayout *parts; // PARTS, LIST; of HOOK and WALK: what they deal with, if it has a table
  bool (*walk)(struct ImpiArchive *archive, void *object); // WALK: of the struct that it is in
} ImpiField;

struct ImpiLayout {
  size_t size; // of the struct [bytes]
  const ImpiField *fields;
  int count;
  bool (*hook)(struct ImpiArchive *archive, void *object); // after the fields; null for none
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
#define IMPI_FORM_OF(type, member) \
  _Generic(((type *)0)->member, ImpVec2 \
           : IMPI_FORM_VECTOR, ImpRot \
           : IMPI_FORM_VECTOR, ImpAabb \
           : IMPI_FORM_BOX, default \
           : IMPI_FORM_LIST)

// A number that lies at a place.
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
