// Objects by name: a hash table, built at the first search. A search finds the oldest object.
#ifndef IMPI_NAMES_H
#define IMPI_NAMES_H

#include "base/pool.h"

// A chain contains the objects whose hashes agree in the bits of the chain's index.
typedef struct ImpiNameChain {
  int32_t first, last; // slots, -1: none
} ImpiNameChain;

typedef struct ImpiNameEntry {
  const char *name;       // the object's own string; null: the slot is in no chain
  uint64_t hash, serial;  // hash of the name; creation number of the object
  int32_t previous, next; // neighbours in the chain, -1 at the ends
} ImpiNameEntry;

// If all members are zero, the table has not been built.
typedef struct ImpiNames {
  IMPI_ARRAY(ImpiNameChain) chains;  // count: 0 or a power of two; 0: the table has not been built
  IMPI_ARRAY(ImpiNameEntry) entries; // entries by slot of the object
  int32_t named;                     // number of entries in chains
} ImpiNames;

// Build an empty table with room for objects in slots below `slots`; false when out of memory.
bool impi_names_make(ImpiHeap *heap, ImpiNames *names, int slots);
// Discard the table; impi_names_make builds it again.
void impi_names_forget(ImpiNames *names);
void impi_names_free(ImpiHeap *heap, ImpiNames *names);

// Add a name, unless it is null or the table is not built. Without memory discard the table.
void impi_names_add(ImpiHeap *heap, ImpiNames *names, int32_t slot, uint64_t serial, const char *name);
// Remove an object's name, before the string is freed.
void impi_names_remove(ImpiNames *names, int32_t slot);

// Replace an object's name, also in `names` (maybe null). Without memory nothing changes.
ImpStatus impi_rename(ImpiHeap *heap, ImpiNames *names, int32_t slot, uint64_t serial, char **text, const char *name);

// Return the slot of the oldest live object with the name, or -1. Removes names of objects that are pending destroy.
int32_t impi_names_find(ImpiNames *names, const ImpiPool *pool, const char *name);

#endif
