// impel.window: pictures and windows, the only module that knows SDL2. A picture needs no display; what fills both is a
// drawing (impel.drawing), seen through a camera (impel.camera) in the colours of a palette (impel.palette).
//
//   local window = require "impel.window"
//   local s = window.surface(960, 540)
//   s:clear(palette.background):paint(drawing, camera, palette)
//   s:png("picture.png")
#include "window.h"

#include <stdio.h>

#define FONT_KEY "impel.font"

int luaopen_impel_window(lua_State *L);


// ---------------------------------------------------------------------------------------------------------------------
// Arguments
// ---------------------------------------------------------------------------------------------------------------------

int window_argument_error(lua_State *L, int index, const char *call, const char *name, const char *expected) {
  const char *got = luaL_typename(L, index);
  if (lua_type(L, index) == LUA_TNUMBER || lua_type(L, index) == LUA_TSTRING) {
    lua_pushvalue(L, index);
    got = lua_tostring(L, -1);
  }
  return luaL_error(L, "%s: argument '%s' must be %s, got %s", call, name, expected, got);
}


int window_integer(lua_State *L, int index, const char *call, const char *name, int lower, int upper) {
  int whole = 0;
  lua_Integer value = lua_type(L, index) == LUA_TNUMBER ? lua_tointegerx(L, index, &whole) : 0;
  if (!whole || value < lower || value > upper) {
    char expected[64];
    snprintf(expected, sizeof expected, "an integer in [%d, %d]", lower, upper);
    window_argument_error(L, index, call, name, expected);
  }
  return (int)value;
}


uint32_t window_color(lua_State *L, int index, const char *call) {
  int whole = 0;
  lua_Integer value = lua_type(L, index) == LUA_TNUMBER ? lua_tointegerx(L, index, &whole) : 0;
  if (!whole || value < 0 || value > 0xFFFFFFFF) {
    window_argument_error(L, index, call, "color", "an integer 0xRRGGBBAA");
  }
  return (uint32_t)value;
}


const char *window_text(lua_State *L, int index, const char *call, const char *name) {
  size_t length = 0;
  const char *text = lua_type(L, index) == LUA_TSTRING ? lua_tolstring(L, index, &length) : NULL;
  for (size_t i = 0; i < length; ++i) {
    if (text[i] == '\0') text = NULL, length = 0;
  }
  if (text == NULL) window_argument_error(L, index, call, name, "a string without zero bytes");
  return text;
}


// ---------------------------------------------------------------------------------------------------------------------
// Fonts
// ---------------------------------------------------------------------------------------------------------------------

static int collect_font(lua_State *L) {
  Font **font = lua_touserdata(L, 1);
  font_destroy(*font);
  *font = NULL;
  return 0;
}


Font *window_font(lua_State *L) {
  lua_getfield(L, LUA_REGISTRYINDEX, FONT_KEY);
  Font **font = lua_touserdata(L, -1);
  lua_pop(L, 1);
  if (*font == NULL) {
    *font = font_create();
    if (*font == NULL) luaL_error(L, "not enough memory");
    font_load_default(*font);
  }
  return *font;
}


// window.font() -> name of the font in use: "DejaVu Sans", or "bitmap" where that is not found
static int get_font(lua_State *L) {
  lua_pushstring(L, font_name(window_font(L)));
  return 1;
}


// window.use_font([path]) -> name; or nil, message and the font stays
// "bitmap" is the built-in font, the same on every machine; without a path the font of the start is used again.
static int use_font(lua_State *L) {
  Font *font = window_font(L);
  const char *path = lua_isnoneornil(L, 1) ? NULL : window_text(L, 1, "window.use_font", "path"), *why = "";
  if (path == NULL) {
    font_load_default(font);
  } else {
    lua_pushliteral(L, "bitmap");
    bool built_in = lua_rawequal(L, 1, -1);
    if (!font_load(font, built_in ? NULL : path, &why)) {
      lua_pushnil(L);
      lua_pushfstring(L, "cannot use font %s: %s", path, why);
      return 2;
    }
  }
  return get_font(L);
}


// window.text_size(text, size) -> width, height of the line [px]; size is that of the font [px]
static int text_size(lua_State *L) {
  const char *text = window_text(L, 1, "window.text_size", "text");
  double size = lua_tonumber(L, 2);
  if (lua_type(L, 2) != LUA_TNUMBER || !(size > 0)) {
    return window_argument_error(L, 2, "window.text_size", "size", "a number > 0 [px]");
  }
  int whole = size < FONT_SMALLEST ? FONT_SMALLEST : size > FONT_LARGEST ? FONT_LARGEST : (int)(size + 0.5);
  int above, below;
  Font *font = window_font(L);
  font_heights(font, whole, &above, &below);
  lua_pushinteger(L, font_width(font, whole, text));
  lua_pushinteger(L, above + below);
  return 2;
}


static const luaL_Reg window_functions[] = {
    {"font", get_font},
    {"use_font", use_font},
    {"text_size", text_size},
    {NULL, NULL},
};


__attribute__((visibility("default"))) int luaopen_impel_window(lua_State *L) {
  luaL_checkversion(L);
  surface_open(L);
  display_open(L);
  Font **font = lua_newuserdatauv(L, sizeof(Font *), 0);
  *font = NULL;
  lua_newtable(L);
  lua_pushcfunction(L, collect_font);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);
  lua_setfield(L, LUA_REGISTRYINDEX, FONT_KEY);
  luaL_newlib(L, window_functions);
  luaL_setfuncs(L, surface_functions, 0);
  luaL_setfuncs(L, display_functions, 0);
  return 1;
}
