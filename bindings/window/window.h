// What the files of the Lua module impel.window share. Level: above paint.h and lua.h; SDL in window*.c and font.c only.
#ifndef IMPEL_BINDINGS_WINDOW_H
#define IMPEL_BINDINGS_WINDOW_H

#include <lauxlib.h>
#include <lua.h>

#include "picture/paint.h"

#define SURFACE_CLASS "impel.surface"
#define WINDOW_CLASS "impel.window"
#define IMAGE_CLASS "impel.image"

/// The largest side of a picture [px].
enum { LARGEST_SIDE = 16384 };

/// Raise "file:line: call: argument 'name' must be ..., got ...".
int window_argument_error(lua_State *L, int index, const char *call, const char *name, const char *expected);
/// An integer argument within bounds, a colour, a text without zero bytes.
int window_integer(lua_State *L, int index, const char *call, const char *name, int lower, int upper);
uint32_t window_color(lua_State *L, int index, const char *call);
const char *window_text(lua_State *L, int index, const char *call, const char *name);

/// The font that all pictures of this Lua state use.
Font *window_font(lua_State *L);

/// The pictures that drawings name, see window.image.
PaintImages window_images(lua_State *L);

/// Push a new surface.
Raster *surface_push(lua_State *L, int width, int height);
void surface_open(lua_State *L);
/// window.surface, window.decode_png
extern const luaL_Reg surface_functions[];

/// A picture as the bytes of a PNG file, pushed as a string; false with a message pushed.
bool png_encode(lua_State *L, const Raster *raster);
/// window.decode_png(string) -> width, height, rgba | nil, message
int png_decode(lua_State *L);

/// window.open and the methods of windows.
void display_open(lua_State *L);
extern const luaL_Reg display_functions[];

#endif
