// Sleep: an island at rest takes no part in the step until something touches it.
//
// The displacements d1, d2, d3 of a slow body are measured in three windows of IMPI_SLEEP_TIME / 3. The body is at rest
// if both conditions hold:
//   acceleration: |d3 - d2| < IMPI_SLEEP_ACCELERATION window^2 or |d3 - d2| <= |d2 - d1| / 2
//   remaining distance: |d3| (1 + r + r^2 ...) < IMPI_SLEEP_MOVE, r = |d3| / |d2|
// A jittering body is at rest if it has not moved away within IMPI_JITTER_WINDOWS windows.
#include "base/constants.h"
#include "world/contacts.h"
#include "world/joints.h"
#include "world/sleep.h"
#include "world/touching.h"


// Put a body to sleep, and insert it into the ring of its island.
static void fall_asleep(ImpWorld *world, int32_t slot, int32_t root) {
  ImpiBody *body = &world->bodies.data[slot];
  ImpiMotion *motion = &world->motions.data[slot];
  if (slot != root) {
    body->sleep_next = world->bodies.data[root].sleep_next;
    world->bodies.data[root].sleep_next = slot;
  }
  motion->vx = motion->vy = motion->w = 0;
  impi_body_rotors_follow(world, slot);
  for (int32_t edge = body->first_edge; edge >= 0; edge = world->contacts.data[edge >> 1].edge[edge & 1].next) {
    impi_contact_end(world, edge >> 1);
  }
  impi_body_set_awake(world, slot, false);
}


// Return whether an upper bound of the speed of a body's fastest point exceeds `limit`.
static bool is_above(const ImpiBody *body, const ImpiMotion *m, double limit) {
  return fabs(m->vx) > limit || fabs(m->vy) > limit ||
         sqrt(m->vx * m->vx + m->vy * m->vy) + fabs(m->w) * body->extent > limit;
}


// Return whether three displacements show a body at rest. `unit`: length unit, 1 for angles.
static bool is_rest(const double *d1, const double *d2, const double *d3, int count, double unit, double window) {
  double before = 0, after = 0, last = 0, way = 0;
  for (int i = 0; i < count; ++i) {
    before += (d2[i] - d1[i]) * (d2[i] - d1[i]);
    after += (d3[i] - d2[i]) * (d3[i] - d2[i]);
    last += d2[i] * d2[i];
    way += d3[i] * d3[i];
  }
  double calm = IMPI_SLEEP_ACCELERATION * unit * window * window, still = IMPI_SLEEP_STILL * unit;
  if (after > calm * calm && 4 * after > before) {
    return false;
  }
  if (way <= still * still) {
    return true;
  }
  last = sqrt(last);
  way = sqrt(way);
  return way < last && way * last < IMPI_SLEEP_MOVE * unit * (last - way);
}


// Return displacement of the centre of mass / unit + rotation [rad].
static double size_of(const float *moved, double unit) {
  return (fabs((double)moved[0]) + fabs((double)moved[1])) / unit + fabs((double)moved[2]);
}


// Return whether a body moved to and fro without moving away.
static bool is_jittering(const ImpiRest *rest, double unit) {
  double net = size_of(rest->net, unit);
  return net < IMPI_JITTER_NET && net < 0.5 * (double)rest->path && size_of(rest->last, unit) < IMPI_JITTER_MOVE;
}


// Add a step of length dt to a slow body's rest measurement. Return whether the body is at rest.
static bool measure(ImpiBody *body, const ImpiMotion *m, double dt) {
  ImpiRest *rest = &body->rest;
  if (body->sleep_time <= 0) {
    *rest = (ImpiRest){.x = m->x, .y = m->y, .angle = m->angle};
    body->windows = 0;
  }
  const double window = IMPI_SLEEP_TIME / IMPI_REST_WINDOWS, edge = 1e-6 * window; // `edge`: allowance for rounding [s]
  body->sleep_time += dt;
  rest->time += dt;
  if (rest->time + edge < window) {
    return body->windows >= IMPI_REST_WINDOWS && body->sleep_time >= IMPI_SLEEP_TIME;
  }
  double moves[IMPI_REST_WINDOWS][3] = {{0}, {0}, {m->x - rest->x, m->y - rest->y, m->angle - rest->angle}};
  for (int i = 0; i < 3; ++i) {
    moves[0][i] = (double)rest->before[i];
    moves[1][i] = (double)rest->last[i];
    rest->before[i] = rest->last[i];
    rest->last[i] = (float)moves[2][i];
    rest->net[i] += rest->last[i];
  }
  // The displacements of different windows can be compared, because all windows have the same number of steps.
  double unit = impi_clamp(body->extent, 1e-9, 1), length = rest->time;
  rest->time = 0;
  rest->path += (float)size_of(rest->last, unit);
  rest->x = m->x;
  rest->y = m->y;
  rest->angle = m->angle;
  body->windows = (uint8_t)impi_min(body->windows + 1, IMPI_JITTER_WINDOWS);
  bool calm = body->windows >= IMPI_REST_WINDOWS && is_rest(moves[0], moves[1], moves[2], 2, unit, length) &&
              is_rest(moves[0] + 2, moves[1] + 2, moves[2] + 2, 1, 1, length);
  if (body->windows >= IMPI_JITTER_WINDOWS && !calm) { // a body that jitters without moving away is calm, too
    calm = is_jittering(rest, unit);
    if (!calm) {
      body->windows = IMPI_REST_WINDOWS;
      rest->net[0] = rest->net[1] = rest->net[2] = rest->path = 0;
    }
  }
  if (!calm && body->sleep_time + edge >= IMPI_SLEEP_TIME) { // the body is tested again after the next window
    body->sleep_time = IMPI_SLEEP_TIME - window;
  }
  return calm;
}


// Smallest number of bodies for which another thread saves time.
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
    if (!impi_is_dynamic(body) || !body->enabled) { // the list may contain bodies that this step has disabled
      continue;
    }
    // A body that nothing touches may sleep only at speed 0.
    double limit = body->constrained ? IMPI_SLEEP_SPEED * impi_max(body->extent, 1) : 0;
    if (body->restless || !body->allow_sleep || is_above(body, &world->motions.data[slot], limit)) {
      body->restless = false;
      body->sleep_time = 0;
    } else {
      resting += measure(body, &world->motions.data[slot], world->settings.dt);
    }
  }
  timers->resting[worker] = resting;
}


static void advance_timers(ImpWorld *world) {
  Timers timers = {.world = world};
  impi_parallel(&world->team, world->awake.count, GRAIN, advance_range, &timers);
  world->sleep.any_resting = 0;
  for (int i = 0; i < world->team.threads; ++i) {
    world->sleep.any_resting += timers.resting[i];
  }
}


// Return whether a joint can set its bodies in motion by itself.
static bool is_restless(const ImpWorld *world, const ImpiJoint *joint) {
  if (impi_joint_is_called(joint) || impi_joint_is_timed(joint)) {
    return true;
  }
  for (int i = 0; i < joint->count; ++i) {
    const ImpiCoordinate *coordinate = impi_joint_coordinate_const(joint, i);
    if (coordinate->drive < 0) {
      continue;
    }
    const ImpDrive *set = &world->drives.data[coordinate->drive].set;
    bool turns = set->on >> IMP_DRIVE_MOTOR & 1u && set->speed != 0 && set->motor_max > 0;
    bool moves = set->on >> IMP_DRIVE_SERVO & 1u && set->target_speed != 0;
    if (turns || moves) {
      return true;
    }
  }
  return false;
}


static void join_by_joints(ImpWorld *world) {
  for (int i = 0; i < world->joint.awake.count; ++i) {
    int32_t slot = world->joint.awake.data[i];
    const ImpiJoint *joint = &world->joints.data[slot];
    if (world->joint_pool.slots.data[slot].next_free != IMPI_SLOT_LIVE || joint->broken) {
      continue;
    }
    bool restless = is_restless(world, joint);
    int32_t first = -1;
    for (int k = 0; k < impi_joint_body_count(joint); ++k) {
      const ImpiBody *body = &world->bodies.data[impi_joint_body(joint, k)];
      restless = restless || (body->type == IMP_BODY_KINEMATIC && body->awake);
      if (impi_is_dynamic(body) && body->awake) {
        int32_t place = body->lane - 1;
        if (first >= 0) {
          impi_islands_join(&world->sleep.islands, first, place);
        }
        first = place;
      }
    }
    if (restless && first >= 0) {
      world->bodies.data[world->awake.data[first]].sleep_time = 0;
    }
  }
}


void impi_world_update_sleep(ImpWorld *world) {
  advance_timers(world);
  if (!world->sleep_enabled || world->sleep.any_resting == 0) {
    return;
  }
  // Bodies are numbered by their index in `awake`; `lane` holds the index + 1.
  if (!impi_islands_begin(&world->heap, &world->sleep.islands, world->awake.count)) {
    return; // does not happen: the step reserved the memory before bodies moved
  }
  for (int i = 0; i < world->awake.count; ++i) {
    world->bodies.data[world->awake.data[i]].lane = i + 1;
  }
  for (int i = 0; i < world->narrow.active.count; ++i) {
    const ImpiContact *contact = &world->contacts.data[world->narrow.active.data[i]];
    if (!(contact->flags & IMPI_CONTACT_TOUCHING)) {
      continue;
    }
    ImpiBody *a = &world->bodies.data[contact->body_a], *b = &world->bodies.data[contact->body_b];
    if (impi_is_dynamic(a) && impi_is_dynamic(b)) {
      if (a->lane <= 0 || b->lane <= 0) { // a body that a bullet woke in this step has no number in `islands`
        continue;
      }
      impi_islands_join(&world->sleep.islands, a->lane - 1, b->lane - 1);
      // Bodies that touch a moving kinematic body stay awake.
    } else if (a->awake && b->awake) {
      a->sleep_time = b->sleep_time = 0;
    }
  }
  join_by_joints(world);
  ImpiIslands *islands = &world->sleep.islands;
  for (int i = 0; i < world->awake.count; ++i) {
    ImpiBody *body = &world->bodies.data[world->awake.data[i]];
    ImpiBody *root = &world->bodies.data[world->awake.data[impi_islands_root(islands, i)]];
    if (impi_is_dynamic(body) && body->sleep_time + 1e-9 < IMPI_SLEEP_TIME) {
      root->lane = -1; // mark the island, because one of its bodies is not at rest
    }
  }
  world->sleep.island_count = 0;
  for (int i = 0; i < world->awake.count; ++i) {
    int32_t slot = world->awake.data[i], root = world->awake.data[impi_islands_root(islands, i)];
    world->sleep.island_count += slot == root && impi_is_dynamic(&world->bodies.data[slot]);
    if (impi_is_dynamic(&world->bodies.data[slot]) && world->bodies.data[root].lane >= 0) {
      fall_asleep(world, slot, root);
    }
  }
  for (int i = 0; i < world->awake.count; ++i) {
    world->bodies.data[world->awake.data[i]].lane = 0;
  }
  // Set the rotors last, because the speed of a rotor's coordinate depends on the velocities of several bodies.
  for (int i = 0; i < world->awake.count; ++i) {
    if (!world->bodies.data[world->awake.data[i]].awake) {
      impi_body_rotors_start(world, world->awake.data[i]);
    }
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Present islands
// ---------------------------------------------------------------------------------------------------------------------

// Join bodies that share a sleeping ring, a contact or a joint into islands. The lists of the last step are not used,
// because bodies may have been created or destroyed since.
static void join_all(ImpWorld *world) {
  ImpiIslands *islands = &world->sleep.islands;
  for (int32_t slot = world->first_body; slot >= 0; slot = world->bodies.data[slot].next) {
    const ImpiBody *body = &world->bodies.data[slot];
    if (impi_is_dynamic(body) && !body->awake) impi_islands_join(islands, slot, body->sleep_next);
  }
  for (int i = 0; i < world->touching.list.count; ++i) {
    const ImpiContact *contact = &world->contacts.data[world->touching.list.data[i]];
    if (!(contact->flags & IMPI_CONTACT_IDLE) && impi_is_dynamic(&world->bodies.data[contact->body_a]) &&
        impi_is_dynamic(&world->bodies.data[contact->body_b])) {
      impi_islands_join(islands, contact->body_a, contact->body_b);
    }
  }
  for (int32_t slot = 0; slot < world->joints.count; ++slot) {
    const ImpiJoint *joint = &world->joints.data[slot];
    if (world->joint_pool.slots.data[slot].next_free != IMPI_SLOT_LIVE || joint->broken) continue;
    int32_t first = -1;
    for (int k = 0; k < impi_joint_body_count(joint); ++k) {
      int32_t body = impi_joint_body(joint, k);
      if (!impi_is_dynamic(&world->bodies.data[body])) continue;
      if (first >= 0) impi_islands_join(islands, first, body);
      first = body;
    }
  }
}


ImpStatus imp_world_islands(ImpWorld *world, ImpBody *out_bodies, int32_t *out_islands, int capacity, int *out_count) {
  if (world->stepping) return impi_fail(IMP_ERR_STATE, "islands cannot be read inside a step");
  if (!impi_world_sort_touching(world) ||
      !impi_islands_begin(&world->heap, &world->sleep.islands, world->bodies.count)) {
    return impi_fail(IMP_ERR_NOMEM, "out of memory");
  }
  join_all(world);
  int count = 0, islands = 0;
  for (int32_t slot = world->first_body; slot >= 0; slot = world->bodies.data[slot].next) {
    if (!impi_is_dynamic(&world->bodies.data[slot])) continue;
    // `lane` of an island's root is the island's number: 1, 2, ..., or 0 before the first body of the island.
    int32_t *number = &world->bodies.data[impi_islands_root(&world->sleep.islands, slot)].lane;
    if (*number == 0) *number = ++islands;
    if (count < capacity) {
      out_bodies[count] = impi_body_handle(world, slot);
      out_islands[count] = *number - 1;
    }
    ++count;
  }
  for (int32_t slot = world->first_body; slot >= 0; slot = world->bodies.data[slot].next) {
    world->bodies.data[slot].lane = 0;
  }
  *out_count = count;
  return IMP_OK;
}
