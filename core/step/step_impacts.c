// Sum the work of contacts, and report the events begin_contact and hit, after all bodies have their final poses.
#include "step/step.h"
#include "world/contacts.h"
#include "world/events.h"

// Report a begin event and a hit event of a contact that had a normal impulse.
static void report_impact(ImpWorld *world, int32_t slot) {
  const ImpiContact *contact = impi_contact_now(world, slot);
  double impulse = 0, approach = 0;
  for (int k = 0; k < contact->count; ++k) {
    impulse += contact->points[k].total_n;
    if (contact->points[k].total_n > 0) {
      approach = impi_max(approach, contact->points[k].approach);
    }
  }
  if (impulse <= 0) {
    return;
  }
  if (!(contact->flags & IMPI_CONTACT_TOUCHING)) {
    impi_world_set_touching(world, slot, true, approach);
    if (contact->run > 0) { // the lanes need the flag in the next step
      impi_contact_change(world, slot);
    }
  }
  if (approach > (isnan(contact->hit_speed) ? world->hit_speed : contact->hit_speed)) {
    impi_event_contact(world, IMP_EVENT_HIT, contact, approach, impulse);
  }
}


// Add the work of a contact in this step to the contact's sums. Returns this work [J].
static double account(ImpiContact *contact) {
  double work = contact->step_r;
  contact->work_r += contact->step_r;
  for (int k = 0; k < contact->count; ++k) {
    ImpiContactPoint *point = &contact->points[k];
    point->work_n += point->step_n;
    point->work_t += point->step_t;
    work += point->step_n + point->step_t;
  }
  return work;
}


// Sum the work of contacts, and report IMP_EVENT_BEGIN_CONTACT and IMP_EVENT_HIT. A contact in lanes is examined only
// if ImpiLaneContacts.looked contains it.
void impi_report_impacts(ImpWorld *world) {
  ImpiLaneContacts *lanes = &world->narrow.lane_contacts;
  impi_bits_empty(&world->narrow.needs_recheck);
  for (int i = 0; i < lanes->looked.count; ++i) {
    impi_bits_set(&world->narrow.needs_recheck, lanes->looked.data[i]);
  }
  lanes->looked.count = 0;
  for (int i = 0; i < world->narrow.active.count; ++i) {
    int32_t slot = world->narrow.active.data[i];
    ImpiContact *contact = &world->contacts.data[slot];
    if (impi_bits_has(&lanes->inside, slot)) {
      world->work_contacts += lanes->work.data[slot];
      // The slot of a contact that a fault removed is not live.
    } else if (world->contact_pool.slots.data[slot].next_free == IMPI_SLOT_LIVE) {
      world->work_contacts += account(contact);
      impi_bits_set(&world->narrow.needs_recheck, slot);
    }
  }
  lanes->accounted = true;
  lanes->epoch++;
  for (int i = 0; i < world->narrow.needs_recheck.count; ++i) {
    for (uint64_t word = world->narrow.needs_recheck.data[i]; word != 0;) {
      int32_t slot = 64 * i + impi_bits_pop(&word);
      if (world->contact_pool.slots.data[slot].next_free == IMPI_SLOT_LIVE) {
        report_impact(world, slot);
      }
    }
  }
}
