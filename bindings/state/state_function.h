// Functions in snapshots: their owner, and a hash of their code.
#ifndef IMPEL_BINDINGS_STATE_FUNCTION_H
#define IMPEL_BINDINGS_STATE_FUNCTION_H

#include "state/bytes.h"

// function_code.c
/// Return a hash of a function's code; 1 for a C function.
uint64_t bind_hash_code(lua_State *L, int index);

// state_function.c: identification of functions
typedef struct FunctionMark {
  uint64_t hash;     ///< hash of the function's code, independent of file and line
  const char *place; ///< "scene.lua:12", without a terminating zero
  size_t place_length;
} FunctionMark;
/// Pop the function at the top, and write its hash and place (FunctionMark).
void bind_put_function(lua_State *L, int world, Bytes *bytes);
FunctionMark bind_take_function(Reader *reader);
/// Return whether the value at the index is a function with that mark.
bool bind_is_function(lua_State *L, int world, int index, FunctionMark mark);
/// Raise because function `current` is not the snapshot's. `what`: "a shape's filter"
int bind_refuse_function(lua_State *L, const char *what, FunctionMark mark, int current);
/// Write, check and restore the functions of filters, mix rules, constraints, fields and joints.
void bind_put_functions(lua_State *L, int world, Bytes *bytes);
void bind_check_functions(lua_State *L, int world, Reader *reader);
void bind_take_functions(lua_State *L, int world, Reader *reader);

#endif
