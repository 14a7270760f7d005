// Kinematic targets. In the next step a body with a target moves to the target at a constant velocity, so that bodies
// that touch it are carried and pushed with its true velocity. Then it stands still, unless it gets another target.
//
// A body with a target has an entry in `steered`. When a step begins, its velocity becomes (target - pose) / dt. When
// the step ends, it is placed exactly at the target, so that rounding does not accumulate. Its velocity can be read
// until the next step begins, and then becomes 0.
#include "base/constants.h"
#include "world/bodies.h"
#include "world/calls.h"
#include "world/checks.h"
#include "world/contacts.h"
#include "world/sleep.h"


static ImpiSteer *steer_of(ImpWorld *world, int32_t slot) {
  int32_t place = world->bodies.data[slot].steer;
  return place > 0 ? &world->push.steered.data[place - 1] : NULL;
}


void impi_kinematic_changed(ImpWorld *world, int32_t slot) {
  ImpiBody *body = &world->bodies.data[slot];
  body->awake = body->enabled && impi_moves(&world->motions.data[slot]);
  body->fast = body->fast && body->awake;
  world->lists_dirty = true;
  for (int32_t edge = body->first_edge; edge >= 0;) { // recheck contacts where it came to rest
    edge = impi_contact_look_again(world, edge >> 1)->edge[edge & 1].next;
  }
  impi_world_wake_neighbours(world, slot);
}


// The order of the list has no meaning: the last entry fills the gap.
void impi_steer_drop(ImpWorld *world, int32_t slot) {
  int32_t place = world->bodies.data[slot].steer - 1;
  if (place < 0) {
    return;
  }
  world->bodies.data[slot].steer = 0;
  ImpiSteer last = world->push.steered.data[--world->push.steered.count];
  if (last.body != slot) {
    world->push.steered.data[place] = last;
    world->bodies.data[last.body].steer = place + 1;
  }
}


void impi_steer_cancel(ImpWorld *world, int32_t slot) {
  const ImpiSteer *steer = steer_of(world, slot);
  if (steer != NULL && steer->spent) { // its velocity is left over from the last step
    ImpiMotion *motion = &world->motions.data[slot];
    motion->vx = motion->vy = motion->w = 0;
  }
  impi_steer_drop(world, slot);
}


void impi_steer_forget_target(ImpWorld *world, int32_t slot) {
  ImpiSteer *steer = steer_of(world, slot);
  if (steer == NULL) {
    return;
  }
  steer->told = false;
  if (!steer->spent) {
    impi_steer_drop(world, slot);
    impi_kinematic_changed(world, slot);
  }
}


// Return the motion with the velocity that takes a body to its target in one step.
static ImpiMotion velocity_to(const ImpWorld *world, int32_t slot, ImpVec2 to, double angle) {
  ImpiMotion m = world->motions.data[slot];
  double dt = world->settings.dt;
  m.vx = (to.x - m.x) / dt;
  m.vy = (to.y - m.y) / dt;
  m.w = (angle - m.angle) / dt;
  return m;
}


void impi_body_finish_move_to(ImpWorld *world, int32_t slot, ImpVec2 to, const double *angle) {
  ImpiBody *body = &world->bodies.data[slot];
  if (body->type != IMP_BODY_KINEMATIC || !body->enabled) {
    return; // changed since the call was queued
  }
  if (body->steer == 0) {
    world->push.steered.data[world->push.steered.count++] = (ImpiSteer){.body = slot};
    body->steer = world->push.steered.count;
  }
  ImpiSteer *steer = steer_of(world, slot);
  steer->told = true;
  steer->to = to;
  steer->angle = angle != NULL ? *angle : world->motions.data[slot].angle;
}


static ImpStatus move_to(ImpWorld *world, ImpBody handle, ImpVec2 to, const double *angle) {
  IMPI_FIND_BODY(world, handle, slot);
  const ImpiBody *body = &world->bodies.data[slot];
  if (body->type != IMP_BODY_KINEMATIC) {
    return impi_fail(IMP_ERR_ARGUMENT, "a %s body does not follow targets, only a kinematic one does",
                     imp_body_type_name((int)body->type));
  }
  if (body->mover > 0) {
    return impi_fail(IMP_ERR_ARGUMENT, "the body of a mover does not follow targets: move the mover instead");
  }
  ImpStatus status = impi_check_vector(to, IMPI_MAX_COORDINATE, "the target", "m");
  if (status == IMP_OK && angle != NULL) {
    status = impi_check_property(imp_body_property(IMP_BODY_ANGLE), *angle, "body");
  }
  if (status != IMP_OK) {
    return status;
  }
  ImpiMotion goes = velocity_to(world, slot, to, angle != NULL ? *angle : world->motions.data[slot].angle);
  double speed = impi_max(fabs(goes.vx), fabs(goes.vy));
  if (speed > IMPI_MAX_COORDINATE || fabs(goes.w) > IMPI_MAX_COORDINATE) {
    return impi_fail(IMP_ERR_ARGUMENT,
                     "the target is too far: to reach it takes %g m/s and %g rad/s in a step of %g s, at most %g",
                     speed, fabs(goes.w), world->settings.dt, IMPI_MAX_COORDINATE);
  }
  // Each queued target may need an entry, too.
  if (!impi_reserve(&world->heap, &world->push.steered, world->push.steered.count + world->queue.commands.count + 1)) {
    return impi_fail(IMP_ERR_NOMEM, "out of memory");
  }
  if (world->stepping) {
    return impi_queue(world, (ImpiCommand){.kind = IMPI_COMMAND_MOVE_TO,
                                           .slot = slot,
                                           .property = angle != NULL,
                                           .value = to,
                                           .angle = angle != NULL ? *angle : 0});
  }
  impi_body_finish_move_to(world, slot, to, angle);
  return IMP_OK;
}


ImpStatus impi_body_move_to(ImpWorld *world, ImpBody body, ImpVec2 position) {
  return move_to(world, body, position, NULL);
}


ImpStatus impi_body_move_to_pose(ImpWorld *world, ImpBody body, ImpVec2 position, double angle) {
  return move_to(world, body, position, &angle);
}


// ---------------------------------------------------------------------------------------------------------------------
// Stages of the step
// ---------------------------------------------------------------------------------------------------------------------


static void set_off(ImpWorld *world, ImpiSteer *steer) {
  int32_t slot = steer->body;
  ImpiBody *body = &world->bodies.data[slot];
  ImpiMotion *motion = &world->motions.data[slot];
  steer->before = *motion;
  steer->moving = true;
  if (steer->told) {
    *motion = velocity_to(world, slot, steer->to, steer->angle);
  } else { // its target was reached in the last step
    motion->vx = motion->vy = motion->w = 0;
  }
  if (!steer->told || body->awake != impi_moves(motion)) { // bodies that touch it stay awake while it moves
    impi_kinematic_changed(world, slot);
  }
  if (body->bullet) {
    impi_body_refit(world, slot);
  }
}


void impi_steer_begin(ImpWorld *world) {
  for (int i = 0; i < world->push.steered.count; ++i) {
    set_off(world, &world->push.steered.data[i]);
  }
}


void impi_steer_undo(ImpWorld *world) {
  for (int i = 0; i < world->push.steered.count; ++i) {
    ImpiSteer *steer = &world->push.steered.data[i];
    if (steer->moving) {
      steer->moving = false;
      world->motions.data[steer->body] = steer->before;
      ImpiBody *body = &world->bodies.data[steer->body];
      body->awake = impi_moves(&steer->before);
      body->fast = body->fast && body->awake;
      world->lists_dirty = true;
    }
  }
}


void impi_steer_end(ImpWorld *world) {
  for (int i = world->push.steered.count - 1; i >= 0; --i) {
    ImpiSteer *steer = &world->push.steered.data[i];
    const ImpiBody *body = &world->bodies.data[steer->body];
    if (!body->enabled || !steer->told) { // disabled by a fault, or without a target in this step
      impi_steer_drop(world, steer->body);
      continue;
    }
    ImpiMotion *motion = &world->motions.data[steer->body];
    ImpRot q = impi_rot(steer->angle);
    motion->x = steer->to.x; // the centre of mass of a kinematic body is its origin
    motion->y = steer->to.y;
    motion->angle = steer->angle;
    motion->c = q.c;
    motion->s = q.s;
    steer->told = steer->moving = false;
    steer->spent = true;
  }
}
