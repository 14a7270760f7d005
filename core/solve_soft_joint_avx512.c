// The joints' kernels sixteen lanes wide, for machines with AVX-512. Compiled with -mavx512f and its kin, called only
// where they are there.
#if defined(__AVX512F__)
#define IMPI_W 16
#define IMPI_JOINT_KERNELS impi_joint_kernels_16
#include "solve_soft_joint_kernels.h"
#else
typedef int impi_no_avx512;
#endif
