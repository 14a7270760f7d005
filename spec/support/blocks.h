// Counts the work of the code that reads snapshots and recordings: the number of executed basic blocks, which is the
// same in every run. The objects in build/counted/ are compiled with -fsanitize-coverage=trace-pc, so each block calls
// the function below. libFuzzer defines a function of the same name. Therefore the linker redirects these calls
// (--wrap).
#ifndef IMPI_BLOCKS_H
#define IMPI_BLOCKS_H

#include <stdint.h>

static uint64_t blocks;

void __wrap___sanitizer_cov_trace_pc(void);
void __wrap___sanitizer_cov_trace_pc(void) { blocks++; }

// An input may take blocks_at_start + most_blocks * size blocks, where size is in bytes. A valid snapshot needs at most
// a fifth of this.
static const double blocks_at_start = 20000, most_blocks = 25;

#endif
