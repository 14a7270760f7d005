// shape.filter: the function that decides whether a shape collides with another.
#ifndef IMPEL_BINDINGS_FILTER_H
#define IMPEL_BINDINGS_FILTER_H

#include "base/class.h"

/// The property `filter` of a shape. A step calls bind_filter_evaluate in protected mode; its Lua arguments are
/// (world, shape id, id of the other shape), its result is a boolean.
int bind_get_filter(lua_State *L, void *self);
void bind_set_filter(lua_State *L, void *self);
int bind_shape_refilter(lua_State *L);
int bind_filter_evaluate(lua_State *L);
/// Return whether option `filter` of the table at index 2 is a function; raise unless it is a function or nil.
bool bind_read_filter(lua_State *L, const char *call);

#endif
