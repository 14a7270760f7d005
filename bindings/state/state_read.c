// Restores tables from the bytes of a snapshot. All values are checked before the world is restored.
// Then tables are filled in place, so that every reference sees the contents.
// A stored table is matched with the table that had its serial, else with a new table.
#include <string.h>

#include "objects/data.h"
#include "objects/object.h"
#include "state/state.h"

typedef struct Plan {
  lua_State *L;
  int world;
  // stack index of the targets: [number + 1] is the script's table, [0] is `found`
  int targets;
  int claimed; // stack index of the set of matched tables: table -> true
  // stack index of the restores; 0 while __load functions run
  int restores;
  const TablesFound *found;
  Reader reader;
} Plan;


// Set the creation number and the name of the destroyed object at the top.
static void name_destroyed(lua_State *L, Reader *reader) {
  Object *object = lua_touserdata(L, -1);
  size_t length;
  object->number = bind_take_u64(reader);
  if (bind_take_u8(reader) != STATE_STRING) return;
  const char *name = bind_take_text(reader, &length);
  lua_pushlstring(L, name, length);
  bind_remember_name(L, -2);
}


static uint64_t owner_id(lua_State *L, int world, uint64_t id) {
  return (id & ~STATE_MARK) | imp_world_tag(((const WorldBox *)lua_touserdata(L, world))->world);
}


static bool is_object(const Plan *plan, uint32_t number) { return plan->found->tables[number].kind == STATE_OF_OBJECT; }


// Return a reader of the fields of table `number`.
static Reader fields_of(const Plan *plan, uint32_t number) {
  Reader reader = plan->reader;
  reader.place = plan->found->tables[number].offset;
  return reader;
}


// ---------------------------------------------------------------------------------------------------------------------
// Matching tables
// ---------------------------------------------------------------------------------------------------------------------

// Return whether the value at the top is an unmatched table that stored table `number` may be matched with.
static bool can_be(const Plan *plan, uint32_t number) {
  lua_State *L = plan->L;
  if (lua_type(L, -1) != LUA_TTABLE) return false;
  lua_pushvalue(L, -1);
  bool taken = lua_rawget(L, plan->claimed) != LUA_TNIL;
  lua_pop(L, 1);
  bool object = luaL_getmetafield(L, -1, "__load") != LUA_TNIL;
  if (object) lua_pop(L, 1);
  return !taken && object == is_object(plan, number);
}


// Match the table at the top with stored table `number` and pop it.
static void claim(const Plan *plan, uint32_t number) {
  lua_State *L = plan->L;
  lua_pushvalue(L, -1);
  lua_pushboolean(L, true);
  lua_rawset(L, plan->claimed);
  lua_rawseti(L, plan->targets, (lua_Integer)number + 1);
}


static bool is_settled(const Plan *plan, uint32_t number) {
  bool settled = lua_rawgeti(plan->L, plan->targets, (lua_Integer)number + 1) != LUA_TNIL;
  lua_pop(plan->L, 1);
  return settled;
}


static void match_roots(Plan *plan, Reader *reader) {
  lua_State *L = plan->L;
  uint32_t count = bind_take_u32(reader);
  for (uint32_t i = 0; i < count; i++) {
    uint64_t serial = bind_take_u64(reader);
    uint32_t number = bind_take_u32(reader);
    int top = lua_gettop(L);
    bool there = bind_push_root(L, plan->world, serial) != NULL;
    if (there) lua_getiuservalue(L, -1, 1);
    // a table is registered only once, so `number` must be new
    if (!there || is_settled(plan, number) || !can_be(plan, number)) {
      bind_error(L,
                 "%s: the snapshot has a state table that this world does not have: the script or a controller "
                 "registered the table in call %I of world:state. Make the world by the same calls first, or take the "
                 "snapshot with { state = false }",
                 bind_caller(L), (lua_Integer)serial);
    }
    claim(plan, number);
    lua_settop(L, top);
  }
}


static void match_serials(const Plan *plan) {
  lua_State *L = plan->L;
  for (uint32_t number = 0; number < plan->found->count; number++) {
    uint64_t serial = plan->found->tables[number].serial;
    if (serial == 0 || is_settled(plan, number)) continue;
    bind_world_table(L, plan->world, SLOT_TABLES);
    lua_rawgeti(L, -1, (lua_Integer)serial);
    if (can_be(plan, number)) {
      claim(plan, number);
      lua_pop(L, 1);
    } else {
      lua_pop(L, 2);
    }
  }
}


// Push a coordinate, also of a destroyed joint; nil if the joint has no coordinate of that index.
static void push_coordinate(lua_State *L, int world, uint64_t joint, uint32_t index) {
  const WorldBox *box = lua_touserdata(L, world);
  int count = 0;
  bool lives = imp_joint_coordinate_count(box->world, (ImpJoint){joint}, &count) == IMP_OK;
  bool has = index < (uint32_t)(lives ? count : IMP_MAX_CONSTRAINT_ROWS);
  bind_push_joint(L, world, (ImpJoint){has ? joint : 0});
  if (lua_isnil(L, -1)) return;
  bind_push_coordinate(L, -1, (int)index);
  lua_replace(L, -2);
}


// Push restored world `number`, and give it the serial `serial`.
static bool push_restored(const Plan *plan, uint32_t number, uint64_t serial) {
  if (plan->restores == 0 || !bind_push_restored(plan->L, plan->restores, number)) return false;
  bind_set_serial(plan->L, plan->world, -1, serial);
  return true;
}


// Read a key or value and push it. For the number of a stored table, push the script's table that was matched.
static void push_value(const Plan *plan, Reader *reader) {
  lua_State *L = plan->L;
  size_t length;
  const char *text;
  uint64_t bits;
  double number;
  int slot;
  switch (bind_take_u8(reader)) {
  case STATE_FALSE:
  case STATE_TRUE:
    lua_pushboolean(L, reader->at[reader->place - 1] == STATE_TRUE);
    break;
  case STATE_INTEGER:
    lua_pushinteger(L, (lua_Integer)bind_take_u64(reader));
    break;
  case STATE_NUMBER:
    bits = bind_take_u64(reader);
    memcpy(&number, &bits, sizeof number);
    lua_pushnumber(L, number);
    break;
  case STATE_STRING:
    text = bind_take_text(reader, &length);
    lua_pushlstring(L, text, length);
    break;
  case STATE_TABLE:
    lua_rawgeti(L, plan->targets, (lua_Integer)bind_take_u32(reader) + 1);
    break;
  case STATE_OBJECT:
    slot = bind_data_classes[bind_take_u8(reader)].slot;
    bind_push_object(L, plan->world, slot, owner_id(L, plan->world, bind_take_u64(reader)));
    break;
  case STATE_DESTROYED:
    slot = bind_data_classes[bind_take_u8(reader)].slot;
    bind_push_object(L, plan->world, slot, owner_id(L, plan->world, bind_take_u64(reader)));
    name_destroyed(L, reader);
    break;
  case STATE_COORDINATE:
    bits = owner_id(L, plan->world, bind_take_u64(reader));
    push_coordinate(L, plan->world, bits, bind_take_u32(reader));
    break;
  case STATE_WORLD:
    lua_pushvalue(L, plan->world);
    break;
  case STATE_OTHER_WORLD:
    bits = bind_take_u64(reader);
    if (!push_restored(plan, bind_take_u32(reader), bits)) lua_pushnil(L);
    bind_take_text(reader, &length);
    break;
  default:
    lua_pushnil(L);
    break;
  }
}


// Return whether the next value is opaque, so that the field keeps its current value.
static bool stays(const Reader *reader) { return reader->at[reader->place] == STATE_OPAQUE; }


static void match_rest(const Plan *plan) {
  lua_State *L = plan->L;
  for (uint32_t number = 0; number < plan->found->count; number++) {
    if (is_settled(plan, number)) continue;
    if (is_object(plan, number)) {
      bind_error(L,
                 "%s: the snapshot has the state of an object with __save and __load, and the state of this world does "
                 "not have such an object at the same place",
                 bind_caller(L));
    }
    if (plan->found->tables[number].kind == STATE_OF_CLASS) {
      bind_error(L,
                 "%s: the snapshot has a table with a metatable, and the state of this world has no such table at the "
                 "same place; a restore cannot make the table, because a snapshot does not contain metatables",
                 bind_caller(L));
    }
    lua_newtable(L);
    claim(plan, number);
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Other worlds
// ---------------------------------------------------------------------------------------------------------------------

// Push the world with this serial, or else the world in field `key` of `table`. Return false if there is neither.
static bool push_other_world(const Plan *plan, uint64_t serial, int table, Reader key) {
  lua_State *L = plan->L;
  if (bind_push_other_world(L, plan->world, serial)) return true;
  push_value(plan, &key);
  if (lua_isnil(L, -1)) return false;
  lua_rawget(L, table);
  return bind_is_other_world(L, plan->world, -1);
}


static int refuse_world(const Plan *plan, Reader key) {
  lua_State *L = plan->L;
  push_value(plan, &key);
  const char *name = luaL_tolstring(L, -1, NULL);
  return bind_error(L,
                    "%s: when the snapshot was taken, field '%s' of a state table held another world; now the field "
                    "holds no world or a destroyed world. Set the field to a world first",
                    bind_caller(L), name);
}


// Check the other worlds to which table `number` refers.
static void check_worlds(Plan *plan, uint32_t number) {
  lua_State *L = plan->L;
  Reader reader = fields_of(plan, number);
  int top = lua_gettop(L);
  uint32_t count = bind_take_u32(&reader);
  for (uint32_t i = 0; i < count; i++) {
    Reader key = reader, value;
    int64_t ignored;
    size_t length;
    bind_skip_value(&reader, &ignored);
    value = reader;
    if (bind_skip_value(&reader, &ignored) != STATE_OTHER_WORLD) continue;
    bind_take_u8(&value);
    uint64_t serial = bind_take_u64(&value);
    uint32_t world = bind_take_u32(&value);
    const char *bytes = bind_take_text(&value, &length);
    lua_Unsigned known = lua_rawlen(L, plan->restores);
    plan->reader.bad |= world == 0 || (length == 0 ? world > known : world != known + 1);
    if (plan->reader.bad) return;
    if (length == 0) continue;
    lua_rawgeti(L, plan->targets, (lua_Integer)number + 1);
    if (!push_other_world(plan, serial, top + 1, key)) refuse_world(plan, key);
    bind_check_world_bytes(L, plan->restores, lua_gettop(L), bytes, length);
    lua_settop(L, top);
  }
}


void bind_check_tables(lua_State *L, int world, Reader *reader, int restores) {
  int top = lua_gettop(L);
  Plan plan = {.L = L, .world = world, .restores = restores};
  Reader start = *reader;
  plan.found = bind_push_tables_found(L, reader);
  if (reader->bad) return;
  uint32_t count = plan.found->count;
  lua_createtable(L, count < INT32_MAX ? (int)count : 0, 1);
  lua_newtable(L);
  plan.targets = lua_gettop(L) - 1;
  plan.claimed = plan.targets + 1;
  lua_pushvalue(L, top + 1);
  lua_rawseti(L, plan.targets, 0);
  plan.reader = start;
  match_roots(&plan, &start);
  match_serials(&plan);
  match_rest(&plan);
  for (uint32_t number = 0; plan.found->worlds && number < count && !plan.reader.bad; number++) {
    if (!is_object(&plan, number)) check_worlds(&plan, number);
  }
  reader->bad |= plan.reader.bad;
  lua_settop(L, plan.targets);
  lua_replace(L, top + 1);
  lua_settop(L, top + 1);
}


// ---------------------------------------------------------------------------------------------------------------------
// Filling
// ---------------------------------------------------------------------------------------------------------------------

// Return whether a field with this key can be in a snapshot.
static bool is_data_key(lua_State *L, int index) {
  int type = lua_type(L, index);
  bool is = type == LUA_TNUMBER || type == LUA_TSTRING || type == LUA_TBOOLEAN;
  for (int i = 0; i < DATA_CLASSES && type == LUA_TUSERDATA; i++) {
    is |= luaL_testudata(L, index, bind_data_classes[i].class->registry) != NULL;
  }
  return is;
}


// Return how many fields of the table at the index can be in a snapshot.
static uint32_t count_data(lua_State *L, int table) {
  uint32_t count = 0;
  for (lua_pushnil(L); lua_next(L, table); lua_pop(L, 1)) count += is_data_key(L, -2);
  return count;
}


// Remove each field that is absent from this snapshot, unless no snapshot can contain its key.
static void clear_others(const Plan *plan, Reader reader) {
  lua_State *L = plan->L;
  int table = lua_gettop(L), kept = table + 1;
  uint32_t count = bind_take_u32(&reader);
  lua_newtable(L);
  for (uint32_t i = 0; i < count; i++) {
    int64_t ignored;
    push_value(plan, &reader);
    bind_skip_value(&reader, &ignored);
    lua_pushboolean(L, true);
    lua_rawset(L, kept);
  }
  for (lua_pushnil(L); lua_next(L, table);) {
    lua_pop(L, 1);
    lua_pushvalue(L, -1);
    bool stays = !is_data_key(L, -1) || lua_rawget(L, kept) != LUA_TNIL;
    lua_settop(L, kept + 1);
    if (stays) continue;
    lua_pushvalue(L, -1);
    lua_pushnil(L);
    lua_rawset(L, table);
  }
  lua_settop(L, table);
}


// Set the fields of the table at the top. Fields with an opaque value do not change.
static void fill(const Plan *plan, Reader *reader) {
  lua_State *L = plan->L;
  int table = lua_gettop(L);
  Reader start = *reader;
  uint32_t count = bind_take_u32(reader), there = 0;
  for (uint32_t i = 0; i < count; i++) {
    lua_Integer key;
    lua_Number value;
    if (bind_take_pair(reader, &key, &value)) {
      lua_pushnumber(L, value);
      lua_rawseti(L, table, key);
      there++;
      continue;
    }
    push_value(plan, reader);
    if (stays(reader)) {
      bind_take_u8(reader);
      there += lua_rawget(L, table) != LUA_TNIL;
    } else {
      push_value(plan, reader);
      there += !lua_isnil(L, -1);
      lua_rawset(L, table);
    }
    lua_settop(L, table);
  }
  if (count_data(L, table) != there) clear_others(plan, start);
}


static void fill_data(const Plan *plan, Reader *reader) {
  lua_State *L = plan->L;
  int top = lua_gettop(L);
  uint32_t count = bind_take_u32(reader);
  Reader again = *reader;
  lua_newtable(L); // for each slot, the set of owners with an opaque value; their present values stay
  for (int i = 0; i < DATA_SLOTS; i++) {
    lua_newtable(L);
    lua_rawseti(L, top + 1, bind_data_slots[i]);
  }
  for (uint32_t i = 0; i < count; i++) {
    int slot = bind_data_slots[bind_take_u8(&again)];
    uint64_t owner = owner_id(L, plan->world, bind_take_u64(&again));
    int64_t ignored;
    int kind = bind_skip_value(&again, &ignored);
    if (kind != STATE_OPAQUE) continue;
    lua_rawgeti(L, top + 1, slot);
    lua_pushboolean(L, true);
    lua_rawseti(L, -2, bind_key(owner));
    lua_pop(L, 1);
  }
  for (int i = 0; i < DATA_SLOTS; i++) {
    int ids_count;
    const uint64_t *ids = bind_push_ids(L, plan->world, bind_data_slots[i], &ids_count);
    bind_world_table(L, plan->world, bind_data_slots[i]);
    lua_rawgeti(L, top + 1, bind_data_slots[i]);
    for (int n = 0; n < ids_count; n++) {
      bool opaque = lua_rawgeti(L, top + 4, bind_key(ids[n])) != LUA_TNIL;
      lua_pop(L, 1);
      if (opaque) continue;
      lua_pushnil(L);
      lua_rawseti(L, top + 3, bind_key(ids[n]));
    }
    lua_settop(L, top + 1);
  }
  for (uint32_t i = 0; i < count; i++) {
    bind_world_table(L, plan->world, bind_data_slots[bind_take_u8(reader)]);
    uint64_t owner = owner_id(L, plan->world, bind_take_u64(reader));
    bool opaque = stays(reader);
    push_value(plan, reader);
    if (!opaque) lua_rawseti(L, -2, bind_key(owner));
    lua_settop(L, top + 1);
  }
  lua_settop(L, top);
}


// Call __load of the object with its __save result; store the first error.
static void load(const Plan *plan, Reader *reader, int error) {
  lua_State *L = plan->L;
  int object = lua_gettop(L);
  luaL_getmetafield(L, object, "__load");
  lua_pushvalue(L, object);
  push_value(plan, reader);
  bool failed = lua_pcall(L, 2, 0, 0) != LUA_OK;
  if (failed && lua_isnil(L, error)) {
    lua_replace(L, error);
  }
  lua_settop(L, object);
}


// Read the registered tables (roots): register them again, and end all other registrations.
static void take_roots(const Plan *plan, Reader *reader) {
  lua_State *L = plan->L;
  int top = lua_gettop(L), known = 0;
  uint32_t count = bind_take_u32(reader);
  const uint64_t *serials = bind_push_ids(L, plan->world, SLOT_ROOTS, &known);
  lua_newtable(L);
  for (uint32_t i = 0; i < count; i++) {
    uint64_t serial = bind_take_u64(reader);
    bind_take_u32(reader);
    lua_pushboolean(L, true);
    lua_rawseti(L, top + 2, (lua_Integer)serial);
    bind_revive_root(L, plan->world, serial);
  }
  for (int i = 0; i < known; i++) {
    bool stays = lua_rawgeti(L, top + 2, (lua_Integer)serials[i]) != LUA_TNIL;
    lua_pop(L, 1);
    if (!stays) bind_end_root(L, plan->world, serials[i]);
  }
  lua_settop(L, top);
}


// Push the TablesFound from index 0 of the list of targets, and store it in the plan.
static void push_plan(Plan *plan) {
  lua_rawgeti(plan->L, plan->targets, 0);
  plan->found = lua_touserdata(plan->L, -1);
}


bool bind_take_tables(lua_State *L, int world, Reader reader, int targets, int restores) {
  Plan plan = {.L = L, .world = world, .reader = reader, .targets = targets, .restores = restores};
  int top = lua_gettop(L);
  bool has_objects = false;
  push_plan(&plan);
  take_roots(&plan, &reader);
  for (uint32_t number = 0; number < plan.found->count; number++) {
    Reader fields = fields_of(&plan, number);
    lua_rawgeti(L, targets, (lua_Integer)number + 1);
    if (!is_object(&plan, number)) fill(&plan, &fields);
    has_objects |= is_object(&plan, number);
    uint64_t serial = plan.found->tables[number].serial;
    if (serial != 0) bind_set_serial(L, world, -1, serial);
    lua_pop(L, 1);
  }
  fill_data(&plan, &reader);
  lua_settop(L, top);
  return has_objects;
}


void bind_load_objects(lua_State *L, int world, Reader reader, int targets, int error) {
  Plan plan = {.L = L, .world = world, .reader = reader, .targets = targets};
  int top = lua_gettop(L);
  push_plan(&plan);
  for (uint32_t number = 0; number < plan.found->count; number++) {
    if (!is_object(&plan, number)) continue;
    Reader fields = fields_of(&plan, number);
    lua_rawgeti(L, targets, (lua_Integer)number + 1);
    load(&plan, &fields, error);
    lua_pop(L, 1);
  }
  lua_settop(L, top);
}
