// The step's stages that joints have: which act, what hangs on what, what they did, which break.
#include "base/constants.h"
#include "base/float_state.h"
#include "world/world.h"


bool impi_joint_holds_awake(const ImpWorld *world, const ImpiJoint *joint) {
  for (int i = 0; i < impi_joint_body_count(joint); ++i) {
    const ImpiBody *body = &world->bodies.data[impi_joint_body(joint, i)];
    if (body->awake && body->enabled) { // a kinematic body that moves takes along what hangs on it
      return true;
    }
  }
  return false;
}


bool impi_joint_is_disabled(const ImpWorld *world, const ImpiJoint *joint) {
  for (int i = 0; i < impi_joint_body_count(joint); ++i) {
    if (!world->bodies.data[impi_joint_body(joint, i)].enabled) {
      return true; // a body that a fault took out holds nothing
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


// A joint that does not act bears nothing. One that sleeps still bears what it bore.
static void forget(ImpWorld *world, int32_t slot) {
  ImpiJoint *joint = &world->joints.data[slot];
  joint->wrench[0] = joint->wrench[1] = joint->wrench[2] = 0;
  joint->least = HUGE_VAL;
  joint->open = false;
  for (int i = 0; i < impi_joint_capacity(joint); ++i) {
    ImpiCoordinate *coordinate = impi_joint_coordinate(joint, i);
    impi_effort_begin(&coordinate->effort);
    coordinate->effort.lambda = 0;
    for (int row = 0; coordinate->drive >= 0 && row < IMPI_DRIVE_ROWS; ++row) {
      ImpiEffort *effort = &world->drives.data[coordinate->drive].row[row];
      impi_effort_begin(effort);
      effort->lambda = 0;
    }
  }
}


void impi_settle_joint(const ImpWorld *world, int32_t joint) {
  const ImpiSolver *solver = impi_solver((int)world->solved_by);
  if (world->efforts_kept) {
    uint64_t float_state = impi_float_state_enter(); // who asks may be anybody
    solver->settle(world->scratch[world->solved_by], world->joints.data, world->drives.data, joint);
    impi_float_state_leave(float_state);
  }
}


void impi_joints_edited(ImpWorld *world) {
  impi_settle_joint(world, -1);
  world->efforts_kept = false;
  world->joints_edited = true;
}


ImpStatus impi_update_joint_list(ImpWorld *world) {
  if (!impi_reserve(&world->heap, &world->awake_joints, world->joints.count) ||
      !impi_reserve(&world->heap, &world->opening.doubted, world->joints.count) ||
      !impi_bits_reserve(&world->heap, &world->held, world->bodies.count)) {
    return impi_fail(IMP_ERR_NOMEM, "out of memory");
  }
  world->awake_joints.count = 0;
  impi_bits_empty(&world->held);
  for (int32_t slot = world->first_joint; slot >= 0; slot = world->joints.data[slot].next) {
    const ImpiJoint *joint = &world->joints.data[slot];
    if (joint->serial > world->step_joints) {
      break; // and all after it: made by a callback of this step, they act from the next one on
    }
    if (!joint->broken && impi_joint_holds_awake(world, joint) && holds_dynamic(world, joint) &&
        !impi_joint_is_disabled(world, joint)) {
      world->awake_joints.data[world->awake_joints.count++] = slot;
      for (int i = 0; i < impi_joint_body_count(joint); ++i) {
        impi_bits_set(&world->held, impi_joint_body(joint, i));
      }
    } else if (joint->broken || impi_joint_is_disabled(world, joint) || !holds_dynamic(world, joint)) {
      forget(world, slot);
    }
  }
  world->joint_list_fresh = true;
  return IMP_OK;
}


void impi_wake_joined(ImpWorld *world) {
  for (int i = 0; i < world->awake_joints.count; ++i) {
    const ImpiJoint *joint = &world->joints.data[world->awake_joints.data[i]];
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
  for (int i = 0; i < world->awake_joints.count && world->may_break; ++i) {
    int32_t slot = world->awake_joints.data[i];
    if (world->joint_pool.slots.data[slot].next_free == IMPI_SLOT_LIVE && breaks(world, slot)) {
      impi_joint_finish_break(world, slot);
    }
  }
}


// Whether a joint can move what it holds by itself: then nothing of it sleeps.
static bool is_restless(const ImpWorld *world, const ImpiJoint *joint) {
  if (impi_joint_is_called(joint) || impi_joint_is_timed(joint)) {
    return true;
  }
  for (int i = 0; i < joint->count; ++i) {
    const ImpiCoordinate *coordinate = impi_joint_coordinate_const(joint, i);
    if (coordinate->drive < 0) {
      continue;
    }
    const ImpDrive *set = &world->drives.data[coordinate->drive].set;
    bool turns = set->on >> IMP_DRIVE_MOTOR & 1u && set->speed != 0 && set->motor_max > 0;
    bool moves = set->on >> IMP_DRIVE_SERVO & 1u && set->target_speed != 0;
    if (turns || moves) {
      return true;
    }
  }
  return false;
}


void impi_join_islands(ImpWorld *world) {
  for (int i = 0; i < world->awake_joints.count; ++i) {
    int32_t slot = world->awake_joints.data[i];
    const ImpiJoint *joint = &world->joints.data[slot];
    if (world->joint_pool.slots.data[slot].next_free != IMPI_SLOT_LIVE || joint->broken) {
      continue;
    }
    bool restless = is_restless(world, joint);
    int32_t first = -1;
    for (int k = 0; k < impi_joint_body_count(joint); ++k) {
      const ImpiBody *body = &world->bodies.data[impi_joint_body(joint, k)];
      restless = restless || (body->type == IMP_BODY_KINEMATIC && body->awake);
      if (impi_is_dynamic(body) && body->awake) {
        int32_t place = body->lane - 1;
        if (first >= 0) {
          impi_islands_join(&world->islands, first, place);
        }
        first = place;
      }
    }
    if (restless && first >= 0) {
      world->bodies.data[world->awake.data[first]].sleep_time = 0;
    }
  }
}
