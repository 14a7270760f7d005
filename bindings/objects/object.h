// Objects: the classes and members of all that lives in a world, their userdata, and checked objects as arguments.
#ifndef IMPEL_BINDINGS_OBJECT_H
#define IMPEL_BINDINGS_OBJECT_H

#include "base/class.h"

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

extern const Class bind_world_class, bind_body_class, bind_shape_class, bind_contact_class, bind_joint_class,
    bind_coordinate_class, bind_field_class, bind_mover_class;
extern const Members bind_world_members, bind_body_members, bind_shape_members, bind_contact_members,
    bind_joint_members, bind_coordinate_members, bind_row_members, bind_event_members, bind_handler_members,
    bind_field_members, bind_mover_members, bind_qp_members;

// object.c, contact_pool.c
/// Push slot `slot` of the shelf of the object at `owner`.
void bind_shelf(lua_State *L, int owner, int slot);
/// Push a new object of a class that belongs to the world of `owner`.
void *bind_new_object(lua_State *L, int owner, const Class *class, size_t size);
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
/// Write the name that a destroyed object is remembered by: the string or nil at the top, which is popped.
void bind_remember_name(lua_State *L, int object);
/// The property `name` of an object that remembers its own.
int bind_get_name(lua_State *L, void *self);
/// The property `world` of what lives in one: the same userdata as ever.
int bind_get_world(lua_State *L, void *self);

// classes.c
/// The living world that is the receiver of the method that runs.
WorldBox *bind_check_world(lua_State *L);
/// The id of the living object of a class at the stack index, of the world of the one at index 1; raises and names the
/// argument: "body 'b'", "argument 'shape'".
uint64_t bind_argument(lua_State *L, int index, const Class *class, const char *name);
/// Raise where the call stands in a __save or __load of the world's own state.
void bind_refuse_saving(lua_State *L, const WorldBox *box);

#endif
