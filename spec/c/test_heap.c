// The allocator hook and what it counts; the default allocator.
#include "heap.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"

// An allocator that counts what is out and can be told to fail.
typedef struct Counter {
  size_t bytes;
  int calls;
  bool fails;
} Counter;


static void *count_bytes(void *user, void *old, size_t old_size, size_t new_size) {
  Counter *counter = user;
  counter->calls += 1;
  if (new_size == 0) {
    counter->bytes -= old_size;
    free(old);
    return NULL;
  }
  if (counter->fails) {
    return NULL;
  }
  counter->bytes += new_size - old_size;
  return realloc(old, new_size);
}


static void the_heap_counts_its_bytes(void) {
  Counter counter = {0};
  ImpiHeap heap = {.allocator = {count_bytes, &counter}};
  char *block = impi_resize(&heap, NULL, 0, 100);
  CHECK(block != NULL && heap.bytes == 100);
  memset(block, 1, 100);
  block = impi_resize(&heap, block, 100, 1000);
  CHECK(heap.bytes == 1000 && block[99] == 1);
  block = impi_resize(&heap, block, 1000, 10);
  CHECK(heap.bytes == 10 && counter.bytes == 10);

  counter.fails = true;
  CHECK(impi_resize(&heap, block, 10, 20) == NULL);
  CHECK(heap.bytes == 10 && block[9] == 1); // the old block stands
  CHECK(impi_resize(&heap, block, 10, 0) == NULL);
  CHECK(heap.bytes == 0 && counter.bytes == 0);

  int calls = counter.calls;
  CHECK(impi_resize(&heap, NULL, 0, 0) == NULL && counter.calls == calls);
}


static void strings_are_copied_and_freed(void) {
  Counter counter = {0};
  ImpiHeap heap = {.allocator = {count_bytes, &counter}};
  char *copy = NULL;
  CHECK(impi_copy_string(&heap, "wheel", &copy) && strcmp(copy, "wheel") == 0 && heap.bytes == 6);
  impi_free_string(&heap, copy);
  CHECK(heap.bytes == 0);
  CHECK(impi_copy_string(&heap, NULL, &copy) && copy == NULL && heap.bytes == 0);
  impi_free_string(&heap, NULL);
  counter.fails = true;
  char *untouched = copy;
  CHECK(!impi_copy_string(&heap, "wheel", &copy) && copy == untouched && heap.bytes == 0);
}


static unsigned char pattern(size_t i, unsigned seed) { return (unsigned char)((i * 2654435761u + seed) >> 13); }


// Through all ways in which it keeps blocks: small, on a cache line, on pages of their own.
static void the_default_allocator_keeps_what_is_in_a_block(void) {
  ImpiHeap heap = {.allocator = impi_default_allocator()};
  const size_t sizes[] = {1,       100,      2047,     2048, 5000,    300,     1 << 20, (1 << 20) - 65,
                          4000000, 70000000, 90000000, 2000, 9000001, 1500000, 64};
  unsigned char *block = NULL;
  size_t size = 0;
  for (int i = 0; i < IMPI_COUNT(sizes); ++i) {
    block = impi_resize(&heap, block, size, sizes[i]);
    CHECK(block != NULL && heap.bytes == sizes[i] && (sizes[i] < 2048 || (uintptr_t)block % IMPI_CACHE_LINE == 0));
    size_t kept = size < sizes[i] ? size : sizes[i];
    bool same = true;
    for (size_t k = 0; k < kept; ++k) {
      same = same && block[k] == pattern(k, (unsigned)i);
    }
    CHECK(same);
    size = sizes[i];
    for (size_t k = 0; k < size; ++k) {
      block[k] = pattern(k, (unsigned)i + 1);
    }
  }
  CHECK(impi_resize(&heap, block, size, 0) == NULL && heap.bytes == 0);
}


// Sanitizers are to refuse as well, instead of ending the program.
#define REFUSES(name) \
  __attribute__((visibility("default"))) const char *name(void); \
  const char *name(void) { return "allocator_may_return_null=1"; }
REFUSES(__asan_default_options)
REFUSES(__msan_default_options)
REFUSES(__tsan_default_options)


static void what_nobody_has_is_refused(void) {
  ImpiHeap heap = {.allocator = impi_default_allocator()};
  char *block = impi_resize(&heap, NULL, 0, 3000000);
  block[2999999] = 7;
  const size_t sizes[] = {SIZE_MAX / 2, SIZE_MAX / 2 + 1, SIZE_MAX - 10, SIZE_MAX};
  for (int i = 0; i < IMPI_COUNT(sizes); ++i) { // the old block stands
    CHECK(impi_resize(&heap, block, 3000000, sizes[i]) == NULL);
  }
  CHECK(heap.bytes == 3000000 && block[2999999] == 7);
  CHECK(impi_resize(&heap, block, 3000000, 0) == NULL && heap.bytes == 0);
}


int main(void) {
  RUN(the_heap_counts_its_bytes);
  RUN(strings_are_copied_and_freed);
  RUN(the_default_allocator_keeps_what_is_in_a_block);
  RUN(what_nobody_has_is_refused);
  return check_report("heap");
}
