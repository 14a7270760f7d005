// Time of impact against a dense scan and bisection.
#include "check.h"

#include "base/constants.h"
#include "geometry/toi.h"

static ImpiHeap heap;

// A random generator of this file, because the generator of the C library differs between machines.
static uint64_t random_state = 7;
static double between(double lower, double upper) {
  random_state = random_state * 6364136223846793005u + 1442695040888963407u;
  return lower + (upper - lower) * (double)(random_state >> 11) * 0x1p-53;
}
static ImpVec2 any_point(double size) { return impi_vec(between(-size, size), between(-size, size)); }


typedef enum Family { CIRCLE, CAPSULE, BOX, POLYGON, ROUNDED, SEGMENT, ROD, FAMILY_COUNT } Family;

static ImpiGeometry random_shape(Family family) {
  ImpiGeometry g = {0};
  ImpStatus status = IMP_OK;
  ImpVec2 p = any_point(0.5);
  double size = between(0.1, 1), way = between(-3, 3);
  ImpVec2 q = impi_mul_add(p, size, impi_vec(cos(way), sin(way)));
  if (family == CIRCLE) {
    status = impi_geometry_circle(&heap, p, between(0.005, 0.5), &g);
  } else if (family == CAPSULE) {
    status = impi_geometry_capsule(&heap, p, q, between(0.005, 0.3), &g);
  } else if (family == BOX) {
    status = impi_geometry_box(&heap, size, between(0.05, 1), p, way, 0, &g);
  } else if (family == SEGMENT) {
    status = impi_geometry_segment(&heap, p, q, &g);
  } else if (family == ROD) {
    status = impi_geometry_box(&heap, 1, 0.02, impi_vec(0, 0), way, 0, &g);
  } else {
    ImpVec2 v[8];
    int count = 3 + (int)between(0, 6);
    for (int i = 0; i < count; ++i) {
      double turn = (i + between(0, 0.7)) * 2 * IMPI_PI / count;
      v[i] = impi_vec(p.x + size * cos(turn), p.y + 0.6 * size * sin(turn));
    }
    status = impi_geometry_polygon(&heap, v, count, family == ROUNDED ? between(0.01, 0.2) : 0, &g);
  }
  CHECK(status == IMP_OK);
  return g;
}


// ---------------------------------------------------------------------------------------------------------------------
// The oracle: signed distance by every vertex against every edge, a scan, a bisection
// ---------------------------------------------------------------------------------------------------------------------

typedef struct Core {
  ImpVec2 v[8];
  int count;
} Core;

static Core core_at(const ImpiHull *hull, const ImpiSweep *sweep, double t, ImpVec2 origin) {
  double angle = sweep->a0 + t * (sweep->a1 - sweep->a0);
  ImpRot q = {cos(angle), sin(angle)};
  ImpVec2 center = impi_sub(impi_lerp(sweep->c0, sweep->c1, t), origin);
  Core core = {.count = hull->count};
  for (int i = 0; i < hull->count; ++i) {
    core.v[i] = impi_add(center, impi_rotate(q, impi_sub(hull->v[i], sweep->local_center)));
  }
  return core;
}


// Return the least distance of a vertex of `a` from the outline of `b`.
static double vertices_to_outline(const Core *a, const Core *b) {
  double least = HUGE_VAL;
  for (int i = 0; i < a->count; ++i) {
    for (int k = 0; k < b->count; ++k) {
      ImpVec2 from = b->v[k], edge = impi_sub(b->v[(k + 1) % b->count], from), to = impi_sub(a->v[i], from);
      double length_sq = impi_length_sq(edge);
      double s = length_sq > 0 ? impi_clamp(impi_dot(to, edge) / length_sq, 0, 1) : 0;
      least = impi_min(least, impi_length(impi_mul_add(to, -s, edge)));
    }
  }
  return least;
}


// Return the distance between the projections of both cores on an axis; negative if the projections overlap.
static double shadows(const Core *a, const Core *b, ImpVec2 n) {
  double lower[2] = {HUGE_VAL, HUGE_VAL}, upper[2] = {-HUGE_VAL, -HUGE_VAL};
  const Core *both[2] = {a, b};
  for (int k = 0; k < 2; ++k) {
    for (int i = 0; i < both[k]->count; ++i) {
      lower[k] = impi_min(lower[k], impi_dot(n, both[k]->v[i]));
      upper[k] = impi_max(upper[k], impi_dot(n, both[k]->v[i]));
    }
  }
  return impi_max(lower[1] - upper[0], lower[0] - upper[1]);
}


static double core_distance(const Core *a, const Core *b) {
  double widest = -HUGE_VAL;
  const Core *both[2] = {a, b};
  for (int k = 0; k < 2; ++k) {
    for (int i = 0; both[k]->count > 1 && i < both[k]->count; ++i) {
      double length;
      ImpVec2 n = impi_normalize(impi_sub(both[k]->v[(i + 1) % both[k]->count], both[k]->v[i]), &length);
      widest = impi_max(widest, shadows(a, b, impi_right(n)));
    }
  }
  if (widest < 0 && widest > -HUGE_VAL && (a->count > 2 || b->count > 2 || (a->count == 2 && b->count == 2))) {
    bool line_and_point = a->count + b->count == 3;
    if (!line_and_point) {
      return widest; // the cores overlap: minus the depth along the axis of least depth
    }
  }
  return impi_min(vertices_to_outline(a, b), vertices_to_outline(b, a));
}


typedef struct Case {
  const ImpiHull *a, *b;
  ImpiSweep sweep_a, sweep_b;
} Case;

static double distance_at(const Case *c, double t) {
  ImpVec2 origin = impi_lerp(c->sweep_a.c0, c->sweep_a.c1, t);
  Core a = core_at(c->a, &c->sweep_a, t, origin), b = core_at(c->b, &c->sweep_b, t, origin);
  return core_distance(&a, &b) - c->a->radius - c->b->radius;
}


static double reach(const ImpiHull *hull, ImpVec2 from) {
  double farthest = 0;
  for (int i = 0; i < hull->count; ++i) {
    farthest = impi_max(farthest, impi_length(impi_sub(hull->v[i], from)));
  }
  return farthest;
}


// Return the first time in 0..1 at which the distance falls below `target`; 2 if there is none. Overlaps shorter than
// 1/1024 may be missed.
static double oracle(const Case *c, double target) {
  ImpVec2 v = impi_sub(impi_sub(c->sweep_b.c1, c->sweep_b.c0), impi_sub(c->sweep_a.c1, c->sweep_a.c0));
  double speed = impi_length(v) + fabs(c->sweep_a.a1 - c->sweep_a.a0) * reach(c->a, c->sweep_a.local_center) +
                 fabs(c->sweep_b.a1 - c->sweep_b.a0) * reach(c->b, c->sweep_b.local_center);
  double t = 0, before = 0;
  for (;;) {
    double gap = distance_at(c, t) - target;
    if (gap < 0) {
      break;
    }
    if (t >= 1) {
      return 2;
    }
    before = t;
    t = impi_min(1, t + impi_max(1.0 / 1024, gap / (speed + 1e-9)));
  }
  for (int i = 0; i < 60; ++i) {
    double middle = 0.5 * (before + t);
    *(distance_at(c, middle) < target ? &t : &before) = middle;
  }
  return t;
}


static int hits, grazes, aparts, overlaps;
static double worst_root, worst_early, worst_overlap;

static void check_case(const Case *c, double target) {
  ImpiToi toi;
  impi_time_of_impact(c->a, &c->sweep_a, c->b, &c->sweep_b, target, 1, &toi);
  if (toi.state == IMPI_TOI_OVERLAP) {
    CHECK(distance_at(c, 0) < target);
    ++overlaps;
    return;
  }
  CHECK(distance_at(c, 0) >= target - 1e-12); // rounding of the two distance functions
  double expected = oracle(c, target);
  if (toi.state == IMPI_TOI_APART) {
    CHECK(expected > 1);
    ++aparts;
    return;
  }
  double there = distance_at(c, toi.t) - target;
  worst_overlap = impi_min(worst_overlap, there);
  worst_early = impi_max(worst_early, there);
  CHECK(there > -1e-13); // no overlap, except for the rounding of coordinates of some metres
  CHECK(there < 1e-10);  // IMPI_TOI_TOLERANCE times a size of some metres, and the rounding of coordinates
  CHECK_NEAR(impi_length(toi.normal), 1, 1e-12);
  if (toi.t < expected - 1e-6) {
    ++grazes; // an impact that the scan skipped
    return;
  }
  CHECK_NEAR(toi.t, expected, 1e-6); // the accuracy that is required
  worst_root = impi_max(worst_root, fabs(toi.t - expected));
  ++hits;
}


static Case random_case(const ImpiHull *a, const ImpiHull *b, double turn) {
  Case c = {.a = a, .b = b};
  c.sweep_a.local_center = any_point(0.3);
  c.sweep_b.local_center = any_point(0.3);
  c.sweep_a.c0 = any_point(1);
  c.sweep_b.c0 = any_point(4);
  ImpVec2 meet = any_point(2); // both pieces pass near this point at some time
  double when = between(0.1, 1), speed = between(0, 1) < 0.2 ? 0.05 : 1;
  c.sweep_a.c1 = impi_lerp(c.sweep_a.c0, impi_add(meet, any_point(1)), speed / when);
  c.sweep_b.c1 = impi_lerp(c.sweep_b.c0, impi_add(meet, any_point(1)), speed / when);
  c.sweep_a.a0 = between(-4, 4);
  c.sweep_b.a0 = between(-4, 4);
  c.sweep_a.a1 = c.sweep_a.a0 + (between(0, 1) < 0.3 ? 0 : between(-turn, turn));
  c.sweep_b.a1 = c.sweep_b.a0 + (between(0, 1) < 0.3 ? 0 : between(-turn, turn));
  return c;
}


static void the_root_agrees_with_bisection_on_1e5_random_pairs(void) {
  enum { shapes = 60, poses = 60 }; // 28 kinds of pairs, 100 800 cases in all
  for (int first = 0; first < FAMILY_COUNT; ++first) {
    for (int second = first; second < FAMILY_COUNT; ++second) {
      for (int k = 0; k < shapes; ++k) {
        ImpiGeometry a = random_shape((Family)first), b = random_shape((Family)second);
        for (int i = 0; i < poses; ++i) {
          Case c = random_case(&a.hulls[0], &b.hulls[0], i % 3 == 0 ? 6 : 1);
          double target = i % 4 == 0 ? 0 : (i % 4 == 1 ? 0.01 : (i % 4 == 2 ? 1e-4 : -0.25 * between(0, 0.02)));
          check_case(&c, target);
        }
        impi_geometry_free(&heap, &a);
        impi_geometry_free(&heap, &b);
      }
    }
  }
  printf("toi: %d hits, %d grazes, %d apart, %d overlaps; root within %.1e, at most %.1e m early, %.1e m inside\n",
         hits, grazes, aparts, overlaps, worst_root, worst_early, -worst_overlap);
  CHECK(hits > 30000 && aparts > 20000 && overlaps > 1000); // each result occurred often
  CHECK(grazes < 0.001 * hits);
}


// A rod of 1 m by 2 cm rotates and touches a thin wall.
static void a_spinning_rod_hits_a_wall_at_the_angle_of_its_corner(void) {
  ImpiGeometry rod, wall;
  CHECK(impi_geometry_box(&heap, 1, 0.02, impi_vec(0, 0), 0, 0, &rod) == IMP_OK);
  CHECK(impi_geometry_segment(&heap, impi_vec(-5, 0.3), impi_vec(5, 0.3), &wall) == IMP_OK);
  for (int i = 0; i < 50; ++i) {
    double turn = 0.9 + 0.1 * i;
    ImpiSweep still = {{0, 0}, {0, 0}, {0, 0}, 0, 0}, spin = {{0, 0}, {0, 0}, {0, 0}, 0, turn};
    ImpiToi toi;
    impi_time_of_impact(&wall.hulls[0], &still, &rod.hulls[0], &spin, 0, 1, &toi);
    double corner = sqrt(0.25 + 1e-4), angle = asin(0.3 / corner) - atan2(0.01, 0.5);
    CHECK(toi.state == IMPI_TOI_HIT);
    CHECK_NEAR(toi.t * turn, angle, 1e-10); // the surfaces are 1e-12 m apart at the hit
    CHECK_NEAR(toi.normal.y, -1, 1e-12);
    CHECK_NEAR(toi.point.x, corner * cos(angle + atan2(0.01, 0.5)), 1e-9);
    CHECK_NEAR(toi.point.y, 0.3, 1e-10);
  }
  impi_geometry_free(&heap, &rod);
  impi_geometry_free(&heap, &wall);
}


static void a_fast_spinning_rod_does_not_miss_a_peg(void) {
  ImpiGeometry rod, peg;
  CHECK(impi_geometry_box(&heap, 1, 0.02, impi_vec(0, 0), 0, 0, &rod) == IMP_OK);
  CHECK(impi_geometry_circle(&heap, impi_vec(0, 0), 0.005, &peg) == IMP_OK);
  for (int i = 0; i < 200; ++i) {
    double turn = between(4, 13), way = between(0.2, 2.9), out = between(0.05, 0.49);
    ImpVec2 at = impi_scale(out, impi_vec(cos(way), sin(way)));
    ImpiSweep still = {{0, 0}, at, at, 0, 0}, spin = {{0, 0}, {0, 0}, {0, 0}, 0, turn};
    ImpiToi toi;
    impi_time_of_impact(&rod.hulls[0], &spin, &peg.hulls[0], &still, 0, 1, &toi);
    CHECK(toi.state == IMPI_TOI_HIT);
    CHECK_NEAR(toi.t * turn, way - asin(0.015 / out), 1e-9); // the long side reaches the nearest point of the peg
  }
  impi_geometry_free(&heap, &rod);
  impi_geometry_free(&heap, &peg);
}


// A ball passes a corner of a box at a distance of 1 nm, or overlaps the corner by 1 nm.
static void a_graze_is_resolved_to_a_nanometre(void) {
  ImpiGeometry ball, box;
  CHECK(impi_geometry_circle(&heap, impi_vec(0, 0), 0.1, &ball) == IMP_OK);
  CHECK(impi_geometry_box(&heap, 1, 1, impi_vec(0, 0), 0, 0, &box) == IMP_OK);
  for (int i = 0; i < 50; ++i) {
    double lift = (i % 2 == 0 ? 1 : -1) * 1e-9, way = between(0.05, 1.5);
    // The direction in which the ball passes the corner (0.5, 0.5), and the outward normal of its path.
    ImpVec2 along = impi_vec(sin(way), -cos(way)), out = impi_vec(cos(way), sin(way));
    ImpVec2 middle = impi_mul_add(impi_vec(0.5, 0.5), 0.1 + lift, out);
    ImpiSweep still = {{0, 0}, {0, 0}, {0, 0}, 0, 0};
    ImpiSweep pass = {{0, 0}, impi_mul_add(middle, -0.8, along), impi_mul_add(middle, 0.9, along), 0, 0};
    ImpiToi toi;
    impi_time_of_impact(&box.hulls[0], &still, &ball.hulls[0], &pass, 0, 1, &toi);
    CHECK(toi.state == (lift > 0 ? IMPI_TOI_APART : IMPI_TOI_HIT));
  }
  impi_geometry_free(&heap, &ball);
  impi_geometry_free(&heap, &box);
}


static void overlap_touch_and_separation_are_distinguished(void) {
  ImpiGeometry ball;
  CHECK(impi_geometry_circle(&heap, impi_vec(0, 0), 0.5, &ball) == IMP_OK);
  ImpiSweep still = {{0, 0}, {0, 0}, {0, 0}, 0, 0}, move = {{0, 0}, {0.5, 0}, {5, 0}, 0, 3};
  ImpiToi toi;
  impi_time_of_impact(&ball.hulls[0], &still, &ball.hulls[0], &move, 0, 1, &toi);
  CHECK(toi.state == IMPI_TOI_OVERLAP && toi.t == 0);
  // The balls overlap by 0.5 m and move apart, so they never overlap by 0.6 m.
  impi_time_of_impact(&ball.hulls[0], &still, &ball.hulls[0], &move, -0.6, 1, &toi);
  CHECK(toi.state == IMPI_TOI_APART && toi.t == 1);
  move.c0.x = 1; // the balls touch
  impi_time_of_impact(&ball.hulls[0], &still, &ball.hulls[0], &move, 0, 1, &toi);
  CHECK(toi.state == IMPI_TOI_HIT && toi.t == 0);
  move = (ImpiSweep){{0, 0}, {5, 0}, {0, 0}, 0, 0}; // the balls approach head on; find when they overlap by 0.25 m
  impi_time_of_impact(&ball.hulls[0], &still, &ball.hulls[0], &move, -0.25, 1, &toi);
  CHECK(toi.state == IMPI_TOI_HIT);
  CHECK_NEAR(toi.t, 4.25 / 5, 1e-12);
  // The balls touch later than t = 0.75.
  impi_time_of_impact(&ball.hulls[0], &still, &ball.hulls[0], &move, 0, 0.75, &toi);
  CHECK(toi.state == IMPI_TOI_APART && toi.t == 0.75);
  // Concentric balls of diameter 1 m overlap by 1 m, so they never overlap by 2 m.
  impi_time_of_impact(&ball.hulls[0], &still, &ball.hulls[0], &still, -2, 1, &toi);
  CHECK(toi.state == IMPI_TOI_APART);
  impi_geometry_free(&heap, &ball);
}


// A motion far from the origin and a copy near the origin with the same rounded centres have equal times of impact.
static void times_of_impact_are_the_same_far_from_the_origin(void) {
  for (int k = 0; k < 200; ++k) {
    ImpiGeometry a = random_shape((Family)(k % FAMILY_COUNT)),
                 b = random_shape((Family)(k / FAMILY_COUNT % FAMILY_COUNT));
    Case c = random_case(&a.hulls[0], &b.hulls[0], 2);
    Case far = c;
    ImpVec2 away = {1 << 20, -(1 << 20)};
    ImpVec2 *centers[] = {&far.sweep_a.c0, &far.sweep_a.c1, &far.sweep_b.c0, &far.sweep_b.c1};
    ImpVec2 *near[] = {&c.sweep_a.c0, &c.sweep_a.c1, &c.sweep_b.c0, &c.sweep_b.c1};
    for (int i = 0; i < 4; ++i) {
      *centers[i] = impi_add(*centers[i], away);
      // (c + away) - away: this copy near the origin has the rounding error of the distant coordinate.
      *near[i] = impi_sub(*centers[i], away);
    }
    ImpiToi here, there;
    impi_time_of_impact(c.a, &c.sweep_a, c.b, &c.sweep_b, 0.001, 1, &here);
    impi_time_of_impact(far.a, &far.sweep_a, far.b, &far.sweep_b, 0.001, 1, &there);
    CHECK(here.state == there.state && here.t == there.t);
    impi_geometry_free(&heap, &a);
    impi_geometry_free(&heap, &b);
  }
}


static ImpRot rotation(double angle) { return (ImpRot){cos(angle), sin(angle)}; }


// A clearance is a lower bound of the distance during a motion.
static void a_clearance_never_exceeds_the_distance(void) {
  int apart = 0, told = 0, middles = 0, deep = 0;
  for (int i = 0; i < 60000; ++i) {
    ImpiGeometry a = random_shape((Family)(i % FAMILY_COUNT)), b = random_shape((Family)(i / 7 % FAMILY_COUNT));
    Case c = random_case(&a.hulls[0], &b.hulls[0], i % 2 == 0 ? 0.2 : 3);
    if (i % 3 == 0) {
      c.sweep_a.c1 = c.sweep_a.c0;
      c.sweep_a.a1 = c.sweep_a.a0;
    }
    ImpRot q_a[2] = {rotation(c.sweep_a.a0), rotation(c.sweep_a.a1)};
    ImpRot q_b[2] = {rotation(c.sweep_b.a0), rotation(c.sweep_b.a1)};
    ImpiClearance clearance = impi_clearance(c.a, &c.sweep_a, q_a, c.b, &c.sweep_b, q_b);
    ImpiHull middle = {.count = 1, .centroid = c.b->centroid, .v = &c.b->centroid};
    Case inner = {c.a, &middle, c.sweep_a, c.sweep_b};
    for (int k = 0; k <= 40; ++k) {
      CHECK(distance_at(&c, k / 40.0) >= clearance.surfaces);
      CHECK(distance_at(&inner, k / 40.0) >= clearance.middle);
    }
    ImpiToi toi;
    impi_time_of_impact(c.a, &c.sweep_a, c.b, &c.sweep_b, clearance.surfaces, 1, &toi);
    CHECK(toi.state == IMPI_TOI_APART);
    if (clearance.middle > 0) {
      middle.radius = middle.extent = clearance.middle;
      impi_time_of_impact(c.a, &c.sweep_a, &middle, &c.sweep_b, 0, 1, &toi);
      CHECK(toi.state == IMPI_TOI_APART);
      ++middles;
    }
    impi_time_of_impact(c.a, &c.sweep_a, c.b, &c.sweep_b, 0, 1, &toi);
    apart += toi.state == IMPI_TOI_APART;
    told += clearance.surfaces >= 0;
    deep += clearance.surfaces < 0 && clearance.surfaces > -0.1;
    impi_geometry_free(&heap, &a);
    impi_geometry_free(&heap, &b);
  }
  printf("toi: %d pairs stay apart, %d of them by impi_clearance; %d clearances of centres > 0, %d of surfaces in "
         "-0.1..0 m\n",
         apart, told, middles, deep);
  CHECK(3 * told > apart && middles > 1000 && deep > 500); // impi_clearance detects a third of the APART pairs
}


int main(void) {
  heap.allocator = impi_default_allocator();
  RUN(the_root_agrees_with_bisection_on_1e5_random_pairs);
  RUN(a_spinning_rod_hits_a_wall_at_the_angle_of_its_corner);
  RUN(a_fast_spinning_rod_does_not_miss_a_peg);
  RUN(a_graze_is_resolved_to_a_nanometre);
  RUN(overlap_touch_and_separation_are_distinguished);
  RUN(times_of_impact_are_the_same_far_from_the_origin);
  RUN(a_clearance_never_exceeds_the_distance);
  return check_report("toi");
}
