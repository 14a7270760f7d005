// Memory: the allocator hook and the default allocator.
#ifndef IMPI_HEAP_H
#define IMPI_HEAP_H

#include "base/base.h"

// Allocator of one world, which allocates all memory of the world; `bytes`: number of bytes allocated at present.
typedef struct ImpiHeap {
  ImpAllocator allocator;
  size_t bytes;
} ImpiHeap;

// Resize a block (old null: allocate; new_size 0: free). Returns null without memory; the old block is unchanged.
void *impi_resize(ImpiHeap *heap, void *old, size_t old_size, size_t new_size);

// The default allocator, on top of the C library's realloc (imp_default_allocator in the public header).
ImpAllocator impi_default_allocator(void);

// Copy a string into the heap; null stays null. Returns false when out of memory.
bool impi_copy_string(ImpiHeap *heap, const char *text, char **out_copy);
void impi_free_string(ImpiHeap *heap, char *text);

#endif
