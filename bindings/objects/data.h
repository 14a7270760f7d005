// The property `data` of objects, and the serials of tables and functions in snapshots.
#ifndef IMPEL_BINDINGS_DATA_H
#define IMPEL_BINDINGS_DATA_H

#include "base/class.h"

/// bind_get_data pushes the value that a slot of the world table stores for an object; bind_set_data stores the value
/// at stack index 3. bind_get_own_data and bind_set_own_data use the slot Class.data.
int bind_get_data(lua_State *L, const Handle *self, int slot);
void bind_set_data(lua_State *L, const Handle *self, int slot);
/// Store option `name` of the table at index `table`, if not nil, in a slot of the world table for the object `id`.
/// Stack index 1: an object of the world
void bind_keep_option(lua_State *L, int table, const char *name, int slot, uint64_t id);
int bind_get_own_data(lua_State *L, void *self);
void bind_set_own_data(lua_State *L, void *self);

/// A serial identifies a table or function in snapshots. bind_serial_of returns 0 if the value at `index` has none;
/// bind_keep_serial assigns a new serial to such a value.
uint64_t bind_serial_of(lua_State *L, int world, int index);
uint64_t bind_keep_serial(lua_State *L, int world, int index);
void bind_set_serial(lua_State *L, int world, int index, uint64_t serial);

#endif
