// world:snapshot and world:restore. Userdata of objects that existed at snapshot time are valid again after a restore.
// The bindings keep the data and functions of destroyed objects for a restore.
// Worlds that refer to each other are restored together or not at all, so all checks and allocations of the cores come
// first.
//
//   snapshot = the core's bytes, then a Section and the bytes described in state.h
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <stddef.h>
#include <string.h>

#include "objects/body.h"
#include "objects/object.h"
#include "state/snapshot.h"
#include "state/state.h"
#include "state/state_function.h"
#include "system/system.h"

// Header of the Lua part, which follows the core's bytes.
typedef struct Section {
  char magic[8];
  uint64_t version;
  uint64_t length;   // length of the bytes after this header
  uint64_t checksum; // XXH3-64 checksum of the bytes after this header
} Section;

enum { VERSION = 4 }; // to be increased when the meaning of the bytes changes

static const char magic[8] = "IMPLUA";


// ---------------------------------------------------------------------------------------------------------------------
// Saving
// ---------------------------------------------------------------------------------------------------------------------

void bind_push_guarded(lua_State *L, lua_CFunction f) {
  for (int i = 1; i <= BIND_METHOD_UPVALUES; i++) lua_pushvalue(L, lua_upvalueindex(i));
  lua_pushcclosure(L, f, BIND_METHOD_UPVALUES);
}


// Stop the collector, so that no finalizer runs. Return whether the collector was running.
static bool stop_collector(lua_State *L) {
  bool collects = lua_gc(L, LUA_GCISRUNNING) != 0;
  lua_gc(L, LUA_GCSTOP);
  return collects;
}


static void start_collector(lua_State *L, bool collects) {
  if (collects) lua_gc(L, LUA_GCRESTART);
}


// lua_pcall without results, with the collector stopped.
static int call_uncollected(lua_State *L, int arguments) {
  bool collects = stop_collector(L);
  int status = lua_pcall(L, arguments, 0, 0);
  start_collector(L, collects);
  return status;
}


// Lua function (world, bytes, worlds): append the Lua part of a snapshot. Runs the __save of objects.
// `worlds`: the worlds with written snapshots; maps worlds to numbers and numbers to worlds
static int put_state(lua_State *L) {
  enum { WORLD = 1, BYTES, WORLDS };
  Bytes *bytes = lua_touserdata(L, BYTES);
  lua_Integer number = (lua_Integer)lua_rawlen(L, WORLDS) + 1;
  lua_pushvalue(L, WORLD);
  lua_rawseti(L, WORLDS, number);
  lua_pushvalue(L, WORLD);
  lua_pushinteger(L, number);
  lua_rawset(L, WORLDS);
  size_t head = bytes->size;
  Section section = {.version = VERSION};
  memcpy(section.magic, magic, sizeof magic);
  bind_put(L, bytes, &section, sizeof section);
  size_t counters = bytes->size;
  bind_put_counters(L, 1, bytes);
  bind_put_handlers(L, 1, bytes);
  bind_put_functions(L, 1, bytes);
  bind_put_tables(L, 1, WORLDS, bytes);
  uint64_t values = ((const WorldBox *)lua_touserdata(L, 1))->value_serial;
  memcpy(bytes->at + counters + 2 * sizeof values, &values, sizeof values);
  section.length = bytes->size - head - sizeof section;
  section.checksum = XXH3_64bits(bytes->at + head + sizeof section, (size_t)section.length);
  memcpy(bytes->at + head, &section, sizeof section);
  return 0;
}


// Append the Lua part; `saving` keeps __save from destroying the world.
static void append_state(lua_State *L, WorldBox *box, int worlds) {
  int bytes = lua_gettop(L);
  bind_push_guarded(L, put_state);
  lua_pushvalue(L, 1);
  lua_pushvalue(L, bytes);
  if (worlds) {
    lua_pushvalue(L, worlds);
  } else {
    lua_newtable(L);
  }
  box->saving++;
  int status = call_uncollected(L, 3);
  box->saving--;
  if (status != LUA_OK) lua_error(L);
}


// Push the Bytes of a snapshot. `worlds`: index of the written worlds, or 0
static Bytes *push_snapshot(lua_State *L, bool state, int worlds) {
  WorldBox *box = bind_check_world(L);
  void *core = NULL;
  Bytes *bytes = bind_push_bytes(L);
  bind_status(L, imp_world_snapshot(box->world, &core, &bytes->size));
  bytes->at = core;
  bytes->capacity = bytes->size;
  if (state) append_state(L, box, worlds);
  box->keeps = true;
  return bytes;
}


typedef struct SnapshotOptions {
  bool state;
} SnapshotOptions;

static const Field snapshot_fields[] = {
    {.name = "state",
     .kind = FIELD_BOOLEAN,
     .offset = offsetof(SnapshotOptions, state),
     .doc = "whether the snapshot contains the Lua part: handlers, functions, registered state and data of objects. "
            "false: only the core's part; restoring it leaves the Lua part as it is; true by default"},
    {.name = NULL},
};

const Options bind_snapshot_options = {.fields = snapshot_fields, .scope = "snapshot"};


static WorldBox *check_quiet(lua_State *L) {
  WorldBox *box = bind_check_world(L);
  bind_refuse_saving(L, box);
  return box;
}


// world:snapshot([{ state }]) -> string
int bind_world_snapshot(lua_State *L) {
  check_quiet(L);
  SnapshotOptions options = {.state = true};
  if (!lua_isnoneornil(L, 2)) bind_options(L, 2, "world:snapshot", &bind_snapshot_options, &options);
  lua_settop(L, 1);
  Bytes *bytes = push_snapshot(L, options.state, 0);
  lua_pushlstring(L, (const char *)bytes->at, bytes->size); // may raise; the collector frees the bytes after an error
  bind_free_bytes(bytes);
  return 1;
}


int bind_put_snapshot(lua_State *L) {
  enum { WORLD = 1, WORLDS };
  push_snapshot(L, true, WORLDS);
  return 1;
}


// world:save(path) -> true or nil, message
int bind_world_save(lua_State *L) {
  check_quiet(L);
  const char *path = bind_path(L, 2);
  lua_settop(L, 2);
  Bytes *bytes = push_snapshot(L, true, 0);
  int results = bind_replace_file(L, path, (const char *)bytes->at, bytes->size);
  bind_free_bytes(bytes);
  if (results > 1) lua_pop(L, 1); // pop the reason, which bind_replace_file pushed after the message
  return results > 1 ? 2 : 1;
}


// ---------------------------------------------------------------------------------------------------------------------
// Restoring
// ---------------------------------------------------------------------------------------------------------------------

// Update the names in userdata, because the objects may have had other names at snapshot time.
static void refresh_names(lua_State *L, const WorldBox *box, int slot) {
  bind_world_table(L, 1, slot);
  int cache = lua_gettop(L);
  for (lua_pushnil(L); lua_next(L, cache); lua_settop(L, cache + 1)) {
    uint64_t id = ((const Handle *)lua_touserdata(L, -1))->id;
    if (!bind_lives(box->world, slot, id)) continue;
    const char *name = bind_name_of(box->world, slot, id);
    if (name) {
      lua_pushstring(L, name);
    } else {
      lua_pushnil(L);
    }
    bind_remember_name(L, cache + 2);
  }
  lua_settop(L, cache - 1);
}


typedef struct Parts {
  const void *core;
  size_t core_size;
  Reader state; // size 0: no Lua part, as in a snapshot of the core alone
  bool has_state;
} Parts;


static int refuse_damaged(lua_State *L) {
  return bind_error(L, "%s: the Lua part of the snapshot is damaged", bind_caller(L));
}


static Parts split(lua_State *L, const char *bytes, size_t size) {
  Parts parts = {.core = bytes, .core_size = size};
  ImpSnapshotInfo info;
  // For invalid bytes, the restore of the core fails later. If size == info.size, there is no Lua part.
  if (imp_snapshot_info(bytes, size, &info) != IMP_OK || info.size == size) return parts;
  parts.core_size = info.size;
  Section section;
  size_t rest = size - parts.core_size;
  if (rest < sizeof section) {
    bind_error(L,
               "%s: the snapshot has the wrong length: %I bytes follow the core's part, but a Lua part has at least %I "
               "bytes: the snapshot was cut or extended",
               bind_caller(L), (lua_Integer)rest, (lua_Integer)sizeof section);
  }
  memcpy(&section, bytes + parts.core_size, sizeof section);
  rest -= sizeof section;
  if (memcmp(section.magic, magic, sizeof magic) != 0) {
    bind_error(L, "%s: the snapshot is damaged: the bytes after the core's part are not a Lua part", bind_caller(L));
  }
  if (section.version != VERSION) {
    bind_error(
        L, "%s: the snapshot is of another version of impel: its Lua part has format %I, this version reads format %d",
        bind_caller(L), (lua_Integer)section.version, VERSION);
  }
  if (section.length != rest) {
    bind_error(L,
               "%s: the snapshot has the wrong length: its Lua part has %I bytes, but had %I when it was made: the "
               "snapshot was cut, extended or damaged",
               bind_caller(L), (lua_Integer)rest, (lua_Integer)section.length);
  }
  const unsigned char *at = (const unsigned char *)bytes + parts.core_size + sizeof section;
  if (XXH3_64bits(at, rest) != section.checksum) {
    bind_error(L, "%s: the snapshot is damaged: the checksum of its Lua part is wrong", bind_caller(L));
  }
  parts.state = (Reader){.at = at, .size = rest};
  parts.has_state = true;
  return parts;
}


// impel.core.snapshot_info(snapshot) -> { bytes, core = number of bytes of the core, readable, sections = { { name,
// bytes }, ... }, state = position of the registered state }
int bind_snapshot_info(lua_State *L) {
  size_t size;
  ImpSnapshotInfo info;
  lua_settop(L, 1);
  if (lua_type(L, 1) != LUA_TSTRING) {
    return bind_error(L,
                      "impel.core.snapshot_info: argument 'snapshot' must be a string, the bytes of a snapshot, got %s",
                      bind_got(L, 1));
  }
  const char *bytes = lua_tolstring(L, 1, &size);
  if (imp_snapshot_info(bytes, size, &info) != IMP_OK) {
    return bind_error(L, "impel.core.snapshot_info: %s", imp_last_error());
  }
  lua_createtable(L, 0, 5);
  lua_pushinteger(L, (lua_Integer)size);
  lua_setfield(L, -2, "bytes");
  lua_pushinteger(L, (lua_Integer)info.size);
  lua_setfield(L, -2, "core");
  lua_pushboolean(L, info.readable);
  lua_setfield(L, -2, "readable");
  lua_createtable(L, info.section_count, 0);
  for (int i = 0; i < info.section_count; i++) {
    lua_createtable(L, 0, 2);
    lua_pushstring(L, info.sections[i].name);
    lua_setfield(L, -2, "name");
    lua_pushinteger(L, (lua_Integer)info.sections[i].bytes);
    lua_setfield(L, -2, "bytes");
    lua_rawseti(L, -2, i + 1);
  }
  lua_setfield(L, -2, "sections");
  if (size > info.size + sizeof(Section)) {
    lua_pushinteger(L, (lua_Integer)(info.size + sizeof(Section)) + 1);
    lua_setfield(L, -2, "state");
  }
  return 1;
}


size_t bind_core_part(lua_State *L, const char *bytes, size_t size) { return split(L, bytes, size).core_size; }


// ---------------------------------------------------------------------------------------------------------------------
// Restores of several worlds. All worlds are prepared first; either all worlds are restored or none.
//   restores = { { Prepared, world, targets, bytes }, ... }; the first entry has the world whose method was called
// ---------------------------------------------------------------------------------------------------------------------

typedef struct Prepared {
  WorldBox *box;
  ImpRestore *core;
  // has_objects: some restored tables have a __load; known once the tables are restored
  bool has_state, has_objects;
  Reader state, tables; // positions in the bytes: the Lua part; the list of registered tables
} Prepared;

enum { PART_PREPARED = 1, PART_WORLD, PART_TARGETS, PART_BYTES };


// Push member `part` of entry `n` of `restores`; n counts from 1.
static void push_part(lua_State *L, int restores, int n, int part) {
  lua_rawgeti(L, restores, n);
  lua_rawgeti(L, -1, part);
  lua_replace(L, -2);
}


static Prepared *prepared_at(lua_State *L, int restores, int n) {
  push_part(L, restores, n, PART_PREPARED);
  Prepared *prepared = lua_touserdata(L, -1);
  lua_pop(L, 1);
  return prepared;
}


bool bind_push_restored(lua_State *L, int restores, uint32_t number) {
  if (number == 0 || number > lua_rawlen(L, restores)) return false;
  push_part(L, restores, (int)number, PART_WORLD);
  return true;
}


// Check the Lua part of a snapshot. Push the list of the script's tables that match the stored tables.
static void check_state(lua_State *L, Reader reader, int restores) {
  bind_check_counters(&reader);
  bind_check_handlers(L, 1, &reader);
  if (!reader.bad) bind_check_functions(L, 1, &reader);
  if (!reader.bad) bind_check_tables(L, 1, &reader, restores);
  if (reader.bad || reader.place != reader.size) refuse_damaged(L);
}


int bind_prepare_restore(lua_State *L) {
  enum { WORLD = 1, BYTES, RESTORES, ENTRY };
  size_t size;
  const char *bytes = lua_tolstring(L, BYTES, &size);
  luaL_checkstack(L, LUA_MINSTACK, NULL);
  lua_createtable(L, PART_BYTES, 0);
  Prepared *prepared = lua_newuserdatauv(L, sizeof *prepared, 0);
  *prepared = (Prepared){.box = lua_touserdata(L, WORLD)};
  lua_rawseti(L, ENTRY, PART_PREPARED);
  lua_pushvalue(L, WORLD);
  lua_rawseti(L, ENTRY, PART_WORLD);
  lua_pushvalue(L, BYTES);
  lua_rawseti(L, ENTRY, PART_BYTES);
  lua_pushvalue(L, ENTRY);
  lua_rawseti(L, RESTORES, (lua_Integer)lua_rawlen(L, RESTORES) + 1);
  prepared->box->saving++;
  Parts parts = split(L, bytes, size);
  prepared->has_state = parts.has_state;
  prepared->state = parts.state;
  if (parts.has_state) {
    check_state(L, parts.state, RESTORES);
    lua_rawseti(L, ENTRY, PART_TARGETS);
  }
  bind_status(L, imp_world_begin_restore(prepared->box->world, parts.core, parts.core_size, &prepared->core));
  return 0;
}


// Complete (if `take`) or cancel the core's part of all restores in the list at `restores`.
static void end_restores(lua_State *L, int restores, bool take) {
  int count = (int)lua_rawlen(L, restores);
  for (int n = 1; n <= count; n++) {
    Prepared *prepared = prepared_at(L, restores, n);
    imp_restore_end(prepared->core, take);
    prepared->core = NULL;
    prepared->box->saving--;
    if (take) prepared->box->epoch++; // makes pooled objects stale
    if (take) bind_forget_ends(prepared->box);
  }
}


static void refresh_all_names(lua_State *L, const WorldBox *box) {
  for (int slot = SLOT_BODIES; slot <= SLOT_MOVERS; slot++) refresh_names(L, box, slot);
}


// Lua function (world, restores, n): restore tables, handlers and functions of one world
static int take_state(lua_State *L) {
  enum { WORLD = 1, RESTORES, NUMBER, TARGETS };
  int n = (int)lua_tointeger(L, NUMBER);
  Prepared *prepared = prepared_at(L, RESTORES, n);
  refresh_all_names(L, prepared->box);
  if (!prepared->has_state) return 0;
  push_part(L, RESTORES, n, PART_TARGETS);
  Reader reader = prepared->state;
  bind_take_counters(L, 1, &reader);
  bind_take_handlers(L, 1, &reader);
  bind_take_functions(L, 1, &reader);
  prepared->tables = reader;
  prepared->has_objects = bind_take_tables(L, WORLD, reader, TARGETS, RESTORES);
  return 0;
}


// Lua function (world, restores, n): run the __load of objects, then raise the first error
static int load_objects(lua_State *L) {
  enum { WORLD = 1, RESTORES, NUMBER, TARGETS, ERROR };
  int n = (int)lua_tointeger(L, NUMBER);
  const Prepared *prepared = prepared_at(L, RESTORES, n);
  if (!prepared->has_objects) return 0;
  push_part(L, RESTORES, n, PART_TARGETS);
  lua_pushnil(L);
  bind_load_objects(L, WORLD, prepared->tables, TARGETS, ERROR);
  return lua_isnil(L, ERROR) ? 0 : lua_error(L);
}


// Call f(world, restores, n) for restore n; the first error is stored at index `error`.
static void call_on(lua_State *L, lua_CFunction f, int restores, int n, int error) {
  int top = lua_gettop(L);
  bind_push_guarded(L, f);
  push_part(L, restores, n, PART_WORLD);
  lua_pushvalue(L, restores);
  lua_pushinteger(L, n);
  if (lua_pcall(L, 3, 0, 0) != LUA_OK && lua_isnil(L, error)) lua_copy(L, -1, error);
  lua_settop(L, top);
}


// Lua function (restores): restore the tables of all worlds; then load the objects of each world, the first world last.
static int finish_all(lua_State *L) {
  enum { RESTORES = 1, ERROR };
  int count = (int)lua_rawlen(L, RESTORES);
  lua_pushnil(L);
  for (int n = 1; n <= count; n++) call_on(L, take_state, RESTORES, n, ERROR);
  for (int n = count; n >= 1; n--) call_on(L, load_objects, RESTORES, n, ERROR);
  return lua_isnil(L, ERROR) ? 0 : lua_error(L);
}


// (n): nest n calls
static int nest(lua_State *L) {
  lua_Integer n = lua_tointeger(L, 1);
  if (n == 0) return 0;
  lua_pushcfunction(L, nest);
  lua_pushinteger(L, n - 1);
  lua_call(L, 1, 0);
  return 0;
}


// Raise if too few nested C calls are left.
static void need_calls(lua_State *L) {
  enum { NEEDED = 10 };
  lua_pushcfunction(L, nest);
  lua_pushinteger(L, NEEDED);
  if (lua_pcall(L, 1, 0, 0) == LUA_OK) return;
  bind_error(L, "%s: too many nested C calls, pcalls or coroutines at this place: call it outside some of them (%s)",
             bind_caller(L), lua_tostring(L, -1));
}


// Check a restore of the world at index 1 from the bytes at index `bytes`, then restore the core's part of all worlds.
// Push finish_all and the restores; on failure push the error and return false.
static bool restore_core(lua_State *L, int bytes) {
  need_calls(L);
  bind_push_guarded(L, finish_all); // pushed before anything changes, because the push may raise
  lua_newtable(L);
  int restores = lua_gettop(L);
  bind_push_guarded(L, bind_prepare_restore);
  lua_pushvalue(L, 1);
  lua_pushvalue(L, bytes);
  lua_pushvalue(L, restores);
  bool collects = stop_collector(L); // the collector stays stopped until the checked state is restored
  int status = lua_pcall(L, 3, 0, 0);
  end_restores(L, restores, status == LUA_OK);
  start_collector(L, collects);
  return status == LUA_OK;
}


static void count_saving(lua_State *L, int restores, int by) {
  int count = (int)lua_rawlen(L, restores);
  for (int n = 1; n <= count; n++) prepared_at(L, restores, n)->box->saving += by;
}


// Restore the Lua part, from the values that restore_core pushed. `saving` prevents the destruction of the worlds
// meanwhile.
static void finish(lua_State *L) {
  int restores = lua_gettop(L);
  lua_pushvalue(L, restores - 1);
  lua_pushvalue(L, restores);
  count_saving(L, restores, 1);
  int status = call_uncollected(L, 1);
  count_saving(L, restores, -1);
  if (status != LUA_OK) lua_error(L);
  lua_settop(L, restores - 2);
}


// Restore a snapshot without Lua part, or return false. Makes no garbage.
static bool restore_alone(lua_State *L) {
  size_t size;
  const char *bytes = lua_tolstring(L, 2, &size);
  ImpSnapshotInfo info;
  if (imp_snapshot_info(bytes, size, &info) == IMP_OK && info.size != size) return false;
  WorldBox *box = lua_touserdata(L, 1);
  bind_status(L, imp_world_restore(box->world, bytes, size)); // raises the core's error if the bytes are invalid
  box->epoch++;
  bind_forget_ends(box);
  refresh_all_names(L, box);
  return true;
}


static void check_restore(lua_State *L) {
  WorldBox *box = check_quiet(L);
  if (box->tracing) bind_error(L, "%s: called inside a %s's function", bind_caller(L), box->traced);
  if (imp_world_is_stepping(box->world)) {
    bind_error(L, "%s: a world cannot be restored inside its own step", bind_caller(L));
  }
}


// world:restore(snapshot)
int bind_world_restore(lua_State *L) {
  check_restore(L);
  if (lua_type(L, 2) != LUA_TSTRING) {
    return bind_error(L, "world:restore: argument 'snapshot' must be a string from world:snapshot(), got %s",
                      bind_got(L, 2));
  }
  lua_settop(L, 2);
  if (restore_alone(L)) return 0;
  if (!restore_core(L, 2)) return lua_error(L);
  finish(L);
  return 0;
}


// Replace the error at the top by nil and a message that begins with the file's name instead of the caller's line.
static int give_up(lua_State *L, const char *path) {
  const char *message = luaL_tolstring(L, -1, NULL), *text = message;
  const char *call = bind_caller(L);
  bind_push_position(L);
  const char *usual = lua_pushfstring(L, "%s%s: ", lua_tostring(L, -1), call);
  size_t length = strlen(usual);
  if (strncmp(message, usual, length) == 0) text = message + length;
  lua_pushnil(L);
  lua_pushfstring(L, "%s: %s", path, text);
  return 2;
}


// world:load(path) -> true or nil, message
int bind_world_load(lua_State *L) {
  check_restore(L);
  const char *path = bind_path(L, 2);
  lua_settop(L, 2);
  if (!bind_push_file(L, path)) return 2;
  if (!restore_core(L, 3)) return give_up(L, path);
  finish(L);
  lua_pushboolean(L, true);
  return 1;
}
