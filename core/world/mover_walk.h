// One mover on its way: what is around it, where it may go, what it touches.
#ifndef IMPI_MOVER_WALK_H
#define IMPI_MOVER_WALK_H

#include "world/world.h"

typedef struct ImpiWalk {
  ImpWorld *world; // its mover_room holds the obstacles
  ImpiMover *mover;
  const ImpiHull *hull; // of the mover, about its feet
  ImpVec2 feet;         // where it is now [m]
  ImpVec2 begin;        // where it was first
  double reach;         // it knows what is around it so far from there [m]
  double dt;            // 0: nothing else moves meanwhile
  double steepest;      // least y of the normal of what it can stand on
  double recovery;      // how far dynamic bodies that overlap it may still push it in this step [m]
  int32_t carrier;      // body that carries it through the present slide, -1: none
  bool level;           // it walks: what is too steep to stand on is a wall to it
  bool squeezed;        // it could not get out of the way of something
} ImpiWalk;

// Begin the way of a mover: find the obstacles that it may meet within `reach` [m], NaN: within dt, by its own speed.
// IMP_ERR_NOMEM with nothing changed.
ImpStatus impi_walk_begin(ImpWorld *world, int mover, double dt, double reach, ImpiWalk *out_walk);
// Go along `travel` as far as what is in the way lets it, sliding along it. `pushes` are planes for the first part of
// the way, in the place of those of what moves by itself.
void impi_walk_slide(ImpiWalk *walk, ImpVec2 travel, const ImpiPlane *pushes, int push_count);
// How much of `travel` is free, going straight; where it is not all, what is met. Both outputs may be null.
double impi_walk_cast(ImpiWalk *walk, ImpVec2 travel, ImpiTouch *out_touch, int32_t *out_obstacle);
// Whether a surface of this normal holds somebody who stands on it.
bool impi_walk_holds(const ImpiWalk *walk, ImpVec2 normal);
// Whether it is a slope that is too steep to stand on, not the edge of something to stand on.
bool impi_walk_is_steep(const ImpiWalk *walk, ImpVec2 normal, ImpVec2 face);
// Whether it touches something that holds it.
bool impi_walk_stands(ImpiWalk *walk);
// Note what it touches: ground, wall, ceiling. `held`, of an obstacle of the room, is ground in any case; may be null.
void impi_walk_look(ImpiWalk *walk, const ImpiTouch *held, int32_t obstacle);
// Take out of its own velocity, relative to `frame`, what goes into the things that it touches.
void impi_walk_clip(ImpiWalk *walk, ImpVec2 frame);

// Index of the mover of a handle in ImpWorld.movers, below 0 for none.
int impi_mover_find(const ImpWorld *world, ImpMover handle);
#define IMPI_FIND_MOVER(world, handle, mover) \
  int32_t mover##_index = impi_mover_find(world, handle); \
  if (mover##_index < 0) return impi_pool_fail((handle).id, (world)->tag, "mover"); \
  ImpiMover *mover = &(world)->mover.list.data[mover##_index]; \
  (void)mover

// Whether what a mover touched is still there.
bool impi_mover_meets(const ImpWorld *world, const ImpiMoverContact *contact);
// Velocity of what the mover stands on [m/s], zero in the air.
ImpVec2 impi_mover_frame(const ImpiMover *mover);

#endif
