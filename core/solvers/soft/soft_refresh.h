// Third part of the contact kernels: the update of manifolds in lanes at the start of a step. It computes the same as
// impi_contact_refresh.
#include "solvers/soft/soft_entry.h"

typedef double ImpiDoubles __attribute__((vector_size(8 * IMPI_D)));
typedef int64_t ImpiMask64 __attribute__((vector_size(8 * IMPI_D)));
typedef float HalfFloats __attribute__((vector_size(4 * IMPI_D)));
typedef int32_t HalfMask __attribute__((vector_size(4 * IMPI_D)));


IMPI_INLINE ImpiDoubles widen(const void *floats, int half) {
  HalfFloats narrow;
  memcpy(&narrow, (const float *)floats + half * IMPI_D, sizeof narrow);
  return __builtin_convertvector(narrow, ImpiDoubles);
}


IMPI_INLINE void narrow(ImpiDoubles wide, ImpiFloats *out_floats, int half) {
  HalfFloats floats = __builtin_convertvector(wide, HalfFloats);
  memcpy((float *)out_floats + half * IMPI_D, &floats, sizeof floats);
}


IMPI_INLINE ImpiDoubles doubles_at(const double *row, int half) {
  ImpiDoubles wide;
  memcpy(&wide, row + half * IMPI_D, sizeof wide);
  return wide;
}


IMPI_INLINE ImpiDoubles magnitude(ImpiDoubles x) {
  return (ImpiDoubles)((ImpiMask64)x & ~(ImpiMask64)(-(ImpiDoubles){0}));
}


typedef struct Pose {
  ImpiDoubles x, y, c, s;
} Pose;


IMPI_INLINE Pose pose_of(const ImpiMotion *motions, const int32_t *slots, const int32_t *turns) {
#if IMPI_D == 8
#define EACH(of, field) \
  { \
    motions[of[0]].field, motions[of[1]].field, motions[of[2]].field, motions[of[3]].field, motions[of[4]].field, \
        motions[of[5]].field, motions[of[6]].field, motions[of[7]].field \
  }
#elif IMPI_D == 4
#define EACH(of, field) \
  { motions[of[0]].field, motions[of[1]].field, motions[of[2]].field, motions[of[3]].field }
#elif IMPI_D == 2
#define EACH(of, field) \
  { motions[of[0]].field, motions[of[1]].field }
#else
#define EACH(of, field) \
  { motions[of[0]].field }
#endif
  return (Pose){EACH(slots, x), EACH(slots, y), EACH(turns, c), EACH(turns, s)};
#undef EACH
}


IMPI_INLINE ImpiDoubles choose(ImpiMask64 mask, ImpiDoubles a, ImpiDoubles b) {
  return (ImpiDoubles)((mask & (ImpiMask64)a) | (~mask & (ImpiMask64)b));
}


// Return the mask of lanes in which one side is a circle.
IMPI_INLINE ImpiMask64 rolling_half(const int32_t *bodies, const int32_t *turns, int half) {
  HalfMask body, turn;
  memcpy(&body, bodies + half * IMPI_D, sizeof body);
  memcpy(&turn, turns + half * IMPI_D, sizeof turn);
  return __builtin_convertvector(body != turn, ImpiMask64);
}


typedef struct Anchors {
  ImpiDoubles ax, ay, bx, by;
} Anchors;


// Compute the anchors of contacts with circles. (x, y): normal. (cx, cy): vector from a's centre to b's.
IMPI_INLINE Anchors roll(const Parts *at, int half, Anchors r, ImpiMask64 rolls_a, ImpiMask64 rolls_b, ImpiDoubles x,
                         ImpiDoubles y, ImpiDoubles cx, ImpiDoubles cy, ImpiDoubles separation) {
  ImpiDoubles arm_a = widen(&at->head->rho_a, half) + 0.5 * separation;
  ImpiDoubles arm_b = -(widen(&at->head->rho_b, half) + 0.5 * separation);
  ImpiDoubles ax = arm_a * x, ay = arm_a * y, bx = arm_b * x, by = arm_b * y;
  return (Anchors){.ax = choose(rolls_b, cx + bx, choose(rolls_a, ax, r.ax)),
                   .ay = choose(rolls_b, cy + by, choose(rolls_a, ay, r.ay)),
                   .bx = choose(rolls_b, bx, choose(rolls_a, ax - cx, r.bx)),
                   .by = choose(rolls_b, by, choose(rolls_a, ay - cy, r.by))};
}


// Load half a row of masks.
IMPI_INLINE ImpiMask64 masks_at(const int32_t *row, int half) {
  HalfMask mask;
  memcpy(&mask, row + half * IMPI_D, sizeof mask);
  return __builtin_convertvector(mask, ImpiMask64);
}


IMPI_INLINE bool any_of(ImpiMask64 mask) {
  int64_t any = 0;
  for (int lane = 0; lane < IMPI_D; ++lane) {
    any |= mask[lane];
  }
  return any != 0;
}


// In lanes of `corners`, (x, y) is a corner relative to the centre of its body. Replace it by the normal, and return
// the distance from the corner to the circle's centre.
IMPI_INLINE ImpiDoubles turn_to_circle(ImpiMask64 corners, ImpiMask64 rolls_b, ImpiDoubles cx, ImpiDoubles cy,
                                       ImpiDoubles *x, ImpiDoubles *y) {
  ImpiDoubles dx = choose(rolls_b, cx - *x, cx + *x), dy = choose(rolls_b, cy - *y, cy + *y);
  ImpiDoubles distance = dx * dx + dy * dy;
  for (int lane = 0; lane < IMPI_D; ++lane) {
    distance[lane] = __builtin_sqrt(distance[lane]);
  }
  *x = choose(corners, dx / distance, *x);
  *y = choose(corners, dy / distance, *y);
  return distance;
}


// Compute normals and points at the current poses, and the smallest separation of each contact. Returns a mask of stale
// contacts, whose bodies moved further relative to each other than the clearance of their manifold.
IMPI_INLINE ImpiMask64 refresh_half(const Parts *at, int points, const ImpiMotion *motions, int half, ImpiFloats *nx,
                                    ImpiFloats *ny, ImpiDoubles *out_least) {
  int first = half * IMPI_D;
  Pose a = pose_of(motions, at->rare->body_a + first, at->rare->turn_a + first);
  Pose b = pose_of(motions, at->rare->body_b + first, at->rare->turn_b + first);
  ImpiDoubles cx = b.x - a.x, cy = b.y - a.y;
  ImpiDoubles qc = a.c * b.c + a.s * b.s, qs = a.c * b.s - a.s * b.c;
  ImpiDoubles px = a.c * cx + a.s * cy, py = a.c * cy - a.s * cx;
  ImpiDoubles chord = magnitude(qc - widen(&at->rare->c, half)) + magnitude(qs - widen(&at->rare->s, half));
  ImpiDoubles moved = magnitude(px - doubles_at(at->exact->px, half)) +
                      magnitude(py - doubles_at(at->exact->py, half)) + chord * doubles_at(at->exact->extent, half);
  ImpiMask64 stale = ~(moved < doubles_at(at->exact->clearance, half));
  ImpiMask64 rolls_a = rolling_half(at->rare->body_a, at->rare->turn_a, half);
  ImpiMask64 rolls_b = rolling_half(at->rare->body_b, at->rare->turn_b, half);
  ImpiDoubles lnx = widen(&at->rare->local_x, half), lny = widen(&at->rare->local_y, half);
  ImpiDoubles x = a.c * lnx - a.s * lny, y = a.s * lnx + a.c * lny, distance = cx;
  ImpiMask64 corners = masks_at(at->rare->corner, half);
  bool any_corner = points == 1 && any_of(corners);
  if (any_corner) {
    distance = turn_to_circle(corners, rolls_b, cx, cy, &x, &y);
    stale |= corners & ~(distance > IMPI_MIN_LENGTH);
  }
  narrow(x, nx, half);
  narrow(y, ny, half);
  for (int i = 0; i < points; ++i) {
    const RarePoint *rare = &at->rare_points[i];
    Point *p = &at->points[i];
    ImpiDoubles lax = widen(&rare->lax, half), lay = widen(&rare->lay, half);
    ImpiDoubles lbx = widen(&rare->lbx, half), lby = widen(&rare->lby, half);
    Anchors r = {a.c * lax - a.s * lay, a.s * lax + a.c * lay, b.c * lbx - b.s * lby, b.s * lbx + b.c * lby};
    ImpiDoubles separation =
        doubles_at(at->exact_points[i].base, half) + (x * (cx + (r.bx - r.ax)) + y * (cy + (r.by - r.ay)));
    if (any_corner) {
      separation = choose(corners, doubles_at(at->exact_points[i].base, half) + distance, separation);
    }
    if (points == 1) {
      r = roll(at, half, r, rolls_a, rolls_b, x, y, cx, cy, separation);
      stale |= (rolls_a | rolls_b) & (separation > IMPI_SPECULATIVE_MARGIN);
    }
    narrow(r.ax, &p->rax, half);
    narrow(r.ay, &p->ray, half);
    narrow(r.bx, &p->rbx, half);
    narrow(r.by, &p->rby, half);
    narrow(separation, &p->start, half);
    *out_least = i == 0 ? separation : choose(*out_least < separation, *out_least, separation);
  }
  return stale;
}


// Add the work of the last step to the total work of the points.
IMPI_INLINE void account(const Parts *at, int points, int half) {
  ImpiDoubles sum = doubles_at(at->exact->work_r, half) + widen(&at->rare->rolling_step, half);
  memcpy(at->exact->work_r + half * IMPI_D, &sum, sizeof sum);
  for (int i = 0; i < points; ++i) {
    ExactPoint *exact = &at->exact_points[i];
    sum = doubles_at(exact->work_n, half) + widen(&at->rare_points[i].step_n, half);
    memcpy(exact->work_n + half * IMPI_D, &sum, sizeof sum);
    sum = doubles_at(exact->work_t, half) + widen(&at->rare_points[i].step_t, half);
    memcpy(exact->work_t + half * IMPI_D, &sum, sizeof sum);
  }
}


// Return 1 if a body is in the set, else 0.
IMPI_INLINE int32_t is_in(const uint64_t *set, int32_t body) { return (int32_t)(set[body >> 6] >> (body & 63) & 1u); }


IMPI_INLINE int refresh_block(const ImpiSoftBlocks *blocks, int index, int points, const ImpiMotion *motions,
                              const uint64_t *fast, int32_t *out_slots) {
  Parts at = parts_of(blocks, index, points);
  int32_t look[IMPI_W];
  ImpiFloats nx, ny;
  for (int half = 0; half < HALVES; ++half) {
    ImpiDoubles least = {0}; // always overwritten: each block has points
    ImpiMask64 stale = refresh_half(&at, points, motions, half, &nx, &ny, &least);
    HalfMask touching;
    memcpy(&touching, at.rare->touching + half * IMPI_D, sizeof touching);
    ImpiMask64 was = __builtin_convertvector(touching, ImpiMask64);
    ImpiMask64 turns = (was & (least > IMPI_TOUCH_END)) | (~was & (least <= IMPI_TOUCH_BEGIN));
    HalfMask found = __builtin_convertvector(stale | turns, HalfMask);
    memcpy(look + half * IMPI_D, &found, sizeof found);
    account(&at, points, half);
  }
#if !defined(IMPI_LOCKED)
  at.head->nx = nx;
  at.head->ny = ny;
#endif
  ImpiMask moves_a, moves_b;
  memcpy(&moves_a, at.head->a, sizeof moves_a);
  memcpy(&moves_b, at.head->b, sizeof moves_b);
  moves_a = moves_a != 0;
  moves_b = moves_b != 0;
  for (int i = 0; i < points; ++i) {
    Point *p = &at.points[i];
    p->rax = impi_select(moves_a, p->rax, IMPI_SPLAT(0));
    p->ray = impi_select(moves_a, p->ray, IMPI_SPLAT(0));
    p->rbx = impi_select(moves_b, p->rbx, IMPI_SPLAT(0));
    p->rby = impi_select(moves_b, p->rby, IMPI_SPLAT(0));
    p->normal_total = p->tangent_total = IMPI_SPLAT(0);
    at.rare_points[i].step_n = at.rare_points[i].step_t = IMPI_SPLAT(0);
  }
  at.rare->rolling_total = at.rare->rolling_step = IMPI_SPLAT(0);
  int count = 0, any = 0;
  for (int lane = 0; lane < IMPI_W && fast != NULL; ++lane) {
    bool both = at.head->ma[lane] > 0 && at.head->mb[lane] > 0;
    look[lane] |= both ? 0 : is_in(fast, at.rare->body_a[lane]) | is_in(fast, at.rare->body_b[lane]);
  }
  for (int lane = 0; lane < IMPI_W; ++lane) {
    any |= look[lane];
  }
  for (int lane = 0; lane < IMPI_W && any != 0; ++lane) {
    out_slots[count] = at.rare->contact[lane];
    count += look[lane] != 0 && at.rare->contact[lane] >= 0;
  }
  return count;
}


static int refresh(const ImpiSoftBlocks *blocks, const ImpiMotion *motions, const uint64_t *fast, int32_t *out_slots) {
  int count = 0;
#define REFRESH(n) count += refresh_block(blocks, index, n, motions, fast, out_slots + count)
  FOR_BLOCKS(blocks, REFRESH)
#undef REFRESH
  return count;
}
