// Objects: the classes and members of all that lives in a world, their userdata, and checked objects as arguments.
#ifndef IMPEL_BINDINGS_OBJECT_H
#define IMPEL_BINDINGS_OBJECT_H

#include "base/shelf.h"

/// A body, shape, joint or field.
typedef struct Object {
  Handle handle;
  uint64_t number; ///< of its creation, its property `id`; 0 when it was dead already
} Object;

/// A coordinate: handle.id is its joint's.
typedef struct CoordinateObject {
  Handle handle;
  int index; ///< from 0
} CoordinateObject;

/// A pooled view of a contact.
typedef struct ContactObject {
  Handle handle;
  uint64_t epoch;  ///< of the step it was last handed out after
  uint64_t number; ///< creation numbers of its shapes in one: contacts in their order
} ContactObject;


/// User values of a joint: { coordinate, ... }, those that were asked for by number; of a coordinate: its joint. So the two
/// live as long as either is held.
enum { UV_COORDINATES = 3, UV_JOINT = 3 };

extern const Class bind_contact_class, bind_mover_class;
extern const Members bind_contact_members, bind_mover_members;

// object.c, contact_pool.c
/// Push the one userdata of the object that a slot of the shelf, SHELF_BODIES to SHELF_MOVERS, keeps; nil for 0.
void bind_push_object(lua_State *L, int owner, int slot, uint64_t id);
static inline void bind_push_body(lua_State *L, int owner, ImpBody body) {
  bind_push_object(L, owner, SHELF_BODIES, body.id);
}
static inline void bind_push_shape(lua_State *L, int owner, ImpShape shape) {
  bind_push_object(L, owner, SHELF_SHAPES, shape.id);
}
static inline void bind_push_joint(lua_State *L, int owner, ImpJoint joint) {
  bind_push_object(L, owner, SHELF_JOINTS, joint.id);
}
/// Whether such an object lives; its name, or null.
bool bind_lives(const ImpWorld *world, int slot, uint64_t id);
const char *bind_name_of(const ImpWorld *world, int slot, uint64_t id);
/// Push the one userdata of a coordinate, counted from 0, of the living joint at the index.
void bind_push_coordinate(lua_State *L, int joint, int index);
/// Push the name of a coordinate, counted from 0: of a constraint its number from 1, as a word.
void bind_push_coordinate_name(lua_State *L, ImpWorld *world, ImpJoint joint, int index);
/// Push the pooled object of a contact, valid until the next step.
void bind_push_contact(lua_State *L, int owner, ImpContact contact);
/// tostring: "body 3 'crate'", "destroyed joint"; `kind` is what a living one is called, null for the name of its class. Of
/// one with a name the number only where `both`.
int bind_object_tostring(lua_State *L, const Class *class, const char *(*kind)(lua_State *L, const Handle *self),
                         bool both);

#endif
