// Functions that create a world or a body, or read a result, in one line. Every call is checked.
#ifndef IMPI_SCENE_H
#define IMPI_SCENE_H

#include <string.h>

#include "check.h"
#include "impel.h"

// Solvers that most specs test: soft, the default, and si, the reference.
#define MAIN_SOLVERS (IMP_SOLVER_SI + 1)

// Options of the command line: --long runs the full lengths, --show prints measured values.
static bool long_run, show_measured;

static inline void read_arguments(int argc, char **argv) {
  for (int i = 1; i < argc; ++i) {
    long_run = long_run || strcmp(argv[i], "--long") == 0;
    show_measured = show_measured || strcmp(argv[i], "--show") == 0;
  }
}


static inline void measured(const char *what, double value) {
  if (show_measured) printf("  %-72s %.9g\n", what, value);
}


#define MUST(call) check_that((call) == IMP_OK, __FILE__, __LINE__, #call)

static inline ImpVec2 vec(double x, double y) { return (ImpVec2){x, y}; }


// ---------------------------------------------------------------------------------------------------------------------
// Worlds
// ---------------------------------------------------------------------------------------------------------------------


static inline ImpWorld *make_world(ImpSolverKind solver, double dt, double gravity) {
  ImpWorldDef def = imp_world_def();
  def.solver = solver;
  def.dt = dt;
  def.gravity = vec(0, -gravity);
  ImpWorld *world = NULL;
  MUST(imp_world_create(&def, &world));
  return world;
}


static inline void set_world(ImpWorld *world, ImpWorldProperty property, double value) {
  MUST(imp_world_set(world, property, value));
}


static inline void run(ImpWorld *world, int steps) {
  for (int i = 0; i < steps; ++i) {
    MUST(imp_world_step(world));
  }
}


static inline int event_count(const ImpWorld *world, ImpEventKind kind) {
  int count = -1;
  imp_world_events(world, kind, &count);
  return count;
}


// ---------------------------------------------------------------------------------------------------------------------
// Bodies and shapes
// ---------------------------------------------------------------------------------------------------------------------


static inline ImpBody add_body(ImpWorld *world, ImpBodyType type, double x, double y, double angle) {
  ImpBodyDef def = imp_body_def();
  def.type = type;
  def.position = vec(x, y);
  def.angle = angle;
  ImpBody body = {0};
  MUST(imp_body_create(world, &def, &body));
  return body;
}


static inline ImpShapeDef material(double density, double friction, double restitution) {
  ImpShapeDef def = imp_shape_def();
  def.density = density;
  def.friction = friction;
  def.restitution = restitution;
  return def;
}


static inline ImpShape add_box(ImpWorld *world, ImpBody body, ImpShapeDef def, double width, double height) {
  ImpShape shape = {0};
  MUST(imp_body_add_box(world, body, &def, width, height, vec(0, 0), 0, 0, &shape));
  return shape;
}


static inline ImpShape add_circle(ImpWorld *world, ImpBody body, ImpShapeDef def, double radius) {
  ImpShape shape = {0};
  MUST(imp_body_add_circle(world, body, &def, vec(0, 0), radius, &shape));
  return shape;
}


// Add a dynamic box of 1 m, or a disc, centred at (x, y).
static inline ImpBody drop_box(ImpWorld *world, ImpShapeDef def, double x, double y) {
  ImpBody body = add_body(world, IMP_BODY_DYNAMIC, x, y, 0);
  add_box(world, body, def, 1, 1);
  return body;
}


static inline ImpBody drop_disc(ImpWorld *world, ImpShapeDef def, double x, double y, double radius) {
  ImpBody body = add_body(world, IMP_BODY_DYNAMIC, x, y, 0);
  add_circle(world, body, def, radius);
  return body;
}


// Add a static box 1000 m wide, tilted by an angle, whose top passes through the origin.
static inline ImpBody add_ground(ImpWorld *world, ImpShapeDef def, double angle) {
  ImpBody body = add_body(world, IMP_BODY_STATIC, sin(angle), -cos(angle), angle);
  add_box(world, body, def, 1000, 2);
  return body;
}


static inline void set_velocity(ImpWorld *world, ImpBody body, double vx, double vy, double w) {
  MUST(imp_body_set_velocity(world, body, vec(vx, vy)));
  MUST(imp_body_set(world, body, IMP_BODY_ANGULAR_VELOCITY, w));
}


static inline ImpVec2 position(const ImpWorld *world, ImpBody body) {
  ImpVec2 p = {(double)NAN, (double)NAN};
  MUST(imp_body_position(world, body, &p));
  return p;
}


static inline ImpVec2 velocity(const ImpWorld *world, ImpBody body) {
  ImpVec2 v = {(double)NAN, (double)NAN};
  MUST(imp_body_velocity(world, body, &v));
  return v;
}


static inline double body_get(const ImpWorld *world, ImpBody body, ImpBodyProperty property) {
  double value = (double)NAN;
  MUST(imp_body_get(world, body, property, &value));
  return value;
}


static inline double spin(const ImpWorld *world, ImpBody body) {
  return body_get(world, body, IMP_BODY_ANGULAR_VELOCITY);
}


static inline ImpVec2 contact_force(const ImpWorld *world, ImpBody body) {
  ImpVec2 force = {(double)NAN, (double)NAN};
  MUST(imp_body_contact_force(world, body, &force));
  return force;
}


// Return the first touching contact, or a contact without points.
static inline ImpContactInfo first_contact(ImpWorld *world) {
  ImpContactInfo info = {0};
  ImpContact contact = imp_world_next_contact(world, (ImpContact){0});
  if (contact.id != 0) MUST(imp_contact_info(world, contact, &info));
  return info;
}


// ---------------------------------------------------------------------------------------------------------------------
// Random numbers
// ---------------------------------------------------------------------------------------------------------------------


// State of the generator splitmix64, which gives the same numbers on all machines.
static uint64_t random_state = 1;

static inline double random_in(double lower, double upper) {
  uint64_t z = random_state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return lower + (upper - lower) * (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}


#endif
