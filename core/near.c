#include "near.h"


void impi_nears_add(ImpiNears *nears, int32_t slot, const ImpiContact *contact) {
  const uint32_t wait = IMPI_CONTACT_TOUCHING | IMPI_CONTACT_ASKED | IMPI_CONTACT_DISABLED | IMPI_CONTACT_TURNED;
  if (contact->count > 0 || contact->run > 0 || (contact->flags & (wait | IMPI_CONTACT_FRESH)) != IMPI_CONTACT_FRESH) {
    return;
  }
  nears->list.data[slot] = (ImpiNear){.p = contact->reference.p,
                                      .extent_b = contact->reference.extent_b,
                                      .clearance = contact->reference.clearance,
                                      .c = contact->reference.c,
                                      .s = contact->reference.s,
                                      .body_a = contact->body_a,
                                      .body_b = contact->body_b,
                                      .stamp = contact->stamp,
                                      .still_changes = contact->still_changes,
                                      .flags = contact->flags};
  impi_bits_set(&nears->set, slot);
}


bool impi_near_is_off(const ImpiNear *near, const ImpiMotion *motions) {
  const ImpiMotion *a = &motions[near->body_a], *b = &motions[near->body_b];
  bool round_a = near->flags & IMPI_CONTACT_ROUND_A, round_b = near->flags & IMPI_CONTACT_ROUND_B;
  ImpRot qa = round_a ? (ImpRot){1, 0} : (ImpRot){a->c, a->s};
  ImpVec2 p = impi_inv_rotate(qa, impi_vec(b->x - a->x, b->y - a->y));
  double moved = fabs(p.x - near->p.x) + fabs(p.y - near->p.y), chord = 0;
  if (!round_b) {
    ImpRot q = impi_inv_mul_rot(qa, (ImpRot){b->c, b->s});
    chord = fabs(q.c - (double)near->c) + fabs(q.s - (double)near->s);
  }
  return moved + chord * near->extent_b < near->clearance;
}
