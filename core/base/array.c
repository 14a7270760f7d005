#include "base/array.h"

#include <limits.h>
#include <string.h>

// Size [bytes] above which an array grows by an eighth
#define LARGE ((size_t)1 << 16)


static bool resize(ImpiHeap *heap, void **data, int *capacity, int wanted, size_t element) {
  // Copy the bytes, because C's aliasing rules forbid reading a void **.
  void *old;
  memcpy(&old, data, sizeof old);
  void *block = impi_resize(heap, old, (size_t)*capacity * element, (size_t)wanted * element);
  if (block == NULL) {
    return false;
  }
  memcpy(data, &block, sizeof block);
  *capacity = wanted;
  return true;
}


bool impi_array_grow(ImpiHeap *heap, void **data, int *capacity, int needed, size_t element) {
  if (needed < 0 || needed > INT_MAX / 2) {
    return false;
  }
  int wanted = *capacity + *capacity / ((size_t)*capacity * element < LARGE ? 2 : 8);
  if (wanted < needed) {
    wanted = needed;
  }
  if (wanted < 16) {
    wanted = 16;
  }
  return resize(heap, data, capacity, wanted, element);
}


void impi_array_tidy(ImpiHeap *heap, void **data, int *capacity, ImpiPeak *peak, int needed, size_t element) {
  peak->most = needed > peak->most ? needed : peak->most;
  if (++peak->uses < IMPI_PEAK_USES) {
    return;
  }
  int small = (int)(LARGE / element), kept = 2 * peak->most > small ? 2 * peak->most : small;
  *peak = (ImpiPeak){0};
  if (kept < *capacity / 2) {
    (void)resize(heap, data, capacity, kept, element); // if the heap cannot shrink the block, the array is unchanged
  }
}
