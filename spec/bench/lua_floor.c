// The least cost of a checked call from Lua, the baseline for body:position(), body.angle and the handler of an event.
//
// Objects are userdata with an index and a generation; __index is a table or a C function. With FLOOR_MAIN the result
// is a program: lua_floor SCRIPT ARGUMENT...
#include <stdint.h>
#include <stdio.h>

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

enum { COUNT = 16 };

typedef struct Store {
  uint32_t generation[COUNT];
  double x[COUNT], y[COUNT], angle[COUNT];
} Store;

typedef struct Object {
  Store *store;
  uint32_t index, generation;
} Object;

#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
int luaopen_lua_floor(lua_State *L);


// Return the receiver; its metatable stays on the stack. Upvalue `upvalue`: the class's metatable.
static const Object *self_of(lua_State *L, int upvalue) {
  if (!lua_getmetatable(L, 1) || lua_topointer(L, -1) != lua_touserdata(L, lua_upvalueindex(upvalue))) {
    luaL_error(L, "not an object of this class");
  }
  const Object *self = lua_touserdata(L, 1);
  if (self->store->generation[self->index] != self->generation) luaL_error(L, "the object is destroyed");
  return self;
}


// object:position() -> x, y
static int position(lua_State *L) {
  const Object *self = self_of(L, 1);
  lua_pushnumber(L, self->store->x[self->index]);
  lua_pushnumber(L, self->store->y[self->index]);
  return 2;
}


// object:push(x, y)
static int push(lua_State *L) {
  const Object *self = self_of(L, 1);
  self->store->x[self->index] += luaL_checknumber(L, 2);
  self->store->y[self->index] += luaL_checknumber(L, 3);
  return 0;
}


// Return object.key. Upvalue 1: table that maps the names of methods to functions, and of properties to numbers.
static int index_function(lua_State *L) {
  if (lua_rawget(L, lua_upvalueindex(1)) == LUA_TFUNCTION) return 1;
  const Object *self = self_of(L, 2);
  lua_pushnumber(L, self->store->angle[self->index]);
  return 1;
}


// dispatch(f, object, n): call f(object) n times, each time in a protected call, as worlds call event handlers.
static int dispatch(lua_State *L) {
  lua_Integer n = luaL_checkinteger(L, 3);
  for (lua_Integer i = 0; i < n; ++i) {
    lua_pushvalue(L, 1);
    lua_pushvalue(L, 2);
    if (lua_pcall(L, 1, 0, 0) != LUA_OK) return lua_error(L);
  }
  return 0;
}


static void push_method(lua_State *L, lua_CFunction method, int metatable) {
  lua_pushlightuserdata(L, (void *)(uintptr_t)lua_topointer(L, metatable));
  lua_pushcclosure(L, method, 1);
}


// Push an object of a new class.
static void new_object(lua_State *L, int store, int by_function) {
  Object *object = lua_newuserdatauv(L, sizeof *object, 0);
  *object = (Object){.store = lua_touserdata(L, store), .index = 1, .generation = 1};
  lua_newtable(L);
  int metatable = lua_gettop(L);
  lua_newtable(L);
  push_method(L, position, metatable);
  lua_setfield(L, -2, "position");
  push_method(L, push, metatable);
  lua_setfield(L, -2, "push");
  if (by_function) {
    lua_pushinteger(L, 0);
    lua_setfield(L, -2, "angle");
    lua_pushlightuserdata(L, (void *)(uintptr_t)lua_topointer(L, metatable));
    lua_pushcclosure(L, index_function, 2);
  }
  lua_setfield(L, metatable, "__index");
  lua_setmetatable(L, -2);
}


// { by_table = object, by_function = object, dispatch = function }
int luaopen_lua_floor(lua_State *L) {
  lua_newtable(L);
  int module = lua_gettop(L);
  Store *store = lua_newuserdatauv(L, sizeof *store, 0);
  *store = (Store){.generation = {0, 1}, .x = {0, 1}, .y = {0, 2}, .angle = {0, 3}};
  new_object(L, module + 1, 0);
  lua_setfield(L, module, "by_table");
  new_object(L, module + 1, 1);
  lua_setfield(L, module, "by_function");
  lua_setfield(L, module, "store"); // the module's table keeps the store alive
  lua_pushcfunction(L, dispatch);
  lua_setfield(L, module, "dispatch");
  return 1;
}


#ifdef FLOOR_MAIN

int luaopen_impel_core(lua_State *L);


static void preload(lua_State *L, const char *name, lua_CFunction open) {
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
  lua_pushcfunction(L, open);
  lua_setfield(L, -2, name);
  lua_pop(L, 1);
}


int main(int argc, char **argv) {
  lua_State *L = luaL_newstate();
  if (L == NULL || argc < 2) return 64;
  luaL_openlibs(L);
  preload(L, "impel.core", luaopen_impel_core);
  preload(L, "lua_floor", luaopen_lua_floor);
  int status = luaL_loadfile(L, argv[1]);
  for (int i = 2; i < argc && status == LUA_OK; ++i) lua_pushstring(L, argv[i]);
  if (status == LUA_OK) status = lua_pcall(L, argc - 2, 0, 0);
  if (status != LUA_OK) fprintf(stderr, "lua_floor: %s\n", lua_tostring(L, -1));
  lua_close(L);
  return status == LUA_OK ? 0 : 1;
}

#endif
