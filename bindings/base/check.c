// Errors at the line of the Lua caller. Descriptions of expected and given values for error messages.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/class.h"

#define UNBOUNDED 1e300 // bounds of at least this absolute value are treated as infinite
#define MAX_QUOTE 40    // bytes of a string that a message quotes

// Keys in the Lua registry. HOME: the prefix of bind_set_home; STEP: the C function of bind_set_step
#define HOME "impel.home"
#define STEP "impel.step"


void bind_set_step(lua_State *L, lua_CFunction step) {
  lua_pushcfunction(L, step);
  lua_setfield(L, LUA_REGISTRYINDEX, STEP);
}


int bind_set_home(lua_State *L) {
  lua_settop(L, 1);
  if (lua_type(L, 1) != LUA_TSTRING) {
    return bind_error(L,
                      "impel.core.set_home: argument 'prefix' must be a string, with which the chunk names of impel's "
                      "own modules begin, got %s",
                      bind_got(L, 1));
  }
  lua_setfield(L, LUA_REGISTRYINDEX, HOME);
  return 0;
}


// Allocates nothing, because the memory quota may be exhausted.
bool bind_find_caller(lua_State *L, int level, lua_Debug *found) {
  lua_Debug ar;
  bool home = lua_getfield(L, LUA_REGISTRYINDEX, HOME) == LUA_TSTRING, any = false;
  const char *prefix = home ? lua_tostring(L, -1) : "";
  size_t length = strlen(prefix);
  lua_getfield(L, LUA_REGISTRYINDEX, STEP);
  lua_CFunction step = lua_tocfunction(L, -1);
  for (; lua_getstack(L, level, &ar); level++) {
    lua_getinfo(L, "Slf", &ar);
    bool stepping = step && lua_tocfunction(L, -1) == step;
    lua_pop(L, 1);
    if (stepping && any) break;
    if (ar.currentline <= 0) continue;
    bool own = home && strncmp(ar.source, prefix, length) == 0;
    if (own && any) continue;
    *found = ar;
    any = true;
    if (!own) break;
  }
  lua_pop(L, 2);
  return any;
}


void bind_push_position(lua_State *L) {
  lua_Debug ar;
  if (bind_find_caller(L, 1, &ar)) {
    lua_pushfstring(L, "%s:%d: ", ar.short_src, ar.currentline);
  } else {
    lua_pushliteral(L, "");
  }
}


int bind_error(lua_State *L, const char *format, ...) {
  bind_push_position(L);
  va_list arguments;
  va_start(arguments, format);
  lua_pushvfstring(L, format, arguments);
  va_end(arguments);
  lua_concat(L, 2);
  return lua_error(L);
}


void bind_push_definition(lua_State *L, int function) {
  lua_Debug ar;
  lua_pushvalue(L, function);
  lua_getinfo(L, ">S", &ar);
  if (ar.linedefined > 0) {
    lua_pushfstring(L, "%s:%d: ", ar.short_src, ar.linedefined);
  } else {
    bind_push_position(L);
  }
}


int bind_function_error(lua_State *L, int function, const char *format, ...) {
  bind_push_definition(L, function);
  va_list arguments;
  va_start(arguments, format);
  lua_pushvfstring(L, format, arguments);
  va_end(arguments);
  lua_concat(L, 2);
  return lua_error(L);
}


// Push the number with enough digits to read it back unchanged.
static const char *push_exact(lua_State *L, double value) {
  char exact[32];
  lua_pushfstring(L, "%f", value);
  for (int digits = 15; digits <= 17 && lua_stringtonumber(L, lua_tostring(L, -1)) != 0; digits++) {
    bool same = lua_tonumber(L, -1) == value;
    lua_pop(L, 1);
    if (same) break;
    snprintf(exact, sizeof exact, "%.*g", digits, value);
    lua_pop(L, 1);
    lua_pushstring(L, exact);
  }
  return lua_tostring(L, -1);
}


const char *bind_got(lua_State *L, int index) {
  switch (lua_type(L, index)) {
  case LUA_TNUMBER:
    if (!lua_isinteger(L, index) && isnan(lua_tonumber(L, index))) return lua_pushliteral(L, "nan");
    if (lua_isinteger(L, index)) {
      lua_pushvalue(L, index);
      return lua_tostring(L, -1); // convert a copy: lua_tostring would change the number at `index` itself to a string
    }
    return push_exact(L, lua_tonumber(L, index));
  case LUA_TSTRING: {
    size_t length;
    const char *text = lua_tolstring(L, index, &length);
    if (length <= MAX_QUOTE) return lua_pushfstring(L, "'%s' (string)", text);
    lua_pushlstring(L, text, MAX_QUOTE);
    return lua_pushfstring(L, "'%s...' (string)", lua_tostring(L, -1));
  }
  case LUA_TBOOLEAN:
    return lua_pushstring(L, lua_toboolean(L, index) ? "true" : "false");
  case LUA_TNONE:
  case LUA_TNIL:
    return lua_pushliteral(L, "nil");
  default:
    break;
  }
  if (luaL_getmetafield(L, index, "__name") == LUA_TSTRING) {
    const char *name = lua_tostring(L, -1);
    const char *dot = strrchr(name, '.');
    return lua_pushfstring(L, "a %s", dot ? dot + 1 : name);
  }
  return lua_pushfstring(L, "a %s", luaL_typename(L, index));
}


const char *bind_expected(lua_State *L, bool integer, double lower, double upper, const char *unit) {
  bool below = lower > -UNBOUNDED, above = upper < UNBOUNDED;
  if (lower == 0 && upper == 0) below = above = false;
  char text[80] = "";
  int top = lua_gettop(L), digits = integer ? 16 : 10; // 2^53 - 1 has 16 digits
  bool endless = lower == -HUGE_VAL || upper == HUGE_VAL;
  lua_pushstring(L, integer ? "an integer" : endless ? "a number" : "a finite number");
  if (below && above) {
    snprintf(text, sizeof text, " in [%.*g, %.*g]", digits, lower, digits, upper);
  } else if (below) {
    snprintf(text, sizeof text, " >= %.*g", digits, lower);
  } else if (above) {
    snprintf(text, sizeof text, " <= %.*g", digits, upper);
  }
  lua_pushstring(L, text);
  if (unit && *unit && strcmp(unit, "1") != 0) lua_pushfstring(L, " [%s]", unit);
  lua_concat(L, lua_gettop(L) - top);
  return lua_tostring(L, -1);
}


double bind_bad_number(lua_State *L, int index, const char *name, const char *unit) {
  bind_error(L, "%s: argument '%s' must be %s, got %s", bind_caller(L), name, bind_expected(L, false, 0, 0, unit),
             bind_got(L, index));
  return 0;
}


int bind_no_loop(lua_State *L) {
  return bind_error(L, "an iterator is for a loop, as in 'for x in body:shapes() do'; do not call it yourself");
}
