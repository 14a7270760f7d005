// constraint.param and field.param: named numbers that a traced function reads and that scripts can change.
#include <math.h>
#include <string.h>

#include "objects/constraint.h"
#include "objects/trace.h"

#define PARAM_NAME "impel.param"

// The object joint.param or field.param; handle.id is the id of the joint or field.
typedef struct Param {
  Handle handle;
  bool field; // the owner is a field, else a constraint
} Param;

// User values: 1 is the world table, 2 (UV_NAME of other objects) is unused, 3 is { name, ..., name = index }.
enum { UV_PARAM_NAMES = 3 };


static const char *subject(const Param *self) { return self->field ? "field" : "constraint"; }


static Param *check_param(lua_State *L) {
  Param *self = luaL_checkudata(L, 1, PARAM_NAME);
  const ImpWorld *world = self->handle.box->world;
  bool lives = world && (self->field ? imp_field_is_valid(world, (ImpField){self->handle.id})
                                     : imp_joint_is_valid(world, (ImpJoint){self->handle.id}));
  if (!lives) bind_dead(L, 1, self->field ? "field" : "joint");
  return self;
}


// Return the index, from 0, of the parameter with the name at stack index 2.
static int param_place(lua_State *L, const Param *self) {
  lua_getiuservalue(L, 1, UV_PARAM_NAMES);
  int names = lua_gettop(L);
  lua_pushvalue(L, 2);
  if (lua_type(L, 2) != LUA_TSTRING || lua_rawget(L, names) != LUA_TNUMBER) {
    bind_unknown_param(L, 2, names, subject(self));
  }
  int place = (int)lua_tointeger(L, -1) - 1;
  lua_pop(L, 2);
  return place;
}


// constraint.param.name
static int param_index(lua_State *L) {
  Param *self = check_param(L);
  ImpWorld *world = self->handle.box->world;
  int place = param_place(L, self);
  double value = 0;
  ImpStatus status = self->field ? imp_field_param(world, (ImpField){self->handle.id}, place, &value)
                                 : imp_constraint_param(world, (ImpJoint){self->handle.id}, place, &value);
  if (status != IMP_OK) return bind_error(L, "%s.param: %s", subject(self), bind_core_text());
  lua_pushnumber(L, value);
  return 1;
}


// constraint.param.name = value
static int param_newindex(lua_State *L) {
  Param *self = check_param(L);
  ImpWorld *world = self->handle.box->world;
  int place = param_place(L, self);
  double value = lua_tonumber(L, 3);
  if (lua_type(L, 3) != LUA_TNUMBER || !isfinite(value)) {
    return bind_error(L, "%s.param.%s must be a finite number, got %s", subject(self), lua_tostring(L, 2),
                      bind_got(L, 3));
  }
  ImpStatus status = self->field ? imp_field_set_param(world, (ImpField){self->handle.id}, place, value)
                                 : imp_constraint_set_param(world, (ImpJoint){self->handle.id}, place, value);
  if (status != IMP_OK) {
    return bind_error(L, "%s.param.%s: %s", subject(self), lua_tostring(L, 2), bind_core_text());
  }
  return 0;
}


// tostring(constraint.param)
static int param_tostring(lua_State *L) {
  const Param *self = luaL_checkudata(L, 1, PARAM_NAME);
  lua_pushfstring(L, "param of a %s", subject(self));
  return 1;
}


void bind_register_param(lua_State *L) {
  luaL_newmetatable(L, PARAM_NAME);
  lua_pushcfunction(L, param_index);
  lua_setfield(L, -2, "__index");
  lua_pushcfunction(L, param_newindex);
  lua_setfield(L, -2, "__newindex");
  lua_pushcfunction(L, param_tostring);
  lua_setfield(L, -2, "__tostring");
  lua_pushliteral(L, "param");
  lua_setfield(L, -2, "__metatable");
  lua_pop(L, 1);
}


void bind_push_param(lua_State *L, int world, int names, bool field) {
  Param *param = lua_newuserdatauv(L, sizeof *param, UV_PARAM_NAMES);
  *param = (Param){{.box = lua_touserdata(L, world)}, field};
  lua_getiuservalue(L, world, UV_WORLD_TABLE);
  lua_setiuservalue(L, -2, UV_WORLD_TABLE);
  lua_pushvalue(L, names);
  lua_setiuservalue(L, -2, UV_PARAM_NAMES);
  luaL_setmetatable(L, PARAM_NAME);
}


// Sort the strings of the list at the top, because the order of a Lua table is undefined.
static void sort_names(lua_State *L) {
  lua_Integer count = (lua_Integer)lua_rawlen(L, -1);
  for (lua_Integer i = 2; i <= count; i++) {
    for (lua_Integer k = i; k > 1; k--) {
      lua_rawgeti(L, -1, k - 1);
      lua_rawgeti(L, -2, k);
      if (strcmp(lua_tostring(L, -2), lua_tostring(L, -1)) <= 0) {
        lua_pop(L, 2);
        break;
      }
      lua_rawseti(L, -3, k - 1);
      lua_rawseti(L, -2, k);
    }
  }
}


void bind_push_params(lua_State *L, int table, const char *call, const double **out_values, int *out_count) {
  lua_newtable(L);
  int names = lua_gettop(L);
  lua_pushliteral(L, "param");
  if (lua_rawget(L, table) == LUA_TTABLE) {
    for (lua_pushnil(L); lua_next(L, names + 1); lua_pop(L, 1)) {
      if (lua_type(L, -2) != LUA_TSTRING) {
        lua_pushvalue(L, -2);
        bind_error(L, "%s: field 'param' must be { name = number, ... }, got the key %s", call, bind_got(L, -1));
      }
      if (lua_type(L, -1) != LUA_TNUMBER || !isfinite(lua_tonumber(L, -1))) {
        const char *key = lua_tostring(L, -2);
        bind_error(L, "%s: field 'param.%s' must be a finite number, got %s", call, key, bind_got(L, -1));
      }
      lua_pushvalue(L, -2);
      lua_rawseti(L, names, (lua_Integer)lua_rawlen(L, names) + 1);
    }
  } else if (!lua_isnil(L, -1)) {
    bind_error(L, "%s: field 'param' must be a table { name = number, ... }, got %s", call, bind_got(L, -1));
  }
  lua_pushvalue(L, names);
  sort_names(L);
  lua_pop(L, 1);
  lua_Integer count = (lua_Integer)lua_rawlen(L, names);
  double *params = lua_newuserdatauv(L, (size_t)(count + 1) * sizeof(double), 0);
  for (lua_Integer i = 1; i <= count; i++) {
    lua_rawgeti(L, names, i);
    lua_pushvalue(L, -1);
    lua_rawget(L, names + 1);
    params[i - 1] = lua_tonumber(L, -1);
    lua_pop(L, 1);
    lua_pushinteger(L, i);
    lua_rawset(L, names);
  }
  lua_replace(L, names + 1);
  *out_values = params;
  *out_count = (int)count;
}
