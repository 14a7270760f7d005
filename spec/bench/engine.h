// Runs one scene on one engine: PROGRAM SCENE SIZE STEPS [KEY=VALUE ...]   (called by spec/tools/bench.lua)
//
//   lanes=N      SIMD width of the solver, in engines that have lanes; default 0, the machine's width
//   threads=N    number of threads, in engines that have threads; default 1
//   outlines=F   write the final positions to a file: a line `kind body radius x y x y ...` for each piece; `body` is 0
//                for a static, 1 for a kinematic and 2 for a dynamic body
//   trace=F      write all poses to a file: a line at the start and after each step, with `x y angle vx vy w` of each
//                non-static body (position of the origin, velocity of the centre of mass), or six nan if it is missing
//
// SCENE is a name of scenes.h, or the path of a scene file with a '/'. Exit codes: 64 wrong arguments, 65 error in the
// scene file, 66 unreadable scene file, 73 trace not written, 1 rejected call.
//
// Each program includes this file first, defines the functions of `Engine` and ends with ENGINE_MAIN(engine). A
// program prints one line of key=value pairs. `ms`, `wall`: mean CPU and wall-clock time of a step [ms]; `bytes`,
// `peak`: growth of the heap since before the worlds were created, at the end and at its maximum [B]. The measures of
// quality.h and the engine's own pairs follow.
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
  int lanes, threads;   // SIMD width (0: the widest of the machine); number of worker threads
  const char *outlines; // path of the file of final positions, or null
  const char *trace;    // path of the file of all poses, or null
} Options;

// Functions of an engine. A body or a pin is given by its index in the scene. The scene says in which world a body is;
// a pin is in the world of its bodies.
typedef struct Engine {
  const char *name;
  void (*create)(const Scene *scene, const Options *options); // creates scene_worlds(scene) empty worlds
  void (*add)(int body);
  void (*join)(int pin);
  void (*unjoin)(int pin); // null in engines that remove pins with their bodies
  void (*remove)(int body);
  // Set the velocity of a kinematic body so that a step of length dt [s] moves it to (x, y) without rotation.
  void (*move)(int body, double x, double y, double dt);
  void (*step)(double dt); // all worlds, one after the other; dt is the length of the step [s]
  Pose (*pose)(int body);
  bool (*awake)(int body);
  void (*report)(int steps); // prints the engine's own " key=value" pairs; or null
} Engine;

typedef struct Run {
  const Engine *engine;
  Scene scene;
  Options options;
  bool *there;  // for each body of the scene: whether it exists
  double dt;    // length of the next step [s]
  int dts;      // number of changes in scene.dts that were applied so far
  int commands; // number of scene.commands executed so far
  int *moved;   // indices of the moved_count kinematic bodies that commands moved in the last step, each once
  int moved_count;
  // For each body: 1 + the last step in which a command moved it, or 0
  int *moved_step;
  FILE *trace; // the open trace file, or null
  double heap; // size of the heap before the world was created [B]
  double peak;
  double cpu, wall; // CPU time and wall clock of all steps [s]
} Run;

#if defined(__clang__)
#define ENGINE_COUNTED __attribute__((noinline))
#else
#define ENGINE_COUNTED __attribute__((noinline, noclone)) // not inlined, because profilers look for the function's name
#endif

enum { ENGINE_EXIT_TRACE = 73 };
enum { ENGINE_BLOCK = 8 }; // steps between two measurements of the heap; one measurement takes as long as a small step


static inline double engine_clock(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}


// Return the bytes on the heap, or 0 where the C library does not count them.
static inline double engine_heap(void) {
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
  struct mallinfo2 info = mallinfo2();
  return (double)info.uordblks + (double)info.hblkhd;
#else
  return 0;
#endif
}


// Add bodies first..first + count - 1, then their pins.
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


static inline void engine_move(Run *run, int step, const Command *command) {
  int body = command->body;
  if (run->moved_step[body] == 0) run->moved[run->moved_count++] = body;
  run->moved_step[body] = step + 1;
  run->engine->move(body, command->x, command->y, run->dt);
}


// Stop the bodies that were moved in the last step and are not moved in this step: some engines would keep their
// velocity.
static inline void engine_halt(Run *run, int step) {
  int kept = 0;
  for (int i = 0; i < run->moved_count; ++i) {
    int body = run->moved[i];
    if (run->moved_step[body] == step + 1) {
      run->moved[kept++] = body;
      continue;
    }
    run->moved_step[body] = 0;
    if (!run->there[body]) continue;
    Pose pose = run->engine->pose(body);
    run->engine->move(body, pose.x, pose.y, run->dt);
  }
  run->moved_count = kept;
}


static inline void engine_obey(Run *run, int step, const Command *command) {
  if (command->kind == COMMAND_MOVE) {
    engine_move(run, step, command);
  } else if (command->kind == COMMAND_SPAWN) {
    engine_spawn(run, command->body, command->bodies, command->pin, command->pins);
  } else {
    engine_remove(run, command);
  }
}


static inline void engine_step(Run *run, int step) {
  Command commands[SCENE_COMMANDS];
  const Scene *scene = &run->scene;
  while (run->dts < scene->dt_count && scene->dts[run->dts].step <= step) run->dt = scene->dts[run->dts++].dt;
  int count = scene->act != NULL ? scene->act(scene, step, commands) : 0;
  for (int i = 0; i < count; ++i) engine_obey(run, step, &commands[i]);
  for (; run->commands < scene->command_count && scene->commands[run->commands].step <= step; ++run->commands) {
    engine_obey(run, step, &scene->commands[run->commands].command);
  }
  if (run->moved_count > 0) engine_halt(run, step);
  run->engine->step(run->dt);
}


static inline int engine_awake(const Run *run) {
  int count = 0;
  for (int i = 0; i < run->scene.count; ++i) {
    count += run->there[i] && run->scene.bodies[i].kind == BODY_DYNAMIC && run->engine->awake(i);
  }
  return count;
}


// Create the initial bodies. If the scene has `settle`, step until all bodies sleep, at most 1200 times. Not inlined,
// because a profiler counts between the entry and the exit.
ENGINE_COUNTED static void engine_begin(Run *run) {
  const Scene *scene = &run->scene;
  run->heap = engine_heap();
  run->dt = scene->dt;
  run->engine->create(scene, &run->options);
  for (int i = 0; i < scene->count; ++i) {
    if (!scene->bodies[i].later) engine_spawn(run, i, 1, 0, 0);
  }
  for (int i = 0; i < scene->pin_count; ++i) {
    const Pin *pin = &scene->pins[i];
    if (run->there[pin->a] && run->there[pin->b]) run->engine->join(i);
  }
  for (int i = 0; scene->settle && i < 1200 && engine_awake(run) > 0; ++i) run->engine->step(run->dt);
}


static inline Pose engine_pose(const Run *run, int i) {
  const Body *body = &run->scene.bodies[i];
  Pose pose = {body->x, body->y, body->angle, 0, 0, 0, run->there[i]};
  if (!run->there[i] || body->kind == BODY_STATIC) return pose;
  pose = run->engine->pose(i);
  pose.there = true;
  return pose;
}


// Open the trace file with a static buffer, outside of the heap.
static inline bool engine_open_trace(Run *run) {
  static char buffer[1 << 16];
  run->trace = fopen(run->options.trace, "w");
  if (run->trace == NULL) {
    fprintf(stderr, "cannot write %s\n", run->options.trace);
    return false;
  }
  setvbuf(run->trace, buffer, _IOFBF, sizeof buffer);
  return true;
}


static inline void engine_trace(Run *run) {
  const char *blank = "";
  for (int i = 0; i < run->scene.count; ++i) {
    if (run->scene.bodies[i].kind == BODY_STATIC) continue;
    Pose pose = engine_pose(run, i);
    if (pose.there) {
      fprintf(run->trace, "%s%.9g %.9g %.9g %.9g %.9g %.9g", blank, pose.x, pose.y, pose.angle, pose.vx, pose.vy,
              pose.w);
    } else {
      fprintf(run->trace, "%snan nan nan nan nan nan", blank);
    }
    blank = " ";
  }
  fprintf(run->trace, "\n");
}


static inline bool engine_close_trace(Run *run) {
  bool failed = ferror(run->trace) != 0;
  if (fclose(run->trace) == 0 && !failed) return true;
  fprintf(stderr, "cannot write %s\n", run->options.trace);
  return false;
}


// Time the steps. With a trace each step is timed separately.
ENGINE_COUNTED static void engine_measure(Run *run, int steps) {
  int block = run->trace != NULL ? 1 : ENGINE_BLOCK;
  for (int step = 0; step < steps;) {
    int end = step + block < steps ? step + block : steps;
    double cpu = engine_clock(CLOCK_PROCESS_CPUTIME_ID), wall = engine_clock(CLOCK_MONOTONIC);
    for (; step < end; ++step) engine_step(run, step);
    run->wall += engine_clock(CLOCK_MONOTONIC) - wall;
    run->cpu += engine_clock(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    run->peak = fmax(run->peak, engine_heap() - run->heap);
    if (run->trace != NULL) engine_trace(run);
  }
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


// Return the value of a text that is a whole number; -1 for any other text.
static inline int engine_number(const char *text) {
  char *end = NULL;
  long number = strtol(text, &end, 10);
  return end == text || *end != '\0' || number < 0 || number > 1000000000 ? -1 : (int)number;
}


// Read an option; return false for an unknown key or an invalid number.
static inline bool engine_option(Options *options, const char *text) {
  if (strncmp(text, "outlines=", 9) == 0) {
    options->outlines = text + 9;
    return true;
  }
  if (strncmp(text, "trace=", 6) == 0) {
    options->trace = text + 6;
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
    fprintf(stderr, "usage: %s SCENE SIZE STEPS [lanes=N] [threads=N] [outlines=FILE] [trace=FILE]\n", argv[0]);
    return 64;
  }
  if (run.options.trace != NULL && !engine_open_trace(&run)) {
    scene_free(&run.scene);
    return ENGINE_EXIT_TRACE;
  }
  run.there = (bool *)calloc((size_t)run.scene.count + 1, sizeof *run.there);
  run.moved = (int *)calloc((size_t)run.scene.count + 1, sizeof *run.moved);
  run.moved_step = (int *)calloc((size_t)run.scene.count + 1, sizeof *run.moved_step);
  Pose *poses = (Pose *)malloc((size_t)(run.scene.count + 1) * sizeof *poses);
  if (run.there == NULL || run.moved == NULL || run.moved_step == NULL || poses == NULL) return 1;
  engine_begin(&run);
  if (run.trace != NULL) engine_trace(&run);
  engine_measure(&run, steps);
  double bytes = engine_heap() - run.heap;
  for (int i = 0; i < run.scene.count; ++i) poses[i] = engine_pose(&run, i);
  engine_print(&run, poses, steps, bytes);
  if (run.options.outlines != NULL) engine_outlines(&run, poses);
  bool traced = run.trace == NULL || engine_close_trace(&run);
  free(poses);
  free(run.there);
  free(run.moved);
  free(run.moved_step);
  scene_free(&run.scene);
  return traced ? 0 : ENGINE_EXIT_TRACE;
}

#define ENGINE_MAIN(engine) \
  int main(int argc, char **argv) { return engine_main(&engine, argc, argv); }

#endif
