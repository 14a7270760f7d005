// Reads and pushes two options that are lists: `holes` of a polygon shape and `values` of a heights shape.
#include <math.h>
#include <string.h>

#include "objects/shape.h"


// Push the list at `key`; return false for nil.
static bool list(lua_State *L, const char *key, const char **out_where) {
  *out_where = lua_pushfstring(L, "%s: field '%s'", bind_caller(L), key);
  lua_pushstring(L, key);
  return lua_rawget(L, 2) != LUA_TNIL;
}


Rings bind_holes(lua_State *L, Points outline) {
  const char *where;
  bool given = list(L, "holes", &where);
  int index = lua_gettop(L);
  if (given && !lua_istable(L, index)) {
    bind_error(L, "%s must be a list of holes { { { x, y }, ... }, ... }, got %s", where, bind_got(L, index));
  }
  lua_Integer holes = given ? (lua_Integer)lua_rawlen(L, index) : 0;
  if (holes > IMP_MAX_OUTLINE) bind_error(L, "%s: more than %d holes", where, IMP_MAX_OUTLINE);
  // counts[i]: number of points of ring i (0: the outline); rings[i]: its points
  int *counts = lua_newuserdatauv(L, sizeof(int) * ((size_t)holes + 1), 0);
  Points *rings = lua_newuserdatauv(L, sizeof(Points) * ((size_t)holes + 1), 0);
  lua_createtable(L, (int)holes, 0); // keeps the rings' points alive
  int keeper = lua_gettop(L);
  rings[0] = outline;
  counts[0] = outline.count;
  size_t count = (size_t)outline.count;
  for (lua_Integer i = 1; i <= holes; i++) {
    const char *place = lua_pushfstring(L, "%s: hole %d", where, (int)i);
    lua_rawgeti(L, index, i);
    rings[i] = bind_points(L, lua_gettop(L), place);
    lua_rawseti(L, keeper, i);
    lua_settop(L, keeper);
    counts[i] = rings[i].count;
    count += (size_t)rings[i].count;
  }
  ImpVec2 *at = lua_newuserdatauv(L, sizeof *at * (count + 1), 0);
  ImpVec2 *to = at;
  for (lua_Integer i = 0; i <= holes; i++) {
    memcpy(to, rings[i].at, sizeof *to * (size_t)counts[i]);
    to += counts[i];
  }
  return (Rings){at, counts, (int)holes + 1};
}


Heights bind_heights(lua_State *L) {
  const char *where;
  list(L, "values", &where);
  int index = lua_gettop(L);
  if (!lua_istable(L, index)) {
    bind_error(L, "%s must be a list of heights [m], false for a gap, got %s", where, bind_got(L, index));
  }
  lua_Integer count = (lua_Integer)lua_rawlen(L, index);
  if (count > 1000000) bind_error(L, "%s: more than 1000000 values", where);
  double *at = lua_newuserdatauv(L, sizeof *at * ((size_t)count + 1), 0);
  int scratch = lua_gettop(L);
  for (lua_Integer i = 0; i < count; i++) {
    lua_rawgeti(L, index, i + 1);
    bool none = lua_isboolean(L, -1) && !lua_toboolean(L, -1);
    at[i] = none ? (double)NAN : lua_tonumber(L, -1);
    if (!none && (lua_type(L, -1) != LUA_TNUMBER || !isfinite(at[i]))) {
      bind_error(L, "%s: value %d must be a finite number [m], or false for a gap, got %s", where, (int)i + 1,
                 bind_got(L, lua_gettop(L)));
    }
    lua_settop(L, scratch);
  }
  return (Heights){at, (int)count};
}


int bind_push_holes(lua_State *L, const Handle *self) {
  ImpShape shape = {self->id};
  int count = 0;
  lua_newtable(L);
  for (int hole = 0;; hole++) {
    bind_status(L, imp_shape_hole(self->box->world, shape, hole, NULL, 0, &count));
    if (count == 0) return hole;
    ImpVec2 *at = lua_newuserdatauv(L, sizeof *at * (size_t)count, 0);
    bind_status(L, imp_shape_hole(self->box->world, shape, hole, at, count, &count));
    bind_push_points(L, (Points){at, count});
    lua_rawseti(L, -3, hole + 1);
    lua_pop(L, 1);
  }
}


int bind_push_heights(lua_State *L, const Handle *self) {
  ImpShape shape = {self->id};
  int count = 0;
  bind_status(L, imp_shape_heights(self->box->world, shape, NULL, 0, &count));
  double *at = lua_newuserdatauv(L, sizeof *at * ((size_t)count + 1), 0);
  bind_status(L, imp_shape_heights(self->box->world, shape, at, count, &count));
  lua_createtable(L, count, 0);
  for (int i = 0; i < count; i++) {
    isnan(at[i]) ? lua_pushboolean(L, false) : lua_pushnumber(L, at[i]);
    lua_rawseti(L, -2, i + 1);
  }
  lua_remove(L, -2);
  return count;
}
