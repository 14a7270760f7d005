// Classes of bodies, shapes, joints, fields, movers, worlds, contacts and coordinates
#include "base/options.h"
#include "objects/body.h"
#include "objects/field.h"
#include "objects/joint.h"
#include "objects/object.h"
#include "objects/shape.h"
#include "objects/world.h"


// Functions of a Class that call the core: validity check, getter, setter.
#define FROM_CORE(kind, Kind) \
  static bool kind##_is_valid(const void *self) { \
    const Handle *handle = self; \
    return handle->box->world && imp_##kind##_is_valid(handle->box->world, (Imp##Kind){handle->id}); \
  } \
  static ImpStatus kind##_get(const ImpWorld *world, uint64_t id, int property, double *out_value) { \
    return imp_##kind##_get(world, (Imp##Kind){id}, (Imp##Kind##Property)property, out_value); \
  } \
  static ImpStatus kind##_set(ImpWorld *world, uint64_t id, int property, double value) { \
    return imp_##kind##_set(world, (Imp##Kind){id}, (Imp##Kind##Property)property, value); \
  }
#define NAMED(kind, Kind) \
  FROM_CORE(kind, Kind) \
  static ImpStatus kind##_set_name(ImpWorld *world, uint64_t id, const char *name) { \
    return imp_##kind##_set_name(world, (Imp##Kind){id}, name); \
  }
NAMED(body, Body)
NAMED(shape, Shape)
NAMED(joint, Joint)
NAMED(field, Field)
FROM_CORE(mover, Mover)


const Class bind_body_class = {
    .name = "body",
    .registry = "impel.body",
    .data = SLOT_BODY_DATA,
    .properties = imp_body_property,
    .get = body_get,
    .set = body_set,
    .set_name = body_set_name,
    .is_valid = body_is_valid,
};


const Class bind_shape_class = {
    .name = "shape",
    .registry = "impel.shape",
    .data = SLOT_SHAPE_DATA,
    .properties = imp_shape_property,
    .get = shape_get,
    .set = shape_set,
    .set_name = shape_set_name,
    .is_valid = shape_is_valid,
};


const Class bind_joint_class = {
    .name = "joint",
    .registry = "impel.joint",
    .data = SLOT_JOINT_DATA,
    .properties = imp_joint_property,
    .get = joint_get,
    .set = joint_set,
    .set_name = joint_set_name,
    .is_valid = joint_is_valid,
    .values = 3,
};


const Class bind_field_class = {
    .name = "field",
    .registry = "impel.field",
    .data = SLOT_FIELD_DATA,
    .properties = imp_field_property,
    .get = field_get,
    .set = field_set,
    .set_name = field_set_name,
    .is_valid = field_is_valid,
};


const Class bind_mover_class = {
    .name = "mover",
    .registry = "impel.mover",
    .data = SLOT_BODY_DATA,
    .properties = imp_mover_property,
    .get = mover_get,
    .set = mover_set,
    .is_valid = mover_is_valid,
};


static bool world_is_valid(const void *self) { return ((const WorldBox *)self)->world != NULL; }


static ImpStatus world_get(const ImpWorld *world, uint64_t id, int property, double *out_value) {
  (void)id;
  return imp_world_get(world, (ImpWorldProperty)property, out_value);
}


static ImpStatus world_set(ImpWorld *world, uint64_t id, int property, double value) {
  (void)id;
  return imp_world_set(world, (ImpWorldProperty)property, value);
}


const Class bind_world_class = {
    .name = "world",
    .registry = "impel.world",
    .properties = imp_world_property,
    .get = world_get,
    .set = world_set,
    .is_valid = world_is_valid,
};


static bool contact_is_valid(const void *self) {
  const ContactObject *object = self;
  const WorldBox *box = object->handle.box;
  return box->world && object->epoch == box->epoch && imp_contact_is_valid(box->world, (ImpContact){object->handle.id});
}


static void contact_require(lua_State *L, void *self, const Entry *entry) {
  (void)entry;
  const ContactObject *object = self;
  if (contact_is_valid(self)) return;
  if (object->handle.box->world && object->epoch != object->handle.box->epoch) {
    bind_error(L,
               "attempt to use a contact after its step (a contact object is valid until the next step; after %d steps "
               "it may be reused for another contact; store contact.id instead)",
               POOL_REST);
  }
  bind_error(L, "attempt to use a contact that has ended");
}


const Class bind_contact_class = {
    .name = "contact",
    .registry = "impel.contact",
    .require = contact_require,
    .is_valid = contact_is_valid,
};


static bool coordinate_is_valid(const void *self) {
  return bind_joint_class.is_valid(self); // a coordinate has the id of its joint
}


// A coordinate is destroyed with its joint, so the message names the joint.
static void coordinate_require(lua_State *L, void *self, const Entry *entry) {
  (void)entry;
  if (coordinate_is_valid(self)) return;
  lua_getiuservalue(L, 1, UV_JOINT);
  bind_dead(L, lua_gettop(L), "joint");
}


const Class bind_coordinate_class = {
    .name = "coordinate",
    .registry = "impel.coordinate",
    .require = coordinate_require,
    .is_valid = coordinate_is_valid,
    .values = 3,
};
