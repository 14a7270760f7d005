// Runs a case for each seed of a range. A failed check, a signal or a timeout prints the seed. Option --seed N runs one
// seed; --from N and --to N give a range; --long runs many seeds.
#ifndef IMPI_SPEC_SEEDS_H
#define IMPI_SPEC_SEEDS_H

#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scene.h"

static struct {
  long first, last;
  uint64_t now;
  const char *what; // description of the operations that the seed determines, or null
} seeds = {.first = 1};


static void tell_seed_and_stop(int number) {
  char text[900];
  int length = snprintf(text, sizeof text, "signal %d at seed %llu:%s\n", number, (unsigned long long)seeds.now,
                        seeds.what != NULL ? seeds.what : "");
  (void)!write(1, text, (size_t)length);
  _exit(3);
}


static void read_seeds(int argc, char **argv) {
  read_arguments(argc, argv);
  for (int i = 1; i + 1 < argc; ++i) {
    if (strcmp(argv[i], "--seed") == 0) seeds.first = seeds.last = strtol(argv[i + 1], NULL, 10);
    if (strcmp(argv[i], "--from") == 0) seeds.first = strtol(argv[i + 1], NULL, 10);
    if (strcmp(argv[i], "--to") == 0) seeds.last = strtol(argv[i + 1], NULL, 10);
  }
  signal(SIGALRM, tell_seed_and_stop);
  signal(SIGSEGV, tell_seed_and_stop);
  signal(SIGILL, tell_seed_and_stop);
}


// Run one case, which may take at most `patience` seconds.
static void try_one(long seed, unsigned patience, void (*try_seed)(uint64_t seed)) {
  seeds.now = (uint64_t)seed;
  alarm(patience);
  try_seed(seeds.now);
  alarm(0);
  if (!check_case_ok) {
    printf("  seed %ld:%s\n", seed, seeds.what != NULL ? seeds.what : "");
    check_case_ok = true;
    check_printed = 0;
    check_failed++;
  }
}


static void try_seeds(long inline_coordinates, long many, unsigned patience, void (*try_seed)(uint64_t seed)) {
  seeds.last = seeds.last > 0 ? seeds.last : long_run ? many : inline_coordinates;
  for (long seed = seeds.first; seed <= seeds.last; ++seed) try_one(seed, patience, try_seed);
}


// Run seeds that failed in the past, unless the command line gives a range.
static void try_found(const long *found, int count, unsigned patience, void (*try_seed)(uint64_t seed)) {
  for (int i = 0; i < count && seeds.first == 1 && seeds.last == 0; ++i) try_one(found[i], patience, try_seed);
}

#endif
