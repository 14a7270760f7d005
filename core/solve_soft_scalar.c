// The soft solver's kernels, one lane wide: plain arithmetic from the same source, to compare with.
#define IMPI_W 1
#define IMPI_KERNELS impi_soft_kernels_1
#include "solve_soft_kernels.h"
