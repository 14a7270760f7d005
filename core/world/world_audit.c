// The energy ledger of one step and of all steps.
#include <string.h>

#include "model/contact_rows.h"
#include "model/joint_rows.h"
#include "world/audit.h"
#include "world/bodies.h"
#include "world/contacts.h"
#include "world/joints.h"
#include "world/pairs.h"


const char *imp_energy_cause_name(int cause) {
  static const char *const names[] = {
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
  IMPI_COVERS(names, IMP_ENERGY_COUNT);
  return cause >= 0 && cause < IMP_ENERGY_COUNT ? names[cause] : NULL;
}


static double total_energy(const ImpWorld *world) {
  ImpEnergy energy = imp_world_energy(world);
  return energy.kinetic + energy.potential;
}


// Return the energy of the bodies that handlers created inside the step.
static double energy_of_new_bodies(const ImpWorld *world) {
  double sum = 0;
  for (int32_t slot = world->last_body; slot >= 0; slot = world->bodies.data[slot].previous) {
    const ImpiBody *body = &world->bodies.data[slot];
    if (body->serial <= world->audit.last_body) {
      break;
    }
    ImpiMotion m = impi_body_motion(world, slot);
    sum += 0.5 * (body->mass * (m.vx * m.vx + m.vy * m.vy) + body->inertia * m.w * m.w);
    sum -= body->mass * body->gravity_scale * (world->settings.gravity.x * m.x + world->settings.gravity.y * m.y);
  }
  return sum;
}


static double stored_in_springs(ImpWorld *world) {
  double sum = 0;
  for (int32_t slot = world->first_joint; slot >= 0; slot = world->joints.data[slot].next) {
    sum += impi_joint_energy(world, slot);
  }
  return sum;
}


void impi_audit_start(ImpWorld *world) {
  double now = total_energy(world);
  world->audit.whole = world->audit.step = (ImpAudit){.before = now, .after = now};
}


void impi_audit_free(ImpWorld *world) {
  impi_array_free(&world->heap, &world->audit.rows);
  impi_array_free(&world->heap, &world->audit.terms);
  impi_array_free(&world->heap, &world->audit.speeds);
}


// ---------------------------------------------------------------------------------------------------------------------
// Solvers without a ledger: entries for a whole step, from the total impulses of its rows
// ---------------------------------------------------------------------------------------------------------------------


static bool keeps_ledger(const ImpWorld *world) { return impi_solver((int)world->solver)->rows != NULL; }


static bool reserve_rows(ImpWorld *world) {
  ImpiHeap *heap = &world->heap;
  bool handlers = world->callback.substep != NULL || world->field.called > 0;
  int rows = world->narrow.active.count * IMPI_MAX_CONTACT_ROWS;
  bool room = impi_reserve(heap, &world->audit.rows, IMPI_MAX_CONTACT_ROWS);
  for (int i = 0; i < world->joint.awake.count && room; ++i) {
    const ImpiJoint *joint = &world->joints.data[world->joint.awake.data[i]];
    rows += impi_joint_capacity(joint);
    room = impi_reserve(heap, &world->audit.rows, impi_joint_step_rows(joint, handlers)) &&
           impi_reserve(heap, &world->audit.terms, impi_joint_term_room(joint)) &&
           impi_sample_reserve(heap, &world->joint.samples, joint);
  }
  return room && impi_reserve(heap, &world->audit.speeds, rows);
}


// Return the energy gained by the rotor of an armature row: -impulse * mean speed of the rotor.
static double rotor_gain(const ImpiRow *row) {
  double armature = row->rotor->set.armature;
  return armature > 0 ? -row->lambda * (row->rotor->rotor + 0.5 * row->lambda / armature) : 0;
}


// Enter the work of a row: impulse * mean of the speeds before and after the step.
static void enter_row(ImpWorld *world, ImpiRow *row, int32_t owner, double began) {
  double now = impi_row_speed(row, world->motions.data);
  row->owner = owner;
  row->lambda = *row->total;
  row->fix = 0;
  double work = 0.5 * row->lambda * (began + now) + (row->rotor != NULL ? rotor_gain(row) : 0);
  impi_ledger_row(&world->audit.ledger, row, work, world->bodies.data, world->motions.data);
}


// Switch on again the rows of a drive that was released within the step. Return null if there is no such drive.
static ImpiDrive *show_released(ImpWorld *world, const ImpiJoint *joint, int index) {
  const ImpiCoordinate *coordinate = impi_joint_coordinate_const(joint, index);
  ImpiDrive *drive = coordinate->drive >= 0 ? &world->drives.data[coordinate->drive] : NULL;
  if (drive == NULL || impi_drive_needs_record(&drive->set)) {
    return NULL;
  }
  for (int row = IMPI_DRIVE_MOTOR; row < IMPI_DRIVE_ARMATURE; ++row) {
    drive->set.on |= drive->row[row].total != 0 ? 1u << impi_drive_kinds[row] : 0;
  }
  return drive;
}


static int make_rows(ImpWorld *world, int32_t slot, const ImpiSamples *samples) {
  return impi_joint_rows(world->joints.data, world->drives.data, slot, samples, world->bodies.data, world->settings.dt,
                         world->audit.rows.data, world->audit.terms.data);
}


// Enter the work of released drives. `speed`: speeds of the coordinates when the step began.
static void enter_released(ImpWorld *world, int32_t slot, const ImpiSamples *samples, const double *speed) {
  const ImpiJoint *joint = &world->joints.data[slot];
  for (int i = 0; i < joint->count; ++i) {
    ImpiDrive *drive = show_released(world, joint, i);
    int count = drive != NULL && drive->set.on != 0 ? make_rows(world, slot, samples) : 0;
    for (int k = 0; k < count; ++k) {
      ImpiRow *row = &world->audit.rows.data[k];
      if (row->index == i && row->kind != IMP_ROW_LOCK) {
        enter_row(world, row, slot, speed[i]);
      }
    }
    if (drive != NULL) {
      drive->set.on = 0;
    }
  }
}


// Before the step (`enter` false), store the speeds of a joint's coordinates. After it, enter the work of the joint's
// rows in the ledger.
static void walk_joint(ImpWorld *world, int32_t slot, double *speed, bool enter) {
  const ImpiJoint *joint = &world->joints.data[slot];
  ImpiRow *rows = world->audit.rows.data;
  ImpiSamples samples;
  if (impi_joint_row_room(joint) > world->audit.rows.capacity || !impi_world_sample(world, slot, &samples)) {
    return;
  }
  int count = make_rows(world, slot, &samples);
  for (int i = 0; i < joint->count && !enter; ++i) { // a coordinate may get its first rows within the step
    speed[i] = impi_sample_speed(world, joint, &samples, i);
  }
  for (int k = 0; k < count; ++k) {
    if (enter) {
      enter_row(world, &rows[k], slot, speed[rows[k].index]);
    } else {
      speed[rows[k].index] = impi_row_speed(&rows[k], world->motions.data);
    }
  }
  if (enter && world->joint.drives_emptied) {
    enter_released(world, slot, &samples, speed);
  }
}


// Before the step (`enter` false), store the speeds of all rows. After it, enter the work of all rows in the ledger.
static void walk_rows(ImpWorld *world, bool enter) {
  ImpiRow *rows = world->audit.rows.data;
  double *speed = world->audit.speeds.data, *end = speed + world->audit.speeds.capacity;
  for (int i = 0; i < world->joint.awake.count; ++i) {
    int32_t slot = world->joint.awake.data[i];
    walk_joint(world, slot, speed, enter);
    speed += impi_joint_capacity(&world->joints.data[slot]);
  }
  for (int i = 0; i < world->narrow.active.count; ++i) {
    // The pointer is not const, because rows point into the contact.
    impi_contact_now(world, world->narrow.active.data[i]);
    ImpiContact *contact = &world->contacts.data[world->narrow.active.data[i]];
    const ImpiMotion *a = &world->motions.data[contact->body_a], *b = &world->motions.data[contact->body_b];
    int count = impi_contact_rows(contact, world->bodies.data, world->motions.data, a, b, 0, rows);
    for (int k = 0; k < count && speed < end; ++k, ++speed) {
      if (!enter) {
        *speed = impi_row_speed(&rows[k], world->motions.data);
        continue;
      }
      bool normal = rows[k].kind == IMP_ROW_NORMAL;
      bool fast = normal && contact->points[rows[k].index].approach > impi_world_restitution_threshold(world, contact);
      rows[k].bounce = fast ? contact->restitution : 0;
      enter_row(world, &rows[k], world->narrow.active.data[i], *speed);
    }
  }
}


static void enter_step(ImpWorld *world, double change) {
  ImpiLedger *ledger = &world->audit.ledger;
  walk_rows(world, true);
  for (int i = 0; i < world->awake.count; ++i) {
    int32_t slot = world->awake.data[i];
    const ImpiBody *body = &world->bodies.data[slot];
    impi_ledger_forces(ledger, slot, body, &world->backup.data[i], &world->motions.data[slot], world->settings.gravity,
                       world->settings.dt);
  }
  ledger->cause[IMP_ENERGY_INTEGRATION] = 0;
  for (int i = 0; i < IMP_ENERGY_COUNT; ++i) {
    change -= i == IMP_ENERGY_OUTSIDE ? 0 : ledger->cause[i];
  }
  ledger->cause[IMP_ENERGY_INTEGRATION] = change;
}


// ---------------------------------------------------------------------------------------------------------------------
// Around the solver
// ---------------------------------------------------------------------------------------------------------------------


ImpStatus impi_audit_before(ImpWorld *world) {
  if (!keeps_ledger(world) && !reserve_rows(world)) {
    return impi_fail(IMP_ERR_NOMEM, "out of memory");
  }
  memset(&world->audit.ledger, 0, sizeof world->audit.ledger);
  world->audit.last_body = world->step_bodies;
  double now = total_energy(world) - energy_of_new_bodies(world); // new bodies are entered at the end of the step
  world->audit.ledger.cause[IMP_ENERGY_OUTSIDE] = now - world->audit.step.after;
  world->audit.step.before = world->audit.step.after;
  world->audit.springs = stored_in_springs(world);
  world->audit.begin = now;
  if (!keeps_ledger(world)) {
    walk_rows(world, false);
  }
  return IMP_OK;
}


void impi_audit_after(ImpWorld *world) {
  ImpiLedger *ledger = &world->audit.ledger;
  double made = energy_of_new_bodies(world);
  ledger->cause[IMP_ENERGY_OUTSIDE] += made;
  ledger->cause[IMP_ENERGY_SPRING] += stored_in_springs(world) - world->audit.springs;
  if (!keeps_ledger(world)) {
    enter_step(world, total_energy(world) - made - world->audit.begin);
  }
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


void impi_audit_enter(ImpWorld *world, ImpEnergyCause cause, double joules, int32_t contact) {
  ImpAudit *both[] = {&world->audit.step, &world->audit.whole};
  for (int i = 0; i < IMPI_COUNT(both); ++i) {
    both[i]->cause[cause] += joules;
    both[i]->after += joules;
    if (joules > both[i]->worst && contact >= 0) {
      both[i]->worst = joules;
      both[i]->worst_cause = cause;
      both[i]->joint.id = both[i]->body.id = 0;
      both[i]->contact = impi_contact_handle(world, contact);
    }
  }
}


ImpStatus imp_world_audit(const ImpWorld *world, bool whole, ImpAudit *out_audit) {
  if (!world->settings.auditing) {
    return impi_fail(IMP_ERR_STATE, "the energy ledger is not kept: set world.auditing = true before the steps");
  }
  ImpAudit audit = whole ? world->audit.whole : world->audit.step;
  bool joint = impi_pool_find(&world->joint_pool, audit.joint.id, world->tag) >= 0;
  bool contact = impi_pool_find(&world->contact_pool, audit.contact.id, world->tag) >= 0;
  bool body = impi_pool_find(&world->body_pool, audit.body.id, world->tag) >= 0;
  audit.joint.id = joint ? audit.joint.id : 0; // 0 if the object no longer exists
  audit.contact.id = contact ? audit.contact.id : 0;
  audit.body.id = body ? audit.body.id : 0;
  *out_audit = audit;
  return IMP_OK;
}
