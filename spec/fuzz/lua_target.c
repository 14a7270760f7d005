// Runs fuzz targets in Lua. SCRIPT returns a function of an input's bytes, which raises an error if a check fails. One
// Lua state, with impel.core built in, serves all inputs. `checksum(text)` returns the eight-byte checksum of a
// snapshot's Lua part.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "fuzz.h"

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

int luaopen_impel_core(lua_State *L);

static lua_State *state;


static int checksum(lua_State *L) {
  size_t size;
  const char *text = luaL_checklstring(L, 1, &size);
  uint64_t sum = XXH3_64bits(text, size);
  lua_pushlstring(L, (const char *)&sum, sizeof sum);
  return 1;
}


static int with_traceback(lua_State *L) {
  luaL_traceback(L, L, luaL_tolstring(L, 1, NULL), 1);
  return 1;
}


static void close_state(void) { lua_close(state); }


// Open a state with the script's function at index 2, above with_traceback.
static void open_state(void) {
  state = luaL_newstate();
  if (state == NULL) abort();
  luaL_openlibs(state);
  luaL_getsubtable(state, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
  lua_pushcfunction(state, luaopen_impel_core);
  lua_setfield(state, -2, "impel.core");
  lua_getglobal(state, "package");
  lua_pushliteral(state, "scripts/?.lua;scripts/?/init.lua;spec/?.lua");
  lua_setfield(state, -2, "path");
  lua_pushcfunction(state, checksum);
  lua_setglobal(state, "checksum");
  lua_settop(state, 0);
  lua_pushcfunction(state, with_traceback);
  if (luaL_loadfile(state, SCRIPT) != LUA_OK || lua_pcall(state, 0, 1, 1) != LUA_OK) {
    printf("%s\n", lua_tostring(state, -1));
    abort();
  }
  atexit(close_state);
}


static void one_input(Input *in) {
  if (state == NULL) open_state();
  lua_pushvalue(state, 2);
  lua_pushlstring(state, (const char *)in->at, in->left);
  bool ok = lua_pcall(state, 1, 0, 1) == LUA_OK;
  check_that(ok, __FILE__, __LINE__, ok ? "" : lua_tostring(state, -1));
  lua_settop(state, 2);
  lua_gc(state, LUA_GCCOLLECT); // errors in finalizers belong to the current input
}
