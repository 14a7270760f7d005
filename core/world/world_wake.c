// Functions that wake a body's sleeping island, and the bodies that touching contacts or joints connect to a body.
#include "world/contacts.h"
#include "world/events.h"
#include "world/sleep.h"


void impi_body_set_awake(ImpWorld *world, int32_t slot, bool awake) {
  ImpiBody *body = &world->bodies.data[slot];
  body->awake = awake;
  body->fast = body->fast && awake;
  body->sleep_time = 0;
  world->lists_dirty = true;
  world->sleep.woken = world->sleep.woken || awake;
  impi_event_body(world, awake ? IMP_EVENT_WAKE : IMP_EVENT_SLEEP, slot, NULL);
}


void impi_world_wake(ImpWorld *world, int32_t slot) {
  ImpiBody *body = &world->bodies.data[slot];
  if (!impi_is_dynamic(body) || !body->enabled) {
    return;
  }
  body->sleep_time = 0;
  body->restless = true;
  if (body->awake) {
    return;
  }
  int32_t member = slot;
  do {
    ImpiBody *m = &world->bodies.data[member];
    int32_t next = m->sleep_next;
    m->sleep_next = member;
    impi_body_set_awake(world, member, true);
    member = next;
  } while (member != slot);
}


// Wake body_b of contact edge / 2 if `edge` is even, body_a if `edge` is odd, but only if the two bodies touch.
static void wake_across(ImpWorld *world, int32_t edge) {
  const ImpiContact *contact = &world->contacts.data[edge >> 1];
  if (contact->flags & IMPI_CONTACT_TOUCHING && !(contact->flags & IMPI_CONTACT_SENSOR)) {
    impi_world_wake(world, edge & 1 ? contact->body_a : contact->body_b);
  }
}


void impi_shape_wake(ImpWorld *world, int32_t shape) {
  impi_world_wake(world, world->shapes.data[shape].body);
  for (int32_t edge = world->shapes.data[shape].first_edge; edge >= 0; edge = impi_next_of_shape(world, edge)) {
    wake_across(world, edge);
  }
}


void impi_joint_wake(ImpWorld *world, int32_t slot) {
  const ImpiJoint *joint = &world->joints.data[slot];
  for (int i = 0; i < impi_joint_body_count(joint); ++i) {
    impi_world_wake(world, impi_joint_body(joint, i));
  }
}


void impi_world_wake_neighbours(ImpWorld *world, int32_t slot) {
  for (int32_t edge = world->bodies.data[slot].first_edge; edge >= 0;) {
    int32_t at = edge;
    edge = world->contacts.data[edge >> 1].edge[edge & 1].next;
    wake_across(world, at);
  }
  for (int32_t e = world->bodies.data[slot].first_joint; e >= 0; e = world->joint_edges.data[e].next) {
    impi_joint_wake(world, world->joint_edges.data[e].joint);
  }
}
