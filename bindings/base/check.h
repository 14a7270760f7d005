// Errors at the line of the Lua caller, and texts about arguments in error messages.
#ifndef IMPEL_BINDINGS_CHECK_H
#define IMPEL_BINDINGS_CHECK_H

#include <lauxlib.h>
#include <lua.h>
#include <stdbool.h>

/// Check at compile time that `table`, declared without a length, has `count` entries.
#define BIND_COVERS(table, count) \
  _Static_assert(sizeof(table) / sizeof *(table) == (count), #table " has no entry for a value of its enum")

/// Get the innermost Lua function, from stack level `level` outwards, outside impel's own modules.
/// The search ends at the function of bind_set_step. If all functions up to it are impel's own, get the innermost.
/// Return false if the stack has no Lua function.
bool bind_find_caller(lua_State *L, int level, lua_Debug *found);
/// Push "file:line: " of the caller, or "".
void bind_push_position(lua_State *L);
/// impel.core.set_home(prefix): set the prefix of the source names of impel's own modules. An error in one of them is
/// reported at the line that called into it.
int bind_set_home(lua_State *L);
/// `step` calls handlers; bind_find_caller searches no further than this function. Call this once per Lua state.
void bind_set_step(lua_State *L, lua_CFunction step);
/// Raise "file:line: message".
int bind_error(lua_State *L, const char *format, ...);
/// Push "file:line: " of the definition of the function at stack index `function`; for a C function, of the caller.
void bind_push_definition(lua_State *L, int function);
/// Raise "file:line: message" with the position of the definition of the function at a stack index.
int bind_function_error(lua_State *L, int function, const char *format, ...);
/// Push a description of the given value for a message: "nan", "'abc' (string)", "nil", "a table", "a body".
const char *bind_got(lua_State *L, int index);
/// Push a description of the expected number: "a finite number in [0, 1] [m]".
const char *bind_expected(lua_State *L, bool integer, double lower, double upper, const char *unit);
/// Raise for an argument that is not a finite number.
double bind_bad_number(lua_State *L, int index, const char *name, const char *unit);
/// Raise an error about an iterator function that was called outside a for loop.
int bind_no_loop(lua_State *L);

#endif
