// The ledger of energy over a step and over many: what the solver entered, what springs store, and what happened
// between steps.
#include <string.h>

#include "world.h"


const char *imp_energy_cause_name(int cause) {
  static const char *const names[IMP_ENERGY_COUNT] = {
      [IMP_ENERGY_APPLIED] = "applied",
      [IMP_ENERGY_DAMPING] = "damping",
      [IMP_ENERGY_INTEGRATION] = "integration",
      [IMP_ENERGY_LOCK] = "lock",
      [IMP_ENERGY_LIMIT] = "limit",
      [IMP_ENERGY_MOTOR] = "motor",
      [IMP_ENERGY_SPRING] = "spring",
      [IMP_ENERGY_USER] = "user",
      [IMP_ENERGY_CONTACT] = "contact",
      [IMP_ENERGY_RESTITUTION] = "restitution",
      [IMP_ENERGY_FRICTION] = "friction",
      [IMP_ENERGY_KINEMATIC] = "kinematic",
      [IMP_ENERGY_BIAS] = "bias",
      [IMP_ENERGY_PROJECTION] = "projection",
      [IMP_ENERGY_STIFFNESS] = "stiffness",
      [IMP_ENERGY_OUTSIDE] = "outside",
  };
  return cause >= 0 && cause < IMP_ENERGY_COUNT ? names[cause] : NULL;
}


static double total_energy(const ImpWorld *world) {
  ImpEnergy energy = imp_world_energy(world);
  return energy.kinetic + energy.potential;
}


static double stored_in_springs(ImpWorld *world) {
  double sum = 0;
  for (int32_t slot = world->first_joint; slot >= 0; slot = world->joints.data[slot].next) {
    sum += impi_joint_energy(world, slot);
  }
  return sum;
}


void impi_audit_start(ImpWorld *world) {
  memset(&world->audit, 0, sizeof world->audit);
  world->audit.step.before = world->audit.step.after = total_energy(world);
  world->audit.whole = world->audit.step;
}


void impi_audit_before(ImpWorld *world) {
  memset(&world->audit.ledger, 0, sizeof world->audit.ledger);
  double now = total_energy(world);
  world->audit.ledger.cause[IMP_ENERGY_OUTSIDE] = now - world->audit.step.after;
  world->audit.step.before = world->audit.step.after;
  world->audit.springs = stored_in_springs(world);
}


void impi_audit_after(ImpWorld *world) {
  ImpiLedger *ledger = &world->audit.ledger;
  ledger->cause[IMP_ENERGY_SPRING] += stored_in_springs(world) - world->audit.springs;
  ImpAudit *step = &world->audit.step, *whole = &world->audit.whole;
  memcpy(step->cause, ledger->cause, sizeof step->cause);
  step->after = total_energy(world);
  step->worst = ledger->worst;
  step->worst_cause = ledger->worst_cause;
  step->joint.id = step->contact.id = step->body.id = 0;
  if (ledger->owner_kind == IMPI_OWNER_JOINT) {
    step->joint = impi_joint_handle(world, ledger->owner);
  } else if (ledger->owner_kind == IMPI_OWNER_CONTACT) {
    step->contact = impi_contact_handle(world, ledger->owner);
  } else if (ledger->owner_kind == IMPI_OWNER_BODY) {
    step->body = impi_body_handle(world, ledger->owner);
  }
  ImpAudit sum = step->worst > whole->worst ? *step : *whole;
  for (int i = 0; i < IMP_ENERGY_COUNT; ++i) {
    sum.cause[i] = whole->cause[i] + step->cause[i];
  }
  sum.before = whole->before;
  sum.after = step->after;
  *whole = sum;
}


ImpStatus imp_world_audit(const ImpWorld *world, bool whole, ImpAudit *out_audit) {
  if (!world->settings.auditing) {
    return impi_fail(IMP_ERR_STATE, "the ledger of energy is not kept: set world.auditing = true before the steps");
  }
  ImpAudit audit = whole ? world->audit.whole : world->audit.step;
  bool joint = impi_pool_find(&world->joint_pool, audit.joint.id, world->tag) >= 0;
  bool contact = impi_pool_find(&world->contact_pool, audit.contact.id, world->tag) >= 0;
  bool body = impi_pool_find(&world->body_pool, audit.body.id, world->tag) >= 0;
  audit.joint.id = joint ? audit.joint.id : 0; // who is gone since is not named
  audit.contact.id = contact ? audit.contact.id : 0;
  audit.body.id = body ? audit.body.id : 0;
  *out_audit = audit;
  return IMP_OK;
}
