// Interpolated poses (draw_poses.c), for the module in draw.c.
#ifndef IMPEL_BINDINGS_DRAW_POSES_H
#define IMPEL_BINDINGS_DRAW_POSES_H

#include "base/bindings.h"

/// drawing.poses() -> poses
int draw_poses_new(lua_State *L);

/// The poses at a stack index, null where nothing is there; raises.
const ImpPoses *draw_poses_at(lua_State *L, int index);

#endif
