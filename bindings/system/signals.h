// Signals that end the program: SIGINT in two stages, SIGTERM and SIGHUP
#ifndef IMPEL_BINDINGS_SIGNALS_H
#define IMPEL_BINDINGS_SIGNALS_H

#include <lua.h>
#include <stdbool.h>

/// Catch the program's signals and start the watchdog thread. Call once, from the thread that runs Lua.
/// @param L        the main state
/// @param scripts  folder of the program's own scripts, which are never interrupted; not copied
void bind_catch_signals(lua_State *L, const char *scripts);

/// Replace coroutine.resume and coroutine.wrap, so that endless coroutines can be interrupted. Replace os.execute, so
/// that SIGINT is not ignored while the command runs. Call this after the libraries are open.
void bind_guard_libraries(lua_State *L);

/// Return whether a signal requested the end of the program.
bool bind_is_interrupted(void);

/// Return whether SIGTERM or SIGHUP requested the end of the program, so the process ends within a second.
bool bind_is_terminated(void);

/// Set whether the program waits for input. SIGTERM and SIGHUP end a waiting program at once.
void bind_set_waiting(bool now);

/// Clear a SIGINT, but not SIGTERM or SIGHUP.
void bind_forget_interrupt(void);

/// Return the exit code of the program: 143 if SIGTERM interrupted the command, 129 if SIGHUP did, otherwise `code`.
/// After SIGTERM or SIGHUP, kill the processes that scripts left in the background.
/// @param code         exit code that the command returned
/// @param interrupted  value of `code` with which the command reports that it was interrupted
int bind_exit_code(int code, int interrupted);

/// Reset the signals in a child, except an ignored SIGHUP.
void bind_release_signals(void);

#endif
