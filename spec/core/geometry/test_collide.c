// Manifolds against brute force on random poses; symmetry, feature names, derivatives; degenerate poses; chains.
#include "random_hulls.h"

#include <string.h>

#include "base/constants.h"
#include "geometry/collide.h"

static void collide(const ImpiHull *a, const ImpiHull *b, ImpTransform b_in_a, double at_most, ImpiLocalManifold *out) {
  impi_collide(a, b, &b_in_a, at_most, out);
}


static const double margin = IMPI_SPECULATIVE_MARGIN;


static double smallest(const ImpiLocalManifold *m) {
  double least = HUGE_VAL;
  for (int i = 0; i < m->count; ++i) {
    least = impi_min(least, m->points[i].separation);
  }
  return least;
}


static void check_unit(ImpVec2 n) { CHECK_NEAR(impi_length(n), 1, 1e-12); }


// Check that each contact point is half the separation away from both surfaces.
static void check_points_are_midway(const ImpiLocalManifold *m, const Core *a, const Core *b) {
  double least = smallest(m);
  for (int i = 0; i < m->count; ++i) {
    ImpiLocalPoint p = m->points[i];
    double on_a = distance_to_core(a, impi_mul_add(p.point, -0.5 * p.separation, m->normal)) - a->radius;
    double on_b = distance_to_core(b, impi_mul_add(p.point, 0.5 * p.separation, m->normal)) - b->radius;
    CHECK(on_a < 1e-6 && on_b < 1e-6);
    // In deep overlaps, a surface point may be inside a rounded corner.
    if (p.separation == least && least > -1e-3) {
      CHECK(on_a > -1e-6 && on_b > -1e-6);
    }
  }
}


static void check_symmetry(const ImpiHull *a, const ImpiHull *b, ImpTransform xf, const ImpiLocalManifold *m,
                           bool smooth) {
  ImpiLocalManifold other;
  collide(b, a, inverse(xf), margin, &other);
  CHECK_NEAR(smallest(&other), smallest(m), 1e-9);
  if (!smooth) {
    return; // where corners meet or centres coincide, rounding decides the features
  }
  ImpVec2 normal = impi_neg(impi_rotate(xf.q, other.normal));
  // A rounding error of 1e-13 m at a distance of 1e-7 m rotates the normal by 1e-6.
  CHECK(impi_length(impi_sub(normal, m->normal)) < 1e-6);
  CHECK(other.count == m->count);
  for (int i = 0; i < m->count; ++i) {
    bool found = false;
    for (int j = 0; j < other.count; ++j) {
      uint32_t f = other.points[j].feature;
      found = found || (((f & 0xff) << 8 | f >> 8) == m->points[i].feature &&
                        fabs(other.points[j].separation - m->points[i].separation) < 1e-9);
    }
    CHECK(found);
  }
}


// Check the rate of the separation against the velocity along the normal.
static void check_derivatives(const ImpiHull *a, const ImpiHull *b, ImpTransform xf, const ImpiLocalManifold *m) {
  const double step = 1e-6;
  ImpiLocalManifold moved;
  ImpTransform farther = {impi_mul_add(xf.p, step, m->normal), xf.q};
  collide(a, b, farther, margin, &moved);
  if (moved.count > 0) {
    CHECK_NEAR(smallest(&moved) - smallest(m), step, 1e-9);
  }
  if (m->count == 2 && fabs(m->points[0].separation - m->points[1].separation) < 1e-4) {
    return; // the minimum of two separations has no derivative where both are equal
  }
  const ImpiLocalPoint *p = &m->points[m->count == 2 && m->points[1].separation < m->points[0].separation];
  ImpRot turn = {cos(step), sin(step)}, back = {cos(step), -sin(step)};
  ImpiLocalManifold ahead, behind;
  ImpTransform xf_ahead = {xf.p, {turn.c * xf.q.c - turn.s * xf.q.s, turn.s * xf.q.c + turn.c * xf.q.s}};
  ImpTransform xf_behind = {xf.p, {back.c * xf.q.c - back.s * xf.q.s, back.s * xf.q.c + back.c * xf.q.s}};
  collide(a, b, xf_ahead, margin, &ahead);
  collide(a, b, xf_behind, margin, &behind);
  // If the normals differ, the derivative jumps.
  bool same_axis = impi_length(impi_sub(ahead.normal, behind.normal)) < 1e-4;
  if (ahead.count > 0 && behind.count > 0 && same_axis) {
    double derivative = (smallest(&ahead) - smallest(&behind)) / (2 * step);
    CHECK_NEAR(derivative, impi_cross(impi_sub(p->point, xf.p), m->normal), 1e-5);
  }
}


static int names_asked, names_kept;

static void count_kept_names(const ImpiHull *a, const ImpiHull *b, ImpTransform xf, const ImpiLocalManifold *m) {
  double direction = random_between(-3, 3);
  ImpTransform near = {impi_mul_add(xf.p, 1e-5, impi_vec(cos(direction), sin(direction))), xf.q};
  ImpiLocalManifold moved;
  collide(a, b, near, margin, &moved);
  for (int i = 0; i < moved.count && m->count == moved.count; ++i) {
    ++names_asked;
    names_kept += moved.points[i].feature == m->points[i].feature;
  }
}


// `smooth`: no feature changes and no derivative jumps near this pose.
static void check_pose(const ImpiHull *a, const ImpiHull *b, ImpTransform xf, bool smooth) {
  Core a_core = core_of(a, (ImpTransform){{0, 0}, {1, 0}}), b_core = core_of(b, xf);
  double tie, cores = brute_separation(&a_core, &b_core, &tie);
  double expected = cores - a->radius - b->radius;
  ImpiLocalManifold m;
  collide(a, b, xf, margin, &m);
  if (fabs(expected - margin) > 1e-6) {
    CHECK((m.count == 0) == (expected > margin));
  }
  if (m.count == 0) {
    return;
  }
  CHECK(m.count <= 2);
  CHECK(m.count == 1 || m.points[0].feature != m.points[1].feature);
  check_unit(m.normal);
  CHECK_NEAR(smallest(&m), expected, 1e-6);
  CHECK(m.points[m.count - 1].separation <= margin);
  check_points_are_midway(&m, &a_core, &b_core);
  // Skip poses at which two separating axes are nearly equally good, because rounding decides which axis is chosen.
  if (tie > 1e-5 && fabs(cores) > 1e-5) {
    check_symmetry(a, b, xf, &m, smooth);
    count_kept_names(a, b, xf, &m);
    // Between vertices less than 1 cm apart the normal turns too fast for finite differences.
    if (smooth && (cores < 0 || cores > 1e-2)) {
      check_derivatives(a, b, xf, &m);
    }
  }
}


static void all_pairs_agree_with_brute_force(void) {
  enum { shapes = 250, poses = 40 }; // 10 000 poses per pair of kinds, 140 000 in all
  for (int first = 0; first < FAMILY_COUNT; ++first) {
    for (int second = first; second < FAMILY_COUNT; ++second) {
      for (int k = 0; k < shapes && !(first == SEGMENT && second == SEGMENT); ++k) {
        ImpiGeometry a = random_shape((Family)first), b = random_shape((Family)second);
        for (int i = 0; i < poses; ++i) {
          ImpTransform xf = random_pose(&a.hulls[0], &b.hulls[0], 1, margin);
          check_pose(&a.hulls[0], &b.hulls[0], xf, true);
        }
        impi_geometry_free(&heap, &a);
        impi_geometry_free(&heap, &b);
      }
    }
  }
  // A motion by 1e-5 m renames fewer than 1 in 1000 contacts.
  CHECK(names_asked > 50000 && names_kept > 0.999 * names_asked);
}


static void check_aligned_pose(const ImpiHull *a, const ImpiHull *b, ImpTransform xf) {
  bool lines = a->count == 2 && b->count == 2 && a->radius + b->radius <= 0;
  if (!lines) {
    check_pose(a, b, xf, false);
  }
}


static void aligned_poses_agree_with_brute_force(void) { for_aligned_poses(check_aligned_pose); }


static void faces_keep_both_points_and_feature_ids_while_they_slide(void) {
  ImpiGeometry box, slab;
  CHECK(impi_geometry_box(&heap, 1, 1, impi_vec(0, 0), 0, 0, &box) == IMP_OK);
  CHECK(impi_geometry_box(&heap, 4, 1, impi_vec(0, 0), 0, 0.05, &slab) == IMP_OK);
  ImpiLocalManifold first = {0};
  for (int i = 0; i <= 200; ++i) { // the box slides over both ends of the slab, with a small tilt of either sign
    double x = -2.4 + 4.8 * i / 200, tilt = i % 2 == 0 ? 1e-7 : -1e-7;
    ImpiLocalManifold m;
    collide(&slab.hulls[0], &box.hulls[0], pose(x, 1.049, tilt), margin, &m);
    CHECK(m.count == 2);
    first = i == 0 ? m : first;
    for (int k = 0; k < m.count; ++k) {
      CHECK(m.points[k].feature == first.points[k].feature);
      CHECK_NEAR(m.points[k].separation, -0.001, 1e-6);
    }
    CHECK_NEAR(impi_length(impi_sub(m.normal, impi_vec(0, 1))), 0, 1e-6);
  }
  impi_geometry_free(&heap, &box);
  impi_geometry_free(&heap, &slab);
}


static void coincident_shapes_have_a_finite_repeatable_normal(void) {
  ImpiGeometry g[5];
  CHECK(impi_geometry_circle(&heap, impi_vec(0, 0), 0.5, &g[0]) == IMP_OK);
  CHECK(impi_geometry_capsule(&heap, impi_vec(-1, 0), impi_vec(1, 0), 0.2, &g[1]) == IMP_OK);
  CHECK(impi_geometry_box(&heap, 2, 1, impi_vec(0, 0), 0, 0, &g[2]) == IMP_OK);
  CHECK(impi_geometry_box(&heap, 2, 2, impi_vec(0, 0), 0, 0.1, &g[3]) == IMP_OK);
  CHECK(impi_geometry_segment(&heap, impi_vec(-1, 0), impi_vec(1, 0), &g[4]) == IMP_OK);
  // Pieces that coincide, touch, are collinear, or cross.
  const ImpTransform poses[] = {
      {{0, 0}, {1, 0}}, {{2, 0}, {1, 0}}, {{1, 0}, {1, 0}}, {{0, 0}, {0, 1}}, {{2, 1}, {1, 0}}};
  for (int i = 0; i < 5; ++i) {
    for (int j = 0; j < 5; ++j) {
      for (int k = 0; k < IMPI_COUNT(poses); ++k) {
        ImpiLocalManifold m, again;
        memset(&m, 0, sizeof m);
        memset(&again, 0, sizeof again);
        collide(&g[i].hulls[0], &g[j].hulls[0], poses[k], margin, &m);
        collide(&g[i].hulls[0], &g[j].hulls[0], poses[k], margin, &again);
        CHECK(memcmp(&m, &again, sizeof m) == 0);
        CHECK(m.count > 0 || (k != 0 && k != 3) || (i == 4 && j == 4));
        for (int p = 0; p < m.count; ++p) {
          check_unit(m.normal);
          CHECK(impi_is_finite(m.points[p].separation) && impi_vec_is_finite(m.points[p].point));
        }
      }
    }
  }
  ImpiLocalManifold m;
  collide(&g[0].hulls[0], &g[0].hulls[0], poses[0], margin, &m);
  CHECK(m.count == 1 && m.points[0].separation == -1);
  // The disc's centre is 0.5 m inside the face: separation -1 m.
  collide(&g[2].hulls[0], &g[0].hulls[0], poses[0], margin, &m);
  CHECK(m.count == 1 && m.points[0].separation == -1);
  collide(&g[1].hulls[0], &g[1].hulls[0], poses[1], margin, &m); // two capsules end to end, ends coincident
  CHECK(m.count >= 1);
  CHECK_NEAR(smallest(&m), -0.4, 1e-12);
  for (int i = 0; i < 5; ++i) {
    impi_geometry_free(&heap, &g[i]);
  }
}


static void lines_do_not_collide_with_lines(void) {
  const ImpVec2 points[3] = {{1, 0}, {0, 0.1}, {-1, 0}};
  ImpiGeometry chain, line;
  CHECK(impi_geometry_chain(&heap, points, 3, false, &chain) == IMP_OK);
  CHECK(impi_geometry_segment(&heap, points[0], points[1], &line) == IMP_OK);
  const ImpiHull *hulls[3] = {&chain.hulls[0], &chain.hulls[1], &line.hulls[0]};
  for (int i = 0; i < 9; ++i) {
    ImpiLocalManifold m;
    collide(hulls[i / 3], hulls[i % 3], pose(0.3, 0.01, 0.5), margin, &m);
    CHECK(m.count == 0);
  }
  impi_geometry_free(&heap, &chain);
  impi_geometry_free(&heap, &line);
}


// Find the deepest contact of all links. Return how many links touch.
static int collide_chain(const ImpiGeometry *chain, const ImpiHull *b, ImpTransform xf,
                         ImpiLocalManifold *out_deepest) {
  int touching = 0;
  out_deepest->count = 0;
  for (int i = 0; i < chain->child_count; ++i) {
    ImpiLocalManifold m;
    collide(&chain->hulls[i], b, xf, margin, &m);
    if (m.count > 0) {
      ++touching;
      *out_deepest = smallest(&m) < smallest(out_deepest) ? m : *out_deepest;
    }
  }
  return touching;
}


static void flat_chains_never_push_sideways(void) {
  enum { links = 50 };
  ImpVec2 points[links + 1];
  for (int i = 0; i <= links; ++i) {
    points[i] = impi_vec(0.1 * (links - i), 0);
  }
  ImpiGeometry chain, body[3];
  CHECK(impi_geometry_chain(&heap, points, links + 1, false, &chain) == IMP_OK);
  CHECK(impi_geometry_box(&heap, 0.5, 0.4, impi_vec(0, 0.2), 0, 0, &body[0]) == IMP_OK);
  CHECK(impi_geometry_circle(&heap, impi_vec(0, 0.3), 0.3, &body[1]) == IMP_OK);
  CHECK(impi_geometry_box(&heap, 0.05, 0.03, impi_vec(0, 0.025), 0, 0.01, &body[2]) == IMP_OK);
  for (int k = 0; k < 3 * 2001; ++k) {
    const ImpiHull *hull = &body[k % 3].hulls[0];
    // Every 50th position is above a point where two links meet.
    double x = 0.5 + 4.0 * (k / 3) / 2000, tilt = k % 2 == 0 ? 1e-7 : 0;
    int given = 0;
    double deepest = HUGE_VAL;
    for (int i = 0; i < links; ++i) {
      ImpiLocalManifold m;
      collide(&chain.hulls[i], hull, pose(x, -0.001, tilt), margin, &m);
      given += m.count;
      deepest = impi_min(deepest, smallest(&m));
      CHECK(m.count == 0 || impi_length(impi_sub(m.normal, impi_vec(0, 1))) < 1e-12);
    }
    CHECK(given > 0);
    CHECK_NEAR(deepest, -0.001, 1e-7);
    ImpiLocalManifold below;
    CHECK(collide_chain(&chain, hull, pose(x, -0.8, 0), &below) == 0); // the piece is behind the chain
  }
  for (int i = 0; i < 3; ++i) {
    impi_geometry_free(&heap, &body[i]);
  }
  impi_geometry_free(&heap, &chain);
}


// A counter-clockwise loop around a convex polygon collides like the polygon.
static void convex_loops_collide_like_the_polygon_they_surround(void) {
  int compared = 0;
  for (int trial = 0; trial < 60; ++trial) {
    int count = 4 + trial % 29;
    ImpVec2 points[32];
    for (int i = 0; i < count; ++i) {
      double turn = (i + random_between(0, 0.3)) * 2 * IMPI_PI / count;
      points[i] = impi_vec(2 * cos(turn), 1.5 * sin(turn));
    }
    ImpiGeometry loop, solid;
    CHECK(impi_geometry_chain(&heap, points, count, true, &loop) == IMP_OK);
    CHECK(impi_geometry_polygon(&heap, points, count, 0, &solid) == IMP_OK);
    for (int k = 0; k < 400; ++k) {
      ImpiGeometry body = random_shape((Family)(k % 4));
      double way = random_between(-3.2, 3.2), reach = random_between(1.5, 2.6);
      ImpTransform xf = pose(reach * cos(way), reach * sin(way), random_between(-3.2, 3.2));
      ImpiLocalManifold expected, got;
      collide(&solid.hulls[0], &body.hulls[0], xf, margin, &expected);
      int touching = collide_chain(&loop, &body.hulls[0], xf, &got);
      Core outline = core_of(&solid.hulls[0], pose(0, 0, 0));
      bool in_front = distance_to_core(&outline, impi_apply(xf, body.hulls[0].centroid)) > 0;
      double least = smallest(&expected);
      if (expected.count == 0) {
        CHECK(touching == 0);
      } else if (in_front && least > -0.05 && least < margin - 1e-6) {
        // If the overlap exceeds 0.05 m, the centroid may be behind a link, which then reports no contact.
        ++compared;
        CHECK(touching > 0);
        CHECK_NEAR(smallest(&got), least, 1e-6);
        CHECK(impi_length(impi_sub(got.normal, expected.normal)) < 1e-3);
      }
      impi_geometry_free(&heap, &body);
    }
    impi_geometry_free(&heap, &loop);
    impi_geometry_free(&heap, &solid);
  }
  CHECK(compared > 1000);
}


static void rooms_push_only_along_their_walls_normals(void) {
  const ImpVec2 room[4] = {{0, 0}, {0, 4}, {4, 4}, {4, 0}}; // clockwise
  ImpiGeometry loop;
  CHECK(impi_geometry_chain(&heap, room, 4, true, &loop) == IMP_OK);
  for (int k = 0; k < 2000; ++k) {
    ImpiGeometry body = random_shape((Family)(k % 4));
    ImpTransform xf = pose(random_between(0, 4), random_between(0, 4), random_between(-3.2, 3.2));
    for (int i = 0; i < 4; ++i) {
      ImpiLocalManifold m;
      collide(&loop.hulls[i], &body.hulls[0], xf, margin, &m);
      CHECK(m.count == 0 || impi_length(impi_sub(m.normal, loop.hulls[i].n[0])) == 0);
    }
    impi_geometry_free(&heap, &body);
  }
  // A box in the corner touches the floor and the wall, each with two points.
  ImpiGeometry box;
  CHECK(impi_geometry_box(&heap, 1, 1, impi_vec(0.5, 0.5), 0, 0, &box) == IMP_OK);
  ImpiLocalManifold floor, wall;
  collide(&loop.hulls[3], &box.hulls[0], pose(-0.001, -0.002, 0), margin, &floor);
  collide(&loop.hulls[0], &box.hulls[0], pose(-0.001, -0.002, 0), margin, &wall);
  CHECK(floor.count == 2 && floor.normal.y == 1);
  CHECK(wall.count == 2 && wall.normal.x == 1);
  CHECK_NEAR(smallest(&floor), -0.002, 1e-12);
  CHECK_NEAR(smallest(&wall), -0.001, 1e-12);
  impi_geometry_free(&heap, &box);
  impi_geometry_free(&heap, &loop);
}


static void a_box_beside_a_cliff_is_not_lifted_onto_it(void) {
  const ImpVec2 cliff[3] = {{0, -3}, {0, 0}, {-3, 0}}; // up the wall, then to the left over the top
  ImpiGeometry chain, box;
  CHECK(impi_geometry_chain(&heap, cliff, 3, false, &chain) == IMP_OK);
  CHECK(impi_geometry_box(&heap, 1, 1, impi_vec(0, 0), 0, 0, &box) == IMP_OK);
  for (int k = 0; k < 1000; ++k) {
    double tilt = random_between(-0.05, 0.05), y = random_between(-2, 0.4), x = 0.5 - random_between(0, 0.01);
    ImpiLocalManifold wall, top;
    collide(&chain.hulls[0], &box.hulls[0], pose(x, y, tilt), margin, &wall);
    collide(&chain.hulls[1], &box.hulls[0], pose(x, y, tilt), margin, &top);
    CHECK(wall.count + top.count > 0);
    CHECK(wall.count == 0 || wall.normal.x > 0.99);
    CHECK(top.count == 0 || top.normal.x > 0.99);
  }
  impi_geometry_free(&heap, &chain);
  impi_geometry_free(&heap, &box);
}


// Coordinates are multiples of 2^-16 m, so only the pose is rounded.
static void pieces_far_from_their_frames_collide_as_near_ones(void) {
  const double far[] = {0, 0x1p14, 0x1p17, 0x1p20, 0x1p23}; // 0x1p23 m = 8389 km; coordinates are limited to 10000 km
  for (int round = 0; round < 200; ++round) {
    double x = 0x1p-16 * random_below(1 << 22), y = 0x1p-16 * random_below(1 << 16), angle = random_between(-3, 3);
    const ImpVec2 corners[4] = {{-64 - y, -1}, {64, -2}, {64, 2 + y}, {-64, 1}};
    double gap = random_between(0.05, 0.4), deepest = 0; // gap: distance from a long edge to the core of a capsule
    for (int k = 0; k < 5; ++k) {
      ImpVec2 off = {far[k], -far[k]}, moved[4];
      for (int i = 0; i < 4; ++i) moved[i] = impi_add(corners[i], off);
      ImpiGeometry slab, capsule;
      CHECK(impi_geometry_polygon(&heap, moved, 4, 0, &slab) == IMP_OK);
      ImpVec2 from = impi_add(impi_vec(-0.25, 0), impi_scale(-1, off)), to = impi_add(from, impi_vec(0.5, 0));
      CHECK(impi_geometry_capsule(&heap, from, to, 0.5, &capsule) == IMP_OK);
      ImpTransform xf = {{0, 0}, impi_rot(angle)};
      double below = 1 + (x + 32 + y) / (128 + y) + gap + 0.25 * fabs(sin(angle));
      ImpVec2 middle = impi_vec(x - 32, -below);
      xf.p = impi_sub(impi_add(middle, off), impi_rotate(xf.q, impi_neg(off)));
      ImpiLocalManifold m, other;
      collide(&slab.hulls[0], &capsule.hulls[0], xf, margin, &m);
      collide(&capsule.hulls[0], &slab.hulls[0], inverse(xf), margin, &other);
      CHECK(m.count > 0 && other.count > 0);
      deepest = k == 0 ? smallest(&m) : deepest;
      double rounding = 1e-12 + 4e-16 * 4 * far[k]; // rounding of four products in the pose
      CHECK_NEAR(smallest(&m), deepest, rounding);
      CHECK_NEAR(smallest(&other), deepest, rounding);
      impi_geometry_free(&heap, &slab);
      impi_geometry_free(&heap, &capsule);
    }
  }
}


int main(void) {
  heap.allocator = impi_default_allocator();
  RUN(all_pairs_agree_with_brute_force);
  RUN(aligned_poses_agree_with_brute_force);
  RUN(faces_keep_both_points_and_feature_ids_while_they_slide);
  RUN(coincident_shapes_have_a_finite_repeatable_normal);
  RUN(lines_do_not_collide_with_lines);
  RUN(flat_chains_never_push_sideways);
  RUN(convex_loops_collide_like_the_polygon_they_surround);
  RUN(rooms_push_only_along_their_walls_normals);
  RUN(a_box_beside_a_cliff_is_not_lifted_onto_it);
  RUN(pieces_far_from_their_frames_collide_as_near_ones);
  CHECK(heap.bytes == 0);
  return check_report("collide");
}
