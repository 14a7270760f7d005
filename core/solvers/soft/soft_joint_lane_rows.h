// Linearisation of joints in lanes: the orthogonal rows of a block at the current poses.
//
// A coordinate is its value at the start of the step, in double, plus its change since the start, in float:
//   r: lever arm of an anchor, e: vector from A's anchor to B's, u: axis on A; r0, e0, u0: at the start
//   p: displacement of the centre of mass, R: rotation by theta, both since the start
//   r = r0 + (R - 1) r0,  u = u0 + (R_a - 1) u0,  e - e0 = p_b - p_a + (R_b - 1) r_b0 - (R_a - 1) r_a0
//   x, y:      C - C0 = u . (e - e0) + (u - u0) . e0
//   angle:     C - C0 = theta_b - theta_a
//   distance:  C - C0 = |e| - |e0| = (e - e0) . (e + e0) / (|e| + |e0|)
// If x and y are both locked (a pin), the rows are along the world's axes:
//   J_0 = (-1, 0, d_y; 1, 0, -r_y),  J_1 = (0, -1, -d_x; 0, 1, r_x),  C = e,  r = r_b,  d = r_a + e
// with A's anchor moved by the lock values.
// The impulses of a pin before orthogonalisation rotate with A, so they are stored in A's frame between substeps.
#ifndef IMPI_SOLVE_SOFT_JOINT_LANE_ROWS_H
#define IMPI_SOLVE_SOFT_JOINT_LANE_ROWS_H

#include "base/lanes.h"
#include "solvers/soft/soft_joint_lanes.h"

// D is J M^-1 J^T of a row after orthogonalisation, D_0 before. A row is dropped if D < DROPPED_PIVOT D_0, because the
// rounding error of D is about 1e-7 D_0.
#define DROPPED_PIVOT 1e-6f
// Below this distance the direction between two anchors is undefined [m].
#define COINCIDENT 1e-12f

typedef ImpiFloats V;

// A row. Its linear parts on A and B are opposite.
typedef struct Row {
  V lx, ly, aa, ab;
  V mass, k, lambda, c;
} Row;

typedef struct Weights {
  V ma, mb, ia, ib;
} Weights;

// Velocities of the two sides of a block. `fine` is constant; if it is true, passes add their changes of velocity to
// ImpiLaneBodies.gain.
typedef struct Sides {
  ImpiQuad a, b;
  ImpiQuad gain_a, gain_b;
  bool fine;
} Sides;

// The lock rows of a block during a pass.
typedef struct Locks {
  Row row[IMPI_INLINE_COORDINATES];
  V against[IMPI_INLINE_COORDINATES][IMPI_INLINE_COORDINATES]; // [i][k]: coefficient of row i against row k, k < i
  V error[IMPI_INLINE_COORDINATES]; // error of each row at the current poses; unused for the rows of a pin
} Locks;

#define UNROLL _Pragma("GCC unroll 4")


// Return whether the first two rows are the rows of a pin.
IMPI_INLINE bool is_pin(int code) { return (code & IMPI_PIN) == IMPI_PIN; }


IMPI_INLINE int locks_in(int code) { return impi_jb_locks(code); }


IMPI_INLINE V *block_of(const ImpiJointForm *form, float *blocks, int index) {
  return (V *)(void *)(blocks + (size_t)index * (size_t)form->fields * IMPI_W);
}


IMPI_INLINE float *kept_of(const ImpiJointPass *pass, const ImpiJointForm *form, int index) {
  return pass->kept + (size_t)index * (size_t)form->kept_fields * IMPI_W;
}


IMPI_INLINE Weights weights_of(const V *block) {
  return (Weights){block[IMPI_JB_MA], block[IMPI_JB_MB], block[IMPI_JB_IA], block[IMPI_JB_IB]};
}


// The record at a byte offset, as stored in blocks.
#define RECORD(base, place) (*(ImpiRecord *)(void *)((char *)(uintptr_t)(base) + (place)))

#if IMPI_W == 1
IMPI_INLINE ImpiQuad gather(const ImpiRecord *base, const uint32_t *place) {
  ImpiRecord r = RECORD(base, place[0]);
  return (ImpiQuad){{r[0]}, {r[1]}, {r[2]}, {r[3]}};
}


IMPI_INLINE void scatter(ImpiRecord *base, const uint32_t *place, ImpiQuad q) {
  RECORD(base, place[0]) = (ImpiRecord){q.x[0], q.y[0], q.z[0], q.w[0]};
}

#else
IMPI_INLINE V record_row(const ImpiRecord *base, const uint32_t *place, int k) {
#if IMPI_W == 4
  return RECORD(base, place[k]);
#else
  ImpiRecord a = RECORD(base, place[k]), b = RECORD(base, place[k + 4]);
#if IMPI_W == 8
  return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
#else
  ImpiRecord c = RECORD(base, place[k + 8]), d = RECORD(base, place[k + 12]);
  ImpiHalf ab = __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
  ImpiHalf cd = __builtin_shufflevector(c, d, 0, 1, 2, 3, 4, 5, 6, 7);
  return __builtin_shufflevector(ab, cd, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
#endif
#endif
}


IMPI_INLINE ImpiQuad gather(const ImpiRecord *base, const uint32_t *place) {
  return impi_transpose(record_row(base, place, 0), record_row(base, place, 1), record_row(base, place, 2),
                        record_row(base, place, 3));
}


// Return the k-th group of four lanes of a vector.
IMPI_INLINE ImpiRecord quarter(V row, int k) {
  ImpiRecord part;
  memcpy(&part, (const char *)&row + k * (int)sizeof part, sizeof part);
  return part;
}


IMPI_INLINE void scatter(ImpiRecord *base, const uint32_t *place, ImpiQuad q) {
  ImpiQuad rows = impi_transpose(q.x, q.y, q.z, q.w);
  UNROLL for (int k = 0; k < IMPI_W; k += 4) {
    RECORD(base, place[k]) = quarter(rows.x, k / 4);
    RECORD(base, place[k + 1]) = quarter(rows.y, k / 4);
    RECORD(base, place[k + 2]) = quarter(rows.z, k / 4);
    RECORD(base, place[k + 3]) = quarter(rows.w, k / 4);
  }
}
#endif


IMPI_INLINE const uint32_t *places_a(const V *block) { return (const uint32_t *)(const void *)&block[IMPI_JB_A]; }


IMPI_INLINE const uint32_t *places_b(const V *block) { return (const uint32_t *)(const void *)&block[IMPI_JB_B]; }


IMPI_INLINE Sides load(const ImpiRecord *records, const V *block) {
  return (Sides){.a = gather(records, places_a(block)), .b = gather(records, places_b(block))};
}


IMPI_INLINE Sides load_velocities(const ImpiJointPass *pass, const V *block, bool fine) {
  Sides v = load(pass->velocity, block);
  v.fine = fine;
  return v;
}


IMPI_INLINE ImpiQuad chosen(ImpiMask mask, ImpiQuad one, ImpiQuad other) {
  return (ImpiQuad){impi_select(mask, one.x, other.x), impi_select(mask, one.y, other.y),
                    impi_select(mask, one.z, other.z), impi_select(mask, one.w, other.w)};
}


IMPI_INLINE ImpiQuad save_gain(const ImpiJointPass *pass, const uint32_t *place, ImpiMask moves, ImpiQuad step,
                               V turned) {
  ImpiQuad old = gather(pass->gain, place), base = gather(pass->base, place);
  ImpiQuad gain = {old.x + step.x, old.y + step.y, old.z + step.z, old.w};
  gain = chosen(moves, gain, old);
  scatter(pass->gain, place, gain);
  return (ImpiQuad){base.x + gain.x, base.y + gain.y, base.z + gain.z, turned};
}


// Write the velocities of both sides. Bodies without inverse mass get their old velocities, even if the other body is
// non-finite; they may occur only in runs of ground colours (pass->ground), not in parallel runs.
IMPI_INLINE void save(const ImpiJointPass *pass, const V *block, const Weights *w, Sides v) {
  if (v.fine) {
    v.a = save_gain(pass, places_a(block), (w->ma > 0) | (w->ia > 0), v.gain_a, v.a.w);
    v.b = save_gain(pass, places_b(block), (w->mb > 0) | (w->ib > 0), v.gain_b, v.b.w);
  }
  if (pass->ground) {
    Sides old = load(pass->velocity, block);
    v.a = chosen((w->ma > 0) | (w->ia > 0), v.a, old.a);
    v.b = chosen((w->mb > 0) | (w->ib > 0), v.b, old.b);
  }
  scatter(pass->velocity, places_a(block), v.a);
  scatter(pass->velocity, places_b(block), v.b);
}


IMPI_INLINE V clamp(V x, float bound) { return impi_vmax(impi_vmin(x, IMPI_SPLAT(bound)), IMPI_SPLAT(-bound)); }


// Return the dot product of row i's linear part and (x, y).
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
  if (v->fine) {
    v->gain_a.x -= w->ma * px;
    v->gain_b.x += w->mb * px;
  }
  if (!pin || i > 0) {
    V py = pin ? step : row->ly * step;
    v->a.y -= w->ma * py;
    v->b.y += w->mb * py;
    if (v->fine) {
      v->gain_a.y -= w->ma * py;
      v->gain_b.y += w->mb * py;
    }
  }
  v->a.z += w->ia * (row->aa * step);
  v->b.z += w->ib * (row->ab * step);
  if (v->fine) {
    v->gain_a.z += w->ia * (row->aa * step);
    v->gain_b.z += w->ib * (row->ab * step);
  }
}


// Return x where the mask is set, else 0.
IMPI_INLINE V where(ImpiMask mask, V x) { return (V)(mask & (ImpiMask)x); }


// ---------------------------------------------------------------------------------------------------------------------
// Linearisation
// ---------------------------------------------------------------------------------------------------------------------


// Quantities that the coordinates of a joint share: see coordinate.c.
typedef struct Plane {
  V ax, ay, rx, ry;             // lever arms of A's and B's anchors
  V dx, dy;                     // vector from A's centre to B's anchor
  V ex, ey, grown_x, grown_y;   // vector from A's anchor to B's, and its change since the step began
  V sx, sy;                     // vector from A's anchor to B's at the start of the step
  V ux, uy, turned_x, turned_y; // the axis, and its change since the step began
  V bend_x, bend_y;             // second time derivative of the vector (ex, ey) in A's frame
  V wa, wb;                     // angular velocities, clamped to max_turn
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


// Return J of the row of a coordinate along the axis (ux, uy), which rotates with A. Since the step began the axis
// changed by (tx, ty), and the coordinate by *out_change. *out_curvature is J'v.
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


// Complete a row, given its D and its J M^-1 J^T before orthogonalisation (`own`).
IMPI_INLINE void finish_row(Row *row, V d, V own) {
  ImpiMask acts = d > DROPPED_PIVOT * own;
  row->mass = where(acts, 1 / impi_select(acts, d, IMPI_SPLAT(1)));
  row->k = where(acts, d);
  row->lambda = where(acts, row->lambda);
}


// Orthogonalise J and error of row i against the rows before it. Row i is not a row of a pin.
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


// Compute both rows of a pin.
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


// Return the row index of a coordinate, given by its IMPI_LOCKS_ bit.
IMPI_INLINE int row_of(int code, int bit) {
  return bit == IMPI_LOCKS_DISTANCE ? 0 : impi_jb_locks(code & (bit - 1) & (IMPI_PIN | IMPI_LOCKS_ANGLE));
}


// Compute the row of one coordinate, which is not a coordinate of a pin.
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
  locks->error[i] = block[impi_jb_start(code, i)] + change;
  row->c = clamp(locks->error[i], pass->reach) + pass->bend * curvature;
  make_row(locks, w, code, i);
}


// Compute J and error of the rows of a block. Row.lambda remains the impulse before orthogonalisation.
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

#endif
