// Stages of the step for joints: list the acting joints, wake their bodies, break joints.
#include "base/constants.h"
#include "step/step.h"
#include "world/joints.h"
#include "world/sleep.h"


bool impi_joint_holds_awake(const ImpWorld *world, const ImpiJoint *joint) {
  for (int i = 0; i < impi_joint_body_count(joint); ++i) {
    const ImpiBody *body = &world->bodies.data[impi_joint_body(joint, i)];
    if (body->awake && body->enabled) { // a moving kinematic body moves connected bodies
      return true;
    }
  }
  return false;
}


static bool holds_dynamic(const ImpWorld *world, const ImpiJoint *joint) {
  for (int i = 0; i < impi_joint_body_count(joint); ++i) {
    if (impi_is_dynamic(&world->bodies.data[impi_joint_body(joint, i)])) {
      return true;
    }
  }
  return false;
}


// Clear impulses and reaction of a joint that does not act.
static void forget(ImpWorld *world, int32_t slot) {
  ImpiJoint *joint = &world->joints.data[slot];
  joint->wrench[0] = joint->wrench[1] = joint->wrench[2] = 0;
  joint->least = HUGE_VAL;
  joint->open = false;
  for (int i = 0; i < impi_joint_capacity(joint); ++i) {
    ImpiCoordinate *coordinate = impi_joint_coordinate(joint, i);
    impi_row_result_begin(&coordinate->result);
    coordinate->result.lambda = 0;
    for (int row = 0; coordinate->drive >= 0 && row < IMPI_DRIVE_ROWS; ++row) {
      ImpiRowResult *result = &world->drives.data[coordinate->drive].row[row];
      impi_row_result_begin(result);
      result->lambda = 0;
    }
  }
}


ImpStatus impi_update_joint_list(ImpWorld *world) {
  if (!impi_reserve(&world->heap, &world->joint.awake, world->joints.count) ||
      !impi_reserve(&world->heap, &world->joint.opening.open_candidates, world->joints.count) ||
      !impi_bits_reserve(&world->heap, &world->joint.held, world->bodies.count)) {
    return impi_fail(IMP_ERR_NOMEM, "out of memory");
  }
  world->joint.awake.count = 0;
  impi_bits_empty(&world->joint.held);
  for (int32_t slot = world->first_joint; slot >= 0; slot = world->joints.data[slot].next) {
    const ImpiJoint *joint = &world->joints.data[slot];
    if (joint->serial > world->step_joints) {
      // Joints created in this step act from the next step on.
      break;
    }
    if (!joint->broken && impi_joint_holds_awake(world, joint) && holds_dynamic(world, joint) &&
        !impi_joint_is_disabled(world, joint)) {
      world->joint.awake.data[world->joint.awake.count++] = slot;
      for (int i = 0; i < impi_joint_body_count(joint); ++i) {
        impi_bits_set(&world->joint.held, impi_joint_body(joint, i));
      }
    } else if (joint->broken || impi_joint_is_disabled(world, joint) || !holds_dynamic(world, joint)) {
      forget(world, slot);
    }
  }
  world->joint.list_fresh = true;
  return IMP_OK;
}


void impi_wake_joined(ImpWorld *world) {
  for (int i = 0; i < world->joint.awake.count; ++i) {
    const ImpiJoint *joint = &world->joints.data[world->joint.awake.data[i]];
    for (int k = 0; k < impi_joint_body_count(joint); ++k) {
      int32_t body = impi_joint_body(joint, k);
      if (impi_is_dynamic(&world->bodies.data[body]) && !world->bodies.data[body].awake) {
        impi_world_wake(world, body);
      }
    }
  }
}


static bool breaks(ImpWorld *world, int32_t slot) {
  const ImpiJoint *joint = &world->joints.data[slot];
  if (joint->break_force == HUGE_VAL && joint->break_torque == HUGE_VAL) {
    return false;
  }
  ImpiLoad load = impi_joint_load(world, slot);
  return load.force > joint->break_force || load.torque > joint->break_torque;
}


void impi_break_joints(ImpWorld *world) {
  for (int i = 0; i < world->joint.awake.count && world->joint.may_break; ++i) {
    int32_t slot = world->joint.awake.data[i];
    if (world->joint_pool.slots.data[slot].next_free == IMPI_SLOT_LIVE && breaks(world, slot)) {
      impi_joint_finish_break(world, slot);
    }
  }
}
