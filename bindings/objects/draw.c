// impel.drawing: the core's draw list for scripts. Windows, pictures and SVG files paint a drawing.
//
//   local d = drawing.new()
//   d:world(world, { contacts = true })
//   d:fill("scene", 0xff8800ff, 0.1, { 0, 0,  1, 0 })     -- a capsule
//
// Items are added to the current layer. The first layer has order 0 and world coordinates.
// The list is the start of the userdata with the metatable "impel.drawing".
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/quota.h"
#include "base/world_table.h"
#include "objects/draw.h"
#include "objects/look.h"
#include "objects/world.h"

#define CLASS "impel.drawing"
#define SCREEN_PIXELS 1e6 // approximate number of pixels of a window

typedef struct Drawing {
  ImpDrawList *list;
  double order; // order of items added from now on
  bool screen;
} Drawing;


ImpDrawList *bind_check_drawing(lua_State *L) {
  ImpDrawList *list = ((Drawing *)luaL_checkudata(L, 1, CLASS))->list;
  if (list == NULL) bind_error(L, "attempt to use a drawing that was garbage-collected");
  return list;
}


// Raise the core's error at the caller's line.
static void check_status(lua_State *L, ImpStatus status, const char *call) {
  if (status != IMP_OK) bind_error(L, "drawing:%s: %s", call, imp_last_error());
}


static const char *kind_name(int kind) { return imp_draw_kind_name(kind); }
static const char *style_name(int style) { return imp_draw_style_name(style); }


// ---------------------------------------------------------------------------------------------------------------------
// Primitives
// ---------------------------------------------------------------------------------------------------------------------

static double number_at(lua_State *L, int index, const char *call, const char *name) {
  if (lua_type(L, index) != LUA_TNUMBER) {
    bind_error(L, "drawing:%s: argument '%s' must be a number, got %s", call, name, bind_got(L, index));
  }
  return lua_tonumber(L, index);
}


// Return an item with style and colour, arguments 2 and 3 of every primitive.
static ImpDrawItem item_of(lua_State *L, ImpDrawKind kind) {
  const char *call = kind_name((int)kind);
  const Drawing *drawing = lua_touserdata(L, 1);
  ImpDrawItem item = {.kind = kind, .order = drawing->order, .screen = drawing->screen};
  int top = lua_gettop(L), style = IMP_STYLE_COUNT - 1;
  const char *word = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
  while (style >= 0 && strcmp(style_name(style), word) != 0) --style;
  if (style < 0) style = bind_choice(L, 2, lua_pushfstring(L, "drawing:%s: argument 'style'", call), style_name);
  item.style = (ImpDrawStyle)style;
  if (!lua_isnoneornil(L, 3)) {
    lua_Integer color = 0;
    int whole = 0;
    if (lua_type(L, 3) == LUA_TNUMBER) color = lua_tointegerx(L, 3, &whole);
    if (!whole || color < 0 || color > 0xffffffff) {
      bind_error(L, "drawing:%s: argument 'color' must be an integer 0xRRGGBBAA, got %s", call, bind_got(L, 3));
    }
    item.color = (uint32_t)color;
  }
  lua_settop(L, top);
  return item;
}


// Return the points in the flat table of numbers at the index; push the memory of the points.
static const ImpVec2 *points_at(lua_State *L, int index, const char *call, int *out_count) {
  if (!lua_istable(L, index)) {
    bind_error(L, "drawing:%s: argument 'points' must be a table { x1, y1, x2, y2, ... }, got %s", call,
               bind_got(L, index));
  }
  lua_Unsigned length = lua_rawlen(L, index);
  if (length % 2 != 0 || length > INT32_MAX) {
    bind_error(L, "drawing:%s: argument 'points' must hold two numbers for each point, got %d numbers", call,
               (int)length);
  }
  int count = (int)(length / 2);
  ImpVec2 *points = lua_newuserdatauv(L, (size_t)(count > 0 ? count : 1) * sizeof *points, 0);
  double *numbers = (double *)points;
  for (int i = 0; i < 2 * count; ++i) {
    if (lua_rawgeti(L, index, i + 1) != LUA_TNUMBER) {
      bind_error(L, "drawing:%s: points[%d] must be a number, got %s", call, i + 1, bind_got(L, -1));
    }
    numbers[i] = lua_tonumber(L, -1);
    lua_pop(L, 1);
  }
  *out_count = count;
  return points;
}


// Return the width of a line, 0 if the argument is missing.
static double width_at(lua_State *L, int index, const char *call) {
  return lua_isnoneornil(L, index) ? 0 : number_at(L, index, call, "width");
}


static int add_area(lua_State *L, ImpDrawKind kind) {
  ImpDrawList *list = bind_check_drawing(L);
  const char *call = kind_name((int)kind);
  ImpDrawItem item = item_of(L, kind);
  item.radius = number_at(L, 4, call, "radius");
  if (kind == IMP_DRAW_OUTLINE) item.width = width_at(L, 6, call);
  const ImpVec2 *points = points_at(L, 5, call, &item.count);
  check_status(L, imp_draw_add(list, &item, points, NULL, NULL), call);
  return 0;
}


// drawing:fill(style, color, radius, points): the convex area of 1, 2 or more points, grown by radius
static int draw_fill(lua_State *L) { return add_area(L, IMP_DRAW_FILL); }


// drawing:outline(style, color, radius, points [, width]): the edge of the area that drawing:fill paints
static int draw_outline(lua_State *L) { return add_area(L, IMP_DRAW_OUTLINE); }


// drawing:polygon(style, color, points): the area inside a polygon
// The item is of kind "fill" if the polygon is convex, and of kind "polygon" otherwise.
static int draw_polygon(lua_State *L) {
  ImpDrawList *list = bind_check_drawing(L);
  ImpDrawItem item = item_of(L, IMP_DRAW_FILL);
  const ImpVec2 *points = points_at(L, 4, "polygon", &item.count);
  if (item.count >= 3 && imp_draw_add(list, &item, points, NULL, NULL) == IMP_OK) return 0;
  item.kind = IMP_DRAW_POLYGON;
  check_status(L, imp_draw_add(list, &item, points, NULL, NULL), "polygon");
  return 0;
}


// drawing:polyline(style, color, points [, width])
static int draw_polyline(lua_State *L) {
  ImpDrawList *list = bind_check_drawing(L);
  ImpDrawItem item = item_of(L, IMP_DRAW_POLYLINE);
  item.width = width_at(L, 5, "polyline");
  const ImpVec2 *points = points_at(L, 4, "polyline", &item.count);
  check_status(L, imp_draw_add(list, &item, points, NULL, NULL), "polyline");
  return 0;
}


// drawing:arrow(style, color, x1, y1, x2, y2 [, value])
static int draw_arrow(lua_State *L) {
  ImpDrawList *list = bind_check_drawing(L);
  ImpDrawItem item = item_of(L, IMP_DRAW_ARROW);
  item.count = 2;
  const ImpVec2 points[2] = {{number_at(L, 4, "arrow", "x1"), number_at(L, 5, "arrow", "y1")},
                             {number_at(L, 6, "arrow", "x2"), number_at(L, 7, "arrow", "y2")}};
  if (!lua_isnoneornil(L, 8)) item.value = number_at(L, 8, "arrow", "value");
  check_status(L, imp_draw_add(list, &item, points, NULL, NULL), "arrow");
  return 0;
}


// drawing:dot(style, color, x, y)
static int draw_dot(lua_State *L) {
  ImpDrawList *list = bind_check_drawing(L);
  ImpDrawItem item = item_of(L, IMP_DRAW_DOT);
  item.count = 1;
  const ImpVec2 point = {number_at(L, 4, "dot", "x"), number_at(L, 5, "dot", "y")};
  check_status(L, imp_draw_add(list, &item, &point, NULL, NULL), "dot");
  return 0;
}


// Return the name of an image or font.
static const char *source_at(lua_State *L, int index, const char *call, const char *name) {
  if (lua_type(L, index) != LUA_TSTRING) {
    bind_error(L, "drawing:%s: argument '%s' must be a string, got %s", call, name, bind_got(L, index));
  }
  return lua_tostring(L, index);
}


// drawing:text(style, color, height, align, x, y, text [, rise, width, font])
// height   font size [units of the layer]; 0: the font size is `width`
// width    font size [screen points]; 0: the font size of the style
// align    0: the text begins at x; 1: the text ends at x
// rise     -1: the top of the text is at y; 1: the bottom of the text is at y
static int draw_text(lua_State *L) {
  ImpDrawList *list = bind_check_drawing(L);
  ImpDrawItem item = item_of(L, IMP_DRAW_TEXT);
  item.count = 1;
  item.radius = number_at(L, 4, "text", "height");
  item.align = number_at(L, 5, "text", "align");
  const ImpVec2 point = {number_at(L, 6, "text", "x"), number_at(L, 7, "text", "y")};
  if (lua_type(L, 8) != LUA_TSTRING) {
    return bind_error(L, "drawing:text: argument 'text' must be a string, got %s", bind_got(L, 8));
  }
  if (!lua_isnoneornil(L, 9)) item.rise = number_at(L, 9, "text", "rise");
  item.width = width_at(L, 10, "text");
  const char *font = lua_isnoneornil(L, 11) ? NULL : source_at(L, 11, "text", "font");
  check_status(L, imp_draw_add(list, &item, &point, lua_tostring(L, 8), font), "text");
  return 0;
}


// drawing:image(style, tint, source, x, y, width, height, angle, anchor_x, anchor_y, u1, v1, u2, v2, coarse)
// x, y: position of the anchor
// anchor: fractions of the size from the bottom left corner
// angle: counter-clockwise [rad]
// u, v: two opposite corners of the visible part [image pixels from the top left]
// coarse: whether to enlarge without smoothing
static int draw_image(lua_State *L) {
  static const char *const names[] = {"x",        "y",  "width", "height", "angle", "anchor_x",
                                      "anchor_y", "u1", "v1",    "u2",     "v2"};
  enum { NUMBERS = sizeof names / sizeof *names };
  ImpDrawList *list = bind_check_drawing(L);
  ImpDrawItem item = item_of(L, IMP_DRAW_IMAGE);
  const char *source = source_at(L, 4, "image", "source");
  double n[NUMBERS];
  for (int i = 0; i < NUMBERS; ++i) n[i] = number_at(L, 5 + i, "image", names[i]);
  item.coarse = lua_toboolean(L, 5 + NUMBERS);
  item.count = 6;
  double c = imp_cos(n[4]), s = imp_sin(n[4]), up = item.screen ? -1 : 1;
  ImpVec2 across = {n[2] * c, n[2] * s * up}, along = {-n[3] * s, n[3] * c * up};
  ImpVec2 low = {n[0] - n[5] * across.x - n[6] * along.x, n[1] - n[5] * across.y - n[6] * along.y};
  const ImpVec2 points[6] = {{low.x + along.x, low.y + along.y},
                             {low.x + along.x + across.x, low.y + along.y + across.y},
                             {low.x + across.x, low.y + across.y},
                             low,
                             {n[7], n[8]},
                             {n[9], n[10]}};
  check_status(L, imp_draw_add(list, &item, points, NULL, source), "image");
  return 0;
}


// drawing:layer(order, screen): set the layer of later items. Lower orders are painted first.
// screen: whether coordinates are in points of the screen; such items are painted after all others
static int draw_layer(lua_State *L) {
  bind_check_drawing(L);
  Drawing *drawing = lua_touserdata(L, 1);
  drawing->order = number_at(L, 2, "layer", "order");
  drawing->screen = lua_toboolean(L, 3);
  return 0;
}


// drawing:sort([first]): sort the items from number `first` on by their layers
static int draw_sort(lua_State *L) {
  ImpDrawList *list = bind_check_drawing(L);
  double first = lua_isnoneornil(L, 2) ? 1 : number_at(L, 2, "sort", "first");
  if (!(first >= 1 && first < INT32_MAX)) return bind_error(L, "drawing:sort: argument 'first' must be >= 1");
  check_status(L, imp_draw_sort(list, (int)first - 1), "sort");
  return 0;
}


// drawing:clip(x1, y1, x2, y2): paint items added from now on only within this box; drawing:clip(): end the clipping
static int draw_clip(lua_State *L) {
  ImpDrawList *list = bind_check_drawing(L);
  ImpDrawItem item = {.kind = IMP_DRAW_CLIP, .style = IMP_STYLE_PANEL};
  ImpVec2 points[2] = {{0, 0}, {0, 0}};
  if (lua_gettop(L) > 1) {
    item.count = 2;
    points[0] = (ImpVec2){number_at(L, 2, "clip", "x1"), number_at(L, 3, "clip", "y1")};
    points[1] = (ImpVec2){number_at(L, 4, "clip", "x2"), number_at(L, 5, "clip", "y2")};
  }
  check_status(L, imp_draw_add(list, &item, points, NULL, NULL), "clip");
  return 0;
}


// ---------------------------------------------------------------------------------------------------------------------
// Worlds
// ---------------------------------------------------------------------------------------------------------------------

#define SHOWN(option, text) \
  { .name = #option, .kind = FIELD_BOOLEAN, .offset = offsetof(ImpDrawOptions, option), .doc = text }
#define SCALE(option, u, text) \
  { \
    .name = #option, .kind = FIELD_NUMBER, .offset = offsetof(ImpDrawOptions, option), .lower = 0, .upper = 1e12, \
    .unit = u, .doc = text \
  }
static const Field world_fields[] = {
    SHOWN(shapes, "fills and outlines; true by default"),
    SHOWN(joints, "symbols of joints; true by default"),
    SHOWN(contacts, "contact points"),
    SHOWN(normals, "contact normals"),
    SHOWN(forces, "contact forces, and reactions of joints"),
    SHOWN(friction, "friction cone of each contact point that exerts a force, and the force in the cone"),
    SHOWN(rows, "impulses of the constraint rows of joints"),
    SHOWN(boxes, "bounding boxes of shapes"),
    SHOWN(centers, "centres of mass"),
    SHOWN(velocities, "velocities of centres of mass"),
    SHOWN(names, "names of bodies"),
    SCALE(size, "m", "size of the symbols of joints, normals, cones and centres; smaller on small bodies"),
    SCALE(force_scale, "m/N", "length of an arrow per unit of force"),
    SCALE(torque_scale, "m/(N m)", "length of an arc per unit of torque"),
    SCALE(impulse_scale, "m/(N s)", "length of an arrow per unit of impulse"),
    SCALE(velocity_scale, "s", "length of an arrow per unit of velocity"),
    SCALE(longest, "m", "largest length of an arrow; longer arrows are cut, and marked by two strokes across them"),
    {.name = NULL},
};
static const Options world_options = {.fields = world_fields, .scope = "drawing"};


// bodies, shapes: stack indices of the tables of looks
typedef struct Looks {
  lua_State *L;
  int bodies, shapes;
} Looks;


static bool find_look(void *context, ImpBody body, ImpShape shape, ImpLook *out_look) {
  const Looks *looks = context;
  lua_rawgeti(looks->L, shape.id != 0 ? looks->shapes : looks->bodies, bind_key(shape.id != 0 ? shape.id : body.id));
  bool found = bind_take_look(looks->L, -1, out_look);
  lua_pop(looks->L, 1);
  return found;
}


static bool has_any(lua_State *L) {
  lua_pushnil(L);
  if (lua_next(L, -2) == 0) return false;
  lua_pop(L, 2);
  return true;
}


// drawing:world(world [, options [, poses]]): append a picture of the world
// poses: interpolated poses of the bodies; without `poses`, the picture shows the present poses
static int draw_world(lua_State *L) {
  ImpDrawList *list = bind_check_drawing(L);
  const WorldBox *box = luaL_testudata(L, 2, bind_world_class.registry);
  if (box == NULL) {
    return bind_error(L, "drawing:world: argument 'world' must be a world, got %s", bind_got(L, 2));
  }
  if (box->world == NULL) return bind_error(L, "drawing:world: the world was destroyed");
  ImpDrawOptions options = imp_draw_options();
  if (!lua_isnoneornil(L, 3)) bind_options(L, 3, "drawing:world", &world_options, &options);
  options.poses = draw_poses_at(L, 4);
  lua_settop(L, 4);
  bind_world_table(L, 2, SLOT_BODY_LOOK);
  bool any = has_any(L);
  bind_world_table(L, 2, SLOT_SHAPE_LOOK);
  any = has_any(L) || any;
  Looks looks = {.L = L, .bodies = 5, .shapes = 6};
  if (any) {
    luaL_checkstack(L, 4, "drawing:world");
    options.look = find_look;
    options.look_context = &looks;
  }
  check_status(L, imp_draw_world(list, box->world, &options), "world");
  return 0;
}


// ---------------------------------------------------------------------------------------------------------------------
// Reading
// ---------------------------------------------------------------------------------------------------------------------

// Iterator function of drawing:items(). Upvalues: the drawing, the reused table and the position.
static int next_item(lua_State *L) {
  const Drawing *drawing = lua_touserdata(L, lua_upvalueindex(1));
  lua_Integer at = lua_tointeger(L, lua_upvalueindex(3));
  int count;
  const ImpDrawItem *item = imp_draw_items(drawing->list, &count);
  if (at >= count) return 0;
  item += at;
  lua_pushinteger(L, at + 1);
  lua_copy(L, -1, lua_upvalueindex(3));
  lua_pushvalue(L, lua_upvalueindex(2));
  int table = lua_gettop(L);
  lua_pushstring(L, kind_name((int)item->kind));
  lua_setfield(L, table, "kind");
  lua_pushstring(L, style_name((int)item->style));
  lua_setfield(L, table, "style");
  lua_pushinteger(L, item->color);
  lua_setfield(L, table, "color");
  lua_pushnumber(L, item->radius);
  lua_setfield(L, table, "radius");
  lua_pushnumber(L, item->align);
  lua_setfield(L, table, "align");
  lua_pushnumber(L, item->value);
  lua_setfield(L, table, "value");
  lua_pushinteger(L, (lua_Integer)item->owner);
  lua_setfield(L, table, "owner");
  lua_pushstring(L, item->text >= 0 ? imp_draw_texts(drawing->list) + item->text : NULL);
  lua_setfield(L, table, "text");
  lua_pushstring(L, item->source >= 0 ? imp_draw_texts(drawing->list) + item->source : NULL);
  lua_setfield(L, table, "source");
  lua_pushnumber(L, item->width);
  lua_setfield(L, table, "width");
  lua_pushnumber(L, item->rise);
  lua_setfield(L, table, "rise");
  lua_pushnumber(L, item->order);
  lua_setfield(L, table, "order");
  lua_pushboolean(L, item->screen);
  lua_setfield(L, table, "screen");
  lua_pushboolean(L, item->coarse);
  lua_setfield(L, table, "coarse");
  lua_getfield(L, table, "n");
  lua_Integer before = lua_tointeger(L, -1);
  const double *numbers = (const double *)(imp_draw_points(drawing->list) + item->first);
  for (int i = 0; i < 2 * item->count; ++i) {
    lua_pushnumber(L, numbers[i]);
    lua_rawseti(L, table, i + 1);
  }
  for (lua_Integer i = 2 * item->count; i < before; ++i) {
    lua_pushnil(L);
    lua_rawseti(L, table, i + 1);
  }
  lua_pushinteger(L, 2 * item->count);
  lua_setfield(L, table, "n");
  lua_settop(L, table);
  return 2;
}


// drawing:items() -> iterator: index, item; the same table is reused for every item
static int draw_items(lua_State *L) {
  bind_check_drawing(L);
  lua_settop(L, 1);
  lua_newtable(L);
  lua_pushinteger(L, 0);
  lua_pushcclosure(L, next_item, 3);
  return 1;
}


static void add_number(luaL_Buffer *buffer, double x) {
  char text[32];
  snprintf(text, sizeof text, " %.6g", nearbyint(x * 1e6) / 1e6 + 0.0); // round to 1e-6, and change -0 to 0
  luaL_addstring(buffer, text);
}


// drawing:dump() -> string: a line per item, with numbers rounded to 1e-6, for specs
static int draw_dump(lua_State *L) {
  ImpDrawList *list = bind_check_drawing(L);
  int count;
  const ImpDrawItem *items = imp_draw_items(list, &count);
  const ImpVec2 *points = imp_draw_points(list);
  luaL_Buffer buffer;
  luaL_buffinit(L, &buffer);
  for (int i = 0; i < count; ++i) {
    const ImpDrawItem *item = &items[i];
    char text[32];
    luaL_addstring(&buffer, kind_name((int)item->kind));
    luaL_addchar(&buffer, ' ');
    luaL_addstring(&buffer, style_name((int)item->style));
    for (int k = item->first; k < item->first + item->count; ++k) {
      add_number(&buffer, points[k].x);
      add_number(&buffer, points[k].y);
    }
    if (item->radius > 0) {
      luaL_addstring(&buffer, " radius");
      add_number(&buffer, item->radius);
    }
    if (item->value != 0) {
      luaL_addstring(&buffer, " value");
      add_number(&buffer, item->value);
    }
    if (item->color != 0) {
      snprintf(text, sizeof text, " #%08x", (unsigned)item->color);
      luaL_addstring(&buffer, text);
    }
    if (item->owner != 0) {
      snprintf(text, sizeof text, " owner %llu", (unsigned long long)item->owner);
      luaL_addstring(&buffer, text);
    }
    if (item->width > 0) {
      luaL_addstring(&buffer, " width");
      add_number(&buffer, item->width);
    }
    if (item->rise != 0) {
      luaL_addstring(&buffer, " rise");
      add_number(&buffer, item->rise);
    }
    if (item->order != 0) {
      luaL_addstring(&buffer, " order");
      add_number(&buffer, item->order);
    }
    if (item->screen) luaL_addstring(&buffer, " screen");
    if (item->coarse) luaL_addstring(&buffer, " coarse");
    if (item->source >= 0) {
      luaL_addstring(&buffer, " of ");
      luaL_addstring(&buffer, imp_draw_texts(list) + item->source);
    }
    if (item->text >= 0) {
      luaL_addstring(&buffer, " '");
      luaL_addstring(&buffer, imp_draw_texts(list) + item->text);
      luaL_addchar(&buffer, '\'');
    }
    luaL_addchar(&buffer, '\n');
  }
  luaL_pushresult(&buffer);
  return 1;
}


// #drawing
static int draw_length(lua_State *L) {
  int count;
  imp_draw_items(bind_check_drawing(L), &count);
  lua_pushinteger(L, count);
  return 1;
}


// drawing:bounds() -> x1, y1, x2, y2; nothing for an empty drawing
static int draw_bounds(lua_State *L) {
  ImpAabb box;
  if (!imp_draw_bounds(bind_check_drawing(L), &box)) return 0;
  bind_push_vec2(L, box.lower);
  bind_push_vec2(L, box.upper);
  return 4;
}


// Estimate the part (0..1) of the box `view` that the item covers, from its bounding box.
static double covered(const ImpDrawItem *item, const ImpVec2 *points, ImpAabb view) {
  if (item->kind == IMP_DRAW_TEXT) return 0.01;
  ImpAabb box = {{HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL}};
  bool is_image = item->kind == IMP_DRAW_IMAGE;
  int count = is_image ? 4 : item->count;
  for (int i = item->first; i < item->first + count; ++i) {
    box.lower = (ImpVec2){fmin(box.lower.x, points[i].x), fmin(box.lower.y, points[i].y)};
    box.upper = (ImpVec2){fmax(box.upper.x, points[i].x), fmax(box.upper.y, points[i].y)};
  }
  double width = fmin(box.upper.x + item->radius, view.upper.x) - fmax(box.lower.x - item->radius, view.lower.x);
  double height = fmin(box.upper.y + item->radius, view.upper.y) - fmax(box.lower.y - item->radius, view.lower.y);
  if (!(width >= 0 && height >= 0)) return 0;
  if (item->kind == IMP_DRAW_POLYLINE || item->kind == IMP_DRAW_ARROW) return 0.02 * item->count;
  ImpVec2 low = points[item->first + 4 * is_image], high = points[item->first + 5 * is_image];
  double read = is_image ? fabs((high.x - low.x) * (high.y - low.y)) / SCREEN_PIXELS : 0;
  return read + width * height / ((view.upper.x - view.lower.x) * (view.upper.y - view.lower.y));
}


// drawing:layers(x1, y1, x2, y2 [, width, height]) -> estimate of the mean number of times that a pixel is painted
// x1, y1, x2, y2: the part of the world that the screen shows [m]; width, height: size of the screen [screen points]
static int draw_layers(lua_State *L) {
  ImpDrawList *list = bind_check_drawing(L);
  const ImpAabb view = {{number_at(L, 2, "layers", "x1"), number_at(L, 3, "layers", "y1")},
                        {number_at(L, 4, "layers", "x2"), number_at(L, 5, "layers", "y2")}};
  int count;
  const ImpDrawItem *items = imp_draw_items(list, &count);
  double sum = 0;
  ImpAabb screen = {{0, 0}, {1, 1}};
  if (lua_gettop(L) > 5) {
    screen.upper = (ImpVec2){number_at(L, 6, "layers", "width"), number_at(L, 7, "layers", "height")};
  }
  for (int i = 0; i < count; ++i) {
    sum += covered(&items[i], imp_draw_points(list), items[i].screen ? screen : view);
  }
  lua_pushnumber(L, sum);
  return 1;
}


static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}


// drawing:percentile(style, share, x1, y1, x2, y2) -> p, count; nothing if count = 0
// count: number of the style's arrows that begin in the box and have a value v ~= 0
// p: quantile `share` (0..1; 0.5 is the median) of |v| over these arrows
static int draw_percentile(lua_State *L) {
  ImpDrawList *list = bind_check_drawing(L);
  int style = bind_choice(L, 2, "drawing:percentile: argument 'style'", style_name);
  double share = number_at(L, 3, "percentile", "share");
  const ImpAabb box = {{number_at(L, 4, "percentile", "x1"), number_at(L, 5, "percentile", "y1")},
                       {number_at(L, 6, "percentile", "x2"), number_at(L, 7, "percentile", "y2")}};
  if (!(share >= 0 && share <= 1)) return bind_error(L, "drawing:percentile: argument 'share' must be in [0, 1]");
  int count, found = 0;
  const ImpDrawItem *items = imp_draw_items(list, &count);
  const ImpVec2 *points = imp_draw_points(list);
  double *values = lua_newuserdatauv(L, (size_t)(count > 0 ? count : 1) * sizeof *values, 0);
  for (int i = 0; i < count; ++i) {
    if (items[i].kind != IMP_DRAW_ARROW || (int)items[i].style != style || items[i].value == 0) continue;
    ImpVec2 at = points[items[i].first];
    bool inside = at.x >= box.lower.x && at.x <= box.upper.x && at.y >= box.lower.y && at.y <= box.upper.y;
    if (inside) values[found++] = fabs(items[i].value);
  }
  if (found == 0) return 0;
  qsort(values, (size_t)found, sizeof *values, ascending);
  lua_pushnumber(L, values[(int)fmax(ceil(share * found) - 1, 0)]); // percentile by the nearest-rank method
  lua_pushinteger(L, found);
  return 2;
}


// drawing:tint(colors): recolour areas of bodies, not their edges; colors[body id] is 0xRRGGBBAA.
static int draw_tint(lua_State *L) {
  ImpDrawList *list = bind_check_drawing(L);
  luaL_checktype(L, 2, LUA_TTABLE);
  int count;
  imp_draw_items(list, &count);
  for (int i = 0; i < count; ++i) {
    const ImpDrawItem *item = &imp_draw_items(list, &count)[i];
    if (item->kind != IMP_DRAW_FILL || item->style > IMP_STYLE_DISABLED || item->style == IMP_STYLE_SENSOR) continue;
    if (lua_rawgeti(L, 2, (lua_Integer)item->owner) == LUA_TNUMBER) {
      imp_draw_set_color(list, i, (uint32_t)lua_tointeger(L, -1));
    }
    lua_pop(L, 1);
  }
  return 0;
}


// drawing:clear()
static int draw_clear(lua_State *L) {
  imp_draw_clear(bind_check_drawing(L));
  Drawing *drawing = lua_touserdata(L, 1);
  drawing->order = 0;
  drawing->screen = false;
  return 0;
}


static int draw_close(lua_State *L) {
  Drawing *drawing = luaL_checkudata(L, 1, CLASS);
  ImpDrawList *list = drawing->list;
  drawing->list = NULL;
  imp_draw_destroy(list);
  return 0;
}


// drawing.new() -> drawing
static int draw_new(lua_State *L) {
  Drawing *drawing = lua_newuserdatauv(L, sizeof *drawing, 0);
  *drawing = (Drawing){0};
  luaL_setmetatable(L, CLASS);
  ImpAllocator allocator = bind_allocator();
  if (imp_draw_create(&allocator, &drawing->list) != IMP_OK)
    return bind_error(L, "impel.drawing: %s", imp_last_error());
  return 1;
}


static const luaL_Reg methods[] = {
    {"clear", draw_clear},       {"world", draw_world},
    {"fill", draw_fill},         {"outline", draw_outline},
    {"polyline", draw_polyline}, {"arrow", draw_arrow},
    {"dot", draw_dot},           {"text", draw_text},
    {"clip", draw_clip},         {"dump", draw_dump},
    {"items", draw_items},       {"bounds", draw_bounds},
    {"layers", draw_layers},     {"bytes", draw_to_bytes},
    {"add", draw_from_bytes},    {"polygon", draw_polygon},
    {"image", draw_image},       {"layer", draw_layer},
    {"sort", draw_sort},         {"percentile", draw_percentile},
    {"tint", draw_tint},         {NULL, NULL},
};


static void push_names(lua_State *L, const char *(*name)(int)) {
  lua_newtable(L);
  for (int i = 0; name(i) != NULL; ++i) {
    lua_pushstring(L, name(i));
    lua_rawseti(L, -2, i + 1);
  }
}


int bind_open_drawing(lua_State *L) {
  if (luaL_newmetatable(L, CLASS)) {
    luaL_newlib(L, methods);
    lua_setfield(L, -2, "__index");
    lua_pushcfunction(L, draw_close);
    lua_setfield(L, -2, "__gc");
    lua_pushcfunction(L, draw_length);
    lua_setfield(L, -2, "__len");
    lua_pushliteral(L, "drawing");
    lua_setfield(L, -2, "__metatable");
  }
  lua_pop(L, 1);
  lua_createtable(L, 0, 4);
  lua_pushcfunction(L, draw_new);
  lua_setfield(L, -2, "new");
  lua_pushcfunction(L, draw_poses_new);
  lua_setfield(L, -2, "poses");
  push_names(L, style_name);
  lua_setfield(L, -2, "styles");
  push_names(L, kind_name);
  lua_setfield(L, -2, "kinds");
  return 1;
}
