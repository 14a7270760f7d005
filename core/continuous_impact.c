// Two bodies that meet within a step: impulses at that time, and the way that is left.
//
// The rows are those of any contact (contact_rows.h), solved to the end for this one meeting. Newton's restitution with
// friction may put energy into an impact beside the centre; then the impulses are taken on the line between those
// without any restitution, which never do, and those with all of it, as far as the energy allows.
#include "continuous.h"

#include "contact_rows.h"

// Most sweeps over the rows of one meeting. Two points take 10 to 40, one takes 1 or 2.
#define SWEEPS 100

// How far apart further points of a manifold may be to be met at the same time, of the smaller body's extent and [m].
static const double together_part = 0.02, together_most = 0.001;


// What neighbours hide is no surface, as it is for rows. They are looked for where the bodies are: so these are put there.
static void smooth(ImpWorld *world, const ImpiMeeting *meeting, const ImpiProxy *p, const ImpiProxy *q,
                   const ImpTransform *q_in_p, double margin, ImpiLocalManifold *manifold) {
  const ImpiShape *a = &world->shapes.data[p->shape], *b = &world->shapes.data[q->shape];
  ImpiContact pair = {.body_a = p->body,
                      .body_b = q->body,
                      .shape_a = p->shape,
                      .shape_b = q->shape,
                      .child_a = p->child,
                      .child_b = q->child,
                      .proxy_a = a->proxies[p->child],
                      .proxy_b = b->proxies[q->child]};
  ImpiSeamFinder finder = {impi_world_seams, world};
  ImpiMotion *own = &world->motions.data[meeting->own], *other = &world->motions.data[meeting->other];
  ImpiMotion own_now = *own, other_now = *other;
  *own = meeting->at;
  *other = meeting->other_at;
  impi_contact_smooth(&pair, &a->geometry.hulls[p->child], &b->geometry.hulls[q->child], q_in_p, margin, &finder,
                      manifold);
  *own = own_now;
  *other = other_now;
}


bool impi_meeting_manifold(ImpWorld *world, const ImpiMeeting *meeting, ImpiLocalManifold *out_manifold) {
  const ImpiProxy *p = &world->broadphase.proxies.data[meeting->own_proxy];
  const ImpiProxy *q = &world->broadphase.proxies.data[meeting->other_proxy];
  const ImpiMotion *motion_p = &meeting->at, *motion_q = &meeting->other_at;
  if (world->shapes.data[p->shape].serial > world->shapes.data[q->shape].serial) {
    const ImpiProxy *swap = p;
    p = q;
    q = swap;
    motion_p = &meeting->other_at;
    motion_q = &meeting->at;
  }
  const ImpiBody *a = &world->bodies.data[p->body], *b = &world->bodies.data[q->body];
  // From a's centre, so that far from the origin nothing is lost.
  ImpRot q_a = {motion_p->c, motion_p->s}, q_b = {motion_q->c, motion_q->s};
  ImpVec2 apart = impi_inv_rotate(q_a, impi_vec(motion_q->x - motion_p->x, motion_q->y - motion_p->y));
  ImpTransform b_in_a;
  b_in_a.q = impi_inv_mul_rot(q_a, q_b);
  b_in_a.p = impi_sub(impi_add(apart, a->local_center), impi_rotate(b_in_a.q, b->local_center));
  double margin = impi_min(together_most, together_part * impi_min(a->extent, b->extent));
  impi_collide(&world->shapes.data[p->shape].geometry.hulls[p->child],
               &world->shapes.data[q->shape].geometry.hulls[q->child], b_in_a, margin, out_manifold);
  if (out_manifold->count > 0 && world->smooth_seams && !meeting->plain) {
    smooth(world, meeting, p, q, &b_in_a, margin, out_manifold);
  }
  out_manifold->normal = impi_rotate(q_a, out_manifold->normal);
  for (int i = 0; i < out_manifold->count; ++i) {
    ImpVec2 from_center = impi_sub(out_manifold->points[i].point, a->local_center);
    out_manifold->points[i].point = impi_rotate(q_a, from_center);
  }
  return out_manifold->count > 0;
}


// The contact of the two; made where there is none. -1: out of memory, or the user's filter has not been asked yet, who is
// not here to be asked.
static int32_t find_contact(ImpWorld *world, int32_t p, int32_t q) {
  ImpiPairMap *map = &world->broadphase.contacts;
  int32_t slot = impi_pair_map_find(map, p, q);
  if (slot >= 0) {
    return slot;
  }
  const ImpiProxy *proxies = world->broadphase.proxies.data;
  bool asks = world->shapes.data[proxies[p].shape].selective || world->shapes.data[proxies[q].shape].selective;
  if (asks && world->filter_callback != NULL) {
    return -1;
  }
  ImpiHeap *heap = &world->heap;
  bool room = impi_pool_reserve(heap, &world->contact_pool) == IMP_OK &&
              impi_reserve(heap, &world->contacts, impi_pool_peek(&world->contact_pool) + 1) &&
              impi_pair_map_reserve(heap, map, map->count + 1);
  return room ? impi_world_add_contact(world, p, q) : -1;
}


// The contact's points are now those of the meeting; what they bore earlier in the step stays in their sum.
static void take_points(ImpiContact *contact, const ImpiLocalManifold *manifold, ImpVec2 centers, bool own_is_a) {
  ImpiContactPoint old[2] = {contact->points[0], contact->points[1]};
  int old_count = contact->count;
  contact->normal = manifold->normal;
  contact->count = manifold->count;
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
    point->total_n += old[k].total_n;
    point->total_t += old[k].total_t;
    point->step_n += old[k].step_n;
    point->step_t += old[k].step_t;
    point->work_n += same ? old[k].work_n : 0;
    point->work_t += same ? old[k].work_t : 0;
    point->approach = impi_max(point->approach, old[k].total_n > 0 ? old[k].approach : 0);
  }
  contact->flags &= ~(uint32_t)(IMPI_CONTACT_FRESH | IMPI_CONTACT_PLACE_B); // found anew in the next step
  contact->flags |= IMPI_CONTACT_STRUCK | (own_is_a ? IMPI_CONTACT_PLACE_B : 0);
  contact->stamp = 0;
  contact->row_count = 0;
  contact->lambda_r = 0;
}


// It bore something in this step, so it is told of with those that had rows.
static bool put_among_active(ImpWorld *world, int32_t slot) {
  int low = 0, high = world->gathered - 1; // by slot, as they were gathered
  while (low <= high) {
    int middle = (low + high) / 2, there = world->active.data[middle];
    if (there == slot) {
      return true;
    }
    *(there < slot ? &low : &high) = there < slot ? middle + 1 : middle - 1;
  }
  if (world->contacts.data[slot].flags & IMPI_CONTACT_STRUCK) { // since an earlier meeting
    return true;
  }
  if (!impi_reserve(&world->heap, &world->active, world->active.count + 1)) {
    return false;
  }
  world->active.data[world->active.count++] = slot;
  return true;
}


// ---------------------------------------------------------------------------------------------------------------------
// Impulses
// ---------------------------------------------------------------------------------------------------------------------

typedef struct Impact {
  const ImpiBody *bodies;
  ImpiMotion *motions;
  int32_t own, other;
  ImpiRow rows[IMPI_MAX_CONTACT_ROWS];
  int count, points;
  ImpiMotion before, other_before;
} Impact;


// Kinetic energy; beside what no impulse moves, as it is seen from there.
static double energy_of(const Impact *impact) {
  const ImpiBody *own = &impact->bodies[impact->own], *other = &impact->bodies[impact->other];
  ImpiMotion m = impact->motions[impact->own], o = impact->motions[impact->other];
  if (!impi_is_dynamic(other)) {
    ImpVec2 carried = impi_cross_sv(o.w, impi_vec(m.x - o.x, m.y - o.y));
    m.vx -= o.vx + carried.x;
    m.vy -= o.vy + carried.y;
    m.w -= o.w;
    o.vx = o.vy = o.w = 0;
  }
  return own->mass * (m.vx * m.vx + m.vy * m.vy) + own->inertia * m.w * m.w +
         other->mass * (o.vx * o.vx + o.vy * o.vy) + other->inertia * o.w * o.w;
}


static void put_back(Impact *impact) {
  impact->motions[impact->own] = impact->before;
  impact->motions[impact->other] = impact->other_before;
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
    if (change <= 1e-15 * whole) { // rounding
      return;
    }
  }
}


static ImpiMotion mix(ImpiMotion a, ImpiMotion b, double s) {
  a.vx += s * (b.vx - a.vx);
  a.vy += s * (b.vy - a.vy);
  a.w += s * (b.w - a.w);
  return a;
}


// The impulses with restitution made energy: as much of it as made none. Energy is a parabola along the way from those
// without, and no more than `most` at its start.
static void hold_energy(Impact *impact, double most) {
  Impact full = *impact;
  double full_energy = energy_of(impact);
  ImpiMotion own = impact->motions[impact->own], other = impact->motions[impact->other];
  put_back(impact);
  for (int i = 0; i < impact->points; ++i) {
    impact->rows[i].bias = 0;
  }
  sweep_rows(impact);
  ImpiMotion least_own = impact->motions[impact->own], least_other = impact->motions[impact->other];
  double least = energy_of(impact);
  impact->motions[impact->own] = mix(least_own, own, 0.5);
  impact->motions[impact->other] = mix(least_other, other, 0.5);
  double middle = energy_of(impact);
  double c = 2 * (least + full_energy - 2 * middle), b = full_energy - least - c, rest = impi_max(most - least, 0);
  double root = sqrt(impi_max(b * b + 4 * c * rest, 0));
  double s =
      b + root > 0 ? impi_clamp(2 * rest / (b + root), 0, 1) : (c > 0 ? impi_clamp((root - b) / (2 * c), 0, 1) : 0);
  impact->motions[impact->own] = mix(least_own, own, s);
  impact->motions[impact->other] = mix(least_other, other, s);
  for (int i = 0; i < impact->count; ++i) {
    impact->rows[i].lambda += s * (full.rows[i].lambda - impact->rows[i].lambda);
  }
}


static void solve_impact(Impact *impact, const ImpiContact *contact) {
  double most = energy_of(impact), fastest = 0;
  for (int i = 0; i < impact->count; ++i) {
    ImpiRow *row = &impact->rows[i];
    row->before = impi_row_speed(row, impact->motions);
    if (row->kind == IMP_ROW_NORMAL && -row->before > contact->restitution_threshold) {
      row->bounce = contact->restitution * -row->before;
      row->bias = -row->bounce;
      fastest = impi_max(fastest, row->bounce);
    }
  }
  sweep_rows(impact);
  bool driven = contact->surface_speed > 0 || contact->surface_speed < 0;
  if (fastest > 0 && !driven && energy_of(impact) > most * (1 + 1e-12)) { // beyond rounding
    hold_energy(impact, most);
  }
}


// Into the contact's totals, and into the ledger.
static void enter_impact(ImpWorld *world, Impact *impact, int32_t slot, ImpiMeeting *meeting) {
  for (int i = 0; i < impact->count; ++i) {
    ImpiRow *row = &impact->rows[i];
    double work = impi_row_work(row, impact->motions);
    *row->total += row->lambda;
    *row->done += work;
    if (row->approach != NULL && row->lambda > 0) {
      *row->approach = impi_max(*row->approach, -row->before);
    }
    if (world->settings.auditing) {
      impi_audit_enter(world, impi_ledger_cause(row->kind, row->bounce > 0), work, slot);
    }
    meeting->work += work;
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// The way that is left
// ---------------------------------------------------------------------------------------------------------------------


// It does not lead into the other: as the impulses do to velocities, so here, but only the body gives way.
static void clear_way(Impact *impact, ImpiMeeting *meeting, const ImpiContact *contact) {
  const ImpiBody *body = &impact->bodies[meeting->own];
  ImpiMotion *own = &impact->motions[meeting->own], *other = &impact->motions[meeting->other];
  *own = meeting->rest;
  *other = meeting->other_rest;
  for (int k = 0; k < 2 * impact->points * impact->points; ++k) { // one point is done at once, two mend each other
    ImpiRow *row = &impact->rows[k % impact->points];
    const double *j = meeting->own == contact->body_a ? row->j : row->j + 3;
    double closing = -impi_row_speed(row, impact->motions) - impi_max(contact->points[row->index].separation, 0);
    ImpVec2 part = impi_free_direction(body, j[0], j[1]);
    double give = body->inv_mass * impi_length_sq(part) + body->inv_inertia * j[2] * j[2];
    if (closing > 0 && give > 0) {
      own->vx += body->inv_mass * part.x * closing / give;
      own->vy += body->inv_mass * part.y * closing / give;
      own->w += body->inv_inertia * j[2] * closing / give;
    }
  }
  meeting->rest = *own;
}


// Its pre_solve was to be called before anything acts, and has not been in this step.
static bool must_ask(const ImpWorld *world, int32_t slot) {
  uint32_t flags = world->contacts.data[slot].flags;
  return world->pre_solve_callback != NULL && flags & IMPI_CONTACT_ASKS && !(flags & IMPI_CONTACT_ASKED);
}


ImpiOutcome impi_meet(ImpWorld *world, ImpiMeeting *meeting, int32_t *out_contact) {
  ImpiLocalManifold manifold;
  int32_t slot = find_contact(world, meeting->own_proxy, meeting->other_proxy);
  *out_contact = slot;
  if (slot < 0 || must_ask(world, slot) || !impi_meeting_manifold(world, meeting, &manifold) ||
      !put_among_active(world, slot)) {
    return IMPI_OUTCOME_STOP;
  }
  ImpiContact *contact = &world->contacts.data[slot];
  bool own_is_a = contact->body_a == meeting->own;
  ImpVec2 centers = impi_vec(meeting->other_at.x - meeting->at.x, meeting->other_at.y - meeting->at.y);
  take_points(contact, &manifold, own_is_a ? centers : impi_neg(centers), own_is_a);

  Impact impact = {.bodies = world->bodies.data,
                   .motions = world->motions.data,
                   .own = meeting->own,
                   .other = meeting->other,
                   .points = contact->count,
                   .before = meeting->at,
                   .other_before = meeting->other_at};
  ImpiMotion own_now = impact.motions[impact.own], other_now = impact.motions[impact.other];
  impact.motions[impact.own] = meeting->at;
  impact.motions[impact.other] = meeting->other_at;
  impact.count = impi_contact_rows(contact, impact.bodies, impact.motions, &impact.motions[contact->body_a],
                                   &impact.motions[contact->body_b], 0, impact.rows);
  solve_impact(&impact, contact);
  enter_impact(world, &impact, slot, meeting);
  meeting->at = impact.motions[impact.own];
  meeting->other_at = impact.motions[impact.other];

  double rest = (1 - meeting->time) * world->settings.dt, leaving = IMPI_HUGE;
  for (int i = 0; i < impact.points; ++i) {
    leaving = impi_min(leaving, impi_row_speed(&impact.rows[i], impact.motions));
  }
  meeting->rest.vx += rest * (meeting->at.vx - impact.before.vx);
  meeting->rest.vy += rest * (meeting->at.vy - impact.before.vy);
  meeting->rest.w += rest * (meeting->at.w - impact.before.w);
  clear_way(&impact, meeting, contact);
  impact.motions[impact.own] = own_now;
  impact.motions[impact.other] = other_now;
  for (int i = 0; i < contact->count; ++i) {
    contact->points[i].lambda_n = contact->points[i].lambda_t = 0;
  }
  return rest * leaving > IMPI_TOUCH_BEGIN ? IMPI_OUTCOME_BOUNCE : IMPI_OUTCOME_REST;
}
