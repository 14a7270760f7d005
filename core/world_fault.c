// A body that takes no part in anything, after a fault or because somebody said so, and back.
#include "constants.h"
#include "world.h"


// It holds nothing and meets nothing any more. Who sleeps on it wakes first, while it is still there.
static void take_out(ImpWorld *world, int32_t slot) {
  ImpiBody *body = &world->bodies.data[slot];
  if (body->first_joint >= 0) {
    impi_joints_edited(world);
  }
  body->enabled = body->awake = body->fast = false;
  impi_body_drop_contacts(world, slot);
  world->lists_dirty = true;
}


void impi_fault(ImpWorld *world, int32_t slot, const ImpiMotion *last_good, const char *stage) {
  ImpiMotion *motion = &world->motions.data[slot];
  impi_still_neighbours(world, slot);
  *motion = *last_good;
  motion->vx = motion->vy = motion->w = 0;
  take_out(world, slot);
  impi_event_body(world, IMP_EVENT_FAULT, slot, stage);
}


static void disable(ImpWorld *world, int32_t slot) {
  ImpiBody *body = &world->bodies.data[slot];
  ImpiMotion *motion = &world->motions.data[slot];
  if (impi_is_dynamic(body) ? !body->awake : true) {
    impi_world_wake(world, slot);
    impi_world_wake_neighbours(world, slot);
  }
  impi_steer_drop(world, slot);
  if (body->mover > 0) {
    impi_mover_take_off(&world->movers.data[body->mover - 1]);
  }
  motion->vx = motion->vy = motion->w = 0;
  take_out(world, slot);
}


// Its pieces enter the broad phase anew, so that it meets what it overlaps.
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
      impi_event_add(world, IMP_EVENT_WARNING, (ImpEvent){.text = "out of memory: a shape is out of the world"});
    }
  }
  impi_body_update_mass(world, slot);
  impi_body_expect(world, slot);
  world->lists_dirty = true;
}


void impi_body_finish_enable(ImpWorld *world, int32_t slot, bool enabled) {
  if (enabled != world->bodies.data[slot].enabled) {
    (enabled ? enable : disable)(world, slot);
  }
}
