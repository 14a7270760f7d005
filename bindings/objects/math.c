// impel.core.math, impel.where and impel.value. For numbers, the results have the same bits on every machine; if Lua's
// math library returns an integer, so does impel.core.math. For traced values, the operations are recorded on a tape.
// Upvalue 1: address of the metatable of traced values.
#include <math.h>

#include "objects/trace.h"


// sin(x), cos(x), exp(x), log(x), sqrt(x); upvalue 2 is the operation
static int unary(lua_State *L) {
  ImpOp op = (ImpOp)lua_tointeger(L, lua_upvalueindex(2));
  const Traced *traced = bind_to_traced(L, 1);
  if (!traced) {
    Operand x = bind_plain(luaL_checknumber(L, 1));
    lua_pushnumber(L, bind_trace_op(L, NULL, op, x, x, x).value);
    return 1;
  }
  Trace *trace = NULL;
  int holder = 0;
  Operand x = bind_operand(L, 1, "impel.math", &trace, &holder);
  bind_trace_push(L, holder, trace, bind_trace_op(L, trace, op, x, bind_plain(0), bind_plain(0)));
  return 1;
}


// atan2(y, x), pow(x, y); upvalue 2 is the operation
static int binary(lua_State *L) {
  ImpOp op = (ImpOp)lua_tointeger(L, lua_upvalueindex(2));
  if (!bind_to_traced(L, 1) && !bind_to_traced(L, 2)) {
    Operand a = bind_plain(luaL_checknumber(L, 1)), b = bind_plain(luaL_checknumber(L, 2));
    lua_pushnumber(L, bind_trace_op(L, NULL, op, a, b, b).value);
    return 1;
  }
  Trace *trace = NULL;
  int holder = 0;
  Operand a = bind_operand(L, 1, op == IMP_OP_POW ? "impel.math.pow" : "impel.math.atan2", &trace, &holder);
  Operand b = bind_operand(L, 2, op == IMP_OP_POW ? "impel.math.pow" : "impel.math.atan2", &trace, &holder);
  bind_trace_push(L, holder, trace, bind_trace_op(L, trace, op, a, b, bind_plain(0)));
  return 1;
}


// min(x, ...), max(x, ...); upvalue 2 is the operation
static int extreme(lua_State *L) {
  ImpOp op = (ImpOp)lua_tointeger(L, lua_upvalueindex(2));
  int count = lua_gettop(L), best = 1;
  bool traced = false;
  luaL_argcheck(L, count > 0, 1, "number expected");
  for (int i = 1; i <= count && !traced; i++) traced = bind_to_traced(L, i) != NULL;
  if (!traced) {
    for (int i = 1; i <= count; i++) {
      luaL_checknumber(L, i);
      if (op == IMP_OP_MIN ? lua_compare(L, i, best, LUA_OPLT) : lua_compare(L, best, i, LUA_OPLT)) best = i;
    }
    lua_pushvalue(L, best);
    return 1;
  }
  const char *where = op == IMP_OP_MIN ? "impel.math.min" : "impel.math.max";
  Trace *trace = NULL;
  int holder = 0;
  Operand out = bind_operand(L, 1, where, &trace, &holder);
  for (int i = 2; i <= count; i++) {
    Operand next = bind_operand(L, i, where, &trace, &holder);
    out = bind_trace_op(L, trace, op, out, next, bind_plain(0));
  }
  bind_trace_push(L, holder, trace, out);
  return 1;
}


// abs(x)
static int absolute(lua_State *L) {
  if (bind_to_traced(L, 1)) return unary(L);
  if (lua_isinteger(L, 1)) {
    lua_Integer n = lua_tointeger(L, 1);
    lua_pushinteger(L, n < 0 ? (lua_Integer)(0u - (lua_Unsigned)n) : n);
  } else {
    lua_pushnumber(L, fabs(luaL_checknumber(L, 1)));
  }
  return 1;
}


// deg(x), rad(x); upvalue 2 is the factor
static int scale(lua_State *L) {
  Operand factor = bind_plain(lua_tonumber(L, lua_upvalueindex(2)));
  if (!bind_to_traced(L, 1)) {
    lua_pushnumber(L, luaL_checknumber(L, 1) * factor.value);
    return 1;
  }
  Trace *trace = NULL;
  int holder = 0;
  Operand x = bind_operand(L, 1, "impel.math", &trace, &holder);
  bind_trace_push(L, holder, trace, bind_trace_op(L, trace, IMP_OP_MUL, x, factor, bind_plain(0)));
  return 1;
}


// tointeger(x), as in Lua; raises for a traced value.
static int to_integer(lua_State *L) {
  const Traced *traced = bind_to_traced(L, 1);
  int is_integer;
  if (traced) return bind_not_traceable(L, traced, "impel.math.tointeger");
  lua_Integer n = lua_tointegerx(L, 1, &is_integer);
  if (is_integer) {
    lua_pushinteger(L, n);
  } else {
    luaL_checkany(L, 1);
    luaL_pushfail(L);
  }
  return 1;
}


// type(x), as in Lua
static int number_type(lua_State *L) {
  const Traced *traced = bind_to_traced(L, 1);
  if (traced) return bind_not_traceable(L, traced, "impel.math.type");
  luaL_checkany(L, 1);
  if (lua_type(L, 1) == LUA_TNUMBER) {
    lua_pushstring(L, lua_isinteger(L, 1) ? "integer" : "float");
  } else {
    luaL_pushfail(L);
  }
  return 1;
}


// impel.where(c, a, b): a where c is true or > 0, else b
int bind_where(lua_State *L) {
  Trace *trace = NULL;
  int holder = 0;
  Operand c = bind_plain(0);
  lua_settop(L, 3);
  if (lua_isboolean(L, 1)) {
    c = bind_plain(lua_toboolean(L, 1));
  } else if (lua_type(L, 1) == LUA_TNUMBER || bind_to_traced(L, 1)) {
    c = bind_operand(L, 1, "impel.where", &trace, &holder);
  } else {
    return bind_error(L, "impel.where: argument 'c' must be true, false, a number or a traced value, got %s",
                      bind_got(L, 1));
  }
  Operand a = bind_operand(L, 2, "impel.where: argument 'a'", &trace, &holder);
  Operand b = bind_operand(L, 3, "impel.where: argument 'b'", &trace, &holder);
  if (c.node < 0) {
    lua_pushvalue(L, c.value > 0 ? 2 : 3);
  } else {
    bind_trace_push(L, holder, trace, bind_trace_op(L, trace, IMP_OP_WHERE, c, a, b));
  }
  return 1;
}


// impel.value(x) -> number: x if x is a number; otherwise the present value of the traced value x. Raises for a traced
// value of a function without dynamic = true.
int bind_value(lua_State *L) {
  const Traced *traced = bind_to_traced(L, 1);
  Trace *trace = NULL;
  int holder = 0;
  Operand x = bind_operand(L, 1, "impel.value", &trace, &holder);
  if (traced && trace->mode != TRACE_DYNAMIC) return bind_not_traceable(L, traced, "impel.value");
  if (traced) {
    lua_pushnumber(L, x.value);
  } else {
    lua_pushvalue(L, 1);
  }
  return 1;
}


// Push the address of the metatable of traced values.
static void push_address(lua_State *L) {
  luaL_getmetatable(L, TRACED_NAME);
  lua_pushlightuserdata(L, (void *)(uintptr_t)lua_topointer(L, -1));
  lua_replace(L, -2);
}


void bind_push_math(lua_State *L) {
  static const struct {
    const char *name;
    lua_CFunction function;
    ImpOp op;
  } functions[] = {{"sin", unary, IMP_OP_SINE},  {"cos", unary, IMP_OP_COSINE},   {"exp", unary, IMP_OP_EXP},
                   {"log", unary, IMP_OP_LOG},   {"sqrt", unary, IMP_OP_SQRT},    {"abs", absolute, IMP_OP_ABS},
                   {"pow", binary, IMP_OP_POW},  {"atan2", binary, IMP_OP_ATAN2}, {"min", extreme, IMP_OP_MIN},
                   {"max", extreme, IMP_OP_MAX}, {"type", number_type, 0},        {"tointeger", to_integer, 0}};
  static const double pi = 3.14159265358979323846;
  const struct {
    const char *name;
    double factor;
  } scales[] = {{"deg", 180 / pi}, {"rad", pi / 180}};
  lua_newtable(L);
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    push_address(L);
    lua_pushinteger(L, functions[i].op);
    lua_pushcclosure(L, functions[i].function, 2);
    lua_setfield(L, -2, functions[i].name);
  }
  for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
    push_address(L);
    lua_pushnumber(L, scales[i].factor);
    lua_pushcclosure(L, scale, 2);
    lua_setfield(L, -2, scales[i].name);
  }
}


void bind_set_where(lua_State *L) {
  push_address(L);
  lua_pushcclosure(L, bind_where, 1);
  lua_setfield(L, -2, "where");
  push_address(L);
  lua_pushcclosure(L, bind_value, 1);
  lua_setfield(L, -2, "value");
}
