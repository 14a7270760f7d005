// The constructors of shapes: body:circle{...}, body:box{...} and their siblings.
#include <stddef.h>

#include "bindings.h"

// Everything that the option table of a shape can hold.
typedef struct ShapeOptions {
  ImpShapeDef def;
  ImpVec2 center, from, to;
  double width, height, angle, radius;
  Points points;
  bool loop;
} ShapeOptions;

#define AT(member) .offset = offsetof(ShapeOptions, member)
#define REQUIRED .required = true
#define OPTIONAL .required = false
#define MATERIAL(key, id) \
  { .name = #key, .kind = FIELD_NUMBER, AT(def.key), .table = imp_shape_property, .property = id }
// The core knows the exact limits of sizes; here is what no world holds.
#define LENGTH(key, need) \
  { .name = #key, .kind = FIELD_NUMBER, AT(key), .upper = 1e7, .unit = "m", need }
#define VECTOR(key, need) \
  { .name = #key, .kind = FIELD_VEC2, AT(key), .unit = "m", need }
#define POINTS \
  { .name = "points", .kind = FIELD_POINTS, AT(points), .unit = "m", REQUIRED }

#define EVERY_SHAPE \
  MATERIAL(density, IMP_SHAPE_DENSITY), MATERIAL(friction, IMP_SHAPE_FRICTION), \
      MATERIAL(restitution, IMP_SHAPE_RESTITUTION), MATERIAL(rolling_resistance, IMP_SHAPE_ROLLING_RESISTANCE), \
      MATERIAL(surface_speed, IMP_SHAPE_SURFACE_SPEED), \
      MATERIAL(restitution_threshold, IMP_SHAPE_RESTITUTION_THRESHOLD), \
      {.name = "sensor", .kind = FIELD_BOOLEAN, AT(def.sensor)}, \
      {.name = "category", .kind = FIELD_BITS, AT(def.category)}, {.name = "mask", .kind = FIELD_BITS, AT(def.mask)}, \
      {.name = "group", \
       .kind = FIELD_INTEGER, \
       AT(def.group), \
       .table = imp_shape_property, \
       .property = IMP_SHAPE_GROUP}, \
      {.name = "one_way", .kind = FIELD_VEC2, AT(def.one_way)}, {.name = "name", .kind = FIELD_STRING, AT(def.name)}, \
      {.name = "data", .kind = FIELD_ANY}, { \
    .name = NULL \
  }

static const Field circle_fields[] = {LENGTH(radius, REQUIRED), VECTOR(center, OPTIONAL), EVERY_SHAPE};

static const Field box_fields[] = {
    {.name = "width", .kind = FIELD_NUMBER, AT(width), .upper = 1e7, .unit = "m", .position = 1, REQUIRED},
    {.name = "height", .kind = FIELD_NUMBER, AT(height), .upper = 1e7, .unit = "m", .position = 2, REQUIRED},
    {.name = "angle", .kind = FIELD_NUMBER, AT(angle), .table = imp_body_property, .property = IMP_BODY_ANGLE},
    VECTOR(center, OPTIONAL),
    LENGTH(radius, OPTIONAL),
    EVERY_SHAPE,
};

static const Field polygon_fields[] = {POINTS, LENGTH(radius, OPTIONAL), EVERY_SHAPE};

static const Field capsule_fields[] = {VECTOR(from, REQUIRED), VECTOR(to, REQUIRED), LENGTH(radius, REQUIRED),
                                       EVERY_SHAPE};

static const Field segment_fields[] = {VECTOR(from, REQUIRED), VECTOR(to, REQUIRED), EVERY_SHAPE};

static const Field chain_fields[] = {POINTS, {.name = "loop", .kind = FIELD_BOOLEAN, AT(loop)}, EVERY_SHAPE};

const Options bind_circle_options = {.fields = circle_fields};
const Options bind_box_options = {.fields = box_fields};
const Options bind_polygon_options = {.fields = polygon_fields};
const Options bind_capsule_options = {.fields = capsule_fields};
const Options bind_segment_options = {.fields = segment_fields};
const Options bind_chain_options = {.fields = chain_fields};


// The receiver, alive, and its options read.
static Handle *begin(lua_State *L, const Options *options, ShapeOptions *out) {
  Handle *body = bind_self(L);
  bind_body_class.require(L, body, NULL);
  lua_settop(L, 2);
  *out = (ShapeOptions){.def = imp_shape_def()};
  bind_options(L, 2, bind_caller(L), options, out);
  lua_pushliteral(L, "one_way");
  if (lua_rawget(L, 2) != LUA_TNIL && out->def.one_way.x == 0 && out->def.one_way.y == 0) {
    bind_error(L, "%s: field 'one_way' must be a direction { x, y } other than { 0, 0 }", bind_caller(L));
  }
  lua_pop(L, 1);
  return body;
}


// Push the new shape, with its data.
static int finish(lua_State *L, ImpStatus status, ImpShape shape) {
  bind_status(L, status);
  bind_push_shape(L, 1, shape);
  lua_pushliteral(L, "data");
  if (lua_rawget(L, 2) != LUA_TNIL) {
    bind_shelf(L, 1, SHELF_SHAPE_DATA);
    lua_insert(L, -2);
    lua_rawseti(L, -2, (lua_Integer)shape.id);
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


// body:polygon { points = { { x, y }, ... }, radius, ... } -> shape
int bind_body_polygon(lua_State *L) {
  ShapeOptions o;
  ImpShape shape;
  Handle *self = begin(L, &bind_polygon_options, &o);
  ImpStatus status = imp_body_add_polygon(self->box->world, (ImpBody){self->id}, &o.def, o.points.at, o.points.count,
                                          o.radius, &shape);
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
