// Character movers: touches of a mover's hull with obstacles, the planes that the touches define, the shortest
// displacement that obeys all planes, and how far the mover can go straight.
//
// A touch of two convex pieces defines a plane between them: a mover in front of it cannot overlap the obstacle. A
// mover therefore goes from touch to touch: the planes of obstacles nearby give its direction, a cast gives the
// distance, and it never passes through anything.
#ifndef IMPI_MOVER_H
#define IMPI_MOVER_H

#include "geometry/shape.h"

// Priorities of planes for a mover that cannot obey all: planes of dynamic bodies are dropped first, then those of
// kinematic bodies; planes of static bodies are never dropped.
typedef enum ImpiTier { IMPI_TIER_STATIC, IMPI_TIER_KINEMATIC, IMPI_TIER_DYNAMIC } ImpiTier;

typedef struct ImpiObstacle {
  const ImpiHull *hull;
  ImpTransform begin, end;    // poses at the start and the end of the step
  int32_t body, shape, child; // slots of the body and of the shape, index of the piece
  uint64_t serial;            // serial of the shape
  ImpiTier tier;
  bool moves;                // begin and end differ
  bool open_start, open_end; // chain link: no link before it (open_start), no link after it (open_end)
  bool near;                 // the obstacle defines one of the planes between which the mover moves now
  double separation;         // separation from the mover at the last query of a touch [m]
} ImpiObstacle;

typedef struct ImpiTouch {
  ImpVec2 normal;    // unit vector from the obstacle to the mover
  ImpVec2 point;     // point on the obstacle's surface [m]
  double separation; // [m]
  ImpVec2 face;      // normal of the obstacle's face there; at a corner: normal of the more level of the two faces
  bool flat;         // the mover touches a face, not a corner
} ImpiTouch;

// Compute the touch (closest points and normal) of a piece with the pose `at` and the mover's hull with its feet at
// `feet`. Return false if they cannot touch: the mover is behind a one-sided link or, with `strict`, at a corner where
// the neighbouring link has the touch.
bool impi_mover_touch(const ImpiObstacle *obstacle, ImpTransform at, const ImpiHull *hull, ImpVec2 feet, bool strict,
                      ImpiTouch *out_touch);

// Return whether the hull, moving along `travel`, comes nearer to the obstacle than `clearance` [m] before the fraction
// max_fraction of the way; if so, write the fraction and the touch there. The method is conservative advancement: the
// plane of each touch gives a distance that the hull can move safely.
bool impi_mover_cast(const ImpiObstacle *obstacle, ImpTransform at, const ImpiHull *hull, ImpVec2 feet, ImpVec2 travel,
                     double clearance, double max_fraction, double *out_fraction, ImpiTouch *out_touch);

// A contact of a mover, stored from step to step. serial 0: none.
typedef struct ImpiMoverContact {
  uint64_t serial; // serial of the shape
  int32_t body, shape, child;
  bool flat;                   // see ImpiTouch
  ImpVec2 local, local_normal; // point and normal in the body's frame
  ImpVec2 point, normal, face; // contact in the world, at the end of the step
  ImpVec2 velocity;            // velocity of the shape at the point [m/s]
} ImpiMoverContact;

typedef struct ImpiMover {
  double value[IMP_MOVER_PROPERTY_COUNT];
  int32_t body;
  ImpVec2 own; // velocity of the mover: relative to the ground while it stands, else in the world [m/s]
  // position at the end of the last step; if the present position differs, the caller has moved the mover since
  ImpVec2 feet;
  // height of the ground on which the mover last stood [m]; not updated on the edge of a step that it climbs or
  // descends
  double base;
  double drop_time; // time for which one-way shapes still let the mover pass [s]
  double press;     // impulse of the mover's weight on a dynamic body in the last step [N s]
  // vertical velocity of this dynamic body at the point of contact, before the last step, upward positive [m/s]
  double fall_speed;
  ImpiMoverContact ground, wall, ceiling;
  // contact with the dynamic body on which the mover's weight acts; stored when that body was last awake
  ImpiMoverContact pressed;
} ImpiMover;

// Constraint on the displacement x of the mover: normal . x >= bound.
typedef struct ImpiPlane {
  ImpVec2 normal;
  double bound; // [m]
  ImpiTier tier;
} ImpiPlane;

// Find the x nearest to `target` that obeys all planes up to a tier. Return false if no x does.
bool impi_planes_solve(const ImpiPlane *planes, int count, ImpiTier tier, ImpVec2 target, ImpVec2 *out_x);
// Find the x nearest to `target` that obeys the planes of as many tiers as possible. If even static planes contradict
// each other, relax all static planes by the smallest sufficient amount: x then does not lead deeper into any static
// obstacle. Return the first tier whose planes are not obeyed; -1: all are obeyed.
int impi_planes_nearest(const ImpiPlane *planes, int count, ImpVec2 target, ImpVec2 *out_x);

#endif
