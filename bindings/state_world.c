// Other worlds in the state of a world, as of a scene that compares solvers side by side: their snapshots are part of its own.
#include <string.h>

#include "state.h"


// The living world at the index that is not `own`; null: there is none.
static WorldBox *other_world(lua_State *L, int index, const WorldBox *own) {
  WorldBox *box = luaL_testudata(L, index, bind_world_class.registry);
  return box != NULL && box != own && box->world != NULL ? box : NULL;
}


bool bind_is_other_world(lua_State *L, int own, int index) {
  return other_world(L, index, lua_touserdata(L, own)) != NULL;
}


bool bind_put_world(lua_State *L, int index, Bytes *bytes) {
  index = lua_absindex(L, index);
  if (((const WorldBox *)lua_touserdata(L, index))->saving > 0) return false;
  lua_getfield(L, index, "snapshot");
  lua_pushvalue(L, index);
  lua_call(L, 1, 1);
  size_t length;
  const char *text = lua_tolstring(L, -1, &length);
  bind_put_u8(L, bytes, STATE_OTHER_WORLD);
  bind_put_text(L, bytes, text, length);
  lua_pop(L, 1);
  return true;
}


void bind_check_world_bytes(lua_State *L, int own, int index, const char *bytes, size_t length) {
  index = lua_absindex(L, index);
  if (other_world(L, index, lua_touserdata(L, own)) == NULL) {
    bind_error(L, "%s: the snapshot has another world in a table of the state where this one has none", bind_caller(L));
  }
  const WorldBox *other = lua_touserdata(L, index);
  if (other->stepping || other->tracing || other->saving > 0) {
    bind_error(L, "%s: another world in the state is inside a step or a function of its own", bind_caller(L));
  }
  for (int i = 1; i <= BIND_METHOD_UPVALUES; i++) lua_pushvalue(L, lua_upvalueindex(i));
  lua_pushcclosure(L, bind_check_snapshot, BIND_METHOD_UPVALUES);
  lua_pushvalue(L, index);
  lua_pushlstring(L, bytes, length);
  lua_call(L, 2, 0);
}


bool bind_take_world(lua_State *L, int index, const char *bytes, size_t length) {
  index = lua_absindex(L, index);
  if (other_world(L, index, NULL) == NULL) return true; // the script took it away
  lua_getfield(L, index, "restore");
  lua_pushvalue(L, index);
  lua_pushlstring(L, bytes, length);
  return lua_pcall(L, 2, 0, 0) == LUA_OK;
}
