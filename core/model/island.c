#include "model/island.h"


bool impi_islands_reserve(ImpiHeap *heap, ImpiIslands *islands, int count) {
  return impi_reserve(heap, &islands->parent, count);
}


bool impi_islands_begin(ImpiHeap *heap, ImpiIslands *islands, int count) {
  if (!impi_islands_reserve(heap, islands, count)) {
    return false;
  }
  islands->parent.count = count;
  for (int i = 0; i < count; ++i) {
    islands->parent.data[i] = i;
  }
  return true;
}


int32_t impi_islands_root(ImpiIslands *islands, int32_t element) {
  int32_t *parent = islands->parent.data;
  while (parent[element] != element) {
    parent[element] = parent[parent[element]];
    element = parent[element];
  }
  return element;
}


void impi_islands_join(ImpiIslands *islands, int32_t a, int32_t b) {
  a = impi_islands_root(islands, a);
  b = impi_islands_root(islands, b);
  if (a < b) {
    islands->parent.data[b] = a;
  } else {
    islands->parent.data[a] = b;
  }
}


void impi_islands_free(ImpiHeap *heap, ImpiIslands *islands) { impi_array_free(heap, &islands->parent); }
