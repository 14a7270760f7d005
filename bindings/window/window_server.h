// The display server: whether there is one, and what happens when it goes. Apart from window_display.h, since the headers
// of X have names of their own for windows and fonts.
#ifndef IMPEL_BINDINGS_WINDOW_SERVER_H
#define IMPEL_BINDINGS_WINDOW_SERVER_H

#include <SDL.h>
#include <lua.h>
#include <stdbool.h>

/// Start SDL's video; null, or why not: "no display: ...", pushed.
const char *server_start(lua_State *L);
/// When the display server goes, `lost` becomes true, and the process lives on.
void server_watch(SDL_Window *window, volatile bool *lost);
/// `lost` is not written any more.
void server_forget(SDL_Window *window);

#endif
