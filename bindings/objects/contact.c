// The class contact: pooled objects that stand for two touching shapes, valid until the next step.
#include "base/options.h"
#include "objects/object.h"
#include "objects/row.h"


static ImpContactInfo info_of(const void *self) {
  const ContactObject *object = self;
  ImpContactInfo info = {.count = 0};
  imp_contact_info(object->handle.box->world, (ImpContact){object->handle.id}, &info);
  return info;
}


static ImpContactInfo check_contact(lua_State *L) { return info_of(bind_check(L, &bind_contact_class)); }


// ---------------------------------------------------------------------------------------------------------------------
// Properties
// ---------------------------------------------------------------------------------------------------------------------

BIND_GETTER(get_body_a, bind_push_body(L, 1, info_of(self).body_a))
BIND_GETTER(get_body_b, bind_push_body(L, 1, info_of(self).body_b))
BIND_GETTER(get_shape_a, bind_push_shape(L, 1, info_of(self).shape_a))
BIND_GETTER(get_shape_b, bind_push_shape(L, 1, info_of(self).shape_b))
BIND_GETTER(get_id, lua_pushinteger(L, bind_key(((Handle *)self)->id)))
BIND_GETTER(get_count, lua_pushinteger(L, info_of(self).count))


// Set a property to the value at index 3. The core allows this only in a pre_solve handler of the contact.
static void set(lua_State *L, const Handle *self, ImpContactProperty property) {
  const char *where = lua_pushfstring(L, "contact.%s", imp_contact_property((int)property)->name);
  double value = bind_property_value(L, 3, imp_contact_property((int)property), where);
  if (imp_contact_set(self->box->world, (ImpContact){self->id}, property, value) != IMP_OK) {
    bind_error(L, "%s", imp_last_error());
  }
}


static void set_enabled(lua_State *L, void *self) { set(L, self, IMP_CONTACT_ENABLED); }


static void set_friction(lua_State *L, void *self) { set(L, self, IMP_CONTACT_FRICTION); }


static void set_restitution(lua_State *L, void *self) { set(L, self, IMP_CONTACT_RESTITUTION); }


static void set_rolling_resistance(lua_State *L, void *self) { set(L, self, IMP_CONTACT_ROLLING_RESISTANCE); }


static void set_surface_speed(lua_State *L, void *self) { set(L, self, IMP_CONTACT_SURFACE_SPEED); }


BIND_GETTER(get_friction, lua_pushnumber(L, info_of(self).friction))
BIND_GETTER(get_restitution_threshold, lua_pushnumber(L, info_of(self).restitution_threshold))
BIND_GETTER(get_restitution, lua_pushnumber(L, info_of(self).restitution))
BIND_GETTER(get_rolling_resistance, lua_pushnumber(L, info_of(self).rolling_resistance))
BIND_GETTER(get_surface_speed, lua_pushnumber(L, info_of(self).surface_speed))
BIND_GETTER(get_enabled, lua_pushboolean(L, info_of(self).enabled))
BIND_GETTER(get_speed, lua_pushnumber(L, info_of(self).speed))


// The impulses of the last step, summed over the contact points.
static int get_normal_impulse(lua_State *L, void *self) {
  ImpContactInfo info = info_of(self);
  lua_pushnumber(L, info.count > 0 ? info.points[0].normal_impulse + info.points[1].normal_impulse : 0);
  return 1;
}


static int get_tangent_impulse(lua_State *L, void *self) {
  ImpContactInfo info = info_of(self);
  lua_pushnumber(L, info.count > 0 ? info.points[0].tangent_impulse + info.points[1].tangent_impulse : 0);
  return 1;
}


BIND_GETTER(get_rolling_impulse, lua_pushnumber(L, info_of(self).rolling_impulse))


// ---------------------------------------------------------------------------------------------------------------------
// Methods
// ---------------------------------------------------------------------------------------------------------------------

// contact:normal() -> nx, ny
static int contact_normal(lua_State *L) {
  ImpContactInfo info = check_contact(L);
  return bind_push_vec2(L, info.normal);
}


static int push_point(lua_State *L, const ImpContactPoint *p) {
  bind_push_vec2(L, p->point);
  lua_pushnumber(L, p->separation);
  lua_pushnumber(L, p->normal_impulse);
  lua_pushnumber(L, p->tangent_impulse);
  return 5;
}


// Return the index (0 or 1) of the contact point that the argument `i` (1 or 2) names.
static int point_at(lua_State *L, int count, const char *call) {
  double i = bind_number(L, 2, "i", "1");
  if (!(i == 1 || i == 2) || i > count) {
    return bind_error(L, "contact:%s: argument 'i' must be an integer in [1, %d], got %s", call, count, bind_got(L, 2));
  }
  return i == 1 ? 0 : 1;
}


// contact:point(i) -> x, y, separation, normal_impulse, tangent_impulse
static int contact_point(lua_State *L) {
  ImpContactInfo info = check_contact(L);
  return push_point(L, &info.points[point_at(L, info.count, "point")]);
}


// contact:feature(i) -> vertex_a, vertex_b, matched
static int contact_feature(lua_State *L) {
  ImpContactInfo info = check_contact(L);
  const ImpContactPoint *p = &info.points[point_at(L, info.count, "feature")];
  lua_pushinteger(L, p->feature >> 8);
  lua_pushinteger(L, p->feature & 0xff);
  lua_pushboolean(L, p->matched);
  return 3;
}


// Iterator function of contact:points(): (contact, i) -> i, x, y, separation, normal_impulse, tangent_impulse
static int next_point(lua_State *L) {
  ContactObject *self = luaL_testudata(L, 1, bind_contact_class.registry);
  lua_Integer i = lua_tointeger(L, 2);
  if (!self || !lua_isinteger(L, 2)) return bind_no_loop(L);
  bind_require(L, &bind_contact_class, self, NULL);
  ImpContactInfo info = info_of(self);
  if (i < 0 || i >= info.count) return 0;
  lua_pushinteger(L, i + 1);
  return 1 + push_point(L, &info.points[i]);
}


// for i, x, y, separation, normal_impulse, tangent_impulse in contact:points()
static int contact_points(lua_State *L) {
  check_contact(L);
  lua_pushcfunction(L, next_point);
  lua_pushvalue(L, 1);
  lua_pushinteger(L, 0);
  return 3;
}


// contact:force() -> fx, fy: mean force on body_b in the last step [N]
static int contact_force(lua_State *L) {
  ImpContactInfo info = check_contact(L);
  Handle *self = lua_touserdata(L, 1);
  double dt = 0, normal = 0, tangent = 0;
  bind_status(L, imp_world_get(self->box->world, IMP_WORLD_LAST_DT, &dt));
  for (int i = 0; i < info.count; i++) {
    normal += info.points[i].normal_impulse;
    tangent += info.points[i].tangent_impulse;
  }
  lua_pushnumber(L, (normal * info.normal.x + tangent * info.normal.y) / dt);
  lua_pushnumber(L, (normal * info.normal.y - tangent * info.normal.x) / dt);
  return 2;
}


// tostring(contact)
static int contact_tostring(lua_State *L) {
  ContactObject *self = luaL_checkudata(L, 1, bind_contact_class.registry);
  double a = 0, b = 0;
  if (!bind_contact_class.is_valid(self)) {
    lua_pushliteral(L, "ended contact");
    return 1;
  }
  ImpContactInfo info = info_of(self);
  imp_shape_get(self->handle.box->world, info.shape_a, IMP_SHAPE_ID, &a);
  imp_shape_get(self->handle.box->world, info.shape_b, IMP_SHAPE_ID, &b);
  lua_pushfstring(L, "contact of shapes %I and %I", (LUAI_UACINT)a, (LUAI_UACINT)b);
  return 1;
}


static const Entry contact_entries[] = {
    {.name = "body_a", .type = "body", .get = get_body_a, .doc = "body of shape_a"},
    {.name = "body_b", .type = "body", .get = get_body_b, .doc = "body of shape_b"},
    {.name = "shape_a", .type = "shape", .get = get_shape_a, .doc = "the older of the two shapes"},
    {.name = "shape_b", .type = "shape", .get = get_shape_b, .doc = "the newer of the two shapes"},
    {.name = "id",
     .type = "integer",
     .get = get_id,
     .doc = "48-bit number, the same while the two shapes touch. world:restore changes this number, so do not store "
            "the number in tables of world:state"},
    {.name = "count", .type = "integer", .get = get_count, .doc = "number of contact points, 1 or 2"},
    {.name = "friction",
     .type = "number",
     .unit = "1",
     .get = get_friction,
     .set = set_friction,
     .table = imp_contact_property,
     .property = IMP_CONTACT_FRICTION,
     .doc = "coefficient of friction, mixed from the two shapes. A pre_solve handler may set it for the present step; "
            "this is also true of restitution, rolling_resistance, surface_speed and enabled"},
    {.name = "restitution",
     .type = "number",
     .unit = "1",
     .get = get_restitution,
     .set = set_restitution,
     .table = imp_contact_property,
     .property = IMP_CONTACT_RESTITUTION,
     .doc = "coefficient of restitution, mixed from the two shapes"},
    {.name = "restitution_threshold",
     .type = "number",
     .unit = "m/s",
     .get = get_restitution_threshold,
     .doc = "approach speed below which the contact does not bounce: the smaller restitution_threshold of the two "
            "shapes. If neither shape has one: the normal speed that gravity and the applied forces add in two "
            "substeps; forces applied in substep handlers are left out"},
    {.name = "rolling_resistance",
     .type = "number",
     .unit = "m",
     .get = get_rolling_resistance,
     .set = set_rolling_resistance,
     .table = imp_contact_property,
     .property = IMP_CONTACT_ROLLING_RESISTANCE,
     .doc = "rolling resistance mixed from the two shapes, times the larger radius of the two shapes"},
    {.name = "surface_speed",
     .type = "number",
     .unit = "m/s",
     .get = get_surface_speed,
     .set = set_surface_speed,
     .table = imp_contact_property,
     .property = IMP_CONTACT_SURFACE_SPEED,
     .doc = "sum of the surface_speed of both shapes; its direction is the normal turned by -90 degrees"},
    {.name = "enabled",
     .type = "boolean",
     .get = get_enabled,
     .set = set_enabled,
     .table = imp_contact_property,
     .property = IMP_CONTACT_ENABLED,
     .doc = "false: the contact exerts no force, and neither wakes bodies nor keeps them awake. It is false while a "
            "body passes through a one-way shape, and in a step for which a pre_solve handler set it to false"},
    {.name = "speed",
     .type = "number",
     .unit = "m/s",
     .get = get_speed,
     .doc = "largest approach speed of the surfaces at a contact point, before forces acted in the last step; > 0: the "
            "surfaces approached"},
    {.name = "normal_impulse",
     .type = "number",
     .unit = "N s",
     .get = get_normal_impulse,
     .doc = "impulse on body_b along the normal, summed over the last step and over all contact points, >= 0"},
    {.name = "tangent_impulse",
     .type = "number",
     .unit = "N s",
     .get = get_tangent_impulse,
     .doc = "impulse on body_b along the normal turned by -90 degrees, summed over the last step and over all contact "
            "points"},
    {.name = "rolling_impulse",
     .type = "number",
     .unit = "N m s",
     .get = get_rolling_impulse,
     .doc = "angular impulse of the rolling resistance on body_b, summed over the last step; body_a got the opposite "
            "impulse"},
    {.name = "normal",
     .call = contact_normal,
     .signature = "() -> nx, ny",
     .doc = "unit vector from shape_a to shape_b"},
    {.name = "point",
     .call = contact_point,
     .signature = "(i) -> x, y, separation, normal_impulse, tangent_impulse",
     .unit = "m, m, m, N s, N s",
     .doc =
         "contact point i in world coordinates; separation < 0: overlap; the impulses are summed over the last step"},
    {.name = "points",
     .call = contact_points,
     .signature = "() -> iterator",
     .doc = "iterate over the contact points: for i, x, y, separation, normal_impulse, tangent_impulse in "
            "contact:points() do"},
    {.name = "feature",
     .call = contact_feature,
     .signature = "(i) -> vertex_a, vertex_b, matched",
     .doc =
         "the vertex of shape_a and the vertex of shape_b at contact point i, numbered from 0 within the convex piece "
         "that touches; 0, 0 if shape_a or shape_b is a circle. These numbers identify a point in consecutive steps. "
         "matched: the point existed in the step before, and was warm-started with its impulses of that step"},
    {.name = "force",
     .call = contact_force,
     .signature = "() -> fx, fy",
     .unit = "N",
     .doc = "force on body_b, mean over the last step"},
    {.name = "rows",
     .call = bind_contact_rows,
     .signature = "() -> iterator",
     .doc = "constraint rows of the contact in the last step: a normal row for each contact point, then a friction row "
            "for each, then a row of rolling resistance"},
    {.name = "is_valid",
     .call = bind_is_valid,
     .signature = "() -> boolean",
     .doc = "whether the object may be used. A step makes it invalid; it is valid again when an iterator or event "
            "returns it again. After the contact has ended it stays invalid, and 60 steps later the object may be "
            "reused for another contact"},
    {.name = NULL},
};


const Members bind_contact_members = {&bind_contact_class, contact_entries, contact_tostring, NULL};
