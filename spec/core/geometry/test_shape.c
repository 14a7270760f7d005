// Geometry of shapes: mass in closed form and against a boundary integral, rejected definitions, boxes, containment.
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "base/constants.h"
#include "geometry/shape.h"

static ImpiHeap heap;

// A random generator of this file, because the generator of the C library differs between machines.
static uint64_t random_state = 1;
static double random_between(double lower, double upper) {
  random_state = random_state * 6364136223846793005u + 1442695040888963407u;
  return lower + (upper - lower) * (double)(random_state >> 11) * 0x1p-53;
}


static void check_relative(double got, double expected, double scale) { CHECK_NEAR(got, expected, 1e-12 * scale); }


static void check_mass(ImpiMass got, double area, ImpVec2 center, double inertia) {
  check_relative(got.area, area, area);
  check_relative(got.inertia, inertia, inertia);
  double size = sqrt(area) + fabs(center.x) + fabs(center.y);
  check_relative(got.center.x, center.x, size);
  check_relative(got.center.y, center.y, size);
}


// Green's theorem over a parametrised boundary: area, first moments and second moment about the origin.
typedef struct Boundary {
  double area, x, y, second;
} Boundary;

static void add_point(Boundary *sum, ImpVec2 p, ImpVec2 dp) {
  sum->area += 0.5 * impi_cross(p, dp);
  sum->x += 0.5 * p.x * p.x * dp.y;
  sum->y -= 0.5 * p.y * p.y * dp.x;
  sum->second += (p.x * p.x * p.x * dp.y - p.y * p.y * p.y * dp.x) / 3;
}


// Return the mass by five-point Gauss-Legendre quadrature.
static ImpiMass mass_by_quadrature(const ImpVec2 *core, int count, double radius) {
  const double node[5] = {0, 0.5384693101056831, -0.5384693101056831, 0.9061798459386640, -0.9061798459386640};
  const double weight[5] = {0.5688888888888889, 0.4786286704993665, 0.4786286704993665, 0.2369268850561891,
                            0.2369268850561891};
  enum { pieces = 64 };
  Boundary sum = {0};
  for (int i = 0; i < count; ++i) {
    // Coordinates are relative to the first point: a distant origin would make the oracle less accurate.
    ImpVec2 before = core[(i + count - 1) % count], p = impi_sub(core[i], core[0]);
    ImpVec2 edge = impi_sub(core[(i + 1) % count], core[i]), old_edge = impi_sub(core[i], before);
    double from = count == 1 ? 0 : atan2(-old_edge.x, old_edge.y), to = count == 1 ? 0 : atan2(-edge.x, edge.y);
    to += to <= from ? 2 * IMPI_PI : 0;
    ImpVec2 out = impi_scale(radius, (ImpVec2){cos(to), sin(to)});
    for (int k = 0; k < 5 * pieces; ++k) {
      double t = (k / 5 + 0.5 * (1 + node[k % 5])) / pieces, dt = 0.5 * weight[k % 5] / pieces;
      double angle = from + (to - from) * t, d_angle = (to - from) * dt;
      ImpVec2 arm = {radius * cos(angle), radius * sin(angle)};
      add_point(&sum, impi_add(p, arm), impi_scale(d_angle, impi_left(arm)));
      add_point(&sum, impi_add(impi_mul_add(p, t, edge), out), impi_scale(dt, edge));
    }
  }
  ImpVec2 center = {sum.x / sum.area, sum.y / sum.area};
  return (ImpiMass){sum.area, impi_add(center, core[0]), sum.second - sum.area * impi_length_sq(center)};
}


static void disc_mass_is_closed_form(void) {
  ImpiGeometry g;
  CHECK(impi_geometry_circle(&heap, impi_vec(3, -2), 0.7, &g) == IMP_OK);
  double area = IMPI_PI * 0.7 * 0.7;
  check_mass(g.figure->mass, area, impi_vec(3, -2), 0.5 * area * 0.7 * 0.7);
  CHECK(g.hulls[0].extent == 0.7);
  impi_geometry_free(&heap, &g);
}


static void box_mass_is_closed_form(void) {
  ImpiGeometry g;
  CHECK(impi_geometry_box(&heap, 2, 0.3, impi_vec(5, 1), 0.4, 0, &g) == IMP_OK);
  check_mass(g.figure->mass, 0.6, impi_vec(5, 1), 0.6 * (2 * 2 + 0.3 * 0.3) / 12);
  impi_geometry_free(&heap, &g);
  CHECK(impi_geometry_box(&heap, 0.1, 0.3, impi_vec(0, 0), 0, 0, &g) == IMP_OK);
  CHECK(g.figure->mass.center.x == 0 && g.figure->mass.center.y == 0); // exactly 0, in spite of rounding
  impi_geometry_free(&heap, &g);
}


static void capsule_mass_is_closed_form(void) {
  ImpiGeometry g;
  double r = 0.25, length = 1.5;
  CHECK(impi_geometry_capsule(&heap, impi_vec(1, 1), impi_vec(1 + 0.6 * length, 1 + 0.8 * length), r, &g) == IMP_OK);
  // A rectangle and two half discs, whose centroids lie 4 r / (3 pi) outside the rectangle.
  double half = 0.5 * IMPI_PI * r * r, own = half * r * r * (0.5 - 16 / (9 * IMPI_PI * IMPI_PI));
  double arm = 0.5 * length + 4 * r / (3 * IMPI_PI), core = 2 * r * length;
  double inertia = core * (length * length + 4 * r * r) / 12 + 2 * (own + half * arm * arm);
  check_mass(g.figure->mass, core + 2 * half, impi_vec(1 + 0.3 * length, 1 + 0.4 * length), inertia);
  impi_geometry_free(&heap, &g);
}


static void regular_polygon_mass_is_closed_form(void) {
  for (int count = 3; count <= IMP_MAX_VERTICES; ++count) {
    ImpVec2 p[IMP_MAX_VERTICES];
    double r = 0.8, step = 2 * IMPI_PI / count;
    for (int i = 0; i < count; ++i) {
      p[i] = impi_vec(-4 + r * cos(step * i), 2 + r * sin(step * i));
    }
    ImpiGeometry g;
    CHECK(impi_geometry_polygon(&heap, p, count, 0, &g) == IMP_OK);
    double area = 0.5 * count * r * r * sin(step);
    check_mass(g.figure->mass, area, impi_vec(-4, 2), area * r * r * (2 + cos(step)) / 6);
    impi_geometry_free(&heap, &g);
  }
}


static void triangle_mass_is_exact_far_from_the_origin(void) {
  const ImpVec2 p[3] = {{1024, 2048}, {1024 + 3, 2048}, {1024, 2048 + 4}};
  ImpiGeometry g;
  CHECK(impi_geometry_polygon(&heap, p, 3, 0, &g) == IMP_OK);
  check_mass(g.figure->mass, 6, impi_vec(1025, 2048 + 4.0 / 3), 6 * (9 + 16) / 18.0);
  impi_geometry_free(&heap, &g);
}


static void rounded_box_mass_is_closed_form(void) {
  ImpiGeometry g;
  double w = 1.2, h = 0.4, r = 0.15, a = w / 2, b = h / 2;
  CHECK(impi_geometry_box(&heap, w, h, impi_vec(0, 0), 0, r, &g) == IMP_OK);
  double corner = IMPI_PI * r * r / 4, arm = 4 * r / (3 * IMPI_PI);
  double area = w * h + 2 * r * (w + h) + 4 * corner;
  double inertia = w * h * (w * w + h * h) / 12;
  inertia += 2 * w * r * ((w * w + r * r) / 12 + (b + r / 2) * (b + r / 2));
  inertia += 2 * h * r * ((h * h + r * r) / 12 + (a + r / 2) * (a + r / 2));
  inertia += 4 * corner * (r * r / 2 + 2 * arm * (a + b) + a * a + b * b);
  check_mass(g.figure->mass, area, impi_vec(0, 0), inertia);
  impi_geometry_free(&heap, &g);
}


static void grown_polygon_mass_equals_a_boundary_integral(void) {
  for (int trial = 0; trial < 200; ++trial) {
    int count = 3 + trial % 6;
    ImpVec2 p[8], o = {random_between(-2, 2), random_between(-2, 2)};
    for (int i = 0; i < count; ++i) {
      double angle = (i + random_between(0, 0.7)) * 2 * IMPI_PI / count;
      p[i] = impi_vec(o.x + cos(angle), o.y + 0.7 * sin(angle));
    }
    double radius = random_between(0.01, 0.5);
    ImpiGeometry g;
    CHECK(impi_geometry_polygon(&heap, p, count, radius, &g) == IMP_OK);
    ImpiMass expected = mass_by_quadrature(p, count, radius);
    check_mass(g.figure->mass, expected.area, expected.center, expected.inertia);
    impi_geometry_free(&heap, &g);
  }
}


static void parts_of_a_box_sum_to_the_box_by_the_parallel_axis_theorem(void) {
  ImpiGeometry whole, part[2];
  double angle = 0.7, c = cos(angle), s = sin(angle);
  CHECK(impi_geometry_box(&heap, 3, 1, impi_vec(2, 1), angle, 0, &whole) == IMP_OK);
  CHECK(impi_geometry_box(&heap, 1, 1, impi_vec(2 - c, 1 - s), angle, 0, &part[0]) == IMP_OK);
  CHECK(impi_geometry_box(&heap, 2, 1, impi_vec(2 + 0.5 * c, 1 + 0.5 * s), angle, 0, &part[1]) == IMP_OK);
  double inertia = 0;
  for (int i = 0; i < 2; ++i) {
    ImpVec2 arm = impi_sub(part[i].figure->mass.center, whole.figure->mass.center);
    inertia += part[i].figure->mass.inertia + part[i].figure->mass.area * impi_length_sq(arm);
    impi_geometry_free(&heap, &part[i]);
  }
  check_relative(inertia, whole.figure->mass.inertia, inertia);
  impi_geometry_free(&heap, &whole);
}


static void lines_have_no_mass_and_loops_are_closed(void) {
  ImpiGeometry g;
  CHECK(impi_geometry_segment(&heap, impi_vec(0, 0), impi_vec(2, 0), &g) == IMP_OK);
  CHECK(g.figure->mass.area == 0 && g.figure->mass.inertia == 0 && g.figure->mass.center.x == 1);
  impi_geometry_free(&heap, &g);
  const ImpVec2 square[4] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
  CHECK(impi_geometry_chain(&heap, square, 4, true, &g) == IMP_OK);
  CHECK(g.child_count == 4 && g.figure->loop && g.figure->mass.area == 0);
  for (int i = 0; i < 4; ++i) {
    const ImpiHull *link = &g.hulls[i];
    CHECK(link->chain && link->count == 2);
    CHECK(memcmp(&link->v[0], &square[i], sizeof(ImpVec2)) == 0);
    CHECK(memcmp(&link->v[1], &square[(i + 1) % 4], sizeof(ImpVec2)) == 0);
    CHECK(memcmp(&link->ghost_before, &square[(i + 3) % 4], sizeof(ImpVec2)) == 0);
    CHECK(memcmp(&link->ghost_after, &square[(i + 2) % 4], sizeof(ImpVec2)) == 0);
    // The normal points away from the square's centre.
    CHECK(impi_dot(link->n[0], impi_sub(link->centroid, impi_vec(0.5, 0.5))) > 0);
    CHECK(impi_dot(link->n[0], link->n[1]) == -1);
  }
  impi_geometry_free(&heap, &g);
  CHECK(impi_geometry_chain(&heap, square, 3, false, &g) == IMP_OK);
  CHECK(g.child_count == 2 && !g.figure->loop);
  // At an open end the ghost point continues the link.
  CHECK(g.hulls[0].ghost_before.x == -1 && g.hulls[0].ghost_before.y == 0);
  CHECK(g.hulls[1].ghost_after.x == 1 && g.hulls[1].ghost_after.y == 2);
  impi_geometry_free(&heap, &g);
}


static void clockwise_polygons_are_reversed(void) {
  const ImpVec2 p[3] = {{0, 0}, {0, 1}, {1, 0}};
  ImpiGeometry g;
  CHECK(impi_geometry_polygon(&heap, p, 3, 0, &g) == IMP_OK);
  check_relative(g.figure->mass.area, 0.5, 1);
  for (int i = 0; i < 3; ++i) {
    CHECK(impi_dot(g.hulls[0].n[i], impi_sub(g.hulls[0].v[i], g.hulls[0].centroid)) > 0);
  }
  impi_geometry_free(&heap, &g);
}


// A polygon or chain that must be rejected.
typedef struct Refusal {
  const char *text;
  ImpStatus status;
  int count;
  ImpVec2 p[6];
} Refusal;

static const Refusal refused_polygons[] = {
    {"polygon has 2 vertices, needs at least 3", IMP_ERR_ARGUMENT, 2, {{0, 0}, {1, 0}}},
    {"polygon vertex 2 is not finite", IMP_ERR_ARGUMENT, 3, {{0, 0}, {(double)NAN, 0}, {1, 1}}},
    {"polygon vertex 3 is not finite", IMP_ERR_ARGUMENT, 3, {{0, 0}, {1, 0}, {1, HUGE_VAL}}},
    {"polygon vertex 2 (20000000, 0) is beyond 10000000 m", IMP_ERR_ARGUMENT, 3, {{0, 0}, {2e7, 0}, {1, 1}}},
    {"polygon vertex 3 (1, 5e-05) is closer than 0.0001 m to vertex 2",
     IMP_ERR_ARGUMENT,
     4,
     {{0, 0}, {1, 0}, {1, 5e-5}, {0, 1}}},
    {"polygon vertex 4 (0, 0) is closer than 0.0001 m to vertex 1",
     IMP_ERR_ARGUMENT,
     4,
     {{0, 0}, {1, 0}, {0, 1}, {0, 0}}},
    {"polygon vertex 2 (1, 0) lies on the line through its two neighbours",
     IMP_ERR_ARGUMENT,
     4,
     {{0, 0}, {1, 0}, {2, 0}, {1, 1}}},
    {"polygon vertex 3 (2, 0) lies on the line through its two neighbours",
     IMP_ERR_ARGUMENT,
     4,
     {{1, 1}, {0, 0}, {2, 0}, {1, 0}}},
    {"polygon edges 1-2 and 3-4 cross", IMP_ERR_ARGUMENT, 4, {{0, 0}, {1, 1}, {1, 0}, {0, 1}}},
    {"polygon edges 1-2 and 3-4 cross",
     IMP_ERR_ARGUMENT,
     5, // a pentagram: convex at every vertex
     {{0, 1}, {-0.588, -0.809}, {0.951, 0.309}, {-0.951, 0.309}, {0.588, -0.809}}},
    {"polygon edges 1-2 and 3-4 cross", IMP_ERR_ARGUMENT, 5, {{0, 0}, {4, 0}, {4, 2}, {2, 0}, {0, 2}}},
};
static const Refusal refused_chains[] = {
    {"chain has 1 points, needs at least 2", IMP_ERR_ARGUMENT, 1, {{0, 0}}},
    {"chain point 3 (1, 0) is closer than 0.0001 m to point 2", IMP_ERR_ARGUMENT, 3, {{0, 0}, {1, 0}, {1, 0}}},
    {"chain point 2 is not finite", IMP_ERR_ARGUMENT, 2, {{0, 0}, {0, (double)NAN}}},
    {"chain point 1 (-30000000, 0) is beyond 10000000 m", IMP_ERR_ARGUMENT, 2, {{-3e7, 0}, {0, 0}}},
};
static const Refusal refused_loops[] = {
    {"chain with loop = true has 2 points, needs at least 3", IMP_ERR_ARGUMENT, 2, {{0, 0}, {1, 0}}},
    {"chain point 4 (0, 0) is closer than 0.0001 m to point 1", IMP_ERR_ARGUMENT, 4, {{0, 0}, {1, 0}, {0, 1}, {0, 0}}},
};


static void check_refused(ImpStatus got, ImpStatus expected, const char *text) {
  CHECK(got == expected);
  CHECK(strcmp(imp_last_error(), text) == 0);
  if (strcmp(imp_last_error(), text) != 0) {
    printf("  got      %s\n  expected %s\n", imp_last_error(), text);
  }
}


static void wrong_outlines_are_refused_with_the_vertex(void) {
  ImpiGeometry g;
  for (int i = 0; i < IMPI_COUNT(refused_polygons); ++i) {
    const Refusal *r = &refused_polygons[i];
    check_refused(impi_geometry_polygon(&heap, r->p, r->count, 0, &g), r->status, r->text);
  }
  for (int i = 0; i < IMPI_COUNT(refused_chains); ++i) {
    const Refusal *r = &refused_chains[i];
    check_refused(impi_geometry_chain(&heap, r->p, r->count, false, &g), r->status, r->text);
  }
  for (int i = 0; i < IMPI_COUNT(refused_loops); ++i) {
    const Refusal *r = &refused_loops[i];
    check_refused(impi_geometry_chain(&heap, r->p, r->count, true, &g), r->status, r->text);
  }
  static ImpVec2 many[IMP_MAX_OUTLINE + 1];
  check_refused(impi_geometry_polygon(&heap, many, IMP_MAX_OUTLINE + 1, 0, &g), IMP_ERR_LIMIT,
                "polygon has 4097 vertices, at most 4096 are allowed");
}


static void wrong_sizes_are_refused_with_their_name(void) {
  ImpiGeometry g;
  const ImpVec2 o = {0, 0}, x = {1, 0}, triangle[3] = {{0, 0}, {1, 0}, {0, 1}};
  const ImpStatus bad = IMP_ERR_ARGUMENT;
  check_refused(impi_geometry_circle(&heap, o, 0, &g), bad, "circle radius 0 m is below 0.0001 m");
  check_refused(impi_geometry_circle(&heap, o, -1, &g), bad, "circle radius -1 m is below 0.0001 m");
  check_refused(impi_geometry_circle(&heap, o, (double)NAN, &g), bad, "circle radius is not finite");
  check_refused(impi_geometry_circle(&heap, o, 1e8, &g), bad, "circle radius 100000000 m is above 10000000 m");
  check_refused(impi_geometry_circle(&heap, impi_vec((double)NAN, 0), 1, &g), bad, "circle center is not finite");
  check_refused(impi_geometry_circle(&heap, impi_vec(0, 2e7), 1, &g), bad,
                "circle center (0, 20000000) is beyond 10000000 m");
  check_refused(impi_geometry_box(&heap, 0, 1, o, 0, 0, &g), bad, "box width 0 m is below 0.0001 m");
  check_refused(impi_geometry_box(&heap, 1, -2, o, 0, 0, &g), bad, "box height -2 m is below 0.0001 m");
  check_refused(impi_geometry_box(&heap, 1, 1, o, HUGE_VAL, 0, &g), bad, "box angle is not finite");
  check_refused(impi_geometry_box(&heap, 1, 1, o, 0, -0.1, &g), bad, "box radius -0.1 m is below 0 m");
  check_refused(impi_geometry_polygon(&heap, triangle, 3, -1, &g), bad, "polygon radius -1 m is below 0 m");
  check_refused(impi_geometry_capsule(&heap, o, x, 0, &g), bad, "capsule radius 0 m is below 0.0001 m");
  check_refused(impi_geometry_capsule(&heap, x, x, 1, &g), bad,
                "capsule: 'to' (1, 0) is closer than 0.0001 m to 'from'");
  check_refused(impi_geometry_segment(&heap, o, o, &g), bad, "segment: 'to' (0, 0) is closer than 0.0001 m to 'from'");
  check_refused(impi_geometry_segment(&heap, o, impi_vec(0, (double)NAN), &g), bad, "segment to is not finite");
}


static void *no_memory(void *user, void *old, size_t old_size, size_t new_size) {
  (void)user, (void)old, (void)old_size, (void)new_size;
  return NULL;
}


static void out_of_memory_is_reported(void) {
  ImpiHeap full = {.allocator = {.reallocate = no_memory}};
  ImpiGeometry g;
  CHECK(impi_geometry_circle(&full, impi_vec(0, 0), 1, &g) == IMP_ERR_NOMEM);
  CHECK(full.bytes == 0);
}


static void equal_shapes_share_their_geometry(void) {
  const ImpVec2 square[] = {{-0.5, -0.5}, {0.5, -0.5}, {0.5, 0.5}, {-0.5, 0.5}};
  ImpiGeometry g[9];
  CHECK(impi_geometry_box(&heap, 1, 1, impi_vec(0, 0), 0, 0, &g[0]) == IMP_OK);
  size_t one = heap.bytes;
  CHECK(impi_geometry_box(&heap, 1, 1, impi_vec(0, 0), 0, 0, &g[1]) == IMP_OK);
  CHECK(impi_geometry_share(&heap, &g[0], &g[1]) && heap.bytes == one);
  CHECK(g[1].hulls == g[0].hulls && g[1].child_count == 1 && g[1].figure->width == 1);
  // The width differs from 1 in the last bit.
  CHECK(impi_geometry_box(&heap, nextafter(1, 2), 1, impi_vec(0, 0), 0, 0, &g[2]) == IMP_OK);
  CHECK(impi_geometry_box(&heap, 1, 1, impi_vec(0, 0), 0, 0.1, &g[3]) == IMP_OK);
  CHECK(impi_geometry_box(&heap, 1, 1, impi_vec(0, 0), 2 * IMPI_PI, 0, &g[4]) == IMP_OK);
  CHECK(impi_geometry_polygon(&heap, square, 4, 0, &g[5]) == IMP_OK);
  CHECK(impi_geometry_segment(&heap, impi_vec(0, 0), impi_vec(1, 0), &g[6]) == IMP_OK);
  CHECK(impi_geometry_chain(&heap, square, 2, false, &g[7]) == IMP_OK);
  CHECK(impi_geometry_chain(&heap, square, 4, true, &g[8]) == IMP_OK);
  for (int i = 2; i < 9; ++i) {
    for (int k = 0; k < i; ++k) CHECK(!impi_geometry_share(&heap, &g[k], &g[i]));
  }
  impi_geometry_free(&heap, &g[0]);
  CHECK(g[1].hulls[0].count == 4 && impi_hull_contains(g[1].hulls, impi_vec(0.4, 0.4)));
  for (int i = 1; i < 9; ++i) impi_geometry_free(&heap, &g[i]);
  CHECK(heap.bytes == 0);
}


// Return the distance of a point from a convex outline, by testing every edge; 0 inside.
static double brute_distance(const ImpVec2 *v, int count, ImpVec2 p) {
  double closest = HUGE_VAL;
  bool inside = count > 2;
  for (int i = 0; i < count; ++i) {
    ImpVec2 from = v[i], edge = impi_sub(v[(i + 1) % count], from), to_p = impi_sub(p, from);
    double length_sq = impi_length_sq(edge);
    double t = length_sq > 0 ? impi_clamp(impi_dot(to_p, edge) / length_sq, 0, 1) : 0;
    closest = impi_min(closest, impi_length(impi_mul_add(to_p, -t, edge)));
    inside = inside && impi_cross(edge, to_p) >= 0;
  }
  return inside ? 0 : closest;
}


static void containment_and_boxes_agree_with_brute_force(void) {
  const ImpVec2 outline[5] = {{-1, -0.5}, {0.2, -0.8}, {1, 0}, {0.5, 0.9}, {-0.7, 0.6}};
  ImpiGeometry g[4];
  CHECK(impi_geometry_polygon(&heap, outline, 5, 0, &g[0]) == IMP_OK);
  CHECK(impi_geometry_polygon(&heap, outline, 5, 0.3, &g[1]) == IMP_OK);
  CHECK(impi_geometry_capsule(&heap, outline[0], outline[2], 0.2, &g[2]) == IMP_OK);
  CHECK(impi_geometry_circle(&heap, outline[3], 0.4, &g[3]) == IMP_OK);
  for (int k = 0; k < 4; ++k) {
    const ImpiHull *hull = &g[k].hulls[0];
    double angle = random_between(-3, 3);
    ImpTransform xf = {{random_between(-5, 5), 2}, {cos(angle), sin(angle)}};
    ImpAabb box = impi_hull_aabb(hull, xf);
    for (int i = 0; i < 20000; ++i) {
      ImpVec2 p = {random_between(-1.6, 1.6), random_between(-1.6, 1.6)};
      double distance = brute_distance(hull->v, hull->count, p) - hull->radius;
      if (fabs(distance) > 1e-9) { // points within 1e-9 m of the boundary may be on either side
        CHECK(impi_hull_contains(hull, p) == (distance < 0));
      }
    }
    // 720 points on a circle miss the extremes by 1e-5 of the radius.
    ImpAabb seen = {{HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL}};
    double farthest = 0;
    for (int i = 0; i < 720 * hull->count; ++i) {
      ImpVec2 arm = {hull->radius * cos(i * IMPI_PI / 360), hull->radius * sin(i * IMPI_PI / 360)};
      ImpVec2 p = impi_add(hull->v[i / 720], arm), q = impi_apply(xf, p);
      seen = impi_aabb_union(seen, (ImpAabb){q, q});
      farthest = impi_max(farthest, impi_length(impi_sub(p, hull->centroid)));
    }
    CHECK(impi_aabb_contains(impi_aabb_grow(box, 1e-12), seen));
    ImpVec2 size = impi_sub(box.upper, box.lower), seen_size = impi_sub(seen.upper, seen.lower);
    CHECK_NEAR(2 * (seen_size.x + seen_size.y), 2 * (size.x + size.y), 1e-4);
    CHECK_NEAR(farthest, hull->extent, 1e-4);
    impi_geometry_free(&heap, &g[k]);
  }
  ImpiGeometry line;
  CHECK(impi_geometry_segment(&heap, impi_vec(0, 0), impi_vec(1, 0), &line) == IMP_OK);
  CHECK(!impi_hull_contains(&line.hulls[0], impi_vec(0.5, 0)));
  impi_geometry_free(&heap, &line);
}


static void bounds_of_rounded_boxes_are_exact(void) {
  ImpiGeometry g;
  CHECK(impi_geometry_box(&heap, 2, 1, impi_vec(0, 0), 0, 0.25, &g) == IMP_OK);
  ImpAabb box = impi_hull_aabb(&g.hulls[0], (ImpTransform){{3, 4}, {0, 1}}); // a pose rotated by a quarter turn
  CHECK(box.lower.x == 2.25 && box.lower.y == 2.75 && box.upper.x == 3.75 && box.upper.y == 5.25);
  impi_geometry_free(&heap, &g);
}


int main(void) {
  heap.allocator = impi_default_allocator();
  RUN(disc_mass_is_closed_form);
  RUN(box_mass_is_closed_form);
  RUN(capsule_mass_is_closed_form);
  RUN(regular_polygon_mass_is_closed_form);
  RUN(triangle_mass_is_exact_far_from_the_origin);
  RUN(rounded_box_mass_is_closed_form);
  RUN(grown_polygon_mass_equals_a_boundary_integral);
  RUN(parts_of_a_box_sum_to_the_box_by_the_parallel_axis_theorem);
  RUN(lines_have_no_mass_and_loops_are_closed);
  RUN(clockwise_polygons_are_reversed);
  RUN(wrong_outlines_are_refused_with_the_vertex);
  RUN(wrong_sizes_are_refused_with_their_name);
  RUN(out_of_memory_is_reported);
  RUN(equal_shapes_share_their_geometry);
  RUN(containment_and_boxes_agree_with_brute_force);
  RUN(bounds_of_rounded_boxes_are_exact);
  CHECK(heap.bytes == 0);
  return check_report("shape");
}
