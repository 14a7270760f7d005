// Mass of a rounded piece in closed form. A piece of radius r is its core, a rectangle of depth r on every edge, and at
// every vertex a sector of radius r between the normals of the vertex's two edges. About an origin o nearby:
//   triangle o p q    A = p x q / 2     m1 = A (p + q) / 3                I = A (p.p + p.q + q.q) / 6
//   rectangle L x r   A = L r           m1 = A (middle of the edge + n r / 2)   I = A (L^2 + r^2) / 12 + |m1|^2 / A
//   sector at p       A = r^2 phi / 2   m1 = A p + s                      I = A p.p + 2 p.s + r^4 phi / 4
//     s, the first moment about p, is the integral of rho^2 (cos t, sin t) over rho = 0..r and the angles between the
//     normals n_before and n_after: r^3 / 3 (right(n_after) - right(n_before)).
// To keep floating-point errors small, o is the first vertex. A circle is one sector of 2 pi; a capsule has a core
// without area and two sectors of pi. An outline without radius is the sum of the triangles of its edges.
#include <float.h>
#include <math.h>

#include "geometry/shape.h"


static void add_triangle(ImpiMoments *m, ImpVec2 p, ImpVec2 q) {
  double area = 0.5 * impi_cross(p, q);
  m->area += area;
  m->first = impi_mul_add(m->first, area / 3, impi_add(p, q));
  m->second += area / 6 * (impi_dot(p, p) + impi_dot(p, q) + impi_dot(q, q));
}


static void add_rectangle(ImpiMoments *m, ImpVec2 p, ImpVec2 q, ImpVec2 normal, double r) {
  double length = impi_length(impi_sub(q, p)), area = length * r;
  ImpVec2 center = impi_mul_add(impi_lerp(p, q, 0.5), 0.5 * r, normal);
  m->area += area;
  m->first = impi_mul_add(m->first, area, center);
  m->second += area * ((length * length + r * r) / 12 + impi_length_sq(center));
}


static void add_sector(ImpiMoments *m, ImpVec2 p, ImpVec2 n_before, ImpVec2 n_after, double angle, double r) {
  double area = 0.5 * r * r * angle;
  ImpVec2 s = impi_scale(r * r * r / 3, impi_sub(impi_right(n_after), impi_right(n_before)));
  m->area += area;
  m->first = impi_add(impi_mul_add(m->first, area, p), s);
  m->second += area * impi_length_sq(p) + 2 * impi_dot(p, s) + 0.5 * area * r * r;
}


// Return mass and inertia about the centre, from moments about an origin. If the inverse of the area may overflow, the
// mass is 0 and the centre is the origin.
static ImpiMass mass_of(const ImpiMoments *m, ImpVec2 origin) {
  if (m->area < DBL_MIN) {
    return (ImpiMass){.area = 0, .center = origin, .inertia = 0};
  }
  ImpVec2 center = impi_scale(1 / m->area, m->first);
  double inertia = m->second - m->area * impi_length_sq(center);
  // Rounding can make the inertia of a thin piece negative.
  return (ImpiMass){.area = m->area, .center = impi_add(origin, center), .inertia = impi_max(inertia, 0)};
}


static void add_outline(ImpiMoments *m, const ImpiOutline *outline, ImpVec2 origin) {
  for (int ring = 0; ring < outline->ring_count; ++ring) {
    int32_t begin = impi_ring_begin(outline, ring), count = outline->ends[ring] - begin;
    const ImpVec2 *v = &outline->points[begin];
    for (int i = 0; i < count; ++i) {
      add_triangle(m, impi_sub(v[i], origin), impi_sub(v[(i + 1) % count], origin));
    }
  }
}


bool impi_outline_mass(ImpiHeap *heap, const ImpiOutline *outline, const ImpiHull *hulls, int32_t count,
                       ImpiMass *out_mass) {
  ImpiMoments m = {0};
  ImpVec2 origin = outline->points[0];
  if (hulls[0].radius <= 0) {
    add_outline(&m, outline, origin);
  } else if (!impi_grown_moments(heap, hulls, count, origin, &m)) {
    return false;
  }
  *out_mass = mass_of(&m, origin);
  return true;
}


ImpiMass impi_hull_mass(const ImpiHull *hull) {
  ImpiMoments m = {0};
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
      // The normals at the end of a capsule turn by pi. The sign of atan2 is arbitrary there.
      double turn = fabs(imp_atan2(impi_cross(before, after), impi_dot(before, after)));
      add_rectangle(&m, p, q, after, r);
      add_sector(&m, p, before, after, turn, r);
    }
  }
  return mass_of(&m, origin);
}
