#include "array.h"

#include <limits.h>
#include <string.h>

// From this size on [B] an array grows by an eighth: what is never used weighs more than that it is moved more often.
#define LARGE ((size_t)1 << 16)


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
  // The owner's pointer has its own type; copying its bytes keeps the access legal.
  void *old;
  memcpy(&old, data, sizeof old);
  void *grown = impi_resize(heap, old, (size_t)*capacity * element, (size_t)wanted * element);
  if (grown == NULL) {
    return false;
  }
  memcpy(data, &grown, sizeof grown);
  *capacity = wanted;
  return true;
}
