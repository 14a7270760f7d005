// Continuous collision: bodies that went far in a step, by way of what they would have met.
//
// The solver has moved every body by the rows that it had. Where a body went farther than a part of its inner radius,
// its way from the step's start to its end is looked along: a straight line and an even turn, against static bodies, the
// ways of kinematic bodies and, for a bullet, those of dynamic ones. At the first time of impact the impulses of that
// meeting act (continuous_impact.c), and what is left of the step is gone with the velocity after it; then the way is
// looked along again, up to MEETINGS times.
//
// Why not stop the body there, for the next step's rows: it would wait for the rest of the step at every hit, a ball at
// 100 m/s between walls lose most of its way, and a bounce be told of a step late. Why not rows for what is still
// ahead: they act where a body would cross the plane of an edge, also beside the edge. Impulses at the time of impact
// lose no time, have the true speed of approach and are in the contact's totals of this step.
//
// What a body touches is the solver's: of pieces that had rows, that touch where the way begins, and of everything for a
// body that slides or rests on something, only what comes deeper than that part of its inner radius counts. So the
// seams of a floor do not stop what slides over them a little below their level, and what begins inside of something is
// not held there.
//
// Forces: v1 - v0 of the step is spread evenly over it, for a body that no row has touched: at time t of the step the
// velocity is v1 - (1 - t) (v1 - v0). With v1 at the impact a bounce under gravity would make energy.
#include "continuous.h"

#include "sort.h"

// Most meetings of a body in a step. More: in a wedge, or fast between near walls, it waits for the next step.
#define MEETINGS 8

// More of its speed than this does not come from forces, but from a push in a handler: it had it when it met.
static const double pushed_part = 0.25;

// A pair that has met in this step and meets again has sunk in by this part of the depth allowed: it turns about where
// it touches, until its other end does.
static const double again_part = 0.1;

// Deeper than this part of the inner radius it is inside, and free to go anywhere.
static const double inside_part = 0.95;

// What has no inner radius may sink in by this [m].
static const double line_depth = 0.001;

// Nearer than this part of the depth allowed, what slides touches.
static const double touching_part = 0.01;

// A body on its way.
typedef struct Mover {
  int32_t slot;
  double time;              // where it is on it, part of the step
  ImpiMotion at;            // its pose then; its velocity at the step's end as things stand
  ImpiMotion rest;          // what is left of the way, in the place of velocities [m, rad]
  ImpiMotion gain;          // of velocity over the step by forces, in the place of velocities
  double depth;             // that it may sink in while it slides [m]
  double deepest;           // beyond that it is inside [m]
  bool slides;              // something bears it
  int met;                  // in this step
  ImpiPair pairs[MEETINGS]; // own proxy, other proxy
} Mover;

// The search for the first meeting. Its sweeps are over what is left of the step.
typedef struct Search {
  ImpWorld *world;
  const Mover *mover;
  int32_t proxy; // of the mover
  const ImpiHull *hull;
  ImpiSweep sweep;
  ImpAabb box;    // that the piece sweeps
  bool fast_ones; // bodies in `swept` are looked at; else they are left out
  double best;    // time of the first meeting, of what is left
  int32_t own_proxy, other_proxy;
  ImpVec2 point, normal;
} Search;


const ImpiMotion *impi_world_start(const ImpWorld *world, int32_t body) {
  int low = 0, high = world->awake.count - 1; // awake bodies are listed by slot
  if (high >= world->backup.capacity) {       // the last step ended before it began
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


// ---------------------------------------------------------------------------------------------------------------------
// Ways
// ---------------------------------------------------------------------------------------------------------------------


static ImpiMotion way_between(const ImpiMotion *start, const ImpiMotion *end) {
  return (ImpiMotion){.vx = end->x - start->x, .vy = end->y - start->y, .w = end->angle - start->angle};
}


// A part of a way.
static ImpiMotion mix_way(ImpiMotion way, double part) {
  return (ImpiMotion){.vx = part * way.vx, .vy = part * way.vy, .w = part * way.w};
}


// The pose after a part of a way.
static ImpiMotion advance(ImpiMotion at, const ImpiMotion *way, double part) {
  at.x += part * way->vx;
  at.y += part * way->vy;
  double turn = part * way->w;
  if (turn > 0 || turn < 0) {
    at.angle += turn;
    ImpRot q = impi_rot(at.angle);
    at.c = q.c;
    at.s = q.s;
  }
  return at;
}


static ImpiSweep sweep_of(const ImpiBody *body, const ImpiMotion *at, const ImpiMotion *rest) {
  return (ImpiSweep){.local_center = body->local_center,
                     .c0 = {at->x, at->y},
                     .c1 = {at->x + rest->vx, at->y + rest->vy},
                     .a0 = at->angle,
                     .a1 = at->angle + rest->w};
}


// Another body at a time of the step; `out_rest`: what is left of its way.
static ImpiMotion other_at(const ImpWorld *world, int32_t slot, double time, ImpiMotion *out_rest) {
  const ImpiMotion *start = impi_world_start(world, slot), *end = &world->motions.data[slot];
  ImpiMotion way = way_between(start, end), at = advance(*start, &way, time);
  *out_rest = mix_way(way, 1 - time);
  at.vx = end->vx;
  at.vy = end->vy;
  at.w = end->w;
  if (world->bodies.data[slot].type == IMP_BODY_KINEMATIC) { // as it has gone, whatever is to be next
    at.vx = way.vx / world->settings.dt;
    at.vy = way.vy / world->settings.dt;
    at.w = way.w / world->settings.dt;
  }
  return at;
}


// All that a piece touches on a sweep. Its centroid leaves the chord of its arc by no more than the arc's height.
static ImpAabb swept_box(const ImpiHull *hull, const ImpiSweep *sweep) {
  ImpVec2 p = impi_apply(impi_sweep_at(sweep, 0), hull->centroid),
          q = impi_apply(impi_sweep_at(sweep, 1), hull->centroid);
  double turn = fabs(sweep->a1 - sweep->a0), lever = impi_length(impi_sub(hull->centroid, sweep->local_center));
  double height = lever * impi_min(0.125 * turn * turn, 2);
  return impi_aabb_grow(impi_aabb_union((ImpAabb){p, p}, (ImpAabb){q, q}), hull->extent + height);
}


// ---------------------------------------------------------------------------------------------------------------------
// The first meeting
// ---------------------------------------------------------------------------------------------------------------------


// Whether the pair is one that can meet; `out_seen`: the solver had rows for it.
static bool may_meet(const Search *search, int32_t other, bool *out_seen) {
  const ImpWorld *world = search->world;
  const ImpiProxy *p = &world->broadphase.proxies.data[search->proxy], *q = &world->broadphase.proxies.data[other];
  const ImpiBody *body = &world->bodies.data[q->body];
  *out_seen = false;
  if (!impi_proxies_meet(p, q) || world->shapes.data[q->shape].sensor || body->swept != search->fast_ones ||
      (impi_is_dynamic(body) && !world->bodies.data[p->body].bullet) ||
      !impi_world_may_touch(world, search->proxy, other)) {
    return false;
  }
  int32_t slot = impi_pair_map_find(&world->broadphase.contacts, search->proxy, other);
  if (slot >= 0) {
    const ImpiContact *contact = &world->contacts.data[slot];
    *out_seen = contact->count > 0;
    return !(contact->flags & IMPI_CONTACT_PASSING);
  }
  return true;
}


static bool is_line(const ImpiHull *hull) { return hull->count == 2 && hull->radius <= 0; }


// What comes from behind a chain goes through.
static bool is_behind(const ImpiHull *link, const ImpiSweep *sweep, const ImpiHull *hull, const ImpiSweep *hull_sweep) {
  ImpVec2 center = impi_apply(impi_sweep_at(hull_sweep, 0), hull->centroid);
  return link->chain && impi_dot(link->n[0], impi_sub(impi_inv_apply(impi_sweep_at(sweep, 0), center), link->v[0])) < 0;
}


static void fill_meeting(const Search *search, int32_t other, const ImpiMotion *other_from,
                         const ImpiMotion *other_rest, double t, ImpiMeeting *out_meeting) {
  const ImpWorld *world = search->world;
  const Mover *mover = search->mover;
  *out_meeting = (ImpiMeeting){
      .own = mover->slot,
      .other = world->broadphase.proxies.data[other].body,
      .own_proxy = search->proxy,
      .other_proxy = other,
      .time = mover->time + t * (1 - mover->time),
      .at = advance(mover->at, &mover->rest, t),
      .other_at = advance(*other_from, other_rest, t),
      .rest = mix_way(mover->rest, 1 - t),
      .other_rest = mix_way(*other_rest, 1 - t),
  };
  double later = 1 - out_meeting->time;
  out_meeting->at.vx -= later * mover->gain.vx;
  out_meeting->at.vy -= later * mover->gain.vy;
  out_meeting->at.w -= later * mover->gain.w;
}


// Whether a meeting is one: chains own their normals, and one-way shapes let through what comes from behind.
static bool acts(const Search *search, const ImpiMeeting *meeting, const ImpiToi *toi) {
  const ImpWorld *world = search->world;
  const ImpiProxy *p = &world->broadphase.proxies.data[meeting->own_proxy];
  const ImpiProxy *q = &world->broadphase.proxies.data[meeting->other_proxy];
  const ImpiShape *own = &world->shapes.data[p->shape], *other = &world->shapes.data[q->shape];
  bool one_way = impi_length_sq(own->one_way) > 0 || impi_length_sq(other->one_way) > 0;
  bool chain = own->geometry.type == IMP_SHAPE_CHAIN || other->geometry.type == IMP_SHAPE_CHAIN;
  if (!one_way && !chain) {
    return true;
  }
  ImpiLocalManifold manifold;
  if (!impi_meeting_manifold(world, meeting, &manifold)) {
    return false;
  }
  if (!one_way) {
    return true;
  }
  ImpVec2 normal = own->serial > other->serial ? manifold.normal : impi_neg(manifold.normal); // other -> own
  const ImpiMotion *m = &meeting->at, *o = &meeting->other_at;
  ImpVec2 r = impi_sub(toi->point, impi_vec(m->x, m->y)), r_o = impi_sub(toi->point, impi_vec(o->x, o->y));
  ImpVec2 v = impi_add(impi_vec(m->vx, m->vy), impi_cross_sv(m->w, r));
  ImpVec2 v_o = impi_add(impi_vec(o->vx, o->vy), impi_cross_sv(o->w, r_o));
  ImpRot q_o = {o->c, o->s}, q_m = {m->c, m->s};
  return !impi_contact_passes(other, own, q_o, q_m, normal, -impi_dot(normal, impi_sub(v, v_o)));
}


static bool goes_first(const Search *search, double t, int32_t other) {
  if (search->other_proxy < 0 || t < search->best) {
    return true;
  }
  // In the same instant: the older shape, whatever the order of the tree.
  const ImpWorld *world = search->world;
  const ImpiProxy *best = &world->broadphase.proxies.data[search->other_proxy];
  const ImpiProxy *now = &world->broadphase.proxies.data[other];
  if (t > search->best || search->own_proxy != search->proxy) {
    return false;
  }
  uint64_t best_serial = world->shapes.data[best->shape].serial, serial = world->shapes.data[now->shape].serial;
  return serial != best_serial ? serial < best_serial : now->child < best->child;
}


// How deep a pair that touches or is careful may get: counted from where it is, and not beyond where it is inside.
static double depth_for(const Search *search, int32_t other, double distance) {
  const Mover *mover = search->mover;
  double allowed = mover->depth;
  for (int i = 0; i < mover->met; ++i) {
    bool same = mover->pairs[i].proxy_a == search->proxy && mover->pairs[i].proxy_b == other;
    allowed = same ? again_part * mover->depth : allowed;
  }
  return impi_max(-distance, 0) + allowed;
}


static void look_at(Search *search, int32_t other) {
  ImpWorld *world = search->world;
  const Mover *mover = search->mover;
  const ImpiProxy *q = &world->broadphase.proxies.data[other];
  bool seen;
  if (!may_meet(search, other, &seen)) {
    return;
  }
  const ImpiHull *hull = &world->shapes.data[q->shape].geometry.hulls[q->child];
  ImpiMotion rest, from = other_at(world, q->body, mover->time, &rest);
  ImpiSweep sweep = sweep_of(&world->bodies.data[q->body], &from, &rest);
  if (!impi_aabb_overlaps(search->box, swept_box(hull, &sweep)) || (is_line(hull) && is_line(search->hull)) ||
      is_behind(hull, &sweep, search->hull, &search->sweep) || is_behind(search->hull, &search->sweep, hull, &sweep)) {
    return;
  }
  ImpiToi toi, deep;
  impi_time_of_impact(hull, &sweep, search->hull, &search->sweep, 0, search->best, &toi);
  if (toi.state == IMPI_TOI_APART) {
    return;
  }
  bool touches = toi.state == IMPI_TOI_OVERLAP || toi.t <= 0, careful = touches || seen || mover->slides;
  if (careful) {
    double depth = depth_for(search, other, touches ? toi.distance : 0);
    if (depth > mover->deepest) {
      return;
    }
    impi_time_of_impact(hull, &sweep, search->hull, &search->sweep, -depth, search->best, &deep);
    if (deep.state != IMPI_TOI_HIT || deep.t <= 0) {
      return;
    }
    if (!touches) {
      ImpiToi near;
      impi_time_of_impact(hull, &sweep, search->hull, &search->sweep, touching_part * mover->depth, 0, &near);
      touches = near.state != IMPI_TOI_APART;
    }
    toi = touches ? deep : toi;
  }
  ImpiMeeting meeting;
  fill_meeting(search, other, &from, &rest, toi.t, &meeting);
  if (!acts(search, &meeting, &toi)) {
    if (!careful || touches) {
      return;
    }
    fill_meeting(search, other, &from, &rest, deep.t, &meeting);
    toi = deep;
    if (!acts(search, &meeting, &deep)) {
      return;
    }
  }
  if (goes_first(search, toi.t, other)) {
    search->best = toi.t;
    search->own_proxy = search->proxy;
    search->other_proxy = other;
  }
}


static bool visit(int32_t other, void *context) {
  look_at(context, other);
  return true;
}


// The pieces of a fast body, which may be anywhere on their way.
static void look_at_body(Search *search, int32_t slot) {
  const ImpWorld *world = search->world;
  for (int32_t s = world->bodies.data[slot].first_shape; s >= 0; s = world->shapes.data[s].next) {
    const ImpiShape *shape = &world->shapes.data[s];
    for (int32_t i = 0; shape->attached && i < shape->geometry.child_count; ++i) {
      look_at(search, shape->proxies[i]);
    }
  }
}


static void look_along(Search *search) {
  const ImpWorld *world = search->world;
  const ImpiProxy *proxy = &world->broadphase.proxies.data[search->proxy];
  uint64_t mask = proxy->filter.group > 0 ? IMPI_TREE_ALL : proxy->filter.mask;
  search->fast_ones = false;
  impi_tree_query(&world->broadphase.trees[0], search->box, mask, visit, search);
  impi_tree_query(&world->broadphase.trees[1], search->box, mask, visit, search);
  search->fast_ones = true;
  for (int i = 0; i < world->swept.count; ++i) {
    int32_t slot = world->swept.data[i];
    if (slot != search->mover->slot &&
        (!impi_is_dynamic(&world->bodies.data[slot]) || world->bodies.data[search->mover->slot].bullet)) {
      look_at_body(search, slot);
    }
  }
}


static bool first_meeting(ImpWorld *world, const Mover *mover, ImpiMeeting *out_meeting) {
  const ImpiBody *body = &world->bodies.data[mover->slot];
  Search search = {.world = world, .mover = mover, .best = 1, .other_proxy = -1};
  search.sweep = sweep_of(body, &mover->at, &mover->rest);
  for (int32_t s = body->first_shape; s >= 0; s = world->shapes.data[s].next) {
    const ImpiShape *shape = &world->shapes.data[s];
    for (int32_t i = 0; shape->attached && !shape->sensor && i < shape->geometry.child_count; ++i) {
      search.proxy = shape->proxies[i];
      search.hull = &shape->geometry.hulls[i];
      search.box = swept_box(search.hull, &search.sweep);
      look_along(&search);
    }
  }
  if (search.other_proxy < 0) {
    return false;
  }
  search.proxy = search.own_proxy;
  ImpiMotion rest, from = other_at(world, world->broadphase.proxies.data[search.other_proxy].body, mover->time, &rest);
  fill_meeting(&search, search.other_proxy, &from, &rest, search.best, out_meeting);
  return true;
}


// ---------------------------------------------------------------------------------------------------------------------
// One body
// ---------------------------------------------------------------------------------------------------------------------


// Whether rows have acted on it in this step.
static bool is_borne(const ImpWorld *world, const ImpiBody *body) {
  for (int32_t edge = body->first_edge; edge >= 0;) {
    const ImpiContact *contact = &world->contacts.data[edge >> 1];
    edge = contact->edge[edge & 1].next;
    for (int i = 0; i < contact->count; ++i) {
      if (contact->points[i].total_n > 0) {
        return true;
      }
    }
  }
  return false;
}


static Mover mover_of(const ImpWorld *world, int32_t slot) {
  const ImpiBody *body = &world->bodies.data[slot];
  const ImpiMotion *start = impi_world_start(world, slot), *end = &world->motions.data[slot];
  double inner = (double)body->inner;
  Mover mover = {.slot = slot,
                 .at = *start,
                 .rest = way_between(start, end),
                 .depth = inner > 0 ? world->continuous_part * inner : line_depth,
                 .deepest = inner > 0 ? inside_part * inner : MEETINGS * line_depth,
                 .slides = is_borne(world, body)};
  mover.at.vx = end->vx;
  mover.at.vy = end->vy;
  mover.at.w = end->w;
  ImpVec2 gain = {end->vx - start->vx, end->vy - start->vy};
  if (!mover.slides && body->first_joint < 0 &&
      impi_length_sq(gain) < pushed_part * pushed_part * (end->vx * end->vx + end->vy * end->vy)) {
    mover.gain = (ImpiMotion){.vx = gain.x, .vy = gain.y, .w = end->w - start->w};
  }
  return mover;
}


// What acted on it changes the velocity at the step's end by as much.
static void go_on(Mover *mover, const ImpiMeeting *meeting) {
  double later = 1 - meeting->time;
  mover->time = meeting->time;
  mover->at = meeting->at;
  mover->at.vx += later * mover->gain.vx;
  mover->at.vy += later * mover->gain.vy;
  mover->at.w += later * mover->gain.w;
  mover->rest = meeting->rest;
}


static void push_other(ImpWorld *world, const ImpiMeeting *meeting, const ImpiMotion *before) {
  if (impi_is_dynamic(&world->bodies.data[meeting->other])) {
    impi_world_wake(world, meeting->other);
    ImpiMotion *motion = &world->motions.data[meeting->other];
    motion->vx += meeting->other_at.vx - before->vx;
    motion->vy += meeting->other_at.vy - before->vy;
    motion->w += meeting->other_at.w - before->w;
  }
}


// It waits where it is; what moves in its way takes it along.
static void wait_for_step(const ImpiMeeting *meeting, Mover *mover) {
  ImpVec2 r = impi_vec(meeting->at.x - meeting->other_at.x, meeting->at.y - meeting->other_at.y);
  ImpVec2 carried = impi_cross_sv(meeting->other_rest.w, r);
  mover->rest = (ImpiMotion){.vx = meeting->other_rest.vx + carried.x, .vy = meeting->other_rest.vy + carried.y};
}


// Points are told of from where the bodies are in the end.
static void move_points(ImpWorld *world, const int32_t *contacts, const ImpVec2 *places, int count) {
  for (int i = 0; i < count; ++i) {
    bool again = false; // its points are those of the last meeting
    for (int k = i + 1; k < count; ++k) {
      again = again || contacts[k] == contacts[i];
    }
    if (again) {
      continue;
    }
    ImpiContact *contact = &world->contacts.data[contacts[i]];
    const ImpiMotion *a = &world->motions.data[contact->body_a], *b = &world->motions.data[contact->body_b];
    ImpVec2 shift = impi_sub(places[i], impi_vec(a->x, a->y)), centers = impi_vec(b->x - a->x, b->y - a->y);
    for (int k = 0; k < contact->count; ++k) {
      contact->points[k].r_a = impi_add(contact->points[k].r_a, shift);
      contact->points[k].r_b = impi_sub(contact->points[k].r_a, centers);
    }
  }
}


static double energy_of(const ImpWorld *world, int32_t slot) {
  const ImpiBody *body = &world->bodies.data[slot];
  const ImpiMotion *m = &world->motions.data[slot];
  ImpVec2 g = world->settings.gravity;
  return 0.5 * (body->mass * (m->vx * m->vx + m->vy * m->vy) + body->inertia * m->w * m->w) -
         body->mass * body->gravity_scale * (g.x * m->x + g.y * m->y);
}


static void sweep_body(ImpWorld *world, int32_t slot) {
  Mover mover = mover_of(world, slot);
  int32_t met[MEETINGS];
  ImpVec2 places[MEETINGS]; // centre of the first body of each contact, when they met
  double before = energy_of(world, slot), work = 0, given = 0;
  ImpiMeeting meeting;
  bool hit = first_meeting(world, &mover, &meeting), driven = false;
  if (!hit) {
    return;
  }
  while (hit) {
    ImpiMotion other_before = meeting.other_at;
    double other_energy = energy_of(world, meeting.other);
    ImpiOutcome outcome = mover.met < MEETINGS ? impi_meet(world, &meeting, &met[mover.met]) : IMPI_OUTCOME_STOP;
    go_on(&mover, &meeting);
    if (outcome == IMPI_OUTCOME_STOP) {
      wait_for_step(&meeting, &mover);
      break;
    }
    bool own_is_a = world->contacts.data[met[mover.met]].body_a == slot;
    places[mover.met] = own_is_a ? impi_vec(meeting.at.x, meeting.at.y) : impi_vec(other_before.x, other_before.y);
    mover.pairs[mover.met++] = (ImpiPair){meeting.own_proxy, meeting.other_proxy};
    push_other(world, &meeting, &other_before);
    given += energy_of(world, meeting.other) - other_energy;
    work += meeting.work;
    driven = driven || world->bodies.data[meeting.other].type == IMP_BODY_KINEMATIC;
    mover.slides = mover.slides || outcome == IMPI_OUTCOME_REST;
    hit = first_meeting(world, &mover, &meeting);
  }
  impi_world_wake(world, slot);
  world->motions.data[slot] = advance(mover.at, &mover.rest, 1);
  move_points(world, met, places, mover.met);
  impi_body_refit(world, slot);
  if (world->settings.auditing) {
    double rest = energy_of(world, slot) - before + given - work;
    impi_audit_enter(world, driven ? IMP_ENERGY_KINEMATIC : IMP_ENERGY_INTEGRATION, rest, -1);
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Who is looked at
// ---------------------------------------------------------------------------------------------------------------------

typedef struct Broom {
  ImpWorld *world;
  int32_t slot; // kinematic
  ImpiMotion start, way;
} Broom;


// A body in a kinematic one's way, also one that hardly moves itself.
static bool put_down(int32_t proxy, void *context) {
  Broom *broom = context;
  ImpWorld *world = broom->world;
  int32_t slot = world->broadphase.proxies.data[proxy].body;
  ImpiBody *body = &world->bodies.data[slot];
  if (!impi_is_dynamic(body) || !body->enabled || body->swept || slot == broom->slot) {
    return true;
  }
  const ImpiMotion *start = impi_world_start(world, slot), *end = &world->motions.data[slot];
  const ImpiMotion *way = &broom->way;
  ImpVec2 from = {start->x - broom->start.x, start->y - broom->start.y};
  double dx = end->x - start->x - way->vx, dy = end->y - start->y - way->vy;
  double reach = impi_length(from) + fabs(dx) + fabs(dy) + body->extent;
  double turn = fabs(end->angle - start->angle) * body->extent;
  if (fabs(dx) + fabs(dy) + fabs(way->w) * reach + turn > impi_stride(world, body)) {
    body->swept = true;
    world->swept.data[world->swept.count++] = slot; // room for every body was made before the step
  }
  return true;
}


static void sweep_out(ImpWorld *world, int32_t slot) {
  const ImpiBody *body = &world->bodies.data[slot];
  Broom broom = {.world = world, .slot = slot, .start = *impi_world_start(world, slot)};
  broom.way = way_between(&broom.start, &world->motions.data[slot]);
  ImpiSweep sweep = sweep_of(body, &broom.start, &broom.way);
  for (int32_t s = body->first_shape; s >= 0; s = world->shapes.data[s].next) {
    const ImpiShape *shape = &world->shapes.data[s];
    for (int32_t i = 0; shape->attached && !shape->sensor && i < shape->geometry.child_count; ++i) {
      ImpAabb box = swept_box(&shape->geometry.hulls[i], &sweep);
      impi_tree_query(&world->broadphase.trees[1], box, IMPI_TREE_ALL, put_down, &broom);
    }
  }
}


static bool comes_first(const void *one, const void *other, const void *context) {
  (void)context;
  return *(const int32_t *)one < *(const int32_t *)other;
}


void impi_continuous(ImpWorld *world) {
  int awake = world->swept.count;
  for (int i = 0; i < awake; ++i) {
    if (!impi_is_dynamic(&world->bodies.data[world->swept.data[i]])) {
      sweep_out(world, world->swept.data[i]);
    }
  }
  int32_t *swept = world->swept.data;
  if (world->swept.count > awake) {
    impi_sort(swept, world->swept.count, sizeof *swept, comes_first, NULL);
  }
  for (int bullets = 0; bullets < 2; ++bullets) { // bullets last: they meet the others where those have gone
    for (int i = 0; i < world->swept.count; ++i) {
      const ImpiBody *body = &world->bodies.data[swept[i]];
      if (impi_is_dynamic(body) && body->enabled && body->bullet == (bullets == 1)) {
        sweep_body(world, swept[i]);
      }
    }
  }
  for (int i = 0; i < world->swept.count; ++i) {
    world->bodies.data[swept[i]].swept = false;
  }
}
