// The quota of memory and time of a process that runs an untrusted script (quota.c).
#ifndef IMPEL_BINDINGS_QUOTA_H
#define IMPEL_BINDINGS_QUOTA_H

#include <stdbool.h>
#include <stddef.h>

#include <lua.h>

#include "impel.h"

/// Return the allocator of worlds: one that counts for the quota; without a quota, null fields (the core's default).
ImpAllocator bind_allocator(void);

/// Return whether this process has a quota. Such a process runs an untrusted script and opens no files.
bool bind_is_confined(void);

/// Return whether the quota has `bytes` left; true without a quota.
bool bind_has_room(size_t bytes);

/// Return the time of a monotonic clock [s].
double bind_clock(void);

/// Functions of impel.system.
int bind_set_quota(lua_State *L);
int bind_restart_clock(lua_State *L);
int bind_lacked_memory(lua_State *L);

#endif
