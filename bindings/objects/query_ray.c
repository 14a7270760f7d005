// Rays: world:raycast, raycast_any, raycast_all, raycast_many, and shape:raycast.
#include "objects/object.h"
#include "objects/query.h"
#include "objects/shape.h"


// Return the ray in the four arguments from index 2 on.
static ImpRay ray_argument(lua_State *L) {
  ImpRay ray;
  ray.from.x = bind_number(L, 2, "x1", "m");
  ray.from.y = bind_number(L, 3, "y1", "m");
  ray.to.x = bind_number(L, 4, "x2", "m");
  ray.to.y = bind_number(L, 5, "y2", "m");
  return ray;
}


static ImpWorld *world_of(lua_State *L) { return ((WorldBox *)lua_touserdata(L, 1))->world; }


// world:raycast(x1, y1, x2, y2 [, filter [, hit]]) -> hit or nil
int bind_world_raycast(lua_State *L) {
  bind_check_world(L);
  ImpRay ray = ray_argument(L);
  QueryFilter filter;
  ImpHit hit;
  lua_settop(L, 7);
  bind_check_hit(L, 7);
  bind_query_filter(L, 6, &filter);
  bind_query_status(L, &filter, imp_world_raycast(world_of(L), ray.from, ray.to, &filter.core, &hit));
  return bind_push_hit(L, 7, &hit, "fraction");
}


// world:raycast_any(x1, y1, x2, y2 [, filter]) -> boolean
int bind_world_raycast_any(lua_State *L) {
  bind_check_world(L);
  ImpRay ray = ray_argument(L);
  QueryFilter filter;
  bool any = false;
  lua_settop(L, 6);
  bind_query_filter(L, 6, &filter);
  bind_query_status(L, &filter, imp_world_raycast_any(world_of(L), ray.from, ray.to, &filter.core, &any));
  lua_pushboolean(L, any);
  return 1;
}


// world:raycast_all(x1, y1, x2, y2 [, filter [, list]]) -> list of hits; tables in the list are reused
int bind_world_raycast_all(lua_State *L) {
  bind_check_world(L);
  ImpRay ray = ray_argument(L);
  QueryFilter filter;
  int count = 0;
  lua_settop(L, 7);
  bind_table_to_fill(L, 7, "list", 0, 0);
  lua_replace(L, 7);
  bind_query_filter(L, 6, &filter);
  bind_query_status(L, &filter, imp_world_raycast_all(world_of(L), ray.from, ray.to, &filter.core, &count));
  return bind_push_hits(L, 7);
}


// shape:raycast(x1, y1, x2, y2 [, hit]) -> hit or nil
int bind_shape_raycast(lua_State *L) {
  const Handle *self = bind_check(L, &bind_shape_class);
  ImpRay ray = ray_argument(L);
  ImpHit hit;
  lua_settop(L, 6);
  bind_check_hit(L, 6);
  bind_status(L, imp_shape_raycast(self->box->world, (ImpShape){self->id}, ray.from, ray.to, &hit));
  return bind_push_hit(L, 6, &hit, "fraction");
}


// ---------------------------------------------------------------------------------------------------------------------
// Many rays
// ---------------------------------------------------------------------------------------------------------------------

enum { RESULT_ARRAYS = 6, SHAPES_RESULT = 5 };
static const char *const result_names[] = {"fraction", "x", "y", "nx", "ny", "shape"};
BIND_COVERS(result_names, RESULT_ARRAYS);


static double coordinate(lua_State *L, lua_Integer index) {
  static const char *const names[] = {"x1", "y1", "x2", "y2"};
  lua_rawgeti(L, 2, index);
  double value = lua_tonumber(L, -1);
  if (lua_type(L, -1) != LUA_TNUMBER || !(value >= -1e7 && value <= 1e7)) {
    bind_error(L, "%s: %s of ray %d must be %s, got %s", bind_caller(L), names[(index - 1) % 4],
               (int)((index - 1) / 4 + 1), bind_expected(L, false, -1e7, 1e7, "m"), bind_got(L, lua_gettop(L)));
  }
  lua_pop(L, 1);
  return value;
}


// Push the arrays of the results table at index 3; create missing arrays.
static void push_arrays(lua_State *L, int count) {
  for (int i = 0; i < RESULT_ARRAYS; i++) {
    int type = lua_getfield(L, 3, result_names[i]);
    if (type == LUA_TNIL) {
      lua_pop(L, 1);
      lua_createtable(L, count, 0);
      lua_pushvalue(L, -1);
      lua_setfield(L, 3, result_names[i]);
    } else if (type != LUA_TTABLE) {
      bind_error(L, "%s: results.%s must be a table or nil, got %s", bind_caller(L), result_names[i],
                 bind_got(L, lua_gettop(L)));
    }
  }
}


// world:raycast_many(rays, results [, filter]) -> number of hits
int bind_world_raycast_many(lua_State *L) {
  bind_check_world(L);
  lua_settop(L, 4);
  if (!lua_istable(L, 2)) {
    return bind_error(L, "%s: argument 'rays' must be a list { x1, y1, x2, y2, ... }, got %s", bind_caller(L),
                      bind_got(L, 2));
  }
  if (!lua_istable(L, 3)) {
    return bind_error(L, "%s: argument 'results' must be a table to fill, got %s", bind_caller(L), bind_got(L, 3));
  }
  lua_Unsigned numbers = lua_rawlen(L, 2);
  if (numbers % 4 != 0 || numbers > 40000000) {
    return bind_error(L,
                      "%s: argument 'rays' must have four numbers for each ray, and at most 1e7 rays, got %d numbers",
                      bind_caller(L), (int)numbers);
  }
  int count = (int)(numbers / 4), found = 0;
  for (lua_Integer i = 1; i <= 4 * (lua_Integer)count; i++)
    coordinate(L, i); // check all numbers before anything is written
  push_arrays(L, count);
  int arrays = 5;
  QueryFilter filter;
  bind_query_filter(L, 4, &filter);
  for (int i = 0; i < count; i++) {
    lua_Integer at = 4 * (lua_Integer)i;
    ImpVec2 from = {coordinate(L, at + 1), coordinate(L, at + 2)}, to = {coordinate(L, at + 3), coordinate(L, at + 4)};
    ImpHit hit;
    bind_query_status(L, &filter, imp_world_raycast(world_of(L), from, to, &filter.core, &hit));
    bool is_hit = hit.shape.id != 0;
    ImpVec2 point = is_hit ? hit.point : to;
    double values[] = {is_hit ? hit.fraction : 1, point.x, point.y, hit.normal.x, hit.normal.y};
    for (int k = 0; k < SHAPES_RESULT; k++) {
      lua_pushnumber(L, values[k]);
      lua_rawseti(L, arrays + k, i + 1);
    }
    if (is_hit) {
      bind_push_shape(L, 1, hit.shape);
    } else {
      lua_pushboolean(L, false);
    }
    lua_rawseti(L, arrays + SHAPES_RESULT, i + 1);
    found += is_hit;
  }
  for (int k = 0; k < RESULT_ARRAYS; k++) {
    for (lua_Integer i = (lua_Integer)lua_rawlen(L, arrays + k); i > count; i--) {
      lua_pushnil(L);
      lua_rawseti(L, arrays + k, i);
    }
  }
  lua_pushinteger(L, found);
  return 1;
}
