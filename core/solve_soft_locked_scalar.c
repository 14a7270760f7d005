// The soft solver's kernels for bodies with locked axes, one lane wide: plain arithmetic from the same source, to
// compare with.
#define IMPI_LOCKED
#define IMPI_W 1
#define IMPI_KERNELS impi_soft_kernels_1_locked
#include "solve_soft_kernels.h"
