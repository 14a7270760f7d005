// The class event: what happened in the last step. Event objects are pooled; access in a later step raises.
#include "objects/event.h"
#include "objects/object.h"
#include "objects/world.h"

typedef struct EventObject {
  Handle handle;
  uint64_t epoch; // epoch in which the object was pushed
  ImpEventKind kind;
  int index;
  const ImpEvent *event; // points into the core's list, valid until the next step
} EventObject;

#define BIT(kind) (1u << IMP_EVENT_##kind)
#define TOUCH (BIT(BEGIN_CONTACT) | BIT(END_CONTACT) | BIT(HIT))
#define SENSE (BIT(SENSOR_BEGIN) | BIT(SENSOR_END))
#define IMPACT (BIT(BEGIN_CONTACT) | BIT(HIT))
#define BREAK BIT(JOINT_BREAK)
#define OF_BODY ~(TOUCH | SENSE | BREAK | BIT(JOINT_DESTROYED)) // event kinds that are about one body or none

// Keys in the table SLOT_EVENTS. Their values are the initial value and the iterator function of a loop over events.
#define LOOP_START(kind) (-1 - (kind))
#define LOOP_FUNCTION(kind) (-1 - IMP_EVENT_COUNT - (kind))


static bool event_is_valid(const void *self) {
  const EventObject *object = self;
  return object->handle.box->world && object->epoch == object->handle.box->epoch;
}


static void event_require(lua_State *L, void *self, const Entry *entry) {
  const EventObject *object = self;
  if (!event_is_valid(self)) {
    bind_error(L,
               "attempt to use an event after its step (an event object is valid until the next step; after %d steps "
               "it may be reused for another event; store the values that you need instead)",
               POOL_REST);
  }
  if (entry && entry->only && !(entry->only >> object->kind & 1u)) {
    bind_error(L, "a %s event has no field '%s'", imp_event_name((int)object->kind), entry->name);
  }
}


static const Class event_class = {
    .name = "event",
    .registry = "impel.event",
    .require = event_require,
    .is_valid = event_is_valid,
    .values = 1,
};


void bind_place_events(WorldBox *box, ImpEventKind kind) {
  EventRing *ring = &box->rings[kind];
  int count = 0;
  imp_world_events(box->world, kind, &count);
  ring->first += ring->count;
  ring->count = count;
  if (ring->first + count <= ring->capacity) return;
  if (box->epoch >= ring->lap + POOL_REST) {
    ring->first = 0;
    ring->lap = box->epoch;
  }
  if (ring->first + count > ring->capacity) ring->capacity = ring->first + count;
}


// Push a new object and store it at a place of the pool.
static EventObject *push_new_event(lua_State *L, int owner, int pool, lua_Integer place) {
  EventObject *object = bind_new_object(L, owner, &event_class, sizeof(EventObject));
  object->handle.box->loop_event = NULL; // the new object may replace loop_event
  object->epoch = 0;                     // the object is stale until all fields are set
  lua_pushvalue(L, -1);
  lua_rawseti(L, pool, place);
  return object;
}


void *bind_push_event(lua_State *L, WorldBox *box, int owner, int pool, ImpEventKind kind, int index,
                      const ImpEvent *event) {
  lua_Integer place = (lua_Integer)box->rings[kind].first + index + 1;
  lua_rawgeti(L, pool, place);
  EventObject *object = lua_touserdata(L, -1);
  if (object && object->epoch == box->epoch) return object;
  if (!object || object->epoch + POOL_REST > box->epoch) { // the object was pushed too recently to be reused
    lua_pop(L, 1);
    object = push_new_event(L, owner, pool, place);
  }
  object->epoch = box->epoch;
  object->kind = kind;
  object->index = index;
  object->event = event;
  return object;
}


// ---------------------------------------------------------------------------------------------------------------------
// Properties
// ---------------------------------------------------------------------------------------------------------------------

static const ImpEvent *event_of(const void *self) { return ((const EventObject *)self)->event; }


BIND_GETTER(get_kind, lua_pushstring(L, imp_event_name((int)((EventObject *)self)->kind)))
BIND_GETTER(get_body_a, bind_push_body(L, 1, event_of(self)->body_a))


// event.body: nil for a warning that is not about a body
static int get_body(lua_State *L, void *self) { return event_of(self)->body_a.id != 0 ? get_body_a(L, self) : 0; }


BIND_GETTER(get_body_b, bind_push_body(L, 1, event_of(self)->body_b))
// event.shape_a, event.sensor
BIND_GETTER(get_shape_a, bind_push_shape(L, 1, event_of(self)->shape_a))
// event.shape_b, event.visitor
BIND_GETTER(get_shape_b, bind_push_shape(L, 1, event_of(self)->shape_b))
BIND_GETTER(get_x, lua_pushnumber(L, event_of(self)->point.x))
BIND_GETTER(get_y, lua_pushnumber(L, event_of(self)->point.y))
BIND_GETTER(get_nx, lua_pushnumber(L, event_of(self)->normal.x))
BIND_GETTER(get_ny, lua_pushnumber(L, event_of(self)->normal.y))
BIND_GETTER(get_speed, lua_pushnumber(L, event_of(self)->speed))
BIND_GETTER(get_impulse, lua_pushnumber(L, event_of(self)->impulse))


// event.joint: nil for a warning that is not about a joint
static int get_joint(lua_State *L, void *self) {
  if (event_of(self)->joint.id == 0) return 0;
  bind_push_joint(L, 1, event_of(self)->joint);
  return 1;
}


// event.length
static int get_length(lua_State *L, void *self) {
  if (event_of(self)->joint.id == 0) return 0;
  lua_pushnumber(L, event_of(self)->length);
  return 1;
}


BIND_GETTER(get_force, lua_pushnumber(L, event_of(self)->force))
BIND_GETTER(get_torque, lua_pushnumber(L, event_of(self)->torque))
BIND_GETTER(get_id, lua_pushinteger(L, (lua_Integer)event_of(self)->id_a))
// event.stage, event.text, event.name
BIND_GETTER(get_text, lua_pushstring(L, event_of(self)->text))


// tostring(event)
static int event_tostring(lua_State *L) {
  EventObject *self = luaL_checkudata(L, 1, event_class.registry);
  if (!event_is_valid(self)) {
    lua_pushliteral(L, "event of an earlier step");
  } else {
    lua_pushfstring(L, "%s event %d", imp_event_name((int)self->kind), self->index + 1);
  }
  return 1;
}


static const Entry event_entries[] = {
    {.name = "kind", .type = "string", .get = get_kind, .choice = imp_event_name, .doc = "%s"},
    {.name = "body_a",
     .type = "body",
     .get = get_body_a,
     .only = TOUCH | SENSE,
     .doc = "body of shape_a; in a sensor event, the body of the sensor. If a handler that ran before this one may "
            "have destroyed the body, check body:is_valid()"},
    {.name = "body_b",
     .type = "body",
     .get = get_body_b,
     .only = TOUCH | SENSE,
     .doc = "body of shape_b; in a sensor event, the body of the visitor"},
    {.name = "shape_a", .type = "shape", .get = get_shape_a, .only = TOUCH, .doc = "the older of the two shapes"},
    {.name = "shape_b", .type = "shape", .get = get_shape_b, .only = TOUCH, .doc = "the newer of the two shapes"},
    {.name = "x",
     .type = "number",
     .unit = "m",
     .get = get_x,
     .only = IMPACT,
     .doc = "x of the contact point with the largest impulse"},
    {.name = "y",
     .type = "number",
     .unit = "m",
     .get = get_y,
     .only = IMPACT,
     .doc = "y of the contact point with the largest impulse"},
    {.name = "nx",
     .type = "number",
     .unit = "1",
     .get = get_nx,
     .only = IMPACT,
     .doc = "x component of the normal from shape_a to shape_b"},
    {.name = "ny",
     .type = "number",
     .unit = "1",
     .get = get_ny,
     .only = IMPACT,
     .doc = "y component of the normal from shape_a to shape_b"},
    {.name = "speed",
     .type = "number",
     .unit = "m/s",
     .get = get_speed,
     .only = IMPACT,
     .doc = "speed along the normal before the impact; > 0: approaching"},
    {.name = "impulse",
     .type = "number",
     .unit = "N s",
     .get = get_impulse,
     .only = BIT(HIT),
     .doc = "impulse along the normal, summed over the step"},
    {.name = "sensor", .type = "shape", .get = get_shape_a, .only = SENSE, .doc = "the sensor"},
    {.name = "visitor",
     .type = "shape",
     .get = get_shape_b,
     .only = SENSE,
     .doc = "the shape that entered or left the sensor"},
    {.name = "joint",
     .type = "joint or nil",
     .get = get_joint,
     .only = BREAK | BIT(WARNING),
     .doc = "the joint that broke. In a warning about a joint: the joint with a large error (an open joint, see "
            "world:residual), or the joint with a lock that the solver dropped, because it contradicts other locks or "
            "is nearly a linear combination of them (the event's text then begins with \"a lock is not held\"); nil in "
            "other warnings"},
    {.name = "length",
     .type = "number or nil",
     .unit = "m",
     .get = get_length,
     .only = BIT(WARNING),
     .doc = "in a warning about a joint: the position error of `event.joint`, or of its lock that the solver dropped; "
            "nil in other warnings"},
    {.name = "force",
     .type = "number",
     .unit = "N",
     .get = get_force,
     .only = BREAK,
     .doc = "reaction force of the broken joint in the last step"},
    {.name = "torque",
     .type = "number",
     .unit = "N m",
     .get = get_torque,
     .only = BREAK,
     .doc = "reaction torque of the broken joint in the last step"},
    {.name = "name",
     .type = "string",
     .get = get_text,
     .only = BIT(JOINT_DESTROYED),
     .doc = "name of the destroyed joint, or nil"},
    {.name = "id",
     .type = "integer",
     .get = get_id,
     .only = BIT(JOINT_DESTROYED),
     .doc = "joint.id of the destroyed joint"},
    {.name = "body",
     .type = "body or nil",
     .get = get_body,
     .only = OF_BODY,
     .doc = "body that the event is about; nil in a warning that is not about a body"},
    {.name = "stage",
     .type = "string",
     .get = get_text,
     .only = BIT(FAULT),
     .doc = "stage of the step in which the state became non-finite"},
    {.name = "text", .type = "string", .get = get_text, .only = BIT(WARNING), .doc = "text of the warning"},
    {.name = "is_valid",
     .call = bind_is_valid,
     .signature = "() -> boolean",
     .doc = "false from the next step on; 60 steps later the object may be reused for another event"},
    {.name = NULL},
};


const Members bind_event_members = {&event_class, event_entries, event_tostring, NULL};


// ---------------------------------------------------------------------------------------------------------------------
// world:events
// ---------------------------------------------------------------------------------------------------------------------

enum { NEXT_WORLD = 1, NEXT_METATABLE, NEXT_POOL }; // upvalues of an iterator function of events


// Raise unless (world, event) come from a loop over events.
static inline void check_loop(lua_State *L, const WorldBox *box, const EventObject *last) {
  bool same_world = lua_touserdata(L, 1) == box;
  if (same_world && last && last == box->loop_event) return;
  bool is_event =
      last && lua_getmetatable(L, 2) && lua_topointer(L, -1) == lua_touserdata(L, lua_upvalueindex(NEXT_METATABLE));
  bool is_world = same_world || luaL_testudata(L, 1, bind_world_class.registry);
  if (!is_event || !is_world) bind_no_loop(L);
  if (!same_world || last->handle.box != box) bind_error(L, "world:events: an event of another world");
}


// Iterator function: (world, last event or initial value) -> next event of the kind, or nothing
static int next_event(lua_State *L) {
  WorldBox *box = lua_touserdata(L, lua_upvalueindex(NEXT_WORLD));
  const EventObject *last = lua_touserdata(L, 2);
  check_loop(L, box, last);
  if (!box->world) return bind_dead(L, 1, "world");
  if (last->index >= 0 && last->epoch != box->epoch) event_require(L, (void *)(uintptr_t)last, NULL);
  int count = 0, index = last->index + 1;
  if (imp_world_is_stepping(box->world)) return 0;
  const ImpEvent *events = imp_world_events(box->world, last->kind, &count);
  if (index >= count) return 0;
  box->loop_event = bind_push_event(L, box, lua_upvalueindex(NEXT_WORLD), lua_upvalueindex(NEXT_POOL), last->kind,
                                    index, &events[index]);
  return 1;
}


// Replace the pools by the iterator function, the world and the initial value (index -1) of a loop.
static void push_loop(lua_State *L, int world, int kind) {
  int pools = lua_gettop(L);
  if (lua_rawgeti(L, pools, LOOP_FUNCTION(kind)) == LUA_TNIL) {
    lua_pop(L, 1);
    lua_pushvalue(L, world);
    luaL_getmetatable(L, event_class.registry);
    lua_pushlightuserdata(L, (void *)(uintptr_t)lua_topointer(L, -1));
    lua_replace(L, -2);
    lua_rawgeti(L, pools, kind + 1);
    lua_pushcclosure(L, next_event, 3);
    EventObject *before = bind_new_object(L, world, &event_class, sizeof(EventObject));
    before->epoch = UINT64_MAX; // the initial value is never a valid event
    before->kind = (ImpEventKind)kind;
    before->index = -1;
    lua_rawseti(L, pools, LOOP_START(kind));
    lua_pushvalue(L, -1);
    lua_rawseti(L, pools, LOOP_FUNCTION(kind));
  }
  lua_pushvalue(L, world);
  lua_rawgeti(L, pools, LOOP_START(kind));
  lua_remove(L, pools);
}


// for event in world:events(name)
int bind_world_events(lua_State *L) {
  bind_check_world(L);
  int kind = bind_choice(L, 2, "world:events: argument 'name'", imp_event_name);
  lua_settop(L, 1);
  bind_world_table(L, 1, SLOT_EVENTS);
  push_loop(L, 1, kind);
  return 3;
}
