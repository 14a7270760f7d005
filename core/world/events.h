// Events: noting them, and the names of objects that are destroyed while an event may refer to them.
#ifndef IMPI_EVENTS_H
#define IMPI_EVENTS_H

#include "world/world.h"

// Note an event for the list that the next handlers see: during a step the step's own, otherwise the pending one.
// False when out of memory: the event is lost, the world is whole.
bool impi_event_add(ImpWorld *world, ImpEventKind kind, ImpEvent event);
void impi_event_body(ImpWorld *world, ImpEventKind kind, int32_t body, const char *text);
void impi_event_contact(ImpWorld *world, ImpEventKind kind, const ImpiContact *contact, double speed, double impulse);
// Make the pending events those of the step that begins.
void impi_events_begin_step(ImpWorld *world);
// The step failed before anything moved: its events wait for the next one.
void impi_events_undo(ImpWorld *world);
// An object is about to be destroyed: its name, which is taken over, and number are known until no event can hold it.
void impi_note_former(ImpWorld *world, ImpObjectKind kind, uint64_t id, uint64_t serial, char *name);
// Free the names that events of the last step (0) or pending ones (1) hold.
void impi_free_old_names(ImpWorld *world, int list);
void impi_free_former(ImpWorld *world);

#endif
