// The lists that a step works on: awake bodies, contacts with an awake body, contacts that make rows.
#include "step/step.h"
#include "world/contacts.h"
#include "world/movers.h"

// Collect the contacts with an awake body and the contacts that were never updated.
static void find_awake_contacts(ImpWorld *world) {
  const ImpiSlot *slots = world->contact_pool.slots.data;
  impi_bits_empty(&world->narrow.awake);
  for (int32_t slot = 0; slot < world->contacts.count; ++slot) {
    const ImpiContact *contact = &world->contacts.data[slot];
    if (slots[slot].next_free == IMPI_SLOT_LIVE && (contact->stamp == 0 || world->bodies.data[contact->body_a].awake ||
                                                    world->bodies.data[contact->body_b].awake)) {
      impi_bits_set(&world->narrow.awake, slot);
    }
  }
  world->narrow.contacts_lost = false;
}


ImpStatus impi_update_lists(ImpWorld *world) {
  if (!world->lists_dirty && !world->narrow.contacts_lost) {
    return IMP_OK;
  }
  ImpiHeap *heap = &world->heap;
  if (!impi_reserve(heap, &world->awake, world->bodies.count) ||
      !impi_bits_reserve(heap, &world->narrow.awake, world->contacts.count)) {
    return impi_fail(IMP_ERR_NOMEM, "out of memory");
  }
  world->awake.count = 0;
  bool born = false;
  const ImpiSlot *slots = world->body_pool.slots.data;
  for (int32_t slot = 0; slot < world->bodies.count; ++slot) {
    const ImpiBody *body = &world->bodies.data[slot];
    int32_t state = slots[slot].next_free; // a body destroyed by a callback of this step still takes part
    if ((state == IMPI_SLOT_LIVE || state == IMPI_SLOT_PENDING_DESTROY) && body->awake && body->enabled) {
      if (body->serial > world->step_bodies) { // a body created by a callback of this step moves from the next step on
        born = true;
        continue;
      }
      world->awake.data[world->awake.count++] = slot;
    }
  }
  find_awake_contacts(world);
  ImpStatus status = impi_update_joint_list(world);
  born = born || (world->last_joint >= 0 && world->joints.data[world->last_joint].serial > world->step_joints);
  world->lists_dirty = status != IMP_OK || born;
  return status;
}


bool impi_contact_acts(const ImpWorld *world, const ImpiContact *contact) {
  if (contact->count == 0 || contact->flags & IMPI_CONTACT_IDLE) {
    return false;
  }
  if (impi_contact_has_sleeper(world, contact)) {
    return false; // the boxes are near, but the bodies will not touch in this step
  }
  const ImpiBody *a = &world->bodies.data[contact->body_a], *b = &world->bodies.data[contact->body_b];
  return (a->mover | b->mover) == 0 || !impi_mover_stands_on(world, contact);
}


// Smallest number of bodies for which another thread saves time.
#define BODY_GRAIN 512


// Set in each awake body whether contacts or joints make rows for the body.
static void list_bodies(void *context, int first, int count, int worker) {
  (void)worker;
  ImpWorld *world = context;
  for (int i = first; i < first + count; ++i) {
    int32_t slot = world->awake.data[i];
    world->bodies.data[slot].constrained =
        world->narrow.lane_contacts.active_counts.data[slot] > 0 || impi_bits_has(&world->joint.held, slot);
  }
}


static bool note_begun(ImpWorld *world, int32_t slot) {
  ImpiUndo *undo = &world->undo;
  if (!impi_reserve(&world->heap, &undo->begun, undo->begun.count + 1)) {
    return false;
  }
  undo->begun.data[undo->begun.count++] = slot;
  return true;
}


// For each contact in `seen`: enter it into the lanes if it acts now; otherwise remove it from the lanes. Returns false
// when out of memory.
static bool enter_lanes(ImpWorld *world) {
  ImpiLaneContacts *lanes = &world->narrow.lane_contacts;
  world->undo.begun.count = 0;
  for (int i = 0; i < world->narrow.seen.count; ++i) {
    for (uint64_t word = world->narrow.seen.data[i]; word != 0;) {
      int32_t slot = 64 * i + impi_bits_pop(&word);
      ImpiContact *contact = &world->contacts.data[slot];
      bool acted = contact->colour != IMPI_UNCOLOURED, now = impi_contact_acts(world, contact);
      world->narrow.active_dirty = world->narrow.active_dirty || acted != now;
      if (!now) {
        impi_contact_now(world, slot);
        impi_lane_contacts_end(lanes, world->contacts.data, slot, world->bodies.data);
      } else if (!impi_lane_contacts_enter(&world->heap, lanes, world->contacts.data, slot, world->bodies.data)) {
        return false;
      }
      if (now && !acted && !note_begun(world, slot)) {
        return false;
      }
    }
  }
  return true;
}


// Update the lanes and the list of acting contacts. False when out of memory.
static bool gather_lanes(ImpWorld *world) {
  ImpiLaneContacts *lanes = &world->narrow.lane_contacts;
  bool entered = enter_lanes(world);
  impi_lane_contacts_entered(lanes, world->contacts.data);
  if (!entered) {
    return false;
  }
  // Remove the contacts that time-of-impact events of the last step added.
  world->narrow.active.count = world->narrow.gathered;
  if (world->narrow.active_dirty) {
    world->narrow.active_dirty = false;
    world->narrow.active.count = 0;
    for (int i = 0; i < lanes->acting.count; ++i) {
      for (uint64_t word = lanes->acting.data[i]; word != 0;) {
        world->narrow.active.data[world->narrow.active.count++] = 64 * i + impi_bits_pop(&word);
      }
    }
  }
  impi_parallel(&world->team, world->awake.count, BODY_GRAIN, list_bodies, world);
  return true;
}


// List the active contacts for a solver without lanes.
static void gather_all(ImpWorld *world) {
  ImpiBody *bodies = world->bodies.data;
  world->narrow.active.count = 0;
  world->narrow.active_dirty = true; // the soft solver must rebuild its list of active contacts
  for (int i = 0; i < world->awake.count; ++i) {
    bodies[world->awake.data[i]].constrained = impi_bits_has(&world->joint.held, world->awake.data[i]);
  }
  for (int i = 0; i < world->narrow.awake.count; ++i) {
    for (uint64_t word = world->narrow.awake.data[i]; word != 0;) {
      int32_t slot = 64 * i + impi_bits_pop(&word);
      const ImpiContact *contact = &world->contacts.data[slot];
      if (impi_contact_acts(world, contact)) {
        world->narrow.active.data[world->narrow.active.count++] = slot;
        bodies[contact->body_a].constrained = bodies[contact->body_b].constrained = true;
      }
    }
  }
}


ImpStatus impi_gather_active(ImpWorld *world) {
  if (world->solver != IMP_SOLVER_SOFT) {
    gather_all(world);
  } else if (!gather_lanes(world)) {
    return impi_fail(IMP_ERR_NOMEM, "out of memory");
  }
  world->narrow.gathered = world->narrow.active.count;
  return IMP_OK;
}
