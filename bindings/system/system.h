// The Lua module impel.system: what scripts need of the operating system and Lua's own libraries lack.
#ifndef IMPEL_BINDINGS_SYSTEM_H
#define IMPEL_BINDINGS_SYSTEM_H

#include <lauxlib.h>
#include <lua.h>
#include <stdbool.h>

/// Functions that the module consists of, from process.c, disk.c and read_file.c.
extern const luaL_Reg bind_process_functions[];
extern const luaL_Reg bind_disk_functions[];
extern const luaL_Reg bind_file_functions[];

/// Push nil, "what: reason of errno" and errno's name in short where scripts ask for it ("again", "space", "locked",
/// "exists"), else "other"; gives 3.
int bind_errno(lua_State *L, const char *what);

/// Put a file in the place of another, whole or not at all: see disk.c. Pushes true, or what bind_errno does; their number.
int bind_replace_file(lua_State *L, const char *path, const char *text, size_t length);

/// Push what a file holds as a string; or nil and a message, and gives false.
bool bind_push_file(lua_State *L, const char *path);

/// The argument as a file descriptor.
static inline int check_descriptor(lua_State *L, int index) { return (int)luaL_checkinteger(L, index); }

/// Open the module.
int bind_open_system(lua_State *L);

#endif
