// The heap: its allocator hook, its count of allocated bytes, the default allocator; sparse sets.
#include "base/heap.h"

#include <stdlib.h>
#include <string.h>

#include "base/sparse.h"
#include "check.h"

// An allocator that counts its allocated bytes and fails while `fails` is set.
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
  CHECK(heap.bytes == 10 && block[9] == 1); // the old block is unchanged
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


// Resize through all size classes.
static void the_default_allocator_keeps_the_contents_of_a_block(void) {
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


// Make sanitizers return NULL for impossible sizes too, instead of ending the program.
#define REFUSES(name) \
  __attribute__((visibility("default"))) const char *name(void); \
  const char *name(void) { return "allocator_may_return_null=1"; }
REFUSES(__asan_default_options)
REFUSES(__msan_default_options)
REFUSES(__tsan_default_options)


static void requests_beyond_the_address_space_are_refused(void) {
  ImpiHeap heap = {.allocator = impi_default_allocator()};
  char *block = impi_resize(&heap, NULL, 0, 3000000);
  block[2999999] = 7;
  const size_t sizes[] = {SIZE_MAX / 2, SIZE_MAX / 2 + 1, SIZE_MAX - 10, SIZE_MAX};
  for (int i = 0; i < IMPI_COUNT(sizes); ++i) { // the old block is unchanged
    CHECK(impi_resize(&heap, block, 3000000, sizes[i]) == NULL);
  }
  CHECK(heap.bytes == 3000000 && block[2999999] == 7);
  CHECK(impi_resize(&heap, block, 3000000, 0) == NULL && heap.bytes == 0);
}


// ---------------------------------------------------------------------------------------------------------------------
// Sparse sets
// ---------------------------------------------------------------------------------------------------------------------


#define NUMBERS 700


static void check_set(const ImpiSparse *set, const bool *in) {
  int32_t next = impi_sparse_next(set, -1);
  int words = 0, word = -1;
  for (int32_t i = 0; i < NUMBERS; ++i) {
    CHECK(impi_sparse_has(set, i) == in[i] && impi_sparse_next(set, i - 1) == next && (next == i) == in[i]);
    if (in[i]) {
      next = impi_sparse_next(set, i);
      words += i / 32 != word;
      word = i / 32;
    }
  }
  CHECK(next == -1 && set->count == 2 * words && impi_sparse_is_valid(set, NUMBERS));
}


// Insert and remove random numbers.
static void a_sparse_set_contains_its_added_members(void) {
  ImpiHeap heap = {.allocator = impi_default_allocator()};
  ImpiSparse set = {.data = NULL};
  bool in[NUMBERS] = {false};
  uint64_t state = 1;
  for (int i = 0; i < 6000; ++i) {
    state = state * 6364136223846793005 + 1442695040888963407;
    int32_t number = (int32_t)(state >> 40) % NUMBERS;
    bool puts = (int)(state >> 33 & 7) < (i / 2000 == 1 ? 6 : 2);
    if (puts) {
      CHECK(impi_sparse_reserve(&heap, &set));
      impi_sparse_put(&set, number);
    } else {
      impi_sparse_remove(&set, number);
    }
    in[number] = puts;
    if (i % 50 == 0) {
      check_set(&set, in);
    }
  }
  impi_array_free(&heap, &set);
  CHECK(heap.bytes == 0 && impi_sparse_next(&set, -1) == -1 && !impi_sparse_has(&set, 0));
}


static void wrong_sparse_sets_are_detected(void) {
  const struct {
    int32_t data[4];
    int count;
    bool valid;
  } cases[] = {
      // Pairs (w, bits): bit i stands for the member 32 w + i < 100. (3, 8) is the member 99; (3, 16) would be 100.
      {{0, 1, 3, 8}, 4, true},  {{0, 1, 3, 16}, 4, false},        {{0, 0, 3, 8}, 4, false}, {{3, 1, 3, 8}, 4, false},
      {{3, 8, 0, 1}, 4, false}, {{-1, 1, 0, 0}, 2, false},        {{0, 1, 3, 0}, 3, false}, {{4, 1, 0, 0}, 2, false},
      {{0, 0, 0, 0}, 0, true},  {{INT32_MAX, 1, 0, 0}, 2, false},
  };
  for (int i = 0; i < IMPI_COUNT(cases); ++i) {
    int32_t data[4];
    memcpy(data, cases[i].data, sizeof data);
    ImpiSparse set = {.data = data, .count = cases[i].count};
    CHECK(impi_sparse_is_valid(&set, 100) == cases[i].valid);
  }
}


int main(void) {
  RUN(the_heap_counts_its_bytes);
  RUN(strings_are_copied_and_freed);
  RUN(the_default_allocator_keeps_the_contents_of_a_block);
  RUN(requests_beyond_the_address_space_are_refused);
  RUN(a_sparse_set_contains_its_added_members);
  RUN(wrong_sparse_sets_are_detected);
  return check_report("heap");
}
