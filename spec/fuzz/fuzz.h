// The common part of all fuzz targets. A target is a function of bytes, `one_input`, whose checks must hold. With
// FUZZER defined, libFuzzer calls one_input. Otherwise the program runs each file of its corpus once.
#ifndef IMPI_FUZZ_H
#define IMPI_FUZZ_H

#include "check.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// The unread part of an input. Beyond its end, zeros are read.
typedef struct Input {
  const unsigned char *at;
  size_t left;
} Input;

static void one_input(Input *in);


static inline uint64_t take(Input *in, size_t bytes) {
  uint64_t value = 0;
  size_t there = bytes < in->left ? bytes : in->left;
  if (there > 0) memcpy(&value, in->at, there); // little-endian, as the core requires
  in->at += there;
  in->left -= there;
  return value;
}


// Read a whole number from 0 to limit - 1; limit <= 256.
static inline int take_below(Input *in, int limit) { return (int)(take(in, 1) % (uint64_t)limit); }


// Read a length or coordinate [m] from -128 to 128, in steps of 1/256 m.
static inline double take_length(Input *in) { return (int16_t)take(in, 2) / 256.0; }


// Read any number: mostly a length, sometimes a number of any magnitude, or any eight bytes.
static inline double take_number(Input *in) {
  static const double edges[] = {0,       -0.0,  1,    -1,   1e-300, 4.9e-324,         1e-12,      1e-9, 1e-3, 1e7,
                                 9999999, 1.1e7, 1e15, 1e30, 1e300,  (double)HUGE_VAL, (double)NAN};
  uint64_t bits;
  double value;
  switch (take_below(in, 16)) {
  case 0:
    bits = take(in, 8);
    memcpy(&value, &bits, sizeof value);
    return value;
  case 1:
    return edges[take_below(in, sizeof edges / sizeof edges[0])];
  case 2:
    return take_length(in) * 1e5;
  case 3:
    return take_length(in) * 1e-7;
  default:
    return take_length(in);
  }
}


#ifdef FUZZER

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  Input in = {bytes, size};
  check_case_ok = true;
  check_printed = 0;
  one_input(&in);
  fflush(stdout);
  if (!check_case_ok) abort();
  return 0;
}

#else

#include <dirent.h>

static inline void feed_file(const char *path) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    printf("FAILED: cannot read %s\n", path);
    check_failed++;
    return;
  }
  size_t size = 0, room = 1 << 20;
  unsigned char *bytes = malloc(room), *exact;
  if (bytes != NULL) size = fread(bytes, 1, room, file);
  fclose(file);
  // The sanitizer detects a read past the end of a block of exactly the input's size.
  exact = malloc(size > 0 ? size : 1);
  if (bytes != NULL && exact != NULL) {
    memcpy(exact, bytes, size);
    check_case_ok = true;
    check_printed = 0;
    one_input(&(Input){exact, size});
    if (!check_case_ok) printf("FAILED %s\n", path);
    check_case_ok ? ++check_passed : ++check_failed;
  }
  free(exact);
  free(bytes);
}


// Run each file of the corpus, or the files given as arguments.
int main(int argc, char **argv) {
  struct dirent **entries = NULL;
  char path[1000];
  for (int i = 1; i < argc; ++i) feed_file(argv[i]);
  int count = argc > 1 ? 0 : scandir(CORPUS, &entries, NULL, alphasort);
  for (int i = 0; i < count; ++i) {
    snprintf(path, sizeof path, "%s/%s", CORPUS, entries[i]->d_name);
    if (entries[i]->d_name[0] != '.') feed_file(path);
    free(entries[i]);
  }
  free(entries);
  if (check_passed + check_failed == 0) {
    printf("FAILED: no input files in %s\n", CORPUS);
    check_failed++;
  }
  return check_report(CORPUS);
}

#endif

#endif
