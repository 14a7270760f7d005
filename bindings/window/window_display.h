// A window as C sees it, for window_display.c and window_events.c.
#ifndef IMPEL_BINDINGS_WINDOW_DISPLAY_H
#define IMPEL_BINDINGS_WINDOW_DISPLAY_H

#include "picture/picture.h"
#include "window/window_geometry.h"

typedef struct Window {
  SDL_Window *window;     ///< null once closed
  SDL_Renderer *renderer; ///< null: the pictures are painted by us and shown by SDL as they are
  Geometry geometry;      ///< used with a renderer
  Raster raster;          ///< used without one
  Shaper shaper;
  bool painted;       ///< since the last present
  volatile bool lost; ///< the display server is gone: nothing is shown any more, and nothing comes
} Window;

/// window.open and the methods of windows.
void display_open(lua_State *L);
extern const luaL_Reg display_functions[];

/// The window at a stack index; raises when it is none or closed.
Window *check_window(lua_State *L, int index);

/// window:poll, window:wait, window:push
int window_poll(lua_State *L);
int window_wait(lua_State *L);
int window_push(lua_State *L);
int window_rumble(lua_State *L);
/// Open or close the controllers that are there; new ones open themselves as their events come.
void events_start(void);
void events_stop(void);

#endif
