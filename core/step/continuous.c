// Continuous collision: bodies that went far in a step, by way of what they would have met.
//
// The solver has moved every body by the rows that it had. Where a body went farther than a part of its inner radius,
// its way from the step's start to its end is looked along: a straight line and an even turn, against static bodies, the
// ways of kinematic bodies and, for a bullet, those of dynamic ones. At the first time of impact the impulses of that
// meeting act (continuous_impact.c), and what is left of the step is gone with the velocity after it; then the way is
// looked along again, up to IMPI_MEETINGS times.
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
// Forces: v1 - v0 of the step is spread evenly over it, for a body that no row has touched. A symplectic step of h moves
// positions by the velocity at its end, so a velocity is that of h / 2 earlier, its lag l; over the step the mean of all
// is u = v0 + (1/2 + l) (v1 - v0), whatever the solver, which gives l. At time t of the step the velocity is
// v1 - (1 - t - l) (v1 - v0). With v1 at the impact a bounce under gravity would make energy, without l it would lose some.
#include "step/continuous.h"

#include "base/sort.h"
#include "world/audit.h"
#include "world/bodies.h"
#include "world/contacts.h"
#include "world/sleep.h"


// More of its speed than this does not come from forces, but from a push in a handler: it had it when it met.
static const double pushed_part = 0.25;


// How often a blow is passed on within a step. A body that is hit after that many others moves on in the next step.
#define MOST_STRUCK 16


// A body with joints meets by rows, which look ahead for it: the stage only keeps it from getting through, for it cannot ask
// the joints. It may sink in by this part of its inner radius.
static const double joined_part = 0.75;

// A body whose extent is more than so many inner radii, and that has no joints, may sink in by this part of its extent
// instead: the end of a long plank is fast.
static const double long_part = 3;
static const double deepest_part = 0.005;

// What has no inner radius may sink in by this [m].
static const double line_depth = 0.001;


// ---------------------------------------------------------------------------------------------------------------------
// One body
// ---------------------------------------------------------------------------------------------------------------------


// Whether rows have acted on it in this step.
static bool is_borne(const ImpWorld *world, const ImpiBody *body) {
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


static ImpiTraveller mover_of(const ImpWorld *world, int32_t slot) {
  const ImpiBody *body = &world->bodies.data[slot];
  const ImpiMotion *start = impi_start_of(world, slot), *end = &world->motions.data[slot];
  double inner = (double)body->inner;
  double part = body->first_joint >= 0 ? impi_max(joined_part, world->continuous_part) : world->continuous_part;
  ImpiTraveller mover = {.slot = slot,
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


void impi_know_traveller(const ImpWorld *world, ImpiTraveller *mover) {
  if (mover->known) {
    return;
  }
  const ImpiBody *body = &world->bodies.data[mover->slot];
  const ImpiMotion *start = impi_start_of(world, mover->slot), *end = &world->motions.data[mover->slot];
  mover->known = true;
  mover->slides = body->first_joint >= 0 || is_borne(world, body);
  ImpVec2 gain = {end->vx - start->vx, end->vy - start->vy};
  // A change of velocity that is no more than forces make of it, or that is small, comes from forces; else there was a blow.
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


// What acted on it changes the velocity at the step's end by as much.
static void go_on(ImpiTraveller *mover, const ImpiMeeting *meeting) {
  double later = 1 - meeting->time - mover->lag;
  mover->time = meeting->time;
  mover->at = meeting->at;
  mover->at.vx += later * mover->gain.vx;
  mover->at.vy += later * mover->gain.vy;
  mover->at.w += later * mover->gain.w;
  mover->rest = meeting->rest;
}


// A body that was hit, for the rest of its motion in this step.
static ImpiTraveller traveller_after(const ImpWorld *world, const ImpiStruck *struck) {
  const ImpiMotion *end = &world->motions.data[struck->slot];
  ImpiTraveller mover = mover_of(world, struck->slot);
  mover.bullet = mover.known = true;
  mover.time = struck->time;
  mover.at = struck->bend;
  mover.at.vx = end->vx;
  mover.at.vy = end->vy;
  mover.at.w = end->w;
  mover.rest = impi_way_between(&struck->bend, end);
  return mover;
}


// It waits where it is; what moves in its way takes it along.
static void wait_for_step(const ImpiMeeting *meeting, ImpiTraveller *mover) {
  ImpVec2 r = impi_vec(meeting->at.x - meeting->other_at.x, meeting->at.y - meeting->other_at.y);
  ImpVec2 carried = impi_cross_sv(meeting->other_rest.w, r);
  mover->rest = (ImpiMotion){.vx = meeting->other_rest.vx + carried.x, .vy = meeting->other_rest.vy + carried.y};
}


static double energy_of(const ImpWorld *world, int32_t slot) {
  const ImpiBody *body = &world->bodies.data[slot];
  const ImpiMotion *m = &world->motions.data[slot];
  ImpVec2 g = world->settings.gravity;
  return 0.5 * (body->mass * (m->vx * m->vx + m->vy * m->vy) + body->inertia * m->w * m->w) -
         body->mass * body->gravity_scale * (g.x * m->x + g.y * m->y);
}


// A body is not where the rows left it: the step looks whether that opened a joint. Without memory it does not.
static void note_bent(ImpWorld *world, int32_t slot) {
  if (world->bodies.data[slot].first_joint >= 0 &&
      impi_reserve(&world->heap, &world->joint.opening.bent, world->joint.opening.bent.count + 1)) {
    world->joint.opening.bent.data[world->joint.opening.bent.count++] = slot;
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Runners
// ---------------------------------------------------------------------------------------------------------------------

// Most runners: each bullet looks at all of them.
#define MOST_RUNNERS 1024

// Bullets whose neighbourhoods are counted, as a sample.
#define ASKED 8

// Runners that are listed in any case, and how many of them cost as much as a box near a bullet.
#define FEW_RUNNERS 64
#define BOXES_A_RUNNER 8


static ImpiRunner *runner_of(const ImpWorld *world, int32_t slot) {
  int32_t at = slot < world->ccd.runner_at.count ? world->ccd.runner_at.data[slot] : -1;
  return at >= 0 && at < world->ccd.runners.count && world->ccd.runners.data[at].slot == slot
             ? &world->ccd.runners.data[at]
             : NULL;
}


static void add_to_way(const ImpWorld *world, ImpiRunner *runner, const ImpiMotion *at) {
  runner->box = impi_aabb_union(runner->box, impi_turning_box(&world->bodies.data[runner->slot], at));
}


// There is room.
static void add_runner(ImpWorld *world, int32_t slot, double way) {
  const ImpiMotion *start = impi_start_of(world, slot);
  ImpVec2 p = {start->x, start->y};
  int32_t at = world->ccd.runners.count++;
  world->ccd.runner_at.data[slot] = at;
  world->ccd.runners.data[at] = (ImpiRunner){.way = way, .box = {p, p}, .slot = slot};
  add_to_way(world, &world->ccd.runners.data[at], start);
  add_to_way(world, &world->ccd.runners.data[at], &world->motions.data[slot]);
}


static bool reserve_runners(ImpWorld *world, int count) {
  if (!impi_reserve(&world->heap, &world->ccd.runners, count) ||
      !impi_reserve(&world->heap, &world->ccd.runner_at, world->bodies.count)) {
    return false;
  }
  while (world->ccd.runner_at.count < world->bodies.count) {
    world->ccd.runner_at.data[world->ccd.runner_at.count++] = -1;
  }
  return true;
}


// After a blow a body may go farther than before. Its way is around the pose of the blow, and around those of others before.
static void note_way(ImpWorld *world, int32_t slot, const ImpiMotion *rest) {
  const ImpiBody *body = &world->bodies.data[slot];
  double way = fabs(rest->vx) + fabs(rest->vy) + fabs(rest->w) * body->extent + impi_arc_height(body->extent, rest->w);
  ImpiRunner *runner = runner_of(world, slot);
  if (runner == NULL && way > world->ccd.longest_way) {
    if (world->ccd.runners.count < MOST_RUNNERS && reserve_runners(world, world->ccd.runners.count + 1)) {
      add_runner(world, slot, way);
      runner = runner_of(world, slot);
    } else {
      world->ccd.longest_way = way;
    }
  }
  const ImpiStruck *struck = impi_struck_of(world, slot);
  if (runner != NULL && struck != NULL) {
    add_to_way(world, runner, &struck->from);
    add_to_way(world, runner, &struck->bend);
  }
  if (runner != NULL) {
    add_to_way(world, runner, &world->motions.data[slot]);
  }
}


// Move a body on after a blow: from the pose `at`, by `rest`. Its velocity is that of the step's end. If there is no memory
// to note where its motion bends, other bodies meet it on a straight line.
static ImpiStruck *bend_way(ImpWorld *world, int32_t slot, double time, const ImpiMotion *at, ImpiMotion rest) {
  ImpiStruck *struck = impi_struck_of(world, slot);
  if (struck == NULL && impi_reserve(&world->heap, &world->ccd.struck, world->ccd.struck.count + 1)) {
    world->ccd.struck_at.data[slot] = world->ccd.struck.count;
    struck = &world->ccd.struck.data[world->ccd.struck.count++];
    *struck = (ImpiStruck){.slot = slot, .bend = *impi_start_of(world, slot)};
  }
  if (struck != NULL) {
    ++struck->blows;
    struck->since = struck->time;
    struck->from = struck->bend;
    struck->time = time;
    struck->bend = *at;
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
  return struck;
}


// The points of a blow are read from where the other body is, which has moved on since.
static void keep_places(ImpWorld *world, const ImpiStrike *touch) {
  const ImpiMotion *end = &world->motions.data[touch->other];
  ImpVec2 back = {touch->at.x - end->x, touch->at.y - end->y};
  ImpiContact *contact = &world->contacts.data[touch->contact];
  if (!(contact->flags & IMPI_CONTACT_STRUCK)) {
    return;
  }
  for (int i = 0; i < contact->count; ++i) {
    ImpVec2 *r = contact->flags & IMPI_CONTACT_PLACE_B ? &contact->points[i].r_b : &contact->points[i].r_a;
    *r = impi_add(*r, back);
  }
}


// What the meeting gave to other bodies [J].
static double push_others(ImpWorld *world, const ImpiMeeting *meeting, bool moves) {
  double given = 0;
  for (int i = 0; i < world->ccd.strikes.count; ++i) {
    const ImpiStrike *touch = &world->ccd.strikes.data[i];
    if (touch->first && impi_is_dynamic(&world->bodies.data[touch->other])) {
      bool was_awake = world->bodies.data[touch->other].awake;
      given -= energy_of(world, touch->other);
      ImpiMotion *motion = &world->motions.data[touch->other], before = *motion;
      ImpiStruck *struck = moves ? bend_way(world, touch->other, meeting->time, &touch->at, touch->rest) : NULL;
      if (struck != NULL) {
        struck->waits = true;
        int32_t place = world->ccd.struck_at.data[touch->other];
        world->ccd.first_waiting = place < world->ccd.first_waiting ? place : world->ccd.first_waiting;
      }
      impi_world_wake(world, touch->other);
      motion->vx += touch->full.vx - touch->at.vx;
      motion->vy += touch->full.vy - touch->at.vy;
      motion->w += touch->full.w - touch->at.w;
      if (!impi_motion_is_sane(motion) && !was_awake) { // a body that was awake is put back by the step
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
  for (int i = 0; i < world->ccd.strikes.count; ++i) {
    any = any || world->bodies.data[world->ccd.strikes.data[i].other].type == IMP_BODY_KINEMATIC;
  }
  return any;
}


// Whether a body may meet once more in this step. A body that is hit travels again, to a depth of MOST_STRUCK calls. The
// meetings of all its calls count together: with a count for each call, bodies that hit each other would make
// IMPI_MEETINGS to the power of that depth.
static bool may_go_on(const ImpWorld *world, const ImpiTraveller *mover) {
  const ImpiStruck *struck = impi_struck_of(world, mover->slot);
  return mover->met < IMPI_MEETINGS && (struck == NULL || struck->met < IMPI_MEETINGS);
}


static void count_meeting(ImpiStruck *struck) {
  if (struck != NULL) {
    ++struck->met;
  }
}


static bool travel(ImpWorld *world, ImpiTraveller *mover, int depth);


// Bodies that a bullet has hit go the rest of their ways as bullets do: they may hit others, which go on in turn, or it.
static void move_struck(ImpWorld *world, ImpiTraveller *mover, int depth) {
  if (!mover->bullet || depth >= MOST_STRUCK) { // nobody has been moved
    count_meeting(impi_struck_of(world, mover->slot));
    return;
  }
  ImpiMotion end = mover->at;
  ImpiStruck *own = bend_way(world, mover->slot, mover->time, &mover->at, mover->rest);
  count_meeting(own);
  int32_t blows = own != NULL ? own->blows : 0;
  world->motions.data[mover->slot].vx = end.vx;
  world->motions.data[mover->slot].vy = end.vy;
  world->motions.data[mover->slot].w = end.w;
  for (int i = world->ccd.first_waiting; i < world->ccd.struck.count; ++i) {
    ImpiStruck *struck = &world->ccd.struck.data[i];
    if (struck->waits && struck->slot == mover->slot) {
      continue;
    }
    bool waits = struck->waits;
    struck->waits = false;
    world->ccd.first_waiting += i == world->ccd.first_waiting;
    if (!waits) {
      continue;
    }
    ImpiTraveller other = traveller_after(world, struck);
    note_way(world, other.slot, &other.rest);
    travel(world, &other, depth + 1);
  }
  own = impi_struck_of(world, mover->slot);
  if (own != NULL && own->blows > blows) { // one of them has hit it
    ImpiTraveller now = traveller_after(world, own);
    mover->time = now.time;
    mover->at = now.at;
    mover->rest = now.rest;
    own->waits = false;
  } else { // too deep among them to be moved, but not to be hit
    const ImpiMotion *now = &world->motions.data[mover->slot];
    mover->at.vx += now->vx - end.vx;
    mover->at.vy += now->vy - end.vy;
    mover->at.w += now->w - end.w;
  }
}


// Move a body along its way, from meeting to meeting. Whether it met something.
static bool travel(ImpWorld *world, ImpiTraveller *mover, int depth) {
  int32_t slot = mover->slot;
  double before = energy_of(world, slot), work = 0, given = 0;
  ImpiMeeting meeting;
  bool hit = impi_first_meeting(world, mover, &meeting), driven = false;
  if (!hit) {
    return false;
  }
  while (hit) {
    ImpiOutcome outcome = may_go_on(world, mover) ? impi_meet(world, mover, &meeting) : IMPI_OUTCOME_STOP;
    go_on(mover, &meeting);
    if (outcome == IMPI_OUTCOME_STOP) {
      wait_for_step(&meeting, mover);
      break;
    }
    mover->pairs[mover->met++] = (ImpiPair){meeting.own_proxy, meeting.other_proxy};
    given += push_others(world, &meeting, depth < MOST_STRUCK);
    work += meeting.work;
    driven = driven || meets_kinematic(world);
    mover->slides = mover->slides || outcome == IMPI_OUTCOME_REST;
    move_struck(world, mover, depth);
    hit = impi_first_meeting(world, mover, &meeting);
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
  if (impi_way_is_free(world, slot)) { // of most
    return false;
  }
  const ImpiStruck *struck = impi_struck_of(world, slot);
  ImpiTraveller mover = struck != NULL ? traveller_after(world, struck) : mover_of(world, slot);
  return travel(world, &mover, 0);
}


// ---------------------------------------------------------------------------------------------------------------------
// Who is looked at
// ---------------------------------------------------------------------------------------------------------------------

typedef struct Broom {
  ImpWorld *world;
  int32_t slot;     // kinematic
  int64_t patience; // how many boxes may be looked at one by one, before it is worth to bring the tree into line
} Broom;

// To bring the tree into line takes as long for a box that has moved as to look at this many.
#define BOXES_A_LEAF 64


// A body in a kinematic one's way, also one that hardly moves itself.
static bool put_down(int32_t proxy, void *context) {
  Broom *broom = context;
  ImpWorld *world = broom->world;
  int32_t slot = world->broadphase.proxies.data[proxy].body;
  ImpiBody *body = &world->bodies.data[slot];
  if (!impi_is_dynamic(body) || !body->enabled || body->swept || slot == broom->slot) {
    return true;
  }
  if (impi_travel_against(world, slot, broom->slot) > impi_stride(world, body)) {
    body->swept = true;
    world->ccd.swept.data[world->ccd.swept.count++] = slot; // room for every body was made before the step
  }
  return true;
}


// Put down what is in the way of a piece. Where most has moved since the tree was last in line, and pieces are few, the
// boxes are looked at as they are.
static void put_down_in(Broom *broom, ImpAabb box) {
  ImpiBroadphase *bp = &broom->world->broadphase;
  int count = bp->proxies.count;
  broom->patience -= count;
  if (broom->patience < 0 || bp->late[1].count == 0) {
    impi_broadphase_follow(bp, true);
    impi_tree_query(&bp->trees[IMPI_PROXY_DYNAMIC], box, IMPI_TREE_ALL, put_down, broom);
    return;
  }
  ImpiSmallBox small = impi_small_box(box);
  ImpiSmallEdges probe = impi_small_probe(&small);
  for (int i = 0; i < count; ++i) {
    if (impi_small_overlaps(&bp->boxes.data[i], probe) && impi_aabb_overlaps(box, bp->proxies.data[i].fat)) {
      put_down(i, broom);
    }
  }
}


static void sweep_out(Broom *broom) {
  ImpWorld *world = broom->world;
  const ImpiBody *body = &world->bodies.data[broom->slot];
  const ImpiMotion *start = impi_start_of(world, broom->slot);
  const ImpiMotion way = impi_way_between(start, &world->motions.data[broom->slot]);
  ImpiSweep sweep = impi_sweep_of(body, start, &way);
  for (int32_t s = body->first_shape; s >= 0; s = world->shapes.data[s].next) {
    const ImpiShape *shape = &world->shapes.data[s];
    for (int32_t i = 0; shape->attached && !shape->sensor && i < shape->geometry.child_count; ++i) {
      put_down_in(broom, impi_swept_box(&shape->geometry.hulls[i], &sweep));
    }
  }
}


// Kinematic bodies first, then by slot.
static void put_in_order(ImpWorld *world) {
  ImpiBits *set = &world->ccd.swept_set;
  int32_t *list = world->ccd.swept.data;
  int brooms = 0, others = world->ccd.broom_count;
  for (int i = 0; i < world->ccd.swept.count; ++i) {
    impi_bits_set(set, list[i]);
  }
  for (int i = 0; i < set->count; ++i) {
    for (uint64_t word = set->data[i]; word != 0;) {
      int32_t slot = 64 * i + impi_bits_pop(&word);
      list[impi_is_dynamic(&world->bodies.data[slot]) ? others++ : brooms++] = slot;
    }
  }
  impi_bits_empty(set);
}


// The largest distance of the swept box of a piece (impi_swept_box) from its box at the end of the step [m].
static double way_of_boxes(const ImpiBody *body, const ImpiMotion *start, const ImpiMotion *end) {
  return impi_travel(body, start, end) + impi_arc_height(body->extent, end->angle - start->angle);
}


static bool goes_farther(const void *one, const void *two, const void *context) {
  const ImpiRunner *a = one, *b = two;
  (void)context;
  return a->way != b->way ? a->way > b->way : a->slot < b->slot;
}


static bool count_one(int32_t user, void *context) {
  (void)user;
  ++*(int *)context;
  return true;
}


// How many boxes of dynamic bodies bullets have to look at, on the mean, if they look `way` farther.
static double boxes_near(const ImpWorld *world, int count, double way) {
  int bullets = 0, asked = 0, boxes = 0, stride = (count + ASKED - 1) / ASKED;
  for (int i = 0; i < count; ++i) {
    int32_t slot = world->ccd.swept.data[i];
    if (world->bodies.data[slot].bullet && bullets++ % stride == 0) {
      ImpVec2 p = {world->motions.data[slot].x, world->motions.data[slot].y};
      ImpAabb box = impi_aabb_grow((ImpAabb){p, p}, world->bodies.data[slot].extent + way);
      impi_tree_query(&world->broadphase.trees[IMPI_PROXY_DYNAMIC], box, IMPI_TREE_ALL, count_one, &boxes);
      ++asked;
    }
  }
  return asked > 0 ? (double)boxes / asked : 0;
}


// The bodies that go farthest are runners: as many as it takes for bullets to look at about as many of them as of boxes
// near them.
static void choose_runners(ImpWorld *world) {
  int count = world->ccd.swept.count;
  world->ccd.longest_way = 0;
  world->ccd.runners.count = 0;
  bool room = reserve_runners(world, (int)impi_max(count, MOST_RUNNERS));
  for (int i = 0; i < count; ++i) {
    int32_t slot = world->ccd.swept.data[i];
    const ImpiBody *body = &world->bodies.data[slot];
    if (impi_is_dynamic(body)) {
      double way = way_of_boxes(body, impi_start_of(world, slot), &world->motions.data[slot]);
      if (room) {
        world->ccd.runners.data[world->ccd.runners.count++] = (ImpiRunner){.way = way, .slot = slot};
      } else {
        world->ccd.longest_way = impi_max(world->ccd.longest_way, way);
      }
    }
  }
  int all = world->ccd.runners.count, chosen = (int)impi_min(all, FEW_RUNNERS);
  if (all > chosen) {
    impi_sort(world->ccd.runners.data, all, sizeof(ImpiRunner), goes_farther, NULL);
    while (chosen < all && chosen < MOST_RUNNERS &&
           boxes_near(world, count, world->ccd.runners.data[chosen].way) > (double)chosen / BOXES_A_RUNNER) {
      chosen = (int)impi_min(impi_min(4 * chosen, all), MOST_RUNNERS);
    }
  }
  world->ccd.longest_way = chosen < all ? world->ccd.runners.data[chosen].way : world->ccd.longest_way;
  world->ccd.runners.count = 0;
  for (int i = 0; i < chosen; ++i) {
    add_runner(world, world->ccd.runners.data[i].slot, world->ccd.runners.data[i].way);
  }
}


// Who is looked at, in order. Whether there are bullets.
static bool gather(ImpWorld *world) {
  int fast = world->ccd.swept.count;
  Broom broom = {.world = world, .patience = (int64_t)BOXES_A_LEAF * world->broadphase.late[1].count};
  bool bullets = false;
  world->ccd.broom_count = 0;
  for (int i = 0; i < fast; ++i) {
    int32_t slot = world->ccd.swept.data[i];
    if (!impi_is_dynamic(&world->bodies.data[slot])) {
      ++world->ccd.broom_count;
      broom.slot = slot;
      sweep_out(&broom);
    }
  }
  for (int i = 0; i < world->ccd.swept.count; ++i) {
    bullets = bullets || world->bodies.data[world->ccd.swept.data[i]].bullet;
  }
  if (world->ccd.broom_count > 0) {
    put_in_order(world);
  }
  return bullets;
}


// All of one sort. Whether any met something.
static bool sweep_bodies(ImpWorld *world, bool bullets) {
  bool met = false;
  for (int i = world->ccd.broom_count; i < world->ccd.swept.count; ++i) {
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
  impi_clearings_check(world);
  bool met = sweep_bodies(world, false);
  if (bullets) { // last: they meet the others where those have gone
    choose_runners(world);
    met = sweep_bodies(world, true) || met;
  }
  world->ccd.struck.count = world->ccd.first_waiting = 0;
  for (int i = 0; i < world->ccd.swept.count; ++i) {
    world->bodies.data[world->ccd.swept.data[i]].swept = false;
  }
  return met;
}
