#include "model/near.h"

#include <string.h>

#define PAGE (64 * sizeof(ImpiNear))


void impi_nears_free(ImpiHeap *heap, ImpiNears *nears) {
  for (int i = 0; i < nears->pages.count; ++i) {
    impi_resize(heap, nears->pages.data[i], PAGE, 0);
  }
  impi_array_free(heap, &nears->pages);
  impi_array_free(heap, &nears->set);
}


bool impi_nears_reserve(ImpiHeap *heap, ImpiNears *nears, int count) {
  int pages = impi_bits_words(count), old = nears->pages.count;
  if (!impi_reserve(heap, &nears->pages, pages)) {
    return false;
  }
  if (pages > old) {
    memset(nears->pages.data + old, 0, (size_t)(pages - old) * sizeof *nears->pages.data);
    nears->pages.count = pages;
  }
  return impi_bits_reserve(heap, &nears->set, count);
}


bool impi_nears_takes(const ImpiContact *contact) {
  const uint32_t wait = IMPI_CONTACT_TOUCHING | IMPI_CONTACT_ASKED | IMPI_CONTACT_DISABLED | IMPI_CONTACT_TURNED;
  return contact->count == 0 && contact->run == 0 &&
         (contact->flags & (wait | IMPI_CONTACT_FRESH)) == IMPI_CONTACT_FRESH;
}


void impi_nears_renew(ImpiNears *nears, int32_t slot, const ImpiContact *contact) {
  if (impi_bits_has(&nears->set, slot)) {
    *impi_nears_at(nears, slot) = (ImpiNear){.reference = contact->reference,
                                             .body_a = contact->body_a,
                                             .body_b = contact->body_b,
                                             .stamp = contact->stamp,
                                             .still_changes = contact->still_changes,
                                             .flags = contact->flags};
  }
}


void impi_nears_add(ImpiHeap *heap, ImpiNears *nears, int32_t slot, const ImpiContact *contact) {
  if (!impi_nears_takes(contact)) {
    return;
  }
  ImpiNear **page = &nears->pages.data[slot >> 6];
  if (*page == NULL && (*page = impi_resize(heap, NULL, 0, PAGE)) == NULL) {
    return;
  }
  impi_bits_set(&nears->set, slot);
  impi_nears_renew(nears, slot, contact);
}
