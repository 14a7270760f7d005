// Checked arguments of the functions of impel.window.
#include "picture/picture.h"

#include <stdio.h>


int picture_argument_error(lua_State *L, int index, const char *call, const char *name, const char *expected) {
  const char *got = luaL_typename(L, index);
  if (lua_type(L, index) == LUA_TNUMBER || lua_type(L, index) == LUA_TSTRING) {
    lua_pushvalue(L, index);
    got = lua_tostring(L, -1);
  }
  return luaL_error(L, "%s: argument '%s' must be %s, got %s", call, name, expected, got);
}


int picture_integer(lua_State *L, int index, const char *call, const char *name, int lower, int upper) {
  int whole = 0;
  lua_Integer value = lua_type(L, index) == LUA_TNUMBER ? lua_tointegerx(L, index, &whole) : 0;
  if (!whole || value < lower || value > upper) {
    char expected[64];
    snprintf(expected, sizeof expected, "an integer in [%d, %d]", lower, upper);
    picture_argument_error(L, index, call, name, expected);
  }
  return (int)value;
}


uint32_t picture_color(lua_State *L, int index, const char *call) {
  int whole = 0;
  lua_Integer value = lua_type(L, index) == LUA_TNUMBER ? lua_tointegerx(L, index, &whole) : 0;
  if (!whole || value < 0 || value > 0xFFFFFFFF) {
    picture_argument_error(L, index, call, "color", "an integer 0xRRGGBBAA");
  }
  return (uint32_t)value;
}


const char *picture_text(lua_State *L, int index, const char *call, const char *name) {
  size_t length = 0;
  const char *text = lua_type(L, index) == LUA_TSTRING ? lua_tolstring(L, index, &length) : NULL;
  for (size_t i = 0; i < length; ++i) {
    if (text[i] == '\0') text = NULL, length = 0;
  }
  if (text == NULL) picture_argument_error(L, index, call, name, "a string without zero bytes");
  return text;
}
