// Handlers of world:on. A world has a list of handlers for each kind; steps call them, and snapshots store them.
#ifndef IMPEL_BINDINGS_SUBSCRIPTION_H
#define IMPEL_BINDINGS_SUBSCRIPTION_H

#include "base/class.h"

extern const Members bind_handler_members;

typedef struct Subscription {
  Handle handle;
  int kind;
  bool alive;
  bool outside;    ///< not part of the world's state
  uint64_t order;  ///< number of the world:on call that created the handler
  uint64_t serial; ///< serial number (1, 2, ...) if the handler is part of the state, else 0
} Subscription;

/// User value of a subscription: its function, kept while a step or a restore may need the function.
enum { UV_HANDLER_FUNCTION = 3 };

/// Return "step", "begin_contact", ...; null after the last kind.
const char *bind_handler_name(int kind);
/// Push the list of the handlers of one kind, { subscription, function, ... }; return its stack index.
int bind_push_handlers(lua_State *L, int world, int kind);
/// Append the subscription at the index, with its function, to the list at index `list`.
void bind_append_handler(lua_State *L, WorldBox *box, int list, int index, int kind);
/// End the subscription at the index. The list is compacted after the step.
void bind_end_handler(lua_State *L, int world, int index);
/// Remove ended handlers from the lists, and sort handlers that a restore added.
void bind_squeeze_handlers(lua_State *L, int world);

#endif
