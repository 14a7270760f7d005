// Rays and shape casts against bisection for the first zero of the distance.
#include "random_hulls.h"

#include "base/constants.h"
#include "geometry/cast.h"
#include "geometry/distance.h"

static const ImpTransform identity = {{0, 0}, {1, 0}};


// A straight path, along which the signed distance is convex.
typedef struct Way {
  const ImpiHull *a, *b; // b is null for a ray
  const Core *core;      // core of `a`: the piece without its radius
  ImpTransform xf;       // start pose of b or of the ray
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


// Return the fraction at which the distance is least, by golden-section search.
static double nearest_fraction(const Way *way) {
  const double golden = 0.61803398874989485;
  double low = 0, high = 1, x = 1 - golden, y = golden, at_x = distance_at(way, x), at_y = distance_at(way, y);
  for (int i = 0; i < 45 && at_x > 0 && at_y > 0; ++i) { // the interval shrinks to 0.618^45 = 4e-10
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


// Find the first contact. Return 1: hit, 0: miss, -1: undecided.
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


// Return whether a ray crosses a line of radius 0. The crossing is at from + out_fraction * travel.
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
  // In a grazing cast a rounding error of 1e-15 m in the distance moves the contact by far more than 1e-15 m.
  CHECK_NEAR(cast->fraction * length, expected * length, 1e-9);
  if (expected == 0) {
    return;
  }
  CHECK_NEAR(impi_length(cast->normal), 1, 1e-12);
  CHECK(impi_dot(cast->normal, way->travel) < 0);
  CHECK_NEAR(distance_to_core(way->core, cast->point), way->core->radius, 1e-12);
  CHECK_NEAR(distance_to_core(way->core, impi_mul_add(cast->point, -way->core->radius, cast->normal)), 0, 1e-12);
  // 1 um before the contact the distance is -n . travel * back. The tolerance is for the curvature of corners with a
  // radius of 1 cm or more.
  double back = 1e-6 / length;
  if (cast->fraction > back) {
    CHECK_NEAR(distance_at(way, cast->fraction - back) / back, -impi_dot(cast->normal, way->travel), 1e-3 * length);
  }
}


static void rays_agree_with_brute_force(void) {
  enum { shapes = 400, rays = 50 }; // 20 000 rays per kind of shape, 100 000 in all
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
  enum { shapes = 80, ways = 50 }; // 4000 casts per pair of kinds, 100 000 in all
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


// Rays and casts at the corners and sides of aligned pieces.
static void check_aligned(const ImpiHull *a, const ImpiHull *b, ImpTransform xf) {
  static const ImpVec2 travels[] = {{1.5, 0},  {0, 1.5},  {-1.5, 0},      {0, -1.5},     {1, 1},
                                    {-1, 0.5}, {0.75, 0}, {1.5, 1.5e-12}, {-1.5, 1e-10}, {0.5, -1.5}};
  static int count = 0;
  Core core = core_of(a, identity);
  Way way = {.a = a, .b = b, .core = &core, .xf = xf, .travel = travels[count++ % IMPI_COUNT(travels)]};
  double start = distance_at(&way, 0), nearest = nearest_fraction(&way), least = distance_at(&way, nearest);
  // Rounding decides between hit and miss if the path ends at the contact, or if two lines without radius only touch.
  bool lines = a->count == 2 && b->count == 2 && a->radius + b->radius <= 0;
  if ((nearest == 1 || lines) && fabs(least) < 1e-8) {
    return;
  }
  double expected = 0;
  int expected_hit = fabs(start) < 1e-8 ? least < -1e-6 : brute_cast(&way, &expected);
  ImpiCast cast;
  bool hit = impi_hull_cast(a, b, xf, way.travel, 1, &cast);
  bool grazes = least > -1e-11 && least < 1e-8; // overlaps by up to 1e-11 m are rounding of the positions
  CHECK(!grazes || !hit);
  if (!grazes && expected_hit >= 0) {
    CHECK(hit == (expected_hit == 1));
    CHECK(!hit || fabs(cast.fraction - expected) < 1e-8);
    CHECK_NEAR(impi_length(hit ? cast.normal : impi_vec(1, 0)), 1, 1e-12);
  }
  ImpiCast back;
  bool hit_back = impi_hull_cast(b, a, inverse(xf), impi_inv_rotate(xf.q, impi_neg(way.travel)), 1, &back);
  CHECK(hit_back == hit);
  CHECK(!hit || fabs(back.fraction - cast.fraction) < 1e-9);
}


static void aligned_casts_agree_with_brute_force(void) { for_aligned_poses(check_aligned); }


static void near(ImpVec2 got, double x, double y) {
  CHECK_NEAR(got.x, x, 1e-12);
  CHECK_NEAR(got.y, y, 1e-12);
}


// Expected result of a ray: a miss (fraction < 0), or a fraction, a point and a normal.
typedef struct RayCase {
  int piece;
  ImpVec2 from, travel;
  double fraction;
  ImpVec2 point, normal;
} RayCase;

static void touching_rays_hit_and_leaving_rays_do_not(void) {
  enum { BOX, ROUNDED_BOX, DISC, PILL, LINE, LINK, PIECES };
  ImpiGeometry g[PIECES];
  const ImpVec2 points[2] = {{1, 0}, {-1, 0}}; // a chain whose front, its right side, faces up
  CHECK(impi_geometry_box(&heap, 2, 1, impi_vec(0, 0), 0, 0, &g[BOX]) == IMP_OK);
  CHECK(impi_geometry_box(&heap, 2, 1, impi_vec(0, 0), 0, 0.5, &g[ROUNDED_BOX]) == IMP_OK);
  CHECK(impi_geometry_circle(&heap, impi_vec(0, 0), 1, &g[DISC]) == IMP_OK);
  CHECK(impi_geometry_capsule(&heap, impi_vec(-1, 0), impi_vec(1, 0), 0.5, &g[PILL]) == IMP_OK);
  CHECK(impi_geometry_segment(&heap, impi_vec(-1, 0), impi_vec(1, 0), &g[LINE]) == IMP_OK);
  CHECK(impi_geometry_chain(&heap, points, 2, false, &g[LINK]) == IMP_OK);
  const double slant = sqrt(0.5), e = IMPI_GRAZE;
  const RayCase cases[] = {
      // Rays straight onto a side, and onto a rounded corner.
      {BOX, {-3, 0.2}, {4, 0}, 0.5, {-1, 0.2}, {-1, 0}},
      {BOX, {-3, 0.2}, {2, 0}, 1, {-1, 0.2}, {-1, 0}}, // the end of the ray touches the box
      {BOX, {-3, 0.2}, {1.999, 0}, -1, {0, 0}, {0, 0}},
      {ROUNDED_BOX, {-3, 0.2}, {4, 0}, 0.375, {-1.5, 0.2}, {-1, 0}},
      {ROUNDED_BOX, {-3, -2.5}, {4, 4}, 0.5 - 0.125 * slant, {-1 - 0.5 * slant, -0.5 - 0.5 * slant}, {-slant, -slant}},
      {ROUNDED_BOX, {-3, 0.9}, {4, 0}, 0.425, {-1.3, 0.9}, {-0.6, 0.8}},
      {PILL, {-3, 0.3}, {4, 0}, 0.4, {-1.4, 0.3}, {-0.8, 0.6}},
      {PILL, {0.4, 3}, {0, -5}, 0.5, {0.4, 0.5}, {0, 1}},
      {PILL, {5, 0}, {-7, 0}, 0.5, {1.5, 0}, {1, 0}}, // a ray along the capsule's axis
      {PILL, {-5, 0}, {7, 0}, 0.5, {-1.5, 0}, {-1, 0}},
      // Rays along a side, and rays at a distance of about IMPI_GRAZE from it.
      {BOX, {-3, 0.5}, {4, 0}, 0.5, {-1, 0.5}, {-1, 0}},
      {BOX, {3, 0.5}, {-4, 0}, 0.5, {1, 0.5}, {1, 0}},
      {BOX, {-1, -3}, {0, 5}, 0.5, {-1, -0.5}, {0, -1}},
      {BOX, {-3, 0.5 + 0.9 * e}, {4, 0}, 0.5, {-1, 0.5}, {-1, 0}},
      {BOX, {-3, 0.5 + 1.1 * e}, {4, 0}, -1, {0, 0}, {0, 0}},
      {ROUNDED_BOX, {-3, 1}, {4, 0}, 0.5, {-1, 1}, {0, 1}},
      {DISC, {-3, 1}, {4, 0}, 0.75, {0, 1}, {0, 1}},
      {DISC, {-3, 1 + 1.1 * e}, {4, 0}, -1, {0, 0}, {0, 0}},
      {PILL, {-3, -0.5}, {4, 0}, 0.5, {-1, -0.5}, {0, -1}},
      {BOX, {-2, 0}, {1, 0.5}, 1, {-1, 0.5}, {-1, 0}}, // the end of the ray touches a corner
      // Rays that start on the surface.
      {BOX, {-1, 0.2}, {1, 0}, 0, {-1, 0.2}, {-1, 0}},
      {BOX, {-1, 0.2}, {-1, 0}, -1, {0, 0}, {0, 0}},
      {BOX, {-1, 0.2}, {0, 1}, -1, {0, 0}, {0, 0}},
      {BOX, {-1 + 0.9 * e, 0.2}, {-1, 1}, -1, {0, 0}, {0, 0}},
      {DISC, {0.6, 0.8}, {-1, 0}, 0, {0.6, 0.8}, {0.6, 0.8}},
      {DISC, {0.6, 0.8}, {0.8, -0.6}, -1, {0, 0}, {0, 0}},
      {DISC, {0.6, 0.8}, {0, 1}, -1, {0, 0}, {0, 0}},
      // Rays from inside outwards, or without travel.
      {BOX, {0.9, 0.2}, {1, 0}, 0, {0.9, 0.2}, {0, 0}},
      {BOX, {0, 0}, {0, 0}, 0, {0, 0}, {0, 0}},
      {BOX, {1, 0}, {0, 0}, 0, {1, 0}, {0, 0}},
      {BOX, {1.1, 0}, {0, 0}, -1, {0, 0}, {0, 0}},
      {DISC, {0, 0}, {0, 1}, 0, {0, 0}, {0, 0}},
      {PILL, {1.2, 0.1}, {-1e-300, 0}, 0, {1.2, 0.1}, {0, 0}},
      {BOX, {3, 0}, {1, 0}, -1, {0, 0}, {0, 0}}, // the box is behind the ray's start
      // A line has two sides, two ends and no inside.
      {LINE, {0.5, 1}, {0, -2}, 0.5, {0.5, 0}, {0, 1}},
      {LINE, {0.5, -1}, {0, 2}, 0.5, {0.5, 0}, {0, -1}},
      {LINE, {1, -1}, {0, 2}, 0.5, {1, 0}, {0, -1}},
      {LINE, {1 + 1.1 * e, -1}, {0, 2}, -1, {0, 0}, {0, 0}},
      {LINE, {-3, 0}, {4, 0}, 0.5, {-1, 0}, {-1, 0}},
      {LINE, {3, 0}, {-4, 0}, 0.5, {1, 0}, {1, 0}},
      {LINE, {3, 0.9 * e}, {-4, 0}, 0.5, {1, 0}, {1, 0}},
      {LINE, {0.5, 0}, {0, 1}, -1, {0, 0}, {0, 0}},
      {LINE, {0.5, 0.9 * e}, {0, -1}, -1, {0, 0}, {0, 0}},
      {LINE, {0.5, 0}, {1, 0}, -1, {0, 0}, {0, 0}},
      {LINE, {0.5, 0}, {0, 0}, -1, {0, 0}, {0, 0}},
      // A link of a chain is solid only on its front.
      {LINK, {0.5, 1}, {0, -2}, 0.5, {0.5, 0}, {0, 1}},
      {LINK, {0.5, -1}, {0, 2}, -1, {0, 0}, {0, 0}},
      {LINK, {-3, 0}, {4, 0}, -1, {0, 0}, {0, 0}},
      {LINK, {0.5, 0}, {0, -1}, 0, {0.5, 0}, {0, 1}},
      {LINK, {0.5, -0.9 * e}, {0, -1}, 0, {0.5, 0}, {0, 1}},
      {LINK, {0.5, -1.1 * e}, {0, -1}, -1, {0, 0}, {0, 0}},
      {LINK, {0.5, 0}, {0, 1}, -1, {0, 0}, {0, 0}},
      {LINK, {1, 1}, {0, -2}, 0.5, {1, 0}, {0, 1}},
  };
  for (int i = 0; i < IMPI_COUNT(cases); ++i) {
    const RayCase *c = &cases[i];
    ImpiCast cast;
    bool hit = impi_ray_cast(&g[c->piece].hulls[0], c->from, c->travel, 1, &cast);
    CHECK(hit == (c->fraction >= 0));
    if (hit && c->fraction >= 0) {
      // Near a tangent, a rounding error of 1e-16 grows to its square root, 1e-8.
      CHECK_NEAR(cast.fraction, c->fraction, 1e-8);
      CHECK(impi_length(impi_sub(cast.point, c->point)) < 1e-8);
      CHECK(impi_length(impi_sub(cast.normal, c->normal)) < 1e-4);
    }
    if (check_printed > 0) {
      printf("ray %d\n", i);
      check_printed = 0;
    }
  }
  ImpiCast cast;
  CHECK(impi_ray_cast(&g[BOX].hulls[0], impi_vec(-3, 0), impi_vec(1, 0), 3, &cast));
  CHECK_NEAR(cast.fraction, 2, 1e-15);
  CHECK(!impi_ray_cast(&g[BOX].hulls[0], impi_vec(-3, 0), impi_vec(1, 0), 0, &cast));
  CHECK(impi_ray_cast(&g[BOX].hulls[0], impi_vec(-1, 0), impi_vec(1, 0), 0, &cast));
  CHECK(impi_ray_cast(&g[ROUNDED_BOX].hulls[0], impi_vec(-1e6, 0.25), impi_vec(2e6, 0), 1, &cast));
  CHECK_NEAR(cast.point.x, -1.5, 1e-15);
  CHECK_NEAR(cast.fraction, 0.49999925, 1e-15);
  for (int i = 0; i < PIECES; ++i) {
    impi_geometry_free(&heap, &g[i]);
  }
}


// Two pieces share an edge; each has its own frame and rounding. A ray to a point of the shared edge hits one of them.
static void no_ray_passes_between_adjacent_boxes(void) {
  ImpiGeometry box, line;
  CHECK(impi_geometry_box(&heap, 1, 0.7, impi_vec(0, 0), 0, 0, &box) == IMP_OK);
  CHECK(impi_geometry_segment(&heap, impi_vec(-0.5, 0.35), impi_vec(0.5, 0.35), &line) == IMP_OK);
  for (int i = 0; i < 100000; ++i) {
    ImpTransform left = pose(random_between(-100, 100), random_between(-100, 100), random_between(-3, 3));
    ImpTransform right = {impi_apply(left, impi_vec(1, 0)), left.q};
    ImpVec2 meet_at = impi_apply(left, impi_vec(0.5, 0.35));
    double way = i % 3 == 0 ? 0 : random_between(-1.5, 1.5);
    ImpVec2 from = impi_apply(left, impi_vec(0.5 + 3 * sin(way), 0.35 + 3 * cos(way)));
    ImpVec2 travel = impi_scale(1.5, impi_sub(meet_at, from));
    const ImpiHull *hull = i % 2 == 0 ? &box.hulls[0] : &line.hulls[0];
    ImpiCast cast = {0};
    ImpVec2 travel_in_box = impi_inv_rotate(left.q, travel);
    bool hits = impi_ray_cast(hull, impi_inv_apply(left, from), travel_in_box, 1, &cast) ||
                impi_ray_cast(hull, impi_inv_apply(right, from), travel_in_box, 1, &cast);
    CHECK(hits && fabs(cast.fraction - 2.0 / 3) < 1e-8);
  }
  impi_geometry_free(&heap, &box);
  impi_geometry_free(&heap, &line);
}


static void no_ray_passes_between_the_links_of_a_chain(void) {
  enum { corners = 24, rays = 20000 };
  ImpVec2 v[corners]; // a star, counter-clockwise: solid inside
  for (int i = 0; i < corners; ++i) {
    double turn = 2 * IMPI_PI * i / corners, r = i % 2 == 0 ? 1 : 0.6;
    v[i] = impi_vec(r * cos(turn), r * sin(turn));
  }
  ImpiGeometry chain;
  CHECK(impi_geometry_chain(&heap, v, corners, true, &chain) == IMP_OK);
  for (int i = 0; i < rays; ++i) {
    double turn = random_between(-3.2, 3.2);
    ImpVec2 from = impi_vec(3 * cos(turn), 3 * sin(turn));
    ImpVec2 to = i % 2 == 0 ? v[i / 2 % corners] : impi_vec(random_between(-0.4, 0.4), random_between(-0.4, 0.4));
    bool in = false, out = false;
    for (int k = 0; k < corners; ++k) {
      ImpiCast cast;
      // Extend the ray beyond its target, because the ray must not end exactly at a corner.
      in = impi_ray_cast(&chain.hulls[k], from, impi_scale(1.2, impi_sub(to, from)), 1, &cast) || in;
      out = impi_ray_cast(&chain.hulls[k], impi_vec(0, 0), from, 1, &cast) || out;
    }
    CHECK(in && !out);
  }
  impi_geometry_free(&heap, &chain);
}


static void a_reflected_ray_does_not_hit_the_same_piece(void) {
  int reflected = 0;
  for (int k = 0; k < 500; ++k) {
    ImpiGeometry g = random_shape((Family)(k % FAMILY_COUNT));
    const ImpiHull *hull = &g.hulls[0];
    for (int i = 0; i < 100; ++i) {
      ImpVec2 from = random_pose(hull, hull, 3, 0).p;
      ImpVec2 travel = impi_scale(3, impi_sub(random_pose(hull, hull, 0.6, 0).p, from));
      ImpiCast cast, again;
      if (impi_ray_cast(hull, from, travel, 1, &cast) && cast.fraction > 0) {
        ImpVec2 mirrored = impi_mul_add(travel, -2 * impi_dot(travel, cast.normal), cast.normal);
        CHECK(!impi_ray_cast(hull, cast.point, mirrored, 1, &again));
        ImpVec2 on_ray = impi_mul_add(from, cast.fraction, travel);
        CHECK(impi_length(impi_sub(cast.point, on_ray)) < 1e-9);
        CHECK(!impi_ray_cast(hull, on_ray, mirrored, 1, &again));
        ++reflected;
      }
    }
    impi_geometry_free(&heap, &g);
  }
  CHECK(reflected > 10000);
}


static void a_piece_slides_over_a_touching_floor(void) {
  ImpiGeometry tile, body[4];
  CHECK(impi_geometry_box(&heap, 0.1, 0.1, impi_vec(0, -0.05), 0, 0, &tile) == IMP_OK);
  CHECK(impi_geometry_box(&heap, 0.3, 0.4, impi_vec(0, 0.2), 0, 0, &body[0]) == IMP_OK);
  CHECK(impi_geometry_circle(&heap, impi_vec(0, 0.3), 0.3, &body[1]) == IMP_OK);
  CHECK(impi_geometry_capsule(&heap, impi_vec(0, 0.2), impi_vec(0, 0.6), 0.2, &body[2]) == IMP_OK);
  CHECK(impi_geometry_box(&heap, 0.2, 0.3, impi_vec(0, 0.2), 0, 0.05, &body[3]) == IMP_OK);
  for (int k = 0; k < 4 * 200; ++k) {
    const ImpiHull *hull = &body[k % 4].hulls[0];
    double x = 0.1 * (k / 4), start = 3.337 + 0.1 * (k % 7);
    ImpTransform touching = pose(start - x, k % 3 == 0 ? 0.5e-9 : (k % 3 == 1 ? 0 : -0.5e-9), 0);
    ImpiCast cast;
    CHECK(!impi_hull_cast(&tile.hulls[0], hull, touching, impi_vec(20, 0), 1, &cast));
    CHECK(!impi_hull_cast(&tile.hulls[0], hull, touching, impi_vec(-20, 0), 1, &cast));
    CHECK(!impi_hull_cast(&tile.hulls[0], hull, touching, impi_vec(20, 1), 1, &cast));
    ImpTransform over = pose(0.03, 1, 0);
    CHECK(impi_hull_cast(&tile.hulls[0], hull, over, impi_vec(0, -2), 1, &cast));
    CHECK_NEAR(cast.fraction, 0.5, 1e-15);
    near(cast.normal, 0, 1);
    CHECK_NEAR(cast.point.y, 0, 1e-15);
    // A body that touches or overlaps the floor.
    CHECK(impi_hull_cast(&tile.hulls[0], hull, pose(0.01, touching.p.y, 0), impi_vec(1, -1), 1, &cast));
    CHECK(fabs(cast.fraction) < 1e-9);
    near(cast.normal, 0, 1);
    CHECK(impi_hull_cast(&tile.hulls[0], hull, pose(0.01, -2e-9, 0), impi_vec(1, 1), 1, &cast));
    CHECK(cast.fraction == 0);
    near(cast.normal, 0, 1);
    CHECK(impi_hull_cast(&tile.hulls[0], hull, pose(0.01, -0.001, 0), impi_vec(0, 0), 1, &cast));
    CHECK(cast.fraction == 0);
    CHECK(!impi_hull_cast(&tile.hulls[0], hull, pose(0.01, 0, 0), impi_vec(0, 0), 1, &cast));
    CHECK(!impi_hull_cast(&tile.hulls[0], hull, over, impi_vec(0, -2), 0.499, &cast));
  }
  // A body moves down into a shaft of its own width.
  ImpiCast cast;
  ImpVec2 down = impi_vec(0, -3);
  CHECK(!impi_hull_cast(&tile.hulls[0], &body[0].hulls[0], pose(0.05 + 0.15, 1, 0), down, 1, &cast));
  CHECK(!impi_hull_cast(&tile.hulls[0], &body[0].hulls[0], pose(-0.05 - 0.15, 1, 0), down, 1, &cast));
  CHECK(impi_hull_cast(&tile.hulls[0], &body[0].hulls[0], pose(0.2 - 3e-9, 1, 0), down, 1, &cast));
  impi_geometry_free(&heap, &tile);
  for (int i = 0; i < 4; ++i) {
    impi_geometry_free(&heap, &body[i]);
  }
}


static void links_stop_pieces_from_their_right_side_only(void) {
  // A chain's front is its right side, here the upper side.
  const ImpVec2 points[4] = {{2, 0}, {1, 0}, {-1, 0}, {-2, 0}};
  ImpiGeometry chain, box;
  CHECK(impi_geometry_chain(&heap, points, 4, false, &chain) == IMP_OK);
  CHECK(impi_geometry_box(&heap, 0.5, 0.5, impi_vec(0, 0), 0, 0, &box) == IMP_OK);
  const ImpiHull *link = &chain.hulls[1], *body = &box.hulls[0];
  ImpiCast cast;
  CHECK(impi_hull_cast(link, body, pose(0.3, 1.25, 0), impi_vec(0, -2), 1, &cast));
  CHECK_NEAR(cast.fraction, 0.5, 1e-15);
  near(cast.normal, 0, 1);
  CHECK(!impi_hull_cast(link, body, pose(0.3, -1.25, 0), impi_vec(0, 2), 1, &cast));
  // The link moves: first its front is ahead, then its back.
  CHECK(impi_hull_cast(body, link, pose(0.3, -1.25, 0), impi_vec(0, 2), 1, &cast));
  near(cast.normal, 0, -1);
  CHECK(!impi_hull_cast(body, link, pose(0.3, 1.25, 0), impi_vec(0, -2), 1, &cast));
  // The piece's middle is 0.1 m behind the link (no hit), then 0.1 m in front of it (a hit at fraction 0).
  CHECK(!impi_hull_cast(link, body, pose(0.3, -0.1, 0), impi_vec(0, 2), 1, &cast));
  CHECK(!impi_hull_cast(body, link, pose(0.3, 0.1, 0), impi_vec(0, 2), 1, &cast));
  CHECK(impi_hull_cast(link, body, pose(0.3, 0.1, 0), impi_vec(0, 2), 1, &cast) && cast.fraction == 0);
  // The piece slides along the front of the chain, over the points where links meet.
  CHECK(!impi_hull_cast(link, body, pose(-1.8, 0.25, 0), impi_vec(3, 0), 1, &cast));
  impi_geometry_free(&heap, &chain);
  impi_geometry_free(&heap, &box);
}


// A piece cast from outside first hits a loop of one-sided links where it hits two-sided segments between the same
// points.
static void chains_stop_pieces_at_the_same_fraction_as_their_lines(void) {
  enum { corners = 14, shapes = 400, ways = 40 };
  ImpVec2 v[corners + 1];
  for (int i = 0; i <= corners; ++i) {
    double turn = 2 * IMPI_PI * i / corners, r = i % 4 == 0 ? 1 : (i % 2 == 0 ? 0.5 : 0.9);
    v[i] = i < corners ? impi_vec(r * cos(turn), r * sin(turn)) : v[0];
  }
  ImpiGeometry chain, lines[corners];
  CHECK(impi_geometry_chain(&heap, v, corners, true, &chain) == IMP_OK);
  for (int i = 0; i < corners; ++i) {
    CHECK(impi_geometry_segment(&heap, v[i], v[i + 1], &lines[i]) == IMP_OK);
  }
  int hits = 0;
  for (int k = 0; k < shapes; ++k) {
    ImpiGeometry g = random_shape((Family)(k % FAMILY_COUNT));
    const ImpiHull *body = &g.hulls[0];
    for (int i = 0; i < ways; ++i) {
      ImpTransform xf = pose(0, 0, random_between(-3.2, 3.2));
      double way = random_between(-3.2, 3.2), reach = 1.1 + body->extent;
      ImpVec2 from = impi_vec(reach * cos(way), reach * sin(way));
      xf.p = impi_sub(from, impi_rotate(xf.q, body->centroid));
      ImpVec2 travel = impi_sub(impi_vec(random_between(-1, 1), random_between(-1, 1)), from);
      ImpiCast as_link = {.fraction = 2}, as_line = {.fraction = 2}, cast;
      for (int j = 0; j < corners; ++j) {
        bool hit = impi_hull_cast(&chain.hulls[j], body, xf, travel, 1, &cast);
        as_link = hit && cast.fraction < as_link.fraction ? cast : as_link;
        hit = impi_hull_cast(&lines[j].hulls[0], body, xf, travel, 1, &cast);
        as_line = hit && cast.fraction < as_line.fraction ? cast : as_line;
      }
      CHECK_NEAR(as_link.fraction, as_line.fraction, 1e-9); // rounding decides which link at a corner is hit
      hits += as_link.fraction < 2;
    }
    impi_geometry_free(&heap, &g);
  }
  CHECK(hits > 10000);
  impi_geometry_free(&heap, &chain);
  for (int i = 0; i < corners; ++i) {
    impi_geometry_free(&heap, &lines[i]);
  }
}


static void sliding_pieces_do_not_catch_on_the_links_of_a_floor(void) {
  enum { links = 16 };
  ImpVec2 points[links + 1];
  for (int i = 0; i <= links; ++i) {
    points[i] = impi_vec(0.25 * (links / 2 - i), 0);
  }
  ImpiGeometry chain, body[3];
  CHECK(impi_geometry_chain(&heap, points, links + 1, false, &chain) == IMP_OK);
  CHECK(impi_geometry_box(&heap, 0.5, 0.5, impi_vec(0, 0.25), 0, 0, &body[0]) == IMP_OK);
  CHECK(impi_geometry_circle(&heap, impi_vec(0, 0.5), 0.5, &body[1]) == IMP_OK);
  CHECK(impi_geometry_capsule(&heap, impi_vec(-0.25, 0.25), impi_vec(0.25, 0.25), 0.25, &body[2]) == IMP_OK);
  for (int k = 0; k < 3 * 64 * 5; ++k) {
    double along = 0.5 * (k % 5 - 2), x = (k / 15 - 32) / 64.0;
    ImpVec2 travel = impi_vec(2 * along, -2);
    const double heights[3] = {1, 0, -0.0625}; // above, touching, overlapping
    for (int i = 0; i < 3; ++i) {
      ImpTransform xf = pose(x - (i == 0 ? along : 0), heights[i], 0);
      double first = 2;
      for (int j = 0; j < links; ++j) {
        ImpiCast cast;
        if (impi_hull_cast(&chain.hulls[j], &body[k % 3].hulls[0], xf, travel, 1, &cast)) {
          first = impi_min(first, cast.fraction);
          near(cast.normal, 0, 1);
          ImpiCast turned; // the same cast with the floor moving up to the piece
          CHECK(impi_hull_cast(&body[k % 3].hulls[0], &chain.hulls[j], inverse(xf), impi_neg(travel), 1, &turned));
          CHECK_NEAR(turned.fraction, cast.fraction, 1e-12);
          near(turned.normal, 0, -1);
        }
      }
      CHECK_NEAR(first, i == 0 ? 0.5 : 0, 1e-12);
    }
  }
  // The normal is up, because the other links block the shortest way out of the first link.
  ImpiCast cast;
  CHECK(impi_hull_cast(&chain.hulls[0], &body[0].hulls[0], pose(1.51, -0.1, 0), impi_vec(1, 0), 1, &cast));
  near(cast.normal, 0, 1);
  CHECK(impi_hull_cast(&body[0].hulls[0], &chain.hulls[0], pose(-1.51, 0.1, 0), impi_vec(-1, 0), 1, &cast));
  near(cast.normal, 0, -1);
  impi_geometry_free(&heap, &chain);
  for (int i = 0; i < 3; ++i) {
    impi_geometry_free(&heap, &body[i]);
  }
}


int main(void) {
  heap.allocator = impi_default_allocator();
  RUN(rays_agree_with_brute_force);
  RUN(moving_pieces_agree_with_brute_force);
  RUN(aligned_casts_agree_with_brute_force);
  RUN(touching_rays_hit_and_leaving_rays_do_not);
  RUN(no_ray_passes_between_adjacent_boxes);
  RUN(no_ray_passes_between_the_links_of_a_chain);
  RUN(a_reflected_ray_does_not_hit_the_same_piece);
  RUN(a_piece_slides_over_a_touching_floor);
  RUN(links_stop_pieces_from_their_right_side_only);
  RUN(chains_stop_pieces_at_the_same_fraction_as_their_lines);
  RUN(sliding_pieces_do_not_catch_on_the_links_of_a_floor);
  CHECK(heap.bytes == 0);
  return check_report("cast");
}
