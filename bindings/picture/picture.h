// Pictures as the Lua module impel.window has them: checked arguments, fonts and images by name, surfaces, PNG.
#ifndef IMPEL_BINDINGS_PICTURE_H
#define IMPEL_BINDINGS_PICTURE_H

#include <lauxlib.h>
#include <lua.h>

#include "picture/paint.h"

/// The largest side of a picture [px].
enum { LARGEST_SIDE = 16384 };

/// Raise "file:line: call: argument 'name' must be ..., got ...".
int picture_argument_error(lua_State *L, int index, const char *call, const char *name, const char *expected);
/// An integer argument within bounds, a colour, a text without zero bytes.
int picture_integer(lua_State *L, int index, const char *call, const char *name, int lower, int upper);
uint32_t picture_color(lua_State *L, int index, const char *call);
const char *picture_text(lua_State *L, int index, const char *call, const char *name);

/// The font that all pictures of this Lua state use.
Font *picture_font(lua_State *L);

/// The pictures that drawings name, see window.image.
PaintImages picture_images(lua_State *L);
void resources_open(lua_State *L);
/// window.font, window.image and the others of resources.c
extern const luaL_Reg resource_functions[];

/// Push a new surface.
Raster *surface_push(lua_State *L, int width, int height);
void surface_open(lua_State *L);
/// window.surface, window.decode_png
extern const luaL_Reg surface_functions[];

/// A picture as the bytes of a PNG file, pushed as a string; false with a message pushed.
bool png_encode(lua_State *L, const Raster *raster);
/// window.decode_png(string) -> width, height, rgba | nil, message
int png_decode(lua_State *L);

#endif
