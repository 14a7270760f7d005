// Data of time-of-impact events: pairs of pieces that touch, bodies that were hit, and bodies with long paths.
#ifndef IMPI_TOI_CONTACT_H
#define IMPI_TOI_CONTACT_H

#include "model/contact.h"

// A pair of pieces that touch at a time-of-impact event.
typedef struct ImpiToiContact {
  int32_t own_proxy, other_proxy;
  int32_t other;           // the other body, by slot
  bool first;              // this is the first pair with this other body: loops over bodies skip later pairs
  bool plain;              // internal edges do not change the manifold
  int32_t contact;         // slot of the pair's contact
  int32_t first_row, rows; // index of the pair's first row among the rows of the event, and number of its rows
  // State of the other body at the event; its remaining displacement, in the velocity fields [m, rad].
  ImpiMotion at, rest;
  ImpiMotion now;             // state to which the other body is restored after the solve
  ImpiMotion full;            // velocity of the other body after the impulses; during the solve: with full restitution
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
  bool waits;         // the path of the body has not been swept since the last impact
  double since, time; // times of the last two impacts, as fractions of the step; `since` is 0 before the second impact
  ImpiMotion from, bend; // poses at these times
} ImpiHitBody;

// A dynamic body with a long path in this step, and a box around that path. The end of the path moves after an impact;
// searches add the new end to the box. Trees contain only boxes around the ends of paths. A bullet therefore searches
// them with a box that is grown by the longest path of the bodies that are not in the list of long paths
// (ImpiContinuousStage).
typedef struct ImpiLongPath {
  double way; // length of the path [m]
  ImpAabb box;
  int32_t slot;
} ImpiLongPath;

#endif
