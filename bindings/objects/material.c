// Materials: world:material, world:mix, world:mix_rule and the lists `materials` and `mixes` of impel.world{...}.
// A mix rule is called once for each pair of materials, and the core stores the results.
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/names.h"
#include "base/world_table.h"
#include "objects/material.h"
#include "objects/shape.h"

typedef struct MaterialOptions {
  const char *name;
  ImpMaterialDef def;
} MaterialOptions;

#define SAID(key, id) \
  { \
    .name = #key, .kind = FIELD_NUMBER, .offset = offsetof(MaterialOptions, def.key), .table = imp_shape_property, \
    .property = id \
  }
#define NUMBERS \
  SAID(density, IMP_SHAPE_DENSITY), SAID(friction, IMP_SHAPE_FRICTION), SAID(restitution, IMP_SHAPE_RESTITUTION), \
      SAID(rolling_resistance, IMP_SHAPE_ROLLING_RESISTANCE), SAID(surface_speed, IMP_SHAPE_SURFACE_SPEED), \
      SAID(restitution_threshold, IMP_SHAPE_RESTITUTION_THRESHOLD), SAID(hit_speed, IMP_SHAPE_HIT_SPEED), { \
    .name = NULL \
  }

static const Field material_fields[] = {NUMBERS};
static const Field listed_fields[] = {
    {.name = "name",
     .kind = FIELD_STRING,
     .offset = offsetof(MaterialOptions, name),
     .required = true,
     .doc = "name of the material"},
    NUMBERS,
};

typedef struct MixOptions {
  const char *a, *b;
  ImpMix mix;
} MixOptions;

#define MIXED(key, id, text) \
  { \
    .name = #key, .kind = FIELD_NUMBER, .offset = offsetof(MixOptions, mix.key), .table = imp_shape_property, \
    .property = id, .doc = text \
  }
#define MIXES \
  MIXED(friction, IMP_SHAPE_FRICTION, "friction coefficient between the two materials"), \
      MIXED(restitution, IMP_SHAPE_RESTITUTION, "coefficient of restitution between the two materials"), { \
    .name = NULL \
  }

static const Field mix_fields[] = {MIXES};
static const Field listed_mix_fields[] = {
    {.name = "a",
     .kind = FIELD_STRING,
     .offset = offsetof(MixOptions, a),
     .required = true,
     .doc = "name of a material"},
    {.name = "b",
     .kind = FIELD_STRING,
     .offset = offsetof(MixOptions, b),
     .required = true,
     .doc = "name of a material"},
    MIXES,
};

const Options bind_material_options = {.fields = material_fields, .scope = "material"};
const Options bind_mix_options = {.fields = mix_fields, .scope = "mix"};
const Options bind_listed_material_options = {.fields = listed_fields, .scope = "listed_material"};
const Options bind_listed_mix_options = {.fields = listed_mix_fields, .scope = "listed_mix"};

// Names of the mix rules; their index + 1 is the key in SLOT_MIX_RULES.
static const char *rule_name(int rule) {
  static const char *const names[] = {"friction", "restitution"};
  return rule < 2 ? names[rule] : NULL;
}


static int find_material(lua_State *L, const ImpWorld *world, const char *where, const char *name) {
  int number = imp_world_find_material(world, name);
  if (number > 0) return number;
  Nearest nearest = {.word = name};
  for (int i = 1; i <= imp_world_material_count(world); i++) bind_offer(&nearest, bind_material_name(world, i));
  if (nearest.best) {
    return bind_error(L, "%s: the world has no material '%s' (did you mean '%s'?)", where, name, nearest.best);
  }
  return bind_error(L, "%s: the world has no material '%s' (declare it by world:material('%s', {...}))", where, name,
                    name);
}


const char *bind_material_name(const ImpWorld *world, int material) {
  const char *name = NULL;
  ImpMaterialDef def;
  return imp_world_material(world, material, &name, &def) == IMP_OK ? name : NULL;
}


static const char *name_argument(lua_State *L, int index, const char *name) {
  if (lua_type(L, index) != LUA_TSTRING) {
    bind_error(L, "%s: argument '%s' must be the name of a material, got %s", bind_caller(L), name, bind_got(L, index));
  }
  return lua_tostring(L, index);
}


static int material_argument(lua_State *L, const ImpWorld *world, int index, const char *name) {
  return find_material(L, world, bind_caller(L), name_argument(L, index, name));
}


// world:material(name, { friction, restitution, ... })
int bind_world_material(lua_State *L) {
  WorldBox *box = bind_check_world(L);
  lua_settop(L, 3);
  MaterialOptions o = {.name = name_argument(L, 2, "name"), .def = imp_material_def()};
  int number = 0;
  if (strlen(o.name) != lua_rawlen(L, 2))
    bind_error(L, "%s: argument 'name' must not contain a zero byte", bind_caller(L));
  bind_options(L, 3, bind_caller(L), &bind_material_options, &o);
  bind_status(L, imp_world_set_material(box->world, o.name, &o.def, &number));
  return 0;
}


// world:mix(material_a, material_b, { friction, restitution })
int bind_world_mix(lua_State *L) {
  WorldBox *box = bind_check_world(L);
  lua_settop(L, 4);
  int a = material_argument(L, box->world, 2, "material_a"), b = material_argument(L, box->world, 3, "material_b");
  MixOptions o = {.mix = {(double)NAN, (double)NAN}};
  bind_options(L, 4, bind_caller(L), &bind_mix_options, &o);
  bind_status(L, imp_world_set_mix(box->world, a, b, &o.mix));
  return 0;
}


static void push_or_nil(lua_State *L, double value) {
  if (isnan(value)) {
    lua_pushnil(L);
  } else {
    lua_pushnumber(L, value);
  }
}


// world:mixed(material_a, material_b) -> friction, restitution
int bind_world_mixed(lua_State *L) {
  WorldBox *box = bind_check_world(L);
  int a = material_argument(L, box->world, 2, "material_a"), b = material_argument(L, box->world, 3, "material_b");
  ImpMix fixed, mix;
  bind_status(L, imp_world_mix(box->world, a, b, &fixed, &mix));
  push_or_nil(L, mix.friction);
  push_or_nil(L, mix.restitution);
  return 2;
}


// world:mix_rule(name, fn or nil)
int bind_world_mix_rule(lua_State *L) {
  WorldBox *box = bind_check_world(L);
  int rule = bind_choice(L, 2, "world:mix_rule: argument 'name'", rule_name);
  if (!lua_isfunction(L, 3) && !(lua_isnil(L, 3) && lua_gettop(L) >= 3)) {
    return bind_error(L, "world:mix_rule: argument 'fn' must be a function(a, b) -> number or nil, got %s",
                      bind_got(L, 3));
  }
  bind_status(L, imp_world_forget_mixes(box->world));
  bind_world_table(L, 1, SLOT_MIX_RULES);
  lua_pushvalue(L, 3);
  lua_rawseti(L, -2, rule + 1);
  return 0;
}


// world:mix_rules() -> friction_rule, restitution_rule
int bind_world_mix_rules(lua_State *L) {
  bind_check_world(L);
  lua_settop(L, 1);
  bind_world_table(L, 1, SLOT_MIX_RULES);
  for (int rule = 0; rule_name(rule); rule++) lua_rawgeti(L, 2, rule + 1);
  return lua_gettop(L) - 2;
}


// ---------------------------------------------------------------------------------------------------------------------
// Calls of the rules
// ---------------------------------------------------------------------------------------------------------------------

static void push_material(lua_State *L, const ImpWorld *world, int material) {
  MaterialOptions o = {.name = NULL}, none = {.def = imp_material_def()};
  imp_world_material(world, material, &o.name, &o.def);
  bind_push_options(L, &bind_listed_material_options, &o, &none);
}


bool bind_has_mix_rules(lua_State *L, int world) {
  bind_world_table(L, world, SLOT_MIX_RULES);
  bool any = false;
  for (int rule = 0; rule_name(rule); rule++) {
    any |= lua_rawgeti(L, -1, rule + 1) == LUA_TFUNCTION;
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  return any;
}


// Lua function (world, material a, material b, rule from 1) -> number or nil, called under lua_pcall
int bind_mix_evaluate(lua_State *L) {
  const WorldBox *box = lua_touserdata(L, 1);
  int a = (int)lua_tointeger(L, 2), b = (int)lua_tointeger(L, 3), rule = (int)lua_tointeger(L, 4) - 1;
  bind_world_table(L, 1, SLOT_MIX_RULES);
  if (lua_rawgeti(L, -1, rule + 1) != LUA_TFUNCTION) return 0;
  int function = lua_gettop(L);
  lua_pushvalue(L, function);
  push_material(L, box->world, a);
  push_material(L, box->world, b);
  lua_call(L, 2, 1);
  int property = rule == 0 ? IMP_SHAPE_FRICTION : IMP_SHAPE_RESTITUTION;
  const ImpPropertyInfo *info = imp_shape_property(property);
  double value;
  if (!lua_isnil(L, -1) && !bind_property_fits(L, -1, info, &value)) {
    int result = lua_gettop(L);
    return bind_function_error(L, function, "world:mix_rule: the %s of '%s' and '%s' must be %s, got %s", info->name,
                               bind_material_name(box->world, a), bind_material_name(box->world, b),
                               bind_expected(L, false, info->lower, info->upper, info->unit), bind_got(L, result));
  }
  return 1;
}


// ---------------------------------------------------------------------------------------------------------------------
// Lists of materials and mixes, as options of a world
// ---------------------------------------------------------------------------------------------------------------------

// Push the list in option `name`; return false for nil.
static bool fetch_list(lua_State *L, const char *name) {
  lua_pushstring(L, name);
  int type = lua_rawget(L, 1);
  if (type != LUA_TNIL && type != LUA_TTABLE) {
    bind_error(L, "impel.world: field '%s' must be a list of tables, got %s", name, bind_got(L, -1));
  }
  if (type == LUA_TNIL) return false;
  lua_Integer count = (lua_Integer)lua_rawlen(L, -1);
  for (lua_pushnil(L); lua_next(L, -2);) {
    lua_pop(L, 1);
    bool listed = lua_isinteger(L, -1) && lua_tointeger(L, -1) >= 1 && lua_tointeger(L, -1) <= count;
    if (!listed) {
      bind_error(L, "impel.world: field '%s' must be a list of tables, { { ... }, ... }, got the key %s", name,
                 bind_got(L, -1));
    }
  }
  return true;
}


void bind_read_materials(lua_State *L, ImpWorld *world) {
  int top = lua_gettop(L);
  lua_Integer count = fetch_list(L, "materials") ? (lua_Integer)lua_rawlen(L, -1) : 0;
  for (lua_Integer i = 1; i <= count; i++) {
    MaterialOptions o = {.def = imp_material_def()};
    int number = 0;
    const char *where = lua_pushfstring(L, "impel.world: field 'materials': material %d", (int)i);
    lua_rawgeti(L, top + 1, i);
    bind_options(L, lua_gettop(L), where, &bind_listed_material_options, &o);
    if (imp_world_set_material(world, o.name, &o.def, &number) != IMP_OK) bind_refused(L, NULL, where);
    lua_settop(L, top + 1);
  }
  lua_settop(L, top);
  count = fetch_list(L, "mixes") ? (lua_Integer)lua_rawlen(L, -1) : 0;
  for (lua_Integer i = 1; i <= count; i++) {
    MixOptions o = {.mix = {(double)NAN, (double)NAN}};
    const char *where = lua_pushfstring(L, "impel.world: field 'mixes': mix %d", (int)i);
    lua_rawgeti(L, top + 1, i);
    bind_options(L, lua_gettop(L), where, &bind_listed_mix_options, &o);
    int a = find_material(L, world, where, o.a), b = find_material(L, world, where, o.b);
    if (imp_world_set_mix(world, a, b, &o.mix) != IMP_OK) bind_refused(L, NULL, where);
    lua_settop(L, top + 1);
  }
  lua_settop(L, top);
}


// Push a list of all materials; push nothing if the world has no materials.
static bool push_materials(lua_State *L, const ImpWorld *world) {
  int count = imp_world_material_count(world);
  if (count == 0) return false;
  lua_createtable(L, count, 0);
  for (int i = 1; i <= count; i++) {
    push_material(L, world, i);
    lua_rawseti(L, -2, i);
  }
  return true;
}


// Push the list of pairs of materials that have a friction or restitution of their own. If there is no such pair, push
// nothing and return false.
static bool push_mixes(lua_State *L, const ImpWorld *world) {
  int top = lua_gettop(L);
  MixOptions none = {.mix = {(double)NAN, (double)NAN}};
  for (int b = 1; b <= imp_world_material_count(world); b++) {
    for (int a = 1; a <= b; a++) {
      ImpMix fixed;
      MixOptions o = {.a = bind_material_name(world, a), .b = bind_material_name(world, b)};
      imp_world_mix(world, a, b, &fixed, &o.mix);
      if (isnan(o.mix.friction) && isnan(o.mix.restitution)) continue;
      if (lua_gettop(L) == top) lua_newtable(L);
      bind_push_options(L, &bind_listed_mix_options, &o, &none);
      lua_rawseti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
    }
  }
  return lua_gettop(L) > top;
}


void bind_set_material_lists(lua_State *L, int table, const ImpWorld *world) {
  if (push_materials(L, world)) lua_setfield(L, table, "materials");
  if (push_mixes(L, world)) lua_setfield(L, table, "mixes");
}


// ---------------------------------------------------------------------------------------------------------------------
// Materials of shapes
// ---------------------------------------------------------------------------------------------------------------------

int bind_get_material(lua_State *L, void *self) {
  const Handle *handle = self;
  int material = 0;
  imp_shape_material(handle->box->world, (ImpShape){handle->id}, &material);
  lua_pushstring(L, material > 0 ? bind_material_name(handle->box->world, material) : NULL);
  return 1;
}


// shape.material = name or nil
void bind_set_material(lua_State *L, void *self) {
  const Handle *handle = self;
  ImpWorld *world = handle->box->world;
  const char *name = bind_name(L, 3, "shape.material");
  int material = name ? find_material(L, world, "shape.material", name) : 0;
  if (imp_shape_set_material(world, (ImpShape){handle->id}, material) != IMP_OK) {
    bind_refused(L, &bind_shape_class, "shape.material");
  }
}


void bind_read_material(lua_State *L, const ImpWorld *world, const char *call, ImpShapeDef *def) {
  lua_pushliteral(L, "material");
  if (lua_istable(L, 2) && lua_rawget(L, 2) == LUA_TSTRING) {
    const char *where = lua_pushfstring(L, "%s: field 'material'", call);
    imp_material_apply(world, find_material(L, world, where, lua_tostring(L, -2)), def);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}
