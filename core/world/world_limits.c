// Speed limits of bodies. The speed is cut before rows are solved, at the end of the step and after a time-of-impact
// event.
// The last two cuts also slow the rotors of the body's joints, because their energy would accelerate the body again.
#include "world/audit.h"
#include "world/bodies.h"
#include "world/joints.h"

#include <stddef.h>


ImpStatus impi_limits_begin(ImpWorld *world) {
  world->push.limited.count = 0;
  if (world->push.limited_bodies == 0) {
    return IMP_OK;
  }
  if (!impi_reserve(&world->heap, &world->push.limited, world->awake.count)) {
    return impi_fail(IMP_ERR_NOMEM, "out of memory");
  }
  for (int i = 0; i < world->awake.count; ++i) {
    int32_t slot = world->awake.data[i];
    const ImpiBody *body = &world->bodies.data[slot];
    if (impi_is_dynamic(body) && impi_body_is_limited(body)) {
      world->push.limited.data[world->push.limited.count++] = slot;
    }
  }
  return IMP_OK;
}


static double part_left(double speed, double limit) { return limit > 0 && speed > limit ? limit / speed : 1; }


static void enter(const ImpiSolve *solve, int32_t slot, const ImpiMotion *before, const ImpiMotion *after) {
  if (solve->ledger != NULL) {
    impi_ledger_jump(solve->ledger, IMP_ENERGY_DAMPING, slot, &solve->bodies[slot], before, after);
  }
}


void impi_limits_push(ImpiSolve *solve, double h) {
  const ImpWorld *world = solve->owner;
  for (int i = 0; i < world->push.limited.count; ++i) {
    int32_t slot = world->push.limited.data[i];
    const ImpiBody *body = &solve->bodies[slot];
    ImpiMotion m = impi_body_motion(world, slot);
    ImpVec2 gain = impi_body_free_acceleration(body, solve->settings->gravity);
    ImpVec2 v = impi_mul_add(impi_vec(m.vx, m.vy), h, gain);
    double w = m.w + h * body->inv_inertia * body->torque;
    double linear = 1 / (1 + h * body->linear_damping), angular = 1 / (1 + h * body->angular_damping);
    double kept = part_left(impi_length(v) * linear, body->max_speed);
    double turned = part_left(fabs(w) * angular, body->max_angular_speed);
    if (kept == 1 && turned == 1) {
      continue;
    }
    double dvx = (kept - 1) * v.x, dvy = (kept - 1) * v.y, dw = (turned - 1) * w;
    if (body->lane > 0) {
      solve->solver->push(solve, slot, dvx, dvy, dw);
    } else {
      solve->motions[slot].vx += dvx;
      solve->motions[slot].vy += dvy;
      solve->motions[slot].w += dw;
    }
    ImpiMotion after = impi_body_motion(world, slot);
    enter(solve, slot, &m, &after);
  }
}


// Cut a body's speed to its limits. Returns whether the speed was above a limit.
static bool cut(const ImpiBody *body, ImpiMotion *m) {
  double kept = part_left(sqrt(m->vx * m->vx + m->vy * m->vy), body->max_speed);
  double turned = part_left(fabs(m->w), body->max_angular_speed);
  m->vx *= kept;
  m->vy *= kept;
  m->w *= turned;
  return kept < 1 || turned < 1;
}


static double rotor_energy(ImpWorld *world, int32_t slot) {
  double energy = 0;
  for (int32_t e = world->bodies.data[slot].first_joint; e >= 0; e = world->joint_edges.data[e].next) {
    energy += impi_joint_rotor_energy(world, world->joint_edges.data[e].joint);
  }
  return energy;
}


// Cut the speed of a body and of its joints' rotors. *out_lost: energy lost by rotors [J], if `auditing`.
static bool cut_with_rotors(ImpWorld *world, int32_t slot, double *out_lost) {
  bool accounts = world->settings.auditing;
  ImpiMotion *m = &world->motions.data[slot], after = *m;
  *out_lost = 0;
  if (!cut(&world->bodies.data[slot], &after)) {
    return false;
  }
  double before = accounts ? rotor_energy(world, slot) : 0;
  *m = after;
  impi_body_rotors_follow(world, slot);
  *out_lost = accounts ? before - rotor_energy(world, slot) : 0;
  return true;
}


void impi_limits_end(ImpiSolve *solve) {
  ImpWorld *world = solve->owner;
  for (int i = 0; i < world->push.limited.count; ++i) {
    int32_t slot = world->push.limited.data[i];
    ImpiMotion before = solve->motions[slot];
    double lost;
    if (cut_with_rotors(world, slot, &lost)) {
      enter(solve, slot, &before, &solve->motions[slot]);
      if (solve->ledger != NULL && lost != 0) {
        impi_ledger_enter(solve->ledger, IMP_ENERGY_DAMPING, -lost, IMPI_OWNER_BODY, slot);
      }
    }
  }
}


void impi_limits_meet(ImpWorld *world, int32_t slot) {
  const ImpiBody *body = &world->bodies.data[slot];
  const ImpiMotion *m = &world->motions.data[slot], before = *m;
  double lost;
  if (impi_is_dynamic(body) && cut_with_rotors(world, slot, &lost) && world->settings.auditing) {
    double linear = m->vx * m->vx + m->vy * m->vy - before.vx * before.vx - before.vy * before.vy;
    double angular = m->w * m->w - before.w * before.w;
    impi_audit_enter(world, IMP_ENERGY_DAMPING, 0.5 * (body->mass * linear + body->inertia * angular) - lost, -1);
  }
}
