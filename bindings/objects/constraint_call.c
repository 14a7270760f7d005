// Call of a constraint's function in each step, if it has dynamic = true or rows.
#include <math.h>

#include "base/world_table.h"
#include "objects/constraint.h"
#include "objects/trace.h"


// Copy the bodies' state into the trace; return false if a body was destroyed.
static bool read_state(lua_State *L, Trace *trace, const Constraint *record, ImpWorld *world) {
  ImpStatus status = bind_trace_read(trace, world, record->bodies);
  if (status == IMP_ERR_HANDLE) return false;
  for (int i = 0; i < trace->param_count && status == IMP_OK; i++) {
    status = imp_constraint_param(world, trace->joint, i, &trace->params[i]);
  }
  if (status != IMP_OK) bind_trace_error(L, trace, ": %s", bind_core_text());
  return true;
}


static ImpStatus hand_over(lua_State *L, Trace *trace, const Constraint *record, ImpWorld *world, int first) {
  if (record->kind == CONSTRAINT_ROWS) {
    return imp_constraint_set_rows(world, trace->joint, trace->rows, trace->row_count);
  }
  bind_trace_results(L, trace, first);
  bind_require_count(L, trace, record->result_count);
  bind_require_finite(L, trace);
  ImpTapeDef tape = bind_trace_tape(trace);
  return imp_constraint_set_tape(world, trace->joint, &tape);
}


// Arguments: (world, joint id, t), under lua_pcall. After an error the constraint keeps its previous rows, and the
// function is not called again in this step.
int bind_constraint_evaluate(lua_State *L) {
  WorldBox *box = lua_touserdata(L, 1);
  ImpJoint joint = {bind_handle(L, 1, 2)};
  if (!imp_joint_is_valid(box->world, joint)) return 0; // the joint was destroyed in this step
  bind_world_table(L, 1, SLOT_CONSTRAINTS);
  if (lua_rawgeti(L, -1, bind_key(joint.id)) != LUA_TUSERDATA) {
    double id = 0;
    imp_joint_get(box->world, joint, IMP_JOINT_ID, &id);
    return bind_error(
        L, "constraint %I: its function is not in this world, which was restored from another world's snapshot",
        (LUAI_UACINT)id);
  }
  int record_index = lua_gettop(L);
  Constraint *record = lua_touserdata(L, record_index);
  if (record->failed == box->epoch) return 0;
  lua_getiuservalue(L, record_index, UV_TRACE);
  int trace_index = lua_gettop(L);
  Trace *trace = lua_touserdata(L, trace_index);
  trace->call = NULL;
  trace->joint = joint;
  trace->t = lua_tonumber(L, 3);
  lua_getiuservalue(L, record_index, UV_FUNCTION);
  trace->function = lua_gettop(L);
  if (!read_state(L, trace, record, box->world)) return 0;
  record->failed = box->epoch;
  bind_trace_begin(trace, record->kind == CONSTRAINT_ROWS ? TRACE_PLAIN : TRACE_DYNAMIC);
  lua_pushvalue(L, trace->function);
  int count = bind_trace_arguments(L, trace_index);
  box->trace = trace;
  trace->running = true;
  lua_call(L, count, record->kind == CONSTRAINT_ROWS ? 0 : LUA_MULTRET);
  trace->running = false;
  if (!imp_joint_is_valid(box->world, joint)) return 0; // the constraint's function has destroyed the joint
  if (hand_over(L, trace, record, box->world, trace->function + 1) != IMP_OK) {
    return bind_trace_error(L, trace, ": %s", bind_core_text());
  }
  record->failed = 0;
  return 0;
}


void bind_constraint_failed(WorldBox *box) {
  if (box->trace) box->trace->running = false;
}
