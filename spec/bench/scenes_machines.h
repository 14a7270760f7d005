// Scenes of the benchmark: what is driven, and nets of joints.
#ifndef BENCH_SCENES_MACHINES_H
#define BENCH_SCENES_MACHINES_H

#include "scene.h"

static const double SCENE_PI = 3.14159265358979323846;


// A net of n by n circles that never collide, each pinned to its neighbours, hung up by seven in the middle of its top.
static inline void scene_joint_grid(Scene *scene, int n) {
  scene->surface.category = 2;
  scene->surface.mask = 0xfffd;
  for (int k = 0; k < n; ++k) {
    for (int i = 0; i < n; ++i) {
      bool moves = i > 0 || abs(k - n / 2) > 3, left_moves = i > 0 || abs(k - 1 - n / 2) > 3;
      int here = k * n + i;
      scene_add(scene, moves ? BODY_DYNAMIC : BODY_STATIC, k, -i);
      scene_circle(scene, 0, 0, 0.4);
      if (i > 0) scene_pin(scene, here - 1, here, 0, -0.5, 0, 0.5);
      if (k > 0 && (moves || left_moves)) scene_pin(scene, here - n, here, 0.5, 0, -0.5, 0);
    }
  }
}


// n by n small boxes in a square drum, which a motor turns.
static inline void scene_tumbler(Scene *scene, int n) {
  scene->sleep = true;
  scene_keep(scene, 1, 0, 0, 10, 10);
  scene_add(scene, BODY_STATIC, 0, 0);
  scene_add(scene, BODY_DYNAMIC, 0, 10);
  scene->surface.density = 50;
  scene_box(scene, 10, 0, 0.5, 10);
  scene_box(scene, -10, 0, 0.5, 10);
  scene_box(scene, 0, 10, 10, 0.5);
  scene_box(scene, 0, -10, 10, 0.5);
  Pin *pin = scene_pin(scene, 0, 1, 0, 10, 0, 0);
  pin->motor = true;
  pin->speed = 25 * SCENE_PI / 180;
  pin->torque = 1e8;
  scene->surface.density = 1;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      scene_add(scene, BODY_DYNAMIC, 0.4 * j - 0.2 * n, 0.4 * i - 0.2 * n + 10);
      scene_box(scene, 0, 0, 0.125, 0.125);
    }
  }
}


// A piece of a ring: radii and angles.
static inline void scene_sector(Scene *scene, double inner, double outer, double from, double to) {
  const Point corners[] = {{inner * cos(from), inner * sin(from)},
                           {outer * cos(from), outer * sin(from)},
                           {outer * cos(to), outer * sin(to)},
                           {inner * cos(to), inner * sin(to)}};
  scene_piece(scene, PIECE_POLYGON, corners, 4, 0);
}


// n by n small boxes, whose hits are told, in a round kinematic drum with four paddles.
static inline void scene_washer(Scene *scene, int n) {
  const double turn = SCENE_PI / 18;
  scene->sleep = true;
  scene_keep(scene, 1, 0, 0, 18, 0);
  scene_add(scene, BODY_STATIC, 0, 0);
  Body *drum = scene_add(scene, BODY_KINEMATIC, 0, 10);
  drum->w = 25 * SCENE_PI / 180;
  drum->vx = 0.001;
  drum->vy = -0.002;
  for (int i = 0; i < 36; ++i) {
    scene_sector(scene, 16, 18, (i - 0.1) * turn, (i + 1.1) * turn);
    if (i % 9 == 0) scene_sector(scene, 14, 16, i * turn, (i + 1) * turn);
  }
  scene->surface.hits = true;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      scene_add(scene, BODY_DYNAMIC, 0.21 * j - 0.11 * n, 0.21 * i - 0.11 * n + 10);
      scene_box(scene, 0, 0, 0.1, 0.1);
    }
  }
}

#endif
