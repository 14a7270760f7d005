// The sandbox's functions of impel.system: query and enable the layers.
#define _GNU_SOURCE

#include "sandbox/sandbox.h"
#include "sandbox/functions.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/quota.h"
#include "system/system.h"

enum { DESCRIPTORS_MOST = 32 };


// landlock_version() -> integer; 0 if the kernel does not support landlock
static int landlock_version(lua_State *L) {
  lua_pushinteger(L, sandbox_landlock_version());
  return 1;
}


// close_landlock() -> true; nil, message, reason. Enables the layer landlock.
static int close_landlock(lua_State *L) {
  if (!sandbox_landlock()) return bind_errno(L, "landlock");
  lua_pushboolean(L, 1);
  return 1;
}


// limit(cpu, memory, alone) -> true; nil, message, reason. The arguments are those of SandboxLimits.
static int limit_process(lua_State *L) {
  SandboxLimits limits = {
      .cpu = (uint64_t)luaL_checkinteger(L, 1),
      .memory = (uint64_t)luaL_checkinteger(L, 2),
      .alone = lua_toboolean(L, 3),
  };
  if (!sandbox_limit(&limits)) return bind_errno(L, "limits");
  lua_pushboolean(L, 1);
  return 1;
}


// drop_privileges() -> true; nil, message, reason
static int drop_privileges(lua_State *L) {
  if (!sandbox_drop_privileges()) return bind_errno(L, "no_new_privs");
  lua_pushboolean(L, 1);
  return 1;
}


// keep_descriptors(list): close all descriptors except 0, 1, 2 and the descriptors in the list
static int keep_descriptors(lua_State *L) {
  int kept[DESCRIPTORS_MOST], count = 0;
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_Integer length = luaL_len(L, 1);
  luaL_argcheck(L, length <= DESCRIPTORS_MOST, 1, "too many descriptors");
  for (lua_Integer i = 1; i <= length; ++i) {
    lua_geti(L, 1, i);
    kept[count++] = check_descriptor(L, -1);
    lua_pop(L, 1);
  }
  sandbox_close_descriptors(kept, count);
  return 0;
}


// unblock(descriptor): make reads and writes non-blocking; a read or write that would block returns the reason "again"
static int unblock(lua_State *L) {
  int descriptor = check_descriptor(L, 1);
  fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK);
  return 0;
}


// send(descriptor, text, from) -> number of bytes written, starting at byte `from`; nil, message, reason
static int send_bytes(lua_State *L) {
  size_t length;
  const char *text = luaL_checklstring(L, 2, &length);
  lua_Integer from = luaL_optinteger(L, 3, 1);
  luaL_argcheck(L, from >= 1 && (size_t)from <= length + 1, 3, "out of range");
  ssize_t written = write(check_descriptor(L, 1), text + from - 1, length - (size_t)from + 1);
  if (written < 0) return bind_errno(L, "cannot write");
  lua_pushinteger(L, (lua_Integer)written);
  return 1;
}


const luaL_Reg bind_sandbox_functions[] = {
    {"landlock_version", landlock_version},
    {"close_landlock", close_landlock},
    {"limit", limit_process},
    {"drop_privileges", drop_privileges},
    {"keep_descriptors", keep_descriptors},
    {"set_quota", bind_set_quota},
    {"restart_clock", bind_restart_clock},
    {"lacked_memory", bind_lacked_memory},
    {"unblock", unblock},
    {"send", send_bytes},
    {NULL, NULL},
};
