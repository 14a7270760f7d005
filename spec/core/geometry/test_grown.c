// Mass of a concave polygon with a rounding radius r, that is, of all points within a distance r of the polygon. It is
// compared with closed forms, with rotated polygons, and with brute force over evenly spread points.
#include "check.h"

#include "failing_memory.h"
#include "geometry/decompose.h"
#include "geometry/shape.h"
#include "random_outline.h"

static ImpiHeap heap;
static RandomOutline room;


static ImpiMass mass_of(const ImpVec2 *points, const int *counts, int rings, double radius) {
  ImpiGeometry g;
  CHECK(impi_geometry_polygon_with_holes(&heap, points, counts, rings, radius, &g) == IMP_OK);
  ImpiMass mass = g.figure->mass;
  impi_geometry_free(&heap, &g);
  return mass;
}


static ImpiMass mass_of_box(double width, double height, ImpVec2 center, double radius) {
  ImpiGeometry g;
  CHECK(impi_geometry_box(&heap, width, height, center, 0, radius, &g) == IMP_OK);
  ImpiMass mass = g.figure->mass;
  impi_geometry_free(&heap, &g);
  return mass;
}


// Compare two masses to `tolerance`. `size`: size of the shape [m].
static void check_equal(ImpiMass got, ImpiMass expected, double size, double tolerance) {
  CHECK_NEAR(got.area, expected.area, tolerance * expected.area);
  CHECK_NEAR(got.center.x, expected.center.x, tolerance * size);
  CHECK_NEAR(got.center.y, expected.center.y, tolerance * size);
  CHECK_NEAR(got.inertia, expected.inertia, tolerance * expected.area * size * size);
}


// Add (sign 1) or remove (sign -1) a part; inertias are about the parts' own centres.
static ImpiMass combined(ImpiMass a, ImpiMass b, double sign) {
  ImpiMass sum = {.area = a.area + sign * b.area};
  sum.center = impi_scale(1 / sum.area, impi_mul_add(impi_scale(a.area, a.center), sign * b.area, b.center));
  sum.inertia = a.inertia + a.area * impi_length_sq(impi_sub(a.center, sum.center)) +
                sign * (b.inertia + b.area * impi_length_sq(impi_sub(b.center, sum.center)));
  return sum;
}


static const double tight = 1e-13; // relative tolerance: rounding of a sum over a few dozen curves


enum { MAX_TIPS = IMP_MAX_OUTLINE / 2 };
static const double far = 10, near = 3;
static ImpVec2 star[IMP_MAX_OUTLINE];


static void put_tips(int tips) {
  for (int i = 0; i < 2 * tips; ++i) {
    double at = i % 2 == 0 ? far : near;
    star[i] = impi_vec(at * cos(i * IMPI_PI / tips), at * sin(i * IMPI_PI / tips));
  }
}


// A grown star, about its centre: two triangles (0, tip, p) and a sector per tip. A tip is 10 m from the centre; the
// arcs of neighbouring tips meet at p.
// h: half the angle per tip; t: half the angle of an arc.
//   A = 10 |p| sin h + r^2 t
//   I = 10 |p| sin h (100 + 10 |p| cos h + |p|^2) / 6 + r^2 t (100 + r^2 / 2) + 40/3 r^3 sin t
static ImpiMass flower(int tips, double r) {
  double half = IMPI_PI / tips, out = far * cos(half) + sqrt(r * r - far * far * sin(half) * sin(half));
  double turn = atan2(out * sin(half), out * cos(half) - far), straight = far * out * sin(half), round = r * r * turn;
  double inertia = straight * (far * far + far * out * cos(half) + out * out) / 6 + round * (far * far + r * r / 2) +
                   4.0 / 3 * far * r * r * r * sin(turn);
  return (ImpiMass){.area = tips * (straight + round), .inertia = tips * inertia};
}


static void a_star_of_many_points_grows_to_the_mass_of_a_union_of_arcs(void) {
  const double radii[] = {0.02, 0.5, 2, 5, 100, 1e4};
  for (int tips = MAX_TIPS / 8; tips <= MAX_TIPS; tips *= 8) {
    const int counts[] = {2 * tips};
    put_tips(tips);
    // Arcs of radius 0.02 m meet only if there are many tips.
    for (int i = tips < MAX_TIPS ? 1 : 0; i < IMPI_COUNT(radii); ++i) {
      check_equal(mass_of(star, counts, 1, radii[i]), flower(tips, radii[i]), far + radii[i], 1e-12);
    }
  }
}


// Memory grows in proportion to the number of points, even where all pieces overlap each other.
static void memory_grows_linearly_with_the_points(void) {
  size_t peaks[2] = {0, 0};
  for (int k = 0; k < 2; ++k) {
    Memory memory = {0};
    ImpiHeap counted = {.allocator = {reallocate, &memory}};
    ImpiGeometry g;
    int tips = k == 0 ? MAX_TIPS / 16 : MAX_TIPS;
    put_tips(tips);
    CHECK(impi_geometry_polygon(&counted, star, 2 * tips, 100, &g) == IMP_OK);
    impi_geometry_free(&counted, &g);
    peaks[k] = memory.peak;
  }
  CHECK(peaks[1] < 2 * 16 * peaks[0]); // 16: ratio of the numbers of points; 2: spare capacity of arrays
}


static void a_frame_with_a_closed_window_has_the_mass_of_a_rounded_box(void) {
  const ImpVec2 points[] = {{1, 1}, {5, 1}, {5, 4}, {1, 4}, {2, 2}, {2, 3}, {4, 3}, {4, 2}};
  const int counts[] = {4, 4};
  for (double r = 0.5; r < 40; r *= 1.7) { // the hole is 1 m high, so these radii fill it
    check_equal(mass_of(points, counts, 2, r), mass_of_box(4, 3, impi_vec(3, 2.5), r), 5 + r, tight);
  }
  for (double r = 0.001; r < 0.5; r *= 1.7) {
    ImpiMass window = mass_of_box(2 - 2 * r, 1 - 2 * r, impi_vec(3, 2.5), 0);
    check_equal(mass_of(points, counts, 2, r), combined(mass_of_box(4, 3, impi_vec(3, 2.5), r), window, -1), 5, tight);
  }
}


// The region below y = r between corners (-g, 0) and (g, 0), outside the discs of radius r.
// A: area; M: first moment, the integral of y; I: second moment about (0, 0); u: distance from a corner along x;
// s = sqrt(r^2 - u^2)
//   A = 2 int_0^g (r - s) du, M = int_0^g (r^2 - s^2) du = int_0^g u^2 du
//   I = 2 int_0^g ((g - u)^2 (r - s) + (r^3 - s^3) / 3) du
static ImpiMass free_above(double g, double r) {
  const double node[5] = {0, 0.5384693101056831, -0.5384693101056831, 0.9061798459386640, -0.9061798459386640};
  const double weight[5] = {0.5688888888888889, 0.4786286704993665, 0.4786286704993665, 0.2369268850561891,
                            0.2369268850561891};
  ImpiMass m = {0};
  double first = 0, second = 0, least = r > g ? g : r;
  for (int k = 0; k < 5 * 64; ++k) {
    double u = least * (k / 5 + 0.5 * (1 + node[k % 5])) / 64, w = 0.5 * weight[k % 5] * least / 64;
    double s = sqrt(r * r - u * u);
    m.area += 2 * w * (r - s);
    first += w * u * u;
    second += 2 * w * ((g - u) * (g - u) * (r - s) + (r * r * r - s * s * s) / 3);
  }
  m.center = impi_vec(0, first / m.area);
  m.inertia = second - m.area * m.center.y * m.center.y;
  return m;
}


// A slot of width 2 g between two walls of a box.
static void a_closed_slot_leaves_a_dent(void) {
  for (double g = 0.05; g < 1; g *= 1.6) {
    const ImpVec2 points[] = {{-2, -3}, {2, -3}, {2, 0}, {g, 0}, {g, -2}, {-g, -2}, {-g, 0}, {-2, 0}};
    const int counts[] = {8};
    for (double wide = 1.3; wide < 20; wide *= 1.5) {
      double r = wide * g;
      ImpiMass whole = mass_of_box(4, 3, impi_vec(0, -1.5), r);
      // The quadrature is accurate to about 1e-13 of r^2.
      check_equal(mass_of(points, counts, 1, r), combined(whole, free_above(g, r), -1), 4 + r, 1e-12);
    }
  }
}


// The area is continuous where the slot closes, and where the grown walls of the slot coincide.
static void masses_are_continuous_as_notches_close(void) {
  const ImpVec2 points[] = {{-2, -3}, {2, -3}, {2, 0}, {0.5, 0}, {0.5, -2}, {-0.5, -2}, {-0.5, 0}, {-2, 0}};
  const int counts[] = {8};
  ImpiMass closed = mass_of(points, counts, 1, 0.5);
  for (double d = 1e-3; d > 1e-17; d *= 0.1) {
    // Bound of the change in area: 14 d at 14 m of outline, 4 d in an open slot of 2 d x 2 m, and 7 d > 2 pi r d at the
    // corners.
    double reach = 2 * 0.5 * 14 * d + 2 * d * 2 + 7 * d + 1e-14;
    ImpiMass before = mass_of(points, counts, 1, 0.5 - d), after = mass_of(points, counts, 1, 0.5 + d);
    CHECK(before.area <= closed.area + 1e-14 && closed.area <= after.area + 1e-14);
    CHECK_NEAR(before.area, closed.area, reach);
    CHECK_NEAR(after.area, closed.area, reach);
    // An area dA at a distance s from the centre of mass adds s^2 dA to the inertia; s^2 < 13 m^2.
    CHECK_NEAR(before.inertia, closed.inertia, 13 * reach);
    CHECK_NEAR(after.inertia, closed.inertia, 13 * reach);
  }
}


// The area of an L-shape grown by r is A + L r + 5 pi r^2 / 4 - r^2. A, L: area and perimeter of the L-shape;
// 5 pi r^2 / 4: quarter discs at its convex corners; r^2: overlap of two grown edges at its reflex corner.
static void small_radii_overlap_in_reflex_corners_only(void) {
  const ImpVec2 points[] = {{0, 0}, {3, 0}, {3, 1}, {1, 1}, {1, 2}, {0, 2}};
  const int counts[] = {6};
  for (double r = 1e-4; r < 1; r *= 1.9) {
    CHECK_NEAR(mass_of(points, counts, 1, r).area, 4 + 10 * r + 1.25 * IMPI_PI * r * r - r * r, 1e-13 * (4 + 20 * r));
    ImpiMass foot = mass_of_box(3 + 2 * r, 1 + 2 * r, impi_vec(1.5, 0.5), 0);
    ImpiMass leg = mass_of_box(1 + 2 * r, 1, impi_vec(0.5, 1.5 + r), 0), sum = combined(foot, leg, 1);
    const ImpVec2 corners[] = {{-r, -r}, {3 + r, -r}, {3 + r, 1 + r}, {1 + r, 2 + r}, {-r, 2 + r}};
    for (int i = 0; i < 5; ++i) { // the part of a square of side r outside the arc: the square minus a quarter disc
      double x = corners[i].x < 0 ? 1 : -1, y = corners[i].y < 0 ? 1 : -1, quarter = IMPI_PI * r * r / 4;
      ImpVec2 middle = impi_add(corners[i], impi_vec(x * r, y * r));
      double off = 4 * r / (3 * IMPI_PI);
      ImpiMass disc = {quarter, impi_sub(middle, impi_vec(x * off, y * off)), quarter * (r * r / 2 - 2 * off * off)};
      sum = combined(sum, mass_of_box(r, r, impi_mul_add(corners[i], 0.5 * r, impi_vec(x, y)), 0), -1);
      sum = combined(sum, disc, 1);
    }
    check_equal(mass_of(points, counts, 1, r), sum, 3 + r, tight);
  }
}


// Rotation changes the horizontal slabs of the integration.
static void rotated_polygons_have_the_same_mass(void) {
  ImpVec2 turned[IMP_MAX_OUTLINE];
  for (int family = 0; family < FAMILY_COUNT; ++family) {
    for (uint64_t seed = 0; seed < 12; ++seed) {
      ImpiOutline outline = random_outline(&room, (Family)family, seed);
      int counts[64], rings = outline.ring_count, count = outline.ends[rings - 1];
      double size = 0;
      for (int k = 0; k < rings; ++k) counts[k] = outline.ends[k] - impi_ring_begin(&outline, k);
      for (int i = 0; i < count; ++i)
        size = impi_max(size, impi_length(impi_sub(outline.points[i], outline.points[0])));
      double r = size * 0.3 / (double)(1 + seed * seed);
      ImpiMass mass = mass_of(outline.points, counts, rings, r);
      CHECK(mass.area > 0 && mass.inertia > 0);
      for (int turn = 1; turn < 4; ++turn) {
        ImpTransform xf = {{0.3 * size, -0.2 * size}, impi_rot(0.9 * turn)};
        for (int i = 0; i < count; ++i) turned[i] = impi_apply(xf, outline.points[i]);
        ImpiMass expected = {mass.area, impi_apply(xf, mass.center), mass.inertia};
        // Rounding of a sum over a few hundred slabs.
        check_equal(mass_of(turned, counts, rings, r), expected, size + r, 1e-11);
      }
    }
  }
}


// The expected mass is a sum over 65536 evenly spread points. They do not form a grid, because edges may be parallel to
// its lines.
static void masses_equal_those_of_the_area_that_the_pieces_cover(void) {
  enum { count = 65536 };
  for (uint64_t seed = 0; seed < 3 * FAMILY_COUNT; ++seed) {
    ImpiOutline outline = random_outline(&room, (Family)(seed % FAMILY_COUNT), seed);
    int counts[64], rings = outline.ring_count;
    for (int k = 0; k < rings; ++k) counts[k] = outline.ends[k] - impi_ring_begin(&outline, k);
    ImpAabb around = {outline.points[0], outline.points[0]};
    for (int i = 0; i < counts[0]; ++i)
      around = impi_aabb_union(around, (ImpAabb){outline.points[i], outline.points[i]});
    ImpVec2 span = impi_sub(around.upper, around.lower);
    double r = 0.05 * impi_length(span);
    ImpiGeometry g;
    if (impi_geometry_polygon_with_holes(&heap, outline.points, counts, rings, r, &g) != IMP_OK) continue;
    around = impi_aabb_grow(around, r);
    span = impi_sub(around.upper, around.lower);
    double cell = span.x * span.y / count;
    ImpiMoments m = {0};
    for (int i = 0; i < count; ++i) {
      double u = i * 0.7548776662466927, v = i * 0.5698402909980532; // powers of the plastic number (Roberts 2018)
      ImpVec2 p = {(u - floor(u)) * span.x, (v - floor(v)) * span.y};
      bool inside = false;
      for (int k = 0; k < g.child_count && !inside; ++k) {
        inside = impi_hull_contains(&g.hulls[k], impi_add(around.lower, p));
      }
      if (!inside) continue;
      m.area += cell;
      m.first = impi_mul_add(m.first, cell, p);
      m.second += cell * impi_length_sq(p);
    }
    ImpVec2 center = impi_scale(1 / m.area, m.first);
    ImpiMass brute = {m.area, impi_add(around.lower, center), m.second - m.area * impi_length_sq(center)};
    // 1e-3: about 1000 of 65536 cells are on the boundary, each wrong by up to half a cell.
    check_equal(g.figure->mass, brute, impi_length(span), 1e-3);
    impi_geometry_free(&heap, &g);
  }
}


static void each_request_for_memory_can_fail(void) {
  ImpStatus status = IMP_ERR_NOMEM;
  int failures = 0;
  put_tips(32); // with 32 tips, curves are joined into regions, and regions into larger regions
  for (; status == IMP_ERR_NOMEM && failures < 1000; ++failures) {
    Memory memory = {.fail_at = failures + 1};
    ImpiHeap scarce = {.allocator = {reallocate, &memory}};
    ImpiGeometry g = {0};
    status = impi_geometry_polygon(&scarce, star, 64, 0.2, &g);
    CHECK(status == (memory.failed ? IMP_ERR_NOMEM : IMP_OK)); // an error if an allocation for the mass failed
    CHECK(status == IMP_OK || (memory.bytes == 0 && scarce.bytes == 0));
    if (status == IMP_OK) impi_geometry_free(&scarce, &g);
    CHECK(memory.bytes == 0);
  }
  CHECK(status == IMP_OK && failures > 5);
}


int main(void) {
  heap.allocator = impi_default_allocator();
  RUN(a_star_of_many_points_grows_to_the_mass_of_a_union_of_arcs);
  RUN(memory_grows_linearly_with_the_points);
  RUN(a_frame_with_a_closed_window_has_the_mass_of_a_rounded_box);
  RUN(a_closed_slot_leaves_a_dent);
  RUN(masses_are_continuous_as_notches_close);
  RUN(small_radii_overlap_in_reflex_corners_only);
  RUN(rotated_polygons_have_the_same_mass);
  RUN(masses_equal_those_of_the_area_that_the_pieces_cover);
  RUN(each_request_for_memory_can_fail);
  CHECK(heap.bytes == 0);
  return check_report("grown");
}
