// Traces and traced values: arithmetic on a traced value adds a node to its tape.
// Nodes store values at the state of the call, for constant folding and checks.
// A node that equals one of the last LOOK_BACK nodes is not added.
#include <math.h>
#include <string.h>

#include "objects/trace.h"

enum { LOOK_BACK = 48 }; // number of recent nodes that are searched for an equal node

#define TRACE_NAME "impel.trace"


// ---------------------------------------------------------------------------------------------------------------------
// The trace
// ---------------------------------------------------------------------------------------------------------------------

Trace *bind_new_trace(lua_State *L, int body_count, int names, int row_capacity, int hidden) {
  names = lua_absindex(L, names);
  size_t bodies = (size_t)body_count, params = (size_t)lua_rawlen(L, names) + (size_t)hidden,
         rows = (size_t)row_capacity;
  size_t doubles = params + rows * 3 * bodies;
  size_t size = sizeof(Trace) + bodies * sizeof(TraceBody) + rows * sizeof(ImpUserRow) + doubles * sizeof(double) +
                params * sizeof(int32_t);
  Trace *trace = lua_newuserdatauv(L, size, 1);
  memset(trace, 0, size);
  trace->bodies = (TraceBody *)(trace + 1);
  trace->rows = (ImpUserRow *)(trace->bodies + bodies);
  trace->params = (double *)(trace->rows + rows);
  trace->rows_j = trace->params + params;
  trace->param_nodes = (int32_t *)(trace->params + doubles);
  trace->body_count = body_count;
  trace->param_count = (int32_t)params;
  trace->row_capacity = row_capacity;
  trace->hidden = hidden;
  trace->subject = "constraint";
  luaL_setmetatable(L, TRACE_NAME);
  lua_newtable(L);
  lua_pushvalue(L, -2);
  lua_rawseti(L, -2, POOL_TRACE);
  bind_new_views(L, trace, names);
  lua_setiuservalue(L, -2, 1);
  return trace;
}


// __gc of a trace: free the array of nodes.
static int trace_gc(lua_State *L) {
  Trace *trace = luaL_checkudata(L, 1, TRACE_NAME);
  void *user;
  lua_Alloc allocate = lua_getallocf(L, &user);
  if (trace->nodes) allocate(user, trace->nodes, (size_t)trace->node_capacity * sizeof(ImpNode), 0);
  trace->nodes = NULL;
  trace->node_capacity = trace->node_count = 0;
  trace->running = false;
  return 0;
}


static void grow(lua_State *L, Trace *trace) {
  if (trace->node_count >= TRACE_MAX_NODES) {
    bind_error(L, "a %s's function does more than %d operations", trace->subject, TRACE_MAX_NODES);
  }
  void *user;
  lua_Alloc allocate = lua_getallocf(L, &user);
  size_t old = (size_t)trace->node_capacity, more = old == 0 ? 64 : 2 * old;
  ImpNode *nodes = allocate(user, trace->nodes, old * sizeof(ImpNode), more * sizeof(ImpNode));
  if (!nodes) bind_error(L, "not enough memory");
  trace->nodes = nodes;
  trace->node_capacity = (int32_t)more;
}


void bind_trace_begin(Trace *trace, TraceMode mode) {
  trace->mode = mode;
  trace->run++;
  trace->node_count = 0;
  trace->result_count = 0;
  trace->row_count = 0;
  trace->t_node = -1;
  for (int32_t i = 0; i < trace->param_count; i++) trace->param_nodes[i] = -1;
  for (int32_t i = 0; i < trace->body_count; i++) {
    for (int k = 0; k < TRACE_INPUTS; k++) trace->bodies[i].node[k] = -1;
  }
}


ImpStatus bind_trace_read(Trace *trace, const ImpWorld *world, const ImpBody *bodies) {
  for (int32_t i = 0; i < trace->body_count; i++) {
    ImpTransform pose;
    ImpVec2 center, velocity;
    double angle, angular_velocity;
    ImpStatus status = imp_body_transform(world, bodies[i], &pose);
    if (status == IMP_OK) status = imp_body_center(world, bodies[i], &center);
    if (status == IMP_OK) status = imp_body_velocity(world, bodies[i], &velocity);
    if (status == IMP_OK) status = imp_body_get(world, bodies[i], IMP_BODY_ANGLE, &angle);
    if (status == IMP_OK) status = imp_body_get(world, bodies[i], IMP_BODY_ANGULAR_VELOCITY, &angular_velocity);
    if (status != IMP_OK) return status;
    double *input = trace->bodies[i].input;
    input[IMP_OP_X - IMP_OP_X] = pose.p.x;
    input[IMP_OP_Y - IMP_OP_X] = pose.p.y;
    input[IMP_OP_ANGLE - IMP_OP_X] = angle;
    input[IMP_OP_COS - IMP_OP_X] = pose.q.c;
    input[IMP_OP_SIN - IMP_OP_X] = pose.q.s;
    input[IMP_OP_CENTER_X - IMP_OP_X] = center.x;
    input[IMP_OP_CENTER_Y - IMP_OP_X] = center.y;
    input[IMP_OP_VX - IMP_OP_X] = velocity.x;
    input[IMP_OP_VY - IMP_OP_X] = velocity.y;
    input[IMP_OP_ANGULAR_VELOCITY - IMP_OP_X] = angular_velocity;
  }
  return IMP_OK;
}


// ---------------------------------------------------------------------------------------------------------------------
// Operations
// ---------------------------------------------------------------------------------------------------------------------

// Apply an operation to numbers, with the same result as the core's tape.
static double apply(ImpOp op, double a, double b, double c) {
  switch (op) {
  case IMP_OP_ADD:
    return a + b;
  case IMP_OP_SUB:
    return a - b;
  case IMP_OP_MUL:
    return a * b;
  case IMP_OP_DIV:
    return a / b;
  case IMP_OP_NEG:
    return -a;
  case IMP_OP_POW:
    return imp_pow(a, b);
  case IMP_OP_SQRT:
    return sqrt(a);
  case IMP_OP_SINE:
    return imp_sin(a);
  case IMP_OP_COSINE:
    return imp_cos(a);
  case IMP_OP_ATAN2:
    return imp_atan2(a, b);
  case IMP_OP_EXP:
    return imp_exp(a);
  case IMP_OP_LOG:
    return imp_log(a);
  case IMP_OP_ABS:
    return fabs(a);
  case IMP_OP_MIN:
    return b < a ? b : a;
  case IMP_OP_MAX:
    return b > a ? b : a;
  case IMP_OP_WHERE:
    return a > 0 ? b : c;
  default:
    return 0; // the function input() sets the values of nodes that read an input
  }
}


static bool same_node(const ImpNode *m, const ImpNode *n) {
  return m->op == n->op && m->a == n->a && m->b == n->b && m->c == n->c &&
         memcmp(&m->value, &n->value, sizeof(double)) == 0;
}


// Return the index of a node that equals `node`: one of the last LOOK_BACK nodes, or `node` itself, which is then
// appended.
static int32_t add_node(lua_State *L, Trace *trace, ImpNode node) {
  int32_t first = trace->node_count > LOOK_BACK ? trace->node_count - LOOK_BACK : 0;
  for (int32_t i = trace->node_count - 1; i >= first; i--) {
    if (same_node(&trace->nodes[i], &node)) return i;
  }
  if (trace->node_count == trace->node_capacity) grow(L, trace);
  trace->nodes[trace->node_count] = node;
  return trace->node_count++;
}


int32_t bind_trace_node(lua_State *L, Trace *trace, Operand operand) {
  if (operand.node >= 0) return operand.node;
  return add_node(L, trace, (ImpNode){.op = IMP_OP_CONSTANT, .value = operand.value});
}


static bool is_plain(Operand x, double value) { return x.node < 0 && x.value == value; }


// If the operation can be replaced by an operand or a cheaper operation (x + 0 by x), set *out to the replacement and
// return true; otherwise return false.
static bool simplify(lua_State *L, Trace *trace, ImpOp op, Operand a, Operand b, Operand *out) {
  const ImpNode *node = a.node >= 0 ? &trace->nodes[a.node] : NULL;
  switch (op) {
  case IMP_OP_ADD:
    if (!is_plain(a, 0) && !is_plain(b, 0)) return false;
    *out = is_plain(a, 0) ? b : a;
    return true;
  case IMP_OP_SUB:
    *out = a;
    if (is_plain(a, 0)) *out = bind_trace_op(L, trace, IMP_OP_NEG, b, bind_plain(0), bind_plain(0));
    return is_plain(a, 0) || is_plain(b, 0);
  case IMP_OP_MUL:
    if (!is_plain(a, 1) && !is_plain(b, 1)) return false;
    *out = is_plain(a, 1) ? b : a;
    return true;
  case IMP_OP_DIV:
    *out = a;
    return is_plain(b, 1);
  case IMP_OP_POW: // x ^ 2 is a multiplication, as in Lua
    *out = a;
    if (is_plain(b, 2)) *out = bind_trace_op(L, trace, IMP_OP_MUL, a, a, bind_plain(0));
    return is_plain(b, 1) || is_plain(b, 2);
  case IMP_OP_SINE:
  case IMP_OP_COSINE: // the sine and cosine of a body's angle are inputs, because bodies store them
    if (!node || node->op != IMP_OP_ANGLE) return false;
    *out = bind_trace_input(L, trace, op == IMP_OP_SINE ? IMP_OP_SIN : IMP_OP_COS, node->a);
    return true;
  default:
    return false;
  }
}


Operand bind_trace_op(lua_State *L, Trace *trace, ImpOp op, Operand a, Operand b, Operand c) {
  static const int operands[] = {
      [IMP_OP_ADD] = 2,  [IMP_OP_SUB] = 2,  [IMP_OP_MUL] = 2,    [IMP_OP_DIV] = 2,   [IMP_OP_NEG] = 1, [IMP_OP_POW] = 2,
      [IMP_OP_SQRT] = 1, [IMP_OP_SINE] = 1, [IMP_OP_COSINE] = 1, [IMP_OP_ATAN2] = 2, [IMP_OP_EXP] = 1, [IMP_OP_LOG] = 1,
      [IMP_OP_ABS] = 1,  [IMP_OP_MIN] = 2,  [IMP_OP_MAX] = 2,    [IMP_OP_WHERE] = 3};
  BIND_COVERS(operands, IMP_OP_COUNT);
  double value = apply(op, a.value, b.value, c.value);
  if (!trace || (a.node < 0 && b.node < 0 && c.node < 0)) return bind_plain(value);
  Operand out;
  if (simplify(L, trace, op, a, b, &out)) return out;
  ImpNode node = {.op = op, .value = value};
  node.a = bind_trace_node(L, trace, a);
  if (operands[op] > 1) node.b = bind_trace_node(L, trace, b);
  if (operands[op] > 2) node.c = bind_trace_node(L, trace, c);
  return (Operand){value, add_node(L, trace, node)};
}


// Return the operand of an input. *cache: index of the input's node, or -1 before the first call, which adds the node
static Operand input(lua_State *L, Trace *trace, ImpOp op, int32_t a, double value, int32_t *cache) {
  if (trace->mode == TRACE_PLAIN) return bind_plain(value);
  if (*cache < 0) *cache = add_node(L, trace, (ImpNode){.op = op, .a = a, .value = value});
  return (Operand){value, *cache};
}


Operand bind_trace_input(lua_State *L, Trace *trace, ImpOp op, int32_t body) {
  TraceBody *b = &trace->bodies[body];
  return input(L, trace, op, body, b->input[op - IMP_OP_X], &b->node[op - IMP_OP_X]);
}


Operand bind_trace_param(lua_State *L, Trace *trace, int32_t index) {
  return input(L, trace, IMP_OP_PARAM, index, trace->params[index], &trace->param_nodes[index]);
}


Operand bind_trace_local(lua_State *L, Trace *trace, ImpOp op, int32_t body, ImpVec2 local, double value) {
  if (trace->mode == TRACE_PLAIN) return bind_plain(value);
  ImpNode node = {.op = op, .a = body, .value = value};
  node.b = bind_trace_node(L, trace, bind_plain(local.x));
  node.c = bind_trace_node(L, trace, bind_plain(local.y));
  return (Operand){value, add_node(L, trace, node)};
}


Operand bind_trace_time(lua_State *L, Trace *trace) {
  return input(L, trace, IMP_OP_TIME, 0, trace->t, &trace->t_node);
}


// ---------------------------------------------------------------------------------------------------------------------
// Traced values
// ---------------------------------------------------------------------------------------------------------------------

void bind_trace_push(lua_State *L, int holder, Trace *trace, Operand operand) {
  if (operand.node < 0) {
    lua_pushnumber(L, operand.value);
    return;
  }
  lua_getiuservalue(L, holder, 1);
  if (lua_rawgeti(L, -1, operand.node + 1) != LUA_TUSERDATA) {
    lua_pop(L, 1);
    Traced *traced = lua_newuserdatauv(L, sizeof *traced, 1);
    *traced = (Traced){.trace = trace, .run = 0, .node = operand.node};
    lua_pushvalue(L, -2);
    lua_setiuservalue(L, -2, 1);
    luaL_setmetatable(L, TRACED_NAME);
    lua_pushvalue(L, -1);
    lua_rawseti(L, -3, operand.node + 1);
  }
  ((Traced *)lua_touserdata(L, -1))->run = trace->run;
  lua_remove(L, -2);
}


// Raise unless a traced value belongs to the current call, and to the trace `other` if not null.
static void require(lua_State *L, const Traced *traced, const Trace *other) {
  const Trace *trace = traced->trace;
  if (!trace->running || traced->run != trace->run) {
    bind_error(L, "a traced value of an earlier call is used; it is valid only inside the call that created it");
  }
  if (other && other != trace) {
    bind_error(L, "a function uses a traced value that the function of another %s created", trace->subject);
  }
}


Operand bind_operand(lua_State *L, int index, const char *where, Trace **trace, int *holder) {
  if (lua_type(L, index) == LUA_TNUMBER) return bind_plain(lua_tonumber(L, index));
  const Traced *traced = bind_to_traced(L, index);
  if (!traced) {
    bind_error(L, "%s: a number or a traced value is expected, got %s", where, bind_got(L, index));
    return bind_plain(0);
  }
  require(L, traced, *trace);
  *trace = traced->trace;
  *holder = index;
  return (Operand){traced->trace->nodes[traced->node].value, traced->node};
}


int bind_not_traceable(lua_State *L, const Traced *traced, const char *what) {
  if (traced->trace->mode == TRACE_DYNAMIC) {
    return bind_error(L,
                      "%s cannot take a traced value: the solver needs its derivative (use functions of impel.math, or "
                      "impel.value(x) for the present number)",
                      what);
  }
  return bind_error(
      L,
      "%s needs a number, but got a traced value, which stands for numbers of later steps: a traced function is called "
      "only once (use impel.where(c, a, b), functions of impel.math, or dynamic = true)",
      what);
}


void bind_explain_traced(lua_State *L, int index) {
  index = lua_absindex(L, index);
  const char *text = lua_tostring(L, index);
  if (!text || !strstr(text, TRACED_NAME) || strstr(text, "impel.")) return;
  if (strstr(text, "of an earlier call") || strstr(text, "of another")) return;
  lua_pushfstring(L,
                  "%s (in a traced function use impel.where, and sin, cos, tan, atan2, exp, log, pow, sqrt, abs, "
                  "min, max of impel.math; floor, ceil, fmod, modf need dynamic = true and impel.value(x))",
                  text);
  lua_replace(L, index);
}


// a op b; upvalue 2 is the operation
static int binary(lua_State *L) {
  static const char *const symbols[IMP_OP_COUNT] = {
      [IMP_OP_ADD] = "'+'", [IMP_OP_SUB] = "'-'", [IMP_OP_MUL] = "'*'", [IMP_OP_DIV] = "'/'", [IMP_OP_POW] = "'^'"};
  ImpOp op = (ImpOp)lua_tointeger(L, lua_upvalueindex(2));
  Trace *trace = NULL;
  int holder = 0;
  Operand a = bind_operand(L, 1, symbols[op], &trace, &holder);
  Operand b = bind_operand(L, 2, symbols[op], &trace, &holder);
  bool root = op == IMP_OP_POW && b.node < 0 && fabs(b.value) == 0.5;
  if (root) { // x ^ 0.5 is frequent, and a root takes a tenth of the time of a power
    Operand power = b;
    a = bind_trace_op(L, trace, IMP_OP_SQRT, a, bind_plain(0), bind_plain(0));
    if (power.value > 0) {
      bind_trace_push(L, holder, trace, a);
      return 1;
    }
    op = IMP_OP_DIV;
    b = a;
    a = bind_plain(1);
  }
  bind_trace_push(L, holder, trace, bind_trace_op(L, trace, op, a, b, bind_plain(0)));
  return 1;
}


// -a; Lua passes the operand twice
static int negative(lua_State *L) {
  Trace *trace = NULL;
  int holder = 0;
  Operand a = bind_operand(L, 1, "'-'", &trace, &holder);
  bind_trace_push(L, holder, trace, bind_trace_op(L, trace, IMP_OP_NEG, a, bind_plain(0), bind_plain(0)));
  return 1;
}


// a < b, a <= b, a == b; upvalue 2 is "<", "<=" or "=="
static int compare(lua_State *L) {
  const char *symbol = lua_tostring(L, lua_upvalueindex(2));
  Trace *trace = NULL;
  int holder = 0;
  if (*symbol == '=' && (!bind_to_traced(L, 1) || !bind_to_traced(L, 2))) {
    lua_pushboolean(L, false); // a traced value never equals a userdata of another type
    return 1;
  }
  Operand a = bind_operand(L, 1, "a comparison", &trace, &holder);
  Operand b = bind_operand(L, 2, "a comparison", &trace, &holder);
  if (trace->mode != TRACE_DYNAMIC) {
    return bind_error(L,
                      "a %s's function is traced, so it may not compare traced values by '%s' (use impel.where(c, a, "
                      "b), which returns a if c > 0, otherwise b; or impel.math.min, max, abs; or set dynamic = true)",
                      trace->subject, symbol);
  }
  lua_pushboolean(L, *symbol == '=' ? a.value == b.value : symbol[1] == '=' ? a.value <= b.value : a.value < b.value);
  return 1;
}


// An operator without a derivative; upvalue 2 is its name
static int refuse(lua_State *L) {
  const Traced *traced = bind_to_traced(L, 1);
  if (!traced) traced = bind_to_traced(L, 2);
  return bind_not_traceable(L, traced, lua_tostring(L, lua_upvalueindex(2)));
}


// tostring(x): the number that x stands for. Raises in mode TRACE_TAPE.
static int traced_tostring(lua_State *L) {
  const Traced *traced = bind_to_traced(L, 1);
  if (!traced) return bind_bad_self(L);
  const Trace *trace = traced->trace;
  if (trace->running && trace->run == traced->run && trace->mode != TRACE_DYNAMIC) {
    return bind_not_traceable(L, traced, "tostring");
  }
  if (trace->running && trace->run == traced->run) {
    lua_pushnumber(L, trace->nodes[traced->node].value);
    lua_tostring(L, -1);
    return 1;
  }
  lua_pushliteral(L, TRACED_NAME " of an earlier call");
  return 1;
}


// x.key, x[key]
static int traced_index(lua_State *L) {
  return bind_error(L, "a traced value stands for a number and has no field %s", bind_got(L, 2));
}


static void set_operator(lua_State *L, const char *event, lua_CFunction function, const char *text, ImpOp op) {
  lua_pushlightuserdata(L, (void *)(uintptr_t)lua_topointer(L, -1));
  if (text) {
    lua_pushstring(L, text);
  } else {
    lua_pushinteger(L, op);
  }
  lua_pushcclosure(L, function, 2);
  lua_setfield(L, -2, event);
}


void bind_register_trace(lua_State *L) {
  static const struct {
    const char *event;
    ImpOp op;
  } operators[] = {{"__add", IMP_OP_ADD},
                   {"__sub", IMP_OP_SUB},
                   {"__mul", IMP_OP_MUL},
                   {"__div", IMP_OP_DIV},
                   {"__pow", IMP_OP_POW}};
  static const char *const comparisons[][2] = {{"__lt", "<"}, {"__le", "<="}, {"__eq", "=="}};
  static const char *const refused[][2] = {{"__mod", "'%'"},  {"__idiv", "'//'"},  {"__band", "'&'"},
                                           {"__bor", "'|'"},  {"__bxor", "'~'"},   {"__bnot", "'~'"},
                                           {"__shl", "'<<'"}, {"__shr", "'>>'"},   {"__concat", "'..'"},
                                           {"__len", "'#'"},  {"__call", "a call"}};
  luaL_newmetatable(L, TRACED_NAME);
  for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
    set_operator(L, operators[i].event, binary, NULL, operators[i].op);
  }
  for (size_t i = 0; i < sizeof comparisons / sizeof *comparisons; i++) {
    set_operator(L, comparisons[i][0], compare, comparisons[i][1], IMP_OP_COUNT);
  }
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    set_operator(L, refused[i][0], refuse, refused[i][1], IMP_OP_COUNT);
  }
  set_operator(L, "__unm", negative, NULL, IMP_OP_NEG);
  set_operator(L, "__tostring", traced_tostring, NULL, IMP_OP_COUNT);
  set_operator(L, "__index", traced_index, NULL, IMP_OP_COUNT);
  set_operator(L, "__newindex", traced_index, NULL, IMP_OP_COUNT);
  lua_pushliteral(L, TRACED_NAME);
  lua_setfield(L, -2, "__metatable");
  luaL_newmetatable(L, TRACE_NAME);
  lua_pushcfunction(L, trace_gc);
  lua_setfield(L, -2, "__gc");
  lua_pop(L, 2);
}
