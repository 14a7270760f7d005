// Linear probing at a load of at most 1/2.
#include "base/pair_map.h"

#include <string.h>


// Return the key of a pair, never 0.
static uint64_t key_of(int32_t proxy_a, int32_t proxy_b) {
  IMP_ASSERT(proxy_a >= 0 && proxy_b >= 0 && proxy_a != proxy_b);
  uint64_t smaller = (uint32_t)(proxy_a < proxy_b ? proxy_a : proxy_b);
  uint64_t larger = (uint32_t)(proxy_a < proxy_b ? proxy_b : proxy_a);
  return smaller << 32 | larger;
}


// Return the first slot to probe, by a golden-ratio multiplication, folding and a second multiplication.
static uint32_t home_of(uint64_t key, uint32_t last) {
  key *= 0x9e3779b97f4a7c15u;
  key ^= key >> 32;
  key *= 0x9e3779b97f4a7c15u;
  return (uint32_t)(key >> 32) & last;
}


// Return the slot of the key, or the empty slot where it belongs. The map must have slots.
static uint32_t slot_of(const ImpiPairMap *map, uint64_t key) {
  uint32_t last = (uint32_t)map->capacity - 1;
  uint32_t slot = home_of(key, last);
  while (map->keys[slot] != 0 && map->keys[slot] != key) {
    slot = (slot + 1) & last;
  }
  return slot;
}


bool impi_pair_map_reserve(ImpiHeap *heap, ImpiPairMap *map, int count) {
  if (count <= map->capacity / 2) {
    return true;
  }
  if (count > 1 << 28) {
    return false;
  }
  ImpiPairMap grown = {.count = map->count, .capacity = 32};
  while (grown.capacity / 2 < count) {
    grown.capacity *= 2;
  }
  size_t slots = (size_t)grown.capacity;
  grown.keys = impi_resize(heap, NULL, 0, slots * sizeof *grown.keys);
  grown.values = impi_resize(heap, NULL, 0, slots * sizeof *grown.values);
  if (grown.keys == NULL || grown.values == NULL) {
    impi_pair_map_free(heap, &grown);
    return false;
  }
  memset(grown.keys, 0, slots * sizeof *grown.keys);
  for (int32_t i = 0; i < map->capacity; ++i) {
    if (map->keys[i] != 0) {
      uint32_t slot = slot_of(&grown, map->keys[i]);
      grown.keys[slot] = map->keys[i];
      grown.values[slot] = map->values[i];
    }
  }
  impi_pair_map_free(heap, map);
  *map = grown;
  return true;
}


void impi_pair_map_insert(ImpiPairMap *map, int32_t proxy_a, int32_t proxy_b, int32_t value) {
  IMP_ASSERT(map->count < map->capacity / 2);
  uint64_t key = key_of(proxy_a, proxy_b);
  uint32_t slot = slot_of(map, key);
  map->count += map->keys[slot] == 0;
  map->keys[slot] = key;
  map->values[slot] = value;
}


void impi_pair_map_remove(ImpiPairMap *map, int32_t proxy_a, int32_t proxy_b) {
  if (map->count == 0) {
    return;
  }
  uint32_t hole = slot_of(map, key_of(proxy_a, proxy_b));
  if (map->keys[hole] == 0) {
    return;
  }
  map->count--;
  // Move the next key into the hole if the key's distance from its home is at least its distance from the hole.
  // Each move leaves a new hole.
  uint32_t last = (uint32_t)map->capacity - 1;
  for (uint32_t slot = (hole + 1) & last; map->keys[slot] != 0; slot = (slot + 1) & last) {
    uint32_t way = (slot - home_of(map->keys[slot], last)) & last; // distance of the key from its home
    if (way >= ((slot - hole) & last)) {
      map->keys[hole] = map->keys[slot];
      map->values[hole] = map->values[slot];
      hole = slot;
    }
  }
  map->keys[hole] = 0;
}


void impi_pair_map_prefetch(const ImpiPairMap *map, int32_t proxy_a, int32_t proxy_b) {
  if (map->count > 0) {
    __builtin_prefetch(&map->keys[home_of(key_of(proxy_a, proxy_b), (uint32_t)map->capacity - 1)]);
  }
}


bool impi_pair_map_has(const ImpiPairMap *map, int32_t proxy_a, int32_t proxy_b) {
  return map->count > 0 && map->keys[slot_of(map, key_of(proxy_a, proxy_b))] != 0;
}


int32_t impi_pair_map_find(const ImpiPairMap *map, int32_t proxy_a, int32_t proxy_b) {
  if (map->count == 0) {
    return -1;
  }
  uint64_t key = key_of(proxy_a, proxy_b);
  uint32_t slot = slot_of(map, key);
  return map->keys[slot] == key ? map->values[slot] : -1;
}


void impi_pair_map_free(ImpiHeap *heap, ImpiPairMap *map) {
  size_t slots = (size_t)map->capacity;
  impi_resize(heap, map->keys, map->keys == NULL ? 0 : slots * sizeof *map->keys, 0);
  impi_resize(heap, map->values, map->values == NULL ? 0 : slots * sizeof *map->values, 0);
  memset(map, 0, sizeof *map);
}
