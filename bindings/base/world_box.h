// A world as the Lua module has it: its userdata, and the slots of its shelf.
#ifndef IMPEL_BINDINGS_WORLD_BOX_H
#define IMPEL_BINDINGS_WORLD_BOX_H

#include <lua.h>

#include "impel.h"

typedef struct WorldBox WorldBox;

/// The head of every object. `id` is the core's handle, 0 for objects that have none.
typedef struct Handle {
  const struct Class *class;
  WorldBox *box;
  uint64_t id;
} Handle;

/// Events first, by ImpEventKind, then the kinds of handlers that are no events.
enum { HANDLER_STEP = IMP_EVENT_COUNT, HANDLER_SUBSTEP, HANDLER_PRE_SOLVE, HANDLER_COUNT };

/// Steps from the one a pooled event, contact or row object was handed out after to the first that may use it again: one
/// second at the default dt. Until then it raises; later it may stand for something else. Nobody can know whether a
/// script still holds a userdata, so an error for ever would cost a new object for every event.
enum { POOL_REST = 60 };

/// The pooled event objects of a kind: the events of a step take the places after those of the step before, and from the
/// first place on again when they do not fit. A lap takes POOL_REST steps or more; the ring grows when it would not.
typedef struct EventRing {
  int first, count; ///< places of the last step's events
  int capacity;
  uint64_t lap; ///< epoch of the step that took the first place
} EventRing;

/// The userdata of a world.
struct WorldBox {
  Handle handle;           ///< its own head: box points to itself
  ImpWorld *world;         ///< null once destroyed
  lua_State *lua;          ///< the thread that runs world:step, else null
  uint64_t epoch;          ///< counts core steps and restores; what is pooled is stale in a later one
  bool stepping;           ///< from the start of world:step to its end, handlers included
  int tracing;             ///< calls of constraints' and fields' functions that are made or traced now
  const char *traced;      ///< whose function the last of these is: "constraint" or "field"
  struct Trace *trace;     ///< of the constraint whose function was called last in a step
  bool borrowed;           ///< the world belongs to a playback
  bool keeps;              ///< a snapshot was made: what dead objects had is kept, it may bring them back
  int saving;              ///< the __save and __load of registered objects that run
  bool profiling, in_lua;  ///< the time in functions of Lua is taken; one runs now
  double lua_time;         ///< what they took of the last step [s]
  bool stops;              ///< world.fault is "stop": a step in which numbers blew up raises
  bool handlers_dirty;     ///< a handler was destroyed: squeeze the lists when many were, and around a step
  bool handlers_unsorted;  ///< a restore brought handlers back: lists are not in order until they are squeezed
  uint64_t handler_order;  ///< calls of world:on
  uint64_t handler_serial; ///< the last one given, see subscription.c; and the last one that a snapshot knows
  uint64_t known_handlers;
  uint64_t root_serial, known_roots; ///< the same of what is registered with world:state
  uint64_t value_serial;             ///< of tables and functions in snapshots
  int handlers[HANDLER_COUNT];       ///< entries in each list, dead ones included
  int handlers_ended;                ///< dead ones in all lists
  int predicates;                    ///< joints in SHELF_PREDICATES, dead ones included
  EventRing rings[IMP_EVENT_COUNT];  ///< of pooled event objects
  const void *loop_event;            ///< the one that a loop was handed last, while the pool holds it
  int contact_count, contact_hand;   ///< pooled contact objects; the next one to try for reuse
  int row_count, row_hand;           ///< the same of rows
  int ended, ended_room;             ///< bodies in SHELF_ENDED, and how many of them may be; see bind_ended
  uint64_t ended_before;             ///< what came before the first of them: earlier ones, and restores
};

/// Slots of a world's shelf.
enum {
  SHELF_WORLD = 1,       ///< the world's userdata
  SHELF_BODIES,          ///< body id -> userdata, weak values
  SHELF_SHAPES,          ///< shape id -> userdata, weak values
  SHELF_JOINTS,          ///< joint id -> userdata, weak values
  SHELF_FIELDS,          ///< field id -> userdata, weak values
  SHELF_MOVERS,          ///< mover id -> userdata, weak values
  SHELF_BODY_DATA,       ///< body id -> body.data
  SHELF_SHAPE_DATA,      ///< shape id -> shape.data
  SHELF_BODY_LOOK,       ///< body id -> the bytes of its ImpLook
  SHELF_SHAPE_LOOK,      ///< shape id -> the same
  SHELF_FILTERS,         ///< shape id -> shape.filter
  SHELF_MIX_RULES,       ///< { rule of friction, rule of restitution }
  SHELF_JOINT_DATA,      ///< joint id -> joint.data
  SHELF_FIELD_DATA,      ///< field id -> field.data
  SHELF_LAWS,            ///< field id -> the law of a custom field and what belongs to it
  SHELF_CONSTRAINTS,     ///< joint id -> the function of a constraint and what belongs to it
  SHELF_PREDICATES,      ///< { joint id, break_if, joint id, break_if, ... } in creation order
  SHELF_EVENTS,          ///< event kind + 1 -> { pooled event object, ... }
  SHELF_CONTACTS,        ///< contact id -> pooled contact object
  SHELF_CONTACT_POOL,    ///< array of the pooled contact objects
  SHELF_ROWS,            ///< key of a row -> pooled row object, see row.c
  SHELF_ROW_POOL,        ///< array of the pooled row objects
  SHELF_CURSORS,         ///< array of idle iterators
  SHELF_HANDLERS,        ///< handler kind + 1 -> { subscription, function, subscription, function, ... }
  SHELF_SUBSCRIPTIONS,   ///< serial -> subscription: those that are part of the state and live, or did in a snapshot
  SHELF_ROOTS,           ///< serial -> root: the tables of world:state that are registered, or were in a snapshot
  SHELF_ROOT_SERIALS,    ///< table -> serial of its root
  SHELF_SERIALS,         ///< table or function -> serial, weak keys: what was in a snapshot
  SHELF_TABLES,          ///< serial -> table, weak values
  SHELF_FUNCTIONS,       ///< serial -> function: filters and rules that were in a snapshot
  SHELF_FUNCTION_HASHES, ///< function -> hash of its code, weak keys
  SHELF_ENDED,           ///< array of the ids of bodies that were destroyed, see bind_ended
  SHELF_SCRATCH,         ///< userdata: memory of world:read and world:write, for the length of a call
  SHELF_COUNT
};

#endif
