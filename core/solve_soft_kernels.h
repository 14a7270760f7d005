// Level 5. The lane kernels of the soft solver, written once. A file that includes this defines IMPI_W and
// IMPI_KERNELS (the name of the table) and is compiled for an instruction set of that width. Every operation is per
// lane; no width changes a bit.
//
// Contact point i of a block, normal n from a to b, tangent t = (n.y, -n.x), anchors r:
//   s    = s0 + n . (d_b - d_a + (R_b - 1) c_b - (R_a - 1) c_a)   separation; d, R: displacement since the step began
//   c    = r_a - rho_a n, r_b + rho_b n: the cores under rounded surfaces, for a radius does not turn with its body
//   v_n  = n . (v_b + w_b x r_b - v_a - w_a x r_a)
// biased solve, s <= 0:  d_lambda = -ms m_n (v_n + max(beta s, -push)) - is lambda
//               s >  0:  d_lambda = -m_n (v_n + s / h)                     speculative: close the gap, no more
// relax: the same without beta s and with ms = 1, is = 0; then
// friction: |lambda_t| <= mu lambda_n;  rolling: |lambda_r| <= c r sum(lambda_n), drives w_b - w_a to 0
// restitution: where a point was hit in this substep faster than the threshold, v_n is driven to -e v_n(before)
// source: Catto, "Solver2D" (2024), soft step; Macklin et al., "Small steps in physics simulation" (2019)
#include "solve_soft_refresh.h"

// Apply an impulse (px, py) on b at the point, and its opposite on a.
IMPI_INLINE void apply(Sides *v, const Head *head, const Point *p, ImpiFloats px, ImpiFloats py) {
  v->a.x -= head->ma * px;
  v->a.y -= head->IMPI_ALONG_Y(ma) * py;
  v->a.z -= head->ia * (p->rax * py - p->ray * px);
  v->b.x += head->mb * px;
  v->b.y += head->IMPI_ALONG_Y(mb) * py;
  v->b.z += head->ib * (p->rbx * py - p->rby * px);
}


// What a normal row is driven to: v_n + bias = 0, softened by the scales.
typedef struct Target {
  ImpiFloats bias, mass_scale, impulse_scale;
} Target;


IMPI_INLINE void solve_normal(Sides *v, const Head *head, Point *p, Target target) {
  ImpiFloats dx, dy;
  relative(v, p, &dx, &dy);
  ImpiFloats error = target.mass_scale * (dx * head->nx + dy * head->ny + target.bias);
  ImpiFloats kept = p->normal - target.impulse_scale * p->normal;
  ImpiFloats next = impi_vmax(kept - p->normal_mass * error, IMPI_SPLAT(0));
  ImpiFloats step = next - p->normal;
  p->normal = next;
  apply(v, head, p, step * head->nx, step * head->ny);
}


// Both normals of a contact at once. Where the exact solution of the two rows pulls nowhere it is taken, so that the
// order of the points leaves no trace and a symmetric stack stays symmetric; elsewhere one row is solved after the
// other.
//   K = J M^-1 J^T (2 x 2),  d_lambda = -K^-1 ms (v_n + bias) - is lambda
// Two points so close that K is singular to float are solved one after the other too.
IMPI_INLINE void solve_normals(Sides *v, const Head *head, Point *points, Target t0, Target t1) {
  Point *p = &points[0], *q = &points[1];
  ImpiFloats nx = head->nx, ny = head->ny, dx, dy;
  ImpiFloats ap = p->rax * ny - p->ray * nx, bp = p->rbx * ny - p->rby * nx;
  ImpiFloats aq = q->rax * ny - q->ray * nx, bq = q->rbx * ny - q->rby * nx;
  ImpiFloats m = masses_along(head, nx, ny);
  ImpiFloats kpp = m + head->ia * ap * ap + head->ib * bp * bp;
  ImpiFloats kqq = m + head->ia * aq * aq + head->ib * bq * bq;
  ImpiFloats kpq = m + head->ia * ap * aq + head->ib * bp * bq;
  relative(v, p, &dx, &dy);
  ImpiFloats ep = t0.mass_scale * (dx * nx + dy * ny + t0.bias);
  relative(v, q, &dx, &dy);
  ImpiFloats eq = t1.mass_scale * (dx * nx + dy * ny + t1.bias);
  ImpiFloats lp = p->normal - t0.impulse_scale * p->normal, lq = q->normal - t1.impulse_scale * q->normal;
  ImpiFloats det = kpp * kqq - kpq * kpq;
  ImpiMask regular = det > 1e-3f * (kpp * kqq);
  ImpiFloats inv = 1 / impi_select(regular, det, IMPI_SPLAT(1));
  ImpiFloats both_p = lp - (kqq * ep - kpq * eq) * inv;
  ImpiFloats both_q = lq - (kpp * eq - kpq * ep) * inv;
  ImpiMask exact = regular & (both_p >= 0) & (both_q >= 0) & (t0.mass_scale > 0) & (t1.mass_scale > 0);
  ImpiFloats one_p = impi_vmax(lp - p->normal_mass * ep, IMPI_SPLAT(0));
  ImpiFloats after = eq + t1.mass_scale * (kpq * (one_p - p->normal));
  ImpiFloats one_q = impi_vmax(lq - q->normal_mass * after, IMPI_SPLAT(0));
  ImpiFloats next_p = impi_select(exact, both_p, one_p), next_q = impi_select(exact, both_q, one_q);
  ImpiFloats step_p = next_p - p->normal, step_q = next_q - q->normal;
  p->normal = next_p;
  q->normal = next_q;
  apply(v, head, p, step_p * nx, step_p * ny);
  apply(v, head, q, step_q * nx, step_q * ny);
}


IMPI_INLINE void solve_tangent(Sides *v, const Head *head, Point *p) {
  ImpiFloats dx, dy, bound = head->friction * p->normal;
  relative(v, p, &dx, &dy);
  ImpiFloats vt = dx * head->ny - dy * head->nx - head->surface_speed;
  ImpiFloats next = p->tangent - p->tangent_mass * vt;
  next = impi_vmax(-bound, impi_vmin(next, bound));
  ImpiFloats step = next - p->tangent;
  p->tangent = next;
  apply(v, head, p, step * head->ny, -step * head->nx);
}


IMPI_INLINE void solve_rolling(Sides *v, const Head *head, RareHead *rare, const Point *points, int count) {
  ImpiFloats sum = points[0].normal;
  if (count == 2) {
    sum += points[1].normal;
  }
  ImpiFloats bound = rare->rolling_radius * sum;
  ImpiFloats next = rare->rolling - rare->rolling_mass * (v->b.z - v->a.z);
  next = impi_vmax(-bound, impi_vmin(next, bound));
  ImpiFloats step = next - rare->rolling;
  rare->rolling = next;
  v->a.z -= head->ia * step;
  v->b.z += head->ib * step;
}


// ---------------------------------------------------------------------------------------------------------------------
// Passes. `count` is a constant where these are inlined, so that the loops over points unroll.
// ---------------------------------------------------------------------------------------------------------------------


IMPI_INLINE void warm_start_block(const ImpiSoftPass *pass, const Parts *at, int count) {
  const Head *head = at->head;
  Sides v = load(pass, head);
  for (int i = 0; i < count; ++i) {
    const Point *p = &at->points[i];
    apply(&v, head, p, p->normal * head->nx + p->tangent * head->ny, p->normal * head->ny - p->tangent * head->nx);
  }
  if (at->flags->rolls) {
    v.a.z -= head->ia * at->rare->rolling;
    v.b.z += head->ib * at->rare->rolling;
  }
  save(pass, at, v);
}


IMPI_INLINE Target biased_target(const ImpiSoftPass *pass, const Point *p) {
  ImpiMask apart = p->now > 0;
  ImpiFloats push = impi_vmax(pass->bias_rate * p->now, IMPI_SPLAT(-pass->push_speed));
  return (Target){
      .bias = impi_select(apart, p->now * pass->inv_h, push),
      .mass_scale = impi_select(apart, IMPI_SPLAT(1), IMPI_SPLAT(pass->mass_scale)),
      .impulse_scale = impi_select(apart, IMPI_SPLAT(0), IMPI_SPLAT(pass->impulse_scale)),
  };
}


// A point that is apart and was not needed in this substep is not touched: the next solve stops it in time, and what
// flies towards a surface keeps its speed until it is there.
IMPI_INLINE Target relaxed_target(const ImpiSoftPass *pass, const Point *p) {
  ImpiMask idle = (p->now > 0) & (p->normal <= 0);
  return (Target){
      .bias = impi_vmax(p->now * pass->inv_h, IMPI_SPLAT(0)),
      .mass_scale = impi_select(idle, IMPI_SPLAT(0), IMPI_SPLAT(1)),
      .impulse_scale = IMPI_SPLAT(0),
  };
}


// Normals only: friction and rolling act in relax, on the velocities that stay. In both passes they cost a fifth more
// and make stacks sway.
IMPI_INLINE void solve_block(const ImpiSoftPass *pass, const Parts *at, int count) {
  const Head *head = at->head;
  Point *points = at->points;
  Sides v = load(pass, head);
  if (count == 2) {
    solve_normals(&v, head, points, biased_target(pass, &points[0]), biased_target(pass, &points[1]));
  } else {
    solve_normal(&v, head, &points[0], biased_target(pass, &points[0]));
  }
  save(pass, at, v);
}


IMPI_INLINE void solve_friction(Sides *v, const Parts *at, int count) {
  for (int i = 0; i < count; ++i) {
    solve_tangent(v, at->head, &at->points[i]);
  }
  if (at->flags->rolls) {
    solve_rolling(v, at->head, at->rare, at->points, count);
  }
}


IMPI_INLINE void relax_block(const ImpiSoftPass *pass, const Parts *at, int count, bool relax) {
  const Head *head = at->head;
  Point *points = at->points;
  ImpiQuad da = impi_gather(pass->bodies.displacement, head->a);
  ImpiQuad db = impi_gather(pass->bodies.displacement, head->b);
  ImpiFloats shift_x = db.x - da.x, shift_y = db.y - da.y;
  ImpiFloats round = head->rho_a * da.z + head->rho_b * db.z; // n . (R - 1) n = cos - 1
  for (int i = 0; i < count; ++i) {
    Point *p = &points[i];
    ImpiFloats dx = shift_x + (db.z * p->rbx - db.w * p->rby) - (da.z * p->rax - da.w * p->ray);
    ImpiFloats dy = shift_y + (db.w * p->rbx + db.z * p->rby) - (da.w * p->rax + da.z * p->ray);
    p->now = p->start + (dx * head->nx + dy * head->ny + round);
  }
  Sides v = load(pass, head);
  if (relax && count == 2) {
    solve_normals(&v, head, points, relaxed_target(pass, &points[0]), relaxed_target(pass, &points[1]));
  } else if (relax) {
    solve_normal(&v, head, &points[0], relaxed_target(pass, &points[0]));
  }
  solve_friction(&v, at, count);
  save(pass, at, v);
  for (int i = 0; i < count; ++i) {
    points[i].normal_total += points[i].normal;
    points[i].tangent_total += points[i].tangent;
  }
  if (at->flags->rolls) {
    at->rare->rolling_total += at->rare->rolling;
  }
}


// A point that was hit leaves with e times the speed that it came with. Velocities of symplectic Euler are those of
// half a substep ago; with a the closing acceleration, u the approach and s the gap when the substep began,
//   speed at the surface  U^2 = (u + a h / 2)^2 + 2 a s,      v_n after = e U + a h / 2
// so that a ball of e = 1 rises to where it fell from at any h. What comes slower than 2 a h rests. A hit keeps no
// impulse to warm-start with. Then approach and gap are noted for the next substep.
IMPI_INLINE void bounce_block(const ImpiSoftPass *pass, const Parts *at, int count) {
  if (!at->flags->bounces) {
    return;
  }
  const Head *head = at->head;
  const RareHead *rare = at->rare;
  Sides v = load(pass, head);
  ImpiQuad aa = impi_gather(pass->bodies.acceleration, head->a), ab = impi_gather(pass->bodies.acceleration, head->b);
  ImpiFloats gain = pass->h * ((aa.x - ab.x) * head->nx + (aa.y - ab.y) * head->ny);
  ImpiFloats slow = impi_vmax(rare->threshold, 2 * gain);
  ImpiFloats dx, dy;
  for (int i = 0; i < count; ++i) {
    Point *p = &at->points[i];
    RarePoint *note = &at->rare_points[i];
    relative(&v, p, &dx, &dy);
    ImpiFloats vn = dx * head->nx + dy * head->ny;
    ImpiMask hit = (note->before > slow) & (p->normal > 0) & (rare->restitution > 0);
    ImpiFloats at_start = note->before + 0.5f * gain;
    ImpiFloats fall = 2 * gain * pass->inv_h * impi_vmax(note->gap, IMPI_SPLAT(0));
    ImpiFloats speed = impi_sqrt(impi_vmax(at_start * at_start + fall, IMPI_SPLAT(0)));
    ImpiFloats wanted = p->normal_mass * (rare->restitution * speed + 0.5f * gain - vn);
    ImpiFloats step = impi_select(hit, impi_vmax(wanted, -p->normal), IMPI_SPLAT(0));
    p->normal_total += step;
    p->normal = impi_select(hit, IMPI_SPLAT(0), p->normal);
    note->approach = impi_select(hit, speed, note->approach);
    apply(&v, head, p, step * head->nx, step * head->ny);
  }
  for (int i = 0; i < count; ++i) {
    relative(&v, &at->points[i], &dx, &dy);
    at->rare_points[i].before = -(dx * head->nx + dy * head->ny);
    at->rare_points[i].gap = at->points[i].now;
  }
  save(pass, at, v);
}


static void warm_start(const ImpiSoftPass *pass, const ImpiSoftBlocks *blocks) {
#define CALL(n) \
  Parts at = parts_of(blocks, index, n); \
  warm_start_block(pass, &at, n)
  FOR_BLOCKS(blocks, CALL)
#undef CALL
}


static void forget(const ImpiSoftBlocks *blocks) {
#define CALL(n) \
  Parts at = parts_of(blocks, index, n); \
  at.rare->rolling = IMPI_SPLAT(0); \
  for (int i = 0; i < n; ++i) { \
    at.points[i].normal = at.points[i].tangent = IMPI_SPLAT(0); \
  }
  FOR_BLOCKS(blocks, CALL)
#undef CALL
}


static void solve(const ImpiSoftPass *pass, const ImpiSoftBlocks *blocks) {
#define CALL(n) \
  Parts at = parts_of(blocks, index, n); \
  solve_block(pass, &at, n)
  FOR_BLOCKS(blocks, CALL)
#undef CALL
}


static void relax(const ImpiSoftPass *pass, const ImpiSoftBlocks *blocks, bool relaxed) {
#define CALL(n) \
  Parts at = parts_of(blocks, index, n); \
  relax_block(pass, &at, n, relaxed)
  FOR_BLOCKS(blocks, CALL)
#undef CALL
}


static void bounce(const ImpiSoftPass *pass, const ImpiSoftBlocks *blocks) {
#define CALL(n) \
  Parts at = parts_of(blocks, index, n); \
  bounce_block(pass, &at, n)
  FOR_BLOCKS(blocks, CALL)
#undef CALL
}


const ImpiSoftKernels IMPI_KERNELS = {
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
    .refresh = refresh,
    .begin = begin,
    .warm_start = warm_start,
    .forget = forget,
    .solve = solve,
    .relax = relax,
    .bounce = bounce,
    .finish = finish,
};
