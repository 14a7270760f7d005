// Joints: which coordinates they have, what drives them, and where their impulses are kept.
#ifndef IMPI_JOINT_H
#define IMPI_JOINT_H

#include "model/coordinate.h"
#include "model/tape.h"

// The rows that the drives of one coordinate can make, beside its lock.
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

// The order in which drives are solved, what gives way first: limits come last and hold against all others.
static const ImpiDriveRow impi_drive_order[] = {IMPI_DRIVE_FORCE,   IMPI_DRIVE_ARMATURE, IMPI_DRIVE_SPRING,
                                                IMPI_DRIVE_DAMPING, IMPI_DRIVE_SERVO,    IMPI_DRIVE_FRICTION,
                                                IMPI_DRIVE_MOTOR,   IMPI_DRIVE_LOWER,    IMPI_DRIVE_UPPER};
IMPI_COVERS(impi_drive_order, IMPI_DRIVE_ROWS);

// The drive that makes the row: of those before IMPI_DRIVE_ARMATURE.
static const unsigned char impi_drive_kinds[] = {IMP_DRIVE_LIMIT, IMP_DRIVE_LIMIT,  IMP_DRIVE_MOTOR,
                                                 IMP_DRIVE_SERVO, IMP_DRIVE_SPRING, IMP_DRIVE_FORCE};
IMPI_COVERS(impi_drive_kinds, IMPI_DRIVE_ARMATURE);

// Whether a drive makes the row: what is not on does not, nor an end of a limit that is infinite.
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

// Whether a coordinate has armature, damping or friction.
static inline bool impi_drive_is_mechanical(const ImpDrive *set) {
  return set->armature > 0 || set->viscous_damping > 0 || set->dry_friction > 0;
}
// Whether a coordinate needs a record of its drives: a lock alone is the coordinate's.
static inline bool impi_drive_needs_record(const ImpDrive *set) {
  return (set->on & ~(1u << IMP_DRIVE_LOCK)) != 0 || impi_drive_is_mechanical(set);
}

// Drives whose rows the soft solver can solve in lanes: springs, motors and limits.
static inline bool impi_drive_suits_lanes(const ImpDrive *set) {
  return (set->on >> IMP_DRIVE_SERVO & 1u) == 0 && (set->on >> IMP_DRIVE_FORCE & 1u) == 0 &&
         !impi_drive_is_mechanical(set) && set->rest_speed == 0;
}

// What a row has done: kept between steps, read by people.
typedef struct ImpiEffort {
  double lambda;    // impulse of the last substep: where the next one starts from [N s, N m s]
  double total;     // over the last step
  double step_work; // done by the row in the last step [J]
  double work;      // since the joint was made [J]
  double bias;      // b of the last substep, for reports
} ImpiEffort;

// The sum of all efforts on a coordinate.
typedef struct ImpiEffortSum {
  double total, step_work, work;
} ImpiEffortSum;

// A solver begins an effort when it fetches lambda at the step's start and finishes it when it stores at its end.
static inline void impi_effort_begin(ImpiEffort *effort) { effort->total = effort->step_work = 0; }
static inline void impi_effort_finish(ImpiEffort *effort) { effort->work += effort->step_work; }

// The drives of one coordinate. Only coordinates that have any have a record; records live in a list of the world.
typedef struct ImpiDrive {
  ImpDrive set; // as the user wrote it; set.on never has the lock bit, which is the coordinate's
  double mass;  // effective mass beside the locks, of the last step: turns hertz into stiffness
  double rotor; // speed of the rotor if impi_joint_has_rotor [m/s or rad/s]
  int32_t next; // free list
  bool live;
  bool spins; // `rotor` is known; else it is the coordinate's speed when the next step or push begins
  ImpiEffort row[IMPI_DRIVE_ROWS];
} ImpiDrive;

// The rotor of a coordinate that cannot move: no speed of its own, no impulse.
static inline void impi_drive_drop_rotor(ImpiDrive *drive) {
  drive->spins = false;
  drive->rotor = drive->row[IMPI_DRIVE_ARMATURE].lambda = 0;
}

// One coordinate of a joint.
typedef struct ImpiCoordinate {
  double lock;   // the value that a lock keeps
  int32_t drive; // its record, -1: none
  bool locked;
  ImpiEffort effort; // of the lock
} ImpiCoordinate;

// A row that the user wrote. J is in ImpiCustom.rows_j.
typedef struct ImpiUserValues {
  double bias, c, lower, upper; // bounds are forces
  bool has_c;
} ImpiUserValues;

// What only some joints have: more bodies or coordinates, a function, other joints' coordinates.
typedef struct ImpiCustom {
  int32_t *bodies;              // slots   (body_count)
  ImpiCoordinate *coordinates;  // (capacity)
  int32_t body_count, capacity; // capacity: results of the tape, rows, or 1 for a sum
  struct {
    int32_t joint, coordinate;
    int32_t side[2]; // where the bodies of that joint are among `bodies`
  } term[2];
  ImpiTape tape;
  bool dynamic;   // made anew by the callback before it is evaluated
  double *params; // (param_count)
  int32_t param_count;
  ImpiUserValues *rows;       // (capacity)
  double *rows_j;             // (capacity, 3 * body_count)
  const ImpiMotion **motions; // of the bodies, while the tape is evaluated   (body_count)
  ImpVec2 *centers;           // the same: local centres of mass
} ImpiCustom;

#define IMPI_FEW 3 // coordinates of a joint that is not custom

typedef struct ImpiJoint {
  ImpiCustom *custom;      // null: two bodies, at most IMPI_FEW coordinates
  int32_t body_a, body_b;  // slots; of a custom joint the first and the last of its bodies
  uint8_t kind;            // ImpJointKind
  uint8_t count;           // coordinates
  uint8_t kinds[IMPI_FEW]; // ImpCoordinateKind of each; of a custom joint kinds[0] is that of all
  bool broken, collide;
  ImpiCoordinate few[IMPI_FEW];
  ImpiGauge gauge;
  double wrench[3]; // impulse on the last of its bodies over the last step, about its centre of mass [N s, N m s]
  double pitch;     // ratchet
  int32_t direction;
  int32_t first_edge;             // list by ImpiJointEdge.sibling
  int32_t previous, next;         // creation order, -1 at the ends
  int32_t dependents;             // sums that couple a coordinate of it
  int32_t first_row, row_count;   // of the last step, in what the solver recorded; see ImpiSolver.rows
  uint64_t row_stamp;             // tick after that step
  int32_t list_first, list_count; // in the list of rows that was made last, see world_rows.c
  double break_force, break_torque;
  double least;     // error while the solver has said in each step that its rows are solved; infinite: none [m]
  bool open;        // was reported to be open, and has not closed since: see step_open.c
  double unheld;    // the same: its error, as a part of its size, while it has a lock that is not held; else 0
  bool contradicts; // its error is the largest of those that the last step could not correct together
  uint32_t dropped; // locks that the last solve found redundant, of coordinates below 32, as bits
  uint64_t serial;  // 1 for the first joint ever made in the world
  char *name;
  void *user_data;
} ImpiJoint;

// A joint at one of its bodies.
typedef struct ImpiJointEdge {
  int32_t joint, body;
  int32_t previous, next; // edges of the same body, -1 at the ends
  int32_t sibling;        // next edge of the same joint, -1 at the end; in the free list: the next free one
} ImpiJointEdge;

// The bodies as they are now: in double, or for those in lanes the lane's pose.
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
  return joint->custom != NULL ? &joint->custom->coordinates[index] : &joint->few[index];
}
static inline const ImpiCoordinate *impi_joint_coordinate_const(const ImpiJoint *joint, int index) {
  return joint->custom != NULL ? &joint->custom->coordinates[index] : &joint->few[index];
}
static inline int impi_joint_body_count(const ImpiJoint *joint) {
  return joint->custom != NULL ? joint->custom->body_count : 2;
}
static inline int32_t impi_joint_body(const ImpiJoint *joint, int index) {
  return joint->custom != NULL ? joint->custom->bodies[index] : index == 0 ? joint->body_a : joint->body_b;
}
// Whether the soft solver can have its drives of one coordinate in lanes: those of the angle of a pin.
static inline bool impi_joint_drives_in_lanes(const ImpiJoint *joint, int index) {
  return joint->custom == NULL && joint->kind != IMP_JOINT_RATCHET && joint->count == 3 && index == 2 &&
         joint->kinds[0] == IMP_COORDINATE_X && joint->kinds[1] == IMP_COORDINATE_Y &&
         joint->kinds[2] == IMP_COORDINATE_ANGLE && joint->few[0].locked && joint->few[1].locked;
}
// Coordinates that it may have at most: a constraint by rows has a varying number.
static inline int impi_joint_capacity(const ImpiJoint *joint) {
  return joint->custom != NULL ? joint->custom->capacity : IMPI_FEW;
}
static inline ImpCoordinateKind impi_coordinate_kind(const ImpiJoint *joint, int index) {
  return (ImpCoordinateKind)joint->kinds[joint->custom != NULL ? 0 : index];
}
// Whether its rows are functions that the caller's callback must bring up to date.
static inline bool impi_joint_is_called(const ImpiJoint *joint) {
  return joint->custom != NULL && (joint->custom->dynamic || joint->kinds[0] == IMP_COORDINATE_USER);
}
// Whether its rows change with time alone.
static inline bool impi_joint_is_timed(const ImpiJoint *joint) {
  return joint->custom != NULL && joint->kinds[0] == IMP_COORDINATE_TAPE && joint->custom->tape.timed;
}
// Whether its coordinates are rates.
static inline bool impi_joint_is_velocity(const ImpiJoint *joint) {
  return joint->custom != NULL && joint->kinds[0] == IMP_COORDINATE_TAPE && joint->custom->tape.velocity;
}

// The coordinates of a joint at one moment. `j` has 3 * bodies numbers a coordinate. A user row's value is its C; of a
// rate coordinate value is the rate at velocity 0.
typedef struct ImpiSamples {
  double *value;     // (count)
  double *curvature; // (count)
  double *j;         // (count, 3 * bodies)
} ImpiSamples;

// Evaluate all coordinates of a joint; `joints` are the world's, by slot.
void impi_joint_sample(const ImpiJoint *joints, const ImpiJoint *joint, const ImpiPoses *poses, double t,
                       double max_turn, ImpiSamples out);
// The speed of a coordinate, from samples at the bodies' poses.
double impi_joint_speed(const ImpiJoint *joint, const ImpiPoses *poses, const ImpiSamples *samples, int index);
// Whether armature of a coordinate makes a row: something can move the coordinate, and it is not negligible beside that.
bool impi_joint_feels(const ImpiJoint *joint, const ImpiBody *bodies, int index, double armature);
// Whether a coordinate turns a rotor: it is free and feels its armature.
static inline bool impi_joint_has_rotor(const ImpiJoint *joint, const ImpiDrive *drives, const ImpiBody *bodies,
                                        int index) {
  const ImpiCoordinate *coordinate = impi_joint_coordinate_const(joint, index);
  double armature = coordinate->drive >= 0 && !coordinate->locked ? drives[coordinate->drive].set.armature : 0;
  return armature > 0 && impi_joint_feels(joint, bodies, index, armature);
}
// What time alone does to the coordinates of a tape at these poses over a substep h that ends at `end`: (C(q, end) -
// C(q, end - h)) / h, or of a velocity tape its rates at velocity 0. `room` is for as many numbers.
void impi_joint_rates(const ImpiJoint *joint, const ImpiPoses *poses, double end, double h, double *room,
                      double *out_rates);

// What a world knows about joints that are open, for step_open.c. By slot; no state, as joints say whether they are.
typedef struct ImpiOpenJoints {
  IMPI_ARRAY(int32_t) doubted; // that the solver named in the step
  IMPI_ARRAY(int32_t) list;    // that were open at its end
  bool listed;                 // whether the list is true; else it is made anew
  IMPI_ARRAY(int32_t) bent;    // bodies with joints that the continuous stage of the step moved
} ImpiOpenJoints;

// Memory for the samples of the largest joint.
typedef struct ImpiSampleRoom {
  IMPI_ARRAY(double) numbers;
} ImpiSampleRoom;
bool impi_sample_reserve(ImpiHeap *heap, ImpiSampleRoom *room, const ImpiJoint *joint);
ImpiSamples impi_sample_room(ImpiSampleRoom *room, const ImpiJoint *joint);

// A ratchet's limit follows its coordinate: it never gives back a whole pitch that was gained.
void impi_ratchet_advance(const ImpiJoint *joint, ImpiDrive *drive, double value);

// The targets of a joint's servos move on by their own speeds over a substep h.
void impi_joint_move_targets(const ImpiJoint *joint, ImpiDrive *drives, double h);

// What a motor without a largest force asks for where the coordinate has a limit too: no more than reaches it within h, so
// that the two do not press against each other without bound. One with a largest force presses with that.
static inline double impi_motor_speed(const ImpDrive *set, double value, double h) {
  if (!(set->on >> IMP_DRIVE_LIMIT & 1u) || set->motor_max < HUGE_VAL) {
    return set->speed;
  }
  double lowest = impi_min((set->lower - value) / h, 0), highest = impi_max((set->upper - value) / h, 0);
  return impi_clamp(set->speed, lowest, highest);
}
// Whether the limit of its coordinate stops a motor, whatever it is asked for. One that is stronger goes through.
static inline bool impi_limit_stops_motor(const ImpDrive *set) {
  return set->on >> IMP_DRIVE_LIMIT & 1u && (set->motor_max == HUGE_VAL || set->motor_max <= set->limit_max);
}
// The same of a servo: its target within the limit.
static inline double impi_servo_target(const ImpDrive *set) {
  bool inside = set->on >> IMP_DRIVE_LIMIT & 1u && set->servo_max == HUGE_VAL;
  return inside ? impi_clamp(set->target, set->lower, set->upper) : set->target;
}

// A spring over a substep h, for a row of inverse effective mass k and error x = q - rest: the impulse that makes the
// row's speed what a damped spring would make it,
//   lambda' = lambda - mass scale (J v) - push - keep lambda,   mass = 1 / k
// Springs that are slow for h (w h < 0.5, not overdamped) keep the energy of symplectic Euler: a = exp(-c k h),
// v' = a v - a w^2 h x; the others are implicit: v' = (v - h w^2 x) / (1 + h c k + h^2 w^2). Both rest where
// stiffness * x balances the load, at any h.
#define IMPI_SLOW_SPRING 0.5 // the largest w h
typedef struct ImpiSpringStep {
  double scale, keep, push;
} ImpiSpringStep;
ImpiSpringStep impi_spring_step(double stiffness, double damping, double k, double x, double h);
// Stiffness and damping of a drive's spring, given the effective mass.
void impi_spring_constants(const ImpDrive *set, double mass, double *out_stiffness, double *out_damping);
// Softness of a spring's row of inverse effective mass k, as impi_spring_step, for a coordinate whose armature is
// solved in a row of its own: the spring swings with both masses, 1 / k + armature.
ImpiSpringStep impi_spring_step_beside(double stiffness, double damping, double k, double armature, double x, double h);

// The size by which the error of a joint is judged [m]: twice the extent of the smallest body that it moves; of bodies
// without extent twice the longest lever of its anchors, or the length that it keeps; without any of them 1 m.
double impi_joint_size(const ImpiJoint *joint, const ImpiBody *bodies);
// How far its bodies are from what its locks, and its limits that hold against any force, allow [m]. An error of an angle
// is the way that it moves a point half a size away; the error of a function is the least way of a body that mends it.
double impi_joint_gap(const ImpiJoint *joint, const ImpiDrive *drives, const ImpiSamples *samples, double size);
// Whether a locked coordinate is a lock: a row that the user wrote with bounds is none.
static inline bool impi_joint_locks(const ImpiJoint *joint, int index) {
  if (impi_coordinate_kind(joint, index) != IMP_COORDINATE_USER) {
    return impi_joint_coordinate_const(joint, index)->locked;
  }
  const ImpiUserValues *user = &joint->custom->rows[index];
  return user->lower == -HUGE_VAL && user->upper == HUGE_VAL;
}

// A step begins: all efforts of the joint are at 0.
void impi_joint_begin(ImpiJoint *joint, ImpiDrive *drives);
// The step is over: the work of all efforts counts for good. Returns what the step did [J].
double impi_joint_finish(ImpiJoint *joint, ImpiDrive *drives);

void impi_custom_free(ImpiHeap *heap, ImpiCustom *custom);

// joint_kinds.c
const ImpJointKindInfo *impi_kind(uint8_t kind);

#endif
