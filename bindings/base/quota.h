// The quota of memory and time of a process that runs a script nobody trusts (quota.c).
#ifndef IMPEL_BINDINGS_QUOTA_H
#define IMPEL_BINDINGS_QUOTA_H

#include <stdbool.h>
#include <stddef.h>

#include <lua.h>

#include "impel.h"

/// Where worlds and what else the core makes take their memory from: null fields, the core's own, where there is no
/// quota; else what counts it.
ImpAllocator bind_allocator(void);

/// Whether this process has a quota: a script nobody trusts runs in it, which opens no files.
bool bind_is_confined(void);

/// Whether so many bytes are left of it, for what is large, short-lived and not counted; true where there is none.
bool bind_has_room(size_t bytes);

/// Seconds since some fixed moment, by a clock that never goes back.
double bind_clock(void);

/// Functions of impel.system.
int bind_set_quota(lua_State *L);
int bind_restart_clock(lua_State *L);
int bind_lacked_memory(lua_State *L);

#endif
