// Classes of the Lua API: the type of an object (Class), its properties and methods (Members, Entry).
// Every object is a full userdata that begins with a Handle. A handle's first user value is the world table, which has
// all Lua values of a world, and keeps the world's userdata alive. That userdata owns the core's world; the handles of
// other objects own no part of the core's world.
#ifndef IMPEL_BINDINGS_CLASS_H
#define IMPEL_BINDINGS_CLASS_H

#include <math.h>

#include "base/check.h"
#include "base/world_box.h"

typedef const ImpPropertyInfo *(*PropertyTable)(int property);

typedef struct Options Options; // options.h

/// User values of every object's userdata.
enum { UV_WORLD_TABLE = 1, UV_NAME = 2 };

/// One property or method of a class.
typedef struct Entry {
  const char *name;
  lua_CFunction call;                   ///< a method
  int (*get)(lua_State *L, void *self); ///< getter of a property that the bindings implement: pushes one value
  /// setter of a property that the bindings implement: reads the new value from stack index 3
  void (*set)(lua_State *L, void *self);
  const char *type;      ///< type of a property: "number", "string", "body", ...
  const char *signature; ///< parameters and results of a method: "(x, y) -> nx, ny"
  const char *unit;
  const char *doc;
  const char *(*choice)(int); ///< possible values of a property, null-terminated; the list replaces %s in `doc`
  const Options *options;
  const Options *const *takes; ///< option tables that a method takes besides `options`, null-terminated
  unsigned only;               ///< bits of the kinds of events that have this event field; 0: all kinds
  PropertyTable table; ///< if not null: table(property) returns the range of a property that the bindings implement
  int property;
} Entry;

/// Define a property getter for an Entry: `push` pushes one value and may read `self`.
#define BIND_GETTER(name, push) \
  static int name(lua_State *L, void *self) { \
    push; \
    return 1; \
  }

/// Type of an object: its name in messages, its properties in the core and its validity check.
typedef struct Class {
  const char *name;
  const char *registry;     ///< key of the metatable
  int data;                 ///< slot of the world table that stores the property `data` of the objects
  PropertyTable properties; ///< properties in the core, or null
  ImpStatus (*get)(const ImpWorld *world, uint64_t id, int property, double *out_value);
  ImpStatus (*set)(ImpWorld *world, uint64_t id, int property, double value);
  ImpStatus (*set_name)(ImpWorld *world, uint64_t id, const char *name);
  bool (*is_valid)(const void *self);
  /// raises if the object is not usable; null: bind_require calls is_valid
  void (*require)(lua_State *L, void *self, const Entry *entry);
  int values; ///< number of user values of an object; 0 means the default, 2
} Class;

/// Properties and methods of a class.
typedef struct Members {
  const Class *class;
  const Entry *entries; ///< ends with a null name
  lua_CFunction tostring;
  lua_CFunction close; ///< __gc and __close, or null
} Members;

/// Create the metatable of a class, once per Lua state.
void bind_register(lua_State *L, const Members *members);
/// Push a table of the entries and properties of each class, and of `functions` at the key "impel". The array `classes`
/// ends with null.
///   { world = { { name, kind, type, unit, doc, writable, lower, upper, signature, options, coordinates } ... }, ... }
void bind_push_api(lua_State *L, const Members *const *classes, const Entry *functions);
/// Number of upvalues of a method. bind_caller also works in a closure with the same upvalues.
enum { BIND_METHOD_UPVALUES = 3 };
/// Return the name of the running method: "body:set_position".
const char *bind_caller(lua_State *L);
/// Return the Entry of the running method.
const Entry *bind_entry(lua_State *L);
int bind_bad_self(lua_State *L);
/// Raise the core's last error: "body:apply_force on 'ground': forces do not act on a static body".
/// `class`: class of the object at index 1 for the message, or null
int bind_refused(lua_State *L, const Class *class, const char *where);
/// Raise the core's last error in the running method; return if `status` is IMP_OK.
void bind_status(lua_State *L, ImpStatus status);
/// object:is_valid() of every class.
int bind_is_valid(lua_State *L);
/// Raise "attempt to use destroyed body 'crate'" for the object at the index.
int bind_dead(lua_State *L, int index, const char *class_name);


/// Return the receiver of a method after a check of its class. Upvalue 1 of the method is the address of the class's
/// metatable. Leaves the receiver's metatable on the stack.
static inline void *bind_self_raw(lua_State *L) {
  if (!lua_getmetatable(L, 1) || lua_topointer(L, -1) != lua_touserdata(L, lua_upvalueindex(1))) bind_bad_self(L);
  return lua_touserdata(L, 1);
}

static inline void *bind_self(lua_State *L) {
  void *self = bind_self_raw(L);
  lua_pop(L, 1);
  return self;
}

/// Raise unless `self`, the object of `class` at index 1, is usable; `entry`: accessed property or null.
static inline void bind_require(lua_State *L, const Class *class, void *self, const Entry *entry) {
  if (class->require) {
    class->require(L, self, entry);
  } else if (!class->is_valid(self)) {
    bind_dead(L, 1, class->name);
  }
}

/// Return the receiver of a method of `class`; raise if the receiver is not usable.
static inline void *bind_check(lua_State *L, const Class *class) {
  void *self = bind_self(L);
  bind_require(L, class, self, NULL);
  return self;
}

/// Return the key of a handle: an integer of 48 bits, which a Lua float holds exactly.
static inline lua_Integer bind_key(uint64_t id) { return (lua_Integer)IMP_KEY(id); }

/// Return the handle of the key at `index`, in the world of the object at `owner`.
static inline uint64_t bind_handle(lua_State *L, int owner, int index) {
  return imp_world_handle(((const Handle *)lua_touserdata(L, owner))->box->world, (uint64_t)lua_tointeger(L, index));
}

/// Return a finite argument of the running method; error messages contain the method, the name and the unit.
static inline double bind_number(lua_State *L, int index, const char *name, const char *unit) {
  if (lua_type(L, index) != LUA_TNUMBER) return bind_bad_number(L, index, name, unit);
  double value = lua_tonumber(L, index);
  return isfinite(value) ? value : bind_bad_number(L, index, name, unit);
}

static inline ImpVec2 bind_vec2(lua_State *L, int index, const char *unit) {
  double x = bind_number(L, index, "x", unit);
  double y = bind_number(L, index + 1, "y", unit);
  return (ImpVec2){x, y};
}

/// Push x and y; return 2.
static inline int bind_push_vec2(lua_State *L, ImpVec2 v) {
  lua_pushnumber(L, v.x);
  lua_pushnumber(L, v.y);
  return 2;
}

#endif
