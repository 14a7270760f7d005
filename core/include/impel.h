// impel: rigid-body physics from constraint rows. The only header that a program includes.
//
// A world owns bodies, bodies own shapes, and joints connect bodies. In each step the world finds the contacts between
// shapes, turns contacts and joints into constraint rows, and solves the rows with a solver. Units are SI: m, kg, s,
// rad, N, N m, N s. y points up; angles are counter-clockwise and unwrapped.
//
// Objects are referred to by handles: 64-bit values that are valid until the object is destroyed and are never reused
// for another object. The zero handle is null. A function that can fail returns an ImpStatus. On an error its outputs
// are untouched, the world is unchanged, and imp_last_error() returns a message. The library never aborts, exits,
// prints or uses longjmp.
//
// Unless a comment says otherwise: a handle that is null or destroyed gives IMP_ERR_HANDLE, a handle of another world
// IMP_ERR_WORLD; a number that is non-finite or out of range gives IMP_ERR_ARGUMENT; names are UTF-8 strings, which are
// copied, and may be null; a `..._name(int)` function returns the name that Lua uses, or null if the number is out of
// range.
//
// A world may be used by one thread at a time; different worlds may be used by different threads.
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
/// Marks a function that changes a world. A recording contains each successful call.
#define IMP_CALL IMP_API

#define IMP_VERSION_MAJOR 0
#define IMP_VERSION_MINOR 1
#define IMP_VERSION_PATCH 0

/// Return the library's version as "major.minor.patch".
IMP_API const char *imp_version(void);


// ---------------------------------------------------------------------------------------------------------------------
// Status
// ---------------------------------------------------------------------------------------------------------------------

/// Result of a call. Zero is success, every error is negative.
typedef enum ImpStatus {
  IMP_OK = 0,
  IMP_ERR_ARGUMENT = -1, ///< a value is non-finite, out of range, or not allowed for this object
  IMP_ERR_HANDLE = -2,   ///< the handle is null, or the object was destroyed
  IMP_ERR_WORLD = -3,    ///< the handle belongs to another world
  IMP_ERR_STATE = -4,    ///< not allowed now: the world is inside a step
  IMP_ERR_NOMEM = -5,    ///< the allocator returned null; the world is unchanged
  IMP_ERR_LIMIT = -6,    ///< a limit of the library (handles, vertices) or of the world (max_bodies, ...) is reached
} ImpStatus;

/// Return the message of the last error on this thread: one sentence in lower case, without a full stop. Never null; ""
/// before the first error.
IMP_API const char *imp_last_error(void);

/// Return a status as a word: "ok", "argument", "handle", "world", "state", "nomem", "limit"; "unknown" out of range.
IMP_API const char *imp_status_name(ImpStatus status);


// ---------------------------------------------------------------------------------------------------------------------
// Values
// ---------------------------------------------------------------------------------------------------------------------

/// A point or vector [m], or in the unit that a comment gives.
typedef struct ImpVec2 {
  double x, y;
} ImpVec2;

/// A rotation: cosine and sine of its angle.
typedef struct ImpRot {
  double c, s;
} ImpRot;

/// A frame: maps a local point x to q x + p. p: translation [m], q: rotation.
typedef struct ImpTransform {
  ImpVec2 p;
  ImpRot q;
} ImpTransform;

/// An axis-aligned box [m].
typedef struct ImpAabb {
  ImpVec2 lower, upper;
} ImpAabb;

/// World, an opaque type; see imp_world_create.
typedef struct ImpWorld ImpWorld;
/// Handles of objects in a world; `id` is 0 in the null handle.
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

/// Elementary functions with the same bits on every machine, at most 1 ulp from the exact value. Angles in [rad].
IMP_API double imp_sin(double x);
IMP_API double imp_cos(double x);
IMP_API double imp_atan2(double y, double x);
IMP_API double imp_exp(double x);
IMP_API double imp_log(double x);
/// Return x^y with the special cases of C's pow. An integer y with |y| <= 64 is computed by repeated squaring.
IMP_API double imp_pow(double x, double y);


// ---------------------------------------------------------------------------------------------------------------------
// Properties: scalar settings and results of objects
// ---------------------------------------------------------------------------------------------------------------------

/// Type of a property. Values of all three types are passed as double.
typedef enum ImpPropertyKind { IMP_NUMBER, IMP_INTEGER, IMP_BOOLEAN } ImpPropertyKind;

/// Description of a property: source of the Lua API, its checks and its documentation.
typedef struct ImpPropertyInfo {
  const char *name;     ///< snake_case, the name in Lua
  ImpPropertyKind kind; ///< booleans are passed as 0 and 1
  bool writable;        ///< whether the property can be set; if not, the setter returns IMP_ERR_ARGUMENT
  double lower, upper;  ///< inclusive range of the values that the setter accepts
  const char *unit;     ///< "m/s", ...; "1" for a number without a unit, "" for booleans
  const char *doc;      ///< meaning, one sentence
  size_t definition;    ///< 1 + offset of the member in the object's definition struct [bytes]; 0: no such member
} ImpPropertyInfo;

/// Return whether the property also accepts NaN (nil in Lua), which selects a default.
IMP_API bool imp_property_is_optional(const ImpPropertyInfo *info);

/// Properties of a world. Ranges and full descriptions are in the table: imp_world_property.
typedef enum ImpWorldProperty {
  IMP_WORLD_TIME,       ///< simulated time [s], inside a step the time at the start of the substep; read only
  IMP_WORLD_TICK,       ///< number of steps made, counted from ImpWorldDef.tick; read only
  IMP_WORLD_DT,         ///< length of a step [s]
  IMP_WORLD_SUBSTEPS,   ///< number of substeps of a step; default: depends on the solver
  IMP_WORLD_ITERATIONS, ///< number of sweeps over the rows in a substep; default: depends on the solver
  IMP_WORLD_THREADS,    ///< number of threads in a step; results do not depend on the number
  IMP_WORLD_SLEEP,      ///< bodies at rest fall asleep
  IMP_WORLD_CONTINUOUS, ///< continuous collision of fast bodies with static and kinematic ones
  /// bodies do not catch on the edges between the pieces of a surface
  IMP_WORLD_SMOOTH_INTERNAL_EDGES,
  /// continuous collision is computed for a body that moves farther in a step than this fraction of its inner radius,
  /// the least distance from the centroid of one of its convex pieces to the surface of the piece
  IMP_WORLD_CONTINUOUS_PART,
  IMP_WORLD_HIT_SPEED,             ///< speed of approach above which a hit event is made [m/s]
  IMP_WORLD_CONTACT_HERTZ,         ///< stiffness of soft contacts [Hz]
  IMP_WORLD_CONTACT_DAMPING_RATIO, ///< damping ratio of soft contacts
  IMP_WORLD_LOCK_HERTZ,            ///< stiffness of locks, servos and limits in the solver `soft` [Hz]
  IMP_WORLD_LOCK_DAMPING_RATIO,    ///< damping ratio of locks in the solver `soft`
  IMP_WORLD_PUSH_SPEED,            ///< largest speed at which `soft` and `xpbd` separate overlapping shapes [m/s]
  IMP_WORLD_BAUMGARTE,             ///< part of the position error that `si`, `split` and `reduced` correct in a step
  IMP_WORLD_SLOP,                  ///< overlap that the solvers in double precision do not correct [m]
  IMP_WORLD_WARM_START,            ///< start from the impulses of the previous step; false: from zero
  IMP_WORLD_ACCUMULATE,            ///< clamp accumulated impulses; false: clamp each correction
  IMP_WORLD_RELAX,                 ///< `soft` and `xpbd` solve the rows again, without bias, after positions have moved
  IMP_WORLD_TOLERANCE_IMPULSE,     ///< sweeps stop when no impulse changes by more than this in a sweep [N s]; 0: never
  IMP_WORLD_TOLERANCE_VELOCITY,    ///< sweeps stop when no row has a velocity error above this [m/s]; 0: never
  /// sweeps stop when no impulse is expected to change by more than this fraction of its size; 0: never
  IMP_WORLD_TOLERANCE_CHANGE,
  IMP_WORLD_POSITION_ITERATIONS, ///< largest number of position corrections in a substep
  /// `direct` and `acceleration` stabilise light links under tension by adding inertia
  IMP_WORLD_GEOMETRIC_STIFFNESS,
  IMP_WORLD_HISTORY,      ///< store the data of each sweep, see imp_world_sweeps
  IMP_WORLD_AUDITING,     ///< compute the energy ledger, see imp_world_audit
  IMP_WORLD_LANES,        ///< number of SIMD lanes of `soft`: 1, 4, 8, 16; 0: default; does not affect results
  IMP_WORLD_SEED,         ///< seed of imp_world_random; setting it restarts the sequence
  IMP_WORLD_MAX_BODIES,   ///< largest number of bodies; 0: no limit
  IMP_WORLD_MAX_SHAPES,   ///< largest number of shapes; 0: no limit
  IMP_WORLD_MAX_JOINTS,   ///< largest number of joints; 0: no limit
  IMP_WORLD_MAX_CONTACTS, ///< largest number of pairs of shapes near enough to touch; 0: no limit
  IMP_WORLD_LAST_DT,      ///< length of the last step [s], 0 before the first; read only
  IMP_WORLD_MIDPOINT,     ///< `direct` uses the implicit midpoint rule; false: semi-implicit Euler
  IMP_WORLD_PROPERTY_COUNT
} ImpWorldProperty;

/// Properties of a body. Ranges and full descriptions are in the table: imp_body_property.
typedef enum ImpBodyProperty {
  IMP_BODY_ANGLE,             ///< angle, unwrapped [rad]; setting it rotates the body about its origin
  IMP_BODY_ANGULAR_VELOCITY,  ///< [rad/s]
  IMP_BODY_MASS,              ///< [kg]; 0 for static and kinematic bodies
  IMP_BODY_INERTIA,           ///< moment of inertia about the centre of mass [kg m^2]; reads 0 if there is none
  IMP_BODY_LINEAR_DAMPING,    ///< [1/s]: dv/dt = -linear_damping v
  IMP_BODY_ANGULAR_DAMPING,   ///< [1/s]: dw/dt = -angular_damping w
  IMP_BODY_MAX_SPEED,         ///< largest speed of the centre of mass after a step [m/s]; 0: no limit
  IMP_BODY_MAX_ANGULAR_SPEED, ///< largest angular speed after a step [rad/s]; 0: no limit
  IMP_BODY_GRAVITY_SCALE,     ///< factor on the gravity of the world
  IMP_BODY_FIXED_ROTATION,    ///< torques and impulses do not rotate the body
  IMP_BODY_LOCK_X,            ///< no force or impulse moves the centre of mass along x
  IMP_BODY_LOCK_Y,            ///< no force or impulse moves the centre of mass along y
  IMP_BODY_BULLET,            ///< continuous collision also with dynamic bodies
  IMP_BODY_ALLOW_SLEEP,       ///< the body may fall asleep
  IMP_BODY_AWAKE,             ///< setting it to false makes the body and the bodies connected to it fall asleep
  IMP_BODY_ENABLED,           ///< false: the body is out of the simulation, as after a fault
  IMP_BODY_ID,                ///< creation number in the world, from 1; read only
  IMP_BODY_PROPERTY_COUNT
} ImpBodyProperty;

/// Properties of a shape. Ranges and full descriptions are in the table: imp_shape_property.
typedef enum ImpShapeProperty {
  IMP_SHAPE_DENSITY,               ///< [kg/m^2]
  IMP_SHAPE_FRICTION,              ///< Coulomb coefficient
  IMP_SHAPE_RESTITUTION,           ///< 0..1
  IMP_SHAPE_RESTITUTION_THRESHOLD, ///< a slower approach does not bounce [m/s]; NaN: see ImpShapeDef
  IMP_SHAPE_ROLLING_RESISTANCE,    ///< torque / (radius * normal force)
  IMP_SHAPE_SURFACE_SPEED,         ///< speed of the surface along its outward normal turned by -90 degrees [m/s]
  IMP_SHAPE_HIT_SPEED, ///< speed of approach above which a hit event is made [m/s]; NaN: the world's hit_speed
  IMP_SHAPE_SENSOR,    ///< the shape reports overlaps and does not collide
  IMP_SHAPE_PRE_SOLVE, ///< the pre_solve callback is called for contacts of the shape
  /// group number: shapes of the same group always collide if the number is > 0, and never if it is < 0; 0: no group
  IMP_SHAPE_GROUP,
  IMP_SHAPE_RADIUS, ///< radius of a circle, a capsule or rounded corners [m]; read only
  IMP_SHAPE_AREA,   ///< [m^2], 0 for segments and chains; read only
  IMP_SHAPE_ID,     ///< creation number in the world, from 1; read only
  IMP_SHAPE_PROPERTY_COUNT
} ImpShapeProperty;

/// Return the description of a property, or null if the index is out of range.
IMP_API const ImpPropertyInfo *imp_world_property(int property);
IMP_API const ImpPropertyInfo *imp_body_property(int property);
IMP_API const ImpPropertyInfo *imp_shape_property(int property);


// ---------------------------------------------------------------------------------------------------------------------
// World
// ---------------------------------------------------------------------------------------------------------------------

/// Source of a world's memory. `reallocate(user, old, old_size, new_size)` behaves like realloc; with new_size 0 it
/// frees `old` and returns null. Sizes are in bytes. A null `reallocate` selects the default allocator.
typedef struct ImpAllocator {
  void *(*reallocate)(void *user, void *old, size_t old_size, size_t new_size);
  void *user;
} ImpAllocator;

/// Return the default allocator (C library). A block must be resized and freed by the allocator that returned it.
IMP_API ImpAllocator imp_default_allocator(void);

/// Solvers of the constraint rows. The head of each solver's file has its method and source.
typedef enum ImpSolverKind {
  IMP_SOLVER_SOFT,   ///< default: substeps with soft contacts, a relax and a restitution pass; floats, in SIMD lanes
  IMP_SOLVER_SI,     ///< sequential impulses in double: accumulated clamping, warm start, Baumgarte, slop
  IMP_SOLVER_NGS,    ///< sequential impulses, then positions corrected by Newton's method joint by joint
  IMP_SOLVER_SPLIT,  ///< sequential impulses, positions corrected by separate pseudo-velocities
  IMP_SOLVER_XPBD,   ///< position-based dynamics with compliance
  IMP_SOLVER_DIRECT, ///< factorization of J M^-1 J^T of all rows; a complementarity problem for bounded impulses
  IMP_SOLVER_ACCELERATION, ///< like `direct`, but for accelerations, including J̇v; lambda is a force
  IMP_SOLVER_REDUCED, ///< trees of joints in generalized coordinates; other joints and contacts are constraint rows
  IMP_SOLVER_RATTLE,  ///< second-order reference integrator for equality constraints
  IMP_SOLVER_COUNT
} ImpSolverKind;

/// Return a solver's name: "soft", "si", "ngs", "split", "xpbd", "direct", "acceleration", "reduced", "rattle".
IMP_API const char *imp_solver_name(int kind);

/// Order in which a sweep visits the rows.
typedef enum ImpOrder {
  IMP_ORDER_FORWARD,  ///< joints in creation order, then contacts
  IMP_ORDER_BACKWARD, ///< IMP_ORDER_FORWARD reversed
  IMP_ORDER_SHUFFLED, ///< a different order in each sweep, determined by the world's seed and tick
  IMP_ORDER_COUNT
} ImpOrder;
/// Return an order's name: "forward", "backward", "shuffled".
IMP_API const char *imp_order_name(int order);

/// Largest tick and largest time [s] of a world. A double holds ticks up to 2^53 exactly. IMP_MAX_TIME is longer than
/// IMP_MAX_TICK steps of 1 s.
#define IMP_MAX_TICK 9007199254740992
#define IMP_MAX_TIME 1e16

/// Definition of a world. Start from imp_world_def(); further settings are properties of the world.
typedef struct ImpWorldDef {
  ImpVec2 gravity;        ///< [m/s^2], up to 1e7; default (0, -9.81)
  double dt;              ///< length of a step [s], 1e-6..1; default 1/60
  uint64_t seed;          ///< seed of imp_world_random; default 0
  ImpSolverKind solver;   ///< default IMP_SOLVER_SOFT
  ImpOrder order;         ///< default IMP_ORDER_FORWARD
  uint64_t tick;          ///< initial number of steps, 0..IMP_MAX_TICK; default 0
  double time;            ///< initial time [s], 0..IMP_MAX_TIME; default NaN: tick * dt
  ImpAllocator allocator; ///< default: null, the C library
} ImpWorldDef;

IMP_API ImpWorldDef imp_world_def(void);

/// Make an empty world. The environment variable IMPEL_LANES (1, 4, 8 or 16) replaces the value 0 of the property
/// `lanes`. Errors: a setting out of range, an invalid value of IMPEL_LANES, out of memory.
IMP_API ImpStatus imp_world_create(const ImpWorldDef *def, ImpWorld **out_world);
/// Free a world and everything in it, and end its recording. Null is a no-op. Error: IMP_ERR_STATE inside a step of the
/// world; nothing is freed.
IMP_CALL ImpStatus imp_world_destroy(ImpWorld *world);
/// Return the upper 16 bits of the world's handles, with the lower 48 bits 0. In worlds restored from one snapshot,
/// equal lower 48 bits identify the same object.
IMP_API uint64_t imp_world_tag(const ImpWorld *world);
/// The key of a handle: its lower 48 bits, which a double holds exactly. The key of the null handle is 0.
#define IMP_KEY(id) ((id)&0xffffffffffffu)
/// Return the handle with a given key, whether its object exists or not; 0 for the key 0 and for numbers of more than
/// 48 bits.
IMP_API uint64_t imp_world_handle(const ImpWorld *world, uint64_t key);

/// Read a property in the unit of its description (imp_world_property); booleans as 0 and 1. For a property that has
/// its default, the result is the value that the solver uses.
IMP_API ImpStatus imp_world_get(const ImpWorld *world, ImpWorldProperty property, double *out_value);
/// Set a property. Errors: read only, out of range; IMP_ERR_STATE inside a step.
IMP_CALL ImpStatus imp_world_set(ImpWorld *world, ImpWorldProperty property, double value);
/// Return the gravity [m/s^2].
IMP_API ImpVec2 imp_world_gravity(const ImpWorld *world);
/// Set the gravity [m/s^2], components up to 1e7. A change wakes all bodies.
IMP_CALL ImpStatus imp_world_set_gravity(ImpWorld *world, ImpVec2 gravity);
IMP_API ImpSolverKind imp_world_solver(const ImpWorld *world);
/// Use another solver from the next step on.
IMP_CALL ImpStatus imp_world_set_solver(ImpWorld *world, ImpSolverKind kind);
IMP_API ImpOrder imp_world_order(const ImpWorld *world);
/// Set the order of rows from the next step on.
IMP_CALL ImpStatus imp_world_set_order(ImpWorld *world, ImpOrder order);

/// Advance the world by one step of `dt`. Errors: IMP_ERR_STATE inside a step of this world; IMP_ERR_NOMEM;
/// IMP_ERR_LIMIT beyond IMP_MAX_TICK or IMP_MAX_TIME, above `max_contacts`, or if the rows are too many for a solver
/// that factors their matrix. On an error no body has moved, and the next step is as if the call had not been made.
IMP_CALL ImpStatus imp_world_step(ImpWorld *world);

/// Function called before each substep of length h [s]. Getters read the state at the start of the substep.
/// - Forces, impulses and new fields act from this substep on. For drives see imp_coordinate_set_drive.
/// - Creation, destruction, teleports, velocities and properties of bodies and shapes are checked at once and take
///   effect at the end of the step. A new handle is valid at once, the handle of a destroyed object invalid at once.
/// - Settings of the world and its materials are refused with IMP_ERR_STATE.
typedef void (*ImpSubstepFn)(ImpWorld *world, double h, void *user);
/// Set the substep callback; null removes it. `user` is passed to the callback.
IMP_CALL void imp_world_set_substep_callback(ImpWorld *world, ImpSubstepFn callback, void *user);
/// Return whether imp_world_step is running. Callbacks are called while it is running.
IMP_API bool imp_world_is_stepping(const ImpWorld *world);

/// Return the body after `previous` in creation order: the first for the null handle, null after the last.
IMP_API ImpBody imp_world_next_body(const ImpWorld *world, ImpBody previous);
/// Return the touching contact after `previous`, ordered by the creation of shape a, of shape b, and by their pieces:
/// the first for the null handle, null after the last. Also null when out of memory.
IMP_API ImpContact imp_world_next_contact(ImpWorld *world, ImpContact previous);
/// Compute the islands. An island is a set of dynamic bodies and particles that are connected by touching contacts or
/// joints, or that fell asleep together; its bodies fall asleep and wake together. `out_bodies`: dynamic bodies and
/// particles in creation order, at most `capacity`. `out_islands`: island of each body, numbered from 0 in the order of
/// their first bodies. `out_count`: number of all dynamic bodies and particles. Errors: IMP_ERR_STATE inside a step;
/// IMP_ERR_NOMEM.
IMP_API ImpStatus imp_world_islands(ImpWorld *world, ImpBody *out_bodies, int32_t *out_islands, int capacity,
                                    int *out_count);
/// Return the first body with this name in creation order, or null.
IMP_API ImpBody imp_world_find_body(const ImpWorld *world, const char *name);

/// Energy of a world [J]. `kinetic`: of all dynamic bodies and of the rotors of joints (armature). `potential`: sum of
/// -m gravity_scale g . r_com over dynamic bodies, plus the energy stored in spring drives.
typedef struct ImpEnergy {
  double kinetic, potential;
  /// work of the rows of joints since the world was made: motors positive, friction and damping negative. `joint_work`
  /// and `contact_work` do not add up to the change of energy, see imp_world_audit
  double joint_work;
  double contact_work; ///< work of the rows of contacts since the world was made, negative: dissipation
} ImpEnergy;
/// Return the energy of the world now.
IMP_API ImpEnergy imp_world_energy(const ImpWorld *world);
/// Momentum of all dynamic bodies: linear x, y [N s], and angular about the origin of the world [N m s].
typedef struct ImpMomentum {
  double x, y, angular;
} ImpMomentum;
/// Return the momentum of the world now.
IMP_API ImpMomentum imp_world_momentum(const ImpWorld *world);

/// Numbers of objects in a world. `bodies` excludes the ground body; `awake` includes moving kinematic bodies;
/// `contacts`: touching contacts, including those of sensors. `rows`: constraint rows of the last step. `islands`:
/// islands of awake bodies in the last step that computed islands. `colours`: colours of the constraint graph in the
/// last step (constraints of one colour share no moving body).
typedef struct ImpCounts {
  int bodies, awake, shapes, contacts, joints, fields, movers, rows, islands, colours;
  size_t bytes; ///< memory that the world has allocated
} ImpCounts;
IMP_API ImpCounts imp_world_counts(const ImpWorld *world);

/// Stages of a step, in order.
typedef enum ImpStage {
  IMP_STAGE_BROADPHASE,  ///< kinematic targets, movers, pairs of overlapping boxes
  IMP_STAGE_NARROWPHASE, ///< manifolds, pre_solve callbacks, waking
  IMP_STAGE_ISLANDS,     ///< lists of the contacts and joints that act in this step
  IMP_STAGE_PREPARE,     ///< preparation of memory and rows for the solver
  IMP_STAGE_SOLVE,       ///< substeps
  IMP_STAGE_STORE,       ///< copy of impulses back to contacts and joints
  IMP_STAGE_FINALIZE,    ///< update of boxes, continuous collision, sensors, hits, breaking of joints
  IMP_STAGE_SLEEP,       ///< bodies fall asleep, calls that callbacks queued take effect, events are sorted
  IMP_STAGE_COUNT
} ImpStage;
/// Return a stage's name: "broadphase", "narrowphase", "islands", "prepare", "solve", "store", "finalize", "sleep".
IMP_API const char *imp_stage_name(int stage);
/// Duration of the stages of the last step [s].
typedef struct ImpProfile {
  double stage[IMP_STAGE_COUNT];
  double step;
  /// part of the stage "solve": time for clusters (groups of joints that `soft` solves by a matrix factorization)
  double clusters;
} ImpProfile;
/// Return the durations of the last step.
IMP_API ImpProfile imp_world_profile(const ImpWorld *world);

/// Return IMP_WORLD_TICK as an integer, 0..IMP_MAX_TICK.
IMP_API uint64_t imp_world_tick(const ImpWorld *world);
/// Return the XXH3-64 hash of the dynamic state: tick, dt, gravity, generator; bodies, movers and joints in creation
/// order; touching contacts in the order of imp_world_next_contact. Worlds in the same state have the same hash on
/// every machine.
IMP_API uint64_t imp_world_hash(const ImpWorld *world);
/// Return the next 64 bits of the world's generator, xoshiro256** seeded by `seed`.
/// source: Blackman and Vigna, "Scrambled linear pseudorandom number generators" (2018)
IMP_CALL uint64_t imp_world_random(ImpWorld *world);


// ---------------------------------------------------------------------------------------------------------------------
// Events of the last step
// ---------------------------------------------------------------------------------------------------------------------

/// Kinds of events, and the fields of ImpEvent that each sets.
typedef enum ImpEventKind {
  IMP_EVENT_BEGIN_CONTACT,   ///< two shapes begin to touch: bodies, shapes, ids, point, normal, speed
  IMP_EVENT_END_CONTACT,     ///< two shapes cease to touch: the fields of begin_contact except speed
  IMP_EVENT_HIT,             ///< two shapes approach faster than `hit_speed`: the fields of begin_contact, and impulse
  IMP_EVENT_SENSOR_BEGIN,    ///< a shape enters a sensor: a is the sensor, b the shape
  IMP_EVENT_SENSOR_END,      ///< a shape leaves a sensor: a is the sensor, b the shape
  IMP_EVENT_JOINT_BREAK,     ///< a joint breaks: joint, id_a, force, torque
  IMP_EVENT_JOINT_DESTROYED, ///< a joint is destroyed with its body, or a gear with its joint: joint, id_a, text
  IMP_EVENT_SLEEP,           ///< a body falls asleep: body_a, id_a
  IMP_EVENT_WAKE,            ///< a body wakes: body_a, id_a
  IMP_EVENT_FAULT,           ///< a body was reset and disabled: body_a, id_a, text
  IMP_EVENT_WARNING,         ///< warning: text; for a body also body_a, id_a; for a joint also joint, id_a, length
  IMP_EVENT_COUNT
} ImpEventKind;

/// An event. Fields that its kind does not set are 0 or null.
///
/// A body whose state becomes non-finite, or that would leave the world, is reset to its last valid pose, disabled, and
/// reported in a `fault` event. The event's text is the stage that found the fault, "solve" or "finalize", or its
/// cause: "integrate" (velocity and applied forces), "field" (force fields), or "substep" (forces and impulses of
/// callbacks).
typedef struct ImpEvent {
  ImpJoint joint;
  ImpBody body_a, body_b;
  ImpShape shape_a, shape_b; ///< a: the shape that was created first; in sensor events the sensor
  /// creation numbers of the shapes, the body or the joint; events of a kind are sorted by (id_a, id_b)
  uint64_t id_a, id_b;
  ImpVec2 point, normal; ///< contact point with the largest impulse [m]; unit vector from a to b
  double speed;          ///< approach speed along the normal before the contact [m/s]
  double impulse;        ///< normal impulse of the step [N s]
  double force;          ///< reaction force of the broken joint in the last step [N]
  double torque;         ///< reaction torque of the broken joint in the last step [N m]
  double length;         ///< warning about a joint: error of the joint [m], see ImpResidual.open
  const char *text;      ///< fault: stage or cause; warning: message; destroyed joint: its name, or null
} ImpEvent;

/// Return an event kind's name: "begin_contact", "end_contact", "hit", "sensor_begin", ...
IMP_API const char *imp_event_name(int kind);
/// Return the events of a kind in the last step, ordered by id_a, then id_b. When out of memory, events are missing.
/// Valid until the next step.
IMP_API const ImpEvent *imp_world_events(const ImpWorld *world, ImpEventKind kind, int *out_count);


// ---------------------------------------------------------------------------------------------------------------------
// Bodies
// ---------------------------------------------------------------------------------------------------------------------

typedef enum ImpBodyType {
  IMP_BODY_STATIC,    ///< does not move
  IMP_BODY_KINEMATIC, ///< moves at its velocity; forces and impulses do not act on it
  IMP_BODY_DYNAMIC,   ///< moved by forces and impulses
  IMP_BODY_PARTICLE,  ///< dynamic without rotation: its angle is always 0
  IMP_BODY_TYPE_COUNT
} ImpBodyType;
/// Return a type's name: "static", "kinematic", "dynamic", "particle".
IMP_API const char *imp_body_type_name(int type);

/// Definition of a body. Start from imp_body_def().
typedef struct ImpBodyDef {
  ImpBodyType type; ///< default dynamic
  const char *name; ///< copied; null for none
  ImpVec2 position; ///< position of the body's origin [m]
  double angle;     ///< [rad]; 0 for a particle
  ImpVec2 velocity; ///< velocity of the centre of mass [m/s]; must be 0 if the body is static, asleep or disabled
  double angular_velocity;  ///< [rad/s]; must be 0 where `velocity` must be 0, and for a particle
  double linear_damping;    ///< [1/s], >= 0: dv/dt = -linear_damping v
  double angular_damping;   ///< [1/s], >= 0: dw/dt = -angular_damping w
  double max_speed;         ///< largest speed of a dynamic body after a step [m/s]; default 0: no limit
  double max_angular_speed; ///< largest angular speed after a step [rad/s]; default 0: no limit
  double gravity_scale;     ///< factor on the gravity of the world; default 1
  bool fixed_rotation;      ///< torques and impulses do not rotate the body
  bool lock_x, lock_y;      ///< no force or impulse moves the centre of mass along this axis
  bool bullet;              ///< continuous collision also with dynamic bodies
  bool allow_sleep;         ///< default true
  bool awake;               ///< default true
  bool enabled;             ///< default true; false: the body is out of the simulation, as after a fault
  double mass;              ///< [kg], > 0; 0: computed from the shapes
  double inertia;           ///< moment of inertia about the centre of mass [kg m^2], > 0; 0: computed from the shapes
  void *user_data;          ///< for the caller only
} ImpBodyDef;
IMP_API ImpBodyDef imp_body_def(void);

/// Make a body. A body made inside a step moves from the next step on. If `def->mass` is 0, a dynamic body without
/// shapes has a mass of 1 kg and does not rotate. Errors: a number out of range; IMP_ERR_LIMIT above `max_bodies`;
/// IMP_ERR_NOMEM.
IMP_CALL ImpStatus imp_body_create(ImpWorld *world, const ImpBodyDef *def, ImpBody *out_body);
/// Destroy a body with its shapes, contacts and joints. Bodies in contact with it or joined to it wake.
IMP_CALL ImpStatus imp_body_destroy(ImpWorld *world, ImpBody body);
/// Return whether the handle refers to an existing body of this world.
IMP_API bool imp_body_is_valid(const ImpWorld *world, ImpBody body);

/// Read a property in the unit of its description (imp_body_property); booleans as 0 and 1.
IMP_API ImpStatus imp_body_get(const ImpWorld *world, ImpBody body, ImpBodyProperty property, double *out_value);
/// Set a property. A change that affects motion wakes the body. Errors: read only, out of range, not for this type.
IMP_CALL ImpStatus imp_body_set(ImpWorld *world, ImpBody body, ImpBodyProperty property, double value);

IMP_API ImpStatus imp_body_type(const ImpWorld *world, ImpBody body, ImpBodyType *out_type);
/// Change the type. The contacts of the body end and begin again, and the body wakes. A body that becomes static loses
/// its velocity, a body that becomes a particle loses its angle. Error: the ground body, or the body of a mover.
IMP_CALL ImpStatus imp_body_set_type(ImpWorld *world, ImpBody body, ImpBodyType type);
/// Read the name, null for none. The string is valid until the name changes or the body is destroyed.
IMP_API ImpStatus imp_body_name(const ImpWorld *world, ImpBody body, const char **out_name);
/// Set the name; null removes it.
IMP_CALL ImpStatus imp_body_set_name(ImpWorld *world, ImpBody body, const char *name);
IMP_API ImpStatus imp_body_user_data(const ImpWorld *world, ImpBody body, void **out_user_data);

/// Read the position of the body's origin [m].
IMP_API ImpStatus imp_body_position(const ImpWorld *world, ImpBody body, ImpVec2 *out_position);
/// Teleport the body: put its origin at a position [m], components up to 1e7. Angle and velocity stay. A change wakes
/// the body and the bodies that it touches, and clears the impulses of its contacts.
IMP_CALL ImpStatus imp_body_set_position(ImpWorld *world, ImpBody body, ImpVec2 position);
/// Teleport the origin to a position [m] and the body to an angle [rad], which must be 0 for a particle and for the
/// body of a mover.
IMP_CALL ImpStatus imp_body_set_pose(ImpWorld *world, ImpBody body, ImpVec2 position, double angle);
/// Set a kinematic target: the position of a kinematic body's origin after the next step [m]. In this step the body has
/// the velocity (target - position) / dt; then it stops. A later call replaces the target; a teleport or a new velocity
/// removes the target. Inside a step, the target is for the next step. Errors: a body that is not kinematic, the body
/// of a mover, a speed above 1e7 m/s or rad/s.
IMP_CALL ImpStatus imp_body_move_to(ImpWorld *world, ImpBody body, ImpVec2 position);
/// Set a kinematic target with an angle [rad]. Angles are unwrapped: from 0 to 2 pi the body makes a whole turn.
IMP_CALL ImpStatus imp_body_move_to_pose(ImpWorld *world, ImpBody body, ImpVec2 position, double angle);
/// Read the frame of the body: origin [m] and rotation.
IMP_API ImpStatus imp_body_transform(const ImpWorld *world, ImpBody body, ImpTransform *out_transform);
/// Read the centre of mass in world coordinates [m].
IMP_API ImpStatus imp_body_center(const ImpWorld *world, ImpBody body, ImpVec2 *out_center);
/// Teleport the body: put its centre of mass at a point [m]. Otherwise as imp_body_set_position.
IMP_CALL ImpStatus imp_body_set_center(ImpWorld *world, ImpBody body, ImpVec2 center);
/// Read the velocity of the centre of mass [m/s].
IMP_API ImpStatus imp_body_velocity(const ImpWorld *world, ImpBody body, ImpVec2 *out_velocity);
/// Set the velocity of the centre of mass [m/s], components up to 1e7; 0 for a static body. A change wakes the body. If
/// a joint of a dynamic body has armature (ImpDrive), the rotor gets the new speed of the coordinate. At a kinematic
/// body the rotor keeps its speed. The same holds for IMP_BODY_ANGULAR_VELOCITY.
IMP_CALL ImpStatus imp_body_set_velocity(ImpWorld *world, ImpBody body, ImpVec2 velocity);
/// Read the velocity [m/s] of the body's point at a world point [m].
IMP_API ImpStatus imp_body_velocity_at(const ImpWorld *world, ImpBody body, ImpVec2 point, ImpVec2 *out_velocity);

/// Compute the XXH3-64 hash of the body's part of imp_world_hash: id, type, awake, enabled, pose, velocity, sleep time,
/// kinematic target.
IMP_API ImpStatus imp_body_hash(const ImpWorld *world, ImpBody body, uint64_t *out_hash);

/// Add a force [N] at the centre of mass. The force acts during the whole next step, or, if it is applied in a substep
/// callback, during this substep. Wakes the body. Errors, also of the next five functions: a static or kinematic body;
/// a component of IMP_MAX_DRIVE or more.
IMP_CALL ImpStatus imp_body_apply_force(ImpWorld *world, ImpBody body, ImpVec2 force);
/// Add a force [N] at a world point [m]. On a particle its torque is ignored.
IMP_CALL ImpStatus imp_body_apply_force_at(ImpWorld *world, ImpBody body, ImpVec2 force, ImpVec2 point);
/// Add a torque [N m], which acts for the same time as a force. Error: a particle.
IMP_CALL ImpStatus imp_body_apply_torque(ImpWorld *world, ImpBody body, double torque);
/// Apply an impulse [N s] at the centre of mass. The velocity changes at once; inside a step it changes when the
/// callback returns. Wakes the body.
IMP_CALL ImpStatus imp_body_apply_impulse(ImpWorld *world, ImpBody body, ImpVec2 impulse);
/// Apply an impulse [N s] at a world point [m]. On a particle its moment is ignored.
IMP_CALL ImpStatus imp_body_apply_impulse_at(ImpWorld *world, ImpBody body, ImpVec2 impulse, ImpVec2 point);
/// Apply an angular impulse [N m s]. Error: a particle.
IMP_CALL ImpStatus imp_body_apply_angular_impulse(ImpWorld *world, ImpBody body, double impulse);

/// Read the mean contact force on the body over the last step [N]: sum of its contact impulses / dt.
IMP_API ImpStatus imp_body_contact_force(const ImpWorld *world, ImpBody body, ImpVec2 *out_force);
/// Read the kinetic energy [J]; 0 for static and kinematic bodies.
IMP_API ImpStatus imp_body_kinetic_energy(const ImpWorld *world, ImpBody body, double *out_energy);

/// Return the body's shape after `previous` in creation order: the first for the null handle, null after the last.
IMP_API ImpShape imp_body_next_shape(const ImpWorld *world, ImpBody body, ImpShape previous);
/// Return the body's touching contact after `previous`, in the order of imp_world_next_contact.
IMP_API ImpContact imp_body_next_contact(ImpWorld *world, ImpBody body, ImpContact previous);


// The chapters of this header. A chapter uses types of the chapters before it.
#include "impel_shape.h" // shapes of bodies, filters, sensors

#include "impel_contact.h" // contacts and their impulses, pre_solve

#include "impel_material.h" // materials that shapes share by name

#include "impel_bodies.h" // many bodies in one call
#include "impel_joint.h"  // joints, drives, constraints, rows, snapshots
#include "impel_report.h" // how a step was solved: residual, sweeps, energy ledger

#include "impel_definition.h" // definitions read back from objects
#include "impel_draw.h"       // a world as a list of primitives
#include "impel_field.h"      // force fields
#include "impel_mover.h"      // character movers
#include "impel_qp.h"         // quadratic programs, for controllers
#include "impel_query.h"      // rays, casts, overlaps, distances
#include "impel_record.h"     // comparison, recording, replay

// Former names: their use is an error that names the new ones.
#if defined(__has_attribute)
#if __has_attribute(unavailable)
#define IMP_RENAMED(new_name) __attribute__((unavailable("renamed to " #new_name)))
enum { IMP_WORLD_SMOOTH_SEAMS IMP_RENAMED(IMP_WORLD_SMOOTH_INTERNAL_EDGES) = IMP_WORLD_SMOOTH_INTERNAL_EDGES };
void imp_world_mark(void) IMP_RENAMED(imp_world_tag);
void imp_poses_note(void) IMP_RENAMED(imp_poses_store);
void imp_world_former(void) IMP_RENAMED(imp_world_destroyed_object);
#undef IMP_RENAMED
#endif
#endif

#ifdef __cplusplus
}
#endif

#endif
