// Rays through 5000 bodies on 200 m x 200 m: 10000 rays of 10 m, later 10000 between random points. Each program
// includes this file, defines the functions below, and prints `name nanoseconds hits` for each length: CPU time per
// ray, the minimum of several rounds.
#ifndef IMPEL_BENCH_RAYS_H
#define IMPEL_BENCH_RAYS_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

enum { RAY_BODIES = 5000, RAYS = 10000, RAY_ROUNDS = 20 };
static const double ray_side = 200, ray_corners[4][2] = {{-0.5, -0.5}, {0.5, -0.4}, {0.3, 0.5}, {-0.2, 0.6}};

// Add a body. `kind`: 0 is a disc of radius 0.5 m; 1 a box of 1 m x 1 m; 2 a capsule with an axis of 1 m and a radius
// of 0.3 m; 3 the polygon ray_corners.
static void ray_body(int kind, int is_static, double x, double y, double angle);
static void ray_ready(void);                                      // called when all bodies exist
static int ray_first(double x1, double y1, double x2, double y2); // returns 1 if the ray hits a body

static uint64_t ray_state = 1;
static double ray_random(double upper) {
  ray_state = ray_state * 6364136223846793005u + 1442695040888963407u;
  return upper * (double)(ray_state >> 11) * 0x1p-53;
}

static double ray_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double ray_ends[RAYS][4];

static void ray_measure(const char *name) {
  double best = 1e9;
  int hits = 0;
  for (int round = 0; round < RAY_ROUNDS; ++round) {
    double start = ray_clock();
    hits = 0;
    for (int i = 0; i < RAYS; ++i) hits += ray_first(ray_ends[i][0], ray_ends[i][1], ray_ends[i][2], ray_ends[i][3]);
    double time = ray_clock() - start;
    best = time < best ? time : best;
  }
  printf("%s %.0f %d\n", name, 1e9 * best / RAYS, hits);
}

int main(void) {
  for (int i = 0; i < RAY_BODIES; ++i) {
    double x = ray_random(ray_side), y = ray_random(ray_side), angle = ray_random(6.28);
    ray_body(i / 2 % 4, i % 2 == 0, x, y, angle);
  }
  ray_ready();
  for (int far = 0; far < 2; ++far) {
    for (int i = 0; i < RAYS; ++i) {
      double x = ray_random(ray_side), y = ray_random(ray_side), angle = ray_random(6.28);
      double to_x = ray_random(ray_side), to_y = ray_random(ray_side);
      ray_ends[i][0] = x;
      ray_ends[i][1] = y;
      ray_ends[i][2] = far ? to_x : x + 10 * cos(angle);
      ray_ends[i][3] = far ? to_y : y + 10 * sin(angle);
    }
    ray_measure(far ? "far" : "near");
  }
  return 0;
}

#endif
