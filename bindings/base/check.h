// Errors at the line of the Lua caller, and texts about arguments in error messages.
#ifndef IMPEL_BINDINGS_CHECK_H
#define IMPEL_BINDINGS_CHECK_H

#include <lauxlib.h>
#include <lua.h>
#include <stdbool.h>

/// Check at compile time that `table`, declared without a length, has `count` entries.
#define BIND_COVERS(table, count) \
  _Static_assert(sizeof(table) / sizeof *(table) == (count), #table " has no entry for a value of its enum")

/// Get the line that called into impel: the innermost Lua function, at stack level `level` or further out, that is not
/// in impel's own modules. A search that begins in a handler ends at world:step. If all functions that the search
/// passes are in impel's own modules, get the innermost of them. Return false if the stack has no Lua function.
bool bind_find_caller(lua_State *L, int level, lua_Debug *found);
/// Push "file:line: " of the caller, or "".
void bind_push_position(lua_State *L);
/// impel.core.set_home(prefix): set the prefix of the chunk names of impel's own modules. The message of an error that
/// such a module raises names the line that called into the module.
int bind_set_home(lua_State *L);
/// Set the C function of world:step, at which bind_find_caller ends its search. Call bind_set_step once per Lua state.
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
