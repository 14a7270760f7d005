// Event objects, in a pool (ring buffer) for each kind.
#ifndef IMPEL_BINDINGS_EVENT_H
#define IMPEL_BINDINGS_EVENT_H

#include "base/class.h"

extern const Members bind_event_members;

/// After a step, reserve places of the ring buffer for a kind's events.
void bind_place_events(WorldBox *box, ImpEventKind kind);
/// Push the pooled object of an event of the last step. `pool`: stack index of the kind's table in SLOT_EVENTS
void *bind_push_event(lua_State *L, WorldBox *box, int owner, int pool, ImpEventKind kind, int index,
                      const ImpEvent *event);

#endif
