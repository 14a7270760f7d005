// Counts the work of the code that reads snapshots and recordings as executed basic blocks, a number that is the same
// in every run. The objects in build/counted/ are compiled with -fsanitize-coverage=trace-pc and call the function
// below in each block. libFuzzer defines the same function, so the linker redirects these calls (--wrap).
#ifndef IMPI_BLOCKS_H
#define IMPI_BLOCKS_H

#include <stdint.h>

static uint64_t blocks;

void __wrap___sanitizer_cov_trace_pc(void);
void __wrap___sanitizer_cov_trace_pc(void) { blocks++; }

// Blocks allowed for an input: blocks_at_start, plus most_blocks for each byte. This is five times what a legal
// snapshot needs.
static const double blocks_at_start = 20000, most_blocks = 25;

#endif
