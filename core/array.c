#include "array.h"

#include <limits.h>
#include <string.h>


bool impi_array_grow(ImpiHeap *heap, void **data, int *capacity, int needed, size_t element) {
  if (needed < 0 || needed > INT_MAX / 2) {
    return false;
  }
  int wanted = *capacity + *capacity / 2;
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
