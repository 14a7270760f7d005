// Data of time-of-impact events: touching pieces, bodies that were hit, and dynamic bodies that move far in the step.
#ifndef IMPI_TOI_CONTACT_H
#define IMPI_TOI_CONTACT_H

#include "model/contact.h"

typedef struct ImpiToiContact {
  int32_t own_proxy, other_proxy;
  int32_t other; // the other body, by slot
  bool first;    // true for the first contact of the event with body `other`
  bool plain;    // internal edges of a surface do not change the manifold
  int32_t contact;
  int32_t first_row, rows; // index of the contact's first row, and number of its rows
  // at: state of the other body at the event. rest: its displacement in the rest of the step, stored as velocities [m,
  // rad].
  ImpiMotion at, rest;
  ImpiMotion now; // state of the other body before the rows of the event are solved
  // velocity of the other body after the impulses; before that, its velocity with full restitution
  ImpiMotion full;
  ImpiContact before;
  ImpiContactPoint points[2];
  ImpiLocalManifold manifold; // manifold in world axes, relative to the centre of mass of the contact's body a
} ImpiToiContact;

// A bullet that has hit something in this step, or a dynamic body that was hit by a bullet.
typedef struct ImpiHitBody {
  int32_t slot;
  int32_t impacts;    // number of impacts in this step
  int32_t met;        // number of events on the path of the body in this step, at most IMPI_MAX_TOI_EVENTS
  bool waits;         // the path of the body after its last impact must be checked
  double since, time; // times of the last two impacts, as fractions of the step; `since` is 0 before the second impact
  ImpiMotion from, bend; // poses of the body at the times `since` and `time`
} ImpiHitBody;

// A dynamic body with a long path in this step.
typedef struct ImpiLongPath {
  double way; // length of the path [m]
  ImpAabb box;
  int32_t slot;
} ImpiLongPath;

#endif
