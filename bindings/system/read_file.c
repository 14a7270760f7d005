// Whole files as strings. A folder, an endless device, a pipe without a writer and a too large file are errors.
#define _GNU_SOURCE

#include "base/quota.h"
#include "system/system.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

enum { READ_ROOM = 1 << 16 };

#define FILE_METATABLE "impel.file"
#define FILE_MOST ((uint64_t)1 << 32) // largest size of a file [bytes]
#define DEVICE_MOST ((size_t)1 << 20) // [bytes] limit for devices; devices other than terminals are endless
#define HEAD_MOST (1 << 20)           // [bytes] limit of read_head
#define WRITER_DUE 5                  // [s] until a writer must have opened the other end of a pipe
#define SILENCE 60.0                  // [s], longest time for which the writer of a pipe may write nothing
#define LOOK 50                       // [ms] between two checks for a writer


static const char too_long[] = "larger than the limit";


// __gc of an open file, because an out-of-memory error can leave the file open
static int close_file(lua_State *L) {
  const int *file = lua_touserdata(L, 1);
  if (*file >= 0) close(*file);
  return 0;
}


// Push an open file, non-blocking; -1 and errno on failure.
static int *push_open(lua_State *L, const char *path) {
  int *file = lua_newuserdatauv(L, sizeof *file, 0);
  *file = -1;
  if (luaL_newmetatable(L, FILE_METATABLE)) {
    lua_pushcfunction(L, close_file);
    lua_setfield(L, -2, "__gc");
  }
  lua_setmetatable(L, -2);
  errno = EPERM;
  if (!bind_is_confined()) *file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  return file;
}


// Read to the end and return NULL. On failure return a text with the reason: `too_long` for more than `most` bytes;
// "" if errno has the reason.
static const char *read_all(int file, uint64_t most, double silence, luaL_Buffer *buffer) {
  double began = bind_clock();
  bool has_writer = false;
  struct stat status;
  bool pipe = fstat(file, &status) == 0 && S_ISFIFO(status.st_mode);
  for (;;) {
    ssize_t count = read(file, luaL_prepbuffsize(buffer, READ_ROOM), READ_ROOM);
    if (count < 0 && errno == EAGAIN) {
      struct pollfd wait = {.fd = file, .events = POLLIN};
      has_writer = true;
      // no limit for a terminal, because its user may take any time
      int ready = poll(&wait, 1, pipe ? (int)(1e3 * silence) : -1);
      if (ready < 0) return errno == EINTR ? "interrupted" : "";
      if (ready == 0) return "a pipe that its writer keeps open without writing to it";
    } else if (count < 0) {
      return errno == EINTR ? "interrupted" : "";
    } else if (count > 0) {
      luaL_addsize(buffer, (size_t)count);
      if (luaL_bufflen(buffer) > most) return too_long;
    } else if (!pipe || has_writer || luaL_bufflen(buffer) > 0) {
      return NULL;
    } else if (bind_clock() > began + WRITER_DUE) {
      return "a pipe without a writer";
    } else if (poll(NULL, 0, LOOK) < 0) {
      return "interrupted";
    }
  }
}


// Return NULL if a file can be read, "" if errno has the reason that it cannot, otherwise a text with the reason.
// For a device, lower `*most` to DEVICE_MOST.
static const char *find_problem(int file, uint64_t *most) {
  struct stat status;
  if (fstat(file, &status) != 0) return "";
  errno = EISDIR;
  if (S_ISDIR(status.st_mode)) return "";
  if (S_ISBLK(status.st_mode)) return "a device, not a regular file";
  if (S_ISCHR(status.st_mode) && *most > DEVICE_MOST) *most = DEVICE_MOST;
  return S_ISREG(status.st_mode) && (uint64_t)status.st_size > *most ? too_long : NULL;
}


static int push_error(lua_State *L, const char *path, const char *problem, uint64_t most) {
  if (*problem == '\0') return bind_errno(L, path);
  lua_pushnil(L);
  if (problem == too_long) {
    lua_pushfstring(L, "%s: %s (%d MB)", path, problem, (int)(most >> 20));
  } else {
    lua_pushfstring(L, "%s: %s", path, problem);
  }
  lua_pushliteral(L, "other");
  return 3;
}


// Push the text of the file, or the values of bind_errno; return the number of values.
static int push_file(lua_State *L, const char *path, uint64_t most, double silence) {
  int *file = push_open(L, path);
  if (*file < 0) return bind_errno(L, path);
  const char *problem = find_problem(*file, &most);
  if (problem == NULL) {
    luaL_Buffer buffer;
    luaL_buffinit(L, &buffer);
    problem = read_all(*file, most, silence, &buffer);
    int number = errno;
    luaL_pushresult(&buffer);
    if (problem != NULL) lua_pop(L, 1);
    errno = number;
  }
  int number = errno;
  close(*file);
  *file = -1;
  errno = number;
  if (problem != NULL) return push_error(L, path, problem, most);
  lua_remove(L, -2);
  return 1;
}


bool bind_push_file(lua_State *L, const char *path) {
  int results = push_file(L, path, FILE_MOST, SILENCE);
  if (results == 1) return true;
  lua_pop(L, 1); // remove the reason
  return false;
}


// read_file(path[, most[, silence]]) -> text; nil, "path: message", reason
static int read_file(lua_State *L) {
  const char *path = luaL_checkstring(L, 1);
  lua_Integer most = luaL_optinteger(L, 2, (lua_Integer)FILE_MOST);
  luaL_argcheck(L, most >= 0, 2, "a length in bytes, within the limits of this function, expected");
  lua_Number silence = luaL_optnumber(L, 3, SILENCE);
  luaL_argcheck(L, silence >= 0 && silence <= 1e6, 3, "seconds in [0, 1e6] expected");
  lua_settop(L, 1);
  return push_file(L, path, (uint64_t)most, silence);
}


// read_head(path, most) -> the first bytes of a regular file, its size; nil, "path: message", reason
static int read_head(lua_State *L) {
  const char *path = luaL_checkstring(L, 1);
  lua_Integer most = luaL_checkinteger(L, 2);
  luaL_argcheck(L, most >= 0 && most <= HEAD_MOST, 2,
                "a length in bytes, within the limits of this function, expected");
  lua_settop(L, 1);
  int *file = push_open(L, path);
  if (*file < 0) return bind_errno(L, path);
  struct stat status;
  luaL_Buffer buffer;
  char *bytes = luaL_buffinitsize(L, &buffer, (size_t)most + 1);
  ssize_t count = -1;
  bool is_known = fstat(*file, &status) == 0, is_file = is_known && S_ISREG(status.st_mode);
  if (is_known && S_ISDIR(status.st_mode)) errno = EISDIR;
  if (is_file) count = read(*file, bytes, (size_t)most);
  int number = errno;
  close(*file);
  *file = -1;
  luaL_pushresultsize(&buffer, count > 0 ? (size_t)count : 0);
  if (is_known && !is_file && !S_ISDIR(status.st_mode))
    return push_error(L, path, "a device or a pipe, not a regular file", 0);
  errno = number;
  if (count < 0) return bind_errno(L, path);
  lua_pushinteger(L, (lua_Integer)status.st_size);
  return 2;
}


const luaL_Reg bind_file_functions[] = {{"read_file", read_file}, {"read_head", read_head}, {NULL, NULL}};
