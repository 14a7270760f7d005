// What is Lua's of a world's state, in its snapshots: tables that scripts registered, data of objects, which handlers and
// functions there are. Bytes after those of the core:
//
//   Section     magic, version, length, checksum of what follows
//   counters    last serials of handlers, of roots, and of tables and functions: a restore winds them back, so that a life
//               that is lived again gets the same ones
//   handlers    count, { kind, serial, function }
//   functions   count, { kind of owner, owner, serial, function }   of filters, rules, laws, constraints, predicates
//   roots       count, { serial, table }
//   data        count, { place in bind_data_slots, owner, value }
//   tables      count, { number, serial, kind, count, { key, value } }, or of an object { number, serial, kind, what its
//               __save gave }; those of objects come last, for what is met there alone is made for the snapshot
//
// Numbers are little-endian, as the machine's (the core refuses to be built for another). A table is written once, where it
// is first met counted from the roots on in breadth, and referred to by its number; so nothing recurses. Owners are handles
// without the part that says which world they are of.
#ifndef IMPEL_BINDINGS_STATE_H
#define IMPEL_BINDINGS_STATE_H

#include "base/options.h"
#include "state/bytes.h"

/// What the fields of a table begin with.
enum {
  STATE_PLAIN,
  STATE_OF_OBJECT, ///< no fields: what its __save gave
  STATE_OF_CLASS,  ///< it has a metatable, which is no data: the table itself must be there
};

/// The part of a handle that says which world it is of.
#define STATE_MARK 0xffff000000000000u

// state.c: the counters
void bind_put_counters(lua_State *L, int world, Bytes *bytes);
void bind_check_counters(Reader *reader);
void bind_take_counters(lua_State *L, int world, Reader *reader);

// state_handlers.c: which handlers there are
/// (kind, serial, function) of each that is part of the state.
void bind_put_handlers(lua_State *L, int world, Bytes *bytes);
/// Raise unless the world has, or had, each of those that are read. Nothing changes.
void bind_check_handlers(lua_State *L, int world, Reader *reader);
/// Those that are read live, the others of the state do not. No errors but of memory.
void bind_take_handlers(lua_State *L, int world, Reader *reader);

// state_write.c: roots, data and all tables
void bind_put_tables(lua_State *L, int world, int worlds, Bytes *bytes);
/// Give serials to a table that the method that runs registers and to those below it, so that they are the same ones in
/// each world that the same calls make. `strict`: raise where one has what is no data.
void bind_look_over(lua_State *L, int world, int table, bool strict);

// state_found.c: what the bytes have
typedef struct TableFound {
  size_t offset; ///< of its fields, behind its kind; 0: not yet found
  uint64_t serial;
  uint8_t kind; ///< STATE_PLAIN, ...
} TableFound;

typedef struct TablesFound {
  uint32_t count;
  bool worlds; ///< others are in some table
  TableFound tables[];
} TablesFound;

/// Push what is found from the roots on: the tables are all the rest. Null, and nothing is pushed: the reader is bad.
const TablesFound *bind_push_tables_found(lua_State *L, Reader *reader);
/// Go over a value: its kind, and the number of the table that it is, or -1.
int bind_skip_value(Reader *reader, int64_t *out_table);

// state_read.c
/// Raise unless the tables make sense and the world has the roots and objects that are read. Nothing changes. Pushes which
/// table is which: a list of them, by number from 1, with all that was found of them at 0. Other worlds are added to the
/// restores at that index, and the reader is bad where the bytes tell of one that is not among them.
void bind_check_tables(lua_State *L, int world, Reader *reader, int restores);
/// Fill the tables in the list at the index; the reader stands at the roots. Other worlds are those of the restores at that
/// index. Whether there are objects, which are to load.
bool bind_take_tables(lua_State *L, int world, Reader reader, int targets, int restores);
/// And, when all worlds are as they were, let objects load; `reader` stands at the roots. The first error of that is put into
/// the slot at `error`, which holds nil.
void bind_load_objects(lua_State *L, int world, Reader reader, int targets, int error);

// state_world.c: other worlds in the state of a world `own`
bool bind_is_other_world(lua_State *L, int own, int index);
/// Write the world at the index, with its snapshot unless it is among those that the table at the index `worlds` has, which
/// came before in the bytes. 0: without.
void bind_put_world(lua_State *L, int own, int index, int worlds, Bytes *bytes);
/// Push the living world of that serial. False: there is none, and nothing is pushed.
bool bind_push_other_world(lua_State *L, int own, uint64_t serial);
/// Raise unless the world at the index `other` can be restored from these bytes; else that is one more of the restores.
void bind_check_world_bytes(lua_State *L, int restores, int other, const char *bytes, size_t length);
// snapshot.c: what nested snapshots and restores share
/// Push f as a function under the name of the method that runs.
void bind_push_guarded(lua_State *L, lua_CFunction f);
/// Push the world that a restore is of, by its number from 1. False: there is none, and nothing is pushed.
bool bind_push_restored(lua_State *L, int restores, uint32_t number);
/// (world, worlds) -> Bytes: its snapshot, as part of that of another.
int bind_put_snapshot(lua_State *L);
/// (world, bytes, restores): all of a restore that can be refused.
int bind_prepare_restore(lua_State *L);

// state.c: what is registered
/// world:state(table), world:forget_state(table).
int bind_world_state(lua_State *L);
int bind_world_forget_state(lua_State *L);
extern const Options bind_state_options;

typedef struct Root {
  bool strict, alive;
} Root; // userdata; user value 1 is the table

/// Push the root with a serial: its userdata, or nil. Null where there is none.
Root *bind_push_root(lua_State *L, int world, uint64_t serial);
/// It is registered no longer, or again.
void bind_end_root(lua_State *L, int world, uint64_t serial);
void bind_revive_root(lua_State *L, int world, uint64_t serial);
/// Push the ids in a slot of the shelf whose objects live, ascending, and their number: what is done with them comes in one
/// order.
const uint64_t *bind_push_ids(lua_State *L, int world, int slot, int *out_count);
/// The classes of what data may refer to, and the slots of the shelf that their objects are kept in. The order is that of
/// the bytes.
typedef struct DataClass {
  const Class *class;
  int slot;
} DataClass;
enum { DATA_CLASSES = 5 };
extern const DataClass bind_data_classes[];
/// The slots of what `data` holds.
enum { DATA_SLOTS = 6 };
extern const int bind_data_slots[];

#endif
