// Closest points and depth of convex pieces against brute force: random and degenerate pairs of every kind.
#include "random_hulls.h"

#include "base/constants.h"
#include "geometry/distance.h"

static const ImpTransform identity = {{0, 0}, {1, 0}};


// Check the properties that all closest points have, and compare the distance with brute force.
static void check_closest(const ImpiHull *a, const ImpiHull *b, ImpTransform xf, double tolerance) {
  Core a_core = core_of(a, identity), b_core = core_of(b, xf);
  double tie, cores = brute_separation(&a_core, &b_core, &tie);
  ImpiClosest c;
  impi_closest(a, b, xf, &c);
  CHECK_NEAR(c.distance, cores - a->radius - b->radius, tolerance);
  CHECK_NEAR(impi_length(c.normal), 1, 1e-12); // rounding of a normalization and of a rotation
  // b = a + distance * normal.
  ImpVec2 gap = impi_sub(impi_sub(c.b, c.a), impi_scale(c.distance, c.normal));
  CHECK(impi_length(gap) < tolerance);
  // The distance of each closest point from the core of its piece is the radius of the piece.
  CHECK(fabs(distance_to_core(&a_core, impi_mul_add(c.a, -a->radius, c.normal))) < tolerance);
  CHECK(fabs(distance_to_core(&b_core, impi_mul_add(c.b, b->radius, c.normal))) < tolerance);
  // Moving b along the normal by 0.5 m - distance makes the separation 0.5 m.
  ImpTransform out = {impi_mul_add(xf.p, -c.distance + 0.5, c.normal), xf.q};
  Core b_out = core_of(b, out);
  CHECK_NEAR(brute_separation(&a_core, &b_out, &tie) - a->radius - b->radius, 0.5, tolerance);
  ImpiClosest swapped;
  impi_closest(b, a, inverse(xf), &swapped);
  CHECK_NEAR(swapped.distance, c.distance, tolerance);
}


static void random_pairs_agree_with_brute_force(void) {
  enum { shapes = 170, poses = 40 }; // 6800 poses per pair of kinds, 102 000 in all
  for (int pair = 0; pair < FAMILY_COUNT * FAMILY_COUNT; ++pair) {
    int first = pair / FAMILY_COUNT, second = pair % FAMILY_COUNT;
    for (int k = 0; k < shapes && first <= second; ++k) {
      ImpiGeometry a = random_shape((Family)first), b = random_shape((Family)second);
      for (int i = 0; i < poses; ++i) {
        check_closest(&a.hulls[0], &b.hulls[0], random_pose(&a.hulls[0], &b.hulls[0], 1.5, 0), 1e-12);
      }
      impi_geometry_free(&heap, &a);
      impi_geometry_free(&heap, &b);
    }
  }
}


static void check_aligned(const ImpiHull *a, const ImpiHull *b, ImpTransform xf) { check_closest(a, b, xf, 1e-12); }

static void aligned_pairs_agree_with_brute_force(void) { for_aligned_poses(check_aligned); }


static void collinear_lines_have_the_distance_of_their_ends(void) {
  // The four ends are rounded to doubles, so they are not exactly collinear.
  for (int i = 0; i < 10000; ++i) {
    ImpVec2 p = impi_vec(random_between(-1, 1), random_between(-1, 1)), along = impi_vec(random_between(-1, 1), 0.3);
    double t[4] = {0, random_between(0.1, 2), random_between(-3, 3), 0};
    t[3] = t[2] + random_between(0.1, 2);
    double gap = impi_max(t[2] - t[1], t[0] - t[3]) * impi_length(along);
    ImpiGeometry a, b, point;
    CHECK(impi_geometry_segment(&heap, p, impi_mul_add(p, t[1], along), &a) == IMP_OK);
    CHECK(impi_geometry_capsule(&heap, impi_mul_add(p, t[2], along), impi_mul_add(p, t[3], along), 0.01, &b) == IMP_OK);
    CHECK(impi_geometry_circle(&heap, b.hulls[0].v[0], 0.01, &point) == IMP_OK);
    ImpiClosest c;
    impi_closest(&a.hulls[0], &b.hulls[0], identity, &c);
    CHECK_NEAR(c.distance, impi_max(gap, 0) - 0.01, 1e-14);
    double beyond = impi_max(t[2] - t[1], t[0] - t[2]) * impi_length(along);
    impi_closest(&a.hulls[0], &point.hulls[0], identity, &c);
    CHECK_NEAR(c.distance, impi_max(beyond, 0) - 0.01, 1e-14);
    double distance;
    impi_hull_normal(&a.hulls[0], b.hulls[0].v[0], &distance);
    CHECK_NEAR(distance, impi_max(beyond, 0), 1e-14);
    impi_geometry_free(&heap, &a);
    impi_geometry_free(&heap, &b);
    impi_geometry_free(&heap, &point);
  }
}


static ImpiGeometry round_polygon(int count, double size, double flatness, double radius) {
  ImpVec2 v[IMP_MAX_VERTICES];
  for (int i = 0; i < count; ++i) {
    double turn = 2 * IMPI_PI * (i + 0.3) / count;
    v[i] = impi_vec(size * cos(turn), flatness * size * sin(turn));
  }
  ImpiGeometry g = {0};
  CHECK(impi_geometry_polygon(&heap, v, count, radius, &g) == IMP_OK);
  return g;
}


static void polygons_of_any_count_size_and_flatness_agree_with_brute_force(void) {
  const double sizes[] = {1e-3, 0.02, 1, 300, 1e5}; // half the length of a piece [m]
  enum { size_count = 5, poses = 16 };
  for (int k = 0; k < size_count * size_count * 9; ++k) {
    double a_size = sizes[k % size_count], b_size = sizes[k / size_count % size_count];
    int kind = k / (size_count * size_count);
    const int counts[3] = {3, 4, IMP_MAX_VERTICES};
    int a_count = counts[kind % 3], b_count = counts[kind / 3];
    double a_flat = a_size < 1 ? 0.5 : (a_count > 4 ? 0.03 : 0.001), b_flat = b_size < 1 ? 0.5 : 0.1;
    // Limit the number of corners, because sides must be at least 0.1 mm long.
    a_count = a_size < 1 && a_count > 4 ? 6 : a_count;
    b_count = b_size < 1 && b_count > 4 ? 6 : b_count;
    ImpiGeometry a = round_polygon(a_count, a_size, a_flat, kind % 2 == 0 ? 0 : 0.001);
    ImpiGeometry b = round_polygon(b_count, b_size, b_flat, 0);
    for (int i = 0; i < poses; ++i) {
      ImpTransform xf = random_pose(&a.hulls[0], &b.hulls[0], i < poses / 2 ? 1.2 : 0.1, 0);
      // The tolerance is a few units in the last place of the sizes.
      check_closest(&a.hulls[0], &b.hulls[0], xf, 1e-14 * (a_size + b_size + 1));
    }
    impi_geometry_free(&heap, &a);
    impi_geometry_free(&heap, &b);
  }
}


// Both pieces are far from the origins of their frames, so that coordinates are rounded to 1e-10 m.
static void pieces_far_from_their_origins_agree_with_brute_force(void) {
  ImpVec2 far = impi_vec(1e6, -3e5);
  ImpiGeometry g[4];
  CHECK(impi_geometry_circle(&heap, far, 0.4, &g[0]) == IMP_OK);
  CHECK(impi_geometry_capsule(&heap, far, impi_add(far, impi_vec(0.7, 0.2)), 0.1, &g[1]) == IMP_OK);
  CHECK(impi_geometry_box(&heap, 1, 0.6, far, 0.3, 0, &g[2]) == IMP_OK);
  CHECK(impi_geometry_segment(&heap, far, impi_add(far, impi_vec(1, 1)), &g[3]) == IMP_OK);
  for (int k = 0; k < 16 * 500; ++k) {
    const ImpiHull *a = &g[k % 4].hulls[0], *b = &g[k / 4 % 4].hulls[0];
    check_closest(a, b, random_pose(a, b, 1.5, 0), 1e-8);
  }
  for (int i = 0; i < 4; ++i) {
    impi_geometry_free(&heap, &g[i]);
  }
}


// Corners at most a micrometre apart, faces parallel to 1e-8 rad: poses at which the closest features change.
static void nearly_touching_boxes_agree_with_brute_force(void) {
  ImpiGeometry a, b;
  CHECK(impi_geometry_box(&heap, 2, 1, impi_vec(0, 0), 0, 0, &a) == IMP_OK);
  CHECK(impi_geometry_box(&heap, 0.6, 0.4, impi_vec(0, 0), 0, 0, &b) == IMP_OK);
  const double gaps[] = {0, 1e-12, -1e-12, 1e-9, -1e-9, 5e-8, -5e-8, 2e-7, -2e-7, 1e-6};
  const double tilts[] = {0, 1e-15, -1e-15, 1e-12, -1e-12, 1e-8, -1e-8};
  for (int k = 0; k < 10 * 10 * 7; ++k) {
    double dx = gaps[k % 10], dy = gaps[k / 10 % 10], tilt = tilts[k / 100];
    check_closest(&a.hulls[0], &b.hulls[0], pose(1.3 + dx, 0.7 + dy, tilt), 1e-12); // corner to corner
    check_closest(&a.hulls[0], &b.hulls[0], pose(0.7 + dx, 0.7 + dy, tilt), 1e-12); // collinear sides
    check_closest(&a.hulls[0], &b.hulls[0], pose(0.1, 0.7 + dy, tilt), 1e-12);
    check_closest(&a.hulls[0], &b.hulls[0], pose(1 + 0.36055512754639896 + dx, 0, 0.78 + tilt),
                  1e-12); // corner to face
  }
  impi_geometry_free(&heap, &a);
  impi_geometry_free(&heap, &b);
}


static void coincident_pieces_have_a_finite_repeatable_normal(void) {
  ImpiGeometry g[4];
  CHECK(impi_geometry_circle(&heap, impi_vec(0, 0), 0.5, &g[0]) == IMP_OK);
  CHECK(impi_geometry_capsule(&heap, impi_vec(-1, 0), impi_vec(1, 0), 0.2, &g[1]) == IMP_OK);
  CHECK(impi_geometry_box(&heap, 2, 1, impi_vec(0, 0), 0, 0, &g[2]) == IMP_OK);
  CHECK(impi_geometry_segment(&heap, impi_vec(-1, 0), impi_vec(1, 0), &g[3]) == IMP_OK);
  // Each pair overlaps along y by the sum of its half heights or radii.
  const double expected[16] = {-1, -0.7, -1, -0.5, -0.7, -0.4, -0.7, -0.2, -1, -0.7, -1, -0.5, -0.5, -0.2, -0.5, 0};
  for (int k = 0; k < 16; ++k) {
    ImpiClosest c;
    impi_closest(&g[k / 4].hulls[0], &g[k % 4].hulls[0], identity, &c);
    CHECK_NEAR(c.distance, expected[k], 1e-15);
    CHECK_NEAR(fabs(c.normal.y), 1, 1e-15);
  }
  for (int i = 0; i < 4; ++i) {
    impi_geometry_free(&heap, &g[i]);
  }
}


// A point within rounding of the boundary may count as inside or outside.
static void points_inside_agree_with_brute_force(void) {
  int inside = 0;
  for (int k = 0; k < 2000; ++k) {
    ImpiGeometry g = random_shape((Family)(k % FAMILY_COUNT));
    const ImpiHull *hull = &g.hulls[0];
    Core core = core_of(hull, identity);
    for (int i = 0; i < 50; ++i) {
      ImpVec2 p = random_pose(hull, hull, 0.8, 0).p;
      double distance = distance_to_core(&core, p), got;
      ImpVec2 normal = impi_hull_normal(hull, p, &got);
      CHECK_NEAR(got, distance, 1e-14);
      CHECK_NEAR(impi_length(normal), 1, 1e-14);
      CHECK_NEAR(distance_to_core(&core, impi_mul_add(p, -got, normal)), 0, 1e-14);
      CHECK(impi_hull_contains(hull, p) == (distance <= hull->radius && !(k % FAMILY_COUNT == SEGMENT)));
      inside += impi_hull_contains(hull, p);
    }
    impi_geometry_free(&heap, &g);
  }
  CHECK(inside > 10000);
}


int main(void) {
  heap.allocator = impi_default_allocator();
  RUN(random_pairs_agree_with_brute_force);
  RUN(aligned_pairs_agree_with_brute_force);
  RUN(collinear_lines_have_the_distance_of_their_ends);
  RUN(polygons_of_any_count_size_and_flatness_agree_with_brute_force);
  RUN(pieces_far_from_their_origins_agree_with_brute_force);
  RUN(nearly_touching_boxes_agree_with_brute_force);
  RUN(coincident_pieces_have_a_finite_repeatable_normal);
  RUN(points_inside_agree_with_brute_force);
  CHECK(heap.bytes == 0);
  return check_report("distance");
}
