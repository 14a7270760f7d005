// A set of pairs of proxies, each with a value.
#ifndef IMPI_PAIR_MAP_H
#define IMPI_PAIR_MAP_H

#include "base/heap.h"

// Hash table keyed by two proxies in either order. All zero: empty
typedef struct ImpiPairMap {
  uint64_t *keys;          // 0: empty   (capacity)
  int32_t *values;         // valid where the key is not 0   (capacity)
  int32_t count, capacity; // capacity is 0 or a power of two, at least twice the count
} ImpiPairMap;

bool impi_pair_map_reserve(ImpiHeap *heap, ImpiPairMap *map, int count); // make room for `count` pairs in all
// Insert or replace the value of a pair. The map must have room.
void impi_pair_map_insert(ImpiPairMap *map, int32_t proxy_a, int32_t proxy_b, int32_t value);
// a pair that is not in the map is ignored
void impi_pair_map_remove(ImpiPairMap *map, int32_t proxy_a, int32_t proxy_b);
// Prefetch the memory that impi_pair_map_has will read.
void impi_pair_map_prefetch(const ImpiPairMap *map, int32_t proxy_a, int32_t proxy_b);
// Return whether a pair is in the map, without reading its value.
bool impi_pair_map_has(const ImpiPairMap *map, int32_t proxy_a, int32_t proxy_b);
int32_t impi_pair_map_find(const ImpiPairMap *map, int32_t proxy_a, int32_t proxy_b); // -1: the pair is not in the map
void impi_pair_map_free(ImpiHeap *heap, ImpiPairMap *map);

#endif
