// Recordings: writing them into a file or memory, and playing them.
#ifndef IMPEL_BINDINGS_RECORD_H
#define IMPEL_BINDINGS_RECORD_H

#include "base/options.h"

extern const Members bind_recording_members, bind_playback_members;

/// world:record(path [, {...}]).
int bind_world_record(lua_State *L);
extern const Options bind_record_options;
/// End the current recording, if any, of the world at an index.
void bind_end_recording(lua_State *L, int world);
/// impel.core.playback(bytes).
int bind_playback_new(lua_State *L);

#endif
