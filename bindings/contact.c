// The class contact: a view of two touching shapes, pooled, valid until the next step. See object.c for the pool.
#include "bindings.h"


static bool contact_is_valid(const void *self) {
  const ContactObject *object = self;
  const WorldBox *box = object->handle.box;
  return box->world && object->epoch == box->epoch && imp_contact_is_valid(box->world, (ImpContact){object->handle.id});
}


static void contact_require(lua_State *L, void *self, const Entry *entry) {
  (void)entry;
  const ContactObject *object = self;
  if (contact_is_valid(self)) return;
  if (object->handle.box->world && object->epoch != object->handle.box->epoch) {
    bind_error(L,
               "attempt to use a contact after its step (contacts are valid until the next step; from the %dth on the "
               "object may stand for another contact: keep contact.id)",
               POOL_REST);
  }
  bind_error(L, "attempt to use a contact that has ended");
}


static ImpContactInfo info_of(const void *self) {
  const ContactObject *object = self;
  ImpContactInfo info = {.count = 0};
  imp_contact_info(object->handle.box->world, (ImpContact){object->handle.id}, &info);
  return info;
}


static ImpContactInfo check_contact(lua_State *L) {
  void *self = bind_self(L);
  contact_require(L, self, NULL);
  return info_of(self);
}


// ---------------------------------------------------------------------------------------------------------------------
// Properties
// ---------------------------------------------------------------------------------------------------------------------

// contact.body_a
static int get_body_a(lua_State *L, void *self) {
  bind_push_body(L, 1, info_of(self).body_a);
  return 1;
}


// contact.body_b
static int get_body_b(lua_State *L, void *self) {
  bind_push_body(L, 1, info_of(self).body_b);
  return 1;
}


// contact.shape_a
static int get_shape_a(lua_State *L, void *self) {
  bind_push_shape(L, 1, info_of(self).shape_a);
  return 1;
}


// contact.shape_b
static int get_shape_b(lua_State *L, void *self) {
  bind_push_shape(L, 1, info_of(self).shape_b);
  return 1;
}


// contact.id
static int get_id(lua_State *L, void *self) {
  lua_pushinteger(L, (lua_Integer)((Handle *)self)->id);
  return 1;
}


// contact.count
static int get_count(lua_State *L, void *self) {
  lua_pushinteger(L, info_of(self).count);
  return 1;
}


// contact.friction
static int get_friction(lua_State *L, void *self) {
  lua_pushnumber(L, info_of(self).friction);
  return 1;
}


// contact.restitution
static int get_restitution(lua_State *L, void *self) {
  lua_pushnumber(L, info_of(self).restitution);
  return 1;
}


// contact.rolling_resistance
static int get_rolling_resistance(lua_State *L, void *self) {
  lua_pushnumber(L, info_of(self).rolling_resistance);
  return 1;
}


// contact.surface_speed
static int get_surface_speed(lua_State *L, void *self) {
  lua_pushnumber(L, info_of(self).surface_speed);
  return 1;
}


// contact.enabled
static int get_enabled(lua_State *L, void *self) {
  lua_pushboolean(L, info_of(self).enabled);
  return 1;
}


// ---------------------------------------------------------------------------------------------------------------------
// Methods
// ---------------------------------------------------------------------------------------------------------------------

// contact:normal() -> nx, ny
static int contact_normal(lua_State *L) {
  ImpContactInfo info = check_contact(L);
  lua_pushnumber(L, info.normal.x);
  lua_pushnumber(L, info.normal.y);
  return 2;
}


static int push_point(lua_State *L, const ImpContactPoint *p) {
  lua_pushnumber(L, p->point.x);
  lua_pushnumber(L, p->point.y);
  lua_pushnumber(L, p->separation);
  lua_pushnumber(L, p->normal_impulse);
  lua_pushnumber(L, p->tangent_impulse);
  return 5;
}


// contact:point(i) -> x, y, separation, normal_impulse, tangent_impulse
static int contact_point(lua_State *L) {
  ImpContactInfo info = check_contact(L);
  double i = bind_number(L, 2, "i", "1");
  if (!(i == 1 || i == 2) || i > info.count) {
    return bind_error(L, "contact:point: argument 'i' must be an integer in [1, %d], got %s", info.count,
                      bind_got(L, 2));
  }
  return push_point(L, &info.points[i == 1 ? 0 : 1]);
}


// The iterator function of contact:points(): (contact, i) -> i, x, y, separation, normal_impulse, tangent_impulse
static int next_point(lua_State *L) {
  ContactObject *self = luaL_testudata(L, 1, bind_contact_class.registry);
  lua_Integer i = lua_tointeger(L, 2);
  if (!self || !lua_isinteger(L, 2)) return bind_no_loop(L);
  contact_require(L, self, NULL);
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


// contact:force() -> fx, fy: on body_b, mean over the last step [N]. The tangent is the normal turned by -90 degrees.
static int contact_force(lua_State *L) {
  ImpContactInfo info = check_contact(L);
  Handle *self = lua_touserdata(L, 1);
  double dt = 0, normal = 0, tangent = 0;
  bind_status(L, imp_world_get(self->box->world, IMP_WORLD_DT, &dt));
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
  if (!contact_is_valid(self)) {
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
    {.name = "shape_a", .type = "shape", .get = get_shape_a, .doc = "the shape created earlier"},
    {.name = "shape_b", .type = "shape", .get = get_shape_b, .doc = "the shape created later"},
    {.name = "id", .type = "integer", .get = get_id, .doc = "the same while the two shapes touch"},
    {.name = "count", .type = "integer", .get = get_count, .doc = "number of points, 1 or 2"},
    {.name = "friction", .type = "number", .unit = "1", .get = get_friction, .doc = "mixed Coulomb coefficient"},
    {.name = "restitution", .type = "number", .unit = "1", .get = get_restitution, .doc = "mixed restitution"},
    {.name = "rolling_resistance",
     .type = "number",
     .unit = "m",
     .get = get_rolling_resistance,
     .doc = "mixed rolling resistance times the radius"},
    {.name = "surface_speed", .type = "number", .unit = "m/s", .get = get_surface_speed, .doc = "summed surface speed"},
    {.name = "enabled", .type = "boolean", .get = get_enabled, .doc = "false while a one-way shape lets it pass"},
    {.name = "normal", .call = contact_normal, .signature = "() -> nx, ny", .doc = "unit vector from a to b"},
    {.name = "point",
     .call = contact_point,
     .signature = "(i) -> x, y, separation, normal_impulse, tangent_impulse",
     .unit = "m, m, m, N s, N s",
     .doc = "point i in the world; separation < 0 is overlap; impulses are totals of the last step"},
    {.name = "points",
     .call = contact_points,
     .signature = "() -> iterator",
     .doc = "for i, x, y, separation, normal_impulse, tangent_impulse"},
    {.name = "force",
     .call = contact_force,
     .signature = "() -> fx, fy",
     .unit = "N",
     .doc = "on body_b, mean over the last step"},
    {.name = "rows",
     .call = bind_contact_rows,
     .signature = "() -> iterator",
     .doc = "its constraint rows of the last step: normal of each point, friction of each point, rolling"},
    {.name = "is_valid",
     .call = bind_is_valid,
     .signature = "() -> boolean",
     .doc = "false when it has ended, and from the next step on until it is met again; 60 steps after its end the "
            "object may stand for another contact"},
    {.name = NULL},
};


const Class bind_contact_class = {
    .name = "contact",
    .registry = "impel.contact",
    .entries = contact_entries,
    .require = contact_require,
    .is_valid = contact_is_valid,
    .tostring = contact_tostring,
};
