// Two worlds compared: what is looked at as tables of names and places, and the walks over them.
//
// Each walk stops at the first difference, which is noted in `out`, and returns true.
#ifndef IMPI_COMPARE_H
#define IMPI_COMPARE_H

#include "world/world.h"

typedef struct ImpiComparison {
  const ImpWorld *a, *b;
  ImpDifference *out; // object, ids and names are those of the object that is looked at
} ImpiComparison;

typedef enum ImpiNumberKind {
  IMPI_DOUBLE,
  IMPI_FLOAT,
  IMPI_INT8,
  IMPI_UINT8,
  IMPI_INT32,
  IMPI_UINT32,
  IMPI_UINT64,
  IMPI_BOOL,
} ImpiNumberKind;

// A number of a struct, and what it is called.
typedef struct ImpiNumber {
  const char *name;
  size_t offset; // [bytes]
  ImpiNumberKind kind;
} ImpiNumber;

// For the tables: a member of STRUCT, which is defined anew before each of them.
#define NUMBER(name, member) \
  { \
    name, offsetof(STRUCT, member), \
        _Generic(((STRUCT *)0)->member, double \
                 : IMPI_DOUBLE, float \
                 : IMPI_FLOAT, int8_t \
                 : IMPI_INT8, uint8_t \
                 : IMPI_UINT8, int32_t \
                 : IMPI_INT32, uint32_t \
                 : IMPI_UINT32, uint64_t \
                 : IMPI_UINT64, bool \
                 : IMPI_BOOL) \
  }

// compare.c
// What is looked at from now on.
void impi_compare_object(ImpiComparison *c, ImpObjectKind object, uint64_t id, const char *name);
// The name of what is found is `before`, `index` in brackets, unless it is below 0, and `field`.
bool impi_compare_number(ImpiComparison *c, const char *before, int index, const char *field, double a, double b);
bool impi_compare_text(ImpiComparison *c, const char *field, const char *a, const char *b);
// The numbers of two structs. `before`, unless it is null, and `index` are as above.
bool impi_compare_numbers(ImpiComparison *c, const char *before, int index, const ImpiNumber *numbers, int count,
                          const void *a, const void *b);

// compare_bodies.c: the bodies in the slots, with their shapes
bool impi_compare_body(ImpiComparison *c, int32_t a, int32_t b);
bool impi_compare_rest(ImpiComparison *c, int32_t a, int32_t b); // what only tells of what was done before

// compare_joints.c
bool impi_compare_joint(ImpiComparison *c, int32_t a, int32_t b);
bool impi_compare_field(ImpiComparison *c, int32_t a, int32_t b);
bool impi_compare_tape(ImpiComparison *c, const ImpiTape *a, const ImpiTape *b);

// compare_contacts.c
bool impi_compare_contacts(ImpiComparison *c);
bool impi_compare_movers(ImpiComparison *c);

#endif
