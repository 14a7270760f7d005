// The layers of the sandbox around an untrusted script. A layer applies to all threads of the process and cannot be
// undone, so scripts/impel/sandbox/child.lua enables the layers in a child process that runs one script.
#ifndef IMPEL_BINDINGS_SANDBOX_H
#define IMPEL_BINDINGS_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct SandboxLimits {
  uint64_t cpu;    ///< [s] of processor time, the sum over all threads
  uint64_t memory; ///< [bytes] of address space beyond what is in use now; 0: not limited
  bool alone;      ///< forbid new processes and threads; has no effect for root
} SandboxLimits;

/// Limit processor time and address space, forbid growing files and core dumps, and allow at most 64 open descriptors.
/// Return false with errno if a limit cannot be set.
bool sandbox_limit(const SandboxLimits *limits);

/// Close all descriptors above 2 except the `count` descriptors in `kept`.
void sandbox_close_descriptors(const int *kept, int count);

/// Forbid that started programs gain privileges, and that other processes of the same user inspect or trace this
/// process. Return false with errno on failure or if the system does not support this.
bool sandbox_drop_privileges(void);

/// Return the kernel's version of landlock; 0: none.
int sandbox_landlock_version(void);

/// Enable landlock: no file can be opened, created or removed by name, no TCP port can be used, and no outside process
/// can be signalled, as far as the kernel's version of landlock supports these rules. Return false with errno on
/// failure.
bool sandbox_landlock(void);

/// Enable seccomp: only system calls that Lua and the engine need are allowed (memory, threads, clocks, read and write
/// on open descriptors); other system calls fail with EPERM. Return 0, or a negative errno.
int sandbox_seccomp(void);

#endif
