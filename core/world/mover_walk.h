// The motion of one mover: finding its obstacles, sliding along them, and storing what the mover touches.
#ifndef IMPI_MOVER_WALK_H
#define IMPI_MOVER_WALK_H

#include "world/world.h"

typedef struct ImpiWalk {
  ImpWorld *world; // obstacles are in ImpWorld.mover.room
  ImpiMover *mover;
  const ImpiHull *hull; // hull of the mover, relative to the feet
  ImpVec2 feet;         // present position of the mover [m]
  ImpVec2 begin;        // position of the mover when the motion began [m]
  double reach;         // all obstacles within this distance of `begin` have been found [m]
  double dt;            // length of the step [s]; 0: obstacles do not move
  double steepest;      // least normal.y of a surface that the mover can stand on
  double recovery;      // distance that overlapping dynamic bodies may still push the mover in this step [m]
  int32_t carrier;      // body that carries the mover in the present slide, -1: none
  bool level;           // the mover walks: slopes that are too steep to stand on are walls
  bool squeezed;        // the mover could not avoid overlapping an obstacle
} ImpiWalk;

// Start the motion of a mover: find the obstacles within `reach` [m]; NaN: within the mover's motion in dt. Returns
// IMP_ERR_NOMEM when out of memory.
ImpStatus impi_walk_begin(ImpWorld *world, int mover, double dt, double reach, ImpiWalk *out_walk);
// Move by `travel`, sliding along obstacles. In the first iteration `pushes` replace the planes of moving obstacles.
void impi_walk_slide(ImpiWalk *walk, ImpVec2 travel, const ImpiPlane *pushes, int push_count);
// Return the part of `travel` that is free of obstacles. Outputs (may be null) are set if the part is below 1.
double impi_walk_cast(ImpiWalk *walk, ImpVec2 travel, ImpiTouch *out_touch, int32_t *out_obstacle);
// Return whether the mover can stand on a surface with this normal.
bool impi_walk_holds(const ImpiWalk *walk, ImpVec2 normal);
// Return whether a touch is a steep slope, not the edge of ground.
bool impi_walk_is_steep(const ImpiWalk *walk, ImpVec2 normal, ImpVec2 face);
// Return whether the mover touches something that it can stand on.
bool impi_walk_stands(ImpiWalk *walk);
// Store the touches that are ground, wall and ceiling. If no touch is ground, store `held` as ground (null: none).
// `obstacle`: index in mover.room of the obstacle that `held` touches.
void impi_walk_look(ImpiWalk *walk, const ImpiTouch *held, int32_t obstacle);
// Remove the parts of the mover's own velocity that point into touched obstacles. The own velocity is relative to the
// velocity `frame`.
void impi_walk_clip(ImpiWalk *walk, ImpVec2 frame);

// Return the index of a mover in ImpWorld.mover.list; negative if there is no such mover.
int impi_mover_find(const ImpWorld *world, ImpMover handle);
#define IMPI_FIND_MOVER(world, handle, mover) \
  int32_t mover##_index = impi_mover_find(world, handle); \
  if (mover##_index < 0) return impi_pool_fail((handle).id, (world)->tag, "mover"); \
  ImpiMover *mover = &(world)->mover.list.data[mover##_index]; \
  (void)mover

// Return whether the shape that a mover touched still exists.
bool impi_mover_meets(const ImpWorld *world, const ImpiMoverContact *contact);
// Return the velocity of the ground under the mover [m/s], zero in the air.
ImpVec2 impi_mover_frame(const ImpiMover *mover);

#endif
