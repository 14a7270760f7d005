// Handlers in the lists of their world, for the step and for snapshots.
#ifndef IMPEL_BINDINGS_SUBSCRIPTION_H
#define IMPEL_BINDINGS_SUBSCRIPTION_H

#include "base/class.h"

extern const Members bind_handler_members;

typedef struct Subscription {
  Handle handle;
  int kind;
  bool alive;
  bool outside;    ///< no part of the world's state: a restore leaves it as it is
  uint64_t order;  ///< of world:on
  uint64_t serial; ///< of those that are part of the state, from 1; else 0
} Subscription;

/// User value of a subscription: its function, as long as a step or a restore may call it.
enum { UV_HANDLER_FUNCTION = 3 };

/// "step", "begin_contact", ...; null behind the last.
const char *bind_handler_name(int kind);
/// Push the list of a kind, { subscription, function, ... }; its place on the stack.
int bind_push_handlers(lua_State *L, int world, int kind);
/// Append the subscription at the index, with its function.
void bind_append_handler(lua_State *L, WorldBox *box, int list, int index, int kind);
/// End the subscription at the index. The list keeps its places while a step walks it, and until many have ended.
void bind_end_handler(lua_State *L, int world, int index);
/// Take the dead out of the lists of handlers, and put what a restore brought back into its place.
void bind_squeeze_handlers(lua_State *L, int world);

#endif
