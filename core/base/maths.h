// Vectors, rotations, frames and boxes in double; small inline functions only.
#ifndef IMPI_MATHS_H
#define IMPI_MATHS_H

#include <math.h>

#include "base/base.h"
#include "base/trig.h"

#define IMPI_PI 3.14159265358979323846

static inline ImpVec2 impi_vec(double x, double y) { return (ImpVec2){x, y}; }
static inline ImpVec2 impi_add(ImpVec2 a, ImpVec2 b) { return (ImpVec2){a.x + b.x, a.y + b.y}; }
static inline ImpVec2 impi_sub(ImpVec2 a, ImpVec2 b) { return (ImpVec2){a.x - b.x, a.y - b.y}; }
static inline ImpVec2 impi_neg(ImpVec2 a) { return (ImpVec2){-a.x, -a.y}; }
static inline ImpVec2 impi_scale(double s, ImpVec2 a) { return (ImpVec2){s * a.x, s * a.y}; }
// a + s b
static inline ImpVec2 impi_mul_add(ImpVec2 a, double s, ImpVec2 b) { return (ImpVec2){a.x + s * b.x, a.y + s * b.y}; }
static inline ImpVec2 impi_lerp(ImpVec2 a, ImpVec2 b, double t) {
  return (ImpVec2){(1 - t) * a.x + t * b.x, (1 - t) * a.y + t * b.y};
}
static inline double impi_dot(ImpVec2 a, ImpVec2 b) { return a.x * b.x + a.y * b.y; }
// z of a x b
static inline double impi_cross(ImpVec2 a, ImpVec2 b) { return a.x * b.y - a.y * b.x; }
// w x r: the velocity of r under an angular velocity
static inline ImpVec2 impi_cross_sv(double w, ImpVec2 r) { return (ImpVec2){-w * r.y, w * r.x}; }
// a turned by +90 and by -90 degrees
static inline ImpVec2 impi_left(ImpVec2 a) { return (ImpVec2){-a.y, a.x}; }
static inline ImpVec2 impi_right(ImpVec2 a) { return (ImpVec2){a.y, -a.x}; }
static inline double impi_length_sq(ImpVec2 a) { return a.x * a.x + a.y * a.y; }
static inline double impi_length(ImpVec2 a) { return sqrt(a.x * a.x + a.y * a.y); }
static inline double impi_min(double a, double b) { return a < b ? a : b; }
static inline double impi_max(double a, double b) { return a > b ? a : b; }
static inline double impi_clamp(double x, double lower, double upper) {
  return x < lower ? lower : (x > upper ? upper : x);
}
static inline bool impi_is_finite(double x) { return x - x == 0; }
static inline bool impi_vec_is_finite(ImpVec2 a) { return impi_is_finite(a.x) && impi_is_finite(a.y); }

// Return the unit vector along a, and in `out_length` the length of a; both are 0 if the length is below 1e-150.
static inline ImpVec2 impi_normalize(ImpVec2 a, double *out_length) {
  double length = impi_length(a);
  if (length < 1e-150) {
    *out_length = 0;
    return (ImpVec2){0, 0};
  }
  *out_length = length;
  return (ImpVec2){a.x / length, a.y / length};
}

// Return the direction of a vector, unchanged if its length is 1 to within rounding.
static inline ImpVec2 impi_direction(ImpVec2 a) {
  double length;
  ImpVec2 unit = impi_normalize(a, &length);
  return fabs(length - 1) < 1e-15 ? a : unit;
}

static inline ImpRot impi_rot(double angle) {
  ImpRot q;
  impi_sincos(angle, &q.s, &q.c);
  return q;
}
static inline ImpVec2 impi_rotate(ImpRot q, ImpVec2 a) {
  return (ImpVec2){q.c * a.x - q.s * a.y, q.s * a.x + q.c * a.y};
}
static inline ImpVec2 impi_inv_rotate(ImpRot q, ImpVec2 a) {
  return (ImpVec2){q.c * a.x + q.s * a.y, q.c * a.y - q.s * a.x};
}
// Rotation of b relative to a.
static inline ImpRot impi_inv_mul_rot(ImpRot a, ImpRot b) {
  return (ImpRot){a.c * b.c + a.s * b.s, a.c * b.s - a.s * b.c};
}
static inline ImpVec2 impi_apply(ImpTransform xf, ImpVec2 a) { return impi_add(impi_rotate(xf.q, a), xf.p); }
static inline ImpVec2 impi_inv_apply(ImpTransform xf, ImpVec2 a) { return impi_inv_rotate(xf.q, impi_sub(a, xf.p)); }
// Frame b relative to frame a.
static inline ImpTransform impi_inv_mul(ImpTransform a, ImpTransform b) {
  return (ImpTransform){impi_inv_rotate(a.q, impi_sub(b.p, a.p)), impi_inv_mul_rot(a.q, b.q)};
}

static inline ImpAabb impi_aabb_union(ImpAabb a, ImpAabb b) {
  return (ImpAabb){{impi_min(a.lower.x, b.lower.x), impi_min(a.lower.y, b.lower.y)},
                   {impi_max(a.upper.x, b.upper.x), impi_max(a.upper.y, b.upper.y)}};
}
static inline bool impi_aabb_overlaps(ImpAabb a, ImpAabb b) {
  return a.lower.x <= b.upper.x && b.lower.x <= a.upper.x && a.lower.y <= b.upper.y && b.lower.y <= a.upper.y;
}
static inline bool impi_aabb_contains(ImpAabb outer, ImpAabb inner) {
  return outer.lower.x <= inner.lower.x && outer.lower.y <= inner.lower.y && inner.upper.x <= outer.upper.x &&
         inner.upper.y <= outer.upper.y;
}
static inline ImpAabb impi_aabb_grow(ImpAabb a, double margin) {
  return (ImpAabb){{a.lower.x - margin, a.lower.y - margin}, {a.upper.x + margin, a.upper.y + margin}};
}

#endif
