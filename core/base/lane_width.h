// Number of float lanes in kernels. The width changes no bit of a result.
// Widths 1 (scalar) and 4 run everywhere (SSE2, NEON), 8 needs AVX2, 16 needs AVX-512.
#ifndef IMPI_LANE_WIDTH_H
#define IMPI_LANE_WIDTH_H

#include "base/base.h"

// 1: this build has kernels of 8 and 16 lanes, which need a processor with AVX2 or AVX-512.
#if defined(__x86_64__)
#define IMPI_WIDE_KERNELS 1
#else
#define IMPI_WIDE_KERNELS 0
#endif

// Return whether there are kernels of this width: 1, 4, 8 or 16.
bool impi_is_lane_width(double width);

// Return the greatest width that this machine runs.
int impi_widest_lanes(void);

// Return the smaller of the machine's greatest width and `requested`. If `requested` is 0, the environment variable
// IMPEL_LANES replaces it; if that variable is unset or empty, return the machine's greatest width.
int impi_lane_width(int requested);

// Return IMP_ERR_ARGUMENT when IMPEL_LANES is neither a width nor empty.
ImpStatus impi_check_lane_environment(void);

#endif
