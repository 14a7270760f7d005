// Custom fields: the law of a field is a function of a body, traced at creation.
// With dynamic = true each substep calls the law for each body.
#include <math.h>

#include "base/world_table.h"
#include "objects/field.h"
#include "objects/trace.h"

// The record of a law is a Constraint. Table SLOT_LAWS stores the record under the field's id.
enum { HIDDEN = 2 }; // number of unnamed parameters: mass and inertia of the body


static void require_force(lua_State *L, const Trace *trace) {
  if (trace->result_count == 2 || trace->result_count == 3) return;
  bind_trace_error(L, trace,
                   " returned %d result%s: it must return fx, fy [N], and may return a torque [N m] after them",
                   trace->result_count, trace->result_count == 1 ? "" : "s");
}


// Raise if a result is a non-finite constant.
static void require_sense(lua_State *L, const Trace *trace) {
  for (int i = 0; i < trace->result_count; i++) {
    double value = trace->result_values[i];
    if (isfinite(value) || trace->nodes[trace->results[i]].op != IMP_OP_CONSTANT) continue;
    const char *got = isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
    bind_trace_error(L, trace, ": result %d must be a finite number, but is %s whatever the state of the body", i + 1,
                     got);
  }
}


// Push the record of the field's law, or raise.
static Constraint *push_record(lua_State *L, int field, const char *where) {
  const Handle *self = lua_touserdata(L, field);
  bind_world_table(L, field, SLOT_LAWS);
  if (lua_rawgeti(L, -1, bind_key(self->id)) != LUA_TUSERDATA) {
    bind_error(L, "%s: only a custom field has a law (world:field { kind = 'custom', law = function ... })", where);
  }
  lua_replace(L, -2);
  return lua_touserdata(L, -1);
}


void bind_read_law(lua_State *L, const char *call, ImpFieldDef *def) {
  lua_pushliteral(L, "law");
  if (lua_rawget(L, 2) != LUA_TFUNCTION) {
    bind_error(L, "%s: field 'law' must be a function(b, t, param) -> fx, fy[, torque], got %s", call, bind_got(L, -1));
  }
  int function = lua_gettop(L);
  bind_push_params(L, 2, call, &def->params, &def->param_count);
  int names = function + 1;
  Constraint *record = lua_newuserdatauv(L, sizeof *record + sizeof(ImpBody), 4);
  int index = lua_gettop(L);
  *record = (Constraint){.kind = def->dynamic ? CONSTRAINT_DYNAMIC : CONSTRAINT_TAPE,
                         .subject = "field",
                         .label = "law",
                         .velocity = true,
                         .hidden = HIDDEN,
                         .body_count = 1};
  record->bodies[0] = (ImpBody){0};
  lua_pushvalue(L, function);
  lua_setiuservalue(L, index, UV_FUNCTION);
  lua_pushvalue(L, names);
  lua_setiuservalue(L, index, UV_NAMES);
  bind_push_param(L, 1, names, true);
  lua_setiuservalue(L, index, UV_PARAM);
  Trace *trace =
      def->dynamic ? bind_push_trace(L, index, names, call, 0) : bind_push_tape(L, index, names, call, def->params);
  if (def->dynamic) {
    lua_setiuservalue(L, index, UV_TRACE);
  } else {
    require_force(L, trace);
    require_sense(L, trace);
    record->result_count = trace->result_count;
    def->tape = bind_trace_tape(trace); // points into the trace, which stays on the stack
    lua_insert(L, index);
  }
}


void bind_keep_law(lua_State *L, int record, ImpField field) {
  record = lua_absindex(L, record);
  lua_getiuservalue(L, record, UV_PARAM);
  ((Handle *)lua_touserdata(L, -1))->id = field.id;
  bind_world_table(L, 1, SLOT_LAWS);
  lua_pushvalue(L, record);
  lua_rawseti(L, -2, bind_key(field.id));
  lua_pop(L, 2);
}


int bind_get_field_param(lua_State *L, void *self) {
  (void)self;
  push_record(L, 1, "field.param");
  lua_getiuservalue(L, -1, UV_PARAM);
  return 1;
}


// field:retrace()
int bind_field_retrace(lua_State *L) {
  Handle *self = bind_check(L, &bind_field_class);
  lua_settop(L, 1);
  const char *call = bind_caller(L);
  ImpField field = {self->id};
  const Constraint *record = push_record(L, 1, call);
  int index = lua_gettop(L);
  if (record->kind != CONSTRAINT_TAPE) return 0;
  lua_getiuservalue(L, index, UV_NAMES);
  int count = (int)lua_rawlen(L, -1);
  double *params = lua_newuserdatauv(L, (size_t)(count + 1) * sizeof(double), 0);
  for (int i = 0; i < count; i++) imp_field_param(self->box->world, field, i, &params[i]);
  Trace *trace = bind_push_tape(L, index, index + 1, call, params);
  require_force(L, trace);
  require_sense(L, trace);
  ImpTapeDef tape = bind_trace_tape(trace);
  bind_status(L, imp_field_set_tape(self->box->world, field, &tape));
  return 0;
}


// Read the body's present state into the trace.
static void read_state(lua_State *L, Trace *trace, ImpWorld *world, ImpField field, ImpBody body) {
  int named = trace->param_count - HIDDEN;
  ImpStatus status = bind_trace_read(trace, world, &body);
  for (int i = 0; i < named && status == IMP_OK; i++) status = imp_field_param(world, field, i, &trace->params[i]);
  if (status == IMP_OK) status = imp_body_get(world, body, IMP_BODY_MASS, &trace->params[named]);
  if (status == IMP_OK) status = imp_body_get(world, body, IMP_BODY_INERTIA, &trace->params[named + 1]);
  if (status == IMP_OK) status = imp_world_get(world, IMP_WORLD_TIME, &trace->t);
  if (status != IMP_OK) bind_trace_error(L, trace, ": %s", imp_last_error());
}


static void apply(lua_State *L, const Trace *trace, ImpWorld *world, ImpBody body) {
  const double *f = trace->result_values;
  double torque = trace->result_count > 2 ? f[2] : 0;
  ImpStatus status = f[0] != 0 || f[1] != 0 ? imp_body_apply_force(world, body, (ImpVec2){f[0], f[1]}) : IMP_OK;
  if (status == IMP_OK && torque != 0) status = imp_body_apply_torque(world, body, torque);
  if (status != IMP_OK) bind_trace_error(L, trace, ": %s", imp_last_error());
}


// Arguments: (world, field id, body id), under lua_pcall. An error suspends the law in this step.
int bind_field_evaluate(lua_State *L) {
  WorldBox *box = lua_touserdata(L, 1);
  ImpField field = {bind_handle(L, 1, 2)};
  ImpBody body = {bind_handle(L, 1, 3)};
  bind_world_table(L, 1, SLOT_LAWS);
  if (lua_rawgeti(L, -1, bind_key(field.id)) != LUA_TUSERDATA) {
    double id = 0;
    imp_field_get(box->world, field, IMP_FIELD_ID, &id);
    return bind_error(L, "field %I: its law is not in this world, which was restored from another world's snapshot",
                      (LUAI_UACINT)id);
  }
  int index = lua_gettop(L);
  Constraint *record = lua_touserdata(L, index);
  if (record->failed == box->epoch) return 0;
  lua_getiuservalue(L, index, UV_TRACE);
  int trace_index = lua_gettop(L);
  Trace *trace = lua_touserdata(L, trace_index);
  trace->call = NULL;
  trace->field = field;
  lua_getiuservalue(L, index, UV_FUNCTION);
  trace->function = lua_gettop(L);
  record->failed = box->epoch;
  read_state(L, trace, box->world, field, body);
  bind_trace_begin(trace, TRACE_PLAIN);
  lua_pushvalue(L, trace->function);
  int count = bind_trace_arguments(L, trace_index);
  box->trace = trace;
  trace->running = true;
  lua_call(L, count, LUA_MULTRET);
  trace->running = false;
  // The law may have destroyed the field or the body.
  if (imp_field_is_valid(box->world, field) && imp_body_is_valid(box->world, body)) {
    bind_trace_results(L, trace, trace->function + 1);
    require_force(L, trace);
    bind_require_finite(L, trace);
    apply(L, trace, box->world, body);
  }
  record->failed = 0;
  return 0;
}


void bind_forget_field(lua_State *L, int owner, ImpField field) {
  static const int slots[] = {SLOT_FIELD_DATA, SLOT_LAWS};
  if (((Handle *)lua_touserdata(L, owner))->box->keeps) return;
  for (size_t i = 0; i < sizeof slots / sizeof *slots; i++) {
    bind_world_table(L, owner, slots[i]);
    lua_pushnil(L);
    lua_rawseti(L, -2, bind_key(field.id));
    lua_pop(L, 1);
  }
}
