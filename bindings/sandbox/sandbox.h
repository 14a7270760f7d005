// The rings around a script that nobody trusts, each a function of its own, and the quota of memory and time. They hold
// for the process that closes them, for all its threads, and for good: scripts/impel/sandbox/child.lua does so in a child
// that was made for one script.
#ifndef IMPEL_BINDINGS_SANDBOX_H
#define IMPEL_BINDINGS_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// What the process may take of the machine.
typedef struct SandboxLimits {
  uint64_t cpu;    ///< [s] of processor time, all threads together
  uint64_t memory; ///< [bytes] of addresses beyond those that are in use now; 0: not limited
  bool alone;      ///< no further process and thread; for want of a better ring, as it does not hold for root
} SandboxLimits;

/// Limits of the system: processor time, addresses; no file may grow, no core is dumped, descriptors above 63 cannot be
/// made. False with errno when one is refused.
bool sandbox_limit(const SandboxLimits *limits);

/// Close all descriptors above 2 but the `count` ones that are kept.
void sandbox_close_descriptors(const int *kept, int count);

/// No program that is started has more rights than this process, which no other of the same user may look into or trace.
/// False with errno, or where the system has no such thing.
bool sandbox_drop_privileges(void);

/// The version of landlock that the kernel has; 0: none.
int sandbox_landlock_version(void);

/// No file can be opened, made or removed by its name, no TCP port reached, no process outside signalled: landlock, as far
/// as its version goes. False with errno.
bool sandbox_landlock(void);

/// Only the calls of the system that a running Lua and engine need: memory, threads, clocks, read and write on what is
/// open; every other one fails with EPERM. By libseccomp, in a module of its own. 0, or a negative errno.
int sandbox_seccomp(void);

#endif
