#define _DEFAULT_SOURCE // madvise
#include "base/heap.h"

#include <stdlib.h>
#include <string.h>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#define LARGE_BLOCK 2048 // [bytes]

// Large blocks are on huge pages, because the TLB is small.
#define HUGE_PAGE ((size_t)1 << 21)
#define HUGE_BLOCK (HUGE_PAGE / 2)
// Blocks of at least this size grow in place.
#define STAYING_BLOCK (32 * HUGE_PAGE)


void *impi_resize(ImpiHeap *heap, void *old, size_t old_size, size_t new_size) {
  if (old == NULL && new_size == 0) {
    return NULL;
  }
  void *block = heap->allocator.reallocate(heap->allocator.user, old, old_size, new_size);
  if (block == NULL && new_size > 0) {
    return NULL;
  }
  heap->bytes = heap->bytes - old_size + new_size;
  return new_size > 0 ? block : NULL;
}


// Return the C library's block that contains `block`. Large blocks begin on a cache line.
// The byte before a large block holds its offset in the library's block.
static char *whole_block(char *block, size_t size) {
  return block != NULL && size >= LARGE_BLOCK ? block - (unsigned char)block[-1] : block;
}


// Request huge pages for the whole pages between two addresses.
static void ask_for_huge_pages(char *first, char *end) {
#if defined(MADV_HUGEPAGE)
  uintptr_t begin = ((uintptr_t)first + HUGE_PAGE - 1) & ~(uintptr_t)(HUGE_PAGE - 1);
  uintptr_t stop = (uintptr_t)end & ~(uintptr_t)(HUGE_PAGE - 1);
  if (begin < stop) {
    (void)madvise((void *)begin, stop - begin, MADV_HUGEPAGE);
  }
#else
  (void)first;
  (void)end;
#endif
}


// Allocate a block on huge pages of its own.
static char *allocate_huge(size_t size) {
  char *block = aligned_alloc(HUGE_PAGE, (size + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1));
  if (block != NULL) {
    ask_for_huge_pages(block, block + size + HUGE_PAGE / 2);
  }
  return block;
}


// Resize the C library's block that contains a large block; preserve its first `kept` bytes. whole null: allocate.
static char *reallocate_whole(char *whole, size_t kept, size_t new_size) {
  char *moved = new_size >= HUGE_BLOCK && new_size < STAYING_BLOCK ? allocate_huge(new_size) : NULL;
  if (moved == NULL) {
    char *grown = realloc(whole, new_size);
    if (grown != NULL && new_size >= STAYING_BLOCK) {
      ask_for_huge_pages(grown, grown + new_size);
    }
    return grown;
  }
  if (whole != NULL) {
    memcpy(moved, whole, kept);
    free(whole);
  }
  return moved;
}


static void *reallocate(void *user, void *old, size_t old_size, size_t new_size) {
  (void)user;
  char *whole = whole_block(old, old_size);
  size_t offset = (size_t)((char *)old - whole), kept = old_size < new_size ? old_size : new_size;
  if (new_size == 0) {
    free(whole);
    return NULL;
  }
  if (new_size < LARGE_BLOCK) {
    if (offset > 0) {
      memmove(whole, old, new_size);
    }
    char *shrunk = realloc(whole, new_size);
    return shrunk != NULL || offset == 0 ? shrunk : whole;
  }
  if (new_size > SIZE_MAX / 2) { // the computations below round the size up and must not overflow
    return NULL;
  }
  char *grown = reallocate_whole(whole, offset + kept, new_size + IMPI_CACHE_LINE);
  if (grown == NULL) {
    return NULL;
  }
  size_t shift = IMPI_CACHE_LINE - (uintptr_t)grown % IMPI_CACHE_LINE; // 1 to IMPI_CACHE_LINE
  if (old != NULL && shift != offset) {
    memmove(grown + shift, grown + offset, kept);
  }
  grown[shift - 1] = (char)shift;
  return grown + shift;
}


ImpAllocator impi_default_allocator(void) { return (ImpAllocator){.reallocate = reallocate}; }


ImpAllocator imp_default_allocator(void) { return impi_default_allocator(); }


bool impi_copy_string(ImpiHeap *heap, const char *text, char **out_copy) {
  if (text == NULL) {
    *out_copy = NULL;
    return true;
  }
  size_t size = strlen(text) + 1;
  char *copy = impi_resize(heap, NULL, 0, size);
  if (copy == NULL) {
    return false;
  }
  memcpy(copy, text, size);
  *out_copy = copy;
  return true;
}


void impi_free_string(ImpiHeap *heap, char *text) {
  if (text != NULL) {
    (void)impi_resize(heap, text, strlen(text) + 1, 0);
  }
}
