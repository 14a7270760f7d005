#include "base/sparse.h"

#include <string.h>


// Return the index of a word's pair, or the index where the pair would be inserted.
static int find(const ImpiSparse *set, int32_t word) {
  const int32_t *data = set->data;
  int low = 0, high = set->count / 2;
  // if the set has a pair for each smaller word, pair number `word` belongs to the word
  if (word < high && data[2 * word] == word) {
    return 2 * word;
  }
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (data[2 * middle] < word) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return 2 * low;
}


static bool is_at(const ImpiSparse *set, int at, int32_t word) { return at < set->count && set->data[at] == word; }


bool impi_sparse_reserve(ImpiHeap *heap, ImpiSparse *set) { return impi_reserve(heap, set, set->count + 2); }


bool impi_sparse_has(const ImpiSparse *set, int32_t number) {
  int at = find(set, number >> 5);
  return is_at(set, at, number >> 5) && ((uint32_t)set->data[at + 1] >> (number & 31) & 1u) != 0;
}


void impi_sparse_put(ImpiSparse *set, int32_t number) {
  int32_t word = number >> 5;
  int at = find(set, word);
  if (!is_at(set, at, word)) {
    memmove(set->data + at + 2, set->data + at, (size_t)(set->count - at) * sizeof *set->data);
    set->data[at] = word;
    set->data[at + 1] = 0;
    set->count += 2;
  }
  set->data[at + 1] = (int32_t)((uint32_t)set->data[at + 1] | 1u << (number & 31));
}


void impi_sparse_remove(ImpiSparse *set, int32_t number) {
  int32_t word = number >> 5;
  int at = find(set, word);
  if (!is_at(set, at, word)) {
    return;
  }
  set->data[at + 1] = (int32_t)((uint32_t)set->data[at + 1] & ~(1u << (number & 31)));
  if (set->data[at + 1] == 0) {
    set->count -= 2;
    memmove(set->data + at, set->data + at + 2, (size_t)(set->count - at) * sizeof *set->data);
  }
}


int32_t impi_sparse_next(const ImpiSparse *set, int32_t after) {
  int32_t from = after + 1, word = from >> 5;
  int at = find(set, word);
  if (is_at(set, at, word)) {
    uint32_t left = (uint32_t)set->data[at + 1] & ~0u << (from & 31);
    if (left != 0) {
      return word * 32 + __builtin_ctz(left);
    }
    at += 2;
  }
  return at < set->count ? set->data[at] * 32 + __builtin_ctz((uint32_t)set->data[at + 1]) : -1;
}


bool impi_sparse_is_valid(const ImpiSparse *set, int32_t limit) {
  bool valid = set->count % 2 == 0;
  for (int at = 0; at < set->count && valid; at += 2) {
    int32_t word = set->data[at];
    uint32_t bits = (uint32_t)set->data[at + 1];
    valid = word > (at > 0 ? set->data[at - 2] : -1) && bits != 0 && word <= (limit - 1) / 32 &&
            word * 32 + 31 - __builtin_clz(bits) < limit;
  }
  return valid;
}
