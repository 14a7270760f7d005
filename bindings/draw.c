// impel.drawing: the core's draw list for scripts. What paints it (a window, a picture, an SVG) takes a drawing; what
// fills it is a world, and whoever adds primitives of its own.
//
//   local d = drawing.new()
//   d:world(world, { contacts = true })
//   d:fill("scene", 0xff8800ff, 0.1, { 0, 0,  1, 0 })     -- a capsule
//
// Other modules find the list at the head of the userdata of the metatable "impel.drawing".
#include <math.h>
#include <stddef.h>
#include <stdio.h>

#include "bindings.h"
#include "draw_bytes.h"
#include "draw_poses.h"
#include "quota.h"

#define CLASS "impel.drawing"

typedef struct Drawing {
  ImpDrawList *list;
} Drawing;


ImpDrawList *bind_check_drawing(lua_State *L) {
  ImpDrawList *list = ((Drawing *)luaL_checkudata(L, 1, CLASS))->list;
  if (list == NULL) bind_error(L, "attempt to use a drawing that was collected");
  return list;
}


// The core's refusal at the caller's line.
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


// The item with the style and colour that every primitive begins with: arguments 2 and 3.
static ImpDrawItem item_of(lua_State *L, ImpDrawKind kind) {
  const char *call = kind_name((int)kind);
  ImpDrawItem item = {.kind = kind};
  int top = lua_gettop(L);
  item.style = (ImpDrawStyle)bind_choice(L, 2, lua_pushfstring(L, "drawing:%s: argument 'style'", call), style_name);
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


// Points from the flat table of numbers at the index; pushes what holds them.
static const ImpVec2 *points_at(lua_State *L, int index, const char *call, int *out_count) {
  if (!lua_istable(L, index)) {
    bind_error(L, "drawing:%s: argument 'points' must be a table { x1, y1, x2, y2, ... }, got %s", call,
               bind_got(L, index));
  }
  lua_Unsigned length = lua_rawlen(L, index);
  if (length % 2 != 0 || length > INT32_MAX) {
    bind_error(L, "drawing:%s: argument 'points' must hold two numbers a point, got %d", call, (int)length);
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


static int add_area(lua_State *L, ImpDrawKind kind) {
  ImpDrawList *list = bind_check_drawing(L);
  const char *call = kind_name((int)kind);
  ImpDrawItem item = item_of(L, kind);
  item.radius = number_at(L, 4, call, "radius");
  const ImpVec2 *points = points_at(L, 5, call, &item.count);
  check_status(L, imp_draw_add(list, &item, points, NULL), call);
  return 0;
}


// drawing:fill(style, color, radius, points): the convex area of 1, 2 or more points, grown by radius
static int draw_fill(lua_State *L) { return add_area(L, IMP_DRAW_FILL); }


// drawing:outline(style, color, radius, points): its edge
static int draw_outline(lua_State *L) { return add_area(L, IMP_DRAW_OUTLINE); }


// drawing:polyline(style, color, points)
static int draw_polyline(lua_State *L) {
  ImpDrawList *list = bind_check_drawing(L);
  ImpDrawItem item = item_of(L, IMP_DRAW_POLYLINE);
  const ImpVec2 *points = points_at(L, 4, "polyline", &item.count);
  check_status(L, imp_draw_add(list, &item, points, NULL), "polyline");
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
  check_status(L, imp_draw_add(list, &item, points, NULL), "arrow");
  return 0;
}


// drawing:dot(style, color, x, y)
static int draw_dot(lua_State *L) {
  ImpDrawList *list = bind_check_drawing(L);
  ImpDrawItem item = item_of(L, IMP_DRAW_DOT);
  item.count = 1;
  const ImpVec2 point = {number_at(L, 4, "dot", "x"), number_at(L, 5, "dot", "y")};
  check_status(L, imp_draw_add(list, &item, &point, NULL), "dot");
  return 0;
}


// drawing:text(style, color, height, align, x, y, text): height 0 is the style's; align 0 left .. 1 right of the point
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
  check_status(L, imp_draw_add(list, &item, &point, lua_tostring(L, 8)), "text");
  return 0;
}


// drawing:clip(x1, y1, x2, y2); drawing:clip()
static int draw_clip(lua_State *L) {
  ImpDrawList *list = bind_check_drawing(L);
  ImpDrawItem item = {.kind = IMP_DRAW_CLIP, .style = IMP_STYLE_PANEL};
  ImpVec2 points[2] = {{0, 0}, {0, 0}};
  if (lua_gettop(L) > 1) {
    item.count = 2;
    points[0] = (ImpVec2){number_at(L, 2, "clip", "x1"), number_at(L, 3, "clip", "y1")};
    points[1] = (ImpVec2){number_at(L, 4, "clip", "x2"), number_at(L, 5, "clip", "y2")};
  }
  check_status(L, imp_draw_add(list, &item, points, NULL), "clip");
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
    SHOWN(joints, "true by default"),
    SHOWN(contacts, "points where shapes touch"),
    SHOWN(normals, "of contacts"),
    SHOWN(forces, "of contacts, and reactions of joints"),
    SHOWN(rows, "impulses of the rows of joints and constraints"),
    SHOWN(boxes, "around shapes"),
    SHOWN(centers, "of mass"),
    SHOWN(velocities, "of centres of mass"),
    SHOWN(names, "of bodies"),
    SCALE(size, "m", "of the symbols of joints, normals and centres"),
    SCALE(force_scale, "m/N", "length of an arrow"),
    SCALE(impulse_scale, "m/(N s)", "length of an arrow"),
    SCALE(velocity_scale, "s", "length of an arrow"),
    SCALE(longest, "m", "arrows are cut here"),
    {.name = NULL},
};
static const Options world_options = {.fields = world_fields, .scope = "drawing"};


// drawing:world(world [, options [, poses]]): append a picture of the world, with poses at interpolated ones
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
  check_status(L, imp_draw_world(list, box->world, &options), "world");
  return 0;
}


// ---------------------------------------------------------------------------------------------------------------------
// Reading
// ---------------------------------------------------------------------------------------------------------------------

// What an iterator of items holds: the drawing, the reused table and the place, as upvalues.
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


// drawing:items() -> iterator: index, item; the item is one table that is filled anew
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
  snprintf(text, sizeof text, " %.6g", nearbyint(x * 1e6) / 1e6 + 0.0); // no -0, and no last bits
  luaL_addstring(buffer, text);
}


// drawing:dump() -> string: a line for each item, numbers rounded to 1e-6: for people and specs
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


// drawing:bounds() -> x1, y1, x2, y2; nothing where nothing is
static int draw_bounds(lua_State *L) {
  ImpAabb box;
  if (!imp_draw_bounds(bind_check_drawing(L), &box)) return 0;
  lua_pushnumber(L, box.lower.x);
  lua_pushnumber(L, box.lower.y);
  lua_pushnumber(L, box.upper.x);
  lua_pushnumber(L, box.upper.y);
  return 4;
}


// How much of the box an item covers, 0..1, by the box around it; of lines, as if each piece took a fiftieth; of texts, as
// if each took a hundredth, wherever it stands.
static double covered(const ImpDrawItem *item, const ImpVec2 *points, ImpAabb view) {
  if (item->kind == IMP_DRAW_TEXT) return 0.01;
  ImpAabb box = {{HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL}};
  for (int i = item->first; i < item->first + item->count; ++i) {
    box.lower = (ImpVec2){fmin(box.lower.x, points[i].x), fmin(box.lower.y, points[i].y)};
    box.upper = (ImpVec2){fmax(box.upper.x, points[i].x), fmax(box.upper.y, points[i].y)};
  }
  double width = fmin(box.upper.x + item->radius, view.upper.x) - fmax(box.lower.x - item->radius, view.lower.x);
  double height = fmin(box.upper.y + item->radius, view.upper.y) - fmax(box.lower.y - item->radius, view.lower.y);
  if (!(width >= 0 && height >= 0)) return 0;
  if (item->kind == IMP_DRAW_POLYLINE || item->kind == IMP_DRAW_ARROW) return 0.02 * item->count;
  return width * height / ((view.upper.x - view.lower.x) * (view.upper.y - view.lower.y));
}


// drawing:layers(x1, y1, x2, y2) -> how often a point of the box is painted over, at most, on the mean: what it takes
static int draw_layers(lua_State *L) {
  ImpDrawList *list = bind_check_drawing(L);
  const ImpAabb view = {{number_at(L, 2, "layers", "x1"), number_at(L, 3, "layers", "y1")},
                        {number_at(L, 4, "layers", "x2"), number_at(L, 5, "layers", "y2")}};
  int count;
  const ImpDrawItem *items = imp_draw_items(list, &count);
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += covered(&items[i], imp_draw_points(list), view);
  lua_pushnumber(L, sum);
  return 1;
}


// drawing:clear()
static int draw_clear(lua_State *L) {
  imp_draw_clear(bind_check_drawing(L));
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
  drawing->list = NULL;
  luaL_setmetatable(L, CLASS);
  ImpAllocator allocator = bind_allocator();
  if (imp_draw_create(&allocator, &drawing->list) != IMP_OK)
    return bind_error(L, "impel.drawing: %s", imp_last_error());
  return 1;
}


static const luaL_Reg methods[] = {
    {"clear", draw_clear},       {"world", draw_world},    {"fill", draw_fill},      {"outline", draw_outline},
    {"polyline", draw_polyline}, {"arrow", draw_arrow},    {"dot", draw_dot},        {"text", draw_text},
    {"clip", draw_clip},         {"dump", draw_dump},      {"items", draw_items},    {"bounds", draw_bounds},
    {"layers", draw_layers},     {"bytes", draw_to_bytes}, {"add", draw_from_bytes}, {NULL, NULL},
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
