// The class qp: a solver of quadratic programs, given as flat tables of numbers, row by row.
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/options.h"
#include "base/quota.h"
#include "objects/qp.h"

typedef struct Qp {
  Handle handle; // without a world, id 0
  ImpQp *qp;     // null after garbage collection
  int n, m;
  double *h, *g, *a, *lower, *upper, *x_lower, *x_upper; // arrays of a program, stored after the struct
  ImpQpResult result;                                    // result of the last solution
} Qp;

// Scalar options of a program.
typedef struct QpOptions {
  double regularise;
  int32_t max_iterations;
} QpOptions;

#define REGULARISE_MOST 1e300
#define ITERATIONS_MOST 1000000000

// Indices in qp_fields.
enum {
  FIELD_H,
  FIELD_G,
  FIELD_A,
  FIELD_LOWER, // numbers of this and the following fields may be infinite
  FIELD_UPPER,
  FIELD_X_LOWER,
  FIELD_X_UPPER,
  FIELD_REGULARISE,
  FIELD_MAX_ITERATIONS
};

static const Field qp_fields[] = {
    {.name = "H",
     .kind = FIELD_ANY,
     .type = "number[]",
     .required = true,
     .doc = "matrix H of the quadratic term, n * n numbers row by row; only its symmetric part matters"},
    {.name = "g", .kind = FIELD_ANY, .type = "number[]", .doc = "linear term, n numbers; zeros by default"},
    {.name = "A", .kind = FIELD_ANY, .type = "number[]", .doc = "matrix A of the rows, m * n numbers row by row"},
    {.name = "lower",
     .kind = FIELD_ANY,
     .type = "number[]",
     .doc = "lower bounds of A x, m numbers; -math.huge means no bound; no bounds by default"},
    {.name = "upper",
     .kind = FIELD_ANY,
     .type = "number[]",
     .doc = "upper bounds of A x, m numbers; math.huge means no bound; a row with equal bounds is an equation; no "
            "bounds by default"},
    {.name = "x_lower", .kind = FIELD_ANY, .type = "number[]", .doc = "lower bounds of x, n numbers"},
    {.name = "x_upper", .kind = FIELD_ANY, .type = "number[]", .doc = "upper bounds of x, n numbers"},
    {.name = "regularise",
     .kind = FIELD_NUMBER,
     .offset = offsetof(QpOptions, regularise),
     .lower = 0,
     .upper = REGULARISE_MOST,
     .doc = "number that is added to the diagonal of H, so that a semidefinite H has a unique minimum; 0 by default"},
    {.name = "max_iterations",
     .kind = FIELD_INTEGER,
     .offset = offsetof(QpOptions, max_iterations),
     .lower = 1,
     .upper = ITERATIONS_MOST,
     .doc = "largest number of changes of the active set; 100 + 10 (n + m) by default"},
    {.name = NULL},
};

static const Options qp_options = {.fields = qp_fields, .scope = "qp"};


// ---------------------------------------------------------------------------------------------------------------------
// Reading a program
// ---------------------------------------------------------------------------------------------------------------------

// Return the table's keys as a bit set (bit i: qp_fields[i]), or -1 if the table has an unknown key.
static int fields_of(lua_State *L, int index) {
  int found = 0;
  for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
    const char *key = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "";
    int i = 0;
    while (qp_fields[i].name && strcmp(qp_fields[i].name, key) != 0) ++i;
    found = found < 0 || !qp_fields[i].name ? -1 : found | 1 << i;
  }
  return found;
}


// Copy the `count` numbers of a field of the program into `out` and return `out`; return null if the field is missing.
// The program is the table at index 2; the field is a table of numbers.
static const double *read_numbers(lua_State *L, int fields, int field, int count, double *out) {
  if (!(fields >> field & 1)) return NULL;
  const char *name = qp_fields[field].name;
  bool infinite = field >= FIELD_LOWER;
  int type = lua_getfield(L, 2, name);
  if (type != LUA_TTABLE || lua_rawlen(L, -1) != (lua_Unsigned)count) {
    const char *got = type == LUA_TTABLE ? lua_pushfstring(L, "%d", (int)lua_rawlen(L, -1)) : bind_got(L, -1);
    bind_error(L, "qp:solve: field '%s' must be a table of %d numbers, got %s", name, count, got);
  }
  for (int i = 0; i < count; ++i) {
    lua_rawgeti(L, -1, i + 1);
    out[i] = lua_tonumber(L, -1);
    if (lua_type(L, -1) != LUA_TNUMBER || (infinite ? isnan(out[i]) : !isfinite(out[i]))) {
      bind_error(L, "qp:solve: %s[%d] must be %s, got %s", name, i + 1, infinite ? "a number" : "a finite number",
                 bind_got(L, -1));
    }
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  return out;
}


// Write numbers into the table at the index, or into a new table, and leave the table at the top.
static void push_numbers(lua_State *L, int index, const double *numbers, int count) {
  if (lua_isnoneornil(L, index)) {
    lua_createtable(L, count, 0);
  } else {
    lua_pushvalue(L, index);
  }
  for (int i = 0; i < count; ++i) {
    lua_pushnumber(L, numbers[i]);
    lua_rawseti(L, -2, i + 1);
  }
}


// Read regularise and max_iterations. bind_options is called for an illegal value only, because it creates strings.
static void read_options(lua_State *L, int fields, QpOptions *out) {
  bool legal = true;
  if (fields >> FIELD_REGULARISE & 1) {
    lua_getfield(L, 2, qp_fields[FIELD_REGULARISE].name);
    out->regularise = lua_tonumber(L, -1);
    legal = lua_type(L, -1) == LUA_TNUMBER && out->regularise >= 0 && out->regularise <= REGULARISE_MOST;
  }
  if (fields >> FIELD_MAX_ITERATIONS & 1) {
    int whole;
    lua_getfield(L, 2, qp_fields[FIELD_MAX_ITERATIONS].name);
    lua_Integer most = lua_tointegerx(L, -1, &whole);
    legal = legal && lua_type(L, -1) == LUA_TNUMBER && whole && most >= 1 && most <= ITERATIONS_MOST;
    out->max_iterations = legal ? (int32_t)most : 0;
  }
  lua_settop(L, 3);
  if (!legal) bind_options(L, 2, "qp:solve", &qp_options, out);
}


static void check_out(lua_State *L, int index, const char *call, const char *name) {
  if (lua_isnoneornil(L, index) || lua_istable(L, index)) return;
  bind_error(L, "%s: argument '%s' must be a table, got %s", call, name, bind_got(L, index));
}


// qp:solve(program [, x]) -> x or nil, message
static int qp_solve(lua_State *L) {
  static const char *const words[] = {
      [IMP_QP_INFEASIBLE] = "infeasible: no x satisfies all bounds",
      [IMP_QP_NOT_CONVEX] = "not convex: H is not positive definite",
      [IMP_QP_STOPPED] = "stopped: max_iterations reached",
      [IMP_QP_OVERFLOW] = "overflow: the solution is too large for floating point",
  };
  BIND_COVERS(words, IMP_QP_STATE_COUNT);
  Qp *self = bind_self(L);
  QpOptions options = {0};
  lua_settop(L, 3);
  int fields = lua_istable(L, 2) ? fields_of(L, 2) : -1;
  if (fields < 0) bind_options(L, 2, "qp:solve", &qp_options, &options); // raises
  check_out(L, 3, "qp:solve", "x");
  read_options(L, fields, &options);
  int n = self->n, m = self->m;
  ImpQpProblem problem = {.h = read_numbers(L, fields, FIELD_H, n * n, self->h),
                          .g = read_numbers(L, fields, FIELD_G, n, self->g),
                          .a = read_numbers(L, fields, FIELD_A, m * n, self->a),
                          .lower = read_numbers(L, fields, FIELD_LOWER, m, self->lower),
                          .upper = read_numbers(L, fields, FIELD_UPPER, m, self->upper),
                          .x_lower = read_numbers(L, fields, FIELD_X_LOWER, n, self->x_lower),
                          .x_upper = read_numbers(L, fields, FIELD_X_UPPER, n, self->x_upper),
                          .regularise = options.regularise,
                          .max_iterations = options.max_iterations};
  if (!problem.h) return bind_error(L, "qp:solve: field 'H' is missing");
  if (m > 0 && !problem.a) return bind_error(L, "qp:solve: field 'A' is missing");
  if (imp_qp_solve(self->qp, &problem, &self->result) != IMP_OK) {
    return bind_error(L, "qp:solve: %s", imp_last_error());
  }
  if (self->result.state != IMP_QP_SOLVED) {
    lua_pushnil(L);
    lua_pushstring(L, words[self->result.state]);
    return 2;
  }
  push_numbers(L, 3, self->result.x, n);
  return 1;
}


// qp:multipliers([rows, bounds]) -> rows, bounds
static int qp_multipliers(lua_State *L) {
  Qp *self = bind_self(L);
  lua_settop(L, 3);
  check_out(L, 2, "qp:multipliers", "rows");
  check_out(L, 3, "qp:multipliers", "bounds");
  if (self->result.state != IMP_QP_SOLVED || !self->result.x) {
    return bind_error(L, "qp:multipliers: no program was solved yet");
  }
  push_numbers(L, 2, self->result.rows, self->m);
  push_numbers(L, 3, self->result.bounds, self->n);
  return 2;
}


// ---------------------------------------------------------------------------------------------------------------------
// The class
// ---------------------------------------------------------------------------------------------------------------------

BIND_GETTER(get_variables, lua_pushinteger(L, ((Qp *)self)->n))
BIND_GETTER(get_rows, lua_pushinteger(L, ((Qp *)self)->m))


static int get_state(lua_State *L, void *self) {
  const ImpQpResult *result = &((Qp *)self)->result;
  lua_pushstring(L, result->x ? imp_qp_state_name((int)result->state) : "new");
  return 1;
}


BIND_GETTER(get_iterations, lua_pushinteger(L, ((Qp *)self)->result.iterations))
BIND_GETTER(get_value, lua_pushnumber(L, ((Qp *)self)->result.value))
BIND_GETTER(get_residual, lua_pushnumber(L, ((Qp *)self)->result.residual))


static void qp_require(lua_State *L, void *self, const Entry *entry) {
  (void)entry;
  if (!((Qp *)self)->qp) bind_error(L, "attempt to use a qp that was garbage-collected");
}


static bool qp_is_valid(const void *self) { return ((const Qp *)self)->qp != NULL; }


static const Class qp_class = {
    .name = "qp",
    .registry = "impel.qp",
    .require = qp_require,
    .is_valid = qp_is_valid,
};


static int qp_tostring(lua_State *L) {
  const Qp *self = luaL_checkudata(L, 1, qp_class.registry);
  lua_pushfstring(L, "qp of %d variables, %d rows", self->n, self->m);
  return 1;
}


static int qp_close(lua_State *L) {
  Qp *self = luaL_checkudata(L, 1, qp_class.registry);
  imp_qp_destroy(self->qp);
  self->qp = NULL;
  return 0;
}


static const Entry qp_entries[] = {
    {.name = "solve",
     .call = qp_solve,
     .signature = "(program [, x]) -> x or nil, message",
     .doc = "Find the x that minimizes 1/2 x'H x + g'x with lower <= A x <= upper and x_lower <= x <= x_upper, and "
            "return it, in the table x if given. Returns nil and a message if no such x is found.",
     .options = &qp_options},
    {.name = "multipliers",
     .call = qp_multipliers,
     .signature = "([rows, bounds]) -> rows, bounds",
     .doc = "Lagrange multipliers of the last solution, one for each row of A and one for the bounds of each variable; "
            "> 0 at lower bounds, < 0 at upper bounds. They satisfy H x + g = A' rows + bounds. Fills the tables "
            "`rows` and `bounds` if given"},
    {.name = "variables", .type = "integer", .get = get_variables, .doc = "number of variables, n", .unit = "1"},
    {.name = "rows", .type = "integer", .get = get_rows, .doc = "number of rows, m", .unit = "1"},
    {.name = "state",
     .type = "string",
     .get = get_state,
     .doc = "result of the last program: \"solved\", \"infeasible\", \"not convex\", \"stopped\" or \"overflow\"; "
            "\"new\" before the first program"},
    {.name = "iterations",
     .type = "integer",
     .get = get_iterations,
     .unit = "1",
     .doc = "number of changes of the active set (the bounds that hold as equations) in the last solution"},
    {.name = "value", .type = "number", .get = get_value, .unit = "1", .doc = "1/2 x'H x + g'x of the last solution"},
    {.name = "residual",
     .type = "number",
     .get = get_residual,
     .unit = "1",
     .doc = "largest error of the last solution in the optimality conditions. 1: H x + g = A' rows + bounds, with the "
            "multipliers `rows` and `bounds` of qp:multipliers. 2: A x and x are within their bounds. 3: a multiplier "
            "is 0 unless A x or x is at the bound (error: multiplier times distance from the bound). Infinite without "
            "a solution"},
    {.name = NULL},
};


const Members bind_qp_members = {&qp_class, qp_entries, qp_tostring, qp_close};


// impel.core.qp(n, m) -> qp
int bind_qp_new(lua_State *L) {
  lua_settop(L, 2);
  int n_whole, m_whole;
  lua_Integer n = lua_tointegerx(L, 1, &n_whole), m = lua_tointegerx(L, 2, &m_whole);
  bool fits = n_whole && n >= 1 && n <= IMP_QP_MAX_VARIABLES && m_whole && m >= 0 && m <= IMP_QP_MAX_ROWS;
  if (!fits || lua_type(L, 1) != LUA_TNUMBER || lua_type(L, 2) != LUA_TNUMBER) {
    return bind_error(L, "impel.core.qp: integers n in [1, %d] and m in [0, %d] expected, got %s and %s",
                      IMP_QP_MAX_VARIABLES, IMP_QP_MAX_ROWS, bind_got(L, 1), bind_got(L, 2));
  }
  size_t numbers = (size_t)(n * n + n * m + 2 * m + 3 * n);
  Qp *self = lua_newuserdatauv(L, sizeof *self + numbers * sizeof(double), 0);
  memset(self, 0, sizeof *self);
  self->handle.class = &qp_class;
  self->n = (int)n;
  self->m = (int)m;
  self->h = (double *)(self + 1);
  self->a = self->h + n * n;
  self->g = self->a + n * m;
  self->lower = self->g + n;
  self->upper = self->lower + m;
  self->x_lower = self->upper + m;
  self->x_upper = self->x_lower + n;
  self->result.residual = HUGE_VAL;
  luaL_setmetatable(L, qp_class.registry);
  ImpAllocator allocator = bind_allocator();
  if (imp_qp_create(&allocator, (int)n, (int)m, &self->qp) != IMP_OK) return bind_error(L, "%s", imp_last_error());
  return 1;
}
