// Arguments of constraint and field functions: views of bodies and parameters, and `row`
#include <math.h>
#include <string.h>

#include "base/names.h"
#include "objects/trace.h"

#define BODY_NAME "impel.body of a constraint"
#define PARAM_NAME "impel.param of a constraint"

typedef struct BodyView {
  Trace *trace;
  int32_t body;
} BodyView;

typedef struct ParamView {
  Trace *trace;
} ParamView;

enum { UPVALUE_TRACED = 1, UPVALUE_VIEW, UPVALUE_LOOKUP };

// Fields of a body that are inputs; null: scripts use a method
static const char *const inputs[TRACE_INPUTS] = {
    [IMP_OP_X - IMP_OP_X] = "x",         [IMP_OP_Y - IMP_OP_X] = "y",
    [IMP_OP_ANGLE - IMP_OP_X] = "angle", [IMP_OP_VX - IMP_OP_X] = "vx",
    [IMP_OP_VY - IMP_OP_X] = "vy",       [IMP_OP_ANGULAR_VELOCITY - IMP_OP_X] = "angular_velocity",
};

// Members that only the body argument of a field's law has. A trace stores their values as parameters after the named
// parameters.
static const char *const hidden_names[] = {"mass", "inertia"};

// Members of the class body that a body argument does not have, and what to write instead.
static const char *const foreign[][2] = {
    {"position", "p.x, p.y"},
    {"velocity", "p.vx, p.vy"},
    {"world_point", "p:point(lx, ly)"},
    {"world_vector", "p:vector(lx, ly)"},
    {"omega", "p.angular_velocity"},
    {"w", "p.angular_velocity"},
    {"rotation", "p.angle"},
    {"theta", "p.angle"},
};


const char *bind_trace_where(lua_State *L, const Trace *trace) {
  const char *name = NULL;
  double id = 0;
  if (trace->call) return lua_pushfstring(L, "%s: %s", trace->call, trace->label);
  if (trace->field.id != 0) {
    if (imp_field_name(trace->box->world, trace->field, &name) == IMP_OK && name) {
      return lua_pushfstring(L, "field '%s': %s", name, trace->label);
    }
    imp_field_get(trace->box->world, trace->field, IMP_FIELD_ID, &id);
    return lua_pushfstring(L, "field %I: %s", (LUAI_UACINT)id, trace->label);
  }
  if (imp_joint_name(trace->box->world, trace->joint, &name) == IMP_OK && name) {
    return lua_pushfstring(L, "constraint '%s': %s", name, trace->label);
  }
  imp_joint_get(trace->box->world, trace->joint, IMP_JOINT_ID, &id);
  return lua_pushfstring(L, "constraint %I: %s", (LUAI_UACINT)id, trace->label);
}


// ---------------------------------------------------------------------------------------------------------------------
// Bodies
// ---------------------------------------------------------------------------------------------------------------------

static BodyView *check_body(lua_State *L) {
  if (!lua_getmetatable(L, 1) || lua_topointer(L, -1) != lua_touserdata(L, lua_upvalueindex(UPVALUE_VIEW))) {
    bind_error(L, "a body of a constraint is expected before the ':', got %s", bind_got(L, 1));
  }
  lua_pop(L, 1);
  BodyView *view = lua_touserdata(L, 1);
  if (!view->trace->running) {
    bind_error(L, "a body that the function of a %s gets is valid only during the call of the function",
               view->trace->subject);
  }
  return view;
}


static int unknown_field(lua_State *L, const Trace *trace) {
  const char *subject = trace->subject;
  if (lua_type(L, 2) != LUA_TSTRING) {
    return bind_error(L, "a body of a %s has no field %s", subject, bind_got(L, 2));
  }
  const char *key = lua_tostring(L, 2);
  for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) {
    if (strcmp(foreign[i][0], key) != 0) continue;
    return bind_error(L, "unknown field '%s' on a body of a %s (use %s)", key, subject, foreign[i][1]);
  }
  static const char *const methods[] = {"point", "vector", "center"};
  Nearest nearest = {.word = key};
  for (int i = 0; i < TRACE_INPUTS; i++) {
    if (inputs[i]) bind_offer(&nearest, inputs[i]);
  }
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) bind_offer(&nearest, methods[i]);
  for (int i = 0; i < trace->hidden; i++) bind_offer(&nearest, hidden_names[i]);
  if (!nearest.best) {
    return bind_error(
        L, "unknown field '%s' on a body of a %s (it has x, y, angle, point(lx, ly), vector(lx, ly), center(), %s)",
        key, subject,
        trace->hidden > 0 ? "vx, vy, angular_velocity, mass, inertia"
                          : "and, in C_dot and rows only, vx, vy, angular_velocity");
  }
  return bind_error(L, "unknown field '%s' on a body of a %s (did you mean '%s'?)", key, subject, nearest.best);
}


// p.x p.y p.angle p.vx p.vy p.angular_velocity p.mass p.inertia p.point p.vector p.center
static int body_index(lua_State *L) {
  BodyView *view = check_body(L);
  lua_settop(L, 2);
  lua_pushvalue(L, 2);
  int type = lua_rawget(L, lua_upvalueindex(UPVALUE_LOOKUP));
  if (type == LUA_TFUNCTION) return 1;
  if (type != LUA_TNUMBER) return unknown_field(L, view->trace);
  int number = (int)lua_tointeger(L, -1);
  if (number < 0) {
    Trace *trace = view->trace;
    if (trace->hidden == 0) return unknown_field(L, trace);
    bind_trace_push(L, 1, trace, bind_trace_param(L, trace, trace->param_count - trace->hidden - 1 - number));
    return 1;
  }
  ImpOp op = (ImpOp)number;
  if (op >= IMP_OP_VX && !view->trace->velocity) {
    return bind_error(L,
                      "the function C cannot read field '%s' of a body: C depends on poses and time only (the "
                      "functions C_dot and rows can read velocities)",
                      lua_tostring(L, 2));
  }
  bind_trace_push(L, 1, view->trace, bind_trace_input(L, view->trace, op, view->body));
  return 1;
}


// p.key = value
static int body_newindex(lua_State *L) {
  const BodyView *view = luaL_checkudata(L, 1, BODY_NAME);
  return bind_error(L, "a body of a %s is read-only: field %s cannot be set", view->trace->subject, bind_got(L, 2));
}


// tostring(p)
static int body_tostring(lua_State *L) {
  const BodyView *view = luaL_checkudata(L, 1, BODY_NAME);
  lua_pushfstring(L, "body %d of a %s", view->body + 1, view->trace->subject);
  return 1;
}


static Operand times(lua_State *L, Trace *trace, Operand a, Operand b) {
  if (b.node < 0 && b.value == 0) return b;
  return bind_trace_op(L, trace, IMP_OP_MUL, a, b, bind_plain(0));
}


// Rotate the local vector lx, ly, which may be traced, by the body's angle.
static void turn(lua_State *L, const BodyView *view, Operand lx, Operand ly, Operand *x, Operand *y) {
  Trace *trace = view->trace;
  Operand c = bind_trace_input(L, trace, IMP_OP_COS, view->body),
          s = bind_trace_input(L, trace, IMP_OP_SIN, view->body);
  *x = bind_trace_op(L, trace, IMP_OP_SUB, times(L, trace, c, lx), times(L, trace, s, ly), bind_plain(0));
  *y = bind_trace_op(L, trace, IMP_OP_ADD, times(L, trace, s, lx), times(L, trace, c, ly), bind_plain(0));
}


// Push the world coordinates of a point (if `is_point`) or vector. Its local coordinates are at stack indices 2 and 3.
static int push_local(lua_State *L, const char *where, bool is_point) {
  const BodyView *view = check_body(L);
  Trace *trace = view->trace, *same = trace;
  const double *input = trace->bodies[view->body].input;
  int holder;
  lua_settop(L, 3);
  Operand lx = bind_operand(L, 2, where, &same, &holder), ly = bind_operand(L, 3, where, &same, &holder), x, y;
  if (lx.node < 0 && ly.node < 0 && (lx.value != 0 || ly.value != 0)) {
    ImpVec2 local = {lx.value, ly.value};
    double c = input[IMP_OP_COS - IMP_OP_X], s = input[IMP_OP_SIN - IMP_OP_X];
    double rx = c * local.x - s * local.y, ry = s * local.x + c * local.y;
    x = bind_trace_local(L, trace, is_point ? IMP_OP_POINT_X : IMP_OP_VECTOR_X, view->body, local,
                         is_point ? input[IMP_OP_X - IMP_OP_X] + rx : rx);
    y = bind_trace_local(L, trace, is_point ? IMP_OP_POINT_Y : IMP_OP_VECTOR_Y, view->body, local,
                         is_point ? input[IMP_OP_Y - IMP_OP_X] + ry : ry);
  } else {
    turn(L, view, lx, ly, &x, &y);
    if (is_point) {
      x = bind_trace_op(L, trace, IMP_OP_ADD, bind_trace_input(L, trace, IMP_OP_X, view->body), x, bind_plain(0));
      y = bind_trace_op(L, trace, IMP_OP_ADD, bind_trace_input(L, trace, IMP_OP_Y, view->body), y, bind_plain(0));
    }
  }
  bind_trace_push(L, 1, trace, x);
  bind_trace_push(L, 1, trace, y);
  return 2;
}


// p:vector(lx, ly) -> x, y
static int body_vector(lua_State *L) { return push_local(L, "p:vector", false); }


// p:point(lx, ly) -> x, y
static int body_point(lua_State *L) { return push_local(L, "p:point", true); }


// p:center() -> x, y
static int body_center(lua_State *L) {
  BodyView *view = check_body(L);
  bind_trace_push(L, 1, view->trace, bind_trace_input(L, view->trace, IMP_OP_CENTER_X, view->body));
  bind_trace_push(L, 1, view->trace, bind_trace_input(L, view->trace, IMP_OP_CENTER_Y, view->body));
  return 2;
}


// ---------------------------------------------------------------------------------------------------------------------
// Parameters
// ---------------------------------------------------------------------------------------------------------------------

// param.key; the view's second user value is the table of names
static int param_index(lua_State *L) {
  ParamView *view = luaL_checkudata(L, 1, PARAM_NAME);
  if (!view->trace->running) return bind_error(L, "param is valid only inside the call that it was passed to");
  lua_settop(L, 2);
  lua_getiuservalue(L, 1, 2);
  lua_pushvalue(L, 2);
  if (lua_type(L, 2) != LUA_TSTRING || lua_rawget(L, 3) != LUA_TNUMBER) {
    return bind_unknown_param(L, 2, 3, view->trace->subject);
  }
  Operand param = bind_trace_param(L, view->trace, (int32_t)lua_tointeger(L, -1) - 1);
  bind_trace_push(L, 1, view->trace, param);
  return 1;
}


// param.key = value
static int param_newindex(lua_State *L) {
  const ParamView *view = luaL_checkudata(L, 1, PARAM_NAME);
  const char *subject = view->trace->subject;
  return bind_error(L, "inside the function of a %s, 'param' is read-only (set %s.param.%s outside of the function)",
                    subject, subject, lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "name");
}


int bind_unknown_param(lua_State *L, int key, int names, const char *subject) {
  lua_Unsigned count = lua_rawlen(L, names);
  if (lua_type(L, key) != LUA_TSTRING) {
    return bind_error(L, "a %s has no param %s", subject, bind_got(L, key));
  }
  const char *word = lua_tostring(L, key);
  if (count == 0) {
    return bind_error(L, "unknown param '%s': the %s was made without option 'param'", word, subject);
  }
  Nearest nearest = {.word = word};
  for (lua_Unsigned i = 1; i <= count; i++) {
    lua_rawgeti(L, names, (lua_Integer)i);
    bind_offer(&nearest, lua_tostring(L, -1)); // `names` keeps the string alive
    lua_pop(L, 1);
  }
  if (!nearest.best) return bind_error(L, "unknown param '%s' of the %s", word, subject);
  return bind_error(L, "unknown param '%s' of the %s (did you mean '%s'?)", word, subject, nearest.best);
}


// ---------------------------------------------------------------------------------------------------------------------
// row { J = { { jx, jy, ja }, ... }, C, bias, lower, upper }
// ---------------------------------------------------------------------------------------------------------------------

static const char *const row_fields[] = {"C", "J", "bias", "lower", "upper"};


// Raise an error about the row. In a step the message begins with the function's name.
static int row_error(lua_State *L, const Trace *trace, const char *text) {
  const char *where = trace->call ? "" : lua_pushfstring(L, "%s: ", bind_trace_where(L, trace));
  return bind_error(L, "%srow %d: %s", where, trace->row_count + 1, text);
}


static void refuse_unknown(lua_State *L, const Trace *trace) {
  const char *worst = NULL;
  for (lua_pushnil(L); lua_next(L, 1); lua_pop(L, 1)) {
    if (lua_type(L, -2) != LUA_TSTRING) {
      lua_pushvalue(L, -2);
      row_error(L, trace, lua_pushfstring(L, "bad field [%s]", bind_got(L, -1)));
    }
    const char *key = lua_tostring(L, -2);
    bool known = false;
    for (size_t i = 0; i < sizeof row_fields / sizeof *row_fields; i++) known |= strcmp(row_fields[i], key) == 0;
    if (!known && (!worst || strcmp(key, worst) < 0)) worst = key;
  }
  if (!worst) return;
  Nearest nearest = {.word = worst};
  for (size_t i = 0; i < sizeof row_fields / sizeof *row_fields; i++) bind_offer(&nearest, row_fields[i]);
  if (!nearest.best)
    row_error(L, trace, lua_pushfstring(L, "bad field '%s' (a row has J, C, bias, lower, upper)", worst));
  row_error(L, trace, lua_pushfstring(L, "bad field '%s' (did you mean '%s'?)", worst, nearest.best));
}


// Read field `name` of the row; return false if it is nil. `infinite`: HUGE_VAL or -HUGE_VAL if the field may have this
// value, 0 if the field must be finite
static bool row_number(lua_State *L, const Trace *trace, const char *name, const char *unit, double infinite,
                       double *out) {
  lua_pushstring(L, name);
  if (lua_rawget(L, 1) == LUA_TNIL) {
    lua_pop(L, 1);
    return false;
  }
  double value = lua_tonumber(L, -1);
  if (lua_type(L, -1) != LUA_TNUMBER || !(isfinite(value) || (infinite != 0 && value == infinite))) {
    const char *got = bind_got(L, -1);
    row_error(L, trace,
              lua_pushfstring(L, "field '%s' must be a finite number%s%s, got %s", name,
                              infinite > 0   ? " or math.huge"
                              : infinite < 0 ? " or -math.huge"
                                             : "",
                              unit, got));
  }
  *out = value;
  lua_pop(L, 1);
  return true;
}


static void read_jacobian(lua_State *L, const Trace *trace, double *j) {
  lua_pushliteral(L, "J");
  if (lua_rawget(L, 1) != LUA_TTABLE || lua_rawlen(L, -1) != (lua_Unsigned)trace->body_count) {
    const char *got = lua_istable(L, -1) ? lua_pushfstring(L, "length %d", (int)lua_rawlen(L, -1)) : bind_got(L, -1);
    row_error(L, trace,
              lua_pushfstring(L, "field 'J' must be a list of one triple { jx, jy, ja } per body (length %d), got %s",
                              trace->body_count, got));
  }
  int list = lua_gettop(L);
  for (int i = 0; i < trace->body_count; i++) {
    if (lua_rawgeti(L, list, i + 1) != LUA_TTABLE || lua_rawlen(L, -1) != 3) {
      const char *got = lua_istable(L, -1) ? lua_pushfstring(L, "%d numbers", (int)lua_rawlen(L, -1)) : bind_got(L, -1);
      row_error(L, trace, lua_pushfstring(L, "field 'J' must have { jx, jy, ja } for body %d, got %s", i + 1, got));
    }
    for (int k = 0; k < 3; k++) {
      lua_rawgeti(L, list + 1, k + 1);
      j[3 * i + k] = lua_tonumber(L, -1);
      if (lua_type(L, -1) != LUA_TNUMBER || !isfinite(j[3 * i + k])) {
        const char *got = bind_got(L, -1);
        row_error(L, trace, lua_pushfstring(L, "field 'J' of body %d must be finite numbers, got %s", i + 1, got));
      }
      lua_pop(L, 1);
    }
    lua_settop(L, list);
  }
  lua_pop(L, 1);
}


// row { ... }; upvalue 1 is the trace
static int write_row(lua_State *L) {
  Trace *trace = lua_touserdata(L, lua_upvalueindex(1));
  if (!trace->running) return bind_error(L, "row is valid only inside the call that it was passed to");
  lua_settop(L, 1);
  if (!lua_istable(L, 1)) {
    const char *got = bind_got(L, 1);
    return row_error(L, trace, lua_pushfstring(L, "a table { J = ... } is expected, got %s", got));
  }
  if (trace->row_count >= trace->row_capacity) {
    return row_error(L, trace,
                     lua_pushfstring(L, "the constraint has at most %d rows (option max_rows)", trace->row_capacity));
  }
  refuse_unknown(L, trace);
  double *j = trace->rows_j + (ptrdiff_t)3 * trace->body_count * trace->row_count;
  ImpUserRow row = {.j = j, .lower = -HUGE_VAL, .upper = HUGE_VAL};
  read_jacobian(L, trace, j);
  row.has_c = row_number(L, trace, "C", "", 0, &row.c);
  row_number(L, trace, "bias", "", 0, &row.bias);
  row_number(L, trace, "lower", " [N, N m]", -HUGE_VAL, &row.lower);
  row_number(L, trace, "upper", " [N, N m]", HUGE_VAL, &row.upper);
  if (row.lower > row.upper) {
    lua_pushnumber(L, row.lower);
    lua_pushnumber(L, row.upper);
    return row_error(L, trace,
                     lua_pushfstring(L, "lower %s is above upper %s", lua_tostring(L, -2), lua_tostring(L, -1)));
  }
  trace->rows[trace->row_count++] = row;
  return 0;
}


// ---------------------------------------------------------------------------------------------------------------------
// Views of a trace
// ---------------------------------------------------------------------------------------------------------------------

void bind_new_views(lua_State *L, Trace *trace, int names) {
  int pool = lua_gettop(L);
  for (int i = 0; i < trace->body_count; i++) {
    BodyView *body = lua_newuserdatauv(L, sizeof *body, 1);
    *body = (BodyView){trace, i};
    lua_pushvalue(L, pool);
    lua_setiuservalue(L, -2, 1);
    luaL_setmetatable(L, BODY_NAME);
    lua_rawseti(L, pool, POOL_BODIES - i);
  }
  ParamView *param = lua_newuserdatauv(L, sizeof *param, 2);
  *param = (ParamView){trace};
  lua_pushvalue(L, pool);
  lua_setiuservalue(L, -2, 1);
  lua_pushvalue(L, names);
  lua_setiuservalue(L, -2, 2);
  luaL_setmetatable(L, PARAM_NAME);
  lua_rawseti(L, pool, POOL_PARAM);
  if (trace->row_capacity == 0) return;
  lua_rawgeti(L, pool, POOL_TRACE);
  lua_pushcclosure(L, write_row, 1);
  lua_rawseti(L, pool, POOL_ROW);
}


int bind_trace_arguments(lua_State *L, int trace_index) {
  trace_index = lua_absindex(L, trace_index);
  Trace *trace = lua_touserdata(L, trace_index);
  int top = lua_gettop(L);
  luaL_checkstack(L, trace->body_count + LUA_MINSTACK, NULL);
  lua_getiuservalue(L, trace_index, 1);
  if (trace->row_capacity > 0) lua_rawgeti(L, top + 1, POOL_ROW);
  for (int i = 0; i < trace->body_count; i++) lua_rawgeti(L, top + 1, POOL_BODIES - i);
  bind_trace_push(L, trace_index, trace, bind_trace_time(L, trace));
  lua_rawgeti(L, top + 1, POOL_PARAM);
  lua_remove(L, top + 1);
  return lua_gettop(L) - top;
}


// tostring(param)
static int param_tostring(lua_State *L) {
  lua_pushliteral(L, "param of a constraint");
  return 1;
}


static void lock_metatable(lua_State *L, const char *name) {
  lua_pushstring(L, name);
  lua_setfield(L, -2, "__metatable");
  lua_pop(L, 1);
}


static void push_body_function(lua_State *L, int view, lua_CFunction function) {
  luaL_getmetatable(L, TRACED_NAME);
  lua_pushlightuserdata(L, (void *)(uintptr_t)lua_topointer(L, -1));
  lua_replace(L, -2);
  lua_pushlightuserdata(L, (void *)(uintptr_t)lua_topointer(L, view));
  lua_pushcclosure(L, function, 2);
}


void bind_register_views(lua_State *L) {
  static const luaL_Reg methods[] = {{"point", body_point}, {"vector", body_vector}, {"center", body_center}};
  luaL_newmetatable(L, BODY_NAME);
  int view = lua_gettop(L);
  luaL_getmetatable(L, TRACED_NAME);
  lua_pushlightuserdata(L, (void *)(uintptr_t)lua_topointer(L, -1));
  lua_replace(L, -2);
  lua_pushlightuserdata(L, (void *)(uintptr_t)lua_topointer(L, view));
  lua_newtable(L);
  for (int i = 0; i < TRACE_INPUTS; i++) {
    if (!inputs[i]) continue;
    lua_pushinteger(L, IMP_OP_X + i);
    lua_setfield(L, -2, inputs[i]);
  }
  for (int i = 0; i < (int)(sizeof hidden_names / sizeof *hidden_names); i++) {
    lua_pushinteger(L, -1 - i);
    lua_setfield(L, -2, hidden_names[i]);
  }
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    push_body_function(L, view, methods[i].func);
    lua_setfield(L, -2, methods[i].name);
  }
  lua_pushcclosure(L, body_index, 3);
  lua_setfield(L, view, "__index");
  lua_pushcfunction(L, body_newindex);
  lua_setfield(L, view, "__newindex");
  lua_pushcfunction(L, body_tostring);
  lua_setfield(L, view, "__tostring");
  lock_metatable(L, "body of a constraint");
  luaL_newmetatable(L, PARAM_NAME);
  push_body_function(L, view, param_index); // gives param_index upvalue 1, which bind_to_traced needs
  lua_setfield(L, -2, "__index");
  lua_pushcfunction(L, param_newindex);
  lua_setfield(L, -2, "__newindex");
  lua_pushcfunction(L, param_tostring);
  lua_setfield(L, -2, "__tostring");
  lock_metatable(L, "param of a constraint");
}
