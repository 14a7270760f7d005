// The separated-contact cache: data for checking that two surfaces are still apart, one cache line per contact.
#ifndef IMPI_SEPARATED_CACHE_H
#define IMPI_SEPARATED_CACHE_H

#include "base/bits.h"
#include "model/contact.h"

// Copy of the data of a contact without points.
typedef struct ImpiSeparated {
  ImpiContactReference reference;
  int32_t body_a, body_b;
  // number of the step that last updated the contact; ImpiContact.stamp is older until impi_separated_write_back
  uint32_t stamp;
  uint32_t still_changes;
  uint32_t flags;
} ImpiSeparated;

typedef struct ImpiSeparatedCache {
  // Pages of 64 entries: contact i is in page i / 64; null: not allocated. `set`: contacts with a valid entry.
  IMPI_ARRAY(ImpiSeparated *) pages;
  ImpiBits set;
} ImpiSeparatedCache;

void impi_separated_free(ImpiHeap *heap, ImpiSeparatedCache *separated);

// Reserve memory for the table of pages of `count` contacts, and for the set; return false if out of memory.
bool impi_separated_reserve(ImpiHeap *heap, ImpiSeparatedCache *separated, int count);

// Return whether only motion can change the state of a contact.
bool impi_separated_accepts(const ImpiContact *contact);

// Add a contact that was just updated, if impi_separated_accepts it. If there is no memory for a page, the contact is
// not cached.
void impi_separated_add(ImpiHeap *heap, ImpiSeparatedCache *separated, int32_t slot, const ImpiContact *contact);

// Update the entry of a contact that is in `set`. Do nothing for a contact that is not in `set`.
void impi_separated_update(ImpiSeparatedCache *separated, int32_t slot, const ImpiContact *contact);

// Return the entry of a contact that is in `set`.
static inline ImpiSeparated *impi_separated_at(const ImpiSeparatedCache *separated, int32_t slot) {
  return &separated->pages.data[slot >> 6][slot & 63];
}

// Copy the stamp of the contact's entry to the contact. Do nothing for a contact without an entry.
static inline void impi_separated_write_back(const ImpiSeparatedCache *separated, int32_t slot, ImpiContact *contact) {
  if (impi_bits_has(&separated->set, slot)) {
    contact->stamp = impi_separated_at(separated, slot)->stamp;
  }
}
// Write back the stamp, then remove the contact's entry. Must be called before any change of the contact.
static inline void impi_separated_drop(ImpiSeparatedCache *separated, int32_t slot, ImpiContact *contact) {
  impi_separated_write_back(separated, slot, contact);
  impi_bits_clear(&separated->set, slot);
}

#endif
