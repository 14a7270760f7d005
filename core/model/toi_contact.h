// Data of time-of-impact events: pairs of pieces that touch, bodies that were hit, and dynamic bodies that move far in
// the step.
#ifndef IMPI_TOI_CONTACT_H
#define IMPI_TOI_CONTACT_H

#include "model/contact.h"

// A pair of pieces that touch at a time-of-impact event.
typedef struct ImpiToiContact {
  int32_t own_proxy, other_proxy;
  int32_t other;   // the other body, by slot
  bool first;      // true for the first pair of the event with body `other`, false for further pairs with that body
  bool plain;      // internal edges (between pieces of one surface) do not change the manifold
  int32_t contact; // slot of the pair's contact
  int32_t first_row, rows; // index of the pair's first row among the rows of the event, and number of its rows
  // at: state of the other body at the event. rest: its displacement in the rest of the step, stored in the members for
  // velocities [m, rad].
  ImpiMotion at, rest;
  ImpiMotion now; // state of the other body, saved before the event's rows are solved and restored afterwards
  // velocity of the other body after the impulses; while the rows are solved: its velocity with full restitution
  ImpiMotion full;
  ImpiContact before;         // copy from before the event: restored if the contact gets no impulse
  ImpiContactPoint points[2]; // points of `before`
  ImpiLocalManifold manifold; // manifold in world axes, relative to the centre of mass of the contact's body a
} ImpiToiContact;

// A bullet that has hit something in this step, or a dynamic body that was hit by a bullet. The path of such a body has
// a bend at the impact.
typedef struct ImpiHitBody {
  int32_t slot;
  int32_t impacts;    // number of impacts in this step
  int32_t met;        // number of events on the body's own path in this step, at most IMPI_MAX_TOI_EVENTS
  bool waits;         // the body's path after the last impact must still be checked for collisions
  double since, time; // times of the last two impacts, as fractions of the step; `since` is 0 before the second impact
  ImpiMotion from, bend; // poses at the times `since` and `time`
} ImpiHitBody;

// A dynamic body with a long path in this step, and a box around the path. The boxes in the trees of the broad phase
// contain only the ends of paths, so a bullet tests the long paths one by one. To find the bodies with shorter paths,
// it searches the trees with a box that is grown by ImpiContinuousStage.longest_path.
typedef struct ImpiLongPath {
  double way; // length of the path [m]
  ImpAabb box;
  int32_t slot;
} ImpiLongPath;

#endif
