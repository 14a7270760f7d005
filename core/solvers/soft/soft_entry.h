// Second part of the contact kernels: writing and reading contacts, begin and end of a step.
#include "solvers/soft/soft_block.h"


// ---------------------------------------------------------------------------------------------------------------------
// One lane
// ---------------------------------------------------------------------------------------------------------------------


static Parts parts_at(const ImpiSoftBlocks *blocks, int place) {
  return blocks->points == 1 ? parts_of(blocks, place / IMPI_W, 1) : parts_of(blocks, place / IMPI_W, 2);
}


// One float of a row. The access must be scalar, because other threads may use the neighbouring lanes.
#define LANE(row, lane) (((float *)(void *)&(row))[lane])


// Write the position of a point. The anchor of a body that does not move is zero.
static void place_point(const Parts *at, int i, int lane, const ImpiContactPoint *point) {
  Point *p = &at->points[i];
  bool moves_a = at->head->a[lane] != 0, moves_b = at->head->b[lane] != 0;
  LANE(p->rax, lane) = moves_a ? (float)point->r_a.x : 0;
  LANE(p->ray, lane) = moves_a ? (float)point->r_a.y : 0;
  LANE(p->rbx, lane) = moves_b ? (float)point->r_b.x : 0;
  LANE(p->rby, lane) = moves_b ? (float)point->r_b.y : 0;
  LANE(p->start, lane) = (float)point->separation;
}


// Write the data with which later steps update a point.
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
#if defined(IMPI_LOCKED) // the lane's normal may differ from the contact's: recompute the manifold in every step
  at->exact->clearance[lane] = -1;
#else
  at->exact->clearance[lane] = impi_contact_keeps(contact) ? contact->reference.clearance : -1;
#endif
}


static void enter_point(const Parts *at, int i, int lane, const ImpiContactPoint *point) {
  RarePoint *rare = &at->rare_points[i];
  ExactPoint *exact = &at->exact_points[i];
  place_point(at, i, lane, point);
  keep_point(at, i, lane, point);
  rare->approach[lane] = (float)point->approach;
  rare->step_n[lane] = rare->step_t[lane] = 0;
  exact->work_n[lane] = point->work_n;
  exact->work_t[lane] = point->work_t;
}


static void touch(const ImpiSoftBlocks *blocks, int place, ImpiSoftTouch *out) {
  Parts at = parts_at(blocks, place);
  int lane = place % IMPI_W;
  Head *head = at.head;
  *out = (ImpiSoftTouch){.a = head->a[lane],
                         .b = head->b[lane],
                         .nx = &LANE(head->nx, lane),
                         .ny = &LANE(head->ny, lane),
                         .ma = LANE(head->ma, lane),
                         .ma_y = LANE(head->IMPI_ALONG_Y(ma), lane),
                         .mb = LANE(head->mb, lane),
                         .mb_y = LANE(head->IMPI_ALONG_Y(mb), lane),
                         .ia = LANE(head->ia, lane),
                         .ib = LANE(head->ib, lane),
                         .count = blocks->points};
  for (int i = 0; i < blocks->points; ++i) {
    Point *p = &at.points[i];
    out->points[i] = (ImpiSoftTouchPoint){&LANE(p->rax, lane),   &LANE(p->ray, lane), &LANE(p->rbx, lane),
                                          &LANE(p->rby, lane),   &LANE(p->now, lane), &LANE(p->normal_mass, lane),
                                          &LANE(p->normal, lane)};
  }
}


// Write the warm-start impulses of the first substep and clear the totals.
static void enter_impulses(const ImpiSoftBlocks *blocks, int place, const ImpiContact *contact) {
  Parts at = parts_at(blocks, place);
  int lane = place % IMPI_W;
  at.rare->rolling[lane] = contact->rolling > 0 ? (float)contact->lambda_r : 0;
  at.rare->rolling_total[lane] = 0;
  for (int i = 0; i < blocks->points; ++i) {
    at.points[i].normal[lane] = (float)contact->points[i].lambda_n;
    at.points[i].tangent[lane] = (float)contact->points[i].lambda_t;
    at.points[i].normal_total[lane] = at.points[i].tangent_total[lane] = 0;
  }
}


// Write the normal and the inverse masses. A normal that is nearly parallel to a locked axis is made exactly parallel
// (IMPI_LOCKED_SLOPE).
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
  rare->rolling_step[lane] = 0;
  rare->restitution[lane] = contact->restitution > 0 ? (float)contact->restitution : 0;
  rare->threshold[lane] = (float)contact->restitution_threshold;
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
  // without this flag, the next step recomputes the manifold
  bool fresh = contact->flags & IMPI_CONTACT_FRESH;
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


// Return whether the position of a point is valid; false for NaN.
static bool is_arm(double separation, ImpVec2 r_a, ImpVec2 r_b) {
  return fabs(separation) <= IMP_MAX_ARM && fabs(r_a.x) <= IMP_MAX_ARM && fabs(r_a.y) <= IMP_MAX_ARM &&
         fabs(r_b.x) <= IMP_MAX_ARM && fabs(r_b.y) <= IMP_MAX_ARM;
}


// Read the positions of the points: from the lanes, or from the pose of a body that does not move. A point whose
// position has overflowed keeps the value of the narrow phase.
static void read_points(const Parts *at, int lane, ImpiContact *contact, const ImpiMotion *motions) {
  const ImpiMotion *a = &motions[contact->body_a], *b = &motions[contact->body_b];
  bool round_a = contact->flags & IMPI_CONTACT_ROUND_A, round_b = contact->flags & IMPI_CONTACT_ROUND_B;
  bool moves_a = at->head->a[lane] != 0, moves_b = at->head->b[lane] != 0;
  ImpVec2 normal = {(double)at->head->nx[lane], (double)at->head->ny[lane]};
  double length = impi_length(normal);
  if (length > 0.5 && length < 2) {                   // false for NaN
    contact->normal = impi_scale(1 / length, normal); // the float vector has unit length only to 1e-7
  }
  for (int i = 0; i < contact->count; ++i) {
    ImpiContactPoint *point = &contact->points[i];
    const Point *p = &at->points[i];
    ImpVec2 local_a = {(double)point->local_a[0], (double)point->local_a[1]};
    ImpVec2 local_b = {(double)point->local_b[0], (double)point->local_b[1]};
    double separation = (double)p->start[lane];
    ImpVec2 r_a = moves_a   ? impi_vec((double)p->rax[lane], (double)p->ray[lane])
                  : round_a ? impi_scale(contact->radius_a + 0.5 * separation, contact->normal)
                            : impi_rotate((ImpRot){a->c, a->s}, local_a);
    ImpVec2 r_b = moves_b   ? impi_vec((double)p->rbx[lane], (double)p->rby[lane])
                  : round_b ? impi_scale(-contact->radius_b - 0.5 * separation, contact->normal)
                            : impi_rotate((ImpRot){b->c, b->s}, local_b);
    if (is_arm(separation, r_a, r_b)) {
      point->separation = separation;
      point->r_a = r_a;
      point->r_b = r_b;
    }
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
  // if clearance is -1, the narrow phase has written the positions of this step to the contact
  if (motions != NULL && at.exact->clearance[lane] >= 0) {
    read_points(&at, lane, contact, motions);
  }
}


// Consecutive rows of a block with elements of one size.
typedef struct Rows {
  char *first;
  size_t count, element; // number of rows; size of an element [bytes]
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


// Copy one lane of `count` rows, or clear it if `source` is NULL.
IMPI_INLINE void copy_column(char *target, const char *source, size_t count, size_t element) {
  for (size_t at = 0; at < count * IMPI_W * element; at += IMPI_W * element) {
    if (source != NULL) {
      memcpy(target + at, source + at, element);
    } else {
      memset(target + at, 0, element);
    }
  }
}


// Copy the lane at place `from` to place `to`, or clear place `to` if `from` < 0.
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
// The step's begin and end
// ---------------------------------------------------------------------------------------------------------------------


// Return the mask of lanes in which b is the circle.
IMPI_INLINE ImpiMask rounds_b(const RareHead *rare) {
  ImpiMask body, turn;
  memcpy(&body, rare->body_b, sizeof body);
  memcpy(&turn, rare->turn_b, sizeof turn);
  return body != turn;
}


// Compute the vector from the corner to the circle's centre, for circles at corners. Returns whether there are any.
IMPI_INLINE bool begin_corners(const Parts *at) {
  RareHead *rare = at->rare;
  ImpiMask corner;
  memcpy(&corner, rare->corner, sizeof corner);
  if (!impi_any_lane(corner)) {
    return false;
  }
  ImpiMask round_b = rounds_b(rare);
  ImpiFloats far = at->points[0].start + (at->head->rho_a + at->head->rho_b);
  far = impi_select(round_b, far, -far);
  rare->from_x = far * at->head->nx;
  rare->from_y = far * at->head->ny;
  return true;
}


// Return the mask of the contacts with a point at which bias_rate * overlap exceeds push_limit.
static ImpiMask begin_deep(const ImpiSoftPass *pass, const Parts *at, int points) {
  ImpiMask deep = (ImpiMask){0};
  for (int i = 0; i < points; ++i) {
    const Point *p = &at->points[i];
    deep |= -pass->bias_rate * p->start > push_limit(pass, taken_by(at->head, p));
  }
  return deep;
}


IMPI_INLINE void begin_block(const ImpiSoftPass *pass, const Parts *at, int points) {
  Head *head = at->head;
  RareHead *rare = at->rare;
  Sides v = load(pass, head, false);
  rare->rolling_mass = inverse(head->ia + head->ib);
  rare->rolling_start = v.b.z - v.a.z;
  ImpiMask rolls = rare->rolling_radius > 0, bounces = rare->restitution > 0, deep = (ImpiMask){0};
  at->flags->still = impi_any_lane(must_stay(pass, still_a(head), head->a) | must_stay(pass, still_b(head), head->b));
  at->flags->rolls = impi_any_lane(rolls);
  at->flags->bounces = impi_any_lane(bounces);
  for (int i = 0; i < points; ++i) {
    Point *p = &at->points[i];
    RarePoint *extra = &at->rare_points[i];
    ImpiFloats dx, dy;
    weigh_point(head, p);
    p->now = p->start;
    deep |= -pass->bias_rate * p->start > pass->push_speed;
    relative(&v, p, &dx, &dy);
    extra->approach = -(dx * head->nx + dy * head->ny);
    extra->slip = dx * head->ny - dy * head->nx;
    if (at->flags->bounces) {
      note_point(&v, head, p, extra);
    }
  }
  if (impi_any_lane(deep)) {
    deep = begin_deep(pass, at, points);
  }
  signal_any(pass, IMPI_SIGNAL_BOUNCES, bounces);
  at->flags->deep = impi_any_lane(deep);
  at->flags->corners = points == 1 && begin_corners(at);
  signal_any(pass, IMPI_SIGNAL_CORNERS, (ImpiMask){0} - (at->flags->corners != 0));
  memcpy(rare->deep, &deep, sizeof deep);
}


static void begin(const ImpiSoftPass *pass, const ImpiSoftBlocks *blocks) {
#define BEGIN(n) \
  Parts at = parts_of(blocks, index, n); \
  begin_block(pass, &at, n)
  FOR_BLOCKS(blocks, BEGIN)
#undef BEGIN
}


// Compute the work of the step: total impulse times the mean of the relative speeds before and after the step.
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
  Sides v = load(pass, at->head, false);
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
