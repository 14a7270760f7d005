// Event objects, pooled in a ring for each kind.
#ifndef IMPEL_BINDINGS_EVENT_H
#define IMPEL_BINDINGS_EVENT_H

#include "base/class.h"

extern const Members bind_event_members;

/// A step is over: give the events of a kind their places.
void bind_place_events(WorldBox *box, ImpEventKind kind);
/// Push the pooled object of an event of the last step; the kind's table in SHELF_EVENTS is at the index `pool`.
void *bind_push_event(lua_State *L, WorldBox *box, int owner, int pool, ImpEventKind kind, int index,
                      const ImpEvent *event);

#endif
