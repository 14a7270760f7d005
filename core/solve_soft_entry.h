// Level 5. How contacts come into the lanes of the soft solver, what brings them from step to step, and how they are
// read: the second half of the kernels. Written once, for the width IMPI_W.
#include "solve_soft_block.h"

typedef double ImpiDoubles __attribute__((vector_size(8 * IMPI_D)));
typedef int64_t ImpiMask64 __attribute__((vector_size(8 * IMPI_D)));
typedef float HalfFloats __attribute__((vector_size(4 * IMPI_D)));
typedef int32_t HalfMask __attribute__((vector_size(4 * IMPI_D)));


// ---------------------------------------------------------------------------------------------------------------------
// One lane
// ---------------------------------------------------------------------------------------------------------------------


static Parts parts_at(const ImpiSoftBlocks *blocks, int place) {
  return blocks->points == 1 ? parts_of(blocks, place / IMPI_W, 1) : parts_of(blocks, place / IMPI_W, 2);
}


// A lane of a row of floats by itself: other threads may be at its neighbours, which a vector would take along.
#define LANE(row, lane) (((float *)(void *)&(row))[lane])


// Where a point is. A body that does not move has no lever: its anchor may be as far away as it likes.
static void place_point(const Parts *at, int i, int lane, const ImpiContactPoint *point) {
  Point *p = &at->points[i];
  bool moves_a = at->head->a[lane] != 0, moves_b = at->head->b[lane] != 0;
  LANE(p->rax, lane) = moves_a ? (float)point->r_a.x : 0;
  LANE(p->ray, lane) = moves_a ? (float)point->r_a.y : 0;
  LANE(p->rbx, lane) = moves_b ? (float)point->r_b.x : 0;
  LANE(p->rby, lane) = moves_b ? (float)point->r_b.y : 0;
  LANE(p->start, lane) = (float)point->separation;
}


// What brings a point from step to step.
static void keep_point(const Parts *at, int i, int lane, const ImpiContactPoint *point) {
  RarePoint *rare = &at->rare_points[i];
  LANE(rare->lax, lane) = point->local_a[0];
  LANE(rare->lay, lane) = point->local_a[1];
  LANE(rare->lbx, lane) = point->local_b[0];
  LANE(rare->lby, lane) = point->local_b[1];
  at->exact_points[i].base[lane] = point->base;
}


static void keep_reference(const Parts *at, int lane, const ImpiContact *contact) {
  LANE(at->rare->c, lane) = contact->reference.c;
  LANE(at->rare->s, lane) = contact->reference.s;
  LANE(at->rare->local_x, lane) = contact->local_normal[0];
  LANE(at->rare->local_y, lane) = contact->local_normal[1];
  at->exact->px[lane] = contact->reference.p.x;
  at->exact->py[lane] = contact->reference.p.y;
  at->exact->extent[lane] = contact->reference.extent_b;
#if defined(IMPI_LOCKED) // a held normal is not the contact's: it is found by the contact itself, in every step
  at->exact->clearance[lane] = -1;
#else
  at->exact->clearance[lane] = impi_contact_keeps(contact) ? contact->reference.clearance : -1;
#endif
}


static void enter_point(const Parts *at, int i, int lane, const ImpiContactPoint *point) {
  Point *p = &at->points[i];
  RarePoint *rare = &at->rare_points[i];
  ExactPoint *exact = &at->exact_points[i];
  place_point(at, i, lane, point);
  keep_point(at, i, lane, point);
  p->normal_total[lane] = p->tangent_total[lane] = 0;
  rare->approach[lane] = (float)point->approach;
  rare->step_n[lane] = rare->step_t[lane] = 0;
  exact->work_n[lane] = point->work_n;
  exact->work_t[lane] = point->work_t;
}


// What it starts from in the next substep.
static void enter_impulses(const ImpiSoftBlocks *blocks, int place, const ImpiContact *contact) {
  Parts at = parts_at(blocks, place);
  int lane = place % IMPI_W;
  at.rare->rolling[lane] = contact->rolling > 0 ? (float)contact->lambda_r : 0;
  for (int i = 0; i < blocks->points; ++i) {
    at.points[i].normal[lane] = (float)contact->points[i].lambda_n;
    at.points[i].tangent[lane] = (float)contact->points[i].lambda_t;
  }
}


// Which way the contact pushes, and what its bodies weigh.
static void enter_masses(Head *head, int lane, const ImpiContact *contact, const ImpiBody *a, const ImpiBody *b) {
#if defined(IMPI_LOCKED)
  ImpVec2 held_a = impi_hold_direction(a, contact->normal.x, contact->normal.y, IMPI_LOCKED_SLOPE);
  ImpVec2 normal = impi_hold_direction(b, held_a.x, held_a.y, IMPI_LOCKED_SLOPE);
  ImpVec2 free_a = impi_free_part(a, a->inv_mass, a->inv_mass), free_b = impi_free_part(b, b->inv_mass, b->inv_mass);
  head->nx[lane] = (float)normal.x;
  head->ny[lane] = (float)normal.y;
  head->ma[lane] = (float)free_a.x;
  head->mb[lane] = (float)free_b.x;
  head->ma_y[lane] = (float)free_a.y;
  head->mb_y[lane] = (float)free_b.y;
#else
  head->nx[lane] = (float)contact->normal.x;
  head->ny[lane] = (float)contact->normal.y;
  head->ma[lane] = (float)a->inv_mass;
  head->mb[lane] = (float)b->inv_mass;
#endif
  head->ia[lane] = (float)a->inv_inertia;
  head->ib[lane] = (float)b->inv_inertia;
}


static void enter(const ImpiSoftBlocks *blocks, int place, int32_t slot, const ImpiContact *contact,
                  const ImpiBody *bodies) {
  Parts at = parts_at(blocks, place);
  int lane = place % IMPI_W;
  const ImpiBody *a = &bodies[contact->body_a], *b = &bodies[contact->body_b];
  Head *head = at.head;
  RareHead *rare = at.rare;
  ExactHead *exact = at.exact;
  head->a[lane] = a->type == IMP_BODY_STATIC ? 0 : impi_lane_of(contact->body_a);
  head->b[lane] = b->type == IMP_BODY_STATIC ? 0 : impi_lane_of(contact->body_b);
  enter_masses(head, lane, contact, a, b);
  head->friction[lane] = (float)contact->friction;
  head->surface_speed[lane] = (float)contact->surface_speed;
  head->rho_a[lane] = (float)contact->radius_a;
  head->rho_b[lane] = (float)contact->radius_b;
  rare->contact[lane] = slot;
  rare->body_a[lane] = contact->body_a;
  rare->body_b[lane] = contact->body_b;
  rare->turn_a[lane] = contact->flags & IMPI_CONTACT_ROUND_A ? contact->body_b : contact->body_a;
  rare->turn_b[lane] = contact->flags & IMPI_CONTACT_ROUND_B ? contact->body_a : contact->body_b;
  rare->touching[lane] = contact->flags & IMPI_CONTACT_TOUCHING ? -1 : 0;
  rare->corner[lane] = contact->flags & IMPI_CONTACT_CORNER ? -1 : 0;
  rare->hit_speed[lane] = (float)contact->hit_speed;
  rare->rolling_radius[lane] = contact->rolling > 0 ? (float)contact->rolling : 0;
  rare->rolling_total[lane] = rare->rolling_step[lane] = 0;
  rare->restitution[lane] = contact->restitution > 0 ? (float)contact->restitution : 0;
  rare->threshold[lane] = contact->restitution > 0 ? (float)contact->restitution_threshold : 0;
  keep_reference(&at, lane, contact);
  exact->work_r[lane] = contact->work_r;
  for (int i = 0; i < blocks->points; ++i) {
    enter_point(&at, i, lane, &contact->points[i]);
  }
  enter_impulses(blocks, place, contact);
}


static void renew(const ImpiSoftBlocks *blocks, int place, const ImpiContact *contact) {
  Parts at = parts_at(blocks, place);
  int lane = place % IMPI_W;
  bool fresh = contact->flags & IMPI_CONTACT_FRESH; // else nobody looks at what is kept
  LANE(at.head->nx, lane) = (float)contact->normal.x;
  LANE(at.head->ny, lane) = (float)contact->normal.y;
  if (fresh) {
    keep_reference(&at, lane, contact);
  }
  for (int i = 0; i < blocks->points; ++i) {
    place_point(&at, i, lane, &contact->points[i]);
    if (fresh) {
      keep_point(&at, i, lane, &contact->points[i]);
    }
  }
}


static void carry(const ImpiSoftBlocks *blocks, int place, const int *from, ImpiContact *contact) {
  Parts at = parts_at(blocks, place);
  int lane = place % IMPI_W;
  contact->lambda_r = contact->count > 0 ? (double)at.rare->rolling[lane] : 0;
  contact->work_r = at.exact->work_r[lane];
  for (int i = 0; i < contact->count; ++i) {
    ImpiContactPoint *point = &contact->points[i];
    if (from[i] >= 0) {
      point->lambda_n = (double)at.points[from[i]].normal[lane];
      point->lambda_t = (double)at.points[from[i]].tangent[lane];
      point->work_n = at.exact_points[from[i]].work_n[lane];
      point->work_t = at.exact_points[from[i]].work_t[lane];
    }
  }
}


static void read_point(const Parts *at, int i, int lane, ImpiContactPoint *point, bool accounted) {
  const Point *p = &at->points[i];
  const RarePoint *rare = &at->rare_points[i];
  const ExactPoint *exact = &at->exact_points[i];
  point->lambda_n = (double)p->normal[lane];
  point->lambda_t = (double)p->tangent[lane];
  point->total_n = (double)p->normal_total[lane];
  point->total_t = (double)p->tangent_total[lane];
  point->approach = (double)rare->approach[lane];
  point->step_n = (double)rare->step_n[lane];
  point->step_t = (double)rare->step_t[lane];
  point->work_n = exact->work_n[lane] + (accounted ? point->step_n : 0);
  point->work_t = exact->work_t[lane] + (accounted ? point->step_t : 0);
}


// Where the points are, as the lanes have brought them along; of a body that does not move, from where it is.
static void read_points(const Parts *at, int lane, ImpiContact *contact, const ImpiMotion *motions) {
  const ImpiMotion *a = &motions[contact->body_a], *b = &motions[contact->body_b];
  bool round_a = contact->flags & IMPI_CONTACT_ROUND_A, round_b = contact->flags & IMPI_CONTACT_ROUND_B;
  bool moves_a = at->head->a[lane] != 0, moves_b = at->head->b[lane] != 0;
  ImpVec2 normal = {(double)at->head->nx[lane], (double)at->head->ny[lane]};
  contact->normal = impi_scale(1 / impi_length(normal), normal); // in float it is a unit to 1e-7
  for (int i = 0; i < contact->count; ++i) {
    ImpiContactPoint *point = &contact->points[i];
    const Point *p = &at->points[i];
    ImpVec2 local_a = {(double)point->local_a[0], (double)point->local_a[1]};
    ImpVec2 local_b = {(double)point->local_b[0], (double)point->local_b[1]};
    point->separation = (double)p->start[lane];
    point->r_a = moves_a   ? impi_vec((double)p->rax[lane], (double)p->ray[lane])
                 : round_a ? impi_scale(contact->radius_a + 0.5 * point->separation, contact->normal)
                           : impi_rotate((ImpRot){a->c, a->s}, local_a);
    point->r_b = moves_b   ? impi_vec((double)p->rbx[lane], (double)p->rby[lane])
                 : round_b ? impi_scale(-contact->radius_b - 0.5 * point->separation, contact->normal)
                           : impi_rotate((ImpRot){b->c, b->s}, local_b);
  }
}


static void read(const ImpiSoftBlocks *blocks, int place, ImpiContact *contact, const ImpiMotion *motions,
                 bool accounted) {
  Parts at = parts_at(blocks, place);
  int lane = place % IMPI_W;
  const RareHead *rare = at.rare;
  contact->lambda_r = (double)rare->rolling[lane];
  contact->total_r = (double)rare->rolling_total[lane];
  contact->step_r = (double)rare->rolling_step[lane];
  contact->work_r = at.exact->work_r[lane] + (accounted ? contact->step_r : 0);
  for (int i = 0; i < blocks->points; ++i) {
    read_point(&at, i, lane, &contact->points[i], accounted);
  }
  if (motions != NULL &&
      at.exact->clearance[lane] >= 0) { // the others are found anew in every step, and are as they were found
    read_points(&at, lane, contact, motions);
  }
}


// The rows of a block: where they begin, how many, and how wide an element is.
typedef struct Rows {
  char *first;
  size_t count, element;
} Rows;


static void rows_of(const ImpiSoftBlocks *blocks, int index, Rows *out_rows) {
  bool one = blocks->points == 1;
  char *hot = (char *)blocks->hot + (size_t)index * (one ? sizeof(Block1) : sizeof(Block2));
  char *rare = (char *)blocks->rare + (size_t)index * (one ? sizeof(Rare1) : sizeof(Rare2));
  size_t points = one ? offsetof(Block1, flags) : offsetof(Block2, flags);
  size_t exact = one ? offsetof(Rare1, exact) : offsetof(Rare2, exact);
  size_t end =
      one ? offsetof(Rare1, exact_points) + sizeof(ExactPoint) : offsetof(Rare2, exact_points) + 2 * sizeof(ExactPoint);
  out_rows[0] = (Rows){hot, points / (4 * IMPI_W), 4};
  out_rows[1] = (Rows){rare, (offsetof(Rare1, points) + (size_t)blocks->points * sizeof(RarePoint)) / (4 * IMPI_W), 4};
  out_rows[2] = (Rows){rare + exact, (end - exact) / (8 * IMPI_W), 8};
}


// Copy `count` elements that lie one below the other, or clear them where there is no source. `element` is a constant where
// this is inlined.
IMPI_INLINE void copy_column(char *target, const char *source, size_t count, size_t element) {
  for (size_t at = 0; at < count * IMPI_W * element; at += IMPI_W * element) {
    if (source != NULL) {
      memcpy(target + at, source + at, element);
    } else {
      memset(target + at, 0, element);
    }
  }
}


// The lane `from`, none if that is below 0, into the lane `to`.
static void copy_lane(const ImpiSoftBlocks *blocks, int from, int to) {
  Rows source[3], target[3];
  rows_of(blocks, (from < 0 ? to : from) / IMPI_W, source);
  rows_of(blocks, to / IMPI_W, target);
  for (int part = 0; part < 3; ++part) {
    size_t element = target[part].element, count = target[part].count;
    char *column = target[part].first + (size_t)(to % IMPI_W) * element;
    const char *other = from < 0 ? NULL : source[part].first + (size_t)(from % IMPI_W) * element;
    if (element == 4) {
      copy_column(column, other, count, 4);
    } else {
      copy_column(column, other, count, 8);
    }
  }
}


static void move(const ImpiSoftBlocks *blocks, int from, int to) { copy_lane(blocks, from, to); }


static int32_t contact_at(const ImpiSoftBlocks *blocks, int place) {
  return parts_at(blocks, place).rare->contact[place % IMPI_W];
}


static void clear(const ImpiSoftBlocks *blocks, int place) {
  copy_lane(blocks, -1, place);
  parts_at(blocks, place).rare->contact[place % IMPI_W] = -1;
}


// ---------------------------------------------------------------------------------------------------------------------
// From step to step: impi_contact_refresh, in double, half a block at a time
// ---------------------------------------------------------------------------------------------------------------------


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


// The lanes where a side turns with the other one: circles.
IMPI_INLINE ImpiMask64 rolling_half(const int32_t *bodies, const int32_t *turns, int half) {
  HalfMask body, turn;
  memcpy(&body, bodies + half * IMPI_D, sizeof body);
  memcpy(&turn, turns + half * IMPI_D, sizeof turn);
  return __builtin_convertvector(body != turn, ImpiMask64);
}


typedef struct Anchors {
  ImpiDoubles ax, ay, bx, by;
} Anchors;


// Where a circle touches goes along with its centre; (x, y) is the normal, (cx, cy) from a's centre to b's.
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


// Half a row of masks.
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


// Where the normal comes from a corner, (x, y) from the centre of its body: the distance, and the normal instead of the
// corner.
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


// What is left of the room in which a contact keeps its points, and its normal and points after the motion.
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
    if (points == 1) { // a circle has one
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


// The work of the step before goes into the sums.
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


// Whether a body is in the set.
IMPI_INLINE int32_t is_in(const uint64_t *set, int32_t body) { return (int32_t)(set[body >> 6] >> (body & 63) & 1u); }


IMPI_INLINE int refresh_block(const ImpiSoftBlocks *blocks, int index, int points, const ImpiMotion *motions,
                              const uint64_t *fast, int32_t *out_slots) {
  Parts at = parts_of(blocks, index, points);
  int32_t look[IMPI_W];
  ImpiFloats nx, ny;
  for (int half = 0; half < HALVES; ++half) {
    ImpiDoubles least;
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


// ---------------------------------------------------------------------------------------------------------------------
// The step's begin and end
// ---------------------------------------------------------------------------------------------------------------------


IMPI_INLINE void begin_block(const ImpiSoftPass *pass, const Parts *at, int points) {
  Head *head = at->head;
  RareHead *rare = at->rare;
  Sides v = load(pass, head);
  rare->rolling_mass = inverse(head->ia + head->ib);
  rare->rolling_start = v.b.z - v.a.z;
  ImpiMask rolls = rare->rolling_radius > 0, bounces = rare->restitution > 0;
  ImpiMask still = still_a(head) | still_b(head);
  int32_t any_rolls = 0, any_bounces = 0, any_still = 0;
  for (int lane = 0; lane < IMPI_W; ++lane) {
    any_rolls |= rolls[lane];
    any_bounces |= bounces[lane];
    any_still |= still[lane];
  }
  at->flags->still = any_still;
  at->flags->rolls = any_rolls;
  at->flags->bounces = any_bounces;
  for (int i = 0; i < points; ++i) {
    Point *p = &at->points[i];
    RarePoint *extra = &at->rare_points[i];
    ImpiFloats ran = p->rax * head->ny - p->ray * head->nx, rbn = p->rbx * head->ny - p->rby * head->nx;
    ImpiFloats rat = -(p->rax * head->nx + p->ray * head->ny), rbt = -(p->rbx * head->nx + p->rby * head->ny);
    ImpiFloats dx, dy, mn = masses_along(head, head->nx, head->ny), mt = masses_along(head, head->ny, head->nx);
    p->normal_mass = inverse(mn + head->ia * ran * ran + head->ib * rbn * rbn);
    p->tangent_mass = inverse(mt + head->ia * rat * rat + head->ib * rbt * rbt);
    p->now = extra->gap = p->start;
    relative(&v, p, &dx, &dy);
    extra->approach = extra->before = -(dx * head->nx + dy * head->ny);
    extra->slip = dx * head->ny - dy * head->nx;
  }
}


static void begin(const ImpiSoftPass *pass, const ImpiSoftBlocks *blocks) {
#define BEGIN(n) \
  Parts at = parts_of(blocks, index, n); \
  begin_block(pass, &at, n)
  FOR_BLOCKS(blocks, BEGIN)
#undef BEGIN
}


// Work over the step: each total impulse times the mean of its speed before and after.
IMPI_INLINE void note_work(const Sides *v, const Parts *at, int points) {
  const Head *head = at->head;
  for (int i = 0; i < points; ++i) {
    const Point *p = &at->points[i];
    RarePoint *rare = &at->rare_points[i];
    ImpiFloats dx, dy;
    relative(v, p, &dx, &dy);
    rare->step_n = 0.5f * p->normal_total * (dx * head->nx + dy * head->ny - rare->approach);
    rare->step_t = 0.5f * p->tangent_total * (dx * head->ny - dy * head->nx + rare->slip);
  }
  at->rare->rolling_step = 0.5f * at->rare->rolling_total * (v->b.z - v->a.z + at->rare->rolling_start);
}


IMPI_INLINE void finish_block(const ImpiSoftPass *pass, const Parts *at, int points, float hit_speed,
                              ImpiSoftResult *result) {
  Sides v = load(pass, at->head);
  note_work(&v, at, points);
  const RareHead *rare = at->rare;
  ImpiFloats impulse = at->points[0].normal_total, approach = IMPI_SPLAT(0);
  for (int i = 0; i < points; ++i) {
    ImpiMask pressed = at->points[i].normal_total > 0;
    approach = impi_vmax(approach, impi_select(pressed, at->rare_points[i].approach, IMPI_SPLAT(0)));
    impulse = i == 0 ? impulse : impulse + at->points[i].normal_total;
  }
  ImpiMask touching;
  memcpy(&touching, rare->touching, sizeof touching);
  ImpiFloats limit = impi_select(rare->hit_speed == rare->hit_speed, rare->hit_speed, IMPI_SPLAT(hit_speed));
  ImpiMask look = (impulse > 0) & (~touching | ~(approach < limit));
  for (int lane = 0; lane < IMPI_W; ++lane) {
    int32_t slot = rare->contact[lane];
    if (slot < 0) {
      continue;
    }
    double work = 0;
    for (int i = 0; i < points; ++i) {
      work += (double)at->rare_points[i].step_n[lane] + (double)at->rare_points[i].step_t[lane];
    }
    result->rows += 2 * points + (rare->rolling_radius[lane] > 0);
    result->work[slot] = work + (double)rare->rolling_step[lane];
    result->flagged[result->count] = slot;
    result->count += look[lane] != 0;
  }
}


static void finish(const ImpiSoftPass *pass, const ImpiSoftBlocks *blocks, float hit_speed, ImpiSoftResult *result) {
#define FINISH(n) \
  Parts at = parts_of(blocks, index, n); \
  finish_block(pass, &at, n, hit_speed, result)
  FOR_BLOCKS(blocks, FINISH)
#undef FINISH
}
