// Sets of small integers as arrays of bits, visited in ascending order.
#ifndef IMPI_BITS_H
#define IMPI_BITS_H

#include <string.h>

#include "base/array.h"

typedef IMPI_ARRAY(uint64_t) ImpiBits; // count: number of words in use; later words are not initialised

// Number of words for a set of the integers below `count`.
static inline int impi_bits_words(int count) { return (count + 63) / 64; }

// Make room for the numbers below `count`; false when out of memory.
static inline bool impi_bits_reserve(ImpiHeap *heap, ImpiBits *bits, int count) {
  int words = impi_bits_words(count);
  if (!impi_reserve(heap, bits, words)) {
    return false;
  }
  if (words > bits->count) {
    memset(bits->data + bits->count, 0, (size_t)(words - bits->count) * sizeof *bits->data);
    bits->count = words;
  }
  return true;
}

static inline void impi_bits_set(ImpiBits *bits, int32_t i) { bits->data[i >> 6] |= 1ull << (i & 63); }
static inline void impi_bits_clear(ImpiBits *bits, int32_t i) {
  if (i >> 6 < bits->count) {
    bits->data[i >> 6] &= ~(1ull << (i & 63));
  }
}
static inline bool impi_bits_has(const ImpiBits *bits, int32_t i) {
  return i >> 6 < bits->count && bits->data[i >> 6] >> (i & 63) & 1u;
}
static inline void impi_bits_empty(ImpiBits *bits) {
  if (bits->count > 0) {
    memset(bits->data, 0, (size_t)bits->count * sizeof *bits->data);
  }
}

// Add all members of `other`; `bits` must have room.
static inline void impi_bits_add(ImpiBits *bits, const ImpiBits *other) {
  for (int i = 0; i < other->count; ++i) {
    bits->data[i] |= other->data[i];
  }
}

// Remove the lowest member of a word and return its bit number, 0..63.
static inline int impi_bits_pop(uint64_t *word) {
  int bit = __builtin_ctzll(*word);
  *word &= *word - 1;
  return bit;
}

#endif
