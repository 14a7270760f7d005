// Sorting in place, without recursion or memory of its own.
#ifndef IMPI_SORT_H
#define IMPI_SORT_H

#include "base/base.h"

// Return whether element a comes before b.
typedef bool (*ImpiBefore)(const void *a, const void *b, const void *context);

// Heap sort of `count` elements of `size` bytes. Not stable, so `before` should order any two different elements.
void impi_sort(void *data, int count, size_t size, ImpiBefore before, const void *context);

#endif
