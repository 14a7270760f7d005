// One engine, one scene, one run: PROGRAM SCENE SIZE STEPS [KEY=VALUE ...]   (called by spec/bench.lua)
//
//   lanes=N      width of the solver's lanes, in engines that have them; 0 (the default) is the machine's
//   threads=N    in engines that have them; default 1
//   outlines=F   where all pieces are at the end, into a file: a line `kind moves radius x y x y ...` for each
//
// Each program defines the functions of `Engine` and ends with ENGINE_MAIN(engine). It prints one line of key=value
// pairs, times as means over the steps [ms]: `ms` the process's CPU time, `wall` the clock's, both with the scene's
// commands; `bytes` what the heap holds more than before the world was made, `peak` the most it did between two steps;
// the rest is told in quality.h. C17 and C++17. A program includes this first.
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
#include "scenes.h"

typedef struct Options {
  int lanes, threads;
  const char *outlines; // or null
} Options;

// Bodies and pins go by their places in the scene.
typedef struct Engine {
  const char *name;
  void (*create)(const Scene *scene, const Options *options); // a world without bodies
  void (*add)(int body);
  void (*join)(int pin);
  void (*unjoin)(int pin); // or null: pins go with their bodies
  void (*remove)(int body);
  void (*move)(int body, double x, double y); // where a kinematic body is to be after the next step
  void (*step)(void);
  Pose (*pose)(int body);
  bool (*awake)(int body);
  void (*report)(int steps); // " key=value" of its own, or null
} Engine;

typedef struct Run {
  const Engine *engine;
  Scene scene;
  Options options;
  bool *there; // which bodies are   (scene.count)
  double heap; // before the world was made
  double peak;
  double cpu, wall; // so far [s]
} Run;

enum { ENGINE_BLOCK = 8 }; // steps between two looks at the heap, which cost as much as a small step


static inline double engine_clock(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
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


// Bodies first..first + count - 1, then their pins.
static inline void engine_spawn(Run *run, int body, int bodies, int pin, int pins) {
  for (int i = body; i < body + bodies; ++i) {
    run->engine->add(i);
    run->there[i] = true;
  }
  for (int i = pin; i < pin + pins; ++i) run->engine->join(i);
}


static inline void engine_remove(Run *run, const Command *command) {
  for (int i = command->pin; i < command->pin + command->pins && run->engine->unjoin != NULL; ++i) {
    run->engine->unjoin(i);
  }
  for (int i = command->body; i < command->body + command->bodies; ++i) {
    run->engine->remove(i);
    run->there[i] = false;
  }
}


static inline void engine_obey(Run *run, const Command *command) {
  if (command->kind == COMMAND_MOVE) {
    run->engine->move(command->body, command->x, command->y);
  } else if (command->kind == COMMAND_SPAWN) {
    engine_spawn(run, command->body, command->bodies, command->pin, command->pins);
  } else {
    engine_remove(run, command);
  }
}


static inline void engine_step(Run *run, int step) {
  Command commands[SCENE_COMMANDS];
  int count = run->scene.act != NULL ? run->scene.act(&run->scene, step, commands) : 0;
  for (int i = 0; i < count; ++i) engine_obey(run, &commands[i]);
  run->engine->step();
}


static inline int engine_awake(const Run *run) {
  int count = 0;
  for (int i = 0; i < run->scene.count; ++i) {
    count += run->there[i] && run->scene.bodies[i].kind == BODY_DYNAMIC && run->engine->awake(i);
  }
  return count;
}


// All that is there from the start. What sleeps is measured asleep: give it 20 s.
static inline void engine_begin(Run *run) {
  const Scene *scene = &run->scene;
  run->heap = engine_heap();
  run->engine->create(scene, &run->options);
  for (int i = 0; i < scene->count; ++i) {
    if (!scene->bodies[i].later) engine_spawn(run, i, 1, 0, 0);
  }
  for (int i = 0; i < scene->pin_count; ++i) {
    const Pin *pin = &scene->pins[i];
    if (run->there[pin->a] && run->there[pin->b]) run->engine->join(i);
  }
  for (int i = 0; scene->settle && i < 1200 && engine_awake(run) > 0; ++i) run->engine->step();
}


static inline void engine_measure(Run *run, int steps) {
  for (int step = 0; step < steps;) {
    int end = step + ENGINE_BLOCK < steps ? step + ENGINE_BLOCK : steps;
    double cpu = engine_clock(CLOCK_PROCESS_CPUTIME_ID), wall = engine_clock(CLOCK_MONOTONIC);
    for (; step < end; ++step) engine_step(run, step);
    run->wall += engine_clock(CLOCK_MONOTONIC) - wall;
    run->cpu += engine_clock(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    run->peak = fmax(run->peak, engine_heap() - run->heap);
  }
}


static inline Pose engine_pose(const Run *run, int i) {
  const Body *body = &run->scene.bodies[i];
  Pose pose = {body->x, body->y, 0, 0, 0, 0, run->there[i]};
  if (!run->there[i] || body->kind == BODY_STATIC) return pose;
  pose = run->engine->pose(i);
  pose.there = true;
  return pose;
}


static inline void engine_outlines(const Run *run, const Pose *poses) {
  static const char *const names[] = {"box", "circle", "capsule", "polygon", "segment", "loop"};
  FILE *file = fopen(run->options.outlines, "w");
  for (int i = 0; i < run->scene.count && file != NULL; ++i) {
    const Body *body = &run->scene.bodies[i];
    for (int k = body->first; poses[i].there && k < body->first + body->count; ++k) {
      const Piece *piece = &run->scene.pieces[k];
      fprintf(file, "%s %d %.6f", names[piece->kind], body->kind, piece->radius);
      for (int j = 0; j < piece->count; ++j) {
        Point point = quality_point(&poses[i], run->scene.points[piece->first + j]);
        fprintf(file, " %.6f %.6f", point.x, point.y);
      }
      fprintf(file, "\n");
    }
  }
  if (file == NULL || fclose(file) != 0) fprintf(stderr, "cannot write %s\n", run->options.outlines);
}


static inline void engine_print(const Run *run, const Pose *poses, int steps, double bytes) {
  Quality quality = quality_of(&run->scene, poses);
  printf("engine=%s ms=%.6f wall=%.6f bodies=%d pins=%d awake=%d bytes=%.0f peak=%.0f", run->engine->name,
         1e3 * run->cpu / steps, 1e3 * run->wall / steps, quality.moving, quality.pins, engine_awake(run), bytes,
         fmax(run->peak, bytes));
  printf(" height=%.6f sink=%.6f kinetic=%.6g overlap=%.6f crowd=%.6f gap=%.6f gap_max=%.6f lost=%d", quality.height,
         quality.sink, quality.kinetic, quality.overlap, quality.crowd, quality.gap, quality.gap_max, quality.lost);
  if (run->engine->report != NULL) run->engine->report(steps);
#if defined(__clang__)
  printf(" compiler=%s\n", __VERSION__);
#else
  printf(" compiler=gcc %s\n", __VERSION__);
#endif
}


// A whole number that is all of the text, or -1.
static inline int engine_number(const char *text) {
  char *end = NULL;
  long number = strtol(text, &end, 10);
  return end == text || *end != '\0' || number < 0 || number > 1000000000 ? -1 : (int)number;
}


// False for a key or a number that is none.
static inline bool engine_option(Options *options, const char *text) {
  if (strncmp(text, "outlines=", 9) == 0) {
    options->outlines = text + 9;
    return true;
  }
  int *number = strncmp(text, "lanes=", 6) == 0 ? &options->lanes : &options->threads;
  if (number == &options->threads && strncmp(text, "threads=", 8) != 0) return false;
  *number = engine_number(strchr(text, '=') + 1);
  return *number >= 0;
}


static inline int engine_main(const Engine *engine, int argc, char **argv) {
  Run run;
  memset(&run, 0, sizeof run);
  run.engine = engine;
  run.options.threads = 1;
  int steps = argc >= 4 ? engine_number(argv[3]) : 0;
  bool good = steps > 0 && scene_make(&run.scene, argv[1], engine_number(argv[2]));
  for (int i = 4; i < argc; ++i) good = good && engine_option(&run.options, argv[i]);
  if (!good) {
    fprintf(stderr, "usage: %s SCENE SIZE STEPS [lanes=N] [threads=N] [outlines=FILE]\n", argv[0]);
    return 64;
  }
  run.there = (bool *)calloc((size_t)run.scene.count + 1, sizeof *run.there);
  Pose *poses = (Pose *)malloc((size_t)(run.scene.count + 1) * sizeof *poses);
  if (run.there == NULL || poses == NULL) return 1;
  engine_begin(&run);
  engine_measure(&run, steps);
  double bytes = engine_heap() - run.heap;
  for (int i = 0; i < run.scene.count; ++i) poses[i] = engine_pose(&run, i);
  engine_print(&run, poses, steps, bytes);
  if (run.options.outlines != NULL) engine_outlines(&run, poses);
  free(poses);
  free(run.there);
  scene_free(&run.scene);
  return 0;
}

#define ENGINE_MAIN(engine) \
  int main(int argc, char **argv) { return engine_main(&engine, argc, argv); }

#endif
