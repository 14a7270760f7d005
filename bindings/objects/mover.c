// The class mover: walking characters; and its constructor world:mover.
#include <stddef.h>

#include "objects/body.h"
#include "objects/data.h"
#include "objects/object.h"
#include "objects/world.h"

static ImpMover mover_of(const Handle *self) { return (ImpMover){self->id}; }


static void check_status(lua_State *L, ImpStatus status) {
  if (status != IMP_OK) bind_refused(L, &bind_mover_class, bind_caller(L));
}


// ---------------------------------------------------------------------------------------------------------------------
// Position and velocity
// ---------------------------------------------------------------------------------------------------------------------

// mover.body
static int get_body(lua_State *L, void *self) {
  bind_push_body(L, 1, (ImpBody){((Handle *)self)->id});
  return 1;
}


// mover.shape
static int get_shape(lua_State *L, void *self) {
  const Handle *handle = self;
  bind_push_shape(L, 1, imp_body_next_shape(handle->box->world, (ImpBody){handle->id}, (ImpShape){0}));
  return 1;
}


// mover.name
static int get_name(lua_State *L, void *self) {
  const char *name = NULL;
  imp_body_name(((Handle *)self)->box->world, (ImpBody){((Handle *)self)->id}, &name);
  lua_pushstring(L, name);
  return 1;
}


// mover:position() -> x, y
static int position(lua_State *L) {
  Handle *self = bind_check(L, &bind_mover_class);
  ImpVec2 p = {0, 0};
  check_status(L, imp_body_position(self->box->world, (ImpBody){self->id}, &p));
  return bind_push_vec2(L, p);
}


// mover:set_position(x, y)
static int set_position(lua_State *L) {
  Handle *self = bind_check(L, &bind_mover_class);
  check_status(L, imp_body_set_position(self->box->world, (ImpBody){self->id}, bind_vec2(L, 2, "m")));
  return 0;
}


// mover:velocity() -> vx, vy
static int velocity(lua_State *L) {
  Handle *self = bind_check(L, &bind_mover_class);
  ImpVec2 v = {0, 0};
  check_status(L, imp_mover_velocity(self->box->world, mover_of(self), &v));
  return bind_push_vec2(L, v);
}


// mover:set_velocity(vx, vy)
static int set_velocity(lua_State *L) {
  Handle *self = bind_check(L, &bind_mover_class);
  check_status(L, imp_mover_set_velocity(self->box->world, mover_of(self), bind_vec2(L, 2, "m/s")));
  return 0;
}


// ---------------------------------------------------------------------------------------------------------------------
// Touched shapes
// ---------------------------------------------------------------------------------------------------------------------

typedef ImpStatus (*TouchGetter)(const ImpWorld *world, ImpMover mover, bool *out_found, ImpMoverTouch *out_touch);

static bool touch_of(const Handle *self, TouchGetter get, ImpMoverTouch *out_touch) {
  bool found = false;
  return get(self->box->world, mover_of(self), &found, out_touch) == IMP_OK && found;
}


static int push_touched(lua_State *L, const Handle *self, TouchGetter get) {
  ImpMoverTouch touch;
  bind_push_shape(L, 1, touch_of(self, get, &touch) ? touch.shape : (ImpShape){0});
  return 1;
}


// mover.ground, mover.wall, mover.ceiling
static int get_ground(lua_State *L, void *self) { return push_touched(L, self, imp_mover_ground); }
static int get_wall(lua_State *L, void *self) { return push_touched(L, self, imp_mover_wall); }
static int get_ceiling(lua_State *L, void *self) { return push_touched(L, self, imp_mover_ceiling); }


// mover:ground_normal() -> nx, ny or nothing
static int ground_normal(lua_State *L) {
  ImpMoverTouch touch;
  return touch_of(bind_check(L, &bind_mover_class), imp_mover_ground, &touch) ? bind_push_vec2(L, touch.normal) : 0;
}


// mover:ground_point() -> x, y or nothing
static int ground_point(lua_State *L) {
  ImpMoverTouch touch;
  return touch_of(bind_check(L, &bind_mover_class), imp_mover_ground, &touch) ? bind_push_vec2(L, touch.point) : 0;
}


// mover:ground_velocity() -> vx, vy or nothing
static int ground_velocity(lua_State *L) {
  ImpMoverTouch touch;
  return touch_of(bind_check(L, &bind_mover_class), imp_mover_ground, &touch) ? bind_push_vec2(L, touch.velocity) : 0;
}


// mover:wall_normal() -> nx, ny or nothing
static int wall_normal(lua_State *L) {
  ImpMoverTouch touch;
  return touch_of(bind_check(L, &bind_mover_class), imp_mover_wall, &touch) ? bind_push_vec2(L, touch.normal) : 0;
}


// ---------------------------------------------------------------------------------------------------------------------
// Actions
// ---------------------------------------------------------------------------------------------------------------------

// mover:jump(speed)
static int jump(lua_State *L) {
  Handle *self = bind_check(L, &bind_mover_class);
  check_status(L, imp_mover_jump(self->box->world, mover_of(self), bind_number(L, 2, "speed", "m/s")));
  return 0;
}


// mover:drop_through() -> boolean
static int drop_through(lua_State *L) {
  Handle *self = bind_check(L, &bind_mover_class);
  bool drops = false;
  check_status(L, imp_mover_drop_through(self->box->world, mover_of(self), &drops));
  lua_pushboolean(L, drops);
  return 1;
}


// mover:set_height(height) -> boolean
static int set_height(lua_State *L) {
  Handle *self = bind_check(L, &bind_mover_class);
  bool done = false;
  double height = bind_number(L, 2, "height", "m");
  check_status(L, imp_mover_set_height(self->box->world, mover_of(self), height, &done));
  lua_pushboolean(L, done);
  return 1;
}


// mover:move(dx, dy) -> dx, dy
static int move(lua_State *L) {
  Handle *self = bind_check(L, &bind_mover_class);
  ImpVec2 moved = {0, 0};
  check_status(L, imp_mover_move(self->box->world, mover_of(self), bind_vec2(L, 2, "m"), &moved));
  return bind_push_vec2(L, moved);
}


// mover:destroy(); a second call does nothing
static int mover_destroy(lua_State *L) {
  Handle *self = bind_self(L);
  if (!bind_mover_class.is_valid(self)) return 0;
  ImpBody body = {0};
  imp_mover_body(self->box->world, mover_of(self), &body);
  check_status(L, imp_mover_destroy(self->box->world, mover_of(self)));
  bind_note_end(L, 1, body.id);
  return 0;
}


// tostring(mover)
static int mover_tostring(lua_State *L) { return bind_object_tostring(L, &bind_mover_class, NULL, false); }


// ---------------------------------------------------------------------------------------------------------------------
// The constructor
// ---------------------------------------------------------------------------------------------------------------------

#define AT(member) .offset = offsetof(ImpMoverDef, member)

// Options in addition to the properties that a definition contains.
static const Field mover_fields[] = {
    {.name = "name", .kind = FIELD_STRING, AT(name), .doc = "name of the mover's body, for world:find and messages"},
    {.name = "position",
     .kind = FIELD_VEC2,
     AT(position),
     .unit = "m",
     .doc = "position of the mover's feet; { 0, 0 } by default"},
    {.name = "velocity",
     .kind = FIELD_VEC2,
     AT(velocity),
     .unit = "m/s",
     .doc = "initial velocity; { 0, 0 } by default"},
    {.name = "friction",
     .kind = FIELD_NUMBER,
     AT(friction),
     .table = imp_shape_property,
     .property = IMP_SHAPE_FRICTION,
     .doc = "coefficient of friction of the mover's shape. Friction carries along bodies that stand on the mover; 0.6 "
            "by default"},
    {.name = "category",
     .kind = FIELD_BITS,
     AT(category),
     .doc = "bits: categories of the mover's shape; 1 by default"},
    {.name = "mask",
     .kind = FIELD_BITS,
     AT(mask),
     .doc = "bits: categories that the mover collides with; all by default"},
    {.name = "group",
     .kind = FIELD_INTEGER,
     AT(group),
     .table = imp_shape_property,
     .property = IMP_SHAPE_GROUP,
     .doc = "number of a group: shapes of the same group always collide if the number is above 0, and never if it is "
            "below 0; 0, the default: no group"},
    {.name = "data", .kind = FIELD_ANY, .doc = "any Lua value"},
    {.name = NULL},
};

const Options bind_mover_options = {
    .fields = mover_fields, .properties = imp_mover_property, .values = true, .scope = "mover"};


// world:mover{...} -> mover
int bind_world_mover(lua_State *L) {
  WorldBox *box = bind_check_world(L);
  ImpMoverDef def = imp_mover_def();
  ImpMover mover;
  lua_settop(L, 2);
  bind_options(L, 2, "world:mover", &bind_mover_options, &def);
  bind_status(L, imp_mover_create(box->world, &def, &mover));
  bind_push_object(L, 1, SLOT_MOVERS, mover.id);
  bind_keep_option(L, 2, "data", SLOT_BODY_DATA, mover.id);
  return 1;
}


// mover:options() -> table
static int mover_definition(lua_State *L) {
  Handle *self = bind_check(L, &bind_mover_class);
  ImpMoverDef def, none = imp_mover_def();
  check_status(L, imp_mover_definition(self->box->world, mover_of(self), &def));
  bind_push_options(L, &bind_mover_options, &def, &none);
  int table = lua_gettop(L);
  bind_get_data(L, self, SLOT_BODY_DATA);
  lua_setfield(L, table, "data");
  lua_settop(L, table);
  return 1;
}


static const Entry mover_entries[] = {
    {.name = "world", .type = "world", .get = bind_get_world, .doc = "the world of the mover"},
    {.name = "body",
     .type = "body",
     .get = get_body,
     .doc = "the mover's kinematic body, with its origin at the feet. Other objects touch it, sensors detect it, and "
            "joints can be attached to it; only the mover moves it"},
    {.name = "shape",
     .type = "shape",
     .get = get_shape,
     .doc = "capsule of the mover. The filter, category, mask and group of the capsule select the obstacles that stop "
            "the mover. pre_solve handlers do not change these obstacles"},
    {.name = "name", .type = "string", .get = get_name, .doc = "name of the mover's body, for messages, or nil"},
    {.name = "data",
     .type = "any",
     .get = bind_get_own_data,
     .set = bind_set_own_data,
     .doc = "any Lua value; identical to `data` of the mover's body"},
    {.name = "position", .call = position, .signature = "() -> x, y", .unit = "m", .doc = "position of its feet"},
    {.name = "set_position",
     .call = set_position,
     .signature = "(x, y)",
     .unit = "m",
     .doc = "teleport the mover's feet to a point; the mover keeps its velocity and leaves its ground"},
    {.name = "velocity",
     .call = velocity,
     .signature = "() -> vx, vy",
     .unit = "m/s",
     .doc = "velocity of the mover itself, plus the velocity of its ground while it stands on ground"},
    {.name = "set_velocity",
     .call = set_velocity,
     .signature = "(x, y)",
     .unit = "m/s",
     .doc = "set the velocity. The mover takes off if this velocity leads away from its ground at more than 0.1 m/s. "
            "If the mover stays on the ground, its speed returns to `walk` at the rate `acceleration`"},
    {.name = "ground", .type = "shape", .get = get_ground, .doc = "the shape that the mover stands on, or nil"},
    {.name = "wall",
     .type = "shape",
     .get = get_wall,
     .doc = "a shape that the mover touches and that is too steep to stand on, or nil"},
    {.name = "ceiling", .type = "shape", .get = get_ceiling, .doc = "the shape that the mover's head touches, or nil"},
    {.name = "ground_normal",
     .call = ground_normal,
     .signature = "() -> nx, ny",
     .doc = "upward normal of the surface that the mover stands on; no values while the mover is in the air"},
    {.name = "ground_point",
     .call = ground_point,
     .signature = "() -> x, y",
     .unit = "m",
     .doc =
         "point at which the mover stands on its ground, after the last step; no values while the mover is in the air"},
    {.name = "ground_velocity",
     .call = ground_velocity,
     .signature = "() -> vx, vy",
     .unit = "m/s",
     .doc = "velocity of the ground at the point of mover:ground_point(), in the last step; no values while the mover "
            "is in the air"},
    {.name = "wall_normal",
     .call = wall_normal,
     .signature = "() -> nx, ny",
     .doc = "normal of the wall, or of the slope that the mover slides down, pointing to the mover; no values if there "
            "is no wall or slope"},
    {.name = "jump",
     .call = jump,
     .signature = "(speed)",
     .unit = "m/s",
     .doc = "take off upwards at this speed relative to its ground. The mover jumps in the air too; a script that "
            "forbids this checks air_time"},
    {.name = "drop_through",
     .call = drop_through,
     .signature = "() -> boolean",
     .doc = "fall through the one-way shape that the mover stands on. Returns false if the mover does not stand on a "
            "one-way shape"},
    {.name = "set_height",
     .call = set_height,
     .signature = "(height) -> boolean",
     .unit = "m",
     .doc = "set the height, to crouch or to stand up; the feet stay in place. Returns false, and changes nothing, if "
            "an obstacle is in the way"},
    {.name = "move",
     .call = move,
     .signature = "(dx, dy) -> dx, dy",
     .unit = "m",
     .doc = "move by (dx, dy) at once, sliding along obstacles; returns the displacement"},
    {.name = "options",
     .call = mover_definition,
     .signature = "() -> table",
     .doc = "options of world:mover that recreate the mover as it is now"},
    {.name = "destroy", .call = mover_destroy, .signature = "()", .doc = "remove the mover and its body"},
    {.name = "is_valid", .call = bind_is_valid, .signature = "() -> boolean", .doc = "false once destroyed"},
    {.name = NULL},
};


const Members bind_mover_members = {&bind_mover_class, mover_entries, mover_tostring, NULL};
