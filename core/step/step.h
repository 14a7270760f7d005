// The stages of a step, in the order of step.c.
#ifndef IMPI_STEP_H
#define IMPI_STEP_H

#include "world/world.h"

// At the end of a step: sort each list by the ids of its objects, and remove an end and a begin that cancel.
void impi_events_settle(ImpWorld *world);
// What the callback said about a contact in an earlier step is over.
void impi_pre_solve_reset(ImpWorld *world, int32_t contact);
// Call it for the contacts in `asked`, in order; then what they touch wakes, unless they were disabled.
void impi_pre_solve(ImpWorld *world);
ImpStatus impi_update_joint_list(ImpWorld *world);
void impi_wake_joined(ImpWorld *world);                                     // what hangs on an awake body is awake
void impi_break_joints(ImpWorld *world);                                    // work, breaks
bool impi_joint_holds_awake(const ImpWorld *world, const ImpiJoint *joint); // whether one of its bodies is awake
void impi_report_open_joints(ImpWorld *world);                              // step_open.c
void impi_fields_wake(ImpWorld *world);                                     // what an explosion of this step reaches
void impi_fields_call(ImpWorld *world);       // the callback of dynamic fields, before a substep
ImpStatus impi_fields_begin(ImpWorld *world); // whom fields act on in this step
// What they do in h as they are at time t, and explosions until then.
void impi_fields_push(ImpiSolve *solve, double h, double t, double until);
// Room for where bodies were before the step: where that ends early, a snapshot finds nothing that was never written.
bool impi_backup_reserve(ImpWorld *world);
void impi_note_culprit(ImpWorld *world, int32_t body, const char *stage);
// Whether these velocities, or changes of them, take a body out of the world within h.
bool impi_throws_out(const ImpiBody *body, double vx, double vy, double w, double h);
ImpStatus impi_movers_step(ImpWorld *world);
void impi_movers_undo(ImpWorld *world);        // the step failed after it
void impi_report_impacts(ImpWorld *world);     // step_impacts.c: what contacts worked, who met, who was hit
ImpStatus impi_update_pairs(ImpWorld *world);  // step_pairs.c: contacts for new pairs of boxes
ImpStatus impi_update_lists(ImpWorld *world);  // the awake bodies and the contacts with an awake side, each by slot
ImpStatus impi_gather_active(ImpWorld *world); // the contacts that make rows, and the bodies that they hold
bool impi_contact_acts(const ImpWorld *world, const ImpiContact *contact); // whether it has rows in this step
// Room for all that the stages below need; false when out of memory.
bool impi_contacts_reserve(ImpWorld *world);
// Manifolds; begin and end; what is touched wakes. False when out of memory: the step may be tried again.
bool impi_update_contacts(ImpWorld *world);
void impi_wake_sleeper(ImpWorld *world, const ImpiContact *contact); // who sleeps on either side of it

#endif
