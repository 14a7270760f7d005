// Recordings on the Lua side, and what differs between two worlds.
#ifndef IMPEL_BINDINGS_RECORD_H
#define IMPEL_BINDINGS_RECORD_H

#include "bindings.h"

/// A difference as a table, which is pushed.
void bind_push_difference(lua_State *L, const ImpDifference *difference);

#endif
