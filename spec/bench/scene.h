// What a scene of the benchmark is: plain data, the same for every engine. C17 and C++17.
//
// Units: m, kg, s, rad. Continuous collision is on in every engine that has it.
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

// Material and collision filter of a piece. Frictions mix as sqrt(a b), restitutions as the larger one, thresholds as
// the smaller one.
typedef struct Surface {
  double density, friction, restitution;
  double threshold; // restitution threshold: a slower approach does not bounce [m/s]; negative: the engine's default
  // Two pieces meet when each one's category is in the other's mask. 16 bits, which is what Box2D 2.4 has. Pieces of
  // the same negative group never meet.
  uint16_t category, mask;
  int16_t group;
  bool hits; // whoever approaches it faster than 1 m/s makes a hit event, in engines that have them
} Surface;

typedef enum PieceKind {
  PIECE_BOX,     // corners, counter-clockwise from the lowest left one
  PIECE_CIRCLE,  // its centre
  PIECE_CAPSULE, // the ends of its axis
  PIECE_POLYGON, // corners of a convex one, counter-clockwise
  PIECE_SEGMENT, // a line without mass, solid from both sides
  PIECE_LOOP // a closed line without mass, solid from the right of its direction; smooth where an engine can do that
} PieceKind;

typedef struct Piece {
  PieceKind kind;
  int first, count; // its points in scene->points, in the frame of its body
  double radius;    // boxes and polygons are grown outward by it
  Surface surface;
} Piece;

typedef enum BodyKind { BODY_STATIC, BODY_KINEMATIC, BODY_DYNAMIC } BodyKind;

typedef struct Body {
  BodyKind kind;
  int world;        // index of its world, 0..scene_worlds - 1
  double x, y;      // of its origin
  double angle;     // at the start
  double vx, vy, w; // velocity of its centre of mass, angular velocity
  int first, count; // its pieces
  bool fixed_rotation;
  bool bullet;       // continuous collision against dynamic bodies too
  bool asleep;       // from the start
  bool restless;     // never falls asleep
  double rest_speed; // slower than this is at rest [m/s], where an engine has that by body; 0: as the engine has it
  bool later;        // not there until a command spawns it; nor are its pins
} Body;

typedef enum PinKind {
  PIN_REVOLUTE,
  PIN_WELD, // rigid: also keeps the angle between the bodies that they start with
} PinKind;

// A joint between two bodies of the same world: a point of body a and a point of body b coincide. The angle of a
// revolute is that of b less that of a less the reference; motor, limit and spring act on it. A weld reads neither
// these nor the reference.
typedef struct Pin {
  PinKind kind;
  int a, b;
  double x_a, y_a, x_b, y_b; // the points, each in its body's frame
  double reference;
  bool motor, limit, spring;
  double speed, torque;        // of the motor; friction is a motor of speed 0. The torque may be infinite
  double lower, upper;         // of the limit
  double hertz, damping, rest; // of the spring: frequency for the two bodies' inertias alone, damping ratio, angle
} Pin;

typedef enum CommandKind { COMMAND_MOVE, COMMAND_SPAWN, COMMAND_REMOVE } CommandKind;

// What happens before a step.
typedef struct Command {
  CommandKind kind;
  int body, bodies; // which they are: the first, how many
  int pin, pins;    // that are spawned or removed with them
  double x, y;      // where a kinematic body is to be at the end of the step
} Command;

enum { SCENE_COMMANDS = 16 }; // most commands of `act` before one step

// A command that a scene gives before a known step, counted from 0.
typedef struct StepCommand {
  int step;
  Command command;
} StepCommand;

// The length of a step is `dt` from step `step` on, counted from 0.
typedef struct DtChange {
  int step;
  double dt; // [s]
} DtChange;

// Where bodies are to stay: a box or a disc in the frame of a body.
typedef struct Region {
  int body;                             // -1: there is none
  double x, y, half_width, half_height; // of a disc the half width is its radius
  bool disc;
} Region;

typedef struct Scene {
  Point *points;
  int point_count, point_room;
  Piece *pieces;
  int piece_count, piece_room;
  Body *bodies; // in the order of creation   (count)
  int count, room;
  Pin *pins; // in the order of creation, none between two bodies that cannot move   (pin_count)
  int pin_count, pin_room;
  DtChange *dts; // by ascending step   (dt_count)
  int dt_count, dt_room;
  StepCommand *commands; // by ascending step; obeyed after those of `act`   (command_count)
  int command_count, command_room;
  Surface surface; // of the pieces to be added
  int world;       // of the bodies to be added
  int worlds;      // number of worlds, stepped one after the other; 0 means 1
  double dt;       // length of the first step [s]
  Point gravity;   // of all worlds
  bool sleep;
  bool settle; // what is measured begins when all sleep
  Region region;
  // Fills `commands` (SCENE_COMMANDS) with what happens before the step, counted from 0, and says how many they are.
  int (*act)(const struct Scene *scene, int step, Command *commands); // null: nothing ever
  int size;                                                           // as it was asked for
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


static inline int scene_worlds(const Scene *scene) { return scene->worlds > 1 ? scene->worlds : 1; }


// A body without pieces, at rest, the scene's last; it may move in memory when the next one is added.
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


// A piece of the last body.
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


// By its centre and half extents.
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


// Between the points of two bodies, one of which at least is dynamic.
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


// Steps must be added in ascending order.
static inline void scene_change_dt(Scene *scene, int step, double dt) {
  DtChange change = {step, dt};
  scene->dts = (DtChange *)scene_grow(scene->dts, scene->dt_count, &scene->dt_room, sizeof *scene->dts);
  scene->dts[scene->dt_count++] = change;
}


// Steps must be added in ascending order.
static inline void scene_command(Scene *scene, int step, Command command) {
  StepCommand added = {step, command};
  scene->commands =
      (StepCommand *)scene_grow(scene->commands, scene->command_count, &scene->command_room, sizeof *scene->commands);
  scene->commands[scene->command_count++] = added;
}


// The region in the frame of a body; a height of 0 makes it a disc with the half width as its radius.
static inline void scene_keep(Scene *scene, int body, double x, double y, double half_width, double half_height) {
  Region region = {body, x, y, half_width, half_height, half_height <= 0};
  scene->region = region;
}


static inline bool scene_meet(const Surface *a, const Surface *b) {
  if (a->group != 0 && a->group == b->group) return a->group > 0;
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

#endif
