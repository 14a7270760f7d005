// Fourth part of the contact kernels: the contact rows of the soft solver, without restitution.
//
// Contact point i of a block, normal n from a to b, tangent t = (n.y, -n.x), anchors r:
//   s    = s0 + n . (d_b - d_a + (R_b - 1) c_b - (R_a - 1) c_a)   separation; d, R: displacement since the step began
//   c_a  = r_a - rho_a n,  c_b = r_b + rho_b n     without the radii rho, which stay along n when a body rotates
//   v_n  = n . (v_b + w_b x r_b - v_a - w_a x r_a)
// biased solve, s <= 0:  d_lambda = -ms m_n (v_n + max(beta s, -push)) - is lambda     ms, is: mass and impulse scale
//               s >  0:  d_lambda = -m_n (v_n + s / h)                     speculative: close the gap, no more
// relax:        d_lambda = -m_n v_n; a point with s > 0 and lambda = 0 is skipped
// after relax:  friction |lambda_t| <= mu lambda_n; rolling w_b - w_a = 0, |lambda_r| <= rolling_radius sum(lambda_n)
// restitution: points that were hit in the substep receive in addition e times their compression impulse
// source: Catto, "Solver2D" (2024), soft step; Macklin et al., "Small steps in physics simulation" (2019)
#include "base/constants.h"
#include "solvers/soft/soft_refresh.h"

// If a circle's centre is closer to the corner than this fraction of the radius, the normal is not updated.
#define IMPI_CORNER_LEAST 1e-3f

// Apply an impulse (px, py) on b at the point, and its opposite on a.
IMPI_INLINE void apply(Sides *v, const Head *head, const Point *p, ImpiFloats px, ImpiFloats py) {
  ImpiFloats turn_a = head->ia * (p->rax * py - p->ray * px), turn_b = head->ib * (p->rbx * py - p->rby * px);
  v->a.x -= head->ma * px;
  v->a.y -= head->IMPI_ALONG_Y(ma) * py;
  v->a.z -= turn_a;
  v->b.x += head->mb * px;
  v->b.y += head->IMPI_ALONG_Y(mb) * py;
  v->b.z += turn_b;
  if (v->fine) {
    v->gain_a.x -= head->ma * px;
    v->gain_a.y -= head->IMPI_ALONG_Y(ma) * py;
    v->gain_a.z -= turn_a;
    v->gain_b.x += head->mb * px;
    v->gain_b.y += head->IMPI_ALONG_Y(mb) * py;
    v->gain_b.z += turn_b;
  }
}


// Apply a change of the rolling impulse.
IMPI_INLINE void apply_rolling(Sides *v, const Head *head, ImpiFloats step) {
  v->a.z -= head->ia * step;
  v->b.z += head->ib * step;
  if (v->fine) {
    v->gain_a.z -= head->ia * step;
    v->gain_b.z += head->ib * step;
  }
}


// Displacements of the two sides of a block since the step began.
typedef struct Moved {
  ImpiQuad a, b;
} Moved;


IMPI_INLINE Moved load_moved(const ImpiSoftPass *pass, const Head *head) {
  return (Moved){impi_gather(pass->bodies.displacement, head->a), impi_gather(pass->bodies.displacement, head->b)};
}


// Return the separation of a point at the current poses [m].
IMPI_INLINE ImpiFloats separation_now(const Point *p, const Head *head, const Moved *d) {
  ImpiFloats round = head->rho_a * d->a.z + head->rho_b * d->b.z; // n . (R - 1) n = cos - 1
  ImpiFloats dx = (d->b.x - d->a.x) + (d->b.z * p->rbx - d->b.w * p->rby) - (d->a.z * p->rax - d->a.w * p->ray);
  ImpiFloats dy = (d->b.y - d->a.y) + (d->b.w * p->rbx + d->b.z * p->rby) - (d->a.w * p->rax + d->a.z * p->ray);
  return p->start + (dx * head->nx + dy * head->ny + round);
}


// Rotate a displacement by a small angle.
IMPI_INLINE void turn(ImpiQuad *d, ImpiFloats angle) {
  ImpiFloats c = -0.5f * angle * angle; // cos - 1
  ImpiFloats z = d->z + (c + c * d->z) - angle * d->w, w = d->w + (angle + angle * d->z) + c * d->w;
  d->z = z;
  d->w = w;
}


// Move one side of some lanes with velocity `u` for a substep. `d`: its current displacement.
IMPI_INLINE void move_side(const ImpiSoftPass *pass, const int32_t *body, ImpiMask lanes, ImpiQuad d, ImpiQuad u) {
  ImpiFloats angle = pass->h * u.z;
  d.x += pass->h * u.x;
  d.y += pass->h * u.y;
  turn(&d, angle);
  for (int lane = 0; lane < IMPI_W; ++lane) {
    if (lanes[lane]) {
      pass->bodies.displacement[body[lane]] = (ImpiRecord){d.x[lane], d.y[lane], d.z[lane], d.w[lane]};
      pass->bodies.velocity[body[lane]][3] += angle[lane];
    }
  }
}


// Target of a normal row: v_n + bias = 0, softened by the scales. If `pass` is not NULL, a negative bias, which pushes
// overlap apart, is limited by push_limit.
typedef struct Target {
  ImpiFloats bias, mass_scale, impulse_scale;
  const ImpiSoftPass *pass;
} Target;


IMPI_INLINE ImpiFloats bias_of(Target target, ImpiFloats taken) {
  return target.pass == NULL ? target.bias : impi_vmax(target.bias, -push_limit(target.pass, taken));
}


IMPI_INLINE void solve_normal(Sides *v, const Head *head, Point *p, Target target) {
  ImpiFloats dx, dy;
  relative(v, p, &dx, &dy);
  ImpiFloats bias = target.pass == NULL ? target.bias : bias_of(target, taken_by(head, p));
  ImpiFloats error = target.mass_scale * (dx * head->nx + dy * head->ny + bias);
  ImpiFloats kept = p->normal - target.impulse_scale * p->normal;
  ImpiFloats next = impi_vmax(kept - p->normal_mass * error, IMPI_SPLAT(0));
  ImpiFloats step = next - p->normal;
  p->normal = next;
  apply(v, head, p, step * head->nx, step * head->ny);
}


// Solve both normal rows of a contact together. The exact solution is used if its impulses are not negative. Otherwise
// the rows are solved one after the other.
//   K = J M^-1 J^T (2 x 2),  d_lambda = -K^-1 mass_scale (v_n + bias) - impulse_scale lambda
// The rows are also solved one after the other if K is singular in float.
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
  ImpiFloats ep = t0.mass_scale * (dx * nx + dy * ny + bias_of(t0, kpp * p->normal + kpq * q->normal));
  relative(v, q, &dx, &dy);
  ImpiFloats eq = t1.mass_scale * (dx * nx + dy * ny + bias_of(t1, kpq * p->normal + kqq * q->normal));
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
  apply_rolling(v, head, step);
}


// ---------------------------------------------------------------------------------------------------------------------
// Passes. `count` is a constant after inlining, so the loops over points unroll.
// ---------------------------------------------------------------------------------------------------------------------


// Update the normal of a circle at a corner. It is the normal at the position where the circle and the corner meet
// within the substep. With D from the corner to the centre, v the relative velocity and r the radius of the circle plus
// the radius of the corner,
//   |D + v tau| = r,   0 <= tau <= h,   n = (D + v tau) / r,   s = n . D - r
// If the circle and the corner do not meet, tau is the time of closest approach.
IMPI_INLINE void turn_block(const ImpiSoftPass *pass, const Parts *at) {
  if (!at->flags->corners) {
    return;
  }
  Head *head = at->head;
  Point *p = &at->points[0];
  RareHead *rare = at->rare;
  Moved d = load_moved(pass, head);
  Sides v = load(pass, head, false);
  ImpiMask corner, round_b = rounds_b(rare);
  memcpy(&corner, rare->corner, sizeof corner);
  ImpiFloats hook_x = impi_select(round_b, p->rax - head->rho_a * head->nx, p->rbx + head->rho_b * head->nx);
  ImpiFloats hook_y = impi_select(round_b, p->ray - head->rho_a * head->ny, p->rby + head->rho_b * head->ny);
  ImpiFloats turn_c = impi_select(round_b, d.a.z, d.b.z), turn_s = impi_select(round_b, d.a.w, d.b.w);
  ImpiFloats turned_x = turn_c * hook_x - turn_s * hook_y, turned_y = turn_s * hook_x + turn_c * hook_y;
  ImpiFloats x = rare->from_x + impi_select(round_b, d.b.x - d.a.x, d.a.x - d.b.x) - turned_x;
  ImpiFloats y = rare->from_y + impi_select(round_b, d.b.y - d.a.y, d.a.y - d.b.y) - turned_y;
  ImpiFloats spin = impi_select(round_b, v.a.z, v.b.z);
  ImpiFloats vx = impi_select(round_b, v.b.x - v.a.x, v.a.x - v.b.x) + spin * hook_y;
  ImpiFloats vy = impi_select(round_b, v.b.y - v.a.y, v.a.y - v.b.y) - spin * hook_x;
  ImpiFloats radius = head->rho_a + head->rho_b;
  ImpiFloats speed_sq = vx * vx + vy * vy, along = x * vx + y * vy, out = x * x + y * y - radius * radius;
  ImpiMask moves = speed_sq > 0;
  ImpiFloats inv = 1 / impi_select(moves, speed_sq, IMPI_SPLAT(1));
  ImpiFloats root = along * along - speed_sq * out;
  ImpiFloats tau = -(along + impi_sqrt(impi_vmax(root, IMPI_SPLAT(0)))) * inv;
  tau = impi_select(moves & (out > 0), impi_vmax(IMPI_SPLAT(0), impi_vmin(tau, IMPI_SPLAT(pass->h))), IMPI_SPLAT(0));
  ImpiFloats nx = x + tau * vx, ny = y + tau * vy, length = impi_sqrt(nx * nx + ny * ny);
  ImpiMask good = corner & (length > IMPI_CORNER_LEAST * radius);
#if defined(IMPI_LOCKED) // with one locked axis the normal does not rotate
  good &= ~(((head->ma == 0) ^ (head->ma_y == 0)) | ((head->mb == 0) ^ (head->mb_y == 0)));
#endif
  ImpiFloats scale = 1 / impi_select(good, length, IMPI_SPLAT(1));
  ImpiFloats now = (x * nx + y * ny) * scale - radius;
  scale = impi_select(round_b, scale, -scale);
  head->nx = impi_select(good, nx * scale, head->nx);
  head->ny = impi_select(good, ny * scale, head->ny);
  ImpiFloats arm_ax = head->rho_a * head->nx + impi_select(round_b, hook_x, IMPI_SPLAT(0));
  ImpiFloats arm_ay = head->rho_a * head->ny + impi_select(round_b, hook_y, IMPI_SPLAT(0));
  ImpiFloats arm_bx = impi_select(round_b, IMPI_SPLAT(0), hook_x) - head->rho_b * head->nx;
  ImpiFloats arm_by = impi_select(round_b, IMPI_SPLAT(0), hook_y) - head->rho_b * head->ny;
  ImpiMask moves_a = good & ~still_a(head), moves_b = good & ~still_b(head);
  p->rax = impi_select(moves_a, arm_ax, p->rax);
  p->ray = impi_select(moves_a, arm_ay, p->ray);
  p->rbx = impi_select(moves_b, arm_bx, p->rbx);
  p->rby = impi_select(moves_b, arm_by, p->rby);
  ImpiFloats start = p->start, shift = separation_now(p, head, &d) - start;
  p->start = impi_select(good, now - shift, start);
  p->now = impi_select(good, now, p->now);
  weigh_point(head, p);
}


IMPI_INLINE void warm_start_block(const ImpiSoftPass *pass, const Parts *at, int count, bool fine) {
  const Head *head = at->head;
  Sides v = load(pass, head, fine);
  for (int i = 0; i < count; ++i) {
    Point *p = &at->points[i];
    p->warm = p->normal;
    apply(&v, head, p, p->normal * head->nx + p->tangent * head->ny, p->normal * head->ny - p->tangent * head->nx);
  }
  if (at->flags->rolls) {
    apply_rolling(&v, head, at->rare->rolling);
  }
  save(pass, at, v);
}


IMPI_INLINE Target biased_target(const ImpiSoftPass *pass, const Point *p) {
  ImpiMask apart = p->now > 0;
  return (Target){
      .pass = pass,
      .bias = p->now * impi_select(apart, IMPI_SPLAT(pass->inv_h), IMPI_SPLAT(pass->bias_rate)),
      .mass_scale = impi_select(apart, IMPI_SPLAT(1), IMPI_SPLAT(pass->mass_scale)),
      .impulse_scale = impi_select(apart, IMPI_SPLAT(0), IMPI_SPLAT(pass->impulse_scale)),
  };
}


// Return the target of relax. For a loaded point it is v_n = 0, even if the point is separated: with v_n = -s / h,
// solve and relax would alternate between two states. A separated point without impulse is skipped.
IMPI_INLINE Target relaxed_target(const Point *p) {
  ImpiMask idle = (p->now > 0) & (p->normal <= 0);
  return (Target){
      .bias = IMPI_SPLAT(0),
      .mass_scale = impi_select(idle, IMPI_SPLAT(0), IMPI_SPLAT(1)),
      .impulse_scale = IMPI_SPLAT(0),
  };
}


// Solve the normal rows with bias. Friction and rolling are solved only in relax.
IMPI_INLINE void solve_block(const ImpiSoftPass *pass, const Parts *at, int count, bool fine) {
  const Head *head = at->head;
  Point *points = at->points;
  Sides v = load(pass, head, fine);
  if (count == 2) {
    solve_normals(&v, head, points, biased_target(pass, &points[0]), biased_target(pass, &points[1]));
  } else {
    solve_normal(&v, head, &points[0], biased_target(pass, &points[0]));
  }
  save(pass, at, v);
}


// Remove the overlap of deep contacts for which bias_rate * overlap exceeds push_limit. Only positions change. Bodies
// that already separate are not moved.
IMPI_INLINE void separate_block(const ImpiSoftPass *pass, const Parts *at, int count) {
  const Head *head = at->head;
  Moved d = load_moved(pass, head);
  ImpiFloats now[2], push[2]; // push: bias speed beyond push_limit [m/s]
  ImpiMask deep, any = (ImpiMask){0};
  memcpy(&deep, at->rare->deep, sizeof deep);
  for (int i = 0; i < count; ++i) {
    const Point *p = &at->points[i];
    now[i] = separation_now(p, head, &d);
    push[i] = -pass->bias_rate * now[i] - push_limit(pass, taken_by(head, p));
    any |= deep & (push[i] > 0);
  }
  if (!impi_any_lane(any)) {
    return;
  }
  Sides v = load(pass, head, false);
  const ImpiQuad still = {IMPI_SPLAT(0), IMPI_SPLAT(0), IMPI_SPLAT(0), IMPI_SPLAT(0)};
  Sides u = {.a = still, .b = still};
  Point points[2];
  Target target[2];
  for (int i = 0; i < count; ++i) {
    ImpiFloats dx, dy;
    points[i] = at->points[i];
    points[i].normal = IMPI_SPLAT(0);
    relative(&v, &points[i], &dx, &dy);
    ImpiFloats parting = impi_vmax(dx * head->nx + dy * head->ny, IMPI_SPLAT(0));
    ImpiFloats speed = impi_vmax(impi_vmin(push[i], IMPI_SPLAT(pass->separation_speed)) - parting, IMPI_SPLAT(0));
    target[i] = (Target){
        .bias = impi_select(now[i] > 0, now[i] * pass->inv_h, -speed),
        .mass_scale = IMPI_SPLAT(1),
    };
  }
  if (count == 2) {
    solve_normals(&u, head, points, target[0], target[1]);
  } else {
    solve_normal(&u, head, &points[0], target[0]);
  }
  move_side(pass, head->a, any & ~still_a(head), d.a, u.a);
  move_side(pass, head->b, any & ~still_b(head), d.b, u.b);
}


IMPI_INLINE void solve_friction(Sides *v, const Parts *at, int count) {
  for (int i = 0; i < count; ++i) {
    solve_tangent(v, at->head, &at->points[i]);
  }
  if (at->flags->rolls) {
    solve_rolling(v, at->head, at->rare, at->points, count);
  }
}


// closing: closing acceleration times h [m/s]. threshold: restitution threshold [m/s], by default derived
// (impi_restitution_threshold).
typedef struct Gain {
  ImpiFloats closing, threshold;
} Gain;


IMPI_INLINE Gain gain_of(const ImpiSoftPass *pass, const Parts *at) {
  const Head *head = at->head;
  ImpiQuad aa = impi_gather(pass->bodies.acceleration, head->a), ab = impi_gather(pass->bodies.acceleration, head->b);
  ImpiFloats along_a = pass->h * (aa.x * head->nx + aa.y * head->ny);
  ImpiFloats along_b = pass->h * (ab.x * head->nx + ab.y * head->ny);
  ImpiFloats a = impi_sqrt(impi_vmax(aa.x * aa.x + aa.y * aa.y, ab.x * ab.x + ab.y * ab.y));
  ImpiFloats either = impi_vmax(impi_vmax(along_a, -along_a), impi_vmax(along_b, -along_b));
  ImpiFloats closing = along_a - along_b, given = at->rare->threshold;
  ImpiFloats gain = impi_vmax(impi_vmax(either, closing), (IMPI_GAIN_ASIDE * pass->h) * a);
  return (Gain){closing, impi_select(given >= 0, given, 2 * gain)};
}


// Return the mask of points that are hit: the speed of approach exceeded the threshold at the start of the substep, and
// the normal impulse is positive now. For a point that was loaded, the speed must also exceed twice the speed that its
// load removes in a substep.
IMPI_INLINE ImpiMask is_hit(const Parts *at, int i, ImpiFloats threshold) {
  const RarePoint *note = &at->rare_points[i];
  return (at->rare->restitution > 0) & (at->points[i].normal > 0) & (note->before > threshold) &
         (note->before > -2 * note->gap);
}


// Return the warm-start impulse of the next substep: min(lambda, 2 w + 3/8 lambda), with the normal impulse lambda and
// the warm-start impulse w of this substep. The bound on the growth is for impacts, whose impulse does not repeat.
IMPI_INLINE ImpiFloats warm_for_next(const Point *p) { return impi_vmin(p->normal, 2 * p->warm + 0.375f * p->normal); }


IMPI_INLINE void relax_block(const ImpiSoftPass *pass, const Parts *at, int count, bool fine, bool relax) {
  const Head *head = at->head;
  Point *points = at->points;
  Moved d = load_moved(pass, head);
  for (int i = 0; i < count; ++i) {
    points[i].now = separation_now(&points[i], head, &d);
  }
  Sides v = load(pass, head, fine);
  if (relax && count == 2) {
    solve_normals(&v, head, points, relaxed_target(&points[0]), relaxed_target(&points[1]));
  } else if (relax) {
    solve_normal(&v, head, &points[0], relaxed_target(&points[0]));
  }
  solve_friction(&v, at, count);
  save(pass, at, v);
  for (int i = 0; i < count; ++i) {
    points[i].normal_total += points[i].normal;
    points[i].tangent_total += points[i].tangent;
  }
  for (int i = 0; i < count && !at->flags->bounces; ++i) { // with restitution, note_block sets the warm start
    points[i].normal = warm_for_next(&points[i]);
  }
  if (at->flags->rolls) {
    at->rare->rolling_total += at->rare->rolling;
  }
  if (at->flags->bounces) {
    Gain gain = gain_of(pass, at);
    signal_any(pass, IMPI_SIGNAL_HIT,
               count == 2 ? is_hit(at, 0, gain.threshold) | is_hit(at, 1, gain.threshold)
                          : is_hit(at, 0, gain.threshold));
  }
}
