// The constructor of bodies: world:body{...}.
#include <stddef.h>

#include "objects/body.h"
#include "objects/data.h"
#include "objects/look.h"
#include "objects/object.h"

#define BODY(member) .offset = offsetof(ImpBodyDef, member)

// Options in addition to the properties that a definition contains.
static const Field body_fields[] = {
    {.name = "type",
     .kind = FIELD_CHOICE,
     BODY(type),
     .choice = imp_body_type_name,
     .doc = "kind of motion; \"dynamic\" by default; a body of type \"particle\" does not rotate"},
    {.name = "name", .kind = FIELD_STRING, BODY(name), .doc = "name of the body for world:find and messages"},
    {.name = "position",
     .kind = FIELD_VEC2,
     BODY(position),
     .unit = "m",
     .doc = "position of the body's origin; { 0, 0 } by default"},
    {.name = "velocity",
     .kind = FIELD_VEC2,
     BODY(velocity),
     .unit = "m/s",
     .doc = "velocity of the centre of mass; { 0, 0 } by default"},
    {.name = "mass",
     .kind = FIELD_NUMBER,
     BODY(mass),
     .table = imp_body_property,
     .property = IMP_BODY_MASS,
     .doc = "mass of the body; by default the total mass of its shapes. Segments, chains and heights have no mass: if "
            "the body has no other shapes, the default is 1 kg. If the mass is given, the inertia of the shapes is "
            "scaled by given mass / mass of the shapes"},
    {.name = "inertia",
     .kind = FIELD_NUMBER,
     BODY(inertia),
     .table = imp_body_property,
     .property = IMP_BODY_INERTIA,
     .doc = "moment of inertia about the centre of mass; by default that of its shapes. Torques do not rotate a body "
            "without shapes, or with only segments, chains and heights, unless inertia is given"},
    {.name = "data", .kind = FIELD_ANY, .doc = "any Lua value"},
    {.name = "look",
     .kind = FIELD_ANY,
     .type = "look",
     .nested = &bind_look_options,
     .doc = "options of body:set_look"},
    {.name = NULL},
};

const Options bind_body_options = {.fields = body_fields, .properties = imp_body_property};


// world:body{...} -> body
int bind_world_body(lua_State *L) {
  WorldBox *box = bind_check_world(L);
  ImpBodyDef def = imp_body_def();
  ImpBody body;
  lua_settop(L, 2);
  bind_options(L, 2, "world:body", &bind_body_options, &def);
  lua_settop(L, 2);
  lua_pushliteral(L, "look");
  lua_rawget(L, 2);
  bind_read_look(L, 3, "world:body: field 'look'");
  bind_status(L, imp_body_create(box->world, &def, &body));
  if (!lua_isnil(L, 4)) bind_keep_look(L, SLOT_BODY_LOOK, body.id);
  bind_push_body(L, 1, body);
  bind_keep_option(L, 2, "data", SLOT_BODY_DATA, body.id);
  return 1;
}


// body:options() -> table
int bind_body_definition(lua_State *L) {
  Handle *self = bind_check(L, &bind_body_class);
  ImpBodyDef def, none = imp_body_def();
  bind_status(L, imp_body_definition(self->box->world, (ImpBody){self->id}, &def));
  bind_push_options(L, &bind_body_options, &def, &none);
  int table = lua_gettop(L);
  bind_get_data(L, self, SLOT_BODY_DATA);
  lua_setfield(L, table, "data");
  bind_push_look(L, self, SLOT_BODY_LOOK);
  lua_setfield(L, table, "look");
  lua_settop(L, table);
  return 1;
}
