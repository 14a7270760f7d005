// What is asked of a whole world: its energy and where it came from, how it can move.
#include "bindings.h"


static WorldBox *check_world(lua_State *L) {
  WorldBox *box = bind_self(L);
  bind_world_class.require(L, box, NULL);
  return box;
}


// world:energy() -> kinetic, potential, joint_work, contact_work
int bind_world_energy(lua_State *L) {
  ImpEnergy energy = imp_world_energy(check_world(L)->world);
  lua_pushnumber(L, energy.kinetic);
  lua_pushnumber(L, energy.potential);
  lua_pushnumber(L, energy.joint_work);
  lua_pushnumber(L, energy.contact_work);
  return 4;
}


// world:mobility() -> mobility, { redundant coordinate, ... }, freedom, rank
int bind_world_mobility(lua_State *L) {
  WorldBox *box = check_world(L);
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


// Push the list of the bodies that the null space is about: dynamic ones and particles, in creation order.
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
  WorldBox *box = check_world(L);
  int vectors = 0, bodies = 0;
  lua_settop(L, 1);
  bind_status(L, imp_world_nullspace(box->world, NULL, 0, &vectors, &bodies));
  size_t numbers = 3 * (size_t)vectors * (size_t)bodies;
  if (numbers > INT32_MAX) return bind_error(L, "world:nullspace: %d vectors are too many numbers", vectors);
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
    return bind_error(L, "world:nullspace: the core counts %d bodies that can move", bodies);
  }
  return 2;
}
