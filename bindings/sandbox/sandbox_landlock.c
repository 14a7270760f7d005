// The landlock layer (Linux >= 5.13): forbids access to files by path, use of TCP ports, signals to other processes.
#define _GNU_SOURCE

#include "sandbox/sandbox.h"

#include <errno.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

#if defined(__linux__) && defined(SYS_landlock_create_ruleset)

// struct landlock_ruleset_attr of linux/landlock.h; older versions of that header lack some fields.
typedef struct Ruleset {
  uint64_t files; // rights that are given up unless a rule grants them
  uint64_t ports;
  uint64_t scopes;
} Ruleset;

enum { ASK_FOR_VERSION = 1, VERSION_PORTS = 4, VERSION_SCOPES = 6 };


int sandbox_landlock_version(void) {
  long version = syscall(SYS_landlock_create_ruleset, NULL, (size_t)0, ASK_FOR_VERSION);
  return version > 0 ? (int)version : 0;
}


// Return the number of rights on files in a version of landlock.
// Version 1 has 13; 2 adds moving between folders, 3 truncation, 5 ioctl.
static int count_file_rights(int version) { return version >= 5 ? 16 : version >= 3 ? 15 : version >= 2 ? 14 : 13; }


bool sandbox_landlock(void) {
  int version = sandbox_landlock_version();
  if (version == 0) {
    errno = ENOSYS;
    return false;
  }
  Ruleset rules = {
      .files = ((uint64_t)1 << count_file_rights(version)) - 1,
      .ports = version >= VERSION_PORTS ? 3 : 0, // bind, connect
      // forbid abstract Unix sockets and signals to processes outside the sandbox
      .scopes = version >= VERSION_SCOPES ? 3 : 0,
  };
  size_t size = version >= VERSION_SCOPES  ? sizeof rules
                : version >= VERSION_PORTS ? 2 * sizeof(uint64_t)
                                           : sizeof(uint64_t);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false;
  int set = (int)syscall(SYS_landlock_create_ruleset, &rules, size, 0);
  if (set < 0) return false;
  bool ok = syscall(SYS_landlock_restrict_self, set, 0) == 0;
  int number = errno;
  close(set);
  errno = number;
  return ok;
}

#else

int sandbox_landlock_version(void) { return 0; }


bool sandbox_landlock(void) {
  errno = ENOSYS;
  return false;
}

#endif
