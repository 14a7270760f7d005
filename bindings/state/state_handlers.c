// Handlers in snapshots: { kind, serial, function } of each active handler that is part of the state.
#include <string.h>

#include "base/world_table.h"
#include "objects/subscription.h"
#include "state/state.h"
#include "state/state_function.h"


void bind_put_handlers(lua_State *L, int world, Bytes *bytes) {
  WorldBox *box = lua_touserdata(L, world);
  size_t head = bytes->size;
  uint32_t count = 0;
  bind_put_u32(L, bytes, 0);
  for (int kind = 0; kind < HANDLER_COUNT; kind++) {
    int list = bind_push_handlers(L, world, kind);
    for (int i = 0; i < box->handlers[kind]; i++) {
      lua_rawgeti(L, list, 2 * i + 1);
      const Subscription *subscription = lua_touserdata(L, -1);
      if (subscription->alive && !subscription->outside) {
        bind_put_u8(L, bytes, (unsigned)kind);
        bind_put_u64(L, bytes, subscription->serial);
        lua_getiuservalue(L, -1, UV_HANDLER_FUNCTION);
        bind_put_function(L, world, bytes);
        count++;
      }
      lua_settop(L, list);
    }
    lua_pop(L, 1);
  }
  memcpy(bytes->at + head, &count, sizeof count);
  if (box->handler_serial > box->known_handlers) box->known_handlers = box->handler_serial;
}


// Push the subscription with this serial, active or not. If there is none, push nil and return false. If the
// subscription has another kind, push it and return false.
static bool push_subscription(lua_State *L, int world, int kind, uint64_t serial) {
  bind_world_table(L, world, SLOT_SUBSCRIPTIONS);
  lua_rawgeti(L, -1, (lua_Integer)serial);
  lua_replace(L, -2);
  const Subscription *subscription = lua_touserdata(L, -1);
  return subscription != NULL && subscription->kind == kind;
}


void bind_check_handlers(lua_State *L, int world, Reader *reader) {
  int top = lua_gettop(L);
  uint32_t count = bind_take_u32(reader);
  for (uint32_t i = 0; i < count && !reader->bad; i++) {
    int kind = bind_take_u8(reader);
    uint64_t serial = bind_take_u64(reader);
    FunctionMark mark = bind_take_function(reader);
    reader->bad = reader->bad || kind >= HANDLER_COUNT;
    if (reader->bad) return;
    bool found = push_subscription(L, world, kind, serial);
    if (found) {
      lua_getiuservalue(L, -1, UV_HANDLER_FUNCTION);
      found = bind_is_function(L, world, -1, mark);
    }
    if (!found) bind_refuse_function(L, lua_pushfstring(L, "a '%s' handler", bind_handler_name(kind)), mark, top + 2);
    lua_settop(L, top);
  }
}


// Read the list of handlers in a snapshot, and push the set of their serials.
static void push_serials(lua_State *L, Reader reader) {
  uint32_t count = bind_take_u32(&reader);
  lua_createtable(L, 0, (int)count);
  for (uint32_t i = 0; i < count; i++) {
    bind_take_u8(&reader);
    uint64_t serial = bind_take_u64(&reader);
    bind_take_function(&reader);
    lua_pushboolean(L, true);
    lua_rawseti(L, -2, (lua_Integer)serial);
  }
}


// End each handler of this kind that is part of the state, unless the set at index `set` contains its serial.
static void end_others(lua_State *L, int world, int kind, int set) {
  const WorldBox *box = lua_touserdata(L, world);
  int list = bind_push_handlers(L, world, kind);
  for (int i = 0; i < box->handlers[kind]; i++) {
    lua_rawgeti(L, list, 2 * i + 1);
    const Subscription *subscription = lua_touserdata(L, -1);
    bool ends = subscription->alive && !subscription->outside &&
                lua_rawgeti(L, set, (lua_Integer)subscription->serial) == LUA_TNIL;
    if (ends) bind_end_handler(L, world, list + 1);
    lua_settop(L, list);
  }
  lua_pop(L, 1);
}


void bind_take_handlers(lua_State *L, int world, Reader *reader) {
  WorldBox *box = lua_touserdata(L, world);
  int top = lua_gettop(L);
  push_serials(L, *reader);
  for (int kind = 0; kind < HANDLER_COUNT; kind++) end_others(L, world, kind, top + 1);
  uint32_t count = bind_take_u32(reader);
  for (uint32_t i = 0; i < count; i++) {
    int kind = bind_take_u8(reader);
    uint64_t serial = bind_take_u64(reader);
    bind_take_function(reader);
    lua_settop(L, top);
    if (!push_subscription(L, world, kind, serial)) continue;
    if (!((const Subscription *)lua_touserdata(L, top + 1))->alive) {
      bind_append_handler(L, box, bind_push_handlers(L, world, kind), top + 1, kind);
    }
  }
  lua_settop(L, top);
  box->handlers_dirty = true;
  if (!box->stepping) bind_squeeze_handlers(L, world);
}
