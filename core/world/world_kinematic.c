// Kinematic targets: in the next step a body moves to its target at a constant velocity, and then stands still.
// When a step begins, velocity = (target - pose) / dt. When the step ends, pose = target exactly. The velocity can be
// read until the next step begins, and then becomes 0.
#include "base/constants.h"
#include "world/bodies.h"
#include "world/calls.h"
#include "world/checks.h"
#include "world/contacts.h"
#include "world/sleep.h"


static ImpiKinematicTarget *kinematic_target_of(ImpWorld *world, int32_t slot) {
  int32_t place = world->bodies.data[slot].kinematic_target;
  return place > 0 ? &world->push.kinematic_targets.data[place - 1] : NULL;
}


void impi_kinematic_changed(ImpWorld *world, int32_t slot) {
  ImpiBody *body = &world->bodies.data[slot];
  body->awake = body->enabled && impi_moves(&world->motions.data[slot]);
  body->fast = body->fast && body->awake;
  world->lists_dirty = true;
  for (int32_t edge = body->first_edge; edge >= 0;) { // recheck contacts where the body came to rest
    edge = impi_contact_look_again(world, edge >> 1)->edge[edge & 1].next;
  }
  impi_world_wake_neighbours(world, slot);
}


// Remove the target of a body from the list of targets, whose order has no meaning.
void impi_kinematic_target_drop(ImpWorld *world, int32_t slot) {
  int32_t place = world->bodies.data[slot].kinematic_target - 1;
  if (place < 0) {
    return;
  }
  world->bodies.data[slot].kinematic_target = 0;
  ImpiKinematicTarget last = world->push.kinematic_targets.data[--world->push.kinematic_targets.count];
  if (last.body != slot) {
    world->push.kinematic_targets.data[place] = last;
    world->bodies.data[last.body].kinematic_target = place + 1;
  }
}


void impi_kinematic_target_cancel(ImpWorld *world, int32_t slot) {
  const ImpiKinematicTarget *kinematic_target = kinematic_target_of(world, slot);
  if (kinematic_target != NULL && kinematic_target->reached) { // the velocity is left over from the last step
    ImpiMotion *motion = &world->motions.data[slot];
    motion->vx = motion->vy = motion->w = 0;
  }
  impi_kinematic_target_drop(world, slot);
}


void impi_kinematic_target_clear(ImpWorld *world, int32_t slot) {
  ImpiKinematicTarget *kinematic_target = kinematic_target_of(world, slot);
  if (kinematic_target == NULL) {
    return;
  }
  kinematic_target->has_target = false;
  if (!kinematic_target->reached) {
    impi_kinematic_target_drop(world, slot);
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
    return; // the call has no effect, because the body has changed since the call was queued
  }
  if (body->kinematic_target == 0) {
    world->push.kinematic_targets.data[world->push.kinematic_targets.count++] = (ImpiKinematicTarget){.body = slot};
    body->kinematic_target = world->push.kinematic_targets.count;
  }
  ImpiKinematicTarget *kinematic_target = kinematic_target_of(world, slot);
  kinematic_target->has_target = true;
  kinematic_target->to = to;
  kinematic_target->angle = angle != NULL ? *angle : world->motions.data[slot].angle;
}


static ImpStatus move_to(ImpWorld *world, ImpBody handle, ImpVec2 to, const double *angle) {
  IMPI_FIND_BODY(world, handle, slot);
  const ImpiBody *body = &world->bodies.data[slot];
  if (body->type != IMP_BODY_KINEMATIC) {
    return impi_fail(IMP_ERR_ARGUMENT, "a %s body cannot follow a target, only a kinematic body can",
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
                     "the target is too far: to reach it in a step, the body would need %g m/s and %g rad/s for %g s, "
                     "at most %g m/s and rad/s are allowed",
                     speed, fabs(goes.w), world->settings.dt, IMPI_MAX_COORDINATE);
  }
  // Each queued target may need an entry of the list, too.
  if (!impi_reserve(&world->heap, &world->push.kinematic_targets,
                    world->push.kinematic_targets.count + world->queue.commands.count + 1)) {
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


static void set_off(ImpWorld *world, ImpiKinematicTarget *kinematic_target) {
  int32_t slot = kinematic_target->body;
  ImpiBody *body = &world->bodies.data[slot];
  ImpiMotion *motion = &world->motions.data[slot];
  kinematic_target->before = *motion;
  kinematic_target->moving = true;
  if (kinematic_target->has_target) {
    *motion = velocity_to(world, slot, kinematic_target->to, kinematic_target->angle);
  } else { // the body reached its target in the last step, and stops
    motion->vx = motion->vy = motion->w = 0;
  }
  // While the body moves, bodies that touch it stay awake.
  if (!kinematic_target->has_target || body->awake != impi_moves(motion)) {
    impi_kinematic_changed(world, slot);
  }
  if (body->bullet) {
    impi_body_refit(world, slot);
  }
}


void impi_kinematic_targets_begin(ImpWorld *world) {
  for (int i = 0; i < world->push.kinematic_targets.count; ++i) {
    set_off(world, &world->push.kinematic_targets.data[i]);
  }
}


void impi_kinematic_targets_undo(ImpWorld *world) {
  for (int i = 0; i < world->push.kinematic_targets.count; ++i) {
    ImpiKinematicTarget *kinematic_target = &world->push.kinematic_targets.data[i];
    if (kinematic_target->moving) {
      kinematic_target->moving = false;
      world->motions.data[kinematic_target->body] = kinematic_target->before;
      ImpiBody *body = &world->bodies.data[kinematic_target->body];
      body->awake = impi_moves(&kinematic_target->before);
      body->fast = body->fast && body->awake;
      world->lists_dirty = true;
    }
  }
}


void impi_kinematic_targets_end(ImpWorld *world) {
  for (int i = world->push.kinematic_targets.count - 1; i >= 0; --i) {
    ImpiKinematicTarget *kinematic_target = &world->push.kinematic_targets.data[i];
    const ImpiBody *body = &world->bodies.data[kinematic_target->body];
    // The body was disabled by a fault, or has no target in this step.
    if (!body->enabled || !kinematic_target->has_target) {
      impi_kinematic_target_drop(world, kinematic_target->body);
      continue;
    }
    ImpiMotion *motion = &world->motions.data[kinematic_target->body];
    ImpRot q = impi_rot(kinematic_target->angle);
    motion->x = kinematic_target->to.x; // the centre of mass of a kinematic body is the body's origin
    motion->y = kinematic_target->to.y;
    motion->angle = kinematic_target->angle;
    motion->c = q.c;
    motion->s = q.s;
    kinematic_target->has_target = kinematic_target->moving = false;
    kinematic_target->reached = true;
  }
}
