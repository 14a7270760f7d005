// Status and last-error text, assertions.
#ifndef IMPI_BASE_H
#define IMPI_BASE_H


#include "impel.h"

// An invariant of the library's code, checked with -DIMPI_CHECKED
#if defined(IMPI_CHECKED)
#define IMP_ASSERT(condition) ((condition) ? (void)0 : __builtin_trap())
#else
#define IMP_ASSERT(condition) ((void)sizeof(condition))
#endif

#define IMPI_CACHE_LINE 64 // [bytes]

#define IMPI_COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

// Assert that `table`, declared without a length, has an entry for the last of the `count` values of an enum.
#define IMPI_COVERS(table, count) \
  _Static_assert(IMPI_COUNT(table) == (count), #table " has no entry for a value of its enum")

// Set the text of imp_last_error() and return `status`. Supports %s, %d (int), %g (double, 9 or more digits) and %%.
ImpStatus impi_fail(ImpStatus status, const char *format, ...) __attribute__((format(printf, 2, 3)));

static inline const char *impi_called(const char *name) { return name != NULL ? name : "(unnamed)"; }

#endif
