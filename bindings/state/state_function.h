// Functions in snapshots: whose they are, and a hash of what they are made of.
#ifndef IMPEL_BINDINGS_STATE_FUNCTION_H
#define IMPEL_BINDINGS_STATE_FUNCTION_H

#include "state/bytes.h"

// function_code.c
/// A hash of what the function at the index does, wherever it stands; 1 for all of C.
uint64_t bind_hash_code(lua_State *L, int index);

// state_function.c: functions, by what they are made of
typedef struct FunctionMark {
  uint64_t hash;     ///< of its code, whatever file and line it is from
  const char *place; ///< "scene.lua:12", not ended by a zero
  size_t place_length;
} FunctionMark;
/// Write the mark of the function at the top, which is popped.
void bind_put_function(lua_State *L, int world, Bytes *bytes);
FunctionMark bind_take_function(Reader *reader);
/// Whether the value at the index is a function of that mark.
bool bind_is_function(lua_State *L, int world, int index, FunctionMark mark);
/// Raise that the world has another function than `what`, "a shape's filter": the one at the index, or none.
int bind_refuse_function(lua_State *L, const char *what, FunctionMark mark, int current);
/// Filters, rules of mixing, and functions of constraints, fields and joints; as for handlers.
void bind_put_functions(lua_State *L, int world, Bytes *bytes);
void bind_check_functions(lua_State *L, int world, Reader *reader);
void bind_take_functions(lua_State *L, int world, Reader *reader);

#endif
