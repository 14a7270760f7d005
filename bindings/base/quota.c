// The quota of a process that runs a script nobody trusts: one budget of memory for Lua and all worlds, and a moment when
// it has to be done. Who exceeds it is told on stderr and ended on the spot (exit code 6): no handler of the script's is
// asked, so none can swallow it.
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
  INSTRUCTIONS = 10000, // of Lua, from one look at the clock to the next: some 50 us
  REFUSALS = 100,
  LINE_ROOM = 256,
};

// Of the process, as the memory that it counts is. Threads of the engine allocate, too.
static struct {
  atomic_size_t used;   // [bytes] by Lua and by worlds that were made since
  atomic_size_t engine; // of these by worlds
  atomic_bool refused;  // Lua was refused and has not been given anything since: it is collecting, or at its end
  int refusals;         // of Lua, in all
  atomic_bool lacked;   // somebody was refused something, and lives
  size_t limit;         // [bytes]; 0: there is no quota
  size_t bytes;         // of these the script's; the rest is what the program is made of
  size_t engine_then;   // `engine` and `used` when Lua collected last for their sake
  size_t used_then;
  double end;          // of bind_clock() [s]
  double seconds;      // for the message
  lua_Alloc allocate;  // Lua's own
  void *user;          // of it
  ImpAllocator worlds; // the core's own
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


// What is written here comes to the terminal by the parent, which takes out what is no text.
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


// Take `more` bytes of the budget, false where it has not as many.
static bool take(size_t more) {
  size_t before = atomic_fetch_add(&quota.used, more);
  if (more <= quota.limit && before <= quota.limit - more) return true;
  atomic_fetch_sub(&quota.used, more);
  return false;
}


// Lua collects its garbage when it is refused for the first time and asks once more. Refused twice it is at its end, and
// so is who has been refused often: what is asked for in one piece for a long text Lua asks for once, and a script may
// catch the error; or there is just enough left to collect all the time.
static void *refuse(void) {
  if (atomic_exchange(&quota.refused, true) || ++quota.refusals == REFUSALS) end_for_memory();
  atomic_store(&quota.lacked, true);
  return NULL;
}


static void *allocate_for_lua(void *user, void *old, size_t old_size, size_t new_size) {
  (void)user;
  if (old == NULL) old_size = 0; // Lua says there what kind of object it is going to be
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


// A world that is refused has nothing to collect: what is garbage of Lua's the hook collects long before.
static void *allocate_for_world(void *user, void *old, size_t old_size, size_t new_size) {
  (void)user;
  size_t more = new_size > old_size ? new_size - old_size : 0, less = new_size < old_size ? old_size - new_size : 0;
  if (more > 0 && !take(more)) end_for_memory();
  void *block = quota.worlds.reallocate(quota.worlds.user, old, old_size, new_size);
  if (block == NULL && new_size > 0) {
    if (more > 0) end_for_memory();
    return NULL;
  }
  atomic_fetch_add(&quota.engine, more - less); // wraps as it should
  if (less > 0) atomic_fetch_sub(&quota.used, less);
  return block;
}


ImpAllocator bind_allocator(void) {
  if (!bind_is_confined()) return (ImpAllocator){0};
  return (ImpAllocator){.reallocate = allocate_for_world};
}


// Lua's collector does not see the memory of worlds, and not how near the end of the quota is: when worlds have grown by
// an eighth of it, or all together where more than half is used, it is told.
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


// Called in every so many instructions of Lua, in coroutines, too: a new one begins with the hook of the one that made it.
static void look(lua_State *L, lua_Debug *where) {
  if (bind_clock() < quota.end) {
    collect(L);
    return;
  }
  char line[LINE_ROOM];
  if (!bind_find_caller(L, 0, where)) lua_getinfo(L, "Sl", where);
  snprintf(line, sizeof line, "impel: quota: no end after %.6g s, at %.60s:%d\n", quota.seconds, where->short_src,
           where->currentline);
  tell_and_end(line);
}


// quota(bytes, seconds): from now on this process has no more memory and no more time. Once, and for good.
int bind_set_quota(lua_State *L) {
  lua_Number bytes = luaL_checknumber(L, 1), seconds = luaL_checknumber(L, 2);
  luaL_argcheck(L, bytes >= 1 && bytes <= 0x1p60, 1, "bytes expected");
  luaL_argcheck(L, seconds > 0, 2, "seconds > 0 expected");
  if (bind_is_confined()) return luaL_error(L, "there is a quota already");
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


// restart_clock(): the time of the quota begins anew
int bind_restart_clock(lua_State *L) {
  (void)L;
  quota.end = bind_clock() + quota.seconds;
  return 0;
}


// lacked_memory() -> boolean: the quota of memory has refused something
int bind_lacked_memory(lua_State *L) {
  lua_pushboolean(L, atomic_load(&quota.lacked));
  return 1;
}
