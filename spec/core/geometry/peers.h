// Cases from the tests of other engines, with the results expected in impel's conventions.
//   Box2D v3:  test/test_distance.c, test_shape.c, test_collision.c
//   Chipmunk:  xcode/ObjectiveChipmunkTests/MiscTest.m, ShapeTest.m
//   dyn4j:     src/test/java/org/dyn4j: collision/shapes, collision/narrowphase, collision/continuous,
//              collision/manifold, geometry
#ifndef IMPI_PEERS_H
#define IMPI_PEERS_H

#include "random_hulls.h"

// dyn4j's expectations have three decimals, some truncated. The other engines' expectations are exact.
static inline double accuracy_of(const char *source) { return source[0] == 'd' ? 1.1e-3 : 1e-9; }

typedef struct Form {
  ImpShapeType type;
  double radius; // radius of circles, capsules and rounded shapes; a circle of radius 0 is a point
  int regular;   // number of corners of a regular polygon of circumradius v[0].x, the first corner on the x axis
  ImpVec2 v[8];  // circle: centre; capsule: both ends; polygon: corners; box: (width, height), then its centre
} Form;

static const Form point = {IMP_SHAPE_CIRCLE, 0, 0, {{0, 0}}};
static const Form disc_05 = {IMP_SHAPE_CIRCLE, 0.5, 0, {{0, 0}}};
static const Form disc_1 = {IMP_SHAPE_CIRCLE, 1, 0, {{0, 0}}};
static const Form disc_1_aside = {IMP_SHAPE_CIRCLE, 1, 0, {{1, 0}}};
static const Form disc_1_above = {IMP_SHAPE_CIRCLE, 1, 0, {{1, 2}}};
static const Form disc_12 = {IMP_SHAPE_CIRCLE, 1.2, 0, {{0, 0}}};
static const Form disc_2 = {IMP_SHAPE_CIRCLE, 2, 0, {{0, 0}}};
static const Form disc_3 = {IMP_SHAPE_CIRCLE, 3, 0, {{0, 0}}};
static const Form box_01 = {IMP_SHAPE_BOX, 0, 0, {{0.1, 0.1}}};
static const Form box_02 = {IMP_SHAPE_BOX, 0, 0, {{0.2, 0.2}}};
static const Form box_05 = {IMP_SHAPE_BOX, 0, 0, {{0.5, 0.5}}};
static const Form box_05_1 = {IMP_SHAPE_BOX, 0, 0, {{0.5, 1}}};
static const Form box_05_1_off = {IMP_SHAPE_BOX, 0, 0, {{0.5, 1}, {0.4, -0.7}}};
static const Form box_1 = {IMP_SHAPE_BOX, 0, 0, {{1, 1}}};
static const Form box_1_round = {IMP_SHAPE_BOX, 0.1, 0, {{1, 1}}};
static const Form box_1_05 = {IMP_SHAPE_BOX, 0, 0, {{1, 0.5}}};
static const Form box_2 = {IMP_SHAPE_BOX, 0, 0, {{2, 2}}};
static const Form box_2_aside = {IMP_SHAPE_BOX, 0, 0, {{2, 2}, {3, 4}}};
static const Form box_2_02 = {IMP_SHAPE_BOX, 0, 0, {{2, 0.2}}};
static const Form box_10 = {IMP_SHAPE_BOX, 0, 0, {{10, 10}}};
static const Form box_10_05 = {IMP_SHAPE_BOX, 0, 0, {{10, 0.5}}};
static const Form box_20_05 = {IMP_SHAPE_BOX, 0, 0, {{20, 0.5}}};
static const Form plank_thin = {IMP_SHAPE_BOX, 0, 0, {{1, 0.0032}}};
static const Form plank_thinner = {IMP_SHAPE_BOX, 0, 0, {{1, 0.0004}}};
static const Form pill_flat = {IMP_SHAPE_CAPSULE, 0.25, 0, {{-0.25, 0}, {0.25, 0}}};
static const Form pill_upright = {IMP_SHAPE_CAPSULE, 0.25, 0, {{0, -0.25}, {0, 0.25}}};
static const Form pill_05 = {IMP_SHAPE_CAPSULE, 0.5, 0, {{-0.5, 0}, {0.5, 0}}};
static const Form pill_1 = {IMP_SHAPE_CAPSULE, 1, 0, {{-1, 0}, {1, 0}}};
static const Form pill_1_right = {IMP_SHAPE_CAPSULE, 1, 0, {{0, 0}, {1, 0}}};
static const Form pill_01 = {IMP_SHAPE_CAPSULE, 0.1, 0, {{1, 1}, {-1, -1}}};
static const Form pill_005 = {IMP_SHAPE_CAPSULE, 0.05, 0, {{1, 1}, {-1, -1}}};
static const Form line_up = {IMP_SHAPE_SEGMENT, 0, 0, {{-1, -1}, {-1, 1}}};
static const Form line_right = {IMP_SHAPE_SEGMENT, 0, 0, {{2, 0}, {1, 0}}};
static const Form line_at_2 = {IMP_SHAPE_SEGMENT, 0, 0, {{2, -1}, {2, 1}}};
static const Form line_down = {IMP_SHAPE_SEGMENT, 0, 0, {{0, 1}, {0, -1}}};
static const Form link_down = {IMP_SHAPE_CHAIN, 0, 0, {{0, 1}, {0, -1}}};
static const Form line_diagonal = {IMP_SHAPE_SEGMENT, 0, 0, {{-1, -1}, {1, 1}}};
static const Form line_steep = {IMP_SHAPE_SEGMENT, 0, 0, {{0, 0}, {2.5, 5}}};
static const Form line_05 = {IMP_SHAPE_SEGMENT, 0, 0, {{-0.5, 0}, {0.5, 0}}};
static const Form line_cross = {IMP_SHAPE_SEGMENT, 0, 0, {{-0.3, -0.3}, {0.2, 0.3}}};
static const Form line_slanted = {IMP_SHAPE_SEGMENT, 0, 0, {{-0.3, 0.2}, {0, -0.1}}};
static const Form line_slope = {IMP_SHAPE_SEGMENT, 0, 0, {{-0.5, 0}, {0, 0.5}}};
static const Form line_back = {IMP_SHAPE_SEGMENT, 0, 0, {{0.1, -0.3}, {-0.8, 0.2}}};
static const Form line_long = {IMP_SHAPE_SEGMENT, 0, 0, {{-1.5, 1}, {1.5, -1}}};
static const Form line_level_1 = {IMP_SHAPE_SEGMENT, 0, 0, {{-0.59, 0.68}, {-0.40, 0.68}}};
static const Form line_level_2 = {IMP_SHAPE_SEGMENT, 0, 0, {{-0.68, 0.68}, {-0.53, 0.68}}};
static const Form line_plumb_1 = {IMP_SHAPE_SEGMENT, 0, 0, {{-0.58, 0.68}, {-0.58, 0.41}}};
static const Form line_plumb_2 = {IMP_SHAPE_SEGMENT, 0, 0, {{-0.58, 1.2}, {-0.58, 0.41}}};
static const Form line_0_2 = {IMP_SHAPE_SEGMENT, 0, 0, {{0, 0}, {2, 0}}};
static const Form line_2_0 = {IMP_SHAPE_SEGMENT, 0, 0, {{2, 0}, {0, 0}}};
static const Form pentagon_01 = {IMP_SHAPE_POLYGON, 0, 5, {{0.1, 0}}};
static const Form pentagon_05 = {IMP_SHAPE_POLYGON, 0, 5, {{0.5, 0}}};
static const Form pentagon_1 = {IMP_SHAPE_POLYGON, 0, 5, {{1, 0}}};
static const Form hexagon_05 = {IMP_SHAPE_POLYGON, 0, 6, {{0.5, 0}}};
static const Form diamond = {IMP_SHAPE_POLYGON, 0, 4, {{0.70710678118654752, 0}}};
static const Form triangle = {IMP_SHAPE_POLYGON, 0, 0, {{0, 1}, {-1, 0}, {1, 0}}};
static const Form triangle_high = {IMP_SHAPE_POLYGON, 0, 0, {{0, 1}, {-1, -1}, {1, -1}}};
static const Form triangle_big = {IMP_SHAPE_POLYGON, 0, 0, {{1.29, 0.25}, {-0.71, 0.65}, {-0.59, -0.85}}};
static const Form triangle_flat = {IMP_SHAPE_POLYGON, 0, 0, {{0.45, -0.12}, {-0.45, 0.38}, {-0.15, -0.22}}};
static const Form triangle_low = {IMP_SHAPE_POLYGON, 0, 0, {{0.5, 0.5}, {-0.3, -0.5}, {1, -0.3}}};
static const Form triangle_even = {
    IMP_SHAPE_POLYGON, 0, 0, {{0, 2.0 / 3}, {-0.57735026918962576, -1.0 / 3}, {0.57735026918962576, -1.0 / 3}}};
static const Form octagon = {IMP_SHAPE_POLYGON, 0, 0, {{2, 0}, {4, 0}, {7, 3}, {7, 5}, {5, 7}, {3, 7}, {0, 4}, {0, 2}}};
// Two parts of a concave polygon, cut at its reflex corners.
static const Form blob_upper = {IMP_SHAPE_POLYGON, 0, 0, {{-2, 1}, {-1, 2}, {1.2, 0.5}, {1.3, 0.3}}};
static const Form blob_lower = {IMP_SHAPE_POLYGON, 0, 0, {{-2, 1}, {1.3, 0.3}, {1.4, 0.2}, {0, -1}}};


static inline int corners_of(const Form *form) {
  int count = 0; // zeros at the end of the array are unused
  for (int i = 0; i < 8; ++i) {
    count = form->v[i].x != 0 || form->v[i].y != 0 ? i + 1 : count;
  }
  return count;
}


static inline ImpiGeometry make(const Form *form) {
  ImpiGeometry g = {0};
  ImpVec2 v[8];
  int count = form->regular > 0 ? form->regular : corners_of(form);
  for (int i = 0; i < count; ++i) {
    double turn = 2 * IMPI_PI * i / count;
    v[i] = form->regular > 0 ? impi_scale(form->v[0].x, impi_vec(cos(turn), sin(turn))) : form->v[i];
  }
  ImpStatus status = IMP_ERR_ARGUMENT;
  if (form->type == IMP_SHAPE_CIRCLE) {
    status = impi_geometry_circle(&heap, form->v[0], form->radius > 0 ? form->radius : 1, &g);
    g.hulls[0].radius = form->radius; // radius 0 makes a point, which impi_geometry_circle rejects
  } else if (form->type == IMP_SHAPE_BOX) {
    status = impi_geometry_box(&heap, form->v[0].x, form->v[0].y, form->v[1], 0, form->radius, &g);
  } else if (form->type == IMP_SHAPE_CAPSULE) {
    status = impi_geometry_capsule(&heap, form->v[0], form->v[1], form->radius, &g);
  } else if (form->type == IMP_SHAPE_SEGMENT) {
    status = impi_geometry_segment(&heap, form->v[0], form->v[1], &g);
  } else if (form->type == IMP_SHAPE_CHAIN) {
    status = impi_geometry_chain(&heap, form->v, 2, false, &g);
  } else {
    status = impi_geometry_polygon(&heap, v, count, form->radius, &g);
  }
  CHECK(status == IMP_OK);
  return g;
}


// Compare two numbers. A NaN as expected number skips the comparison, because several answers are correct.
static inline void same(double got, double expected, double tolerance) {
  if (expected == expected) {
    CHECK_NEAR(got, expected, tolerance);
  }
}

static inline void same_vec(ImpVec2 got, ImpVec2 expected, double tolerance) {
  same(got.x, expected.x, tolerance);
  same(got.y, expected.y, tolerance);
}

static inline void name_failure(const char *source, int row) {
  if (check_printed > 0) {
    printf("  in row %d: %s\n", row, source);
    check_printed = 0;
  }
}

// Expected number where several answers are correct.
#define ANY \
  { NAN, NAN }

#endif
