// Scenes of the benchmark: stacks and piles.
#ifndef BENCH_SCENES_PILES_H
#define BENCH_SCENES_PILES_H

#include "scene.h"


static inline void scene_add_box(Scene *scene, BodyKind kind, double x, double y, double half_x, double half_y) {
  scene_add(scene, kind, x, y);
  scene_box(scene, 0, 0, half_x, half_y);
}


// A pyramid of unit boxes without gaps.
static inline void scene_large_pyramid(Scene *scene, int base) {
  const double a = 0.5;
  scene_add_box(scene, BODY_STATIC, 0, -1, 100, 1);
  for (int i = 0; i < base; ++i) {
    for (int j = i; j < base; ++j) {
      scene_add_box(scene, BODY_DYNAMIC, (i + 1) * a + 2 * (j - i) * a - base * a, (2 * i + 1) * a, a, a);
    }
  }
}


// n rows of n pyramids of base 10, each row on a segment.
static inline void scene_many_pyramids(Scene *scene, int n) {
  const double a = 0.5;
  scene_add(scene, BODY_STATIC, 0, 0);
  for (int row = 0; row < n; ++row) scene_segment(scene, -5.5 * n, 11 * row, 5.5 * n, 11 * row);
  for (int row = 0; row < n; ++row) {
    for (int column = 0; column < n; ++column) {
      double centre = -5.5 * n + 11 * column + 1;
      for (int i = 0; i < 10; ++i) {
        for (int j = i; j < 10; ++j) {
          double x = (i + 1) * a + (j - i) + centre - a, y = (2 * i + 1) * a + 11 * row;
          scene_add_box(scene, BODY_DYNAMIC, x, y, a, a);
        }
      }
    }
  }
}


// Add boxes and circles in turn, 0.6 m apart, displaced by up to 4 cm.
static inline void scene_shower(Scene *scene, int n, int columns, double bottom) {
  for (int i = 0; i < n; ++i) {
    int row = i / columns, column = i % columns;
    double x = 0.6 * (column - 0.5 * (columns - 1)) + 0.04 * scene_jitter(2 * (uint32_t)i);
    double y = bottom + 0.6 * row + 0.04 * scene_jitter(2 * (uint32_t)i + 1);
    scene_add(scene, BODY_DYNAMIC, x, y);
    if ((row + column) % 2 == 0) {
      scene_box(scene, 0, 0, 0.25, 0.25);
    } else {
      scene_circle(scene, 0, 0, 0.25);
    }
  }
}


// Add to the last body a floor at y = 0 and a wall at each end.
static inline void scene_tray(Scene *scene, double half, double wall) {
  scene_box(scene, 0, -1, half + 2, 1);
  scene_box(scene, -half - 1, 0.5 * wall, 1, 0.5 * wall);
  scene_box(scene, half + 1, 0.5 * wall, 1, 0.5 * wall);
}


// Boxes and circles fall into a three-sided box 0.6 floor(1.5 sqrt(n)) wide.
static inline void scene_pile(Scene *scene, int n) {
  int columns = (int)floor(1.5 * sqrt(n));
  double half = 0.3 * columns, wall = 0.5 * (0.6 * (n / columns + 1) + 10);
  scene_add_box(scene, BODY_STATIC, 0, -1, half + 2, 1);
  scene_add_box(scene, BODY_STATIC, -half - 1, wall, 1, wall);
  scene_add_box(scene, BODY_STATIC, half + 1, wall, 1, wall);
  scene_shower(scene, n, columns, 0.6);
}


// Boxes and circles, as in scene_pile, fall through three rows of inclined segments. Pairs of segments form funnels.
static inline void scene_soup(Scene *scene, int n) {
  int columns = (int)floor(1.5 * sqrt(n));
  double half = 0.3 * columns, top = 8 + 0.6 * (n / columns + 1) + 10;
  scene_add(scene, BODY_STATIC, 0, 0);
  scene_segment(scene, -half, 0, half, 0);
  scene_segment(scene, -half, 0, -half, top);
  scene_segment(scene, half, 0, half, top);
  for (int row = 0; row < 3; ++row) {
    for (double x = -half + (row % 2) * 2; x + 1.2 < half; x += 4) {
      double y = 2 + 2 * row;
      scene_segment(scene, x, y + 0.5, x + 1.2, y);
      if (x + 4 < half) scene_segment(scene, x + 2.8, y, x + 4, y + 0.5);
    }
  }
  scene_shower(scene, n, columns, 8);
}


// n worlds, each with 20 boxes that fall into a tray.
static inline void scene_small_worlds(Scene *scene, int n) {
  enum { BOXES = 20, COLUMNS = 5 };
  scene->worlds = n;
  scene_keep(scene, 0, 0, 4, 2, 4.5);
  for (int world = 0; world < n; ++world) {
    scene->world = world;
    scene_add(scene, BODY_STATIC, 0, 0);
    scene_tray(scene, 2, 4);
    for (int i = 0; i < BOXES; ++i) {
      uint32_t seed = 2 * ((uint32_t)world * BOXES + (uint32_t)i);
      int row = i / COLUMNS;
      double x = 0.65 * (i % COLUMNS - 0.5 * COLUMNS + (row % 2 == 0 ? 0.25 : 0.75)) + 0.05 * scene_jitter(seed);
      scene_add_box(scene, BODY_DYNAMIC, x, 0.6 + 0.65 * row + 0.05 * scene_jitter(seed + 1), 0.25, 0.25);
    }
  }
}


// Stacks of ten unit boxes, 1.5 m apart, that fall asleep.
static inline void scene_stacks(Scene *scene, int n) {
  scene->sleep = scene->settle = true;
  scene_add_box(scene, BODY_STATIC, 0, -1, 0.1 * n, 1);
  for (int i = 0; i < n; ++i) {
    scene_add_box(scene, BODY_DYNAMIC, 1.5 * (i / 10 - 0.05 * n), 0.5 + i % 10, 0.5, 0.5);
  }
}


// A heavy block flies into a wall of sleeping boxes.
static inline void scene_smash(Scene *scene, int columns) {
  const double d = 0.4;
  int rows = 2 * columns / 3;
  scene->sleep = true;
  scene->gravity.y = 0;
  scene_add(scene, BODY_DYNAMIC, -20, 0)->vx = 40;
  scene_box(scene, 0, 0, 4, 4)->surface.density = 8;
  for (int i = 0; i < columns; ++i) {
    for (int j = 0; j < rows; ++j) {
      scene_add(scene, BODY_DYNAMIC, 30 + d * i, d * (j - 0.5 * rows))->asleep = true;
      scene_box(scene, 0, 0, d / 2, d / 2);
    }
  }
}


// Add a floor of boxes and walls of boxes, all in one static body.
static inline void scene_trough(Scene *scene, int half, int wall) {
  scene_add(scene, BODY_STATIC, 0, 0);
  for (int i = -half; i <= half; ++i) scene_box(scene, i, 0, 0.55, 0.5);
  for (int side = -1; side <= 1; side += 2) {
    for (int i = 1; i <= wall; ++i) scene_box(scene, side * half, i, 0.5, 0.55);
  }
}


// Arrowheads of two overlapping triangles, 150 in a column, fall into a trough.
static inline void scene_compounds(Scene *scene, int columns) {
  const Point left[] = {{-1, 0}, {0.5, 1}, {0, 2}}, right[] = {{1, 0}, {0, 2}, {-0.5, 1}};
  double side = 0.25;
  scene->sleep = true;
  scene_keep(scene, 0, 0, 500, 40.5, 500.5);
  scene_trough(scene, 40, 100);
  scene_segment(scene, -800, -80, 800, -80);
  scene->surface.friction = 0.5;
  for (int i = 0; i < columns; ++i) {
    for (int j = 0; j < 150; ++j) {
      scene_add(scene, BODY_DYNAMIC, 2 * i - columns + 1 + side, 2.25 * j + 5.575);
      scene_piece(scene, PIECE_POLYGON, left, 3, 0);
      scene_piece(scene, PIECE_POLYGON, right, 3, 0);
      side = -side;
    }
  }
}

#endif
