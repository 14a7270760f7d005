// world:read and world:write: quantities of many bodies as a flat list of numbers.
// Lists are accessed raw, because no Lua code may run while scratch memory is in use.
#include <string.h>

#include "base/names.h"
#include "base/world_table.h"
#include "objects/body.h"
#include "objects/world.h"

enum { MAX_QUANTITIES = 16 };

enum { BODIES = 2, BUFFER = 3, WHAT = 4 }; // stack indices of the arguments of world:read and world:write

// State of a running call of world:read or world:write.
typedef struct Transfer {
  WorldBox *box;
  ImpQuantity what[MAX_QUANTITIES];
  int quantities, stride; // number of quantities; number of components of all quantities of one body
  int count;              // number of bodies
  ImpBody *bodies;        // (count)
  double *numbers;        // (count x stride)
} Transfer;


// Return the index of a quantity by its name, or -1.
static int find_quantity(const char *name, size_t length) {
  for (int i = 0; imp_quantity(i); i++) {
    const char *known = imp_quantity(i)->name;
    if (strncmp(known, name, length) == 0 && known[length] == '\0') return i;
  }
  return -1;
}


static void refuse_quantity(lua_State *L, const char *name, size_t length) {
  const char *word = lua_pushlstring(L, name, length);
  Nearest nearest = {.word = word};
  for (int i = 0; imp_quantity(i); i++) bind_offer(&nearest, imp_quantity(i)->name);
  if (nearest.best) {
    bind_error(L, "%s: argument 'what': '%s' is not a quantity of bodies (did you mean '%s'?)", bind_caller(L), word,
               nearest.best);
  }
  luaL_Buffer all;
  luaL_buffinit(L, &all);
  for (int i = 0; imp_quantity(i); i++) {
    luaL_addstring(&all, i > 0 ? " " : "");
    luaL_addstring(&all, imp_quantity(i)->name);
  }
  luaL_pushresult(&all);
  const char *names = lua_tostring(L, -1);
  bind_error(L, "%s: argument 'what': '%s' is not a quantity of bodies (%s)", bind_caller(L), word, names);
}


static void add_quantity(lua_State *L, Transfer *t, ImpQuantity quantity) {
  if (t->quantities == MAX_QUANTITIES) {
    bind_error(L, "%s: argument 'what' names more than %d quantities", bind_caller(L), MAX_QUANTITIES);
  }
  t->what[t->quantities++] = quantity;
  t->stride += imp_quantity((int)quantity)->numbers;
}


// Read the names of the quantities, separated by spaces or commas; nil means pose and velocity.
static void read_what(lua_State *L, Transfer *t, bool writes) {
  if (lua_isnoneornil(L, WHAT)) {
    static const ImpQuantity usual[] = {IMP_QUANTITY_POSITION, IMP_QUANTITY_ANGLE, IMP_QUANTITY_VELOCITY,
                                        IMP_QUANTITY_ANGULAR_VELOCITY};
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) add_quantity(L, t, usual[i]);
    return;
  }
  if (lua_type(L, WHAT) != LUA_TSTRING) {
    bind_error(L, "%s: argument 'what' must be a string of names such as 'position angle', got %s", bind_caller(L),
               bind_got(L, WHAT));
  }
  static const char between[] = " ,";
  const char *at = lua_tostring(L, WHAT);
  for (at += strspn(at, between); *at; at += strspn(at, between)) {
    size_t length = strcspn(at, between);
    int quantity = find_quantity(at, length);
    if (quantity < 0) refuse_quantity(L, at, length);
    const ImpQuantityInfo *info = imp_quantity(quantity);
    if (writes ? !info->writable : !info->readable) {
      bind_error(L, "%s: argument 'what': '%s' can only be %s", bind_caller(L), info->name,
                 writes ? "read" : "written");
    }
    add_quantity(L, t, (ImpQuantity)quantity);
    at += length;
  }
  if (t->quantities == 0) bind_error(L, "%s: argument 'what' must name at least one quantity", bind_caller(L));
}


// Return scratch memory of the world at index 1, valid until the next call.
static void *scratch(lua_State *L, size_t size) {
  lua_getiuservalue(L, 1, UV_WORLD_TABLE);
  lua_rawgeti(L, -1, SLOT_SCRATCH);
  void *memory = lua_touserdata(L, -1);
  if (!memory || lua_rawlen(L, -1) < size) {
    lua_pop(L, 1);
    memory = lua_newuserdatauv(L, size + size / 2, 0);
    lua_pushvalue(L, -1);
    lua_rawseti(L, -3, SLOT_SCRATCH);
  }
  lua_pop(L, 2);
  return memory;
}


// Push the name of the body at a position of the list for messages: "body 3 'crate'".
static const char *push_called(lua_State *L, int place) {
  lua_rawgeti(L, BODIES, place);
  if (lua_getiuservalue(L, -1, UV_NAME) == LUA_TSTRING) {
    return lua_pushfstring(L, "body %d '%s'", place, lua_tostring(L, -1));
  }
  return lua_pushfstring(L, "body %d", place);
}


static void refuse_body(lua_State *L, const Transfer *t, int place) {
  lua_rawgeti(L, BODIES, place);
  const Handle *body = luaL_testudata(L, -1, bind_body_class.registry);
  if (!body) {
    bind_error(L, "%s: item %d of argument 'bodies' must be a body, got %s", bind_caller(L), place, bind_got(L, -1));
  } else if (body->box != t->box) {
    bind_error(L, "%s: item %d of argument 'bodies' is a body of another world", bind_caller(L), place);
  }
}


// Read the bodies' handles from a list without holes.
static void read_bodies(lua_State *L, Transfer *t) {
  luaL_getmetatable(L, bind_body_class.registry);
  const void *metatable = lua_topointer(L, -1);
  for (int i = 0; i < t->count; i++) {
    lua_rawgeti(L, BODIES, i + 1);
    const Handle *body = lua_touserdata(L, -1);
    bool fits = body && lua_getmetatable(L, -1) && lua_topointer(L, -1) == metatable && body->box == t->box;
    if (!fits) refuse_body(L, t, i + 1);
    t->bodies[i] = (ImpBody){body->id};
    lua_pop(L, 2);
  }
  lua_pop(L, 1);
}


static void check_table(lua_State *L, int index, const char *name, const char *what) {
  if (lua_type(L, index) == LUA_TTABLE) return;
  bind_error(L, "%s: argument '%s' must be a %s, got %s", bind_caller(L), name, what, bind_got(L, index));
}


// Return the length of the list; raise for a table that is not empty but has no item 1, such as a group.
static size_t list_length(lua_State *L) {
  size_t length = (size_t)lua_rawlen(L, BODIES);
  if (length > INT32_MAX / MAX_QUANTITIES / 2) bind_error(L, "%s: argument 'bodies' is too long", bind_caller(L));
  lua_pushnil(L);
  if (length == 0 && lua_next(L, BODIES)) {
    bind_error(L,
               "%s: argument 'bodies' must be a list of bodies, got a table without an item 1 (for a group, give "
               "group:bodies())",
               bind_caller(L));
  }
  lua_settop(L, WHAT);
  return length;
}


// Read the arguments of world:read or world:write, except the numbers in the buffer.
static Transfer begin(lua_State *L, bool writes) {
  Transfer t = {.box = bind_check_world(L)};
  lua_settop(L, WHAT);
  check_table(L, BODIES, "bodies", "list of bodies");
  if (writes || !lua_isnil(L, BUFFER)) check_table(L, BUFFER, "buffer", "list of numbers");
  read_what(L, &t, writes);
  size_t length = list_length(L);
  t.count = (int)length;
  if (lua_isnil(L, BUFFER)) {
    lua_createtable(L, t.count * t.stride, 0);
    lua_replace(L, BUFFER);
  }
  t.numbers = scratch(L, length * (sizeof(ImpBody) + (size_t)t.stride * sizeof(double)));
  t.bodies = (ImpBody *)(void *)(t.numbers + length * (size_t)t.stride);
  read_bodies(L, &t);
  return t;
}


// Raise if the core failed; `place`: index of the offending body from 0, or -1.
static void check_transfer(lua_State *L, ImpStatus status, int place) {
  if (status == IMP_OK) return;
  const char *caller = bind_caller(L), *text = imp_last_error();
  if (place < 0) {
    bind_error(L, "%s: %s", caller, text);
  } else if (status == IMP_ERR_HANDLE) {
    bind_error(L, "%s: attempt to use destroyed %s of the list", caller, push_called(L, place + 1));
  } else {
    bind_error(L, "%s: %s of the list: %s", caller, push_called(L, place + 1), text);
  }
}


// world:read(bodies [, buffer [, what]]) -> buffer
int bind_world_read(lua_State *L) {
  Transfer t = begin(L, false);
  int place = -1;
  ImpStatus status = imp_bodies_read(t.box->world, t.bodies, t.count, t.what, t.quantities, t.numbers, &place);
  check_transfer(L, status, place);
  lua_pushvalue(L, BUFFER);
  int n = t.count * t.stride;
  for (int i = 0; i < n; i++) {
    lua_pushnumber(L, t.numbers[i]);
    lua_rawseti(L, -2, i + 1);
  }
  return 1;
}


// Raise an error about number `i` (from 0) of the buffer, which is not finite.
static void refuse_number(lua_State *L, const Transfer *t, int i) {
  int body = i / t->stride, rest = i % t->stride, q = 0;
  while (rest >= imp_quantity((int)t->what[q])->numbers) rest -= imp_quantity((int)t->what[q++])->numbers;
  const ImpQuantityInfo *info = imp_quantity((int)t->what[q]);
  lua_rawgeti(L, BUFFER, i + 1);
  const char *got = bind_got(L, -1), *expected = bind_expected(L, false, 0, 0, info->unit);
  bind_error(L, "%s: item %d of argument 'buffer', %s of %s, must be %s, got %s", bind_caller(L), i + 1, info->name,
             push_called(L, body + 1), expected, got);
}


// world:write(bodies, buffer [, what])
int bind_world_write(lua_State *L) {
  Transfer t = begin(L, true);
  int n = t.count * t.stride;
  for (int i = 0; i < n; i++) {
    bool is_number = lua_rawgeti(L, BUFFER, i + 1) == LUA_TNUMBER;
    double value = lua_tonumber(L, -1);
    if (!is_number || !isfinite(value)) refuse_number(L, &t, i);
    t.numbers[i] = value;
    lua_pop(L, 1);
  }
  int place = -1;
  ImpStatus status = imp_bodies_write(t.box->world, t.bodies, t.count, t.what, t.quantities, t.numbers, &place);
  check_transfer(L, status, place);
  return 0;
}
