// Filters of queries: reading the option table without creating garbage, and calling the predicate.
#include <stddef.h>
#include <string.h>

#include "objects/body.h"
#include "objects/object.h"
#include "objects/query.h"
#include "objects/shape.h"

static const Field filter_fields[] = {
    {.name = "category",
     .kind = FIELD_BITS,
     .offset = offsetof(ImpQueryFilter, category),
     .doc = "bits: the category of the query; a shape is found only if its mask has one of these bits; all by default"},
    {.name = "mask",
     .kind = FIELD_BITS,
     .offset = offsetof(ImpQueryFilter, mask),
     .doc = "bits: a shape is found only if its category has one of these bits; all by default"},
    {.name = "group",
     .kind = FIELD_INTEGER,
     .offset = offsetof(ImpQueryFilter, group),
     .table = imp_shape_property,
     .property = IMP_SHAPE_GROUP,
     .doc = "number of a group: shapes of this group are always found if the number is above 0, never if it is below "
            "0; 0, the default: no group"},
    {.name = "sensors",
     .kind = FIELD_BOOLEAN,
     .offset = offsetof(ImpQueryFilter, sensors),
     .doc = "whether sensors are found; false by default"},
    {.name = "ignore",
     .kind = FIELD_ANY,
     .type = "body or shape or list",
     .doc = "a body or a shape to leave out, or a list of them"},
    {.name = "predicate",
     .kind = FIELD_ANY,
     .type = "function",
     .doc = "function(shape) -> boolean, called for the shapes that the other options let pass, in the order of the "
            "results: false leaves the shape out"},
    {.name = NULL},
};

const Options bind_filter_options = {.fields = filter_fields, .scope = "filter"};


// ---------------------------------------------------------------------------------------------------------------------
// Reading
// ---------------------------------------------------------------------------------------------------------------------

// Store the value of a key; return false if the value has an unexpected type.
static bool take(lua_State *L, const char *key, ImpQueryFilter *out) {
  int is_integer;
  lua_Integer integer = lua_tointegerx(L, -1, &is_integer);
  bool bits = lua_type(L, -1) == LUA_TNUMBER && is_integer;
  if (strcmp(key, "mask") == 0 && bits) {
    out->mask = (uint64_t)integer;
  } else if (strcmp(key, "category") == 0 && bits) {
    out->category = (uint64_t)integer;
  } else if (strcmp(key, "group") == 0 && bits && integer >= INT16_MIN && integer <= INT16_MAX) {
    out->group = (int32_t)integer;
  } else if (strcmp(key, "sensors") == 0 && lua_isboolean(L, -1)) {
    out->sensors = lua_toboolean(L, -1);
  } else {
    return strcmp(key, "ignore") == 0 || strcmp(key, "predicate") == 0;
  }
  return true;
}


// Read the options without the checks of bind_options; return false if one has an unknown key or an unexpected type.
static bool read_plain(lua_State *L, int index, ImpQueryFilter *out) {
  bool plain = true;
  for (lua_pushnil(L); plain && lua_next(L, index);) {
    plain = lua_type(L, -2) == LUA_TSTRING && take(L, lua_tostring(L, -2), out);
    lua_pop(L, plain ? 1 : 2);
  }
  return plain;
}


// Add the body or shape at the top of the stack to the ignored objects.
static void ignore(lua_State *L, QueryFilter *out, ImpBody *bodies, ImpShape *shapes) {
  int index = lua_gettop(L);
  const Handle *body = luaL_testudata(L, index, bind_body_class.registry);
  const Handle *shape = luaL_testudata(L, index, bind_shape_class.registry);
  const Handle *handle = body ? body : shape;
  if (!handle) {
    bind_error(L, "%s: field 'ignore' must be a body, a shape or a list of them, got %s", bind_caller(L),
               bind_got(L, index));
    return;
  }
  if (handle->box != out->box) {
    bind_error(L, "%s: field 'ignore' has a %s of another world", bind_caller(L), body ? "body" : "shape");
  }
  const Class *class = body ? &bind_body_class : &bind_shape_class;
  if (!class->is_valid(handle)) bind_dead(L, index, class->name);
  if (body) {
    bodies[out->core.ignored_body_count++].id = handle->id;
  } else {
    shapes[out->core.ignored_shape_count++].id = handle->id;
  }
}


// Raise unless the keys of the list are 1 to `count`.
static void refuse_keys(lua_State *L, int list, lua_Unsigned count) {
  lua_Unsigned keys = 0;
  for (lua_pushnil(L); lua_next(L, list); lua_pop(L, 1)) keys++;
  if (keys != count) {
    bind_error(L, "%s: field 'ignore' must be a list { a, b, ... } without other keys", bind_caller(L));
  }
}


// Read the option `ignore`. Push one value: the memory of a list longer than QUERY_IGNORED, otherwise nil.
static void read_ignored(lua_State *L, int index, QueryFilter *out) {
  ImpBody *bodies = out->bodies;
  ImpShape *shapes = out->shapes;
  lua_pushliteral(L, "ignore");
  int type = lua_rawget(L, index), list = lua_gettop(L);
  if (type == LUA_TTABLE) {
    size_t count = (size_t)lua_rawlen(L, list);
    if (count > QUERY_IGNORED) {
      bodies = lua_newuserdatauv(L, count * (sizeof *bodies + sizeof *shapes), 0);
      shapes = (ImpShape *)(void *)(bodies + count);
    } else {
      lua_pushnil(L);
    }
    for (size_t i = 1; i <= count; i++) {
      lua_rawgeti(L, list, (lua_Integer)i);
      ignore(L, out, bodies, shapes);
      lua_pop(L, 1);
    }
    refuse_keys(L, list, count);
    lua_replace(L, list);
  } else if (type != LUA_TNIL) {
    ignore(L, out, bodies, shapes);
    lua_pushnil(L);
    lua_replace(L, list);
  }
  out->core.ignored_bodies = bodies;
  out->core.ignored_shapes = shapes;
}


// ---------------------------------------------------------------------------------------------------------------------
// The predicate
// ---------------------------------------------------------------------------------------------------------------------

// Arguments: (predicate, world, shape id) -> result, under lua_pcall
static int ask(lua_State *L) {
  bind_push_shape(L, 2, (ImpShape){bind_handle(L, 2, 3)});
  lua_replace(L, 2);
  lua_settop(L, 2);
  lua_call(L, 1, 1);
  return 1;
}


static bool accept(ImpWorld *world, ImpShape shape, void *user) {
  QueryFilter *filter = user;
  lua_State *L = filter->lua;
  (void)world;
  if (filter->failed) return false;
  lua_pushcfunction(L, ask);
  lua_pushvalue(L, filter->predicate);
  lua_pushvalue(L, 1);
  lua_pushinteger(L, bind_key(shape.id));
  const char *outer = filter->box->traced;
  filter->box->tracing++;
  filter->box->traced = "predicate";
  filter->failed = lua_pcall(L, 3, 1, 0) != LUA_OK;
  filter->box->tracing--;
  filter->box->traced = outer;
  bool accepted = !filter->failed && lua_toboolean(L, -1);
  if (filter->failed) {
    lua_replace(L, filter->predicate);
  } else {
    lua_pop(L, 1);
  }
  return accepted;
}


void bind_query_status(lua_State *L, const QueryFilter *filter, ImpStatus status) {
  if (filter->failed) {
    lua_pushvalue(L, filter->predicate);
    lua_error(L);
  }
  bind_status(L, status);
}


void bind_query_filter(lua_State *L, int index, QueryFilter *out) {
  out->core = imp_query_filter();
  out->lua = L;
  out->box = lua_touserdata(L, 1);
  out->failed = false;
  if (lua_isnoneornil(L, index)) {
    lua_pushnil(L);
    lua_pushnil(L);
    out->predicate = 0;
    return;
  }
  if (!lua_istable(L, index)) {
    bind_error(L, "%s: argument 'filter' must be a table { mask, predicate, ... } or nil, got %s", bind_caller(L),
               bind_got(L, index));
  }
  if (!read_plain(L, index, &out->core)) {
    out->core = imp_query_filter();
    bind_options(L, index, lua_pushfstring(L, "%s: filter", bind_caller(L)), &bind_filter_options, &out->core);
    lua_pop(L, 1);
  }
  read_ignored(L, index, out);
  lua_pushliteral(L, "predicate");
  out->predicate = lua_rawget(L, index) == LUA_TNIL ? 0 : lua_gettop(L);
  if (out->predicate && !lua_isfunction(L, out->predicate)) {
    bind_error(L, "%s: field 'predicate' must be a function(shape) -> boolean, got %s", bind_caller(L),
               bind_got(L, out->predicate));
  }
  if (out->predicate) {
    out->core.accept = accept;
    out->core.user = out;
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Arguments and results
// ---------------------------------------------------------------------------------------------------------------------

void bind_table_to_fill(lua_State *L, int index, const char *name, int array, int record) {
  if (lua_isnoneornil(L, index)) {
    lua_createtable(L, array, record);
    return;
  }
  if (!lua_istable(L, index)) {
    bind_error(L, "%s: argument '%s' must be a table to fill or nil, got %s", bind_caller(L), name, bind_got(L, index));
  }
  lua_pushvalue(L, index);
}


static void fill_hit(lua_State *L, int table, const ImpHit *hit, const char *measure) {
  const struct {
    const char *name;
    double value;
  } numbers[] = {
      {"x", hit->point.x}, {"y", hit->point.y}, {"nx", hit->normal.x}, {"ny", hit->normal.y}, {measure, hit->fraction}};
  table = lua_absindex(L, table);
  bind_push_body(L, 1, hit->body);
  lua_setfield(L, table, "body");
  bind_push_shape(L, 1, hit->shape);
  lua_setfield(L, table, "shape");
  for (int i = 0; i < 5; i++) {
    lua_pushnumber(L, numbers[i].value);
    lua_setfield(L, table, numbers[i].name);
  }
}


int bind_push_hit(lua_State *L, int index, const ImpHit *hit, const char *measure) {
  if (hit->shape.id == 0) {
    lua_pushnil(L);
    return 1;
  }
  bind_table_to_fill(L, index, "hit", 0, 7);
  fill_hit(L, -1, hit, measure);
  return 1;
}


void bind_check_hit(lua_State *L, int index) {
  if (lua_isnil(L, index)) return;
  bind_table_to_fill(L, index, "hit", 0, 0);
  lua_pop(L, 1);
}


int bind_push_hits(lua_State *L, int list) {
  const ImpWorld *world = ((WorldBox *)lua_touserdata(L, 1))->world;
  int count;
  imp_world_hits(world, &count);
  lua_Integer was = (lua_Integer)lua_rawlen(L, list);
  for (int i = 0; i < count; i++) {
    int still; // present number of hits; less than `count` if a finalizer made another query
    if (lua_rawgeti(L, list, i + 1) != LUA_TTABLE) {
      lua_pop(L, 1);
      lua_createtable(L, 0, 7);
      lua_pushvalue(L, -1);
      lua_rawseti(L, list, i + 1);
    }
    const ImpHit *hits = imp_world_hits(world, &still);
    ImpHit hit = i < still ? hits[i] : (ImpHit){0};
    fill_hit(L, -1, &hit, "fraction");
    lua_pop(L, 1);
  }
  for (lua_Integer i = was; i > count; i--) {
    lua_pushnil(L);
    lua_rawseti(L, list, i);
  }
  lua_settop(L, list);
  return 1;
}


int bind_push_found(lua_State *L, int index) {
  const ImpWorld *world = ((WorldBox *)lua_touserdata(L, 1))->world;
  int count;
  imp_world_hits(world, &count);
  bind_table_to_fill(L, index, "list", count, 0);
  lua_Integer was = (lua_Integer)lua_rawlen(L, -1);
  for (int i = 0; i < count; i++) {
    int still; // present number of hits; less than `count` if a finalizer made another query
    const ImpHit *hits = imp_world_hits(world, &still);
    bind_push_shape(L, 1, i < still ? hits[i].shape : (ImpShape){0});
    lua_rawseti(L, -2, i + 1);
  }
  for (lua_Integer i = was; i > count; i--) {
    lua_pushnil(L);
    lua_rawseti(L, -2, i);
  }
  return 1;
}
