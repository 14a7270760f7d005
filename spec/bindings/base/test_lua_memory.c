// Allocations of Lua fail in a script. The script gets an error that it can catch, each object is complete or absent,
// and nothing leaks. With --long every allocation of the script fails; otherwise every n-th, at most 120 of them.
#include "scene.h"

#include <stdlib.h>

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

int luaopen_impel_core(lua_State *L);

enum { SHORT_TRIES = 120 };

// State of the allocator of one Lua state.
typedef struct Memory {
  size_t bytes;
  long requests, fail_at; // 0: never
  bool from_then_on, failed;
} Memory;

static const char script[] =
    "local keep = ...\n"
    "local world = impel.world { seed = 3 }\n"
    "keep.world = world\n"
    "local ground = world:body { type = 'static', name = 'ground' }\n"
    "ground:box { 20, 1 }\n"
    "local kept = { n = 0, list = { 1, 2 } }\n"
    "world:state(kept)\n"
    "for i = 1, 4 do\n"
    "  local body = world:body { position = { i, 1.1 }, name = 'b' .. i, data = { i } }\n"
    "  body:circle { radius = 0.4 }\n"
    "  if i > 2 then world:revolute(ground, body, { anchor = { i, 3 } }) end\n"
    "end\n"
    "world:on('begin_contact', function(e) kept.n = kept.n + 1 kept.list[#kept.list + 1] = e.x end)\n"
    "world:on('substep', function() world:raycast(-5, 0.9, 5, 0.9) end)\n"
    "world:field { kind = 'custom', law = function(p) return -p.vx, 0 end }\n"
    "local shot = world:snapshot()\n"
    "for _ = 1, 8 do world:step() end\n"
    "local first, n = world.hash, kept.n\n"
    "world:restore(shot)\n"
    "for _ = 1, 8 do world:step() end\n"
    "assert(world.hash == first and kept.n == n, 'the restored world moves differently')\n"
    "for _, shape in ipairs(world:overlap_box(-5, -5, 5, 5)) do shape.friction = 0.5 end\n"
    "world:find 'b2':destroy()\n"
    "world:step()\n"
    "impel.load_data(world:export { partial = true }):destroy()\n"
    "for contact in world:contacts() do contact:normal() end\n"
    "for joint in world:joints() do joint:destroy() end\n"
    "world:restore(shot)\n"
    "world:step()\n";

// Script that runs when memory is available again.
static const char after[] = "local keep = ...\n"
                            "if not keep.world then return end\n"
                            "for _ = 1, 3 do keep.world:step() end\n"
                            "local shot = keep.world:snapshot()\n"
                            "keep.world:restore(shot)\n"
                            "assert(keep.world:snapshot() == shot)\n"
                            "keep.world:destroy()\n";


// Two worlds, whose states refer to each other.
static const char two_worlds[] = "local keep = ...\n"
                                 "local world, other = impel.world {}, impel.world { seed = 3 }\n"
                                 "for i = 1, 5 do\n"
                                 "  world:body { position = { i, 1 } }:circle { radius = 0.4 }\n"
                                 "  other:body { position = { i, 2 } }:box { 1, 1 }\n"
                                 "end\n"
                                 "world:state { inner = { other = other }, n = 1, list = { 1, 2, 'three' } }\n"
                                 "other:state { back = world, deep = { { {} } } }\n"
                                 "other:on('step', function() other:random() end)\n"
                                 "world:step(3) other:step(4)\n"
                                 "keep.shot, keep.then_one, keep.then_two = world:snapshot(), world.hash, other.hash\n"
                                 "world:step(9) other:step(8)\n"
                                 "keep.now_one, keep.now_two = world.hash, other.hash\n"
                                 "keep.world, keep.other = world, other\n";
static const char go_back[] = "local keep = ... keep.world:restore(keep.shot)";
static const char both_or_none[] =
    "local keep = ...\n"
    "local one, two = keep.world.hash, keep.other.hash\n"
    "local back = one == keep.then_one and two == keep.then_two\n"
    "assert(back or one == keep.now_one and two == keep.now_two, 'only one world is restored')\n"
    "keep.world:restore(keep.shot)\n" // this restore ran out of memory before
    "assert(keep.world:snapshot() == keep.shot, 'the snapshot differs')\n"
    "keep.world:step(9) keep.other:step(8)\n"
    "assert(keep.world.hash == keep.now_one and keep.other.hash == keep.now_two)\n";


static void *allocate(void *user, void *old, size_t old_size, size_t new_size) {
  Memory *memory = user;
  size_t had = old != NULL ? old_size : 0;
  if (new_size == 0) {
    memory->bytes -= had;
    free(old);
    return NULL;
  }
  bool grows = new_size > had; // only growing may fail, because Lua assumes that shrinking a block succeeds
  memory->requests += grows;
  bool due = memory->requests == memory->fail_at || (memory->from_then_on && memory->requests > memory->fail_at);
  if (grows && memory->fail_at > 0 && due) {
    memory->failed = true;
    return NULL;
  }
  void *block = realloc(old, new_size);
  if (block != NULL) memory->bytes += new_size - had;
  return block;
}


static int prepare(lua_State *L) {
  luaL_openlibs(L);
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
  lua_pushcfunction(L, luaopen_impel_core);
  lua_setfield(L, -2, "impel.core");
  if (luaL_dostring(L, "package.path = 'scripts/?.lua;scripts/?/init.lua' impel = require 'impel' "
                       "require 'impel.data' collectgarbage() collectgarbage 'stop'")) {
    return lua_error(L);
  }
  return 0;
}


// Load the chunk and call it with the table at index 1. Return LUA_OK or the status of the error, with the message on
// the stack.
static int run_chunk(lua_State *L, const char *text) {
  int status = luaL_loadstring(L, text);
  if (status == LUA_OK) {
    lua_pushvalue(L, 1);
    status = lua_pcall(L, 1, 0, 0);
  }
  return status;
}


static void must_run(lua_State *L, const char *text) {
  bool fine = run_chunk(L, text) == LUA_OK;
  check_that(fine, __FILE__, __LINE__, fine ? "" : lua_tostring(L, -1));
  lua_settop(L, 1);
}


// Open a Lua state with the library and a table at index 1; NULL if memory runs out.
static lua_State *open_state(Memory *memory) {
  lua_State *L = lua_newstate(allocate, memory);
  CHECK(L != NULL);
  if (L == NULL) return NULL;
  lua_pushcfunction(L, prepare);
  bool ready = lua_pcall(L, 0, 0, 0) == LUA_OK;
  check_that(ready, __FILE__, __LINE__, ready ? "" : lua_tostring(L, -1));
  lua_settop(L, 0);
  lua_newtable(L);
  return L;
}


static void play(long at, bool from_then_on, long *out_requests) {
  Memory memory = {0};
  lua_State *L = open_state(&memory);
  if (L == NULL) return;
  memory.requests = 0;
  memory.from_then_on = from_then_on;
  memory.fail_at = at;
  int status = run_chunk(L, script);
  memory.fail_at = 0;
  *out_requests = memory.requests;
  const char *message = status == LUA_OK ? "" : lua_tostring(L, -1);
  bool of_memory = status == LUA_ERRMEM || (message != NULL && strstr(message, "memory") != NULL);
  check_that(status == LUA_OK || (of_memory && memory.failed), __FILE__, __LINE__,
             message != NULL ? message : "no text");
  CHECK(at > 0 || status == LUA_OK);
  lua_settop(L, 1);
  must_run(L, after);
  lua_close(L);
  CHECK(memory.bytes == 0);
}


static void lua_survives_failure_of_any_allocation(void) {
  long requests = 0, ignored, tries = 0;
  bool good = true;
  play(0, false, &requests);
  CHECK(requests > 200);
  long stride = long_run ? 1 : 1 + requests / SHORT_TRIES;
  for (long at = 1; at <= requests; at += stride) {
    for (int way = 0; way < 2; ++way, ++tries) {
      play(at, way == 1, &ignored);
      if (check_case_ok) continue;
      printf("  request %ld of %ld, way %d\n", at, requests, way);
      good = false;
      check_case_ok = true;
    }
  }
  measured("requests of the script", (double)requests);
  measured("runs with a failed request", (double)tries);
  CHECK(good);
}


static void two_worlds_are_restored_together_or_not_at_all(void) {
  Memory memory = {0};
  lua_State *L = open_state(&memory);
  if (L == NULL) return;
  must_run(L, two_worlds);
  long at = 0, failures = 0;
  do {
    memory.requests = 0;
    memory.failed = false;
    memory.fail_at = ++at;
    memory.from_then_on = at % 2 == 0;
    failures += run_chunk(L, go_back) != LUA_OK;
    memory.fail_at = 0;
    lua_settop(L, 1);
    must_run(L, both_or_none);
  } while (memory.failed);
  CHECK(failures > 20);
  measured("requests of a restore of two worlds (each fails once)", (double)(at - 1));
  lua_close(L);
  CHECK(memory.bytes == 0);
}


int main(int argc, char **argv) {
  read_arguments(argc, argv);
  RUN(lua_survives_failure_of_any_allocation);
  RUN(two_worlds_are_restored_together_or_not_at_all);
  return check_report("lua memory");
}
