// Level 7. The world: what the step and the API functions see. Everything below it takes explicit arrays.
#ifndef IMPI_WORLD_H
#define IMPI_WORLD_H

#include "broadphase.h"
#include "contact.h"
#include "island.h"
#include "pool.h"
#include "solver.h"

// What was asked for inside a step and waits for its end.
typedef enum ImpiCommandKind {
  IMPI_COMMAND_DESTROY_BODY,
  IMPI_COMMAND_ADD_SHAPE,
  IMPI_COMMAND_DESTROY_SHAPE,
  IMPI_COMMAND_SET_POSITION,
  IMPI_COMMAND_SET_TYPE,
  IMPI_COMMAND_SET_VELOCITY,
  IMPI_COMMAND_SET_BODY_PROPERTY,
  IMPI_COMMAND_SET_SHAPE_PROPERTY,
  IMPI_COMMAND_SET_FILTER,
} ImpiCommandKind;

typedef struct ImpiCommand {
  ImpiCommandKind kind;
  int32_t slot;     // body or shape
  int32_t property; // or body type
  ImpVec2 value;
  uint64_t category, mask;
} ImpiCommand;

typedef IMPI_ARRAY(ImpEvent) ImpiEventList;

struct ImpWorld {
  ImpiHeap heap;
  uint32_t tag; // of this world's handles
  ImpiSettings settings;
  ImpSolverKind solver;
  bool sleep_enabled, continuous;
  int threads;
  double hit_speed;
  uint64_t seed, random[4]; // xoshiro256**
  uint64_t tick;
  double time;      // time_base + (tick - tick_base) dt: no rounding adds up
  double time_base; // when dt was last changed
  uint64_t tick_base;

  // Bodies, shapes and contacts, by slot.
  ImpiPool body_pool, shape_pool, contact_pool;
  IMPI_ARRAY(ImpiBody) bodies;
  IMPI_ARRAY(ImpiMotion) motions;
  IMPI_ARRAY(ImpiShape) shapes;
  IMPI_ARRAY(ImpiContact) contacts;
  int32_t first_body, last_body; // creation order
  uint64_t body_serial, shape_serial;
  ImpiBroadphase broadphase;

  // Derived lists, rebuilt by the step when `lists_dirty`.
  bool lists_dirty;
  bool woken;                         // a body woke since the step last cleared this
  IMPI_ARRAY(int32_t) awake;          // bodies that the step integrates, by slot
  IMPI_ARRAY(int32_t) awake_contacts; // contacts with an awake side, by slot
  IMPI_ARRAY(int32_t) active;         // of those, the ones with rows in this step
  IMPI_ARRAY(ImpiMotion) backup;      // of the awake bodies at the step's start, in the order of `awake`
  int32_t any_resting;                // bodies whose sleep timer has run out

  ImpiIslands islands;
  int island_count; // of the last step that looked for islands

  // Touching contacts in the order of the API, made on demand.
  IMPI_ARRAY(int32_t) touching;
  bool touching_valid;

  bool stepping;         // inside imp_world_step
  double substep_length; // h of the substep whose handlers run [s]
  ImpiSolve solve;
  void *scratch[IMP_SOLVER_COUNT];
  ImpSubstepFn substep_callback;
  void *substep_user;
  IMPI_ARRAY(int32_t) pushed;       // bodies with an impulse from inside a substep handler
  IMPI_ARRAY(ImpiCommand) commands; // waiting for the end of the step
  IMPI_ARRAY(int32_t) forced;       // bodies with a force to be cleared after the step

  ImpiEventList events[IMP_EVENT_COUNT];  // of the last step
  ImpiEventList pending[IMP_EVENT_COUNT]; // since the last step
  ImpProfile profile;
};

// Handles.
static inline ImpBody impi_body_handle(const ImpWorld *world, int32_t slot) {
  return (ImpBody){impi_pool_id(&world->body_pool, slot, world->tag)};
}
static inline ImpShape impi_shape_handle(const ImpWorld *world, int32_t slot) {
  return (ImpShape){impi_pool_id(&world->shape_pool, slot, world->tag)};
}
static inline ImpContact impi_contact_handle(const ImpWorld *world, int32_t slot) {
  return (ImpContact){impi_pool_id(&world->contact_pool, slot, world->tag)};
}

// The slot behind a handle, or the status of why not. The macros return from the calling function.
#define IMPI_FIND_BODY(world, handle, slot) \
  int32_t slot = impi_pool_find(&(world)->body_pool, (handle).id, (world)->tag); \
  if (slot < 0) return impi_pool_fail((handle).id, (world)->tag, "body")
#define IMPI_FIND_SHAPE(world, handle, slot) \
  int32_t slot = impi_pool_find(&(world)->shape_pool, (handle).id, (world)->tag); \
  if (slot < 0) return impi_pool_fail((handle).id, (world)->tag, "shape")

// world_events.c
// Note an event for the list that the next handlers see: during a step the step's own, otherwise the pending one.
// False when out of memory: the event is lost, the world is whole.
bool impi_event_add(ImpWorld *world, ImpEventKind kind, ImpEvent event);
void impi_event_body(ImpWorld *world, ImpEventKind kind, int32_t body, const char *text);
void impi_event_contact(ImpWorld *world, ImpEventKind kind, const ImpiContact *contact, double speed, double impulse);
// Make the pending events those of the step that begins.
void impi_events_begin_step(ImpWorld *world);
// The step failed before anything moved: its events wait for the next one.
void impi_events_put_back(ImpWorld *world);
// Order every list by the ids of its objects.
void impi_events_sort(ImpWorld *world);

// world_contact.c
// Make a contact for a pair of proxies; room must have been reserved. Returns its slot.
int32_t impi_world_add_contact(ImpWorld *world, int32_t proxy_a, int32_t proxy_b);
// Remove a contact; if it touched, its end is reported and sleeping bodies on both sides wake.
void impi_world_remove_contact(ImpWorld *world, int32_t contact);
// Whether the bodies of a pair of proxies may have a contact: one of them dynamic, or one piece a sensor.
bool impi_world_may_touch(const ImpWorld *world, int32_t proxy_a, int32_t proxy_b);
// Tell begin (or end) unless another piece of the same two shapes touches already (still).
void impi_world_set_touching(ImpWorld *world, int32_t contact, bool touching, double speed);
// Bring `touching` up to date: all touching contacts by (shape, shape, child). False when out of memory.
bool impi_world_sort_touching(ImpWorld *world);

// world_sleep.c
void impi_world_wake(ImpWorld *world, int32_t body);            // and its sleeping island
void impi_world_wake_neighbours(ImpWorld *world, int32_t body); // all that touch it
// Put bodies to sleep whose islands have been at rest; advances the sleep timers by dt.
void impi_world_update_sleep(ImpWorld *world);

// world_body.c, world_shape.c: the parts that run at once or at the step's end
void impi_body_finish_destroy(ImpWorld *world, int32_t body);
void impi_body_finish_set_position(ImpWorld *world, int32_t body, ImpVec2 position);
void impi_body_finish_set_type(ImpWorld *world, int32_t body, ImpBodyType type);
void impi_body_finish_set(ImpWorld *world, int32_t body, ImpBodyProperty property, double value);
void impi_body_finish_set_velocity(ImpWorld *world, int32_t body, ImpVec2 velocity);
void impi_body_update_mass(ImpWorld *world, int32_t body);
// Bring the proxies of a body's shapes up to date with its pose.
void impi_body_refit(ImpWorld *world, int32_t body);
// Drop the body's contacts (ends are reported).
void impi_body_drop_contacts(ImpWorld *world, int32_t body);
// The body's motion as a getter must see it now: inside a substep handler, that substep's.
ImpiMotion impi_body_motion(const ImpWorld *world, int32_t body);
ImpStatus impi_check_density(const ImpiBody *body, double density, double area, bool sensor);
ImpStatus impi_check_one_way(ImpVec2 direction);
ImpStatus impi_shape_finish_attach(ImpWorld *world, int32_t shape);
void impi_shape_finish_destroy(ImpWorld *world, int32_t shape);
void impi_shape_finish_set_filter(ImpWorld *world, int32_t shape, uint64_t category, uint64_t mask);
void impi_shape_finish_set(ImpWorld *world, int32_t shape, ImpShapeProperty property, double value);
void impi_shape_detach(ImpWorld *world, int32_t shape); // proxies and contacts away

// commands.c
ImpStatus impi_queue(ImpWorld *world, ImpiCommand command);
void impi_run_commands(ImpWorld *world);

// step_contacts.c: stages of the step, in this order
ImpStatus impi_update_pairs(ImpWorld *world); // contacts for new pairs of boxes
ImpStatus impi_update_lists(ImpWorld *world); // the awake bodies and the contacts with an awake side, each by slot
void impi_update_contacts(ImpWorld *world);   // manifolds; begin and end; what is touched wakes
void impi_gather_active(ImpWorld *world);     // the contacts that make rows, and the bodies that they hold

// A number inside a property's range, finite, integral where asked; else an error that names owner and property.
ImpStatus impi_check_property(const ImpPropertyInfo *info, double value, const char *owner);

#endif
