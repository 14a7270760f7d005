// Growing arrays: pointer, count and capacity in the owner's struct
#ifndef IMPI_ARRAY_H
#define IMPI_ARRAY_H

#include "base/heap.h"

#define IMPI_ARRAY(type) \
  struct { \
    type *data; \
    int count, capacity; \
  }

// Make room for at least `needed` elements; false when out of memory, with the array unchanged.
#define impi_reserve(heap, array, needed) \
  ((needed) <= (array)->capacity || \
   impi_array_grow((heap), (void **)&(array)->data, &(array)->capacity, (needed), sizeof(*(array)->data)))

// Free an array's memory and leave it empty.
#define impi_array_free(heap, array) \
  (impi_resize((heap), (array)->data, (size_t)(array)->capacity * sizeof(*(array)->data), 0), (array)->data = NULL, \
   (array)->count = 0, (array)->capacity = 0)

// Recent use of an array.
typedef struct ImpiPeak {
  int32_t most, uses; // greatest length that any recent use needed, and number of recent uses
} ImpiPeak;

// End a use of the array; the use needed `needed` elements. Elements of the array may be lost.
// After every IMPI_PEAK_USES uses, an array above 128 KiB shrinks if all these uses needed less than a quarter of it.
#define IMPI_PEAK_USES 100
#define impi_tidy(heap, array, peak, needed) \
  impi_array_tidy((heap), (void **)&(array)->data, &(array)->capacity, (peak), (needed), sizeof(*(array)->data))
void impi_array_tidy(ImpiHeap *heap, void **data, int *capacity, ImpiPeak *peak, int needed, size_t element);

// Grow an array to at least `needed` elements, and by at least half if it is below 64 KiB, otherwise by an eighth.
// New memory is not cleared.
bool impi_array_grow(ImpiHeap *heap, void **data, int *capacity, int needed, size_t element);

#endif
