// Layers of the sandbox that need no library: limits, descriptors, privileges.
#define _GNU_SOURCE

#include "sandbox/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SHADOWED 1 // a sanitizer's shadow memory exceeds any useful limit of address space, so no limit is set
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define SHADOWED 1
#endif
#endif

enum { DESCRIPTORS = 64 };

#ifdef __GLIBC__
typedef __rlimit_resource_t Resource; // glibc declares the first argument of setrlimit as an enum
#else
typedef int Resource;
#endif


static bool set_limit(Resource resource, rlim_t soft, rlim_t hard) {
  struct rlimit limit;
  if (getrlimit(resource, &limit) != 0) return false;
  if (hard > limit.rlim_max) hard = limit.rlim_max; // an existing limit is not raised
  if (soft > hard) soft = hard;
  limit.rlim_cur = soft;
  limit.rlim_max = hard;
  return setrlimit(resource, &limit) == 0;
}


#ifndef SHADOWED
// Return the bytes of address space in use; 0 if unknown.
static uint64_t addresses_in_use(void) {
  unsigned long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (file == NULL) return 0;
  if (fscanf(file, "%lu", &pages) != 1) pages = 0;
  fclose(file);
  return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}
#endif


bool sandbox_limit(const SandboxLimits *limits) {
#ifndef SHADOWED
  uint64_t used = limits->memory > 0 ? addresses_in_use() : 0;
  if (used > 0 && !set_limit(RLIMIT_AS, used + limits->memory, used + limits->memory)) return false;
#endif
  if (limits->alone && !set_limit(RLIMIT_NPROC, 0, 0)) return false;
  // The soft limit sends SIGXCPU, which names the cause; the hard limit sends SIGKILL, which cannot be caught.
  return set_limit(RLIMIT_CPU, limits->cpu, limits->cpu + 1) && set_limit(RLIMIT_CORE, 0, 0) &&
         set_limit(RLIMIT_FSIZE, 0, 0) && set_limit(RLIMIT_NOFILE, DESCRIPTORS, DESCRIPTORS);
}


// Close the descriptors first..last that are open.
static void close_from_to(unsigned first, unsigned last) {
  if (first > last) return;
#if defined(__linux__) && defined(SYS_close_range)
  if (syscall(SYS_close_range, first, last, 0) == 0) return;
#endif
  struct rlimit limit;
  unsigned end = 65536;
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < end) end = (unsigned)limit.rlim_cur;
  for (unsigned i = first; i < end && i <= last; ++i) close((int)i);
}


static int by_value(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }


void sandbox_close_descriptors(const int *kept, int count) {
  int sorted[DESCRIPTORS];
  if (count > DESCRIPTORS) count = DESCRIPTORS;
  for (int i = 0; i < count; ++i) sorted[i] = kept[i];
  qsort(sorted, (size_t)count, sizeof *sorted, by_value);
  unsigned next = STDERR_FILENO + 1;
  for (int i = 0; i < count; ++i) {
    if (sorted[i] < (int)next) continue;
    if (sorted[i] > (int)next) close_from_to(next, (unsigned)sorted[i] - 1);
    next = (unsigned)sorted[i] + 1;
  }
  close_from_to(next, ~0u);
}


bool sandbox_drop_privileges(void) {
#ifdef __linux__
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0;
#else
  errno = ENOSYS;
  return false;
#endif
}
