// The joints' kernels, one lane wide: plain arithmetic from the same source, to compare with.
#define IMPI_W 1
#define IMPI_JOINT_KERNELS impi_joint_kernels_1
#include "solve_soft_joint_kernels.h"
