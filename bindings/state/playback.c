// The class playback: plays a recording in a world that the playback creates.
#include <string.h>

#include "base/quota.h"
#include "objects/world.h"
#include "state/record.h"
#include "state/snapshot.h"

typedef struct Playback {
  Handle handle;     // has no world and no id: box is null, id is 0
  ImpReplay *replay; // null after closing
  ImpReplayInfo info;
  WorldBox *world; // world of the playback; its userdata is user value UV_WORLD
  int compared;    // number of steps that the last call of step, seek or rewind compared
} Playback;

enum { UV_WORLD = 1, UV_BYTES = 3, UV_FRAMES };


static bool playback_is_valid(const void *self) { return ((const Playback *)self)->replay != NULL; }


static const Class playback_class = {
    .name = "playback",
    .registry = "impel.playback",
    .is_valid = playback_is_valid,
};


static int playback_end(lua_State *L) {
  Playback *self = luaL_checkudata(L, 1, playback_class.registry);
  if (self->world != NULL) self->world->world = NULL; // invalidates the objects of this world
  imp_replay_close(self->replay);
  self->replay = NULL;
  return 0;
}


static Playback *check(lua_State *L) {
  Playback *self = bind_self(L);
  if (self->replay == NULL) bind_dead(L, 1, "playback");
  return self;
}


// impel.core.playback(bytes) -> playback; nil, message
int bind_playback_new(lua_State *L) {
  if (lua_type(L, 1) != LUA_TSTRING) {
    return bind_error(L, "impel.core.playback: argument 'bytes' must be a string, the bytes of a recording, got %s",
                      bind_got(L, 1));
  }
  lua_settop(L, 1);
  Playback *self = lua_newuserdatauv(L, sizeof *self, UV_FRAMES);
  memset(self, 0, sizeof *self);
  self->handle.class = &playback_class;
  luaL_setmetatable(L, playback_class.registry);
  lua_pushvalue(L, 1); // keeps the bytes alive while the playback is open
  lua_setiuservalue(L, 2, UV_BYTES);
  WorldBox *box = bind_push_world(L);
  lua_getiuservalue(L, 3, UV_WORLD_TABLE); // the world keeps its playback alive
  lua_pushvalue(L, 2);
  lua_setfield(L, -2, "playback");
  lua_settop(L, 3);
  lua_setiuservalue(L, 2, UV_WORLD);
  size_t size;
  const char *bytes = lua_tolstring(L, 1, &size);
  ImpAllocator allocator = bind_allocator();
  if (imp_replay_open(bytes, size, &allocator, &self->replay) != IMP_OK) {
    lua_pushnil(L);
    lua_pushstring(L, imp_last_error());
    return 2;
  }
  self->info = imp_replay_info(self->replay);
  self->world = box;
  box->borrowed = box->keeps = true;
  box->world = imp_replay_world(self->replay);
  return 1;
}


static void set_hash(lua_State *L, const char *key, uint64_t hash) {
  bind_push_hex(L, &hash, 1);
  lua_setfield(L, -2, key);
}


// Set "now": the present pose or velocity of the body that differs from the recording.
static void set_now(lua_State *L, const ImpReplayStep *step) {
  static const char *const names[2][3] = {{"x", "y", "angle"}, {"x", "y", "angular"}};
  bool velocity = strcmp(step->difference.field, "velocity") == 0;
  if (!velocity && strcmp(step->difference.field, "pose") != 0) return;
  lua_createtable(L, 0, 3);
  for (int i = 0; i < 3; i++) {
    lua_pushnumber(L, step->now[i]);
    lua_setfield(L, -2, names[velocity][i]);
  }
  lua_setfield(L, -2, "now");
}


static void push_step(lua_State *L, const ImpReplayStep *step) {
  if (step->has_difference) {
    bind_push_difference(L, &step->difference);
    set_now(L, step);
  } else {
    lua_createtable(L, 0, 6);
  }
  lua_pushinteger(L, step->frame);
  lua_setfield(L, -2, "frame");
  lua_pushinteger(L, (lua_Integer)step->tick);
  lua_setfield(L, -2, "tick");
  set_hash(L, "expected", step->expected);
  set_hash(L, "got", step->got);
  if (step->call != NULL) {
    lua_pushstring(L, step->call);
    lua_setfield(L, -2, "call");
  }
  if (step->why[0] != 0) {
    lua_pushstring(L, step->why);
    lua_setfield(L, -2, "why");
  }
}


// Push true; or false and the difference.
static int push_result(lua_State *L, Playback *self, const ImpReplayStep *step) {
  self->compared = step->made;
  lua_pushboolean(L, !step->differs);
  if (!step->differs) return 1;
  push_step(L, step);
  return 2;
}


static void check_idle(lua_State *L, const Playback *self) {
  if (self->world->stepping || imp_world_is_stepping(imp_replay_world(self->replay))) {
    bind_error(L, "%s: called inside a step of its own world", bind_caller(L));
  }
}


// playback:step() -> boolean, difference; nil after the last step
static int playback_step(lua_State *L) {
  Playback *self = check(L);
  ImpReplayStep step;
  check_idle(L, self);
  self->world->epoch++; // makes pooled objects stale
  bind_status(L, imp_replay_step(self->replay, &step));
  int results = push_result(L, self, &step);
  if (step.done && !step.differs) lua_pushnil(L); // nil instead of true after the last step
  return results;
}


static lua_Integer check_tick(lua_State *L) {
  int whole;
  lua_Integer tick = lua_tointegerx(L, 2, &whole);
  if (!whole || lua_type(L, 2) != LUA_TNUMBER) {
    bind_error(L, "%s: argument 'tick' must be an integer, got %s", bind_caller(L), bind_got(L, 2));
  }
  return tick;
}


// Return the last frame whose world had the tick `tick`, or -1.
static int frame_of(lua_State *L, const Playback *self, lua_Integer tick) {
  if (lua_getiuservalue(L, 1, UV_FRAMES) != LUA_TTABLE) {
    lua_pop(L, 1);
    lua_newtable(L);
    for (int frame = 0; frame <= self->info.frames; frame++) {
      lua_pushinteger(L, frame);
      lua_rawseti(L, -2, (lua_Integer)imp_replay_tick(self->replay, frame));
    }
    lua_pushvalue(L, -1);
    lua_setiuservalue(L, 1, UV_FRAMES);
  }
  int frame = lua_rawgeti(L, -1, tick) == LUA_TNUMBER ? (int)lua_tointeger(L, -1) : -1;
  lua_pop(L, 2);
  return frame;
}


// playback:place(tick) -> integer or nil
static int playback_place(lua_State *L) {
  Playback *self = check(L);
  lua_Integer tick = check_tick(L);
  int frame = frame_of(L, self, tick);
  if (frame < 0) return 0;
  lua_pushinteger(L, frame);
  return 1;
}


// playback:seek(tick) -> boolean, difference
static int playback_seek(lua_State *L) {
  Playback *self = check(L);
  lua_Integer tick = check_tick(L);
  int frame = frame_of(L, self, tick);
  if (frame < 0) {
    LUAI_UACINT first = (LUAI_UACINT)self->info.first_tick, last = (LUAI_UACINT)self->info.last_tick;
    return bind_error(L, "playback:seek: argument 'tick' must be a recorded tick in [%I, %I], got %I%s", first, last,
                      (LUAI_UACINT)tick, tick > first && tick < last ? ", which a restore skipped" : "");
  }
  ImpReplayStep step;
  check_idle(L, self);
  self->world->epoch++;
  bind_status(L, imp_replay_seek(self->replay, frame, &step));
  return push_result(L, self, &step);
}


// playback:rewind(steps) -> boolean, difference
static int playback_rewind(lua_State *L) {
  Playback *self = check(L);
  int whole, frame = imp_replay_frame(self->replay);
  lua_Integer steps = lua_tointegerx(L, 2, &whole);
  if (!whole || lua_type(L, 2) != LUA_TNUMBER || steps < 0 || steps > frame) {
    return bind_error(L,
                      "playback:rewind: argument 'steps' must be an integer in [0, %d], the steps made so far, got %s",
                      frame, bind_got(L, 2));
  }
  ImpReplayStep step;
  check_idle(L, self);
  self->world->epoch++;
  bind_status(L, imp_replay_seek(self->replay, frame - (int)steps, &step));
  return push_result(L, self, &step);
}


// playback:close(); a second call does nothing
static int playback_close(lua_State *L) {
  Playback *self = bind_self(L);
  if (self->replay != NULL) check_idle(L, self);
  lua_settop(L, 1);
  return playback_end(L);
}


static int get_world(lua_State *L, void *self) {
  (void)self;
  lua_getiuservalue(L, 1, UV_WORLD);
  return 1;
}


static int get_text(lua_State *L, void *self) {
  lua_pushstring(L, ((const Playback *)self)->info.text);
  return 1;
}


static int get_ending(lua_State *L, void *self) {
  lua_pushstring(L, imp_replay_end_name((int)((const Playback *)self)->info.end));
  return 1;
}


#define NUMBER_OF(name, value) \
  static int get_##name(lua_State *L, void *object) { \
    const Playback *self = object; \
    lua_pushinteger(L, (lua_Integer)(value)); \
    return 1; \
  }
NUMBER_OF(frames, self->info.frames)
NUMBER_OF(keyframes, self->info.keyframes)
NUMBER_OF(first, self->info.first_tick)
NUMBER_OF(last, self->info.last_tick)
NUMBER_OF(whole, self->info.whole)
NUMBER_OF(compared, self->compared)
NUMBER_OF(frame, imp_replay_frame(self->replay))
NUMBER_OF(tick, imp_world_tick(imp_replay_world(self->replay)))


static int playback_tostring(lua_State *L) {
  const Playback *self = luaL_checkudata(L, 1, playback_class.registry);
  lua_pushfstring(L, self->replay != NULL ? "playback of %d steps" : "closed playback", self->info.frames);
  return 1;
}


static const Entry playback_entries[] = {
    {.name = "step",
     .call = playback_step,
     .signature = "() -> boolean, difference or nil",
     .doc = "play the next step. Returns true if the hash of the world after the step equals the recorded hash, and "
            "false and a table if the hashes differ. Returns nil if the recording has no more steps; calls and "
            "restores that were recorded after the last step are then played, too. Fields of the table: frame, tick, "
            "expected (recorded hash), got (hash of the playback), call (a call that succeeded when it was recorded "
            "and failed in the playback) and why (the error of the call). If the recording has a keyframe after this "
            "step, the table also has the fields of world:difference. Otherwise it has `object`, the kind of "
            "the objects that differ: \"world\", \"body\", \"mover\", \"joint\" or \"contact\". If a body that "
            "differs was found, the table also has the id and name of the first such body, field (\"pose\", "
            "\"velocity\" or \"awake\") and now (the pose or velocity of this body in the playback). A difference does "
            "not stop the playback"},
    {.name = "seek",
     .call = playback_seek,
     .signature = "(tick) -> boolean, difference or nil",
     .doc =
         "go to a state: the end of the step that set world.tick to `tick`, before the step's event handlers ran. The "
         "playback starts at the last keyframe up to this step, or at the present step if it lies between the "
         "keyframe and this step. If the tick occurs twice in the recording, because of a restore, playback:seek "
         "goes to the last occurrence; playback:rewind can go to the others. Returns the same values as "
         "playback:step"},
    {.name = "rewind",
     .call = playback_rewind,
     .signature = "(steps) -> boolean, difference or nil",
     .doc =
         "go back by this number of steps, also to a step before a recorded world:restore; returns the same values as "
         "playback:step"},
    {.name = "place",
     .call = playback_place,
     .signature = "(tick) -> integer or nil",
     .doc = "number of steps from the start of the recording to the last occurrence of this tick; nil if no step of "
            "the recording has this tick, because world:restore skipped it"},
    {.name = "close",
     .call = playback_close,
     .signature = "()",
     .doc = "close the playback and destroy its world; a second call has no effect"},
    {.name = "is_valid", .call = bind_is_valid, .signature = "() -> boolean", .doc = "false once closed"},
    {.name = "world",
     .type = "world",
     .get = get_world,
     .doc = "world that plays the recording, for drawing and queries. If a script steps or changes it, it differs from "
            "the recording. Handlers are not called, neither those of the recorded script nor those of this one. The "
            "world cannot be recorded"},
    {.name = "text",
     .type = "string",
     .get = get_text,
     .doc = "text at the start of the recording, given by the option `text` of world:record"},
    {.name = "ending",
     .type = "string",
     .get = get_ending,
     .doc = "\"whole\": the recording is complete; \"cut\": its end is missing, as after a crash; \"damaged\": the "
            "bytes after the last complete frame are not as they were written"},
    {.name = "frames", .type = "integer", .get = get_frames, .unit = "1", .doc = "number of steps in the recording"},
    {.name = "keyframes",
     .type = "integer",
     .get = get_keyframes,
     .unit = "1",
     .doc = "number of keyframes in the recording: whole states, from which playback:seek can start"},
    {.name = "first", .type = "integer", .get = get_first, .unit = "1", .doc = "smallest tick in the recording"},
    {.name = "last", .type = "integer", .get = get_last, .unit = "1", .doc = "largest tick in the recording"},
    {.name = "frame",
     .type = "integer",
     .get = get_frame,
     .unit = "1",
     .doc = "number of steps from the start of the recording to the present step"},
    {.name = "tick", .type = "integer", .get = get_tick, .unit = "1", .doc = "present tick of the world"},
    {.name = "compared",
     .type = "integer",
     .get = get_compared,
     .unit = "1",
     .doc = "number of steps that the last call of playback:step, playback:seek or playback:rewind played and "
            "compared. playback:seek and playback:rewind may start at a keyframe: then the steps before the keyframe "
            "are not counted"},
    {.name = "whole",
     .type = "integer",
     .get = get_whole,
     .unit = "B",
     .doc = "length of the recording up to the end of the last complete frame"},
    {.name = NULL},
};


const Members bind_playback_members = {&playback_class, playback_entries, playback_tostring, playback_end};
