// The layers of the sandbox. Each probe runs in a child process.
#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __linux__
#include <sched.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#endif

#include "sandbox/sandbox_landlock.c"
#include "sandbox/sandbox_layers.c"

#ifdef HAS_SECCOMP
#include "sandbox/seccomp_filter.c"
#endif

#include "check.h"

enum { ALLOWED, REFUSED, NOT_CLOSED };

typedef enum Rings { LIMITS = 1, LANDLOCK = 2, SECCOMP = 4, ALL = LIMITS | LANDLOCK | SECCOMP } Rings;

// Return true if the forbidden action succeeded.
typedef bool (*Probe)(void);

static pid_t parent;
static char canary[64];


static bool enable_layers(int rings) {
  if ((rings & LIMITS) != 0) {
    SandboxLimits limits = {.cpu = 5, .memory = 1u << 28};
    if (!sandbox_limit(&limits)) return false;
#ifdef __linux__
    if (!sandbox_drop_privileges()) return false;
#endif
    sandbox_close_descriptors(NULL, 0);
  }
  if ((rings & LANDLOCK) != 0 && !sandbox_landlock()) return false;
#ifdef HAS_SECCOMP
  if ((rings & SECCOMP) != 0 && sandbox_seccomp() != 0) return false;
#else
  if (rings == SECCOMP) return false;
#endif
  return true;
}


// Return the result of a probe in a child process with the given sandbox layers: REFUSED also if a signal ended the
// probe.
static int try(Probe probe, int rings) {
  pid_t child = fork();
  if (child == 0) {
    if (!enable_layers(rings)) _exit(NOT_CLOSED);
    _exit(probe() ? ALLOWED : REFUSED);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : REFUSED;
}


// Return whether the system supports the given sandbox layers.
static bool has(int rings) {
  pid_t child = fork();
  if (child == 0) _exit(enable_layers(rings) ? 0 : 1);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}


static bool opens(const char *path, int flags) {
  int file = open(path, flags, 0600);
  if (file >= 0) close(file);
  return file >= 0;
}


static bool reads_a_file(void) { return opens("/etc/passwd", O_RDONLY); }
static bool writes_a_file(void) { return opens(canary, O_WRONLY); }
static bool makes_a_file(void) { return opens("/tmp/impel_sandbox_probe", O_CREAT | O_WRONLY); }
static bool removes_a_file(void) { return unlink(canary) == 0; }
static bool renames_a_file(void) { return rename(canary, "/tmp/impel_sandbox_probe") == 0; }
static bool shortens_a_file(void) { return truncate(canary, 0) == 0; }
static bool changes_rights(void) { return chmod(canary, 0777) == 0; }
static bool makes_a_folder(void) { return mkdir("/tmp/impel_sandbox_probe", 0700) == 0; }
static bool lists_a_folder(void) { return opens("/", O_RDONLY | O_DIRECTORY); }
static bool reads_its_own_memory(void) { return opens("/proc/self/mem", O_RDWR); }
static bool reads_its_parent(void) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/mem", (int)parent);
  return opens(path, O_RDONLY);
}


static bool opens_a_socket(void) {
  return socket(AF_INET, SOCK_STREAM, 0) >= 0 || socket(AF_UNIX, SOCK_STREAM, 0) >= 0;
}


static bool connects(void) {
  int number = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(1)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return connect(number, (struct sockaddr *)&address, sizeof address) == 0 || errno == ECONNREFUSED;
}


static bool forks(void) {
  pid_t child = fork();
  if (child == 0) _exit(0);
  return child > 0;
}


static bool starts_a_program(void) {
  char *arguments[] = {"/bin/true", NULL};
  execv(arguments[0], arguments); // if the program starts, it exits with code 0, which is ALLOWED
  return false;
}


static bool signals_its_parent(void) { return kill(parent, 0) == 0; }
static bool changes_its_group(void) { return setpgid(0, parent) == 0 || setsid() > 0; }
static bool widens_its_limits(void) {
  struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
  return setrlimit(RLIMIT_CORE, &limit) == 0 || setrlimit(RLIMIT_NOFILE, &limit) == 0;
}


static bool maps_code(void) {
  void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return page != MAP_FAILED && mprotect(page, 4096, PROT_READ | PROT_EXEC) == 0;
}


#ifdef __linux__
static bool traces_its_parent(void) { return ptrace(PTRACE_ATTACH, parent, NULL, NULL) == 0; }
static bool makes_a_namespace(void) { return unshare(CLONE_NEWUSER) == 0; }
static bool reads_memory_of_its_parent(void) {
  char byte;
  struct {
    void *base;
    size_t length;
  } local = {&byte, 1}, remote = {canary, 1};
  return syscall(SYS_process_vm_readv, parent, &local, 1ul, &remote, 1ul, 0ul) == 1;
}
static bool creates_a_request_ring(void) { return syscall(SYS_io_uring_setup, 1, NULL) >= 0 || errno == EFAULT; }
static bool loads_a_program_for_the_kernel(void) { return syscall(SYS_bpf, 0, NULL, 0) >= 0 || errno == EFAULT; }
#endif


static bool uses_old_descriptors(void) {
  char byte;
  for (int i = 3; i < 64; ++i) {
    if (read(i, &byte, 0) == 0) return true;
  }
  return false;
}


static void *nothing(void *argument) { return argument; }


static bool has_no_threads(void) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, nothing, NULL) != 0) return true;
  return pthread_join(thread, NULL) != 0;
}


static bool has_no_memory(void) {
  size_t size = (size_t)1 << 20;
  char *block = malloc(size);
  if (block == NULL) return true;
  block[size - 1] = 1;
  block = realloc(block, 4 * size);
  free(block);
  return block == NULL;
}


static void landlock_blocks_files_ports_and_signals(void) {
  static const Probe probes[] = {reads_a_file,   writes_a_file,  makes_a_file,         removes_a_file,  renames_a_file,
                                 makes_a_folder, lists_a_folder, reads_its_own_memory, reads_its_parent};
  if (!has(LANDLOCK)) return;
  CHECK(try(reads_a_file, 0) == ALLOWED);
  for (size_t i = 0; i < sizeof probes / sizeof *probes; ++i) CHECK(try(probes[i], LANDLOCK) == REFUSED);
  if (sandbox_landlock_version() >= 3) CHECK(try(shortens_a_file, LANDLOCK) == REFUSED);
  if (sandbox_landlock_version() >= 4) CHECK(try(connects, LANDLOCK) == REFUSED);
  if (sandbox_landlock_version() >= 6) CHECK(try(signals_its_parent, LANDLOCK) == REFUSED);
}


static void seccomp_blocks_system_calls(void) {
  static const Probe probes[] = {
      reads_a_file,
      writes_a_file,
      makes_a_file,
      removes_a_file,
      renames_a_file,
      shortens_a_file,
      changes_rights,
      makes_a_folder,
      lists_a_folder,
      opens_a_socket,
      forks,
      starts_a_program,
      maps_code,
      signals_its_parent,
      changes_its_group,
      widens_its_limits,
#ifdef __linux__
      traces_its_parent,
      makes_a_namespace,
      reads_memory_of_its_parent,
      creates_a_request_ring,
      loads_a_program_for_the_kernel,
#endif
  };
  if (!has(SECCOMP)) return;
  CHECK(try(opens_a_socket, 0) == ALLOWED);
  CHECK(try(forks, 0) == ALLOWED);
  for (size_t i = 0; i < sizeof probes / sizeof *probes; ++i) CHECK(try(probes[i], SECCOMP) == REFUSED);
}


static void limits_block_descriptors_and_cannot_be_raised(void) {
  int file = open("/etc/passwd", O_RDONLY);
  CHECK(try(uses_old_descriptors, 0) == ALLOWED);
  CHECK(try(uses_old_descriptors, LIMITS) == REFUSED);
  close(file);
}


// has_no_threads returns false if threads are available; has_no_memory, if memory is. `try` reports false as REFUSED.
static void threads_and_memory_remain_available(void) {
  int rings = 0;
  for (int ring = LIMITS; ring <= SECCOMP; ring *= 2) rings |= has(ring) ? ring : 0;
  CHECK(try(has_no_threads, rings) == REFUSED);
  CHECK(try(has_no_memory, rings) == REFUSED);
}


int main(void) {
  parent = getpid();
  snprintf(canary, sizeof canary, "/tmp/impel_sandbox_%d", (int)parent);
  close(open(canary, O_CREAT | O_WRONLY, 0600));
  RUN(landlock_blocks_files_ports_and_signals);
  RUN(seccomp_blocks_system_calls);
  RUN(limits_block_descriptors_and_cannot_be_raised);
  RUN(threads_and_memory_remain_available);
  unlink(canary);
  return check_report("sandbox");
}
