// Scenes of the benchmark: ragdolls.
#ifndef BENCH_SCENES_RAGDOLLS_H
#define BENCH_SCENES_RAGDOLLS_H

#include "scenes_piles.h"

// A limb of a person who faces +x: an upright capsule, and the joint to its parent. `lower` and `upper` are the
// limits of the joint in a healthy adult. `rest` is the angle of a relaxed limb.
typedef struct Limb {
  int parent;                // index of the parent; -1: none
  double y;                  // height of the body's origin above the soles [m]
  double low, high, radius;  // lower and upper end in the body's frame, radius of the capsule [m]
  double pivot;              // height of the joint above the soles [m]
  double lower, upper, rest; // angle relative to the parent, counter-clockwise [deg]
  bool foot;
} Limb;

enum { LIMBS = 11, RAGDOLL_PINS = LIMBS - 1 };

static const Limb ragdoll[LIMBS] = {
    {-1, 0.95, -0.02, 0.02, 0.095, 0, 0, 0, 0, false},           // hip
    {0, 1.2, -0.135, 0.135, 0.09, 1.0, -70, 25, 0, false},       // torso: 70 forward, 25 back
    {1, 1.475, -0.038, 0.038, 0.075, 1.4, -45, 60, 0, false},    // head: 45 forward, 60 back
    {0, 0.775, -0.125, 0.125, 0.06, 0.9, -20, 120, 10, false},   // upper leg: 120 degrees forward, 20 back
    {3, 0.475, -0.155, 0.125, 0.045, 0.625, -140, 0, -15, true}, // lower leg: 140 degrees back
    {0, 0.775, -0.125, 0.125, 0.06, 0.9, -20, 120, 10, false},   // the second upper leg
    {5, 0.475, -0.155, 0.125, 0.045, 0.625, -140, 0, -15, true},
    {1, 1.225, -0.125, 0.125, 0.035, 1.35, -55, 150, 5, false}, // upper arm: 150 degrees forward and up, 55 back
    {7, 0.975, -0.125, 0.125, 0.03, 1.1, 0, 145, 25, false},    // lower arm: 145 degrees forward
    {1, 1.225, -0.125, 0.125, 0.035, 1.35, -55, 150, 5, false}, // the second upper arm
    {9, 0.975, -0.125, 0.125, 0.03, 1.1, 0, 145, 25, false},
};


static inline void scene_limb(Scene *scene, const Limb *limb, double x, double y, int16_t group, bool later) {
  const Surface skin = {1, 0.2, 0, -1, 2, 1 | 2, group, false}, sole = {1, 0.05, 0, -1, 2, 1, group, false};
  const Point foot[] = {{-0.03, -0.185}, {0.11, -0.185}, {0.11, -0.14}, {-0.03, -0.14}};
  Body *body = scene_add(scene, BODY_DYNAMIC, x, y + limb->y);
  body->rest_speed = 0.1;
  body->later = later;
  scene->surface = skin;
  scene_capsule(scene, 0, limb->low, 0, limb->high, limb->radius);
  scene->surface = sole;
  if (limb->foot) scene_piece(scene, PIECE_POLYGON, foot, 4, 0.015);
}


// Add a ragdoll with its soles at (x, y). `group`: collision group of all its limbs; limbs of one negative group do not
// collide. `later`: a command will spawn the ragdoll. The joints have friction, and springs towards their rest angles.
static inline void scene_ragdoll(Scene *scene, double x, double y, int16_t group, bool later) {
  const double degree = SCENE_PI / 180;
  int first = scene->count;
  for (int i = 0; i < LIMBS; ++i) scene_limb(scene, &ragdoll[i], x, y, group, later);
  for (int i = 1; i < LIMBS; ++i) {
    const Limb *limb = &ragdoll[i], *parent = &ragdoll[limb->parent];
    Pin *pin = scene_pin(scene, first + limb->parent, first + i, 0, limb->pivot - parent->y, 0, limb->pivot - limb->y);
    pin->motor = pin->limit = pin->spring = true;
    pin->torque = 0.05;
    pin->lower = limb->lower * degree;
    pin->upper = limb->upper * degree;
    pin->hertz = 5;
    pin->damping = 0.5;
    pin->rest = limb->rest * degree;
  }
}


enum { RAIN_ROWS = 5, RAIN_GROUP = 5, RAIN_WAIT = 8 }; // floors, ragdolls per group, steps between groups


// Every 8 steps, replace the groups of the next column.
static inline int scene_rain_acts(const Scene *scene, int step, Command *commands) {
  int turn = step / RAIN_WAIT, column = turn % scene->size, count = 0;
  if (step % RAIN_WAIT != 0) return 0;
  for (int row = 0; row < RAIN_ROWS; ++row) {
    int group = row * scene->size + column, bodies = RAIN_GROUP * LIMBS, pins = RAIN_GROUP * RAGDOLL_PINS;
    Command command = {COMMAND_REMOVE, 1 + group * bodies, bodies, group * pins, pins, 0, 0};
    if (turn >= scene->size) commands[count++] = command;
    command.kind = COMMAND_SPAWN;
    commands[count++] = command;
  }
  return count;
}


// Ragdolls fall in groups of five onto five floors.
static inline void scene_rain(Scene *scene, int columns) {
  scene->sleep = true;
  scene->act = scene_rain_acts;
  scene_keep(scene, 0, 0, 119, 126, 120);
  scene_add(scene, BODY_STATIC, 0, 0);
  for (int row = 0; row < RAIN_ROWS; ++row) {
    for (int i = 0; i <= 500; ++i) scene_box(scene, 0.5 * i - 125, 45 * row, 0.25, 0.25);
  }
  for (int row = 0; row < RAIN_ROWS; ++row) {
    for (int column = 0; column < columns; ++column) {
      for (int n = 0; n < RAIN_GROUP; ++n) {
        double x = -125 + 250 * (column + 0.5) / columns + 0.5 * n;
        scene_ragdoll(scene, x, 40 + 45 * row, (int16_t)(-1 - n), true);
      }
    }
  }
}


// n ragdolls fall into a tray and form a heap 1.5 m deep. Different ragdolls collide, the limbs of one do not.
static inline void scene_ragdolls(Scene *scene, int n) {
  const double area = 0.23; // area of the heap per ragdoll [m^2]
  double half = fmax(0.5 * area / 1.5 * n, 1.2);
  int columns = (int)floor(2 * half / 0.6) - 1, rows = (n + columns - 1) / columns;
  scene->sleep = true;
  scene_add(scene, BODY_STATIC, 0, 0);
  scene_tray(scene, half, 1.8 * rows + 2);
  scene_keep(scene, 0, 0, 0.9 * rows + 1, half, 0.9 * rows + 1.5);
  for (int i = 0; i < n; ++i) {
    double x = 0.6 * (i % columns - 0.5 * (columns - 1)) + 0.05 * scene_jitter((uint32_t)i);
    scene_ragdoll(scene, x, 0.5 + 1.8 * (i / columns), (int16_t)(-1 - i % 32767), false);
  }
}

#endif
