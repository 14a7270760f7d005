// Scenes of the benchmark: motor-driven machines, and nets of joints.
#ifndef BENCH_SCENES_MACHINES_H
#define BENCH_SCENES_MACHINES_H

#include "scenes_piles.h"


// A net of n by n pinned circles, held at the top.
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


// n by n small boxes in a square drum that a motor turns.
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


// Add a sector of a ring, given by its radii and angles.
static inline void scene_sector(Scene *scene, double inner, double outer, double from, double to) {
  const Point corners[] = {{inner * cos(from), inner * sin(from)},
                           {outer * cos(from), outer * sin(from)},
                           {outer * cos(to), outer * sin(to)},
                           {inner * cos(to), inner * sin(to)}};
  scene_piece(scene, PIECE_POLYGON, corners, 4, 0);
}


// n by n small boxes with hit events in a round kinematic drum with four paddles.
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


// Move the pusher to and fro between x = -60 and 60.
static inline int scene_push(const Scene *scene, int step, Command *commands) {
  const Command command = {COMMAND_MOVE, scene->count - 1, 1, 0, 0, 60 * sin(0.2 * SCENE_DT * step), 0};
  commands[0] = command;
  return 1;
}


// Pentagons with irregular angles, 40 in a column, fall into a trough where a kinematic box pushes them.
static inline void scene_junkyard(Scene *scene, int columns) {
  static const int around[] = {0, 2, 4, 1, 3};
  const double turn = SCENE_PI * (sqrt(5) - 1);
  Point corners[5];
  double side = -0.1;
  for (int i = 0; i < 5; ++i) {
    corners[i].x = 0.25 * cos(turn * around[i]);
    corners[i].y = 0.25 * sin(turn * around[i]);
  }
  scene->sleep = true;
  scene->act = scene_push;
  scene_trough(scene, 80, 50);
  scene_keep(scene, 0, 0, 100, 80.5, 100.5);
  for (int i = 0; i < columns; ++i) {
    for (int j = 0; j < 40; ++j) {
      scene_add(scene, BODY_DYNAMIC, 0.375 * (2 * i - columns) + side, 15 + j);
      scene_piece(scene, PIECE_POLYGON, corners, 5, 0);
      side = -side;
    }
  }
  scene_add(scene, BODY_KINEMATIC, 0, 0);
  scene_box(scene, 0, 4, 2, 4);
}


// A round room in which a motor turns a long rotor.
static inline void scene_rotor(Scene *scene) {
  Point circle[360];
  for (int i = 0; i < 360; ++i) {
    circle[i].x = 40 * cos(i * SCENE_PI / 180);
    circle[i].y = 32 - 40 * sin(i * SCENE_PI / 180);
  }
  scene_keep(scene, 0, 0, 32, 40, 0);
  scene->surface.friction = 0.1;
  scene_add(scene, BODY_STATIC, 0, 0);
  scene_piece(scene, PIECE_LOOP, circle, 360, 0);
  scene->surface.friction = 0;
  scene_add(scene, BODY_DYNAMIC, 0, 12)->restless = true;
  scene_box(scene, 0, 0, 0.4, 20)->radius = 0.2;
  Pin *pin = scene_pin(scene, 0, 1, 0, 12, 0, 0);
  pin->motor = true;
  pin->speed = 5;
  pin->torque = SCENE_INFINITE;
}


// The rotor stirs n capsules, circles and boxes, which initially overlap.
static inline void scene_spinner(Scene *scene, int n) {
  double x = -23, y = 2;
  scene->sleep = true;
  scene_rotor(scene);
  scene->surface.density = 0.25;
  scene->surface.friction = scene->surface.restitution = 0.1;
  for (int i = 0; i < n; ++i) {
    scene_add(scene, BODY_DYNAMIC, x, y);
    if (i % 3 == 0) {
      scene_capsule(scene, -0.25, 0, 0.25, 0, 0.25);
    } else if (i % 3 == 1) {
      scene_circle(scene, 0, 0, 0.35);
    } else {
      scene_box(scene, 0, 0, 0.35, 0.35);
    }
    x += 0.5;
    if (x < 23) continue;
    x = -23;
    y += 0.5;
  }
}

#endif
