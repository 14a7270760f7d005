// Reads cameras and palettes from tables of numbers.
#include <lauxlib.h>
#include <math.h>
#include <stddef.h>

#include "picture/paint.h"

#define WIDEST 4096.0 // largest width, dot, text size and arrow head of a style [points]


// Push a description of the given value, for a message.
static const char *got(lua_State *L, int index) {
  switch (lua_type(L, index)) {
  case LUA_TNUMBER:
    lua_pushvalue(L, index);
    return lua_tostring(L, -1);
  case LUA_TSTRING:
    return lua_pushfstring(L, "'%s' (string)", lua_tostring(L, index));
  case LUA_TNONE:
  case LUA_TNIL:
    return "nil";
  default:
    return lua_pushfstring(L, "a %s", luaL_typename(L, index));
  }
}


// Return a number of the table at the top of the stack.
static double number_field(lua_State *L, const char *owner, const char *name, double lower, double upper) {
  lua_getfield(L, -1, name);
  double value = lua_tonumber(L, -1);
  if (lua_type(L, -1) != LUA_TNUMBER || !(value >= lower && value <= upper)) {
    luaL_error(L, "%s.%s must be a finite number%s, got %s", owner, name,
               lower == 0  ? " >= 0"
               : lower > 0 ? " > 0"
                           : "",
               got(L, -1));
  }
  lua_pop(L, 1);
  return value;
}


static uint32_t color_field(lua_State *L, const char *owner, const char *name) {
  lua_getfield(L, -1, name);
  int whole = 0;
  lua_Integer value = lua_type(L, -1) == LUA_TNUMBER ? lua_tointegerx(L, -1, &whole) : 0;
  if (!whole || value < 0 || value > 0xFFFFFFFF) {
    luaL_error(L, "%s.%s must be an integer 0xRRGGBBAA, got %s", owner, name, got(L, -1));
  }
  lua_pop(L, 1);
  return (uint32_t)value;
}


void paint_read_camera(lua_State *L, int index, Camera *out) {
  const double least = 1e-300, most = 1e300;
  if (!lua_istable(L, index)) luaL_error(L, "argument 'camera' must be a table, got %s", got(L, index));
  lua_pushvalue(L, index);
  *out = (Camera){
      .x = number_field(L, "camera", "x", -most, most),
      .y = number_field(L, "camera", "y", -most, most),
      .ppm = number_field(L, "camera", "ppm", least, most),
      .width_px = number_field(L, "camera", "width_px", 0, 1e9),
      .height_px = number_field(L, "camera", "height_px", 0, 1e9),
      .scale = number_field(L, "camera", "scale", least, 1e3),
      .c = 1,
  };
  bool turned = lua_getfield(L, -1, "angle") != LUA_TNIL;
  lua_pop(L, 1);
  if (turned) {
    double angle = number_field(L, "camera", "angle", -IMP_MAX_ANGLE, IMP_MAX_ANGLE);
    out->c = imp_cos(angle);
    out->s = imp_sin(angle);
  }
  lua_getfield(L, -1, "down");
  out->down = lua_toboolean(L, -1);
  lua_pop(L, 2);
}


void paint_read_palette(lua_State *L, int index, double scale, Palette *out) {
  if (!lua_istable(L, index)) luaL_error(L, "argument 'palette' must be a table, got %s", got(L, index));
  lua_pushvalue(L, index);
  out->background = color_field(L, "palette", "background");
  lua_getfield(L, -1, "styles");
  if (!lua_istable(L, -1)) luaL_error(L, "palette.styles must be a table, got %s", got(L, -1));
  for (int i = 0; i < IMP_STYLE_COUNT; ++i) {
    const char *name = imp_draw_style_name(i);
    lua_getfield(L, -1, name);
    if (!lua_istable(L, -1)) luaL_error(L, "palette.styles.%s must be a table, got %s", name, got(L, -1));
    const char *owner = lua_pushfstring(L, "palette.styles.%s", name);
    lua_insert(L, -2);
    out->styles[i] = (PaintStyle){
        .fill = color_field(L, owner, "fill"),
        .line = color_field(L, owner, "line"),
        .width = scale * number_field(L, owner, "width", 0, WIDEST),
        .dot = scale * number_field(L, owner, "dot", 0, WIDEST),
        .text = scale * number_field(L, owner, "text", 0, WIDEST),
        .head = scale * number_field(L, owner, "head", 0, WIDEST),
    };
    lua_pop(L, 2);
  }
  lua_pop(L, 2);
}


const ImpDrawList *paint_check_drawing(lua_State *L, int index) {
  ImpDrawList *const *drawing = luaL_testudata(L, index, "impel.drawing");
  if (drawing == NULL) luaL_error(L, "argument 'drawing' must be a drawing, got %s", got(L, index));
  if (*drawing == NULL) luaL_error(L, "attempt to paint a drawing that was garbage-collected");
  return *drawing;
}
