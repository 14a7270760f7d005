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
} ImpiNear;

typedef struct ImpiNears {
  IMPI_ARRAY(ImpiNear) list; // by contact: valid where it is in the set
  ImpiBits set;
} ImpiNears;

// Room for `count` contacts; false when out of memory.
static inline bool impi_nears_reserve(ImpiHeap *heap, ImpiNears *nears, int count) {
  return impi_reserve(heap, &nears->list, count) && impi_bits_reserve(heap, &nears->set, count);
}

// Put a contact in that was looked at just now, if nothing but motion can change what was found.
void impi_nears_add(ImpiNears *nears, int32_t slot, const ImpiContact *contact);

// The contact as it is: one that is going to be changed is no longer in the set.
static inline void impi_nears_write_back(const ImpiNears *nears, int32_t slot, ImpiContact *contact) {
  if (impi_bits_has(&nears->set, slot)) {
    contact->stamp = nears->list.data[slot].stamp;
  }
}
static inline void impi_nears_drop(ImpiNears *nears, int32_t slot, ImpiContact *contact) {
  impi_nears_write_back(nears, slot, contact);
  impi_bits_clear(&nears->set, slot);
}

#endif
