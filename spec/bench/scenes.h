// The benchmark's scenes as plain data, the same for every engine. C17 and C++17.
//
// Units: m, kg, s, rad. Common to all: gravity (0, -10), steps of 1/60 s, density 1, friction 0.6, restitution 0.
#ifndef BENCH_SCENES_H
#define BENCH_SCENES_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double SCENE_GRAVITY = -10, SCENE_DT = 1.0 / 60, SCENE_DENSITY = 1, SCENE_FRICTION = 0.6;

typedef enum PieceKind { PIECE_BOX, PIECE_CIRCLE, PIECE_SEGMENT } PieceKind;

// A body with one shape, upright and at rest.
typedef struct Piece {
  PieceKind kind;
  bool moves;  // else it is static
  double x, y; // centre; of a segment its start
  double p, q; // half width and half height; radius and 0; the end of a segment
  // Two pieces meet when each one's category is in the other's mask. 16 bits, which is what Box2D 2.4 has.
  uint16_t category, mask;
} Piece;

// A revolute joint: a point of piece a and a point of piece b are one, and what they join turns freely.
typedef struct Pin {
  int a, b;
  double x_a, y_a, x_b, y_b; // the points, each in its piece's frame
} Pin;

typedef struct Scene {
  Piece *pieces; // in the order of creation   (count)
  int count, room, moving;
  Pin *pins; // in the order of creation, none between two static pieces   (pin_count)
  int pin_count, pin_room;
  bool sleep;
} Scene;


// The array with room for one more element of `size` bytes.
static inline void *scene_grow(void *array, int count, int *room, size_t size) {
  if (count < *room) return array;
  *room = *room > 0 ? 2 * *room : 1024;
  array = realloc(array, (size_t)*room * size);
  if (array != NULL) return array;
  fprintf(stderr, "out of memory\n");
  exit(1);
}


// The piece, which meets everything, is the scene's last; it may move when the next one is added.
static inline Piece *scene_add(Scene *scene, PieceKind kind, bool moves, double x, double y, double p, double q) {
  scene->pieces = (Piece *)scene_grow(scene->pieces, scene->count, &scene->room, sizeof *scene->pieces);
  Piece piece = {kind, moves, x, y, p, q, 1, 0xffff};
  scene->pieces[scene->count] = piece;
  scene->moving += moves;
  return &scene->pieces[scene->count++];
}


// Nothing is added between two static pieces.
static inline void scene_pin(Scene *scene, int a, int b, double x_a, double y_a, double x_b, double y_b) {
  if (!scene->pieces[a].moves && !scene->pieces[b].moves) return;
  scene->pins = (Pin *)scene_grow(scene->pins, scene->pin_count, &scene->pin_room, sizeof *scene->pins);
  Pin pin = {a, b, x_a, y_a, x_b, y_b};
  scene->pins[scene->pin_count++] = pin;
}


static inline bool scene_meet(const Piece *a, const Piece *b) {
  return (a->category & b->mask) != 0 && (b->category & a->mask) != 0;
}


// A number in [-1, 1) from the bits of i (the finaliser of MurmurHash3).
static inline double scene_jitter(uint32_t i) {
  uint32_t h = i + 0x9e3779b9u;
  h = (h ^ (h >> 16)) * 0x85ebca6bu;
  h = (h ^ (h >> 13)) * 0xc2b2ae35u;
  h ^= h >> 16;
  return (double)h / 2147483648.0 - 1;
}


// A pyramid of unit boxes without gaps.
static inline void scene_large_pyramid(Scene *scene, int base) {
  const double a = 0.5;
  scene_add(scene, PIECE_BOX, false, 0, -1, 100, 1);
  for (int i = 0; i < base; ++i) {
    for (int j = i; j < base; ++j) {
      scene_add(scene, PIECE_BOX, true, (i + 1) * a + 2 * (j - i) * a - base * a, (2 * i + 1) * a, a, a);
    }
  }
}


// n rows of n pyramids of base 10, each row on a segment.
static inline void scene_many_pyramids(Scene *scene, int n) {
  const double a = 0.5;
  for (int row = 0; row < n; ++row) {
    scene_add(scene, PIECE_SEGMENT, false, -5.5 * n, 11 * row, 5.5 * n, 11 * row);
  }
  for (int row = 0; row < n; ++row) {
    for (int column = 0; column < n; ++column) {
      double center = -5.5 * n + 11 * column + 1;
      for (int i = 0; i < 10; ++i) {
        for (int j = i; j < 10; ++j) {
          scene_add(scene, PIECE_BOX, true, (i + 1) * a + (j - i) + center - a, (2 * i + 1) * a + 11 * row, a, a);
        }
      }
    }
  }
}


// Boxes and circles in turn, side by side in rows of `columns`, 0.6 m apart, each off its place by up to 4 cm.
static inline void scene_rain(Scene *scene, int n, int columns, double bottom) {
  for (int i = 0; i < n; ++i) {
    int row = i / columns, column = i % columns;
    double x = 0.6 * (column - 0.5 * (columns - 1)) + 0.04 * scene_jitter(2 * (uint32_t)i);
    double y = bottom + 0.6 * row + 0.04 * scene_jitter(2 * (uint32_t)i + 1);
    bool box = (row + column) % 2 == 0;
    scene_add(scene, box ? PIECE_BOX : PIECE_CIRCLE, true, x, y, 0.25, box ? 0.25 : 0);
  }
}


// Half extents and radius 0.25, falling into a three-sided box 0.6 floor(1.5 sqrt(n)) wide.
static inline void scene_pile(Scene *scene, int n) {
  int columns = (int)floor(1.5 * sqrt(n));
  double half = 0.3 * columns, wall = 0.5 * (0.6 * (n / columns + 1) + 10);
  scene_add(scene, PIECE_BOX, false, 0, -1, half + 2, 1);
  scene_add(scene, PIECE_BOX, false, -half - 1, wall, 1, wall);
  scene_add(scene, PIECE_BOX, false, half + 1, wall, 1, wall);
  scene_rain(scene, n, columns, 0.6);
}


// The same over three rows of slanting segments, two and two the sides of a funnel.
static inline void scene_soup(Scene *scene, int n) {
  int columns = (int)floor(1.5 * sqrt(n));
  double half = 0.3 * columns, top = 8 + 0.6 * (n / columns + 1) + 10;
  scene_add(scene, PIECE_SEGMENT, false, -half, 0, half, 0);
  scene_add(scene, PIECE_SEGMENT, false, -half, 0, -half, top);
  scene_add(scene, PIECE_SEGMENT, false, half, 0, half, top);
  for (int row = 0; row < 3; ++row) {
    for (double x = -half + (row % 2) * 2; x + 1.2 < half; x += 4) {
      double y = 2 + 2 * row;
      scene_add(scene, PIECE_SEGMENT, false, x, y + 0.5, x + 1.2, y);
      if (x + 4 < half) scene_add(scene, PIECE_SEGMENT, false, x + 2.8, y, x + 4, y + 0.5);
    }
  }
  scene_rain(scene, n, columns, 8);
}


// A net of n by n circles that never collide, each pinned to its neighbours, hung up by seven in the middle of its top.
static inline void scene_joint_grid(Scene *scene, int n) {
  for (int k = 0; k < n; ++k) {
    for (int i = 0; i < n; ++i) {
      bool moves = i > 0 || abs(k - n / 2) > 3;
      Piece *circle = scene_add(scene, PIECE_CIRCLE, moves, k, -i, 0.4, 0);
      circle->category = 2;
      circle->mask = 0xfffd;
      int here = k * n + i;
      if (i > 0) scene_pin(scene, here - 1, here, 0, -0.5, 0, 0.5);
      if (k > 0) scene_pin(scene, here - n, here, 0.5, 0, -0.5, 0);
    }
  }
}


// Stacks of ten unit boxes, 1.5 m apart, which fall asleep.
static inline void scene_stacks(Scene *scene, int n) {
  scene->sleep = true;
  scene_add(scene, PIECE_BOX, false, 0, -1, 0.1 * n, 1);
  for (int i = 0; i < n; ++i) {
    scene_add(scene, PIECE_BOX, true, 1.5 * (i / 10 - 0.05 * n), 0.5 + i % 10, 0.5, 0.5);
  }
}


// The scene of a name and a size: bodies, the base of a pyramid, or the side of a net. False for an unknown name.
static inline bool scene_make(Scene *scene, const char *name, int size) {
  static const struct {
    const char *name;
    void (*make)(Scene *scene, int size);
  } makers[] = {{"large_pyramid", scene_large_pyramid},
                {"many_pyramids", scene_many_pyramids},
                {"pile", scene_pile},
                {"soup", scene_soup},
                {"stacks", scene_stacks},
                {"joint_grid", scene_joint_grid},
                {"empty", NULL}};
  memset(scene, 0, sizeof *scene);
  for (size_t i = 0; i < sizeof makers / sizeof *makers; ++i) {
    if (strcmp(makers[i].name, name) != 0) continue;
    if (makers[i].make != NULL) makers[i].make(scene, size);
    return true;
  }
  return false;
}

#endif
