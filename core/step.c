// Level 7. One step of a world, as a table of contents. Each stage takes what it needs from the world; impulses flow
// back to the contacts in the solver's store and nowhere else.
#include <string.h>

#include "constants.h"
#include "world.h"

// How many contacts ahead their bodies are fetched.
#define PREFETCH 6


// ---------------------------------------------------------------------------------------------------------------------
// Commands that waited for the end of a step
// ---------------------------------------------------------------------------------------------------------------------


ImpStatus impi_queue(ImpWorld *world, ImpiCommand command) {
  if (!impi_reserve(&world->heap, &world->commands, world->commands.count + 1)) {
    return impi_fail(IMP_ERR_NOMEM, "out of memory");
  }
  world->commands.data[world->commands.count++] = command;
  return IMP_OK;
}


static void attach_queued_shape(ImpWorld *world, int32_t slot) {
  if (impi_shape_finish_attach(world, slot) != IMP_OK) {
    impi_event_add(world, IMP_EVENT_WARNING, (ImpEvent){.text = "out of memory: a shape is out of the world"});
  }
  impi_body_update_mass(world, world->shapes.data[slot].body);
  impi_world_wake(world, world->shapes.data[slot].body);
}


static void destroy_queued_shape(ImpWorld *world, int32_t slot) {
  int32_t body = world->shapes.data[slot].body;
  impi_shape_finish_destroy(world, slot);
  impi_body_update_mass(world, body);
  impi_world_wake(world, body);
}


static void run_command(ImpWorld *world, const ImpiCommand *c) {
  switch (c->kind) {
  case IMPI_COMMAND_ADD_BODY:
    impi_body_finish_add(world, c->slot);
    break;
  case IMPI_COMMAND_DESTROY_BODY:
    impi_body_finish_destroy(world, c->slot);
    break;
  case IMPI_COMMAND_ADD_SHAPE:
    attach_queued_shape(world, c->slot);
    break;
  case IMPI_COMMAND_DESTROY_SHAPE:
    destroy_queued_shape(world, c->slot);
    break;
  case IMPI_COMMAND_SET_POSITION:
    impi_body_finish_set_position(world, c->slot, c->value);
    break;
  case IMPI_COMMAND_SET_TYPE:
    impi_body_finish_set_type(world, c->slot, (ImpBodyType)c->property);
    break;
  case IMPI_COMMAND_SET_VELOCITY:
    impi_body_finish_set_velocity(world, c->slot, c->value);
    break;
  case IMPI_COMMAND_SET_BODY_PROPERTY:
    impi_body_finish_set(world, c->slot, (ImpBodyProperty)c->property, c->value.x);
    break;
  case IMPI_COMMAND_SET_SHAPE_PROPERTY:
    impi_shape_finish_set(world, c->slot, (ImpShapeProperty)c->property, c->value.x);
    break;
  }
}


// Destroying a body destroys its shapes too: a shape's own command is then void.
static void run_commands(ImpWorld *world) {
  for (int i = 0; i < world->commands.count; ++i) {
    ImpiCommand command = world->commands.data[i];
    bool of_shape = command.kind == IMPI_COMMAND_ADD_SHAPE || command.kind == IMPI_COMMAND_DESTROY_SHAPE ||
                    command.kind == IMPI_COMMAND_SET_SHAPE_PROPERTY;
    if (!of_shape || world->shapes.data[command.slot].proxies != NULL) {
      run_command(world, &command);
    }
  }
  world->commands.count = 0;
}


// ---------------------------------------------------------------------------------------------------------------------
// Stages
// ---------------------------------------------------------------------------------------------------------------------


static ImpStatus update_pairs(ImpWorld *world) {
  ImpiHeap *heap = &world->heap;
  ImpiBroadphase *bp = &world->broadphase;
  if (!impi_broadphase_pairs(heap, bp)) {
    return impi_fail(IMP_ERR_NOMEM, "out of memory");
  }
  for (int i = 0; i < bp->pairs.count; ++i) {
    ImpiPair pair = bp->pairs.data[i];
    if (!impi_world_may_touch(world, pair.proxy_a, pair.proxy_b)) {
      continue;
    }
    ImpStatus status = impi_pool_reserve(heap, &world->contact_pool);
    if (status == IMP_OK && (!impi_reserve(heap, &world->contacts, impi_pool_peek(&world->contact_pool) + 1) ||
                             !impi_pair_map_reserve(heap, &bp->contacts, bp->contacts.count + 1))) {
      status = impi_fail(IMP_ERR_NOMEM, "out of memory");
    }
    if (status != IMP_OK) { // find the rest again next time
      for (; i < bp->pairs.count; ++i) {
        impi_broadphase_touch(bp, bp->pairs.data[i].proxy_a);
      }
      return status;
    }
    impi_world_add_contact(world, pair.proxy_a, pair.proxy_b);
  }
  return IMP_OK;
}


// The awake bodies and the contacts with an awake side, each by slot.
static ImpStatus update_lists(ImpWorld *world) {
  if (!world->lists_dirty) {
    return IMP_OK;
  }
  ImpiHeap *heap = &world->heap;
  if (!impi_reserve(heap, &world->awake, world->bodies.count) ||
      !impi_reserve(heap, &world->awake_contacts, world->contacts.count) ||
      !impi_reserve(heap, &world->active, world->contacts.count)) {
    return impi_fail(IMP_ERR_NOMEM, "out of memory");
  }
  world->awake.count = world->awake_contacts.count = 0;
  const ImpiSlot *slots = world->body_pool.slots.data;
  for (int32_t slot = 0; slot < world->bodies.count; ++slot) {
    const ImpiBody *body = &world->bodies.data[slot];
    if (slots[slot].next_free == IMPI_SLOT_LIVE && body->awake && body->enabled) {
      world->awake.data[world->awake.count++] = slot;
    }
  }
  slots = world->contact_pool.slots.data;
  for (int32_t slot = 0; slot < world->contacts.count; ++slot) {
    const ImpiContact *contact = &world->contacts.data[slot];
    if (slots[slot].next_free == IMPI_SLOT_LIVE &&
        (world->bodies.data[contact->body_a].awake || world->bodies.data[contact->body_b].awake)) {
      world->awake_contacts.data[world->awake_contacts.count++] = slot;
    }
  }
  world->lists_dirty = false;
  return IMP_OK;
}


// A body whose numbers blew up is put back to where it was, stopped, taken out of the world's affairs and named.
static void fault(ImpWorld *world, int32_t slot, const ImpiMotion *last_good, const char *stage) {
  ImpiBody *body = &world->bodies.data[slot];
  ImpiMotion *motion = &world->motions.data[slot];
  *motion = *last_good;
  motion->vx = motion->vy = motion->w = 0;
  body->enabled = body->awake = false;
  impi_body_drop_contacts(world, slot);
  world->lists_dirty = true;
  impi_event_body(world, IMP_EVENT_FAULT, slot, stage);
}


// Bodies that would leave the world within this step are taken out before they touch a row.
static ImpStatus drop_runaways(ImpWorld *world) {
  const ImpVec2 g = world->settings.gravity;
  double dt = world->settings.dt, limit = IMPI_MAX_COORDINATE / dt;
  for (int i = 0; i < world->awake.count; ++i) {
    int32_t slot = world->awake.data[i];
    const ImpiBody *body = &world->bodies.data[slot];
    const ImpiMotion *m = &world->motions.data[slot];
    double ax = body->gravity_scale * g.x + body->inv_mass * body->force.x;
    double ay = body->gravity_scale * g.y + body->inv_mass * body->force.y;
    double alpha = body->inv_inertia * body->torque;
    bool stays = fabs(m->vx + dt * ax) < limit && fabs(m->vy + dt * ay) < limit && fabs(m->w + dt * alpha) < limit;
    if (!stays) { // NaN does not stay
      fault(world, slot, m, "integrate");
    }
  }
  return update_lists(world);
}


// Where the manifold says that surfaces meet; `speed` > 0 is approach.
static void update_touching(ImpWorld *world, int32_t slot) {
  const ImpiContact *contact = &world->contacts.data[slot];
  bool was = contact->flags & IMPI_CONTACT_TOUCHING;
  double separation = impi_contact_separation(contact);
  if (!was && separation <= (contact->flags & IMPI_CONTACT_SENSOR ? 0 : IMPI_TOUCH_BEGIN)) {
    double speed = impi_contact_approach(contact, &contact->points[0], &world->motions.data[contact->body_a],
                                         &world->motions.data[contact->body_b]);
    impi_world_set_touching(world, slot, true, speed);
  } else if (was && separation > IMPI_TOUCH_END) {
    impi_world_set_touching(world, slot, false, 0);
  }
}


// A sleeping body that is touched, or will be before the step is over, wakes with its island.
static void wake_touched(ImpWorld *world, const ImpiContact *contact) {
  const ImpiBody *a = &world->bodies.data[contact->body_a], *b = &world->bodies.data[contact->body_b];
  bool sleeper = (impi_is_dynamic(a) && !a->awake) || (impi_is_dynamic(b) && !b->awake);
  if (!sleeper || contact->count == 0 || contact->flags & (IMPI_CONTACT_SENSOR | IMPI_CONTACT_PASSING)) {
    return;
  }
  const ImpiMotion *motion_a = &world->motions.data[contact->body_a], *motion_b = &world->motions.data[contact->body_b];
  bool meets = contact->flags & IMPI_CONTACT_TOUCHING;
  for (int i = 0; i < contact->count && !meets; ++i) {
    const ImpiContactPoint *point = &contact->points[i];
    meets = impi_contact_approach(contact, point, motion_a, motion_b) * world->settings.dt > point->separation;
  }
  if (meets) {
    impi_world_wake(world, contact->body_a);
    impi_world_wake(world, contact->body_b);
  }
}


// Whether it looks ahead of a bullet, and how far: manifolds are found once a step, so a step's travel.
static double margin_of(const ImpWorld *world, const ImpiContact *contact) {
  bool bullet = world->bodies.data[contact->body_a].bullet || world->bodies.data[contact->body_b].bullet;
  if (!bullet || !world->continuous) {
    return IMPI_SPECULATIVE_MARGIN;
  }
  const ImpiMotion *a = &world->motions.data[contact->body_a], *b = &world->motions.data[contact->body_b];
  return impi_max(IMPI_SPECULATIVE_MARGIN, world->settings.dt * impi_length(impi_vec(b->vx - a->vx, b->vy - a->vy)));
}


// Find or refresh one manifold. False when there is nothing new to say about it.
static bool update_manifold(ImpWorld *world, ImpiContact *contact) {
  const ImpiMotion *motion_a = &world->motions.data[contact->body_a], *motion_b = &world->motions.data[contact->body_b];
  double margin = margin_of(world, contact);
  if (margin <= IMPI_SPECULATIVE_MARGIN) {
    ImpiRefresh refresh = impi_contact_refresh(contact, motion_a, motion_b);
    if (refresh != IMPI_REFRESH_STALE) {
      return refresh == IMPI_REFRESH_DONE;
    }
  }
  impi_contact_update(contact, &world->shapes.data[contact->shape_a], &world->shapes.data[contact->shape_b],
                      &world->bodies.data[contact->body_a], motion_a, &world->bodies.data[contact->body_b], motion_b,
                      margin);
  return true;
}


// Marks what this step has brought up to date. A step that ran out of memory later is tried again: what it found
// stands.
static uint32_t stamp_of(const ImpWorld *world) { return (uint32_t)(world->tick + 1); }


static void update_contacts(ImpWorld *world) {
  const int32_t *slots = world->awake_contacts.data;
  uint32_t stamp = stamp_of(world);
  for (int i = 0; i < world->awake_contacts.count; ++i) {
    int32_t slot = slots[i];
    ImpiContact *contact = &world->contacts.data[slot];
    if (i + PREFETCH < world->awake_contacts.count) { // the loop waits for memory more than it computes
      const ImpiContact *later = &world->contacts.data[slots[i + PREFETCH]];
      __builtin_prefetch(&world->motions.data[later->body_a]);
      __builtin_prefetch(&world->motions.data[later->body_b]);
      __builtin_prefetch(&world->bodies.data[later->body_a]);
      __builtin_prefetch(&world->bodies.data[later->body_b]);
    }
    if (contact->stamp == stamp) {
      continue;
    }
    contact->stamp = stamp;
    if (!update_manifold(world, contact)) {
      continue;
    }
    if (contact->count == 0 && !impi_aabb_overlaps(world->broadphase.proxies.data[contact->proxy_a].fat,
                                                   world->broadphase.proxies.data[contact->proxy_b].fat)) {
      impi_world_remove_contact(world, slot);
      continue;
    }
    update_touching(world, slot);
    wake_touched(world, contact);
  }
}


// The contacts that make rows, and the bodies that they hold.
static void gather_active(ImpWorld *world) {
  world->active.count = 0;
  uint32_t stamp = stamp_of(world);
  ImpiBody *bodies = world->bodies.data;
  for (int i = 0; i < world->awake.count; ++i) {
    bodies[world->awake.data[i]].constrained = false;
  }
  for (int i = 0; i < world->awake_contacts.count; ++i) {
    int32_t slot = world->awake_contacts.data[i];
    ImpiContact *contact = &world->contacts.data[slot];
    if (contact->count == 0 || contact->flags & (IMPI_CONTACT_SENSOR | IMPI_CONTACT_PASSING)) {
      continue;
    }
    ImpiBody *a = &bodies[contact->body_a], *b = &bodies[contact->body_b];
    bool sleeper = (impi_is_dynamic(a) && !a->awake) || (impi_is_dynamic(b) && !b->awake);
    if (sleeper) {
      continue; // near, but they will not meet in this step
    }
    if (contact->stamp != stamp) { // it woke in this step, with the manifold and the totals of its last one
      contact->stamp = stamp;
      contact->total_r = 0;
      for (int k = 0; k < contact->count; ++k) {
        contact->points[k].total_n = contact->points[k].total_t = 0;
      }
    }
    world->active.data[world->active.count++] = slot;
    a->constrained = b->constrained = true;
  }
}


// Between substeps: let the handlers run, then apply what they pushed. The arrays may have moved.
static void before_substep(ImpiSolve *solve, double h) {
  ImpWorld *world = solve->owner;
  world->substep_length = h;
  world->substep_callback(world, h, world->substep_user);
  solve->bodies = world->bodies.data;
  solve->motions = world->motions.data;
  solve->contacts = world->contacts.data;
  for (int i = 0; i < world->pushed.count; ++i) {
    int32_t slot = world->pushed.data[i];
    ImpiBody *body = &solve->bodies[slot];
    double dvx = body->inv_mass * body->push.x, dvy = body->inv_mass * body->push.y;
    double dw = body->inv_inertia * body->push_angular;
    if (body->lane > 0) {
      impi_solver((int)world->solver)->push(solve, slot, dvx, dvy, dw);
    } else {
      solve->motions[slot].vx += dvx;
      solve->motions[slot].vy += dvy;
      solve->motions[slot].w += dw;
    }
    body->pushed = false;
    body->push = impi_vec(0, 0);
    body->push_angular = 0;
    body->restless = true;
  }
  world->pushed.count = 0;
}


static ImpStatus solve_rows(ImpWorld *world) {
  const ImpiSolver *solver = impi_solver((int)world->solver);
  world->solve = (ImpiSolve){
      .heap = &world->heap,
      .settings = &world->settings,
      .bodies = world->bodies.data,
      .motions = world->motions.data,
      .contacts = world->contacts.data,
      .awake = world->awake.data,
      .awake_count = world->awake.count,
      .active = world->active.data,
      .active_count = world->active.count,
      .scratch = world->scratch[world->solver],
      .stage_time = world->profile.stage,
      .before_substep = world->substep_callback != NULL ? before_substep : NULL,
      .owner = world,
  };
  if (!solver->reserve(&world->solve)) {
    return impi_fail(IMP_ERR_NOMEM, "out of memory");
  }
  solver->solve(&world->solve);
  return IMP_OK;
}


static void keep_backup(ImpWorld *world) {
  for (int i = 0; i < world->awake.count; ++i) {
    world->backup.data[i] = world->motions.data[world->awake.data[i]];
  }
}


static void warn_if_far(ImpWorld *world, int32_t slot) {
  ImpiBody *body = &world->bodies.data[slot];
  const ImpiMotion *m = &world->motions.data[slot];
  bool far = impi_max(fabs(m->x), fabs(m->y)) > IMPI_WARN_COORDINATE;
  if (far && !body->far) {
    impi_event_body(world, IMP_EVENT_WARNING, slot, "a body is beyond 1e6 m from the origin: it is exact no longer");
  }
  body->far = far;
}


static void finalize(ImpWorld *world) {
  for (int i = 0; i < world->awake.count; ++i) {
    int32_t slot = world->awake.data[i];
    if (!impi_motion_is_sane(&world->motions.data[slot])) {
      ImpiMotion good = world->backup.data[i];
      fault(world, slot, &good, "solve");
    }
    warn_if_far(world, slot);
    impi_body_refit(world, slot);
  }
  for (int i = 0; i < world->forced.count; ++i) {
    ImpiBody *body = &world->bodies.data[world->forced.data[i]];
    body->force = impi_vec(0, 0);
    body->torque = 0;
  }
  world->forced.count = 0;
}


// What the impulses say: contacts that met within the step, and hits.
static void report_impacts(ImpWorld *world) {
  for (int i = 0; i < world->active.count; ++i) {
    int32_t slot = world->active.data[i];
    const ImpiContact *contact = &world->contacts.data[slot];
    if (world->contact_pool.slots.data[slot].next_free != IMPI_SLOT_LIVE) {
      continue; // went with a faulty body
    }
    double impulse = 0, approach = 0;
    for (int k = 0; k < contact->count; ++k) {
      impulse += contact->points[k].total_n;
      if (contact->points[k].total_n > 0) {
        approach = impi_max(approach, contact->points[k].approach);
      }
    }
    if (impulse <= 0) {
      continue;
    }
    if (!(contact->flags & IMPI_CONTACT_TOUCHING)) {
      impi_world_set_touching(world, slot, true, approach);
    }
    if (approach > world->hit_speed) {
      impi_event_contact(world, IMP_EVENT_HIT, contact, approach, impulse);
    }
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// The step
// ---------------------------------------------------------------------------------------------------------------------


// All that can fail, before any body moves.
static ImpStatus prepare(ImpWorld *world, double *clock) {
  double *times = world->profile.stage;
  ImpStatus status = update_pairs(world);
  if (status == IMP_OK) {
    status = update_lists(world);
  }
  if (status == IMP_OK) {
    status = drop_runaways(world);
  }
  double now = impi_clock();
  times[IMP_STAGE_BROADPHASE] = now - *clock;
  *clock = now;
  if (status == IMP_OK) {
    update_contacts(world);
    status = update_lists(world);
  }
  if (status == IMP_OK && !impi_reserve(&world->heap, &world->backup, world->awake.count)) {
    status = impi_fail(IMP_ERR_NOMEM, "out of memory");
  }
  now = impi_clock();
  times[IMP_STAGE_NARROWPHASE] = now - *clock;
  *clock = now;
  return status;
}


ImpStatus imp_world_step(ImpWorld *world) {
  if (world->stepping) {
    return impi_fail(IMP_ERR_STATE, "a step is under way: a handler cannot step its own world");
  }
  double start = impi_clock(), clock = start;
  memset(&world->profile, 0, sizeof world->profile);
  impi_events_begin_step(world);
  world->stepping = true;
  ImpStatus status = prepare(world, &clock);
  double *times = world->profile.stage;
  if (status == IMP_OK) {
    gather_active(world);
    keep_backup(world);
    times[IMP_STAGE_ISLANDS] = impi_clock() - clock;
    status = solve_rows(world);
  }
  if (status != IMP_OK) {
    impi_events_put_back(world);
    world->stepping = false;
    return status;
  }
  clock = impi_clock();
  finalize(world);
  report_impacts(world);
  double now = impi_clock();
  times[IMP_STAGE_FINALIZE] = now - clock;
  clock = now;
  impi_world_update_sleep(world);
  run_commands(world);
  impi_events_sort(world);
  world->touching_valid = false;
  world->tick++;
  world->time = world->time_base + (double)(world->tick - world->tick_base) * world->settings.dt;
  world->stepping = false;
  now = impi_clock();
  times[IMP_STAGE_SLEEP] = now - clock;
  world->profile.step = now - start;
  return IMP_OK;
}
