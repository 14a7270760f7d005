// The Lua module impel.system: functions of the operating system that scripts need and Lua's own libraries lack.
#ifndef IMPEL_BINDINGS_SYSTEM_H
#define IMPEL_BINDINGS_SYSTEM_H

#include <lauxlib.h>
#include <lua.h>
#include <stdbool.h>

/// Functions of the module, from process.c, disk.c and read_file.c.
extern const luaL_Reg bind_process_functions[];
extern const luaL_Reg bind_disk_functions[];
extern const luaL_Reg bind_file_functions[];

/// Push nil, message and "again", "space", "exists", "missing" or "other". Return 3.
int bind_errno(lua_State *L, const char *what);

/// Replace a file atomically. Push true, or the values of bind_errno; return the number of values.
int bind_replace_file(lua_State *L, const char *path, const char *text, size_t length);

/// Push a file's contents and return true; if the file cannot be read, push nil and a message and return false.
bool bind_push_file(lua_State *L, const char *path);

static inline int check_descriptor(lua_State *L, int index) { return (int)luaL_checkinteger(L, index); }

int bind_open_system(lua_State *L);

#endif
