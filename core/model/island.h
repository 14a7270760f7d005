// Islands: sets of bodies connected by contacts and joints, by union-find.
#ifndef IMPI_ISLAND_H
#define IMPI_ISLAND_H

#include "base/array.h"

// A forest over elements 0..count-1. The root of a set is its smallest element.
typedef struct ImpiIslands {
  IMPI_ARRAY(int32_t) parent;
} ImpiIslands;

// Reserve memory, so that impi_islands_begin cannot fail.
bool impi_islands_reserve(ImpiHeap *heap, ImpiIslands *islands, int count);
// Make a set of each element. Return false if out of memory.
bool impi_islands_begin(ImpiHeap *heap, ImpiIslands *islands, int count);
void impi_islands_join(ImpiIslands *islands, int32_t a, int32_t b);
int32_t impi_islands_root(ImpiIslands *islands, int32_t element);
void impi_islands_free(ImpiHeap *heap, ImpiIslands *islands);

#endif
