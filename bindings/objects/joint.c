// The class joint.
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "objects/constraint.h"
#include "objects/data.h"
#include "objects/joint.h"
#include "objects/object.h"
#include "objects/row.h"


static ImpJoint joint_of(const Handle *self) { return (ImpJoint){self->id}; }


// ---------------------------------------------------------------------------------------------------------------------
// Properties
// ---------------------------------------------------------------------------------------------------------------------

static const ImpJointKindInfo *kind_of(const Handle *self) {
  ImpJointKind kind = IMP_JOINT_REVOLUTE;
  imp_joint_kind_of(self->box->world, joint_of(self), &kind);
  return imp_joint_kind((int)kind);
}


// joint.kind
static int get_kind(lua_State *L, void *self) {
  lua_pushstring(L, kind_of(self)->name);
  return 1;
}


// Get the bodies in the order of the Jacobians of coordinates and rows; return the number of bodies.
static int bodies_of(const Handle *self, ImpBody bodies[BIND_MAX_JOINT_BODIES]) {
  int count = 0;
  imp_joint_bodies(self->box->world, joint_of(self), bodies, BIND_MAX_JOINT_BODIES, &count);
  return count < BIND_MAX_JOINT_BODIES ? count : BIND_MAX_JOINT_BODIES;
}


// joint.body_a
static int get_body_a(lua_State *L, void *self) {
  ImpBody bodies[BIND_MAX_JOINT_BODIES];
  int count = bodies_of(self, bodies);
  bind_push_body(L, 1, count > 0 ? bodies[0] : (ImpBody){0});
  return 1;
}


// joint.body_b
static int get_body_b(lua_State *L, void *self) {
  ImpBody bodies[BIND_MAX_JOINT_BODIES];
  int count = bodies_of(self, bodies);
  bind_push_body(L, 1, count > 0 ? bodies[count - 1] : (ImpBody){0});
  return 1;
}


// ---------------------------------------------------------------------------------------------------------------------
// Bodies, anchors, reaction
// ---------------------------------------------------------------------------------------------------------------------

// joint:bodies() -> body, body, ...
static int joint_bodies(lua_State *L) {
  ImpBody bodies[BIND_MAX_JOINT_BODIES];
  int count = bodies_of(bind_check(L, &bind_joint_class), bodies);
  luaL_checkstack(L, count + LUA_MINSTACK, NULL);
  for (int i = 0; i < count; i++) bind_push_body(L, 1, bodies[i]);
  return count;
}


// joint:anchors() -> ax, ay, bx, by
static int joint_anchors(lua_State *L) {
  Handle *self = bind_check(L, &bind_joint_class);
  ImpVec2 a, b;
  bind_status(L, imp_joint_anchors(self->box->world, joint_of(self), &a, &b));
  bind_push_vec2(L, a);
  bind_push_vec2(L, b);
  return 4;
}


// joint:reaction() -> fx, fy, torque
static int joint_reaction(lua_State *L) {
  Handle *self = bind_check(L, &bind_joint_class);
  ImpReaction reaction;
  bind_status(L, imp_joint_reaction(self->box->world, joint_of(self), &reaction));
  lua_pushnumber(L, reaction.x);
  lua_pushnumber(L, reaction.y);
  lua_pushnumber(L, reaction.torque);
  return 3;
}


// joint:state() -> value, speed
static int joint_state(lua_State *L) {
  Handle *self = bind_self_raw(L);
  double value, speed;
  if (!self->box->world || imp_joint_state(self->box->world, joint_of(self), &value, &speed) != IMP_OK) {
    bind_require(L, &bind_joint_class, self, NULL);
    return bind_refused(L, &bind_joint_class, bind_caller(L));
  }
  lua_pushnumber(L, value);
  lua_pushnumber(L, speed);
  return 2;
}


// joint:set_target(x, y)
static int joint_set_target(lua_State *L) {
  Handle *self = bind_check(L, &bind_joint_class);
  bind_status(L, imp_joint_set_target(self->box->world, joint_of(self), bind_vec2(L, 2, "m")));
  return 0;
}


// ---------------------------------------------------------------------------------------------------------------------
// Coordinates
// ---------------------------------------------------------------------------------------------------------------------

static int coordinate_count(const Handle *self) {
  int count = 0;
  imp_joint_coordinate_count(self->box->world, joint_of(self), &count);
  return count;
}


// Return the index of a coordinate's name, or -1. The names of a constraint's coordinates are numbers.
static int find_coordinate(const ImpJointKindInfo *kind, int count, const char *name) {
  for (int i = 0; kind->coordinates[0] && i < count; i++) {
    if (strcmp(kind->coordinates[i], name) == 0) return i;
  }
  if (kind->coordinates[0]) return -1;
  char *end;
  long number = strtol(name, &end, 10);
  return *name >= '1' && *name <= '9' && *end == '\0' && number <= count ? (int)number - 1 : -1;
}


static int no_coordinate(lua_State *L, const ImpJointKindInfo *kind, int count) {
  const char *got = bind_got(L, 2), *call = bind_caller(L);
  Nearest nearest = {.word = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : ""};
  if (!kind->coordinates[0]) {
    return bind_error(L, "%s: argument 'name' must be an integer in [1, %d], got %s", call, count, got);
  }
  int top = lua_gettop(L);
  for (int i = 0; i < count; i++) {
    lua_pushfstring(L, "%s'%s'", i > 0 ? ", " : "", kind->coordinates[i]);
    bind_offer(&nearest, kind->coordinates[i]);
  }
  lua_concat(L, lua_gettop(L) - top);
  const char *names = lua_tostring(L, -1);
  const char *hint = nearest.best ? lua_pushfstring(L, " (did you mean '%s'?)", nearest.best) : "";
  return bind_error(L, "%s: the coordinates of a %s are %s, or 1 to %d, got %s%s", call, kind->name, names, count, got,
                    hint);
}


// joint:coordinate([name]) -> coordinate, by name or by number from 1; by default the coordinate that joint.value
// measures
static int joint_coordinate(lua_State *L) {
  Handle *self = bind_check(L, &bind_joint_class);
  const ImpJointKindInfo *kind = kind_of(self);
  int count = coordinate_count(self), index = -1, is_integer;
  if (lua_isnone(L, 2) && kind->own >= 0 && kind->own < count) {
    index = kind->own;
  } else if (lua_type(L, 2) == LUA_TSTRING) {
    index = find_coordinate(kind, count, lua_tostring(L, 2));
  } else if (lua_type(L, 2) == LUA_TNUMBER) {
    lua_Integer number = lua_tointegerx(L, 2, &is_integer);
    if (is_integer && number >= 1 && number <= count) index = (int)number - 1;
  }
  if (index < 0) return no_coordinate(L, kind, count);
  bind_push_coordinate(L, 1, index);
  return 1;
}


// Iterator function: (joint, coordinate or nil) -> the next coordinate, or nil
static int next_coordinate(lua_State *L) {
  const Handle *self = luaL_testudata(L, 1, bind_joint_class.registry);
  const CoordinateObject *last = luaL_testudata(L, 2, bind_coordinate_class.registry);
  if (!self || (!last && !lua_isnoneornil(L, 2))) return bind_no_loop(L);
  if (!bind_joint_class.is_valid(self)) return 0; // destroyed during the loop
  int index = last ? last->index + 1 : 0;
  if (index >= coordinate_count(self)) return 0;
  bind_push_coordinate(L, 1, index);
  return 1;
}


// for coordinate in joint:coordinates()
static int joint_coordinates(lua_State *L) {
  bind_check(L, &bind_joint_class);
  lua_pushcfunction(L, next_coordinate);
  lua_pushvalue(L, 1);
  return 2;
}


// ---------------------------------------------------------------------------------------------------------------------
// Destruction
// ---------------------------------------------------------------------------------------------------------------------

// joint:sever()
static int joint_sever(lua_State *L) {
  Handle *self = bind_check(L, &bind_joint_class);
  bind_status(L, imp_joint_break(self->box->world, joint_of(self), false));
  return 0;
}


// joint:destroy(); a second call does nothing
static int joint_destroy(lua_State *L) {
  Handle *self = bind_self(L);
  if (!bind_joint_class.is_valid(self)) return 0;
  bind_status(L, imp_joint_destroy(self->box->world, joint_of(self)));
  if (self->box->keeps) return 0;
  bind_world_table(L, 1, SLOT_JOINT_DATA);
  lua_pushnil(L);
  lua_rawseti(L, -2, bind_key(self->id));
  bind_forget_constraint(L, 1, joint_of(self));
  return 0;
}


// Release the data of joints that events list as destroyed.
void bind_forget_joints(lua_State *L, int world) {
  WorldBox *box = lua_touserdata(L, world);
  int count = 0;
  const ImpEvent *events = imp_world_events(box->world, IMP_EVENT_JOINT_DESTROYED, &count);
  if (count == 0 || box->keeps) return;
  bind_world_table(L, world, SLOT_JOINT_DATA);
  for (int i = 0; i < count; i++) {
    lua_pushnil(L);
    lua_rawseti(L, -2, bind_key(events[i].joint.id));
    bind_forget_constraint(L, world, events[i].joint);
  }
  lua_pop(L, 1);
}


// ---------------------------------------------------------------------------------------------------------------------
// break_if
// ---------------------------------------------------------------------------------------------------------------------

// Remove the break_if functions of destroyed joints. `list`: stack index of { joint key, function, ... }
static void squeeze_predicates(lua_State *L, WorldBox *box, int list) {
  int kept = 0;
  for (int i = 0; i < box->predicates; i++) {
    lua_rawgeti(L, list, 2 * i + 1);
    lua_rawgeti(L, list, 2 * i + 2);
    if (imp_joint_is_valid(box->world, (ImpJoint){imp_world_handle(box->world, (uint64_t)lua_tointeger(L, -2))})) {
      lua_rawseti(L, list, 2 * kept + 2);
      lua_rawseti(L, list, 2 * kept + 1);
      kept++;
    } else {
      lua_pop(L, 2);
    }
  }
  for (int i = 2 * kept + 1; i <= 2 * box->predicates; i++) {
    lua_pushnil(L);
    lua_rawseti(L, list, i);
  }
  box->predicates = kept;
}


// Pop the break_if function at the top and call it for a joint; store the first error at index `error`.
static void ask(lua_State *L, int world, ImpJoint joint, int traceback, int error) {
  WorldBox *box = lua_touserdata(L, world);
  bind_push_joint(L, world, joint);
  if (lua_pcall(L, 1, 1, traceback) != LUA_OK) {
    if (lua_isnil(L, error)) {
      lua_copy(L, -1, error);
    }
  } else if (lua_toboolean(L, -1) && imp_joint_is_valid(box->world, joint)) {
    bool failed = imp_joint_break(box->world, joint, true) != IMP_OK;
    if (failed && lua_isnil(L, error)) {
      lua_pushstring(L, imp_last_error());
      lua_replace(L, error);
    }
  }
  lua_pop(L, 1);
}


// If a break_if function creates a joint with break_if, that joint's function is first called in the next step.
void bind_ask_predicates(lua_State *L, int world, int traceback, int error) {
  WorldBox *box = lua_touserdata(L, world);
  int count = box->predicates;
  bool dead = false;
  if (count == 0) return;
  bind_world_table(L, world, SLOT_PREDICATES);
  int list = lua_gettop(L);
  for (int i = 0; i < count; i++) {
    double broken = 0;
    lua_rawgeti(L, list, 2 * i + 1);
    ImpJoint joint = {imp_world_handle(box->world, (uint64_t)lua_tointeger(L, -1))};
    lua_pop(L, 1);
    if (imp_joint_get(box->world, joint, IMP_JOINT_BROKEN, &broken) != IMP_OK) {
      dead = true;
    } else if (broken == 0) {
      lua_rawgeti(L, list, 2 * i + 2);
      ask(L, world, joint, traceback, error);
    }
  }
  if (dead && !box->keeps) squeeze_predicates(L, box, list);
  lua_pop(L, 1);
}


static const char *title(lua_State *L, const Handle *self) {
  (void)L;
  return kind_of(self)->name;
}


// tostring(joint)
static int joint_tostring(lua_State *L) { return bind_object_tostring(L, &bind_joint_class, title, false); }


static const Entry joint_entries[] = {
    {.name = "world", .type = "world", .get = bind_get_world, .doc = "the world of the joint"},
    {.name = "kind",
     .type = "string",
     .get = get_kind,
     .doc = "\"revolute\", \"weld\", ...: the name of its constructor"},
    {.name = "name",
     .type = "string",
     .get = bind_get_name,
     .set = bind_set_name,
     .doc = "name of the joint for world:find and messages, or nil"},
    {.name = "data",
     .type = "any",
     .get = bind_get_own_data,
     .set = bind_set_own_data,
     .doc = "any Lua value; kept until the joint is destroyed"},
    {.name = "body_a",
     .type = "body",
     .get = get_body_a,
     .doc = "the body in whose frame the joint's coordinates are measured; for a gear the first body"},
    {.name = "body_b",
     .type = "body",
     .get = get_body_b,
     .doc = "the body whose motion the joint's coordinates measure; for a gear the last body"},
    {.name = "bodies",
     .call = joint_bodies,
     .signature = "() -> body, body, ...",
     .doc = "body_a and body_b; for a gear, the bodies of both joints that it couples; for a constraint, its bodies in "
            "the order in which world:constraint got them"},
    {.name = "anchors",
     .call = joint_anchors,
     .signature = "() -> ax, ay, bx, by",
     .unit = "m",
     .doc = "present positions of the anchors on body_a and body_b, in world coordinates; for joints without anchors "
            "the bodies' centres of mass"},
    {.name = "state",
     .call = joint_state,
     .signature = "() -> value, speed",
     .unit = "m or rad, m/s or rad/s",
     .doc = "value and speed of the joint's own coordinate. One call is faster than reading both properties, which "
            "matters in code that runs in every substep"},
    {.name = "reaction",
     .call = joint_reaction,
     .signature = "() -> fx, fy, torque",
     .unit = "N, N, N m",
     .doc = "force on body_b at its anchor, and torque on body_b about the anchor, in world axes, mean over the last "
            "step"},
    {.name = "set_target",
     .call = joint_set_target,
     .signature = "(x, y)",
     .unit = "m",
     .doc = "set the target position of body_b's anchor: in body_a's frame for a pose joint, in world coordinates for "
            "a drag joint"},
    {.name = "coordinate",
     .call = joint_coordinate,
     .signature = "([name]) -> coordinate",
     .doc = "the coordinate with this name, or with this number (from 1); by default the joint's own coordinate, the "
            "one that joint.value reads"},
    {.name = "coordinates",
     .call = joint_coordinates,
     .signature = "() -> iterator",
     .doc =
         "iterate over the joint's coordinates: x, y and angle (drag: x and y; ratchet: angle); one coordinate for a "
         "joint that measures a distance or a sum; one for each result of a constraint"},
    {.name = "rows",
     .call = bind_joint_rows,
     .signature = "() -> iterator",
     .doc = "constraint rows of the joint in the last step"},
    {.name = "param",
     .type = "table",
     .get = bind_get_param,
     .doc = "parameters of a constraint; param.name can be read and set"},
    {.name = "retrace",
     .call = bind_joint_retrace,
     .signature = "()",
     .doc = "call the function of a constraint again, so that the constraint uses the present values of the function's "
            "upvalues"},
    {.name = "sever",
     .call = joint_sever,
     .signature = "()",
     .doc = "break the joint now: it stops acting, and a joint_break event reports the break"},
    {.name = "options",
     .call = bind_joint_definition,
     .signature = "() -> table",
     .doc = "options that recreate the joint as it is now: the table that its constructor world[joint.kind] takes "
            "after the bodies; raises an error for a constraint"},
    {.name = "destroy",
     .call = joint_destroy,
     .signature = "()",
     .doc = "destroy the joint, and gears that couple its coordinates"},
    {.name = "is_valid",
     .call = bind_is_valid,
     .signature = "() -> boolean",
     .doc = "false after joint:destroy, after one of the joint's bodies was destroyed and, for a gear or rack, after a "
            "joint that it couples was destroyed"},
    {.name = NULL},
};


const Members bind_joint_members = {&bind_joint_class, joint_entries, joint_tostring, NULL};
