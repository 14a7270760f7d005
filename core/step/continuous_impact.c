// Time-of-impact events: the impulses at the time of impact, and the remaining displacement.
//
// All contacts of the body at the time of impact act together, for example if a box falls flat on a row of tiles. The
// rows (contact_rows.h) are solved to convergence. Newton's restitution may add energy in an impact that is eccentric
// or has more than one point. In this case the impulses are interpolated between those without restitution, which never
// add energy, and those with full restitution.
#include "step/continuous.h"
#include "world/pairs.h"

#include <string.h>

#include "model/contact_rows.h"
#include "world/audit.h"
#include "world/contacts.h"
#include "world/shapes.h"

// Largest number of sweeps over the rows of one event.
#define SWEEPS 100

// Largest number of sweeps over the points in clear_way.
#define CLEAR_WAY_SWEEPS 20

// Distance within which points are hit at the same time, as a fraction of the smaller body's extent; see IMPI_TOGETHER.
static const double together_part = 0.02;


// Apply internal-edge data to the manifold, as in the narrow phase. During this call `motions` has the poses of the
// event.
static void smooth(ImpWorld *world, const ImpiToiEvent *toi_event, const ImpiProxy *p, const ImpiProxy *q,
                   const ImpTransform *q_in_p, double margin, ImpiLocalManifold *manifold) {
  const ImpiShape *a = &world->shapes.data[p->shape], *b = &world->shapes.data[q->shape];
  ImpiContact pair = {.body_a = p->body,
                      .body_b = q->body,
                      .shape_a = p->shape,
                      .shape_b = q->shape,
                      .child_a = p->child,
                      .child_b = q->child,
                      .proxy_a = impi_shape_proxy(a, p->child),
                      .proxy_b = impi_shape_proxy(b, q->child)};
  ImpiNeighbourFinder finder = impi_world_neighbours(world);
  ImpiMotion *own = &world->motions.data[toi_event->own], *other = &world->motions.data[toi_event->other];
  ImpiMotion own_now = *own, other_now = *other;
  *own = toi_event->at;
  *other = toi_event->other_at;
  impi_contact_smooth(&pair, &a->geometry.hulls[p->child], &b->geometry.hulls[q->child], q_in_p, margin, &finder,
                      manifold);
  *own = own_now;
  *other = other_now;
}


bool impi_toi_manifold(ImpWorld *world, const ImpiToiEvent *toi_event, ImpiLocalManifold *out_manifold) {
  const ImpiProxy *p = &world->broadphase.proxies.data[toi_event->own_proxy];
  const ImpiProxy *q = &world->broadphase.proxies.data[toi_event->other_proxy];
  const ImpiMotion *motion_p = &toi_event->at, *motion_q = &toi_event->other_at;
  if (world->shapes.data[p->shape].serial > world->shapes.data[q->shape].serial) {
    const ImpiProxy *swap = p;
    p = q;
    q = swap;
    motion_p = &toi_event->other_at;
    motion_q = &toi_event->at;
  }
  const ImpiBody *a = &world->bodies.data[p->body], *b = &world->bodies.data[q->body];
  // positions are relative to a's centre, for full precision far from the origin
  ImpRot q_a = {motion_p->c, motion_p->s}, q_b = {motion_q->c, motion_q->s};
  ImpVec2 apart = impi_inv_rotate(q_a, impi_vec(motion_q->x - motion_p->x, motion_q->y - motion_p->y));
  ImpTransform b_in_a;
  b_in_a.q = impi_inv_mul_rot(q_a, q_b);
  b_in_a.p = impi_sub(impi_add(apart, a->local_center), impi_rotate(b_in_a.q, b->local_center));
  double margin = impi_min(IMPI_TOGETHER, together_part * impi_min(a->extent, b->extent));
  impi_collide(&world->shapes.data[p->shape].geometry.hulls[p->child],
               &world->shapes.data[q->shape].geometry.hulls[q->child], &b_in_a, margin, out_manifold);
  if (out_manifold->count > 0 && world->smooth_internal_edges && !toi_event->plain) {
    smooth(world, toi_event, p, q, &b_in_a, margin, out_manifold);
  }
  out_manifold->normal = impi_rotate(q_a, out_manifold->normal);
  for (int i = 0; i < out_manifold->count; ++i) {
    ImpVec2 from_center = impi_sub(out_manifold->points[i].point, a->local_center);
    out_manifold->points[i].point = impi_rotate(q_a, from_center);
  }
  return out_manifold->count > 0;
}


// Return the contact of two proxies, which is created if missing. -1: out of memory, or the pair needs a result of the
// filter callback, which cannot be called here.
static int32_t find_contact(ImpWorld *world, int32_t p, int32_t q) {
  ImpiPairMap *map = &world->broadphase.contacts;
  int32_t slot = impi_pair_map_find(map, p, q);
  if (slot >= 0) {
    return slot;
  }
  const ImpiProxy *proxies = world->broadphase.proxies.data;
  bool is_selective = world->shapes.data[proxies[p].shape].selective || world->shapes.data[proxies[q].shape].selective;
  if (is_selective && world->callback.filter != NULL) {
    return -1;
  }
  return impi_world_reserve_contact(world) == IMP_OK ? impi_world_add_contact(world, p, q) : -1;
}


// Replace the points of a contact by those of the event. Impulses from earlier in the step are added to the totals
// along the new axes; impulses against the new normal reduce the normal total.
static void take_points(ImpiContact *contact, const ImpiLocalManifold *manifold, ImpVec2 centers, bool own_is_a) {
  ImpiContactPoint old[2] = {contact->points[0], contact->points[1]};
  int old_count = contact->count;
  double c = impi_dot(contact->normal, manifold->normal), s = impi_cross(contact->normal, manifold->normal);
  contact->normal = manifold->normal;
  contact->count = (int8_t)manifold->count;
  for (int i = 0; i < manifold->count; ++i) {
    const ImpiLocalPoint *local = &manifold->points[i];
    contact->points[i] = (ImpiContactPoint){.r_a = local->point,
                                            .r_b = impi_sub(local->point, centers),
                                            .separation = local->separation,
                                            .feature = local->feature};
  }
  for (int k = 0; k < old_count; ++k) {
    int to = contact->count > 1 && contact->points[1].feature == old[k].feature ? 1 : 0;
    ImpiContactPoint *point = &contact->points[to];
    bool same = point->feature == old[k].feature;
    point->total_n += c * old[k].total_n - s * old[k].total_t;
    point->total_t += s * old[k].total_n + c * old[k].total_t;
    point->step_n += old[k].step_n;
    point->step_t += old[k].step_t;
    point->work_n += same ? old[k].work_n : 0;
    point->work_t += same ? old[k].work_t : 0;
    point->approach = impi_max(point->approach, old[k].total_n > 0 ? old[k].approach : 0);
  }
  // Without IMPI_CONTACT_FRESH the next step recomputes the manifold.
  contact->flags &= ~(uint32_t)(IMPI_CONTACT_FRESH | IMPI_CONTACT_PLACE_B);
  contact->flags |= IMPI_CONTACT_TOI | (own_is_a ? IMPI_CONTACT_PLACE_B : 0);
  contact->stamp = 0;
  contact->row_count = 0;
  contact->lambda_r = 0;
}


// Add a contact that had an impulse to `active`, because it must be reported. Memory is reserved.
static void put_among_active(ImpWorld *world, int32_t slot, uint32_t flags) {
  int low = 0, high = world->narrow.gathered - 1; // the first `gathered` elements of `active` are sorted by slot
  while (low <= high) {
    int middle = (low + high) / 2, there = world->narrow.active.data[middle];
    if (there == slot) {
      return;
    }
    *(there < slot ? &low : &high) = there < slot ? middle + 1 : middle - 1;
  }
  if (!(flags & IMPI_CONTACT_TOI)) { // not added by an earlier event
    world->narrow.active.data[world->narrow.active.count++] = slot;
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Impulses
// ---------------------------------------------------------------------------------------------------------------------

typedef struct Impact {
  const ImpiBody *bodies;
  ImpiMotion *motions;
  ImpiContact *contacts;
  ImpiToiContact *toi_contacts;
  ImpiRow *rows; // `count` rows, followed by memory for as many more
  int32_t own;
  int touch_count, count;
  // states of the body. before: at the event. now: saved motion, restored at the end. full: after full restitution
  ImpiMotion before, now, full;
} Impact;


// Work of the impulses [J]. At a contact with a kinematic body, velocities are relative to the kinematic body.
static double work_of(const Impact *impact) {
  double work = 0;
  for (int i = 0; i < impact->count; ++i) {
    work += impi_row_work(&impact->rows[i], impact->motions);
  }
  return work;
}


static void put_there(Impact *impact) {
  impact->motions[impact->own] = impact->before;
  for (int i = 0; i < impact->touch_count; ++i) {
    impact->motions[impact->toi_contacts[i].other] = impact->toi_contacts[i].at;
  }
  for (int i = 0; i < impact->count; ++i) {
    impact->rows[i].lambda = 0;
  }
}


static void sweep_rows(Impact *impact) {
  for (int k = 0; k < SWEEPS; ++k) {
    double change = 0, whole = 0;
    for (int i = 0; i < impact->count; ++i) {
      change = impi_max(change, fabs(impi_row_solve(impact->rows, i, impact->bodies, impact->motions, true)));
      whole = impi_max(whole, fabs(impact->rows[i].lambda));
    }
    if (change <= 1e-15 * whole) {
      return;
    }
  }
  // The rows of static and kinematic bodies are solved last, which satisfies them exactly.
  for (int k = 0; k < impact->touch_count; ++k) {
    const ImpiToiContact *touch = &impact->toi_contacts[k];
    for (int i = 0; i < touch->rows && !impi_is_dynamic(&impact->bodies[touch->other]); ++i) {
      impi_row_solve(impact->rows, touch->first_row + i, impact->bodies, impact->motions, true);
    }
  }
}


static void keep_full(Impact *impact) {
  impact->full = impact->motions[impact->own];
  for (int i = 0; i < impact->touch_count; ++i) {
    impact->toi_contacts[i].full = impact->motions[impact->toi_contacts[i].other];
  }
  for (int i = 0; i < impact->count; ++i) {
    impact->rows[impact->count + i].lambda = impact->rows[i].lambda;
  }
}


static ImpiMotion mix(ImpiMotion a, ImpiMotion b, double s) {
  a.vx += s * (b.vx - a.vx);
  a.vy += s * (b.vy - a.vy);
  a.w += s * (b.w - a.w);
  return a;
}


// Move impulses and velocities by the fraction s towards the impulses and velocities with full restitution.
static void mix_with_full(Impact *impact, double s) {
  impact->motions[impact->own] = mix(impact->motions[impact->own], impact->full, s);
  for (int i = 0; i < impact->touch_count; ++i) {
    const ImpiToiContact *touch = &impact->toi_contacts[i];
    if (touch->first) {
      impact->motions[touch->other] = mix(impact->motions[touch->other], touch->full, s);
    }
  }
  for (int i = 0; i < impact->count; ++i) {
    impact->rows[i].lambda += s * (impact->rows[impact->count + i].lambda - impact->rows[i].lambda);
  }
}


// Reduce restitution until the impulses add no energy. The work is a quadratic function of the fraction s of
// restitution, and is at most 0 at s = 0.
static void hold_energy(Impact *impact, double full_work) {
  keep_full(impact);
  put_there(impact);
  for (int i = 0; i < impact->count; ++i) {
    impact->rows[i].bias = impact->rows[i].kind == IMP_ROW_NORMAL ? 0 : impact->rows[i].bias;
  }
  sweep_rows(impact);
  double least = work_of(impact);
  mix_with_full(impact, 0.5);
  double middle = work_of(impact);
  double c = 2 * (least + full_work - 2 * middle), b = full_work - least - c, rest = impi_max(-least, 0);
  double root = sqrt(impi_max(b * b + 4 * c * rest, 0));
  double s =
      b + root > 0 ? impi_clamp(2 * rest / (b + root), 0, 1) : (c > 0 ? impi_clamp((root - b) / (2 * c), 0, 1) : 0);
  mix_with_full(impact, 2 * s - 1); // from s = 1/2 to s
}


// Slowest bounce that lasts until the end of the step [m/s]; 0 if a material has a restitution threshold.
static double slowest_bounce(const ImpWorld *world, const ImpiContact *contact, double rest) {
  const ImpiBody *a = &world->bodies.data[contact->body_a], *b = &world->bodies.data[contact->body_b];
  ImpVec2 gravity = world->settings.gravity;
  ImpVec2 closing = impi_sub(impi_acceleration(a, gravity), impi_acceleration(b, gravity));
  return isnan(contact->restitution_threshold) ? 0.5 * rest * impi_dot(closing, contact->normal) : 0;
}


// Compute the impulses of an event. `rest`: remaining time of the step [s].
static void solve_impact(const ImpWorld *world, Impact *impact, double rest) {
  double fastest = 0;
  bool driven = false;
  for (int k = 0; k < impact->touch_count; ++k) {
    const ImpiToiContact *touch = &impact->toi_contacts[k];
    const ImpiContact *contact = &impact->contacts[touch->contact];
    double threshold = impi_world_restitution_threshold(world, contact);
    double least = slowest_bounce(world, contact, rest);
    driven = driven || contact->surface_speed > 0 || contact->surface_speed < 0;
    for (int i = touch->first_row; i < touch->first_row + touch->rows; ++i) {
      ImpiRow *row = &impact->rows[i];
      row->before = impi_row_speed(row, impact->motions);
      double bounce = contact->restitution * -row->before;
      if (row->kind == IMP_ROW_NORMAL && -row->before > threshold && bounce > least) {
        row->bounce = bounce;
        row->bias = -row->bounce;
        fastest = impi_max(fastest, row->bounce);
      }
    }
  }
  sweep_rows(impact);
  double work = work_of(impact), whole = 0;
  for (int i = 0; i < impact->count; ++i) {
    whole += fabs(impact->rows[i].lambda * impact->rows[i].before);
  }
  if (fastest > 0 && !driven && work > 1e-12 * whole) {
    hold_energy(impact, work);
  }
}


// Add the impulses to the totals of the contacts and to the ledger. Restore contacts without impulse, except the
// contact of the event's own pair.
static void enter_impact(ImpWorld *world, Impact *impact, ImpiToiEvent *toi_event) {
  for (int k = 0; k < impact->touch_count; ++k) {
    const ImpiToiContact *touch = &impact->toi_contacts[k];
    ImpiContact *contact = &impact->contacts[touch->contact];
    bool is_solved = k == 0;
    for (int i = touch->first_row; i < touch->first_row + touch->rows; ++i) {
      ImpiRow *row = &impact->rows[i];
      double work = impi_row_work(row, impact->motions);
      is_solved = is_solved || row->lambda != 0;
      *row->total += row->lambda;
      *row->done += work;
      if (row->approach != NULL && row->lambda > 0) {
        *row->approach = impi_max(*row->approach, -row->before);
      }
      if (world->settings.auditing) {
        impi_audit_enter(world, impi_ledger_cause(row->kind, row->bounce > 0), work, touch->contact);
      }
      toi_event->work += work;
    }
    if (!is_solved) {
      *contact = touch->before;
      memcpy(contact->points, touch->points, sizeof touch->points);
      continue;
    }
    put_among_active(world, touch->contact, touch->before.flags);
    for (int i = 0; i < contact->count; ++i) {
      contact->points[i].lambda_n = contact->points[i].lambda_t = 0;
    }
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// The remaining displacement
// ---------------------------------------------------------------------------------------------------------------------


// Change the remaining displacement so that the body does not penetrate the other body at one contact point. Returns
// the penetration that the displacement would have led to without the change [m].
static double clear_point(Impact *impact, const ImpiContact *contact, const ImpiRow *row) {
  const ImpiBody *body = &impact->bodies[impact->own];
  ImpiMotion *own = &impact->motions[impact->own];
  const double *j = impact->own == contact->body_a ? row->j : row->j + 3;
  double closing = -impi_row_speed(row, impact->motions) - impi_max(contact->points[row->index].separation, 0);
  ImpVec2 part = impi_free_part(body, j[0], j[1]);
  double give = body->inv_mass * impi_length_sq(part) + body->inv_inertia * j[2] * j[2];
  if (closing > 0 && give > 0) {
    own->vx += body->inv_mass * part.x * closing / give;
    own->vy += body->inv_mass * part.y * closing / give;
    own->w += body->inv_inertia * j[2] * closing / give;
  }
  return closing;
}


// Change the remaining displacement so that it does not lead into the other bodies.
static void clear_way(Impact *impact, ImpiToiEvent *toi_event) {
  impact->motions[impact->own] = toi_event->rest;
  for (int i = 0; i < impact->touch_count; ++i) {
    impact->motions[impact->toi_contacts[i].other] = impact->toi_contacts[i].rest;
  }
  bool again = true;
  for (int k = 0; k <= CLEAR_WAY_SWEEPS && again; ++k) {
    again = false;
    for (int i = 0; i < impact->touch_count; ++i) {
      const ImpiToiContact *touch = &impact->toi_contacts[i];
      const ImpiContact *contact = &impact->contacts[touch->contact];
      bool stays = !impi_is_dynamic(&impact->bodies[touch->other]);
      // The last sweep solves only points on static and kinematic bodies.
      for (int p = 0; p < contact->count && (stays || k < CLEAR_WAY_SWEEPS); ++p) {
        again = clear_point(impact, contact, &impact->rows[touch->first_row + p]) > IMPI_GRAZE || again;
      }
    }
  }
  toi_event->rest = impact->motions[impact->own];
}


// Return true if pre_solve must be called before the contact acts, and has not been called in this step.
static bool needs_pre_solve(const ImpWorld *world, int32_t slot) {
  uint32_t flags = world->contacts.data[slot].flags;
  return world->callback.pre_solve != NULL && flags & IMPI_CONTACT_PRE_SOLVE && !(flags & IMPI_CONTACT_PRE_SOLVED);
}


// Find contact and manifold of each pair in ccd.toi_contacts. Remove pairs without a manifold, and pairs that must wait
// for a call of pre_solve. Return false if the first pair must be removed, or when out of memory.
static bool find_contacts(ImpWorld *world, const ImpiToiEvent *toi_event) {
  int kept = 0;
  for (int i = 0; i < world->ccd.toi_contacts.count; ++i) {
    ImpiToiContact touch = world->ccd.toi_contacts.data[i];
    ImpiToiEvent of = *toi_event;
    of.own_proxy = touch.own_proxy;
    of.other_proxy = touch.other_proxy;
    of.other = touch.other;
    of.other_at = touch.at;
    of.plain = touch.plain;
    touch.contact = find_contact(world, touch.own_proxy, touch.other_proxy);
    bool acts = touch.contact >= 0 && !needs_pre_solve(world, touch.contact) &&
                impi_points_hold(&world->heap, &world->points, &world->contacts.data[touch.contact]) &&
                impi_toi_manifold(world, &of, &touch.manifold);
    if (!acts && i == 0) {
      return false;
    }
    if (acts) {
      touch.first = true;
      for (int k = 0; k < kept; ++k) {
        touch.first = touch.first && world->ccd.toi_contacts.data[k].other != touch.other;
      }
      world->ccd.toi_contacts.data[kept++] = touch;
    }
  }
  world->ccd.toi_contacts.count = kept;
  return impi_reserve(&world->heap, &world->narrow.active, world->contacts.count) &&
         impi_reserve(&world->heap, &world->ccd.toi_rows, 2 * IMPI_MAX_CONTACT_ROWS * kept);
}


// Make the rows of all contacts at the poses of the event.
static Impact impact_of(ImpWorld *world, const ImpiToiEvent *toi_event) {
  Impact impact = {.bodies = world->bodies.data,
                   .motions = world->motions.data,
                   .contacts = world->contacts.data,
                   .toi_contacts = world->ccd.toi_contacts.data,
                   .rows = world->ccd.toi_rows.data,
                   .own = toi_event->own,
                   .touch_count = world->ccd.toi_contacts.count,
                   .before = toi_event->at};
  impact.now = impact.motions[impact.own];
  for (int i = 0; i < impact.touch_count; ++i) {
    impact.toi_contacts[i].now = impact.motions[impact.toi_contacts[i].other];
  }
  put_there(&impact);
  for (int i = 0; i < impact.touch_count; ++i) {
    ImpiToiContact *touch = &impact.toi_contacts[i];
    ImpiContact *contact = impi_contact_change(world, touch->contact);
    touch->before = *contact;
    memcpy(touch->points, contact->points, sizeof touch->points);
    bool own_is_a = contact->body_a == toi_event->own;
    ImpVec2 centers = impi_vec(touch->at.x - toi_event->at.x, touch->at.y - toi_event->at.y);
    take_points(contact, &touch->manifold, own_is_a ? centers : impi_neg(centers), own_is_a);
    touch->first_row = impact.count;
    touch->rows = impi_contact_rows(contact, impact.bodies, impact.motions, &impact.motions[contact->body_a],
                                    &impact.motions[contact->body_b], impact.count, impact.rows + impact.count);
    impact.count += touch->rows;
  }
  return impact;
}


// Add `rest` times the change of velocity in the impact to the remaining displacement of each dynamic body that was
// hit. rest: remaining time of the step [s].
static void bend_others(Impact *impact, double rest) {
  for (int i = 0; i < impact->touch_count; ++i) {
    ImpiToiContact *touch = &impact->toi_contacts[i];
    if (impi_is_dynamic(&impact->bodies[touch->other])) {
      touch->rest.vx += rest * (touch->full.vx - touch->at.vx);
      touch->rest.vy += rest * (touch->full.vy - touch->at.vy);
      touch->rest.w += rest * (touch->full.w - touch->at.w);
    }
  }
}


// Displacement in the rest of the step after an impact. With the velocity v, the change of velocity g by forces in a
// whole step, and the remaining fraction r of the step, the displacement is
//   r dt (v + r g / 2).
// For a body that rows act on, g is not known. The displacement of such a body is the displacement that the solver
// computed for the rest of the step, plus r dt times the change of velocity in the impact.
static ImpiMotion way_after(const ImpWorld *world, const ImpiSweptBody *mover, const ImpiToiEvent *toi_event,
                            const ImpiMotion *before) {
  double part = 1 - toi_event->time, dt = part * world->settings.dt;
  const ImpiMotion *v = &toi_event->at, *g = &mover->gain;
  if (mover->slides) {
    return (ImpiMotion){.vx = toi_event->rest.vx + dt * (v->vx - before->vx),
                        .vy = toi_event->rest.vy + dt * (v->vy - before->vy),
                        .w = toi_event->rest.w + dt * (v->w - before->w)};
  }
  return (ImpiMotion){.vx = dt * (v->vx + 0.5 * part * g->vx),
                      .vy = dt * (v->vy + 0.5 * part * g->vy),
                      .w = dt * (v->w + 0.5 * part * g->w)};
}


// If a body rests on a static or kinematic body, cancel the forces along the normal for the rest of the step, and add
// the necessary impulse to the impulse of the impact. `leaving`: speed along the normal after the impact [m/s].
static void hold_gain(Impact *impact, ImpiToiEvent *toi_event, ImpiSweptBody *mover, double leaving) {
  const ImpiToiContact *touch = &impact->toi_contacts[0];
  int normals = 0;
  double borne = 0;
  for (int i = 0; i < impact->count; ++i) {
    bool normal = impact->rows[i].kind == IMP_ROW_NORMAL;
    normals += normal;
    borne += normal ? impact->rows[i].lambda : 0;
  }
  if (impact->touch_count != 1 || impi_is_dynamic(&impact->bodies[toi_event->other])) {
    return;
  }
  const ImpiBody *body = &impact->bodies[toi_event->own];
  ImpiMotion *gain = &mover->gain;
  const ImpiContact *contact = &impact->contacts[touch->contact];
  bool own_is_a = contact->body_a == toi_event->own;
  ImpVec2 n = own_is_a ? impi_neg(contact->normal) : contact->normal;
  double lever = normals == 1 ? impi_cross(own_is_a ? contact->points[0].r_a : contact->points[0].r_b, n) : 0;
  double closing = -(gain->vx * n.x + gain->vy * n.y + gain->w * lever);
  double mass = body->inv_mass + body->inv_inertia * lever * lever;
  if (closing <= leaving || mass <= 0 || borne <= 0) {
    return;
  }
  double part = 1 + (1 - toi_event->time - mover->lag) * closing / (mass * borne);
  if (part < 0) {
    return;
  }
  ImpVec2 push = impi_free_part(body, n.x * closing / mass, n.y * closing / mass);
  gain->vx += body->inv_mass * push.x;
  gain->vy += body->inv_mass * push.y;
  gain->w += body->inv_inertia * lever * closing / mass;
  for (int i = 0; i < impact->count; ++i) {
    if (impact->rows[i].kind == IMP_ROW_NORMAL) {
      *impact->rows[i].total += (part - 1) * impact->rows[i].lambda;
      impact->rows[i].lambda *= part;
    }
  }
  for (int i = 0; i < impact->count; ++i) {
    ImpiRow *row = &impact->rows[i];
    if (row->kind != IMP_ROW_NORMAL) {
      double bound = 0;
      for (int k = 0; k < row->bound_count; ++k) {
        bound += row->bound_scale * impact->rows[row->bound_row + k].lambda;
      }
      double less = impi_clamp(row->lambda, -bound, bound) - row->lambda;
      *row->total += less;
      impi_row_apply(row, impact->bodies, impact->motions, less);
    }
  }
  toi_event->at = impact->motions[impact->own];
}


bool impi_continuous_reserve(ImpWorld *world) {
  return impi_clearances_reserve(world) && impi_reserve(&world->heap, &world->ccd.toi_contacts, IMPI_TOI_CONTACTS) &&
         impi_reserve(&world->heap, &world->ccd.hit_bodies, IMPI_TOI_CONTACTS) &&
         impi_reserve(&world->heap, &world->ccd.toi_rows, 2 * IMPI_MAX_CONTACT_ROWS * IMPI_TOI_CONTACTS);
}


ImpiOutcome impi_solve_toi_event(ImpWorld *world, ImpiSweptBody *mover, ImpiToiEvent *toi_event) {
  if (!impi_find_toi_contacts(world, mover, toi_event) || !find_contacts(world, toi_event)) {
    return IMPI_OUTCOME_STOP;
  }
  Impact impact = impact_of(world, toi_event);
  double rest = (1 - toi_event->time) * world->settings.dt, leaving = IMPI_HUGE;
  solve_impact(world, &impact, rest);
  toi_event->at = impact.motions[impact.own];
  for (int i = 0; i < impact.touch_count; ++i) {
    impact.toi_contacts[i].full = impact.motions[impact.toi_contacts[i].other];
  }
  for (int i = 0; i < impact.count; ++i) {
    const ImpiRow *row = &impact.rows[i];
    leaving = row->kind == IMP_ROW_NORMAL ? impi_min(leaving, impi_row_speed(row, impact.motions)) : leaving;
  }
  toi_event->rest = way_after(world, mover, toi_event, &impact.before);
  bend_others(&impact, rest);
  clear_way(&impact, toi_event);
  impact.motions[impact.own] = toi_event->at;
  for (int i = 0; i < impact.touch_count; ++i) {
    impact.motions[impact.toi_contacts[i].other] = impact.toi_contacts[i].full;
  }
  enter_impact(world, &impact, toi_event);
  bool bounces = rest * leaving > IMPI_TOUCH_BEGIN;
  if (!bounces) {
    hold_gain(&impact, toi_event, mover, leaving);
  }
  impact.motions[impact.own] = impact.now;
  for (int i = 0; i < impact.touch_count; ++i) {
    impact.motions[impact.toi_contacts[i].other] = impact.toi_contacts[i].now;
  }
  return bounces ? IMPI_OUTCOME_BOUNCE : IMPI_OUTCOME_REST;
}
