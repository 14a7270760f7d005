// Fast access to coordinates and force drives for feedback laws.
#include "base/constants.h"
#include "world/bodies.h"
#include "world/calls.h"
#include "world/joints.h"
#include "world/sleep.h"


// Get a body's angle and angular velocity. Inside a step, both are read from the solver.
static void spin_of(const ImpWorld *world, int32_t body, double *out_angle, double *out_w) {
  const ImpiSolver *solver = impi_solver((int)world->solver);
  ImpiMotion m;
  if (world->stepping && world->bodies.data[body].lane > 0 && solver->sense != NULL) {
    solver->sense(&world->solve, &body, 1, &m);
  } else {
    m = impi_body_motion(world, body);
  }
  *out_angle = m.angle;
  *out_w = m.w;
}


// Compute value and speed of a coordinate of a joint that is neither a gear nor a constraint.
static void state_of_inline(const ImpWorld *world, const ImpiJoint *joint, int index, double *out_value,
                            double *out_speed) {
  if (joint->kinds[index] == IMP_COORDINATE_ANGLE) {
    double angle_a, angle_b, w_a, w_b;
    spin_of(world, joint->body_a, &angle_a, &w_a);
    spin_of(world, joint->body_b, &angle_b, &w_b);
    *out_value = angle_b - angle_a - joint->frames.reference;
    *out_speed = w_b - w_a;
    return;
  }
  ImpiMotion a = impi_body_motion(world, joint->body_a), b = impi_body_motion(world, joint->body_b);
  ImpiSample s;
  impi_coordinate_sample(&joint->frames, &joint->kinds[index], 1, world->bodies.data[joint->body_a].local_center, &a,
                         world->bodies.data[joint->body_b].local_center, &b, HUGE_VAL, &s);
  *out_value = s.value;
  *out_speed = (s.j[0] * a.vx + s.j[1] * a.vy + s.j[2] * a.w) + (s.j[3] * b.vx + s.j[4] * b.vy + s.j[5] * b.w);
}


ImpStatus imp_coordinate_state(const ImpWorld *world, ImpCoordinate handle, double *out_value, double *out_speed) {
  IMPI_FIND_JOINT(world, handle.joint, slot);
  const ImpiJoint *joint = &world->joints.data[slot];
  if (joint->custom == NULL && handle.index >= 0 && handle.index < joint->count) {
    state_of_inline(world, joint, handle.index, out_value, out_speed);
    return IMP_OK;
  }
  ImpiSamples samples;
  ImpStatus status = impi_coordinate_sample_of(world, slot, handle.index, &samples);
  if (status == IMP_OK) {
    *out_value = impi_joint_is_velocity(joint) ? 0 : samples.value[handle.index];
    *out_speed = impi_sample_speed(world, joint, &samples, handle.index);
  }
  return status;
}


ImpStatus imp_joint_state(const ImpWorld *world, ImpJoint handle, double *out_value, double *out_speed) {
  IMPI_FIND_JOINT(world, handle, slot);
  int own;
  ImpStatus status = impi_own_coordinate(&world->joints.data[slot], "state", &own);
  return status == IMP_OK ? imp_coordinate_state(world, (ImpCoordinate){handle, own}, out_value, out_speed) : status;
}


// Return whether a change of force would accelerate the coordinate above IMPI_SLEEP_SPEED within IMPI_SLEEP_TIME.
static bool is_affected(ImpWorld *world, int32_t slot, int index, double change) {
  ImpiSamples samples;
  if (change == 0 || !impi_world_sample(world, slot, &samples)) {
    return change != 0;
  }
  double mass = impi_sample_mass(world, &world->joints.data[slot], &samples, index);
  return fabs(change) * IMPI_SLEEP_TIME > mass * IMPI_SLEEP_SPEED;
}


// Return the drives of a coordinate, or null if they cannot be changed at once: the coordinate has no drive record, is
// locked, or has a queued change.
static ImpDrive *present_drive(ImpWorld *world, int32_t slot, int index) {
  const ImpiJoint *joint = &world->joints.data[slot];
  if (index < 0 || index >= joint->count) {
    return NULL;
  }
  const ImpiCoordinate *coordinate = impi_joint_coordinate_const(joint, index);
  bool queued = world->queue.commands.count > 0 && impi_queued_drive(world, slot, index) != NULL;
  return coordinate->drive < 0 || coordinate->locked || queued ? NULL : &world->drives.data[coordinate->drive].set;
}


// Invalidate the rows, and outside a step wake the joint's bodies, after a change of a drive.
static void note_change(ImpWorld *world, int32_t slot) {
  world->row.valid = false;
  if (!world->stepping) {
    impi_joint_wake(world, slot);
  }
}


ImpStatus impi_coordinate_set_force(ImpWorld *world, ImpCoordinate handle, double force) {
  IMPI_FIND_JOINT(world, handle.joint, slot);
  ImpDrive *set = present_drive(world, slot, handle.index);
  bool asleep = world->stepping && impi_joint_is_asleep(world, &world->joints.data[slot]);
  if (set != NULL && set->on >> IMP_DRIVE_FORCE & 1u && fabs(force) < IMP_MAX_DRIVE) {
    if (set->force == force) {
      return IMP_OK;
    }
    if (asleep && !is_affected(world, slot, handle.index, force - set->force)) {
      return IMP_OK;
    }
    if (!asleep) {
      set->force = force; // no row is added or removed: the solver need not recheck the joints
      note_change(world, slot);
      return IMP_OK;
    }
  }
  ImpDrive drive;
  ImpStatus status = imp_coordinate_drive(world, handle, &drive);
  if (status != IMP_OK) {
    return status;
  }
  drive.on = (drive.on | 1u << IMP_DRIVE_FORCE) & ~(1u << IMP_DRIVE_LOCK);
  drive.force = force;
  return impi_coordinate_set_drive(world, handle, &drive);
}


// Return a servo's target or a spring's rest value, or null.
static double *target_of(ImpDrive *drive) {
  bool servo = drive->on >> IMP_DRIVE_SERVO & 1u, spring = drive->on >> IMP_DRIVE_SPRING & 1u;
  return servo ? &drive->target : spring ? &drive->rest : NULL;
}


ImpStatus impi_coordinate_set_target(ImpWorld *world, ImpCoordinate handle, double target) {
  IMPI_FIND_JOINT(world, handle.joint, slot);
  ImpDrive *set = present_drive(world, slot, handle.index);
  double *number = set != NULL ? target_of(set) : NULL;
  if (number != NULL && *number == target) {
    return IMP_OK;
  }
  bool asleep = world->stepping && impi_joint_is_asleep(world, &world->joints.data[slot]);
  if (number != NULL && fabs(target) < IMP_MAX_DRIVE && !asleep) {
    *number = target;
    world->solve.drives_changed = world->joint.drives_edited = true;
    note_change(world, slot);
    return IMP_OK;
  }
  ImpDrive drive;
  ImpStatus status = imp_coordinate_drive(world, handle, &drive);
  if (status == IMP_OK && target_of(&drive) == NULL) {
    status = impi_fail(IMP_ERR_ARGUMENT, "the coordinate has no servo or spring whose target could be set");
  }
  if (status == IMP_OK) {
    *target_of(&drive) = target;
    status = impi_coordinate_set_drive(world, handle, &drive);
  }
  return status;
}
