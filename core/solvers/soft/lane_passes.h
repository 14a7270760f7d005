// Multithreaded passes over the contacts in lanes. The runs of one colour share no body that moves, so their blocks can
// be processed in parallel; the colours are processed one after another. The blocks of a colour are divided among the
// threads in the same way in every pass, so that each thread finds its blocks in its cache.
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
  IMPI_LANE_FRICTION, // relax, but only friction, not the normals
  IMPI_LANE_AIM,
  IMPI_LANE_COMPRESS,
  IMPI_LANE_COMPRESS_BACK, // sweep of the compression phase of an impact, with the colours in reverse order
  IMPI_LANE_HOLD,          // sweep of the compression phase after the last impact, for all touching contacts
  IMPI_LANE_BOUNCE,
  IMPI_LANE_AIM_AGAIN,
  IMPI_LANE_RUB,
  IMPI_LANE_UNMARK,
  IMPI_LANE_NOTE,
} ImpiLanePass;

// Runs that one parallel loop processes: all runs of one colour, or, as a single range, the runs of several small
// colours.
typedef struct ImpiLaneGroup {
  int first, count; // runs, in the order in which they are solved
  int blocks;       // number of blocks of all its runs
  int grain;        // fewest blocks in a thread's range
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

// Compute effective masses and speeds at the step's start (ImpiSoftKernels.begin), all colours in parallel.
void impi_lane_passes_begin(const ImpiLanePasses *passes, const ImpiSoftPass *pass);

// Update all manifolds to the current poses, and list in `looked` the contacts that need re-evaluation. `fast`: set of
// bodies, or null. Every contact between one of them and a body that impulses do not move is listed. Returns the length
// of the list. See ImpiSoftKernels.refresh.
int impi_lane_passes_refresh(const ImpiLanePasses *passes, ImpiLaneContacts *lanes, const ImpiMotion *motions,
                             const uint64_t *fast);

// Compute the work of the step's contacts, and list in `looked` the contacts that began to touch or were hit. Returns
// the number of rows of all contacts in lanes.
int impi_lane_passes_finish(const ImpiLanePasses *passes, ImpiLaneContacts *lanes, const ImpiSoftPass *pass,
                            float hit_speed);

#endif
