// Motion of bodies: getters of pose and velocity, forces and impulses, and setting the velocity.
#include "base/constants.h"
#include "model/property.h"
#include "world/bodies.h"
#include "world/calls.h"
#include "world/checks.h"
#include "world/contacts.h"
#include "world/joints.h"
#include "world/sleep.h"
#include "world/travel.h"


ImpiMotion impi_body_motion(const ImpWorld *world, int32_t slot) {
  ImpiMotion motion = world->motions.data[slot];
  if (world->stepping && world->bodies.data[slot].lane > 0) {
    impi_solver((int)world->solver)->read(&world->solve, slot, &motion);
  }
  return motion;
}


ImpStatus imp_body_get(const ImpWorld *world, ImpBody handle, ImpBodyProperty property, double *out_value) {
  IMPI_FIND_BODY(world, handle, slot);
  const ImpiBody *body = &world->bodies.data[slot];
  ImpiMotion own;
  switch (property) {
  case IMP_BODY_ANGLE:
    *out_value = impi_motion_now(world, slot, &own)->angle;
    return IMP_OK;
  case IMP_BODY_ANGULAR_VELOCITY:
    *out_value = impi_motion_now(world, slot, &own)->w;
    return IMP_OK;
  case IMP_BODY_MASS:
    *out_value = body->mass;
    return IMP_OK;
  case IMP_BODY_INERTIA:
    *out_value = body->inertia;
    return IMP_OK;
  case IMP_BODY_LOCK_X:
    *out_value = body->locks & 1u;
    return IMP_OK;
  case IMP_BODY_LOCK_Y:
    *out_value = body->locks >> 1 & 1u;
    return IMP_OK;
  case IMP_BODY_AWAKE:
    *out_value = body->awake;
    return IMP_OK;
  default:
    break;
  }
  if ((unsigned)property < IMP_BODY_PROPERTY_COUNT &&
      impi_property_read(&impi_body_properties[property], body, out_value)) {
    return IMP_OK;
  }
  return impi_fail(IMP_ERR_ARGUMENT, "a body has no such property");
}


ImpStatus imp_body_type(const ImpWorld *world, ImpBody handle, ImpBodyType *out_type) {
  IMPI_FIND_BODY(world, handle, slot);
  *out_type = world->bodies.data[slot].type;
  return IMP_OK;
}


ImpStatus imp_body_name(const ImpWorld *world, ImpBody handle, const char **out_name) {
  IMPI_FIND_BODY(world, handle, slot);
  *out_name = world->bodies.data[slot].name;
  return IMP_OK;
}


ImpStatus imp_body_user_data(const ImpWorld *world, ImpBody handle, void **out_user_data) {
  IMPI_FIND_BODY(world, handle, slot);
  *out_user_data = world->bodies.data[slot].user_data;
  return IMP_OK;
}


ImpStatus imp_body_transform(const ImpWorld *world, ImpBody handle, ImpTransform *out_transform) {
  IMPI_FIND_BODY(world, handle, slot);
  ImpiMotion own;
  const ImpiMotion *motion = impi_motion_now(world, slot, &own);
  *out_transform = impi_body_frame(&world->bodies.data[slot], motion);
  return IMP_OK;
}


ImpStatus imp_body_position(const ImpWorld *world, ImpBody handle, ImpVec2 *out_position) {
  IMPI_FIND_BODY(world, handle, slot);
  ImpiMotion own;
  const ImpiMotion *motion = impi_motion_now(world, slot, &own);
  *out_position = impi_body_frame(&world->bodies.data[slot], motion).p;
  return IMP_OK;
}


ImpStatus imp_body_center(const ImpWorld *world, ImpBody handle, ImpVec2 *out_center) {
  IMPI_FIND_BODY(world, handle, slot);
  ImpiMotion own;
  const ImpiMotion *motion = impi_motion_now(world, slot, &own);
  *out_center = impi_vec(motion->x, motion->y);
  return IMP_OK;
}


ImpStatus imp_body_velocity(const ImpWorld *world, ImpBody handle, ImpVec2 *out_velocity) {
  IMPI_FIND_BODY(world, handle, slot);
  ImpiMotion own;
  const ImpiMotion *motion = impi_motion_now(world, slot, &own);
  *out_velocity = impi_vec(motion->vx, motion->vy);
  return IMP_OK;
}


ImpStatus imp_body_velocity_at(const ImpWorld *world, ImpBody handle, ImpVec2 point, ImpVec2 *out_velocity) {
  IMPI_FIND_BODY(world, handle, slot);
  if (!impi_vec_is_finite(point)) {
    return impi_fail(IMP_ERR_ARGUMENT, "a point must be two finite numbers, got (%g, %g)", point.x, point.y);
  }
  ImpiMotion own;
  const ImpiMotion *motion = impi_motion_now(world, slot, &own);
  ImpVec2 r = {point.x - motion->x, point.y - motion->y};
  *out_velocity = impi_add(impi_vec(motion->vx, motion->vy), impi_cross_sv(motion->w, r));
  return IMP_OK;
}


ImpStatus imp_body_kinetic_energy(const ImpWorld *world, ImpBody handle, double *out_energy) {
  IMPI_FIND_BODY(world, handle, slot);
  const ImpiBody *body = &world->bodies.data[slot];
  ImpiMotion own;
  const ImpiMotion *m = impi_motion_now(world, slot, &own);
  *out_energy = 0.5 * (body->mass * (m->vx * m->vx + m->vy * m->vy) + body->inertia * m->w * m->w);
  return IMP_OK;
}


ImpStatus imp_body_contact_force(const ImpWorld *world, ImpBody handle, ImpVec2 *out_force) {
  IMPI_FIND_BODY(world, handle, slot);
  ImpVec2 sum = {0, 0};
  for (int32_t edge = world->bodies.data[slot].first_edge; edge >= 0;) {
    const ImpiContact *contact = impi_contact_now(world, edge >> 1);
    double sign = edge & 1 ? 1 : -1;
    edge = contact->edge[edge & 1].next;
    if (contact->flags & IMPI_CONTACT_IDLE) {
      continue;
    }
    for (int i = 0; i < contact->count; ++i) {
      sum = impi_mul_add(sum, sign * contact->points[i].total_n, contact->normal);
      sum = impi_mul_add(sum, sign * contact->points[i].total_t, impi_right(contact->normal));
    }
  }
  *out_force = impi_scale(1 / impi_last_dt(world), sum);
  return IMP_OK;
}


// Return whether force, torque and point are in range. False for NaN.
static inline bool is_push(double a, double b, double c, double d) {
  const double most = IMP_MAX_DRIVE;
  return fabs(a) < most && fabs(b) < most && fabs(c) < most && fabs(d) < most;
}


// Return the first number that is_push rejects, for an error message.
static double no_push(double a, double b, double c, double d) {
  return !is_push(a, 0, 0, 0) ? a : !is_push(b, 0, 0, 0) ? b : !is_push(c, 0, 0, 0) ? c : d;
}


static inline bool is_pushable(const ImpiBody *body, bool turning) {
  return impi_is_dynamic(body) && !(turning && body->type == IMP_BODY_PARTICLE);
}


ImpStatus impi_body_check_push(const ImpWorld *world, int32_t slot, bool turning, double a, double b, double c,
                               double d) {
  const ImpiBody *body = &world->bodies.data[slot];
  if (!is_push(a, b, c, d)) {
    return impi_fail(IMP_ERR_ARGUMENT, "a force, impulse, torque or point must be finite and below %g, got %g",
                     IMP_MAX_DRIVE, no_push(a, b, c, d));
  }
  if (!impi_is_dynamic(body)) {
    return impi_fail(IMP_ERR_ARGUMENT, "forces do not act on a %s body", imp_body_type_name((int)body->type));
  }
  if (turning && body->type == IMP_BODY_PARTICLE) {
    return impi_fail(IMP_ERR_ARGUMENT, "a particle does not rotate");
  }
  return IMP_OK;
}


// Find the body of a force or impulse and reserve list entries for it, or return an error.
static inline ImpStatus find_pushable(ImpWorld *world, ImpBody handle, bool turning, double a, double b, double c,
                                      double d, int32_t *out_slot) {
  IMPI_FIND_BODY(world, handle, slot);
  bool pushable = is_pushable(&world->bodies.data[slot], turning) && is_push(a, b, c, d);
  if (!pushable) {
    return impi_body_check_push(world, slot, turning, a, b, c, d);
  }
  // Inside a step a sleeping body wakes only at the end of the step.
  if (!impi_reserve(&world->heap, &world->push.pushed, world->push.pushed.count + 1) ||
      !impi_reserve(&world->heap, &world->push.forced, world->push.forced.count + 1)) {
    return impi_fail(IMP_ERR_NOMEM, "out of memory");
  }
  *out_slot = slot;
  return IMP_OK;
}


// Outside a step, apply an impulse at once. Inside a step, queue the impulse until the substep handlers have run.
static void give_impulse(ImpWorld *world, int32_t slot, ImpVec2 impulse, double angular) {
  ImpiBody *body = &world->bodies.data[slot];
  ImpiMotion *motion = &world->motions.data[slot];
  if (!body->enabled) {
    return;
  }
  if (world->stepping) {
    if (body->pushed == 0) {
      world->push.pushed.data[world->push.pushed.count++] = (ImpiPush){.body = slot};
      body->pushed = world->push.pushed.count;
    }
    ImpiPush *push = &world->push.pushed.data[body->pushed - 1];
    push->impulse = impi_add(push->impulse, impulse);
    push->angular += angular;
    return;
  }
  impi_world_wake(world, slot);
  world->row.valid = false;
  impi_body_rotors_start(world, slot);
  ImpVec2 part = impi_free_part(body, impulse.x, impulse.y);
  motion->vx = impi_bound_speed(motion->vx + body->inv_mass * part.x);
  motion->vy = impi_bound_speed(motion->vy + body->inv_mass * part.y);
  motion->w = impi_bound_speed(motion->w + body->inv_inertia * angular);
  impi_body_expect(world, slot);
}


// Apply a force over the next step. Inside a step, queue the force's impulse over one substep.
static inline void give_force(ImpWorld *world, int32_t slot, ImpVec2 force, double torque) {
  ImpiBody *body = &world->bodies.data[slot];
  if (!body->enabled) {
    return;
  }
  if (world->stepping) {
    double h = world->substep.length;
    give_impulse(world, slot, impi_scale(h, force), h * torque);
    return;
  }
  impi_world_wake(world, slot);
  if (body->force.x == 0 && body->force.y == 0 && body->torque == 0) {
    world->push.forced.data[world->push.forced.count++] = slot;
  }
  body->force = impi_add(body->force, force);
  body->torque += torque;
}


static double moment(const ImpWorld *world, int32_t slot, ImpVec2 force, ImpVec2 point) {
  if (world->bodies.data[slot].type == IMP_BODY_PARTICLE) {
    return 0;
  }
  ImpiMotion motion = impi_body_motion(world, slot);
  return impi_cross(impi_vec(point.x - motion.x, point.y - motion.y), force);
}


typedef void Give(ImpWorld *world, int32_t slot, ImpVec2 linear, double angular);


// Apply a force or impulse at a point; null: at the centre of mass.
static inline ImpStatus push(ImpWorld *world, ImpBody handle, ImpVec2 linear, const ImpVec2 *point, Give *give) {
  int32_t slot = -1;
  ImpVec2 at = point != NULL ? *point : impi_vec(0, 0);
  ImpStatus status = find_pushable(world, handle, false, linear.x, linear.y, at.x, at.y, &slot);
  if (status == IMP_OK) {
    give(world, slot, linear, point != NULL ? moment(world, slot, linear, at) : 0);
  }
  return status;
}


static inline ImpStatus turn(ImpWorld *world, ImpBody handle, double angular, Give *give) {
  int32_t slot = -1;
  ImpStatus status = find_pushable(world, handle, true, angular, 0, 0, 0, &slot);
  if (status == IMP_OK) {
    give(world, slot, impi_vec(0, 0), angular);
  }
  return status;
}


ImpStatus impi_body_apply_force(ImpWorld *world, ImpBody handle, ImpVec2 force) {
  return push(world, handle, force, NULL, give_force);
}


ImpStatus impi_body_apply_force_at(ImpWorld *world, ImpBody handle, ImpVec2 force, ImpVec2 point) {
  return push(world, handle, force, &point, give_force);
}


ImpStatus impi_body_apply_torque(ImpWorld *world, ImpBody handle, double torque) {
  return turn(world, handle, torque, give_force);
}


ImpStatus impi_body_apply_impulse(ImpWorld *world, ImpBody handle, ImpVec2 impulse) {
  return push(world, handle, impulse, NULL, give_impulse);
}


ImpStatus impi_body_apply_impulse_at(ImpWorld *world, ImpBody handle, ImpVec2 impulse, ImpVec2 point) {
  return push(world, handle, impulse, &point, give_impulse);
}


ImpStatus impi_body_apply_angular_impulse(ImpWorld *world, ImpBody handle, double impulse) {
  return turn(world, handle, impulse, give_impulse);
}


ImpStatus impi_body_check_velocity(const ImpWorld *world, int32_t slot, ImpVec2 velocity) {
  ImpStatus status = impi_check_vector(velocity, IMPI_MAX_COORDINATE, "body.velocity", "m/s");
  if (status == IMP_OK && world->bodies.data[slot].type == IMP_BODY_STATIC && (velocity.x != 0 || velocity.y != 0)) {
    status = impi_fail(IMP_ERR_ARGUMENT, "body.velocity: a static body does not move (use a kinematic body)");
  }
  return status;
}


ImpStatus impi_body_set_velocity(ImpWorld *world, ImpBody handle, ImpVec2 velocity) {
  IMPI_FIND_BODY(world, handle, slot);
  ImpStatus status = impi_body_check_velocity(world, slot, velocity);
  if (status != IMP_OK) {
    return status;
  }
  if (world->bodies.data[slot].mover > 0) {
    status = impi_mover_set_velocity(world, (ImpMover){handle.id}, velocity);
    if (world->stepping) {
      return status; // in this step the mover determines the motion of its body
    }
  }
  if (world->stepping) {
    return impi_queue(world, (ImpiCommand){.kind = IMPI_COMMAND_SET_VELOCITY, .slot = slot, .value = velocity});
  }
  impi_body_finish_set_velocity(world, slot, velocity);
  return IMP_OK;
}


// Stop a sleeping static or kinematic body, whose velocity may be NaN.
static void stand_still(ImpWorld *world, int32_t slot) {
  const ImpiBody *body = &world->bodies.data[slot];
  ImpiMotion *motion = &world->motions.data[slot];
  if (!impi_is_dynamic(body) && !body->awake) {
    motion->vx = motion->vy = motion->w = 0;
  }
}


void impi_still_neighbours(ImpWorld *world, int32_t slot) {
  const ImpiBody *body = &world->bodies.data[slot];
  for (int32_t edge = body->first_edge; edge >= 0;) {
    const ImpiContact *contact = &world->contacts.data[edge >> 1];
    stand_still(world, edge & 1 ? contact->body_a : contact->body_b);
    edge = contact->edge[edge & 1].next;
  }
  for (int32_t e = body->first_joint; e >= 0; e = world->joint_edges.data[e].next) {
    const ImpiJoint *joint = &world->joints.data[world->joint_edges.data[e].joint];
    for (int i = 0; i < impi_joint_body_count(joint); ++i) {
      stand_still(world, impi_joint_body(joint, i));
    }
  }
}


// Set the velocity of a body. If an awake body's velocity changes by at most IMPI_SLEEP_CHANGE, the body's sleep timer
// continues. The rotors of the body's joints follow the change, unless the body is kinematic.
void impi_body_change_velocity(ImpWorld *world, int32_t slot, ImpVec2 velocity, double w) {
  ImpiBody *body = &world->bodies.data[slot];
  ImpiMotion *motion = &world->motions.data[slot];
  double change = fabs(velocity.x - motion->vx) + fabs(velocity.y - motion->vy) + fabs(w - motion->w) * body->extent;
  bool changed = velocity.x != motion->vx || velocity.y != motion->vy || w != motion->w;
  motion->vx = velocity.x;
  motion->vy = velocity.y;
  motion->w = w;
  if (changed && body->type != IMP_BODY_KINEMATIC) {
    impi_body_rotors_follow(world, slot);
  }
  if (body->type == IMP_BODY_KINEMATIC) {
    if (changed) {
      impi_kinematic_changed(world, slot);
    }
  } else if (body->awake ? change > IMPI_SLEEP_CHANGE : changed) {
    impi_world_wake(world, slot);
  }
}


void impi_body_finish_set_velocity(ImpWorld *world, int32_t slot, ImpVec2 velocity) {
  const ImpiBody *body = &world->bodies.data[slot];
  if (body->type == IMP_BODY_STATIC) {
    return; // the call has no effect, because the type of the body has changed since the call was queued
  }
  world->row.valid = false;
  impi_kinematic_target_cancel(world, slot);
  ImpVec2 free = impi_is_dynamic(body) ? impi_free_part(body, velocity.x, velocity.y) : velocity;
  double w = body->fixed_rotation || body->type == IMP_BODY_PARTICLE ? 0 : world->motions.data[slot].w;
  impi_body_change_velocity(world, slot, free, w);
  impi_body_expect(world, slot);
}


const ImpiMotion *impi_world_start(const ImpWorld *world, int32_t body) {
  int low = 0, high = world->awake.count - 1; // binary search: awake bodies are listed by slot
  if (high >= world->backup.capacity) {       // the last step failed before it made the backup
    return &world->motions.data[body];
  }
  while (low <= high) {
    int middle = (low + high) / 2, there = world->awake.data[middle];
    if (there == body) {
      return &world->backup.data[middle];
    }
    *(there < body ? &low : &high) = there < body ? middle + 1 : middle - 1;
  }
  return &world->motions.data[body];
}
