// Cases from the tests of other engines: containment, masses, bounds, manifolds.
#include "peers.h"

#include "geometry/collide.h"

typedef struct ContainsCase {
  const char *source;
  const Form *piece;
  ImpVec2 at, point;
  bool inside;
} ContainsCase;

static void containment_agrees_with_peers(void) {
  const ImpVec2 o = {0, 0};
  const ContainsCase cases[] = {
      {"Box2D PointInShapeTest", &disc_1_aside, o, {0.5, 0.5}, true},
      {"Box2D PointInShapeTest", &disc_1_aside, o, {4, -4}, false},
      {"Box2D PointInShapeTest", &box_2, o, {0.5, 0.5}, true},
      {"Box2D PointInShapeTest", &box_2, o, {4, -4}, false},
      {"Chipmunk ShapeTest, circle", &disc_1_above, o, {1, 2}, true},
      {"Chipmunk ShapeTest, circle", &disc_1_above, o, {1, 2.9}, true},
      {"Chipmunk ShapeTest, circle", &disc_1_above, o, {1, 3.1}, false},
      {"Chipmunk ShapeTest, segment", &pill_1_right, o, {0, 0}, true},
      {"Chipmunk ShapeTest, segment", &pill_1_right, o, {1, 0}, true},
      {"Chipmunk ShapeTest, segment", &pill_1_right, o, {0.5, 0.5}, true},
      {"Chipmunk ShapeTest, segment", &pill_1_right, o, {0, 3}, false},
      {"Chipmunk ShapeTest, poly", &box_10, o, {0, 0}, true},
      {"Chipmunk ShapeTest, poly", &box_10, o, {3, 3}, true},
      {"Chipmunk ShapeTest, poly", &box_10, o, {-10, 0}, false},
      {"dyn4j CircleTest.contains", &disc_2, o, {2, 4}, false},
      {"dyn4j CircleTest.contains", &disc_2, {2, 2.5}, {2, 4}, true},
      {"dyn4j CircleTest.contains, edge", &disc_2, {2, 2}, {2, 4}, true},
      {"dyn4j CapsuleTest.contains", &pill_05, o, {0.8, -0.45}, false},
      {"dyn4j CapsuleTest.contains", &pill_05, {0.5, 0}, {0.8, -0.45}, true},
      {"dyn4j CapsuleTest.contains, edge", &pill_05, {0.5, 0}, {1.5, 0}, true},
      {"dyn4j CapsuleTest.contains, edge", &pill_05, {0.5, 0}, {0.75, 0.5}, true},
      {"dyn4j PolygonTest.contains", &triangle, o, {2, 4}, false},
      {"dyn4j PolygonTest.contains", &triangle, {2, 3.5}, {2, 4}, true},
      {"dyn4j PolygonTest.contains, vertex", &triangle, {2, 3}, {2, 4}, true},
      {"dyn4j PolygonTest.contains, edge", &triangle, {2.5, 3.5}, {2, 4}, true},
      {"dyn4j PolygonTest.contains, on line outside", &triangle, {1.5, 2.5}, {2, 4}, false},
      {"dyn4j PolygonTest.containsPointCoIncident", &octagon, o, {0, 0}, false},
      {"dyn4j SegmentTest.containsRadius", &pill_01, o, {2, 2}, false},
      {"dyn4j SegmentTest.containsRadius", &pill_01, o, {1.05, 1.05}, true},
      {"dyn4j SegmentTest.containsRadius", &pill_005, o, {1.05, 1.05}, false},
      {"dyn4j SegmentTest.containsRadius", &pill_01, o, {0.505, 0.5}, true},
      // A segment has no inside in impel.
      {"dyn4j SegmentTest.contains: true in dyn4j, false in impel", &line_diagonal, o, {0.75, 0.75}, false},
  };
  for (int i = 0; i < IMPI_COUNT(cases); ++i) {
    ImpiGeometry g = make(cases[i].piece);
    CHECK(impi_hull_contains(&g.hulls[0], impi_sub(cases[i].point, cases[i].at)) == cases[i].inside);
    name_failure(cases[i].source, i);
    impi_geometry_free(&heap, &g);
  }
  // dyn4j PolygonTest.containsPointCoIncidentWithCoincidentEdges: dyn4j accepts three collinear corners, impel rejects
  // the polygon.
  const ImpVec2 corners[] = {{2, 0}, {4, 0}, {5, 0}, {7, 3}, {7, 5}, {5, 7}, {3, 7}, {0, 4}, {0, 2}};
  ImpiGeometry g;
  CHECK(impi_geometry_polygon(&heap, corners, 9, 0, &g) == IMP_ERR_ARGUMENT);
}


typedef struct MassCase {
  const char *source;
  const Form *piece;
  double density, mass, inertia;
  ImpVec2 center;
} MassCase;

static void masses_agree_with_peers(void) {
  const ImpVec2 o = {0, 0};
  const MassCase cases[] = {
      {"Box2D ShapeMassTest, circle", &disc_1_aside, 1, IMPI_PI, 0.5 * IMPI_PI, {1, 0}},
      {"Box2D ShapeMassTest, box", &box_2, 1, 4, 8.0 / 3, {0, 0}},
      {"Box2D ShapeMassTest, box", &box_05_1, 1, 0.5, 0.5 * 1.25 / 12, {0, 0}},
      {"Box2D ShapeMassTest, box elsewhere", &box_05_1_off, 1, 0.5, 0.5 * 1.25 / 12, {0.4, -0.7}},
      {"Chipmunk testPolyArea, capsule", &pill_1, 1, IMPI_PI + 4, NAN, {0, 0}},
      {"dyn4j CircleTest.createMass", &disc_3, 2, 56.548, 254.469, {0, 0}},
      {"dyn4j RectangleTest.createMass", &box_1, 1.5, 1.5, 0.25, {0, 0}},
      {"dyn4j PolygonTest.createMass", &pentagon_05, 1, 0.594, 0.057, {0, 0}},
      // dyn4j puts the centroids of the half discs at the centres of the discs; the inertia that this omits is added.
      {"dyn4j CapsuleTest.createMass", &pill_flat, 1, 1 / 2.240, 1 / 34.692 + 0.03125 / 3, {0, 0}},
      {"dyn4j CapsuleTest.createMass", &pill_upright, 2, 1 / 1.120, 1 / 17.346 + 0.0625 / 3, {0, 0}},
      {"dyn4j MassTest.polygonInertiaAndCOM", &diamond, 10, 10, 10.0 / 6, {0, 0}},
  };
  for (int i = 0; i < IMPI_COUNT(cases); ++i) {
    const MassCase *row = &cases[i];
    double accuracy = accuracy_of(row->source);
    ImpiGeometry g = make(row->piece);
    same(row->density * g.figure->mass.area, row->mass, accuracy);
    same(row->density * g.figure->mass.inertia, row->inertia, accuracy);
    same_vec(g.figure->mass.center, row->center, accuracy);
    name_failure(row->source, i);
    impi_geometry_free(&heap, &g);
  }
  // dyn4j GeometryTest.getAreaWeightedCenter, and getAreaWeightedCenterOffset for the same polygon moved by (1, 1).
  ImpiGeometry upper = make(&blob_upper), lower = make(&blob_lower);
  double part = upper.figure->mass.area / (upper.figure->mass.area + lower.figure->mass.area);
  same_vec(impi_lerp(lower.figure->mass.center, upper.figure->mass.center, part), impi_vec(-0.318, 0.527), 1.1e-3);
  same_vec(impi_lerp(lower.figure->mass.center, upper.figure->mass.center, part), impi_vec(0.682 - 1, 1.527 - 1),
           1.1e-3);
  impi_geometry_free(&heap, &upper);
  impi_geometry_free(&heap, &lower);
  // Box2D ShapeMassTest: a capsule lies between its inscribed octagon and its bounding box.
  ImpVec2 inner[8];
  for (int i = 0; i < 8; ++i) {
    double turn = IMPI_PI * (i % 4) / 3 + (i < 4 ? -0.5 : 0.5) * IMPI_PI;
    inner[i] = impi_vec((i < 4 ? 1 : -1) + cos(turn), sin(turn));
  }
  ImpiGeometry pill = make(&pill_1), low, high;
  CHECK(impi_geometry_polygon(&heap, inner, 8, 0, &low) == IMP_OK);
  CHECK(impi_geometry_box(&heap, 4, 2, o, 0, 0, &high) == IMP_OK);
  CHECK(low.figure->mass.area < pill.figure->mass.area && pill.figure->mass.area < high.figure->mass.area);
  CHECK(low.figure->mass.inertia < pill.figure->mass.inertia && pill.figure->mass.inertia < high.figure->mass.inertia);
  impi_geometry_free(&heap, &pill);
  impi_geometry_free(&heap, &low);
  impi_geometry_free(&heap, &high);
}


typedef struct BoundsCase {
  const char *source;
  const Form *piece;
  ImpVec2 at;
  double turned; // [degrees]
  ImpVec2 lower, upper;
} BoundsCase;

static void bounds_agree_with_peers(void) {
  const ImpVec2 o = {0, 0};
  const BoundsCase cases[] = {
      {"Box2D ShapeAABBTest, circle", &disc_1_aside, o, 0, {0, -1}, {2, 1}},
      {"Box2D ShapeAABBTest, box", &box_2, o, 0, {-1, -1}, {1, 1}},
      {"Box2D ShapeAABBTest, segment", &line_down, o, 0, {0, -1}, {0, 1}},
      {"Box2D LargeWorldAABBTest", &box_1_round, o, 0, {-0.6, -0.6}, {0.6, 0.6}},
      {"dyn4j CircleTest.createAABB", &disc_12, {1, 2}, 30, {-0.2, 0.8}, {2.2, 3.2}},
      {"dyn4j CapsuleTest.createAABB", &pill_flat, {1, 2}, 30, {0.533, 1.625}, {1.466, 2.375}},
      {"dyn4j PolygonTest.createAABB", &triangle_high, {1, 2}, 30, {0.5, 0.634}, {2.366, 2.866}},
      {"dyn4j RectangleTest.createAABB", &box_1, o, 45, {-0.707, -0.707}, {0.707, 0.707}},
  };
  for (int i = 0; i < IMPI_COUNT(cases); ++i) {
    const BoundsCase *row = &cases[i];
    double accuracy = accuracy_of(row->source);
    ImpiGeometry g = make(row->piece);
    ImpAabb box = impi_hull_aabb(&g.hulls[0], pose(row->at.x, row->at.y, row->turned * IMPI_PI / 180));
    same_vec(box.lower, row->lower, accuracy);
    same_vec(box.upper, row->upper, accuracy);
    name_failure(row->source, i);
    impi_geometry_free(&heap, &g);
  }
}


// dyn4j's points are on the surface of b, or of a if `on_a`; impel's are midway between both.
typedef struct ManifoldCase {
  const char *source;
  const Form *a;
  ImpVec2 a_at;
  const Form *b;
  ImpVec2 b_at;
  double b_turned; // [degrees]
  ImpVec2 normal;  // a -> b; dyn4j's is opposite
  int count;
  bool on_a;
  ImpVec2 points[2];
  double depths[2];
} ManifoldCase;

static bool is_nearer(ImpVec2 p, ImpVec2 q, ImpVec2 to) {
  ImpVec2 from_p = impi_sub(p, to), from_q = impi_sub(q, to);
  return to.y == to.y ? impi_length(from_p) < impi_length(from_q) : fabs(from_p.x) < fabs(from_q.x);
}


static void manifolds_agree_with_peers(void) {
  const ImpVec2 o = {0, 0};
  const ManifoldCase cases[] = {
      {"Box2D LargeWorldManifoldTest",
       &box_1,
       o,
       &box_1,
       {0.9, 0},
       0,
       {1, 0},
       2,
       false,
       {{0.4, 0.5}, {0.4, -0.5}},
       {0.1, 0.1}},
      {"dyn4j scenario1", &box_1_05, o, &disc_05, {0.5, 0.5}, 0, {0, 1}, 1, false, {{0.5, 0}}, {0.25}},
      {"dyn4j scenario2",
       &box_1_05,
       o,
       &box_05,
       {-0.5, -0.35},
       0,
       {0, -1},
       2,
       false,
       {{-0.25, -0.1}, {-0.5, -0.1}},
       {0.15, 0.15}},
      {"dyn4j scenario3",
       &box_1_05,
       o,
       &box_05,
       {-0.5, -0.5},
       10,
       {0, -1},
       2,
       false,
       {{-0.297, -0.210}, {-0.5, -0.246}},
       {0.039, 0.003}},
      {"dyn4j scenario4", &box_1_05, o, &box_05, {-0.5, -0.5}, 60, {-0.5, -0.866}, 1, true, {{-0.5, -0.25}}, {0.033}},
      {"dyn4j scenario5",
       &box_1_05,
       o,
       &box_05,
       {0, -0.35},
       0,
       {0, -1},
       2,
       false,
       {{0.25, -0.1}, {-0.25, -0.1}},
       {0.15, 0.15}},
      {"dyn4j CircleCircleTest", &disc_1, {-1, 0}, &disc_05, o, 0, {1, 0}, 1, true, {{0, 0}}, {0.5}},
      {"dyn4j CircleSegmentTest", &disc_1, {-1, 0}, &line_05, o, 0, {1, 0}, 1, true, {{0, 0}}, {0.5}},
      {"dyn4j CapsuleCapsuleTest", &pill_upright, {-0.5, 0}, &pill_flat, o, 0, {1, 0}, 1, false, {{-0.5, 0}}, {0.25}},
      {"dyn4j RectangleRectangleTest",
       &box_1,
       {-0.5, 0},
       &box_05,
       o,
       0,
       {1, 0},
       2,
       false,
       {{-0.25, 0.25}, {-0.25, -0.25}},
       {0.25, 0.25}},
      // Two opposite directions have the same depth; dyn4j and impel choose different directions.
      {"dyn4j PolygonPolygonTest",
       &pentagon_1,
       {-1, 0},
       &hexagon_05,
       o,
       0,
       {0.866, NAN},
       2,
       true,
       {{0, 0}, {-0.147, NAN}},
       {0.433, 0.406}},
  };
  for (int i = 0; i < IMPI_COUNT(cases); ++i) {
    const ManifoldCase *row = &cases[i];
    double accuracy = accuracy_of(row->source);
    ImpiGeometry a = make(row->a), b = make(row->b);
    ImpVec2 place = impi_sub(row->b_at, row->a_at);
    ImpiLocalManifold m;
    ImpTransform b_in_a = pose(place.x, place.y, row->b_turned * IMPI_PI / 180);
    impi_collide(&a.hulls[0], &b.hulls[0], &b_in_a, 0, &m);
    CHECK(m.count == row->count);
    same_vec(m.normal, row->normal, accuracy);
    for (int k = 0; k < row->count && m.count == row->count; ++k) {
      double half = (row->on_a ? -0.5 : 0.5) * row->depths[k];
      ImpVec2 expected = impi_mul_add(impi_sub(row->points[k], row->a_at), half, m.normal);
      bool second = m.count == 2 && is_nearer(m.points[1].point, m.points[0].point, expected);
      const ImpiLocalPoint *p = &m.points[second];
      same_vec(p->point, expected, accuracy);
      same(p->separation, -row->depths[k], accuracy);
    }
    name_failure(row->source, i);
    impi_geometry_free(&heap, &a);
    impi_geometry_free(&heap, &b);
  }
}


int main(void) {
  heap.allocator = impi_default_allocator();
  RUN(containment_agrees_with_peers);
  RUN(masses_agree_with_peers);
  RUN(bounds_agree_with_peers);
  RUN(manifolds_agree_with_peers);
  CHECK(heap.bytes == 0);
  return check_report("peers");
}
