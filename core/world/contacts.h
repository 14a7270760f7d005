// Contacts of a world: making, changing, reading and removing them.
#ifndef IMPI_CONTACTS_H
#define IMPI_CONTACTS_H

#include "world/world.h"


// The next contact of the same shape in the list of an edge's body, see ImpiShape.first_edge; -1: none.
static inline int32_t impi_next_of_shape(const ImpWorld *world, int32_t edge) {
  const ImpiContact *contact = &world->contacts.data[edge >> 1];
  int32_t next = contact->edge[edge & 1].next;
  if (next < 0) {
    return -1;
  }
  const ImpiContact *other = &world->contacts.data[next >> 1];
  return (next & 1 ? other->shape_b : other->shape_a) == (edge & 1 ? contact->shape_b : contact->shape_a) ? next : -1;
}

// A contact as it is now: what the lanes have made of it is read first.
static inline const ImpiContact *impi_contact_now(const ImpWorld *world, int32_t slot) {
  ImpiContact *contact = &world->contacts.data[slot];
  if (contact->run > 0) {
    impi_lane_contacts_read(&world->narrow.lane_contacts, contact, world->motions.data);
  }
  return contact;
}
// A contact that is going to be changed: out of the lanes until the next step.
ImpiContact *impi_contact_change(ImpWorld *world, int32_t slot);
// Look at it once more in the next step, asleep or not. Returns it, as impi_contact_change does.
ImpiContact *impi_contact_look_again(ImpWorld *world, int32_t slot);
// Clear IMPI_CONTACT_FRESH of all contacts of a body, after a change of its pieces or joints: the next narrow phase computes
// their manifolds. A second call before that costs O(1).
void impi_contacts_expire(ImpWorld *world, int32_t body);
// It acts no longer: one of its bodies sleeps.
void impi_contact_end(ImpWorld *world, int32_t slot);
// Bring all contacts up to date, for whoever reads them without asking.
void impi_contacts_now(const ImpWorld *world);
// Room for one more contact.
ImpStatus impi_world_reserve_contact(ImpWorld *world);
// Make a contact for a pair of proxies; room must have been reserved. Returns its slot.
int32_t impi_world_add_contact(ImpWorld *world, int32_t proxy_a, int32_t proxy_b);
// The same in three parts, for many at once: the first and the last in order, the second side by side.
int32_t impi_contact_take(ImpWorld *world, int32_t proxy_a, int32_t proxy_b);
void impi_contact_fill(ImpWorld *world, int32_t slot, int32_t proxy_a, int32_t proxy_b);
void impi_contact_link(ImpWorld *world, int32_t slot);
// Remove a contact; if it touched, its end is reported and sleeping bodies on both sides wake.
void impi_world_remove_contact(ImpWorld *world, int32_t contact);
// Tell begin (or end) unless another piece of the same two shapes touches already (still).
void impi_world_set_touching(ImpWorld *world, int32_t contact, bool touching, double speed);
// Whether pieces of two shapes touch, one contact (or null) left out. The contacts of both are walked side by side: the one
// has few where the other, a terrain, has thousands.
bool impi_pieces_touch(const ImpWorld *world, int32_t shape_a, int32_t shape_b, const ImpiContact *but);
// Contacts were read: put those of each shape side by side in the lists of their bodies, as they are if they come from here.
void impi_contacts_relink(ImpWorld *world);

// Drop the body's contacts (ends are reported).
void impi_body_drop_contacts(ImpWorld *world, int32_t body);

// Whether one of its bodies could move and sleeps.
static inline bool impi_contact_has_sleeper(const ImpWorld *world, const ImpiContact *contact) {
  const ImpiBody *a = &world->bodies.data[contact->body_a], *b = &world->bodies.data[contact->body_b];
  return (impi_is_dynamic(a) && !a->awake) || (impi_is_dynamic(b) && !b->awake);
}

#endif
