// Data of time-of-impact events: pairs of pieces that touch, bodies that were hit, and bodies with long paths.
#ifndef IMPI_STRIKE_H
#define IMPI_STRIKE_H

#include "model/contact.h"

// A pair of pieces that touch at a time-of-impact event.
typedef struct ImpiStrike {
  int32_t own_proxy, other_proxy;
  int32_t other;              // the other body, by slot
  bool first;                 // the first pair with this other body: passes over bodies skip the later ones
  bool plain;                 // internal edges do not change its manifold
  int32_t contact;            // slot of its contact
  int32_t first_row, rows;    // among the rows of the event
  ImpiMotion at, rest;        // state of the other body at the event; the rest of its path, in the velocities [m, rad]
  ImpiMotion now;             // state to which the other body is restored after the solve
  ImpiMotion full;            // its velocity after the impulses; during the solve that with full restitution
  ImpiContact before;         // the contact before the event: restored if it gets no impulse
  ImpiContactPoint points[2]; // points of `before`
  ImpiLocalManifold manifold; // in world axes, from the centre of mass of the contact's body a
} ImpiStrike;

// A bullet that has hit something in this step, or a dynamic body that it has hit: its path has a bend there.
typedef struct ImpiStruck {
  int32_t slot;
  int32_t blows;         // number of impacts in this step
  int32_t met;           // events on its own path in this step, at most IMPI_MEETINGS
  bool waits;            // its path has not been swept since the last impact
  double since, time;    // times of the last two impacts, part of the step; since: 0 before the second one
  ImpiMotion from, bend; // poses at these times
} ImpiStruck;

// A dynamic body with a long path in this step, and a box around that path. The end of the path moves after an impact:
// searches add it to the box. Trees hold boxes around the ends of paths: a bullet searches them with a box that is
// grown by the longest path of the bodies that are not in this list.
typedef struct ImpiRunner {
  double way; // [m]
  ImpAabb box;
  int32_t slot;
} ImpiRunner;

#endif
