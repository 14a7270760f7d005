// Cases from the tests of other engines: rays, shape casts, times of impact.
#include "peers.h"

#include "geometry/cast.h"
#include "geometry/toi.h"

// A ray. `fraction`: distance of the hit / length of `travel`.
typedef struct RayCase {
  const char *source;
  const Form *piece;
  ImpVec2 at, from, travel;
  double fraction; // below 0: no hit
  ImpVec2 point, normal;
} RayCase;

#define MISS \
  -1, {NAN, NAN}, { \
    NAN, NAN \
  }

static void rays_agree_with_peers(void) {
  const ImpVec2 o = {0, 0};
  const double s = sqrt(0.5), f = sqrt(0.2); // dyn4j's directions: 10 m along (1, 1) and (2, 1)
  const RayCase cases[] = {
      {"Box2D RayCastShapeTest, circle", &disc_1_aside, o, {-4, 0}, {8, 0}, 0.5, {0, 0}, {-1, 0}},
      {"Box2D RayCastShapeTest, polygon", &box_2, o, {-4, 0}, {8, 0}, 0.375, {-1, 0}, {-1, 0}},
      {"Box2D RayCastShapeTest, segment", &line_down, o, {-4, 0}, {8, 0}, 0.5, {0, 0}, {-1, 0}},
      {"Box2D RayCastShapeTest, one-sided segment", &link_down, o, {-4, 0}, {8, 0}, 0.5, {0, 0}, {-1, 0}},
      {"Box2D AABBRayCastTest 1", &box_2, o, {-3, 0}, {6, 0}, 1.0 / 3, {-1, 0}, {-1, 0}},
      {"Box2D AABBRayCastTest 2", &box_2, o, {3, 0}, {-6, 0}, 1.0 / 3, {1, 0}, {1, 0}},
      {"Box2D AABBRayCastTest 3", &box_2, o, {0, -3}, {0, 6}, 1.0 / 3, {0, -1}, {0, -1}},
      {"Box2D AABBRayCastTest 4", &box_2, o, {0, 3}, {0, -6}, 1.0 / 3, {0, 1}, {0, 1}},
      {"Box2D AABBRayCastTest 5", &box_2, o, {-3, 2}, {6, 0}, MISS},
      {"Box2D AABBRayCastTest 6", &box_2, o, {2, -3}, {0, 6}, MISS},
      {"Box2D AABBRayCastTest 7: only impel hits", &box_2, o, {0, 0}, {2, 0}, 0, {0, 0}, {0, 0}},
      {"Box2D AABBRayCastTest 8, corner", &box_2, o, {-2, -2}, {4, 4}, 0.25, {-1, -1}, ANY},
      {"Box2D AABBRayCastTest 9", &box_2, o, {-2, 1.5}, {4, 0}, MISS},
      {"Box2D AABBRayCastTest 10, along an edge", &box_2, o, {-2, 1}, {4, 0}, 0.25, {-1, 1}, {-1, 0}},
      {"Box2D AABBRayCastTest 11", &box_2, o, {-3, 0}, {0.5, 0}, MISS},
      {"Box2D AABBRayCastTest 12: only impel hits", &box_2, o, {0, 0}, {0, 0}, 0, {0, 0}, {0, 0}},
      {"Box2D AABBRayCastTest 13, the end touches", &box_2, o, {-2, 0}, {1, 0}, 1, {-1, 0}, {-1, 0}},
      {"Box2D AABBRayCastTest 14", &box_2_aside, o, {0, 4}, {6, 0}, 1.0 / 3, {2, 4}, {-1, 0}},
      {"Chipmunk testBBSegmentQuery, left", &box_2, o, {-2, 0}, {2, 0}, 0.5, {-1, 0}, {-1, 0}},
      {"Chipmunk testBBSegmentQuery, right", &box_2, o, {2, 0}, {-2, 0}, 0.5, {1, 0}, {1, 0}},
      {"Chipmunk testBBSegmentQuery, bottom", &box_2, o, {0, -2}, {0, 2}, 0.5, {0, -1}, {0, -1}},
      {"Chipmunk testBBSegmentQuery, top", &box_2, o, {0, 2}, {0, -2}, 0.5, {0, 1}, {0, 1}},
      {"Chipmunk testBBSegmentQuery, corner", &box_2, o, {-2, -2}, {2, 2}, 0.5, {-1, -1}, ANY},
      {"Chipmunk testBBSegmentQuery, diagonal", &box_2, o, {-2, -1}, {2, 2}, 0.5, {-1, 0}, {-1, 0}},
      {"Chipmunk testBBSegmentQuery, x low", &box_2, o, {-2, -1}, {2, 0}, 0.5, {-1, -1}, {-1, 0}},
      {"Chipmunk testBBSegmentQuery, x high", &box_2, o, {-2, 1}, {2, 0}, 0.5, {-1, 1}, {-1, 0}},
      {"Chipmunk testBBSegmentQuery, y low", &box_2, o, {-1, -2}, {0, 2}, 0.5, {-1, -1}, {0, -1}},
      {"Chipmunk testBBSegmentQuery, y high", &box_2, o, {1, -2}, {0, 2}, 0.5, {1, -1}, {0, -1}},
      {"Chipmunk testBBSegmentQuery, misses", &box_2, o, {2, -2}, {-2, 0}, MISS},
      {"Chipmunk testBBSegmentQuery, misses", &box_2, o, {2, 2}, {-2, 0}, MISS},
      {"Chipmunk testBBSegmentQuery, misses", &box_2, o, {-2, 2}, {0, -2}, MISS},
      {"Chipmunk testBBSegmentQuery, misses", &box_2, o, {2, 2}, {0, -2}, MISS},
      {"dyn4j GjkTest.raycastRectangle", &box_1, {2, 0}, o, {10, 0}, 0.15, {1.5, 0}, {-1, 0}},
      {"dyn4j GjkTest.raycastRectangle, too short", &box_1, {2, 0}, o, {1.4, 0}, MISS},
      {"dyn4j GjkTest.raycastRectangle, long enough", &box_1, {2, 0}, o, {1.6, 0}, 0.9375, {1.5, 0}, {-1, 0}},
      {"dyn4j GjkTest.raycastRectangle, away", &box_1, {2, 0}, o, {-10, 0}, MISS},
      {"dyn4j GjkTest.raycastRectangle, past", &box_1, {2, 0}, o, {10, 10}, MISS},
      {"dyn4j GjkTest.raycastRectangle, inside: only impel hits", &box_1, {2, 0}, {2, 0}, {10, 10}, 0, {2, 0}, {0, 0}},
      {"dyn4j GjkTest.raycastPolygon", &pentagon_1, {2, 1}, o, {10 * s, 10 * s}, 0.1684, {1.190, 1.190}, {-1, 0}},
      {"dyn4j GjkTest.raycastPolygon, too short", &pentagon_1, {2, 1}, o, {1.4 * s, 1.4 * s}, MISS},
      {"dyn4j GjkTest.raycastPolygon, past", &pentagon_1, {2, 1}, o, {10, 20}, MISS},
      {"dyn4j GjkTest.raycastTriangle",
       &triangle_even,
       {2, 1},
       o,
       {20 * f, 10 * f},
       0.1631,
       {1.458, 0.729},
       {-0.866, 0.5}},
      {"dyn4j GjkTest.raycastTriangle, past", &triangle_even, {2, 1}, o, {10, 20}, MISS},
      {"dyn4j GjkTest.raycastCircle", &disc_05, {2, 0.5}, o, {20 * f, 10 * f}, 0.1788, {1.599, 0.799}, {-0.8, 0.599}},
      {"dyn4j GjkTest.raycastCircle, too short", &disc_05, {2, 0.5}, o, {3.4 * f, 1.7 * f}, MISS},
      {"dyn4j GjkTest.raycastCircle, past", &disc_05, {2, 0.5}, o, {10, 10}, MISS},
      {"dyn4j GjkTest.raycastCircle, upright", &disc_05, {2, 0.5}, {2, -1}, {0, 10}, 0.1, {2, 0}, {0, -1}},
      {"dyn4j SegmentDetectorTest, level, past", &line_level_1, o, {-0.85, 0.48}, {10 * s, 10 * s}, MISS},
      {"dyn4j SegmentDetectorTest, level",
       &line_level_2,
       o,
       {-0.85, 0.48},
       {10 * s, 10 * s},
       0.0282,
       {-0.649, 0.680},
       {0, -1}},
      {"dyn4j SegmentDetectorTest, upright, past", &line_plumb_1, o, {-0.85, 0.48}, {10 * s, 10 * s}, MISS},
      {"dyn4j SegmentDetectorTest, upright",
       &line_plumb_2,
       o,
       {-0.85, 0.48},
       {10 * s, 10 * s},
       0.0381,
       {-0.58, 0.75},
       {-1, 0}},
      {"dyn4j SegmentDetectorTest, on line behind", &line_0_2, o, {3, 0}, {10, 0}, MISS},
      {"dyn4j SegmentDetectorTest, on line ahead", &line_0_2, o, {-1, 0}, {10, 0}, 0.1, {0, 0}, {-1, 0}},
      {"dyn4j SegmentDetectorTest, on line ahead", &line_0_2, o, {3, 0}, {-10, 0}, 0.1, {2, 0}, {1, 0}},
      {"dyn4j SegmentDetectorTest, on line ahead", &line_2_0, o, {3, 0}, {-10, 0}, 0.1, {2, 0}, {1, 0}},
      {"dyn4j SegmentDetectorTest, inside", &line_0_2, o, {1, 0}, {10, 0}, MISS},
      {"dyn4j SegmentDetectorTest, inside", &line_0_2, o, {1, 0}, {-10, 0}, MISS},
  };
  for (int i = 0; i < IMPI_COUNT(cases); ++i) {
    const RayCase *row = &cases[i];
    double accuracy = accuracy_of(row->source);
    ImpiGeometry g = make(row->piece);
    ImpiCast cast;
    bool hit = impi_ray_cast(&g.hulls[0], impi_sub(row->from, row->at), row->travel, 1, &cast);
    CHECK(hit == (row->fraction >= 0));
    if (hit) {
      same(cast.fraction, row->fraction, accuracy);
      same_vec(impi_add(cast.point, row->at), row->point, accuracy);
      same_vec(cast.normal, row->normal, accuracy);
    }
    name_failure(row->source, i);
    impi_geometry_free(&heap, &g);
  }
}


// In one unit of time, a piece moves from `at` by `by` and rotates from `turned` by `turns` [degrees].
typedef struct Moving {
  const Form *piece;
  ImpVec2 at, by;
  double turned, turns;
} Moving;

typedef struct ImpactCase {
  const char *source;
  Moving a, b;
  double time; // below 0: no impact
} ImpactCase;

static ImpiSweep sweep_of(const Moving *moving) {
  const double degree = IMPI_PI / 180;
  return (ImpiSweep){.c0 = moving->at,
                     .c1 = impi_add(moving->at, moving->by),
                     .a0 = degree * moving->turned,
                     .a1 = degree * (moving->turned + moving->turns)};
}


static void times_of_impact_agree_with_peers(void) {
  const ImpVec2 o = {0, 0};
  const ImpactCase cases[] = {
      {"Box2D ShapeCastTest, TimeOfImpactTest", {&box_2, o, o, 0, 0}, {&line_at_2, o, {-2, 0}, 0, 0}, 0.5},
      {"Box2D ShapeCastShortEdgeTest",
       {&plank_thinner, o, o, 0, 0},
       {&point, {0.506, 0.0035}, {-0.01, -0.5}, 0, 0},
       -1},
      {"dyn4j afterMidPoint", {&pentagon_01, {0, 1.5}, {0, -2}, 0, 0}, {&box_20_05, o, o, 0, 0}, 0.577},
      {"dyn4j beforeMidPoint", {&pentagon_01, {0, 1}, {0, -2}, 0, 0}, {&box_20_05, o, o, 0, 0}, 0.327},
      {"dyn4j sameDirection", {&pentagon_01, {0, 1.5}, {2, 0}, 0, 0}, {&box_02, {0.5, 1.5}, {0.5, 0}, 0, 0}, 0.2},
      {"dyn4j oppositeDirection", {&pentagon_01, {0, 1.5}, {2, 0}, 0, 0}, {&box_05, {2, 1.5}, {-0.5, 0}, 0, 0}, 0.6595},
      {"dyn4j orthogonalDirection", {&pentagon_01, {0, 1.5}, {2, 0}, 0, 0}, {&box_02, {1, 1.25}, {0, 0.5}, 0, 0}, 0.4},
      {"dyn4j sameDirectionNoCollision", {&pentagon_01, {0, 1}, {2, 0}, 0, 0}, {&box_05, {0, 1.5}, {0.5, 0}, 0, 0}, -1},
      {"dyn4j sameDirectionNoCollision2",
       {&pentagon_01, {0, 1}, {2, 0}, 0, 0},
       {&box_05, {1.6, 1.5}, {1, 0}, 0, 0},
       -1},
      {"dyn4j orthogonalDirectionNoCollision",
       {&pentagon_01, {0, 1}, {2, 0}, 0, 0},
       {&box_01, {1, 1.3}, {0, 1}, 0, 0},
       -1},
      {"dyn4j equidistantSameVelocityTest", {&box_1, o, {1, 0}, 0, 0}, {&box_1, {3, 0}, {1, 0}, 0, 0}, -1},
      {"dyn4j separationTooSmall", {&box_1, o, {1, 0}, 0, 0}, {&box_1, {1.000001, 0}, {1, 0}, 0, 0}, -1},
      {"dyn4j fastRotationAgainstStatic", {&box_2_02, {0.5, 0}, o, -40, 80}, {&box_10_05, {-5, 0}, o, 0, 0}, 0.039},
      {"dyn4j fastRotationAgainstFastRotation",
       {&box_2_02, {0.5, 0}, o, -40, 80},
       {&box_10_05, {-5, 0}, o, -20, 60},
       0.293},
      {"dyn4j fastRotationAgainstFastRotationNoCollision",
       {&box_2_02, {0.5, 0}, o, -40, 80},
       {&box_10_05, {-5, 0}, o, -80, 60},
       -1},
  };
  for (int i = 0; i < IMPI_COUNT(cases); ++i) {
    const ImpactCase *row = &cases[i];
    double accuracy = accuracy_of(row->source);
    ImpiGeometry a = make(row->a.piece), b = make(row->b.piece);
    ImpiSweep sweep_a = sweep_of(&row->a), sweep_b = sweep_of(&row->b);
    ImpiToi toi;
    impi_time_of_impact(&a.hulls[0], &sweep_a, &b.hulls[0], &sweep_b, 0, 1, &toi);
    CHECK((toi.state == IMPI_TOI_HIT) == (row->time >= 0));
    same(toi.state == IMPI_TOI_HIT ? toi.t : -1, row->time, accuracy);
    if (row->a.turns == 0) { // without rotation the time of impact equals the fraction of a cast
      ImpiCast cast;
      ImpTransform b_in_a = {impi_sub(row->b.at, row->a.at), {1, 0}};
      bool hit = impi_hull_cast(&a.hulls[0], &b.hulls[0], b_in_a, impi_sub(row->b.by, row->a.by), 1, &cast);
      CHECK(hit == (row->time >= 0));
      same(hit ? cast.fraction : -1, row->time, accuracy);
    }
    name_failure(row->source, i);
    impi_geometry_free(&heap, &a);
    impi_geometry_free(&heap, &b);
  }
}


int main(void) {
  heap.allocator = impi_default_allocator();
  RUN(rays_agree_with_peers);
  RUN(times_of_impact_agree_with_peers);
  CHECK(heap.bytes == 0);
  return check_report("peers_casts");
}
