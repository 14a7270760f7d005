// Force fields: their constructor, and the laws of custom fields.
#ifndef IMPEL_BINDINGS_FIELD_H
#define IMPEL_BINDINGS_FIELD_H

#include "base/options.h"

extern const Class bind_field_class;
extern const Members bind_field_members;

/// world:field {...}; field:options().
int bind_world_field(lua_State *L);
extern const Options bind_field_options; ///< options of all kinds
int bind_field_definition(lua_State *L);
/// Law of a custom field: bind_read_law reads the law from the options at index 2 and pushes its record; bind_keep_law
/// stores the record for the field.
void bind_read_law(lua_State *L, const char *call, ImpFieldDef *def);
void bind_keep_law(lua_State *L, int record, ImpField field);
int bind_get_field_param(lua_State *L, void *self);
int bind_field_retrace(lua_State *L);
/// Call the law of a field, under lua_pcall, with (world, field id, body id).
int bind_field_evaluate(lua_State *L);
/// Release the Lua values of a destroyed field.
void bind_forget_field(lua_State *L, int owner, ImpField field);

#endif
