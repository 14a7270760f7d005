// Rays and moving pieces against brute force: the first zero of the distance along the way, by bisection; and what
// touches, grazes, starts inside or runs along.
#include "random_hulls.h"

#include "cast.h"
#include "constants.h"
#include "distance.h"

static const ImpTransform identity = {{0, 0}, {1, 0}};


// The signed distance along a straight way, a convex function of the fraction.
typedef struct Way {
  const ImpiHull *a, *b; // b is null for a ray
  const Core *core;      // of a
  ImpTransform xf;       // b's start, or the ray's
  ImpVec2 travel;
} Way;

static double distance_at(const Way *way, double fraction) {
  ImpTransform xf = {impi_mul_add(way->xf.p, fraction, way->travel), way->xf.q};
  if (way->b == NULL) {
    return distance_to_core(way->core, xf.p) - way->core->radius;
  }
  ImpiClosest closest;
  impi_closest(way->a, way->b, xf, &closest);
  return closest.distance;
}


// Where the distance is least, by golden section.
static double nearest_fraction(const Way *way) {
  const double golden = 0.61803398874989485;
  double low = 0, high = 1, x = 1 - golden, y = golden, at_x = distance_at(way, x), at_y = distance_at(way, y);
  for (int i = 0; i < 45 && at_x > 0 && at_y > 0; ++i) { // to 1e-9 of the way
    if (at_x < at_y) {
      high = y;
      y = x;
      at_y = at_x;
      x = high - golden * (high - low);
      at_x = distance_at(way, x);
    } else {
      low = x;
      x = y;
      at_x = at_y;
      y = low + golden * (high - low);
      at_y = distance_at(way, y);
    }
  }
  double best = at_x < at_y ? x : y;
  best = distance_at(way, 1) < distance_at(way, best) ? 1 : best;
  return best;
}


// The first fraction of no distance. The result is 1 for a hit, 0 for none, -1 for a way that comes too close to tell.
static int brute_cast(const Way *way, double *out_fraction) {
  if (distance_at(way, 0) <= 0) {
    *out_fraction = 0;
    return 1;
  }
  double touching = nearest_fraction(way), least = distance_at(way, touching);
  if (fabs(least) < 1e-8) {
    return -1;
  }
  if (least > 0) {
    return 0;
  }
  double before = 0;
  for (int i = 0; i < 60; ++i) {
    double middle = 0.5 * (before + touching);
    *(distance_at(way, middle) > 0 ? &before : &touching) = middle;
  }
  *out_fraction = touching;
  return 1;
}


// A line without area is crossed where both ends are on different sides, by the ratio of two areas.
static int brute_crossing(const ImpiHull *line, ImpVec2 from, ImpVec2 travel, double *out_fraction) {
  Wide start = wide_sub(wide(line->v[0]), wide(from)), end = wide_sub(wide(line->v[1]), wide(from));
  Wide along = wide_sub(end, start), way = wide(travel);
  long double across = wide_cross(way, along), place = -wide_cross(way, start) / across;
  long double fraction = wide_cross(start, along) / across;
  *out_fraction = (double)fraction;
  return place >= 0 && place <= 1 && fraction >= 0 && fraction <= 1;
}


static void check_hit(const Way *way, bool hit, int expected_hit, const ImpiCast *cast, double expected) {
  double length = impi_length(way->travel);
  CHECK(hit == (expected_hit == 1));
  if (!hit || expected_hit != 1) {
    return;
  }
  CHECK_NEAR(cast->fraction * length, expected * length, 1e-9); // bisection to 1e-18 of distances good to 1e-15
  if (expected == 0) {
    return;
  }
  CHECK_NEAR(impi_length(cast->normal), 1, 1e-12);
  CHECK(impi_dot(cast->normal, way->travel) < 0);
  CHECK_NEAR(distance_to_core(way->core, cast->point), way->core->radius, 1e-12);
  CHECK_NEAR(distance_to_core(way->core, impi_mul_add(cast->point, -way->core->radius, cast->normal)), 0, 1e-12);
  // The distance grows backwards by the speed along the normal; over 1 um, with curves of at least 1 cm.
  double back = 1e-6 / length;
  if (cast->fraction > back) {
    CHECK_NEAR(distance_at(way, cast->fraction - back) / back, -impi_dot(cast->normal, way->travel), 1e-3 * length);
  }
}


static void rays_agree_with_brute_force(void) {
  enum { shapes = 400, rays = 50 }; // 20 000 a kind, 100 000 in all
  int hits = 0, untold = 0;
  for (int k = 0; k < FAMILY_COUNT * shapes; ++k) {
    Family family = (Family)(k % FAMILY_COUNT);
    ImpiGeometry a = random_shape(family);
    const ImpiHull *hull = &a.hulls[0];
    Core core = core_of(hull, identity);
    for (int i = 0; i < rays; ++i) {
      ImpTransform from = random_pose(hull, hull, 2, 0), aim = random_pose(hull, hull, 0.6, 0);
      Way way = {.a = hull, .core = &core, .xf = {from.p, {1, 0}}};
      way.travel = impi_scale(random_between(0.2, 2), impi_sub(aim.p, from.p));
      double expected = 0;
      int expected_hit =
          family == SEGMENT ? brute_crossing(hull, from.p, way.travel, &expected) : brute_cast(&way, &expected);
      ImpiCast cast = {0};
      bool hit = impi_ray_cast(hull, from.p, way.travel, 1, &cast);
      untold += expected_hit < 0;
      hits += hit;
      if (expected_hit >= 0) {
        check_hit(&way, hit, expected_hit, &cast, expected);
        CHECK(!hit || expected > 0 || impi_length(cast.normal) == 0);
        CHECK(!hit || expected == 0 || !impi_ray_cast(hull, from.p, way.travel, 0.999999 * expected, &cast));
      }
    }
    impi_geometry_free(&heap, &a);
  }
  CHECK(hits > 20000 && untold < 5);
}


static void moving_pieces_agree_with_brute_force(void) {
  enum { shapes = 80, ways = 50 }; // 4000 a pair, 100 000 in all
  int hits = 0, untold = 0;
  for (int pair = 0; pair < FAMILY_COUNT * FAMILY_COUNT; ++pair) {
    for (int k = 0; k < shapes; ++k) {
      ImpiGeometry a = random_shape((Family)(pair / FAMILY_COUNT)), b = random_shape((Family)(pair % FAMILY_COUNT));
      Core core = core_of(&a.hulls[0], identity);
      for (int i = 0; i < ways; ++i) {
        Way way = {.a = &a.hulls[0], .b = &b.hulls[0], .core = &core};
        way.xf = random_pose(way.a, way.b, 2, 0);
        ImpVec2 aim = random_pose(way.a, way.b, 0.8, 0).p;
        way.travel = impi_scale(random_between(0.2, 2), impi_sub(aim, way.xf.p));
        double expected = 0;
        int expected_hit = brute_cast(&way, &expected);
        ImpiCast cast = {0};
        bool hit = impi_hull_cast(way.a, way.b, way.xf, way.travel, 1, &cast);
        untold += expected_hit < 0;
        hits += hit;
        if (expected_hit >= 0) {
          check_hit(&way, hit, expected_hit, &cast, expected);
          CHECK(!hit || expected == 0 || !impi_hull_cast(way.a, way.b, way.xf, way.travel, 0.999999 * expected, &cast));
        }
      }
      impi_geometry_free(&heap, &a);
      impi_geometry_free(&heap, &b);
    }
  }
  CHECK(hits > 20000 && untold < 5);
}


int main(void) {
  heap.allocator = impi_default_allocator();
  RUN(rays_agree_with_brute_force);
  RUN(moving_pieces_agree_with_brute_force);
  CHECK(heap.bytes == 0);
  return check_report("cast");
}
