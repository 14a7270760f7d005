// Bodies: their constructor, and the list of destroyed bodies.
#ifndef IMPEL_BINDINGS_BODY_H
#define IMPEL_BINDINGS_BODY_H

#include "base/options.h"

extern const Class bind_body_class;
extern const Members bind_body_members;

/// world:body{...}, body:options().
int bind_world_body(lua_State *L);
extern const Options bind_body_options;
int bind_body_definition(lua_State *L);

// impel.core.ended(world, since, room) -> now [, bodies]: list the bodies destroyed since the call that returned
// `since`.
int bind_ended(lua_State *L);
/// Record that a body was destroyed, in the world of the object at `owner`.
void bind_note_end(lua_State *L, int owner, uint64_t body);
/// Clear the records of destroyed bodies, because a restore may have recreated these bodies.
void bind_forget_ends(WorldBox *box);

#endif
