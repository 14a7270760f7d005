#include "model/separated_cache.h"

#include <string.h>

#define PAGE (64 * sizeof(ImpiSeparated))


void impi_separated_free(ImpiHeap *heap, ImpiSeparatedCache *separated) {
  for (int i = 0; i < separated->pages.count; ++i) {
    impi_resize(heap, separated->pages.data[i], PAGE, 0);
  }
  impi_array_free(heap, &separated->pages);
  impi_array_free(heap, &separated->set);
}


bool impi_separated_reserve(ImpiHeap *heap, ImpiSeparatedCache *separated, int count) {
  int pages = impi_bits_words(count), old = separated->pages.count;
  if (!impi_reserve(heap, &separated->pages, pages)) {
    return false;
  }
  if (pages > old) {
    memset(separated->pages.data + old, 0, (size_t)(pages - old) * sizeof *separated->pages.data);
    separated->pages.count = pages;
  }
  return impi_bits_reserve(heap, &separated->set, count);
}


bool impi_separated_accepts(const ImpiContact *contact) {
  const uint32_t wait = IMPI_CONTACT_TOUCHING | IMPI_CONTACT_PRE_SOLVED | IMPI_CONTACT_DISABLED | IMPI_CONTACT_TURNED;
  return contact->count == 0 && contact->run == 0 &&
         (contact->flags & (wait | IMPI_CONTACT_FRESH)) == IMPI_CONTACT_FRESH;
}


void impi_separated_update(ImpiSeparatedCache *separated, int32_t slot, const ImpiContact *contact) {
  if (impi_bits_has(&separated->set, slot)) {
    *impi_separated_at(separated, slot) = (ImpiSeparated){.reference = contact->reference,
                                                          .body_a = contact->body_a,
                                                          .body_b = contact->body_b,
                                                          .stamp = contact->stamp,
                                                          .still_changes = contact->still_changes,
                                                          .flags = contact->flags};
  }
}


void impi_separated_add(ImpiHeap *heap, ImpiSeparatedCache *separated, int32_t slot, const ImpiContact *contact) {
  if (!impi_separated_accepts(contact)) {
    return;
  }
  ImpiSeparated **page = &separated->pages.data[slot >> 6];
  if (*page == NULL && (*page = impi_resize(heap, NULL, 0, PAGE)) == NULL) {
    return;
  }
  impi_bits_set(&separated->set, slot);
  impi_separated_update(separated, slot, contact);
}
