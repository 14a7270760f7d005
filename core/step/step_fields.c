// Stages of the step for force fields: list the affected bodies, change their velocities before each substep.
#include "base/constants.h"
#include "step/step.h"
#include "world/bodies.h"
#include "world/fields.h"
#include "world/sleep.h"

#include <string.h>

// If implicit drag removes more than this part of a velocity in a substep, gravity and applied forces must act first
// (put_forces_first).
#define QUICK 0.01


// Return true if the field is on and is not dynamic: a callback applies the forces of a dynamic field.
static bool pushes(const ImpiForceField *field) { return impi_field_is_on(field) && !field->dynamic; }


// Return true if the field has an effect in this step: a finished explosion has no effect.
static bool is_due(const ImpWorld *world, const ImpiForceField *field) {
  double end = impi_time_after(world);
  bool over = field->kind == IMP_FIELD_EXPLOSION && impi_field_burst(field, end) <= field->value[IMP_FIELD_PROGRESS];
  return pushes(field) && !over;
}


// Set `affected_at` of each body from the lists of the fields that act in this step:
//   AFFECTED: the list of a field with `only` contains the body
//   otherwise: number of fields without `only` whose list contains the body (as an exception)
// Returns the number of fields without `only`.
#define AFFECTED INT32_MIN
static int32_t read_lists(ImpWorld *world) {
  int32_t *at = world->field.affected_at.data, excepts = 0;
  memset(at, 0, (size_t)world->field.affected_at.count * sizeof *at);
  for (int only = 0; only < 2; ++only) {
    for (int32_t slot = world->field.first; slot >= 0; slot = world->field.list.data[slot].next) {
      const ImpiForceField *field = &world->field.list.data[slot];
      if (field->only == only && is_due(world, field)) {
        const ImpiSparse *members = &field->members;
        for (int32_t body = impi_sparse_next(members, -1); body >= 0; body = impi_sparse_next(members, body)) {
          if (body < world->field.affected_at.count) { // false for a body created within this step
            at[body] = only ? AFFECTED : at[body] + 1;
          }
        }
        excepts += !only;
      }
    }
  }
  return excepts;
}


static void note_affected(const ImpiSolve *solve, ImpWorld *world, int32_t slot) {
  const ImpiBody *body = &solve->bodies[slot];
  ImpVec2 fall = impi_body_free_acceleration(body, solve->settings->gravity);
  world->field.affected_at.data[slot] = world->field.affected.count;
  world->field.affected.data[world->field.affected.count++] = (ImpiAffectedBody){
      .inv_mass = body->inv_mass,
      .inv_inertia = body->inv_inertia,
      .gx = fall.x,
      .gy = fall.y,
      .gw = body->inv_inertia * body->torque,
      .slot = slot,
      .lane = solve->solver->sense != NULL ? body->lane : 0,
      .locks = body->locks,
  };
  world->field.affected_locks |= body->locks != 0;
}


// List the awake bodies that some field acts on. Memory must have been reserved.
static void list_bodies(const ImpiSolve *solve, ImpWorld *world) {
  bool any = false, all = false;
  world->field.turn = false;
  for (int32_t slot = world->field.first; slot >= 0; slot = world->field.list.data[slot].next) {
    const ImpiForceField *field = &world->field.list.data[slot];
    if (is_due(world, field)) {
      any = true;
      all = all || impi_field_is_general(field);
      world->field.turn = world->field.turn || impi_field_turns(field);
    }
  }
  world->field.affected.count = 0;
  world->field.affected_locks = false;
  int32_t excepts = any && !all ? read_lists(world) : 0;
  for (int i = 0; i < world->awake.count && any; ++i) {
    int32_t slot = world->awake.data[i];
    if (solve->bodies[slot].inv_mass > 0 && (all || world->field.affected_at.data[slot] < excepts)) {
      note_affected(solve, world, slot);
    }
  }
}


// Record that a field acts on the bodies `whom` (bits) of a block. False when out of memory.
static bool add_acting_field(ImpWorld *world, int block, int32_t slot, uint64_t whom) {
  if (!impi_reserve(&world->heap, &world->field.acting_fields, world->field.acting_fields.count + 1)) {
    return false;
  }
  int32_t *ends = world->field.acting_ends.data + 2 * block, last = ends[1];
  if (last >= 0 && world->field.acting_fields.data[last].field == slot) {
    world->field.acting_fields.data[last].whom |= whom;
    return true;
  }
  int32_t at = world->field.acting_fields.count++;
  *(last >= 0 ? &world->field.acting_fields.data[last].next : &ends[0]) = at;
  ends[1] = at;
  world->field.acting_fields.data[at] = (ImpiActingField){.field = slot, .next = -1, .whom = whom};
  return true;
}


// Return the index of a body in `affected`, or -1.
static int find_affected(const ImpWorld *world, int32_t body) {
  int32_t at = body < world->field.affected_at.count ? world->field.affected_at.data[body] : -1;
  return at >= 0 && at < world->field.affected.count && world->field.affected.data[at].slot == body ? at : -1;
}


// List the fields that act on each block of field-affected bodies. False when out of memory.
static bool list_fields(ImpWorld *world) {
  int blocks = (world->field.affected.count + IMPI_FIELD_WIDTH - 1) / IMPI_FIELD_WIDTH;
  bool room = impi_reserve(&world->heap, &world->field.acting_ends, 2 * blocks);
  for (int i = 0; i < 2 * blocks && room; ++i) {
    world->field.acting_ends.data[i] = -1;
  }
  world->field.acting_fields.count = 0;
  for (int32_t slot = world->field.first; slot >= 0 && room && blocks > 0; slot = world->field.list.data[slot].next) {
    const ImpiForceField *field = &world->field.list.data[slot];
    int first = world->field.acting_fields.count;
    for (int b = 0; b < blocks && room && !field->only && pushes(field); ++b) {
      int left = world->field.affected.count - b * IMPI_FIELD_WIDTH;
      room = add_acting_field(world, b, slot, left < IMPI_FIELD_WIDTH ? (1ull << left) - 1 : ~0ull);
    }
    int32_t body = pushes(field) ? impi_sparse_next(&field->members, -1) : -1;
    for (; body >= 0 && room; body = impi_sparse_next(&field->members, body)) {
      int at = find_affected(world, body);
      if (at >= 0 && field->only) {
        room = add_acting_field(world, at / IMPI_FIELD_WIDTH, slot, 1ull << at % IMPI_FIELD_WIDTH);
      } else if (at >= 0) {
        world->field.acting_fields.data[first + at / IMPI_FIELD_WIDTH].whom &= ~(1ull << at % IMPI_FIELD_WIDTH);
      }
    }
  }
  return room;
}


ImpStatus impi_fields_begin(ImpWorld *world) {
  world->field.dirty = true; // `affected` is listed later, when bodies have lanes
  bool called = world->callback.constraint != NULL && world->joint.called > 0;
  // No field exists, and no callback can create a field.
  if (world->field.first < 0 && world->callback.substep == NULL && !called) {
    return IMP_OK;
  }
  if (!impi_reserve(&world->heap, &world->field.affected, world->awake.count) ||
      !impi_reserve(&world->heap, &world->field.affected_at, world->bodies.count)) {
    return impi_fail(IMP_ERR_NOMEM, "out of memory");
  }
  while (world->field.affected_at.count < world->bodies.count) {
    world->field.affected_at.data[world->field.affected_at.count++] = -1;
  }
  return IMP_OK;
}


// Gather the state of a block of bodies before the substep.
static void gather(const ImpiSolve *solve, const ImpiAffectedBody *affected, int count, bool turn,
                   ImpiFieldBlock *block) {
  ImpiMotion lanes[IMPI_FIELD_WIDTH];
  int in_lanes = 0;
  block->count = count;
  block->affected = affected;
  block->decays = block->spins = block->coupled = block->timed = false;
  for (int i = 0; i < count; ++i) {
    block->slot[i] = affected[i].slot;
    in_lanes += affected[i].lane > 0;
  }
  if (in_lanes > 0) {
    solve->solver->sense(solve, block->slot, count, lanes);
  }
  block->in_lanes = in_lanes > 0;
  for (int i = 0; i < count; ++i) {
    const ImpiMotion *m = affected[i].lane > 0 ? &lanes[i] : &solve->motions[affected[i].slot];
    block->x[i] = m->x;
    block->y[i] = m->y;
    block->vx[i] = m->vx;
    block->vy[i] = m->vy;
    block->w[i] = m->w;
    block->inv_mass[i] = affected[i].inv_mass;
    block->inv_inertia[i] = affected[i].inv_inertia;
    if (turn) {
      block->c[i] = m->c;
      block->s[i] = m->s;
      block->angle[i] = m->angle;
    }
  }
  for (int i = 0; i < count; ++i) {
    block->ax[i] = block->ay[i] = block->aw[i] = block->k[i] = block->kw[i] = 0;
    block->restless[i] = block->implicit[i] = false;
  }
}


// Solve (M (1 + h k) + h D) v' = M (v + h (g + a)) for the velocity v' = (vx, vy, w) of body i after the time h:
//   M: mass matrix; k: decay rates; D: drag matrix
//   g: acceleration by gravity and applied forces; a: acceleration by fields
// Replaces h a in block->ax, block->ay and block->aw by v' - v - h g.
static void integrate_coupled(double h, int i, ImpiFieldBlock *block) {
  const ImpiDrag *d = &block->drag[i];
  const ImpiAffectedBody *affected = &block->affected[i];
  double mass = 1 / affected->inv_mass, inertia = affected->inv_inertia > 0 ? 1 / affected->inv_inertia : 0;
  double gx = h * affected->gx, gy = h * affected->gy, gw = h * affected->gw, w = block->w[i];
  double bx = mass * (block->vx[i] + gx + block->ax[i]), by = mass * (block->vy[i] + gy + block->ay[i]);
  double bw = inertia * (w + gw + block->aw[i]), held = mass * (1 + h * block->k[i]);
  double xx = held + h * d->xx, xy = h * d->xy, yy = held + h * d->yy, xw = h * d->xw, yw = h * d->yw;
  if (inertia == 0) { // the body cannot turn: w does not change
    bx -= xw * w;
    by -= yw * w;
    xw = yw = 0;
  }
  if (affected->locks & 1u) { // the velocity along a locked axis does not change
    bx = xy = xw = 0;
  }
  if (affected->locks & 2u) {
    by = xy = yw = 0;
  }
  double ww = inertia > 0 ? inertia * (1 + h * block->kw[i]) + h * d->ww : 1;
  // L D L^T, from x to w.
  double yx = xy / xx, wx = xw / xx;
  double dy = yy - yx * xy, wy = (yw - wx * xy) / dy;
  double dw = ww - wx * xw - wy * wy * dy;
  by -= yx * bx;
  bw -= wx * bx + wy * by;
  double new_w = bw / dw, new_y = by / dy - wy * new_w, new_x = bx / xx - yx * new_y - wx * new_w;
  block->ax[i] = new_x - block->vx[i] - gx;
  block->ay[i] = new_y - block->vy[i] - gy;
  block->aw[i] = inertia > 0 ? new_w - w - gw : 0;
}


// Replace the fields' accelerations a in block->ax, ay and aw by changes of velocity over the time h:
//   dv = (v + h (g + a)) / (1 + h k) - v - h g
// k: decay rate; g: acceleration by gravity and applied forces. The solver adds h g itself.
static void integrate(double h, ImpiFieldBlock *block) {
  const ImpiAffectedBody *affected = block->affected;
  for (int i = 0; i < block->count; ++i) {
    block->ax[i] *= h;
    block->ay[i] *= h;
    block->aw[i] *= h;
  }
  // A body is coupled only if it has drag.
  bool coupled[IMPI_FIELD_WIDTH] = {false};
  for (int i = 0; i < block->count && block->coupled; ++i) {
    coupled[i] = block->drag[i].xx + block->drag[i].yy + block->drag[i].ww > 0;
    if (coupled[i]) {
      integrate_coupled(h, i, block);
    }
  }
  for (int i = 0; i < block->count && block->decays; ++i) {
    if (coupled[i]) {
      continue;
    }
    double kept = h * block->k[i], part = 1 / (1 + kept);
    block->ax[i] = (block->ax[i] - kept * (block->vx[i] + h * affected[i].gx)) * part;
    block->ay[i] = (block->ay[i] - kept * (block->vy[i] + h * affected[i].gy)) * part;
  }
  for (int i = 0; i < block->count && block->spins; ++i) {
    if (coupled[i]) {
      continue;
    }
    double kept = h * block->kw[i];
    block->aw[i] = (block->aw[i] - kept * (block->w[i] + h * affected[i].gw)) / (1 + kept);
  }
}


// Remove changes of velocity along locked axes.
static void hold_locked(ImpiFieldBlock *block) {
  for (int i = 0; i < block->count; ++i) {
    block->ax[i] = block->affected[i].locks & 1u ? 0 : block->ax[i];
    block->ay[i] = block->affected[i].locks & 2u ? 0 : block->ay[i];
  }
}


static uint64_t bits_of(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  // The bits of |x|, which sort like |x|. NaN is greater than infinity.
  return bits & 0x7fffffffffffffffu;
}


// Return true if no change of velocity can throw a body out of the world within h.
static bool is_sound(const ImpiFieldBlock *block, double h) {
  const uint64_t limit = bits_of(2 * IMPI_MAX_COORDINATE / h);
  uint64_t above = 0; // the highest bit is set if a difference was negative
  for (int i = 0; i < block->count; ++i) {
    above |= (limit - bits_of(block->ax[i])) | (limit - bits_of(block->ay[i])) | (limit - bits_of(block->aw[i]));
  }
  return above >> 63 == 0;
}


// If a change of velocity would throw a body out of the world, set the change to 0 and record an offending body.
static void note_faults(ImpWorld *world, ImpiFieldBlock *block, double h) {
  for (int i = 0; i < block->count; ++i) {
    int32_t slot = block->affected[i].slot;
    if (impi_throws_out(&world->bodies.data[slot], block->ax[i], block->ay[i], block->aw[i], h)) {
      block->ax[i] = block->ay[i] = block->aw[i] = 0;
      impi_note_offender(world, slot, "field");
    }
  }
}


// Apply gravity and forces before the body moves, if implicit drag removes much of its velocity.
static void put_forces_first(ImpiSolve *solve, double h, const ImpiFieldBlock *block) {
  for (int i = 0; i < block->count; ++i) {
    double part = h * impi_max(block->k[i], block->kw[i]);
    if (block->coupled) {
      const ImpiDrag *d = &block->drag[i];
      part += h * impi_max(block->inv_mass[i] * (d->xx + d->yy), block->inv_inertia[i] * d->ww);
    }
    if (block->implicit[i] || part > QUICK) {
      solve->solver->put_forces_first(solve, block->slot[i]);
    }
  }
}


static void push(ImpiSolve *solve, const ImpiFieldBlock *block) {
  if (block->in_lanes) {
    solve->solver->push_all(solve, block->slot, block->count, block->ax, block->ay, block->aw);
  }
  for (int i = 0; i < block->count; ++i) {
    if (block->affected[i].lane == 0) {
      ImpiMotion *motion = &solve->motions[block->slot[i]];
      motion->vx += block->ax[i];
      motion->vy += block->ay[i];
      motion->w += block->aw[i];
    }
  }
}


// Change velocities, and enter the energy of the change in the ledger.
static void push_noted(ImpiSolve *solve, const ImpiFieldBlock *block) {
  ImpWorld *world = solve->owner;
  ImpiMotion before[IMPI_FIELD_WIDTH];
  for (int i = 0; i < block->count; ++i) {
    before[i] = impi_body_motion(world, block->affected[i].slot);
  }
  push(solve, block);
  for (int i = 0; i < block->count; ++i) {
    int32_t slot = block->affected[i].slot;
    ImpiMotion after = impi_body_motion(world, slot);
    impi_ledger_jump(solve->ledger, IMP_ENERGY_APPLIED, slot, &solve->bodies[slot], &before[i], &after);
  }
}


// Prevent sleep of bodies that are in reach of a field that changes with time.
static void keep_awake(ImpiSolve *solve, const ImpiFieldBlock *block) {
  for (int i = 0; i < block->count; ++i) {
    solve->bodies[block->affected[i].slot].restless |= block->restless[i];
  }
}


// Return true if the field still needs calls. A call may destroy or disable the field, and may remove the callback.
static bool goes_on(const ImpWorld *world, ImpField handle, int32_t slot) {
  return world->callback.field != NULL && imp_field_is_valid(world, handle) &&
         impi_field_is_called(&world->field.list.data[slot]);
}


static void call_for(ImpWorld *world, ImpField handle, int32_t slot, int32_t body) {
  const ImpiForceField *field = &world->field.list.data[slot];
  bool there = world->body_pool.slots.data[body].next_free == IMPI_SLOT_LIVE;
  if (!there || !(world->bodies.data[body].inv_mass > 0) || !impi_field_acts_on(field, body)) {
    return;
  }
  ImpiMotion m = field->bounded ? impi_body_motion(world, body) : (ImpiMotion){.x = 0};
  if (impi_field_is_inside(field, m.x, m.y)) {
    world->bodies.data[body].restless = true;
    world->callback.field(world, handle, impi_body_handle(world, body), world->callback.field_user);
  }
}


static void call_for_list(ImpWorld *world, ImpField handle, int32_t slot) {
  int32_t body = -1;
  while (goes_on(world, handle, slot) && (body = impi_sparse_next(&world->field.list.data[slot].members, body)) >= 0) {
    int32_t at = body < world->field.affected_at.count ? world->field.affected_at.data[body] : -1;
    if (at >= 0 && at < world->awake.count && world->awake.data[at] == body) {
      call_for(world, handle, slot, body);
    }
  }
}


void impi_fields_call(ImpWorld *world) {
  // While callbacks run, `affected_at` contains indices in `awake`, because `affected` is listed later.
  for (int i = 0; i < world->awake.count; ++i) {
    world->field.affected_at.data[world->awake.data[i]] = i;
  }
  for (int32_t slot = world->field.first; slot >= 0 && world->callback.field != NULL;) {
    int32_t next = world->field.list.data[slot].next;
    ImpField handle = impi_field_handle(world, slot), after = {next >= 0 ? impi_field_handle(world, next).id : 0};
    if (world->field.list.data[slot].only) {
      call_for_list(world, handle, slot);
    }
    for (int i = 0; i < world->awake.count && goes_on(world, handle, slot) && !world->field.list.data[slot].only; ++i) {
      call_for(world, handle, slot, world->awake.data[i]);
    }
    bool lives = imp_field_is_valid(world, handle);
    slot = lives ? world->field.list.data[slot].next : impi_pool_find(&world->field.pool, after.id, world->tag);
  }
}


// Advance all explosions to time t, including explosions that are off.
static void advance(ImpWorld *world, double t) {
  for (int32_t slot = world->field.first; slot >= 0; slot = world->field.list.data[slot].next) {
    ImpiForceField *field = &world->field.list.data[slot];
    if (field->kind == IMP_FIELD_EXPLOSION) {
      field->value[IMP_FIELD_PROGRESS] = impi_field_burst(field, t);
    }
  }
}


void impi_fields_wake(ImpWorld *world) {
  double end = impi_time_after(world);
  for (int32_t slot = world->field.first; slot >= 0; slot = world->field.list.data[slot].next) {
    const ImpiForceField *field = &world->field.list.data[slot];
    bool bursts = field->kind == IMP_FIELD_EXPLOSION && impi_field_is_on(field) &&
                  impi_field_burst(field, end) > field->value[IMP_FIELD_PROGRESS];
    int32_t body = bursts ? impi_field_next_body(world, field, -1) : -1;
    for (; body >= 0; body = impi_field_next_body(world, field, body)) {
      const ImpiMotion *m = &world->motions.data[body];
      ImpVec2 r = impi_sub(impi_vec(m->x, m->y), field->vector[IMP_FIELD_CENTER]);
      bool near = impi_length(r) - world->bodies.data[body].extent <= field->value[IMP_FIELD_RANGE];
      if (near && impi_field_is_inside(field, m->x, m->y)) {
        impi_world_wake(world, body);
      }
    }
  }
}


// Return one bit for each body of a block: 1 if the field acts on the body.
static uint64_t ask(const ImpiForceField *field, const ImpiFieldBlock *block) {
  uint64_t whom = 0;
  for (int i = 0; i < block->count; ++i) {
    whom |= (uint64_t)impi_field_acts_on(field, block->affected[i].slot) << i;
  }
  return whom;
}


static void evaluate_fields(const ImpWorld *world, int index, const ImpiFieldScene *scene, ImpiFieldBlock *block) {
  const ImpiForceField *fields = world->field.list.data;
  if (!world->field.complete) {
    for (int32_t slot = world->field.first; slot >= 0; slot = fields[slot].next) {
      if (pushes(&fields[slot])) {
        impi_field_evaluate(&fields[slot], scene, ask(&fields[slot], block), block);
      }
    }
    return;
  }
  for (int32_t at = world->field.acting_ends.data[2 * index]; at >= 0; at = world->field.acting_fields.data[at].next) {
    const ImpiActingField *affected = &world->field.acting_fields.data[at];
    impi_field_evaluate(&fields[affected->field], scene, affected->whom, block);
  }
}


void impi_fields_push(ImpiSolve *solve, double h, double t, double until) {
  ImpWorld *world = solve->owner;
  if (world->field.dirty) {
    list_bodies(solve, world);
    world->field.complete = list_fields(world);
    world->field.dirty = false;
  }
  // By rounding, the substeps may exceed the step. Explosions must not begin too early.
  double end = impi_time_after(world);
  until = until > end - 1e-9 * h ? end : until;
  ImpiFieldScene scene = {.h = h,
                          .reach = solve->solver->halves ? 2 * h : h,
                          .t = t,
                          .until = until,
                          .gravity = solve->settings->gravity,
                          .bodies = solve->bodies,
                          .shapes = world->shapes.data};
  for (int first = 0; first < world->field.affected.count; first += IMPI_FIELD_WIDTH) {
    int left = world->field.affected.count - first;
    ImpiFieldBlock block;
    gather(solve, world->field.affected.data + first, left < IMPI_FIELD_WIDTH ? left : IMPI_FIELD_WIDTH,
           world->field.turn, &block);
    evaluate_fields(world, first / IMPI_FIELD_WIDTH, &scene, &block);
    if (solve->solver->put_forces_first != NULL) {
      put_forces_first(solve, h, &block);
    }
    integrate(h, &block);
    if (world->field.affected_locks) {
      hold_locked(&block);
    }
    if (!is_sound(&block, h)) {
      note_faults(world, &block, h);
    }
    if (solve->ledger != NULL) {
      push_noted(solve, &block);
    } else {
      push(solve, &block);
    }
    if (block.timed) {
      keep_awake(solve, &block);
    }
  }
  if (world->push.limited.count > 0) {
    impi_limits_push(solve, h);
  }
  advance(world, until);
}
