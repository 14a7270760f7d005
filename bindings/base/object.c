// Objects on the Lua side: one userdata for each body, shape, joint, field and coordinate, pooled ones for contacts, and
// iterators. (The pool of rows is in row.c.)
#include "base/bindings.h"

typedef struct Cursor {
  Handle handle;
  CursorKind kind;
  bool contacts; // that it walks over, which are pooled
  int at, count, capacity;
  uint64_t ids[];
} Cursor;

#define CURSOR_METATABLE "impel.cursor"

enum { UV_CACHE = 2 }; // user value of a cursor: the table of objects that it looks into


void bind_shelf(lua_State *L, int owner, int slot) {
  lua_getiuservalue(L, owner, UV_SHELF);
  lua_rawgeti(L, -1, slot);
  lua_replace(L, -2);
}


void *bind_new_object(lua_State *L, int owner, const Class *class, size_t size) {
  owner = lua_absindex(L, owner);
  Handle *from = lua_touserdata(L, owner);
  Handle *object = lua_newuserdatauv(L, size, class->values > 0 ? class->values : 2);
  *object = (Handle){.class = class, .box = from->box};
  lua_getiuservalue(L, owner, UV_SHELF);
  lua_setiuservalue(L, -2, UV_SHELF);
  luaL_setmetatable(L, class->registry);
  return object;
}


void bind_remember_name(lua_State *L, int object) { lua_setiuservalue(L, object, UV_NAME); }


int bind_get_name(lua_State *L, void *self) {
  (void)self;
  lua_getiuservalue(L, 1, UV_NAME);
  return 1;
}


int bind_get_world(lua_State *L, void *self) {
  (void)self;
  bind_shelf(L, 1, SHELF_WORLD);
  return 1;
}


int bind_get_data(lua_State *L, const Handle *self, int slot) {
  bind_shelf(L, 1, slot);
  lua_rawgeti(L, -1, bind_key(self->id));
  return 1;
}


// A table gets its serial at once, so that it is the same in each world that the same calls make.
void bind_set_data(lua_State *L, const Handle *self, int slot) {
  if (lua_istable(L, 3)) {
    bind_shelf(L, 1, SHELF_WORLD);
    bind_keep_serial(L, lua_gettop(L), 3);
    lua_pop(L, 1);
  }
  bind_shelf(L, 1, slot);
  lua_pushvalue(L, 3);
  lua_rawseti(L, -2, bind_key(self->id));
}


// Push the userdata with this id from a cache; it is returned when it has just been made, to be filled in.
static Object *push_cached(lua_State *L, int owner, int slot, const Class *class, uint64_t id) {
  owner = lua_absindex(L, owner);
  bind_shelf(L, owner, slot);
  if (lua_rawgeti(L, -1, bind_key(id)) != LUA_TNIL) {
    lua_replace(L, -2);
    return NULL;
  }
  lua_pop(L, 1);
  Object *object = bind_new_object(L, owner, class, sizeof *object);
  object->handle.id = id;
  object->number = 0;
  lua_pushvalue(L, -1);
  lua_rawseti(L, -3, bind_key(id));
  lua_replace(L, -2);
  return object;
}


// Give the new object at the top its name and number. An event may hold a destroyed one: the core still has both, so that
// they do not depend on whether an older userdata of it was collected.
static void describe(lua_State *L, Object *object, ImpObjectKind kind, const char *name, double number) {
  object->number = (uint64_t)number;
  bool is_gone = number == 0 && !name; // the ground has the number 0, and a name
  if (is_gone) imp_world_former(object->handle.box->world, kind, object->handle.id, &name, &object->number);
  if (!name) return;
  lua_pushstring(L, name);
  bind_remember_name(L, -2);
}


void bind_push_body(lua_State *L, int owner, ImpBody body) {
  if (body.id == 0) {
    lua_pushnil(L);
    return;
  }
  Object *object = push_cached(L, owner, SHELF_BODIES, &bind_body_class, body.id);
  if (!object) return;
  const char *name = NULL;
  double number = 0;
  imp_body_get(object->handle.box->world, body, IMP_BODY_ID, &number);
  imp_body_name(object->handle.box->world, body, &name);
  describe(L, object, IMP_OBJECT_BODY, name, number);
}


void bind_push_shape(lua_State *L, int owner, ImpShape shape) {
  if (shape.id == 0) {
    lua_pushnil(L);
    return;
  }
  Object *object = push_cached(L, owner, SHELF_SHAPES, &bind_shape_class, shape.id);
  if (!object) return;
  const char *name = NULL;
  double number = 0;
  imp_shape_get(object->handle.box->world, shape, IMP_SHAPE_ID, &number);
  imp_shape_name(object->handle.box->world, shape, &name);
  describe(L, object, IMP_OBJECT_SHAPE, name, number);
}


void bind_push_joint(lua_State *L, int owner, ImpJoint joint) {
  if (joint.id == 0) {
    lua_pushnil(L);
    return;
  }
  Object *object = push_cached(L, owner, SHELF_JOINTS, &bind_joint_class, joint.id);
  if (!object) return;
  const char *name = NULL;
  double number = 0;
  imp_joint_get(object->handle.box->world, joint, IMP_JOINT_ID, &number);
  imp_joint_name(object->handle.box->world, joint, &name);
  describe(L, object, IMP_OBJECT_JOINT, name, number);
}


void bind_push_field(lua_State *L, int owner, ImpField field) {
  if (field.id == 0) {
    lua_pushnil(L);
    return;
  }
  Object *object = push_cached(L, owner, SHELF_FIELDS, &bind_field_class, field.id);
  if (!object) return;
  const char *name = NULL;
  double number = 0;
  imp_field_get(object->handle.box->world, field, IMP_FIELD_ID, &number);
  imp_field_name(object->handle.box->world, field, &name);
  describe(L, object, IMP_OBJECT_FIELD, name, number);
}


void bind_push_coordinate_name(lua_State *L, ImpWorld *world, ImpJoint joint, int index) {
  ImpJointKind kind = IMP_JOINT_CONSTRAINT; // whose coordinates have numbers
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


// ---------------------------------------------------------------------------------------------------------------------
// Contacts: a pooled object is taken again for another contact once its own has ended and it has rested for POOL_REST
// steps. A few are tried for each new contact, so the pool stays near the number of contacts that there are and were of
// late. A contact that is met again while it lasts is the same object.
// ---------------------------------------------------------------------------------------------------------------------

enum { REUSE_TRIES = 4 };


// Push a pooled object whose contact has ended long enough ago, or nothing.
static ContactObject *reuse_contact(lua_State *L, int pool, int map, WorldBox *box) {
  for (int i = 0; i < REUSE_TRIES && i < box->contact_count; i++) {
    box->contact_hand = box->contact_hand % box->contact_count + 1;
    lua_rawgeti(L, pool, box->contact_hand);
    ContactObject *object = lua_touserdata(L, -1);
    if (object->epoch + POOL_REST <= box->epoch && !imp_contact_is_valid(box->world, (ImpContact){object->handle.id})) {
      lua_pushnil(L);
      lua_rawseti(L, map, bind_key(object->handle.id));
      return object;
    }
    lua_pop(L, 1);
  }
  return NULL;
}


// What contacts are sorted by: the creation numbers of their shapes, the earlier one first.
static uint64_t contact_number(const ImpWorld *world, ImpContact contact) {
  ImpContactInfo info = {.count = 0};
  double a = 0, b = 0;
  imp_contact_info(world, contact, &info);
  imp_shape_get(world, info.shape_a, IMP_SHAPE_ID, &a);
  imp_shape_get(world, info.shape_b, IMP_SHAPE_ID, &b);
  return ((uint64_t)a << 32) + (uint64_t)b;
}


void bind_push_contact(lua_State *L, int owner, ImpContact contact) {
  owner = lua_absindex(L, owner);
  WorldBox *box = ((Handle *)lua_touserdata(L, owner))->box;
  int top = lua_gettop(L);
  bind_shelf(L, owner, SHELF_CONTACTS);
  ContactObject *object;
  if (lua_rawgeti(L, top + 1, bind_key(contact.id)) != LUA_TNIL) {
    object = lua_touserdata(L, -1);
  } else {
    lua_pop(L, 1);
    bind_shelf(L, owner, SHELF_CONTACT_POOL);
    object = reuse_contact(L, top + 2, top + 1, box);
    if (!object) {
      object = bind_new_object(L, owner, &bind_contact_class, sizeof(ContactObject));
      object->epoch = 0; // of no step
      lua_pushvalue(L, -1);
      lua_rawseti(L, top + 2, box->contact_count + 1);
      box->contact_count++;
    }
    object->handle.id = 0; // until the map knows it
    lua_pushvalue(L, -1);
    lua_rawseti(L, top + 1, bind_key(contact.id));
    object->handle.id = contact.id;
    object->number = contact_number(box->world, contact);
  }
  object->epoch = box->epoch;
  lua_replace(L, top + 1);
  lua_settop(L, top + 1);
}


// ---------------------------------------------------------------------------------------------------------------------
// Iterators: a cursor is a copy of the ids that were there when the loop began. It is put back into a pool when the
// loop ends by itself, so that loops make no garbage after the first.
// ---------------------------------------------------------------------------------------------------------------------

static uint64_t next_id(const Handle *owner, CursorKind kind, uint64_t previous) {
  ImpWorld *world = owner->box->world;
  ImpBody body = {owner->id};
  switch (kind) {
  case CURSOR_BODIES:
    return imp_world_next_body(world, (ImpBody){previous}).id;
  case CURSOR_CONTACTS:
    return imp_world_next_contact(world, (ImpContact){previous}).id;
  case CURSOR_JOINTS:
    return imp_world_next_joint(world, (ImpJoint){previous}).id;
  case CURSOR_FIELDS:
    return imp_world_next_field(world, (ImpField){previous}).id;
  case CURSOR_MOVERS:
    return imp_world_next_mover(world, (ImpMover){previous}).id;
  case CURSOR_SHAPES_OF:
    return imp_body_next_shape(world, body, (ImpShape){previous}).id;
  case CURSOR_CONTACTS_OF:
    return imp_body_next_contact(world, body, (ImpContact){previous}).id;
  case CURSOR_JOINTS_OF:
    return imp_body_next_joint(world, body, (ImpJoint){previous}).id;
  case CURSOR_OVERLAPS_OF: // bind_iterate_overlaps
    break;
  }
  return 0;
}


// What a kind of loop finds: where its objects are kept, and how it is known that one lives.
static int cache_of(CursorKind kind) {
  switch (kind) {
  case CURSOR_BODIES:
    return SHELF_BODIES;
  case CURSOR_CONTACTS:
  case CURSOR_CONTACTS_OF:
    return SHELF_CONTACTS;
  case CURSOR_JOINTS:
  case CURSOR_JOINTS_OF:
    return SHELF_JOINTS;
  case CURSOR_FIELDS:
    return SHELF_FIELDS;
  case CURSOR_MOVERS:
    return SHELF_MOVERS;
  case CURSOR_SHAPES_OF:
  case CURSOR_OVERLAPS_OF:
    break;
  }
  return SHELF_SHAPES;
}


static bool is_living(const Cursor *cursor, uint64_t id) {
  ImpWorld *world = cursor->handle.box->world;
  switch (cache_of(cursor->kind)) {
  case SHELF_BODIES:
    return imp_body_is_valid(world, (ImpBody){id});
  case SHELF_CONTACTS:
    return imp_contact_is_valid(world, (ImpContact){id});
  case SHELF_JOINTS:
    return imp_joint_is_valid(world, (ImpJoint){id});
  case SHELF_FIELDS:
    return imp_field_is_valid(world, (ImpField){id});
  case SHELF_MOVERS:
    return imp_mover_is_valid(world, (ImpMover){id});
  default:
    return imp_shape_is_valid(world, (ImpShape){id});
  }
}


void bind_push_object(lua_State *L, int owner, int slot, uint64_t id) {
  switch (slot) {
  case SHELF_BODIES:
    bind_push_body(L, owner, (ImpBody){id});
    break;
  case SHELF_CONTACTS:
    bind_push_contact(L, owner, (ImpContact){id});
    break;
  case SHELF_JOINTS:
    bind_push_joint(L, owner, (ImpJoint){id});
    break;
  case SHELF_FIELDS:
    bind_push_field(L, owner, (ImpField){id});
    break;
  case SHELF_MOVERS:
    bind_push_mover(L, owner, (ImpMover){id});
    break;
  default:
    bind_push_shape(L, owner, (ImpShape){id});
    break;
  }
}


// The iterator function: (cursor) -> object or nil. Upvalue 1 is the address of the cursors' metatable.
static int cursor_next(lua_State *L) {
  Cursor *cursor = lua_touserdata(L, 1);
  bool is_cursor = lua_getmetatable(L, 1) && lua_topointer(L, -1) == lua_touserdata(L, lua_upvalueindex(1));
  if (!is_cursor) return bind_no_loop(L);
  const WorldBox *box = cursor->handle.box;
  while (box->world && cursor->at < cursor->count) {
    uint64_t id = cursor->ids[cursor->at++];
    if (!is_living(cursor, id)) continue;
    lua_getiuservalue(L, 1, UV_CACHE);
    if (lua_rawgeti(L, -1, bind_key(id)) == LUA_TNIL) {
      bind_push_object(L, 1, cache_of(cursor->kind), id);
    } else if (cursor->contacts) {
      ((ContactObject *)lua_touserdata(L, -1))->epoch = box->epoch;
    }
    return 1;
  }
  if (cursor->count >= 0) {
    cursor->count = -1; // idle: only once into the pool
    bind_shelf(L, 1, SHELF_CURSORS);
    lua_pushvalue(L, 1);
    lua_rawseti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
  }
  lua_pushnil(L);
  return 1;
}


// Push a cursor with room for some ids, from the pool if possible.
static Cursor *push_cursor(lua_State *L, int owner, int capacity) {
  bind_shelf(L, owner, SHELF_CURSORS);
  lua_Integer idle = (lua_Integer)lua_rawlen(L, -1);
  if (idle > 0) {
    lua_rawgeti(L, -1, idle);
    lua_pushnil(L);
    lua_rawseti(L, -3, idle);
    lua_replace(L, -2);
    Cursor *cursor = lua_touserdata(L, -1);
    if (cursor->capacity >= capacity) return cursor;
  }
  lua_pop(L, 1);
  Handle *from = lua_touserdata(L, owner);
  Cursor *cursor = lua_newuserdatauv(L, sizeof(Cursor) + sizeof(uint64_t) * (size_t)capacity, 2);
  *cursor = (Cursor){.handle.box = from->box, .count = -1, .capacity = capacity};
  lua_getiuservalue(L, owner, UV_SHELF);
  lua_setiuservalue(L, -2, UV_SHELF);
  luaL_setmetatable(L, CURSOR_METATABLE);
  return cursor;
}


// The three values of a loop over what is in the cursor at the top; its owner is at index 1.
static int begin_loop(lua_State *L, Cursor *cursor, CursorKind kind, int count) {
  cursor->kind = kind;
  cursor->contacts = cache_of(kind) == SHELF_CONTACTS;
  bind_shelf(L, 1, cache_of(kind));
  lua_setiuservalue(L, -2, UV_CACHE);
  cursor->at = 0;
  cursor->count = count;
  lua_getmetatable(L, -1);
  lua_getfield(L, -1, "next");
  lua_replace(L, 1);
  lua_pop(L, 1); // function at 1, cursor on top
  lua_pushvalue(L, 1);
  lua_insert(L, -2);
  return 2;
}


int bind_iterate_overlaps(lua_State *L, const Handle *shape) {
  int count = 0;
  lua_settop(L, 1);
  bind_status(L, imp_shape_overlaps(shape->box->world, (ImpShape){shape->id}, NULL, 0, &count));
  Cursor *cursor = push_cursor(L, 1, count > 16 ? count : 16);
  ImpShape *shapes = (ImpShape *)(void *)cursor->ids; // a handle is its id
  bind_status(L, imp_shape_overlaps(shape->box->world, (ImpShape){shape->id}, shapes, count, &count));
  return begin_loop(L, cursor, CURSOR_OVERLAPS_OF, count);
}


int bind_iterate(lua_State *L, const Handle *owner, CursorKind kind) {
  lua_settop(L, 1);
  Cursor *cursor = push_cursor(L, 1, 16);
  int count = 0;
  for (uint64_t id = next_id(owner, kind, 0); id != 0; id = next_id(owner, kind, id)) {
    if (count == cursor->capacity) {
      Cursor *larger = push_cursor(L, 1, 4 * count);
      for (int i = 0; i < count; i++) larger->ids[i] = cursor->ids[i];
      cursor = larger;
    }
    cursor->ids[count++] = id;
  }
  return begin_loop(L, cursor, kind, count);
}


void bind_register_cursor(lua_State *L) {
  if (luaL_newmetatable(L, CURSOR_METATABLE)) {
    lua_pushlightuserdata(L, (void *)(uintptr_t)lua_topointer(L, -1));
    lua_pushcclosure(L, cursor_next, 1);
    lua_setfield(L, -2, "next");
    lua_pushliteral(L, "iterator");
    lua_setfield(L, -2, "__metatable");
  }
  lua_pop(L, 1);
}
