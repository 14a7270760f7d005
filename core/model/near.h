// Contacts whose surfaces are apart: what it takes to see that they still are, in a cache line of its own. Where
// much comes and goes most contacts are such.
#ifndef IMPI_NEAR_H
#define IMPI_NEAR_H

#include "base/bits.h"
#include "model/contact.h"

// Copied from a contact without points.
typedef struct ImpiNear {
  ImpiContactReference reference;
  int32_t body_a, body_b;
  uint32_t stamp; // the contact's, until that is needed
  uint32_t still_changes;
  uint32_t flags;
} ImpiNear;

typedef struct ImpiNears {
  IMPI_ARRAY(ImpiNear *) pages; // of 64, by contact / 64: valid where they are in the set; null: none ever was
  ImpiBits set;
} ImpiNears;

void impi_nears_free(ImpiHeap *heap, ImpiNears *nears);

// Room for the pages of `count` contacts, and for their set; false when out of memory.
bool impi_nears_reserve(ImpiHeap *heap, ImpiNears *nears, int count);

// Whether nothing but motion can change what was found of a contact.
bool impi_nears_takes(const ImpiContact *contact);

// Put a contact in that was looked at just now, if nothing but motion can change what was found. Where there is no room
// for it, it is looked at again in the next step, and nothing changes but the time that takes.
void impi_nears_add(ImpiHeap *heap, ImpiNears *nears, int32_t slot, const ImpiContact *contact);

// The same of one that is in the set already: nothing else is written. Of others nothing happens.
void impi_nears_renew(ImpiNears *nears, int32_t slot, const ImpiContact *contact);

// Of one that is in the set.
static inline ImpiNear *impi_nears_at(const ImpiNears *nears, int32_t slot) {
  return &nears->pages.data[slot >> 6][slot & 63];
}

// The contact as it is: one that is going to be changed is no longer in the set.
static inline void impi_nears_write_back(const ImpiNears *nears, int32_t slot, ImpiContact *contact) {
  if (impi_bits_has(&nears->set, slot)) {
    contact->stamp = impi_nears_at(nears, slot)->stamp;
  }
}
static inline void impi_nears_drop(ImpiNears *nears, int32_t slot, ImpiContact *contact) {
  impi_nears_write_back(nears, slot, contact);
  impi_bits_clear(&nears->set, slot);
}

#endif
