// impel.world{...}, and its inverse world:options().
#include <stddef.h>
#include <string.h>

#include "base/quota.h"
#include "base/world_table.h"
#include "objects/material.h"
#include "objects/world.h"

typedef struct WorldOptions {
  ImpWorldDef def;
  const char *generator; // state of the random generator as hex digits; null: the initial state for the seed
  int fault;             // FAULT_QUARANTINE or FAULT_STOP
} WorldOptions;

#define AT(member) .offset = offsetof(WorldOptions, member)

// What world:step does after a fault (a body with non-finite state).
enum { FAULT_QUARANTINE, FAULT_STOP };


static const char *fault_name(int policy) {
  static const char *const names[] = {[FAULT_QUARANTINE] = "quarantine", [FAULT_STOP] = "stop"};
  BIND_COVERS(names, FAULT_STOP + 1);
  return policy >= 0 && policy <= FAULT_STOP ? names[policy] : NULL;
}


// world.fault
int bind_get_fault(lua_State *L, void *self) {
  lua_pushstring(L, fault_name(((WorldBox *)self)->stops ? FAULT_STOP : FAULT_QUARANTINE));
  return 1;
}


void bind_set_fault(lua_State *L, void *self) {
  ((WorldBox *)self)->stops = bind_choice(L, 3, "world.fault", fault_name) == FAULT_STOP;
}


static const Field world_fields[] = {
    {.name = "gravity",
     .kind = FIELD_VEC2,
     AT(def.gravity),
     .unit = "m/s^2",
     .doc = "acceleration of every body by gravity; { 0, -9.81 } by default"},
    {.name = "dt", .kind = FIELD_NUMBER, AT(def.dt), .table = imp_world_property, .property = IMP_WORLD_DT},
    {.name = "solver",
     .kind = FIELD_CHOICE,
     AT(def.solver),
     .choice = imp_solver_name,
     .doc = "solver of the constraint rows; \"soft\" by default"},
    {.name = "order",
     .kind = FIELD_CHOICE,
     AT(def.order),
     .choice = imp_order_name,
     .doc = "order in which a sweep of an iterative solver visits the rows; \"forward\" by default"},
    {.name = "fault",
     .kind = FIELD_CHOICE,
     AT(fault),
     .choice = fault_name,
     .doc = "what a step does if the state of a body becomes non-finite. \"quarantine\", the default: the body is "
            "disabled, and a fault event reports it; \"stop\": world:step also raises an error"},
    {.name = "tick",
     .kind = FIELD_BITS,
     AT(def.tick),
     .unit = "1",
     .doc = "initial value of world.tick, the number of steps, to continue the clock of another world; 0 by default"},
    {.name = "time",
     .kind = FIELD_NUMBER,
     AT(def.time),
     .upper = IMP_MAX_TIME,
     .unit = "s",
     .doc = "initial value of world.time; tick * dt by default"},
    {.name = "materials",
     .kind = FIELD_ANY,
     .type = "list",
     .nested = &bind_listed_material_options,
     .doc = "{ { name = 'ice', friction = 0.02, ... }, ... }: materials, as world:material declares them"},
    {.name = "mixes",
     .kind = FIELD_ANY,
     .type = "list",
     .nested = &bind_listed_mix_options,
     .doc = "{ { a = 'ice', b = 'rubber', friction = 0.1, restitution = 0 }, ... }: mixes, as world:mix sets them"},
    {.name = "generator",
     .kind = FIELD_STRING,
     AT(generator),
     .doc = "state of world:random: 64 hex digits, as world:options() gives them; by default the initial state for the "
            "seed"},
    {.name = NULL},
};

const Options bind_world_options = {.fields = world_fields, .properties = imp_world_property};


// Push the world table of a new world.
static void push_world_table(lua_State *L, int world) {
  lua_createtable(L, SLOT_COUNT - 1, 0);
  lua_pushvalue(L, world);
  lua_rawseti(L, -2, SLOT_WORLD);
  for (int slot = SLOT_BODIES; slot < SLOT_COUNT; slot++) {
    lua_newtable(L);
    lua_rawseti(L, -2, slot);
  }
  lua_createtable(L, 0, 1);
  lua_pushliteral(L, "v");
  lua_setfield(L, -2, "__mode");
  for (int slot = SLOT_BODIES; slot <= SLOT_MOVERS; slot++) {
    lua_rawgeti(L, -2, slot);
    lua_pushvalue(L, -2);
    lua_setmetatable(L, -2);
    lua_pop(L, 1);
  }
  lua_rawgeti(L, -2, SLOT_TABLES);
  lua_insert(L, -2);
  lua_setmetatable(L, -2);
  lua_pop(L, 1);
  lua_createtable(L, 0, 1);
  lua_pushliteral(L, "k");
  lua_setfield(L, -2, "__mode");
  static const int weak_keys[] = {SLOT_SERIALS, SLOT_FUNCTION_HASHES};
  for (size_t i = 0; i < sizeof weak_keys / sizeof *weak_keys; i++) {
    lua_rawgeti(L, -2, weak_keys[i]);
    lua_pushvalue(L, -2);
    lua_setmetatable(L, -2);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  static const int by_kind[][2] = {{SLOT_HANDLERS, HANDLER_COUNT}, {SLOT_EVENTS, IMP_EVENT_COUNT}};
  for (size_t i = 0; i < sizeof by_kind / sizeof *by_kind; i++) {
    lua_rawgeti(L, -1, by_kind[i][0]);
    for (int kind = 0; kind < by_kind[i][1]; kind++) {
      lua_newtable(L);
      lua_rawseti(L, -2, kind + 1);
    }
    lua_pop(L, 1);
  }
}


// Apply the options that are properties of the world, in the order of the core's table.
static void set_properties(lua_State *L, ImpWorld *world) {
  for (int i = 0; i < IMP_WORLD_PROPERTY_COUNT; i++) {
    const ImpPropertyInfo *info = imp_world_property(i);
    lua_pushstring(L, info->name);
    if (info->writable && lua_rawget(L, 1) != LUA_TNIL) {
      const char *where = lua_pushfstring(L, "impel.world: field '%s'", info->name);
      double value = bind_property_value(L, 2 + 1, info, where);
      if (imp_world_set(world, (ImpWorldProperty)i, value) != IMP_OK) {
        bind_refused(L, NULL, "impel.world");
      }
    }
    lua_settop(L, 2);
  }
}


// Size of a random generator's state: number of 64-bit words, and of hex digits.
enum { GENERATOR_WORDS = 4, GENERATOR_DIGITS = 16 * GENERATOR_WORDS };


static void set_generator(lua_State *L, ImpWorld *world, const char *digits) {
  uint64_t state[GENERATOR_WORDS] = {0};
  size_t length = strlen(digits);
  if (length != GENERATOR_DIGITS || strspn(digits, "0123456789abcdef") != length) {
    bind_error(L, "impel.world: field 'generator' must be %d hex digits, got '%s'", (int)GENERATOR_DIGITS, digits);
  }
  for (int i = 0; i < GENERATOR_DIGITS; i++) {
    unsigned digit = (unsigned)(digits[i] <= '9' ? digits[i] - '0' : digits[i] - 'a' + 10);
    state[i / 16] = state[i / 16] << 4 | digit;
  }
  if (imp_world_set_generator(world, state) != IMP_OK) bind_refused(L, NULL, "impel.world: field 'generator'");
}


WorldBox *bind_push_world(lua_State *L) {
  WorldBox *box = lua_newuserdatauv(L, sizeof *box, 2);
  int at = lua_gettop(L);
  *box = (WorldBox){.handle = {.class = &bind_world_class, .box = box}, .epoch = 1};
  push_world_table(L, at);
  lua_setiuservalue(L, at, UV_WORLD_TABLE);
  luaL_setmetatable(L, bind_world_class.registry);
  return box;
}


// impel.world { gravity = { x, y }, dt, seed, solver, and the writable properties } -> world
int bind_world_new(lua_State *L) {
  WorldOptions o = {.def = imp_world_def()};
  lua_settop(L, 1);
  bind_options(L, 1, "impel.world", &bind_world_options, &o);
  WorldBox *box = bind_push_world(L);
  box->stops = o.fault == FAULT_STOP;
  o.def.allocator = bind_allocator();
  if (imp_world_create(&o.def, &box->world) != IMP_OK) {
    box->world = NULL;
    return bind_refused(L, NULL, "impel.world");
  }
  set_properties(L, box->world);
  bind_read_materials(L, box->world);
  if (o.generator) set_generator(L, box->world, o.generator);
  // Lua's collector does not see the core's memory: step the collector as after the allocation of 64 KB.
  lua_gc(L, LUA_GCSTEP, 64);
  return 1;
}


// Find the writable properties that differ from those of a new world. Each difference is set in the new world before
// the next property is compared, because the defaults of later properties depend on it.
static ImpStatus find_differences(const ImpWorld *world, const ImpWorldDef *def, bool *differs, double *values,
                                  uint64_t seeded[GENERATOR_WORDS]) {
  ImpWorldDef start = imp_world_def();
  ImpWorld *fresh;
  start.allocator = bind_allocator();
  start.dt = def->dt;
  start.solver = def->solver;
  ImpStatus status = imp_world_create(&start, &fresh);
  for (int i = 0; i < IMP_WORLD_PROPERTY_COUNT && status == IMP_OK; i++) {
    double usual = 0;
    imp_world_get(world, (ImpWorldProperty)i, &values[i]);
    imp_world_get(fresh, (ImpWorldProperty)i, &usual);
    differs[i] = imp_world_property(i)->writable && values[i] != usual;
    if (differs[i]) imp_world_set(fresh, (ImpWorldProperty)i, values[i]);
  }
  if (status == IMP_OK) {
    imp_world_generator(fresh, seeded);
    imp_world_destroy(fresh);
  }
  return status;
}


// world:options() -> table
int bind_world_definition(lua_State *L) {
  WorldBox *box = bind_check_world(L);
  WorldOptions o = {.def = imp_world_definition(box->world), .fault = box->stops ? FAULT_STOP : FAULT_QUARANTINE},
               none = {.def = imp_world_def()};
  bool differs[IMP_WORLD_PROPERTY_COUNT] = {false};
  double values[IMP_WORLD_PROPERTY_COUNT];
  uint64_t seeded[GENERATOR_WORDS], state[GENERATOR_WORDS];
  bind_status(L, find_differences(box->world, &o.def, differs, values, seeded));
  bind_push_options(L, &bind_world_options, &o, &none);
  bind_set_material_lists(L, lua_gettop(L), box->world);
  imp_world_generator(box->world, state);
  if (memcmp(state, seeded, sizeof state) != 0) {
    bind_push_hex(L, state, GENERATOR_WORDS);
    lua_setfield(L, -2, "generator");
  }
  for (int i = 0; i < IMP_WORLD_PROPERTY_COUNT; i++) {
    if (!differs[i]) continue;
    bind_push_property(L, imp_world_property(i), values[i]);
    lua_setfield(L, -2, imp_world_property(i)->name);
  }
  return 1;
}
