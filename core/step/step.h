// The stages of a step, in the order of step.c.
#ifndef IMPI_STEP_H
#define IMPI_STEP_H

#include "world/world.h"

// Sort events by the ids of their objects. Remove an end and a begin event that cancel each other.
void impi_events_finish(ImpWorld *world);
// Reset what the pre_solve callback decided about a contact in an earlier step.
void impi_pre_solve_reset(ImpWorld *world, int32_t contact);
// Call pre_solve for the listed contacts. Wake the sleeping bodies of contacts that stay enabled.
void impi_pre_solve(ImpWorld *world);
ImpStatus impi_update_joint_list(ImpWorld *world);
void impi_wake_joined(ImpWorld *world);                                     // wakes bodies joined to awake bodies
void impi_break_joints(ImpWorld *world);                                    // breaks joints loaded beyond their limits
bool impi_joint_holds_awake(const ImpWorld *world, const ImpiJoint *joint); // whether a body of the joint is awake
void impi_report_open_joints(ImpWorld *world);                              // step_open.c
void impi_fields_wake(ImpWorld *world);                                     // wakes bodies in reach of explosions
void impi_fields_call(ImpWorld *world);       // calls the callback of dynamic fields before a substep
ImpStatus impi_fields_begin(ImpWorld *world); // reserves memory for the field-affected bodies
// Let force fields change the velocities of bodies over a time h [s]. The fields are evaluated at time t [s].
// Explosions advance to the time `until` [s].
void impi_fields_push(ImpiSolve *solve, double h, double t, double until);
// Reserve ImpWorld.backup for all awake bodies, and initialize the new entries.
bool impi_backup_reserve(ImpWorld *world);
// Record an offending body, which is to be disabled, and the stage that found the fault.
void impi_note_offender(ImpWorld *world, int32_t body, const char *stage);
// Return true if (vx, vy, w) takes the body out of the world within h [s].
bool impi_throws_out(const ImpiBody *body, double vx, double vy, double w, double h);
ImpStatus impi_movers_step(ImpWorld *world);
void impi_movers_undo(ImpWorld *world);        // undoes impi_movers_step after a later stage failed
void impi_report_impacts(ImpWorld *world);     // step_impacts.c: sum the work of contacts, report begin and hit events
ImpStatus impi_update_pairs(ImpWorld *world);  // step_pairs.c: create contacts for new pairs of boxes
ImpStatus impi_update_lists(ImpWorld *world);  // lists the awake bodies, and the contacts with an awake body, by slot
ImpStatus impi_gather_active(ImpWorld *world); // lists the contacts that make rows, and marks the bodies that have rows
bool impi_contact_acts(const ImpWorld *world, const ImpiContact *contact); // whether the contact has rows in this step
// Reserve memory for the narrow phase and the list of active contacts; false when out of memory.
bool impi_contacts_reserve(ImpWorld *world);
// Update manifolds and report events. Returns false when out of memory; the step may be repeated.
bool impi_update_contacts(ImpWorld *world);
void impi_wake_sleeper(ImpWorld *world, const ImpiContact *contact); // wakes the sleeping bodies of the contact

#endif
