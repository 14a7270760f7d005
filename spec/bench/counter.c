// A Lua module for spec/tools/scale.lua: counter(f) calls f. Under callgrind the instructions of this call alone are
// counted, in a separate profile.
#include <lauxlib.h>
#include <valgrind/callgrind.h>


static int count(lua_State *L) {
  lua_settop(L, 1);
  CALLGRIND_START_INSTRUMENTATION;
  lua_call(L, 0, 0);
  CALLGRIND_DUMP_STATS;
  CALLGRIND_STOP_INSTRUMENTATION;
  return 0;
}


__attribute__((visibility("default"))) int luaopen_counter(lua_State *L);
int luaopen_counter(lua_State *L) {
  lua_pushcfunction(L, count);
  return 1;
}
