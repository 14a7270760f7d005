// Looks (appearance) of bodies and shapes, stored in a slot of the world table by the object's id.
#ifndef IMPEL_BINDINGS_LOOK_H
#define IMPEL_BINDINGS_LOOK_H

#include "base/options.h"

extern const Options bind_look_options;
/// Push the option table at the index as a string with an ImpLook; push nil for nil. `call`: for messages
void bind_read_look(lua_State *L, int index, const char *call);
/// Pop the string or nil of bind_read_look and store it for object `id` in the world of the object at index 1.
void bind_keep_look(lua_State *L, int slot, uint64_t id);
/// Push the look of the object as an option table, or nil.
int bind_push_look(lua_State *L, const Handle *self, int slot);
/// Read a look from its stored form at the index; return false for any other value.
bool bind_take_look(lua_State *L, int index, ImpLook *out);

#endif
