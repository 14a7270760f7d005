// Selection of the points of a fast body's manifolds that get rows.
#include "step/continuous.h"


// Displacement in the coming step under gravity alone [m, rad].
static ImpiMotion way_ahead(const ImpWorld *world, const ImpiBody *body, const ImpiMotion *motion) {
  double dt = world->settings.dt, fall = impi_is_dynamic(body) ? dt * dt * body->gravity_scale : 0;
  return (ImpiMotion){.vx = dt * motion->vx + fall * world->settings.gravity.x,
                      .vy = dt * motion->vy + fall * world->settings.gravity.y,
                      .w = dt * motion->w};
}


static bool passes_by(const ImpWorld *world, const ImpiContact *contact) {
  const ImpiBody *a = &world->bodies.data[contact->body_a], *b = &world->bodies.data[contact->body_b];
  const ImpiMotion *m_a = &world->motions.data[contact->body_a], *m_b = &world->motions.data[contact->body_b];
  ImpiMotion way_a = way_ahead(world, a, m_a), way_b = way_ahead(world, b, m_b);
  ImpiSweep sweep_a = impi_sweep_of(a, m_a, &way_a), sweep_b = impi_sweep_of(b, m_b, &way_b);
  ImpiToi toi;
  impi_time_of_impact(&world->shapes.data[contact->shape_a].geometry.hulls[contact->child_a], &sweep_a,
                      &world->shapes.data[contact->shape_b].geometry.hulls[contact->child_b], &sweep_b, 0, 1, &toi);
  return toi.state == IMPI_TOI_APART;
}


// Return the body of a pair that the continuous stage moves, or null.
static const ImpiBody *mover_of(const ImpWorld *world, int32_t body_a, int32_t body_b) {
  const ImpiBody *a = &world->bodies.data[body_a], *b = &world->bodies.data[body_b];
  if (!impi_stage_looks_at(a, b)) {
    return NULL;
  }
  if (impi_is_dynamic(a) && impi_is_dynamic(b)) {
    return a->bullet ? a : b;
  }
  return impi_is_dynamic(a) ? a : b;
}


// Largest speed at which rotation brings a body's surface nearer [m/s]: 0 for a circle.
static double turning_of(const ImpWorld *world, int32_t body, const ImpiMotion *motion, bool round) {
  return round ? 0 : fabs(motion->w) * world->bodies.data[body].extent;
}


double impi_margin_ahead(const ImpWorld *world, const ImpiContact *contact) {
  const ImpiBody *mover = mover_of(world, contact->body_a, contact->body_b);
  bool lies = contact->flags & IMPI_CONTACT_TOUCHING && contact->count > 0;
  bool all_ahead = mover != NULL && (mover->first_joint >= 0 || impi_is_wheel(world, mover));
  if (mover == NULL || (!all_ahead && !lies)) {
    return IMPI_SPECULATIVE_MARGIN;
  }
  const ImpiMotion *a = &world->motions.data[contact->body_a], *b = &world->motions.data[contact->body_b];
  double turning = turning_of(world, contact->body_a, a, contact->flags & IMPI_CONTACT_ROUND_A) +
                   turning_of(world, contact->body_b, b, contact->flags & IMPI_CONTACT_ROUND_B);
  // The far end of a body that turns about the contact point has twice the speed of its centre. With `all_ahead`,
  // motion along the surface is included.
  double speed = all_ahead ? impi_length(impi_vec(b->vx - a->vx, b->vy - a->vy)) + turning : 2 * turning;
  return impi_max(IMPI_SPECULATIVE_MARGIN, world->settings.dt * speed);
}


void impi_leave_to_stage(const ImpWorld *world, ImpiContact *contact) {
  const ImpiBody *mover = mover_of(world, contact->body_a, contact->body_b);
  if (contact->count == 0 || contact->flags & IMPI_CONTACT_SENSOR || mover == NULL) {
    return;
  }
  if (contact->flags & IMPI_CONTACT_CORNER && impi_is_wheel(world, mover)) {
    return;
  }
  double stride = mover->first_joint < 0 ? impi_stride(world, mover) : IMPI_HUGE;
  double least = impi_contact_separation(contact);
  int kept = 0;
  // Keep both points of a plank that touches an edge with one end while its other end approaches the same edge.
  if (contact->count == 2 && least <= IMPI_FAST_TOUCH) {
    return;
  }
  for (int i = 0; i < contact->count; ++i) {
    const ImpiContactPoint *point = &contact->points[i];
    double approach = impi_contact_approach(contact, point, &world->motions.data[contact->body_a],
                                            &world->motions.data[contact->body_b]);
    if (point->separation <= IMPI_FAST_TOUCH || approach * world->settings.dt <= stride) {
      contact->points[kept++] = *point;
    }
  }
  kept = least > IMPI_FAST_TOUCH && kept > 0 && passes_by(world, contact) ? 0 : kept;
  if (kept < contact->count) {
    contact->count = (int8_t)kept;
    contact->flags &= ~(uint32_t)IMPI_CONTACT_FRESH;
    contact->flags &= kept == 0 ? ~(uint32_t)IMPI_CONTACT_PASSING : ~0u;
  }
}
