// The step's manifolds: those of contacts in lanes are brought along there; of all others that may have changed each
// is found by itself, on several threads, and what others hear of it comes in the order of slots: begin and end, waking, who
// is asked, who comes and goes.
#include "base/constants.h"
#include "base/lane_width.h"
#include "solvers/soft/lane_passes.h"
#include "step/continuous.h"
#include "step/step.h"
#include "world/contacts.h"
#include "world/movers.h"
#include "world/shapes.h"
#include "world/sleep.h"

// Whether the manifold says that surfaces meet, by whether they did: two values, so that resting contacts do not toggle.
static bool touches_now(const ImpiContact *contact) {
  double separation = impi_contact_separation(contact);
  double begin = contact->flags & IMPI_CONTACT_SENSOR ? 0 : IMPI_TOUCH_BEGIN;
  return contact->flags & IMPI_CONTACT_TOUCHING ? !(separation > IMPI_TOUCH_END) : separation <= begin;
}


// `speed` > 0 is approach.
static void update_touching(ImpWorld *world, int32_t slot) {
  const ImpiContact *contact = &world->contacts.data[slot];
  bool was = contact->flags & IMPI_CONTACT_TOUCHING, now = touches_now(contact);
  double speed = -IMPI_HUGE;
  for (int i = 0; i < contact->count && now && !was; ++i) {
    speed = impi_max(speed, impi_contact_approach(contact, &contact->points[i], &world->motions.data[contact->body_a],
                                                  &world->motions.data[contact->body_b]));
  }
  if (now != was) {
    impi_world_set_touching(world, slot, now, speed);
  }
}


static bool boxes_overlap(const ImpWorld *world, const ImpiContact *contact) {
  const ImpiProxy *proxies = world->broadphase.proxies.data;
  return impi_aabb_overlaps(proxies[contact->proxy_a].fat, proxies[contact->proxy_b].fat);
}


static bool holds_sleeper(const ImpWorld *world, const ImpiContact *contact) {
  if (world->mover.list.count > 0 && impi_mover_stands_on(world, contact)) {
    return false; // the mover's weight wakes it where it must
  }
  return impi_contact_has_sleeper(world, contact);
}


// Whether a sleeping body is touched, or will be before the step is over.
static bool meets_sleeper(const ImpWorld *world, const ImpiContact *contact, bool touched) {
  const ImpiBody *a = &world->bodies.data[contact->body_a], *b = &world->bodies.data[contact->body_b];
  const ImpiMotion *motion_a = &world->motions.data[contact->body_a], *motion_b = &world->motions.data[contact->body_b];
  if (!a->awake && !b->awake) { // something was put there: it wakes what it overlaps, not what rests on it
    return !touched && impi_contact_separation(contact) < -IMPI_TOUCH_END;
  }
  bool meets = contact->flags & IMPI_CONTACT_TOUCHING;
  for (int i = 0; i < contact->count && !meets; ++i) {
    const ImpiContactPoint *point = &contact->points[i];
    meets = impi_contact_approach(contact, point, motion_a, motion_b) * world->settings.dt > point->separation;
  }
  return meets;
}


void impi_wake_sleeper(ImpWorld *world, const ImpiContact *contact) {
  if (holds_sleeper(world, contact)) {
    impi_world_wake(world, contact->body_a);
    impi_world_wake(world, contact->body_b);
  }
}


// What comes of a manifold: begin and end, and where it is going to act, what sleeps wakes with its island. Contacts that
// ask for pre_solve are put down for it: then it depends on what the callback says.
static void take_in(ImpWorld *world, int32_t slot) {
  ImpiContact *contact = &world->contacts.data[slot];
  bool touched = contact->flags & IMPI_CONTACT_TOUCHING;
  update_touching(world, slot);
  if (contact->count == 0 || contact->flags & IMPI_CONTACT_IDLE) {
    return;
  }
  bool sleeps = holds_sleeper(world, contact);
  if (sleeps && !meets_sleeper(world, contact, touched)) {
    return;
  }
  if (contact->flags & IMPI_CONTACT_ASKS && world->callback.pre_solve != NULL) {
    world->narrow.asked.data[world->narrow.asked.count++] = slot;
  } else if (sleeps) {
    impi_wake_sleeper(world, contact);
  }
}


// What a contact had before it was found anew.
typedef struct Former {
  int count;
  uint32_t features[2], flags;
} Former;


static Former former_of(const ImpiContact *contact) {
  Former former = {.count = contact->count, .flags = contact->flags};
  for (int i = 0; i < contact->count; ++i) {
    former.features[i] = contact->points[i].feature;
  }
  return former;
}


// One that the lanes hold was found anew. Where it has the same points in the same order they go on holding what they
// have of these; of others it is read.
static void carry_over(const ImpiLaneContacts *lanes, ImpiContact *contact, const Former *former) {
  const ImpiContactPoint *points = contact->points;
  bool same = contact->count == former->count && ((contact->flags ^ former->flags) & IMPI_CONTACT_FORM) == 0;
  for (int i = 0; i < contact->count; ++i) {
    same = same && points[i].feature == former->features[i];
  }
  if (same && (contact->count == 1 || points[0].feature != points[1].feature)) {
    return;
  }
  int from[2] = {-1, -1};
  for (int i = 0; i < contact->count; ++i) {
    for (int k = former->count - 1; k >= 0; --k) { // the first that fits
      from[i] = former->features[k] == points[i].feature ? k : from[i];
    }
  }
  impi_lane_contacts_carry(lanes, contact, from);
  for (int i = contact->count; i < former->count; ++i) { // nobody has read it
    contact->points[i] = (ImpiContactPoint){0};
  }
}


// Find or refresh one manifold. False when there is nothing new to say about it. Afterwards the lanes hold what they held
// if they have the same points.
static bool update_manifold(ImpWorld *world, ImpiContact *contact, bool fast) {
  const ImpiLaneContacts *lanes = &world->narrow.lane_contacts;
  bool held = impi_lane_contacts_hold(lanes, contact);
  const ImpiMotion *motion_a = &world->motions.data[contact->body_a], *motion_b = &world->motions.data[contact->body_b];
  const ImpiBody *a = &world->bodies.data[contact->body_a], *b = &world->bodies.data[contact->body_b];
  double margin = fast ? impi_margin_ahead(world, contact) : IMPI_SPECULATIVE_MARGIN;
  ImpiRefresh refresh = impi_contact_refresh(contact, motion_a, motion_b);
  bool usual = margin <= IMPI_SPECULATIVE_MARGIN && contact->still_changes == world->broadphase.still_changes;
  if (usual && refresh != IMPI_REFRESH_STALE) {
    if (held) {
      impi_lane_contacts_read_rest(lanes, contact);
    }
    return refresh == IMPI_REFRESH_DONE;
  }
  if (!fast && world->continuous && contact->flags & IMPI_CONTACT_TOUCHING) {
    margin = impi_margin_ahead(world, contact);
  }
  contact->still_changes = world->broadphase.still_changes; // tiles that came or went change what is surface
  ImpiSeamFinder finder = impi_world_seams(world);
  bool smooth = world->smooth_seams && !(contact->flags & IMPI_CONTACT_SENSOR);
  Former former = held ? former_of(contact) : (Former){0};
  impi_contact_update(contact, &world->shapes.data[contact->shape_a], &world->shapes.data[contact->shape_b], a,
                      motion_a, b, motion_b, margin, smooth ? &finder : NULL);
  if (held) {
    carry_over(lanes, contact, &former);
  }
  if (fast) {
    impi_leave_to_stage(world, contact);
  }
  return true;
}


// One that was to be looked at once more, of bodies that sleep, has been.
static void forget_if_asleep(ImpWorld *world, int32_t slot) {
  const ImpiContact *contact = &world->contacts.data[slot];
  if (!world->bodies.data[contact->body_a].awake && !world->bodies.data[contact->body_b].awake) {
    impi_bits_clear(&world->narrow.awake, slot);
  }
}


// Marks what this step has brought up to date. A step that ran out of memory later is tried again: what it found
// stands.
static uint32_t stamp_of(const ImpWorld *world) { return (uint32_t)(world->tick + 1); }


// ---------------------------------------------------------------------------------------------------------------------
// Each by itself
// ---------------------------------------------------------------------------------------------------------------------


// Whether nothing comes of its new manifold but rows: nothing begins or ends, nothing wakes, nobody is asked, and no list
// changes.
static inline bool is_quiet(const ImpWorld *world, int32_t slot) {
  const ImpiContact *contact = &world->contacts.data[slot];
  bool was = contact->flags & IMPI_CONTACT_TOUCHING;
  if (touches_now(contact) != was || impi_nears_takes(contact) != impi_bits_has(&world->narrow.nears.set, slot)) {
    return false;
  }
  if (contact->count == 0) {
    return (contact->points == NULL || contact->run > 0) && boxes_overlap(world, contact);
  }
  return !impi_contact_has_sleeper(world, contact) && !(contact->flags & IMPI_CONTACT_ASKS);
}


// One that the lanes hold goes on acting where it is; what becomes of others is seen when all are known.
static void enter_again(ImpWorld *world, int32_t slot) {
  const ImpiContact *contact = &world->contacts.data[slot];
  bool held = impi_lane_contacts_hold(&world->narrow.lane_contacts, contact);
  if (held) {
    impi_lane_contacts_renew(&world->narrow.lane_contacts, contact);
  }
  if (contact->count > 0 ? !held || !impi_contact_acts(world, contact) : contact->colour != IMPI_UNCOLOURED) {
    impi_bits_set(&world->narrow.seen, slot);
  }
}


// Its manifold, where it has no room for points: whether there are any. Then nothing was done but that it is not FRESH.
static bool finds_first_points(ImpWorld *world, ImpiContact *contact, bool fast, bool *out_news) {
  ImpiContactPoint room[2];
  contact->points = room;
  *out_news = update_manifold(world, contact, fast);
  contact->points = NULL;
  bool any = contact->count > 0;
  if (any) {
    contact->count = 0;
    contact->flags &= ~(uint32_t)IMPI_CONTACT_FRESH;
  }
  return any;
}


// What `find_alone` came to.
typedef enum Found { FOUND_ALL, FOUND_MANIFOLD, FOUND_NOTHING } Found;


// Of a contact that was found in a step that ran out of memory, and is tried again. Rare: kept out of the way of the rest.
__attribute__((noinline)) static Found found_before(ImpWorld *world, int32_t slot) {
  const ImpiContact *contact = &world->contacts.data[slot];
  bool asked = contact->flags & IMPI_CONTACT_ASKED;
  if (impi_bits_has(&world->narrow.found, slot) || (contact->run == 0 && !asked && !is_quiet(world, slot))) {
    return FOUND_MANIFOLD; // it waits for its turn
  }
  bool changes = contact->colour != IMPI_UNCOLOURED || impi_contact_acts(world, contact);
  if (contact->run == 0 && changes) { // the world was restored meanwhile: it enters the lanes, or ends
    impi_bits_set(&world->narrow.seen, slot);
  }
  return FOUND_ALL;
}


// What a contact can do for itself, side by side with others: of all that changes only it, its lane and its bits are written.
// What concerns others waits for its turn, and so do contacts whose history counts.
static Found find_alone(ImpWorld *world, int32_t slot, uint32_t stamp) {
  ImpiContact *contact = &world->contacts.data[slot]; // it keeps its place in the lanes
  impi_nears_write_back(&world->narrow.nears, slot, contact);
  if (contact->stamp == stamp) {
    return found_before(world, slot);
  }
  if (contact->flags & (IMPI_CONTACT_ASKED | IMPI_CONTACT_ONE_WAY | IMPI_CONTACT_TURNED)) {
    return FOUND_NOTHING;
  }
  bool fast = impi_pair_is_swept(world, contact->body_a, contact->body_b), news;
  if (contact->points == NULL) {
    if (finds_first_points(world, contact, fast, &news)) {
      return FOUND_NOTHING;
    }
  } else {
    if (fast || !impi_lane_contacts_may_renew(contact)) {
      impi_contact_now(world, slot);
    }
    news = update_manifold(world, contact, fast);
  }
  bool quiet = is_quiet(world, slot);
  if (!quiet && !news) {
    return FOUND_NOTHING;
  }
  contact->stamp = stamp;
  if (!quiet) {
    impi_nears_renew(&world->narrow.nears, slot, contact); // it may wait until the step is tried again
    return FOUND_MANIFOLD;
  }
  if (news) {
    enter_again(world, slot);
  }
  forget_if_asleep(world, slot);
  impi_nears_renew(&world->narrow.nears, slot, contact);
  return FOUND_ALL;
}


// ---------------------------------------------------------------------------------------------------------------------
// In turn
// ---------------------------------------------------------------------------------------------------------------------


// The manifold of one that was not found alone. False when there is nothing new to say about it.
static bool find_in_turn(ImpWorld *world, int32_t slot, uint32_t stamp) {
  ImpiContact *contact = &world->contacts.data[slot];
  impi_contact_now(world, slot);
  contact->stamp = stamp;
  bool anew = contact->count == 0 || contact->flags & (IMPI_CONTACT_DISABLED | IMPI_CONTACT_TURNED);
  contact->flags &= ~(uint32_t)IMPI_CONTACT_TURNED;
  if (contact->flags & IMPI_CONTACT_ASKED) {
    impi_pre_solve_reset(world, slot);
  }
  if (!update_manifold(world, contact, impi_pair_is_swept(world, contact->body_a, contact->body_b))) {
    return false;
  }
  if (contact->flags & IMPI_CONTACT_ONE_WAY && contact->count > 0) {
    impi_contact_judge(contact, &world->shapes.data[contact->shape_a], &world->shapes.data[contact->shape_b],
                       &world->motions.data[contact->body_a], &world->motions.data[contact->body_b], world->settings.dt,
                       anew);
  }
  return true;
}


// Nothing but motion can change what was found of it, if it has no points.
static void leave_alone(ImpWorld *world, int32_t slot) {
  ImpiContact *contact = &world->contacts.data[slot];
  if (contact->count == 0 && contact->run == 0) {
    impi_points_drop(&world->points, contact);
  }
  forget_if_asleep(world, slot);
  impi_nears_add(&world->heap, &world->narrow.nears, slot, contact);
}


// One contact in its turn: what comes of its manifold. False when out of memory: nothing was done.
static bool look_at(ImpWorld *world, int32_t slot, uint32_t stamp) {
  ImpiContact *contact = &world->contacts.data[slot];
  if (!impi_points_hold(&world->heap, &world->points, contact)) {
    return false;
  }
  impi_bits_clear(&world->narrow.nears.set, slot);
  bool news = impi_bits_has(&world->narrow.found, slot) || find_in_turn(world, slot, stamp);
  if (!news) {
    leave_alone(world, slot);
    return true;
  }
  if (contact->count == 0 && !boxes_overlap(world, contact)) {
    impi_world_remove_contact(world, slot);
    return true;
  }
  take_in(world, slot);
  enter_again(world, slot);
  leave_alone(world, slot);
  return true;
}


// ---------------------------------------------------------------------------------------------------------------------
// All
// ---------------------------------------------------------------------------------------------------------------------


static void end_all(ImpWorld *world) {
  const ImpiBits *acting = &world->narrow.lane_contacts.acting;
  for (int i = 0; i < acting->count; ++i) {
    for (uint64_t word = acting->data[i]; word != 0;) {
      impi_contact_end(world, 64 * i + impi_bits_pop(&word));
    }
  }
}


bool impi_contacts_reserve(ImpWorld *world) {
  ImpiHeap *heap = &world->heap;
  int count = world->contacts.count;
  bool room =
      impi_bits_reserve(heap, &world->narrow.awake, count) && impi_bits_reserve(heap, &world->narrow.doubtful, count) &&
      impi_bits_reserve(heap, &world->narrow.seen, count) && impi_bits_reserve(heap, &world->narrow.waits, count) &&
      impi_bits_reserve(heap, &world->narrow.known, count) && impi_bits_reserve(heap, &world->narrow.found, count) &&
      impi_nears_reserve(heap, &world->narrow.nears, count) &&
      impi_bits_reserve(heap, &world->narrow.fast, world->bodies.count) &&
      impi_reserve(heap, &world->narrow.active, count) &&
      impi_lane_contacts_prepare(heap, &world->narrow.lane_contacts, impi_lane_width(world->settings.lanes),
                                 world->contacts.data, count, world->bodies.data, world->bodies.count,
                                 world->motions.data);
  if (room && world->solver != IMP_SOLVER_SOFT) { // the others have no lanes
    end_all(world);
  }
  return room;
}


// Which awake bodies are fast, null: none; and whether an awake body is a bullet.
static const uint64_t *fast_bodies(ImpWorld *world, bool *out_bullets) {
  bool any = false;
  *out_bullets = false;
  impi_bits_empty(&world->narrow.fast);
  for (int i = 0; i < world->awake.count && world->ccd.expects_meeting && world->continuous; ++i) {
    const ImpiBody *body = &world->bodies.data[world->awake.data[i]];
    if (body->fast) {
      impi_bits_set(&world->narrow.fast, world->awake.data[i]);
      any = true;
    }
    *out_bullets |= body->bullet;
  }
  return any ? world->narrow.fast.data : NULL;
}


// Contacts in lanes of an awake bullet in which either body is fast: continuous collision handles them, so each is
// rechecked in every step. The lanes themselves find contacts of fast bodies with static and kinematic ones.
static void recheck_bullet(ImpWorld *world, int32_t slot) {
  const ImpiBody *bullet = &world->bodies.data[slot];
  for (int32_t edge = bullet->first_edge; edge >= 0;) {
    const ImpiContact *contact = &world->contacts.data[edge >> 1];
    int32_t other = contact->body_a == slot ? contact->body_b : contact->body_a;
    if (contact->run > 0 && (bullet->fast || world->bodies.data[other].fast)) {
      impi_bits_set(&world->narrow.doubtful, edge >> 1);
    }
    edge = contact->edge[edge & 1].next;
  }
}


static void recheck_bullets(ImpWorld *world) {
  for (int i = 0; i < world->awake.count; ++i) {
    if (world->bodies.data[world->awake.data[i]].bullet) {
      recheck_bullet(world, world->awake.data[i]);
    }
  }
}


// All contacts of a body that are in lanes.
static void doubt_body(ImpWorld *world, int32_t slot) {
  for (int32_t edge = world->bodies.data[slot].first_edge; edge >= 0;) {
    const ImpiContact *contact = &world->contacts.data[edge >> 1];
    if (contact->run > 0) {
      impi_bits_set(&world->narrow.doubtful, edge >> 1);
    }
    edge = contact->edge[edge & 1].next;
  }
}


// Once a step: bring along what the lanes can, and find out what must be looked at.
static void refresh_lanes(ImpWorld *world, uint32_t stamp) {
  ImpiLaneContacts *lanes = &world->narrow.lane_contacts;
  impi_bits_empty(&world->narrow.doubtful);
  impi_bits_empty(&world->narrow.known);
  impi_bits_empty(&world->narrow.seen);
  bool bullets;
  const uint64_t *fast = fast_bodies(world, &bullets);
  ImpiLanePasses passes;
  impi_lane_passes_plan(&passes, &world->team, lanes);
  impi_lane_contacts_begin(lanes, stamp);
  int count = impi_lane_passes_refresh(&passes, lanes, world->motions.data, fast);
  for (int i = 0; i < count; ++i) {
    impi_bits_set(&world->narrow.doubtful, lanes->looked.data[i]);
  }
  if (fast != NULL && bullets) {
    recheck_bullets(world);
  }
  for (int i = 0; i < world->mover.list.count; ++i) {
    doubt_body(world, world->mover.list.data[i].body);
  }
  if (world->narrow.still_seen != world->broadphase.still_changes) { // tiles that came or went change what is surface
    world->narrow.still_seen = world->broadphase.still_changes;
    impi_bits_add(&world->narrow.doubtful, &lanes->inside);
  }
}


// Those of a word of the set that move must still be looked at: all but the ones that are still apart for sure.
static uint64_t skip_near(ImpWorld *world, int index, uint64_t word, uint32_t stamp) {
  ImpiNear *page = world->narrow.nears.pages.data[index];
  uint32_t still = world->broadphase.still_changes;
  bool fast = world->ccd.expects_meeting && world->continuous;
  uint64_t look = 0;
  while (word != 0) {
    int bit = impi_bits_pop(&word);
    ImpiNear *near = &page[bit];
    if (near->stamp == stamp) {
      continue;
    }
    bool swept =
        fast &&
        (impi_bits_has(&world->narrow.fast, near->body_a) || impi_bits_has(&world->narrow.fast, near->body_b)) &&
        impi_pair_is_swept(world, near->body_a, near->body_b);
    if (swept || near->still_changes != still ||
        !impi_contact_reference_holds(&near->reference, near->flags, &world->motions.data[near->body_a],
                                      &world->motions.data[near->body_b])) {
      look |= 1ull << bit;
    } else {
      near->stamp = stamp;
    }
  }
  return look;
}


// They lie anywhere in memory: what will be looked at soon is asked for early, first the contact itself, then what it
// names, then what that names.
typedef enum Ahead { AHEAD_HULLS = 1, AHEAD_SIDES = 3, AHEAD_CONTACT = 5 } Ahead;


static void fetch(const void *memory, size_t size) {
  for (size_t at = 0; at < size; at += IMPI_CACHE_LINE) {
    __builtin_prefetch((const char *)memory + at);
  }
}


static void fetch_side(const ImpWorld *world, int32_t body, int32_t shape, int32_t proxy) {
  __builtin_prefetch(&world->motions.data[body]);
  __builtin_prefetch(&world->bodies.data[body]);
  __builtin_prefetch(&world->bodies.data[body].extent);
  __builtin_prefetch(&world->shapes.data[shape].geometry.hulls);
  __builtin_prefetch(&world->broadphase.proxies.data[proxy]);
}


static void fetch_hull(const ImpWorld *world, int32_t shape, int32_t child) {
  fetch(&world->shapes.data[shape].geometry.hulls[child], 4 * IMPI_CACHE_LINE);
}


// What looking at the i-th of some contacts will need, and those after it.
static void fetch_ahead(const ImpWorld *world, const int32_t *slots, int count, int i) {
  const ImpiContact *contacts = world->contacts.data;
  if (i + AHEAD_CONTACT < count) {
    fetch(&contacts[slots[i + AHEAD_CONTACT]], sizeof *contacts);
  }
  if (i + AHEAD_SIDES >= 0 && i + AHEAD_SIDES < count) {
    const ImpiContact *contact = &contacts[slots[i + AHEAD_SIDES]];
    fetch_side(world, contact->body_a, contact->shape_a, contact->proxy_a);
    fetch_side(world, contact->body_b, contact->shape_b, contact->proxy_b);
    if (contact->points != NULL) {
      fetch(contact->points, 2 * sizeof *contact->points);
    }
  }
  if (i + AHEAD_HULLS >= 0 && i + AHEAD_HULLS < count) {
    const ImpiContact *contact = &contacts[slots[i + AHEAD_HULLS]];
    fetch_hull(world, contact->shape_a, contact->child_a);
    fetch_hull(world, contact->shape_b, contact->child_b);
  }
}


// Contacts go to workers by so many words of the sets in turn: where much is to be done lies together. Sets begin on no
// cache line, which costs little.
#define WORDS 8

typedef struct Turn {
  ImpWorld *world;
  uint32_t stamp;
  int words, parts;
} Turn;


// Of 64 contacts those that must be looked at, and what they can do alone.
static void find_word(ImpWorld *world, int index, uint32_t stamp) {
  uint64_t all = (world->narrow.awake.data[index] & ~world->narrow.lane_contacts.inside.data[index]) |
                 world->narrow.doubtful.data[index];
  all &= ~world->narrow.known.data[index];
  uint64_t near = all & world->narrow.nears.set.data[index], waits = 0, found = 0,
           waited = world->narrow.found.data[index];
  int32_t slots[64];
  int count = 0;
  for (uint64_t word = (all & ~near) | skip_near(world, index, near & ~waited, stamp) | waited; word != 0;) {
    slots[count++] = 64 * index + impi_bits_pop(&word);
  }
  for (int i = count > 0 ? -AHEAD_CONTACT : 0; i < count; ++i) {
    fetch_ahead(world, slots, count, i);
    if (i >= 0) {
      Found what = find_alone(world, slots[i], stamp);
      waits |= (uint64_t)(what != FOUND_ALL) << (slots[i] & 63);
      found |= (uint64_t)(what == FOUND_MANIFOLD) << (slots[i] & 63);
    }
  }
  world->narrow.waits.data[index] = waits;
  world->narrow.known.data[index] |= all & ~waits;
  world->narrow.found.data[index] = found;
}


// Parts of the sets: a part's words lie as far apart as there are parts.
static void find_range(void *context, int first, int count, int worker) {
  (void)worker;
  const Turn *turn = context;
  for (int part = first; part < first + count; ++part) {
    for (int i = part * WORDS; i < turn->words; i += turn->parts * WORDS) {
      for (int k = i; k < i + WORDS && k < turn->words; ++k) {
        find_word(turn->world, k, turn->stamp);
      }
    }
  }
}


// In the order of their slots, whether they are in lanes or not. False when out of memory: who has found a manifold and
// not had its turn is still in the set.
static bool take_turns(ImpWorld *world, int words, uint32_t stamp) {
  for (int i = 0; i < words; ++i) {
    for (uint64_t word = world->narrow.waits.data[i]; word != 0;) {
      int32_t slot = 64 * i + impi_bits_pop(&word);
      if (!look_at(world, slot, stamp)) {
        return false;
      }
      impi_bits_clear(&world->narrow.found, slot);
      impi_bits_set(&world->narrow.known, slot);
    }
  }
  return true;
}


bool impi_update_contacts(ImpWorld *world) {
  uint32_t stamp = stamp_of(world);
  if (world->narrow.lane_contacts.stamp != stamp || world->narrow.lane_contacts.epoch == 0) {
    refresh_lanes(world, stamp);
  }
  int words = impi_bits_words(world->contacts.count); // a set may have room for more
  Turn turn = {world, stamp, words, words > 2 * WORDS ? world->team.threads : 1};
  impi_parallel(&world->team, turn.parts, 1, find_range, &turn);
  return take_turns(world, words, stamp);
}
