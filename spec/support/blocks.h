// Work of the code that reads snapshots and recordings, the same in every run: the basic blocks that it goes through. Its
// objects in build/counted/ are compiled with -fsanitize-coverage=trace-pc, and call the function below in each.
// libFuzzer has one of that name: the linker gives the calls to this one (--wrap).
#ifndef IMPI_BLOCKS_H
#define IMPI_BLOCKS_H

#include <stdint.h>

static uint64_t blocks;

void __wrap___sanitizer_cov_trace_pc(void);
void __wrap___sanitizer_cov_trace_pc(void) { blocks++; }

// Blocks that do not depend on the length, and blocks per byte of anything that may be read: five times those of a
// snapshot that is legal.
static const double blocks_at_start = 20000, most_blocks = 25;

#endif
