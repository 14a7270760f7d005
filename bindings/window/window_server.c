// The connection to the display server. The process survives the end of the server: XSetIOErrorExitHandler (libX11 1.7)
// replaces the handler that would exit by one that returns, and window:poll() reports { type = "lost" }.
#include "window/window_server.h"

#include <dlfcn.h>
#include <locale.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#if defined(__has_include)
#if __has_include(<X11/Xlib.h>)
#include <SDL_syswm.h>
#endif
#endif


// Return whether a driver has no display.
static bool shows_nothing(const char *driver) {
  return strcmp(driver, "dummy") == 0 || strcmp(driver, "offscreen") == 0 || strcmp(driver, "evdev") == 0;
}


static bool is_set(const char *name) {
  const char *value = getenv(name);
  return value != NULL && *value != '\0';
}


// Return the only SDL drivers to try, from the environment. Null: SDL chooses.
static const char *drivers_of_environment(void) {
#ifdef __APPLE__
  return NULL;
#else
  bool x = is_set("DISPLAY"), wayland = is_set("WAYLAND_DISPLAY");
  return x && wayland ? "x11,wayland" : x ? "x11" : wayland ? "wayland" : "";
#endif
}


static const char *no_display(lua_State *L, const char *drivers, const char *error) {
  if (is_set("SDL_VIDEODRIVER")) {
    return lua_pushfstring(L, "no display: SDL_VIDEODRIVER is '%s': %s", getenv("SDL_VIDEODRIVER"), error);
  }
  if (drivers == NULL) return lua_pushfstring(L, "no display: %s", error);
  if (*drivers == '\0') return lua_pushliteral(L, "no display: neither DISPLAY nor WAYLAND_DISPLAY is set");
  const char *name = strcmp(drivers, "wayland") == 0 ? "WAYLAND_DISPLAY" : "DISPLAY";
  return lua_pushfstring(L, "no display: no display server answers at %s = '%s'", name, getenv(name));
}


const char *server_start(lua_State *L) {
  static const char *const hints[][2] = {
      {SDL_HINT_NO_SIGNAL_HANDLERS, "1"},        // the program handles Ctrl-C itself
      {SDL_HINT_QUIT_ON_LAST_WINDOW_CLOSE, "0"}, // send only one event for a click on the close button
      {SDL_HINT_VIDEO_ALLOW_SCREENSAVER, "1"},   // keep the screen saver on, because a window shows no video
      {SDL_HINT_VIDEO_X11_NET_WM_BYPASS_COMPOSITOR, "0"},
      {SDL_HINT_FRAMEBUFFER_ACCELERATION, "0"}, // copy the software picture to the screen without a texture
      {SDL_HINT_MOUSE_FOCUS_CLICKTHROUGH, "1"},
      {SDL_HINT_ACCELEROMETER_AS_JOYSTICK, "0"},
      {SDL_HINT_APP_NAME, "impel"},
      {"SDL_VIDEO_X11_WMCLASS", "impel"},
  };
  for (size_t i = 0; i < sizeof hints / sizeof *hints; ++i) SDL_SetHint(hints[i][0], hints[i][1]);
  const char *drivers = drivers_of_environment(), *before = setlocale(LC_ALL, NULL);
  if (drivers != NULL && !is_set("SDL_VIDEODRIVER")) {
    if (*drivers == '\0') return no_display(L, drivers, "");
    SDL_SetHint(SDL_HINT_VIDEODRIVER, drivers);
  }
  before = lua_pushstring(L, before != NULL ? before : "C");
  SDL_ClearError();
  int bad = SDL_InitSubSystem(SDL_INIT_VIDEO);
  setlocale(LC_ALL, before); // restore the locale, which SDL has changed for the keyboard
  if (bad != 0) return no_display(L, drivers, SDL_GetError());
  const char *driver = SDL_GetCurrentVideoDriver();
  if (driver != NULL && shows_nothing(driver) && !is_set("SDL_VIDEODRIVER")) {
    SDL_QuitSubSystem(SDL_INIT_VIDEO);
    return no_display(L, NULL, "SDL finds no display");
  }
  return NULL;
}


// ---------------------------------------------------------------------------------------------------------------------
// Loss of the server
// ---------------------------------------------------------------------------------------------------------------------

#ifdef SDL_syswm_h_
#if defined(SDL_VIDEO_DRIVER_X11)
#define HAS_X11 1
#endif
#endif

#ifdef HAS_X11
typedef void ExitHandler(Display *display, void *data);
typedef void SetExitHandler(Display *display, ExitHandler *handler, void *data);
typedef int ErrorHandler(Display *display);
typedef ErrorHandler *SetErrorHandler(ErrorHandler *handler);


static void on_exit_of_server(Display *display, void *data) {
  (void)display;
  *(volatile bool *)data = true;
}


static void ignore_exit(Display *display, void *data) {
  (void)display;
  (void)data;
}


static int be_silent(Display *display) {
  (void)display;
  return 0;
}


static void set_handler(SDL_Window *window, ExitHandler *handler, void *data) {
  SDL_SysWMinfo info;
  SDL_VERSION(&info.version);
  if (!SDL_GetWindowWMInfo(window, &info) || info.subsystem != SDL_SYSWM_X11) return;
  // SDL has loaded libX11; use the functions of that copy.
  void *library = dlopen("libX11.so.6", RTLD_LAZY | RTLD_NOLOAD);
  if (library == NULL) return;
  SetExitHandler *set_exit = NULL;
  SetErrorHandler *set_error = NULL;
  void *symbol = dlsym(library, "XSetIOErrorExitHandler");
  memcpy(&set_exit, &symbol, sizeof set_exit);
  symbol = dlsym(library, "XSetIOErrorHandler");
  memcpy(&set_error, &symbol, sizeof set_error);
  if (set_exit != NULL && set_error != NULL) {
    set_exit(info.info.x11.display, handler, data);
    set_error(be_silent);
  }
  dlclose(library);
}


void server_watch(SDL_Window *window, volatile bool *lost) { set_handler(window, on_exit_of_server, (void *)lost); }


void server_forget(SDL_Window *window) { set_handler(window, ignore_exit, NULL); }

#else

void server_watch(SDL_Window *window, volatile bool *lost) {
  (void)window;
  (void)lost;
}


void server_forget(SDL_Window *window) { (void)window; }

#endif
