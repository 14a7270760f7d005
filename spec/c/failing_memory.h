// An allocator for specs of what happens when memory runs out.
#ifndef IMPI_SPEC_FAILING_MEMORY_H
#define IMPI_SPEC_FAILING_MEMORY_H

#include <stdlib.h>
#include <string.h>

// An allocator that counts what is out and fails at a given request, counted from 1.
typedef struct Memory {
  size_t bytes, peak;     // peak: the most since somebody set it
  long requests, fail_at; // 0: never
} Memory;


static inline void *reallocate(void *user, void *old, size_t old_size, size_t new_size) {
  Memory *memory = user;
  if (new_size == 0) {
    memory->bytes -= old_size;
    free(old);
    return NULL;
  }
  if (++memory->requests == memory->fail_at) {
    return NULL;
  }
  void *block = malloc(new_size); // always moves: stale pointers show under the sanitizer
  if (old != NULL) {
    memcpy(block, old, old_size < new_size ? old_size : new_size);
    free(old);
  }
  memory->bytes += new_size - old_size;
  memory->peak = memory->bytes > memory->peak ? memory->bytes : memory->peak;
  return block;
}

#endif
