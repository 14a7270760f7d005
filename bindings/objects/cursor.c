// Iterators. A cursor copies the ids when the loop begins.
#include "objects/cursor.h"
#include "objects/object.h"

typedef struct Cursor {
  Handle handle;
  int slot; // slot of the world table in which the objects of the loop are cached
  int at, count, capacity;
  uint64_t ids[];
} Cursor;

#define CURSOR_METATABLE "impel.cursor"

enum { UV_CACHE = 2 }; // user value of a cursor: the table in `slot`


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


// Return the slot of the world table that caches the objects of a loop.
static int cache_of(CursorKind kind) {
  switch (kind) {
  case CURSOR_BODIES:
    return SLOT_BODIES;
  case CURSOR_CONTACTS:
  case CURSOR_CONTACTS_OF:
    return SLOT_CONTACTS;
  case CURSOR_JOINTS:
  case CURSOR_JOINTS_OF:
    return SLOT_JOINTS;
  case CURSOR_FIELDS:
    return SLOT_FIELDS;
  case CURSOR_MOVERS:
    return SLOT_MOVERS;
  case CURSOR_SHAPES_OF:
  case CURSOR_OVERLAPS_OF:
    break;
  }
  return SLOT_SHAPES;
}


// Iterator function: (cursor) -> object or nil. Upvalue 1 is the address of the cursors' metatable.
static int cursor_next(lua_State *L) {
  Cursor *cursor = lua_touserdata(L, 1);
  bool is_cursor = lua_getmetatable(L, 1) && lua_topointer(L, -1) == lua_touserdata(L, lua_upvalueindex(1));
  if (!is_cursor) return bind_no_loop(L);
  const WorldBox *box = cursor->handle.box;
  while (box->world && cursor->at < cursor->count) {
    uint64_t id = cursor->ids[cursor->at++];
    bool lives = cursor->slot == SLOT_CONTACTS ? imp_contact_is_valid(box->world, (ImpContact){id})
                                               : bind_lives(box->world, cursor->slot, id);
    if (!lives) continue;
    lua_getiuservalue(L, 1, UV_CACHE);
    if (lua_rawgeti(L, -1, bind_key(id)) == LUA_TNIL) {
      if (cursor->slot == SLOT_CONTACTS) {
        bind_push_contact(L, 1, (ImpContact){id});
      } else {
        bind_push_object(L, 1, cursor->slot, id);
      }
    } else if (cursor->slot == SLOT_CONTACTS) {
      ((ContactObject *)lua_touserdata(L, -1))->epoch = box->epoch;
    }
    return 1;
  }
  if (cursor->count >= 0) {
    cursor->count = -1; // marks the cursor as idle, so that it enters the pool only once
    bind_world_table(L, 1, SLOT_CURSORS);
    lua_pushvalue(L, 1);
    lua_rawseti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
  }
  lua_pushnil(L);
  return 1;
}


// Push a cursor with room for `capacity` ids: the last cursor of the pool if it is large enough, else a new cursor.
static Cursor *push_cursor(lua_State *L, int owner, int capacity) {
  bind_world_table(L, owner, SLOT_CURSORS);
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
  lua_getiuservalue(L, owner, UV_WORLD_TABLE);
  lua_setiuservalue(L, -2, UV_WORLD_TABLE);
  luaL_setmetatable(L, CURSOR_METATABLE);
  return cursor;
}


// Finish an iterator method such as body:shapes(): return the iterator function and the cursor, which is on the top of
// the stack. Index 1: the object whose parts the loop visits, for example the body.
static int begin_loop(lua_State *L, Cursor *cursor, CursorKind kind, int count) {
  cursor->slot = cache_of(kind);
  bind_world_table(L, 1, cursor->slot);
  lua_setiuservalue(L, -2, UV_CACHE);
  cursor->at = 0;
  cursor->count = count;
  lua_getmetatable(L, -1);
  lua_getfield(L, -1, "next");
  lua_replace(L, 1);
  lua_pop(L, 1); // now the iterator function is at index 1, the cursor at the top
  lua_pushvalue(L, 1);
  lua_insert(L, -2);
  return 2;
}


int bind_iterate_overlaps(lua_State *L, const Handle *shape) {
  int count = 0;
  lua_settop(L, 1);
  bind_status(L, imp_shape_overlaps(shape->box->world, (ImpShape){shape->id}, NULL, 0, &count));
  Cursor *cursor = push_cursor(L, 1, count > 16 ? count : 16);
  ImpShape *shapes = (ImpShape *)(void *)cursor->ids; // an ImpShape contains only its id
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
