// The soft solver's passes over bodies eight lanes wide, for machines with AVX2. Compiled with -mavx2, called only where
// it is there.
#if defined(__AVX2__)
#define IMPI_W 8
#define IMPI_BODY_KERNELS impi_body_kernels_8
#include "solve_soft_body_kernels.h"
#else
typedef int impi_no_bodies_avx2;
#endif
