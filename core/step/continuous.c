// Continuous collision of bodies that moved far in a step.
//
// If a body moved farther than a fraction of its inner radius (impi_stride), its path in the step (a straight line with
// constant angular velocity) is tested against static bodies and the paths of kinematic bodies. The path of a bullet is
// also tested against the paths of dynamic bodies. At the first time of impact the impulses of the event act
// (continuous_impact.c), and the body covers the rest of the step with its new velocity. The rest of the path is tested
// again, up to IMPI_MAX_TOI_EVENTS times.
//
// Touching pieces are left to the solver. Penetration up to ImpWorld.continuous_part of the inner radius is ignored for
// pieces that had rows, for pieces that touch at the beginning of the path, and for all pieces if the body slides or
// rests on something, because the internal edges of a floor must not stop a sliding body.
//
// Forces: for a body without row impulses, the change of velocity v1 - v0 is spread evenly over the step. The lag l, a
// fraction of the step, follows from the mean velocity over the step, u = v0 + (1/2 + l) (v1 - v0); l = 1/2 for a
// symplectic step. At time t of the step the velocity is v1 - (1 - t - l) (v1 - v0). A bounce under gravity with this
// velocity conserves energy.
#include "step/continuous.h"

#include "base/sort.h"
#include "world/audit.h"
#include "world/bodies.h"
#include "world/contacts.h"
#include "world/sleep.h"


// Forces caused the change of velocity in a step if it is below this fraction of the speed, or if it differs from the
// change by known forces by less than this fraction. Otherwise a handler's impulse caused it before the impact.
static const double pushed_part = 0.25;


// Largest number of times that an impact is passed on from body to body within a step.
#define MAX_HIT_BODIES 16


// The continuous stage stops a body with joints when its penetration is its inner radius times the larger of
// joined_part and ImpWorld.continuous_part, because the stage cannot solve joints.
static const double joined_part = 0.75;

// A body without joints whose extent is more than `long_part` inner radii may penetrate at most by the fraction
// `deepest_part` of its extent.
static const double long_part = 3;
static const double deepest_part = 0.005;

// Allowed penetration of a body without inner radius, such as a segment [m].
static const double line_depth = 0.001;


// ---------------------------------------------------------------------------------------------------------------------
// One body
// ---------------------------------------------------------------------------------------------------------------------


// Return true if a contact has pushed the body in this step.
static bool is_supported(const ImpWorld *world, const ImpiBody *body) {
  for (int32_t edge = body->first_edge; edge >= 0;) {
    const ImpiContact *contact = impi_contact_now(world, edge >> 1);
    edge = contact->edge[edge & 1].next;
    for (int i = 0; i < contact->count; ++i) {
      if (contact->points[i].total_n > 0) {
        return true;
      }
    }
  }
  return false;
}


static ImpiSweptBody mover_of(const ImpWorld *world, int32_t slot) {
  const ImpiBody *body = &world->bodies.data[slot];
  const ImpiMotion *start = impi_start_of(world, slot), *end = &world->motions.data[slot];
  double inner = (double)body->inner;
  double part = body->first_joint >= 0 ? impi_max(joined_part, world->continuous_part) : world->continuous_part;
  ImpiSweptBody mover = {.slot = slot,
                         .at = *start,
                         .rest = impi_way_between(start, end),
                         .core = inner > 0 ? part * inner : line_depth,
                         .bullet = body->bullet};
  bool is_long = body->first_joint < 0 && body->extent > long_part * inner;
  mover.depth = is_long ? impi_min(mover.core, impi_max(deepest_part * body->extent, line_depth)) : mover.core;
  mover.at.vx = end->vx;
  mover.at.vy = end->vy;
  mover.at.w = end->w;
  return mover;
}


void impi_swept_body_update(const ImpWorld *world, ImpiSweptBody *mover) {
  if (mover->known) {
    return;
  }
  const ImpiBody *body = &world->bodies.data[mover->slot];
  const ImpiMotion *start = impi_start_of(world, mover->slot), *end = &world->motions.data[mover->slot];
  mover->known = true;
  mover->slides = body->first_joint >= 0 || is_supported(world, body);
  ImpVec2 gain = {end->vx - start->vx, end->vy - start->vy};
  // The change of velocity is due to forces if it is small or nearly equals `a`, the change by gravity and forces.
  ImpVec2 a = impi_scale(world->settings.dt, impi_acceleration(body, world->settings.gravity));
  double speed_sq = end->vx * end->vx + end->vy * end->vy;
  bool pushed = impi_length_sq(gain) < pushed_part * pushed_part * speed_sq ||
                impi_length_sq(impi_sub(gain, a)) < pushed_part * pushed_part * impi_length_sq(a);
  if (!mover->slides && pushed) {
    mover->gain = (ImpiMotion){.vx = gain.x, .vy = gain.y, .w = end->w - start->w};
    double dt = world->settings.dt, square = impi_length_sq(gain);
    ImpVec2 mean = {mover->rest.vx / dt - start->vx, mover->rest.vy / dt - start->vy};
    mover->lag = square > 0 ? impi_clamp(impi_dot(mean, gain) / square - 0.5, 0, 0.5) : 0;
  }
}


// Continue the motion of a body after an event. The velocity at the end of the step is the velocity after the event
// plus the gain by forces in the rest of the step.
static void go_on(ImpiSweptBody *mover, const ImpiToiEvent *toi_event) {
  double later = 1 - toi_event->time - mover->lag;
  mover->time = toi_event->time;
  mover->at = toi_event->at;
  mover->at.vx += later * mover->gain.vx;
  mover->at.vy += later * mover->gain.vy;
  mover->at.w += later * mover->gain.w;
  mover->rest = toi_event->rest;
}


// Return the state of a body that was hit, for the rest of its motion in this step.
static ImpiSweptBody swept_body_after(const ImpWorld *world, const ImpiHitBody *hit_body) {
  const ImpiMotion *end = &world->motions.data[hit_body->slot];
  ImpiSweptBody mover = mover_of(world, hit_body->slot);
  mover.bullet = mover.known = true;
  mover.time = hit_body->time;
  mover.at = hit_body->bend;
  mover.at.vx = end->vx;
  mover.at.vy = end->vy;
  mover.at.w = end->w;
  mover.rest = impi_way_between(&hit_body->bend, end);
  return mover;
}


// Stop the body until the next step; it moves only with the body that it hit.
static void wait_for_step(const ImpiToiEvent *toi_event, ImpiSweptBody *mover) {
  ImpVec2 r = impi_vec(toi_event->at.x - toi_event->other_at.x, toi_event->at.y - toi_event->other_at.y);
  ImpVec2 carried = impi_cross_sv(toi_event->other_rest.w, r);
  mover->rest = (ImpiMotion){.vx = toi_event->other_rest.vx + carried.x, .vy = toi_event->other_rest.vy + carried.y};
}


static double energy_of(const ImpWorld *world, int32_t slot) {
  const ImpiBody *body = &world->bodies.data[slot];
  const ImpiMotion *m = &world->motions.data[slot];
  ImpVec2 g = world->settings.gravity;
  return 0.5 * (body->mass * (m->vx * m->vx + m->vy * m->vy) + body->inertia * m->w * m->w) -
         body->mass * body->gravity_scale * (g.x * m->x + g.y * m->y);
}


// List a body that the continuous stage moved, because the step must check whether its joints opened. If memory runs
// out, they are not checked.
static void note_bent(ImpWorld *world, int32_t slot) {
  if (world->bodies.data[slot].first_joint >= 0 &&
      impi_reserve(&world->heap, &world->joint.opening.bent, world->joint.opening.bent.count + 1)) {
    world->joint.opening.bent.data[world->joint.opening.bent.count++] = slot;
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Long paths
// ---------------------------------------------------------------------------------------------------------------------

// Largest number of entries of `long_paths`, the list of the dynamic bodies with the longest paths.
#define MAX_LONG_PATHS 1024

// Number of bullets for which the boxes near the bullet are counted.
#define SAMPLED 8

// At least the LISTED_LONG_PATHS bodies with the longest paths are listed. The test of BOXES_PER_LONG_PATH entries of
// the list takes about as long as the test of one box near a bullet.
#define LISTED_LONG_PATHS 64
#define BOXES_PER_LONG_PATH 8


static ImpiLongPath *long_path_of(const ImpWorld *world, int32_t slot) {
  int32_t at = slot < world->ccd.long_path_at.count ? world->ccd.long_path_at.data[slot] : -1;
  return at >= 0 && at < world->ccd.long_paths.count && world->ccd.long_paths.data[at].slot == slot
             ? &world->ccd.long_paths.data[at]
             : NULL;
}


static void add_to_way(const ImpWorld *world, ImpiLongPath *long_path, const ImpiMotion *at) {
  long_path->box = impi_aabb_union(long_path->box, impi_turning_box(&world->bodies.data[long_path->slot], at));
}


// Append a body to `long_paths`, for which memory must be reserved.
static void add_long_path(ImpWorld *world, int32_t slot, double way) {
  const ImpiMotion *start = impi_start_of(world, slot);
  ImpVec2 p = {start->x, start->y};
  int32_t at = world->ccd.long_paths.count++;
  world->ccd.long_path_at.data[slot] = at;
  world->ccd.long_paths.data[at] = (ImpiLongPath){.way = way, .box = {p, p}, .slot = slot};
  add_to_way(world, &world->ccd.long_paths.data[at], start);
  add_to_way(world, &world->ccd.long_paths.data[at], &world->motions.data[slot]);
}


static bool reserve_long_paths(ImpWorld *world, int count) {
  if (!impi_reserve(&world->heap, &world->ccd.long_paths, count) ||
      !impi_reserve(&world->heap, &world->ccd.long_path_at, world->bodies.count)) {
    return false;
  }
  while (world->ccd.long_path_at.count < world->bodies.count) {
    world->ccd.long_path_at.data[world->ccd.long_path_at.count++] = -1;
  }
  return true;
}


// Update the entry of a body in `long_paths` after an impact, because the path and the box of the path have changed.
static void note_way(ImpWorld *world, int32_t slot, const ImpiMotion *rest) {
  const ImpiBody *body = &world->bodies.data[slot];
  double way = fabs(rest->vx) + fabs(rest->vy) + fabs(rest->w) * body->extent + impi_arc_height(body->extent, rest->w);
  ImpiLongPath *long_path = long_path_of(world, slot);
  if (long_path == NULL && way > world->ccd.longest_path) {
    if (world->ccd.long_paths.count < MAX_LONG_PATHS && reserve_long_paths(world, world->ccd.long_paths.count + 1)) {
      add_long_path(world, slot, way);
      long_path = long_path_of(world, slot);
    } else {
      world->ccd.longest_path = way;
    }
  }
  const ImpiHitBody *hit_body = impi_hit_body_of(world, slot);
  if (long_path != NULL && hit_body != NULL) {
    add_to_way(world, long_path, &hit_body->from);
    add_to_way(world, long_path, &hit_body->bend);
  }
  if (long_path != NULL) {
    add_to_way(world, long_path, &world->motions.data[slot]);
  }
}


// Continue a body after an impact, from the pose `at` by the displacement `rest`. The velocity of the body at the end
// of the step does not change. Without memory for an ImpiHitBody, other bodies are tested against a straight path.
static ImpiHitBody *bend_way(ImpWorld *world, int32_t slot, double time, const ImpiMotion *at, ImpiMotion rest) {
  ImpiHitBody *hit_body = impi_hit_body_of(world, slot);
  if (hit_body == NULL && impi_reserve(&world->heap, &world->ccd.hit_bodies, world->ccd.hit_bodies.count + 1)) {
    world->ccd.hit_body_at.data[slot] = world->ccd.hit_bodies.count;
    hit_body = &world->ccd.hit_bodies.data[world->ccd.hit_bodies.count++];
    *hit_body = (ImpiHitBody){.slot = slot, .bend = *impi_start_of(world, slot)};
  }
  if (hit_body != NULL) {
    ++hit_body->impacts;
    hit_body->since = hit_body->time;
    hit_body->from = hit_body->bend;
    hit_body->time = time;
    hit_body->bend = *at;
  }
  note_bent(world, slot);
  ImpiMotion *motion = &world->motions.data[slot];
  impi_body_hold(&world->bodies.data[slot], &rest.vx, &rest.vy);
  ImpiMotion end = impi_advance(*at, &rest, 1);
  motion->x = end.x;
  motion->y = end.y;
  motion->angle = end.angle;
  motion->c = end.c;
  motion->s = end.s;
  note_way(world, slot, &rest);
  return hit_body;
}


// Correct the points of an impact, which are relative to the other body, because that body has moved on since.
static void keep_places(ImpWorld *world, const ImpiToiContact *touch) {
  const ImpiMotion *end = &world->motions.data[touch->other];
  ImpVec2 back = {touch->at.x - end->x, touch->at.y - end->y};
  ImpiContact *contact = &world->contacts.data[touch->contact];
  if (!(contact->flags & IMPI_CONTACT_TOI)) {
    return;
  }
  for (int i = 0; i < contact->count; ++i) {
    ImpVec2 *r = contact->flags & IMPI_CONTACT_PLACE_B ? &contact->points[i].r_b : &contact->points[i].r_a;
    *r = impi_add(*r, back);
  }
}


// Apply an event to the other bodies. Returns the energy that they gained [J].
static double push_others(ImpWorld *world, const ImpiToiEvent *toi_event, bool moves) {
  double given = 0;
  for (int i = 0; i < world->ccd.toi_contacts.count; ++i) {
    const ImpiToiContact *touch = &world->ccd.toi_contacts.data[i];
    if (touch->first && impi_is_dynamic(&world->bodies.data[touch->other])) {
      bool was_awake = world->bodies.data[touch->other].awake;
      given -= energy_of(world, touch->other);
      ImpiMotion *motion = &world->motions.data[touch->other], before = *motion;
      ImpiHitBody *hit_body = moves ? bend_way(world, touch->other, toi_event->time, &touch->at, touch->rest) : NULL;
      if (hit_body != NULL) {
        hit_body->waits = true;
        int32_t place = world->ccd.hit_body_at.data[touch->other];
        world->ccd.first_waiting = place < world->ccd.first_waiting ? place : world->ccd.first_waiting;
      }
      impi_world_wake(world, touch->other);
      motion->vx += touch->full.vx - touch->at.vx;
      motion->vy += touch->full.vy - touch->at.vy;
      motion->w += touch->full.w - touch->at.w;
      if (!impi_motion_is_sane(motion) && !was_awake) { // bodies that were awake are reset later by the step
        *motion = before;
        motion->vx = motion->vy = motion->w = 0;
      }
      given += energy_of(world, touch->other);
      impi_body_refit(world, touch->other);
      impi_limits_meet(world, touch->other);
    }
    if (moves && impi_is_dynamic(&world->bodies.data[touch->other])) {
      keep_places(world, touch);
    }
  }
  return given;
}


static bool meets_kinematic(const ImpWorld *world) {
  bool any = false;
  for (int i = 0; i < world->ccd.toi_contacts.count; ++i) {
    any = any || world->bodies.data[world->ccd.toi_contacts.data[i].other].type == IMP_BODY_KINEMATIC;
  }
  return any;
}


// Return true if a body may have another event in this step. Bodies that hit each other move in nested calls of
// travel(), up to MAX_HIT_BODIES deep. The events of a body in all these calls are counted together.
static bool may_go_on(const ImpWorld *world, const ImpiSweptBody *mover) {
  const ImpiHitBody *hit_body = impi_hit_body_of(world, mover->slot);
  return mover->met < IMPI_MAX_TOI_EVENTS && (hit_body == NULL || hit_body->met < IMPI_MAX_TOI_EVENTS);
}


static void count_toi_event(ImpiHitBody *hit_body) {
  if (hit_body != NULL) {
    ++hit_body->met;
  }
}


static bool travel(ImpWorld *world, ImpiSweptBody *mover, int depth);


// Move the bodies that a bullet has hit. They move through the rest of the step, as bullets.
static void move_hit_bodies(ImpWorld *world, ImpiSweptBody *mover, int depth) {
  if (!mover->bullet || depth >= MAX_HIT_BODIES) { // push_others moved no body
    count_toi_event(impi_hit_body_of(world, mover->slot));
    return;
  }
  ImpiMotion end = mover->at;
  ImpiHitBody *own = bend_way(world, mover->slot, mover->time, &mover->at, mover->rest);
  count_toi_event(own);
  int32_t impacts = own != NULL ? own->impacts : 0;
  world->motions.data[mover->slot].vx = end.vx;
  world->motions.data[mover->slot].vy = end.vy;
  world->motions.data[mover->slot].w = end.w;
  for (int i = world->ccd.first_waiting; i < world->ccd.hit_bodies.count; ++i) {
    ImpiHitBody *hit_body = &world->ccd.hit_bodies.data[i];
    if (hit_body->waits && hit_body->slot == mover->slot) {
      continue;
    }
    bool waits = hit_body->waits;
    hit_body->waits = false;
    world->ccd.first_waiting += i == world->ccd.first_waiting;
    if (!waits) {
      continue;
    }
    ImpiSweptBody other = swept_body_after(world, hit_body);
    note_way(world, other.slot, &other.rest);
    travel(world, &other, depth + 1);
  }
  own = impi_hit_body_of(world, mover->slot);
  if (own != NULL && own->impacts > impacts) { // a body that was hit has in turn hit this body
    ImpiSweptBody now = swept_body_after(world, own);
    mover->time = now.time;
    mover->at = now.at;
    mover->rest = now.rest;
    own->waits = false;
  } else { // hits in calls of travel() at depth MAX_HIT_BODIES changed only the velocity
    const ImpiMotion *now = &world->motions.data[mover->slot];
    mover->at.vx += now->vx - end.vx;
    mover->at.vy += now->vy - end.vy;
    mover->at.w += now->w - end.w;
  }
}


// Move a body along its path, from event to event. Returns true if it hit something.
static bool travel(ImpWorld *world, ImpiSweptBody *mover, int depth) {
  int32_t slot = mover->slot;
  double before = energy_of(world, slot), work = 0, given = 0;
  ImpiToiEvent toi_event;
  bool hit = impi_first_toi_event(world, mover, &toi_event), driven = false;
  if (!hit) {
    return false;
  }
  while (hit) {
    ImpiOutcome outcome = may_go_on(world, mover) ? impi_solve_toi_event(world, mover, &toi_event) : IMPI_OUTCOME_STOP;
    go_on(mover, &toi_event);
    if (outcome == IMPI_OUTCOME_STOP) {
      wait_for_step(&toi_event, mover);
      break;
    }
    mover->pairs[mover->met++] = (ImpiPair){toi_event.own_proxy, toi_event.other_proxy};
    given += push_others(world, &toi_event, depth < MAX_HIT_BODIES);
    work += toi_event.work;
    driven = driven || meets_kinematic(world);
    mover->slides = mover->slides || outcome == IMPI_OUTCOME_REST;
    move_hit_bodies(world, mover, depth);
    hit = impi_first_toi_event(world, mover, &toi_event);
  }
  impi_world_wake(world, slot);
  impi_body_hold(&world->bodies.data[slot], &mover->rest.vx, &mover->rest.vy);
  world->motions.data[slot] = impi_advance(mover->at, &mover->rest, 1);
  note_bent(world, slot);
  impi_body_refit(world, slot);
  ImpiMotion way = impi_way_between(impi_start_of(world, slot), &world->motions.data[slot]);
  note_way(world, slot, &way);
  if (world->settings.auditing) {
    double rest = energy_of(world, slot) - before + given - work;
    impi_audit_enter(world, driven ? IMP_ENERGY_KINEMATIC : IMP_ENERGY_INTEGRATION, rest, -1);
  }
  impi_limits_meet(world, slot);
  return true;
}


static bool sweep_body(ImpWorld *world, int32_t slot) {
  if (impi_path_is_free(world, slot)) {
    return false;
  }
  const ImpiHitBody *hit_body = impi_hit_body_of(world, slot);
  ImpiSweptBody mover = hit_body != NULL ? swept_body_after(world, hit_body) : mover_of(world, slot);
  return travel(world, &mover, 0);
}


// ---------------------------------------------------------------------------------------------------------------------
// Bodies that the stage moves
// ---------------------------------------------------------------------------------------------------------------------

// A sweeping kinematic body.
typedef struct Sweeper {
  ImpWorld *world;
  int32_t slot;     // kinematic
  int64_t patience; // number of boxes that are tested one by one, until updating the tree is faster
} Sweeper;

// The update of the tree for a moved box takes as long as the test of this many boxes.
#define BOXES_A_LEAF 64


// List a body in the path of a kinematic body.
static bool put_down(int32_t proxy, void *context) {
  Sweeper *sweeper = context;
  ImpWorld *world = sweeper->world;
  int32_t slot = world->broadphase.proxies.data[proxy].body;
  ImpiBody *body = &world->bodies.data[slot];
  if (!impi_is_dynamic(body) || !body->enabled || body->swept || slot == sweeper->slot) {
    return true;
  }
  if (impi_travel_against(world, slot, sweeper->slot) > impi_stride(world, body)) {
    body->swept = true;
    world->ccd.swept.data[world->ccd.swept.count++] = slot; // memory for every body was reserved before the step
  }
  return true;
}


// List the bodies in the path of a piece.
static void put_down_in(Sweeper *sweeper, ImpAabb box) {
  ImpiBroadphase *bp = &sweeper->world->broadphase;
  int count = bp->proxies.count;
  sweeper->patience -= count;
  if (sweeper->patience < 0 || bp->late[1].count == 0) {
    impi_broadphase_follow(bp, true);
    impi_tree_query(&bp->trees[IMPI_PROXY_DYNAMIC], box, IMPI_TREE_ALL, put_down, sweeper);
    return;
  }
  ImpiSmallBox small = impi_small_box(box);
  ImpiSmallEdges probe = impi_small_probe(&small);
  for (int i = 0; i < count; ++i) {
    if (impi_small_overlaps(&bp->boxes.data[i], probe) && impi_aabb_overlaps(box, bp->proxies.data[i].fat)) {
      put_down(i, sweeper);
    }
  }
}


static void sweep_out(Sweeper *sweeper) {
  ImpWorld *world = sweeper->world;
  const ImpiBody *body = &world->bodies.data[sweeper->slot];
  const ImpiMotion *start = impi_start_of(world, sweeper->slot);
  const ImpiMotion way = impi_way_between(start, &world->motions.data[sweeper->slot]);
  ImpiSweep sweep = impi_sweep_of(body, start, &way);
  for (int32_t s = body->first_shape; s >= 0; s = world->shapes.data[s].next) {
    const ImpiShape *shape = &world->shapes.data[s];
    for (int32_t i = 0; shape->attached && !shape->sensor && i < shape->geometry.child_count; ++i) {
      put_down_in(sweeper, impi_swept_box(&shape->geometry.hulls[i], &sweep));
    }
  }
}


// Sort `swept`: kinematic bodies first, each group by slot.
static void put_in_order(ImpWorld *world) {
  ImpiBits *set = &world->ccd.swept_set;
  int32_t *list = world->ccd.swept.data;
  int sweepers = 0, others = world->ccd.sweeper_count;
  for (int i = 0; i < world->ccd.swept.count; ++i) {
    impi_bits_set(set, list[i]);
  }
  for (int i = 0; i < set->count; ++i) {
    for (uint64_t word = set->data[i]; word != 0;) {
      int32_t slot = 64 * i + impi_bits_pop(&word);
      list[impi_is_dynamic(&world->bodies.data[slot]) ? others++ : sweepers++] = slot;
    }
  }
  impi_bits_empty(set);
}


// Distance by which the box of a piece at the end of the step must grow to contain the swept box of the piece
// (impi_swept_box) [m].
static double way_of_boxes(const ImpiBody *body, const ImpiMotion *start, const ImpiMotion *end) {
  return impi_travel(body, start, end) + impi_arc_height(body->extent, end->angle - start->angle);
}


static bool goes_farther(const void *one, const void *two, const void *context) {
  const ImpiLongPath *a = one, *b = two;
  (void)context;
  return a->way != b->way ? a->way > b->way : a->slot < b->slot;
}


static bool count_one(int32_t user, void *context) {
  (void)user;
  ++*(int *)context;
  return true;
}


// Mean number of boxes of dynamic bodies within the distance `way` of a bullet, from a sample of bullets.
static double boxes_near(const ImpWorld *world, int count, double way) {
  int bullets = 0, sampled = 0, boxes = 0, stride = (count + SAMPLED - 1) / SAMPLED;
  for (int i = 0; i < count; ++i) {
    int32_t slot = world->ccd.swept.data[i];
    if (world->bodies.data[slot].bullet && bullets++ % stride == 0) {
      ImpVec2 p = {world->motions.data[slot].x, world->motions.data[slot].y};
      ImpAabb box = impi_aabb_grow((ImpAabb){p, p}, world->bodies.data[slot].extent + way);
      impi_tree_query(&world->broadphase.trees[IMPI_PROXY_DYNAMIC], box, IMPI_TREE_ALL, count_one, &boxes);
      ++sampled;
    }
  }
  return sampled > 0 ? (double)boxes / sampled : 0;
}


// List the bodies with the longest paths.
static void choose_long_paths(ImpWorld *world) {
  int count = world->ccd.swept.count;
  world->ccd.longest_path = 0;
  world->ccd.long_paths.count = 0;
  bool room = reserve_long_paths(world, (int)impi_max(count, MAX_LONG_PATHS));
  for (int i = 0; i < count; ++i) {
    int32_t slot = world->ccd.swept.data[i];
    const ImpiBody *body = &world->bodies.data[slot];
    if (impi_is_dynamic(body)) {
      double way = way_of_boxes(body, impi_start_of(world, slot), &world->motions.data[slot]);
      if (room) {
        world->ccd.long_paths.data[world->ccd.long_paths.count++] = (ImpiLongPath){.way = way, .slot = slot};
      } else {
        world->ccd.longest_path = impi_max(world->ccd.longest_path, way);
      }
    }
  }
  int all = world->ccd.long_paths.count, chosen = (int)impi_min(all, LISTED_LONG_PATHS);
  if (all > chosen) {
    impi_sort(world->ccd.long_paths.data, all, sizeof(ImpiLongPath), goes_farther, NULL);
    while (chosen < all && chosen < MAX_LONG_PATHS &&
           boxes_near(world, count, world->ccd.long_paths.data[chosen].way) > (double)chosen / BOXES_PER_LONG_PATH) {
      chosen = (int)impi_min(impi_min(4 * chosen, all), MAX_LONG_PATHS);
    }
  }
  world->ccd.longest_path = chosen < all ? world->ccd.long_paths.data[chosen].way : world->ccd.longest_path;
  world->ccd.long_paths.count = 0;
  for (int i = 0; i < chosen; ++i) {
    add_long_path(world, world->ccd.long_paths.data[i].slot, world->ccd.long_paths.data[i].way);
  }
}


// Complete and sort `swept`. Returns true if it has bullets.
static bool gather(ImpWorld *world) {
  int fast = world->ccd.swept.count;
  Sweeper sweeper = {.world = world, .patience = (int64_t)BOXES_A_LEAF * world->broadphase.late[1].count};
  bool bullets = false;
  world->ccd.sweeper_count = 0;
  for (int i = 0; i < fast; ++i) {
    int32_t slot = world->ccd.swept.data[i];
    if (!impi_is_dynamic(&world->bodies.data[slot])) {
      ++world->ccd.sweeper_count;
      sweeper.slot = slot;
      sweep_out(&sweeper);
    }
  }
  for (int i = 0; i < world->ccd.swept.count; ++i) {
    bullets = bullets || world->bodies.data[world->ccd.swept.data[i]].bullet;
  }
  if (world->ccd.sweeper_count > 0) {
    put_in_order(world);
  }
  return bullets;
}


// Move all bullets, or all other dynamic bodies. Returns true if a body hit something.
static bool sweep_bodies(ImpWorld *world, bool bullets) {
  bool met = false;
  for (int i = world->ccd.sweeper_count; i < world->ccd.swept.count; ++i) {
    int32_t slot = world->ccd.swept.data[i];
    const ImpiBody *body = &world->bodies.data[slot];
    if (body->enabled && body->bullet == bullets) {
      met = sweep_body(world, slot) || met;
    }
  }
  return met;
}


bool impi_continuous(ImpWorld *world) {
  for (int i = 0; i < world->awake.count; ++i) {
    world->ccd.awake_places.data[world->awake.data[i]] = i;
  }
  bool bullets = gather(world);
  impi_clearances_check(world);
  bool met = sweep_bodies(world, false);
  if (bullets) { // bullets move last, because they are tested against the final paths of other bodies
    choose_long_paths(world);
    met = sweep_bodies(world, true) || met;
  }
  world->ccd.hit_bodies.count = world->ccd.first_waiting = 0;
  for (int i = 0; i < world->ccd.swept.count; ++i) {
    world->bodies.data[world->ccd.swept.data[i]].swept = false;
  }
  return met;
}
