// The property `data` of objects, and the serials of tables and functions in snapshots.
#ifndef IMPEL_BINDINGS_DATA_H
#define IMPEL_BINDINGS_DATA_H

#include "base/class.h"

/// The property `data` of an object: what is kept by its id in a slot of the shelf.
int bind_get_data(lua_State *L, const Handle *self, int slot);
void bind_set_data(lua_State *L, const Handle *self, int slot);

/// The serial of the table or function at an index in snapshots of its world: 0 or a new one if it has none.
uint64_t bind_serial_of(lua_State *L, int world, int index);
uint64_t bind_keep_serial(lua_State *L, int world, int index);
void bind_set_serial(lua_State *L, int world, int index, uint64_t serial);

#endif
