// Counts the work of the code that reads snapshots and recordings as executed basic blocks, a number that is the same
// in every run. The objects in build/counted/ are compiled with -fsanitize-coverage=trace-pc and call the function
// below in each block. libFuzzer defines the same function, so the linker redirects these calls (--wrap).
#ifndef IMPI_BLOCKS_H
#define IMPI_BLOCKS_H

#include <stdint.h>

static uint64_t blocks;

void __wrap___sanitizer_cov_trace_pc(void);
void __wrap___sanitizer_cov_trace_pc(void) { blocks++; }

// Largest number of blocks allowed for any input, and the additional number per byte of input: five times that of a
// legal snapshot.
static const double blocks_at_start = 20000, most_blocks = 25;

#endif
