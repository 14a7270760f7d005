// Classes: what an object is (Class), what it can (Members), and what a method finds out about the call that runs it.
//
// Every object is a full userdata that begins with a Handle. A handle's first user value is the `shelf` of its world:
// one Lua table with everything that belongs to the world (the SHELF_ slots of world_box.h), so a handle keeps its world
// alive and the world's userdata is the only owner of C memory.
#ifndef IMPEL_BINDINGS_CLASS_H
#define IMPEL_BINDINGS_CLASS_H

#include <math.h>

#include "base/check.h"
#include "base/world_box.h"

typedef const ImpPropertyInfo *(*PropertyTable)(int property);

typedef struct Options Options; // options.h

/// User values of every object.
enum { UV_SHELF = 1, UV_NAME = 2 };

/// One property or method of a class.
typedef struct Entry {
  const char *name;
  lua_CFunction call;                    ///< a method
  int (*get)(lua_State *L, void *self);  ///< a property made here: pushes one value
  void (*set)(lua_State *L, void *self); ///< reads the new value from stack index 3
  const char *type;                      ///< of a property: "number", "string", "body", ...
  const char *signature;                 ///< of a method: "(x, y) -> nx, ny"
  const char *unit;
  const char *doc;
  const char *(*choice)(int); ///< of a property: the names that it has, null after the last, for %s in its doc
  const Options *options;
  const Options *const *takes; ///< of a method: the tables that other parameters of it are, a null after the last
  unsigned only;               ///< events: bits of the kinds that have this field; 0 means all
  PropertyTable table;         ///< a property made here: its range is table(property)'s, when not null
  int property;
} Entry;

/// A getter of a property made here, for its Entry: `push` pushes one value and reads it from `self`.
#define BIND_GETTER(name, push) \
  static int name(lua_State *L, void *self) { \
    push; \
    return 1; \
  }

/// What an object is: how messages call it, where the core keeps its properties and whether it can be used.
typedef struct Class {
  const char *name;
  const char *registry;     ///< key of the metatable
  int data;                 ///< slot of the shelf for the property `data` of objects, see bind_get_own_data
  PropertyTable properties; ///< of the core, or null
  ImpStatus (*get)(const ImpWorld *world, uint64_t id, int property, double *out_value);
  ImpStatus (*set)(ImpWorld *world, uint64_t id, int property, double value);
  ImpStatus (*set_name)(ImpWorld *world, uint64_t id, const char *name);
  bool (*is_valid)(const void *self);
  void (*require)(lua_State *L, void *self, const Entry *entry); ///< see bind_require; null: raises unless it is valid
  int values;                                                    ///< user values of an object, 0 stands for 2
} Class;

/// What objects of a class can.
typedef struct Members {
  const Class *class;
  const Entry *entries; ///< ends with a null name
  lua_CFunction tostring;
  lua_CFunction close; ///< __gc and __close, or null
} Members;

/// Make the metatable of a class, once a state.
void bind_register(lua_State *L, const Members *members);
/// Push classes, a null after the last, with their entries and properties as plain tables, and functions as "impel".
///   { world = { { name, kind, type, unit, doc, writable, lower, upper, signature, options, coordinates } ... }, ... }
void bind_push_api(lua_State *L, const Members *const *classes, const Entry *functions);
/// What a method has for upvalues: a closure with the same runs under its name.
enum { BIND_METHOD_UPVALUES = 3 };
/// "body:set_position", of the method that runs.
const char *bind_caller(lua_State *L);
/// The table's line of the method that runs.
const Entry *bind_entry(lua_State *L);
int bind_bad_self(lua_State *L);
/// Raise the core's last error about a call or property, naming the object at index 1: "body:apply_force on 'ground':
/// a static body feels no force". Without a class there is no object.
int bind_refused(lua_State *L, const Class *class, const char *where);
/// Raise for an error of the core in the running method; does nothing on IMP_OK.
void bind_status(lua_State *L, ImpStatus status);
/// object:is_valid(), of every class.
int bind_is_valid(lua_State *L);
/// Raise "attempt to use destroyed body 'crate'" for the object at the index.
int bind_dead(lua_State *L, int index, const char *class_name);


/// The receiver of a method, its class checked: upvalue 1 is the address of the class's metatable, which only C can
/// give to a userdata. Leaves the metatable on the stack, which spares getters without arguments a pop.
static inline void *bind_self_raw(lua_State *L) {
  if (!lua_getmetatable(L, 1) || lua_topointer(L, -1) != lua_touserdata(L, lua_upvalueindex(1))) bind_bad_self(L);
  return lua_touserdata(L, 1);
}

static inline void *bind_self(lua_State *L) {
  void *self = bind_self_raw(L);
  lua_pop(L, 1);
  return self;
}

/// Raise unless the object of a class, which is at index 1, can be used; `entry`: for that property, or null.
static inline void bind_require(lua_State *L, const Class *class, void *self, const Entry *entry) {
  if (class->require) {
    class->require(L, self, entry);
  } else if (!class->is_valid(self)) {
    bind_dead(L, 1, class->name);
  }
}

/// The receiver of a method of the class, which can be used.
static inline void *bind_check(lua_State *L, const Class *class) {
  void *self = bind_self(L);
  bind_require(L, class, self, NULL);
  return self;
}

/// What Lua has of a handle: its key, which a number of any Lua holds exactly.
static inline lua_Integer bind_key(uint64_t id) { return (lua_Integer)IMP_KEY(id); }

/// The handle of the key at an index, in the world of the object at another one.
static inline uint64_t bind_handle(lua_State *L, int owner, int index) {
  return imp_world_handle(((const Handle *)lua_touserdata(L, owner))->box->world, (uint64_t)lua_tointeger(L, index));
}

/// A finite argument of the running method; raises with the method, the argument's name and its unit.
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

/// Push x and y; how many values that is.
static inline int bind_push_vec2(lua_State *L, ImpVec2 v) {
  lua_pushnumber(L, v.x);
  lua_pushnumber(L, v.y);
  return 2;
}

#endif
