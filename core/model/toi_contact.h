// Data of time-of-impact events: touching pieces, bodies that were hit, and dynamic bodies that move far in the step.
#ifndef IMPI_TOI_CONTACT_H
#define IMPI_TOI_CONTACT_H

#include "model/contact.h"

// A pair of pieces that touch at a time-of-impact event.
typedef struct ImpiToiContact {
  int32_t own_proxy, other_proxy;
  int32_t other;           // the other body, by slot
  bool first;              // true for the event's first contact that touches body `other`
  bool plain;              // internal edges of a surface do not change the manifold
  int32_t contact;         // slot of the contact
  int32_t first_row, rows; // index of the contact's first row among the rows of the event, and number of its rows
  // at: state of the other body at the event. rest: its displacement [m, rad] in the rest of the step, stored in the
  // members for velocities.
  ImpiMotion at, rest;
  ImpiMotion now; // state of the other body before the rows of the event are solved
  // velocity of the other body: with full restitution while the event is solved, afterwards the final velocity
  ImpiMotion full;
  ImpiContact before;         // the contact before the event: restored if it gets no impulse
  ImpiContactPoint points[2]; // points of `before`
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

// A dynamic body with a long path in this step, and a box around the path.
typedef struct ImpiLongPath {
  double way; // length of the path [m]
  ImpAabb box;
  int32_t slot;
} ImpiLongPath;

#endif
