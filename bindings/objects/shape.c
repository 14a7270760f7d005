// The class shape.
#include "objects/shape.h"
#include "objects/cursor.h"
#include "objects/data.h"
#include "objects/filter.h"
#include "objects/look.h"
#include "objects/material.h"
#include "objects/object.h"
#include "objects/query.h"


static ImpShape shape_of(const Handle *self) { return (ImpShape){self->id}; }


// ---------------------------------------------------------------------------------------------------------------------
// Properties
// ---------------------------------------------------------------------------------------------------------------------

static const char *type_name(lua_State *L, const Handle *self) {
  (void)L;
  ImpShapeType type = IMP_SHAPE_CIRCLE;
  imp_shape_type(self->box->world, shape_of(self), &type);
  return imp_shape_type_name((int)type);
}


BIND_GETTER(get_type, lua_pushstring(L, type_name(L, self)))


// Category and mask have 64 bits, which do not fit into properties (doubles).
typedef struct Filter {
  uint64_t category, mask;
} Filter;


static Filter filter_of(const Handle *self) {
  Filter filter = {0, 0};
  imp_shape_filter(self->box->world, shape_of(self), &filter.category, &filter.mask);
  return filter;
}


static void set_filter(lua_State *L, const Handle *self, Filter filter, const char *where) {
  if (imp_shape_set_filter(self->box->world, shape_of(self), filter.category, filter.mask) != IMP_OK) {
    bind_refused(L, &bind_shape_class, where);
  }
}


BIND_GETTER(get_category, lua_pushinteger(L, (lua_Integer)filter_of(self).category))


static void set_category(lua_State *L, void *self) {
  uint64_t category = bind_bits(L, 3, "shape.category");
  set_filter(L, self, (Filter){category, filter_of(self).mask}, "shape.category");
}


BIND_GETTER(get_mask, lua_pushinteger(L, (lua_Integer)filter_of(self).mask))


static void set_mask(lua_State *L, void *self) {
  uint64_t mask = bind_bits(L, 3, "shape.mask");
  set_filter(L, self, (Filter){filter_of(self).category, mask}, "shape.mask");
}


// shape.body
static int get_body(lua_State *L, void *self) {
  Handle *handle = self;
  ImpBody body = {0};
  imp_shape_body(handle->box->world, shape_of(handle), &body);
  bind_push_body(L, 1, body);
  return 1;
}


// shape:look() -> options or nil
static int shape_look(lua_State *L) { return bind_push_look(L, bind_check(L, &bind_shape_class), SLOT_SHAPE_LOOK); }


// shape:set_look(options or nil)
static int shape_set_look(lua_State *L) {
  const Handle *self = bind_check(L, &bind_shape_class);
  bind_read_look(L, 2, "shape:set_look");
  bind_keep_look(L, SLOT_SHAPE_LOOK, self->id);
  return 0;
}


// ---------------------------------------------------------------------------------------------------------------------
// Methods
// ---------------------------------------------------------------------------------------------------------------------

// shape:aabb() -> x1, y1, x2, y2
static int shape_aabb(lua_State *L) {
  Handle *self = bind_check(L, &bind_shape_class);
  ImpAabb box;
  bind_status(L, imp_shape_aabb(self->box->world, shape_of(self), &box));
  bind_push_vec2(L, box.lower);
  bind_push_vec2(L, box.upper);
  return 4;
}


// shape:points() -> { { x, y }, ... }, in the form that body:polygon accepts
static int shape_points(lua_State *L) {
  bind_push_points(L, bind_points_of(L, bind_check(L, &bind_shape_class)));
  return 1;
}


// shape:contains(x, y) -> boolean
static int shape_contains(lua_State *L) {
  Handle *self = bind_check(L, &bind_shape_class);
  bool inside = false;
  bind_status(L, imp_shape_contains(self->box->world, shape_of(self), bind_vec2(L, 2, "m"), &inside));
  lua_pushboolean(L, inside);
  return 1;
}


// for visitor in shape:overlaps()
static int shape_overlaps(lua_State *L) { return bind_iterate_overlaps(L, bind_check(L, &bind_shape_class)); }


// shape:one_way() -> nx, ny
static int shape_one_way(lua_State *L) {
  Handle *self = bind_check(L, &bind_shape_class);
  ImpVec2 direction;
  bind_status(L, imp_shape_one_way(self->box->world, shape_of(self), &direction));
  return bind_push_vec2(L, direction);
}


// shape:set_one_way(x, y)
static int shape_set_one_way(lua_State *L) {
  Handle *self = bind_check(L, &bind_shape_class);
  bind_status(L, imp_shape_set_one_way(self->box->world, shape_of(self), bind_vec2(L, 2, "1")));
  return 0;
}


// shape:destroy(); a second call does nothing
static int shape_destroy(lua_State *L) {
  Handle *self = bind_self(L);
  if (!bind_shape_class.is_valid(self)) return 0;
  bind_status(L, imp_shape_destroy(self->box->world, shape_of(self)));
  if (self->box->keeps) return 0;
  static const int slots[] = {SLOT_SHAPE_DATA, SLOT_FILTERS, SLOT_SHAPE_LOOK};
  for (size_t i = 0; i < sizeof slots / sizeof *slots; i++) {
    bind_world_table(L, 1, slots[i]);
    lua_pushnil(L);
    lua_rawseti(L, -2, bind_key(self->id));
  }
  return 0;
}


// tostring(shape)
static int shape_tostring(lua_State *L) { return bind_object_tostring(L, &bind_shape_class, type_name, true); }


static const Entry shape_entries[] = {
    {.name = "type",
     .type = "string",
     .get = get_type,
     .doc = "\"circle\", \"box\", \"polygon\", \"capsule\", \"segment\", \"chain\" or \"heights\""},
    {.name = "name",
     .type = "string",
     .get = bind_get_name,
     .set = bind_set_name,
     .doc = "name of the shape for messages, or nil"},
    {.name = "body", .type = "body", .get = get_body, .doc = "the body of the shape"},
    {.name = "world", .type = "world", .get = bind_get_world, .doc = "the world of the shape"},
    {.name = "data",
     .type = "any",
     .get = bind_get_own_data,
     .set = bind_set_own_data,
     .doc = "any Lua value; kept until the shape is destroyed"},
    {.name = "look",
     .call = shape_look,
     .signature = "() -> table or nil",
     .doc = "the look that set_look was given, with colours as 0xRRGGBBAA, or nil"},
    {.name = "set_look",
     .call = shape_set_look,
     .signature = "([{...}])",
     .options = &bind_look_options,
     .doc = "set the look of the shape, with the fields of body:set_look; a field that is set here overrides that of "
            "the body's look"},
    {.name = "category",
     .type = "bits",
     .unit = "1",
     .get = get_category,
     .set = set_category,
     .doc = "bits: categories of the shape, an integer or a string \"0x...\"; 1 by default"},
    {.name = "mask",
     .type = "bits",
     .unit = "1",
     .get = get_mask,
     .set = set_mask,
     .doc = "bits: categories that the shape collides with, -1 (all) by default; two shapes collide if the category of "
            "each has a bit in the other's mask"},
    {.name = "material",
     .type = "string",
     .get = bind_get_material,
     .set = bind_set_material,
     .doc = "name of the shape's material, or nil; setting it also sets the properties that the material defines"},
    {.name = "filter",
     .type = "function",
     .get = bind_get_filter,
     .set = bind_set_filter,
     .doc = "function(shape, other) -> boolean: whether this shape collides with another; called once for each pair of "
            "shapes, in the step in which their bounding boxes first come near each other, and again after category, "
            "mask, group or filter of one of the two shapes is set. If both shapes have a filter, both must return "
            "true. nil: no function"},
    {.name = "refilter",
     .call = bind_shape_refilter,
     .signature = "()",
     .doc = "discard the results of filter functions for pairs with this shape: the next step calls the functions "
            "again, and ends a contact if a function now returns false"},
    {.name = "one_way",
     .call = shape_one_way,
     .signature = "() -> nx, ny",
     .unit = "1",
     .doc = "outward normal of the solid side of a one-way shape, in the body's frame; 0, 0: the shape is solid on all "
            "sides"},
    {.name = "set_one_way",
     .call = shape_set_one_way,
     .signature = "(x, y)",
     .unit = "1",
     .doc = "make the shape solid on one side only. x, y is the outward normal of the solid side, a vector of any "
            "length; 0, 0: the shape is solid on all sides. A body that is not on the solid side when the normal is "
            "set passes through the shape"},
    {.name = "overlaps",
     .call = shape_overlaps,
     .signature = "() -> iterator",
     .doc = "the shapes that overlap this sensor after the last step, in creation order; raises an error if the shape "
            "is not a sensor"},
    {.name = "aabb",
     .call = shape_aabb,
     .signature = "() -> x1, y1, x2, y2",
     .unit = "m",
     .doc = "bounding box of the shape at present"},
    {.name = "points",
     .call = shape_points,
     .signature = "() -> { { x, y }, ... }",
     .unit = "m",
     .doc = "centre of a circle, ends of a line or capsule, or vertices, in the body's frame"},
    {.name = "contains",
     .call = shape_contains,
     .signature = "(x, y) -> boolean",
     .unit = "m",
     .doc = "whether a world point is inside or on the edge; false for lines"},
    {.name = "closest",
     .call = bind_shape_closest,
     .signature = "(x, y) -> distance, xs, ys, nx, ny",
     .unit = "m",
     .doc = "distance of a world point x, y from the surface, negative inside; the point xs, ys of the surface that is "
            "closest to x, y; the outward normal at xs, ys"},
    {.name = "raycast",
     .call = bind_shape_raycast,
     .signature = "(x1, y1, x2, y2 [, hit]) -> hit or nil",
     .unit = "m",
     .doc = "first hit of the ray on this shape, as world:raycast would return it if there were no other shapes; "
            "sensors are hit too"},
    {.name = "options",
     .call = bind_shape_definition,
     .signature = "() -> table",
     .doc = "options that recreate the shape as it is now: the table for its constructor body[shape.type]"},
    {.name = "destroy",
     .call = shape_destroy,
     .signature = "()",
     .doc = "destroy the shape, and update the body's mass"},
    {.name = "is_valid", .call = bind_is_valid, .signature = "() -> boolean", .doc = "false once destroyed"},
    {.name = NULL},
};


const Members bind_shape_members = {&bind_shape_class, shape_entries, shape_tostring, NULL};
