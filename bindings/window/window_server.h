// The connection to the display server. Only window_server.c includes headers of X11.
#ifndef IMPEL_BINDINGS_WINDOW_SERVER_H
#define IMPEL_BINDINGS_WINDOW_SERVER_H

#include <SDL.h>
#include <lua.h>
#include <stdbool.h>

/// Start SDL's video. Return null, or push and return the reason for a failure: "no display: ...".
const char *server_start(lua_State *L);
/// Set `lost` when the display server ends, and keep the process alive.
void server_watch(SDL_Window *window, volatile bool *lost);
/// End server_watch: stop writing to `lost`.
void server_forget(SDL_Window *window);

#endif
