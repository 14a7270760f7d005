// impel: joints, drives, constraints and rows. A chapter of impel.h, which includes it; do not include it alone.
//
// A joint measures coordinates of body B relative to body A, in A's frame, and puts a drive on each. A drive turns a
// coordinate into constraint rows. A constraint is a joint whose coordinates are functions of the poses that the caller
// wrote: a tape of arithmetic operations, or rows given substep by substep.
#ifndef IMPEL_JOINT_H
#define IMPEL_JOINT_H

// ---------------------------------------------------------------------------------------------------------------------
// Drives: what acts on a coordinate
// ---------------------------------------------------------------------------------------------------------------------

typedef enum ImpDriveKind {
  IMP_DRIVE_LOCK,   ///< the coordinate keeps the value `lock`
  IMP_DRIVE_LIMIT,  ///< lower <= coordinate <= upper
  IMP_DRIVE_MOTOR,  ///< its rate is driven to `speed` with at most `motor_max`
  IMP_DRIVE_SERVO,  ///< it is driven to `target` with at most `servo_max`
  IMP_DRIVE_SPRING, ///< force -stiffness (q - rest) - damping q'
  IMP_DRIVE_FORCE,  ///< `force` is applied
  IMP_DRIVE_COUNT
} ImpDriveKind;
/// "lock", "limit", "motor", "servo", "spring", "force", or null out of range.
IMP_API const char *imp_drive_name(int kind);

/// Largest number of a drive, and of a force or impulse, in any unit: products of two of them are finite. Derived defaults,
/// such as the largest force of a drag joint, are clamped to it.
#define IMP_MAX_DRIVE 1e15
/// Largest ratio of a gear or pulley, pitch of a ratchet and number without a unit.
#define IMP_MAX_RATIO 1e6
/// Largest distance of an anchor from its body's origin along either axis [m].
#define IMP_MAX_ARM 1e9
/// Largest angle of a body [rad]: its cosine is still known to 1e-4. A body that turns farther is a fault. Angles of joints are
/// differences of two.
#define IMP_MAX_ANGLE 1e12

/// All drives of one coordinate. q is the coordinate in its unit [m or rad, or the unit of a constraint's C]; forces are
/// generalised forces on +q that act on B: N for lengths, N m for angles. Which of them act is in `on`.
typedef struct ImpDrive {
  unsigned on;         ///< bits 1 << ImpDriveKind
  double lock;         ///< the value that is kept
  double lower, upper; ///< of the limit; infinite: no end on that side
  double limit_max;    ///< >= 0: the limit gives way to more; infinite by default
  double speed;        ///< of the motor [1/s]
  double motor_max;    ///< >= 0, infinite: as much as it takes
  double target;       ///< of the servo
  double target_speed; ///< rate at which the target moves on by itself [1/s]: it is met without a lag
  double servo_max;    ///< >= 0
  double stiffness;    ///< of the spring [N/m, N m/rad]; with damping, or else hertz with damping_ratio
  double damping;      ///< [N s/m, N m s/rad]
  double hertz;        ///< > 0: stiffness and damping follow from the coordinate's effective mass
  double damping_ratio;
  double rest;       ///< value at which the spring pulls nowhere
  double rest_speed; ///< rate that its damper pulls to [1/s]: force -stiffness (q - rest) - damping (q' - rest_speed)
  double spring_max; ///< the spring's force is cut at this
  double force;      ///< applied directly
  // Armature, damping and friction act whether bits of `on` are set or not. All are >= 0, and 0 by default.
  // Armature of less than 1e-9 of what its coordinate moves is negligible and acts as 0.
  double armature;        ///< inertia of a rotor that the coordinate turns, r^2 J of a gear ratio r [kg, kg m^2]
  double viscous_damping; ///< force -viscous_damping q' [N s/m, N m s/rad]
  double dry_friction;    ///< Coulomb friction: the largest force that resists motion, or holds at rest [N, N m]
} ImpDrive;
/// No drive; bounds infinite; no armature, damping or friction.
IMP_API ImpDrive imp_drive(void);


// ---------------------------------------------------------------------------------------------------------------------
// Joints
// ---------------------------------------------------------------------------------------------------------------------

/// Coordinate `index` of a joint, counted from 0.
typedef struct ImpCoordinate {
  ImpJoint joint;
  int index;
} ImpCoordinate;

typedef enum ImpJointKind {
  IMP_JOINT_REVOLUTE,
  IMP_JOINT_PRISMATIC,
  IMP_JOINT_WELD,
  IMP_JOINT_WHEEL,
  IMP_JOINT_PIN_SLOT,
  IMP_JOINT_DISTANCE,
  IMP_JOINT_ROPE,
  IMP_JOINT_POSE,
  IMP_JOINT_DRAG,
  IMP_JOINT_GEAR,
  IMP_JOINT_RACK,
  IMP_JOINT_PULLEY,
  IMP_JOINT_RATCHET,
  IMP_JOINT_FRICTION,
  IMP_JOINT_LINEAR,
  IMP_JOINT_CONSTRAINT, ///< made by imp_constraint_create
  IMP_JOINT_KIND_COUNT
} ImpJointKind;

/// What a definition of a kind reads beside what every joint reads; bits of ImpJointKindInfo.options.
enum {
  IMP_TAKES_ANCHOR = 1 << 0,    ///< one anchor for both bodies
  IMP_TAKES_ANCHORS = 1 << 1,   ///< an anchor for each
  IMP_TAKES_AXIS = 1 << 2,      ///< the direction of x
  IMP_TAKES_REFERENCE = 1 << 3, ///< reference_angle
  IMP_TAKES_LENGTH = 1 << 4,    ///< length
  IMP_TAKES_RATIO = 1 << 5,     ///< ratio
  IMP_TAKES_GROUNDS = 1 << 6,   ///< ground_a, ground_b
  IMP_TAKES_TERMS = 1 << 7,     ///< term[2], and no bodies
  IMP_TAKES_TARGET = 1 << 8,    ///< target, target_angle: of the servos or springs on x, y and angle
  IMP_TAKES_PITCH = 1 << 9,     ///< pitch, direction
  IMP_TAKES_BOUNDS = 1 << 10,   ///< max_force on x and y, max_torque on the angle
  IMP_TAKES_ONE_BODY = 1 << 11, ///< body B alone; A is the ground
};

/// What a coordinate measures.
typedef enum ImpCoordinateKind {
  IMP_COORDINATE_X,        ///< of B's anchor from A's, along an axis fixed in A [m]
  IMP_COORDINATE_Y,        ///< along the axis turned by +90 degrees [m]
  IMP_COORDINATE_ANGLE,    ///< unwrapped, of B from A, less a reference [rad]
  IMP_COORDINATE_DISTANCE, ///< of the anchors [m]
  IMP_COORDINATE_PULLEY,   ///< distance of A's anchor from a world point + ratio * that of B's from another [m]
  IMP_COORDINATE_SUM,      ///< coordinate of a joint + ratio * coordinate of another
  IMP_COORDINATE_TAPE,     ///< of a constraint: a function that the caller wrote
  IMP_COORDINATE_USER,     ///< of a constraint by rows: a row that the caller writes
  IMP_COORDINATE_KIND_COUNT
} ImpCoordinateKind;

/// A kind of joint, as data. Bindings and documentation are made from this table.
typedef struct ImpJointKindInfo {
  const char *name;           ///< in Lua: world:revolute
  const char *coordinates[3]; ///< their names: "x", "y", "angle", "distance", "sum"; null after the last
  ImpCoordinateKind kinds[3]; ///< what each measures
  unsigned locked;            ///< bits of the coordinates that are locked unless a drive is given for them
  int own;                    ///< index of the joint's own coordinate, -1: it has none
  int spring, motor;          ///< index that a spring or motor of the joint itself acts on: `own`, but for the wheel
  unsigned options;           ///< IMP_TAKES_ bits
  const char *doc;            ///< one sentence
} ImpJointKindInfo;
/// The description of a kind, or null out of range.
IMP_API const ImpJointKindInfo *imp_joint_kind(int kind);

/// How the vector beside it is meant.
typedef enum ImpPlace {
  IMP_PLACE_DEFAULT, ///< not given
  IMP_PLACE_WORLD,   ///< world coordinates at creation
  IMP_PLACE_LOCAL    ///< coordinates of the body it belongs to (an axis: of A)
} ImpPlace;

/// How to make a joint. Start from imp_joint_def(); what a kind does not take is not read.
typedef struct ImpJointDef {
  ImpJointKind kind;
  ImpBody body_a, body_b;     ///< gear and rack: null
  const char *name;           ///< copied; null for none
  ImpPlace place_a, place_b;  ///< of the anchors; kinds with one anchor read anchor_b for both. Default: B's position
  ImpVec2 anchor_a, anchor_b; ///< [m]
  ImpPlace place_axis;
  ImpVec2 axis;           ///< any length but 0; default (1, 0) in the world
  double reference_angle; ///< NaN: theta_b - theta_a at creation, so that the angle starts at 0 [rad]
  double length;          ///< 0..IMP_MAX_DRIVE; NaN: as created [m]
  double ratio;           ///< within IMP_MAX_RATIO, not 0; default 1; C = q1 + ratio q2, or len_a + ratio len_b
  ImpVec2 ground_a;       ///< world points that a pulley's ropes run to
  ImpVec2 ground_b;
  ImpCoordinate term[2]; ///< gear and rack: the coordinates that are coupled
  ImpVec2 target;        ///< pose: of B's anchor in A's frame; drag: world point
  bool has_target;       ///< else as created
  double target_angle;   ///< pose; NaN: as created
  double pitch;          ///< ratchet: 0..IMP_MAX_RATIO; 0 holds at every angle [rad]
  int direction;         ///< ratchet: 1 or -1
  double max_force;      ///< NaN: the kind's default, else >= 0 [N]
  double max_torque;     ///< the same [N m]
  double hertz;          ///< drag: default 5
  double damping_ratio;  ///< drag: default 1
  ImpDrive drive[3];     ///< by coordinate; one that has any bit on takes the place of the kind's own drive
  unsigned free;         ///< bits of the coordinates that go without the kind's own drive
  double break_force;    ///< of the reaction; of a gear or rack, of its sum; infinite: does not break [N]
  double break_torque;   ///< infinite: does not break [N m]
  bool collide;          ///< whether the two bodies meet each other
  bool broken;           ///< made broken: it acts no longer, and no event tells
  void *user_data;
} ImpJointDef;
IMP_API ImpJointDef imp_joint_def(ImpJointKind kind, ImpBody body_a, ImpBody body_b);

/// Make a joint; both bodies wake. Errors: a body joined to itself, two bodies that neither moves, numbers out of range,
/// a drive on a coordinate that the kind has not. Inside a step: IMP_OK, and it acts from the next step on.
IMP_CALL ImpStatus imp_joint_create(ImpWorld *world, const ImpJointDef *def, ImpJoint *out_joint);
/// Destroy a joint, and the gears that couple it.
IMP_CALL ImpStatus imp_joint_destroy(ImpWorld *world, ImpJoint joint);
IMP_API bool imp_joint_is_valid(const ImpWorld *world, ImpJoint joint);
/// The world's own static body at the origin, upright; made when first asked for. It is in no list and cannot be
/// destroyed, moved or given another type.
IMP_CALL ImpStatus imp_world_ground(ImpWorld *world, ImpBody *out_body);

/// Walk the joints in creation order, of the world or of one body; null for the first, null after the last.
IMP_API ImpJoint imp_world_next_joint(const ImpWorld *world, ImpJoint previous);
IMP_API ImpJoint imp_body_next_joint(const ImpWorld *world, ImpBody body, ImpJoint previous);
IMP_API ImpJoint imp_world_find_joint(const ImpWorld *world, const char *name);

typedef enum ImpJointProperty {
  IMP_JOINT_ID,
  IMP_JOINT_VALUE,  ///< of the own coordinate
  IMP_JOINT_SPEED,  ///< of the own coordinate
  IMP_JOINT_FORCE,  ///< of the own coordinate, mean over the last step
  IMP_JOINT_TARGET, ///< of the own coordinate's servo, or its spring's rest
  IMP_JOINT_MOTOR_SPEED,
  IMP_JOINT_MAX_FORCE,  ///< of the motor, else of the servo, else of the spring
  IMP_JOINT_SEPARATION, ///< worst |C| of the locked coordinates
  IMP_JOINT_BROKEN,
  IMP_JOINT_BREAK_FORCE,
  IMP_JOINT_BREAK_TORQUE,
  IMP_JOINT_COLLIDE,
  IMP_JOINT_GAP, ///< how far its bodies are from what it allows [m]: what ImpResidual.open goes by
  IMP_JOINT_PROPERTY_COUNT
} ImpJointProperty;
IMP_API const ImpPropertyInfo *imp_joint_property(int property);
IMP_API ImpStatus imp_joint_get(const ImpWorld *world, ImpJoint joint, ImpJointProperty property, double *out_value);
IMP_CALL ImpStatus imp_joint_set(ImpWorld *world, ImpJoint joint, ImpJointProperty property, double value);

IMP_API ImpStatus imp_joint_kind_of(const ImpWorld *world, ImpJoint joint, ImpJointKind *out_kind);
IMP_API ImpStatus imp_joint_name(const ImpWorld *world, ImpJoint joint, const char **out_name);
IMP_CALL ImpStatus imp_joint_set_name(ImpWorld *world, ImpJoint joint, const char *name);
IMP_API ImpStatus imp_joint_user_data(const ImpWorld *world, ImpJoint joint, void **out_user_data);
/// The bodies in the order of their Jacobian parts: A, B; of a gear all that its terms move; of a constraint the
/// caller's. Writes at most `capacity` and gives their whole number.
IMP_API ImpStatus imp_joint_bodies(const ImpWorld *world, ImpJoint joint, ImpBody *bodies, int capacity,
                                   int *out_count);
/// The anchors in the world now [m]; for kinds without anchors the bodies' centres of mass.
IMP_API ImpStatus imp_joint_anchors(const ImpWorld *world, ImpJoint joint, ImpVec2 *out_a, ImpVec2 *out_b);
/// Set the target of a pose (in A's frame) or drag (world point) [m].
IMP_CALL ImpStatus imp_joint_set_target(ImpWorld *world, ImpJoint joint, ImpVec2 target);

/// The force [N] that the joint exerts on B at B's anchor and the torque [N m] about that point, world axes, mean over
/// the last step; A gets the opposite there. A constraint: on its last body, about its centre of mass.
typedef struct ImpReaction {
  double x, y, torque;
} ImpReaction;
IMP_API ImpStatus imp_joint_reaction(const ImpWorld *world, ImpJoint joint, ImpReaction *out_reaction);
/// Break it now: `broken`, its rows are gone. Its joint_break event is one of the last step's if `of_last_step` (what
/// judges a step right after it), else of the next one's. Broken again is a no-op.
IMP_CALL ImpStatus imp_joint_break(ImpWorld *world, ImpJoint joint, bool of_last_step);


// ---------------------------------------------------------------------------------------------------------------------
// Coordinates
// ---------------------------------------------------------------------------------------------------------------------

/// A coordinate now. Inside a substep callback: at that substep.
typedef struct ImpCoordinateInfo {
  const char *name; ///< "x", "angle", ...; the number of a constraint's result from "1" on
  double value, speed;
  double force; ///< on the bodies, of all drives and the rotor: T - R q'' of a motor T; mean over the last step
  double mass;  ///< effective mass 1 / (J M^-1 J^T) of the coordinate by itself, and its armature; 0: nothing moves
  double power; ///< of all drives, mean over the last step [W]
  double work;  ///< of all drives since the joint was made [J]
} ImpCoordinateInfo;
IMP_API ImpStatus imp_joint_coordinate_count(const ImpWorld *world, ImpJoint joint, int *out_count);
IMP_API ImpStatus imp_coordinate_info(const ImpWorld *world, ImpCoordinate coordinate, ImpCoordinateInfo *out_info);
/// Value and speed alone, as a feedback law asks for them every substep: several times cheaper than the whole info.
IMP_API ImpStatus imp_coordinate_state(const ImpWorld *world, ImpCoordinate coordinate, double *out_value,
                                       double *out_speed);
/// The same of the joint's own coordinate.
IMP_API ImpStatus imp_joint_state(const ImpWorld *world, ImpJoint joint, double *out_value, double *out_speed);
/// Three numbers (d/dx, d/dy, d/dangle) about the centre of mass for each body of imp_joint_bodies. Writes at most
/// `capacity` numbers and gives their whole number.
IMP_API ImpStatus imp_coordinate_jacobian(const ImpWorld *world, ImpCoordinate coordinate, double *j, int capacity,
                                          int *out_count);
/// The second derivative of the coordinate along the present velocities, J' v.
IMP_API ImpStatus imp_coordinate_curvature(const ImpWorld *world, ImpCoordinate coordinate, double *out_curvature);
IMP_API ImpStatus imp_coordinate_drive(const ImpWorld *world, ImpCoordinate coordinate, ImpDrive *out_drive);
/// Replace all drives of a coordinate; wakes the bodies. Inside a substep callback, or a field's, it acts from that
/// substep on: drives that are set for the first time, changed or released. What waits for the end of the step:
/// - a lock that is set or taken away, drives of a coordinate that is locked, and first drives with an armature;
/// - armature where there was none, in a cluster of `soft`, and all drives that are set in the same call;
/// - drives of bodies that sleep, which wake then;
/// - drives set inside other callbacks of a step, where they are the first of a coordinate or the last released;
/// - first drives where the solver has no room for more rows: `direct`, `acceleration` and `rattle` if their factor
///   would be too large with a drive on each free coordinate, and `reduced` if what each row does to its tree would be.
IMP_CALL ImpStatus imp_coordinate_set_drive(ImpWorld *world, ImpCoordinate coordinate, const ImpDrive *drive);
/// Apply a force [N or N m] until it is set again, beside the other drives; a lock goes. The same as reading the drives
/// and setting them with this force, and cheap where there is a force already. Inside a substep callback a changed force
/// wakes a body that sleeps at the end of the step, unless it is too small to move it.
IMP_CALL ImpStatus imp_coordinate_set_force(ImpWorld *world, ImpCoordinate coordinate, double force);
/// Move the target of its servo, or else the rest of its spring [m or rad]. IMP_ERR_ARGUMENT when it has neither.
IMP_CALL ImpStatus imp_coordinate_set_target(ImpWorld *world, ImpCoordinate coordinate, double target);


// ---------------------------------------------------------------------------------------------------------------------
// Constraints of one's own
// ---------------------------------------------------------------------------------------------------------------------

/// One operation of a tape. a, b, c are indices of earlier nodes; a is a body's index for the poses.
typedef enum ImpOp {
  IMP_OP_CONSTANT, ///< value
  IMP_OP_PARAM,    ///< parameter a, which may change
  IMP_OP_TIME,     ///< time at the end of the substep [s]
  IMP_OP_X,        ///< position of body a: its origin [m]
  IMP_OP_Y,
  IMP_OP_ANGLE, ///< of body a, unwrapped [rad]
  IMP_OP_COS,   ///< cosine and sine of the angle of body a
  IMP_OP_SIN,
  IMP_OP_CENTER_X, ///< centre of mass of body a [m]
  IMP_OP_CENTER_Y,
  IMP_OP_VX, ///< velocity of the centre of mass of body a: only where a tape is a velocity function [m/s]
  IMP_OP_VY,
  IMP_OP_ANGULAR_VELOCITY, ///< [rad/s]
  IMP_OP_POINT_X,          ///< in the world: the point of body a whose local coordinates are constants, nodes b, c [m]
  IMP_OP_POINT_Y,
  IMP_OP_VECTOR_X, ///< the same of a local vector, which only turns with the body
  IMP_OP_VECTOR_Y,
  IMP_OP_ADD, ///< a + b, and so on
  IMP_OP_SUB,
  IMP_OP_MUL,
  IMP_OP_DIV,
  IMP_OP_NEG,
  IMP_OP_POW, ///< a ^ b
  IMP_OP_SQRT,
  IMP_OP_SINE,   ///< sin a
  IMP_OP_COSINE, ///< cos a
  IMP_OP_ATAN2,  ///< atan2(a, b): y first
  IMP_OP_EXP,
  IMP_OP_LOG,
  IMP_OP_ABS,
  IMP_OP_MIN,
  IMP_OP_MAX,
  IMP_OP_WHERE, ///< a > 0 ? b : c
  IMP_OP_COUNT
} ImpOp;

typedef struct ImpNode {
  ImpOp op;
  int32_t a, b, c;
  double value;
} ImpNode;

/// A tape: nodes in the order of evaluation and which of them are the results. Where a function has a corner, the
/// derivative is that of the branch taken.
typedef struct ImpTapeDef {
  const ImpNode *nodes;
  int node_count;
  const int32_t *results; ///< node of each result   (result_count)
  int result_count;
  bool velocity; ///< results are rates, linear in the velocities: a non-holonomic constraint without position error
} ImpTapeDef;

/// One row as a rows callback writes it. J v + bias = 0 is enforced within lower <= force <= upper, and C is brought to
/// 0 if has_c is set.
typedef struct ImpUserRow {
  const double *j; ///< (3 * bodies): (d/dx, d/dy, d/dangle) of each body about its centre of mass
  double bias;
  double c;
  bool has_c;
  double lower, upper; ///< forces, infinite for none
} ImpUserRow;

typedef struct ImpConstraintDef {
  const char *name;
  const ImpBody *bodies;
  int body_count;       ///< 1..IMP_MAX_CONSTRAINT_BODIES; 0..: at least one must move
  ImpTapeDef tape;      ///< of what is not given by rows
  bool dynamic;         ///< the tape is made anew by the constraint callback before each evaluation
  int max_rows;         ///< > 0: a constraint by rows, set by the constraint callback before each evaluation
  const double *params; ///< (param_count), copied
  int param_count;
  ImpDrive drive; ///< of every result; nothing on: each is kept at 0. Rows have none
  double break_force;
  bool collide;
  void *user_data;
} ImpConstraintDef;
#define IMP_MAX_CONSTRAINT_BODIES 64
#define IMP_MAX_CONSTRAINT_ROWS 64
IMP_API ImpConstraintDef imp_constraint_def(void);
/// Make a constraint; it is a joint of the kind IMP_JOINT_CONSTRAINT. Errors: a value or derivative that is not finite,
/// a result that no body moves, a velocity tape that is not linear in the velocities, a body named twice.
IMP_CALL ImpStatus imp_constraint_create(ImpWorld *world, const ImpConstraintDef *def, ImpJoint *out_joint);
/// Replace the tape; the number of results stays.
IMP_CALL ImpStatus imp_constraint_set_tape(ImpWorld *world, ImpJoint joint, const ImpTapeDef *tape);
/// The rows of a constraint by rows until they are set again.
IMP_CALL ImpStatus imp_constraint_set_rows(ImpWorld *world, ImpJoint joint, const ImpUserRow *rows, int count);
IMP_API ImpStatus imp_constraint_param(const ImpWorld *world, ImpJoint joint, int index, double *out_value);
IMP_CALL ImpStatus imp_constraint_set_param(ImpWorld *world, ImpJoint joint, int index, double value);
/// Called for each dynamic constraint and each one by rows before it is evaluated: at the step's start, and in each
/// substep after positions moved. t is the time that the rows are for [s]. Getters read the state of that moment.
typedef void (*ImpConstraintFn)(ImpWorld *world, ImpJoint joint, double t, void *user);
IMP_CALL void imp_world_set_constraint_callback(ImpWorld *world, ImpConstraintFn callback, void *user);
/// The values of a tape at given poses, and their Jacobians (3 * bodies each): for tests and for those who trace.
/// Velocities may be null (0). Values that are not finite come as they are.
IMP_API ImpStatus imp_tape_evaluate(const ImpTapeDef *tape, const ImpTransform *poses, const double *angles,
                                    const double *velocities, int body_count, const double *params, int param_count,
                                    double t, double *out_values, double *out_j);


// ---------------------------------------------------------------------------------------------------------------------
// Rows: what the solver saw
// ---------------------------------------------------------------------------------------------------------------------

typedef enum ImpRowKind {
  IMP_ROW_NORMAL,   ///< non-penetration of a contact point
  IMP_ROW_FRICTION, ///< its tangent
  IMP_ROW_ROLLING,  ///< rolling resistance of a contact
  IMP_ROW_LOCK,
  IMP_ROW_LOWER_LIMIT,
  IMP_ROW_UPPER_LIMIT,
  IMP_ROW_MOTOR,
  IMP_ROW_SERVO,
  IMP_ROW_SPRING,
  IMP_ROW_FORCE,        ///< no row of a solver: a force that is applied
  IMP_ROW_USER,         ///< of a constraint by rows
  IMP_ROW_ARMATURE,     ///< a rotor behind a coordinate: J v - s = 0, s: speed of the rotor
  IMP_ROW_DAMPING,      ///< viscous damping of a coordinate
  IMP_ROW_DRY_FRICTION, ///< of a coordinate
  IMP_ROW_KIND_COUNT
} ImpRowKind;
IMP_API const char *imp_row_kind_name(int kind);

/// A row as it was written, before any internal transformation: J v + bias is driven to 0 by an impulse along J^T.
typedef struct ImpRowInfo {
  ImpRowKind kind;
  ImpJoint joint;      ///< its owner, or null
  ImpContact contact;  ///< its owner, or null
  int index;           ///< coordinate of the joint, or point of the contact
  double value;        ///< C [m, rad or the unit of a constraint]
  double speed;        ///< J v now
  double bias;         ///< b of the last substep
  double impulse;      ///< total over the last step
  double force;        ///< impulse / dt
  double mass;         ///< m_C = 1 / (J M^-1 J^T)
  double lower, upper; ///< bounds of the force
  bool clamped;        ///< the impulse is at a bound
  double power;        ///< mean over the last step [W]
  double work;         ///< since its owner began [J]
} ImpRowInfo;
/// The rows of the last step by the creation of their joints, then of the touching contacts by (shape, shape, point).
/// Valid until the next step or until anything is created or destroyed.
IMP_API ImpStatus imp_world_rows(ImpWorld *world, const ImpRowInfo **out_rows, int *out_count);
/// Where the rows of a joint or contact are in that list; count 0: it has none.
IMP_API ImpStatus imp_joint_rows(ImpWorld *world, ImpJoint joint, int *out_first, int *out_count);
IMP_API ImpStatus imp_contact_rows(ImpWorld *world, ImpContact contact, int *out_first, int *out_count);
/// Bodies and Jacobian of row `index` of that list, three numbers a body; gives the number of bodies.
IMP_API ImpStatus imp_row_jacobian(ImpWorld *world, int index, ImpBody *bodies, double *j, int body_capacity,
                                   int *out_count);

/// Degrees of freedom of all dynamic bodies (3 each, 2 without rotation), the rank of the locked coordinates' Jacobian,
/// and what is left over.
typedef struct ImpMobility {
  int freedom, rank, mobility; ///< mobility = freedom - rank
  int rows, redundant;         ///< locked coordinates, and those that follow from others
  int weak;                    ///< locks that bear large forces, see imp_world_weak_lock; of more the worst 8
} ImpMobility;
/// Error: more than IMP_MAX_MOBILITY_FREEDOM degrees of freedom hang together.
IMP_API ImpStatus imp_world_mobility(ImpWorld *world, ImpMobility *out_mobility);
#define IMP_MAX_MOBILITY_FREEDOM 3000
/// The redundant locked coordinates, of the later created joint each, of the last imp_world_mobility.
IMP_API ImpStatus imp_world_redundant(ImpWorld *world, int index, ImpCoordinate *out_coordinate);
enum { IMP_MAX_WEAK_LOCKS = 8, IMP_MAX_WEAK_JOINTS = 8 };
/// A lock that nearly follows from others: near a dead centre, at a toggle, at the root of a long lever.
typedef struct ImpWeakLock {
  ImpCoordinate lock;
  double left;          ///< part of its row that others do not keep: 1 none of it, 0 all of it (it would be redundant)
  double amplification; ///< force of the lock for each N (or N m) of a load on the body that would move fastest
  double angle; ///< angle of the body that would turn fastest to the dead centre [rad]; infinite: no dead centre
  double way;   ///< distance of the point that would move fastest to the dead centre [m]
  ImpJoint joints[IMP_MAX_WEAK_JOINTS]; ///< whose locks take part, in creation order   (joint_count)
  int joint_count;
} ImpWeakLock;
/// Those locks as the last imp_world_mobility found them, the largest amplification first. Error: index out of range.
IMP_API ImpStatus imp_world_weak_lock(ImpWorld *world, int index, ImpWeakLock *out_weak);
/// The motions that the joints allow: a basis of the null space of J, orthonormal in sum(vx^2 + vy^2 + rho^2 w^2) with
/// the radii of gyration rho. Vector k has three numbers for each
/// dynamic body in creation order at [k * 3 * bodies]. Writes at most `capacity` numbers; gives vectors and bodies.
IMP_API ImpStatus imp_world_nullspace(ImpWorld *world, double *basis, int capacity, int *out_vectors, int *out_bodies);


// ---------------------------------------------------------------------------------------------------------------------
// Snapshots
// ---------------------------------------------------------------------------------------------------------------------

/// The whole state of the world as bytes; free them with imp_snapshot_free. The same world makes the same bytes, whatever
/// compiler and 64-bit little-endian processor. They are read by a library of the same version with the same tables.
IMP_API ImpStatus imp_world_snapshot(const ImpWorld *world, void **out_bytes, size_t *out_size);
IMP_API void imp_snapshot_free(void *bytes);
/// Go back to a snapshot, of this or of another world. Handles of what lived then are valid again, those of what was
/// made since are not. Settings of the world come back too, but `threads`; callbacks stay. On an error nothing has
/// changed: bytes that are damaged, cut, of another version, or that are no whole and valid world are
/// IMP_ERR_ARGUMENT, wherever they come from. A slot is used 2^24 times: a snapshot from which on a slot was used as often
/// as that is IMP_ERR_LIMIT, because its handles would equal later ones. While it is read, a snapshot takes memory in proportion to its length.
IMP_CALL ImpStatus imp_world_restore(ImpWorld *world, const void *bytes, size_t size);

/// A restore that needs nothing any more.
typedef struct ImpRestore ImpRestore;
/// All of a restore that can fail: what is read stands beside the world, which has not changed. So several worlds go back
/// together, or none. The bytes are not needed any more. Till it is ended the world must be left alone.
IMP_API ImpStatus imp_world_begin_restore(ImpWorld *world, const void *bytes, size_t size, ImpRestore **out_restore);
/// The world becomes what was read; or, if `take` is false, stays what it is.
IMP_CALL void imp_restore_end(ImpRestore *restore, bool take);

/// A part of a snapshot.
typedef struct ImpSnapshotSection {
  char name[16]; ///< "bodies", "motions", "contacts", ...: at most 8 letters
  size_t bytes;  ///< of it, with its frame
} ImpSnapshotSection;

enum { IMP_MAX_SNAPSHOT_SECTIONS = 64 };

typedef struct ImpSnapshotInfo {
  size_t size;     ///< of the snapshot: the bytes given may be more [bytes]
  uint64_t format; ///< number of the format
  bool readable;   ///< by this library
  int section_count;
  ImpSnapshotSection sections[IMP_MAX_SNAPSHOT_SECTIONS]; ///< in their order; with the header they are all of it
} ImpSnapshotInfo;

/// How long the snapshot at the start of some bytes is, and what takes how much of it. IMP_ERR_ARGUMENT where the bytes
/// begin with no snapshot, or hold less than all of it. Its checksum is not looked at.
IMP_API ImpStatus imp_snapshot_info(const void *bytes, size_t size, ImpSnapshotInfo *out_info);

#endif
