// The world: what the step and the API functions see. Everything below it takes explicit arrays.
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
  uint64_t body_serial, shape_serial, joint_serial;
  int32_t ground;   // the world's own static body, -1 before it is asked for; in no list, serial 0
  int32_t bouncing; // shapes that have restitution
  ImpiMaterials materials;
  bool unmixed;         // shapes have come near each other whose materials the callback was not asked about
  uint64_t step_bodies; // serial of the last body that was there when the step began
  uint64_t step_shapes; // of the last shape
  uint64_t step_joints; // of the last joint

  // Joints by slot, and what hangs on them.
  IMPI_ARRAY(ImpiJoint) joints;
  IMPI_ARRAY(ImpiJointEdge) joint_edges; // by ImpiJoint.first_edge
  IMPI_ARRAY(ImpiDrive) drives;          // by ImpiCoordinate.drive
  int32_t first_joint, last_joint;       // creation order
  ImpiBroadphase broadphase;

  // Derived lists, rebuilt by the step when `lists_dirty`.
  bool lists_dirty;
  IMPI_ARRAY(int32_t) awake;     // bodies that the step integrates, by slot
  IMPI_ARRAY(ImpiMotion) backup; // of the awake bodies at the step's start, in the order of `awake`
  IMPI_ARRAY(uint8_t) placed;    // by slot: it was teleported since poses were stored, see draw_poses.c; empty before

  bool stepping; // inside imp_world_step
  ImpiSolve solve;
  void *scratch[IMP_SOLVER_COUNT];
  double stiffest;                   // soft: how stiff its rows were at most in the last step [Hz], 0: no step yet
  double last_dt;                    // length of the last step: what its impulses are divided by [s], 0: none yet
  double impulse_step;               // substep that the kept impulses are of [s], 0: none yet
  double work_joints, work_contacts; // done since the world was made [J]
  ImpiUndo undo;                     // of the solve under way

  ImpiAuditState audit; // while settings.auditing

  uint64_t pose_stamp; // changes whenever callbacks may see bodies at other places, inside a step too
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
  return (ImpField){impi_pool_id(&world->field.pool, slot, world->tag)};
}

// The slot behind a handle, or the status of why not. The macros return from the calling function.
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
