// The joints' kernels eight lanes wide, for machines with AVX2. Compiled with -mavx2, called only where it is there.
#if defined(__AVX2__)
#define IMPI_W 8
#define IMPI_JOINT_KERNELS impi_joint_kernels_8
#include "solve_soft_joint_kernels.h"
#else
typedef int impi_no_avx2;
#endif
