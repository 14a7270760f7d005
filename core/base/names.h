// Objects by their names: a hash table whose chains keep the order in which the objects were made, so that of
// several with one name the first is found. Made when a name is first looked for and kept from then on.
#ifndef IMPI_NAMES_H
#define IMPI_NAMES_H

#include "base/pool.h"

// The names of a chain are of the objects whose hashes agree in the bits of the chain's number.
typedef struct ImpiNameChain {
  int32_t first, last; // slots, -1: none
} ImpiNameChain;

typedef struct ImpiNameEntry {
  const char *name;       // the object's own; null: the slot is in no chain
  uint64_t hash, serial;  // of the name; of the object
  int32_t previous, next; // in its chain, -1 at the ends
} ImpiNameEntry;

// All zero is a table that is not made.
typedef struct ImpiNames {
  IMPI_ARRAY(ImpiNameChain) chains;  // count: 0 or a power of two; 0: the table is not made
  IMPI_ARRAY(ImpiNameEntry) entries; // by slot of the object
  int32_t named;                     // entries in chains
} ImpiNames;

// Make an empty table with room for the objects with slots below `slots`; false when out of memory.
bool impi_names_make(ImpiHeap *heap, ImpiNames *names, int slots);
// The table is wrong from now on, until it is made again.
void impi_names_forget(ImpiNames *names);
void impi_names_free(ImpiHeap *heap, ImpiNames *names);

// Add the name of an object. Out of memory, the table is forgotten. No-op before the table is made, and for a null name.
void impi_names_add(ImpiHeap *heap, ImpiNames *names, int32_t slot, uint64_t serial, const char *name);
// Remove the name of an object, while the text is still valid. No-op where the table does not have it.
void impi_names_remove(ImpiNames *names, int32_t slot);

// Replace the name of an object, in the table too unless that is null. Out of memory, the name stays.
ImpStatus impi_rename(ImpiHeap *heap, ImpiNames *names, int32_t slot, uint64_t serial, char **text, const char *name);

// Slot of the first live object with the name, -1: none. Also removes the names that it meets of objects whose
// destruction is pending.
int32_t impi_names_find(ImpiNames *names, const ImpiPool *pool, const char *name);

#endif
