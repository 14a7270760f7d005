// Level 7. The step's stages from boxes to rows: pairs, lists, manifolds, touching, waking, active contacts.
#include "constants.h"
#include "continuous.h"
#include "lane_passes.h"
#include "lane_width.h"
#include "world.h"

// Out of memory: the pairs from this one on are found again next time.
static ImpStatus find_again(ImpiBroadphase *bp, int first, ImpStatus status) {
  for (int i = first; i < bp->pairs.count; ++i) {
    impi_broadphase_touch(bp, bp->pairs.data[i].proxy_a);
  }
  return status;
}


ImpStatus impi_update_pairs(ImpWorld *world) {
  ImpiHeap *heap = &world->heap;
  ImpiBroadphase *bp = &world->broadphase;
  if (!impi_broadphase_pairs(heap, bp)) {
    return impi_fail(IMP_ERR_NOMEM, "out of memory");
  }
  ImpStatus judged = impi_judge_pairs(world);
  if (judged != IMP_OK) {
    return find_again(bp, 0, judged);
  }
  // At once, so that they fit; if there is no room for all, there may be for some.
  (void)impi_reserve(heap, &world->contacts, world->contact_pool.live + bp->pairs.count);
  for (int i = 0; i < bp->pairs.count; ++i) {
    ImpiPair pair = bp->pairs.data[i];
    if (!impi_world_may_touch(world, pair.proxy_a, pair.proxy_b) ||
        impi_pair_refused(world, bp->proxies.data[pair.proxy_a].shape, bp->proxies.data[pair.proxy_b].shape)) {
      continue;
    }
    ImpStatus status = impi_check_quota(world->max_contacts, world->contact_pool.live, "contacts", "max_contacts");
    if (status == IMP_OK) {
      status = impi_world_reserve_contact(world);
    }
    if (status != IMP_OK) {
      return find_again(bp, i, status);
    }
    impi_world_add_contact(world, pair.proxy_a, pair.proxy_b);
  }
  impi_mix_pairs(world);
  return IMP_OK;
}


// Contacts with an awake side, and those that were not looked at yet.
static void find_awake_contacts(ImpWorld *world) {
  const ImpiSlot *slots = world->contact_pool.slots.data;
  impi_bits_empty(&world->awake_contacts);
  for (int32_t slot = 0; slot < world->contacts.count; ++slot) {
    const ImpiContact *contact = &world->contacts.data[slot];
    if (slots[slot].next_free == IMPI_SLOT_LIVE && (contact->stamp == 0 || world->bodies.data[contact->body_a].awake ||
                                                    world->bodies.data[contact->body_b].awake)) {
      impi_bits_set(&world->awake_contacts, slot);
    }
  }
  world->contacts_lost = false;
}


ImpStatus impi_update_lists(ImpWorld *world) {
  if (!world->lists_dirty && !world->contacts_lost) {
    return IMP_OK;
  }
  ImpiHeap *heap = &world->heap;
  if (!impi_reserve(heap, &world->awake, world->bodies.count) ||
      !impi_bits_reserve(heap, &world->awake_contacts, world->contacts.count)) {
    return impi_fail(IMP_ERR_NOMEM, "out of memory");
  }
  world->awake.count = 0;
  bool born = false;
  const ImpiSlot *slots = world->body_pool.slots.data;
  for (int32_t slot = 0; slot < world->bodies.count; ++slot) {
    const ImpiBody *body = &world->bodies.data[slot];
    int32_t state = slots[slot].next_free; // what a callback of this step has destroyed goes at its end
    if ((state == IMPI_SLOT_LIVE || state == IMPI_SLOT_DOOMED) && body->awake && body->enabled) {
      if (body->serial > world->step_bodies) { // made by a callback of this step: it takes part from the next one
        born = true;
        continue;
      }
      world->awake.data[world->awake.count++] = slot;
    }
  }
  find_awake_contacts(world);
  ImpStatus status = impi_update_joint_list(world);
  born = born || (world->last_joint >= 0 && world->joints.data[world->last_joint].serial > world->step_joints);
  world->lists_dirty = status != IMP_OK || born;
  return status;
}


// Where the manifold says that surfaces meet; `speed` > 0 is approach.
static void update_touching(ImpWorld *world, int32_t slot) {
  const ImpiContact *contact = &world->contacts.data[slot];
  bool was = contact->flags & IMPI_CONTACT_TOUCHING;
  double separation = impi_contact_separation(contact);
  if (!was && separation <= (contact->flags & IMPI_CONTACT_SENSOR ? 0 : IMPI_TOUCH_BEGIN)) {
    double speed = -IMPI_HUGE;
    for (int i = 0; i < contact->count; ++i) {
      speed = impi_max(speed, impi_contact_approach(contact, &contact->points[i], &world->motions.data[contact->body_a],
                                                    &world->motions.data[contact->body_b]));
    }
    impi_world_set_touching(world, slot, true, speed);
  } else if (was && separation > IMPI_TOUCH_END) {
    impi_world_set_touching(world, slot, false, 0);
  }
}


static bool holds_sleeper(const ImpWorld *world, const ImpiContact *contact) {
  if (world->movers.count > 0 && impi_mover_stands_on(world, contact)) {
    return false; // the mover's weight wakes it where it must
  }
  const ImpiBody *a = &world->bodies.data[contact->body_a], *b = &world->bodies.data[contact->body_b];
  return (impi_is_dynamic(a) && !a->awake) || (impi_is_dynamic(b) && !b->awake);
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
  if (contact->flags & IMPI_CONTACT_ASKS && world->pre_solve_callback != NULL) {
    world->asked.data[world->asked.count++] = slot;
  } else if (sleeps) {
    impi_wake_sleeper(world, contact);
  }
}


// Find or refresh one manifold. False when there is nothing new to say about it.
static bool update_manifold(ImpWorld *world, ImpiContact *contact) {
  const ImpiMotion *motion_a = &world->motions.data[contact->body_a], *motion_b = &world->motions.data[contact->body_b];
  const ImpiBody *a = &world->bodies.data[contact->body_a], *b = &world->bodies.data[contact->body_b];
  bool fast = impi_pair_is_swept(world, contact->body_a, contact->body_b);
  double margin = fast ? impi_margin_ahead(world, contact) : IMPI_SPECULATIVE_MARGIN;
  ImpiRefresh refresh = impi_contact_refresh(contact, motion_a, motion_b);
  bool usual = margin <= IMPI_SPECULATIVE_MARGIN && contact->still_changes == world->broadphase.still_changes;
  if (usual && refresh != IMPI_REFRESH_STALE) {
    return refresh == IMPI_REFRESH_DONE;
  }
  contact->still_changes = world->broadphase.still_changes; // tiles that came or went change what is surface
  ImpiSeamFinder finder = {impi_world_seams, world};
  bool smooth = world->smooth_seams && !(contact->flags & IMPI_CONTACT_SENSOR);
  impi_contact_update(contact, &world->shapes.data[contact->shape_a], &world->shapes.data[contact->shape_b], a,
                      motion_a, b, motion_b, margin, smooth ? &finder : NULL);
  if (fast) {
    impi_leave_to_stage(world, contact);
  }
  return true;
}


// One that was to be looked at once more, of bodies that sleep, has been.
static void forget_if_asleep(ImpWorld *world, int32_t slot) {
  const ImpiContact *contact = &world->contacts.data[slot];
  if (!world->bodies.data[contact->body_a].awake && !world->bodies.data[contact->body_b].awake) {
    impi_bits_clear(&world->awake_contacts, slot);
  }
}


static void end_all(ImpWorld *world) {
  const ImpiBits *acting = &world->lane_contacts.acting;
  for (int i = 0; i < acting->count; ++i) {
    for (uint64_t word = acting->data[i]; word != 0;) {
      impi_contact_end(world, 64 * i + impi_bits_pop(&word));
    }
  }
}


// Marks what this step has brought up to date. A step that ran out of memory later is tried again: what it found
// stands.
static uint32_t stamp_of(const ImpWorld *world) { return (uint32_t)(world->tick + 1); }


// One contact in this step: its manifold, and what comes of it.
static void look_at(ImpWorld *world, int32_t slot, uint32_t stamp) {
  impi_contact_now(world, slot);
  ImpiContact *contact = &world->contacts.data[slot]; // it keeps its place in the lanes
  impi_nears_drop(&world->nears, slot, contact);
  if (contact->stamp == stamp) {
    return;
  }
  contact->stamp = stamp;
  bool anew = contact->count == 0 || contact->flags & (IMPI_CONTACT_DISABLED | IMPI_CONTACT_TURNED);
  contact->flags &= ~(uint32_t)IMPI_CONTACT_TURNED;
  if (contact->flags & IMPI_CONTACT_ASKED) {
    impi_pre_solve_reset(world, slot);
  }
  if (!update_manifold(world, contact)) {
    forget_if_asleep(world, slot);
    impi_nears_add(&world->nears, slot, contact);
    return;
  }
  if (contact->count == 0 && !impi_aabb_overlaps(world->broadphase.proxies.data[contact->proxy_a].fat,
                                                 world->broadphase.proxies.data[contact->proxy_b].fat)) {
    impi_world_remove_contact(world, slot);
    return;
  }
  if (contact->flags & IMPI_CONTACT_ONE_WAY && contact->count > 0) {
    impi_contact_judge(contact, &world->shapes.data[contact->shape_a], &world->shapes.data[contact->shape_b],
                       &world->motions.data[contact->body_a], &world->motions.data[contact->body_b], world->settings.dt,
                       anew);
  }
  if (contact->count > 0 || contact->colour != IMPI_UNCOLOURED) {
    impi_bits_set(&world->seen, slot);
  }
  take_in(world, slot);
  forget_if_asleep(world, slot);
  impi_nears_add(&world->nears, slot, contact);
}


// Which awake bodies are fast; null: none.
static const uint64_t *fast_bodies(ImpWorld *world) {
  bool any = false;
  impi_bits_empty(&world->fast);
  for (int i = 0; i < world->awake.count && world->expects_meeting && world->continuous; ++i) {
    if (world->bodies.data[world->awake.data[i]].fast) {
      impi_bits_set(&world->fast, world->awake.data[i]);
      any = true;
    }
  }
  return any ? world->fast.data : NULL;
}


// All contacts of a body that are in lanes.
static void doubt_body(ImpWorld *world, int32_t slot) {
  for (int32_t edge = world->bodies.data[slot].first_edge; edge >= 0;) {
    const ImpiContact *contact = &world->contacts.data[edge >> 1];
    if (contact->run > 0) {
      impi_bits_set(&world->doubtful, edge >> 1);
    }
    edge = contact->edge[edge & 1].next;
  }
}


// Once a step: bring along what the lanes can, and find out what must be looked at.
static void refresh_lanes(ImpWorld *world, uint32_t stamp) {
  ImpiLaneContacts *lanes = &world->lane_contacts;
  impi_bits_empty(&world->doubtful);
  impi_bits_empty(&world->seen);
  const uint64_t *fast = fast_bodies(world);
  ImpiLanePasses passes;
  impi_lane_passes_plan(&passes, &world->team, lanes);
  impi_lane_contacts_begin(lanes, stamp);
  int count = impi_lane_passes_refresh(&passes, lanes, world->motions.data, fast);
  for (int i = 0; i < count; ++i) {
    impi_bits_set(&world->doubtful, lanes->looked.data[i]);
  }
  for (int i = 0; i < world->fast.count && fast != NULL; ++i) { // of the others the lanes know
    for (uint64_t word = fast[i]; word != 0;) {
      int32_t slot = 64 * i + impi_bits_pop(&word);
      if (world->bodies.data[slot].bullet) {
        doubt_body(world, slot);
      }
    }
  }
  for (int i = 0; i < world->movers.count; ++i) {
    doubt_body(world, world->movers.data[i].body);
  }
  if (world->still_seen != world->broadphase.still_changes) { // tiles that came or went change what is surface
    world->still_seen = world->broadphase.still_changes;
    impi_bits_add(&world->doubtful, &lanes->inside);
  }
}


bool impi_contacts_reserve(ImpWorld *world) {
  ImpiHeap *heap = &world->heap;
  int count = world->contacts.count;
  bool room = impi_bits_reserve(heap, &world->awake_contacts, count) &&
              impi_bits_reserve(heap, &world->doubtful, count) && impi_bits_reserve(heap, &world->seen, count) &&
              impi_nears_reserve(heap, &world->nears, count) &&
              impi_bits_reserve(heap, &world->fast, world->bodies.count) && impi_reserve(heap, &world->active, count) &&
              impi_lane_contacts_prepare(heap, &world->lane_contacts, impi_lane_width(world->settings.lanes),
                                         world->contacts.data, count, world->bodies.data, world->bodies.count,
                                         world->motions.data);
  if (room && world->solver != IMP_SOLVER_SOFT) { // the others have no lanes
    end_all(world);
  }
  return room;
}


// Those of a word of the set that move must still be looked at: all but the ones that are still apart for sure.
static uint64_t skip_near(ImpWorld *world, int index, uint64_t word, uint32_t stamp) {
  ImpiNear *nears = &world->nears.list.data[64 * index];
  uint32_t still = world->broadphase.still_changes;
  bool fast = world->expects_meeting && world->continuous;
  uint64_t look = 0;
  while (word != 0) {
    int bit = impi_bits_pop(&word);
    ImpiNear *near = &nears[bit];
    if (near->stamp == stamp) {
      continue;
    }
    bool swept = fast && (impi_bits_has(&world->fast, near->body_a) || impi_bits_has(&world->fast, near->body_b)) &&
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


// What those of a word will be found from is fetched before the first of them is looked at: each is a dozen cache lines,
// one behind the other, and seldom near.
static void fetch(const ImpWorld *world, int index, uint64_t word) {
  const ImpiContact *contacts = &world->contacts.data[64 * index];
  for (uint64_t left = word; left != 0;) {
    const char *contact = (const char *)&contacts[impi_bits_pop(&left)];
    __builtin_prefetch(contact);
    __builtin_prefetch(contact + 64);
    __builtin_prefetch(contact + 128);
  }
  for (uint64_t left = word; left != 0;) {
    const ImpiContact *contact = &contacts[impi_bits_pop(&left)];
    __builtin_prefetch(&world->shapes.data[contact->shape_a].geometry);
    __builtin_prefetch(&world->shapes.data[contact->shape_b].geometry);
    __builtin_prefetch(&world->bodies.data[contact->body_a]);
    __builtin_prefetch(&world->bodies.data[contact->body_b]);
    __builtin_prefetch(&world->bodies.data[contact->body_a].extent);
    __builtin_prefetch(&world->bodies.data[contact->body_b].extent);
  }
  for (uint64_t left = word; left != 0;) {
    const ImpiContact *contact = &contacts[impi_bits_pop(&left)];
    const char *a = (const char *)&world->shapes.data[contact->shape_a].geometry.hulls[contact->child_a];
    const char *b = (const char *)&world->shapes.data[contact->shape_b].geometry.hulls[contact->child_b];
    for (int line = 0; line < 4; ++line) { // a hull, and behind it the points of a small one
      __builtin_prefetch(a + 64 * line);
      __builtin_prefetch(b + 64 * line);
    }
  }
}


// Visited in the order of their slots, whether they are in lanes or not.
void impi_update_contacts(ImpWorld *world) {
  uint32_t stamp = stamp_of(world);
  if (world->lane_contacts.stamp != stamp || world->lane_contacts.epoch == 0) {
    refresh_lanes(world, stamp);
  }
  const uint64_t *awake = world->awake_contacts.data, *inside = world->lane_contacts.inside.data;
  for (int i = 0; i < impi_bits_words(world->contacts.count); ++i) { // a set may have room for more
    uint64_t all = (awake[i] & ~inside[i]) | world->doubtful.data[i], near = all & world->nears.set.data[i];
    uint64_t word = (all & ~near) | skip_near(world, i, near, stamp);
    fetch(world, i, word);
    while (word != 0) {
      look_at(world, 64 * i + impi_bits_pop(&word), stamp);
    }
  }
}


// Whether it has rows in this step.
static bool acts(const ImpWorld *world, const ImpiContact *contact) {
  const ImpiBody *a = &world->bodies.data[contact->body_a], *b = &world->bodies.data[contact->body_b];
  if (contact->count == 0 || contact->flags & IMPI_CONTACT_IDLE) {
    return false;
  }
  if ((impi_is_dynamic(a) && !a->awake) || (impi_is_dynamic(b) && !b->awake)) {
    return false; // near, but they will not meet in this step
  }
  return (a->mover | b->mover) == 0 || !impi_mover_stands_on(world, contact);
}


// Those that were looked at begin to act, go on or end; the others go on. False when out of memory.
static bool enter_lanes(ImpWorld *world) {
  ImpiLaneContacts *lanes = &world->lane_contacts;
  for (int i = 0; i < world->seen.count; ++i) {
    for (uint64_t word = world->seen.data[i]; word != 0;) {
      int32_t slot = 64 * i + impi_bits_pop(&word);
      ImpiContact *contact = &world->contacts.data[slot];
      bool acted = contact->colour != IMPI_UNCOLOURED, now = acts(world, contact);
      world->active_dirty = world->active_dirty || acted != now;
      if (!now) {
        impi_lane_contacts_end(lanes, world->contacts.data, slot, world->bodies.data);
      } else if (!impi_lane_contacts_enter(&world->heap, lanes, world->contacts.data, slot, world->bodies.data)) {
        return false;
      }
    }
  }
  world->active.count = world->gathered; // without those that met within the last step
  if (world->active_dirty) {
    world->active_dirty = false;
    world->active.count = 0;
    for (int i = 0; i < lanes->acting.count; ++i) {
      for (uint64_t word = lanes->acting.data[i]; word != 0;) {
        world->active.data[world->active.count++] = 64 * i + impi_bits_pop(&word);
      }
    }
  }
  for (int i = 0; i < world->awake.count; ++i) {
    int32_t slot = world->awake.data[i];
    world->bodies.data[slot].constrained = lanes->bears.data[slot] > 0;
  }
  return true;
}


// For solvers that keep nothing from step to step.
static void gather_all(ImpWorld *world) {
  ImpiBody *bodies = world->bodies.data;
  world->active.count = 0;
  world->active_dirty = true; // of the lanes, should they be next
  for (int i = 0; i < world->awake.count; ++i) {
    bodies[world->awake.data[i]].constrained = false;
  }
  for (int i = 0; i < world->awake_contacts.count; ++i) {
    for (uint64_t word = world->awake_contacts.data[i]; word != 0;) {
      int32_t slot = 64 * i + impi_bits_pop(&word);
      const ImpiContact *contact = &world->contacts.data[slot];
      if (acts(world, contact)) {
        world->active.data[world->active.count++] = slot;
        bodies[contact->body_a].constrained = bodies[contact->body_b].constrained = true;
      }
    }
  }
}


ImpStatus impi_gather_active(ImpWorld *world) {
  if (world->solver != IMP_SOLVER_SOFT) {
    gather_all(world);
  } else if (!enter_lanes(world)) {
    return impi_fail(IMP_ERR_NOMEM, "out of memory");
  }
  world->gathered = world->active.count;
  impi_gather_joints(world);
  return IMP_OK;
}
