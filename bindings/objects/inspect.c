// Methods of the class world about the whole world: counts, residual, energy balance, mobility.
#include <stddef.h>

#include "objects/object.h"
#include "objects/world.h"


// Put the table to fill at index 2: the argument, or a new table.
static void use_table(lua_State *L) {
  lua_settop(L, 2);
  if (lua_isnil(L, 2)) {
    lua_newtable(L);
    lua_replace(L, 2);
  } else if (!lua_istable(L, 2)) {
    bind_error(L, "%s: argument 'table' must be a table to fill or nil, got %s", bind_caller(L), bind_got(L, 2));
  }
}


static void put(lua_State *L, const char *key, double value) {
  lua_pushstring(L, key);
  lua_pushnumber(L, value);
  lua_rawset(L, 2);
}


static void put_integer(lua_State *L, const char *key, lua_Integer value) {
  lua_pushstring(L, key);
  lua_pushinteger(L, value);
  lua_rawset(L, 2);
}


// world:counts([table]) -> table
int bind_world_counts(lua_State *L) {
  ImpCounts counts = imp_world_counts(bind_check_world(L)->world);
  use_table(L);
  put_integer(L, "bodies", counts.bodies);
  put_integer(L, "awake", counts.awake);
  put_integer(L, "shapes", counts.shapes);
  put_integer(L, "contacts", counts.contacts);
  put_integer(L, "joints", counts.joints);
  put_integer(L, "fields", counts.fields);
  put_integer(L, "movers", counts.movers);
  put_integer(L, "rows", counts.rows);
  put_integer(L, "islands", counts.islands);
  put_integer(L, "colours", counts.colours);
  put_integer(L, "bytes", (lua_Integer)counts.bytes);
  put_integer(L, "lua_bytes", (lua_Integer)lua_gc(L, LUA_GCCOUNT) * 1024 + lua_gc(L, LUA_GCCOUNTB));
  return 1;
}


// world:islands() -> list
int bind_world_islands(lua_State *L) {
  ImpWorld *world = bind_check_world(L)->world;
  int count = 0;
  bind_status(L, imp_world_islands(world, NULL, NULL, 0, &count));
  ImpBody *bodies = lua_newuserdatauv(L, (size_t)(count + 1) * (sizeof(ImpBody) + sizeof(int32_t)), 0);
  int32_t *islands = (int32_t *)(bodies + count + 1);
  bind_status(L, imp_world_islands(world, bodies, islands, count, &count));
  lua_newtable(L);
  int list = lua_gettop(L);
  for (int i = 0; i < count; i++) {
    if (lua_rawgeti(L, list, islands[i] + 1) == LUA_TNIL) {
      lua_pop(L, 1);
      lua_newtable(L);
      lua_pushvalue(L, -1);
      lua_rawseti(L, list, islands[i] + 1);
    }
    bind_push_body(L, 1, bodies[i]);
    lua_rawseti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
    lua_pop(L, 1);
  }
  return 1;
}


// world:profile([table]) -> table
int bind_world_profile(lua_State *L) {
  const WorldBox *box = bind_check_world(L);
  ImpProfile profile = imp_world_profile(box->world);
  use_table(L);
  for (int i = 0; i < IMP_STAGE_COUNT; i++) put(L, imp_stage_name(i), profile.stage[i]);
  put(L, "step", profile.step);
  put(L, "clusters", profile.clusters);
  if (box->profiling) put(L, "lua", box->lua_time);
  return 1;
}


// world:residual([table]) -> table
int bind_world_residual(lua_State *L) {
  ImpResidual residual = imp_world_residual(bind_check_world(L)->world);
  use_table(L);
  put(L, "velocity", residual.velocity);
  put(L, "penetration", residual.penetration);
  put(L, "separation", residual.separation);
  put(L, "complementarity", residual.complementarity);
  put(L, "contraction", residual.contraction);
  put(L, "error", residual.error);
  put(L, "solved_to", residual.solved_to);
  put_integer(L, "sweeps", residual.sweeps);
  put_integer(L, "open", residual.open);
  put_integer(L, "redundant", residual.redundant);
  put_integer(L, "flops", (lua_Integer)residual.flops);
  lua_pushboolean(L, residual.converged);
  lua_setfield(L, 2, "converged");
  lua_pushstring(L, residual.reason);
  lua_setfield(L, 2, "reason");
  return 1;
}


// world:convergence() -> { { substep =, impulse =, velocity =, change = }, ... }
int bind_world_convergence(lua_State *L) {
  int count;
  const ImpSweep *sweeps = imp_world_sweeps(bind_check_world(L)->world, &count);
  lua_createtable(L, count, 0);
  for (int i = 0; i < count; i++) {
    lua_createtable(L, 0, 4);
    lua_pushinteger(L, sweeps[i].substep);
    lua_setfield(L, -2, "substep");
    lua_pushnumber(L, sweeps[i].impulse);
    lua_setfield(L, -2, "impulse");
    lua_pushnumber(L, sweeps[i].velocity);
    lua_setfield(L, -2, "velocity");
    lua_pushnumber(L, sweeps[i].change);
    lua_setfield(L, -2, "change");
    lua_rawseti(L, -2, i + 1);
  }
  return 1;
}


// Fill the table at the top with an energy balance.
static void fill_audit(lua_State *L, const ImpAudit *audit) {
  int at = lua_gettop(L);
  lua_pushnumber(L, audit->before);
  lua_setfield(L, at, "before");
  lua_pushnumber(L, audit->after);
  lua_setfield(L, at, "after");
  for (int i = 0; i < IMP_ENERGY_COUNT; i++) {
    lua_pushnumber(L, audit->cause[i]);
    lua_setfield(L, at, imp_energy_cause_name(i));
  }
  lua_pushnumber(L, audit->worst);
  lua_setfield(L, at, "worst");
  if (audit->worst > 0) {
    lua_pushstring(L, imp_energy_cause_name((int)audit->worst_cause));
  } else {
    lua_pushnil(L);
  }
  lua_setfield(L, at, "worst_cause");
  if (audit->joint.id != 0) {
    bind_push_joint(L, 1, audit->joint);
  } else if (audit->contact.id != 0) {
    bind_push_contact(L, 1, audit->contact);
  } else if (audit->body.id != 0) {
    bind_push_body(L, 1, audit->body);
  } else {
    lua_pushnil(L);
  }
  lua_setfield(L, at, "worst_owner");
}


// world:audit([table]) -> table
int bind_world_audit(lua_State *L) {
  WorldBox *box = bind_check_world(L);
  ImpAudit whole, step;
  use_table(L);
  bind_status(L, imp_world_audit(box->world, true, &whole));
  bind_status(L, imp_world_audit(box->world, false, &step));
  fill_audit(L, &whole);
  if (lua_getfield(L, 2, "step") != LUA_TTABLE) {
    lua_pop(L, 1);
    lua_createtable(L, 0, IMP_ENERGY_COUNT + 5);
    lua_pushvalue(L, -1);
    lua_setfield(L, 2, "step");
  }
  fill_audit(L, &step);
  lua_settop(L, 2);
  return 1;
}


// world:momentum() -> px, py, angular
int bind_world_momentum(lua_State *L) {
  ImpMomentum momentum = imp_world_momentum(bind_check_world(L)->world);
  lua_pushnumber(L, momentum.x);
  lua_pushnumber(L, momentum.y);
  lua_pushnumber(L, momentum.angular);
  return 3;
}


// world:energy() -> kinetic, potential, joint_work, contact_work
int bind_world_energy(lua_State *L) {
  ImpEnergy energy = imp_world_energy(bind_check_world(L)->world);
  lua_pushnumber(L, energy.kinetic);
  lua_pushnumber(L, energy.potential);
  lua_pushnumber(L, energy.joint_work);
  lua_pushnumber(L, energy.contact_work);
  return 4;
}


// world:mobility() -> mobility, { redundant coordinate, ... }, freedom, rank
int bind_world_mobility(lua_State *L) {
  WorldBox *box = bind_check_world(L);
  ImpMobility mobility;
  lua_settop(L, 1);
  bind_status(L, imp_world_mobility(box->world, &mobility));
  lua_pushinteger(L, mobility.mobility);
  lua_createtable(L, mobility.redundant, 0);
  for (int i = 0; i < mobility.redundant; i++) {
    ImpCoordinate coordinate;
    bind_status(L, imp_world_redundant(box->world, i, &coordinate));
    bind_push_joint(L, 1, coordinate.joint);
    bind_push_coordinate(L, -1, coordinate.index);
    lua_rawseti(L, 3, i + 1);
    lua_settop(L, 3);
  }
  lua_pushinteger(L, mobility.freedom);
  lua_pushinteger(L, mobility.rank);
  return 4;
}


static void put_number(lua_State *L, const char *key, lua_Number value) {
  lua_pushnumber(L, value);
  lua_setfield(L, -2, key);
}


// world:weak_locks() -> { { lock, left, amplification, angle, way, joints }, ... }
int bind_world_weak_locks(lua_State *L) {
  WorldBox *box = bind_check_world(L);
  ImpMobility mobility;
  lua_settop(L, 1);
  bind_status(L, imp_world_mobility(box->world, &mobility));
  lua_createtable(L, mobility.weak, 0);
  for (int i = 0; i < mobility.weak; i++) {
    ImpWeakLock weak;
    bind_status(L, imp_world_weak_lock(box->world, i, &weak));
    lua_createtable(L, 0, 6);
    bind_push_joint(L, 1, weak.lock.joint);
    bind_push_coordinate(L, -1, weak.lock.index);
    lua_remove(L, -2);
    lua_setfield(L, -2, "lock");
    put_number(L, "left", weak.left);
    put_number(L, "amplification", weak.amplification);
    put_number(L, "angle", weak.angle);
    put_number(L, "way", weak.way);
    lua_createtable(L, weak.joint_count, 0);
    for (int k = 0; k < weak.joint_count; k++) {
      bind_push_joint(L, 1, weak.joints[k]);
      lua_rawseti(L, -2, k + 1);
    }
    lua_setfield(L, -2, "joints");
    lua_rawseti(L, 2, i + 1);
  }
  return 1;
}


// Push the list of bodies whose velocities are the components of a null-space vector, in creation order: the dynamic
// bodies and the particles. Return its length.
static int push_dynamic_bodies(lua_State *L, ImpWorld *world) {
  int count = 0;
  lua_newtable(L);
  for (ImpBody body = imp_world_next_body(world, (ImpBody){0}); body.id != 0; body = imp_world_next_body(world, body)) {
    ImpBodyType type = IMP_BODY_STATIC;
    imp_body_type(world, body, &type);
    if (type != IMP_BODY_DYNAMIC && type != IMP_BODY_PARTICLE) continue;
    bind_push_body(L, 1, body);
    lua_rawseti(L, -2, ++count);
  }
  return count;
}


// world:nullspace() -> { { vx, vy, w, ... of each body }, ... }, { body, ... }
int bind_world_nullspace(lua_State *L) {
  WorldBox *box = bind_check_world(L);
  int vectors = 0, bodies = 0;
  lua_settop(L, 1);
  bind_status(L, imp_world_nullspace(box->world, NULL, 0, &vectors, &bodies));
  size_t numbers = 3 * (size_t)vectors * (size_t)bodies;
  if (numbers > INT32_MAX) {
    return bind_error(L, "world:nullspace: a basis of %d vectors is too large for a Lua table", vectors);
  }
  double *basis = lua_newuserdatauv(L, (numbers + 1) * sizeof *basis, 0);
  bind_status(L, imp_world_nullspace(box->world, basis, (int)numbers, &vectors, &bodies));
  lua_createtable(L, vectors, 0);
  for (int k = 0; k < vectors; k++) {
    lua_createtable(L, 3 * bodies, 0);
    for (int i = 0; i < 3 * bodies; i++) {
      lua_pushnumber(L, basis[(size_t)k * 3 * (size_t)bodies + (size_t)i]);
      lua_rawseti(L, -2, i + 1);
    }
    lua_rawseti(L, -2, k + 1);
  }
  if (push_dynamic_bodies(L, box->world) != bodies) {
    return bind_error(
        L, "world:nullspace: the list of bodies does not match the %d movable bodies of the core: please report this",
        bodies);
  }
  return 2;
}


// Push field `name` of a script module of impel, for the running method.
static void push_script(lua_State *L, const char *module, const char *name) {
  lua_getglobal(L, "require");
  lua_pushstring(L, module);
  if (lua_pcall(L, 1, 1, 0) != LUA_OK) {
    bind_error(L, "%s: the module of impel that implements it cannot be loaded: %s", bind_caller(L),
               luaL_tolstring(L, -1, NULL));
  }
  lua_getfield(L, -1, name);
}


// world:doctor() -> table. Implemented in scripts/impel/doctor.lua.
int bind_world_doctor(lua_State *L) {
  WorldBox *box = bind_check_world(L);
  lua_settop(L, 1);
  if (imp_world_is_stepping(box->world)) return bind_error(L, "world:doctor: called inside a step");
  push_script(L, "impel.doctor", "report");
  lua_pushvalue(L, 1);
  lua_call(L, 1, 1);
  return 1;
}


typedef struct ExportOptions {
  bool partial;
} ExportOptions;

static const Field export_fields[] = {
    {.name = "partial",
     .kind = FIELD_BOOLEAN,
     .offset = offsetof(ExportOptions, partial),
     .doc = "leave out objects and options that plain data cannot describe (constraints, custom fields, break_if) "
            "instead of raising an error; false by default"},
    {.name = NULL},
};
const Options bind_export_options = {.fields = export_fields, .scope = "world"};


// world:export([{ partial }]) -> table, list. Implemented in scripts/impel/data/export.lua, which returns the table, or
// nil and a message.
int bind_world_export(lua_State *L) {
  WorldBox *box = bind_check_world(L);
  ExportOptions o = {false};
  lua_settop(L, 2);
  if (!lua_isnil(L, 2)) bind_options(L, 2, bind_caller(L), &bind_export_options, &o);
  if (imp_world_is_stepping(box->world)) return bind_error(L, "world:export: called inside a step");
  push_script(L, "impel.data.export", "world");
  lua_pushvalue(L, 1);
  lua_pushboolean(L, o.partial);
  lua_call(L, 2, 2);
  if (lua_isnil(L, -2)) return bind_error(L, "world:export: %s", lua_tostring(L, -1));
  return 2;
}
