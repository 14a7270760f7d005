// Sleep: an island at rest is taken out of the step until something touches it.
#include "constants.h"
#include "world.h"


static void set_awake(ImpWorld *world, int32_t slot, bool awake) {
  ImpiBody *body = &world->bodies.data[slot];
  body->awake = awake;
  body->fast = body->fast && awake;
  body->sleep_time = 0;
  world->lists_dirty = true;
  world->woken = world->woken || awake;
  impi_event_body(world, awake ? IMP_EVENT_WAKE : IMP_EVENT_SLEEP, slot, NULL);
}


void impi_world_wake(ImpWorld *world, int32_t slot) {
  ImpiBody *body = &world->bodies.data[slot];
  if (!impi_is_dynamic(body) || !body->enabled) {
    return;
  }
  body->sleep_time = 0;
  body->restless = true;
  if (body->awake) {
    return;
  }
  int32_t member = slot;
  do {
    ImpiBody *m = &world->bodies.data[member];
    int32_t next = m->sleep_next;
    m->sleep_next = member;
    set_awake(world, member, true);
    member = next;
  } while (member != slot);
}


void impi_world_wake_neighbours(ImpWorld *world, int32_t slot) {
  for (int32_t edge = world->bodies.data[slot].first_edge; edge >= 0;) {
    const ImpiContact *contact = &world->contacts.data[edge >> 1];
    edge = contact->edge[edge & 1].next;
    if (contact->flags & IMPI_CONTACT_TOUCHING && !(contact->flags & IMPI_CONTACT_SENSOR)) {
      impi_world_wake(world, contact->body_a == slot ? contact->body_b : contact->body_a);
    }
  }
  for (int32_t e = world->bodies.data[slot].first_joint; e >= 0; e = world->joint_edges.data[e].next) {
    impi_joint_wake(world, world->joint_edges.data[e].joint);
  }
}


// Close the ring of a new sleeping island: each member is inserted behind its root.
static void fall_asleep(ImpWorld *world, int32_t slot, int32_t root) {
  ImpiBody *body = &world->bodies.data[slot];
  ImpiMotion *motion = &world->motions.data[slot];
  if (slot != root) {
    body->sleep_next = world->bodies.data[root].sleep_next;
    world->bodies.data[root].sleep_next = slot;
  }
  motion->vx = motion->vy = motion->w = 0;
  for (int32_t edge = body->first_edge; edge >= 0; edge = world->contacts.data[edge >> 1].edge[edge & 1].next) {
    impi_contact_end(world, edge >> 1);
  }
  set_awake(world, slot, false);
}


// How fast a body's fastest point is at most is above `limit`. One of the two speeds says so of what moves.
static bool is_above(const ImpiBody *body, const ImpiMotion *m, double limit) {
  return fabs(m->vx) > limit || fabs(m->vy) > limit ||
         sqrt(m->vx * m->vx + m->vy * m->vy) + fabs(m->w) * body->extent > limit;
}


// The fewest bodies that are worth a thread.
#define GRAIN 512

typedef struct Timers {
  ImpWorld *world;
  int32_t resting[IMPI_MAX_THREADS];
} Timers;


static void advance_range(void *context, int first, int count, int worker) {
  Timers *timers = context;
  ImpWorld *world = timers->world;
  int32_t resting = 0;
  for (int i = first; i < first + count; ++i) {
    int32_t slot = world->awake.data[i];
    ImpiBody *body = &world->bodies.data[slot];
    if (!impi_is_dynamic(body) || !body->enabled) { // one that this step took out is still listed
      continue;
    }
    // What nothing touches drifts on for ever: only what rests on something comes to rest below a speed.
    double limit = body->constrained ? IMPI_SLEEP_SPEED : 0;
    if (body->restless || !body->allow_sleep || is_above(body, &world->motions.data[slot], limit)) {
      body->restless = false;
      body->sleep_time = 0;
    } else {
      body->sleep_time += world->settings.dt;
      resting += body->sleep_time >= IMPI_SLEEP_TIME;
    }
  }
  timers->resting[worker] = resting;
}


static void advance_timers(ImpWorld *world) {
  Timers timers = {.world = world};
  impi_parallel(&world->team, world->awake.count, GRAIN, advance_range, &timers);
  world->any_resting = 0;
  for (int i = 0; i < world->team.threads; ++i) {
    world->any_resting += timers.resting[i];
  }
}


void impi_world_update_sleep(ImpWorld *world) {
  advance_timers(world);
  if (!world->sleep_enabled || world->any_resting == 0) {
    return;
  }
  // Bodies are numbered by their place in `awake`; `lane` is free to hold it between solves.
  if (!impi_islands_begin(&world->heap, &world->islands, world->awake.count)) {
    return; // does not happen: the step has taken the memory before bodies moved
  }
  for (int i = 0; i < world->awake.count; ++i) {
    world->bodies.data[world->awake.data[i]].lane = i + 1;
  }
  for (int i = 0; i < world->active.count; ++i) {
    const ImpiContact *contact = &world->contacts.data[world->active.data[i]];
    if (!(contact->flags & IMPI_CONTACT_TOUCHING)) {
      continue;
    }
    ImpiBody *a = &world->bodies.data[contact->body_a], *b = &world->bodies.data[contact->body_b];
    if (impi_is_dynamic(a) && impi_is_dynamic(b)) {
      if (a->lane <= 0 || b->lane <= 0) { // one was woken by a bullet just now
        continue;
      }
      impi_islands_join(&world->islands, a->lane - 1, b->lane - 1);
    } else if (a->awake && b->awake) { // one is a kinematic body that moves: what it touches stays awake
      a->sleep_time = b->sleep_time = 0;
    }
  }
  impi_join_islands(world);
  ImpiIslands *islands = &world->islands;
  for (int i = 0; i < world->awake.count; ++i) {
    ImpiBody *body = &world->bodies.data[world->awake.data[i]];
    ImpiBody *root = &world->bodies.data[world->awake.data[impi_islands_root(islands, i)]];
    if (impi_is_dynamic(body) && body->sleep_time < IMPI_SLEEP_TIME) {
      root->lane = -1; // somebody here is not at rest
    }
  }
  world->island_count = 0;
  for (int i = 0; i < world->awake.count; ++i) {
    int32_t slot = world->awake.data[i], root = world->awake.data[impi_islands_root(islands, i)];
    world->island_count += slot == root && impi_is_dynamic(&world->bodies.data[slot]);
    if (impi_is_dynamic(&world->bodies.data[slot]) && world->bodies.data[root].lane >= 0) {
      fall_asleep(world, slot, root);
    }
  }
  for (int i = 0; i < world->awake.count; ++i) {
    world->bodies.data[world->awake.data[i]].lane = 0;
  }
}
