// The world table, and functions common to all objects of a world.
#include "base/world_table.h"
#include "base/options.h"


void bind_world_table(lua_State *L, int owner, int slot) {
  lua_getiuservalue(L, owner, UV_WORLD_TABLE);
  lua_rawgeti(L, -1, slot);
  lua_replace(L, -2);
}


void *bind_new_object(lua_State *L, int owner, const Class *class, size_t size) {
  owner = lua_absindex(L, owner);
  Handle *from = lua_touserdata(L, owner);
  Handle *object = lua_newuserdatauv(L, size, class->values > 0 ? class->values : 2);
  *object = (Handle){.class = class, .box = from->box};
  lua_getiuservalue(L, owner, UV_WORLD_TABLE);
  lua_setiuservalue(L, -2, UV_WORLD_TABLE);
  luaL_setmetatable(L, class->registry);
  return object;
}


void bind_remember_name(lua_State *L, int object) { lua_setiuservalue(L, object, UV_NAME); }


int bind_get_name(lua_State *L, void *self) {
  (void)self;
  lua_getiuservalue(L, 1, UV_NAME);
  return 1;
}


void bind_set_name(lua_State *L, void *self) {
  const Handle *handle = self;
  const char *where = lua_pushfstring(L, "%s.name", handle->class->name);
  if (handle->class->set_name(handle->box->world, handle->id, bind_name(L, 3, where)) != IMP_OK) {
    bind_refused(L, handle->class, where);
  }
  lua_pushvalue(L, 3);
  bind_remember_name(L, 1);
}


int bind_get_world(lua_State *L, void *self) {
  (void)self;
  bind_world_table(L, 1, SLOT_WORLD);
  return 1;
}


WorldBox *bind_check_world(lua_State *L) {
  WorldBox *box = bind_self(L);
  if (!box->world) bind_dead(L, 1, "world");
  return box;
}


void bind_refuse_saving(lua_State *L, const WorldBox *box) {
  if (box->saving) bind_error(L, "%s: called inside a __save or __load of the world's state", bind_caller(L));
}


uint64_t bind_argument(lua_State *L, int index, const Class *class, const char *name) {
  const Handle *world = lua_touserdata(L, 1), *object = luaL_testudata(L, index, class->registry);
  if (!object) {
    const char *got =
        lua_isnone(L, index)
            ? "nil"
            // bind_got is called before any push, because a push would fill the index of a missing argument
            : bind_got(L, index);
    bind_error(L, "%s: %s must be a %s, got %s", bind_caller(L), name, class->name, got);
    return 0;
  }
  if (object->box != world->box) {
    bind_error(L, "%s: %s is a %s of another world", bind_caller(L), name, class->name);
  }
  if (!class->is_valid(object)) bind_dead(L, index, class->name);
  return object->id;
}
