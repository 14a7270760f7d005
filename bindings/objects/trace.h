// Traced values stand for the numbers in constraint and field functions. A tape records operations on traced values.
//
// A Trace is the workspace of one function: the bodies' state, and the tape or the rows. The function's arguments are
// views. A field of a view is a traced value, a node of the tape; in mode TRACE_PLAIN it is a number. The files:
//   trace.c             traces, traced values and their operators
//   view.c              the function's arguments: bodies, parameters and `row`
//   math.c              impel.math, impel.where and impel.value
//   constraint_tape.c   the calls of a function at creation: checks and tape
//   constraint.c        world:constraint, joint.param, joint:retrace
//   constraint_call.c   the calls of a function in a step, if dynamic = true or the function writes rows
//   param.c             joint.param and field.param
//   field_call.c        functions of fields
#ifndef IMPEL_BINDINGS_TRACE_H
#define IMPEL_BINDINGS_TRACE_H

#include "base/class.h"

typedef enum TraceMode {
  TRACE_PLAIN,  ///< the function reads numbers from its arguments, the views of bodies and parameters
  TRACE_TAPE,   ///< the function reads traced values and cannot compare them
  TRACE_DYNAMIC ///< the function reads traced values and can compare them, so the tape is valid for one evaluation
} TraceMode;

enum {
  /// number of inputs per body, from IMP_OP_X to IMP_OP_ANGULAR_VELOCITY
  TRACE_INPUTS = IMP_OP_ANGULAR_VELOCITY - IMP_OP_X + 1,
  TRACE_MAX_NODES = 100000
};

/// A body's inputs in a trace.
typedef struct TraceBody {
  double input[TRACE_INPUTS]; ///< the body's state
  int32_t node[TRACE_INPUTS]; ///< node that reads the input, -1: none yet
} TraceBody;

/// An operand: a node of a tape and its value, or a plain number with node -1.
typedef struct Operand {
  double value;
  int32_t node;
} Operand;

/// Workspace of a function. Its user value is the pool: 0 -> the trace, node + 1 -> traced value, key < 0 -> view
typedef struct Trace {
  TraceMode mode;
  bool velocity; ///< the function (C_dot, rows or a law) can read velocities
  bool running;
  uint64_t run; ///< number of calls; traced values of an earlier call are stale
  TraceBody *bodies;
  double *params;
  int32_t *param_nodes;
  int32_t body_count, param_count;
  int32_t hidden; ///< number of parameters after the named ones: mass and inertia of a field's body
  double t;
  int32_t t_node;
  ImpNode *nodes; ///< nodes of the tape, with their values at the state of the call   (node_count)
  int32_t node_count, node_capacity;
  int32_t results[IMP_MAX_CONSTRAINT_ROWS];
  double result_values[IMP_MAX_CONSTRAINT_ROWS];
  int result_count;
  ImpUserRow *rows; ///< null if the function does not write rows
  double *rows_j;   ///< (row_capacity, 3 * body_count)
  int row_count, row_capacity;
  const char *subject; ///< owner of the function, for messages: "constraint", "field"
  const char *label;   ///< name that messages give the function: "C", "C_dot", "rows"
  const char *call;    ///< "world:constraint 'wire'" at creation, kept on the stack; null in a step
  int function;        ///< in a step: stack index of the function
  const WorldBox *box; ///< world of the joint or field
  ImpJoint joint;
  ImpField field; ///< the field, if the function is the law of a field
} Trace;

/// A traced value. Its user value is the pool of its trace.
typedef struct Traced {
  Trace *trace;
  uint64_t run;
  int32_t node;
} Traced;

#define TRACED_NAME "traced value"

/// Keys of a pool; the view of body k has POOL_BODIES - k.
enum { POOL_TRACE = 0, POOL_PARAM = -1, POOL_ROW = -2, POOL_BODIES = -3 };

/// Push a new trace with its views, the function's arguments.
/// names: stack index of the parameters, { name, ..., name = index }
/// row_capacity: largest number of rows, or 0
/// hidden: number of unnamed parameters at the end
Trace *bind_new_trace(lua_State *L, int body_count, int names, int row_capacity, int hidden);
/// Begin a call: clear the tape, the results and the rows.
void bind_trace_begin(Trace *trace, TraceMode mode);
/// Read the bodies' state from the world.
ImpStatus bind_trace_read(Trace *trace, const ImpWorld *world, const ImpBody *bodies);
/// Push the function's arguments (`row`, bodies, t, param); return their number.
int bind_trace_arguments(lua_State *L, int trace_index);
/// Create a trace's views (function arguments) in the pool, the table at the top of the stack.
void bind_new_views(lua_State *L, Trace *trace, int names);

/// Apply and record an operation; plain numbers give a plain number.
Operand bind_trace_op(lua_State *L, Trace *trace, ImpOp op, Operand a, Operand b, Operand c);
/// bind_trace_input reads an input of a body, bind_trace_param reads a parameter.
Operand bind_trace_input(lua_State *L, Trace *trace, ImpOp op, int32_t body);
Operand bind_trace_param(lua_State *L, Trace *trace, int32_t index);
/// Record the x or y coordinate of a point or vector with constant local coordinates.
/// `op`: IMP_OP_POINT_X, ...; `value`: the present coordinate
Operand bind_trace_local(lua_State *L, Trace *trace, ImpOp op, int32_t body, ImpVec2 local, double value);
Operand bind_trace_time(lua_State *L, Trace *trace);
/// Return the node of an operand; a plain number becomes a constant of the tape.
int32_t bind_trace_node(lua_State *L, Trace *trace, Operand operand);
/// Push the traced value of an operand, or its number. `holder`: index of an object with the pool
void bind_trace_push(lua_State *L, int holder, Trace *trace, Operand operand);

static inline Operand bind_plain(double value) { return (Operand){value, -1}; }

/// Return the traced value at the index, or null. Upvalue 1: address of its metatable
static inline Traced *bind_to_traced(lua_State *L, int index) {
  if (lua_type(L, index) != LUA_TUSERDATA || !lua_getmetatable(L, index)) return NULL;
  bool is = lua_topointer(L, -1) == lua_touserdata(L, lua_upvalueindex(1));
  lua_pop(L, 1);
  return is ? lua_touserdata(L, index) : NULL;
}

/// Return the operand at the index, or raise. `where`: name that messages give the function
/// *trace: trace of the traced values read so far, or null
Operand bind_operand(lua_State *L, int index, const char *where, Trace **trace, int *holder);
/// Raise an error: the operation `what` needs a plain number and got a traced value.
int bind_not_traceable(lua_State *L, const Traced *traced, const char *what);
/// If the error message at the index is about a traced value and contains no advice, append advice.
void bind_explain_traced(lua_State *L, int index);

/// Raise for an unknown parameter. `names`: index of the parameters; `subject`: their owner.
int bind_unknown_param(lua_State *L, int key, int names, const char *subject);
/// Read field 'param'. Push { name, ..., name = index } and a userdata with the values.
void bind_push_params(lua_State *L, int table, const char *call, const double **out_values, int *out_count);
/// Push joint.param or field.param; the caller writes the owner's id.
void bind_push_param(lua_State *L, int world, int names, bool field);
/// Push the name that messages give the function: "world:constraint 'wire': C", in a step "constraint 'wire': C".
const char *bind_trace_where(lua_State *L, const Trace *trace);
/// Raise "file:line: <where><message>". file:line is the caller of the method; in a step, the function's definition.
int bind_trace_error(lua_State *L, const Trace *trace, const char *format, ...);
/// Store the function's return values, from stack index `first` to the top, as the results of the trace.
void bind_trace_results(lua_State *L, Trace *trace, int first);
/// Return the tape that computes the results. It points into the trace, so it is valid until the next bind_trace_begin.
ImpTapeDef bind_trace_tape(const Trace *trace);

typedef enum ConstraintKind {
  CONSTRAINT_TAPE,    ///< the function is traced once, at creation
  CONSTRAINT_DYNAMIC, ///< the function is traced in each evaluation
  CONSTRAINT_ROWS     ///< the function writes rows
} ConstraintKind;

/// Record of a constraint or field function. The key of a record in its table is the owner's id.
typedef struct Constraint {
  ConstraintKind kind;
  const char *subject; ///< "constraint", or "field": bodies[0] has id 0
  const char *label;
  bool velocity; ///< the function is C_dot or a law, which can read velocities
  int result_count;
  uint64_t failed; ///< epoch of the step in which the function raised; the function is not called again in this step
  int hidden;      ///< number of unnamed parameters: mass and inertia of a field's body
  int body_count;
  ImpBody bodies[];
} Constraint;

/// User values: the function; the parameter names { name, ..., name = index }; the trace for calls in steps, nil if
/// steps do not call the function; joint.param or field.param
enum { UV_FUNCTION = 1, UV_NAMES, UV_TRACE, UV_PARAM };

/// Push a new trace for the Constraint at index `record`, and read the present state of its bodies; a field's law gets
/// the state of an invented body. Messages begin with `call`.
/// Stack index 1: the world or one of its objects
Trace *bind_push_trace(lua_State *L, int record, int names, const char *call, int row_capacity);
/// Call the function outside a step; read its results or rows.
void bind_call_function(lua_State *L, int record, Trace *trace, int trace_index, TraceMode mode);
/// Push a trace with the function's tape; raise if the function branches or a result is non-finite.
Trace *bind_push_tape(lua_State *L, int record, int names, const char *call, const double *params);
/// Return the core's last error without the name of the constraint.
const char *bind_core_text(void);
/// bind_require_finite raises unless all results are finite, bind_require_count raises unless there are `count`
/// results.
void bind_require_finite(lua_State *L, const Trace *trace);
void bind_require_count(lua_State *L, const Trace *trace, int count);

/// Create the metatables, once per Lua state.
void bind_register_trace(lua_State *L);
void bind_register_views(lua_State *L);
/// Push the table of impel.core.math.
void bind_push_math(lua_State *L);
/// impel.where(c, a, b) and impel.value(x); bind_set_where adds both functions to the table at the top.
int bind_where(lua_State *L);
int bind_value(lua_State *L);
void bind_set_where(lua_State *L);

#endif
