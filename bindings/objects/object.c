// Objects on the Lua side: one userdata for each body, shape, joint, field, mover and coordinate.
#include "objects/object.h"
#include "base/options.h"
#include "objects/body.h"
#include "objects/field.h"
#include "objects/joint.h"
#include "objects/shape.h"


// Classes in which each object has exactly one userdata. Index: slot of the world table that maps ids to the userdata
static const struct {
  const Class *class;
  int number; // index of the property `id` in the class's properties
  ImpObjectKind kind;
} kinds[] = {
    [SLOT_BODIES] = {&bind_body_class, IMP_BODY_ID, IMP_OBJECT_BODY},
    [SLOT_SHAPES] = {&bind_shape_class, IMP_SHAPE_ID, IMP_OBJECT_SHAPE},
    [SLOT_JOINTS] = {&bind_joint_class, IMP_JOINT_ID, IMP_OBJECT_JOINT},
    [SLOT_FIELDS] = {&bind_field_class, IMP_FIELD_ID, IMP_OBJECT_FIELD},
    [SLOT_MOVERS] = {&bind_mover_class, IMP_MOVER_ID, IMP_OBJECT_MOVER},
};
BIND_COVERS(kinds, SLOT_MOVERS + 1);


bool bind_lives(const ImpWorld *world, int slot, uint64_t id) {
  switch (slot) {
  case SLOT_BODIES:
    return imp_body_is_valid(world, (ImpBody){id});
  case SLOT_SHAPES:
    return imp_shape_is_valid(world, (ImpShape){id});
  case SLOT_JOINTS:
    return imp_joint_is_valid(world, (ImpJoint){id});
  case SLOT_FIELDS:
    return imp_field_is_valid(world, (ImpField){id});
  default:
    return imp_mover_is_valid(world, (ImpMover){id});
  }
}


const char *bind_name_of(const ImpWorld *world, int slot, uint64_t id) {
  const char *name = NULL;
  if (slot == SLOT_SHAPES) imp_shape_name(world, (ImpShape){id}, &name);
  if (slot == SLOT_JOINTS) imp_joint_name(world, (ImpJoint){id}, &name);
  if (slot == SLOT_FIELDS) imp_field_name(world, (ImpField){id}, &name);
  if (slot == SLOT_BODIES || slot == SLOT_MOVERS) imp_body_name(world, (ImpBody){id}, &name);
  return name;
}


int bind_object_tostring(lua_State *L, const Class *class, const char *(*kind)(lua_State *L, const Handle *self),
                         bool both) {
  const Handle *self = luaL_checkudata(L, 1, class->registry);
  bool alive = class->is_valid(self), named = lua_getiuservalue(L, 1, UV_NAME) == LUA_TSTRING;
  const char *name = named ? lua_pushfstring(L, " '%s'", lua_tostring(L, -1)) : "";
  double id = 0;
  for (int slot = SLOT_BODIES; slot <= SLOT_MOVERS && alive; slot++) {
    if (kinds[slot].class == class) class->get(self->box->world, self->id, kinds[slot].number, &id);
  }
  const char *number = alive && (both || !named) ? lua_pushfstring(L, " %I", (LUAI_UACINT)id) : "";
  const char *what = alive && kind ? kind(L, self) : class->name;
  lua_pushfstring(L, "%s%s%s%s", alive ? "" : "destroyed ", what, number, name);
  return 1;
}


// Copy name and number from the core to the object at the stack's top. The core keeps both after destruction.
static void describe(lua_State *L, Object *object, int slot, uint64_t id) {
  const ImpWorld *world = object->handle.box->world;
  double number = 0;
  kinds[slot].class->get(world, id, kinds[slot].number, &number);
  const char *name = bind_name_of(world, slot, id);
  object->number = (uint64_t)number;
  bool is_gone = number == 0 && !name; // the ground has the number 0, but a name
  if (is_gone) imp_world_destroyed_object(world, kinds[slot].kind, id, &name, &object->number);
  if (!name) return;
  lua_pushstring(L, name);
  bind_remember_name(L, -2);
}


void bind_push_object(lua_State *L, int owner, int slot, uint64_t id) {
  if (id == 0) {
    lua_pushnil(L);
    return;
  }
  owner = lua_absindex(L, owner);
  bind_world_table(L, owner, slot);
  if (lua_rawgeti(L, -1, bind_key(id)) == LUA_TNIL) {
    lua_pop(L, 1);
    Object *object = bind_new_object(L, owner, kinds[slot].class, sizeof *object);
    object->handle.id = id;
    object->number = 0;
    lua_pushvalue(L, -1);
    lua_rawseti(L, -3, bind_key(id));
    describe(L, object, slot, id);
  }
  lua_replace(L, -2);
}


void bind_push_coordinate_name(lua_State *L, ImpWorld *world, ImpJoint joint, int index) {
  ImpJointKind kind = IMP_JOINT_CONSTRAINT; // coordinates of a constraint have numbers instead of names
  imp_joint_kind_of(world, joint, &kind);
  const char *name = kind == IMP_JOINT_CONSTRAINT ? NULL : imp_joint_kind((int)kind)->coordinates[index];
  if (name) {
    lua_pushstring(L, name);
  } else {
    lua_pushfstring(L, "%d", index + 1);
  }
}


void bind_push_coordinate(lua_State *L, int joint, int index) {
  joint = lua_absindex(L, joint);
  const Handle *owner = lua_touserdata(L, joint);
  if (lua_getiuservalue(L, joint, UV_COORDINATES) != LUA_TTABLE) {
    lua_pop(L, 1);
    lua_createtable(L, index + 1, 0);
    lua_pushvalue(L, -1);
    lua_setiuservalue(L, joint, UV_COORDINATES);
  }
  if (lua_rawgeti(L, -1, index + 1) == LUA_TNIL) {
    lua_pop(L, 1);
    CoordinateObject *object = bind_new_object(L, joint, &bind_coordinate_class, sizeof *object);
    object->handle.id = owner->id;
    object->index = index;
    lua_pushvalue(L, joint);
    lua_setiuservalue(L, -2, UV_JOINT);
    bind_push_coordinate_name(L, owner->box->world, (ImpJoint){owner->id}, index);
    bind_remember_name(L, -2);
    lua_pushvalue(L, -1);
    lua_rawseti(L, -3, index + 1);
  }
  lua_replace(L, -2);
}
