// Sparse sets of integers, visited in ascending order. Their memory grows with the number of members.
#ifndef IMPI_SPARSE_H
#define IMPI_SPARSE_H

#include "base/array.h"

// Pairs (w, bits), ascending by w: bit i of `bits` stands for the member 32 w + i. `bits` is not 0.
typedef IMPI_ARRAY(int32_t) ImpiSparse;

bool impi_sparse_reserve(ImpiHeap *heap, ImpiSparse *set); // make room for one more member; false when out of memory
bool impi_sparse_has(const ImpiSparse *set, int32_t number);
void impi_sparse_put(ImpiSparse *set, int32_t number); // the set must have room
void impi_sparse_remove(ImpiSparse *set, int32_t number);
// Return the least member above `after` (`after` itself need not be a member); -1 at the end.
int32_t impi_sparse_next(const ImpiSparse *set, int32_t after);
// Return whether the array is a valid set of numbers from 0 to `limit` - 1.
bool impi_sparse_is_valid(const ImpiSparse *set, int32_t limit);

#endif
