// The world: the data behind the step and the API.
#ifndef IMPI_WORLD_H
#define IMPI_WORLD_H

#include "base/names.h"
#include "base/pool.h"
#include "base/task.h"
#include "geometry/broadphase.h"
#include "geometry/shape_sums.h"
#include "model/contact.h"
#include "model/contact_points.h"
#include "model/ledger.h"
#include "model/material.h"
#include "model/solver.h"
#include "solvers/undo.h"
#include "world/callback_state.h"
#include "world/contact_state.h"
#include "world/continuous_state.h"
#include "world/field_state.h"
#include "world/joint_state.h"
#include "world/mover_state.h"
#include "world/report_state.h"
#include "world/step_state.h"

struct ImpWorld {
  struct ImpiRecorder *recorder; // null: the world is not recorded; must be the first member, see record.h
  ImpRecording recording;        // the recording under way, or the last one if no recording is under way
  ImpiHeap heap;
  uint32_t tag; // tag in the handles of this world
  ImpiSettings settings;
  ImpSolverKind solver, solved_by; // solved_by: solver of the last step
  bool sleep_enabled, continuous, smooth_internal_edges;
  bool has_callbacks; // some shape was selective or had pre_solve set, so callbacks may be called
  int threads;
  ImpiTeam team;                                        // threads of the step under way
  int max_bodies, max_shapes, max_joints, max_contacts; // 0: no limit
  double hit_speed;
  double continuous_part;   // a body is swept if displacement in the step / inner radius exceeds this, see impi_stride
  uint64_t seed, random[4]; // `random`: state of xoshiro256**
  uint64_t tick;
  double time;      // time_base + (tick - tick_base) dt, so that rounding does not accumulate [s]
  double time_base; // time and tick when dt was last changed
  uint64_t tick_base;

  // Bodies, shapes and contacts, by slot.
  ImpiPool body_pool, shape_pool, contact_pool, joint_pool;
  IMPI_ARRAY(ImpiBody) bodies;
  IMPI_ARRAY(ImpiMotion) motions;
  IMPI_ARRAY(ImpiShape) shapes;
  IMPI_ARRAY(ImpiContact) contacts;
  ImpiPointStore points;    // points of contacts
  ImpiShapeSums shape_sums; // sums over the shapes of bodies with many shapes; derived data
  // Slots of shapes with new geometries, newest first. Equal geometries are shared.
  int32_t alike[8];
  int32_t first_body, last_body;     // first and last body in creation order
  ImpiNames body_names, joint_names; // built by the first lookup of a name; derived data
  uint64_t body_serial, shape_serial, joint_serial;
  int32_t ground;   // slot of the ground body, which is in no list and has serial 0; -1: not created yet
  int32_t bouncing; // number of shapes with restitution
  ImpiMaterials materials;
  bool unmixed;         // the mix callback was not called yet for the materials of some shapes that are near each other
  uint64_t step_bodies; // serial of the last body that existed when the step began
  uint64_t step_shapes; // serial of the last shape that existed when the step began
  uint64_t step_joints; // serial of the last joint that existed when the step began

  // Joints by slot, and their edges and drives.
  IMPI_ARRAY(ImpiJoint) joints;
  IMPI_ARRAY(ImpiJointEdge) joint_edges; // by ImpiJoint.first_edge
  IMPI_ARRAY(ImpiDrive) drives;          // by ImpiCoordinate.drive
  int32_t first_joint, last_joint;       // first and last joint in creation order
  ImpiBroadphase broadphase;

  // Derived lists, rebuilt by the step when `lists_dirty` is true.
  bool lists_dirty;
  IMPI_ARRAY(int32_t) awake;     // bodies that the step integrates, in slot order
  IMPI_ARRAY(ImpiMotion) backup; // motions of the awake bodies when the step began, in the order of `awake`
  // By slot: whether the body was teleported since draw_poses.c last stored poses. Empty if poses were never stored.
  IMPI_ARRAY(uint8_t) placed;

  bool stepping; // inside imp_world_step
  ImpiSolve solve;
  void *scratch[IMP_SOLVER_COUNT];
  double stiffest;     // largest stiffness of the soft solver's rows in the last step [Hz], 0: no step yet
  double last_dt;      // length of the last step, by which impulses are divided to get forces [s]; 0: no step yet
  double impulse_step; // length of the substep that computed the stored impulses [s]; 0: no step yet
  double work_joints, work_contacts; // work done since the world was created [J]
  ImpiUndo undo;                     // undo data of the solve under way

  ImpiAuditState audit; // valid while settings.auditing is set

  uint64_t pose_stamp; // changes whenever the poses that callbacks read may change, also inside a step
  ImpiQueryState query;
  ImpProfile profile;

  ImpiCallbackState callback;
  ImpiFilterState filter;
  ImpiSensorState sensor;
  ImpiNarrowPhase narrow;
  ImpiTouchingLists touching;
  ImpiContinuousStage ccd;
  ImpiSleepState sleep;
  ImpiSubstepState substep;
  ImpiPushState push;
  ImpiCommandQueue queue;
  ImpiJointState joint;
  ImpiFieldState field;
  ImpiMoverState mover;
  ImpiRowLists row;
  ImpiEventState event;
};

#define IMPI_HASH_PARTS 4

uint64_t impi_world_hash_parts(const ImpWorld *world, unsigned char *parts);

// Return the time at the end of the current or next step [s].
static inline double impi_time_after(const ImpWorld *world) {
  return world->time_base + (double)(world->tick - world->tick_base + 1) * world->settings.dt;
}

// Return the length of the step by which impulses are divided to get forces [s].
static inline double impi_last_dt(const ImpWorld *world) {
  return world->stepping || world->last_dt == 0 ? world->settings.dt : world->last_dt;
}

// Return the handle of the object in a slot.
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
  return (ImpField){impi_pool_id(&world->field.pool, slot, world->tag)};
}

// Find the slot of a handle, or return an error from the calling function.
#define IMPI_FIND_BODY(world, handle, slot) \
  int32_t slot = impi_pool_find(&(world)->body_pool, (handle).id, (world)->tag); \
  if (slot < 0) return impi_pool_fail((handle).id, (world)->tag, "body")

#define IMPI_FIND_SHAPE(world, handle, slot) \
  int32_t slot = impi_pool_find(&(world)->shape_pool, (handle).id, (world)->tag); \
  if (slot < 0) return impi_pool_fail((handle).id, (world)->tag, "shape")

#define IMPI_FIND_FIELD(world, handle, slot) \
  int32_t slot = impi_pool_find(&(world)->field.pool, (handle).id, (world)->tag); \
  if (slot < 0) return impi_pool_fail((handle).id, (world)->tag, "field")

#define IMPI_FIND_JOINT(world, handle, slot) \
  int32_t slot = impi_pool_find(&(world)->joint_pool, (handle).id, (world)->tag); \
  if (slot < 0) return impi_pool_fail((handle).id, (world)->tag, "joint")

#endif
