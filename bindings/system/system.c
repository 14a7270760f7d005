// impel.system: the terminal, clocks and folders; and the functions of process.c, disk.c and read_file.c.
// Operations that can normally fail return nil, a message and a short reason.
#define _GNU_SOURCE

#include "system/system.h"
#include "base/options.h"
#include "base/quota.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#ifdef __linux__
#include <sched.h>
#endif

// Compiler of this module, with a note if it did not optimise.
#if defined(__OPTIMIZE__)
#define HOW ""
#else
#define HOW ", not optimised"
#endif
#if defined(__clang__)
#define COMPILER __VERSION__ HOW // clang's __VERSION__ begins with the word "clang"
#elif defined(__GNUC__)
#define COMPILER "gcc " __VERSION__ HOW
#else
#define COMPILER "unknown"
#endif


int bind_errno(lua_State *L, const char *what) {
  int number = errno;
  const char *name = number == EAGAIN || number == EINTR     ? "again"
                     : number == ENOSPC || number == EDQUOT  ? "space"
                     : number == EEXIST                      ? "exists"
                     : number == ENOENT || number == ENOTDIR ? "missing"
                                                             : "other";
  lua_pushnil(L);
  lua_pushfstring(L, "%s: %s", what, strerror(number));
  lua_pushstring(L, name);
  return 3;
}


// isatty(descriptor) -> boolean
static int is_terminal(lua_State *L) {
  lua_pushboolean(L, isatty((int)luaL_checkinteger(L, 1)));
  return 1;
}


// columns(descriptor) -> number of columns of the terminal, or nil
static int terminal_columns(lua_State *L) {
  struct winsize size = {0};
  bool known = ioctl(check_descriptor(L, 1), TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  if (!known) return 0;
  lua_pushinteger(L, size.ws_col);
  return 1;
}


// clock() -> seconds since an arbitrary start
static int clock_now(lua_State *L) {
  lua_pushnumber(L, bind_clock());
  return 1;
}


// cpu() -> seconds of processor time of this process, the sum over its threads
static int clock_cpu(lua_State *L) {
  struct timespec taken;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &taken);
  lua_pushnumber(L, (double)taken.tv_sec + 1e-9 * (double)taken.tv_nsec);
  return 1;
}


// files(folder) -> list of names, unordered; empty if the folder cannot be read
static int folder_files(lua_State *L) {
  DIR *folder = opendir(luaL_checkstring(L, 1));
  lua_newtable(L);
  if (folder == NULL) return 1;
  lua_Integer count = 0;
  for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
    lua_pushstring(L, entry->d_name);
    lua_seti(L, -2, ++count);
  }
  closedir(folder);
  return 1;
}


// kind(path) -> "file", "folder", "link" (a symbolic link to a folder) or "other"; nil, message, reason
static int path_kind(lua_State *L) {
  const char *path = luaL_checkstring(L, 1);
  struct stat target, itself;
  if (stat(path, &target) != 0 || lstat(path, &itself) != 0) return bind_errno(L, path);
  const char *kind = S_ISREG(target.st_mode)    ? "file"
                     : !S_ISDIR(target.st_mode) ? "other"
                     : S_ISLNK(itself.st_mode)  ? "link"
                                                : "folder";
  lua_pushstring(L, kind);
  return 1;
}


// real_path(path) -> the path without links, "." and ".."; nil, message, reason
static int real_path(lua_State *L) {
  const char *path = luaL_checkstring(L, 1);
  char *real = realpath(path, NULL);
  if (real == NULL) return bind_errno(L, path);
  lua_pushstring(L, real);
  free(real);
  return 1;
}


// processors() -> number of processors this process may run on, at least 1
static int processor_count(lua_State *L) {
  long count = sysconf(_SC_NPROCESSORS_ONLN);
#ifdef __linux__
  cpu_set_t mine;
  if (sched_getaffinity(0, sizeof mine, &mine) == 0) count = CPU_COUNT(&mine);
#endif
  lua_pushinteger(L, count > 1 ? count : 1);
  return 1;
}


// checksum(bytes) -> 16 hexadecimal digits of XXH3-64, to detect changes
static int checksum(lua_State *L) {
  size_t size;
  const char *bytes = luaL_checklstring(L, 1, &size);
  uint64_t hash = XXH3_64bits(bytes, size);
  bind_push_hex(L, &hash, 1);
  return 1;
}


static const luaL_Reg system_functions[] = {
    {"checksum", checksum},
    {"columns", terminal_columns},
    {"isatty", is_terminal},
    {"clock", clock_now},
    {"cpu", clock_cpu},
    {"files", folder_files},
    {"kind", path_kind},
    {"real_path", real_path},
    {"processors", processor_count},
    {NULL, NULL},
};


int bind_open_system(lua_State *L) {
  luaL_newlib(L, system_functions);
  luaL_setfuncs(L, bind_process_functions, 0);
  luaL_setfuncs(L, bind_disk_functions, 0);
  luaL_setfuncs(L, bind_file_functions, 0);
  lua_pushliteral(L, COMPILER);
  lua_setfield(L, -2, "compiler");
  return 1;
}
