// A pair of pieces that touch where a fast body meets something.
#ifndef IMPI_STRIKE_H
#define IMPI_STRIKE_H

#include "model/contact.h"

typedef struct ImpiStrike {
  int32_t own_proxy, other_proxy;
  int32_t other;              // body, by slot
  bool first;                 // of those with this other body: its motions are kept here
  bool plain;                 // seams hide nothing of it
  int32_t contact;            // slot
  int32_t first_row, rows;    // of the meeting
  ImpiMotion at, rest;        // of the other then, and what is left of its way in the place of velocities [m, rad]
  ImpiMotion now;             // where it is put back to
  ImpiMotion full;            // its velocity after the impulses; meanwhile after those with all of the restitution
  ImpiContact before;         // the contact before the meeting: so it stays if it bears nothing
  ImpiContactPoint points[2]; // its points
  ImpiLocalManifold manifold; // in world axes, from the centre of mass of the contact's a
} ImpiStrike;

// A bullet that has hit something in this step, or a dynamic body that it has hit: its way is bent there.
typedef struct ImpiStruck {
  int32_t slot;
  int32_t blows;         // in this step
  int32_t met;           // meetings on its own ways in this step, IMPI_MEETINGS at most
  bool waits;            // it has not been looked along its way since the blow
  double since, time;    // of the last two blows, part of the step; since: 0 before the second one
  ImpiMotion from, bend; // its poses at these times
} ImpiStruck;

// A dynamic body on a long way, with a box around that way except its end, which moves after a hit. The trees have boxes
// around the ends of ways: bullets search for other bodies in a box that is grown by the longest way, runners excepted.
typedef struct ImpiRunner {
  double way; // [m]
  ImpAabb box;
  int32_t slot;
} ImpiRunner;

#endif
