// The module impel.seccomp. Only this module links libseccomp, which a build can lack.
#include <errno.h>
#include <string.h>

#include <lauxlib.h>
#include <lua.h>

#include "sandbox/sandbox.h"

#if defined(__GNUC__)
#define MODULE_API __attribute__((visibility("default")))
#else
#define MODULE_API
#endif

MODULE_API int luaopen_impel_seccomp(lua_State *L);


// seccomp.close() -> true; nil, message. After success most system calls fail.
static int enable_layer(lua_State *L) {
  int status = sandbox_seccomp();
  if (status == 0) {
    lua_pushboolean(L, 1);
    return 1;
  }
  lua_pushnil(L);
  lua_pushstring(L, strerror(-status));
  return 2;
}


int luaopen_impel_seccomp(lua_State *L) {
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, enable_layer);
  lua_setfield(L, -2, "close");
  return 1;
}
