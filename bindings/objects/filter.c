// shape.filter: a function that decides whether two shapes collide. The core stores the results.
#include "objects/filter.h"
#include "objects/data.h"
#include "objects/object.h"
#include "objects/shape.h"


int bind_get_filter(lua_State *L, void *self) { return bind_get_data(L, self, SLOT_FILTERS); }


// shape.filter = function(shape, other) -> boolean, or nil
void bind_set_filter(lua_State *L, void *self) {
  const Handle *handle = self;
  bool is_function = lua_isfunction(L, 3);
  if (!is_function && !lua_isnil(L, 3)) {
    bind_error(L, "shape.filter must be a function(shape, other) -> boolean or nil, got %s", bind_got(L, 3));
  }
  bind_set_data(L, handle, SLOT_FILTERS);
  if (imp_shape_set_selective(handle->box->world, (ImpShape){handle->id}, is_function) != IMP_OK) {
    bind_refused(L, &bind_shape_class, "shape.filter");
  }
}


// shape:refilter()
int bind_shape_refilter(lua_State *L) {
  Handle *self = bind_check(L, &bind_shape_class);
  bind_status(L, imp_shape_refilter(self->box->world, (ImpShape){self->id}));
  return 0;
}


bool bind_read_filter(lua_State *L, const char *call) {
  lua_pushliteral(L, "filter");
  int type = lua_rawget(L, 2);
  if (type != LUA_TNIL && type != LUA_TFUNCTION) {
    bind_error(L, "%s: field 'filter' must be a function(shape, other) -> boolean, got %s", call, bind_got(L, -1));
  }
  lua_pop(L, 1);
  return type == LUA_TFUNCTION;
}


// Arguments: (world, shape id, id of the other shape); returns a boolean.
int bind_filter_evaluate(lua_State *L) {
  ImpShape shape = {bind_handle(L, 1, 2)}, other = {bind_handle(L, 1, 3)};
  bind_world_table(L, 1, SLOT_FILTERS);
  if (lua_rawgeti(L, -1, bind_key(shape.id)) !=
      LUA_TFUNCTION) { // the state was restored into a world in which the shape never had a filter
    lua_pushboolean(L, true);
    return 1;
  }
  int function = lua_gettop(L);
  lua_pushvalue(L, function);
  bind_push_shape(L, 1, shape);
  bind_push_shape(L, 1, other);
  lua_call(L, 2, 1);
  if (!lua_isboolean(L, -1)) {
    const WorldBox *box = lua_touserdata(L, 1);
    double id = 0;
    imp_shape_get(box->world, shape, IMP_SHAPE_ID, &id);
    return bind_function_error(L, function, "shape.filter of shape %I must return true or false, got %s",
                               (LUAI_UACINT)id, bind_got(L, -1));
  }
  return 1;
}
