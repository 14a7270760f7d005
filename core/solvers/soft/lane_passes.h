// Multithreaded passes over the contacts in lanes. The blocks of one colour are processed in parallel, because they
// share no body that moves. The colours are processed one after another.
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
  IMPI_LANE_FRICTION, // like IMPI_LANE_RELAX, but normal rows are not solved
  IMPI_LANE_AIM,
  IMPI_LANE_COMPRESS,
  IMPI_LANE_COMPRESS_BACK, // compression sweep of an impact, with the colours in reverse order
  IMPI_LANE_HOLD,          // sweep over all touching contacts after the last impact
  IMPI_LANE_BOUNCE,
  IMPI_LANE_AIM_AGAIN,
  IMPI_LANE_RUB,
  IMPI_LANE_UNMARK,
  IMPI_LANE_NOTE,
} ImpiLanePass;

// Runs that one parallel loop processes: all runs of one colour, or the runs of several small colours.
typedef struct ImpiLaneGroup {
  int first, count; // first run and number of runs, in the order of solution
  int blocks;
  int grain; // smallest number of blocks per thread
} ImpiLaneGroup;

typedef struct ImpiLanePasses {
  const ImpiTeam *team;
  ImpiRunOrder order;
  ImpiLaneGroup groups[IMPI_COLOURS + 1];
  int group_count;
} ImpiLanePasses;

// Plan passes over the contacts in the lanes. The plan is valid until a contact enters or leaves the lanes.
void impi_lane_passes_plan(ImpiLanePasses *passes, const ImpiTeam *team, ImpiLaneContacts *lanes);

// Run one pass over all contacts, colour after colour.
void impi_lane_passes_run(const ImpiLanePasses *passes, ImpiLanePass which, const ImpiSoftPass *pass);

// Compute effective masses, and speeds at the start of the step (ImpiSoftKernels.begin), all colours in parallel.
void impi_lane_passes_begin(const ImpiLanePasses *passes, const ImpiSoftPass *pass);

// Update all manifolds to the current poses, and list in `looked` the contacts that must be evaluated again
// (ImpiSoftKernels.refresh). `fast`: null, or a set of bodies. Contacts of these bodies with bodies of infinite mass
// are always listed. Returns the length of the list.
int impi_lane_passes_refresh(const ImpiLanePasses *passes, ImpiLaneContacts *lanes, const ImpiMotion *motions,
                             const uint64_t *fast);

// Compute the work of all contacts, and list in `looked` the contacts that began to touch or were hit. Returns the
// number of contact rows.
int impi_lane_passes_finish(const ImpiLanePasses *passes, ImpiLaneContacts *lanes, const ImpiSoftPass *pass,
                            float hit_speed);

#endif
