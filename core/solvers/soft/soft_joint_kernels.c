// The joint kernels of the soft solver: the passes of soft_joint_passes.c for blocks of joints, compiled once per lane
// width IMPI_W. All widths give the same results.
#include "solvers/soft/soft_joint_lane_drives.h"


// ---------------------------------------------------------------------------------------------------------------------
// Loading and storing rows; change of basis
// ---------------------------------------------------------------------------------------------------------------------


IMPI_INLINE void load_rows(const V *block, int code, Locks *locks) {
  UNROLL for (int i = 0; i < locks_in(code); ++i) {
    const V *f = block + impi_jb_row(code, i);
    bool pin = is_pin(code) && i < 2;
    Row *row = &locks->row[i];
    row->aa = f[IMPI_JR_AA];
    row->ab = f[IMPI_JR_AB];
    row->mass = f[IMPI_JR_MASS];
    row->k = f[IMPI_JR_K];
    row->lambda = f[IMPI_JR_LAMBDA];
    row->c = f[IMPI_JR_C];
    if (!pin || i > 0) {
      row->lx = f[IMPI_JR_LX];
    }
    if (!pin) {
      row->ly = f[IMPI_JR_LY];
    }
  }
}


IMPI_INLINE void store_rows(V *block, int code, const Locks *locks) {
  UNROLL for (int i = 0; i < locks_in(code); ++i) {
    V *f = block + impi_jb_row(code, i);
    bool pin = is_pin(code) && i < 2;
    const Row *row = &locks->row[i];
    f[IMPI_JR_AA] = row->aa;
    f[IMPI_JR_AB] = row->ab;
    f[IMPI_JR_MASS] = row->mass;
    f[IMPI_JR_K] = row->k;
    f[IMPI_JR_LAMBDA] = row->lambda;
    f[IMPI_JR_C] = row->c;
    if (!pin || i > 0) {
      f[IMPI_JR_LX] = row->lx;
    }
    if (!pin) {
      f[IMPI_JR_LY] = row->ly;
    }
    UNROLL for (int k = 0; k < i; ++k) {
      if (!pin) {
        block[impi_jb_against(code, i, k)] = locks->against[i][k];
      }
    }
  }
}


// Return the coefficient of row i against row k, k < i (an element of L, see soft_joint_passes.c).
IMPI_INLINE V against(int code, const V *block, const Locks *locks, int i, int k) {
  return is_pin(code) && i == 1 ? -locks->row[1].lx
         : block != NULL        ? block[impi_jb_against(code, i, k)]
                                : locks->against[i][k];
}


// Map impulses to the orthogonal basis: lambda' = L^T lambda, with L from `locks`. map_out is the inverse, with L from
// `block` if it is not NULL.
IMPI_INLINE void map_in(int code, Locks *locks, const Drive *drive) {
  int n = locks_in(code);
  UNROLL for (int k = 0; k + 1 < n; ++k) {
    UNROLL for (int i = k + 1; i < n; ++i) {
      locks->row[k].lambda += against(code, NULL, locks, i, k) * locks->row[i].lambda;
    }
  }
  map_drive(code, locks, drive, 1);
}


IMPI_INLINE void map_out(int code, const V *block, Locks *locks, const Drive *drive) {
  int n = locks_in(code);
  map_drive(code, locks, drive, -1);
  UNROLL for (int k = n - 2; k >= 0; --k) {
    UNROLL for (int i = k + 1; i < n; ++i) {
      locks->row[k].lambda -= against(code, block, locks, i, k) * locks->row[i].lambda;
    }
  }
}


// Rotate the impulses of a pin, before orthogonalisation, from A's frame to the world's. turn_out is the inverse.
IMPI_INLINE void turn_in(int code, Locks *locks, V ux, V uy) {
  if (is_pin(code)) {
    V x = locks->row[0].lambda, y = locks->row[1].lambda;
    locks->row[0].lambda = x * ux - y * uy;
    locks->row[1].lambda = x * uy + y * ux;
  }
}


IMPI_INLINE void turn_out(int code, Locks *locks, V ux, V uy) {
  if (is_pin(code)) {
    V x = locks->row[0].lambda, y = locks->row[1].lambda;
    locks->row[0].lambda = x * ux + y * uy;
    locks->row[1].lambda = y * ux - x * uy;
  }
}


// Change a row's impulse by d = next - lambda, and add its work d (J v + d D / 2), with D = J M^-1 J^T.
IMPI_INLINE void drive_to(V *block, int code, int i, const Weights *w, Sides *v, Row *row, V speed, V next) {
  V step = next - row->lambda;
  row->lambda = next;
  block[impi_jb_row(code, i) + IMPI_JR_WORK] += step * (speed + 0.5f * step * row->k);
  apply(code, i, v, w, row, step);
}


// ---------------------------------------------------------------------------------------------------------------------
// Passes over one block
// ---------------------------------------------------------------------------------------------------------------------


// Number of lanes per vector of doubles.
#if IMPI_W == 1
#define DOUBLES 1
typedef float Narrow __attribute__((vector_size(4), aligned(4)));
#elif IMPI_W == 4
#define DOUBLES 2
typedef float Narrow __attribute__((vector_size(8), aligned(4)));
#define BOTH_LOW(a, b) __builtin_shufflevector(a, b, 0, 2)
#define BOTH_HIGH(a, b) __builtin_shufflevector(a, b, 1, 3)
#else
#define DOUBLES 4
typedef float Narrow __attribute__((vector_size(16), aligned(4)));
#endif
typedef double Wide __attribute__((vector_size(8 * DOUBLES), aligned(8)));

// Poses of a few bodies.
typedef struct Poses {
  Wide x, y, c, s;
} Poses;

IMPI_INLINE Poses poses_of(const ImpiMotion *motions, const int32_t *slots) {
#if IMPI_W == 1
  const ImpiMotion *p = &motions[slots[0]];
  return (Poses){{p->x}, {p->y}, {p->c}, {p->s}};
#elif IMPI_W == 4
  const ImpiMotion *p = &motions[slots[0]], *q = &motions[slots[1]];
  Wide p0 = {p->x, p->y}, q0 = {q->x, q->y}, p1 = {p->c, p->s}, q1 = {q->c, q->s};
  return (Poses){BOTH_LOW(p0, q0), BOTH_HIGH(p0, q0), BOTH_LOW(p1, q1), BOTH_HIGH(p1, q1)};
#else
  Wide r[4];
  UNROLL for (int i = 0; i < 4; ++i) { r[i] = *(const Wide *)(const void *)&motions[slots[i]].x; }
  Wide a = __builtin_shufflevector(r[0], r[1], 0, 4, 2, 6), b = __builtin_shufflevector(r[0], r[1], 1, 5, 3, 7);
  Wide c = __builtin_shufflevector(r[2], r[3], 0, 4, 2, 6), d = __builtin_shufflevector(r[2], r[3], 1, 5, 3, 7);
  return (Poses){__builtin_shufflevector(a, c, 0, 1, 4, 5), __builtin_shufflevector(b, d, 0, 1, 4, 5),
                 __builtin_shufflevector(a, c, 2, 3, 6, 7), __builtin_shufflevector(b, d, 2, 3, 6, 7)};
#endif
}


// A few consecutive joints of a block.
typedef struct BlockSlice {
  float *block, *kept; // the block, and its data for the start and the end of a step
  int lane;            // lane of the first joint
} BlockSlice;

#define FLOATS(slice, field) (*(Narrow *)(void *)&(slice)->block[(field)*IMPI_W + (slice)->lane])
#define DOUBLES_AT(slice, field) (*(const Wide *)(const void *)&(slice)->kept[(field)*IMPI_W + 2 * (slice)->lane])
#define SLOTS(slice, field) ((const int32_t *)(const void *)&(slice)->kept[(field)*IMPI_W + (slice)->lane])


// Write the error of a lock, given the value of its coordinate.
IMPI_INLINE void measure_lock(const BlockSlice *slice, int code, int bit, Wide value) {
  int i = row_of(code, bit);
  FLOATS(slice, impi_jb_start(code, i)) = __builtin_convertvector(value - DOUBLES_AT(slice, impi_jd_lock(i)), Narrow);
}


// Write the errors of drives, given the value of their coordinate.
IMPI_INLINE void measure_drive(const BlockSlice *slice, int code, Wide value) {
  int cold = impi_jb_drive_cold(code);
  UNROLL for (int i = 0; i < 3; ++i) {
    Wide error = value - DOUBLES_AT(slice, impi_jd_drive(code, IMPI_JX_LOWER + i));
    FLOATS(slice, cold + IMPI_JW_START_LOWER + i) = __builtin_convertvector(error, Narrow);
  }
}


// Measure a few joints at the current poses.
IMPI_INLINE void measure_slice(const ImpiJointPass *pass, const BlockSlice *slice, int code) {
  int cold = impi_jb_cold(code);
  const int32_t *slots_a = SLOTS(slice, IMPI_JD_BODY_A), *slots_b = SLOTS(slice, IMPI_JD_BODY_B);
  Poses a = poses_of(pass->motions, slots_a), b = poses_of(pass->motions, slots_b);
  Wide lax = DOUBLES_AT(slice, IMPI_JD_LAX), lay = DOUBLES_AT(slice, IMPI_JD_LAY);
  Wide lbx = DOUBLES_AT(slice, IMPI_JD_LBX), lby = DOUBLES_AT(slice, IMPI_JD_LBY);
  Wide axis_c = DOUBLES_AT(slice, IMPI_JD_AXIS_C), axis_s = DOUBLES_AT(slice, IMPI_JD_AXIS_S);
  Wide rax = a.c * lax - a.s * lay, ray = a.s * lax + a.c * lay;
  Wide rbx = b.c * lbx - b.s * lby, rby = b.s * lbx + b.c * lby;
  Wide sx = (b.x - a.x) + (rbx - rax), sy = (b.y - a.y) + (rby - ray);
  Wide ux = a.c * axis_c - a.s * axis_s, uy = a.s * axis_c + a.c * axis_s;
  FLOATS(slice, cold + IMPI_JC_RAX) = __builtin_convertvector(rax, Narrow);
  FLOATS(slice, cold + IMPI_JC_RAY) = __builtin_convertvector(ray, Narrow);
  FLOATS(slice, cold + IMPI_JC_RBX) = __builtin_convertvector(rbx, Narrow);
  FLOATS(slice, cold + IMPI_JC_RBY) = __builtin_convertvector(rby, Narrow);
  FLOATS(slice, cold + IMPI_JC_SX) = __builtin_convertvector(sx, Narrow);
  FLOATS(slice, cold + IMPI_JC_SY) = __builtin_convertvector(sy, Narrow);
  FLOATS(slice, cold + IMPI_JC_UX) = __builtin_convertvector(ux, Narrow);
  FLOATS(slice, cold + IMPI_JC_UY) = __builtin_convertvector(uy, Narrow);
  if (!is_pin(code) && code & IMPI_LOCKS_X) {
    measure_lock(slice, code, IMPI_LOCKS_X, ux * sx + uy * sy);
  }
  if (!is_pin(code) && code & IMPI_LOCKS_Y) {
    measure_lock(slice, code, IMPI_LOCKS_Y, ux * sy - uy * sx);
  }
  Wide value = sx;
  for (int i = 0; i < DOUBLES && code & (IMPI_LOCKS_ANGLE | IMPI_DRIVES_ANGLE); ++i) {
    value[i] = pass->motions[slots_b[i]].angle - pass->motions[slots_a[i]].angle;
  }
  for (int i = 0; i < DOUBLES && code & IMPI_LOCKS_DISTANCE; ++i) {
    value[i] = __builtin_sqrt(sx[i] * sx[i] + sy[i] * sy[i]);
  }
  if (code & IMPI_LOCKS_ANGLE) {
    measure_lock(slice, code, IMPI_LOCKS_ANGLE, value - DOUBLES_AT(slice, IMPI_JD_REFERENCE));
  }
  if (code & IMPI_LOCKS_DISTANCE) {
    measure_lock(slice, code, IMPI_LOCKS_DISTANCE, value);
  }
  if (is_driven(code)) {
    measure_drive(slice, code, value - DOUBLES_AT(slice, IMPI_JD_REFERENCE));
  }
}


IMPI_INLINE void measure_block(const ImpiJointPass *pass, V *block, float *kept, int code, bool fine) {
  (void)fine;
  for (int lane = 0; lane < IMPI_W; lane += DOUBLES) {
    BlockSlice slice = {(float *)(void *)block, kept, lane};
    measure_slice(pass, &slice, code);
  }
}


// Linearise the rows at the current displacements. impi_jb_raw: impulses before orthogonalisation (pin: in A's frame).
IMPI_INLINE void linearise_block(const ImpiJointPass *pass, V *block, float *kept, int code, bool fine) {
  (void)fine;
  (void)kept;
  V *cold = block + impi_jb_cold(code);
  Weights w = weights_of(block);
  Sides v = load(pass->velocity, block), d = load(pass->displacement, block);
  Plane plane = plane_of(pass, cold, &v, &d);
  Locks locks;
  UNROLL for (int i = 0; i < locks_in(code); ++i) { locks.row[i].lambda = block[impi_jb_raw(code, i)]; }
  turn_in(code, &locks, plane.ux, plane.uy);
  make_rows(pass, block, code, &w, &v, &plane, &locks);
  Drive drive;
  if (is_driven(code)) {
    load_drive(block, code, &locks, &drive);
    make_drive(block, code, &w, &v, &locks, &drive);
    aim_drive(pass, block, code, &locks, &drive);
    store_drive(block, code, &locks, &drive);
  }
  map_in(code, &locks, &drive);
  store_rows(block, code, &locks);
  cold[IMPI_JC_NOW_X] = plane.ux;
  cold[IMPI_JC_NOW_Y] = plane.uy;
}


IMPI_INLINE void begin_block(const ImpiJointPass *pass, V *block, float *kept, int code, bool fine) {
  (void)fine;
  int cold = impi_jb_cold(code);
  measure_block(pass, block, kept, code, false);
  UNROLL for (int k = 0; k < 3; ++k) { block[cold + IMPI_JC_WRENCH_X + k] = IMPI_SPLAT(0); }
  UNROLL for (int i = 0; i < locks_in(code); ++i) {
    block[impi_jb_row(code, i) + IMPI_JR_WORK] = IMPI_SPLAT(0);
    block[impi_jb_total(code, i)] = IMPI_SPLAT(0);
  }
  for (int i = IMPI_JW_TOTAL; i < IMPI_JW_FIELDS && is_driven(code); ++i) {
    block[impi_jb_drive_cold(code) + i] = IMPI_SPLAT(0);
  }
  linearise_block(pass, block, kept, code, false);
}


IMPI_INLINE void warm_start_block(const ImpiJointPass *pass, V *block, float *kept, int code, bool fine) {
  (void)kept;
  Weights w = weights_of(block);
  Sides v = load_velocities(pass, block, fine);
  Locks locks;
  load_rows(block, code, &locks);
  UNROLL for (int i = 0; i < locks_in(code); ++i) {
    Row *row = &locks.row[i];
    V next = row->lambda;
    row->lambda = IMPI_SPLAT(0);
    drive_to(block, code, i, &w, &v, row, speed_of(code, i, row, &v), next);
  }
  if (is_driven(code)) {
    Drive drive;
    load_drive(block, code, &locks, &drive);
    warm_start_drive(block, code, &w, &v, &locks, &drive);
  }
  save(pass, block, &w, v);
}


IMPI_INLINE void forget_block(const ImpiJointPass *pass, V *block, float *kept, int code, bool fine) {
  (void)fine;
  (void)kept;
  (void)pass;
  UNROLL for (int i = 0; i < locks_in(code); ++i) { block[impi_jb_row(code, i) + IMPI_JR_LAMBDA] = IMPI_SPLAT(0); }
  for (int i = 0; i < IMPI_JV_DRIVES && is_driven(code); ++i) {
    block[impi_jb_drive(code) + IMPI_JV_LAMBDA + i] = IMPI_SPLAT(0);
  }
}


IMPI_INLINE void solve_block(const ImpiJointPass *pass, V *block, float *kept, int code, bool fine) {
  (void)kept;
  Weights w = weights_of(block);
  Sides v = load_velocities(pass, block, fine);
  Locks locks;
  load_rows(block, code, &locks);
  UNROLL for (int i = 0; i < locks_in(code); ++i) {
    Row *row = &locks.row[i];
    V speed = speed_of(code, i, row, &v);
    V next = row->lambda - row->mass * pass->mass_scale * (speed + pass->bias_rate * row->c) -
             pass->impulse_scale * row->lambda;
    drive_to(block, code, i, &w, &v, row, speed, next);
    block[impi_jb_row(code, i) + IMPI_JR_LAMBDA] = row->lambda;
  }
  if (is_driven(code)) {
    Drive drive;
    load_drive(block, code, &locks, &drive);
    solve_drive(pass, block, code, &w, &v, &locks, &drive, false);
    UNROLL for (int i = 0; i < IMPI_JV_DRIVES; ++i) {
      block[impi_jb_drive(code) + IMPI_JV_LAMBDA + i] = drive.lambda[i];
    }
  }
  save(pass, block, &w, v);
}


// Add an impulse of row i to `wrench`, the impulse of the joint on B.
IMPI_INLINE void bear(int code, int i, V *wrench, const Row *row, V impulse) {
  bool pin = is_pin(code) && i < 2;
  wrench[0] += pin && i == 0 ? impulse : impulse * row->lx;
  if (!pin || i > 0) {
    wrench[1] += pin ? impulse : impulse * row->ly;
  }
  wrench[2] += impulse * row->ab;
}


// Add the work of drives in the substep: impulse times the mean of the speeds before and after all impulses.
IMPI_INLINE void share_block(const ImpiJointPass *pass, V *block, float *kept, int code, bool fine) {
  (void)fine;
  (void)kept;
  if (!is_driven(code)) {
    return;
  }
  Sides before = load(pass->before, block), after = load(pass->velocity, block);
  V speed = 0.5f * (before.b.z + after.b.z) - 0.5f * (before.a.z + after.a.z);
  UNROLL for (int i = 0; i < IMPI_JV_DRIVES; ++i) {
    block[impi_jb_drive_cold(code) + IMPI_JW_SHARE + i] += block[impi_jb_drive(code) + IMPI_JV_LAMBDA + i] * speed;
  }
}


// Return the mask of joints whose error must be computed in double.
IMPI_INLINE ImpiMask needs_recheck(int code, V most_sq, const Plane *plane, const Locks *locks, const Drive *drive) {
  ImpiMask needs_recheck = IMPI_SPLAT(0) > 0;
  if (is_pin(code)) {
    needs_recheck = plane->ex * plane->ex + plane->ey * plane->ey > most_sq;
  } else if (code != IMPI_LOCKS_ANGLE) {
    needs_recheck = locks->error[0] * locks->error[0] > most_sq;
  }
  if (code & IMPI_LOCKS_ANGLE) {
    V angle = locks->error[row_of(code, IMPI_LOCKS_ANGLE)];
    needs_recheck |= angle * angle > IMPI_ANGLE_RECHECK * IMPI_ANGLE_RECHECK;
  }
  if (is_driven(code)) {
    needs_recheck |= impi_vmin(drive->c_lower, -drive->c_upper) < -IMPI_ANGLE_RECHECK;
  }
  return needs_recheck;
}


// Linearise the rows at the new positions, and solve them without position bias. Add to the wrench the impulses
// before this pass, along the old rows, and the changes of impulses in this pass, along the new rows.
IMPI_INLINE void relax_block(const ImpiJointPass *pass, V *block, float *kept, int code, bool fine) {
  (void)kept;
  int n = locks_in(code);
  V *cold = block + impi_jb_cold(code), *wrench = cold + IMPI_JC_WRENCH_X;
  V borne[3] = {wrench[0], wrench[1], wrench[2]};
  Locks locks;
  load_rows(block, code, &locks);
  UNROLL for (int i = 0; i < n; ++i) { bear(code, i, borne, &locks.row[i], locks.row[i].lambda); }
  Drive drive;
  if (is_driven(code)) {
    load_drive(block, code, &locks, &drive);
    bear(code, n, borne, &locks.row[n], drive_sum(&drive));
  }
  map_out(code, block, &locks, &drive);
  turn_out(code, &locks, cold[IMPI_JC_NOW_X], cold[IMPI_JC_NOW_Y]);
  Weights w = weights_of(block);
  Sides v = load_velocities(pass, block, fine), d = load(pass->displacement, block);
  Plane plane = plane_of(pass, cold, &v, &d);
  turn_in(code, &locks, plane.ux, plane.uy);
  make_rows(pass, block, code, &w, &v, &plane, &locks);
  if (is_driven(code)) {
    make_drive(block, code, &w, &v, &locks, &drive);
  }
  map_in(code, &locks, &drive);
  if (pass->last) {
    V most_sq = impi_vmax(cold[IMPI_JC_MOST_SQ], -cold[IMPI_JC_MOST_SQ]);
    cold[IMPI_JC_MOST_SQ] = impi_select(needs_recheck(code, most_sq, &plane, &locks, &drive), -most_sq, most_sq);
  }
  if (pass->relax) {
    UNROLL for (int i = 0; i < n; ++i) {
      Row *row = &locks.row[i];
      V speed = speed_of(code, i, row, &v), before = row->lambda;
      drive_to(block, code, i, &w, &v, row, speed, before - row->mass * speed);
      bear(code, i, borne, row, row->lambda - before);
    }
    if (is_driven(code)) {
      V step = solve_drive(pass, block, code, &w, &v, &locks, &drive, true);
      bear(code, n, borne, &locks.row[n], step);
    }
    save(pass, block, &w, v);
  }
  store_rows(block, code, &locks);
  if (is_driven(code)) {
    note_drive(pass, block, code, &drive);
    aim_drive(pass, block, code, &locks, &drive);
    store_drive(block, code, &locks, &drive);
  }
  map_out(code, NULL, &locks, &drive);
  turn_out(code, &locks, plane.ux, plane.uy);
  cold[IMPI_JC_NOW_X] = plane.ux;
  cold[IMPI_JC_NOW_Y] = plane.uy;
  UNROLL for (int k = 0; k < 3; ++k) { wrench[k] = borne[k]; }
  UNROLL for (int i = 0; i < n; ++i) {
    block[impi_jb_raw(code, i)] = locks.row[i].lambda;
    block[impi_jb_total(code, i)] += locks.row[i].lambda;
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Passes over blocks, for every combination of locks and drives
// ---------------------------------------------------------------------------------------------------------------------


#define FOR_LOCKS(block, code, fine) \
  case code: \
    for (int i = first; i < first + count; ++i) { \
      block(pass, block_of(form, blocks, i), kept_of(pass, form, i), code, fine); \
    } \
    break

#define PASS_OVER(name, block, fine) \
  static void name(const ImpiJointPass *pass, const ImpiJointForm *form, float *blocks, int first, int count) { \
    switch (form->code) { \
      FOR_LOCKS(block, IMPI_LOCKS_X, fine); \
      FOR_LOCKS(block, IMPI_LOCKS_Y, fine); \
      FOR_LOCKS(block, IMPI_LOCKS_ANGLE, fine); \
      FOR_LOCKS(block, IMPI_LOCKS_X | IMPI_LOCKS_Y, fine); \
      FOR_LOCKS(block, IMPI_LOCKS_Y | IMPI_LOCKS_ANGLE, fine); \
      FOR_LOCKS(block, IMPI_LOCKS_X | IMPI_LOCKS_ANGLE, fine); \
      FOR_LOCKS(block, IMPI_LOCKS_X | IMPI_LOCKS_Y | IMPI_LOCKS_ANGLE, fine); \
      FOR_LOCKS(block, IMPI_LOCKS_DISTANCE, fine); \
      FOR_LOCKS(block, IMPI_PIN | IMPI_DRIVES_ANGLE, fine); \
      FOR_LOCKS(block, IMPI_PIN | IMPI_DRIVES_ANGLE | IMPI_DRIVES_LIMITED, fine); \
    } \
  }

#define PASS(name) PASS_OVER(name, name##_block, false)
// The variant of a pass for short substeps.
#define FINE_PASS(name) PASS_OVER(name##_fine, name##_block, true)

PASS(begin)
PASS(measure)
PASS(linearise)
PASS(warm_start)
PASS(forget)
PASS(solve)
PASS(share)
PASS(relax)
FINE_PASS(warm_start)
FINE_PASS(solve)
FINE_PASS(relax)


// Add the work of the drives in the step to their total work and to `part` (partial sums over all joints). Subtract it
// from the work of the joint's first lock, which contains it.
static void finish_drive(V *block, float *kept, int code, double *part) {
  for (int i = 0; i < IMPI_JV_DRIVES; ++i) {
    V *share = &block[impi_jb_drive_cold(code) + IMPI_JW_SHARE + i];
    double *work = (double *)(void *)&kept[impi_jd_drive(code, IMPI_JX_WORK + i) * IMPI_W];
    block[impi_jb_row(code, 0) + IMPI_JR_WORK] -= *share;
    *share = where(*share - *share == 0, *share);
    for (int lane = 0; lane < IMPI_W; ++lane) {
      work[lane] += (double)(*share)[lane];
      part[lane] += (double)(*share)[lane];
    }
  }
}


static bool finish(const ImpiJointPass *pass, const ImpiJointForm *form, float *blocks, int first, int count,
                   double *sums) {
  int n = form->locks, code = form->code;
  ImpiMask needs_recheck = IMPI_SPLAT(0) > 0;
  for (int index = first; index < first + count; ++index) {
    V *block = block_of(form, blocks, index);
    double *part = sums + index * IMPI_W % IMPI_JOINT_SUMS;
    needs_recheck |= block[impi_jb_cold(code) + IMPI_JC_MOST_SQ] < 0;
    if (is_driven(code)) {
      finish_drive(block, kept_of(pass, form, index), code, part);
    }
    for (int i = 0; i < n; ++i) {
      V *work = &block[impi_jb_row(code, i) + IMPI_JR_WORK];
      double *kept = (double *)(void *)&kept_of(pass, form, index)[impi_jd_sum(code, i) * IMPI_W];
      *work = where(*work - *work == 0, *work);
      for (int lane = 0; lane < IMPI_W; ++lane) {
        kept[lane] += (double)(*work)[lane];
        part[lane] += (double)(*work)[lane];
      }
    }
  }
  int32_t any = 0;
  for (int lane = 0; lane < IMPI_W; ++lane) {
    any |= needs_recheck[lane];
  }
  return any != 0;
}


const ImpiJointKernels IMPI_FOR_WIDTH(impi_joint_kernels) = {
    .width = IMPI_W,
    .begin = begin,
    .measure = measure,
    .linearise = linearise,
    .warm_start = warm_start,
    .forget = forget,
    .solve = solve,
    .share = share,
    .relax = relax,
    .finish = finish,
    .warm_start_fine = warm_start_fine,
    .solve_fine = solve_fine,
    .relax_fine = relax_fine,
};
