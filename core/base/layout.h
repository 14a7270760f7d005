// Structs as tables of their fields: one line about each field says how it is written, what of it is compared, and what it
// is called.
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

// The table of a struct: its layout is {sizeof the struct, the fields, their number, hook}.
#define IMPI_LAYOUT(type, fields, hook) \
  { sizeof(type), fields, IMPI_COUNT(fields), hook, false }
#define IMPI_FIELD(called, kinds, numbers, member, ...) \
  { \
    .name = called, .path = #member, .offset = offsetof(STRUCT, member), .size = sizeof(((STRUCT *)0)->member), \
    .alignment = _Alignof(__typeof__(((STRUCT *)0)->member)), .kind = kinds, .number = numbers, \
    .form = IMPI_FORM_OF(STRUCT, member), __VA_ARGS__ \
  }

// The lines of a table, of STRUCT, which is defined anew before each. After the member may follow:
#define SHOWN(text) .shown = text // what it is called where it differs
#define LAST .seen = IMPI_SEEN_LAST
#define ASIDE .seen = IMPI_UNSEEN
#define PLAIN(...) IMPI_PLAIN(__VA_ARGS__, )
#define IMPI_PLAIN(member, ...) IMPI_PLAIN_AS(#member, member, __VA_ARGS__)
#define IMPI_PLAIN_AS(name, member, ...) \
  IMPI_FIELD(name, IMPI_FIELD_PLAIN, IMPI_NUMBER_OF(STRUCT, member), member, __VA_ARGS__)
// Numbers that may be anything, NaN too: they come from the user, or only say what a step did.
#define WILD(...) IMPI_WILD(__VA_ARGS__, )
#define IMPI_WILD(member, ...) IMPI_FIELD(#member, IMPI_FIELD_PLAIN, IMPI_NUMBER_WILD, member, __VA_ARGS__)
// Structs of 4-byte whole numbers only.
#define INTS(member) IMPI_FIELD(#member, IMPI_FIELD_PLAIN, IMPI_NUMBER_INT, member, ASIDE)
// The cosine or sine of the field `turn`.
#define TURN(kind, member, turn) \
  IMPI_FIELD(#member, IMPI_FIELD_PLAIN, IMPI_NUMBER_##kind, member, ASIDE, .angle = offsetof(STRUCT, turn))
#define PARTS(member, ...) IMPI_PARTS(#member, member, __VA_ARGS__, )
#define IMPI_PARTS(name, member, layout, ...) \
  IMPI_FIELD(name, IMPI_FIELD_PARTS, IMPI_NUMBER_NONE, member, .parts = &(layout), __VA_ARGS__)
#define LIST(member, layout) IMPI_LIST(#member, member, layout)
#define IMPI_LIST(name, member, layout) IMPI_FIELD(name, IMPI_FIELD_LIST, IMPI_NUMBER_NONE, member, .parts = &(layout))
#define STRING(member) IMPI_FIELD(#member, IMPI_FIELD_STRING, IMPI_NUMBER_NONE, member, )
#define HOOK(member, layout) IMPI_FIELD(#member, IMPI_FIELD_HOOK, IMPI_NUMBER_NONE, member, .parts = layout)
#define KEPT(member) IMPI_FIELD(#member, IMPI_FIELD_KEPT, IMPI_NUMBER_NONE, member, )
// A section of the world that a function deals with, by a name of its own.
#define WALK(name, member, layout, function) \
  IMPI_FIELD(name, IMPI_FIELD_WALK, IMPI_NUMBER_NONE, member, .parts = layout, .walk = function)
// Fields of structs inside of a struct, by names of their own.
#define PLAIN_AS(name, ...) IMPI_PLAIN_AS(name, __VA_ARGS__, )
#define PARTS_AS(name, member, ...) IMPI_PARTS(name, member, __VA_ARGS__, )
#define LIST_AS(name, member, layout) IMPI_LIST(name, member, layout)
#define HOOK_AS(name, member, layout) IMPI_FIELD(name, IMPI_FIELD_HOOK, IMPI_NUMBER_NONE, member, .parts = layout)

#endif
