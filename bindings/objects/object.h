// Objects of a world: classes and members, their userdata, and functions that push objects.
#ifndef IMPEL_BINDINGS_OBJECT_H
#define IMPEL_BINDINGS_OBJECT_H

#include "base/world_table.h"

/// A body, shape, joint or field.
typedef struct Object {
  Handle handle;
  uint64_t number; ///< creation number, the property `id`; 0 if unknown
} Object;

/// A coordinate; handle.id is the id of its joint.
typedef struct CoordinateObject {
  Handle handle;
  int index; ///< number of the coordinate in the joint, from 0
} CoordinateObject;

/// A pooled object that stands for a contact.
typedef struct ContactObject {
  Handle handle;
  uint64_t epoch;  ///< epoch in which the object was last pushed
  uint64_t number; ///< sort key of the contact: creation numbers of the two shapes, combined
} ContactObject;


/// User value of a joint: table of the coordinate objects that were pushed, by number. User value of a coordinate
/// object: its joint. The joint and its coordinate objects keep each other alive.
enum { UV_COORDINATES = 3, UV_JOINT = 3 };

extern const Class bind_contact_class, bind_mover_class;
extern const Members bind_contact_members, bind_mover_members;

/// Push the unique userdata of an object, or nil for id 0. `slot`: SLOT_BODIES to SLOT_MOVERS
void bind_push_object(lua_State *L, int owner, int slot, uint64_t id);
static inline void bind_push_body(lua_State *L, int owner, ImpBody body) {
  bind_push_object(L, owner, SLOT_BODIES, body.id);
}
static inline void bind_push_shape(lua_State *L, int owner, ImpShape shape) {
  bind_push_object(L, owner, SLOT_SHAPES, shape.id);
}
static inline void bind_push_joint(lua_State *L, int owner, ImpJoint joint) {
  bind_push_object(L, owner, SLOT_JOINTS, joint.id);
}
/// Whether an object is valid, and its name or null; `slot`: slot of its userdata
bool bind_lives(const ImpWorld *world, int slot, uint64_t id);
const char *bind_name_of(const ImpWorld *world, int slot, uint64_t id);
/// Push the unique userdata of a coordinate, counted from 0, of the valid joint at the index.
void bind_push_coordinate(lua_State *L, int joint, int index);
/// Push the name of coordinate `index`, counted from 0; for a constraint its number from 1, as a string.
void bind_push_coordinate_name(lua_State *L, ImpWorld *world, ImpJoint joint, int index);
/// Push the pooled object of a contact, valid until the next step.
void bind_push_contact(lua_State *L, int owner, ImpContact contact);
/// tostring of an object: "body 3 'crate'", "destroyed joint".
/// `kind`: function that returns the first word; null: the word is the class's name. `both`: show the number of an
/// object that has a name
int bind_object_tostring(lua_State *L, const Class *class, const char *(*kind)(lua_State *L, const Handle *self),
                         bool both);

#endif
