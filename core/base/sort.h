// Sorting in place, without recursion or memory of its own.
#ifndef IMPI_SORT_H
#define IMPI_SORT_H

#include "base/base.h"

// Whether the element a stands before b.
typedef bool (*ImpiBefore)(const void *a, const void *b, const void *context);

// Heap sort of `count` elements of `size` bytes. Not stable: `before` should know every element from every other.
void impi_sort(void *data, int count, size_t size, ImpiBefore before, const void *context);

#endif
