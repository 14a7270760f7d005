#include "model/body.h"

#include "base/constants.h"
#include "base/float_state.h"


__attribute__((noinline)) void impi_body_invert_mass(ImpiBody *body) {
  bool turns = body->inertia > 0 && !body->fixed_rotation && body->type == IMP_BODY_DYNAMIC;
  body->inv_mass = impi_is_dynamic(body) && body->mass > 0 ? 1 / body->mass : 0;
  body->inv_inertia = turns ? 1 / body->inertia : 0;
}


void impi_body_set_mass(ImpiBody *body, ImpiMotion *motion, ImpiMass total, double farthest) {
  ImpVec2 old_center = body->local_center;
  total.area = impi_min(total.area, IMPI_HUGE);
  body->mass = body->inertia = body->inv_mass = body->inv_inertia = 0;
  body->local_center = total.area > 0 && impi_is_dynamic(body) ? total.center : impi_vec(0, 0);
  if (impi_is_dynamic(body)) {
    double shape_mass = total.area;
    body->mass = body->given_mass > 0 ? body->given_mass : (shape_mass > 0 ? shape_mass : 1);
    if (body->given_inertia > 0) {
      body->inertia = body->given_inertia;
    } else if (shape_mass > 0) {
      body->inertia = impi_min(total.inertia * (body->mass / shape_mass), IMPI_HUGE);
    }
    // Inverse mass and inertia must have the same bits as after a restore, which uses the default float state.
    uint64_t float_state = impi_float_state_enter();
    impi_body_invert_mass(body);
    impi_float_state_leave(float_state);
    if (body->inv_inertia == 0 && body->type == IMP_BODY_DYNAMIC && body->fixed_rotation) {
      motion->w = 0;
    }
  }
  body->extent = farthest + impi_length(body->local_center);
  // Without shapes the extent is the radius of gyration, for the test for sleep.
  if (body->extent == 0 && body->inertia > 0) {
    body->extent = impi_min(sqrt(body->inertia / body->mass), IMPI_MAX_REACH);
  }
  // The origin does not move. The velocity becomes that of the new centre of mass.
  ImpVec2 shift = impi_rotate((ImpRot){motion->c, motion->s}, impi_sub(body->local_center, old_center));
  motion->x += shift.x;
  motion->y += shift.y;
  motion->vx = impi_bound_speed(motion->vx - motion->w * shift.y);
  motion->vy = impi_bound_speed(motion->vy + motion->w * shift.x);
  if (body->locks != 0 && impi_is_dynamic(body)) {
    impi_body_hold(body, &motion->vx, &motion->vy);
  }
}


void impi_body_integrate_velocity(const ImpiBody *body, ImpiMotion *motion, ImpVec2 gravity, double h) {
  if (body->inv_mass == 0) {
    return;
  }
  double linear = 1 / (1 + h * body->linear_damping);
  double angular = 1 / (1 + h * body->angular_damping);
  ImpVec2 a = impi_body_acceleration(body, gravity);
  motion->vx = (motion->vx + h * a.x) * linear;
  motion->vy = (motion->vy + h * a.y) * linear;
  motion->w = (motion->w + h * (body->inv_inertia * body->torque)) * angular;
  if (body->locks != 0) {
    impi_body_hold(body, &motion->vx, &motion->vy);
  }
}


void impi_body_integrate_position(const ImpiBody *body, ImpiMotion *motion, double h) {
  motion->x += h * motion->vx;
  motion->y += h * motion->vy;
  if (body->type == IMP_BODY_PARTICLE || motion->w == 0) {
    return;
  }
  motion->angle += h * motion->w;
  ImpRot q = impi_rot(motion->angle);
  motion->c = q.c;
  motion->s = q.s;
}


void impi_body_fly(const ImpiBody *body, ImpiMotion *motion, ImpVec2 gravity, double h, int steps) {
  double linear = 1 / (1 + h * body->linear_damping), angular = 1 / (1 + h * body->angular_damping);
  ImpVec2 gain = impi_scale(h, impi_body_acceleration(body, gravity));
  double spin = h * (body->inv_inertia * body->torque);
  ImpiMotion m = *motion;
  bool turned = false;
  for (int step = 0; step < steps; ++step) {
    if (body->inv_mass > 0) {
      m.vx = (m.vx + gain.x) * linear;
      m.vy = (m.vy + gain.y) * linear;
      m.w = (m.w + spin) * angular;
      if (body->locks != 0) {
        impi_body_hold(body, &m.vx, &m.vy);
      }
    }
    m.x += h * m.vx;
    m.y += h * m.vy;
    if (body->type != IMP_BODY_PARTICLE && m.w != 0) {
      m.angle += h * m.w;
      turned = true;
    }
  }
  if (turned) {
    ImpRot q = impi_rot(m.angle);
    m.c = q.c;
    m.s = q.s;
  }
  *motion = m;
}


bool impi_motion_is_sane(const ImpiMotion *motion) {
  // All comparisons are false for NaN.
  return fabs(motion->x) <= IMPI_MAX_COORDINATE && fabs(motion->y) <= IMPI_MAX_COORDINATE &&
         fabs(motion->vx) < IMPI_HUGE && fabs(motion->vy) < IMPI_HUGE && fabs(motion->w) < IMPI_HUGE &&
         fabs(motion->angle) <= IMP_MAX_ANGLE;
}
