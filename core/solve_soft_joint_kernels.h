// Level 5. The lane kernels of the soft solver's joints, written once: what solve_soft_joint_passes.c does to one joint,
// done to a block of them. A file that includes this defines IMPI_W and IMPI_JOINT_KERNELS (the name of the table) and is
// compiled for an instruction set of that width. Every operation is per lane; no width changes a bit.
//
// Gauges are measured in double when the step begins; within it a coordinate is that value and what the displacements
// since then changed, in float, so that no digits are lost far from the origin or at a lock's value:
//   r = r0 + (R - 1) r0,  u = u0 + (R_a - 1) u0,  e - e0 = d_b - d_a + (R_b - 1) r_b0 - (R_a - 1) r_a0
//   x, y:      C - C0 = u . (e - e0) + (u - u0) . e0
//   angle:     C - C0 = theta_b - theta_a
//   distance:  C - C0 = |e| - |e0| = (e - e0) . (e + e0) / (|e| + |e0|)
#include "lanes.h"
#include "solve_soft_joint_lanes.h"

// In float, whose rounding is 1e-7 of the row's own.
#define DROPPED_PIVOT 1e-6f
// Closer than this two anchors have no direction between them [m].
#define COINCIDENT 1e-12f

typedef ImpiFloats V;

// A row: its linear parts on A and B are opposite.
typedef struct Row {
  V lx, ly, aa, ab;
  V mass, k, lambda, c;
} Row;

typedef struct Weights {
  V ma, mb, ia, ib;
} Weights;

typedef struct Sides {
  ImpiQuad a, b;
} Sides;

// The locks of a block while a pass is over them.
typedef struct Locks {
  Row row[IMPI_FEW];
  V against[IMPI_FEW][IMPI_FEW]; // [i][k], k < i
} Locks;

#define UNROLL _Pragma("GCC unroll 4")


IMPI_INLINE int locks_in(int code) {
  return code & IMPI_LOCKS_DISTANCE ? 1 : (code & 1) + (code >> 1 & 1) + (code >> 2 & 1);
}


IMPI_INLINE V *block_of(const ImpiJointForm *form, float *blocks, int index) {
  return (V *)(void *)(blocks + (size_t)index * (size_t)form->fields * IMPI_W);
}


IMPI_INLINE Weights weights_of(const V *block) {
  return (Weights){block[IMPI_JB_MA], block[IMPI_JB_MB], block[IMPI_JB_IA], block[IMPI_JB_IB]};
}


IMPI_INLINE const int32_t *lanes_a(const V *block) { return (const int32_t *)(const void *)&block[IMPI_JB_A]; }


IMPI_INLINE const int32_t *lanes_b(const V *block) { return (const int32_t *)(const void *)&block[IMPI_JB_B]; }


IMPI_INLINE Sides load(const ImpiRecord *records, const V *block) {
  return (Sides){impi_gather(records, lanes_a(block)), impi_gather(records, lanes_b(block))};
}


IMPI_INLINE ImpiQuad chosen(ImpiMask mask, ImpiQuad one, ImpiQuad other) {
  return (ImpiQuad){impi_select(mask, one.x, other.x), impi_select(mask, one.y, other.y),
                    impi_select(mask, one.z, other.z), impi_select(mask, one.w, other.w)};
}


// Bodies without inverse mass (all of them are in runs of the ground) get back what they had, even if the other body has
// blown up. A parallel run must not write them at all; nor the lane 0 of empty lanes.
IMPI_INLINE void save(const ImpiJointPass *pass, const V *block, const Weights *w, Sides v) {
  if (pass->ground) {
    Sides old = load(pass->velocity, block);
    v.a = chosen((w->ma > 0) | (w->ia > 0), v.a, old.a);
    v.b = chosen((w->mb > 0) | (w->ib > 0), v.b, old.b);
  }
  impi_scatter(pass->velocity, lanes_a(block), v.a);
  impi_scatter(pass->velocity, lanes_b(block), v.b);
}


IMPI_INLINE V clamp(V x, float bound) { return impi_vmax(impi_vmin(x, IMPI_SPLAT(bound)), IMPI_SPLAT(-bound)); }


IMPI_INLINE V speed_of(const Row *row, const Sides *v) {
  return row->lx * (v->b.x - v->a.x) + row->ly * (v->b.y - v->a.y) + (row->aa * v->a.z + row->ab * v->b.z);
}


IMPI_INLINE V metric(const Weights *w, const Row *p, const Row *q) {
  return (w->ma + w->mb) * (p->lx * q->lx + p->ly * q->ly) + (w->ia * (p->aa * q->aa) + w->ib * (p->ab * q->ab));
}


IMPI_INLINE void apply(Sides *v, const Weights *w, const Row *row, V step) {
  V px = row->lx * step, py = row->ly * step;
  v->a.x -= w->ma * px;
  v->a.y -= w->ma * py;
  v->a.z += w->ia * (row->aa * step);
  v->b.x += w->mb * px;
  v->b.y += w->mb * py;
  v->b.z += w->ib * (row->ab * step);
}


// x where the mask is set, else 0.
IMPI_INLINE V where(ImpiMask mask, V x) { return (V)(mask & (ImpiMask)x); }


// ---------------------------------------------------------------------------------------------------------------------
// Linearisation
// ---------------------------------------------------------------------------------------------------------------------


// What the coordinates of a joint share: see coordinate.c.
typedef struct Plane {
  V rx, ry, dx, dy;         // lever of B's anchor; from A's centre to B's anchor
  V ax, ay;                 // lever of A's anchor
  V ex, ey, grown_x, grown_y; // from A's anchor to B's, and how that changed since the step began
  V sx, sy;                 // what it was
  V ux, uy, turned_x, turned_y; // the axis, and how it changed
  V wa, wb;                 // clamped
} Plane;


IMPI_INLINE Plane plane_of(const ImpiJointPass *pass, const V *cold, const Sides *v, const Sides *d) {
  Plane p;
  V rax = cold[IMPI_JC_RAX], ray = cold[IMPI_JC_RAY], rbx = cold[IMPI_JC_RBX], rby = cold[IMPI_JC_RBY];
  V ux = cold[IMPI_JC_UX], uy = cold[IMPI_JC_UY];
  V qax = d->a.z * rax - d->a.w * ray, qay = d->a.w * rax + d->a.z * ray;
  V qbx = d->b.z * rbx - d->b.w * rby, qby = d->b.w * rbx + d->b.z * rby;
  p.grown_x = (d->b.x - d->a.x) + (qbx - qax);
  p.grown_y = (d->b.y - d->a.y) + (qby - qay);
  p.sx = cold[IMPI_JC_SX];
  p.sy = cold[IMPI_JC_SY];
  p.ex = p.sx + p.grown_x;
  p.ey = p.sy + p.grown_y;
  p.rx = rbx + qbx;
  p.ry = rby + qby;
  p.ax = rax + qax;
  p.ay = ray + qay;
  p.dx = p.ax + p.ex;
  p.dy = p.ay + p.ey;
  p.turned_x = d->a.z * ux - d->a.w * uy;
  p.turned_y = d->a.w * ux + d->a.z * uy;
  p.ux = ux + p.turned_x;
  p.uy = uy + p.turned_y;
  p.wa = clamp(v->a.z, pass->max_turn);
  p.wb = clamp(v->b.z, pass->max_turn);
  return p;
}


// A row along (ux, uy), which turns with A and has turned by (tx, ty): its J, how much its coordinate changed, and the
// second derivative of that.
IMPI_INLINE Row axis_row(const Plane *p, const Sides *v, V ux, V uy, V tx, V ty, V *out_change, V *out_curvature) {
  V bend_x = p->wa * p->wa * p->dx - p->wb * p->wb * p->rx, bend_y = p->wa * p->wa * p->dy - p->wb * p->wb * p->ry;
  V drift_x = (v->b.x - v->b.z * p->ry) - (v->a.x - v->a.z * p->dy);
  V drift_y = (v->b.y + v->b.z * p->rx) - (v->a.y + v->a.z * p->dx);
  *out_change = (ux * p->grown_x + uy * p->grown_y) + (tx * p->sx + ty * p->sy);
  *out_curvature = (ux * bend_x + uy * bend_y) - 2 * p->wa * (uy * drift_x - ux * drift_y);
  return (Row){.lx = ux, .ly = uy, .aa = -(p->dx * uy - p->dy * ux), .ab = p->rx * uy - p->ry * ux};
}


IMPI_INLINE Row distance_row(const ImpiJointPass *pass, const Plane *p, const Sides *v, V *out_change,
                             V *out_curvature) {
  V length = impi_sqrt(p->ex * p->ex + p->ey * p->ey), before = impi_sqrt(p->sx * p->sx + p->sy * p->sy);
  ImpiMask some = length > COINCIDENT;
  V inverse = 1 / impi_select(some, length, IMPI_SPLAT(1));
  V ux = impi_select(some, p->ex * inverse, p->ux), uy = impi_select(some, p->ey * inverse, p->uy);
  V vx = (v->b.x - v->b.z * p->ry) - (v->a.x - v->a.z * p->ay);
  V vy = (v->b.y + v->b.z * p->rx) - (v->a.y + v->a.z * p->ax);
  V across = ux * vy - uy * vx;
  V turning = impi_select(some, across * clamp(across * inverse, pass->max_turn), IMPI_SPLAT(0));
  V both = length + before;
  V grown = p->grown_x * (p->ex + p->sx) + p->grown_y * (p->ey + p->sy);
  *out_change = impi_select(both > 0, grown / impi_select(both > 0, both, IMPI_SPLAT(1)), IMPI_SPLAT(0));
  *out_curvature = (p->wa * p->wa * (ux * p->ax + uy * p->ay) - p->wb * p->wb * (ux * p->rx + uy * p->ry)) + turning;
  return (Row){.lx = ux, .ly = uy, .aa = -(p->ax * uy - p->ay * ux), .ab = p->rx * uy - p->ry * ux};
}


// Row i from its raw J, its impulse and its error.
IMPI_INLINE void make_row(Locks *locks, const Weights *w, int i) {
  Row *row = &locks->row[i];
  V own = metric(w, row, row), d = own;
  UNROLL for (int k = 0; k < i; ++k) {
    const Row *other = &locks->row[k];
    V l = metric(w, row, other) * other->mass;
    locks->against[i][k] = l;
    row->lx -= l * other->lx;
    row->ly -= l * other->ly;
    row->aa -= l * other->aa;
    row->ab -= l * other->ab;
    row->c -= l * other->c;
  }
  if (i > 0) {
    d = metric(w, row, row);
  }
  ImpiMask acts = d > DROPPED_PIVOT * own;
  row->mass = where(acts, 1 / impi_select(acts, d, IMPI_SPLAT(1)));
  row->k = where(acts, d);
  row->lambda = where(acts, row->lambda);
}


// The rows of a block at displacements d. Impulses are in the rows already, raw.
IMPI_INLINE void make_rows(const ImpiJointPass *pass, const V *block, int code, const Weights *w, const Sides *v,
                           const Sides *d, Locks *locks) {
  int n = locks_in(code), i = 0;
  Plane p = plane_of(pass, block + impi_jb_cold(n), v, d);
  UNROLL for (int bit = 0; bit < 4; ++bit) {
    if (!(code >> bit & 1)) {
      continue;
    }
    V change, curvature = IMPI_SPLAT(0), lambda = locks->row[i].lambda;
    if (1 << bit == IMPI_LOCKS_X) {
      locks->row[i] = axis_row(&p, v, p.ux, p.uy, p.turned_x, p.turned_y, &change, &curvature);
    } else if (1 << bit == IMPI_LOCKS_Y) {
      locks->row[i] = axis_row(&p, v, -p.uy, p.ux, -p.turned_y, p.turned_x, &change, &curvature);
    } else if (1 << bit == IMPI_LOCKS_ANGLE) {
      locks->row[i] = (Row){.lx = IMPI_SPLAT(0), .ly = IMPI_SPLAT(0), .aa = IMPI_SPLAT(-1), .ab = IMPI_SPLAT(1)};
      change = v->b.w - v->a.w;
    } else {
      locks->row[i] = distance_row(pass, &p, v, &change, &curvature);
    }
    locks->row[i].lambda = lambda;
    locks->row[i].c = clamp(block[impi_jb_start(n, i)] + change, pass->reach) + pass->bend * curvature;
    make_row(locks, w, i);
    ++i;
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Rows in and out of blocks; bases
// ---------------------------------------------------------------------------------------------------------------------


IMPI_INLINE void load_rows(const V *block, int n, Locks *locks) {
  UNROLL for (int i = 0; i < n; ++i) {
    const V *f = block + impi_jb_row(i);
    locks->row[i] = (Row){f[IMPI_JR_LX], f[IMPI_JR_LY], f[IMPI_JR_AA],     f[IMPI_JR_AB],
                          f[IMPI_JR_MASS], f[IMPI_JR_K],  f[IMPI_JR_LAMBDA], f[IMPI_JR_C]};
    UNROLL for (int k = 0; k < i; ++k) { locks->against[i][k] = block[impi_jb_against(n, i, k)]; }
  }
}


IMPI_INLINE void store_rows(V *block, int n, const Locks *locks) {
  UNROLL for (int i = 0; i < n; ++i) {
    V *f = block + impi_jb_row(i);
    const Row *row = &locks->row[i];
    f[IMPI_JR_LX] = row->lx;
    f[IMPI_JR_LY] = row->ly;
    f[IMPI_JR_AA] = row->aa;
    f[IMPI_JR_AB] = row->ab;
    f[IMPI_JR_MASS] = row->mass;
    f[IMPI_JR_K] = row->k;
    f[IMPI_JR_LAMBDA] = row->lambda;
    f[IMPI_JR_C] = row->c;
    UNROLL for (int k = 0; k < i; ++k) { block[impi_jb_against(n, i, k)] = locks->against[i][k]; }
  }
}


// lambda' = L^T lambda and back.
IMPI_INLINE void map_in(Locks *locks, int n) {
  UNROLL for (int k = 0; k + 1 < n; ++k) {
    UNROLL for (int i = k + 1; i < n; ++i) { locks->row[k].lambda += locks->against[i][k] * locks->row[i].lambda; }
  }
}


IMPI_INLINE void map_out(Locks *locks, int n) {
  UNROLL for (int k = n - 2; k >= 0; --k) {
    UNROLL for (int i = k + 1; i < n; ++i) { locks->row[k].lambda -= locks->against[i][k] * locks->row[i].lambda; }
  }
}


// Change a row's impulse to `next`; its work is step (J v + step D / 2).
IMPI_INLINE void drive_to(V *block, int i, const Weights *w, Sides *v, Row *row, V speed, V next) {
  V step = next - row->lambda;
  row->lambda = next;
  block[impi_jb_row(i) + IMPI_JR_WORK] += step * (speed + 0.5f * step * row->k);
  apply(v, w, row, step);
}


// ---------------------------------------------------------------------------------------------------------------------
// Passes over one block
// ---------------------------------------------------------------------------------------------------------------------


// A few lanes in double, as many as a register of floats has half as many of.
#if IMPI_W == 4
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
#if IMPI_W == 4
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


// The values of an angle less its reference, or of a distance: lane by lane.
IMPI_INLINE Wide values_of(int bit, const ImpiMotion *motions, const int32_t *a, const int32_t *b, Wide sx, Wide sy) {
  Wide value;
  for (int i = 0; i < DOUBLES; ++i) {
    value[i] = bit == IMPI_LOCKS_ANGLE ? motions[b[i]].angle - motions[a[i]].angle
                                       : __builtin_sqrt(sx[i] * sx[i] + sy[i] * sy[i]);
  }
  return value;
}


// Measure a few joints of a block, from a lane on, at the poses of now.
IMPI_INLINE void measure(const ImpiJointPass *pass, float *block, int lane, int code) {
  int n = locks_in(code), cold = impi_jb_cold(n), kept = impi_jb_kept(n), row = 0;
#define FLOATS(field) *(Narrow *)(void *)&block[(field)*IMPI_W + lane]
#define KEPT(field) *(const Wide *)(const void *)&block[(field)*IMPI_W + 2 * lane]
  const int32_t *slots_a = (const int32_t *)(const void *)&block[(kept + IMPI_JD_BODY_A) * IMPI_W + lane];
  const int32_t *slots_b = (const int32_t *)(const void *)&block[(kept + IMPI_JD_BODY_B) * IMPI_W + lane];
  Poses a = poses_of(pass->motions, slots_a), b = poses_of(pass->motions, slots_b);
  Wide lax = KEPT(kept + IMPI_JD_LAX), lay = KEPT(kept + IMPI_JD_LAY);
  Wide lbx = KEPT(kept + IMPI_JD_LBX), lby = KEPT(kept + IMPI_JD_LBY);
  Wide axis_c = KEPT(kept + IMPI_JD_AXIS_C), axis_s = KEPT(kept + IMPI_JD_AXIS_S);
  Wide rax = a.c * lax - a.s * lay, ray = a.s * lax + a.c * lay;
  Wide rbx = b.c * lbx - b.s * lby, rby = b.s * lbx + b.c * lby;
  Wide sx = (b.x - a.x) + (rbx - rax), sy = (b.y - a.y) + (rby - ray);
  Wide ux = a.c * axis_c - a.s * axis_s, uy = a.s * axis_c + a.c * axis_s;
  FLOATS(cold + IMPI_JC_RAX) = __builtin_convertvector(rax, Narrow);
  FLOATS(cold + IMPI_JC_RAY) = __builtin_convertvector(ray, Narrow);
  FLOATS(cold + IMPI_JC_RBX) = __builtin_convertvector(rbx, Narrow);
  FLOATS(cold + IMPI_JC_RBY) = __builtin_convertvector(rby, Narrow);
  FLOATS(cold + IMPI_JC_SX) = __builtin_convertvector(sx, Narrow);
  FLOATS(cold + IMPI_JC_SY) = __builtin_convertvector(sy, Narrow);
  FLOATS(cold + IMPI_JC_UX) = __builtin_convertvector(ux, Narrow);
  FLOATS(cold + IMPI_JC_UY) = __builtin_convertvector(uy, Narrow);
  UNROLL for (int bit = 1; bit <= IMPI_LOCKS_DISTANCE; bit *= 2) {
    if (code & bit) {
      Wide value;
      if (bit == IMPI_LOCKS_X) {
        value = ux * sx + uy * sy;
      } else if (bit == IMPI_LOCKS_Y) {
        value = ux * sy - uy * sx;
      } else {
        value = values_of(bit, pass->motions, slots_a, slots_b, sx, sy);
      }
      if (bit == IMPI_LOCKS_ANGLE) {
        value -= KEPT(kept + IMPI_JD_REFERENCE);
      }
      value -= KEPT(impi_jb_lock(n, row));
      FLOATS(impi_jb_start(n, row)) = __builtin_convertvector(value, Narrow);
      ++row;
    }
  }
#undef FLOATS
#undef KEPT
}


IMPI_INLINE void linearise_block(const ImpiJointPass *pass, const ImpiJointForm *form, V *block, int code) {
  (void)form;
  int n = locks_in(code);
  Weights w = weights_of(block);
  Sides v = load(pass->velocity, block), d = load(pass->displacement, block);
  Locks locks;
  load_rows(block, n, &locks);
  make_rows(pass, block, code, &w, &v, &d, &locks);
  store_rows(block, n, &locks);
}


IMPI_INLINE void begin_block(const ImpiJointPass *pass, const ImpiJointForm *form, V *block, int code) {
  int n = locks_in(code), cold = impi_jb_cold(n);
  for (int lane = 0; lane < IMPI_W; lane += DOUBLES) {
    measure(pass, (float *)(void *)block, lane, code);
  }
  UNROLL for (int k = 0; k < 3; ++k) { block[cold + IMPI_JC_WRENCH_X + k] = IMPI_SPLAT(0); }
  UNROLL for (int i = 0; i < n; ++i) {
    block[impi_jb_row(i) + IMPI_JR_WORK] = IMPI_SPLAT(0);
    block[impi_jb_total(n, i)] = IMPI_SPLAT(0);
  }
  linearise_block(pass, form, block, code);
}


IMPI_INLINE void warm_start_block(const ImpiJointPass *pass, const ImpiJointForm *form, V *block, int code) {
  (void)form;
  int n = locks_in(code);
  Weights w = weights_of(block);
  Sides v = load(pass->velocity, block);
  Locks locks;
  load_rows(block, n, &locks);
  if (!pass->warm) {
    UNROLL for (int i = 0; i < n; ++i) { locks.row[i].lambda = IMPI_SPLAT(0); }
  }
  map_in(&locks, n);
  UNROLL for (int i = 0; i < n; ++i) {
    Row *row = &locks.row[i];
    V speed = speed_of(row, &v), next = row->lambda;
    row->lambda = IMPI_SPLAT(0);
    drive_to(block, i, &w, &v, row, speed, next);
    block[impi_jb_row(i) + IMPI_JR_LAMBDA] = row->lambda;
  }
  save(pass, block, &w, v);
}


IMPI_INLINE void solve_block(const ImpiJointPass *pass, const ImpiJointForm *form, V *block, int code) {
  (void)form;
  int n = locks_in(code);
  Weights w = weights_of(block);
  Sides v = load(pass->velocity, block);
  Locks locks;
  load_rows(block, n, &locks);
  UNROLL for (int i = 0; i < n; ++i) {
    Row *row = &locks.row[i];
    V speed = speed_of(row, &v);
    V next = row->lambda - row->mass * pass->mass_scale * (speed + pass->bias_rate * row->c) -
             pass->impulse_scale * row->lambda;
    drive_to(block, i, &w, &v, row, speed, next);
    block[impi_jb_row(i) + IMPI_JR_LAMBDA] = row->lambda;
  }
  save(pass, block, &w, v);
}


// Add the impulses of a row to what the joint exerts on B.
IMPI_INLINE void bear(V *wrench, const Row *row, V impulse) {
  wrench[0] += impulse * row->lx;
  wrench[1] += impulse * row->ly;
  wrench[2] += impulse * row->ab;
}


// The impulses before positions moved acted along the rows of then, what relax changes acts along those of now.
IMPI_INLINE void relax_block(const ImpiJointPass *pass, const ImpiJointForm *form, V *block, int code) {
  (void)form;
  int n = locks_in(code);
  Weights w = weights_of(block);
  Sides v = load(pass->velocity, block), d = load(pass->displacement, block);
  V *wrench = block + impi_jb_cold(n) + IMPI_JC_WRENCH_X;
  V borne[3] = {wrench[0], wrench[1], wrench[2]};
  Locks locks;
  load_rows(block, n, &locks);
  UNROLL for (int i = 0; i < n; ++i) { bear(borne, &locks.row[i], locks.row[i].lambda); }
  map_out(&locks, n);
  make_rows(pass, block, code, &w, &v, &d, &locks);
  map_in(&locks, n);
  if (pass->relax) {
    UNROLL for (int i = 0; i < n; ++i) {
      Row *row = &locks.row[i];
      V speed = speed_of(row, &v), before = row->lambda;
      drive_to(block, i, &w, &v, row, speed, before - row->mass * speed);
      bear(borne, row, row->lambda - before);
    }
  }
  map_out(&locks, n);
  store_rows(block, n, &locks);
  UNROLL for (int k = 0; k < 3; ++k) { wrench[k] = borne[k]; }
  UNROLL for (int i = 0; i < n; ++i) { block[impi_jb_total(n, i)] += locks.row[i].lambda; }
  if (pass->relax) {
    save(pass, block, &w, v);
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Passes over blocks, for every set of locks
// ---------------------------------------------------------------------------------------------------------------------


#define FOR_LOCKS(name, code) \
  case code: \
    for (int i = first; i < first + count; ++i) { \
      name##_block(pass, form, block_of(form, blocks, i), code); \
    } \
    break

#define PASS(name) \
  static void name(const ImpiJointPass *pass, const ImpiJointForm *form, float *blocks, int first, int count) { \
    switch (form->code) { \
      FOR_LOCKS(name, IMPI_LOCKS_X); \
      FOR_LOCKS(name, IMPI_LOCKS_Y); \
      FOR_LOCKS(name, IMPI_LOCKS_ANGLE); \
      FOR_LOCKS(name, IMPI_LOCKS_X | IMPI_LOCKS_Y); \
      FOR_LOCKS(name, IMPI_LOCKS_Y | IMPI_LOCKS_ANGLE); \
      FOR_LOCKS(name, IMPI_LOCKS_X | IMPI_LOCKS_ANGLE); \
      FOR_LOCKS(name, IMPI_LOCKS_X | IMPI_LOCKS_Y | IMPI_LOCKS_ANGLE); \
      FOR_LOCKS(name, IMPI_LOCKS_DISTANCE); \
    } \
  }

PASS(begin)
PASS(linearise)
PASS(warm_start)
PASS(solve)
PASS(relax)


static void finish(const ImpiJointForm *form, float *blocks, int first, int count, double *sums) {
  int n = form->locks;
  for (int index = first; index < first + count; ++index) {
    V *block = block_of(form, blocks, index);
    double *part = sums + index * IMPI_W % IMPI_JOINT_SUMS;
    for (int i = 0; i < n; ++i) {
      V *work = &block[impi_jb_row(i) + IMPI_JR_WORK];
      double *kept = (double *)(void *)&block[impi_jb_sum(n, i)];
      *work = where(*work - *work == 0, *work);
      for (int lane = 0; lane < IMPI_W; ++lane) {
        kept[lane] += (double)(*work)[lane];
        part[lane] += (double)(*work)[lane];
      }
    }
  }
}


const ImpiJointKernels IMPI_JOINT_KERNELS = {
    .width = IMPI_W,
    .begin = begin,
    .linearise = linearise,
    .warm_start = warm_start,
    .solve = solve,
    .relax = relax,
    .finish = finish,
};
