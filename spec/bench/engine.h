// One engine, one scene, one run: PROGRAM SCENE SIZE STEPS [OPTION]   (called by spec/bench.lua)
//
// Each program defines the five functions of `Engine` and ends with ENGINE_MAIN(engine). It prints one line of
// key=value pairs. Time is the process's CPU time inside the steps, memory what the heap holds more than before the
// world was made. C17 and C++17. A program includes this first.
#ifndef BENCH_ENGINE_H
#define BENCH_ENGINE_H

#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L // clock_gettime
#endif

#include <time.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "quality.h"

typedef struct Engine {
  const char *name;
  void (*create)(const Scene *scene, int option);
  void (*step)(void);
  Pose (*pose)(int piece);   // of a moving piece, by its place in the scene
  int (*awake)(void);        // bodies that are not asleep
  void (*report)(int steps); // " key=value" of its own, or null
} Engine;


// CPU seconds of this process.
static inline double engine_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}


// Bytes on the heap, 0 where nobody counts them.
static inline double engine_heap(void) {
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
  struct mallinfo2 info = mallinfo2();
  return (double)info.uordblks + (double)info.hblkhd;
#else
  return 0;
#endif
}


static inline void engine_poses(const Engine *engine, const Scene *scene, Pose *poses) {
  for (int i = 0; i < scene->count; ++i) {
    const Piece *piece = &scene->pieces[i];
    Pose still = {piece->x, piece->y, 0, 0, 0, 0};
    poses[i] = piece->moves ? engine->pose(i) : still;
  }
}


// What sleeps is measured asleep: give it 20 s.
static inline void engine_settle(const Engine *engine) {
  for (int i = 0; i < 1200 && engine->awake() > 0; ++i) engine->step();
}


static inline int engine_main(const Engine *engine, int argc, char **argv) {
  Scene scene;
  if (argc < 4 || !scene_make(&scene, argv[1], atoi(argv[2]))) {
    fprintf(stderr, "usage: %s SCENE SIZE STEPS [OPTION]\n", argv[0]);
    return 64;
  }
  int steps = atoi(argv[3]);
  double heap = engine_heap();
  engine->create(&scene, argc > 4 ? atoi(argv[4]) : 0);
  if (scene.sleep) engine_settle(engine);
  double start = engine_clock();
  for (int i = 0; i < steps; ++i) engine->step();
  double seconds = engine_clock() - start;
  heap = engine_heap() - heap;

  Pose *poses = (Pose *)malloc((size_t)(scene.count + 1) * sizeof *poses);
  if (poses == NULL) return 1;
  engine_poses(engine, &scene, poses);
  Quality quality = quality_of(&scene, poses);
  printf("engine=%s ms=%.6f bodies=%d pins=%d awake=%d bytes=%.0f", engine->name, 1e3 * seconds / steps, scene.moving,
         scene.pin_count, engine->awake(), heap);
  printf(" height=%.6f sink=%.6f kinetic=%.6g overlap=%.6f crowd=%.6f gap=%.6f gap_max=%.6f", quality.height,
         quality.sink, quality.kinetic, quality.overlap, quality.crowd, quality.gap, quality.gap_max);
  if (engine->report != NULL) engine->report(steps);
#if defined(__clang__)
  printf(" compiler=%s\n", __VERSION__);
#else
  printf(" compiler=gcc %s\n", __VERSION__);
#endif
  free(poses);
  free(scene.pieces);
  free(scene.pins);
  return 0;
}

#define ENGINE_MAIN(engine) \
  int main(int argc, char **argv) { return engine_main(&engine, argc, argv); }

#endif
