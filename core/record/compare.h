// Two worlds compared: the walks over what the tables of snapshot.h say is to be seen.
//
// Each walk stops at the first difference, which is noted in `out`, and returns true.
#ifndef IMPI_COMPARE_H
#define IMPI_COMPARE_H

#include "snapshot/snapshot.h"

typedef struct ImpiComparison {
  const ImpWorld *a, *b;
  ImpDifference *out; // object, ids and names are those of the object that is looked at
} ImpiComparison;

// compare.c
// What is looked at from now on.
void impi_compare_object(ImpiComparison *c, ImpObjectKind object, uint64_t id, const char *name);
// The name of what is found is `before`, `index` in brackets, unless it is below 0, and `field`.
bool impi_compare_number(ImpiComparison *c, const char *before, int index, const char *field, double a, double b);
bool impi_compare_text(ImpiComparison *c, const char *field, const char *a, const char *b);
// The plain fields of two structs and of their parts, those that are to be seen now. `before`, unless it is null, and
// `index` are as above.
bool impi_compare_structs(ImpiComparison *c, const char *before, int index, const ImpiLayout *layout, ImpiSeen now,
                          const void *a, const void *b);

// compare_bodies.c: the bodies in the slots, with their shapes
bool impi_compare_body(ImpiComparison *c, int32_t a, int32_t b);
bool impi_compare_rest(ImpiComparison *c, int32_t a, int32_t b); // what only tells of what was done before

// compare_joints.c
bool impi_compare_joint(ImpiComparison *c, int32_t a, int32_t b);
bool impi_compare_field(ImpiComparison *c, int32_t a, int32_t b);

// compare_contacts.c
bool impi_compare_contacts(ImpiComparison *c);
bool impi_compare_movers(ImpiComparison *c);

#endif
