// A body: state of motion, mass, flags and links.
#ifndef IMPI_BODY_H
#define IMPI_BODY_H

#include "base/constants.h"
#include "geometry/shape.h"

// State of motion of a body, in double. It fills one cache line.
typedef struct ImpiMotion {
  double x, y;      // centre of mass [m]
  double c, s;      // cosine and sine of `angle`
  double vx, vy, w; // velocity of the centre of mass [m/s], angular velocity [rad/s]
  double angle;     // unwrapped [rad]
} ImpiMotion;

// Displacements of a slow body in successive time windows, for the test in world_sleep.c whether the body is at rest.
typedef struct ImpiRest {
  double x, y, angle; // pose at the end of the last time window [m, rad]
  double time;        // time since the end of the last time window [s]
  float last[3];      // displacement in the last time window [m, m, rad]
  float before[3];    // displacement in the time window before that of `last` [m, m, rad]
  // Displacement while the body is slow [m, m, rad]. A test resets it to 0 if the body does not jitter (move to and
  // fro).
  float net[3];
  // Sum of the sizes of the displacements in `net`, see size_of in world_sleep.c.
  float path;
} ImpiRest;

// All other data of a body: first the cache line of the narrow phase and the solvers, next the cache line of loops over
// awake bodies, last all other members.
typedef struct ImpiBody {
  double inv_mass;      // [1/kg]; 0: no impulse moves the body
  double inv_inertia;   // [1/(kg m^2)]
  ImpVec2 local_center; // centre of mass in the body's frame [m]
  int32_t lane;         // index of the body in the solver's arrays during a solve; 0: none
  ImpBodyType type;
  bool awake;       // integrated and solved; false for static bodies, true for moving kinematic bodies
  bool enabled;     // false: not in the simulation; cleared by a fault
  bool constrained; // a joint or contact of the body has rows in this step; written by the step
  bool bullet;
  bool fixed_rotation;
  bool allow_sleep;
  bool restless;   // something acted on the body since the last step: sleep_time is reset
  uint8_t locks;   // axis locks, bit 0 x, bit 1 y: no force or impulse moves the centre of mass along the axis
  bool far;        // a coordinate is beyond IMPI_WARN_COORDINATE, and a warning was given
  bool fast;       // moves far in a step: the continuous stage sweeps the body
  bool swept;      // listed in ImpiContinuousStage.swept
  uint8_t windows; // number of complete time windows recorded in `rest`
  int32_t mover;   // index of the character mover that owns the body, + 1; 0: none
  // Smallest distance from the centroid of a piece to its surface [m], sensors excluded; 0 for a line, and without
  // pieces.
  float inner;
  int32_t first_edge; // first edge in the list of the body's contacts, see ImpiContact.edge; -1: none

  double gravity_scale;
  double linear_damping, angular_damping; // [1/s]
  // Upper bound of the distance of shape points from the centre of mass [m]; without shapes the radius of gyration.
  double extent;
  double sleep_time; // time for which the body has been slow [s]; reaches IMPI_SLEEP_TIME only at rest
  // Distances that the body can move to -x, +x, -y, +y before a piece may leave its fat box in the broad phase [m]; at
  // 0 or less the boxes must be checked.
  float slack[4];
  int32_t first_shape, last_shape; // list of the body's shapes, linked by ImpiShape.next; -1: none

  ImpVec2 force;                       // applied for the whole step [N]
  double torque;                       // [N m]
  double max_speed, max_angular_speed; // limits for a dynamic body; 0: no limit [m/s, rad/s]

  double mass, inertia; // about the centre of mass [kg, kg m^2]; 0 for static and kinematic bodies
  double given_mass;    // set by the user [kg]; 0: computed from the shapes
  double given_inertia; // set by the user [kg m^2]; 0: computed from the shapes
  // next body in the circular list of bodies that fell asleep together; a single body points to itself
  int32_t sleep_next;
  int32_t first_joint;      // first ImpiJointEdge in the list of the body's joints; -1: none
  int32_t kinematic_target; // index of the body's kinematic target in the world's list, + 1; 0: none
  int32_t pushed;           // index in the world's list of bodies that character movers pushed, + 1; 0: not in the list
  int32_t previous, next;   // neighbours in the list of bodies in creation order; -1 at the ends
  uint64_t serial;          // creation number in the world, from 1
  char *name;
  void *user_data;
  ImpiRest rest;
} ImpiBody;

// Return (x, y), an impulse or the linear part of a row's J, with 0 along locked axes.
static inline ImpVec2 impi_free_part(const ImpiBody *body, double x, double y) {
  return impi_vec(body->locks & 1u ? 0 : x, body->locks & 2u ? 0 : y);
}

// Return the acceleration of the centre of mass due to gravity and the applied force [m/s^2].
// impi_body_free_acceleration: 0 along locked axes.
static inline ImpVec2 impi_body_acceleration(const ImpiBody *body, ImpVec2 gravity) {
  return impi_vec(body->gravity_scale * gravity.x + body->inv_mass * body->force.x,
                  body->gravity_scale * gravity.y + body->inv_mass * body->force.y);
}
static inline ImpVec2 impi_body_free_acceleration(const ImpiBody *body, ImpVec2 gravity) {
  ImpVec2 a = impi_body_acceleration(body, gravity);
  return impi_free_part(body, a.x, a.y);
}

// Return the direction (x, y), turned parallel to a locked axis if the component across the axis is less than `slope`
// times the component along the axis; see IMPI_LOCKED_SLOPE.
static inline ImpVec2 impi_hold_direction(const ImpiBody *body, double x, double y, double slope) {
  bool along_x = body->locks & 1u && fabs(y) < slope * fabs(x);
  bool along_y = body->locks & 2u && fabs(x) < slope * fabs(y);
  return impi_vec(along_y ? 0 : x, along_x ? 0 : y);
}

// Set the velocity along locked axes to 0.
static inline void impi_body_hold(const ImpiBody *body, double *vx, double *vy) {
  ImpVec2 v = impi_free_part(body, *vx, *vy);
  *vx = v.x;
  *vy = v.y;
}

static inline bool impi_is_dynamic(const ImpiBody *body) { return body->type >= IMP_BODY_DYNAMIC; }

// Return the transform of the body's frame, whose origin is the body's origin.
static inline ImpTransform impi_body_frame(const ImpiBody *body, const ImpiMotion *motion) {
  ImpRot q = {motion->c, motion->s};
  ImpVec2 r = impi_rotate(q, body->local_center);
  return (ImpTransform){{motion->x - r.x, motion->y - r.y}, q};
}

// Largest value of ImpiBody.slack [m], and margin for its rounding to float [m].
#define IMPI_MOST_SLACK 1.0f
#define IMPI_SLACK_ROUNDING 2e-7

// Reduce ImpiBody.slack by the motion from `start` to `end`. Return false if a piece may have left its fat box, or if
// the body is fast or a bullet.
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

// Set mass, inertia, their inverses, local_center and extent from the user's values and from `total`. `total.area` is
// the mass of all shapes [kg], `total.center` their centre of mass, `total.inertia` their inertia about it [kg m^2].
// `farthest`: distance of the farthest shape point from the origin. The origin does not move: position and velocity in
// `motion` become those of the new centre.
void impi_body_set_mass(ImpiBody *body, ImpiMotion *motion, ImpiMass total, double farthest);

// Compute the inverses from mass, inertia and type. Needs the default float state (base/float_state.h).
void impi_body_invert_mass(ImpiBody *body);

// Integrate free flight over h by symplectic Euler: v' = (v + h a) / (1 + h damping), x' = x + h v'.
void impi_body_integrate_velocity(const ImpiBody *body, ImpiMotion *motion, ImpVec2 gravity, double h);
void impi_body_integrate_position(const ImpiBody *body, ImpiMotion *motion, double h);
// Integrate velocity and position `steps` times. The result is bitwise the same as with impi_body_integrate_velocity
// and impi_body_integrate_position. Cosine and sine are computed only at the end.
void impi_body_fly(const ImpiBody *body, ImpiMotion *motion, ImpVec2 gravity, double h, int steps);

// Clamp a speed below IMPI_HUGE. A body with a clamped speed leaves the world's bounds in the next step and is
// disabled.
static inline double impi_bound_speed(double speed) {
  const double most = 0.999 * IMPI_HUGE;
  return speed > most ? most : speed < -most ? -most : speed;
}

// Return true if position, velocity and angle are finite and inside the world's bounds.
bool impi_motion_is_sane(const ImpiMotion *motion);

#endif
