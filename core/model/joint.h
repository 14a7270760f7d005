// Joints: coordinates, drives and impulses.
#ifndef IMPI_JOINT_H
#define IMPI_JOINT_H

#include "model/coordinate.h"
#include "model/tape.h"

// Rows of the drives of one coordinate, except the lock.
typedef enum ImpiDriveRow {
  IMPI_DRIVE_LOWER,
  IMPI_DRIVE_UPPER,
  IMPI_DRIVE_MOTOR,
  IMPI_DRIVE_SERVO,
  IMPI_DRIVE_SPRING,
  IMPI_DRIVE_FORCE,
  IMPI_DRIVE_ARMATURE,
  IMPI_DRIVE_DAMPING,
  IMPI_DRIVE_FRICTION,
  IMPI_DRIVE_ROWS
} ImpiDriveRow;

// Order in which drives are solved, most compliant first. Limits are last and override all other drives.
static const ImpiDriveRow impi_drive_order[] = {IMPI_DRIVE_FORCE,   IMPI_DRIVE_ARMATURE, IMPI_DRIVE_SPRING,
                                                IMPI_DRIVE_DAMPING, IMPI_DRIVE_SERVO,    IMPI_DRIVE_FRICTION,
                                                IMPI_DRIVE_MOTOR,   IMPI_DRIVE_LOWER,    IMPI_DRIVE_UPPER};
IMPI_COVERS(impi_drive_order, IMPI_DRIVE_ROWS);

// Drive kind of each row before IMPI_DRIVE_ARMATURE.
static const unsigned char impi_drive_kinds[] = {IMP_DRIVE_LIMIT, IMP_DRIVE_LIMIT,  IMP_DRIVE_MOTOR,
                                                 IMP_DRIVE_SERVO, IMP_DRIVE_SPRING, IMP_DRIVE_FORCE};
IMPI_COVERS(impi_drive_kinds, IMPI_DRIVE_ARMATURE);

// Return whether a drive makes the row: it is on, and its limit is finite.
static inline bool impi_drive_makes(const ImpDrive *set, ImpiDriveRow row) {
  if (row >= IMPI_DRIVE_ARMATURE) {
    return (row == IMPI_DRIVE_ARMATURE  ? set->armature
            : row == IMPI_DRIVE_DAMPING ? set->viscous_damping
                                        : set->dry_friction) > 0;
  }
  bool open =
      (row == IMPI_DRIVE_LOWER && set->lower == -HUGE_VAL) || (row == IMPI_DRIVE_UPPER && set->upper == HUGE_VAL);
  return set->on >> impi_drive_kinds[row] & 1u && !open;
}

// Return whether a coordinate has armature, damping or friction.
static inline bool impi_drive_is_mechanical(const ImpDrive *set) {
  return set->armature > 0 || set->viscous_damping > 0 || set->dry_friction > 0;
}
// Return whether a coordinate needs an ImpiDrive. A lock needs none: it is stored in ImpiCoordinate.
static inline bool impi_drive_needs_record(const ImpDrive *set) {
  return (set->on & ~(1u << IMP_DRIVE_LOCK)) != 0 || impi_drive_is_mechanical(set);
}

// Return whether the soft solver can solve the rows of these drives in SIMD lanes: springs, motors and limits.
static inline bool impi_drive_suits_lanes(const ImpDrive *set) {
  return (set->on >> IMP_DRIVE_SERVO & 1u) == 0 && (set->on >> IMP_DRIVE_FORCE & 1u) == 0 &&
         !impi_drive_is_mechanical(set) && set->rest_speed == 0;
}

typedef struct ImpiRowResult {
  double lambda;    // accumulated impulse of the last substep, for warm starting [N s, N m s]
  double total;     // impulse over the last step [N s, N m s]
  double step_work; // work done by the row in the last step [J]
  double work;      // work since the joint was created [J]
  double bias;      // b of the row (see row.h) in the last substep
} ImpiRowResult;

// Sums over all rows of a coordinate.
typedef struct ImpiRowSum {
  double total, step_work, work;
} ImpiRowSum;

// impi_row_result_begin: call at the start of a step. impi_row_result_finish: call at its end.
static inline void impi_row_result_begin(ImpiRowResult *result) { result->total = result->step_work = 0; }
static inline void impi_row_result_finish(ImpiRowResult *result) { result->work += result->step_work; }

// The drives of one coordinate.
typedef struct ImpiDrive {
  ImpDrive set; // settings of the user; the lock bit is in ImpiCoordinate.locked
  double mass;  // effective mass of the spring's row in the last step, computed with all locks of the joint engaged
  double rotor; // speed of the rotor, if any [m/s or rad/s]
  int32_t next; // next record in the list of free records
  bool live;
  // `rotor` is valid; else the next step or impulse sets `rotor` to the coordinate's speed.
  bool spins;
  ImpiRowResult row[IMPI_DRIVE_ROWS];
} ImpiDrive;

// Reset the rotor of a coordinate that cannot move.
static inline void impi_drive_drop_rotor(ImpiDrive *drive) {
  drive->spins = false;
  drive->rotor = drive->row[IMPI_DRIVE_ARMATURE].lambda = 0;
}

typedef struct ImpiCoordinate {
  double lock;   // value that the lock keeps
  int32_t drive; // index of the coordinate's ImpiDrive, -1: none
  bool locked;
  ImpiRowResult result; // result of the lock's row
} ImpiCoordinate;

// Values of a row of the user. J is in ImpiCustom.rows_j.
typedef struct ImpiUserValues {
  double bias, c, lower, upper; // as in ImpUserRow: lower and upper are forces
  bool has_c;
} ImpiUserValues;

// Data of a "custom" joint, which has more bodies or coordinates than fit into ImpiJoint, or whose coordinates are
// functions, user rows, or sums of coordinates of other joints.
typedef struct ImpiCustom {
  int32_t *bodies;             // slots   (body_count)
  ImpiCoordinate *coordinates; // (capacity)
  // `body_count`: length of `bodies`. `capacity`: number of results for coordinates by a tape, largest number of rows
  // for user rows, 1 for a sum.
  int32_t body_count, capacity;
  struct {
    int32_t joint, coordinate;
    int32_t side[2]; // indices in `bodies` of the bodies of `joint`
  } term[2];
  ImpiTape tape;
  bool dynamic;   // the callback replaces the tape before each evaluation
  double *params; // (param_count)
  int32_t param_count;
  ImpiUserValues *rows;       // (capacity)
  double *rows_j;             // (capacity, 3 * body_count)
  const ImpiMotion **motions; // states of the bodies, during an evaluation   (body_count)
  ImpVec2 *centers;           // local centres of mass of the bodies   (body_count)
} ImpiCustom;

#define IMPI_INLINE_COORDINATES 3 // largest number of coordinates of a joint without ImpiCustom

typedef struct ImpiJoint {
  ImpiCustom *custom;     // null: two bodies, at most IMPI_INLINE_COORDINATES coordinates
  int32_t body_a, body_b; // slots of the two bodies; with `custom`: slots of the first and the last body
  uint8_t kind;           // ImpJointKind
  uint8_t count;          // number of coordinates
  // kind of each coordinate; with `custom`, kinds[0] is the kind of all coordinates
  uint8_t kinds[IMPI_INLINE_COORDINATES];
  bool broken, collide;
  ImpiCoordinate inline_coordinates[IMPI_INLINE_COORDINATES];
  ImpiJointFrames frames;
  double wrench[3];       // impulse on the joint's last body over the last step, about the centre of mass [N s, N m s]
  double pitch;           // ratchet: angle from tooth to tooth [rad]
  int32_t direction;      // ratchet: 1 or -1
  int32_t first_edge;     // first of the joint's edges, linked by ImpiJointEdge.sibling
  int32_t previous, next; // neighbours in the list of joints in creation order; -1 at the ends
  int32_t dependents;     // number of sums of coordinates that use a coordinate of this joint
  int32_t first_row, row_count;   // rows of the joint in the last step, see ImpiSolver.rows
  uint64_t row_stamp;             // tick of the world after the step that set `first_row`
  int32_t list_first, list_count; // rows of the joint in the last list of rows, see world_rows.c
  double break_force, break_torque;
  // Smallest error of the joint [m] since (and including) the last step in which the solver did not converge; infinite:
  // the joint is new or did not act in the last step.
  double least;
  bool open; // the joint was reported as open: see step_open.c
  // Error / impi_joint_size while a lock of the joint is reported as not held; else 0.
  double unheld;
  // The solver could not correct the lock errors of an island in the last step, and this joint has the largest error.
  bool contradicts;
  uint32_t dropped; // bit i < 32: the lock of coordinate i was redundant in the last solve
  uint64_t serial;  // creation number in the world, from 1
  char *name;
  void *user_data;
} ImpiJoint;

// An entry in the list of a body's joints.
typedef struct ImpiJointEdge {
  int32_t joint, body;
  int32_t previous, next; // edges of the same body, -1 at the ends
  int32_t sibling;        // next edge of the same joint, -1 at the end; in a free record: the next free record
} ImpiJointEdge;

// Present states of bodies: in `lanes` for bodies in the solver's arrays, else in `motions`.
typedef struct ImpiPoses {
  const ImpiBody *bodies;    // by slot
  const ImpiMotion *motions; // by slot
  const ImpiMotion *lanes;   // by ImpiBody.lane; null: none
} ImpiPoses;

static inline const ImpiMotion *impi_pose(const ImpiPoses *poses, int32_t body) {
  int32_t lane = poses->bodies[body].lane;
  return poses->lanes != NULL && lane > 0 ? &poses->lanes[lane] : &poses->motions[body];
}

static inline ImpiCoordinate *impi_joint_coordinate(ImpiJoint *joint, int index) {
  return joint->custom != NULL ? &joint->custom->coordinates[index] : &joint->inline_coordinates[index];
}
static inline const ImpiCoordinate *impi_joint_coordinate_const(const ImpiJoint *joint, int index) {
  return joint->custom != NULL ? &joint->custom->coordinates[index] : &joint->inline_coordinates[index];
}
static inline int impi_joint_body_count(const ImpiJoint *joint) {
  return joint->custom != NULL ? joint->custom->body_count : 2;
}
static inline int32_t impi_joint_body(const ImpiJoint *joint, int index) {
  return joint->custom != NULL ? joint->custom->bodies[index] : index == 0 ? joint->body_a : joint->body_b;
}
// Return whether the soft solver can solve the drives of this coordinate in SIMD lanes. Only the angle of a revolute
// joint can be solved there.
static inline bool impi_joint_drives_in_lanes(const ImpiJoint *joint, int index) {
  return joint->custom == NULL && joint->kind != IMP_JOINT_RATCHET && joint->count == 3 && index == 2 &&
         joint->kinds[0] == IMP_COORDINATE_X && joint->kinds[1] == IMP_COORDINATE_Y &&
         joint->kinds[2] == IMP_COORDINATE_ANGLE && joint->inline_coordinates[0].locked &&
         joint->inline_coordinates[1].locked;
}
// Return the number of coordinates for which the joint has room. A constraint by rows may use fewer.
static inline int impi_joint_capacity(const ImpiJoint *joint) {
  return joint->custom != NULL ? joint->custom->capacity : IMPI_INLINE_COORDINATES;
}
static inline ImpCoordinateKind impi_coordinate_kind(const ImpiJoint *joint, int index) {
  return (ImpCoordinateKind)joint->kinds[joint->custom != NULL ? 0 : index];
}
// Return whether a callback must update the joint's functions or rows before each evaluation.
static inline bool impi_joint_is_called(const ImpiJoint *joint) {
  return joint->custom != NULL && (joint->custom->dynamic || joint->kinds[0] == IMP_COORDINATE_USER);
}
// Return whether the joint's rows depend explicitly on time.
static inline bool impi_joint_is_timed(const ImpiJoint *joint) {
  return joint->custom != NULL && joint->kinds[0] == IMP_COORDINATE_TAPE && joint->custom->tape.timed;
}
// Return whether the joint's coordinates are rates.
static inline bool impi_joint_is_velocity(const ImpiJoint *joint) {
  return joint->custom != NULL && joint->kinds[0] == IMP_COORDINATE_TAPE && joint->custom->tape.velocity;
}

// Coordinates of a joint at one moment. `j` has 3 * bodies numbers for each coordinate. The value of a user row is
// ImpUserRow.c; the value of a velocity tape f(v) = f(0) + J v is f(0).
typedef struct ImpiSamples {
  double *value;     // (count)
  double *curvature; // (count)
  double *j;         // (count, 3 * bodies)
} ImpiSamples;

// Evaluate all coordinates of a joint; `joints`: all joints of the world, by slot.
void impi_joint_sample(const ImpiJoint *joints, const ImpiJoint *joint, const ImpiPoses *poses, double t,
                       double max_turn, ImpiSamples out);
// Return the speed of a coordinate, from samples at the bodies' present poses.
double impi_joint_speed(const ImpiJoint *joint, const ImpiPoses *poses, const ImpiSamples *samples, int index);
// Return whether armature of a coordinate makes a row: the coordinate can move, and the armature is not negligible.
bool impi_joint_feels(const ImpiJoint *joint, const ImpiBody *bodies, int index, double armature);
// Return whether a coordinate has a rotor: it is not locked, and its armature makes a row.
static inline bool impi_joint_has_rotor(const ImpiJoint *joint, const ImpiDrive *drives, const ImpiBody *bodies,
                                        int index) {
  const ImpiCoordinate *coordinate = impi_joint_coordinate_const(joint, index);
  double armature = coordinate->drive >= 0 && !coordinate->locked ? drives[coordinate->drive].set.armature : 0;
  return armature > 0 && impi_joint_feels(joint, bodies, index, armature);
}
// Compute the rates of a tape due to time, over a substep h that ends at `end`: (C(q, end) - C(q, end - h)) / h. For a
// velocity tape f(v) = f(0) + J v, compute f(0). `room`: memory of the size of `out_rates`.
void impi_joint_rates(const ImpiJoint *joint, const ImpiPoses *poses, double end, double h, double *room,
                      double *out_rates);

// Lists of slots for step_open.c. Derived data: the state is in ImpiJoint.open.
typedef struct ImpiOpenJoints {
  IMPI_ARRAY(int32_t) open_candidates; // joints that may be open, listed by the solver
  IMPI_ARRAY(int32_t) list;            // joints that were open at the end of the step
  bool listed;                         // whether `list` is valid
  IMPI_ARRAY(int32_t) bent;            // bodies that have joints and were moved by the continuous stage
} ImpiOpenJoints;

// Memory for the samples of the largest joint.
typedef struct ImpiSampleRoom {
  IMPI_ARRAY(double) numbers;
} ImpiSampleRoom;
bool impi_sample_reserve(ImpiHeap *heap, ImpiSampleRoom *room, const ImpiJoint *joint);
ImpiSamples impi_sample_room(ImpiSampleRoom *room, const ImpiJoint *joint);

// Move the limit of a ratchet forward to the last whole pitch that its coordinate has passed.
void impi_ratchet_advance(const ImpiJoint *joint, ImpiDrive *drive, double value);

// Advance the targets of a joint's servos by their target speeds over a substep h.
void impi_joint_move_targets(const ImpiJoint *joint, ImpiDrive *drives, double h);

// Return the target speed of a motor. If the motor's force is unlimited, the speed is reduced so that the coordinate
// does not pass its limit within h; otherwise motor and limit would press against each other without bound.
static inline double impi_motor_speed(const ImpDrive *set, double value, double h) {
  if (!(set->on >> IMP_DRIVE_LIMIT & 1u) || set->motor_max < HUGE_VAL) {
    return set->speed;
  }
  double lowest = impi_min((set->lower - value) / h, 0), highest = impi_max((set->upper - value) / h, 0);
  return impi_clamp(set->speed, lowest, highest);
}
// Return whether the limit of a coordinate stops the motor at any target speed.
static inline bool impi_limit_stops_motor(const ImpDrive *set) {
  return set->on >> IMP_DRIVE_LIMIT & 1u && (set->motor_max == HUGE_VAL || set->motor_max <= set->limit_max);
}
// Return the target of a servo. If the servo's force is unlimited, the target is clamped to the coordinate's limit.
static inline double impi_servo_target(const ImpDrive *set) {
  bool inside = set->on >> IMP_DRIVE_LIMIT & 1u && set->servo_max == HUGE_VAL;
  return inside ? impi_clamp(set->target, set->lower, set->upper) : set->target;
}

// Compute the coefficients `scale`, `keep`, `push` of a damped spring for one substep h. The row has the inverse
// effective mass k, the error x = q - rest, and the impulse lambda with the update
//   lambda' = lambda - mass scale (J v) - push - keep lambda,   mass = 1 / k
// The new speed v' of the row is:
//   slow springs:   v' = a v - a w^2 h x,  a = exp(-c k h)          symplectic Euler, no numerical damping
//   other springs:  v' = (v - h w^2 x) / (1 + h c k + h^2 w^2)      implicit
// where w is the angular frequency and c the damping. A spring is slow if w h < 0.5 and the spring is not overdamped.
// At rest, stiffness * x balances the load at any h.
#define IMPI_SLOW_SPRING 0.5 // the largest w h of a slow spring
typedef struct ImpiSpringStep {
  double scale, keep, push;
} ImpiSpringStep;
ImpiSpringStep impi_spring_step(double stiffness, double damping, double k, double x, double h);
// Compute stiffness and damping of a drive's spring from its settings and the effective mass.
void impi_spring_constants(const ImpDrive *set, double mass, double *out_stiffness, double *out_damping);
// Like impi_spring_step, for a coordinate whose armature has a separate row. k is the inverse effective mass without
// the armature; the oscillating mass is 1 / k + armature.
ImpiSpringStep impi_spring_step_beside(double stiffness, double damping, double k, double armature, double x, double h);

// Return the length against which the error of a joint is measured [m]: 2 * extent of the smallest moving body. If no
// moving body has an extent: max(2 * longest lever of an anchor, locked distance). If that is 0: 1 m.
double impi_joint_size(const ImpiJoint *joint, const ImpiBody *bodies);
// Return the error of a joint [m]: the distance of its coordinates from the ranges of its locks and its limits of
// infinite force. The error of an angle is the displacement of a point at the distance `size` / 2. The error of a
// function is the smallest displacement of one body that removes the error.
double impi_joint_gap(const ImpiJoint *joint, const ImpiDrive *drives, const ImpiSamples *samples, double size);
// Return whether a coordinate is held by a lock. A user row with bounds is not a lock.
static inline bool impi_joint_locks(const ImpiJoint *joint, int index) {
  if (impi_coordinate_kind(joint, index) != IMP_COORDINATE_USER) {
    return impi_joint_coordinate_const(joint, index)->locked;
  }
  const ImpiUserValues *user = &joint->custom->rows[index];
  return user->lower == -HUGE_VAL && user->upper == HUGE_VAL;
}

// Begin a step: set impulses and work of the step to 0.
void impi_joint_begin(ImpiJoint *joint, ImpiDrive *drives);
// End a step: add the work of the step to the sums. Return the work of the joint in the step [J].
double impi_joint_finish(ImpiJoint *joint, ImpiDrive *drives);

void impi_custom_free(ImpiHeap *heap, ImpiCustom *custom);

// joint_kinds.c
const ImpJointKindInfo *impi_kind(uint8_t kind);

#endif
