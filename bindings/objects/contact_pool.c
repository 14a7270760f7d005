// Pooled contact objects, reused POOL_REST steps after the end of their contact.
#include "objects/object.h"

enum { REUSE_TRIES = 4 };


// Push a pooled object that may be reused; return null and push nothing if none is found.
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


// Return the sort key of a contact: the creation number of shape_a, then the creation number of shape_b.
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
  bind_world_table(L, owner, SLOT_CONTACTS);
  ContactObject *object;
  if (lua_rawgeti(L, top + 1, bind_key(contact.id)) != LUA_TNIL) {
    object = lua_touserdata(L, -1);
  } else {
    lua_pop(L, 1);
    bind_world_table(L, owner, SLOT_CONTACT_POOL);
    object = reuse_contact(L, top + 2, top + 1, box);
    if (!object) {
      object = bind_new_object(L, owner, &bind_contact_class, sizeof(ContactObject));
      object->epoch = 0; // the object is stale until all fields are set
      lua_pushvalue(L, -1);
      lua_rawseti(L, top + 2, box->contact_count + 1);
      box->contact_count++;
    }
    object->handle.id = 0; // no contact until the object is in the map, because lua_rawseti can raise
    lua_pushvalue(L, -1);
    lua_rawseti(L, top + 1, bind_key(contact.id));
    object->handle.id = contact.id;
    object->number = contact_number(box->world, contact);
  }
  object->epoch = box->epoch;
  lua_replace(L, top + 1);
  lua_settop(L, top + 1);
}
