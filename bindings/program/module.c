// The Lua module impel.core: worlds, deterministic functions, the version and the tables of classes.
#include "base/names.h"
#include "objects/body.h"
#include "objects/constraint.h"
#include "objects/cursor.h"
#include "objects/draw.h"
#include "objects/event.h"
#include "objects/field.h"
#include "objects/joint.h"
#include "objects/object.h"
#include "objects/qp.h"
#include "objects/row.h"
#include "objects/shape.h"
#include "objects/subscription.h"
#include "objects/trace.h"
#include "objects/world.h"
#include "sandbox/functions.h"
#include "state/record.h"
#include "state/snapshot.h"
#include "system/system.h"

#if defined(__GNUC__)
#define MODULE_API __attribute__((visibility("default")))
#else
#define MODULE_API
#endif

MODULE_API int luaopen_impel_core(lua_State *L);


// impel.core.identify(object) -> class, number, key of a body, shape, joint, field, mover or contact, even a destroyed
// one; nothing for other values.
// number: creation number of the object; for a contact, a number computed from the creation numbers of its shapes
// key: distinguishes objects with equal numbers after a restore
static int identify(lua_State *L) {
  static const Class *const classes[] = {&bind_body_class,  &bind_shape_class, &bind_joint_class,
                                         &bind_field_class, &bind_mover_class, &bind_contact_class};
  for (size_t i = 0; i < sizeof classes / sizeof *classes; ++i) {
    const Handle *handle = luaL_testudata(L, 1, classes[i]->registry);
    if (handle != NULL && handle->id != 0) {
      bool contact = classes[i] == &bind_contact_class;
      uint64_t number = contact ? ((const ContactObject *)handle)->number : ((const Object *)handle)->number;
      lua_pushstring(L, classes[i]->name);
      lua_pushinteger(L, (lua_Integer)number);
      lua_pushinteger(L, bind_key(handle->id));
      return 3;
    }
  }
  return 0;
}


static const Members *const members[] = {&bind_world_members,     &bind_body_members,       &bind_shape_members,
                                         &bind_joint_members,     &bind_coordinate_members, &bind_contact_members,
                                         &bind_row_members,       &bind_event_members,      &bind_handler_members,
                                         &bind_field_members,     &bind_mover_members,      &bind_qp_members,
                                         &bind_recording_members, &bind_playback_members,   NULL};


// impel.core.api(): all classes, and the functions of impel that take options, in the format of bind_push_api
static int api(lua_State *L) {
  static const Entry functions[] = {
      {.name = "world",
       .call = bind_world_new,
       .signature = "{...} -> world",
       .doc = "Make a world.",
       .options = &bind_world_options},
      {.name = "where",
       .call = bind_where,
       .signature = "(c, a, b) -> number",
       .doc = "Returns a if c is true or > 0, else b. In the function of a constraint the arguments may be traced "
              "values."},
      {.name = "value",
       .call = bind_value,
       .signature = "(x) -> number",
       .doc = "Returns the present number that a traced value stands for, in the function of a dynamic constraint."},
      {.name = NULL},
  };
  bind_push_api(L, members, functions);
  return 1;
}


static const luaL_Reg module_functions[] = {{"world", bind_world_new},
                                            {"qp", bind_qp_new},
                                            {"playback", bind_playback_new},
                                            {"api", api},
                                            {"identify", identify},
                                            {"ended", bind_ended},
                                            {"foreign_names", bind_foreign_names},
                                            {"set_home", bind_set_home},
                                            {"snapshot_info", bind_snapshot_info},
                                            {NULL, NULL}};


// __index(module, key) of the module: raises.
static int unknown_field(lua_State *L) {
  if (lua_type(L, 2) != LUA_TSTRING) return bind_error(L, "impel has no field %s", bind_got(L, 2));
  const char *key = lua_tostring(L, 2);
  char snake[64];
  bind_snake(key, snake, sizeof snake);
  const char *ours = bind_foreign("impel", snake);
  if (ours) return bind_error(L, "unknown field '%s' on impel (in impel: %s)", key, ours);
  Nearest nearest = {.word = snake};
  for (const luaL_Reg *function = module_functions; function->name; function++) bind_offer(&nearest, function->name);
  bind_offer(&nearest, "math");
  bind_offer(&nearest, "where");
  bind_offer(&nearest, "value");
  bind_offer(&nearest, "version");
  if (!nearest.best) return bind_error(L, "unknown field '%s' on impel", key);
  return bind_error(L, "unknown field '%s' on impel (did you mean '%s'?)", key, nearest.best);
}


static int open_system(lua_State *L) {
  bind_open_system(L);
#ifndef WITHOUT_SANDBOX
  luaL_setfuncs(L, bind_sandbox_functions, 0);
#endif
  lua_pushliteral(L, LEFT_OUT); // names of parts that this build lacks
  lua_setfield(L, -2, "left_out");
  return 1;
}


// require "impel.core". All copies of the library return one table, to share metatables.
int luaopen_impel_core(lua_State *L) {
  if (lua_getfield(L, LUA_REGISTRYINDEX, "impel.core") == LUA_TTABLE) return 1;
  bind_make_world_entries();
  bind_set_step(L, bind_world_step);
  for (int i = 0; members[i]; i++) bind_register(L, members[i]);
  bind_register_cursor(L);
  bind_register_trace(L);
  bind_register_views(L);
  bind_register_param(L);
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
  lua_pushcfunction(L, open_system);
  lua_setfield(L, -2, "impel.system");
  lua_pushcfunction(L, bind_open_drawing);
  lua_setfield(L, -2, "impel.drawing");
  lua_pop(L, 1);
  luaL_newlib(L, module_functions);
  bind_push_math(L);
  lua_setfield(L, -2, "math");
  bind_set_where(L);
  lua_pushstring(L, imp_version());
  lua_setfield(L, -2, "version");
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, unknown_field);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, -2);
  lua_pushvalue(L, -1);
  lua_setfield(L, LUA_REGISTRYINDEX, "impel.core");
  return 1;
}
