// world:snapshot and world:restore. The core brings its objects back under the handles that they had, so the userdata
// of what lived then are alive again, and those of what was made since are dead. What the Lua side keeps beside them
// (data, functions) stays with a handle for ever once a snapshot was made: nobody knows which strings are still held.
#include "bindings.h"

#define BYTES_METATABLE "impel.bytes"


// __gc of the userdata that holds the core's bytes while the string is made.
static int free_bytes(lua_State *L) {
  void **bytes = lua_touserdata(L, 1);
  imp_snapshot_free(*bytes);
  *bytes = NULL;
  return 0;
}


void bind_register_snapshot(lua_State *L) {
  if (luaL_newmetatable(L, BYTES_METATABLE)) {
    lua_pushcfunction(L, free_bytes);
    lua_setfield(L, -2, "__gc");
  }
  lua_pop(L, 1);
}


static WorldBox *check_world(lua_State *L) {
  WorldBox *box = bind_self(L);
  bind_world_class.require(L, box, NULL);
  return box;
}


// world:snapshot() -> string
int bind_world_snapshot(lua_State *L) {
  WorldBox *box = check_world(L);
  size_t size = 0;
  void **bytes = lua_newuserdatauv(L, sizeof *bytes, 0);
  *bytes = NULL;
  luaL_setmetatable(L, BYTES_METATABLE);
  bind_status(L, imp_world_snapshot(box->world, bytes, &size));
  box->keeps = true;
  lua_pushlstring(L, *bytes, size); // may raise: then the collector frees the bytes
  imp_snapshot_free(*bytes);
  *bytes = NULL;
  return 1;
}


// What a userdata remembers as its name may have been another when the snapshot was made.
static const char *name_of(const ImpWorld *world, int slot, uint64_t id) {
  const char *name = NULL;
  if (slot == SHELF_BODIES) imp_body_name(world, (ImpBody){id}, &name);
  if (slot == SHELF_SHAPES) imp_shape_name(world, (ImpShape){id}, &name);
  if (slot == SHELF_JOINTS) imp_joint_name(world, (ImpJoint){id}, &name);
  if (slot == SHELF_MOVERS) imp_body_name(world, (ImpBody){id}, &name);
  if (slot == SHELF_FIELDS) imp_field_name(world, (ImpField){id}, &name);
  return name;
}


static bool lives(const ImpWorld *world, int slot, uint64_t id) {
  return slot == SHELF_BODIES   ? imp_body_is_valid(world, (ImpBody){id})
         : slot == SHELF_SHAPES ? imp_shape_is_valid(world, (ImpShape){id})
         : slot == SHELF_JOINTS ? imp_joint_is_valid(world, (ImpJoint){id})
         : slot == SHELF_MOVERS ? imp_mover_is_valid(world, (ImpMover){id})
                                : imp_field_is_valid(world, (ImpField){id});
}


static void refresh_names(lua_State *L, const WorldBox *box, int slot) {
  bind_shelf(L, 1, slot);
  int cache = lua_gettop(L);
  for (lua_pushnil(L); lua_next(L, cache); lua_settop(L, cache + 1)) {
    uint64_t id = ((const Handle *)lua_touserdata(L, -1))->id;
    if (!lives(box->world, slot, id)) continue;
    const char *name = name_of(box->world, slot, id);
    if (name) {
      lua_pushstring(L, name);
    } else {
      lua_pushnil(L);
    }
    bind_remember_name(L, cache + 2);
  }
  lua_settop(L, cache - 1);
}


// world:restore(snapshot)
int bind_world_restore(lua_State *L) {
  WorldBox *box = check_world(L);
  if (lua_type(L, 2) != LUA_TSTRING) {
    return bind_error(L, "world:restore: argument 'snapshot' must be a string that world:snapshot() gave, got %s",
                      bind_got(L, 2));
  }
  if (box->tracing) return bind_error(L, "world:restore: called inside a %s's function", box->traced);
  size_t size;
  const char *bytes = lua_tolstring(L, 2, &size);
  bind_status(L, imp_world_restore(box->world, bytes, size));
  box->epoch++; // what is pooled told of another state
  for (int slot = SHELF_BODIES; slot <= SHELF_MOVERS; slot++) refresh_names(L, box, slot);
  return 0;
}
