// The class recording: writes whole frames of a world into a file, or keeps them in memory.
// A frame that cannot be written is removed and ends the recording.
#define _GNU_SOURCE

#include "state/record.h"
#include "base/quota.h"
#include "base/world_table.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct Recording {
  Handle handle; // id 0
  int file;      // -1: closed, or no file
  bool waits;    // no file: frames are stored in `kept`
  char *kept;
  size_t count, capacity; // used and allocated size of `kept` [bytes]
  int error;              // errno of a failed write, or 0
  off_t frame;            // offset in the file of the frame that is being written [bytes]
  bool over;              // the core has ended the recording
  ImpRecording last;
} Recording;

enum { PERMISSIONS = 0666, UV_PATH = 2 };

typedef struct RecordOptions {
  const char *text;
  int32_t keyframe_steps;
} RecordOptions;

static const Field record_fields[] = {
    {.name = "text",
     .kind = FIELD_STRING,
     .offset = offsetof(RecordOptions, text),
     .doc = "text that is stored at the start of the recording, such as the command that was run; it must not contain "
            "zero bytes. playback.text reads it"},
    {.name = "keyframe_steps",
     .kind = FIELD_INTEGER,
     .offset = offsetof(RecordOptions, keyframe_steps),
     .lower = 0,
     .upper = 1000000,
     .unit = "1",
     .doc = "number of steps between keyframes (whole states); 0, the default: the number is chosen so that "
            "playback:seek is fast"},
    {.name = NULL},
};
const Options bind_record_options = {.fields = record_fields, .scope = "recording"};


static bool recording_is_valid(const void *self) { return ((const Recording *)self)->handle.box != NULL; }


static const Class recording_class = {
    .name = "recording",
    .registry = "impel.recording",
    .is_valid = recording_is_valid,
};


static void resize_kept(Recording *self, size_t capacity) {
  ImpAllocator allocator = bind_allocator();
  if (allocator.reallocate == NULL) allocator = imp_default_allocator();
  char *kept = allocator.reallocate(allocator.user, self->kept, self->capacity, capacity);
  if (kept == NULL && capacity > 0) return;
  self->kept = kept;
  self->capacity = capacity;
}


static bool keep(Recording *self, const void *bytes, size_t size) {
  size_t needed = self->count + size;
  if (needed > self->capacity) resize_kept(self, needed + needed / 2);
  if (needed > self->capacity) {
    self->error = ENOMEM;
    return false;
  }
  memcpy(self->kept + self->count, bytes, size);
  self->count = needed;
  return true;
}


// ImpWriteFn: writes all bytes or none.
static bool write_frame(void *user, const void *bytes, size_t size) {
  Recording *self = user;
  if (self->waits) return keep(self, bytes, size);
  const char *at = bytes;
  off_t before = self->file >= 0 ? lseek(self->file, 0, SEEK_END) : -1;
  while (size > 0 && self->file >= 0) {
    ssize_t written = write(self->file, at, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      self->error = errno != 0 ? errno : EIO;
      int shortened = before < 0 ? 0 : ftruncate(self->file, before);
      (void)shortened;
      return false;
    }
    at += written;
    size -= (size_t)written;
  }
  return self->file >= 0;
}


static const char *path_of(lua_State *L, int index) {
  lua_getiuservalue(L, index, UV_PATH);
  const char *path = lua_tostring(L, -1);
  lua_pop(L, 1); // the user value keeps the string alive
  return path != NULL ? path : "memory";
}


static int open_file(const char *path) {
  int file = open(path, O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, PERMISSIONS);
  struct stat status;
  if (file < 0) return -1;
  bool fine = fstat(file, &status) == 0;
  if (fine && S_ISREG(status.st_mode)) { // a device needs no lock
    fine = (flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) && ftruncate(file, 0) == 0;
  }
  if (!fine) {
    int number = errno;
    close(file);
    errno = number;
    return -1;
  }
  return file;
}


// Copy the state of the recording from the core to `last`, unless the recording has ended.
static void take_counts(Recording *self) {
  if (!self->over && self->handle.box->world != NULL) {
    self->last = imp_world_recording(self->handle.box->world);
    self->over = !self->last.on;
  }
}


static int cannot_write(lua_State *L, const char *path, int number) {
  lua_pushnil(L);
  lua_pushfstring(L, "cannot write %s: %s", path,
                  number == EWOULDBLOCK ? "another recording is writing to this file" : strerror(number));
  return 2;
}


// End the recording and close the file; return the errno of a failure, or 0.
static int finish(Recording *self) {
  if (self->file < 0 && !self->waits) return self->error;
  take_counts(self);
  if (!self->over && self->handle.box->world != NULL) imp_world_record_end(self->handle.box->world);
  take_counts(self);
  if (self->last.failed && self->error == 0) self->error = ENOMEM;
  int file = self->file;
  self->file = -1;
  self->over = true;
  self->waits = false;
  if (file >= 0 && close(file) != 0 && self->error == 0) self->error = errno;
  return self->error;
}


void bind_end_recording(lua_State *L, int world) {
  lua_getiuservalue(L, world, UV_WORLD_TABLE);
  lua_getfield(L, -1, "recording");
  Recording *other = luaL_testudata(L, -1, recording_class.registry);
  if (other != NULL) finish(other);
  lua_pop(L, 2);
}


// Push the recording, with its file opened. On failure push nil and a message, and return null.
static Recording *push_recording(lua_State *L) {
  Recording *self = bind_new_object(L, 1, &recording_class, sizeof *self);
  int object = lua_gettop(L);
  *self = (Recording){.handle = self->handle, .file = -1, .waits = lua_isnil(L, 2)};
  lua_pushvalue(L, 2);
  lua_setiuservalue(L, object, UV_PATH);
  if (!self->waits) self->file = open_file(lua_tostring(L, 2));
  if (self->file < 0 && !self->waits) {
    cannot_write(L, lua_tostring(L, 2), errno);
    return NULL;
  }
  lua_getiuservalue(L, object, UV_WORLD_TABLE); // the world keeps the recording alive
  lua_pushvalue(L, object);
  lua_setfield(L, -2, "recording");
  lua_settop(L, object);
  return self;
}


static void check_path(lua_State *L) {
  if (lua_isnoneornil(L, 2)) return;
  if (lua_type(L, 2) != LUA_TSTRING || lua_rawlen(L, 2) == 0) {
    bind_error(L, "world:record: argument 'path' must be the name of a file, or nil to record in memory, got %s",
               bind_got(L, 2));
  }
  if (bind_is_confined()) {
    bind_error(L, "world:record: a script in a sandbox cannot open files: leave the path out to record in memory");
  }
  if (strlen(lua_tostring(L, 2)) != lua_rawlen(L, 2))
    bind_error(L, "world:record: argument 'path' must not contain a zero byte");
}


// world:record([path [, {...}]]) -> recording; nil, message
int bind_world_record(lua_State *L) {
  WorldBox *box = bind_check_world(L);
  RecordOptions o = {.text = NULL};
  lua_settop(L, 3);
  check_path(L);
  if (!lua_isnil(L, 3)) bind_options(L, 3, "world:record", &bind_record_options, &o);
  if (box->stepping || imp_world_is_stepping(box->world)) {
    return bind_error(L, "world:record: called inside a step; call it before or after world:step");
  }
  bind_refuse_saving(L, box);
  if (box->borrowed) return bind_error(L, "world:record: the world of a playback cannot be recorded");
  bind_end_recording(L, 1);
  Recording *self = push_recording(L);
  if (self == NULL) return 2;
  ImpRecordDef def = imp_record_def();
  def.write = write_frame;
  def.user = self;
  def.text = o.text;
  def.keyframe_steps = o.keyframe_steps;
  if (imp_world_record(box->world, &def) != IMP_OK) {
    int number = self->error != 0 ? self->error : ENOMEM;
    self->over = true;
    finish(self);
    return cannot_write(L, path_of(L, lua_gettop(L)), number);
  }
  return 1;
}


// recording:take() -> string
static int recording_take(lua_State *L) {
  Recording *self = bind_self(L);
  if (self->handle.box->stepping) return bind_error(L, "recording:take: called inside a step");
  lua_getiuservalue(L, 1, UV_PATH);
  if (!lua_isnil(L, -1))
    return bind_error(L, "recording:take: the recording is in the file '%s', not in memory", path_of(L, 1));
  lua_pushlstring(L, self->kept != NULL ? self->kept : "", self->count);
  self->count = 0;
  if (!self->waits) resize_kept(self, 0);
  return 1;
}


// recording:close() -> true; nil, message. Can be called again.
static int recording_close(lua_State *L) {
  Recording *self = bind_self(L);
  if (self->handle.box->stepping) return bind_error(L, "recording:close: called inside a step");
  int number = finish(self);
  if (number != 0) return cannot_write(L, path_of(L, 1), number);
  lua_pushboolean(L, 1);
  return 1;
}


// __close and __gc.
static int recording_end(lua_State *L) {
  Recording *self = luaL_checkudata(L, 1, recording_class.registry);
  finish(self);
  resize_kept(self, 0);
  return 0;
}


static int get_path(lua_State *L, void *self) {
  (void)self;
  lua_getiuservalue(L, 1, UV_PATH);
  return 1;
}


#define COUNT(name) \
  static int get_##name(lua_State *L, void *object) { \
    Recording *self = object; \
    take_counts(self); \
    lua_pushinteger(L, (lua_Integer)self->last.name); \
    return 1; \
  }
COUNT(steps)
COUNT(keyframes)
COUNT(bytes)


static int get_on(lua_State *L, void *object) {
  Recording *self = object;
  take_counts(self);
  lua_pushboolean(L, !self->over);
  return 1;
}


static int get_problem(lua_State *L, void *object) {
  Recording *self = object;
  take_counts(self);
  if (!self->last.failed && self->error == 0) return 0;
  cannot_write(L, path_of(L, 1), self->error != 0 ? self->error : ENOMEM);
  return 1;
}


static int recording_tostring(lua_State *L) {
  luaL_checkudata(L, 1, recording_class.registry);
  lua_pushfstring(L, "recording into '%s'", path_of(L, 1));
  return 1;
}


static const Entry recording_entries[] = {
    {.name = "close",
     .call = recording_close,
     .signature = "() -> true or nil, message",
     .doc = "end the recording and complete the file. Returns nil and a message if the file could not be written "
            "completely; the steps that are in the file can still be played. A <close> variable, the end of the world "
            "and the garbage collector also end a recording"},
    {.name = "take",
     .call = recording_take,
     .signature = "() -> string",
     .doc = "bytes that a recording without a path has collected since the last call of recording:take. Before "
            "recording:close these are complete frames only; after it, also the end of the recording. The results of "
            "all calls, concatenated, are the bytes of a recording file. Bytes that are not taken stay in memory. "
            "Raises an error if the recording has a path"},
    {.name = "path",
     .type = "string or nil",
     .get = get_path,
     .doc = "path of the file; nil: the recording is kept in memory"},
    {.name = "on", .type = "boolean", .get = get_on, .doc = "whether the world is being recorded", .unit = ""},
    {.name = "problem",
     .type = "string or nil",
     .get = get_problem,
     .doc = "error that ended the recording, such as a full disk or lack of memory; nil: no error occurred"},
    {.name = "steps", .type = "integer", .get = get_steps, .unit = "1", .doc = "number of steps that were written"},
    {.name = "keyframes",
     .type = "integer",
     .get = get_keyframes,
     .unit = "1",
     .doc = "number of keyframes (whole states) that were written"},
    {.name = "bytes", .type = "integer", .get = get_bytes, .unit = "B", .doc = "number of bytes that were written"},
    {.name = NULL},
};


const Members bind_recording_members = {&recording_class, recording_entries, recording_tostring, recording_end};
