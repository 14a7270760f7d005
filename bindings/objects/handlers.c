// world:step. A step runs the "step" handlers, the core with the "substep" handlers, the break_if functions, and the
// handlers of events.
// Handlers run under lua_pcall, so no Lua error passes through the core. At its end a step raises the first error that
// a handler raised.
#include <math.h>
#include <string.h>

#include "base/quota.h"
#include "objects/constraint.h"
#include "objects/event.h"
#include "objects/field.h"
#include "objects/filter.h"
#include "objects/joint.h"
#include "objects/material.h"
#include "objects/object.h"
#include "objects/subscription.h"
#include "objects/trace.h"
#include "objects/world.h"

// Stack slots of run_steps.
enum { STACK_WORLD = 1, STACK_COUNT, STACK_TRACEBACK, STACK_ERROR, STACK_LISTS, STACK_LIST, STACK_POOLS };


// Message handler: adds a traceback to strings, and the caller's position to errors about a yield.
static int traceback(lua_State *L) {
  if (lua_type(L, 1) == LUA_TSTRING) {
    if (strncmp(lua_tostring(L, 1), "attempt to yield", 16) == 0) {
      bind_push_position(L);
      lua_pushfstring(L, "%sa handler cannot yield (%s)", lua_tostring(L, -1), lua_tostring(L, 1));
      lua_replace(L, 1);
    }
    bind_explain_traced(L, 1);
    luaL_traceback(L, L, lua_tostring(L, 1), 1);
  } else if (lua_isnil(L, 1)) {
    lua_pushliteral(L, "error(nil) in a handler");
  }
  return 1;
}


// Call like lua_pcall and keep the first error at STACK_ERROR.
static bool call_guarded(lua_State *L, int arguments, int results) {
  if (lua_pcall(L, arguments, results, STACK_TRACEBACK) == LUA_OK) return true;
  if (lua_isnil(L, STACK_ERROR)) {
    lua_replace(L, STACK_ERROR);
  } else {
    lua_pop(L, 1);
  }
  return false;
}


// Return the time at which a Lua function is entered; 0 without profiling, or inside a Lua function that is timed.
static double enter_lua(WorldBox *box) {
  if (!box->profiling || box->in_lua) return 0;
  box->in_lua = true;
  return bind_clock();
}


static void leave_lua(WorldBox *box, double entered) {
  if (entered == 0) return;
  box->lua_time += bind_clock() - entered;
  box->in_lua = false;
}


// Call handler i of a list, unless destroyed, with the value at the top of the stack, which stays there.
static void call_handler(lua_State *L, int list, int i) {
  if (lua_rawgeti(L, list, 2 * i + 2) != LUA_TFUNCTION) {
    lua_pop(L, 1);
    return;
  }
  lua_pushvalue(L, -2);
  call_guarded(L, 1, 0);
}


static void call_handlers(lua_State *L, int list, int count) {
  for (int i = 0; i < count; i++) call_handler(L, list, i);
}


static void on_substep(ImpWorld *world, double h, void *user) {
  (void)world;
  WorldBox *box = user;
  lua_State *L = box->lua;
  double entered = enter_lua(box);
  lua_pushnumber(L, h);
  call_handlers(L, STACK_LIST, box->handlers[HANDLER_SUBSTEP]);
  lua_pop(L, 1);
  leave_lua(box, entered);
}


static void on_constraint(ImpWorld *world, ImpJoint joint, double t, void *user) {
  (void)world;
  WorldBox *box = user;
  lua_State *L = box->lua;
  double entered = enter_lua(box);
  lua_pushcfunction(L, bind_constraint_evaluate);
  lua_pushvalue(L, STACK_WORLD);
  lua_pushinteger(L, bind_key(joint.id));
  lua_pushnumber(L, t);
  if (!call_guarded(L, 3, 0)) bind_constraint_failed(box);
  leave_lua(box, entered);
}


static void on_field(ImpWorld *world, ImpField field, ImpBody body, void *user) {
  (void)world;
  WorldBox *box = user;
  lua_State *L = box->lua;
  double entered = enter_lua(box);
  lua_pushcfunction(L, bind_field_evaluate);
  lua_pushvalue(L, STACK_WORLD);
  lua_pushinteger(L, bind_key(field.id));
  lua_pushinteger(L, bind_key(body.id));
  if (!call_guarded(L, 3, 0)) bind_constraint_failed(box);
  leave_lua(box, entered);
}


// Lua function (world, contact id) -> contact
static int make_contact(lua_State *L) {
  bind_push_contact(L, 1, (ImpContact){bind_handle(L, 1, 2)});
  return 1;
}


static void on_pre_solve(ImpWorld *world, ImpContact contact, void *user) {
  (void)world;
  WorldBox *box = user;
  lua_State *L = box->lua;
  double entered = enter_lua(box);
  lua_pushcfunction(L, make_contact);
  lua_pushvalue(L, STACK_WORLD);
  lua_pushinteger(L, bind_key(contact.id));
  if (call_guarded(L, 2, 1)) {
    lua_rawgeti(L, STACK_LISTS, HANDLER_PRE_SOLVE + 1);
    lua_insert(L, -2);
    call_handlers(L, lua_gettop(L) - 1, box->handlers[HANDLER_PRE_SOLVE]);
    lua_pop(L, 2);
  }
  leave_lua(box, entered);
}


// Call a shape's filter; if the filter raises, the shapes collide.
static bool on_filter(ImpWorld *world, ImpShape shape, ImpShape other, void *user) {
  (void)world;
  WorldBox *box = user;
  lua_State *L = box->lua;
  double entered = enter_lua(box);
  bool meets = true;
  lua_pushcfunction(L, bind_filter_evaluate);
  lua_pushvalue(L, STACK_WORLD);
  lua_pushinteger(L, bind_key(shape.id));
  lua_pushinteger(L, bind_key(other.id));
  if (call_guarded(L, 3, 1)) {
    meets = lua_toboolean(L, -1);
    lua_pop(L, 1);
  }
  leave_lua(box, entered);
  return meets;
}


// Return the result of a mix rule; NaN if the rule returns nil or raises.
static double ask_rule(lua_State *L, int a, int b, int rule) {
  lua_pushcfunction(L, bind_mix_evaluate);
  lua_pushvalue(L, STACK_WORLD);
  lua_pushinteger(L, a);
  lua_pushinteger(L, b);
  lua_pushinteger(L, rule);
  if (!call_guarded(L, 4, 1)) return (double)NAN;
  double value = lua_isnumber(L, -1) ? lua_tonumber(L, -1) : (double)NAN;
  lua_pop(L, 1);
  return value;
}


static void on_mix(ImpWorld *world, int a, int b, ImpMix *mix, void *user) {
  (void)world;
  WorldBox *box = user;
  double entered = enter_lua(box);
  mix->friction = ask_rule(box->lua, a, b, 1);
  mix->restitution = ask_rule(box->lua, a, b, 2);
  leave_lua(box, entered);
}


// Put the list of handlers of a kind at STACK_LIST.
static void use_list(lua_State *L, int kind) {
  lua_rawgeti(L, STACK_LISTS, kind + 1);
  lua_replace(L, STACK_LIST);
}


static void run_step_handlers(lua_State *L, WorldBox *box) {
  double dt = 0;
  if (box->handlers[HANDLER_STEP] == 0) return;
  imp_world_get(box->world, IMP_WORLD_DT, &dt);
  use_list(L, HANDLER_STEP);
  lua_pushnumber(L, dt);
  call_handlers(L, STACK_LIST, box->handlers[HANDLER_STEP]);
  lua_pop(L, 1);
}


static ImpStatus run_core(lua_State *L, WorldBox *box) {
  bool listens = box->handlers[HANDLER_SUBSTEP] > 0;
  use_list(L, HANDLER_SUBSTEP);
  imp_world_set_substep_callback(box->world, listens ? on_substep : NULL, box);
  imp_world_set_constraint_callback(box->world, on_constraint, box);
  imp_world_set_field_callback(box->world, on_field, box);
  imp_world_set_pre_solve_callback(box->world, box->handlers[HANDLER_PRE_SOLVE] > 0 ? on_pre_solve : NULL, box);
  imp_world_set_filter_callback(box->world, on_filter, box);
  imp_world_set_mix_callback(box->world, bind_has_mix_rules(L, STACK_WORLD) ? on_mix : NULL, box);
  box->epoch++;
  return imp_world_step(box->world);
}


// Progress of the delivery of events. `listeners`: number of handlers at its start; `event`, `handler`: indices of the
// next call
typedef struct Delivery {
  WorldBox *box;
  uint64_t epoch; // epoch of the step; the delivery ends if a restore changes the epoch
  ImpEventKind kind;
  int listeners, event, handler;
} Delivery;


// Arguments: (delivery, list, pool, world). Continue the delivery of a kind's events. An error ends this call; the next
// call continues after the handler that raised.
static int deliver(lua_State *L) {
  enum { DELIVERY = 1, LIST, POOL, WORLD };
  Delivery *d = lua_touserdata(L, DELIVERY);
  WorldBox *box = d->box;
  int count = 0;
  const ImpEvent *events = imp_world_events(box->world, d->kind, &count);
  for (; d->event < count; d->event++, d->handler = 0) {
    bind_push_event(L, box, WORLD, POOL, d->kind, d->event, &events[d->event]);
    while (d->handler < d->listeners) {
      if (lua_rawgeti(L, LIST, 2 * d->handler++ + 2) != LUA_TFUNCTION) {
        lua_pop(L, 1);
        continue;
      }
      lua_pushvalue(L, -2);
      lua_call(L, 1, 0);
      if (box->epoch != d->epoch) return 0;
    }
    lua_pop(L, 1);
  }
  return 0;
}


// Call the handlers of the step's events. A handler that one of these calls registers gets no event of this step.
static void dispatch(lua_State *L, WorldBox *box) {
  int listeners[IMP_EVENT_COUNT];
  Delivery delivery = {.box = box, .epoch = box->epoch};
  for (int kind = 0; kind < IMP_EVENT_COUNT; kind++) {
    listeners[kind] = box->handlers[kind];
    bind_place_events(box, (ImpEventKind)kind);
  }
  for (int kind = 0; kind < IMP_EVENT_COUNT && box->epoch == delivery.epoch; kind++) {
    int count = 0;
    imp_world_events(box->world, (ImpEventKind)kind, &count);
    if (listeners[kind] == 0 || count == 0) continue;
    delivery.kind = (ImpEventKind)kind;
    delivery.listeners = listeners[kind];
    delivery.event = delivery.handler = 0;
    bool done = false;
    while (!done && box->epoch == delivery.epoch) {
      lua_pushcfunction(L, deliver);
      lua_pushlightuserdata(L, &delivery);
      lua_rawgeti(L, STACK_LISTS, kind + 1);
      lua_rawgeti(L, STACK_POOLS, kind + 1);
      lua_pushvalue(L, STACK_WORLD);
      done = call_guarded(L, 4, 0);
    }
  }
}


// If the step disabled bodies with a non-finite state, push a message that names the one of lowest id; otherwise return
// false.
static bool push_fault(lua_State *L, const WorldBox *box) {
  int count = 0;
  const ImpEvent *faults = imp_world_events(box->world, IMP_EVENT_FAULT, &count);
  if (count == 0) return false;
  bind_push_position(L);
  bind_push_body(L, STACK_WORLD, faults[0].body_a);
  luaL_tolstring(L, -1, NULL);
  const char *rest = count > 1 ? lua_pushfstring(L, " (and the state of %d more)", count - 1) : lua_pushliteral(L, "");
  lua_pushfstring(L,
                  "world:step: the state of %s became non-finite in stage '%s' of step %I%s: the body was put back to "
                  "its last valid pose and disabled",
                  lua_tostring(L, -2), faults[0].text, (LUAI_UACINT)imp_world_tick(box->world), rest);
  lua_replace(L, -4);
  lua_pop(L, 2);
  lua_concat(L, 2);
  return true;
}


// Run the steps of world:step, which calls this function with (world, number of steps) in protected mode.
static int run_steps(lua_State *L) {
  WorldBox *box = lua_touserdata(L, STACK_WORLD);
  lua_Integer count = lua_tointeger(L, STACK_COUNT);
  luaL_checkstack(L, LUA_MINSTACK, NULL);
  lua_pushcfunction(L, traceback);
  lua_pushnil(L);
  bind_world_table(L, STACK_WORLD, SLOT_HANDLERS);
  lua_pushnil(L);
  bind_world_table(L, STACK_WORLD, SLOT_EVENTS);
  for (lua_Integer i = 0; i < count; i++) {
    box->lua_time = 0;
    double entered = box->handlers[HANDLER_STEP] > 0 ? enter_lua(box) : 0;
    run_step_handlers(L, box);
    leave_lua(box, entered);
    ImpStatus status = run_core(L, box);
    if (status == IMP_OK) {
      entered = enter_lua(box);
      bind_ask_predicates(L, STACK_WORLD, STACK_TRACEBACK, STACK_ERROR);
      bind_forget_joints(L, STACK_WORLD);
      bool stops = box->stops && push_fault(L, box); // push_fault runs before the handlers, which may change the body
      int fault = lua_gettop(L);
      dispatch(L, box);
      leave_lua(box, entered);
      if (stops && lua_isnil(L, STACK_ERROR)) {
        lua_copy(L, fault, STACK_ERROR);
      }
      if (stops) lua_pop(L, 1);
    } else if (lua_isnil(L, STACK_ERROR)) {
      return bind_refused(L, &bind_world_class, "world:step");
    }
    if (lua_isnil(L, STACK_ERROR)) continue;
    lua_settop(L, STACK_ERROR);
    return lua_error(L);
  }
  return 0;
}


// world:step(n)
int bind_world_step(lua_State *L) {
  WorldBox *box = bind_check_world(L);
  if (box->stepping) return bind_error(L, "world:step: called inside a handler of the same world");
  if (box->tracing) return bind_error(L, "world:step: called inside a %s's function", box->traced);
  bind_refuse_saving(L, box);
  if (box->handlers_dirty) bind_squeeze_handlers(L, 1);
  lua_Integer count = 1;
  if (!lua_isnoneornil(L, 2)) {
    int is_integer;
    count = lua_tointegerx(L, 2, &is_integer);
    if (lua_type(L, 2) != LUA_TNUMBER || !is_integer || count < 0) {
      return bind_error(L, "world:step: argument 'n' must be an integer >= 0, got %s", bind_got(L, 2));
    }
  }
  lua_settop(L, 1);
  lua_pushcfunction(L, run_steps);
  lua_pushvalue(L, 1);
  lua_pushinteger(L, count);
  box->stepping = true;
  box->in_lua = false;
  box->lua = L;
  int status = lua_pcall(L, 2, 0, 0);
  box->stepping = false;
  box->lua = NULL;
  box->trace = NULL;
  if (box->handlers_dirty) bind_squeeze_handlers(L, 1);
  if (status != LUA_OK) return lua_error(L);
  return 0;
}
