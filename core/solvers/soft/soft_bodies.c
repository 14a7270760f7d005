#include "solvers/soft/soft_bodies.h"

#include <string.h>


// Fewest blocks of lanes for which packing uses another thread.
#define PACK_GRAIN 16


void impi_soft_bodies_free(ImpiHeap *heap, ImpiSoftBodies *soft) {
  impi_array_free(heap, &soft->records);
  impi_array_free(heap, &soft->gains);
  impi_array_free(heap, &soft->blocks);
  impi_array_free(heap, &soft->stale);
  impi_array_free(heap, &soft->free);
}


// Allocate five arrays of records in one piece, aligned to cache lines. If they grow, all records become zero.
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


// Allocate the gains (changes of velocity since the step began) if substeps of length h need them. If the array grows,
// all gains become zero.
static bool reserve_gains(ImpiHeap *heap, ImpiSoftBodies *soft, double h) {
  soft->lanes.gain = NULL;
  soft->lanes.base = NULL;
  if (!(h < IMPI_FINE_SUBSTEP)) {
    return true;
  }
  int32_t before = soft->gains.capacity, count = soft->records.capacity;
  if (!impi_reserve(heap, &soft->gains, count)) {
    return false;
  }
  if (soft->gains.capacity > before) {
    memset(soft->gains.data, 0, (size_t)soft->gains.capacity * sizeof *soft->gains.data);
  }
  soft->lanes.gain = soft->gains.data;
  soft->lanes.base = soft->start;
  return true;
}


static void clear(ImpiSoftBodies *soft, int32_t first) {
  ImpiRecord *const arrays[] = {soft->lanes.velocity, soft->lanes.displacement, soft->lanes.acceleration,
                                soft->lanes.damping, soft->start};
  for (int i = 0; i < 5; ++i) {
    memset(arrays[i] + first, 0, IMPI_LANE_PAD * sizeof(ImpiRecord));
  }
}


static void enter(ImpiLaneBlock *block, const ImpiBody *body) {
  uint16_t bit = (uint16_t)(1u << (body->lane - block->first));
  if (body->inv_mass == 0) {
    block->kinematic |= bit;
    return;
  }
  block->moving |= bit;
  block->upright |= body->type == IMP_BODY_PARTICLE ? bit : 0;
}


// Return the index in `awake` of the first body whose lane is at least `lane`.
static int first_in_lane(const ImpiSolve *solve, int32_t lane) {
  int low = 0, high = solve->awake_count;
  while (low < high) {
    int middle = (low + high) / 2;
    *(impi_lane_of(solve->awake[middle]) < lane ? &low : &high) =
        impi_lane_of(solve->awake[middle]) < lane ? middle + 1 : middle;
  }
  return low;
}


static int first_stale(const ImpiSoftBodies *soft, int32_t lane) {
  int low = 0, high = soft->stale.count;
  while (low < high) {
    int middle = (low + high) / 2;
    *(soft->stale.data[middle].first < lane ? &low : &high) =
        soft->stale.data[middle].first < lane ? middle + 1 : middle;
  }
  return low;
}


// Result of packing a range of blocks: the blocks in use are in ImpiSoftBodies.blocks from index `block` on, the bodies
// without rows in ImpiSoftBodies.free from index `free` on.
typedef struct Packed {
  int block, block_count, free, free_count;
} Packed;

typedef struct Packing {
  ImpiSolve *solve;
  ImpiSoftBodies *soft;
  Packed packed[IMPI_MAX_THREADS];
} Packing;


// Fill a block with the awake bodies in its lanes. Returns true if a body has rows. `*i`: index in `awake` of the
// block's first body; on return, the index after the block's last body
static bool fill_block(Packing *packing, Packed *packed, ImpiLaneBlock *block, int *i) {
  const ImpiSolve *solve = packing->solve;
  for (; *i < solve->awake_count && impi_lane_of(solve->awake[*i]) < block->first + IMPI_LANE_PAD; ++*i) {
    int32_t slot = solve->awake[*i];
    ImpiBody *body = &solve->bodies[slot];
    body->lane = body->constrained ? impi_lane_of(slot) : 0;
    if (body->constrained) {
      enter(block, body);
    } else {
      packing->soft->free.data[packed->free + packed->free_count++] = slot;
    }
  }
  return (block->moving | block->kinematic) != 0;
}


// Initialize a block for short substeps. Gains are 0. (factor - 1) is stored for each damping factor, because the
// factors are almost 1.
static void pack_gains(const ImpiSoftBodies *soft, const ImpiLaneBlock *block, const ImpiBody *bodies) {
  for (int k = 0; k < IMPI_LANE_PAD; ++k) {
    int32_t lane = block->first + k;
    soft->lanes.gain[lane] = soft->lanes.damping[lane] = (ImpiRecord){0, 0, 0, 0};
    if (block->moving >> k & 1u) {
      const ImpiBody *body = &bodies[impi_lane_body(lane)];
      double linear = soft->h * body->linear_damping, angular = soft->h * body->angular_damping;
      float straight = (float)(-linear / (1 + linear));
      soft->lanes.damping[lane] = (ImpiRecord){straight, straight, (float)(-angular / (1 + angular)), 0};
    }
  }
}


// Pack the blocks of lanes first .. first + count - 1. Clear the blocks that only the previous step used.
static void pack_range(void *context, int first, int count, int worker) {
  Packing *packing = context;
  const ImpiSolve *solve = packing->solve;
  ImpiSoftBodies *soft = packing->soft;
  int32_t lane = first * IMPI_LANE_PAD, end = lane + count * IMPI_LANE_PAD;
  int i = first_in_lane(solve, lane), stale = first_stale(soft, lane), last_stale = first_stale(soft, end);
  Packed packed = {.block = first, .free = i};
  while (i < solve->awake_count && impi_lane_of(solve->awake[i]) < end) {
    ImpiLaneBlock *block = &soft->blocks.data[packed.block + packed.block_count];
    *block = (ImpiLaneBlock){.first = impi_lane_of(solve->awake[i]) / IMPI_LANE_PAD * IMPI_LANE_PAD};
    if (!fill_block(packing, &packed, block, &i)) {
      continue;
    }
    packed.block_count++;
    for (; stale < last_stale && soft->stale.data[stale].first <= block->first; ++stale) {
      if (soft->stale.data[stale].first < block->first) {
        clear(soft, soft->stale.data[stale].first);
      }
    }
    soft->kernels->pack(&soft->lanes, soft->start, block, solve->bodies, solve->motions, solve->settings->gravity,
                        soft->h);
    if (soft->lanes.gain != NULL) {
      pack_gains(soft, block, solve->bodies);
    }
  }
  for (; stale < last_stale; ++stale) {
    clear(soft, soft->stale.data[stale].first);
  }
  packing->packed[worker] = packed;
}


// Pack all blocks in parallel, and close the gaps between the parts of `blocks` and `free` that the workers wrote.
static void pack_all(ImpiSolve *solve, ImpiSoftBodies *soft, int blocks) {
  Packing packing = {.solve = solve, .soft = soft};
  for (int worker = 0; worker < solve->team->threads; ++worker) {
    packing.packed[worker] = (Packed){0};
  }
  impi_parallel(solve->team, blocks, PACK_GRAIN, pack_range, &packing);
  soft->free.count = soft->blocks.count = 0;
  for (int worker = 0; worker < solve->team->threads; ++worker) {
    const Packed *packed = &packing.packed[worker];
    if (packed->block_count > 0) {
      memmove(soft->blocks.data + soft->blocks.count, soft->blocks.data + packed->block,
              (size_t)packed->block_count * sizeof *soft->blocks.data);
    }
    if (packed->free_count > 0) {
      memmove(soft->free.data + soft->free.count, soft->free.data + packed->free,
              (size_t)packed->free_count * sizeof *soft->free.data);
    }
    soft->blocks.count += packed->block_count;
    soft->free.count += packed->free_count;
  }
}


bool impi_soft_bodies_pack(ImpiSolve *solve, ImpiSoftBodies *soft, double h) {
  ImpiHeap *heap = solve->heap;
  int32_t count = impi_lane_of(solve->body_count);
  int blocks = count / IMPI_LANE_PAD + 1;
  if (!reserve_records(heap, soft, count) || !reserve_gains(heap, soft, h) ||
      !impi_reserve(heap, &soft->blocks, blocks) || !impi_reserve(heap, &soft->stale, blocks) ||
      !impi_reserve(heap, &soft->free, solve->awake_count)) {
    return false;
  }
  soft->h = h;
  soft->stale.count = soft->blocks.count;
  if (soft->blocks.count > 0) {
    memcpy(soft->stale.data, soft->blocks.data, (size_t)soft->blocks.count * sizeof *soft->blocks.data);
  }
  pack_all(solve, soft, blocks);
  return true;
}


void impi_soft_bodies_drop(ImpiSolve *solve) {
  for (int i = 0; i < solve->awake_count; ++i) {
    solve->bodies[solve->awake[i]].lane = 0;
  }
}


// Fewest blocks of bodies for which integration and unpacking use another thread.
#define GRAIN 32

// Context of a loop over blocks.
typedef struct Loop {
  ImpiSolve *solve;
  ImpiSoftBodies *soft;
  double h;
} Loop;


static void run(ImpiSolve *solve, ImpiSoftBodies *soft, double h, ImpiRangeFn range) {
  Loop loop = {solve, soft, h};
  impi_parallel(solve->team, soft->blocks.count, GRAIN, range, &loop);
}


// Replace the velocities of a block by the gains, and `start` by zero.
static void unpack_gains(const ImpiSoftBodies *soft, const ImpiLaneBlock *block) {
  for (int32_t lane = block->first; lane < block->first + IMPI_LANE_PAD; ++lane) {
    ImpiRecord gain = soft->lanes.gain[lane];
    soft->lanes.velocity[lane] = (ImpiRecord){gain[0], gain[1], gain[2], soft->lanes.velocity[lane][3]};
    soft->start[lane] = (ImpiRecord){0, 0, 0, 0};
  }
}


static void unpack_range(void *context, int first, int count, int worker) {
  (void)worker;
  const Loop *loop = context;
  const ImpiSolve *solve = loop->solve;
  const ImpiSoftBodies *soft = loop->soft;
  for (int i = first; soft->lanes.gain != NULL && i < first + count; ++i) {
    unpack_gains(soft, &soft->blocks.data[i]);
  }
  soft->kernels->unpack(&soft->lanes, soft->start, soft->blocks.data + first, count, solve->motions);
  for (int i = first; i < first + count; ++i) {
    const ImpiLaneBlock *block = &soft->blocks.data[i];
    unsigned taken = block->moving | block->kinematic;
    for (int k = 0; k < IMPI_LANE_PAD; ++k) {
      int32_t slot = impi_lane_body(block->first + k);
      if (block->kinematic >> k & 1u) { // kinematic bodies are integrated in double
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
// Access for handlers between substeps
// ---------------------------------------------------------------------------------------------------------------------


// Changes of velocity and angle of a body in a lane since the step began.
typedef struct Gained {
  double vx, vy, w, angle;
} Gained;


static Gained gained_in(const ImpiSoftBodies *soft, int32_t lane) {
  ImpiRecord v = soft->lanes.velocity[lane], start = soft->start[lane];
  if (soft->lanes.gain != NULL) {
    ImpiRecord gain = soft->lanes.gain[lane];
    return (Gained){(double)gain[0], (double)gain[1], (double)gain[2], (double)v[3]};
  }
  return (Gained){(double)v[0] - (double)start[0], (double)v[1] - (double)start[1], (double)v[2] - (double)start[2],
                  (double)v[3]};
}


void impi_soft_bodies_read(const ImpiSolve *solve, int32_t slot, ImpiMotion *out_motion) {
  const ImpiSoftBodies *soft = solve->scratch;
  int32_t lane = solve->bodies[slot].lane;
  Gained gained = gained_in(soft, lane);
  ImpiRecord d = soft->lanes.displacement[lane];
  ImpiMotion m = solve->motions[slot];
  m.vx += gained.vx;
  m.vy += gained.vy;
  m.w += gained.w;
  m.x += (double)d[0];
  m.y += (double)d[1];
  if (gained.angle != 0 && solve->bodies[slot].type != IMP_BODY_PARTICLE) {
    m.angle += gained.angle;
    ImpRot q = impi_rot(m.angle);
    m.c = q.c;
    m.s = q.s;
  }
  *out_motion = m;
}


void impi_soft_bodies_sense(const ImpiSolve *solve, const int32_t *slots, int count, ImpiMotion *out_motions) {
  const ImpiSoftBodies *soft = solve->scratch;
  for (int i = 0; i < count; ++i) {
    int32_t lane = solve->bodies[slots[i]].lane;
    if (lane == 0) {
      continue;
    }
    Gained gained = gained_in(soft, lane);
    ImpiRecord d = soft->lanes.displacement[lane];
    const ImpiMotion *m = &solve->motions[slots[i]];
    double c = 1 + (double)d[2], s = (double)d[3];
    out_motions[i] = (ImpiMotion){
        .x = m->x + (double)d[0],
        .y = m->y + (double)d[1],
        .c = m->c * c - m->s * s,
        .s = m->s * c + m->c * s,
        .vx = m->vx + gained.vx,
        .vy = m->vy + gained.vy,
        .w = m->w + gained.w,
        .angle = m->angle + gained.angle,
    };
  }
}


static void push(const ImpiLaneBodies *lanes, int32_t lane, double dvx, double dvy, double dw) {
  ImpiRecord *v = &lanes->velocity[lane], change = {(float)dvx, (float)dvy, (float)dw, 0};
  if (lanes->gain == NULL) {
    *v += change;
    return;
  }
  lanes->gain[lane] += change;
  ImpiRecord now = lanes->base[lane] + lanes->gain[lane];
  *v = (ImpiRecord){now[0], now[1], now[2], (*v)[3]};
}


void impi_soft_bodies_push(ImpiSolve *solve, int32_t slot, double dvx, double dvy, double dw) {
  const ImpiSoftBodies *soft = solve->scratch;
  push(&soft->lanes, solve->bodies[slot].lane, dvx, dvy, dw);
}


void impi_soft_bodies_push_all(ImpiSolve *solve, const int32_t *slots, int count, const double *dvx, const double *dvy,
                               const double *dw) {
  const ImpiSoftBodies *soft = solve->scratch;
  for (int i = 0; i < count; ++i) {
    int32_t lane = solve->bodies[slots[i]].lane;
    if (lane > 0) {
      push(&soft->lanes, lane, dvx[i], dvy[i], dw[i]);
    }
  }
}
