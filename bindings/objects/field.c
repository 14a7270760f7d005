// The class field: force fields.
#include <string.h>

#include "base/world_table.h"
#include "objects/body.h"
#include "objects/data.h"
#include "objects/field.h"
#include "objects/object.h"


static ImpField field_of(const Handle *self) { return (ImpField){self->id}; }


static ImpFieldKind kind_of(const Handle *self) {
  ImpFieldKind kind = IMP_FIELD_UNIFORM;
  imp_field_kind_of(self->box->world, field_of(self), &kind);
  return kind;
}


// field.kind
static int get_kind(lua_State *L, void *self) {
  lua_pushstring(L, imp_field_kind_name((int)kind_of(self)));
  return 1;
}


// ---------------------------------------------------------------------------------------------------------------------
// Vectors
// ---------------------------------------------------------------------------------------------------------------------

// Return the vector that the method ("center" or "set_center") accesses.
static ImpFieldVector vector_of(lua_State *L) {
  const char *name = bind_entry(L)->name;
  name += strncmp(name, "set_", 4) == 0 ? 4 : 0;
  int vector = 0;
  while (vector + 1 < IMP_FIELD_VECTOR_COUNT && strcmp(imp_field_vector_info(vector)->name, name) != 0) vector++;
  return (ImpFieldVector)vector;
}


// field:center() -> x, y, and the getters of the other vectors
static int get_vector(lua_State *L) {
  Handle *self = bind_check(L, &bind_field_class);
  ImpVec2 v;
  bind_status(L, imp_field_vector(self->box->world, field_of(self), vector_of(L), &v));
  return bind_push_vec2(L, v);
}


// field:set_center(x, y), and the setters of the other vectors
static int set_vector(lua_State *L) {
  Handle *self = bind_check(L, &bind_field_class);
  ImpFieldVector vector = vector_of(L);
  ImpVec2 v = bind_vec2(L, 2, imp_field_vector_info((int)vector)->unit);
  bind_status(L, imp_field_set_vector(self->box->world, field_of(self), vector, v));
  return 0;
}


// ---------------------------------------------------------------------------------------------------------------------
// Affected bodies
// ---------------------------------------------------------------------------------------------------------------------

// field:region() -> x1, y1, x2, y2, or nothing
static int get_region(lua_State *L) {
  Handle *self = bind_check(L, &bind_field_class);
  bool bounded;
  ImpAabb region;
  bind_status(L, imp_field_region(self->box->world, field_of(self), &bounded, &region));
  if (!bounded) return 0;
  bind_push_vec2(L, region.lower);
  bind_push_vec2(L, region.upper);
  return 4;
}


// field:set_region(x1, y1, x2, y2), or nothing
static int set_region(lua_State *L) {
  Handle *self = bind_check(L, &bind_field_class);
  if (lua_isnoneornil(L, 2)) {
    bind_status(L, imp_field_set_region(self->box->world, field_of(self), NULL));
    return 0;
  }
  double x1 = bind_number(L, 2, "x1", "m"), y1 = bind_number(L, 3, "y1", "m");
  double x2 = bind_number(L, 4, "x2", "m"), y2 = bind_number(L, 5, "y2", "m");
  ImpAabb region = {{x1 < x2 ? x1 : x2, y1 < y2 ? y1 : y2}, {x1 < x2 ? x2 : x1, y1 < y2 ? y2 : y1}};
  bind_status(L, imp_field_set_region(self->box->world, field_of(self), &region));
  return 0;
}


static ImpBody body_argument(lua_State *L) {
  const Handle *self = lua_touserdata(L, 1), *body = luaL_testudata(L, 2, bind_body_class.registry);
  if (!body) {
    const char *got = lua_isnone(L, 2) ? "nil" : bind_got(L, 2);
    bind_error(L, "%s: argument 'body' must be a body, got %s", bind_caller(L), got);
  }
  if (body->box != self->box) bind_error(L, "%s: the body is of another world", bind_caller(L));
  if (!bind_body_class.is_valid(body)) bind_dead(L, 2, "body");
  return (ImpBody){body->id};
}


// field:acts_on(body) -> boolean
static int acts_on(lua_State *L) {
  Handle *self = bind_check(L, &bind_field_class);
  bool acts;
  bind_status(L, imp_field_acts_on(self->box->world, field_of(self), body_argument(L), &acts));
  lua_pushboolean(L, acts);
  return 1;
}


// field:add(body)
static int add(lua_State *L) {
  Handle *self = bind_check(L, &bind_field_class);
  bind_status(L, imp_field_set_acts_on(self->box->world, field_of(self), body_argument(L), true));
  return 0;
}


// field:remove(body)
static int remove_body(lua_State *L) {
  Handle *self = bind_check(L, &bind_field_class);
  bind_status(L, imp_field_set_acts_on(self->box->world, field_of(self), body_argument(L), false));
  return 0;
}


// ---------------------------------------------------------------------------------------------------------------------
// Destruction
// ---------------------------------------------------------------------------------------------------------------------

// field:destroy(); a second call does nothing
static int field_destroy(lua_State *L) {
  Handle *self = bind_self(L);
  if (!bind_field_class.is_valid(self)) return 0;
  bind_status(L, imp_field_destroy(self->box->world, field_of(self)));
  bind_forget_field(L, 1, field_of(self));
  return 0;
}


static const char *title(lua_State *L, const Handle *self) {
  return lua_pushfstring(L, "%s field", imp_field_kind_name((int)kind_of(self)));
}


// tostring(field)
static int field_tostring(lua_State *L) { return bind_object_tostring(L, &bind_field_class, title, false); }


#define VECTOR(name_, unit_, text) \
  {.name = #name_, .call = get_vector, .signature = "() -> x, y", .unit = unit_, .doc = text}, { \
    .name = "set_" #name_, .call = set_vector, .signature = "(x, y)", .unit = unit_, \
    .doc = "set `" #name_ "`, and wake the bodies that the field acts on" \
  }

static const Entry field_entries[] = {
    {.name = "world", .type = "world", .get = bind_get_world, .doc = "the world of the field"},
    {.name = "kind",
     .type = "string",
     .get = get_kind,
     .doc = "\"uniform\", \"drag\", ...: the kind given at creation"},
    {.name = "name",
     .type = "string",
     .get = bind_get_name,
     .set = bind_set_name,
     .doc = "name of the field for messages, or nil"},
    {.name = "data",
     .type = "any",
     .get = bind_get_own_data,
     .set = bind_set_own_data,
     .doc = "any Lua value; kept until the field is destroyed"},
    VECTOR(acceleration, "m/s^2", "acceleration of every body in a uniform field"),
    VECTOR(force, "N", "force on every body in a uniform field"),
    VECTOR(center, "m", "centre of an attractor, spring, vortex or explosion"),
    VECTOR(velocity, "m/s", "velocity of the medium of a drag, wind or water field"),
    {.name = "region",
     .call = get_region,
     .signature = "() -> x1, y1, x2, y2",
     .unit = "m",
     .doc = "region in which the field acts, lower left corner first; no values if it acts everywhere"},
    {.name = "set_region",
     .call = set_region,
     .signature = "([x1, y1, x2, y2])",
     .unit = "m",
     .doc = "act only on bodies whose centre of mass is inside the region; without arguments, act everywhere"},
    {.name = "acts_on",
     .call = acts_on,
     .signature = "(body) -> boolean",
     .doc = "whether the body is one of those that the field acts on; region and range are not tested"},
    {.name = "add", .call = add, .signature = "(body)", .doc = "add a body to those that the field acts on"},
    {.name = "remove",
     .call = remove_body,
     .signature = "(body)",
     .doc = "remove a body from those that the field acts on"},
    {.name = "param",
     .type = "table",
     .get = bind_get_field_param,
     .doc = "parameters of a custom field; param.name can be read and set"},
    {.name = "retrace",
     .call = bind_field_retrace,
     .signature = "()",
     .doc = "call the law of a custom field again, so that the field uses the present values of the law's upvalues"},
    {.name = "options",
     .call = bind_field_definition,
     .signature = "() -> table",
     .doc = "options of world:field that recreate the field as it is now; raises an error for a custom field, whose "
            "law plain data cannot describe"},
    {.name = "destroy",
     .call = field_destroy,
     .signature = "()",
     .doc = "destroy the field; in a substep handler it stops acting in that substep"},
    {.name = "is_valid", .call = bind_is_valid, .signature = "() -> boolean", .doc = "false once destroyed"},
    {.name = NULL},
};


const Members bind_field_members = {&bind_field_class, field_entries, field_tostring, NULL};
