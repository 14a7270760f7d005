// What a character mover meets: touches of its hull with obstacles, the planes that they are, the shortest way
// to a place that all planes allow, and how far it goes straight.
//
// A touch of two convex pieces is a plane between them: who stays in front of it cannot overlap. A mover therefore
// goes from touch to touch: the planes of what is near say which way, a cast says how far, and nothing is ever passed
// through.
#ifndef IMPI_MOVER_H
#define IMPI_MOVER_H

#include "geometry/shape.h"

// Whose planes give way where a mover cannot obey all: first dynamic bodies, then kinematic ones, static never.
typedef enum ImpiTier { IMPI_TIER_STATIC, IMPI_TIER_KINEMATIC, IMPI_TIER_DYNAMIC } ImpiTier;

typedef struct ImpiObstacle {
  const ImpiHull *hull;
  ImpTransform begin, end;    // where it is when the step begins, and when it ends
  int32_t body, shape, child; // slots, number of the piece
  uint64_t serial;            // of the shape
  ImpiTier tier;
  bool moves;                // begin and end differ
  bool open_start, open_end; // link of a chain that nothing goes on before, or after
  bool near;                 // its plane is among those of the present slide
  double separation;         // of the last touch that was looked for [m]
} ImpiObstacle;

typedef struct ImpiTouch {
  ImpVec2 normal;    // unit, from the obstacle to the mover
  ImpVec2 point;     // of the obstacle's surface
  double separation; // [m]
  ImpVec2 face;      // normal of the obstacle's face there; at a corner of the more level of the two faces
  bool flat;         // it is a face that touches, not a corner
} ImpiTouch;

// How a piece at `at` and the mover's hull at `feet` touch. False: they cannot, as the mover is behind a one-sided
// link or, with `strict`, at a corner of a link that its neighbour answers for.
bool impi_mover_touch(const ImpiObstacle *obstacle, ImpTransform at, const ImpiHull *hull, ImpVec2 feet, bool strict,
                      ImpiTouch *out_touch);

// Whether the hull comes nearer to the obstacle than `clearance` [m] on its way, before max_fraction of it; where, and
// the touch there. By conservative advancement: each plane tells how far is safe.
bool impi_mover_cast(const ImpiObstacle *obstacle, ImpTransform at, const ImpiHull *hull, ImpVec2 feet, ImpVec2 travel,
                     double clearance, double max_fraction, double *out_fraction, ImpiTouch *out_touch);

// What a mover touches from step to step. serial 0: nothing.
typedef struct ImpiMoverContact {
  uint64_t serial; // of the shape
  int32_t body, shape, child;
  bool flat;                   // see ImpiTouch
  ImpVec2 local, local_normal; // point and normal in the body's frame
  ImpVec2 point, normal, face; // in the world, as the step left them
  ImpVec2 velocity;            // of the shape there [m/s]
} ImpiMoverContact;

typedef struct ImpiMover {
  double value[IMP_MOVER_PROPERTY_COUNT];
  int32_t body;
  ImpVec2 own;       // its own velocity: relative to the ground while it stands, else in the world [m/s]
  ImpVec2 feet;      // where the last step left it: found elsewhere, it was put there
  double base;       // how high the ground is on which it last stood firmly, not on an edge half-way up a step [m]
  double drop_time;  // how long one-way shapes do not hold it yet [s]
  double press;      // impulse of its weight on a dynamic body in the last step [N s]
  double fall_speed; // upward speed of that body there before that step [m/s]
  ImpiMoverContact ground, wall, ceiling;
  ImpiMoverContact pressed; // the dynamic body that it weighs on, and where it did when that was awake
} ImpiMover;

// normal . x >= bound for the way x of the mover.
typedef struct ImpiPlane {
  ImpVec2 normal;
  double bound; // [m]
  ImpiTier tier;
} ImpiPlane;

// The x nearest to `target` that obeys all planes up to a tier. False: there is none.
bool impi_planes_solve(const ImpiPlane *planes, int count, ImpiTier tier, ImpVec2 target, ImpVec2 *out_x);
// The same of as many tiers as can be obeyed; where even static planes contradict each other, of them all eased by as
// little as it takes, so that x goes into none. Gives the tier of what was disobeyed, -1: nothing was.
int impi_planes_settle(const ImpiPlane *planes, int count, ImpVec2 target, ImpVec2 *out_x);

#endif
