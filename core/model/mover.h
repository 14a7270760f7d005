// Character movers: touches of a mover's hull with obstacles, the planes of the touches, the shortest displacement that
// obeys all planes, and how far the mover can go straight.
//
// A touch of two convex pieces defines a plane between them. A mover in front of the plane cannot overlap the obstacle.
// The planes of near obstacles give the mover's direction, a cast gives the distance.
#ifndef IMPI_MOVER_H
#define IMPI_MOVER_H

#include "geometry/shape.h"

// Priorities of planes. If a mover cannot obey all planes, planes of dynamic bodies are dropped first, planes of
// kinematic bodies next; planes of static bodies are never dropped.
typedef enum ImpiTier { IMPI_TIER_STATIC, IMPI_TIER_KINEMATIC, IMPI_TIER_DYNAMIC } ImpiTier;

typedef struct ImpiObstacle {
  const ImpiHull *hull;
  ImpTransform begin, end;    // poses at the start and the end of the step
  int32_t body, shape, child; // slots of the body and of the shape, index of the piece
  uint64_t serial;            // creation number of the shape
  ImpiTier tier;
  bool moves;                // `begin` and `end` differ
  bool open_start, open_end; // chain link: no link before it (open_start), no link after it (open_end)
  bool near;                 // one of the planes of the current slide comes from this obstacle
  double separation;         // separation from the mover at the last touch query [m]
} ImpiObstacle;

typedef struct ImpiTouch {
  ImpVec2 normal;    // unit vector from the obstacle to the mover
  ImpVec2 point;     // point on the obstacle's surface [m]
  double separation; // [m]
  ImpVec2 face;      // normal of the obstacle's face at `point`; at a corner: of the more level face
  bool flat;         // the mover touches a face, not a corner
} ImpiTouch;

// Compute the touch (closest points and normal) of a piece with the pose `at` and the mover's hull with its feet at
// `feet`. Return false if the mover is behind a one-sided link, or, with `strict`, at a corner where the adjacent link
// has the touch.
bool impi_mover_touch(const ImpiObstacle *obstacle, ImpTransform at, const ImpiHull *hull, ImpVec2 feet, bool strict,
                      ImpiTouch *out_touch);

// Return whether the hull, moving along `travel`, comes nearer to the obstacle than `clearance` [m] before the fraction
// max_fraction; if so, write the fraction and the touch. Conservative advancement: the plane of each touch gives a safe
// distance.
bool impi_mover_cast(const ImpiObstacle *obstacle, ImpTransform at, const ImpiHull *hull, ImpVec2 feet, ImpVec2 travel,
                     double clearance, double max_fraction, double *out_fraction, ImpiTouch *out_touch);

// A contact of a mover, stored from step to step. serial 0: none.
typedef struct ImpiMoverContact {
  uint64_t serial; // creation number of the shape
  int32_t body, shape, child;
  bool flat;                   // see ImpiTouch
  ImpVec2 local, local_normal; // point and normal in the body's frame
  ImpVec2 point, normal, face; // point, normal and face in the world, at the end of the step
  ImpVec2 velocity;            // velocity of the shape at the point [m/s]
} ImpiMoverContact;

typedef struct ImpiMover {
  double value[IMP_MOVER_PROPERTY_COUNT];
  int32_t body;
  ImpVec2 own; // velocity of the mover [m/s], relative to the ground while it stands
  // position at the end of the last step, for detection of teleports
  ImpVec2 feet;
  // y of the feet when the mover last stood on ground [m]; not updated while it climbs or descends the edge of a step
  double base;
  double drop_time; // time left for which one-way shapes let the mover pass [s]
  double press;     // impulse of the mover's weight on a dynamic body in the last step [N s]
  // vertical velocity of the pressed body at the point of contact, before the last step, upward positive [m/s]
  double fall_speed;
  ImpiMoverContact ground, wall, ceiling;
  // contact with the dynamic body on which the mover's weight acts, from the last step in which that body was awake
  ImpiMoverContact pressed;
} ImpiMover;

// Constraint on the displacement x of the mover: normal . x >= bound.
typedef struct ImpiPlane {
  ImpVec2 normal;
  double bound; // [m]
  ImpiTier tier;
} ImpiPlane;

// Find the x nearest to `target` that obeys all planes up to a tier. Return false if there is none.
bool impi_planes_solve(const ImpiPlane *planes, int count, ImpiTier tier, ImpVec2 target, ImpVec2 *out_x);
// Find the x nearest to `target` that obeys the planes of as many tiers as possible. If static planes contradict each
// other, all static planes are relaxed by the smallest sufficient amount. Return the first tier whose planes are not
// obeyed, or -1.
int impi_planes_nearest(const ImpiPlane *planes, int count, ImpVec2 target, ImpVec2 *out_x);

#endif
