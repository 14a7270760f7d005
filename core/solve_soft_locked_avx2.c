// The soft solver's kernels for bodies with locked axes, eight lanes wide, for machines with AVX2. Compiled with -mavx2,
// called only where it is there.
#if defined(__AVX2__)
#define IMPI_LOCKED
#define IMPI_W 8
#define IMPI_KERNELS impi_soft_kernels_8_locked
#include "solve_soft_kernels.h"
#else
typedef int impi_no_locked_avx2;
#endif
