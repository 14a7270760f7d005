// Undoes a solve with a non-finite result, and repeats it without the offending body.
//
// The offending body is the first of:
//   1. a body that a callback's impulse or a force field would throw out of the world
//   2. the last dynamic body of a joint with an invalid body, if a drive or function of the joint has an extreme number
//   3. the fastest invalid body
// A body is valid if its pose and velocity are finite and inside the world's bounds.
//
// A repeated solve calls the substep callbacks again. If no state was saved, or bodies are still invalid after
// IMPI_MOST_FAULTS repetitions, the step disables every invalid body.
#include <string.h>

#include "base/constants.h"
#include "step/step.h"
#include "world/bodies.h"
#include "world/travel.h"


// ---------------------------------------------------------------------------------------------------------------------
// Whether an undo may be needed
// ---------------------------------------------------------------------------------------------------------------------


static bool is_implausible_drive(const ImpDrive *set) {
  const double numbers[] = {set->speed, set->target, set->target_speed, set->rest, set->force};
  bool implausible = false;
  for (int i = 0; i < IMPI_COUNT(numbers); ++i) {
    implausible = implausible || fabs(numbers[i]) > IMPI_IMPLAUSIBLE;
  }
  return implausible;
}


static bool has_implausible_drive(const ImpWorld *world, const ImpiJoint *joint) {
  bool implausible = false;
  for (int k = 0; k < impi_joint_capacity(joint) && !implausible; ++k) {
    int32_t drive = impi_joint_coordinate_const(joint, k)->drive;
    implausible = drive >= 0 && is_implausible_drive(&world->drives.data[drive].set);
  }
  return implausible;
}


// Return true if an active joint is a constraint or has an extreme drive.
static bool may_have_implausible_joint(const ImpWorld *world) {
  bool implausible = false;
  for (int i = 0; i < world->joint.awake.count && !implausible; ++i) {
    const ImpiJoint *joint = &world->joints.data[world->joint.awake.data[i]];
    implausible = joint->kind == IMP_JOINT_CONSTRAINT || has_implausible_drive(world, joint);
  }
  return implausible;
}


static bool has_implausible_field(const ImpWorld *world) {
  bool implausible = false;
  for (int32_t slot = world->field.first; slot >= 0 && !implausible; slot = world->field.list.data[slot].next) {
    const ImpiForceField *field = &world->field.list.data[slot];
    implausible = field->kind == IMP_FIELD_CUSTOM || fabs(field->value[IMP_FIELD_STRENGTH]) > IMPI_IMPLAUSIBLE;
    for (int i = 0; i < IMP_FIELD_VECTOR_COUNT; ++i) {
      implausible =
          implausible || fabs(field->vector[i].x) > IMPI_IMPLAUSIBLE || fabs(field->vector[i].y) > IMPI_IMPLAUSIBLE;
    }
  }
  return implausible;
}


bool impi_undo_is_needed(const ImpWorld *world, bool listens) {
  return world->solver != IMP_SOLVER_SOFT || listens || has_implausible_field(world) ||
         may_have_implausible_joint(world);
}


// ---------------------------------------------------------------------------------------------------------------------
// Save and restore
// ---------------------------------------------------------------------------------------------------------------------


bool impi_undo_reserve(ImpWorld *world) {
  ImpiUndo *undo = &world->undo;
  int coordinates = 0;
  for (int i = 0; i < world->joint.awake.count; ++i) {
    coordinates += impi_joint_capacity(&world->joints.data[world->joint.awake.data[i]]);
  }
  return impi_reserve(&world->heap, &undo->contacts, world->narrow.active.count) &&
         impi_reserve(&world->heap, &undo->coordinates, coordinates) &&
         impi_reserve(&world->heap, &undo->drives, coordinates) &&
         impi_reserve(&world->heap, &undo->bursts, world->field.list.count) &&
         impi_reserve(&world->heap, &undo->pushed, world->push.pushed.count);
}


static void keep_joints(ImpWorld *world) {
  ImpiUndo *undo = &world->undo;
  undo->coordinates.count = undo->drives.count = 0;
  for (int i = 0; i < world->joint.awake.count; ++i) {
    const ImpiJoint *joint = &world->joints.data[world->joint.awake.data[i]];
    for (int k = 0; k < impi_joint_capacity(joint); ++k) {
      const ImpiCoordinate *coordinate = impi_joint_coordinate_const(joint, k);
      undo->coordinates.data[undo->coordinates.count++] = *coordinate;
      if (coordinate->drive >= 0) {
        undo->drives.data[undo->drives.count++] = world->drives.data[coordinate->drive];
      }
    }
  }
}


void impi_undo_keep(ImpWorld *world) {
  ImpiUndo *undo = &world->undo;
  for (int i = 0; i < world->narrow.active.count; ++i) {
    const ImpiContact *contact = &world->contacts.data[world->narrow.active.data[i]];
    ImpiContactUndo *kept = &undo->contacts.data[i];
    kept->lambda_r = contact->lambda_r;
    kept->total_r = contact->total_r;
    kept->step_r = contact->step_r;
    for (int k = 0; k < contact->count; ++k) {
      kept->points[k] = contact->points[k];
    }
  }
  keep_joints(world);
  for (int32_t slot = 0; slot < world->field.list.count; ++slot) {
    undo->bursts.data[slot] = world->field.list.data[slot].value[IMP_FIELD_PROGRESS];
  }
  undo->bursts.count = world->field.list.count;
  undo->pushed.count = world->push.pushed.count;
  for (int i = 0; i < world->push.pushed.count; ++i) {
    undo->pushed.data[i] = world->push.pushed.data[i];
  }
  memcpy(undo->random, world->random, sizeof undo->random);
  undo->epoch = world->narrow.lane_contacts.epoch;
  undo->solved = world->narrow.lane_contacts.solved;
  undo->held = true;
}


static void restore_contacts(ImpWorld *world) {
  ImpiUndo *undo = &world->undo;
  world->narrow.lane_contacts.epoch = undo->epoch; // contact data that was read before the solve is valid again
  world->narrow.lane_contacts.solved = undo->solved;
  for (int i = 0; i < world->narrow.active.count; ++i) {
    ImpiContact *contact = &world->contacts.data[world->narrow.active.data[i]];
    const ImpiContactUndo *kept = &undo->contacts.data[i];
    contact->row_count = 0;
    contact->lambda_r = kept->lambda_r;
    contact->total_r = kept->total_r;
    contact->step_r = kept->step_r;
    for (int k = 0; k < contact->count; ++k) {
      contact->points[k] = kept->points[k];
    }
    impi_lane_contacts_store_impulses(&world->narrow.lane_contacts, contact);
  }
}


static void restore_joints(ImpWorld *world) {
  const ImpiUndo *undo = &world->undo;
  const ImpiCoordinate *from = undo->coordinates.data;
  const ImpiDrive *drive = undo->drives.data;
  for (int i = 0; i < world->joint.awake.count; ++i) {
    ImpiJoint *joint = &world->joints.data[world->joint.awake.data[i]];
    joint->row_count = 0; // the rows that the solver recorded in the undone solve are gone
    for (int k = 0; k < impi_joint_capacity(joint); ++k, ++from) {
      ImpiCoordinate *coordinate = impi_joint_coordinate(joint, k);
      int32_t record = coordinate->drive; // a handler may have created or removed the drive record
      *coordinate = *from;
      if (from->drive >= 0) {
        world->drives.data[from->drive] = *drive++;
      } else if (record >= 0) {
        coordinate->drive = record;
        world->drives.data[record] = (ImpiDrive){.set = imp_drive(), .next = -1, .live = true};
        world->joint.drives_emptied = true;
      }
    }
  }
  world->joint.results_kept = false; // the impulses are in the joints again, not in the solver's memory
  world->joint.edited = true;
}


static void restore_pushes(ImpWorld *world) {
  const ImpiUndo *undo = &world->undo;
  for (int i = 0; i < world->push.pushed.count; ++i) {
    world->bodies.data[world->push.pushed.data[i].body].pushed = 0;
  }
  world->push.pushed.count = undo->pushed.count; // memory for the saved entries is still reserved
  for (int i = 0; i < undo->pushed.count; ++i) {
    world->push.pushed.data[i] = undo->pushed.data[i];
    world->bodies.data[undo->pushed.data[i].body].pushed = i + 1;
  }
}


static void restore(ImpWorld *world) {
  const ImpiUndo *undo = &world->undo;
  for (int i = 0; i < world->awake.count; ++i) {
    world->motions.data[world->awake.data[i]] = world->backup.data[i];
  }
  restore_contacts(world);
  restore_joints(world);
  restore_pushes(world);
  for (int32_t slot = 0; slot < undo->bursts.count; ++slot) {
    world->field.list.data[slot].value[IMP_FIELD_PROGRESS] = undo->bursts.data[slot];
  }
  memcpy(world->random, undo->random, sizeof world->random);
  world->substep.index = 0;
  world->substep.time = world->time;
  world->pose_stamp++;
}


// ---------------------------------------------------------------------------------------------------------------------
// The offending body
// ---------------------------------------------------------------------------------------------------------------------


void impi_note_offender(ImpWorld *world, int32_t slot, const char *stage) {
  ImpiUndo *undo = &world->undo;
  for (int i = 0; i < undo->offenders.count; ++i) {
    if (undo->offenders.data[i].body == slot) {
      return;
    }
  }
  if (undo->offenders.count < undo->offenders.capacity) { // memory is reserved for every awake body
    undo->offenders.data[undo->offenders.count++] = (ImpiOffender){slot, stage};
  }
}


bool impi_throws_out(const ImpiBody *body, double vx, double vy, double w, double h) {
  // A body with a speed limit cannot leave the world, because its speed is cut.
  double limit = impi_body_is_limited(body) ? IMPI_HUGE : 2 * IMPI_MAX_COORDINATE / h;
  return !(fabs(vx) < limit && fabs(vy) < limit && fabs(w) < limit); // true for NaN
}


static bool is_implausible(const ImpWorld *world, int32_t slot) {
  return world->bodies.data[slot].constrained && !impi_motion_is_sane(&world->motions.data[slot]);
}


bool impi_undo_is_sane(const ImpWorld *world, const ImpiJoint *joint) {
  bool sane = true;
  for (int k = 0; k < impi_joint_body_count(joint); ++k) {
    ImpiMotion m = impi_body_motion(world, impi_joint_body(joint, k));
    sane = sane && impi_motion_is_sane(&m);
  }
  return sane;
}


// Return true if the constraint's function has an extreme value or derivative at the start of the step.
static bool has_implausible_tape(ImpWorld *world, const ImpiJoint *joint) {
  int bodies = impi_joint_body_count(joint);
  ImpiMotion later[IMP_MAX_CONSTRAINT_BODIES];
  for (int k = 0; k < bodies; ++k) {
    int32_t slot = impi_joint_body(joint, k);
    later[k] = world->motions.data[slot];
    world->motions.data[slot] = *impi_world_start(world, slot);
  }
  ImpiPoses poses = {world->bodies.data, world->motions.data, NULL};
  // The memory for samples was reserved when the joint was created.
  ImpiSamples samples = impi_sample_room(&world->joint.samples, joint);
  impi_joint_sample(world->joints.data, joint, &poses, world->time, HUGE_VAL, samples);
  bool implausible = false;
  for (int i = 0; i < joint->count; ++i) {
    implausible = implausible || !(fabs(samples.value[i]) <= IMPI_IMPLAUSIBLE);
    for (int k = 0; k < 3 * bodies; ++k) {
      implausible = implausible || !(fabs(samples.j[3 * bodies * i + k]) <= IMPI_IMPLAUSIBLE);
    }
  }
  for (int k = 0; k < bodies; ++k) {
    world->motions.data[impi_joint_body(joint, k)] = later[k];
  }
  return implausible;
}


static bool has_implausible_law(ImpWorld *world, int32_t slot) {
  const ImpiJoint *joint = &world->joints.data[slot];
  if (joint->kind != IMP_JOINT_CONSTRAINT) {
    return false;
  }
  return joint->custom->rows != NULL ? slot == world->undo.first_implausible : has_implausible_tape(world, joint);
}


// Find the first joint that has an invalid body, a dynamic body, and an extreme number in its drives or constraint
// function. Return the last dynamic body in the joint's list of bodies, or -1 if there is no such joint.
static int32_t find_driven(ImpWorld *world) {
  for (int i = 0; i < world->joint.awake.count; ++i) {
    const ImpiJoint *joint = &world->joints.data[world->joint.awake.data[i]];
    bool implausible_body = false;
    int32_t last = -1;
    for (int k = 0; k < impi_joint_body_count(joint); ++k) {
      int32_t slot = impi_joint_body(joint, k);
      implausible_body = implausible_body || is_implausible(world, slot);
      last = impi_is_dynamic(&world->bodies.data[slot]) ? slot : last;
    }
    if (implausible_body && last >= 0 &&
        (has_implausible_drive(world, joint) || has_implausible_law(world, world->joint.awake.data[i]))) {
      return last;
    }
  }
  return -1;
}


// Return the fastest invalid body with rows, or -1. NaN is fastest; of equal speeds the first created body wins.
static int32_t find_fastest(const ImpWorld *world) {
  int32_t found = -1;
  double most = 0;
  for (int i = 0; i < world->awake.count; ++i) {
    int32_t slot = world->awake.data[i];
    const ImpiBody *body = &world->bodies.data[slot];
    const ImpiMotion *m = &world->motions.data[slot];
    if (!is_implausible(world, slot)) {
      continue;
    }
    double speed = fabs(m->vx) + fabs(m->vy) + fabs(m->w) * body->extent;
    speed = speed < HUGE_VAL ? speed : HUGE_VAL; // NaN becomes infinite
    if (found < 0 || speed > most || (speed == most && body->serial < world->bodies.data[found].serial)) {
      found = slot;
      most = speed;
    }
  }
  return found;
}


// Return true if the solve must be undone: a body with rows has to be disabled.
static bool is_upset(ImpWorld *world) {
  const ImpiUndo *undo = &world->undo;
  for (int i = 0; i < undo->offenders.count; ++i) {
    if (world->bodies.data[undo->offenders.data[i].body].constrained) {
      return true;
    }
  }
  int32_t slot = find_fastest(world);
  if (slot >= 0) {
    int32_t driven = find_driven(world);
    slot = driven >= 0 ? driven : slot;
    impi_note_offender(world, slot, "solve");
  }
  return slot >= 0;
}


// Remove and enter again the contacts that began to act in this step.
static void reenter(ImpWorld *world) {
  impi_bits_empty(&world->narrow.seen);
  for (int i = 0; i < world->undo.begun.count; ++i) {
    int32_t slot = world->undo.begun.data[i];
    if (world->contact_pool.slots.data[slot].next_free == IMPI_SLOT_LIVE) {
      impi_lane_contacts_end(&world->narrow.lane_contacts, world->contacts.data, slot, world->bodies.data);
      impi_bits_set(&world->narrow.seen, slot);
    }
  }
}


bool impi_undo(ImpWorld *world) {
  ImpiUndo *undo = &world->undo;
  if (!undo->held || !is_upset(world)) {
    return false;
  }
  restore(world);
  for (int i = 0; i < undo->offenders.count; ++i) {
    int32_t slot = undo->offenders.data[i].body;
    impi_fault(world, slot, &world->motions.data[slot], undo->offenders.data[i].stage);
  }
  undo->offenders.count = 0;
  reenter(world);
  return true;
}


bool impi_backup_reserve(ImpWorld *world) {
  int had = world->backup.capacity;
  bool room = impi_reserve(&world->heap, &world->backup, world->awake.count);
  for (int i = had; i < world->backup.capacity; ++i) {
    world->backup.data[i] = (ImpiMotion){.c = 1};
  }
  return room;
}
