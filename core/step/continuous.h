// Continuous collision: time-of-impact events of bodies that move far in a step.
#ifndef IMPI_CONTINUOUS_H
#define IMPI_CONTINUOUS_H

#include "base/constants.h"
#include "geometry/toi.h"
#include "world/travel.h"

// Return the sweep of a body from the pose `at` over the displacement `rest` [m, rad] (in vx, vy and w).
static inline ImpiSweep impi_sweep_of(const ImpiBody *body, const ImpiMotion *at, const ImpiMotion *rest) {
  return (ImpiSweep){.local_center = body->local_center,
                     .c0 = {at->x, at->y},
                     .c1 = {at->x + rest->vx, at->y + rest->vy},
                     .a0 = at->angle,
                     .a1 = at->angle + rest->w};
}

// Return true if the continuous stage handles contacts of two bodies: a bullet with any body, or a dynamic body with a
// static or kinematic body.
static inline bool impi_stage_looks_at(const ImpiBody *a, const ImpiBody *b) {
  return !(impi_is_dynamic(a) && impi_is_dynamic(b)) || a->bullet || b->bullet;
}

// Return true if the continuous stage handles the pair and one of the two is fast.
static inline bool impi_pair_is_swept(const ImpWorld *world, int32_t body_a, int32_t body_b) {
  if (!world->ccd.expects_toi_events || !world->continuous) {
    return false;
  }
  const ImpiBody *a = &world->bodies.data[body_a], *b = &world->bodies.data[body_b];
  return (a->fast || b->fast) && impi_stage_looks_at(a, b);
}

// Return the margin of a contact's manifold [m]: points with a larger separation make no rows. For a wheel or
// a body with joints, the margin covers the relative motion in a step. For other touching bodies, the margin covers the
// rotation in a step.
double impi_margin_ahead(const ImpWorld *world, const ImpiContact *contact);

// Remove points from a fast body's manifold, in favour of the continuous stage: points that do not touch yet and
// approach fast, and all points if the two pieces will not touch in the step. A wheel at a corner keeps all points. A
// body with joints keeps fast points.
void impi_leave_to_stage(const ImpWorld *world, ImpiContact *contact);

// Reserve memory for the time-of-impact events of the coming step and for the clearance cache. False when out of
// memory.
bool impi_continuous_reserve(ImpWorld *world);

// Run the continuous stage. Returns true if it moved a body. Before the call, ImpiContinuousStage.swept contains the
// slots of the awake bodies that moved far, and ImpiBody.swept of these bodies is true.
bool impi_continuous(ImpWorld *world);

// Return the motion of a body at the beginning of the step. Valid within the stage.
static inline const ImpiMotion *impi_start_of(const ImpWorld *world, int32_t body) {
  int place = world->ccd.awake_places.data[body];
  bool there = place < world->awake.count && world->awake.data[place] == body;
  return there ? &world->backup.data[place] : &world->motions.data[body];
}

// ---------------------------------------------------------------------------------------------------------------------
// Shared by the files continuous*.c
// ---------------------------------------------------------------------------------------------------------------------

// Upper bound of the displacement of a body's points in the step, in the axes of a kinematic body [m].
double impi_travel_against(const ImpWorld *world, int32_t slot, int32_t sweeper);

// Largest number of time-of-impact events of a body in a step. A body with more stops until the next step.
#define IMPI_MAX_TOI_EVENTS 32

// A body that the continuous stage moves along its path.
typedef struct ImpiSweptBody {
  int32_t slot;
  double time;                         // time that the body has reached, as a fraction of the step
  ImpiMotion at;                       // pose at `time`, with the velocity at the end of the step
  ImpiMotion rest;                     // remaining displacement, in vx, vy and w [m, rad]
  ImpiMotion gain;                     // change of velocity over the step by forces, in vx, vy and w
  double lag;                          // velocity at time t of the step: end velocity - (1 - t - lag) * gain
  double depth;                        // penetration allowed while the body slides [m]
  double core;                         // other pieces stay outside of this radius around a piece's centroid [m]
  bool slides;                         // contacts or joints act on the body
  bool bullet;                         // the body collides with dynamic bodies, too: a bullet, or hit by a bullet
  bool known;                          // `gain`, `lag` and `slides` are computed
  int met;                             // number of events of the body in this step
  ImpiPair pairs[IMPI_MAX_TOI_EVENTS]; // for each of the `met` events: own proxy, and proxy that was hit
} ImpiSweptBody;

// A time-of-impact event of a body.
typedef struct ImpiToiEvent {
  int32_t own, other;             // bodies, by slot
  int32_t own_proxy, other_proxy; // -1: none
  double time;                    // time of the event, as a fraction of the step
  bool plain;                     // internal edges act like other edges
  // Point and normal of the closest features, in world axes. The normal points away from body `other`.
  ImpVec2 point, normal;
  ImpiMotion at, other_at;     // pose and velocity of both bodies at `time`
  ImpiMotion rest, other_rest; // remaining displacements, in vx, vy and w [m, rad]
  double work;                 // sum of the work of impulses [J]
} ImpiToiEvent;

// Displacement between two poses; pose after a part of a displacement; box around a piece on its sweep; box around a
// body at a pose, for any rotation.
ImpiMotion impi_way_between(const ImpiMotion *start, const ImpiMotion *end);
ImpiMotion impi_advance(ImpiMotion at, const ImpiMotion *way, double part);
ImpAabb impi_swept_box(const ImpiHull *hull, const ImpiSweep *sweep);
ImpAabb impi_turning_box(const ImpiBody *body, const ImpiMotion *at);
// Largest distance of a point from the chord of its arc, for a lever [m] and a turn [rad].
static inline double impi_arc_height(double lever, double turn) { return lever * impi_min(0.125 * turn * turn, 2); }

// Return true if a piece of a sweeping kinematic body may be in `box` at some time of the step. `out_near`: the box in
// which such a piece is at the end of the step
bool impi_sweeper_reaches(const ImpWorld *world, int32_t slot, ImpAabb box, ImpAabb *out_near);
// Return the record of a dynamic body's impacts in this step, or null.
ImpiHitBody *impi_hit_body_of(const ImpWorld *world, int32_t slot);
// Reserve the clearance cache for every body. False when out of memory.
bool impi_clearances_reserve(ImpWorld *world);
// Clear the clearance cache if static pieces have changed.
void impi_clearances_check(ImpWorld *world);
// Return true if boxes alone show that a body hits nothing on its path through the step.
bool impi_path_is_free(ImpWorld *world, int32_t slot);
// Find the first event on the remaining path. Returns false if the path is free.
bool impi_first_toi_event(ImpWorld *world, ImpiSweptBody *mover, ImpiToiEvent *out_toi_event);
// Compute `gain`, `lag` and `slides` when they are first needed.
void impi_swept_body_update(const ImpWorld *world, ImpiSweptBody *mover);

typedef enum ImpiOutcome {
  IMPI_OUTCOME_STOP,  // no impulse can act: the body stops until the next step
  IMPI_OUTCOME_REST,  // the body stays in contact
  IMPI_OUTCOME_BOUNCE // the body bounces off
} ImpiOutcome;

// Number of contacts of an event for which memory is reserved.
#define IMPI_TOI_CONTACTS 8

// Pieces within this distance of the body are hit at the same time [m].
#define IMPI_TOGETHER 0.001

// Compute the manifold of two proxies at the poses of an event, in world axes. Proxy a is the one whose shape was
// created first; points are relative to the centre of mass of its body. Returns false if the two do not touch.
bool impi_toi_manifold(ImpWorld *world, const ImpiToiEvent *toi_event, ImpiLocalManifold *out_manifold);

// Write the contacts of an event to ImpiContinuousStage.toi_contacts: first the pair of the event, then all other pairs
// of the body's pieces with pieces that touch at that time. False when out of memory.
bool impi_find_toi_contacts(ImpWorld *world, ImpiSweptBody *mover, const ImpiToiEvent *toi_event);

// Apply the impulses of an event at all its contacts. Writes the new velocities to `toi_event->at` and to `full` of the
// contacts, and the body's remaining displacement to `toi_event->rest`. Adds the impulses to the contacts of the world,
// which are created if missing.
ImpiOutcome impi_solve_toi_event(ImpWorld *world, ImpiSweptBody *mover, ImpiToiEvent *toi_event);

#endif
