// Level 7. Stages of the step that fields need: whom they act on, what they push before each substep.
#include "constants.h"
#include "world.h"


static bool is_felt(const ImpWorld *world, int32_t body) {
  for (int32_t slot = world->first_field; slot >= 0; slot = world->fields.data[slot].next) {
    const ImpiForceField *field = &world->fields.data[slot];
    if (impi_field_is_on(field) && impi_field_acts_on(field, body)) {
      return true;
    }
  }
  return false;
}


// The awake bodies that some field acts on; there is room.
static void list_bodies(ImpWorld *world) {
  bool any = false, all = false;
  for (int32_t slot = world->first_field; slot >= 0; slot = world->fields.data[slot].next) {
    const ImpiForceField *field = &world->fields.data[slot];
    any = any || impi_field_is_on(field);
    all = all || (impi_field_is_on(field) && impi_field_is_general(field));
  }
  world->fields_dirty = false;
  world->field_bodies.count = 0;
  for (int i = 0; i < world->awake.count && any; ++i) {
    int32_t body = world->awake.data[i];
    if (world->bodies.data[body].inv_mass > 0 && (all || is_felt(world, body))) {
      world->field_bodies.data[world->field_bodies.count++] = body;
    }
  }
}


ImpStatus impi_fields_begin(ImpWorld *world) {
  world->field_bodies.count = world->field_faults.count = 0;
  if (world->first_field < 0 && world->substep_callback == NULL) { // nor can one be made inside the step
    return IMP_OK;
  }
  if (!impi_reserve(&world->heap, &world->field_bodies, world->awake.count) ||
      !impi_reserve(&world->heap, &world->field_faults, world->awake.count)) {
    return impi_fail(IMP_ERR_NOMEM, "out of memory");
  }
  list_bodies(world);
  return IMP_OK;
}


// The bodies of a block as they are before the substep.
static void gather(const ImpiSolve *solve, const int32_t *slots, int count, ImpiFieldBlock *block) {
  const ImpiSolver *solver = solve->solver;
  block->count = count;
  block->decays = false;
  for (int i = 0; i < count; ++i) {
    const ImpiBody *body = &solve->bodies[slots[i]];
    const ImpiMotion *m = &solve->motions[slots[i]];
    ImpiMotion in_lane;
    if (body->lane > 0 && solver->sense != NULL) {
      solver->sense(solve, slots[i], &in_lane);
      m = &in_lane;
    }
    block->slot[i] = slots[i];
    block->x[i] = m->x;
    block->y[i] = m->y;
    block->vx[i] = m->vx;
    block->vy[i] = m->vy;
    block->w[i] = m->w;
    block->inv_mass[i] = body->inv_mass;
    block->inv_inertia[i] = body->inv_inertia;
    block->ax[i] = block->ay[i] = block->aw[i] = block->k[i] = block->kw[i] = 0;
  }
}


// From accelerations and decays to changes of velocity, in their place:
//   dv = (v + h (g + a)) / (1 + h k) - v - h g
// where the solver is going to add h g. Without decay that is h a.
static void integrate(const ImpiSolve *solve, double h, ImpiFieldBlock *block) {
  if (!block->decays) {
    for (int i = 0; i < block->count; ++i) {
      block->ax[i] *= h;
      block->ay[i] *= h;
      block->aw[i] *= h;
    }
    return;
  }
  for (int i = 0; i < block->count; ++i) {
    const ImpiBody *body = &solve->bodies[block->slot[i]];
    double gx = body->gravity_scale * solve->settings->gravity.x + body->inv_mass * body->force.x;
    double gy = body->gravity_scale * solve->settings->gravity.y + body->inv_mass * body->force.y;
    double gw = body->inv_inertia * body->torque;
    double kept = h * block->k[i], kept_w = h * block->kw[i];
    block->ax[i] = (h * block->ax[i] - kept * (block->vx[i] + h * gx)) / (1 + kept);
    block->ay[i] = (h * block->ay[i] - kept * (block->vy[i] + h * gy)) / (1 + kept);
    block->aw[i] = (h * block->aw[i] - kept_w * (block->w[i] + h * gw)) / (1 + kept_w);
  }
}


static void push(ImpiSolve *solve, const ImpiFieldBlock *block) {
  ImpWorld *world = solve->owner;
  for (int i = 0; i < block->count; ++i) {
    int32_t slot = block->slot[i];
    ImpiBody *body = &solve->bodies[slot];
    double dvx = block->ax[i], dvy = block->ay[i], dw = block->aw[i];
    if (!(fabs(dvx) < IMPI_HUGE && fabs(dvy) < IMPI_HUGE && fabs(dw) < IMPI_HUGE)) { // NaN too
      if (world->field_faults.count < world->field_faults.capacity) {
        world->field_faults.data[world->field_faults.count++] = slot;
      }
      continue;
    }
    ImpiMotion before;
    bool noted = solve->ledger != NULL && body->serial <= world->audit.last_body;
    if (noted) {
      before = impi_body_motion(world, slot);
    }
    if (body->lane > 0) {
      solve->solver->push(solve, slot, dvx, dvy, dw);
    } else {
      solve->motions[slot].vx += dvx;
      solve->motions[slot].vy += dvy;
      solve->motions[slot].w += dw;
    }
    if (noted) {
      ImpiMotion after = impi_body_motion(world, slot);
      impi_ledger_jump(solve->ledger, IMP_ENERGY_APPLIED, slot, body, &before, &after);
    }
  }
}


void impi_fields_substep(ImpiSolve *solve, double h) {
  ImpWorld *world = solve->owner;
  if (world->fields_dirty) {
    list_bodies(world);
  }
  ImpiFieldScene scene = {.h = h, .t = world->substep_time};
  for (int first = 0; first < world->field_bodies.count; first += IMPI_FIELD_WIDTH) {
    int left = world->field_bodies.count - first;
    ImpiFieldBlock block;
    gather(solve, world->field_bodies.data + first, left < IMPI_FIELD_WIDTH ? left : IMPI_FIELD_WIDTH, &block);
    for (int32_t slot = world->first_field; slot >= 0; slot = world->fields.data[slot].next) {
      const ImpiForceField *field = &world->fields.data[slot];
      if (impi_field_is_on(field)) {
        impi_field_evaluate(field, &scene, &block);
      }
    }
    integrate(solve, h, &block);
    push(solve, &block);
  }
}
