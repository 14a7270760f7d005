// A library that precedes the C library (LD_PRELOAD). The n-th call that opens or changes a file fails:
//   FAIL_AT=n FAIL_WITH=28 FAIL_LOG=path program    n: from 1; 28: an errno; path: a file for the failed call's name
// Only files below $FAIL_BELOW are affected. With FAIL_ONLY=name only calls of that function are counted. Each process
// counts its own calls.
#define _GNU_SOURCE

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static int calls;


static int is_below(const char *path) {
  const char *below = getenv("FAIL_BELOW");
  return below != NULL && strncmp(path, below, strlen(below)) == 0;
}


static int is_ours(int file) {
  char link[64], path[4096];
  int kept = errno;
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path - 1);
  errno = kept;
  if (length <= 0) return 0;
  path[length] = 0;
  return is_below(path);
}


// Return whether this call must fail; then set errno and write the call's name to the log.
static int is_due(const char *name) {
  const char *at = getenv("FAIL_AT"), *with = getenv("FAIL_WITH"), *log = getenv("FAIL_LOG");
  const char *only = getenv("FAIL_ONLY");
  if (at == NULL || (only != NULL && strcmp(only, name) != 0) || ++calls != atoi(at)) return 0;
  if (log != NULL) {
    int file = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (file >= 0) {
      syscall(SYS_write, file, name, strlen(name));
      syscall(SYS_close, file);
    }
  }
  errno = with != NULL ? atoi(with) : EIO;
  return 1;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))


int open(const char *path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  mode_t mode = flags & O_CREAT ? va_arg(list, mode_t) : 0;
  va_end(list);
  if ((flags & (O_WRONLY | O_RDWR | O_CREAT)) && is_below(path) && is_due("open")) return -1;
  return REAL(open)(path, flags, mode);
}


// Programs with 64-bit file sizes call these functions.
int open64(const char *path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  mode_t mode = flags & O_CREAT ? va_arg(list, mode_t) : 0;
  va_end(list);
  return open(path, flags, mode);
}


// Write half of the bytes before the error, like a full disk.
ssize_t write(int file, const void *bytes, size_t size) {
  if (is_ours(file) && is_due("write")) {
    int kept = errno;
    if (size > 1) REAL(write)(file, bytes, size / 2);
    errno = kept;
    return -1;
  }
  return REAL(write)(file, bytes, size);
}


int fsync(int file) { return is_ours(file) && is_due("fsync") ? -1 : REAL(fsync)(file); }


int ftruncate(int file, off_t length) {
  return is_ours(file) && is_due("ftruncate") ? -1 : REAL(ftruncate)(file, length);
}


int ftruncate64(int file, off64_t length) {
  return is_ours(file) && is_due("ftruncate") ? -1 : REAL(ftruncate64)(file, length);
}


int close(int file) {
  if (!is_ours(file) || !is_due("close")) return REAL(close)(file);
  int kept = errno;
  REAL(close)(file);
  errno = kept;
  return -1;
}


int rename(const char *from, const char *to) { return is_below(to) && is_due("rename") ? -1 : REAL(rename)(from, to); }
