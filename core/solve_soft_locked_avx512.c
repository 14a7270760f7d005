// The soft solver's kernels for bodies with locked axes, sixteen lanes wide, for machines with AVX-512. Compiled with
// -mavx512f and its kin, called only where they are there.
#if defined(__AVX512F__)
#define IMPI_LOCKED
#define IMPI_W 16
#define IMPI_KERNELS impi_soft_kernels_16_locked
#include "solve_soft_kernels.h"
#else
typedef int impi_no_locked_avx512;
#endif
