// The world: what the step and the API functions see. Everything below it takes explicit arrays.
#ifndef IMPI_WORLD_H
#define IMPI_WORLD_H

#include "base/names.h"
#include "base/pool.h"
#include "base/task.h"
#include "geometry/broadphase.h"
#include "geometry/clearing.h"
#include "geometry/shape_sums.h"
#include "model/contact.h"
#include "model/contact_points.h"
#include "model/field.h"
#include "model/island.h"
#include "model/ledger.h"
#include "model/material.h"
#include "model/mover.h"
#include "model/near.h"
#include "model/solver.h"
#include "model/strike.h"
#include "solvers/soft/lane_contacts.h"
#include "solvers/undo.h"
#include "world/commands.h"
#include "world/event_order.h"

// What a query found and may give.
typedef struct ImpiFound {
  ImpShape shape;
  uint64_t serial; // of the shape
  int32_t child;
  double fraction;
  ImpVec2 point, normal;
} ImpiFound;
// What the filter callback said about a pair of shapes. It holds while both have these versions.
typedef struct ImpiVerdict {
  int32_t shape_a, shape_b; // slots
  uint64_t version_a, version_b;
  bool meets;
} ImpiVerdict;
// Where a kinematic body goes, see world_kinematic.c.
typedef struct ImpiSteer {
  int32_t body;      // slot
  bool told;         // to be at the target after the next step
  bool moving;       // inside that step
  bool spent;        // its velocity is that of the last step, and ends when the next one begins
  ImpVec2 to;        // [m]
  double angle;      // [rad]
  ImpiMotion before; // the motion when the step began, for a step that comes to nothing
} ImpiSteer;

typedef IMPI_ARRAY(char *) ImpiNameList;

// A destroyed object that events may still hold.
typedef struct ImpiFormer {
  uint64_t key, serial; // its handle without the mark of the world; its creation number
  char *name;           // or null
  int32_t kind;         // ImpObjectKind
} ImpiFormer;
typedef IMPI_ARRAY(ImpiFormer) ImpiFormerList;

// The same in order of key and kind.
typedef struct ImpiFormerPlace {
  uint64_t key;
  int32_t kind, place;
} ImpiFormerPlace;

// What a step that fails after the movers' stage puts back.
typedef struct ImpiMoverKept {
  ImpiMover mover;
  ImpiMotion motion; // of its body
} ImpiMoverKept;

typedef struct ImpiMoverPush {
  int32_t body, forced; // slot; length of the list of forced bodies before
  ImpVec2 force;        // what the body had
  double torque;
} ImpiMoverPush;

struct ImpWorld {
  struct ImpiRecorder *recorder; // null: nobody records it. The first member: see record.h
  ImpRecording recording;        // that is on, or was the last
  ImpiHeap heap;
  uint32_t tag; // of this world's handles
  ImpiSettings settings;
  ImpSolverKind solver, solved_by; // the one of the last step
  bool sleep_enabled, continuous, smooth_seams;
  bool asks; // a shape was made, or set, that callbacks are asked about
  int threads;
  ImpiTeam team;                                        // of the step under way
  int max_bodies, max_shapes, max_joints, max_contacts; // 0: as many as there is room for
  double hit_speed;
  double continuous_part;   // of a body's inner radius, see continuous.h
  uint64_t seed, random[4]; // xoshiro256**
  uint64_t tick;
  double time;      // time_base + (tick - tick_base) dt: no rounding adds up
  double time_base; // when dt was last changed
  uint64_t tick_base;

  // Bodies, shapes and contacts, by slot.
  ImpiPool body_pool, shape_pool, contact_pool, joint_pool;
  IMPI_ARRAY(ImpiBody) bodies;
  IMPI_ARRAY(ImpiMotion) motions;
  IMPI_ARRAY(ImpiShape) shapes;
  IMPI_ARRAY(ImpiContact) contacts;
  ImpiPointStore points;             // of contacts
  ImpiShapeSums shape_sums;          // of bodies of many shapes: derived
  int32_t alike[8];                  // shapes of the last few geometries that were made, the newest first
  int32_t first_body, last_body;     // creation order
  ImpiNames body_names, joint_names; // made by the first lookup: derived data
  // How many contacts touch of each two shapes of which one has several pieces: derived data, wrong while not `counted`.
  struct {
    ImpiPairMap of_shapes;
    bool counted;
  } twins;
  uint64_t body_serial, shape_serial, joint_serial;
  int32_t ground; // the world's own static body, -1 before it is asked for; in no list, serial 0

  // What the callbacks of contacts are asked and have said.
  ImpPreSolveFn pre_solve_callback;
  void *pre_solve_user;
  IMPI_ARRAY(int32_t) asked; // contacts of this round that pre_solve is called for
  int32_t solving;           // the contact whose pre_solve runs; -1: none
  ImpFilterFn filter_callback;
  void *filter_user;
  IMPI_ARRAY(ImpiVerdict) verdicts;
  ImpiPairMap verdict_of;       // places in `verdicts` by the slots of both shapes
  uint64_t shape_version;       // the last one given
  bool rejudge;                 // some shape is to be judged anew
  IMPI_ARRAY(ImpiPair) doubts;  // pairs of shapes to ask about in this step
  int32_t sensors, bouncing;    // shapes that are sensors; that have restitution
  IMPI_ARRAY(int32_t) visitors; // shapes in a sensor, for who asks
  IMPI_ARRAY(ImpiPair) passed;  // pieces of sensors and what may have gone through them in this step
  ImpiMaterials materials;
  bool unmixed; // shapes have come near each other whose materials the callback was not asked about
  ImpMixFn mix_callback;
  void *mix_user;
  uint64_t step_bodies; // serial of the last body that was there when the step began
  uint64_t step_shapes; // of the last shape
  uint64_t step_joints; // of the last joint

  // Joints by slot, and what hangs on them.
  IMPI_ARRAY(ImpiJoint) joints;
  IMPI_ARRAY(ImpiJointEdge) joint_edges; // by ImpiJoint.first_edge
  IMPI_ARRAY(ImpiDrive) drives;          // by ImpiCoordinate.drive
  int32_t free_edge, free_drive;         // free lists, -1 at the end
  int32_t first_joint, last_joint;       // creation order
  ImpiBroadphase broadphase;

  // Derived lists, rebuilt by the step when `lists_dirty`.
  bool lists_dirty;
  bool contacts_lost; // which contacts are awake is to be found out anew
  bool active_dirty;
  bool joint_list_fresh;            // awake_joints was made anew
  bool woken;                       // a body woke since the step last cleared this
  IMPI_ARRAY(int32_t) awake;        // bodies that the step integrates, by slot
  ImpiBits awake_contacts;          // contacts with an awake side, or to be looked at once more
  ImpiBits doubtful;                // of those in lanes, the ones to be looked at in this step
  IMPI_ARRAY(int32_t) pair_slots;   // of the contacts for new pairs, -1: none
  ImpiBits waits, found;            // of those looked at, whom others hear of; those of them whose manifold is there
  ImpiBits known;                   // what is up to date in this step: nobody looks at it again
  ImpiNears nears;                  // of those not in lanes, the ones that were apart when looked at last
  ImpiBits seen;                    // contacts that were looked at in this step
  ImpiBits fast;                    // awake bodies that are fast as the step begins
  uint32_t still_seen;              // changes of the broad phase's static proxies that those in lanes know
  ImpiLaneContacts lane_contacts;   // those that act, while the solver is soft
  IMPI_ARRAY(int32_t) active;       // of those, the ones with rows in this step
  int32_t gathered;                 // how many of `active` have rows; behind them those that met within the step
  int32_t broom_count;              // kinematic ones, at the front of `swept`
  bool expects_meeting;             // a body is fast since the last step, or was told to be
  IMPI_ARRAY(ImpiRunner) runners;   // the dynamic bodies in `swept` that go farthest, where there are bullets
  IMPI_ARRAY(int32_t) runner_at;    // by slot, of runners: their index there; undefined for others
  double longest_way;               // of the other dynamic bodies in `swept` [m]
  IMPI_ARRAY(int32_t) swept;        // bodies that the continuous stage looks at, by slot
  ImpiBits swept_set;               // room for their order
  IMPI_ARRAY(int32_t) awake_places; // by slot, of bodies that are in `awake`: their place there, during that stage
  IMPI_ARRAY(int32_t) outgrown;     // bodies whose boxes have to be looked at after the step, by slot
  IMPI_ARRAY(int32_t) candidates;   // proxies on the way that it is looking along
  IMPI_ARRAY(ImpiStruck) struck;    // of this step, in the order of the blows
  IMPI_ARRAY(int32_t) struck_at;    // by slot, of bodies that are in `struck`: their place there
  int32_t first_waiting;            // in `struck`: none before it waits
  IMPI_ARRAY(ImpiStrike) strikes;   // of the meeting that it is at
  IMPI_ARRAY(ImpiRow) meeting_rows; // and its rows
  IMPI_ARRAY(int32_t) awake_joints; // joints with an awake dynamic body, in creation order
  ImpiOpenJoints opening;           // which of them are open: see step_open.c
  ImpiBits held;                    // the bodies of the awake joints
  IMPI_ARRAY(ImpiMotion) backup;    // of the awake bodies at the step's start, in the order of `awake`
  int32_t any_resting;              // bodies whose sleep timer has run out

  IMPI_ARRAY(ImpiClearing) clearings; // by slot: what the continuous stage knows of the surroundings of bodies
  uint32_t clearings_seen;            // changes of the broad phase's static proxies that they know
  IMPI_ARRAY(uint8_t) placed; // by slot: it was teleported since poses were stored, see draw_poses.c; empty before

  ImpiIslands islands;
  int island_count; // of the last step that looked for islands

  // Touching contacts in the order of the API, made on demand.
  IMPI_ARRAY(int32_t) touching;
  IMPI_ARRAY(int32_t) ranks; // places in it, by contact
  bool touching_valid;
  IMPI_ARRAY(int32_t) touching_of; // the touching contacts of one body
  int32_t touching_body;           // that body's slot, -1: none
  ImpiBits stale;                  // bodies all of whose contacts lost IMPI_CONTACT_FRESH since the last narrow phase

  bool stepping;         // inside imp_world_step
  double substep_length; // h of the substep whose handlers run [s]
  double substep_time;   // of the state that handlers see [s]
  int substep_index;     // handlers were called so often in this step
  ImpiSolve solve;
  void *scratch[IMP_SOLVER_COUNT];
  bool efforts_kept;   // the solver has what joints did in the last step: see impi_settle_joint
  bool joints_edited;  // within the present step
  bool drives_edited;  // of joints that the solver keeps, numbers only, since the last step began
  bool in_substep;     // the handlers of a substep run: what they set acts in it
  bool drives_emptied; // records of drives that were released within the step are there until its end
  ImpSubstepFn substep_callback;
  void *substep_user;
  ImpConstraintFn constraint_callback;
  void *constraint_user;
  bool may_break;                   // some joint has, or had, a load that it breaks at
  int32_t called_joints;            // joints that the callback has to bring up to date
  ImpiSampleRoom samples;           // for getters
  IMPI_ARRAY(ImpiMotion) pose_room; // for getters inside a step, by lane
  ImpiNameList old_names[2];        // of joints in the joint_destroyed events of the last step, and in pending ones
  ImpiFormerList former_last;       // objects destroyed in the last step, or before it since the one before
  ImpiFormerList former;            // and since it
  IMPI_ARRAY(ImpiFormerPlace) former_order[2]; // of both, made on demand: shorter than the list where it is out of date
  IMPI_ARRAY(ImpRowInfo) row_list;             // made on demand
  IMPI_ARRAY(int32_t) row_starts;              // in it, by place in `touching`, and the end of the last
  IMPI_ARRAY(ImpiRow) row_room;                // rows behind row_list
  IMPI_ARRAY(ImpiRowTerm) row_terms;
  bool rows_valid;
  IMPI_ARRAY(ImpCoordinate) redundant; // of the last imp_world_mobility
  IMPI_ARRAY(ImpWeakLock) weak;        // the same
  double stiffest;                     // soft: how stiff its rows were at most in the last step [Hz], 0: no step yet
  double last_dt;                      // length of the last step: what its impulses are divided by [s], 0: none yet
  double impulse_step;                 // substep that the kept impulses are of [s], 0: none yet
  double work_joints, work_contacts;   // done since the world was made [J]
  IMPI_ARRAY(ImpiPush) pushed;         // bodies with an impulse from inside a substep handler
  IMPI_ARRAY(ImpiCommand) commands;    // waiting for the end of the step
  int queued_pieces;                   // that they put into the broad phase at most: more need room beside these
  ImpiLastCommands last_drives, last_filters; // which of them set drives of a joint, the filter of a shape last
  IMPI_ARRAY(int32_t) forced;                 // bodies with a force to be cleared after the step
  IMPI_ARRAY(ImpiSteer) steered;              // kinematic bodies with a target, by ImpiBody.steer - 1

  int limited_bodies;          // those with a largest speed
  IMPI_ARRAY(int32_t) limited; // the awake ones, made by the step

  // Force fields by slot.
  ImpiPool field_pool;
  IMPI_ARRAY(ImpiForceField) fields;
  int32_t first_field, last_field; // creation order
  uint64_t field_serial;
  int32_t called_fields; // those whose forces the callback applies
  ImpFieldFn field_callback;
  void *field_user;
  IMPI_ARRAY(ImpiSparse) listed;         // by slot of a body: the fields whose lists name it
  bool fields_dirty;                     // whom they act on has changed since `felt` was made
  bool fields_listed;                    // `felt_fields` is complete; false after a lack of memory
  bool fields_turn;                      // some of those that are on look at rotations
  bool felt_locks;                       // some of `felt` have locked axes
  IMPI_ARRAY(ImpiFelt) felt;             // awake bodies that some field acts on, made by the step
  IMPI_ARRAY(ImpiFeltField) felt_fields; // of each IMPI_FIELD_WIDTH of them, in the order of the world's fields
  IMPI_ARRAY(int32_t) felt_ends;         // the first and the last of these, of each IMPI_FIELD_WIDTH
  IMPI_ARRAY(int32_t) felt_at;           // by slot of a body: its index in `felt`; undefined for others
  ImpiUndo undo;                         // of the solve under way

  // Character movers in creation order; ImpiBody.mover says which one a body is of.
  IMPI_ARRAY(ImpiMover) movers;
  int mover_gaps, first_mover;            // entries of destroyed ones, whose body is -1; the first free entry
  IMPI_ARRAY(ImpiObstacle) mover_room;    // around the one that moves
  IMPI_ARRAY(ImpiMoverKept) mover_kept;   // as the movers were when the step began
  IMPI_ARRAY(ImpiMoverPush) mover_pushes; // forces given by movers in this step, in their order

  struct {
    ImpiLedger ledger;     // of the step under way
    double begin, springs; // energy when it began, and what springs stored of it [J]
    uint64_t last_body;    // serial of the last body that was there then
    ImpAudit step, whole;
    IMPI_ARRAY(double) speeds;     // of all rows when it began, where the solver enters nothing itself
    IMPI_ARRAY(ImpiRow) rows;      // of one owner
    IMPI_ARRAY(ImpiRowTerm) terms; // further bodies of these
  } audit;                         // while settings.auditing

  uint64_t pose_stamp; // changes whenever callbacks may see bodies at other places, inside a step too
  struct {
    IMPI_ARRAY(ImpiFound) found; // of the queries under way, the innermost on top
    IMPI_ARRAY(ImpHit) hits;     // of the last one that is over
    IMPI_ARRAY(int32_t) strays;  // proxies whose pieces have left their boxes since the step began
    uint64_t strays_of;          // pose_stamp of that list
  } query;

  ImpiEventList events[IMP_EVENT_COUNT];  // of the last step
  ImpiEventList pending[IMP_EVENT_COUNT]; // since the last step
  ImpiPeak event_peaks[IMP_EVENT_COUNT];  // of `events`
  ImpiEventKeys event_keys;               // scratch
  ImpiPeak event_keys_peak;
  ImpProfile profile;
};

#define IMPI_HASH_PARTS 4

uint64_t impi_world_hash_parts(const ImpWorld *world, unsigned char *parts);

// The world's time after the step that is on, or comes next [s].
static inline double impi_time_after(const ImpWorld *world) {
  return world->time_base + (double)(world->tick - world->tick_base + 1) * world->settings.dt;
}

// What impulses are divided by where forces are asked for: the length of the step that made them [s].
static inline double impi_last_dt(const ImpWorld *world) {
  return world->stepping || world->last_dt == 0 ? world->settings.dt : world->last_dt;
}

// Handles.
static inline ImpBody impi_body_handle(const ImpWorld *world, int32_t slot) {
  return (ImpBody){impi_pool_id(&world->body_pool, slot, world->tag)};
}

static inline ImpShape impi_shape_handle(const ImpWorld *world, int32_t slot) {
  return (ImpShape){impi_pool_id(&world->shape_pool, slot, world->tag)};
}

static inline ImpContact impi_contact_handle(const ImpWorld *world, int32_t slot) {
  return (ImpContact){impi_pool_id(&world->contact_pool, slot, world->tag)};
}

static inline ImpJoint impi_joint_handle(const ImpWorld *world, int32_t slot) {
  return (ImpJoint){impi_pool_id(&world->joint_pool, slot, world->tag)};
}

static inline ImpField impi_field_handle(const ImpWorld *world, int32_t slot) {
  return (ImpField){impi_pool_id(&world->field_pool, slot, world->tag)};
}

// The slot behind a handle, or the status of why not. The macros return from the calling function.
#define IMPI_FIND_BODY(world, handle, slot) \
  int32_t slot = impi_pool_find(&(world)->body_pool, (handle).id, (world)->tag); \
  if (slot < 0) return impi_pool_fail((handle).id, (world)->tag, "body")

#define IMPI_FIND_SHAPE(world, handle, slot) \
  int32_t slot = impi_pool_find(&(world)->shape_pool, (handle).id, (world)->tag); \
  if (slot < 0) return impi_pool_fail((handle).id, (world)->tag, "shape")

#define IMPI_FIND_FIELD(world, handle, slot) \
  int32_t slot = impi_pool_find(&(world)->field_pool, (handle).id, (world)->tag); \
  if (slot < 0) return impi_pool_fail((handle).id, (world)->tag, "field")

#define IMPI_FIND_JOINT(world, handle, slot) \
  int32_t slot = impi_pool_find(&(world)->joint_pool, (handle).id, (world)->tag); \
  if (slot < 0) return impi_pool_fail((handle).id, (world)->tag, "joint")

#endif
