// world:constraint, joint.param and joint:retrace: a joint whose coordinates are a Lua function of the poses.
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/world_table.h"
#include "objects/body.h"
#include "objects/constraint.h"
#include "objects/drive.h"
#include "objects/joint.h"
#include "objects/trace.h"

typedef struct ConstraintOptions {
  ImpConstraintDef def;
  DriveOptions drive;
  double max_force; // NaN: not given
  int32_t max_rows; // 0: not given
  ImpBody bodies[IMP_MAX_CONSTRAINT_BODIES];
} ConstraintOptions;

#define AT(member) .offset = offsetof(ConstraintOptions, member)
#define DRIVE(key, options, text) \
  { .name = #key, .kind = FIELD_TABLE, AT(drive.key), .nested = &options, .doc = text }
static const Field constraint_fields[] = {
    {.name = "C",
     .kind = FIELD_ANY,
     .doc =
         "function(a, b, ..., t, param) -> number, ...: the constraint holds each result at 0, unless one of the "
         "options `limit`, `motor`, `servo`, `spring` and `force` is given. In that case the given options act on each "
         "result. a, b, ... stand for the bodies: a.x, a.y is the origin [m], a.angle the angle [rad], a:center() -> "
         "x, y the centre of mass; a:point(lx, ly) -> x, y converts a point from the body's frame to the world, and "
         "a:vector(lx, ly) -> x, y rotates a vector. t is the time [s]. The function is called only when the "
         "constraint is created. Its arguments are then traced values: the engine records what is computed with them, "
         "by + - * / ^, impel.math (without floor, ceil, fmod, modf) and impel.where(c, u, v), and repeats these "
         "operations in every step with the present numbers. A traced value cannot decide an `if`: < and <= raise an "
         "error, and == with a number is false; use impel.where, which gives u if c > 0, else v"},
    {.name = "C_dot",
     .kind = FIELD_ANY,
     .doc = "a velocity constraint: a function like C, whose bodies a, b, ... have two more values: the velocity a.vx, "
            "a.vy of the centre of mass [m/s] and a.angular_velocity [rad/s]. The results are rates, linear in these "
            "velocities"},
    {.name = "rows",
     .kind = FIELD_ANY,
     .doc = "function(row, a, b, ..., t, param), called whenever the solver evaluates the constraint, with plain "
            "numbers in a.x, a.vx and so on. It calls row { J = { { x, y, angle }, ... }, C = error, bias = speed, "
            "lower = force, upper = force } for each row. J, which is required, has a triple for each body: the "
            "derivatives of the error by x and y of the centre of mass and by the angle. The row holds J v + bias at "
            "0, where J v is the sum of the triples times vx, vy, angular_velocity. If C is given, the row also moves "
            "C to 0; with lower = 0 the row only keeps C >= 0. bias is the partial derivative of the error by t; 0 by "
            "default. lower and upper bound the force of the row; without them it has no bounds"},
    {.name = "max_rows",
     .kind = FIELD_INTEGER,
     AT(max_rows),
     .lower = 1,
     .upper = IMP_MAX_CONSTRAINT_ROWS,
     .unit = "1",
     .doc = "largest number of rows that a call of `rows` may write; by default the number that the first call writes"},
    {.name = "dynamic",
     .kind = FIELD_BOOLEAN,
     AT(def.dynamic),
     .doc = "true: call C or C_dot whenever the solver evaluates the constraint. The function may then branch by < and "
            "<=, which compare the present numbers (== of a traced value and a number is always false). Values are "
            "still traced, because the solver needs derivatives; impel.value(x) is the present number of x. false, the "
            "default: call it only at creation"},
    {.name = "param",
     .kind = FIELD_ANY,
     .doc = "{ name = number, ... }: parameters that may be set later, as constraint.param.name"},
    DRIVE(limit, bind_limit_options, "{ lower, upper } of each result of C"),
    DRIVE(motor, bind_motor_options, "moves each result of C at a rate, or drives each result of C_dot to a value"),
    DRIVE(servo, bind_servo_options, "drives each result of C to a value"),
    DRIVE(spring, bind_spring_options, "pulls each result of C to a value"),
    {.name = "force",
     .kind = FIELD_NUMBER,
     AT(drive.force),
     .unit = "N or N m",
     .doc = "constant generalised force on the bodies, towards larger values of each result of the function: in N if "
            "the result is in m or m/s, in N m if it is in rad or rad/s, else in J per unit of the result"},
    {.name = "max_force",
     .kind = FIELD_NUMBER,
     AT(max_force),
     .upper = HUGE_VAL,
     .unit = "N or N m",
     .doc = "largest generalised force for each result of the function, in the unit of `force`. It bounds the limit, "
            "motor, servo or spring; without any of these, it bounds the force that holds the result at 0. Infinite by "
            "default"},
    {.name = "break_force",
     .kind = FIELD_NUMBER,
     AT(def.break_force),
     .upper = HUGE_VAL,
     .unit = "N or N m",
     .doc = "the constraint breaks if the generalised force of a result or row exceeds this, in the unit of `force`; "
            "never by default"},
    {.name = "break_if",
     .kind = FIELD_ANY,
     .doc = "function(joint) -> boolean, called after every step, before the event handlers: true breaks the joint"},
    {.name = "collide",
     .kind = FIELD_BOOLEAN,
     AT(def.collide),
     .doc = "whether the bodies collide with each other; true by default"},
    {.name = "name", .kind = FIELD_STRING, AT(def.name), .doc = "name of the constraint for world:find and messages"},
    {.name = "data", .kind = FIELD_ANY, .doc = "any Lua value"},
    {.name = NULL},
};

const Options bind_constraint_options = {.fields = constraint_fields, .scope = "joint"};

static const char *const labels[] = {"C", "C_dot", "rows"};

// Stack slots of world:constraint.
enum { STACK_WORLD = 1, STACK_TABLE, STACK_CALL, STACK_FUNCTION, STACK_NAMES, STACK_PARAMS, STACK_RECORD };


// Push the record (Constraint) of the joint at index 1; raise if the joint is not a constraint.
static Constraint *push_record(lua_State *L, const char *where) {
  const Handle *self = lua_touserdata(L, 1);
  ImpJoint joint = {self->id};
  ImpJointKind kind = IMP_JOINT_CONSTRAINT;
  imp_joint_kind_of(self->box->world, joint, &kind);
  if (kind != IMP_JOINT_CONSTRAINT) {
    bind_error(L, "%s: a %s is not a constraint (world:constraint creates one)", where,
               imp_joint_kind((int)kind)->name);
  }
  bind_world_table(L, 1, SLOT_CONSTRAINTS);
  if (lua_rawgeti(L, -1, bind_key(joint.id)) != LUA_TUSERDATA) {
    bind_error(L,
               "%s: this world does not have the constraint's function: the world is a playback, or was restored from "
               "another world's snapshot",
               where);
  }
  lua_replace(L, -2);
  return lua_touserdata(L, -1);
}


int bind_get_param(lua_State *L, void *self) {
  (void)self;
  push_record(L, "joint.param");
  lua_getiuservalue(L, -1, UV_PARAM);
  return 1;
}


// ---------------------------------------------------------------------------------------------------------------------
// Creation
// ---------------------------------------------------------------------------------------------------------------------

// Read the bodies from the arguments before the option table, and move the table to STACK_TABLE.
static void read_bodies(lua_State *L, ConstraintOptions *o) {
  int count = lua_gettop(L) - 2;
  if (count < 0 || !lua_istable(L, count + 2)) {
    bind_error(L, "world:constraint expects bodies and then a table of options, got %s", bind_got(L, lua_gettop(L)));
  }
  if (count < 1) bind_error(L, "world:constraint needs at least one body before the table of options");
  if (count > IMP_MAX_CONSTRAINT_BODIES) {
    bind_error(L, "world:constraint takes %d bodies at most, got %d", IMP_MAX_CONSTRAINT_BODIES, count);
  }
  luaL_checkstack(L, LUA_MINSTACK, NULL);
  for (int i = 0; i < count; i++) {
    o->bodies[i].id = bind_argument(L, 2 + i, &bind_body_class, lua_pushfstring(L, "body %d", i + 1));
    lua_settop(L, count + 2);
  }
  lua_replace(L, STACK_TABLE);
  lua_settop(L, STACK_TABLE);
  o->def.bodies = o->bodies;
  o->def.body_count = count;
}


// Push C, C_dot or rows, exactly one of them; return its index in `labels`.
static int push_function(lua_State *L, const char *call) {
  int which = -1;
  for (int i = 0; i < 3; i++) {
    lua_pushstring(L, labels[i]);
    if (lua_rawget(L, STACK_TABLE) == LUA_TNIL) {
      lua_pop(L, 1);
      continue;
    }
    if (which >= 0) bind_error(L, "%s takes one of C, C_dot and rows, got %s and %s", call, labels[which], labels[i]);
    if (!lua_isfunction(L, -1)) {
      bind_error(L, "%s: field '%s' must be a function, got %s", call, labels[i], bind_got(L, -1));
    }
    which = i;
  }
  if (which < 0) bind_error(L, "%s needs a function C, C_dot or rows", call);
  return which;
}


// Read the drives, and apply max_force to them.
static void read_drive(lua_State *L, const char *call, ConstraintOptions *o) {
  const unsigned bounded =
      1u << IMP_DRIVE_LIMIT | 1u << IMP_DRIVE_MOTOR | 1u << IMP_DRIVE_SERVO | 1u << IMP_DRIVE_SPRING;
  ImpDrive *drive = &o->def.drive;
  bind_check_drive(L, call, &o->drive);
  bind_add_drive(drive, &o->drive, 0);
  if (isnan(o->max_force)) return;
  if (drive->on == 0) {
    drive->on = 1u << IMP_DRIVE_SERVO;
    drive->target = 0;
    drive->servo_max = HUGE_VAL;
  }
  if (!(drive->on & bounded)) {
    bind_error(L,
               "%s: field 'max_force' has no effect on 'force', which is constant: leave max_force out (it bounds a "
               "limit, motor, servo or spring, or the force that holds a result at 0)",
               call);
  }
  double *const maxima[] = {&drive->limit_max, &drive->motor_max, &drive->servo_max, &drive->spring_max};
  static const ImpDriveKind kinds[] = {IMP_DRIVE_LIMIT, IMP_DRIVE_MOTOR, IMP_DRIVE_SERVO, IMP_DRIVE_SPRING};
  for (int i = 0; i < 4; i++) {
    if (drive->on >> kinds[i] & 1u && isinf(*maxima[i])) *maxima[i] = o->max_force;
  }
}


// For a `rows` function, raise if the options have drives or `dynamic`; for other functions, if they have max_rows.
static void check_rows_options(lua_State *L, const char *call, bool rows, const ConstraintOptions *o) {
  if (!rows && o->max_rows > 0) bind_error(L, "%s: field 'max_rows' needs field 'rows'", call);
  if (!rows) return;
  if (o->def.drive.on != 0) {
    bind_error(L,
               "%s: with 'rows', leave out drives and max_force: each row that the function writes has its own bounds "
               "lower and upper [N], its error C and its bias",
               call);
  }
  if (o->def.dynamic) {
    bind_error(L,
               "%s: leave 'dynamic' out: a function 'rows' is always called when the solver evaluates the constraint",
               call);
  }
}


// Push the record of a new constraint, before its joint exists.
static Constraint *push_new_record(lua_State *L, const ConstraintOptions *o, int which) {
  size_t bodies = (size_t)o->def.body_count * sizeof(ImpBody);
  Constraint *record = lua_newuserdatauv(L, sizeof *record + bodies, 4);
  *record = (Constraint){.kind = which == 2       ? CONSTRAINT_ROWS
                                 : o->def.dynamic ? CONSTRAINT_DYNAMIC
                                                  : CONSTRAINT_TAPE,
                         .label = labels[which],
                         .subject = "constraint",
                         .velocity = which == 1,
                         .body_count = o->def.body_count};
  memcpy(record->bodies, o->bodies, bodies);
  lua_pushvalue(L, STACK_FUNCTION);
  lua_setiuservalue(L, -2, UV_FUNCTION);
  lua_pushvalue(L, STACK_NAMES);
  lua_setiuservalue(L, -2, UV_NAMES);
  bind_push_param(L, STACK_WORLD, STACK_NAMES, false);
  lua_setiuservalue(L, -2, UV_PARAM);
  return record;
}


// Call the function and push its trace, which holds the recorded tape or, for CONSTRAINT_ROWS, the rows.
// The solver calls dynamic and rows functions again in every step; for these calls, store a second trace in UV_TRACE.
static Trace *push_first_trace(lua_State *L, Constraint *record, const char *call, ConstraintOptions *o) {
  const double *params = o->def.params;
  if (record->kind == CONSTRAINT_TAPE) return bind_push_tape(L, STACK_RECORD, STACK_NAMES, call, params);
  bool rows = record->kind == CONSTRAINT_ROWS;
  int capacity = !rows ? 0 : o->max_rows > 0 ? o->max_rows : IMP_MAX_CONSTRAINT_ROWS;
  Trace *trace = bind_push_trace(L, STACK_RECORD, STACK_NAMES, call, capacity);
  int trace_index = lua_gettop(L);
  for (int i = 0; i < trace->param_count; i++) trace->params[i] = params[i];
  bind_call_function(L, STACK_RECORD, trace, trace_index, rows ? TRACE_PLAIN : TRACE_DYNAMIC);
  if (!rows) bind_require_finite(L, trace);
  if (rows) o->def.max_rows = o->max_rows > 0 ? o->max_rows : trace->row_count > 0 ? trace->row_count : 1;
  bind_push_trace(L, STACK_RECORD, STACK_NAMES, call, rows ? o->def.max_rows : 0);
  lua_setiuservalue(L, STACK_RECORD, UV_TRACE);
  return trace;
}


// world:constraint(a, b, ..., { C = function(a, b, ..., t, param) return ... end, ... }) -> joint
int bind_world_constraint(lua_State *L) {
  WorldBox *box = bind_check_world(L);
  ConstraintOptions o = {.def = imp_constraint_def(), .drive = bind_drive_none(), .max_force = (double)NAN};
  read_bodies(L, &o);
  const char *call = bind_caller(L);
  bind_options(L, STACK_TABLE, call, &bind_constraint_options, &o);
  bind_check_break_if(L, STACK_TABLE);
  if (o.def.name) {
    call = lua_pushfstring(L, "%s '%s'", call, o.def.name);
    lua_replace(L, STACK_CALL);
  }
  lua_settop(L, STACK_CALL);
  int which = push_function(L, call);
  bind_push_params(L, STACK_TABLE, call, &o.def.params, &o.def.param_count);
  read_drive(L, call, &o);
  check_rows_options(L, call, which == 2, &o);
  lua_settop(L, STACK_PARAMS);
  Constraint *record = push_new_record(L, &o, which);
  Trace *trace = push_first_trace(L, record, call, &o);
  o.def.tape = bind_trace_tape(trace);
  record->result_count = trace->result_count;
  ImpJoint joint;
  ImpStatus status = imp_constraint_create(box->world, &o.def, &joint);
  if (status == IMP_OK && which == 2) {
    status = imp_constraint_set_rows(box->world, joint, trace->rows, trace->row_count);
    if (status != IMP_OK) {
      lua_pushstring(L, bind_core_text());
      imp_joint_destroy(box->world, joint);
      return bind_error(L, "%s: %s", call, lua_tostring(L, -1));
    }
  }
  if (status != IMP_OK) return bind_error(L, "%s: %s", call, bind_core_text());
  lua_getiuservalue(L, STACK_RECORD, UV_PARAM);
  ((Handle *)lua_touserdata(L, -1))->id = joint.id;
  bind_world_table(L, STACK_WORLD, SLOT_CONSTRAINTS);
  lua_pushvalue(L, STACK_RECORD);
  lua_rawseti(L, -2, bind_key(joint.id));
  return bind_finish_joint(L, STACK_TABLE, joint);
}


// constraint:retrace(): record the tape again, with the function's present upvalues.
int bind_joint_retrace(lua_State *L) {
  Handle *self = bind_check(L, &bind_joint_class);
  lua_settop(L, 1);
  const char *call = bind_caller(L), *name = NULL;
  ImpJoint joint = {self->id};
  if (imp_joint_name(self->box->world, joint, &name) == IMP_OK && name) {
    call = lua_pushfstring(L, "%s on '%s'", call, name);
  }
  const Constraint *record = push_record(L, call);
  int record_index = lua_gettop(L);
  if (record->kind != CONSTRAINT_TAPE) return 0;
  lua_getiuservalue(L, record_index, UV_NAMES);
  int count = (int)lua_rawlen(L, -1);
  double *params = lua_newuserdatauv(L, (size_t)(count + 1) * sizeof(double), 0);
  for (int i = 0; i < count; i++) imp_constraint_param(self->box->world, joint, i, &params[i]);
  Trace *trace = bind_push_tape(L, record_index, record_index + 1, call, params);
  bind_require_count(L, trace, record->result_count);
  ImpTapeDef tape = bind_trace_tape(trace);
  if (imp_constraint_set_tape(self->box->world, joint, &tape) != IMP_OK) {
    return bind_error(L, "%s: %s", call, bind_core_text());
  }
  return 0;
}


void bind_forget_constraint(lua_State *L, int owner, ImpJoint joint) {
  if (((Handle *)lua_touserdata(L, owner))->box->keeps) return;
  bind_world_table(L, owner, SLOT_CONSTRAINTS);
  lua_pushnil(L);
  lua_rawseti(L, -2, bind_key(joint.id));
  lua_pop(L, 1);
}
