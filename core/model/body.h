// A body's data and its mass.
#ifndef IMPI_BODY_H
#define IMPI_BODY_H

#include "base/constants.h"
#include "geometry/shape.h"

// The moving state of a body, the double truth. One cache line; everything else lives in ImpiBody.
typedef struct ImpiMotion {
  double x, y;      // centre of mass [m]
  double c, s;      // cosine and sine of `angle`: derived from it, never integrated
  double vx, vy, w; // velocity of the centre of mass [m/s], angular velocity [rad/s]
  double angle;     // unwrapped [rad]
} ImpiMotion;

// How a body moved while it was slow, for the decision whether it is at rest: see world_sleep.c. Computed where sleep_time
// grows.
typedef struct ImpiRest {
  double x, y, angle; // pose at the end of the last window [m, rad]
  double time;        // since then [s]
  float last[3];      // displacement in the last window [m, m, rad]
  float before[3];    // and in the one before it
  float net[3];       // and since the body became slow, or since this sum was last judged
  float path;         // sum of the sizes of these displacements
} ImpiRest;

// Everything else about a body, by who looks at it: narrow phase and solvers at what comes first, the passes over all
// awake bodies at the next part too, each of them a cache line; and the rest.
typedef struct ImpiBody {
  double inv_mass;      // [1/kg], 0: does not move by impulses
  double inv_inertia;   // [1/(kg m^2)]
  ImpVec2 local_center; // centre of mass in the body's frame [m]
  int32_t lane;         // its slot in the solver's own arrays during a solve; 0: none
  ImpBodyType type;
  bool awake;       // integrated and solved; never for a static body, for a kinematic one while it moves
  bool enabled;     // false after a fault: takes no part in anything
  bool constrained; // has rows in this step: computed by the step, read by the solvers
  bool bullet;
  bool fixed_rotation;
  bool allow_sleep;
  bool restless;      // something acted on it since the last step: it does not fall asleep in the next
  uint8_t locks;      // axes along which nothing moves the centre of mass: bit 0 x, bit 1 y
  bool far;           // beyond IMPI_WARN_COORDINATE: the warning was given
  bool fast;          // awake, and goes far in a step: the continuous stage looks ahead of it instead of rows
  bool swept;         // in the list of the continuous stage
  uint8_t windows;    // of `rest` that are complete
  int32_t mover;      // the character mover whose body it is: its place in the list + 1; 0 for none
  float inner;        // the least inner radius of its pieces, sensors left out; 0 of a line, or without any [m]
  int32_t first_edge; // list of its contacts, see ImpiContact.edge; -1 for none

  double gravity_scale;
  double linear_damping, angular_damping; // [1/s]
  double extent;     // farthest shape point from the centre of mass; without shapes the radius of gyration [m]
  double sleep_time; // how long it has been slow; IMPI_SLEEP_TIME is reached only at rest [s]
  float slack[4]; // how much farther its pieces may go to -x, +x, -y, +y and are inside their fat boxes for sure; not
                  // above 0: look there [m]
  int32_t first_shape, last_shape; // list by ImpiShape.next, -1 for none

  ImpVec2 force;                       // applied for the whole step [N]
  double torque;                       // [N m]
  double max_speed, max_angular_speed; // of a dynamic body, 0: none [m/s, rad/s]

  double mass, inertia; // about the centre of mass [kg, kg m^2]; 0 for static and kinematic bodies
  double given_mass;    // the user's choice, 0: from the shapes
  double given_inertia;
  int32_t sleep_next;     // ring of the bodies that fell asleep together; itself when alone
  int32_t first_joint;    // list of ImpiJointEdge, -1 for none
  int32_t steer;          // its place in the world's list of targets + 1; 0: it has none
  int32_t pushed;         // its place in the list of pushed bodies + 1; 0: it is not in it
  int32_t previous, next; // creation order, -1 at the ends
  uint64_t serial;        // 1 for the first body ever made in the world
  char *name;
  void *user_data;
  ImpiRest rest;
} ImpiBody;

// The part of an impulse, or of a row's J, that moves the centre of mass: nothing along a locked axis.
static inline ImpVec2 impi_free_part(const ImpiBody *body, double x, double y) {
  return impi_vec(body->locks & 1u ? 0 : x, body->locks & 2u ? 0 : y);
}

// Acceleration of the centre of mass by gravity and the applied force [m/s^2], and what locked axes leave of it.
static inline ImpVec2 impi_body_acceleration(const ImpiBody *body, ImpVec2 gravity) {
  return impi_vec(body->gravity_scale * gravity.x + body->inv_mass * body->force.x,
                  body->gravity_scale * gravity.y + body->inv_mass * body->force.y);
}
static inline ImpVec2 impi_body_free_acceleration(const ImpiBody *body, ImpVec2 gravity) {
  ImpVec2 a = impi_body_acceleration(body, gravity);
  return impi_free_part(body, a.x, a.y);
}

// A direction without the little that it has across a locked axis: see IMPI_LOCKED_SLOPE.
static inline ImpVec2 impi_hold_direction(const ImpiBody *body, double x, double y, double slope) {
  bool along_x = body->locks & 1u && fabs(y) < slope * fabs(x);
  bool along_y = body->locks & 2u && fabs(x) < slope * fabs(y);
  return impi_vec(along_y ? 0 : x, along_x ? 0 : y);
}

// Nothing moves a locked axis: its speed is 0.
static inline void impi_body_hold(const ImpiBody *body, double *vx, double *vy) {
  ImpVec2 v = impi_free_part(body, *vx, *vy);
  *vx = v.x;
  *vy = v.y;
}

static inline bool impi_is_dynamic(const ImpiBody *body) { return body->type >= IMP_BODY_DYNAMIC; }

// The frame of the body's origin.
static inline ImpTransform impi_body_frame(const ImpiBody *body, const ImpiMotion *motion) {
  ImpRot q = {motion->c, motion->s};
  ImpVec2 r = impi_rotate(q, body->local_center);
  return (ImpTransform){{motion->x - r.x, motion->y - r.y}, q};
}

// The most slack that is counted on [m], and what rounding may take of it in a step: it is kept in floats.
#define IMPI_MOST_SLACK 1.0f
#define IMPI_SLACK_ROUNDING 2e-7

// Takes the way from `start` to `end` from a body's slack. False when its pieces may have left their fat boxes, and of a
// body whose boxes reach ahead.
static inline bool impi_body_has_slack(ImpiBody *body, const ImpiMotion *start, const ImpiMotion *end) {
  double dx = end->x - start->x, dy = end->y - start->y;
  double turn = fabs(end->angle - start->angle) * body->extent + IMPI_SLACK_ROUNDING;
  float *slack = body->slack;
  slack[0] += (float)(dx - turn);
  slack[1] -= (float)(dx + turn);
  slack[2] += (float)(dy - turn);
  slack[3] -= (float)(dy + turn);
  return slack[0] > 0 && slack[1] > 0 && slack[2] > 0 && slack[3] > 0 && !body->fast && !body->bullet;
}

// Set mass, inertia, their inverses, local_center and extent from the sum of the shapes' masses (area = mass, center,
// inertia about that centre) and the user's choices; `farthest` is the farthest shape point from the origin. The origin
// stays where it is: motion's centre and its velocity move along.
void impi_body_set_mass(ImpiBody *body, ImpiMotion *motion, ImpiMass total, double farthest);

// The inverses from mass, inertia and type, in the default state of rounding.
void impi_body_invert_mass(ImpiBody *body);

// Free flight over h, symplectic Euler: v' = (v + h a) / (1 + h damping), x' = x + h v'.
void impi_body_integrate_velocity(const ImpiBody *body, ImpiMotion *motion, ImpVec2 gravity, double h);
void impi_body_integrate_position(const ImpiBody *body, ImpiMotion *motion, double h);
// Both `steps` times, to the bit, for a body that nobody looks at meanwhile: one sine for all.
void impi_body_fly(const ImpiBody *body, ImpiMotion *motion, ImpVec2 gravity, double h, int steps);

// A speed that is below IMPI_HUGE, as every speed between two steps is: one that is as large is cut, and the next step takes
// its body out of the world.
static inline double impi_bound_speed(double speed) {
  const double most = 0.999 * IMPI_HUGE;
  return speed > most ? most : speed < -most ? -most : speed;
}

// True while position, velocity and angle are finite and inside the world's bounds.
bool impi_motion_is_sane(const ImpiMotion *motion);

#endif
