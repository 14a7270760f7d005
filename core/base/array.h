// Growing arrays: a pointer, a count and a capacity in the owner's struct, and one macro to reserve room.
#ifndef IMPI_ARRAY_H
#define IMPI_ARRAY_H

#include "base/heap.h"

// Declares the three fields of an array of `type`.
#define IMPI_ARRAY(type) \
  struct { \
    type *data; \
    int count, capacity; \
  }

// Make room for at least `needed` elements; false when out of memory (the array is unchanged).
#define impi_reserve(heap, array, needed) \
  ((needed) <= (array)->capacity || \
   impi_array_grow((heap), (void **)&(array)->data, &(array)->capacity, (needed), sizeof(*(array)->data)))

// Free an array's memory and leave it empty.
#define impi_array_free(heap, array) \
  (impi_resize((heap), (array)->data, (size_t)(array)->capacity * sizeof(*(array)->data), 0), (array)->data = NULL, \
   (array)->count = 0, (array)->capacity = 0)

// What was asked of an array lately.
typedef struct ImpiPeak {
  int32_t most, uses; // the longest it was, in so many uses
} ImpiPeak;

// The array was used for `needed` elements and its contents are over: one that has been four times as long as it had to be
// for IMPI_PEAK_USES uses gives memory back, unless it is small. So the one step in which everything begins to touch
// does not cost memory for ever, and an array whose use goes up and down is left alone.
#define IMPI_PEAK_USES 100
#define impi_tidy(heap, array, peak, needed) \
  impi_array_tidy((heap), (void **)&(array)->data, &(array)->capacity, (peak), (needed), sizeof(*(array)->data))
void impi_array_tidy(ImpiHeap *heap, void **data, int *capacity, ImpiPeak *peak, int needed, size_t element);

// Grows by half, if large by an eighth, or to `needed`, whichever is more; new memory is not cleared. `data` points to
// the array's pointer.
bool impi_array_grow(ImpiHeap *heap, void **data, int *capacity, int needed, size_t element);

#endif
