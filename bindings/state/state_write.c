// Writes tables into the bytes of a snapshot. Keys are sorted and tables numbered breadth-first, so equal contents give
// equal bytes.
#include <stdlib.h>
#include <string.h>

#include "objects/data.h"
#include "objects/joint.h"
#include "objects/object.h"
#include "objects/world.h"
#include "state/state.h"

typedef struct Node {
  int parent;  // number of the first table that refers to this table; -1: a root, or data
  int kind;    // STATE_PLAIN, ...
  int depth;   // number of nested __save calls through which the table was reached
  bool strict; // raise for a value that is not data
  // found only in the result of a __save; a restore creates the table again
  bool detached;
} Node;

// Stack slots from `base` on.
enum { NUMBERS, TABLES, KEYS, NODES, SORTED, ROOM };

typedef struct Writer {
  lua_State *L;
  int world, base;
  int worlds; // stack index of the worlds with written snapshots; 0: no snapshots
  Bytes *bytes;
  const void *metatables[DATA_CLASSES + 2]; // metatables of the data classes, of coordinates, of worlds
  const char *call;                         // name of the call, for messages
  int count, capacity;
  // tables with numbers below this are in `bytes`; put_all writes tables of the kind STATE_OF_OBJECT afterwards
  int written;
  Node *nodes;
  bool dry; // only assign serials: the bytes are discarded and no __save is called
} Writer;

typedef struct Key {
  int rank;
  lua_Integer integer;
  double number;
  const char *text;
  size_t length;
  uint64_t id;
  int place; // index in the list at SORTED, which keeps the key alive
} Key;

enum {
  RANK_INTEGER,
  RANK_NUMBER,
  RANK_TEXT,
  RANK_FALSE,
  RANK_TRUE,
  RANK_OBJECT,
  RANK_NONE = RANK_OBJECT + DATA_CLASSES
};


// ---------------------------------------------------------------------------------------------------------------------
// Values that cannot be written
// ---------------------------------------------------------------------------------------------------------------------

enum {
  MOST_LEVELS = 12,      // largest number of keys in a path of a message
  MOST_OBJECTS = 100000, // largest number of nested __save calls
};


// Prefix the text at the top with ".name" or "[3]" of the key at the index.
static void prefix_key(lua_State *L, int key) {
  key = lua_absindex(L, key);
  bool name = lua_type(L, key) == LUA_TSTRING;
  lua_pushstring(L, name ? "." : "[");
  luaL_tolstring(L, key, NULL);
  lua_pushstring(L, name ? "" : "]");
  lua_concat(L, 3);
  lua_insert(L, -2);
  lua_concat(L, 2);
}


// If the userdata at a stack index is a world other than w->world, or an object of one, return that world, else null.
static const WorldBox *strange_box(const Writer *w, int index) {
  lua_State *L = w->L;
  if (lua_type(L, index) != LUA_TUSERDATA || !lua_getmetatable(L, index)) return NULL;
  const void *metatable = lua_topointer(L, -1);
  lua_pop(L, 1);
  bool ours = false;
  for (int i = 0; i < DATA_CLASSES + 2; i++) ours |= metatable == w->metatables[i];
  const WorldBox *box = ours ? ((const Handle *)lua_touserdata(L, index))->box : NULL;
  return box != lua_touserdata(L, w->world) ? box : NULL;
}


static bool is_weak(lua_State *L, int index) {
  bool weak = lua_istable(L, index) && luaL_getmetafield(L, index, "__mode") != LUA_TNIL;
  if (weak) lua_pop(L, 1);
  return weak;
}


static int type_of_metafield(lua_State *L, int index, const char *name) {
  int type = luaL_getmetafield(L, index, name);
  if (type != LUA_TNIL) lua_pop(L, 1);
  return type;
}


// Return AN_OBJECT if __save and __load of the metatable are functions, NO_OBJECT if both are missing, else
// HALF_AN_OBJECT.
static enum { NO_OBJECT, HALF_AN_OBJECT, AN_OBJECT } object_of(lua_State *L, int index) {
  int save = type_of_metafield(L, index, "__save"), load = type_of_metafield(L, index, "__load");
  if (save == LUA_TNIL && load == LUA_TNIL) return NO_OBJECT;
  return save == LUA_TFUNCTION && load == LUA_TFUNCTION ? AN_OBJECT : HALF_AN_OBJECT;
}


static bool is_half(lua_State *L, int index) { return lua_istable(L, index) && object_of(L, index) == HALF_AN_OBJECT; }


// Push a description of a value that a snapshot cannot contain.
static const char *push_got(const Writer *w, int index) {
  lua_State *L = w->L;
  if (is_weak(L, index)) return lua_pushliteral(L, "a weak table (its metatable has __mode)");
  if (is_half(L, index)) return lua_pushliteral(L, "an object with only one of __save and __load");
  const WorldBox *box = strange_box(w, index);
  if (box == NULL) return lua_pushstring(L, bind_got(L, index));
  const char *state = box->world == NULL ? "a destroyed" : "another";
  if (box == lua_touserdata(L, index)) return lua_pushfstring(L, "%s world", state);
  return lua_pushfstring(L, "%s of %s world", bind_got(L, index), state);
}


// Return advice on what to use instead of the value at the index.
static const char *allowed(const Writer *w, int index, bool key) {
  if (key) return "keys in a snapshot must be numbers, strings, booleans or objects of the world of the snapshot";
  if (is_weak(w->L, index)) {
    return "the garbage collector may remove its entries at any time: remove __mode from the metatable, or register "
           "the state with strict = false, which leaves the table out of snapshots";
  }
  if (is_half(w->L, index)) return "both must be functions: __save(object) returns what __load(object, saved) gets";
  if (bind_is_other_world(w->L, w->world, index))
    return "a table of the state may hold another world, but the result of a __save may not";
  return "a snapshot can hold numbers, booleans, strings, worlds, objects of the world of the snapshot, and tables of "
         "these";
}


// Prefix the text at the top with the path of table `number` in a script's notation: ".enemies[3]".
static void prefix_place(Writer *w, int number) {
  lua_State *L = w->L;
  for (int level = 0; number >= 0 && w->nodes[number].parent >= 0; number = w->nodes[number].parent, level++) {
    if (level == MOST_LEVELS) {
      lua_pushliteral(L, "...");
      lua_insert(L, -2);
      lua_concat(L, 2);
      break;
    }
    lua_rawgeti(L, w->base + KEYS, number + 1);
    lua_insert(L, -2);
    prefix_key(L, -2);
    lua_remove(L, -2);
  }
}


// Raise an error about a field of table `number`: "world:snapshot: state.enemies[3].think is a function".
// key: stack index of the field's key. what: stack index of the wrong value; `key` if the key is wrong.
static void refuse(Writer *w, int number, int key, int what) {
  lua_State *L = w->L;
  key = lua_absindex(L, key);
  what = lua_absindex(L, what);
  const char *got = lua_pushfstring(L, what == key ? "has a key that is %s" : "is %s", push_got(w, what));
  lua_pushliteral(L, "");
  if (what != key) prefix_key(L, key);
  prefix_place(w, number);
  bind_error(L, "%s: state%s %s; %s", w->call, lua_tostring(L, -1), got, allowed(w, what, what == key));
}


// Raise an error about the object from which table `number` was reached through nested __save calls.
static void refuse_depth(Writer *w, int number) {
  while (w->nodes[number].depth > 0) number = w->nodes[number].parent;
  lua_pushliteral(w->L, "");
  prefix_place(w, number);
  bind_error(w->L,
             "%s: state%s: its __save returned an object, the __save of which returned an object, and so on, %d times. "
             "Let __save return data instead of a new object",
             w->call, lua_tostring(w->L, -1), MOST_OBJECTS);
}


// ---------------------------------------------------------------------------------------------------------------------
// Values
// ---------------------------------------------------------------------------------------------------------------------

// Return the index in `metatables` of the userdata's class; -1: another class, or an object of another world.
static int class_of(const Writer *w, int index) {
  lua_State *L = w->L;
  if (lua_type(L, index) != LUA_TUSERDATA || !lua_getmetatable(L, index)) return -1;
  const void *metatable = lua_topointer(L, -1);
  lua_pop(L, 1);
  for (int i = 0; i < DATA_CLASSES + 2; i++) {
    if (metatable != w->metatables[i]) continue;
    const Handle *handle = lua_touserdata(L, index);
    return handle->box == lua_touserdata(L, w->world) ? i : -1;
  }
  return -1;
}


// Return the kind of a table, by its metatable.
static int kind_of(lua_State *L, int index) {
  if (!lua_getmetatable(L, index)) return STATE_PLAIN;
  lua_pop(L, 1);
  return object_of(L, index) == AN_OBJECT ? STATE_OF_OBJECT : STATE_OF_CLASS;
}


// Return the number of the table at a stack index; a table without a number gets a new one.
// parent: number of the table in which this table was found; -1: none
// key: stack index of the key of this table in the parent, for messages; 0: none
static int number_of(Writer *w, int index, int parent, int key, bool strict, bool detached) {
  lua_State *L = w->L;
  index = lua_absindex(L, index);
  lua_pushvalue(L, index);
  if (lua_rawget(L, w->base + NUMBERS) == LUA_TNUMBER) {
    int known = (int)lua_tointeger(L, -1);
    lua_pop(L, 1);
    return known;
  }
  lua_pop(L, 1);
  int number = w->count;
  if (number == w->capacity) {
    w->capacity = 2 * w->capacity + 64;
    Node *nodes = lua_newuserdatauv(L, (size_t)w->capacity * sizeof *nodes, 0);
    if (number > 0) memcpy(nodes, w->nodes, (size_t)number * sizeof *nodes);
    lua_replace(L, w->base + NODES);
    w->nodes = nodes;
  }
  int kind = kind_of(L, index), depth = 0;
  if (parent >= 0) depth = w->nodes[parent].depth + (w->nodes[parent].kind == STATE_OF_OBJECT);
  if (depth > MOST_OBJECTS) refuse_depth(w, parent);
  bool known = kind != STATE_PLAIN || bind_serial_of(L, w->world, index) != 0;
  w->nodes[number] =
      (Node){.parent = parent, .kind = kind, .depth = depth, .strict = strict, .detached = detached && !known};
  lua_pushvalue(L, index);
  lua_pushinteger(L, number);
  lua_rawset(L, w->base + NUMBERS);
  lua_pushvalue(L, index);
  lua_rawseti(L, w->base + TABLES, number + 1);
  if (key != 0) {
    lua_pushvalue(L, key);
    lua_rawseti(L, w->base + KEYS, number + 1);
  }
  w->count = number + 1;
  return number;
}


static void put_handle(Writer *w, int class, int index) {
  lua_State *L = w->L;
  const Handle *handle = lua_touserdata(L, index);
  if (class < DATA_CLASSES) {
    bool lives = handle->class->is_valid(handle);
    bind_put_u8(L, w->bytes, lives ? STATE_OBJECT : STATE_DESTROYED);
    bind_put_u8(L, w->bytes, (unsigned)class);
    bind_put_u64(L, w->bytes, handle->id & ~STATE_MARK);
    if (lives) return;
    bind_put_u64(L, w->bytes, ((const Object *)(const void *)handle)->number);
    bool named = lua_getiuservalue(L, index, UV_NAME) == LUA_TSTRING;
    bind_put_u8(L, w->bytes, named ? STATE_STRING : STATE_NIL);
    if (named) bind_put_text(L, w->bytes, lua_tostring(L, -1), (size_t)lua_rawlen(L, -1));
    lua_pop(L, 1);
  } else if (class == DATA_CLASSES) {
    bind_put_u8(L, w->bytes, STATE_COORDINATE);
    bind_put_u64(L, w->bytes, handle->id & ~STATE_MARK);
    bind_put_u32(L, w->bytes, (uint32_t)((const CoordinateObject *)lua_touserdata(L, index))->index);
  } else {
    bind_put_u8(L, w->bytes, STATE_WORLD);
  }
}


static void put_number(lua_State *L, Bytes *bytes, int index) {
  uint64_t bits = 0;
  bool integer = lua_isinteger(L, index);
  lua_Integer whole = integer ? lua_tointeger(L, index) : 0;
  double number = integer ? 0 : lua_tonumber(L, index);
  memcpy(&bits, integer ? (void *)&whole : (void *)&number, sizeof bits);
  bind_put_u8(L, bytes, integer ? STATE_INTEGER : STATE_NUMBER);
  bind_put_u64(L, bytes, bits);
}


// If the value is a world other than w->world, write it and return true.
static bool put_other_world(Writer *w, int index) {
  lua_State *L = w->L;
  if (lua_type(L, index) != LUA_TUSERDATA || !bind_is_other_world(L, w->world, index)) return false;
  bind_put_world(L, w->world, index, w->worlds, w->bytes);
  return true;
}


// Write the value at the index. parent: number of its table, -1: none; key: stack index of its key, 0: none
static void put_value(Writer *w, int index, int parent, int key, bool strict, bool detached) {
  lua_State *L = w->L;
  Bytes *bytes = w->bytes;
  int class = -1;
  size_t length;
  const char *text;
  index = lua_absindex(L, index);
  switch (lua_type(L, index)) {
  case LUA_TNIL:
    bind_put_u8(L, bytes, STATE_NIL);
    return;
  case LUA_TBOOLEAN:
    bind_put_u8(L, bytes, lua_toboolean(L, index) ? STATE_TRUE : STATE_FALSE);
    return;
  case LUA_TNUMBER:
    put_number(L, bytes, index);
    return;
  case LUA_TSTRING:
    text = lua_tolstring(L, index, &length);
    bind_put_u8(L, bytes, STATE_STRING);
    bind_put_text(L, bytes, text, length);
    return;
  case LUA_TTABLE:
    if (is_weak(L, index) || is_half(L, index)) break; // an error if strict, else the table is written as opaque
    bind_put_u8(L, bytes, STATE_TABLE);
    bind_put_u32(L, bytes, (uint32_t)number_of(w, index, parent, key, strict, detached));
    return;
  case LUA_TUSERDATA:
    class = class_of(w, index);
    break;
  default:
    break;
  }
  if (class >= 0) {
    put_handle(w, class, index);
    return;
  }
  bool world = parent >= 0 && !detached && put_other_world(w, index);
  if (strict && !world) refuse(w, parent, key, index);
  if (!world) bind_put_u8(L, bytes, STATE_OPAQUE);
}


// ---------------------------------------------------------------------------------------------------------------------
// Tables
// ---------------------------------------------------------------------------------------------------------------------

// Return the sort key of the key at the index.
static Key read_key(const Writer *w, int index) {
  lua_State *L = w->L;
  Key key = {.rank = RANK_NONE};
  int class = -1;
  switch (lua_type(L, index)) {
  case LUA_TNUMBER:
    key.rank = lua_isinteger(L, index) ? RANK_INTEGER : RANK_NUMBER;
    key.integer = lua_isinteger(L, index) ? lua_tointeger(L, index) : 0;
    key.number = lua_tonumber(L, index);
    break;
  case LUA_TSTRING:
    key.rank = RANK_TEXT;
    key.text = lua_tolstring(L, index, &key.length);
    break;
  case LUA_TBOOLEAN:
    key.rank = lua_toboolean(L, index) ? RANK_TRUE : RANK_FALSE;
    break;
  case LUA_TUSERDATA:
    class = class_of(w, index);
    if (class < 0 || class >= DATA_CLASSES) break;
    key.rank = RANK_OBJECT + class;
    key.id = ((const Handle *)lua_touserdata(L, index))->id;
    break;
  default:
    break;
  }
  return key;
}


static int compare_texts(const Key *a, const Key *b) {
  int order = memcmp(a->text, b->text, a->length < b->length ? a->length : b->length);
  return order != 0 ? order : a->length < b->length ? -1 : a->length > b->length;
}


static int compare_keys(const void *first, const void *second) {
  const Key *a = first, *b = second;
  if (a->rank != b->rank) return a->rank < b->rank ? -1 : 1;
  switch (a->rank) {
  case RANK_INTEGER:
    return a->integer < b->integer ? -1 : a->integer > b->integer;
  case RANK_NUMBER:
    return a->number < b->number ? -1 : a->number > b->number;
  case RANK_TEXT:
    return compare_texts(a, b);
  default:
    return a->id < b->id ? -1 : a->id > b->id;
  }
}


// Return the sorted keys of the table on top, in the memory at index ROOM.
static const Key *sort_keys(Writer *w, int number, int *out_count) {
  lua_State *L = w->L;
  int table = lua_gettop(L), n = 0, capacity = 0, places = 0;
  Key *keys = NULL;
  bool in_order = true;
  lua_newtable(L);
  lua_replace(L, w->base + SORTED);
  for (lua_pushnil(L); lua_next(L, table); lua_pop(L, 1)) {
    Key key = read_key(w, -2);
    if (key.rank == RANK_NONE) {
      if (w->nodes[number].strict) refuse(w, number, -2, -2);
      continue;
    }
    if (n == capacity) {
      capacity = 2 * capacity + 16;
      Key *more = lua_newuserdatauv(L, (size_t)capacity * sizeof *more, 0);
      if (n > 0) memcpy(more, keys, (size_t)n * sizeof *more);
      lua_replace(L, w->base + ROOM);
      keys = more;
    }
    if (key.rank != RANK_INTEGER) { // the list keeps the key alive until it is written
      key.place = ++places;
      lua_pushvalue(L, -2);
      lua_rawseti(L, w->base + SORTED, key.place);
    }
    in_order = in_order && (n == 0 || compare_keys(&keys[n - 1], &key) < 0);
    keys[n++] = key;
  }
  if (!in_order) qsort(keys, (size_t)n, sizeof *keys, compare_keys);
  *out_count = n;
  return keys;
}


// Write an integer key with a float value; return false and write nothing for any other field.
static bool put_pair(Writer *w, int table, const Key *key) {
  lua_State *L = w->L;
  if (key->rank != RANK_INTEGER) return false;
  bool fits = lua_rawgeti(L, table, key->integer) == LUA_TNUMBER && !lua_isinteger(L, -1);
  if (fits) bind_put_pair(L, w->bytes, key->integer, lua_tonumber(L, -1));
  lua_pop(L, 1);
  return fits;
}


// Write the fields of the table at the top.
static void put_fields(Writer *w, int number) {
  lua_State *L = w->L;
  int table = lua_gettop(L), count = 0;
  const Node node = w->nodes[number];
  const Key *keys = sort_keys(w, number, &count);
  bind_put_u32(L, w->bytes, (uint32_t)count);
  for (int i = 0; i < count; i++) {
    if (put_pair(w, table, &keys[i])) continue;
    if (keys[i].rank == RANK_INTEGER) lua_pushinteger(L, keys[i].integer);
    if (keys[i].rank != RANK_INTEGER) lua_rawgeti(L, w->base + SORTED, keys[i].place);
    lua_pushvalue(L, -1);
    lua_rawget(L, table);
    put_value(w, table + 1, number, table + 1, node.strict, node.detached);
    put_value(w, table + 2, number, table + 1, node.strict, node.detached);
    lua_settop(L, table);
  }
}


// Write the result of __save of the object at the top.
static void put_object(Writer *w, int number) {
  lua_State *L = w->L;
  int object = lua_gettop(L);
  luaL_getmetafield(L, object, "__save");
  lua_pushvalue(L, object);
  lua_call(L, 1, 1);
  lua_pushliteral(L, "__save");
  put_value(w, object + 1, number, object + 2, w->nodes[number].strict, true);
  lua_settop(L, object);
}


static void put_table(Writer *w, int number) {
  lua_State *L = w->L;
  const Node node = w->nodes[number];
  lua_rawgeti(L, w->base + TABLES, number + 1);
  bind_put_u32(L, w->bytes, (uint32_t)number);
  bind_put_u64(L, w->bytes, node.detached ? 0 : bind_keep_serial(L, w->world, lua_gettop(L)));
  bind_put_u8(L, w->bytes, (unsigned)node.kind);
  if (node.kind != STATE_OF_OBJECT) put_fields(w, number);
  if (node.kind == STATE_OF_OBJECT && !w->dry) put_object(w, number);
  lua_pop(L, 1);
}


static Writer begin(lua_State *L, int world, Bytes *bytes) {
  Writer w = {.L = L, .world = world, .bytes = bytes, .call = bind_caller(L)};
  luaL_checkstack(L, LUA_MINSTACK, NULL);
  w.base = lua_gettop(L) + 1;
  lua_newtable(L); // NUMBERS
  lua_newtable(L); // TABLES
  lua_newtable(L); // KEYS
  lua_pushnil(L);  // NODES
  lua_pushnil(L);  // SORTED
  lua_pushnil(L);  // ROOM
  for (int i = 0; i < DATA_CLASSES; i++) {
    luaL_getmetatable(L, bind_data_classes[i].class->registry);
    w.metatables[i] = lua_topointer(L, -1);
    lua_pop(L, 1);
  }
  luaL_getmetatable(L, bind_coordinate_class.registry);
  luaL_getmetatable(L, bind_world_class.registry);
  w.metatables[DATA_CLASSES] = lua_topointer(L, -2);
  w.metatables[DATA_CLASSES + 1] = lua_topointer(L, -1);
  lua_pop(L, 2);
  return w;
}


static void put_roots(Writer *w) {
  lua_State *L = w->L;
  WorldBox *box = lua_touserdata(L, w->world);
  size_t head = w->bytes->size;
  uint32_t count = 0;
  bind_put_u32(L, w->bytes, 0);
  int top = lua_gettop(L), roots = 0;
  const uint64_t *serials = bind_push_ids(L, w->world, SLOT_ROOTS, &roots);
  for (int i = 0; i < roots; i++) {
    const Root *root = bind_push_root(L, w->world, serials[i]);
    if (root->alive) {
      lua_getiuservalue(L, -1, 1);
      bind_put_u64(L, w->bytes, serials[i]);
      bind_put_u32(L, w->bytes, (uint32_t)number_of(w, -1, -1, 0, root->strict, false));
      count++;
    }
    lua_settop(L, top + 1);
  }
  lua_settop(L, top);
  memcpy(w->bytes->at + head, &count, sizeof count);
  if (box->root_serial > box->known_roots) box->known_roots = box->root_serial;
}


static void put_data(Writer *w) {
  lua_State *L = w->L;
  size_t head = w->bytes->size;
  uint32_t written = 0;
  bind_put_u32(L, w->bytes, 0);
  for (int i = 0; i < DATA_SLOTS; i++) {
    int top = lua_gettop(L), count = 0;
    const uint64_t *ids = bind_push_ids(L, w->world, bind_data_slots[i], &count);
    bind_world_table(L, w->world, bind_data_slots[i]);
    for (int n = 0; n < count; n++) {
      bind_put_u8(L, w->bytes, (unsigned)i);
      bind_put_u64(L, w->bytes, ids[n] & ~STATE_MARK);
      lua_rawgeti(L, top + 2, bind_key(ids[n]));
      put_value(w, -1, -1, 0, false, false);
      lua_settop(L, top + 2);
      written++;
    }
    lua_settop(L, top);
  }
  memcpy(w->bytes->at + head, &written, sizeof written);
}


static void put_plain(Writer *w) {
  for (; w->written < w->count; w->written++) {
    if (w->nodes[w->written].kind != STATE_OF_OBJECT) put_table(w, w->written);
  }
}


// Write all tables: first those of scripts, then __save results.
static void put_all(Writer *w) {
  lua_State *L = w->L;
  size_t head = w->bytes->size;
  bind_put_u32(L, w->bytes, 0);
  put_plain(w);
  for (int number = 0; number < w->count; number++) {
    if (w->nodes[number].kind != STATE_OF_OBJECT) continue;
    put_table(w, number);
    put_plain(w);
  }
  uint32_t count = (uint32_t)w->count;
  memcpy(w->bytes->at + head, &count, sizeof count);
}


void bind_put_tables(lua_State *L, int world, int worlds, Bytes *bytes) {
  int top = lua_gettop(L);
  Writer w = begin(L, world, bytes);
  w.worlds = worlds;
  put_roots(&w);
  put_data(&w);
  put_all(&w);
  lua_settop(L, top);
}


void bind_look_over(lua_State *L, int world, int table, bool strict) {
  int top = lua_gettop(L);
  Bytes *bytes = bind_push_bytes(L);
  Writer w = begin(L, world, bytes);
  w.dry = true;
  const char *advice =
      is_weak(L, table) ? "the garbage collector may remove its entries at any time: remove __mode from the metatable"
                        : NULL;
  if (is_half(L, table)) advice = allowed(&w, table, false);
  if (advice != NULL) bind_error(L, "%s: the table is %s; %s", w.call, push_got(&w, table), advice);
  number_of(&w, table, -1, 0, strict, false);
  put_all(&w);
  lua_settop(L, top);
}
