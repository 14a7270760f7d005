// Looks (appearance) of bodies and shapes, stored in a slot of the world table by the object's id.
#ifndef IMPEL_BINDINGS_LOOK_H
#define IMPEL_BINDINGS_LOOK_H

#include "base/options.h"

extern const Options bind_look_options;
/// Push the option table as a string with an ImpLook, or nil.
void bind_read_look(lua_State *L, int index, const char *call);
/// Pop a stored look and keep it for object `id`.
void bind_keep_look(lua_State *L, int slot, uint64_t id);
/// Push the look of the object as an option table, or nil.
int bind_push_look(lua_State *L, const Handle *self, int slot);
/// Read a look from its stored form at the index; return false for any other value.
bool bind_take_look(lua_State *L, int index, ImpLook *out);

#endif
