// The quota of memory and time of a process that runs a script nobody trusts (quota.c).
#ifndef IMPEL_BINDINGS_QUOTA_H
#define IMPEL_BINDINGS_QUOTA_H

#include <lua.h>

#include "impel.h"

/// Where worlds and what else the core makes take their memory from: null fields, the core's own, where there is no
/// quota; else what counts it.
ImpAllocator bind_allocator(void);

/// impel.system.set_quota
int bind_set_quota(lua_State *L);

#endif
