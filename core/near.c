#include "near.h"


void impi_nears_add(ImpiNears *nears, int32_t slot, const ImpiContact *contact) {
  const uint32_t wait = IMPI_CONTACT_TOUCHING | IMPI_CONTACT_ASKED | IMPI_CONTACT_DISABLED | IMPI_CONTACT_TURNED;
  if (contact->count > 0 || contact->run > 0 || (contact->flags & (wait | IMPI_CONTACT_FRESH)) != IMPI_CONTACT_FRESH) {
    return;
  }
  nears->list.data[slot] = (ImpiNear){.reference = contact->reference,
                                      .body_a = contact->body_a,
                                      .body_b = contact->body_b,
                                      .stamp = contact->stamp,
                                      .still_changes = contact->still_changes,
                                      .flags = contact->flags};
  impi_bits_set(&nears->set, slot);
}
