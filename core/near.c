#include "near.h"


void impi_nears_free(ImpiHeap *heap, ImpiNears *nears) {
  impi_array_free(heap, &nears->list);
  impi_array_free(heap, &nears->places);
  impi_array_free(heap, &nears->set);
}


void impi_nears_empty(ImpiNears *nears) {
  impi_bits_empty(&nears->set);
  nears->list.count = 0;
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
                                             .flags = contact->flags,
                                             .contact = slot};
  }
}


void impi_nears_add(ImpiHeap *heap, ImpiNears *nears, int32_t slot, const ImpiContact *contact) {
  if (impi_nears_takes(contact) && impi_reserve(heap, &nears->list, nears->list.count + 1)) {
    nears->places.data[slot] = nears->list.count++;
    impi_bits_set(&nears->set, slot);
    impi_nears_renew(nears, slot, contact);
  }
}


void impi_nears_remove(ImpiNears *nears, int32_t slot) {
  if (!impi_bits_has(&nears->set, slot)) {
    return;
  }
  impi_bits_clear(&nears->set, slot);
  const ImpiNear *last = &nears->list.data[--nears->list.count];
  *impi_nears_at(nears, slot) = *last;
  nears->places.data[last->contact] = nears->places.data[slot];
}
