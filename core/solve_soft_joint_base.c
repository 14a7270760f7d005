// The joints' kernels four lanes wide, for every machine.
#define IMPI_W 4
#define IMPI_JOINT_KERNELS impi_joint_kernels_4
#include "solve_soft_joint_kernels.h"
