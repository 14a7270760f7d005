// The constructors of shapes: body:circle{...}, body:box{...} and so on.
#include <stddef.h>

#include "objects/body.h"
#include "objects/data.h"
#include "objects/filter.h"
#include "objects/look.h"
#include "objects/material.h"
#include "objects/object.h"
#include "objects/shape.h"

typedef struct ShapeOptions {
  ImpShapeDef def;
  ImpVec2 center, from, to, position;
  double width, height, angle, radius, spacing;
  Points points;
  bool loop;
  const char *material;
} ShapeOptions;

#define AT(member) .offset = offsetof(ShapeOptions, member)
#define REQUIRED .required = true
#define OPTIONAL .required = false
#define PROPERTY(key, kind_, id) \
  { .name = #key, .kind = kind_, AT(def.key), .table = imp_shape_property, .property = id }
#define MATERIAL(key, id) PROPERTY(key, FIELD_NUMBER, id)
#define LENGTH(key, least, need, text) \
  { .name = #key, .kind = FIELD_NUMBER, AT(key), .lower = least, .upper = 1e7, .unit = "m", need, .doc = text }
#define VECTOR(key, need, text) \
  { .name = #key, .kind = FIELD_VEC2, AT(key), .unit = "m", need, .doc = text " in the body's frame" }
#define POINTS(text) \
  { .name = "points", .kind = FIELD_POINTS, AT(points), .unit = "m", REQUIRED, .doc = text " in the body's frame" }
#define CENTER VECTOR(center, OPTIONAL, "position of the shape's centre, { 0, 0 } by default,")
#define ROUNDING LENGTH(radius, 0, OPTIONAL, "rounding: distance by which the outline is moved outwards; 0 by default")

#define EVERY_SHAPE \
  MATERIAL(density, IMP_SHAPE_DENSITY), MATERIAL(friction, IMP_SHAPE_FRICTION), \
      MATERIAL(restitution, IMP_SHAPE_RESTITUTION), MATERIAL(rolling_resistance, IMP_SHAPE_ROLLING_RESISTANCE), \
      MATERIAL(surface_speed, IMP_SHAPE_SURFACE_SPEED), \
      MATERIAL(restitution_threshold, IMP_SHAPE_RESTITUTION_THRESHOLD), MATERIAL(hit_speed, IMP_SHAPE_HIT_SPEED), \
      PROPERTY(sensor, FIELD_BOOLEAN, IMP_SHAPE_SENSOR), \
      {.name = "category", \
       .kind = FIELD_BITS, \
       AT(def.category), \
       .doc = "bits: categories of the shape; 1 by default"}, \
      {.name = "mask", \
       .kind = FIELD_BITS, \
       AT(def.mask), \
       .doc = "bits: two shapes collide if the mask of each contains a category of the other; all by default"}, \
      PROPERTY(group, FIELD_INTEGER, IMP_SHAPE_GROUP), \
      {.name = "material", \
       .kind = FIELD_STRING, \
       AT(material), \
       .doc = "name of the shape's material, declared by world:material; properties that are not given here are " \
              "those of the material"}, \
      PROPERTY(pre_solve, FIELD_BOOLEAN, IMP_SHAPE_PRE_SOLVE), \
      {.name = "filter", \
       .kind = FIELD_ANY, \
       .type = "function", \
       .doc = "function(shape, other) -> boolean: whether this shape collides with another; called once when two " \
              "shapes come near each other and their group, category and mask allow a collision, and again after " \
              "shape:refilter(). If both shapes have a filter, both must return true"}, \
      {.name = "one_way", \
       .kind = FIELD_VEC2, \
       AT(def.one_way), \
       .doc = "{ nx, ny } in the body's frame: outward normal of the only side that is solid; all sides are solid by " \
              "default"}, \
      {.name = "name", .kind = FIELD_STRING, AT(def.name), .doc = "name of the shape for messages"}, \
      {.name = "data", .kind = FIELD_ANY, .doc = "any Lua value"}, \
      {.name = "look", \
       .kind = FIELD_ANY, \
       .type = "look", \
       .nested = &bind_look_options, \
       .doc = "options of shape:set_look"}, \
  { \
    .name = NULL \
  }

static const Field circle_fields[] = {LENGTH(radius, IMP_MIN_LENGTH, REQUIRED, "radius of the circle"), CENTER,
                                      EVERY_SHAPE};

static const Field box_fields[] = {
    {.name = "width",
     .kind = FIELD_NUMBER,
     AT(width),
     .lower = IMP_MIN_LENGTH,
     .upper = 1e7,
     .unit = "m",
     .position = 1,
     REQUIRED,
     .doc = "size along x of the body's frame"},
    {.name = "height",
     .kind = FIELD_NUMBER,
     AT(height),
     .lower = IMP_MIN_LENGTH,
     .upper = 1e7,
     .unit = "m",
     .position = 2,
     REQUIRED,
     .doc = "size along y of the body's frame"},
    {.name = "angle",
     .kind = FIELD_NUMBER,
     AT(angle),
     .table = imp_body_property,
     .property = IMP_BODY_ANGLE,
     .doc = "rotation about the centre of the box; 0 by default"},
    CENTER,
    ROUNDING,
    EVERY_SHAPE,
};

static const Field polygon_fields[] = {
    POINTS("{ { x, y }, ... }, convex or concave, in either orientation,"),
    {.name = "holes",
     .kind = FIELD_ANY,
     .type = "holes",
     .doc = "{ { { x, y }, ... }, ... }: outlines of holes; none by default"},
    ROUNDING,
    EVERY_SHAPE,
};

#define FROM_TO(point) VECTOR(from, REQUIRED, "{ x, y } of " point), VECTOR(to, REQUIRED, "{ x, y } at the other end")

static const Field capsule_fields[] = {
    FROM_TO("the centre of one round end"),
    LENGTH(radius, IMP_MIN_LENGTH, REQUIRED, "radius of the capsule: half its width"), EVERY_SHAPE};

static const Field segment_fields[] = {FROM_TO("one end"), EVERY_SHAPE};

static const Field chain_fields[] = {POINTS("{ { x, y }, ... } with the ground on the left,"),
                                     {.name = "loop",
                                      .kind = FIELD_BOOLEAN,
                                      AT(loop),
                                      .doc = "whether the last point is joined to the first: a counter-clockwise loop "
                                             "is a solid island, a clockwise loop is a room; false by default"},
                                     EVERY_SHAPE};

static const Field heights_fields[] = {
    {.name = "values",
     .kind = FIELD_ANY,
     .type = "heights",
     .unit = "m",
     REQUIRED,
     .doc = "{ y, y, ... }: heights of the terrain above `position`, from left to right; false in place of a height: a "
            "gap"},
    LENGTH(spacing, IMP_MIN_LENGTH, REQUIRED, "distance between neighbouring heights, along x of the body's frame"),
    VECTOR(position, OPTIONAL, "{ x, y }: point above which the first height is measured; { 0, 0 } by default,"),
    EVERY_SHAPE,
};

const Options bind_circle_options = {.fields = circle_fields};
const Options bind_box_options = {.fields = box_fields};
const Options bind_polygon_options = {.fields = polygon_fields};
const Options bind_capsule_options = {.fields = capsule_fields};
const Options bind_segment_options = {.fields = segment_fields};
const Options bind_chain_options = {.fields = chain_fields};
const Options bind_heights_options = {.fields = heights_fields};


// Return the receiver, a valid body, and read the options.
static Handle *begin(lua_State *L, const Options *options, ShapeOptions *out) {
  Handle *body = bind_check(L, &bind_body_class);
  lua_settop(L, 2);
  *out = (ShapeOptions){.def = imp_shape_def()};
  const char *call = bind_caller(L); // the string stays on the stack
  bind_read_material(L, body->box->world, call, &out->def);
  bind_options(L, 2, call, options, out);
  lua_pushliteral(L, "one_way");
  if (lua_rawget(L, 2) != LUA_TNIL && out->def.one_way.x == 0 && out->def.one_way.y == 0) {
    bind_error(L, "%s: field 'one_way' must be a direction { x, y } other than { 0, 0 }", call);
  }
  lua_pop(L, 1);
  out->def.selective = bind_read_filter(L, call);
  lua_pushliteral(L, "look");
  lua_rawget(L, 2);
  int look = lua_gettop(L);
  bind_read_look(L, look, lua_pushfstring(L, "%s: field 'look'", call));
  lua_settop(L, look - 1);
  return body;
}


// Push the new shape, and store its data, filter and look.
static int finish(lua_State *L, ImpStatus status, ImpShape shape) {
  bind_status(L, status);
  bind_push_shape(L, 1, shape);
  bind_keep_option(L, 2, "data", SLOT_SHAPE_DATA, shape.id);
  bind_keep_option(L, 2, "filter", SLOT_FILTERS, shape.id);
  lua_pushliteral(L, "look");
  if (lua_rawget(L, 2) != LUA_TNIL) {
    bind_read_look(L, lua_gettop(L), ""); // cannot raise, because the look was read without an error before
    bind_keep_look(L, SLOT_SHAPE_LOOK, shape.id);
  }
  lua_pop(L, 1);
  return 1;
}


// body:circle { radius, center, ... } -> shape
int bind_body_circle(lua_State *L) {
  ShapeOptions o;
  ImpShape shape;
  Handle *self = begin(L, &bind_circle_options, &o);
  ImpStatus status = imp_body_add_circle(self->box->world, (ImpBody){self->id}, &o.def, o.center, o.radius, &shape);
  return finish(L, status, shape);
}


// body:box { width, height, center, angle, radius, ... } -> shape
int bind_body_box(lua_State *L) {
  ShapeOptions o;
  ImpShape shape;
  Handle *self = begin(L, &bind_box_options, &o);
  ImpStatus status = imp_body_add_box(self->box->world, (ImpBody){self->id}, &o.def, o.width, o.height, o.center,
                                      o.angle, o.radius, &shape);
  return finish(L, status, shape);
}


// body:polygon { points = { { x, y }, ... }, holes, radius, ... } -> shape
int bind_body_polygon(lua_State *L) {
  ShapeOptions o;
  ImpShape shape;
  Handle *self = begin(L, &bind_polygon_options, &o);
  Rings rings = bind_holes(L, o.points);
  ImpStatus status = imp_body_add_polygon_with_holes(self->box->world, (ImpBody){self->id}, &o.def, rings.at,
                                                     rings.counts, rings.count, o.radius, &shape);
  return finish(L, status, shape);
}


// body:capsule { from = { x, y }, to = { x, y }, radius, ... } -> shape
int bind_body_capsule(lua_State *L) {
  ShapeOptions o;
  ImpShape shape;
  Handle *self = begin(L, &bind_capsule_options, &o);
  ImpStatus status =
      imp_body_add_capsule(self->box->world, (ImpBody){self->id}, &o.def, o.from, o.to, o.radius, &shape);
  return finish(L, status, shape);
}


// body:segment { from = { x, y }, to = { x, y }, ... } -> shape
int bind_body_segment(lua_State *L) {
  ShapeOptions o;
  ImpShape shape;
  Handle *self = begin(L, &bind_segment_options, &o);
  ImpStatus status = imp_body_add_segment(self->box->world, (ImpBody){self->id}, &o.def, o.from, o.to, &shape);
  return finish(L, status, shape);
}


// body:chain { points = { { x, y }, ... }, loop, ... } -> shape
int bind_body_chain(lua_State *L) {
  ShapeOptions o;
  ImpShape shape;
  Handle *self = begin(L, &bind_chain_options, &o);
  ImpStatus status =
      imp_body_add_chain(self->box->world, (ImpBody){self->id}, &o.def, o.points.at, o.points.count, o.loop, &shape);
  return finish(L, status, shape);
}


// body:heights { values = { y, ... }, spacing, position, ... } -> shape
int bind_body_heights(lua_State *L) {
  ShapeOptions o;
  ImpShape shape;
  Handle *self = begin(L, &bind_heights_options, &o);
  Heights heights = bind_heights(L);
  ImpStatus status = imp_body_add_heights(self->box->world, (ImpBody){self->id}, &o.def, o.position, o.spacing,
                                          heights.at, heights.count, &shape);
  return finish(L, status, shape);
}


// ---------------------------------------------------------------------------------------------------------------------
// Reading back
// ---------------------------------------------------------------------------------------------------------------------

Points bind_points_of(lua_State *L, const Handle *self) {
  ImpShape shape = {self->id};
  int count = 0;
  bind_status(L, imp_shape_points(self->box->world, shape, NULL, 0, &count));
  ImpVec2 *at = lua_newuserdatauv(L, sizeof(ImpVec2) * ((size_t)count + 1), 0);
  bind_status(L, imp_shape_points(self->box->world, shape, at, count, &count));
  return (Points){at, count};
}


// shape:options() -> table
int bind_shape_definition(lua_State *L) {
  static const Options *const options[] = {
      [IMP_SHAPE_CIRCLE] = &bind_circle_options,   [IMP_SHAPE_BOX] = &bind_box_options,
      [IMP_SHAPE_POLYGON] = &bind_polygon_options, [IMP_SHAPE_CAPSULE] = &bind_capsule_options,
      [IMP_SHAPE_SEGMENT] = &bind_segment_options, [IMP_SHAPE_CHAIN] = &bind_chain_options,
      [IMP_SHAPE_HEIGHTS] = &bind_heights_options};
  BIND_COVERS(options, IMP_SHAPE_TYPE_COUNT);
  Handle *self = bind_check(L, &bind_shape_class);
  ImpShapeForm form;
  ShapeOptions o = {.def = imp_shape_def()}, none = o;
  bind_status(L, imp_shape_definition(self->box->world, (ImpShape){self->id}, &o.def, &form));
  if (o.def.material > 0) { // options whose values equal those of the material are left out
    imp_material_apply(self->box->world, o.def.material, &none.def);
    o.material = bind_material_name(self->box->world, o.def.material);
  }
  o.center = o.position = form.center;
  o.width = o.spacing = form.width;
  o.height = form.height;
  o.angle = form.angle;
  o.radius = form.radius;
  o.loop = form.loop;
  o.points = bind_points_of(L, self);
  o.from = o.points.at[0];
  o.to = o.points.at[o.points.count - 1]; // the two points of a capsule or segment are its options `from` and `to`
  bind_push_options(L, options[form.type], &o, &none);
  int table = lua_gettop(L);
  if (form.type == IMP_SHAPE_HEIGHTS && bind_push_heights(L, self) > 0) lua_setfield(L, table, "values");
  if (form.type == IMP_SHAPE_POLYGON && bind_push_holes(L, self) > 0) lua_setfield(L, table, "holes");
  lua_settop(L, table);
  bind_get_data(L, self, SLOT_SHAPE_DATA);
  lua_setfield(L, table, "data");
  bind_get_data(L, self, SLOT_FILTERS);
  lua_setfield(L, table, "filter");
  bind_push_look(L, self, SLOT_SHAPE_LOOK);
  lua_setfield(L, table, "look");
  lua_settop(L, table);
  return 1;
}
