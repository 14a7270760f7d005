// The class body.
#include <limits.h>
#include <stddef.h>

#include "objects/body.h"
#include "objects/cursor.h"
#include "objects/data.h"
#include "objects/look.h"
#include "objects/object.h"
#include "objects/shape.h"
#include "objects/world.h"


static ImpBody body_of(const Handle *self) { return (ImpBody){self->id}; }


// Raise after a call of the core failed: the body is destroyed or an argument is illegal.
static int body_failed(lua_State *L, Handle *self, ImpStatus status) {
  bind_require(L, &bind_body_class, self, NULL);
  bind_status(L, status);
  return 0;
}


// Return the receiver of a method after a check of the world. The core checks the body.
static inline Handle *check_body(lua_State *L) {
  Handle *self = bind_self(L);
  if (!self->box->world) bind_dead(L, 1, "body");
  return self;
}


static void check_status(lua_State *L, Handle *self, ImpStatus status) {
  if (status != IMP_OK) body_failed(L, self, status);
}


// ---------------------------------------------------------------------------------------------------------------------
// Properties
// ---------------------------------------------------------------------------------------------------------------------

// body.hash
static int get_hash(lua_State *L, void *self) {
  Handle *handle = self;
  uint64_t hash = 0;
  imp_body_hash(handle->box->world, body_of(handle), &hash);
  bind_push_hex(L, &hash, 1);
  return 1;
}


// body.type
static int get_type(lua_State *L, void *self) {
  Handle *handle = self;
  ImpBodyType type = IMP_BODY_STATIC;
  imp_body_type(handle->box->world, body_of(handle), &type);
  lua_pushstring(L, imp_body_type_name((int)type));
  return 1;
}


static void set_type(lua_State *L, void *self) {
  Handle *handle = self;
  int type = bind_choice(L, 3, "body.type", imp_body_type_name);
  if (imp_body_set_type(handle->box->world, body_of(handle), (ImpBodyType)type) != IMP_OK) {
    bind_refused(L, &bind_body_class, "body.type");
  }
}


// body:look() -> options or nil
static int body_look(lua_State *L) {
  Handle *self = bind_check(L, &bind_body_class);
  return bind_push_look(L, self, SLOT_BODY_LOOK);
}


// body:set_look(options or nil)
static int body_set_look(lua_State *L) {
  Handle *self = bind_check(L, &bind_body_class);
  bind_read_look(L, 2, "body:set_look");
  bind_keep_look(L, SLOT_BODY_LOOK, self->id);
  return 0;
}


// body.mover
static int get_mover(lua_State *L, void *self) {
  const Handle *handle = self;
  ImpMover mover = imp_body_mover(handle->box->world, (ImpBody){handle->id});
  bind_push_object(L, 1, SLOT_MOVERS, mover.id);
  return 1;
}


// ---------------------------------------------------------------------------------------------------------------------
// Pose and motion
// ---------------------------------------------------------------------------------------------------------------------

// Push the vector that `get` returns. Scripts call such getters most often: the body is checked only if `get` fails.
static inline int push_vector(lua_State *L, ImpStatus (*get)(const ImpWorld *, ImpBody, ImpVec2 *)) {
  Handle *self = bind_self_raw(L);
  ImpWorld *world = self->box->world;
  ImpVec2 v;
  ImpStatus status = world ? get(world, body_of(self), &v) : IMP_ERR_HANDLE;
  if (status != IMP_OK) return body_failed(L, self, status);
  return bind_push_vec2(L, v);
}


// body:position() -> x, y
static int body_position(lua_State *L) { return push_vector(L, imp_body_position); }


// body:velocity() -> vx, vy
static int body_velocity(lua_State *L) { return push_vector(L, imp_body_velocity); }


// body:center() -> x, y
static int body_center(lua_State *L) { return push_vector(L, imp_body_center); }


// body:contact_force() -> fx, fy
static int body_contact_force(lua_State *L) { return push_vector(L, imp_body_contact_force); }


// body:set_position(x, y)
static int body_set_position(lua_State *L) {
  Handle *self = check_body(L);
  check_status(L, self, imp_body_set_position(self->box->world, body_of(self), bind_vec2(L, 2, "m")));
  return 0;
}


// body:set_pose(x, y, angle)
static int body_set_pose(lua_State *L) {
  Handle *self = check_body(L);
  bind_require(L, &bind_body_class, self, NULL); // a destroyed body is reported before a missing argument
  ImpVec2 to = bind_vec2(L, 2, "m");
  double angle = bind_number(L, 4, "angle", "rad");
  check_status(L, self, imp_body_set_pose(self->box->world, body_of(self), to, angle));
  return 0;
}


// body:move_to(x, y [, angle])
static int body_move_to(lua_State *L) {
  Handle *self = check_body(L);
  ImpVec2 to = bind_vec2(L, 2, "m");
  ImpWorld *world = self->box->world;
  check_status(L, self,
               lua_isnoneornil(L, 4)
                   ? imp_body_move_to(world, body_of(self), to)
                   : imp_body_move_to_pose(world, body_of(self), to, bind_number(L, 4, "angle", "rad")));
  return 0;
}


// body:set_center(x, y)
static int body_set_center(lua_State *L) {
  Handle *self = check_body(L);
  check_status(L, self, imp_body_set_center(self->box->world, body_of(self), bind_vec2(L, 2, "m")));
  return 0;
}


// body:set_velocity(vx, vy)
static int body_set_velocity(lua_State *L) {
  Handle *self = check_body(L);
  check_status(L, self, imp_body_set_velocity(self->box->world, body_of(self), bind_vec2(L, 2, "m/s")));
  return 0;
}


// body:velocity_at(x, y) -> vx, vy
static int body_velocity_at(lua_State *L) {
  Handle *self = check_body(L);
  ImpVec2 v;
  check_status(L, self, imp_body_velocity_at(self->box->world, body_of(self), bind_vec2(L, 2, "m"), &v));
  return bind_push_vec2(L, v);
}


// body:kinetic_energy() -> J
static int body_kinetic_energy(lua_State *L) {
  Handle *self = check_body(L);
  double energy = 0;
  check_status(L, self, imp_body_kinetic_energy(self->box->world, body_of(self), &energy));
  lua_pushnumber(L, energy);
  return 1;
}


// Convert a point or direction from body to world coordinates or back.
static int convert(lua_State *L, bool to_world, bool is_point) {
  Handle *self = check_body(L);
  ImpVec2 v = bind_vec2(L, 2, "m");
  ImpTransform t;
  check_status(L, self, imp_body_transform(self->box->world, body_of(self), &t));
  double c = t.q.c, s = t.q.s, px = is_point ? t.p.x : 0, py = is_point ? t.p.y : 0;
  if (to_world) {
    lua_pushnumber(L, c * v.x - s * v.y + px);
    lua_pushnumber(L, s * v.x + c * v.y + py);
  } else {
    lua_pushnumber(L, c * (v.x - px) + s * (v.y - py));
    lua_pushnumber(L, -s * (v.x - px) + c * (v.y - py));
  }
  return 2;
}


// body:world_point(lx, ly) -> x, y
static int body_world_point(lua_State *L) { return convert(L, true, true); }


// body:local_point(x, y) -> lx, ly
static int body_local_point(lua_State *L) { return convert(L, false, true); }


// body:world_vector(lx, ly) -> x, y
static int body_world_vector(lua_State *L) { return convert(L, true, false); }


// body:local_vector(x, y) -> lx, ly
static int body_local_vector(lua_State *L) { return convert(L, false, false); }


// ---------------------------------------------------------------------------------------------------------------------
// Forces
// ---------------------------------------------------------------------------------------------------------------------

typedef ImpStatus (*Push)(ImpWorld *, ImpBody, ImpVec2);
typedef ImpStatus (*PushAt)(ImpWorld *, ImpBody, ImpVec2, ImpVec2);


// Apply a force or impulse at the centre of mass or at a point. Error messages name its components `x` and `y`.
static inline int push_body(lua_State *L, const char *x, const char *y, const char *unit, Push push, PushAt push_at) {
  Handle *self = bind_self_raw(L);
  bool alone = lua_gettop(L) == 4;
  if (!alone) lua_pop(L, 1);
  ImpWorld *world = self->box->world;
  if (!world) bind_dead(L, 1, "body");
  ImpVec2 by = {bind_number(L, 2, x, unit), bind_number(L, 3, y, unit)};
  ImpStatus status;
  if (alone || (lua_isnoneornil(L, 4) && lua_isnoneornil(L, 5))) {
    status = push(world, body_of(self), by);
  } else {
    ImpVec2 at = {bind_number(L, 4, "px", "m"), bind_number(L, 5, "py", "m")};
    status = push_at(world, body_of(self), by, at);
  }
  check_status(L, self, status);
  return 0;
}


// body:apply_force(fx, fy [, px, py])
static int body_apply_force(lua_State *L) {
  return push_body(L, "fx", "fy", "N", imp_body_apply_force, imp_body_apply_force_at);
}


// body:apply_impulse(ix, iy [, px, py])
static int body_apply_impulse(lua_State *L) {
  return push_body(L, "ix", "iy", "N s", imp_body_apply_impulse, imp_body_apply_impulse_at);
}


// body:apply_torque(t)
static int body_apply_torque(lua_State *L) {
  Handle *self = check_body(L);
  check_status(L, self, imp_body_apply_torque(self->box->world, body_of(self), bind_number(L, 2, "t", "N m")));
  return 0;
}


// body:apply_angular_impulse(i)
static int body_apply_angular_impulse(lua_State *L) {
  Handle *self = check_body(L);
  check_status(L, self,
               imp_body_apply_angular_impulse(self->box->world, body_of(self), bind_number(L, 2, "i", "N m s")));
  return 0;
}


// ---------------------------------------------------------------------------------------------------------------------
// Parts and destruction
// ---------------------------------------------------------------------------------------------------------------------

static int iterate(lua_State *L, CursorKind kind) {
  Handle *self = bind_check(L, &bind_body_class);
  return bind_iterate(L, self, kind);
}


// for shape in body:shapes()
static int body_shapes(lua_State *L) { return iterate(L, CURSOR_SHAPES_OF); }


// for joint in body:joints()
static int body_joints(lua_State *L) { return iterate(L, CURSOR_JOINTS_OF); }


// for contact in body:contacts()
static int body_contacts(lua_State *L) { return iterate(L, CURSOR_CONTACTS_OF); }


static bool any_data(lua_State *L, int slot) {
  bind_world_table(L, 1, slot);
  lua_pushnil(L);
  bool any = lua_next(L, -2);
  lua_pop(L, any ? 3 : 1);
  return any;
}


// Append a slot of the world table and an object's id to the list at index 2.
static void note(lua_State *L, int slot, uint64_t id) {
  lua_Integer n = (lua_Integer)lua_rawlen(L, 2);
  lua_pushinteger(L, slot);
  lua_rawseti(L, 2, n + 1);
  lua_pushinteger(L, bind_key(id));
  lua_rawseti(L, 2, n + 2);
}


// Push { slot, id, slot, id, ... }: where the world table stores data of the body, its shapes and its joints.
static void list_data(lua_State *L, const Handle *self) {
  ImpWorld *world = self->box->world;
  lua_newtable(L);
  note(L, SLOT_BODY_DATA, self->id);
  note(L, SLOT_BODY_LOOK, self->id);
  if (any_data(L, SLOT_SHAPE_DATA) || any_data(L, SLOT_FILTERS) || any_data(L, SLOT_SHAPE_LOOK)) {
    for (ImpShape s = imp_body_next_shape(world, body_of(self), (ImpShape){0}); s.id != 0;
         s = imp_body_next_shape(world, body_of(self), s)) {
      note(L, SLOT_SHAPE_DATA, s.id);
      note(L, SLOT_FILTERS, s.id);
      note(L, SLOT_SHAPE_LOOK, s.id);
    }
  }
  if (any_data(L, SLOT_JOINT_DATA)) {
    for (ImpJoint j = imp_body_next_joint(world, body_of(self), (ImpJoint){0}); j.id != 0;
         j = imp_body_next_joint(world, body_of(self), j)) {
      note(L, SLOT_JOINT_DATA, j.id);
    }
  }
}


void bind_forget_ends(WorldBox *box) {
  box->ended_before += (uint64_t)box->ended + 1;
  box->ended = 0;
}


void bind_note_end(lua_State *L, int owner, uint64_t body) {
  WorldBox *box = ((const Handle *)lua_touserdata(L, owner))->box;
  if (box->ended_room == 0) return;
  if (box->ended >= box->ended_room) bind_forget_ends(box);
  bind_world_table(L, owner, SLOT_ENDED);
  lua_pushinteger(L, bind_key(body));
  lua_rawseti(L, -2, ++box->ended);
  lua_pop(L, 1);
}


// impel.core.ended(world, since, room) -> now [, bodies]; nothing for a destroyed world
// bodies: the bodies destroyed since the call that returned `since` as `now`
// If no body was destroyed, now == since, and `bodies` is missing. If more than `room` bodies were destroyed, or a
// restore recreated some, now ~= since, and `bodies` is missing.
int bind_ended(lua_State *L) {
  WorldBox *box = luaL_testudata(L, 1, bind_world_class.registry);
  if (!box || !lua_isinteger(L, 2) || !lua_isinteger(L, 3)) {
    return bind_error(L, "impel.ended takes (world, since, room): a world and two integers, got %s, %s and %s",
                      bind_got(L, 1), bind_got(L, 2), bind_got(L, 3));
  }
  if (!box->world) return 0;
  if (box->borrowed) bind_forget_ends(box); // a playback destroys bodies without calls of bind_note_end
  lua_Integer room = lua_tointeger(L, 3), now = (lua_Integer)box->ended_before + box->ended;
  lua_Integer since = lua_tointeger(L, 2), first = since - (lua_Integer)box->ended_before;
  if (room > box->ended_room) box->ended_room = room < INT_MAX ? (int)room : INT_MAX;
  lua_pushinteger(L, now);
  if (first < 0 || since >= now) return 1;
  lua_createtable(L, box->ended - (int)first, 0);
  bind_world_table(L, 1, SLOT_ENDED);
  bind_world_table(L, 1, SLOT_BODIES);
  for (int i = (int)first + 1, n = 0; i <= box->ended; i++) {
    lua_rawgeti(L, -2, i);
    // a body without a userdata is not listed, because no script can refer to it
    bool held = lua_rawget(L, -2) != LUA_TNIL;
    if (held) lua_rawseti(L, -4, ++n);
    if (!held) lua_pop(L, 1);
  }
  lua_pop(L, 2);
  return 2;
}


// body:destroy(). Releases the Lua values unless a snapshot may restore them.
static int body_destroy(lua_State *L) {
  Handle *self = bind_self(L);
  if (!bind_body_class.is_valid(self)) return 0;
  lua_settop(L, 1);
  bool has_data = !self->box->keeps &&
                  (any_data(L, SLOT_BODY_DATA) || any_data(L, SLOT_SHAPE_DATA) || any_data(L, SLOT_FILTERS) ||
                   any_data(L, SLOT_JOINT_DATA) || any_data(L, SLOT_BODY_LOOK) || any_data(L, SLOT_SHAPE_LOOK));
  if (has_data) list_data(L, self);
  bind_status(L, imp_body_destroy(self->box->world, body_of(self)));
  bind_note_end(L, 1, self->id);
  for (lua_Integer i = 1; has_data && i < (lua_Integer)lua_rawlen(L, 2); i += 2) {
    lua_rawgeti(L, 2, i);
    bind_world_table(L, 1, (int)lua_tointeger(L, -1));
    lua_rawgeti(L, 2, i + 1);
    lua_pushnil(L);
    lua_rawset(L, -3);
    lua_settop(L, 2);
  }
  return 0;
}


// tostring(body)
static int body_tostring(lua_State *L) { return bind_object_tostring(L, &bind_body_class, NULL, true); }


static const Entry body_entries[] = {
    {.name = "world", .type = "world", .get = bind_get_world, .doc = "the world of the body"},
    {.name = "mover", .type = "mover", .get = get_mover, .doc = "the mover that this body belongs to, or nil"},
    {.name = "type",
     .type = "choice",
     .get = get_type,
     .set = set_type,
     .doc = "\"static\", \"kinematic\", \"dynamic\" or \"particle\" (no rotation)"},
    {.name = "hash",
     .type = "string",
     .get = get_hash,
     .doc = "hash of the body's own dynamic state (id, type, awake, enabled, pose, velocity, sleep time, kinematic "
            "target of move_to), 16 hex digits"},
    {.name = "name",
     .type = "string",
     .get = bind_get_name,
     .set = bind_set_name,
     .doc = "name of the body for world:find and messages, or nil"},
    {.name = "data",
     .type = "any",
     .get = bind_get_own_data,
     .set = bind_set_own_data,
     .doc = "any Lua value; kept until the body is destroyed"},
    {.name = "look",
     .call = body_look,
     .signature = "() -> table or nil",
     .doc = "the look given to set_look, with colours as 0xRRGGBBAA, or nil"},
    {.name = "set_look",
     .call = body_set_look,
     .signature = "([{...}])",
     .options = &bind_look_options,
     .doc =
         "set colours, edge width, visibility and drawing order for windows and pictures. The new look replaces the "
         "whole present look; nil restores the default look. Snapshots contain the look; hashes and recordings do not"},
    {.name = "position",
     .call = body_position,
     .signature = "() -> x, y",
     .unit = "m",
     .doc = "position of the body's origin"},
    {.name = "set_position",
     .call = body_set_position,
     .signature = "(x, y)",
     .unit = "m",
     .doc = "teleport the origin. The body keeps its velocity; the impulses of its contacts are discarded"},
    {.name = "set_pose",
     .call = body_set_pose,
     .signature = "(x, y, angle)",
     .unit = "m",
     .doc = "teleport the origin to (x, y) and set the angle in rad. The body keeps its velocity; the impulses of its "
            "contacts are discarded"},
    {.name = "move_to",
     .call = body_move_to,
     .signature = "(x, y [, angle])",
     .unit = "m",
     .doc = "set the pose that a kinematic body reaches in the next step; then the body stops. Without `angle` the "
            "body keeps its angle. The angle in rad is not wrapped: a target of 2 pi from 0 is a whole turn"},
    {.name = "velocity",
     .call = body_velocity,
     .signature = "() -> vx, vy",
     .unit = "m/s",
     .doc = "velocity of the centre of mass"},
    {.name = "set_velocity",
     .call = body_set_velocity,
     .signature = "(x, y)",
     .unit = "m/s",
     .doc = "set the velocity of the centre of mass. If the body is dynamic, the rotors (armature) of its joints get "
            "the new speeds of their coordinates; if it is kinematic, they keep their speeds. Setting "
            "angular_velocity does the same"},
    {.name = "center",
     .call = body_center,
     .signature = "() -> x, y",
     .unit = "m",
     .doc = "position of the centre of mass"},
    {.name = "set_center",
     .call = body_set_center,
     .signature = "(x, y)",
     .unit = "m",
     .doc = "teleport the centre of mass. The body keeps its velocity; the impulses of its contacts are discarded"},
    {.name = "velocity_at",
     .call = body_velocity_at,
     .signature = "(x, y) -> vx, vy",
     .unit = "m/s",
     .doc = "velocity of the body at the world point x, y"},
    {.name = "world_point",
     .call = body_world_point,
     .signature = "(lx, ly) -> x, y",
     .unit = "m",
     .doc = "convert a point from the body's frame to the world"},
    {.name = "local_point",
     .call = body_local_point,
     .signature = "(x, y) -> lx, ly",
     .unit = "m",
     .doc = "convert a point from the world to the body's frame"},
    {.name = "world_vector",
     .call = body_world_vector,
     .signature = "(lx, ly) -> x, y",
     .doc = "rotate a vector from the body's frame to the world"},
    {.name = "local_vector",
     .call = body_local_vector,
     .signature = "(x, y) -> lx, ly",
     .doc = "rotate a vector from the world to the body's frame"},
    {.name = "apply_force",
     .call = body_apply_force,
     .signature = "(fx, fy [, px, py])",
     .unit = "N",
     .doc = "apply a force at the centre of mass, or at a world point, during the next step; in a substep handler, "
            "during that substep"},
    {.name = "apply_torque",
     .call = body_apply_torque,
     .signature = "(t)",
     .unit = "N m",
     .doc = "apply a torque, as apply_force does"},
    {.name = "apply_impulse",
     .call = body_apply_impulse,
     .signature = "(ix, iy [, px, py])",
     .unit = "N s",
     .doc = "change the velocity at once, by an impulse at the centre of mass or at a world point"},
    {.name = "apply_angular_impulse",
     .call = body_apply_angular_impulse,
     .signature = "(i)",
     .unit = "N m s",
     .doc = "change the angular velocity at once"},
    {.name = "contact_force",
     .call = body_contact_force,
     .signature = "() -> fx, fy",
     .unit = "N",
     .doc = "sum of the contact forces on the body, mean over the last step"},
    {.name = "kinetic_energy",
     .call = body_kinetic_energy,
     .signature = "() -> energy",
     .unit = "J",
     .doc = "kinetic energy of translation and rotation; 0 for static and kinematic bodies"},
    {.name = "circle",
     .call = bind_body_circle,
     .signature = "{...} -> shape",
     .options = &bind_circle_options,
     .doc = "add a circle"},
    {.name = "box",
     .call = bind_body_box,
     .signature = "{...} -> shape",
     .options = &bind_box_options,
     .doc = "add a box, { width, height, ... }"},
    {.name = "polygon",
     .call = bind_body_polygon,
     .signature = "{...} -> shape",
     .options = &bind_polygon_options,
     .doc = "add a polygon, convex or concave, with holes or without"},
    {.name = "capsule",
     .call = bind_body_capsule,
     .signature = "{...} -> shape",
     .options = &bind_capsule_options,
     .doc = "add a capsule"},
    {.name = "segment",
     .call = bind_body_segment,
     .signature = "{...} -> shape",
     .options = &bind_segment_options,
     .doc = "add a two-sided line without mass"},
    {.name = "chain",
     .call = bind_body_chain,
     .signature = "{...} -> shape",
     .options = &bind_chain_options,
     .doc = "add a smooth one-sided line without mass: the ground is on the left of its direction, and bodies touch it "
            "from the right; points from right to left make a floor"},
    {.name = "heights",
     .call = bind_body_heights,
     .signature = "{...} -> shape",
     .options = &bind_heights_options,
     .doc = "add terrain from a list of heights: a smooth line without mass, solid below"},
    {.name = "shapes",
     .call = body_shapes,
     .signature = "() -> iterator",
     .doc = "shapes of the body in creation order"},
    {.name = "joints",
     .call = body_joints,
     .signature = "() -> iterator",
     .doc = "joints of the body in creation order"},
    {.name = "contacts", .call = body_contacts, .signature = "() -> iterator", .doc = "touching contacts of the body"},
    {.name = "options",
     .call = bind_body_definition,
     .signature = "() -> table",
     .doc = "options of world:body{...} that recreate the body as it is now, without its shapes"},
    {.name = "destroy",
     .call = body_destroy,
     .signature = "()",
     .doc = "remove the body with its shapes, contacts and joints"},
    {.name = "is_valid", .call = bind_is_valid, .signature = "() -> boolean", .doc = "false once destroyed"},
    {.name = NULL},
};


const Members bind_body_members = {&bind_body_class, body_entries, body_tostring, NULL};
