// The world table, which has the Lua values of a world, and functions common to its objects.
#ifndef IMPEL_BINDINGS_WORLD_TABLE_H
#define IMPEL_BINDINGS_WORLD_TABLE_H

#include "base/class.h"

/// Push slot `slot` of the world table of the object at `owner`.
void bind_world_table(lua_State *L, int owner, int slot);
/// Push a new object of `class` in the world of `owner`.
void *bind_new_object(lua_State *L, int owner, const Class *class, size_t size);
/// Pop a string or nil and store it as the name of the object at index `object`, also for messages after destruction.
void bind_remember_name(lua_State *L, int object);
/// Getter and setter of `name`, a string or nil
int bind_get_name(lua_State *L, void *self);
void bind_set_name(lua_State *L, void *self);
/// Getter of the property `world` of an object: always the same userdata.
int bind_get_world(lua_State *L, void *self);
/// Return the receiver of the running method, a world that is not destroyed.
WorldBox *bind_check_world(lua_State *L);
/// Return the id of the object at the stack index. Raise unless it is valid, of class `class` and in the world of the
/// object at index 1. `name`: the argument in messages, "body 'b'".
uint64_t bind_argument(lua_State *L, int index, const Class *class, const char *name);
/// Raise if the running method was called inside a __save or __load of the world's own state.
void bind_refuse_saving(lua_State *L, const WorldBox *box);

#endif
