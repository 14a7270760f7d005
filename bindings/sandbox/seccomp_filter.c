// The seccomp layer: the system calls that Lua and the engine need. None has effects outside the process.
// Other calls fail with EPERM, so that a C library can continue. A call of another architecture ends the process.
#define _GNU_SOURCE

#include "sandbox/sandbox.h"

#include <errno.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <unistd.h>

static const int allowed[] = {
    // for files that are open: pipes to the parent, and font files
    SCMP_SYS(read),
    SCMP_SYS(readv),
    SCMP_SYS(write),
    SCMP_SYS(writev),
    SCMP_SYS(lseek),
    SCMP_SYS(close),
    SCMP_SYS(fstat),
    SCMP_SYS(poll),
    SCMP_SYS(ppoll),
    // memory
    SCMP_SYS(brk),
    SCMP_SYS(munmap),
    SCMP_SYS(mremap),
    SCMP_SYS(madvise),
    // threads
    SCMP_SYS(futex),
    SCMP_SYS(set_robust_list),
    SCMP_SYS(rseq),
    SCMP_SYS(sched_yield),
    SCMP_SYS(sched_getaffinity),
    SCMP_SYS(gettid),
    SCMP_SYS(getpid),
    SCMP_SYS(exit),
    SCMP_SYS(exit_group),
    // the process's own signals
    SCMP_SYS(rt_sigreturn),
    SCMP_SYS(rt_sigprocmask),
    SCMP_SYS(rt_sigaction),
    SCMP_SYS(sigaltstack),
    SCMP_SYS(restart_syscall),
    // clocks, and the seed of hash tables
    SCMP_SYS(clock_gettime),
    SCMP_SYS(clock_getres),
    SCMP_SYS(clock_nanosleep),
    SCMP_SYS(nanosleep),
    SCMP_SYS(gettimeofday),
    SCMP_SYS(getrandom),
};

enum { ARGUMENT_PROTECTION = 2, ARGUMENT_NEW_LIMIT = 2 };


// Allow some system calls with certain arguments only.
static int allow_some(scmp_filter_ctx filter) {
  // Allow memory that is not executable.
  const struct scmp_arg_cmp no_code = SCMP_CMP(ARGUMENT_PROTECTION, SCMP_CMP_MASKED_EQ, PROT_EXEC, 0);
  int status = seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 1, &no_code);
  if (status == 0) status = seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, SCMP_SYS(mprotect), 1, &no_code);
  // Allow threads, but not processes. A filter cannot check clone3's flags, so clone3 fails with ENOSYS; the C library
  // then uses clone.
  const scmp_datum_t thread = CLONE_VM | CLONE_THREAD | CLONE_SIGHAND;
  const struct scmp_arg_cmp is_thread = SCMP_CMP(0, SCMP_CMP_MASKED_EQ, thread, thread);
  if (status == 0) status = seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, SCMP_SYS(clone), 1, &is_thread);
  if (status == 0) status = seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
  // prlimit64: allow a read of a resource limit (the C library reads the stack limit for a new thread), not a change.
  const struct scmp_arg_cmp reads = {.arg = ARGUMENT_NEW_LIMIT, .op = SCMP_CMP_EQ, .datum_a = 0, .datum_b = 0};
  if (status == 0) status = seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), 1, &reads);
  // Allow a signal to this process, which abort() sends.
  const struct scmp_arg_cmp own = {.arg = 0, .op = SCMP_CMP_EQ, .datum_a = (scmp_datum_t)getpid(), .datum_b = 0};
  if (status == 0) status = seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1, &own);
  return status;
}


int sandbox_seccomp(void) {
  scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
  if (filter == NULL) return -ENOMEM;
  int status = 0;
  for (size_t i = 0; i < sizeof allowed / sizeof *allowed && status == 0; ++i) {
    if (allowed[i] >= 0)
      // libseccomp has a negative number for a call that this architecture does not have
      status = seccomp_rule_add(filter, SCMP_ACT_ALLOW, allowed[i], 0);
  }
  if (status == 0) status = allow_some(filter);
  if (status == 0) status = seccomp_load(filter);
  seccomp_release(filter);
  return status;
}
