// Status and last-error text, assertions.
#ifndef IMPI_BASE_H
#define IMPI_BASE_H


#include "impel.h"

// IMP_ASSERT states what our own code guarantees; it is checked in builds with -DIMPI_CHECKED (make asan, make check)
// and never stands for the caller's mistakes, which are checked in every build.
#if defined(IMPI_CHECKED)
#define IMP_ASSERT(condition) ((condition) ? (void)0 : __builtin_trap())
#else
#define IMP_ASSERT(condition) ((void)sizeof(condition))
#endif

#define IMPI_CACHE_LINE 64 // [bytes]

#define IMPI_COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

// A table over an enum of `count` values, declared without a length, has an entry for the last of them: a value that is
// added without one does not compile. That no entry before is missing is what spec/core/world/test_tables.c walks for.
#define IMPI_COVERS(table, count) _Static_assert(IMPI_COUNT(table) == (count), #table " lacks an entry for a value")

// Note an error for imp_last_error() and return `status`. The format knows %s, %d (int), %g (double, 9 significant
// digits, the same in every locale) and %%.
ImpStatus impi_fail(ImpStatus status, const char *format, ...) __attribute__((format(printf, 2, 3)));

// What a message calls something by its name, which may be null.
static inline const char *impi_called(const char *name) { return name != NULL ? name : "(unnamed)"; }

#endif
