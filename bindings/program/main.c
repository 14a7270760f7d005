// The program: a Lua state with the engine built in, which runs the command line in scripts/impel/cli.lua.
// setlocale is never called, because numbers need a decimal point.
#define _XOPEN_SOURCE 700

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __APPLE__
#include <mach-o/dyld.h>
#endif

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#include "system/signals.h"

#define PATH_ROOM 4096
#define EXIT_INTERNAL 70
#define EXIT_INTERRUPTED 130

int luaopen_impel_core(lua_State *L);

// Open /dev/null for each standard stream that is closed, so no file that opens later gets a descriptor from 0 to 2.
static void hold_standard_streams(void) {
  int descriptor;
  do descriptor = open("/dev/null", O_RDONLY);
  while (descriptor >= 0 && descriptor <= STDERR_FILENO);
  if (descriptor >= 0) close(descriptor);
}


// ---------------------------------------------------------------------------------------------------------------------
// Paths
// ---------------------------------------------------------------------------------------------------------------------

// Get the path of the running program; return false if it is unknown.
static bool program_path(const char *argv0, char path[PATH_ROOM]) {
#if defined(__linux__)
  ssize_t length = readlink("/proc/self/exe", path, PATH_ROOM - 1);
  if (length > 0) {
    path[length] = '\0';
    return true;
  }
#elif defined(__APPLE__)
  uint32_t room = PATH_ROOM;
  if (_NSGetExecutablePath(path, &room) == 0) return true;
#endif
  int length_of_name = snprintf(path, PATH_ROOM, "%s", argv0);
  return length_of_name > 0 && length_of_name < PATH_ROOM && strchr(path, '/') != NULL;
}


static bool is_home(const char *home) {
  char file[PATH_ROOM];
  int length = snprintf(file, sizeof file, "%s/scripts/impel/cli.lua", home);
  return length > 0 && length < PATH_ROOM && access(file, R_OK) == 0;
}


// Find the folder that contains scripts/ and examples/, in a checkout or an installation.
static bool find_home(const char *program, char home[PATH_ROOM]) {
  static const char *const places[] = {"..", "../..", "../share/impel"};
  int length = (int)(strrchr(program, '/') - program);
  for (size_t i = 0; i < sizeof places / sizeof *places; ++i) {
    int written = snprintf(home, PATH_ROOM, "%.*s/%s", length, program, places[i]);
    if (written > 0 && written < PATH_ROOM && is_home(home)) {
      char real[PATH_ROOM];
      if (realpath(home, real) != NULL) memcpy(home, real, strlen(real) + 1);
      return true;
    }
  }
  return false;
}


// ---------------------------------------------------------------------------------------------------------------------
// Functions for the command line
// ---------------------------------------------------------------------------------------------------------------------

// interrupted() -> boolean
static int host_interrupted(lua_State *L) {
  lua_pushboolean(L, bind_is_interrupted());
  return 1;
}


// terminated() -> boolean: whether SIGTERM or SIGHUP came; if so, the process ends within a second
static int host_terminated(lua_State *L) {
  lua_pushboolean(L, bind_is_terminated());
  return 1;
}


// rearm(): forget the SIGINT that interrupted a command, so that the next SIGINT counts as the first
static int host_rearm(lua_State *L) {
  (void)L;
  bind_forget_interrupt();
  return 0;
}


// waiting(boolean): set whether the program waits for input; a signal ends a waiting program at once
static int host_waiting(lua_State *L) {
  bind_set_waiting(lua_toboolean(L, 1));
  return 0;
}


static const luaL_Reg host_functions[] = {
    {"interrupted", host_interrupted},
    {"terminated", host_terminated},
    {"rearm", host_rearm},
    {"waiting", host_waiting},
    {NULL, NULL},
};


// ---------------------------------------------------------------------------------------------------------------------
// Running the command line
// ---------------------------------------------------------------------------------------------------------------------

// Add <home>/scripts to package.path. Add the folders of C modules to package.cpath: <folder>/lua, which a build makes,
// and <folder>/../lib/lua/5.4, which an installation makes.
static void set_package_path(lua_State *L, const char *home, const char *folder) {
  lua_getglobal(L, "package");
  lua_getfield(L, -1, "path");
  lua_pushfstring(L, "%s/scripts/?.lua;%s/scripts/?/init.lua;%s", home, home, lua_tostring(L, -1));
  lua_setfield(L, -3, "path");
  lua_getfield(L, -2, "cpath");
  lua_pushfstring(L, "%s/lua/?.so;%s/../lib/lua/5.4/?.so;%s", folder, folder, lua_tostring(L, -1));
  lua_setfield(L, -4, "cpath");
  lua_pop(L, 3);
}


static void push_arguments(lua_State *L, int argc, char **argv) {
  lua_createtable(L, argc > 0 ? argc - 1 : 0, 1);
  for (int i = 0; i < argc; ++i) {
    lua_pushstring(L, argv[i]);
    lua_seti(L, -2, i);
  }
}


// Message handler: adds a traceback, except to errors of cli.lua.
static int with_traceback(lua_State *L) {
  if (lua_istable(L, 1) && lua_getfield(L, 1, "code") == LUA_TNUMBER) {
    lua_settop(L, 1);
    return 1;
  }
  const char *message = luaL_tolstring(L, 1, NULL);
  luaL_traceback(L, L, message, 1);
  return 1;
}


// Input of `run`. It is not a Lua argument, because a script that gets `run` by debug.getinfo could pass any pointer.
static struct {
  int argc;
  char **argv;
  const char *home;
  const char *folder; // folder of the program
} start;


// Open libraries and modules, and call cli.main(arg, host). Returns the exit code. May raise.
static int run(lua_State *L) {
  luaL_openlibs(L);
  bind_guard_libraries(L);
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
  lua_pushcfunction(L, luaopen_impel_core);
  lua_setfield(L, -2, "impel.core");
  lua_pop(L, 1);
  set_package_path(L, start.home, start.folder);

  push_arguments(L, start.argc, start.argv);
  lua_pushvalue(L, -1);
  lua_setglobal(L, "arg");
  int arguments = lua_gettop(L);

  lua_getglobal(L, "require");
  lua_pushliteral(L, "impel.cli");
  lua_call(L, 1, 1);
  lua_getfield(L, -1, "main");
  lua_pushvalue(L, arguments);
  luaL_newlib(L, host_functions);
  lua_pushfstring(L, "%s/examples", start.home);
  if (access(lua_tostring(L, -1), R_OK) == 0) {
    lua_setfield(L, -2, "examples");
  } else {
    lua_pop(L, 1);
  }
  lua_call(L, 2, 1);
  return 1;
}


int main(int argc, char **argv) {
  hold_standard_streams();
  char program[PATH_ROOM], home[PATH_ROOM];
  if (!program_path(argc > 0 ? argv[0] : "", program) || !find_home(program, home)) {
    fprintf(
        stderr,
        "impel: cannot find scripts/impel/cli.lua, neither in a checkout around the program nor in ../share/impel\n");
    return EXIT_INTERNAL;
  }
  lua_State *L = luaL_newstate();
  if (L == NULL) {
    fprintf(stderr, "impel: out of memory\n");
    return EXIT_INTERNAL;
  }
  char scripts[PATH_ROOM + sizeof "@/scripts/"];
  snprintf(scripts, sizeof scripts, "@%s/scripts/", home);
  bind_catch_signals(L, scripts);
  *strrchr(program, '/') = '\0';
  start.argc = argc;
  start.argv = argv;
  start.home = home;
  start.folder = program;
  lua_pushcfunction(L, with_traceback);
  lua_pushcfunction(L, run);
  int code = EXIT_INTERNAL;
  if (lua_pcall(L, 0, 1, 1) == LUA_OK) {
    code = (int)lua_tointeger(L, -1);
  } else if (lua_istable(L, -1)) {
    lua_getfield(L, -1, "code");
    code = (int)lua_tointeger(L, -1);
    lua_getfield(L, -2, "message");
    fprintf(stderr, "impel: %s\n", lua_tostring(L, -1));
  } else {
    const char *kind = bind_is_terminated() ? "" : "internal error: ";
    fprintf(stderr, "impel: %s%s\n", kind, lua_tostring(L, -1));
  }
  lua_close(L);
  return bind_exit_code(code, EXIT_INTERRUPTED);
}
