// Memory: the allocator hook, and the default one.
#ifndef IMPI_HEAP_H
#define IMPI_HEAP_H

#include "base/base.h"

// All memory of one world goes through one of these; `bytes` is what it holds now.
typedef struct ImpiHeap {
  ImpAllocator allocator;
  size_t bytes;
} ImpiHeap;

// Resize a block (old null: allocate; new_size 0: free). Null when out of memory; the old block then still stands.
void *impi_resize(ImpiHeap *heap, void *old, size_t old_size, size_t new_size);

// The C library's realloc as an ImpAllocator (imp_default_allocator in the public header).
ImpAllocator impi_default_allocator(void);

// Copy a string into the heap; null stays null. Returns false when out of memory.
bool impi_copy_string(ImpiHeap *heap, const char *text, char **out_copy);
void impi_free_string(ImpiHeap *heap, char *text);

#endif
