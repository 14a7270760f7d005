// Classes of the Lua API, defined by tables: the type (Class), and properties and methods (Members, Entry).
// The first upvalue of __index, `lookup`, maps a key to a method or to the address of a Property.
#include <math.h>
#include <string.h>

#include "base/names.h"
#include "base/options.h"

enum { INDEX_LOOKUP = 1, INDEX_ROOM, INDEX_MEMBERS }; // upvalues of __index and __newindex
enum { METHOD_METATABLE = 1, METHOD_ENTRY, METHOD_CLASS };

// A property: of the core (`info`), or of the bindings (`entry`). `lookup` maps the name to the address of a Property.
typedef struct Property {
  const Class *class;
  const ImpPropertyInfo *info; // the property of the core, or null
  int number;                  // index of `info` in the class's properties
  const Entry *entry;          // the property that the bindings implement, or null
} Property;

#if defined(__GNUC__)
#define SLOW __attribute__((noinline))
#else
#define SLOW
#endif


const char *bind_caller(lua_State *L) {
  const Entry *entry = lua_touserdata(L, lua_upvalueindex(METHOD_ENTRY));
  const Class *class = lua_touserdata(L, lua_upvalueindex(METHOD_CLASS));
  if (!entry || !class) return "impel";
  return lua_pushfstring(L, "%s:%s", class->name, entry->name);
}


const Entry *bind_entry(lua_State *L) { return lua_touserdata(L, lua_upvalueindex(METHOD_ENTRY)); }


static int bad_receiver(lua_State *L, const Class *class) {
  const char *got = bind_got(L, 1);
  return bind_error(L, "a %s is expected before the ':' or '.', got %s (a method is called with ':')", class->name,
                    got);
}


int bind_bad_self(lua_State *L) { return bad_receiver(L, lua_touserdata(L, lua_upvalueindex(METHOD_CLASS))); }


int bind_dead(lua_State *L, int index, const char *class_name) {
  int uv = lua_getiuservalue(L, index, UV_NAME);
  if (uv == LUA_TSTRING) return bind_error(L, "attempt to use destroyed %s '%s'", class_name, lua_tostring(L, -1));
  return bind_error(L, "attempt to use destroyed %s", class_name);
}


// Push the name ("'crate'") or number ("body 3") of the object at index 1; return false if the object has neither.
static bool push_object(lua_State *L, const Class *class) {
  const Handle *self = lua_touserdata(L, 1);
  if (lua_getiuservalue(L, 1, UV_NAME) == LUA_TSTRING) {
    lua_pushfstring(L, "'%s'", lua_tostring(L, -1));
    return true;
  }
  for (int i = 0; class->properties && class->properties(i); i++) {
    double id;
    if (strcmp(class->properties(i)->name, "id") != 0) continue;
    if (class->get(self->box->world, self->id, i, &id) != IMP_OK) return false;
    lua_pushfstring(L, "%s %I", class->name, (LUAI_UACINT)id);
    return true;
  }
  return false;
}


// Raise the core's last error. Prefix the text with `where`, unless the text already begins with "class.property".
int bind_refused(lua_State *L, const Class *class, const char *where) {
  const char *text = imp_last_error();
  size_t subject = strcspn(text, ": ");
  bool about_property = memchr(text, '.', subject) != NULL;
  const char *object = class && push_object(L, class) ? lua_tostring(L, -1) : NULL;
  if (!object) return about_property ? bind_error(L, "%s", text) : bind_error(L, "%s: %s", where, text);
  size_t length = strlen(class->name);
  if (about_property && strncmp(text, class->name, length) == 0 && text[length] == '.') {
    lua_pushlstring(L, text, subject);
    return bind_error(L, "%s of %s%s", lua_tostring(L, -1), object, text + subject);
  }
  return bind_error(L, "%s on %s: %s", where, object, text);
}


void bind_status(lua_State *L, ImpStatus status) {
  if (status != IMP_OK) bind_refused(L, lua_touserdata(L, lua_upvalueindex(METHOD_CLASS)), bind_caller(L));
}


// ---------------------------------------------------------------------------------------------------------------------
// Unknown names
// ---------------------------------------------------------------------------------------------------------------------

static const Entry *find_entry(const Members *members, const char *name) {
  for (const Entry *entry = members->entries; entry->name; entry++) {
    if (strcmp(entry->name, name) == 0) return entry;
  }
  return NULL;
}


static const ImpPropertyInfo *find_property(const Class *class, const char *name) {
  for (int i = 0; class->properties && class->properties(i); i++) {
    if (strcmp(class->properties(i)->name, name) == 0) return class->properties(i);
  }
  return NULL;
}


static bool is_writable(const Members *members, const char *name) {
  const Entry *entry = find_entry(members, name);
  const ImpPropertyInfo *property = find_property(members->class, name);
  return entry ? entry->set != NULL : property && property->writable;
}


// Push a member as "body.angle" or "body:position()"; return null if `name` is not a member.
static const char *push_ours(lua_State *L, const Members *members, const char *name) {
  const Class *class = members->class;
  const Entry *entry = find_entry(members, name);
  if (entry && entry->call) {
    const char *result = strstr(entry->signature, " -> ");
    lua_pushlstring(L, entry->signature, result ? (size_t)(result - entry->signature) : strlen(entry->signature));
    return lua_pushfstring(L, "%s:%s%s", class->name, name, lua_tostring(L, -1));
  }
  if (entry || find_property(class, name)) return lua_pushfstring(L, "%s.%s", class->name, name);
  return NULL;
}


// Push impel's name for another engine's name, or return null.
static const char *push_foreign(lua_State *L, const Members *members, const char *key) {
  const char *class_name = members->class->name;
  static const char *const prefixes[] = {"get_", "is_", "has_", "new_", "create_"};
  char name[64];
  bind_snake(key, name, sizeof name);
  const char *ours = bind_foreign(class_name, name);
  if (!ours && strcmp(name, key) != 0) ours = push_ours(L, members, name);
  for (size_t i = 0; !ours && i < sizeof prefixes / sizeof *prefixes; i++) {
    size_t length = strlen(prefixes[i]);
    if (strncmp(name, prefixes[i], length) != 0) continue;
    ours = bind_foreign(class_name, name + length);
    if (!ours) ours = push_ours(L, members, name + length);
  }
  if (ours || strncmp(name, "set_", 4) != 0) return ours;
  if (is_writable(members, name + 4)) return lua_pushfstring(L, "%s = value", push_ours(L, members, name + 4));
  return bind_foreign(class_name, name + 4);
}


// lookup.__index(lookup, key): raise for an unknown name. Upvalue 1 is the Members.
static int unknown_name(lua_State *L) {
  const Members *members = lua_touserdata(L, lua_upvalueindex(1));
  const Class *class = members->class;
  if (lua_type(L, 2) != LUA_TSTRING) return bind_error(L, "%s has no field %s", class->name, bind_got(L, 2));
  const char *key = lua_tostring(L, 2);
  const char *ours = push_foreign(L, members, key);
  if (ours) return bind_error(L, "unknown field '%s' on %s (in impel: %s)", key, class->name, ours);
  Nearest nearest = {.word = key};
  for (const Entry *entry = members->entries; entry->name; entry++) bind_offer(&nearest, entry->name);
  for (int i = 0; class->properties && class->properties(i); i++) bind_offer(&nearest, class->properties(i)->name);
  if (!nearest.best) return bind_error(L, "unknown field '%s' on %s", key, class->name);
  return bind_error(L, "unknown field '%s' on %s (did you mean '%s'?)", key, class->name, nearest.best);
}


// ---------------------------------------------------------------------------------------------------------------------
// Properties
// ---------------------------------------------------------------------------------------------------------------------

static inline Handle *receiver(lua_State *L, const Class *class) {
  Handle *self = lua_touserdata(L, 1);
  if (!self || lua_rawlen(L, 1) < sizeof(Handle) || self->class != class) bad_receiver(L, class);
  return self;
}


static void property_failed(lua_State *L, const Class *class, const Handle *self, const char *name) {
  bind_require(L, class, (void *)(uintptr_t)self, NULL);
  bind_refused(L, class, lua_pushfstring(L, "%s.%s", class->name, name));
}


// Not inlined: otherwise the caller would push more registers on the stack, also for method look-ups.
SLOW static int get_property(lua_State *L) {
  const Property *property = lua_touserdata(L, -1);
  const Class *class = property->class;
  Handle *self = receiver(L, class);
  if (property->entry) {
    bind_require(L, class, self, property->entry);
    return property->entry->get(L, self);
  }
  double value = 0;
  ImpWorld *world = self->box->world;
  if (!world || class->get(world, self->id, property->number, &value) != IMP_OK) {
    property_failed(L, class, self, property->info->name);
  }
  if (property->info->kind == IMP_NUMBER && !isnan(value)) { // NaN means nil in an optional property
    lua_pushnumber(L, value);
  } else {
    bind_push_property(L, property->info, value);
  }
  return 1;
}


// object.key
static int class_index(lua_State *L) {
  if (lua_gettable(L, lua_upvalueindex(INDEX_LOOKUP)) == LUA_TFUNCTION) return 1;
  return get_property(L);
}


// object.key = value
static int class_newindex(lua_State *L) {
  const Members *members = lua_touserdata(L, lua_upvalueindex(INDEX_MEMBERS));
  const Class *class = members->class;
  lua_settop(L, 3);
  lua_pushvalue(L, 2);
  int type = lua_gettable(L, lua_upvalueindex(INDEX_LOOKUP));
  const char *key = lua_tostring(L, 2);
  Handle *self = receiver(L, class);
  if (type == LUA_TFUNCTION) {
    const char *setter = lua_pushfstring(L, "set_%s", key);
    const char *ours = push_ours(L, members, setter);
    if (!ours) return bind_error(L, "%s.%s is a method and cannot be set", class->name, key);
    return bind_error(L, "%s.%s is a method and cannot be set (use %s)", class->name, key, ours);
  }
  const Property *property = lua_touserdata(L, -1);
  if (property->entry) {
    const Entry *entry = property->entry;
    bind_require(L, class, self, entry);
    if (!entry->set) return bind_error(L, "%s.%s is read-only", class->name, key);
    entry->set(L, self);
    return 0;
  }
  const ImpPropertyInfo *info = property->info;
  ImpWorld *world = self->box->world;
  double value;
  if (!world) property_failed(L, class, self, key);
  if (!info->writable) return bind_error(L, "%s.%s is read-only", class->name, key);
  if (imp_property_is_optional(info) && lua_isnil(L, 3)) {
    value = (double)NAN;
  } else if (!bind_property_fits(L, 3, info, &value)) {
    bind_property_value(L, 3, info, lua_pushfstring(L, "%s.%s", class->name, key));
  }
  if (class->set(world, self->id, property->number, value) != IMP_OK) property_failed(L, class, self, key);
  return 0;
}


// ---------------------------------------------------------------------------------------------------------------------
// Registration
// ---------------------------------------------------------------------------------------------------------------------

// object:is_valid()
int bind_is_valid(lua_State *L) {
  const Class *class = lua_touserdata(L, lua_upvalueindex(METHOD_CLASS));
  lua_pushboolean(L, class->is_valid(bind_self(L)));
  return 1;
}


static void push_method(lua_State *L, const Class *class, const Entry *entry, int metatable) {
  lua_pushlightuserdata(L, (void *)(uintptr_t)lua_topointer(L, metatable));
  lua_pushlightuserdata(L, (void *)(uintptr_t)entry);
  lua_pushlightuserdata(L, (void *)(uintptr_t) class);
  lua_pushcclosure(L, entry->call, BIND_METHOD_UPVALUES);
}


// Push the array of Property structs to which `lookup` refers. __index and __newindex keep the array alive.
static Property *push_properties(lua_State *L, const Members *members) {
  const Class *class = members->class;
  size_t count = 1;
  for (int i = 0; class->properties && class->properties(i); i++, count++) {
    if (!class->properties(i)->name) {
      luaL_error(L, "property %d of class %s is missing in the table of properties", i, class->name);
    }
  }
  for (int i = 0; members->entries[i].name; i++) count++;
  return lua_newuserdatauv(L, count * sizeof(Property), 0);
}


// Push the table that maps names to methods and properties. An entry of the class hides a property of the core.
// `room`: memory for the properties
static void push_lookup(lua_State *L, const Members *members, int metatable, Property *room) {
  const Class *class = members->class;
  lua_newtable(L);
  for (int i = 0; class->properties && class->properties(i); i++) {
    *room = (Property){.class = class, .info = class->properties(i), .number = i};
    lua_pushlightuserdata(L, room++);
    lua_setfield(L, -2, class->properties(i)->name);
  }
  for (int i = 0; members->entries[i].name; i++) {
    const Entry *entry = &members->entries[i];
    if (entry->call) {
      push_method(L, class, entry, metatable);
    } else {
      *room = (Property){.class = class, .entry = entry};
      lua_pushlightuserdata(L, room++);
    }
    lua_setfield(L, -2, entry->name);
  }
  lua_newtable(L);
  lua_pushlightuserdata(L, (void *)(uintptr_t)members);
  lua_pushcclosure(L, unknown_name, 1);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, -2);
}


void bind_register(lua_State *L, const Members *members) {
  if (!luaL_newmetatable(L, members->class->registry)) {
    lua_pop(L, 1);
    return;
  }
  int metatable = lua_gettop(L);
  push_lookup(L, members, metatable, push_properties(L, members));
  static const struct {
    const char *name;
    lua_CFunction function;
  } dispatch[] = {{"__index", class_index}, {"__newindex", class_newindex}};
  for (size_t i = 0; i < sizeof dispatch / sizeof *dispatch; i++) {
    lua_pushvalue(L, metatable + 2);
    lua_pushvalue(L, metatable + 1);
    lua_pushlightuserdata(L, (void *)(uintptr_t)members);
    lua_pushcclosure(L, dispatch[i].function, 3);
    lua_setfield(L, metatable, dispatch[i].name);
  }
  lua_settop(L, metatable);
  lua_pushcfunction(L, members->tostring);
  lua_setfield(L, metatable, "__tostring");
  if (members->close) {
    lua_pushcfunction(L, members->close);
    lua_setfield(L, metatable, "__gc");
    lua_pushcfunction(L, members->close);
    lua_setfield(L, metatable, "__close");
  }
  lua_pushstring(L, members->class->name);
  lua_setfield(L, metatable, "__metatable"); // getmetatable(object) returns the name of the class
  lua_pop(L, 1);
}


// ---------------------------------------------------------------------------------------------------------------------
// Class tables as Lua data
// ---------------------------------------------------------------------------------------------------------------------

static void set_string(lua_State *L, const char *key, const char *value) {
  if (!value) return;
  lua_pushstring(L, value);
  lua_setfield(L, -2, key);
}


static void set_number(lua_State *L, const char *key, double value) {
  lua_pushnumber(L, value);
  lua_setfield(L, -2, key);
}


static void push_property(lua_State *L, const ImpPropertyInfo *info) {
  static const char *const types[] = {"number", "integer", "boolean"};
  BIND_COVERS(types, IMP_BOOLEAN + 1);
  lua_newtable(L);
  set_string(L, "name", info->name);
  set_string(L, "kind", "property");
  set_string(L, "type", types[info->kind]);
  set_string(L, "unit", info->unit);
  set_string(L, "doc", info->doc);
  lua_pushboolean(L, info->writable);
  lua_setfield(L, -2, "writable");
  lua_pushboolean(L, imp_property_is_optional(info));
  lua_setfield(L, -2, "optional");
  set_number(L, "lower", info->lower);
  set_number(L, "upper", info->upper);
}


static void push_options(lua_State *L, const Options *options);


// Push a list of the names that `choice` returns.
static void push_choices(lua_State *L, const char *(*choice)(int)) {
  lua_newtable(L);
  for (int i = 0; choice(i); i++) {
    lua_pushstring(L, choice(i));
    lua_rawseti(L, -2, i + 1);
  }
}


static void push_field(lua_State *L, const char *name, const Field *field) {
  static const char *const types[] = {"number", "integer", "bits",   "boolean", "boolean", "string",
                                      "choice", "vector",  "points", "table",   "any"};
  BIND_COVERS(types, FIELD_ANY + 1);
  const ImpPropertyInfo *info = field->table ? field->table(field->property) : NULL;
  lua_newtable(L);
  set_string(L, "name", name);
  set_string(L, "type", field->type ? field->type : types[field->kind]);
  set_string(L, "unit", info ? info->unit : field->unit);
  set_string(L, "doc", field->doc ? field->doc : info ? info->doc : NULL);
  if (field->nested) {
    push_options(L, field->nested);
    lua_setfield(L, -2, "options");
  }
  if (field->choice) {
    push_choices(L, field->choice);
    lua_setfield(L, -2, "choices");
  }
  if (field->position > 0) {
    lua_pushinteger(L, field->position);
    lua_setfield(L, -2, "position");
  }
  lua_pushboolean(L, field->required);
  lua_setfield(L, -2, "required");
  double lower = info ? info->lower : field->lower, upper = info ? info->upper : field->upper;
  bool bounded = info || lower != 0 || upper != 0;
  set_number(L, "lower", bounded ? lower : -HUGE_VAL);
  set_number(L, "upper", bounded ? upper : HUGE_VAL);
}


// Append descriptions of the properties from index *next on whose offset in the definition struct is at most that of
// `field`. If `field` is a FIELD_ANY, append all remaining properties of the definition.
static void push_properties_before(lua_State *L, const Options *options, const Field *field, int *next,
                                   lua_Integer *n) {
  const ImpPropertyInfo *info;
  for (; options->properties && (info = options->properties(*next)) != NULL; ++*next) {
    Field given;
    if (!bind_property_field(options, *next, &given)) continue;
    if (field->kind != FIELD_ANY && given.offset > field->offset) return;
    push_field(L, given.name, &given);
    lua_rawseti(L, -2, ++*n);
  }
}


static void push_options(lua_State *L, const Options *options) {
  lua_newtable(L);
  set_string(L, "name", options->scope);
  lua_Integer n = 0;
  int next = 0; // index of the next property
  for (const Field *field = options->fields; field->name; field++) {
    push_properties_before(L, options, field, &next, &n);
    const char *name = bind_field_name(options, field);
    if (!name) continue;
    push_field(L, name, field);
    lua_rawseti(L, -2, ++n);
  }
  for (int i = 0; options->properties && options->properties(i); i++) {
    const ImpPropertyInfo *info = options->properties(i);
    bool listed = !info->writable || info->definition > 0;
    for (const Field *field = options->fields; field->name; field++) listed |= strcmp(field->name, info->name) == 0;
    if (listed) continue;
    push_property(L, info);
    lua_rawseti(L, -2, ++n);
  }
}


// Push { { name, locked, own }, ... }. `own` is true for the coordinate whose value is joint.value.
static void push_coordinates(lua_State *L, const ImpJointKindInfo *kind) {
  lua_newtable(L);
  for (int i = 0; i < 3 && kind->coordinates[i]; i++) {
    lua_newtable(L);
    set_string(L, "name", kind->coordinates[i]);
    lua_pushboolean(L, (kind->locked >> i & 1u) != 0);
    lua_setfield(L, -2, "locked");
    lua_pushboolean(L, kind->own == i);
    lua_setfield(L, -2, "own");
    lua_rawseti(L, -2, i + 1);
  }
}


// Push the doc of a property, with %s replaced by the choices: "a, b or c".
static void push_doc(lua_State *L, const Entry *entry) {
  const char *quote = entry->set ? "\"" : "";
  lua_pushliteral(L, "");
  for (int i = 0; entry->choice(i); i++) {
    const char *before = i == 0 ? "" : entry->choice(i + 1) ? ", " : " or ";
    lua_pushfstring(L, "%s%s%s%s", before, quote, entry->choice(i), quote);
    lua_concat(L, 2);
  }
  lua_pushfstring(L, entry->doc, lua_tostring(L, -1));
  lua_remove(L, -2);
}


static void push_entry(lua_State *L, const Entry *entry) {
  lua_newtable(L);
  set_string(L, "name", entry->name);
  set_string(L, "kind", entry->call ? "method" : "property");
  set_string(L, "type", entry->type);
  set_string(L, "unit", entry->unit);
  bool is_joint = entry->options && entry->options->joint > 0;
  set_string(L, "doc", is_joint ? imp_joint_kind(entry->options->joint - 1)->doc : entry->doc);
  if (entry->choice) {
    push_doc(L, entry);
    lua_setfield(L, -2, "doc");
  }
  set_string(L, "signature", entry->signature);
  if (is_joint) {
    push_coordinates(L, imp_joint_kind(entry->options->joint - 1));
    lua_setfield(L, -2, "coordinates");
  }
  if (!entry->call) {
    lua_pushboolean(L, entry->set != NULL);
    lua_setfield(L, -2, "writable");
  }
  if (entry->table) {
    set_number(L, "lower", entry->table(entry->property)->lower);
    set_number(L, "upper", entry->table(entry->property)->upper);
  }
  if (entry->options) {
    push_options(L, entry->options);
    lua_setfield(L, -2, "options");
  }
  for (int i = 0; entry->takes && entry->takes[i]; i++) {
    if (i == 0) lua_newtable(L);
    push_options(L, entry->takes[i]);
    lua_rawseti(L, -2, i + 1);
    if (!entry->takes[i + 1]) lua_setfield(L, -2, "takes");
  }
  if (entry->only) {
    lua_newtable(L);
    for (int kind = 0, n = 0; imp_event_name(kind); kind++) {
      if (!(entry->only >> kind & 1u)) continue;
      lua_pushstring(L, imp_event_name(kind));
      lua_rawseti(L, -2, ++n);
    }
    lua_setfield(L, -2, "events");
  }
}


static void push_entries(lua_State *L, const Entry *entries) {
  lua_newtable(L);
  for (int i = 0; entries[i].name; i++) {
    push_entry(L, &entries[i]);
    lua_rawseti(L, -2, i + 1);
  }
}


void bind_push_api(lua_State *L, const Members *const *classes, const Entry *functions) {
  lua_newtable(L);
  for (; *classes; classes++) {
    const Class *class = (*classes)->class;
    push_entries(L, (*classes)->entries);
    for (int i = 0; class->properties && class->properties(i); i++) {
      if (find_entry(*classes, class->properties(i)->name)) continue;
      push_property(L, class->properties(i));
      lua_rawseti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
    }
    lua_setfield(L, -2, class->name);
  }
  push_entries(L, functions);
  lua_setfield(L, -2, "impel");
}
