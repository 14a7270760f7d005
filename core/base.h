// Level 0. Status and last-error text, assertions, the allocator hook.
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

// Note an error for imp_last_error() and return `status`. The format knows %s, %d (int), %g (double, 9 significant
// digits, the same in every locale) and %%.
ImpStatus impi_fail(ImpStatus status, const char *format, ...) __attribute__((format(printf, 2, 3)));

// What a message calls something by its name, which may be null.
static inline const char *impi_called(const char *name) { return name != NULL ? name : "(unnamed)"; }

// All memory of one world goes through one of these; `bytes` is what it holds now.
typedef struct ImpiHeap {
  ImpAllocator allocator;
  size_t bytes;
} ImpiHeap;

// Resize a block (old null: allocate; new_size 0: free). Null when out of memory; the old block then still stands.
void *impi_resize(ImpiHeap *heap, void *old, size_t old_size, size_t new_size);

// The C library's realloc as an ImpAllocator.
ImpAllocator impi_default_allocator(void);

// Copy a string into the heap; null stays null. Returns false when out of memory.
bool impi_copy_string(ImpiHeap *heap, const char *text, char **out_copy);
void impi_free_string(ImpiHeap *heap, char *text);

#endif
