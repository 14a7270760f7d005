// Quota of a process that runs an untrusted script: a memory budget for Lua and all worlds, and a deadline.
// A process beyond its quota exits with code 6, because a script could catch an error.
#define _GNU_SOURCE

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/check.h"
#include "base/quota.h"

enum {
  EXIT_QUOTA = 6,
  INSTRUCTIONS = 10000, // Lua instructions between two checks of the clock: about 50 us
  REFUSALS = 100,
  LINE_ROOM = 256,
};

// The counters are atomic, because the engine's threads also allocate.
static struct {
  atomic_size_t used;   // [bytes] allocated by Lua, and by worlds created since the quota was set
  atomic_size_t engine; // part of `used` that belongs to worlds
  atomic_bool refused;  // the last allocation of Lua failed
  int refusals;         // number of allocations that Lua requested and did not get
  atomic_bool lacked;   // at least one allocation has failed
  size_t limit;         // [bytes]; 0: no quota
  size_t bytes;         // part of `limit` that the script may use
  size_t engine_then;   // values of `engine` and `used` after the last collection by `collect`
  size_t used_then;
  double end;          // deadline, in the time of bind_clock() [s]
  double seconds;      // time limit [s], for the message
  lua_Alloc allocate;  // Lua's own allocator
  void *user;          // first argument of `allocate`
  ImpAllocator worlds; // the core's default allocator, which provides the memory of worlds
} quota;


double bind_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}


bool bind_is_confined(void) { return quota.limit > 0; }


bool bind_has_room(size_t bytes) {
  size_t used = atomic_load(&quota.used);
  bool has = quota.limit == 0 || (used <= quota.limit && bytes <= quota.limit - used);
  if (!has) atomic_store(&quota.lacked, true);
  return has;
}


// Print a message and exit. The parent forwards the text to the terminal, without unprintable characters.
static void tell_and_end(const char *text) {
  ssize_t written = write(STDERR_FILENO, text, strlen(text));
  (void)written;
  _exit(EXIT_QUOTA);
}


static void end_for_memory(void) {
  char line[LINE_ROOM];
  snprintf(line, sizeof line, "impel: quota: the script and its worlds need more than %.6g MB of memory\n",
           (double)quota.bytes / 1048576);
  tell_and_end(line);
}


// Reserve `more` bytes of the budget; return false if the budget has fewer bytes left.
static bool take(size_t more) {
  size_t before = atomic_fetch_add(&quota.used, more);
  if (more <= quota.limit && before <= quota.limit - more) return true;
  atomic_fetch_sub(&quota.used, more);
  return false;
}


// Refuse an allocation of Lua. Lua then collects garbage and tries the allocation again. Two refusals in a row, or
// REFUSALS refusals in total, end the process.
static void *refuse(void) {
  if (atomic_exchange(&quota.refused, true) || ++quota.refusals == REFUSALS) end_for_memory();
  atomic_store(&quota.lacked, true);
  return NULL;
}


static void *allocate_for_lua(void *user, void *old, size_t old_size, size_t new_size) {
  (void)user;
  if (old == NULL) old_size = 0; // without an old block, Lua passes the kind of the new object as old_size
  if (new_size <= old_size) {
    void *block = quota.allocate(quota.user, old, old_size, new_size);
    if (block != NULL || new_size == 0) atomic_fetch_sub(&quota.used, old_size - new_size);
    return block;
  }
  size_t more = new_size - old_size;
  if (!take(more)) return refuse();
  void *block = quota.allocate(quota.user, old, old_size, new_size);
  if (block == NULL) {
    atomic_fetch_sub(&quota.used, more);
    return refuse();
  }
  atomic_store(&quota.refused, false);
  return block;
}


// Allocate for a world. If memory is short, end the process: the count hook has already collected Lua's garbage, so
// nothing is left to free.
static void *allocate_for_world(void *user, void *old, size_t old_size, size_t new_size) {
  (void)user;
  size_t more = new_size > old_size ? new_size - old_size : 0, less = new_size < old_size ? old_size - new_size : 0;
  if (more > 0 && !take(more)) end_for_memory();
  void *block = quota.worlds.reallocate(quota.worlds.user, old, old_size, new_size);
  if (block == NULL && new_size > 0) {
    if (more > 0) end_for_memory();
    return NULL;
  }
  atomic_fetch_add(&quota.engine, more - less); // unsigned wrap-around is intended
  if (less > 0) atomic_fetch_sub(&quota.used, less);
  return block;
}


ImpAllocator bind_allocator(void) {
  if (!bind_is_confined()) return (ImpAllocator){0};
  return (ImpAllocator){.reallocate = allocate_for_world};
}


// Run Lua's collector if the worlds have grown by quota.bytes / 8 since the last collection, or if `used` exceeds
// limit / 2 and has grown by quota.bytes / 8 since then.
static void collect(lua_State *L) {
  size_t engine = atomic_load(&quota.engine), used = atomic_load(&quota.used), step = quota.bytes / 8;
  if (engine < quota.engine_then) quota.engine_then = engine;
  if (used < quota.used_then) quota.used_then = used;
  bool near = used > quota.limit / 2 && used - quota.used_then >= step;
  if (engine - quota.engine_then < step && !near) return;
  lua_gc(L, LUA_GCCOLLECT);
  quota.engine_then = atomic_load(&quota.engine);
  quota.used_then = atomic_load(&quota.used);
}


// Count hook: checks the deadline and collects garbage. New coroutines inherit the hook.
static void look(lua_State *L, lua_Debug *where) {
  if (bind_clock() < quota.end) {
    collect(L);
    return;
  }
  char line[LINE_ROOM];
  if (!bind_find_caller(L, 0, where)) lua_getinfo(L, "Sl", where);
  snprintf(line, sizeof line, "impel: quota: the script did not end within %.6g s; it was at %.60s:%d\n", quota.seconds,
           where->short_src, where->currentline);
  tell_and_end(line);
}


// quota(bytes, seconds): limit the memory and time of this process from now on. Can be called only once.
int bind_set_quota(lua_State *L) {
  lua_Number bytes = luaL_checknumber(L, 1), seconds = luaL_checknumber(L, 2);
  luaL_argcheck(L, bytes >= 1 && bytes <= 0x1p60, 1, "a number of bytes, at least 1, expected");
  luaL_argcheck(L, seconds > 0, 2, "seconds > 0 expected");
  if (bind_is_confined()) return luaL_error(L, "a quota is set already: it cannot be changed");
  lua_gc(L, LUA_GCCOLLECT);
  quota.used = (size_t)lua_gc(L, LUA_GCCOUNT) * 1024 + (size_t)lua_gc(L, LUA_GCCOUNTB);
  quota.bytes = (size_t)bytes;
  quota.limit = quota.used + quota.bytes;
  quota.seconds = seconds;
  quota.end = bind_clock() + seconds;
  quota.worlds = imp_default_allocator();
  quota.allocate = lua_getallocf(L, &quota.user);
  lua_setallocf(L, allocate_for_lua, NULL);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_MAINTHREAD);
  lua_sethook(lua_tothread(L, -1), look, LUA_MASKCOUNT, INSTRUCTIONS);
  lua_sethook(L, look, LUA_MASKCOUNT, INSTRUCTIONS);
  return 0;
}


// restart_clock(): restart the time of the quota
int bind_restart_clock(lua_State *L) {
  (void)L;
  quota.end = bind_clock() + quota.seconds;
  return 0;
}


// lacked_memory() -> boolean: whether the memory quota made an allocation fail
int bind_lacked_memory(lua_State *L) {
  lua_pushboolean(L, atomic_load(&quota.lacked));
  return 1;
}
