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
// Where x and y are both locked (a pin) their rows are along the world's axes instead, which saves a third of the work:
//   J_0 = (-1, 0, d_y; 1, 0, -r_y),  J_1 = (0, -1, -d_x; 0, 1, r_x),  C = e from where the locks say that A's anchor is
// Impulses turn with A: from substep to substep they are kept in its frame.
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


// Whether the first two rows are a pin's.
IMPI_INLINE bool is_pin(int code) { return (code & IMPI_PIN) == IMPI_PIN; }


IMPI_INLINE int locks_in(int code) { return impi_jb_locks(code); }


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


// The part of row i along (x, y): a pin's first row has lx 1 and ly 0, its second ly 1.
IMPI_INLINE V along(int code, int i, const Row *row, V x, V y) {
  return !is_pin(code) || i > 1 ? row->lx * x + row->ly * y : i == 0 ? x : row->lx * x + y;
}


IMPI_INLINE V speed_of(int code, int i, const Row *row, const Sides *v) {
  return along(code, i, row, v->b.x - v->a.x, v->b.y - v->a.y) + (row->aa * v->a.z + row->ab * v->b.z);
}


IMPI_INLINE V turning_metric(const Weights *w, const Row *p, const Row *q) {
  return w->ia * (p->aa * q->aa) + w->ib * (p->ab * q->ab);
}


IMPI_INLINE void apply(int code, int i, Sides *v, const Weights *w, const Row *row, V step) {
  bool pin = is_pin(code) && i < 2;
  V px = pin && i == 0 ? step : row->lx * step;
  v->a.x -= w->ma * px;
  v->b.x += w->mb * px;
  if (!pin || i > 0) {
    V py = pin ? step : row->ly * step;
    v->a.y -= w->ma * py;
    v->b.y += w->mb * py;
  }
  v->a.z += w->ia * (row->aa * step);
  v->b.z += w->ib * (row->ab * step);
}


// x where the mask is set, else 0.
IMPI_INLINE V where(ImpiMask mask, V x) { return (V)(mask & (ImpiMask)x); }


// ---------------------------------------------------------------------------------------------------------------------
// Linearisation
// ---------------------------------------------------------------------------------------------------------------------


// What the coordinates of a joint share: see coordinate.c.
typedef struct Plane {
  V ax, ay, rx, ry;             // levers of A's and B's anchors
  V dx, dy;                     // from A's centre to B's anchor
  V ex, ey, grown_x, grown_y;   // from A's anchor to B's, and how that changed since the step began
  V sx, sy;                     // what it was
  V ux, uy, turned_x, turned_y; // the axis, and how it changed
  V bend_x, bend_y;             // second derivative of e as A sees it
  V wa, wb;                     // clamped
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
  V drift_x = (v->b.x - v->b.z * p.ry) - (v->a.x - v->a.z * p.dy);
  V drift_y = (v->b.y + v->b.z * p.rx) - (v->a.y + v->a.z * p.dx);
  V twice = p.wa + p.wa, sq_a = p.wa * p.wa, sq_b = p.wb * p.wb;
  p.bend_x = (sq_a * p.dx - sq_b * p.rx) + twice * drift_y;
  p.bend_y = (sq_a * p.dy - sq_b * p.ry) - twice * drift_x;
  return p;
}


// A row along (ux, uy), which turns with A and has turned by (tx, ty): its J, how much its coordinate changed, and the
// second derivative of that.
IMPI_INLINE Row axis_row(const Plane *p, V ux, V uy, V tx, V ty, V *out_change, V *out_curvature) {
  *out_change = (ux * p->grown_x + uy * p->grown_y) + (tx * p->sx + ty * p->sy);
  *out_curvature = ux * p->bend_x + uy * p->bend_y;
  return (Row){.lx = ux, .ly = uy, .aa = p->dy * ux - p->dx * uy, .ab = p->rx * uy - p->ry * ux};
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
  V turning = where(some, across * clamp(across * inverse, pass->max_turn));
  V both = length + before;
  V grown = p->grown_x * (p->ex + p->sx) + p->grown_y * (p->ey + p->sy);
  *out_change = where(both > 0, grown / impi_select(both > 0, both, IMPI_SPLAT(1)));
  *out_curvature = (p->wa * p->wa * (ux * p->ax + uy * p->ay) - p->wb * p->wb * (ux * p->rx + uy * p->ry)) + turning;
  return (Row){.lx = ux, .ly = uy, .aa = p->ay * ux - p->ax * uy, .ab = p->rx * uy - p->ry * ux};
}


// The end of making a row: its D, and J M^-1 J of before it was made orthogonal.
IMPI_INLINE void finish_row(Row *row, V d, V own) {
  ImpiMask acts = d > DROPPED_PIVOT * own;
  row->mass = where(acts, 1 / impi_select(acts, d, IMPI_SPLAT(1)));
  row->k = where(acts, d);
  row->lambda = where(acts, row->lambda);
}


// Row i from its raw J, its impulse and its error; none of a pin's.
IMPI_INLINE void make_row(Locks *locks, const Weights *w, int code, int i) {
  Row *row = &locks->row[i];
  V m = w->ma + w->mb;
  V own = m * (row->lx * row->lx + row->ly * row->ly) + turning_metric(w, row, row), d = own;
  UNROLL for (int k = 0; k < i; ++k) {
    const Row *other = &locks->row[k];
    V l = (m * along(code, k, other, row->lx, row->ly) + turning_metric(w, row, other)) * other->mass;
    bool pin = is_pin(code) && k < 2;
    locks->against[i][k] = l;
    row->lx -= pin && k == 0 ? l : l * other->lx;
    if (!pin || k > 0) {
      row->ly -= pin ? l : l * other->ly;
    }
    row->aa -= l * other->aa;
    row->ab -= l * other->ab;
    row->c -= l * other->c;
  }
  if (i > 0) {
    d = m * (row->lx * row->lx + row->ly * row->ly) + turning_metric(w, row, row);
  }
  finish_row(row, d, own);
}


// Both rows of a pin.
IMPI_INLINE void make_pin(const ImpiJointPass *pass, Locks *locks, const Weights *w, const Plane *p) {
  Row *x = &locks->row[0], *y = &locks->row[1];
  V m = w->ma + w->mb;
  x->aa = p->dy;
  x->ab = -p->ry;
  y->aa = -p->dx;
  y->ab = p->rx;
  x->c = clamp(p->ex, pass->reach) + pass->bend * p->bend_x;
  y->c = clamp(p->ey, pass->reach) + pass->bend * p->bend_y;
  V own_x = m + turning_metric(w, x, x), own_y = m + turning_metric(w, y, y);
  finish_row(x, own_x, own_x);
  V l = turning_metric(w, x, y) * x->mass;
  y->lx = -l;
  y->aa -= l * x->aa;
  y->ab -= l * x->ab;
  y->c -= l * x->c;
  finish_row(y, m * (l * l + 1) + turning_metric(w, y, y), own_y);
}


// Which row of a joint is that of a coordinate, given as a IMPI_LOCKS_ bit.
IMPI_INLINE int row_of(int code, int bit) {
  return bit == IMPI_LOCKS_DISTANCE ? 0 : impi_jb_locks(code & (bit - 1) & (IMPI_PIN | IMPI_LOCKS_ANGLE));
}


// The row of one coordinate, which is none of a pin's.
IMPI_INLINE void make_lock(const ImpiJointPass *pass, const V *block, int code, int bit, const Weights *w,
                           const Sides *v, const Plane *p, Locks *locks) {
  int i = row_of(code, bit);
  Row *row = &locks->row[i];
  V change, curvature = IMPI_SPLAT(0), lambda = row->lambda;
  if (bit == IMPI_LOCKS_X) {
    *row = axis_row(p, p->ux, p->uy, p->turned_x, p->turned_y, &change, &curvature);
  } else if (bit == IMPI_LOCKS_Y) {
    *row = axis_row(p, -p->uy, p->ux, -p->turned_y, p->turned_x, &change, &curvature);
  } else if (bit == IMPI_LOCKS_ANGLE) {
    *row = (Row){.lx = IMPI_SPLAT(0), .ly = IMPI_SPLAT(0), .aa = IMPI_SPLAT(-1), .ab = IMPI_SPLAT(1)};
    change = v->b.w - v->a.w;
  } else {
    *row = distance_row(pass, p, v, &change, &curvature);
  }
  row->lambda = lambda;
  row->c = clamp(block[impi_jb_start(code, i)] + change, pass->reach) + pass->bend * curvature;
  make_row(locks, w, code, i);
}


// The rows of a block. Impulses are in them already, raw.
IMPI_INLINE void make_rows(const ImpiJointPass *pass, const V *block, int code, const Weights *w, const Sides *v,
                           const Plane *p, Locks *locks) {
  if (is_pin(code)) {
    make_pin(pass, locks, w, p);
  } else if (code & IMPI_LOCKS_X) {
    make_lock(pass, block, code, IMPI_LOCKS_X, w, v, p, locks);
  } else if (code & IMPI_LOCKS_Y) {
    make_lock(pass, block, code, IMPI_LOCKS_Y, w, v, p, locks);
  }
  if (code & IMPI_LOCKS_ANGLE) {
    make_lock(pass, block, code, IMPI_LOCKS_ANGLE, w, v, p, locks);
  }
  if (code & IMPI_LOCKS_DISTANCE) {
    make_lock(pass, block, code, IMPI_LOCKS_DISTANCE, w, v, p, locks);
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Rows in and out of blocks; bases
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


// What row i has to do with row k before it; of a pin that is -lx.
IMPI_INLINE V against(int code, const V *block, const Locks *locks, int i, int k) {
  return is_pin(code) && i == 1 ? -locks->row[1].lx
         : block != NULL        ? block[impi_jb_against(code, i, k)]
                                : locks->against[i][k];
}


// lambda' = L^T lambda and back: by the rows that were just made, or those in the block.
IMPI_INLINE void map_in(int code, Locks *locks) {
  int n = locks_in(code);
  UNROLL for (int k = 0; k + 1 < n; ++k) {
    UNROLL for (int i = k + 1; i < n; ++i) {
      locks->row[k].lambda += against(code, NULL, locks, i, k) * locks->row[i].lambda;
    }
  }
}


IMPI_INLINE void map_out(int code, const V *block, Locks *locks) {
  int n = locks_in(code);
  UNROLL for (int k = n - 2; k >= 0; --k) {
    UNROLL for (int i = k + 1; i < n; ++i) {
      locks->row[k].lambda -= against(code, block, locks, i, k) * locks->row[i].lambda;
    }
  }
}


// A pin's raw impulses from A's frame into the world's, and back.
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


// Change a row's impulse to `next`; its work is step (J v + step D / 2).
IMPI_INLINE void drive_to(V *block, int code, int i, const Weights *w, Sides *v, Row *row, V speed, V next) {
  V step = next - row->lambda;
  row->lambda = next;
  block[impi_jb_row(code, i) + IMPI_JR_WORK] += step * (speed + 0.5f * step * row->k);
  apply(code, i, v, w, row, step);
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


// Where a few joints of a block are: the lane of the first.
typedef struct Few {
  float *block;
  int lane, kept;
} Few;

#define FLOATS(few, field) (*(Narrow *)(void *)&(few)->block[(field)*IMPI_W + (few)->lane])
#define DOUBLES_AT(few, field) (*(const Wide *)(const void *)&(few)->block[(field)*IMPI_W + 2 * (few)->lane])
#define SLOTS(few, field) ((const int32_t *)(const void *)&(few)->block[(field)*IMPI_W + (few)->lane])


// The error of a lock, given the value.
IMPI_INLINE void measure_lock(const Few *few, int code, int bit, Wide value) {
  int i = row_of(code, bit);
  FLOATS(few, impi_jb_start(code, i)) = __builtin_convertvector(value - DOUBLES_AT(few, impi_jb_lock(code, i)), Narrow);
}


// Measure a few joints at the poses of now.
IMPI_INLINE void measure_few(const ImpiJointPass *pass, const Few *few, int code) {
  int cold = impi_jb_cold(code), kept = few->kept;
  const int32_t *slots_a = SLOTS(few, kept + IMPI_JD_BODY_A), *slots_b = SLOTS(few, kept + IMPI_JD_BODY_B);
  Poses a = poses_of(pass->motions, slots_a), b = poses_of(pass->motions, slots_b);
  Wide lax = DOUBLES_AT(few, kept + IMPI_JD_LAX), lay = DOUBLES_AT(few, kept + IMPI_JD_LAY);
  Wide lbx = DOUBLES_AT(few, kept + IMPI_JD_LBX), lby = DOUBLES_AT(few, kept + IMPI_JD_LBY);
  Wide axis_c = DOUBLES_AT(few, kept + IMPI_JD_AXIS_C), axis_s = DOUBLES_AT(few, kept + IMPI_JD_AXIS_S);
  Wide rax = a.c * lax - a.s * lay, ray = a.s * lax + a.c * lay;
  Wide rbx = b.c * lbx - b.s * lby, rby = b.s * lbx + b.c * lby;
  Wide sx = (b.x - a.x) + (rbx - rax), sy = (b.y - a.y) + (rby - ray);
  Wide ux = a.c * axis_c - a.s * axis_s, uy = a.s * axis_c + a.c * axis_s;
  FLOATS(few, cold + IMPI_JC_RAX) = __builtin_convertvector(rax, Narrow);
  FLOATS(few, cold + IMPI_JC_RAY) = __builtin_convertvector(ray, Narrow);
  FLOATS(few, cold + IMPI_JC_RBX) = __builtin_convertvector(rbx, Narrow);
  FLOATS(few, cold + IMPI_JC_RBY) = __builtin_convertvector(rby, Narrow);
  FLOATS(few, cold + IMPI_JC_SX) = __builtin_convertvector(sx, Narrow);
  FLOATS(few, cold + IMPI_JC_SY) = __builtin_convertvector(sy, Narrow);
  FLOATS(few, cold + IMPI_JC_UX) = __builtin_convertvector(ux, Narrow);
  FLOATS(few, cold + IMPI_JC_UY) = __builtin_convertvector(uy, Narrow);
  if (!is_pin(code) && code & IMPI_LOCKS_X) {
    measure_lock(few, code, IMPI_LOCKS_X, ux * sx + uy * sy);
  }
  if (!is_pin(code) && code & IMPI_LOCKS_Y) {
    measure_lock(few, code, IMPI_LOCKS_Y, ux * sy - uy * sx);
  }
  Wide value = sx;
  for (int i = 0; i < DOUBLES && code & IMPI_LOCKS_ANGLE; ++i) {
    value[i] = pass->motions[slots_b[i]].angle - pass->motions[slots_a[i]].angle;
  }
  for (int i = 0; i < DOUBLES && code & IMPI_LOCKS_DISTANCE; ++i) {
    value[i] = __builtin_sqrt(sx[i] * sx[i] + sy[i] * sy[i]);
  }
  if (code & IMPI_LOCKS_ANGLE) {
    measure_lock(few, code, IMPI_LOCKS_ANGLE, value - DOUBLES_AT(few, kept + IMPI_JD_REFERENCE));
  }
  if (code & IMPI_LOCKS_DISTANCE) {
    measure_lock(few, code, IMPI_LOCKS_DISTANCE, value);
  }
}


IMPI_INLINE void measure_block(const ImpiJointPass *pass, V *block, int code) {
  for (int lane = 0; lane < IMPI_W; lane += DOUBLES) {
    Few few = {(float *)(void *)block, lane, impi_jb_kept(code)};
    measure_few(pass, &few, code);
  }
}


// Rows at the present displacements. Impulses are kept raw, in A's frame.
IMPI_INLINE void linearise_block(const ImpiJointPass *pass, V *block, int code) {
  V *cold = block + impi_jb_cold(code);
  Weights w = weights_of(block);
  Sides v = load(pass->velocity, block), d = load(pass->displacement, block);
  Plane plane = plane_of(pass, cold, &v, &d);
  Locks locks;
  UNROLL for (int i = 0; i < locks_in(code); ++i) { locks.row[i].lambda = block[impi_jb_raw(code, i)]; }
  turn_in(code, &locks, plane.ux, plane.uy);
  make_rows(pass, block, code, &w, &v, &plane, &locks);
  map_in(code, &locks);
  store_rows(block, code, &locks);
  cold[IMPI_JC_NOW_X] = plane.ux;
  cold[IMPI_JC_NOW_Y] = plane.uy;
}


IMPI_INLINE void begin_block(const ImpiJointPass *pass, V *block, int code) {
  int cold = impi_jb_cold(code);
  measure_block(pass, block, code);
  UNROLL for (int k = 0; k < 3; ++k) { block[cold + IMPI_JC_WRENCH_X + k] = IMPI_SPLAT(0); }
  UNROLL for (int i = 0; i < locks_in(code); ++i) {
    block[impi_jb_row(code, i) + IMPI_JR_WORK] = IMPI_SPLAT(0);
    block[impi_jb_total(code, i)] = IMPI_SPLAT(0);
  }
  linearise_block(pass, block, code);
}


IMPI_INLINE void warm_start_block(const ImpiJointPass *pass, V *block, int code) {
  Weights w = weights_of(block);
  Sides v = load(pass->velocity, block);
  Locks locks;
  load_rows(block, code, &locks);
  UNROLL for (int i = 0; i < locks_in(code); ++i) {
    Row *row = &locks.row[i];
    V next = row->lambda;
    row->lambda = IMPI_SPLAT(0);
    drive_to(block, code, i, &w, &v, row, speed_of(code, i, row, &v), next);
  }
  save(pass, block, &w, v);
}


IMPI_INLINE void forget_block(const ImpiJointPass *pass, V *block, int code) {
  (void)pass;
  UNROLL for (int i = 0; i < locks_in(code); ++i) { block[impi_jb_row(code, i) + IMPI_JR_LAMBDA] = IMPI_SPLAT(0); }
}


IMPI_INLINE void solve_block(const ImpiJointPass *pass, V *block, int code) {
  Weights w = weights_of(block);
  Sides v = load(pass->velocity, block);
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
  save(pass, block, &w, v);
}


// Add the impulse of row i to what the joint exerts on B.
IMPI_INLINE void bear(int code, int i, V *wrench, const Row *row, V impulse) {
  bool pin = is_pin(code) && i < 2;
  wrench[0] += pin && i == 0 ? impulse : impulse * row->lx;
  if (!pin || i > 0) {
    wrench[1] += pin ? impulse : impulse * row->ly;
  }
  wrench[2] += impulse * row->ab;
}


// The impulses before positions moved acted along the rows of then, what relax changes acts along those of now.
IMPI_INLINE void relax_block(const ImpiJointPass *pass, V *block, int code) {
  int n = locks_in(code);
  V *cold = block + impi_jb_cold(code), *wrench = cold + IMPI_JC_WRENCH_X;
  V borne[3] = {wrench[0], wrench[1], wrench[2]};
  Locks locks;
  load_rows(block, code, &locks);
  UNROLL for (int i = 0; i < n; ++i) { bear(code, i, borne, &locks.row[i], locks.row[i].lambda); }
  map_out(code, block, &locks);
  turn_out(code, &locks, cold[IMPI_JC_NOW_X], cold[IMPI_JC_NOW_Y]);
  Weights w = weights_of(block);
  Sides v = load(pass->velocity, block), d = load(pass->displacement, block);
  Plane plane = plane_of(pass, cold, &v, &d);
  turn_in(code, &locks, plane.ux, plane.uy);
  make_rows(pass, block, code, &w, &v, &plane, &locks);
  map_in(code, &locks);
  if (pass->relax) {
    UNROLL for (int i = 0; i < n; ++i) {
      Row *row = &locks.row[i];
      V speed = speed_of(code, i, row, &v), before = row->lambda;
      drive_to(block, code, i, &w, &v, row, speed, before - row->mass * speed);
      bear(code, i, borne, row, row->lambda - before);
    }
    save(pass, block, &w, v);
  }
  store_rows(block, code, &locks);
  map_out(code, NULL, &locks);
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
// Passes over blocks, for every set of locks
// ---------------------------------------------------------------------------------------------------------------------


#define FOR_LOCKS(name, code) \
  case code: \
    for (int i = first; i < first + count; ++i) { \
      name##_block(pass, block_of(form, blocks, i), code); \
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
PASS(measure)
PASS(linearise)
PASS(warm_start)
PASS(forget)
PASS(solve)
PASS(relax)


static void finish(const ImpiJointForm *form, float *blocks, int first, int count, double *sums) {
  int n = form->locks, code = form->code;
  for (int index = first; index < first + count; ++index) {
    V *block = block_of(form, blocks, index);
    double *part = sums + index * IMPI_W % IMPI_JOINT_SUMS;
    for (int i = 0; i < n; ++i) {
      V *work = &block[impi_jb_row(code, i) + IMPI_JR_WORK];
      double *kept = (double *)(void *)&block[impi_jb_sum(code, i)];
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
    .measure = measure,
    .linearise = linearise,
    .warm_start = warm_start,
    .forget = forget,
    .solve = solve,
    .relax = relax,
    .finish = finish,
};
