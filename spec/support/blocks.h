// Counts the executed basic blocks of the code that reads snapshots and recordings. The number is the same in every
// run. The objects in build/counted/ are compiled with -fsanitize-coverage=trace-pc, so each block calls the function
// below. The linker redirects the calls (--wrap), because libFuzzer defines the same function.
#ifndef IMPI_BLOCKS_H
#define IMPI_BLOCKS_H

#include <stdint.h>

static uint64_t blocks;

void __wrap___sanitizer_cov_trace_pc(void);
void __wrap___sanitizer_cov_trace_pc(void) { blocks++; }

// Reading an input of `size` bytes may execute blocks_at_start + most_blocks * size blocks. A valid snapshot of this
// size needs a fifth of them.
static const double blocks_at_start = 20000, most_blocks = 25;

#endif
