// The userdata of a world, the first bytes of every object, and the slots of the world table.
#ifndef IMPEL_BINDINGS_WORLD_BOX_H
#define IMPEL_BINDINGS_WORLD_BOX_H

#include <lua.h>

#include "impel.h"

typedef struct WorldBox WorldBox;

/// First bytes of every object's userdata. `id` is the core's handle, 0 for objects without one.
typedef struct Handle {
  const struct Class *class;
  WorldBox *box;
  uint64_t id;
} Handle;

/// Kinds of handlers: the kinds of events in the order of ImpEventKind, then step, substep and pre_solve.
enum { HANDLER_STEP = IMP_EVENT_COUNT, HANDLER_SUBSTEP, HANDLER_PRE_SOLVE, HANDLER_COUNT };

/// A pooled event, contact or row object is reused no earlier than POOL_REST steps after a script last got it (1 s at
/// the default dt). Until then, access to a stale object raises; later the object may stand for something else.
enum { POOL_REST = 60 };

/// Ring buffer of the event objects of one kind, filled step after step.
/// The buffer grows if one pass through it takes fewer than POOL_REST steps.
typedef struct EventRing {
  int first, count; ///< the events of the last step: place of the first event in the ring, number of events
  int capacity;
  uint64_t lap; ///< epoch at which `first` was last reset to 0
} EventRing;

/// The userdata of a world.
struct WorldBox {
  Handle handle;           ///< `box` points to this struct
  ImpWorld *world;         ///< null after destruction
  lua_State *lua;          ///< the Lua thread that runs world:step, else null
  uint64_t epoch;          ///< number of core steps and restores; pooled objects of an earlier epoch are stale
  bool stepping;           ///< world:step is running
  int tracing;             ///< number of running query predicates, and of constraint and field functions outside a step
  const char *traced;      ///< owner of the function that began last: "constraint", "field" or "predicate"
  struct Trace *trace;     ///< trace of the constraint or field whose function was called last in a step
  bool borrowed;           ///< the world belongs to a playback
  bool keeps;              ///< a snapshot was taken, so values of destroyed objects are kept for a restore
  int saving;              ///< number of snapshots and restores in progress
  bool profiling, in_lua;  ///< Lua functions are timed; a timed function is running
  double lua_time;         ///< time that Lua functions took in the last step [s]
  bool stops;              ///< world.fault is "stop", so a step with a fault raises
  bool handlers_dirty;     ///< the lists contain ended handlers
  bool handlers_unsorted;  ///< a restore added handlers; the lists are not sorted
  uint64_t handler_order;  ///< number of calls of world:on
  uint64_t handler_serial; ///< serial number of the newest handler
  uint64_t known_handlers; ///< serial number of the newest handler that is in a snapshot
  /// serial numbers of the newest table registered with world:state, and of the newest one in a snapshot
  uint64_t root_serial, known_roots;
  uint64_t value_serial;            ///< serial number of the newest table or function in snapshots
  int handlers[HANDLER_COUNT];      ///< number of entries in each list, including ended handlers
  int handlers_ended;               ///< number of ended handlers in all lists
  int predicates;                   ///< number of joints in SLOT_PREDICATES, including destroyed joints
  EventRing rings[IMP_EVENT_COUNT]; ///< pooled event objects by kind
  const void *loop_event;          ///< last event object that a loop returned; null if the pool has replaced the object
  int contact_count, contact_hand; ///< number of pooled contact objects; index of the object last tried for reuse
  int row_count, row_hand;         ///< number of pooled row objects; index of the object last tried for reuse
  int ended, ended_room;           ///< number of bodies in SLOT_ENDED, and the upper limit of this number
  uint64_t ended_before; ///< number of destructions and restores that happened before the destructions in SLOT_ENDED
};

/// Slots of the world table.
enum {
  SLOT_WORLD = 1,       ///< the world's userdata
  SLOT_BODIES,          ///< body id -> userdata, weak values
  SLOT_SHAPES,          ///< shape id -> userdata, weak values
  SLOT_JOINTS,          ///< joint id -> userdata, weak values
  SLOT_FIELDS,          ///< field id -> userdata, weak values
  SLOT_MOVERS,          ///< mover id -> userdata, weak values
  SLOT_BODY_DATA,       ///< body id -> body.data
  SLOT_SHAPE_DATA,      ///< shape id -> shape.data
  SLOT_BODY_LOOK,       ///< body id -> the bytes of its ImpLook
  SLOT_SHAPE_LOOK,      ///< shape id -> the bytes of its ImpLook
  SLOT_FILTERS,         ///< shape id -> shape.filter
  SLOT_MIX_RULES,       ///< { mix rule of friction, mix rule of restitution }: functions
  SLOT_JOINT_DATA,      ///< joint id -> joint.data
  SLOT_FIELD_DATA,      ///< field id -> field.data
  SLOT_LAWS,            ///< field id -> record of a custom field's law
  SLOT_CONSTRAINTS,     ///< joint id -> record of a constraint's function
  SLOT_PREDICATES,      ///< { joint id, break_if, joint id, break_if, ... } in creation order
  SLOT_EVENTS,          ///< event kind + 1 -> { pooled event object, ... }
  SLOT_CONTACTS,        ///< contact id -> pooled contact object
  SLOT_CONTACT_POOL,    ///< array of the pooled contact objects
  SLOT_ROWS,            ///< key of a row -> pooled row object
  SLOT_ROW_POOL,        ///< array of the pooled row objects
  SLOT_CURSORS,         ///< array of idle iterators
  SLOT_HANDLERS,        ///< handler kind + 1 -> { subscription, function, subscription, function, ... }
  SLOT_SUBSCRIPTIONS,   ///< serial -> subscription of an active handler, or of a handler in a snapshot
  SLOT_ROOTS,           ///< serial -> table that is registered with world:state, or was when a snapshot was taken
  SLOT_ROOT_SERIALS,    ///< table -> serial of its root
  SLOT_SERIALS,         ///< table, function or world -> serial, weak keys
  SLOT_TABLES,          ///< serial -> table, weak values
  SLOT_FUNCTIONS,       ///< serial -> function, another world, or table with a metatable
  SLOT_FUNCTION_HASHES, ///< function -> hash of its code, weak keys
  SLOT_ENDED,           ///< array of the ids of destroyed bodies
  SLOT_SCRATCH,         ///< userdata: memory of world:read and world:write during a call
  SLOT_COUNT
};

#endif
