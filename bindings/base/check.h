// Errors at the caller's line, and the texts about arguments that they are made of.
#ifndef IMPEL_BINDINGS_CHECK_H
#define IMPEL_BINDINGS_CHECK_H

#include <lauxlib.h>
#include <lua.h>
#include <stdbool.h>

/// A table over an enum of `count` values, declared without a length, has an entry for the last of them: a value that is
/// added without one does not compile.
#define BIND_COVERS(table, count) \
  _Static_assert(sizeof(table) / sizeof *(table) == (count), #table " lacks an entry for a value")

/// The nearest Lua function from a level of the stack on that is none of impel's own, or where there is none (or none
/// within the step that runs) the nearest one: its source and line. False where no Lua runs.
bool bind_find_caller(lua_State *L, int level, lua_Debug *found);
/// Push "file:line: " of whoever called, or "".
void bind_push_position(lua_State *L);
/// impel.core.set_home(prefix): sources that begin so are impel's own; errors are told at the lines of who calls them.
int bind_set_home(lua_State *L);
/// The function in which handlers run: nobody called them. Once a state.
void bind_set_step(lua_State *L, lua_CFunction step);
/// Raise "file:line: message".
int bind_error(lua_State *L, const char *format, ...);
/// Push "file:line: " of where the function at a stack index begins; of a C function the caller's.
void bind_push_definition(lua_State *L, int function);
/// Raise "file:line: message" with the place where the function at a stack index begins: a step called it
/// and it returned what it must not.
int bind_function_error(lua_State *L, int function, const char *format, ...);
/// Push what was given, for a message: "nan", "'abc' (string)", "nil", "a table", "a body".
const char *bind_got(lua_State *L, int index);
/// Push what a number should have been: "a finite number in [0, 1] [m]".
const char *bind_expected(lua_State *L, bool integer, double lower, double upper, const char *unit);
/// Raise for an argument that is no finite number.
double bind_bad_number(lua_State *L, int index, const char *name, const char *unit);
/// Raise: an iterator function was called by something else than a loop.
int bind_no_loop(lua_State *L);

#endif
