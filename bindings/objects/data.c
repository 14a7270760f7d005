// The property `data` of objects, and the serials of tables and functions.
// A snapshot stores the serial of a table or function, by which a restore finds it.
// Worlds created by the same calls have the same serials.
#include "objects/data.h"
#include "base/world_table.h"


uint64_t bind_serial_of(lua_State *L, int world, int index) {
  index = lua_absindex(L, index);
  bind_world_table(L, world, SLOT_SERIALS);
  lua_pushvalue(L, index);
  lua_rawget(L, -2);
  uint64_t serial = (uint64_t)lua_tointeger(L, -1);
  lua_pop(L, 2);
  if (serial == 0) return 0;
  // After a restore, bind_keep_serial assigns the same numbers again, so a newer value can have the serial by now.
  bind_world_table(L, world, lua_istable(L, index) ? SLOT_TABLES : SLOT_FUNCTIONS);
  lua_rawgeti(L, -1, (lua_Integer)serial);
  bool holds = lua_rawequal(L, -1, index);
  lua_pop(L, 2);
  return holds ? serial : 0;
}


void bind_set_serial(lua_State *L, int world, int index, uint64_t serial) {
  index = lua_absindex(L, index);
  bind_world_table(L, world, SLOT_SERIALS);
  lua_pushvalue(L, index);
  lua_pushinteger(L, (lua_Integer)serial);
  lua_rawset(L, -3);
  lua_pop(L, 1);
  bind_world_table(L, world, lua_istable(L, index) ? SLOT_TABLES : SLOT_FUNCTIONS);
  lua_pushvalue(L, index);
  lua_rawseti(L, -2, (lua_Integer)serial);
  lua_pop(L, 1);
  if (!lua_istable(L, index) || !lua_getmetatable(L, index)) return;
  // SLOT_TABLES is weak. SLOT_FUNCTIONS keeps a table with a metatable alive, because a restore cannot recreate a
  // metatable.
  bind_world_table(L, world, SLOT_FUNCTIONS);
  lua_pushvalue(L, index);
  lua_rawseti(L, -2, (lua_Integer)serial);
  lua_pop(L, 2);
}


uint64_t bind_keep_serial(lua_State *L, int world, int index) {
  uint64_t serial = bind_serial_of(L, world, index);
  if (serial != 0) return serial;
  serial = ++((WorldBox *)lua_touserdata(L, world))->value_serial;
  bind_set_serial(L, world, index, serial);
  return serial;
}


int bind_get_data(lua_State *L, const Handle *self, int slot) {
  bind_world_table(L, 1, slot);
  lua_rawgeti(L, -1, bind_key(self->id));
  return 1;
}


void bind_set_data(lua_State *L, const Handle *self, int slot) {
  if (lua_istable(L, 3)) {
    bind_world_table(L, 1, SLOT_WORLD);
    bind_keep_serial(L, lua_gettop(L), 3);
    lua_pop(L, 1);
  }
  bind_world_table(L, 1, slot);
  lua_pushvalue(L, 3);
  lua_rawseti(L, -2, bind_key(self->id));
}


void bind_keep_option(lua_State *L, int table, const char *name, int slot, uint64_t id) {
  lua_pushstring(L, name);
  if (lua_rawget(L, table) != LUA_TNIL) {
    bind_world_table(L, 1, slot);
    lua_insert(L, -2);
    lua_rawseti(L, -2, bind_key(id));
  }
  lua_pop(L, 1);
}


int bind_get_own_data(lua_State *L, void *self) { return bind_get_data(L, self, ((const Handle *)self)->class->data); }


void bind_set_own_data(lua_State *L, void *self) { bind_set_data(L, self, ((const Handle *)self)->class->data); }
