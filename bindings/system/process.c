// Processes of impel.system. A child is a copy of this program that continues in Lua (fork), in its own process group.
#define _GNU_SOURCE

#include "system/signals.h"
#include "system/system.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/prctl.h>
#endif

#ifdef __GLIBC__
#include <malloc.h>
#endif

enum { READ_ROOM = 1 << 16 };


// Set up a child. All signals must be blocked.
static void become_child(pid_t parent) {
  setpgid(0, 0);
  bind_release_signals();
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
  if (getppid() != parent) _exit(EXIT_FAILURE);
  int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nothing >= 0) {
    dup2(nothing, STDIN_FILENO);
    close(nothing);
  }
}


// fork() -> the child's id, in the child 0; nil, message, reason
static int process_fork(lua_State *L) {
  fflush(NULL); // else the child would write the buffered output again
  pid_t parent = getpid();
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pid_t child = fork();
  int problem = errno;
  if (child == 0) become_child(parent);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  errno = problem;
  if (child < 0) return bind_errno(L, "cannot start a process");
  if (child > 0) setpgid(child, child); // parent and child both set the group, because either may run first
  lua_pushinteger(L, child);
  return 1;
}


// tidy(): merge malloc's free blocks before a fork instead of in each child.
static int process_tidy(lua_State *L) {
  (void)L;
#ifdef __GLIBC__
  mallopt(M_MXFAST, 0);
  malloc_trim(0);
#endif
  return 0;
}


// exit(code): end the process now. Streams are flushed, Lua's objects are not collected. Does not return.
static int process_exit(lua_State *L) {
  int code = (int)luaL_checkinteger(L, 1);
  fflush(NULL);
  _exit(code);
}


// wait(child) -> "exited" or "killed", exit code or the signal's text, CPU seconds
// Waits until the child has ended, then kills the processes that the child left running.
static int process_wait(lua_State *L) {
  pid_t child = (pid_t)luaL_checkinteger(L, 1);
  int status = 0;
  struct rusage usage;
  pid_t got;
  do got = wait4(child, &status, 0, &usage);
  while (got < 0 && errno == EINTR);
  if (got < 0) return bind_errno(L, "cannot wait for a process");
  if (WIFSIGNALED(status)) {
    lua_pushstring(L, "killed");
    lua_pushfstring(L, "signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
  } else {
    lua_pushstring(L, "exited");
    lua_pushinteger(L, WEXITSTATUS(status));
  }
  kill(-child, SIGKILL); // kill the processes that the child left running
  lua_pushnumber(L, (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                        1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec));
  return 3;
}


// kill(child): end a child and all processes that it started
static int process_kill(lua_State *L) {
  pid_t child = (pid_t)luaL_checkinteger(L, 1);
  luaL_argcheck(L, child > 1, 1, "the id of a child process, above 1, expected");
  if (kill(-child, SIGKILL) != 0) kill(child, SIGKILL);
  return 0;
}


// pipe() -> descriptor to read, descriptor to write, both closed in programs that are started; nil, message, reason
static int process_pipe(lua_State *L) {
  int ends[2];
  if (pipe(ends) != 0) return bind_errno(L, "cannot create a pipe");
  for (int i = 0; i < 2; ++i) fcntl(ends[i], F_SETFD, FD_CLOEXEC);
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  lua_pushinteger(L, ends[0]);
  lua_pushinteger(L, ends[1]);
  return 2;
}


// redirect(from, to): make `from` a copy of descriptor `to`. Reads of a redirected standard input wait for data.
static int process_redirect(lua_State *L) {
  fflush(NULL);
  int from = check_descriptor(L, 1);
  if (dup2(check_descriptor(L, 2), from) < 0) return bind_errno(L, "cannot redirect");
  if (from == STDIN_FILENO) fcntl(from, F_SETFL, fcntl(from, F_GETFL) & ~O_NONBLOCK);
  lua_pushboolean(L, 1);
  return 1;
}


// poll(descriptors, seconds) -> list of the readable descriptors; empty after the time
static int process_poll(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  int timeout = (int)(1e3 * luaL_checknumber(L, 2));
  size_t count = (size_t)lua_rawlen(L, 1);
  struct pollfd *polled = lua_newuserdatauv(L, (count + 1) * sizeof *polled, 0);
  for (size_t i = 0; i < count; ++i) {
    lua_geti(L, 1, (lua_Integer)i + 1);
    polled[i] = (struct pollfd){.fd = check_descriptor(L, -1), .events = POLLIN};
    lua_pop(L, 1);
  }
  int ready = poll(polled, (nfds_t)count, timeout);
  lua_newtable(L);
  lua_Integer found = 0;
  for (size_t i = 0; ready > 0 && i < count; ++i) {
    if (polled[i].revents == 0) continue;
    lua_pushinteger(L, polled[i].fd);
    lua_seti(L, -2, ++found);
  }
  return 1;
}


// read(descriptor) -> available bytes, "" at the end; nil, message, "again" if no bytes are available yet
static int process_read(lua_State *L) {
  char buffer[READ_ROOM];
  ssize_t length = read(check_descriptor(L, 1), buffer, sizeof buffer);
  if (length < 0) return bind_errno(L, "cannot read");
  lua_pushlstring(L, buffer, (size_t)length);
  return 1;
}


const luaL_Reg bind_process_functions[] = {
    {"tidy", process_tidy}, {"fork", process_fork}, {"exit", process_exit},         {"wait", process_wait},
    {"kill", process_kill}, {"pipe", process_pipe}, {"redirect", process_redirect}, {"poll", process_poll},
    {"read", process_read}, {NULL, NULL},
};
