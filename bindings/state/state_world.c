// Other worlds in the state of a world. The world's snapshot contains the snapshot of each other world. A restore finds
// the other worlds by their serials.
#include <string.h>

#include "base/world_table.h"
#include "objects/data.h"
#include "objects/world.h"
#include "state/state.h"


// Return the world at the index if it is valid and not `own`; else null.
static WorldBox *other_world(lua_State *L, int index, const WorldBox *own) {
  WorldBox *box = luaL_testudata(L, index, bind_world_class.registry);
  return box != NULL && box != own && box->world != NULL ? box : NULL;
}


bool bind_is_other_world(lua_State *L, int own, int index) {
  return other_world(L, index, lua_touserdata(L, own)) != NULL;
}


void bind_put_world(lua_State *L, int own, int index, int worlds, Bytes *bytes) {
  index = lua_absindex(L, index);
  bind_put_u8(L, bytes, STATE_OTHER_WORLD);
  bind_put_u64(L, bytes, bind_keep_serial(L, own, index));
  lua_Unsigned number = 0; // 0 if `worlds` is 0, because the caller discards the bytes
  bool whole = false;
  if (worlds != 0) {
    lua_pushvalue(L, index);
    whole = lua_rawget(L, worlds) == LUA_TNIL;
    number = whole ? lua_rawlen(L, worlds) + 1 : (lua_Unsigned)lua_tointeger(L, -1);
    lua_pop(L, 1);
  }
  bind_put_u32(L, bytes, (uint32_t)number);
  if (!whole) {
    bind_put_text(L, bytes, "", 0);
    return;
  }
  bind_push_guarded(L, bind_put_snapshot);
  lua_pushvalue(L, index);
  lua_pushvalue(L, worlds);
  lua_call(L, 2, 1);
  Bytes *snapshot = lua_touserdata(L, -1);
  bind_put_text(L, bytes, (const char *)snapshot->at, snapshot->size);
  bind_free_bytes(snapshot);
  lua_pop(L, 1);
}


bool bind_push_other_world(lua_State *L, int own, uint64_t serial) {
  bind_world_table(L, own, SLOT_FUNCTIONS);
  lua_rawgeti(L, -1, (lua_Integer)serial);
  lua_replace(L, -2);
  if (bind_is_other_world(L, own, -1)) return true;
  lua_pop(L, 1);
  return false;
}


static bool is_restored(lua_State *L, int restores, int index) {
  bool is = false;
  for (uint32_t number = 1; !is && bind_push_restored(L, restores, number); number++) {
    is = lua_rawequal(L, -1, index);
    lua_pop(L, 1);
  }
  return is;
}


void bind_check_world_bytes(lua_State *L, int restores, int other, const char *bytes, size_t length) {
  const WorldBox *box = lua_touserdata(L, other);
  if (box->saving > 0 && is_restored(L, restores, other)) {
    bind_error(L, "%s: two fields hold different worlds in the snapshot, but the same world in this script",
               bind_caller(L));
  }
  if (box->stepping || box->tracing || box->saving > 0) {
    bind_error(L, "%s: the state contains another world, which cannot be restored during its own %s", bind_caller(L),
               box->saving > 0 ? "snapshot or restore" : "step or during the function of a constraint or field");
  }
  bind_push_guarded(L, bind_prepare_restore);
  lua_pushvalue(L, other);
  lua_pushlstring(L, bytes, length);
  lua_pushvalue(L, restores);
  lua_call(L, 3, 0);
}
