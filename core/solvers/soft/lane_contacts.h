// Storage of the soft solver's active contacts, in lanes (elements of SIMD vectors). A contact whose values in the
// lanes are newer than those in ImpiContact is called unread.
//
// A contact is active while it has points. An active contact has a colour, which is part of the state. Its place in the
// lanes is derived data: the order within a colour must not affect results. Contacts that fit no colour are solved one
// after another, in order of slot.
#ifndef IMPI_LANE_CONTACTS_H
#define IMPI_LANE_CONTACTS_H

#include "base/bits.h"
#include "base/task.h"
#include "model/colour.h"
#include "solvers/soft/solve_soft.h"

// Forms of contacts: the number of points minus 1, plus 2 if a body has locked axes.
#define IMPI_FORMS 4
#define IMPI_FREE_FORMS 2 // forms 0 and 1: no body has locked axes
#define IMPI_RUNS (IMPI_FORMS * (IMPI_COLOURS + 1))

// The contacts of one colour and one form.
typedef struct ImpiRun {
  const ImpiSoftKernels *kernels;
  ImpiSoftBlocks blocks; // blocks in use
  int count;             // places in use, contiguous from the front; in a run without colour, a block has one place
  // only in a run without colour: number of places sorted by slot; number of empty places
  int sorted, gaps;
  int room;        // capacity [blocks]
  void *memory[2]; // allocations of the two arrays of `blocks`: hot, rare
} ImpiRun;

typedef struct ImpiLaneContacts ImpiLaneContacts;

struct ImpiLaneContacts {
  const ImpiSoftKernels *kernels, *locked; // kernels of the current width; null before the first step
  ImpiRun runs[IMPI_RUNS];                 // index: colour * IMPI_FORMS + form
  IMPI_ARRAY(uint64_t) taken;              // bit set of the colours in use at each body; index: ImpiBody.lane
  IMPI_ARRAY(int32_t) active_counts;       // number of active contacts, by body
  IMPI_ARRAY(double) work;                 // work in the last step, by contact [J]
  IMPI_ARRAY(int32_t) looked;              // slots of the contacts that the last refresh or finish pass listed
  ImpiBits acting, inside;                 // `acting`: contacts with a colour; `inside`: contacts in the lanes
  uint32_t epoch;                          // incremented whenever the lanes change the values of contacts
  uint32_t stamp;                          // stamp of the step to whose poses the lanes were last updated
  int colours;                             // number of colours in use in the last step
  bool solved;                             // the results of step `stamp` are only in the lanes
  bool accounted;                          // reading a contact adds the work of the last step to its total work
  bool lost;                               // `taken`, `active_counts` and `acting` must be rebuilt from the contacts
};

void impi_lane_contacts_free(ImpiHeap *heap, ImpiLaneContacts *lanes);

// Empty the lanes without copying their values, after the contacts were replaced.
void impi_lane_contacts_reset(ImpiLaneContacts *lanes);

// Prepare a step of the soft solver: allocate for `body_count` bodies and `contact_count` contacts. Read all contacts
// out of the lanes if the width changes. Returns false when out of memory.
bool impi_lane_contacts_prepare(ImpiHeap *heap, ImpiLaneContacts *lanes, int width, ImpiContact *contacts,
                                int contact_count, const ImpiBody *bodies, int body_count, const ImpiMotion *motions);

// Begin a step, before the manifolds in the lanes are updated to its poses. `stamp`: stamp of the step
void impi_lane_contacts_begin(ImpiLaneContacts *lanes, uint32_t stamp);

// Activate a contact or keep it active: choose a colour if it has none, and write the contact to the lanes. Returns
// false when out of memory.
bool impi_lane_contacts_enter(ImpiHeap *heap, ImpiLaneContacts *lanes, ImpiContact *contacts, int32_t slot,
                              const ImpiBody *bodies);

// Merge the contacts without a colour into the sorted part of their runs. Call this after all contacts of a step have
// entered, in order of slot.
void impi_lane_contacts_entered(ImpiLaneContacts *lanes, ImpiContact *contacts);

// Return whether a contact may stay unread while its manifold is recomputed. The contact must be in the lanes, without
// locked axes, callbacks and one-way rules.
static inline bool impi_lane_contacts_may_renew(const ImpiContact *contact) {
  return contact->run > 0 && (contact->run - 1) % IMPI_FORMS < IMPI_FREE_FORMS &&
         !(contact->flags & IMPI_CONTACT_EVALUATED);
}

// Return whether a contact is in the lanes and was not read since the lanes changed it.
static inline bool impi_lane_contacts_hold(const ImpiLaneContacts *lanes, const ImpiContact *contact) {
  return contact->run > 0 && contact->read != lanes->epoch;
}

// Write the recomputed positions of the points of an unread contact to the lanes, if the points are the same as before.
// The contact stays unread.
void impi_lane_contacts_renew(const ImpiLaneContacts *lanes, const ImpiContact *contact);

// Read impulses and work of an unread contact whose points changed. from[i]: former index of point i.
void impi_lane_contacts_carry(const ImpiLaneContacts *lanes, ImpiContact *contact, const int *from);

// Read all values of an unread contact from the lanes, except its normal and the positions of its points.
void impi_lane_contacts_read_rest(const ImpiLaneContacts *lanes, ImpiContact *contact);

// Copy to a contact the values that the lanes have changed.
void impi_lane_contacts_read(const ImpiLaneContacts *lanes, ImpiContact *contact, const ImpiMotion *motions);

// Write the impulses of a contact to the lanes, if it is there and only its impulses have changed.
void impi_lane_contacts_store_impulses(const ImpiLaneContacts *lanes, const ImpiContact *contact);

// Remove a contact from the lanes without copying its values. The contact keeps its colour.
void impi_lane_contacts_leave(ImpiLaneContacts *lanes, ImpiContact *contacts, int32_t slot);

// Deactivate a contact: remove it from the lanes and release its colour.
void impi_lane_contacts_end(ImpiLaneContacts *lanes, ImpiContact *contacts, int32_t slot, const ImpiBody *bodies);

// The runs in the order of solution: runs without a colour first; in a colour, runs of two points before runs of one
// point.
typedef struct ImpiRunOrder {
  const ImpiRun *runs[IMPI_RUNS];
  int count;
} ImpiRunOrder;
void impi_lane_contacts_order(ImpiLaneContacts *lanes, ImpiRunOrder *out_order);

#endif
