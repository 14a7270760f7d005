// Pictures without a window: window.surface(width, height) and its methods.
#include "picture/picture.h"

#include <stdlib.h>
#include <string.h>

#define SURFACE_CLASS "impel.surface"

typedef struct Surface {
  Raster raster; // pixels are null after closing
  Shaper shaper;
} Surface;


static Surface *check_surface(lua_State *L) {
  Surface *surface = luaL_checkudata(L, 1, SURFACE_CLASS);
  if (surface->raster.pixels == NULL) luaL_error(L, "attempt to use a surface that was closed");
  return surface;
}


// surface:close(); a second call does nothing
static int surface_close(lua_State *L) {
  Surface *surface = luaL_checkudata(L, 1, SURFACE_CLASS);
  raster_free(&surface->raster);
  shaper_free(&surface->shaper);
  return 0;
}


Raster *surface_push(lua_State *L, int width, int height) {
  Surface *surface = lua_newuserdatauv(L, sizeof *surface, 0);
  surface->raster = (Raster){0};
  shaper_init(&surface->shaper);
  luaL_setmetatable(L, SURFACE_CLASS);
  if (!raster_init(&surface->raster, width, height)) luaL_error(L, "not enough memory");
  return &surface->raster;
}


// window.surface(width, height) -> surface, transparent
static int surface_new(lua_State *L) {
  int width = picture_integer(L, 1, "window.surface", "width", 1, LARGEST_SIDE);
  int height = picture_integer(L, 2, "window.surface", "height", 1, LARGEST_SIDE);
  surface_push(L, width, height);
  return 1;
}


// surface:clear(color) -> surface
static int surface_clear(lua_State *L) {
  Surface *surface = check_surface(L);
  raster_clear(&surface->raster, picture_color(L, 2, "surface:clear"));
  lua_settop(L, 1);
  return 1;
}


// surface:paint(drawing, camera, palette) -> surface
static int surface_paint(lua_State *L) {
  Surface *surface = check_surface(L);
  const ImpDrawList *list = paint_check_drawing(L, 2);
  Camera camera;
  Palette palette;
  paint_read_camera(L, 3, &camera);
  paint_read_palette(L, 4, camera.scale, &palette);
  Painter painter = raster_painter(&surface->raster);
  PaintImages images = picture_images(L);
  bool whole = paint_list(list, &camera, &palette, picture_font(L), &images, &surface->shaper, &painter);
  if (!whole || surface->raster.failed) {
    surface->raster.failed = false;
    return luaL_error(L, "not enough memory");
  }
  lua_settop(L, 1);
  return 1;
}


// surface:size() -> width, height
static int surface_size(lua_State *L) {
  Surface *surface = check_surface(L);
  lua_pushinteger(L, surface->raster.width);
  lua_pushinteger(L, surface->raster.height);
  return 2;
}


// surface:pixels() -> string of R G B A bytes, row by row from the top; not premultiplied
static int surface_pixels(lua_State *L) {
  Surface *surface = check_surface(L);
  size_t length = 4 * (size_t)surface->raster.width * (size_t)surface->raster.height;
  luaL_Buffer buffer;
  raster_read(&surface->raster, (uint8_t *)luaL_buffinitsize(L, &buffer, length));
  luaL_pushresultsize(&buffer, length);
  return 1;
}


// surface:png() -> string; surface:png(path) -> true | nil, message: the file is replaced completely or left unchanged
static int surface_png(lua_State *L) {
  Surface *surface = check_surface(L);
  const char *path = lua_isnoneornil(L, 2) ? NULL : picture_text(L, 2, "surface:png", "path");
  if (!png_encode(L, &surface->raster)) return lua_error(L);
  if (path == NULL) return 1;
  lua_getglobal(L, "require");
  lua_pushliteral(L, "impel.system");
  lua_call(L, 1, 1);
  lua_getfield(L, -1, "replace");
  lua_pushvalue(L, 2);
  lua_pushvalue(L, -4);
  lua_call(L, 2, 2);
  return lua_isnil(L, -2) ? 2 : (lua_pop(L, 1), 1);
}


static const luaL_Reg surface_methods[] = {
    {"clear", surface_clear}, {"paint", surface_paint}, {"size", surface_size}, {"pixels", surface_pixels},
    {"png", surface_png},     {"close", surface_close}, {NULL, NULL},
};

const luaL_Reg surface_functions[] = {
    {"surface", surface_new},
    {"decode_png", png_decode},
    {NULL, NULL},
};


void surface_open(lua_State *L) {
  luaL_newmetatable(L, SURFACE_CLASS);
  luaL_newlib(L, surface_methods);
  lua_setfield(L, -2, "__index");
  lua_pushcfunction(L, surface_close);
  lua_setfield(L, -2, "__gc");
  lua_pushcfunction(L, surface_close);
  lua_setfield(L, -2, "__close");
  lua_pop(L, 1);
}
