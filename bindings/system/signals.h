// The signals that end the program: SIGINT in two stages, SIGTERM and SIGHUP within a second for any script.
#ifndef IMPEL_BINDINGS_SIGNALS_H
#define IMPEL_BINDINGS_SIGNALS_H

#include <lua.h>
#include <stdbool.h>

/// Catch the signals of the program from here on, and start the thread that ends it in time. Once, by the thread that
/// runs Lua.
/// @param L        the main state
/// @param scripts  folder of the program's own scripts, which are never broken off; kept
void bind_catch_signals(lua_State *L, const char *scripts);

/// Let coroutine.resume and coroutine.wrap note which coroutine runs, so that one that never ends is broken off as well,
/// and os.execute let signals in. To be called once the libraries are open.
void bind_guard_libraries(lua_State *L);

/// Whether a signal asked the program to end.
bool bind_is_interrupted(void);

/// Whether that was SIGTERM or SIGHUP: less than a second is left.
bool bind_is_terminated(void);

/// Say that the program waits for input, or no longer: SIGTERM and SIGHUP then end it at once.
void bind_set_waiting(bool now);

/// Forget a SIGINT: the next one is a first one again. SIGTERM and SIGHUP are never forgotten.
void bind_forget_interrupt(void);

/// The exit code of the program: 143 or 129 instead of `code` if SIGTERM or SIGHUP ended the run.
/// @param code         what the command line came to
/// @param interrupted  the code by which it says that it was interrupted
int bind_exit_code(int code, int interrupted);

/// In a child of fork: the signals as in a program that catches none. A SIGHUP that was ignored stays ignored.
void bind_release_signals(void);

#endif
