// impel: rigid-body physics from constraint rows. The only public header of the C library.
//
// A world owns bodies, a body owns shapes, and the world finds the contacts between shapes. A step turns every contact
// into constraint rows and hands them to a solver. Everything is in SI units: m, kg, s, rad, N, N m, N s; y is up, angles
// are counter-clockwise and unwrapped.
//
// Objects are handles: 64-bit values that stay valid until the object is destroyed and are never confused with a later
// one. The zero handle is null. Every function that can be called wrongly returns an ImpStatus; on an error its outputs
// are untouched, the world is unchanged, and imp_last_error() holds one sentence for a person. Nothing in the library
// aborts, exits, prints or jumps.
//
// A world is used by one thread at a time; different worlds may be used by different threads.
#ifndef IMPEL_H
#define IMPEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define IMP_API __attribute__((visibility("default")))
#else
#define IMP_API
#endif
/// Marks what changes a world: a recording has each such call that succeeded, see impel_record.h.
#define IMP_CALL IMP_API

#define IMP_VERSION_MAJOR 0
#define IMP_VERSION_MINOR 1
#define IMP_VERSION_PATCH 0

/// The library's version as "major.minor.patch".
IMP_API const char *imp_version(void);


// ---------------------------------------------------------------------------------------------------------------------
// Status
// ---------------------------------------------------------------------------------------------------------------------

/// What a call came to. Zero is success, every error is negative.
typedef enum ImpStatus {
  IMP_OK = 0,
  IMP_ERR_ARGUMENT = -1, ///< a value is not finite, out of its range, or not legal for this object
  IMP_ERR_HANDLE = -2,   ///< the handle is null or its object was destroyed
  IMP_ERR_WORLD = -3,    ///< the handle belongs to another world
  IMP_ERR_STATE = -4,    ///< not legal now: the world is inside a step
  IMP_ERR_NOMEM = -5,    ///< the allocator returned null; the world is valid and at the state before the call
  IMP_ERR_LIMIT = -6,    ///< a limit of the library (handles, vertices) or of the world (max_bodies ...) was reached
} ImpStatus;

/// One lower-case sentence about the last error on this thread, without a full stop. Never null; "" before any error.
IMP_API const char *imp_last_error(void);

/// A status as a short word: "ok", "argument", "handle", "world", "state", "nomem", "limit".
IMP_API const char *imp_status_name(ImpStatus status);


// ---------------------------------------------------------------------------------------------------------------------
// Values
// ---------------------------------------------------------------------------------------------------------------------

/// A point or vector [m, or the unit the function names].
typedef struct ImpVec2 {
  double x, y;
} ImpVec2;

/// A rotation as cosine and sine of its angle.
typedef struct ImpRot {
  double c, s;
} ImpRot;

/// A frame: rotate, then translate.
typedef struct ImpTransform {
  ImpVec2 p;
  ImpRot q;
} ImpTransform;

/// An axis-aligned box [m].
typedef struct ImpAabb {
  ImpVec2 lower, upper;
} ImpAabb;

typedef struct ImpWorld ImpWorld;
typedef struct ImpBody {
  uint64_t id;
} ImpBody;
typedef struct ImpShape {
  uint64_t id;
} ImpShape;
typedef struct ImpContact {
  uint64_t id;
} ImpContact;
typedef struct ImpJoint {
  uint64_t id;
} ImpJoint;

/// Deterministic elementary functions: the same bits on every machine, at most 1 ulp from the exact value.
IMP_API double imp_sin(double x);
IMP_API double imp_cos(double x);
IMP_API double imp_atan2(double y, double x);
IMP_API double imp_exp(double x);
IMP_API double imp_log(double x);
/// x^y as exp(y log x) with the usual special cases; integral y with |y| <= 64 by repeated multiplication.
IMP_API double imp_pow(double x, double y);


// ---------------------------------------------------------------------------------------------------------------------
// Properties: the scalar settings of an object, described by a table
// ---------------------------------------------------------------------------------------------------------------------

typedef enum ImpPropertyKind { IMP_NUMBER, IMP_INTEGER, IMP_BOOLEAN } ImpPropertyKind;

/// What a property is; bindings and documentation are made from this table.
typedef struct ImpPropertyInfo {
  const char *name;     ///< snake_case, the name in Lua
  ImpPropertyKind kind; ///< booleans travel as 0 and 1
  bool writable;
  double lower, upper; ///< inclusive range of legal values
  const char *unit;    ///< "m/s", "1" for a pure number, "" for booleans
  const char *doc;     ///< one sentence
  size_t definition;   ///< 1 + where it is in the definition that makes the object [bytes]; 0: that does not give it
} ImpPropertyInfo;

/// Whether NaN is legal for the property too, nil in Lua: nothing of its own.
IMP_API bool imp_property_is_optional(const ImpPropertyInfo *info);

typedef enum ImpWorldProperty {
  IMP_WORLD_TIME,
  IMP_WORLD_TICK,
  IMP_WORLD_DT,
  IMP_WORLD_SUBSTEPS,
  IMP_WORLD_ITERATIONS,
  IMP_WORLD_THREADS,
  IMP_WORLD_SLEEP,
  IMP_WORLD_CONTINUOUS,
  IMP_WORLD_SMOOTH_SEAMS,
  IMP_WORLD_CONTINUOUS_PART,
  IMP_WORLD_HIT_SPEED,
  IMP_WORLD_CONTACT_HERTZ,
  IMP_WORLD_CONTACT_DAMPING_RATIO,
  IMP_WORLD_LOCK_HERTZ,
  IMP_WORLD_LOCK_DAMPING_RATIO,
  IMP_WORLD_PUSH_SPEED,
  IMP_WORLD_BAUMGARTE,
  IMP_WORLD_SLOP,
  IMP_WORLD_WARM_START,
  IMP_WORLD_ACCUMULATE,
  IMP_WORLD_RELAX,
  IMP_WORLD_TOLERANCE_IMPULSE,
  IMP_WORLD_TOLERANCE_VELOCITY,
  IMP_WORLD_TOLERANCE_CHANGE,
  IMP_WORLD_POSITION_ITERATIONS,
  IMP_WORLD_GEOMETRIC_STIFFNESS,
  IMP_WORLD_HISTORY,
  IMP_WORLD_AUDITING,
  IMP_WORLD_LANES,
  IMP_WORLD_SEED,
  IMP_WORLD_MAX_BODIES,
  IMP_WORLD_MAX_SHAPES,
  IMP_WORLD_MAX_JOINTS,
  IMP_WORLD_MAX_CONTACTS,
  IMP_WORLD_LAST_DT,
  IMP_WORLD_MIDPOINT,
  IMP_WORLD_PROPERTY_COUNT
} ImpWorldProperty;

typedef enum ImpBodyProperty {
  IMP_BODY_ANGLE,
  IMP_BODY_ANGULAR_VELOCITY,
  IMP_BODY_MASS,
  IMP_BODY_INERTIA,
  IMP_BODY_LINEAR_DAMPING,
  IMP_BODY_ANGULAR_DAMPING,
  IMP_BODY_MAX_SPEED,
  IMP_BODY_MAX_ANGULAR_SPEED,
  IMP_BODY_GRAVITY_SCALE,
  IMP_BODY_FIXED_ROTATION,
  IMP_BODY_LOCK_X,
  IMP_BODY_LOCK_Y,
  IMP_BODY_BULLET,
  IMP_BODY_ALLOW_SLEEP,
  IMP_BODY_AWAKE,
  IMP_BODY_ENABLED,
  IMP_BODY_ID,
  IMP_BODY_PROPERTY_COUNT
} ImpBodyProperty;

typedef enum ImpShapeProperty {
  IMP_SHAPE_DENSITY,
  IMP_SHAPE_FRICTION,
  IMP_SHAPE_RESTITUTION,
  IMP_SHAPE_RESTITUTION_THRESHOLD,
  IMP_SHAPE_ROLLING_RESISTANCE,
  IMP_SHAPE_SURFACE_SPEED,
  IMP_SHAPE_HIT_SPEED,
  IMP_SHAPE_SENSOR,
  IMP_SHAPE_PRE_SOLVE,
  IMP_SHAPE_GROUP,
  IMP_SHAPE_RADIUS,
  IMP_SHAPE_AREA,
  IMP_SHAPE_ID,
  IMP_SHAPE_PROPERTY_COUNT
} ImpShapeProperty;

/// The description of a property, or null when the index is out of range.
IMP_API const ImpPropertyInfo *imp_world_property(int property);
IMP_API const ImpPropertyInfo *imp_body_property(int property);
IMP_API const ImpPropertyInfo *imp_shape_property(int property);


// ---------------------------------------------------------------------------------------------------------------------
// World
// ---------------------------------------------------------------------------------------------------------------------

/// Where a world takes its memory from. `reallocate(user, old, old_size, new_size)` behaves like realloc for
/// new_size > 0 and like free (returning null) for new_size 0. Null fields mean the C library's.
typedef struct ImpAllocator {
  void *(*reallocate)(void *user, void *old, size_t old_size, size_t new_size);
  void *user;
} ImpAllocator;

/// What null fields mean, for an allocator that counts or limits and leaves the work to this one. A block is resized and
/// freed by the allocator that gave it.
IMP_API ImpAllocator imp_default_allocator(void);

typedef enum ImpSolverKind {
  IMP_SOLVER_SOFT,         ///< substeps with soft contacts, relax and a restitution pass, in float lanes: the default
  IMP_SOLVER_SI,           ///< sequential impulses in double: accumulated clamping, warm start, Baumgarte, slop
  IMP_SOLVER_NGS,          ///< sequential impulses, then positions corrected by Newton's method joint by joint
  IMP_SOLVER_SPLIT,        ///< sequential impulses, positions corrected by pseudo-velocities of their own
  IMP_SOLVER_XPBD,         ///< position-based dynamics with compliance
  IMP_SOLVER_DIRECT,       ///< J M^-1 J^T of all rows factored, bounds kept to a complementarity residual
  IMP_SOLVER_ACCELERATION, ///< the same for accelerations, with J'v: lambda is a force
  IMP_SOLVER_REDUCED,      ///< trees of joints in generalized coordinates, loops and contacts as rows
  IMP_SOLVER_RATTLE,       ///< second-order reference integrator for equality constraints
  IMP_SOLVER_COUNT
} ImpSolverKind;

/// The solver's name in Lua ("soft", "si", ...), or null out of range.
IMP_API const char *imp_solver_name(int kind);

/// The order in which a sweep visits the rows.
typedef enum ImpOrder {
  IMP_ORDER_FORWARD, ///< joints in creation order, then contacts
  IMP_ORDER_BACKWARD,
  IMP_ORDER_SHUFFLED, ///< anew for each sweep, by the world's seed and tick
  IMP_ORDER_COUNT
} ImpOrder;
/// The order's name in Lua ("forward", ...), or null out of range.
IMP_API const char *imp_order_name(int order);

/// The end of the clock: ticks are exact as numbers of a script, and time is at most as many steps of a second [s]. A step
/// beyond is refused.
#define IMP_MAX_TICK 9007199254740992
#define IMP_MAX_TIME 1e16

/// How to make a world. Start from imp_world_def(); further settings are properties of the world.
typedef struct ImpWorldDef {
  ImpVec2 gravity; ///< [m/s^2], default (0, -9.81)
  double dt;       ///< length of a step [s], default 1/60
  uint64_t seed;   ///< of imp_world_random, default 0
  ImpSolverKind solver;
  ImpOrder order; ///< default IMP_ORDER_FORWARD
  uint64_t tick;  ///< initial count of steps, of a world that continues another; 0..IMP_MAX_TICK, default 0
  double time;    ///< that the clock shows then, 0..IMP_MAX_TIME [s]; NaN, the default: tick * dt
  ImpAllocator allocator;
} ImpWorldDef;

IMP_API ImpWorldDef imp_world_def(void);

/// Make an empty world. Errors: a setting out of range, an environment variable IMPEL_LANES that is none of 1, 4, 8 and
/// 16 (the width of float lanes in this process, unless a world's property `lanes` says another), out of memory.
IMP_API ImpStatus imp_world_create(const ImpWorldDef *def, ImpWorld **out_world);
/// Free a world and everything in it. Null is a no-op. Inside a step it does nothing and returns IMP_ERR_STATE.
IMP_CALL ImpStatus imp_world_destroy(ImpWorld *world);
/// What all handles of this world have in their upper 16 bits: the rest of a handle means the same in every world that is
/// restored from the same snapshot.
IMP_API uint64_t imp_world_mark(const ImpWorld *world);
/// A handle without that mark: a key of 48 bits, for languages whose numbers hold no 64 bits, as doubles. A key is valid in
/// the handle's own world only; the key of the null handle is 0.
#define IMP_KEY(id) ((id)&0xffffffffffffu)
/// The handle of a key in this world, of a live or a destroyed object; 0 for 0 and for a number of more than 48 bits.
IMP_API uint64_t imp_world_handle(const ImpWorld *world, uint64_t key);

IMP_API ImpStatus imp_world_get(const ImpWorld *world, ImpWorldProperty property, double *out_value);
IMP_CALL ImpStatus imp_world_set(ImpWorld *world, ImpWorldProperty property, double value);
IMP_API ImpVec2 imp_world_gravity(const ImpWorld *world);
IMP_CALL ImpStatus imp_world_set_gravity(ImpWorld *world, ImpVec2 gravity);
IMP_API ImpSolverKind imp_world_solver(const ImpWorld *world);
/// Use another solver from the next step on, on the same state and the same warm-start data.
IMP_CALL ImpStatus imp_world_set_solver(ImpWorld *world, ImpSolverKind kind);
IMP_API ImpOrder imp_world_order(const ImpWorld *world);
IMP_CALL ImpStatus imp_world_set_order(ImpWorld *world, ImpOrder order);

/// Advance the world by one step of `dt`. Out of memory: no body has moved, and the next call comes to the same bits as
/// if this one had not been made. Inside a substep callback: IMP_ERR_STATE.
IMP_CALL ImpStatus imp_world_step(ImpWorld *world);

/// Called before every substep of length h [s]. Getters then read the state of that substep. Forces and impulses act
/// from this substep on; creation, destruction, teleports and changes of type or shape are queued to the end of the
/// step, but a created handle is valid at once and a destroyed one invalid at once. Null removes the callback.
typedef void (*ImpSubstepFn)(ImpWorld *world, double h, void *user);
IMP_CALL void imp_world_set_substep_callback(ImpWorld *world, ImpSubstepFn callback, void *user);
/// True while imp_world_step runs (that is, inside a substep callback).
IMP_API bool imp_world_is_stepping(const ImpWorld *world);

/// Walk the bodies in creation order: pass the null handle for the first; returns null after the last.
IMP_API ImpBody imp_world_next_body(const ImpWorld *world, ImpBody previous);
/// Walk the contacts that touch, ordered by (shape created first, shape created second, child).
IMP_API ImpContact imp_world_next_contact(ImpWorld *world, ImpContact previous);
/// The islands, which fall asleep as one: dynamic bodies and particles that touch or that joints connect, and each set
/// that sleeps together. Writes the first `capacity` of these bodies in creation order, and beside each the number of its
/// island, from 0 in the order of their first bodies; `out_count` is how many bodies there are. Computed by each call.
/// Errors: IMP_ERR_STATE inside a step; IMP_ERR_NOMEM.
IMP_API ImpStatus imp_world_islands(ImpWorld *world, ImpBody *out_bodies, int32_t *out_islands, int capacity,
                                    int *out_count);
/// First body of that name in creation order, or null.
IMP_API ImpBody imp_world_find_body(const ImpWorld *world, const char *name);

/// Energy [J] of all dynamic bodies; potential is -sum m gravity_scale g . r_com, and what spring drives store.
typedef struct ImpEnergy {
  double kinetic, potential;
  double joint_work;   ///< done by the rows of joints since the world was made: motors +, friction and damping -. It
                       ///< does not close the balance: locks are charged for velocities that loads add in a substep
                       ///< and they take off again. The balance is imp_world_audit
  double contact_work; ///< done by the rows of contacts: what they dissipate is -
} ImpEnergy;
IMP_API ImpEnergy imp_world_energy(const ImpWorld *world);
/// Linear momentum [N s] and angular momentum about the world's origin [N m s] of all dynamic bodies.
typedef struct ImpMomentum {
  double x, y, angular;
} ImpMomentum;
IMP_API ImpMomentum imp_world_momentum(const ImpWorld *world);

typedef struct ImpCounts {
  int bodies, awake, shapes, contacts, joints, fields, movers, rows, islands, colours;
  size_t bytes; ///< memory the world holds now
} ImpCounts;
IMP_API ImpCounts imp_world_counts(const ImpWorld *world);

/// The stages of a step, in order. Used by the profile, by logs and by the documentation. A fault names the stage that
/// found it, or what was found before the rows felt anything of it: "integrate" where forces or its velocity would have taken
/// the body out of the world at once, "field" where a force field and "substep" where what callbacks applied would have, or
/// came to no number.
typedef enum ImpStage {
  IMP_STAGE_BROADPHASE,
  IMP_STAGE_NARROWPHASE,
  IMP_STAGE_ISLANDS,
  IMP_STAGE_PREPARE,
  IMP_STAGE_SOLVE,
  IMP_STAGE_STORE,
  IMP_STAGE_FINALIZE,
  IMP_STAGE_SLEEP,
  IMP_STAGE_COUNT
} ImpStage;
IMP_API const char *imp_stage_name(int stage);
/// Seconds that each stage of the last step took.
typedef struct ImpProfile {
  double stage[IMP_STAGE_COUNT];
  double step;     ///< the whole step
  double clusters; ///< part of "solve": soft's joints that are solved together, see core/solvers/soft/soft_cluster.h
} ImpProfile;
IMP_API ImpProfile imp_world_profile(const ImpWorld *world);

/// IMP_WORLD_TICK with all of its bits: a number holds 53. Beyond 2^64 it goes on from 0; the time goes on.
IMP_API uint64_t imp_world_tick(const ImpWorld *world);
/// XXH3-64 of the whole dynamic state: tick, dt, gravity, generator; bodies in creation order; contacts by shape ids.
IMP_API uint64_t imp_world_hash(const ImpWorld *world);
/// The next 64 bits of the world's own generator (xoshiro256**, seeded by `seed`).
IMP_CALL uint64_t imp_world_random(ImpWorld *world);


// ---------------------------------------------------------------------------------------------------------------------
// Events: what happened in the last step, in lists that are valid until the next step
// ---------------------------------------------------------------------------------------------------------------------

typedef enum ImpEventKind {
  IMP_EVENT_BEGIN_CONTACT,
  IMP_EVENT_END_CONTACT,
  IMP_EVENT_HIT,
  IMP_EVENT_SENSOR_BEGIN,
  IMP_EVENT_SENSOR_END,
  IMP_EVENT_JOINT_BREAK,
  IMP_EVENT_JOINT_DESTROYED,
  IMP_EVENT_SLEEP,
  IMP_EVENT_WAKE,
  IMP_EVENT_FAULT,
  IMP_EVENT_WARNING,
  IMP_EVENT_COUNT
} ImpEventKind;

/// One event; which fields are set depends on its kind. `a` is the shape created first, the normal points from a to b,
/// speed > 0 is approach. A sensor event has the sensor as a and the visitor as b. Sleep, wake and fault use body_a.
/// Joint events use joint, id_a and what it bore; of a destroyed joint text is the name. A warning is of a body (body_a),
/// of a joint that is open or has a lock that is not held (joint, length; see ImpResidual.open) or of neither.
typedef struct ImpEvent {
  ImpJoint joint;
  ImpBody body_a, body_b;
  ImpShape shape_a, shape_b;
  uint64_t id_a, id_b; ///< creation numbers of the shapes, or of the body: the order of a list
  ImpVec2 point, normal;
  double speed;     ///< [m/s]
  double impulse;   ///< [N s], hit only
  double force;     ///< [N], joint_break: what it bore in the last step
  double torque;    ///< [N m]
  double length;    ///< [m], warning of a joint: how far it is apart
  const char *text; ///< stage of a fault, text of a warning, name of a destroyed joint; else null
} ImpEvent;

/// The name in Lua ("begin_contact", ...), or null out of range.
IMP_API const char *imp_event_name(int kind);
/// The events of a kind in the last step, ordered by the ids of their objects; count is 0 or more. Where memory runs
/// out while a list grows, an event is missing.
IMP_API const ImpEvent *imp_world_events(const ImpWorld *world, ImpEventKind kind, int *out_count);


// ---------------------------------------------------------------------------------------------------------------------
// Bodies
// ---------------------------------------------------------------------------------------------------------------------

typedef enum ImpBodyType {
  IMP_BODY_STATIC,    ///< never moves
  IMP_BODY_KINEMATIC, ///< moves by its velocity, feels no force
  IMP_BODY_DYNAMIC,
  IMP_BODY_PARTICLE, ///< dynamic without rotation: its angle is 0 for ever
  IMP_BODY_TYPE_COUNT
} ImpBodyType;
IMP_API const char *imp_body_type_name(int type);

/// How to make a body. Start from imp_body_def().
typedef struct ImpBodyDef {
  ImpBodyType type; ///< default dynamic
  const char *name; ///< copied; null for none
  ImpVec2 position; ///< of the body's origin [m]
  double angle;     ///< [rad]
  ImpVec2 velocity; ///< of the centre of mass [m/s]
  double angular_velocity;
  double linear_damping;    ///< [1/s], >= 0: v' = -linear_damping v
  double angular_damping;   ///< [1/s], >= 0
  double max_speed;         ///< of a dynamic body [m/s], or 0, the default, for none
  double max_angular_speed; ///< [rad/s], or 0 for none
  double gravity_scale;     ///< default 1
  bool fixed_rotation;
  bool lock_x, lock_y; ///< nothing but a teleport moves the centre of mass of a dynamic body along this axis
  bool bullet;         ///< meets dynamic bodies too on its way, not only at its ends
  bool allow_sleep;
  bool awake;
  bool enabled;    ///< default true; false: it takes no part in anything, as after a fault
  double mass;     ///< [kg] > 0, or 0 to take it from the shapes
  double inertia;  ///< about the centre of mass [kg m^2] > 0, or 0 to take it from the shapes
  void *user_data; ///< the caller's, untouched
} ImpBodyDef;
IMP_API ImpBodyDef imp_body_def(void);

/// Make a body. A dynamic body without shapes and mass has mass 1, and no torque turns it.
IMP_CALL ImpStatus imp_body_create(ImpWorld *world, const ImpBodyDef *def, ImpBody *out_body);
/// Destroy a body with its shapes and contacts. Bodies that rested on it wake. A dead handle: IMP_ERR_HANDLE.
IMP_CALL ImpStatus imp_body_destroy(ImpWorld *world, ImpBody body);
/// True while the body lives in this world.
IMP_API bool imp_body_is_valid(const ImpWorld *world, ImpBody body);

IMP_API ImpStatus imp_body_get(const ImpWorld *world, ImpBody body, ImpBodyProperty property, double *out_value);
IMP_CALL ImpStatus imp_body_set(ImpWorld *world, ImpBody body, ImpBodyProperty property, double value);

IMP_API ImpStatus imp_body_type(const ImpWorld *world, ImpBody body, ImpBodyType *out_type);
IMP_CALL ImpStatus imp_body_set_type(ImpWorld *world, ImpBody body, ImpBodyType type);
/// The name, or null when it has none; valid until the name changes or the body is destroyed.
IMP_API ImpStatus imp_body_name(const ImpWorld *world, ImpBody body, const char **out_name);
IMP_CALL ImpStatus imp_body_set_name(ImpWorld *world, ImpBody body, const char *name);
IMP_API ImpStatus imp_body_user_data(const ImpWorld *world, ImpBody body, void **out_user_data);

/// The body's origin [m].
IMP_API ImpStatus imp_body_position(const ImpWorld *world, ImpBody body, ImpVec2 *out_position);
/// Teleport the origin: keeps angle and velocity, drops the contacts' impulses, wakes the body.
IMP_CALL ImpStatus imp_body_set_position(ImpWorld *world, ImpBody body, ImpVec2 position);
/// The same with an angle [rad]. Particles take 0 only.
IMP_CALL ImpStatus imp_body_set_pose(ImpWorld *world, ImpBody body, ImpVec2 position, double angle);
/// Where a kinematic body's origin is after the next step. In that step it goes there by its true velocity,
/// (target - now) / dt, so that it carries and pushes what it touches; then it stands still, unless it is told again. The
/// last word counts: a velocity that is set or a teleport takes the target away. Inside a substep callback it is for the
/// step after this one. Other bodies, and targets that take more than 1e7 m/s: IMP_ERR_ARGUMENT.
IMP_CALL ImpStatus imp_body_move_to(ImpWorld *world, ImpBody body, ImpVec2 position);
/// The same with the angle that it turns to [rad]: as angles are unwrapped, the way from 0 to 2 pi is a whole turn.
IMP_CALL ImpStatus imp_body_move_to_pose(ImpWorld *world, ImpBody body, ImpVec2 position, double angle);
/// Origin and rotation.
IMP_API ImpStatus imp_body_transform(const ImpWorld *world, ImpBody body, ImpTransform *out_transform);
/// The centre of mass in world coordinates [m].
IMP_API ImpStatus imp_body_center(const ImpWorld *world, ImpBody body, ImpVec2 *out_center);
/// The same of the centre of mass, which then has these very numbers.
IMP_CALL ImpStatus imp_body_set_center(ImpWorld *world, ImpBody body, ImpVec2 center);
/// The velocity of the centre of mass [m/s].
IMP_API ImpStatus imp_body_velocity(const ImpWorld *world, ImpBody body, ImpVec2 *out_velocity);
/// Set the velocity of the centre of mass. Rotors (armature) of a dynamic body's joints take the speeds of their
/// coordinates with it; rotors of a kinematic body's joints keep theirs, so that a jump of its velocity drives the bodies on
/// these joints. The angular velocity does the same.
IMP_CALL ImpStatus imp_body_set_velocity(ImpWorld *world, ImpBody body, ImpVec2 velocity);
/// The velocity of the body's material point that is at the world point now [m/s].
IMP_API ImpStatus imp_body_velocity_at(const ImpWorld *world, ImpBody body, ImpVec2 point, ImpVec2 *out_velocity);

/// XXH3-64 of the body's own part of imp_world_hash: id, type, awake, enabled, pose, velocity, sleep time, target.
IMP_API ImpStatus imp_body_hash(const ImpWorld *world, ImpBody body, uint64_t *out_hash);

/// Add a force [N] at the centre of mass. It acts through the whole next step and is then cleared; inside a substep
/// callback it acts in that substep. Wakes the body. Static and kinematic bodies: IMP_ERR_ARGUMENT.
IMP_CALL ImpStatus imp_body_apply_force(ImpWorld *world, ImpBody body, ImpVec2 force);
/// The same at a world point, with the torque that follows.
IMP_CALL ImpStatus imp_body_apply_force_at(ImpWorld *world, ImpBody body, ImpVec2 force, ImpVec2 point);
/// Add a torque [N m]. Particles: IMP_ERR_ARGUMENT.
IMP_CALL ImpStatus imp_body_apply_torque(ImpWorld *world, ImpBody body, double torque);
/// Change the velocity at once by an impulse [N s] at the centre of mass.
IMP_CALL ImpStatus imp_body_apply_impulse(ImpWorld *world, ImpBody body, ImpVec2 impulse);
IMP_CALL ImpStatus imp_body_apply_impulse_at(ImpWorld *world, ImpBody body, ImpVec2 impulse, ImpVec2 point);
/// Change the angular velocity at once by an angular impulse [N m s].
IMP_CALL ImpStatus imp_body_apply_angular_impulse(ImpWorld *world, ImpBody body, double impulse);

/// Mean contact force on the body over the last step [N]: total contact impulse / dt.
IMP_API ImpStatus imp_body_contact_force(const ImpWorld *world, ImpBody body, ImpVec2 *out_force);
/// Kinetic energy [J]; 0 for static and kinematic bodies.
IMP_API ImpStatus imp_body_kinetic_energy(const ImpWorld *world, ImpBody body, double *out_energy);

/// Walk the body's shapes in creation order; a null `previous` gives the first, null comes after the last.
IMP_API ImpShape imp_body_next_shape(const ImpWorld *world, ImpBody body, ImpShape previous);
/// Walk the body's touching contacts, in the order of imp_world_next_contact.
IMP_API ImpContact imp_body_next_contact(ImpWorld *world, ImpBody body, ImpContact previous);


// The next chapters. No order but this one serves: later ones stand on earlier ones.
#include "impel_shape.h" // what bodies are made of

#include "impel_contact.h" // and what it touches

#include "impel_material.h" // names of what shapes are made of

#include "impel_bodies.h" // many bodies in one call
#include "impel_joint.h"  // joints, drives, constraints, rows, snapshots
#include "impel_report.h" // how a step was solved: residual, sweeps, ledger of energy

#include "impel_definition.h" // what would make an object again as it is now, joints too
#include "impel_draw.h"       // what a world looks like
#include "impel_field.h"      // force fields
#include "impel_mover.h"      // character movers
#include "impel_qp.h"         // and quadratic programs, for controllers
#include "impel_query.h"      // what is where
#include "impel_record.h"     // worlds compared, recorded and replayed

#ifdef __cplusplus
}
#endif

#endif
