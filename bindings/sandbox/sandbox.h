// Layers of the sandbox around an untrusted script. Each applies to the whole process and cannot be undone.
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

/// Limit processor time and address space; forbid writes that lengthen a file, core dumps and more than 64 descriptors.
/// False with errno on failure.
bool sandbox_limit(const SandboxLimits *limits);

/// Close all descriptors above 2 except the `count` descriptors in `kept`.
void sandbox_close_descriptors(const int *kept, int count);

/// Forbid started programs to gain privileges, and other processes of the user to inspect or trace this process.
/// False with errno on failure or without support.
bool sandbox_drop_privileges(void);

/// Return the kernel's version of landlock; 0: none.
int sandbox_landlock_version(void);

/// Enable landlock: no file can be opened, created or removed by name, no TCP port used and no outside process
/// signalled, as far as the kernel supports each. False with errno on failure.
bool sandbox_landlock(void);

/// Enable seccomp: system calls fail with EPERM, except for memory, threads, clocks, and read and write on open
/// descriptors. Return 0, or a negative errno.
int sandbox_seccomp(void);

#endif
