// world:difference(other): the first value in which two worlds differ.
#include "base/quota.h"
#include "base/world_table.h"
#include "objects/world.h"
#include "state/snapshot.h"


static void set_text(lua_State *L, const char *key, const char *text) {
  if (text[0] != 0) {
    lua_pushstring(L, text);
    lua_setfield(L, -2, key);
  }
}


static void set_integer(lua_State *L, const char *key, uint64_t value) {
  if (value != 0) {
    lua_pushinteger(L, (lua_Integer)value);
    lua_setfield(L, -2, key);
  }
}


void bind_push_difference(lua_State *L, const ImpDifference *difference) {
  lua_createtable(L, 0, 8);
  set_text(L, "object", imp_object_name((int)difference->object));
  set_text(L, "name", difference->name);
  set_text(L, "name_b", difference->name_b);
  set_text(L, "field", difference->field);
  set_integer(L, "id", difference->id);
  set_integer(L, "other", difference->other);
  if (!(isnan(difference->a) && isnan(difference->b))) { // a and b are NaN if the values that differ are texts
    lua_pushnumber(L, difference->a);
    lua_setfield(L, -2, "a");
    lua_pushnumber(L, difference->b);
    lua_setfield(L, -2, "b");
  }
}


// Compare the world with a snapshot in a temporary world. Nothing may raise while the temporary world exists.
static ImpStatus compare_snapshot(const ImpWorld *world, const char *bytes, size_t size, bool *out_differ,
                                  ImpDifference *out_difference) {
  ImpWorldDef def = imp_world_def();
  def.allocator = bind_allocator();
  ImpWorld *aside = NULL;
  ImpStatus status = imp_world_create(&def, &aside);
  if (status == IMP_OK) {
    status = imp_world_restore(aside, bytes, size);
  }
  if (status == IMP_OK) {
    status = imp_world_difference(world, aside, out_differ, out_difference);
  }
  imp_world_destroy(aside); // does nothing if `aside` is null
  return status;
}


// world:difference(snapshot or world) -> nil or table
int bind_world_difference(lua_State *L) {
  WorldBox *box = bind_check_world(L);
  bool differ = false;
  ImpDifference difference;
  WorldBox *other = luaL_testudata(L, 2, bind_world_class.registry);
  if (other == NULL && lua_type(L, 2) != LUA_TSTRING) {
    return bind_error(L, "world:difference: argument 'other' must be a world or a string from world:snapshot(), got %s",
                      bind_got(L, 2));
  }
  if (other != NULL) {
    bind_require(L, &bind_world_class, other, NULL);
    bind_status(L, imp_world_difference(box->world, other->world, &differ, &difference));
  } else {
    size_t size = 0;
    const char *bytes = lua_tolstring(L, 2, &size);
    size = bind_core_part(L, bytes, size);
    bind_status(L, compare_snapshot(box->world, bytes, size, &differ, &difference));
  }
  if (!differ) {
    return 0;
  }
  bind_push_difference(L, &difference);
  return 1;
}
