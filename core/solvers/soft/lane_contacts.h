// The contacts that act in the soft solver stay in its lanes from step to step. What changes of them there is
// read back when somebody asks.
//
// A contact acts from the step in which it has points until the step in which it has none: meanwhile it has a colour,
// which is state. Where it lies in the lanes is none: order within a colour changes no bit, so any step may begin with
// nothing in the lanes. Contacts that fit no colour are solved one after another by their slots.
#ifndef IMPI_LANE_CONTACTS_H
#define IMPI_LANE_CONTACTS_H

#include "base/bits.h"
#include "base/task.h"
#include "model/colour.h"
#include "solvers/soft/solve_soft.h"

// Forms of contacts: the number of points less one, and 2 more where a body has locked axes.
#define IMPI_FORMS 4
#define IMPI_FREE_FORMS 2 // those without
#define IMPI_RUNS (IMPI_FORMS * (IMPI_COLOURS + 1))

// The contacts of one colour and one form.
typedef struct ImpiRun {
  const ImpiSoftKernels *kernels;
  ImpiSoftBlocks blocks; // in use
  int count;             // places taken, side by side from the front; without a colour one a block
  int sorted, gaps;      // of a run without colour: leading places that are sorted by slot; places without a contact
  int room;              // blocks
  void *memory[2];       // of hot and of rare blocks
} ImpiRun;

typedef struct ImpiLaneContacts ImpiLaneContacts;

struct ImpiLaneContacts {
  const ImpiSoftKernels *kernels, *locked; // of the width that the contacts are in, null before the first
  ImpiRun runs[IMPI_RUNS];                 // by colour * IMPI_FORMS + form
  IMPI_ARRAY(uint64_t) taken;              // colours in use, by lane
  IMPI_ARRAY(int32_t) bears;               // contacts that act, by body
  IMPI_ARRAY(double) work;                 // of the last step, by contact [J]
  IMPI_ARRAY(int32_t) looked;              // what a pass has found
  ImpiBits acting, inside;                 // contacts with a colour; those that are in the lanes
  uint32_t epoch;                          // counts how often the lanes have changed what contacts are
  uint32_t stamp;                          // of the step that they were brought up to date for
  int colours;                             // in use, of the last step
  bool solved;                             // the step of the stamp is: contacts of it that it found are older
  bool accounted;                          // the work of the last step is in the sums
  bool lost;                               // `taken`, `bears` and `acting` are to be made anew from the contacts
};

void impi_lane_contacts_free(ImpiHeap *heap, ImpiLaneContacts *lanes);

// Forget what is in the lanes, without reading it: the contacts are others now.
void impi_lane_contacts_reset(ImpiLaneContacts *lanes);

// Before a step of the soft solver: make room for these numbers of bodies and contacts, and if the lanes are to have
// another width or contacts were restored, put things in order. False when out of memory.
bool impi_lane_contacts_prepare(ImpiHeap *heap, ImpiLaneContacts *lanes, int width, ImpiContact *contacts,
                                int contact_count, const ImpiBody *bodies, int body_count, const ImpiMotion *motions);

// They are about to be brought to the poses of a new step.
void impi_lane_contacts_begin(ImpiLaneContacts *lanes, uint32_t stamp);

// A contact begins to act, or goes on: give it a colour if it has none and write it into the lanes. False when out of
// memory.
bool impi_lane_contacts_enter(ImpiHeap *heap, ImpiLaneContacts *lanes, ImpiContact *contacts, int32_t slot,
                              const ImpiBody *bodies);

// All that enter in a step have entered, in the order of their slots: those without a colour are merged into the others.
void impi_lane_contacts_entered(ImpiLaneContacts *lanes, ImpiContact *contacts);

// Whether one that is about to be found anew may be left unread until its points are known: it is there, and nobody is
// asked about it.
static inline bool impi_lane_contacts_may_renew(const ImpiContact *contact) {
  return contact->run > 0 && (contact->run - 1) % IMPI_FORMS < IMPI_FREE_FORMS &&
         !(contact->flags & IMPI_CONTACT_JUDGED);
}

// Whether it is there, and has not been read since the lanes changed it.
static inline bool impi_lane_contacts_hold(const ImpiLaneContacts *lanes, const ImpiContact *contact) {
  return contact->run > 0 && contact->read != lanes->epoch;
}

// Of such a one with the same points as before, bring to the lanes where they are; it may go on unread.
void impi_lane_contacts_renew(const ImpiLaneContacts *lanes, const ImpiContact *contact);

// Of such a one with others, read what they have of the points `from`, see ImpiSoftKernels.carry.
void impi_lane_contacts_carry(const ImpiLaneContacts *lanes, ImpiContact *contact, const int *from);

// Of such a one that was not found anew but brought along, read all but where it is.
void impi_lane_contacts_read_rest(const ImpiLaneContacts *lanes, ImpiContact *contact);

// Read what the lanes have made of a contact.
void impi_lane_contacts_read(const ImpiLaneContacts *lanes, ImpiContact *contact, const ImpiMotion *motions);

// Its impulses were changed, and nothing else: to the lanes, if it is there. What was read there is rounded and a normal
// made a unit again, so entering it once more would not leave it as it was.
void impi_lane_contacts_press(const ImpiLaneContacts *lanes, const ImpiContact *contact);

// Take it out of the lanes, unread; it keeps its colour.
void impi_lane_contacts_leave(ImpiLaneContacts *lanes, ImpiContact *contacts, int32_t slot);

// It acts no longer: take it out and give its colour back.
void impi_lane_contacts_end(ImpiLaneContacts *lanes, ImpiContact *contacts, int32_t slot, const ImpiBody *bodies);

// The runs in the order in which they are solved: without a colour first, two points before one.
typedef struct ImpiRunOrder {
  const ImpiRun *runs[IMPI_RUNS];
  int count;
} ImpiRunOrder;
void impi_lane_contacts_order(ImpiLaneContacts *lanes, ImpiRunOrder *out_order);

#endif
