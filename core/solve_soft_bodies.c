#include "solve_soft_bodies.h"

#include <string.h>


void impi_soft_bodies_free(ImpiHeap *heap, ImpiSoftBodies *soft) {
  impi_array_free(heap, &soft->records);
  impi_array_free(heap, &soft->blocks);
  impi_array_free(heap, &soft->stale);
  impi_array_free(heap, &soft->free);
}


// Five arrays of records in one piece, on cache lines. What was in them is gone, and all is zero, when they grow.
static bool reserve_records(ImpiHeap *heap, ImpiSoftBodies *soft, int32_t count) {
  soft->lanes.count = count;
  if (count > soft->room) {
    int32_t room = (count + count / 16 + IMPI_LANE_PAD) / IMPI_LANE_PAD * IMPI_LANE_PAD;
    if (!impi_reserve(heap, &soft->records, 5 * room + 4 + IMPI_MAX_THREADS * IMPI_LANE_APART)) {
      return false;
    }
    soft->room = room;
    unsigned char *base = (unsigned char *)soft->records.data;
    base += (64 - (uintptr_t)base % 64) % 64;
    ImpiRecord *records = (ImpiRecord *)(void *)base;
    memset(records, 0, (size_t)(5 * room) * sizeof *records);
    soft->lanes.velocity = records;
    soft->lanes.displacement = records + room;
    soft->lanes.acceleration = records + 2 * room;
    soft->lanes.damping = records + 3 * room;
    soft->start = records + 4 * room;
    soft->blocks.count = 0;
  }
  return true;
}


static void clear(ImpiSoftBodies *soft, int32_t first) {
  ImpiRecord *const arrays[] = {soft->lanes.velocity, soft->lanes.displacement, soft->lanes.acceleration,
                                soft->lanes.damping, soft->start};
  for (int i = 0; i < 5; ++i) {
    memset(arrays[i] + first, 0, IMPI_LANE_PAD * sizeof(ImpiRecord));
  }
}


// A block of lanes for this step. Those before it that the step before had, and this one has not, are zero again.
static ImpiLaneBlock *open_block(ImpiSoftBodies *soft, int32_t first, int *stale) {
  for (; *stale < soft->stale.count && soft->stale.data[*stale].first <= first; ++*stale) {
    if (soft->stale.data[*stale].first < first) {
      clear(soft, soft->stale.data[*stale].first);
    }
  }
  ImpiLaneBlock *block = &soft->blocks.data[soft->blocks.count++];
  *block = (ImpiLaneBlock){.first = first};
  return block;
}


static void enter(ImpiLaneBlock *block, const ImpiBody *body) {
  uint16_t bit = (uint16_t)(1u << (body->lane - block->first));
  if (body->inv_mass == 0) {
    block->steered |= bit;
    return;
  }
  block->moving |= bit;
  block->upright |= body->type == IMP_BODY_PARTICLE ? bit : 0;
}


// Every awake body with rows takes its lane.
static void pack_all(ImpiSolve *solve, ImpiSoftBodies *soft) {
  ImpVec2 gravity = solve->settings->gravity;
  int stale = 0;
  soft->free.count = soft->blocks.count = 0;
  for (int i = 0; i < solve->awake_count;) {
    int32_t slot = solve->awake[i];
    ImpiBody *body = &solve->bodies[slot];
    if (!body->constrained) {
      body->lane = 0;
      soft->free.data[soft->free.count++] = slot;
      ++i;
      continue;
    }
    int32_t first = impi_lane_of(slot) / IMPI_LANE_PAD * IMPI_LANE_PAD;
    ImpiLaneBlock *block = open_block(soft, first, &stale);
    for (; i < solve->awake_count && impi_lane_of(solve->awake[i]) < first + IMPI_LANE_PAD; ++i) {
      slot = solve->awake[i];
      body = &solve->bodies[slot];
      body->lane = body->constrained ? impi_lane_of(slot) : 0;
      if (body->constrained) {
        enter(block, body);
      } else {
        soft->free.data[soft->free.count++] = slot;
      }
    }
    soft->kernels->pack(&soft->lanes, soft->start, block, solve->bodies, solve->motions, gravity, soft->h);
  }
  for (; stale < soft->stale.count; ++stale) {
    clear(soft, soft->stale.data[stale].first);
  }
}


bool impi_soft_bodies_pack(ImpiSolve *solve, ImpiSoftBodies *soft, double h) {
  ImpiHeap *heap = solve->heap;
  int32_t count = impi_lane_of(solve->body_count);
  int blocks = count / IMPI_LANE_PAD + 1;
  if (!reserve_records(heap, soft, count) || !impi_reserve(heap, &soft->blocks, blocks) ||
      !impi_reserve(heap, &soft->stale, blocks) || !impi_reserve(heap, &soft->free, solve->awake_count)) {
    return false;
  }
  soft->h = h;
  soft->stale.count = soft->blocks.count;
  if (soft->blocks.count > 0) {
    memcpy(soft->stale.data, soft->blocks.data, (size_t)soft->blocks.count * sizeof *soft->blocks.data);
  }
  pack_all(solve, soft);
  return true;
}


void impi_soft_bodies_drop(ImpiSolve *solve) {
  for (int i = 0; i < solve->awake_count; ++i) {
    solve->bodies[solve->awake[i]].lane = 0;
  }
}


// The fewest blocks of bodies that are worth a thread.
#define GRAIN 32

// What a loop over blocks is given.
typedef struct Loop {
  ImpiSolve *solve;
  ImpiSoftBodies *soft;
  double h;
} Loop;


static void run(ImpiSolve *solve, ImpiSoftBodies *soft, double h, ImpiRangeFn range) {
  Loop loop = {solve, soft, h};
  impi_parallel(solve->team, soft->blocks.count, GRAIN, range, &loop);
}


static void unpack_range(void *context, int first, int count, int worker) {
  (void)worker;
  const Loop *loop = context;
  const ImpiSolve *solve = loop->solve;
  const ImpiSoftBodies *soft = loop->soft;
  soft->kernels->unpack(&soft->lanes, soft->start, soft->blocks.data + first, count, solve->motions);
  for (int i = first; i < first + count; ++i) {
    const ImpiLaneBlock *block = &soft->blocks.data[i];
    unsigned taken = block->moving | block->steered;
    for (int k = 0; k < IMPI_LANE_PAD; ++k) {
      int32_t slot = impi_lane_body(block->first + k);
      if (block->steered >> k & 1u) { // kinematic: its motion is known exactly
        impi_body_integrate_position(&solve->bodies[slot], &solve->motions[slot], solve->settings->dt);
      }
      if (taken >> k & 1u) {
        solve->bodies[slot].lane = 0;
      }
    }
  }
}


void impi_soft_bodies_unpack(ImpiSolve *solve, ImpiSoftBodies *soft) { run(solve, soft, 0, unpack_range); }


// ---------------------------------------------------------------------------------------------------------------------
// Substeps
// ---------------------------------------------------------------------------------------------------------------------


static void velocities_range(void *context, int first, int count, int worker) {
  (void)worker;
  const Loop *loop = context;
  loop->soft->kernels->integrate_velocities(&loop->soft->lanes, loop->soft->blocks.data + first, count, (float)loop->h);
}


static void positions_range(void *context, int first, int count, int worker) {
  (void)worker;
  const Loop *loop = context;
  loop->soft->kernels->integrate_positions(&loop->soft->lanes, loop->soft->blocks.data + first, count, (float)loop->h);
}


void impi_soft_bodies_velocities(ImpiSolve *solve, ImpiSoftBodies *soft, double h, bool watched) {
  run(solve, soft, h, velocities_range);
  for (int i = 0; watched && i < soft->free.count; ++i) {
    int32_t slot = soft->free.data[i];
    impi_body_integrate_velocity(&solve->bodies[slot], &solve->motions[slot], solve->settings->gravity, h);
  }
}


void impi_soft_bodies_positions(ImpiSolve *solve, ImpiSoftBodies *soft, double h, bool watched) {
  run(solve, soft, h, positions_range);
  for (int i = 0; watched && i < soft->free.count; ++i) {
    int32_t slot = soft->free.data[i];
    impi_body_integrate_position(&solve->bodies[slot], &solve->motions[slot], h);
  }
}


void impi_soft_bodies_fly(ImpiSolve *solve, ImpiSoftBodies *soft, double h, int substeps) {
  for (int i = 0; i < soft->free.count; ++i) {
    int32_t slot = soft->free.data[i];
    impi_body_fly(&solve->bodies[slot], &solve->motions[slot], solve->settings->gravity, h, substeps);
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// For handlers between substeps
// ---------------------------------------------------------------------------------------------------------------------


void impi_soft_bodies_read(const ImpiSolve *solve, int32_t slot, ImpiMotion *out_motion) {
  const ImpiSoftBodies *soft = solve->scratch;
  int32_t lane = solve->bodies[slot].lane;
  ImpiRecord v = soft->lanes.velocity[lane], start = soft->start[lane], d = soft->lanes.displacement[lane];
  ImpiMotion m = solve->motions[slot];
  m.vx += (double)v[0] - (double)start[0];
  m.vy += (double)v[1] - (double)start[1];
  m.w += (double)v[2] - (double)start[2];
  m.x += (double)d[0];
  m.y += (double)d[1];
  if (v[3] != 0 && solve->bodies[slot].type != IMP_BODY_PARTICLE) {
    m.angle += (double)v[3];
    ImpRot q = impi_rot(m.angle);
    m.c = q.c;
    m.s = q.s;
  }
  *out_motion = m;
}


// The same without trigonometry, for fields and controllers: what the lanes know of the rotation.
void impi_soft_bodies_sense(const ImpiSolve *solve, const int32_t *slots, int count, ImpiMotion *out_motions) {
  const ImpiSoftBodies *soft = solve->scratch;
  for (int i = 0; i < count; ++i) {
    int32_t lane = solve->bodies[slots[i]].lane;
    if (lane == 0) {
      continue;
    }
    ImpiRecord v = soft->lanes.velocity[lane], start = soft->start[lane], d = soft->lanes.displacement[lane];
    const ImpiMotion *m = &solve->motions[slots[i]];
    double c = 1 + (double)d[2], s = (double)d[3];
    out_motions[i] = (ImpiMotion){
        .x = m->x + (double)d[0],
        .y = m->y + (double)d[1],
        .c = m->c * c - m->s * s,
        .s = m->s * c + m->c * s,
        .vx = m->vx + ((double)v[0] - (double)start[0]),
        .vy = m->vy + ((double)v[1] - (double)start[1]),
        .w = m->w + ((double)v[2] - (double)start[2]),
        .angle = m->angle + (double)v[3],
    };
  }
}


void impi_soft_bodies_push(ImpiSolve *solve, int32_t slot, double dvx, double dvy, double dw) {
  ImpiSoftBodies *soft = solve->scratch;
  ImpiRecord *v = &soft->lanes.velocity[solve->bodies[slot].lane];
  *v = (ImpiRecord){(*v)[0] + (float)dvx, (*v)[1] + (float)dvy, (*v)[2] + (float)dw, (*v)[3]};
}


void impi_soft_bodies_push_all(ImpiSolve *solve, const int32_t *slots, int count, const double *dvx, const double *dvy,
                               const double *dw) {
  ImpiRecord *velocity = ((ImpiSoftBodies *)solve->scratch)->lanes.velocity;
  for (int i = 0; i < count; ++i) {
    int32_t lane = solve->bodies[slots[i]].lane;
    if (lane > 0) {
      velocity[lane] += (ImpiRecord){(float)dvx[i], (float)dvy[i], (float)dw[i], 0};
    }
  }
}
