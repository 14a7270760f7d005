// Mass of a grown piece in closed form. A piece of radius r is its core, a rectangle of depth r on every edge and a
// sector of radius r on every vertex, of the angle by which the edge normals turn there. About an origin o near by:
//   triangle o p q    A = p x q / 2     m1 = A (p + q) / 3                I = A (p.p + p.q + q.q) / 6
//   rectangle L x r   A = L r           m1 = A (middle of the edge + n r / 2)   I = A (L^2 + r^2) / 12 + |m1|^2 / A
//   sector at p       A = r^2 phi / 2   m1 = A p + s                      I = A p.p + 2 p.s + r^4 phi / 4
//     s, its first moment about p, is the integral of rho^2 (cos t, sin t) over rho = 0..r and the angles between the
//     normals n_before and n_after: r^3 / 3 (right(n_after) - right(n_before)).
// An outline is the sum over all edges of its rings. At a hollow corner the rectangles of its two edges overlap in a
// kite, two triangles of height r tan(phi / 2), which is taken off; what is grown there overlaps no farther as long as
// r is small against the edges and gaps of the outline.
// The origin is the first vertex, so that a piece far from the body's origin loses no digits. A circle is one sector of
// 2 pi, a capsule has a core without area and two sectors of pi.
#include <math.h>

#include "shape.h"

typedef struct Moments {
  double area;
  ImpVec2 first;
  double second;
} Moments;


static void add_triangle(Moments *m, ImpVec2 p, ImpVec2 q) {
  double area = 0.5 * impi_cross(p, q);
  m->area += area;
  m->first = impi_mul_add(m->first, area / 3, impi_add(p, q));
  m->second += area / 6 * (impi_dot(p, p) + impi_dot(p, q) + impi_dot(q, q));
}


static void add_rectangle(Moments *m, ImpVec2 p, ImpVec2 q, ImpVec2 normal, double r) {
  double length = impi_length(impi_sub(q, p)), area = length * r;
  ImpVec2 center = impi_mul_add(impi_lerp(p, q, 0.5), 0.5 * r, normal);
  m->area += area;
  m->first = impi_mul_add(m->first, area, center);
  m->second += area * ((length * length + r * r) / 12 + impi_length_sq(center));
}


static void add_sector(Moments *m, ImpVec2 p, ImpVec2 n_before, ImpVec2 n_after, double angle, double r) {
  double area = 0.5 * r * r * angle;
  ImpVec2 s = impi_scale(r * r * r / 3, impi_sub(impi_right(n_after), impi_right(n_before)));
  m->area += area;
  m->first = impi_add(impi_mul_add(m->first, area, p), s);
  m->second += area * impi_length_sq(p) + 2 * impi_dot(p, s) + 0.5 * area * r * r;
}


static void add_shifted_triangle(Moments *m, ImpVec2 a, ImpVec2 b, ImpVec2 c, double sign) {
  double area = 0.5 * sign * fabs(impi_cross(impi_sub(b, a), impi_sub(c, a)));
  m->area += area;
  m->first = impi_mul_add(m->first, area / 3, impi_add(a, impi_add(b, c)));
  m->second +=
      area / 6 * (impi_dot(a, a) + impi_dot(b, b) + impi_dot(c, c) + impi_dot(a, b) + impi_dot(b, c) + impi_dot(c, a));
}


// Where an outline turns by `before` -> `after` at p: a round outside, or what two edges have grown there in common.
static void add_corner(Moments *m, ImpVec2 p, ImpVec2 before, ImpVec2 after, double r) {
  double sine = impi_cross(before, after), cosine = impi_dot(before, after);
  if (sine >= 0) {
    add_sector(m, p, before, after, imp_atan2(sine, cosine), r);
    return;
  }
  ImpVec2 middle = impi_add(before, after);
  ImpVec2 meet = impi_mul_add(p, 2 * r / impi_length_sq(middle), middle); // r / cos(phi / 2) along the bisector
  add_shifted_triangle(m, p, meet, impi_mul_add(p, r, before), -1);
  add_shifted_triangle(m, p, meet, impi_mul_add(p, r, after), -1);
}


static ImpVec2 outward(ImpVec2 p, ImpVec2 q) {
  double length;
  return impi_right(impi_normalize(impi_sub(q, p), &length));
}


ImpiMass impi_outline_mass(const ImpiOutline *outline, double radius) {
  Moments m = {0};
  ImpVec2 origin = outline->points[0];
  for (int ring = 0; ring < outline->ring_count; ++ring) {
    int32_t begin = impi_ring_begin(outline, ring), count = outline->ends[ring] - begin;
    const ImpVec2 *v = &outline->points[begin];
    for (int i = 0; i < count; ++i) {
      ImpVec2 before = impi_sub(v[(i + count - 1) % count], origin), p = impi_sub(v[i], origin);
      ImpVec2 q = impi_sub(v[(i + 1) % count], origin);
      add_triangle(&m, p, q);
      if (radius > 0) {
        add_rectangle(&m, p, q, outward(p, q), radius);
        add_corner(&m, p, outward(before, p), outward(p, q), radius);
      }
    }
  }
  ImpVec2 center = impi_scale(1 / m.area, m.first);
  return (ImpiMass){
      .area = m.area, .center = impi_add(origin, center), .inertia = m.second - m.area * impi_length_sq(center)};
}


ImpiMass impi_hull_mass(const ImpiHull *hull) {
  Moments m = {0};
  int count = hull->count;
  double r = hull->radius;
  ImpVec2 origin = hull->v[0];
  if (count == 1) {
    add_sector(&m, impi_vec(0, 0), impi_vec(0, 0), impi_vec(0, 0), 2 * IMPI_PI, r);
  }
  for (int i = 0; count > 1 && i < count; ++i) {
    ImpVec2 p = impi_sub(hull->v[i], origin), q = impi_sub(hull->v[(i + 1) % count], origin);
    ImpVec2 before = hull->n[(i + count - 1) % count], after = hull->n[i];
    add_triangle(&m, p, q);
    if (r > 0) {
      // The turn of a capsule's end is pi, whatever the sign of its zero sine.
      double turn = fabs(imp_atan2(impi_cross(before, after), impi_dot(before, after)));
      add_rectangle(&m, p, q, after, r);
      add_sector(&m, p, before, after, turn, r);
    }
  }
  if (m.area <= 0) {
    return (ImpiMass){.area = 0, .center = hull->centroid, .inertia = 0};
  }
  ImpVec2 center = impi_scale(1 / m.area, m.first);
  return (ImpiMass){
      .area = m.area, .center = impi_add(origin, center), .inertia = m.second - m.area * impi_length_sq(center)};
}
