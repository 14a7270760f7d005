// Fields that act on the surface of a body's shapes: wind and explosions.
//
// Wind. On each element of a surface that faces the flow, of length dL and outward normal n,
//   dF = 1/2 rho C (n.u) |n.u| n dL     u = wind - velocity of the surface, n.u < 0
// so the force on a plate across the flow is 1/2 rho C L u^2. The force is c n (n.u) with c = 1/2 rho C |n.u| dL. It is
// integrated as implicit drag: the drag matrix D of a body is the sum of c n n^T over the elements, with the terms for
// the torque. Straight edges are evaluated at their middle. The arc of a circle, capsule or rounded corner is
// integrated exactly over its part that faces the flow. With d the direction against the flow, l its left, c = n.d, s =
// n.l
//   integral of c n n^T dtheta = dd: [s - s^3/3]   dl: [-c^3/3]   ll: [s^3/3]
// For a whole circle the first integral is 4/3, so the force on a circle is 2/3 of the force on a plate of its width.
//   source: Newton's impact theory of drag, "Principia" II, proposition 34
//
// Edges do not shade other edges.
#include "model/field.h"

#include <string.h>

// Drag matrix and force of the wind on a body, in the body's frame about its centre of mass.
typedef struct Sum {
  ImpiDrag d;
  double fx, fy, torque; // force and torque of the air on a body at rest
} Sum;

// Velocities of the air and of the body, in the body's frame.
typedef struct Flow {
  ImpVec2 u, v;
  double w;
  double factor; // 1/2 rho C
} Flow;


static void add_plate(const Flow *flow, ImpVec2 p, ImpVec2 n, double length, Sum *sum) {
  double lever = impi_cross(p, n);
  double air = impi_dot(n, flow->u), s = air - impi_dot(n, flow->v) - flow->w * lever;
  if (s >= 0) {
    return;
  }
  double c = flow->factor * length * -s;
  sum->d.xx += c * n.x * n.x;
  sum->d.xy += c * n.x * n.y;
  sum->d.yy += c * n.y * n.y;
  sum->d.xw += c * n.x * lever;
  sum->d.yw += c * n.y * lever;
  sum->d.ww += c * lever * lever;
  sum->fx += c * air * n.x;
  sum->fy += c * air * n.y;
  sum->torque += c * air * lever;
}


// Add the drag matrix (xx, xy, yy) of a surface element at a point p of the body.
static void add_matrix(const Flow *flow, ImpVec2 p, double xx, double xy, double yy, Sum *sum) {
  ImpVec2 l = impi_left(p);
  ImpVec2 turning = {xx * l.x + xy * l.y, xy * l.x + yy * l.y};
  ImpVec2 air = {xx * flow->u.x + xy * flow->u.y, xy * flow->u.x + yy * flow->u.y};
  sum->d.xx += xx;
  sum->d.xy += xy;
  sum->d.yy += yy;
  sum->d.xw += turning.x;
  sum->d.yw += turning.y;
  sum->d.ww += impi_dot(l, turning);
  sum->fx += air.x;
  sum->fy += air.y;
  sum->torque += impi_dot(l, air);
}


// Find the part of an arc that faces the direction d. The arc goes counter-clockwise from normal a to normal b, by at
// most half a turn. Write the sines of the angles from d to the ends of the part. Return false if no part faces d.
static bool facing(ImpVec2 a, ImpVec2 b, ImpVec2 d, double *out_from, double *out_to) {
  // Tolerance for a half circle that faces the flow: the cosines of its ends are 0 except for rounding.
  const double flat = 1e-9;
  double cos_a = impi_dot(a, d), cos_b = impi_dot(b, d), sin_a = impi_cross(d, a), sin_b = impi_cross(d, b);
  *out_from = cos_a > 0 ? sin_a : -1;
  *out_to = cos_b > 0 ? sin_b : 1;
  bool whole = cos_a > -flat && cos_b > -flat && sin_a < 0 && sin_b > 0;
  return cos_a > 0 || cos_b > 0 || whole;
}


static void add_round(const Flow *flow, ImpVec2 p, double radius, const ImpVec2 *a, const ImpVec2 *b, Sum *sum) {
  ImpVec2 u = impi_sub(impi_sub(flow->u, flow->v), impi_cross_sv(flow->w, p));
  double speed, from = -1, to = 1;
  ImpVec2 d = impi_neg(impi_normalize(u, &speed)), l = impi_left(d);
  if (speed == 0 || (a != NULL && !facing(*a, *b, d, &from, &to))) {
    return;
  }
  double c = flow->factor * radius * speed;
  double cos_sq_from = impi_max(1 - from * from, 0), cos_sq_to = impi_max(1 - to * to, 0);
  double ll = c * (to * to * to - from * from * from) / 3, dd = c * (to - from) - ll;
  double dl = c * (cos_sq_from * sqrt(cos_sq_from) - cos_sq_to * sqrt(cos_sq_to)) / 3;
  add_matrix(flow, p, dd * d.x * d.x + 2 * dl * d.x * l.x + ll * l.x * l.x,
             dd * d.x * d.y + dl * (d.x * l.y + d.y * l.x) + ll * l.x * l.y,
             dd * d.y * d.y + 2 * dl * d.y * l.y + ll * l.y * l.y, sum);
}


static void add_hull(const Flow *flow, const ImpiHull *hull, ImpVec2 center, Sum *sum) {
  if (hull->count == 1) {
    add_round(flow, impi_sub(hull->v[0], center), hull->radius, NULL, NULL, sum);
    return;
  }
  int edges = hull->chain ? 1 : hull->count; // a chain link has one outer edge
  for (int i = 0; i < edges; ++i) {
    if (hull->inner >> i & 1) {
      continue; // the edge is shared with another piece of the shape
    }
    ImpVec2 a = impi_sub(hull->v[i], center), b = impi_sub(hull->v[i + 1 < hull->count ? i + 1 : 0], center);
    ImpVec2 n = hull->n[i], middle = impi_mul_add(impi_lerp(a, b, 0.5), hull->radius, n);
    add_plate(flow, middle, n, impi_length(impi_sub(b, a)), sum);
    if (hull->radius > 0) {
      add_round(flow, a, hull->radius, &hull->n[i > 0 ? i - 1 : hull->count - 1], &hull->n[i], sum);
    }
  }
}


// Rotate the sums from the body's frame to the world, and add them to the block.
static void take_sum(const Sum *sum, int i, ImpiFieldBlock *block) {
  double c = block->c[i], s = block->s[i];
  const ImpiDrag *d = &sum->d;
  ImpiDrag *out = &block->drag[i];
  double twist = 2 * c * s * d->xy;
  out->xx += c * c * d->xx - twist + s * s * d->yy;
  out->yy += s * s * d->xx + twist + c * c * d->yy;
  out->xy += c * s * (d->xx - d->yy) + (c * c - s * s) * d->xy;
  out->xw += c * d->xw - s * d->yw;
  out->yw += s * d->xw + c * d->yw;
  out->ww += d->ww;
  block->ax[i] += block->inv_mass[i] * (c * sum->fx - s * sum->fy);
  block->ay[i] += block->inv_mass[i] * (s * sum->fx + c * sum->fy);
  block->aw[i] += block->inv_inertia[i] * sum->torque;
}


// Return number k of the splitmix64 sequence of a seed, mapped to [0, 1).
static double phase(uint64_t seed, int k) {
  uint64_t z = seed + (uint64_t)(k + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}


// Return the relative deviation of the wind from its mean, from -1 to 1: a sum of four sines without a common period.
static double gust(uint64_t seed, double hertz, double t) {
  static const double part[] = {0.4, 0.3, 0.2, 0.1}, rate[] = {0.53, 1.0, 1.71, 2.93};
  double sum = 0;
  for (int k = 0; k < IMPI_COUNT(part); ++k) {
    double turns = rate[k] * hertz * t + phase(seed, k);
    sum += part[k] * imp_sin(2 * IMPI_PI * (turns - floor(turns)));
  }
  return sum;
}


void impi_field_wind(const ImpiForceField *field, const ImpiFieldScene *scene, ImpiFieldBlock *block) {
  const double *value = field->value;
  double factor = 0.5 * value[IMP_FIELD_DENSITY] * value[IMP_FIELD_COEFFICIENT];
  double part = value[IMP_FIELD_GUST], strength = 1;
  if (part > 0) {
    strength += part * gust((uint64_t)value[IMP_FIELD_SEED], value[IMP_FIELD_GUST_HERTZ], scene->t);
  }
  ImpVec2 u = impi_scale(strength, field->vector[IMP_FIELD_VELOCITY]);
  impi_field_couple(block);
  block->timed |= part > 0;
  for (int i = 0; i < block->count; ++i) {
    const ImpiBody *body = &scene->bodies[block->affected[i].slot];
    ImpRot q = {block->c[i], block->s[i]};
    ImpVec2 v = {block->vx[i], block->vy[i]};
    Flow flow = {impi_inv_rotate(q, u), impi_inv_rotate(q, v), block->w[i], factor};
    Sum sum = {.fx = 0};
    for (int32_t s = body->first_shape; s >= 0; s = scene->shapes[s].next) {
      const ImpiShape *shape = &scene->shapes[s];
      for (int32_t k = 0; k < shape->geometry.child_count && shape->attached && !shape->sensor; ++k) {
        add_hull(&flow, &shape->geometry.hulls[k], body->local_center, &sum);
      }
    }
    if (body->first_shape < 0) {
      double d = factor * value[IMP_FIELD_POINT_WIDTH] * impi_length(impi_sub(u, v));
      add_matrix(&flow, impi_vec(0, 0), d, 0, d, &sum);
    }
    take_sum(&sum, i, block);
    block->restless[i] |= part > 0;
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Explosions: each shape gets an impulse away from the centre, along the line to its centroid,
//   P = impulse / r * width        r: distance of the centroid, `core` at least; width: across that line
// because a pressure wave in the plane falls as 1 / r, and its force on a shape is proportional to the width of the
// shape.


double impi_field_burst(const ImpiForceField *field, double t) {
  double start = field->value[IMP_FIELD_START], duration = field->value[IMP_FIELD_DURATION];
  double part = t <= start ? 0 : t >= start + duration ? 1 : (t - start) / duration;
  return impi_max(part, field->value[IMP_FIELD_PROGRESS]);
}


// Return the width of a piece across a direction, in the body's frame.
static double width_across(const ImpiHull *hull, ImpVec2 direction) {
  ImpVec2 across = impi_left(direction);
  double lower = HUGE_VAL, upper = -HUGE_VAL;
  for (int i = 0; i < hull->count; ++i) {
    double at = impi_dot(across, hull->v[i]);
    lower = impi_min(lower, at);
    upper = impi_max(upper, at);
  }
  return upper - lower + 2 * hull->radius;
}


typedef struct Blast {
  ImpVec2 from; // centre of the explosion relative to the body's centre of mass, in the body's frame
  double core, range, impulse;
} Blast;


static void add_blast(const Blast *blast, ImpVec2 p, const ImpiHull *hull, double width, Sum *sum) {
  double r;
  ImpVec2 d = impi_normalize(impi_sub(p, blast->from), &r);
  if (r == 0 || r > blast->range) {
    return;
  }
  double size = blast->impulse / impi_max(r, blast->core) * (hull != NULL ? width_across(hull, d) : width);
  sum->fx += size * d.x;
  sum->fy += size * d.y;
  sum->torque += size * impi_cross(p, d);
}


void impi_field_explosion(const ImpiForceField *field, const ImpiFieldScene *scene, ImpiFieldBlock *block) {
  const double *value = field->value;
  double part = impi_field_burst(field, scene->until) - value[IMP_FIELD_PROGRESS];
  if (part <= 0) {
    return;
  }
  // At the start of the step, impi_fields_wake has woken the bodies in range.
  ImpVec2 center = field->vector[IMP_FIELD_CENTER];
  for (int i = 0; i < block->count; ++i) {
    const ImpiBody *body = &scene->bodies[block->affected[i].slot];
    ImpRot q = {block->c[i], block->s[i]};
    Blast blast = {impi_inv_rotate(q, impi_sub(center, impi_vec(block->x[i], block->y[i]))), value[IMP_FIELD_CORE],
                   value[IMP_FIELD_RANGE], value[IMP_FIELD_IMPULSE] * part};
    Sum sum = {.fx = 0};
    for (int32_t s = body->first_shape; s >= 0; s = scene->shapes[s].next) {
      const ImpiShape *shape = &scene->shapes[s];
      for (int32_t k = 0; k < shape->geometry.child_count && shape->attached && !shape->sensor; ++k) {
        const ImpiHull *hull = &shape->geometry.hulls[k];
        add_blast(&blast, impi_sub(hull->centroid, body->local_center), hull, 0, &sum);
      }
    }
    if (body->first_shape < 0) {
      add_blast(&blast, impi_vec(0, 0), NULL, value[IMP_FIELD_POINT_WIDTH], &sum);
    }
    // the impulse of the blast is applied as a force over h
    double c = block->c[i] / scene->h, s = block->s[i] / scene->h;
    block->ax[i] += block->inv_mass[i] * (c * sum.fx - s * sum.fy);
    block->ay[i] += block->inv_mass[i] * (s * sum.fx + c * sum.fy);
    block->aw[i] += block->inv_inertia[i] * sum.torque / scene->h;
  }
}
