// Iterators over constraint rows.
#ifndef IMPEL_BINDINGS_ROW_H
#define IMPEL_BINDINGS_ROW_H

#include "base/class.h"

extern const Members bind_row_members;

/// world:rows(), joint:rows(), contact:rows().
int bind_world_rows(lua_State *L);
int bind_joint_rows(lua_State *L);
int bind_contact_rows(lua_State *L);

#endif
