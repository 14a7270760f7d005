// The contact kernels of the soft solver, compiled once per lane width IMPI_W, and once more with IMPI_LOCKED for
// bodies with locked axes. All widths give the same results.
#include "solvers/soft/soft_rows.h"

// The compression sweeps of an impact end when all impulses change by less than this fraction.
#define IMPACT_TOLERANCE 1e-4f

// An impact is passed on to other contacts only by speeds above this [m/s].
#define PASSED_LEAST 1e-4f


// ---------------------------------------------------------------------------------------------------------------------
// Restitution
//
// An impact consists of all contacts that are hit at the same time. It is solved by Poisson's hypothesis: the
// compression phase brings all points to v_n = 0; then all points receive e times their compression impulse in
// addition, at the same time. No energy is created: with v0 before and v_r after the compression, which is a projection
// in the metric of the masses,
//   |v|^2 = |v_r|^2 + e^2 |v0 - v_r|^2.
// Contacts that close after an impact are hit in the next impact: if a disc hits a row of discs, one disc leaves the
// row at the other end. Contacts that were loaded before take part in each impact: a ball bounces on a crate that
// stands on the floor.
//
// The speed after the impact: velocities of symplectic Euler lag by half a substep. With a the closing acceleration, u
// the speed of approach and s the gap at the start of the substep,
//   speed at the surface  U^2 = (u + a h / 2)^2 + 2 a s,      v_n after = e U + a h / 2
// in place of e (u + a h), so that a ball with e = 1 rises to the height that it fell from, for any h.
//
// Only contacts of bodies that an impact has reached take part. These bodies are marked in the fourth field of their
// acceleration.
// source: Poisson, "Traité de mécanique" (1833); Glocker and Pfeiffer, "Multiple impacts with friction in rigid
// multibody systems" (1995)
// ---------------------------------------------------------------------------------------------------------------------


// Return the mask of lanes with a body that an impact has reached.
IMPI_INLINE ImpiMask reached(const ImpiSoftPass *pass, const Head *head) {
  ImpiQuad aa = impi_gather(pass->bodies.acceleration, head->a), ab = impi_gather(pass->bodies.acceleration, head->b);
  return impi_vmax(aa.w, ab.w) > 0;
}


// Mark (1) or unmark (0) the moving bodies of some lanes.
static void mark(const ImpiSoftPass *pass, const Head *head, ImpiMask lanes, float value) {
  ImpiMask moves_a = lanes & ~still_a(head), moves_b = lanes & ~still_b(head);
  for (int lane = 0; lane < IMPI_W; ++lane) {
    if (moves_a[lane] && head->a[lane] > 0) {
      pass->bodies.acceleration[head->a[lane]][3] = value;
    }
    if (moves_b[lane] && head->b[lane] > 0) {
      pass->bodies.acceleration[head->b[lane]][3] = value;
    }
  }
}


// Set up the first impact from the velocities and impulses after relax.
IMPI_INLINE void aim_block(const ImpiSoftPass *pass, const Parts *at, int count) {
  if (!at->flags->bounces) {
    return;
  }
  const RareHead *rare = at->rare;
  Gain gain = gain_of(pass, at);
  ImpiMask any = (ImpiMask){0};
  for (int i = 0; i < count; ++i) {
    const Point *p = &at->points[i];
    RarePoint *note = &at->rare_points[i];
    ImpiMask hit = is_hit(at, i, gain.threshold);
    ImpiMask touches = (rare->restitution > 0) & ((p->normal > 0) | (p->now <= 0));
    ImpiFloats start = note->before + 0.5f * gain.closing, end = note->before + gain.closing;
    ImpiFloats fall = 2 * gain.closing * pass->inv_h * impi_vmax(note->gap, IMPI_SPLAT(0));
    ImpiFloats speed = impi_sqrt(impi_vmax(start * start + fall, IMPI_SPLAT(0)));
    ImpiMask falls = hit & (end > 0);
    ImpiFloats after = (rare->restitution * speed + 0.5f * gain.closing) / impi_select(falls, end, IMPI_SPLAT(1));
    ImpiFloats factor = impi_select(falls, after, rare->restitution);
    ImpiFloats other = impi_select(note->gap < 0, IMPI_SPLAT(LOADED), IMPI_SPLAT(NEAR));
    note->factor = impi_select(hit, factor, IMPI_SPLAT(0));
    note->part = impi_select(touches, impi_select(hit, IMPI_SPLAT(HIT), other), IMPI_SPLAT(0));
    note->done = impi_select(was_loaded(note), -note->gap * p->normal_mass, IMPI_SPLAT(0));
    note->approach = impi_select(hit, speed, note->approach);
    any |= hit;
  }
  if (impi_any_lane(any)) {
    mark(pass, at->head, any, 1);
  }
}


// Solve one sweep of the compression phase of an impact. The impulses of points that belong to a later impact are set
// to 0. If `last`, the last impact is over, and all touching points are solved. Signals changes above IMPACT_TOLERANCE.
IMPI_INLINE void compress_block(const ImpiSoftPass *pass, const Parts *at, int count, bool fine, bool last) {
  const Head *head = at->head;
  if (!at->flags->bounces) {
    return;
  }
  ImpiMask here = reached(pass, head);
  if (!impi_any_lane(here)) {
    return;
  }
  Sides v = load(pass, head, fine);
  ImpiFloats before[2];
  Target target[2];
  for (int i = 0; i < count; ++i) {
    Point *p = &at->points[i];
    const RarePoint *note = &at->rare_points[i];
    before[i] = p->normal;
    ImpiMask later = here & was_free(note) & ~was_hit(note);
    ImpiFloats off = last ? IMPI_SPLAT(0) : impi_select(later, p->normal, IMPI_SPLAT(0));
    p->normal -= off;
    apply(&v, head, p, -off * head->nx, -off * head->ny);
    ImpiMask acts = here & (last ? takes_part(note) : (note->factor > 0) | was_loaded(note));
    target[i] = (Target){.mass_scale = impi_select(acts, IMPI_SPLAT(1), IMPI_SPLAT(0))};
  }
  if (count == 2) {
    solve_normals(&v, head, at->points, target[0], target[1]);
  } else {
    solve_normal(&v, head, &at->points[0], target[0]);
  }
  ImpiMask changed = (ImpiMask){0};
  for (int i = 0; i < count; ++i) {
    Point *p = &at->points[i];
    ImpiFloats step = p->normal - before[i];
    p->normal_total += step;
    changed |= impi_vmax(step, -step) > IMPACT_TOLERANCE * impi_vmax(p->normal, before[i]);
  }
  save(pass, at, v);
  if (impi_any_lane(changed)) {
    signal_any(pass, IMPI_SIGNAL_CHANGE, changed);
    mark(pass, head, changed, 1);
  }
}


// Apply the restitution impulses of an impact.
IMPI_INLINE void bounce_block(const ImpiSoftPass *pass, const Parts *at, int count, bool fine) {
  const Head *head = at->head;
  if (!at->flags->bounces) {
    return;
  }
  ImpiMask here = reached(pass, head);
  if (!impi_any_lane(here)) {
    return;
  }
  Sides v = load(pass, head, fine);
  ImpiFloats threshold = gain_of(pass, at).threshold;
  for (int i = 0; i < count; ++i) {
    Point *p = &at->points[i];
    RarePoint *note = &at->rare_points[i];
    ImpiMask loaded = here & was_loaded(note) & (p->normal_mass > 0);
    ImpiFloats fresh = p->normal - impi_select(loaded, note->done, IMPI_SPLAT(0));
    ImpiFloats taken = fresh / impi_select(loaded, p->normal_mass, IMPI_SPLAT(1));
    ImpiMask leaves = loaded & (taken > 2 * threshold) & (taken > -2 * note->gap) & (taken > PASSED_LEAST);
    ImpiFloats factor = impi_select(leaves, at->rare->restitution, note->factor);
    ImpiFloats step = impi_select(here, factor * impi_vmax(fresh, IMPI_SPLAT(0)), IMPI_SPLAT(0));
    note->part = impi_select(leaves, IMPI_SPLAT(LOADED_HIT), note->part);
    p->normal += step;
    p->normal_total += step;
    apply(&v, head, p, step * head->nx, step * head->ny);
  }
  save(pass, at, v);
}


// Set up the next impact: all points where the bodies approach. Set IMPI_SIGNAL_HIT if there is such a point.
IMPI_INLINE void aim_again_block(const ImpiSoftPass *pass, const Parts *at, int count) {
  const Head *head = at->head;
  const RareHead *rare = at->rare;
  if (!at->flags->bounces) {
    return;
  }
  ImpiMask here = reached(pass, head), any = (ImpiMask){0};
  if (!impi_any_lane(here)) {
    return;
  }
  Sides v = load(pass, head, false);
  ImpiFloats threshold = impi_vmax(gain_of(pass, at).threshold, IMPI_SPLAT(PASSED_LEAST));
  for (int i = 0; i < count; ++i) {
    Point *p = &at->points[i];
    RarePoint *note = &at->rare_points[i];
    ImpiFloats dx, dy;
    relative(&v, p, &dx, &dy);
    ImpiFloats closing = -(dx * head->nx + dy * head->ny);
    ImpiMask loaded = here & was_loaded(note), fresh = here & was_free(note);
    ImpiMask now = (fresh | loaded) & (closing > threshold);
    note->done = impi_select(loaded, p->normal, note->done + impi_select(fresh, p->normal, IMPI_SPLAT(0)));
    p->normal = impi_select(fresh, IMPI_SPLAT(0), p->normal);
    note->factor = impi_select(now, rare->restitution, IMPI_SPLAT(0));
    note->part = impi_select(now & fresh, IMPI_SPLAT(HIT), note->part);
    note->approach = impi_select(now, impi_vmax(note->approach, closing), note->approach);
    any |= now;
  }
  signal_any(pass, IMPI_SIGNAL_HIT, any);
}


// Solve friction of the points that were hit. The Coulomb bound is mu times the whole normal impulse.
IMPI_INLINE void rub_block(const ImpiSoftPass *pass, const Parts *at, int count, bool fine) {
  const Head *head = at->head;
  if (!at->flags->bounces) {
    return;
  }
  ImpiMask here = reached(pass, head);
  if (!impi_any_lane(here)) {
    return;
  }
  Sides v = load(pass, head, fine);
  for (int i = 0; i < count; ++i) {
    Point *p = &at->points[i];
    RarePoint *note = &at->rare_points[i];
    ImpiMask fresh = here & was_free(note);
    p->normal += impi_select(fresh, note->done, IMPI_SPLAT(0));
    ImpiFloats dx, dy, bound = head->friction * p->normal;
    relative(&v, p, &dx, &dy);
    ImpiFloats vt = dx * head->ny - dy * head->nx - head->surface_speed;
    ImpiFloats next = impi_vmax(-bound, impi_vmin(p->tangent - p->tangent_mass * vt, bound));
    ImpiFloats step = impi_select(here & was_hit(note), next - p->tangent, IMPI_SPLAT(0));
    p->tangent += step;
    p->tangent_total += step;
    apply(&v, head, p, step * head->ny, -step * head->nx);
  }
  save(pass, at, v);
}


// Record for the next substep the approach speed of each point, and its load or, without load, its gap.
IMPI_INLINE void note_block(const ImpiSoftPass *pass, const Parts *at, int count) {
  if (!at->flags->bounces) {
    return;
  }
  Sides v = load(pass, at->head, false);
  for (int i = 0; i < count; ++i) {
    Point *p = &at->points[i];
    RarePoint *note = &at->rare_points[i];
    ImpiMask hit = was_hit(note);
    p->normal = impi_select(hit, IMPI_SPLAT(0), warm_for_next(p));
    p->tangent = impi_select(hit, IMPI_SPLAT(0), p->tangent);
    note_point(&v, at->head, p, note);
  }
}


// Unmark the bodies after the last impact.
IMPI_INLINE void unmark_block(const ImpiSoftPass *pass, const Parts *at) {
  if (at->flags->bounces && impi_any_lane(reached(pass, at->head))) {
    mark(pass, at->head, (ImpiMask){0} == 0, 0);
  }
}


#define WARM_START(n, fine) \
  Parts at = parts_of(blocks, index, n); \
  warm_start_block(pass, &at, n, fine)
#define WARM_START_COARSE(n) WARM_START(n, false)
PASS(warm_start, WARM_START, (const ImpiSoftPass *pass, const ImpiSoftBlocks *blocks), (pass, blocks))


static void turn_all(const ImpiSoftPass *pass, const ImpiSoftBlocks *blocks) {
  for (int index = 0; blocks->points == 1 && index < blocks->count; ++index) {
    Parts at = parts_of(blocks, index, 1);
    turn_block(pass, &at);
  }
}


static void forget(const ImpiSoftBlocks *blocks) {
#define CALL(n) \
  Parts at = parts_of(blocks, index, n); \
  at.rare->rolling = IMPI_SPLAT(0); \
  for (int i = 0; i < n; ++i) { \
    at.points[i].normal = at.points[i].tangent = at.points[i].warm = IMPI_SPLAT(0); \
  }
  FOR_BLOCKS(blocks, CALL)
#undef CALL
}


#define SOLVE(n, fine) \
  Parts at = parts_of(blocks, index, n); \
  solve_block(pass, &at, n, fine)
#define SOLVE_COARSE(n) SOLVE(n, false)
PASS(solve, SOLVE, (const ImpiSoftPass *pass, const ImpiSoftBlocks *blocks), (pass, blocks))


// Remove deep overlap in one block.
__attribute__((noinline)) static void separate(const ImpiSoftPass *pass, const ImpiSoftBlocks *blocks, int index) {
  Parts at = parts_of(blocks, index, blocks->points);
  if (blocks->points == 1) {
    separate_block(pass, &at, 1);
  } else {
    separate_block(pass, &at, 2);
  }
}


#define RELAX(n, fine) \
  Parts at = parts_of(blocks, index, n); \
  if (__builtin_expect(at.flags->deep, 0)) { \
    separate(pass, blocks, index); \
  } \
  relax_block(pass, &at, n, fine, relaxed)
#define RELAX_COARSE(n) RELAX(n, false)
PASS(relax, RELAX, (const ImpiSoftPass *pass, const ImpiSoftBlocks *blocks, bool relaxed), (pass, blocks, relaxed))


#define BOUNCE(n, fine) \
  Parts at = parts_of(blocks, index, n); \
  bounce_block(pass, &at, n, fine)
#define BOUNCE_COARSE(n) BOUNCE(n, false)
PASS(bounce, BOUNCE, (const ImpiSoftPass *pass, const ImpiSoftBlocks *blocks), (pass, blocks))


#define COMPRESS(n, fine) \
  Parts at = parts_of(blocks, index, n); \
  compress_block(pass, &at, n, fine, last)
#define COMPRESS_COARSE(n) COMPRESS(n, false)
PASS(compress, COMPRESS, (const ImpiSoftPass *pass, const ImpiSoftBlocks *blocks, bool last), (pass, blocks, last))


static void begin_impact(const ImpiSoftPass *pass, const ImpiSoftBlocks *blocks) {
#define CALL(n) \
  Parts at = parts_of(blocks, index, n); \
  aim_block(pass, &at, n)
  FOR_BLOCKS(blocks, CALL)
#undef CALL
}


static void unmark(const ImpiSoftPass *pass, const ImpiSoftBlocks *blocks) {
#define CALL(n) \
  Parts at = parts_of(blocks, index, n); \
  unmark_block(pass, &at)
  FOR_BLOCKS(blocks, CALL)
#undef CALL
}


static void next_impact(const ImpiSoftPass *pass, const ImpiSoftBlocks *blocks) {
#define CALL(n) \
  Parts at = parts_of(blocks, index, n); \
  aim_again_block(pass, &at, n)
  FOR_BLOCKS(blocks, CALL)
#undef CALL
}


#define RUB(n, fine) \
  Parts at = parts_of(blocks, index, n); \
  rub_block(pass, &at, n, fine)
#define RUB_COARSE(n) RUB(n, false)
PASS(impact_friction, RUB, (const ImpiSoftPass *pass, const ImpiSoftBlocks *blocks), (pass, blocks))


static void note(const ImpiSoftPass *pass, const ImpiSoftBlocks *blocks) {
#define CALL(n) \
  Parts at = parts_of(blocks, index, n); \
  note_block(pass, &at, n)
  FOR_BLOCKS(blocks, CALL)
#undef CALL
}


const ImpiSoftKernels IMPI_FOR_WIDTH(impi_soft_kernels) = {
    .width = IMPI_W,
    .hot_size = {0, sizeof(Block1), sizeof(Block2)},
    .rare_size = {0, sizeof(Rare1), sizeof(Rare2)},
    .enter = enter,
    .renew = renew,
    .carry = carry,
    .enter_impulses = enter_impulses,
    .read = read,
    .move = move,
    .contact = contact_at,
    .clear = clear,
    .touch = touch,
    .refresh = refresh,
    .begin = begin,
    .turn = turn_all,
    .warm_start = warm_start,
    .forget = forget,
    .solve = solve,
    .relax = relax,
    .begin_impact = begin_impact,
    .compress = compress,
    .bounce = bounce,
    .next_impact = next_impact,
    .impact_friction = impact_friction,
    .note = note,
    .unmark = unmark,
    .finish = finish,
};
