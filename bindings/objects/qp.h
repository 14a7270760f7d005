// Quadratic programs, which belong to no world.
#ifndef IMPEL_BINDINGS_QP_H
#define IMPEL_BINDINGS_QP_H

#include "base/class.h"

extern const Members bind_qp_members;

/// impel.core.qp(n, m) -> qp
int bind_qp_new(lua_State *L);

#endif
