// The constructor of fields: world:field{...}. The options of a kind come from the core's table of kinds.
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "objects/body.h"
#include "objects/data.h"
#include "objects/field.h"
#include "objects/object.h"

enum { NEEDS_CUSTOM = 1 << 16 }; // bit of Field.needs: only custom fields take the option

#define AT(member) .offset = offsetof(ImpFieldDef, member)
#define VECTOR(key, id, of, text) \
  { \
    .name = #key, .kind = FIELD_VEC2, AT(vector[IMP_FIELD_##id]), .unit = of, .needs = 1u << IMP_FIELD_##id, \
    .doc = text \
  }

// Options in addition to the properties that a definition contains.
static const Field field_fields[] = {
    {.name = "kind",
     .kind = FIELD_CHOICE,
     AT(kind),
     .choice = imp_field_kind_name,
     .required = true,
     .doc = "kind of field; it determines which of the other options are allowed"},
    {.name = "name", .kind = FIELD_STRING, AT(name), .doc = "name of the field for messages"},
    {.name = "enabled",
     .kind = FIELD_FLAG,
     AT(value[IMP_FIELD_ENABLED]),
     .doc = "whether the field acts; true by default"},
    VECTOR(acceleration, ACCELERATION, "m/s^2", "acceleration of every body in a uniform field; { 0, 0 } by default"),
    VECTOR(force, FORCE, "N", "force on every body in a uniform field; { 0, 0 } by default"),
    VECTOR(center, CENTER, "m", "centre of an attractor, spring, vortex or explosion; { 0, 0 } by default"),
    VECTOR(velocity, VELOCITY, "m/s", "velocity of the medium of a drag, wind or water field; { 0, 0 } by default"),
    {.name = "law",
     .kind = FIELD_ANY,
     .needs = NEEDS_CUSTOM,
     .doc = "law of a custom field, function(b, t, param) -> fx, fy[, torque]: the force [N] on body b at time t, and "
            "the torque [N m] about its centre of mass. b has x, y, angle, vx, vy, angular_velocity, mass, inertia, "
            "center(), point(lx, ly), vector(lx, ly). Unless `dynamic` is true, the function is called only when the "
            "field is created: the engine records its operations and repeats them in every step"},
    {.name = "param",
     .kind = FIELD_ANY,
     .needs = NEEDS_CUSTOM,
     .doc = "{ name = number, ... }: parameters of a custom field; scripts can set them later, as field.param.name"},
    {.name = "dynamic",
     .kind = FIELD_BOOLEAN,
     AT(dynamic),
     .needs = NEEDS_CUSTOM,
     .doc =
         "true: call the law for each body in each substep, with numbers, so that it may use `if`; false, the default: "
         "call it only at creation, and record its arithmetic"},
    {.name = "implicit",
     .kind = FIELD_FLAG,
     AT(value[IMP_FIELD_IMPLICIT]),
     .needs = NEEDS_CUSTOM,
     .doc = "integrate the law implicitly, with the derivatives of its force, so that a stiff law is stable. Not "
            "allowed together with `dynamic`, because the engine can compute the derivatives only of recorded "
            "operations; false by default"},
    {.name = "region",
     .kind = FIELD_ANY,
     .unit = "m",
     .doc = "{ x1, y1, x2, y2 }: the field acts on bodies whose centre of mass is inside; everywhere by default"},
    {.name = "bodies",
     .kind = FIELD_ANY,
     .doc = "{ body, ... }: the field acts only on these bodies; on all bodies by default"},
    {.name = "except", .kind = FIELD_ANY, .doc = "{ body, ... }: the field acts on all bodies except these"},
    {.name = "data", .kind = FIELD_ANY, .doc = "any Lua value"},
    {.name = NULL},
};


static const char *takes(const Options *options, const Field *field) {
  if (options->field == 0) return field->name;
  const ImpFieldKindInfo *kind = imp_field_kind(options->field - 1);
  bool custom = options->field - 1 == IMP_FIELD_CUSTOM;
  bool taken = field->table ? (kind->properties >> field->property & 1u) != 0
                            : field->needs == 0 || (field->needs & (kind->vectors | (custom ? NEEDS_CUSTOM : 0u))) != 0;
  return taken ? field->name : NULL;
}


// Options of all kinds, for documentation.
const Options bind_field_options = {
    .fields = field_fields, .properties = imp_field_property, .values = true, .scope = "field", .takes = takes};


// Return the kind in the option table at index 2.
static int read_kind(lua_State *L) {
  if (!lua_istable(L, 2)) return bind_error(L, "world:field expects a table of options, got %s", bind_got(L, 2));
  lua_pushliteral(L, "kind");
  if (lua_rawget(L, 2) == LUA_TNIL) return bind_error(L, "world:field: field 'kind' is missing");
  int kind = bind_choice(L, lua_gettop(L), "world:field: field 'kind'", imp_field_kind_name);
  lua_pop(L, 1);
  return kind;
}


// Options of which a kind of field needs at least one
enum { NEEDED = 3 };
static const char *const needed[IMP_FIELD_KIND_COUNT][NEEDED] = {
    [IMP_FIELD_UNIFORM] = {"acceleration", "force"},
    [IMP_FIELD_ATTRACTOR] = {"strength"},
    [IMP_FIELD_DRAG] = {"linear", "quadratic", "angular"},
    [IMP_FIELD_VORTEX] = {"linear", "quadratic"},
    [IMP_FIELD_EXPLOSION] = {"impulse"},
};


// Return whether the table at an index has at least one of the needed options of the kind.
static bool has_needed(lua_State *L, int table, ImpFieldKind kind) {
  bool has = needed[kind][0] == NULL;
  for (int i = 0; i < NEEDED && needed[kind][i]; i++) {
    lua_pushstring(L, needed[kind][i]);
    has |= lua_rawget(L, table) != LUA_TNIL;
    lua_pop(L, 1);
  }
  return has;
}


static void require_needed(lua_State *L, const char *call, ImpFieldKind kind) {
  if (has_needed(L, 2, kind)) return;
  lua_pushfstring(L, "'%s'", needed[kind][0]);
  for (int i = 1; i < NEEDED && needed[kind][i]; i++) {
    bool last = i + 1 == NEEDED || !needed[kind][i + 1];
    lua_pushfstring(L, "%s%s'%s'", lua_tostring(L, -1), last ? " or " : ", ", needed[kind][i]);
  }
  bind_error(L, "%s: field %s is missing", call, lua_tostring(L, -1));
}


// Read { x1, y1, x2, y2 }, any two opposite corners.
static void read_region(lua_State *L, const char *call, ImpFieldDef *def) {
  lua_pushliteral(L, "region");
  int type = lua_rawget(L, 2), index = lua_gettop(L);
  if (type == LUA_TNIL) return;
  double at[4] = {0};
  bool good = type == LUA_TTABLE && lua_rawlen(L, index) == 4;
  int i = 0;
  for (; i < 4 && good; i++) {
    good = lua_rawgeti(L, index, i + 1) == LUA_TNUMBER && isfinite(lua_tonumber(L, -1));
    at[i] = lua_tonumber(L, -1);
  }
  if (!good) {
    const char *got = i > 0                ? lua_pushfstring(L, "%s at %d", bind_got(L, lua_gettop(L)), i)
                      : type == LUA_TTABLE ? lua_pushfstring(L, "%d of them", (int)lua_rawlen(L, index))
                                           : bind_got(L, index);
    bind_error(L, "%s: field 'region' must be { x1, y1, x2, y2 }, four finite numbers [m], got %s", call, got);
  }
  def->bounded = true;
  def->region = (ImpAabb){{fmin(at[0], at[2]), fmin(at[1], at[3])}, {fmax(at[0], at[2]), fmax(at[1], at[3])}};
}


// Push the list of bodies at `key`; return false for nil.
static bool read_bodies(lua_State *L, const char *call, const char *key, ImpFieldDef *def) {
  const WorldBox *box = lua_touserdata(L, 1);
  lua_pushstring(L, key);
  int type = lua_rawget(L, 2), index = lua_gettop(L);
  if (type == LUA_TNIL) return false;
  if (type != LUA_TTABLE) {
    bind_error(L, "%s: field '%s' must be a list of bodies, got %s", call, key, bind_got(L, index));
  }
  size_t count = (size_t)lua_rawlen(L, index);
  for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
    lua_Integer at = lua_isinteger(L, -2) ? lua_tointeger(L, -2) : 0;
    if (at >= 1 && (size_t)at <= count) continue;
    bind_error(L, "%s: field '%s' must be a list of bodies, got the key %s", call, key, bind_got(L, -2));
  }
  ImpBody *bodies = lua_newuserdatauv(L, (count + 1) * sizeof *bodies, 0);
  for (size_t i = 0; i < count; i++) {
    lua_rawgeti(L, index, (lua_Integer)i + 1);
    const Handle *body = luaL_testudata(L, -1, bind_body_class.registry);
    if (!body) {
      bind_error(L, "%s: field '%s' must be a list of bodies, got %s as item %d", call, key, bind_got(L, -1),
                 (int)i + 1);
    }
    if (body->box != box) bind_error(L, "%s: item %d of field '%s' is a body of another world", call, (int)i + 1, key);
    if (!bind_body_class.is_valid(body)) bind_dead(L, lua_gettop(L), "body");
    bodies[i] = (ImpBody){body->id};
    lua_pop(L, 1);
  }
  def->bodies = bodies;
  def->body_count = (int)count;
  return true;
}


// world:field { kind = "drag", ... } -> field
int bind_world_field(lua_State *L) {
  WorldBox *box = bind_check_world(L);
  lua_settop(L, 2);
  ImpFieldKind kind = (ImpFieldKind)read_kind(L);
  ImpFieldDef def = imp_field_def(kind);
  Options options = bind_field_options;
  options.field = (int)kind + 1;
  const char *call = lua_pushfstring(L, "world:field '%s'", imp_field_kind_name((int)kind));
  bind_options(L, 2, call, &options, &def);
  require_needed(L, call, kind);
  read_region(L, call, &def);
  def.only = read_bodies(L, call, "bodies", &def);
  if (read_bodies(L, call, "except", &def) && def.only) {
    return bind_error(
        L, "%s takes 'bodies' (the field acts only on these) or 'except' (the field acts on all others), not both",
        call);
  }
  ImpField field;
  if (kind == IMP_FIELD_CUSTOM) bind_read_law(L, call, &def);
  int law = lua_gettop(L);
  if (imp_field_create(box->world, &def, &field) != IMP_OK) return bind_refused(L, NULL, call);
  if (kind == IMP_FIELD_CUSTOM) bind_keep_law(L, law, field);
  bind_push_object(L, 1, SLOT_FIELDS, field.id);
  bind_keep_option(L, 2, "data", SLOT_FIELD_DATA, field.id);
  return 1;
}


typedef struct Listed {
  ImpBody body;
  double id;
} Listed;


static int by_id(const void *a, const void *b) {
  double difference = ((const Listed *)a)->id - ((const Listed *)b)->id;
  return (difference > 0) - (difference < 0);
}


// Set table.bodies (if `only` is true) or table.except (if false) to the field's listed bodies, in creation order.
static void set_bodies(lua_State *L, int table, const Handle *self, bool only) {
  const ImpWorld *world = self->box->world;
  ImpField field = {self->id};
  size_t count = 0;
  for (ImpBody body = {0}; (body = imp_field_next_listed(world, field, body)).id != 0;) count++;
  if (count == 0 && !only) return;
  Listed *list = lua_newuserdatauv(L, (count + 1) * sizeof *list, 0);
  count = 0;
  for (ImpBody body = {0}; (body = imp_field_next_listed(world, field, body)).id != 0; count++) {
    list[count].body = body;
    imp_body_get(world, body, IMP_BODY_ID, &list[count].id);
  }
  qsort(list, count, sizeof *list, by_id);
  lua_createtable(L, (int)count, 0);
  for (size_t i = 0; i < count; i++) {
    bind_push_body(L, 1, list[i].body);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  lua_setfield(L, table, only ? "bodies" : "except");
  lua_pop(L, 1);
}


// field:options() -> table
int bind_field_definition(lua_State *L) {
  Handle *self = bind_check(L, &bind_field_class);
  ImpFieldDef def;
  bind_status(L, imp_field_definition(self->box->world, (ImpField){self->id}, &def));
  const ImpFieldDef none = imp_field_def(def.kind);
  Options options = bind_field_options;
  options.field = (int)def.kind + 1;
  bind_push_options(L, &options, &def, &none);
  int table = lua_gettop(L);
  // world:field requires one of the options `needed`, but bind_push_options leaves out zeros: write the first one as 0.
  if (!has_needed(L, table, def.kind)) {
    if (def.kind == IMP_FIELD_UNIFORM) {
      lua_newtable(L);
      for (int i = 1; i <= 2; i++) {
        lua_pushnumber(L, 0);
        lua_rawseti(L, -2, i);
      }
    } else {
      lua_pushnumber(L, 0);
    }
    lua_setfield(L, table, needed[def.kind][0]);
  }
  if (def.bounded) {
    const double at[4] = {def.region.lower.x, def.region.lower.y, def.region.upper.x, def.region.upper.y};
    lua_createtable(L, 4, 0);
    for (int i = 0; i < 4; i++) {
      lua_pushnumber(L, at[i]);
      lua_rawseti(L, -2, i + 1);
    }
    lua_setfield(L, table, "region");
  }
  set_bodies(L, table, self, def.only);
  bind_get_data(L, self, SLOT_FIELD_DATA);
  lua_setfield(L, table, "data");
  lua_settop(L, table);
  return 1;
}
