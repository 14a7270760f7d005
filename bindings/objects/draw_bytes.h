// Drawings as bytes (draw_bytes.c), two methods of the class in draw.c.
#ifndef IMPEL_BINDINGS_DRAW_BYTES_H
#define IMPEL_BINDINGS_DRAW_BYTES_H

#include <lua.h>

#include "impel.h"

/// The list of the drawing at stack index 1; raises.
ImpDrawList *bind_check_drawing(lua_State *L);

/// drawing:bytes() -> string
int draw_to_bytes(lua_State *L);

/// drawing:add(bytes) -> true; nil, message and an empty drawing where they are no drawing or memory is short
int draw_from_bytes(lua_State *L);

#endif
