// impel: joints, drives, constraints and rows. Included by impel.h.
//
// A joint measures coordinates of body B relative to body A, in the frame of A: lengths along an axis, an angle, a
// distance. Drives act on a coordinate: a lock keeps the coordinate at a value, a limit bounds it, motors, servos,
// springs and forces move it. The solver turns drives into constraint rows. A constraint is a joint whose coordinates
// are functions that the caller defines: a tape of arithmetic operations on the poses, or rows that a callback sets in
// each substep.
#ifndef IMPEL_JOINT_H
#define IMPEL_JOINT_H

// ---------------------------------------------------------------------------------------------------------------------
// Drives on a coordinate
// ---------------------------------------------------------------------------------------------------------------------

/// Kinds of drives on a coordinate q.
typedef enum ImpDriveKind {
  IMP_DRIVE_LOCK,   ///< q = lock
  IMP_DRIVE_LIMIT,  ///< lower <= q <= upper, with a force of at most `limit_max`
  IMP_DRIVE_MOTOR,  ///< q' = speed, with a force of at most `motor_max`
  IMP_DRIVE_SERVO,  ///< q = target, with a force of at most `servo_max`
  IMP_DRIVE_SPRING, ///< force -stiffness (q - rest) - damping (q' - rest_speed), at most `spring_max`
  IMP_DRIVE_FORCE,  ///< constant force
  IMP_DRIVE_COUNT
} ImpDriveKind;
/// Return a drive's name: "lock", "limit", "motor", "servo", "spring", "force".
IMP_API const char *imp_drive_name(int kind);

/// Upper bound of the absolute values of forces, impulses and the numbers of a drive, in any unit. The product of two
/// such values is finite. Computed defaults are clamped to this bound.
#define IMP_MAX_DRIVE 1e15
/// Largest ratio of a gear or pulley, largest pitch of a ratchet [rad], and largest value of other numbers without
/// unit.
#define IMP_MAX_RATIO 1e6
/// Largest distance of an anchor from its body's origin along either axis [m].
#define IMP_MAX_ARM 1e9
/// Largest angle of a body [rad]; near this bound, angles are rounded to 1e-4 rad. A body that turns farther is
/// disabled and reported in a fault event.
#define IMP_MAX_ANGLE 1e12

/// All drives of one coordinate q [m or rad, or the unit of a constraint's C]. Forces are generalised forces [N for
/// lengths, N m for angles] that act on B in the direction of +q and on A in the opposite direction.
typedef struct ImpDrive {
  unsigned on;         ///< drives that act: bits 1 << ImpDriveKind
  double lock;         ///< value of the lock
  double lower, upper; ///< ends of the limit; an infinite end does not act
  double limit_max;    ///< largest force of the limit, >= 0; default infinite
  double speed;        ///< target rate of the motor [m/s, rad/s]
  double motor_max;    ///< largest force of the motor, >= 0; default infinite
  double target;       ///< target value of the servo
  double target_speed; ///< rate at which the target moves [m/s, rad/s]
  double servo_max;    ///< largest force of the servo, >= 0; default infinite
  /// stiffness of the spring [N/m, N m/rad], >= 0. Either `stiffness` and `damping` or `hertz` and `damping_ratio` are
  /// given
  double stiffness;
  double damping; ///< damping of the spring [N s/m, N m s/rad], >= 0
  /// > 0: natural frequency of the spring [Hz], with the effective mass of the coordinate under the joint's locks
  double hertz;
  double damping_ratio; ///< damping ratio of a spring with `hertz`, >= 0
  double rest;          ///< value at which the spring exerts no force
  double rest_speed;    ///< rate at which the damper of the spring exerts no force [m/s, rad/s]
  double spring_max;    ///< largest force of the spring, >= 0; default infinite
  double force;         ///< constant force of the force drive
  // `armature`, `viscous_damping` and `dry_friction` are >= 0, default 0, and have no bits in `on`. An armature below
  // 1e-9 of the effective mass of its coordinate is ignored.
  /// inertia of a rotor that turns with the coordinate [kg, kg m^2]; if the rotor turns r times as fast through a gear,
  /// r^2 times the inertia of the rotor
  double armature;
  double viscous_damping; ///< force -viscous_damping q' [N s/m, N m s/rad]
  double dry_friction;    ///< Coulomb friction: largest force that resists motion, or prevents it at rest [N, N m]
} ImpDrive;
/// Return the default: no drive is on, bounds are infinite, other numbers 0.
IMP_API ImpDrive imp_drive(void);


// ---------------------------------------------------------------------------------------------------------------------
// Joints
// ---------------------------------------------------------------------------------------------------------------------

/// A coordinate of a joint, `index` from 0.
typedef struct ImpCoordinate {
  ImpJoint joint;
  int index;
} ImpCoordinate;

/// Kinds of joints. Their coordinates and locks are in the table: imp_joint_kind.
typedef enum ImpJointKind {
  IMP_JOINT_REVOLUTE,   ///< hinge: the anchors coincide, the angle is free
  IMP_JOINT_PRISMATIC,  ///< slider: B moves along an axis of A without rotation
  IMP_JOINT_WELD,       ///< B is fixed to A
  IMP_JOINT_WHEEL,      ///< B moves on a spring along an axis of A and rotates: a suspended wheel
  IMP_JOINT_PIN_SLOT,   ///< a pin of B in a straight slot of A: the axis and the angle are free
  IMP_JOINT_DISTANCE,   ///< rod: the anchors keep their distance
  IMP_JOINT_ROPE,       ///< the anchors are at most `length` apart
  IMP_JOINT_POSE,       ///< servos drive B to a pose in the frame of A
  IMP_JOINT_DRAG,       ///< springs pull a point of a body to a world point
  IMP_JOINT_GEAR,       ///< q1 + ratio q2 of two coordinates is constant
  IMP_JOINT_RACK,       ///< a gear of a sliding and a rotating coordinate
  IMP_JOINT_PULLEY,     ///< rope over two fixed points: length on A's side + ratio * length on B's side is constant
  IMP_JOINT_RATCHET,    ///< the angle changes in one direction only, and is held at the last multiple of `pitch` passed
  IMP_JOINT_FRICTION,   ///< motors drive the relative velocity to 0 with bounded forces
  IMP_JOINT_LINEAR,     ///< B moves freely without rotation relative to A
  IMP_JOINT_CONSTRAINT, ///< made by imp_constraint_create
  IMP_JOINT_KIND_COUNT
} ImpJointKind;

/// Options of kinds of joints: bits of ImpJointKindInfo.options. A kind reads only the members of its options.
enum {
  IMP_TAKES_ANCHOR = 1 << 0,    ///< one anchor for both bodies
  IMP_TAKES_ANCHORS = 1 << 1,   ///< an anchor for each body
  IMP_TAKES_AXIS = 1 << 2,      ///< axis: direction of the coordinate x
  IMP_TAKES_REFERENCE = 1 << 3, ///< reference_angle
  IMP_TAKES_LENGTH = 1 << 4,    ///< length
  IMP_TAKES_RATIO = 1 << 5,     ///< ratio
  IMP_TAKES_GROUNDS = 1 << 6,   ///< ground_a, ground_b
  IMP_TAKES_TERMS = 1 << 7,     ///< term[2], two coordinates of other joints, instead of two bodies
  IMP_TAKES_TARGET = 1 << 8,    ///< target, target_angle: targets of the servos or springs on x, y and angle
  IMP_TAKES_PITCH = 1 << 9,     ///< pitch, direction
  IMP_TAKES_BOUNDS = 1 << 10,   ///< max_force: bound on x and y; max_torque: bound on the angle
  IMP_TAKES_ONE_BODY = 1 << 11, ///< body B only; A is the ground
};

typedef enum ImpCoordinateKind {
  IMP_COORDINATE_X,        ///< position of B's anchor relative to A's, along an axis fixed in A [m]
  IMP_COORDINATE_Y,        ///< position of B's anchor relative to A's, along the axis turned by +90 degrees [m]
  IMP_COORDINATE_ANGLE,    ///< angle of B relative to A minus a reference, unwrapped [rad]
  IMP_COORDINATE_DISTANCE, ///< distance of the anchors [m]
  IMP_COORDINATE_PULLEY,   ///< len_a + ratio len_b [m]; len_a: from ground_a to A's anchor, len_b: from ground_b to B's
  IMP_COORDINATE_SUM,      ///< coordinate of a joint + ratio * coordinate of another joint
  IMP_COORDINATE_TAPE,     ///< result of a tape of a constraint
  IMP_COORDINATE_USER,     ///< row that the caller sets, see ImpUserRow
  IMP_COORDINATE_KIND_COUNT
} ImpCoordinateKind;

/// Description of a kind of joint: source of the Lua API and its documentation.
typedef struct ImpJointKindInfo {
  const char *name;           ///< name of the kind and of its function in Lua
  const char *coordinates[3]; ///< names: "x", "y", "angle", "distance", "sum"; null after the last
  ImpCoordinateKind kinds[3];
  /// bits of the coordinates that have a lock, unless the definition gives them another drive
  unsigned locked;
  int own; ///< index of the joint's own coordinate (value, speed, force); -1: none
  /// index of the coordinate of the joint's spring or motor; differs from `own` for the motor of a wheel
  int spring, motor;
  unsigned options; ///< IMP_TAKES_ bits
  const char *doc;  ///< one sentence
} ImpJointKindInfo;
/// Return the description of a kind, or null out of range.
IMP_API const ImpJointKindInfo *imp_joint_kind(int kind);

/// Frame in which an anchor or axis is given.
typedef enum ImpPlace {
  IMP_PLACE_DEFAULT, ///< use the default
  IMP_PLACE_WORLD,   ///< world coordinates at creation
  IMP_PLACE_LOCAL    ///< frame of the anchor's body; for an axis, frame of A
} ImpPlace;

/// Definition of a joint. Start from imp_joint_def(); members that the kind does not take are not read. The default
/// anchor on B is the origin of B. The default anchor on A is the same world point, or, for kinds with two anchors or a
/// target, the origin of A.
typedef struct ImpJointDef {
  ImpJointKind kind;
  ImpBody body_a, body_b; ///< null for gear and rack
  const char *name;       ///< copied; null for none
  ImpPlace place_a, place_b;
  ImpVec2 anchor_a, anchor_b; ///< [m]
  ImpPlace place_axis;        ///< default: world
  ImpVec2 axis;               ///< direction of the coordinate x, not 0; default (1, 0)
  /// theta_b - theta_a at angle 0 [rad]; default NaN: the value at creation
  double reference_angle;
  double length; ///< length of a rod or rope, 0..IMP_MAX_DRIVE [m]; default NaN: the distance at creation
  /// ratio in q1 + ratio q2 (gear, rack) or len_a + ratio len_b (pulley); not 0, up to IMP_MAX_RATIO; default 1
  double ratio;
  ImpVec2 ground_a;      ///< pulley: world point from which the rope runs to A's anchor [m]
  ImpVec2 ground_b;      ///< pulley: world point from which the rope runs to B's anchor [m]
  ImpCoordinate term[2]; ///< gear and rack: the coordinates q1, q2
  ImpVec2 target;        ///< pose: position of B's anchor in the frame of A; drag: world point [m]
  bool has_target;       ///< false: the target is the position at creation
  double target_angle;   ///< pose: target of the angle [rad]; default NaN: the angle at creation
  /// ratchet: angle between teeth, 0..IMP_MAX_RATIO [rad]; 0: the ratchet holds at every angle
  double pitch;
  int direction; ///< ratchet: direction in which the angle can turn, 1 or -1
  /// largest force [N], >= 0; default NaN: for a drag, 100 times the weight of the body; for other kinds, infinite
  double max_force;
  double max_torque;    ///< >= 0 [N m]; default NaN: infinite
  double hertz;         ///< drag: frequency of its springs [Hz]; default 5
  double damping_ratio; ///< drag: damping ratio of its springs; default 1
  /// drive[i]: drives of coordinate i. They replace the default drive of this coordinate if any bit of `on` is set. If
  /// `rest` is NaN, it is set to the value of the coordinate at creation
  ImpDrive drive[3];
  unsigned free; ///< bits of the coordinates without the default drive
  /// the joint breaks above this reaction force [N]; gear or rack: above this force along q1 + ratio q2; default
  /// infinite
  double break_force;
  double break_torque; ///< the joint breaks above this reaction torque [N m]; default infinite
  bool collide;        ///< whether the two bodies collide with each other; default false
  bool broken;         ///< the joint is broken from its creation on, without an event
  void *user_data;     ///< for the caller only
} ImpJointDef;
/// Return the default definition of a kind.
IMP_API ImpJointDef imp_joint_def(ImpJointKind kind, ImpBody body_a, ImpBody body_b);

/// Make a joint. Both bodies wake. A joint made inside a step acts from the next step on. Errors: a body joined to
/// itself, no dynamic body, a number out of range, a drive on a coordinate that the kind does not have; IMP_ERR_LIMIT
/// above `max_joints`; IMP_ERR_NOMEM.
IMP_CALL ImpStatus imp_joint_create(ImpWorld *world, const ImpJointDef *def, ImpJoint *out_joint);
/// Destroy a joint, and the gears that couple its coordinates. Its bodies wake.
IMP_CALL ImpStatus imp_joint_destroy(ImpWorld *world, ImpJoint joint);
/// Return whether the handle refers to an existing joint of this world.
IMP_API bool imp_joint_is_valid(const ImpWorld *world, ImpJoint joint);
/// Get the ground: a static body of the world at the origin with angle 0, made at the first call. The ground is in no
/// list of bodies and cannot be destroyed, moved or changed.
IMP_CALL ImpStatus imp_world_ground(ImpWorld *world, ImpBody *out_body);

/// Return the joint of the world after `previous` in creation order: the first for the null handle, null after the
/// last.
IMP_API ImpJoint imp_world_next_joint(const ImpWorld *world, ImpJoint previous);
/// Return the joint of a body after `previous` in creation order: the first for the null handle, null after the last.
IMP_API ImpJoint imp_body_next_joint(const ImpWorld *world, ImpBody body, ImpJoint previous);
/// Return the first joint with this name in creation order, or null.
IMP_API ImpJoint imp_world_find_joint(const ImpWorld *world, const char *name);

/// Properties of a joint. Ranges and full descriptions are in the table: imp_joint_property. A kind without an own
/// coordinate (ImpJointKindInfo) does not have the properties of the own coordinate.
typedef enum ImpJointProperty {
  IMP_JOINT_ID,    ///< creation number in the world, from 1; read only
  IMP_JOINT_VALUE, ///< value of the joint's own coordinate [m, rad]; read only
  IMP_JOINT_SPEED, ///< rate of the joint's own coordinate [m/s, rad/s]; read only
  /// mean force over the last step that all drives of the own coordinate exert on B [N, N m]; read only
  IMP_JOINT_FORCE,
  IMP_JOINT_TARGET,      ///< target of the servo of the joint's own coordinate, or rest value of its spring [m, rad]
  IMP_JOINT_MOTOR_SPEED, ///< target rate of the motor [m/s, rad/s]
  /// largest force [N, N m] of the motor, else of the servo, else of the spring
  IMP_JOINT_MAX_FORCE,
  IMP_JOINT_SEPARATION,   ///< largest error |C| of the locked coordinates [m, rad]; read only
  IMP_JOINT_BROKEN,       ///< the joint is broken and does not act; read only
  IMP_JOINT_BREAK_FORCE,  ///< the joint breaks above this reaction force [N]
  IMP_JOINT_BREAK_TORQUE, ///< the joint breaks above this reaction torque [N m]
  IMP_JOINT_COLLIDE,      ///< the bodies of the joint collide with each other; read only
  IMP_JOINT_GAP,          ///< error of locks and of limits of infinite force [m], see ImpResidual.open; read only
  IMP_JOINT_PROPERTY_COUNT
} ImpJointProperty;
/// Return the description of a property, or null if the index is out of range.
IMP_API const ImpPropertyInfo *imp_joint_property(int property);
/// Read a property in the unit of its description (imp_joint_property); booleans as 0 and 1. Error: the joint does not
/// have the property.
IMP_API ImpStatus imp_joint_get(const ImpWorld *world, ImpJoint joint, ImpJointProperty property, double *out_value);
/// Set a property. Drives change as by imp_coordinate_set_drive. Errors: read only, out of range, the joint does not
/// have the property.
IMP_CALL ImpStatus imp_joint_set(ImpWorld *world, ImpJoint joint, ImpJointProperty property, double value);

IMP_API ImpStatus imp_joint_kind_of(const ImpWorld *world, ImpJoint joint, ImpJointKind *out_kind);
/// Read the name, null for none. The string is valid until the name changes or the joint is destroyed.
IMP_API ImpStatus imp_joint_name(const ImpWorld *world, ImpJoint joint, const char **out_name);
/// Set the name; null removes it.
IMP_CALL ImpStatus imp_joint_set_name(ImpWorld *world, ImpJoint joint, const char *name);
IMP_API ImpStatus imp_joint_user_data(const ImpWorld *world, ImpJoint joint, void **out_user_data);
/// List the bodies of a joint: A and B; for a gear, all bodies of its terms; for a constraint, the bodies of its
/// definition. Jacobians have three columns for each body, in this order. Writes at most `capacity` bodies.
/// `out_count`: number of all bodies of the joint.
IMP_API ImpStatus imp_joint_bodies(const ImpWorld *world, ImpJoint joint, ImpBody *bodies, int capacity,
                                   int *out_count);
/// Read the world positions of the anchors now [m]; for gears and constraints, the centres of mass of the first and the
/// last body.
IMP_API ImpStatus imp_joint_anchors(const ImpWorld *world, ImpJoint joint, ImpVec2 *out_a, ImpVec2 *out_b);
/// Set the target of a pose joint (in the frame of A) or of a drag joint (in the world) [m]. Error: a joint of another
/// kind.
IMP_CALL ImpStatus imp_joint_set_target(ImpWorld *world, ImpJoint joint, ImpVec2 target);

/// Reaction of a joint: force x, y [N] on B at B's anchor and torque [N m] about B's anchor, in world axes, mean over
/// the last step. The opposite reaction acts on A at the same point. The reaction of a gear or constraint acts on the
/// centre of mass of its last body.
typedef struct ImpReaction {
  double x, y, torque;
} ImpReaction;
/// Read the reaction of the last step.
IMP_API ImpStatus imp_joint_reaction(const ImpWorld *world, ImpJoint joint, ImpReaction *out_reaction);
/// Break a joint now: it stays, with IMP_JOINT_BROKEN true, and does not act. Its bodies wake. The joint_break event is
/// added to the events of the next step, or of the last step if `of_last_step`. No-op if the joint is already broken.
/// Inside a step the joint breaks at the end of the step.
IMP_CALL ImpStatus imp_joint_break(ImpWorld *world, ImpJoint joint, bool of_last_step);


// ---------------------------------------------------------------------------------------------------------------------
// Coordinates
// ---------------------------------------------------------------------------------------------------------------------

/// Present state of a coordinate [m or rad, or the unit of a constraint's C]. In a substep callback, it is the state at
/// the start of the substep.
typedef struct ImpCoordinateInfo {
  const char *name;    ///< "x", "angle", ...; of a constraint "1", "2", ...
  double value, speed; ///< value and rate; of a velocity tape: 0 and the result of the tape
  /// mean force over the last step that all drives and the rotor exert on B: T - R q'' for motor force T and armature R
  double force;
  /// effective mass 1 / (J M^-1 J^T) of the coordinate without locks, plus its armature; 0: no body can move
  double mass;
  double power; ///< power of all drives, mean over the last step [W]
  double work;  ///< work of all drives since the joint was made [J]
} ImpCoordinateInfo;
/// Read the number of coordinates of a joint; for a constraint by rows, the present number of rows.
IMP_API ImpStatus imp_joint_coordinate_count(const ImpWorld *world, ImpJoint joint, int *out_count);
/// Read the state of a coordinate. Errors, also of the functions below: no such coordinate; IMP_ERR_NOMEM.
IMP_API ImpStatus imp_coordinate_info(const ImpWorld *world, ImpCoordinate coordinate, ImpCoordinateInfo *out_info);
/// Read value and speed of a coordinate only. Faster than imp_coordinate_info.
IMP_API ImpStatus imp_coordinate_state(const ImpWorld *world, ImpCoordinate coordinate, double *out_value,
                                       double *out_speed);
/// Read value and speed of the joint's own coordinate. Error: a kind without own coordinate.
IMP_API ImpStatus imp_joint_state(const ImpWorld *world, ImpJoint joint, double *out_value, double *out_speed);
/// Read the Jacobian of a coordinate, `j` (bodies, 3): (d/dx, d/dy, d/dangle) about the centre of mass of each body of
/// imp_joint_bodies. Writes at most `capacity` numbers. `out_count`: number of all elements of the Jacobian.
IMP_API ImpStatus imp_coordinate_jacobian(const ImpWorld *world, ImpCoordinate coordinate, double *j, int capacity,
                                          int *out_count);
/// Read J̇v: the second time derivative of the coordinate at constant velocities [unit of the coordinate / s^2].
IMP_API ImpStatus imp_coordinate_curvature(const ImpWorld *world, ImpCoordinate coordinate, double *out_curvature);
/// Read all drives of a coordinate, as they were set last.
IMP_API ImpStatus imp_coordinate_drive(const ImpWorld *world, ImpCoordinate coordinate, ImpDrive *out_drive);
/// Replace all drives of a coordinate. A change wakes the bodies. Errors: a number that is non-finite or not below
/// IMP_MAX_DRIVE, lower > upper, a spring with both stiffness and hertz, a motor and a servo both of infinite force, a
/// constraint by rows.
///
/// In a substep callback or a field callback the drives act from this substep on. In every callback of a step, the
/// following changes act from the next step on ("first drives": drives of a coordinate that had none):
/// - locks that are added or removed, drives on a locked coordinate, and first drives of a coordinate with an armature;
/// - all drives of a call that adds an armature to a joint in a cluster of `soft` (see ImpProfile);
/// - drives of sleeping bodies;
/// - in callbacks that are neither substep nor field callbacks: first drives, and removal of the last drive;
/// - the first drives of a coordinate, if the solver has no room for their rows.
IMP_CALL ImpStatus imp_coordinate_set_drive(ImpWorld *world, ImpCoordinate coordinate, const ImpDrive *drive);
/// Set the force drive of a coordinate [N or N m], which acts until it is set again. A lock is removed, other drives
/// stay. Equivalent to imp_coordinate_set_drive. Inside a step a changed force wakes sleeping bodies at the end of the
/// step, unless the force is too small to move them.
IMP_CALL ImpStatus imp_coordinate_set_force(ImpWorld *world, ImpCoordinate coordinate, double force);
/// Set the target of the coordinate's servo, or else the rest value of its spring [m or rad]. Error: neither a servo
/// nor a spring.
IMP_CALL ImpStatus imp_coordinate_set_target(ImpWorld *world, ImpCoordinate coordinate, double target);


// ---------------------------------------------------------------------------------------------------------------------
// User-defined constraints
// ---------------------------------------------------------------------------------------------------------------------

/// Operations of a tape. Operands a, b, c of a node are indices of earlier nodes, except where an operation names a
/// body or a parameter.
typedef enum ImpOp {
  IMP_OP_CONSTANT, ///< the node's `value`
  IMP_OP_PARAM,    ///< parameter a
  IMP_OP_TIME,     ///< time at the end of the substep [s]
  IMP_OP_X,        ///< origin of body a: x and y [m]
  IMP_OP_Y,
  IMP_OP_ANGLE, ///< angle of body a, unwrapped [rad]
  IMP_OP_COS,   ///< cosine and sine of the angle of body a
  IMP_OP_SIN,
  IMP_OP_CENTER_X, ///< centre of mass of body a: x and y [m]
  IMP_OP_CENTER_Y,
  IMP_OP_VX, ///< velocity of the centre of mass of body a [m/s]; only if ImpTapeDef.velocity
  IMP_OP_VY,
  IMP_OP_ANGULAR_VELOCITY, ///< angular velocity of body a [rad/s]; only if ImpTapeDef.velocity
  IMP_OP_POINT_X, ///< world position of the point with the local coordinates (b, c) of body a [m]; b, c: constant nodes
  IMP_OP_POINT_Y,
  IMP_OP_VECTOR_X, ///< world components of the vector with the local components (b, c) in body a; b, c: constant nodes
  IMP_OP_VECTOR_Y,
  IMP_OP_ADD,    ///< a + b
  IMP_OP_SUB,    ///< a - b
  IMP_OP_MUL,    ///< a b
  IMP_OP_DIV,    ///< a / b
  IMP_OP_NEG,    ///< -a
  IMP_OP_POW,    ///< a ^ b
  IMP_OP_SQRT,   ///< square root of a
  IMP_OP_SINE,   ///< sin a
  IMP_OP_COSINE, ///< cos a
  IMP_OP_ATAN2,  ///< atan2(a, b): y first
  IMP_OP_EXP,    ///< e ^ a
  IMP_OP_LOG,    ///< natural logarithm of a
  IMP_OP_ABS,    ///< |a|
  IMP_OP_MIN,    ///< smaller of a and b
  IMP_OP_MAX,    ///< larger of a and b
  IMP_OP_WHERE,  ///< a > 0 ? b : c
  IMP_OP_COUNT
} ImpOp;

/// One node of a tape: operation, operands, and the value of a constant.
typedef struct ImpNode {
  ImpOp op;
  int32_t a, b, c;
  double value;
} ImpNode;

/// A tape: functions of poses, time and parameters as a list of operations. Derivatives are computed in reverse mode;
/// the derivative of abs, min, max and where is that of the branch that gives the value.
typedef struct ImpTapeDef {
  const ImpNode *nodes; ///< nodes in the order of evaluation   (node_count)
  int node_count;
  const int32_t *results; ///< index of the node of each result   (result_count)
  int result_count;
  /// results are rates, linear in the velocities (a "velocity tape"): a non-holonomic constraint without position error
  bool velocity;
} ImpTapeDef;

/// A row of a constraint by rows: J v + bias = 0 with lower <= force <= upper. The solver corrects the position error C
/// if has_c.
typedef struct ImpUserRow {
  const double *j; ///< Jacobian: (d/dx, d/dy, d/dangle) of each body about its centre of mass   (bodies, 3)
  double bias;     ///< negative target rate: the row drives J v to -bias
  double c;        ///< position error, read if has_c
  bool has_c;
  double lower, upper; ///< bounds of the force; infinite: no bound
} ImpUserRow;

/// Definition of a constraint, by a tape or by rows. Start from imp_constraint_def().
typedef struct ImpConstraintDef {
  const char *name;      ///< copied; null for none
  const ImpBody *bodies; ///< different bodies, at least one dynamic   (body_count)
  int body_count;        ///< 1..IMP_MAX_CONSTRAINT_BODIES
  ImpTapeDef tape;       ///< results: the functions C, 1..IMP_MAX_CONSTRAINT_ROWS; not read if max_rows > 0
  bool dynamic;          ///< the constraint callback replaces the tape before each evaluation
  int max_rows;          ///< > 0: the constraint callback writes up to max_rows rows before each evaluation
  const double *params;  ///< parameters of the tape   (param_count), copied
  int param_count;
  /// drive of each result; default: a lock at 0. Not read for a constraint by rows
  ImpDrive drive;
  double break_force; ///< the constraint breaks above this force of a result or row; default infinite
  bool collide;       ///< whether the bodies collide with each other; default true
  void *user_data;    ///< for the caller only
} ImpConstraintDef;
/// Largest number of bodies of a constraint, and largest number of its results or rows.
#define IMP_MAX_CONSTRAINT_BODIES 64
#define IMP_MAX_CONSTRAINT_ROWS 64
IMP_API ImpConstraintDef imp_constraint_def(void);
/// Make a constraint: a joint of the kind IMP_JOINT_CONSTRAINT. Errors: a result or derivative that is non-finite at
/// the present poses, a result that no motion of a body changes, a velocity tape that is not linear in the velocities,
/// a body that is listed twice; IMP_ERR_LIMIT above `max_joints`; IMP_ERR_NOMEM.
IMP_CALL ImpStatus imp_constraint_create(ImpWorld *world, const ImpConstraintDef *def, ImpJoint *out_joint);
/// Replace the tape of a constraint. Errors: the number of results or ImpTapeDef.velocity differs from the present one;
/// a constraint by rows.
IMP_CALL ImpStatus imp_constraint_set_tape(ImpWorld *world, ImpJoint joint, const ImpTapeDef *tape);
/// Set the rows of a constraint by rows, which act until they are set again. Errors: a non-finite number, lower >
/// upper, a constraint by a tape; IMP_ERR_LIMIT above `max_rows`.
IMP_CALL ImpStatus imp_constraint_set_rows(ImpWorld *world, ImpJoint joint, const ImpUserRow *rows, int count);
/// Read a parameter of the tape of a constraint, `index` from 0.
IMP_API ImpStatus imp_constraint_param(const ImpWorld *world, ImpJoint joint, int index, double *out_value);
/// Set a parameter of the tape. Outside of a step the bodies wake.
IMP_CALL ImpStatus imp_constraint_set_param(ImpWorld *world, ImpJoint joint, int index, double value);
/// Function called before each evaluation of a dynamic constraint or a constraint by rows: at the start of a step, and
/// in each substep after positions have moved. The function calls imp_constraint_set_tape or imp_constraint_set_rows. t
/// is the time at the end of the substep [s]. Getters read the state at the evaluation.
typedef void (*ImpConstraintFn)(ImpWorld *world, ImpJoint joint, double t, void *user);
/// Set the constraint callback; null removes it.
IMP_CALL void imp_world_set_constraint_callback(ImpWorld *world, ImpConstraintFn callback, void *user);
/// Evaluate a tape at given poses, without a world. `poses` and `angles` (body_count): frames of the bodies, with the
/// centres of mass at their origins. `velocities` (body_count, 3), null: 0. Writes `out_values` (result_count) and,
/// unless null, `out_j` (result_count, body_count, 3). Results may be non-finite.
IMP_API ImpStatus imp_tape_evaluate(const ImpTapeDef *tape, const ImpTransform *poses, const double *angles,
                                    const double *velocities, int body_count, const double *params, int param_count,
                                    double t, double *out_values, double *out_j);


// ---------------------------------------------------------------------------------------------------------------------
// Constraint rows of the last step
// ---------------------------------------------------------------------------------------------------------------------

typedef enum ImpRowKind {
  IMP_ROW_NORMAL,   ///< non-penetration of a contact point
  IMP_ROW_FRICTION, ///< friction of a contact point, along the tangent
  IMP_ROW_ROLLING,  ///< rolling resistance of a contact
  IMP_ROW_LOCK,     ///< lock; kinds up to IMP_ROW_SPRING are drives of a coordinate
  IMP_ROW_LOWER_LIMIT,
  IMP_ROW_UPPER_LIMIT,
  IMP_ROW_MOTOR,
  IMP_ROW_SERVO,
  IMP_ROW_SPRING,
  IMP_ROW_FORCE,        ///< force drive, which solvers apply as a force
  IMP_ROW_USER,         ///< row that the caller sets, see ImpUserRow
  IMP_ROW_ARMATURE,     ///< rotor of a coordinate: J v - s = 0 with the speed s of the rotor
  IMP_ROW_DAMPING,      ///< viscous damping of a coordinate
  IMP_ROW_DRY_FRICTION, ///< dry friction of a coordinate
  IMP_ROW_KIND_COUNT
} ImpRowKind;
/// Return a row kind's name: "normal", "friction", "rolling", "lock", "lower_limit", "upper_limit", "motor", ...
IMP_API const char *imp_row_kind_name(int kind);

/// A constraint row of a joint or contact: an impulse along J^T drives J v + bias to 0.
typedef struct ImpRowInfo {
  ImpRowKind kind;
  ImpJoint joint;      ///< joint of the row, or null
  ImpContact contact;  ///< contact of the row, or null
  int index;           ///< coordinate of the joint, or point of the contact, from 0
  double value;        ///< C of the row [m, rad or the unit of a constraint]
  double speed;        ///< J v now
  double bias;         ///< bias in the last substep
  double impulse;      ///< impulse of the row, sum over the last step [N s, N m s]
  double force;        ///< impulse / dt [N, N m]
  double mass;         ///< effective mass 1 / (J M^-1 J^T)
  double lower, upper; ///< bounds of the force
  bool clamped;        ///< the impulse is at a bound
  double power;        ///< power of the row, mean over the last step [W]
  double work;         ///< work of the row since the joint was made or the contact began [J]
} ImpRowInfo;
/// List the rows of the last step: first of joints in creation order, then of touching contacts in the order of
/// imp_world_next_contact. Valid until the next step, and until an object is created, destroyed or changed. Errors:
/// IMP_ERR_STATE inside a step; IMP_ERR_NOMEM.
IMP_API ImpStatus imp_world_rows(ImpWorld *world, const ImpRowInfo **out_rows, int *out_count);
/// Get the rows of a joint in the list of imp_world_rows: the index of the first row, and the number of rows.
IMP_API ImpStatus imp_joint_rows(ImpWorld *world, ImpJoint joint, int *out_first, int *out_count);
/// Get the rows of a contact in the list of imp_world_rows: the index of the first row, and the number of rows.
IMP_API ImpStatus imp_contact_rows(ImpWorld *world, ImpContact contact, int *out_first, int *out_count);
/// Read the bodies and the Jacobian of row `index` of the list of imp_world_rows: `bodies` (body_capacity), `j`
/// (body_capacity, 3). `out_count`: number of the row's bodies.
IMP_API ImpStatus imp_row_jacobian(ImpWorld *world, int index, ImpBody *bodies, double *j, int body_capacity,
                                   int *out_count);

/// Degrees of freedom of a world. `freedom` is the sum over all dynamic bodies: 3 each, fewer with fixed rotation or
/// locked axes. `mobility`: number of degrees of freedom that the locked coordinates of joints do not remove.
typedef struct ImpMobility {
  int freedom, rank, mobility; ///< rank: rank of the Jacobian of the locked coordinates; mobility = freedom - rank
  /// number of locked coordinates; number of redundant locked coordinates
  int rows, redundant;
  int weak; ///< number of weak locks, at most IMP_MAX_WEAK_LOCKS
} ImpMobility;
/// Compute the mobility at the present poses. Errors: IMP_ERR_LIMIT if a group of bodies connected by joints has more
/// than IMP_MAX_MOBILITY_FREEDOM degrees of freedom; IMP_ERR_NOMEM.
IMP_API ImpStatus imp_world_mobility(ImpWorld *world, ImpMobility *out_mobility);
#define IMP_MAX_MOBILITY_FREEDOM 3000
/// Read a redundant locked coordinate of the last imp_world_mobility, `index` from 0 in creation order. It is a linear
/// combination of locks that were created before. Error: no such index.
IMP_API ImpStatus imp_world_redundant(ImpWorld *world, int index, ImpCoordinate *out_coordinate);
/// Largest value of ImpMobility.weak, and largest value of ImpWeakLock.joint_count.
enum { IMP_MAX_WEAK_LOCKS = 8, IMP_MAX_WEAK_JOINTS = 8 };
/// A weak lock: its row is nearly a linear combination of the rows of other locks, as near a dead centre or a toggle.
/// "The motion" below is the one that only this lock prevents.
typedef struct ImpWeakLock {
  ImpCoordinate lock;
  double left; ///< part of the lock's row that is independent of other rows, 0 (redundant) .. 1
  /// force with which the lock balances a force of 1 at the fastest point of the motion, along this point's velocity
  double amplification;
  /// angle by which the fastest rotating body turns until the dead centre [rad]; infinite: no dead centre
  double angle;
  double way; ///< distance that the fastest point moves until the dead centre [m]; infinite: no dead centre
  ImpJoint joints[IMP_MAX_WEAK_JOINTS]; ///< joints of the combination, in creation order (joint_count)
  int joint_count;
} ImpWeakLock;
/// Read a weak lock of the last imp_world_mobility, `index` from 0 in the order of decreasing amplification. Error: no
/// such index.
IMP_API ImpStatus imp_world_weak_lock(ImpWorld *world, int index, ImpWeakLock *out_weak);
/// Compute the motions that the joints allow: a basis of the null space of J, orthonormal in the norm sqrt(sum(vx^2 +
/// vy^2 + rho^2 w^2)) with the radii of gyration rho. Writes `basis` (vectors, bodies, 3): (vx, vy, w) of each dynamic
/// body in creation order, at most `capacity` numbers. Errors as imp_world_mobility.
IMP_API ImpStatus imp_world_nullspace(ImpWorld *world, double *basis, int capacity, int *out_vectors, int *out_bodies);


// ---------------------------------------------------------------------------------------------------------------------
// Snapshots
// ---------------------------------------------------------------------------------------------------------------------

/// Write the whole state of the world to bytes, which imp_snapshot_free frees. The same state gives the same bytes on
/// every 64-bit little-endian machine. Errors: IMP_ERR_STATE inside a step; IMP_ERR_NOMEM.
IMP_API ImpStatus imp_world_snapshot(const ImpWorld *world, void **out_bytes, size_t *out_size);
/// Free the bytes of a snapshot. Null is a no-op.
IMP_API void imp_snapshot_free(void *bytes);
/// Restore a snapshot of this or of another world. Handles of objects in the snapshot are valid again; handles of
/// objects created later are not. Settings of the world are restored, except `threads`; callbacks stay. The lists of
/// events become empty. The bytes are checked completely. Errors, after which nothing has changed: IMP_ERR_ARGUMENT if
/// the bytes are damaged, incomplete, of another version, or do not describe a valid world; IMP_ERR_LIMIT if, since the
/// snapshot, objects have used up all 2^24 handles of a storage slot; IMP_ERR_STATE inside a step; IMP_ERR_NOMEM.
IMP_CALL ImpStatus imp_world_restore(ImpWorld *world, const void *bytes, size_t size);

/// A restore in two parts, for several worlds that are restored together.
typedef struct ImpRestore ImpRestore;
/// First part of a restore: read and check the bytes. They are not needed afterwards. The world must not be used until
/// imp_restore_end. Errors as imp_world_restore.
IMP_API ImpStatus imp_world_begin_restore(ImpWorld *world, const void *bytes, size_t size, ImpRestore **out_restore);
/// End a restore: replace the state of the world if `take`. Cannot fail. Null is a no-op.
IMP_CALL void imp_restore_end(ImpRestore *restore, bool take);

typedef struct ImpSnapshotSection {
  char name[16]; ///< "bodies", "motions", "contacts", ...: at most 8 letters
  size_t bytes;  ///< length of the section including its header [bytes]
} ImpSnapshotSection;

/// Largest number of sections of a snapshot.
enum { IMP_MAX_SNAPSHOT_SECTIONS = 64 };

typedef struct ImpSnapshotInfo {
  size_t size;     ///< length of the snapshot [bytes]
  uint64_t format; ///< number of the format of the snapshot
  bool readable;   ///< whether this library can read the snapshot
  int section_count;
  ImpSnapshotSection sections[IMP_MAX_SNAPSHOT_SECTIONS]; ///< sections in the order of the bytes
} ImpSnapshotInfo;

/// Read the length of the snapshot at the beginning of `bytes`, and the lengths of its sections. The checksum is not
/// checked. Error: the bytes do not begin with a complete snapshot.
IMP_API ImpStatus imp_snapshot_info(const void *bytes, size_t size, ImpSnapshotInfo *out_info);

#endif
