// world:state: registers tables of a script, which become part of the world's snapshots.
// A restore finds tables by their serials, which are equal in processes that make the same calls.
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "objects/body.h"
#include "objects/field.h"
#include "objects/joint.h"
#include "objects/object.h"
#include "objects/shape.h"
#include "state/state.h"

const DataClass bind_data_classes[] = {
    {&bind_body_class, SLOT_BODIES},  {&bind_shape_class, SLOT_SHAPES}, {&bind_joint_class, SLOT_JOINTS},
    {&bind_field_class, SLOT_FIELDS}, {&bind_mover_class, SLOT_MOVERS},
};
BIND_COVERS(bind_data_classes, DATA_CLASSES);

const int bind_data_slots[] = {SLOT_BODY_DATA,  SLOT_SHAPE_DATA, SLOT_JOINT_DATA,
                               SLOT_FIELD_DATA, SLOT_BODY_LOOK,  SLOT_SHAPE_LOOK};
BIND_COVERS(bind_data_slots, DATA_SLOTS);


// Largest serial in a snapshot. No run reaches this number.
#define MOST_SERIAL ((uint64_t)1 << 48)


void bind_put_counters(lua_State *L, int world, Bytes *bytes) {
  const WorldBox *box = lua_touserdata(L, world);
  bind_put_u64(L, bytes, box->handler_serial);
  bind_put_u64(L, bytes, box->root_serial);
  bind_put_u64(L, bytes, 0); // a placeholder: the last serial of values is known only after all values are written
}


void bind_check_counters(Reader *reader) {
  for (int i = 0; i < 3; i++) reader->bad |= bind_take_u64(reader) > MOST_SERIAL;
}


void bind_take_counters(lua_State *L, int world, Reader *reader) {
  WorldBox *box = lua_touserdata(L, world);
  box->handler_serial = bind_take_u64(reader);
  box->root_serial = bind_take_u64(reader);
  box->value_serial = bind_take_u64(reader);
}


// ---------------------------------------------------------------------------------------------------------------------
// Slots of the world table
// ---------------------------------------------------------------------------------------------------------------------

// Return whether the owner of an entry in a slot of the world table is valid.
static bool owner_lives(const ImpWorld *world, int slot, uint64_t id) {
  switch (slot) {
  case SLOT_ROOTS:
    return true;
  case SLOT_BODY_DATA:
  case SLOT_BODY_LOOK:
    return bind_lives(world, SLOT_BODIES, id);
  case SLOT_SHAPE_DATA:
  case SLOT_SHAPE_LOOK:
  case SLOT_FILTERS:
    return bind_lives(world, SLOT_SHAPES, id);
  case SLOT_FIELD_DATA:
  case SLOT_LAWS:
    return bind_lives(world, SLOT_FIELDS, id);
  default:
    return bind_lives(world, SLOT_JOINTS, id);
  }
}


static int compare_ids(const void *a, const void *b) {
  uint64_t x, y;
  memcpy(&x, a, sizeof x);
  memcpy(&y, b, sizeof y);
  return x < y ? -1 : x > y;
}


const uint64_t *bind_push_ids(lua_State *L, int world, int slot, int *out_count) {
  const WorldBox *box = lua_touserdata(L, world);
  int count = 0, n = 0;
  bind_world_table(L, world, slot);
  int table = lua_gettop(L);
  for (lua_pushnil(L); lua_next(L, table); lua_pop(L, 1)) count++;
  uint64_t *ids = lua_newuserdatauv(L, (size_t)(count + 1) * sizeof *ids, 0);
  lua_insert(L, table);
  for (lua_pushnil(L); lua_next(L, table + 1); lua_pop(L, 1)) {
    uint64_t id = (uint64_t)lua_tointeger(L, -2);
    // the keys of SLOT_ROOTS are serials of registered tables, not object ids
    if (slot != SLOT_ROOTS) id = imp_world_handle(box->world, id);
    if (n == count) continue; // a finalizer added an entry after the first loop
    if (owner_lives(box->world, slot, id)) ids[n++] = id;
  }
  lua_settop(L, table);
  qsort(ids, (size_t)n, sizeof *ids, compare_ids);
  *out_count = n;
  return ids;
}


// ---------------------------------------------------------------------------------------------------------------------
// Registration
// ---------------------------------------------------------------------------------------------------------------------

typedef struct StateOptions {
  bool strict;
} StateOptions;

static const Field state_fields[] = {
    {.name = "strict",
     .kind = FIELD_BOOLEAN,
     .offset = offsetof(StateOptions, strict),
     .doc = "raise an error for functions and other values that a snapshot cannot hold. false: snapshots leave such "
            "values out, and a restore does not change them; true by default"},
    {.name = NULL},
};

const Options bind_state_options = {.fields = state_fields, .scope = "state"};


Root *bind_push_root(lua_State *L, int world, uint64_t serial) {
  bind_world_table(L, world, SLOT_ROOTS);
  lua_rawgeti(L, -1, (lua_Integer)serial);
  lua_replace(L, -2);
  return lua_touserdata(L, -1);
}


static WorldBox *check_call(lua_State *L) {
  WorldBox *box = bind_check_world(L);
  if (lua_type(L, 2) != LUA_TTABLE) {
    bind_error(L, "%s: argument 'table' must be a table, got %s", bind_caller(L), bind_got(L, 2));
  }
  return box;
}


// Return the serial under which the table at index 2 is registered; 0: not registered.
static uint64_t registered(lua_State *L) {
  bind_world_table(L, 1, SLOT_ROOT_SERIALS);
  lua_pushvalue(L, 2);
  lua_rawget(L, -2);
  uint64_t serial = (uint64_t)lua_tointeger(L, -1);
  lua_pop(L, 2);
  return serial;
}


static void set_registered(lua_State *L, int world, int table, uint64_t serial) {
  table = lua_absindex(L, table);
  bind_world_table(L, world, SLOT_ROOT_SERIALS);
  lua_pushvalue(L, table);
  if (serial != 0) {
    lua_pushinteger(L, (lua_Integer)serial);
  } else {
    lua_pushnil(L);
  }
  lua_rawset(L, -3);
  lua_pop(L, 1);
}


// world:state(table [, { strict }]) -> table; a second registration does nothing
int bind_world_state(lua_State *L) {
  WorldBox *box = check_call(L);
  StateOptions options = {.strict = true};
  if (!lua_isnoneornil(L, 3)) bind_options(L, 3, "world:state", &bind_state_options, &options);
  lua_settop(L, 2);
  if (registered(L) == 0) {
    bind_look_over(L, 1, 2, options.strict);
    Root *root = lua_newuserdatauv(L, sizeof *root, 1);
    *root = (Root){.strict = options.strict, .alive = true};
    lua_pushvalue(L, 2);
    lua_setiuservalue(L, 3, 1);
    bind_world_table(L, 1, SLOT_ROOTS);
    lua_pushvalue(L, 3);
    uint64_t serial = ++box->root_serial;
    lua_rawseti(L, -2, (lua_Integer)serial);
    set_registered(L, 1, 2, serial);
    lua_settop(L, 2);
  }
  return 1;
}


void bind_end_root(lua_State *L, int world, uint64_t serial) {
  const WorldBox *box = lua_touserdata(L, world);
  int top = lua_gettop(L);
  Root *root = bind_push_root(L, world, serial);
  if (root == NULL) return;
  lua_getiuservalue(L, -1, 1);
  set_registered(L, world, -1, 0);
  root->alive = false;
  if (serial > box->known_roots) {
    bind_world_table(L, world, SLOT_ROOTS);
    lua_pushnil(L);
    lua_rawseti(L, -2, (lua_Integer)serial);
  }
  lua_settop(L, top);
}


void bind_revive_root(lua_State *L, int world, uint64_t serial) {
  int top = lua_gettop(L);
  Root *root = bind_push_root(L, world, serial);
  root->alive = true;
  lua_getiuservalue(L, -1, 1);
  set_registered(L, world, -1, serial);
  lua_settop(L, top);
}


// world:forget_state(table); does nothing if the table is not registered
int bind_world_forget_state(lua_State *L) {
  check_call(L);
  uint64_t serial = registered(L);
  if (serial != 0) bind_end_root(L, 1, serial);
  return 0;
}
