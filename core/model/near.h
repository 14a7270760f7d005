// The separated-contact cache: the data for checking that two surfaces are still apart, one cache line per contact. In
// scenes with much motion most contacts are separated.
#ifndef IMPI_NEAR_H
#define IMPI_NEAR_H

#include "base/bits.h"
#include "model/contact.h"

// Copy of the data of a contact without points.
typedef struct ImpiNear {
  ImpiContactReference reference;
  int32_t body_a, body_b;
  uint32_t stamp; // newer than the contact's own stamp until impi_nears_write_back
  uint32_t still_changes;
  uint32_t flags;
} ImpiNear;

typedef struct ImpiNears {
  IMPI_ARRAY(ImpiNear *) pages; // 64 entries each, by contact / 64, valid if in the set; null: never allocated
  ImpiBits set;
} ImpiNears;

void impi_nears_free(ImpiHeap *heap, ImpiNears *nears);

// Reserve memory for the table of pages for `count` contacts, and for the set; return false if out of memory.
bool impi_nears_reserve(ImpiHeap *heap, ImpiNears *nears, int count);

// Return whether only motion can change the state of a contact, so that it may be cached.
bool impi_nears_takes(const ImpiContact *contact);

// Add a contact that was just updated, if impi_nears_takes it. Without memory for its page it is not cached and
// is checked in full in the next step, with the same result.
void impi_nears_add(ImpiHeap *heap, ImpiNears *nears, int32_t slot, const ImpiContact *contact);

// Update the entry of a contact that is in the set, and write nothing else. Do nothing for other contacts.
void impi_nears_renew(ImpiNears *nears, int32_t slot, const ImpiContact *contact);

// Return the entry of a contact that is in the set.
static inline ImpiNear *impi_nears_at(const ImpiNears *nears, int32_t slot) {
  return &nears->pages.data[slot >> 6][slot & 63];
}

// Write the stamp of an entry back to its contact. impi_nears_drop also removes the entry; it must be called before the
// contact is changed.
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
