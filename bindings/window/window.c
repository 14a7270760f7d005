// impel.window: pictures and windows, which show a drawing through a camera in the colours of a palette.
//   local window = require "impel.window"
//   local s = window.surface(960, 540)
//   s:clear(palette.background):paint(drawing, camera, palette)
//   s:png("picture.png")
#include "window/window_display.h"

int luaopen_impel_window(lua_State *L);


__attribute__((visibility("default"))) int luaopen_impel_window(lua_State *L) {
  luaL_checkversion(L);
  surface_open(L);
  display_open(L);
  resources_open(L);
  lua_newtable(L);
  luaL_setfuncs(L, resource_functions, 0);
  luaL_setfuncs(L, surface_functions, 0);
  luaL_setfuncs(L, display_functions, 0);
  return 1;
}
