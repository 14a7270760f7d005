// Snapshots of a world as strings and files, and the difference of two worlds.
#ifndef IMPEL_BINDINGS_SNAPSHOT_H
#define IMPEL_BINDINGS_SNAPSHOT_H

#include "base/options.h"

/// world:snapshot(), world:restore(snapshot), world:save(path), world:load(path).
int bind_world_snapshot(lua_State *L);
int bind_world_restore(lua_State *L);
/// Return the number of bytes at the start of a snapshot that belong to the core; raise if the Lua part is damaged.
size_t bind_core_part(lua_State *L, const char *bytes, size_t size);
int bind_snapshot_info(lua_State *L);
int bind_world_save(lua_State *L);
int bind_world_load(lua_State *L);
extern const Options bind_snapshot_options;

/// world:difference(other); bind_push_difference pushes a difference as a table.
int bind_world_difference(lua_State *L);
void bind_push_difference(lua_State *L, const ImpDifference *difference);

#endif
