// Handlers: world:on, and the lists of handlers that a step iterates over.
//   list of the handlers of one kind: { subscription, function, subscription, function, ... }
#include <stddef.h>
#include <string.h>

#include "base/world_table.h"
#include "objects/subscription.h"
#include "objects/world.h"

typedef struct OnOptions {
  bool outside;
} OnOptions;

static const Field on_fields[] = {
    {.name = "outside",
     .kind = FIELD_BOOLEAN,
     .offset = offsetof(OnOptions, outside),
     .doc = "the handler is not part of the world's state: world:restore neither removes nor restores it. For code "
            "that only observes the world, such as a viewer; false by default"},
    {.name = NULL},
};

const Options bind_on_options = {.fields = on_fields, .scope = "handler"};

static bool handler_is_valid(const void *self) {
  const Subscription *subscription = self;
  return subscription->handle.box->world && subscription->alive;
}


static const Class handler_class = {
    .name = "handler",
    .registry = "impel.handler",
    .is_valid = handler_is_valid,
    .values = UV_HANDLER_FUNCTION,
};


const char *bind_handler_name(int kind) {
  if (kind < IMP_EVENT_COUNT) return imp_event_name(kind);
  static const char *const names[] = {"step", "substep", "pre_solve"};
  BIND_COVERS(names, HANDLER_COUNT - HANDLER_STEP);
  return kind < HANDLER_COUNT ? names[kind - HANDLER_STEP] : NULL;
}


// ---------------------------------------------------------------------------------------------------------------------
// The lists
// ---------------------------------------------------------------------------------------------------------------------

int bind_push_handlers(lua_State *L, int world, int kind) {
  bind_world_table(L, world, SLOT_HANDLERS);
  lua_rawgeti(L, -1, kind + 1);
  lua_replace(L, -2);
  return lua_gettop(L);
}


static uint64_t order_at(lua_State *L, int list, int place) {
  lua_rawgeti(L, list, 2 * place + 1);
  uint64_t order = ((const Subscription *)lua_touserdata(L, -1))->order;
  lua_pop(L, 1);
  return order;
}


void bind_append_handler(lua_State *L, WorldBox *box, int list, int index, int kind) {
  int n = box->handlers[kind];
  index = lua_absindex(L, index);
  lua_getiuservalue(L, index, UV_HANDLER_FUNCTION);
  lua_rawseti(L, list, 2 * n + 2);
  lua_pushvalue(L, index);
  lua_rawseti(L, list, 2 * n + 1);
  Subscription *subscription = lua_touserdata(L, index);
  subscription->alive = true;
  box->handlers_unsorted = box->handlers_unsorted || (n > 0 && order_at(L, list, n - 1) >= subscription->order);
  box->handlers[kind] = n + 1;
}


// Store the subscription at the stack index under its serial; index 0 removes the stored subscription.
static void remember(lua_State *L, int world, uint64_t serial, int index) {
  bind_world_table(L, world, SLOT_SUBSCRIPTIONS);
  if (index != 0) {
    lua_pushvalue(L, index);
  } else {
    lua_pushnil(L);
  }
  lua_rawseti(L, -2, (lua_Integer)serial);
  lua_pop(L, 1);
}


static void move_entry(lua_State *L, int list, int from, int to) {
  for (int part = 1; part <= 2; part++) {
    lua_rawgeti(L, list, 2 * from + part);
    lua_rawseti(L, list, 2 * to + part);
  }
}


static void swap_entries(lua_State *L, int list, int a, int b) {
  for (int part = 1; part <= 2; part++) {
    lua_rawgeti(L, list, 2 * a + part);
    lua_rawgeti(L, list, 2 * b + part);
    lua_rawseti(L, list, 2 * a + part);
    lua_rawseti(L, list, 2 * b + part);
  }
}


// Heap sort of a list, after a restore added entries.
static void sort(lua_State *L, int list, int count) {
  for (int begin = count / 2, end = count; end > 1;) {
    if (begin > 0) {
      begin--;
    } else {
      swap_entries(L, list, 0, --end);
    }
    for (int at = begin, child; (child = 2 * at + 1) < end; at = child) {
      child += child + 1 < end && order_at(L, list, child + 1) > order_at(L, list, child);
      if (order_at(L, list, child) <= order_at(L, list, at)) break;
      swap_entries(L, list, at, child);
    }
  }
}


// Remove the ended entries of a list, and sort the remaining entries if necessary.
static void squeeze(lua_State *L, WorldBox *box, int list, int kind) {
  int n = 0;
  for (int i = 0; i < box->handlers[kind]; i++) {
    lua_rawgeti(L, list, 2 * i + 2);
    bool alive = lua_toboolean(L, -1);
    lua_pop(L, 1);
    if (!alive) continue;
    if (i != n) move_entry(L, list, i, n);
    n++;
  }
  for (int i = 2 * n + 1; i <= 2 * box->handlers[kind]; i++) {
    lua_pushnil(L);
    lua_rawseti(L, list, i);
  }
  box->handlers[kind] = n;
  if (box->handlers_unsorted) sort(L, list, n);
}


void bind_squeeze_handlers(lua_State *L, int world) {
  WorldBox *box = lua_touserdata(L, world);
  for (int kind = 0; kind < HANDLER_COUNT; kind++) {
    squeeze(L, box, bind_push_handlers(L, world, kind), kind);
    lua_pop(L, 1);
  }
  box->handlers_dirty = box->handlers_unsorted = false;
  box->handlers_ended = 0;
}


// Return the first place in a sorted list whose subscription has an order of at least `order`.
static int place_of(lua_State *L, int list, int count, uint64_t order) {
  int low = 0, high = count;
  while (low < high) {
    int middle = (low + high) / 2;
    if (order_at(L, list, middle) < order) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}


void bind_end_handler(lua_State *L, int world, int index) {
  index = lua_absindex(L, index);
  Subscription *self = lua_touserdata(L, index);
  WorldBox *box = self->handle.box;
  self->alive = false;
  int list = bind_push_handlers(L, world, self->kind), count = box->handlers[self->kind];
  int place = box->handlers_unsorted ? 0 : place_of(L, list, count, self->order);
  for (; place < count && (box->handlers_unsorted || order_at(L, list, place) == self->order); place++) {
    if (order_at(L, list, place) != self->order) continue;
    lua_pushboolean(L, false);
    lua_rawseti(L, list, 2 * place + 2);
  }
  lua_pop(L, 1);
  box->handlers_ended++;
  box->handlers_dirty = true;
  if (self->serial != 0 && self->serial <= box->known_handlers) return;
  lua_pushnil(L);
  lua_setiuservalue(L, index, UV_HANDLER_FUNCTION);
  if (self->serial != 0) remember(L, world, self->serial, 0);
}


// ---------------------------------------------------------------------------------------------------------------------
// world:on and its handlers
// ---------------------------------------------------------------------------------------------------------------------

// world:on(event, fn [, { outside }]) -> handler
int bind_world_on(lua_State *L) {
  WorldBox *box = bind_check_world(L);
  int kind = bind_choice(L, 2, "world:on: argument 'event'", bind_handler_name);
  if (!lua_isfunction(L, 3)) {
    return bind_error(L, "world:on: argument 'fn' must be a function, got %s", bind_got(L, 3));
  }
  OnOptions options = {.outside = false};
  if (!lua_isnoneornil(L, 4)) bind_options(L, 4, "world:on", &bind_on_options, &options);
  int list = bind_push_handlers(L, 1, kind);
  Subscription *subscription = bind_new_object(L, 1, &handler_class, sizeof(Subscription));
  subscription->kind = kind;
  subscription->alive = false;
  subscription->outside = options.outside;
  subscription->order = ++box->handler_order;
  subscription->serial = options.outside ? 0 : ++box->handler_serial;
  lua_pushvalue(L, 3);
  lua_setiuservalue(L, -2, UV_HANDLER_FUNCTION);
  if (subscription->serial != 0) remember(L, 1, subscription->serial, lua_gettop(L));
  bind_append_handler(L, box, list, -1, kind);
  return 1;
}


// handler:destroy(); a second call does nothing
static int handler_destroy(lua_State *L) {
  Subscription *self = bind_self(L);
  if (!handler_is_valid(self)) return 0;
  bind_world_table(L, 1, SLOT_WORLD);
  int world = lua_gettop(L);
  bind_end_handler(L, world, 1);
  const WorldBox *box = self->handle.box;
  int entries = 0;
  for (int kind = 0; kind < HANDLER_COUNT; kind++) entries += box->handlers[kind];
  if (!box->stepping && box->handlers_ended > entries / 2) bind_squeeze_handlers(L, world);
  return 0;
}


// handler.event
static int get_event(lua_State *L, void *self) {
  lua_pushstring(L, bind_handler_name(((Subscription *)self)->kind));
  return 1;
}


// tostring(handler)
static int handler_tostring(lua_State *L) {
  Subscription *self = luaL_checkudata(L, 1, handler_class.registry);
  lua_pushfstring(L, "%shandler of '%s'", handler_is_valid(self) ? "" : "destroyed ", bind_handler_name(self->kind));
  return 1;
}


static const Entry handler_entries[] = {
    {.name = "event", .type = "string", .get = get_event, .doc = "name of the event"},
    {.name = "destroy", .call = handler_destroy, .signature = "()", .doc = "unsubscribe, at once"},
    {.name = "is_valid", .call = bind_is_valid, .signature = "() -> boolean", .doc = "false once destroyed"},
    {.name = NULL},
};


const Members bind_handler_members = {&handler_class, handler_entries, handler_tostring, NULL};
