// Reads a scene from a text file.
//
// A line is a word and its arguments, separated by blanks; '#' begins a comment. Units: m, kg, s, rad. Points of pieces
// and pins are in the frame of their body. Arguments in [] are optional; they come last, in any order. The lines
// from `box` to `loop` each add a piece to the body above them. STEP counts from 0, and ascends from `at` to `at`.
//
//   gravity GX GY                 default 0 -10
//   dt SECONDS                    length of a step until an `at` changes it, default 1/60
//   sleep 0|1                     whether bodies may fall asleep, default 0
//   worlds N                      number of worlds, default 1; before the first body
//   surface DENSITY FRICTION RESTITUTION THRESHOLD CATEGORY MASK GROUP
//                                 of the next pieces, default 1 0.6 0 -1 1 65535 0; see Surface in scene.h
//   body KIND X Y ANGLE VX VY W [world=N] [asleep] [restless] [fixed_rotation] [bullet]
//                                 KIND is static, kinematic or dynamic; origin, angle, velocity of the centre of mass,
//                                 angular velocity
//   box CX CY HALF_WIDTH HALF_HEIGHT ANGLE RADIUS
//   circle CX CY RADIUS
//   capsule X1 Y1 X2 Y2 RADIUS
//   polygon RADIUS N X Y ...      strictly convex, counter-clockwise, 3 to 8 corners
//   segment X1 Y1 X2 Y2
//   loop N X Y ...                3 or more points
//   pin revolute|weld A B XA YA XB YB REFERENCE [motor=SPEED,TORQUE] [limit=LOWER,UPPER] [spring=HERTZ,DAMPING,REST]
//                                 A and B count bodies from 0; TORQUE may be inf
//   at STEP dt SECONDS            length of the steps from step STEP on
//   at STEP move BODY X Y         position of a kinematic body's origin at the end of step STEP; the body does not
//                                 turn, and stands still in the next step unless it is moved again
//
// An error ends the program with `FILE:LINE: what` on stderr and exit code 65, an unreadable file with exit code 66.
#ifndef BENCH_SCENE_FILE_H
#define BENCH_SCENE_FILE_H

#include <errno.h>
#include <stdarg.h>
#include <sys/types.h>

#include "scene_mass.h"

enum { SCENE_EXIT_FORMAT = 65, SCENE_EXIT_UNREADABLE = 66 };
enum { SCENE_CORNERS = 8, SCENE_LOOP_POINTS = 1000000, SCENE_LAST_STEP = 1000000000 };

static const double SCENE_BOUND = 1e6; // largest coordinate [m], velocity [m/s, rad/s] or angle [rad]
// Shortest edge of a piece [m]: Box2D merges corners that are closer than half of this length.
static const double SCENE_EDGE = 0.005;
// Least distance of a polygon's corner from the lines through the edges that do not contain it [m].
static const double SCENE_BULGE = 1e-4;
// Least density of a piece of a dynamic body, and least ratio of a body's inertia about its centre of mass to its
// inertia about the origin: Box2D computes both inertias in float.
static const double SCENE_DENSITY = 1e-6, SCENE_INERTIA = 1e-5;

// The state of the reader at a line of the file.
typedef struct SceneReader {
  Scene *scene;
  const char *path;
  int line;         // number of the current line, counted from 1
  const char *word; // first word of the line
  char *next;       // rest of the line
  int body_line;    // number of the line with the last body
  int asleep_line;  // number of the line with the first body that starts asleep, or 0
  Mass mass;        // mass of the last body's pieces so far
  int step;         // step of the last `at`
} SceneReader;


// Print an error with the reader's line and end the program.
__attribute__((noreturn, format(printf, 2, 3))) static inline void scene_fail(const SceneReader *reader,
                                                                              const char *format, ...) {
  va_list arguments;
  fprintf(stderr, "%s:%d: ", reader->path, reader->line);
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fprintf(stderr, "\n");
  exit(SCENE_EXIT_FORMAT);
}


// ---------------------------------------------------------------------------------------------------------------------
// Words and numbers
// ---------------------------------------------------------------------------------------------------------------------

// Return the next word of the line, or null at its end.
static inline char *scene_next(SceneReader *reader) {
  static const char blanks[] = " \t\r\n\v\f";
  char *word = reader->next + strspn(reader->next, blanks);
  if (*word == '\0') return NULL;
  char *end = word + strcspn(word, blanks);
  reader->next = *end != '\0' ? end + 1 : end;
  *end = '\0';
  return word;
}


static inline char *scene_need(SceneReader *reader, const char *name) {
  char *word = scene_next(reader);
  if (word == NULL) scene_fail(reader, "%s: %s is missing", reader->word, name);
  return word;
}


static inline double scene_to_number(const SceneReader *reader, const char *text, const char *name, double lower,
                                     double upper) {
  char *end = NULL;
  double number = strtod(text, &end);
  if (end == text || *end != '\0' || isnan(number)) {
    scene_fail(reader, "%s: %s must be a number, got '%.40s'", reader->word, name, text);
  }
  if (isinf(number) && !isinf(upper)) {
    scene_fail(reader, "%s: %s must be finite, got '%.40s'", reader->word, name, text);
  }
  if (!(number >= lower && number <= upper)) {
    scene_fail(reader, "%s: %s must be from %g to %g, got '%.40s'", reader->word, name, lower, upper, text);
  }
  return number;
}


static inline double scene_number(SceneReader *reader, const char *name, double lower, double upper) {
  return scene_to_number(reader, scene_need(reader, name), name, lower, upper);
}


// Read a coordinate, velocity or angle.
static inline double scene_value(SceneReader *reader, const char *name) {
  return scene_number(reader, name, -SCENE_BOUND, SCENE_BOUND);
}


static inline Point scene_point(SceneReader *reader, const char *name_x, const char *name_y) {
  Point point;
  point.x = scene_value(reader, name_x);
  point.y = scene_value(reader, name_y);
  return point;
}


static inline int scene_to_integer(const SceneReader *reader, const char *text, const char *name, int lower,
                                   int upper) {
  char *end = NULL;
  errno = 0;
  long number = strtol(text, &end, 10);
  if (end == text || *end != '\0') {
    scene_fail(reader, "%s: %s must be an integer, got '%.40s'", reader->word, name, text);
  }
  if (errno != 0 || number < lower || number > upper) {
    scene_fail(reader, "%s: %s must be from %d to %d, got '%.40s'", reader->word, name, lower, upper, text);
  }
  return (int)number;
}


static inline int scene_integer(SceneReader *reader, const char *name, int lower, int upper) {
  return scene_to_integer(reader, scene_need(reader, name), name, lower, upper);
}


// Read an index into the scene's bodies.
static inline int scene_reference(SceneReader *reader, const char *name) {
  const char *text = scene_need(reader, name);
  int index = scene_to_integer(reader, text, name, -0x7fffffff, 0x7fffffff);
  if (index < 0 || index >= reader->scene->count) {
    scene_fail(reader, "%s: %s: body %d does not exist; the lines above define %d", reader->word, name, index,
               reader->scene->count);
  }
  return index;
}


// If the option is `name`, mark it as given and return true. A second time is an error.
static inline bool scene_flag(const SceneReader *reader, const char *option, const char *name, bool *given) {
  if (strcmp(option, name) != 0) return false;
  if (*given) scene_fail(reader, "%s: %s is given twice", reader->word, name);
  *given = true;
  return true;
}


// Like scene_flag, for an option `name=VALUE,...` with `count` values. Store the texts of the values in `out_values`,
// which must have room for `count`.
static inline bool scene_values(const SceneReader *reader, char *option, const char *name, bool *given,
                                char **out_values, int count) {
  size_t length = strlen(name);
  if (strncmp(option, name, length) != 0 || option[length] != '=') return false;
  option[length] = '\0';
  scene_flag(reader, option, name, given);
  char *value = option + length + 1;
  for (int i = 0; i < count; ++i) {
    char *comma = value + strcspn(value, ",");
    if ((*comma == ',') != (i + 1 < count)) scene_fail(reader, "%s: %s needs %d values", reader->word, name, count);
    out_values[i] = value;
    value = comma + (*comma == ',');
    *comma = '\0';
  }
  return true;
}


// ---------------------------------------------------------------------------------------------------------------------
// Settings
// ---------------------------------------------------------------------------------------------------------------------

static inline double scene_read_seconds(SceneReader *reader) { return scene_number(reader, "SECONDS", 1e-6, 1); }
static inline void scene_read_dt(SceneReader *reader) { reader->scene->dt = scene_read_seconds(reader); }
static inline void scene_read_gravity(SceneReader *reader) { reader->scene->gravity = scene_point(reader, "GX", "GY"); }
static inline void scene_read_sleep(SceneReader *reader) { reader->scene->sleep = scene_integer(reader, "0|1", 0, 1); }


static inline void scene_read_worlds(SceneReader *reader) {
  if (reader->scene->count > 0) scene_fail(reader, "worlds must come before the first body");
  reader->scene->worlds = scene_integer(reader, "N", 1, 1000000);
}


static inline void scene_read_surface(SceneReader *reader) {
  Surface *surface = &reader->scene->surface;
  surface->density = scene_number(reader, "DENSITY", 0, 1e9);
  surface->friction = scene_number(reader, "FRICTION", 0, SCENE_BOUND);
  surface->restitution = scene_number(reader, "RESTITUTION", 0, 1);
  surface->threshold = scene_value(reader, "THRESHOLD");
  surface->category = (uint16_t)scene_integer(reader, "CATEGORY", 0, 0xffff);
  surface->mask = (uint16_t)scene_integer(reader, "MASK", 0, 0xffff);
  surface->group = (int16_t)scene_integer(reader, "GROUP", -0x8000, 0x7fff);
}


// ---------------------------------------------------------------------------------------------------------------------
// Bodies and pieces
// ---------------------------------------------------------------------------------------------------------------------

// Check the last body after all its pieces were read. Chipmunk cannot create a dynamic body without mass.
static inline void scene_end_body(SceneReader *reader) {
  const Scene *scene = reader->scene;
  if (scene->count == 0 || scene->bodies[scene->count - 1].kind != BODY_DYNAMIC || reader->mass.mass > 0) return;
  reader->line = reader->body_line;
  scene_fail(reader, "body: dynamic body %d has no piece with an area", scene->count - 1);
}


static inline BodyKind scene_read_kind(SceneReader *reader) {
  const char *word = scene_need(reader, "KIND");
  if (strcmp(word, "static") == 0) return BODY_STATIC;
  if (strcmp(word, "kinematic") == 0) return BODY_KINEMATIC;
  if (strcmp(word, "dynamic") == 0) return BODY_DYNAMIC;
  scene_fail(reader, "body: KIND must be static, kinematic or dynamic, got '%.40s'", word);
}


static inline void scene_read_body_options(SceneReader *reader, Body *body) {
  bool world = false;
  char *value = NULL;
  for (char *option = scene_next(reader); option != NULL; option = scene_next(reader)) {
    if (scene_values(reader, option, "world", &world, &value, 1)) {
      body->world = scene_to_integer(reader, value, "world", 0, scene_worlds(reader->scene) - 1);
    } else if (!scene_flag(reader, option, "asleep", &body->asleep) &&
               !scene_flag(reader, option, "restless", &body->restless) &&
               !scene_flag(reader, option, "fixed_rotation", &body->fixed_rotation) &&
               !scene_flag(reader, option, "bullet", &body->bullet)) {
      scene_fail(reader, "body: unknown option or extra value '%.40s'", option);
    }
  }
}


// Reject velocities and flags that the engines treat differently.
static inline void scene_check_body(const SceneReader *reader, const Body *body) {
  bool moves = body->vx != 0 || body->vy != 0 || body->w != 0;
  if (body->kind == BODY_STATIC && moves) scene_fail(reader, "body: the velocity of a static body must be 0");
  if (body->fixed_rotation && body->w != 0) scene_fail(reader, "body: W must be 0 with fixed_rotation");
  if (body->asleep && body->kind != BODY_DYNAMIC) scene_fail(reader, "body: only a dynamic body can be asleep");
  if (body->asleep && moves) scene_fail(reader, "body: the velocity of an asleep body must be 0");
  if (body->asleep && body->restless) scene_fail(reader, "body: a restless body cannot be asleep");
}


static inline void scene_read_body(SceneReader *reader) {
  scene_end_body(reader);
  BodyKind kind = scene_read_kind(reader);
  Point origin = scene_point(reader, "X", "Y");
  Body *body = scene_add(reader->scene, kind, origin.x, origin.y);
  body->angle = scene_value(reader, "ANGLE");
  body->vx = scene_value(reader, "VX");
  body->vy = scene_value(reader, "VY");
  body->w = scene_value(reader, "W");
  scene_read_body_options(reader, body);
  scene_check_body(reader, body);
  reader->body_line = reader->line;
  memset(&reader->mass, 0, sizeof reader->mass);
  if (body->asleep && reader->asleep_line == 0) reader->asleep_line = reader->line;
}


// Check that a body exists before a piece is read.
static inline void scene_begin_piece(const SceneReader *reader) {
  if (reader->scene->count == 0) scene_fail(reader, "%s: a body must come first", reader->word);
}


// If the last body is dynamic, add the mass of a piece to it, and reject a piece with too little density or inertia.
static inline void scene_end_piece(SceneReader *reader, const Piece *piece) {
  const Scene *scene = reader->scene;
  if (scene->bodies[scene->count - 1].kind != BODY_DYNAMIC) return;
  if (piece->surface.density < SCENE_DENSITY) {
    scene_fail(reader, "%s: the density must be at least %g in a dynamic body", reader->word, SCENE_DENSITY);
  }
  Mass mass = reader->mass = mass_sum(reader->mass, mass_of_piece(scene, piece));
  double about_origin = mass.inertia + mass.mass * (mass.x * mass.x + mass.y * mass.y);
  if (mass.inertia < SCENE_INERTIA * about_origin) {
    scene_fail(reader, "%s: the shape is too small for its distance from the body's origin", reader->word);
  }
}


static inline double scene_length(SceneReader *reader, const char *name) {
  return scene_number(reader, name, 0.5 * SCENE_EDGE, SCENE_BOUND);
}


static inline void scene_check_edge(const SceneReader *reader, Point a, Point b) {
  double length = hypot(b.x - a.x, b.y - a.y);
  if (!(length >= SCENE_EDGE)) {
    scene_fail(reader, "%s: the points (%g, %g) and (%g, %g) are less than %g m apart", reader->word, a.x, a.y, b.x,
               b.y, SCENE_EDGE);
  }
}


static inline void scene_read_box(SceneReader *reader) {
  scene_begin_piece(reader);
  Point centre = scene_point(reader, "CX", "CY");
  double a = scene_length(reader, "HALF_WIDTH"), b = scene_length(reader, "HALF_HEIGHT");
  double angle = scene_value(reader, "ANGLE"), radius = scene_number(reader, "RADIUS", 0, SCENE_BOUND);
  if (angle == 0) {
    Piece *box = scene_box(reader->scene, centre.x, centre.y, a, b);
    box->radius = radius;
    scene_end_piece(reader, box);
    return;
  }
  const Point corners[] = {{-a, -b}, {a, -b}, {a, b}, {-a, b}};
  Point turned[4];
  double c = cos(angle), s = sin(angle);
  for (int i = 0; i < 4; ++i) {
    turned[i].x = centre.x + c * corners[i].x - s * corners[i].y;
    turned[i].y = centre.y + s * corners[i].x + c * corners[i].y;
  }
  scene_end_piece(reader, scene_piece(reader->scene, PIECE_POLYGON, turned, 4, radius));
}


static inline void scene_read_circle(SceneReader *reader) {
  scene_begin_piece(reader);
  Point centre = scene_point(reader, "CX", "CY");
  double radius = scene_length(reader, "RADIUS");
  scene_end_piece(reader, scene_circle(reader->scene, centre.x, centre.y, radius));
}


static inline void scene_read_ends(SceneReader *reader, Point *out_from, Point *out_to) {
  *out_from = scene_point(reader, "X1", "Y1");
  *out_to = scene_point(reader, "X2", "Y2");
  scene_check_edge(reader, *out_from, *out_to);
}


static inline void scene_read_capsule(SceneReader *reader) {
  Point from, to;
  scene_begin_piece(reader);
  scene_read_ends(reader, &from, &to);
  double radius = scene_length(reader, "RADIUS");
  scene_end_piece(reader, scene_capsule(reader->scene, from.x, from.y, to.x, to.y, radius));
}


static inline void scene_read_segment(SceneReader *reader) {
  Point from, to;
  scene_begin_piece(reader);
  scene_read_ends(reader, &from, &to);
  scene_segment(reader->scene, from.x, from.y, to.x, to.y);
}


// Check that each corner lies to the left of every edge that does not contain it.
static inline void scene_check_convex(const SceneReader *reader, const Point *points, int count) {
  for (int i = 0; i < count; ++i) {
    Point a = points[i], b = points[(i + 1) % count];
    double ex = b.x - a.x, ey = b.y - a.y, length = hypot(ex, ey);
    scene_check_edge(reader, a, b);
    for (int k = 2; k < count; ++k) {
      Point p = points[(i + k) % count];
      if ((ex * (p.y - a.y) - ey * (p.x - a.x)) / length >= SCENE_BULGE) continue;
      scene_fail(reader, "polygon: (%g, %g) is not to the left of the edge from (%g, %g) to (%g, %g)", p.x, p.y, a.x,
                 a.y, b.x, b.y);
    }
  }
}


static inline void scene_read_polygon(SceneReader *reader) {
  Point points[SCENE_CORNERS];
  scene_begin_piece(reader);
  double radius = scene_number(reader, "RADIUS", 0, SCENE_BOUND);
  int count = scene_integer(reader, "N", 3, SCENE_CORNERS);
  for (int i = 0; i < count; ++i) points[i] = scene_point(reader, "X", "Y");
  scene_check_convex(reader, points, count);
  scene_end_piece(reader, scene_piece(reader->scene, PIECE_POLYGON, points, count, radius));
}


static inline void scene_read_loop(SceneReader *reader) {
  Point *points = NULL;
  int room = 0;
  scene_begin_piece(reader);
  int count = scene_integer(reader, "N", 3, SCENE_LOOP_POINTS);
  for (int i = 0; i < count; ++i) {
    points = (Point *)scene_grow(points, i, &room, sizeof *points);
    points[i] = scene_point(reader, "X", "Y");
  }
  for (int i = 0; i < count; ++i) scene_check_edge(reader, points[i], points[(i + 1) % count]);
  scene_piece(reader->scene, PIECE_LOOP, points, count, 0);
  free(points);
}


// ---------------------------------------------------------------------------------------------------------------------
// Pins and commands
// ---------------------------------------------------------------------------------------------------------------------

static inline PinKind scene_read_pin_kind(SceneReader *reader) {
  const char *word = scene_need(reader, "KIND");
  if (strcmp(word, "revolute") == 0) return PIN_REVOLUTE;
  if (strcmp(word, "weld") == 0) return PIN_WELD;
  scene_fail(reader, "pin: KIND must be revolute or weld, got '%.40s'", word);
}


static inline void scene_read_pin_options(SceneReader *reader, Pin *pin) {
  char *values[3];
  for (char *option = scene_next(reader); option != NULL; option = scene_next(reader)) {
    if (scene_values(reader, option, "motor", &pin->motor, values, 2)) {
      pin->speed = scene_to_number(reader, values[0], "SPEED", -SCENE_BOUND, SCENE_BOUND);
      pin->torque = scene_to_number(reader, values[1], "TORQUE", 0, SCENE_INFINITE);
    } else if (scene_values(reader, option, "limit", &pin->limit, values, 2)) {
      pin->lower = scene_to_number(reader, values[0], "LOWER", -SCENE_BOUND, SCENE_BOUND);
      pin->upper = scene_to_number(reader, values[1], "UPPER", pin->lower, SCENE_BOUND);
    } else if (scene_values(reader, option, "spring", &pin->spring, values, 3)) {
      pin->hertz = scene_to_number(reader, values[0], "HERTZ", 1e-6, SCENE_BOUND);
      pin->damping = scene_to_number(reader, values[1], "DAMPING", 0, SCENE_BOUND);
      pin->rest = scene_to_number(reader, values[2], "REST", -SCENE_BOUND, SCENE_BOUND);
    } else {
      scene_fail(reader, "pin: unknown option or extra value '%.40s'", option);
    }
  }
  if (pin->kind == PIN_WELD && (pin->motor || pin->limit || pin->spring)) {
    scene_fail(reader, "pin: a weld has no motor, limit or spring");
  }
}


static inline void scene_check_pair(const SceneReader *reader, int a, int b) {
  const Body *body_a = &reader->scene->bodies[a], *body_b = &reader->scene->bodies[b];
  if (a == b) scene_fail(reader, "pin: A and B are the same body");
  if (body_a->world != body_b->world) scene_fail(reader, "pin: bodies %d and %d are in different worlds", a, b);
  if (body_a->kind == BODY_DYNAMIC || body_b->kind == BODY_DYNAMIC) return;
  scene_fail(reader, "pin: body %d or body %d must be dynamic", a, b);
}


static inline void scene_read_pin(SceneReader *reader) {
  PinKind kind = scene_read_pin_kind(reader);
  int a = scene_reference(reader, "A"), b = scene_reference(reader, "B");
  scene_check_pair(reader, a, b);
  Point at_a = scene_point(reader, "XA", "YA"), at_b = scene_point(reader, "XB", "YB");
  Pin *pin = scene_pin(reader->scene, a, b, at_a.x, at_a.y, at_b.x, at_b.y);
  pin->kind = kind;
  pin->reference = scene_value(reader, "REFERENCE");
  scene_read_pin_options(reader, pin);
}


static inline void scene_read_move(SceneReader *reader, int step) {
  int body = scene_reference(reader, "BODY");
  if (reader->scene->bodies[body].kind != BODY_KINEMATIC) scene_fail(reader, "at: body %d is not kinematic", body);
  Point to = scene_point(reader, "X", "Y");
  const Command command = {COMMAND_MOVE, body, 1, 0, 0, to.x, to.y};
  scene_command(reader->scene, step, command);
}


static inline void scene_read_at(SceneReader *reader) {
  int step = scene_integer(reader, "STEP", 0, SCENE_LAST_STEP);
  if (step < reader->step) scene_fail(reader, "at: STEP %d comes after STEP %d", step, reader->step);
  reader->step = step;
  const char *word = scene_need(reader, "dt or move");
  if (strcmp(word, "dt") == 0) {
    scene_change_dt(reader->scene, step, scene_read_seconds(reader));
  } else if (strcmp(word, "move") == 0) {
    scene_read_move(reader, step);
  } else {
    scene_fail(reader, "at: expected dt or move, got '%.40s'", word);
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// The file
// ---------------------------------------------------------------------------------------------------------------------

// Parse the reader's current line, which ends with a null character.
static inline void scene_read_line(SceneReader *reader, char *line) {
  static const struct {
    const char *word;
    void (*read)(SceneReader *reader);
  } words[] = {{"gravity", scene_read_gravity}, {"dt", scene_read_dt},
               {"sleep", scene_read_sleep},     {"worlds", scene_read_worlds},
               {"surface", scene_read_surface}, {"body", scene_read_body},
               {"box", scene_read_box},         {"circle", scene_read_circle},
               {"capsule", scene_read_capsule}, {"polygon", scene_read_polygon},
               {"segment", scene_read_segment}, {"loop", scene_read_loop},
               {"pin", scene_read_pin},         {"at", scene_read_at}};
  line[strcspn(line, "#")] = '\0';
  reader->next = line;
  reader->word = scene_next(reader);
  if (reader->word == NULL) return;
  for (size_t i = 0; i < sizeof words / sizeof *words; ++i) {
    if (strcmp(words[i].word, reader->word) != 0) continue;
    words[i].read(reader);
    const char *rest = scene_next(reader);
    if (rest != NULL) scene_fail(reader, "%s: extra value '%.40s'", reader->word, rest);
    return;
  }
  scene_fail(reader, "unknown word '%.40s'", reader->word);
}


// Add the content of the file to the scene. End the program if the file has an error or cannot be read.
static inline void scene_read(Scene *scene, const char *path) {
  SceneReader reader;
  char *line = NULL;
  size_t room = 0;
  memset(&reader, 0, sizeof reader);
  reader.scene = scene;
  reader.path = path;
  FILE *file = fopen(path, "r");
  ssize_t length = 0;
  while (file != NULL && (length = getline(&line, &room, file)) >= 0) {
    ++reader.line;
    if (strlen(line) != (size_t)length) scene_fail(&reader, "the line contains a null character");
    scene_read_line(&reader, line);
  }
  if (file == NULL || !feof(file)) {
    fprintf(stderr, "%s: %s\n", path, strerror(errno));
    exit(SCENE_EXIT_UNREADABLE);
  }
  fclose(file);
  free(line);
  scene_end_body(&reader);
  reader.line = reader.asleep_line;
  if (reader.line > 0 && !scene->sleep) scene_fail(&reader, "body: asleep needs `sleep 1`");
}

#endif
