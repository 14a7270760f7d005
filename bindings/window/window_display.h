// The C struct of a window, for window_display.c and window_events.c.
#ifndef IMPEL_BINDINGS_WINDOW_DISPLAY_H
#define IMPEL_BINDINGS_WINDOW_DISPLAY_H

#include "picture/picture.h"
#include "window/window_geometry.h"

typedef struct Window {
  SDL_Window *window;     ///< null after closing
  SDL_Renderer *renderer; ///< null: software mode, the picture is painted into `raster` and copied to the window
  Geometry geometry;      ///< used with a renderer
  Raster raster;          ///< used without a renderer
  Shaper shaper;
  bool painted;       ///< something was painted since the last window:present
  volatile bool lost; ///< the display server is gone: nothing is shown, and no events come
} Window;

/// window.open and the methods of windows.
void display_open(lua_State *L);
extern const luaL_Reg display_functions[];

/// Return the window at a stack index; raise for other values and for a closed window.
Window *check_window(lua_State *L, int index);

/// window:poll, window:wait, window:push
int window_poll(lua_State *L);
int window_wait(lua_State *L);
int window_push(lua_State *L);
int window_rumble(lua_State *L);
/// Start events of controllers, text and dropped files; a controller is opened when its event arrives.
void events_start(void);
void events_stop(void);

#endif
