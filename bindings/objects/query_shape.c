// Queries with a shape: overlaps, shape casts, distances of two shapes.
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "objects/object.h"
#include "objects/query.h"
#include "objects/shape.h"

typedef struct FormOptions {
  Points points;
  ImpVec2 from, to, position;
  double width, height, radius, angle; // NaN: not given
} FormOptions;

#define AT(member) .offset = offsetof(FormOptions, member)
#define LENGTH(key, least, text) \
  { .name = #key, .kind = FIELD_NUMBER, AT(key), .lower = least, .upper = 1e7, .unit = "m", .doc = text }
#define VECTOR(key, text) \
  { .name = #key, .kind = FIELD_VEC2, AT(key), .unit = "m", .doc = text }

static const Field form_fields[] = {
    LENGTH(radius, 0, "radius of a circle or capsule; rounding added around a box or polygon"),
    LENGTH(width, IMP_MIN_LENGTH, "width of a box, centred at `position`"),
    LENGTH(height, IMP_MIN_LENGTH, "height of a box, centred at `position`"),
    {.name = "points", .kind = FIELD_POINTS, AT(points), .unit = "m", .doc = "{ { x, y }, ... } of a convex polygon"},
    VECTOR(from, "{ x, y } of one end of a capsule or line"),
    VECTOR(to, "{ x, y } of the second end of a capsule or line"),
    VECTOR(position, "position of the shape in the world; { 0, 0 } by default"),
    {.name = "angle",
     .kind = FIELD_NUMBER,
     AT(angle),
     .unit = "rad",
     .doc = "rotation of the shape about its position"},
    {.name = NULL},
};

const Options bind_form_options = {.fields = form_fields, .scope = "form"};


static ImpWorld *world_of(lua_State *L) { return ((WorldBox *)lua_touserdata(L, 1))->world; }


// Read { x, y } without the checks of bind_options; return false if the value is anything but two finite numbers.
static bool plain_vector(lua_State *L, ImpVec2 *out) {
  int index = lua_gettop(L);
  if (!lua_istable(L, index) || lua_rawlen(L, index) != 2) return false;
  int keys = 0;
  for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) keys++;
  bool numbers = lua_rawgeti(L, index, 1) == LUA_TNUMBER;
  numbers = lua_rawgeti(L, index, 2) == LUA_TNUMBER && numbers;
  *out = (ImpVec2){lua_tonumber(L, -2), lua_tonumber(L, -1)};
  lua_pop(L, 2);
  return numbers && keys == 2 && isfinite(out->x) && isfinite(out->y);
}


// Read options that are numbers or vectors, without the checks of bind_options. Return false if one has an unknown key,
// another type or a number out of range.
static bool read_plain(lua_State *L, int index, FormOptions *out) {
  bool plain = true;
  for (lua_pushnil(L); plain && lua_next(L, index);) {
    const Field *field = form_fields;
    const char *key = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "";
    while (field->name && strcmp(field->name, key) != 0) field++;
    void *at = (char *)out + field->offset;
    if (field->name && field->kind == FIELD_VEC2) {
      plain = plain_vector(L, at);
    } else {
      double value = lua_tonumber(L, -1), limit = field->upper > 0 ? field->upper : 1e300;
      plain = field->name && field->kind == FIELD_NUMBER && lua_type(L, -1) == LUA_TNUMBER &&
              value >= (field->upper > 0 ? field->lower : -limit) && value <= limit;
      if (plain) *(double *)at = value;
    }
    lua_pop(L, plain ? 1 : 2);
  }
  return plain;
}


// Return the probe, the shape that a query moves or tests, from a shape or a table. Push one value, which must stay on
// the stack while the probe is used. `corners`: room for the corners of a box or the ends of a line
static ImpProbe form_argument(lua_State *L, int index, ImpVec2 corners[4]) {
  static const FormOptions none = {.width = (double)NAN,
                                   .height = (double)NAN,
                                   .radius = (double)NAN,
                                   .from = {(double)NAN, 0},
                                   .to = {(double)NAN, 0}};
  FormOptions o = none;
  if (!lua_istable(L, index)) {
    if (!luaL_testudata(L, index, bind_shape_class.registry)) {
      bind_error(L, "%s: argument 'shape' must be a shape or a table { radius = ... }, got %s", bind_caller(L),
                 bind_got(L, index));
    }
    lua_pushnil(L);
    return (ImpProbe){.shape = {bind_argument(L, index, &bind_shape_class, "argument 'shape'")}};
  }
  int top = lua_gettop(L);
  if (!read_plain(L, index, &o)) {
    o = none;
    bind_options(L, index, lua_pushfstring(L, "%s: shape", bind_caller(L)), &bind_form_options, &o);
  }
  lua_settop(L, top + 2); // top + 1: the message's prefix; top + 2: the memory of o.points; both nil after read_plain
  bool box = !isnan(o.width) || !isnan(o.height), line = !isnan(o.from.x) || !isnan(o.to.x);
  bool round = !isnan(o.radius);
  ImpProbe probe = {.points = corners, .radius = round ? o.radius : 0, .position = o.position, .angle = o.angle};
  if (box + line + (o.points.at != NULL) > 1 || (box && (isnan(o.width) || isnan(o.height))) ||
      (line && (isnan(o.from.x) || isnan(o.to.x))) || (!box && !line && !o.points.at && !round)) {
    bind_error(L,
               "%s: a shape needs a radius (circle), width and height (box), points (polygon), or from and to (line or "
               "capsule)",
               bind_caller(L));
  }
  if (box) {
    double x = 0.5 * o.width, y = 0.5 * o.height;
    const ImpVec2 at[4] = {{-x, -y}, {x, -y}, {x, y}, {-x, y}};
    for (int i = 0; i < 4; i++) corners[i] = at[i];
    probe.count = 4;
  } else if (line) {
    corners[0] = o.from;
    corners[1] = o.to;
    probe.count = 2;
  } else if (o.points.at) {
    probe.points = o.points.at;
    probe.count = o.points.count;
    if (probe.count < 3) bind_error(L, "%s: field 'points' must have 3 points or more", bind_caller(L));
  } else {
    corners[0] = (ImpVec2){0, 0};
    probe.count = 1;
  }
  lua_remove(L, top + 1);
  return probe;
}


// ---------------------------------------------------------------------------------------------------------------------
// Overlaps
// ---------------------------------------------------------------------------------------------------------------------

// Read the argument `filter` at the index and the argument `list` at index + 1.
static void begin_list(lua_State *L, int index, QueryFilter *filter) {
  bind_table_to_fill(L, index + 1, "list", 0, 0);
  lua_replace(L, index + 1);
  bind_query_filter(L, index, filter);
}


// world:overlap_point(x, y [, filter [, list]]) -> list of shapes
int bind_world_overlap_point(lua_State *L) {
  bind_check_world(L);
  ImpVec2 point = bind_vec2(L, 2, "m");
  QueryFilter filter;
  int count;
  lua_settop(L, 5);
  begin_list(L, 4, &filter);
  bind_query_status(L, &filter, imp_world_overlap_point(world_of(L), point, &filter.core, &count));
  return bind_push_found(L, 5);
}


// world:shape_at(x, y [, filter]) -> shape or nil: the last created shape at the point
int bind_world_shape_at(lua_State *L) {
  bind_check_world(L);
  ImpVec2 point = bind_vec2(L, 2, "m");
  QueryFilter filter;
  int count = 0;
  lua_settop(L, 4);
  bind_query_filter(L, 4, &filter);
  bind_query_status(L, &filter, imp_world_overlap_point(world_of(L), point, &filter.core, &count));
  const ImpHit *hits = imp_world_hits(world_of(L), &count);
  bind_push_shape(L, 1, count > 0 ? hits[count - 1].shape : (ImpShape){0});
  return 1;
}


// world:overlap_box(x1, y1, x2, y2 [, filter [, list]]) -> list of shapes
int bind_world_overlap_box(lua_State *L) {
  bind_check_world(L);
  double x1 = bind_number(L, 2, "x1", "m"), y1 = bind_number(L, 3, "y1", "m");
  double x2 = bind_number(L, 4, "x2", "m"), y2 = bind_number(L, 5, "y2", "m");
  QueryFilter filter;
  int count;
  lua_settop(L, 7);
  begin_list(L, 6, &filter);
  ImpAabb box = {{fmin(x1, x2), fmin(y1, y2)}, {fmax(x1, x2), fmax(y1, y2)}};
  bind_query_status(L, &filter, imp_world_overlap_box(world_of(L), box, &filter.core, &count));
  return bind_push_found(L, 7);
}


// world:overlap_circle(x, y, radius [, filter [, list]]) -> list of shapes
int bind_world_overlap_circle(lua_State *L) {
  bind_check_world(L);
  ImpVec2 center = bind_vec2(L, 2, "m");
  double radius = bind_number(L, 4, "radius", "m");
  QueryFilter filter;
  int count;
  lua_settop(L, 6);
  begin_list(L, 5, &filter);
  bind_query_status(L, &filter, imp_world_overlap_circle(world_of(L), center, radius, &filter.core, &count));
  return bind_push_found(L, 6);
}


// world:overlap_shape(shape [, filter [, list]]) -> list of shapes
int bind_world_overlap_shape(lua_State *L) {
  bind_check_world(L);
  ImpVec2 corners[4];
  QueryFilter filter;
  int count;
  lua_settop(L, 4);
  ImpProbe probe = form_argument(L, 2, corners);
  begin_list(L, 3, &filter);
  bind_query_status(L, &filter, imp_world_overlap(world_of(L), &probe, &filter.core, &count));
  return bind_push_found(L, 4);
}


// ---------------------------------------------------------------------------------------------------------------------
// Shape casts, distances
// ---------------------------------------------------------------------------------------------------------------------

// world:shapecast(shape, dx, dy [, filter [, hit]]) -> hit or nil
int bind_world_shapecast(lua_State *L) {
  bind_check_world(L);
  ImpVec2 corners[4], travel;
  QueryFilter filter;
  ImpHit hit;
  lua_settop(L, 6);
  ImpProbe probe = form_argument(L, 2, corners);
  travel.x = bind_number(L, 3, "dx", "m");
  travel.y = bind_number(L, 4, "dy", "m");
  bind_check_hit(L, 6);
  bind_query_filter(L, 5, &filter);
  bind_query_status(L, &filter, imp_world_shapecast(world_of(L), &probe, travel, &filter.core, &hit));
  return bind_push_hit(L, 6, &hit, "fraction");
}


// world:shapecast_all(shape, dx, dy [, filter [, list]]) -> list of hits
int bind_world_shapecast_all(lua_State *L) {
  bind_check_world(L);
  ImpVec2 corners[4], travel;
  QueryFilter filter;
  int count;
  lua_settop(L, 6);
  ImpProbe probe = form_argument(L, 2, corners);
  travel.x = bind_number(L, 3, "dx", "m");
  travel.y = bind_number(L, 4, "dy", "m");
  begin_list(L, 5, &filter);
  bind_query_status(L, &filter, imp_world_shapecast_all(world_of(L), &probe, travel, &filter.core, &count));
  return bind_push_hits(L, 6);
}


// world:closest(shape_a, shape_b) -> distance, xa, ya, xb, yb, nx, ny
int bind_world_closest(lua_State *L) {
  bind_check_world(L);
  ImpShape a = {bind_argument(L, 2, &bind_shape_class, "argument 'shape_a'")},
           b = {bind_argument(L, 3, &bind_shape_class, "argument 'shape_b'")};
  ImpClosest closest;
  bind_status(L, imp_world_closest(world_of(L), a, b, &closest));
  const double numbers[] = {closest.distance,  closest.point_a.x, closest.point_a.y, closest.point_b.x,
                            closest.point_b.y, closest.normal.x,  closest.normal.y};
  for (int i = 0; i < 7; i++) lua_pushnumber(L, numbers[i]);
  return 7;
}


// world:nearest(x, y [, radius [, filter [, hit]]]) -> hit or nil; the hit has a distance
int bind_world_nearest(lua_State *L) {
  bind_check_world(L);
  ImpVec2 point = bind_vec2(L, 2, "m");
  QueryFilter filter;
  ImpNear near;
  lua_settop(L, 6);
  double radius = lua_isnil(L, 4) ? (double)INFINITY : bind_number(L, 4, "radius", "m");
  bind_check_hit(L, 6);
  bind_query_filter(L, 5, &filter);
  bind_query_status(L, &filter, imp_world_nearest(world_of(L), point, radius, &filter.core, &near));
  ImpHit hit = {near.body, near.shape, near.point, near.normal, near.distance};
  return bind_push_hit(L, 6, &hit, "distance");
}


// shape:closest(x, y) -> distance, xs, ys, nx, ny
int bind_shape_closest(lua_State *L) {
  const Handle *self = bind_check(L, &bind_shape_class);
  ImpVec2 point = bind_vec2(L, 2, "m");
  ImpNear near;
  bind_status(L, imp_shape_closest(self->box->world, (ImpShape){self->id}, point, &near));
  const double numbers[] = {near.distance, near.point.x, near.point.y, near.normal.x, near.normal.y};
  for (int i = 0; i < 5; i++) lua_pushnumber(L, numbers[i]);
  return 5;
}


// ---------------------------------------------------------------------------------------------------------------------
// Time of impact
// ---------------------------------------------------------------------------------------------------------------------

static const Field motion_fields[] = {
    {.name = "travel",
     .kind = FIELD_VEC2,
     .offset = offsetof(ImpTravel, travel),
     .unit = "m",
     .doc = "displacement of the centre of mass; { 0, 0 } by default"},
    {.name = "turn",
     .kind = FIELD_NUMBER,
     .offset = offsetof(ImpTravel, turn),
     .unit = "rad",
     .doc = "rotation about the centre of mass during the motion; 0 by default"},
    {.name = NULL},
};

const Options bind_motion_options = {.fields = motion_fields, .scope = "motion"};


static ImpTravel motion_argument(lua_State *L, int index, const char *name) {
  ImpTravel motion = {.turn = 0};
  if (lua_isnil(L, index)) return motion;
  if (!lua_istable(L, index)) {
    bind_error(L, "%s: argument '%s' must be a table { travel = { dx, dy }, turn = ... } or nil, got %s",
               bind_caller(L), name, bind_got(L, index));
  }
  bind_options(L, index, lua_pushfstring(L, "%s: %s", bind_caller(L), name), &bind_motion_options, &motion);
  return motion;
}


// world:time_of_impact(shape_a, motion_a, shape_b [, motion_b [, target]]) -> t, x, y, nx, ny, or nil
int bind_world_time_of_impact(lua_State *L) {
  bind_check_world(L);
  lua_settop(L, 6);
  ImpShape a = {bind_argument(L, 2, &bind_shape_class, "argument 'shape_a'")},
           b = {bind_argument(L, 4, &bind_shape_class, "argument 'shape_b'")};
  ImpTravel motion_a = motion_argument(L, 3, "motion_a"), motion_b = motion_argument(L, 5, "motion_b");
  double target = lua_isnil(L, 6) ? 0 : bind_number(L, 6, "target", "m");
  ImpImpact impact;
  bind_status(L, imp_world_time_of_impact(world_of(L), a, motion_a, b, motion_b, target, &impact));
  if (!impact.met) {
    lua_pushnil(L);
    return 1;
  }
  const double numbers[] = {impact.time, impact.point.x, impact.point.y, impact.normal.x, impact.normal.y};
  for (int i = 0; i < 5; i++) lua_pushnumber(L, numbers[i]);
  return 5;
}
