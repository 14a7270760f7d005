// world:random: the seeded random generator of a world, with the arguments of math.random.
#include <math.h>

#include "base/world_table.h"
#include "objects/world.h"


// Return an unbiased integer in [0, span].
static uint64_t random_up_to(ImpWorld *world, uint64_t span) {
  uint64_t mask = span;
  for (int shift = 1; shift < 64; shift *= 2) mask |= mask >> shift;
  uint64_t bits = imp_world_random(world) & mask;
  while (bits > span) bits = imp_world_random(world) & mask;
  return bits;
}


static lua_Integer integer_argument(lua_State *L, int index, const char *name) {
  int is_integer;
  lua_Integer value = lua_tointegerx(L, index, &is_integer);
  if (lua_type(L, index) != LUA_TNUMBER || !is_integer) {
    bind_error(L, "world:random: argument '%s' must be an integer, got %s", name, bind_got(L, index));
  }
  return value;
}


// world:random([m [, n]]): a number in [0, 1), or an integer in 1..m or m..n; m = 0: an integer of 53 bits
int bind_world_random(lua_State *L) {
  WorldBox *box = bind_check_world(L);
  lua_Integer lower = 1, upper;
  if (lua_isnoneornil(L, 2)) {
    lua_pushnumber(L, (double)(imp_world_random(box->world) >> 11) * 0x1p-53);
    return 1;
  }
  upper = integer_argument(L, 2, "m");
  if (!lua_isnoneornil(L, 3)) {
    lower = upper;
    upper = integer_argument(L, 3, "n");
  } else if (upper == 0) {
    lua_pushinteger(L, (lua_Integer)(imp_world_random(box->world) >> 11));
    return 1;
  }
  if (lower > upper) return bind_error(L, "world:random: the interval [%I, %I] is empty", lower, upper);
  lua_pushinteger(L, (lua_Integer)((uint64_t)lower + random_up_to(box->world, (uint64_t)upper - (uint64_t)lower)));
  return 1;
}
