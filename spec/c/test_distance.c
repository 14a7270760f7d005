// Closest points and depth of convex pieces against brute force: random pairs of every kind, and degenerate ones.
#include "random_hulls.h"

#include "constants.h"
#include "distance.h"

static const ImpTransform identity = {{0, 0}, {1, 0}};


// What must hold of any answer, and the distance by brute force.
static void check_closest(const ImpiHull *a, const ImpiHull *b, ImpTransform xf, double tolerance) {
  Core a_core = core_of(a, identity), b_core = core_of(b, xf);
  double tie, cores = brute_separation(&a_core, &b_core, &tie);
  ImpiClosest c;
  impi_closest(a, b, xf, &c);
  CHECK_NEAR(c.distance, cores - a->radius - b->radius, tolerance);
  CHECK_NEAR(impi_length(c.normal), 1, 1e-12); // of unit normals and one rotation
  // b is a and the distance along the normal.
  ImpVec2 gap = impi_sub(impi_sub(c.b, c.a), impi_scale(c.distance, c.normal));
  CHECK(impi_length(gap) < tolerance + IMPI_TOUCHING);
  // Both are on their cores, but for the radius.
  CHECK(fabs(distance_to_core(&a_core, impi_mul_add(c.a, -a->radius, c.normal))) < tolerance);
  CHECK(fabs(distance_to_core(&b_core, impi_mul_add(c.b, b->radius, c.normal))) < tolerance);
  // Moving b along the normal parts them: by as much as it moves, and not before it is out.
  ImpTransform out = {impi_mul_add(xf.p, -c.distance + 0.5, c.normal), xf.q};
  Core b_out = core_of(b, out);
  CHECK_NEAR(brute_separation(&a_core, &b_out, &tie) - a->radius - b->radius, 0.5, tolerance + IMPI_TOUCHING);
  ImpiClosest swapped;
  impi_closest(b, a, inverse(xf), &swapped);
  CHECK_NEAR(swapped.distance, c.distance, tolerance);
}


static void random_pairs_agree_with_brute_force(void) {
  enum { shapes = 200, poses = 40 }; // 8000 poses a pair, 120 000 in all
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


int main(void) {
  heap.allocator = impi_default_allocator();
  RUN(random_pairs_agree_with_brute_force);
  CHECK(heap.bytes == 0);
  return check_report("distance");
}
