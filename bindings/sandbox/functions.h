// The layers of the sandbox, and the quota of base/quota.h, as functions of impel.system (sandbox.c).
#ifndef IMPEL_BINDINGS_SANDBOX_FUNCTIONS_H
#define IMPEL_BINDINGS_SANDBOX_FUNCTIONS_H

#include <lauxlib.h>

extern const luaL_Reg bind_sandbox_functions[];

#endif
