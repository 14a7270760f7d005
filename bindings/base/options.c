// Strict option tables: unknown keys are errors, and every value is checked for type and range.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/options.h"


// ---------------------------------------------------------------------------------------------------------------------
// Single values. `where` names the value in messages: "body.angle", "body:box: field 'density'".
// ---------------------------------------------------------------------------------------------------------------------

static void refuse(lua_State *L, int index, const char *where, const char *expected) {
  bind_error(L, "%s must be %s, got %s", where, expected, bind_got(L, index));
}


static bool fits(lua_State *L, int index, bool integer, double lower, double upper, double *out_value) {
  double value = lua_tonumber(L, index);
  bool bounded = lower != 0 || upper != 0;
  *out_value = value;
  bool legal = bounded ? value >= lower && value <= upper : isfinite(value);
  return lua_type(L, index) == LUA_TNUMBER && legal && (!integer || floor(value) == value);
}


static double number_within(lua_State *L, int index, const char *where, bool integer, double lower, double upper,
                            const char *unit) {
  double value;
  if (!fits(L, index, integer, lower, upper, &value)) {
    refuse(L, index, where, bind_expected(L, integer, lower, upper, unit));
  }
  return value;
}


static bool boolean(lua_State *L, int index, const char *where) {
  if (!lua_isboolean(L, index)) refuse(L, index, where, "true or false");
  return lua_toboolean(L, index);
}


bool bind_property_fits(lua_State *L, int index, const ImpPropertyInfo *info, double *out_value) {
  if (info->kind != IMP_BOOLEAN) return fits(L, index, info->kind == IMP_INTEGER, info->lower, info->upper, out_value);
  *out_value = lua_toboolean(L, index);
  return lua_isboolean(L, index);
}


double bind_property_value(lua_State *L, int index, const ImpPropertyInfo *info, const char *where) {
  if (info->kind == IMP_BOOLEAN) return boolean(L, index, where) ? 1 : 0;
  return number_within(L, index, where, info->kind == IMP_INTEGER, info->lower, info->upper, info->unit);
}


void bind_push_property(lua_State *L, const ImpPropertyInfo *info, double value) {
  if (imp_property_is_optional(info) && isnan(value)) {
    lua_pushnil(L);
  } else if (info->kind == IMP_NUMBER) {
    lua_pushnumber(L, value);
  } else if (info->kind == IMP_BOOLEAN) {
    lua_pushboolean(L, value != 0);
  } else {
    lua_pushinteger(L, (lua_Integer)value);
  }
}


// Return the index in `choice` of the string at the stack index, or -1.
static int find_choice(lua_State *L, int index, const char *(*choice)(int)) {
  const char *word = lua_type(L, index) == LUA_TSTRING ? lua_tostring(L, index) : NULL;
  for (int i = 0; word && choice(i); i++) {
    if (strcmp(choice(i), word) == 0) return i;
  }
  return -1;
}


int bind_choice(lua_State *L, int index, const char *where, const char *(*choice)(int)) {
  int found = find_choice(L, index, choice);
  if (found >= 0) return found;
  const char *word = lua_type(L, index) == LUA_TSTRING ? lua_tostring(L, index) : NULL;
  Nearest nearest = {.word = word ? word : ""};
  luaL_Buffer list;
  const char *got = bind_got(L, index);
  luaL_buffinit(L, &list);
  for (int i = 0; choice(i); i++) {
    if (i > 0) luaL_addstring(&list, ", ");
    luaL_addstring(&list, "'");
    luaL_addstring(&list, choice(i));
    luaL_addstring(&list, "'");
    bind_offer(&nearest, choice(i));
  }
  luaL_pushresult(&list);
  const char *names = lua_tostring(L, -1);
  if (nearest.best) {
    return bind_error(L, "%s must be one of %s, got %s (did you mean '%s'?)", where, names, got, nearest.best);
  }
  return bind_error(L, "%s must be one of %s, got %s", where, names, got);
}


// Read { x, y } or { x = x, y = y }.
static ImpVec2 vector(lua_State *L, int index, const char *where, const char *unit) {
  ImpVec2 v = {0, 0};
  double *const part[] = {&v.x, &v.y};
  static const char *const names[] = {"x", "y"};
  bool good = lua_istable(L, index);
  int extra = 0;
  if (good) {
    for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) extra++;
  }
  for (int i = 0; good && i < 2; i++) {
    if (lua_rawgeti(L, index, i + 1) == LUA_TNIL) {
      lua_pop(L, 1);
      lua_pushstring(L, names[i]);
      lua_rawget(L, index);
    }
    *part[i] = lua_tonumber(L, -1);
    good = lua_type(L, -1) == LUA_TNUMBER && isfinite(*part[i]);
    if (!good) {
      int part_index = lua_gettop(L);
      refuse(L, part_index, lua_pushfstring(L, "%s: %s", where, names[i]), bind_expected(L, false, 0, 0, unit));
    }
    lua_pop(L, 1);
  }
  if (!good || extra != 2) refuse(L, index, where, "a vector { x, y } of two finite numbers");
  return v;
}


Points bind_points(lua_State *L, int index, const char *where) {
  if (!lua_istable(L, index)) refuse(L, index, where, "a list of points { { x, y }, ... } [m]");
  lua_Unsigned count = lua_rawlen(L, index);
  if (count > 1000000) bind_error(L, "%s: more than 1000000 points", where);
  ImpVec2 *at = lua_newuserdatauv(L, sizeof(ImpVec2) * (size_t)(count + 1), 0);
  int scratch = lua_gettop(L);
  for (lua_Unsigned i = 0; i < count; i++) {
    lua_rawgeti(L, index, (lua_Integer)i + 1);
    const char *place = lua_pushfstring(L, "%s: point %d", where, (int)i + 1);
    at[i] = vector(L, scratch + 1, place, "m");
    lua_settop(L, scratch);
  }
  return (Points){at, (int)count};
}


static const char *string(lua_State *L, int index, const char *where, const char *expected) {
  size_t length;
  if (lua_type(L, index) != LUA_TSTRING) refuse(L, index, where, expected);
  const char *text = lua_tolstring(L, index, &length);
  if (strlen(text) != length) bind_error(L, "%s must not contain a zero byte", where);
  return text;
}


void bind_push_hex(lua_State *L, const uint64_t *words, int count) {
  luaL_Buffer buffer;
  char *digits = luaL_buffinitsize(L, &buffer, (size_t)(16 * count));
  for (int i = 0; i < 16 * count; i++) digits[i] = "0123456789abcdef"[words[i / 16] >> (60 - 4 * (i % 16)) & 15];
  luaL_pushresultsize(&buffer, (size_t)(16 * count));
}


const char *bind_path(lua_State *L, int index) {
  size_t length = 0;
  const char *path = lua_type(L, index) == LUA_TSTRING ? lua_tolstring(L, index, &length) : NULL;
  if (path != NULL && strlen(path) != length) {
    bind_error(L, "%s: argument 'path' must not contain a zero byte", bind_caller(L));
  }
  if (path == NULL || length == 0) {
    bind_error(L, "%s: argument 'path' must be the name of a file, got %s", bind_caller(L), bind_got(L, index));
  }
  return path;
}


const char *bind_name(lua_State *L, int index, const char *where) {
  return lua_isnil(L, index) ? NULL : string(L, index, where, "a string or nil");
}


uint64_t bind_bits(lua_State *L, int index, const char *where) {
  int is_integer;
  lua_Integer bits = lua_tointegerx(L, index, &is_integer);
  double value = lua_tonumber(L, index);
  if (lua_type(L, index) == LUA_TNUMBER) {
    if (is_integer) return (uint64_t)bits;
    if (value >= 0x1p63 && value < 0x1p64) return (uint64_t)value; // every double from 2^63 on is an integer
  } else if (lua_type(L, index) == LUA_TSTRING) {
    const char *text = lua_tostring(L, index);
    size_t digits = strspn(text + 2 * (strncmp(text, "0x", 2) == 0), "0123456789abcdefABCDEF");
    if (strncmp(text, "0x", 2) == 0 && digits >= 1 && digits <= 16 && lua_rawlen(L, index) == digits + 2) {
      return strtoull(text, NULL, 16);
    }
  }
  refuse(L, index, where, "an integer of at most 64 bits or a string \"0x...\"");
  return 0;
}


// ---------------------------------------------------------------------------------------------------------------------
// Tables
// ---------------------------------------------------------------------------------------------------------------------

const char *bind_field_name(const Options *options, const Field *field) {
  return options->takes ? options->takes(options, field) : field->name;
}


static bool is_named(const Options *options, const Field *field, const char *key) {
  if (!field->renamed && strcmp(field->name, key) != 0) return false;
  const char *name = bind_field_name(options, field);
  return name && strcmp(name, key) == 0;
}


// Store the value at stack index `value`, which is the top, in `out` as the field specifies.
static void store(lua_State *L, int value, const char *where, const Field *field, char *out) {
  const ImpPropertyInfo *info = field->table ? field->table(field->property) : NULL;
  double lower = info ? info->lower : field->lower, upper = info ? info->upper : field->upper;
  const char *unit = info ? info->unit : field->unit;
  void *at = out + field->offset;
  switch (field->kind) {
  case FIELD_NUMBER:
    *(double *)at = number_within(L, value, where, info && info->kind == IMP_INTEGER, lower, upper, unit);
    break;
  case FIELD_INTEGER:
    *(int32_t *)at = (int32_t)number_within(L, value, where, true, lower, upper, unit);
    break;
  case FIELD_BITS:
    *(uint64_t *)at = bind_bits(L, value, where);
    break;
  case FIELD_BOOLEAN:
    *(bool *)at = boolean(L, value, where);
    break;
  case FIELD_FLAG:
    *(double *)at = boolean(L, value, where);
    break;
  case FIELD_STRING:
    *(const char **)at = string(L, value, where, "a string");
    break;
  case FIELD_CHOICE:
    *(int *)at = bind_choice(L, value, where, field->choice);
    break;
  case FIELD_VEC2:
    *(ImpVec2 *)at = vector(L, value, where, unit);
    break;
  case FIELD_POINTS:
    *(Points *)at = bind_points(L, value, where);
    break;
  case FIELD_TABLE:
  case FIELD_ANY:
    break;
  }
}


// Store a nested table. Messages name its fields in the form "world:revolute: angle.motor: field 'speed'".
static void store_table(lua_State *L, int value, const char *call, const char *where, const char *name,
                        const Field *field, char *out) {
  bool *given = (void *)(out + field->offset);
  if (!lua_istable(L, value)) refuse(L, value, where, "a table of options");
  *given = true;
  const char *format = strstr(call, ": ") ? "%s.%s" : "%s: %s";
  bind_options(L, value, lua_pushfstring(L, format, call, name), field->nested, given);
}


// Read { x, y } of two finite numbers; return false for any other value.
static bool plain_vector(lua_State *L, int index, ImpVec2 *out) {
  if (!lua_istable(L, index)) return false;
  int x = lua_rawgeti(L, index, 1), y = lua_rawgeti(L, index, 2), count = 0;
  ImpVec2 v = {lua_tonumber(L, -2), lua_tonumber(L, -1)};
  lua_pop(L, 2);
  if (x != LUA_TNUMBER || y != LUA_TNUMBER || !isfinite(v.x) || !isfinite(v.y)) return false;
  for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) count++;
  if (count != 2) return false;
  *out = v;
  return true;
}


// Store a legal value of a simple kind, or return false.
static bool store_plain(lua_State *L, int value, const Field *field, char *out) {
  const ImpPropertyInfo *info = field->table ? field->table(field->property) : NULL;
  double lower = info ? info->lower : field->lower, upper = info ? info->upper : field->upper, number;
  int word;
  void *at = out + field->offset;
  switch (field->kind) {
  case FIELD_NUMBER:
    if (!fits(L, value, info && info->kind == IMP_INTEGER, lower, upper, &number)) return false;
    *(double *)at = number;
    return true;
  case FIELD_INTEGER:
    if (!fits(L, value, true, lower, upper, &number)) return false;
    *(int32_t *)at = (int32_t)number;
    return true;
  case FIELD_BOOLEAN:
    if (!lua_isboolean(L, value)) return false;
    *(bool *)at = lua_toboolean(L, value);
    return true;
  case FIELD_FLAG:
    if (!lua_isboolean(L, value)) return false;
    *(double *)at = lua_toboolean(L, value);
    return true;
  case FIELD_CHOICE:
    word = find_choice(L, value, field->choice);
    if (word < 0) return false;
    *(int *)at = word;
    return true;
  case FIELD_VEC2:
    return plain_vector(L, value, at);
  case FIELD_ANY:
    return true;
  case FIELD_BITS:
  case FIELD_STRING:
  case FIELD_POINTS:
  case FIELD_TABLE:
    break;
  }
  return false;
}


// Push the value that the option table has at the key `name` or at the index field->position, and return true.
// If the option table has neither, push nil and return false.
static bool fetch(lua_State *L, int index, const char *call, const char *name, const Field *field) {
  lua_pushstring(L, name);
  bool named = lua_rawget(L, index) != LUA_TNIL;
  if (field->position == 0) return named;
  bool placed = lua_rawgeti(L, index, field->position) != LUA_TNIL;
  if (named && placed) bind_error(L, "%s: field '%s' is given twice, by name and by position", call, name);
  lua_remove(L, named ? -1 : -2);
  return named || placed;
}


// Return whether a constructor has an option with the name of this property.
static bool is_given(const Options *options, int property) {
  const ImpPropertyInfo *info = options->properties(property);
  Field field;
  return info->definition > 0 ? bind_property_field(options, property, &field) : info->writable;
}


// Return the index of the property that has an option of this name, or -1.
static int property_named(const char *name, const Options *options) {
  for (int i = 0; options->properties && options->properties(i); i++) {
    if (strcmp(options->properties(i)->name, name) == 0 && is_given(options, i)) return i;
  }
  return -1;
}


static bool is_option(const char *name, const Options *options) {
  for (const Field *field = options->fields; field->name; field++) {
    if (is_named(options, field, name)) return true;
  }
  return property_named(name, options) >= 0;
}


bool bind_property_field(const Options *options, int property, Field *out_field) {
  const ImpPropertyInfo *info = options->properties(property);
  static const FieldKind kinds[][2] = {[IMP_NUMBER] = {FIELD_NUMBER, FIELD_NUMBER},
                                       [IMP_INTEGER] = {FIELD_INTEGER, FIELD_NUMBER},
                                       [IMP_BOOLEAN] = {FIELD_BOOLEAN, FIELD_FLAG}};
  bool given = info->definition > 0;
  for (const Field *field = options->fields; field->name && given; field++)
    given = strcmp(field->name, info->name) != 0;
  *out_field = (Field){.name = info->name,
                       .kind = kinds[info->kind][options->values],
                       .offset = info->definition - 1,
                       .table = options->properties,
                       .property = property};
  return given && bind_field_name(options, out_field);
}


// Return the field's bit; fields from 63 on share one.
static uint64_t field_bit(int i) { return UINT64_C(1) << (i < 63 ? i : 63); }


// Return the bits of the fields that `key`, a name or position, can give.
static uint64_t fields_of_key(lua_State *L, int key, const Options *options) {
  const Field *fields = options->fields;
  uint64_t found = 0;
  if (lua_type(L, key) == LUA_TSTRING) {
    const char *name = lua_tostring(L, key);
    for (int i = 0; fields[i].name; i++) {
      if (is_named(options, &fields[i], name)) found |= field_bit(i);
    }
  } else if (lua_isinteger(L, key)) {
    lua_Integer position = lua_tointeger(L, key);
    for (int i = 0; fields[i].name; i++) {
      if (fields[i].position > 0 && fields[i].position == position) found |= field_bit(i);
    }
  }
  return found;
}


// Return whether a message may show the hint. A hint that begins with a key, as in "limit = { lower, upper }", is shown
// only if the key is an option; any other hint is always shown.
static bool can_give(const char *hint, const Options *options) {
  static const char *const letters = "abcdefghijklmnopqrstuvwxyz_0123456789";
  size_t length = strspn(hint, letters);
  const char *rest = hint + length;
  bool is_key = *rest == 0 || *rest == ',' || strncmp(rest, " = ", 3) == 0;
  char key[64];
  if (!is_key || length >= sizeof key) return !is_key;
  memcpy(key, hint, length);
  key[length] = 0;
  return is_option(key, options);
}


// Return impel's name for another engine's key, or null.
// Search foreign_options.c in the scope of `call` ("circle" in "body:circle"), then in `options->scope` or "shape".
// Then search properties in foreign_members.c.
static const char *foreign_option(const char *call, const char *name, const Options *options) {
  const char *scope = strpbrk(call, ".:") + 1;
  bool is_shape = strcmp(scope, "world") != 0 && strcmp(scope, "body") != 0;
  const char *class_name = options->scope ? options->scope : is_shape ? "shape" : scope;
  const char *ours = bind_foreign_option(scope, name);
  if (!ours && class_name != scope) ours = bind_foreign_option(class_name, name);
  if (ours && !can_give(ours, options)) ours = NULL;
  if (ours || is_option(name, options)) return ours;
  const char *member = bind_foreign(class_name, name);
  size_t length = strlen(class_name);
  bool is_property = member && strncmp(member, class_name, length) == 0 && member[length] == '.';
  return is_property && is_option(member + length + 1, options) ? member + length + 1 : NULL;
}


// Return the bits of the fields that the option table at `index` has; set the bits of its properties in `properties`.
// Raise for the alphabetically first unknown key.
static uint64_t given_fields(lua_State *L, int index, const char *call, const Options *options, uint64_t *properties) {
  const char *worst = NULL;
  uint64_t given = 0;
  for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
    uint64_t found = fields_of_key(L, -2, options);
    given |= found;
    const char *key = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "";
    int property = found ? -1 : property_named(key, options);
    if (property >= 0) *properties |= field_bit(property);
    if (found || property >= 0) continue;
    if (!*key) {
      lua_pushvalue(L, -2);
      bind_error(L, "bad field [%s] in %s", bind_got(L, -1), call);
    }
    if (!worst || strcmp(key, worst) < 0) worst = key;
  }
  if (!worst) return given;
  Nearest nearest = {.word = worst};
  char snake[64];
  bind_snake(worst, snake, sizeof snake);
  const char *ours = foreign_option(call, snake, options);
  if (ours) bind_error(L, "bad field '%s' in %s (in impel: %s)", worst, call, ours);
  if (strcmp(snake, worst) != 0) nearest.word = snake;
  for (const Field *field = options->fields; field->name; field++) {
    const char *name = bind_field_name(options, field);
    if (name) bind_offer(&nearest, name);
  }
  for (int i = 0; options->properties && options->properties(i); i++) {
    if (is_given(options, i)) bind_offer(&nearest, options->properties(i)->name);
  }
  if (!nearest.best) bind_error(L, "bad field '%s' in %s", worst, call);
  bind_error(L, "bad field '%s' in %s (did you mean '%s'?)", worst, call, nearest.best);
  return 0;
}


void bind_options(lua_State *L, int index, const char *call, const Options *options, void *out) {
  if (!lua_istable(L, index)) bind_error(L, "%s expects a table of options, got %s", call, bind_got(L, index));
  luaL_checkstack(L, 64, NULL);
  uint64_t properties = 0, given = given_fields(L, index, call, options, &properties);
  for (int i = 0; options->fields[i].name; i++) {
    const Field *field = &options->fields[i];
    bool in_table = given & field_bit(i);
    const char *name = in_table || field->required ? bind_field_name(options, field) : NULL;
    if (!name) continue;
    int top = lua_gettop(L);
    if (in_table && fetch(L, index, call, name, field)) {
      int value = lua_gettop(L);
      if (store_plain(L, value, field, out)) {
        lua_settop(L, top);
        continue;
      }
      const char *where = lua_pushfstring(L, "%s: field '%s'", call, name);
      if (field->kind == FIELD_TABLE) {
        store_table(L, value, call, where, name, field, out);
      } else {
        store(L, value, where, field, out);
      }
      if (field->kind == FIELD_POINTS) {
        lua_replace(L, top + 1); // the points stay on the stack, because `out` refers to them
        lua_settop(L, top + 1);
        continue;
      }
    } else if (field->required) {
      bind_error(L, "%s: field '%s' is missing", call, name);
    }
    lua_settop(L, top);
  }
  for (int i = 0; properties != 0; i++, properties >>= 1) {
    Field field;
    if (!(properties & 1u) || !bind_property_field(options, i, &field)) continue;
    int top = lua_gettop(L);
    if (fetch(L, index, call, field.name, &field) && !store_plain(L, top + 1, &field, out)) {
      store(L, top + 1, lua_pushfstring(L, "%s: field '%s'", call, field.name), &field, out);
    }
    lua_settop(L, top);
  }
}


// ---------------------------------------------------------------------------------------------------------------------
// Tables from values
// ---------------------------------------------------------------------------------------------------------------------

static bool same_number(double a, double b) { return a == b || (isnan(a) && isnan(b)); }


static void push_vector(lua_State *L, ImpVec2 v) {
  lua_createtable(L, 2, 0);
  lua_pushnumber(L, v.x);
  lua_rawseti(L, -2, 1);
  lua_pushnumber(L, v.y);
  lua_rawseti(L, -2, 2);
}


void bind_push_points(lua_State *L, Points points) {
  lua_createtable(L, points.count, 0);
  for (int i = 0; i < points.count; i++) {
    push_vector(L, points.at[i]);
    lua_rawseti(L, -2, i + 1);
  }
}


// Push the field's value in `values` and return true; or return false if the value equals the default and the field is
// not required. A number NaN stands for an option that was not given.
static bool push_given(lua_State *L, const Field *field, const char *values, const char *defaults) {
  const void *at = values + field->offset, *other = defaults + field->offset;
  bool needed = field->required;
  switch (field->kind) {
  case FIELD_NUMBER:
    if (!needed && same_number(*(const double *)at, *(const double *)other)) return false;
    lua_pushnumber(L, *(const double *)at);
    return true;
  case FIELD_INTEGER:
    if (!needed && *(const int32_t *)at == *(const int32_t *)other) return false;
    lua_pushinteger(L, *(const int32_t *)at);
    return true;
  case FIELD_BITS:
    if (!needed && *(const uint64_t *)at == *(const uint64_t *)other) return false;
    lua_pushinteger(L, (lua_Integer) * (const uint64_t *)at);
    return true;
  case FIELD_BOOLEAN:
    if (!needed && *(const bool *)at == *(const bool *)other) return false;
    lua_pushboolean(L, *(const bool *)at);
    return true;
  case FIELD_FLAG:
    if (!needed && *(const double *)at == *(const double *)other) return false;
    lua_pushboolean(L, *(const double *)at != 0);
    return true;
  case FIELD_STRING:
    if (!*(const char *const *)at) return false;
    lua_pushstring(L, *(const char *const *)at);
    return true;
  case FIELD_CHOICE:
    if (!needed && *(const int *)at == *(const int *)other) return false;
    lua_pushstring(L, field->choice(*(const int *)at));
    return true;
  case FIELD_VEC2: {
    const ImpVec2 *v = at, *w = other;
    if (!needed && same_number(v->x, w->x) && same_number(v->y, w->y)) return false;
    push_vector(L, *v);
    return true;
  }
  case FIELD_POINTS:
    bind_push_points(L, *(const Points *)at);
    return true;
  case FIELD_TABLE:
    if (!*(const bool *)at) return false;
    bind_push_options(L, field->nested, at, other);
    return true;
  case FIELD_ANY:
    break;
  }
  return false;
}


void bind_push_options(lua_State *L, const Options *options, const void *values, const void *defaults) {
  luaL_checkstack(L, LUA_MINSTACK, NULL);
  lua_newtable(L);
  for (const Field *field = options->fields; field->name; field++) {
    const char *name = bind_field_name(options, field);
    if (name && push_given(L, field, values, defaults)) lua_setfield(L, -2, name);
  }
  for (int i = 0; options->properties && options->properties(i); i++) {
    Field field;
    if (bind_property_field(options, i, &field) && push_given(L, &field, values, defaults)) {
      lua_setfield(L, -2, field.name);
    }
  }
}
