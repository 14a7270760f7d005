// How signals end the program.
//
//   SIGINT   first: sets a flag, which commands read between two steps. Second: ends the process at once.
//   SIGTERM  sets the same flag and starts the watchdog thread's timer:
//            0.3 s   functions of scripts raise "terminated"; awaited programs get SIGTERM
//            0.65 s  all descendants are killed, standard streams flushed, the process exits
//            at once if the program waits for input
//   SIGHUP   as SIGTERM, unless it was ignored when the program began (nohup)
//
// Handlers run in the thread of Lua. The watchdog thread does everything that needs locks.
#define _GNU_SOURCE

#include "system/signals.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/prctl.h>
#endif

#include <lauxlib.h>

#define WAKE SIGALRM
#define MARK "IMPEL_PROGRAM"
#define SIGNALLED 128     // a shell's exit code after a signal is this plus the number of the signal
#define LOOK 10           // [ms] between two checks of the flags after a signal
#define RAISE_AFTER 300   // [ms] from the signal until functions of scripts raise
#define END_AFTER 650     // [ms] from the signal until the process is ended
#define FLUSH_TIME 100000 // [us] for flushing streams, whose reader may have stopped
#define STACK_SIZE (256 * 1024)

static struct {
  lua_State *L;        // the main state
  const char *scripts; // "@folder/" of the program's own scripts; functions of other scripts raise
  size_t scripts_length;
  pthread_t lua; // the thread that runs Lua
  pthread_t watchdog;
  bool watched;     // the watchdog runs
  char mark[64];    // identifies this program, part of the environment variable MARK
  bool on_terminal; // stderr is a terminal, so messages erase the progress line first
} program;

static volatile sig_atomic_t stopping; // the signal that requested the end, 0: none
static volatile sig_atomic_t at_once;  // SIGINT came a second time
static volatile sig_atomic_t broken;   // a script was interrupted
static volatile sig_atomic_t waiting;  // the program waits for input, so no script runs that could be interrupted
static volatile sig_atomic_t expired;  // end_now() has begun
static volatile sig_atomic_t frozen;   // on_wake has stopped Lua for good

// Signals that the program catches; programs that it starts get the default action.
static const int caught_signals[] = {SIGINT, SIGTERM, SIGPIPE, SIGXFSZ, WAKE};

static lua_State *volatile running; // the running coroutine, NULL: none
static lua_CFunction plain_resume, plain_wrap;


// Write a message. Async-signal-safe, because handlers call it.
static void print_text(const char *text) {
  if (program.on_terminal && write(STDERR_FILENO, "\r\33[K", 4) < 0) return;
  ssize_t written = write(STDERR_FILENO, text, strlen(text));
  (void)written;
}


static const char *name_of(int number) { return number == SIGHUP ? "SIGHUP" : "SIGTERM"; }


bool bind_is_interrupted(void) { return stopping != 0; }


bool bind_is_terminated(void) { return stopping == SIGTERM || stopping == SIGHUP; }


// ---------------------------------------------------------------------------------------------------------------------
// Started programs
// ---------------------------------------------------------------------------------------------------------------------

#ifdef __linux__

typedef struct Process {
  pid_t id, parent, group;
} Process;


// Read a process from /proc; false if ended or a zombie.
static bool read_process(pid_t id, Process *out) {
  char path[64], text[512];
  snprintf(path, sizeof path, "/proc/%d/stat", (int)id);
  FILE *file = fopen(path, "re");
  if (file == NULL) return false;
  size_t length = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  text[length] = '\0';
  const char *end = strrchr(text, ')'); // end of the name, which may contain any characters
  char state;
  int parent, group;
  if (end == NULL || sscanf(end + 1, " %c %d %d", &state, &parent, &group) != 3) return false;
  if (state == 'Z' || state == 'X') return false;
  *out = (Process){.id = id, .parent = (pid_t)parent, .group = (pid_t)group};
  return true;
}


// Return whether the environment of a process contains this program's mark, which all descendants inherit.
static bool has_mark(pid_t id) {
  char path[64], *entry = NULL;
  size_t room = 0;
  bool found = false;
  snprintf(path, sizeof path, "/proc/%d/environ", (int)id);
  FILE *file = fopen(path, "re"); // fails for a process of another user
  while (file != NULL && !found && getdelim(&entry, &room, '\0', file) > 0) {
    found = strncmp(entry, MARK "=", sizeof MARK) == 0 && strstr(entry, program.mark) != NULL;
  }
  free(entry);
  if (file != NULL) fclose(file);
  return found;
}


static size_t list_processes(Process **out) {
  size_t count = 0, capacity = 0;
  *out = NULL;
  DIR *folder = opendir("/proc");
  for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
    pid_t id = (pid_t)atoi(entry->d_name);
    if (id <= 0) continue;
    if (count == capacity) {
      size_t larger = capacity > 0 ? 2 * capacity : 512;
      Process *grown = realloc(*out, larger * sizeof *grown);
      if (grown == NULL) break;
      *out = grown;
      capacity = larger;
    }
    if (read_process(id, *out + count)) ++count;
  }
  if (folder != NULL) closedir(folder);
  return count;
}


static pid_t parent_of(const Process *list, size_t count, pid_t id) {
  for (size_t i = 0; i < count; ++i) {
    if (list[i].id == id) return list[i].parent;
  }
  return 0;
}


// Signal all descendants, or those in the group if `of_group`; return their number.
// Descendants have the mark in their environment.
static size_t signal_descendants(int number, bool of_group) {
  Process *list;
  size_t count = list_processes(&list);
  size_t sent = 0;
  pid_t self = getpid(), group = getpgrp();
  for (size_t i = 0; i < count; ++i) {
    pid_t above = list[i].parent;
    for (int depth = 0; above > 1 && above != self && depth < 64; ++depth) above = parent_of(list, count, above);
    bool wanted = list[i].id != self && (!of_group || list[i].group == group);
    if (wanted && (above == self || has_mark(list[i].id)) && kill(list[i].id, number) == 0) ++sent;
  }
  free(list);
  return sent;
}

#else

static size_t signal_descendants(int number, bool of_group) {
  (void)number;
  (void)of_group;
  return 0;
}

#endif


// ---------------------------------------------------------------------------------------------------------------------
// The hook that interrupts scripts
// ---------------------------------------------------------------------------------------------------------------------

// Hook before each instruction: raise, except in functions of the program's own scripts.
static void break_off(lua_State *L, lua_Debug *where) {
  lua_getinfo(L, "S", where);
  if (strncmp(where->source, program.scripts, program.scripts_length) == 0) return;
  broken = 1;
  luaL_where(L, 0);
  lua_pushfstring(L, "terminated: the process got %s while this line ran", name_of(stopping));
  lua_concat(L, 2);
  lua_error(L);
}


// coroutine.resume, which records the running coroutine, because a hook belongs to one coroutine.
static int resume(lua_State *L) {
  lua_State *coroutine = lua_tothread(L, 1), *before = running;
  if (coroutine != NULL) running = coroutine;
  int count = plain_resume(L); // plain_resume raises only for a wrong argument, before the coroutine runs
  running = before;
  return count;
}


// The function of coroutine.wrap. Errors get the caller's position.
static int resume_wrapped(lua_State *L) {
  lua_State *coroutine = lua_tothread(L, lua_upvalueindex(1));
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  int count = resume(L);
  if (lua_toboolean(L, -count)) return count - 1;
  int status = lua_status(coroutine);
  if (status != LUA_OK && status != LUA_YIELD) {
#if LUA_VERSION_RELEASE_NUM >= 50406
    status = lua_closethread(coroutine, L);
#else
    status = lua_resetthread(coroutine);
#endif
    lua_xmove(coroutine, L, 1);
  }
  if (status != LUA_ERRMEM && lua_type(L, -1) == LUA_TSTRING) {
    luaL_where(L, 1);
    lua_insert(L, -2);
    lua_concat(L, 2);
  }
  return lua_error(L);
}


// coroutine.wrap
static int wrap(lua_State *L) {
  plain_wrap(L);
  lua_getupvalue(L, -1, 1); // the coroutine
  lua_pushcclosure(L, resume_wrapped, 1);
  return 1;
}


// os.execute by posix_spawn, because system() of the C library makes this process ignore SIGINT while a command runs.
static int execute(lua_State *L) {
  const char *command = luaL_optstring(L, 1, NULL);
  if (command == NULL) {
    lua_pushboolean(L, access("/bin/sh", X_OK) == 0);
    return 1;
  }
  posix_spawnattr_t attributes;
  sigset_t caught, none;
  sigemptyset(&none);
  sigemptyset(&caught);
  for (size_t i = 0; i < sizeof caught_signals / sizeof *caught_signals; ++i) sigaddset(&caught, caught_signals[i]);
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  posix_spawnattr_setsigdefault(&attributes, &caught);
  posix_spawnattr_setsigmask(&attributes, &none);
  char shell[] = "sh", option[] = "-c";
  char *arguments[] = {shell, option, (char *)(uintptr_t)command, NULL};
  pid_t child;
  int problem = posix_spawn(&child, "/bin/sh", NULL, &attributes, arguments, environ);
  posix_spawnattr_destroy(&attributes);
  int status = -1;
  errno = problem;
  pid_t got = problem == 0 ? 0 : -1;
  while (got == 0 || (got < 0 && errno == EINTR && problem == 0)) got = waitpid(child, &status, 0);
  return luaL_execresult(L, got < 0 ? -1 : status);
}


void bind_guard_libraries(lua_State *L) {
  lua_getglobal(L, "os");
  lua_pushcfunction(L, execute);
  lua_setfield(L, -2, "execute");
  lua_pop(L, 1);

  lua_getglobal(L, "coroutine");
  lua_getfield(L, -1, "resume");
  lua_getfield(L, -2, "wrap");
  plain_resume = lua_tocfunction(L, -2);
  plain_wrap = lua_tocfunction(L, -1);
  lua_pushcfunction(L, resume);
  lua_setfield(L, -4, "resume");
  lua_pushcfunction(L, wrap);
  lua_setfield(L, -4, "wrap");
  lua_pop(L, 3);
}


// Handler of WAKE. Never returns if `expired` is set.
static void on_wake(int number) {
  (void)number;
  if (frozen) _exit(SIGNALLED + stopping);
  if (expired) {
    frozen = 1;
    sigset_t none;
    sigemptyset(&none);
    for (;;) sigsuspend(&none);
  }
  lua_sethook(program.L, break_off, LUA_MASKCOUNT, 1);
  if (running != NULL) lua_sethook(running, break_off, LUA_MASKCOUNT, 1);
}


// ---------------------------------------------------------------------------------------------------------------------
// The watchdog
// ---------------------------------------------------------------------------------------------------------------------

static int64_t milliseconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}


static const struct timespec look = {.tv_nsec = LOOK * 1000000L};


// Return at `time` [ms], or when `at_once` or `waiting` is set. `raising`: make Lua's thread set the hook again.
static void wait_until(int64_t time, bool raising) {
  while (milliseconds_now() < time && !at_once && !waiting) {
    if (raising) pthread_kill(program.lua, WAKE);
    nanosleep(&look, NULL);
  }
}


// End the process in its current state.
static void end_now(void) {
  expired = broken = 1;
  pthread_kill(program.lua, WAKE);
  const struct itimerval due = {.it_value = {.tv_usec = FLUSH_TIME}, .it_interval = {.tv_usec = FLUSH_TIME}};
  setitimer(ITIMER_REAL, &due, NULL); // the timer sends WAKE again, and on_wake exits
#ifdef __linux__
  // orphaned processes become children of this process, because signal_descendants must find them
  prctl(PR_SET_CHILD_SUBREAPER, 1);
#endif
  while (signal_descendants(SIGKILL, false) > 0) nanosleep(&look, NULL);
  if (!at_once && !waiting) {
    print_text(stopping == SIGHUP ? "impel: ended by SIGHUP before it had finished\n"
                                  : "impel: ended by SIGTERM before it had finished\n");
  }
  if (ftrylockfile(stdout) == 0) {
    fflush(stdout);
    funlockfile(stdout);
  }
  fflush(NULL);
  if (at_once && stopping == SIGINT) { // SIGINT ends the process as if there were no handler
    signal(SIGINT, SIG_DFL);
    kill(getpid(), SIGINT);
  }
  _exit(SIGNALLED + stopping);
}


int bind_exit_code(int code, int interrupted) {
  if (!bind_is_terminated()) return code;
  // End the background processes that a script left.
  while (signal_descendants(SIGKILL, false) > 0) nanosleep(&look, NULL);
  return broken || code == interrupted ? SIGNALLED + stopping : code;
}


static void *watch(void *unused) {
  (void)unused;
  sigset_t wake;
  sigemptyset(&wake);
  sigaddset(&wake, WAKE);
  int number;
  while (!bind_is_terminated() && !at_once) sigwait(&wake, &number);
  int64_t began = milliseconds_now();
  struct sigaction action = {.sa_handler = on_wake, .sa_flags = SA_RESTART};
  sigemptyset(&action.sa_mask);
  sigaction(WAKE, &action, NULL);
  wait_until(began + RAISE_AFTER, false);
  if (!at_once && !waiting) signal_descendants(SIGTERM, true);
  wait_until(began + END_AFTER, true);
  end_now();
  return NULL;
}


// The watchdog blocks all signals and receives WAKE by sigwait.
static void start_watchdog(void) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return;
  pthread_attr_setstacksize(&attributes, STACK_SIZE);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  program.watched = pthread_create(&program.watchdog, &attributes, watch, NULL) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
}


// ---------------------------------------------------------------------------------------------------------------------
// Handlers
// ---------------------------------------------------------------------------------------------------------------------

static void wake(void) {
  if (program.watched) pthread_kill(program.watchdog, WAKE);
}


static void on_interrupt(int number) {
  int before = errno;
  if (stopping == 0) {
    stopping = number;
    print_text("impel: stopping; press Ctrl-C again to stop at once\n");
  } else if (program.watched) {
    at_once = 1;
    wake();
  } else {
    signal(number, SIG_DFL);
    raise(number);
  }
  errno = before;
}


// A second signal changes nothing, because some programs signal both the process and its group.
static void on_terminate(int number) {
  int before = errno;
  if (!bind_is_terminated()) {
    stopping = number;
    print_text(number == SIGHUP ? "impel: stopping: SIGHUP\n" : "impel: stopping: SIGTERM\n");
    wake();
  }
  errno = before;
}


// A handler instead of SIG_IGN, because programs that this process starts would inherit SIG_IGN.
static void on_failed_write(int number) { (void)number; }


static void handle(int number, void (*handler)(int)) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
  sigemptyset(&action.sa_mask);
  sigaction(number, &action, NULL);
}


static bool is_ignored(int number) {
  struct sigaction now;
  return sigaction(number, NULL, &now) == 0 && now.sa_handler == SIG_IGN;
}


// Append this program's mark to those of its ancestors.
static void set_mark(void) {
  const char *above = getenv(MARK);
  snprintf(program.mark, sizeof program.mark, "[%d-%lld]", (int)getpid(), (long long)time(NULL));
  size_t room = sizeof program.mark + (above != NULL ? strlen(above) : 0);
  char *marks = malloc(room);
  if (marks == NULL) return;
  snprintf(marks, room, "%s%s", above != NULL ? above : "", program.mark);
  setenv(MARK, marks, 1);
  free(marks);
}


void bind_catch_signals(lua_State *L, const char *scripts) {
  program.L = L;
  program.scripts = scripts;
  program.scripts_length = strlen(scripts);
  program.lua = pthread_self();
  program.on_terminal = isatty(STDERR_FILENO);
  set_mark();
  start_watchdog();
  handle(SIGINT, on_interrupt);
  handle(SIGTERM, on_terminate);
  if (!is_ignored(SIGHUP)) handle(SIGHUP, on_terminate);
  handle(SIGPIPE, on_failed_write);
  handle(SIGXFSZ, on_failed_write); // a file reached the size limit set in the shell
  signal(SIGCHLD, SIG_DFL);         // wait() would not work with an ignored SIGCHLD, which this process may inherit
  sigset_t open;                    // unblock these signals: a process inherits the mask of blocked signals
  sigemptyset(&open);
  static const int wanted[] = {SIGINT, SIGTERM, SIGHUP, WAKE};
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; ++i) sigaddset(&open, wanted[i]);
  pthread_sigmask(SIG_UNBLOCK, &open, NULL);
}


void bind_forget_interrupt(void) {
  if (!bind_is_terminated()) stopping = 0;
}


void bind_set_waiting(bool now) { waiting = now; }


// Give a signal its default action. SIG_IGN discards the signal if it is pending.
static void release(int number) {
  signal(number, SIG_IGN);
  signal(number, SIG_DFL);
}


void bind_release_signals(void) {
  for (size_t i = 0; i < sizeof caught_signals / sizeof *caught_signals; ++i) release(caught_signals[i]);
  if (!is_ignored(SIGHUP)) release(SIGHUP);
}
