// Makes two convex pieces a, b and a pose from bytes. The manifold of (a, b) must agree with the manifold of (b, a).
#include "geometry.h"
#include "geometry/collide.h"


static double least(const ImpiLocalManifold *m) {
  double least = HUGE_VAL;
  for (int i = 0; i < m->count; ++i) least = impi_min(least, m->points[i].separation);
  return least;
}


static void check_manifold(const ImpiLocalManifold *m, double margin, double rounding) {
  CHECK(m->count >= 0 && m->count <= 2);
  if (m->count == 0) {
    CHECK(m->clearance >= 0 && isfinite(m->clearance));
    return;
  }
  CHECK_NEAR(impi_length(m->normal), 1, 1e-9);
  for (int i = 0; i < m->count; ++i) {
    const ImpiLocalPoint *p = &m->points[i];
    CHECK(isfinite(p->point.x) && isfinite(p->point.y) && isfinite(p->separation));
    CHECK(p->separation <= margin + rounding);
  }
  CHECK(m->count < 2 || m->points[0].feature != m->points[1].feature);
}


static void meet(const ImpiHull *a, const ImpiHull *b, ImpTransform b_in_a, double margin) {
  double size = impi_length(a->centroid) + a->extent + impi_length(b->centroid) + b->extent;
  double rounding = 1e-9 * (1 + size + impi_length(b_in_a.p));
  ImpiLocalManifold ahead, behind;
  impi_collide(a, b, &b_in_a, margin, &ahead);
  ImpTransform a_in_b = impi_inv_mul(b_in_a, (ImpTransform){{0, 0}, {1, 0}});
  impi_collide(b, a, &a_in_b, margin, &behind);
  check_manifold(&ahead, margin, rounding);
  check_manifold(&behind, margin, rounding);
  double one = least(&ahead), other = least(&behind);
  // If the depths along the axes of two pieces differ by at most 1e-6 of the depth plus 5e-7 m, impi_collide uses the
  // axis of its first piece.
  double depth = impi_max(-impi_min(one, other), 0);
  if (depth > 0) rounding += 1e-6 * (1 + 2 * depth);
  bool at_margin = fabs(impi_min(one, other) - margin) <= rounding; // rounding decides whether there is a contact
  bool whole = a->inner == 0 && b->inner == 0;                      // inner edges of concave polygons do not collide
  if (whole && !at_margin) {
    CHECK((ahead.count > 0) == (behind.count > 0));
    if (ahead.count > 0 && behind.count > 0) CHECK_NEAR(one, other, rounding);
  }
}


static void one_input(Input *in) {
  Memory memory = {0};
  ImpiHeap heap = {.allocator = {reallocate, &memory}};
  ImpiGeometry a = {0}, b = {0};
  double angle = (int16_t)take(in, 2) * 1e-4, margin = take_below(in, 256) / 1024.0;
  ImpVec2 place = impi_vec(take_length(in), 0);
  place.y = take_length(in);
  if (take_geometry(in, &heap, CONVEX_KINDS, &a) == IMP_OK && take_geometry(in, &heap, CONVEX_KINDS, &b) == IMP_OK) {
    ImpTransform pose = {{0, 0}, impi_rot(angle)};
    place = impi_scale(1.0 / 16, place);
    pose.p = impi_add(place, impi_sub(a.hulls[0].centroid, impi_apply(pose, b.hulls[0].centroid)));
    meet(&a.hulls[0], &b.hulls[0], pose, margin);
  }
  impi_geometry_free(&heap, &a);
  impi_geometry_free(&heap, &b);
  CHECK(memory.bytes == 0);
}
