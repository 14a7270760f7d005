// The search for the first time-of-impact event on a body's path: candidates by swept boxes, and times of impact of
// pairs.
#include "step/continuous.h"
#include "world/pairs.h"

#include "base/sort.h"

// Number of searches for the event of a pair.
#define DEEPER 4

// Radii of the circles around the centroid of a piece in hold_middle, as fractions of ImpiSweptBody.core.
static const double middle_parts[2] = {1, 0.2};

// A pair that has had an event in this step has another event if the penetration has grown by this fraction of the
// allowed depth.
static const double again_part = 0.1;

// A sliding body touches a piece that is nearer than this fraction of the allowed depth.
static const double touching_part = 0.01;

// Insertion sort is used for at most this number of candidates.
#define MAX_UNSORTED 16

// State of the search for the first event on the remaining path.
typedef struct Search {
  ImpWorld *world;
  ImpiSweptBody *mover;
  int32_t proxy; // proxy of a piece of the body
  const ImpiHull *hull;
  ImpiSweep sweep;
  ImpRot ends[2];                // rotations of the body at the start and at the end of the sweep
  ImpAabb box;                   // box around the piece during the sweep
  bool sweepers;                 // true: test only sweeping kinematic bodies; false: test all other bodies
  bool plain;                    // ImpiToiEvent.plain of the first event
  const ImpiToiEvent *toi_event; // find the contacts of this event; null: find the first event
  double best;                   // time of the first event, as a fraction of the remaining displacement
  int32_t own_proxy, other_proxy;
  bool failed; // memory ran out
} Search;


// ---------------------------------------------------------------------------------------------------------------------
// Paths
// ---------------------------------------------------------------------------------------------------------------------


ImpiMotion impi_way_between(const ImpiMotion *start, const ImpiMotion *end) {
  return (ImpiMotion){.vx = end->x - start->x, .vy = end->y - start->y, .w = end->angle - start->angle};
}


static ImpiMotion part_of_way(ImpiMotion way, double part) {
  return (ImpiMotion){.vx = part * way.vx, .vy = part * way.vy, .w = part * way.w};
}


// Return the pose after a part of a displacement.
ImpiMotion impi_advance(ImpiMotion at, const ImpiMotion *way, double part) {
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


ImpiHitBody *impi_hit_body_of(const ImpWorld *world, int32_t slot) {
  int32_t place = world->ccd.hit_body_at.data[slot];
  bool there = place < world->ccd.hit_bodies.count && world->ccd.hit_bodies.data[place].slot == slot;
  return there ? &world->ccd.hit_bodies.data[place] : NULL;
}


// Return the motion of the body in `slot` at a time of the step. `out_rest`: its remaining displacement.
static ImpiMotion other_at(const ImpWorld *world, int32_t slot, double time, ImpiMotion *out_rest) {
  const ImpiMotion *start = impi_start_of(world, slot), *end = &world->motions.data[slot];
  const ImpiHitBody *hit_body = impi_hit_body_of(world, slot);
  double from = 0, to = 1;
  if (hit_body != NULL && time >= hit_body->time) {
    start = &hit_body->bend;
    from = hit_body->time;
  } else if (hit_body != NULL) { // the last impact of the body is after `time`
    start = &hit_body->from;
    end = &hit_body->bend;
    from = impi_min(hit_body->since, time);
    to = hit_body->time;
  }
  ImpiMotion way = impi_way_between(start, end);
  double length = impi_max(to - from, 1e-9);
  ImpiMotion at = impi_advance(*start, &way, (time - from) / length);
  *out_rest = part_of_way(way, (to - time) / length);
  const ImpiMotion *now = &world->motions.data[slot]; // the body has this velocity on every part of its path
  at.vx = now->vx;
  at.vy = now->vy;
  at.w = now->w;
  // Compute the velocity of a kinematic body from its displacement.
  if (world->bodies.data[slot].type == IMP_BODY_KINEMATIC) {
    at.vx = way.vx / world->settings.dt;
    at.vy = way.vy / world->settings.dt;
    at.w = way.w / world->settings.dt;
  }
  return at;
}


// Return a box around a piece during its whole sweep.
ImpAabb impi_swept_box(const ImpiHull *hull, const ImpiSweep *sweep) {
  ImpVec2 p = impi_apply(impi_sweep_at(sweep, 0), hull->centroid),
          q = impi_apply(impi_sweep_at(sweep, 1), hull->centroid);
  double turn = fabs(sweep->a1 - sweep->a0), lever = impi_length(impi_sub(hull->centroid, sweep->local_center));
  return impi_aabb_grow(impi_aabb_union((ImpAabb){p, p}, (ImpAabb){q, q}), hull->extent + impi_arc_height(lever, turn));
}


// Return a box around a body at a pose, for any rotation. If the centre of mass moves straight, the swept boxes of its
// pieces are inside the union of these boxes at both ends.
ImpAabb impi_turning_box(const ImpiBody *body, const ImpiMotion *at) {
  ImpVec2 p = {at->x, at->y};
  return impi_aabb_grow((ImpAabb){p, p}, 3 * body->extent);
}


// ---------------------------------------------------------------------------------------------------------------------
// The first event
// ---------------------------------------------------------------------------------------------------------------------


// Return true if the pair can collide. `out_seen`: the solver had rows for the pair.
static bool may_meet(const Search *search, int32_t other, bool *out_seen) {
  const ImpWorld *world = search->world;
  const ImpiProxy *p = &world->broadphase.proxies.data[search->proxy], *q = &world->broadphase.proxies.data[other];
  const ImpiBody *body = &world->bodies.data[q->body];
  *out_seen = false;
  if (!impi_proxies_meet(p, q) || world->shapes.data[q->shape].sensor ||
      (body->swept && !impi_is_dynamic(body)) != search->sweepers ||
      (impi_is_dynamic(body) && !search->mover->bullet) || !impi_world_may_touch(world, search->proxy, other) ||
      impi_pair_refused(world, p->shape, q->shape)) {
    return false;
  }
  int32_t slot = impi_pair_map_find(&world->broadphase.contacts, search->proxy, other);
  if (slot >= 0) {
    const ImpiContact *contact = &world->contacts.data[slot];
    *out_seen = contact->count > 0;
    return !(contact->flags & IMPI_CONTACT_IDLE);
  }
  return true;
}


static bool is_line(const ImpiHull *hull) { return hull->count == 2 && hull->radius <= 0; }


// Return true if a piece begins behind a chain link.
static bool is_behind(const ImpiHull *link, const ImpiSweep *sweep, const ImpiHull *hull, const ImpiSweep *hull_sweep) {
  ImpVec2 center = impi_apply(impi_sweep_at(hull_sweep, 0), hull->centroid);
  return link->chain && impi_link_is_behind(link, impi_inv_apply(impi_sweep_at(sweep, 0), center));
}


// Return the time, as a fraction of the step, at which a body has covered `part` of its remaining displacement. If
// forces act along the motion, the displacement in a time tau is w tau + g tau^2 / 2, with the initial speed w and the
// acceleration g.
static double time_on_way(const ImpWorld *world, const ImpiSweptBody *mover, double part) {
  double left = 1 - mover->time, even = part * left, dt = world->settings.dt;
  ImpVec2 g = {mover->gain.vx, mover->gain.vy}, way = {mover->rest.vx / dt, mover->rest.vy / dt};
  double size = impi_length(g), along = size > 0 ? impi_dot(way, g) / size : 0;
  if (4 * along * along <= impi_length_sq(way)) {
    return mover->time + even;
  }
  double w = along / left - 0.5 * left * size;
  double root = w * w + 2 * size * part * along;
  if (root <= 0) {
    return mover->time + even;
  }
  double after =
      w < 0 && along > 0 ? (sqrt(root) - w) / size : 2 * part * along / (w + (w > 0 ? sqrt(root) : -sqrt(root)));
  return mover->time + impi_clamp(after, 0, left);
}


static void fill_toi_event(const Search *search, int32_t other, const ImpiMotion *other_from,
                           const ImpiMotion *other_rest, double t, ImpiToiEvent *out_toi_event) {
  const ImpWorld *world = search->world;
  const ImpiSweptBody *mover = search->mover;
  *out_toi_event = (ImpiToiEvent){
      .own = mover->slot,
      .other = world->broadphase.proxies.data[other].body,
      .own_proxy = search->proxy,
      .other_proxy = other,
      .time = time_on_way(world, mover, t),
      .at = impi_advance(mover->at, &mover->rest, t),
      .other_at = impi_advance(*other_from, other_rest, t),
      .rest = part_of_way(mover->rest, 1 - t),
      .other_rest = part_of_way(*other_rest, 1 - t),
  };
  double later = 1 - out_toi_event->time - mover->lag;
  out_toi_event->at.vx -= later * mover->gain.vx;
  out_toi_event->at.vy -= later * mover->gain.vy;
  out_toi_event->at.w -= later * mover->gain.w;
}


// Return true if the two pieces of an event collide. They do not if they meet only at internal edges or corners of a
// chain, or if a one-way shape lets the body pass.
static bool acts(const Search *search, const ImpiToiEvent *toi_event, const ImpiToi *toi) {
  ImpWorld *world = search->world;
  const ImpiProxy *p = &world->broadphase.proxies.data[toi_event->own_proxy];
  const ImpiProxy *q = &world->broadphase.proxies.data[toi_event->other_proxy];
  const ImpiShape *own = &world->shapes.data[p->shape], *other = &world->shapes.data[q->shape];
  bool one_way = impi_length_sq(own->one_way) > 0 || impi_length_sq(other->one_way) > 0;
  ImpiLocalManifold manifold;
  if (!impi_toi_manifold(world, toi_event, &manifold)) {
    return false;
  }
  if (!one_way) {
    return true;
  }
  ImpVec2 normal = own->serial > other->serial ? manifold.normal : impi_neg(manifold.normal); // other -> own
  const ImpiMotion *m = &toi_event->at, *o = &toi_event->other_at;
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
  // Of two events at equal times, the event with the shape that was created first is used.
  const ImpWorld *world = search->world;
  const ImpiProxy *best = &world->broadphase.proxies.data[search->other_proxy];
  const ImpiProxy *now = &world->broadphase.proxies.data[other];
  if (t > search->best || search->own_proxy != search->proxy) {
    return false;
  }
  uint64_t best_serial = world->shapes.data[best->shape].serial, serial = world->shapes.data[now->shape].serial;
  return serial != best_serial ? serial < best_serial : now->child < best->child;
}


// Allowed penetration of a pair that touches or slides [m]: the present penetration plus the allowed depth.
static double depth_for(const Search *search, int32_t other, double distance) {
  const ImpiSweptBody *mover = search->mover;
  double allowed = mover->depth;
  for (int i = 0; i < mover->met; ++i) {
    bool same = mover->pairs[i].proxy_a == search->proxy && mover->pairs[i].proxy_b == other;
    allowed = same ? again_part * mover->depth : allowed;
  }
  return impi_max(-distance, 0) + allowed;
}


// A piece against which a piece of the moving body is tested, and the remaining displacement of this other piece.
typedef struct Other {
  int32_t proxy;
  const ImpiHull *hull;
  ImpiMotion from, rest;
  ImpiSweep sweep;
} Other;


static ImpiToi time_of(const Search *search, const Other *other, double target, double t_max) {
  ImpiToi toi;
  impi_time_of_impact(other->hull, &other->sweep, search->hull, &search->sweep, target, t_max, &toi);
  return toi;
}


// Return true if the centroid of the piece begins inside the other piece.
static bool is_inside(const Search *search, const Other *other) {
  ImpVec2 center = impi_apply(impi_sweep_at(&search->sweep, 0), search->hull->centroid);
  return impi_hull_contains(other->hull, impi_inv_apply(impi_sweep_at(&other->sweep, 0), center));
}


// Record an event if its pieces collide (acts) and it is the first so far. Returns false if they do not collide.
static bool take(Search *search, const Other *other, const ImpiToi *toi, bool plain) {
  ImpiToiEvent toi_event;
  fill_toi_event(search, other->proxy, &other->from, &other->rest, toi->t, &toi_event);
  toi_event.plain = plain;
  if (!acts(search, &toi_event, toi)) {
    return false;
  }
  if (goes_first(search, toi->t, other->proxy)) {
    search->plain = plain;
    search->best = toi->t;
    search->own_proxy = search->proxy;
    search->other_proxy = other->proxy;
  }
  return true;
}


static double middle_radius(const ImpiSweptBody *mover, int which) {
  return impi_max(middle_parts[which] * mover->core, IMPI_MIN_LENGTH);
}


// Keep a circle around the middle of the piece outside of the other piece, because a body could pass through a small
// tile without exceeding the allowed penetration.
static void hold_middle(Search *search, const Other *other) {
  for (int k = 0; k < 2; ++k) {
    double radius = middle_radius(search->mover, k);
    ImpiHull middle = {.count = 1,
                       .radius = radius,
                       .centroid = search->hull->centroid,
                       .extent = radius,
                       .v = &search->hull->centroid};
    ImpiToi toi;
    impi_time_of_impact(other->hull, &other->sweep, &middle, &search->sweep, 0, search->best, &toi);
    if (toi.state == IMPI_TOI_HIT && toi.t > 0) {
      take(search, other, &toi, true);
      return;
    }
  }
}


// Return true if the piece stays clear of the other piece, or penetrates less than is allowed while it slides.
static bool is_clear(Search *search, const Other *other) {
  const ImpWorld *world = search->world;
  const ImpiMotion *end = &world->motions.data[world->broadphase.proxies.data[other->proxy].body];
  const ImpRot ends[2] = {{other->from.c, other->from.s}, {end->c, end->s}};
  ImpiClearance clearance =
      impi_clearance(other->hull, &other->sweep, ends, search->hull, &search->sweep, search->ends);
  if (clearance.surfaces >= 0) {
    return true;
  }
  if (clearance.surfaces < -depth_for(search, other->proxy, 0) || clearance.middle < middle_radius(search->mover, 0)) {
    return false;
  }
  impi_swept_body_update(world, search->mover);
  return search->mover->slides;
}


static void look_at(Search *search, int32_t proxy) {
  const ImpWorld *world = search->world;
  const ImpiSweptBody *mover = search->mover;
  const ImpiProxy *q = &world->broadphase.proxies.data[proxy];
  Other other = {.proxy = proxy, .hull = &world->shapes.data[q->shape].geometry.hulls[q->child]};
  other.from = other_at(world, q->body, mover->time, &other.rest);
  other.sweep = impi_sweep_of(&world->bodies.data[q->body], &other.from, &other.rest);
  bool seen;
  if (is_clear(search, &other) || !may_meet(search, proxy, &seen)) {
    return;
  }
  if (!impi_aabb_overlaps(search->box, impi_swept_box(other.hull, &other.sweep)) ||
      (is_line(other.hull) && is_line(search->hull)) ||
      is_behind(other.hull, &other.sweep, search->hull, &search->sweep) ||
      is_behind(search->hull, &search->sweep, other.hull, &other.sweep)) {
    return;
  }
  ImpiToi toi = time_of(search, &other, 0, search->best);
  if (toi.state == IMPI_TOI_APART) {
    return;
  }
  impi_swept_body_update(world, search->mover);
  bool touches = toi.state == IMPI_TOI_OVERLAP || toi.t <= 0;
  double depth = depth_for(search, proxy, touches ? toi.distance : 0);
  if (touches && is_inside(search, &other)) {
    return;
  }
  if (touches || seen || mover->slides) {
    ImpiToi deep = time_of(search, &other, -depth, search->best);
    if (deep.state != IMPI_TOI_HIT || deep.t <= 0) {
      hold_middle(search, &other);
      return;
    }
    touches = touches || time_of(search, &other, touching_part * mover->depth, 0).state != IMPI_TOI_APART;
    toi = touches ? deep : toi;
  }
  // If the pieces do not collide at this time (acts), search for the time at which they reach a larger penetration. In
  // the last search, internal edges act like other edges.
  for (int k = 0; k < DEEPER && !take(search, &other, &toi, k + 1 == DEEPER); ++k) {
    depth += touches ? mover->depth : 0;
    touches = true;
    toi = time_of(search, &other, -depth, search->best);
    if (toi.state != IMPI_TOI_HIT || toi.t <= 0) {
      return;
    }
  }
}


// Add a pair that touches at the time of an event to the contacts of the event.
static void touch(Search *search, int32_t proxy) {
  ImpWorld *world = search->world;
  const ImpiToiEvent *first = search->toi_event;
  const ImpiProxy *q = &world->broadphase.proxies.data[proxy];
  bool seen;
  if ((search->proxy == first->own_proxy && proxy == first->other_proxy) || !may_meet(search, proxy, &seen)) {
    return;
  }
  Other other = {.proxy = proxy, .hull = &world->shapes.data[q->shape].geometry.hulls[q->child]};
  const ImpiMotion stay = {.vx = 0};
  other.from = other_at(world, q->body, first->time, &other.rest);
  other.sweep = impi_sweep_of(&world->bodies.data[q->body], &other.from, &stay);
  if (!impi_aabb_overlaps(search->box, impi_swept_box(other.hull, &other.sweep)) ||
      (is_line(other.hull) && is_line(search->hull)) ||
      is_behind(other.hull, &other.sweep, search->hull, &search->sweep) ||
      is_behind(search->hull, &search->sweep, other.hull, &other.sweep) || is_inside(search, &other)) {
    return;
  }
  ImpiToi toi = time_of(search, &other, IMPI_TOGETHER, 0);
  ImpiToiEvent toi_event = *first;
  toi_event.own_proxy = search->proxy;
  toi_event.other_proxy = proxy;
  toi_event.other = q->body;
  toi_event.plain = false;
  toi_event.other_at = other.from;
  if (toi.state == IMPI_TOI_APART || !acts(search, &toi_event, &toi)) {
    return;
  }
  if (!impi_reserve(&world->heap, &world->ccd.toi_contacts, world->ccd.toi_contacts.count + 1)) {
    search->failed = true;
    return;
  }
  world->ccd.toi_contacts.data[world->ccd.toi_contacts.count++] = (ImpiToiContact){
      .own_proxy = search->proxy, .other_proxy = proxy, .other = q->body, .at = other.from, .rest = other.rest};
}


static void visit_one(Search *search, int32_t other) { (search->toi_event != NULL ? touch : look_at)(search, other); }


static bool put_down(int32_t other, void *context) {
  Search *search = context;
  ImpWorld *world = search->world;
  IMP_ASSERT(world->ccd.candidates.count < world->ccd.candidates.capacity); // the step has reserved room for all
  world->ccd.candidates.data[world->ccd.candidates.count++] = other;
  return true;
}


static bool is_lower(const void *a, const void *b, const void *context) {
  (void)context;
  return *(const int32_t *)a < *(const int32_t *)b;
}


// Visit the candidates in the order of their proxies, because the order of leaves in the tree is not part of the state
// of the world.
static void visit_in_order(Search *search) {
  int32_t *list = search->world->ccd.candidates.data;
  int count = search->world->ccd.candidates.count;
  if (count > MAX_UNSORTED) {
    impi_sort(list, count, sizeof *list, is_lower, NULL);
  }
  for (int i = 1; i < count && count <= MAX_UNSORTED; ++i) {
    int32_t proxy = list[i];
    int k = i;
    for (; k > 0 && list[k - 1] > proxy; --k) {
      list[k] = list[k - 1];
    }
    list[k] = proxy;
  }
  for (int i = 0; i < count; ++i) {
    if (i == 0 || list[i] != list[i - 1]) { // a body in `long_paths` may also be found by its box in the tree
      visit_one(search, list[i]);
    }
  }
}


// List the pieces of bodies in `long_paths` whose paths overlap the box.
static void add_long_paths_to_list(Search *search, uint64_t mask) {
  const ImpWorld *world = search->world;
  for (int i = 0; i < world->ccd.long_paths.count; ++i) {
    const ImpiLongPath *long_path = &world->ccd.long_paths.data[i];
    const ImpiBody *body = &world->bodies.data[long_path->slot];
    ImpAabb box = impi_aabb_union(long_path->box, impi_turning_box(body, &world->motions.data[long_path->slot]));
    if (!impi_aabb_overlaps(search->box, box) || long_path->slot == search->mover->slot) {
      continue;
    }
    for (int32_t s = body->first_shape; s >= 0; s = world->shapes.data[s].next) {
      const ImpiShape *shape = &world->shapes.data[s];
      for (int32_t k = 0; shape->attached && k < shape->geometry.child_count; ++k) {
        int32_t proxy = impi_shape_proxy(shape, k);
        if ((world->broadphase.proxies.data[proxy].filter.category & mask) != 0) {
          put_down(proxy, search);
        }
      }
    }
  }
}


// Test the pieces of a sweeping kinematic body that may be in the box of the search during the step.
static void search_sweeper(Search *search, int32_t slot) {
  const ImpWorld *world = search->world;
  ImpAabb near;
  if (!impi_sweeper_reaches(world, slot, search->box, &near)) {
    return;
  }
  for (int32_t s = world->bodies.data[slot].first_shape; s >= 0; s = world->shapes.data[s].next) {
    const ImpiShape *shape = &world->shapes.data[s];
    for (int32_t i = 0; shape->attached && i < shape->geometry.child_count; ++i) {
      if (impi_aabb_overlaps(near, world->broadphase.proxies.data[impi_shape_proxy(shape, i)].fat)) {
        visit_one(search, impi_shape_proxy(shape, i));
      }
    }
  }
}


static void look_along(Search *search) {
  ImpWorld *world = search->world;
  const ImpiProxy *proxy = &world->broadphase.proxies.data[search->proxy];
  uint64_t mask = proxy->filter.group > 0 ? IMPI_TREE_ALL : proxy->filter.mask;
  search->sweepers = false;
  world->ccd.candidates.count = 0;
  const ImpiTree *trees = world->broadphase.trees;
  impi_tree_query(&trees[IMPI_PROXY_STATIC], search->box, mask, put_down, search);
  // Boxes in the trees are those at the ends of paths. Sweeping kinematic bodies and bodies in `long_paths` are tested
  // from lists.
  bool bullet = search->mover->bullet;
  ImpAabb box = impi_aabb_grow(search->box, bullet ? world->ccd.longest_path : 0);
  impi_tree_query(&trees[IMPI_PROXY_KINEMATIC], box, mask, put_down, search);
  if (bullet) {
    impi_tree_query(&trees[IMPI_PROXY_DYNAMIC], box, mask, put_down, search);
    add_long_paths_to_list(search, mask);
  }
  visit_in_order(search);
  search->sweepers = true;
  for (int i = 0; i < world->ccd.sweeper_count; ++i) {
    search_sweeper(search, world->ccd.swept.data[i]);
  }
}


// Search along the sweep of each piece of the body. `margin` is added to the boxes [m].
static void look_along_all(Search *search, double margin) {
  const ImpWorld *world = search->world;
  const ImpiBody *body = &world->bodies.data[search->mover->slot];
  for (int32_t s = body->first_shape; s >= 0; s = world->shapes.data[s].next) {
    const ImpiShape *shape = &world->shapes.data[s];
    for (int32_t i = 0; shape->attached && !shape->sensor && i < shape->geometry.child_count; ++i) {
      search->proxy = impi_shape_proxy(shape, i);
      search->hull = &shape->geometry.hulls[i];
      search->box = impi_aabb_grow(impi_swept_box(search->hull, &search->sweep), margin);
      look_along(search);
    }
  }
}


bool impi_first_toi_event(ImpWorld *world, ImpiSweptBody *mover, ImpiToiEvent *out_toi_event) {
  const ImpiBody *body = &world->bodies.data[mover->slot];
  Search search = {.world = world, .mover = mover, .best = 1, .other_proxy = -1};
  search.sweep = impi_sweep_of(body, &mover->at, &mover->rest);
  search.ends[0] = (ImpRot){mover->at.c, mover->at.s};
  search.ends[1] = impi_rot(search.sweep.a1);
  impi_broadphase_follow(&world->broadphase, mover->bullet);
  look_along_all(&search, 0);
  if (search.other_proxy < 0) {
    return false;
  }
  search.proxy = search.own_proxy;
  ImpiMotion rest, from = other_at(world, world->broadphase.proxies.data[search.other_proxy].body, mover->time, &rest);
  fill_toi_event(&search, search.other_proxy, &from, &rest, search.best, out_toi_event);
  out_toi_event->plain = search.plain;
  return true;
}


// Order contacts of an event by creation of their shapes.
static bool is_older(const void *one, const void *two, const void *context) {
  const ImpWorld *world = context;
  const ImpiToiContact *a = one, *b = two;
  const ImpiProxy *proxies = world->broadphase.proxies.data;
  const ImpiProxy *own_a = &proxies[a->own_proxy], *own_b = &proxies[b->own_proxy];
  const ImpiProxy *other_a = &proxies[a->other_proxy], *other_b = &proxies[b->other_proxy];
  if (other_a->shape != other_b->shape) {
    return world->shapes.data[other_a->shape].serial < world->shapes.data[other_b->shape].serial;
  }
  if (other_a->child != other_b->child) {
    return other_a->child < other_b->child;
  }
  return own_a->shape != own_b->shape
             ? world->shapes.data[own_a->shape].serial < world->shapes.data[own_b->shape].serial
             : own_a->child < own_b->child;
}


bool impi_find_toi_contacts(ImpWorld *world, ImpiSweptBody *mover, const ImpiToiEvent *toi_event) {
  world->ccd.toi_contacts.count = 0;
  if (!impi_reserve(&world->heap, &world->ccd.toi_contacts, 1)) {
    return false;
  }
  world->ccd.toi_contacts.data[world->ccd.toi_contacts.count++] =
      (ImpiToiContact){.own_proxy = toi_event->own_proxy,
                       .other_proxy = toi_event->other_proxy,
                       .other = toi_event->other,
                       .plain = toi_event->plain,
                       .at = toi_event->other_at,
                       .rest = toi_event->other_rest};
  const ImpiMotion stay = {.vx = 0};
  Search search = {.world = world, .mover = mover, .toi_event = toi_event, .best = 1, .other_proxy = -1};
  search.sweep = impi_sweep_of(&world->bodies.data[mover->slot], &toi_event->at, &stay);
  impi_broadphase_follow(&world->broadphase, mover->bullet);
  look_along_all(&search, IMPI_TOGETHER);
  impi_sort(world->ccd.toi_contacts.data + 1, world->ccd.toi_contacts.count - 1, sizeof(ImpiToiContact), is_older,
            world);
  return !search.failed;
}
