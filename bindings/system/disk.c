// Files of impel.system. A write succeeds completely or changes nothing.
#define _GNU_SOURCE

#include "base/quota.h"
#include "system/system.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PERMISSIONS = 0666 }; // modified by the umask

// Return nil, message and reason for a file that cannot be written; the reason is in errno.
static int cannot_write(lua_State *L, const char *path) {
  int number = errno;
  const char *what = lua_pushfstring(L, "cannot write %s", path);
  errno = number;
  return bind_errno(L, what);
}


// Write all bytes; on failure set errno and return false.
static int write_all(int file, const char *text, size_t length) {
  while (length > 0) {
    ssize_t written = write(file, text, length);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return 0;
    text += written;
    length -= (size_t)written;
  }
  return 1;
}


// open(path, mode) -> descriptor; nil, message, reason
// "create": a new file, an existing one is an error; "replace": an empty file; "append": keep the contents. All writes
// append. The file is locked until it is closed. Reason "locked": the file is already open for writing.
static int disk_open(lua_State *L) {
  static const char *const modes[] = {"create", "replace", "append", NULL};
  static const int flags[] = {O_CREAT | O_EXCL, O_CREAT, O_CREAT};
  const char *path = luaL_checkstring(L, 1);
  int mode = luaL_checkoption(L, 2, NULL, modes);
  int file = open(path, flags[mode] | O_RDWR | O_APPEND | O_CLOEXEC, PERMISSIONS);
  if (file < 0 && errno == EACCES) file = open(path, flags[mode] | O_WRONLY | O_APPEND | O_CLOEXEC, PERMISSIONS);
  if (file < 0) return cannot_write(L, path);
  if (flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    close(file);
    lua_pushnil(L);
    lua_pushfstring(L, "cannot write %s: it is already open for writing", path);
    lua_pushstring(L, "locked");
    return 3;
  }
  struct stat status;
  if (mode == 1 && fstat(file, &status) == 0 && S_ISREG(status.st_mode) && ftruncate(file, 0) != 0) {
    int n = cannot_write(L, path);
    close(file);
    return n;
  }
  lua_pushinteger(L, file);
  return 1;
}


// append(descriptor, text) -> true; nil, message, reason. On failure a regular file is shortened to its previous
// length.
static int disk_append(lua_State *L) {
  int file = check_descriptor(L, 1);
  size_t length;
  const char *text = luaL_checklstring(L, 2, &length);
  off_t before = lseek(file, 0, SEEK_END);
  if (!write_all(file, text, length)) {
    int number = errno;
    int shortened = before < 0 ? 0 : ftruncate(file, before);
    (void)shortened;
    errno = number;
    return bind_errno(L, "cannot write");
  }
  lua_pushboolean(L, 1);
  return 1;
}


// truncate(descriptor, length) -> true; nil, message, reason
static int disk_truncate(lua_State *L) {
  if (ftruncate(check_descriptor(L, 1), (off_t)luaL_checkinteger(L, 2)) != 0) return bind_errno(L, "cannot truncate");
  lua_pushboolean(L, 1);
  return 1;
}


// sync(descriptor) -> true once the data is on the disk; nil, message, reason
static int disk_sync(lua_State *L) {
  if (fsync(check_descriptor(L, 1)) != 0 && errno != EINVAL && errno != EROFS) return bind_errno(L, "cannot write");
  lua_pushboolean(L, 1);
  return 1;
}


// close(descriptor) -> true; nil, message, reason
static int disk_close(lua_State *L) {
  if (close(check_descriptor(L, 1)) != 0) return bind_errno(L, "cannot close");
  lua_pushboolean(L, 1);
  return 1;
}


typedef struct Folder {
  char path[4096];
} Folder;


// Get the folder of a path. Return false with errno if the path is too long.
static int find_folder(const char *path, Folder *out_folder) {
  const char *slash = strrchr(path, '/');
  size_t room = sizeof out_folder->path;
  int length = slash == NULL ? snprintf(out_folder->path, room, ".")
                             : snprintf(out_folder->path, room, "%.*s/", (int)(slash - path), path);
  errno = ENAMETOOLONG;
  return length >= 0 && (size_t)length < room;
}


// Sync the folder: the new name must be on disk.
static void sync_folder(const char *path) {
  Folder folder;
  int file = find_folder(path, &folder) ? open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  if (file < 0) return;
  fsync(file);
  close(file);
}


// Write directly to a device or a pipe, which cannot be replaced.
static int write_through(lua_State *L, const char *path, const char *text, size_t length) {
  int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return cannot_write(L, path);
  int ok = write_all(file, text, length);
  int number = errno;
  if (close(file) != 0 && ok) {
    ok = 0;
    number = errno;
  }
  errno = number;
  if (!ok) return cannot_write(L, path);
  lua_pushboolean(L, 1);
  return 1;
}


// Write a temporary file, sync it and rename it to `path`. If a file at `path` exists, keep its permissions.
int bind_replace_file(lua_State *L, const char *path, const char *text, size_t length) {
  char real[4096];
  if (bind_is_confined()) {
    errno = EPERM;
    return cannot_write(L, path);
  }
  if (realpath(path, real) != NULL) path = real; // follow links to the file itself
  const char *beside = lua_pushfstring(L, "%s.new", path);
  struct stat status;
  int known = stat(path, &status) == 0;
  if (known && !S_ISREG(status.st_mode)) return write_through(L, path, text, length);
  int file = open(beside, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, PERMISSIONS);
  if (file < 0) return cannot_write(L, path);
  // if fchmod is not permitted, the new file keeps the default permissions
  if (known && fchmod(file, status.st_mode & 07777) != 0) errno = 0;
  int ok = write_all(file, text, length) && (fsync(file) == 0 || errno == EINVAL);
  int number = errno;
  if (close(file) != 0 && ok) {
    ok = 0;
    number = errno;
  }
  if (ok && rename(beside, path) != 0) {
    ok = 0;
    number = errno;
  }
  if (!ok) {
    unlink(beside);
    errno = number;
    return cannot_write(L, path);
  }
  sync_folder(path);
  lua_pushboolean(L, 1);
  return 1;
}


// replace(path, text) -> true; nil, message, reason. On failure the file keeps its previous contents.
static int disk_replace(lua_State *L) {
  size_t length;
  const char *path = luaL_checkstring(L, 1), *text = luaL_checklstring(L, 2, &length);
  return bind_replace_file(L, path, text, length);
}


// can_replace(path) -> true; nil, message, reason: whether `replace` is permitted. Writes nothing. Always true in a
// confined process, whose files another process writes.
static int disk_can_replace(lua_State *L) {
  const char *path = luaL_checkstring(L, 1);
  lua_pushboolean(L, 1);
  if (bind_is_confined()) return 1;
  char real[4096];
  const char *whole = realpath(path, real) != NULL ? real : path;
  struct stat status;
  Folder folder;
  int ok;
  if (stat(whole, &status) == 0 && !S_ISREG(status.st_mode)) {
    errno = EISDIR;
    ok = !S_ISDIR(status.st_mode) && access(whole, W_OK) == 0;
  } else {
    ok = find_folder(whole, &folder) && access(folder.path, W_OK | X_OK) == 0;
  }
  if (!ok) return cannot_write(L, path);
  return 1;
}


// make_folders(path): create missing folders, for their owner only.
static int disk_make_folders(lua_State *L) {
  const char *path = luaL_checkstring(L, 1);
  for (const char *slash = strchr(path, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
    if (slash == path) continue;
    lua_pushlstring(L, path, (size_t)(slash - path));
    mkdir(lua_tostring(L, -1), S_IRWXU);
    lua_pop(L, 1);
  }
  return 0;
}


const luaL_Reg bind_disk_functions[] = {
    {"open", disk_open},
    {"append", disk_append},
    {"truncate", disk_truncate},
    {"sync", disk_sync},
    {"close", disk_close},
    {"replace", disk_replace},
    {"can_replace", disk_can_replace},
    {"make_folders", disk_make_folders},
    {NULL, NULL},
};
