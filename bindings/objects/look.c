// Looks of bodies and shapes: colours, width of the edge, visibility, drawing order.
// The world table stores looks by id, as the bytes of an ImpLook.
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/world_table.h"
#include "objects/look.h"

#define WIDEST 4096.0 // largest width of lines [points]

typedef struct LookOptions {
  ImpLook look;
  bool visible;
} LookOptions;

static const Field look_fields[] = {
    {.name = "color",
     .kind = FIELD_ANY,
     .type = "color",
     .doc = "colour of the area; false: no area. Segments, chains and heights are lines: a line has the colour "
            "`outline`, or `color` if `outline` is not given"},
    {.name = "outline",
     .kind = FIELD_ANY,
     .type = "color",
     .doc = "colour of the edge, or of a line; false: no edge or line"},
    {.name = "width",
     .kind = FIELD_NUMBER,
     .offset = offsetof(LookOptions, look) + offsetof(ImpLook, width),
     .lower = 0,
     .upper = WIDEST,
     .unit = "points",
     .doc = "width of the edge or line, in points of the screen. A point is one pixel, or two or more on a "
            "high-density screen"},
    {.name = "visible",
     .kind = FIELD_BOOLEAN,
     .offset = offsetof(LookOptions, visible),
     .doc = "whether the body or shape is drawn; true by default"},
    {.name = "order",
     .kind = FIELD_NUMBER,
     .offset = offsetof(LookOptions, look) + offsetof(ImpLook, order),
     .lower = -1e9,
     .upper = 1e9,
     .doc = "layer; lower layers are painted first; 0 by default. Joints and, by default, scene.draw paint in layer 0"},
    {.name = NULL},
};

const Options bind_look_options = {.fields = look_fields, .scope = "look"};


// Return a colour from its name or "#rrggbb": scripts/impel/picture/palette.lua has the names.
static uint32_t read_color_text(lua_State *L, int value, const char *where) {
  int top = lua_gettop(L);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
  lua_getfield(L, -1, "require");
  lua_pushliteral(L, "impel.picture.palette");
  lua_call(L, 1, 1);
  lua_getfield(L, -1, "color");
  lua_pushvalue(L, value);
  lua_call(L, 1, 2);
  if (lua_isnil(L, -2)) bind_error(L, "%s: %s", where, lua_tostring(L, -1));
  uint32_t color = (uint32_t)lua_tointeger(L, -2);
  lua_settop(L, top);
  return color;
}


// Read the colour `name` of the table at `index`; false if the table has no such field.
static bool read_color(lua_State *L, int index, const char *call, const char *name, uint32_t *out_color) {
  lua_pushstring(L, name);
  lua_rawget(L, index);
  int value = lua_gettop(L), kind = lua_type(L, value);
  bool given = kind != LUA_TNIL;
  if (given) {
    const char *where = lua_pushfstring(L, "%s: field '%s'", call, name);
    lua_Integer number = lua_tointeger(L, value);
    if (kind == LUA_TSTRING) {
      *out_color = read_color_text(L, value, where);
    } else if (kind == LUA_TBOOLEAN && !lua_toboolean(L, value)) {
      *out_color = 0;
    } else if (lua_isinteger(L, value) && number >= 0 && number <= 0xffffffff) {
      *out_color = (uint32_t)number;
    } else {
      bind_error(L, "%s must be a colour (a name, \"#rrggbb\" or 0xRRGGBBAA) or false, got %s", where,
                 bind_got(L, value));
    }
  }
  lua_settop(L, value - 1);
  return given;
}


// Return `flag` if the table at the index has a value for the field, else 0.
static uint32_t flag_of(lua_State *L, int index, const char *name, uint32_t flag) {
  lua_pushstring(L, name);
  bool given = lua_rawget(L, index) != LUA_TNIL;
  lua_pop(L, 1);
  return given ? flag : 0;
}


void bind_read_look(lua_State *L, int index, const char *call) {
  if (lua_isnoneornil(L, index)) {
    lua_pushnil(L);
    return;
  }
  LookOptions o;
  memset(&o, 0, sizeof o); // also clears the padding, so that equal looks have equal bytes
  o.visible = true;
  bind_options(L, index, call, &bind_look_options, &o);
  o.look.has = flag_of(L, index, "width", IMP_LOOK_WIDTH) | flag_of(L, index, "visible", IMP_LOOK_HIDDEN) |
               flag_of(L, index, "order", IMP_LOOK_ORDER);
  if (read_color(L, index, call, "color", &o.look.color)) o.look.has |= IMP_LOOK_COLOR;
  if (read_color(L, index, call, "outline", &o.look.outline)) o.look.has |= IMP_LOOK_OUTLINE;
  o.look.hidden = !o.visible;
  lua_pushlstring(L, (const char *)&o.look, sizeof o.look);
}


void bind_keep_look(lua_State *L, int slot, uint64_t id) {
  bind_world_table(L, 1, slot);
  lua_insert(L, -2);
  lua_rawseti(L, -2, bind_key(id));
  lua_pop(L, 1);
}


bool bind_take_look(lua_State *L, int index, ImpLook *out) {
  size_t length = 0;
  const char *bytes = lua_type(L, index) == LUA_TSTRING ? lua_tolstring(L, index, &length) : NULL;
  if (bytes == NULL || length != sizeof *out) return false;
  memcpy(out, bytes, sizeof *out);
  return out->width >= 0 && out->width <= WIDEST && isfinite(out->order);
}


static void push_color(lua_State *L, const ImpLook *look, uint32_t flag, uint32_t color, const char *name) {
  if ((look->has & flag) == 0) return;
  if ((color & 255) == 0) {
    lua_pushboolean(L, false);
  } else {
    lua_pushinteger(L, color);
  }
  lua_setfield(L, -2, name);
}


int bind_push_look(lua_State *L, const Handle *self, int slot) {
  ImpLook look;
  bind_world_table(L, 1, slot);
  lua_rawgeti(L, -1, bind_key(self->id));
  if (!bind_take_look(L, -1, &look)) {
    lua_pushnil(L);
    return 1;
  }
  lua_newtable(L);
  push_color(L, &look, IMP_LOOK_COLOR, look.color, "color");
  push_color(L, &look, IMP_LOOK_OUTLINE, look.outline, "outline");
  if (look.has & IMP_LOOK_WIDTH) {
    lua_pushnumber(L, look.width);
    lua_setfield(L, -2, "width");
  }
  if (look.has & IMP_LOOK_HIDDEN) {
    lua_pushboolean(L, !look.hidden);
    lua_setfield(L, -2, "visible");
  }
  if (look.has & IMP_LOOK_ORDER) {
    lua_pushnumber(L, look.order);
    lua_setfield(L, -2, "order");
  }
  return 1;
}
