// A scene of the benchmark: plain data. Units: m, kg, s, rad. Continuous collision is on in every engine that has it.
#ifndef BENCH_SCENE_H
#define BENCH_SCENE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double SCENE_DT = 1.0 / 60, SCENE_PI = 3.14159265358979323846, SCENE_INFINITE = (double)INFINITY;

typedef struct Point {
  double x, y;
} Point;

// Material and collision filter of a piece. For two pieces, the friction is the geometric mean, the restitution the
// larger, and the threshold the smaller of the two values.
typedef struct Surface {
  double density, friction, restitution;
  double threshold; // restitution threshold: a slower approach does not bounce [m/s]; negative: the engine's default
  // Two pieces collide if the category of each is in the mask of the other. Pieces of the same group always collide if
  // it is positive, and never if it is negative; 0: no group.
  uint16_t category, mask;
  int16_t group;
  bool hits; // an impact faster than 1 m/s makes a hit event, if the engine has hit events
} Surface;

typedef enum PieceKind {
  PIECE_BOX,     // four points: the corners, counter-clockwise from the lower left corner
  PIECE_CIRCLE,  // one point: the centre
  PIECE_CAPSULE, // two points: the ends of the capsule's axis
  PIECE_POLYGON, // points: the corners of a convex polygon, counter-clockwise
  PIECE_SEGMENT, // a line without mass, solid on both sides
  // a closed line without mass, solid on the right of its direction; without collisions at its internal edges in
  // engines that can prevent them
  PIECE_LOOP
} PieceKind;

typedef struct Piece {
  PieceKind kind;
  int first, count; // the piece's points are scene->points[first..first + count - 1], in the body's frame
  double radius; // radius of a circle or capsule; radius of the round corners that boxes and polygons grow outward [m]
  Surface surface;
} Piece;

typedef enum BodyKind { BODY_STATIC, BODY_KINEMATIC, BODY_DYNAMIC } BodyKind;

typedef struct Body {
  BodyKind kind;
  int world;        // index of the body's world, 0..scene_worlds - 1
  double x, y;      // position of the origin
  double angle;     // initial angle [rad]
  double vx, vy, w; // velocity of the centre of mass, angular velocity
  int first, count; // index of the body's first piece in scene->pieces, and number of pieces
  bool fixed_rotation;
  bool bullet;       // a bullet: continuous collision with dynamic bodies too
  bool asleep;       // asleep at the start
  bool restless;     // never sleeps
  double rest_speed; // speed below which the body is at rest [m/s], in engines that support it; 0: the default
  bool later;        // a command spawns the body and its pins
} Body;

typedef enum PinKind {
  PIN_REVOLUTE,
  PIN_WELD, // rigid: also keeps the initial angle between the bodies
} PinKind;

// A joint that holds a point of body a and a point of body b together. Motor, limit and spring act on the angle of a
// revolute: angle of b - angle of a - reference. A weld ignores them.
typedef struct Pin {
  PinKind kind;
  int a, b;
  double x_a, y_a, x_b, y_b; // the points that the joint holds together, each in the frame of its body
  double reference;
  bool motor, limit, spring;
  // Speed and torque of the motor; friction is a motor of speed 0. The torque may be infinite.
  double speed, torque;
  double lower, upper; // bounds of the limit
  // Spring: frequency [Hz] (the stiffness follows from the two bodies' inertias alone), damping ratio, rest angle.
  double hertz, damping, rest;
} Pin;

typedef enum CommandKind { COMMAND_MOVE, COMMAND_SPAWN, COMMAND_REMOVE } CommandKind;

// An action before a step.
typedef struct Command {
  CommandKind kind;
  int body, bodies; // index of the first body, and number of bodies
  int pin, pins;    // index of the first pin that is spawned or removed with the bodies, and number of such pins
  double x, y;      // position of a kinematic body at the end of the step
} Command;

enum { SCENE_COMMANDS = 16 }; // largest number of commands from `act` before one step

// A command before a known step, counted from 0.
typedef struct StepCommand {
  int step;
  Command command;
} StepCommand;

// From step number `step` on (counted from 0), steps have the length `dt`.
typedef struct DtChange {
  int step;
  double dt; // [s]
} DtChange;

// A region in which bodies should stay: a box or a disc in the frame of a body.
typedef struct Region {
  int body;                             // -1: no region
  double x, y, half_width, half_height; // centre, and half extents; the half width of a disc is its radius [m]
  bool disc;
} Region;

typedef struct Scene {
  Point *points;
  int point_count, point_room;
  Piece *pieces;
  int piece_count, piece_room;
  Body *bodies; // `count` bodies, in the order of creation
  int count, room;
  Pin *pins; // pin_count pins, in the order of creation; no pin joins two immovable bodies
  int pin_count, pin_room;
  DtChange *dts; // dt_count changes of the step's length, by ascending step
  int dt_count, dt_room;
  StepCommand *commands; // command_count commands, by ascending step; executed after the commands of `act`
  int command_count, command_room;
  Surface surface; // surface of the pieces to be added next
  int world;       // world of the bodies to be added next
  int worlds;      // number of worlds, stepped one after the other; 0 means 1
  double dt;       // length of the first step [s]
  Point gravity;   // gravity of all worlds [m/s^2]
  bool sleep;
  bool settle; // the measurement begins when all bodies sleep
  Region region;
  // Writes to `commands` the actions before `step` (counted from 0) and returns their number, at most SCENE_COMMANDS.
  int (*act)(const struct Scene *scene, int step, Command *commands); // null: no actions
  int size;                                                           // the size given on the command line
} Scene;


// Return the array with room for one more element of `size` bytes.
static inline void *scene_grow(void *array, int count, int *room, size_t size) {
  if (count < *room) return array;
  *room = *room > 0 ? 2 * *room : 1024;
  array = realloc(array, (size_t)*room * size);
  if (array != NULL) return array;
  fprintf(stderr, "out of memory\n");
  exit(1);
}


static inline int scene_worlds(const Scene *scene) { return scene->worlds > 1 ? scene->worlds : 1; }


// Add a body without pieces. The next call invalidates the pointer.
static inline Body *scene_add(Scene *scene, BodyKind kind, double x, double y) {
  scene->bodies = (Body *)scene_grow(scene->bodies, scene->count, &scene->room, sizeof *scene->bodies);
  Body *body = &scene->bodies[scene->count++];
  memset(body, 0, sizeof *body);
  body->kind = kind;
  body->world = scene->world;
  body->x = x;
  body->y = y;
  body->first = scene->piece_count;
  return body;
}


// Add a piece to the last body.
static inline Piece *scene_piece(Scene *scene, PieceKind kind, const Point *points, int count, double radius) {
  Piece piece = {kind, scene->point_count, count, radius, scene->surface};
  for (int i = 0; i < count; ++i) {
    scene->points = (Point *)scene_grow(scene->points, scene->point_count, &scene->point_room, sizeof *scene->points);
    scene->points[scene->point_count++] = points[i];
  }
  scene->pieces = (Piece *)scene_grow(scene->pieces, scene->piece_count, &scene->piece_room, sizeof *scene->pieces);
  scene->pieces[scene->piece_count] = piece;
  ++scene->bodies[scene->count - 1].count;
  return &scene->pieces[scene->piece_count++];
}


// Add a box with a centre and half extents to the last body.
static inline Piece *scene_box(Scene *scene, double x, double y, double half_width, double half_height) {
  const Point corners[] = {{x - half_width, y - half_height},
                           {x + half_width, y - half_height},
                           {x + half_width, y + half_height},
                           {x - half_width, y + half_height}};
  return scene_piece(scene, PIECE_BOX, corners, 4, 0);
}


static inline Piece *scene_circle(Scene *scene, double x, double y, double radius) {
  const Point centre = {x, y};
  return scene_piece(scene, PIECE_CIRCLE, &centre, 1, radius);
}


static inline Piece *scene_capsule(Scene *scene, double x_1, double y_1, double x_2, double y_2, double radius) {
  const Point ends[] = {{x_1, y_1}, {x_2, y_2}};
  return scene_piece(scene, PIECE_CAPSULE, ends, 2, radius);
}


static inline Piece *scene_segment(Scene *scene, double x_1, double y_1, double x_2, double y_2) {
  const Point ends[] = {{x_1, y_1}, {x_2, y_2}};
  return scene_piece(scene, PIECE_SEGMENT, ends, 2, 0);
}


// Add a pin between points of two bodies. At least one of the bodies is dynamic.
static inline Pin *scene_pin(Scene *scene, int a, int b, double x_a, double y_a, double x_b, double y_b) {
  scene->pins = (Pin *)scene_grow(scene->pins, scene->pin_count, &scene->pin_room, sizeof *scene->pins);
  Pin *pin = &scene->pins[scene->pin_count++];
  memset(pin, 0, sizeof *pin);
  pin->a = a;
  pin->b = b;
  pin->x_a = x_a;
  pin->y_a = y_a;
  pin->x_b = x_b;
  pin->y_b = y_b;
  return pin;
}


// Change the length of steps from `step` on. Calls must have ascending steps.
static inline void scene_change_dt(Scene *scene, int step, double dt) {
  DtChange change = {step, dt};
  scene->dts = (DtChange *)scene_grow(scene->dts, scene->dt_count, &scene->dt_room, sizeof *scene->dts);
  scene->dts[scene->dt_count++] = change;
}


// Add a command. Calls must have ascending steps.
static inline void scene_command(Scene *scene, int step, Command command) {
  StepCommand added = {step, command};
  scene->commands =
      (StepCommand *)scene_grow(scene->commands, scene->command_count, &scene->command_room, sizeof *scene->commands);
  scene->commands[scene->command_count++] = added;
}


// Set the region in which bodies should stay. `x`, `y`: centre in the frame of `body`. If half_height is 0, the region
// is a disc of radius half_width; otherwise it is a box.
static inline void scene_keep(Scene *scene, int body, double x, double y, double half_width, double half_height) {
  Region region = {body, x, y, half_width, half_height, half_height <= 0};
  scene->region = region;
}


static inline bool scene_meet(const Surface *a, const Surface *b) {
  if (a->group != 0 && a->group == b->group) return a->group > 0;
  return (a->category & b->mask) != 0 && (b->category & a->mask) != 0;
}


// Return a number in [-1, 1) from the bits of i (the finaliser of MurmurHash3).
static inline double scene_jitter(uint32_t i) {
  uint32_t h = i + 0x9e3779b9u;
  h = (h ^ (h >> 16)) * 0x85ebca6bu;
  h = (h ^ (h >> 13)) * 0xc2b2ae35u;
  h ^= h >> 16;
  return (double)h / 2147483648.0 - 1;
}

#endif
