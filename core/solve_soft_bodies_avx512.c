// The soft solver's passes over bodies sixteen lanes wide, for machines with AVX-512. Compiled with -mavx512f and its
// kin, called only where they are there.
#if defined(__AVX512F__)
#define IMPI_W 16
#define IMPI_BODY_KERNELS impi_body_kernels_16
#include "solve_soft_body_kernels.h"
#else
typedef int impi_no_bodies_avx512;
#endif
