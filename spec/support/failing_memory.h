// An allocator for specs in which memory runs out.
#ifndef IMPI_SPEC_FAILING_MEMORY_H
#define IMPI_SPEC_FAILING_MEMORY_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// An allocator that counts allocated bytes. Allocation number `fail_at` fails; the first allocation has number 1. With
// `from_then_on` all later allocations fail too.
typedef struct Memory {
  size_t bytes, peak;     // peak: maximum of bytes since a spec set it
  long requests, fail_at; // fail_at 0: no allocation fails
  bool from_then_on;
  bool failed; // whether an allocation has failed
} Memory;


static inline void *reallocate(void *user, void *old, size_t old_size, size_t new_size) {
  Memory *memory = user;
  if (new_size == 0) {
    memory->bytes -= old_size;
    free(old);
    return NULL;
  }
  ++memory->requests;
  bool later = memory->from_then_on && memory->fail_at > 0 && memory->requests > memory->fail_at;
  if (memory->requests == memory->fail_at || later) {
    memory->failed = true;
    return NULL;
  }
  void *block = malloc(new_size); // always move the block: the sanitizer finds stale pointers
  if (old != NULL) {
    memcpy(block, old, old_size < new_size ? old_size : new_size);
    free(old);
  }
  memory->bytes += new_size - old_size;
  memory->peak = memory->bytes > memory->peak ? memory->bytes : memory->peak;
  return block;
}

#endif
