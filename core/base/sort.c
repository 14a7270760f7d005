#include "base/sort.h"


static void swap(unsigned char *a, unsigned char *b, size_t size) {
  for (size_t i = 0; i < size; ++i) {
    unsigned char byte = a[i];
    a[i] = b[i];
    b[i] = byte;
  }
}


// Move the element at `root` down until none of its children comes after it.
static void sift_down(unsigned char *heap, int root, int count, size_t size, ImpiBefore before, const void *context) {
  for (;;) {
    int child = 2 * root + 1;
    if (child >= count) {
      return;
    }
    const unsigned char *left = heap + (size_t)child * size;
    child += child + 1 < count && before(left, left + size, context);
    unsigned char *a = heap + (size_t)root * size, *b = heap + (size_t)child * size;
    if (!before(a, b, context)) {
      return;
    }
    swap(a, b, size);
    root = child;
  }
}


void impi_sort(void *data, int count, size_t size, ImpiBefore before, const void *context) {
  unsigned char *heap = data;
  for (int i = count / 2 - 1; i >= 0; --i) {
    sift_down(heap, i, count, size, before, context);
  }
  for (int end = count - 1; end > 0; --end) {
    swap(heap, heap + (size_t)end * size, size);
    sift_down(heap, 0, end, size, before, context);
  }
}
