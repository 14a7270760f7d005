// Traced values: what a constraint's or a field's function is called with, so that the operations it does become a tape.
//
// A Trace is one function's workplace: the bodies' state, the tape that is being written, or the rows. Its views stand
// for the bodies, the parameters and time. In TRACE_PLAIN they read as plain numbers, else as traced values: userdata
// that stand for a node of the tape. The parts:
//   trace.c             traces, traced values and their operators
//   view.c              bodies, parameters and `row` as the function sees them
//   math.c              impel.math, impel.where and impel.value on numbers and traced values alike
//   constraint_tape.c   the calls at creation: tracing twice, plain numbers at three states
//   constraint.c        world:constraint, joint.param, joint:retrace
//   constraint_call.c   the call in a step, of dynamic functions and rows
//   param.c             joint.param and field.param
//   field_call.c        functions of fields: the same calls at creation, and that in a step
#ifndef IMPEL_BINDINGS_TRACE_H
#define IMPEL_BINDINGS_TRACE_H

#include "base/class.h"

typedef enum TraceMode {
  TRACE_PLAIN,  ///< views give numbers
  TRACE_TAPE,   ///< traced values, whose numbers are hidden: the function may not branch on them
  TRACE_DYNAMIC ///< traced values that can be compared: the tape is for this moment only
} TraceMode;

enum {
  TRACE_INPUTS = IMP_OP_ANGULAR_VELOCITY - IMP_OP_X + 1, ///< what a body gives, by ImpOp from IMP_OP_X on
  TRACE_MAX_NODES = 100000
};

/// A body as a trace sees it.
typedef struct TraceBody {
  double input[TRACE_INPUTS]; ///< its state
  int32_t node[TRACE_INPUTS]; ///< where the tape reads it, -1: not yet
} TraceBody;

/// A number on its way: a node of a tape, or a plain number with node -1.
typedef struct Operand {
  double value;
  int32_t node;
} Operand;

/// The workplace. Its user value is the pool: { [0] = the trace, node + 1 = its traced value, and the views }.
typedef struct Trace {
  TraceMode mode;
  bool velocity; ///< it traces C_dot, or it is for rows: velocities may be read
  bool running;
  uint64_t run; ///< calls so far; traced values of an earlier one are stale
  TraceBody *bodies;
  double *params;
  int32_t *param_nodes;
  int32_t body_count, param_count;
  int32_t hidden; ///< parameters behind those that have names: of a field the body's mass and inertia
  double t;
  int32_t t_node;
  ImpNode *nodes; ///< each with its value at the state of the call   (node_count)
  int32_t node_count, node_capacity;
  int32_t results[IMP_MAX_CONSTRAINT_ROWS];
  double result_values[IMP_MAX_CONSTRAINT_ROWS];
  int result_count;
  ImpUserRow *rows; ///< null: not for rows
  double *rows_j;   ///< (row_capacity, 3 * body_count)
  int row_count, row_capacity;
  const char *subject; ///< whose function it is, for messages: "constraint", "field"
  const char *label;   ///< what the function is called in messages: "C", "C_dot", "rows"
  const char *call;    ///< "world:constraint 'wire'" while that runs, on the stack; null in a step
  int function;        ///< in a step: where the function is on the stack
  const WorldBox *box; ///< whose constraint it is
  ImpJoint joint;
  ImpField field; ///< in the place of joint
} Trace;

/// A traced value. Its user value is the pool of its trace.
typedef struct Traced {
  Trace *trace;
  uint64_t run;
  int32_t node;
} Traced;

#define TRACED_NAME "traced value"

/// Slots of a pool beside those of the nodes; bodies are at POOL_BODIES - 0, - 1, ...
enum { POOL_TRACE = 0, POOL_PARAM = -1, POOL_ROW = -2, POOL_BODIES = -3 };

/// Push a new trace with its views; `names` is the stack index of the parameters' table { name, ..., name = place }.
/// `row_capacity` > 0: for rows; `hidden`: parameters without names behind those.
Trace *bind_new_trace(lua_State *L, int body_count, int names, int row_capacity, int hidden);
/// Begin a call: the tape, the results and the rows are empty again.
void bind_trace_begin(Trace *trace, TraceMode mode);
/// Read the bodies' state from the world, and the parameters.
ImpStatus bind_trace_read(Trace *trace, const ImpWorld *world, const ImpBody *bodies);
/// Push what the function is called with: `row` if it writes rows, the bodies, t and param; gives their number.
int bind_trace_arguments(lua_State *L, int trace_index);
/// Put the views of a new trace into its pool, which is at the top.
void bind_new_views(lua_State *L, Trace *trace, int names);

/// Add an operation on up to three operands; what is plain stays plain.
Operand bind_trace_op(lua_State *L, Trace *trace, ImpOp op, Operand a, Operand b, Operand c);
/// An input of a body, parameter `index`, time.
Operand bind_trace_input(lua_State *L, Trace *trace, ImpOp op, int32_t body);
Operand bind_trace_param(lua_State *L, Trace *trace, int32_t index);
/// A coordinate of a point or vector at plain local coordinates: IMP_OP_POINT_X and so on, with its value.
Operand bind_trace_local(lua_State *L, Trace *trace, ImpOp op, int32_t body, ImpVec2 local, double value);
Operand bind_trace_time(lua_State *L, Trace *trace);
/// The node of an operand; a plain number becomes a constant of the tape.
int32_t bind_trace_node(lua_State *L, Trace *trace, Operand operand);
/// Push a number, or the traced value of a node. The object at `holder` has the pool as its user value.
void bind_trace_push(lua_State *L, int holder, Trace *trace, Operand operand);

static inline Operand bind_plain(double value) { return (Operand){value, -1}; }

/// The value at the index if it is a traced one, else null. Upvalue 1 of the running function is the address of the
/// metatable of traced values.
static inline Traced *bind_to_traced(lua_State *L, int index) {
  if (lua_type(L, index) != LUA_TUSERDATA || !lua_getmetatable(L, index)) return NULL;
  bool is = lua_topointer(L, -1) == lua_touserdata(L, lua_upvalueindex(1));
  lua_pop(L, 1);
  return is ? lua_touserdata(L, index) : NULL;
}

/// The operand at the index; raises for other values than numbers and traced values that are good now. `where` names
/// the function in messages. *trace: that of the first traced value met so far, or null.
Operand bind_operand(lua_State *L, int index, const char *where, Trace **trace, int *holder);
/// Raise: the operation needs the number of a traced value. `what` says what was tried.
int bind_not_traceable(lua_State *L, const Traced *traced, const char *what);
/// Say what to do to a message about a traced value that does not say it; replaces the string at the index.
void bind_explain_traced(lua_State *L, int index);

/// Raise: no parameter has this name; `names` is the index of the parameters' table, `subject` whose they are.
int bind_unknown_param(lua_State *L, int key, int names, const char *subject);
/// Push the table of names { name, ..., name = place } of field 'param' of the table at an index, and a block with its values.
void bind_push_params(lua_State *L, int table, const char *call, const double **out_values, int *out_count);
/// Push the object joint.param or field.param; its owner's id is to be written into its Handle.
void bind_push_param(lua_State *L, int world, int names, bool field);
/// Push how messages call the function: "world:constraint 'wire': C", in a step "constraint 'wire': C".
const char *bind_trace_where(lua_State *L, const Trace *trace);
/// Raise "file:line: <where><message>": of the call at creation, in a step of where the function begins.
int bind_trace_error(lua_State *L, const Trace *trace, const char *format, ...);
/// Read what the function returned, from the stack index `first` to the top, as the results of the trace.
void bind_trace_results(lua_State *L, Trace *trace, int first);
/// The tape of the results, valid until the next call.
ImpTapeDef bind_trace_tape(const Trace *trace);

typedef enum ConstraintKind {
  CONSTRAINT_TAPE,    ///< traced once
  CONSTRAINT_DYNAMIC, ///< traced in each evaluation
  CONSTRAINT_ROWS     ///< the function writes rows
} ConstraintKind;

/// What a world's shelf keeps of a constraint, by joint id.
typedef struct Constraint {
  ConstraintKind kind;
  const char *subject; ///< "constraint", or "field": its body is none in particular
  const char *label;
  bool velocity; ///< its function is C_dot
  int result_count;
  uint64_t failed; ///< epoch of the step in which its function raised: it is not called again in that step
  int hidden;      ///< parameters without names
  int body_count;
  ImpBody bodies[];
} Constraint;

/// User values of a Constraint: its function, the table of its parameters' names { name, ..., name = place }, the trace
/// that it is called with in a step, or nil, and joint.param.
enum { UV_FUNCTION = 1, UV_NAMES, UV_TRACE, UV_PARAM };

/// Push a new trace for the record at an index, at the bodies' present state. `call` is named in messages; index 1 is
/// an object of the world.
Trace *bind_push_trace(lua_State *L, int record, int names, const char *call, int row_capacity);
/// Call the function of the record with a trace in a mode, outside a step, and read its results or rows.
void bind_call_function(lua_State *L, int record, Trace *trace, int trace_index, TraceMode mode);
/// Push a trace with the function's tape, checked: a function that branches or comes to no number raises.
Trace *bind_push_tape(lua_State *L, int record, int names, const char *call, const double *params);
/// The core's last error without the name of the constraint, which messages have before.
const char *bind_core_text(void);
/// Raise unless the results are finite, and as many as before.
void bind_require_finite(lua_State *L, const Trace *trace);
void bind_require_count(lua_State *L, const Trace *trace, int count);

/// Make the metatables, once a state.
void bind_register_trace(lua_State *L);
void bind_register_views(lua_State *L);
/// Push the table of impel.core.math.
void bind_push_math(lua_State *L);
/// impel.where(c, a, b) and impel.value(x); both, into the table at the top.
int bind_where(lua_State *L);
int bind_value(lua_State *L);
void bind_set_where(lua_State *L);

#endif
