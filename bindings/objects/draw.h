// The module impel.drawing: drawings (draw.c), drawings as bytes (draw_bytes.c), and poses between two steps
// (draw_poses.c).
#ifndef IMPEL_BINDINGS_DRAW_H
#define IMPEL_BINDINGS_DRAW_H

#include <lua.h>

#include "impel.h"

int bind_open_drawing(lua_State *L);

/// Return the list of the drawing at stack index 1; raise for any other value.
ImpDrawList *bind_check_drawing(lua_State *L);

/// drawing:bytes() -> string
int draw_to_bytes(lua_State *L);

/// drawing:add(bytes) -> true; nil, message and an empty drawing if the bytes are not a drawing or memory runs out
int draw_from_bytes(lua_State *L);

/// drawing.poses() -> poses
int draw_poses_new(lua_State *L);

/// Return the poses at a stack index, or null for nil; raise for any other value.
const ImpPoses *draw_poses_at(lua_State *L, int index);

#endif
