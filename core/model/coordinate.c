// Geometric coordinates. With x_a, x_b the centres of mass, r_a, r_b the levers of the anchors p = x + r, u a unit
// vector, d = p_b - x_a, v(p) the velocity of a material point, ' the time derivative, and "left" +90 degrees:
//
// x, y: C = u . (p_b - p_a), u fixed in A               J = [ -u  -(d x u)   u   r_b x u ]
//   J'v = u . (w_a^2 d - w_b^2 r_b) - 2 w_a u . left(v'),  v' = v_b + w_b x r_b - v_a - w_a x d
//   The lever of A reaches to B's anchor, because the anchors may be apart.
// angle: C = theta_b - theta_a - reference               J = [ 0 0 -1   0 0 1 ]          J'v = 0
// distance: C = |p_b - p_a|, u = (p_b - p_a) / C         J = [ -u  -(r_a x u)   u   r_b x u ]
//   J'v = u . (w_a^2 r_a - w_b^2 r_b) + (u x v_rel)^2 / C
//   If the anchors coincide, u is A's axis, which avoids a division by 0.
// pulley: C = |p_a - g_a| + ratio |p_b - g_b|            J = [ u_a  r_a x u_a   ratio u_b  ratio (r_b x u_b) ]
//   J'v = -w_a^2 u_a . r_a + (u_a x v(p_a))^2 / |p_a - g_a| + ratio (the same of b)
// source: Bittle, "Equality Constraints" (2010); Catto, "Modeling and Solving Constraints" (GDC 2009)
#include "model/coordinate.h"

// Distance within which two anchors coincide [m].
#define COINCIDENT 1e-12

// Levers and velocities, common to all coordinates of a joint.
typedef struct Pair {
  const ImpiMotion *a, *b;
  ImpVec2 r_a, r_b; // levers of the anchors
  ImpVec2 apart;    // p_b - p_a
  double w_a, w_b;  // angular velocities for second derivatives [rad/s], clamped to +-max_turn
  double max_turn;
} Pair;


// Common quantities of the coordinates x and y: d, the vector from A's centre of mass to B's anchor; the velocity of
// B's anchor relative to A; a part of the second derivative.
typedef struct Plane {
  ImpVec2 d, drift, bend; // d; v'; w_a^2 d - w_b^2 r_b
} Plane;


static inline Plane plane_of(const Pair *pair) {
  const ImpiMotion *a = pair->a, *b = pair->b;
  ImpVec2 d = impi_add(pair->r_a, pair->apart), r = pair->r_b;
  double a_sq = pair->w_a * pair->w_a, b_sq = pair->w_b * pair->w_b;
  return (Plane){
      .d = d,
      .drift = {(b->vx - b->w * r.y) - (a->vx - a->w * d.y), (b->vy + b->w * r.x) - (a->vy + a->w * d.x)},
      .bend = {a_sq * d.x - b_sq * r.x, a_sq * d.y - b_sq * r.y},
  };
}


static inline void sample_axis(const Pair *pair, const Plane *plane, ImpVec2 u, ImpiSample *out) {
  out->value = impi_dot(u, pair->apart);
  out->curvature = impi_dot(u, plane->bend) - 2 * pair->w_a * (u.y * plane->drift.x - u.x * plane->drift.y);
  out->j[0] = -u.x;
  out->j[1] = -u.y;
  out->j[2] = -impi_cross(plane->d, u);
  out->j[3] = u.x;
  out->j[4] = u.y;
  out->j[5] = impi_cross(pair->r_b, u);
}


static void sample_angle(const ImpiJointFrames *frames, const Pair *pair, ImpiSample *out) {
  *out = (ImpiSample){.value = pair->b->angle - pair->a->angle - frames->reference, .j = {0, 0, -1, 0, 0, 1}};
}


// Return the centripetal acceleration v^2 / r at the tangential speed v and the radius r. v / r is clamped like an
// angular velocity.
static double turning(const Pair *pair, double speed, double radius) {
  return radius > COINCIDENT ? speed * impi_clamp(speed / radius, -pair->max_turn, pair->max_turn) : 0;
}


static ImpVec2 point_velocity(const ImpiMotion *m, ImpVec2 r) {
  return impi_vec(m->vx - m->w * r.y, m->vy + m->w * r.x);
}


static ImpVec2 direction(ImpVec2 v, ImpVec2 otherwise, double *out_length) {
  *out_length = impi_length(v);
  return *out_length > COINCIDENT ? impi_scale(1 / *out_length, v) : otherwise;
}


static void sample_distance(const Pair *pair, ImpVec2 axis, ImpiSample *out) {
  double length;
  ImpVec2 u = direction(pair->apart, axis, &length);
  ImpVec2 v = impi_sub(point_velocity(pair->b, pair->r_b), point_velocity(pair->a, pair->r_a));
  out->value = length;
  out->curvature = pair->w_a * pair->w_a * impi_dot(u, pair->r_a) - pair->w_b * pair->w_b * impi_dot(u, pair->r_b) +
                   turning(pair, impi_cross(u, v), length);
  out->j[0] = -u.x;
  out->j[1] = -u.y;
  out->j[2] = -impi_cross(pair->r_a, u);
  out->j[3] = u.x;
  out->j[4] = u.y;
  out->j[5] = impi_cross(pair->r_b, u);
}


static void sample_pulley(const ImpiJointFrames *frames, const Pair *pair, ImpiSample *out) {
  const struct {
    const ImpiMotion *motion;
    ImpVec2 r, ground;
    double w, weight;
  } sides[2] = {{pair->a, pair->r_a, frames->ground_a, pair->w_a, 1},
                {pair->b, pair->r_b, frames->ground_b, pair->w_b, frames->ratio}};
  *out = (ImpiSample){0};
  for (int i = 0; i < 2; ++i) {
    const ImpiMotion *m = sides[i].motion;
    ImpVec2 rope = impi_vec(m->x + sides[i].r.x - sides[i].ground.x, m->y + sides[i].r.y - sides[i].ground.y);
    double length;
    ImpVec2 u = direction(rope, impi_vec(0, -1), &length);
    double bend = turning(pair, impi_cross(u, point_velocity(m, sides[i].r)), length);
    out->value += sides[i].weight * length;
    out->curvature += sides[i].weight * (bend - sides[i].w * sides[i].w * impi_dot(u, sides[i].r));
    out->j[3 * i] = sides[i].weight * u.x;
    out->j[3 * i + 1] = sides[i].weight * u.y;
    out->j[3 * i + 2] = sides[i].weight * impi_cross(sides[i].r, u);
  }
}


void impi_coordinate_sample(const ImpiJointFrames *frames, const uint8_t *kinds, int count, ImpVec2 center_a,
                            const ImpiMotion *a, ImpVec2 center_b, const ImpiMotion *b, double max_turn,
                            ImpiSample *out_samples) {
  Pair pair = {
      .a = a,
      .b = b,
      .r_a = impi_rotate((ImpRot){a->c, a->s}, impi_sub(frames->local_a, center_a)),
      .r_b = impi_rotate((ImpRot){b->c, b->s}, impi_sub(frames->local_b, center_b)),
      .w_a = impi_clamp(a->w, -max_turn, max_turn),
      .w_b = impi_clamp(b->w, -max_turn, max_turn),
      .max_turn = max_turn,
  };
  pair.apart = impi_vec((b->x - a->x) + (pair.r_b.x - pair.r_a.x), (b->y - a->y) + (pair.r_b.y - pair.r_a.y));
  ImpVec2 u = impi_rotate((ImpRot){a->c, a->s}, impi_vec(frames->axis.c, frames->axis.s));
  Plane plane = plane_of(&pair);
  for (int i = 0; i < count; ++i) {
    switch ((ImpCoordinateKind)kinds[i]) {
    case IMP_COORDINATE_X:
      sample_axis(&pair, &plane, u, &out_samples[i]);
      break;
    case IMP_COORDINATE_Y:
      sample_axis(&pair, &plane, impi_left(u), &out_samples[i]);
      break;
    case IMP_COORDINATE_ANGLE:
      sample_angle(frames, &pair, &out_samples[i]);
      break;
    case IMP_COORDINATE_DISTANCE:
      sample_distance(&pair, u, &out_samples[i]);
      break;
    case IMP_COORDINATE_PULLEY:
      sample_pulley(frames, &pair, &out_samples[i]);
      break;
    case IMP_COORDINATE_SUM:
    case IMP_COORDINATE_TAPE:
    case IMP_COORDINATE_USER:
    case IMP_COORDINATE_KIND_COUNT:
      out_samples[i] = (ImpiSample){0};
      break;
    }
  }
}
