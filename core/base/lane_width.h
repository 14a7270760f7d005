// How many float lanes kernels use: what this machine runs, what was asked for. No width changes a bit of a
// result, so the choice is one of speed alone.
//
// Kernels are compiled for four widths. Width 1 is plain arithmetic from the same source: the proof that lanes
// change nothing. Widths 1 and 4 are everywhere (SSE2, NEON), 8 needs AVX2, 16 needs AVX-512.
#ifndef IMPI_LANE_WIDTH_H
#define IMPI_LANE_WIDTH_H

#include "base/base.h"

// Whether kernels of 8 and 16 lanes are part of this build; then the machine decides.
#if defined(__x86_64__)
#define IMPI_WIDE_KERNELS 1
#else
#define IMPI_WIDE_KERNELS 0
#endif

// Whether there are kernels of this width: 1, 4, 8 or 16.
bool impi_is_lane_width(double width);

// The widest lanes that this machine runs.
int impi_widest_lanes(void);

// The width to use: the widest of those that the machine runs up to `asked`. asked = 0: what the environment variable
// IMPEL_LANES says, which is read once in a process, else the widest.
int impi_lane_width(int asked);

// IMP_ERR_ARGUMENT when IMPEL_LANES holds something else than a width or nothing at all.
ImpStatus impi_check_lane_environment(void);

#endif
