// Events as Lua tables, from and to SDL's queue, in points of the window, y down.
// window:push(event) accepts what window:poll() returns.
#include "window/window_display.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { AXIS_MOST = 32767, NAME_ROOM = 64 };

static const char *const buttons[] = {[SDL_BUTTON_LEFT] = "left",
                                      [SDL_BUTTON_MIDDLE] = "middle",
                                      [SDL_BUTTON_RIGHT] = "right",
                                      [SDL_BUTTON_X1] = "back",
                                      [SDL_BUTTON_X2] = "forward"};
enum { BUTTONS = sizeof buttons / sizeof *buttons };

// impel's names for SDL_GameControllerAxis.
static const char *const axes[SDL_CONTROLLER_AXIS_MAX] = {
    [SDL_CONTROLLER_AXIS_LEFTX] = "left_x",
    [SDL_CONTROLLER_AXIS_LEFTY] = "left_y",
    [SDL_CONTROLLER_AXIS_RIGHTX] = "right_x",
    [SDL_CONTROLLER_AXIS_RIGHTY] = "right_y",
    [SDL_CONTROLLER_AXIS_TRIGGERLEFT] = "left_trigger",
    [SDL_CONTROLLER_AXIS_TRIGGERRIGHT] = "right_trigger",
};


// ---------------------------------------------------------------------------------------------------------------------
// Controllers
// ---------------------------------------------------------------------------------------------------------------------

// A connected controller sends an event, which opens the controller.
void events_start(void) {
  if (SDL_InitSubSystem(SDL_INIT_GAMECONTROLLER) == 0) SDL_GameControllerEventState(SDL_ENABLE);
  SDL_EventState(SDL_DROPFILE, SDL_ENABLE);
  SDL_StartTextInput();
}


void events_stop(void) {
  if (SDL_WasInit(SDL_INIT_GAMECONTROLLER) == 0) return;
  for (int i = SDL_NumJoysticks() - 1; i >= 0; --i) {
    SDL_GameController *pad = SDL_GameControllerFromInstanceID(SDL_JoystickGetDeviceInstanceID(i));
    if (pad != NULL) SDL_GameControllerClose(pad);
  }
  SDL_QuitSubSystem(SDL_INIT_GAMECONTROLLER);
}


// ---------------------------------------------------------------------------------------------------------------------
// From SDL: the functions set fields of the event's table, which is at the top of the stack
// ---------------------------------------------------------------------------------------------------------------------

static void set_text(lua_State *L, const char *name, const char *value) {
  lua_pushstring(L, value);
  lua_setfield(L, -2, name);
}


static void set_number(lua_State *L, const char *name, double value) {
  lua_pushnumber(L, value);
  lua_setfield(L, -2, name);
}


static void set_integer(lua_State *L, const char *name, lua_Integer value) {
  lua_pushinteger(L, value);
  lua_setfield(L, -2, name);
}


static void set_flag(lua_State *L, const char *name, bool value) {
  lua_pushboolean(L, value);
  lua_setfield(L, -2, name);
}


static void begin(lua_State *L, const char *type) {
  lua_createtable(L, 0, 8);
  set_text(L, "type", type);
}


static void set_modifiers(lua_State *L, SDL_Keymod modifiers) {
  set_flag(L, "shift", (modifiers & KMOD_SHIFT) != 0);
  set_flag(L, "ctrl", (modifiers & KMOD_CTRL) != 0);
  set_flag(L, "alt", (modifiers & KMOD_ALT) != 0);
  set_flag(L, "super", (modifiers & KMOD_GUI) != 0);
}


// Set a field to SDL's key name in lower case, with '_' for ' '.
static void set_key_name(lua_State *L, const char *field, const char *text) {
  char out[NAME_ROOM];
  size_t i = 0;
  for (; text[i] != '\0' && i + 1 < NAME_ROOM; ++i) {
    out[i] = text[i] >= 'A' && text[i] <= 'Z' ? (char)(text[i] - 'A' + 'a') : text[i] == ' ' ? '_' : text[i];
  }
  out[i] = '\0';
  set_text(L, field, i > 0 ? out : "unknown");
}


static bool key_event(lua_State *L, const SDL_Event *event) {
  begin(L, "key");
  set_key_name(L, "key", SDL_GetKeyName(event->key.keysym.sym));
  set_key_name(L, "scancode", SDL_GetScancodeName(event->key.keysym.scancode));
  set_flag(L, "down", event->type == SDL_KEYDOWN);
  set_flag(L, "repeated", event->key.repeat != 0);
  set_modifiers(L, (SDL_Keymod)event->key.keysym.mod);
  return true;
}


static bool button_event(lua_State *L, const SDL_Event *event) {
  if (event->button.button >= BUTTONS || buttons[event->button.button] == NULL) return false;
  begin(L, event->type == SDL_MOUSEBUTTONDOWN ? "mouse_down" : "mouse_up");
  set_text(L, "button", buttons[event->button.button]);
  set_integer(L, "x", event->button.x);
  set_integer(L, "y", event->button.y);
  set_integer(L, "clicks", event->button.clicks);
  set_modifiers(L, SDL_GetModState());
  return true;
}


static bool motion_event(lua_State *L, const SDL_Event *event) {
  begin(L, "mouse_move");
  set_integer(L, "x", event->motion.x);
  set_integer(L, "y", event->motion.y);
  set_integer(L, "dx", event->motion.xrel);
  set_integer(L, "dy", event->motion.yrel);
  return true;
}


// Fingers on a touch screen; SDL also reports the first as the mouse.
static bool finger_event(lua_State *L, const Window *window, const SDL_Event *event) {
  int width, height;
  SDL_GetWindowSize(window->window, &width, &height);
  begin(L, event->type == SDL_FINGERDOWN ? "touch_down" : event->type == SDL_FINGERUP ? "touch_up" : "touch_move");
  set_integer(L, "finger", (lua_Integer)event->tfinger.fingerId);
  set_number(L, "x", (double)event->tfinger.x * width);
  set_number(L, "y", (double)event->tfinger.y * height);
  return true;
}


// dy > 0: the wheel turns away from the user
static bool wheel_event(lua_State *L, const SDL_Event *event) {
  double sign = event->wheel.direction == SDL_MOUSEWHEEL_FLIPPED ? -1 : 1;
  begin(L, "wheel");
  set_integer(L, "x", event->wheel.mouseX);
  set_integer(L, "y", event->wheel.mouseY);
  set_number(L, "dx", sign * (double)event->wheel.preciseX);
  set_number(L, "dy", sign * (double)event->wheel.preciseY);
  set_modifiers(L, SDL_GetModState());
  return true;
}


static bool window_event(lua_State *L, Window *window, const SDL_Event *event) {
  switch (event->window.event) {
  case SDL_WINDOWEVENT_SIZE_CHANGED:
    begin(L, "resize");
    set_integer(L, "width", event->window.data1);
    set_integer(L, "height", event->window.data2);
    return true;
  case SDL_WINDOWEVENT_CLOSE:
    begin(L, "close");
    return true;
  case SDL_WINDOWEVENT_FOCUS_GAINED:
  case SDL_WINDOWEVENT_FOCUS_LOST:
    begin(L, "focus");
    set_flag(L, "gained", event->window.event == SDL_WINDOWEVENT_FOCUS_GAINED);
    return true;
  case SDL_WINDOWEVENT_MINIMIZED:
  case SDL_WINDOWEVENT_RESTORED:
    begin(L, event->window.event == SDL_WINDOWEVENT_MINIMIZED ? "minimize" : "restore");
    return true;
  case SDL_WINDOWEVENT_EXPOSED: // a part was uncovered: show the picture again
    if (window->renderer == NULL && !window->painted && window->raster.pixels != NULL) {
      SDL_UpdateWindowSurface(window->window);
    }
    return false;
  default:
    return false;
  }
}


static bool pad_event(lua_State *L, const SDL_Event *event) {
  switch (event->type) {
  case SDL_CONTROLLERAXISMOTION:
    if (event->caxis.axis >= SDL_CONTROLLER_AXIS_MAX) return false;
    begin(L, "axis");
    set_text(L, "axis", axes[event->caxis.axis]);
    set_number(L, "value", event->caxis.value < -AXIS_MOST ? -1.0 : (double)event->caxis.value / AXIS_MOST);
    set_integer(L, "pad", event->caxis.which);
    return true;
  case SDL_CONTROLLERBUTTONDOWN:
  case SDL_CONTROLLERBUTTONUP: {
    const char *name = SDL_GameControllerGetStringForButton((SDL_GameControllerButton)event->cbutton.button);
    if (name == NULL) return false;
    begin(L, "pad_button");
    set_text(L, "button", name);
    set_flag(L, "down", event->type == SDL_CONTROLLERBUTTONDOWN);
    set_integer(L, "pad", event->cbutton.which);
    return true;
  }
  case SDL_CONTROLLERDEVICEADDED: {
    // In this event `which` is an index, not an id.
    SDL_GameController *pad = SDL_GameControllerOpen(event->cdevice.which);
    if (pad == NULL) return false;
    const char *name = SDL_GameControllerName(pad);
    begin(L, "pad_added");
    set_text(L, "name", name != NULL ? name : "controller");
    set_integer(L, "pad", SDL_JoystickInstanceID(SDL_GameControllerGetJoystick(pad)));
    return true;
  }
  case SDL_CONTROLLERDEVICEREMOVED: {
    SDL_GameController *pad = SDL_GameControllerFromInstanceID(event->cdevice.which);
    if (pad != NULL) SDL_GameControllerClose(pad);
    begin(L, "pad_removed");
    set_integer(L, "pad", event->cdevice.which);
    return true;
  }
  default:
    return false;
  }
}


// Push an event's table; return false and push nothing for an event that scripts do not get.
static bool push_event(lua_State *L, Window *window, SDL_Event *event) {
  switch (event->type) {
  case SDL_KEYDOWN:
  case SDL_KEYUP:
    return key_event(L, event);
  case SDL_TEXTINPUT:
    begin(L, "text");
    set_text(L, "text", event->text.text);
    return true;
  case SDL_MOUSEBUTTONDOWN:
  case SDL_MOUSEBUTTONUP:
    return button_event(L, event);
  case SDL_MOUSEMOTION:
    return motion_event(L, event);
  case SDL_MOUSEWHEEL:
    return wheel_event(L, event);
  case SDL_FINGERDOWN:
  case SDL_FINGERUP:
  case SDL_FINGERMOTION:
    return finger_event(L, window, event);
  case SDL_DROPFILE:
    begin(L, "drop");
    set_text(L, "path", event->drop.file != NULL ? event->drop.file : "");
    SDL_free(event->drop.file);
    return true;
  case SDL_WINDOWEVENT:
    return window_event(L, window, event);
  case SDL_QUIT:
    begin(L, "close");
    return true;
  case SDL_RENDER_TARGETS_RESET:
  case SDL_RENDER_DEVICE_RESET:
    geometry_reset(&window->geometry);
    return false;
  default:
    return pad_event(L, event);
  }
}


// window:poll() -> list of events since the last call; { type = "lost" } without a display server
int window_poll(lua_State *L) {
  Window *window = check_window(L, 1);
  SDL_Event event;
  lua_Integer count = 0;
  lua_newtable(L);
  while (!window->lost && SDL_PollEvent(&event) != 0) {
    if (push_event(L, window, &event)) lua_rawseti(L, -2, ++count);
  }
  if (window->lost) {
    begin(L, "lost");
    lua_rawseti(L, -2, ++count);
  }
  return 1;
}


// window:rumble(pad, low, high, seconds) -> whether the gamepad supports rumble; low and high: strength of the motors,
// 0..1
int window_rumble(lua_State *L) {
  check_window(L, 1);
  SDL_GameController *pad = SDL_GameControllerFromInstanceID((SDL_JoystickID)luaL_checkinteger(L, 2));
  double number[3];
  static const struct {
    const char *name;
    double most, scale;
  } parts[3] = {{"low", 1, 65535}, {"high", 1, 65535}, {"seconds", 60, 1000}};
  for (int i = 0; i < 3; ++i) {
    number[i] = lua_tonumber(L, 3 + i);
    if (lua_type(L, 3 + i) != LUA_TNUMBER || !(number[i] >= 0 && number[i] <= parts[i].most)) {
      const char *expected = i < 2 ? "a number in [0, 1]" : "a number in [0, 60] [s]";
      return picture_argument_error(L, 3 + i, "window:rumble", parts[i].name, expected);
    }
    number[i] *= parts[i].scale;
  }
  bool can = pad != NULL && SDL_GameControllerRumble(pad, (Uint16)number[0], (Uint16)number[1], (Uint32)number[2]) == 0;
  lua_pushboolean(L, can);
  return 1;
}


// window:wait(seconds) -> whether an event is pending; waits for an event until the time is over
int window_wait(lua_State *L) {
  Window *window = check_window(L, 1);
  double seconds = lua_tonumber(L, 2);
  if (lua_type(L, 2) != LUA_TNUMBER || !(seconds >= 0 && seconds <= 3600)) {
    return picture_argument_error(L, 2, "window:wait", "seconds", "a number in [0, 3600] [s]");
  }
  int milliseconds = (int)(seconds * 1000);
  if (window->lost) { // poll() reports in each call that the server is lost, so an event is always pending
    SDL_Delay((Uint32)milliseconds);
    lua_pushboolean(L, 1);
  } else {
    lua_pushboolean(L, SDL_WaitEventTimeout(NULL, milliseconds));
  }
  return 1;
}


// ---------------------------------------------------------------------------------------------------------------------
// To SDL: the event's table is at index 2
// ---------------------------------------------------------------------------------------------------------------------

static const char *get_text(lua_State *L, const char *name) {
  if (lua_getfield(L, 2, name) != LUA_TSTRING) {
    luaL_error(L, "window:push: event.%s must be a string, got %s", name, luaL_typename(L, -1));
  }
  return lua_tostring(L, -1); // the event's table keeps the string alive
}


static double get_number(lua_State *L, const char *name) {
  int kind = lua_getfield(L, 2, name);
  double value = kind == LUA_TNIL ? 0 : lua_tonumber(L, -1);
  if ((kind != LUA_TNIL && kind != LUA_TNUMBER) || !(fabs(value) < 1e9)) {
    luaL_error(L, "window:push: event.%s must be a finite number, got %s", name, luaL_typename(L, -1));
  }
  lua_pop(L, 1);
  return value;
}


static int get_integer(lua_State *L, const char *name) { return (int)floor(get_number(L, name) + 0.5); }


static bool get_flag(lua_State *L, const char *name) {
  lua_getfield(L, 2, name);
  bool value = lua_toboolean(L, -1);
  lua_pop(L, 1);
  return value;
}


static int get_choice(lua_State *L, const char *field, const char *const *names, int count) {
  const char *name = get_text(L, field);
  for (int i = 0; i < count; ++i) {
    if (names[i] != NULL && strcmp(names[i], name) == 0) return i;
  }
  return luaL_error(L, "window:push: unknown %s '%s'", field, name);
}


static Uint16 get_modifiers(lua_State *L) {
  return (Uint16)((get_flag(L, "shift") ? KMOD_LSHIFT : 0) | (get_flag(L, "ctrl") ? KMOD_LCTRL : 0) |
                  (get_flag(L, "alt") ? KMOD_LALT : 0) | (get_flag(L, "super") ? KMOD_LGUI : 0));
}


// Fill in a key event. The scancode is derived from the key.
static void fill_key(lua_State *L, SDL_Event *event) {
  char name[NAME_ROOM];
  const char *key = get_text(L, "key");
  snprintf(name, sizeof name, "%s", key);
  for (char *letter = name; *letter != '\0' && name[1] != '\0'; ++letter) {
    if (*letter == '_') *letter = ' ';
  }
  event->type = get_flag(L, "down") ? SDL_KEYDOWN : SDL_KEYUP;
  event->key.state = event->type == SDL_KEYDOWN ? SDL_PRESSED : SDL_RELEASED;
  event->key.repeat = get_flag(L, "repeated");
  event->key.keysym.sym = SDL_GetKeyFromName(name);
  if (event->key.keysym.sym == SDLK_UNKNOWN) luaL_error(L, "window:push: unknown key '%s'", key);
  event->key.keysym.scancode = SDL_GetScancodeFromKey(event->key.keysym.sym);
  event->key.keysym.mod = get_modifiers(L);
}


static void fill_text(lua_State *L, SDL_Event *event) {
  const char *text = get_text(L, "text");
  if (strlen(text) >= sizeof event->text.text) {
    luaL_error(L, "window:push: event.text has more than %d bytes", (int)sizeof event->text.text - 1);
  }
  event->type = SDL_TEXTINPUT;
  snprintf(event->text.text, sizeof event->text.text, "%s", text);
}


static void fill_button(lua_State *L, SDL_Event *event) {
  bool down = strcmp(get_text(L, "type"), "mouse_down") == 0;
  event->type = down ? SDL_MOUSEBUTTONDOWN : SDL_MOUSEBUTTONUP;
  event->button.state = down ? SDL_PRESSED : SDL_RELEASED;
  event->button.button = (Uint8)get_choice(L, "button", buttons, BUTTONS);
  event->button.clicks = (Uint8)(get_integer(L, "clicks") & 0xFF);
  event->button.x = get_integer(L, "x");
  event->button.y = get_integer(L, "y");
  SDL_SetModState((SDL_Keymod)get_modifiers(L)); // SDL's mouse events have no modifiers
}


static void fill_motion(lua_State *L, SDL_Event *event) {
  event->type = SDL_MOUSEMOTION;
  event->motion.x = get_integer(L, "x");
  event->motion.y = get_integer(L, "y");
  event->motion.xrel = get_integer(L, "dx");
  event->motion.yrel = get_integer(L, "dy");
}


static void fill_finger(lua_State *L, SDL_Event *event) {
  const char *type = get_text(L, "type");
  int width, height;
  SDL_GetWindowSize(check_window(L, 1)->window, &width, &height);
  event->type = strcmp(type, "touch_down") == 0 ? SDL_FINGERDOWN
                : strcmp(type, "touch_up") == 0 ? SDL_FINGERUP
                                                : SDL_FINGERMOTION;
  event->tfinger.fingerId = get_integer(L, "finger");
  event->tfinger.x = (float)(get_number(L, "x") / width);
  event->tfinger.y = (float)(get_number(L, "y") / height);
}


static void fill_wheel(lua_State *L, SDL_Event *event) {
  event->type = SDL_MOUSEWHEEL;
  event->wheel.mouseX = get_integer(L, "x");
  event->wheel.mouseY = get_integer(L, "y");
  event->wheel.preciseX = (float)get_number(L, "dx");
  event->wheel.preciseY = (float)get_number(L, "dy");
  event->wheel.x = (Sint32)event->wheel.preciseX;
  event->wheel.y = (Sint32)event->wheel.preciseY;
  SDL_SetModState((SDL_Keymod)get_modifiers(L));
}


static void fill_drop(lua_State *L, SDL_Event *event) {
  const char *path = get_text(L, "path");
  event->type = SDL_DROPFILE;
  event->drop.file = SDL_strdup(path); // window:poll frees the copy
}


static void fill_window(SDL_Event *event, SDL_WindowEventID what) {
  event->type = SDL_WINDOWEVENT;
  event->window.event = (Uint8)what;
}


static void fill_resize(lua_State *L, SDL_Event *event) {
  fill_window(event, SDL_WINDOWEVENT_SIZE_CHANGED);
  event->window.data1 = get_integer(L, "width");
  event->window.data2 = get_integer(L, "height");
}


static void fill_close(lua_State *L, SDL_Event *event) {
  (void)L;
  fill_window(event, SDL_WINDOWEVENT_CLOSE);
}


static void fill_focus(lua_State *L, SDL_Event *event) {
  fill_window(event, get_flag(L, "gained") ? SDL_WINDOWEVENT_FOCUS_GAINED : SDL_WINDOWEVENT_FOCUS_LOST);
}


static void fill_minimize(lua_State *L, SDL_Event *event) {
  (void)L;
  fill_window(event, SDL_WINDOWEVENT_MINIMIZED);
}


static void fill_restore(lua_State *L, SDL_Event *event) {
  (void)L;
  fill_window(event, SDL_WINDOWEVENT_RESTORED);
}


static void fill_axis(lua_State *L, SDL_Event *event) {
  double value = get_number(L, "value");
  event->type = SDL_CONTROLLERAXISMOTION;
  event->caxis.axis = (Uint8)get_choice(L, "axis", axes, SDL_CONTROLLER_AXIS_MAX);
  event->caxis.value = (Sint16)floor((value < -1 ? -1 : value > 1 ? 1 : value) * AXIS_MOST + 0.5);
  event->caxis.which = get_integer(L, "pad");
}


static void fill_pad_button(lua_State *L, SDL_Event *event) {
  const char *name = get_text(L, "button");
  SDL_GameControllerButton button = SDL_GameControllerGetButtonFromString(name);
  if (button == SDL_CONTROLLER_BUTTON_INVALID) luaL_error(L, "window:push: unknown button '%s'", name);
  event->type = get_flag(L, "down") ? SDL_CONTROLLERBUTTONDOWN : SDL_CONTROLLERBUTTONUP;
  event->cbutton.button = (Uint8)button;
  event->cbutton.state = event->type == SDL_CONTROLLERBUTTONDOWN ? SDL_PRESSED : SDL_RELEASED;
  event->cbutton.which = get_integer(L, "pad");
}


// window:push(event) -> window; poll() returns the event
// All pending mouse events get the modifiers of the last pushed event.
int window_push(lua_State *L) {
  static const struct {
    const char *type;
    void (*fill)(lua_State *L, SDL_Event *event);
    bool has_window;
  } kinds[] = {
      {"key", fill_key, true},           {"text", fill_text, true},          {"mouse_down", fill_button, true},
      {"mouse_up", fill_button, true},   {"wheel", fill_wheel, true},        {"mouse_move", fill_motion, true},
      {"resize", fill_resize, true},     {"close", fill_close, true},        {"focus", fill_focus, true},
      {"drop", fill_drop, false},        {"axis", fill_axis, false},         {"pad_button", fill_pad_button, false},
      {"minimize", fill_minimize, true}, {"restore", fill_restore, true},    {"touch_down", fill_finger, false},
      {"touch_up", fill_finger, false},  {"touch_move", fill_finger, false},
  };
  enum { KINDS = sizeof kinds / sizeof *kinds };
  Window *window = check_window(L, 1);
  if (!lua_istable(L, 2)) return picture_argument_error(L, 2, "window:push", "event", "a table");
  const char *types[KINDS];
  for (int i = 0; i < KINDS; ++i) types[i] = kinds[i].type;
  int kind = get_choice(L, "type", types, KINDS);
  SDL_Event event;
  memset(&event, 0, sizeof event);
  kinds[kind].fill(L, &event);
  // windowID has the same offset in all SDL events that have it.
  if (kinds[kind].has_window) event.window.windowID = SDL_GetWindowID(window->window);
  if (SDL_PushEvent(&event) < 0) {
    if (event.type == SDL_DROPFILE) SDL_free(event.drop.file);
    return luaL_error(L, "window:push: the event queue is full");
  }
  lua_settop(L, 1);
  return 1;
}
