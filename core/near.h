// Level 3. Contacts whose surfaces are apart: what it takes to see that they still are, in a cache line of its own. Where
// much comes and goes most contacts are such.
#ifndef IMPI_NEAR_H
#define IMPI_NEAR_H

#include "bits.h"
#include "contact.h"

// Copied from a contact without points.
typedef struct ImpiNear {
  ImpiContactReference reference;
  int32_t body_a, body_b;
  uint32_t stamp; // the contact's, until that is needed
  uint32_t still_changes;
  uint32_t flags;
  int32_t contact; // its slot
} ImpiNear;

typedef struct ImpiNears {
  IMPI_ARRAY(ImpiNear) list;  // side by side, in no order that matters
  IMPI_ARRAY(int32_t) places; // in the list, by contact: valid where it is in the set
  ImpiBits set;
} ImpiNears;

void impi_nears_free(ImpiHeap *heap, ImpiNears *nears);
void impi_nears_empty(ImpiNears *nears);

// Room for the places of `count` contacts; false when out of memory.
static inline bool impi_nears_reserve(ImpiHeap *heap, ImpiNears *nears, int count) {
  return impi_reserve(heap, &nears->places, count) && impi_bits_reserve(heap, &nears->set, count);
}

// Whether nothing but motion can change what was found of a contact.
bool impi_nears_takes(const ImpiContact *contact);

// Put a contact in that was looked at just now, if nothing but motion can change what was found. Where there is no room
// for it, it is looked at again in the next step, and nothing changes but the time that takes.
void impi_nears_add(ImpiHeap *heap, ImpiNears *nears, int32_t slot, const ImpiContact *contact);

// The same of one that is in the set already: nothing else is written. Of others nothing happens.
void impi_nears_renew(ImpiNears *nears, int32_t slot, const ImpiContact *contact);

// Of one that is in the set.
static inline ImpiNear *impi_nears_at(const ImpiNears *nears, int32_t slot) {
  return &nears->list.data[nears->places.data[slot]];
}

// The contact as it is: one that is going to be changed is no longer in the set.
static inline void impi_nears_write_back(const ImpiNears *nears, int32_t slot, ImpiContact *contact) {
  if (impi_bits_has(&nears->set, slot)) {
    contact->stamp = impi_nears_at(nears, slot)->stamp;
  }
}
void impi_nears_remove(ImpiNears *nears, int32_t slot); // one that is not there is ignored
static inline void impi_nears_drop(ImpiNears *nears, int32_t slot, ImpiContact *contact) {
  impi_nears_write_back(nears, slot, contact);
  impi_nears_remove(nears, slot);
}

#endif
