// Bodies: their constructor, and which were destroyed.
#ifndef IMPEL_BINDINGS_BODY_H
#define IMPEL_BINDINGS_BODY_H

#include "base/options.h"

extern const Class bind_body_class;
extern const Members bind_body_members;

/// world:body{...}, body:options().
int bind_world_body(lua_State *L);
extern const Options bind_body_options;
int bind_body_definition(lua_State *L);

// body.c: bodies that were destroyed.
int bind_ended(lua_State *L);
/// Note that a body of the object's world was.
void bind_note_end(lua_State *L, int owner, uint64_t body);
/// Forget the notes: a restore may have brought those bodies back.
void bind_forget_ends(WorldBox *box);

#endif
