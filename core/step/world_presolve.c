// The pre_solve callback. Changes by the callback are valid for one step: the flags PRE_SOLVED, DISABLED and ALTERED of
// a contact are kept until its next update.
#include "step/step.h"
#include "world/calls.h"
#include "world/checks.h"
#include "world/pairs.h"
#include "world/touching.h"


void impi_pre_solve_reset(ImpWorld *world, int32_t slot) {
  ImpiContact *contact = &world->contacts.data[slot];
  if (contact->flags & IMPI_CONTACT_ALTERED) {
    impi_world_mix(world, slot);
  }
  contact->flags &= ~(uint32_t)(IMPI_CONTACT_PRE_SOLVED | IMPI_CONTACT_DISABLED);
}


void impi_pre_solve(ImpWorld *world) {
  int32_t *slots = world->narrow.pre_solve_contacts.data;
  int count = world->narrow.pre_solve_contacts.count;
  impi_world_sort_contacts(world, slots, count);
  for (int i = 0; i < count; ++i) {
    // The pointer stays valid in the callback, because contacts are created and destroyed only between stages.
    ImpiContact *contact = &world->contacts.data[slots[i]];
    const ImpiMotion *a = &world->motions.data[contact->body_a], *b = &world->motions.data[contact->body_b];
    for (int k = 0; k < contact->count; ++k) {
      contact->points[k].approach = impi_contact_approach(contact, &contact->points[k], a, b);
    }
    contact->flags |= IMPI_CONTACT_PRE_SOLVED;
    world->narrow.solving = slots[i];
    if (world->callback.pre_solve != NULL) { // the callback may have removed itself
      world->callback.pre_solve(world, impi_contact_handle(world, slots[i]), world->callback.pre_solve_user);
    }
    world->narrow.solving = -1;
  }
  for (int i = 0; i < count; ++i) {
    ImpiContact *contact = &world->contacts.data[slots[i]];
    if (!(contact->flags & IMPI_CONTACT_DISABLED)) {
      impi_wake_sleeper(world, contact);
      continue;
    }
    for (int k = 0; k < contact->count; ++k) { // a contact without rows gets no warm start when it acts again
      contact->points[k].lambda_n = contact->points[k].lambda_t = 0;
    }
    contact->lambda_r = 0;
  }
  world->narrow.pre_solve_contacts.count = 0;
}


ImpStatus impi_contact_set(ImpWorld *world, ImpContact handle, ImpContactProperty property, double value) {
  int32_t slot = impi_pool_find(&world->contact_pool, handle.id, world->tag);
  if (slot < 0) {
    return impi_pool_fail(handle.id, world->tag, "contact");
  }
  const ImpPropertyInfo *info = imp_contact_property((int)property);
  ImpStatus status = impi_check_property(info, value, "contact");
  if (status != IMP_OK) {
    return status;
  }
  if (slot != world->narrow.solving) {
    return impi_fail(IMP_ERR_STATE, "contact.%s can be set only inside a pre_solve handler of this contact",
                     info->name);
  }
  ImpiContact *contact = &world->contacts.data[slot];
  double *const numbers[IMP_CONTACT_PROPERTY_COUNT] = {
      [IMP_CONTACT_FRICTION] = &contact->friction,
      [IMP_CONTACT_RESTITUTION] = &contact->restitution,
      [IMP_CONTACT_ROLLING_RESISTANCE] = &contact->rolling,
      [IMP_CONTACT_SURFACE_SPEED] = &contact->surface_speed,
  };
  if (numbers[property] != NULL) {
    *numbers[property] = value;
    contact->flags |= IMPI_CONTACT_ALTERED;
  } else if (value != 0) {
    contact->flags &= ~(uint32_t)IMPI_CONTACT_DISABLED;
  } else {
    contact->flags |= IMPI_CONTACT_DISABLED;
  }
  return IMP_OK;
}
