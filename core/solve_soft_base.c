// The soft solver's kernels four lanes wide, for every machine.
#define IMPI_W 4
#define IMPI_KERNELS impi_soft_kernels_4
#include "solve_soft_kernels.h"
