// Adding events, and keeping the names of destroyed objects to which events may refer.
#ifndef IMPI_EVENTS_H
#define IMPI_EVENTS_H

#include "world/world.h"

// Add an event to the list that handlers receive next: inside a step the list of the step, otherwise the pending list.
// Returns false when out of memory; the event is lost and the world stays valid.
bool impi_event_add(ImpWorld *world, ImpEventKind kind, ImpEvent event);
void impi_event_body(ImpWorld *world, ImpEventKind kind, int32_t body, const char *text);
void impi_event_contact(ImpWorld *world, ImpEventKind kind, const ImpiContact *contact, double speed, double impulse);
// Move the pending events to the list of the step that begins.
void impi_events_begin_step(ImpWorld *world);
// Undo impi_events_begin_step after a step that failed before anything moved.
void impi_events_undo(ImpWorld *world);
// Before an object is destroyed: store its name and number until no event can refer to the object. Takes over `name`.
void impi_note_destroyed(ImpWorld *world, ImpObjectKind kind, uint64_t id, uint64_t serial, char *name);
// Free the names that events refer to. `list`: 0 for events of the last step, 1 for pending events.
void impi_free_old_names(ImpWorld *world, int list);
void impi_free_destroyed(ImpWorld *world);

#endif
