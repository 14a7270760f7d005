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
#include "world/calls.h"
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
typedef IMPI_ARRAY(int32_t) ImpiLastCommands; // places of commands by slot, -1: none; the same behind `count`

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

// The lists of touching contacts are no longer right.
static inline void impi_touching_changed(ImpWorld *world) {
  world->touching_valid = false;
  world->touching_body = -1;
}

// The next contact of the same shape in the list of an edge's body, see ImpiShape.first_edge; -1: none.
static inline int32_t impi_next_of_shape(const ImpWorld *world, int32_t edge) {
  const ImpiContact *contact = &world->contacts.data[edge >> 1];
  int32_t next = contact->edge[edge & 1].next;
  if (next < 0) {
    return -1;
  }
  const ImpiContact *other = &world->contacts.data[next >> 1];
  return (next & 1 ? other->shape_b : other->shape_a) == (edge & 1 ? contact->shape_b : contact->shape_a) ? next : -1;
}

// world_state.c: imp_world_hash, and (or null) a byte of it behind clock and settings, bodies, movers, joints, not contacts.
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

// world_events.c
// Note an event for the list that the next handlers see: during a step the step's own, otherwise the pending one.
// False when out of memory: the event is lost, the world is whole.
bool impi_event_add(ImpWorld *world, ImpEventKind kind, ImpEvent event);
void impi_event_body(ImpWorld *world, ImpEventKind kind, int32_t body, const char *text);
void impi_event_contact(ImpWorld *world, ImpEventKind kind, const ImpiContact *contact, double speed, double impulse);
// Make the pending events those of the step that begins.
void impi_events_begin_step(ImpWorld *world);
// The step failed before anything moved: its events wait for the next one.
void impi_events_put_back(ImpWorld *world);
// An object is about to be destroyed: its name, which is taken over, and number are known until no event can hold it.
void impi_note_former(ImpWorld *world, ImpObjectKind kind, uint64_t id, uint64_t serial, char *name);
// Free the names that events of the last step (0) or pending ones (1) hold.
void impi_free_old_names(ImpWorld *world, int list);
void impi_free_former(ImpWorld *world);
// At the end of a step: sort each list by the ids of its objects, and remove an end and a begin that cancel.
void impi_events_settle(ImpWorld *world);

// A contact as it is now: what the lanes have made of it is read first.
static inline const ImpiContact *impi_contact_now(const ImpWorld *world, int32_t slot) {
  ImpiContact *contact = &world->contacts.data[slot];
  if (contact->run > 0) {
    impi_lane_contacts_read(&world->lane_contacts, contact, world->motions.data);
  }
  return contact;
}

// world_contact.c
// A contact that is going to be changed: out of the lanes until the next step.
ImpiContact *impi_contact_change(ImpWorld *world, int32_t slot);
// Look at it once more in the next step, asleep or not. Returns it, as impi_contact_change does.
ImpiContact *impi_contact_look_again(ImpWorld *world, int32_t slot);
// Clear IMPI_CONTACT_FRESH of all contacts of a body, after a change of its pieces or joints: the next narrow phase computes
// their manifolds. A second call before that costs O(1).
void impi_contacts_expire(ImpWorld *world, int32_t body);
// It acts no longer: one of its bodies sleeps.
void impi_contact_end(ImpWorld *world, int32_t slot);
// Bring all contacts up to date, for whoever reads them without asking.
void impi_contacts_now(const ImpWorld *world);
// Room for one more contact.
ImpStatus impi_world_reserve_contact(ImpWorld *world);
// Make a contact for a pair of proxies; room must have been reserved. Returns its slot.
int32_t impi_world_add_contact(ImpWorld *world, int32_t proxy_a, int32_t proxy_b);
// The same in three parts, for many at once: the first and the last in order, the second side by side.
int32_t impi_contact_take(ImpWorld *world, int32_t proxy_a, int32_t proxy_b);
void impi_contact_fill(ImpWorld *world, int32_t slot, int32_t proxy_a, int32_t proxy_b);
void impi_contact_link(ImpWorld *world, int32_t slot);
// Approach speed above which it bounces under the world's solver and gravity [m/s].
double impi_world_restitution_threshold(const ImpWorld *world, const ImpiContact *contact);
// Remove a contact; if it touched, its end is reported and sleeping bodies on both sides wake.
void impi_world_remove_contact(ImpWorld *world, int32_t contact);
// Whether the bodies of a pair of proxies may have a contact: one of them dynamic, or one piece a sensor.
bool impi_world_may_touch(const ImpWorld *world, int32_t proxy_a, int32_t proxy_b);
// Tell begin (or end) unless another piece of the same two shapes touches already (still).
void impi_world_set_touching(ImpWorld *world, int32_t contact, bool touching, double speed);
// Bring `touching` up to date: all touching contacts by (shape, shape, child). False when out of memory.
bool impi_world_sort_touching(ImpWorld *world);

// Whether pieces of two shapes touch, one contact (or null) left out. The contacts of both are walked side by side: the one
// has few where the other, a terrain, has thousands.
bool impi_pieces_touch(const ImpWorld *world, int32_t shape_a, int32_t shape_b, const ImpiContact *but);
// Contacts were read: put those of each shape side by side in the lists of their bodies, as they are if they come from here.
void impi_contacts_relink(ImpWorld *world);
// Sort slots of contacts by (shape, shape, piece, piece).
void impi_world_sort_contacts(const ImpWorld *world, int32_t *slots, int count);

// world_presolve.c
// What the callback said about a contact in an earlier step is over.
void impi_pre_solve_reset(ImpWorld *world, int32_t contact);
// Call it for the contacts in `asked`, in order; then what they touch wakes, unless they were disabled.
void impi_pre_solve(ImpWorld *world);

// world_sensor.c
bool impi_shapes_touch(const ImpWorld *world, ImpShape a, ImpShape b); // any pieces of theirs
void impi_sweep_sensors(ImpWorld *world); // events of what went through a sensor within the step

// world_contact.c
// A number that was given takes the place of another; NaN: it was not.
static inline void impi_take_given(double *number, double given) { *number = isnan(given) ? *number : given; }
ImpMix impi_mix_known(const ImpiMix *mix);             // fixed numbers come before those of the callback
void impi_world_mix(ImpWorld *world, int32_t contact); // the materials of its two shapes
void impi_shape_mix(ImpWorld *world, int32_t shape);   // of all contacts of a shape
// world_material.c
void impi_mix_pairs(ImpWorld *world); // ask how materials mix of which shapes have come near
void impi_shape_finish_set_material(ImpWorld *world, int32_t shape, int32_t material);
void impi_materials_free(ImpiHeap *heap, ImpiMaterials *materials);

// world_filter.c
// Ask about those pairs of the broad phase about which nobody was asked yet, and about those that are to be judged anew.
ImpStatus impi_judge_pairs(ImpWorld *world);
// Whether the filter callback has refused this pair of shapes. A pair that nobody was asked about is not refused.
bool impi_pair_refused(const ImpWorld *world, int32_t shape_a, int32_t shape_b);
// The same, but who was not asked yet is asked now, inside a step: the arrays of bodies and shapes may move.
bool impi_pair_refuses(ImpWorld *world, int32_t shape_a, int32_t shape_b);
// What was answered about a shape holds no longer.
void impi_shape_finish_refilter(ImpWorld *world, int32_t shape, bool selective);

// world_sleep.c
void impi_body_set_awake(ImpWorld *world, int32_t body, bool awake);
void impi_world_wake(ImpWorld *world, int32_t body);            // and its sleeping island
void impi_world_wake_neighbours(ImpWorld *world, int32_t body); // all that touch it
void impi_shape_wake(ImpWorld *world, int32_t shape);           // its body, and all that touch the shape
// Put bodies to sleep whose islands have been at rest; advances the sleep timers by dt.
void impi_world_update_sleep(ImpWorld *world);

// world_kinematic.c
static inline bool impi_moves(const ImpiMotion *motion) { return motion->vx != 0 || motion->vy != 0 || motion->w != 0; }
void impi_kinematic_changed(ImpWorld *world, int32_t body);   // its velocity was set: awake or not, and who touches it
void impi_steer_drop(ImpWorld *world, int32_t body);          // no target any more; the velocity stays
void impi_steer_cancel(ImpWorld *world, int32_t body);        // the same; what is left of the last step's velocity goes
void impi_steer_forget_target(ImpWorld *world, int32_t body); // it will not go there
void impi_body_finish_move_to(ImpWorld *world, int32_t body, ImpVec2 to, const double *angle); // null: as it is
void impi_steer_begin(ImpWorld *world); // stages of the step: velocities to targets
void impi_steer_undo(ImpWorld *world);  // the step came to nothing
void impi_steer_end(ImpWorld *world);   // onto the targets themselves

// world_limits.c
ImpStatus impi_check_quota(int limit, int count, const char *what, const char *name);
static inline bool impi_body_is_limited(const ImpiBody *body) {
  return body->max_speed > 0 || body->max_angular_speed > 0;
}
ImpStatus impi_limits_begin(ImpWorld *world);         // stages of the step: whom largest speeds concern
void impi_limits_push(ImpiSolve *solve, double h);    // before forces of a substep h are added
void impi_limits_end(ImpiSolve *solve);               // when it is over
void impi_limits_meet(ImpWorld *world, int32_t body); // when the continuous stage has given it its velocity

// world_body.c, world_mass.c, world_pose.c, world_shape.c: the parts that run at once or at the step's end
ImpStatus impi_check_vector(ImpVec2 v, double limit, const char *what, const char *unit);
ImpStatus impi_check_not_ground(const ImpWorld *world, int32_t body, const char *what); // the world's own body stays
void impi_share_geometries(ImpWorld *world); // of all shapes, after others took their places
void impi_body_finish_destroy(ImpWorld *world, int32_t body);
void impi_body_finish_set_position(ImpWorld *world, int32_t body, ImpVec2 position);
void impi_body_finish_set_center(ImpWorld *world, int32_t body, ImpVec2 center);
void impi_body_finish_set_pose(ImpWorld *world, int32_t body, ImpVec2 position, double angle);
void impi_body_finish_set_type(ImpWorld *world, int32_t body, ImpBodyType type);
void impi_body_finish_set(ImpWorld *world, int32_t body, ImpBodyProperty property, double value);
void impi_body_finish_set_velocity(ImpWorld *world, int32_t body, ImpVec2 velocity);
void impi_body_change_velocity(ImpWorld *world, int32_t body, ImpVec2 velocity, double w); // wakes it if it differs
void impi_body_update_mass(ImpWorld *world, int32_t body);
void impi_body_gain_shape(ImpWorld *world, int32_t body, int32_t shape); // it was attached: the mass follows
void impi_body_lose_shape(ImpWorld *world, int32_t body, int32_t shape); // destroy it; the mass follows, the body wakes
void impi_shape_attached(ImpWorld *world, int32_t shape);                // for the sums of its body
void impi_shape_weighs_anew(ImpWorld *world, int32_t shape);             // its mass or size was set: the body's follow
// Room for the sums of a body that gets one more shape; for those of all bodies of a world, which may be another one than
// that of the sums. False when out of memory.
bool impi_body_reserve_sums(ImpWorld *world, int32_t body);
bool impi_sums_reserve_for(ImpiHeap *heap, ImpiShapeSums *sums, const ImpWorld *world);
// Bring the proxies of a body's shapes up to date with its pose.
void impi_body_refit(ImpWorld *world, int32_t body);
// The same for a list of bodies that are not static, which is lost.
void impi_bodies_refit(ImpWorld *world, int32_t *slots, int count);
// Its velocity has changed outside of a step: whether it is going to be fast; then its boxes reach ahead.
void impi_body_expect(ImpWorld *world, int32_t body);
// Drop the body's contacts (ends are reported).
void impi_body_drop_contacts(ImpWorld *world, int32_t body);
// A row at a body has come to no number: its neighbours that nothing moves stand still, whatever that told them.
void impi_still_neighbours(ImpWorld *world, int32_t body);
// The body's motion as a getter must see it now: inside a substep handler, that substep's.
ImpiMotion impi_body_motion(const ImpWorld *world, int32_t body);
// The same without a copy, which only a step needs; `own` is room for that.
static inline const ImpiMotion *impi_motion_now(const ImpWorld *world, int32_t body, ImpiMotion *own) {
  if (!world->stepping) {
    return &world->motions.data[body];
  }
  *own = impi_body_motion(world, body);
  return own;
}
// Why the setters of a body would refuse something; nothing is changed. Whether a body can be put there, and with
// `angle`, unless that is null, so turned; a push is a force, an impulse or, `turning`, a torque, and its point.
ImpStatus impi_body_check_teleport(const ImpWorld *world, int32_t body, ImpVec2 to, const double *angle,
                                   const char *what);
ImpStatus impi_body_check_property(const ImpWorld *world, int32_t body, ImpBodyProperty property, double value);
ImpStatus impi_body_check_velocity(const ImpWorld *world, int32_t body, ImpVec2 velocity);
ImpStatus impi_body_check_push(const ImpWorld *world, int32_t body, bool turning, double a, double b, double c,
                               double d);
ImpStatus impi_check_density(const ImpiBody *body, double density, double area, bool sensor);
// Whether the sums of masses and inertias are below IMPI_HUGE for a body of that type, if the shape `changed` (-1: none) had
// that density, and with one more shape, `added` (null: none), of that density. Else an error that names the body.
ImpStatus impi_check_mass(const ImpWorld *world, int32_t slot, ImpBodyType type, int32_t changed, const ImpiMass *added,
                          double density);
ImpStatus impi_check_one_way(ImpVec2 direction);
ImpStatus impi_shape_finish_attach(ImpWorld *world, int32_t shape);
void impi_shape_finish_destroy(ImpWorld *world, int32_t shape);
void impi_shape_finish_set_filter(ImpWorld *world, int32_t shape, uint64_t category, uint64_t mask);
void impi_shape_finish_set(ImpWorld *world, int32_t shape, ImpShapeProperty property, double value);
// What it hides of its neighbours, and they of it, may be something else now: their manifolds are found anew.
void impi_shape_hide_anew(ImpWorld *world, int32_t shape);
void impi_shape_finish_set_one_way(ImpWorld *world, int32_t shape, ImpVec2 direction);
void impi_shape_detach(ImpWorld *world, int32_t shape); // proxies and contacts away

// world_joint.c: making and removing joints
// Take a joint's edges, list place and serial; room was reserved by impi_joint_room. `bodies` are slots.
ImpStatus impi_joint_room(ImpWorld *world, int bodies, int drives);
int32_t impi_joint_add(ImpWorld *world, ImpiJoint fresh, const int32_t *bodies, int count);
// The joint acts: its bodies wake and, unless it lets them, meet no longer.
void impi_joint_attach(ImpWorld *world, int32_t joint);
void impi_joint_finish_destroy(ImpWorld *world, int32_t joint, bool tell); // tell: with an event
void impi_joint_finish_break(ImpWorld *world, int32_t joint);
void impi_joint_finish_set_drive(ImpWorld *world, int32_t joint, int coordinate, const ImpDrive *drive);
void impi_joint_doom(ImpWorld *world, int32_t joint); // inside a step: no handle finds it and its gears from now on
void impi_joint_wake(ImpWorld *world, int32_t joint); // all bodies it holds
bool impi_joint_is_asleep(const ImpWorld *world, const ImpiJoint *joint);
void impi_body_drop_joints(ImpWorld *world, int32_t body);
// Whether a joint keeps the two bodies from meeting.
bool impi_world_joined(const ImpWorld *world, int32_t body_a, int32_t body_b);
// "lower 2 is above upper 1" and the like; the text names the joint.
ImpStatus impi_check_drive(const ImpDrive *drive, const char *joint, const char *coordinate);

// world_joint_state.c
// All coordinates as a getter must see them now. Null when out of memory. Valid until the next call.
ImpStatus impi_coordinate_name(const ImpiJoint *joint, int index, const char **out_name);
bool impi_sample_joint(ImpWorld *world, const ImpiJoint *joint, ImpiSamples *out_samples); // also of one not yet added
bool impi_world_sample(ImpWorld *world, int32_t joint, ImpiSamples *out_samples);
// The samples of a coordinate's joint, or why there are none; the index is checked.
ImpStatus impi_coordinate_sample_of(const ImpWorld *world, int32_t joint, int coordinate, ImpiSamples *out_samples);
// Index of a joint's own coordinate, or an error that says where to look for `property`.
ImpStatus impi_own_coordinate(const ImpiJoint *joint, const char *property, int *out_index);
// The drives of a coordinate and its lock, those that wait for the end of the step included.
ImpDrive impi_drive_of(const ImpWorld *world, const ImpiJoint *joint, int coordinate);
double impi_sample_speed(const ImpWorld *world, const ImpiJoint *joint, const ImpiSamples *samples, int coordinate);
double impi_sample_mass(const ImpWorld *world, const ImpiJoint *joint, const ImpiSamples *samples, int coordinate);
ImpiEffortSum impi_coordinate_effort(const ImpWorld *world, const ImpiJoint *joint, int coordinate);
double impi_joint_energy(ImpWorld *world, int32_t joint);       // stored in its springs [J]
double impi_joint_rotor_energy(ImpWorld *world, int32_t joint); // kinetic energy of its rotors [J]
// The velocity of a body was set, not pushed, or it was stopped: rotors behind its joints take the speeds of their
// coordinates with the next step.
void impi_body_rotors_follow(ImpWorld *world, int32_t body);
// A body is about to be pushed: rotors behind its joints that were to follow have the present speeds of their
// coordinates.
void impi_body_rotors_start(ImpWorld *world, int32_t body);
// A rotor whose speed is unknown takes the present speed of its coordinate. Without memory it stays unknown.
void impi_start_rotor(ImpWorld *world, int32_t joint, int coordinate);
// The coordinate whose drive a setting of a joint belongs to; the drive and the number, or an error that says what to give.
int impi_joint_driven_coordinate(const ImpiJoint *joint, ImpJointProperty property);
ImpStatus impi_joint_find_setting(const ImpWorld *world, const ImpiJoint *joint, ImpJointProperty property,
                                  ImpDrive *out_drive, double **out_number);
ImpReaction impi_joint_reaction_of(const ImpWorld *world, int32_t joint);
// What a joint's strength is judged by: its reaction; of gears and constraints the largest force of a coordinate as both,
// for its unit may be that of a force or of a torque.
typedef struct ImpiLoad {
  double force, torque;
} ImpiLoad;
ImpiLoad impi_joint_load(ImpWorld *world, int32_t joint);

// step_joints.c: stages of the step
ImpStatus impi_update_joint_list(ImpWorld *world);
// Before what a joint bears or did is read: the solver may keep that to itself. -1: of all joints.
void impi_settle_joint(const ImpWorld *world, int32_t joint);
// Before something changes on which the rows of joints depend, or what they bear: all of it but poses and velocities.
void impi_joints_edited(ImpWorld *world);
void impi_wake_joined(ImpWorld *world);                                     // what hangs on an awake body is awake
void impi_break_joints(ImpWorld *world);                                    // work, breaks
bool impi_joint_holds_awake(const ImpWorld *world, const ImpiJoint *joint); // whether one of its bodies is awake
bool impi_joint_is_disabled(const ImpWorld *world, const ImpiJoint *joint); // whether one of its bodies is
void impi_report_open_joints(ImpWorld *world);                              // step_open.c

// world_field.c
void impi_fields_free(ImpWorld *world);
void impi_fields_forget(ImpWorld *world, int32_t body); // a body goes: no list of a field has it
// Make `listed` of the lists of fields, whose bodies are those of the world; false when out of memory.
bool impi_fields_list(ImpiHeap *heap, ImpWorld *world);
void impi_fields_unlist(ImpiHeap *heap, ImpWorld *world); // free it
// The next body that a field acts on, wherever that is, after one or -1; -1: it was the last.
int32_t impi_field_next_body(const ImpWorld *world, const ImpiForceField *field, int32_t body);

// step_fields.c: stages of the step
void impi_fields_wake(ImpWorld *world);       // what an explosion of this step reaches
void impi_fields_call(ImpWorld *world);       // the callback of dynamic fields, before a substep
ImpStatus impi_fields_begin(ImpWorld *world); // whom fields act on in this step
// What they do in h as they are at time t, and explosions until then.
void impi_fields_push(ImpiSolve *solve, double h, double t, double until);

// world_mover.c
void impi_movers_free(ImpWorld *world);
void impi_movers_close_gaps(const ImpWorld *world);    // before all are walked over: nobody sees where they lie
void impi_mover_forget(ImpWorld *world, int32_t body); // it goes: the mover whose body it is goes with it
void impi_mover_take_off(ImpiMover *mover);            // it stands no longer
// What it weighs on no longer weighs as it did.
void impi_mover_relieve(ImpWorld *world, ImpiMover *mover);
// Whether the contact is of a mover with a dynamic body below it: the mover's weight stands for it.
bool impi_mover_stands_on(const ImpWorld *world, const ImpiContact *contact);

// step_undo.c, beside what undo.h has
// Room for where bodies were before the step: where that ends early, a snapshot finds nothing that was never written.
bool impi_backup_reserve(ImpWorld *world);
void impi_note_culprit(ImpWorld *world, int32_t body, const char *stage);
// Whether these velocities, or changes of them, take a body out of the world within h.
bool impi_throws_out(const ImpiBody *body, double vx, double vy, double w, double h);

// world_fault.c
// A body whose numbers blew up is put back, stopped, taken out and named; after the rows felt it with what ratchets gained.
void impi_fault(ImpWorld *world, int32_t body, const ImpiMotion *last_good, const char *stage);
void impi_fault_put_back(ImpWorld *world, int32_t body, const ImpiMotion *last_good, const char *stage);
void impi_body_finish_enable(ImpWorld *world, int32_t body, bool enabled);

// step_movers.c: stage of the step
ImpStatus impi_movers_step(ImpWorld *world);
void impi_movers_undo(ImpWorld *world); // the step failed after it

// world_audit.c
void impi_audit_free(ImpWorld *world);
void impi_audit_start(ImpWorld *world);       // a new ledger from here on
ImpStatus impi_audit_before(ImpWorld *world); // around the solver of a step
void impi_audit_after(ImpWorld *world);
// Afterwards: energy that the continuous stage has changed, by a contact (-1: by none) [J].
void impi_audit_enter(ImpWorld *world, ImpEnergyCause cause, double joules, int32_t contact);

// snapshot.c
ImpWorld *impi_restore_world(const ImpRestore *restore);

// commands.c
ImpStatus impi_queue(ImpWorld *world, ImpiCommand command);
void impi_run_commands(ImpWorld *world);
// Inside a step: records for the first drives of all joints that act.
bool impi_reserve_first_drives(ImpWorld *world);
// The step is over: records of drives that were released within it are free.
void impi_free_emptied_drives(ImpWorld *world);
// The list of the last commands of a kind by slot; null of kinds that nobody looks up.
ImpiLastCommands *impi_last_commands_of(const ImpWorld *world, ImpiCommandKind kind);
// The last queued command that sets a filter of a shape, or drives of a joint; null without one.
const ImpiCommand *impi_last_command(const ImpWorld *world, ImpiCommandKind kind, int32_t slot);
// The drive that was last set on a coordinate inside this step, queued to its end; null without one.
const ImpDrive *impi_queued_drive(const ImpWorld *world, int32_t joint, int coordinate);

// world_seam.c
ImpiSeamFinder impi_world_seams(const ImpWorld *world);

// world_border.c: call when a shape has been attached, and when shapes are no more so; when all have been read.
void impi_borders_attach(ImpWorld *world, int32_t shape);
void impi_borders_free(ImpiHeap *heap, ImpiShape *shape);
void impi_borders_restore(ImpWorld *world);

void impi_report_impacts(ImpWorld *world);    // step_impacts.c: what contacts worked, who met, who was hit
ImpStatus impi_update_pairs(ImpWorld *world); // step_pairs.c: contacts for new pairs of boxes

// Whether one of its bodies could move and sleeps.
static inline bool impi_contact_has_sleeper(const ImpWorld *world, const ImpiContact *contact) {
  const ImpiBody *a = &world->bodies.data[contact->body_a], *b = &world->bodies.data[contact->body_b];
  return (impi_is_dynamic(a) && !a->awake) || (impi_is_dynamic(b) && !b->awake);
}

// step_lists.c: stages of the step
ImpStatus impi_update_lists(ImpWorld *world);  // the awake bodies and the contacts with an awake side, each by slot
ImpStatus impi_gather_active(ImpWorld *world); // the contacts that make rows, and the bodies that they hold
bool impi_contact_acts(const ImpWorld *world, const ImpiContact *contact); // whether it has rows in this step

// step_contacts.c: stages of the step, in this order
// Room for all that the stages below need; false when out of memory.
bool impi_contacts_reserve(ImpWorld *world);
// Manifolds; begin and end; what is touched wakes. False when out of memory: the step may be tried again.
bool impi_update_contacts(ImpWorld *world);
void impi_wake_sleeper(ImpWorld *world, const ImpiContact *contact); // who sleeps on either side of it

// A number inside a property's range, finite, integral where asked; else an error that names owner and property.
ImpStatus impi_check_property(const ImpPropertyInfo *info, double value, const char *owner);

#endif
