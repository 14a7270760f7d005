// Disabling a body, and enabling it again. A disabled body takes no part in the simulation.
#include <math.h>

#include "base/constants.h"
#include "world/bodies.h"
#include "world/contacts.h"
#include "world/events.h"
#include "world/joints.h"
#include "world/movers.h"
#include "world/shapes.h"
#include "world/sleep.h"


// Disable a body: wake the sleeping bodies that touch it, end its contacts and make its joints inactive.
static void take_out(ImpWorld *world, int32_t slot) {
  ImpiBody *body = &world->bodies.data[slot];
  if (body->first_joint >= 0) {
    impi_joints_edited(world);
  }
  body->enabled = body->awake = body->fast = body->restless = false;
  impi_body_drop_contacts(world, slot);
  world->lists_dirty = true;
}


void impi_fault(ImpWorld *world, int32_t slot, const ImpiMotion *last_good, const char *stage) {
  ImpiMotion *motion = &world->motions.data[slot];
  impi_still_neighbours(world, slot);
  *motion = *last_good;
  motion->vx = motion->vy = motion->w = 0;
  impi_body_rotors_follow(world, slot);
  take_out(world, slot);
  impi_event_body(world, IMP_EVENT_FAULT, slot, stage);
}


// Move the ratchets on a body back, because non-finite numbers may have advanced them.
static void give_back_teeth(ImpWorld *world, int32_t slot) {
  ImpiPoses poses = {world->bodies.data, world->motions.data, NULL};
  for (int32_t e = world->bodies.data[slot].first_joint; e >= 0; e = world->joint_edges.data[e].next) {
    const ImpiJoint *joint = &world->joints.data[world->joint_edges.data[e].joint];
    if (joint->kind != IMP_JOINT_RATCHET || joint->inline_coordinates[0].drive < 0) {
      continue;
    }
    // The memory for samples was reserved when joints were created.
    ImpiSamples samples = impi_sample_room(&world->joint.samples, joint);
    impi_joint_sample(world->joints.data, joint, &poses, world->time, HUGE_VAL, samples);
    ImpDrive *set = &world->drives.data[joint->inline_coordinates[0].drive].set;
    if (joint->direction > 0 && set->lower > samples.value[0]) {
      set->lower = samples.value[0];
    } else if (joint->direction < 0 && set->upper < samples.value[0]) {
      set->upper = samples.value[0];
    }
  }
}


void impi_fault_after_solve(ImpWorld *world, int32_t slot, const ImpiMotion *last_good, const char *stage) {
  impi_fault(world, slot, last_good, stage);
  give_back_teeth(world, slot);
}


static void disable(ImpWorld *world, int32_t slot) {
  ImpiBody *body = &world->bodies.data[slot];
  ImpiMotion *motion = &world->motions.data[slot];
  if (impi_is_dynamic(body) ? !body->awake : true) {
    impi_world_wake(world, slot);
    impi_world_wake_neighbours(world, slot);
  }
  impi_kinematic_target_drop(world, slot);
  if (body->mover > 0) {
    impi_mover_take_off(&world->mover.list.data[body->mover - 1]);
  }
  motion->vx = motion->vy = motion->w = 0;
  impi_body_rotors_follow(world, slot);
  take_out(world, slot);
}


// Enable a body. Its pieces enter the broad phase again, so that overlaps are found.
static void enable(ImpWorld *world, int32_t slot) {
  ImpiBody *body = &world->bodies.data[slot];
  if (body->first_joint >= 0) {
    impi_joints_edited(world);
  }
  for (int32_t s = body->first_shape; s >= 0; s = world->shapes.data[s].next) {
    impi_shape_detach(world, s);
  }
  body->enabled = true;
  body->sleep_next = slot;
  body->sleep_time = 0;
  body->awake = body->type == IMP_BODY_KINEMATIC ? impi_moves(&world->motions.data[slot]) : impi_is_dynamic(body);
  for (int32_t s = body->first_shape; s >= 0; s = world->shapes.data[s].next) {
    if (impi_shape_finish_attach(world, s) != IMP_OK) {
      impi_event_add(
          world, IMP_EVENT_WARNING,
          (ImpEvent){.text = "out of memory: a shape could not be stored for collisions and no longer collides"});
    }
  }
  impi_body_update_mass(world, slot);
  impi_body_rotors_follow(world, slot); // the other bodies of this body's joints may have moved
  impi_body_expect(world, slot);
  world->lists_dirty = true;
}


void impi_body_finish_enable(ImpWorld *world, int32_t slot, bool enabled) {
  if (enabled != world->bodies.data[slot].enabled) {
    (enabled ? enable : disable)(world, slot);
  }
}
