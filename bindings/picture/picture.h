// Pictures in the Lua module impel.window: checked arguments, fonts and images by name, surfaces, PNG.
#ifndef IMPEL_BINDINGS_PICTURE_H
#define IMPEL_BINDINGS_PICTURE_H

#include <lauxlib.h>
#include <lua.h>

#include "picture/paint.h"

/// The largest side of a surface [px].
enum { LARGEST_SIDE = 16384 };

/// Raise "file:line: call: argument 'name' must be ..., got ...".
int picture_argument_error(lua_State *L, int index, const char *call, const char *name, const char *expected);
/// Return an integer argument within bounds, a colour, or a text without zero bytes.
int picture_integer(lua_State *L, int index, const char *call, const char *name, int lower, int upper);
uint32_t picture_color(lua_State *L, int index, const char *call);
const char *picture_text(lua_State *L, int index, const char *call, const char *name);

/// Return the font that all pictures of this Lua state use.
Font *picture_font(lua_State *L);

/// Return the lookup of images by name, for paint_list.
PaintImages picture_images(lua_State *L);
void resources_open(lua_State *L);
/// window.font, window.image and the other functions of resources.c
extern const luaL_Reg resource_functions[];

Raster *surface_push(lua_State *L, int width, int height);
void surface_open(lua_State *L);
/// window.surface, window.decode_png
extern const luaL_Reg surface_functions[];

/// Push a picture as the bytes of a PNG file. On failure return false and push a message.
bool png_encode(lua_State *L, const Raster *raster);
/// window.decode_png(string) -> width, height, rgba | nil, message
int png_decode(lua_State *L);

#endif
