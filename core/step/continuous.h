// Continuous collision: what moves far in a step meets what is in its way.
#ifndef IMPI_CONTINUOUS_H
#define IMPI_CONTINUOUS_H

#include "base/constants.h"
#include "geometry/toi.h"
#include "world/travel.h"

// A way from a pose; `rest` in the place of velocities [m, rad].
static inline ImpiSweep impi_sweep_of(const ImpiBody *body, const ImpiMotion *at, const ImpiMotion *rest) {
  return (ImpiSweep){.local_center = body->local_center,
                     .c0 = {at->x, at->y},
                     .c1 = {at->x + rest->vx, at->y + rest->vy},
                     .a0 = at->angle,
                     .a1 = at->angle + rest->w};
}

// Whether contacts of two bodies are among those that the stage looks at: bullets', and those of a dynamic body and another
// that is not.
static inline bool impi_stage_looks_at(const ImpiBody *a, const ImpiBody *b) {
  return !(impi_is_dynamic(a) && impi_is_dynamic(b)) || a->bullet || b->bullet;
}

// The same of a pair of which one is fast. Where nothing is, that is told by the first compare.
static inline bool impi_pair_is_swept(const ImpWorld *world, int32_t body_a, int32_t body_b) {
  if (!world->ccd.expects_meeting || !world->continuous) {
    return false;
  }
  const ImpiBody *a = &world->bodies.data[body_a], *b = &world->bodies.data[body_b];
  return (a->fast || b->fast) && impi_stage_looks_at(a, b);
}

// How far apart a body's pieces may be from others to make rows [m]: a step's way ahead if it has joints or is a wheel, or
// if the two touch already, as a plank does that tips over onto its side.
double impi_margin_ahead(const ImpWorld *world, const ImpiContact *contact);

// Whether a fast body's rows with a piece are left to the stage: points that it does not touch yet and is going to reach,
// as its way goes now, or that it passes by. A row would hold it off the whole plane of an edge, also beside the edge.
// Points that come slowly and meet keep their rows, and so do bodies with joints, for their joints must know, and wheels at
// corners.
void impi_leave_to_stage(const ImpWorld *world, ImpiContact *contact);

// Room for the meetings of the step that begins, and for what is known of surroundings. A meeting that more touches, or of
// what becomes fast in the step, takes it when it comes, and if there is none the body waits for the next step. False: out of
// memory.
bool impi_continuous_reserve(ImpWorld *world);

// The stage: `world->swept` has the awake bodies that moved far, by slot, and they are marked so. Whether any met something
// and has been moved.
bool impi_continuous(ImpWorld *world);

// Where the step found a body, within the stage, which has noted the places of awake bodies.
static inline const ImpiMotion *impi_start_of(const ImpWorld *world, int32_t body) {
  int place = world->ccd.awake_places.data[body];
  bool there = place < world->awake.count && world->awake.data[place] == body;
  return there ? &world->backup.data[place] : &world->motions.data[body];
}

// ---------------------------------------------------------------------------------------------------------------------
// Between the continuous*.c
// ---------------------------------------------------------------------------------------------------------------------

// How far a body has gone against a kinematic one in the step, as that one sees it: an upper bound for all its points [m].
double impi_travel_against(const ImpWorld *world, int32_t slot, int32_t broom);

// Most meetings of a body in a step. More: in a wedge, or fast between near walls, it waits for the next step.
#define IMPI_MEETINGS 32

// A body on its way.
typedef struct ImpiTraveller {
  int32_t slot;
  double time;                   // where it is on it, part of the step
  ImpiMotion at;                 // its pose then; its velocity at the step's end as things stand
  ImpiMotion rest;               // what is left of the way, in the place of velocities [m, rad]
  ImpiMotion gain;               // of velocity over the step by forces, in the place of velocities
  double lag;                    // by which velocities are late, part of the step
  double depth;                  // that it may sink in while it slides [m]
  double core;                   // radius about its middle that stays out in any case [m]
  bool slides;                   // something bears it
  bool bullet;                   // it meets dynamic bodies, too: a bullet, or one that a bullet has hit
  bool known;                    // what it has been given by rows: `gain`, `lag` and `slides`
  int met;                       // in this step
  ImpiPair pairs[IMPI_MEETINGS]; // own proxy, other proxy
} ImpiTraveller;

// A body on its way and what it meets.
typedef struct ImpiMeeting {
  int32_t own, other;             // bodies, by slot
  int32_t own_proxy, other_proxy; // -1: nothing
  double time;                    // part of the step
  bool plain;                     // seams hide nothing of it
  ImpVec2 point, normal;          // of the closest features then, from the other to the body, world
  ImpiMotion at, other_at;        // pose and velocity of both then
  ImpiMotion rest, other_rest;    // what is left of their ways, in the place of velocities [m, rad]
  double work;                    // that impulses have done, summed [J]
} ImpiMeeting;

// From pose to pose, the pose after a part of it, and all that a piece touches on it.
ImpiMotion impi_way_between(const ImpiMotion *start, const ImpiMotion *end);
ImpiMotion impi_advance(ImpiMotion at, const ImpiMotion *way, double part);
ImpAabb impi_swept_box(const ImpiHull *hull, const ImpiSweep *sweep);
ImpAabb impi_turning_box(const ImpiBody *body, const ImpiMotion *at);
// By how much at most a point leaves the chord of its arc, for a lever [m] and a turn [rad].
static inline double impi_arc_height(double lever, double turn) { return lever * impi_min(0.125 * turn * turn, 2); }

// Where a piece of a kinematic body that goes far is at the end of its way, if it was in a box anywhere on it; false: none
// was.
bool impi_broom_reaches(const ImpWorld *world, int32_t slot, ImpAabb box, ImpAabb *out_near);
// The blow that a dynamic body has had in this step; null: none.
ImpiStruck *impi_struck_of(const ImpWorld *world, int32_t slot);
// Room for what is known of the surroundings of every body. False: out of memory.
bool impi_clearings_reserve(ImpWorld *world);
// Forget what is known of static pieces when they have changed.
void impi_clearings_check(ImpWorld *world);
// Whether a body meets nothing on its way through the step by the boxes of what it might meet, which costs little.
bool impi_way_is_free(ImpWorld *world, int32_t slot);
// The first on what is left of the way; false: there is none.
bool impi_first_meeting(ImpWorld *world, ImpiTraveller *mover, ImpiMeeting *out_meeting);
// What rows have given to a body in this step. Most never need it: their contacts are not looked at.
void impi_know_traveller(const ImpWorld *world, ImpiTraveller *mover);

typedef enum ImpiOutcome {
  IMPI_OUTCOME_STOP,  // no impulse can act now: the body waits where it is, and the next step's rows see it there
  IMPI_OUTCOME_REST,  // it stays in touch with what it met
  IMPI_OUTCOME_BOUNCE // it leaves
} ImpiOutcome;

// How many pairs touch in most meetings.
#define IMPI_STRIKES 8

// How far apart pieces may be that are met at the same time [m].
#define IMPI_TOGETHER 0.001

// The manifold of two proxies at given poses of their bodies, in world axes: a is the proxy whose shape is older. Points
// are from a's centre of mass. False: no points, they do not touch there after all.
bool impi_meeting_manifold(ImpWorld *world, const ImpiMeeting *meeting, ImpiLocalManifold *out_manifold);

// Into `world->strikes`: the two that meet, then all other pairs of the body's pieces with others that touch at that
// time. False: out of memory.
bool impi_find_strikes(ImpWorld *world, ImpiTraveller *mover, const ImpiMeeting *meeting);

// Impulses of the meeting, of all that touches: `at` and those of the touches get their velocities after it, `rest` is the
// way that the body goes on. They are entered with the contacts, which are made where there are none.
ImpiOutcome impi_meet(ImpWorld *world, ImpiTraveller *mover, ImpiMeeting *meeting);

#endif
