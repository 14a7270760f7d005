// Conservative advancement along a separating axis, with bounds of second order.
//
// Let n be the direction from a to b between the closest points at time t. For constant n and time s after t
//   gap(s) = min_b n.(c_b + R_b r_b) - max_a n.(c_a + R_a r_a) - radii      r: core points from the centres of mass
// is a lower bound of the distance of the surfaces, and equal to the distance at s = 0. Each core point moves along n
// by
//   n.(R r)(s) >= h + g s - k s^2 / 2,    h = n.(R r),  g = n.(w x R r),  k = w^2 |r|
// (second derivative of a sine). Therefore gap(s) has two lower bounds: the least over all pairs of points of
//   h_b - h_a + (v + g_b - g_a) s - (k_b + k_a) s^2 / 2 - radii
// and gap(0) + (n.v - |w_a| r_a - |w_b| r_b) s, with the largest r of each piece. Time advances until both bounds have
// reached the target, and n is recomputed. Convergence is that of Newton's method, without passing the root.
// source: advancing by a bound on motion: Mirtich, "Impulse-based Dynamic Simulation" (1996), 2.3; with a separating
// axis: Catto, "Continuous Collision" (GDC 2013).
#include "geometry/toi.h"

#include "base/constants.h"

// Core points of a piece, projected on n.
typedef struct Points {
  int count;
  double h[IMP_MAX_VERTICES]; // position along n, from the body's centre of mass [m]
  double g[IMP_MAX_VERTICES]; // first derivative of the position along n at s = 0 [m]
  double k[IMP_MAX_VERTICES]; // bound of the second derivative of the position along n [m]
} Points;

typedef struct Pair {
  const ImpiHull *a, *b;
  const ImpiSweep *sweep_a, *sweep_b;
  ImpVec2 apart, v; // position of b's centre of mass relative to a's at time 0 [m], and its change per unit of time [m]
  double w_a, w_b;  // rotation per unit of time [rad]
  double reach_a, reach_b; // distance of the farthest core point from the centre of mass [m]
  double radii;
} Pair;


ImpTransform impi_sweep_at(const ImpiSweep *sweep, double t) {
  ImpRot q = impi_rot(sweep->a0 + t * (sweep->a1 - sweep->a0));
  ImpVec2 center = impi_mul_add(sweep->c0, t, impi_sub(sweep->c1, sweep->c0));
  return (ImpTransform){impi_sub(center, impi_rotate(q, sweep->local_center)), q};
}


static double reach_of(const ImpiHull *hull, ImpVec2 center) {
  double farthest_sq = 0;
  for (int i = 0; i < hull->count; ++i) {
    farthest_sq = impi_max(farthest_sq, impi_length_sq(impi_sub(hull->v[i], center)));
  }
  return sqrt(farthest_sq);
}


static void see(const ImpiHull *hull, ImpVec2 center, ImpRot q, double w, ImpVec2 n, Points *out_points) {
  out_points->count = hull->count;
  for (int i = 0; i < hull->count; ++i) {
    ImpVec2 r = impi_rotate(q, impi_sub(hull->v[i], center));
    out_points->h[i] = impi_dot(n, r);
    out_points->g[i] = w * impi_cross(r, n); // n . (w x r)
    out_points->k[i] = w != 0 ? w * w * impi_length(r) : 0;
  }
}


// Return the first root s > 0 of gap + slope s - bend s^2 / 2, with gap > 0; IMPI_HUGE if there is no root.
static double first_root(double gap, double slope, double bend) {
  if (bend > 0) {
    double root = sqrt(slope * slope + 2 * bend * gap);
    return slope < 0 ? 2 * gap / (root - slope) : (slope + root) / bend;
  }
  return slope < 0 ? -gap / slope : IMPI_HUGE;
}


// Return a time during which the distance along the fixed axis n stays above the target; 0 if it is not above the
// target at the start. `out_gap`: distance along n minus target at the start [m].
static double safe_time(const Pair *pair, ImpRot q_a, ImpRot q_b, ImpVec2 apart, ImpVec2 n, double target, double t_max,
                        double *out_gap) {
  Points a, b;
  see(pair->a, pair->sweep_a->local_center, q_a, pair->w_a, n, &a);
  see(pair->b, pair->sweep_b->local_center, q_b, pair->w_b, n, &b);
  double h = impi_dot(n, apart) - pair->radii - target, slope = impi_dot(n, pair->v);
  double lowest = IMPI_HUGE, highest = -IMPI_HUGE, bent = t_max;
  for (int i = 0; i < b.count; ++i) {
    lowest = impi_min(lowest, b.h[i]);
  }
  for (int i = 0; i < a.count; ++i) {
    highest = impi_max(highest, a.h[i]);
  }
  double gap = h + (lowest - highest);
  *out_gap = gap;
  if (gap <= 0) {
    return 0;
  }
  for (int i = 0; i < b.count; ++i) {
    for (int k = 0; k < a.count; ++k) {
      double height = h + (b.h[i] - a.h[k]), rate = slope + b.g[i] - a.g[k], bend = b.k[i] + a.k[k];
      // a concave bound that is positive at `bent` has no root before `bent`
      if (height + bent * (rate - 0.5 * bent * bend) < 0) {
        bent = impi_min(bent, first_root(height, rate, bend));
      }
    }
  }
  double turning = fabs(pair->w_a) * pair->reach_a + fabs(pair->w_b) * pair->reach_b;
  return impi_max(bent, impi_min(first_root(gap, slope - turning, 0), t_max));
}


static void write_result(ImpiToiState state, double t, ImpTransform frame_a, const ImpiClosest *closest,
                         ImpiToi *out_toi) {
  out_toi->state = state;
  out_toi->t = t;
  out_toi->distance = closest->distance;
  out_toi->point = impi_apply(frame_a, impi_lerp(closest->a, closest->b, 0.5));
  out_toi->normal = impi_rotate(frame_a.q, closest->normal);
}


void impi_time_of_impact(const ImpiHull *a, const ImpiSweep *sweep_a, const ImpiHull *b, const ImpiSweep *sweep_b,
                         double target, double t_max, ImpiToi *out_toi) {
  Pair pair = {
      .a = a,
      .b = b,
      .sweep_a = sweep_a,
      .sweep_b = sweep_b,
      // subtract the centres first, because of rounding far from the origin
      .apart = impi_sub(sweep_b->c0, sweep_a->c0),
      .v = impi_sub(impi_sub(sweep_b->c1, sweep_b->c0), impi_sub(sweep_a->c1, sweep_a->c0)),
      .w_a = sweep_a->a1 - sweep_a->a0,
      .w_b = sweep_b->a1 - sweep_b->a0,
      .reach_a = reach_of(a, sweep_a->local_center),
      .reach_b = reach_of(b, sweep_b->local_center),
      .radii = a->radius + b->radius,
  };
  double t = 0, clear = 0;
  ImpiClosest closest, closest_then = {.distance = 0}; // closest points at t and at `clear`, the previous t
  for (int i = 0;; ++i) {
    ImpRot q_a = impi_rot(sweep_a->a0 + t * pair.w_a), q_b = impi_rot(sweep_b->a0 + t * pair.w_b);
    ImpVec2 apart = impi_mul_add(pair.apart, t, pair.v);
    ImpTransform b_in_a;
    b_in_a.q = impi_inv_mul_rot(q_a, q_b);
    b_in_a.p = impi_inv_rotate(q_a, impi_sub(apart, impi_rotate(q_b, sweep_b->local_center)));
    b_in_a.p = impi_add(b_in_a.p, sweep_a->local_center);
    impi_closest(a, b, b_in_a, &closest);
    double size = impi_length(apart) + pair.reach_a + pair.reach_b + pair.radii, near = IMPI_TOI_TOLERANCE * size, gap;
    // Aim at the middle of the tolerance, because of rounding errors.
    double aim = target + 0.5 * near;
    double safe = safe_time(&pair, q_a, q_b, apart, impi_rotate(q_a, closest.normal), aim, t_max - t, &gap);
    gap += 0.5 * near;
    if (gap < 0 && i > 0) { // rounding made the gap negative: return the previous time
      write_result(IMPI_TOI_HIT, clear, impi_sweep_at(sweep_a, clear), &closest_then, out_toi);
      return;
    }
    bool late = t >= t_max;
    if (gap <= near || (!late && t + safe <= t) || (!late && i + 1 >= IMPI_TOI_ADVANCES)) {
      write_result(gap < -near ? IMPI_TOI_OVERLAP : IMPI_TOI_HIT, t, impi_sweep_at(sweep_a, t), &closest, out_toi);
      return;
    }
    if (late) {
      write_result(IMPI_TOI_APART, t_max, impi_sweep_at(sweep_a, t_max), &closest, out_toi);
      return;
    }
    clear = t;
    closest_then = closest;
    t = impi_min(t + safe, t_max);
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Without a search
// ---------------------------------------------------------------------------------------------------------------------

// Margins that impi_clearance subtracts from its bounds. clear_rounding, a fraction of the pair's size, covers rounding
// errors. clear_part is a fraction of the displacement. If the gap exceeds this margin, each advance covers at least
// the fraction clear_part of the time, and a search needs at most 1 / clear_part advances.
static const double clear_rounding = 1e-9, clear_part = 2.0 / IMPI_TOI_ADVANCES;


// Return the axis of greatest separation between piece `a` and a point in its frame: an edge normal, or, if `a` is a
// circle, the direction to the point. `out_far`: largest coordinate of the core of `a` along this axis [m].
static ImpVec2 axis_to(const ImpiHull *a, ImpVec2 point, double *out_far) {
  if (a->count == 1) {
    double length;
    ImpVec2 n = impi_normalize(impi_sub(point, a->v[0]), &length);
    *out_far = impi_dot(n, a->v[0]);
    return n;
  }
  double best = -IMPI_HUGE;
  int edge = 0;
  for (int k = 0; k < a->count; ++k) {
    double s = impi_dot(a->n[k], impi_sub(point, a->v[k]));
    edge = s > best ? k : edge;
    best = impi_max(best, s);
  }
  *out_far = impi_dot(a->n[edge], a->v[edge]);
  return a->n[edge];
}


// reach_within: upper bound of the distance of a piece's points from `center`. length_within: upper bound of the length
// of a vector.
static double reach_within(const ImpiHull *hull, ImpVec2 center) {
  return fabs(hull->centroid.x - center.x) + fabs(hull->centroid.y - center.y) + hull->extent;
}
static double length_within(ImpVec2 a) { return fabs(a.x) + fabs(a.y); }


// f(t) = n.(R_a^-1 d + R r) is the coordinate along n, in a's frame, of the point of b at the offset r from b's centre
// of mass. d: from a's centre of mass to b's; v = d'; R: rotation of b relative to a; w_a, w_b: angular velocities.
// Because |f''| <= B = w_a^2 |d| + 2 |w_a| |v| + (w_b - w_a)^2 |r|, f(t) >= min(f(0), f(1)) - B / 8.
ImpiClearance impi_clearance(const ImpiHull *a, const ImpiSweep *sweep_a, const ImpRot q_a[2], const ImpiHull *b,
                             const ImpiSweep *sweep_b, const ImpRot q_b[2]) {
  ImpVec2 d[2] = {impi_sub(sweep_b->c0, sweep_a->c0), impi_sub(sweep_b->c1, sweep_a->c1)};
  ImpVec2 p[2], r = impi_sub(b->centroid, sweep_b->local_center);
  ImpRot q[2];
  for (int i = 0; i < 2; ++i) {
    q[i] = impi_inv_mul_rot(q_a[i], q_b[i]);
    p[i] = impi_add(impi_inv_rotate(q_a[i], d[i]), sweep_a->local_center);
  }
  double far, surfaces = IMPI_HUGE, middle = IMPI_HUGE;
  ImpVec2 n = axis_to(a, impi_add(p[0], impi_rotate(q[0], r)), &far);
  for (int i = 0; i < 2; ++i) {
    ImpVec2 m = impi_inv_rotate(q[i], n);
    double from = impi_dot(n, p[i]) - impi_dot(m, sweep_b->local_center);
    middle = impi_min(middle, from + impi_dot(m, b->centroid));
    for (int k = 0; k < b->count; ++k) {
      surfaces = impi_min(surfaces, from + impi_dot(m, b->v[k]));
    }
  }
  double w_a = fabs(sweep_a->a1 - sweep_a->a0), w_b = fabs(sweep_b->a1 - sweep_b->a0), w = w_a + w_b;
  double reach_a = reach_within(a, sweep_a->local_center), reach_b = reach_within(b, sweep_b->local_center);
  double apart = impi_max(length_within(d[0]), length_within(d[1])), way = length_within(impi_sub(d[1], d[0]));
  double bend = 0.125 * (w_a * (w_a * apart + 2 * way) + w * w * reach_b);
  double short_by =
      bend + clear_rounding * (apart + reach_a + reach_b) + clear_part * (way + w_a * reach_a + w_b * reach_b);
  return (ImpiClearance){.surfaces = surfaces - far - (a->radius + b->radius) - short_by,
                         .middle = middle - far - a->radius - short_by};
}
