// The shelf of a world: what it keeps for scripts; and what every object that belongs to a world has.
#ifndef IMPEL_BINDINGS_SHELF_H
#define IMPEL_BINDINGS_SHELF_H

#include "base/class.h"

/// Push slot `slot` of the shelf of the object at `owner`.
void bind_shelf(lua_State *L, int owner, int slot);
/// Push a new object of a class that belongs to the world of `owner`.
void *bind_new_object(lua_State *L, int owner, const Class *class, size_t size);
/// Write the name that a destroyed object is remembered by: the string or nil at the top, which is popped.
void bind_remember_name(lua_State *L, int object);
/// The property `name` of an object that remembers its own; a string or nil.
int bind_get_name(lua_State *L, void *self);
void bind_set_name(lua_State *L, void *self);
/// The property `world` of what lives in one: the same userdata as ever.
int bind_get_world(lua_State *L, void *self);
/// The living world that is the receiver of the method that runs.
WorldBox *bind_check_world(lua_State *L);
/// The id of the living object of a class at the stack index, of the world of the one at index 1; raises and names the
/// argument: "body 'b'", "argument 'shape'".
uint64_t bind_argument(lua_State *L, int index, const Class *class, const char *name);
/// Raise where the call stands in a __save or __load of the world's own state.
void bind_refuse_saving(lua_State *L, const WorldBox *box);

#endif
