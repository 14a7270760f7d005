// The layers of the sandbox around an untrusted script; each layer is a function that does not use Lua. A layer applies
// to all threads of the process that enables it and cannot be undone, so scripts/impel/sandbox/child.lua enables the
// layers in a child process that runs one script.
#ifndef IMPEL_BINDINGS_SANDBOX_H
#define IMPEL_BINDINGS_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Resource limits of the process.
typedef struct SandboxLimits {
  uint64_t cpu;    ///< [s] of processor time, the sum over all threads
  uint64_t memory; ///< [bytes] of address space beyond what is in use now; 0: not limited
  bool alone;      ///< forbid new processes and threads (seccomp forbids more); has no effect for root
} SandboxLimits;

/// Set limits of the operating system: processor time and address space; files cannot grow, no core dump is written,
/// and at most 64 descriptors can be open. Return false with errno if a limit cannot be set.
bool sandbox_limit(const SandboxLimits *limits);

/// Close all descriptors above 2 except the `count` ones in `kept`.
void sandbox_close_descriptors(const int *kept, int count);

/// Forbid that started programs gain privileges, and that other processes of the same user inspect or trace this one.
/// Return false with errno on failure or if the system does not support it.
bool sandbox_drop_privileges(void);

/// Return the kernel's version of landlock; 0: none.
int sandbox_landlock_version(void);

/// Enable landlock: no file can be opened, created or removed by name, no TCP port used and no outside process
/// signalled, as far as the kernel's version supports each. Return false with errno on failure.
bool sandbox_landlock(void);

/// Enable seccomp: only system calls that Lua and the engine need are allowed (memory, threads, clocks, read and write
/// on open descriptors); every other call fails with EPERM. Uses libseccomp, in a module of its own. Return 0, or a
/// negative errno.
int sandbox_seccomp(void);

#endif
