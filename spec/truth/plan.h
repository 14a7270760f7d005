// Reads a plan, which is a scene of the accuracy tests (make truth), for an engine, and prints the trace: PROGRAM PLAN
//
// A plan consists of lines of a word and numbers, in SI units; spec/truth/plan.lua writes them.
//   world GX GY DT STEPS DAMPING           gravity; length and number of steps; damping of every body: v' = -damping v
//   body X Y ANGLE VX VY W MASS INERTIA    MASS 0: both follow from the shapes; INERTIA 0: no rotation
//   circle BODY R X Y TURN DENSITY FRICTION RESTITUTION   at X, Y of the body
//   box BODY WIDTH HEIGHT X Y TURN DENSITY FRICTION RESTITUTION
//   revolute A B X Y TORQUE                TORQUE > 0: with a motor of speed 0 and this torque limit
//   rod A B AX AY BX BY                    the anchors keep their distance
//   spring A B AX AY BX BY LENGTH STIFFNESS DAMPING
//   pulley A B GAX GAY GBX GBY AX AY BX BY   one rope over two fixed wheels
//   attract BODY GM                        towards the origin, with GM / r^2 for each kg
// Body 0 is the ground, which always exists; the others count from 1. Anchors are world points.
// The trace has a line for the start and one after each step: "at", then x y angle vx vy w of each body except the
// ground, then the magnitude of each joint's force. A line "refused: why" means that the engine cannot play the plan;
// other lines are ignored. C17 and C++17.
#ifndef TRUTH_PLAN_H
#define TRUTH_PLAN_H

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLAN_MAX_LINES = 512, PLAN_MAX_BODIES = 128, PLAN_MAX_NUMBERS = 12 };

typedef struct PlanLine {
  char word[16];
  double n[PLAN_MAX_NUMBERS];
} PlanLine;

typedef struct Plan {
  double gravity_x, gravity_y, dt, damping;
  int steps;
  PlanLine lines[PLAN_MAX_LINES]; // all lines of the plan except its `world` line
  int count;
} Plan;


// `make` creates the object for a line of a plan that begins with `word`.
typedef struct PlanMaker {
  const char *word;
  void (*make)(const double *n);
} PlanMaker;


static inline bool plan_is(const PlanLine *line, const char *word) { return strcmp(line->word, word) == 0; }


static inline void plan_refuse(const char *why) {
  printf("refused: %s\n", why);
  exit(0);
}


// Read a line into its word and numbers. Changes `text`.
static inline void plan_read_line(char *text, PlanLine *out) {
  char *word = strtok(text, " \n");
  memset(out, 0, sizeof *out);
  if (word != NULL) strncpy(out->word, word, sizeof out->word - 1);
  for (int i = 0; i < PLAN_MAX_NUMBERS; ++i) {
    char *number = strtok(NULL, " \n");
    if (number == NULL) break;
    out->n[i] = strtod(number, NULL);
  }
}


static inline const Plan *plan_read(int argc, char **argv) {
  static Plan plan;
  static char text[512];
  FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
  if (file == NULL) {
    fprintf(stderr, "use: %s PLAN\n", argv[0]);
    exit(2);
  }
  while (fgets(text, sizeof text, file) != NULL) {
    PlanLine line;
    plan_read_line(text, &line);
    if (plan_is(&line, "world")) {
      plan.gravity_x = line.n[0];
      plan.gravity_y = line.n[1];
      plan.dt = line.n[2];
      plan.steps = (int)line.n[3];
      plan.damping = line.n[4];
    } else if (plan.count < PLAN_MAX_LINES) {
      plan.lines[plan.count++] = line;
    } else {
      plan_refuse("the plan has too many lines");
    }
  }
  fclose(file);
  return &plan;
}


// Create all objects of a plan. The last element of `makers` has a null word.
static inline void plan_make(const Plan *plan, const PlanMaker *makers) {
  for (int i = 0; i < plan->count; ++i) {
    const PlanMaker *maker = makers;
    while (maker->word != NULL && !plan_is(&plan->lines[i], maker->word)) ++maker;
    if (maker->word == NULL) plan_refuse(plan->lines[i].word);
    maker->make(plan->lines[i].n);
  }
}


// Call `push` for each line with this word. Engines call plan_push before each step, for forces that act only in one
// step.
static inline void plan_push(const Plan *plan, const char *word, void (*push)(const double *n)) {
  for (int i = 0; i < plan->count; ++i) {
    if (plan_is(&plan->lines[i], word)) push(plan->lines[i].n);
  }
}


static inline void plan_print_body(double x, double y, double angle, double vx, double vy, double w) {
  printf("%.17g %.17g %.17g %.17g %.17g %.17g ", x, y, angle, vx, vy, w);
}

#endif
