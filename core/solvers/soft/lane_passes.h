// Passes over the contacts in lanes by a team of threads. Runs of one colour share no body that moves, so that
// their blocks may go side by side; one colour waits for the one before. The blocks of each colour are cut the same way in
// every pass: what a thread has in its cache it finds there again.
#ifndef IMPI_LANE_PASSES_H
#define IMPI_LANE_PASSES_H

#include "base/task.h"
#include "solvers/soft/lane_contacts.h"

typedef enum ImpiLanePass {
  IMPI_LANE_TURN,
  IMPI_LANE_WARM_START,
  IMPI_LANE_FORGET,
  IMPI_LANE_SOLVE,
  IMPI_LANE_RELAX,
  IMPI_LANE_FRICTION, // relax without the normals
  IMPI_LANE_AIM,
  IMPI_LANE_COMPRESS,
  IMPI_LANE_COMPRESS_BACK, // the same, colours in reverse order
  IMPI_LANE_HOLD,          // the same after the last blow
  IMPI_LANE_BOUNCE,
  IMPI_LANE_AIM_AGAIN,
  IMPI_LANE_RUB,
  IMPI_LANE_UNMARK,
  IMPI_LANE_NOTE,
} ImpiLanePass;

// Runs of a colour, or those of several small ones, which are one range.
typedef struct ImpiLaneGroup {
  int first, count; // runs, in the order in which they are solved
  int blocks;
  int grain;
} ImpiLaneGroup;

typedef struct ImpiLanePasses {
  const ImpiTeam *team;
  ImpiRunOrder order;
  ImpiLaneGroup groups[IMPI_COLOURS + 1];
  int group_count;
} ImpiLanePasses;

// Look at who is in the lanes. It holds until somebody enters or leaves.
void impi_lane_passes_plan(ImpiLanePasses *passes, const ImpiTeam *team, ImpiLaneContacts *lanes);

// One pass over all contacts, colour after colour.
void impi_lane_passes_run(const ImpiLanePasses *passes, ImpiLanePass which, const ImpiSoftPass *pass);

// Masses and speeds as the step begins: all colours at once.
void impi_lane_passes_begin(const ImpiLanePasses *passes, const ImpiSoftPass *pass);

// Bring all to the present poses, and note in `looked` those that must be looked at, among them what a fast body has with
// one that no impulse moves. `fast`: a bit a body, null for none. How many.
int impi_lane_passes_refresh(const ImpiLanePasses *passes, ImpiLaneContacts *lanes, const ImpiMotion *motions,
                             const uint64_t *fast);

// What the step came to; `looked`: those that met or were hit. Gives the number of rows.
int impi_lane_passes_finish(const ImpiLanePasses *passes, ImpiLaneContacts *lanes, const ImpiSoftPass *pass,
                            float hit_speed);

#endif
