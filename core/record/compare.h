// Comparison of two worlds, by the fields that the tables of snapshot.h mark for comparison. Each function stops at the
// first difference, writes it to `out`, and returns true.
#ifndef IMPI_COMPARE_H
#define IMPI_COMPARE_H

#include "snapshot/snapshot.h"

typedef struct ImpiComparison {
  const ImpWorld *a, *b;
  ImpDifference *out;
} ImpiComparison;

// compare.c
// Set the object that the following functions compare.
void impi_compare_object(ImpiComparison *c, ImpObjectKind object, uint64_t id, const char *name);
// Compare two numbers. If they differ, ImpDifference.field is `before`, `index` in brackets and `field`. A negative
// `index` is left out.
bool impi_compare_number(ImpiComparison *c, const char *before, int index, const char *field, double a, double b);
bool impi_compare_text(ImpiComparison *c, const char *field, const char *a, const char *b);
// Compare the plain fields of two structs and of nested structs, if `seen` of the field equals `now`. `before`, which
// may be null, and `index` are as in impi_compare_number.
bool impi_compare_structs(ImpiComparison *c, const char *before, int index, const ImpiLayout *layout, ImpiSeen now,
                          const void *a, const void *b);

// compare_bodies.c: compare the bodies in slot a of world a and slot b of world b, and their shapes
bool impi_compare_body(ImpiComparison *c, int32_t a, int32_t b);
// compare the fields that are marked LAST; call after all other comparisons
bool impi_compare_rest(ImpiComparison *c, int32_t a, int32_t b);

// compare_joints.c
bool impi_compare_joint(ImpiComparison *c, int32_t a, int32_t b);
bool impi_compare_field(ImpiComparison *c, int32_t a, int32_t b);

// compare_contacts.c
bool impi_compare_contacts(ImpiComparison *c);
bool impi_compare_movers(ImpiComparison *c);

#endif
