// The Lua part of a world's state in its snapshots, behind the bytes of the core:
//
//   Section     magic, version, length and checksum of the rest
//   counters    last serials of handlers, of roots, and of tables and functions
//   handlers    count, { kind, serial, function }
//   functions   count, { kind of owner, owner, serial, function }   of filters, rules, laws, constraints, predicates
//   roots       count, { serial, table }
//   data        count, { index in bind_data_slots, owner, value }
//   tables      count, { number, serial, kind, count, { key, value } }, or for an object { number, serial, kind, result
//               of its __save }; objects come last
//
// A root is a table registered with world:state. Numbers are little-endian. Tables are written once, in breadth-first
// order from the roots, and fields refer to them by number. An owner is a handle with its STATE_MARK bits 0.
#ifndef IMPEL_BINDINGS_STATE_H
#define IMPEL_BINDINGS_STATE_H

#include "base/options.h"
#include "state/bytes.h"

/// Kind of a table, written before the table's fields.
enum {
  STATE_PLAIN,
  STATE_OF_OBJECT, ///< an object with __save and __load: the result of __save instead of fields
  /// a table with any other metatable; a restore cannot create the table, because snapshots do not contain metatables
  STATE_OF_CLASS,
};

/// The bits of a handle that identify its world.
#define STATE_MARK 0xffff000000000000u

// state.c: the last serials that were assigned (counters)
void bind_put_counters(lua_State *L, int world, Bytes *bytes);
void bind_check_counters(Reader *reader);
void bind_take_counters(lua_State *L, int world, Reader *reader);

// state_handlers.c: handlers
/// Write (kind, serial, function) of each handler that is part of the state.
void bind_put_handlers(lua_State *L, int world, Bytes *bytes);
/// Raise unless the world has, or had, each handler in the snapshot. Changes nothing.
void bind_check_handlers(lua_State *L, int world, Reader *reader);
/// Activate the handlers in the snapshot; end others that are part of the state. Raises only if memory runs out.
void bind_take_handlers(lua_State *L, int world, Reader *reader);

// state_write.c: roots, data and all tables
void bind_put_tables(lua_State *L, int world, int worlds, Bytes *bytes);
/// Assign serials to a table and to all tables and worlds that it refers to, directly or through other tables. The
/// same calls give the same order.
/// `strict`: raise for values that are not data
void bind_look_over(lua_State *L, int world, int table, bool strict);

// state_found.c: the tables in the bytes
typedef struct TableFound {
  size_t offset; ///< offset of the table's fields in the bytes; 0: not yet found
  uint64_t serial;
  uint8_t kind; ///< STATE_PLAIN, ...
} TableFound;

typedef struct TablesFound {
  uint32_t count;
  bool worlds; ///< some table refers to another world
  TableFound tables[];
} TablesFound;

/// Read from the list of roots to the end; push the positions of all tables. If reader->bad is set, return null.
const TablesFound *bind_push_tables_found(lua_State *L, Reader *reader);
/// Skip a value, return its kind. *out_table: table number or -1
int bind_skip_value(Reader *reader, int64_t *out_table);

// state_read.c: restoring tables
/// Check the tables in the bytes; raise unless they are consistent and the world has their roots and objects. Change no
/// table. Push the targets: [0] is the TablesFound, [number + 1] the script's table for stored table `number`.
/// Append the other worlds to the list at `restores`. An invalid world number makes the reader bad.
void bind_check_tables(lua_State *L, int world, Reader *reader, int restores);
/// Fill the tables in the list at `targets` that are not objects; return whether the list has objects. `reader` is at
/// the list of roots. The list at `restores` has the other worlds.
bool bind_take_tables(lua_State *L, int world, Reader reader, int targets, int restores);
/// Call the __load of all objects, after all worlds are restored.
/// `error`: stack index of a nil, which the first error replaces
void bind_load_objects(lua_State *L, int world, Reader reader, int targets, int error);

// state_world.c: other worlds in the state of the world `own`
bool bind_is_other_world(lua_State *L, int own, int index);
/// Write the world at `index`. If `worlds` is not 0 and does not list this world, also write a snapshot of this world.
void bind_put_world(lua_State *L, int own, int index, int worlds, Bytes *bytes);
/// Push the world with that serial. Return false and push nothing if the world is destroyed or unknown.
bool bind_push_other_world(lua_State *L, int own, uint64_t serial);
/// Raise unless `bytes` can restore world `other`. Append this restore to the list at `restores`.
void bind_check_world_bytes(lua_State *L, int restores, int other, const char *bytes, size_t length);
// snapshot.c: functions shared by nested snapshots and restores
/// Push f as a closure with the running method's upvalues, so that its errors name this method.
void bind_push_guarded(lua_State *L, lua_CFunction f);
/// Push the world of restore number `number`, from 1; return false and push nothing for an unknown number.
bool bind_push_restored(lua_State *L, int restores, uint32_t number);
/// Lua function (world, worlds) -> Bytes of a nested snapshot
int bind_put_snapshot(lua_State *L);
/// Lua function (world, bytes, restores): the part of a restore that can fail.
int bind_prepare_restore(lua_State *L);

// state.c: registration
/// world:state(table), world:forget_state(table).
int bind_world_state(lua_State *L);
int bind_world_forget_state(lua_State *L);
extern const Options bind_state_options;

typedef struct Root {
  bool strict, alive;
} Root; // userdata that stands for a registered table; the table is its user value 1

/// Push and return the root, or push nil and return null.
Root *bind_push_root(lua_State *L, int world, uint64_t serial);
/// bind_end_root ends a registration; bind_revive_root renews an ended registration.
void bind_end_root(lua_State *L, int world, uint64_t serial);
void bind_revive_root(lua_State *L, int world, uint64_t serial);
/// Push the ids of valid objects in a slot of the world table, in ascending order; write their number.
const uint64_t *bind_push_ids(lua_State *L, int world, int slot, int *out_count);
/// A class of objects that can be values in a snapshot, and the slot of their userdata. The order of the classes is
/// part of the snapshot's format.
typedef struct DataClass {
  const Class *class;
  int slot;
} DataClass;
enum { DATA_CLASSES = 5 };
extern const DataClass bind_data_classes[];
/// The slots of the world table that hold `data` and looks.
enum { DATA_SLOTS = 6 };
extern const int bind_data_slots[];

#endif
