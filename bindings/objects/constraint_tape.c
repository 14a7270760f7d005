// Tracing of a constraint's function at its creation. Two traced calls must record the same tape, and calls with plain
// numbers must give its results. So a function that branches on the state fails.
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "objects/trace.h"

// Allowed difference between a result of the tape and the function's result with plain numbers, relative to the largest
// node value. Lua's x ^ y and imp_pow differ by an ulp or two.
#define TAPE_ERROR 1e-12


ImpTapeDef bind_trace_tape(const Trace *trace) {
  return (ImpTapeDef){.nodes = trace->nodes,
                      .node_count = trace->node_count,
                      .results = trace->results,
                      .result_count = trace->result_count,
                      .velocity = trace->velocity};
}


const char *bind_core_text(void) {
  const char *text = imp_last_error(), *end = strstr(text, "': ");
  return strncmp(text, "constraint '", 12) == 0 && end ? end + 3 : text;
}


int bind_trace_error(lua_State *L, const Trace *trace, const char *format, ...) {
  if (trace->call) {
    bind_push_position(L);
  } else {
    bind_push_definition(L, trace->function);
  }
  bind_trace_where(L, trace);
  va_list arguments;
  va_start(arguments, format);
  lua_pushvfstring(L, format, arguments);
  va_end(arguments);
  lua_concat(L, 3);
  return lua_error(L);
}


void bind_trace_results(lua_State *L, Trace *trace, int first) {
  int count = lua_gettop(L) - first + 1;
  if (count == 0) bind_trace_error(L, trace, " returned nothing: it must return a number for each constraint row");
  if (count > IMP_MAX_CONSTRAINT_ROWS) {
    bind_trace_error(L, trace, " returned %d results, at most %d are allowed", count, IMP_MAX_CONSTRAINT_ROWS);
  }
  for (int i = 0; i < count; i++) {
    Operand result = bind_plain(lua_tonumber(L, first + i));
    const Traced *traced = luaL_testudata(L, first + i, TRACED_NAME);
    if (traced && traced->trace == trace && traced->run == trace->run) {
      result = (Operand){trace->nodes[traced->node].value, traced->node};
    } else if (lua_type(L, first + i) != LUA_TNUMBER) {
      bind_trace_error(L, trace, ": result %d must be a number, got %s", i + 1,
                       traced ? "a traced value of another call" : bind_got(L, first + i));
    }
    trace->result_values[i] = result.value;
    if (trace->mode != TRACE_PLAIN) trace->results[i] = bind_trace_node(L, trace, result);
  }
  trace->result_count = count;
}


// Push a number for a message.
static const char *number(lua_State *L, double value) {
  lua_pushnumber(L, value);
  return lua_tostring(L, -1);
}


void bind_require_finite(lua_State *L, const Trace *trace) {
  for (int i = 0; i < trace->result_count; i++) {
    double value = trace->result_values[i];
    if (isfinite(value)) continue;
    bind_trace_error(L, trace, ": result %d is %s for the present poses and velocities of the bodies", i + 1,
                     number(L, value));
  }
}


void bind_require_count(lua_State *L, const Trace *trace, int count) {
  if (trace->result_count == count) return;
  bind_trace_error(L, trace, " returned %d result%s, but %d in an earlier call", trace->result_count,
                   trace->result_count == 1 ? "" : "s", count);
}


// Call the record's function with the values of a trace. Errors get the caller's line.
void bind_call_function(lua_State *L, int record, Trace *trace, int trace_index, TraceMode mode) {
  WorldBox *box = ((Handle *)lua_touserdata(L, 1))->box;
  int top = lua_gettop(L);
  bind_trace_begin(trace, mode);
  lua_getiuservalue(L, record, UV_FUNCTION);
  int count = bind_trace_arguments(L, trace_index);
  const char *outer = box->traced;
  box->tracing++;
  box->traced = trace->subject;
  trace->running = true;
  int status = lua_pcall(L, count, trace->row_capacity > 0 ? 0 : LUA_MULTRET, 0);
  trace->running = false;
  box->tracing--;
  box->traced = outer;
  if (status != LUA_OK) {
    if (lua_type(L, -1) != LUA_TSTRING) lua_error(L);
    bind_explain_traced(L, -1);
    bind_error(L, "%s: %s", bind_trace_where(L, trace), lua_tostring(L, -1));
  }
  if (trace->row_capacity == 0) bind_trace_results(L, trace, top + 1);
  lua_settop(L, top);
}


// Return what test `k` adds to the n-th number of the state: between -0.4 size and 0.6 size.
static double shift(int n, int k, double size) {
  double golden = 0.6180339887498949 * (n * (k + 1));
  return size * (golden - floor(golden) - 0.4);
}


// Change the state in the trace for test `k`: positions by up to 0.42 m, angles by up to 0.78 rad.
// Each body's centre of mass moves to its origin, as imp_tape_evaluate assumes.
static void disturb(Trace *trace, int k) {
  int n = 0;
  for (int i = 0; i < trace->body_count; i++) {
    double *input = trace->bodies[i].input;
    double x = input[IMP_OP_X - IMP_OP_X] + shift(++n, k, 0.7);
    double y = input[IMP_OP_Y - IMP_OP_X] + shift(++n, k, 0.7);
    double angle = input[IMP_OP_ANGLE - IMP_OP_X] + shift(++n, k, 1.3);
    input[IMP_OP_X - IMP_OP_X] = input[IMP_OP_CENTER_X - IMP_OP_X] = x;
    input[IMP_OP_Y - IMP_OP_X] = input[IMP_OP_CENTER_Y - IMP_OP_X] = y;
    input[IMP_OP_ANGLE - IMP_OP_X] = angle;
    input[IMP_OP_COS - IMP_OP_X] = imp_cos(angle);
    input[IMP_OP_SIN - IMP_OP_X] = imp_sin(angle);
    for (int v = IMP_OP_VX; v <= IMP_OP_ANGULAR_VELOCITY; v++) input[v - IMP_OP_X] += shift(++n, k, 1.1);
  }
  for (int i = 0; i < trace->param_count; i++) {
    trace->params[i] += shift(++n, k, 0.2 * (0.1 + fabs(trace->params[i])));
  }
  trace->t += 0.3;
}


// Push and return the values of all nodes of `tape` at the bodies' state in `state`.
static const double *push_values(lua_State *L, const Trace *tape, const Trace *state) {
  int bodies = state->body_count, count = tape->node_count;
  size_t doubles = (size_t)count + (size_t)bodies * 4;
  size_t size = (size_t)bodies * sizeof(ImpTransform) + doubles * sizeof(double) + (size_t)count * sizeof(int32_t);
  ImpTransform *poses = lua_newuserdatauv(L, size, 0);
  double *angles = (double *)(poses + bodies), *velocities = angles + bodies, *values = velocities + 3 * bodies;
  int32_t *results = (int32_t *)(values + count);
  for (int i = 0; i < bodies; i++) {
    const double *input = state->bodies[i].input;
    poses[i] = (ImpTransform){{input[IMP_OP_X - IMP_OP_X], input[IMP_OP_Y - IMP_OP_X]},
                              {input[IMP_OP_COS - IMP_OP_X], input[IMP_OP_SIN - IMP_OP_X]}};
    angles[i] = input[IMP_OP_ANGLE - IMP_OP_X];
    for (int k = 0; k < 3; k++) velocities[3 * i + k] = input[IMP_OP_VX - IMP_OP_X + k];
  }
  for (int32_t i = 0; i < count; i++) results[i] = i;
  ImpTapeDef def = bind_trace_tape(tape);
  def.results = results;
  def.result_count = count;
  if (imp_tape_evaluate(&def, poses, angles, velocities, bodies, state->params, state->param_count, state->t, values,
                        NULL) != IMP_OK) {
    bind_error(L, "%s: %s", bind_trace_where(L, tape), bind_core_text());
  }
  return values;
}


// Raise unless the tape's results agree with the results `plain`.
// values: values of the tape's nodes; if null, the values that `tape` stores
static void compare_values(lua_State *L, const Trace *tape, const double *values, const double *plain) {
  double scale = DBL_MIN;
  for (int i = 0; i < tape->node_count; i++) {
    double size = fabs(values ? values[i] : tape->nodes[i].value);
    if (isfinite(size) && size > scale) scale = size;
  }
  for (int i = 0; i < tape->result_count; i++) {
    double traced = values ? values[tape->results[i]] : tape->result_values[i];
    bool same = traced == plain[i] || (isnan(traced) && isnan(plain[i]));
    if (same || fabs(traced - plain[i]) <= TAPE_ERROR * scale) continue;
    bind_error(L,
               "%s: result %d is %s by the traced operations, but %s with plain numbers: the function branches on the "
               "state (use impel.where(c, a, b) or impel.math.min, max, abs; or set dynamic = true)",
               bind_trace_where(L, tape), i + 1, number(L, traced), number(L, plain[i]));
  }
}


static bool same_tape(const Trace *a, const Trace *b) {
  bool same = a->node_count == b->node_count;
  for (int i = 0; same && i < a->node_count; i++) {
    const ImpNode *m = &a->nodes[i], *n = &b->nodes[i];
    same = m->op == n->op && m->a == n->a && m->b == n->b && m->c == n->c &&
           memcmp(&m->value, &n->value, sizeof(double)) == 0;
  }
  for (int i = 0; same && i < a->result_count; i++) same = a->results[i] == b->results[i];
  return same;
}


static void compare_tapes(lua_State *L, const Trace *a, const Trace *b) {
  if (same_tape(a, b)) return;
  int worst = 0;
  for (int i = a->result_count - 1; i >= 0; i--) {
    if (a->result_values[i] != b->result_values[i]) worst = i;
  }
  bind_error(L,
             "%s did not perform the same operations when it was called again: result %d was %s, then %s (a function "
             "whose operations change needs dynamic = true)",
             bind_trace_where(L, a), worst + 1, number(L, a->result_values[worst]), number(L, b->result_values[worst]));
}


// Set the state of an artificial body, for which a field's law is traced. Few numbers of the state are 0 or equal.
static void imagine_body(Trace *trace) {
  static const double numbers[] = {1.3, 0.7, 0.4, 0, 0, 1.3, 0.7, 0.9, -0.6, 0.5};
  _Static_assert(sizeof numbers / sizeof *numbers == TRACE_INPUTS, "a number for each input");
  double *input = trace->bodies[0].input;
  memcpy(input, numbers, sizeof numbers);
  input[IMP_OP_COS - IMP_OP_X] = imp_cos(input[IMP_OP_ANGLE - IMP_OP_X]);
  input[IMP_OP_SIN - IMP_OP_X] = imp_sin(input[IMP_OP_ANGLE - IMP_OP_X]);
  for (int i = 0; i < trace->hidden; i++) trace->params[trace->param_count - trace->hidden + i] = 1.7 - i;
}


// Push a new trace, the workspace of a constraint or field function, with the bodies' present state.
Trace *bind_push_trace(lua_State *L, int record, int names, const char *call, int row_capacity) {
  WorldBox *box = ((Handle *)lua_touserdata(L, 1))->box;
  const Constraint *constraint = lua_touserdata(L, record);
  Trace *trace = bind_new_trace(L, constraint->body_count, names, row_capacity, constraint->hidden);
  trace->subject = constraint->subject;
  trace->velocity = constraint->velocity || row_capacity > 0;
  trace->label = constraint->label;
  trace->call = call;
  trace->box = box;
  // a force field has no list of bodies, so its law is traced for an artificial body
  if (constraint->bodies[0].id == 0) {
    imagine_body(trace);
  } else if (bind_trace_read(trace, box->world, constraint->bodies) != IMP_OK) {
    bind_error(L, "%s: %s", call, bind_core_text());
  }
  if (imp_world_get(box->world, IMP_WORLD_TIME, &trace->t) != IMP_OK) {
    bind_error(L, "%s: %s", call, bind_core_text());
  }
  return trace;
}


Trace *bind_push_tape(lua_State *L, int record, int names, const char *call, const double *params) {
  Trace *tape = bind_push_trace(L, record, names, call, 0);
  int tape_index = lua_gettop(L);
  Trace *other = bind_push_trace(L, record, names, call, 0);
  int other_index = lua_gettop(L);
  for (int i = 0; i < tape->param_count - tape->hidden; i++) tape->params[i] = other->params[i] = params[i];
  bind_call_function(L, record, tape, tape_index, TRACE_TAPE);
  // a field's law may be non-finite here, because the law was called for an artificial body
  if (tape->hidden == 0) bind_require_finite(L, tape);
  bind_call_function(L, record, other, other_index, TRACE_TAPE);
  bind_require_count(L, other, tape->result_count);
  compare_tapes(L, tape, other);
  for (int k = 0; k <= 2; k++) {
    if (k > 0) disturb(other, k);
    bind_call_function(L, record, other, other_index, TRACE_PLAIN);
    bind_require_count(L, other, tape->result_count);
    compare_values(L, tape, k > 0 ? push_values(L, tape, other) : NULL, other->result_values);
    lua_settop(L, other_index);
  }
  lua_settop(L, tape_index);
  return tape;
}
