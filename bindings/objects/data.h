// The property `data` of objects, and the serials of tables and functions in snapshots.
#ifndef IMPEL_BINDINGS_DATA_H
#define IMPEL_BINDINGS_DATA_H

#include "base/class.h"

/// bind_get_data and bind_set_data access the value that a slot of the world table stores for an object.
/// bind_get_own_data and bind_set_own_data access the property `data`, stored in the slot Class.data.
int bind_get_data(lua_State *L, const Handle *self, int slot);
void bind_set_data(lua_State *L, const Handle *self, int slot);
/// Store the option `name` of the table at an index, unless it is nil, in a slot of the world table for an object of
/// the world at index 1.
void bind_keep_option(lua_State *L, int table, const char *name, int slot, uint64_t id);
int bind_get_own_data(lua_State *L, void *self);
void bind_set_own_data(lua_State *L, void *self);

/// The serial of the table or function at an index in snapshots of its world. If it has none, bind_serial_of returns 0
/// and bind_keep_serial assigns a new one.
uint64_t bind_serial_of(lua_State *L, int world, int index);
uint64_t bind_keep_serial(lua_State *L, int world, int index);
void bind_set_serial(lua_State *L, int world, int index, uint64_t serial);

#endif
