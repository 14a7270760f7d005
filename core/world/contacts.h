// Contacts of a world: creation, changes, reading and removal.
#ifndef IMPI_CONTACTS_H
#define IMPI_CONTACTS_H

#include "world/world.h"


// Return the edge after `edge` in the body's edge list if both edges are of the same shape; otherwise -1.
static inline int32_t impi_next_of_shape(const ImpWorld *world, int32_t edge) {
  const ImpiContact *contact = &world->contacts.data[edge >> 1];
  int32_t next = contact->edge[edge & 1].next;
  if (next < 0) {
    return -1;
  }
  const ImpiContact *other = &world->contacts.data[next >> 1];
  return (next & 1 ? other->shape_b : other->shape_a) == (edge & 1 ? contact->shape_b : contact->shape_a) ? next : -1;
}

// Read the results of a contact back from the solver lanes, and return the contact.
static inline const ImpiContact *impi_contact_now(const ImpWorld *world, int32_t slot) {
  ImpiContact *contact = &world->contacts.data[slot];
  if (contact->run > 0) {
    impi_lane_contacts_read(&world->narrow.lane_contacts, contact, world->motions.data);
  }
  return contact;
}
// Prepare a contact for a change: remove it from the lanes and the separated-contact cache. Returns the contact.
ImpiContact *impi_contact_change(ImpWorld *world, int32_t slot);
// Mark a contact for a recheck, even if its bodies sleep, and take it out of the lanes.
ImpiContact *impi_contact_look_again(ImpWorld *world, int32_t slot);
// Clear IMPI_CONTACT_FRESH of all contacts of a body, so that their manifolds are recomputed.
void impi_contacts_expire(ImpWorld *world, int32_t body);
// End the rows of a contact whose body falls asleep: it leaves the lanes and loses its colour.
void impi_contact_end(ImpWorld *world, int32_t slot);
// Read all contacts back from the lanes and the separated-contact cache, for code that reads ImpWorld.contacts
// directly.
void impi_contacts_now(const ImpWorld *world);
// Reserve memory for one more contact.
ImpStatus impi_world_reserve_contact(ImpWorld *world);
// Create a contact in reserved memory. Returns its slot.
int32_t impi_world_add_contact(ImpWorld *world, int32_t proxy_a, int32_t proxy_b);
// impi_world_add_contact in three parts. Take and link must run in the order of the contacts; only impi_contact_fill
// may run on several threads.
int32_t impi_contact_take(ImpWorld *world, int32_t proxy_a, int32_t proxy_b);
void impi_contact_fill(ImpWorld *world, int32_t slot, int32_t proxy_a, int32_t proxy_b);
void impi_contact_link(ImpWorld *world, int32_t slot);
// Remove a contact. If the contact touched, report its end and wake both bodies.
void impi_world_remove_contact(ImpWorld *world, int32_t contact);
// Set whether a contact touches. Reports begin or end unless another contact of the same two shapes touches.
void impi_world_set_touching(ImpWorld *world, int32_t contact, bool touching, double speed);
// Return whether two shapes touch by any contact other than `but` (may be null).
bool impi_pieces_touch(const ImpWorld *world, int32_t shape_a, int32_t shape_b, const ImpiContact *but);
// Link contacts read from a snapshot, as impi_contact_link does for new contacts.
void impi_contacts_relink(ImpWorld *world);

// Remove all contacts of a body and report their ends.
void impi_body_drop_contacts(ImpWorld *world, int32_t body);

// Return whether a body of the contact is dynamic and asleep.
static inline bool impi_contact_has_sleeper(const ImpWorld *world, const ImpiContact *contact) {
  const ImpiBody *a = &world->bodies.data[contact->body_a], *b = &world->bodies.data[contact->body_b];
  return (impi_is_dynamic(a) && !a->awake) || (impi_is_dynamic(b) && !b->awake);
}

#endif
