// The narrow phase of a step. Manifolds are updated in parallel.
// One thread applies the effects on other objects in the order of contact slots. The turn of a contact is its place in
// this order.
#include "base/constants.h"
#include "base/lane_width.h"
#include "solvers/soft/lane_passes.h"
#include "step/continuous.h"
#include "step/step.h"
#include "world/contacts.h"
#include "world/movers.h"
#include "world/shapes.h"
#include "world/sleep.h"

// Return true if the shapes touch. Two thresholds prevent toggling.
static bool touches_now(const ImpiContact *contact) {
  double separation = impi_contact_separation(contact);
  double begin = contact->flags & IMPI_CONTACT_SENSOR ? 0 : IMPI_TOUCH_BEGIN;
  return contact->flags & IMPI_CONTACT_TOUCHING ? !(separation > IMPI_TOUCH_END) : separation <= begin;
}


// Update the touching flag of a contact. A begin event reports the approach speed.
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
    return false; // the mover's weight wakes the body where necessary
  }
  return impi_contact_has_sleeper(world, contact);
}


// Return true if the contact touches a sleeping body, or will touch the body within the step. `touched`: whether it
// touched before this step
static bool meets_sleeper(const ImpWorld *world, const ImpiContact *contact, bool touched) {
  const ImpiBody *a = &world->bodies.data[contact->body_a], *b = &world->bodies.data[contact->body_b];
  const ImpiMotion *motion_a = &world->motions.data[contact->body_a], *motion_b = &world->motions.data[contact->body_b];
  // Only a teleported body can begin to overlap a sleeping body.
  if (!a->awake && !b->awake) {
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


// Report the begin or end of touching. If the pre_solve callback must be called for the contact, list the contact;
// otherwise wake its sleeping bodies.
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
  if (contact->flags & IMPI_CONTACT_PRE_SOLVE && world->callback.pre_solve != NULL) {
    world->narrow.pre_solve_contacts.data[world->narrow.pre_solve_contacts.count++] = slot;
  } else if (sleeps) {
    impi_wake_sleeper(world, contact);
  }
}


// The points of a contact before its manifold was recomputed.
typedef struct OldPoints {
  int count;
  uint32_t features[2], flags;
} OldPoints;


static OldPoints old_points_of(const ImpiContact *contact) {
  OldPoints old = {.count = contact->count, .flags = contact->flags};
  for (int i = 0; i < contact->count; ++i) {
    old.features[i] = contact->points[i].feature;
  }
  return old;
}


// Keep the impulses of a contact after its manifold changed. Each point gets the impulse of the old point with the same
// feature.
static void carry_over(const ImpiLaneContacts *lanes, ImpiContact *contact, const OldPoints *old) {
  const ImpiContactPoint *points = contact->points;
  bool same = contact->count == old->count && ((contact->flags ^ old->flags) & IMPI_CONTACT_FORM) == 0;
  for (int i = 0; i < contact->count; ++i) {
    same = same && points[i].feature == old->features[i];
  }
  if (same && (contact->count == 1 || points[0].feature != points[1].feature)) {
    return;
  }
  int from[2] = {-1, -1};
  for (int i = 0; i < contact->count; ++i) {
    for (int k = old->count - 1; k >= 0; --k) { // if old points have equal features, the first is used
      from[i] = old->features[k] == points[i].feature ? k : from[i];
    }
  }
  impi_lane_contacts_carry(lanes, contact, from);
  for (int i = contact->count; i < old->count; ++i) { // points that the contact no longer has
    contact->points[i] = (ImpiContactPoint){0};
  }
}


// Recompute or refresh one manifold. Returns false if nothing changed.
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
  // The manifold is valid until static pieces change, because static pieces determine which edges are internal.
  contact->still_changes = world->broadphase.still_changes;
  ImpiNeighbourFinder finder = impi_world_neighbours(world);
  bool smooth = world->smooth_internal_edges && !(contact->flags & IMPI_CONTACT_SENSOR);
  OldPoints old = held ? old_points_of(contact) : (OldPoints){0};
  impi_contact_update(contact, &world->shapes.data[contact->shape_a], &world->shapes.data[contact->shape_b], a,
                      motion_a, b, motion_b, margin, smooth ? &finder : NULL);
  if (held) {
    carry_over(lanes, contact, &old);
  }
  if (fast) {
    impi_leave_to_stage(world, contact);
  }
  return true;
}


// Remove a contact from the awake set after its recheck if both bodies sleep.
static void forget_if_asleep(ImpWorld *world, int32_t slot) {
  const ImpiContact *contact = &world->contacts.data[slot];
  if (!world->bodies.data[contact->body_a].awake && !world->bodies.data[contact->body_b].awake) {
    impi_bits_clear(&world->narrow.awake, slot);
  }
}


// Return the stamp of contacts that are up to date in this step. A step that is repeated after it ran out of memory has
// the same stamp, so contacts that it has updated stay valid.
static uint32_t stamp_of(const ImpWorld *world) { return (uint32_t)(world->tick + 1); }


// ---------------------------------------------------------------------------------------------------------------------
// The parallel part
// ---------------------------------------------------------------------------------------------------------------------


// Return true if the new manifold affects nothing but rows.
static inline bool is_quiet(const ImpWorld *world, int32_t slot) {
  const ImpiContact *contact = &world->contacts.data[slot];
  bool was = contact->flags & IMPI_CONTACT_TOUCHING;
  if (touches_now(contact) != was ||
      impi_separated_accepts(contact) != impi_bits_has(&world->narrow.separated.set, slot)) {
    return false;
  }
  if (contact->count == 0) {
    return (contact->points == NULL || contact->run > 0) && boxes_overlap(world, contact);
  }
  return !impi_contact_has_sleeper(world, contact) && !(contact->flags & IMPI_CONTACT_PRE_SOLVE);
}


// If a contact is in lanes, renew its data there. If it must enter or leave the lanes, add it to `seen`.
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


// Update the manifold of a contact that has no memory for points. If points are found, discard them, clear
// IMPI_CONTACT_FRESH and return true: look_at will reserve memory and find them again.
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


// Parts of the update that find_alone has done: everything, only the manifold, or nothing.
typedef enum Found { FOUND_ALL, FOUND_MANIFOLD, FOUND_NOTHING } Found;


// Handle a contact that an earlier, failed attempt of this step has updated.
__attribute__((noinline)) static Found found_before(ImpWorld *world, int32_t slot) {
  const ImpiContact *contact = &world->contacts.data[slot];
  bool pre_solve_contacts = contact->flags & IMPI_CONTACT_PRE_SOLVED;
  if (impi_bits_has(&world->narrow.found, slot) ||
      (contact->run == 0 && !pre_solve_contacts && !is_quiet(world, slot))) {
    return FOUND_MANIFOLD; // look_at does the rest
  }
  bool changes = contact->colour != IMPI_UNCOLOURED || impi_contact_acts(world, contact);
  if (contact->run == 0 && changes) {
    impi_bits_set(&world->narrow.seen, slot);
  }
  return FOUND_ALL;
}


// Update one contact. The function writes only to the contact, its lane and its bits in the sets, because other threads
// update other contacts. It leaves contacts whose update depends on the previous step to look_at.
static Found find_alone(ImpWorld *world, int32_t slot, uint32_t stamp) {
  ImpiContact *contact = &world->contacts.data[slot];
  impi_separated_write_back(&world->narrow.separated, slot, contact);
  if (contact->stamp == stamp) {
    return found_before(world, slot);
  }
  if (contact->flags & (IMPI_CONTACT_PRE_SOLVED | IMPI_CONTACT_ONE_WAY | IMPI_CONTACT_TURNED)) {
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
    // look_at does the rest of the update. If the step fails before that, look_at does it when the step is repeated.
    impi_separated_update(&world->narrow.separated, slot, contact);
    return FOUND_MANIFOLD;
  }
  if (news) {
    enter_again(world, slot);
  }
  forget_if_asleep(world, slot);
  impi_separated_update(&world->narrow.separated, slot, contact);
  return FOUND_ALL;
}


// ---------------------------------------------------------------------------------------------------------------------
// The sequential part
// ---------------------------------------------------------------------------------------------------------------------


// Find the manifold of a contact that find_alone did not update. Returns false if nothing changed.
static bool find_in_turn(ImpWorld *world, int32_t slot, uint32_t stamp) {
  ImpiContact *contact = &world->contacts.data[slot];
  impi_contact_now(world, slot);
  contact->stamp = stamp;
  bool is_new = contact->count == 0 || contact->flags & (IMPI_CONTACT_DISABLED | IMPI_CONTACT_TURNED);
  contact->flags &= ~(uint32_t)IMPI_CONTACT_TURNED;
  if (contact->flags & IMPI_CONTACT_PRE_SOLVED) {
    impi_pre_solve_reset(world, slot);
  }
  if (!update_manifold(world, contact, impi_pair_is_swept(world, contact->body_a, contact->body_b))) {
    return false;
  }
  if (contact->flags & IMPI_CONTACT_ONE_WAY && contact->count > 0) {
    impi_contact_update_passing(contact, &world->shapes.data[contact->shape_a], &world->shapes.data[contact->shape_b],
                                &world->motions.data[contact->body_a], &world->motions.data[contact->body_b],
                                world->settings.dt, is_new);
  }
  return true;
}


// Free unused storage of points. Add the contact to the separated-contact cache if it qualifies.
static void leave_alone(ImpWorld *world, int32_t slot) {
  ImpiContact *contact = &world->contacts.data[slot];
  if (contact->count == 0 && contact->run == 0) {
    impi_points_drop(&world->points, contact);
  }
  forget_if_asleep(world, slot);
  impi_separated_add(&world->heap, &world->narrow.separated, slot, contact);
}


// Finish one contact in its turn. Returns false and changes nothing when out of memory.
static bool look_at(ImpWorld *world, int32_t slot, uint32_t stamp) {
  ImpiContact *contact = &world->contacts.data[slot];
  if (!impi_points_hold(&world->heap, &world->points, contact)) {
    return false;
  }
  impi_bits_clear(&world->narrow.separated.set, slot);
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
// All contacts
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
      impi_bits_reserve(heap, &world->narrow.awake, count) &&
      impi_bits_reserve(heap, &world->narrow.needs_recheck, count) &&
      impi_bits_reserve(heap, &world->narrow.seen, count) && impi_bits_reserve(heap, &world->narrow.waits, count) &&
      impi_bits_reserve(heap, &world->narrow.known, count) && impi_bits_reserve(heap, &world->narrow.found, count) &&
      impi_separated_reserve(heap, &world->narrow.separated, count) &&
      impi_bits_reserve(heap, &world->narrow.fast, world->bodies.count) &&
      impi_reserve(heap, &world->narrow.active, count) &&
      impi_lane_contacts_prepare(heap, &world->narrow.lane_contacts, impi_lane_width(world->settings.lanes),
                                 world->contacts.data, count, world->bodies.data, world->bodies.count,
                                 world->motions.data);
  if (room && world->solver != IMP_SOLVER_SOFT) { // only the soft solver has lanes
    end_all(world);
  }
  return room;
}


// Return the set of fast awake bodies, null if empty. `out_bullets`: whether a bullet is awake.
static const uint64_t *fast_bodies(ImpWorld *world, bool *out_bullets) {
  bool any = false;
  *out_bullets = false;
  impi_bits_empty(&world->narrow.fast);
  for (int i = 0; i < world->awake.count && world->ccd.expects_toi_events && world->continuous; ++i) {
    const ImpiBody *body = &world->bodies.data[world->awake.data[i]];
    if (body->fast) {
      impi_bits_set(&world->narrow.fast, world->awake.data[i]);
      any = true;
    }
    *out_bullets |= body->bullet;
  }
  return any ? world->narrow.fast.data : NULL;
}


// Mark each contact of an awake bullet for a recheck if the contact is in lanes and one of its bodies is fast.
static void recheck_bullet(ImpWorld *world, int32_t slot) {
  const ImpiBody *bullet = &world->bodies.data[slot];
  for (int32_t edge = bullet->first_edge; edge >= 0;) {
    const ImpiContact *contact = &world->contacts.data[edge >> 1];
    int32_t other = contact->body_a == slot ? contact->body_b : contact->body_a;
    if (contact->run > 0 && (bullet->fast || world->bodies.data[other].fast)) {
      impi_bits_set(&world->narrow.needs_recheck, edge >> 1);
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


// Mark each contact of a body for a recheck if the contact is in lanes.
static void recheck_body(ImpWorld *world, int32_t slot) {
  for (int32_t edge = world->bodies.data[slot].first_edge; edge >= 0;) {
    const ImpiContact *contact = &world->contacts.data[edge >> 1];
    if (contact->run > 0) {
      impi_bits_set(&world->narrow.needs_recheck, edge >> 1);
    }
    edge = contact->edge[edge & 1].next;
  }
}


// Refresh the contacts in lanes once a step, and collect the contacts that need a recheck.
static void refresh_lanes(ImpWorld *world, uint32_t stamp) {
  ImpiLaneContacts *lanes = &world->narrow.lane_contacts;
  impi_bits_empty(&world->narrow.needs_recheck);
  impi_bits_empty(&world->narrow.known);
  impi_bits_empty(&world->narrow.seen);
  bool bullets;
  const uint64_t *fast = fast_bodies(world, &bullets);
  ImpiLanePasses passes;
  impi_lane_passes_plan(&passes, &world->team, lanes);
  impi_lane_contacts_begin(lanes, stamp);
  int count = impi_lane_passes_refresh(&passes, lanes, world->motions.data, fast);
  for (int i = 0; i < count; ++i) {
    impi_bits_set(&world->narrow.needs_recheck, lanes->looked.data[i]);
  }
  if (fast != NULL && bullets) {
    recheck_bullets(world);
  }
  for (int i = 0; i < world->mover.list.count; ++i) {
    recheck_body(world, world->mover.list.data[i].body);
  }
  if (world->narrow.still_seen != world->broadphase.still_changes) { // static pieces were added or removed
    world->narrow.still_seen = world->broadphase.still_changes;
    impi_bits_add(&world->narrow.needs_recheck, &lanes->inside);
  }
}


// Return which of 64 separated contacts must be updated. `index`: index of the word in the set.
static uint64_t skip_separated(ImpWorld *world, int index, uint64_t word, uint32_t stamp) {
  ImpiSeparated *page = world->narrow.separated.pages.data[index];
  uint32_t still = world->broadphase.still_changes;
  bool fast = world->ccd.expects_toi_events && world->continuous;
  uint64_t look = 0;
  while (word != 0) {
    int bit = impi_bits_pop(&word);
    ImpiSeparated *near = &page[bit];
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


// Prefetch distances [iterations], because contacts are scattered in memory.
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


// Prefetch the data that the updates of the contacts after contact i need.
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


// Number of adjacent words of a set that a worker processes at a time.
#define WORDS 8

typedef struct Turn {
  ImpWorld *world;
  uint32_t stamp;
  int words, parts;
} Turn;


// Update those of 64 contacts that need an update, as far as this is possible in parallel.
static void find_word(ImpWorld *world, int index, uint32_t stamp) {
  uint64_t all = (world->narrow.awake.data[index] & ~world->narrow.lane_contacts.inside.data[index]) |
                 world->narrow.needs_recheck.data[index];
  all &= ~world->narrow.known.data[index];
  uint64_t near = all & world->narrow.separated.set.data[index], waits = 0, found = 0,
           waited = world->narrow.found.data[index];
  int32_t slots[64];
  int count = 0;
  for (uint64_t word = (all & ~near) | skip_separated(world, index, near & ~waited, stamp) | waited; word != 0;) {
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


// Update the contacts of parts first .. first + count - 1 of the sets. If the sets are cut into groups of WORDS words,
// part p consists of the groups p, p + `parts`, p + 2 `parts`, ...
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


// Finish the contacts in `waits` in the order of slots. Return false when out of memory. `found` then contains the
// unfinished contacts with a new manifold.
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
  int words = impi_bits_words(world->contacts.count);
  Turn turn = {world, stamp, words, words > 2 * WORDS ? world->team.threads : 1};
  impi_parallel(&world->team, turn.parts, 1, find_range, &turn);
  return take_turns(world, words, stamp);
}
