// Adding events, and keeping the names of destroyed objects to which events may refer.
#ifndef IMPI_EVENTS_H
#define IMPI_EVENTS_H

#include "world/world.h"

// Add an event for the next call of handlers: inside a step to the list of the step, otherwise to the pending list.
// Returns false when out of memory; then the event is lost.
bool impi_event_add(ImpWorld *world, ImpEventKind kind, ImpEvent event);
void impi_event_body(ImpWorld *world, ImpEventKind kind, int32_t body, const char *text);
void impi_event_contact(ImpWorld *world, ImpEventKind kind, const ImpiContact *contact, double speed, double impulse);
// Move the pending events to the list of the step that begins.
void impi_events_begin_step(ImpWorld *world);
// Undo impi_events_begin_step after a step that failed before anything moved.
void impi_events_undo(ImpWorld *world);
// Store name and number of a destroyed object for its events. Takes over `name`.
void impi_note_destroyed(ImpWorld *world, ImpObjectKind kind, uint64_t id, uint64_t serial, char *name);
// Free the strings in world->event.old_names[list], and empty that list.
void impi_free_old_names(ImpWorld *world, int list);
void impi_free_destroyed(ImpWorld *world);

#endif
