// Windows: open, paint, present, close. Without an accelerated renderer, a picture is painted and copied.
#include "window/window_display.h"
#include "window/window_server.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WINDOW_CLASS "impel.window"
#define OPEN_KEY "impel.open_window" // registry key: address of the open window, or "lost"


Window *check_window(lua_State *L, int index) {
  Window *window = luaL_checkudata(L, index, WINDOW_CLASS);
  if (window->window == NULL) luaL_error(L, "attempt to use a window that was closed");
  return window;
}


// ---------------------------------------------------------------------------------------------------------------------
// Opening and closing
// ---------------------------------------------------------------------------------------------------------------------

typedef struct Settings {
  const char *title;
  int width, height;
  bool software, hidden;
} Settings;


static void read_settings(lua_State *L, Settings *out) {
  *out = (Settings){.title = "impel", .width = 1280, .height = 720};
  if (lua_isnoneornil(L, 1)) return;
  if (!lua_istable(L, 1)) picture_argument_error(L, 1, "window.open", "options", "a table");
  for (lua_pushnil(L); lua_next(L, 1) != 0; lua_pop(L, 1)) {
    const char *key = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "?";
    if (strcmp(key, "title") == 0) {
      out->title = picture_text(L, lua_gettop(L), "window.open", "title");
    } else if (strcmp(key, "width") == 0) {
      out->width = picture_integer(L, lua_gettop(L), "window.open", "width", 1, LARGEST_SIDE);
    } else if (strcmp(key, "height") == 0) {
      out->height = picture_integer(L, lua_gettop(L), "window.open", "height", 1, LARGEST_SIDE);
    } else if (strcmp(key, "software") == 0) {
      out->software = lua_toboolean(L, -1);
    } else if (strcmp(key, "hidden") == 0) {
      out->hidden = lua_toboolean(L, -1);
    } else {
      luaL_error(L, "window.open: unknown option '%s'; the options are title, width, height, software, hidden", key);
    }
  }
}


// Return whether OpenGL runs on the processor. Such a renderer is slower than the painter of picture/.
static bool is_software(SDL_Renderer *renderer) {
  typedef const unsigned char *GetString(unsigned name);
  SDL_RendererInfo info;
  if (SDL_GetRendererInfo(renderer, &info) != 0 || (info.flags & SDL_RENDERER_SOFTWARE) != 0) return true;
  if (strncmp(info.name, "opengl", 6) != 0) return false;
  GetString *get_string = NULL;
  void *symbol = SDL_GL_GetProcAddress("glGetString");
  memcpy(&get_string, &symbol, sizeof get_string);
  const char *name = get_string != NULL ? (const char *)get_string(0x1F01) : NULL; // GL_RENDERER
  return name != NULL && (strstr(name, "llvmpipe") != NULL || strstr(name, "softpipe") != NULL);
}


// Use a renderer if it is hardware-accelerated, or if the user chose the renderer by SDL_RENDER_DRIVER.
static void make_renderer(lua_State *L, Window *window) {
  const char *named = SDL_getenv("SDL_RENDER_DRIVER");
  bool wanted = named != NULL && *named != '\0';
  SDL_Renderer *renderer = SDL_CreateRenderer(window->window, -1, SDL_RENDERER_ACCELERATED | SDL_RENDERER_PRESENTVSYNC);
  if (renderer == NULL && wanted) renderer = SDL_CreateRenderer(window->window, -1, 0);
  if (renderer != NULL && !wanted && is_software(renderer)) {
    SDL_DestroyRenderer(renderer);
    renderer = NULL;
  }
  if (renderer == NULL) return;
  window->renderer = renderer;
  SDL_SetRenderDrawBlendMode(renderer, SDL_BLENDMODE_BLEND);
  geometry_init(&window->geometry, renderer, picture_font(L));
}


// window:close(); a second call does nothing
// Frees nothing if the server is lost, because SDL would wait forever.
static int close_window(lua_State *L) {
  Window *window = luaL_checkudata(L, 1, WINDOW_CLASS);
  if (window->window == NULL) return 0;
  raster_free(&window->raster);
  shaper_free(&window->shaper);
  server_forget(window->window);
  if (window->lost) {
    window->geometry.atlas = NULL;
    window->geometry.image_count = 0;
    geometry_free(&window->geometry);
  } else {
    geometry_free(&window->geometry);
    if (window->renderer != NULL) SDL_DestroyRenderer(window->renderer);
    events_stop();
    SDL_DestroyWindow(window->window);
    SDL_QuitSubSystem(SDL_INIT_VIDEO);
  }
  window->window = NULL;
  window->renderer = NULL;
  if (window->lost) {
    lua_pushliteral(L, "lost");
  } else {
    lua_pushnil(L);
  }
  lua_setfield(L, LUA_REGISTRYINDEX, OPEN_KEY);
  return 0;
}


// window.open { title, width, height, software = false, hidden = false } -> window; or nil, message
// width, height: in points; `software`: without the graphics card. Only one window can be open at a time.
static int open_window(lua_State *L) {
  Settings settings;
  read_settings(L, &settings);
  lua_getfield(L, LUA_REGISTRYINDEX, OPEN_KEY);
  if (lua_islightuserdata(L, -1)) return luaL_error(L, "window.open: a window is open already; close it first");
  if (!lua_isnil(L, -1)) {
    lua_pushnil(L);
    lua_pushliteral(L, "no display: the display server ended while a window was open");
    return 2;
  }
  picture_font(L);
  Window *window = lua_newuserdatauv(L, sizeof *window, 0);
  int place = lua_gettop(L);
  *window = (Window){0};
  luaL_setmetatable(L, WINDOW_CLASS);
  const char *why = server_start(L);
  if (why == NULL) {
    Uint32 flags = SDL_WINDOW_RESIZABLE | SDL_WINDOW_ALLOW_HIGHDPI | (settings.hidden ? SDL_WINDOW_HIDDEN : 0u);
    window->window = SDL_CreateWindow(settings.title, SDL_WINDOWPOS_UNDEFINED, SDL_WINDOWPOS_UNDEFINED, settings.width,
                                      settings.height, flags);
    if (window->window == NULL) {
      why = lua_pushfstring(L, "cannot open a window: %s", SDL_GetError());
      SDL_QuitSubSystem(SDL_INIT_VIDEO);
    }
  }
  if (why != NULL) {
    lua_pushnil(L);
    lua_pushstring(L, why);
    return 2;
  }
  lua_pushlightuserdata(L, window); // store only the address, so that the window can be collected
  lua_setfield(L, LUA_REGISTRYINDEX, OPEN_KEY);
  shaper_init(&window->shaper);
  server_watch(window->window, &window->lost);
  if (!settings.software) make_renderer(L, window);
  events_start();
  lua_settop(L, place);
  return 1;
}


// ---------------------------------------------------------------------------------------------------------------------
// Painting
// ---------------------------------------------------------------------------------------------------------------------

// Get the size of the output [device pixels]; 0 without output, as for a minimized window.
static void output_size(Window *window, int *out_width, int *out_height) {
  *out_width = *out_height = 0;
  if (window->lost) {
    *out_width = window->raster.width;
    *out_height = window->raster.height;
  } else if (window->renderer != NULL) {
    SDL_GetRendererOutputSize(window->renderer, out_width, out_height);
  } else {
    SDL_Surface *surface = SDL_GetWindowSurface(window->window);
    if (surface == NULL) return;
    *out_width = surface->w;
    *out_height = surface->h;
  }
}


// Return the software picture, with the current size of the window.
static Raster *own_picture(lua_State *L, Window *window) {
  int width, height;
  output_size(window, &width, &height);
  if (window->raster.pixels == NULL || width != window->raster.width || height != window->raster.height) {
    raster_free(&window->raster);
    if (!raster_init(&window->raster, width, height)) luaL_error(L, "not enough memory");
  }
  return &window->raster;
}


// window:clear(color) -> window; starts a picture
static int clear_window(lua_State *L) {
  Window *window = check_window(L, 1);
  uint32_t color = picture_color(L, 2, "window:clear");
  if (window->renderer == NULL) {
    raster_clear(own_picture(L, window), color);
  } else if (!window->lost) {
    SDL_RenderSetClipRect(window->renderer, NULL);
    SDL_SetRenderDrawColor(window->renderer, (Uint8)(color >> 24), (Uint8)(color >> 16), (Uint8)(color >> 8), 255);
    SDL_RenderClear(window->renderer);
  }
  window->painted = true;
  lua_settop(L, 1);
  return 1;
}


// window:paint(drawing, camera, palette) -> window
static int paint_window(lua_State *L) {
  Window *window = check_window(L, 1);
  const ImpDrawList *list = paint_check_drawing(L, 2);
  Camera camera;
  Palette palette;
  paint_read_camera(L, 3, &camera);
  paint_read_palette(L, 4, camera.scale, &palette);
  Painter painter;
  if (window->renderer == NULL) {
    painter = raster_painter(own_picture(L, window));
  } else {
    int width, height;
    output_size(window, &width, &height);
    if (window->lost) width = height = 0;
    painter = geometry_painter(&window->geometry, width, height);
  }
  PaintImages images = picture_images(L);
  bool whole = paint_list(list, &camera, &palette, picture_font(L), &images, &window->shaper, &painter);
  if (window->renderer != NULL) geometry_flush(&window->geometry);
  bool failed = window->raster.failed || window->geometry.failed;
  window->raster.failed = window->geometry.failed = false;
  if (!whole || (failed && !window->lost)) return luaL_error(L, "not enough memory to paint the picture");
  window->painted = true;
  lua_settop(L, 1);
  return 1;
}


// Copy pixels, with a fast conversion to B G R X.
static void copy_pixels(const Raster *raster, SDL_Surface *to) {
  Uint32 format = to->format->format;
  bool swapped =
      SDL_BYTEORDER == SDL_LIL_ENDIAN && (format == SDL_PIXELFORMAT_XRGB8888 || format == SDL_PIXELFORMAT_ARGB8888);
  if (!swapped) {
    SDL_ConvertPixels(raster->width, raster->height, SDL_PIXELFORMAT_RGBA32, raster->pixels, raster->width * 4, format,
                      to->pixels, to->pitch);
    return;
  }
  for (int y = 0; y < raster->height; ++y) {
    const uint8_t *from = (const uint8_t *)(raster->pixels + (size_t)y * (size_t)raster->width);
    uint8_t *row = (uint8_t *)to->pixels + (size_t)y * (size_t)to->pitch;
    for (int x = 0; x < raster->width; ++x) {
      row[4 * x] = from[4 * x + 2];
      row[4 * x + 1] = from[4 * x + 1];
      row[4 * x + 2] = from[4 * x];
      row[4 * x + 3] = 255;
    }
  }
}


// window:present() -> window; shows the painted picture
static int present_window(lua_State *L) {
  Window *window = check_window(L, 1);
  lua_settop(L, 1);
  window->painted = false;
  if (window->lost) return 1;
  if (window->renderer != NULL) {
    SDL_RenderPresent(window->renderer);
    return 1;
  }
  SDL_Surface *surface = SDL_GetWindowSurface(window->window);
  // If the window was resized after the painting, show nothing.
  if (surface == NULL || surface->w != window->raster.width || surface->h != window->raster.height) return 1;
  if (SDL_MUSTLOCK(surface)) SDL_LockSurface(surface);
  copy_pixels(&window->raster, surface);
  if (SDL_MUSTLOCK(surface)) SDL_UnlockSurface(surface);
  SDL_UpdateWindowSurface(window->window);
  return 1;
}


// window:screenshot() -> surface; or nil, message. To be called before window:present, after which a renderer discards
// the picture.
static int window_screenshot(lua_State *L) {
  Window *window = check_window(L, 1);
  int width, height;
  output_size(window, &width, &height);
  if (window->renderer == NULL && window->raster.pixels != NULL) {
    width = window->raster.width;
    height = window->raster.height;
  }
  const char *why = width <= 0 || height <= 0  ? "the window has no visible area"
                    : window->renderer == NULL ? NULL
                    : window->lost             ? "the display server has ended"
                    : !window->painted         ? "nothing was painted since the last call of window:present"
                                               : NULL;
  if (why == NULL) {
    Raster *raster = surface_push(L, width, height);
    if (window->renderer == NULL) {
      if (window->raster.pixels != NULL) {
        memcpy(raster->pixels, window->raster.pixels, 4 * (size_t)width * (size_t)height);
      }
      return 1;
    }
    SDL_RenderSetClipRect(window->renderer, NULL);
    if (SDL_RenderReadPixels(window->renderer, NULL, SDL_PIXELFORMAT_RGBA32, raster->pixels, 4 * width) == 0) return 1;
    why = SDL_GetError();
  }
  lua_pushnil(L);
  lua_pushfstring(L, "cannot take a screenshot: %s", why);
  return 2;
}


// ---------------------------------------------------------------------------------------------------------------------
// Properties of a window
// ---------------------------------------------------------------------------------------------------------------------

// window:size() -> width, height [points], device pixels per point
static int window_size(lua_State *L) {
  Window *window = check_window(L, 1);
  int width, height, width_px, height_px;
  SDL_GetWindowSize(window->window, &width, &height);
  output_size(window, &width_px, &height_px);
  lua_pushinteger(L, width);
  lua_pushinteger(L, height);
  lua_pushnumber(L, width > 0 && width_px > 0 && !window->lost ? (double)width_px / width : 1);
  return 3;
}


// window:resize(width, height) -> window; in points, at least 1
static int resize_window(lua_State *L) {
  Window *window = check_window(L, 1);
  int width = picture_integer(L, 2, "window:resize", "width", 0, LARGEST_SIDE);
  int height = picture_integer(L, 3, "window:resize", "height", 0, LARGEST_SIDE);
  if (!window->lost) SDL_SetWindowSize(window->window, width > 0 ? width : 1, height > 0 ? height : 1);
  lua_settop(L, 1);
  return 1;
}


// window:position() -> x, y of the window's top left corner on the desktop
static int window_position(lua_State *L) {
  int x, y;
  SDL_GetWindowPosition(check_window(L, 1)->window, &x, &y);
  lua_pushinteger(L, x);
  lua_pushinteger(L, y);
  return 2;
}


// window:move(x, y) -> window
static int move_window(lua_State *L) {
  Window *window = check_window(L, 1);
  int x = picture_integer(L, 2, "window:move", "x", -LARGEST_SIDE, LARGEST_SIDE);
  int y = picture_integer(L, 3, "window:move", "y", -LARGEST_SIDE, LARGEST_SIDE);
  if (!window->lost) SDL_SetWindowPosition(window->window, x, y);
  lua_settop(L, 1);
  return 1;
}


// window:fullscreen([on]) -> whether the window fills the screen
static int fullscreen(lua_State *L) {
  Window *window = check_window(L, 1);
  if (!lua_isnone(L, 2) && !window->lost) {
    luaL_checktype(L, 2, LUA_TBOOLEAN);
    SDL_SetWindowFullscreen(window->window, lua_toboolean(L, 2) ? SDL_WINDOW_FULLSCREEN_DESKTOP : 0);
  }
  lua_pushboolean(L, (SDL_GetWindowFlags(window->window) & SDL_WINDOW_FULLSCREEN_DESKTOP) != 0);
  return 1;
}


// window:set_title(text) -> window
static int set_title(lua_State *L) {
  Window *window = check_window(L, 1);
  const char *title = picture_text(L, 2, "window:set_title", "text");
  if (!window->lost) SDL_SetWindowTitle(window->window, title);
  lua_settop(L, 1);
  return 1;
}


// window:clipboard(text) -> true; or nil, message.  window:clipboard() -> text
static int window_clipboard(lua_State *L) {
  Window *window = check_window(L, 1);
  if (lua_isnoneornil(L, 2)) {
    char *text = window->lost ? NULL : SDL_GetClipboardText();
    lua_pushstring(L, text != NULL ? text : "");
    SDL_free(text);
    return 1;
  }
  const char *text = picture_text(L, 2, "window:clipboard", "text");
  if (!window->lost && SDL_SetClipboardText(text) == 0) {
    lua_pushboolean(L, 1);
    return 1;
  }
  lua_pushnil(L);
  lua_pushfstring(L, "cannot set the clipboard: %s", window->lost ? "the display server has ended" : SDL_GetError());
  return 2;
}


// window:driver() -> "x11", "wayland", ...; the renderer: "opengl", ..., "software"
static int window_driver(lua_State *L) {
  Window *window = check_window(L, 1);
  const char *driver = SDL_GetCurrentVideoDriver();
  SDL_RendererInfo info = {.name = "software"};
  if (window->renderer != NULL) SDL_GetRendererInfo(window->renderer, &info);
  lua_pushstring(L, driver != NULL ? driver : "none");
  lua_pushstring(L, info.name);
  return 2;
}


static const luaL_Reg window_methods[] = {
    {"poll", window_poll},
    {"wait", window_wait},
    {"push", window_push},
    {"clear", clear_window},
    {"paint", paint_window},
    {"present", present_window},
    {"screenshot", window_screenshot},
    {"size", window_size},
    {"resize", resize_window},
    {"position", window_position},
    {"move", move_window},
    {"fullscreen", fullscreen},
    {"rumble", window_rumble},
    {"set_title", set_title},
    {"clipboard", window_clipboard},
    {"driver", window_driver},
    {"close", close_window},
    {NULL, NULL},
};

const luaL_Reg display_functions[] = {
    {"open", open_window},
    {NULL, NULL},
};


void display_open(lua_State *L) {
  luaL_newmetatable(L, WINDOW_CLASS);
  luaL_newlib(L, window_methods);
  lua_setfield(L, -2, "__index");
  lua_pushcfunction(L, close_window);
  lua_setfield(L, -2, "__gc");
  lua_pushcfunction(L, close_window);
  lua_setfield(L, -2, "__close");
  lua_pop(L, 1);
}
