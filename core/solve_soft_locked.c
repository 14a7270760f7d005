// The soft solver's kernels for bodies with locked axes, four lanes wide, for every machine.
#define IMPI_LOCKED
#define IMPI_W 4
#define IMPI_KERNELS impi_soft_kernels_4_locked
#include "solve_soft_kernels.h"
