// Sparse sets of numbers, visited in ascending order. Their memory grows with the count of their members.
#ifndef IMPI_SPARSE_H
#define IMPI_SPARSE_H

#include "base/array.h"

// Pairs of numbers, ascending by the first: which 32 numbers, and a bit for each of them, of which one is set.
typedef IMPI_ARRAY(int32_t) ImpiSparse;

bool impi_sparse_reserve(ImpiHeap *heap, ImpiSparse *set); // room for one number more; false when out of memory
bool impi_sparse_has(const ImpiSparse *set, int32_t number);
void impi_sparse_put(ImpiSparse *set, int32_t number); // there is room
void impi_sparse_remove(ImpiSparse *set, int32_t number);
// The least member above `after` (`after` itself need not be a member); -1 at the end.
int32_t impi_sparse_next(const ImpiSparse *set, int32_t after);
// Whether the array is such a set, of numbers from 0 and below `limit`.
bool impi_sparse_is_valid(const ImpiSparse *set, int32_t limit);

#endif
