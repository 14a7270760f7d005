// Functions in snapshots. A snapshot contains a function's owner, such as the n-th handler, and a hash of its code.
// Within one process a restore also sets the filters and mix rules that the world had at the time of the snapshot.
#include <string.h>

#include "base/world_table.h"
#include "objects/data.h"
#include "objects/joint.h"
#include "objects/trace.h"
#include "state/state.h"
#include "state/state_function.h"

enum { RULES = 2 }; // number of mix rules; 1 to RULES are their keys in SLOT_MIX_RULES

// Slots of the world table by their number in the bytes.
static const int owner_slots[] = {SLOT_MIX_RULES, SLOT_FILTERS, SLOT_LAWS, SLOT_CONSTRAINTS, SLOT_PREDICATES};
enum { OWNER_SLOTS = 5 };


static unsigned number_of_slot(int slot) {
  unsigned number = 0;
  while (owner_slots[number] != slot) number++;
  return number;
}


// ---------------------------------------------------------------------------------------------------------------------
// Identification of a function
// ---------------------------------------------------------------------------------------------------------------------

// Return the hash of a function's code, cached while the function exists.
static uint64_t hash_of(lua_State *L, int world, int function) {
  function = lua_absindex(L, function);
  bind_world_table(L, world, SLOT_FUNCTION_HASHES);
  lua_pushvalue(L, function);
  if (lua_rawget(L, -2) == LUA_TNUMBER) {
    uint64_t known = (uint64_t)lua_tointeger(L, -1);
    lua_pop(L, 2);
    return known;
  }
  lua_pop(L, 1);
  uint64_t hash = bind_hash_code(L, function);
  lua_pushvalue(L, function);
  lua_pushinteger(L, (lua_Integer)hash);
  lua_rawset(L, -3);
  lua_pop(L, 1);
  return hash;
}


// Push "scene.lua:12": the name of the file without its folder, and the line.
static const char *push_place(lua_State *L, int function) {
  lua_Debug ar;
  lua_pushvalue(L, function);
  lua_getinfo(L, ">S", &ar);
  if (ar.linedefined <= 0) return lua_pushstring(L, ar.what);
  const char *slash = strrchr(ar.short_src, '/');
  return lua_pushfstring(L, "%s:%d", slash ? slash + 1 : ar.short_src, ar.linedefined);
}


void bind_put_function(lua_State *L, int world, Bytes *bytes) {
  bind_put_u64(L, bytes, hash_of(L, world, -1));
  size_t length;
  push_place(L, lua_gettop(L));
  const char *place = lua_tolstring(L, -1, &length);
  bind_put_text(L, bytes, place, length);
  lua_pop(L, 2);
}


FunctionMark bind_take_function(Reader *reader) {
  FunctionMark mark = {.hash = bind_take_u64(reader)};
  mark.place = bind_take_text(reader, &mark.place_length);
  return mark;
}


int bind_refuse_function(lua_State *L, const char *what, FunctionMark mark, int current) {
  lua_pushlstring(L, mark.place, mark.place_length);
  const char *place = lua_tostring(L, -1);
  if (!lua_isfunction(L, current)) {
    return bind_error(L, "%s: the snapshot has %s (%s) that this world does not have", bind_caller(L), what, place);
  }
  return bind_error(L, "%s: the snapshot has %s (%s), but this function has different code in this world (%s)",
                    bind_caller(L), what, place, push_place(L, current));
}


bool bind_is_function(lua_State *L, int world, int index, FunctionMark mark) {
  return lua_isfunction(L, index) && hash_of(L, world, index) == mark.hash;
}


// ---------------------------------------------------------------------------------------------------------------------
// Functions by owner: { slot of the world table, owner, serial, function }
// ---------------------------------------------------------------------------------------------------------------------

// Write a function and pop it. A restore sets a `replaceable` function, so only such a function gets a serial.
static void put_entry(lua_State *L, int world, Bytes *bytes, int slot, uint64_t owner, bool replaceable) {
  bind_put_u8(L, bytes, number_of_slot(slot));
  bind_put_u64(L, bytes, owner & ~STATE_MARK);
  bind_put_u64(L, bytes, replaceable ? bind_keep_serial(L, world, -1) : 0);
  bind_put_function(L, world, bytes);
}


// Push a joint's predicate, or nil; search from *hint on.
static void push_predicate_of(lua_State *L, int world, uint64_t id, int *hint) {
  const WorldBox *box = lua_touserdata(L, world);
  for (int i = 0; i < box->predicates; i++) {
    int place = *hint;
    ImpJoint joint;
    *hint = (place + 1) % box->predicates;
    bind_push_predicate(L, world, place, &joint);
    if (joint.id == id) return;
    lua_pop(L, 1);
  }
  lua_pushnil(L);
}


// Push the present function of `owner`, or nil.
static void push_current(lua_State *L, int world, int slot, uint64_t owner, int *hint) {
  if (slot == SLOT_PREDICATES) {
    push_predicate_of(L, world, owner, hint);
    return;
  }
  bind_world_table(L, world, slot);
  lua_rawgeti(L, -1, bind_key(owner));
  if (lua_type(L, -1) == LUA_TUSERDATA) {
    const Constraint *record = lua_touserdata(L, -1);
    // nil for a traced function: its operations (the tape) are in the core's part of the snapshot
    bool called = record->kind != CONSTRAINT_TAPE;
    if (called) lua_getiuservalue(L, -1, UV_FUNCTION);
    if (!called) lua_pushnil(L);
    lua_replace(L, -2);
  }
  lua_replace(L, -2);
}


static uint32_t put_slot(lua_State *L, int world, Bytes *bytes, int slot) {
  int top = lua_gettop(L), count = 0;
  uint32_t written = 0;
  const uint64_t *ids = bind_push_ids(L, world, slot, &count);
  for (int i = 0; i < count; i++) {
    push_current(L, world, slot, ids[i], NULL);
    if (!lua_isfunction(L, -1)) {
      lua_pop(L, 1);
      continue;
    }
    put_entry(L, world, bytes, slot, ids[i], slot == SLOT_FILTERS);
    written++;
  }
  lua_settop(L, top);
  return written;
}


static uint32_t put_predicates(lua_State *L, int world, Bytes *bytes) {
  const WorldBox *box = lua_touserdata(L, world);
  uint32_t written = 0;
  ImpJoint joint;
  for (int place = 0; bind_push_predicate(L, world, place, &joint); place++) {
    if (imp_joint_is_valid(box->world, joint)) {
      put_entry(L, world, bytes, SLOT_PREDICATES, joint.id, false);
      written++;
    } else {
      lua_pop(L, 1);
    }
  }
  return written;
}


void bind_put_functions(lua_State *L, int world, Bytes *bytes) {
  static const int slots[] = {SLOT_FILTERS, SLOT_LAWS, SLOT_CONSTRAINTS};
  size_t head = bytes->size;
  uint32_t count = 0;
  bind_put_u32(L, bytes, 0);
  for (uint64_t rule = 1; rule <= RULES; rule++) {
    push_current(L, world, SLOT_MIX_RULES, rule, NULL);
    if (!lua_isfunction(L, -1)) {
      lua_pop(L, 1);
      continue;
    }
    put_entry(L, world, bytes, SLOT_MIX_RULES, rule, true);
    count++;
  }
  for (size_t i = 0; i < sizeof slots / sizeof *slots; i++) count += put_slot(L, world, bytes, slots[i]);
  count += put_predicates(L, world, bytes);
  memcpy(bytes->at + head, &count, sizeof count);
}


typedef struct OwnedFunction {
  int slot;
  uint64_t owner, serial;
  FunctionMark mark;
} OwnedFunction;


static OwnedFunction take_entry(lua_State *L, int world, Reader *reader) {
  const WorldBox *box = lua_touserdata(L, world);
  OwnedFunction entry = {.slot = 0};
  uint8_t number = bind_take_u8(reader);
  entry.slot = owner_slots[number < OWNER_SLOTS ? number : 0];
  entry.owner = bind_take_u64(reader) & ~STATE_MARK;
  if (entry.slot != SLOT_MIX_RULES) entry.owner |= imp_world_tag(box->world);
  entry.serial = bind_take_u64(reader);
  entry.mark = bind_take_function(reader);
  bool rule = entry.slot != SLOT_MIX_RULES || (entry.owner >= 1 && entry.owner <= RULES);
  reader->bad = reader->bad || number >= OWNER_SLOTS || !rule;
  return entry;
}


// Push the entry's function, found by serial, else by owner. Return whether its code has the hash in entry->mark.
static bool push_meant(lua_State *L, int world, const OwnedFunction *entry, int *hint) {
  if (entry->serial != 0) {
    bind_world_table(L, world, SLOT_FUNCTIONS);
    lua_rawgeti(L, -1, (lua_Integer)entry->serial);
    lua_replace(L, -2);
    if (bind_is_function(L, world, -1, entry->mark)) return true;
    lua_pop(L, 1);
  }
  push_current(L, world, entry->slot, entry->owner, hint);
  return bind_is_function(L, world, -1, entry->mark);
}


static const char *slot_name(int slot) {
  return slot == SLOT_MIX_RULES     ? "a mix rule"
         : slot == SLOT_FILTERS     ? "a shape's filter"
         : slot == SLOT_LAWS        ? "a field's law"
         : slot == SLOT_CONSTRAINTS ? "a constraint's function"
                                    : "a joint's break_if";
}


void bind_check_functions(lua_State *L, int world, Reader *reader) {
  int top = lua_gettop(L), hint = 0;
  uint32_t count = bind_take_u32(reader);
  for (uint32_t i = 0; i < count && !reader->bad; i++) {
    OwnedFunction entry = take_entry(L, world, reader);
    if (reader->bad) return;
    if (!push_meant(L, world, &entry, &hint)) {
      bind_refuse_function(L, slot_name(entry.slot), entry.mark, lua_gettop(L));
    }
    lua_settop(L, top);
  }
}


// Restore filters and rules; a shape that has no filter in the snapshot loses its filter.
void bind_take_functions(lua_State *L, int world, Reader *reader) {
  int top = lua_gettop(L), ids_count = 0, hint = 0;
  uint32_t count = bind_take_u32(reader);
  lua_createtable(L, 0, 0);
  Reader again = *reader;
  for (uint32_t i = 0; i < count; i++) {
    OwnedFunction entry = take_entry(L, world, &again);
    if (entry.serial == 0) continue;
    push_meant(L, world, &entry, &hint);
    lua_rawseti(L, top + 1, (lua_Integer)i + 1);
    lua_settop(L, top + 1);
  }
  const uint64_t *ids = bind_push_ids(L, world, SLOT_FILTERS, &ids_count);
  bind_world_table(L, world, SLOT_FILTERS);
  for (int i = 0; i < ids_count; i++) {
    lua_pushnil(L);
    lua_rawseti(L, -2, bind_key(ids[i]));
  }
  bind_world_table(L, world, SLOT_MIX_RULES);
  for (int rule = 1; rule <= RULES; rule++) {
    lua_pushnil(L);
    lua_rawseti(L, -2, rule);
  }
  lua_settop(L, top + 1);
  for (uint32_t i = 0; i < count; i++) {
    OwnedFunction entry = take_entry(L, world, reader);
    if (entry.serial == 0) continue;
    bind_world_table(L, world, entry.slot);
    lua_rawgeti(L, top + 1, (lua_Integer)i + 1);
    lua_rawseti(L, -2, bind_key(entry.owner));
    lua_settop(L, top + 1);
  }
  lua_settop(L, top);
}
